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
  const link_t *link;            // link for the question, or NULL for a UDP socket of the finder
  const char *address;           // address of this socket, as in link_udp_desc_t
  link_address_t world;          // address of the world
  world_request_t request;       // request; its account and code are ignored
  const uint8_t *account_secret; // secret of the user's accounts (SEAL_KEY_BYTES), copied; NULL: no account
  const char *code;              // invitation code or reset code; copied; NULL or "": none
} world_finder_desc_t;

// Sends a request. Returns the finder, or NULL with a message if the system provides no socket or no random numbers.
world_finder_o *world_finder_create(const world_finder_desc_t *desc, int64_t now_us, error_info_t *error);
void world_finder_destroy(world_finder_o *f); // accepts NULL
// Receives and repeats datagrams. Once the state is WORLD_FINDER_ANSWERED, stores the answer in `out`; an unreadable
// answer has the number MATCH_REFUSAL_VERSION.
world_finder_state_t world_finder_poll(world_finder_o *f, int64_t now_us, match_refusal_t *out);
// Returns the public key (SEAL_KEY_BYTES) of the process that has answered. The request is sent to any process that
// answers, and contains only hashes with its key. The caller must therefore check the key before it trusts the answer.
const uint8_t *world_finder_get_key(const world_finder_o *f);

#endif
