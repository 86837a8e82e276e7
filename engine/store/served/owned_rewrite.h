// Rewrites rows of the table `owned` with newer code. Code need only declare the names that have changed since its
// direct predecessor, so the rows of an absent account must be converted by all codes in order.
//
// Rows of accounts in a room are not rewritten: their departure replaces them. `key` is the current code of the world
// (code_rows_get_key). Each function uses one transaction, so accounts stay complete if the process is killed.
#ifndef SHOAL_SERVED_OWNED_REWRITE_H
#define SHOAL_SERVED_OWNED_REWRITE_H

#include "served/world_store.h"

#include <jansson.h>

#define OWNED_REWRITE_BATCH 64u // maximum number of accounts per writing transaction

// The rows of an account.
typedef struct owned_account_t {
  int64_t account, session;
  json_t *rows;      // rows as stored (store/item_rows.h), each with its `code`; NULL: malformed or too many
  json_t *rewritten; // current form of the rows, of which some may be missing; owned; NULL if `rows` is NULL
  char problem[160]; // description of the first problem, if `rows` is NULL
} owned_account_t;

typedef struct owned_accounts_t {
  owned_account_t *items;
  uint32_t count, capacity;
  allocator_t memory;
} owned_accounts_t;

// Stores the number of accounts that are in no room and have rows of a different code.
store_result_t owned_rewrite_count(world_store_o *s, int64_t key, int64_t *accounts, error_info_t *error);
// Like owned_rewrite_count, but stores only whether the number exceeds 0. Fast: reads the index.
store_result_t owned_rewrite_is_due(world_store_o *s, int64_t key, bool *is_due, error_info_t *error);

// Reads at most `limit` of these accounts with their rows. Replaces the contents of `out`, which must be
// zero-initialized before the first call.
store_result_t owned_rewrite_list(world_store_o *s, int64_t key, uint32_t limit, owned_accounts_t *out,
                                  error_info_t *error);
// Reads at most `limit` accounts with a number above `after`, in the order of their numbers, with their rows of any
// code.
store_result_t owned_rewrite_list_all(world_store_o *s, int64_t after, uint32_t limit, owned_accounts_t *out,
                                      error_info_t *error);
void owned_accounts_free(owned_accounts_t *list);

// Replaces the rows of at most OWNED_REWRITE_BATCH accounts with their `rewritten` rows, whose code is then `key`.
// Removes rows that are missing in `rewritten`. If the rows are malformed, only sets their code. Skips accounts that
// have been in a room since, and rows that have changed since. Returns STORE_LOST if `owner` does not own the world.
store_result_t owned_rewrite_store(world_store_o *s, int64_t owner, int64_t key, const owned_account_t *accounts,
                                   uint32_t count, error_info_t *error);

#endif
