// Values by which a host recognizes a user or a password. Both depend on the host's key, so a host cannot use values
// that it has received to join a different host.
#ifndef SHOAL_MATCH_MATCH_ACCOUNT_H
#define SHOAL_MATCH_MATCH_ACCOUNT_H

#include "match/match.h"

#define MATCH_MAX_PASSWORD_BYTES 128u
#define MATCH_ACCOUNT_CODE_BYTES 15u // size of a code for an account, such as "abcd-efgh-jkmn", with the '\0'

// Computes the account of a user at a host: BLAKE2b-256 of the host's public key, keyed with the user's secret. Both
// have SEAL_KEY_BYTES.
void match_account_compute(const uint8_t *secret, const uint8_t *host_key, uint8_t out[MATCH_ACCOUNT_BYTES]);

// Computes the password hash for a request to the host with this public key (SEAL_KEY_BYTES). `password`: at most
// MATCH_MAX_PASSWORD_BYTES.
void match_account_hash_password(const char *password, const uint8_t *host_key, uint8_t out[MATCH_PASSWORD_HASH_BYTES]);

// Computes the BLAKE2b-256 digest under which a world's database stores an account or the hash of a code. `account`:
// the account or the hash (MATCH_ACCOUNT_BYTES).
void match_account_digest(const uint8_t *account, uint8_t out[MATCH_ACCOUNT_BYTES]);
// Writes a random code for an account.
void match_account_make_code(char out[MATCH_ACCOUNT_CODE_BYTES]);
// Computes the hash of a code for a request to the world with this public key (SEAL_KEY_BYTES). Ignores case, spaces
// and hyphens. At most MATCH_MAX_PASSWORD_BYTES of the code count.
void match_account_hash_code(const char *code, const uint8_t *world_key, uint8_t out[MATCH_PASSWORD_HASH_BYTES]);

#endif
