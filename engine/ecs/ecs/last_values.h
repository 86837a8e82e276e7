// Copies of removed rows, for two purposes:
// - The `leave` handlers of systems and the `destroy` handlers of behaviours read the last values of entities that
//   stopped matching a watched query. Rows are copied only for watchers set with world_watch_enable_last_rows.
// - Handlers of an event read the last values of entities that died while the event named them (event_deaths.h).
//
// All copies live until the end of the first tick in which these watchers have no more entities to report and these
// events have expired. If this takes a long time, for example because a system is disabled, copies that no handler can
// read are dropped whenever the number of a component's copies has doubled. Snapshots contain all copies; the hash of a
// world contains only the copies for event_deaths.h.
#ifndef SHOAL_ECS_LAST_VALUES_H
#define SHOAL_ECS_LAST_VALUES_H

#include "base/array.h"
#include "ecs/manager.h"

typedef struct last_values_t {
  columns_t columns;
  ARRAY(shoal_entity) owner; // owners of the copies, indexed by row, oldest first
  ARRAY(uint32_t) instance;  // string ids of the instance names, indexed by row; for `many` components only
  ARRAY(uint32_t) removal;   // indexed by row: world_o.removal at the time of the copy
  // indexed by row: row + 1 of the previous copy with the same entity index; valid for indexed rows
  ARRAY(uint32_t) older;
  uint32_t **pages; // index: entity → row + 1 of its most recent copy
  uint32_t page_count;
  uint32_t compacted; // number of rows kept by the most recent compaction
} last_values_t;

// Copies the rows of these entities in m; if `all` is false, only the rows of entities with MARK_LEFT. If `row` is not
// ROW_NONE, copies only this row (of a `many` component).
void last_values_store(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all);
// Ends an operation that removes rows. Operations are numbered in ascending order; the copies of an operation, and the
// watcher entries of the entities that it removed from queries, store its number.
void last_values_end_operation(world_o *w);
// Replaces the copies of m. Columns must match the schema.
void last_values_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                      const uint32_t *removal, const void *const *columns);
void last_values_free(manager_o *m);
void last_values_end_tick(world_o *w);

// Returns the row that e had when it stopped matching: the first row removed in operation `removal`
// (query_watch_t.removal) or later. Returns ROW_NONE if no row of e has been removed since then: if e still has a row,
// e had that row when it stopped matching. `any_instance`: true to ignore `instance`. Used by bindings.
uint32_t last_values_find(manager_o *m, shoal_entity e, uint32_t removal, uint32_t instance, bool any_instance);
double last_values_get(const manager_o *m, uint32_t row, uint32_t column); // converts like columns_get
// Adds the rows that e had in m when it died in operation `removal` to a hash, and returns the new hash.
uint64_t last_values_hash(manager_o *m, shoal_entity e, uint32_t removal, uint64_t hash);

#endif
