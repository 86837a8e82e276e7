// Parked values: the parts of an item row (item_rows.h) that the running code does not declare, for example after
// ./shoal world DB reload --back. They stay in the row as JSON. Later code that declares them again restores them. The
// attributes of the row (the key "=" of `components`) contain them in `parked`:
//
//   { "components": { "wallet": { "silver": 3 } }, "fields": { "purse": { "copper": 4 } } }
//
// or `true` if the code does not declare the assemblage: the whole row and its children are then parked.
//
// A row of an account in a room may contain an item that a different player has brought and given to the account. The
// attribute `visit` then contains the account's session, in which no code has restored the parked values.
#ifndef SHOAL_STORE_ITEM_PARKED_H
#define SHOAL_STORE_ITEM_PARKED_H

#include "ecs/world.h"

#include <jansson.h>

// Reports a part that was not parked before, such as "purse.copper".
typedef void (*item_parked_report_t)(void *context, const char *part);

// Returns true if a row cannot be imported, because the world does not declare the assemblage of the row or of an
// ancestor, and that row is parked. `parks`: such rows count as parked even if they were not parked before.
bool item_parked_is_absent(world_o *w, const json_t *rows, const json_t *row, bool parks);
// Restores the parked values of a row whose names the world declares. If `parks` is true or the row has parked values,
// parks all values whose names the world does not declare. Returns the parked values as a new reference, or NULL if no
// value is parked.
json_t *item_parked_update(world_o *w, json_t *row, bool parks, item_parked_report_t report, void *context);
// Sets the parked values of a row: an object, or true.
void item_parked_set(json_t *row, json_t *parked);
const json_t *item_parked_get(const json_t *row); // returns the parked values, borrowed; NULL if missing
// Adds the parked values that an import of the rows has returned (item_rows_import_t.parked) to the row of the same
// item. `row`: the exported row; NULL: the item was not exported. `old`: the imported row. Returns the new version of
// the row as a new reference, or NULL if the item was not exported and its row is not parked.
json_t *item_parked_add(json_t *row, const json_t *old, const json_t *parked);
void item_parked_set_visit(json_t *row, int64_t session);
int64_t item_parked_get_visit(const json_t *row); // returns 0 if the row has no such attribute

#endif
