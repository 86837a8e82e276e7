// Implements <shoal/ecs.h>: a library that consists only of the modules schema, ecs, snapshot and access.
#include "access/access.h"
#include "access/declaration_match.h"
#include "access/last_error.h"
#include "base/handle_set.h"
#include "base/hash.h"
#include "ecs/changes.h"
#include "shoal/ecs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct template_part_t { // a component of a template
  uint32_t template_number, component;
} template_part_t;

typedef struct ecs_t {
  // Must be first. The struct is never freed, so that use of a destroyed world (access.world is NULL) is detected.
  access_o access;
  pthread_t thread;
  ARRAY(template_part_t) template_parts;
} ecs_t;

static handle_set_t worlds = HANDLE_SET_INIT;

const char *shoal_ecs_last_error(void) {
  return access_error_text();
}

// --- permission

// Returns the world if the call is allowed; otherwise sets the error message and returns NULL.
static ecs_t *check_call(shoal_world *w, const char *function) {
  ecs_t *ecs = (ecs_t *)(void *)w;
  access_clear_error();
  if (!handle_set_contains(&worlds, w))
    return access_fail("%s: %s", function,
                       w ? "world must be the result of shoal_ecs_create" : "world must not be NULL"),
           NULL;
  if (!ecs->access.world)
    return access_fail("%s: the world was destroyed", function), NULL;
  if (!pthread_equal(ecs->thread, pthread_self()))
    return access_fail("%s must be called on the thread that created the world", function), NULL;
  return ecs;
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

// --- function table of <shoal/world.h>

static bool world_access_restore(shoal_world *w, const void *bytes, size_t size) {
  return access_restore_snapshot(access_of(w), bytes, size);
}

// --- files: a hash of the bytes, followed by the bytes. Does not use base/files.h, which depends on zlib.

static bool write_bytes(const char *path, const void *bytes, size_t size) {
  char temporary[4096];
  uint64_t hash = hash_bytes(bytes, size, 0);
  if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
    return access_fail("the path %.200s… is too long (at most %zu bytes): shorten it", path,
                       sizeof temporary - sizeof ".new");
  FILE *file = fopen(temporary, "wb");
  bool ok = file && fwrite(&hash, sizeof hash, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
  ok = (!file || fclose(file) == 0) && ok && rename(temporary, path) == 0;
  return ok || access_fail("cannot write %s: %s", path, strerror(errno));
}

static bool world_access_save(shoal_world *w, const char *path) {
  access_o *a = access_of(w);
  size_t size = path ? world_access_snapshot(w, NULL, 0) : 0;
  if (size == 0)
    return path ? false : access_fail("path must not be NULL");
  void *bytes = alloc_resize(&a->memory, NULL, 0, size);
  bool ok = world_access_snapshot(w, bytes, size) == size && write_bytes(path, bytes, size);
  alloc_resize(&a->memory, bytes, size, 0);
  return ok;
}

static bool restore_file(access_o *a, const char *path, FILE *file, size_t size) {
  uint64_t hash = 0;
  void *bytes = alloc_resize(&a->memory, NULL, 0, size);
  bool ok = fread(&hash, sizeof hash, 1, file) == 1 && fread(bytes, 1, size, file) == size &&
            hash == hash_bytes(bytes, size, 0);
  ok = ok ? access_restore_snapshot(a, bytes, size)
          : access_fail("cannot load %s: the file is damaged, or not a saved world", path);
  alloc_resize(&a->memory, bytes, size, 0);
  return ok;
}

static bool world_access_load(shoal_world *w, const char *path) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file)
    return path ? access_fail("cannot open %s: %s", path, strerror(errno)) : access_fail("path must not be NULL");
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) - (long)sizeof(uint64_t) : 0;
  bool ok = size > 0 && fseek(file, 0, SEEK_SET) == 0
                ? restore_file(access_of(w), path, file, (size_t)size)
                : access_fail("cannot load %s: the file is not a saved world", path);
  fclose(file);
  return ok;
}

// clang-format off
#define GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                                     \
  static result_ guard_##name_ parameters_ {                                                                           \
    if (offsetof(shoal_world_api, name_) == 0)                                                                         \
      return world_access_##name_ arguments_;                                                                          \
    if (!check_call(w, "shoal_" #name_))                                                                               \
      return otherwise_;                                                                                               \
    return world_access_##name_ arguments_;                                                                            \
  }
SHOAL_WORLD_FUNCTIONS(GUARD)
SHOAL_STATE_FUNCTIONS(GUARD)

#define ENTRY(name_, result_, otherwise_, where_, parameters_, arguments_, words_) .name_ = guard_##name_,
static const shoal_world_api api = {SHOAL_WORLD_FUNCTIONS(ENTRY) SHOAL_STATE_FUNCTIONS(ENTRY)};
// clang-format on

// --- creation and destruction of worlds

shoal_world *shoal_ecs_create(const shoal_component *const *components) {
  access_clear_error();
  ecs_t *ecs = calloc(1, sizeof *ecs);
  if (!ecs)
    return access_fail("shoal_ecs_create: out of memory"), NULL;
  handle_set_add(&worlds, &ecs->access.own.shared);
  access_init(&ecs->access, &(access_desc_t){.api = &api, .declares = true, .exact = access_checks_columns()},
              world_create(&(world_desc_t){.seed = 1}));
  changes_declare(ecs->access.world, access_last_error());
  ecs->thread = pthread_self();
  for (; components && *components; ++components)
    if (!world_access_declare(&ecs->access.own.shared, *components)) {
      prefix_error("shoal_ecs_create");
      world_o *world = ecs->access.world;
      access_fini(&ecs->access);
      world_destroy(world);
      return NULL;
    }
  return &ecs->access.own.shared;
}

bool shoal_ecs_destroy(shoal_world *w) {
  static const char function[] = "shoal_ecs_destroy";
  access_clear_error();
  ecs_t *ecs = w ? check_call(w, function) : NULL;
  if (!ecs || !check_no_query_open(ecs, function))
    return !w;
  world_o *world = ecs->access.world;
  array_free(&ecs->access.memory, &ecs->template_parts);
  access_fini(&ecs->access);
  world_destroy(world);
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
  ecs_t *ecs = check_call(w, function);
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
    return access_fail("%s: template %.64s already exists: choose another name", function, name);
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
  ecs_t *ecs = check_call(w, function);
  access_binding_t *binding = ecs ? bind_component(ecs, c, function) : NULL;
  if (!binding)
    return false;
  world_o *world = ecs->access.world;
  uint32_t template_id = name ? world_find_assemblage(world, strings_find(world_strings(world), name)) : 0;
  if (template_id == 0 || column >= c->column_count)
    return template_id == 0 ? access_fail("%s: unknown template %.64s: declare it with shoal_ecs_define_assemblage",
                                          function, name ? name : "")
                            : access_fail("%s: column %u of %s is out of range (count %u)", function, column, c->name,
                                          c->column_count);
  for (uint32_t i = 0; i < ecs->template_parts.count; ++i)
    if (ecs->template_parts.items[i].template_number == template_id &&
        ecs->template_parts.items[i].component == binding->manager->id) {
      world_assemblage_set_field(world, template_id, 0, binding->manager->id, 0, binding->columns[column], value);
      return true;
    }
  return access_fail("%s: template %s has no component %s: list it in shoal_ecs_define_assemblage", function, name,
                     c->name);
}

bool shoal_ecs_create_group(shoal_world *w, const shoal_query_desc *desc) {
  static const char function[] = "shoal_ecs_create_group";
  error_info_t error = {0};
  ecs_t *ecs = check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  query_o *query = access_get_query(&ecs->access, desc);
  if (!query)
    return prefix_error(function);
  return world_group_query(ecs->access.world, query, &error) || access_fail("%s: %s", function, error.text);
}

bool shoal_ecs_run_tick(shoal_world *w) {
  static const char function[] = "shoal_ecs_run_tick";
  ecs_t *ecs = check_call(w, function);
  if (!ecs || !check_no_query_open(ecs, function))
    return false;
  world_end_tick(ecs->access.world);
  return true;
}

uint32_t shoal_ecs_entity_count(shoal_world *w) {
  ecs_t *ecs = check_call(w, "shoal_ecs_entity_count");
  return ecs ? world_entities(ecs->access.world)->alive_count : 0;
}
