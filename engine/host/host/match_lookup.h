// Looks up the address of a host on a thread, because a name server may not answer for seconds.
#ifndef SHOAL_HOST_MATCH_LOOKUP_H
#define SHOAL_HOST_MATCH_LOOKUP_H

#include "base/error.h"
#include "link/link_address.h"

typedef struct match_lookup_o match_lookup_o;

// Starts a lookup. `text`: "example.org:4711" or a numeric address, as for link_udp_resolve; copied.
match_lookup_o *match_lookup_begin(const char *text, uint16_t default_port);
// Returns true once the lookup has ended. Then sets `*found` to true and stores the address in `out` or, if the lookup
// failed, sets `*found` to false and stores the error. Returns false while the lookup runs.
bool match_lookup_poll(match_lookup_o *lookup, bool *found, link_address_t *out, error_info_t *error);
// Frees the lookup. Does not wait: the thread of a running lookup frees it later. Accepts NULL.
void match_lookup_end(match_lookup_o *lookup);

#endif
