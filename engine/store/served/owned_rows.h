// Rows of the table `owned`: the entities of accounts that are in no room (store/item_rows.h describes the rows). While
// an account is in a room, its rows stay as they were when it joined; its departure replaces them.
//
// The number of an item is the primary key, so no two accounts can have the same item. When a player leaves, the
// player's items replace rows of accounts in the same room, because these players may have given the items away. If an
// account elsewhere has such an item, the copy in this room is stale (records were lost), and is dropped.
//
// The parked values of an unowned item are stored in a row that contains nothing else, and whose `account` is
// negative (OWNED_KEPT_BY). The row exists until the item leaves the room with a player, or is destroyed.
//
// Operators replace the rows of an account that they have taken (account_changes.h).
//
// The functions run in transactions of the caller.
#ifndef SHOAL_SERVED_OWNED_ROWS_H
#define SHOAL_SERVED_OWNED_ROWS_H

#include "served/accounts.h"
#include "served/world_store.h"

#include <jansson.h>
struct store_query_t;

// Value of `account` in rows that keep the parked values of unowned items in a room.
#define OWNED_KEPT_BY(room) (-(room))

typedef enum owned_rows_state_t {
  OWNED_ROWS_SOUND,
  OWNED_ROWS_TOO_LARGE, // the text of the rows exceeds ITEM_ROWS_MAX_TEXT, or there are too many rows
  OWNED_ROWS_MALFORMED
} owned_rows_state_t;

// The packed rows of an account. Zero-initialize it.
typedef struct owned_rows_t {
  owned_rows_state_t state;
  uint8_t *bytes; // packed rows; NULL if the account owns no entity, or its rows are malformed or too large
  size_t size;
  char problem[160]; // description of the first problem, if the rows are malformed or too large
  allocator_t memory;
} owned_rows_t;

// Reads the rows of an account into `out`, which the caller frees, also after an error.
store_result_t owned_rows_read(world_store_o *s, int64_t account, owned_rows_t *out, error_info_t *error);
void owned_rows_free(owned_rows_t *rows);
// Stores the rows of an account in `out`, regardless of their number and size. The caller releases them with
// json_decref. Returns STORE_DAMAGED with an error if a row is malformed.
store_result_t owned_rows_list(world_store_o *s, int64_t account, json_t **out, error_info_t *error);
// Returns the current row of a query whose columns are item, parent, name, assemblage and components, or NULL if the
// row is malformed.
json_t *owned_rows_read_row(const struct store_query_t *query);
// Result of owned_rows_check_code.
typedef struct owned_code_t {
  bool fits;       // true if the room can read all rows
  uint64_t newest; // newest live code of this release that has written a row; 0: no row has such a code
} owned_code_t;

// Compares the rows of an account with the code `number` of the release `base`. A room with this code can read rows
// with this code and, with two exceptions, rows with the code before it: a return to earlier code does not declare the
// names of the code before it, and `is_exact` means that the code reverses a rename of the code before it. All
// remaining rows must be rewritten first, because the codes in between could have renamed values.
store_result_t owned_rows_check_code(world_store_o *s, int64_t account, uint64_t base, uint64_t number, bool is_exact,
                                     owned_code_t *out, error_info_t *error);
// Sets the code of all rows of an account (code_rows_get_key).
store_result_t owned_rows_set_code(world_store_o *s, int64_t account, int64_t key, error_info_t *error);

// Returns the row of an item in a list of rows (store/item_rows.h), or NULL if the list lacks the item.
json_t *owned_rows_find(const json_t *rows, int64_t item);

// Replaces the rows of an account that leaves the room `room` with packed rows of any size, which follow the items of
// `leave` in `bytes`. Keeps the parked values (store/item_parked.h) of its stored rows, unless the room's code has
// restored them. If such an item now belongs to a player who stays, its row is stored for this player's account; if it
// has no owner, a row keeps its parked values.
// `dropped` receives the number of items that stay with accounts elsewhere, and `first` one of these items. Returns
// STORE_DAMAGED with an error if the bytes are malformed.
store_result_t owned_rows_replace(world_store_o *s, int64_t room, const account_leave_t *leave, const uint8_t *bytes,
                                  size_t size, uint32_t *dropped, int64_t *first, error_info_t *error);

// Replaces the rows of an account with rows of the code `key` (code_rows_get_key), which contain all parked values. If
// a different account has an item, `taken` receives its number, and the caller must roll back.
store_result_t owned_rows_store(world_store_o *s, int64_t account, const json_t *rows, int64_t key, int64_t *taken,
                                error_info_t *error);

#endif
