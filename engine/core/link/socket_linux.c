// Sockets on Linux. One system call reads a batch of datagrams.
#include "link/socket.h"

#include "base/assert.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BACKLOG 128

_Static_assert(SOCKET_IP_BYTES == INET6_ADDRSTRLEN, "SOCKET_IP_BYTES must be INET6_ADDRSTRLEN");

// A kernel address of either family. Smaller than struct sockaddr_storage.
typedef union system_address_t {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
} system_address_t;

const char *socket_error_text(int failure) {
  return strerror(failure);
}

void socket_close(wait_handle_t socket) {
  if (socket != WAIT_NONE)
    close((int)socket);
}

// Closes a socket after a failure, and preserves errno. Accepts -1. Returns WAIT_NONE.
static wait_handle_t close_failed(int fd) {
  int failure = errno;
  if (fd >= 0)
    close(fd);
  errno = failure;
  return WAIT_NONE;
}

static void set_option(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

// --- addresses

static socklen_t to_system_address(socket_family_t family, const link_address_t *from, system_address_t *out) {
  memset(out, 0, sizeof *out);
  if (family == SOCKET_IPV4) {
    out->ipv4.sin_family = AF_INET;
    out->ipv4.sin_port = htons(from->port);
    memcpy(&out->ipv4.sin_addr, from->ip + 12, 4);
    return sizeof out->ipv4;
  }
  out->ipv6.sin6_family = AF_INET6;
  out->ipv6.sin6_port = htons(from->port);
  out->ipv6.sin6_scope_id = from->scope;
  memcpy(&out->ipv6.sin6_addr, from->ip, 16);
  return sizeof out->ipv6;
}

static void from_system_address(const system_address_t *from, link_address_t *out) {
  if (from->any.sa_family == AF_INET) {
    *out = link_address_from_ipv4(ntohl(from->ipv4.sin_addr.s_addr), ntohs(from->ipv4.sin_port));
    return;
  }
  *out = (link_address_t){.scope = from->ipv6.sin6_scope_id, .port = ntohs(from->ipv6.sin6_port)};
  memcpy(out->ip, &from->ipv6.sin6_addr, 16);
}

static struct in_addr to_ipv4(const link_address_t *address) {
  struct in_addr ip;
  memcpy(&ip, address->ip + 12, 4);
  return ip;
}

bool socket_parse_ipv4(const char *text, uint8_t out[4]) {
  return inet_pton(AF_INET, text, out) == 1;
}

bool socket_parse_ipv6(const char *text, uint8_t out[16]) {
  return inet_pton(AF_INET6, text, out) == 1;
}

void socket_format_ip(const link_address_t *address, char out[SOCKET_IP_BYTES]) {
  out[0] = '\0';
  if (link_address_is_ipv4(address))
    inet_ntop(AF_INET, address->ip + 12, out, SOCKET_IP_BYTES);
  else
    inet_ntop(AF_INET6, address->ip, out, SOCKET_IP_BYTES);
}

uint32_t socket_find_interface(const char *name) {
  return if_nametoindex(name);
}

bool socket_resolve(const char *name, link_address_t *out, error_info_t *error) {
  struct addrinfo *found = NULL, hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
  int status = getaddrinfo(name, NULL, &hints, &found);
  if (status != 0)
    return error_set(error, "%.200s: %s", name, gai_strerror(status));
  system_address_t first = {0};
  memcpy(&first, found->ai_addr, found->ai_addrlen < sizeof first ? found->ai_addrlen : sizeof first);
  freeaddrinfo(found);
  from_system_address(&first, out);
  return true;
}

uint32_t socket_list_interfaces(link_address_t *out, uint32_t capacity) {
  struct ifaddrs *list = NULL;
  uint32_t count = 0;
  if (getifaddrs(&list) != 0)
    return 0;
  for (const struct ifaddrs *i = list; i && count < capacity; i = i->ifa_next) {
    system_address_t address = {.ipv6 = {.sin6_family = AF_UNSPEC}};
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP))
      continue;
    memcpy(&address.ipv4, i->ifa_addr, sizeof address.ipv4);
    from_system_address(&address, &out[count]);
    out[count++].port = 0;
  }
  freeifaddrs(list);
  if (count == 0)
    errno = ENODEV;
  return count;
}

// --- UDP

wait_handle_t socket_open_udp(const socket_udp_desc_t *desc) {
  system_address_t address;
  socklen_t bytes = to_system_address(desc->family, &desc->address, &address);
  int fd = socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return WAIT_NONE;
  if (desc->family == SOCKET_IPV6)
    set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (desc->buffer_bytes > 0) {
    set_option(fd, SOL_SOCKET, SO_RCVBUF, (int)desc->buffer_bytes);
    set_option(fd, SOL_SOCKET, SO_SNDBUF, (int)desc->buffer_bytes);
  }
  if (desc->is_shared)
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  return bind(fd, &address.any, bytes) == 0 ? fd : close_failed(fd);
}

void socket_set_shared(wait_handle_t socket, bool is_shared) {
  set_option((int)socket, SOL_SOCKET, SO_REUSEADDR, is_shared);
}

bool socket_connect_udp(wait_handle_t socket, socket_family_t family, const link_address_t *to) {
  system_address_t address;
  socklen_t bytes = to_system_address(family, to, &address);
  return connect((int)socket, &address.any, bytes) == 0;
}

bool socket_get_address(wait_handle_t socket, link_address_t *out) {
  system_address_t address = {.ipv6 = {.sin6_family = AF_UNSPEC}};
  socklen_t bytes = sizeof address;
  if (getsockname((int)socket, &address.any, &bytes) != 0)
    return false;
  from_system_address(&address, out);
  return true;
}

bool socket_send_to(wait_handle_t socket, socket_family_t family, const link_address_t *to, const void *bytes,
                    size_t size) {
  system_address_t address;
  if (family == SOCKET_IPV4 && !link_address_is_ipv4(to)) {
    errno = EAFNOSUPPORT;
    return false;
  }
  socklen_t address_bytes = to_system_address(family, to, &address);
  ssize_t sent;
  do
    sent = sendto((int)socket, bytes, size, MSG_NOSIGNAL, &address.any, address_bytes);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)size;
}

uint32_t socket_receive_batch(wait_handle_t socket, socket_batch_t *batch, uint32_t count) {
  struct mmsghdr messages[SOCKET_BATCH];
  struct iovec parts[SOCKET_BATCH];
  system_address_t senders[SOCKET_BATCH];
  shoal_assert(count <= SOCKET_BATCH, "cannot read %u datagrams (at most %u)", count, SOCKET_BATCH);
  memset(messages, 0, count * sizeof *messages);
  for (uint32_t i = 0; i < count; ++i) {
    parts[i] = (struct iovec){batch->bytes + i * batch->capacity, batch->capacity};
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &senders[i], .msg_namelen = sizeof senders[i], .msg_iov = &parts[i], .msg_iovlen = 1};
  }
  int read = recvmmsg((int)socket, messages, count, MSG_DONTWAIT, NULL);
  for (int i = 0; i < read; ++i) {
    batch->sizes[i] = messages[i].msg_len;
    from_system_address(&senders[i], &batch->senders[i]);
  }
  return read > 0 ? (uint32_t)read : 0;
}

bool socket_join_group(wait_handle_t socket, const link_address_t *group, const link_address_t *interface) {
  struct ip_mreq request = {.imr_multiaddr = to_ipv4(group), .imr_interface = to_ipv4(interface)};
  return setsockopt((int)socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) == 0;
}

bool socket_set_group_interface(wait_handle_t socket, const link_address_t *interface) {
  struct in_addr ip = to_ipv4(interface);
  return setsockopt((int)socket, IPPROTO_IP, IP_MULTICAST_IF, &ip, sizeof ip) == 0;
}

// --- TCP

static struct sockaddr_in make_local_address(uint16_t port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

wait_handle_t socket_listen_local(uint16_t port) {
  struct sockaddr_in address = make_local_address(port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return WAIT_NONE;
  // SO_REUSEADDR: connections of a program that has ended must not block the port.
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  bool ok = bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, BACKLOG) == 0;
  return ok ? fd : close_failed(fd);
}

wait_handle_t socket_accept(wait_handle_t listener) {
  int fd = accept4((int)listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0)
    return WAIT_NONE;
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  return fd;
}

wait_handle_t socket_connect_local(uint16_t port, uint32_t timeout_ms) {
  struct sockaddr_in address = make_local_address(port);
  struct timeval timeout = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return WAIT_NONE;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  return connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : close_failed(fd);
}

// Converts the result of recv or send. Returns the number of bytes, 0 if the call would have to wait, or -1 on failure.
static ptrdiff_t finish_transfer(ssize_t count) {
  return count >= 0 ? count : errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
}

ptrdiff_t socket_receive(wait_handle_t socket, void *out, size_t bytes) {
  ssize_t count;
  do
    count = recv((int)socket, out, bytes, 0);
  while (count < 0 && errno == EINTR);
  return count == 0 && bytes > 0 ? -1 : finish_transfer(count);
}

ptrdiff_t socket_send(wait_handle_t socket, const void *bytes, size_t count) {
  ssize_t sent;
  do
    sent = send((int)socket, bytes, count, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return finish_transfer(sent);
}

void socket_end_sending(wait_handle_t socket) {
  shutdown((int)socket, SHUT_WR);
}
