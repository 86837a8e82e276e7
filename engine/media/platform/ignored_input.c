// Implements the list of ignored controls.
#include "platform/ignored_input.h"

#include <string.h>

void ignored_input_add(ignored_input_t *ignored, const input_state_t *sample) {
  for (uint32_t i = 0; i < INPUT_KEYS; ++i)
    ignored->keys[i] |= sample->keys[i] != 0;
  for (uint32_t i = 0; i < INPUT_MOUSE_BUTTONS; ++i)
    ignored->mouse_buttons[i] |= sample->mouse_buttons[i] != 0;
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad) {
    for (uint32_t i = 0; i < INPUT_PAD_BUTTONS; ++i)
      ignored->pad_buttons[pad][i] |= sample->pad_buttons[pad][i] != 0;
    for (uint32_t i = 0; i < INPUT_PAD_AXES; ++i)
      ignored->pad_axes[pad][i] |= sample->pad_axes[pad][i] != 0.0f;
  }
}

static void remove_if_ignored(bool *is_ignored, uint8_t *control) {
  *is_ignored &= *control != 0;
  if (*is_ignored)
    *control = 0;
}

void ignored_input_remove_from(ignored_input_t *ignored, input_state_t *sample) {
  for (uint32_t i = 0; i < INPUT_KEYS; ++i)
    remove_if_ignored(&ignored->keys[i], &sample->keys[i]);
  for (uint32_t i = 0; i < INPUT_MOUSE_BUTTONS; ++i)
    remove_if_ignored(&ignored->mouse_buttons[i], &sample->mouse_buttons[i]);
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad) {
    for (uint32_t i = 0; i < INPUT_PAD_BUTTONS; ++i)
      remove_if_ignored(&ignored->pad_buttons[pad][i], &sample->pad_buttons[pad][i]);
    for (uint32_t i = 0; i < INPUT_PAD_AXES; ++i) {
      ignored->pad_axes[pad][i] &= sample->pad_axes[pad][i] != 0.0f;
      sample->pad_axes[pad][i] = ignored->pad_axes[pad][i] ? 0.0f : sample->pad_axes[pad][i];
    }
  }
}

void input_release_all(input_state_t *sample) {
  memset(sample->keys, 0, sizeof sample->keys);
  memset(sample->pad_buttons, 0, sizeof sample->pad_buttons);
  memset(sample->pad_axes, 0, sizeof sample->pad_axes);
  memset(sample->mouse_buttons, 0, sizeof sample->mouse_buttons);
  memset(sample->text, 0, sizeof sample->text);
  memset(sample->composing, 0, sizeof sample->composing);
  sample->wheel = 0;
  sample->notches = 0;
  sample->mouse_dx = sample->mouse_dy = 0;
}
