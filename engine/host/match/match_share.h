// Shared reloads: the host forwards changed code to all machines, and each machine tries it. If all machines accept the
// code, the host adds a RELOAD record. A joining machine receives all changes before its snapshot.
#ifndef SHOAL_MATCH_MATCH_SHARE_H
#define SHOAL_MATCH_MATCH_SHARE_H

#include "match/match_state.h"

// Puts the next bytes of the changes into the stream, as many as fit.
void match_share_push(match_o *m, connection_t *c);
// Ends the trial, and drops proposals. Call when the machine changes its role or its connection.
void match_share_reset(match_o *m);

// --- host

void match_share_update_host(match_o *m, int64_t now_us);
// Queues all code changes for a peer, before its snapshot.
void match_share_send_code(match_o *m, connection_t *c);
// Reads a message of a peer. Returns true if the type of the message belongs to shared reloads. If the host owns the
// code, returns false for PROPOSE. Sets the connection's failure if the message is malformed.
bool match_share_read_host(match_o *m, connection_t *c, const uint8_t *message, size_t size);

// --- peer

void match_share_update_peer(match_o *m, int64_t now_us);
bool match_share_read_peer(match_o *m, connection_t *c, const uint8_t *message, size_t size);
// Returns true while the machine loads the code that a snapshot requires. Further messages must wait.
bool match_share_is_loading(const match_o *m);
// Applies a RELOAD record. Returns true on success. Returns false, and sets the connection's failure, if this machine
// has not tried the code or cannot switch to it.
bool match_share_reload(match_o *m, const record_t *record);

#endif
