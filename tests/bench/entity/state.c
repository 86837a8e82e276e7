// Measures snapshots of a world through <shoal/ecs.h>, without a game: taking and restoring one, and rollbacks of eight
// ticks as in a match over a network, compared with memcpy of the same number of bytes. Entities have five components
// with 104 bytes of columns and are in four queries; a tick moves all of them. In `_changed` rows, entities have been
// created and destroyed since the snapshot. Linked with the build's libraries.
#include "plain.h"

#include <shoal/ecs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_FIELDS(F) F(f32, x, 0) F(f32, y, 0) F(f32, angle, 0) F(f32, sx, 1) F(f32, sy, 1)
SHOAL_COMPONENT(place, PLACE_FIELDS)
#define MOTION_FIELDS(F) F(f32, vx, 1) F(f32, vy, 2) F(f32, spin, 0) F(f32, ax, 0) F(f32, ay, 0) F(f32, drag, 0)
SHOAL_COMPONENT(motion, MOTION_FIELDS)
#define HEALTH_FIELDS(F) F(f32, hp, 10) F(f32, max, 10) F(u32, hits, 0)
SHOAL_COMPONENT(health, HEALTH_FIELDS)
#define COLOUR_FIELDS(F) F(f32, r, 1) F(f32, g, 1) F(f32, b, 1) F(f32, a, 1)
SHOAL_COMPONENT(colour, COLOUR_FIELDS)
#define GOAL_FIELDS(F)                                                                                                 \
  F(f32, x, 5)                                                                                                         \
  F(f32, y, 5) F(f32, near, 1) F(f32, far, 9) F(u32, kind, 0) F(entity, leader, 0) F(f32, rest, 0) F(f32, hope, 0)
SHOAL_COMPONENT(goal, GOAL_FIELDS)

enum { DEPTH = 8, RARE = 4, CHURN = 100 };

static void expect(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "state: %s\n", what);
  exit(1);
}

typedef struct run_t {
  shoal_world *world;
  uint32_t count;
  size_t size, capacity;
  char *states[DEPTH + 1], *copy; // buffers of `capacity` bytes
} run_t;

static shoal_world *create_world(uint32_t count) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(place, motion, health, colour, goal));
  expect(w && shoal_ecs_define_assemblage(w, "unit", SHOAL_COMPONENTS(place, motion, health, colour, goal)) &&
             shoal_ecs_define_assemblage(w, "spark", SHOAL_COMPONENTS(place, motion)),
         shoal_ecs_last_error());
  static const char *const TERMS[][4] = {
      {"place", "motion"}, {"place", "motion", "goal"}, {"place", "health"}, {"place", "colour"}};
  for (uint32_t i = 0; i < 4; ++i) {
    shoal_query_desc desc = {.with = {TERMS[i][0], TERMS[i][1], TERMS[i][2]}};
    shoal_view view;
    expect(shoal_query_begin(w, &desc, &view) && shoal_query_end(w, &view), shoal_ecs_last_error());
  }
  expect(shoal_spawn_many(w, "unit", count, NULL) == count, shoal_ecs_last_error());
  return w;
}

static void run_tick(shoal_world *w) {
  shoal_view view;
  expect(shoal_query_begin(w, &(shoal_query_desc){.with = {"place", "motion"}}, &view), shoal_ecs_last_error());
  float *restrict x = SHOAL_COLUMN(&view, place, x), *restrict y = SHOAL_COLUMN(&view, place, y);
  const float *vx = SHOAL_COLUMN(&view, motion, vx), *vy = SHOAL_COLUMN(&view, motion, vy);
  for (uint32_t i = 0; i < view.count; ++i) {
    x[i] += vx[i] * 0.0625f;
    y[i] += vy[i] * 0.0625f;
  }
  expect(shoal_query_end(w, &view) && shoal_ecs_run_tick(w), shoal_ecs_last_error());
}

static void take(run_t *r, char *state) {
  r->size = shoal_snapshot(r->world, state, r->capacity);
  expect(r->size > 0 && r->size <= r->capacity, "the snapshot does not fit");
}

static void restore(run_t *r, const char *state) {
  expect(shoal_restore(r->world, state, r->size), shoal_ecs_last_error());
}

// Destroys and creates some entities, so that rows move.
static void churn(run_t *r) {
  shoal_entity sparks[CHURN];
  expect(shoal_spawn_many(r->world, "spark", CHURN, sparks) == CHURN, shoal_ecs_last_error());
  for (uint32_t i = 0; i < CHURN; ++i)
    expect(shoal_destroy(r->world, sparks[i]), shoal_ecs_last_error());
  expect(shoal_ecs_entity_count(r->world) == r->count, "sparks are left");
}

// Restores the state of DEPTH ticks ago and runs these ticks again, with a snapshot after every `every` ticks.
static void roll_back(run_t *r, const char *name, uint32_t every) {
  uint64_t expected = shoal_hash(r->world);
  double began_s = now_s();
  restore(r, r->states[0]);
  for (uint32_t i = 0; i < DEPTH; ++i) {
    if (i > 0 && i % every == 0)
      take(r, r->states[i]);
    run_tick(r->world);
  }
  add_time(name, (now_s() - began_s) * 1e-6, r->count > 0);
  expect(shoal_hash(r->world) == expected, "the ticks give another world when they run again");
}

void run_state(uint32_t count, uint32_t ticks) {
  run_t r = {.world = create_world(count), .count = count};
  r.capacity = shoal_snapshot(r.world, NULL, 0) * 5 / 4;
  for (uint32_t i = 0; i <= DEPTH; ++i)
    memset(r.states[i] = memory(r.capacity, 1), 1, r.capacity);
  memset(r.copy = memory(r.capacity, 1), 1, r.capacity);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    for (uint32_t i = 0; i < DEPTH; ++i) {
      double began_s = now_s();
      take(&r, r.states[i]);
      add_time("take", (now_s() - began_s) * 1e-6, 1);
      began_s = now_s();
      memcpy(r.copy, r.states[i], r.size);
      add_time("memcpy", (now_s() - began_s) * 1e-6, r.copy[0] != 0);
      run_tick(r.world);
    }
    roll_back(&r, "rollback", 1);
    roll_back(&r, "rollback_fourth", 4);
    double began_s = now_s();
    restore(&r, r.states[0]);
    add_time("restore", (now_s() - began_s) * 1e-6, 1);
    churn(&r);
    began_s = now_s();
    restore(&r, r.states[0]);
    add_time("restore_changed", (now_s() - began_s) * 1e-6, 1);
  }
}
