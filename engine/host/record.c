// Recording what the host tells the game, and playing it again.
#include "host/host_state.h"

#include "base/files.h"
#include "base/hash.h"

#include "ecs/compare.h"

#include <stdio.h>
#include <string.h>

#define STATES_BUDGET_BYTES (16u << 20) // of those that the next one may stand on
#define TOLD_MAX 5u

// ---------------------------------------------------------------------------------------------------------------- recording

static uint64_t hash_of_engine(host_o *h) {
  file_list_t list = {0};
  uint64_t hash = 0;
  if (!file_list(&h->memory, h->places.engine, ".lua", &list, NULL))
    return 0;
  for (uint32_t i = 0; i < list.count; i++) {
    char path[PLACES_PATH_MAX * 2];
    size_t size = 0;
    char *text = file_read(&h->memory, path_join(path, sizeof path, h->places.engine, list.paths[i]), &size, NULL);
    if (!text)
      continue;
    hash = hash_bytes(text, size, hash);
    file_free(&h->memory, text, size);
  }
  file_list_free(&h->memory, &list);
  return hash;
}

static replay_head_t describe(host_o *h) {
  replay_head_t head;
  memset(&head, 0, sizeof head);
  snprintf(head.game, sizeof head.game, "%s", h->game->facts.title);
  head.seed = h->game->desc.seed;
  head.tick_rate = h->game->facts.tick_rate;
  head.game_hash = sources_hash(vm_sources(h->game->vm));
  head.engine_hash = hash_of_engine(h);
  head.history_mb = past_history_mb(h);
  head.undo = h->game->desc.undo;
  head.history_asked = h->replay ? replay_head(h->replay)->history_asked : h->options.has_history;
  return head;
}

// ------------------------------------------------------------------------------------------------------------------ playing

bool record_open(host_o *h, error_t *error) {
  if (!h->options.replay)
    return true;
  h->replay = replay_open(&h->memory, h->options.replay, error);
  return h->replay != NULL;
}

static bool begin_playing(host_o *h, error_t *error) {
  const replay_head_t *then = replay_head(h->replay);
  replay_head_t now = describe(h);
  if (strcmp(then->game, now.game) != 0)
    log_warn(h->log, "replay: it was recorded in %s, and this is %s", then->game, now.game);
  if (then->game_hash != now.game_hash)
    log_warn(h->log, "replay: the game's files are not those that it was recorded with; it may go another way");
  if (then->engine_hash != now.engine_hash)
    log_warn(h->log, "replay: the engine's scripts are not those that it was recorded with; it may go another way");
  const snapshot_o *s = replay_snapshot(h->replay);
  if (!s)
    return true;
  if (!snapshot_restore(s, h->game->world, error))
    return false;
  h->game->paused = replay_began_paused(h->replay);
  past_begin(h);
  return true;
}

bool record_begin(host_o *h, error_t *error) {
  if (!h->game)
    return true;
  if (h->replay && !begin_playing(h, error))
    return false;
  bool recent = !h->options.headless && past_history_mb(h) > 0; // for F12
  if (!h->options.record && (h->replay || !recent))
    return true;
  replay_head_t head = describe(h);
  h->recorder = recorder_create(&h->memory, &head, h->options.record, error);
  if (!h->recorder)
    return false;
  if (h->options.record && !h->history)
    h->states = history_create(&h->memory, STATES_BUDGET_BYTES);
  h->records_states = h->options.record != NULL;
  record_state(h);
  return true;
}

void record_end(host_o *h) {
  recorder_destroy(h->recorder);
  history_destroy(h->states);
  h->recorder = NULL;
  h->states = NULL;
  h->records_states = false;
}

// A large world costs time with every tick: as in past.c, nobody pays that without having asked.
static void stop_recording_states(host_o *h) {
  history_destroy(h->states);
  h->states = NULL;
  h->records_states = false;
  log_warn(h->log,
           "the recording goes on without states: the world is too large (--history MB records them all the same)");
}

void record_state(host_o *h) {
  history_state_t s;
  history_o *from = h->history ? h->history : h->states;
  if (!h->recorder || !h->records_states)
    return;
  if (from && from == h->states)
    history_add(from, h->game->world);
  if (!from || (from == h->states && history_stats(from).state_bytes > PAST_LARGEST_UNASKED_BYTES)) {
    stop_recording_states(h);
    return;
  }
  if (history_get(from, history_count(from) - 1, &s))
    recorder_state(h->recorder, &s);
}

// What the recording has another value of, entity by entity and field by field.
static void say_fields(host_o *h) {
  compare_item_t items[TOLD_MAX];
  char line[COMPARE_LINE_MAX];
  error_t error = {{0}};
  snapshot_o *then = snapshot_create(&h->memory), *now = snapshot_create(&h->memory);
  uint64_t total = UINT64_MAX;
  if (replay_state(h->replay, h->played, then, &error) && snapshot_take(now, h->game->world, &error))
    total = snapshot_compare(then, now, h->game->world, items, TOLD_MAX, &error);
  if (total == UINT64_MAX)
    log_error(h->log, "replay: %s, so that the fields are not known", error.text);
  for (uint32_t i = 0; i < TOLD_MAX && total != UINT64_MAX && i < total; i++)
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
  for (uint32_t id = 1; id <= world_manager_count(w); id++) {
    uint16_t then = id <= h->heard.component_count ? h->heard.components[id - 1] : 0;
    size_t used = strlen(names);
    if (then != replay_component_hash(w, id) && used < sizeof names - 80)
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", world_manager(w, id)->schema.name);
  }
  log_error(h->log, "replay: tick %llu is the first that differs: %s", (unsigned long long)world_tick(w),
            names[0] ? names : "not in a component, but in entities, texts, events, queries or random numbers");
  say_fields(h);
  h->exit_code = 1;
  h->stopping = true;
}

// What is undone can be told before the tick. Without that only what the clock has stopped is: the rest fails again by itself.
static void record_parked(host_o *h) {
  const vm_o *vm = h->game->vm;
  if (h->parked_in != vm)
    h->parked_seen = 0;
  h->parked_in = vm;
  for (; h->parked_seen < vm_parked_count(vm); h->parked_seen++) {
    const vm_parked_t *p = vm_parked(vm, h->parked_seen);
    if (h->recorder && (h->game->desc.undo || p->stopped))
      recorder_park(h->recorder, p->name);
  }
}

void record_heard(host_o *h, bool idle) {
  record_parked(h);
  game_o *g = h->game;
  if (h->recorder && idle)
    recorder_idle(h->recorder, &g->input_before, &g->input, g->world);
  else if (h->recorder)
    recorder_tick(h->recorder, &g->input_before, &g->input, g->world);
  if (!idle)
    record_state(h);
  if (!h->replay || idle || h->heard.kind != REPLAY_TICK)
    return;
  h->played++;
  if (h->heard.seen && (uint32_t)world_hash(g->world) != h->heard.hash)
    say_difference(h);
}

void record_reload(host_o *h) {
  if (h->recorder)
    recorder_other_code(h->recorder);
  record_state(h);
  if (h->recorder && !h->reload_by_script)
    recorder_reload(h->recorder, sources_hash(vm_sources(h->game->vm)));
}

void record_excerpt(host_o *h) {
  char path[64];
  error_t error = {{0}};
  if (!h->game || !h->recorder)
    return;
  snprintf(path, sizeof path, "shoal-%llu.replay", (unsigned long long)world_tick(h->game->world));
  if (recorder_excerpt(h->recorder, h->history, path, &error)) {
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

void record_play(host_o *h) {
  error_t error = {{0}};
  replay_item_t *x = &h->heard;
  for (replay_next(h->replay, x, &error); x->kind == REPLAY_PARK; replay_next(h->replay, x, &error))
    if (!vm_park(h->game->vm, x->piece))
      log_warn(h->log, "replay: %s was parked when it was recorded, and is not there", x->piece);
  switch (x->kind) {
  case REPLAY_TICK:
  case REPLAY_IDLE:
    h->game->input = x->before;
    if (h->game->paused != (x->kind == REPLAY_IDLE))
      play_out_of_step(h);
    else if (x->kind == REPLAY_TICK)
      host_tick(h, &x->input);
    else
      host_idle(h, &x->input);
    break;
  case REPLAY_BACK: past_step_back(h, x->ticks); break;
  case REPLAY_DO:
    if (x->ticks == REPLAY_DO_UNPAUSE)
      h->game->paused = false;
    else
      past_set_again(h, x->ticks == REPLAY_DO_AGAIN);
    break;
  case REPLAY_FORWARD:
    if (h->history)
      history_forward(h->history, h->game->world, &error);
    break;
  case REPLAY_RELOAD:
    if (x->game_hash != sources_hash(vm_sources(h->game->vm)))
      log_warn(h->log, "replay: here the game's files were changed while it was recorded; it may go another way");
    h->want_reload = h->reload_by_script = true;
    break;
  case REPLAY_END:
    log_info(h->log, "replay: %llu ticks, each as it was recorded", (unsigned long long)h->played);
    h->stopping = true;
    break;
  default:
    log_error(h->log, "replay: %s; %llu ticks were as recorded", error.text, (unsigned long long)h->played);
    h->exit_code = 1;
    h->stopping = true;
    break;
  }
}
