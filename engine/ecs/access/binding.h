// A program's declaration, matched with a component, singleton or event of the world.
#ifndef SHOAL_ACCESS_BINDING_H
#define SHOAL_ACCESS_BINDING_H

#include "access/scratch.h"
#include "base/assert.h"
#include "ecs/world.h"

// Method of copying a value between a struct and a column: as the given number of bytes, or as a float, whose NaN is
// replaced with the canonical NaN when written.
typedef enum access_copy_t {
  ACCESS_COPY_NONE, // derived column, which is not copied
  ACCESS_COPY_1,
  ACCESS_COPY_2,
  ACCESS_COPY_4,
  ACCESS_COPY_8,
  ACCESS_COPY_F32,
  ACCESS_COPY_F64,
  ACCESS_COPY_MATRIX
} access_copy_t;

// Method of copying a whole struct. Structs whose fields all have four bytes are copied without a test per member.
typedef enum access_struct_copy_t {
  ACCESS_STRUCT_BY_MEMBER,
  ACCESS_STRUCT_WORDS, // every member has four bytes: can be read as words
  ACCESS_STRUCT_FLOATS // every member is an f32: can be read as words, and written as floats
} access_struct_copy_t;

typedef struct access_binding_t {
  const shoal_component *component;
  shoal_component *described; // result of access_create_description; NULL for the program's own declaration
  manager_o *manager;         // manager of the component; NULL for events, and if the world lacks the component
  event_o *event;
  bool matched;
  bool is_plain;     // true if `manager` belongs to a plain component: an entity has at most one row
  uint32_t *columns; // indexed by the declaration's column: index of the store's column
  // Layout of the declaration's value struct (SHOAL_SET, SHOAL_GET). `offsets` and `copies` are indexed by the
  // declaration's column. `has_gaps` is true if the struct has padding or members of derived fields. `can_copy` is true
  // if members can be written by a plain copy, except members whose column has a range.
  uint32_t *offsets;
  access_copy_t *copies;
  access_struct_copy_t struct_copy;
  uint32_t values_bytes;
  // `values_bytes` if `is_plain` is true, otherwise UINT32_MAX: one comparison with a struct's size checks both members
  uint32_t plain_bytes;
  bool has_gaps, can_copy;
  void **data; // column pointers, returned by shoal_get_rows, shoal_read_events and shoal_emit_begin
  scratch_t scratch;
  uint32_t emit_row_count; // number of rows between shoal_emit_begin and shoal_emit_end; otherwise 0
  uint64_t next_unread;    // number of the first unread event row
  bool is_open;            // true between access_open_event and event_close
} access_binding_t;

// Returns true if a column of the declaration is derived, that is, computed on read (schema.h).
static inline bool access_is_derived(const access_binding_t *binding, uint32_t column) {
  shoal_assert(column < binding->component->column_count, "column %u of %s is out of range", column,
               binding->component->name);
  return binding->manager && binding->columns[column] >= binding->manager->schema.field_count;
}

// Returns a bit mask of the store's columns that the declaration contains, without derived columns.
static inline uint64_t access_stored_columns(const access_binding_t *binding) {
  uint64_t columns = 0;
  for (uint32_t i = 0; i < binding->component->column_count; ++i)
    if (!access_is_derived(binding, i))
      columns |= UINT64_C(1) << binding->columns[i];
  return columns;
}

static inline uint32_t access_element_bytes(const access_binding_t *binding, uint32_t column) {
  shoal_assert(binding->manager, "%s is not a component of this world", binding->component->name);
  return field_size(binding->manager->schema.fields[binding->columns[column]].type);
}

#endif
