// Counters of changes, and observers: the entities that begin or cease to match a query, or whose values changed.
//
// A counted or observed component is compared with a saved copy of its rows: at each reading, at the end of each tick,
// and before the world is hashed or saved. Every write counts, whatever made it, and writes stay free of bookkeeping. A
// value that changed and changed back between two comparisons has not changed.
//
// Counts and unread lists are part of the state (the storage of the component shoal.changes; watchers are in
// query_observer.h). Main thread.
#ifndef SHOAL_ECS_CHANGES_H
#define SHOAL_ECS_CHANGES_H

#include "ecs/world.h"
#include "ecs/observed.h"

// Maximum number of rounds of an observer in one tick: more means that its own changes never end.
#define OBSERVER_MAX_ROUNDS 100u

// Declares the component that stores counts and unread lists. A world without it loses them in a restore.
bool changes_declare(world_o *w, error_t *error);

// Returns the number of rows of this component or single that were added, removed or given another value since the
// first call.
uint64_t changes_of(world_o *w, uint32_t manager);

// --- observers, each of one query. Lists are borrowed until the next `begin` of the same observer.

// Returns the number of the observer of this name, which is created if necessary. A new one starts with every entity
// that matches in OBSERVED_ENTER. `compares`: it also lists changed entities.
uint32_t observer_open(world_o *w, const char *name, query_o *q, bool compares);
// Returns whether a list would have an entity in it.
bool observer_waits(world_o *w, uint32_t observer);
// Moves what has happened into the three lists. OBSERVED_LEAVE: no longer match, and may be dead. OBSERVED_ENTER: began
// to match. Both in the order in which that happened. OBSERVED_CHANGED: matched before, and have another value in a
// `with` component of the query; in the order of their indices, each once.
void observer_begin(world_o *w, uint32_t observer);
// The lists were handled. Without it the next `begin` lists the changed entities again; the other two lists need
// world_watch_return.
void observer_end(world_o *w, uint32_t observer);
const shoal_entity *observer_list(world_o *w, uint32_t observer, observed_t kind, uint32_t *count);
// Element i of OBSERVED_LEAVE or OBSERVED_ENTER was handled: world_watch_return leaves it out.
void observer_told(world_o *w, uint32_t observer, observed_t kind, uint32_t i);
// Returns the text ids of the last assemblage and state of element i of OBSERVED_LEAVE.
uint32_t observer_last_assemblage(world_o *w, uint32_t observer, uint32_t i);
uint32_t observer_last_state(world_o *w, uint32_t observer, uint32_t i);
uint32_t observer_last_removal(world_o *w, uint32_t observer, uint32_t i); // for last_row
// Writes SHOAL_ENTITY_NONE in place of living entities of OBSERVED_LEAVE whose row of this component was removed since
// they ceased to match, and in their places in OBSERVED_ENTER. Of a watcher that keeps last rows.
void observer_drop_replaced(world_o *w, uint32_t observer, uint32_t manager);
uint32_t observer_watcher(world_o *w, uint32_t observer); // of world_watch

#endif
