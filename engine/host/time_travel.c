// The host's way through the past: rewinding, stepping a game that the host holds, and living a stretch of it again
// with what was heard then. What is kept is in time/timelines.h; here is who asks for it, and what is said about it.
#include "host/host_internal.h"

#include "base/assert.h"

#define GHOSTS_HELD_S 0.008 // of a frame, for looking ahead
#define GHOSTS_RUNNING_S 0.003

static uint32_t asked_mb(const host_o *h) {
  if (h->options.has_history)
    return (uint32_t)h->options.history_mb;
  return h->options.headless ? 0 : h->game->facts.history_mb;
}

// --memory holds for scripts and the past together, and the past has half of it at most. How far it reaches follows
// from this number and the world alone, not from what scripts use just then: a rewind goes equally far in every run.
static uint32_t most_mb(const host_o *h) {
  return (uint32_t)(h->options.memory_mb ? h->options.memory_mb : SCRIPT_MEMORY_MB) / 2;
}

uint32_t time_travel_history_mb(const host_o *h) {
  if (h->replay)
    return recording_head(h->replay)->history_mb;
  return asked_mb(h) < most_mb(h) ? asked_mb(h) : most_mb(h);
}

static void say_shortened(const host_o *h) {
  if (!h->replay && asked_mb(h) > most_mb(h))
    log_warn(h->log, "history: %u MB are kept and not %u, half of what scripts and history have together (--memory %u)",
             most_mb(h), asked_mb(h), most_mb(h) * 2);
}

static void count_memory(host_o *h) {
  vm_set_past_bytes(h->game->vm, timelines_bytes(&h->past));
}

// Where nobody has said how much, a large world has more.
static uint64_t most_budget(const host_o *h) {
  bool asked = h->replay ? recording_head(h->replay)->history_asked : h->options.has_history;
  uint32_t memory_mb = h->replay ? recording_head(h->replay)->memory_mb : (uint32_t)h->options.memory_mb;
  return asked || h->game->facts.history_asked ? 0 : (uint64_t)(memory_mb ? memory_mb : SCRIPT_MEMORY_MB) / 2 << 20;
}

// Where it counts that every run keeps the same ticks: what is recorded may go back by itself, and is to go back as far
// again. A window goes on.
static history_late_t when_late(const host_o *h) {
  return h->options.headless || h->options.record || h->replay ? HISTORY_LATE_WAITS : HISTORY_LATE_DROPS;
}

// ---------------------------------------------------------------------------------------------------------- life cycle

static void live_again(void *context, const input_log_o *heard, const input_log_item_t *x) {
  game_live_again(((host_o *)context)->game, x, heard);
}

void time_travel_begin(host_o *h) {
  time_travel_end(h);
  if (!h->game)
    return;
  say_shortened(h);
  timelines_begin(&h->past, &h->memory,
                  &(timelines_desc_t){.budget_bytes = (uint64_t)time_travel_history_mb(h) << 20,
                                      .most_bytes = most_budget(h),
                                      .late = when_late(h),
                                      .live = live_again,
                                      .live_context = h},
                  h->game->world);
  h->told_every = 1;
  h->told_reach = h->told_late = h->told_too_large = false;
  count_memory(h);
}

void time_travel_end(host_o *h) {
  timelines_end(&h->past);
  if (h->ghosts) // who is chosen stays: `start` of the game that comes may have chosen already
    ghosts_forget_code(h->ghosts);
  h->held = false;
  h->want_steps = 0;
  rollback_forget(h->rollback);
}

// ----------------------------------------------------------------------------------------------------------- timelines

void time_travel_set_again(host_o *h, bool on) {
  bool was = h->past.again;
  if (on)
    timelines_begin_again(&h->past);
  else
    h->past.again = false;
  if (h->recorder && h->past.again != was)
    recorder_host(h->recorder, h->past.again ? RECORDING_DO_AGAIN : RECORDING_DO_LIVE);
}

static void say_live(host_o *h) {
  unsigned long long tick = world_tick(h->game->world);
  bool parted = h->past.parted;
  log_info(h->log, "past: live again from tick %llu on%s", tick,
           parted ? "" : "; everything was as it had been before");
  toast_add(&h->toasts, TOAST_PLAIN, "Live again from tick %llu on%s", tick, parted ? "" : ": nothing differs");
}

static void say_differences(host_o *h, const timelines_news_t *news) {
  shoal_assert(news->differences > 0, "nothing differs");
  char line[COMPARE_LINE_MAX];
  unsigned long long tick = world_tick(h->game->world), total = news->differences;
  log_info(h->log, "past: tick %llu is the first that is not as it was, in %llu thing%s", tick, total,
           total == 1 ? "" : "s");
  for (uint32_t i = 0; i < TIMELINES_TOLD && i < total; ++i)
    log_info(h->log, "past: %s", compare_line(&news->items[i], line));
  toast_add(&h->toasts, TOAST_PLAIN, "Tick %llu differs: %.90s", tick, compare_line(&news->items[0], line));
}

void time_travel_reloaded(host_o *h) {
  if (h->ghosts)
    ghosts_forget_code(h->ghosts);
  rollback_forget(h->rollback);
  timelines_reloaded(&h->past);
}

// --------------------------------------------------------------------------------------------------------------- ticks

#define TOLD_FROM_BYTES (1u << 20) // of smaller worlds it is no matter how far the history reaches
#define TOLD_AFTER 64u             // states

// Each once, and again where the world has grown.
static void say_reach(host_o *h) {
  history_stats_t s = history_stats(h->past.here.states);
  double mb = (double)s.state_bytes / 1048576.0, budget_mb = (double)s.budget_bytes / 1048576.0;
  if (s.too_large && !h->told_too_large)
    log_warn(h->log,
             "history: the world has %.0f MB, of which %.0f MB keep no tick: there is no way back (history in "
             "game.lua, or --history MB)",
             mb, budget_mb);
  h->told_too_large = s.too_large;
  if (s.too_large)
    return;
  if (s.every > h->told_every)
    log_info(h->log, "history: of a world of %.0f MB one tick in %u is kept", mb, s.every);
  h->told_every = s.every > h->told_every ? s.every : h->told_every;
  if (s.late > 0 && !h->told_late)
    log_warn(h->log, "history: packing does not keep up with the game, and keeps fewer ticks");
  h->told_late |= s.late > 0;
  if (h->told_reach || s.state_bytes < TOLD_FROM_BYTES || s.adds != TOLD_AFTER)
    return;
  h->told_reach = true;
  uint64_t ticks = history_reach(h->past.here.states);
  log_info(h->log, "history: of a world of %.1f MB about %llu ticks (%.1f s) are kept in %.0f MB", mb,
           (unsigned long long)ticks, (double)ticks / h->game->facts.tick_rate, budget_mb);
}

void time_travel_copy(host_o *h) {
  bool begins_chunk = h->recorder && recorder_chunk_is_due(h->recorder);
  h->game->copy = timelines_copy(&h->past, h->game->world, begins_chunk);
  if (h->past.here.states)
    say_reach(h);
  count_memory(h);
}

void time_travel_keep(host_o *h) {
  if (h->game)
    timelines_copy(&h->past, h->game->world, true);
}

void time_travel_rest(host_o *h) {
  if (h->game)
    timelines_rest(&h->past, h->game->world);
}

void time_travel_tick(host_o *h) {
  shoal_assert(h->game, "a tick of no game");
  timelines_news_t news;
  timelines_tick(&h->past, h->game->world, &h->game->input_before, &h->game->input,
                 vm_first_runs(h->game->vm) + h->game->parked.items.count, &news);
  if (news.differences > 0)
    say_differences(h, &news);
  if (news.live)
    say_live(h);
}

void time_travel_idle(host_o *h) {
  timelines_idle(&h->past, h->game->world, &h->game->input_before, &h->game->input);
}

// A pause that the script makes in other places than before would hold up what was heard: the host goes on. Where it
// begins to hear, in the midst of a pause, the game is paused as it was.
static void hear_again(host_o *h, const input_log_item_t *x) {
  game_o *g = h->game;
  if (x->idle && h->past.begins)
    g->paused = true;
  if (x->idle && !g->paused)
    return;
  if (!x->idle && g->paused) {
    g->paused = false;
    if (h->recorder)
      recorder_host(h->recorder, RECORDING_DO_UNPAUSE);
  }
  g->input = x->before;
  if (x->idle)
    host_idle(h, &x->now);
  else
    host_tick(h, &x->now);
}

// A recording says what was heard, again or not; one that was made up (its ticks have not been lived yet) stands for
// somebody who plays.
bool time_travel_plays(const host_o *h) {
  return h->past.again && (!h->replay || (h->heard.kind == RECORDING_TICK && !h->heard.seen));
}

void time_travel_play(host_o *h) {
  input_log_item_t x;
  uint64_t next = world_tick(h->game->world) + 1;
  bool ticked = false;
  h->paused_frames = 0;
  for (uint32_t i = 0; h->past.again && !ticked && input_log_get(h->past.left.inputs, next, i, &x); ++i) {
    ticked = !x.idle;
    hear_again(h, &x);
  }
  if (!ticked && h->past.again)
    time_travel_set_again(h, false); // nothing was heard of this tick
}

// ---------------------------------------------------------------------------------------------------------- going back

static bool go_back(host_o *h, uint64_t ticks, bool branch) {
  error_t error = {0};
  if (!h->past.here.states) {
    log_error(h->log, "world.rewind: no history is kept (game.lua's history, or --history MB)");
    return false;
  }
  double began_s = platform_seconds(h->platform);
  uint64_t went = timelines_back(&h->past, h->game->world, ticks, branch, &error);
  log_debug(h->log, "rewind: %llu ticks in %.2f ms", (unsigned long long)went,
            (platform_seconds(h->platform) - began_s) * 1e3);
  if (went == 0) {
    log_warn(h->log, "rewind: %s", error.text);
    toast_add(&h->toasts, TOAST_BAD, "Rewind: %s", error.text);
    return false;
  }
  if (went > ticks)
    log_info(h->log,
             "rewind: %llu ticks and not %llu: of so large a world not every tick is kept, and this one cannot be made "
             "again, because other code ran then",
             (unsigned long long)went, (unsigned long long)ticks);
  else if (went < ticks)
    log_info(h->log, "rewind: %llu of %llu ticks, for that is all that is known", (unsigned long long)went,
             (unsigned long long)ticks);
  return true;
}

bool time_travel_rewind(host_o *h, uint64_t ticks) {
  return go_back(h, ticks, false);
}

bool time_travel_step_back(host_o *h, uint64_t ticks) {
  return go_back(h, ticks, true);
}

void time_travel_rewind_again(host_o *h, uint64_t ticks) {
  if (time_travel_step_back(h, ticks))
    timelines_begin_again(&h->past);
}

static void step_forward(host_o *h) {
  error_t error = {0};
  if (h->replay)
    recording_control_play(h);
  else if (time_travel_plays(h) && !timelines_has_next(&h->past))
    time_travel_play(h);
  else if (!timelines_has_next(&h->past))
    host_tick(h, NULL);
  else if (!timelines_forward(&h->past, h->game->world, &error))
    toast_add(&h->toasts, TOAST_BAD, "Step: %s", error.text);
  else if (h->recorder)
    recorder_forward(h->recorder);
}

static bool step_back(host_o *h) {
  if (h->replay) {
    toast_add(&h->toasts, TOAST_BAD, "A replay goes on only");
    return false;
  }
  if (!time_travel_step_back(h, 1))
    return false;
  if (h->recorder)
    recorder_back(h->recorder, 1);
  return true;
}

void time_travel_frame(host_o *h) {
  shoal_assert(h->held && h->game, "steps of a game that is not held");
  input_state_t unheard; // what is pressed meanwhile is for the host
  platform_sample(h->platform, &unheard);
  for (; h->want_steps < 0; ++h->want_steps)
    if (!step_back(h))
      h->want_steps = -1;
  for (; h->want_steps > 0 && !h->stopping; --h->want_steps)
    step_forward(h);
}

static void hold(host_o *h, bool on) {
  h->held = on;
  if (on)
    toast_add(&h->toasts, TOAST_PLAIN, "Held: F9 one tick back, F10 one on, F7 on with the same input, F6 on");
  else if (h->past.again)
    toast_add(&h->toasts, TOAST_PLAIN, "On to tick %llu with the same input",
              (unsigned long long)input_log_last(h->past.left.inputs));
  else
    toast_add(&h->toasts, TOAST_PLAIN, "Goes on");
}

void time_travel_keys(host_o *h, const platform_events_t *events) {
  if (events->hold && h->held)
    time_travel_set_again(h, false);
  if (events->hold)
    hold(h, !h->held);
  if (events->again && !h->replay) {
    time_travel_set_again(h, true);
    hold(h, false);
  }
  if (events->step_back || events->step_forward)
    h->held = true;
  h->want_steps += events->step_forward - events->step_back;
}

void time_travel_print(host_o *h) {
  if (!h->past.here.states)
    return;
  time_travel_keep(h);
  history_count(h->past.here.states); // all of them
  history_stats_t s = history_stats(h->past.here.states);
  double adds = s.adds ? (double)s.adds : 1.0;
  printf("stats: history %llu ticks in %.1f MB, %.0f bytes and %.1f us per tick, a state has %.1f KB\n",
         (unsigned long long)s.ticks, (double)s.bytes / 1048576.0, (double)s.added_bytes / adds, s.add_us / adds,
         (double)s.state_bytes / 1024.0);
}

// ---------------------------------------------------------------------------------------------------- what scripts see

static void tell_facts(void *context, timeline_facts_t *out) {
  host_o *h = context;
  uint64_t first = 0, last = 0;
  time_travel_keep(h);
  *out = (timeline_facts_t){.again = h->past.again};
  if (h->past.here.states && history_range(h->past.here.states, &first, &last)) {
    out->first = (double)first;
    out->last = (double)last;
  }
  if (h->past.left.states && history_range(h->past.left.states, &first, &last)) {
    out->left_first = (double)first;
    out->left_last = (double)last;
  }
}

static bool tell_state(void *context, double tick, bool left, snapshot_o *out, error_t *error) {
  host_o *h = context;
  time_travel_keep(h);
  history_o *from = left ? h->past.left.states : h->past.here.states;
  uint64_t found = 0;
  if (!from)
    return error_set(error, left ? "no other timeline is kept" : "no history is kept");
  const snapshot_o *s = tick >= 0 && tick < 0x1p63 ? history_peek(from, (uint64_t)tick, &found, error) : NULL;
  if (!s || found != (uint64_t)tick)
    return error_set(error, "tick %.0f is not kept", tick);
  snapshot_copy(out, s);
  return true;
}

static void choose_ghosts(void *context, const char *name, const shoal_entity *entities, uint32_t count,
                          uint32_t ticks) {
  host_o *h = context;
  if (!h->ghosts && ticks > 0)
    h->ghosts = ghosts_create(&h->memory, &h->assets);
  if (h->ghosts && ticks > 0)
    ghosts_choose(h->ghosts, name, entities, count, ticks);
  else if (h->ghosts)
    ghosts_clear(h->ghosts);
}

void time_travel_open_port(host_o *h) {
  h->timeline_port = (timeline_port_t){.context = h, .facts = tell_facts, .state = tell_state, .ghosts = choose_ghosts};
}

static bool look_ahead(host_o *h) {
  if (!h->game || !h->ghosts || !ghosts_wanted(h->ghosts))
    return false;
  bool stands = h->held || h->game->paused;
  const input_log_o *inputs = h->past.again                  ? h->past.left.inputs
                              : timelines_has_next(&h->past) ? h->past.here.inputs
                                                             : NULL;
  ghosts_advance(h->ghosts, h->game, inputs, stands ? GHOSTS_HELD_S : GHOSTS_RUNNING_S);
  return true;
}

void time_travel_draw(host_o *h) {
  if (!h->options.headless && look_ahead(h))
    ghosts_draw(h->ghosts, world_tick(h->game->world), h->draw);
}

const ghosts_o *host_ghosts(host_o *h) {
  if (h->options.headless) // a window's frame looks ahead by itself
    look_ahead(h);
  return h->ghosts;
}
