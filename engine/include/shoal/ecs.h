// The entity system of Shoal alone: worlds of entities whose components are columns, and queries over them. No Lua, no
// window, no game files. The library is libshoal-ecs (`pkg-config shoal-ecs`, or shoal::ecs in CMake), which needs the
// C library and nothing else. C11, usable from C++17.
//
//   #define BODY(F) F(vec2, pos, 0, 0) F(vec2, velocity, 1, 0)
//   SHOAL_COMPONENT(body, BODY)
//
//   shoal_world *world = shoal_ecs_create(SHOAL_COMPONENTS(body));
//   shoal_ecs_template(world, "ball", SHOAL_COMPONENTS(body));
//   shoal_spawn_many(world, "ball", 1000, NULL);
//   shoal_view view;
//   if (shoal_query(world, &(shoal_wanted){.with = {"body"}}, &view)) {
//     float *x = SHOAL_COLUMN(&view, body, pos[0]);
//     for (uint32_t i = 0; i < view.count; ++i)
//       x[i] += 1.0f;
//     shoal_query_end(world, &view);
//   }
//   shoal_ecs_destroy(world);
//
// <shoal/world.h> has the functions of a world; this header has what a game declares otherwise: templates, groups,
// ticks. A world is used by the thread that creates it; several worlds may be used by several threads. A function that
// fails returns false, NULL or 0 and changes nothing; shoal_why returns the reason, also for a world that was
// destroyed.
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

// A world with these components, singles and events, a list that ends with NULL (SHOAL_COMPONENTS); NULL for none:
// shoal_declare adds more. NULL on failure, with shoal_ecs_error.
SHOAL_ECS_API shoal_world *shoal_ecs_create(const shoal_component *const *components);
SHOAL_ECS_API bool shoal_ecs_destroy(shoal_world *world); // NULL is allowed
// Why the last call on this thread failed, also without a world; "" if it did not. Valid until the next call.
SHOAL_ECS_API const char *shoal_ecs_error(void);

// Declares what shoal_spawn(world, name) creates: an entity with these components, with their defaults.
SHOAL_ECS_API bool shoal_ecs_template(shoal_world *world, const char *name, const shoal_component *const *components);
// Replaces a default of a template. Columns are numbered by SHOAL_INDEX.
SHOAL_ECS_API bool shoal_ecs_template_set(shoal_world *world, const char *name, const shoal_component *component,
                                          uint32_t column, double value);
// Keeps the rows of the query's components in its order, so that no column is copied when it is opened. A component
// belongs to at most one such query.
SHOAL_ECS_API bool shoal_ecs_group(shoal_world *world, const shoal_wanted *wanted);
// Ends a tick: events of the previous tick are dropped.
SHOAL_ECS_API bool shoal_ecs_tick(shoal_world *world);
SHOAL_ECS_API uint32_t shoal_ecs_count(shoal_world *world); // entities alive, at most 4,194,303

#ifdef __cplusplus
}
#endif

#endif
