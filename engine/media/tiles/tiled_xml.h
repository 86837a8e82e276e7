// Converts Tiled's XML files to the structure of its JSON files, so that both formats have one reader. The files are
// maps (.tmx), tilesets (.tsx) and templates (.tx).
#ifndef SHOAL_TILES_TILED_XML_H
#define SHOAL_TILES_TILED_XML_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// Returns the file as JSON. Values are not checked. The root element must be `root`: "map", "tileset" or "template".
// Cells remain text, as "data" with the encoding "csv" or "base64". Editor settings, terrains and Wang sets are
// omitted. On failure, returns NULL with a message and the line of the problem. Release the result with json_decref.
json_t *tiled_xml_parse(const char *text, size_t bytes, const char *root, uint32_t *line, error_info_t *error);

#endif
