// UDP sockets. One socket receives from all addresses. Each peer has an additional socket on the same port, connected
// to the peer, in which the kernel queues the peer's datagrams. A flood from other addresses fills the first socket's
// buffer within milliseconds, but does not displace the datagrams of peers.
#include "link/link_udp.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "link/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOCKET_BUFFER_BYTES (1u << 20) // requested size; the kernel may grant less
#define MAX_INTERFACES 64u
#define LOOPBACK 0x7f000001u // 127.0.0.1
#define MAX_DROPPED 64u      // maximum number of empty or oversized datagrams skipped per call

typedef struct udp_peer_t {
  link_address_t address;
  wait_handle_t socket;
} udp_peer_t;

struct link_udp_o {
  socket_family_t family; // SOCKET_IPV6, which includes IPv4, or SOCKET_IPV4 if the machine has no IPv6
  wait_handle_t socket;
  link_address_t bound;
  int send_error; // errno of the most recent failure since link_udp_check; 0: no failure
  udp_peer_t peers[LINK_UDP_MAX_PEERS];
  uint32_t peer_count;
  uint32_t next_socket; // index of the socket to read next: 0 for `socket`, i + 1 for the socket of peers[i]
  bool is_ready[LINK_UDP_MAX_SOCKETS]; // sockets with unread datagrams, as far as known
  // Datagrams that have been read but not delivered
  uint32_t batch_count, batch_at;
  socket_batch_t batch;
  uint8_t bytes[SOCKET_BATCH][LINK_DATAGRAM_BYTES + 1]; // one more byte reveals oversized datagrams
};

// --- addresses

bool link_udp_resolve(const char *text, uint16_t default_port, link_address_t *out, error_info_t *error) {
  char name[256];
  error_info_t unused = {0};
  const char *colon = strrchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  if (link_address_parse(text, default_port, out, &unused))
    return true;
  // A host name contains at least one character that an address cannot contain. For other strings, report the malformed
  // address.
  if (strspn(text, "0123456789.:[]") == strlen(text) || text[0] == '[' || length == 0 || length >= sizeof name)
    return link_address_parse(text, default_port, out, error);
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  char numeric[64];
  snprintf(numeric, sizeof numeric, "127.0.0.1%.20s", colon ? colon : "");
  if (!link_address_parse(numeric, default_port, out, &unused))
    return error_set(error, "address \"%.200s\": port must be a number in [1, 65535]", text);
  uint16_t port = out->port;
  bool ok = socket_resolve(name, out, error);
  out->port = port;
  return ok;
}

static link_address_t find_first_interface_address(void) {
  link_address_t interfaces[MAX_INTERFACES];
  uint32_t count = socket_list_interfaces(interfaces, MAX_INTERFACES), i = 0;
  while (i < count && link_address_is_local(&interfaces[i]))
    ++i;
  return i < count ? interfaces[i] : link_address_from_ipv4(LOOPBACK, 0);
}

// Finds the source address of the default route: the address that the kernel chooses for datagrams to `documentation`,
// an address that is reserved for documentation. Connecting a UDP socket sends nothing. Returns true on success, or
// false if there is no default route.
static bool find_route_source(socket_family_t family, const char *documentation, link_address_t *out) {
  link_address_t target;
  wait_handle_t socket = socket_open_udp(&(socket_udp_desc_t){.family = family});
  bool ok = link_address_parse(documentation, 9, &target, NULL) && socket != WAIT_NONE &&
            socket_connect_udp(socket, family, &target) && socket_get_address(socket, out);
  socket_close(socket);
  out->port = 0;
  return ok;
}

uint32_t link_udp_find_own_addresses(link_address_t out[LINK_UDP_MAX_OWN_ADDRESSES]) {
  uint32_t count = find_route_source(SOCKET_IPV4, "192.0.2.1", &out[0]);
  count += find_route_source(SOCKET_IPV6, "2001:db8::1", &out[count]);
  if (count > 0)
    return count;
  out[0] = find_first_interface_address();
  return 1;
}

// --- sockets

// Opens a socket that is bound to the link's address. Returns its handle, or WAIT_NONE with errno on failure.
static wait_handle_t open_socket(const link_udp_o *udp, bool is_shared) {
  return socket_open_udp(&(socket_udp_desc_t){
      .family = udp->family, .address = udp->bound, .buffer_bytes = SOCKET_BUFFER_BYTES, .is_shared = is_shared});
}

static bool bind_family(link_udp_o *udp, socket_family_t family, const link_address_t *address) {
  udp->family = family;
  udp->bound = *address;
  udp->socket = open_socket(udp, false);
  return udp->socket != WAIT_NONE;
}

link_udp_o *link_udp_create(const link_udp_desc_t *desc, error_info_t *error) {
  link_address_t address = {0};
  if (desc->address && !link_address_parse(desc->address, 1, &address, error))
    return NULL;
  address.port = desc->port;
  link_udp_o *udp = alloc_object(sizeof *udp);
  // If no address is given, the IPv4 socket is bound to 0.0.0.0, whose bytes are the last four of ::.
  if (!bind_family(udp, SOCKET_IPV6, &address) &&
      (errno == EADDRINUSE || errno == EACCES || (desc->address && !link_address_is_ipv4(&address)) ||
       !bind_family(udp, SOCKET_IPV4, &address))) {
    error_set(error, "cannot open UDP port %u%s%s: %s%s", desc->port, desc->address ? " of " : "",
              desc->address ? desc->address : "", socket_error_text(errno),
              errno == EADDRINUSE ? ": choose a different port, or end the program that uses it" : "");
    free(udp);
    return NULL;
  }
  socket_get_address(udp->socket, &udp->bound);
  udp->batch = (socket_batch_t){.bytes = udp->bytes[0], .capacity = sizeof udp->bytes[0]};
  return udp;
}

void link_udp_destroy(link_udp_o *udp) {
  if (!udp)
    return;
  for (uint32_t i = 0; i < udp->peer_count; ++i)
    socket_close(udp->peers[i].socket);
  socket_close(udp->socket);
  free(udp);
}

uint16_t link_udp_get_port(const link_udp_o *udp) {
  return udp->bound.port;
}

bool link_udp_check(link_udp_o *udp, error_info_t *error) {
  int failure = udp->send_error;
  udp->send_error = 0;
  return failure == 0 || error_set(error, "cannot send UDP datagrams: %s", socket_error_text(failure));
}

static uint32_t find_peer(const link_udp_o *udp, const link_address_t *address) {
  uint32_t i = 0;
  while (i < udp->peer_count && !link_address_equals(&udp->peers[i].address, address))
    ++i;
  return i;
}

// Allows or forbids binding another socket to the port. Allowed only while a peer's socket is opened, so that no other
// program can bind the port.
static void set_shared(link_udp_o *udp, bool is_shared) {
  socket_set_shared(udp->socket, is_shared);
  for (uint32_t i = 0; i < udp->peer_count; ++i)
    socket_set_shared(udp->peers[i].socket, is_shared);
}

static void udp_set_peer(void *context, const link_address_t *address, bool is_peer) {
  link_udp_o *udp = context;
  uint32_t i = find_peer(udp, address);
  memset(udp->is_ready, 0, sizeof udp->is_ready); // the indices of the sockets change
  if (is_peer && i == udp->peer_count && i < LINK_UDP_MAX_PEERS) {
    set_shared(udp, true);
    wait_handle_t socket = open_socket(udp, true);
    if (socket != WAIT_NONE && socket_connect_udp(socket, udp->family, address))
      udp->peers[udp->peer_count++] = (udp_peer_t){*address, socket};
    else
      socket_close(socket); // the first socket receives the peer's datagrams
    set_shared(udp, false);
  } else if (!is_peer && i < udp->peer_count) {
    socket_close(udp->peers[i].socket);
    udp->peers[i] = udp->peers[--udp->peer_count];
  }
}

static bool udp_send(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  link_udp_o *udp = context;
  (void)now_us;
  shoal_assert(size > 0 && size <= LINK_DATAGRAM_BYTES, "datagram of %zu bytes is out of range [1, 1200]", size);
  for (uint32_t tries = 0; tries < 3; ++tries) {
    if (socket_send_to(udp->socket, udp->family, to, bytes, size))
      return true;
    // ECONNREFUSED: an earlier datagram was refused, and this datagram has not been sent yet
    if (errno != ECONNREFUSED)
      break;
  }
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS && errno != ECONNREFUSED)
    udp->send_error = errno;
  return false;
}

// Waits until a socket is readable, and marks the readable sockets in `is_ready`. Returns true, or false if the time
// has passed or a signal has arrived before any socket is readable.
static bool poll_sockets(link_udp_o *udp, int64_t timeout_us) {
  wait_t sockets[LINK_UDP_MAX_SOCKETS] = {{.handle = udp->socket, .requested = WAIT_READ}};
  uint32_t count = udp->peer_count + 1;
  for (uint32_t i = 1; i < count; ++i)
    sockets[i] = (wait_t){.handle = udp->peers[i - 1].socket, .requested = WAIT_READ};
  int ready = wait_for_any(sockets, count, timeout_us);
  for (uint32_t i = 0; i < count && ready > 0; ++i)
    udp->is_ready[i] |= sockets[i].ready != 0;
  return ready > 0;
}

// Reads the next batch from one of the sockets in `is_ready`; the sockets take turns. Returns true if the batch
// contains datagrams.
static bool read_ready(link_udp_o *udp) {
  for (uint32_t i = 0; i <= udp->peer_count && udp->batch_count == 0; ++i) {
    uint32_t at = udp->next_socket++ % (udp->peer_count + 1);
    if (!udp->is_ready[at])
      continue;
    udp->batch_count =
        socket_receive_batch(at == 0 ? udp->socket : udp->peers[at - 1].socket, &udp->batch, SOCKET_BATCH);
    udp->is_ready[at] = udp->batch_count == SOCKET_BATCH;
  }
  return udp->batch_count > 0;
}

// Reads the next batch. Returns true if it contains datagrams, or false if no socket has a datagram. With peers, polls
// all sockets in one system call instead of reading the empty ones.
static bool read_batch(link_udp_o *udp) {
  udp->batch_at = udp->batch_count = 0;
  if (udp->peer_count == 0)
    udp->is_ready[0] = true;
  return read_ready(udp) || (udp->peer_count > 0 && poll_sockets(udp, 0) && read_ready(udp));
}

void link_udp_wait(link_udp_o *udp, int64_t timeout_us) {
  if (udp->batch_at == udp->batch_count && timeout_us > 0)
    poll_sockets(udp, timeout_us);
}

uint32_t link_udp_list_sockets(const link_udp_o *udp, wait_handle_t *out) {
  out[0] = udp->socket;
  for (uint32_t i = 0; i < udp->peer_count; ++i)
    out[i + 1] = udp->peers[i].socket;
  return udp->peer_count + 1;
}

static size_t udp_receive(void *context, int64_t now_us, link_address_t *from, uint8_t *out) {
  link_udp_o *udp = context;
  (void)now_us;
  for (uint32_t dropped = 0; dropped < MAX_DROPPED; ++dropped) {
    if (udp->batch_at == udp->batch_count && !read_batch(udp))
      return 0;
    uint32_t at = udp->batch_at++;
    size_t size = udp->batch.sizes[at];
    if (size == 0 || size > LINK_DATAGRAM_BYTES)
      continue;
    *from = udp->batch.senders[at];
    memcpy(out, udp->bytes[at], size);
    return size;
  }
  return 0;
}

link_t link_udp_get_link(link_udp_o *udp) {
  return (link_t){.context = udp, .send = udp_send, .receive = udp_receive, .set_peer = udp_set_peer};
}
