// Finds layers in the text of a map, and edits objects.
#include "tiles/map_edit.h"

#include "tiles/map_reader.h"

#include "base/assert.h"

#include <string.h>

void map_edit_init(map_edit_t *x, allocator_t *memory, const char *file, const char *text, size_t bytes) {
  *x = (map_edit_t){.file = file};
  json_edit_init(&x->json, memory, text, bytes);
}

void map_edit_fini(map_edit_t *x) {
  json_edit_fini(&x->json);
}

// --- layers

// Finds a layer by its index, counted depth-first without groups. `*left`: number of layers to skip.
static json_span_t find_layer(const map_edit_t *x, json_span_t list, uint32_t *left, uint32_t depth) {
  json_item_t layer;
  for (uint32_t at = 0; depth <= MAP_MAX_DEPTH && json_edit_next(&x->json, list, &at, &layer);) {
    if (json_edit_equals(&x->json, json_edit_find(&x->json, layer.value, "type"), "group")) {
      json_span_t found = find_layer(x, json_edit_find(&x->json, layer.value, "layers"), left, depth + 1);
      if (found.end > 0)
        return found;
    } else if ((*left)-- == 0) {
      return layer.value;
    }
  }
  return (json_span_t){0};
}

json_span_t map_edit_find_layer(const map_edit_t *x, const map_edit_layer_t *layer, const char *type,
                                error_info_t *error) {
  uint32_t left = layer->index;
  json_span_t list = json_edit_find(&x->json, json_edit_root(&x->json), "layers");
  json_span_t found = find_layer(x, list, &left, 0), none = {0};
  json_span_t name = json_edit_find(&x->json, found, "name");
  if (found.end == 0) {
    error_set(error, "%s has no layer %u", x->file, layer->index + 1);
    return none;
  }
  // check the name, too: the index changes if another program inserts a layer
  if (layer->name && !json_edit_equals(&x->json, name, layer->name) && (layer->name[0] || name.end > 0)) {
    error_set(error, "layer %u of %s is not named \"%.60s\" any more: choose the layer again", layer->index + 1,
              x->file, layer->name);
    return none;
  }
  if (!json_edit_equals(&x->json, json_edit_find(&x->json, found, "type"), type)) {
    error_set(error, "layer %u of %s is not %s layer", layer->index + 1, x->file,
              type[0] == 't' ? "a tile" : "an object");
    return none;
  }
  return found;
}

// Returns false with an error if the member exists and is not a list.
static bool check_list(const map_edit_t *x, json_span_t member, const char *key, error_info_t *error) {
  return member.end == 0 || json_edit_is_list(&x->json, member) ||
         error_set(error, "%s: \"%s\" must be a list: save the map in Tiled", x->file, key);
}

// --- objects

typedef struct object_place_t {
  json_span_t list, object;
  uint32_t index; // in the list
} object_place_t;

static uint32_t get_object_id(const map_edit_t *x, json_span_t object) {
  double id = json_edit_number(&x->json, json_edit_find(&x->json, object, "id"), 0);
  return id > 0 && id <= INT32_MAX ? (uint32_t)id : 0;
}

// Calls itself for groups. Returns the number of objects with this id, and stores the place of the first one. Updates
// `*max_id` with the highest id.
static uint32_t find_object(const map_edit_t *x, json_span_t layers, uint32_t id, object_place_t *out, uint32_t *max_id,
                            uint32_t depth) {
  json_item_t layer, object;
  uint32_t found = 0;
  for (uint32_t at = 0; depth <= MAP_MAX_DEPTH && json_edit_next(&x->json, layers, &at, &layer);) {
    json_span_t list = json_edit_find(&x->json, layer.value, "objects");
    uint32_t index = 0;
    found += find_object(x, json_edit_find(&x->json, layer.value, "layers"), id, out, max_id, depth + 1);
    for (uint32_t i = 0; json_edit_next(&x->json, list, &i, &object); ++index) {
      uint32_t other = get_object_id(x, object.value);
      *max_id = other > *max_id ? other : *max_id;
      if (other == id && id > 0 && found++ == 0)
        *out = (object_place_t){list, object.value, index};
    }
  }
  return found;
}

static bool locate_object(const map_edit_t *x, uint32_t id, object_place_t *out, error_info_t *error) {
  uint32_t max_id = 0;
  json_span_t layers = json_edit_find(&x->json, json_edit_root(&x->json), "layers");
  uint32_t found = find_object(x, layers, id, out, &max_id, 0);
  if (found > 1)
    return error_set(error, "%u objects of %s have the id %u: save the map in Tiled, which renumbers them", found,
                     x->file, id);
  return found == 1 || error_set(error, "%s has no object %u", x->file, id);
}

// Returns an id for a new object, above all ids that the map has used.
static uint32_t choose_object_id(map_edit_t *x) {
  object_place_t unused;
  uint32_t max_id = 0;
  json_span_t root = json_edit_root(&x->json), next = json_edit_find(&x->json, root, "nextobjectid");
  find_object(x, json_edit_find(&x->json, root, "layers"), 0, &unused, &max_id, 0);
  double known = json_edit_number(&x->json, next, 0);
  uint32_t id = known > max_id && known < INT32_MAX ? (uint32_t)known : max_id + 1;
  if (next.end > 0) {
    json_t *value = json_integer((json_int_t)id + 1);
    json_edit_set(&x->json, root, "nextobjectid", value);
    json_decref(value);
  }
  return id;
}

bool map_edit_add_object(map_edit_t *x, const map_edit_layer_t *layer, const json_t *object, uint32_t *id,
                         error_info_t *error) {
  json_span_t found = map_edit_find_layer(x, layer, "objectgroup", error);
  if (found.end == 0 || !check_list(x, json_edit_find(&x->json, found, "objects"), "objects", error))
    return false;
  *id = choose_object_id(x);
  json_t *whole = json_object(), *list = json_array();
  json_object_set_new(whole, "id", json_integer(*id));
  json_object_update_missing(whole, (json_t *)(uintptr_t)object);
  found = map_edit_find_layer(x, layer, "objectgroup", error); // choose_object_id moves the layer
  json_span_t objects = json_edit_find(&x->json, found, "objects");
  if (objects.end == 0) {
    json_edit_set(&x->json, found, "objects", list);
    objects = json_edit_find(&x->json, map_edit_find_layer(x, layer, "objectgroup", error), "objects");
  }
  json_edit_append(&x->json, objects, whole);
  json_decref(whole);
  json_decref(list);
  return true;
}

bool map_edit_remove_object(map_edit_t *x, uint32_t id, error_info_t *error) {
  object_place_t place;
  if (!locate_object(x, id, &place, error))
    return false;
  json_edit_remove(&x->json, place.list, place.index);
  return true;
}

// Finds an object again after an edit.
static json_span_t find_object_span(const map_edit_t *x, uint32_t id) {
  object_place_t place = {0};
  bool found = locate_object(x, id, &place, NULL);
  (void)found;
  shoal_assert(found, "an edit of object %u removed it", id);
  return place.object;
}

// Returns the index of a property in the object's list; UINT32_MAX if it is missing.
static uint32_t find_property(const map_edit_t *x, json_span_t list, const char *name, json_span_t *out) {
  json_item_t item;
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(&x->json, list, &at, &item); ++i)
    if (json_edit_equals(&x->json, json_edit_find(&x->json, item.value, "name"), name)) {
      *out = item.value;
      return i;
    }
  return UINT32_MAX;
}

static void remove_property(map_edit_t *x, uint32_t id, const char *name) {
  json_span_t object = find_object_span(x, id), list = json_edit_find(&x->json, object, "properties"), found;
  uint32_t index = find_property(x, list, name, &found);
  if (index == UINT32_MAX)
    return;
  if (json_edit_count(&x->json, list) == 1)
    json_edit_remove_key(&x->json, object, "properties");
  else
    json_edit_remove(&x->json, list, index);
}

static void add_property(map_edit_t *x, uint32_t id, const char *name, const json_t *type, const json_t *value) {
  json_span_t object = find_object_span(x, id), list = json_edit_find(&x->json, object, "properties");
  json_t *item = json_object(), *whole = json_array();
  json_object_set_new(item, "name", json_string(name));
  json_object_set(item, "type", (json_t *)(uintptr_t)type);
  json_object_set(item, "value", (json_t *)(uintptr_t)value);
  json_array_append(whole, item);
  if (list.end > 0)
    json_edit_append(&x->json, list, item);
  else
    json_edit_set(&x->json, object, "properties", whole);
  json_decref(item);
  json_decref(whole);
}

static void set_property(map_edit_t *x, uint32_t id, const char *name, const json_t *entry) {
  const json_t *type = json_object_get(entry, "type"), *value = json_object_get(entry, "value");
  json_span_t found, list = json_edit_find(&x->json, find_object_span(x, id), "properties");
  if (json_is_null(entry)) {
    remove_property(x, id, name);
  } else if (find_property(x, list, name, &found) == UINT32_MAX) {
    json_t *text = json_string("string");
    add_property(x, id, name, type ? type : text, value);
    json_decref(text);
  } else {
    if (type)
      json_edit_set(&x->json, found, "type", type);
    find_property(x, json_edit_find(&x->json, find_object_span(x, id), "properties"), name, &found);
    json_edit_set(&x->json, found, "value", value);
  }
}

static bool check_properties(const map_edit_t *x, uint32_t id, const json_t *properties, error_info_t *error) {
  const char *name;
  json_t *entry;
  if (!json_is_object(properties))
    return error_set(error, "object %u of %s: “properties” must be an object", id, x->file);
  json_object_foreach((json_t *)(uintptr_t)properties, name, entry) {
    const json_t *value = json_object_get(entry, "value"), *type = json_object_get(entry, "type");
    if (!name[0])
      return error_set(error, "object %u of %s: a property must have a name", id, x->file);
    if (type && !json_is_string(type))
      return error_set(error, "object %u of %s: the type of property %.60s must be a string", id, x->file, name);
    if (!json_is_null(entry) && (!value || json_is_null(value) || json_is_array(value)))
      return error_set(error, "object %u of %s: property %.60s must have a value other than null or a list", id,
                       x->file, name);
  }
  return true;
}

bool map_edit_set_object(map_edit_t *x, uint32_t id, const json_t *members, error_info_t *error) {
  object_place_t place;
  const char *key, *name;
  json_t *value, *entry;
  const json_t *properties = json_object_get(members, "properties");
  if (!locate_object(x, id, &place, error) || (properties && !check_properties(x, id, properties, error)) ||
      !check_list(x, json_edit_find(&x->json, place.object, "properties"), "properties", error))
    return false;
  json_object_foreach((json_t *)(uintptr_t)members, key, value) {
    if (strcmp(key, "properties") == 0)
      continue;
    if (json_is_null(value))
      json_edit_remove_key(&x->json, find_object_span(x, id), key);
    else
      json_edit_set(&x->json, find_object_span(x, id), key, value);
  }
  json_object_foreach((json_t *)(uintptr_t)properties, name, entry) set_property(x, id, name, entry);
  return true;
}
