// Writes maps as JSON: an entity's tilemap, or a map file.
#ifndef SHOAL_COCKPIT_TILE_MAP_H
#define SHOAL_COCKPIT_TILE_MAP_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Writes the map of the request's "entity" or "map" unless the client's "stamp" shows that it has the current version.
// Returns true on success, or false with an error if the map is missing or too large.
bool tile_map_write(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error);

#endif
