// Reliable, ordered messages between two peers, in the same datagrams as unreliable data. A stream is one side of the
// connection, without link, seal, thread or clock: the caller passes numbered datagrams and the time in microseconds.
//
// In each tick, the caller writes one datagram with its unreliable part (inputs, records). The stream adds
// acknowledgements and as many bytes of messages as fit. The caller then writes additional datagrams while
// stream_has_work returns true.
//
// A bit field acknowledges the received datagrams. Lost bytes are sent again after a time derived from the measured
// round trip. The rate adapts to loss and to growing delay, but never falls below 32 KB per second, so that random loss
// does not block a join.
//
// Memory is bounded: each direction has one buffer, and the sender sends only bytes that fit into the receiver's
// buffer. If the peer does not read or acknowledge, stream_push returns false; if the peer violates the format,
// stream_read returns false.
//
//   uint64_t number = seal_get_next_sequence(seal, peer);
//   size_t size = stream_write(stream, now_us, number, inputs, input_bytes, out);
//   seal_send(seal, now_us, peer, out, size);
#ifndef SHOAL_LINK_STREAM_H
#define SHOAL_LINK_STREAM_H

#include "base/error.h"
#include "link/seal.h"

#define STREAM_MESSAGE_BYTES 16384u  // maximum size of a message; larger data must be divided
#define STREAM_UNRELIABLE_BYTES 800u // maximum size of the unreliable part of a datagram
#define STREAM_MIN_BUFFER_BYTES 32768u
#define STREAM_MAX_BUFFER_BYTES (1u << 20)
#define STREAM_MIN_RATE 32000u // minimum rate of messages in bytes per second

typedef struct stream_o stream_o;

typedef struct stream_desc_t {
  // Buffer size in each direction: a power of two in [STREAM_MIN_BUFFER_BYTES, STREAM_MAX_BUFFER_BYTES]. 0: 256 KiB.
  // This size limits the rate to one buffer per round trip.
  uint32_t buffer_bytes;
  uint32_t max_bytes_per_s; // maximum rate of messages, at least STREAM_MIN_RATE; 0: 2,000,000
} stream_desc_t;

stream_o *stream_create(const stream_desc_t *desc);
void stream_destroy(stream_o *stream); // accepts NULL

// Queues a copy of a message; `size` must be in [1, STREAM_MESSAGE_BYTES]. Returns true on success, or false if the
// buffer is full (try again later) or the stream has failed.
bool stream_push(stream_o *stream, const void *bytes, size_t size);
// Returns the size of the largest message that fits in the buffer now, or 0 if the buffer is full.
uint32_t stream_get_free_bytes(const stream_o *stream);
// Returns the peer's next message and its size, or NULL if no message is complete or the stream has failed. Valid until
// the next call of stream_pop.
const uint8_t *stream_pop(stream_o *stream, size_t *size);

// Writes the next datagram to `out` (SEAL_PAYLOAD_BYTES). `number`: its sequence number, greater than all previous
// numbers. `bytes`: the unreliable part of `size` bytes in [0, STREAM_UNRELIABLE_BYTES]. Returns the size of the
// datagram, which is at least 1.
size_t stream_write(stream_o *stream, int64_t now_us, uint64_t number, const void *bytes, size_t size, uint8_t *out);
// Returns true if a datagram should be written now even without an unreliable part.
bool stream_has_work(stream_o *stream, int64_t now_us);

// Reads the peer's datagram with this sequence number. Points `out` at the unreliable part in `bytes`, and stores the
// part's size, which may be 0. Returns true on success, or false with a message if the peer violates the format or the
// limits; all later calls then fail, too: close the session. Ignores a datagram that was read before or is too old.
bool stream_read(stream_o *stream, int64_t now_us, uint64_t number, const uint8_t *bytes, size_t size,
                 const uint8_t **out, size_t *out_size, error_info_t *error);

// Returns true if the peer has acknowledged the datagram with this number, one of the last 1,024 written.
bool stream_is_acknowledged(const stream_o *stream, uint64_t number);

typedef struct stream_status_t {
  int64_t round_trip_us; // smoothed round trip without the peer's response time; 0 until measured
  int64_t min_round_trip_us;
  int64_t jitter_us;           // mean deviation of the round trip
  uint32_t window_bytes;       // maximum number of message bytes in flight
  uint32_t in_flight_bytes;    // bytes of messages that are in flight
  uint32_t waiting_bytes;      // bytes of messages that the peer has not acknowledged
  uint64_t acknowledged_bytes; // bytes of messages that the peer has acknowledged
  uint64_t written;            // number of datagrams with a part of a message
  uint64_t lost;               // number of datagrams with a part of a message that are considered lost
  uint64_t message_bytes, resent_bytes;
} stream_status_t;
stream_status_t stream_get_status(const stream_o *stream);

#endif
