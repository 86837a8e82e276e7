// Values by which a host recognizes a user or a password. Both depend on the host's key, so a host cannot use values
// that it has received to join a different host.
#ifndef SHOAL_MATCH_MATCH_ACCOUNT_H
#define SHOAL_MATCH_MATCH_ACCOUNT_H

#include "match/match.h"

#define MATCH_MAX_PASSWORD_BYTES 128u

// Computes the account of a user at a host: BLAKE2b-256 of the host's public key, keyed with the user's secret. Both
// have SEAL_KEY_BYTES.
void match_account_compute(const uint8_t *secret, const uint8_t *host_key, uint8_t out[MATCH_ACCOUNT_BYTES]);

// Computes the password hash for a request to the host with this public key (SEAL_KEY_BYTES). `password`: at most
// MATCH_MAX_PASSWORD_BYTES.
void match_account_hash_password(const char *password, const uint8_t *host_key, uint8_t out[MATCH_PASSWORD_HASH_BYTES]);

#endif
