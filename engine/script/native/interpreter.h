// Runs systems in single precision without machine code: executes the instructions from which scripts/shoal/compile
// also generates LLVM IR. Each instruction is executed for a block of rows. Uses the arguments of compiled code
// (native/loop.h) and returns the same bits.
//
// A register contains one value for each row of a block. All rows of a block jump together: the first row decides.
// Instructions before `prologue` are loop-invariant and run once. The instructions are checked when the interpreter is
// created; after that, any number of threads may run them.
#ifndef SHOAL_NATIVE_INTERPRETER_H
#define SHOAL_NATIVE_INTERPRETER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct native_call_t;

#define INTERPRETER_MAX_INSTRUCTIONS 32768u
#define INTERPRETER_BLOCK 256 // number of rows in a block

// The operation determines which fields are used (interpreter.c).
typedef struct interpreter_instruction_t {
  uint16_t operation;
  uint16_t slot;       // index of the column, parameter, lookup, function or report that the operation uses
  int32_t to, a, b, c; // registers; for jumps, `to` is the next instruction
  double value;
} interpreter_instruction_t;

typedef struct interpreter_desc_t {
  const interpreter_instruction_t *instructions; // instructions of the loop; copied
  uint32_t count, prologue, registers;
  uint32_t columns, parameters, lookups, reports; // number of valid slots of each kind
  bool row_by_row; // true to run blocks of one row, for code in which a row uses results of the previous row
} interpreter_desc_t;

typedef struct interpreter_o interpreter_o;

// Creates an interpreter with a copy of the instructions. Returns the interpreter, or NULL with a message if the code
// is malformed, or if there are too many instructions or registers.
interpreter_o *interpreter_create(const interpreter_desc_t *desc, error_info_t *error);
void interpreter_destroy(interpreter_o *interpreter); // accepts NULL

// Runs the rows [begin, end). Returns the row of the first side exit; `end` if no row takes one.
int64_t interpreter_run(const interpreter_o *interpreter, const struct native_call_t *call, int64_t begin, int64_t end);

// Returns the index of the operation with this name; -1 if the name is unknown.
int32_t interpreter_find_operation(const char *name);

#endif
