// Questions and answers over UDP multicast.
#include "link/lan_search.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "link/rate_limit.h"
#include "link/socket.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define LAN_VERSION 5u
#define ASK_INTERVAL_US 500000
#define ANSWERS_PER_SECOND 50u
#define MAX_READ 64u // maximum number of datagrams read per update
#define MAX_INTERFACES 64u

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

static wait_handle_t open_socket(uint16_t port) {
  // Hosts on the same machine share LAN_PORT. Port 0 of a searcher means any free port, which is not shared.
  return socket_open_udp(&(socket_udp_desc_t){.address.port = port, .is_shared = port != 0});
}

// Joins the multicast group on each IPv4 interface that is up, including the loopback interface: hosts and searchers on
// the same machine find each other without a network. Returns true if the group was joined on at least one interface,
// or false with errno.
static bool join_group(wait_handle_t socket) {
  link_address_t interfaces[MAX_INTERFACES], group = link_address_from_ipv4(LAN_GROUP, LAN_PORT);
  uint32_t count = socket_list_interfaces(interfaces, MAX_INTERFACES), joined = 0;
  for (uint32_t i = 0; i < count; ++i)
    joined += socket_join_group(socket, &group, &interfaces[i]);
  return joined > 0;
}

// Sends the question on each interface.
static void ask(wait_handle_t socket, const uint8_t question[LAN_DATAGRAM_BYTES]) {
  link_address_t interfaces[MAX_INTERFACES], group = link_address_from_ipv4(LAN_GROUP, LAN_PORT);
  uint32_t count = socket_list_interfaces(interfaces, MAX_INTERFACES);
  for (uint32_t i = 0; i < count; ++i)
    if (socket_set_group_interface(socket, &interfaces[i]))
      socket_send_to(socket, SOCKET_IPV4, &group, question, LAN_DATAGRAM_BYTES);
}

// Returns the size of the next datagram, truncated to `capacity`, or 0 if no datagram has arrived.
static size_t receive(wait_handle_t socket, uint8_t *out, size_t capacity, link_address_t *from) {
  socket_batch_t batch;
  batch.bytes = out;
  batch.capacity = capacity;
  if (socket_receive_batch(socket, &batch, 1) == 0)
    return 0;
  *from = batch.senders[0];
  return batch.sizes[0];
}

// --- hosts

struct lan_host_o {
  wait_handle_t socket;
  uint64_t number;
  rate_limit_t answers;
};

lan_host_o *lan_host_create(error_info_t *error) {
  wait_handle_t socket = sodium_init() >= 0 ? open_socket(LAN_PORT) : WAIT_NONE;
  if (socket == WAIT_NONE || !join_group(socket)) {
    error_set(error, "cannot listen for local-network searches on UDP port %u: %s", LAN_PORT, socket_error_text(errno));
    socket_close(socket);
    return NULL;
  }
  lan_host_o *host = alloc_object(sizeof *host);
  host->socket = socket;
  randombytes_buf(&host->number, sizeof host->number);
  return host;
}

void lan_host_destroy(lan_host_o *host) {
  if (!host)
    return;
  socket_close(host->socket);
  free(host);
}

void lan_host_update(lan_host_o *host, int64_t now_us, const lan_offer_t *offer) {
  uint8_t question[LAN_DATAGRAM_BYTES + 1], answer[LAN_DATAGRAM_BYTES]; // one more byte reveals larger datagrams
  link_address_t from;
  size_t size;
  for (uint32_t i = 0; i < MAX_READ && (size = receive(host->socket, question, sizeof question, &from)) > 0; ++i) {
    size = lan_write_answer(question, size, host->number, offer, answer);
    if (size > 0 && rate_limit_take(&host->answers, now_us, ANSWERS_PER_SECOND, ANSWERS_PER_SECOND))
      (void)socket_send_to(host->socket, SOCKET_IPV4, &from, answer, size);
  }
}

// --- searchers

struct lan_search_o {
  wait_handle_t socket;
  uint64_t nonce;
  int64_t ask_us; // time of the next question
};

lan_search_o *lan_search_create(error_info_t *error) {
  wait_handle_t socket = sodium_init() >= 0 ? open_socket(0) : WAIT_NONE;
  if (socket == WAIT_NONE) {
    error_set(error, "cannot search the local network: %s", socket_error_text(errno));
    return NULL;
  }
  lan_search_o *search = alloc_object(sizeof *search);
  search->socket = socket;
  randombytes_buf(&search->nonce, sizeof search->nonce);
  return search;
}

void lan_search_destroy(lan_search_o *search) {
  if (!search)
    return;
  socket_close(search->socket);
  free(search);
}

bool lan_search_update(lan_search_o *search, int64_t now_us, lan_found_t *out) {
  uint8_t bytes[LAN_DATAGRAM_BYTES + 1];
  link_address_t from;
  size_t size;
  if (now_us >= search->ask_us) {
    write_question(search->nonce, bytes);
    ask(search->socket, bytes);
    search->ask_us = now_us + ASK_INTERVAL_US;
  }
  for (uint32_t i = 0; i < MAX_READ && (size = receive(search->socket, bytes, sizeof bytes, &from)) > 0; ++i) {
    if (!lan_read_answer(bytes, size, search->nonce, &out->host, &out->offer))
      continue;
    out->address = from;
    out->address.port = out->offer.port;
    return true;
  }
  return false;
}
