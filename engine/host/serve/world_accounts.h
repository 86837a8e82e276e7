// Accounts of the players who ask for rooms: finds or creates them, and decides whether they may join the world.
#ifndef SHOAL_SERVE_WORLD_ACCOUNTS_H
#define SHOAL_SERVE_WORLD_ACCOUNTS_H

#include "link/link_address.h"
#include "match/match_account.h"
#include "match/world_request.h"
#include "served/account_rows.h"

#define WORLD_ACCOUNTS_ASK_AGAIN_MS 1000u // time after which a machine asks again while the database does not answer
#define WORLD_ACCOUNTS_MAX_NEW 5u         // number of accounts that an address can create per hour
#define WORLD_ACCOUNTS_HOUR_US INT64_C(3600000000)
#define WORLD_ACCOUNTS_SLOTS 4096u // number of slots that count new accounts; several addresses may share a slot

typedef struct log_o log_o;

typedef struct world_accounts_t {
  world_store_o *store; // connection to the database; borrowed
  int64_t owner;        // number of the world's owner
  bool needs_invite;    // true if new accounts require the code of an invitation
  log_o *log;           // log for failures of the database; borrowed
  bool has_failed;      // true if the database did not answer the latest request; the failure was logged
  struct {
    int64_t since_us;
    uint32_t count;
  } created[WORLD_ACCOUNTS_SLOTS]; // number of accounts that the addresses of a slot have created since `since_us`
} world_accounts_t;

// Finds or creates the account of a request. Addresses of this machine may create any number of accounts. Returns true
// if its player may join the world, otherwise false with the reason.
bool world_accounts_find(world_accounts_t *a, int64_t now_us, const link_address_t *address,
                         const world_request_t *request, account_info_t *out, match_refusal_t *refusal);
// Requests that the account's room releases the account. Only logs a failure, because the player's machine repeats its
// request, which repeats this call.
void world_accounts_want(world_accounts_t *a, const account_info_t *account);

// Makes a random code, and the digest under which the database stores it. The digest depends on the key of the world in
// the folder of the database. Returns true on success, or false with a message if the key cannot be read.
bool world_accounts_make_code(const char *database, char code[MATCH_ACCOUNT_CODE_BYTES],
                              uint8_t digest[ACCOUNT_DIGEST_BYTES], error_info_t *error);

#endif
