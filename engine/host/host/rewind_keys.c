// Rewinds by held keys, pad buttons, and the mouse on the scrub bar.
#include "host/rewind_keys.h"

#include "host/host_internal.h"
#include "host/playback.h"
#include "host/tick.h"
#include "platform/pad_buttons.h"
#include "platform/scancodes.h"

#include <math.h>

// Speeds, by the time that a key has been held. If the history does not keep every tick, high speeds show only the kept
// snapshots.
static const struct {
  double held_s, speed;
  bool kept_only;
} SPEEDS[] = {{6, 8, true}, {3.5, 4, true}, {1.5, 2, false}, {0.25, 1, false}};

#define MAX_FRAME_S 0.1 // maximum frame time by which the position moves, so that the picture does not jump

void rewind_keys_step(host_o *h, int ticks) {
  session_t *s = &h->session;
  if (!s->game || ticks == 0)
    return;
  bool is_known = ticks < 0 || timelines_has_next(&s->time.timelines);
  s->time.session_paused = true;
  h->leave.asked_s = 0; // the pad's Back was not pressed to leave the game
  if (is_known && scrub_begin(s)) {
    scrub_step(s, ticks);
    return;
  }
  scrub_end(s);
  playback_request_steps(h, ticks);
}

// Returns the direction of the pads' buttons. Reads the devices, because the input of the game's last tick is outdated
// after a pause, or was recorded.
static int get_pad_direction(const platform_events_t *events) {
  for (int pad = 0; pad < INPUT_PADS; ++pad) {
    const uint8_t *buttons = events->pad_buttons[pad];
    if (buttons[PAD_BACK] && buttons[PAD_LEFT_SHOULDER] != buttons[PAD_RIGHT_SHOULDER])
      return buttons[PAD_LEFT_SHOULDER] ? -1 : 1;
  }
  return 0;
}

// Moves through the history at the speed for a key that has been held for `held_s` seconds.
static void move(host_o *h, int direction, double held_s) {
  session_t *s = &h->session;
  rewind_keys_t *keys = &h->rewind;
  keys->speed = 0;
  for (size_t i = 0; i < sizeof SPEEDS / sizeof *SPEEDS; ++i) {
    if (held_s < SPEEDS[i].held_s)
      continue;
    double ticks = direction * SPEEDS[i].speed * s->game->config.tick_rate * fmin(tick_get_frame_s(h), MAX_FRAME_S);
    keys->speed = SPEEDS[i].speed;
    if (s->time.scrub.reel)
      scrub_move(s, ticks, SPEEDS[i].kept_only);
    else if (s->recording.replay || s->time.timelines.replaying)
      playback_request_steps(h, direction);
    return;
  }
}

void rewind_keys_hold(host_o *h, const platform_events_t *events) {
  rewind_keys_t *keys = &h->rewind;
  if (!h->session.game || (h->session.options.package && !h->session.game->config.rewind))
    return;
  if (h->session.options.package && h->session.time.session_paused)
    scrub_begin(&h->session); // the bar is the only sign of the pause for players
  int direction = (int)events->held[HOST_KEY_STEP_FORWARD] - (int)events->held[HOST_KEY_STEP_BACK];
  int pad_direction = direction == 0 ? get_pad_direction(events) : 0;
  if (pad_direction != 0 && keys->direction == 0)
    rewind_keys_step(h, pad_direction);
  direction += pad_direction;
  if (direction != keys->direction && keys->speed > 0)
    scrub_stop(&h->session);
  else if (direction != keys->direction)
    scrub_settle(&h->session);
  keys->held_s = direction == keys->direction ? keys->held_s + tick_get_frame_s(h) : 0;
  keys->direction = direction;
  keys->speed = 0;
  if (direction != 0)
    move(h, direction, keys->held_s);
}

// Returns true if a control was pressed in this frame, and marks it as ignored: the press only resumes play, and the
// game must not receive it.
static bool read_press(uint8_t is_down, uint8_t was_down, bool *is_ignored) {
  bool is_pressed = is_down && !was_down;
  *is_ignored |= is_pressed;
  return is_pressed;
}

void rewind_keys_read_paused_input(host_o *h) {
  rewind_keys_t *keys = &h->rewind;
  input_state_t previous = keys->input;
  platform_sample_input(h->session.platform, &keys->input);
  bool plays_on = keys->has_input &&
                  read_press(keys->input.keys[KEY_SPACE], previous.keys[KEY_SPACE], &keys->ignored.keys[KEY_SPACE]);
  for (int pad = 0; pad < INPUT_PADS && keys->has_input; ++pad)
    plays_on |= read_press(keys->input.pad_buttons[pad][PAD_A], previous.pad_buttons[pad][PAD_A],
                           &keys->ignored.pad_buttons[pad][PAD_A]);
  keys->mouse_pressed = keys->has_input && keys->input.mouse_buttons[1] && !previous.mouse_buttons[1];
  keys->has_input = true;
  if (plays_on)
    playback_toggle_pause(h);
}

latch_t rewind_keys_get_mouse(const host_o *h) {
  latch_t mouse = {.current = {.mouse_x = -1, .mouse_y = -1}};
  if (!h->session.time.session_paused || !h->rewind.has_input)
    return mouse;
  mouse.current = h->rewind.input;
  mouse.pressed.mouse_buttons[1] = h->rewind.mouse_pressed;
  return mouse;
}

void rewind_keys_drag(host_o *h, const scrub_bar_t *bar) {
  rewind_keys_t *keys = &h->rewind;
  session_t *s = &h->session;
  if (!s->time.scrub.reel) {
    keys->drags = false;
    return;
  }
  if (bar->hovered)
    scrub_keep_open(s);
  bool rests = bar->pointer_tick == keys->dragged_to; // a resting mouse shows the exact tick
  if (bar->dragged)
    scrub_seek(s, bar->pointer_tick, !rests);
  else if (keys->drags)
    scrub_settle(s);
  keys->drags = bar->dragged;
  keys->dragged_to = bar->pointer_tick;
}
