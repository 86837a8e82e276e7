// Parks and restores values of rows.
#include "store/item_parked.h"

#include "content/former_names.h"
#include "store/scene_internal.h"

#include <stdio.h>
#include <string.h>

static json_t *get_facts(const json_t *row) {
  return json_object_get(json_object_get(row, "components"), SCENE_EQUAL_KEY);
}

const json_t *item_parked_get(const json_t *row) {
  return json_object_get(get_facts(row), "parked");
}

static json_t *get_or_create_facts(json_t *row) {
  if (!get_facts(row))
    json_object_set_new(json_object_get(row, "components"), SCENE_EQUAL_KEY, json_object());
  return get_facts(row);
}

void item_parked_set(json_t *row, json_t *parked) {
  json_object_set(get_or_create_facts(row), "parked", parked);
}

json_t *item_parked_add(json_t *row, const json_t *old, const json_t *all) {
  char key[24];
  (void)snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_object_get(old, "item")));
  json_t *parked = json_object_get(all, key);
  json_t *out = row ? json_incref(row) : json_is_true(parked) ? json_deep_copy(old) : NULL;
  if (out && parked)
    item_parked_set(out, parked);
  return out;
}

void item_parked_set_visit(json_t *row, int64_t session) {
  json_object_set_new(get_or_create_facts(row), "visit", json_integer((json_int_t)session));
}

int64_t item_parked_get_visit(const json_t *row) {
  return (int64_t)json_integer_value(json_object_get(get_facts(row), "visit"));
}

// --- names

// Returns true if the paths are equal, or if one contains the other, as "look" contains "look.r".
static bool is_related(const char *a, const char *b) {
  size_t bytes = strlen(a), other = strlen(b), shared = bytes < other ? bytes : other;
  return strncmp(a, b, shared) == 0 && (a[shared] == '\0' || a[shared] == '.') &&
         (b[shared] == '\0' || b[shared] == '.');
}

// Returns true if the path is related to a former name of a field. `names`: the former names, separated by spaces.
static bool is_former_name(const char *names, const char *path) {
  char name[FIELD_NAME_MAX];
  for (; names[0]; names += strspn(names, " ")) {
    size_t length = strcspn(names, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, names);
    if (is_related(name, path))
      return true;
    names += length;
  }
  return false;
}

static bool is_known_field(world_o *w, const manager_o *m, const char *path) {
  former_field_t part;
  for (uint32_t i = 0; i < m->schema.field_count; ++i)
    if (is_related(m->schema.fields[i].name, path) || is_former_name(m->schema.fields[i].renamed_from, path))
      return true;
  for (uint32_t i = 0; former_names_get_field(w, m->schema.name, i, &part); ++i)
    if (is_related(part.field, path))
      return true;
  return false;
}

// Returns true if the component is declared, renamed or declared as removed. The values of a removed component are not
// parked, because its declaration says that they are meant to be gone.
static bool is_known_component(world_o *w, const char *name) {
  return world_find_manager(w, name) || world_is_component_renamed_to(w, name, 0) ||
         world_is_component_removed(w, name);
}

static bool is_known_assemblage(world_o *w, const char *name) {
  return !name || !name[0] || world_find_assemblage_named(w, name) != 0 || former_names_find_text(w, name);
}

// --- whole rows

static const json_t *find_parent(const json_t *rows, const json_t *row) {
  int64_t parent = json_integer_value(json_object_get(row, "parent"));
  size_t i;
  json_t *other;
  json_array_foreach(rows, i, other) {
    if (parent != 0 && json_integer_value(json_object_get(other, "item")) == parent)
      return other;
  }
  return NULL;
}

bool item_parked_is_absent(world_o *w, const json_t *rows, const json_t *row, bool parks) {
  bool is_absent = false;
  for (size_t steps = 0; row && !is_absent && steps <= json_array_size(rows); ++steps) { // the parents may be a cycle
    is_absent = (parks || json_is_true(item_parked_get(row))) &&
                !is_known_assemblage(w, json_string_value(json_object_get(row, "assemblage")));
    row = find_parent(rows, row);
  }
  return is_absent;
}

// --- restoring

// Adds the values of `source` that `target` lacks.
static void merge(json_t *target, json_t *source) {
  const char *key;
  json_t *value;
  json_object_foreach(source, key, value) {
    json_t *found = json_object_get(target, key);
    if (!found)
      json_object_set(target, key, value);
    else if (json_is_object(found) && json_is_object(value))
      merge(found, value);
  }
}

static void restore(world_o *w, json_t *components, const json_t *parked) {
  const char *name;
  json_t *values;
  json_object_foreach(json_object_get(parked, "components"), name, values) {
    if (is_known_component(w, name) && !json_object_get(components, name))
      json_object_set_new(components, name, json_deep_copy(values));
  }
  json_object_foreach(json_object_get(parked, "fields"), name, values) {
    json_t *found = json_object_get(components, name), *copy = json_deep_copy(values);
    if (json_is_object(found))
      merge(found, copy);
    json_decref(copy);
  }
}

// --- parking

typedef struct parking_t {
  world_o *world;
  const manager_o *component;
  const json_t *former; // fields of the component that were parked before, or NULL
  item_parked_report_t report;
  void *context;
} parking_t;

static void report(const parking_t *p, const char *component, const char *field) {
  char part[164];
  (void)snprintf(part, sizeof part, "%.60s%s%.60s", component, field[0] ? "." : "", field);
  if (p->report)
    p->report(p->context, part);
}

// Returns true if the field's value equals the assemblage's value. The field then follows the assemblage, so its value
// need not be kept.
static bool is_equal(const json_t *equal, const char *path) {
  size_t i;
  json_t *field;
  json_array_foreach(equal, i, field) {
    if (json_is_string(field) && strcmp(json_string_value(field), path) == 0)
      return true;
  }
  return json_is_true(equal);
}

// Moves the unknown fields from `values` to `out`. `path`: path of `values` in the component; "": the component itself.
static void park_fields(const parking_t *p, json_t *values, const json_t *equal, const char *path, json_t *out) {
  const char *key;
  json_t *value;
  void *next;
  json_object_foreach_safe(values, next, key, value) {
    char name[100];
    (void)snprintf(name, sizeof name, "%.48s%s%.48s", path, path[0] ? "." : "", key);
    if (strcmp(key, SCENE_EQUAL_KEY) == 0)
      continue;
    if (is_known_field(p->world, p->component, name)) {
      json_t *inner = json_is_object(value) ? json_object() : NULL;
      if (inner)
        park_fields(p, value, equal, name, inner);
      if (inner && json_object_size(inner) > 0)
        json_object_set(out, key, inner);
      json_decref(inner);
      continue;
    }
    if (!is_equal(equal, name)) {
      json_object_set(out, key, value);
      if (!json_object_get(p->former, key))
        report(p, p->component->schema.name, name);
    }
    json_object_del(values, key);
  }
}

static json_t *park_component(parking_t *p, json_t *values) {
  const char *instance;
  json_t *fields, *out = json_object();
  if (p->component->schema.kind != SCHEMA_MANY) {
    park_fields(p, values, json_object_get(values, SCENE_EQUAL_KEY), "", out);
    return out;
  }
  const json_t *former = p->former;
  json_object_foreach(values, instance, fields) {
    json_t *inner = json_object();
    p->former = json_object_get(former, instance);
    if (json_is_object(fields))
      park_fields(p, fields, json_object_get(fields, SCENE_EQUAL_KEY), "", inner);
    if (json_object_size(inner) > 0)
      json_object_set(out, instance, inner);
    json_decref(inner);
  }
  return out;
}

// Moves all values that the world does not declare to `out`.
static void park(parking_t *p, json_t *components, const json_t *former, json_t *out) {
  const char *name;
  json_t *values, *whole = json_object_get(out, "components"), *fields = json_object_get(out, "fields");
  void *next;
  json_object_foreach_safe(components, next, name, values) {
    p->component = world_find_manager(p->world, name);
    p->former = json_object_get(json_object_get(former, "fields"), name);
    if (strcmp(name, SCENE_EQUAL_KEY) == 0)
      continue;
    if (!is_known_component(p->world, name)) {
      json_object_set(whole, name, values);
      report(p, name, "");
      json_object_del(components, name);
    } else if (p->component && json_is_object(values)) {
      json_t *parked = park_component(p, values);
      if (json_object_size(parked) > 0)
        json_object_set(fields, name, parked);
      json_decref(parked);
    }
  }
}

// Keeps the parked values that were not restored, because their component is unknown or missing.
static void keep_former(const json_t *components, const json_t *former, json_t *out) {
  const char *name;
  json_t *values;
  json_object_foreach(json_object_get(former, "components"), name, values) {
    if (!json_object_get(components, name))
      json_object_set(json_object_get(out, "components"), name, values);
  }
  json_object_foreach(json_object_get(former, "fields"), name, values) {
    if (!json_object_get(components, name))
      json_object_set(json_object_get(out, "fields"), name, values);
  }
}

json_t *item_parked_update(world_o *w, json_t *row, bool parks, item_parked_report_t report_part, void *context) {
  json_t *components = json_object_get(row, "components"), *out = json_pack("{s:{}, s:{}}", "components", "fields");
  json_t *former = json_incref((json_t *)item_parked_get(row));
  parking_t p = {.world = w, .report = report_part, .context = context};
  restore(w, components, former);
  if (parks || former) // restored fields that are still unknown must be parked again
    park(&p, components, former, out);
  keep_former(components, former, out);
  json_decref(former);
  if (json_object_size(json_object_get(out, "components")) + json_object_size(json_object_get(out, "fields")) > 0)
    return out;
  json_decref(out);
  return NULL;
}
