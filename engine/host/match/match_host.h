// The host's side of a match: accepts peers, runs ticks with the received inputs, and sends records.
#ifndef SHOAL_MATCH_MATCH_HOST_H
#define SHOAL_MATCH_MATCH_HOST_H

#include "match/match_state.h"

// Starts hosting from the current state, which is the state after m->tick. `secret`: SEAL_KEY_BYTES random bytes.
void match_host_start(match_o *m, int64_t now_us, const uint8_t *secret);
// Implements match_accept and match_accept_visit. `visit` and `name` are NULL if a token identifies the machine.
bool match_host_accept(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, const match_visit_t *visit,
                       const char *name, uint8_t *reply, match_refusal_t *refusal);
// Returns the players that take part, except removed players, who leave in the next record. Their places are free.
player_mask_t match_host_get_staying(const match_o *m);
// Implement the functions of match.h.
uint32_t match_host_find_visiting_peer(const match_o *m, const match_visit_t *visit);
bool match_host_is_visited_by(const match_o *m, const match_visit_t *visit);
// Replaces the secret of the match with a new one, which the next update sends to the connected machines.
void match_host_make_key(match_o *m);
// See match_remove_player. `player` is in [0, PLAYER_MAX).
player_mask_t match_host_remove(match_o *m, int64_t now_us, uint32_t player, bool keeps_connection, uint32_t *peer);
void match_host_connect(match_o *m, connection_t *c, int64_t now_us);
void match_host_disconnect(match_o *m, connection_t *c, int64_t now_us, bool keep);
// Reads the messages of the connection's stream, then the unreliable part of a datagram. Returns true on success, or
// false if that part is malformed.
bool match_host_read(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size);
size_t match_host_write(match_o *m, connection_t *c, uint8_t *out); // returns the size of the unreliable part
void match_host_update(match_o *m, int64_t now_us);
// Adds a record without a tick. `hash`: content hash of a RELOAD, otherwise 0.
void match_host_add_record(match_o *m, int64_t now_us, record_kind_t kind, uint64_t hash);

// Frees the arrival of the player with this index.
void match_host_drop_arrival(match_o *m, uint32_t player);

#endif
