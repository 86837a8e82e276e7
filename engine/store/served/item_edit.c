// Checks edited rows of items, and completes them.
#include "served/item_edit.h"

#include "base/nearest_name.h"
#include "owned/owned.h"
#include "served/owned_rows.h"
#include "store/item_rows.h"
#include "store/scene.h"

#include <stdio.h>
#include <string.h>

static int64_t get_number(const json_t *row, const char *key) {
  return json_integer_value(json_object_get(row, key));
}

json_t *item_edit_parse(const char *text, size_t bytes, error_info_t *error) {
  json_error_t problem;
  json_t *rows = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
  if (json_is_array(rows))
    return rows;
  if (rows)
    error_set(error, "JSON: expected a list of items, as take prints it");
  else
    error_set(error, "JSON, line %d, column %d: %s", problem.line, problem.column, problem.text);
  json_decref(rows);
  return NULL;
}

// --- the form of an entry

#define TYPE(name) (1u << JSON_##name)

typedef struct entry_key_t {
  const char *name;
  uint32_t types;          // mask of valid types (TYPE)
  const char *description; // description of a valid value
} entry_key_t;

static const entry_key_t KEYS[] = {{"item", TYPE(INTEGER), "a number of an item"},
                                   {"parent", TYPE(INTEGER), "the number of an item in the list, or 0"},
                                   {"name", TYPE(STRING), "a string"},
                                   {"assemblage", TYPE(STRING), "the name of an assemblage, or \"\""},
                                   {"components", TYPE(OBJECT), "an object of components"}};
// Keys of "=" in `components`: all attributes of a row (store/item_rows.h).
static const entry_key_t ATTRIBUTES[] = {{"owned", TYPE(TRUE), "true"},
                                         {"state", TYPE(STRING), "the name of a state"},
                                         {"slot", TYPE(STRING), "the name of a child in the parent's assemblage"},
                                         {"gone", TYPE(ARRAY), "a list of names of children"},
                                         {"parked", TYPE(OBJECT) | TYPE(TRUE), "an object of kept values, or true"},
                                         {"visit", TYPE(INTEGER), "the number of a visit"}};

// Checks the keys and types of an object. Returns true on success.
static bool check_keys(const json_t *object, const entry_key_t *keys, size_t count, size_t entry, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value) {
    nearest_name_t nearest;
    size_t k = 0;
    nearest_name_init(&nearest, name);
    while (k < count && strcmp(keys[k].name, name) != 0)
      nearest_name_offer(&nearest, keys[k++].name);
    if (k == count)
      return error_set(error, "entry %zu: unknown key “%.60s”%s", entry, name,
                       nearest_name_hint(&nearest, hint, sizeof hint));
    if (!(keys[k].types >> json_typeof(value) & 1))
      return error_set(error, "entry %zu: `%s` must be %s", entry, name, keys[k].description);
  }
  return true;
}

static bool check_entry(const json_t *row, size_t entry, error_info_t *error) {
  if (!json_is_object(row))
    return error_set(error, "entry %zu must be an object", entry);
  if (!check_keys(row, KEYS, sizeof KEYS / sizeof *KEYS, entry, error))
    return false;
  if (json_string_length(json_object_get(row, "assemblage")) > ITEM_ROW_MAX_NAME)
    return error_set(error, "entry %zu: the name of the assemblage is too long (at most %u bytes)", entry,
                     ITEM_ROW_MAX_NAME);
  json_t *components = json_object_get(row, "components"), *values;
  json_t *attributes = json_object_get(components, SCENE_EQUAL_KEY);
  const char *name;
  json_object_foreach(components, name, values) {
    if (!json_is_object(values))
      return error_set(error, "entry %zu: components.%.60s must be an object", entry, name);
  }
  return check_keys(attributes, ATTRIBUTES, sizeof ATTRIBUTES / sizeof *ATTRIBUTES, entry, error);
}

// --- numbers

// Returns a negative number that no entry has.
static int64_t find_free_number(const json_t *rows) {
  int64_t number = -1;
  while (owned_rows_find(rows, number))
    --number;
  return number;
}

static void set_default(json_t *row, const char *key, json_t *value) {
  if (!json_object_get(row, key))
    json_object_set(row, key, value);
  json_decref(value);
}

static bool check_number(const json_t *rows, size_t i, const json_t *stored, error_info_t *error) {
  int64_t item = get_number(json_array_get(rows, i), "item");
  if (item > 0 && !owned_rows_find(stored, item))
    return error_set(error, "entry %zu: the account does not own the item %lld: remove the number of a new item", i + 1,
                     (long long)item);
  json_t *facts = json_object_get(json_object_get(json_array_get(rows, i), "components"), SCENE_EQUAL_KEY);
  if (item <= 0 && json_object_get(facts, "parked"))
    return error_set(error, "entry %zu: a new item cannot have `parked` values: remove them", i + 1);
  for (size_t k = 0; item != 0 && k < i; ++k)
    if (get_number(json_array_get(rows, k), "item") == item)
      return error_set(error, "entries %zu and %zu have the same number, %lld: remove the number of a new item", k + 1,
                       i + 1, (long long)item);
  return true;
}

static bool check_parents(const json_t *rows, error_info_t *error) {
  size_t i, count = json_array_size(rows);
  json_t *row;
  json_array_foreach(rows, i, row) {
    int64_t item = get_number(row, "item"), parent = get_number(row, "parent");
    for (size_t steps = 0; parent != 0 && steps <= count; ++steps) {
      if (parent == item)
        return error_set(error, "entry %zu: the item %lld is its own ancestor", i + 1, (long long)item);
      const json_t *next = owned_rows_find(rows, parent);
      if (!next)
        return error_set(error, "entry %zu: the parent %lld is not in the list", i + 1, (long long)parent);
      parent = get_number(next, "parent");
    }
  }
  return true;
}

// --- values that equal the assemblage's

// Returns the value at a path of keys ("look.r"), or NULL if it is missing.
static const json_t *find_value(const json_t *values, const char *path) {
  const json_t *found = json_object_get(values, path);
  const char *dot = found ? NULL : strchr(path, '.');
  char key[128];
  if (!dot)
    return found;
  (void)snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
  return find_value(json_object_get(values, key), dot + 1);
}

// Lists the marked fields of a component whose values equal the stored values.
static json_t *list_equal_fields(const json_t *values, const json_t *stored, const json_t *marks) {
  json_t *out = json_array(), *value;
  const char *name;
  size_t i;
  if (json_is_true(marks))
    json_object_foreach((json_t *)values, name, value) {
      if (strcmp(name, SCENE_EQUAL_KEY) != 0 && json_equal(value, json_object_get(stored, name)))
        json_array_append_new(out, json_string(name));
    }
  json_array_foreach(marks, i, value) {
    const char *path = json_string_value(value);
    if (path && json_equal(find_value(values, path), find_value(stored, path)))
      json_array_append(out, value);
  }
  return out;
}

// Removes the marks of edited values, so that they do not follow the assemblage.
static void unmark_component(json_t *values, const json_t *stored) {
  json_t *marks = json_object_get(values, SCENE_EQUAL_KEY);
  if (!marks || json_equal(values, stored))
    return;
  if (json_object_get(stored, SCENE_EQUAL_KEY))
    json_object_set_new(values, SCENE_EQUAL_KEY, list_equal_fields(values, stored, marks));
  else
    json_object_del(values, SCENE_EQUAL_KEY);
}

static void unmark_row(json_t *row, const json_t *stored) {
  json_t *components = json_object_get(row, "components"), *before = json_object_get(stored, "components"), *values,
         *fields;
  const char *name, *instance;
  bool has_assemblage = json_equal(json_object_get(row, "assemblage"), json_object_get(stored, "assemblage"));
  json_object_foreach(components, name, values) {
    json_t *former = has_assemblage ? json_object_get(before, name) : NULL;
    if (strcmp(name, SCENE_EQUAL_KEY) == 0)
      continue;
    unmark_component(values, former);
    json_object_foreach(values, instance, fields) {
      if (json_is_object(fields))
        unmark_component(fields, json_object_get(former, instance));
    }
  }
}

// --- attributes

static json_t *get_or_create_attributes(json_t *row) {
  json_t *components = json_object_get(row, "components");
  json_t *attributes = json_object_get(components, SCENE_EQUAL_KEY);
  if (!attributes)
    json_object_set_new(components, SCENE_EQUAL_KEY, attributes = json_object());
  return attributes;
}

// Notes that the parent of a removed child lacks the child, which its assemblage would create again.
static void note_removed_child(json_t *rows, const json_t *removed) {
  const char *slot = json_string_value(
      json_object_get(json_object_get(json_object_get(removed, "components"), SCENE_EQUAL_KEY), "slot"));
  json_t *parent = slot ? owned_rows_find(rows, get_number(removed, "parent")) : NULL;
  if (!parent)
    return;
  json_t *attributes = get_or_create_attributes(parent), *gone = json_object_get(attributes, "gone");
  if (!gone)
    json_object_set_new(attributes, "gone", gone = json_array());
  json_array_append_new(gone, json_string(slot));
}

static void note_removed_items(json_t *rows, const json_t *stored, item_edit_counts_t *counts) {
  size_t i;
  json_t *row;
  json_array_foreach(stored, i, row) {
    if (owned_rows_find(rows, get_number(row, "item")))
      continue;
    note_removed_child(rows, row);
    ++counts->removed;
  }
}

// --- all

static void complete_entry(json_t *rows, json_t *row, const json_t *stored, item_edit_counts_t *counts) {
  set_default(row, "parent", json_integer(0));
  set_default(row, "name", json_string(""));
  set_default(row, "assemblage", json_string(""));
  set_default(row, "components", json_object());
  const json_t *former = owned_rows_find(stored, get_number(row, "item"));
  counts->changed += former && !json_equal(row, former);
  counts->added += !former;
  if (get_number(row, "item") == 0)
    json_object_set_new(row, "item", json_integer(find_free_number(rows)));
  unmark_row(row, former);
  if (get_number(row, "parent") == 0)
    json_object_set_new(get_or_create_attributes(row), "owned", json_true());
}

bool item_edit_complete(json_t *rows, const json_t *stored, item_edit_counts_t *counts, error_info_t *error) {
  size_t i;
  json_t *row;
  *counts = (item_edit_counts_t){0};
  if (json_array_size(rows) > OWNED_MAX_ENTITIES)
    return error_set(error, "too many items: %zu (at most %u)", json_array_size(rows), OWNED_MAX_ENTITIES);
  json_array_foreach(rows, i, row) {
    if (!check_entry(row, i + 1, error) || !check_number(rows, i, stored, error))
      return false;
  }
  json_array_foreach(rows, i, row) {
    complete_entry(rows, row, stored, counts);
  }
  if (!check_parents(rows, error))
    return false;
  note_removed_items(rows, stored, counts);
  return true;
}
