// Emits events for the differences between two input samples: shoal.window, fullscreen_changed, pad_connected,
// pad_disconnected, pad_pressed, pad_released, key_pressed, key_released, mouse_pressed, mouse_released and
// mouse_wheel. Emits paused and resumed as well. All these events are recorded like key presses, and replayed without
// devices or a window. An event is declared only while a system handles it.
#ifndef SHOAL_GAME_INPUT_EVENTS_H
#define SHOAL_GAME_INPUT_EVENTS_H

#include "ecs/world.h"
#include "platform/input.h"

// Returns true if a system handles shoal.window.
bool input_events_has_window_handler(world_o *w);
// Emits one event for each difference between the two samples. Call before a tick, or a frame of a paused game, that
// uses `current`. `in_tick` is true before a tick. A pad that is connected from the start counts as a change. A newly
// created window and a key repeat do not. Controls without a name in input.lua are ignored. Mouse events contain the
// position of the pointer in `current`.
void input_events_emit(world_o *w, const input_state_t *previous, const input_state_t *current, bool in_tick);

#endif
