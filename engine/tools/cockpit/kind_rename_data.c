// Renames names in JSON scenes and Tiled maps, and keeps all other bytes of the files.
#include "cockpit/kind_rename.h"

#include "base/json_edit.h"
#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

typedef struct data_job_t {
  rename_job_t *job;
  const char *file;
  json_edit_t json;
  uint32_t count; // replaced names
} data_job_t;

// Replaces a part of a string: bytes [at, end) after its opening quote.
static void replace_part(data_job_t *x, json_span_t s, size_t at, size_t end) {
  json_span_t part = {s.at + 1 + (uint32_t)at, s.at + 1 + (uint32_t)end};
  json_edit_splice(&x->json, part, x->job->to, strlen(x->job->to));
  ++x->count;
}

static void replace_name(data_job_t *x, json_span_t s) {
  replace_part(x, s, 0, s.end - s.at - 2);
}

static bool is_name(const data_job_t *x, json_span_t s) {
  return s.end > 0 && json_edit_equals(&x->json, s, x->job->name.name);
}

static void copy_key(const data_job_t *x, json_span_t key, char *out, size_t bytes) {
  snprintf(out, bytes, "%.*s", (int)(key.end - key.at - 2), x->json.text + key.at + 1);
}

// --- scenes

// Renames fields in the values of a component. `path`: path of the record; "" for the component.
static void rename_values(data_job_t *x, json_span_t values, const char *component, const char *path) {
  const lua_name_t *n = &x->job->name;
  json_item_t item;
  for (uint32_t at = 0; json_edit_next(&x->json, values, &at, &item);) {
    char name[LUA_ROLE_NAME], whole[LUA_ROLE_PATH];
    if (item.key.end == 0)
      return; // a list
    copy_key(x, item.key, name, sizeof name);
    snprintf(whole, sizeof whole, "%s", path);
    lua_values_append_name(whole, sizeof whole, name);
    bool is_field = rename_is_field(x->job->w, component, whole);
    if (is_field && strcmp(whole, n->path) == 0)
      replace_name(x, item.key);
    else if (x->json.text[item.value.at] == '{')
      rename_values(x, item.value, component, is_field ? whole : path); // a record, or an instance
  }
}

static void rename_components(data_job_t *x, json_span_t components) {
  const lua_name_t *n = &x->job->name;
  json_item_t item;
  for (uint32_t at = 0; json_edit_next(&x->json, components, &at, &item);) {
    char name[LUA_ROLE_NAME];
    if (item.key.end == 0)
      return;
    copy_key(x, item.key, name, sizeof name);
    if (n->kind == LUA_NAME_COMPONENT && strcmp(name, n->name) == 0)
      replace_name(x, item.key);
    else if (n->kind == LUA_NAME_FIELD && strcmp(name, n->component) == 0)
      rename_values(x, item.value, name, "");
  }
}

static void rename_entities(data_job_t *x, json_span_t entities) {
  json_item_t item;
  for (uint32_t at = 0; json_edit_next(&x->json, entities, &at, &item);) {
    json_span_t assemblage = json_edit_find(&x->json, item.value, "assemblage");
    json_span_t state = json_edit_find(&x->json, item.value, "state");
    if (x->job->name.kind == LUA_NAME_ASSEMBLAGE && is_name(x, assemblage))
      replace_name(x, assemblage);
    if (x->job->name.kind == LUA_NAME_STATE && is_name(x, state))
      replace_name(x, state);
    rename_components(x, json_edit_find(&x->json, item.value, "components"));
    rename_entities(x, json_edit_find(&x->json, item.value, "children"));
  }
}

// --- maps

// Renames the path of a property: "bite.power", "gun.left.heat", or the name of a component.
static void rename_property(data_job_t *x, json_span_t property) {
  const lua_name_t *n = &x->job->name;
  json_span_t key = json_edit_find(&x->json, property, "name"), value = json_edit_find(&x->json, property, "value");
  char path[LUA_ROLE_NAME + LUA_ROLE_PATH];
  if (key.end == 0)
    return;
  copy_key(x, key, path, sizeof path);
  if (n->kind == LUA_NAME_STATE && strcmp(path, "state") == 0 && is_name(x, value))
    replace_name(x, value);
  const char *component = n->kind == LUA_NAME_FIELD ? n->component : n->name;
  size_t used = strlen(component), bytes = strlen(path), tail = strlen(n->name);
  bool begins = strncmp(path, component, used) == 0 && (path[used] == '.' || path[used] == '\0');
  if (n->kind == LUA_NAME_COMPONENT && begins)
    replace_part(x, key, 0, used);
  else if (n->kind == LUA_NAME_FIELD && strcmp(path, n->name) == 0)
    rename_add_unsure_mention(x->job, x->file, x->json.text, x->json.bytes, key.at);
  if (n->kind != LUA_NAME_FIELD || !begins || bytes <= used + tail)
    return;
  const char *field = path + used + 1, *instance = strchr(field, '.');
  if (strcmp(field, n->path) == 0 || (instance && strcmp(instance + 1, n->path) == 0))
    replace_part(x, key, bytes - tail, bytes);
}

static void rename_objects(data_job_t *x, json_span_t objects) {
  static const char *const classes[] = {"type", "class"};
  json_item_t item, property;
  for (uint32_t at = 0; json_edit_next(&x->json, objects, &at, &item);) {
    json_span_t properties = json_edit_find(&x->json, item.value, "properties");
    for (size_t i = 0; x->job->name.kind == LUA_NAME_ASSEMBLAGE && i < 2; ++i) {
      json_span_t name = json_edit_find(&x->json, item.value, classes[i]);
      if (is_name(x, name))
        replace_name(x, name);
    }
    for (uint32_t k = 0; json_edit_next(&x->json, properties, &k, &property);)
      rename_property(x, property.value);
  }
}

static void rename_layers(data_job_t *x, json_span_t layers) {
  json_item_t item;
  for (uint32_t at = 0; json_edit_next(&x->json, layers, &at, &item);) {
    rename_objects(x, json_edit_find(&x->json, item.value, "objects"));
    rename_layers(x, json_edit_find(&x->json, item.value, "layers"));
  }
}

bool rename_in_data_file(rename_job_t *job, const char *file, bool is_map, error_info_t *error) {
  data_job_t x = {.job = job, .file = file};
  size_t bytes = 0;
  const char *text = file_changes_read(&job->x->files, file, &bytes, error);
  if (!text)
    return false;
  json_t *parsed = json_loadb(text, bytes, 0, NULL);
  if (!parsed) {
    rename_report_matches(job, file);
    return true;
  }
  json_decref(parsed);
  json_edit_init(&x.json, &job->x->c->memory, text, bytes);
  json_span_t root = json_edit_root(&x.json);
  if (is_map)
    rename_layers(&x, json_edit_find(&x.json, root, "layers"));
  else
    rename_entities(&x, json_edit_find(&x.json, root, "entities"));
  json_edit_apply(&x.json);
  bool ok = x.count == 0 || file_changes_put(&job->x->files, file, x.json.text, x.json.bytes, error);
  json_edit_fini(&x.json);
  return ok;
}
