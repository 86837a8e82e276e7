// Recording what the host tells the game, and playing it again.
#include "host/host_internal.h"

#include "base/assert.h"
#include "base/exact_math.h"
#include "script/watchdog.h"
#include "start/package.h"
#include "state/compare.h"
#include "state/world_hash.h"

#include <stdio.h>
#include <string.h>

#define STATES_BUDGET_BYTES (16u << 20) // of those that the next one may stand on
#define TOLD_MAX 5u

// ----------------------------------------------------------------------------------------------------------- recording

// A package's lies in an archive with a checksum, and is known.
static uint64_t hash_of_engine(const host_o *h) {
  return h->options.package ? h->options.package->engine_hash : sources_hash_of_engine(h->places.engine);
}

static recording_head_t describe(host_o *h) {
  shoal_assert(h->game, "a recording of no game");
  recording_head_t head;
  memset(&head, 0, sizeof head);
  snprintf(head.game, sizeof head.game, "%s", h->game->facts.title);
  head.seed = h->game->desc.seed;
  head.tick_rate = h->game->facts.tick_rate;
  head.game_hash = sources_hash(vm_sources(h->game->vm));
  head.engine_hash = hash_of_engine(h);
  head.history_mb = time_travel_history_mb(h);
  head.undo = h->game->desc.undo;
  head.memory_mb = h->game->desc.block_mb;
  head.accept_edits = host_accepts_edits(h);
  snprintf(head.arithmetic, sizeof head.arithmetic, "%s", exact_math_id());
  head.history_asked = h->replay ? recording_head(h->replay)->history_asked : h->options.has_history;
  return head;
}

// ------------------------------------------------------------------------------------------------------------- playing

bool recording_control_open(host_o *h, error_t *error) {
  shoal_assert(!h->game && !h->replay, "a recording is opened before there is a game");
  if (!h->options.replay)
    return true;
  h->replay = recording_open(&h->memory, h->options.replay, error);
  if (!h->replay)
    return false;
  const char *arithmetic = recording_head(h->replay)->arithmetic;
  if (arithmetic[0] && strcmp(arithmetic, exact_math_id()) != 0)
    return error_set(
        error,
        "%.300s was recorded with the arithmetic %s, and this program computes with %s: other bits come out, so "
        "it cannot be played here",
        h->options.replay, arithmetic, exact_math_id());
  uint32_t memory_mb = recording_head(h->replay)->memory_mb;
  if (memory_mb > (h->options.memory_mb ? h->options.memory_mb : SCRIPT_MEMORY_MB))
    return error_set(error, "%.300s was recorded with --memory %u: say so here too", h->options.replay, memory_mb);
  outside_set_replay(h->outside, h->replay);
  outside_set_strict(h->outside, recording_is_lived(h->replay));
  return true;
}

// A budget is time, and how much memory scripts take depends on when the collector runs: what was stopped stands in
// the recording, and nothing else is.
bool recording_control_decides_stops(const host_o *h) {
  return h->replay && recording_is_lived(h->replay);
}

static bool begin_playing(host_o *h, error_t *error) {
  const recording_head_t *then = recording_head(h->replay);
  recording_head_t now = describe(h);
  if (strcmp(then->game, now.game) != 0)
    log_warn(h->log, "replay: it was recorded in %s, and this is %s", then->game, now.game);
  if (then->game_hash != now.game_hash)
    log_warn(h->log, "replay: the game's files are not those that it was recorded with; it may go another way");
  if (then->engine_hash != now.engine_hash)
    log_warn(h->log, "replay: the engine's scripts are not those that it was recorded with; it may go another way");
  const snapshot_o *s = recording_snapshot(h->replay);
  if (!s)
    return true;
  error_t why = {0};
  if (!snapshot_restore(s, h->game->world, &why))
    return error_set(error, "%.300s: %.700s", h->options.replay, why.text);
  h->game->paused = recording_began_paused(h->replay);
  time_travel_begin(h);
  return true;
}

bool recording_control_begin(host_o *h, error_t *error) {
  shoal_assert(!h->recorder, "a recording begins before the one before has ended");
  if (!h->game)
    return true;
  if (h->replay && !begin_playing(h, error))
    return false;
  bool recent = !h->options.headless && time_travel_history_mb(h) > 0; // for F12
  const char *path = h->recorded ? NULL : h->options.record;           // one file has one game
  if (!path && (h->replay || !recent))
    return true;
  recording_head_t head = describe(h);
  h->recorder = recorder_create(&h->memory, &head, path, error);
  if (!h->recorder)
    return false;
  recorder_parked(h->recorder, &h->game->parked);
  h->recorded |= path != NULL;
  if (path && !h->past.here.states)
    h->states = history_create(&h->memory, STATES_BUDGET_BYTES);
  h->records_states = path != NULL;
  recording_control_outside(h, true);
  recording_control_state(h);
  return true;
}

void recording_control_end(host_o *h) {
  recorder_destroy(h->recorder);
  history_destroy(h->states);
  h->recorder = NULL;
  h->states = NULL;
  h->records_states = false;
}

// The states of a large world make a large file, and here nothing goes on before they are packed: they are recorded
// when somebody asks for them. By size and not by time, so that every run does the same.
#define LARGEST_UNASKED_BYTES (1u << 20)

static void stop_recording_states(host_o *h) {
  history_destroy(h->states);
  h->states = NULL;
  h->records_states = false;
  log_warn(h->log,
           "the recording goes on without states: the world is too large (--history MB records them all the same)");
}

void recording_control_state(host_o *h) {
  history_state_t s;
  history_o *from = h->past.here.states ? h->past.here.states : h->states;
  if (!h->recorder || !h->records_states)
    return;
  if (from && from == h->states)
    history_add(from, h->game->world);
  else
    time_travel_keep(h);
  bool asked = h->replay ? recording_head(h->replay)->history_asked : h->options.has_history;
  if (!from || (!asked && history_stats(from).state_bytes > LARGEST_UNASKED_BYTES)) {
    stop_recording_states(h);
    return;
  }
  if (history_get(from, history_count(from) - 1, &s))
    recorder_state(h->recorder, &s);
}

// The world as it was recorded is about as large as the world is; a few bytes of a recording can stand for far more.
static uint32_t largest_state(const snapshot_o *now) {
  uint64_t bytes = (uint64_t)snapshot_size(now) * 16 + (2u << 20);
  return bytes < (1u << 28) ? (uint32_t)bytes : 1u << 28;
}

// What the recording has another value of, entity by entity and field by field.
static void say_fields(host_o *h) {
  compare_item_t items[TOLD_MAX];
  char line[COMPARE_LINE_MAX];
  error_t error = {0};
  snapshot_o *then = snapshot_create(&h->memory), *now = snapshot_create(&h->memory);
  uint64_t total = UINT64_MAX;
  if (snapshot_take(now, h->game->world, &error) &&
      recording_state(h->replay, h->played, largest_state(now), then, &error))
    total = snapshot_compare(then, now, h->game->world, items, TOLD_MAX, &error);
  if (total == UINT64_MAX)
    log_error(h->log, "replay: %s, so that the fields are not known", error.text);
  for (uint32_t i = 0; i < TOLD_MAX && total != UINT64_MAX && i < total; ++i)
    log_error(h->log, "replay: recorded and now: %s", compare_line(&items[i], line));
  if (total != UINT64_MAX && total > TOLD_MAX)
    log_error(h->log, "replay: and %llu more", (unsigned long long)(total - TOLD_MAX));
  snapshot_release(then);
  snapshot_release(now);
}

// The first tick that is another one: which components are, as far as their hashes tell, and what in them.
static void say_difference(host_o *h) {
  char names[512] = "";
  world_o *w = h->game->world;
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    uint16_t then = id <= h->heard.component_count ? h->heard.components[id - 1] : 0;
    size_t used = strlen(names);
    if (then != recording_component_hash(w, id) && used < sizeof names - 80)
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", world_manager(w, id)->schema.name);
  }
  log_error(h->log, "replay: tick %llu is the first that differs: %s", (unsigned long long)world_tick(w),
            names[0] ? names : "not in a component, but in entities, texts, events, queries or random numbers");
  say_fields(h);
  h->exit_code = 1;
  h->stopping = true;
}

// What was read from outside since the last call, for the recording and for whoever lives the tick again. `start`:
// while code was loaded.
void recording_control_outside(host_o *h, bool start) {
  uint64_t tick = 0;
  for (outside_answer_t *a; (a = outside_take(h->outside, &tick)) != NULL;) {
    if (h->recorder)
      recorder_outside(h->recorder, a, start);
    if (h->past.here.inputs)
      input_log_read(h->past.here.inputs, tick, a);
    if (h->rollback)
      rollback_read(h->rollback, tick, a);
  }
}

static void say_missing(host_o *h) {
  error_t error;
  if (!outside_take_missing(h->outside, &error))
    return;
  log_error(h->log, "replay: %s; it goes another way here", error.text);
  h->exit_code = 1;
  h->stopping = true;
}

void recording_control_heard(host_o *h, bool idle) {
  recording_control_outside(h, false);
  say_missing(h);
  game_o *g = h->game;
  if (h->recorder && idle)
    recorder_idle(h->recorder, &g->input_before, &g->input, g->world);
  else if (h->recorder)
    recorder_tick(h->recorder, &g->input_before, &g->input, g->world);
  if (!idle)
    recording_control_state(h);
  if (!h->replay || idle || h->heard.kind != RECORDING_TICK)
    return;
  h->played++;
  if (h->heard.seen && (uint32_t)world_hash(g->world) != h->heard.hash)
    say_difference(h);
}

void recording_control_reload(host_o *h) {
  recording_control_outside(h, true);
  if (h->recorder)
    recorder_parked(h->recorder, &h->game->parked);
  recording_control_state(h);
  if (h->recorder && !h->reload_by_script)
    recorder_reload(h->recorder, sources_hash(vm_sources(h->game->vm)));
}

bool recording_control_write(host_o *h, const char *path, error_t *error) {
  shoal_assert(h->game && h->recorder, "%s: nothing is recorded", path);
  time_travel_keep(h);
  snapshot_o *now = snapshot_create(&h->memory);
  bool fine =
      snapshot_take(now, h->game->world, error) && recorder_excerpt(h->recorder, h->past.here.states, now, path, error);
  snapshot_release(now);
  return fine;
}

void recording_control_excerpt(host_o *h) {
  char path[64];
  error_t error = {0};
  if (!h->game || !h->recorder)
    return;
  snprintf(path, sizeof path, "shoal-%llu.replay", (unsigned long long)world_tick(h->game->world));
  if (recording_control_write(h, path, &error)) {
    log_info(h->log, "the last seconds are in %s; --replay %s plays them", path, path);
    toast_add(&h->toasts, TOAST_PLAIN, "Saved %s", path);
  } else {
    log_error(h->log, "%s: %s", path, error.text);
    toast_add(&h->toasts, TOAST_BAD, "No recording: %s", error.text);
  }
}

static void play_out_of_step(host_o *h) {
  log_error(h->log, "replay: after tick %llu the game %s, and was %s when it was recorded",
            (unsigned long long)world_tick(h->game->world), h->game->paused ? "is paused" : "goes on",
            h->game->paused ? "not" : "paused");
  h->exit_code = 1;
  h->stopping = true;
}

// With every second of the recording the parked pieces are told again.
static void park(host_o *h, const char *piece) {
  if (!vm_park(h->game->vm, piece) && h->not_parked++ < TOLD_MAX)
    log_warn(h->log, "replay: %s was parked when it was recorded, and is not there", piece);
}

void recording_control_play(host_o *h) {
  shoal_assert(h->replay, "nothing is played");
  error_t error = {0};
  recording_item_t *x = &h->heard;
  for (recording_next(h->replay, x, &error); x->kind == RECORDING_PARK || x->kind == RECORDING_OUTSIDE;
       recording_next(h->replay, x, &error)) {
    if (x->kind == RECORDING_PARK)
      park(h, x->piece);
    if (x->kind == RECORDING_OUTSIDE) {
      outside_put(h->outside, x->answer);
      outside_release(x->answer);
    }
    if (watchdog_is_stopping()) // the next one may be far
      return;
  }
  outside_set_strict(h->outside, x->kind != RECORDING_TICK || x->seen);
  switch (x->kind) {
  case RECORDING_TICK:
  case RECORDING_IDLE:
    h->game->input = x->before;
    if (h->game->paused != (x->kind == RECORDING_IDLE))
      play_out_of_step(h);
    else if (x->kind == RECORDING_TICK)
      host_tick(h, &x->input);
    else
      host_idle(h, &x->input);
    break;
  case RECORDING_BACK: time_travel_step_back(h, x->ticks); break;
  case RECORDING_DO:
    if (x->ticks == RECORDING_DO_UNPAUSE)
      h->game->paused = false;
    else if (x->ticks == RECORDING_DO_CONSOLE)
      host_console_recorded(h);
    else
      time_travel_set_again(h, x->ticks == RECORDING_DO_AGAIN);
    break;
  case RECORDING_FORWARD:
    if (timelines_has_next(&h->past))
      timelines_forward(&h->past, h->game->world, &error);
    break;
  case RECORDING_RELOAD:
    if (x->game_hash != sources_hash(vm_sources(h->game->vm)))
      log_warn(h->log, "replay: here the game's files were changed while it was recorded; it may go another way");
    h->want_reload = h->reload_by_script = true;
    break;
  case RECORDING_END:
    log_info(h->log, "replay: %llu ticks, each as it was recorded", (unsigned long long)h->played);
    h->stopping = true;
    break;
  default:
    log_error(h->log, "replay: %s: %s; %llu ticks were as recorded", h->options.replay, error.text,
              (unsigned long long)h->played);
    h->exit_code = 1;
    h->stopping = true;
    break;
  }
}
