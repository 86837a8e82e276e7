// Implements <shoal/ecs.h>. The library consists only of the modules schema, ecs, snapshot and access.
#include "library/ecs_library.h"

#include "access/last_error.h"
#include "base/limits.h"
#include "ecs/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *shoal_ecs_last_error(void) {
  return access_error_text();
}

// Prefixes the error message with the name of the function. Returns false.
static bool prefix_error(const char *function) {
  error_info_t reason;
  error_set(&reason, "%s", access_error_text());
  return access_fail("%s: %s", function, reason.text);
}

static bool check_no_query_open(const ecs_t *ecs, const char *function) {
  return ecs->access.open.count == 0 || access_fail("%s: a query is open: call shoal_query_end first", function);
}

// --- creation and destruction of worlds

static void free_world(ecs_t *ecs) {
  world_o *world = ecs->access.world;
  allocator_t *memory = &ecs->access.memory;
  ecs_destroy_managers(ecs);
  ecs_free_parts(ecs);
  jobs_destroy(ecs->jobs);
  ecs->jobs = NULL;
  array_free(memory, &ecs->template_parts);
  access_fini(&ecs->access);
  world_destroy(world);
}

static void report_missing_columns(const shoal_view *v, const shoal_component *component, const char *file, int line) {
  if (access_fail_column_lookup(v, component, file, line))
    fprintf(stderr, "error: %s\n", access_error_text());
}

shoal_world *shoal_ecs_create(const shoal_component *const *components) {
  access_clear_error();
  ecs_t *ecs = calloc(1, sizeof *ecs);
  if (!ecs)
    return access_fail("shoal_ecs_create: out of memory"), NULL;
  ecs_add_world(ecs);
  access_init(&ecs->access,
              &(access_desc_t){.api = &ecs_world_api,
                               .declares = true,
                               .exact = access_checks_columns(),
                               .delays_destroys = true,
                               .begin_manager = ecs_begin_manager,
                               .end_manager = ecs_end_manager,
                               .report_missing = report_missing_columns},
              world_create(&(world_desc_t){.seed = 1}));
  changes_declare(ecs->access.world, access_last_error());
  ecs->thread = pthread_self();
  for (; components && *components; ++components)
    if (!world_access_declare(&ecs->access.own.shared, *components)) {
      error_info_t reason = *access_last_error();
      free_world(ecs);
      return access_fail("shoal_ecs_create: %s", reason.text), NULL;
    }
  return &ecs->access.own.shared;
}

bool shoal_ecs_destroy(shoal_world *w) {
  static const char function[] = "shoal_ecs_destroy";
  access_clear_error();
  ecs_t *ecs = w ? ecs_check_call(w, function) : NULL;
  if (!ecs || !check_no_query_open(ecs, function))
    return !w;
  free_world(ecs);
  return true;
}

// --- templates, groups, ticks

static access_binding_t *bind_component(ecs_t *ecs, const shoal_component *component, const char *function) {
  access_binding_t *binding = access_bind_rows(&ecs->access, component);
  if (binding && binding->manager->schema.kind == SCHEMA_SINGLE)
    access_fail("%s is a singleton, which belongs to no entity", component->name);
  if (!access_error_text()[0])
    return binding;
  prefix_error(function);
  return NULL;
}

bool shoal_ecs_define_assemblage(shoal_world *w, const char *name, const shoal_component *const *components) {
  static const char function[] = "shoal_ecs_define_assemblage";
  ecs_t *ecs = ecs_check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  if (!name || !name[0] || !components)
    return access_fail(components ? "%s: name must not be empty" : "%s: components must not be NULL", function);
  for (const shoal_component *const *component = components; *component; ++component)
    if (!bind_component(ecs, *component, function))
      return false;
  world_o *world = ecs->access.world;
  uint32_t name_id = strings_intern(world_strings(world), name);
  if (world_find_assemblage(world, name_id))
    return access_fail("%s: assemblage %.64s already exists: choose a different name", function, name);
  strings_pin(world_strings(world), name_id);
  uint32_t template_id = world_assemblage_declare(world, name_id);
  for (const shoal_component *const *component = components; *component; ++component) {
    template_part_t part = {template_id, access_bind_component(&ecs->access, *component)->manager->id};
    world_assemblage_add_component(world, template_id, 0, part.component, 0);
    array_push(&ecs->access.memory, &ecs->template_parts, part);
  }
  return true;
}

bool shoal_ecs_define_assemblage_set(shoal_world *w, const char *name, const shoal_component *c, uint32_t column,
                                     double value) {
  static const char function[] = "shoal_ecs_define_assemblage_set";
  ecs_t *ecs = ecs_check_call(w, function);
  access_binding_t *binding = ecs ? bind_component(ecs, c, function) : NULL;
  if (!binding)
    return false;
  world_o *world = ecs->access.world;
  uint32_t template_id = name ? world_find_assemblage(world, strings_find(world_strings(world), name)) : 0;
  if (template_id == 0 || column >= c->column_count)
    return template_id == 0 ? access_fail("%s: unknown assemblage %.64s: declare it with shoal_ecs_define_assemblage",
                                          function, name ? name : "")
                            : access_fail("%s: column %u of %s is out of range (count %u)", function, column, c->name,
                                          c->column_count);
  for (uint32_t i = 0; i < ecs->template_parts.count; ++i)
    if (ecs->template_parts.items[i].template_number == template_id &&
        ecs->template_parts.items[i].component == binding->manager->id) {
      world_assemblage_set_field(world, template_id, 0, binding->manager->id, 0, binding->columns[column], value);
      return true;
    }
  return access_fail("%s: assemblage %s has no component %s: list it in shoal_ecs_define_assemblage", function, name,
                     c->name);
}

bool shoal_ecs_create_group(shoal_world *w, const shoal_query_desc *desc) {
  static const char function[] = "shoal_ecs_create_group";
  error_info_t error = {0};
  ecs_t *ecs = ecs_check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  query_o *query = access_get_query(&ecs->access, desc);
  if (!query)
    return prefix_error(function);
  return world_group_query(ecs->access.world, query, &error) || access_fail("%s: %s", function, error.text);
}

bool shoal_ecs_run_tick(shoal_world *w) {
  static const char function[] = "shoal_ecs_run_tick";
  ecs_t *ecs = ecs_check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  world_end_tick(ecs->access.world);
  return ecs_end_call(ecs, function);
}

uint32_t shoal_ecs_entity_count(shoal_world *w) {
  ecs_t *ecs = ecs_check_call(w, "shoal_ecs_entity_count");
  return ecs ? world_entities(ecs->access.world)->alive_count : 0;
}

// --- threads

bool shoal_ecs_set_worker_count(shoal_world *w, uint32_t count) {
  static const char function[] = "shoal_ecs_set_worker_count";
  ecs_t *ecs = ecs_check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  if (count > JOBS_MAX_WORKERS)
    return access_fail("%s: count must be at most %u, got %u", function, JOBS_MAX_WORKERS, count);
  jobs_destroy(ecs->jobs);
  ecs->jobs = NULL;
  ecs->worker_count = count;
  return true;
}
