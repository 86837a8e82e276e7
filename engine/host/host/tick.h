// Runs one tick, or one frame of a paused game, with recording, history, checks and requests.
#ifndef SHOAL_HOST_TICK_H
#define SHOAL_HOST_TICK_H

#include "platform/input.h"

typedef struct host_o host_o;

// Run one tick or, with tick_run_paused, one frame of a paused game. `input` is the input to use. NULL means the
// current input of the platform.
void tick_run(host_o *h, const input_state_t *input);
void tick_run_paused(host_o *h, const input_state_t *input);

bool tick_uses_clock(const host_o *h); // returns false if every frame runs one tick
// Returns the duration of the frame in seconds: the time measured by the clock or, if every frame runs one tick, the
// duration of a tick. A game must be loaded.
double tick_get_frame_s(const host_o *h);
bool tick_limit_is_reached(const host_o *h); // returns true if the limit of --ticks is reached
void tick_print_hash(const host_o *h);

#endif
