// Measures the cost of change counters and observers: runs the same ticks, interleaved, in four worlds: one without the
// feature, one with the feature but without its use, one with a counter read in each tick, and one with an observer. A
// tick writes a column of all entities in place, adds a component to one entity in sixteen and removes it again. Linked
// with the build's libraries.
#include "plain.h"

#include "base/error.h"
#include "ecs/world.h"
#include "ecs/changes.h"

#include <stdio.h>
#include <stdlib.h>

enum { WITHOUT, UNUSED, READ, OBSERVED, WORLDS };

typedef struct run_t {
  world_o *world;
  shoal_entity *entities;
  uint32_t count, weight, mark, observer;
  uint64_t changes;
} run_t;

static uint32_t declare(world_o *w, const char *name, bool has_value) {
  schema_buffer_t s;
  error_info_t error = {0};
  schema_init(&s, name, SCHEMA_COMPONENT, "bench");
  if (has_value)
    schema_add_field(&s.schema, "value", FIELD_F32, 0);
  uint32_t id = world_declare_schema(w, &s.schema, &error);
  schema_fini(&s.schema, world_allocator(w));
  if (id == 0) {
    fprintf(stderr, "change_counters: %s\n", error.text);
    exit(1);
  }
  return id;
}

static run_t create(uint32_t kind, uint32_t count) {
  run_t r = {.world = world_create(&(world_desc_t){.seed = 1}), .count = count};
  if (kind != WITHOUT && !changes_declare(r.world, NULL))
    exit(1);
  r.weight = declare(r.world, "weight", true);
  r.mark = declare(r.world, "mark", false);
  r.entities = memory(count, sizeof *r.entities);
  for (uint32_t i = 0; i < count; ++i) {
    r.entities[i] = world_spawn(r.world, 0, NULL);
    world_add_component(r.world, r.entities[i], r.weight, 0, NULL);
  }
  query_desc_t desc = {.terms = {{r.weight, QUERY_WITH}}, .term_count = 1};
  if (kind == OBSERVED)
    r.observer = observer_find_or_create(r.world, "bench", world_find_or_create_query(r.world, &desc, NULL), true);
  if (kind == READ)
    changes_count(r.world, r.weight);
  return r;
}

static void tick(run_t *r, uint32_t kind) {
  float *value = manager_column(world_manager(r->world, r->weight), 0);
  for (uint32_t i = 0; i < r->count; ++i)
    value[i] += 1;
  for (uint32_t turn = 0; turn < 2; ++turn) {
    world_defer_begin(r->world, 0);
    for (uint32_t i = 0; i < r->count; i += 16)
      if (turn == 0)
        world_add_component(r->world, r->entities[i], r->mark, 0, NULL);
      else
        world_remove_component(r->world, r->entities[i], r->mark, 0);
    world_defer_end(r->world, false);
  }
  if (kind == READ)
    r->changes = changes_count(r->world, r->weight);
  uint32_t count = 0;
  if (kind == OBSERVED) {
    observer_begin_delivery(r->world, r->observer);
    observer_get_list(r->world, r->observer, OBSERVED_CHANGED, &count);
    observer_end_delivery(r->world, r->observer);
  }
  r->changes += count;
  world_end_tick(r->world);
}

void run_change_counters(uint32_t count, uint32_t ticks) {
  static const char *const NAMES[WORLDS] = {"without", "unused", "read", "observed"};
  run_t runs[WORLDS];
  for (uint32_t i = 0; i < WORLDS; ++i)
    runs[i] = create(i, count);
  for (uint32_t t = 0; t < ticks; ++t)
    for (uint32_t k = 0; k < WORLDS; ++k) {
      uint32_t i = (t + k) % WORLDS; // rotates the order, so no world always runs after the same world
      double began_s = now_s();
      tick(&runs[i], i);
      add_time(NAMES[i], now_s() - began_s, count);
    }
  uint64_t expected = (uint64_t)count * ticks; // the observer reports the changes of the first tick as enters
  if (runs[READ].changes != expected || runs[OBSERVED].changes + count != expected) {
    fprintf(stderr, "change_counters: %llu changes counted, %llu observed, expected %llu\n",
            (unsigned long long)runs[READ].changes, (unsigned long long)runs[OBSERVED].changes,
            (unsigned long long)expected);
    exit(1);
  }
}
