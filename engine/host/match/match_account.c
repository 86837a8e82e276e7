// Computes accounts and password hashes as keyed hashes of libsodium.
#include "match/match_account.h"

#include "link/seal_message.h"

#include <sodium.h>
#include <string.h>

_Static_assert(MATCH_ACCOUNT_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");
_Static_assert(MATCH_PASSWORD_HASH_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");

void match_account_compute(const uint8_t *secret, const uint8_t *host_key, uint8_t out[MATCH_ACCOUNT_BYTES]) {
  crypto_generichash(out, MATCH_ACCOUNT_BYTES, host_key, SEAL_KEY_BYTES, secret, SEAL_KEY_BYTES);
}

void match_account_hash_password(const char *password, const uint8_t *host_key,
                                 uint8_t out[MATCH_PASSWORD_HASH_BYTES]) {
  crypto_generichash(out, MATCH_PASSWORD_HASH_BYTES, (const uint8_t *)password, strlen(password), host_key,
                     SEAL_KEY_BYTES);
}
