// Parallel columns in one allocation, each aligned to 64 bytes: the storage of managers, singletons and events. Rows
// are dense and 0-based. The last row replaces a removed row; events are removed from the front. The memory contains no
// pointers.
//
// Tracked columns have marks, one byte per value: 1 if the value was written since the row was created. Marks move with
// their rows. Code that writes in place, without columns_set, must also set the marks. Marks are not part of hashes
// (design/0012).
#ifndef SHOAL_SCHEMA_COLUMNS_H
#define SHOAL_SCHEMA_COLUMNS_H

#include "schema/schema.h"

#define ROW_NONE UINT32_MAX

// A column in which a NaN was replaced with the default.
typedef struct columns_nan_t {
  const schema_t *schema; // schema of the column; NULL if no NaN was replaced
  uint32_t column;
} columns_nan_t;

typedef struct columns_t {
  uint32_t count, capacity;
  uint32_t column_count;
  void **data; // addresses of the stored_count columns in `memory`; adding rows may change them
  uint32_t *element_bytes;
  // number of addresses in `data`: the value columns, followed by the mark columns if changes are tracked
  uint32_t stored_count;
  void *memory;
  size_t memory_bytes;
  const schema_t *schema; // schema of the rows, owned by the manager or the event
  double *initial;        // defaults in stored form, with string ids
  allocator_t *allocator;
  uint8_t *links; // flag that is set to 1 when columns_set_unmarked or columns_fill writes an entity field; may be NULL
  columns_nan_t *replaced_nan; // receives the column in which a NaN was replaced most recently; may be NULL
  uint32_t *clamped;           // indexed by column: number of values clamped to the column's range; may be NULL
} columns_t;

// Initializes columns without rows. `initial` has schema->field_count values with interned strings, which are copied.
void columns_init(columns_t *columns, const schema_t *schema, const double *initial, allocator_t *a);
void columns_fini(columns_t *columns);
// Enables or disables marks. The marks of existing rows are 0. Pointers in `data` may change.
void columns_track_changes(columns_t *columns, bool enabled);
// Allocates memory for at least `rows` rows. Pointers in `data` may change.
void columns_reserve(columns_t *columns, uint32_t rows);
// Returns the capacity to allocate if `min_capacity` rows do not fit into `capacity`: small capacities are doubled
// until they suffice, large capacities grow by a quarter or to `min_capacity`. The result is a multiple of 16.
uint32_t columns_compute_capacity(uint32_t capacity, uint32_t min_capacity);

// Appends `count` rows with default values. Returns the index of the first new row.
uint32_t columns_append_defaults(columns_t *columns, uint32_t count);
// columns_append_values appends `count` rows that all have the same `values` (one per column); columns_append_rows
// appends copies of rows with the same schema. Both return the index of the first new row.
uint32_t columns_append_values(columns_t *columns, uint32_t count, const double *values);
uint32_t columns_append_rows(columns_t *target, const columns_t *source, uint32_t source_row, uint32_t count);
// Appends rows with undefined values, all of which the caller must write. Returns the index of the first new row.
uint32_t columns_append_uninitialized(columns_t *columns, uint32_t count);
// Writes the same `values` (one per column) to `count` rows, and clears their marks.
void columns_fill_rows(columns_t *columns, uint32_t first_row, uint32_t count, const double *values);
// columns_encode converts values (one per column) to elements in slots of 8 bytes, which columns_write_encoded writes
// to a row without conversions, clearing its marks. A mat4 becomes the identity. The caller must report written entity
// fields (`links`).
void columns_encode(const columns_t *columns, const double *values, uint64_t *elements);
void columns_write_encoded(columns_t *columns, uint32_t row, const uint64_t *elements);
// Removes a row and moves the last row to its index.
void columns_swap_erase_row(columns_t *columns, uint32_t row);
void columns_swap_rows(columns_t *columns, uint32_t a, uint32_t b);
// For each k in order, columns_swap_listed_rows swaps the rows a[k] and b[k]; columns_copy_listed_rows copies row b[k]
// to row a[k].
void columns_swap_listed_rows(columns_t *columns, const uint32_t *a, const uint32_t *b, uint32_t count);
void columns_copy_listed_rows(columns_t *columns, const uint32_t *a, const uint32_t *b, uint32_t count);
// Moves the rows [source_row, source_row + count) to `target_row`. The ranges may overlap.
void columns_move_rows(columns_t *columns, uint32_t target_row, uint32_t source_row, uint32_t count);
// Removes the first `count` rows and moves the remaining rows to the front.
void columns_erase_first_rows(columns_t *columns, uint32_t count);
void columns_clear(columns_t *columns);

// Read and write single values as numbers. Doubles represent the values of every type exactly: bool is 0 or 1; entity,
// string and asset are ids. A mat4 is not a number: get returns 0, set does nothing, and its default is the identity.
// Values outside the type's range are clamped.
double columns_get(const columns_t *columns, uint32_t row, uint32_t column);
void columns_set(columns_t *columns, uint32_t row, uint32_t column, double value); // sets a value and its mark
// Read and write an element in memory that has the type of the column; columns_set_element also writes a mat4.
double columns_read_element(const columns_t *columns, uint32_t column, const void *element);
void columns_set_element(columns_t *columns, uint32_t row, uint32_t column, const void *element);
// Like columns_set, but does not set the mark. Used for values from a template.
void columns_set_unmarked(columns_t *columns, uint32_t row, uint32_t column, double value);
// Like columns_set_unmarked for the most frequent kind of write: a number in an f32 column without a range. Returns
// true on success, or false, without a change, for all remaining columns and for NaN.
static inline bool columns_try_set_f32(columns_t *columns, uint32_t row, uint32_t column, double value) {
  const field_t *field = &columns->schema->fields[column];
  if (field->type != FIELD_F32 || field_has_range(field) || value != value)
    return false;
  ((float *)columns->data[column])[row] = (float)value;
  return true;
}
void columns_fill(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count, double value);
// Copy rows between columns with equal schemas. If only `target` tracks changes, clear the marks of the copies.
void columns_copy_row(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row);
void columns_copy_rows(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row,
                       uint32_t count);
// Exchanges the memory of two sets of columns with equal schemas, and empties `source`. `target` must be empty. The
// rows of `source` remain in the memory that `target` receives, as the values of its first rows. Returns true on
// success, or false without a change if `target` has at least as much memory as `source`, or if only one of them tracks
// changes.
bool columns_exchange_memory(columns_t *target, columns_t *source);

// Returns the marks of a column, or NULL if marks are not tracked.
static inline uint8_t *columns_get_marks(const columns_t *columns, uint32_t column) {
  return columns->stored_count > columns->column_count ? (uint8_t *)columns->data[columns->column_count + column]
                                                       : NULL;
}
// Returns true if the value or, for a column of a list, any value of the list is marked.
bool columns_is_touched(const columns_t *columns, uint32_t row, uint32_t column);
// Sets the marks of rows written in place. Does nothing if marks are not tracked.
void columns_mark_touched(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count);

// Clamps rows of a column whose field is limited (field_is_limited), after writes that bypassed columns_set. NaN
// becomes the default. Calls `on_changed` (may be NULL), in ascending order of rows, with each value that was out of
// range or NaN; replaced_nan is then not set. Returns the number of changed values. The result is the same on every
// processor. In the columns of a list, also sets the values past the count to 0, without calling `on_changed`; the
// count must be clamped first.
typedef void (*columns_clamped_t)(void *context, uint32_t row, double value);
uint32_t columns_clamp(columns_t *columns, uint32_t column, uint32_t first_row, uint32_t count,
                       columns_clamped_t on_changed, void *context);
// Clamps all columns of these rows that are limited or belong to a list.
void columns_clamp_rows(columns_t *columns, uint32_t first_row, uint32_t count);

// Replaces all rows with `count` rows of untrusted data; `source` has one array per column. Replaces every NaN with the
// canonical NaN (shoal/number.h), the only NaN that Lua can read safely. Does not set the marks.
void columns_load(columns_t *columns, const void *const *source, uint32_t count);
// Read an element in a form that is safe for Lua (NaN becomes the canonical NaN).
double columns_read_f32(const float *element);
double columns_read_f64(const double *element);

// Returns a hash of all rows. Leaves out the marks, hidden fields, fields of the machine (FIELD_OF_MACHINE), and added
// fields whose values are all 0. All NaNs are considered equal.
uint64_t columns_hash(const columns_t *columns, uint64_t seed);

#endif
