// Converts between rows of items and scenes.
#include "store/item_rows.h"

#include "base/assert.h"
#include "content/former_names.h"
#include "owned/owned.h"
#include "store/item_parked.h"
#include "store/scene_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define COMPRESSION_LEVEL 9
#define MAX_PASSES 64u // number of checks after which an entity with a fault is dropped, instead of its faulty value
#define MAX_PATH_KEYS 32u

static const char *get_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static int64_t get_number(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

// --- export

// Moves the attributes of an entity from the scene's object into its components.
static json_t *take_components(json_t *entity, const char *slot) {
  json_t *found = json_object_get(entity, "components"), *components = found ? json_incref(found) : json_object();
  json_t *facts = json_object(), *owned = json_object_get(components, "owned"),
         *state = json_object_get(entity, "state");
  if (json_number_value(json_object_get(owned, "player")) != 0)
    json_object_set_new(facts, "owned", json_true());
  json_object_del(components, "owned");
  if (state)
    json_object_set(facts, "state", state);
  if (slot)
    json_object_set_new(facts, "slot", json_string(slot));
  json_object_set_new(components, SCENE_EQUAL_KEY, facts);
  return components;
}

static void add_row(json_t *rows, json_t *entity, int64_t parent, const char *slot) {
  int64_t item = strtoll(get_text(entity, "id"), NULL, 10);
  json_t *components = take_components(entity, slot), *gone = json_array(), *child;
  const char *name;
  json_array_append_new(rows, json_pack("{s:I, s:I, s:s, s:s, s:o}", "item", (json_int_t)item, "parent",
                                        (json_int_t)parent, "name", get_text(entity, "name"), "assemblage",
                                        get_text(entity, "assemblage"), "components", components));
  json_object_foreach(json_object_get(entity, "children"), name, child) {
    if (json_is_object(child))
      add_row(rows, child, item, name);
    else
      json_array_append_new(gone, json_string(name));
  }
  if (json_array_size(gone) > 0)
    json_object_set(json_object_get(components, SCENE_EQUAL_KEY), "gone", gone);
  json_decref(gone);
}

json_t *item_rows_export(world_o *w, uint32_t player, uint32_t *given, error_info_t *error) {
  owned_entity_t group[OWNED_MAX_ENTITIES];
  shoal_entity entities[OWNED_MAX_ENTITIES];
  int64_t items[OWNED_MAX_ENTITIES];
  allocator_t memory = {0};
  json_error_t problem;
  size_t bytes = 0, i;
  uint32_t count = owned_list_group(w, player, given, group);
  for (uint32_t k = 0; k < count; ++k) {
    entities[k] = group[k].entity;
    items[k] = group[k].item;
  }
  json_t *rows = json_array(), *entity;
  if (count == 0)
    return rows;
  char *text = scene_write_items(w, entities, items, count, &memory, &bytes);
  json_t *scene = json_loadb(text, bytes, JSON_ALLOW_NUL, &problem);
  alloc_resize(&memory, text, bytes + 1, 0);
  json_array_foreach(json_object_get(scene, "entities"), i, entity) {
    add_row(rows, entity, strtoll(get_text(entity, "parent"), NULL, 10), NULL);
  }
  json_decref(scene);
  if (json_array_size(rows) == count)
    return rows;
  error_set(error, "cannot write the entities of player %u: %.200s", player, problem.text);
  json_decref(rows);
  return NULL;
}

// --- import: rows as a scene

typedef struct import_row_t {
  json_t *row, *entity; // `entity`: the row as an entity of a scene; NULL: dropped
  int64_t item;
  uint32_t assemblage; // number of the assemblage; 0: no or unknown assemblage
  int32_t parent;      // index of the parent's row; -1: no parent
  bool is_direct;      // true if the player owns the entity itself
  bool is_spawned;
} import_row_t;

typedef struct import_t {
  world_o *world;
  const item_rows_import_t *desc;
  allocator_t memory;
  import_row_t rows[OWNED_MAX_ENTITIES];
  uint32_t count;
  json_t *list;                         // entities without a slot
  bool dropped[OWNED_MAX_ENTITIES + 1]; // true if the entity is dropped; indexed by position in `list`, from 1
  bool has_fault;                       // true if the current check has found a fault
  uint32_t passes;
} import_t;

__attribute__((format(printf, 2, 3))) static void report(const import_t *import, const char *format, ...) {
  char line[sizeof((error_info_t *)0)->text + 128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (import->desc->report)
    import->desc->report(import->desc->context, line);
}

static uint32_t find_assemblage(world_o *w, const char *name) {
  uint32_t number = name[0] ? world_find_assemblage_named(w, name) : 0;
  const char *current = number == 0 && name[0] ? former_names_find_text(w, name) : NULL;
  return current ? world_find_assemblage_named(w, current) : number;
}

static int32_t find_row(const import_t *import, int64_t item) {
  for (uint32_t i = 0; item != 0 && i < import->count; ++i)
    if (import->rows[i].item == item)
      return (int32_t)i;
  return -1;
}

// Implements item_parked_report_t.
static void report_parked(void *context, const char *part) {
  const import_t *import = context;
  if (import->desc->parks)
    report(import, "%s: unknown to this code, and kept for later code", part);
}

static void set_parked(const import_t *import, int64_t item, json_t *parked) {
  char key[24];
  (void)snprintf(key, sizeof key, "%lld", (long long)item);
  if (import->desc->parked && parked)
    json_object_set(import->desc->parked, key, parked);
  json_decref(parked);
}

// Parks or restores the values of a row. Returns true if the row is to be imported.
static bool update_parked(const import_t *import, const json_t *rows, json_t *row, int64_t item) {
  bool parks = import->desc->parks;
  if (!item_parked_is_absent(import->world, rows, row, parks)) {
    set_parked(import, item, item_parked_update(import->world, row, parks, report_parked, (void *)import));
    return true;
  }
  if (!json_is_true(item_parked_get(row)))
    report_parked((void *)import, get_text(row, "assemblage")[0] ? get_text(row, "assemblage") : "a child");
  set_parked(import, item, json_true());
  return false;
}

static void add_rows(import_t *import, json_t *rows) {
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    int64_t item = get_number(row, "item");
    if (find_row(import, item) >= 0)
      report(import, "a second row has the number %lld", (long long)item);
    else if (update_parked(import, rows, row, item))
      import->rows[import->count++] = (import_row_t){
          .row = row, .item = item, .assemblage = find_assemblage(import->world, get_text(row, "assemblage"))};
  }
}

// Finds the parents, and breaks cycles.
static void find_parents(import_t *import) {
  for (uint32_t i = 0; i < import->count; ++i) {
    int64_t parent = get_number(import->rows[i].row, "parent");
    import->rows[i].parent = find_row(import, parent);
    if (parent != 0 && import->rows[i].parent < 0)
      report(import, "the parent %lld of %lld is missing", (long long)parent, (long long)import->rows[i].item);
  }
  for (uint32_t i = 0; i < import->count; ++i) {
    int32_t ancestor = import->rows[i].parent;
    for (uint32_t steps = 0; ancestor >= 0 && ancestor != (int32_t)i && steps < import->count; ++steps)
      ancestor = import->rows[ancestor].parent;
    if (ancestor < 0)
      continue;
    report(import, "%lld is its own ancestor: it loses its parent", (long long)import->rows[i].item);
    import->rows[i].parent = -1;
  }
}

// Deletes the value at a path of keys ("look.r"). The path may have any length: it comes from a different machine.
static void delete_field(json_t *values, const char *path) {
  char key[FIELD_NAME_MAX];
  for (const char *dot; values && (dot = strchr(path, '.')) && !json_object_get(values, path); path = dot + 1) {
    (void)snprintf(key, sizeof key, "%.*s", (int)(dot - path < (int)sizeof key ? dot - path : (int)sizeof key), path);
    values = json_object_get(values, key);
  }
  json_object_del(values, path);
}

// Deletes the fields that equalled the assemblage's values, if the assemblage still has the component. These fields
// then follow the assemblage.
static void delete_equal_fields(json_t *values, bool is_part) {
  json_t *equal = json_object_get(values, SCENE_EQUAL_KEY), *field;
  size_t i;
  if (is_part && json_is_true(equal))
    json_object_clear(values);
  if (is_part)
    json_array_foreach(equal, i, field) {
      if (json_is_string(field) && strcmp(json_string_value(field), SCENE_EQUAL_KEY) != 0)
        delete_field(values, json_string_value(field));
    }
  json_object_del(values, SCENE_EQUAL_KEY);
}

static void convert_component(import_t *import, const scene_parts_t *parts, const char *name, json_t *values) {
  const manager_o *m = world_find_manager(import->world, name);
  const char *instance;
  json_t *fields;
  void *next;
  bool is_many = m && m->schema.kind == SCHEMA_MANY;
  if (!is_many && json_object_get(values, SCENE_EQUAL_KEY)) {
    delete_equal_fields(values, !m || scene_find_part(parts, m->id, 0));
    return;
  }
  json_object_foreach_safe(values, next, instance, fields) {
    if (json_is_object(fields) && json_object_get(fields, SCENE_EQUAL_KEY)) {
      uint32_t id = strings_find(world_strings(import->world), instance);
      delete_equal_fields(fields, !m || ((id != 0 || !instance[0]) && scene_find_part(parts, m->id, id)));
    }
  }
}

// Creates the entity of a scene. Its components are borrowed from the row.
static void convert_row(import_t *import, import_row_t *r) {
  char id[24];
  scene_parts_t parts = {0};
  json_t *components = json_object_get(r->row, "components"), *facts = json_object_get(components, SCENE_EQUAL_KEY),
         *values;
  const char *name, *state = get_text(facts, "state");
  (void)snprintf(id, sizeof id, "%lld", (long long)r->item);
  r->is_direct = json_is_true(json_object_get(facts, "owned"));
  r->entity = json_pack("{s:s, s:O}", "id", id, "components", components);
  if (get_text(r->row, "assemblage")[0])
    json_object_set(r->entity, "assemblage", json_object_get(r->row, "assemblage"));
  json_object_set_new(r->entity, "name",
                      get_text(r->row, "name")[0] ? json_incref(json_object_get(r->row, "name")) : json_null());
  if (state[0])
    json_object_set(r->entity, "state", json_object_get(facts, "state"));
  uint32_t state_id = state[0] ? strings_find(world_strings(import->world), state) : 0;
  scene_list_parts(import->world, r->assemblage, scene_resolve_state(import->world, r->assemblage, state_id),
                   &import->memory, &parts);
  json_object_foreach(components, name, values) {
    if (strcmp(name, SCENE_EQUAL_KEY) != 0 && json_is_object(values))
      convert_component(import, &parts, name, values);
  }
  array_free(&import->memory, &parts);
}

// Returns true if the assemblage has a child of this name, or a child that had this name.
static bool has_slot(const import_t *import, const import_row_t *parent, const char *slot) {
  char path[2 * ITEM_ROW_MAX_NAME];
  uint32_t name;
  strings_o *s = world_strings(import->world);
  for (uint32_t i = 0; (name = world_assemblage_child_name(import->world, parent->assemblage, i)) != 0; ++i)
    if (strcmp(strings_text(s, name), slot) == 0)
      return true;
  (void)snprintf(path, sizeof path, "%.120s/%.120s",
                 strings_text(s, world_assemblage_name(import->world, parent->assemblage)), slot);
  return parent->assemblage != 0 && former_names_find_text(import->world, path);
}

static json_t *get_or_create_children(const import_row_t *r) {
  json_t *children = json_object_get(r->entity, "children");
  if (!children)
    json_object_set_new(r->entity, "children", children = json_object());
  return children;
}

static const json_t *get_facts(const import_row_t *r) {
  return json_object_get(json_object_get(r->row, "components"), SCENE_EQUAL_KEY);
}

static bool set_slot_child(import_t *import, const import_row_t *r) {
  const char *slot = get_text(get_facts(r), "slot");
  const import_row_t *parent = r->parent >= 0 ? &import->rows[r->parent] : NULL;
  if (!parent || !slot[0] || !has_slot(import, parent, slot))
    return false;
  json_t *children = get_or_create_children(parent);
  if (json_object_get(children, slot))
    return false;
  json_object_del(r->entity, "assemblage");
  json_object_set(children, slot, r->entity);
  return true;
}

static void remove_lost_children(import_t *import, const import_row_t *r) {
  json_t *gone = json_object_get(get_facts(r), "gone"), *slot;
  size_t i;
  json_array_foreach(gone, i, slot) {
    if (json_is_string(slot) && has_slot(import, r, json_string_value(slot)))
      json_object_set_new(get_or_create_children(r), json_string_value(slot), json_null());
  }
}

static void create_list(import_t *import) {
  import->list = json_array();
  for (uint32_t i = 0; i < import->count; ++i)
    convert_row(import, &import->rows[i]);
  for (uint32_t i = 0; i < import->count; ++i) {
    import_row_t *r = &import->rows[i];
    remove_lost_children(import, r);
    if (set_slot_child(import, r))
      continue;
    if (r->parent >= 0)
      json_object_set(r->entity, "parent", json_object_get(import->rows[r->parent].entity, "id"));
    json_array_append(import->list, r->entity);
  }
  for (uint32_t i = 0; i < import->count; ++i)
    json_object_del(json_object_get(import->rows[i].entity, "components"), SCENE_EQUAL_KEY);
}

// --- import: faults

// Deletes the value that a path leads to: a field, a component, or a different part of an entity. Returns true on
// success, or false if the entity itself must be dropped. `keys`: the path after the entity's position.
static bool delete_faulty_part(json_t *entity, char *const *keys, uint32_t count) {
  uint32_t at = 0;
  json_t *owner = NULL;
  for (; entity && at + 1 < count && strcmp(keys[at], "children") == 0; at += 2) {
    owner = json_object_get(entity, "children");
    entity = json_object_get(owner, keys[at + 1]);
  }
  json_t *values = json_object_get(entity, "components"), *inner;
  if (at + 1 < count && strcmp(keys[at], "components") == 0) {
    for (++at; at + 1 < count && json_is_object(inner = json_object_get(values, keys[at])) &&
               json_object_get(inner, keys[at + 1]);
         ++at)
      values = inner;
    return json_object_del(values, keys[at]) == 0;
  }
  if (at < count && strcmp(keys[at], "assemblage") != 0 && json_object_del(entity, keys[at]) == 0)
    return true;
  return owner && at > 0 && json_object_del(owner, keys[at - 1]) == 0;
}

// Callback of scene_check_each. Deletes the faulty part of an entity, or marks the entity as dropped if the part cannot
// be deleted or after MAX_PASSES checks.
static void drop_faulty_part(void *context, uint32_t number, const scene_fault_t *fault) {
  import_t *import = context;
  char path[SCENE_FAULT_PATH_BYTES], *keys[MAX_PATH_KEYS], *rest = NULL;
  uint32_t count = 0;
  (void)snprintf(path, sizeof path, "%s", fault->path);
  for (char *key = strtok_r(path, "\n", &rest); key && count < MAX_PATH_KEYS; key = strtok_r(NULL, "\n", &rest))
    keys[count++] = key;
  report(import, "%s: dropped", fault->error.text);
  import->has_fault = true;
  import->dropped[number] = import->passes > MAX_PASSES || count < 3 ||
                            !delete_faulty_part(json_array_get(import->list, number - 1), keys + 2, count - 2);
}

static void remove_dropped(import_t *import) {
  for (size_t i = json_array_size(import->list); i > 0; --i)
    if (import->dropped[i])
      json_array_remove(import->list, i - 1);
}

// Checks the list, and drops faulty parts, until it has no fault. Each check reports at most one fault of an entity.
// Returns true on success, or false if the list is invalid as a whole.
static bool remove_faults(import_t *import, const scene_desc_t *desc) {
  scene_fault_t fault;
  const scene_check_t check = {.report = drop_faulty_part, .context = import};
  do {
    import->has_fault = false;
    memset(import->dropped, 0, sizeof import->dropped);
    if (!scene_check_each(import->world, desc, &import->memory, &check, &fault)) {
      report(import, "%s", fault.error.text);
      return false;
    }
    remove_dropped(import);
    ++import->passes;
  } while (import->has_fault);
  return true;
}

// --- import

static void report_lines(const import_t *import, const char *lines, size_t bytes) {
  for (const char *end = lines + bytes, *line = lines, *next; line < end; line = next + 1) {
    next = memchr(line, '\n', (size_t)(end - line));
    next = next ? next : end;
    const char *tab = memchr(line, '\t', (size_t)(next - line));
    line = tab ? tab + 1 : line;
    report(import, "%.*s: dropped", (int)(next - line), line);
  }
}

static void destroy_copies(import_t *import) {
  for (uint32_t i = 0; i < import->count; ++i) {
    shoal_entity copy = owned_find_item(import->world, import->rows[i].item);
    if (copy == SHOAL_ENTITY_NONE)
      continue;
    report(import, "the room has a stale copy of %lld: the copy is destroyed", (long long)import->rows[i].item);
    owned_destroy_copy(import->world, copy);
  }
}

static uint32_t set_items(import_t *import, const scene_spawned_t *spawned) {
  uint32_t count = 0;
  error_info_t error;
  for (uint32_t i = 0; i < spawned->ids.list.count; ++i) { // the ids precede the names
    const scene_id_t *id = &spawned->ids.list.items[i];
    int32_t k = find_row(import, strtoll(spawned->ids.text.items + id->text_offset, NULL, 10));
    if (k < 0 || import->rows[k].is_spawned)
      continue;
    import_row_t *r = &import->rows[k];
    r->is_spawned = true;
    int64_t item = r->item > 0 ? r->item : owned_take_number(import->world);
    if (owned_set_item(import->world, id->entity, item, r->is_direct ? import->desc->player : 0, &error))
      ++count;
    else
      report(import, "%s", error.text);
  }
  return count;
}

// Implements the callback of scene_former_t.
static void report_former(void *context, uint32_t number, const scene_fault_t *fault, const char *former,
                          const char *current) {
  const import_t *import = context;
  (void)number;
  (void)fault;
  import->desc->report_former(import->desc->context, former, current);
}

static uint32_t spawn(import_t *import) {
  scene_spawned_t spawned = {0};
  scene_fault_t fault;
  uint32_t count = 0;
  scene_desc_t desc = {.list = import->list, .ignored = import->desc->ignored, .is_import = true};
  const scene_former_t former = {.report = report_former, .context = import};
  if (!remove_faults(import, &desc))
    return 0;
  if (import->desc->report_former)
    desc.former_names = &former;
  if (scene_read(import->world, &desc, &import->memory, &spawned, &fault)) {
    report_lines(import, spawned.skipped.items, spawned.skipped.count);
    count = set_items(import, &spawned);
  } else {
    report(import, "%s", fault.error.text);
  }
  scene_spawned_fini(&spawned, &import->memory);
  return count;
}

static import_t *begin_import(world_o *w, json_t *rows, const item_rows_import_t *desc) {
  shoal_assert(!world_is_deferring(w), "rows can be imported only between two ticks");
  shoal_assert(json_array_size(rows) <= OWNED_MAX_ENTITIES, "%zu rows are too many", json_array_size(rows));
  import_t *import = alloc_object(sizeof *import);
  import->world = w;
  import->desc = desc;
  add_rows(import, rows);
  find_parents(import);
  create_list(import);
  return import;
}

static void end_import(import_t *import) {
  for (uint32_t i = 0; i < import->count; ++i)
    json_decref(import->rows[i].entity);
  json_decref(import->list);
  shoal_assert(import->memory.bytes == 0, "an import of rows leaked %zu bytes", import->memory.bytes);
  free(import);
}

uint32_t item_rows_import(world_o *w, json_t *rows, const item_rows_import_t *desc) {
  import_t *import = begin_import(w, rows, desc);
  destroy_copies(import);
  uint32_t count = spawn(import);
  end_import(import);
  return count;
}

// Callback of scene_check_each. Names the entry by its position in the rows, instead of its position in the list.
static void report_faulty_entry(void *context, uint32_t number, const scene_fault_t *fault) {
  import_t *import = context;
  int length = 0;
  unsigned position = 0;
  int32_t row = find_row(import, strtoll(get_text(json_array_get(import->list, number - 1), "id"), NULL, 10));
  (void)sscanf(fault->error.text, "entity %u%n", &position, &length);
  report(import, "entry %d%s", row + 1, fault->error.text + length);
  import->has_fault = true;
}

bool item_rows_import_edited(world_o *w, json_t *rows, const item_rows_import_t *desc) {
  scene_fault_t fault;
  import_t *import = begin_import(w, rows, desc);
  const scene_desc_t scene = {.list = import->list, .ignored = desc->ignored};
  const scene_check_t check = {.report = report_faulty_entry, .context = import};
  if (!scene_check_each(w, &scene, &import->memory, &check, &fault)) {
    report(import, "%s", fault.error.text);
    import->has_fault = true;
  }
  bool ok = !import->has_fault && spawn(import) == import->count;
  end_import(import);
  return ok;
}

// --- packing

bool item_rows_check(const json_t *rows, error_info_t *error) {
  size_t i;
  json_t *row;
  if (!json_is_array(rows))
    return error_set(error, "expected a list of rows");
  if (json_array_size(rows) > OWNED_MAX_ENTITIES)
    return error_set(error, "too many rows: %zu (at most %u)", json_array_size(rows), OWNED_MAX_ENTITIES);
  json_array_foreach(rows, i, row) {
    json_t *item = json_object_get(row, "item"), *parent = json_object_get(row, "parent");
    bool has_numbers = json_is_integer(item) && json_integer_value(item) > 0 &&
                       json_integer_value(item) < OWNED_MAX_ITEM && json_is_integer(parent);
    if (!has_numbers)
      return error_set(error, "row %zu: `item` and `parent` must be numbers of items", i + 1);
    if (!json_is_string(json_object_get(row, "name")) || !json_is_string(json_object_get(row, "assemblage")) ||
        json_string_length(json_object_get(row, "assemblage")) > ITEM_ROW_MAX_NAME)
      return error_set(error, "row %zu: `name` and `assemblage` must be strings", i + 1);
    if (!json_is_object(json_object_get(row, "components")))
      return error_set(error, "row %zu: `components` must be an object of components", i + 1);
  }
  return true;
}

uint8_t *item_rows_pack(const json_t *rows, allocator_t *a, size_t *size, error_info_t *error) {
  char *text = json_dumps(rows, JSON_COMPACT);
  size_t bytes = text ? strlen(text) : 0, capacity = ZSTD_compressBound(bytes);
  if (!text || bytes > ITEM_ROWS_MAX_TEXT) {
    error_set(error, "the rows are too large (%zu bytes, at most %u)", bytes, ITEM_ROWS_MAX_TEXT);
    free(text);
    return NULL;
  }
  uint8_t *out = alloc_resize(a, NULL, 0, capacity);
  *size = ZSTD_compress(out, capacity, text, bytes, COMPRESSION_LEVEL);
  free(text);
  shoal_assert(!ZSTD_isError(*size), "%zu bytes of rows cannot be compressed: %s", bytes, ZSTD_getErrorName(*size));
  return alloc_resize(a, out, capacity, *size);
}

static size_t get_text_bytes(const json_t *row) {
  return json_dumpb(row, NULL, 0, JSON_COMPACT) + 1; // includes the comma
}

static bool is_valid_row(json_t *row) {
  error_info_t error = {0};
  json_t *list = json_array();
  json_array_append(list, row);
  bool ok = item_rows_check(list, &error);
  json_decref(list);
  return ok;
}

// Returns the index of the row with the largest text. `bytes` receives the size of the text of all rows.
static size_t find_largest_row(const json_t *rows, size_t *bytes) {
  size_t found = 0, largest = 0, i;
  json_t *row;
  *bytes = 1;
  json_array_foreach(rows, i, row) {
    size_t size = get_text_bytes(row);
    *bytes += size;
    found = size > largest ? i : found;
    largest = size > largest ? size : largest;
  }
  return found;
}

json_t *item_rows_take_unstorable(json_t *rows, const char **reason) {
  size_t bytes, i, taken = json_array_size(rows);
  json_t *row;
  json_array_foreach(rows, i, row) {
    taken = is_valid_row(row) ? taken : i;
  }
  *reason = "its row is malformed, such as by a name that is too long";
  if (taken == json_array_size(rows)) {
    taken = find_largest_row(rows, &bytes);
    *reason = "all rows together are larger than 4 MB";
    if (bytes <= ITEM_ROWS_MAX_TEXT)
      return NULL;
  }
  row = json_incref(json_array_get(rows, taken));
  json_array_remove(rows, taken);
  return row;
}

json_t *item_rows_unpack(const uint8_t *bytes, size_t size, error_info_t *error) {
  allocator_t memory = {0};
  json_error_t problem;
  unsigned long long text_bytes = ZSTD_getFrameContentSize(bytes, size); // errors exceed all valid sizes
  if (text_bytes == 0 || text_bytes > ITEM_ROWS_MAX_TEXT) {
    error_set(error, "the rows are malformed or too large");
    return NULL;
  }
  char *text = alloc_resize(&memory, NULL, 0, text_bytes);
  bool ok = ZSTD_decompress(text, text_bytes, bytes, size) == text_bytes;
  json_t *rows = ok ? json_loadb(text, text_bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem) : NULL;
  alloc_resize(&memory, text, text_bytes, 0);
  if (!rows) {
    error_set(error, "the rows are malformed%s%.200s", ok ? ": " : "", ok ? problem.text : "");
    return NULL;
  }
  if (item_rows_check(rows, error))
    return rows;
  json_decref(rows);
  return NULL;
}
