// The entity system of Shoal alone: worlds of entities whose components lie in columns, and queries over them. No Lua,
// no window, no files. The library is libshoal-ecs (`pkg-config shoal-ecs`, or shoal::ecs in CMake), which needs the C
// library and nothing else. C11, usable from C++17.
//
//   #define BODY(F) F(vec2, pos, 0, 0) F(vec2, velocity, 1, 0)
//   SHOAL_COMPONENT(body, BODY)
//
//   shoal_ecs *world = shoal_ecs_create();
//   uint32_t component = shoal_ecs_declare(world, &body_component);
//   uint32_t ball = shoal_ecs_template(world, "ball", &component, 1);
//   shoal_ecs_spawn_many(world, ball, 1000, NULL);
//   uint32_t bodies = shoal_ecs_query(world, &(shoal_ecs_terms){.with = {component}});
//   shoal_ecs_view view;
//   if (shoal_ecs_begin(world, bodies, &view)) {
//     shoal_ecs_column x = shoal_ecs_view_column(&view, component, SHOAL_INDEX(body, pos[0]));
//     for (uint32_t i = 0; i < view.count; ++i)
//       ((float *)x.data)[shoal_ecs_at(&x, i)] += 1.0f;
//     shoal_ecs_end(world, bodies);
//   }
//   shoal_ecs_destroy(world);
//
// A world is used by one thread, the one that creates it; several worlds may be used by several threads. Between
// shoal_ecs_begin and shoal_ecs_end, and only there, what spawns, kills, adds, removes and sets is queued, and happens
// in its order when the outermost loop ends: rows stay where they are while somebody loops over them.
//
// A function that fails returns false, NULL or 0, and shoal_ecs_error says why in one sentence: also of a world that
// was destroyed, or one of another thread. Then nothing has changed.
#ifndef SHOAL_ECS_H
#define SHOAL_ECS_H

#include "shoal/declare.h"
#include "shoal/entity.h"
#include "shoal/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SHOAL_ECS_API __attribute__((visibility("default")))
#else
#define SHOAL_ECS_API
#endif

typedef struct shoal_ecs shoal_ecs; // a world

SHOAL_ECS_API shoal_ecs *shoal_ecs_create(void);
SHOAL_ECS_API void shoal_ecs_destroy(shoal_ecs *world); // NULL is fine. The world is gone: later calls say so
// Why the last call on this thread failed; "" when it did not. Valid until the next call.
SHOAL_ECS_API const char *shoal_ecs_error(void);

// ------------------------------------------------------------------------------------------------------ declarations

// What SHOAL_COMPONENT or SHOAL_SINGLE has made (<shoal/declare.h>); copied. Returns its number, from 1. The same again
// is no change; another layout is taken while no entity has the component. 0 when it is refused.
SHOAL_ECS_API uint32_t shoal_ecs_declare(shoal_ecs *world, const shoal_component *component);
SHOAL_ECS_API uint32_t shoal_ecs_component(shoal_ecs *world, const char *name); // 0: there is none
// What entities begin with: these components, with their defaults. Returns its number, from 1; a name once.
SHOAL_ECS_API uint32_t shoal_ecs_template(shoal_ecs *world, const char *name, const uint32_t *components,
                                          uint32_t count);
// … and another value than the default. Columns are numbered as SHOAL_INDEX has them.
SHOAL_ECS_API bool shoal_ecs_template_set(shoal_ecs *world, uint32_t template_number, uint32_t component,
                                          uint32_t column, double value);

// ---------------------------------------------------------------------------------------------------------- entities

// Of a template; 0: without components. 0 when it fails. At most 4,194,303 are alive.
SHOAL_ECS_API shoal_entity shoal_ecs_spawn(shoal_ecs *world, uint32_t template_number);
// `out` (may be NULL) gets them. Returns count, or 0.
SHOAL_ECS_API uint32_t shoal_ecs_spawn_many(shoal_ecs *world, uint32_t template_number, uint32_t count,
                                            shoal_entity *out);
SHOAL_ECS_API bool shoal_ecs_kill(shoal_ecs *world, shoal_entity entity);
SHOAL_ECS_API bool shoal_ecs_is_alive(shoal_ecs *world, shoal_entity entity); // safe for any value
SHOAL_ECS_API uint32_t shoal_ecs_count(shoal_ecs *world);                     // that are alive

SHOAL_ECS_API bool shoal_ecs_add(shoal_ecs *world, shoal_entity entity, uint32_t component); // true: it had it already
SHOAL_ECS_API bool shoal_ecs_remove(shoal_ecs *world, shoal_entity entity, uint32_t component);
SHOAL_ECS_API bool shoal_ecs_has(shoal_ecs *world, shoal_entity entity, uint32_t component);
// One value as a number; entity 0 for a single's.
SHOAL_ECS_API bool shoal_ecs_set(shoal_ecs *world, shoal_entity entity, uint32_t component, uint32_t column,
                                 double value);
SHOAL_ECS_API bool shoal_ecs_get(shoal_ecs *world, shoal_entity entity, uint32_t component, uint32_t column,
                                 double *value);

// Columns of strings and assets hold numbers of texts. "" and 0 are the same.
SHOAL_ECS_API uint32_t shoal_ecs_text_number(shoal_ecs *world, const char *text);
SHOAL_ECS_API const char *shoal_ecs_text(shoal_ecs *world, uint32_t number); // valid until the next call

// ----------------------------------------------------------------------------------------------------------- queries

#define SHOAL_ECS_MOST_TERMS 16

typedef struct shoal_ecs_terms { // numbers of components, ended by 0 where there are fewer; 16 in all
  uint32_t with[SHOAL_ECS_MOST_TERMS];
  uint32_t without[SHOAL_ECS_MOST_TERMS];
  uint32_t optional[SHOAL_ECS_MOST_TERMS];
} shoal_ecs_terms;

// Which entities have these components: kept up to date from now on, and the same terms give the same number, from 1.
SHOAL_ECS_API uint32_t shoal_ecs_query(shoal_ecs *world, const shoal_ecs_terms *terms);
// The rows of its components lie side by side from now on, in its order, so that `rows` below is NULL. A component
// belongs to one such query at most.
SHOAL_ECS_API bool shoal_ecs_group(shoal_ecs *world, uint32_t query);

typedef struct shoal_ecs_view {
  uint32_t count;
  const shoal_entity *entities; // by element, in a fixed order: as they began to match
  const void *inside;           // the library's
} shoal_ecs_view;

typedef struct shoal_ecs_column {
  void *data;           // of the component, to read and to write; NULL: the query does not have it
  const uint32_t *rows; // NULL: element i is data[i]; else data[rows[i]], SHOAL_NO_ROW where an optional one is absent
  uint32_t element_bytes;
} shoal_ecs_column;

SHOAL_ECS_API bool shoal_ecs_begin(shoal_ecs *world, uint32_t query, shoal_ecs_view *view);
SHOAL_ECS_API shoal_ecs_column shoal_ecs_view_column(const shoal_ecs_view *view, uint32_t component, uint32_t column);
SHOAL_ECS_API bool shoal_ecs_end(shoal_ecs *world, uint32_t query); // what the view had is gone

static inline uint32_t shoal_ecs_at(const shoal_ecs_column *column, uint32_t element) {
  return column->rows ? column->rows[element] : element;
}

#ifdef __cplusplus
}
#endif

#endif
