// What happens to the window, as the event shoal.window: what changed between two samples of input. So it is recorded
// and lived again like a key, and a replay hears of it without a window. A world has the event while a system listens.
#ifndef SHOAL_GAME_WINDOW_EVENTS_H
#define SHOAL_GAME_WINDOW_EVENTS_H

#include "ecs/world.h"
#include "platform/input.h"

bool window_events_heard(world_o *w);
// Before a tick, or a frame of a paused game, that sees `now`. A window that has just come into being is no change.
void window_events_emit(world_o *w, const input_state_t *before, const input_state_t *now);

#endif
