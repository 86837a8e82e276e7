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

void match_account_digest(const uint8_t *account, uint8_t out[MATCH_ACCOUNT_BYTES]) {
  crypto_generichash(out, MATCH_ACCOUNT_BYTES, account, MATCH_ACCOUNT_BYTES, NULL, 0);
}

void match_account_make_code(char out[MATCH_ACCOUNT_CODE_BYTES]) {
  static const char LETTERS[] = "abcdefghjkmnpqrstuvwxyz23456789"; // alphabet without letters that look alike
  for (uint32_t i = 0; i + 1 < MATCH_ACCOUNT_CODE_BYTES; ++i)
    out[i] = i % 5 == 4 ? '-' : LETTERS[randombytes_uniform(sizeof LETTERS - 1)];
  out[MATCH_ACCOUNT_CODE_BYTES - 1] = '\0';
}

void match_account_hash_code(const char *code, const uint8_t *world_key, uint8_t out[MATCH_PASSWORD_HASH_BYTES]) {
  char text[MATCH_MAX_PASSWORD_BYTES + 1];
  size_t at = 0;
  for (; *code && at < MATCH_MAX_PASSWORD_BYTES; ++code)
    if (*code != ' ' && *code != '-')
      text[at++] = (char)(*code >= 'A' && *code <= 'Z' ? *code + 'a' - 'A' : *code);
  text[at] = '\0';
  match_account_hash_password(text, world_key, out);
  sodium_memzero(text, sizeof text);
}
