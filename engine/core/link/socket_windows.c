// Sockets on Windows (Winsock). One call reads one datagram.
#include "link/socket.h"

#include "base/assert.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <iphlpapi.h>

#define BACKLOG 128
#define VERSION MAKEWORD(2, 2)
#define RESET_REPORTS _WSAIOW(IOC_VENDOR, 12) // SIO_UDP_CONNRESET
#define ADAPTER_BYTES 65536                   // size of the list of interfaces
#define INTERFACE_UNITS 256

_Static_assert(SOCKET_IP_BYTES == 46, "SOCKET_IP_BYTES must be the size of the longest IPv6 address");

// A system address of either family. Smaller than struct sockaddr_storage.
typedef union system_address_t {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
} system_address_t;

static void start_winsock(void) {
  WSADATA data;
  WSAStartup(VERSION, &data);
}

// Starts Winsock once per process. It is never stopped.
static void start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_winsock);
}

// Sets errno for the most recent failure of Winsock. Returns false.
static bool fail(void) {
  static const struct {
    int code, failure;
  } FAILURES[] = {
      {WSAEWOULDBLOCK, EAGAIN},
      {WSAETIMEDOUT, EAGAIN}, // end of SO_RCVTIMEO, as on Linux
      {WSAEINTR, EINTR},
      {WSAEACCES, EACCES},
      {WSAEINVAL, EINVAL},
      {WSAEMFILE, EMFILE},
      {WSAENOBUFS, ENOBUFS},
      {WSAENOTSOCK, EBADF},
      {WSAEMSGSIZE, EMSGSIZE},
      {WSAEADDRINUSE, EADDRINUSE},
      {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
      {WSAEAFNOSUPPORT, EAFNOSUPPORT},
      {WSAECONNREFUSED, ECONNREFUSED},
      {WSAECONNRESET, ECONNRESET},
      {WSAECONNABORTED, ECONNABORTED},
      {WSAENETUNREACH, ENETUNREACH},
      {WSAEHOSTUNREACH, EHOSTUNREACH},
      {WSAENETDOWN, ENETDOWN},
      {WSAENOTCONN, ENOTCONN},
      {WSAESHUTDOWN, EPIPE},
  };
  int code = WSAGetLastError();
  errno = EIO;
  for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; ++i)
    if (FAILURES[i].code == code)
      errno = FAILURES[i].failure;
  return false;
}

const char *socket_error_text(int failure) {
  switch (failure) { // the C library of Windows lacks texts for these errors
  case EADDRINUSE: return "Address already in use";
  case EADDRNOTAVAIL: return "Cannot assign requested address";
  case EAFNOSUPPORT: return "Address family not supported by protocol";
  case ECONNREFUSED: return "Connection refused";
  case ECONNRESET: return "Connection reset by peer";
  case ECONNABORTED: return "Software caused connection abort";
  case ENETUNREACH: return "Network is unreachable";
  case EHOSTUNREACH: return "No route to host";
  case ENETDOWN: return "Network is down";
  case ENOTCONN: return "Transport endpoint is not connected";
  case EMSGSIZE: return "Message too long";
  case ENOBUFS: return "No buffer space available";
  case EOPNOTSUPP: return "Operation not supported";
  default: return strerror(failure);
  }
}

void socket_close(wait_handle_t socket) {
  if (socket != WAIT_NONE)
    closesocket((SOCKET)socket);
}

// Opens a socket that child programs do not inherit. Returns the socket, or INVALID_SOCKET with errno.
static SOCKET open_socket(int family, int kind) {
  start();
  SOCKET opened = WSASocketW(family, kind, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  if (opened == INVALID_SOCKET)
    fail();
  return opened;
}

// Closes a socket after a failure of Winsock, and sets errno. Returns WAIT_NONE.
static wait_handle_t close_failed(SOCKET socket) {
  fail();
  closesocket(socket);
  return WAIT_NONE;
}

static void set_option(SOCKET socket, int level, int option, int value) {
  setsockopt(socket, level, option, (const char *)&value, sizeof value);
}

static bool set_nonblocking(SOCKET socket) {
  u_long is_nonblocking = 1;
  return ioctlsocket(socket, (long)FIONBIO, &is_nonblocking) == 0;
}

// --- addresses

static int to_system_address(socket_family_t family, const link_address_t *from, system_address_t *out) {
  memset(out, 0, sizeof *out);
  if (family == SOCKET_IPV4) {
    out->ipv4.sin_family = AF_INET;
    out->ipv4.sin_port = htons(from->port);
    memcpy(&out->ipv4.sin_addr, from->ip + 12, 4);
    return (int)sizeof out->ipv4;
  }
  out->ipv6.sin6_family = AF_INET6;
  out->ipv6.sin6_port = htons(from->port);
  out->ipv6.sin6_scope_id = from->scope;
  memcpy(&out->ipv6.sin6_addr, from->ip, 16);
  return (int)sizeof out->ipv6;
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
  start();
  return inet_pton(AF_INET, text, out) == 1;
}

bool socket_parse_ipv6(const char *text, uint8_t out[16]) {
  start();
  return inet_pton(AF_INET6, text, out) == 1;
}

void socket_format_ip(const link_address_t *address, char out[SOCKET_IP_BYTES]) {
  out[0] = '\0';
  start();
  if (link_address_is_ipv4(address))
    inet_ntop(AF_INET, address->ip + 12, out, SOCKET_IP_BYTES);
  else
    inet_ntop(AF_INET6, address->ip, out, SOCKET_IP_BYTES);
}

// Expects a name that Windows displays, such as "Ethernet".
uint32_t socket_find_interface(const char *name) {
  wchar_t alias[INTERFACE_UNITS];
  NET_LUID luid;
  NET_IFINDEX index;
  return MultiByteToWideChar(CP_UTF8, 0, name, -1, alias, INTERFACE_UNITS) > 0 &&
                 ConvertInterfaceAliasToLuid(alias, &luid) == NO_ERROR &&
                 ConvertInterfaceLuidToIndex(&luid, &index) == NO_ERROR
             ? index
             : 0;
}

static const char *describe_lookup_failure(int status) {
  switch (status) {
  case WSAHOST_NOT_FOUND: return "Name or service not known";
  case WSANO_DATA: return "No address associated with hostname";
  case WSATRY_AGAIN: return "Temporary failure in name resolution";
  default: return "the lookup failed";
  }
}

bool socket_resolve(const char *name, link_address_t *out, error_info_t *error) {
  start();
  wchar_t host[INTERFACE_UNITS];
  ADDRINFOW *found = NULL, hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
  if (MultiByteToWideChar(CP_UTF8, 0, name, -1, host, INTERFACE_UNITS) == 0)
    return error_set(error, "%.200s: %s", name, describe_lookup_failure(WSAHOST_NOT_FOUND));
  int status = GetAddrInfoW(host, NULL, &hints, &found);
  if (status != 0)
    return error_set(error, "%.200s: %s", name, describe_lookup_failure(status));
  system_address_t first = {0};
  memcpy(&first, found->ai_addr, found->ai_addrlen < sizeof first ? found->ai_addrlen : sizeof first);
  FreeAddrInfoW(found);
  from_system_address(&first, out);
  return true;
}

uint32_t socket_list_interfaces(link_address_t *out, uint32_t capacity) {
  union {
    IP_ADAPTER_ADDRESSES first;
    char bytes[ADAPTER_BYTES];
  } list;
  ULONG bytes = sizeof list;
  const ULONG flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
  uint32_t count = 0;
  ULONG code = GetAdaptersAddresses(AF_INET, flags, NULL, &list.first, &bytes);
  if (code == NO_ERROR)
    for (const IP_ADAPTER_ADDRESSES *adapter = &list.first; adapter; adapter = adapter->Next)
      for (const IP_ADAPTER_UNICAST_ADDRESS *i = adapter->FirstUnicastAddress; i && count < capacity; i = i->Next) {
        system_address_t address = {.ipv6 = {.sin6_family = AF_UNSPEC}};
        if (adapter->OperStatus != IfOperStatusUp || i->Address.lpSockaddr->sa_family != AF_INET)
          continue;
        memcpy(&address.ipv4, i->Address.lpSockaddr, sizeof address.ipv4);
        from_system_address(&address, &out[count]);
        out[count++].port = 0;
      }
  if (count == 0)
    errno = ENODEV;
  return count;
}

// --- UDP

// Windows does not select a socket by the sender of a datagram, so a port belongs to one socket. SIO_UDP_CONNRESET is
// disabled, because a datagram that a peer has refused would otherwise make later calls of recvfrom fail.
wait_handle_t socket_open_udp(const socket_udp_desc_t *desc) {
  system_address_t address;
  BOOL reports_resets = FALSE;
  DWORD bytes_returned;
  if (desc->is_shared) {
    errno = EOPNOTSUPP;
    return WAIT_NONE;
  }
  int bytes = to_system_address(desc->family, &desc->address, &address);
  SOCKET opened = open_socket(address.any.sa_family, SOCK_DGRAM);
  if (opened == INVALID_SOCKET)
    return WAIT_NONE;
  WSAIoctl(opened, RESET_REPORTS, &reports_resets, sizeof reports_resets, NULL, 0, &bytes_returned, NULL, NULL);
  if (desc->family == SOCKET_IPV6)
    set_option(opened, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (desc->buffer_bytes > 0) {
    set_option(opened, SOL_SOCKET, SO_RCVBUF, (int)desc->buffer_bytes);
    set_option(opened, SOL_SOCKET, SO_SNDBUF, (int)desc->buffer_bytes);
  }
  set_option(opened, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
  if (set_nonblocking(opened) && bind(opened, &address.any, bytes) == 0)
    return (wait_handle_t)opened;
  return close_failed(opened);
}

void socket_set_shared(wait_handle_t socket, bool is_shared) {
  (void)socket, (void)is_shared; // no socket shares its port
}

bool socket_connect_udp(wait_handle_t socket, socket_family_t family, const link_address_t *to) {
  system_address_t address;
  int bytes = to_system_address(family, to, &address);
  return connect((SOCKET)socket, &address.any, bytes) == 0 || fail();
}

bool socket_get_address(wait_handle_t socket, link_address_t *out) {
  system_address_t address = {.ipv6 = {.sin6_family = AF_UNSPEC}};
  int bytes = sizeof address;
  if (getsockname((SOCKET)socket, &address.any, &bytes) != 0)
    return fail();
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
  int address_bytes = to_system_address(family, to, &address);
  int sent = sendto((SOCKET)socket, bytes, (int)size, 0, &address.any, address_bytes);
  return sent >= 0 ? (size_t)sent == size : fail();
}

// Windows reports a datagram that is longer than the buffer as a failure, but fills the buffer.
uint32_t socket_receive_batch(wait_handle_t socket, socket_batch_t *batch, uint32_t count) {
  uint32_t received = 0;
  shoal_assert(count <= SOCKET_BATCH, "cannot read %u datagrams (at most %u)", count, SOCKET_BATCH);
  for (; received < count; ++received) {
    system_address_t sender;
    int sender_bytes = sizeof sender;
    int bytes = recvfrom((SOCKET)socket, (char *)batch->bytes + received * batch->capacity, (int)batch->capacity, 0,
                         &sender.any, &sender_bytes);
    if (bytes < 0 && WSAGetLastError() != WSAEMSGSIZE)
      break;
    batch->sizes[received] = bytes < 0 ? batch->capacity : (size_t)bytes;
    from_system_address(&sender, &batch->senders[received]);
  }
  return received;
}

bool socket_join_group(wait_handle_t socket, const link_address_t *group, const link_address_t *interface_address) {
  struct ip_mreq request = {.imr_multiaddr = to_ipv4(group), .imr_interface = to_ipv4(interface_address)};
  return setsockopt((SOCKET)socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, (const char *)&request, sizeof request) == 0 ||
         fail();
}

bool socket_set_group_interface(wait_handle_t socket, const link_address_t *interface_address) {
  struct in_addr ip = to_ipv4(interface_address);
  return setsockopt((SOCKET)socket, IPPROTO_IP, IP_MULTICAST_IF, (const char *)&ip, sizeof ip) == 0 || fail();
}

// --- TCP

static struct sockaddr_in make_local_address(uint16_t port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

// SO_REUSEADDR would let a different program take the port on Windows. Connections of a program that has ended do not
// block a port there.
wait_handle_t socket_listen_local(uint16_t port) {
  struct sockaddr_in address = make_local_address(port);
  SOCKET opened = open_socket(AF_INET, SOCK_STREAM);
  if (opened == INVALID_SOCKET)
    return WAIT_NONE;
  set_option(opened, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
  bool ok = set_nonblocking(opened) && bind(opened, (struct sockaddr *)&address, sizeof address) == 0 &&
            listen(opened, BACKLOG) == 0;
  return ok ? (wait_handle_t)opened : close_failed(opened);
}

// An accepted socket inherits all properties of the listener except one: child programs would inherit the socket.
wait_handle_t socket_accept(wait_handle_t listener) {
  SOCKET accepted = accept((SOCKET)listener, NULL, NULL);
  if (accepted == INVALID_SOCKET) {
    fail();
    return WAIT_NONE;
  }
  SetHandleInformation((HANDLE)accepted, HANDLE_FLAG_INHERIT, 0);
  set_option(accepted, IPPROTO_TCP, TCP_NODELAY, 1);
  return set_nonblocking(accepted) ? (wait_handle_t)accepted : close_failed(accepted);
}

wait_handle_t socket_connect_local(uint16_t port, uint32_t timeout_ms) {
  struct sockaddr_in address = make_local_address(port);
  SOCKET opened = open_socket(AF_INET, SOCK_STREAM);
  if (opened == INVALID_SOCKET)
    return WAIT_NONE;
  set_option(opened, SOL_SOCKET, SO_RCVTIMEO, (int)timeout_ms); // a number of ms, not a struct timeval
  set_option(opened, SOL_SOCKET, SO_SNDTIMEO, (int)timeout_ms);
  return connect(opened, (struct sockaddr *)&address, sizeof address) == 0 ? (wait_handle_t)opened
                                                                           : close_failed(opened);
}

// Converts the result of recv or send. Returns the number of bytes, 0 if the call would have to wait, or -1 with errno
// on failure.
static ptrdiff_t finish_transfer(int count) {
  if (count >= 0)
    return count;
  fail();
  return errno == EAGAIN ? 0 : -1;
}

static int limit_size(size_t bytes) {
  return bytes > INT32_MAX ? INT32_MAX : (int)bytes;
}

ptrdiff_t socket_receive(wait_handle_t socket, void *out, size_t bytes) {
  int count = recv((SOCKET)socket, out, limit_size(bytes), 0);
  return count == 0 && bytes > 0 ? -1 : finish_transfer(count);
}

ptrdiff_t socket_send(wait_handle_t socket, const void *bytes, size_t count) {
  return finish_transfer(send((SOCKET)socket, bytes, limit_size(count), 0));
}

void socket_end_sending(wait_handle_t socket) {
  shutdown((SOCKET)socket, SD_SEND);
}
