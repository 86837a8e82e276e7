// Messages between a player's machine and a served world. The machine asks the world's port for a room; the answer is a
// refusal (match_refusal.h), which names the room's port or the reason. The machine then joins the room like any match.
// All processes of a world have the same key.
//
//   request: "SHOALWORLD" (10), version (1), flags (1), account (32), hash of a code (32), size of the player's name
//     (1), name, size of the room's name (1), name
//   flags: 1: the machine has players in the room; 2: the machine only watches
//
// A request is the payload of a JOIN (link/seal.h), so it is encrypted, and the asking machine has proved its address.
// match_account.h computes the account and the hash from the world's key, so a process with a different key gets values
// that are useless elsewhere.
#ifndef SHOAL_MATCH_WORLD_REQUEST_H
#define SHOAL_MATCH_WORLD_REQUEST_H

#include "match/match.h"

#define WORLD_ROOM_BYTES 40u // maximum size of a room's name, including '\0'
#define WORLD_REQUEST_BYTES (78u + PLAYER_NAME_BYTES + WORLD_ROOM_BYTES)

// Positions in a request.
enum { WORLD_REQUEST_ACCOUNT = 12, WORLD_REQUEST_CODE = 44 };

typedef struct world_request_t {
  char room[WORLD_ROOM_BYTES];             // name of a room, with or without its number; "": any room
  bool returns;                            // true if the machine has players in this room who lost their connection
  bool watches;                            // true if the machine has no players
  uint8_t account[MATCH_ACCOUNT_BYTES];    // account of the user at this world; zero: unknown
  uint8_t code[MATCH_PASSWORD_HASH_BYTES]; // hash of an invitation code or a reset code; zero: no code
  char name[PLAYER_NAME_BYTES];            // name of the first player; "": no name
} world_request_t;

// Writes a request to `out` (WORLD_REQUEST_BYTES). Returns the size.
size_t world_request_write(const world_request_t *request, uint8_t *out);
// Reads a request. Returns true on success, or false if the bytes are not a request of this version. Safe for untrusted
// bytes.
bool world_request_read(const uint8_t *bytes, size_t size, world_request_t *out);

// Fills in the answer MATCH_REFUSAL_ROOM. `process`: number of the room's process. It differs from the numbers of
// earlier processes, so that a machine can distinguish a slow room from a room that has started again.
void world_answer_set_room(match_refusal_t *out, const char *room, uint16_t port, uint64_t process);
// Reads the answer MATCH_REFUSAL_ROOM. Returns true on success, or false for a different or malformed answer. Safe for
// untrusted bytes.
bool world_answer_get_room(const match_refusal_t *answer, uint16_t *port, uint64_t *process);

#endif
