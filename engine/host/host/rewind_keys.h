// Rewinding by keys, pads and mouse. F9 steps back and F10 steps forward. Holding one of them moves through the
// history, first slowly, then faster. On a pad, Back + LB and Back + RB do the same, and A continues. The mouse drags
// the scrub bar.
#ifndef SHOAL_HOST_REWIND_KEYS_H
#define SHOAL_HOST_REWIND_KEYS_H

#include "overlay/scrub_bar.h"
#include "platform/platform.h"

typedef struct host_o host_o;

// Pauses the session and moves by `ticks`. Negative values move backwards. A step after the newest known tick runs a
// new tick.
void rewind_keys_step(host_o *h, int ticks);
// Moves by the keys held in this frame. Call once per frame, before ticks run.
void rewind_keys_hold(host_o *h, const platform_events_t *events);
// Processes one frame's input in a paused session: Space and the pad's A resume play.
void rewind_keys_read_paused_input(host_o *h);
// Returns the mouse for the scrub bar of a paused session, or no input if the session is not paused.
latch_t rewind_keys_get_mouse(const host_o *h);
// Moves to the tick at the mouse while it drags the bar. Call once per frame, after the bar is drawn.
void rewind_keys_drag(host_o *h, const scrub_bar_t *bar);

#endif
