// A level as it was drawn in an editor, read into one form: layers of cells over tiles with pictures and shapes, and
// objects with properties. Read from Tiled's JSON (.tmj, with tilesets in it or beside it, .tsj) and LDtk's (.ldtk, one
// level of it). Nothing of it changes once it is read. Knows no world.
//
// A tile is a number from 1, the same for all tilesets of the map (Tiled's "global id"); 0 is none. A cell is a tile
// and how it is turned. Cells count from 0 here, from left to right and from top to bottom; a layer may begin left of 0
// or above it. Pixels are those of the map: y down, the top left corner of cell 0, 0 is 0, 0.
#ifndef SHOAL_TILES_MAP_H
#define SHOAL_TILES_MAP_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_MAX_BYTES ((size_t)32 << 20) // of a file
#define MAP_MAX_CELLS (16u << 20)        // of all layers together
#define MAP_MAX_TILES (256u << 10)       // of all tilesets together
#define MAP_MAX_LAYERS 256u
#define MAP_MAX_OBJECTS 100000u
#define MAP_MAX_SIDE 1000000 // cells, and pixels of one, lie within this
#define MAP_NAME_MAX 64      // bytes of a layer's name

// How a cell's tile is turned: first over the diagonal, then from left to right, then upside down.
#define MAP_FLIP_X 0x80000000u
#define MAP_FLIP_Y 0x40000000u
#define MAP_FLIP_DIAGONAL 0x20000000u
#define MAP_FLIPS (MAP_FLIP_X | MAP_FLIP_Y | MAP_FLIP_DIAGONAL)
#define MAP_TILE(cell) ((cell) & ~0xF0000000u)

// A custom property. `text` of a number is the number as a text.
typedef enum map_value_t { MAP_NONE, MAP_TEXT, MAP_NUMBER, MAP_BOOL, MAP_COLOUR, MAP_OBJECT } map_value_t;
typedef struct map_property_t {
  char *name, *text;
  double number; // NUMBER; BOOL: 0 or 1; OBJECT: its id, 0 for none
  map_value_t type;
} map_property_t;

typedef struct map_properties_t {
  map_property_t *items;
  uint32_t count;
} map_properties_t;

#define MAP_NO_IMAGE 0xFFFFu

// `ground`: what a slope is from its left to its right edge, the height of the ground as a part of the cell's.
typedef struct map_tile_t {
  uint16_t image;         // of the map's, MAP_NO_IMAGE: nothing is drawn
  bool solid, says_solid; // the second: it says whether it is, and decides for the tiles below it
  bool one_way, slope;
  float ground[2];
  int32_t x, y, width, height; // in the image, in pixels; 0 × 0: all of it
  float offset_x, offset_y;    // drawn so far from its cell
  uint32_t first_frame;        // of the map's frames
  uint16_t frame_count;        // 0: it stands still
  uint32_t cycle_ms;           // of all its frames
} map_tile_t;

typedef struct map_frame_t {
  uint32_t tile, ms;
} map_frame_t;

typedef enum map_layer_kind_t { MAP_LAYER_TILES, MAP_LAYER_OBJECTS, MAP_LAYER_IMAGE } map_layer_kind_t;

typedef struct map_layer_t {
  char name[MAP_NAME_MAX];
  map_layer_kind_t kind;
  bool visible;
  int32_t order;     // by which it is drawn: below 0 behind what the map's objects are, above 0 before it
  float x, y;        // pixels that it is moved by
  float colour[4];   // that it is tinted with, its opacity in the last
  int32_t left, top; // cell of the first column and row
  uint32_t columns, rows;
  uint32_t *cells; // columns × rows
  uint32_t *drawn; // OBJECTS: those that are a picture and nothing else, in the order in which they are drawn
  uint32_t drawn_count;
  uint32_t image;    // IMAGE: of the map's, MAP_NO_IMAGE for none
  bool repeat[2];    // IMAGE: on and on, from left to right, from top to bottom
  float parallax[2]; // how far it goes with what the camera shows: 1 as the map does, 0 not at all
  map_properties_t properties;
} map_layer_t;

typedef enum map_shape_t { MAP_RECT, MAP_ELLIPSE, MAP_POINT, MAP_POLYGON, MAP_POLYLINE, MAP_TILE_SHAPE } map_shape_t;

typedef struct map_object_t {
  uint32_t id; // its own in the map
  uint32_t layer;
  char *name, *class_name;
  map_shape_t shape;
  bool visible;
  double x, y;                 // its middle; of a point, polygon or line: its own place
  double width, height, angle; // radians, clockwise
  uint32_t cell;               // TILE_SHAPE
  char *points;                // POLYGON, POLYLINE: "x,y x,y …" from its place
  map_properties_t properties;
} map_object_t;

typedef struct map_t {
  allocator_t *allocator;
  int32_t tile_width, tile_height; // of a cell, in pixels
  int32_t left, top;               // what all layers with cells lie in, in cells
  uint32_t columns, rows;
  map_layer_t *layers; // from the bottom to the top
  uint32_t layer_count, layer_capacity;
  map_object_t *objects; // in the order of the file
  uint32_t object_count, object_capacity;
  map_tile_t *tiles; // by number; the first is none
  uint32_t tile_count, tile_capacity;
  map_frame_t *frames;
  uint32_t frame_count, frame_capacity;
  char **images; // names of assets
  uint32_t image_count, image_capacity;
  char **files; // names of assets that it was read from, its own first
  uint32_t file_count, file_capacity;
  map_properties_t properties;
  float background[4];
  float parallax_origin[2]; // with the camera's middle there, all layers lie where the editor shows them
  float overhang;           // pixels that a tile may reach out of its cell
  bool has_solid;           // some tile is
} map_t;

// Where files come from: the text of an asset as file_read gives it, or NULL with a message.
typedef struct map_source_t {
  void *context;
  char *(*read)(void *context, allocator_t *a, const char *name, size_t *bytes, error_t *error);
} map_source_t;

// Reads the asset `name`; which format it has, its name says. `level`: of a file with several, "" for the first. NULL
// with a message that says file and place. Its memory is `a`'s.
map_t *map_read(allocator_t *a, const map_source_t *source, const char *name, const char *level, error_t *error);
void map_destroy(map_t *m);         // NULL is fine
bool map_is_name(const char *name); // does a name end as that of a map does?

int32_t map_find_layer(const map_t *m, const char *name); // one with cells; -1 when there is none

// The cell at a column and row, 0 outside of the layer.
static inline uint32_t map_cell(const map_layer_t *l, int32_t column, int32_t row) {
  uint32_t x = (uint32_t)column - (uint32_t)l->left, y = (uint32_t)row - (uint32_t)l->top;
  return x < l->columns && y < l->rows ? l->cells[(size_t)y * l->columns + x] : 0;
}

// What a cell's tile is; of a number that no tileset has, the one that is none.
static inline const map_tile_t *map_tile(const map_t *m, uint32_t cell) {
  uint32_t tile = MAP_TILE(cell);
  return &m->tiles[tile < m->tile_count ? tile : 0];
}

// The tile that an animated one shows after so many milliseconds.
uint32_t map_tile_at(const map_t *m, uint32_t tile, uint64_t ms);

#endif
