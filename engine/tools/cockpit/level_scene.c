// Proposes edits of scenes in Lua. Only tables that the list of entities contains as constructors are edited: a table
// that a local holds may belong to several entities.
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
#define MAX_KEYS 12u // keys of a path: components, component, instance, and the parts of a field's name

typedef struct scene_change_t {
  proposal_t *x;
  char file[FILE_CHANGES_NAME];
  const json_t *item;
  char at[32]; // "edits.N"
  lua_edit_t edit;
} scene_change_t;

static bool add_edit_problem(scene_change_t *s, const error_info_t *why) {
  return proposal_add_problem(s->x, s->at, "%s", why->text);
}

// --- finding

static literal_span_t find_entity_list(scene_change_t *s, error_info_t *error) {
  static const char *const keys[] = {"entities"};
  return lua_edit_find_table(&s->edit, s->file, keys, 1, error);
}

// Returns true if the entity is the one that the request means: the list may have changed since it was read.
static bool is_expected_entity(const scene_change_t *s, literal_span_t entity) {
  static const char *const keys[] = {"assemblage", "name"};
  const json_t *was = json_object_get(s->item, "was");
  char text[256];
  for (size_t i = 0; i < 2; ++i) {
    const char *expected = json_string_value(json_object_get(was, keys[i]));
    level_scene_copy_text(lua_edit_find_value(entity, keys[i]), text, sizeof text);
    if (expected && strcmp(expected, text) != 0)
      return false;
  }
  return true;
}

// Returns the table of the entity that the edit names; its `file` is NULL, after a problem was reported, if there is no
// such table.
static literal_span_t find_entity(scene_change_t *s, uint32_t *index) {
  const json_t *number = json_object_get(s->item, "entity");
  literal_span_t none = {0}, entity, list;
  error_info_t why = {0};
  list = find_entity_list(s, &why);
  *index = (uint32_t)json_integer_value(number);
  if (!list.file)
    return add_edit_problem(s, &why), none;
  if (!json_is_integer(number) || json_integer_value(number) < 0 ||
      level_scene_find_entity(list, *index, &entity) == UINT32_MAX)
    return proposal_add_problem(s->x, s->at, "“entity” must be an index in the list of entities, from 0"), none;
  if (!lua_edit_is_table(entity)) {
    lua_edit_reject_code(entity, "this entity", &why);
    return add_edit_problem(s, &why), none;
  }
  if (!is_expected_entity(s, entity)) {
    proposal_add_problem(s->x, s->at, "entity %u of %s has changed: choose the entity again", *index + 1, s->file);
    return none;
  }
  return entity;
}

// --- setting

typedef struct key_path_t {
  char keys[MAX_KEYS][KEY_BYTES];
  uint32_t count;
} key_path_t;

static void add_key(key_path_t *p, const char *key, size_t bytes) {
  size_t length = strnlen(key, bytes);
  if (p->count == MAX_KEYS || length >= KEY_BYTES)
    return;
  memcpy(p->keys[p->count], key, length);
  p->keys[p->count++][length] = '\0';
}

// Appends the source text of the tables starting at key `i`: { health = { hp = VALUE } }.
static void write_nested(const scene_change_t *s, const key_path_t *p, uint32_t i, const char *value,
                         json_writer_t *out) {
  lua_table_t table;
  json_writer_t inner;
  if (i == p->count) {
    json_write_text(out, value);
    return;
  }
  json_writer_init(&inner, out->allocator);
  write_nested(s, p, i + 1, value, &inner);
  lua_table_init(&table, out->allocator, KIND_MAX_COLUMNS);
  lua_table_add(&table, p->keys[i], json_writer_text(&inner));
  lua_table_write(&table, out);
  lua_table_fini(&table);
  json_writer_fini(&inner);
}

static bool equals_source(literal_span_t s, const char *text) {
  char source[512];
  size_t bytes = level_scene_copy_source(s, source, sizeof source);
  return bytes == strlen(text) && strcmp(source, text) == 0;
}

// Sets the value at a path of keys, or removes its key if `value` is NULL. Creates missing tables. Fails if one of the
// tables or the value is computed by code.
static bool set_value(scene_change_t *s, literal_span_t table, const key_path_t *p, const char *value,
                      error_info_t *why) {
  json_writer_t text;
  for (uint32_t i = 0;; ++i) {
    if (!lua_edit_is_table(table))
      return lua_edit_reject_code(table, i > 0 ? p->keys[i - 1] : "this entity", why);
    literal_span_t next = lua_edit_find_value(table, p->keys[i]);
    bool is_last = i + 1 == p->count;
    if (!next.file && !value)
      return true;
    if (!next.file) {
      json_writer_init(&text, &s->x->c->memory);
      write_nested(s, p, i + 1, value, &text);
      lua_edit_insert(&s->edit, table, p->keys[i], json_writer_text(&text));
      json_writer_fini(&text);
      return true;
    }
    if (is_last && !value) {
      lua_edit_remove_key(&s->edit, table, p->keys[i]);
      return true;
    }
    if (is_last && !level_scene_is_constant(next))
      return lua_edit_reject_code(next, p->keys[i], why);
    if (is_last) {
      if (!equals_source(next, value))
        lua_edit_replace(&s->edit, next, value);
      return true;
    }
    table = next;
  }
}

// Sets one value as a separate edit, because edits of a text must not overlap.
static bool set_path(scene_change_t *s, const key_path_t *p, const char *value) {
  error_info_t why = {0};
  uint32_t index;
  kind_begin_edit(s->x, &s->edit);
  literal_span_t entity = find_entity(s, &index);
  bool ok = entity.file && set_value(s, entity, p, value, &why);
  if (!ok && why.text[0])
    add_edit_problem(s, &why);
  error_info_t put = {0};
  ok = kind_end_edit(s->x, &s->edit, ok, &put) && ok;
  return ok || !put.text[0] || add_edit_problem(s, &put);
}

static bool set_field(scene_change_t *s, const manager_o *m, const char *instance, const char *field, const json_t *v) {
  key_path_t path = {0};
  json_writer_t text;
  add_key(&path, "components", SIZE_MAX);
  add_key(&path, m->schema.name, SIZE_MAX);
  if (instance[0])
    add_key(&path, instance, SIZE_MAX);
  for (const char *at = field; *at; at += strspn(at, ".")) {
    add_key(&path, at, strcspn(at, "."));
    at += strcspn(at, ".");
  }
  json_writer_init(&text, &s->x->c->memory);
  bool ok = json_is_null(v) || kind_write_value(s->x, s->at, m, field, v, &text);
  ok = ok && set_path(s, &path, json_is_null(v) ? NULL : json_writer_text(&text));
  json_writer_fini(&text);
  return ok;
}

static bool set_component(scene_change_t *s) {
  const json_t *values = json_object_get(s->item, "values");
  const char *name = text_member(s->item, "component"), *instance = text_member(s->item, "instance"), *field;
  const manager_o *m = kind_find_component(s->x, s->at, name);
  key_path_t path = {0};
  json_t *v;
  bool ok = m != NULL;
  if (ok && instance[0] && (m->schema.kind != SCHEMA_MANY || strlen(instance) >= KEY_BYTES))
    return proposal_add_problem(s->x, s->at, "%s has no instance %.60s", name, instance);
  add_key(&path, "components", SIZE_MAX);
  add_key(&path, name, SIZE_MAX);
  if (instance[0])
    add_key(&path, instance, SIZE_MAX);
  if (ok && json_is_null(values))
    return set_path(s, &path, NULL);
  if (ok && json_object_size(values) == 0)
    return set_path(s, &path, "{}");
  json_object_foreach((json_t *)(uintptr_t)values, field, v) {
    ok = ok && set_field(s, m, instance, field, v);
  }
  return ok;
}

static bool set_members(scene_change_t *s, const json_t *members) {
  const char *key;
  json_t *v;
  json_object_foreach((json_t *)(uintptr_t)members, key, v) {
    key_path_t path = {0};
    json_writer_t text;
    bool is_reserved = strcmp(key, "name") == 0 || strcmp(key, "assemblage") == 0 || strcmp(key, "state") == 0;
    if (!is_reserved || (!json_is_string(v) && !json_is_null(v)))
      return proposal_add_problem(
          s->x, s->at,
          is_reserved ? "%.60s must be a string or null" : "unknown member %.60s: use name, assemblage or state", key);
    if (strcmp(key, "assemblage") == 0 && json_is_string(v) &&
        !kind_check_assemblage(s->x, s->at, json_string_value(v)))
      return false;
    add_key(&path, key, SIZE_MAX);
    json_writer_init(&text, &s->x->c->memory);
    if (json_is_string(v))
      edit_write_text(&text, json_string_value(v));
    bool ok = set_path(s, &path, json_is_null(v) ? NULL : json_writer_text(&text));
    json_writer_fini(&text);
    if (!ok)
      return false;
  }
  return true;
}

// --- adding and removing

static bool add_components(scene_change_t *s, const json_t *components, lua_table_t *out) {
  const char *name;
  json_t *values;
  bool ok = true;
  json_object_foreach((json_t *)(uintptr_t)components, name, values) {
    lua_table_t table;
    const manager_o *m = kind_find_component(s->x, s->at, name);
    if (!m)
      return false;
    lua_table_init(&table, &s->x->c->memory, KIND_MAX_COLUMNS);
    ok = kind_add_values(s->x, s->at, m, values, &table) && ok;
    lua_table_add_table(out, name, &table);
    lua_table_fini(&table);
  }
  return ok;
}

static bool write_entity(scene_change_t *s, const json_t *entity, json_writer_t *out) {
  const char *name = text_member(entity, "name"), *assemblage = text_member(entity, "assemblage");
  lua_table_t table, components;
  lua_table_init(&table, &s->x->c->memory, KIND_MAX_COLUMNS);
  lua_table_init(&components, &s->x->c->memory, KIND_MAX_COLUMNS);
  bool ok = !assemblage[0] || kind_check_assemblage(s->x, s->at, assemblage);
  ok = ok && add_components(s, json_object_get(entity, "components"), &components);
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

static bool add_entity(scene_change_t *s) {
  error_info_t why = {0};
  json_writer_t text;
  json_writer_init(&text, &s->x->c->memory);
  bool ok = write_entity(s, json_object_get(s->item, "entity"), &text);
  kind_begin_edit(s->x, &s->edit);
  literal_span_t list = ok ? find_entity_list(s, &why) : (literal_span_t){0};
  if (list.file)
    lua_edit_insert(&s->edit, list, NULL, json_writer_text(&text));
  if (!kind_end_edit(s->x, &s->edit, list.file != NULL, &why) && why.text[0])
    ok = add_edit_problem(s, &why);
  json_writer_fini(&text);
  return ok;
}

static bool remove_entity(scene_change_t *s) {
  error_info_t why = {0};
  uint32_t index;
  kind_begin_edit(s->x, &s->edit);
  literal_span_t entity = find_entity(s, &index), list = entity.file ? find_entity_list(s, &why) : entity;
  if (entity.file)
    lua_edit_remove(&s->edit, list, level_scene_find_entity(list, index, &entity));
  if (!kind_end_edit(s->x, &s->edit, entity.file != NULL, &why) && why.text[0])
    add_edit_problem(s, &why);
  return entity.file != NULL;
}

static bool apply_edit(scene_change_t *s) {
  const char *action = text_member(s->item, "do");
  const json_t *members = json_object_get(s->item, "members");
  if (strcmp(action, "add") == 0)
    return add_entity(s);
  if (strcmp(action, "remove") == 0)
    return remove_entity(s);
  if (strcmp(action, "set") == 0)
    return members ? set_members(s, members) : set_component(s);
  return proposal_add_problem(s->x, s->at, "unknown edit %.60s: use add, set or remove", action);
}

// Restores the text of the file, because a proposal with problems must not change it.
static bool restore_text(scene_change_t *s, const char *text, size_t bytes, error_info_t *error) {
  return file_changes_put(&s->x->files, s->file, text, bytes, error);
}

bool level_scene_propose(proposal_t *x, error_info_t *error) {
  const json_t *edits = json_object_get(x->request, "edits");
  scene_change_t s = {.x = x};
  size_t i, bytes = 0;
  json_t *item;
  if (!kind_world(x, error) || !level_scene_find_file(x->request, s.file, sizeof s.file, error))
    return false;
  if (!json_is_array(edits) || json_array_size(edits) > MAX_EDITS)
    return request_reject_member(x->request, "edits", error, "a list of at most %u edits", MAX_EDITS);
  snprintf(x->title, sizeof x->title, "scene %s", text_member(x->request, "scene"));
  const char *text = file_changes_read(&x->files, s.file, &bytes, error);
  if (!text)
    return false;
  char *before = alloc_resize(&x->c->memory, NULL, 0, bytes + 1);
  memcpy(before, text, bytes + 1);
  json_array_foreach((json_t *)(uintptr_t)edits, i, item) {
    s.item = item;
    snprintf(s.at, sizeof s.at, "edits.%zu", i);
    apply_edit(&s);
  }
  bool ok = x->problem_count == 0 || restore_text(&s, before, bytes, error);
  alloc_resize(&x->c->memory, before, bytes + 1, 0);
  return ok;
}
