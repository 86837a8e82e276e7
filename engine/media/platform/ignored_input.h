// Controls that are ignored until they are released. When a different part of the program starts to use the devices, a
// control that is still held must not count as pressed there. Plain data. If zero-initialized, no control is ignored.
#ifndef SHOAL_PLATFORM_IGNORED_INPUT_H
#define SHOAL_PLATFORM_IGNORED_INPUT_H

#include "platform/input.h"

typedef struct ignored_input_t {
  bool keys[INPUT_KEYS], pad_buttons[INPUT_PADS][INPUT_PAD_BUTTONS], pad_axes[INPUT_PADS][INPUT_PAD_AXES];
  bool mouse_buttons[INPUT_MOUSE_BUTTONS];
} ignored_input_t;

// Ignores the controls that are held in the sample, until they are released.
void ignored_input_add(ignored_input_t *ignored, const input_state_t *sample);
// Removes the ignored controls from the next sample. Controls that the sample does not hold are no longer ignored.
void ignored_input_remove_from(ignored_input_t *ignored, input_state_t *sample);

// Releases all controls of the sample, and removes its text and the wheel. Keeps the pointer and the window.
void input_release_all(input_state_t *sample);

#endif
