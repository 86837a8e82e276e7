// Sealed sessions over a link: every datagram is encrypted and authenticated, and no payload is parsed before it is
// opened.
//
// One side, the joiner, sends an opaque request; the other side, the host, accepts or refuses the request. The host
// computes no keys and stores nothing for an address until a cookie has proven the address. No answer is longer than
// the datagram that it answers, so a host cannot amplify a flood. Each session has keys derived from two key pairs that
// are generated for the session, one on each side, so a host key that leaks later does not decrypt recorded sessions.
// The host proves that it owns its key.
//
// Datagrams may be lost and reordered, but not duplicated; link/stream.h adds reliable messages. A session is bound to
// its addresses: a peer whose address changes must join again.
//
// Rate limits per address, network, region and in total (SEAL_MAX_…) apply before the work that they limit. A network
// is an IPv4 /24 or an IPv6 /64, and a region an IPv4 /16 or an IPv6 /48, the usual sizes of one owner's addresses. All
// calls on one seal must come from the same thread. Times are in microseconds, at least 0, and must not decrease.
#ifndef SHOAL_LINK_SEAL_H
#define SHOAL_LINK_SEAL_H

#include "link/link.h"
#include "link/seal_message.h"

#define SEAL_MAX_PEERS 64u
#define SEAL_PAYLOAD_BYTES (LINK_DATAGRAM_BYTES - SEAL_DATA_HEAD_BYTES - SEAL_TAG_BYTES)
#define SEAL_TIMEOUT_US 10000000  // default of seal_desc_t.timeout_us
#define SEAL_KEEPALIVE_US 1000000 // interval at which an idle side sends an empty datagram
// Maximum numbers of unfinished joins at the host, in total and per address, network and region
#define SEAL_MAX_WAITING 16u
#define SEAL_MAX_WAITING_ADDRESS 4u
#define SEAL_MAX_WAITING_NETWORK 8u
#define SEAL_MAX_WAITING_REGION 12u
// Maximum numbers of operations per second. In addition to the limits of cookies, five HELLO and five JOIN per second
// pass from almost every network (link/network_limit.h), so a flood from a few networks delays no joins from the rest.
#define SEAL_MAX_COOKIES 5000u         // cookies computed for HELLO
#define SEAL_MAX_ADDRESS_COOKIES 40u   // cookies computed for one IPv4 address or IPv6 /64
#define SEAL_MAX_COOKIE_CHECKS 20000u  // cookies of JOIN that are checked
#define SEAL_MAX_EXCHANGES 200u        // key exchanges for JOIN with a valid cookie
#define SEAL_MAX_ADDRESS_EXCHANGES 16u // key exchanges for one IPv4 address or IPv6 /64
#define SEAL_MAX_NETWORK_EXCHANGES 50u // key exchanges for one network
#define SEAL_MAX_REGION_EXCHANGES 100u // key exchanges for one region
#define SEAL_MAX_OPENINGS 50000u       // datagrams that are opened
#define SEAL_MAX_PEER_OPENINGS 20000u  // datagrams of one session that are opened
#define SEAL_PEER_OPENINGS 1000u       // datagrams of each session that do not count toward SEAL_MAX_OPENINGS
// Datagrams of one session that are delivered: more than twice as many as a stream sends at its maximum rate. Only the
// peer itself can exceed this limit, because forged datagrams cannot be opened.
#define SEAL_MAX_PEER_DATAGRAMS 4000u
// Maximum number of key exchanges for one address in a burst: the players of a full room may share a router.
#define SEAL_ADDRESS_EXCHANGE_BURST 32u
#define SEAL_MAX_RECEIVED 1024u // maximum number of datagrams without an event that one call to seal_poll handles

typedef struct seal_o seal_o;

typedef struct seal_desc_t {
  link_t link;                // link that carries the datagrams; must outlive the seal
  uint32_t max_peers;         // maximum number of sessions and requests, in [1, SEAL_MAX_PEERS]; 0: 8
  bool is_host;               // true if this side answers join requests
  int64_t timeout_us;         // time after which a silent peer is closed; 0: SEAL_TIMEOUT_US
  const uint8_t *secret_seed; // seed of SEAL_KEY_BYTES bytes for the host's key; copied. NULL: a new key
  // Joiner: called with the key (SEAL_KEY_BYTES) of the host that answers, before the request is sent. If the function
  // returns false, the join ends with SEAL_EVENT_REFUSED. The function may write fields of the request that depend on
  // the key, because only the owner of the key can read the request. NULL: all keys are accepted.
  bool (*check_host)(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request);
  void *check_context;
} seal_desc_t;

typedef enum seal_event_kind_t {
  SEAL_EVENT_NONE,
  SEAL_EVENT_REQUEST,   // host: a join request, in `bytes`: call seal_accept or seal_refuse, now or later
  SEAL_EVENT_CONNECTED, // joiner: the host has accepted, with a reply in `bytes`; host: an accepted peer has answered
  SEAL_EVENT_DATA,      // a payload from the peer, in `bytes`, with its sequence number
  // This event and the events below end the session, so the peer number becomes invalid. Joiner: the host has refused,
  // with the reason in `bytes`, or this machine has rejected the host, with the reason as text in `bytes`.
  SEAL_EVENT_REFUSED,
  SEAL_EVENT_CLOSED, // the peer has closed the session, with its reason as the only byte in `bytes`
  SEAL_EVENT_TIMEOUT // the peer has sent no datagram for seal_desc_t.timeout_us
} seal_event_kind_t;

typedef struct seal_event_t {
  seal_event_kind_t kind;
  uint32_t peer;        // number of the peer: never 0, never reused
  uint64_t sequence;    // number of the datagram for SEAL_EVENT_DATA, from 1
  const uint8_t *bytes; // bytes of the event; valid until the next seal_ call with this seal
  size_t size;
  link_address_t address;
} seal_event_t;

// Creates a seal. Returns the seal, or NULL with a message if the system provides no random numbers.
seal_o *seal_create(const seal_desc_t *desc, error_info_t *error);
// Closes all sessions without notifying the peers (see seal_close), and erases the keys. Accepts NULL.
void seal_destroy(seal_o *seal);

// Returns the public key by which joiners recognize this host: SEAL_KEY_BYTES, valid until seal_destroy.
const uint8_t *seal_get_key(const seal_o *seal);

// Starts to join the host at an address. `host_key`: SEAL_KEY_BYTES, the required key of the host; NULL: any key that
// `check_host` of seal_desc_t accepts. If both are NULL, an attacker on the route can impersonate the host. `request`:
// at most SEAL_REQUEST_BYTES; copied. Returns the peer number. SEAL_EVENT_CONNECTED, SEAL_EVENT_REFUSED or
// SEAL_EVENT_TIMEOUT follows. Returns 0 with a message if there are too many peers or the request is too long.
uint32_t seal_join(seal_o *seal, int64_t now_us, const link_address_t *host, const uint8_t *host_key,
                   const void *request, size_t size, error_info_t *error);

// seal_accept accepts a join request with a reply; seal_refuse refuses it with a reason. Reply and reason are opaque,
// copied, and truncated to SEAL_REPLY_BYTES. After seal_refuse, the peer no longer counts as waiting. If the joiner
// repeats its request within 5 s, the refusal is repeated. Both functions do nothing if the peer number is no longer
// valid or the request has already been accepted.
void seal_accept(seal_o *seal, int64_t now_us, uint32_t peer, const void *reply, size_t size);
void seal_refuse(seal_o *seal, int64_t now_us, uint32_t peer, const void *reason, size_t size);

// Returns the sequence number of the next datagram to a peer, or 0 if the peer is not connected.
uint64_t seal_get_next_sequence(const seal_o *seal, uint32_t peer);
// Seals and sends a payload of `size` bytes in [1, SEAL_PAYLOAD_BYTES]. Returns true on success, or false if the peer
// is not connected or the link could not send the datagram, whose sequence number is then not reused.
bool seal_send(seal_o *seal, int64_t now_us, uint32_t peer, const void *bytes, size_t size);

// Ends a session or an attempt to join. The peer of a session receives SEAL_EVENT_CLOSED with `reason`, whose meaning
// the caller defines, or SEAL_EVENT_TIMEOUT if all copies of the notice are lost. This side gets no event.
void seal_close(seal_o *seal, int64_t now_us, uint32_t peer, uint8_t reason);

// Receives datagrams, sends due repetitions and keepalives, and stores the next event in `out`. Returns true with an
// event, or false if no event is pending. Call it until it returns false, at least every 100 ms.
bool seal_poll(seal_o *seal, int64_t now_us, seal_event_t *out);

// Numbers of datagrams and operations so far. `received` is the sum of the counts from `malformed` to `opened`.
typedef struct seal_counts_t {
  uint64_t received, sent;
  uint64_t malformed;  // datagrams with a wrong type, size or version
  uint64_t unexpected; // datagrams that belong to no session or do not fit its state
  uint64_t limited;    // datagrams dropped by a rate limit or by the limits for unfinished joins
  uint64_t replayed;   // datagrams that were received before, or are too old
  uint64_t forged;     // datagrams that could not be opened, or had a wrong cookie
  uint64_t handshakes; // valid HELLO, COOKIE, JOIN and ANSWER datagrams
  uint64_t opened;     // valid DATA and CLOSE datagrams
  // Operations
  uint64_t exchanges; // key exchanges, about 100 µs each
  uint64_t cookies;   // cookies computed or checked, about 1 µs each
  uint64_t openings;  // attempts to open a DATA or CLOSE, about 1 to 2 µs each
} seal_counts_t;
seal_counts_t seal_get_counts(const seal_o *seal);

// Datagrams of a session so far, without its handshake. Byte counts include the overhead of the seal.
typedef struct seal_session_counts_t {
  uint64_t sent, sent_bytes;
  uint64_t received, received_bytes; // numbers of valid datagrams and of their bytes
  uint64_t highest;                  // highest sequence number received: the peer has sent at least as many datagrams
} seal_session_counts_t;
// Stores the counts and returns true. Returns false if the peer is not connected.
bool seal_get_session_counts(const seal_o *seal, uint32_t peer, seal_session_counts_t *out);
// Stores the address of a peer and returns true. Returns false if the peer number is not valid.
bool seal_get_address(const seal_o *seal, uint32_t peer, link_address_t *out);

#endif
