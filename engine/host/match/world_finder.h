// Asks a served world for the port of a room (world_request.h), in a separate session, so that a running match can
// continue in the meantime.
#ifndef SHOAL_MATCH_WORLD_FINDER_H
#define SHOAL_MATCH_WORLD_FINDER_H

#include "link/seal.h"
#include "match/world_request.h"

typedef struct world_finder_o world_finder_o;

typedef enum world_finder_state_t {
  WORLD_FINDER_ASKING,
  WORLD_FINDER_ANSWERED,
  WORLD_FINDER_NO_ANSWER // no process answers at the world's address
} world_finder_state_t;

typedef struct world_finder_desc_t {
  const link_t *link;            // link for the question; NULL: the finder opens a UDP socket
  const char *address;           // address of the finder's socket, as in link_udp_desc_t
  link_address_t world;          // address of the world
  world_request_t request;       // request; the finder ignores its account and code
  const uint8_t *account_secret; // secret of the user's accounts (SEAL_KEY_BYTES), copied; NULL: no account
  const char *code;              // invitation code or reset code; copied; NULL or "": no code
} world_finder_desc_t;

// Sends a request. Returns the finder, or NULL with a message if the system provides no socket or no random numbers.
world_finder_o *world_finder_create(const world_finder_desc_t *desc, int64_t now_us, error_info_t *error);
void world_finder_destroy(world_finder_o *f); // accepts NULL
// Receives and repeats datagrams. Stores the answer in `out` once the state is WORLD_FINDER_ANSWERED. If the answer is
// unreadable, its number is MATCH_REFUSAL_VERSION.
world_finder_state_t world_finder_poll(world_finder_o *f, int64_t now_us, match_refusal_t *out);
// Returns the public key (SEAL_KEY_BYTES) of the process that has answered. The finder does not check the key: the
// caller must check it before using the answer. A process with a wrong key gets only hashes that are useless elsewhere.
const uint8_t *world_finder_get_key(const world_finder_o *f);

#endif
