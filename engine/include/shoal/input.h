// Input of the players: actions of the game's input.lua, the mouse, typed text. All functions read the input sample of
// the tick, as scripts do. The sample is recorded and replayed, and is the same for all systems of a tick.
//
//   if (shoal_action_pressed(c, "jump", 0)) …
//   float turn = shoal_action_value(c, "turn", 0);
//
// The game declares the actions: document the actions that the plugin needs, or take their names from a field. Allowed
// in systems of every phase, functions, panels and commands; in parallel systems too, except shoal_text_input. Part of
// the public plugin headers: C11, usable from C++.
#ifndef SHOAL_INPUT_H
#define SHOAL_INPUT_H

#include "shoal/plugin.h"

typedef struct shoal_mouse_state {
  float x, y;                         // position in pixels of the game's logical screen
  float wheel;                        // notches since the previous sample; up is positive
  uint32_t buttons, previous_buttons; // pressed buttons in this and the previous sample: bit 0 left, 1 middle, 2 right
} shoal_mouse_state;

// Returns the value of an action: -1 … 1 for an axis, 0 … 1 for keys and buttons. `player` is 1 … 4 or, in a game that
// declares players, up to their maximum; 0 for any player. Returns 0 for input that is handled by a widget of the game,
// and for all actions while the player rebinds an action. Returns 0 and fails the current call if input.lua does not
// declare the action (the message suggests the nearest name) or `player` is out of range.
SHOAL_NODISCARD static inline float shoal_action_value(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  return c->api->action_value(c, name, player, &now, &before) ? now : 0;
}

// Returns true if an action is held: its value is above 0.5 or below -0.5. Fails like shoal_action_value.
SHOAL_NODISCARD static inline bool shoal_action_down(shoal_context *c, const char *name, int32_t player) {
  float now = shoal_action_value(c, name, player);
  return now > 0.5f || now < -0.5f;
}

// Returns true if an action is held now and was not in the previous sample. Fails like shoal_action_value.
SHOAL_NODISCARD static inline bool shoal_action_pressed(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  if (!c->api->action_value(c, name, player, &now, &before))
    return false;
  return (now > 0.5f || now < -0.5f) && !(before > 0.5f || before < -0.5f);
}

// Returns true if an action was held in the previous sample and is not held now. Fails like shoal_action_value.
SHOAL_NODISCARD static inline bool shoal_action_released(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  if (!c->api->action_value(c, name, player, &now, &before))
    return false;
  return !(now > 0.5f || now < -0.5f) && (before > 0.5f || before < -0.5f);
}

// Returns the state of the mouse. All members are zero if there is no input, and in the simulation of a match.
SHOAL_NODISCARD static inline shoal_mouse_state shoal_get_mouse(shoal_context *c) {
  shoal_mouse_state out;
  memset(&out, 0, sizeof out);
  c->api->get_mouse(c, &out);
  return out;
}

// Stores the movement of the mouse since the previous sample in `dx` and `dy`, in logical pixels of the game. The
// movement is 0 if there is no input, and in the simulation of a match. Screen edges do not limit the movement if the
// pointer is relative (`window.pointer`).
static inline void shoal_get_mouse_motion(shoal_context *c, float *dx, float *dy) {
  *dx = *dy = 0;
  c->api->get_mouse_motion(c, dx, dy);
}

// Returns the UTF-8 text typed since the previous tick; may be "". Valid only during the call. Not allowed in parallel
// systems.
SHOAL_NODISCARD static inline const char *shoal_text_input(shoal_context *c) {
  return c->api->text_input(c);
}

#endif
