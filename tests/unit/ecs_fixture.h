// Test fixture: a small world and short helpers to fill it.
#ifndef SHOAL_TESTS_ECS_FIXTURE_H
#define SHOAL_TESTS_ECS_FIXTURE_H

#include "schedule/schedule.h"
#include "content/content.h"
#include "ecs/world.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ids of the components that world_setup declares.
enum { POSITION = 1, HEALTH, LABEL, FROZEN, GUN, WHEEL, SCORE, TRANSFORM, NAME };
enum { POSITION_X, POSITION_Y };

static inline uint32_t declare(world_o *w, const char *name, schema_kind_t kind, const char *const *fields,
                               const field_type_t *types, uint32_t count) {
  schema_buffer_t s;
  error_info_t error;
  schema_init(&s, name, kind, "test");
  for (uint32_t i = 0; i < count; ++i)
    schema_add_field(&s.schema, fields[i], types[i], 0);
  uint32_t id = world_declare_schema(w, &s.schema, &error);
  if (id == 0)
    fail_msg("%s", error.text);
  return id;
}

#define DECLARE(w, name, kind, types, ...)                                                                             \
  declare((w), (name), (kind), (const char *const[]){__VA_ARGS__}, types,                                              \
          (uint32_t)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *)))

static inline world_o *make_world(void) {
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32, FIELD_F32}, i32[] = {FIELD_I32}, text[] = {FIELD_STRING};
  static const field_type_t entity_and_f32[] = {FIELD_ENTITY, FIELD_F32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  assert_int_equal(DECLARE(w, "position", SCHEMA_COMPONENT, f32s, "x", "y"), POSITION);
  assert_int_equal(DECLARE(w, "health", SCHEMA_COMPONENT, i32, "hp"), HEALTH);
  assert_int_equal(DECLARE(w, "label", SCHEMA_COMPONENT, text, "text"), LABEL);
  assert_int_equal(declare(w, "frozen", SCHEMA_COMPONENT, NULL, NULL, 0), FROZEN);
  assert_int_equal(DECLARE(w, "gun", SCHEMA_MANY, f32s, "heat"), GUN);
  assert_int_equal(DECLARE(w, "wheel", SCHEMA_MANY, i32, "turns"), WHEEL);
  assert_int_equal(DECLARE(w, "score", SCHEMA_SINGLE, i32, "value"), SCORE);
  assert_int_equal(DECLARE(w, "transform", SCHEMA_COMPONENT, entity_and_f32, "parent", "x"), TRANSFORM);
  assert_int_equal(DECLARE(w, "name", SCHEMA_COMPONENT, text, "value"), NAME);
  return w;
}

// Returns a random number below `limit`. Each test file uses its own seed.
static inline uint32_t random_from_seed(uint32_t *seed, uint32_t limit) {
  *seed = *seed * 1664525 + 1013904223;
  return (*seed >> 8) % limit;
}

static inline int world_setup(void **state) {
  *state = make_world();
  return 0;
}

static inline int world_teardown(void **state) {
  world_destroy(*state); // asserts that all memory was freed
  return 0;
}

static inline uint32_t id_of(world_o *w, const char *text) {
  return strings_intern(world_strings(w), text);
}

static inline shoal_entity spawn(world_o *w) {
  shoal_entity e = world_spawn(w, 0, NULL);
  assert_int_not_equal(e, 0);
  return e;
}

static inline void add(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance) {
  error_info_t error = {0};
  if (!world_add_component(w, e, manager, instance, &error))
    fail_msg("%s", error.text);
}

static inline void set(world_o *w, shoal_entity e, uint32_t manager, uint32_t column, double value) {
  error_info_t error = {0};
  if (!world_set_field(w, e, manager, 0, column, value, &error))
    fail_msg("%s", error.text);
}

// Spawns an entity with the components of a 0-terminated list.
static inline shoal_entity spawn_with(world_o *w, const uint32_t *managers) {
  shoal_entity e = spawn(w);
  for (; *managers; ++managers)
    add(w, e, *managers, 0);
  return e;
}
#define SPAWN(w, ...) spawn_with((w), (const uint32_t[]){__VA_ARGS__, 0})

static inline double get(world_o *w, shoal_entity e, uint32_t manager, uint32_t column) {
  const manager_o *m = world_manager(w, manager);
  uint32_t row = manager_row(m, e);
  if (row == ROW_NONE)
    fail_msg("entity %u has no %s", e, m->schema.name);
  return columns_get(&m->columns, row, column);
}

static inline query_o *query_of(world_o *w, const query_term_desc_t *terms, uint32_t count) {
  query_desc_t desc = {.term_count = count};
  error_info_t error = {0};
  memcpy(desc.terms, terms, count * sizeof *terms);
  query_o *q = world_find_or_create_query(w, &desc, &error);
  if (!q)
    fail_msg("%s", error.text);
  return q;
}
#define QUERY(w, ...)                                                                                                  \
  query_of((w), (const query_term_desc_t[]){__VA_ARGS__},                                                              \
           (uint32_t)(sizeof(const query_term_desc_t[]){__VA_ARGS__} / sizeof(query_term_desc_t)))
#define HAS(m)                                                                                                         \
  { (m), QUERY_WITH }
#define HAS_NOT(m)                                                                                                     \
  { (m), QUERY_WITHOUT }
#define MAY_HAVE(m)                                                                                                    \
  { (m), QUERY_OPTIONAL }
#define ONE_OF(m)                                                                                                      \
  { (m), QUERY_ANY }

#endif
