// Input events arrive at any time, but the simulation samples once per tick: presses in between are latched until the
// next sample, even if released by then. Used by both implementations of the platform.
#ifndef SHOAL_PLATFORM_LATCH_H
#define SHOAL_PLATFORM_LATCH_H

#include "platform/input.h"

#define LATCH_TEXT 2048 // maximum bytes of pending text; the rest is dropped at a character boundary

typedef struct latch_t {
  input_state_t now;     // current state of the devices; `wheel` accumulates since the last sample
  input_state_t pressed; // buttons pressed since the last sample
  char typed[LATCH_TEXT];
  uint32_t typed_bytes;
} latch_t;

void latch_key(latch_t *l, int32_t scancode, bool down);
void latch_mouse_button(latch_t *l, int32_t button, bool down);
void latch_pad_button(latch_t *l, int32_t pad, int32_t button, bool down);
void latch_pad_axes(latch_t *l, int32_t pad, const float axes[INPUT_PAD_AXES]);
// A pad was connected or disconnected: releases all of its buttons.
void latch_pad(latch_t *l, int32_t pad, bool connected, input_pad_kind_t kind);
void latch_text(latch_t *l, const char *text);      // UTF-8; invalid bytes are skipped
void latch_composing(latch_t *l, const char *text); // replaces the current composition; truncated
void latch_close(latch_t *l);
void latch_sample(latch_t *l, input_state_t *out);
void latch_repeat(latch_t *l, int32_t scancode); // key repeat: a held key counts as pressed again
// For direct users of a latch: releases everything, clears presses, keeps the mouse position.
void latch_drop(latch_t *l);
void latch_drop_pressed(latch_t *l);

#endif
