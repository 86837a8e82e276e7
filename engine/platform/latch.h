// Devices change whenever events arrive, the simulation samples once per tick: what was pressed in between is kept
// until the next sample, even when it is up again by then. Shared by both twins of the platform.
#ifndef SHOAL_PLATFORM_LATCH_H
#define SHOAL_PLATFORM_LATCH_H

#include "platform/input.h"

#define LATCH_TEXT 2048 // bytes that wait to be taken, whole characters; more than that is not taken

typedef struct latch_t {
  input_state_t now;     // as the devices are; wheel counts since the last sample
  input_state_t pressed; // buttons that went down since the last sample
  char typed[LATCH_TEXT];
  uint32_t typed_bytes;
} latch_t;

void latch_key(latch_t *l, int32_t scancode, bool down);
void latch_mouse_button(latch_t *l, int32_t button, bool down);
void latch_pad_button(latch_t *l, int32_t pad, int32_t button, bool down);
void latch_pad_axes(latch_t *l, int32_t pad, const float axes[INPUT_PAD_AXES]);
// A pad that has come, or has gone: nothing of it is held.
void latch_pad(latch_t *l, int32_t pad, bool connected, input_pad_kind_t kind);
void latch_text(latch_t *l, const char *text);      // UTF-8; what makes no sense is left out
void latch_composing(latch_t *l, const char *text); // in place of what was there, cut
void latch_close(latch_t *l);
void latch_sample(latch_t *l, input_state_t *out);
void latch_repeat(latch_t *l, int32_t scancode); // a key that is held counts as pressed once more
// For who reads the latch itself: everything is up but the mouse stays where it is; nothing has been pressed since.
void latch_drop(latch_t *l);
void latch_drop_pressed(latch_t *l);

#endif
