// Bridge between a simulated network and a link: the simulated network has an endpoint for this side and one for each
// address on the other side of the link.
#include "link/link_bridge.h"

#include "base/alloc.h"

#include <stdlib.h>

#define MAX_ADDRESSES (LINK_SIM_MAX_ENDPOINTS - 1)
#define MAX_MOVED 1024u // maximum number of datagrams taken from the link per call

struct link_bridge_o {
  link_t link;
  link_sim_o *sim;
  link_address_t own_address;
  link_t own; // endpoint of this side
  link_address_t addresses[MAX_ADDRESSES];
  link_t endpoints[MAX_ADDRESSES]; // endpoints of the addresses
  uint32_t count;
};

link_bridge_o *link_bridge_create(const link_t *link, uint64_t seed, const link_sim_conditions_t *conditions) {
  link_bridge_o *bridge = alloc_object(sizeof *bridge);
  bridge->link = *link;
  bridge->sim = link_sim_create(seed, conditions);
  bridge->own = link_sim_add(bridge->sim, &bridge->own_address); // the address is :: with port 0, which no sender has
  return bridge;
}

void link_bridge_destroy(link_bridge_o *bridge) {
  if (!bridge)
    return;
  link_sim_destroy(bridge->sim);
  free(bridge);
}

void link_bridge_set_conditions(link_bridge_o *bridge, const link_sim_conditions_t *conditions) {
  link_sim_set_conditions(bridge->sim, conditions);
}

// Finds or adds the endpoint of an address. Returns the endpoint, or NULL if the bridge has too many addresses, or if
// `address` is the bridge's own address.
static const link_t *find_endpoint(link_bridge_o *bridge, const link_address_t *address) {
  uint32_t i = 0;
  while (i < bridge->count && !link_address_equals(&bridge->addresses[i], address))
    ++i;
  if (i < bridge->count)
    return &bridge->endpoints[i];
  if (i == MAX_ADDRESSES || link_address_equals(address, &bridge->own_address))
    return NULL;
  bridge->addresses[i] = *address;
  bridge->endpoints[i] = link_sim_add(bridge->sim, address);
  ++bridge->count;
  return &bridge->endpoints[i];
}

static void move_in(link_bridge_o *bridge, int64_t now_us) {
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  size_t size;
  for (uint32_t i = 0; i < MAX_MOVED && (size = link_receive(&bridge->link, now_us, &from, bytes)) > 0; ++i) {
    const link_t *endpoint = find_endpoint(bridge, &from);
    if (endpoint)
      link_send(endpoint, now_us, &bridge->own_address, bytes, size);
  }
}

static void move_out(link_bridge_o *bridge, int64_t now_us) {
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  for (uint32_t i = 0; i < bridge->count; ++i)
    for (size_t size; (size = link_receive(&bridge->endpoints[i], now_us, &from, bytes)) > 0;)
      link_send(&bridge->link, now_us, &bridge->addresses[i], bytes, size);
}

static bool bridge_send(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  link_bridge_o *bridge = context;
  return find_endpoint(bridge, to) && link_send(&bridge->own, now_us, to, bytes, size);
}

static size_t bridge_receive(void *context, int64_t now_us, link_address_t *from, uint8_t *out) {
  link_bridge_o *bridge = context;
  move_in(bridge, now_us);
  move_out(bridge, now_us);
  return link_receive(&bridge->own, now_us, from, out);
}

static void bridge_set_peer(void *context, const link_address_t *peer, bool is_peer) {
  link_bridge_o *bridge = context;
  link_set_peer(&bridge->link, peer, is_peer);
}

link_t link_bridge_get_link(link_bridge_o *bridge) {
  return (link_t){.context = bridge, .send = bridge_send, .receive = bridge_receive, .set_peer = bridge_set_peer};
}
