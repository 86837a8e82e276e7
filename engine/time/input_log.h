// What a game has heard, tick by tick: the sample that each tick saw and the one before it, and the frames of a pause
// in which something changed. So a stretch of the past can be lived once more with other code. A few bytes per tick.
//
// Beside them what was read from outside in each tick (external_input.h).
//
// Also how samples stand in recordings (recording.h): as what changed since another one.
#ifndef SHOAL_TIME_INPUT_LOG_H
#define SHOAL_TIME_INPUT_LOG_H

#include "base/alloc.h"
#include "platform/input.h"
#include "time/external_answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The most that sample_write writes: a number of at most two bytes and a byte for each byte that changed, and how many.
#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t) + 4)

size_t sample_write(const input_state_t *from, const input_state_t *to, uint8_t *out); // returns how many bytes
// Turns `sample`, which was `from`, into `to`. How many bytes it read; 0 when they make no sense.
size_t sample_read(input_state_t *sample, const uint8_t *in, size_t size);

typedef struct input_log_o input_log_o;

typedef struct input_log_item_t {
  bool idle; // a frame of a pause; else the tick itself
  input_state_t before, now;
} input_log_item_t;

input_log_o *input_log_create(allocator_t *a);
void input_log_destroy(input_log_o *h); // NULL is fine
input_log_o *input_log_copy(const input_log_o *h);

// What led to `tick`: first frames of a pause, then the tick. Ticks only grow: what was known of this one and later
// ones from another way is forgotten.
void input_log_tick(input_log_o *h, uint64_t tick, const input_state_t *before, const input_state_t *now);
void input_log_idle(input_log_o *h, uint64_t next_tick, const input_state_t *before, const input_state_t *now);
void input_log_forget_before(input_log_o *h, uint64_t tick); // and perhaps a few less

// An answer from outside that belongs to `tick`, or to the frames of a pause before it. Retained. Before input_log_tick
// of a later one.
void input_log_read(input_log_o *h, uint64_t tick, external_answer_t *a);
// The same when the tick is lived again, retained for the caller; NULL when it was not asked then.
external_answer_t *input_log_answer(const input_log_o *h, uint64_t tick, external_kind_t kind, const char *key);

uint64_t input_log_last(const input_log_o *h); // the last tick; 0 when nothing was heard
// The i-th of what led to `tick`, the tick itself last. False behind it, and when nothing is known of it.
bool input_log_get(const input_log_o *h, uint64_t tick, uint32_t i, input_log_item_t *out);

#endif
