// Parallel columns in one allocation: growing, moving rows, converting values by type.
#include "schema/columns.h"

#include "base/assert.h"
#include "base/hash.h"
#include "shoal/number.h"

#include <string.h>

#define FIRST_CAPACITY 16u
#define DOUBLING_ROWS 16384u
// Columns of at least LARGE_COLUMN bytes are placed APART bytes further apart. Capacities are mostly powers of two, so
// otherwise the same row would have the same offset in a page in all large columns; processors compare only the lower
// twelve bits of a load with recent stores (4K aliasing).
#define LARGE_COLUMN 16384u
#define APART (ALLOC_COLUMN_ALIGNMENT * 17u)

typedef struct matrix_bytes_t {
  float v[16];
} matrix_bytes_t;

static size_t column_bytes(const columns_t *c, uint32_t column, uint32_t capacity) {
  size_t bytes = (size_t)c->element_bytes[column] * capacity;
  bytes = (bytes + ALLOC_COLUMN_ALIGNMENT - 1) / ALLOC_COLUMN_ALIGNMENT * ALLOC_COLUMN_ALIGNMENT;
  return bytes < LARGE_COLUMN ? bytes : bytes + APART;
}

void columns_init(columns_t *c, const schema_t *schema, const double *initial, allocator_t *a) {
  *c = (columns_t){.schema = schema, .allocator = a};
  uint32_t n = c->column_count = c->stored_count = schema->field_count;
  if (n == 0)
    return;
  c->data = alloc_resize(a, NULL, 0, n * sizeof *c->data);
  c->element_bytes = alloc_resize(a, NULL, 0, n * sizeof *c->element_bytes);
  c->initial = alloc_resize(a, NULL, 0, n * sizeof *c->initial);
  for (uint32_t i = 0; i < n; ++i) {
    c->data[i] = NULL;
    c->element_bytes[i] = field_size(schema->fields[i].type);
    c->initial[i] = initial[i];
  }
}

void columns_fini(columns_t *c) {
  allocator_t *a = c->allocator;
  alloc_free_aligned(a, c->memory, c->memory_bytes);
  alloc_resize(a, c->data, c->stored_count * sizeof *c->data, 0);
  alloc_resize(a, c->element_bytes, c->stored_count * sizeof *c->element_bytes, 0);
  alloc_resize(a, c->initial, c->column_count * sizeof *c->initial, 0);
  memset(c, 0, sizeof *c);
}

uint32_t columns_grown_capacity(uint32_t capacity, uint32_t wanted) {
  uint64_t grown = capacity;
  if (grown == 0)
    grown = FIRST_CAPACITY;
  while (grown < wanted && grown < DOUBLING_ROWS)
    grown *= 2;
  if (grown < wanted)
    grown = grown + grown / 4 > wanted ? grown + grown / 4 : wanted;
  grown = (grown + FIRST_CAPACITY - 1) / FIRST_CAPACITY * FIRST_CAPACITY;
  shoal_assert(grown < UINT32_MAX, "cannot allocate %u rows", wanted);
  return (uint32_t)grown;
}

// Reallocates the columns for `capacity` rows and copies the existing rows.
static void reallocate_columns(columns_t *c, uint32_t capacity) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < c->stored_count; ++i)
    bytes += column_bytes(c, i, capacity);
  char *memory = alloc_aligned(c->allocator, bytes);
  size_t offset = 0;
  for (uint32_t i = 0; i < c->stored_count; ++i) {
    if (c->count > 0 && c->data[i])
      memcpy(memory + offset, c->data[i], (size_t)c->element_bytes[i] * c->count);
    c->data[i] = memory + offset;
    offset += column_bytes(c, i, capacity);
  }
  alloc_free_aligned(c->allocator, c->memory, c->memory_bytes);
  c->memory = memory;
  c->memory_bytes = bytes;
  c->capacity = capacity;
}

void columns_reserve(columns_t *c, uint32_t rows) {
  if (rows > c->capacity)
    reallocate_columns(c, columns_grown_capacity(c->capacity, rows));
}

void columns_track_changes(columns_t *c, bool on) {
  uint32_t before = c->stored_count, stored = on ? c->column_count * 2 : c->column_count;
  if (stored == before)
    return;
  c->data = alloc_resize(c->allocator, c->data, before * sizeof *c->data, stored * sizeof *c->data);
  c->element_bytes = alloc_resize(c->allocator, c->element_bytes, before * sizeof *c->element_bytes,
                                  stored * sizeof *c->element_bytes);
  for (uint32_t i = before; i < stored; ++i) {
    c->data[i] = NULL;
    c->element_bytes[i] = 1;
  }
  c->stored_count = stored;
  if (c->capacity > 0)
    reallocate_columns(c, c->capacity);
}

// --- values as numbers

#define STORE(type, value)                                                                                             \
  do {                                                                                                                 \
    type stored = (type)(value);                                                                                       \
    memcpy(to, &stored, sizeof stored);                                                                                \
  } while (0)

static void store_value(const columns_t *c, uint32_t column, double v, void *to) {
  const field_t *f = &c->schema->fields[column];
  if (field_is_limited(f)) {
    double stored = field_clamp(f, v, c->initial[column]);
    if (v != v && c->replaced_nan)
      *c->replaced_nan = (columns_nan_t){c->schema, column};
    else if (stored != v && c->clamped)
      ++c->clamped[column];
    v = stored;
  }
  switch (f->type) {
  case FIELD_F32: STORE(float, shoal_f32(v)); break;
  case FIELD_F64: STORE(double, shoal_f64(v)); break;
  case FIELD_I8: STORE(int8_t, shoal_i8(v)); break;
  case FIELD_I16: STORE(int16_t, shoal_i16(v)); break;
  case FIELD_I32: STORE(int32_t, shoal_i32(v)); break;
  case FIELD_U8: STORE(uint8_t, shoal_u8(v)); break;
  case FIELD_U16: STORE(uint16_t, shoal_u16(v)); break;
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: STORE(uint32_t, shoal_u32(v)); break;
  case FIELD_BOOL: STORE(uint8_t, v != 0); break;
  case FIELD_ENUM: STORE(uint8_t, shoal_clamp(v, 0, f->choice_count > 0 ? f->choice_count - 1 : 0)); break;
  default: break;
  }
}

double columns_get(const columns_t *c, uint32_t row, uint32_t column) {
  shoal_assert(column < c->column_count && row < c->count,
               "row %u or column %u of %s is out of range (%u rows, %u columns)", row, column, c->schema->name,
               c->count, c->column_count);
  const void *at = (const char *)c->data[column] + (size_t)row * c->element_bytes[column];
  switch (c->schema->fields[column].type) {
  case FIELD_F32: return (double)*(const float *)at;
  case FIELD_F64: return *(const double *)at;
  case FIELD_I8: return *(const int8_t *)at;
  case FIELD_I16: return *(const int16_t *)at;
  case FIELD_I32: return *(const int32_t *)at;
  case FIELD_U8:
  case FIELD_BOOL:
  case FIELD_ENUM: return *(const uint8_t *)at;
  case FIELD_U16: return *(const uint16_t *)at;
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: return *(const uint32_t *)at;
  default: return 0;
  }
}

static void mark_link_written(const columns_t *c, uint32_t column) {
  if (c->links && c->schema->fields[column].type == FIELD_ENTITY)
    *c->links = 1;
}

void columns_set_unmarked(columns_t *c, uint32_t row, uint32_t column, double value) {
  shoal_assert(column < c->column_count && row < c->count,
               "row %u or column %u of %s is out of range (%u rows, %u columns)", row, column, c->schema->name,
               c->count, c->column_count);
  store_value(c, column, value, (char *)c->data[column] + (size_t)row * c->element_bytes[column]);
  mark_link_written(c, column);
}

void columns_set(columns_t *c, uint32_t row, uint32_t column, double value) {
  columns_set_unmarked(c, row, column, value);
  columns_mark_touched(c, column, row, 1);
}

void columns_mark_touched(columns_t *c, uint32_t column, uint32_t first, uint32_t count) {
  uint8_t *marks = columns_get_marks(c, column);
  if (marks && count > 0)
    memset(marks + first, 1, count);
}

bool columns_is_touched(const columns_t *c, uint32_t row, uint32_t column) {
  uint32_t first, count = schema_list_columns(c->schema, column, &first);
  bool touched = false;
  for (uint32_t i = first; i < first + count; ++i) {
    const uint8_t *marks = columns_get_marks(c, i);
    touched |= marks && marks[row] != 0;
  }
  return touched;
}

// Clears the marks of rows that are new or copied from untracked columns.
static void clear_marks(columns_t *c, uint32_t first, uint32_t count) {
  for (uint32_t i = c->column_count; i < c->stored_count && count > 0; ++i)
    memset((uint8_t *)c->data[i] + first, 0, count);
}

static void fill_identity_matrices(float *to, uint32_t count) {
  memset(to, 0, (size_t)count * 16 * sizeof *to);
  for (uint32_t i = 0; i < count; ++i)
    to[i * 16] = to[i * 16 + 5] = to[i * 16 + 10] = to[i * 16 + 15] = 1.0f;
}

// Uses memcpy because of strict aliasing: columns of floats must not be accessed as integers.
#define FILL(type)                                                                                                     \
  do {                                                                                                                 \
    type one;                                                                                                          \
    memcpy(&one, bits, sizeof one);                                                                                    \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      memcpy((char *)to + i * sizeof one, &one, sizeof one);                                                           \
  } while (0)

void columns_fill(columns_t *c, uint32_t column, uint32_t first, uint32_t count, double value) {
  void *to = (char *)c->data[column] + (size_t)first * c->element_bytes[column];
  char bits[8] = {0};
  store_value(c, column, value, bits);
  mark_link_written(c, column);
  switch (c->element_bytes[column]) {
  case 1: memset(to, (unsigned char)bits[0], count); break;
  case 2: FILL(uint16_t); break;
  case 4: FILL(uint32_t); break;
  case 8: FILL(uint64_t); break;
  default: fill_identity_matrices(to, count);
  }
}

// --- rows

static uint32_t min_stored_count(const columns_t *a, const columns_t *b) {
  return a->stored_count < b->stored_count ? a->stored_count : b->stored_count;
}

uint32_t columns_append_uninitialized(columns_t *c, uint32_t count) {
  uint32_t first = c->count;
  columns_reserve(c, first + count);
  c->count += count;
  return first;
}

void columns_fill_rows(columns_t *c, uint32_t first, uint32_t count, const double *values) {
  for (uint32_t i = 0; i < c->column_count && count > 0; ++i)
    columns_fill(c, i, first, count, values[i]);
  clear_marks(c, first, count);
}

uint32_t columns_append_values(columns_t *c, uint32_t count, const double *values) {
  uint32_t first = columns_append_uninitialized(c, count);
  columns_fill_rows(c, first, count, values);
  return first;
}

uint32_t columns_append_defaults(columns_t *c, uint32_t count) {
  return columns_append_values(c, count, c->initial);
}

static void check_column_counts(const columns_t *a, const columns_t *b) {
  (void)a;
  (void)b;
  shoal_assert(a->column_count == b->column_count, "%s has %u columns, %s has %u", a->schema->name, a->column_count,
               b->schema->name, b->column_count);
}

static void check_rows(const columns_t *c, uint32_t first, uint32_t count) {
  (void)c;
  (void)first;
  (void)count;
  shoal_assert(first + count <= c->count, "rows %u … %u of %s are out of range (count %u)", first, first + count,
               c->schema->name, c->count);
}

uint32_t columns_append_rows(columns_t *to, const columns_t *from, uint32_t from_row, uint32_t count) {
  check_column_counts(to, from);
  check_rows(from, from_row, count);
  uint32_t first = columns_append_uninitialized(to, count);
  columns_copy_rows(to, first, from, from_row, count);
  return first;
}

void columns_copy_rows(columns_t *to, uint32_t to_row, const columns_t *from, uint32_t from_row, uint32_t count) {
  check_column_counts(to, from);
  check_rows(to, to_row, count);
  check_rows(from, from_row, count);
  if (from->stored_count < to->stored_count)
    clear_marks(to, to_row, count);
  for (uint32_t i = 0; i < min_stored_count(to, from) && count > 0; ++i) {
    size_t bytes = to->element_bytes[i];
    memcpy((char *)to->data[i] + to_row * bytes, (const char *)from->data[i] + from_row * bytes, count * bytes);
  }
}

void columns_move_rows(columns_t *c, uint32_t to, uint32_t from, uint32_t count) {
  for (uint32_t i = 0; i < c->stored_count && count > 0; ++i) {
    size_t bytes = c->element_bytes[i];
    memmove((char *)c->data[i] + to * bytes, (const char *)c->data[i] + from * bytes, count * bytes);
  }
}

#define SWAP(type)                                                                                                     \
  do {                                                                                                                 \
    type left, right;                                                                                                  \
    memcpy(&left, p, sizeof left);                                                                                     \
    memcpy(&right, q, sizeof right);                                                                                   \
    memcpy(p, &right, sizeof right);                                                                                   \
    memcpy(q, &left, sizeof left);                                                                                     \
  } while (0)

#define EACH(step, type)                                                                                               \
  for (uint32_t k = 0; k < count; ++k) {                                                                               \
    char *p = data + a[k] * sizeof(type), *q = data + b[k] * sizeof(type);                                             \
    step(type);                                                                                                        \
  }                                                                                                                    \
  break

// The size is a constant in each case, so that compilers turn copies into single moves.
#define EACH_BY_SIZE(step)                                                                                             \
  for (uint32_t i = 0; i < c->stored_count; ++i) {                                                                     \
    char *data = c->data[i];                                                                                           \
    switch (c->element_bytes[i]) {                                                                                     \
    case 1: EACH(step, uint8_t);                                                                                       \
    case 2: EACH(step, uint16_t);                                                                                      \
    case 4: EACH(step, uint32_t);                                                                                      \
    case 8: EACH(step, uint64_t);                                                                                      \
    default: EACH(step, matrix_bytes_t);                                                                               \
    }                                                                                                                  \
  }

#define COPY(type) memmove(p, q, sizeof(type))

void columns_swap_listed_rows(columns_t *c, const uint32_t *a, const uint32_t *b, uint32_t count) {
  EACH_BY_SIZE(SWAP)
}

void columns_copy_listed_rows(columns_t *c, const uint32_t *a, const uint32_t *b, uint32_t count) {
  EACH_BY_SIZE(COPY)
}

void columns_copy_row(columns_t *to, uint32_t to_row, const columns_t *from, uint32_t from_row) {
  check_column_counts(to, from);
  check_rows(to, to_row, 1);
  check_rows(from, from_row, 1);
  if (from->stored_count < to->stored_count)
    clear_marks(to, to_row, 1);
  for (uint32_t i = 0; i < min_stored_count(to, from); ++i) {
    size_t bytes = to->element_bytes[i];
    char *p = (char *)to->data[i] + to_row * bytes;
    const char *q = (const char *)from->data[i] + from_row * bytes;
    switch (bytes) { // as in EACH_BY_SIZE, constant sizes compile to single moves
    case 1: memmove(p, q, 1); break;
    case 2: memmove(p, q, 2); break;
    case 4: memmove(p, q, 4); break;
    case 8: memmove(p, q, 8); break;
    default: memmove(p, q, bytes);
    }
  }
}

void columns_swap_erase_row(columns_t *c, uint32_t row) {
  shoal_assert(row < c->count, "row %u of %s is out of range (count %u)", row, c->schema->name, c->count);
  uint32_t last = c->count - 1;
  if (row != last)
    columns_copy_row(c, row, c, last);
  c->count = last;
}

void columns_erase_first_rows(columns_t *c, uint32_t rows) {
  shoal_assert(rows <= c->count, "cannot erase %u rows of %s, which has %u", rows, c->schema->name, c->count);
  if (rows == 0)
    return;
  c->count -= rows;
  for (uint32_t i = 0; i < c->stored_count; ++i) {
    size_t bytes = c->element_bytes[i];
    memmove(c->data[i], (const char *)c->data[i] + rows * bytes, c->count * bytes);
  }
}

void columns_clear(columns_t *c) {
  c->count = 0;
}

// --- ranges

// Returns true if any of `count` values is NaN or outside of the range [low, high]. Compilers vectorize the loop.
#define FIND_OUTSIDE(type)                                                                                             \
  do {                                                                                                                 \
    const type *v = (const type *)c->data[column] + first;                                                             \
    type low = (type)shoal_clamp(f->low, limits.low, limits.high);                                                     \
    type high = (type)shoal_clamp(f->high, limits.low, limits.high);                                                   \
    unsigned found = 0;                                                                                                \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      found |= (unsigned)!((v[i] >= low) & (v[i] <= high));                                                            \
    return found != 0;                                                                                                 \
  } while (0)

// Returns true if any of `count` values is NaN. Compares two values at once.
static bool has_nan_in_rows(const columns_t *c, uint32_t column, uint32_t first, uint32_t count) {
  const float *v = (const float *)c->data[column] + first, *half = v + count / 2;
  unsigned found = count > 0 ? (unsigned)(v[count - 1] != v[count - 1]) : 0;
  for (uint32_t i = 0; i < count / 2; ++i)
    found |= (unsigned)__builtin_isunordered(v[i], half[i]);
  return found != 0;
}

static bool has_value_out_of_range(const columns_t *c, uint32_t column, uint32_t first, uint32_t count) {
  const field_t *f = &c->schema->fields[column];
  if (!field_has_range(f) && f->type == FIELD_F32)
    return has_nan_in_rows(c, column, first, count);
  field_limits_t limits = field_limits(f->type);
  switch (f->type) {
  case FIELD_F32: FIND_OUTSIDE(float);
  case FIELD_F64: FIND_OUTSIDE(double);
  case FIELD_I8: FIND_OUTSIDE(int8_t);
  case FIELD_I16: FIND_OUTSIDE(int16_t);
  case FIELD_I32: FIND_OUTSIDE(int32_t);
  case FIELD_U8: FIND_OUTSIDE(uint8_t);
  case FIELD_U16: FIND_OUTSIDE(uint16_t);
  case FIELD_U32: FIND_OUTSIDE(uint32_t);
  default: return false;
  }
}

// Like columns_clamp, for a column that contains one element of each list: sets the value to 0 in rows whose list is
// shorter.
static uint32_t clamp_element(columns_t *c, uint32_t column, uint32_t first, uint32_t count, columns_clamped_t changed,
                              void *context) {
  const field_t *f = &c->schema->fields[column];
  uint32_t number = field_element_number(f), total = 0;
  const uint8_t *counts = c->data[column - number];
  for (uint32_t row = first; row < first + count; ++row) {
    double v = columns_get(c, row, column);
    bool is_used = number <= counts[row];
    if (is_used ? !field_is_limited(f) || (v >= f->low && v <= f->high) : v == 0)
      continue;
    double stored = is_used ? v == v ? v : c->initial[column] : 0;
    if (is_used)
      stored = stored < f->low ? f->low : stored > f->high ? f->high : stored;
    columns_set_unmarked(c, row, column, stored);
    ++total;
    if (changed && is_used)
      changed(context, row, v);
  }
  return total;
}

uint32_t columns_clamp(columns_t *c, uint32_t column, uint32_t first, uint32_t count, columns_clamped_t changed,
                       void *context) {
  enum { BLOCK = 1024 };
  const field_t *f = &c->schema->fields[column];
  shoal_assert(column < c->column_count && first + count <= c->count, "rows %u … %u of %s are out of range (count %u)",
               first, first + count, c->schema->name, c->count);
  if (f->flags & FIELD_IS_ELEMENT)
    return clamp_element(c, column, first, count, changed, context);
  uint32_t total = 0, end = first + count;
  columns_nan_t *replaced_nan = c->replaced_nan;
  c->replaced_nan = changed ? NULL : replaced_nan; // with `changed`, the caller reports NaN
  for (uint32_t at = first; at < end && field_is_limited(f); at += BLOCK) {
    uint32_t rows = end - at < BLOCK ? end - at : BLOCK;
    if (!has_value_out_of_range(c, column, at, rows))
      continue;
    for (uint32_t row = at; row < at + rows; ++row) {
      double v = columns_get(c, row, column);
      if (v >= f->low && v <= f->high)
        continue;
      store_value(c, column, v, (char *)c->data[column] + (size_t)row * c->element_bytes[column]);
      ++total;
      if (changed)
        changed(context, row, v);
    }
  }
  c->replaced_nan = replaced_nan;
  return total;
}

void columns_clamp_rows(columns_t *c, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < c->column_count; ++i)
    if (field_is_clamped(&c->schema->fields[i]))
      columns_clamp(c, i, first, count, NULL, NULL);
}

// --- NaN

// Returns the number of floats in `count` rows of a column, or 0 if its type contains no floats.
static size_t count_floats(const columns_t *c, uint32_t column, uint32_t count) {
  field_type_t type = c->schema->fields[column].type;
  return type == FIELD_F32 || type == FIELD_F64 ? count : type == FIELD_MAT4 ? (size_t)count * 16 : 0;
}

static bool is_f64_column(const columns_t *c, uint32_t column) {
  return c->schema->fields[column].type == FIELD_F64;
}

static bool has_nan_f32(const uint32_t *bits, size_t count) {
  uint32_t found = 0;
  for (size_t i = 0; i < count; ++i)
    found |= shoal_is_nan_f32(bits[i]);
  return found != 0;
}

static bool has_nan_f64(const uint64_t *bits, size_t count) {
  uint64_t found = 0;
  for (size_t i = 0; i < count; ++i)
    found |= shoal_is_nan_f64(bits[i]);
  return found != 0;
}

static bool has_nan(const columns_t *c, uint32_t column, size_t count) {
  return is_f64_column(c, column) ? has_nan_f64(c->data[column], count) : has_nan_f32(c->data[column], count);
}

static void unify_nan(void *to, const void *from, size_t count, bool wide) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t b64 = 0;
    uint32_t b32 = 0;
    if (wide) {
      memcpy(&b64, (const char *)from + i * 8, 8);
      b64 = shoal_is_nan_f64(b64) ? SHOAL_NAN_F64 : b64;
      memcpy((char *)to + i * 8, &b64, 8);
    } else {
      memcpy(&b32, (const char *)from + i * 4, 4);
      b32 = shoal_is_nan_f32(b32) ? SHOAL_NAN_F32 : b32;
      memcpy((char *)to + i * 4, &b32, 4);
    }
  }
}

void columns_unify_nan(columns_t *c) {
  for (uint32_t i = 0; i < c->column_count; ++i) {
    size_t count = count_floats(c, i, c->count);
    if (count > 0 && has_nan(c, i, count))
      unify_nan(c->data[i], c->data[i], count, is_f64_column(c, i));
  }
}

double columns_read_f32(const float *at) {
  return shoal_f64((double)*at);
}

double columns_read_f64(const double *at) {
  return shoal_f64(*at);
}

// --- hash

// Hashes a column with every NaN replaced by the same value, because the bits of a computed NaN depend on the
// processor.
static uint64_t hash_with_unified_nan(const columns_t *c, uint32_t column, size_t count, uint64_t hash) {
  uint64_t block[512];
  size_t bytes = is_f64_column(c, column) ? 8 : 4, room = sizeof block / bytes;
  for (size_t i = 0; i < count; i += room) {
    size_t n = count - i < room ? count - i : room;
    unify_nan(block, (const char *)c->data[column] + i * bytes, n, is_f64_column(c, column));
    hash = hash_bytes(block, n * bytes, hash);
  }
  return hash;
}

uint64_t columns_hash(const columns_t *c, uint64_t seed) {
  uint64_t hash = hash_bytes(&c->count, sizeof c->count, seed);
  for (uint32_t i = 0; i < c->column_count; ++i) {
    if (c->schema->fields[i].flags & FIELD_HIDDEN || c->count == 0)
      continue;
    size_t floats = count_floats(c, i, c->count);
    if (floats > 0 && has_nan(c, i, floats))
      hash = hash_with_unified_nan(c, i, floats, hash);
    else
      hash = hash_bytes(c->data[i], (size_t)c->element_bytes[i] * c->count, hash);
  }
  return hash;
}
