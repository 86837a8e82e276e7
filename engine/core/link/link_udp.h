// A link over UDP for IPv4 and IPv6: non-blocking sockets, read in batches.
#ifndef SHOAL_LINK_LINK_UDP_H
#define SHOAL_LINK_LINK_UDP_H

#include "link/link.h"
#include "process/wait.h"

#define LINK_UDP_MAX_PEERS 64u // maximum number of peers with their own receive buffer
#define LINK_UDP_MAX_SOCKETS (LINK_UDP_MAX_PEERS + 1u)

typedef struct link_udp_o link_udp_o;

// A zero-initialized description selects a free port on all addresses of the machine.
typedef struct link_udp_desc_t {
  const char *address; // numeric address of the interface to use, such as "127.0.0.1" or "::1"; NULL: all interfaces
  uint16_t port;       // UDP port to use; 0: any free port
} link_udp_desc_t;

// Opens a socket. Returns the link, or NULL with a message if the address is malformed or not an address of this
// machine, the port is in use, or the system refuses a socket.
link_udp_o *link_udp_create(const link_udp_desc_t *desc, error_info_t *error);
void link_udp_destroy(link_udp_o *udp); // accepts NULL

// Returns the link, valid until link_udp_destroy. For up to LINK_UDP_MAX_PEERS peers, link_set_peer opens an additional
// socket on the same port, connected to the peer.
link_t link_udp_get_link(link_udp_o *udp);
uint16_t link_udp_get_port(const link_udp_o *udp);

// Waits until a datagram has arrived, but at most `timeout_us`. Also returns when a signal arrives.
void link_udp_wait(link_udp_o *udp, int64_t timeout_us);

// Writes the handles of all sockets to `out` (LINK_UDP_MAX_SOCKETS), so that the caller can wait for datagrams of
// several links with one system call. The list changes when a peer is set or removed. Returns the number of sockets.
uint32_t link_udp_list_sockets(const link_udp_o *udp, wait_handle_t *out);

// Reports the reason why datagrams could not be sent since the last call, such as an unreachable network. Returns true
// if no such failure occurred, or false with a message. Full buffers are not reported: they count as network losses.
bool link_udp_check(link_udp_o *udp, error_info_t *error);

#define LINK_UDP_MAX_OWN_ADDRESSES 2u
// Finds the addresses at which other machines can reach this machine: the source addresses of the default routes, first
// IPv4, then IPv6. If there is no default route, finds the first IPv4 address that is not local, or else 127.0.0.1.
// Returns the number of addresses, 1 or 2. Their ports are 0.
uint32_t link_udp_find_own_addresses(link_address_t out[LINK_UDP_MAX_OWN_ADDRESSES]);

// Resolves a name with an optional port, such as "example.org:4711", or a numeric address (link_address_parse). May
// block for seconds while the name server does not answer, so call it on a separate thread. Returns true on success, or
// false with a message if the text is malformed or the name is unknown.
bool link_udp_resolve(const char *text, uint16_t default_port, link_address_t *out, error_info_t *error);

#endif
