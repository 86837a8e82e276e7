// Converts objects of a map to entries of a scene. See map_entries.h.
#include "store/map_entries.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "content/former_names.h"
#include "schema/bit_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUARTER_TURN 1.5707963267948966

// --- sets of object ids

static int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

bool map_ids_has(const map_ids_t *ids, uint32_t id) {
  return ids->count > 0 && bsearch(&id, ids->items, ids->count, sizeof id, compare_ids) != NULL;
}

void map_ids_sort(map_ids_t *ids) {
  uint32_t unique_count = 0;
  if (ids->count > 0)
    qsort(ids->items, ids->count, sizeof *ids->items, compare_ids);
  for (uint32_t i = 0; i < ids->count; ++i)
    if (unique_count == 0 || ids->items[unique_count - 1] != ids->items[i])
      ids->items[unique_count++] = ids->items[i];
  ids->count = unique_count;
}

void map_ids_collect(map_ids_t *out, allocator_t *a, const map_t *map) {
  for (uint32_t i = 0; map && i < map->object_count; ++i)
    if (map_object_is_entity(&map->objects[i]))
      array_push(a, out, map->objects[i].id);
  map_ids_sort(out);
}

void map_ids_add_filtered(map_ids_t *out, allocator_t *a, const map_ids_t *source, const map_ids_t *filter,
                          bool contained) {
  for (uint32_t i = 0; i < source->count; ++i)
    if (map_ids_has(filter, source->items[i]) == contained)
      array_push(a, out, source->items[i]);
  map_ids_sort(out);
}

// --- one object

// Returns true if `name` is a former name of the field. For a part of a vector, also returns true for a former name of
// the vector.
static bool has_former_name(const field_t *field, const char *name) {
  char axis_name[FIELD_NAME_MAX + 64];
  const char *dot = field->flags & FIELD_IS_AXIS ? strrchr(field->name, '.') : NULL;
  snprintf(axis_name, sizeof axis_name, "%.100s%s", name, dot ? dot : "");
  return field_has_former_name(field, name) || (dot && field_has_former_name(field, axis_name));
}

// Returns the assemblage's only component with this field, or NULL if no component or several components have it.
static const manager_o *find_component_with_field(map_entries_t *t, const char *field) {
  const manager_o *found = NULL;
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const manager_o *m = world_manager(t->world, t->parts.items[i].manager);
    size_t bytes = strlen(field);
    bool has_field = false;
    for (uint32_t column = 0; column < m->schema.field_count; ++column) { // "tint" matches tint.x, tint.y, …
      const char *name = m->schema.fields[column].name;
      has_field |= strncmp(name, field, bytes) == 0 && (name[bytes] == '\0' || name[bytes] == '.');
      has_field |= has_former_name(&m->schema.fields[column], field);
    }
    if (has_field && found && found != m)
      return NULL;
    found = has_field ? m : found;
  }
  return found;
}

static json_t *get_or_add_object(json_t *object, const char *key) {
  json_t *inner = json_object_get(object, key);
  if (!json_is_object(inner))
    json_object_set_new(object, key, inner = json_object());
  return inner;
}

static json_t *parse_colour(const char *text) {
  float channels[4] = {1, 1, 1, 1};
  unsigned bytes[4] = {255, 255, 255, 255};
  size_t digits = strlen(text);
  if (digits == 9)
    sscanf(text, "#%2x%2x%2x%2x", &bytes[3], &bytes[0], &bytes[1], &bytes[2]);
  else
    sscanf(text, "#%2x%2x%2x", &bytes[0], &bytes[1], &bytes[2]);
  for (int i = 0; i < 4; ++i)
    channels[i] = (float)bytes[i] / 255.0f;
  return json_pack("[f,f,f,f]", (double)channels[0], (double)channels[1], (double)channels[2], (double)channels[3]);
}

static json_t *parse_position(const char *text) {
  double x = 0, y = 0;
  sscanf(text, "%lf,%lf", &x, &y);
  return json_pack("[f,f]", x, y);
}

// Returns the id of the object's entity in the list, or JSON null if the list does not contain the object.
static json_t *build_reference(const map_entries_t *t, double id) {
  char name[24];
  if (!map_ids_has(t->ids, (uint32_t)id))
    return json_null();
  snprintf(name, sizeof name, "#%u", (uint32_t)id);
  return json_string(name);
}

static json_t *build_value(const map_entries_t *t, const map_property_t *property) {
  switch (property->type) {
  case MAP_NUMBER: return json_real(property->number);
  case MAP_BOOL: return json_boolean(property->number != 0);
  case MAP_COLOUR: return parse_colour(property->text);
  case MAP_POSITION: return parse_position(property->text);
  case MAP_OBJECT: return build_reference(t, property->number);
  default: return json_string(property->text);
  }
}

// Returns the choice of an enum at `index`, from 0, or NULL if `index` is out of range.
static const char *find_choice(const field_t *field, json_int_t index) {
  const char *choice = field->choices;
  if (index < 0 || index >= field->choice_count)
    return NULL;
  for (; index > 0; --index)
    choice += strlen(choice) + 1;
  return choice;
}

// Converts an integral real to a JSON integer, because integer fields reject 3.0. Returns other values unchanged. Takes
// ownership of `value`.
static json_t *convert_to_integer(json_t *value) {
  double number = json_is_real(value) ? json_real_value(value) : 0.5;
  if (number < -1e15 || number > 1e15 || number != (double)(json_int_t)number)
    return value;
  json_decref(value);
  return json_integer((json_int_t)number);
}

// Converts "hero, foe" to a list of names if the field accepts layer names. Returns other values unchanged. Takes
// ownership of `value`.
static json_t *split_layers(const manager_o *m, const char *field, json_t *value) {
  int32_t column = m && json_is_string(value) ? manager_find_column(m, field) : -1;
  if (column < 0 || !bit_names_exist(&m->schema.fields[column]))
    return value;
  json_t *list = json_array();
  for (const char *cursor = json_string_value(value); *cursor;) {
    cursor += strspn(cursor, ", ");
    size_t length = strcspn(cursor, ","), name_bytes = length;
    while (name_bytes > 0 && cursor[name_bytes - 1] == ' ')
      --name_bytes;
    if (name_bytes > 0)
      json_array_append_new(list, json_stringn(cursor, name_bytes));
    cursor += length;
  }
  json_decref(value);
  return list;
}

// Returns the column of a field, or -1 if it is unknown. `path`: "heat", or "left.heat" for the instance "left".
// `part`: suffix of the column's name, such as ".count"; "" for the field itself.
static int32_t find_path_column(const manager_o *m, const char *path, const char *part) {
  char name[FIELD_NAME_MAX + 128];
  const char *dot = strchr(path, '.');
  snprintf(name, sizeof name, "%.120s%s", path, part);
  int32_t column = m ? schema_find_field(&m->schema, name) : -1;
  if (column >= 0 || !m || !dot || m->schema.kind != SCHEMA_MANY)
    return column;
  snprintf(name, sizeof name, "%.120s%s", dot + 1, part);
  return schema_find_field(&m->schema, name);
}

// Converts a number from Tiled to the value that the field (NULL if unknown) expects. For an enum, the number is the
// index of a choice. For an entity field, it is the id of an object in a class property, and becomes a reference.
// Returns other values unchanged. Takes ownership of `value`.
static json_t *convert_number(const map_entries_t *t, const field_t *field, json_t *value) {
  if (!field || !json_is_integer(value))
    return value;
  const char *choice = field->type == FIELD_ENUM ? find_choice(field, json_integer_value(value)) : NULL;
  json_t *converted = choice                        ? json_string(choice)
                      : field->type == FIELD_ENTITY ? build_reference(t, json_number_value(value))
                                                    : NULL;
  if (!converted)
    return value;
  json_decref(value);
  return converted;
}

// Builds the values of a list. Drops, with a warning, the values that exceed the capacity of the field `path`.
static json_t *build_list(const map_entries_t *t, const manager_o *m, const char *path,
                          const map_property_t *property) {
  int32_t column = find_path_column(m, path, ".count");
  const field_t *field = column >= 0 ? &m->schema.fields[column + 1] : NULL;
  uint32_t capacity = column >= 0 ? schema_list_capacity(&m->schema, (uint32_t)column) : property->elements.count;
  json_t *list = json_array();
  if (property->elements.count > capacity)
    log_warn(world_log(t->world), "%s: property %s has %u values, but %s.%s holds at most %u: the rest is dropped",
             t->map->files[0], property->name, property->elements.count, m->schema.name, path, capacity);
  for (uint32_t i = 0; i < property->elements.count && i < capacity; ++i)
    json_array_append_new(list,
                          convert_number(t, field, convert_to_integer(build_value(t, &property->elements.items[i]))));
  return list;
}

static json_t *build_field_value(const map_entries_t *t, const manager_o *m, const char *path,
                                 const map_property_t *property) {
  if (property->type == MAP_LIST)
    return build_list(t, m, path, property);
  int32_t column = find_path_column(m, path, "");
  return convert_number(t, column >= 0 ? &m->schema.fields[column] : NULL,
                        convert_to_integer(build_value(t, property)));
}

// Returns the component with this current or former name, or NULL if the name is unknown.
static const manager_o *find_component(const map_entries_t *t, const char *name) {
  former_field_t part;
  const manager_o *m = world_find_manager(t->world, name);
  return m || !former_names_get_field(t->world, name, 0, &part) ? m : world_manager(t->world, part.manager);
}

// Like apply_property, but for a component's former name. Returns true and takes ownership of `value` if the property
// has such a name. Otherwise, returns false.
static bool apply_former_component(map_entries_t *t, json_t *components, const map_property_t *property,
                                   json_t *value) {
  former_field_t part;
  uint32_t field_count = 0;
  const char *field = NULL;
  for (uint32_t i = 0; former_names_get_field(t->world, property->name, i, &part); ++i)
    if (part.column < world_manager(t->world, part.manager)->schema.field_count) {
      field = field_count == 0 ? part.field : field;
      ++field_count;
    }
  if (!world_is_component_renamed_to(t->world, property->name, 0))
    return false;
  if (field_count == 1) {
    json_object_set_new(get_or_add_object(components, property->name), field, value);
    return true;
  }
  json_object_set_new(components, property->name,
                      property->type == MAP_BOOL && property->number == 0 ? json_null() : json_object());
  json_decref(value);
  return true;
}

// Warns about a constant that is probably in degrees, although the field's unit is "rad".
static void warn_about_angle(const map_entries_t *t, const manager_o *m, const char *path,
                             const map_property_t *property) {
  int32_t column = find_path_column(m, path, "");
  const char *unit = column >= 0 ? m->schema.fields[column].unit : NULL;
  if (property->type == MAP_NUMBER && unit && strcmp(unit, "rad") == 0 && fabs(property->number) > 6.29)
    log_warn(world_log(t->world),
             "%s: property %s is in radians, got %g, which is more than a full turn: write %.4f for %g degrees",
             t->map->files[0], property->name, property->number, property->number * 0.017453292519943295,
             property->number);
}

// Applies a property, whose name selects its effect:
// - "state" sets the entity's state.
// - component.field, component.instance.field or field sets a field.
// - The name of a component sets its only field. If the component has no field or several fields, a boolean adds or
//   removes the component.
static void apply_property(map_entries_t *t, json_t *entity, json_t *components, const map_property_t *property) {
  char name[COMPONENT_NAME_MAX];
  const char *dot = strchr(property->name, '.');
  size_t length = dot ? (size_t)(dot - property->name) : strlen(property->name);
  if (strcmp(property->name, "state") == 0 && property->type == MAP_TEXT) {
    json_object_set_new(entity, "state", json_string(property->text));
    return;
  }
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), property->name);
  const manager_o *m = dot ? NULL : find_component_with_field(t, property->name);
  const manager_o *component = dot ? NULL : world_find_manager(t->world, property->name);
  const manager_o *owner = m ? m : find_component(t, name);
  const char *field = dot ? dot + 1 : property->name;
  json_t *value = build_field_value(t, owner, field, property);
  warn_about_angle(t, owner, field, property);
  if (!m && !dot && !component && apply_former_component(t, components, property, value))
    return;
  if (m) {
    json_object_set_new(get_or_add_object(components, m->schema.name), property->name,
                        split_layers(m, property->name, value));
  } else if (component && property->type == MAP_BOOL && component->schema.field_count != 1) {
    json_object_set_new(components, name, property->number != 0 ? json_object() : json_null());
    json_decref(value);
  } else if (component && component->schema.field_count == 1) {
    json_object_set_new(get_or_add_object(components, name), component->schema.fields[0].name, value);
  } else if (dot && strchr(dot + 1, '.') && (m = find_component(t, name)) != NULL && m->schema.kind == SCHEMA_MANY) {
    char instance[128];
    const char *last = strchr(dot + 1, '.');
    snprintf(instance, sizeof instance, "%.*s", (int)(last - dot - 1), dot + 1);
    json_object_set_new(get_or_add_object(get_or_add_object(components, name), instance), last + 1, value);
  } else { // scene_read will report errors in the value
    value = dot ? split_layers(world_find_manager(t->world, name), dot + 1, value) : value;
    json_object_set_new(get_or_add_object(components, name), dot ? dot + 1 : property->name, value);
  }
}

static void find_assemblage_parts(map_entries_t *t, const char *class_name) {
  uint32_t name = strings_find(world_strings(t->world), class_name);
  uint32_t assemblage = name ? world_find_assemblage(t->world, name) : 0;
  const char *current = assemblage ? NULL : former_names_find_text(t->world, class_name);
  if (current)
    assemblage = world_find_assemblage(t->world, strings_find(world_strings(t->world), current));
  scene_list_parts(t->world, assemblage, scene_resolve_state(t->world, assemblage, 0), &t->memory, &t->parts);
}

static bool has_part(const map_entries_t *t, const char *name) {
  for (uint32_t i = 0; i < t->parts.count; ++i)
    if (strcmp(world_manager(t->world, t->parts.items[i].manager)->schema.name, name) == 0)
      return true;
  return false;
}

// Returns true if the entity's path has points that are relative to its position.
static bool is_path_relative(const map_entries_t *t, const map_object_t *object) {
  const manager_o *m = builtin_find(t->world, "path");
  bool relative = false;
  for (uint32_t i = 0; i < t->parts.count; ++i)
    if (t->parts.items[i].manager == m->id)
      relative = t->parts.items[i].values[manager_find_column(m, "relative")] != 0;
  for (uint32_t i = 0; i < object->properties.count; ++i) {
    const map_property_t *property = &object->properties.items[i];
    if (strcmp(property->name, "path.relative") == 0 || strcmp(property->name, "relative") == 0)
      relative = property->number != 0;
  }
  return relative;
}

// Sets the entity's path to the points of a line or polygon, which are relative to the object. Converts them to world
// positions, unless the path is relative.
static void apply_points(map_entries_t *t, json_t *components, const map_object_t *object) {
  json_t *path = get_or_add_object(components, builtin_find(t->world, "path")->schema.name);
  size_t capacity = strlen(object->points) + strlen(object->points) / 3 * 40 + 64, points_bytes = 0;
  bool relative = is_path_relative(t, object);
  char *points = malloc(capacity);
  double x, y;
  points[0] = '\0';
  for (const char *cursor = object->points; cursor && sscanf(cursor, "%lf,%lf", &x, &y) == 2;
       cursor = strchr(cursor, ' ')) {
    cursor += *cursor == ' ';
    points_bytes +=
        (size_t)snprintf(points + points_bytes, capacity - points_bytes, "%s%.9g,%.9g", points_bytes ? " " : "",
                         relative ? x : object->x + x, relative ? y : object->y + y);
    shoal_assert(points_bytes < capacity, "the points of object %u need more than %zu bytes", object->id, points_bytes);
  }
  json_object_set_new(path, "points", json_string(points));
  if (object->shape == MAP_POLYGON)
    json_object_set_new(path, "loop", json_true());
  free(points);
}

// Mirrors the entity's sprite like the object's tile. A diagonal flip is a rotation by 90° plus a mirroring.
static void apply_flips(const map_entries_t *t, json_t *components, const map_object_t *object) {
  bool flip_x = object->cell & MAP_FLIP_X, flip_y = object->cell & MAP_FLIP_Y;
  const manager_o *m = builtin_find(t->world, "sprite");
  if (!(object->cell & MAP_FLIPS) || !m || !has_part(t, m->schema.name))
    return;
  json_t *sprite = get_or_add_object(components, m->schema.name);
  if (object->cell & MAP_FLIP_DIAGONAL) {
    json_object_set_new(get_or_add_object(components, "transform"), "angle", json_real(object->angle + QUARTER_TURN));
    bool swapped = flip_x;
    flip_x = flip_y;
    flip_y = !swapped;
  }
  if (flip_x)
    json_object_set_new(sprite, "flip", json_true());
  if (flip_y)
    json_object_set_new(sprite, "flip_y", json_true());
}

static json_t *build_entity(map_entries_t *t, const map_object_t *object) {
  char id[24];
  snprintf(id, sizeof id, "#%u", object->id);
  json_t *entity = json_object(), *components = json_object();
  if (object->class_name[0])
    json_object_set_new(entity, "assemblage", json_string(object->class_name));
  if (object->name[0])
    json_object_set_new(entity, "name", json_string(object->name));
  json_object_set_new(entity, "id", json_string(id));
  json_object_set_new(entity, "components", components);
  json_t *transform = get_or_add_object(components, "transform");
  json_object_set_new(transform, "x", json_real(object->x));
  json_object_set_new(transform, "y", json_real(object->y));
  if (object->angle != 0)
    json_object_set_new(transform, "angle", json_real(object->angle));
  json_object_set_new(
      components, builtin_find(t->world, "map_object")->schema.name,
      json_pack("{s:I,s:f,s:f}", "id", (json_int_t)object->id, "width", object->width, "height", object->height));
  find_assemblage_parts(t, object->class_name);
  if (object->points && has_part(t, builtin_find(t->world, "path")->schema.name))
    apply_points(t, components, object);
  apply_flips(t, components, object);
  for (uint32_t i = 0; i < object->properties.count; ++i)
    apply_property(t, entity, components, &object->properties.items[i]);
  return entity;
}

// --- the list

static int compare_keys(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

void map_ids_find_duplicates(map_ids_t *out, allocator_t *a, const map_t *map) {
  ARRAY(uint64_t) keys = {0};
  for (uint32_t i = 0; i < map->object_count; ++i)
    if (map_object_is_entity(&map->objects[i]))
      array_push(a, &keys, (uint64_t)map->objects[i].id << 32 | i);
  if (keys.count > 0)
    qsort(keys.items, keys.count, sizeof *keys.items, compare_keys);
  for (uint32_t i = 1; i < keys.count; ++i)
    if (keys.items[i] >> 32 == keys.items[i - 1] >> 32)
      array_push(a, out, (uint32_t)keys.items[i]);
  array_free(a, &keys);
  map_ids_sort(out);
}

void map_entries_init(map_entries_t *t, world_o *w, const map_t *map, const map_ids_t *ids) {
  *t = (map_entries_t){.world = w, .map = map, .ids = ids, .list = json_array()};
  map_ids_t duplicates = {0};
  map_ids_find_duplicates(&duplicates, &t->memory, map);
  for (uint32_t i = 0; i < map->object_count; ++i)
    if (map_object_is_entity(&map->objects[i]) && map_ids_has(ids, map->objects[i].id) && !map_ids_has(&duplicates, i))
      array_push(&t->memory, &t->objects, i);
  array_free(&t->memory, &duplicates);
  for (uint32_t i = 0; i < t->objects.count; ++i)
    json_array_append_new(t->list, build_entity(t, &map->objects[t->objects.items[i]]));
}

const map_object_t *map_entries_object(const map_entries_t *t, uint32_t number) {
  shoal_assert(number > 0 && number <= t->objects.count, "object %u is out of range (count %u)", number,
               t->objects.count);
  return &t->map->objects[t->objects.items[number - 1]];
}

void map_entries_fini(map_entries_t *t) {
  json_decref(t->list);
  array_free(&t->memory, &t->objects);
  array_free(&t->memory, &t->parts);
  shoal_assert(t->memory.bytes == 0, "reading map objects leaked %zu bytes", t->memory.bytes);
}
