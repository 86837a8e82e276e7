// Account lookups for players who ask for rooms (world_accounts.h), on the thread of the world's statements. If a
// lookup takes longer than the loop may wait, the answer is the time after which the machine must repeat its request.
// The repeated request receives the result.
#ifndef SHOAL_SERVE_WORLD_LOOKUPS_H
#define SHOAL_SERVE_WORLD_LOOKUPS_H

#include "serve/world_accounts.h"
#include "serve/world_statements.h"

#define WORLD_MAX_LOOKUPS 64u                    // maximum number of lookups whose result was not returned yet
#define WORLD_LOOKUP_ASK_AGAIN_MS 300u           // time after which a machine must repeat its request
#define WORLD_LOOKUP_WAIT_NS INT64_C(50000000)   // maximum time for which an iteration of the loop waits
#define WORLD_LOOKUP_KEEP_NS INT64_C(3000000000) // time after which an unused result is dropped

typedef struct world_lookup_t {
  world_statement_t statement;
  world_accounts_t *accounts;
  // Parameters
  int64_t now_us;
  link_address_t address;
  world_request_t request;
  // Results
  bool is_allowed;
  account_info_t account;
  match_refusal_t refusal; // reason, if `is_allowed` is false
  int64_t done_ns;
  bool is_used; // true until the result is returned or dropped
} world_lookup_t;

// A request that an account's room releases the account.
typedef struct world_want_t {
  world_statement_t statement;
  world_accounts_t *accounts;
  account_info_t account;
} world_want_t;

// Zero-initialize all members except `accounts` and `statements`.
typedef struct world_lookups_t {
  world_statements_o *statements; // thread that executes the lookups; borrowed
  world_accounts_t accounts;      // accounts, which only the thread of the statements uses after the first lookup
  int64_t wait_end_ns;            // time until which the current iteration of the loop may wait for lookups
  world_lookup_t items[WORLD_MAX_LOOKUPS];
  world_want_t wants[WORLD_MAX_LOOKUPS];
} world_lookups_t;

// Begins an iteration of the loop, in which all lookups together may wait for WORLD_LOOKUP_WAIT_NS.
void world_lookups_begin(world_lookups_t *l);
// Like world_accounts_find, but refuses with MATCH_REFUSAL_ROOM_STARTS until a lookup was free and has its result.
bool world_lookups_find(world_lookups_t *l, int64_t now_us, const link_address_t *address,
                        const world_request_t *request, account_info_t *out, match_refusal_t *refusal);
// Requests that the account's room releases the account. Does nothing if WORLD_MAX_LOOKUPS requests are waiting.
void world_lookups_want(world_lookups_t *l, const account_info_t *account);

#endif
