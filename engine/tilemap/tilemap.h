// The tilemap component: a map (tiles/map.h) at an entity's transform, which is its top left corner, and the cells that
// the game has set in it. Those are storage of the component's own, saved, rewound and hashed; what the map's file says
// is not, as code is not. So a map of a million cells costs a tick nothing, and one that is edited shows at once, but
// for the cells that the game has set (design/0031).
//
// Columns and rows count from 0 here; scripts count from 1. Main thread.
#ifndef SHOAL_TILEMAP_TILEMAP_H
#define SHOAL_TILEMAP_TILEMAP_H

#include "components/builtin.h"
#include "tiles/maps.h"

// filled: its objects have become entities. map_object: on entities made of an object of a map (store/map_objects.h).
// clang-format off
#define TILEMAP_FIELDS(F)                                                                                              \
  SHOAL_TILEMAP_FIELDS(F) F(bool, filled, 0, .flags = SHOAL_HIDDEN)
#define MAP_OBJECT_FIELDS(F)                                                                                           \
  F(entity, map, .doc = "entity of the tilemap") F(u32, id, 0, .doc = "number in the map")                             \
  F(f32, width, 0, .unit = "px") F(f32, height, 0, .unit = "px")
// clang-format on
BUILTIN_COMPONENT(tilemap, TILEMAP_FIELDS)
BUILTIN_COMPONENT(map_object, MAP_OBJECT_FIELDS)

typedef struct tilemaps_o tilemaps_o;
typedef struct tile_edits_t tile_edits_t; // the cells of one layer that the game has set

// What the tilemaps of a world have been given by its game. One per world, before rows are there.
tilemaps_o *tilemaps_create(world_o *w);
void tilemaps_destroy(tilemaps_o *t);
void tilemap_use(world_o *w, maps_o *maps); // where maps come from; NULL, the default: there are none. Borrowed

// NULL when the row's map cannot be had. Borrowed for this tick.
const map_t *tilemap_map(world_o *w, uint32_t row);
// NULL when the game has set none. Borrowed until the next cell is set, and while the world's tilemaps are the same.
const tile_edits_t *tilemap_edits(world_o *w, shoal_entity e, const char *layer);
uint32_t tilemap_cell_edited(const map_layer_t *l, const tile_edits_t *edits, int32_t column, int32_t row);

// As it is now: 0 outside of the layer.
static inline uint32_t tilemap_cell(const map_layer_t *l, const tile_edits_t *edits, int32_t column, int32_t row) {
  return edits ? tilemap_cell_edited(l, edits, column, row) : map_cell(l, column, row);
}

// For scripts: columns and rows from 1, and a name of a layer. The cell; -1 with a message when there is no such map or
// layer.
double tilemap_get(world_o *w, shoal_entity e, const char *layer, double column, double row, error_t *error);
// `cell` -1: as the map says from here on. False with a message, also for a tile that no tileset has, and outside of
// the layer.
bool tilemap_set(world_o *w, shoal_entity e, const char *layer, double column, double row, double cell, error_t *error);
// Is it solid there? The uppermost tile that says so or not decides. 1 or 0; -1 with a message when there is no map.
int tilemap_solid(world_o *w, shoal_entity e, double column, double row, error_t *error);
// Columns, rows, the first column and row (from 1), the size of a cell; false with a message.
bool tilemap_size(world_o *w, shoal_entity e, double out[6], error_t *error);

#endif
