// Executes each instruction over a block of rows; a table contains one function per operation.
#include "native/interpreter.h"

#include "base/assert.h"
#include "native/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTER_BYTES = INTERPRETER_BLOCK * 8 };
enum { MAX_REGISTERS = 16384 };
// Maximum number of inner-loop iterations per run; must equal the limit in compile/emit.lua.
static const int64_t MAX_WORK = INT64_C(1) << 28;

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
  int64_t first;       // first row of the block
  uint32_t rows, done; // `done`: number of rows that precede the first side exit
  int64_t work;
} frame_t;

typedef interpreter_instruction_t instruction_t;
typedef void (*run_t)(frame_t *f, const instruction_t *x);

#define REGISTER(type_, number_) ((type_ *)(void *)(f->registers + (size_t)(x->number_) * REGISTER_BYTES))

// Defines operations that loop over the rows of a block; `p` and `q` are the operands of a row.
#define ONE(name_, R, T, expression_)                                                                                  \
  static void run_##name_(frame_t *f, const instruction_t *x) {                                                        \
    R *to = REGISTER(R, to);                                                                                           \
    const T *a = REGISTER(T, a);                                                                                       \
    for (uint32_t i = 0; i < f->rows; ++i) {                                                                           \
      const T p = a[i];                                                                                                \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }
#define TWO(name_, R, T, expression_)                                                                                  \
  static void run_##name_(frame_t *f, const instruction_t *x) {                                                        \
    R *to = REGISTER(R, to);                                                                                           \
    const T *a = REGISTER(T, a), *b = REGISTER(T, b);                                                                  \
    for (uint32_t i = 0; i < f->rows; ++i) {                                                                           \
      const T p = a[i], q = b[i];                                                                                      \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }
#define CHOOSE(name_, T)                                                                                               \
  static void run_##name_(frame_t *f, const instruction_t *x) {                                                        \
    T *to = REGISTER(T, to);                                                                                           \
    const T *a = REGISTER(T, a), *b = REGISTER(T, b);                                                                  \
    const any_i32 *c = REGISTER(any_i32, c);                                                                           \
    for (uint32_t i = 0; i < f->rows; ++i)                                                                             \
      to[i] = c[i] ? a[i] : b[i];                                                                                      \
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
static void run_word(frame_t *f, const instruction_t *x) {
  any_u32 *to = REGISTER(any_u32, to);
  const any_f64 *a = REGISTER(any_f64, a);
  for (uint32_t i = 0; i < f->rows; ++i) {
    double sum = a[i] + 6755399441055744.0;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    to[i] = (uint32_t)bits;
  }
}

// Evaluates the condition of a numeric `for` loop; the sign bit of the step `c` determines the direction.
static void run_for_condition(frame_t *f, const instruction_t *x) {
  const any_f64 *at = REGISTER(any_f64, a), *stop = REGISTER(any_f64, b), *step = REGISTER(any_f64, c);
  any_i32 *to = REGISTER(any_i32, to);
  for (uint32_t i = 0; i < f->rows; ++i)
    to[i] = signbit(step[i]) ? stop[i] <= at[i] : at[i] <= stop[i];
}

static void run_count(frame_t *f, const instruction_t *x) {
  f->work -= (int64_t)x->value;
  REGISTER(any_i32, to)[0] = f->work <= 0;
}

// --- loop-invariant values

#define SAME(name_, T, expression_)                                                                                    \
  static void run_##name_(frame_t *f, const instruction_t *x) {                                                        \
    T *to = REGISTER(T, to);                                                                                           \
    const T v = (T)(expression_);                                                                                      \
    for (uint32_t i = 0; i < f->rows; ++i)                                                                             \
      to[i] = v;                                                                                                       \
  }
SAME(const_f32, any_f32, x->value)
SAME(const_f64, any_f64, x->value)
SAME(const_i32, any_i32, x->value)
SAME(parameter_f32, any_f32, f->call->parameters[x->slot])
SAME(parameter_f64, any_f64, f->call->parameters[x->slot])
SAME(parameter_i32, any_i32, f->call->parameters[x->slot])
SAME(parameter_bool, any_i32, f->call->parameters[x->slot] != 0)

#define SET_PARAMETER(name_, T)                                                                                        \
  static void run_##name_(frame_t *f, const instruction_t *x) {                                                        \
    ((double *)(uintptr_t)f->call->parameters)[x->slot] = (double)REGISTER(T, a)[0];                                   \
  }
SET_PARAMETER(set_parameter_f32, any_f32)
SET_PARAMETER(set_parameter_f64, any_f64)
SET_PARAMETER(set_parameter_i32, any_i32)

// --- columns

#define LOAD(kind_, R, T, expression_)                                                                                 \
  static void run_load_##kind_(frame_t *f, const instruction_t *x) {                                                   \
    R *to = REGISTER(R, to);                                                                                           \
    const T *from = (const T *)f->call->columns[x->slot] + f->first;                                                   \
    for (uint32_t i = 0; i < f->rows; ++i) {                                                                           \
      const T p = from[i];                                                                                             \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  static void run_gather_##kind_(frame_t *f, const instruction_t *x) {                                                 \
    R *to = REGISTER(R, to);                                                                                           \
    const any_i32 *rows = REGISTER(any_i32, a);                                                                        \
    for (uint32_t i = 0; i < f->rows; ++i) {                                                                           \
      const T p = ((const T *)f->call->columns[x->slot])[rows[i]];                                                     \
      to[i] = (R)(expression_);                                                                                        \
    }                                                                                                                  \
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

// Stores the value `a`. In store_own, `b` is the row, or -1 to store nothing. In store_far, `b` is the row and `c` the
// condition.
#define STORE(kind_, T, V)                                                                                             \
  static void run_store_##kind_(frame_t *f, const instruction_t *x) {                                                  \
    T *to = (T *)f->call->columns[x->slot] + f->first;                                                                 \
    const V *a = REGISTER(V, a);                                                                                       \
    for (uint32_t i = 0; i < f->done; ++i)                                                                             \
      to[i] = (T)a[i];                                                                                                 \
  }                                                                                                                    \
  static void run_store_own_##kind_(frame_t *f, const instruction_t *x) {                                              \
    const V *a = REGISTER(V, a);                                                                                       \
    const any_i32 *rows = REGISTER(any_i32, b);                                                                        \
    for (uint32_t i = 0; i < f->done; ++i)                                                                             \
      if (rows[i] >= 0)                                                                                                \
        ((T *)f->call->columns[x->slot])[rows[i]] = (T)a[i];                                                           \
  }                                                                                                                    \
  static void run_store_far_##kind_(frame_t *f, const instruction_t *x) {                                              \
    const V *a = REGISTER(V, a);                                                                                       \
    const any_i32 *rows = REGISTER(any_i32, b), *stored = REGISTER(any_i32, c);                                        \
    for (uint32_t i = 0; i < f->done; ++i)                                                                             \
      if (stored[i])                                                                                                   \
        ((T *)f->call->columns[x->slot])[rows[i]] = (T)a[i];                                                           \
  }
STORE(f32, any_f32, any_f32)
STORE(f64, any_f64, any_f64)
STORE(i32, any_u32, any_u32)
STORE(i16, any_u16, any_u32)
STORE(i8, any_u8, any_u32)

// run_mark and run_mark_own mark the rows for which `a` is true. In mark_own, `b` is the row to mark; -1 marks no row.
static void run_mark(frame_t *f, const instruction_t *x) {
  uint8_t *marks = f->call->marks[x->slot];
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; marks && i < f->done; ++i)
    marks[f->first + i] |= (uint8_t)a[i];
}

static void run_mark_own(frame_t *f, const instruction_t *x) {
  uint8_t *marks = f->call->marks[x->slot];
  const any_i32 *a = REGISTER(any_i32, a), *rows = REGISTER(any_i32, b);
  for (uint32_t i = 0; marks && i < f->done; ++i)
    if (rows[i] >= 0)
      marks[rows[i]] |= (uint8_t)a[i];
}

static void run_note_links(frame_t *f, const instruction_t *x) {
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; i < f->done; ++i)
    if (a[i])
      *f->call->links = 1;
}

// --- rows and other entities

static void run_row(frame_t *f, const instruction_t *x) {
  any_i32 *to = REGISTER(any_i32, to);
  for (uint32_t i = 0; i < f->rows; ++i)
    to[i] = (int32_t)(f->call->base + f->first + i + 1);
}

static void run_mapped(frame_t *f, const instruction_t *x) {
  any_i32 *to = REGISTER(any_i32, to);
  const any_i32 *a = REGISTER(any_i32, a);
  const uint32_t *map = f->call->columns[x->slot];
  for (uint32_t i = 0; i < f->rows; ++i)
    to[i] = map ? (int32_t)map[a[i]] : a[i];
}

static void run_find(frame_t *f, const instruction_t *x) {
  f->call->find(f->call, x->slot, REGISTER(any_u32, a), REGISTER(any_i32, to), f->rows);
}

static void run_solid(frame_t *f, const instruction_t *x) {
  memcpy(REGISTER(any_u32, to), REGISTER(any_u32, a), f->rows * sizeof(uint32_t));
  f->call->solid(f->call, REGISTER(any_u32, to), REGISTER(any_f64, b), REGISTER(any_f64, c), f->rows);
}

static void run_exact(frame_t *f, const instruction_t *x) {
  memcpy(REGISTER(any_f64, to), REGISTER(any_f64, a), f->rows * sizeof(double));
  f->call->functions[x->slot](REGISTER(any_f64, to), REGISTER(any_f64, b), f->rows);
}

// --- the end of a row

static void run_stop(frame_t *f, const instruction_t *x) {
  const any_i32 *a = REGISTER(any_i32, a);
  for (uint32_t i = 0; i < f->done; ++i)
    if (a[i])
      f->done = i;
}

static void run_report(frame_t *f, const instruction_t *x) {
  const any_i32 *a = REGISTER(any_i32, a);
  uint8_t bad[INTERPRETER_BLOCK], any = 0;
  for (uint32_t i = 0; i < f->done; ++i)
    any |= bad[i] = a[i] != 0;
  if (any)
    f->call->note_report(f->call, x->slot, f->first, REGISTER(any_f64, b), bad, f->done);
}

static void run_jump(frame_t *f, const instruction_t *x) {
  (void)f;
  (void)x;
}

// --- table of operations

enum { TO = 1, A = 2, B = 4, C = 8 };
typedef enum slot_t { NO_SLOT, COLUMN, PARAMETER, LOOKUP, FUNCTION, REPORT, JUMP, JUMP_UNLESS } slot_t;

typedef struct operation_t {
  const char *name;
  run_t run;
  uint8_t registers; // bit set of the operands that are registers
  slot_t slot;
} operation_t;

#define OPERATION(name_, registers_, slot_)                                                                            \
  { #name_, run_##name_, registers_, slot_ }
#define BINARY(name_) OPERATION(name_, TO | A | B, NO_SLOT)
#define UNARY(name_) OPERATION(name_, TO | A, NO_SLOT)
#define READ(kind_) OPERATION(load_##kind_, TO, COLUMN), OPERATION(gather_##kind_, TO | A, COLUMN)
#define WRITE(kind_)                                                                                                   \
  OPERATION(store_##kind_, A, COLUMN), OPERATION(store_own_##kind_, A | B, COLUMN),                                    \
      OPERATION(store_far_##kind_, A | B | C, COLUMN)

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
    OPERATION(choose_f32, TO | A | B | C, NO_SLOT),
    OPERATION(choose_f64, TO | A | B | C, NO_SLOT),
    OPERATION(choose_i32, TO | A | B | C, NO_SLOT),
    OPERATION(for_condition, TO | A | B | C, NO_SLOT),
    OPERATION(count, TO, NO_SLOT),
    OPERATION(const_f32, TO, NO_SLOT),
    OPERATION(const_f64, TO, NO_SLOT),
    OPERATION(const_i32, TO, NO_SLOT),
    OPERATION(parameter_f32, TO, PARAMETER),
    OPERATION(parameter_f64, TO, PARAMETER),
    OPERATION(parameter_i32, TO, PARAMETER),
    OPERATION(parameter_bool, TO, PARAMETER),
    OPERATION(set_parameter_f32, A, PARAMETER),
    OPERATION(set_parameter_f64, A, PARAMETER),
    OPERATION(set_parameter_i32, A, PARAMETER),
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
    OPERATION(mark, A, COLUMN),
    OPERATION(mark_own, A | B, COLUMN),
    OPERATION(note_links, A, NO_SLOT),
    OPERATION(row, TO, NO_SLOT),
    OPERATION(mapped, TO | A, COLUMN),
    OPERATION(find, TO | A, LOOKUP),
    OPERATION(solid, TO | A | B | C, NO_SLOT),
    OPERATION(exact, TO | A | B, FUNCTION),
    OPERATION(stop, A, NO_SLOT),
    OPERATION(report, A | B, REPORT),
    {"jump", run_jump, 0, JUMP},
    {"jump_unless", run_jump, A, JUMP_UNLESS},
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
  instruction_t instructions[];
};

static bool has_register(const interpreter_desc_t *d, bool used, int32_t number) {
  return !used || (number >= 0 && (uint32_t)number < d->registers);
}

static bool has_slot(const interpreter_desc_t *d, slot_t kind, const instruction_t *x) {
  switch (kind) {
  case COLUMN: return x->slot < d->columns;
  case PARAMETER: return x->slot < d->parameters;
  case LOOKUP: return x->slot < d->lookups;
  case FUNCTION: return x->slot < NATIVE_EXACT_COUNT;
  case REPORT: return x->slot < d->reports;
  case JUMP:
  case JUMP_UNLESS: return d->row_by_row && x->to >= 0 && (uint32_t)x->to <= d->count;
  default: return true;
  }
}

static bool is_well_formed(const interpreter_desc_t *d, const instruction_t *x) {
  if (x->operation >= OPERATION_COUNT)
    return false;
  const operation_t *o = &OPERATIONS[x->operation];
  bool fits = has_register(d, o->registers & TO, x->to) && has_register(d, o->registers & A, x->a) &&
              has_register(d, o->registers & B, x->b) && has_register(d, o->registers & C, x->c);
  return fits && has_slot(d, o->slot, x);
}

interpreter_o *interpreter_create(const interpreter_desc_t *d, error_info_t *error) {
  bool fits = d->count <= INTERPRETER_MAX_INSTRUCTIONS && d->registers <= MAX_REGISTERS && d->prologue <= d->count;
  for (uint32_t i = 0; fits && i < d->count; ++i)
    fits = is_well_formed(d, &d->instructions[i]);
  if (!fits) {
    if (d->count > INTERPRETER_MAX_INSTRUCTIONS)
      error_set(error, "too many instructions: %u (at most %u)", d->count, INTERPRETER_MAX_INSTRUCTIONS);
    else
      error_set(error, "the code of %u instructions is malformed", d->count);
    return NULL;
  }
  interpreter_o *x = malloc(sizeof *x + d->count * sizeof *x->instructions);
  shoal_assert(x, "out of memory for %u instructions", d->count);
  x->desc = *d;
  x->desc.instructions = x->instructions;
  memcpy(x->instructions, d->instructions, d->count * sizeof *x->instructions);
  return x;
}

void interpreter_destroy(interpreter_o *x) {
  free(x);
}

static void run_instructions(const interpreter_o *x, frame_t *f, uint32_t from, uint32_t to) {
  for (uint32_t at = from; at < to;) {
    const instruction_t *next = &x->instructions[at++];
    const operation_t *o = &OPERATIONS[next->operation];
    if (o->slot == JUMP ||
        (o->slot == JUMP_UNLESS && !*(any_i32 *)(void *)(f->registers + (size_t)next->a * REGISTER_BYTES)))
      at = (uint32_t)next->to;
    else
      o->run(f, next);
  }
}

int64_t interpreter_run(const interpreter_o *x, const native_call_t *call, int64_t begin, int64_t end) {
  frame_t f = {.call = call, .rows = INTERPRETER_BLOCK, .done = INTERPRETER_BLOCK, .work = MAX_WORK};
  uint32_t block = x->desc.row_by_row ? 1 : INTERPRETER_BLOCK;
  f.registers = aligned_alloc(64, (size_t)(x->desc.registers + 1) * REGISTER_BYTES);
  shoal_assert(f.registers, "out of memory for %u registers", x->desc.registers);
  run_instructions(x, &f, 0, x->desc.prologue);
  int64_t at = begin;
  while (at < end) {
    f.first = at;
    f.rows = f.done = end - at < block ? (uint32_t)(end - at) : block;
    run_instructions(x, &f, x->desc.prologue, x->desc.count);
    at += f.done;
    if (f.done < f.rows)
      break;
  }
  free(f.registers);
  return at;
}
