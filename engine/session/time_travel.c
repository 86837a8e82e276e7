// Rewinds and steps through the history, with its log lines and toasts.
#include "session/time_travel.h"

#include "base/assert.h"
#include "base/limits.h"
#include "session/session.h"
#include "snapshot/compare.h"

static uint32_t requested_mb(const session_t *s) {
  if (s->options.has_history)
    return (uint32_t)s->options.history_mb;
  return s->options.headless ? 0 : s->game->facts.history_mb;
}

// Returns the history's maximum size: half of --memory, which scripts and history share. It depends only on this option
// and the world, not on scripts' current memory use, so that a rewind reaches equally far in every run.
static uint32_t max_mb(const session_t *s) {
  return (uint32_t)(s->options.memory_mb ? s->options.memory_mb : SCRIPT_MEMORY_MB) / 2;
}

uint32_t time_travel_history_mb(const session_t *s) {
  if (s->recording.replay)
    return recording_head(s->recording.replay)->history_mb;
  return requested_mb(s) < max_mb(s) ? requested_mb(s) : max_mb(s);
}

static void log_limited(const session_t *s) {
  if (!s->recording.replay && requested_mb(s) > max_mb(s))
    log_warn(s->log, "history: limited to %u MB instead of %u, half of the memory shared with scripts (--memory %u)",
             max_mb(s), requested_mb(s), max_mb(s) * 2);
}

static void count_memory(session_t *s) {
  vm_set_past_bytes(s->game->vm, timelines_bytes(&s->time.past));
}

// Returns the history's budget. Large worlds get more by default.
static uint64_t max_budget(const session_t *s) {
  bool asked = s->recording.replay ? recording_head(s->recording.replay)->history_asked : s->options.has_history;
  uint32_t memory_mb =
      s->recording.replay ? recording_head(s->recording.replay)->memory_mb : (uint32_t)s->options.memory_mb;
  return asked || s->game->facts.history_asked ? 0 : (uint64_t)(memory_mb ? memory_mb : SCRIPT_MEMORY_MB) / 2 << 20;
}

// Returns what to do when packing is slow. Recorded and headless runs wait, so that every run keeps the same ticks and
// a rewind goes equally far. A window drops ticks instead.
static history_late_t when_late(const session_t *s) {
  return s->options.headless || s->options.record || s->recording.replay ? HISTORY_LATE_WAITS : HISTORY_LATE_DROPS;
}

// ---------------------------------------------------------------------------------------------------------- life cycle

static void live_again(void *context, const input_log_o *heard, const input_log_item_t *x) {
  game_live_again(((session_t *)context)->game, x, heard);
}

void time_travel_begin(session_t *s) {
  time_travel_end(s);
  if (!s->game)
    return;
  log_limited(s);
  timelines_begin(&s->time.past, &s->memory,
                  &(timelines_desc_t){.budget_bytes = (uint64_t)time_travel_history_mb(s) << 20,
                                      .most_bytes = max_budget(s),
                                      .late = when_late(s),
                                      .live = live_again,
                                      .live_context = s},
                  s->game->world);
  s->time.logged_every = 1;
  s->time.logged_reach = s->time.logged_late = s->time.logged_too_large = false;
  count_memory(s);
}

void time_travel_end(session_t *s) {
  timelines_end(&s->time.past);
  if (s->time.ghosts) // keeps the chosen entities: the next game's `start` may have chosen them already
    ghosts_forget_code(s->time.ghosts);
  s->time.held = false;
  s->time.want_steps = 0;
  rollback_forget(s->rollback);
}

// ----------------------------------------------------------------------------------------------------------- timelines

void time_travel_set_again(session_t *s, bool on) {
  bool was = s->time.past.again;
  if (on)
    timelines_begin_again(&s->time.past);
  else
    s->time.past.again = false;
  if (s->recording.recorder && s->time.past.again != was)
    recorder_host(s->recording.recorder, s->time.past.again ? RECORDING_DO_AGAIN : RECORDING_DO_LIVE);
}

static void report_live(session_t *s) {
  unsigned long long tick = world_tick(s->game->world);
  bool parted = s->time.past.parted;
  log_info(s->log, "past: live again from tick %llu%s", tick, parted ? "" : "; nothing differed");
  toast_add(&s->toasts, TOAST_PLAIN, "Live again from tick %llu%s", tick, parted ? "" : ": nothing differs");
}

static void report_differences(session_t *s, const timelines_news_t *news) {
  shoal_assert(news->differences > 0, "nothing differs");
  char line[COMPARE_LINE_MAX];
  unsigned long long tick = world_tick(s->game->world), total = news->differences;
  log_info(s->log, "past: tick %llu is the first that differs, in %llu value%s", tick, total, total == 1 ? "" : "s");
  for (uint32_t i = 0; i < TIMELINES_TOLD && i < total; ++i)
    log_info(s->log, "past: %s", compare_line(&news->items[i], line));
  toast_add(&s->toasts, TOAST_PLAIN, "Tick %llu differs: %.90s", tick, compare_line(&news->items[0], line));
}

void time_travel_reloaded(session_t *s) {
  if (s->time.ghosts)
    ghosts_forget_code(s->time.ghosts);
  rollback_forget(s->rollback);
  timelines_reloaded(&s->time.past);
}

// --------------------------------------------------------------------------------------------------------------- ticks

#define REPORT_MIN_BYTES (1u << 20) // the reach of the history is logged only for worlds larger than this
#define REPORT_AFTER_STATES 64u     // states kept before the reach is logged

// Logs limits of the history, each once, and again if the world has grown.
static void log_reach(session_t *s) {
  history_stats_t stats = history_stats(s->time.past.here.states);
  double mb = (double)stats.state_bytes / 1048576.0, budget_mb = (double)stats.budget_bytes / 1048576.0;
  if (stats.too_large && !s->time.logged_too_large)
    log_warn(s->log,
             "history: the world has %.0f MB, too much for a budget of %.0f MB: going back is disabled (raise history "
             "in game.lua, or --history MB)",
             mb, budget_mb);
  s->time.logged_too_large = stats.too_large;
  if (stats.too_large)
    return;
  if (stats.every > s->time.logged_every)
    log_info(s->log, "history: the world has %.0f MB: keeping one tick in %u", mb, stats.every);
  s->time.logged_every = stats.every > s->time.logged_every ? stats.every : s->time.logged_every;
  if (stats.late > 0 && !s->time.logged_late)
    log_warn(s->log, "history: packing cannot keep up with the game: keeping fewer ticks");
  s->time.logged_late |= stats.late > 0;
  if (s->time.logged_reach || stats.state_bytes < REPORT_MIN_BYTES || stats.adds != REPORT_AFTER_STATES)
    return;
  s->time.logged_reach = true;
  uint64_t ticks = history_reach(s->time.past.here.states);
  log_info(s->log, "history: the world has %.1f MB: about %llu ticks (%.1f s) fit in %.0f MB", mb,
           (unsigned long long)ticks, (double)ticks / s->game->facts.tick_rate, budget_mb);
}

void time_travel_copy(session_t *s) {
  bool begins_chunk = s->recording.recorder && recorder_chunk_is_due(s->recording.recorder);
  s->game->copy = timelines_copy(&s->time.past, s->game->world, begins_chunk);
  if (s->time.past.here.states)
    log_reach(s);
  count_memory(s);
}

void time_travel_keep(session_t *s) {
  if (s->game)
    timelines_copy(&s->time.past, s->game->world, true);
}

void time_travel_rest(session_t *s) {
  if (s->game)
    timelines_rest(&s->time.past, s->game->world);
}

void time_travel_tick(session_t *s) {
  shoal_assert(s->game, "no game is loaded");
  timelines_news_t news;
  timelines_tick(&s->time.past, s->game->world, &s->game->input_before, &s->game->input,
                 vm_first_runs(s->game->vm) + s->game->parked.items.count, &news);
  if (news.differences > 0)
    report_differences(s, &news);
  if (news.live)
    report_live(s);
}

void time_travel_idle(session_t *s) {
  timelines_idle(&s->time.past, s->game->world, &s->game->input_before, &s->game->input);
}

// Returns whether input comes from the previous timeline. In a replay, the recording provides the input, unless the
// tick was not run when it was recorded: it then stands for live input.
bool time_travel_plays(const session_t *s) {
  return s->time.past.again &&
         (!s->recording.replay || (s->recording.heard.kind == RECORDING_TICK && !s->recording.heard.seen));
}

// ----------------------------------------------------------------------------------------------------------- rewinding

bool time_travel_back(session_t *s, uint64_t ticks, bool branch) {
  error_t error = {0};
  if (!s->time.past.here.states) {
    log_error(s->log, "rewind: no history is kept: set history in game.lua, or --history MB");
    return false;
  }
  double began_s = platform_seconds(s->platform);
  uint64_t went = timelines_back(&s->time.past, s->game->world, ticks, branch, &error);
  log_debug(s->log, "rewind: %llu ticks in %.2f ms", (unsigned long long)went,
            (platform_seconds(s->platform) - began_s) * 1e3);
  if (went == 0) {
    log_warn(s->log, "rewind: %s", error.text);
    toast_add(&s->toasts, TOAST_BAD, "Rewind: %s", error.text);
    return false;
  }
  if (went > ticks)
    log_info(s->log,
             "rewind: went back %llu ticks instead of %llu: not every tick of a world this large is kept, and this one "
             "cannot be recomputed because the code has changed",
             (unsigned long long)went, (unsigned long long)ticks);
  else if (went < ticks)
    log_info(s->log, "rewind: %llu of %llu ticks: the history does not reach further back", (unsigned long long)went,
             (unsigned long long)ticks);
  return true;
}

void time_travel_hold(session_t *s, bool on) {
  s->time.held = on;
  if (on)
    toast_add(&s->toasts, TOAST_PLAIN, "Held: F9 back a tick, F10 forward a tick, F7 replay the input, F6 resume");
  else if (s->time.past.again)
    toast_add(&s->toasts, TOAST_PLAIN, "Replaying the input up to tick %llu",
              (unsigned long long)input_log_last(s->time.past.left.inputs));
  else
    toast_add(&s->toasts, TOAST_PLAIN, "Resumed");
}

void time_travel_print(session_t *s) {
  if (!s->time.past.here.states)
    return;
  time_travel_keep(s);
  history_count(s->time.past.here.states); // includes states being packed
  history_stats_t stats = history_stats(s->time.past.here.states);
  double adds = stats.adds ? (double)stats.adds : 1.0;
  printf("stats: history %llu ticks in %.1f MB, %.0f bytes and %.1f us per tick, a state has %.1f KB\n",
         (unsigned long long)stats.ticks, (double)stats.bytes / 1048576.0, (double)stats.added_bytes / adds,
         stats.add_us / adds, (double)stats.state_bytes / 1024.0);
}

static bool predict(session_t *s) {
  if (!s->game || !s->time.ghosts || !ghosts_enabled(s->time.ghosts))
    return false;
  bool stands = s->time.held || s->game->paused;
  const input_log_o *inputs = s->time.past.again                  ? s->time.past.left.inputs
                              : timelines_has_next(&s->time.past) ? s->time.past.here.inputs
                                                                  : NULL;
  ghosts_advance(s->time.ghosts, s->game, inputs, stands ? GHOSTS_HELD_S : GHOSTS_RUNNING_S);
  return true;
}

void time_travel_draw(session_t *s) {
  if (!s->options.headless && predict(s))
    ghosts_draw(s->time.ghosts, world_tick(s->game->world), s->draw);
}

const ghosts_o *time_travel_ghosts(session_t *s) {
  if (s->options.headless) // with a window, each frame predicts by itself
    predict(s);
  return s->time.ghosts;
}
