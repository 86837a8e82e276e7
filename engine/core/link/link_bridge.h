// A simulated network in front of a link: delays, loses, duplicates and reorders the datagrams that the link sends and
// receives, to test a match on a good network under bad conditions.
#ifndef SHOAL_LINK_LINK_BRIDGE_H
#define SHOAL_LINK_LINK_BRIDGE_H

#include "link/link_sim.h"

typedef struct link_bridge_o link_bridge_o;

// Creates a bridge to `link`, which must outlive the bridge. The conditions apply to both directions, as between two
// endpoints of a simulated network, and to at most LINK_SIM_MAX_ENDPOINTS - 1 addresses: datagrams of additional
// addresses are dropped.
link_bridge_o *link_bridge_create(const link_t *link, uint64_t seed, const link_sim_conditions_t *conditions);
void link_bridge_destroy(link_bridge_o *bridge); // accepts NULL

// Changes the conditions for datagrams of both directions from now on.
void link_bridge_set_conditions(link_bridge_o *bridge, const link_sim_conditions_t *conditions);
// Returns this side's link, valid until link_bridge_destroy. Receive from it often: datagrams that are due are sent
// only then.
link_t link_bridge_get_link(link_bridge_o *bridge);

#endif
