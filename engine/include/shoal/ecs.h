// Shoal's entity system as a standalone library: worlds of entities whose components are stored as columns, and queries
// over them. The library needs no Lua, no window and no game files. Link with libshoal-ecs (`pkg-config shoal-ecs`, or
// shoal::ecs in CMake), which needs only the C library. C11, usable from C++17.
//
//   #define BODY(F) F(vec2, pos, 0, 0) F(vec2, velocity, 1, 0)
//   SHOAL_COMPONENT(body, BODY)
//
//   shoal_world *world = shoal_ecs_create(SHOAL_COMPONENTS(body));
//   shoal_ecs_define_assemblage(world, "ball", SHOAL_COMPONENTS(body));
//   shoal_spawn_many(world, "ball", 1000, NULL);
//   shoal_view view;
//   if (shoal_query_begin(world, &(shoal_query_desc){.with = {"body"}}, &view)) {
//     float *x = SHOAL_COLUMN(&view, body, pos.x);
//     for (uint32_t i = 0; i < view.count; ++i)
//       x[i] += 1.0f;
//     shoal_query_end(world, &view);
//   }
//   shoal_ecs_destroy(world);
//
// <shoal/world.h> has the functions of a world. This header adds functions for assemblages, groups and ticks, which in
// a game come from its files. A world belongs to the thread that creates it. Different threads can use different
// worlds. shoal_ecs_run_parallel processes the rows of a query on several threads.
//
// shoal_destroy only marks an entity, unless components have managers or cascades: the next call of any function except
// shoal_destroy and shoal_is_alive removes the rows of all marked entities together. Managers are called immediately.
// The result of every function is the same as if each entity were removed immediately.
//
// A function that fails returns false, NULL or 0 and changes nothing. shoal_last_error returns the reason, even for a
// destroyed world. The functions below that take a world fail on other threads and with a destroyed world. All of them
// also fail while a query is open, except shoal_ecs_define_assemblage_set, shoal_ecs_entity_count,
// shoal_ecs_manager_data and shoal_ecs_run_parallel. Additional errors are listed with each function.
#ifndef SHOAL_ECS_H
#define SHOAL_ECS_H

#include "shoal/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SHOAL_ECS_API __attribute__((visibility("default")))
#else
#define SHOAL_ECS_API
#endif

// Creates a world with the given components, singletons and events: a NULL-terminated list (SHOAL_COMPONENTS), or NULL.
// shoal_declare adds more. Returns the world, or NULL if a declaration is invalid (see shoal_ecs_last_error). The
// declarations must outlive the world.
SHOAL_MUST_USE SHOAL_ECS_API shoal_world *shoal_ecs_create(const shoal_component *const *components);
// Destroys a world. Does nothing for NULL. Fails while a query is open.
SHOAL_ECS_API bool shoal_ecs_destroy(shoal_world *world);
// Returns the reason why the last call on this thread failed, even if shoal_ecs_create returned NULL, or "" if the call
// succeeded. Valid until the next call.
SHOAL_ECS_API const char *shoal_ecs_last_error(void);

// Declares an assemblage for shoal_spawn(world, name), which creates entities with these components and their default
// values. Fails if the name is empty or taken, or a component is a singleton, an event or not declared.
SHOAL_ECS_API bool shoal_ecs_define_assemblage(shoal_world *world, const char *name,
                                               const shoal_component *const *components);
// Sets the initial value of a field for entities that are created from an assemblage. `column` is
// SHOAL_COLUMN_INDEX(body, pos.x). Fails if the assemblage does not exist or lacks the component, or the column is out
// of range.
SHOAL_ECS_API bool shoal_ecs_define_assemblage_set(shoal_world *world, const char *name,
                                                   const shoal_component *component, uint32_t column, double value);
// Declares a group: keeps the rows of a query's components in the order of the query, so that opening the query copies
// no columns. A component belongs to at most one group. Fails if the query has no `with` component with one row per
// entity, if a component is SHOAL_KIND_MANY or not declared, or if a component belongs to a different group.
SHOAL_ECS_API bool shoal_ecs_create_group(shoal_world *world, const shoal_query_desc *desc);
// Ends a tick: increments the tick counter, compares observed components, and drops the events of the previous tick.
SHOAL_ECS_API bool shoal_ecs_run_tick(shoal_world *world);
// Returns the number of living entities, at most 4,194,303.
SHOAL_ECS_API uint32_t shoal_ecs_entity_count(shoal_world *world);

// --- managers
// A component can have a manager (SHOAL_COMPONENT_WITH_MANAGER; shoal_manager in <shoal/types.h>): storage in addition
// to its columns, such as a tree or the bodies of a solver. shoal_ecs_create and shoal_declare create the storage, and
// shoal_ecs_destroy destroys it. When queued changes are applied, the manager is notified of entities that gain or lose
// the component. Its storage is part of snapshots, files and the hash.
//
// The functions of a manager are the same as in a plugin. Their context is valid during the call. <shoal/plugin.h>
// declares the functions that take a context. In a manager, shoal_get_world, shoal_realloc, shoal_fail, shoal_log
// (errors and warnings go to stderr), shoal_tick, shoal_manager_data, shoal_worker_count and shoal_parallel_for are
// available. All other functions that take a context fail. The world can be read with shoal_is_alive, shoal_get_rows,
// shoal_find_rows and shoal_string only.
//
// If a function of a manager fails, calls a function that is not available, or returns a wrong `count`, the program's
// call during which this happens fails with a message, although its changes have been made. A manager that returns a
// wrong `count`, or rejects the bytes of a snapshot, is refilled from the columns.

// Returns the storage of a component's manager (the result of `create`), or NULL for a component without a manager.
// Valid until the world is destroyed.
SHOAL_ECS_API void *shoal_ecs_manager_data(shoal_world *world, const shoal_component *component);

// --- threads

// Processes a part of the rows of a query. `world` is the world of this part, valid during the call only. The part must
// use it in place of the world of the program. `rows` is a part of the view: rows->first is the number of its first row
// in the query. Called on any thread, for several parts at the same time.
typedef void shoal_ecs_part_fn(shoal_world *world, const shoal_view *rows, void *data);

// Calls `part` for all rows of an open view, divided into parts of 16,384 rows, and returns when all calls have
// returned. The division and the results do not depend on the number of threads.
//
// A part may write the columns of its rows, and read the components that the program has declared (shoal_get_rows,
// shoal_find_row, shoal_has, shoal_get). It may also call shoal_is_alive and shoal_string. Changes (shoal_destroy,
// shoal_add, shoal_remove, shoal_set) and events (shoal_emit_begin) are queued, and applied in the order of the parts
// when the outermost query ends. A part cannot call functions that spawn entities, add strings, open queries, read
// events, use relations or declare components.
//
// Can be called while queries are open. Fails if
// - the view is not open,
// - a part called a function that is not allowed: the columns keep the written values, and no queued change is applied,
// - a part removed a required component: only the removal is skipped.
SHOAL_ECS_API bool shoal_ecs_run_parallel(shoal_world *world, const shoal_view *view, shoal_ecs_part_fn *part,
                                          void *data);
// Sets the number of threads, including the calling thread: at most 64. 0 (the default) means one for each core. The
// threads are created by the first loop that needs them.
SHOAL_ECS_API bool shoal_ecs_set_worker_count(shoal_world *world, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
