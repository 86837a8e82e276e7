// What a kernel calculates for one row, as a list of values: loads from arrays, constants, operations, and at the end
// what is stored. Each value is 1, 2, 4 or 8 bytes, an operation says which of them it takes and what it makes of
// them: f32 stays f32. The list becomes text for LLVM (codegen.h), vectors as wide as the processor's; until that is
// there, and where there is no LLVM, blocks of rows go through functions in C, an operation after the other. Both give
// the same bits. Numbers below the normal ones are 0: whoever runs either has said so to the processor
// (float_control.h).
//
// Everything is checked as it is added. The first mistake is kept, 0 is returned from then on, and nothing runs.
#ifndef SHOAL_NATIVE_LANES_H
#define SHOAL_NATIVE_LANES_H

#include "base/error.h"
#include "native/codegen.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct lanes_o lanes_o;

#define LANES_MOST_ARRAYS 256u
#define LANES_MOST_VALUES 16384u

lanes_o *lanes_create(void);
void lanes_destroy(lanes_o *l); // NULL is fine

// → the value's number, from 1; 0 for a mistake. `b` is 0 for operations of one operand.
int32_t lanes_load(lanes_o *l, uint32_t array, uint32_t bytes);
int32_t lanes_constant(lanes_o *l, uint32_t bytes, bool is_float, double value);
int32_t lanes_dt(lanes_o *l, uint32_t bytes); // the tick's length in seconds, f32 or f64
int32_t lanes_op(lanes_o *l, const char *name, int32_t a, int32_t b);
// Behind all loads of the row, whenever it is said.
void lanes_store(lanes_o *l, uint32_t array, uint32_t bytes, int32_t value);
// Nothing is added afterwards. False with the first mistake; for `workers` that run it at the same time.
bool lanes_complete(lanes_o *l, uint32_t workers, error_t *error);
bool lanes_is_sound(const lanes_o *l, error_t *error);

uint32_t lanes_op_count(const lanes_o *l);
// How large what it makes of one or two values of `bytes` is; 0: there is no such operation.
uint32_t lanes_op_bytes(const char *name, uint32_t bytes, bool two);

// Machine code is wanted from now on; asked again, nothing happens.
void lanes_want(lanes_o *l, codegen_level_t level, bool wait);
// Before each run, on the main thread: the tick's length, and whether machine code is there. It stays so for the run.
bool lanes_prepare(lanes_o *l, float dt_s);
// Rows 0 to `count` of the arrays, by their numbers; whatever thread.
void lanes_run(const lanes_o *l, void *const *arrays, uint32_t count, uint32_t worker);
const codegen_code_t *lanes_code(const lanes_o *l); // NULL: none is wanted until now
// The text of its code, for tests; to be freed. NULL: it is too long.
char *lanes_text(const lanes_o *l, codegen_level_t level, size_t *length);

#endif
