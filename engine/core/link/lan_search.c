// Questions and answers over UDP multicast.
#include "link/lan_search.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "link/rate_limit.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LAN_VERSION 5u
#define ASK_INTERVAL_US 500000
#define ANSWERS_PER_SECOND 50u
#define MAX_READ 64u // maximum number of datagrams read per update

static const uint8_t QUESTION[6] = {'s', 'h', 'o', 'a', 'l', '?'}, ANSWER[6] = {'s', 'h', 'o', 'a', 'l', '!'};

enum {
  VERSION_AT = sizeof QUESTION,
  NONCE_AT = VERSION_AT + 1,
  HOST_AT = NONCE_AT + 8,
  GAME_AT = HOST_AT + 8,
  FILES_AT = GAME_AT + 8,
  MATCH_AT = FILES_AT + 8,
  PROOF_AT = MATCH_AT + 8,
  PORT_AT = PROOF_AT + 8,
  PLAYERS_AT = PORT_AT + 2,
  RANK_AT = PLAYERS_AT + 2,
  TITLE_AT = RANK_AT + 1
};
_Static_assert(TITLE_AT + LAN_TITLE_BYTES + LAN_NAME_BYTES <= LAN_DATAGRAM_BYTES,
               "an answer must not be larger than its question");

// --- datagrams

static void write_question(uint64_t nonce, uint8_t out[LAN_DATAGRAM_BYTES]) {
  memset(out, 0, LAN_DATAGRAM_BYTES);
  memcpy(out, QUESTION, sizeof QUESTION);
  out[VERSION_AT] = LAN_VERSION;
  memcpy(out + NONCE_AT, &nonce, sizeof nonce);
}

// Writes the length of a string and at most `capacity` - 1 of its bytes. Returns the next position.
static size_t write_text(uint8_t *out, size_t at, const char *text, size_t capacity) {
  size_t length = strnlen(text, capacity - 1);
  out[at] = (uint8_t)length;
  memcpy(out + at + 1, text, length);
  return at + 1 + length;
}

size_t lan_write_answer(const uint8_t *question, size_t size, uint64_t host, const lan_offer_t *offer, uint8_t *out) {
  if (size != LAN_DATAGRAM_BYTES || memcmp(question, QUESTION, sizeof QUESTION) != 0 ||
      question[VERSION_AT] != LAN_VERSION)
    return 0;
  memcpy(out, ANSWER, sizeof ANSWER);
  out[VERSION_AT] = LAN_VERSION;
  memcpy(out + NONCE_AT, question + NONCE_AT, 8);
  memcpy(out + HOST_AT, &host, sizeof host);
  memcpy(out + GAME_AT, &offer->game, sizeof offer->game);
  memcpy(out + FILES_AT, &offer->files, sizeof offer->files);
  memcpy(out + MATCH_AT, &offer->match, sizeof offer->match);
  memcpy(out + PROOF_AT, &offer->proof, sizeof offer->proof);
  out[PORT_AT] = (uint8_t)offer->port;
  out[PORT_AT + 1] = (uint8_t)(offer->port >> 8);
  out[PLAYERS_AT] = offer->players;
  out[PLAYERS_AT + 1] = offer->max_players;
  out[RANK_AT] = offer->rank;
  return write_text(out, write_text(out, TITLE_AT, offer->title, LAN_TITLE_BYTES), offer->name, LAN_NAME_BYTES);
}

static bool is_printable(const char *text, size_t bytes) {
  for (size_t at = 0, length; at < bytes; at += length) {
    length = utf8_character_length_n(text + at, bytes - at);
    if (length == 0 || (unsigned char)text[at] < ' ' || text[at] == 0x7f)
      return false;
  }
  return true;
}

// Reads a string written by write_text, and advances `*at` past it. Returns true on success, or false if it is
// malformed.
static bool read_text(const uint8_t *bytes, size_t size, size_t *at, char *out, size_t capacity) {
  size_t start = *at + 1, length = *at < size ? bytes[*at] : 0;
  if (*at >= size || length >= capacity || length > size - start || !is_printable((const char *)bytes + start, length))
    return false;
  memcpy(out, bytes + start, length);
  *at = start + length;
  return true;
}

bool lan_read_answer(const uint8_t *bytes, size_t size, uint64_t nonce, uint64_t *host, lan_offer_t *out) {
  size_t at = TITLE_AT;
  if (size < TITLE_AT || memcmp(bytes, ANSWER, sizeof ANSWER) != 0 || bytes[VERSION_AT] != LAN_VERSION ||
      memcmp(bytes + NONCE_AT, &nonce, sizeof nonce) != 0)
    return false;
  lan_offer_t offer = {.port = (uint16_t)(bytes[PORT_AT] | bytes[PORT_AT + 1] << 8),
                       .players = bytes[PLAYERS_AT],
                       .max_players = bytes[PLAYERS_AT + 1],
                       .rank = bytes[RANK_AT]};
  if (offer.port == 0 || offer.players > offer.max_players ||
      !read_text(bytes, size, &at, offer.title, sizeof offer.title) ||
      !read_text(bytes, size, &at, offer.name, sizeof offer.name) || at != size)
    return false;
  memcpy(&offer.game, bytes + GAME_AT, sizeof offer.game);
  memcpy(&offer.files, bytes + FILES_AT, sizeof offer.files);
  memcpy(&offer.match, bytes + MATCH_AT, sizeof offer.match);
  memcpy(&offer.proof, bytes + PROOF_AT, sizeof offer.proof);
  memcpy(host, bytes + HOST_AT, sizeof *host);
  *out = offer;
  return true;
}

// --- sockets

static int open_socket(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int on = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  if (port != 0)
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  int failure = errno;
  close(fd);
  errno = failure;
  return -1;
}

// Calls `visit` with the address of each IPv4 interface that is up, including the loopback interface: hosts and
// searchers on the same machine find each other without a network. Returns the number of calls that returned true.
static uint32_t visit_interfaces(int fd, bool (*visit)(int fd, struct in_addr interface, const void *context),
                                 const void *context) {
  struct ifaddrs *list = NULL;
  uint32_t count = 0;
  if (getifaddrs(&list) != 0)
    return 0;
  for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
    struct sockaddr_in address;
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP))
      continue;
    memcpy(&address, i->ifa_addr, sizeof address);
    count += visit(fd, address.sin_addr, context);
  }
  freeifaddrs(list);
  return count;
}

static bool join_group(int fd, struct in_addr interface, const void *context) {
  struct ip_mreq group = {.imr_multiaddr.s_addr = htonl(LAN_GROUP), .imr_interface = interface};
  (void)context;
  return setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) == 0;
}

static bool ask(int fd, struct in_addr interface, const void *question) {
  struct sockaddr_in group = {.sin_family = AF_INET, .sin_port = htons(LAN_PORT), .sin_addr.s_addr = htonl(LAN_GROUP)};
  return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface) == 0 &&
         sendto(fd, question, LAN_DATAGRAM_BYTES, 0, (const struct sockaddr *)&group, sizeof group) > 0;
}

// Returns the size of the next datagram, truncated to `capacity`, or 0 if no datagram has arrived.
static size_t receive(int fd, uint8_t *out, size_t capacity, struct sockaddr_in *from) {
  socklen_t from_bytes = sizeof *from;
  ssize_t size = recvfrom(fd, out, capacity, 0, (struct sockaddr *)from, &from_bytes);
  return size > 0 ? (size_t)size : 0;
}

// --- hosts

struct lan_host_o {
  int socket;
  uint64_t number;
  rate_limit_t answers;
};

lan_host_o *lan_host_create(error_info_t *error) {
  int fd = sodium_init() >= 0 ? open_socket(LAN_PORT) : -1;
  if (fd < 0 || visit_interfaces(fd, join_group, NULL) == 0) {
    error_set(error, "cannot listen for local-network searches on UDP port %u: %s", LAN_PORT, strerror(errno));
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  lan_host_o *host = alloc_object(sizeof *host);
  host->socket = fd;
  randombytes_buf(&host->number, sizeof host->number);
  return host;
}

void lan_host_destroy(lan_host_o *host) {
  if (!host)
    return;
  close(host->socket);
  free(host);
}

void lan_host_update(lan_host_o *host, int64_t now_us, const lan_offer_t *offer) {
  uint8_t question[LAN_DATAGRAM_BYTES + 1], answer[LAN_DATAGRAM_BYTES]; // one more byte reveals larger datagrams
  struct sockaddr_in from;
  size_t size;
  for (uint32_t i = 0; i < MAX_READ && (size = receive(host->socket, question, sizeof question, &from)) > 0; ++i) {
    size = lan_write_answer(question, size, host->number, offer, answer);
    if (size > 0 && rate_limit_take(&host->answers, now_us, ANSWERS_PER_SECOND, ANSWERS_PER_SECOND))
      (void)sendto(host->socket, answer, size, 0, (const struct sockaddr *)&from, sizeof from);
  }
}

// --- searchers

struct lan_search_o {
  int socket;
  uint64_t nonce;
  int64_t ask_us; // time of the next question
};

lan_search_o *lan_search_create(error_info_t *error) {
  int fd = sodium_init() >= 0 ? open_socket(0) : -1;
  if (fd < 0) {
    error_set(error, "cannot search the local network: %s", strerror(errno));
    return NULL;
  }
  lan_search_o *search = alloc_object(sizeof *search);
  search->socket = fd;
  randombytes_buf(&search->nonce, sizeof search->nonce);
  return search;
}

void lan_search_destroy(lan_search_o *search) {
  if (!search)
    return;
  close(search->socket);
  free(search);
}

bool lan_search_update(lan_search_o *search, int64_t now_us, lan_found_t *out) {
  uint8_t bytes[LAN_DATAGRAM_BYTES + 1];
  struct sockaddr_in from;
  size_t size;
  if (now_us >= search->ask_us) {
    write_question(search->nonce, bytes);
    visit_interfaces(search->socket, ask, bytes);
    search->ask_us = now_us + ASK_INTERVAL_US;
  }
  for (uint32_t i = 0; i < MAX_READ && (size = receive(search->socket, bytes, sizeof bytes, &from)) > 0; ++i) {
    if (!lan_read_answer(bytes, size, search->nonce, &out->host, &out->offer))
      continue;
    out->address = link_address_from_ipv4(ntohl(from.sin_addr.s_addr), out->offer.port);
    return true;
  }
  return false;
}
