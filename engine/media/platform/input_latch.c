// Collects input events into samples.
#include "platform/input_latch.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

// Limits on pending input, so that input during a long frame does not take effect long after that frame.
#define MAX_PRESSES 2 // maximum number of pending presses of a button
#define MAX_NOTCHES 8 // maximum number of pending notches of the wheel

#define NOTCH 0.999f // wheel movement that counts as a notch: below 1, to tolerate rounding errors of ten tenths

// Sets a button to `down`. Counts a press, and stores `device` as the used device (input_state_t.used), if the button
// was up.
static void set_button(latch_t *l, uint8_t *current, uint8_t *presses, bool down, int32_t device) {
  if (down && !*current) {
    if (*presses < MAX_PRESSES)
      ++*presses;
    l->current.used = (uint8_t)device;
  }
  *current = down;
}

void latch_key(latch_t *l, int32_t scancode, bool down) {
  if (scancode > 0 && scancode < INPUT_KEYS)
    set_button(l, &l->current.keys[scancode], &l->pressed.keys[scancode], down, 0);
}

void latch_mouse_button(latch_t *l, int32_t button, bool down) {
  if (button > 0 && button < INPUT_MOUSE_BUTTONS)
    set_button(l, &l->current.mouse_buttons[button], &l->pressed.mouse_buttons[button], down, 0);
}

void latch_pad_button(latch_t *l, int32_t pad, int32_t button, bool down) {
  if (pad >= 0 && pad < INPUT_PADS && button >= 0 && button < INPUT_PAD_BUTTONS)
    set_button(l, &l->current.pad_buttons[pad][button], &l->pressed.pad_buttons[pad][button], down, pad + 1);
}

#define MIN_DEFLECTION 0.5f // minimum deflection at which a pad becomes the most recently used device

void latch_pad_axes(latch_t *l, int32_t pad, const float axes[INPUT_PAD_AXES]) {
  if (pad < 0 || pad >= INPUT_PADS)
    return;
  for (int32_t i = 0; i < INPUT_PAD_AXES; ++i)
    if (axes[i] > MIN_DEFLECTION || axes[i] < -MIN_DEFLECTION)
      l->current.used = (uint8_t)(pad + 1);
  memcpy(l->current.pad_axes[pad], axes, sizeof l->current.pad_axes[pad]);
}

void latch_pad_connection(latch_t *latch, int32_t pad, bool connected, input_pad_kind_t kind) {
  if (pad < 0 || pad >= INPUT_PADS)
    return;
  for (int32_t i = 0; i < INPUT_PAD_BUTTONS; ++i)
    latch_pad_button(latch, pad, i, false);
  memset(latch->current.pad_axes[pad], 0, sizeof latch->current.pad_axes[pad]);
  latch->current.pad_connected[pad] = connected;
  latch->current.pad_kinds[pad] = (uint8_t)kind;
  if (!connected && latch->current.used == pad + 1)
    latch->current.used = 0;
}

void latch_wheel(latch_t *l, float notches) {
  bool reverses = notches * l->partial_notch < 0.0f || notches * (float)l->notch_presses < 0.0f;
  l->current.used = 0;
  if (!(notches >= -1000.0f && notches <= 1000.0f)) // rejects NaN as well
    return;
  l->current.wheel += notches;
  l->partial_notch = notches + (reverses ? 0.0f : l->partial_notch);
  l->notch_presses = reverses ? 0 : l->notch_presses;
  int32_t direction = notches < 0.0f ? -1 : 1;
  for (; l->partial_notch * (float)direction >= NOTCH; l->partial_notch -= (float)direction)
    if (l->notch_presses * direction < MAX_NOTCHES)
      l->notch_presses += direction;
}

void latch_mouse_motion(latch_t *l, float dx, float dy) {
  l->current.mouse_dx += dx;
  l->current.mouse_dy += dy;
}

// Copies as many complete characters as fit into `out`. Returns the number of bytes copied.
static uint32_t copy_characters(char *out, uint32_t capacity, const char *text) {
  uint32_t used = 0;
  while (*text) {
    uint32_t bytes = (uint32_t)utf8_character_length(text);
    if (used + bytes > capacity)
      break;
    memcpy(out + used, text, bytes);
    used += bytes;
    text += bytes > 0 ? bytes : 1;
  }
  return used;
}

void latch_text(latch_t *l, const char *text) {
  l->typed_bytes += copy_characters(l->typed + l->typed_bytes, LATCH_TEXT - 1 - l->typed_bytes, text);
  l->typed[l->typed_bytes] = '\0';
}

void latch_set_composing(latch_t *l, const char *text) {
  memset(l->current.composing, 0, sizeof l->current.composing);
  copy_characters(l->current.composing, sizeof l->current.composing, text);
}

// Moves pending text into a sample. Text that does not fit remains pending.
static void pop_text(latch_t *l, char out[INPUT_TEXT]) {
  memset(out, 0, INPUT_TEXT);
  uint32_t copied = copy_characters(out, INPUT_TEXT, l->typed);
  l->typed_bytes -= copied;
  memmove(l->typed, l->typed + copied, l->typed_bytes + 1);
}

void latch_close_window(latch_t *l) {
  l->pressed.window.closed = 1;
}

// Reports one pending press of each button. A button that is down in the last sample is first reported as released.
// Otherwise, the simulation, which compares samples, would miss the press.
static void report_presses(uint8_t *restrict out, const uint8_t *restrict last, uint8_t *restrict presses,
                           size_t count) {
  for (size_t i = 0; i < count; ++i) { // no branches, so that compilers vectorize the loop
    uint8_t is_pending = presses[i] > 0, is_reported = is_pending & (last[i] == 0);
    out[i] = is_pending ? is_reported : out[i];
    presses[i] -= is_reported;
  }
}

// Removes one pending notch and returns its direction, 1 (up) or -1. Returns 0 if no notch is pending or the previous
// sample contained a notch, so that two notches take three samples.
static int8_t pop_notch(latch_t *l) {
  int8_t notch = l->sampled.notches || l->notch_presses == 0 ? 0 : l->notch_presses > 0 ? 1 : -1;
  l->notch_presses -= notch;
  return notch;
}

// Removes the whole multiples of 1 / PLAYER_MOTION_UNITS pixel from a movement and returns them. The rest remains for
// the next sample. Drops movements that are not finite.
static float pop_motion(float *motion) {
  *motion = isfinite(*motion) ? *motion : 0.0f;
  float complete = truncf(*motion * PLAYER_MOTION_UNITS) / PLAYER_MOTION_UNITS;
  *motion -= complete;
  return complete;
}

void latch_sample(latch_t *l, input_state_t *out) {
  *out = l->current;
  report_presses(out->keys, l->sampled.keys, l->pressed.keys, sizeof out->keys);
  report_presses(out->mouse_buttons, l->sampled.mouse_buttons, l->pressed.mouse_buttons, sizeof out->mouse_buttons);
  report_presses(&out->pad_buttons[0][0], &l->sampled.pad_buttons[0][0], &l->pressed.pad_buttons[0][0],
                 sizeof out->pad_buttons);
  out->window.closed = l->pressed.window.closed;
  out->has_notches = 1;
  out->notches = pop_notch(l);
  pop_text(l, out->text);
  l->pressed.window.closed = 0;
  l->current.wheel = 0.0f;
  out->mouse_dx = pop_motion(&l->current.mouse_dx);
  out->mouse_dy = pop_motion(&l->current.mouse_dy);
  l->sampled = *out;
}

void latch_repeat_key(latch_t *l, int32_t scancode) {
  if (scancode > 0 && scancode < INPUT_KEYS)
    l->pressed.keys[scancode] = 1;
}

void latch_clear_pressed(latch_t *l) {
  memset(&l->pressed, 0, sizeof l->pressed);
  l->current.wheel = l->partial_notch = l->current.mouse_dx = l->current.mouse_dy = 0.0f;
  l->notch_presses = 0;
  l->typed[0] = '\0';
  l->typed_bytes = 0;
}

void latch_release_all(latch_t *l) {
  float x = l->current.mouse_x, y = l->current.mouse_y;
  memset(&l->current, 0, sizeof l->current);
  l->current.mouse_x = x;
  l->current.mouse_y = y;
  latch_clear_pressed(l);
}
