// Shared by the readers of Tiled's and LDtk's maps: a map under construction, the position in the file, and checked
// access to JSON. Private to tiles.
//
// There are two kinds of problems. A damaged file fails as a whole (map_fail), so that a half-saved file does not
// replace the map in memory. An unsupported or invalid detail of a valid file is skipped with a warning (map_warn,
// map_skip).
#ifndef SHOAL_TILES_MAP_READER_H
#define SHOAL_TILES_MAP_READER_H

#include "base/json_writer.h"
#include "tiles/map.h"

#include <jansson.h>

#define MAP_MAX_DEPTH 32u    // maximum nesting depth of layer groups
#define MAP_MAX_WARNINGS 50u // maximum number of warnings per map; additional warnings are only counted

// Number of warnings with the same format and location. `hash`: hash of the format and the location.
typedef struct map_warning_kind_t {
  uint64_t hash;
  uint32_t count;
} map_warning_kind_t;

// A parsed file. Each file is parsed only once, even if many objects have the same template.
typedef struct map_document_t {
  char *name;
  json_t *json;
} map_document_t;

// A tileset that a Tiled map uses: its file and its range of tile numbers.
typedef struct tileset_file_t {
  char *file;           // asset name of the tileset's file, or of the map's file if the tileset is embedded
  json_t *json;         // tileset as JSON; owned reference
  const json_t **tiles; // `count` entries, indexed by id in the tileset; NULL: the file does not describe the tile
  int32_t first, count;
  uint32_t alignment;          // alignment of tile objects: index in Tiled's list
  map_properties_t properties; // properties of the tileset, which apply to all its tiles
} tileset_file_t;

typedef struct map_reader_t {
  map_t *map;
  allocator_t *allocator;
  const map_source_t *source;
  const char *file;                                   // name of the current file
  const char *level;                                  // LDtk: name of the level to read; "": the first level
  char location[160];                                 // position in the file, for messages: "layer 1 "ground""
  uint64_t cells;                                     // number of cells in the blocks of all layers so far
  int32_t first_object_layer;                         // index of the first object layer; -1 until one has been read
  char problem[700];                                  // message of the most recent map_fail, without file and position
  map_warning_kind_t warning_kinds[MAP_MAX_WARNINGS]; // kinds of warnings, indexed like the map's warnings
  bool is_missing;                                    // true if the most recent map_parse failed to read the file
  uint32_t omitted_warnings;                          // number of warnings beyond MAP_MAX_WARNINGS
  error_info_t *error;
  map_document_t *documents;
  uint32_t document_count, document_capacity;
  tileset_file_t *tilesets;
  uint32_t tileset_count, tileset_capacity;
} map_reader_t;

bool map_read_tiled(map_reader_t *r, const json_t *root);
bool map_read_ldtk(map_reader_t *r, const json_t *root);

// Sets the error, prefixed with `file` and `location`: "cellar.tmj: layer 1 "ground": …". Returns false.
__attribute__((format(printf, 2, 3))) bool map_fail(map_reader_t *r, const char *format, ...);
// Adds a warning to the map, prefixed like the messages of map_fail. Later warnings with the same `format` and location
// are only counted: "… (and 3 more)".
__attribute__((format(printf, 2, 3))) void map_warn(map_reader_t *r, const char *format, ...);
// Turns the most recent failure into a warning: "cellar.tmj: layer 1 "sky": skipped the image: …". Returns true.
bool map_skip(map_reader_t *r, const char *detail);
void map_finish_warnings(map_reader_t *r); // adds the counts of omitted warnings to the warnings
// Sets `location`, the position in the file that messages contain.
__attribute__((format(printf, 2, 3))) void map_set_location(map_reader_t *r, const char *format, ...);

// Parses an asset and adds it to the map's files. Returns its JSON, which the reader owns, or NULL with a message.
json_t *map_parse(map_reader_t *r, const char *name);
void map_free_documents(map_reader_t *r);
// Resolves a file name relative to the current file to an asset name. Returns true on success, or false with a message
// if the name is invalid (empty, absolute, with "\" or ":"), leaves assets/, or does not fit into `bytes`.
bool map_resolve_path(map_reader_t *r, const char *name, char *out, size_t bytes);

// Reads a number from a JSON object, or stores `fallback` if the member is missing or null. Returns true on success, or
// false with a message if the value is not a number from -1e9 to 1e9. map_read_integer also requires an integer from
// `min` to `max`.
bool map_read_number(map_reader_t *r, const json_t *object, const char *key, double fallback, double *out);
bool map_read_integer(map_reader_t *r, const json_t *object, const char *key, int32_t min, int32_t max,
                      int32_t fallback, int32_t *out);
// Returns a string from a JSON object, or "" if the member is missing or not a string.
const char *map_read_text(const json_t *object, const char *key);
bool map_read_bool(const json_t *object, const char *key, bool fallback);
// Returns the index of a text in a list that ends with NULL. Returns 0, the default, if the text is missing or, with a
// warning, if the list does not contain the text.
uint32_t map_read_choice(map_reader_t *r, const json_t *object, const char *key, const char *const *choices);
// Reads "#aarrggbb" or "#rrggbb". Leaves `out` unchanged if the text is missing or, with a warning, if it is invalid.
void map_read_colour(map_reader_t *r, const json_t *object, const char *key, float out[4]);

// Append a visible layer or object with default values. Return the layer or object, or NULL with a message if the map
// has too many layers or objects.
map_layer_t *map_add_layer(map_reader_t *r, const char *name, map_layer_kind_t kind);
map_object_t *map_add_object(map_reader_t *r);
// Adds an image, unless the map already contains it, and returns its index. Returns MAP_NO_IMAGE with a message on
// failure.
uint32_t map_add_image(map_reader_t *r, const char *name);
// Adds the image of a JSON object in Tiled's format, with its transparent colour. Skips an image that cannot be used,
// with a warning, and returns MAP_NO_IMAGE.
uint32_t map_add_keyed_image(map_reader_t *r, const json_t *owner);
bool map_add_frame(map_reader_t *r, uint32_t tile, int32_t ms);
void map_add_part(map_reader_t *r, const map_part_t *part);
void map_add_tileset(map_reader_t *r, const char *name, uint32_t first, uint32_t count);
// Adds empty tiles until the map has `count` tiles. Returns true on success, or false with a message if `count` exceeds
// MAP_MAX_TILES.
bool map_allocate_tiles(map_reader_t *r, uint32_t count);
// Allocates the cells of a layer, which are empty. Returns true on success, or false with a message if the layer is too
// large or outside of [-32768, 32767].
bool map_allocate_cells(map_reader_t *r, map_layer_t *layer, int32_t left, int32_t top, uint32_t columns,
                        uint32_t rows);
// Set a cell of a layer, or columns × rows cells starting at (`left`, `top`). The cells must be in the layer. Return
// true on success, or false with a message if the map has too many cells.
bool map_set_cell(map_reader_t *r, map_layer_t *layer, int32_t column, int32_t row, uint32_t cell);
bool map_set_cells(map_reader_t *r, map_layer_t *layer, int32_t left, int32_t top, uint32_t columns, uint32_t rows,
                   const uint32_t *cells);
// Adds a property, and copies the strings.
void map_add_property(map_reader_t *r, map_properties_t *p, const char *name, map_value_t type, double number,
                      const char *text);
// Returns the property with this name, or NULL if it is missing.
const map_property_t *map_property(const map_properties_t *p, const char *name);
void map_free_properties(allocator_t *a, map_properties_t *p);
void map_write_point(json_writer_t *out, double x, double y); // appends a point to a list: "x,y x,y"
// Sets a tile's collision from the properties solid, one_way, slope_left and slope_right of a tile or IntGrid value.
// `inherited`: properties that apply where `p` lacks them; may be NULL.
void map_set_tile_collision(map_tile_t *t, const map_properties_t *p, const map_properties_t *inherited);

// Decodes base64 and decompresses it to exactly `count` 32-bit numbers. `compression`: "" (none), "zlib", "gzip" or
// "zstd". Returns true on success, or false with a message if the compression is unknown, or if the data is damaged or
// has a different size.
bool map_unpack_cells(map_reader_t *r, const char *text, const char *compression, uint32_t *out, uint32_t count);
// Compresses cells, and appends them to `out` as base64. `level`: compression level of `compression`; -1: the default
// level. Returns true on success, or false if compressing fails.
bool map_pack_cells(allocator_t *a, const uint32_t *cells, uint32_t count, const char *compression, int level,
                    json_writer_t *out);

#endif
