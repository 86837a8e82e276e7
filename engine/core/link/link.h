// A link: carries datagrams between addresses. Datagrams may be lost, duplicated, delayed and reordered, and arrive
// from any sender: open them with link/seal.h before parsing them. Implementations are link/link_udp.h and
// link/link_sim.h.
//
// A link never blocks, has no thread, and reads no clock: the caller passes the time in microseconds, from any start,
// and never a smaller value than before. All calls on one link must come from the same thread.
#ifndef SHOAL_LINK_LINK_H
#define SHOAL_LINK_LINK_H

#include "link/link_address.h"

#include <stddef.h>

// Maximum size of a datagram: fits the minimum MTU of IPv6 (1,280 bytes) with its headers.
#define LINK_DATAGRAM_BYTES 1200u

// Returned by the implementations, which own `context` and must outlive all users of the link.
typedef struct link_t {
  void *context;
  bool (*send)(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size);
  size_t (*receive)(void *context, int64_t now_us, link_address_t *from, uint8_t *out);
  // Optional (NULL): reserves or releases resources for datagrams from `peer`.
  void (*set_peer)(void *context, const link_address_t *peer, bool is_peer);
} link_t;

// Sends a copy of a datagram; `size` must be in [1, LINK_DATAGRAM_BYTES]. Returns true if the datagram was sent, which
// does not guarantee its arrival, or false if it was certainly not sent, because of a full buffer or an unreachable
// network.
static inline bool link_send(const link_t *link, int64_t now_us, const link_address_t *to, const void *bytes,
                             size_t size) {
  return link->send(link->context, now_us, to, bytes, size);
}

// Receives the next datagram that has arrived by `now_us`: copies it to `out` (caller's buffer of LINK_DATAGRAM_BYTES)
// and its sender to `from`. Returns the size, or 0 if no datagram has arrived. Drops empty and larger datagrams.
static inline size_t link_receive(const link_t *link, int64_t now_us, link_address_t *from, uint8_t *out) {
  return link->receive(link->context, now_us, from, out);
}

// Marks an address as a peer's address, or removes the mark. Datagrams from peers then have their own receive buffer,
// which a flood from other addresses cannot fill. Only a hint: each link delivers datagrams from all addresses.
static inline void link_set_peer(const link_t *link, const link_address_t *peer, bool is_peer) {
  if (link->set_peer)
    link->set_peer(link->context, peer, is_peer);
}

#endif
