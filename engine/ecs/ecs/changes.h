// Change counters and observers: lists of entities that start or stop matching a query, or whose values changed.
//
// Counted and observed components are compared with a saved copy of their rows: at each reading, at the end of each
// tick, and before the world is hashed or saved. The comparison detects all writes, however they are made, at no cost
// per write. A value that changed and changed back between two comparisons is considered unchanged.
//
// Counts and unread lists are part of the state (storage of the component shoal.changes; watchers: query_observer.h).
// Main thread only.
#ifndef SHOAL_ECS_CHANGES_H
#define SHOAL_ECS_CHANGES_H

#include "ecs/world.h"
#include "ecs/observed.h"

// Maximum number of calls to an observer per tick. An observer that exceeds it probably triggers itself endlessly.
#define OBSERVER_MAX_ROUNDS 100u

// Declares the component that stores counts and unread lists in the state. Without it, a restore loses them. Returns
// true on success, or false with an error.
bool changes_declare(world_o *w, error_info_t *error);

// Returns the number of rows of this component or singleton that were added, removed or changed since the first call in
// this world. A row counts once per comparison.
uint64_t changes_count(world_o *w, uint32_t manager);

// --- observers, each for one query. Lists are borrowed until the next observer_begin_delivery of the same observer.

// Returns the id of the observer with this name, creating it if necessary. A new observer starts with all matching
// entities in OBSERVED_ENTER. If `compares` is true, the observer also lists changed entities. An existing observer
// switches to `q` and `compares`.
uint32_t observer_find_or_create(world_o *w, const char *name, query_o *q, bool compares);
// Returns true if the next observer_begin_delivery would list at least one entity.
bool observer_has_pending(world_o *w, uint32_t observer);
// Moves pending changes to the three lists:
// - OBSERVED_LEAVE: entities that no longer match, possibly dead, in order of occurrence
// - OBSERVED_ENTER: entities that started to match, in order of occurrence
// - OBSERVED_CHANGED: entities that matched before and have a new value in a `with` component of the query, each once,
//   in order of entity index
void observer_begin_delivery(world_o *w, uint32_t observer);
// Marks OBSERVED_CHANGED as handled; without this call, the next observer_begin_delivery lists these entities again.
// After a failure, the entities of the other two lists are lost unless world_watch_return_entries is called.
void observer_end_delivery(world_o *w, uint32_t observer);
const shoal_entity *observer_get_list(world_o *w, uint32_t observer, observed_t kind, uint32_t *count);
// Marks element i of OBSERVED_LEAVE or OBSERVED_ENTER as handled: world_watch_return_entries skips it.
void observer_mark_handled(world_o *w, uint32_t observer, observed_t kind, uint32_t i);
// Return the last assemblage and state (string ids) of element i of OBSERVED_LEAVE.
uint32_t observer_last_assemblage(world_o *w, uint32_t observer, uint32_t i);
uint32_t observer_last_state(world_o *w, uint32_t observer, uint32_t i);
// Returns the number of the operation in which element i of OBSERVED_LEAVE stopped matching, for last_values_find.
uint32_t observer_last_removal(world_o *w, uint32_t observer, uint32_t i);
// For watchers that keep last rows: removes entities whose row of this component has been replaced. An entity of
// OBSERVED_LEAVE is removed if it is alive and lost its row of this component when it stopped matching or later. Its
// elements in OBSERVED_LEAVE and OBSERVED_ENTER become SHOAL_ENTITY_NONE.
void observer_drop_replaced(world_o *w, uint32_t observer, uint32_t manager);
// Returns the id of the observer's watcher, for world_watch_pop_entries and world_watch_return_entries.
uint32_t observer_get_watcher(world_o *w, uint32_t observer);

#endif
