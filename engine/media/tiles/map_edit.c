// Finds layers in the text of a map, and edits objects.
#include "tiles/map_edit.h"

#include "tiles/map_reader.h"

#include "base/assert.h"

#include <string.h>

void map_edit_init(map_edit_t *edit, allocator_t *memory, const char *file, const char *text, size_t bytes) {
  *edit = (map_edit_t){.file = file};
  json_edit_init(&edit->json, memory, text, bytes);
}

void map_edit_fini(map_edit_t *edit) {
  json_edit_fini(&edit->json);
}

// --- layers

// Finds a layer by its index, counted depth-first without groups. `*skip_count`: number of layers to skip.
static json_span_t find_layer(const map_edit_t *edit, json_span_t list, uint32_t *skip_count, uint32_t depth) {
  json_item_t layer;
  for (uint32_t at = 0; depth <= MAP_MAX_DEPTH && json_edit_next(&edit->json, list, &at, &layer);) {
    if (json_edit_equals(&edit->json, json_edit_find(&edit->json, layer.value, "type"), "group")) {
      json_span_t span = find_layer(edit, json_edit_find(&edit->json, layer.value, "layers"), skip_count, depth + 1);
      if (span.end > 0)
        return span;
    } else if ((*skip_count)-- == 0) {
      return layer.value;
    }
  }
  return (json_span_t){0};
}

json_span_t map_edit_find_layer(const map_edit_t *edit, const map_edit_layer_t *layer, const char *type,
                                error_info_t *error) {
  uint32_t skip_count = layer->index;
  json_span_t list = json_edit_find(&edit->json, json_edit_root(&edit->json), "layers");
  json_span_t span = find_layer(edit, list, &skip_count, 0), missing = {0};
  json_span_t name = json_edit_find(&edit->json, span, "name");
  if (span.end == 0) {
    error_set(error, "%s has no layer %u", edit->file, layer->index + 1);
    return missing;
  }
  // Checks the name as well, because the index changes if a different program inserts a layer
  if (layer->name && !json_edit_equals(&edit->json, name, layer->name) && (layer->name[0] || name.end > 0)) {
    error_set(error, "layer %u of %s is not named \"%.60s\" any more: choose the layer again", layer->index + 1,
              edit->file, layer->name);
    return missing;
  }
  if (!json_edit_equals(&edit->json, json_edit_find(&edit->json, span, "type"), type)) {
    error_set(error, "layer %u of %s is not %s layer", layer->index + 1, edit->file,
              type[0] == 't' ? "a tile" : "an object");
    return missing;
  }
  return span;
}

// Returns true if the member is missing or is a list, otherwise false with an error.
static bool check_list(const map_edit_t *edit, json_span_t member, const char *key, error_info_t *error) {
  return member.end == 0 || json_edit_is_list(&edit->json, member) ||
         error_set(error, "%s: \"%s\" must be a list: save the map in Tiled", edit->file, key);
}

// --- objects

typedef struct object_location_t {
  json_span_t list, object;
  uint32_t index; // index of the object in its list
} object_location_t;

static uint32_t get_object_id(const map_edit_t *edit, json_span_t object) {
  double id = json_edit_number(&edit->json, json_edit_find(&edit->json, object, "id"), 0);
  return id > 0 && id <= INT32_MAX ? (uint32_t)id : 0;
}

// Returns the number of objects with this id in the layers and groups of a list, and stores the location of the first
// of these objects. Updates `*max_id` with the highest id.
static uint32_t find_object(const map_edit_t *edit, json_span_t layers, uint32_t id, object_location_t *out,
                            uint32_t *max_id, uint32_t depth) {
  json_item_t layer, object;
  uint32_t match_count = 0;
  for (uint32_t at = 0; depth <= MAP_MAX_DEPTH && json_edit_next(&edit->json, layers, &at, &layer);) {
    json_span_t list = json_edit_find(&edit->json, layer.value, "objects");
    uint32_t index = 0;
    match_count += find_object(edit, json_edit_find(&edit->json, layer.value, "layers"), id, out, max_id, depth + 1);
    for (uint32_t i = 0; json_edit_next(&edit->json, list, &i, &object); ++index) {
      uint32_t object_id = get_object_id(edit, object.value);
      *max_id = object_id > *max_id ? object_id : *max_id;
      if (object_id == id && id > 0 && match_count++ == 0)
        *out = (object_location_t){list, object.value, index};
    }
  }
  return match_count;
}

static bool locate_object(const map_edit_t *edit, uint32_t id, object_location_t *out, error_info_t *error) {
  uint32_t max_id = 0;
  json_span_t layers = json_edit_find(&edit->json, json_edit_root(&edit->json), "layers");
  uint32_t match_count = find_object(edit, layers, id, out, &max_id, 0);
  if (match_count > 1)
    return error_set(error, "%u objects of %s have the id %u: save the map in Tiled, which renumbers them", match_count,
                     edit->file, id);
  return match_count == 1 || error_set(error, "%s has no object %u", edit->file, id);
}

// Returns an id for a new object, above all ids that the map has used, and updates the map's next id.
static uint32_t choose_object_id(map_edit_t *edit) {
  object_location_t unused;
  uint32_t max_id = 0;
  json_span_t root = json_edit_root(&edit->json), next_id = json_edit_find(&edit->json, root, "nextobjectid");
  find_object(edit, json_edit_find(&edit->json, root, "layers"), 0, &unused, &max_id, 0);
  double stored_id = json_edit_number(&edit->json, next_id, 0);
  uint32_t id = stored_id > max_id && stored_id < INT32_MAX ? (uint32_t)stored_id : max_id + 1;
  if (next_id.end > 0) {
    json_t *value = json_integer((json_int_t)id + 1);
    json_edit_set(&edit->json, root, "nextobjectid", value);
    json_decref(value);
  }
  return id;
}

bool map_edit_add_object(map_edit_t *edit, const map_edit_layer_t *layer, const json_t *object, uint32_t *id,
                         error_info_t *error) {
  json_span_t layer_span = map_edit_find_layer(edit, layer, "objectgroup", error);
  if (layer_span.end == 0 || !check_list(edit, json_edit_find(&edit->json, layer_span, "objects"), "objects", error))
    return false;
  *id = choose_object_id(edit);
  json_t *full_object = json_object(), *list = json_array();
  json_object_set_new(full_object, "id", json_integer(*id));
  json_object_update_missing(full_object, (json_t *)(uintptr_t)object);
  layer_span = map_edit_find_layer(edit, layer, "objectgroup", error); // choose_object_id moves the layer
  json_span_t objects = json_edit_find(&edit->json, layer_span, "objects");
  if (objects.end == 0) {
    json_edit_set(&edit->json, layer_span, "objects", list);
    objects = json_edit_find(&edit->json, map_edit_find_layer(edit, layer, "objectgroup", error), "objects");
  }
  json_edit_append(&edit->json, objects, full_object);
  json_decref(full_object);
  json_decref(list);
  return true;
}

bool map_edit_remove_object(map_edit_t *edit, uint32_t id, error_info_t *error) {
  object_location_t location;
  if (!locate_object(edit, id, &location, error))
    return false;
  json_edit_remove(&edit->json, location.list, location.index);
  return true;
}

// Returns the position of an object after an edit, which may have moved the object.
static json_span_t find_object_span(const map_edit_t *edit, uint32_t id) {
  object_location_t location = {0};
  bool found = locate_object(edit, id, &location, NULL);
  (void)found;
  shoal_assert(found, "an edit of object %u removed it", id);
  return location.object;
}

// Returns the index of a property in the object's list and stores its span, or returns UINT32_MAX if it is missing.
static uint32_t find_property(const map_edit_t *edit, json_span_t list, const char *name, json_span_t *out) {
  json_item_t item;
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(&edit->json, list, &at, &item); ++i)
    if (json_edit_equals(&edit->json, json_edit_find(&edit->json, item.value, "name"), name)) {
      *out = item.value;
      return i;
    }
  return UINT32_MAX;
}

static void remove_property(map_edit_t *edit, uint32_t id, const char *name) {
  json_span_t object = find_object_span(edit, id), list = json_edit_find(&edit->json, object, "properties"), property;
  uint32_t index = find_property(edit, list, name, &property);
  if (index == UINT32_MAX)
    return;
  if (json_edit_count(&edit->json, list) == 1)
    json_edit_remove_key(&edit->json, object, "properties");
  else
    json_edit_remove(&edit->json, list, index);
}

static void add_property(map_edit_t *edit, uint32_t id, const char *name, const json_t *type, const json_t *value) {
  json_span_t object = find_object_span(edit, id), list = json_edit_find(&edit->json, object, "properties");
  json_t *item = json_object(), *new_list = json_array();
  json_object_set_new(item, "name", json_string(name));
  json_object_set(item, "type", (json_t *)(uintptr_t)type);
  json_object_set(item, "value", (json_t *)(uintptr_t)value);
  json_array_append(new_list, item);
  if (list.end > 0)
    json_edit_append(&edit->json, list, item);
  else
    json_edit_set(&edit->json, object, "properties", new_list);
  json_decref(item);
  json_decref(new_list);
}

static void set_property(map_edit_t *edit, uint32_t id, const char *name, const json_t *entry) {
  const json_t *type = json_object_get(entry, "type"), *value = json_object_get(entry, "value");
  json_span_t property, list = json_edit_find(&edit->json, find_object_span(edit, id), "properties");
  if (json_is_null(entry)) {
    remove_property(edit, id, name);
  } else if (find_property(edit, list, name, &property) == UINT32_MAX) {
    json_t *default_type = json_string("string");
    add_property(edit, id, name, type ? type : default_type, value);
    json_decref(default_type);
  } else {
    if (type)
      json_edit_set(&edit->json, property, "type", type);
    find_property(edit, json_edit_find(&edit->json, find_object_span(edit, id), "properties"), name, &property);
    json_edit_set(&edit->json, property, "value", value);
  }
}

static bool check_properties(const map_edit_t *edit, uint32_t id, const json_t *properties, error_info_t *error) {
  const char *name;
  json_t *entry;
  if (!json_is_object(properties))
    return error_set(error, "object %u of %s: “properties” must be an object", id, edit->file);
  json_object_foreach((json_t *)(uintptr_t)properties, name, entry) {
    const json_t *value = json_object_get(entry, "value"), *type = json_object_get(entry, "type");
    if (!name[0])
      return error_set(error, "object %u of %s: a property must have a name", id, edit->file);
    if (type && !json_is_string(type))
      return error_set(error, "object %u of %s: the type of property %.60s must be a string", id, edit->file, name);
    if (!json_is_null(entry) && (!value || json_is_null(value) || json_is_array(value)))
      return error_set(error, "object %u of %s: property %.60s must have a value other than null or a list", id,
                       edit->file, name);
  }
  return true;
}

bool map_edit_set_object(map_edit_t *edit, uint32_t id, const json_t *members, error_info_t *error) {
  object_location_t location;
  const char *key, *name;
  json_t *value, *entry;
  const json_t *properties = json_object_get(members, "properties");
  if (!locate_object(edit, id, &location, error) || (properties && !check_properties(edit, id, properties, error)) ||
      !check_list(edit, json_edit_find(&edit->json, location.object, "properties"), "properties", error))
    return false;
  json_object_foreach((json_t *)(uintptr_t)members, key, value) {
    if (strcmp(key, "properties") == 0)
      continue;
    if (json_is_null(value))
      json_edit_remove_key(&edit->json, find_object_span(edit, id), key);
    else
      json_edit_set(&edit->json, find_object_span(edit, id), key, value);
  }
  json_object_foreach((json_t *)(uintptr_t)properties, name, entry) set_property(edit, id, name, entry);
  return true;
}
