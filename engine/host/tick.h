// One tick of the running game, or one frame of a paused game, with what belongs to it: recording, history, checks,
// requests.
#ifndef SHOAL_HOST_TICK_H
#define SHOAL_HOST_TICK_H

#include "platform/input.h"

typedef struct host_o host_o;

// `input`: NULL samples the platform.
void tick_run(host_o *h, const input_state_t *input);
void tick_idle(host_o *h, const input_state_t *input);

bool tick_has_clock(const host_o *h);        // else every frame is a tick
bool tick_limit_is_reached(const host_o *h); // --ticks
void tick_print_hash(const host_o *h);

#endif
