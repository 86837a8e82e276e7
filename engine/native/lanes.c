// A kernel's values: checked, written as text for LLVM, and gone through in C.
#include "native/lanes.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, AT_ONCE = 16 }; // rows of a block in C, a multiple of those of the inner loops

// Memory that has numbers of one type and then of another.
typedef uint8_t __attribute__((may_alias)) u8_t;
typedef int8_t __attribute__((may_alias)) i8_t;
typedef uint16_t __attribute__((may_alias)) u16_t;
typedef int16_t __attribute__((may_alias)) i16_t;
typedef uint32_t __attribute__((may_alias)) u32_t;
typedef int32_t __attribute__((may_alias)) i32_t;
typedef uint64_t __attribute__((may_alias)) u64_t;
typedef int64_t __attribute__((may_alias)) i64_t;
typedef float __attribute__((may_alias)) f32_t;
typedef double __attribute__((may_alias)) f64_t;

// --- the operations

typedef enum shape_t {
  SHAPE_BINARY,
  SHAPE_AND_NOT,
  SHAPE_COMPARE,
  SHAPE_EXTREME,
  SHAPE_CONVERT,
  SHAPE_SQRT,
  SHAPE_COPY
} shape_t;

typedef void (*run_t)(void *restrict to, const void *a, const void *b, uint32_t count);

typedef struct op_t {
  const char *name;
  uint8_t bytes, a_bytes, b_bytes; // of the result and the operands; b_bytes 0: there is one
  bool floats_out, floats_in;      // IEEE numbers; else whole ones
  shape_t shape;
  const char *word; // LLVM's
  run_t run;
} op_t;

// `x` and `y` are the operands; blocks are full to a multiple of AT_ONCE, so that compilers see how long a loop is.
#define TWO(name_, R, T, expression_)                                                                                  \
  static void run_##name_(void *restrict to, const void *a, const void *b, uint32_t count) {                           \
    for (uint32_t i = 0; i < count; i += AT_ONCE)                                                                      \
      for (uint32_t k = i; k < i + AT_ONCE; ++k) {                                                                     \
        const T x = ((const T *)a)[k], y = ((const T *)b)[k];                                                          \
        ((R *)to)[k] = (R)(expression_);                                                                               \
      }                                                                                                                \
  }
#define ONE(name_, R, T, expression_)                                                                                  \
  static void run_##name_(void *restrict to, const void *a, const void *b, uint32_t count) {                           \
    (void)b;                                                                                                           \
    for (uint32_t i = 0; i < count; i += AT_ONCE)                                                                      \
      for (uint32_t k = i; k < i + AT_ONCE; ++k) {                                                                     \
        const T x = ((const T *)a)[k];                                                                                 \
        ((R *)to)[k] = (R)(expression_);                                                                               \
      }                                                                                                                \
  }

TWO(addf, f32_t, f32_t, x + y)
TWO(subf, f32_t, f32_t, x - y)
TWO(mulf, f32_t, f32_t, x *y)
TWO(divf, f32_t, f32_t, x / y)
TWO(addd, f64_t, f64_t, x + y)
TWO(subd, f64_t, f64_t, x - y)
TWO(muld, f64_t, f64_t, x *y)
TWO(divd, f64_t, f64_t, x / y)
TWO(mind, f64_t, f64_t, x < y ? x : y)
TWO(maxd, f64_t, f64_t, x > y ? x : y)
ONE(sqrtf, f32_t, f32_t, __builtin_sqrtf(x))
ONE(sqrtd, f64_t, f64_t, __builtin_sqrt(x))
TWO(addl, u32_t, u32_t, x + y)
TWO(subl, u32_t, u32_t, x - y)
TWO(mulll, u32_t, u32_t, x *y)
TWO(minsl, i32_t, i32_t, x < y ? x : y)
TWO(maxsl, i32_t, i32_t, x > y ? x : y)
TWO(andl, u32_t, u32_t, x &y)
TWO(andnl, u32_t, u32_t, ~x &y)
TWO(orl, u32_t, u32_t, x | y)
TWO(xorl, u32_t, u32_t, x ^ y)
TWO(andq, u64_t, u64_t, x &y)
TWO(andnq, u64_t, u64_t, ~x &y)
TWO(orq, u64_t, u64_t, x | y)
TWO(xorq, u64_t, u64_t, x ^ y)
TWO(cmpeqf, i32_t, f32_t, -(x == y))
TWO(cmpltf, i32_t, f32_t, -(x < y))
TWO(cmplef, i32_t, f32_t, -(x <= y))
TWO(cmpeqd, i64_t, f64_t, -(x == y))
TWO(cmpltd, i64_t, f64_t, -(x < y))
TWO(cmpled, i64_t, f64_t, -(x <= y))
TWO(cmpeql, i32_t, i32_t, -(x == y))
TWO(cmpgtsl, i32_t, i32_t, -(x > y))
ONE(convlf, f32_t, i32_t, x)
ONE(convld, f64_t, i32_t, x)
ONE(convfd, f64_t, f32_t, x)
ONE(convdf, f32_t, f64_t, x)
ONE(convdl, i32_t, f64_t, x >= -2147483648.0 && x <= 2147483647.0 ? (int32_t)x : INT32_MIN)
ONE(convubw, u16_t, u8_t, x)
ONE(convsbw, i16_t, i8_t, x)
ONE(convuwl, u32_t, u16_t, x)
ONE(convswl, i32_t, i16_t, x)
ONE(convslq, i64_t, i32_t, x)
ONE(convwb, u8_t, u16_t, x)
ONE(convlw, u16_t, u32_t, x)
ONE(convql, u32_t, u64_t, x)
ONE(copyb, u8_t, u8_t, x)
ONE(copyw, u16_t, u16_t, x)
ONE(copyl, u32_t, u32_t, x)
ONE(copyq, u64_t, u64_t, x)

static const op_t OPS[] = {
    {"addf", 4, 4, 4, true, true, SHAPE_BINARY, "fadd", run_addf},
    {"subf", 4, 4, 4, true, true, SHAPE_BINARY, "fsub", run_subf},
    {"mulf", 4, 4, 4, true, true, SHAPE_BINARY, "fmul", run_mulf},
    {"divf", 4, 4, 4, true, true, SHAPE_BINARY, "fdiv", run_divf},
    {"addd", 8, 8, 8, true, true, SHAPE_BINARY, "fadd", run_addd},
    {"subd", 8, 8, 8, true, true, SHAPE_BINARY, "fsub", run_subd},
    {"muld", 8, 8, 8, true, true, SHAPE_BINARY, "fmul", run_muld},
    {"divd", 8, 8, 8, true, true, SHAPE_BINARY, "fdiv", run_divd},
    {"mind", 8, 8, 8, true, true, SHAPE_EXTREME, "fcmp olt", run_mind},
    {"maxd", 8, 8, 8, true, true, SHAPE_EXTREME, "fcmp ogt", run_maxd},
    {"sqrtf", 4, 4, 0, true, true, SHAPE_SQRT, "f32", run_sqrtf},
    {"sqrtd", 8, 8, 0, true, true, SHAPE_SQRT, "f64", run_sqrtd},
    {"addl", 4, 4, 4, false, false, SHAPE_BINARY, "add", run_addl},
    {"subl", 4, 4, 4, false, false, SHAPE_BINARY, "sub", run_subl},
    {"mulll", 4, 4, 4, false, false, SHAPE_BINARY, "mul", run_mulll},
    {"minsl", 4, 4, 4, false, false, SHAPE_EXTREME, "icmp slt", run_minsl},
    {"maxsl", 4, 4, 4, false, false, SHAPE_EXTREME, "icmp sgt", run_maxsl},
    {"andl", 4, 4, 4, false, false, SHAPE_BINARY, "and", run_andl},
    {"andnl", 4, 4, 4, false, false, SHAPE_AND_NOT, "", run_andnl},
    {"orl", 4, 4, 4, false, false, SHAPE_BINARY, "or", run_orl},
    {"xorl", 4, 4, 4, false, false, SHAPE_BINARY, "xor", run_xorl},
    {"andq", 8, 8, 8, false, false, SHAPE_BINARY, "and", run_andq},
    {"andnq", 8, 8, 8, false, false, SHAPE_AND_NOT, "", run_andnq},
    {"orq", 8, 8, 8, false, false, SHAPE_BINARY, "or", run_orq},
    {"xorq", 8, 8, 8, false, false, SHAPE_BINARY, "xor", run_xorq},
    {"cmpeqf", 4, 4, 4, false, true, SHAPE_COMPARE, "fcmp oeq", run_cmpeqf},
    {"cmpltf", 4, 4, 4, false, true, SHAPE_COMPARE, "fcmp olt", run_cmpltf},
    {"cmplef", 4, 4, 4, false, true, SHAPE_COMPARE, "fcmp ole", run_cmplef},
    {"cmpeqd", 8, 8, 8, false, true, SHAPE_COMPARE, "fcmp oeq", run_cmpeqd},
    {"cmpltd", 8, 8, 8, false, true, SHAPE_COMPARE, "fcmp olt", run_cmpltd},
    {"cmpled", 8, 8, 8, false, true, SHAPE_COMPARE, "fcmp ole", run_cmpled},
    {"cmpeql", 4, 4, 4, false, false, SHAPE_COMPARE, "icmp eq", run_cmpeql},
    {"cmpgtsl", 4, 4, 4, false, false, SHAPE_COMPARE, "icmp sgt", run_cmpgtsl},
    {"convlf", 4, 4, 0, true, false, SHAPE_CONVERT, "sitofp", run_convlf},
    {"convld", 8, 4, 0, true, false, SHAPE_CONVERT, "sitofp", run_convld},
    {"convfd", 8, 4, 0, true, true, SHAPE_CONVERT, "fpext", run_convfd},
    {"convdf", 4, 8, 0, true, true, SHAPE_CONVERT, "fptrunc", run_convdf},
    {"convdl", 4, 8, 0, false, true, SHAPE_CONVERT, "fptosi", run_convdl},
    {"convubw", 2, 1, 0, false, false, SHAPE_CONVERT, "zext", run_convubw},
    {"convsbw", 2, 1, 0, false, false, SHAPE_CONVERT, "sext", run_convsbw},
    {"convuwl", 4, 2, 0, false, false, SHAPE_CONVERT, "zext", run_convuwl},
    {"convswl", 4, 2, 0, false, false, SHAPE_CONVERT, "sext", run_convswl},
    {"convslq", 8, 4, 0, false, false, SHAPE_CONVERT, "sext", run_convslq},
    {"convwb", 1, 2, 0, false, false, SHAPE_CONVERT, "trunc", run_convwb},
    {"convlw", 2, 4, 0, false, false, SHAPE_CONVERT, "trunc", run_convlw},
    {"convql", 4, 8, 0, false, false, SHAPE_CONVERT, "trunc", run_convql},
    {"copyb", 1, 1, 0, false, false, SHAPE_COPY, "", run_copyb},
    {"copyw", 2, 2, 0, false, false, SHAPE_COPY, "", run_copyw},
    {"copyl", 4, 4, 0, false, false, SHAPE_COPY, "", run_copyl},
    {"copyq", 8, 8, 0, false, false, SHAPE_COPY, "", run_copyq},
};

// --- the list

typedef struct value_t {
  const op_t *op; // NULL: a load, or a constant where `is_constant`
  bool is_constant;
  uint8_t bytes;
  int32_t a, b;
  uint32_t array; // of a load
  uint32_t word;  // of a constant
  uint32_t place; // of its block, among those that are used again; of a constant among the constants
  int32_t last;   // the last value that is made of it; INT32_MAX for what is stored
} value_t;

typedef struct store_t {
  uint32_t array, bytes;
  int32_t value;
} store_t;

// What the code gets.
typedef struct lanes_call_t {
  void *const *arrays;
  const uint64_t *words;
} lanes_call_t;

typedef void (*entry_t)(const lanes_call_t *call, int64_t begin, int64_t end);

struct lanes_o {
  entry_t entry;   // NULL until its code is there; this and the next are all that a run of it looks at
  uint64_t *words; // the constants' bits; the first is the tick's length as f32, the second as f64, the third 1
  codegen_code_t *code;
  value_t *values; // number 1 is values[1]
  int32_t count, capacity;
  store_t stores[LANES_MOST_ARRAYS];
  uint32_t store_count, op_count;
  uint32_t word_count;
  uint8_t *blocks, *constants; // in C
  uint32_t place_count;
  bool unsound, complete;
  error_t why;
};

enum { WORD_DT32, WORD_DT64, WORD_ONE, FIRST_WORD };
enum { PLACE_BYTES = BLOCK * 8 };

static uint64_t bits_of(uint32_t bytes, bool is_float, double value) {
  uint64_t out = 0;
  float narrow = (float)value;
  if (!is_float)
    return (uint64_t)(int64_t)value;
  memcpy(&out, bytes == 8 ? (const void *)&value : (const void *)&narrow, bytes);
  return out;
}

lanes_o *lanes_create(void) {
  lanes_o *l = calloc(1, sizeof *l);
  shoal_assert(l, "no memory for a kernel");
  l->capacity = 64;
  l->values = calloc((size_t)l->capacity, sizeof *l->values);
  l->words = calloc(LANES_MOST_VALUES + FIRST_WORD, sizeof *l->words);
  shoal_assert(l->values && l->words, "no memory for a kernel's values");
  l->word_count = FIRST_WORD;
  l->words[WORD_ONE] = bits_of(8, true, 1);
  return l;
}

void lanes_destroy(lanes_o *l) {
  if (!l)
    return;
  codegen_drop(l->code);
  free(l->values);
  free(l->words);
  free(l->blocks);
  free(l->constants);
  free(l);
}

// The first thing that is wrong is what is told.
__attribute__((format(printf, 2, 3))) static int32_t refuse(lanes_o *l, const char *words, ...) {
  va_list list;
  va_start(list, words);
  if (!l->unsound)
    vsnprintf(l->why.text, sizeof l->why.text, words, list);
  va_end(list);
  l->unsound = true;
  return 0;
}

bool lanes_is_sound(const lanes_o *l, error_t *error) {
  if (l->unsound)
    *error = l->why;
  return !l->unsound;
}

static bool is_size(uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static int32_t add(lanes_o *l, value_t v) {
  if (l->unsound || l->complete)
    return refuse(l, "something is added to what is complete");
  if (l->count + 1 >= (int32_t)LANES_MOST_VALUES)
    return refuse(l, "it has more than %u values", LANES_MOST_VALUES);
  if (l->count + 1 == l->capacity) {
    l->capacity *= 2;
    l->values = realloc(l->values, (size_t)l->capacity * sizeof *l->values);
    shoal_assert(l->values, "no memory for a kernel's values");
  }
  l->values[++l->count] = v;
  return l->count;
}

int32_t lanes_load(lanes_o *l, uint32_t array, uint32_t bytes) {
  if (array >= LANES_MOST_ARRAYS || !is_size(bytes))
    return refuse(l, "it reads array %u, of %u bytes", array, bytes);
  return add(l, (value_t){.array = array, .bytes = (uint8_t)bytes});
}

static bool fits(double value, uint32_t bytes) {
  double most = bytes == 8 ? 0x1p63 : 0x1p31;
  return value >= -most && value < most;
}

int32_t lanes_constant(lanes_o *l, uint32_t bytes, bool is_float, double value) {
  if (!is_size(bytes) || (is_float ? bytes < 4 : !fits(value, bytes)))
    return refuse(l, "a constant of it, %g, does not fit %u bytes", value, bytes);
  int32_t made = add(l, (value_t){.is_constant = true, .bytes = (uint8_t)bytes, .word = l->word_count});
  if (made)
    l->words[l->word_count++] = bits_of(bytes, is_float, value);
  return made;
}

int32_t lanes_dt(lanes_o *l, uint32_t bytes) {
  if (bytes != 4 && bytes != 8)
    return refuse(l, "time of %u bytes", bytes);
  return add(l, (value_t){.is_constant = true, .bytes = (uint8_t)bytes, .word = bytes == 8 ? WORD_DT64 : WORD_DT32});
}

static const op_t *find_op(const char *name) {
  for (size_t i = 0; i < sizeof OPS / sizeof *OPS; ++i)
    if (strcmp(OPS[i].name, name) == 0)
      return &OPS[i];
  return NULL;
}

uint32_t lanes_op_bytes(const char *name, uint32_t bytes, bool two) {
  const op_t *o = find_op(name);
  return o && o->a_bytes == bytes && (o->b_bytes > 0) == two ? o->bytes : 0;
}

static bool is_operand(const lanes_o *l, int32_t v, uint32_t bytes) {
  return bytes == 0 ? v == 0 : v > 0 && v <= l->count && l->values[v].bytes == bytes;
}

int32_t lanes_op(lanes_o *l, const char *name, int32_t a, int32_t b) {
  const op_t *o = find_op(name);
  if (!o || !is_operand(l, a, o->a_bytes) || !is_operand(l, b, o->b_bytes))
    return refuse(l, "%.16s is no operation of kernels, or its operands are not of its sizes or not there", name);
  int32_t made = add(l, (value_t){.op = o, .a = a, .b = b, .bytes = o->bytes});
  l->op_count += made > 0;
  return made;
}

void lanes_store(lanes_o *l, uint32_t array, uint32_t bytes, int32_t value) {
  if (l->unsound || l->complete || array >= LANES_MOST_ARRAYS || l->store_count == LANES_MOST_ARRAYS ||
      !is_operand(l, value, bytes) || bytes == 0)
    refuse(l, "it writes value %d of %u bytes to array %u", value, bytes, array);
  else
    l->stores[l->store_count++] = (store_t){.array = array, .bytes = bytes, .value = value};
}

uint32_t lanes_op_count(const lanes_o *l) {
  return l->op_count;
}

// --- in C

// Which block of memory a value has: one of those whose values are not needed any more.
static void place_values(lanes_o *l) {
  uint32_t *free_places = malloc((size_t)(l->count + 1) * sizeof *free_places), free_count = 0;
  shoal_assert(free_places, "no memory for a kernel's plan");
  for (int32_t i = 1; i <= l->count; ++i) {
    value_t *v = &l->values[i];
    v->last = i;
    for (uint32_t k = 0; v->op && k < 2; ++k)
      l->values[k ? v->b : v->a].last = i; // values[0] stands for no operand
  }
  for (uint32_t i = 0; i < l->store_count; ++i)
    l->values[l->stores[i].value].last = INT32_MAX;
  for (int32_t i = 1; i <= l->count; ++i) {
    value_t *v = &l->values[i];
    const value_t *a = &l->values[v->a], *b = &l->values[v->b];
    if (v->is_constant)
      continue;
    v->place = free_count > 0 ? free_places[--free_count] : l->place_count++;
    if (v->op && a->last == i && !a->is_constant)
      free_places[free_count++] = a->place;
    if (v->op && v->b && v->b != v->a && b->last == i && !b->is_constant)
      free_places[free_count++] = b->place;
    if (v->last == i)
      free_places[free_count++] = v->place;
  }
  free(free_places);
}

static void fill_block(const lanes_o *l, uint32_t word, uint32_t bytes, uint8_t *to) {
  for (uint32_t i = 0; i < BLOCK; ++i)
    memcpy(to + i * bytes, &l->words[word], bytes);
}

bool lanes_complete(lanes_o *l, uint32_t workers, error_t *error) {
  if (!l->unsound && (l->complete || l->store_count == 0))
    refuse(l, "there is nothing that it stores");
  if (l->unsound)
    return lanes_is_sound(l, error);
  l->complete = true;
  place_values(l);
  l->blocks = calloc((size_t)workers * l->place_count + 1, PLACE_BYTES);
  l->constants = calloc(l->word_count, PLACE_BYTES);
  shoal_assert(l->blocks && l->constants, "no memory for a kernel's blocks");
  for (int32_t i = 1; i <= l->count; ++i)
    if (l->values[i].is_constant)
      fill_block(l, l->values[i].word, l->values[i].bytes, l->constants + (size_t)l->values[i].word * PLACE_BYTES);
  return true;
}

static const uint8_t *block_of(const lanes_o *l, int32_t value, uint8_t *blocks) {
  const value_t *v = &l->values[value];
  return v->is_constant ? l->constants + (size_t)v->word * PLACE_BYTES : blocks + (size_t)v->place * PLACE_BYTES;
}

static void run_block(const lanes_o *l, void *const *arrays, uint32_t first, uint32_t count, uint8_t *blocks) {
  uint32_t full = (count + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
  for (int32_t i = 1; i <= l->count; ++i) {
    const value_t *v = &l->values[i];
    uint8_t *to = blocks + (size_t)v->place * PLACE_BYTES;
    if (v->op)
      v->op->run(to, block_of(l, v->a, blocks), block_of(l, v->b, blocks), full);
    else if (!v->is_constant)
      memcpy(to, (const uint8_t *)arrays[v->array] + (size_t)first * v->bytes, (size_t)count * v->bytes);
  }
  for (uint32_t i = 0; i < l->store_count; ++i) {
    const store_t *s = &l->stores[i];
    memcpy((uint8_t *)arrays[s->array] + (size_t)first * s->bytes, block_of(l, s->value, blocks),
           (size_t)count * s->bytes);
  }
}

void lanes_run(const lanes_o *l, void *const *arrays, uint32_t count, uint32_t worker) {
  shoal_assert(l->complete && !l->unsound, "a kernel runs that was refused: %s", l->why.text);
  if (l->entry) {
    l->entry(&(lanes_call_t){.arrays = arrays, .words = l->words}, 0, count);
    return;
  }
  uint8_t *blocks = l->blocks + (size_t)worker * l->place_count * PLACE_BYTES;
  for (uint32_t first = 0; first < count; first += BLOCK)
    run_block(l, arrays, first, count - first < BLOCK ? count - first : BLOCK, blocks);
}

// --- as text

typedef struct text_t {
  char *text;
  size_t length, capacity;
  uint32_t width; // rows at once
  uint32_t made;  // names of values on the way
} text_t;

__attribute__((format(printf, 2, 3))) static void put(text_t *t, const char *words, ...) {
  va_list list;
  if (t->capacity - t->length < 512) {
    t->capacity *= 2;
    t->text = realloc(t->text, t->capacity);
    shoal_assert(t->text, "no memory for a kernel's text");
  }
  va_start(list, words);
  int wrote = vsnprintf(t->text + t->length, t->capacity - t->length, words, list);
  va_end(list);
  shoal_assert(wrote >= 0 && wrote < 512, "a line of %d bytes", wrote);
  t->length += (size_t)wrote;
}

typedef struct type_t {
  char text[24];
} type_t;

static type_t type_of(uint32_t bytes, bool is_float, uint32_t width) {
  type_t out;
  const char *one = is_float ? (bytes == 8 ? "double" : "float")
                             : (bytes == 8   ? "i64"
                                : bytes == 4 ? "i32"
                                : bytes == 2 ? "i16"
                                             : "i8");
  if (width == 1)
    snprintf(out.text, sizeof out.text, "%s", one);
  else
    snprintf(out.text, sizeof out.text, "<%u x %s>", width, one);
  return out;
}

// Values lie as whole numbers, %v12 in vectors and %s12 in rows; as floats they are %v12f. Constants come as
// parameters, so that nothing is known of them: what is folded would forget that small numbers are 0.
static bool is_float(const lanes_o *l, int32_t value) {
  return l->values[value].op && l->values[value].op->floats_out;
}

// Its name as a number of the other kind, where it is one.
static void take(text_t *t, const lanes_o *l, int32_t value, bool wants_float, char name[24]) {
  const value_t *v = &l->values[value];
  const char letter = t->width == 1 ? 's' : 'v';
  snprintf(name, 24, "%%%c%d", letter, value);
  if (v->bytes < 4 || is_float(l, value) == wants_float)
    return;
  type_t from = type_of(v->bytes, !wants_float, t->width), to = type_of(v->bytes, wants_float, t->width);
  put(t, " %%%cx%u = bitcast %s %s to %s\n", letter, t->made, from.text, name, to.text);
  snprintf(name, 24, "%%%cx%u", letter, t->made++);
}

static void write_comparison(text_t *t, const op_t *o, const char *to, const char *a, const char *b) {
  type_t in = type_of(o->a_bytes, o->floats_in, t->width), out = type_of(o->bytes, o->floats_out, t->width);
  char truths[24] = "i1";
  if (t->width > 1)
    snprintf(truths, sizeof truths, "<%u x i1>", t->width);
  put(t, " %sc = %s %s %s, %s\n", to, o->word, in.text, a, b);
  if (o->shape == SHAPE_COMPARE)
    put(t, " %s = sext %s %sc to %s\n", to, truths, to, out.text);
  else
    put(t, " %s = select %s %sc, %s %s, %s %s\n", to, truths, to, in.text, a, in.text, b);
}

static void write_operation(text_t *t, const lanes_o *l, int32_t i) {
  const value_t *v = &l->values[i];
  const op_t *o = v->op;
  type_t in = type_of(o->a_bytes, o->floats_in, t->width), out = type_of(o->bytes, o->floats_out, t->width);
  char a[24], b[24] = "", to[24];
  const char letter = t->width == 1 ? 's' : 'v';
  snprintf(to, sizeof to, "%%%c%d", letter, i);
  take(t, l, v->a, o->floats_in, a);
  if (v->b)
    take(t, l, v->b, o->floats_in, b);
  switch (o->shape) {
  case SHAPE_BINARY: put(t, " %s = %s %s %s, %s\n", to, o->word, in.text, a, b); break;
  case SHAPE_AND_NOT:
    put(t, " %sn = xor %s %s, %%%cones%u\n", to, in.text, a, letter, o->bytes);
    put(t, " %s = and %s %sn, %s\n", to, in.text, to, b);
    break;
  case SHAPE_COMPARE:
  case SHAPE_EXTREME: write_comparison(t, o, to, a, b); break;
  case SHAPE_SQRT:
    if (t->width == 1)
      put(t, " %s = call %s @llvm.sqrt.%s(%s %s)\n", to, out.text, o->word, in.text, a);
    else
      put(t, " %s = call %s @llvm.sqrt.v%u%s(%s %s)\n", to, out.text, t->width, o->word, in.text, a);
    break;
  case SHAPE_COPY: put(t, " %s = or %s %s, %s\n", to, in.text, a, a); break;
  case SHAPE_CONVERT: {
    // f32 → f64 → f32 is not nothing: a number below the normal ones becomes 0 on the way.
    const op_t *before = l->values[v->a].op;
    bool back = before && strcmp(o->word, "fptrunc") == 0 && strcmp(before->word, "fpext") == 0;
    if (back)
      put(t, " %so = fmul %s %s, %%%cone\n", to, in.text, a, letter);
    put(t, " %s = %s %s %s%s to %s\n", to, o->word, in.text, back ? to : a, back ? "o" : "", out.text);
    break;
  }
  }
}

// The body for `t->width` rows from `row` on.
static void write_rows(text_t *t, const lanes_o *l, const char *row) {
  const char letter = t->width == 1 ? 's' : 'v';
  for (int32_t i = 1; i <= l->count; ++i) {
    const value_t *v = &l->values[i];
    if (v->op) {
      write_operation(t, l, i);
    } else if (!v->is_constant) {
      type_t one = type_of(v->bytes, false, 1), all = type_of(v->bytes, false, t->width);
      put(t, " %%%cp%d = getelementptr %s, ptr %%a%u, i64 %s\n", letter, i, one.text, v->array, row);
      put(t, " %%%c%d = load %s, ptr %%%cp%d, align %u\n", letter, i, all.text, letter, i, (unsigned)v->bytes);
    }
  }
  for (uint32_t i = 0; i < l->store_count; ++i) {
    const store_t *s = &l->stores[i];
    type_t one = type_of(s->bytes, false, 1), all = type_of(s->bytes, false, t->width);
    char from[24];
    take(t, l, s->value, false, from);
    put(t, " %%%cq%u = getelementptr %s, ptr %%a%u, i64 %s\n", letter, i, one.text, s->array, row);
    put(t, " store %s %s, ptr %%%cq%u, align %u\n", all.text, from, letter, i, s->bytes);
  }
}

// One number for all rows: `name` is known as %sNAME, and becomes %vNAME.
static void broadcast(text_t *t, const char *name, uint32_t bytes, bool is_float_, uint32_t width) {
  type_t one = type_of(bytes, is_float_, 1), all = type_of(bytes, is_float_, width);
  put(t, " %%v%sb = insertelement %s poison, %s %%s%s, i32 0\n", name, all.text, one.text, name);
  put(t, " %%v%s = shufflevector %s %%v%sb, %s poison, <%u x i32> zeroinitializer\n", name, all.text, name, all.text,
      width);
}

static void write_entry(text_t *t, const lanes_o *l, uint32_t width) {
  bool used[LANES_MOST_ARRAYS] = {0};
  put(t, "define void @rows(ptr %%call, i64 %%begin, i64 %%end) #0 {\nentry:\n");
  put(t, " %%arrays = load ptr, ptr %%call, align 8\n %%wordsp = getelementptr i8, ptr %%call, i64 8\n");
  put(t, " %%words = load ptr, ptr %%wordsp, align 8\n");
  put(t, " %%sones4 = add i32 -1, 0\n %%sones8 = add i64 -1, 0\n");
  put(t, " %%onep = getelementptr i64, ptr %%words, i64 %d\n %%sone = load double, ptr %%onep, align 8\n", WORD_ONE);
  for (int32_t i = 1; i <= l->count; ++i)
    used[l->values[i].array] |= !l->values[i].op && !l->values[i].is_constant;
  for (uint32_t i = 0; i < l->store_count; ++i)
    used[l->stores[i].array] = true;
  for (uint32_t i = 0; i < LANES_MOST_ARRAYS; ++i)
    if (used[i])
      put(t, " %%ap%u = getelementptr ptr, ptr %%arrays, i64 %u\n %%a%u = load ptr, ptr %%ap%u, align 8\n", i, i, i, i);
  broadcast(t, "ones4", 4, false, width);
  broadcast(t, "ones8", 8, false, width);
  broadcast(t, "one", 8, true, width);
  for (int32_t i = 1; i <= l->count; ++i) {
    const value_t *v = &l->values[i];
    char name[16];
    if (!v->is_constant)
      continue;
    type_t one = type_of(v->bytes, false, 1);
    put(t, " %%kp%d = getelementptr i64, ptr %%words, i64 %u\n", i, v->word);
    put(t, " %%s%d = load %s, ptr %%kp%d, align 8\n", i, one.text, i);
    snprintf(name, sizeof name, "%d", i);
    broadcast(t, name, v->bytes, false, width);
  }
}

// Two vectors of f32 at once; one where some values are as wide as f64, for registers are few.
static uint32_t rows_at_once(const lanes_o *l, codegen_level_t level) {
  uint32_t rows = level == CODEGEN_AVX512 ? 32 : level == CODEGEN_AVX2 ? 16 : 8;
  for (int32_t i = 1; i <= l->count; ++i)
    if (l->values[i].bytes == 8)
      return rows / 2;
  return rows;
}

char *lanes_text(const lanes_o *l, codegen_level_t level, size_t *length) {
  text_t t = {.capacity = 16384, .text = malloc(16384)};
  uint32_t width = rows_at_once(l, level);
  shoal_assert(t.text && l->complete, "no memory for a kernel's text");
  write_entry(&t, l, width);
  put(&t, " br label %%vhead\nvhead:\n %%v = phi i64 [ %%begin, %%entry ], [ %%vnext, %%vbody ]\n");
  put(&t, " %%vnext = add i64 %%v, %u\n %%vfits = icmp sle i64 %%vnext, %%end\n", width);
  put(&t, " br i1 %%vfits, label %%vbody, label %%shead\nvbody:\n");
  t.width = width;
  write_rows(&t, l, "%v");
  put(&t, " br label %%vhead\nshead:\n %%s = phi i64 [ %%v, %%vhead ], [ %%snext, %%sbody ]\n");
  put(&t, " %%snext = add i64 %%s, 1\n %%sfits = icmp slt i64 %%s, %%end\n");
  put(&t, " br i1 %%sfits, label %%sbody, label %%done\nsbody:\n");
  t.width = 1;
  write_rows(&t, l, "%s");
  put(&t, " br label %%shead\ndone:\n ret void\n}\n");
  put(&t, "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"no-trapping-math\"=\"true\" "
          "\"denormal-fp-math\"=\"preserve-sign,preserve-sign\" }\n");
  put(&t, "declare float @llvm.sqrt.f32(float)\ndeclare double @llvm.sqrt.f64(double)\n");
  put(&t, "declare <%u x float> @llvm.sqrt.v%uf32(<%u x float>)\n", width, width, width);
  put(&t, "declare <%u x double> @llvm.sqrt.v%uf64(<%u x double>)\n", width, width, width);
  *length = t.length;
  if (t.length <= CODEGEN_MOST_TEXT)
    return t.text;
  free(t.text);
  return NULL;
}

void lanes_want(lanes_o *l, codegen_level_t level, bool wait) {
  size_t length = 0;
  char *text = l->code || level == CODEGEN_NONE ? NULL : lanes_text(l, level, &length);
  if (text)
    l->code = codegen_want(text, length, level);
  free(text);
  if (l->code && wait)
    codegen_wait(l->code);
}

const codegen_code_t *lanes_code(const lanes_o *l) {
  return l->code;
}

bool lanes_prepare(lanes_o *l, float dt_s) {
  uint64_t narrow = bits_of(4, true, (double)dt_s);
  bool changed = l->words[WORD_DT32] != narrow;
  if (changed) {
    l->words[WORD_DT32] = narrow;
    l->words[WORD_DT64] = bits_of(8, true, (double)dt_s);
  }
  for (int32_t i = 1; changed && i <= l->count; ++i)
    if (l->values[i].is_constant && l->values[i].word < FIRST_WORD)
      fill_block(l, l->values[i].word, l->values[i].bytes, l->constants + (size_t)l->values[i].word * PLACE_BYTES);
  if (!l->entry && l->code && codegen_look(l->code) == CODEGEN_READY) // and stays so
    *(void **)&l->entry = codegen_entry(l->code);
  return l->entry != NULL;
}
