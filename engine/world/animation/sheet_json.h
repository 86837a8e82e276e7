// Creates sprite sheets from parsed JSON; also used by readers of other formats, such as Aseprite's.
#ifndef SHOAL_ANIMATION_SHEET_JSON_H
#define SHOAL_ANIMATION_SHEET_JSON_H

#include "animation/sheet.h"

#include <jansson.h>

// Reads an object in one of the formats of sheet_read. Returns the sheet, or NULL with an error that states the
// position.
sheet_t *sheet_from_json(allocator_t *a, const json_t *root, error_info_t *error);

#endif
