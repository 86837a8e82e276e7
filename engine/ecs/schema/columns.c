// Parallel columns in one allocation: growing, moving rows, converting values by type.
#include "schema/columns.h"

#include "base/assert.h"
#include "base/hash.h"
#include "shoal/number.h"

#include <string.h>

#define INITIAL_CAPACITY 16u
#define MAX_DOUBLING_ROWS 16384u
// COLUMN_PADDING_BYTES separate consecutive columns of at least LARGE_COLUMN_BYTES. Without padding, the same row would
// have the same page offset in most large columns, because most capacities are powers of two. Loads would then wait for
// unrelated stores: processors compare only the lower twelve bits of their addresses (4K aliasing).
#define LARGE_COLUMN_BYTES 16384u
#define COLUMN_PADDING_BYTES (ALLOC_COLUMN_ALIGNMENT * 17u)
#define LOAD_BLOCK_BYTES 16384u // size of a block that fits into the first-level cache

typedef struct matrix_bytes_t {
  float v[16];
} matrix_bytes_t;

static size_t get_column_bytes(const columns_t *columns, uint32_t column, uint32_t capacity) {
  size_t bytes = (size_t)columns->element_bytes[column] * capacity;
  bytes = (bytes + ALLOC_COLUMN_ALIGNMENT - 1) / ALLOC_COLUMN_ALIGNMENT * ALLOC_COLUMN_ALIGNMENT;
  return bytes < LARGE_COLUMN_BYTES ? bytes : bytes + COLUMN_PADDING_BYTES;
}

void columns_init(columns_t *columns, const schema_t *schema, const double *initial, allocator_t *a) {
  *columns = (columns_t){.schema = schema, .allocator = a};
  uint32_t count = columns->column_count = columns->stored_count = schema->field_count;
  if (count == 0)
    return;
  columns->data = alloc_resize(a, NULL, 0, count * sizeof *columns->data);
  columns->element_bytes = alloc_resize(a, NULL, 0, count * sizeof *columns->element_bytes);
  columns->initial = alloc_resize(a, NULL, 0, count * sizeof *columns->initial);
  for (uint32_t i = 0; i < count; ++i) {
    columns->data[i] = NULL;
    columns->element_bytes[i] = field_size(schema->fields[i].type);
    columns->initial[i] = initial[i];
  }
}

void columns_fini(columns_t *columns) {
  allocator_t *a = columns->allocator;
  alloc_free_aligned(a, columns->memory, columns->memory_bytes);
  alloc_resize(a, columns->data, columns->stored_count * sizeof *columns->data, 0);
  alloc_resize(a, columns->element_bytes, columns->stored_count * sizeof *columns->element_bytes, 0);
  alloc_resize(a, columns->initial, columns->column_count * sizeof *columns->initial, 0);
  memset(columns, 0, sizeof *columns);
}

uint32_t columns_compute_capacity(uint32_t capacity, uint32_t min_capacity) {
  uint64_t new_capacity = capacity;
  if (new_capacity == 0)
    new_capacity = INITIAL_CAPACITY;
  while (new_capacity < min_capacity && new_capacity < MAX_DOUBLING_ROWS)
    new_capacity *= 2;
  if (new_capacity < min_capacity)
    new_capacity = new_capacity + new_capacity / 4 > min_capacity ? new_capacity + new_capacity / 4 : min_capacity;
  new_capacity = (new_capacity + INITIAL_CAPACITY - 1) / INITIAL_CAPACITY * INITIAL_CAPACITY;
  shoal_assert(new_capacity < UINT32_MAX, "cannot allocate %u rows", min_capacity);
  return (uint32_t)new_capacity;
}

// Reallocates the columns for `capacity` rows and copies the existing rows.
static void reallocate_columns(columns_t *columns, uint32_t capacity) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < columns->stored_count; ++i)
    bytes += get_column_bytes(columns, i, capacity);
  char *memory = alloc_aligned(columns->allocator, bytes);
  size_t offset = 0;
  for (uint32_t i = 0; i < columns->stored_count; ++i) {
    if (columns->count > 0 && columns->data[i])
      memcpy(memory + offset, columns->data[i], (size_t)columns->element_bytes[i] * columns->count);
    columns->data[i] = memory + offset;
    offset += get_column_bytes(columns, i, capacity);
  }
  alloc_free_aligned(columns->allocator, columns->memory, columns->memory_bytes);
  columns->memory = memory;
  columns->memory_bytes = bytes;
  columns->capacity = capacity;
}

void columns_reserve(columns_t *columns, uint32_t rows) {
  if (rows > columns->capacity)
    reallocate_columns(columns, columns_compute_capacity(columns->capacity, rows));
}

void columns_track_changes(columns_t *columns, bool enabled) {
  uint32_t old_count = columns->stored_count, new_count = enabled ? columns->column_count * 2 : columns->column_count;
  if (new_count == old_count)
    return;
  columns->data = alloc_resize(columns->allocator, columns->data, old_count * sizeof *columns->data,
                               new_count * sizeof *columns->data);
  columns->element_bytes =
      alloc_resize(columns->allocator, columns->element_bytes, old_count * sizeof *columns->element_bytes,
                   new_count * sizeof *columns->element_bytes);
  for (uint32_t i = old_count; i < new_count; ++i) {
    columns->data[i] = NULL;
    columns->element_bytes[i] = 1;
  }
  columns->stored_count = new_count;
  if (columns->capacity > 0)
    reallocate_columns(columns, columns->capacity);
}

// --- values as numbers

#define STORE_AS(type, value)                                                                                          \
  do {                                                                                                                 \
    type stored = (type)(value);                                                                                       \
    memcpy(target, &stored, sizeof stored);                                                                            \
  } while (0)

static void store_value(const columns_t *columns, uint32_t column, double value, void *target) {
  const field_t *field = &columns->schema->fields[column];
  if (field_is_limited(field)) {
    double stored = field_clamp(field, value, columns->initial[column]);
    if (value != value && columns->replaced_nan)
      *columns->replaced_nan = (columns_nan_t){columns->schema, column};
    else if (stored != value && columns->clamped)
      ++columns->clamped[column];
    value = stored;
  }
  switch (field->type) {
  case FIELD_F32: STORE_AS(float, shoal_to_f32(value)); break;
  case FIELD_F64: STORE_AS(double, shoal_to_f64(value)); break;
  case FIELD_I8: STORE_AS(int8_t, shoal_to_i8(value)); break;
  case FIELD_I16: STORE_AS(int16_t, shoal_to_i16(value)); break;
  case FIELD_I32: STORE_AS(int32_t, shoal_to_i32(value)); break;
  case FIELD_U8: STORE_AS(uint8_t, shoal_to_u8(value)); break;
  case FIELD_U16: STORE_AS(uint16_t, shoal_to_u16(value)); break;
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: STORE_AS(uint32_t, shoal_to_u32(value)); break;
  case FIELD_BOOL: STORE_AS(uint8_t, value != 0); break;
  case FIELD_ENUM:
    STORE_AS(uint8_t, shoal_clamp(value, 0, field->choice_count > 0 ? field->choice_count - 1 : 0));
    break;
  default: break;
  }
}

double columns_read_element(const columns_t *columns, uint32_t column, const void *element) {
  switch (columns->schema->fields[column].type) {
  case FIELD_F32: return (double)*(const float *)element;
  case FIELD_F64: return *(const double *)element;
  case FIELD_I8: return *(const int8_t *)element;
  case FIELD_I16: return *(const int16_t *)element;
  case FIELD_I32: return *(const int32_t *)element;
  case FIELD_U8:
  case FIELD_BOOL:
  case FIELD_ENUM: return *(const uint8_t *)element;
  case FIELD_U16: return *(const uint16_t *)element;
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: return *(const uint32_t *)element;
  default: return 0;
  }
}

double columns_get(const columns_t *columns, uint32_t row, uint32_t column) {
  shoal_assert(column < columns->column_count && row < columns->count,
               "row %u or column %u of %s is out of range (%u rows, %u columns)", row, column, columns->schema->name,
               columns->count, columns->column_count);
  return columns_read_element(columns, column,
                              (const char *)columns->data[column] + (size_t)row * columns->element_bytes[column]);
}

static void mark_link_written(const columns_t *columns, uint32_t column) {
  if (columns->links && columns->schema->fields[column].type == FIELD_ENTITY)
    *columns->links = 1;
}

void columns_set_unmarked(columns_t *columns, uint32_t row, uint32_t column, double value) {
  shoal_assert(column < columns->column_count && row < columns->count,
               "row %u or column %u of %s is out of range (%u rows, %u columns)", row, column, columns->schema->name,
               columns->count, columns->column_count);
  if (columns_try_set_f32(columns, row, column, value))
    return;
  store_value(columns, column, value, (char *)columns->data[column] + (size_t)row * columns->element_bytes[column]);
  mark_link_written(columns, column);
}

void columns_set(columns_t *columns, uint32_t row, uint32_t column, double value) {
  columns_set_unmarked(columns, row, column, value);
  columns_mark_touched(columns, column, row, 1);
}

// Stores an element without converting it to a number and back, and returns true. Returns false, without storing the
// element, if its value may have to change.
static bool store_element(const field_t *field, const void *element, void *target) {
  uint32_t f32;
  uint64_t f64;
  if (field_is_limited(field))
    return false;
  switch (field->type) {
  case FIELD_F32:
    memcpy(&f32, element, sizeof f32);
    f32 = shoal_is_nan_f32(f32) ? SHOAL_NAN_F32 : f32;
    memcpy(target, &f32, sizeof f32);
    return true;
  case FIELD_F64:
    memcpy(&f64, element, sizeof f64);
    f64 = shoal_is_nan_f64(f64) ? SHOAL_NAN_F64 : f64;
    memcpy(target, &f64, sizeof f64);
    return true;
  case FIELD_I8:
  case FIELD_U8: memcpy(target, element, 1); return true;
  case FIELD_I16:
  case FIELD_U16: memcpy(target, element, 2); return true;
  case FIELD_I32:
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: memcpy(target, element, 4); return true;
  case FIELD_MAT4: memcpy(target, element, sizeof(matrix_bytes_t)); return true;
  default: return false;
  }
}

void columns_set_element(columns_t *columns, uint32_t row, uint32_t column, const void *element) {
  shoal_assert(column < columns->column_count && row < columns->count,
               "row %u or column %u of %s is out of range (%u rows, %u columns)", row, column, columns->schema->name,
               columns->count, columns->column_count);
  void *target = (char *)columns->data[column] + (size_t)row * columns->element_bytes[column];
  if (!store_element(&columns->schema->fields[column], element, target))
    store_value(columns, column, columns_read_element(columns, column, element), target);
  mark_link_written(columns, column);
  columns_mark_touched(columns, column, row, 1);
}

void columns_mark_touched(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count) {
  uint8_t *marks = columns_get_marks(columns, column);
  if (marks && count > 0)
    memset(marks + first_row, 1, count);
}

bool columns_is_touched(const columns_t *columns, uint32_t row, uint32_t column) {
  uint32_t first_column, count = schema_list_columns(columns->schema, column, &first_column);
  bool is_touched = false;
  for (uint32_t i = first_column; i < first_column + count; ++i) {
    const uint8_t *marks = columns_get_marks(columns, i);
    is_touched |= marks && marks[row] != 0;
  }
  return is_touched;
}

// Clears the marks of rows that are new or copied from untracked columns.
static void clear_marks(columns_t *columns, uint32_t first_row, uint32_t count) {
  for (uint32_t i = columns->column_count; i < columns->stored_count && count > 0; ++i)
    memset((uint8_t *)columns->data[i] + first_row, 0, count);
}

static void fill_identity_matrices(float *matrices, uint32_t count) {
  memset(matrices, 0, (size_t)count * 16 * sizeof *matrices);
  for (uint32_t i = 0; i < count; ++i)
    matrices[i * 16] = matrices[i * 16 + 5] = matrices[i * 16 + 10] = matrices[i * 16 + 15] = 1.0f;
}

// Uses memcpy because of strict aliasing: columns of floats must not be accessed as integers.
#define FILL_AS(type)                                                                                                  \
  do {                                                                                                                 \
    type element;                                                                                                      \
    memcpy(&element, bits, sizeof element);                                                                            \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      memcpy((char *)target + i * sizeof element, &element, sizeof element);                                           \
  } while (0)

void columns_fill(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count, double value) {
  void *target = (char *)columns->data[column] + (size_t)first_row * columns->element_bytes[column];
  char bits[8] = {0};
  bool is_single = count == 1 && columns->element_bytes[column] <= sizeof bits;
  store_value(columns, column, value, is_single ? target : bits);
  mark_link_written(columns, column);
  if (is_single)
    return;
  switch (columns->element_bytes[column]) {
  case 1: memset(target, (unsigned char)bits[0], count); break;
  case 2: FILL_AS(uint16_t); break;
  case 4: FILL_AS(uint32_t); break;
  case 8: FILL_AS(uint64_t); break;
  default: fill_identity_matrices(target, count);
  }
}

// --- rows

static uint32_t min_stored_count(const columns_t *a, const columns_t *b) {
  return a->stored_count < b->stored_count ? a->stored_count : b->stored_count;
}

uint32_t columns_append_uninitialized(columns_t *columns, uint32_t count) {
  uint32_t first_row = columns->count;
  columns_reserve(columns, first_row + count);
  columns->count += count;
  return first_row;
}

void columns_fill_rows(columns_t *columns, uint32_t first_row, uint32_t count, const double *values) {
  for (uint32_t i = 0; i < columns->column_count && count > 0; ++i)
    columns_fill(columns, i, first_row, count, values[i]);
  clear_marks(columns, first_row, count);
}

void columns_encode(const columns_t *columns, const double *values, uint64_t *elements) {
  for (uint32_t i = 0; i < columns->column_count; ++i) {
    elements[i] = 0;
    store_value(columns, i, values[i], &elements[i]);
  }
}

void columns_write_encoded(columns_t *columns, uint32_t row, const uint64_t *elements) {
  for (uint32_t i = 0; i < columns->column_count; ++i) {
    void *column = columns->data[i];
    switch (columns->element_bytes[i]) { // constant sizes compile to single moves
    case 1: memcpy((uint8_t *)column + row, &elements[i], 1); break;
    case 2: memcpy((uint16_t *)column + row, &elements[i], 2); break;
    case 4: memcpy((uint32_t *)column + row, &elements[i], 4); break;
    case 8: memcpy((uint64_t *)column + row, &elements[i], 8); break;
    default: fill_identity_matrices((float *)column + (size_t)row * 16, 1);
    }
  }
  if (columns->stored_count > columns->column_count)
    clear_marks(columns, row, 1);
}

uint32_t columns_append_values(columns_t *columns, uint32_t count, const double *values) {
  uint32_t first_row = columns_append_uninitialized(columns, count);
  columns_fill_rows(columns, first_row, count, values);
  return first_row;
}

uint32_t columns_append_defaults(columns_t *columns, uint32_t count) {
  return columns_append_values(columns, count, columns->initial);
}

static void check_column_counts(const columns_t *a, const columns_t *b) {
  (void)a;
  (void)b;
  shoal_assert(a->column_count == b->column_count, "%s has %u columns, %s has %u", a->schema->name, a->column_count,
               b->schema->name, b->column_count);
}

static void check_rows(const columns_t *columns, uint32_t first_row, uint32_t count) {
  (void)columns;
  (void)first_row;
  (void)count;
  shoal_assert(first_row + count <= columns->count, "rows %u … %u of %s are out of range (count %u)", first_row,
               first_row + count, columns->schema->name, columns->count);
}

uint32_t columns_append_rows(columns_t *target, const columns_t *source, uint32_t source_row, uint32_t count) {
  check_column_counts(target, source);
  check_rows(source, source_row, count);
  uint32_t first_row = columns_append_uninitialized(target, count);
  columns_copy_rows(target, first_row, source, source_row, count);
  return first_row;
}

void columns_copy_rows(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row,
                       uint32_t count) {
  check_column_counts(target, source);
  check_rows(target, target_row, count);
  check_rows(source, source_row, count);
  if (source->stored_count < target->stored_count)
    clear_marks(target, target_row, count);
  for (uint32_t i = 0; i < min_stored_count(target, source) && count > 0; ++i) {
    size_t bytes = target->element_bytes[i];
    memcpy((char *)target->data[i] + target_row * bytes, (const char *)source->data[i] + source_row * bytes,
           count * bytes);
  }
}

bool columns_exchange_memory(columns_t *target, columns_t *source) {
  check_column_counts(target, source);
  shoal_assert(target->count == 0, "%s still has %u rows", target->schema->name, target->count);
  if (target->capacity >= source->capacity || target->stored_count != source->stored_count)
    return false;
  columns_t old = *target;
  for (uint32_t i = 0; i < source->stored_count; ++i) {
    void *data = target->data[i];
    target->data[i] = source->data[i];
    source->data[i] = data;
  }
  target->capacity = source->capacity, target->memory = source->memory, target->memory_bytes = source->memory_bytes;
  source->capacity = old.capacity, source->memory = old.memory, source->memory_bytes = old.memory_bytes;
  source->count = 0;
  return true;
}

void columns_move_rows(columns_t *columns, uint32_t target_row, uint32_t source_row, uint32_t count) {
  for (uint32_t i = 0; i < columns->stored_count && count > 0; ++i) {
    size_t bytes = columns->element_bytes[i];
    memmove((char *)columns->data[i] + target_row * bytes, (const char *)columns->data[i] + source_row * bytes,
            count * bytes);
  }
}

#define SWAP_VALUES(type)                                                                                              \
  do {                                                                                                                 \
    type left, right;                                                                                                  \
    memcpy(&left, p, sizeof left);                                                                                     \
    memcpy(&right, q, sizeof right);                                                                                   \
    memcpy(p, &right, sizeof right);                                                                                   \
    memcpy(q, &left, sizeof left);                                                                                     \
  } while (0)

#define FOR_EACH_ROW(step, type)                                                                                       \
  for (uint32_t k = 0; k < count; ++k) {                                                                               \
    char *p = data + a[k] * sizeof(type), *q = data + b[k] * sizeof(type);                                             \
    step(type);                                                                                                        \
  }                                                                                                                    \
  break

// The size is a constant in each case, so that compilers turn copies into single moves.
#define FOR_EACH_COLUMN(step)                                                                                          \
  for (uint32_t i = 0; i < columns->stored_count; ++i) {                                                               \
    char *data = columns->data[i];                                                                                     \
    switch (columns->element_bytes[i]) {                                                                               \
    case 1: FOR_EACH_ROW(step, uint8_t);                                                                               \
    case 2: FOR_EACH_ROW(step, uint16_t);                                                                              \
    case 4: FOR_EACH_ROW(step, uint32_t);                                                                              \
    case 8: FOR_EACH_ROW(step, uint64_t);                                                                              \
    default: FOR_EACH_ROW(step, matrix_bytes_t);                                                                       \
    }                                                                                                                  \
  }

void columns_swap_rows(columns_t *columns, uint32_t a, uint32_t b) {
#define SWAP_ROW(type)                                                                                                 \
  do {                                                                                                                 \
    char *p = data + a * sizeof(type), *q = data + b * sizeof(type);                                                   \
    SWAP_VALUES(type);                                                                                                 \
  } while (0)
  for (uint32_t i = 0; i < columns->stored_count; ++i) {
    char *data = columns->data[i];
    switch (columns->element_bytes[i]) {
    case 1: SWAP_ROW(uint8_t); break;
    case 2: SWAP_ROW(uint16_t); break;
    case 4: SWAP_ROW(uint32_t); break;
    case 8: SWAP_ROW(uint64_t); break;
    default: SWAP_ROW(matrix_bytes_t);
    }
  }
#undef SWAP_ROW
}

#define COPY_VALUE(type) memmove(p, q, sizeof(type))

void columns_swap_listed_rows(columns_t *columns, const uint32_t *a, const uint32_t *b, uint32_t count) {
  FOR_EACH_COLUMN(SWAP_VALUES)
}

void columns_copy_listed_rows(columns_t *columns, const uint32_t *a, const uint32_t *b, uint32_t count) {
  FOR_EACH_COLUMN(COPY_VALUE)
}

void columns_copy_row(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row) {
  check_column_counts(target, source);
  check_rows(target, target_row, 1);
  check_rows(source, source_row, 1);
  if (source->stored_count < target->stored_count)
    clear_marks(target, target_row, 1);
  for (uint32_t i = 0; i < min_stored_count(target, source); ++i) {
    size_t bytes = target->element_bytes[i];
    char *target_value = (char *)target->data[i] + target_row * bytes;
    const char *source_value = (const char *)source->data[i] + source_row * bytes;
    switch (bytes) { // constant sizes compile to single moves, as in FOR_EACH_COLUMN
    case 1: memmove(target_value, source_value, 1); break;
    case 2: memmove(target_value, source_value, 2); break;
    case 4: memmove(target_value, source_value, 4); break;
    case 8: memmove(target_value, source_value, 8); break;
    default: memmove(target_value, source_value, bytes);
    }
  }
}

void columns_swap_erase_row(columns_t *columns, uint32_t row) {
  shoal_assert(row < columns->count, "row %u of %s is out of range (count %u)", row, columns->schema->name,
               columns->count);
  uint32_t last = columns->count - 1;
  if (row != last)
    columns_copy_row(columns, row, columns, last);
  columns->count = last;
}

void columns_erase_first_rows(columns_t *columns, uint32_t count) {
  shoal_assert(count <= columns->count, "cannot erase %u rows of %s, which has %u", count, columns->schema->name,
               columns->count);
  if (count == 0)
    return;
  columns->count -= count;
  for (uint32_t i = 0; i < columns->stored_count; ++i) {
    size_t bytes = columns->element_bytes[i];
    memmove(columns->data[i], (const char *)columns->data[i] + count * bytes, columns->count * bytes);
  }
}

void columns_clear(columns_t *columns) {
  columns->count = 0;
}

// --- ranges

// Returns true if any of `count` values is NaN or outside of the range [low, high]. Compilers vectorize the loop.
#define FIND_OUTSIDE(type)                                                                                             \
  do {                                                                                                                 \
    const type *values = (const type *)columns->data[column] + first_row;                                              \
    type low = (type)shoal_clamp(field->low, limits.low, limits.high);                                                 \
    type high = (type)shoal_clamp(field->high, limits.low, limits.high);                                               \
    unsigned found = 0;                                                                                                \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      found |= (unsigned)!((values[i] >= low) & (values[i] <= high));                                                  \
    return found != 0;                                                                                                 \
  } while (0)

// Returns true if any of `count` values is NaN. Each comparison tests two values.
static bool has_nan_in_rows(const columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count) {
  const float *values = (const float *)columns->data[column] + first_row, *second_half = values + count / 2;
  unsigned found = count > 0 ? (unsigned)(values[count - 1] != values[count - 1]) : 0;
  for (uint32_t i = 0; i < count / 2; ++i)
    found |= (unsigned)__builtin_isunordered(values[i], second_half[i]);
  return found != 0;
}

static bool has_value_out_of_range(const columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count) {
  const field_t *field = &columns->schema->fields[column];
  if (!field_has_range(field) && field->type == FIELD_F32)
    return has_nan_in_rows(columns, column, first_row, count);
  field_limits_t limits = field_limits(field->type);
  switch (field->type) {
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

// Returns true if any of `count` list elements is NaN or out of range, or is past the count of its list and not 0.
// Compilers vectorize the loop.
#define FIND_INVALID_ELEMENT(type)                                                                                     \
  do {                                                                                                                 \
    const type *values = (const type *)columns->data[column] + first_row;                                              \
    type low = is_limited ? (type)shoal_clamp(field->low, limits.low, limits.high) : 0;                                \
    type high = is_limited ? (type)shoal_clamp(field->high, limits.low, limits.high) : 0;                              \
    unsigned found = 0;                                                                                                \
    for (uint32_t i = 0; i < count; ++i) {                                                                             \
      unsigned is_used = counts[i] >= element_number, is_nonzero = values[i] != 0;                                     \
      unsigned is_inside = (values[i] >= low) & (values[i] <= high);                                                   \
      found |= (is_used & is_limited & (is_inside ^ 1)) | ((is_used ^ 1) & is_nonzero);                                \
    }                                                                                                                  \
    return found != 0;                                                                                                 \
  } while (0)

static bool has_invalid_element(const columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count) {
  const field_t *field = &columns->schema->fields[column];
  uint32_t element_number = field_element_number(field);
  const uint8_t *counts = (const uint8_t *)columns->data[column - element_number] + first_row;
  unsigned is_limited = field_is_limited(field);
  field_limits_t limits = is_limited ? field_limits(field->type) : (field_limits_t){0};
  switch (field->type) {
  case FIELD_F32: FIND_INVALID_ELEMENT(float);
  case FIELD_F64: FIND_INVALID_ELEMENT(double);
  case FIELD_I8: FIND_INVALID_ELEMENT(int8_t);
  case FIELD_I16: FIND_INVALID_ELEMENT(int16_t);
  case FIELD_I32: FIND_INVALID_ELEMENT(int32_t);
  case FIELD_U8:
  case FIELD_BOOL:
  case FIELD_ENUM: FIND_INVALID_ELEMENT(uint8_t);
  case FIELD_U16: FIND_INVALID_ELEMENT(uint16_t);
  case FIELD_U32:
  case FIELD_ENTITY:
  case FIELD_STRING:
  case FIELD_ASSET: FIND_INVALID_ELEMENT(uint32_t);
  default: return true;
  }
}

// Like columns_clamp, for a column that contains one element of each list. Also sets the elements past the count of
// their list to 0.
static uint32_t clamp_element(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count,
                              columns_clamped_t on_changed, void *context) {
  const field_t *field = &columns->schema->fields[column];
  uint32_t element_number = field_element_number(field), changed_count = 0;
  const uint8_t *counts = columns->data[column - element_number];
  if (!has_invalid_element(columns, column, first_row, count))
    return 0;
  for (uint32_t row = first_row; row < first_row + count; ++row) {
    double value = columns_get(columns, row, column);
    bool is_used = element_number <= counts[row];
    if (is_used ? !field_is_limited(field) || (value >= field->low && value <= field->high) : value == 0)
      continue;
    double stored = is_used ? value == value ? value : columns->initial[column] : 0;
    if (is_used)
      stored = stored < field->low ? field->low : stored > field->high ? field->high : stored;
    columns_set_unmarked(columns, row, column, stored);
    ++changed_count;
    if (on_changed && is_used)
      on_changed(context, row, value);
  }
  return changed_count;
}

uint32_t columns_clamp(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count,
                       columns_clamped_t on_changed, void *context) {
  enum { BLOCK_ROWS = 1024 };
  const field_t *field = &columns->schema->fields[column];
  shoal_assert(column < columns->column_count && first_row + count <= columns->count,
               "rows %u … %u of %s are out of range (count %u)", first_row, first_row + count, columns->schema->name,
               columns->count);
  if (field->flags & FIELD_IS_ELEMENT)
    return clamp_element(columns, column, first_row, count, on_changed, context);
  uint32_t changed_count = 0, end = first_row + count;
  columns_nan_t *replaced_nan = columns->replaced_nan;
  columns->replaced_nan = on_changed ? NULL : replaced_nan; // if `on_changed` is set, the caller reports NaN
  for (uint32_t block_row = first_row; block_row < end && field_is_limited(field); block_row += BLOCK_ROWS) {
    uint32_t block_rows = end - block_row < BLOCK_ROWS ? end - block_row : BLOCK_ROWS;
    if (!has_value_out_of_range(columns, column, block_row, block_rows))
      continue;
    for (uint32_t row = block_row; row < block_row + block_rows; ++row) {
      double value = columns_get(columns, row, column);
      if (value >= field->low && value <= field->high)
        continue;
      store_value(columns, column, value, (char *)columns->data[column] + (size_t)row * columns->element_bytes[column]);
      ++changed_count;
      if (on_changed)
        on_changed(context, row, value);
    }
  }
  columns->replaced_nan = replaced_nan;
  return changed_count;
}

void columns_clamp_rows(columns_t *columns, uint32_t first_row, uint32_t count) {
  for (uint32_t i = 0; i < columns->column_count; ++i)
    if (field_is_clamped(&columns->schema->fields[i]))
      columns_clamp(columns, i, first_row, count, NULL, NULL);
}

// --- NaN

// Returns the number of floats in `count` rows of a column, or 0 if its type contains no floats.
static size_t count_floats(const columns_t *columns, uint32_t column, uint32_t count) {
  field_type_t type = columns->schema->fields[column].type;
  return type == FIELD_F32 || type == FIELD_F64 ? count : type == FIELD_MAT4 ? (size_t)count * 16 : 0;
}

static bool is_f64_column(const columns_t *columns, uint32_t column) {
  return columns->schema->fields[column].type == FIELD_F64;
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

static bool has_nan(const void *values, size_t count, bool is_f64) {
  return is_f64 ? has_nan_f64(values, count) : has_nan_f32(values, count);
}

static void unify_nan(void *target, const void *source, size_t count, bool is_f64) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t b64 = 0;
    uint32_t b32 = 0;
    if (is_f64) {
      memcpy(&b64, (const char *)source + i * 8, 8);
      b64 = shoal_is_nan_f64(b64) ? SHOAL_NAN_F64 : b64;
      memcpy((char *)target + i * 8, &b64, 8);
    } else {
      memcpy(&b32, (const char *)source + i * 4, 4);
      b32 = shoal_is_nan_f32(b32) ? SHOAL_NAN_F32 : b32;
      memcpy((char *)target + i * 4, &b32, 4);
    }
  }
}

// Copies `count` floats and replaces each NaN with the canonical NaN. Each block is checked while it is in the cache.
static void load_floats(void *target, const void *source, size_t count, bool is_f64) {
  size_t bytes = is_f64 ? 8 : 4, capacity = LOAD_BLOCK_BYTES / bytes;
  for (size_t i = 0; i < count; i += capacity) {
    size_t block_count = count - i < capacity ? count - i : capacity;
    char *block = (char *)target + i * bytes;
    memcpy(block, (const char *)source + i * bytes, block_count * bytes);
    if (has_nan(block, block_count, is_f64))
      unify_nan(block, block, block_count, is_f64);
  }
}

void columns_load(columns_t *columns, const void *const *source, uint32_t count) {
  columns->count = 0;
  columns_reserve(columns, count);
  columns->count = count;
  for (uint32_t i = 0; i < columns->column_count && count > 0; ++i) {
    size_t float_count = count_floats(columns, i, count);
    if (float_count > 0)
      load_floats(columns->data[i], source[i], float_count, is_f64_column(columns, i));
    else
      memcpy(columns->data[i], source[i], (size_t)columns->element_bytes[i] * count);
  }
}

double columns_read_f32(const float *element) {
  return shoal_to_f64((double)*element);
}

double columns_read_f64(const double *element) {
  return shoal_to_f64(*element);
}

// --- hash

// Hashes a column with every NaN replaced by the same value: the bits of a computed NaN depend on the processor.
static uint64_t hash_with_unified_nan(const columns_t *columns, uint32_t column, size_t count, uint64_t hash) {
  uint64_t block[512];
  size_t bytes = is_f64_column(columns, column) ? 8 : 4, capacity = sizeof block / bytes;
  for (size_t i = 0; i < count; i += capacity) {
    size_t batch_count = count - i < capacity ? count - i : capacity;
    unify_nan(block, (const char *)columns->data[column] + i * bytes, batch_count, is_f64_column(columns, column));
    hash = hash_bytes(block, batch_count * bytes, hash);
  }
  return hash;
}

static bool is_zero(const columns_t *columns, uint32_t column) {
  const uint8_t *bytes = columns->data[column];
  for (size_t i = 0, size = (size_t)columns->element_bytes[column] * columns->count; i < size; ++i)
    if (bytes[i] != 0)
      return false;
  return true;
}

uint64_t columns_hash(const columns_t *columns, uint64_t seed) {
  uint64_t hash = hash_bytes(&columns->count, sizeof columns->count, seed);
  for (uint32_t i = 0; i < columns->column_count; ++i) {
    uint32_t flags = columns->schema->fields[i].flags;
    if (flags & (FIELD_HIDDEN | FIELD_OF_MACHINE) || columns->count == 0 ||
        (flags & FIELD_IS_ADDED && is_zero(columns, i)))
      continue;
    size_t float_count = count_floats(columns, i, columns->count);
    if (float_count > 0 && has_nan(columns->data[i], float_count, is_f64_column(columns, i)))
      hash = hash_with_unified_nan(columns, i, float_count, hash);
    else
      hash = hash_bytes(columns->data[i], (size_t)columns->element_bytes[i] * columns->count, hash);
  }
  return hash;
}
