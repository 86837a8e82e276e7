// Test fixture: a world with the built-in components, and short helpers to fill it.
#ifndef SHOAL_TESTS_COMPONENTS_FIXTURE_H
#define SHOAL_TESTS_COMPONENTS_FIXTURE_H

#include "simulation/components.h"
#include "transform/transform.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture_t {
  log_o *log;
  world_o *world;
  components_o *components;
  uint32_t line_count; // number of warnings and errors logged so far
  char line[256];      // the last warning or error
} fixture_t;

static inline void fixture_log(void *context, log_level_t level, const char *line) {
  fixture_t *f = context;
  if (level > LOG_WARN)
    return;
  ++f->line_count;
  strncpy(f->line, line, sizeof f->line - 1);
}

// Creates the fixture; free it with fixture_close.
static inline fixture_t *fixture_open(void) {
  fixture_t *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->log = log_create(LOG_WARN);
  log_set_listener(f->log, fixture_log, f);
  f->world = world_create(&(world_desc_t){.seed = 1, .tick_rate = 60, .log = f->log});
  error_info_t error = {0};
  f->components = components_create(f->world, NULL, &error);
  if (f->components == NULL)
    fail_msg("%s", error.text);
  return f;
}

static inline void fixture_close(fixture_t *f) {
  components_destroy(f->components);
  world_destroy(f->world); // asserts that all memory was freed
  log_destroy(f->log);
  free(f);
}

static inline int fixture_setup(void **state) {
  *state = fixture_open();
  return 0;
}

static inline int fixture_teardown(void **state) {
  fixture_close(*state);
  return 0;
}

static inline manager_o *manager_of(fixture_t *f, const char *component) {
  manager_o *m = world_find_manager(f->world, component);
  assert_non_null(m);
  return m;
}

static inline uint32_t row_of(fixture_t *f, shoal_entity e, const char *component) {
  uint32_t row = manager_row(manager_of(f, component), e);
  assert_int_not_equal(row, ROW_NONE);
  return row;
}

static inline void add(fixture_t *f, shoal_entity e, const char *component) {
  error_info_t error = {0};
  if (!world_add_component(f->world, e, manager_of(f, component)->id, 0, &error))
    fail_msg("%s", error.text);
}

static inline uint32_t column_of(fixture_t *f, const char *component, const char *field) {
  int32_t column = manager_find_column(manager_of(f, component), field);
  if (column < 0)
    fail_msg("%s has no field %s", component, field);
  return (uint32_t)column;
}

static inline double get(fixture_t *f, shoal_entity e, const char *component, const char *field) {
  return columns_get(&manager_of(f, component)->columns, row_of(f, e, component), column_of(f, component, field));
}

static inline void set(fixture_t *f, shoal_entity e, const char *component, const char *field, double value) {
  columns_set(&manager_of(f, component)->columns, row_of(f, e, component), column_of(f, component, field), value);
}

// Writes a value of an f32 field in place, so that NaN is stored in a field that rejects it, as by a plugin.
static inline void set_in_place(fixture_t *f, shoal_entity e, const char *component, const char *field, double value) {
  float *column = manager_of(f, component)->data[column_of(f, component, field)];
  column[row_of(f, e, component)] = (float)value;
}

// Creates an entity with a transform at (x, y).
static inline shoal_entity place(fixture_t *f, double x, double y) {
  error_info_t error = {0};
  shoal_entity e = world_spawn(f->world, 0, &error);
  assert_int_not_equal(e, 0);
  add(f, e, "transform");
  set(f, e, "transform", "x", x);
  set(f, e, "transform", "y", y);
  return e;
}

// Returns the entity's world matrix, valid until the next call.
static inline const float *world_matrix(fixture_t *f, shoal_entity e) {
  static float matrix[16];
  manager_compute_derived_field(manager_of(f, "transform"), SHOAL_COLUMN_INDEX(transform, world), NULL,
                                row_of(f, e, "transform"), 1, matrix);
  return matrix;
}

static inline void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.9g is not %.9g", value, expected);
}

static inline uint32_t id_of(world_o *w, const char *text) {
  return strings_intern(world_strings(w), text);
}

// Declares a component and releases its schema. Returns the component's number.
static inline uint32_t declare_schema(world_o *w, schema_t *s) {
  allocator_t memory = {0};
  error_info_t error = {0};
  uint32_t id = world_declare_schema(w, s, &error);
  if (id == 0)
    fail_msg("%s", error.text);
  schema_fini(s, &memory);
  return id;
}

#endif
