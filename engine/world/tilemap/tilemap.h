// The tilemap component: a map (tiles/map.h) whose top left corner is at the entity's transform, and the cells that the
// game has edited. Edits are kept in the component's own storage, which is saved, rewound and hashed. Like code, the
// map's file is not part of the world. A map of a million cells therefore costs nothing per tick, and changes to the
// file take effect immediately, except in edited cells (design/0031). Columns and rows count from 0 here, and from 1 in
// scripts. Main thread only.
#ifndef SHOAL_TILEMAP_TILEMAP_H
#define SHOAL_TILEMAP_TILEMAP_H

#include "components/builtin.h"
#include "tiles/maps.h"

// `filled`: true if entities were created for the map's objects, except for the objects listed in `pending`. map_object
// belongs to entities that were created for an object of a map (store/map_objects.h).
// clang-format off
#define TILEMAP_FIELDS(F)                                                                                              \
  SHOAL_TILEMAP_FIELDS(F) F(bool, filled, 0, .flags = SHOAL_HIDDEN)                                                    \
  F(string, pending, "", .flags = SHOAL_HIDDEN)
#define MAP_OBJECT_FIELDS(F)                                                                                           \
  F(entity, map, .doc = "entity of the tilemap") F(u32, id, 0, .doc = "number in the map")                             \
  F(f32, width, 0, .unit = "px") F(f32, height, 0, .unit = "px")
// clang-format on
BUILTIN_COMPONENT(tilemap, TILEMAP_FIELDS)
BUILTIN_COMPONENT(map_object, MAP_OBJECT_FIELDS)

typedef struct tilemaps_o tilemaps_o;
typedef struct tile_edits_t tile_edits_t; // edited cells of one layer

// Registers the storage of cell edits, and returns it. Call once per world, before the world has rows of `tilemap`.
tilemaps_o *tilemaps_create(world_o *w);
void tilemaps_destroy(tilemaps_o *t);
// Sets the cache from which maps are loaded (borrowed). With NULL, the default, all tilemaps are empty.
void tilemaps_set_maps(world_o *w, maps_o *maps);

// Returns a counter that grows when a map is replaced or dropped (tiles/maps.h); 0 if no maps are set.
uint32_t tilemaps_epoch(const world_o *w);

// tilemaps_remember adds a hash to a set that is not part of the state; tilemaps_is_remembered returns true if the set
// contains a hash. The set contains the hashes of lists of pending objects that could not be spawned; it is emptied
// when it becomes large.
void tilemaps_remember(world_o *w, uint64_t hash);
bool tilemaps_is_remembered(const world_o *w, uint64_t hash);

// Returns the row's map, or NULL if the row names no map or the map cannot be loaded. Borrowed for the current tick.
const map_t *tilemap_map(world_o *w, uint32_t row);
// Returns the edits of a layer, or NULL if it has no edits. Borrowed until a cell is set or a tilemap is added or
// removed.
const tile_edits_t *tilemap_edits(world_o *w, shoal_entity e, const char *layer);
// Returns a cell of the layer, or 0 outside the layer. `edits`: the layer's edits, which must not be NULL.
uint32_t tilemap_get_edited_cell(const map_layer_t *layer, const tile_edits_t *edits, int32_t column, int32_t row);

// Returns the current cell, edited or not, or 0 outside the layer.
static inline uint32_t tilemap_cell(const map_layer_t *layer, const tile_edits_t *edits, int32_t column, int32_t row) {
  return edits ? tilemap_get_edited_cell(layer, edits, column, row) : map_cell(layer, column, row);
}

// For scripts: columns and rows are counted from 1, and layers are given by name. Returns the cell, 0 outside the
// layer, or -1 with a message if the entity has no tilemap, its map cannot be read, or the layer is unknown.
double tilemap_get(world_o *w, shoal_entity e, const char *layer, double column, double row, error_info_t *error);
// Sets a cell; with `cell` -1, removes the edit. Returns true on success, or false with a message for the same reasons
// as tilemap_get, if the running system has spawned the entity, if the tile does not exist, or if the cell is outside
// the layer.
bool tilemap_set(world_o *w, shoal_entity e, const char *layer, double column, double row, double cell,
                 error_info_t *error);
// Returns 1 if the cell is solid, otherwise 0. The topmost tile that declares `solid` decides. Returns -1 with a
// message if the entity has no tilemap or its map cannot be read.
int tilemap_is_solid(world_o *w, shoal_entity e, double column, double row, error_info_t *error);
// Replaces each entity id with the result of tilemap_is_solid for its column and row, where UINT32_MAX represents -1.
// The result for id 0 is UINT32_MAX.
void tilemap_test_solid(world_o *w, uint32_t *ids, const double *columns, const double *rows, int64_t count);
// Returns the tile of a map's object as a cell, or 0 if the object has no tile or is not found. Returns -1 with a
// message for the same reasons as tilemap_is_solid.
double tilemap_get_object_cell(world_o *w, shoal_entity e, double id, error_info_t *error);
// Returns the name of the tileset that contains a tile of the map, borrowed for the current tick, and stores the tile's
// number in the tileset, from 0. Returns "" and stores -1 if the tile has no tileset. Returns NULL with a message for
// the same reasons as tilemap_is_solid.
const char *tilemap_find_tileset(world_o *w, shoal_entity e, double tile, double *out, error_info_t *error);
// Stores the number of columns and rows, the first column and row (counted from 1), and the size of a cell in map
// pixels. Returns true on success, or false with a message for the same reasons as tilemap_is_solid.
bool tilemap_size(world_o *w, shoal_entity e, double out[6], error_info_t *error);

#endif
