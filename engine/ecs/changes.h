// How often components have changed, and which entities' values did: for systems that ask "has it changed since?" and
// for observers that hear of add, remove and set.
//
// A component that somebody asks about is compared with what it was: at each question, at the end of each tick, and
// before the world is hashed or saved. So it does not matter who wrote, or how; nothing is written down while columns
// are; and what nobody asks about costs nothing. A value that changed and changed back in between has not changed.
//
// What has been counted and not been heard of yet is part of the state (the storage of the component shoal.changes).
// Main thread.
#ifndef SHOAL_ECS_CHANGES_H
#define SHOAL_ECS_CHANGES_H

#include "ecs/world.h"
#include "ecs/observed.h"

// So often an observer is called again in one tick because of what it has changed itself; then it is stopped.
#define OBSERVER_MOST_ROUNDS 100u

// Declares the component that keeps it all. A world without it counts too, and forgets with a restore.
bool changes_declare(world_o *w, error_t *error);

// How many rows of this component or single came, went or got another value since somebody asked first.
uint64_t changes_of(world_o *w, uint32_t manager);
// Has it changed since `asker`, a system's name, asked last? True the first time.
bool changes_since(world_o *w, const char *asker, uint32_t manager);

// --- observers: of a query, by name. `begin` takes what has happened; the lists are borrowed until the next `begin`.
// → its number, the same for the same name. A new one hears of all that match as added. One query for a name.
uint32_t observer_open(world_o *w, const char *name, query_o *q);
bool observer_waits(world_o *w, uint32_t observer); // has anything happened that it has not heard of?
// Entities that began to match the query, in the order in which they did; that ceased to, which may be dead; and that
// match, and have another value in a component of its `with` terms, in the order of their indices, each once.
// `end` says that they were told; without it the next `begin` gives those with another value again, and the others are
// for world_watch_return.
void observer_begin(world_o *w, uint32_t observer);
void observer_end(world_o *w, uint32_t observer);
uint32_t observer_watcher(world_o *w, uint32_t observer); // of world_watch: who began and ceased to match
const shoal_entity *observer_list(world_o *w, uint32_t observer, observed_t kind, uint32_t *count);

#endif
