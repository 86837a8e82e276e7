// Watchers of queries (world_watch_query): per system, the entities that started or stopped matching. Private to ecs
// and snapshot.
#ifndef SHOAL_ECS_QUERY_OBSERVER_H
#define SHOAL_ECS_QUERY_OBSERVER_H

#include "ecs/world_internal.h"

void query_observer_record_change(world_o *w, uint32_t watcher_id, shoal_entity e, bool entered);
// Returns the watcher's id, or 0 if the system does not watch the query.
uint32_t query_observer_find_watcher(const world_o *w, uint32_t system, const query_o *q);
// Creates a watcher, whose first entries are all current matches, and returns its id.
uint32_t query_observer_add_watcher(world_o *w, uint32_t system, query_o *q);
// Adds unread entries to a watcher, which is created if it does not exist. Skips `entered` entries of entities that do
// not match, and of entities that already have such an entry.
void query_observer_resume_watcher(world_o *w, uint32_t system, query_o *q, const query_watch_t *pending,
                                   uint32_t count);
void query_observer_free_all(world_o *w);
bool query_observer_keeps_last_rows(const world_o *w, uint32_t system);
uint64_t query_observer_hash(const world_o *w, uint64_t seed);

#endif
