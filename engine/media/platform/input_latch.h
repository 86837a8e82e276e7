// Collects input events for the simulation, which samples input once per tick. Presses between two samples are latched
// until a sample reports them, even if the key or button is released earlier. Two presses of a button take three
// samples: down, up, down. Used by both platform implementations.
#ifndef SHOAL_PLATFORM_INPUT_LATCH_H
#define SHOAL_PLATFORM_INPUT_LATCH_H

#include "platform/input.h"

#define LATCH_TEXT 2048 // buffer for pending text, in bytes; excess text is dropped at a character boundary

typedef struct latch_t {
  // Current state of the devices. The wheel and the movement of the mouse accumulate from one sample to the next.
  input_state_t current;
  input_state_t pressed; // number of presses of each button that no sample has reported yet
  input_state_t sampled; // most recent sample
  char typed[LATCH_TEXT];
  uint32_t typed_bytes;
  float partial_notch;   // wheel movement that does not make a full notch yet
  int32_t notch_presses; // number of notches that no sample has reported yet; positive is up
} latch_t;

void latch_key(latch_t *l, int32_t scancode, bool down);
void latch_mouse_button(latch_t *l, int32_t button, bool down);
void latch_pad_button(latch_t *l, int32_t pad, int32_t button, bool down);
void latch_pad_axes(latch_t *l, int32_t pad, const float axes[INPUT_PAD_AXES]);
// Updates a pad that was connected or disconnected, and releases all of its buttons and axes.
void latch_pad_connection(latch_t *l, int32_t pad, bool connected, input_pad_kind_t kind);
// Turns the wheel by `notches`, or by a part of a notch, as touchpads do. Positive is up.
void latch_wheel(latch_t *l, float notches);
void latch_mouse_motion(latch_t *l, float dx, float dy); // adds a movement, in logical pixels
void latch_text(latch_t *l, const char *text);           // adds typed UTF-8 text; skips invalid bytes
// Replaces the current composition. Truncates text that is too long.
void latch_set_composing(latch_t *l, const char *text);
void latch_close_window(latch_t *l);
void latch_sample(latch_t *l, input_state_t *out);
void latch_repeat_key(latch_t *l, int32_t scancode); // adds a key repeat, which counts as a new press
// Clears the state of all devices and the window, except the mouse position, and all presses and pending text.
void latch_release_all(latch_t *l);
void latch_clear_pressed(latch_t *l); // clears presses, movements of the wheel and mouse, and pending text

#endif
