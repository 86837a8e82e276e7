// A level drawn in an editor, independent of the file format: layers of cells, tiles with images and collision shapes,
// and objects with properties. Maps are read from Tiled's XML and JSON (.tmx and .tmj, tilesets embedded or in .tsx or
// .tsj files, templates in .tx or .tj files) and from LDtk's JSON (one level of an .ldtk file). A map does not change
// after it was read. Independent of worlds.
//
// Tiles are numbered from 1 across all tilesets of the map (Tiled's "global id"). 0 means no tile. A cell is a tile
// number and flip flags. Columns and rows are numbered from 0, to the right and down. A layer may start at negative
// coordinates. The cells of a layer with large empty areas are stored in blocks. Blocks without tiles take no memory.
// Pixel coordinates are relative to the top left corner of cell (0, 0), with y down.
#ifndef SHOAL_TILES_MAP_H
#define SHOAL_TILES_MAP_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_MAX_BYTES ((size_t)32 << 20) // maximum size of a file
#define MAP_MAX_CELLS (16u << 20)        // maximum total number of cells in the blocks of all layers
#define MAP_MAX_COORDINATE 32768         // columns and rows are in [-32768, 32767]
#define MAP_BLOCK_SHIFT 6                // log2 of the width and height of a block, in cells
#define MAP_BLOCK_SIDE (1u << MAP_BLOCK_SHIFT)
#define MAP_BLOCK_CELLS (MAP_BLOCK_SIDE * MAP_BLOCK_SIDE)
#define MAP_MAX_TILES (256u << 10) // maximum total number of tiles in all tilesets
#define MAP_MAX_LAYERS 256u
#define MAP_MAX_OBJECTS 100000u
#define MAP_MAX_SIDE 1000000 // maximum absolute value of cell and pixel coordinates
#define MAP_NAME_MAX 64      // maximum bytes of a layer's name, including the '\0'

// Flips of a cell's tile, applied in this order: diagonal, horizontal, vertical.
#define MAP_FLIP_X 0x80000000u
#define MAP_FLIP_Y 0x40000000u
#define MAP_FLIP_DIAGONAL 0x20000000u
#define MAP_FLIPS (MAP_FLIP_X | MAP_FLIP_Y | MAP_FLIP_DIAGONAL)
#define MAP_TILE(cell) ((cell) & ~0xF0000000u)

// Type of a custom property.
typedef enum map_value_t {
  MAP_NONE,
  MAP_TEXT,
  MAP_NUMBER,
  MAP_BOOL,
  MAP_COLOUR, // "#aarrggbb" or "#rrggbb"
  MAP_OBJECT,
  MAP_POSITION, // "x,y": pixel coordinates in the map
  MAP_LIST
} map_value_t;

typedef struct map_properties_t {
  struct map_property_t *items;
  uint32_t count;
} map_properties_t;

// A custom property. `text` is the value as text, even for a NUMBER or BOOL. It may be empty for an OBJECT.
typedef struct map_property_t {
  char *name, *text;
  double number; // value of a NUMBER; BOOL: 0 or 1; OBJECT: object id, or 0 if the reference is empty
  map_value_t type;
  map_properties_t elements; // LIST: the values, each with the name of the list
} map_property_t;

#define MAP_NO_IMAGE 0xFFFFu
#define MAP_COLOUR_KEY '|' // separates an image's name from its transparent colour

// A solid rectangle of a tile, in fractions of the cell from its left and top edge.
typedef struct map_part_t {
  float left, top, right, bottom;
} map_part_t;

#define MAP_MAX_PARTS 16u // maximum number of solid rectangles per tile

// A tile. `ground` contains the height of a slope at its left and right edge, as fractions of the cell's height.
typedef struct map_tile_t {
  uint16_t image;             // index of the image; MAP_NO_IMAGE: nothing is drawn
  bool solid, declares_solid; // true if the tile is solid; true if the file sets this, overriding layers below
  bool one_way, slope;
  float ground[2];
  uint32_t first_part;         // index of the first solid rectangle in the map's parts
  uint8_t part_count;          // number of solid rectangles; 0: a solid tile fills the whole cell
  int32_t x, y, width, height; // rectangle in the image in pixels; 0 × 0: the whole image
  float offset_x, offset_y;    // drawing offset from the cell, in pixels
  uint32_t first_frame;        // index of the first animation frame in the map's frames
  uint16_t frame_count;        // number of frames; 0 if not animated
  uint32_t cycle_ms;           // total duration of all frames, in ms
} map_tile_t;

// A tileset, whose tiles have consecutive numbers in the map.
typedef struct map_tileset_t {
  char *name;
  uint32_t first, count;
} map_tileset_t;

typedef struct map_frame_t {
  uint32_t tile, ms;
} map_frame_t;

typedef enum map_layer_kind_t { MAP_LAYER_TILES, MAP_LAYER_OBJECTS, MAP_LAYER_IMAGE } map_layer_kind_t;

typedef struct map_layer_t {
  char name[MAP_NAME_MAX];
  map_layer_kind_t kind;
  bool visible;
  int32_t order;   // drawing order; negative: behind the map's objects, positive: in front of the objects
  float x, y;      // offset in pixels
  float colour[4]; // tint; the last component is the opacity
  int32_t cell_width, cell_height; // TILES: size of a cell in pixels
  // TILES: true if the layer has cells of the map's cell size, so that its tiles can be solid. Layers with cells of a
  // different size are only drawn.
  bool physical;
  bool has_slopes;   // true if the tile of any cell is a slope
  bool has_shapes;   // true if the tile of any cell has a shape (map_tile_has_shape)
  int32_t left, top; // column and row of the first cell
  uint32_t columns, rows;
  // A layer has either `cells`, row by row, or, if it is large and mostly empty, `blocks` of 64 × 64 cells, row by row
  // from cell (left, top). Both are NULL if the layer has no cells. Blocks without tiles are map_empty_block. A block
  // stores its cells row by row. Cells outside of the layer are 0.
  uint32_t *cells;
  uint32_t **blocks;
  uint32_t block_columns, block_rows;
  uint32_t *drawn; // OBJECTS: indices of objects that are only pictures, in drawing order
  uint32_t drawn_count;
  uint32_t image;    // IMAGE: index of the image; MAP_NO_IMAGE: no image
  bool repeat[2];    // IMAGE: true if the image repeats horizontally, vertically
  float parallax[2]; // scroll factor relative to the map; 1: scrolls with the map; 0: fixed on the screen
  map_properties_t properties;
} map_layer_t;

typedef enum map_shape_t { MAP_RECT, MAP_ELLIPSE, MAP_POINT, MAP_POLYGON, MAP_POLYLINE, MAP_TILE_SHAPE } map_shape_t;

typedef struct map_object_t {
  uint32_t id; // id of the object, unique in the map
  uint32_t layer;
  char *name, *class_name;
  map_shape_t shape;
  bool visible;
  double x, y;                 // position: the origin of a POINT, POLYGON or POLYLINE, otherwise the centre
  double width, height, angle; // size in pixels; `angle` in radians, clockwise
  uint32_t cell;               // MAP_TILE_SHAPE: tile and flips, as in a cell
  double anchor_y;             // vertical position in the editor, which orders drawn objects
  char *points;                // POLYGON, POLYLINE: "x,y x,y …" relative to the origin
  map_properties_t properties;
} map_object_t;

typedef struct map_t {
  allocator_t *allocator;
  int32_t tile_width, tile_height; // cell size of physical layers, in pixels
  int32_t left, top;               // bounds of all physical layers, in cells
  uint32_t columns, rows;
  map_layer_t *layers; // layers in drawing order, from bottom to top
  uint32_t layer_count, layer_capacity;
  map_object_t *objects; // objects in file order
  uint32_t object_count, object_capacity;
  uint64_t *object_keys; // id << 32 | index of each object, sorted
  map_tile_t *tiles;     // tiles, indexed by tile number; entry 0 is the empty tile
  uint32_t tile_count, tile_capacity;
  map_tileset_t *tilesets;
  uint32_t tileset_count, tileset_capacity;
  map_frame_t *frames;
  uint32_t frame_count, frame_capacity;
  map_part_t *parts;
  uint32_t part_count, part_capacity;
  // Asset names of the images that the map uses. In an image with a transparent colour, the name is followed by
  // MAP_COLOUR_KEY and the colour: "caves/t.png|ff00ff".
  char **images;
  uint32_t image_count, image_capacity;
  char **files; // assets that the map was read from; the first asset is the map's own file
  uint32_t file_count, file_capacity;
  map_properties_t properties;
  char **warnings; // details of the file that were skipped, as messages
  uint32_t warning_count, warning_capacity;
  float background[4];               // colour drawn behind the map, over `area`
  float area[4];                     // left, top, right and bottom edge of the map in pixels
  float parallax_origin[2];          // camera centre for which all layers are positioned as in the editor
  float overhang;                    // maximum distance in pixels by which a tile extends beyond its cell
  bool has_slope_tiles;              // true if at least one tile is a slope
  bool has_solid;                    // true if at least one tile is solid, one-way or a slope
  bool right_to_left, bottom_to_top; // order in which the tiles of a layer are drawn
} map_t;

// Callback that reads files: returns an asset's text as file_read does, or NULL with a message.
typedef struct map_source_t {
  void *context;
  char *(*read)(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error);
} map_source_t;

// Reads the asset `name`, whose extension determines the format. `level` selects a level of a file with several levels.
// "" selects the first level. Allocates from `a`. Returns the map, or NULL with a message that contains the file and
// the position in it.
map_t *map_read(allocator_t *a, const map_source_t *source, const char *name, const char *level, error_info_t *error);
void map_destroy(map_t *m);             // accepts NULL
bool map_is_map_file(const char *name); // returns true for extensions of map, level and tileset files

extern uint32_t map_empty_block[MAP_BLOCK_CELLS]; // block without tiles, shared by all layers; must not be modified

int32_t map_find_layer(const map_t *m, const char *name); // returns the index of a layer with cells, or -1 if not found

// Returns the object with this id, or NULL if not found.
const map_object_t *map_find_object(const map_t *m, uint32_t id);
// Returns the tileset that contains the tile, or NULL if no tileset contains it.
const map_tileset_t *map_find_tileset(const map_t *m, uint32_t tile);

// Returns the cell at a column and row, or 0 outside the layer.
static inline uint32_t map_cell(const map_layer_t *l, int32_t column, int32_t row) {
  uint32_t x = (uint32_t)column - (uint32_t)l->left, y = (uint32_t)row - (uint32_t)l->top;
  if (x >= l->columns || y >= l->rows)
    return 0;
  if (l->cells)
    return l->cells[(size_t)y * l->columns + x];
  const uint32_t *block = l->blocks[(size_t)(y >> MAP_BLOCK_SHIFT) * l->block_columns + (x >> MAP_BLOCK_SHIFT)];
  return block[(y & (MAP_BLOCK_SIDE - 1)) << MAP_BLOCK_SHIFT | (x & (MAP_BLOCK_SIDE - 1))];
}

// Returns the cells of row top + y, from column left + x to the end of the row or block, and stores their number. If
// the block has no tiles, the cells are in map_empty_block.
static inline const uint32_t *map_row(const map_layer_t *l, uint32_t x, uint32_t y, uint32_t *count) {
  uint32_t remaining = l->columns - x, block_x = x & (MAP_BLOCK_SIDE - 1), in_block = MAP_BLOCK_SIDE - block_x;
  *count = l->cells || remaining < in_block ? remaining : in_block;
  if (l->cells)
    return l->cells + (size_t)y * l->columns + x;
  const uint32_t *block = l->blocks[(size_t)(y >> MAP_BLOCK_SHIFT) * l->block_columns + (x >> MAP_BLOCK_SHIFT)];
  return block + ((y & (MAP_BLOCK_SIDE - 1)) << MAP_BLOCK_SHIFT | block_x);
}

// Returns true for a tile that can block movement: solid, one-way or a slope.
static inline bool map_tile_can_block(const map_tile_t *t) {
  return t->solid || t->one_way || t->slope;
}

// Returns true for a tile that determines whether its cell blocks movement: it overrides the layers below.
static inline bool map_tile_has_shape(const map_tile_t *t) {
  return t->declares_solid || t->one_way || t->slope;
}

// Returns the tile of a cell, or the empty tile if the number belongs to no tileset.
static inline const map_tile_t *map_tile(const map_t *m, uint32_t cell) {
  uint32_t tile = MAP_TILE(cell);
  return &m->tiles[tile < m->tile_count ? tile : 0];
}

// Returns true if the test accepts the tile of any cell of the layer. Empty blocks cost nothing, because a short file
// can declare a layer of 65,536 × 65,536 cells.
bool map_layer_has_tile(const map_t *m, const map_layer_t *l, bool (*test)(const map_tile_t *tile));

// Stores the parts of a cell that its tile blocks, with the cell's flips: the rectangles drawn on the tile, or the
// whole cell. Returns their number, which is at least 1.
uint32_t map_list_parts(const map_t *m, uint32_t cell, map_part_t out[MAP_MAX_PARTS]);

// Returns the tile to show at time `ms`: the current frame of an animated tile, otherwise the tile itself.
uint32_t map_tile_at(const map_t *m, uint32_t tile, uint64_t ms);

#endif
