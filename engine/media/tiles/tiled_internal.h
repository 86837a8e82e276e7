// Shared by the parts of the Tiled reader: tiled.c (map, layers, cells), tiled_properties.c, tiled_tilesets.c and
// tiled_objects.c. All of them read Tiled's JSON, to which tiled_xml.c converts XML files. Private to tiles.
#ifndef SHOAL_TILES_TILED_INTERNAL_H
#define SHOAL_TILES_TILED_INTERNAL_H

#include "tiles/map_reader.h"

#define TILED_FLIP_HEXAGONAL 0x10000000u // flip flag that only hexagonal maps use; ignored

// Attributes that a layer inherits from its enclosing groups.
typedef struct tiled_group_t {
  double x, y;
  double parallax[2];
  float colour[4];
  bool visible;
  uint32_t depth;
} tiled_group_t;

// Reads the custom properties of a map, layer, tileset, tile or object. Skips unsupported properties with a warning.
void tiled_read_properties(map_reader_t *r, const json_t *owner, map_properties_t *properties);

// Reads a tileset that is embedded or has a file. `entry`: the element of the map's list, or of a template. Returns
// true on success. If the tileset's file cannot be read, adds a warning and returns true. Returns false with an error
// if the tileset is invalid.
bool tiled_read_tileset(map_reader_t *r, const json_t *entry, int32_t first, int32_t max_count);
// Returns the tileset that contains a tile number, or NULL if no tileset contains it.
const tileset_file_t *tiled_find_tileset(const map_reader_t *r, uint32_t tile);
// Returns the tileset of a file. If the map has no tileset from this file, adds it after the tiles of the map. Returns
// NULL with an error on failure, or with a warning if the file cannot be read. `is_missing` of the reader is then set.
const tileset_file_t *tiled_find_or_add_tileset(map_reader_t *r, const json_t *entry);
void tiled_free_tilesets(map_reader_t *r);

bool tiled_read_objects(map_reader_t *r, const json_t *layer, const tiled_group_t *group, uint32_t layer_index);
// Gives new ids, in file order, to objects without an id and to objects whose id an earlier object has, with a warning.
void tiled_number_objects(map_reader_t *r, const json_t *root);

#endif
