// Accounts of the players who request rooms.
#include "serve/world_accounts.h"

#include "base/hash.h"
#include "base/log.h"
#include "match/match_files.h"

#include <sodium.h>
#include <stdio.h>

#define NETWORK_BYTES 8u // size of the network prefix of an IPv6 address

_Static_assert(MATCH_ACCOUNT_BYTES == ACCOUNT_DIGEST_BYTES && MATCH_PASSWORD_HASH_BYTES == ACCOUNT_DIGEST_BYTES,
               "the database stores digests of accounts and codes");

static bool note_failure(world_accounts_t *a, store_result_t result, const error_info_t *error) {
  if (result != STORE_DONE && !a->has_failed)
    log_error(a->log, "%s", error->text);
  a->has_failed = result != STORE_DONE;
  return result == STORE_DONE;
}

static uint32_t find_slot(const link_address_t *address) {
  size_t size = link_address_is_ipv4(address) ? sizeof address->ip : NETWORK_BYTES;
  return (uint32_t)(hash_bytes(address->ip, size, 1) % WORLD_ACCOUNTS_SLOTS);
}

// Returns the time in seconds until the address may create an account, or 0 if it may.
static uint32_t get_delay_s(const world_accounts_t *a, int64_t now_us, const link_address_t *address) {
  uint32_t slot = find_slot(address);
  int64_t end_us = a->created[slot].since_us + WORLD_ACCOUNTS_HOUR_US;
  if (link_address_is_local(address) || a->created[slot].count < WORLD_ACCOUNTS_MAX_NEW || now_us >= end_us)
    return 0;
  return (uint32_t)((end_us - now_us + 999999) / 1000000);
}

static void count_new(world_accounts_t *a, int64_t now_us, const link_address_t *address) {
  uint32_t slot = find_slot(address);
  if (a->created[slot].count == 0 || now_us - a->created[slot].since_us >= WORLD_ACCOUNTS_HOUR_US) {
    a->created[slot].since_us = now_us;
    a->created[slot].count = 0;
  }
  ++a->created[slot].count;
}

// Creates the account, or gives a reset account its new digest. Failed attempts with a code count as creations, too,
// because the number of guesses must be limited.
static bool create(world_accounts_t *a, int64_t now_us, const link_address_t *address, const world_request_t *request,
                   const uint8_t *digest, account_info_t *out, match_refusal_t *refusal) {
  uint8_t code[ACCOUNT_DIGEST_BYTES];
  error_info_t error = {0};
  uint32_t delay_s = get_delay_s(a, now_us, address);
  bool has_code = !sodium_is_zero(request->code, sizeof request->code);
  if (a->needs_invite && !has_code)
    return match_refusal_set(refusal, MATCH_REFUSAL_CODE, 0);
  if (delay_s > 0)
    return match_refusal_set(refusal, MATCH_REFUSAL_MANY_ACCOUNTS, delay_s);
  match_account_digest(request->code, code);
  account_desc_t desc = {
      .digest = digest, .code = has_code ? code : NULL, .name = request->name, .needs_invite = a->needs_invite};
  store_result_t result = world_store_open_account(a->store, a->owner, &desc, out, &error);
  if (!note_failure(a, result, &error))
    return match_refusal_set(refusal, MATCH_REFUSAL_ROOM_STARTS, WORLD_ACCOUNTS_ASK_AGAIN_MS);
  count_new(a, now_us, address);
  if (out->exists)
    log_info(a->log, "account %lld: %s joins the world", (long long)out->id, out->name);
  return out->exists || match_refusal_set(refusal, MATCH_REFUSAL_CODE, 0);
}

bool world_accounts_find(world_accounts_t *a, int64_t now_us, const link_address_t *address,
                         const world_request_t *request, account_info_t *out, match_refusal_t *refusal) {
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  error_info_t error = {0};
  *out = (account_info_t){0};
  if (sodium_is_zero(request->account, sizeof request->account))
    return match_refusal_set(refusal, MATCH_REFUSAL_NO_ACCOUNT, 0);
  match_account_digest(request->account, digest);
  store_result_t result = world_store_find_account(a->store, digest, out, &error);
  if (!note_failure(a, result, &error))
    return match_refusal_set(refusal, result == STORE_DAMAGED ? MATCH_REFUSAL_NO_ACCOUNT : MATCH_REFUSAL_ROOM_STARTS,
                             WORLD_ACCOUNTS_ASK_AGAIN_MS);
  if (!out->exists && !create(a, now_us, address, request, digest, out, refusal))
    return false;
  if (out->banned_s == 0)
    return true;
  match_refusal_set(refusal, MATCH_REFUSAL_ACCOUNT_BANNED,
                    (uint32_t)(out->banned_s < UINT32_MAX ? out->banned_s : UINT32_MAX));
  (void)snprintf(refusal->texts[0], sizeof refusal->texts[0], "%.63s", out->reason);
  return false;
}

void world_accounts_want(world_accounts_t *a, const account_info_t *account) {
  error_info_t error = {0};
  note_failure(a, world_store_want_account(a->store, account->id, &error), &error);
}

bool world_accounts_make_code(const char *database, char code[MATCH_ACCOUNT_CODE_BYTES],
                              uint8_t digest[ACCOUNT_DIGEST_BYTES], error_info_t *error) {
  uint8_t seed[SEAL_KEY_BYTES], public_key[SEAL_KEY_BYTES], secret_key[SEAL_KEY_BYTES];
  uint8_t hash[MATCH_PASSWORD_HASH_BYTES];
  if (!match_files_read_world_secret(database, seed, error))
    return false;
  crypto_kx_seed_keypair(public_key, secret_key, seed); // the seal derives the same keys
  match_account_make_code(code);
  match_account_hash_code(code, public_key, hash);
  match_account_digest(hash, digest);
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(secret_key, sizeof secret_key);
  return true;
}
