// Handshake and sealing with libsodium: X25519 key exchange (crypto_kx), XChaCha20-Poly1305 with random nonces for the
// sealed parts of the handshake, ChaCha20-Poly1305 with sequence numbers as nonces for the session. A key serves one
// direction of one session, and its sequence numbers only increase, so no nonce is used twice with a key.
#include "link/seal.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "link/network_limit.h"
#include "link/sequence_window.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_LIMITS 1024u // size of the hash tables of limits per address; a power of two
#define COOKIE_EPOCH_S 30u   // length of an epoch; a cookie is valid for one to two epochs
#define COOKIE_EPOCH_US (COOKIE_EPOCH_S * 1000000)
#define USED_KEYS 16384u // size of the hash table of an epoch's used keys; a power of two
#define REFUSALS 256u    // number of refusals that can be repeated
#define UPDATE_US 5000   // interval at which timers are checked
// Intervals at which HELLO and JOIN are repeated. WAIT_US applies while the host's decision is pending.
#define HELLO_US 100000
#define JOIN_US 250000
#define WAIT_US 500000
// Time without an answer after which a joiner starts again, because the cookie may be outdated.
#define JOIN_UNANSWERED_US 1000000
#define REFUSAL_US 5000000 // maximum time for which a refusal is repeated
#define CLOSE_COPIES 3u
#define SLOT_BITS 6u // number of bits of an id that contain the session's slot; the other 18 bits are random
#define EXCHANGE_BURST (SEAL_MAX_EXCHANGES / 4)
#define NETWORK_EXCHANGE_BURST 36u
#define REGION_EXCHANGE_BURST 40u
#define ANSWER_BYTES                                                                                                   \
  (SEAL_ANSWER_HEAD_BYTES + SEAL_NONCE_BYTES + SEAL_ANSWER_BODY_BYTES + SEAL_REPLY_BYTES + SEAL_TAG_BYTES)

// Each key exchange adds at most one peer, which limits the number of peers that end in an epoch. Their keys must fill
// at most half of the table.
_Static_assert(SEAL_MAX_PEERS + EXCHANGE_BURST + SEAL_MAX_EXCHANGES * COOKIE_EPOCH_S <= USED_KEYS / 2,
               "the table of used keys is too small for the rate of key exchanges");
// At the maximum rate of key exchanges, a refusal is kept for at least 1 s, that is, for four repetitions of the JOIN.
_Static_assert(REFUSALS >= SEAL_MAX_EXCHANGES + EXCHANGE_BURST, "too few refusals are kept for lost datagrams");
_Static_assert(SEAL_ADDRESS_EXCHANGE_BURST < EXCHANGE_BURST && SEAL_MAX_ADDRESS_EXCHANGES * 8 < SEAL_MAX_EXCHANGES,
               "requests from one address must leave key exchanges for different addresses");
_Static_assert(REGION_EXCHANGE_BURST < EXCHANGE_BURST && SEAL_MAX_REGION_EXCHANGES * 2 <= SEAL_MAX_EXCHANGES &&
                   SEAL_MAX_WAITING_REGION < SEAL_MAX_WAITING,
               "requests from one region must leave key exchanges and waiting slots for different regions");
_Static_assert(ANSWER_BYTES <= SEAL_JOIN_MIN_BYTES, "an answer must not be longer than its request");

typedef enum peer_state_t {
  PEER_NONE,
  PEER_HELLO_SENT, // joiner: waits for the cookie
  PEER_JOIN_SENT,  // joiner: waits for the answer
  PEER_REQUESTED,  // host: waits for the decision
  PEER_ACCEPTED,   // host: waits for the first sealed datagram
  PEER_CONNECTED
} peer_state_t;

typedef struct key_pair_t {
  uint8_t public_key[SEAL_KEY_BYTES], secret_key[SEAL_KEY_BYTES];
} key_pair_t;

typedef struct key_directions_t {
  uint8_t receive[SEAL_KEY_BYTES], send[SEAL_KEY_BYTES];
} key_directions_t;

typedef struct peer_t {
  peer_state_t state;
  uint32_t number;
  // is_host: the peer is the host. has_received: a sealed datagram of the session has arrived
  bool is_host, has_received;
  bool has_host_key; // true if only `host_key` is accepted
  link_address_t address;
  uint32_t id, remote_id; // ids in datagrams from the peer and to the peer
  int64_t since_us, last_sent_us, last_received_us, next_send_us;
  key_pair_t own; // key pair generated for this session
  uint8_t remote_key[SEAL_KEY_BYTES], host_key[SEAL_KEY_BYTES];
  key_directions_t handshake, session;
  uint64_t next_sequence;
  sequence_window_t received;
  seal_session_counts_t counts;
  rate_limit_t openings, own_openings, datagrams, answers;
  uint8_t text[SEAL_REQUEST_BYTES];  // joiner: the request; host: the reply, or the reason for the refusal
  uint8_t join[LINK_DATAGRAM_BYTES]; // joiner: the encoded JOIN
  size_t text_size, join_size;
} peer_t;

// Keys of the peers that ended in an epoch. A replayed JOIN with such a key must not create a new request.
typedef struct used_keys_t {
  int64_t epoch;
  uint64_t keys[USED_KEYS]; // hash table with linear probing; 0: empty
} used_keys_t;

// A sent refusal, kept so that it can be repeated if its datagram is lost.
typedef struct refusal_t {
  uint64_t key; // hash of the joiner's key (hash_key)
  link_address_t address;
  int64_t until_us;
  rate_limit_t answers;
  size_t size;
  uint8_t datagram[ANSWER_BYTES];
} refusal_t;

// A host's records of former peers. Refused peers occupy no session slot.
typedef struct former_peers_t {
  used_keys_t used_keys[2]; // keys of the current and the previous epoch; older cookies are invalid
  refusal_t refusals[REFUSALS];
  uint32_t refusal_count; // number of refusals so far; the next refusal replaces the oldest
} former_peers_t;

struct seal_o {
  link_t link;
  uint32_t max_peers, generation;
  bool is_host, has_held_event;
  bool (*check_host)(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request);
  void *check_context;
  int64_t timeout_us, next_update_us;
  uint32_t update_at; // slot whose timers are checked next
  key_pair_t key;
  uint8_t cookie_secret[crypto_generichash_KEYBYTES], hash_secret[crypto_shorthash_KEYBYTES];
  network_limit_t cookies, cookie_checks;
  rate_limit_t exchanges, openings;
  rate_limit_t address_cookies[ADDRESS_LIMITS], address_exchanges[ADDRESS_LIMITS];
  rate_limit_t network_exchanges[ADDRESS_LIMITS], region_exchanges[ADDRESS_LIMITS];
  former_peers_t *former;  // NULL unless is_host
  seal_event_t held_event; // delivered by the next call of seal_poll
  seal_counts_t counts;
  peer_t peers[SEAL_MAX_PEERS];
  uint8_t datagram[LINK_DATAGRAM_BYTES], opened[LINK_DATAGRAM_BYTES];
};

// --- creation

seal_o *seal_create(const seal_desc_t *desc, error_info_t *error) {
  shoal_assert(desc->max_peers <= SEAL_MAX_PEERS, "max_peers %u is out of range [1, 64]", desc->max_peers);
  if (sodium_init() < 0) {
    error_set(error, "libsodium cannot start: the system provides no random numbers");
    return NULL;
  }
  seal_o *seal = alloc_object(sizeof *seal);
  seal->link = desc->link;
  seal->max_peers = desc->max_peers > 0 ? desc->max_peers : 8;
  seal->is_host = desc->is_host;
  seal->former = desc->is_host ? alloc_object(sizeof *seal->former) : NULL;
  seal->check_host = desc->check_host;
  seal->check_context = desc->check_context;
  seal->timeout_us = desc->timeout_us > 0 ? desc->timeout_us : SEAL_TIMEOUT_US;
  randombytes_buf(seal->cookie_secret, sizeof seal->cookie_secret);
  randombytes_buf(seal->hash_secret, sizeof seal->hash_secret);
  if (desc->secret_seed)
    crypto_kx_seed_keypair(seal->key.public_key, seal->key.secret_key, desc->secret_seed);
  else
    crypto_kx_keypair(seal->key.public_key, seal->key.secret_key);
  return seal;
}

void seal_destroy(seal_o *seal) {
  if (!seal)
    return;
  free(seal->former); // contains no secrets
  sodium_memzero(seal, sizeof *seal);
  free(seal);
}

const uint8_t *seal_get_key(const seal_o *seal) {
  return seal->key.public_key;
}

seal_counts_t seal_get_counts(const seal_o *seal) {
  return seal->counts;
}

// --- peers

static peer_t *find_peer(const seal_o *seal, uint32_t number) {
  const peer_t *peer = &seal->peers[number % SEAL_MAX_PEERS];
  return number > 0 && peer->state != PEER_NONE && peer->number == number ? (peer_t *)peer : NULL;
}

bool seal_get_session_counts(const seal_o *seal, uint32_t number, seal_session_counts_t *out) {
  const peer_t *peer = find_peer(seal, number);
  if (!peer || peer->state != PEER_CONNECTED)
    return false;
  *out = peer->counts;
  return true;
}

bool seal_get_address(const seal_o *seal, uint32_t number, link_address_t *out) {
  const peer_t *peer = find_peer(seal, number);
  if (peer)
    *out = peer->address;
  return peer != NULL;
}

// Returns the peer with this id and address, or NULL if no such session exists.
static peer_t *find_session(seal_o *seal, uint32_t id, const link_address_t *address) {
  peer_t *peer = &seal->peers[id % SEAL_MAX_PEERS];
  return peer->state != PEER_NONE && peer->id == id && link_address_equals(&peer->address, address) ? peer : NULL;
}

static peer_t *add_peer(seal_o *seal, int64_t now_us, const link_address_t *address) {
  for (uint32_t slot = 0; slot < seal->max_peers; ++slot) {
    peer_t *peer = &seal->peers[slot];
    if (peer->state != PEER_NONE)
      continue;
    *peer = (peer_t){.address = *address,
                     .number = ++seal->generation * SEAL_MAX_PEERS + slot,
                     .id = slot | randombytes_uniform(1u << (24 - SLOT_BITS)) << SLOT_BITS,
                     .since_us = now_us,
                     .last_received_us = now_us,
                     .next_sequence = 1};
    crypto_kx_keypair(peer->own.public_key, peer->own.secret_key);
    return peer;
  }
  return NULL;
}

// Returns a hash that a sender cannot predict, and that is never 0.
static uint64_t hash_key(const seal_o *seal, const uint8_t *key) {
  uint64_t hash;
  crypto_shorthash((uint8_t *)&hash, key, SEAL_KEY_BYTES, seal->hash_secret);
  return hash > 0 ? hash : 1;
}

// Returns the entry of a key, or the empty entry where it belongs.
static uint64_t *find_used_key(used_keys_t *used, uint64_t key) {
  uint32_t at = (uint32_t)key % USED_KEYS;
  while (used->keys[at] != 0 && used->keys[at] != key)
    at = (at + 1) % USED_KEYS;
  return &used->keys[at];
}

static void add_used_key(seal_o *seal, int64_t now_us, const uint8_t *key) {
  int64_t epoch = now_us / COOKIE_EPOCH_US;
  used_keys_t *used = &seal->former->used_keys[epoch % 2];
  uint64_t hash = hash_key(seal, key);
  if (used->epoch != epoch)
    memset(used, 0, sizeof *used);
  used->epoch = epoch;
  *find_used_key(used, hash) = hash;
}

static bool is_used_key(const seal_o *seal, int64_t now_us, uint64_t key) {
  int64_t epoch = now_us / COOKIE_EPOCH_US;
  for (uint32_t i = 0; i < 2; ++i) {
    used_keys_t *used = &seal->former->used_keys[i];
    if (used->epoch >= epoch - 1 && *find_used_key(used, key) == key)
      return true;
  }
  return false;
}

static void remove_peer(seal_o *seal, int64_t now_us, peer_t *peer) {
  if (!peer->is_host && seal->former)
    add_used_key(seal, now_us, peer->remote_key);
  if (peer->is_host || peer->state == PEER_CONNECTED)
    link_set_peer(&seal->link, &peer->address, false);
  sodium_memzero(peer, sizeof *peer);
}

// Stores an event about a peer. Returns true.
static bool set_event(seal_event_t *out, seal_event_kind_t kind, const peer_t *peer, const void *bytes, size_t size) {
  *out = (seal_event_t){.kind = kind, .peer = peer->number, .address = peer->address, .bytes = bytes, .size = size};
  return true;
}

// Removes a peer and stores an event about it. Returns true.
static bool end_peer(seal_o *seal, int64_t now_us, peer_t *peer, seal_event_kind_t kind, const void *bytes, size_t size,
                     seal_event_t *out) {
  set_event(out, kind, peer, bytes, size);
  remove_peer(seal, now_us, peer);
  return true;
}

// Counts a datagram as dropped. Returns false.
static bool drop_datagram(uint64_t *count) {
  ++*count;
  return false;
}

static bool send_datagram(seal_o *seal, int64_t now_us, const link_address_t *to, const uint8_t *bytes, size_t size) {
  ++seal->counts.sent;
  return link_send(&seal->link, now_us, to, bytes, size);
}

// --- limits and cookies

// Returns a hash, which senders cannot predict, of an address's first bytes. An IPv4 address is stored in the last 4 of
// 16 bytes.
static uint64_t hash_prefix(const seal_o *seal, const link_address_t *address, uint32_t ipv4_bytes,
                            uint32_t ipv6_bytes) {
  uint64_t hash;
  crypto_shorthash((uint8_t *)&hash, address->ip, link_address_is_ipv4(address) ? 12 + ipv4_bytes : ipv6_bytes,
                   seal->hash_secret);
  return hash;
}

static uint32_t hash_address(const seal_o *seal, const link_address_t *address) {
  return (uint32_t)hash_prefix(seal, address, 4, 8) % ADDRESS_LIMITS;
}

static uint64_t hash_network(const seal_o *seal, const link_address_t *address) {
  return hash_prefix(seal, address, 3, 8);
}

static uint64_t hash_region(const seal_o *seal, const link_address_t *address) {
  return hash_prefix(seal, address, 2, 6);
}

static void compute_cookie(seal_o *seal, int64_t epoch, const link_address_t *address, const uint8_t *key,
                           uint8_t out[SEAL_COOKIE_BYTES]) {
  uint8_t text[8 + 16 + 4 + 2 + SEAL_KEY_BYTES];
  memcpy(text, &epoch, 8);
  memcpy(text + 8, address->ip, 16);
  memcpy(text + 24, &address->scope, 4);
  memcpy(text + 28, &address->port, 2);
  memcpy(text + 30, key, SEAL_KEY_BYTES);
  crypto_generichash(out, SEAL_COOKIE_BYTES, text, sizeof text, seal->cookie_secret, sizeof seal->cookie_secret);
  ++seal->counts.cookies;
}

static bool is_valid_cookie(seal_o *seal, int64_t now_us, const link_address_t *address, const uint8_t *key,
                            const uint8_t *cookie) {
  uint8_t computed[SEAL_COOKIE_BYTES];
  for (int64_t age = 0; age < 2; ++age) {
    compute_cookie(seal, now_us / COOKIE_EPOCH_US - age, address, key, computed);
    if (sodium_memcmp(computed, cookie, sizeof computed) == 0)
      return true;
  }
  return false;
}

// --- sealed datagrams

static void make_nonce(uint64_t sequence, uint8_t out[crypto_aead_chacha20poly1305_ietf_NPUBBYTES]) {
  memset(out, 0, 4);
  for (uint32_t i = 0; i < 8; ++i)
    out[4 + i] = (uint8_t)(sequence >> 8 * i);
}

static bool send_sealed(seal_o *seal, int64_t now_us, peer_t *peer, seal_type_t type, const void *bytes, size_t size) {
  uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], *out = seal->datagram;
  uint64_t sequence = peer->next_sequence++;
  out[0] = (uint8_t)type;
  seal_put_id(out + 1, peer->remote_id);
  for (uint32_t i = 0; i < 4; ++i)
    out[4 + i] = (uint8_t)(sequence >> 8 * i);
  make_nonce(sequence, nonce);
  crypto_aead_chacha20poly1305_ietf_encrypt(out + SEAL_DATA_HEAD_BYTES, NULL, bytes, size, out, SEAL_DATA_HEAD_BYTES,
                                            NULL, nonce, peer->session.send);
  peer->last_sent_us = now_us;
  ++peer->counts.sent;
  peer->counts.sent_bytes += SEAL_DATA_HEAD_BYTES + size + SEAL_TAG_BYTES;
  return send_datagram(seal, now_us, &peer->address, out, SEAL_DATA_HEAD_BYTES + size + SEAL_TAG_BYTES);
}

uint64_t seal_get_next_sequence(const seal_o *seal, uint32_t number) {
  const peer_t *peer = find_peer(seal, number);
  return peer && peer->state == PEER_CONNECTED ? peer->next_sequence : 0;
}

bool seal_send(seal_o *seal, int64_t now_us, uint32_t number, const void *bytes, size_t size) {
  peer_t *peer = find_peer(seal, number);
  shoal_assert(size > 0 && size <= SEAL_PAYLOAD_BYTES, "payload of %zu bytes is out of range [1, 1176]", size);
  return peer && peer->state == PEER_CONNECTED && size <= SEAL_PAYLOAD_BYTES &&
         send_sealed(seal, now_us, peer, SEAL_TYPE_DATA, bytes, size);
}

void seal_close(seal_o *seal, int64_t now_us, uint32_t number, uint8_t reason) {
  peer_t *peer = find_peer(seal, number);
  if (!peer)
    return;
  for (uint32_t i = 0; peer->state == PEER_CONNECTED && i < CLOSE_COPIES; ++i)
    send_sealed(seal, now_us, peer, SEAL_TYPE_CLOSE, &reason, 1);
  remove_peer(seal, now_us, peer);
  seal->has_held_event &= seal->held_event.peer != number;
}

// Counts a datagram of a session and returns true if it may be opened, or returns false if it exceeds the limits. Each
// session keeps its own share even if floods from different sessions exceed SEAL_MAX_OPENINGS.
static bool may_open(seal_o *seal, int64_t now_us, peer_t *peer) {
  return rate_limit_take(&peer->openings, now_us, SEAL_MAX_PEER_OPENINGS, SEAL_MAX_PEER_OPENINGS / 4) &&
         (rate_limit_take(&peer->own_openings, now_us, SEAL_PEER_OPENINGS, SEAL_PEER_OPENINGS / 4) ||
          rate_limit_take(&seal->openings, now_us, SEAL_MAX_OPENINGS, SEAL_MAX_OPENINGS / 4));
}

// Opens a DATA or CLOSE datagram into `opened`. Returns the size of its payload, or SIZE_MAX if it is dropped.
static size_t open_sealed(seal_o *seal, int64_t now_us, peer_t *peer, const uint8_t *bytes, size_t size,
                          uint64_t *sequence) {
  uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
  unsigned long long opened = 0;
  uint32_t low = bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 24;
  *sequence = sequence_window_expand(&peer->received, low);
  if (!sequence_window_is_new(&peer->received, *sequence)) {
    ++seal->counts.replayed;
    return SIZE_MAX;
  }
  if (!may_open(seal, now_us, peer)) {
    ++seal->counts.limited;
    return SIZE_MAX;
  }
  ++seal->counts.openings;
  make_nonce(*sequence, nonce);
  if (crypto_aead_chacha20poly1305_ietf_decrypt(seal->opened, &opened, NULL, bytes + SEAL_DATA_HEAD_BYTES,
                                                size - SEAL_DATA_HEAD_BYTES, bytes, SEAL_DATA_HEAD_BYTES, nonce,
                                                peer->session.receive) != 0) {
    ++seal->counts.forged;
    return SIZE_MAX;
  }
  if (!rate_limit_take(&peer->datagrams, now_us, SEAL_MAX_PEER_DATAGRAMS, SEAL_MAX_PEER_DATAGRAMS / 4)) {
    ++seal->counts.limited;
    return SIZE_MAX;
  }
  sequence_window_add(&peer->received, *sequence);
  ++peer->counts.received;
  peer->counts.received_bytes += size;
  peer->counts.highest = peer->received.highest;
  peer->last_received_us = now_us;
  peer->has_received = true;
  ++seal->counts.opened;
  return (size_t)opened;
}

static bool handle_data(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                        seal_event_t *out) {
  uint64_t sequence;
  if (size < SEAL_DATA_HEAD_BYTES + SEAL_TAG_BYTES)
    return drop_datagram(&seal->counts.malformed);
  peer_t *peer = find_session(seal, seal_get_id(bytes + 1), from);
  if (!peer || (peer->state != PEER_CONNECTED && peer->state != PEER_ACCEPTED))
    return drop_datagram(&seal->counts.unexpected);
  size_t opened = open_sealed(seal, now_us, peer, bytes, size, &sequence);
  if (opened == SIZE_MAX)
    return false;
  if (bytes[0] == SEAL_TYPE_CLOSE) {
    seal->opened[0] = opened > 0 ? seal->opened[0] : 0;
    return end_peer(seal, now_us, peer, SEAL_EVENT_CLOSED, seal->opened, 1, out);
  }
  if (opened > 0) {
    set_event(out, SEAL_EVENT_DATA, peer, seal->opened, opened);
    out->sequence = sequence;
  }
  if (peer->state == PEER_ACCEPTED) {
    peer->state = PEER_CONNECTED;
    link_set_peer(&seal->link, &peer->address, true);
    seal->held_event = *out;
    seal->has_held_event = opened > 0;
    return set_event(out, SEAL_EVENT_CONNECTED, peer, NULL, 0);
  }
  return opened > 0;
}

// --- the host's side of the handshake

static bool handle_hello(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size) {
  uint8_t out[SEAL_COOKIE_MESSAGE_BYTES] = {SEAL_TYPE_COOKIE};
  if (size != SEAL_HELLO_BYTES)
    return drop_datagram(&seal->counts.malformed);
  if (!seal->is_host)
    return drop_datagram(&seal->counts.unexpected);
  // A network's share is checked before the address's limit: otherwise, the 256 addresses of one network could use up
  // the entries in address_cookies that a quarter of all addresses share.
  uint64_t network = hash_network(seal, from);
  if (!network_limit_take_share(&seal->cookies, now_us, network) &&
      (!rate_limit_take(&seal->address_cookies[hash_address(seal, from)], now_us, SEAL_MAX_ADDRESS_COOKIES,
                        SEAL_MAX_ADDRESS_COOKIES) ||
       !network_limit_take(&seal->cookies, now_us, network, SEAL_MAX_COOKIES)))
    return drop_datagram(&seal->counts.limited);
  ++seal->counts.handshakes;
  memcpy(out + 1, bytes + 36, 3); // copies the joiner's id
  out[4] = SEAL_VERSION;
  memcpy(out + 8, bytes + 4, SEAL_KEY_BYTES);
  memcpy(out + 40, seal->key.public_key, SEAL_KEY_BYTES);
  compute_cookie(seal, now_us / COOKIE_EPOCH_US, from, bytes + 4, out + 72);
  send_datagram(seal, now_us, from, out, sizeof out);
  return false;
}

// Seals an answer in `out` (ANSWER_BYTES). Returns its size.
static size_t write_answer(const peer_t *peer, seal_answer_t kind, uint8_t *out) {
  uint8_t body[SEAL_ANSWER_BODY_BYTES + SEAL_REPLY_BYTES], head[4 + SEAL_KEY_BYTES];
  seal_answer_message_t answer = {kind, peer->id, peer->own.public_key, peer->text, peer->text_size};
  size_t size = seal_write_answer(&answer, body);
  out[0] = head[0] = SEAL_TYPE_ANSWER;
  seal_put_id(out + 1, peer->remote_id);
  seal_put_id(head + 1, peer->remote_id);
  memcpy(head + 4, peer->remote_key, SEAL_KEY_BYTES);
  uint8_t *nonce = out + SEAL_ANSWER_HEAD_BYTES;
  randombytes_buf(nonce, SEAL_NONCE_BYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + SEAL_NONCE_BYTES, NULL, body, size, head, sizeof head, NULL, nonce,
                                             peer->handshake.send);
  return SEAL_ANSWER_HEAD_BYTES + SEAL_NONCE_BYTES + size + SEAL_TAG_BYTES;
}

static void send_answer(seal_o *seal, int64_t now_us, const peer_t *peer) {
  uint8_t out[ANSWER_BYTES];
  size_t size = write_answer(peer, peer->state == PEER_ACCEPTED ? SEAL_ANSWER_ACCEPT : SEAL_ANSWER_WAIT, out);
  send_datagram(seal, now_us, &peer->address, out, size);
}

// Answers a repeated JOIN of a peer, within the peer's rate limit. Returns false, because a repetition is not an event.
static bool repeat_answer(seal_o *seal, int64_t now_us, const link_address_t *from, peer_t *peer) {
  if (!link_address_equals(&peer->address, from) || peer->state == PEER_CONNECTED)
    return drop_datagram(&seal->counts.unexpected);
  if (!rate_limit_take(&peer->answers, now_us, 20, 5))
    return drop_datagram(&seal->counts.limited);
  ++seal->counts.handshakes;
  peer->last_received_us = now_us;
  send_answer(seal, now_us, peer);
  return false;
}

static refusal_t *find_refusal(const seal_o *seal, int64_t now_us, uint64_t key) {
  for (uint32_t i = 0; i < REFUSALS; ++i)
    if (seal->former->refusals[i].key == key && seal->former->refusals[i].until_us > now_us)
      return &seal->former->refusals[i];
  return NULL;
}

// Answers a JOIN with the key of a former peer: repeats its refusal, or drops the datagram. Returns false.
static bool repeat_refusal(seal_o *seal, int64_t now_us, const link_address_t *from, uint64_t key) {
  refusal_t *refusal = find_refusal(seal, now_us, key);
  if (!refusal || !link_address_equals(&refusal->address, from))
    return drop_datagram(&seal->counts.replayed);
  if (!rate_limit_take(&refusal->answers, now_us, 20, 5))
    return drop_datagram(&seal->counts.limited);
  ++seal->counts.handshakes;
  send_datagram(seal, now_us, from, refusal->datagram, refusal->size);
  return false;
}

// Returns true if one more request from this address may wait for the host's decision.
static bool has_space_for_request(const seal_o *seal, const link_address_t *from) {
  uint32_t waiting = 0, same_address = 0, same_network = 0, same_region = 0, used = 0;
  uint64_t address = hash_address(seal, from), network = hash_network(seal, from), region = hash_region(seal, from);
  for (uint32_t i = 0; i < seal->max_peers; ++i) {
    const peer_t *peer = &seal->peers[i];
    used += peer->state != PEER_NONE;
    if (peer->state != PEER_REQUESTED && peer->state != PEER_ACCEPTED)
      continue;
    ++waiting;
    same_address += hash_address(seal, &peer->address) == address;
    same_network += hash_network(seal, &peer->address) == network;
    same_region += hash_region(seal, &peer->address) == region;
  }
  return used < seal->max_peers && waiting < SEAL_MAX_WAITING && same_address < SEAL_MAX_WAITING_ADDRESS &&
         same_network < SEAL_MAX_WAITING_NETWORK && same_region < SEAL_MAX_WAITING_REGION;
}

// A rate limit for key exchanges.
typedef struct exchange_limit_t {
  rate_limit_t *limit;
  int64_t interval_us;
  uint32_t burst;
} exchange_limit_t;

// Counts one key exchange and returns true, or returns false if it exceeds a limit. An exchange that exceeds one limit
// counts toward no limit: dropped requests would otherwise use up the shares of other senders.
static bool may_exchange(seal_o *seal, int64_t now_us, const link_address_t *from) {
  const exchange_limit_t limits[] = {
      {&seal->address_exchanges[hash_address(seal, from)], 1000000 / SEAL_MAX_ADDRESS_EXCHANGES,
       SEAL_ADDRESS_EXCHANGE_BURST},
      {&seal->network_exchanges[hash_network(seal, from) % ADDRESS_LIMITS], 1000000 / SEAL_MAX_NETWORK_EXCHANGES,
       NETWORK_EXCHANGE_BURST},
      {&seal->region_exchanges[hash_region(seal, from) % ADDRESS_LIMITS], 1000000 / SEAL_MAX_REGION_EXCHANGES,
       REGION_EXCHANGE_BURST},
      {&seal->exchanges, 1000000 / SEAL_MAX_EXCHANGES, EXCHANGE_BURST},
  };
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
    rate_limit_t copy = *limits[i].limit;
    if (!rate_limit_take_interval(&copy, now_us, limits[i].interval_us, limits[i].burst))
      return false;
  }
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    rate_limit_take_interval(limits[i].limit, now_us, limits[i].interval_us, limits[i].burst);
  return true;
}

// Opens a JOIN with a valid cookie, and adds a peer for its request. Returns true with a request event, or false if the
// datagram is forged or malformed.
static bool open_join(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                      seal_event_t *out) {
  key_directions_t keys;
  seal_join_t join;
  unsigned long long opened = 0;
  const uint8_t *nonce = bytes + SEAL_JOIN_HEAD_BYTES, *sealed = nonce + SEAL_NONCE_BYTES;
  ++seal->counts.exchanges;
  if (crypto_kx_server_session_keys(keys.receive, keys.send, seal->key.public_key, seal->key.secret_key, bytes + 4) !=
          0 ||
      crypto_aead_xchacha20poly1305_ietf_decrypt(seal->opened, &opened, NULL, sealed,
                                                 size - SEAL_JOIN_HEAD_BYTES - SEAL_NONCE_BYTES, bytes,
                                                 SEAL_JOIN_HEAD_BYTES, nonce, keys.receive) != 0 ||
      !seal_read_join(seal->opened, (size_t)opened, &join))
    return drop_datagram(&seal->counts.forged);
  peer_t *peer = add_peer(seal, now_us, from);
  peer->state = PEER_REQUESTED;
  peer->remote_id = join.id;
  peer->handshake = keys;
  memcpy(peer->remote_key, bytes + 4, SEAL_KEY_BYTES);
  ++seal->counts.handshakes;
  return set_event(out, SEAL_EVENT_REQUEST, peer, join.request, join.size);
}

static bool handle_join(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                        seal_event_t *out) {
  const uint8_t *key = bytes + 4;
  if (size < SEAL_JOIN_MIN_BYTES || bytes[1] != SEAL_VERSION)
    return drop_datagram(&seal->counts.malformed);
  if (!seal->is_host)
    return drop_datagram(&seal->counts.unexpected);
  for (uint32_t i = 0; i < seal->max_peers; ++i)
    if (seal->peers[i].state >= PEER_REQUESTED && memcmp(seal->peers[i].remote_key, key, SEAL_KEY_BYTES) == 0)
      return repeat_answer(seal, now_us, from, &seal->peers[i]);
  uint64_t hash = hash_key(seal, key);
  if (is_used_key(seal, now_us, hash))
    return repeat_refusal(seal, now_us, from, hash);
  if (!network_limit_take(&seal->cookie_checks, now_us, hash_network(seal, from), SEAL_MAX_COOKIE_CHECKS))
    return drop_datagram(&seal->counts.limited);
  if (!is_valid_cookie(seal, now_us, from, key, bytes + 36))
    return drop_datagram(&seal->counts.forged);
  // The cookie proves that the sender receives datagrams at its address.
  if (!has_space_for_request(seal, from) || !may_exchange(seal, now_us, from))
    return drop_datagram(&seal->counts.limited);
  return open_join(seal, now_us, from, bytes, size, out);
}

static void set_text(peer_t *peer, const void *text, size_t size) {
  peer->text_size = size < SEAL_REPLY_BYTES ? size : SEAL_REPLY_BYTES;
  if (peer->text_size > 0)
    memcpy(peer->text, text, peer->text_size);
}

void seal_accept(seal_o *seal, int64_t now_us, uint32_t number, const void *reply, size_t size) {
  peer_t *peer = find_peer(seal, number);
  if (!peer || peer->state != PEER_REQUESTED)
    return;
  ++seal->counts.exchanges;
  if (crypto_kx_server_session_keys(peer->session.receive, peer->session.send, peer->own.public_key,
                                    peer->own.secret_key, peer->remote_key) != 0)
    return;
  peer->state = PEER_ACCEPTED;
  peer->since_us = now_us;
  set_text(peer, reply, size);
  send_answer(seal, now_us, peer);
}

void seal_refuse(seal_o *seal, int64_t now_us, uint32_t number, const void *reason, size_t size) {
  peer_t *peer = find_peer(seal, number);
  if (!peer || peer->state != PEER_REQUESTED)
    return;
  refusal_t *refusal = &seal->former->refusals[seal->former->refusal_count++ % REFUSALS];
  set_text(peer, reason, size);
  *refusal =
      (refusal_t){.key = hash_key(seal, peer->remote_key), .address = peer->address, .until_us = now_us + REFUSAL_US};
  refusal->size = write_answer(peer, SEAL_ANSWER_REFUSE, refusal->datagram);
  send_datagram(seal, now_us, &refusal->address, refusal->datagram, refusal->size);
  remove_peer(seal, now_us, peer);
}

// --- the joiner's side of the handshake

static void send_hello(seal_o *seal, int64_t now_us, peer_t *peer) {
  uint8_t out[SEAL_HELLO_BYTES] = {SEAL_TYPE_HELLO, SEAL_VERSION};
  memcpy(out + 4, peer->own.public_key, SEAL_KEY_BYTES);
  seal_put_id(out + 36, peer->id);
  peer->next_send_us = now_us + HELLO_US;
  send_datagram(seal, now_us, &peer->address, out, sizeof out);
}

uint32_t seal_join(seal_o *seal, int64_t now_us, const link_address_t *host, const uint8_t *host_key,
                   const void *request, size_t size, error_info_t *error) {
  if (size > SEAL_REQUEST_BYTES)
    return error_set(error, "the join request has %zu bytes: at most %u are allowed", size, SEAL_REQUEST_BYTES);
  peer_t *peer = add_peer(seal, now_us, host);
  if (!peer)
    return error_set(error, "too many peers: at most %u", seal->max_peers);
  peer->state = PEER_HELLO_SENT;
  peer->is_host = true;
  peer->has_host_key = host_key != NULL;
  if (host_key)
    memcpy(peer->host_key, host_key, SEAL_KEY_BYTES);
  if (size > 0)
    memcpy(peer->text, request, size);
  peer->text_size = size;
  link_set_peer(&seal->link, host, true);
  send_hello(seal, now_us, peer);
  return peer->number;
}

static void send_join(seal_o *seal, int64_t now_us, peer_t *peer, int64_t next_us) {
  peer->next_send_us = now_us + next_us;
  send_datagram(seal, now_us, &peer->address, peer->join, peer->join_size);
}

// Seals the request for a host's key and cookie in `peer->join`, which is sent again unchanged if the JOIN is repeated.
static void write_join(peer_t *peer, const uint8_t *cookie) {
  uint8_t body[LINK_DATAGRAM_BYTES], *out = peer->join, *nonce = out + SEAL_JOIN_HEAD_BYTES;
  size_t overhead = SEAL_JOIN_HEAD_BYTES + SEAL_NONCE_BYTES + SEAL_TAG_BYTES;
  size_t body_size = SEAL_JOIN_BODY_BYTES + peer->text_size;
  if (body_size < SEAL_JOIN_MIN_BYTES - overhead)
    body_size = SEAL_JOIN_MIN_BYTES - overhead;
  seal_write_join(&(seal_join_t){peer->id, peer->text, peer->text_size}, body, body_size);
  memcpy(out, (uint8_t[]){SEAL_TYPE_JOIN, SEAL_VERSION, 0, 0}, 4);
  memcpy(out + 4, peer->own.public_key, SEAL_KEY_BYTES);
  memcpy(out + 36, cookie, SEAL_COOKIE_BYTES);
  randombytes_buf(nonce, SEAL_NONCE_BYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + SEAL_NONCE_BYTES, NULL, body, body_size, out, SEAL_JOIN_HEAD_BYTES,
                                             NULL, nonce, peer->handshake.send);
  peer->join_size = overhead + body_size;
}

static bool refuse_host(seal_o *seal, int64_t now_us, peer_t *peer, seal_event_t *out) {
  return end_peer(seal, now_us, peer, SEAL_EVENT_REFUSED, seal->opened, strlen((const char *)seal->opened), out);
}

static bool handle_cookie(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                          seal_event_t *out) {
  if (size != SEAL_COOKIE_MESSAGE_BYTES)
    return drop_datagram(&seal->counts.malformed);
  peer_t *peer = find_session(seal, seal_get_id(bytes + 1), from);
  if (!peer || peer->state != PEER_HELLO_SENT)
    return drop_datagram(&seal->counts.unexpected);
  if (sodium_memcmp(bytes + 8, peer->own.public_key, SEAL_KEY_BYTES) != 0) // the sender has not received the HELLO
    return drop_datagram(&seal->counts.forged);
  ++seal->counts.handshakes;
  if (bytes[4] != SEAL_VERSION) {
    snprintf((char *)seal->opened, sizeof seal->opened,
             "the host's version of the link protocol is %u, this program's is %u: use the same version of Shoal",
             bytes[4], SEAL_VERSION);
    return refuse_host(seal, now_us, peer, out);
  }
  if ((peer->has_host_key && memcmp(bytes + 40, peer->host_key, SEAL_KEY_BYTES) != 0) ||
      (seal->check_host && !seal->check_host(seal->check_context, from, bytes + 40, peer->text))) {
    snprintf((char *)seal->opened, sizeof seal->opened,
             "the host's key is not the expected key: check the address, or get the key again from the host");
    return refuse_host(seal, now_us, peer, out);
  }
  memcpy(peer->remote_key, bytes + 40, SEAL_KEY_BYTES);
  ++seal->counts.exchanges;
  if (crypto_kx_client_session_keys(peer->handshake.receive, peer->handshake.send, peer->own.public_key,
                                    peer->own.secret_key, peer->remote_key) != 0)
    return drop_datagram(&seal->counts.forged);
  write_join(peer, bytes + 72);
  peer->state = PEER_JOIN_SENT;
  peer->since_us = now_us;
  send_join(seal, now_us, peer, JOIN_US);
  return false;
}

static bool accept_answer(seal_o *seal, int64_t now_us, peer_t *peer, const seal_answer_message_t *answer,
                          seal_event_t *out) {
  ++seal->counts.exchanges;
  if (crypto_kx_client_session_keys(peer->session.receive, peer->session.send, peer->own.public_key,
                                    peer->own.secret_key, answer->key) != 0)
    return drop_datagram(&seal->counts.forged);
  peer->state = PEER_CONNECTED;
  peer->remote_id = answer->id;
  send_sealed(seal, now_us, peer, SEAL_TYPE_DATA, NULL, 0); // the host waits for this datagram
  return set_event(out, SEAL_EVENT_CONNECTED, peer, answer->reply, answer->size);
}

static bool handle_answer(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                          seal_event_t *out) {
  uint8_t head[SEAL_ANSWER_HEAD_BYTES + SEAL_KEY_BYTES];
  const uint8_t *nonce = bytes + SEAL_ANSWER_HEAD_BYTES;
  unsigned long long opened = 0;
  seal_answer_message_t answer;
  if (size < SEAL_ANSWER_HEAD_BYTES + SEAL_NONCE_BYTES + SEAL_TAG_BYTES || size > SEAL_JOIN_MIN_BYTES)
    return drop_datagram(&seal->counts.malformed);
  peer_t *peer = find_session(seal, seal_get_id(bytes + 1), from);
  if (!peer || peer->state != PEER_JOIN_SENT)
    return drop_datagram(&seal->counts.unexpected);
  if (!rate_limit_take(&peer->openings, now_us, SEAL_MAX_PEER_OPENINGS, SEAL_MAX_PEER_OPENINGS / 4))
    return drop_datagram(&seal->counts.limited);
  memcpy(head, bytes, SEAL_ANSWER_HEAD_BYTES);
  memcpy(head + SEAL_ANSWER_HEAD_BYTES, peer->own.public_key, SEAL_KEY_BYTES);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(seal->opened, &opened, NULL, nonce + SEAL_NONCE_BYTES,
                                                 size - SEAL_ANSWER_HEAD_BYTES - SEAL_NONCE_BYTES, head, sizeof head,
                                                 nonce, peer->handshake.receive) != 0 ||
      !seal_read_answer(seal->opened, (size_t)opened, &answer))
    return drop_datagram(&seal->counts.forged);
  ++seal->counts.handshakes;
  peer->last_received_us = now_us;
  if (answer.kind == SEAL_ANSWER_ACCEPT)
    return accept_answer(seal, now_us, peer, &answer, out);
  if (answer.kind == SEAL_ANSWER_REFUSE)
    return end_peer(seal, now_us, peer, SEAL_EVENT_REFUSED, answer.reply, answer.size, out);
  peer->since_us = now_us;
  peer->next_send_us = now_us + WAIT_US;
  return false;
}

// --- timers

static void update_joiner(seal_o *seal, int64_t now_us, peer_t *peer) {
  if (peer->state == PEER_JOIN_SENT && now_us - peer->since_us >= JOIN_UNANSWERED_US)
    peer->state = PEER_HELLO_SENT;
  if (now_us >= peer->next_send_us && peer->state == PEER_HELLO_SENT)
    send_hello(seal, now_us, peer);
  else if (now_us >= peer->next_send_us)
    send_join(seal, now_us, peer, JOIN_US);
}

static bool update_peer(seal_o *seal, int64_t now_us, peer_t *peer, seal_event_t *out) {
  int64_t keepalive_us = peer->has_received ? SEAL_KEEPALIVE_US : HELLO_US;
  if (peer->state == PEER_NONE)
    return false;
  if (now_us - peer->last_received_us >= seal->timeout_us)
    return end_peer(seal, now_us, peer, SEAL_EVENT_TIMEOUT, NULL, 0, out);
  else if (peer->state == PEER_CONNECTED && now_us - peer->last_sent_us >= keepalive_us)
    send_sealed(seal, now_us, peer, SEAL_TYPE_DATA, NULL, 0);
  else if (peer->state == PEER_HELLO_SENT || peer->state == PEER_JOIN_SENT)
    update_joiner(seal, now_us, peer);
  return false;
}

// Checks the timers of all peers. Returns true at the first event; the next call continues with the next peer.
static bool update_peers(seal_o *seal, int64_t now_us, seal_event_t *out) {
  if (now_us < seal->next_update_us)
    return false;
  while (seal->update_at < seal->max_peers)
    if (update_peer(seal, now_us, &seal->peers[seal->update_at++], out))
      return true;
  seal->update_at = 0;
  seal->next_update_us = now_us + UPDATE_US;
  return false;
}

static bool handle_datagram(seal_o *seal, int64_t now_us, const link_address_t *from, const uint8_t *bytes, size_t size,
                            seal_event_t *out) {
  ++seal->counts.received;
  switch (bytes[0]) {
  case SEAL_TYPE_HELLO: return handle_hello(seal, now_us, from, bytes, size);
  case SEAL_TYPE_COOKIE: return handle_cookie(seal, now_us, from, bytes, size, out);
  case SEAL_TYPE_JOIN: return handle_join(seal, now_us, from, bytes, size, out);
  case SEAL_TYPE_ANSWER: return handle_answer(seal, now_us, from, bytes, size, out);
  case SEAL_TYPE_DATA:
  case SEAL_TYPE_CLOSE: return handle_data(seal, now_us, from, bytes, size, out);
  default: return drop_datagram(&seal->counts.malformed);
  }
}

bool seal_poll(seal_o *seal, int64_t now_us, seal_event_t *out) {
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  size_t size;
  *out = (seal_event_t){0};
  if (seal->has_held_event) {
    seal->has_held_event = false;
    *out = seal->held_event;
    return true;
  }
  for (uint32_t i = 0; i < SEAL_MAX_RECEIVED; ++i) {
    if ((size = link_receive(&seal->link, now_us, &from, bytes)) == 0)
      break;
    if (handle_datagram(seal, now_us, &from, bytes, size, out))
      return true;
  }
  return update_peers(seal, now_us, out);
}
