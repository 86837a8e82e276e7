// Proposes edits of scenes in Lua. Only tables that the list of entities contains as constructors are edited, because a
// table in a local may belong to several entities.
#include "cockpit/level_scene.h"

#include "base/files.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_text.h"
#include "cockpit/game_files.h"
#include "cockpit/kind_edit.h"
#include "cockpit/level_scene_read.h"
#include "cockpit/request.h"

#include <stdio.h>
#include <string.h>

#define MAX_EDITS 10000u
#define KEY_BYTES 128u
// Maximum number of keys in a path: components, component, instance, and the parts of a field's name.
#define MAX_KEYS 12u

typedef struct scene_change_t {
  proposal_t *proposal;
  char file[FILE_CHANGES_NAME];
  const json_t *item;
  char path[32]; // path of the edit in the request: "edits.N"
  lua_edit_t edit;
} scene_change_t;

static bool add_edit_problem(scene_change_t *change, const error_info_t *reason) {
  return proposal_add_problem(change->proposal, change->path, "%s", reason->text);
}

// --- finding

static literal_span_t find_entity_list(scene_change_t *change, error_info_t *error) {
  static const char *const keys[] = {"entities"};
  return lua_edit_find_table(&change->edit, change->file, keys, 1, error);
}

// Returns true if the entity has the assemblage and the name that the request's "was" contains. They differ if the list
// has changed since the client read it.
static bool is_expected_entity(const scene_change_t *change, literal_span_t entity) {
  static const char *const keys[] = {"assemblage", "name"};
  const json_t *expected = json_object_get(change->item, "was");
  char text[256];
  for (size_t i = 0; i < 2; ++i) {
    const char *expected_text = json_string_value(json_object_get(expected, keys[i]));
    level_scene_copy_text(lua_edit_find_value(entity, keys[i]), text, sizeof text);
    if (expected_text && strcmp(expected_text, text) != 0)
      return false;
  }
  return true;
}

// Returns the table of the entity that the edit names. If the list has no such table, reports a problem and returns a
// span whose `file` is NULL.
static literal_span_t find_entity(scene_change_t *change, uint32_t *index) {
  const json_t *index_value = json_object_get(change->item, "entity");
  literal_span_t none = {0}, entity, list;
  error_info_t reason = {0};
  list = find_entity_list(change, &reason);
  *index = (uint32_t)json_integer_value(index_value);
  if (!list.file)
    return add_edit_problem(change, &reason), none;
  if (!json_is_integer(index_value) || json_integer_value(index_value) < 0 ||
      level_scene_find_entity(list, *index, &entity) == UINT32_MAX)
    return proposal_add_problem(change->proposal, change->path,
                                "“entity” must be an index in the list of entities, from 0"),
           none;
  if (!lua_edit_is_table(entity)) {
    lua_edit_reject_code(entity, "this entity", &reason);
    return add_edit_problem(change, &reason), none;
  }
  if (!is_expected_entity(change, entity)) {
    proposal_add_problem(change->proposal, change->path, "entity %u of %s has changed: choose the entity again",
                         *index + 1, change->file);
    return none;
  }
  return entity;
}

// --- setting

typedef struct key_path_t {
  char keys[MAX_KEYS][KEY_BYTES];
  uint32_t count;
} key_path_t;

static void add_key(key_path_t *path, const char *key, size_t bytes) {
  size_t length = strnlen(key, bytes);
  if (path->count == MAX_KEYS || length >= KEY_BYTES)
    return;
  memcpy(path->keys[path->count], key, length);
  path->keys[path->count++][length] = '\0';
}

// Appends nested table constructors for the keys from `i` on: { health = { hp = VALUE } }.
static void write_nested(const scene_change_t *change, const key_path_t *path, uint32_t i, const char *value,
                         json_writer_t *out) {
  lua_table_t table;
  json_writer_t inner_text;
  if (i == path->count) {
    json_write_text(out, value);
    return;
  }
  json_writer_init(&inner_text, out->allocator);
  write_nested(change, path, i + 1, value, &inner_text);
  lua_table_init(&table, out->allocator, KIND_MAX_COLUMNS);
  lua_table_add(&table, path->keys[i], json_writer_text(&inner_text));
  lua_table_write(&table, out);
  lua_table_fini(&table);
  json_writer_fini(&inner_text);
}

static bool equals_source(literal_span_t span, const char *text) {
  char source[512];
  size_t bytes = level_scene_copy_source(span, source, sizeof source);
  return bytes == strlen(text) && strcmp(source, text) == 0;
}

// Sets the value at a path of keys, or removes its key if `value` is NULL. Creates missing tables. Returns true on
// success, or false with a reason if one of the tables or the value is computed by code.
static bool set_value(scene_change_t *change, literal_span_t table, const key_path_t *path, const char *value,
                      error_info_t *reason) {
  json_writer_t text;
  for (uint32_t i = 0;; ++i) {
    if (!lua_edit_is_table(table))
      return lua_edit_reject_code(table, i > 0 ? path->keys[i - 1] : "this entity", reason);
    literal_span_t value_span = lua_edit_find_value(table, path->keys[i]);
    bool is_last = i + 1 == path->count;
    if (!value_span.file && !value)
      return true;
    if (!value_span.file) {
      json_writer_init(&text, &change->proposal->cockpit->memory);
      write_nested(change, path, i + 1, value, &text);
      lua_edit_insert(&change->edit, table, path->keys[i], json_writer_text(&text));
      json_writer_fini(&text);
      return true;
    }
    if (is_last && !value) {
      lua_edit_remove_key(&change->edit, table, path->keys[i]);
      return true;
    }
    if (is_last && !level_scene_is_constant(value_span))
      return lua_edit_reject_code(value_span, path->keys[i], reason);
    if (is_last) {
      if (!equals_source(value_span, value))
        lua_edit_replace(&change->edit, value_span, value);
      return true;
    }
    table = value_span;
  }
}

// Sets one value as a separate edit, because edits of the same text must not overlap.
static bool set_path(scene_change_t *change, const key_path_t *path, const char *value) {
  error_info_t reason = {0};
  uint32_t index;
  kind_begin_edit(change->proposal, &change->edit);
  literal_span_t entity = find_entity(change, &index);
  bool ok = entity.file && set_value(change, entity, path, value, &reason);
  if (!ok && reason.text[0])
    add_edit_problem(change, &reason);
  error_info_t put_error = {0};
  ok = kind_end_edit(change->proposal, &change->edit, ok, &put_error) && ok;
  return ok || !put_error.text[0] || add_edit_problem(change, &put_error);
}

static bool set_field(scene_change_t *change, const manager_o *manager, const char *instance, const char *field,
                      const json_t *value) {
  key_path_t path = {0};
  json_writer_t text;
  add_key(&path, "components", SIZE_MAX);
  add_key(&path, manager->schema.name, SIZE_MAX);
  if (instance[0])
    add_key(&path, instance, SIZE_MAX);
  for (const char *part = field; *part; part += strspn(part, ".")) {
    add_key(&path, part, strcspn(part, "."));
    part += strcspn(part, ".");
  }
  json_writer_init(&text, &change->proposal->cockpit->memory);
  bool ok = json_is_null(value) || kind_write_value(change->proposal, change->path, manager, field, value, &text);
  ok = ok && set_path(change, &path, json_is_null(value) ? NULL : json_writer_text(&text));
  json_writer_fini(&text);
  return ok;
}

static bool set_component(scene_change_t *change) {
  const json_t *values = json_object_get(change->item, "values");
  const char *name = get_text_member(change->item, "component"), *instance = get_text_member(change->item, "instance"),
             *field;
  const manager_o *manager = kind_find_component(change->proposal, change->path, name);
  key_path_t path = {0};
  json_t *value;
  bool ok = manager != NULL;
  if (ok && instance[0] && (manager->schema.kind != SCHEMA_MANY || strlen(instance) >= KEY_BYTES))
    return proposal_add_problem(change->proposal, change->path, "%s has no instance %.60s", name, instance);
  add_key(&path, "components", SIZE_MAX);
  add_key(&path, name, SIZE_MAX);
  if (instance[0])
    add_key(&path, instance, SIZE_MAX);
  if (ok && json_is_null(values))
    return set_path(change, &path, NULL);
  if (ok && json_object_size(values) == 0)
    return set_path(change, &path, "{}");
  json_object_foreach((json_t *)(uintptr_t)values, field, value) {
    ok = ok && set_field(change, manager, instance, field, value);
  }
  return ok;
}

static bool set_members(scene_change_t *change, const json_t *members) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)members, key, value) {
    key_path_t path = {0};
    json_writer_t text;
    bool is_reserved = strcmp(key, "name") == 0 || strcmp(key, "assemblage") == 0 || strcmp(key, "state") == 0;
    if (!is_reserved || (!json_is_string(value) && !json_is_null(value)))
      return proposal_add_problem(
          change->proposal, change->path,
          is_reserved ? "%.60s must be a string or null" : "unknown member %.60s: use name, assemblage or state", key);
    if (strcmp(key, "assemblage") == 0 && json_is_string(value) &&
        !kind_check_assemblage(change->proposal, change->path, json_string_value(value)))
      return false;
    add_key(&path, key, SIZE_MAX);
    json_writer_init(&text, &change->proposal->cockpit->memory);
    if (json_is_string(value))
      edit_write_text(&text, json_string_value(value));
    bool ok = set_path(change, &path, json_is_null(value) ? NULL : json_writer_text(&text));
    json_writer_fini(&text);
    if (!ok)
      return false;
  }
  return true;
}

// --- adding and removing

static bool add_components(scene_change_t *change, const json_t *components, lua_table_t *out) {
  const char *name;
  json_t *values;
  bool ok = true;
  json_object_foreach((json_t *)(uintptr_t)components, name, values) {
    lua_table_t table;
    const manager_o *manager = kind_find_component(change->proposal, change->path, name);
    if (!manager)
      return false;
    lua_table_init(&table, &change->proposal->cockpit->memory, KIND_MAX_COLUMNS);
    ok = kind_add_values(change->proposal, change->path, manager, values, &table) && ok;
    lua_table_add_table(out, name, &table);
    lua_table_fini(&table);
  }
  return ok;
}

static bool write_entity(scene_change_t *change, const json_t *entity, json_writer_t *out) {
  const char *name = get_text_member(entity, "name"), *assemblage = get_text_member(entity, "assemblage");
  lua_table_t table, components;
  lua_table_init(&table, &change->proposal->cockpit->memory, KIND_MAX_COLUMNS);
  lua_table_init(&components, &change->proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = !assemblage[0] || kind_check_assemblage(change->proposal, change->path, assemblage);
  ok = ok && add_components(change, json_object_get(entity, "components"), &components);
  if (assemblage[0])
    lua_table_add_text(&table, "assemblage", assemblage);
  if (name[0])
    lua_table_add_text(&table, "name", name);
  if (!lua_table_is_empty(&components))
    lua_table_add_table(&table, "components", &components);
  lua_table_write(&table, out);
  lua_table_fini(&table);
  lua_table_fini(&components);
  return ok;
}

static bool add_entity(scene_change_t *change) {
  error_info_t reason = {0};
  json_writer_t text;
  json_writer_init(&text, &change->proposal->cockpit->memory);
  bool ok = write_entity(change, json_object_get(change->item, "entity"), &text);
  kind_begin_edit(change->proposal, &change->edit);
  literal_span_t list = ok ? find_entity_list(change, &reason) : (literal_span_t){0};
  if (list.file)
    lua_edit_insert(&change->edit, list, NULL, json_writer_text(&text));
  if (!kind_end_edit(change->proposal, &change->edit, list.file != NULL, &reason) && reason.text[0])
    ok = add_edit_problem(change, &reason);
  json_writer_fini(&text);
  return ok;
}

static bool remove_entity(scene_change_t *change) {
  error_info_t reason = {0};
  uint32_t index;
  kind_begin_edit(change->proposal, &change->edit);
  literal_span_t entity = find_entity(change, &index), list = entity.file ? find_entity_list(change, &reason) : entity;
  if (entity.file)
    lua_edit_remove(&change->edit, list, level_scene_find_entity(list, index, &entity));
  if (!kind_end_edit(change->proposal, &change->edit, entity.file != NULL, &reason) && reason.text[0])
    add_edit_problem(change, &reason);
  return entity.file != NULL;
}

static bool apply_edit(scene_change_t *change) {
  const char *action = get_text_member(change->item, "do");
  const json_t *members = json_object_get(change->item, "members");
  if (strcmp(action, "add") == 0)
    return add_entity(change);
  if (strcmp(action, "remove") == 0)
    return remove_entity(change);
  if (strcmp(action, "set") == 0)
    return members ? set_members(change, members) : set_component(change);
  return proposal_add_problem(change->proposal, change->path, "unknown edit %.60s: use add, set or remove", action);
}

// Restores the text of the file, because a proposal with problems must not change it.
static bool restore_text(scene_change_t *change, const char *text, size_t bytes, error_info_t *error) {
  return file_changes_put(&change->proposal->files, change->file, text, bytes, error);
}

bool level_scene_propose(proposal_t *proposal, error_info_t *error) {
  const json_t *edits = json_object_get(proposal->request, "edits");
  scene_change_t change = {.proposal = proposal};
  size_t i, bytes = 0;
  json_t *item;
  if (!kind_get_world(proposal, error) ||
      !level_scene_find_file(proposal->request, change.file, sizeof change.file, error))
    return false;
  if (!json_is_array(edits) || json_array_size(edits) > MAX_EDITS)
    return request_reject_member(proposal->request, "edits", error, "a list of at most %u edits", MAX_EDITS);
  snprintf(proposal->title, sizeof proposal->title, "scene %s", get_text_member(proposal->request, "scene"));
  const char *text = file_changes_read(&proposal->files, change.file, &bytes, error);
  if (!text)
    return false;
  char *old_text = alloc_resize(&proposal->cockpit->memory, NULL, 0, bytes + 1);
  memcpy(old_text, text, bytes + 1);
  json_array_foreach((json_t *)(uintptr_t)edits, i, item) {
    change.item = item;
    snprintf(change.path, sizeof change.path, "edits.%zu", i);
    apply_edit(&change);
  }
  bool ok = proposal->problem_count == 0 || restore_text(&change, old_text, bytes, error);
  alloc_resize(&proposal->cockpit->memory, old_text, bytes + 1, 0);
  return ok;
}
