// Rows of items that an operator has edited, as text. A list has the format of store/item_rows.h, with these additions:
//
// - A new item has no number, or a negative one by which other entries can refer to it.
// - `parent`, `name`, `assemblage` and `components` may be omitted.
// - Items without a parent belong to the player, even without the attribute `owned`.
#ifndef SHOAL_SERVED_ITEM_EDIT_H
#define SHOAL_SERVED_ITEM_EDIT_H

#include "base/error.h"

#include <jansson.h>

// Parses a JSON list. Returns the list, or NULL with an error if the text is malformed or not a list. For malformed
// text, the error contains the line and the column.
json_t *item_edit_parse(const char *text, size_t bytes, error_info_t *error);

// Numbers of items that an edit has added, changed and removed.
typedef struct item_edit_counts_t {
  uint32_t added, changed, removed;
} item_edit_counts_t;

// Completes the edited rows of an account with the rows `stored`. Gives new items negative numbers. Edited values no
// longer follow the assemblage. Marks removed children, so that the assemblage does not create them again. Returns true
// on success. Returns false with an error if there are more than OWNED_MAX_ENTITIES rows, or if a row is malformed,
// repeats a number, has a number that is not in `stored`, has a parent that is not in the list, or is its own ancestor.
// The error names the entry by its position, from 1.
bool item_edit_complete(json_t *rows, const json_t *stored, item_edit_counts_t *counts, error_info_t *error);

#endif
