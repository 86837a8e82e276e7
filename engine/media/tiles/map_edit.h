// Edits a Tiled map (.tmj) as text: cells, objects and their properties. Keeps all remaining text byte for byte:
// unknown keys, the encoding of cells (lists of numbers, base64 with or without compression, chunks of infinite maps)
// and the layout. New objects and chunks follow the layout of their siblings.
//
//   map_edit_t edit;
//   map_edit_init(&edit, memory, "cellar.tmj", text, bytes);     // a text that map_read accepts
//   map_edit_paint(&edit, &layer, cells, count, error);
//   … edit.json.text, edit.json.bytes: the new text …
//   map_edit_fini(&edit);
//
// An edit that fails changes nothing. Edits do not check tile numbers: read the new text with map_read.
#ifndef SHOAL_TILES_MAP_EDIT_H
#define SHOAL_TILES_MAP_EDIT_H

#include "base/error.h"
#include "base/json_edit.h"

typedef struct map_edit_t {
  json_edit_t json;
  const char *file; // asset name, for messages; borrowed
} map_edit_t;

// A layer, identified by its index among the layers that are not groups (as in map_t). If `name` is set, the layer must
// also have this name.
typedef struct map_edit_layer_t {
  uint32_t index;
  const char *name; // expected name; NULL: not checked
} map_edit_layer_t;

typedef struct map_paint_t {
  int32_t column, row;
  uint32_t cell; // tile number and flips; 0: erases the tile
} map_paint_t;

void map_edit_init(map_edit_t *edit, allocator_t *memory, const char *file, const char *text, size_t bytes);
void map_edit_fini(map_edit_t *edit);

// Sets cells of a tile layer. If `cells` contains a cell more than once, its last entry is used. An infinite map gets
// new chunks for cells outside its chunks. Returns true on success, or false with an error, for example if a cell is
// outside the layer of a finite map, or if the layer is not a tile layer.
bool map_edit_paint(map_edit_t *edit, const map_edit_layer_t *layer, const map_paint_t *cells, uint32_t count,
                    error_info_t *error);

// Adds an object to an object layer. `object`: its members as in the file, without `id`. Stores the new id. Returns
// true on success, or false with an error.
bool map_edit_add_object(map_edit_t *edit, const map_edit_layer_t *layer, const json_t *object, uint32_t *id,
                         error_info_t *error);
// Sets members of an object; null removes a member. `properties` is an object of new values by name: { "type", "value"
// } or, to remove the property, null. A property without "type" keeps its type. Returns true on success, or false with
// an error.
bool map_edit_set_object(map_edit_t *edit, uint32_t id, const json_t *members, error_info_t *error);
bool map_edit_remove_object(map_edit_t *edit, uint32_t id, error_info_t *error);

// Finds a layer in the text. `type`: "tilelayer" or "objectgroup". Returns a span whose `end` is 0, with an error, if
// the layer is missing or has a different name or type.
json_span_t map_edit_find_layer(const map_edit_t *edit, const map_edit_layer_t *layer, const char *type,
                                error_info_t *error);

#endif
