// UDP sockets. One socket receives from all addresses. Each peer has an additional socket on the same port, connected
// to the peer, in which the kernel queues the peer's datagrams. A flood from other addresses fills the first socket's
// buffer within milliseconds, but does not displace the datagrams of peers.
#include "link/link_udp.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 32u                     // maximum number of datagrams read by one system call
#define SOCKET_BUFFER_BYTES (1 << 20) // requested size; the kernel may grant less
#define MAX_DROPPED 64u               // maximum number of empty or oversized datagrams skipped per call

typedef struct udp_peer_t {
  link_address_t address;
  int socket;
} udp_peer_t;

struct link_udp_o {
  int family; // AF_INET6, which includes IPv4, or AF_INET if the machine has no IPv6
  int socket;
  struct sockaddr_storage bound;
  socklen_t bound_bytes;
  uint16_t port;
  int send_error; // errno of the most recent failure since link_udp_check; 0: no failure
  udp_peer_t peers[LINK_UDP_MAX_PEERS];
  uint32_t peer_count;
  uint32_t next_socket; // index of the socket to read next: 0 for `socket`, i + 1 for the socket of peers[i]
  bool is_ready[LINK_UDP_MAX_SOCKETS]; // sockets with unread datagrams, as far as known
  // Datagrams that have been read but not delivered
  uint32_t batch_count, batch_at;
  size_t sizes[BATCH];
  struct sockaddr_storage senders[BATCH];
  uint8_t bytes[BATCH][LINK_DATAGRAM_BYTES + 1]; // one more byte reveals oversized datagrams
};

// --- addresses

static socklen_t to_socket_address(int family, const link_address_t *from, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  if (family == AF_INET) {
    struct sockaddr_in *in = (struct sockaddr_in *)out;
    in->sin_family = AF_INET;
    in->sin_port = htons(from->port);
    memcpy(&in->sin_addr, from->ip + 12, 4);
    return sizeof *in;
  }
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons(from->port);
  in6->sin6_scope_id = from->scope;
  memcpy(&in6->sin6_addr, from->ip, 16);
  return sizeof *in6;
}

static void from_socket_address(const struct sockaddr_storage *from, link_address_t *out) {
  if (from->ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)from;
    *out = link_address_from_ipv4(ntohl(in->sin_addr.s_addr), ntohs(in->sin_port));
    return;
  }
  const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
  *out = (link_address_t){.scope = in6->sin6_scope_id, .port = ntohs(in6->sin6_port)};
  memcpy(out->ip, &in6->sin6_addr, 16);
}

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
  struct addrinfo *found = NULL, hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
  int status = getaddrinfo(name, NULL, &hints, &found);
  if (status != 0)
    return error_set(error, "%.200s: %s", name, gai_strerror(status));
  struct sockaddr_storage first = {0};
  memcpy(&first, found->ai_addr, found->ai_addrlen < sizeof first ? found->ai_addrlen : sizeof first);
  freeaddrinfo(found);
  from_socket_address(&first, out);
  out->port = port;
  return true;
}

static bool is_reachable(const struct ifaddrs *i) {
  unsigned flags = i->ifa_flags;
  return i->ifa_addr && i->ifa_addr->sa_family == AF_INET && (flags & IFF_UP) && !(flags & IFF_LOOPBACK);
}

static link_address_t find_first_interface_address(void) {
  struct ifaddrs *list = NULL;
  link_address_t found = link_address_from_ipv4(INADDR_LOOPBACK, 0);
  if (getifaddrs(&list) != 0)
    return found;
  const struct ifaddrs *i = list;
  while (i && !is_reachable(i))
    i = i->ifa_next;
  if (i) {
    struct sockaddr_storage address = {0};
    memcpy(&address, i->ifa_addr, sizeof(struct sockaddr_in));
    from_socket_address(&address, &found);
  }
  freeifaddrs(list);
  found.port = 0;
  return found;
}

// Finds the source address of the default route: the address that the kernel chooses for datagrams to `documentation`,
// an address that is reserved for documentation. Connecting a UDP socket sends nothing. Returns true on success, or
// false if there is no default route.
static bool find_route_source(int family, const char *documentation, link_address_t *out) {
  link_address_t target;
  struct sockaddr_storage address;
  bool ok = link_address_parse(documentation, 9, &target, NULL);
  socklen_t bytes = to_socket_address(family, &target, &address);
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ok = ok && fd >= 0 && connect(fd, (const struct sockaddr *)&address, bytes) == 0;
  bytes = sizeof address;
  ok = ok && getsockname(fd, (struct sockaddr *)&address, &bytes) == 0;
  if (fd >= 0)
    close(fd);
  if (ok)
    from_socket_address(&address, out);
  out->port = 0;
  return ok;
}

uint32_t link_udp_find_own_addresses(link_address_t out[LINK_UDP_MAX_OWN_ADDRESSES]) {
  uint32_t count = find_route_source(AF_INET, "192.0.2.1", &out[0]);
  count += find_route_source(AF_INET6, "2001:db8::1", &out[count]);
  if (count > 0)
    return count;
  out[0] = find_first_interface_address();
  return 1;
}

// --- sockets

// Opens a socket that is bound to `address`. Returns the descriptor, or -1 with errno on failure.
static int open_socket(int family, const struct sockaddr_storage *address, socklen_t bytes, bool is_shared) {
  int off = 0, on = 1, size = SOCKET_BUFFER_BYTES;
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  if (family == AF_INET6)
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  if (is_shared)
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (const struct sockaddr *)address, bytes) == 0)
    return fd;
  int failure = errno;
  close(fd);
  errno = failure;
  return -1;
}

static bool bind_family(link_udp_o *udp, int family, const link_address_t *address) {
  udp->family = family;
  udp->bound_bytes = to_socket_address(family, address, &udp->bound);
  udp->socket = open_socket(family, &udp->bound, udp->bound_bytes, false);
  return udp->socket >= 0;
}

link_udp_o *link_udp_create(const link_udp_desc_t *desc, error_info_t *error) {
  link_address_t address = {0};
  if (desc->address && !link_address_parse(desc->address, 1, &address, error))
    return NULL;
  address.port = desc->port;
  link_udp_o *udp = alloc_object(sizeof *udp);
  // If no address is given, the IPv4 socket is bound to 0.0.0.0, whose bytes are the last four of ::.
  if (!bind_family(udp, AF_INET6, &address) &&
      (errno == EADDRINUSE || errno == EACCES || (desc->address && !link_address_is_ipv4(&address)) ||
       !bind_family(udp, AF_INET, &address))) {
    error_set(error, "cannot open UDP port %u%s%s: %s%s", desc->port, desc->address ? " of " : "",
              desc->address ? desc->address : "", strerror(errno),
              errno == EADDRINUSE ? ": choose a different port, or end the program that uses it" : "");
    free(udp);
    return NULL;
  }
  link_address_t bound;
  getsockname(udp->socket, (struct sockaddr *)&udp->bound, &udp->bound_bytes);
  from_socket_address(&udp->bound, &bound);
  udp->port = bound.port;
  return udp;
}

void link_udp_destroy(link_udp_o *udp) {
  if (!udp)
    return;
  for (uint32_t i = 0; i < udp->peer_count; ++i)
    close(udp->peers[i].socket);
  close(udp->socket);
  free(udp);
}

uint16_t link_udp_get_port(const link_udp_o *udp) {
  return udp->port;
}

bool link_udp_check(link_udp_o *udp, error_info_t *error) {
  int failure = udp->send_error;
  udp->send_error = 0;
  return failure == 0 || error_set(error, "cannot send UDP datagrams: %s", strerror(failure));
}

static uint32_t find_peer(const link_udp_o *udp, const link_address_t *address) {
  uint32_t i = 0;
  while (i < udp->peer_count && !link_address_equals(&udp->peers[i].address, address))
    ++i;
  return i;
}

// Allows or forbids binding another socket to the port. Allowed only while a peer's socket is opened, so that no other
// program can bind the port.
static void set_shared(link_udp_o *udp, int is_shared) {
  setsockopt(udp->socket, SOL_SOCKET, SO_REUSEADDR, &is_shared, sizeof is_shared);
  for (uint32_t i = 0; i < udp->peer_count; ++i)
    setsockopt(udp->peers[i].socket, SOL_SOCKET, SO_REUSEADDR, &is_shared, sizeof is_shared);
}

static void udp_set_peer(void *context, const link_address_t *address, bool is_peer) {
  link_udp_o *udp = context;
  uint32_t i = find_peer(udp, address);
  struct sockaddr_storage remote;
  memset(udp->is_ready, 0, sizeof udp->is_ready); // the indices of the sockets change
  if (is_peer && i == udp->peer_count && i < LINK_UDP_MAX_PEERS) {
    socklen_t bytes = to_socket_address(udp->family, address, &remote);
    set_shared(udp, 1);
    int fd = open_socket(udp->family, &udp->bound, udp->bound_bytes, true);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&remote, bytes) == 0)
      udp->peers[udp->peer_count++] = (udp_peer_t){*address, fd};
    else if (fd >= 0)
      close(fd); // the first socket receives the peer's datagrams
    set_shared(udp, 0);
  } else if (!is_peer && i < udp->peer_count) {
    close(udp->peers[i].socket);
    udp->peers[i] = udp->peers[--udp->peer_count];
  }
}

static bool udp_send(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  link_udp_o *udp = context;
  struct sockaddr_storage address;
  (void)now_us;
  shoal_assert(size > 0 && size <= LINK_DATAGRAM_BYTES, "datagram of %zu bytes is out of range [1, 1200]", size);
  if (udp->family == AF_INET && !link_address_is_ipv4(to)) {
    udp->send_error = EAFNOSUPPORT;
    return false;
  }
  socklen_t address_bytes = to_socket_address(udp->family, to, &address);
  for (uint32_t tries = 0; tries < 3; ++tries) {
    if (sendto(udp->socket, bytes, size, MSG_NOSIGNAL, (struct sockaddr *)&address, address_bytes) == (ssize_t)size)
      return true;
    // ECONNREFUSED: an earlier datagram was refused, and this datagram has not been sent yet
    if (errno != EINTR && errno != ECONNREFUSED)
      break;
  }
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS && errno != EINTR && errno != ECONNREFUSED)
    udp->send_error = errno;
  return false;
}

#ifdef __linux__
// Reads a batch from one socket. Returns the number of datagrams.
static uint32_t read_socket(link_udp_o *udp, int fd) {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  memset(messages, 0, sizeof messages);
  for (uint32_t i = 0; i < BATCH; ++i) {
    parts[i] = (struct iovec){udp->bytes[i], sizeof udp->bytes[i]};
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &udp->senders[i], .msg_namelen = sizeof udp->senders[i], .msg_iov = &parts[i], .msg_iovlen = 1};
  }
  int count = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; ++i)
    udp->sizes[i] = messages[i].msg_len;
  return count > 0 ? (uint32_t)count : 0;
}
#else
static uint32_t read_socket(link_udp_o *udp, int fd) {
  uint32_t count = 0;
  for (; count < BATCH; ++count) {
    socklen_t bytes = sizeof udp->senders[count];
    ssize_t size =
        recvfrom(fd, udp->bytes[count], sizeof udp->bytes[count], 0, (struct sockaddr *)&udp->senders[count], &bytes);
    if (size < 0)
      break;
    udp->sizes[count] = (size_t)size;
  }
  return count;
}
#endif

// Waits until a socket is readable, and marks the readable sockets in `is_ready`. Returns true, or false if the time
// has passed or a signal has arrived before any socket is readable.
static bool poll_sockets(link_udp_o *udp, int64_t timeout_us) {
  struct pollfd sockets[LINK_UDP_MAX_SOCKETS] = {{.fd = udp->socket, .events = POLLIN}};
  uint32_t count = udp->peer_count + 1;
  for (uint32_t i = 1; i < count; ++i)
    sockets[i] = (struct pollfd){.fd = udp->peers[i - 1].socket, .events = POLLIN};
#ifdef __linux__
  int ready = ppoll(sockets, count,
                    &(struct timespec){.tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000}, NULL);
#else
  int ready = poll(sockets, count, (int)((timeout_us + 999) / 1000));
#endif
  for (uint32_t i = 0; i < count && ready > 0; ++i)
    udp->is_ready[i] |= sockets[i].revents != 0;
  return ready > 0;
}

// Reads the next batch from one of the sockets in `is_ready`; the sockets take turns. Returns true if the batch
// contains datagrams.
static bool read_ready(link_udp_o *udp) {
  for (uint32_t i = 0; i <= udp->peer_count && udp->batch_count == 0; ++i) {
    uint32_t at = udp->next_socket++ % (udp->peer_count + 1);
    if (!udp->is_ready[at])
      continue;
    udp->batch_count = read_socket(udp, at == 0 ? udp->socket : udp->peers[at - 1].socket);
    udp->is_ready[at] = udp->batch_count == BATCH;
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

uint32_t link_udp_list_sockets(const link_udp_o *udp, int *out) {
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
    if (udp->sizes[at] == 0 || udp->sizes[at] > LINK_DATAGRAM_BYTES)
      continue;
    from_socket_address(&udp->senders[at], from);
    memcpy(out, udp->bytes[at], udp->sizes[at]);
    return udp->sizes[at];
  }
  return 0;
}

link_t link_udp_get_link(link_udp_o *udp) {
  return (link_t){.context = udp, .send = udp_send, .receive = udp_receive, .set_peer = udp_set_peer};
}
