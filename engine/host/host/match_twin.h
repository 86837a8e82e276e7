// The host of a match that runs in the same process as its only peer, over a simulated network (--net-sim without
// --host and --join): only the peer's game is shown.
#ifndef SHOAL_HOST_MATCH_TWIN_H
#define SHOAL_HOST_MATCH_TWIN_H

#include "link/link_sim.h"
#include "match/match_identity.h"
#include "match/match_link.h"

typedef struct game_o game_o;
typedef struct match_twin_o match_twin_o;

typedef struct match_twin_desc_t {
  const game_o *game; // game of the peer, whose code the host runs; borrowed
  link_sim_conditions_t conditions;
  const match_identity_t *identity;
  uint32_t local_players; // number of local players on the host
  uint64_t last_tick;     // last tick, as in match_desc_t
} match_twin_desc_t;

// Creates the host's game and its match, which is paused. Returns the twin, or NULL with a message.
match_twin_o *match_twin_create(const match_twin_desc_t *desc, int64_t now_us, error_info_t *error);
void match_twin_destroy(match_twin_o *t); // accepts NULL

match_o *match_twin_get_match(const match_twin_o *t);
// Sets the conditions of the simulated network, such as round trip and loss.
void match_twin_set_conditions(match_twin_o *t, const link_sim_conditions_t *conditions);
link_t match_twin_get_link(const match_twin_o *t); // returns the link of the peer
link_address_t match_twin_get_address(void);       // returns the address of the host on this link
void match_twin_receive(match_twin_o *t, int64_t now_us);
void match_twin_update(match_twin_o *t, int64_t now_us);
void match_twin_send(match_twin_o *t, int64_t now_us);

#endif
