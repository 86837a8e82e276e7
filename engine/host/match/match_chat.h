// Match chat: a machine sends lines to the host, which forwards them to all machines. Not part of the world.
#ifndef SHOAL_MATCH_MATCH_CHAT_H
#define SHOAL_MATCH_MATCH_CHAT_H

#include "match/match_state.h"

// Read the content of a CHAT message. Return true on success, or false if the content is malformed. The host drops
// lines above the rate limit, and lines of players who have left or are muted.
bool match_chat_read_host(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size);
bool match_chat_read_peer(match_o *m, const uint8_t *bytes, size_t size);

#endif
