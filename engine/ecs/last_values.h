// Copies of rows that were removed: the last values of entities that ceased to match a watched query, which `leave` of
// systems and `destroy` of behaviours read. Only for watchers of world_watch_keep_last. All copies live until the end
// of the tick in which no such watcher has an entity to report any more. While one has, as of a system that is switched
// off, copies that no watcher can report are dropped when most of them are such. Part of snapshots, and of no hash.
#ifndef SHOAL_ECS_LAST_VALUES_H
#define SHOAL_ECS_LAST_VALUES_H

#include "base/array.h"
#include "ecs/manager.h"

typedef struct last_values_t {
  columns_t columns;
  ARRAY(shoal_entity) owner; // by row, oldest first
  ARRAY(uint32_t) instance;  // MANY
  ARRAY(uint32_t) removal;   // by row: world_o.removal when it was copied
  ARRAY(uint32_t) older;     // by row: row + 1 of the previous one of the same entity index; as far as rows are indexed
  uint32_t **pages;          // entity → row + 1 of the most recent one
  uint32_t page_count;
  uint32_t compacted; // rows that the most recent compaction kept
} last_values_t;

// Copies the rows that these entities have in m: of those with MARK_LEFT, or of all. `row`: only this one of a MANY
// component, unless it is ROW_NONE.
void last_values_keep(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all);
// Ends an operation that removes rows: what it copied, and the entities that it made leave queries, have its number. A
// later operation has a higher one.
void last_values_next(world_o *w);
// Replaces the copies of m. Columns as in the schema.
void last_values_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                      const uint32_t *removal, const void *const *columns);
void last_values_free(manager_o *m);
void last_values_end_tick(world_o *w);

// Returns the row that e had when it ceased to match: the first one that was removed in operation `removal` or later
// (query_watch_t.removal). ROW_NONE: none was, so the row that e has now, if any, is the same one. `any`: of any
// instance. For bindings.
uint32_t last_row(manager_o *m, shoal_entity e, uint32_t removal, uint32_t instance, bool any);
double last_value(const manager_o *m, uint32_t row, uint32_t column); // as columns_get

#endif
