// Input log of a game. Stores for each tick, in a few bytes, the input sample, the previous sample, and the paused
// frames in which input changed; also the external input of the tick (external_input.h). With the log, past ticks can
// be replayed with other code.
//
// Also encodes samples for recordings (recording.h), as the bytes that differ from another sample.
#ifndef SHOAL_TIME_INPUT_LOG_H
#define SHOAL_TIME_INPUT_LOG_H

#include "base/alloc.h"
#include "platform/input.h"
#include "time/external_result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Maximum number of bytes that sample_encode_difference writes: the number of changed bytes and, for each changed byte,
// the distance from the previous changed byte (at most two bytes) and the value.
#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t) + 4)

// Encodes the bytes of `to` that differ from `from`. Returns the number of bytes written, at most SAMPLE_MAX_BYTES.
size_t sample_encode_difference(const input_state_t *from, const input_state_t *to, uint8_t *out);
// Turns `sample`, which must equal the `from` of sample_encode_difference, into `to`. Returns the number of bytes read;
// 0 if the bytes are malformed.
size_t sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size);

typedef struct input_log_o input_log_o;

typedef struct input_log_item_t {
  bool paused; // true: a paused frame; false: the tick itself
  input_state_t previous_input, input;
} input_log_item_t;

input_log_o *input_log_create(allocator_t *a);
void input_log_destroy(input_log_o *log); // accepts NULL
input_log_o *input_log_copy(const input_log_o *log);

// Add the input that leads to a tick: first the paused frames before it, then the tick itself. Discard entries at or
// after this tick, which belong to an abandoned timeline.
void input_log_add_tick(input_log_o *log, uint64_t tick, const input_state_t *previous, const input_state_t *input);
void input_log_add_paused(input_log_o *log, uint64_t next_tick, const input_state_t *previous,
                          const input_state_t *input);
void input_log_discard_before(input_log_o *log, uint64_t tick); // drops whole chunks, so some earlier ticks are kept

// Adds an external result that belongs to `tick` or to the paused frames before it. Retained. Must be called before
// input_log_add_tick of any later tick.
void input_log_add_result(input_log_o *log, uint64_t tick, external_result_t *result);
// Returns the result of a request in that tick, retained for the caller; NULL if the tick did not make the request.
external_result_t *input_log_find_result(const input_log_o *log, uint64_t tick, external_kind_t kind, const char *key);

uint64_t input_log_last_tick(const input_log_o *log); // returns the most recent tick; 0 if the log is empty
// Stores the i-th item that leads to `tick`; the last item is the tick itself. Returns false if there are fewer items
// or the log lacks the tick.
bool input_log_get_item(const input_log_o *log, uint64_t tick, uint32_t i, input_log_item_t *out);

#endif
