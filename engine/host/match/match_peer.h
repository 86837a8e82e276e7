// Peer and spectator of a match: confirms the host's records, predicts ticks, and sends inputs.
#ifndef SHOAL_MATCH_MATCH_PEER_H
#define SHOAL_MATCH_MATCH_PEER_H

#include "match/match_state.h"

void match_peer_connect(match_o *m, connection_t *c, int64_t now_us);
void match_peer_update(match_o *m, int64_t now_us);
// Reads the unreliable part of a datagram. Returns true on success, or false if it is malformed.
bool match_peer_read(match_o *m, connection_t *c, const uint8_t *bytes, size_t size);
size_t match_peer_write(match_o *m, uint8_t *out); // returns the size of the unreliable part
// Confirms all records that have arrived. Call before closing the connection.
void match_peer_confirm_received(match_o *m, int64_t now_us);
// Discards predicted ticks: restores the last confirmed state.
void match_peer_drop_predictions(match_o *m);

#endif
