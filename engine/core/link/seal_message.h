// Formats of sealed datagrams and handshake messages; integers are little-endian.
//
//   HELLO   joiner → host   type, version, 2 zero bytes, joiner's key (32), joiner's id (3), zeros; 96 bytes
//   COOKIE  host → joiner   type, joiner's id (3), version, 3 zero bytes, joiner's key echoed (32), host's key (32),
//                           cookie (16); 88 bytes
//   JOIN    joiner → host   type, version, 2 zero bytes, joiner's key (32), cookie (16), nonce (24), sealed: joiner's
//                           id (3), size (2), request, zeros; at least 512 bytes
//   ANSWER  host → joiner   type, joiner's id (3), nonce (24), sealed: kind, host's id (3), host's session key (32),
//                           size (2), reply; at most 338 bytes
//   DATA    both            type, receiver's id (3), low half of the sequence number (4), sealed payload
//   CLOSE   both            like DATA, with a payload of one byte: the reason
//
// A sealed part ends with a tag of 16 bytes, which also covers all preceding bytes. The functions below read opened
// parts of JOIN and ANSWER, and write parts to be sealed.
#ifndef SHOAL_LINK_SEAL_MESSAGE_H
#define SHOAL_LINK_SEAL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SEAL_VERSION 1u
#define SEAL_KEY_BYTES 32u
#define SEAL_COOKIE_BYTES 16u
#define SEAL_NONCE_BYTES 24u
#define SEAL_TAG_BYTES 16u

#define SEAL_HELLO_BYTES 96u
#define SEAL_COOKIE_MESSAGE_BYTES 88u
#define SEAL_JOIN_HEAD_BYTES 52u // size of the fields in front of the nonce
#define SEAL_JOIN_MIN_BYTES 512u
#define SEAL_ANSWER_HEAD_BYTES 4u // size of the fields in front of the nonce
#define SEAL_DATA_HEAD_BYTES 8u

#define SEAL_REQUEST_BYTES 1024u // maximum size of a join request
#define SEAL_REPLY_BYTES 256u    // maximum size of the host's reply

// Types start above the types of STUN, DTLS, TURN and RTP, which may share a socket (RFC 7983).
typedef enum seal_type_t {
  SEAL_TYPE_NONE,
  SEAL_TYPE_HELLO = 0xc1,
  SEAL_TYPE_COOKIE,
  SEAL_TYPE_JOIN,
  SEAL_TYPE_ANSWER,
  SEAL_TYPE_DATA,
  SEAL_TYPE_CLOSE
} seal_type_t;

typedef enum seal_answer_t { SEAL_ANSWER_NONE, SEAL_ANSWER_WAIT, SEAL_ANSWER_ACCEPT, SEAL_ANSWER_REFUSE } seal_answer_t;

// The opened part of a JOIN.
typedef struct seal_join_t {
  uint32_t id; // joiner's id, in [0, 2^24)
  const uint8_t *request;
  size_t size;
} seal_join_t;

// The opened part of an ANSWER.
typedef struct seal_answer_message_t {
  seal_answer_t kind;
  uint32_t id;
  const uint8_t *key; // session key of the host, SEAL_KEY_BYTES long
  const uint8_t *reply;
  size_t size;
} seal_answer_message_t;

#define SEAL_JOIN_BODY_BYTES 5u    // size of the fields in front of the request
#define SEAL_ANSWER_BODY_BYTES 38u // size of the fields in front of the reply

static inline void seal_put_id(uint8_t *out, uint32_t id) {
  out[0] = (uint8_t)id;
  out[1] = (uint8_t)(id >> 8);
  out[2] = (uint8_t)(id >> 16);
}
static inline uint32_t seal_get_id(const uint8_t *in) {
  return in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16;
}

// Writes the body of a JOIN to `out` (`capacity` bytes, at least SEAL_JOIN_BODY_BYTES and the request), and fills the
// rest with 0.
static inline void seal_write_join(const seal_join_t *join, uint8_t *out, size_t capacity) {
  memset(out, 0, capacity);
  seal_put_id(out, join->id);
  out[3] = (uint8_t)join->size;
  out[4] = (uint8_t)(join->size >> 8);
  if (join->size > 0)
    memcpy(out + SEAL_JOIN_BODY_BYTES, join->request, join->size);
}

// Reads the opened body of a JOIN into `out`, which then points into `bytes`. Returns true on success, or false if the
// bytes are malformed.
static inline bool seal_read_join(const uint8_t *bytes, size_t size, seal_join_t *out) {
  if (size < SEAL_JOIN_BODY_BYTES)
    return false;
  *out = (seal_join_t){seal_get_id(bytes), bytes + SEAL_JOIN_BODY_BYTES, bytes[3] | (size_t)bytes[4] << 8};
  return out->size <= SEAL_REQUEST_BYTES && out->size <= size - SEAL_JOIN_BODY_BYTES;
}

// Writes the body of an ANSWER to `out` (SEAL_ANSWER_BODY_BYTES and the reply). Returns the size.
static inline size_t seal_write_answer(const seal_answer_message_t *answer, uint8_t *out) {
  out[0] = (uint8_t)answer->kind;
  seal_put_id(out + 1, answer->id);
  memcpy(out + 4, answer->key, SEAL_KEY_BYTES);
  out[36] = (uint8_t)answer->size;
  out[37] = (uint8_t)(answer->size >> 8);
  if (answer->size > 0)
    memcpy(out + SEAL_ANSWER_BODY_BYTES, answer->reply, answer->size);
  return SEAL_ANSWER_BODY_BYTES + answer->size;
}

// Reads the opened body of an ANSWER into `out`, which then points into `bytes`. Returns true on success, or false if
// the bytes are malformed.
static inline bool seal_read_answer(const uint8_t *bytes, size_t size, seal_answer_message_t *out) {
  if (size < SEAL_ANSWER_BODY_BYTES || bytes[0] < SEAL_ANSWER_WAIT || bytes[0] > SEAL_ANSWER_REFUSE)
    return false;
  *out = (seal_answer_message_t){(seal_answer_t)bytes[0], seal_get_id(bytes + 1), bytes + 4,
                                 bytes + SEAL_ANSWER_BODY_BYTES, bytes[36] | (size_t)bytes[37] << 8};
  return out->size <= SEAL_REPLY_BYTES && out->size == size - SEAL_ANSWER_BODY_BYTES;
}

#endif
