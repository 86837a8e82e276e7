// Emits the event shoal.window from the differences between two input samples. Window events are therefore recorded
// like key presses, and replayed without a window. The event is declared only while a system listens to it.
#ifndef SHOAL_GAME_WINDOW_EVENTS_H
#define SHOAL_GAME_WINDOW_EVENTS_H

#include "ecs/world.h"
#include "platform/input.h"

bool window_events_has_listener(world_o *w);
// Emits one event for each difference between the two samples: minimised or restored, resized, focus gained or lost,
// request to close. Call before a tick, or a frame of a paused game, that uses `now`. A newly created window is not a
// change.
void window_events_emit(world_o *w, const input_state_t *before, const input_state_t *now);

#endif
