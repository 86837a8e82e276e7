// Converts Tiled's XML tilesets (.tsx) to the structure of its JSON tilesets (.tsj).
#ifndef SHOAL_TILES_TILESET_XML_H
#define SHOAL_TILES_TILESET_XML_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// Returns the tileset as JSON; values are not checked. Collision shapes, terrains and editor settings are left out.
// Returns NULL with a message and the line of the problem on failure. Release the result with json_decref.
json_t *tileset_xml_parse(const char *text, size_t bytes, uint32_t *line, error_info_t *error);

#endif
