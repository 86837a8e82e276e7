// What the readers of the two formats share: a map in the making, where in the file they are, and checks of what stands
// there. Private to tiles.
#ifndef SHOAL_TILES_MAP_INTERNAL_H
#define SHOAL_TILES_MAP_INTERNAL_H

#include "tiles/map.h"

#include <jansson.h>

#define MAP_MAX_DEPTH 32u // of groups of layers

typedef struct map_reader_t {
  map_t *map;
  allocator_t *a;
  const map_source_t *source;
  const char *file;   // that is being read
  const char *level;  // of LDtk
  char place[160];    // in it: "layer ground"
  uint64_t cells;     // of all layers so far
  int32_t objects_at; // number of the first layer of objects among the layers, -1 before it
  error_t *error;
} map_reader_t;

bool map_read_tiled(map_reader_t *r, const json_t *root);
bool map_read_ldtk(map_reader_t *r, const json_t *root);

// "cellar.tmj: layer ground: …", and false.
__attribute__((format(printf, 2, 3))) bool map_fail(map_reader_t *r, const char *format, ...);
__attribute__((format(printf, 2, 3))) void map_at(map_reader_t *r, const char *format, ...); // where that is

// Parses an asset, and notes that the map was read from it. NULL with the failure said; json_decref it.
json_t *map_parse(map_reader_t *r, const char *name);
// A name in a file that lies beside the file at hand, as the name of an asset. False when it leads out of assets/.
bool map_join(map_reader_t *r, const char *name, char *out, size_t bytes);

// A number of an object, or what it is where it says nothing. False with the failure where it is something else.
bool map_number(map_reader_t *r, const json_t *object, const char *key, double otherwise, double *out);
bool map_whole(map_reader_t *r, const json_t *object, const char *key, int32_t least, int32_t most, int32_t otherwise,
               int32_t *out);
const char *map_text(const json_t *object, const char *key); // "" where there is none
bool map_true(const json_t *object, const char *key, bool otherwise);
void map_colour(const char *text, float out[4]); // "#aarrggbb" or "#rrggbb"; else it stays

// Room for one more, zero-initialised. NULL with the failure past the limit.
map_layer_t *map_add_layer(map_reader_t *r, const char *name, map_layer_kind_t kind);
map_object_t *map_add_object(map_reader_t *r);
uint32_t map_add_image(map_reader_t *r, const char *name); // MAP_NO_IMAGE with the failure
bool map_add_frame(map_reader_t *r, uint32_t tile, int32_t ms);
bool map_make_tiles(map_reader_t *r, uint32_t count); // so that there are so many numbers, 0 among them
bool map_make_cells(map_reader_t *r, map_layer_t *l, int32_t left, int32_t top, uint32_t columns, uint32_t rows);
// Takes over the texts.
void map_add_property(map_reader_t *r, map_properties_t *p, const char *name, map_value_t type, double number,
                      const char *text);
const map_property_t *map_property(const map_properties_t *p, const char *name); // NULL when there is none
void map_free_properties(allocator_t *a, map_properties_t *p);
// What a tile's or a value's properties say of how one moves over it.
void map_shape_tile(map_tile_t *t, const map_properties_t *p);

// Text in base64, packed or not, to numbers of four bytes, `count` of them exactly. `how`: "", "zlib", "gzip", "zstd".
bool map_unpack(map_reader_t *r, const char *text, const char *how, uint32_t *out, uint32_t count);

#endif
