// Messages of a match: the unreliable part of a datagram, and the messages in the stream.
//
//   unreliable part of a peer: first record that the peer lacks (varint), its inputs
//   unreliable part of the host: first input that the host lacks (varint), number of the latest record (varint), number
//     of the latest input (varint), time in µs by which that input was early (zigzag varint), records
//   inputs, records: nothing, or the number of the record that precedes them, which the receiver has acknowledged
//     (varint; 0: the block is complete), and a block
//   message in the stream: type (1 byte), content
#ifndef SHOAL_MATCH_MATCH_MESSAGE_H
#define SHOAL_MATCH_MATCH_MESSAGE_H

#include "base/varint.h"
#include "journal/record_log.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MATCH_VERSION 11u

// Positions in a join request, which begins with the version (1) and the hash of the game (8). WATCH is 1 if the
// machine joins only to watch, without players, otherwise 0. match_account.h computes ACCOUNT and PASSWORD.
enum {
  MATCH_REQUEST_TOKEN = 9,
  MATCH_REQUEST_ACCOUNT = 25,
  MATCH_REQUEST_PASSWORD = 57,
  MATCH_REQUEST_PLAYERS = 89,
  MATCH_REQUEST_WATCH = 90,
  MATCH_REQUEST_NAME = 91
};
// Positions in the host's reply, which begins with the version (1).
enum { MATCH_REPLY_PLAYERS = 1, MATCH_REPLY_TOKEN = 5, MATCH_REPLY_KEY = 21, MATCH_REPLY_LIMITS = 37 };

typedef enum match_message_t {
  MATCH_MESSAGE_NONE,
  // Host to peer
  MATCH_MESSAGE_SNAPSHOT, // head of a snapshot
  MATCH_MESSAGE_PART,     // next bytes of the snapshot
  MATCH_MESSAGE_RECORDS,  // block of records
  MATCH_MESSAGE_REPORT,   // desync: tick (varint), report of the host
  // Sent before a snapshot: hash of the code (8), size of all changes (varint). CODE_PART messages contain the changes.
  MATCH_MESSAGE_CODE,
  // Proposed changes: number (varint), player (1), hash of the code to change (8), size (varint). The changes follow in
  // CODE_PART messages.
  MATCH_MESSAGE_TRY,
  MATCH_MESSAGE_REFUSED, // number (varint), player of the proposer (1), player of the refuser (1), reason
  MATCH_MESSAGE_KEY,     // new secret of the match (MATCH_KEY_BYTES)
  // Peer to host
  MATCH_MESSAGE_DESYNC, // tick (varint) after which the hashes differ, hash of the peer (varint), report of the peer
  MATCH_MESSAGE_LEAVE,
  MATCH_MESSAGE_FINDING, // desync: tick (varint), finding
  MATCH_MESSAGE_PROPOSE, // size of the changes (varint), which follow in CODE_PART messages
  MATCH_MESSAGE_ACCEPT,  // number (varint), hash of the changed code (8)
  MATCH_MESSAGE_REFUSE,  // number (varint), reason
  MATCH_MESSAGE_DROPPED, // the peer has dropped records because it is too slow, and needs a snapshot
  // Both directions
  MATCH_MESSAGE_CODE_PART, // next bytes of the code changes
  MATCH_MESSAGE_CHAT,      // player (1), chat line
  // Host to peer. Has the last number, because the inputs in tests/fuzz/corpus contain the numbers of the messages
  // above.
  MATCH_MESSAGE_SILENT // players whose machine is silent (4), players whose connection is lost (4)
} match_message_t;

// Reads a varint at *at and advances *at. Returns true on success, or false if the varint is malformed.
static inline bool match_message_read(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out) {
  size_t read = varint_read(bytes + *at, size - *at, out);
  *at += read;
  return read > 0;
}

// Reads 8 bytes at *at and advances *at. Returns true on success, or false if fewer bytes are left.
static inline bool match_message_read_hash(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out) {
  if (size - *at < sizeof *out)
    return false;
  memcpy(out, bytes + *at, sizeof *out);
  *at += sizeof *out;
  return true;
}

// Writes the number of the record that precedes a block, or 0 if the log does not contain it, and starts the block's
// coder. Returns the size.
static inline size_t match_message_write_base(const record_log_o *log, uint64_t number, uint8_t *out,
                                              record_coder_t *coder) {
  bool is_known = record_log_start_coder(log, number, coder);
  if (!is_known)
    *coder = (record_coder_t){0};
  return varint_write(is_known ? number : 0, out);
}

// Reads the number of the record that precedes a block at *at, advances *at, and starts the block's coder. Skips the
// block if the log no longer contains this record, as for late datagrams. Returns true on success, or false if the
// number is malformed.
static inline bool match_message_read_base(const uint8_t *bytes, size_t size, size_t *at, const record_log_o *log,
                                           record_coder_t *coder) {
  uint64_t number;
  *coder = (record_coder_t){0};
  if (*at == size)
    return true;
  if (!match_message_read(bytes, size, at, &number))
    return false;
  if (number != 0 && !record_log_start_coder(log, number, coder))
    *at = size;
  return true;
}

static inline uint64_t match_message_zigzag(int64_t value) {
  return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t match_message_unzigzag(uint64_t value) {
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif
