// Feeds recorded input to ticks, and steps through the history of a paused session.
#include "host/playback.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "host/console.h"
#include "host/host_internal.h"
#include "host/tick.h"

#define MAX_REPORTED 5u // maximum number of missing systems to log

// Parks the pieces of code that the watchdog stopped in this tick of the abandoned timeline, so that the replay does
// not wait until their budgets are exceeded again. Skips pieces whose code has changed, because different code may stay
// within its budget.
static void park_stopped_pieces(host_o *h, uint64_t tick) {
  vm_o *vm = h->session.game->vm;
  parked_item_t piece;
  for (uint32_t i = 0; input_log_get_parked(h->session.time.timelines.abandoned.inputs, tick, i, &piece); ++i)
    if (piece.stopped && piece.code == sources_hash(vm_sources(vm)))
      vm_park_piece(vm, piece.name, true, NULL);
}

// Replays one item of a timeline. If scripts have paused the game at a tick that was recorded without a pause, resumes
// the game, because the pause would block the recorded input. If the replay starts within a recorded pause, pauses the
// game. Skips all other paused frames while the game runs.
static void replay_input(host_o *h, const logged_input_t *item) {
  game_o *g = h->session.game;
  if (item->paused && h->session.time.timelines.replay_starting)
    g->paused = true;
  if (item->paused && !g->paused)
    return;
  if (!item->paused && g->paused) {
    g->paused = false;
    journal_add_action(h->session.journal, RECORD_RESUME, 0);
  }
  g->input = item->previous_input;
  if (item->paused) {
    tick_run_paused(h, &item->input);
    return;
  }
  park_stopped_pieces(h, world_tick(g->world) + 1);
  tick_run(h, &item->input);
}

void playback_play_input(host_o *h) {
  const timelines_t *timelines = &h->session.time.timelines;
  const input_log_o *log = timelines->abandoned.inputs;
  input_log_reader_t reader;
  logged_input_t item;
  bool has_run = false;
  h->paused_frames = 0;
  if (!timelines->replaying)
    return;
  input_log_begin(&reader, log, world_tick(h->session.game->world) + 1);
  while (input_log_next(&reader, &item)) {
    replay_input(h, &item);
    if (!timelines->replaying || timelines->abandoned.inputs != log) // the replay has ended, or its input has changed
      return;
    has_run |= !item.paused;
  }
  if (!has_run)
    time_travel_set_replaying(&h->session, false); // no input is recorded for this tick
}

static void report_pause_mismatch(host_o *h) {
  log_error(h->session.log, "replay: after tick %llu the game is %s, but was %s in the recording",
            (unsigned long long)world_tick(h->session.game->world), h->session.game->paused ? "paused" : "running",
            h->session.game->paused ? "running" : "paused");
  h->session.exit_code = 1;
  h->session.stopping = true;
}

// Parks a piece that failed in the recorded tick, and reports the recorded failure. Logs up to MAX_REPORTED pieces that
// do not exist in this run.
static void park_piece(host_o *h, const recording_item_t *item) {
  bool is_parked =
      vm_park_piece(h->session.game->vm, item->piece, item->stopped, item->message[0] ? item->message : NULL);
  if (!is_parked && h->session.recording.missing_systems++ < MAX_REPORTED)
    log_warn(h->session.log, "replay: %s was parked in the recording, but does not exist in this run", item->piece);
}

void playback_play_recording(host_o *h) {
  shoal_assert(h->session.recording.replay, "no replay is running");
  error_info_t error = {0};
  recording_item_t *item = &h->session.recording.item;
  for (recording_read_item(h->session.recording.replay, item, &error); item->kind == RECORD_ITEMS;
       recording_read_item(h->session.recording.replay, item, &error)) {
    if (item->result)
      external_queue_recorded(h->session.external, item->result);
    else
      park_piece(h, item);
    external_result_release(item->result);
    if (interrupt_is_pending()) // the next safepoint may be far away
      return;
  }
  external_set_strict(h->session.external, item->kind != RECORD_TICK || item->has_hash);
  switch (item->kind) {
  case RECORD_TICK:
  case RECORD_FRAME:
    h->session.game->input = item->previous_input;
    if (h->session.game->paused != (item->kind == RECORD_FRAME))
      report_pause_mismatch(h);
    else if (item->kind == RECORD_TICK)
      tick_run(h, &item->input);
    else
      tick_run_paused(h, &item->input);
    break;
  case RECORD_BACK: time_travel_rewind(&h->session, item->ticks, true); break;
  case RECORD_RESUME: h->session.game->paused = false; break;
  case RECORD_CONSOLE: console_replay(h); break;
  case RECORD_REPLAY:
  case RECORD_LIVE: time_travel_set_replaying(&h->session, item->kind == RECORD_REPLAY); break;
  case RECORD_FORWARD:
    if (timelines_has_next(&h->session.time.timelines))
      time_travel_step_forward(&h->session, &error);
    break;
  case RECORD_RELOAD:
    if (item->game_hash != sources_hash(vm_sources(h->session.game->vm)))
      log_warn(h->session.log,
               "replay: the recorded game reloaded different code after tick %llu: the replay may diverge",
               (unsigned long long)world_tick(h->session.game->world));
    h->session.reload_requested = h->session.reload_by_script = true;
    break;
  case RECORD_END:
    log_info(h->session.log, "replay: %llu ticks match the recording",
             (unsigned long long)h->session.recording.played_ticks);
    h->session.stopping = true;
    break;
  default:
    log_error(h->session.log, "replay: %s: %s; %llu ticks matched", h->session.options.replay, error.text,
              (unsigned long long)h->session.recording.played_ticks);
    h->session.exit_code = 1;
    h->session.stopping = true;
    break;
  }
}

static void step_forward(host_o *h) {
  error_info_t error = {0};
  if (h->session.recording.replay)
    playback_play_recording(h);
  else if (time_travel_is_replaying(&h->session) && !timelines_has_next(&h->session.time.timelines))
    playback_play_input(h);
  else if (!timelines_has_next(&h->session.time.timelines))
    tick_run(h, NULL);
  else if (!time_travel_step_forward(&h->session, &error))
    notice_add(&h->session.notices, NOTICE_BAD, "Cannot step: %s", error.text);
  else if (h->session.recording.recorder)
    recorder_add_step_forward(h->session.recording.recorder, world_tick(h->session.game->world));
}

static bool step_back(host_o *h) {
  if (h->session.recording.replay) {
    notice_add(&h->session.notices, NOTICE_BAD, "Cannot step back: a replay runs only forward");
    return false;
  }
  if (!time_travel_rewind(&h->session, 1, true))
    return false;
  if (h->session.recording.recorder)
    recorder_add_rewind(h->session.recording.recorder, 1, world_tick(h->session.game->world));
  return true;
}

void playback_run_steps(host_o *h) {
  shoal_assert(h->session.time.session_paused && h->session.game,
               "the game must be loaded and held before it is stepped");
  if (h->session.time.pending_steps != 0)
    scrub_end(&h->session);
  for (; h->session.time.pending_steps < 0; ++h->session.time.pending_steps)
    if (!step_back(h))
      h->session.time.pending_steps = -1;
  for (; h->session.time.pending_steps > 0 && !h->session.stopping; --h->session.time.pending_steps)
    step_forward(h);
}

void playback_toggle_pause(host_o *h) {
  if (h->session.time.session_paused)
    time_travel_set_replaying(&h->session, false);
  time_travel_set_paused(&h->session, !h->session.time.session_paused);
}

void playback_toggle_replay(host_o *h) {
  if (h->session.recording.replay)
    return;
  time_travel_set_replaying(&h->session, true);
  time_travel_set_paused(&h->session, false);
}

void playback_request_steps(host_o *h, int ticks) {
  h->session.time.session_paused = true;
  h->session.time.pending_steps += ticks;
}
