// Executes each instruction over a block of rows; a table contains one function per operation.
#include "native/interpreter.h"

#include "base/aligned_memory.h"
#include "base/assert.h"
#include "native/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// 1.5 times the size of a register of 64-bit values. Consecutive registers of 32-bit values, which use only a third of
// this space, are therefore in different sets of a cache.
enum { REGISTER_BYTES = INTERPRETER_BLOCK * 12 };
enum { MAX_REGISTERS = 16384 };
// Maximum number of inner-loop iterations per run; must equal the limit in compile/emit.lua.
static const int64_t MAX_ITERATIONS = INT64_C(1) << 28;

// Registers hold values of several types, so these types may alias.
typedef uint8_t __attribute__((may_alias)) any_u8;
typedef int8_t __attribute__((may_alias)) any_i8;
typedef uint16_t __attribute__((may_alias)) any_u16;
typedef int16_t __attribute__((may_alias)) any_i16;
typedef uint32_t __attribute__((may_alias)) any_u32;
typedef int32_t __attribute__((may_alias)) any_i32;
typedef uint64_t __attribute__((may_alias)) any_u64;
typedef float __attribute__((may_alias)) any_f32;
typedef double __attribute__((may_alias)) any_f64;

typedef struct frame_t {
  uint8_t *registers;
  const native_call_t *call;
  int64_t first_row;         // first row of the block
  uint32_t rows, valid_rows; // numbers of rows in the block, and of rows that precede the first side exit
  int64_t remaining_iterations;
} frame_t;

typedef interpreter_instruction_t instruction_t;
typedef void (*operation_fn_t)(frame_t *frame, const instruction_t *instruction);

#define REGISTER(type_, number_) ((type_ *)(void *)(frame->registers + (size_t)(instruction->number_) * REGISTER_BYTES))

// Loops over rows that do not depend on each other. Compilers vectorise it because the bound is a local, which stores
// through may_alias types cannot change, and because the pragma asserts that registers are equal or disjoint.
#ifdef __clang__
#define IS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define IS_INDEPENDENT _Pragma("GCC ivdep")
#endif
// Compiles a function twice: half of the operations (among others f64 comparisons and shifts) cannot be vectorised with
// SSE2, and AVX2 halves the time of the rest. Without -mfma, both versions give the same results.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define WITH_AVX2
#endif
#define FOR_ROWS(count_)                                                                                               \
  IS_INDEPENDENT                                                                                                       \
  for (uint32_t i = 0, row_count = (count_); i < row_count; ++i)

// Defines operations that loop over the rows of a block; `p` and `q` are the operands of a row.
#define ONE(name_, R, T, expression_)                                                                                  \
  WITH_AVX2 static void run_##name_(frame_t *frame, const instruction_t *instruction) {                                \
    R *to = REGISTER(R, to);                                                                                           \
    const T *a = REGISTER(T, a);                                                                                       \
    FOR_ROWS (frame->rows) {                                                                                           \
      const T p = a[i];                                                                                                \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }
#define TWO(name_, R, T, expression_)                                                                                  \
  WITH_AVX2 static void run_##name_(frame_t *frame, const instruction_t *instruction) {                                \
    R *to = REGISTER(R, to);                                                                                           \
    const T *a = REGISTER(T, a), *b = REGISTER(T, b);                                                                  \
    FOR_ROWS (frame->rows) {                                                                                           \
      const T p = a[i], q = b[i];                                                                                      \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }
// Loads both operands in any case: compilers do not vectorise conditional loads.
#define CHOOSE(name_, T)                                                                                               \
  WITH_AVX2 static void run_##name_(frame_t *frame, const instruction_t *instruction) {                                \
    T *to = REGISTER(T, to);                                                                                           \
    const T *a = REGISTER(T, a), *b = REGISTER(T, b);                                                                  \
    const any_i32 *c = REGISTER(any_i32, c);                                                                           \
    FOR_ROWS (frame->rows) {                                                                                           \
      const T p = a[i], q = b[i];                                                                                      \
      to[i] = c[i] ? p : q;                                                                                            \
    }                                                                                                                  \
  }

TWO(add_f32, any_f32, any_f32, p + q)
TWO(sub_f32, any_f32, any_f32, p - q)
TWO(mul_f32, any_f32, any_f32, p *q)
TWO(div_f32, any_f32, any_f32, p / q)
TWO(add_f64, any_f64, any_f64, p + q)
TWO(sub_f64, any_f64, any_f64, p - q)
TWO(mul_f64, any_f64, any_f64, p *q)
TWO(div_f64, any_f64, any_f64, p / q)
TWO(add_i32, any_u32, any_u32, p + q)
TWO(sub_i32, any_u32, any_u32, p - q)
TWO(mul_i32, any_u32, any_u32, p *q)
TWO(lt_f32, any_i32, any_f32, p < q)
TWO(le_f32, any_i32, any_f32, p <= q)
TWO(eq_f32, any_i32, any_f32, p == q)
TWO(lt_f64, any_i32, any_f64, p < q)
TWO(le_f64, any_i32, any_f64, p <= q)
TWO(eq_f64, any_i32, any_f64, p == q)
TWO(lt_i32, any_i32, any_i32, p < q)
TWO(le_i32, any_i32, any_i32, p <= q)
TWO(eq_i32, any_i32, any_i32, p == q)
TWO(and_bool, any_i32, any_i32, p &q)
TWO(or_bool, any_i32, any_i32, p | q)
TWO(and_not_bool, any_i32, any_i32, p & ~q)
TWO(or_not_bool, any_i32, any_i32, p | !q)
ONE(not_bool, any_i32, any_i32, !p)
ONE(neg_f32, any_f32, any_f32, -p)
ONE(neg_f64, any_f64, any_f64, -p)
ONE(abs_f32, any_f32, any_f32, fabsf(p))
ONE(abs_f64, any_f64, any_f64, fabs(p))
ONE(abs_i32, any_u32, any_i32, p < 0 ? 0u - (uint32_t)p : (uint32_t)p)
ONE(sqrt_f32, any_f32, any_f32, sqrtf(p))
ONE(sqrt_f64, any_f64, any_f64, sqrt(p))
ONE(floor_f32, any_f32, any_f32, floorf(p))
ONE(floor_f64, any_f64, any_f64, floor(p))
ONE(ceil_f32, any_f32, any_f32, ceilf(p))
ONE(ceil_f64, any_f64, any_f64, ceil(p))
TWO(modulo_i32, any_i32, any_i32, p % q + (p % q < 0 ? q : 0))
TWO(bit_and, any_u32, any_u32, p &q)
TWO(bit_or, any_u32, any_u32, p | q)
TWO(bit_xor, any_u32, any_u32, p ^ q)
TWO(bit_shl, any_u32, any_u32, p << (q & 31))
TWO(bit_lshr, any_u32, any_u32, p >> (q & 31))
TWO(bit_ashr, any_i32, any_i32, p >> (q & 31))
TWO(bit_rol, any_u32, any_u32, p << (q & 31) | p >> (-q & 31))
TWO(bit_ror, any_u32, any_u32, p >> (q & 31) | p << (-q & 31))
ONE(f32_to_f64, any_f64, any_f32, p)
ONE(i32_to_f64, any_f64, any_i32, p)
ONE(f64_to_f32, any_f32, any_f64, p)
ONE(i32_to_f32, any_f32, any_i32, p)
ONE(f64_to_i32, any_i32, any_f64, p >= -2147483648.0 && p <= 2147483647.0 ? (int32_t)p : INT32_MIN)
ONE(move, any_u64, any_u64, p)
CHOOSE(choose_f32, any_f32)
CHOOSE(choose_f64, any_f64)
CHOOSE(choose_i32, any_i32)

// Converts to the nearest integer modulo 2^32, which is in the low bits after adding 1.5 * 2^52.
WITH_AVX2 static void run_word(frame_t *frame, const instruction_t *instruction) {
  any_u32 *to = REGISTER(any_u32, to);
  const any_f64 *a = REGISTER(any_f64, a);
  FOR_ROWS (frame->rows) {
    double sum = a[i] + 6755399441055744.0;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    to[i] = (uint32_t)bits;
  }
}

// Evaluates the condition of a numeric `for` loop; the sign bit of the step `c` determines the direction.
WITH_AVX2 static void run_for_condition(frame_t *frame, const instruction_t *instruction) {
  const any_f64 *index = REGISTER(any_f64, a), *stop = REGISTER(any_f64, b), *step = REGISTER(any_f64, c);
  any_i32 *to = REGISTER(any_i32, to);
  FOR_ROWS (frame->rows)
    to[i] = signbit(step[i]) ? stop[i] <= index[i] : index[i] <= stop[i];
}

static void run_count(frame_t *frame, const instruction_t *instruction) {
  frame->remaining_iterations -= (int64_t)instruction->value;
  REGISTER(any_i32, to)[0] = frame->remaining_iterations <= 0;
}

// Subtracts the work of all iterations of a loop that the rows of a block execute together (emit_work in
// compile/emit.lua) from the remaining iterations, which an outermost loop (`slot` is 1) first resets. The result is
// true if the limit is exceeded.
static void run_count_all(frame_t *frame, const instruction_t *instruction) {
  static const double MAX_BOUND_IN_STEPS = 0x1p40; // must equal the limit in compile/emit.lua
  double start = REGISTER(any_f64, a)[0], stop = REGISTER(any_f64, b)[0], step = REGISTER(any_f64, c)[0];
  double limit = fabs(step) * MAX_BOUND_IN_STEPS, iterations = (stop - start) / step;
  bool is_bounded = iterations <= (double)MAX_ITERATIONS && fabs(start) <= limit && fabs(stop) <= limit;
  bool is_entered = signbit(step) ? stop <= start : start <= stop;
  if (instruction->slot)
    frame->remaining_iterations = MAX_ITERATIONS;
  frame->remaining_iterations -=
      ((int64_t)(is_entered && is_bounded ? iterations : 0) + 1) * (int64_t)instruction->value;
  bool is_exceeded = is_entered && (!is_bounded || frame->remaining_iterations < 0);
  any_i32 *to = REGISTER(any_i32, to);
  FOR_ROWS (frame->rows)
    to[i] = is_exceeded;
}

// Stores true for all rows of the block if `a` is true in any row of the block, and false otherwise.
WITH_AVX2 static void run_any(frame_t *frame, const instruction_t *instruction) {
  const any_i32 *a = REGISTER(any_i32, a);
  any_i32 *to = REGISTER(any_i32, to), any_row = 0;
  FOR_ROWS (frame->rows)
    any_row |= a[i];
  FOR_ROWS (frame->rows)
    to[i] = any_row;
}

// --- loop-invariant values

#define SAME(name_, T, expression_)                                                                                    \
  WITH_AVX2 static void run_##name_(frame_t *frame, const instruction_t *instruction) {                                \
    T *to = REGISTER(T, to);                                                                                           \
    const T v = (T)(expression_);                                                                                      \
    FOR_ROWS (frame->rows)                                                                                             \
      to[i] = v;                                                                                                       \
  }
SAME(const_f32, any_f32, instruction->value)
SAME(const_f64, any_f64, instruction->value)
SAME(const_i32, any_i32, instruction->value)
SAME(parameter_f32, any_f32, frame->call->parameters[instruction->slot])
SAME(parameter_f64, any_f64, frame->call->parameters[instruction->slot])
SAME(parameter_i32, any_i32, frame->call->parameters[instruction->slot])
SAME(parameter_bool, any_i32, frame->call->parameters[instruction->slot] != 0)

#define SET_PARAMETER(name_, T)                                                                                        \
  static void run_##name_(frame_t *frame, const instruction_t *instruction) {                                          \
    ((double *)(uintptr_t)frame->call->parameters)[instruction->slot] = (double)REGISTER(T, a)[0];                     \
  }
SET_PARAMETER(set_parameter_f32, any_f32)
SET_PARAMETER(set_parameter_f64, any_f64)
SET_PARAMETER(set_parameter_i32, any_i32)

// --- columns

// run_load_… loads the rows of the block. run_gather_… loads, for each row, the row with index `a`. run_broadcast_…
// loads, for all rows, the row with the first row's index `a`.
#define LOAD(kind_, R, T, expression_)                                                                                 \
  WITH_AVX2 static void run_load_##kind_(frame_t *frame, const instruction_t *instruction) {                           \
    R *to = REGISTER(R, to);                                                                                           \
    const T *from = (const T *)frame->call->columns[instruction->slot] + frame->first_row;                             \
    FOR_ROWS (frame->rows) {                                                                                           \
      const T p = from[i];                                                                                             \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  WITH_AVX2 static void run_gather_##kind_(frame_t *frame, const instruction_t *instruction) {                         \
    R *to = REGISTER(R, to);                                                                                           \
    const any_i32 *rows = REGISTER(any_i32, a);                                                                        \
    FOR_ROWS (frame->rows) {                                                                                           \
      const T p = ((const T *)frame->call->columns[instruction->slot])[rows[i]];                                       \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  WITH_AVX2 static void run_broadcast_##kind_(frame_t *frame, const instruction_t *instruction) {                      \
    R *to = REGISTER(R, to);                                                                                           \
    const T p = ((const T *)frame->call->columns[instruction->slot])[REGISTER(any_i32, a)[0]];                         \
    const R v = (R)(expression_);                                                                                      \
    FOR_ROWS (frame->rows)                                                                                             \
      to[i] = v;                                                                                                       \
  }
LOAD(f32, any_f32, any_f32, p)
LOAD(f64, any_f64, any_f64, p)
LOAD(foreign_f32, any_f32, any_f32, isnan(p) ? (float)NAN : p) // a plugin's NaN may have any bits
LOAD(foreign_f64, any_f64, any_f64, isnan(p) ? (double)NAN : p)
LOAD(i32, any_i32, any_i32, p)
LOAD(u32, any_f64, any_u32, p)
LOAD(i16, any_i32, any_i16, p)
LOAD(u16, any_i32, any_u16, p)
LOAD(i8, any_i32, any_i8, p)
LOAD(u8, any_i32, any_u8, p)
LOAD(bool, any_i32, any_u8, p != 0)

// Stores the value `a`. In run_store_own_…, `b` is the row, or -1 to store nothing. In run_store_far_…, `b` is the row
// and `c` the condition.
#define STORE(kind_, T, V)                                                                                             \
  WITH_AVX2 static void run_store_##kind_(frame_t *frame, const instruction_t *instruction) {                          \
    T *to = (T *)frame->call->columns[instruction->slot] + frame->first_row;                                           \
    const V *a = REGISTER(V, a);                                                                                       \
    FOR_ROWS (frame->valid_rows)                                                                                       \
      to[i] = (T)a[i];                                                                                                 \
  }                                                                                                                    \
  static void run_store_own_##kind_(frame_t *frame, const instruction_t *instruction) {                                \
    const V *a = REGISTER(V, a);                                                                                       \
    const any_i32 *rows = REGISTER(any_i32, b);                                                                        \
    for (uint32_t i = 0; i < frame->valid_rows; ++i)                                                                   \
      if (rows[i] >= 0)                                                                                                \
        ((T *)frame->call->columns[instruction->slot])[rows[i]] = (T)a[i];                                             \
  }                                                                                                                    \
  static void run_store_far_##kind_(frame_t *frame, const instruction_t *instruction) {                                \
    const V *a = REGISTER(V, a);                                                                                       \
    const any_i32 *rows = REGISTER(any_i32, b), *stored = REGISTER(any_i32, c);                                        \
    for (uint32_t i = 0; i < frame->valid_rows; ++i)                                                                   \
      if (stored[i])                                                                                                   \
        ((T *)frame->call->columns[instruction->slot])[rows[i]] = (T)a[i];                                             \
  }
STORE(f32, any_f32, any_f32)
STORE(f64, any_f64, any_f64)
STORE(i32, any_u32, any_u32)
STORE(i16, any_u16, any_u32)
STORE(i8, any_u8, any_u32)

// run_mark and run_mark_own mark the rows for which `a` is true. In mark_own, `b` is the row to mark; -1 marks no row.
static void run_mark(frame_t *frame, const instruction_t *instruction) {
  uint8_t *marks = frame->call->marks[instruction->slot];
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; marks && i < frame->valid_rows; ++i)
    marks[frame->first_row + i] |= (uint8_t)a[i];
}

static void run_mark_own(frame_t *frame, const instruction_t *instruction) {
  uint8_t *marks = frame->call->marks[instruction->slot];
  const any_i32 *a = REGISTER(any_i32, a), *rows = REGISTER(any_i32, b);
  for (uint32_t i = 0; marks && i < frame->valid_rows; ++i)
    if (rows[i] >= 0)
      marks[rows[i]] |= (uint8_t)a[i];
}

static void run_note_links(frame_t *frame, const instruction_t *instruction) {
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; i < frame->valid_rows; ++i)
    if (a[i])
      *frame->call->links = 1;
}

// --- rows and other entities

WITH_AVX2 static void run_row(frame_t *frame, const instruction_t *instruction) {
  any_i32 *to = REGISTER(any_i32, to);
  FOR_ROWS (frame->rows)
    to[i] = (int32_t)(frame->call->base + frame->first_row + i + 1);
}

static void run_mapped(frame_t *frame, const instruction_t *instruction) {
  any_i32 *to = REGISTER(any_i32, to);
  const any_i32 *a = REGISTER(any_i32, a);
  const uint32_t *map = frame->call->columns[instruction->slot];
  FOR_ROWS (frame->rows)
    to[i] = map ? (int32_t)map[a[i]] : a[i];
}

static void run_find(frame_t *frame, const instruction_t *instruction) {
  frame->call->find(frame->call, instruction->slot, REGISTER(any_u32, a), REGISTER(any_i32, to), frame->rows);
}

static void run_solid(frame_t *frame, const instruction_t *instruction) {
  memcpy(REGISTER(any_u32, to), REGISTER(any_u32, a), frame->rows * sizeof(uint32_t));
  frame->call->find_solid(frame->call, REGISTER(any_u32, to), REGISTER(any_f64, b), REGISTER(any_f64, c), frame->rows);
}

static void run_exact(frame_t *frame, const instruction_t *instruction) {
  memcpy(REGISTER(any_f64, to), REGISTER(any_f64, a), frame->rows * sizeof(double));
  frame->call->functions[instruction->slot](REGISTER(any_f64, to), REGISTER(any_f64, b), frame->rows);
}

// --- the end of a row

static void run_stop(frame_t *frame, const instruction_t *instruction) {
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; i < frame->valid_rows; ++i)
    if (a[i])
      frame->valid_rows = i;
}

static void run_report(frame_t *frame, const instruction_t *instruction) {
  const any_i32 *a = REGISTER(any_i32, a);
  uint8_t flags[INTERPRETER_BLOCK], any_flag = 0;
  for (uint32_t i = 0; i < frame->valid_rows; ++i)
    any_flag |= flags[i] = a[i] != 0;
  if (any_flag)
    frame->call->record_report(frame->call, instruction->slot, frame->first_row, REGISTER(any_f64, b), flags,
                               frame->valid_rows);
}

static void run_jump(frame_t *frame, const instruction_t *instruction) {
  (void)frame;
  (void)instruction;
}

// --- table of operations

enum { REGISTER_TO = 1, REGISTER_A = 2, REGISTER_B = 4, REGISTER_C = 8 };
typedef enum slot_t { NO_SLOT, COLUMN, PARAMETER, LOOKUP, FUNCTION, REPORT, JUMP, JUMP_UNLESS } slot_t;

typedef struct operation_t {
  const char *name;
  operation_fn_t run;
  uint8_t registers; // bit set of the operands that are registers
  slot_t slot;
} operation_t;

#define OPERATION(name_, registers_, slot_)                                                                            \
  { #name_, run_##name_, registers_, slot_ }
#define BINARY(name_) OPERATION(name_, REGISTER_TO | REGISTER_A | REGISTER_B, NO_SLOT)
#define UNARY(name_) OPERATION(name_, REGISTER_TO | REGISTER_A, NO_SLOT)
#define READ(kind_)                                                                                                    \
  OPERATION(load_##kind_, REGISTER_TO, COLUMN), OPERATION(gather_##kind_, REGISTER_TO | REGISTER_A, COLUMN),           \
      OPERATION(broadcast_##kind_, REGISTER_TO | REGISTER_A, COLUMN)
#define WRITE(kind_)                                                                                                   \
  OPERATION(store_##kind_, REGISTER_A, COLUMN), OPERATION(store_own_##kind_, REGISTER_A | REGISTER_B, COLUMN),         \
      OPERATION(store_far_##kind_, REGISTER_A | REGISTER_B | REGISTER_C, COLUMN)

static const operation_t OPERATIONS[] = {
    BINARY(add_f32),
    BINARY(sub_f32),
    BINARY(mul_f32),
    BINARY(div_f32),
    BINARY(add_f64),
    BINARY(sub_f64),
    BINARY(mul_f64),
    BINARY(div_f64),
    BINARY(add_i32),
    BINARY(sub_i32),
    BINARY(mul_i32),
    BINARY(lt_f32),
    BINARY(le_f32),
    BINARY(eq_f32),
    BINARY(lt_f64),
    BINARY(le_f64),
    BINARY(eq_f64),
    BINARY(lt_i32),
    BINARY(le_i32),
    BINARY(eq_i32),
    BINARY(and_bool),
    BINARY(or_bool),
    BINARY(and_not_bool),
    BINARY(or_not_bool),
    UNARY(not_bool),
    UNARY(neg_f32),
    UNARY(neg_f64),
    UNARY(abs_f32),
    UNARY(abs_f64),
    UNARY(abs_i32),
    UNARY(sqrt_f32),
    UNARY(sqrt_f64),
    UNARY(floor_f32),
    UNARY(floor_f64),
    UNARY(ceil_f32),
    UNARY(ceil_f64),
    BINARY(modulo_i32),
    BINARY(bit_and),
    BINARY(bit_or),
    BINARY(bit_xor),
    BINARY(bit_shl),
    BINARY(bit_lshr),
    BINARY(bit_ashr),
    BINARY(bit_rol),
    BINARY(bit_ror),
    UNARY(f32_to_f64),
    UNARY(i32_to_f64),
    UNARY(f64_to_f32),
    UNARY(i32_to_f32),
    UNARY(f64_to_i32),
    UNARY(move),
    UNARY(word),
    OPERATION(choose_f32, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    OPERATION(choose_f64, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    OPERATION(choose_i32, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    OPERATION(for_condition, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    OPERATION(count, REGISTER_TO, NO_SLOT),
    OPERATION(count_all, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    UNARY(any),
    OPERATION(const_f32, REGISTER_TO, NO_SLOT),
    OPERATION(const_f64, REGISTER_TO, NO_SLOT),
    OPERATION(const_i32, REGISTER_TO, NO_SLOT),
    OPERATION(parameter_f32, REGISTER_TO, PARAMETER),
    OPERATION(parameter_f64, REGISTER_TO, PARAMETER),
    OPERATION(parameter_i32, REGISTER_TO, PARAMETER),
    OPERATION(parameter_bool, REGISTER_TO, PARAMETER),
    OPERATION(set_parameter_f32, REGISTER_A, PARAMETER),
    OPERATION(set_parameter_f64, REGISTER_A, PARAMETER),
    OPERATION(set_parameter_i32, REGISTER_A, PARAMETER),
    READ(f32),
    READ(f64),
    READ(foreign_f32),
    READ(foreign_f64),
    READ(i32),
    READ(u32),
    READ(i16),
    READ(u16),
    READ(i8),
    READ(u8),
    READ(bool),
    WRITE(f32),
    WRITE(f64),
    WRITE(i32),
    WRITE(i16),
    WRITE(i8),
    OPERATION(mark, REGISTER_A, COLUMN),
    OPERATION(mark_own, REGISTER_A | REGISTER_B, COLUMN),
    OPERATION(note_links, REGISTER_A, NO_SLOT),
    OPERATION(row, REGISTER_TO, NO_SLOT),
    OPERATION(mapped, REGISTER_TO | REGISTER_A, COLUMN),
    OPERATION(find, REGISTER_TO | REGISTER_A, LOOKUP),
    OPERATION(solid, REGISTER_TO | REGISTER_A | REGISTER_B | REGISTER_C, NO_SLOT),
    OPERATION(exact, REGISTER_TO | REGISTER_A | REGISTER_B, FUNCTION),
    OPERATION(stop, REGISTER_A, NO_SLOT),
    OPERATION(report, REGISTER_A | REGISTER_B, REPORT),
    {"jump", run_jump, 0, JUMP},
    {"jump_unless", run_jump, REGISTER_A, JUMP_UNLESS},
};
enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

int32_t interpreter_find_operation(const char *name) {
  for (int32_t i = 0; i < OPERATION_COUNT; ++i)
    if (strcmp(OPERATIONS[i].name, name) == 0)
      return i;
  return -1;
}

struct interpreter_o {
  interpreter_desc_t desc;
  operation_fn_t *functions; // function of each instruction; NULL for jumps
  instruction_t instructions[];
};

static bool has_register(const interpreter_desc_t *desc, bool is_used, int32_t index) {
  return !is_used || (index >= 0 && (uint32_t)index < desc->registers);
}

static bool has_slot(const interpreter_desc_t *desc, slot_t kind, const instruction_t *instruction) {
  switch (kind) {
  case COLUMN: return instruction->slot < desc->columns;
  case PARAMETER: return instruction->slot < desc->parameters;
  case LOOKUP: return instruction->slot < desc->lookups;
  case FUNCTION: return instruction->slot < EXACT_ARRAY_COUNT;
  case REPORT: return instruction->slot < desc->reports;
  case JUMP:
  case JUMP_UNLESS: return instruction->to >= 0 && (uint32_t)instruction->to <= desc->count;
  default: return true;
  }
}

static bool is_well_formed(const interpreter_desc_t *desc, const instruction_t *instruction) {
  if (instruction->operation >= OPERATION_COUNT)
    return false;
  const operation_t *operation = &OPERATIONS[instruction->operation];
  bool fits = has_register(desc, operation->registers & REGISTER_TO, instruction->to) &&
              has_register(desc, operation->registers & REGISTER_A, instruction->a) &&
              has_register(desc, operation->registers & REGISTER_B, instruction->b) &&
              has_register(desc, operation->registers & REGISTER_C, instruction->c);
  return fits && has_slot(desc, operation->slot, instruction);
}

static void find_functions(interpreter_o *interpreter) {
  interpreter->functions = calloc(interpreter->desc.count + 1, sizeof *interpreter->functions);
  shoal_assert(interpreter->functions, "out of memory for %u instructions", interpreter->desc.count);
  for (uint32_t i = 0; i < interpreter->desc.count; ++i) {
    const operation_t *operation = &OPERATIONS[interpreter->instructions[i].operation];
    if (operation->slot != JUMP && operation->slot != JUMP_UNLESS)
      interpreter->functions[i] = operation->run;
  }
}

typedef struct renaming_t {
  int32_t new_index; // new index; -1 if not computed yet
  uint32_t last_use; // index of the last instruction that uses the register
  bool is_kept;      // true if the prologue uses or computes the register
} renaming_t;

// Stores the register fields of an instruction in `out`. Returns their number.
static uint32_t list_registers(instruction_t *instruction, int32_t *out[4]) {
  int32_t *fields[] = {&instruction->to, &instruction->a, &instruction->b, &instruction->c};
  uint32_t count = 0;
  for (uint32_t k = 0; k < 4; ++k)
    if (OPERATIONS[instruction->operation].registers & 1u << k)
      out[count++] = fields[k];
  return count;
}

// Finds the last use of each register. Returns true on success, or false if the body has jumps.
static bool find_last_uses(interpreter_o *interpreter, renaming_t *renamings) {
  for (uint32_t i = 0; i < interpreter->desc.registers; ++i)
    renamings[i].new_index = -1;
  for (uint32_t i = 0; i < interpreter->desc.count; ++i) {
    int32_t *fields[4];
    uint32_t field_count = list_registers(&interpreter->instructions[i], fields);
    for (uint32_t k = 0; k < field_count; ++k) {
      renamings[*fields[k]].last_use = i;
      renamings[*fields[k]].is_kept |= i < interpreter->desc.prologue;
    }
    if (!interpreter->functions[i])
      return false;
  }
  return true;
}

// A body without jumps computes each register once. Such registers share memory if their values are not needed at the
// same time, so that the registers in use fit in the cache. The result of an instruction does not get the register of
// an operand, because some operations require that they do not overlap.
static void reuse_registers(interpreter_o *interpreter) {
  uint32_t registers = interpreter->desc.registers, count = 0, free_count = 0;
  renaming_t *renamings = calloc(registers + 1, sizeof *renamings);
  int32_t *free_registers = calloc(registers + 1, sizeof *free_registers);
  shoal_assert(renamings && free_registers, "out of memory for %u registers", registers);
  bool can_reuse = find_last_uses(interpreter, renamings);
  for (uint32_t i = 0; can_reuse && i < interpreter->desc.count; ++i) {
    int32_t *fields[4];
    renaming_t *used[4];
    uint32_t field_count = list_registers(&interpreter->instructions[i], fields);
    for (uint32_t k = 0; k < field_count; ++k) {
      used[k] = &renamings[*fields[k]];
      if (used[k]->new_index < 0)
        used[k]->new_index = free_count > 0 ? free_registers[--free_count] : (int32_t)count++;
      *fields[k] = used[k]->new_index;
    }
    for (uint32_t k = 0; k < field_count; ++k)
      if (!used[k]->is_kept && used[k]->last_use == i) {
        used[k]->last_use = UINT32_MAX; // an instruction may use the same register for several operands
        free_registers[free_count++] = used[k]->new_index;
      }
  }
  interpreter->desc.registers = can_reuse ? count : registers;
  free(renamings);
  free(free_registers);
}

interpreter_o *interpreter_create(const interpreter_desc_t *desc, error_info_t *error) {
  bool valid =
      desc->count <= INTERPRETER_MAX_INSTRUCTIONS && desc->registers <= MAX_REGISTERS && desc->prologue <= desc->count;
  for (uint32_t i = 0; valid && i < desc->count; ++i)
    valid = is_well_formed(desc, &desc->instructions[i]);
  if (!valid) {
    if (desc->count > INTERPRETER_MAX_INSTRUCTIONS)
      error_set(error, "too many instructions: %u (at most %u)", desc->count, INTERPRETER_MAX_INSTRUCTIONS);
    else
      error_set(error, "malformed code (%u instructions)", desc->count);
    return NULL;
  }
  interpreter_o *interpreter = malloc(sizeof *interpreter + desc->count * sizeof *interpreter->instructions);
  shoal_assert(interpreter, "out of memory for %u instructions", desc->count);
  interpreter->desc = *desc;
  interpreter->desc.instructions = interpreter->instructions;
  memcpy(interpreter->instructions, desc->instructions, desc->count * sizeof *interpreter->instructions);
  find_functions(interpreter);
  reuse_registers(interpreter);
  return interpreter;
}

void interpreter_destroy(interpreter_o *interpreter) {
  if (interpreter)
    free(interpreter->functions);
  free(interpreter);
}

static void run_instructions(const interpreter_o *interpreter, frame_t *frame, uint32_t begin, uint32_t end) {
  for (uint32_t next_index = begin; next_index < end;) {
    operation_fn_t run = interpreter->functions[next_index];
    const instruction_t *instruction = &interpreter->instructions[next_index++];
    if (run)
      run(frame, instruction);
    else if (OPERATIONS[instruction->operation].slot == JUMP || !REGISTER(any_i32, a)[0])
      next_index = (uint32_t)instruction->to;
  }
}

int64_t interpreter_run(const interpreter_o *interpreter, const native_call_t *call, int64_t begin, int64_t end) {
  frame_t frame = {.call = call, .remaining_iterations = MAX_ITERATIONS};
  uint32_t block = interpreter->desc.row_by_row ? 1 : INTERPRETER_BLOCK;
  frame.rows = frame.valid_rows = end - begin < block ? (uint32_t)(end - begin) : block;
  frame.registers = aligned_memory_alloc(64, (size_t)(interpreter->desc.registers + 1) * REGISTER_BYTES);
  shoal_assert(frame.registers, "out of memory for %u registers", interpreter->desc.registers);
  run_instructions(interpreter, &frame, 0, interpreter->desc.prologue);
  int64_t row = begin;
  while (row < end) {
    frame.first_row = row;
    frame.rows = frame.valid_rows = end - row < block ? (uint32_t)(end - row) : block;
    run_instructions(interpreter, &frame, interpreter->desc.prologue, interpreter->desc.count);
    row += frame.valid_rows;
    if (frame.valid_rows < frame.rows)
      break;
  }
  aligned_memory_free(frame.registers);
  return row;
}
