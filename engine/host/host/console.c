// Runs Lua chunks that originate outside the game, records them as external input, and replays them.
#include "host/console.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "base/assert.h"
#include "base/interrupt.h"
#include "host/failures.h"
#include "host/host_internal.h"
#include "host/script_requests.h"

#include <stdio.h>
#include <string.h>

#define CHANGES_MARK '\1' // first byte of a chunk that contains changes of an embedding program instead of Lua

// A chunk to run. If the watchdog stops the chunk, its changes are undone, so that a replay can skip it.
typedef struct console_chunk_t {
  external_kind_t kind;
  const char *text, *name, *key;
} console_chunk_t;

static bool execute_chunk(host_o *h, const console_chunk_t *chunk, char *out, size_t out_bytes,
                          script_report_t *report) {
  game_o *g = h->session.game;
  script_requests_t requests = g->requests;
  snapshot_o *snapshot = snapshot_create(&h->session.memory);
  error_info_t error = {0};
  *report = (script_report_t){.stopped = false};
  bool snapshot_taken = snapshot_take(snapshot, g->world, &error);
  bool is_change_list = chunk->text[0] == CHANGES_MARK;
  bool ok = is_change_list ? changes_apply(g->world, chunk->text + 1)
                           : vm_exec(g->vm, chunk->text, chunk->name, out, out_bytes, report);
  if (is_change_list && !ok)
    snprintf(report->message, sizeof report->message, "%s", access_error_text());
  if (!ok)
    snprintf(report->piece, sizeof report->piece, "%s", chunk->name);
  if (report->stopped && snapshot_taken && snapshot_restore(snapshot, g->world, &error))
    g->requests = requests;
  snapshot_release(snapshot);
  external_add_result(h->session.external, chunk->kind, chunk->key, !report->stopped, chunk->text, strlen(chunk->text));
  requests_apply(h);
  return ok;
}

static void run_exec_chunk(host_o *h, const char *text, uint32_t number) {
  char result[4096] = "", name[32], key[16];
  script_report_t report = {0};
  snprintf(name, sizeof name, "--exec %u", number);
  snprintf(key, sizeof key, "%u", number);
  external_begin_exec_frame(h->session.external, world_tick(h->session.game->world));
  console_chunk_t chunk = {EXTERNAL_EXEC, text, name, key};
  if (!execute_chunk(h, &chunk, result, sizeof result, &report))
    failures_report(h, ERROR_CARD_RUN, &report);
  else if (result[0])
    printf("%s\n", result);
}

static bool is_recorded(host_o *h, const char *text) {
  const external_result_t *result;
  for (uint32_t i = 0; (result = external_get_recorded(h->session.external, EXTERNAL_EXEC, i)) != NULL; ++i)
    if (strcmp((const char *)result->bytes, text) == 0)
      return true;
  return false;
}

// Returns true if the program must exit. Checks for an interrupt, as main does before each frame.
static bool should_exit(host_o *h) {
  h->session.stopping |= interrupt_is_pending();
  return h->session.stopping;
}

// Runs the --exec chunks of the recording, then the --exec chunks of the command line that are not in the recording.
void console_run_options(host_o *h) {
  const external_result_t *recorded;
  uint32_t number = 0;
  bool is_replay = h->session.recording.replay && !recording_snapshot(h->session.recording.replay);
  for (uint32_t i = 0; is_replay && h->session.game && !should_exit(h) &&
                       (recorded = external_get_recorded(h->session.external, EXTERNAL_EXEC, i));
       ++i) {
    external_result_t *chunk =
        external_result_create(recorded->kind, recorded->key, recorded->found, recorded->bytes, recorded->size);
    if (chunk->found)
      run_exec_chunk(h, (const char *)chunk->bytes, ++number);
    else
      external_add_result(h->session.external, chunk->kind, chunk->key, false, chunk->bytes, chunk->size);
    external_result_release(chunk);
  }
  for (uint32_t i = 0; i < h->session.options.exec_count && h->session.game && !should_exit(h); ++i)
    if (!is_recorded(h, h->session.options.exec[i]))
      run_exec_chunk(h, h->session.options.exec[i], ++number);
  fflush(stdout);
}

// --- tools

// Runs a chunk between two ticks. Afterwards, the world differs from the recorded timeline and from the ticks stored
// for --check-rollback.
static bool run_between_ticks(host_o *h, const char *text, const char *key, char *out, size_t out_bytes,
                              script_report_t *report) {
  console_chunk_t chunk = {EXTERNAL_CONSOLE, text, "console", key};
  time_travel_store_snapshot(&h->session);
  time_travel_on_edit(&h->session);
  rollback_check_clear(h->session.rollback);
  external_begin_exec_frame(h->session.external, world_tick(h->session.game->world));
  bool ok = execute_chunk(h, &chunk, out, out_bytes, report);
  if (h->session.game)
    time_travel_on_edit(&h->session);
  recording_control_add_results(&h->session, false);
  return ok;
}

// Writes the key of the next chunk. The chunks that follow a tick are numbered from 0, so that a replay of the tick
// finds them.
static const char *format_next_key(const host_o *h, char *out, size_t bytes) {
  uint64_t tick = world_tick(h->session.game->world);
  external_result_t *result = NULL;
  for (uint32_t i = 0;; ++i) {
    snprintf(out, bytes, "%u", i);
    result = h->session.time.timelines.current.inputs
                 ? input_log_find_result(h->session.time.timelines.current.inputs, tick, EXTERNAL_CONSOLE, out)
                 : NULL;
    if (!result)
      return out;
    external_result_release(result);
  }
}

bool console_run(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report) {
  char key[16];
  *report = (script_report_t){.stopped = false};
  out[0] = '\0';
  if (!h->session.game || h->session.recording.replay) {
    snprintf(report->message, sizeof report->message, "%s",
             h->session.game ? "cannot change the world during a replay"
                             : "the game could not start: fix the errors in the game's files");
    return false;
  }
  bool ok = run_between_ticks(h, text, format_next_key(h, key, sizeof key), out, out_bytes, report);
  if (h->session.journal)
    journal_add_action(h->session.journal, RECORD_CONSOLE, 0);
  recording_control_add_snapshot(&h->session);
  return ok;
}

void console_store_state(host_o *h) {
  time_travel_store_snapshot(&h->session);
}

void console_begin_change(host_o *h) {
  time_travel_on_edit(&h->session);
  rollback_check_clear(h->session.rollback);
  external_begin_exec_frame(h->session.external, world_tick(h->session.game->world));
}

void console_end_change(host_o *h, const char *changes) {
  char key[16], mark = CHANGES_MARK;
  allocator_t *memory = &h->session.memory;
  size_t bytes = changes ? strlen(changes) + 1 : 0;
  if (changes) {
    char *chunk = alloc_resize(memory, NULL, 0, bytes + 1);
    chunk[0] = mark;
    memcpy(chunk + 1, changes, bytes);
    external_add_result(h->session.external, EXTERNAL_CONSOLE, format_next_key(h, key, sizeof key), true, chunk, bytes);
    alloc_resize(memory, chunk, bytes + 1, 0);
  }
  time_travel_on_edit(&h->session);
  recording_control_add_results(&h->session, false);
  if (changes && h->session.journal)
    journal_add_action(h->session.journal, RECORD_CONSOLE, 0);
  recording_control_add_snapshot(&h->session);
}

void console_replay(host_o *h) {
  char output[16];
  script_report_t report;
  external_result_t *result = external_pop_recorded(h->session.external, EXTERNAL_CONSOLE);
  if (result && result->found)
    run_between_ticks(h, (const char *)result->bytes, result->key, output, sizeof output, &report);
  external_result_release(result);
  recording_control_add_snapshot(&h->session);
}

void console_replay_input(host_o *h) {
  const input_log_o *log = timelines_replayed_input(&h->session.time.timelines);
  char key[16], output[16];
  script_report_t report;
  external_result_t *result = NULL;
  for (uint32_t i = 0; log && h->session.game; ++i) {
    snprintf(key, sizeof key, "%u", i);
    result = input_log_find_result(log, world_tick(h->session.game->world), EXTERNAL_CONSOLE, key);
    if (!result)
      return;
    console_chunk_t chunk = {EXTERNAL_CONSOLE, (const char *)result->bytes, "console", key};
    if (result->found)
      execute_chunk(h, &chunk, output, sizeof output, &report);
    external_result_release(result);
  }
}
