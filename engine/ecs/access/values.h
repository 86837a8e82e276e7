// Reads and writes values of an entity's component or of a singleton, addressed by the column indices of a program's
// declaration. On failure, functions return false after calling access_fail.
#ifndef SHOAL_ACCESS_VALUES_H
#define SHOAL_ACCESS_VALUES_H

#include "access/access.h"

typedef struct access_row_t {
  // World of the row. If the world has a chunk, changes are queued in the chunk.
  const access_world_t *of;
  const access_binding_t *bound;
  shoal_entity entity;  // owner of the row; 0 for a singleton
  const char *instance; // name of a `many` row; may be NULL
} access_row_t;

// Describes a row and binds its component. Returns true on success, or false after calling access_fail if the component
// cannot be bound.
static inline bool access_describe_row(shoal_world *w, const shoal_component *component, shoal_entity e,
                                       const char *instance, access_row_t *out) {
  *out = (access_row_t){access_world_of(w), access_bind_rows(access_of(w), component), e, instance};
  return out->bound != NULL;
}

bool access_add_row(const access_row_t *r);
bool access_remove_row(const access_row_t *r);
bool access_set_value(const access_row_t *r, uint32_t column, double value);
bool access_get_value(const access_row_t *r, uint32_t column, double *value);
// Like access_get_value, but reads the last value of an entity that died while the event referred to the entity.
bool access_get_event_value(const access_row_t *r, uint32_t event, uint32_t column, double *value);
// access_set_values writes and access_get_values reads all values of a row as a C struct (SHOAL_SET, SHOAL_GET).
// access_set_values does not write column `skipped` of the store; ACCESS_SKIP_NONE writes all columns.
#define ACCESS_SKIP_NONE UINT32_MAX
bool access_set_values(const access_row_t *r, const void *values, size_t size, uint32_t skipped);
bool access_get_values(const access_row_t *r, void *values, size_t size);

#endif
