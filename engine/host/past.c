// The host's way through the past: what is kept of it, rewinding, stepping a game that the host holds, and living a stretch of it again
// with what was heard then. The states are kept by history.c, the input by heard.c; here is who asks for them.
//
// A timeline is what lies in h->history and h->inputs. When the host goes back and then on another way (other code, other input), the
// timeline that is left is kept beside it, for its input and to be compared with.
#include "host/host_state.h"

#include "ecs/compare.h"

#include <string.h>

#define TOLD_MAX 3u
#define GHOSTS_HELD_S 0.008 // of a frame, for looking ahead
#define GHOSTS_RUNNING_S 0.003

uint32_t past_history_mb(const host_o *h) {
  if (h->replay)
    return replay_head(h->replay)->history_mb;
  if (h->options.has_history)
    return (uint32_t)h->options.history_mb;
  return h->options.headless ? 0 : h->game->facts.history_mb;
}

static uint64_t budget(const host_o *h) {
  return (uint64_t)past_history_mb(h) << 20;
}

// --------------------------------------------------------------------------------------------------------------- life cycle

static void drop_left(host_o *h) {
  history_destroy(h->left);
  heard_destroy(h->left_inputs);
  h->left = NULL;
  h->left_inputs = NULL;
  h->again = false;
}

static void forget_all(host_o *h) {
  drop_left(h);
  history_destroy(h->history);
  heard_destroy(h->inputs);
  h->history = NULL;
  h->inputs = NULL;
  h->branched = false;
}

void past_begin(host_o *h) {
  past_end(h);
  if (!h->game || budget(h) == 0)
    return;
  h->history = history_create(&h->memory, budget(h));
  h->inputs = heard_create(&h->memory);
  history_add(h->history, h->game->world);
}

void past_end(host_o *h) {
  forget_all(h);
  if (h->ghosts) // who is chosen stays: `start` of the game that comes may have chosen already
    ghosts_forget_code(h->ghosts);
  h->held = false;
  h->want_steps = 0;
}

// ---------------------------------------------------------------------------------------------------------------- timelines

// The world is about to go another way than it went from here: that one is kept beside it. Together they keep to the budget, as long
// as there is as much to keep of this one. False when it is at the end of what is known.
static bool leave_timeline(host_o *h) {
  if (h->again || !h->history || !history_has_next(h->history))
    return false;
  drop_left(h);
  h->left = history_fork(h->history);
  h->left_inputs = heard_copy(h->inputs);
  uint64_t all = budget(h), taken = history_stats(h->left).bytes;
  history_set_budget(h->history, taken < all / 2 ? all - taken : all / 2);
  h->parted = false;
  return true;
}

// From here on ticks hear what was heard in the timeline that is left, to its end.
static void begin_again(host_o *h) {
  h->again |= leave_timeline(h);
}

void past_set_again(host_o *h, bool on) {
  bool was = h->again;
  if (on)
    begin_again(h);
  else
    h->again = false;
  if (h->recorder && h->again != was)
    recorder_host(h->recorder, h->again ? REPLAY_DO_AGAIN : REPLAY_DO_LIVE);
}

static void end_again(host_o *h) {
  unsigned long long tick = world_tick(h->game->world);
  h->again = false;
  log_info(h->log, "past: live again from tick %llu on%s", tick,
           h->parted ? "" : "; everything was as it had been before");
  toast_add(&h->toasts, TOAST_PLAIN, "Live again from tick %llu on%s", tick, h->parted ? "" : ": nothing differs");
}

static void tell_parting(host_o *h, const compare_item_t *items, uint64_t total) {
  char line[COMPARE_LINE_MAX];
  unsigned long long tick = world_tick(h->game->world);
  h->parted = true;
  log_info(h->log, "past: tick %llu is the first that is not as it was, in %llu thing%s", tick,
           (unsigned long long)total, total == 1 ? "" : "s");
  for (uint32_t i = 0; i < TOLD_MAX && i < total; i++)
    log_info(h->log, "past: %s", compare_line(&items[i], line));
  toast_add(&h->toasts, TOAST_PLAIN, "Tick %llu differs: %.90s", tick, compare_line(&items[0], line));
}

// Is this tick what it was in the timeline that was left?
static void compare_with_left(host_o *h) {
  compare_item_t items[TOLD_MAX];
  const snapshot_o *then = history_seek(h->left, world_tick(h->game->world)), *now = history_now(h->history);
  size_t n = 0, m = 0;
  if (!then)
    return;
  const void *x = snapshot_bytes(then, &n), *y = snapshot_bytes(now, &m);
  if (n == m && memcmp(x, y, n) == 0)
    return;
  uint64_t total = snapshot_compare(then, now, h->game->world, items, TOLD_MAX, NULL);
  if (total > 0 && total != UINT64_MAX)
    tell_parting(h, items, total);
}

// The world of this tick may have been converted and merged on the way: it takes the place of the state that was kept of it. In the
// past, what came after it was made by other code: it is left, and what was heard in it will be heard again.
void past_reloaded(host_o *h) {
  if (h->ghosts)
    ghosts_forget_code(h->ghosts);
  if (!h->history)
    return;
  if (h->branched)
    begin_again(h);
  history_add(h->history, h->game->world);
}

// ------------------------------------------------------------------------------------------------------------------- ticks

static bool is_too_large(const host_o *h) {
  bool asked = h->replay ? replay_head(h->replay)->history_asked : h->options.has_history;
  return !asked && history_stats(h->history).state_bytes > PAST_LARGEST_UNASKED_BYTES;
}

void past_tick(host_o *h) {
  uint64_t tick = world_tick(h->game->world), first, last;
  if (!h->history)
    return;
  if (h->branched)
    leave_timeline(h);
  h->branched = false;
  history_add(h->history, h->game->world);
  heard_tick(h->inputs, tick, &h->game->input_before, &h->game->input);
  if (history_range(h->history, &first, &last))
    heard_forget_before(h->inputs, first);
  if (h->again && !h->parted)
    compare_with_left(h);
  if (h->again && tick >= heard_last(h->left_inputs))
    end_again(h);
  if (!is_too_large(h))
    return;
  log_warn(h->log, "no history is kept any more: the world has more than 1 MB (--history MB keeps it all the same)");
  forget_all(h);
}

void past_idle(host_o *h) {
  if (h->inputs)
    heard_idle(h->inputs, world_tick(h->game->world) + 1, &h->game->input_before, &h->game->input);
}

// A pause that the script makes in other places than before would hold up what was heard: the host goes on.
static void hear_again(host_o *h, const heard_item_t *x) {
  game_o *g = h->game;
  if (x->idle && !g->paused)
    return;
  if (!x->idle && g->paused) {
    g->paused = false;
    if (h->recorder)
      recorder_host(h->recorder, REPLAY_DO_UNPAUSE);
  }
  g->input = x->before;
  if (x->idle)
    host_idle(h, &x->now);
  else
    host_tick(h, &x->now);
}

// A recording says what was heard, again or not; one that was made up (nobody has seen its ticks) stands for somebody who plays.
bool past_plays(const host_o *h) {
  return h->again && (!h->replay || (h->heard.kind == REPLAY_TICK && !h->heard.seen));
}

void past_play(host_o *h) {
  heard_item_t x;
  uint64_t next = world_tick(h->game->world) + 1;
  bool ticked = false;
  h->paused_frames = 0;
  for (uint32_t i = 0; h->again && !ticked && heard_get(h->left_inputs, next, i, &x); i++) {
    ticked = !x.idle;
    hear_again(h, &x);
  }
  if (!ticked && h->again)
    past_set_again(h, false); // nothing was heard of this tick
}

// --------------------------------------------------------------------------------------------------------------- going back

bool past_rewind(host_o *h, uint64_t ticks) {
  error_t error = {{0}};
  if (!h->history) {
    log_error(h->log, "world.rewind: no history is kept (game.lua's history, or --history MB)");
    return false;
  }
  double began_s = platform_seconds(h->platform);
  uint64_t went = history_back(h->history, h->game->world, ticks, &error);
  log_debug(h->log, "rewind: %llu ticks in %.2f ms", (unsigned long long)went,
            (platform_seconds(h->platform) - began_s) * 1e3);
  if (went == 0) {
    log_warn(h->log, "rewind: %s", error.text);
    toast_add(&h->toasts, TOAST_BAD, "Rewind: %s", error.text);
    return false;
  }
  if (went < ticks)
    log_info(h->log, "rewind: %llu of %llu ticks, for that is all that is known", (unsigned long long)went,
             (unsigned long long)ticks);
  return true;
}

bool past_step_back(host_o *h, uint64_t ticks) {
  if (!past_rewind(h, ticks))
    return false;
  h->branched = true;
  return true;
}

void past_rewind_again(host_o *h, uint64_t ticks) {
  if (!past_step_back(h, ticks))
    return;
  begin_again(h);
}

static void step_forward(host_o *h) {
  error_t error = {{0}};
  if (h->replay)
    record_play(h);
  else if (past_plays(h) && !(h->history && history_has_next(h->history)))
    past_play(h);
  else if (!h->history || !history_has_next(h->history))
    host_tick(h, NULL);
  else if (!history_forward(h->history, h->game->world, &error))
    toast_add(&h->toasts, TOAST_BAD, "Step: %s", error.text);
  else if (h->recorder)
    recorder_forward(h->recorder);
}

static bool step_back(host_o *h) {
  if (h->replay) {
    toast_add(&h->toasts, TOAST_BAD, "A replay goes on only");
    return false;
  }
  if (!past_step_back(h, 1))
    return false;
  if (h->recorder)
    recorder_back(h->recorder, 1);
  return true;
}

void past_frame(host_o *h) {
  input_state_t unheard; // what is pressed meanwhile is for the host
  platform_sample(h->platform, &unheard);
  for (; h->want_steps < 0; h->want_steps++)
    if (!step_back(h))
      h->want_steps = -1;
  for (; h->want_steps > 0 && !h->stopping; h->want_steps--)
    step_forward(h);
}

static void hold(host_o *h, bool on) {
  h->held = on;
  if (on)
    toast_add(&h->toasts, TOAST_PLAIN, "Held: F9 one tick back, F10 one on, F7 on with the same input, F6 on");
  else if (h->again)
    toast_add(&h->toasts, TOAST_PLAIN, "On to tick %llu with the same input",
              (unsigned long long)heard_last(h->left_inputs));
  else
    toast_add(&h->toasts, TOAST_PLAIN, "Goes on");
}

void past_keys(host_o *h, const platform_events_t *events) {
  if (events->hold && h->held)
    past_set_again(h, false);
  if (events->hold)
    hold(h, !h->held);
  if (events->again && !h->replay) {
    past_set_again(h, true);
    hold(h, false);
  }
  if (events->step_back || events->step_forward)
    h->held = true;
  h->want_steps += events->step_forward - events->step_back;
}

void past_print(const host_o *h) {
  if (!h->history)
    return;
  history_stats_t s = history_stats(h->history);
  double adds = s.adds ? (double)s.adds : 1.0;
  printf("stats: history %llu ticks in %.1f MB, %.0f bytes and %.1f us per tick, a state has %.1f KB\n",
         (unsigned long long)s.ticks, (double)s.bytes / 1048576.0, (double)s.added_bytes / adds, s.add_us / adds,
         (double)s.state_bytes / 1024.0);
}

// ------------------------------------------------------------------------------------------------------------- what scripts see

static void tell_facts(void *context, past_facts_t *out) {
  host_o *h = context;
  uint64_t first = 0, last = 0;
  *out = (past_facts_t){.again = h->again};
  if (h->history && history_range(h->history, &first, &last)) {
    out->first = (double)first;
    out->last = (double)last;
  }
  if (h->left && history_range(h->left, &first, &last)) {
    out->left_first = (double)first;
    out->left_last = (double)last;
  }
}

static bool tell_state(void *context, double tick, bool left, snapshot_o *out, error_t *error) {
  host_o *h = context;
  history_o *from = left ? h->left : h->history;
  uint64_t found = 0;
  if (!from)
    return error_set(error, left ? "no other timeline is kept" : "no history is kept");
  const snapshot_o *s = tick >= 0 ? history_peek(from, (uint64_t)tick, &found, error) : NULL;
  if (!s || found != (uint64_t)tick)
    return error_set(error, "tick %.0f is not kept", tick);
  size_t size = 0;
  const void *bytes = snapshot_bytes(s, &size);
  snapshot_set_bytes(out, bytes, size);
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

void past_open_port(host_o *h) {
  h->past_port = (past_port_t){.context = h, .facts = tell_facts, .state = tell_state, .ghosts = choose_ghosts};
}

void past_draw(host_o *h) {
  if (h->options.headless || !h->game || !h->ghosts || !ghosts_wanted(h->ghosts))
    return;
  bool stands = h->held || h->game->paused;
  const heard_o *inputs = h->again ? h->left_inputs : h->history && history_has_next(h->history) ? h->inputs : NULL;
  ghosts_advance(h->ghosts, h->game, inputs, stands ? GHOSTS_HELD_S : GHOSTS_RUNNING_S);
  ghosts_draw(h->ghosts, world_tick(h->game->world), h->draw);
}
