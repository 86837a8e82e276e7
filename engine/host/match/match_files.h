// The user's files for matches:
// - the name of the player,
// - the key by which joiners recognize this user's hosts,
// - the secret by which hosts recognize this user,
// - the keys of known hosts, and the banned users,
// - the tokens by which a host recognizes a machine after a crash.
#ifndef SHOAL_MATCH_MATCH_FILES_H
#define SHOAL_MATCH_MATCH_FILES_H

#include "link/link_address.h"
#include "match/match.h"
#include "match/match_account.h"
#include "match/match_guard.h"

#define MATCH_CODE_BYTES 20u // size of "abcd-efgh-jkmn-pqrs" with '\0'

typedef struct game_o game_o;

#define MATCH_FILES_HOST_SECRET "match.key"      // secret of this user's hosts
#define MATCH_FILES_ACCOUNT_SECRET "account.key" // secret of this user's accounts at hosts (match_account.h)

// Reads a secret of this user (SEAL_KEY_BYTES), or creates it in a file that only the user can read. Returns true on
// success. Returns false with a message if the file cannot be read or written. `out` then contains a secret for this
// run only.
bool match_files_read_secret(const char *name, uint8_t *out, error_info_t *error);

// Like match_files_read_secret, for a file at any path.
bool match_files_read_secret_at(const char *path, uint8_t *out, error_info_t *error);
// Writes the path of a file that belongs to the database of a served world, such as world.key for world.db and the
// suffix ".key". Returns true on success, or false with a message if the path does not fit.
bool match_files_find_beside(const char *database, const char *suffix, char *out, size_t bytes, error_info_t *error);
// Reads the secret of a served world from the file with the suffix ".key", or creates it. All processes of the world
// have this secret. If this file is missing, and the folder contains world.key but not world.db, reads world.key.
// Returns true on success, or false with a message.
bool match_files_read_world_secret(const char *database, uint8_t *out, error_info_t *error);
// Writes the path of the file with the world's secret, which need not exist. Returns true on success, or false with a
// message if the path does not fit.
bool match_files_find_world_secret(const char *database, char *out, size_t bytes, error_info_t *error);
// Returns true if the file with the world's secret exists, or false with a message.
bool match_files_require_world_secret(const char *database, error_info_t *error);

// Writes the code of a host's key (SEAL_KEY_BYTES) to `out`: about 79 bits of a hash, short enough to compare or
// dictate. Returns `out`.
char *match_files_format_code(const uint8_t *key, char out[MATCH_CODE_BYTES]);
// Returns true if `code` is the code of the key. Ignores case, spaces and '-'.
bool match_files_check_code(const char *code, const uint8_t *key);

// Reads a password, the first line of a file (1 to MATCH_MAX_PASSWORD_BYTES bytes). A file, unlike an argument, is not
// visible to other users of the machine. Returns true on success, or false with a message if the file cannot be read,
// or the line is empty or too long.
bool match_files_read_password(const char *path, char out[MATCH_MAX_PASSWORD_BYTES + 1], error_info_t *error);

// Reads the player name: the name in the previous match or, before the first match, the name of the user's account.
void match_files_read_name(char out[PLAYER_NAME_BYTES]);
// Stores the name for the next match. Failures are ignored.
void match_files_write_name(const char *name);

// Returns true if the key matches the known key of the host at this address, or if no key of this host is known. Copies
// the code of the known key to `known`, or "" if no key is known. Local addresses have no known keys.
bool match_files_check_host(const link_address_t *host, const uint8_t *key, char known[MATCH_CODE_BYTES]);
// Stores the key of the host at this address, replacing any earlier key. Call once the host has accepted this
// machine: an impostor that only answers must not become a known host. Does nothing for local addresses. Failures are
// ignored.
void match_files_store_host(const link_address_t *host, const uint8_t *key);

// Replaces the bans of the guard with the stored bans. Malformed lines are ignored.
void match_files_read_bans(match_guard_t *guard);
// Stores the bans of the guard. Returns true on success, or false with a message if the file cannot be written.
bool match_files_write_bans(const match_guard_t *guard, error_info_t *error);

// The token of this process, in a locked file in the game's saves folder. If a new process takes over the file of a
// crashed process, the host treats both as the same machine.
typedef struct match_token_t {
  int file; // file descriptor; -1: not open
  char path[640];
  uint8_t bytes[MATCH_TOKEN_BYTES];
  bool is_set; // `bytes` contains the current token, or the token of a crashed process
} match_token_t;

// Locks the first file that is not locked by a running process, and reads its token. Returns true on success, or false
// with a message if the folder cannot be written.
bool match_token_open(match_token_t *t, const game_o *g, error_info_t *error);
// Stores a new token (MATCH_TOKEN_BYTES) in the file.
void match_token_store(match_token_t *t, const uint8_t *token);
// Unlocks the file and, unless `keep` is true, removes it because this machine has left the match.
void match_token_close(match_token_t *t, bool keep);

#endif
