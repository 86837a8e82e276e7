// Stores definitions as rows of the singleton shoal.definitions, and updates entities when a definition changes.
#include "content/definitions.h"

#include "base/assert.h"
#include "content/assemblage_merge.h"
#include "content/content_internal.h"
#include "ecs/manager_internal.h"

#include <string.h>

enum { COLUMN_NAME, COLUMN_JSON };

bool definitions_declare(world_o *w, error_info_t *error) {
  schema_buffer_t buffer;
  schema_init(&buffer, DEFINITIONS_COMPONENT, SCHEMA_SINGLE, "shoal");
  schema_add_field(&buffer.schema, "name", FIELD_STRING, 0)->flags = FIELD_READ_ONLY;
  schema_add_field(&buffer.schema, "json", FIELD_STRING, 0)->flags = FIELD_READ_ONLY;
  return world_declare_schema(w, &buffer.schema, error) != 0;
}

static manager_o *find_definitions_manager(world_o *w) {
  return world_find_manager(w, DEFINITIONS_COMPONENT);
}

static void add_line(world_o *w, const char *text, size_t length) {
  content_o *content = content_get(w);
  for (size_t i = 0; i < length; ++i)
    array_push(&w->allocator, &content->requested_text, text[i]);
  array_push(&w->allocator, &content->requested_text, '\n');
}

static void add_definition(world_o *w, uint32_t name, uint32_t json) {
  definitions_list_add(w, strings_text(w->strings, name), strings_length(w->strings, name),
                       strings_text(w->strings, json), strings_length(w->strings, json));
}

// Returns the JSON of the most recent pending definition of `name`; `json` if no definition of `name` is pending.
static uint32_t find_latest_json(const content_o *content, uint32_t name, uint32_t json) {
  for (uint32_t i = 0; i < content->redefined.count; ++i)
    json = content->redefined.items[i].name == name ? content->redefined.items[i].json : json;
  return json;
}

static bool is_first_redefinition(const content_o *content, uint32_t number) {
  for (uint32_t i = 0; i < number; ++i)
    if (content->redefined.items[i].name == content->redefined.items[number].name)
      return false;
  return true;
}

const char *definitions_list(world_o *w) {
  const manager_o *m = find_definitions_manager(w);
  const content_o *content = content_get(w);
  definitions_list_begin(w);
  for (uint32_t row = 1; m && row < m->count; ++row) {
    uint32_t name = ((const uint32_t *)manager_column(m, COLUMN_NAME))[row];
    add_definition(w, name, find_latest_json(content, name, ((const uint32_t *)manager_column(m, COLUMN_JSON))[row]));
  }
  for (uint32_t i = 0; m && i < content->redefined.count; ++i) {
    const redefined_t *redefined = &content->redefined.items[i];
    if (is_first_redefinition(content, i) && manager_find_row_with_text(m, COLUMN_NAME, redefined->name) == ROW_NONE)
      add_definition(w, redefined->name, find_latest_json(content, redefined->name, redefined->json));
  }
  return definitions_list_end(w);
}

const char *definitions_declared_list(const world_o *w) {
  const content_o *content = content_read(w);
  return content->declared_text.count > 0 ? content->declared_text.items : "";
}

void definitions_list_begin(world_o *w) {
  content_get(w)->requested_text.count = 0;
}

void definitions_list_add(world_o *w, const char *name, size_t name_bytes, const char *json, size_t json_bytes) {
  if (name_bytes == 0)
    return;
  add_line(w, name, name_bytes);
  add_line(w, json, json_bytes);
}

const char *definitions_list_end(world_o *w) {
  content_o *content = content_get(w);
  array_push(&w->allocator, &content->requested_text, '\0');
  return content->requested_text.items;
}

void definitions_set_definer(world_o *w, const definitions_definer_t *definer) {
  content_get(w)->definer = definer ? *definer : (definitions_definer_t){0};
}

void definitions_ensure_declared(world_o *w, const char *list) {
  const definitions_definer_t *definer = &content_read(w)->definer;
  if (definer->run && strcmp(list, definitions_declared_list(w)) != 0)
    definer->run(definer->context, w, list);
}

void definitions_clear_assemblages(world_o *w) {
  world_assemblages_clear(w);
  redefine_clear(w);
  content_get(w)->declared_text.count = 0;
}

// --- beginning and ending a change to definitions

static void store_definition(world_o *w, const redefined_t *redefined) {
  manager_o *m = find_definitions_manager(w);
  shoal_assert(m, "component %s, which stores definitions, is missing", DEFINITIONS_COMPONENT);
  uint32_t row = manager_find_row_with_text(m, COLUMN_NAME, redefined->name);
  row = row == ROW_NONE ? manager_add_unowned_row(m) : row;
  columns_set_unmarked(&m->columns, row, COLUMN_NAME, redefined->name);
  columns_set_unmarked(&m->columns, row, COLUMN_JSON, redefined->json);
}

void definitions_update_entities(world_o *w) {
  assemblage_merge_counts_t counts = {0};
  error_info_t error = {0};
  content_o *content = content_get(w);
  content->updates_entities = false;
  for (uint32_t i = 0; i < content->redefined.count; ++i) {
    store_definition(w, &content->redefined.items[i]);
    if (content->redefined.items[i].entities.count > 0 &&
        !assemblage_merge_redefined(w, &content->redefined.items[i], &counts, &error))
      log_error(w->log, "world.define: some entities were not updated: %s", error.text);
  }
  redefine_clear(w);
  redefine_clean_up(w);
  strings_advance_epoch(w->strings); // invalidates the string ids that worker threads have cached
}

// Returns flags indexed by string id: 1 for the name of a changed assemblage with living entities. Returns NULL if no
// changed assemblage has living entities.
static uint8_t *flag_changed_names(world_o *w) {
  uint32_t string_count = strings_count(w->strings);
  uint8_t *names = NULL;
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    const assemblage_t *assemblage = &w->assemblages.items[i];
    bool has_living =
        assemblage->name < w->assemblage_alive_counts.count && w->assemblage_alive_counts.items[assemblage->name] > 0;
    if (assemblage->retired_version != content_read(w)->define_version || !has_living)
      continue;
    if (!names)
      names = memset(alloc_resize(&w->allocator, NULL, 0, string_count), 0, string_count);
    names[assemblage->name] = 1;
  }
  return names;
}

// Returns flags indexed by entity: 1 if the entity still has to be updated to an earlier definition.
static uint8_t *flag_pending_entities(world_o *w) {
  uint8_t *pending = alloc_resize(&w->allocator, NULL, 0, w->entities.used);
  const content_o *content = content_read(w);
  memset(pending, 0, w->entities.used);
  for (uint32_t i = 0; i < content->redefined.count; ++i) {
    const redefined_t *redefined = &content->redefined.items[i];
    for (uint32_t k = 0; k < redefined->entities.count; ++k)
      if (is_living(w, redefined->entities.items[k]))
        pending[shoal_entity_index(redefined->entities.items[k])] = 1;
  }
  return pending;
}

// Lists living entities that were spawned from a changed assemblage and have no earlier update pending.
static void list_entities(world_o *w, redefined_t *redefined) {
  const entities_t *entities = &w->entities;
  uint32_t string_count = strings_count(w->strings), entity_count = entities->used;
  uint8_t *names = flag_changed_names(w), *pending = names ? flag_pending_entities(w) : NULL;
  for (uint32_t i = 1; names && i < entity_count; ++i)
    if (entities->alive[i] && names[entities->assemblage[i]] && !pending[i])
      array_push(&w->allocator, &redefined->entities, (shoal_entity)((uint32_t)entities->generation[i] << 22 | i));
  alloc_resize(&w->allocator, names, names ? string_count : 0, 0);
  alloc_resize(&w->allocator, pending, pending ? entity_count : 0, 0);
}

void definitions_begin_change(world_o *w, uint32_t name, uint32_t json) {
  content_o *content = content_get(w);
  redefine_begin(w, name, json);
  content->definition_updates_entities = name != 0;
  content->updates_entities = true;
}

void definitions_retire_assemblage(world_o *w, uint32_t name) {
  redefine_retire_assemblage(w, name);
}

void definitions_end_change(world_o *w, const char *list) {
  uint32_t bytes = (uint32_t)strlen(list) + 1;
  content_o *content = content_get(w);
  shoal_assert(list != content->declared_text.items, "the new list must not be the stored list");
  redefine_end(w);
  if (content->definition_updates_entities)
    list_entities(w, &content->redefined.items[content->redefined.count - 1]);
  content->declared_text.count = 0;
  array_reserve(&w->allocator, &content->declared_text, bytes);
  memcpy(content->declared_text.items, list, bytes);
  content->declared_text.count = bytes;
  if (!world_is_deferring(w))
    definitions_update_entities(w);
}
