// Test fixture: input for a platform without devices.
#ifndef SHOAL_TESTS_INPUT_FIXTURE_H
#define SHOAL_TESTS_INPUT_FIXTURE_H

#include "platform/platform_internal.h"

#include <string.h>

// Latches a complete input state, as if every device had just reported it.
static inline void platform_set_input(platform_o *p, const input_state_t *state) {
  latch_t *l = &p->latch;
  for (int32_t i = 0; i < INPUT_KEYS; ++i)
    latch_key(l, i, state->keys[i] != 0);
  for (int32_t i = 0; i < INPUT_MOUSE_BUTTONS; ++i)
    latch_mouse_button(l, i, state->mouse_buttons[i] != 0);
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    for (int32_t i = 0; i < INPUT_PAD_BUTTONS; ++i)
      latch_pad_button(l, pad, i, state->pad_buttons[pad][i] != 0);
    latch_pad_axes(l, pad, state->pad_axes[pad]);
    l->current.pad_connected[pad] = state->pad_connected[pad];
    l->current.pad_kinds[pad] = state->pad_kinds[pad];
  }
  l->current.mouse_x = state->mouse_x;
  l->current.mouse_y = state->mouse_y;
  if (state->wheel != 0)
    latch_wheel(l, state->wheel);
  l->current.window = state->window;
  l->current.window.closed = 0;
  l->pressed.window.closed |= state->window.closed;
  char text[INPUT_TEXT + 1] = "", composing[INPUT_TEXT + 1] = "";
  memcpy(text, state->text, INPUT_TEXT);
  memcpy(composing, state->composing, INPUT_TEXT);
  latch_text(l, text);
  latch_set_composing(l, composing);
}

#endif
