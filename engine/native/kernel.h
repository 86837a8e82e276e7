// A kernel: a system's arithmetic, recorded by scripts/shoal/kernel/ as a list of values (native/lanes.h) over
// slots; a slot is a column of the query. The list becomes machine code once there are rows that it is worth it for,
// on the compiler's thread; before, and where there is no LLVM, its operations are run one after the other.
//
// Where every column is aligned with the query's rows, it runs over all rows in place. Else rows go through in blocks
// that fit the first cache: mapped columns are gathered into scratch, the code runs, what was written is scattered
// back. Where rows are mapped the order is not the query's, if the columns have runs of rows that lie side by side
// (schedule/runs.h): those are gone over in place as well.
//
// Many rows are shared among the world's workers. Parts begin at multiples of 64 rows, so that in columns that are
// aligned no two workers write to one cache line, and give the same bits as one run over all rows: every operation
// looks at one row.
//
// All functions but kernel_run are called from Lua by the FFI while a VM declares itself. What they are given is
// checked here, all of it: the column and its type, sizes, operations, operands, counts, and that nothing is read
// before it is written. The first mistake makes the kernel unsound: the functions return 0 from then on, and it cannot
// run.
#ifndef SHOAL_NATIVE_KERNEL_H
#define SHOAL_NATIVE_KERNEL_H

#include "ecs/query.h"
#include "native/lanes.h"
#include "schedule/schedule.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct kernel_o kernel_o;

#define KERNEL_MAX_SLOTS LANES_MOST_ARRAYS
#define KERNEL_LEAST_ROWS 256u // that code is made for
#define KERNEL_MAX_BLOCK 2048u
#define KERNEL_SPLIT_COST 4000000u // of all rows, see kernel.c: less, about 40 µs, is not worth waking a thread for
#define KERNEL_LEAST_PART 4096u    // rows that a worker takes at least

// Belongs to the caller; reads and writes the columns of `q` (borrowed). Compiled for `level`, a codegen_level_t (0:
// never); `waits`: the first run waits for that, however few rows there are.
kernel_o *kernel_create(query_o *q, uint32_t level, bool waits);
void kernel_destroy(kernel_o *k);
const lanes_o *kernel_lanes(const kernel_o *k);

// → its slot, 0-based. `bytes` is 1, 2, 4 or 8.
uint32_t kernel_column(kernel_o *k, uint32_t manager, uint32_t column, uint32_t bytes, bool written);

// The values of a row: native/lanes.h. What is stored is stored behind all that is read.
int32_t kernel_load(kernel_o *k, uint32_t slot);
int32_t kernel_constant(kernel_o *k, uint32_t bytes, bool is_float, double value);
int32_t kernel_dt(kernel_o *k, uint32_t bytes); // the tick's length in seconds, f32 or f64
int32_t kernel_op(kernel_o *k, const char *name, int32_t a, int32_t b);
void kernel_store(kernel_o *k, uint32_t slot, int32_t value);
bool kernel_complete(kernel_o *k); // false with a mistake

// False with the first mistake. To be asked before it runs.
bool kernel_is_sound(const kernel_o *k, error_t *error);

// All rows of the query, which must be open. Called by the system that owns the kernel.
void kernel_run(kernel_o *k, float dt_s);
// The same with a query that is not open, where its code is there, its rows lie as the columns do, and it is soon over.
bool kernel_ran_straight(kernel_o *k, float dt_s);
bool kernel_is_brief(const kernel_o *k); // its next run takes some 40 µs at most
query_o *kernel_query(const kernel_o *k);
bool kernel_is_native(const kernel_o *k); // its last run was machine code

// The same beside other systems (schedule.h). The query stays open from begin, where it is open, to end. → parts; 0:
// there are no rows, and nothing follows.
uint32_t kernel_run_begin(kernel_o *k, float dt_s);
void kernel_run_part(void *kernel, uint32_t part, uint32_t worker); // jobs_part_t
void kernel_run_end(kernel_o *k);
// What it reads and writes, into `out` (KERNEL_MAX_SLOTS long); → how many.
uint32_t kernel_access(const kernel_o *k, system_access_t *out);

#endif
