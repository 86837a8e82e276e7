// Shared by the parts of the LDtk reader: the project and the level that is being read, tilesets, and fields. Details
// that Shoal cannot represent are skipped with a warning. Format: https://ldtk.io/json/ (version 1.5). Private to
// tiles.
#ifndef SHOAL_TILES_LDTK_H
#define SHOAL_TILES_LDTK_H

#include "tiles/map_reader.h"

#define LDTK_MAX_TILESETS 256u

// Range of a tileset's tiles in the map. Tiles that are larger or smaller than a layer's cells need an offset, so a
// tileset is added once for each offset.
typedef struct ldtk_tileset_t {
  json_int_t uid;
  float offset_x, offset_y;
  uint32_t first;
  int32_t count;
} ldtk_tileset_t;

typedef struct ldtk_t {
  map_reader_t *reader;
  const json_t *root;
  const char *level_iid;
  ldtk_tileset_t tilesets[LDTK_MAX_TILESETS]; // tilesets added to the map so far
  uint32_t tileset_count;
} ldtk_t;

// Cells of a layer.
typedef struct ldtk_grid_t {
  int32_t columns, rows, side; // numbers of columns and rows, and side of a cell in pixels
  float x, y, opacity;         // offset of the layer in pixels, and its opacity from 0 to 1
  float parallax[2];
  // Point of a cell at which tiles of a different size are aligned: 0 is the left or top edge, 1 the right or bottom
  // edge.
  double pivot[2];
  bool visible;
} ldtk_grid_t;

// Returns the object in a list whose integer `key` is `number`, or NULL if not found.
json_t *ldtk_find_by_integer(const json_t *list, const char *key, json_int_t number);
// Returns a list of the project's definitions: "layers", "entities", "tilesets".
const json_t *ldtk_definitions(const ldtk_t *p, const char *name);
// Returns the definition of a layer, or NULL if it is missing.
const json_t *ldtk_layer_definition(const ldtk_t *p, const json_t *layer);

bool ldtk_is_collision_name(const char *name); // returns true for "solid" and "one_way"
// Finds the tileset of a layer, and adds its tiles to the map on first use. If the layer has no usable tileset, adds a
// warning and stores a tileset without tiles. Returns true in both cases, or false with an error if the file is
// damaged.
bool ldtk_find_tileset(ldtk_t *p, const json_t *layer, const ldtk_grid_t *grid, ldtk_tileset_t *out);
// Returns true if a tile of the layer's tileset can be solid, one-way or a slope.
bool ldtk_has_solid_tileset(const ldtk_t *p, const json_t *layer);

// Reads a list of field instances as properties. `object` is the entity that has the fields, or NULL for a level's
// fields. A list of points becomes the shape of the object. `grid` is the grid of the entity's layer.
void ldtk_read_fields(ldtk_t *p, const json_t *owner, map_object_t *object, const ldtk_grid_t *grid,
                      map_properties_t *out);
uint32_t ldtk_hash_id(const char *iid); // returns an object id: a 31-bit hash of LDtk's string id

#endif
