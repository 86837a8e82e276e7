// Finds hosts in the local network. A host joins an IPv4 multicast group. A searcher sends a question to the group on
// each network interface, and each host answers the sender. Anyone in the network can forge an answer, so an answer is
// only a hint: a machine that joins its address still authenticates the host (link/seal.h). An answer is never larger
// than its question, and answers are rate-limited, so hosts cannot be abused to flood a third machine.
//
//   question: magic (6), version (1), nonce (8), zeros up to LAN_DATAGRAM_BYTES
//   answer: magic (6), version (1), nonce (8), number of the host (8), game (8), files (8), match (8), proof (8), port
//     (2), players (1), maximum number of players (1), rank (1), length of the title (1), title, length of the name
//     (1), name
#ifndef SHOAL_LINK_LAN_SEARCH_H
#define SHOAL_LINK_LAN_SEARCH_H

#include "link/link_address.h"

#include <stddef.h>

#define LAN_GROUP 0xefff5348u // multicast group 239.255.83.72, in the range for private use
#define LAN_PORT 47391u       // UDP port for questions, shared by all hosts on a machine
#define LAN_TITLE_BYTES 48u   // size of a title with its '\0'
#define LAN_NAME_BYTES 28u    // size of a name with its '\0'
#define LAN_DATAGRAM_BYTES 144u

// A host's description of its match.
typedef struct lan_offer_t {
  uint64_t game; // hash of everything that a joiner must have in common with the host
  // hash of the engine's scripts and the game's sources, which a menu can compute without loading the game
  uint64_t files;
  uint64_t match; // number of the match, which stays the same if a peer continues as the host
  uint64_t proof; // value computed from the host's key and a secret that only machines of the match have
  uint16_t port;  // port of the host's link
  uint8_t players, max_players;
  uint8_t rank; // rank among the hosts of a match: a host without peers yields to a host with a lower rank
  char title[LAN_TITLE_BYTES]; // title of the game; UTF-8 without control characters, like `name`
  char name[LAN_NAME_BYTES];   // name of the host's first player
} lan_offer_t;

// --- hosts

typedef struct lan_host_o lan_host_o;

// Opens the socket and joins the group on all IPv4 interfaces. Returns the host, or NULL with a message if the socket
// cannot be opened, or if the group cannot be joined on any interface.
lan_host_o *lan_host_create(error_info_t *error);
void lan_host_destroy(lan_host_o *host); // accepts NULL
// Answers the received questions with `offer`. Call once per frame. `now_us`: a monotonic time.
void lan_host_update(lan_host_o *host, int64_t now_us, const lan_offer_t *offer);

// --- searchers

typedef struct lan_search_o lan_search_o;

typedef struct lan_found_t {
  uint64_t host;          // random number of the host: its answers on several interfaces have the same number
  link_address_t address; // address to join
  lan_offer_t offer;
} lan_found_t;

lan_search_o *lan_search_create(error_info_t *error);
void lan_search_destroy(lan_search_o *search); // accepts NULL
// Sends a question every half second. Returns true with the next answer, or false if no unread answer has arrived.
bool lan_search_update(lan_search_o *search, int64_t now_us, lan_found_t *out);

// --- datagrams, for tests

// Writes an answer to the question in `question`. Returns the answer's size, at most LAN_DATAGRAM_BYTES, or 0 if the
// question is malformed.
size_t lan_write_answer(const uint8_t *question, size_t size, uint64_t host, const lan_offer_t *offer, uint8_t *out);
// Reads an answer to the question with this nonce. Returns true on success, or false if the answer is malformed, or has
// a different version or nonce, no port, more players than the maximum, or a title or name that is not valid UTF-8 or
// contains control characters. Safe for untrusted bytes.
bool lan_read_answer(const uint8_t *bytes, size_t size, uint64_t nonce, uint64_t *host, lan_offer_t *out);

#endif
