// Parallel columns in one allocation, each 64-byte aligned: the storage under managers, singles and events. Rows are
// dense, 0-based, and leave by swap-with-last (or from the front, for events). No pointers inside the memory.
//
// Columns that are tracked keep a mark beside each value, a byte: has somebody written it since the row came into
// being? It moves with its row. Who writes in place, past columns_set, marks what he has written; nothing of it is
// part of a hash (design/0012).
#ifndef SHOAL_SCHEMA_COLUMNS_H
#define SHOAL_SCHEMA_COLUMNS_H

#include "schema/schema.h"

#define ROW_NONE UINT32_MAX

typedef struct columns_t {
  uint32_t count, capacity;
  uint32_t column_count;
  void **data; // stored_count pointers into `memory`; they move when rows are added
  uint32_t *element_bytes;
  uint32_t stored_count; // column_count; of tracked columns twice as many: behind the values their marks
  void *memory;
  size_t memory_bytes;
  const schema_t *schema; // owned by the manager or event type around it
  double *initial;        // the defaults as stored, string ids resolved
  allocator_t *allocator;
  uint8_t *links; // becomes 1 when columns_put and columns_fill write an entity; NULL where nobody asks
} columns_t;

// `initial` holds schema->field_count values (texts already interned); it is copied.
void columns_init(columns_t *c, const schema_t *schema, const double *initial, allocator_t *a);
void columns_fini(columns_t *c);
// With marks or without; the marks of rows that are there are 0. `data` may move.
void columns_track(columns_t *c, bool on);
void columns_reserve(columns_t *c, uint32_t rows);
// How many rows to make room for when `wanted` do not fit in `capacity`: double while small, a quarter more when
// large, and exactly what is asked for where that is more still.
uint32_t columns_grown(uint32_t capacity, uint32_t wanted);

// Appends `count` rows with the defaults; returns the first.
uint32_t columns_append(columns_t *c, uint32_t count);
// The same with other values than the defaults (column_count of them), or with rows of the same schema.
uint32_t columns_append_values(columns_t *c, uint32_t count, const double *values);
uint32_t columns_append_rows(columns_t *to, const columns_t *from, uint32_t from_row, uint32_t count);
// The same without values: what is in the new rows is for the caller to write.
uint32_t columns_append_blank(columns_t *c, uint32_t count);
void columns_write(columns_t *c, uint32_t first, uint32_t count, const double *values);
void columns_swap_erase(columns_t *c, uint32_t row);
// Rows a[k] and b[k] change places, or row b[k] is copied to a[k]: one pair after the other.
void columns_swap_each(columns_t *c, const uint32_t *a, const uint32_t *b, uint32_t count);
void columns_copy_each(columns_t *c, const uint32_t *a, const uint32_t *b, uint32_t count);
// Rows [from, from + count) to `to` and on; the ranges may overlap.
void columns_move(columns_t *c, uint32_t to, uint32_t from, uint32_t count);
void columns_erase_front(columns_t *c, uint32_t rows);
void columns_clear(columns_t *c);

// One value as a number: f64 holds every type exactly; bool is 0/1; entity, string and asset are ids; mat4 is not a
// number (get returns 0, set does nothing; its default is the identity). A number outside the type's range becomes
// the nearest one in it.
double columns_get(const columns_t *c, uint32_t row, uint32_t column);
void columns_set(columns_t *c, uint32_t row, uint32_t column, double value); // marks it
void columns_put(columns_t *c, uint32_t row, uint32_t column,
                 double value); // the same without the mark: a template's value
void columns_fill(columns_t *c, uint32_t column, uint32_t first, uint32_t count, double value);
void columns_copy_row(columns_t *to, uint32_t to_row, const columns_t *from, uint32_t from_row); // same schema
void columns_copy_rows(columns_t *to, uint32_t to_row, const columns_t *from, uint32_t from_row, uint32_t count);

// NULL when they are not tracked.
static inline uint8_t *columns_marks(const columns_t *c, uint32_t column) {
  return c->stored_count > c->column_count ? (uint8_t *)c->data[c->column_count + column] : NULL;
}
static inline bool columns_is_touched(const columns_t *c, uint32_t row, uint32_t column) {
  const uint8_t *marks = columns_marks(c, column);
  return marks && marks[row] != 0;
}
// Marks rows whose values somebody has written in place. Nothing where they are not tracked.
void columns_touch(columns_t *c, uint32_t column, uint32_t first, uint32_t count);

// Puts the one NaN (shoal/number.h) in the place of every other, so that Lua can read them: for bytes that come from
// outside.
void columns_unify_nan(columns_t *c);
// An element as Lua may see it.
double columns_read_f32(const float *at);
double columns_read_f64(const double *at);

// Every NaN counts as the same.
uint64_t columns_hash(const columns_t *c, uint64_t seed);

#endif
