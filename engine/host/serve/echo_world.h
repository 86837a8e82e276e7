// A world without a simulation: it confirms each record with the record's own hash, and discards the host's state. A
// machine with this world takes part in a match at a fraction of the cost, and its inputs reach the remaining machines.
// The world predicts nothing, and reports no desync. It accepts the code that a host sends to joining machines, and
// refuses all proposals to change this code: the machine must then join again.
#ifndef SHOAL_SERVE_ECHO_WORLD_H
#define SHOAL_SERVE_ECHO_WORLD_H

#include "match/match.h"

typedef struct echo_world_t {
  uint64_t code, tried_code; // hashes of the host's code
} echo_world_t;

// Returns the callbacks of a world, for peers only. `w` must be zero-initialized, and outlive the match.
match_world_t echo_world_get(echo_world_t *w);

#endif
