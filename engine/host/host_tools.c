// The console and the time bar of tools: recorded input and the past.
#include "host/host_tools.h"

#include "host/host_internal.h"
#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void host_look(host_o *h, host_look_t *out) {
  *out = (host_look_t){.held = h->held,
                       .paused = h->game && h->game->paused,
                       .replays = h->replay != NULL,
                       .again = h->past.again,
                       .past_bytes = timelines_bytes(&h->past),
                       .speed = h->speed > 0 ? h->speed : 1,
                       .folder = h->folder,
                       .card = &h->card};
  if (!h->game)
    return;
  out->tick = out->first = out->last = world_tick(h->game->world);
  out->has_past = h->past.here.states && history_begins(h->past.here.states, &out->first);
  if (out->has_past && input_log_last(h->past.here.inputs) > out->last && timelines_has_next(&h->past))
    out->last = input_log_last(h->past.here.inputs);
}

void host_set_face(host_o *h, const host_face_t *face) {
  h->face = face ? *face : (host_face_t){0};
}

platform_o *host_platform(host_o *h) {
  return h->platform;
}

const render_o *host_render(const host_o *h) {
  return h->render;
}

game_o *host_game(host_o *h) {
  return h->game;
}

log_o *host_log(host_o *h) {
  return h->log;
}

const options_t *host_options(const host_o *h) {
  return &h->options;
}

const paths_t *host_places(const host_o *h) {
  return &h->places;
}

bool host_takes_tools(host_o *h) {
  bool wants = h->want_tools;
  h->want_tools = false;
  return wants;
}

// --------------------------------------------------------------------------------------------------------- the console

// The world goes another way from here on than it went, or than it would be made again.
static bool run_between(host_o *h, const char *text, const char *key, char *out, size_t out_bytes,
                        script_report_t *report) {
  host_chunk_t chunk = {OUTSIDE_CONSOLE, text, "console", key};
  time_travel_keep(h);
  timelines_edited(&h->past, h->game->world);
  rollback_forget(h->rollback);
  outside_begin_chunk(h->outside, world_tick(h->game->world));
  bool fine = host_chunk(h, &chunk, out, out_bytes, report);
  if (h->game)
    timelines_edited(&h->past, h->game->world);
  recording_control_outside(h, false);
  return fine;
}

// Chunks are numbered after each tick, so that whoever lives it again finds them.
static const char *next_key(const host_o *h, char *out, size_t bytes) {
  uint64_t tick = world_tick(h->game->world);
  outside_answer_t *a = NULL;
  for (uint32_t i = 0;; ++i) {
    snprintf(out, bytes, "%u", i);
    a = h->past.here.inputs ? input_log_answer(h->past.here.inputs, tick, OUTSIDE_CONSOLE, out) : NULL;
    if (!a)
      return out;
    outside_release(a);
  }
}

bool host_console(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report) {
  char key[16];
  *report = (script_report_t){.stopped = false};
  out[0] = '\0';
  if (!h->game || h->replay) {
    snprintf(report->message, sizeof report->message, "%s",
             h->game ? "a recording is played, and what is played cannot be changed" : "the game could not start");
    return false;
  }
  bool fine = run_between(h, text, next_key(h, key, sizeof key), out, out_bytes, report);
  if (h->recorder)
    recorder_host(h->recorder, RECORDING_DO_CONSOLE);
  recording_control_state(h);
  return fine;
}

void host_console_recorded(host_o *h) {
  char nowhere[16];
  script_report_t report;
  outside_answer_t *a = outside_take_recorded(h->outside, OUTSIDE_CONSOLE);
  if (a && a->found)
    run_between(h, (const char *)a->bytes, a->key, nowhere, sizeof nowhere, &report);
  outside_release(a);
  recording_control_state(h);
}

void host_console_again(host_o *h) {
  const input_log_o *heard = timelines_heard(&h->past);
  char key[16], nowhere[16];
  script_report_t report;
  outside_answer_t *a = NULL;
  for (uint32_t i = 0; heard && h->game; ++i) {
    snprintf(key, sizeof key, "%u", i);
    a = input_log_answer(heard, world_tick(h->game->world), OUTSIDE_CONSOLE, key);
    if (!a)
      return;
    host_chunk_t chunk = {OUTSIDE_CONSOLE, (const char *)a->bytes, "console", key};
    if (a->found)
      host_chunk(h, &chunk, nowhere, sizeof nowhere, &report);
    outside_release(a);
  }
}

// -------------------------------------------------------------------------------------------------------- the time bar

void host_hold(host_o *h, bool on) {
  if (h->held && !on)
    time_travel_set_again(h, false);
  h->held = on;
}

void host_again(host_o *h) {
  if (h->replay)
    return;
  time_travel_set_again(h, true);
  h->held = false;
}

void host_step(host_o *h, int ticks) {
  h->held = true;
  h->want_steps += ticks;
}

static bool seek_back(host_o *h, uint64_t ticks, error_t *error) {
  uint64_t before = world_tick(h->game->world);
  if (h->replay)
    return error_set(error, "a replay goes on only");
  time_travel_set_again(h, false); // what is heard again from now on is what was heard here
  if (!time_travel_step_back(h, ticks))
    return error_set(error, "nothing is kept of tick %llu", (unsigned long long)(before - ticks));
  if (h->recorder)
    recorder_back(h->recorder, before - world_tick(h->game->world));
  return true;
}

static bool seek_forward(host_o *h, uint64_t tick, error_t *error) {
  while (world_tick(h->game->world) < tick) {
    if (!timelines_has_next(&h->past))
      return error_set(error, "tick %llu has not been yet", (unsigned long long)tick);
    if (!timelines_forward(&h->past, h->game->world, error))
      return false;
    if (h->recorder)
      recorder_forward(h->recorder);
  }
  return true;
}

bool host_seek(host_o *h, uint64_t tick, error_t *error) {
  if (!h->game)
    return error_set(error, "the game could not start");
  uint64_t now = world_tick(h->game->world);
  h->held = true;
  h->want_steps = 0;
  return tick < now ? seek_back(h, now - tick, error) : seek_forward(h, tick, error);
}

void host_set_speed(host_o *h, double speed) {
  shoal_assert(speed > 0, "a game that stands is held");
  double rate = h->game ? round(h->game->facts.tick_rate * speed) : 0;
  if (rate < 1)
    return;
  h->speed = speed;
  clock_set_rate(&h->clock, (uint32_t)rate);
}

void host_step_now(host_o *h, uint32_t ticks) {
  h->held = true;
  h->want_steps = 0;
  for (uint32_t i = 0; i < ticks && h->game && !h->stopping;) {
    uint64_t before = world_tick(h->game->world);
    h->want_steps = 1;
    time_travel_frame(h); // of a recording: its next item, which may be no tick
    i += world_tick(h->game->world) != before ? 1 : 0;
    game_switch_apply(h);
  }
  h->want_steps = 0;
}

void host_apply(host_o *h) {
  game_switch_apply(h);
}

bool host_records(const host_o *h) {
  return h->options.record != NULL;
}

void host_edited(host_o *h, bool before) {
  if (before)
    time_travel_keep(h);
  timelines_edited(&h->past, h->game->world);
  rollback_forget(h->rollback);
}

void host_wants_reload(host_o *h) {
  h->want_reload = true;
}

void host_wants_restart(host_o *h) {
  h->want_restart = true;
}
