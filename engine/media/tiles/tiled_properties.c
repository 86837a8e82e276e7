// Reads custom properties of Tiled's maps.
// Format: https://doc.mapeditor.org/en/stable/reference/json-map-format/#property
#include "tiles/tiled_internal.h"

#include <stdio.h>
#include <string.h>

#define MAX_PROPERTIES 1000u // maximum number of properties per object
#define MAX_PROPERTY_DEPTH 8u

static void add_value(map_reader_t *r, map_properties_t *properties, const char *name, const char *type,
                      const json_t *value, uint32_t depth);

// Adds the members of a class-typed property as name.member.
static void add_members(map_reader_t *reader, map_properties_t *properties, const char *name, const json_t *value,
                        uint32_t depth) {
  const char *key;
  json_t *member;
  if (depth > MAX_PROPERTY_DEPTH) {
    map_warn(reader, "skipped property %.60s: it is nested too deeply (at most %u levels)", name, MAX_PROPERTY_DEPTH);
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    char full_name[200];
    snprintf(full_name, sizeof full_name, "%.120s.%.60s", name, key);
    add_value(reader, properties, full_name, "", member, depth + 1);
  }
}

// Returns true for "#aarrggbb". JSON files do not contain the types of class members, but colours always have this
// form.
static bool is_member_colour(const char *text) {
  return text[0] == '#' && strlen(text) == 9 && strspn(text + 1, "0123456789abcdefABCDEF") == 8;
}

static void add_text(map_reader_t *reader, map_properties_t *properties, const char *name, const char *type,
                     const char *text) {
  char path[512];
  bool is_file = strcmp(type, "file") == 0 && text[0];
  bool is_colour = strcmp(type, "color") == 0 || (!type[0] && is_member_colour(text));
  if (is_colour && !text[0]) // the colour is not set in the editor
    return;
  if (is_file && !map_resolve_path(reader, text, path, sizeof path)) {
    map_skip(reader, name);
    return;
  }
  map_add_property(reader, properties, name, is_colour ? MAP_COLOUR : MAP_TEXT, 0, is_file ? path : text);
}

static void add_value(map_reader_t *reader, map_properties_t *properties, const char *name, const char *type,
                      const json_t *value, uint32_t depth) {
  char text[64];
  double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
  if (json_is_object(value)) {
    add_members(reader, properties, name, value, depth);
  } else if (json_is_array(value)) {
    map_warn(reader, "skipped property %.60s: lists are not supported", name);
  } else if (properties->count == MAX_PROPERTIES) {
    map_warn(reader, "skipped property %.60s: too many properties (at most %u)", name, MAX_PROPERTIES);
  } else if (json_is_number(value)) {
    snprintf(text, sizeof text, "%.17g", number);
    map_add_property(reader, properties, name, strcmp(type, "object") == 0 ? MAP_OBJECT : MAP_NUMBER, number, text);
  } else if (json_is_boolean(value)) {
    map_add_property(reader, properties, name, MAP_BOOL, number, number != 0 ? "true" : "false");
  } else if (json_is_string(value)) {
    add_text(reader, properties, name, type, json_string_value(value));
  }
}

void tiled_read_properties(map_reader_t *reader, const json_t *owner, map_properties_t *properties) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(owner, "properties"), i, item) {
    const char *name = map_read_text(item, "name"), *type = map_read_text(item, "type");
    if (name[0])
      add_value(reader, properties, name, type[0] ? type : "string", json_object_get(item, "value"), 0);
  }
}
