// Spawns entities, and adds components with values to existing entities. Checks all settings before changing anything.
#include "access/entities.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "base/nearest_name.h"
#include "shoal/world.h"
#include "ecs/name_hint.h"
#include "ecs/assemblage_inspect.h"

#include <stdio.h>
#include <string.h>

#define MAX_SETTINGS 4096u
#define MAX_TREE 65536u

// --- settings

// A setting whose names were looked up.
typedef struct resolved_setting_t {
  uint32_t entity; // index of the entity in the spawned tree
  uint32_t manager, instance;
  int32_t column; // column to set; -1: add the component without setting a column
  double value;
} resolved_setting_t;

// Returns the next part of a path such as "turret/barrel" and stores its length; returns NULL at the end of the path.
static const char *read_path_part(const char **cursor, size_t *length) {
  if (!*cursor || !**cursor)
    return NULL;
  const char *part = *cursor;
  *length = strcspn(part, "/");
  *cursor = part + *length + (part[*length] == '/');
  return part;
}

static bool fail_unknown_child(world_o *w, uint32_t assemblage, const char *part, size_t length, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], name[100];
  nearest_name_t nearest;
  snprintf(name, sizeof name, "%.*s", (int)(length < 90 ? length : 90), part);
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; world_assemblage_child_name(w, assemblage, i) != 0; ++i)
    nearest_name_offer(&nearest, strings_text(world_strings(w), world_assemblage_child_name(w, assemblage, i)));
  return error_set(error, "assemblage %s has no child %s%s",
                   strings_text(world_strings(w), world_assemblage_name(w, assemblage)), name,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

// Finds the index of a child in a spawned tree. A child is listed after its parent and after the trees of its earlier
// siblings. Returns true on success, or false with an error if a name in the path is unknown.
static bool find_child(world_o *w, uint32_t assemblage, const char *path, uint32_t *index, error_info_t *error) {
  const char *part;
  size_t length;
  *index = 0;
  while ((part = read_path_part(&path, &length)) != NULL) {
    uint32_t i = 0, name;
    *index += 1;
    for (; (name = assemblage ? world_assemblage_child_name(w, assemblage, i) : 0) != 0; ++i) {
      const char *text = strings_text(world_strings(w), name);
      uint32_t child = world_assemblage_child_number(w, assemblage, i);
      if (strlen(text) == length && strncmp(text, part, length) == 0)
        break;
      *index += world_assemblage_tree_size(w, child, error);
    }
    if (name == 0)
      return fail_unknown_child(w, assemblage, part, length, error);
    assemblage = world_assemblage_child_number(w, assemblage, i);
  }
  return true;
}

bool access_parse_value(world_o *w, const schema_t *schema, const field_t *field, const char *text, bool interns,
                        double *out) {
  int32_t choice = field->type == FIELD_ENUM ? field_find_choice(field, text, strlen(text)) : -1;
  if (field->type == FIELD_STRING || field->type == FIELD_ASSET) {
    *out = interns ? strings_intern(world_strings(w), text) : strings_find(world_strings(w), text);
    return *out != 0 || !text[0] ||
           access_fail("cannot add the string \"%.60s\" in a parallel system: add it in `open` with shoal_intern",
                       text);
  }
  *out = choice;
  if (choice >= 0)
    return true;
  if (field->type != FIELD_ENUM)
    return access_fail("%s.%s: expected %s, got text \"%.60s\"", schema->name, field->name,
                       field_type_name(field->type), text);
  return access_fail("%s.%s has no choice \"%.60s\"", schema->name, field->name, text);
}

static bool resolve_field(world_o *w, const manager_o *m, const shoal_field_value *setting, resolved_setting_t *out,
                          error_info_t *error) {
  char hint[HINT_BYTES];
  out->column = setting->field ? schema_find_field(&m->schema, setting->field) : -1;
  if (!setting->field)
    return true;
  if (out->column < 0)
    return error_set(error, "%s has no field %.60s%s", m->schema.name, setting->field,
                     hint_field(&m->schema, setting->field, hint));
  const field_t *field = &m->schema.fields[out->column];
  out->value = setting->number;
  if (!setting->string && (field->type == FIELD_STRING || field->type == FIELD_ASSET))
    return error_set(error, "%s.%s must be a string: set .string", m->schema.name, field->name);
  return !setting->string || access_parse_value(w, &m->schema, field, setting->string, true, &out->value) ||
         error_set(error, "%s", access_error_text());
}

static bool resolve_setting(world_o *w, uint32_t assemblage, const shoal_field_value *setting, resolved_setting_t *out,
                            error_info_t *error) {
  char hint[HINT_BYTES];
  const char *name = setting->component ? setting->component : "";
  const manager_o *m = world_find_manager(w, name);
  *out = (resolved_setting_t){.manager = m ? m->id : 0};
  if (!m)
    return error_set(error, "unknown component %.60s%s", name, hint_component(w, name, hint));
  if (m->schema.kind == SCHEMA_SINGLE)
    return error_set(error, "%s is a singleton, which belongs to no entity", name);
  if (setting->instance && setting->instance[0] && m->schema.kind != SCHEMA_MANY)
    return error_set(error, "%s has no named instances: .instance must be NULL, got \"%.60s\"", name,
                     setting->instance);
  if (setting->instance && setting->instance[0])
    out->instance = strings_intern(world_strings(w), setting->instance);
  return find_child(w, assemblage, setting->child, &out->entity, error) && resolve_field(w, m, setting, out, error);
}

// --- spawning

static bool fail_unknown_assemblage(world_o *w, const char *name, error_info_t *error) {
  char hint[HINT_BYTES];
  return error_set(error, "unknown assemblage %.60s%s", name, hint_assemblage(w, name, hint));
}

static bool find_assemblage(world_o *w, const char *name, uint32_t *number, error_info_t *error) {
  *number = world_find_assemblage_named(w, name);
  return *number != 0 || !name || !name[0] || fail_unknown_assemblage(w, name, error);
}

static bool apply_settings(world_o *w, const shoal_entity *tree, const resolved_setting_t *resolved, uint32_t count,
                           error_info_t *error) {
  shoal_assert(world_is_deferring(w), "the world must be deferring commands");
  for (uint32_t i = 0; i < count; ++i) {
    const resolved_setting_t *setting = &resolved[i];
    shoal_entity e = tree[setting->entity];
    if (!world_add_component(w, e, setting->manager, setting->instance, error) ||
        (setting->column >= 0 &&
         !world_set_field(w, e, setting->manager, setting->instance, (uint32_t)setting->column, setting->value, error)))
      return false;
  }
  return true;
}

// Spawns an entity from checked settings. Meanwhile, the world queues changes, so that the spawn and its values are
// applied together. Returns the entity, or 0 with an error.
static shoal_entity spawn_resolved(world_o *w, uint32_t assemblage, shoal_entity *tree, uint32_t size,
                                   const resolved_setting_t *resolved, uint32_t count, error_info_t *error) {
  world_defer_begin(w, 0);
  tree[0] = SHOAL_ENTITY_NONE;
  bool succeeded =
      world_spawn_tree(w, assemblage, tree, size, error) == size && apply_settings(w, tree, resolved, count, error);
  shoal_assert(!succeeded || world_is_alive(w, tree[0]), "the spawned entity is not alive");
  if (!succeeded)
    world_destroy_entity(w, tree[0]);
  world_defer_end(w, false);
  return succeeded ? tree[0] : SHOAL_ENTITY_NONE;
}

static shoal_entity resolve_and_spawn(world_o *w, const access_spawn_t *spawn, error_info_t *error) {
  allocator_t *memory = world_allocator(w);
  uint32_t assemblage = 0, size = 1;
  if (!find_assemblage(w, spawn->assemblage, &assemblage, error))
    return SHOAL_ENTITY_NONE;
  if (assemblage != 0 && (size = world_assemblage_tree_size(w, assemblage, error)) == 0)
    return SHOAL_ENTITY_NONE;
  if (spawn->count > MAX_SETTINGS || size > MAX_TREE) {
    error_set(error, "cannot spawn %u entities with %u settings (at most %u entities and %u settings)", size,
              spawn->count, MAX_TREE, MAX_SETTINGS);
    return SHOAL_ENTITY_NONE;
  }
  resolved_setting_t *resolved = alloc_resize(memory, NULL, 0, spawn->count * sizeof *resolved);
  shoal_entity *tree = alloc_resize(memory, NULL, 0, size * sizeof *tree), e = SHOAL_ENTITY_NONE;
  bool succeeded = true;
  for (uint32_t i = 0; i < spawn->count && succeeded; ++i)
    succeeded = resolve_setting(w, assemblage, &spawn->settings[i], &resolved[i], error);
  if (succeeded)
    e = spawn_resolved(w, assemblage, tree, size, resolved, spawn->count, error);
  for (uint32_t i = 0; spawn->tree && i < spawn->tree_capacity; ++i)
    spawn->tree[i] = e != SHOAL_ENTITY_NONE && i < size ? tree[i] : SHOAL_ENTITY_NONE;
  alloc_resize(memory, resolved, spawn->count * sizeof *resolved, 0);
  alloc_resize(memory, tree, size * sizeof *tree, 0);
  return e;
}

shoal_entity access_spawn_entity(world_o *w, const access_spawn_t *desc) {
  shoal_entity spawned = SHOAL_ENTITY_NONE;
  if ((!desc->settings || desc->count == 0) && !desc->tree && !world_is_deferring(w)) // same result, but faster
    return access_spawn_entities(w, desc->assemblage, 1, &spawned) == 1 ? spawned : SHOAL_ENTITY_NONE;
  error_info_t error = {0};
  access_spawn_t spawn = *desc;
  spawn.count = desc->settings ? desc->count : 0;
  shoal_entity e = resolve_and_spawn(w, &spawn, &error);
  if (e == SHOAL_ENTITY_NONE)
    access_fail("%s", error.text);
  return e;
}

bool access_add_components(world_o *w, shoal_entity e, const shoal_field_value *settings, uint32_t count) {
  allocator_t *memory = world_allocator(w);
  error_info_t error = {0};
  if (!world_is_alive(w, e))
    return access_fail("entity %u is not alive", e);
  if (count > MAX_SETTINGS)
    return access_fail("too many settings: %u (at most %u): add the components in several calls", count, MAX_SETTINGS);
  if (count > 0 && !settings)
    return access_fail("`settings` must not be NULL (count %u)", count);
  resolved_setting_t *resolved = alloc_resize(memory, NULL, 0, count * sizeof *resolved);
  bool succeeded = true;
  for (uint32_t i = 0; i < count && succeeded; ++i)
    succeeded = settings[i].child
                    ? error_set(&error, ".child must be NULL for an existing entity, got %.60s", settings[i].child)
                    : resolve_setting(w, 0, &settings[i], &resolved[i], &error);
  world_defer_begin(w, 0);
  succeeded = succeeded && apply_settings(w, &e, resolved, count, &error);
  world_defer_end(w, !succeeded);
  alloc_resize(memory, resolved, count * sizeof *resolved, 0);
  return succeeded || access_fail("%s", error.text);
}

uint32_t access_spawn_entities(world_o *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  // uses the thread's error_info_t, because clearing a new one would take longer than a spawn
  error_info_t *error = access_last_error();
  uint32_t number = 0;
  return find_assemblage(w, assemblage, &number, error) ? world_spawn_many(w, number, count, out, error) : 0;
}
