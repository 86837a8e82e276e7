// What a game has heard, tick by tick: the sample that each tick saw and the one before it, and the frames of a pause in which something
// changed. So a stretch of the past can be lived once more with other code. A few bytes per tick.
//
// Also how samples stand in recordings (replay.h): as what changed since another one.
#ifndef SHOAL_HOST_HEARD_H
#define SHOAL_HOST_HEARD_H

#include "base/alloc.h"
#include "platform/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The most that sample_write writes: a number of at most two bytes and a byte for each byte that changed, and how many.
#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t) + 4)

size_t sample_write(const input_state_t *from, const input_state_t *to, uint8_t *out); // returns how many bytes
// Turns `sample`, which was `from`, into `to`. How many bytes it read; 0 when they make no sense.
size_t sample_read(input_state_t *sample, const uint8_t *in, size_t size);

typedef struct heard_o heard_o;

typedef struct heard_item_t {
  bool idle; // a frame of a pause; else the tick itself
  input_state_t before, now;
} heard_item_t;

heard_o *heard_create(allocator_t *a);
void heard_destroy(heard_o *h); // NULL is fine
heard_o *heard_copy(const heard_o *h);

// What led to `tick`: first frames of a pause, then the tick. Ticks only grow: what was known of this one and later ones from another
// way is forgotten.
void heard_tick(heard_o *h, uint64_t tick, const input_state_t *before, const input_state_t *now);
void heard_idle(heard_o *h, uint64_t next_tick, const input_state_t *before, const input_state_t *now);
void heard_forget_before(heard_o *h, uint64_t tick); // and perhaps a few less

uint64_t heard_last(const heard_o *h); // the last tick; 0 when nothing was heard
// The i-th of what led to `tick`, the tick itself last. False behind it, and when nothing is known of it.
bool heard_get(const heard_o *h, uint64_t tick, uint32_t i, heard_item_t *out);

#endif
