// Chat of a match: lines that a machine sends to the host, which passes them on to all. Not part of the world.
#ifndef SHOAL_MATCH_MATCH_CHAT_H
#define SHOAL_MATCH_MATCH_CHAT_H

#include "match/match_state.h"

// Read the content of a message CHAT. Return false if it is malformed. The host drops the line if the machine sends too
// many, or has left.
bool match_chat_read_host(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size);
bool match_chat_read_peer(match_o *m, const uint8_t *bytes, size_t size);

#endif
