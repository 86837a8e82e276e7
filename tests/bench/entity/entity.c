// Measures the entity system through <shoal/ecs.h>, without a game: operations on single entities in random order, and
// operations on many entities, each compared with the same operation on sparse sets in plain C. Every entity has four
// components of 4 to 8 bytes. Worlds: `bare` has no query, `four` has four queries, and `group` also keeps their rows
// in one order. Linked with the build's libraries.
#include "plain.h"

#include <shoal/ecs.h>

#include <stdio.h>
#include <stdlib.h>

#define POSITION_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
SHOAL_COMPONENT(position, POSITION_FIELDS)
#define VELOCITY_FIELDS(F) F(f32, x, 1) F(f32, y, 2)
SHOAL_COMPONENT(velocity, VELOCITY_FIELDS)
#define HEALTH_FIELDS(F) F(f32, value, 10)
SHOAL_COMPONENT(health, HEALTH_FIELDS)
#define FORCE_FIELDS(F) F(f32, x, 0.5) F(f32, y, 0.25)
SHOAL_COMPONENT(force, FORCE_FIELDS)

static const char *const NAMES[] = {"position", "velocity", "health", "force"};
enum { COMPONENTS = 4, IDLE_TICKS = 200 }; // after IDLE_TICKS, the ids of destroyed entities are used again

static void expect(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "entity: %s\n", what);
  exit(1);
}

// --- plain C: a slot map, and a sparse set for each component

typedef struct set_t {
  uint32_t *row, *owner, count; // `row`: indexed by entity index; row + 1, or 0 without the component
  float *x, *y;
} set_t;

typedef struct plain_t {
  slots_t slots;
  set_t sets[COMPONENTS];
} plain_t;

static plain_t plain_create(uint32_t capacity) {
  plain_t p = {.slots = slots_create(capacity)};
  for (uint32_t i = 0; i < COMPONENTS; ++i)
    p.sets[i] = (set_t){memory(capacity, sizeof(uint32_t)), memory(capacity, sizeof(uint32_t)), 0,
                        memory(capacity, sizeof(float)), memory(capacity, sizeof(float))};
  return p;
}

static void set_add(set_t *s, uint32_t id, float x, float y) {
  uint32_t row = s->count++;
  s->row[id & INDEX_MASK] = row + 1;
  s->owner[row] = id;
  s->x[row] = x;
  s->y[row] = y;
}

static void set_remove(set_t *s, uint32_t id) {
  uint32_t row = s->row[id & INDEX_MASK], last = --s->count;
  s->row[s->owner[last] & INDEX_MASK] = row;
  s->row[id & INDEX_MASK] = 0;
  s->owner[row - 1] = s->owner[last];
  s->x[row - 1] = s->x[last];
  s->y[row - 1] = s->y[last];
}

static uint32_t find_row(const set_t *s, uint32_t id) {
  uint32_t row = s->row[id & INDEX_MASK];
  return row != 0 && s->owner[row - 1] == id ? row - 1 : UINT32_MAX;
}

static void plain_destroy(plain_t *p, uint32_t id) {
  for (uint32_t i = 0; i < COMPONENTS; ++i)
    if (find_row(&p->sets[i], id) != UINT32_MAX)
      set_remove(&p->sets[i], id);
  slots_release(&p->slots, id);
}

typedef struct run_t {
  uint32_t count, *order; // `order`: a random permutation of the entities
  shoal_world *worlds[3];
  shoal_entity *entities;
  uint32_t *ids;
  plain_t plain;
} run_t;
enum { BARE, FOUR, GROUP, WORLDS };

// Measures a statement for each `i` in order, and each random `e` (indices of entities and ids).
#define MEASURE(name_, ...)                                                                                            \
  do {                                                                                                                 \
    double began_s = now_s();                                                                                          \
    for (uint32_t i = 0; i < r->count; ++i) {                                                                          \
      uint32_t e = r->order[i];                                                                                        \
      (void)e;                                                                                                         \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    add_time(name_, now_s() - began_s, r->count);                                                                      \
  } while (0)

static void run_plain(run_t *r, double *sum) {
  plain_t *p = &r->plain;
  const set_t *position = &p->sets[0], *velocity = &p->sets[1];
  MEASURE("plain_create", {
    r->ids[i] = slots_allocate(&p->slots, i);
    set_add(&p->sets[0], r->ids[i], (float)(i % 1024), 0);
    set_add(&p->sets[1], r->ids[i], 1, 2);
  });
  MEASURE("plain_add", set_add(&p->sets[2], r->ids[i], 10, 0));
  MEASURE("plain_add", set_add(&p->sets[3], r->ids[i], 0.5f, 0.25f));
  MEASURE("plain_write", {
    uint32_t row = find_row(velocity, r->ids[e]);
    if (row != UINT32_MAX)
      velocity->x[row] = 1, velocity->y[row] = (float)(i % 1024);
  });
  MEASURE("plain_read", {
    uint32_t row = find_row(position, r->ids[e]);
    if (row != UINT32_MAX)
      *sum += (double)(position->x[row] + position->y[row]);
  });
  MEASURE("plain_remove", set_remove(&p->sets[2], r->ids[e]));
  MEASURE("plain_destroy", plain_destroy(p, r->ids[e]));
}

// --- the same in a world of the entity system

static shoal_world *create_world(uint32_t kind) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(position, velocity, health, force));
  expect(w && shoal_ecs_define_assemblage(w, "body", SHOAL_COMPONENTS(position, velocity)), shoal_ecs_last_error());
  shoal_query_desc desc = {.with = {0}};
  for (uint32_t i = 0; i < COMPONENTS && kind != BARE; ++i) {
    shoal_view view;
    desc.with[i] = NAMES[i];
    expect(shoal_query_begin(w, &desc, &view) && shoal_query_end(w, &view), shoal_ecs_last_error());
  }
  expect(kind != GROUP || shoal_ecs_create_group(w, &desc), shoal_ecs_last_error());
  return w;
}

static void create_entities(run_t *r, shoal_world *w, const char *name) {
  MEASURE(name, {
    r->entities[i] = shoal_spawn(w, "body");
    SHOAL_SET(w, r->entities[i], position, (&(position_values){(float)(i % 1024), 0}));
    SHOAL_SET(w, r->entities[i], velocity, (&(velocity_values){1, 2}));
  });
  expect(shoal_ecs_entity_count(w) == r->count, "the world lacks entities");
}

static void read_and_write(run_t *r, shoal_world *w, double *sum) {
  MEASURE("write", {
    velocity_values v = {1, (float)(i % 1024)};
    SHOAL_SET(w, r->entities[e], velocity, &v);
  });
  MEASURE("read", {
    position_values p;
    if (SHOAL_GET(w, r->entities[e], position, &p))
      *sum += (double)(p.x + p.y);
  });
  shoal_rows rows = shoal_get_rows(w, &position_component);
  double row_sum = 0;
  MEASURE("read_row", {
    uint32_t row = shoal_find_row(w, &position_component, r->entities[e]);
    row_sum += (double)(SHOAL_ROWS_COLUMNS(rows, position)->x[row] + SHOAL_ROWS_COLUMNS(rows, position)->y[row]);
  });
  expect(row_sum == *sum, "the sums of shoal_find_row and SHOAL_GET differ");
}

// Measures reads in a new world, whose ids are in the order of the rows: recycled ids are in random order.
static void measure_in_order(run_t *r, double expected_sum) {
  shoal_world *w = create_world(BARE);
  for (uint32_t i = 0; i < r->count; ++i) {
    r->entities[i] = shoal_spawn(w, "body");
    SHOAL_SET(w, r->entities[i], position, (&(position_values){(float)(i % 1024), 0}));
    shoal_add(w, r->entities[i], &health_component);
  }
  double struct_sum = 0, field_sum = 0;
  uint32_t owner_count = 0;
  MEASURE("has_in_order", owner_count += shoal_has(w, r->entities[i], &health_component));
  MEASURE("get_in_order", {
    position_values p;
    if (SHOAL_GET(w, r->entities[i], position, &p))
      struct_sum += (double)(p.x + p.y);
  });
  MEASURE("get_field_in_order", {
    double x;
    if (shoal_get(w, r->entities[i], &position_component, SHOAL_COLUMN_INDEX(position, x), &x))
      field_sum += x;
  });
  expect(owner_count == r->count, "an entity lacks a component");
  expect(struct_sum == expected_sum && field_sum == expected_sum, "sums in order and in random order differ");
  shoal_ecs_destroy(w);
}

static uint32_t count_matches(shoal_world *w) {
  shoal_view view;
  expect(shoal_query_begin(w, &(shoal_query_desc){.with = {"position", "velocity", "health"}}, &view),
         shoal_ecs_last_error());
  uint32_t count = view.count;
  shoal_query_end(w, &view);
  return count;
}

static void run_single(run_t *r, shoal_world *w, uint32_t kind, double *sum) {
  static const char *const CREATE[] = {"create", "create_four", "create_group"},
                           *const ADD[] = {"add", "add_four", "add_group"},
                           *const REMOVE[] = {"remove", "remove_four", "remove_group"},
                           *const DESTROY[] = {"destroy", "destroy_four", "destroy_group"};
  create_entities(r, w, CREATE[kind]);
  MEASURE(ADD[kind], shoal_add(w, r->entities[i], &health_component));
  MEASURE(ADD[kind], shoal_add(w, r->entities[i], &force_component));
  if (kind == FOUR)
    read_and_write(r, w, sum);
  expect(kind == BARE || count_matches(w) == r->count, "the query lacks entities");
  MEASURE(REMOVE[kind], shoal_remove(w, r->entities[e], &health_component));
  expect(kind == BARE || count_matches(w) == 0, "the query contains entities without a component");
  double began_s = now_s();
  for (uint32_t i = 0; i < r->count; ++i)
    shoal_destroy(w, r->entities[r->order[i]]);
  uint32_t left = shoal_ecs_entity_count(w); // measured, too: it applies the destruction
  add_time(DESTROY[kind], now_s() - began_s, r->count);
  expect(left == 0, "the world still contains entities");
}

// Reuses ids in the order in which run_single has destroyed their entities, which is random.
static void create_many(run_t *r, shoal_world *w, const char *name) {
  double began_s = now_s();
  shoal_spawn_many(w, "body", r->count, r->entities);
  add_time(name, now_s() - began_s, r->count);
  expect(shoal_ecs_entity_count(w) == r->count, "the world lacks entities");
}

static void run_bulk(run_t *r, shoal_world *w) {
  create_many(r, w, "bulk_create");
  double began_destroying_s = now_s();
  shoal_destroy_many(w, r->entities, r->count);
  expect(shoal_ecs_entity_count(w) == 0, "the world still contains entities");
  add_time("bulk_destroy", now_s() - began_destroying_s, r->count);
  uint32_t half = r->count / 2;
  shoal_spawn_many(w, "body", r->count, r->entities);
  expect(shoal_ecs_entity_count(w) == r->count, "the world lacks entities");
  double began_half_s = now_s();
  shoal_destroy_many(w, r->entities, half);
  expect(shoal_ecs_entity_count(w) == r->count - half, "the wrong number of entities was destroyed");
  add_time("bulk_destroy_half", now_s() - began_half_s, half);
  shoal_destroy_many(w, r->entities + half, r->count - half);
  expect(shoal_ecs_entity_count(w) == 0, "the world still contains entities");
}

static void idle(const run_t *r) {
  for (uint32_t k = 0; k < WORLDS; ++k)
    for (uint32_t i = 0; i < IDLE_TICKS; ++i)
      shoal_ecs_run_tick(r->worlds[k]);
}

void run_entity(uint32_t count, uint32_t ticks) {
  run_t r = {.count = count,
             .order = create_random_order(count),
             .entities = memory(count, sizeof(shoal_entity)),
             .ids = memory(count, sizeof(uint32_t)),
             .plain = plain_create(count)};
  for (uint32_t k = 0; k < WORLDS; ++k)
    r.worlds[k] = create_world(k);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double plain_sum = 0, sum = 0;
    run_plain(&r, &plain_sum);
    for (uint32_t k = 0; k < WORLDS; ++k)
      run_single(&r, r.worlds[k], k, &sum);
    measure_in_order(&r, plain_sum);
    expect(sum == plain_sum, "the entity system and plain C give different sums");
    idle(&r);
    create_many(&r, r.worlds[BARE], "bulk_create_bare");
    shoal_destroy_many(r.worlds[BARE], r.entities, r.count);
    run_bulk(&r, r.worlds[FOUR]);
    idle(&r);
    if (tick + 1 == ticks)
      print_check("sum", sum);
  }
}
