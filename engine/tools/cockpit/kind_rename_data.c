// Renames components, fields and other names in JSON scenes and Tiled maps, and keeps all other bytes of the files.
#include "cockpit/kind_rename.h"

#include "base/json_edit.h"
#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

typedef struct data_rename_t {
  rename_job_t *job;
  const char *file;
  json_edit_t json;
  uint32_t count; // number of replaced names
} data_rename_t;

// Replaces the bytes [begin, end) of a string, counted after its opening quote, with the new name.
static void replace_part(data_rename_t *data, json_span_t span, size_t begin, size_t end) {
  json_span_t part = {span.at + 1 + (uint32_t)begin, span.at + 1 + (uint32_t)end};
  json_edit_splice(&data->json, part, data->job->new_name, strlen(data->job->new_name));
  ++data->count;
}

static void replace_name(data_rename_t *data, json_span_t span) {
  replace_part(data, span, 0, span.end - span.at - 2);
}

static bool matches_name(const data_rename_t *data, json_span_t span) {
  return span.end > 0 && json_edit_equals(&data->json, span, data->job->name.name);
}

static void copy_key(const data_rename_t *data, json_span_t key, char *out, size_t bytes) {
  snprintf(out, bytes, "%.*s", (int)(key.end - key.at - 2), data->json.text + key.at + 1);
}

// --- scenes

// Renames fields in the values of a component. `path`: path of the record; "" for the component.
static void rename_values(data_rename_t *data, json_span_t values, const char *component, const char *path) {
  const lua_name_t *n = &data->job->name;
  json_item_t item;
  for (uint32_t offset = 0; json_edit_next(&data->json, values, &offset, &item);) {
    char name[LUA_ROLE_NAME], field_path[LUA_ROLE_PATH];
    if (item.key.end == 0)
      return; // elements of a list have no names
    copy_key(data, item.key, name, sizeof name);
    snprintf(field_path, sizeof field_path, "%s", path);
    lua_values_append_name(field_path, sizeof field_path, name);
    bool is_field = rename_is_field(data->job->world, component, field_path);
    if (is_field && strcmp(field_path, n->path) == 0)
      replace_name(data, item.key);
    else if (data->json.text[item.value.at] == '{')
      rename_values(data, item.value, component, is_field ? field_path : path); // the value is a record or an instance
  }
}

static void rename_components(data_rename_t *data, json_span_t components) {
  const lua_name_t *n = &data->job->name;
  json_item_t item;
  for (uint32_t offset = 0; json_edit_next(&data->json, components, &offset, &item);) {
    char name[LUA_ROLE_NAME];
    if (item.key.end == 0)
      return;
    copy_key(data, item.key, name, sizeof name);
    if (n->kind == LUA_NAME_COMPONENT && strcmp(name, n->name) == 0)
      replace_name(data, item.key);
    else if (n->kind == LUA_NAME_FIELD && strcmp(name, n->component) == 0)
      rename_values(data, item.value, name, "");
  }
}

static void rename_entities(data_rename_t *data, json_span_t entities) {
  json_item_t item;
  for (uint32_t offset = 0; json_edit_next(&data->json, entities, &offset, &item);) {
    json_span_t assemblage = json_edit_find(&data->json, item.value, "assemblage");
    json_span_t state = json_edit_find(&data->json, item.value, "state");
    if (data->job->name.kind == LUA_NAME_ASSEMBLAGE && matches_name(data, assemblage))
      replace_name(data, assemblage);
    if (data->job->name.kind == LUA_NAME_STATE && matches_name(data, state))
      replace_name(data, state);
    rename_components(data, json_edit_find(&data->json, item.value, "components"));
    rename_entities(data, json_edit_find(&data->json, item.value, "children"));
  }
}

// --- maps

// Renames the path of a property: "bite.power", "gun.left.heat", or the name of a component.
static void rename_property(data_rename_t *data, json_span_t property) {
  const lua_name_t *n = &data->job->name;
  json_span_t key = json_edit_find(&data->json, property, "name"),
              value = json_edit_find(&data->json, property, "value");
  char path[LUA_ROLE_NAME + LUA_ROLE_PATH];
  if (key.end == 0)
    return;
  copy_key(data, key, path, sizeof path);
  if (n->kind == LUA_NAME_STATE && strcmp(path, "state") == 0 && matches_name(data, value))
    replace_name(data, value);
  const char *component = n->kind == LUA_NAME_FIELD ? n->component : n->name;
  size_t component_bytes = strlen(component), path_bytes = strlen(path), name_bytes = strlen(n->name);
  bool has_component =
      strncmp(path, component, component_bytes) == 0 && (path[component_bytes] == '.' || path[component_bytes] == '\0');
  if (n->kind == LUA_NAME_COMPONENT && has_component)
    replace_part(data, key, 0, component_bytes);
  else if (n->kind == LUA_NAME_FIELD && strcmp(path, n->name) == 0)
    rename_add_unsure_mention(data->job, data->file, data->json.text, data->json.bytes, key.at);
  if (n->kind != LUA_NAME_FIELD || !has_component || path_bytes <= component_bytes + name_bytes)
    return;
  const char *field = path + component_bytes + 1, *instance = strchr(field, '.');
  if (strcmp(field, n->path) == 0 || (instance && strcmp(instance + 1, n->path) == 0))
    replace_part(data, key, path_bytes - name_bytes, path_bytes);
}

static void rename_objects(data_rename_t *data, json_span_t objects) {
  static const char *const classes[] = {"type", "class"};
  json_item_t item, property;
  for (uint32_t offset = 0; json_edit_next(&data->json, objects, &offset, &item);) {
    json_span_t properties = json_edit_find(&data->json, item.value, "properties");
    for (size_t i = 0; data->job->name.kind == LUA_NAME_ASSEMBLAGE && i < 2; ++i) {
      json_span_t name = json_edit_find(&data->json, item.value, classes[i]);
      if (matches_name(data, name))
        replace_name(data, name);
    }
    for (uint32_t k = 0; json_edit_next(&data->json, properties, &k, &property);)
      rename_property(data, property.value);
  }
}

static void rename_layers(data_rename_t *data, json_span_t layers) {
  json_item_t item;
  for (uint32_t offset = 0; json_edit_next(&data->json, layers, &offset, &item);) {
    rename_objects(data, json_edit_find(&data->json, item.value, "objects"));
    rename_layers(data, json_edit_find(&data->json, item.value, "layers"));
  }
}

bool rename_in_data_file(rename_job_t *job, const char *file, bool is_map, error_info_t *error) {
  data_rename_t data = {.job = job, .file = file};
  size_t bytes = 0;
  const char *text = file_changes_read(&job->proposal->files, file, &bytes, error);
  if (!text)
    return false;
  json_t *parsed = json_loadb(text, bytes, 0, NULL);
  if (!parsed) {
    rename_report_matches(job, file);
    return true;
  }
  json_decref(parsed);
  json_edit_init(&data.json, &job->proposal->cockpit->memory, text, bytes);
  json_span_t root = json_edit_root(&data.json);
  if (is_map)
    rename_layers(&data, json_edit_find(&data.json, root, "layers"));
  else
    rename_entities(&data, json_edit_find(&data.json, root, "entities"));
  json_edit_apply(&data.json);
  bool ok = data.count == 0 || file_changes_put(&job->proposal->files, file, data.json.text, data.json.bytes, error);
  json_edit_fini(&data.json);
  return ok;
}
