// Reads the fields of LDtk's entities and levels as properties. Empty fields (null) have no property, so that the value
// in the entity's assemblage applies.
#include "tiles/ldtk.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FIELDS 1000u
#define MAX_POINTS 10000u
#define MAX_ELEMENTS 1000u // maximum number of values in an array, except for arrays of points
#define NAME_BYTES 160u

// A field of an entity or of a level.
typedef struct ldtk_field_t {
  ldtk_t *project;
  const char *owner; // identifier of the entity; "" for a level
  const json_t *json;
  const char *type;      // type of the field: "Int", "Array<Point>", …
  char name[NAME_BYTES]; // name of the resulting property
  map_object_t *object;  // owner of the field; NULL for a level's field or an element of an array
  const ldtk_grid_t *grid;
  map_properties_t *out;
} ldtk_field_t;

uint32_t ldtk_hash_id(const char *iid) {
  return (uint32_t)(hash_text(iid) & 0x7fffffffu);
}

// Stores the field's name. LDtk does not allow dots in field names, so `health__hp` becomes health.hp.
static void set_name(ldtk_field_t *field) {
  snprintf(field->name, sizeof field->name, "%.150s", map_read_text(field->json, "__identifier"));
  char *separator = strstr(field->name, "__");
  if (separator && separator != field->name) {
    *separator = '.';
    memmove(separator + 1, separator + 2, strlen(separator + 2) + 1);
  }
}

static void skip_field(const ldtk_field_t *field, const char *reason) {
  map_warn(field->project->reader, "%s%.60s%sfield \"%.60s\" of type %.40s is skipped: %s",
           field->owner[0] ? "entity " : "", field->owner, field->owner[0] ? ": " : "", field->name, field->type,
           reason);
}

static void add_text(const ldtk_field_t *field, map_value_t type, const char *text) {
  map_add_property(field->project->reader, field->out, field->name, type, 0, text);
}

// Adds the asset name of a file, which is relative to the project, as a property. Skips an invalid name with a warning.
static void read_path(const ldtk_field_t *field, const char *name) {
  map_reader_t *reader = field->project->reader;
  char path[512];
  if (map_resolve_path(reader, name, path, sizeof path))
    add_text(field, MAP_TEXT, path);
  else
    map_skip(reader, "a file name");
}

static void read_text(const ldtk_field_t *field, const char *text) {
  if (field->object && !field->object->name && strcmp(field->name, "name") == 0)
    field->object->name = alloc_copy_text(field->project->reader->allocator, text);
  else if (strcmp(field->type, "FilePath") == 0)
    read_path(field, text);
  else
    add_text(field, strcmp(field->type, "Color") == 0 ? MAP_COLOUR : MAP_TEXT, text);
}

// Adds a reference to an entity. A reference to an entity of a different level is empty, because each tilemap has the
// entities of one level.
static void read_reference(const ldtk_field_t *field, const json_t *value) {
  map_reader_t *reader = field->project->reader;
  const char *level = map_read_text(value, "levelIid"), *own_level = field->project->level_iid;
  bool is_elsewhere = level[0] && own_level[0] && strcmp(level, own_level) != 0;
  if (is_elsewhere)
    map_warn(reader,
             "%s%.60s%sfield \"%.60s\" is empty: it refers to an entity in a different level: refer to entities in the "
             "same level",
             field->owner[0] ? "entity " : "", field->owner, field->owner[0] ? ": " : "", field->name);
  map_add_property(reader, field->out, field->name, MAP_OBJECT,
                   is_elsewhere ? 0 : ldtk_hash_id(map_read_text(value, "entityIid")), "");
}

// --- points

// Converts a point, which is a cell of the entity's layer, to the pixel coordinates of the cell's centre. Returns true
// on success, or false if the field belongs to a level, or if the point is invalid.
static bool read_point(const ldtk_field_t *field, const json_t *value, double out[2]) {
  const json_t *column = json_object_get(value, "cx"), *row = json_object_get(value, "cy");
  if (!field->grid || !json_is_number(column) || !json_is_number(row) ||
      fabs(json_number_value(column)) > MAP_MAX_SIDE || fabs(json_number_value(row)) > MAP_MAX_SIDE)
    return false;
  out[0] = (json_number_value(column) + 0.5) * field->grid->side + (double)field->grid->x;
  out[1] = (json_number_value(row) + 0.5) * field->grid->side + (double)field->grid->y;
  return true;
}

static void read_position(const ldtk_field_t *field, const json_t *value) {
  double point[2];
  char text[64];
  if (!read_point(field, value, point)) {
    skip_field(field, field->grid ? "cx and cy must be numbers" : "points of a level have no grid");
    return;
  }
  snprintf(text, sizeof text, "%.9g,%.9g", point[0], point[1]);
  add_text(field, MAP_POSITION, text);
}

static const char *find_display_mode(const ldtk_field_t *field) {
  const json_t *uid = json_object_get(field->json, "defUid");
  size_t i;
  json_t *entity;
  json_array_foreach((json_t *)(uintptr_t)ldtk_definitions(field->project, "entities"), i, entity) {
    const json_t *definition = json_is_integer(uid) ? ldtk_find_by_integer(json_object_get(entity, "fieldDefs"), "uid",
                                                                           json_integer_value(uid))
                                                    : NULL;
    if (definition)
      return map_read_text(definition, "editorDisplayMode");
  }
  return "";
}

// Makes a list of points the entity's shape, a line or polygon around its position. A list that LDtk displays as a path
// begins at the entity.
static void read_points(const ldtk_field_t *field, const json_t *list) {
  map_object_t *object = field->object;
  const char *mode = find_display_mode(field);
  size_t i, count = json_array_size(list);
  json_t *value;
  json_writer_t points;
  if (!object || object->points || count == 0 || count > MAX_POINTS) {
    if (count > 0)
      skip_field(field, !object || count > MAX_POINTS ? "only entities have points, at most 10000"
                                                      : "an entity can have only one list of points");
    return;
  }
  json_writer_init(&points, field->project->reader->allocator);
  if (strncmp(mode, "PointPath", 9) == 0)
    map_write_point(&points, 0, 0);
  json_array_foreach((json_t *)(uintptr_t)list, i, value) {
    double point[2];
    if (read_point(field, value, point))
      map_write_point(&points, point[0] - object->x, point[1] - object->y);
  }
  object->points = json_writer_detach_text(&points);
  object->shape = strcmp(mode, "PointPathLoop") == 0 ? MAP_POLYGON : MAP_POLYLINE;
}

// --- fields

static void read_value(const ldtk_field_t *field, const json_t *value);

// Adds a property with the values of an array. Empty values (null) are left out, except references.
static void read_list(const ldtk_field_t *field, const json_t *list) {
  map_reader_t *reader = field->project->reader;
  map_properties_t elements = {0};
  ldtk_field_t element = *field;
  size_t i;
  json_t *value;
  char type[40];
  snprintf(type, sizeof type, "%.39s", field->type + strlen("Array<"));
  type[strcspn(type, ">")] = '\0';
  element.type = type;
  element.object = NULL;
  element.out = &elements;
  json_array_foreach((json_t *)(uintptr_t)list, i, value) {
    if (json_is_null(value) && strcmp(type, "EntityRef") == 0)
      map_add_property(reader, &elements, field->name, MAP_OBJECT, 0, "");
    else
      read_value(&element, value);
  }
  add_text(field, MAP_LIST, "");
  field->out->items[field->out->count - 1].elements = elements;
}

static void read_array(const ldtk_field_t *field, const json_t *value) {
  if (strcmp(field->type, "Array<Point>") == 0)
    read_points(field, value);
  else if (strcmp(field->type, "Array<Tile>") == 0 || strncmp(field->type, "Array<", 6) != 0)
    skip_field(field, "tiles of fields are not supported");
  else if (json_array_size(value) > MAX_ELEMENTS)
    skip_field(field, "a list has at most 1000 values");
  else if (json_array_size(value) > 0)
    read_list(field, value);
}

static void read_object(const ldtk_field_t *field, const json_t *value) {
  if (json_object_get(value, "entityIid"))
    read_reference(field, value);
  else if (json_object_get(value, "cx"))
    read_position(field, value);
  else
    skip_field(field, "tiles of fields are not supported");
}

static void read_value(const ldtk_field_t *field, const json_t *value) {
  map_reader_t *reader = field->project->reader;
  char text[64];
  if (json_is_number(value)) {
    snprintf(text, sizeof text, "%.17g", json_number_value(value));
    map_add_property(reader, field->out, field->name, MAP_NUMBER, json_number_value(value), text);
  } else if (json_is_boolean(value)) {
    map_add_property(reader, field->out, field->name, MAP_BOOL, json_is_true(value),
                     json_is_true(value) ? "true" : "false");
  } else if (json_is_string(value)) {
    read_text(field, json_string_value(value));
  } else if (json_is_array(value)) {
    read_array(field, value);
  } else if (json_is_object(value)) {
    read_object(field, value);
  }
}

void ldtk_read_fields(ldtk_t *project, const json_t *owner, map_object_t *object, const ldtk_grid_t *grid,
                      map_properties_t *out) {
  size_t i;
  json_t *item;
  const char *name = object ? map_read_text(owner, "__identifier") : "";
  json_array_foreach(json_object_get(owner, "fieldInstances"), i, item) {
    ldtk_field_t field = {.project = project, .owner = name, .json = item, .object = object, .grid = grid, .out = out};
    field.type = map_read_text(item, "__type");
    set_name(&field);
    if (i < MAX_FIELDS)
      read_value(&field, json_object_get(item, "__value"));
    else
      skip_field(&field, "at most 1000 fields");
  }
}
