// Reasons for which a host refuses a machine, sent as numbers with arguments. The joining machine shows the text in its
// own language (host/match_text.c).
//
//   refusal: 0 (1; texts of older hosts never begin with 0), number (varint), value (varint), two strings: size
//     (1) and bytes, list of files (file_hashes.h)
#ifndef SHOAL_MATCH_MATCH_REFUSAL_H
#define SHOAL_MATCH_MATCH_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_REFUSAL_BYTES 256u     // maximum size of the encoded form
#define MATCH_REFUSAL_HEAD_BYTES 12u // maximum size of a refusal without strings and files
#define MATCH_REFUSAL_TEXTS 2u
#define MATCH_REFUSAL_TEXT_BYTES 64u // maximum size of an argument in `texts`, including '\0'

// The numbers are sent to machines of different versions, so add new reasons at the end.
typedef enum match_refusal_kind_t {
  MATCH_REFUSAL_NONE,
  MATCH_REFUSAL_VERSION,    // different version of Shoal; text 0: hash of the host's engine scripts, or ""
  MATCH_REFUSAL_ARITHMETIC, // different arithmetic (match_identity.h); text 0: the host's arithmetic
  MATCH_REFUSAL_PLUGINS,    // different plugins; texts: a plugin that the joiner lacks, a plugin that the host lacks
  MATCH_REFUSAL_FILES,      // different files of the game; `files`: list of files
  MATCH_REFUSAL_CHANGED,    // the players have changed the game, and the joiner accepts no changed code
  MATCH_REFUSAL_FULL,       // the match is full; `value`: maximum number of players
  MATCH_REFUSAL_OVER,       // the match has ended
  MATCH_REFUSAL_DECLINED,   // the host's user has refused the request
  MATCH_REFUSAL_REMOVED,    // the host has removed the player from this match
  MATCH_REFUSAL_BANNED,
  MATCH_REFUSAL_PASSWORD,       // missing or wrong password
  MATCH_REFUSAL_TOO_MANY_TRIES, // too many wrong passwords or requests; `value`: seconds until the next try
  MATCH_REFUSAL_RESERVED,       // the free seats are reserved for players who lost their connection
  // Answers of a served world (world_request.h); `texts[0]`: name of the room
  MATCH_REFUSAL_ROOM,        // success: the room can be joined; `value`: its port; text 1: number of its process
  MATCH_REFUSAL_ROOM_STARTS, // the room starts; `value`: milliseconds until the next request
  MATCH_REFUSAL_NO_ROOM,     // the world has no room of this name; text 1: a similar name, or ""
  MATCH_REFUSAL_ROOM_CLOSED, // players cannot join the room directly
  MATCH_REFUSAL_ROOM_FAILED, // the room cannot start: the operator must repair it
  MATCH_REFUSAL_WORLD,       // the machine has asked for a match, but a served world uses this port
  // Accounts of a served world
  MATCH_REFUSAL_NO_ACCOUNT,     // the machine has sent no account, or an unknown account
  MATCH_REFUSAL_CODE,           // the account is new, and the code of an invitation is missing or wrong
  MATCH_REFUSAL_MANY_ACCOUNTS,  // the address has reached its limit of new accounts; `value`: seconds to wait
  MATCH_REFUSAL_ACCOUNT_BANNED, // the account is banned; `value`: seconds until the ban ends; text 0: reason
  MATCH_REFUSAL_ELSEWHERE,      // the account is in the room of text 0, which has not released it yet
  MATCH_REFUSAL_OWNS_TOO_MUCH,  // the account owns more than a player can bring into a room
  MATCH_REFUSAL_TAKEN,          // an operator edits what the account owns
  // The room of text 0 has refused the code that has written the account's entities; text 1: both codes
  MATCH_REFUSAL_OLD_ROOM,
  MATCH_REFUSAL_COUNT
} match_refusal_kind_t;

// Returns the word for the host in log lines. In a served world, the host is a room.
static inline const char *match_host_title(bool is_world) {
  return is_world ? "the room" : "the host";
}

typedef struct match_refusal_t {
  uint32_t number; // match_refusal_kind_t, or a number of a newer host
  uint32_t value;
  char texts[MATCH_REFUSAL_TEXTS][MATCH_REFUSAL_TEXT_BYTES]; // arguments in UTF-8, truncated when written
  uint8_t files[MATCH_REFUSAL_BYTES];                        // list of the host's files (file_hashes.h)
  size_t file_bytes;                                         // size of `files`; 0: no list of files
} match_refusal_t;

// Writes a refusal to `out` (MATCH_REFUSAL_BYTES). Returns the size.
size_t match_refusal_write(const match_refusal_t *refusal, uint8_t *out);
// Reads a refusal. If its number is unknown, reads only the number. Returns true on success, or false if the bytes are
// malformed, or are a text from an older host. Safe for untrusted bytes.
bool match_refusal_read(const uint8_t *bytes, size_t size, match_refusal_t *out);

// Returns a static description of the reason for developers.
const char *match_refusal_get_details(match_refusal_kind_t number);

// Fills in MATCH_REFUSAL_OLD_ROOM. `code`: number of the room's code. `rows`: number of the code that has written the
// account's entities.
void match_refusal_set_old_room(match_refusal_t *out, const char *room, uint64_t code, uint64_t rows);
// Fills in a reason whose only argument is `value`. Always returns false, so that callers can write `return
// match_refusal_set(…)`.
bool match_refusal_set(match_refusal_t *out, match_refusal_kind_t number, uint32_t value);

#endif
