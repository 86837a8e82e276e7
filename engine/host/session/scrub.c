// Chooses the ticks to show while the session scrubs through its history. Records a movement as the rewinds that lead
// to the last shown tick, or as single steps forward.
#include "session/scrub.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/now.h"
#include "session/session.h"

#include <math.h>

// Returns the memory in bytes that the reel, the store of past states (time/reel.h), may use: half of --memory, minus
// the size of the history.
static uint64_t get_max_bytes(const session_t *s) {
  uint64_t limit = (uint64_t)(s->options.memory_mb ? s->options.memory_mb : SCRIPT_MEMORY_MB) << 19;
  size_t history_bytes = timelines_bytes(&s->time.timelines);
  return limit > history_bytes ? limit - history_bytes : 0;
}

bool scrub_begin(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  if (scrub->reel)
    return true;
  if (!s->game || s->recording.replay || s->time.timelines.replaying)
    return false;
  time_travel_keep_settings(s);
  uint64_t tick = world_tick(s->game->world);
  reel_o *reel = reel_create(&s->time.timelines, s->game->world, get_max_bytes(s));
  *scrub = (scrub_t){.reel = reel, .position = (double)tick, .target_tick = tick, .start_tick = tick};
  return reel != NULL;
}

bool scrub_is_settled(const session_t *s) {
  const scrub_t *scrub = &s->time.scrub;
  return !scrub->reel ||
         (scrub->target_tick == (uint64_t)llround(scrub->position) && world_tick(s->game->world) == scrub->target_tick);
}

// Limits the requested tick to the known ticks, and chooses the tick to show.
static void choose_target(scrub_t *scrub, bool kept_only) {
  double first = (double)reel_first_tick(scrub->reel), last = (double)reel_last_tick(scrub->reel);
  scrub->position = fmin(fmax(scrub->position, first), last);
  scrub->target_tick = reel_find_tick(scrub->reel, (uint64_t)llround(scrub->position), scrub->forward, kept_only);
}

static void move(scrub_t *scrub, double ticks, bool kept_only) {
  shoal_assert(scrub->reel, "scrub_begin must succeed before a movement");
  scrub->forward = ticks > 0;
  scrub->position += ticks;
  scrub->idle_s = 0;
  scrub->continues = false;
  choose_target(scrub, kept_only);
}

void scrub_move(session_t *s, double ticks, bool kept_only) {
  scrub_t *scrub = &s->time.scrub;
  if (world_tick(s->game->world) == scrub->target_tick)
    move(scrub, ticks, kept_only);
}

void scrub_seek(session_t *s, uint64_t tick, bool kept_only) {
  double ticks = (double)tick - s->time.scrub.position;
  if (ticks != 0)
    scrub_move(s, ticks, kept_only);
  else if (!kept_only)
    scrub_settle(s);
}

void scrub_keep_open(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  scrub->idle_s = fmin(scrub->idle_s, SCRUB_IDLE_S / 2); // a time of 0 would count as a movement
}

void scrub_step(session_t *s, int ticks) {
  move(&s->time.scrub, ticks, false);
}

void scrub_settle(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  if (!scrub->reel)
    return;
  choose_target(scrub, false);
  scrub->position = (double)scrub->target_tick; // the exact tick may be impossible to show
}

void scrub_stop(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  if (scrub->reel && world_tick(s->game->world) != scrub->target_tick)
    scrub->position = (double)world_tick(s->game->world);
  scrub_settle(s);
}

// Updates `shown`, the ticks shown since `start_tick` in descending order. A clip can then show the same ticks.
static void add_shown(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  uint64_t tick = world_tick(s->game->world);
  while (scrub->shown.count > 0 && scrub->shown.items[scrub->shown.count - 1] <= tick)
    --scrub->shown.count;
  if (tick < scrub->start_tick)
    array_push(&s->memory, &scrub->shown, tick);
}

void scrub_run_frame(session_t *s, double frame_s, double budget_us) {
  scrub_t *scrub = &s->time.scrub;
  error_info_t error = {0};
  if (!scrub->reel)
    return;
  double start_us = now_us();
  uint64_t tick = world_tick(s->game->world);
  bool shown = reel_show(scrub->reel, scrub->target_tick, scrub->forward, budget_us, &error);
  uint32_t time = (uint32_t)((now_us() - start_us) / SCRUB_TIME_US);
  if (world_tick(s->game->world) != tick) {
    ui_follow_world(s->game->ui);
    add_shown(s);
  }
  scrub->frames[time < SCRUB_TIMES ? time : SCRUB_TIMES - 1] += scrub->idle_s == 0;
  scrub->idle_s += shown ? frame_s : 0;
  if (error.text[0]) {
    log_warn(s->log, "rewind: %s", error.text);
    notice_add(&s->notices, NOTICE_BAD, "Rewind: %s", error.text);
    scrub_end(s);
  } else if (shown && scrub->idle_s > 0 && !scrub->continues) {
    scrub->continues = reel_prepare_to_continue(scrub->reel);
  }
  if (scrub->idle_s > SCRUB_IDLE_S && !s->options.package)
    scrub_end(s);
}

// Returns the given quantile (0 to 1) of the `count` frame times in scrub_t.frames, in milliseconds.
static double get_time_ms(const scrub_t *scrub, uint32_t count, double quantile) {
  uint32_t i = 0;
  for (double remaining = count * quantile; i < SCRUB_TIMES - 1 && remaining > scrub->frames[i]; ++i)
    remaining -= scrub->frames[i];
  return (i + 1) * SCRUB_TIME_US / 1e3;
}

static void log_times(const session_t *s) {
  const scrub_t *scrub = &s->time.scrub;
  uint32_t count = 0;
  for (uint32_t i = 0; i < SCRUB_TIMES; ++i)
    count += scrub->frames[i];
  log_debug(s->log, "rewind: %u frames moved in at most %.2f ms (p50), %.2f ms (p99), %.2f ms (all); %.1f MB of states",
            count, get_time_ms(scrub, count, 0.5), get_time_ms(scrub, count, 0.99), get_time_ms(scrub, count, 1),
            (double)reel_bytes(scrub->reel) / 1048576.0);
}

static void record_rewinds(recorder_o *recorder, const scrub_t *scrub) {
  uint64_t tick = scrub->start_tick;
  uint32_t stride = (scrub->shown.count + SCRUB_MAX_STEPS - 1) / SCRUB_MAX_STEPS;
  for (uint32_t i = 0; i < scrub->shown.count; ++i) {
    if ((i + 1) % stride != 0 && i + 1 < scrub->shown.count)
      continue;
    recorder_add_rewind(recorder, tick - scrub->shown.items[i], scrub->shown.items[i]);
    tick = scrub->shown.items[i];
  }
}

static void record_movement(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  recorder_o *recorder = s->recording.recorder;
  if (!recorder)
    return;
  add_shown(s);
  record_rewinds(recorder, scrub);
  for (uint64_t tick = scrub->start_tick; tick < world_tick(s->game->world); ++tick)
    if (reel_find_tick(scrub->reel, tick + 1, true, false) == tick + 1)
      recorder_add_step_forward(recorder, tick + 1);
}

void scrub_end(session_t *s) {
  scrub_t *scrub = &s->time.scrub;
  if (!scrub->reel)
    return;
  record_movement(s);
  log_times(s);
  reel_destroy(scrub->reel);
  array_free(&s->memory, &scrub->shown);
  *scrub = (scrub_t){.reel = NULL};
}
