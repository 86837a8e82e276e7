// Sockets: UDP for links and local-network searches, TCP on the loopback interface for the cockpit. A socket is a
// handle for process/wait.h, and not a file descriptor. The creator of a socket owns it, and must close it with
// socket_close.
//
// Sockets never block, except sockets that socket_connect_local has returned. Programs that this process starts do not
// inherit sockets. Functions return true, a size or a handle on success; on failure, they return false, -1 or WAIT_NONE
// with errno, whose text socket_error_text returns. Any thread may call the functions, but only one at a time for the
// same socket.
#ifndef SHOAL_LINK_SOCKET_H
#define SHOAL_LINK_SOCKET_H

#include "link/link_address.h"
#include "process/wait.h"

#include <stddef.h>

// Returns the text for an errno that a function of this header has set.
const char *socket_error_text(int failure);
void socket_close(wait_handle_t socket); // accepts WAIT_NONE

// --- addresses

// Parse a numeric address without a port or scope. Return true on success, or false if the text is malformed.
bool socket_parse_ipv4(const char *text, uint8_t out[4]);
bool socket_parse_ipv6(const char *text, uint8_t out[16]);
#define SOCKET_IP_BYTES 46u // size of the text of an address with its '\0'
void socket_format_ip(const link_address_t *address, char out[SOCKET_IP_BYTES]); // omits the port and the scope
// Returns the index of a network interface such as "eth0", or 0 if no interface has this name.
uint32_t socket_find_interface(const char *name);
// Looks up a host's name, and stores its first address with port 0. May block for seconds. Returns true on success, or
// false with a message if the lookup fails.
bool socket_resolve(const char *name, link_address_t *out, error_info_t *error);
// Writes the IPv4 addresses of the interfaces that are up, including the loopback interface, in the system's order. The
// ports are 0. Returns the number of addresses, at most `capacity`, or 0 with errno if no interface is up or the list
// cannot be read.
uint32_t socket_list_interfaces(link_address_t *out, uint32_t capacity);

// --- UDP

typedef enum socket_family_t {
  SOCKET_IPV4,
  SOCKET_IPV6 // includes IPv4
} socket_family_t;

typedef struct socket_udp_desc_t {
  socket_family_t family;
  link_address_t address; // address and port to bind; all zero: a free port on all addresses
  uint32_t buffer_bytes;  // requested size of the buffers, of which the system may grant less; 0: the system's default
  // true if additional sockets may bind the same address and port. The system then delivers a datagram to the socket
  // that is connected to its sender. Opening fails on a system that does not select the socket by the sender.
  bool is_shared;
} socket_udp_desc_t;

// Opens a socket and binds it.
wait_handle_t socket_open_udp(const socket_udp_desc_t *desc);
// Allows or forbids that additional sockets bind the port.
void socket_set_shared(wait_handle_t socket, bool is_shared);
// Restricts a socket to datagrams from one address. Sends nothing. The system then chooses the socket's own address, if
// it was bound to all addresses.
bool socket_connect_udp(wait_handle_t socket, socket_family_t family, const link_address_t *to);
// Reads the socket's own address.
bool socket_get_address(wait_handle_t socket, link_address_t *out);

// Sends a datagram. Returns true, or false with errno: EAGAIN or ENOBUFS if the buffer is full, ECONNREFUSED if an
// earlier datagram was refused (this datagram was not sent), EAFNOSUPPORT for an IPv6 address and an IPv4 socket.
bool socket_send_to(wait_handle_t socket, socket_family_t family, const link_address_t *to, const void *bytes,
                    size_t size);

#define SOCKET_BATCH 32u // maximum number of datagrams read by one call

// Datagrams that were read. The caller sets `bytes` and `capacity`: the buffer of datagram i begins at
// bytes + i * capacity. A longer datagram is truncated to `capacity`, so a buffer with an additional byte reveals it.
typedef struct socket_batch_t {
  uint8_t *bytes;
  size_t capacity;
  size_t sizes[SOCKET_BATCH];
  link_address_t senders[SOCKET_BATCH];
} socket_batch_t;

// Reads up to `count` (at most SOCKET_BATCH) datagrams that have arrived. Returns the number of datagrams, or 0 if no
// datagram has arrived or reading has failed.
uint32_t socket_receive_batch(wait_handle_t socket, socket_batch_t *batch, uint32_t count);

// Joins a multicast group: the socket then receives datagrams for the group that arrive on an interface. The socket's
// family must be SOCKET_IPV4. `interface`: address of the interface.
bool socket_join_group(wait_handle_t socket, const link_address_t *group, const link_address_t *interface);
// Selects the interface on which the socket sends datagrams to multicast groups.
bool socket_set_group_interface(wait_handle_t socket, const link_address_t *interface);

// --- TCP

// Listens on a port of 127.0.0.1. Fails if a different socket listens on the port.
wait_handle_t socket_listen_local(uint16_t port);
// Accepts a connection, which sends small messages without delay. Returns its socket, or WAIT_NONE on failure or if no
// connection has arrived.
wait_handle_t socket_accept(wait_handle_t listener);
// Connects to a port of 127.0.0.1. The socket blocks: sending and receiving wait for at most `timeout_ms`.
wait_handle_t socket_connect_local(uint16_t port, uint32_t timeout_ms);

// Receives up to `bytes` bytes. Returns the number of received bytes, 0 if no bytes have arrived (on a blocking socket:
// within its timeout), or -1 if the peer has ended the connection or the connection has failed.
ptrdiff_t socket_receive(wait_handle_t socket, void *out, size_t bytes);
// Sends up to `count` bytes. Returns the number of bytes sent, 0 if the buffer is full, or -1 if the connection has
// failed. Never raises SIGPIPE.
ptrdiff_t socket_send(wait_handle_t socket, const void *bytes, size_t count);
// Ends this side of the connection: the peer receives all bytes sent, and then the end of the stream. Receiving remains
// possible.
void socket_end_sending(wait_handle_t socket);

#endif
