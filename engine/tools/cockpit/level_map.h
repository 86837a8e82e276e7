// Tiled maps in the game's assets, as files: read for the page's level editor, and edited as proposed changes
// (cockpit/proposals.h).
#ifndef SHOAL_COCKPIT_LEVEL_MAP_H
#define SHOAL_COCKPIT_LEVEL_MAP_H

#include "cockpit/proposals.h"
#include "tiles/map.h"

// A map as its file contains it, without the cells that the game has set.
typedef struct level_map_t {
  char stamp[24];               // hash of the file's text
  map_t *map;                   // parsed map; NULL if the client already has this version
  json_t *json;                 // parsed file; NULL if `map` is NULL
  char file[FILE_CHANGES_NAME]; // path relative to the game's folder: "assets/cellar.tmj"
} level_map_t;

// Reads the map asset `name`. Does not parse it if its stamp equals `client_stamp` (may be NULL), because the page
// polls for changes of the file. Returns true on success, or false with an error if the asset is not a Tiled map of the
// game.
bool level_map_open(cockpit_o *cockpit, const char *name, const char *client_stamp, level_map_t *out,
                    error_info_t *error);
// Frees the map. `level` may have failed to open.
void level_map_close(level_map_t *level);

// Writes "file", "infinite", and "things": the map's objects as objects of { "id", "layer", "name", "class", "shape",
// "x", "y" (in the file), "width", "height", "rotation" (in degrees), "cell", "points", "visible", "properties" (as in
// the file) }.
void level_map_write(const level_map_t *level, json_writer_t *out);

// Edits a map, { "map": NAME, "edits": […] }, in order:
//
// | "do"            | members                                                                                           |
// |-----------------|---------------------------------------------------------------------------------------------------|
// | "paint"         | layer: its index without groups, from 0; layer_name (optional): must match; cells: [[column, row, |
// |                 | cell], …], or rectangles, [column, row, cell, columns, rows]. A cell is a tile number of the map  |
// |                 | plus Tiled's flip flags; 0 erases the cell                                                        |
// | "add"           | layer and layer_name of an object layer; object: its members as in the file, without "id"         |
// | "set", "remove" | id; for "set", object: the members to change, of which "properties" is an object of { "type",     |
// |                 | "value" } by name, or null to remove a property                                                   |
bool level_map_propose(proposal_t *proposal, error_info_t *error);

#endif
