// Lookups of accounts on the thread of the world's statements.
#include "serve/world_lookups.h"

#include "base/now.h"

#include <string.h>

static void execute_lookup(world_statement_t *s, world_store_o *store) {
  world_lookup_t *l = (world_lookup_t *)s;
  (void)store; // same as the store of `accounts`
  l->is_allowed = world_accounts_find(l->accounts, l->now_us, &l->address, &l->request, &l->account, &l->refusal);
}

static void finish_lookup(world_statement_t *s) {
  ((world_lookup_t *)s)->done_ns = now_ns();
}

static void execute_want(world_statement_t *s, world_store_o *store) {
  world_want_t *w = (world_want_t *)s;
  (void)store;
  world_accounts_want(w->accounts, &w->account); // logs a failure; the player's machine repeats its request
}

void world_lookups_begin(world_lookups_t *l) {
  l->wait_end_ns = now_ns() + WORLD_LOOKUP_WAIT_NS;
}

// Returns true if one lookup can answer both requests: they have the same account and the same invitation code. Only
// the user's own machines send this account, so the requests may differ in the name and address: a new account gets the
// name of the first request, and counts toward the limit of its address.
static bool is_same(const world_request_t *a, const world_request_t *b) {
  return memcmp(a->account, b->account, sizeof a->account) == 0 && memcmp(a->code, b->code, sizeof a->code) == 0;
}

// Returns the lookup of this request or, if it has no lookup, a free lookup. Returns NULL if all lookups are busy.
// Without a free lookup, drops the oldest result: results that no machine fetches must not block further requests.
static world_lookup_t *find_item(world_lookups_t *l, const world_request_t *request) {
  world_lookup_t *free_item = NULL, *oldest = NULL;
  for (uint32_t i = 0; i < WORLD_MAX_LOOKUPS; ++i) {
    world_lookup_t *item = &l->items[i];
    if (!item->statement.is_busy && now_ns() - item->done_ns >= WORLD_LOOKUP_KEEP_NS)
      item->is_used = false;
    if (item->is_used && is_same(&item->request, request))
      return item;
    if (!item->is_used)
      free_item = item;
    else if (!item->statement.is_busy && (!oldest || item->done_ns < oldest->done_ns))
      oldest = item;
  }
  if (free_item || !oldest)
    return free_item;
  oldest->is_used = false;
  return oldest;
}

static void begin_item(world_lookups_t *l, world_lookup_t *item, int64_t now_us, const link_address_t *address,
                       const world_request_t *request) {
  *item = (world_lookup_t){.statement = {.execute = execute_lookup, .finish = finish_lookup},
                           .accounts = &l->accounts,
                           .now_us = now_us,
                           .address = *address,
                           .request = *request,
                           .is_used = true};
  world_statements_add(l->statements, &item->statement);
}

bool world_lookups_find(world_lookups_t *l, int64_t now_us, const link_address_t *address,
                        const world_request_t *request, account_info_t *out, match_refusal_t *refusal) {
  world_lookup_t *item = find_item(l, request);
  if (item && !item->is_used)
    begin_item(l, item, now_us, address, request);
  if (item && item->statement.is_busy)
    world_statements_wait(l->statements, &item->statement, l->wait_end_ns);
  if (!item || item->statement.is_busy)
    return match_refusal_set(refusal, MATCH_REFUSAL_ROOM_STARTS, WORLD_LOOKUP_ASK_AGAIN_MS);
  item->is_used = false;
  *out = item->account;
  if (!item->is_allowed)
    *refusal = item->refusal;
  return item->is_allowed;
}

void world_lookups_want(world_lookups_t *l, const account_info_t *account) {
  world_want_t *free_item = NULL;
  for (uint32_t i = 0; i < WORLD_MAX_LOOKUPS; ++i) {
    world_want_t *want = &l->wants[i];
    if (want->statement.is_busy && want->account.id == account->id)
      return;
    if (!want->statement.is_busy)
      free_item = want;
  }
  if (!free_item)
    return;
  *free_item = (world_want_t){.statement = {.execute = execute_want}, .accounts = &l->accounts, .account = *account};
  world_statements_add(l->statements, &free_item->statement);
}
