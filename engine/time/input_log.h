// Input log of a game: for each tick its input sample and the previous one, and the frames of a pause in which input
// changed; a few bytes per tick. It also stores the external input of each tick (external_input.h). With the log, past
// ticks can be replayed with other code.
//
// Also encodes samples for recordings (recording.h), as the bytes that differ from another sample.
#ifndef SHOAL_TIME_INPUT_LOG_H
#define SHOAL_TIME_INPUT_LOG_H

#include "base/alloc.h"
#include "platform/input.h"
#include "time/external_answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Maximum number of bytes that sample_write writes: the count of changed bytes, and for each one its distance from the
// previous one (at most two bytes) and its value.
#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t) + 4)

// Encodes the bytes of `to` that differ from `from`. Returns the number of bytes written, at most SAMPLE_MAX_BYTES.
size_t sample_write(const input_state_t *from, const input_state_t *to, uint8_t *out);
// Turns `sample`, which must equal the `from` of sample_write, into `to`. Returns the number of bytes read; 0 if they
// are malformed.
size_t sample_read(input_state_t *sample, const uint8_t *in, size_t size);

typedef struct input_log_o input_log_o;

typedef struct input_log_item_t {
  bool idle; // true: a paused frame; false: the tick itself
  input_state_t before, now;
} input_log_item_t;

input_log_o *input_log_create(allocator_t *a);
void input_log_destroy(input_log_o *h); // accepts NULL
input_log_o *input_log_copy(const input_log_o *h);

// Add the input that leads to a tick: first the paused frames before it, then the tick. Entries at or after this tick
// belong to an abandoned timeline and are discarded.
void input_log_tick(input_log_o *h, uint64_t tick, const input_state_t *before, const input_state_t *now);
void input_log_idle(input_log_o *h, uint64_t next_tick, const input_state_t *before, const input_state_t *now);
void input_log_discard_before(input_log_o *h, uint64_t tick); // keeps the earlier ticks of the same chunk

// Adds an external answer that belongs to `tick` or to the paused frames before it. Retained. Call before
// input_log_tick of a later tick.
void input_log_add_answer(input_log_o *h, uint64_t tick, external_answer_t *a);
// Returns the answer given at that tick, retained for the caller; NULL if there was no such request.
external_answer_t *input_log_find_answer(const input_log_o *h, uint64_t tick, external_kind_t kind, const char *key);

uint64_t input_log_last(const input_log_o *h); // most recent tick; 0 if empty
// Stores the i-th item that leads to `tick`; the last one is the tick itself. Returns false past the last, and if the
// log lacks the tick.
bool input_log_get(const input_log_o *h, uint64_t tick, uint32_t i, input_log_item_t *out);

#endif
