// What players do: actions of the game's input.lua, the mouse, what was typed. It is the sample of the tick, as scripts
// see it: recorded, replayed, and the same for all systems of the tick.
//
//   if (shoal_pressed(c, "jump", 0)) …
//   float turn = shoal_action(c, "turn", 0);
//
// Actions are the game's: a plugin that wants one names it in its page, or has a field for its name. Systems of every
// phase, parallel ones too, functions and panels; while loading there is no input. Part of the public plugin
// headers: C11, usable from C++.
#ifndef SHOAL_INPUT_H
#define SHOAL_INPUT_H

#include "shoal/plugin.h"

typedef struct shoal_mouse {
  float x, y;                       // pixels of the game's logical screen
  float wheel;                      // notches since the sample before; up is positive
  uint32_t buttons, buttons_before; // bit 0 left, 1 middle, 2 right: that are down; and that were in the sample before
} shoal_mouse;

// -1 … 1 of an axis, 0 … 1 of keys and buttons. `player`: 1 … 4, or 0 for anybody. What a widget of the game has taken,
// and everything while a key is chosen for an action, is 0. An action that input.lua does not have: 0, and the call has
// failed with its name and the nearest one.
static inline float shoal_action(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  return c->api->action(c, name, player, &now, &before) ? now : 0;
}

// Is it more than half down? Was it not, in the sample before? And the other way round.
static inline bool shoal_down(shoal_context *c, const char *name, int32_t player) {
  float now = shoal_action(c, name, player);
  return now > 0.5f || now < -0.5f;
}

static inline bool shoal_pressed(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  if (!c->api->action(c, name, player, &now, &before))
    return false;
  return (now > 0.5f || now < -0.5f) && !(before > 0.5f || before < -0.5f);
}

static inline bool shoal_released(shoal_context *c, const char *name, int32_t player) {
  float now = 0, before = 0;
  if (!c->api->action(c, name, player, &now, &before))
    return false;
  return !(now > 0.5f || now < -0.5f) && (before > 0.5f || before < -0.5f);
}

static inline shoal_mouse shoal_mouse_now(shoal_context *c) {
  shoal_mouse out;
  memset(&out, 0, sizeof out);
  c->api->mouse_now(c, &out);
  return out;
}

// What was typed since the tick before, UTF-8; "" for nothing. Valid for the call alone.
static inline const char *shoal_typed(shoal_context *c) {
  return c->api->typed(c);
}

#endif
