// The workload of entity/entity.c, implemented in flecs with its usual functions: operations on single entities, in
// random order unless the name says otherwise. Every entity has four components of 4 to 8 bytes. Compiled only if the
// sources of flecs are available (bench --flecs FOLDER); they are not part of this tree.
#include "plain.h"

#include "flecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct position_t {
  float x, y;
} position_t;
typedef struct velocity_t {
  float x, y;
} velocity_t;
typedef struct health_t {
  float value;
} health_t;
typedef struct force_t {
  float x, y;
} force_t;
ECS_COMPONENT_DECLARE(position_t);
ECS_COMPONENT_DECLARE(velocity_t);
ECS_COMPONENT_DECLARE(health_t);
ECS_COMPONENT_DECLARE(force_t);

typedef struct run_t {
  ecs_world_t *world;
  uint32_t count, *order; // `order`: a random permutation of the entities
  ecs_entity_t *entities;
} run_t;

// Measures a statement for each `i` in order, and each random entity `e`.
#define MEASURE(name_, ...)                                                                                            \
  do {                                                                                                                 \
    double began_s = now_s();                                                                                          \
    for (uint32_t i = 0; i < r->count; ++i) {                                                                          \
      ecs_entity_t e = r->entities[r->order[i]];                                                                       \
      (void)e;                                                                                                         \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    add_time(name_, now_s() - began_s, r->count);                                                                      \
  } while (0)

static void expect(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "flecs: %s\n", what);
  exit(1);
}

static double read_and_write(const run_t *r) {
  ecs_world_t *w = r->world;
  double sum = 0;
  MEASURE("write", ecs_set(w, e, velocity_t, {1, (float)(i % 1024)}));
  MEASURE("read", {
    const position_t *p = ecs_get(w, e, position_t);
    if (p)
      sum += (double)(p->x + p->y);
  });
  return sum;
}

// Reuses the ids of entities that were destroyed in random order.
static void create_many(const run_t *r) {
  position_t *positions = memory(r->count, sizeof *positions);
  velocity_t *velocities = memory(r->count, sizeof *velocities);
  for (uint32_t i = 0; i < r->count; ++i)
    velocities[i] = (velocity_t){1, 2};
  void *data[] = {positions, velocities};
  double began_s = now_s();
  const ecs_entity_t *entities = ecs_bulk_init(
      r->world,
      &(ecs_bulk_desc_t){.count = (int32_t)r->count, .ids = {ecs_id(position_t), ecs_id(velocity_t)}, .data = data});
  add_time("bulk_create", now_s() - began_s, r->count);
  memcpy(r->entities, entities, r->count * sizeof *entities);
  for (uint32_t i = 0; i < r->count; ++i)
    ecs_delete(r->world, r->entities[i]);
  free(positions);
  free(velocities);
}

static double run_tick(const run_t *r) {
  ecs_world_t *w = r->world;
  MEASURE("create", {
    r->entities[i] = ecs_new(w);
    ecs_set(w, r->entities[i], position_t, {(float)(i % 1024), 0});
    ecs_set(w, r->entities[i], velocity_t, {1, 2});
  });
  MEASURE("add", ecs_set(w, r->entities[i], health_t, {10}));
  MEASURE("add", ecs_set(w, r->entities[i], force_t, {0.5f, 0.25f}));
  double sum = read_and_write(r);
  MEASURE("remove", ecs_remove(w, e, health_t));
  MEASURE("destroy", ecs_delete(w, e));
  create_many(r);
  return sum;
}

static void declare_components(ecs_world_t *w) {
  ECS_COMPONENT_DEFINE(w, position_t);
  ECS_COMPONENT_DEFINE(w, velocity_t);
  ECS_COMPONENT_DEFINE(w, health_t);
  ECS_COMPONENT_DEFINE(w, force_t);
}

// Measures a new world, in which no id is used a second time: recycled ids are in random order.
static void measure_in_order(run_t *r, double expected_sum) {
  ecs_world_t *w = ecs_init();
  declare_components(w);
  for (uint32_t i = 0; i < r->count; ++i) {
    r->entities[i] = ecs_new(w);
    ecs_set(w, r->entities[i], position_t, {(float)(i % 1024), 0});
    ecs_add(w, r->entities[i], health_t);
  }
  double sum = 0;
  uint32_t owner_count = 0;
  MEASURE("has_in_order", owner_count += ecs_has(w, r->entities[i], health_t));
  MEASURE("get_in_order", {
    const position_t *p = ecs_get(w, r->entities[i], position_t);
    if (p)
      sum += (double)(p->x + p->y);
  });
  expect(owner_count == r->count && sum == expected_sum, "an entity lacks a component");
  ecs_fini(w);
}

void run_flecs_entity(uint32_t count, uint32_t ticks) {
  run_t r = {ecs_init(), count, create_random_order(count), memory(count, sizeof(ecs_entity_t))};
  declare_components(r.world);
  double sum = 0;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    sum = run_tick(&r);
    measure_in_order(&r, sum);
  }
  print_check("sum", sum);
  ecs_fini(r.world);
}
