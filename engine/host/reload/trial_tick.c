// Runs a tick in a forked child, and receives its reports and exit status. In the task of a trial, runs it directly.
#include "reload/trial_tick.h"

#include "base/assert.h"
#include "base/pages.h"
#include "game/players.h"
#include "process/child.h"
#include "process/signals.h"
#include "process/threads.h"
#include "watchdog/watchdog.h"

#include <stdio.h>
#include <string.h>

// Message from the child to the parent, sent as raw bytes because both run the same program.
typedef struct message_t {
  bool is_last;
  script_report_t report;
  char not_run[TRIAL_NOT_RUN_BYTES]; // list of systems; set if `is_last`
} message_t;

typedef struct trial_run_t {
  game_o *game;
  snapshot_o *snapshot; // snapshot of the game's world, if the child must reopen the plugins; otherwise NULL
  char *running_system; // name of the running system, in memory shared by both processes
  trial_t *out;
} trial_run_t;

// --- the tick

typedef void (*on_report_t)(void *context, const script_report_t *report);

static void pass_on_reports(game_o *g, on_report_t on_report, void *context) {
  script_report_t report;
  while (game_pop_reports(g, &report, 1))
    // Errors caused by refused external calls are not reported, because the calls fail only in the trial.
    if (!plugins_called_external(g->plugins))
      on_report(context, &report);
}

// Runs and draws a tick. `running_system`: receives the name of the running system.
static void run_tick(game_o *g, char *running_system, const input_state_t *devices, on_report_t on_report,
                     void *context) {
  input_state_t input = *devices;
  script_report_t report;
  while (game_pop_reports(g, &report, 1)) // discards reports of earlier ticks
    ;
  schedule_set_running_name(g->schedule, running_system, GAME_SYSTEM_NAME_BYTES);
  players_hold(&input); // controls that are held down remain held
  game_run(g, GAME_TICK, &(game_io_t){.devices = &input});
  pass_on_reports(g, on_report, context);
  draw_clear(g->desc.draw);
  game_render(g, (float)world_dt_s(g->world));
  pass_on_reports(g, on_report, context);
}

static void add_report(void *context, const script_report_t *report) {
  trial_t *out = context;
  if (out->report_count < TRIAL_MAX_REPORTS)
    out->reports[out->report_count++] = *report;
}

// Runs the tick in this process, which is the task of a trial.
static void run_tick_here(game_o *g, trial_t *out) {
  run_tick(g, g->desc.trial_system, &g->input, add_report, out);
  vm_list_systems_not_run(g->vm, out->not_run, sizeof out->not_run);
  out->has_run = out->completed = true;
}

// --- child process

static void send_report(void *context, const script_report_t *report) {
  message_t message;
  memset(&message, 0, sizeof message);
  message.report = *report;
  child_write(*(const int *)context, &message, sizeof message);
}

// Creates the same game with newly opened plugins, because the plugins' threads do not exist in the child. Returns the
// game, or NULL on failure.
static game_o *create_game_with_reopened_plugins(const trial_run_t *run) {
  game_o *source = run->game;
  game_desc_t desc = source->desc;
  script_report_t report;
  world_migrate_counts_t counts = {0};
  desc.old_plugins = source->plugins;
  desc.reuse_libraries = desc.in_fork = true;
  game_o *g = game_create(&desc, true, &report);
  return g && game_migrate_from(g, source, &(game_migrate_desc_t){.snapshot = run->snapshot}, &counts, &report) ? g
                                                                                                                : NULL;
}

static void run_tick_in_child(void *context, int pipe) {
  const trial_run_t *run = context;
  message_t message;
  audio_mute(run->game->desc.audio, true);
  watchdog_reset_after_fork();
  jobs_reset_after_fork(run->game->desc.jobs);
  if (run->game->desc.external)
    external_set_isolated(run->game->desc.external);
  game_o *g = run->snapshot ? create_game_with_reopened_plugins(run) : run->game;
  if (g)
    plugins_mark_forked(g->plugins);
  memset(&message, 0, sizeof message);
  message.is_last = true;
  if (!g) {
    child_write(pipe, &message, sizeof message);
    return;
  }
  run_tick(g, run->running_system, &run->game->input, send_report, &pipe);
  vm_list_systems_not_run(g->vm, message.not_run, sizeof message.not_run);
  child_write(pipe, &message, sizeof message);
}

// --- parent process

static void describe_crash(const child_t *child, int signal_number, script_report_t *out) {
  snprintf(out->message, sizeof out->message, "%s crashed on its trial tick (%s)%s%s", out->piece,
           signals_name(signal_number), child->crash_location[0] ? " in " : "", child->crash_location);
}

void trial_describe_lost_child(const game_o *g, const child_t *child, const char *system, script_report_t *out) {
  int signal_number = 0;
  bool in_system = system[0] != '\0';
  *out = (script_report_t){.tick = world_tick(g->world)};
  snprintf(out->piece, sizeof out->piece, in_system ? "system %s" : "the new version of the game", system);
  if (child->late)
    snprintf(out->message, sizeof out->message,
             "%s did not finish its trial tick within %u ms: look for an endless loop", out->piece, child->limit_ms);
  else if (child_has_crashed(child, &signal_number))
    describe_crash(child, signal_number, out);
  else
    snprintf(out->message, sizeof out->message,
             "%s exited the program on its trial tick (exit code %d): do not call exit()", out->piece,
             child_exit_code(child));
  if (in_system)
    vm_system_file(g->vm, system, out->file, sizeof out->file);
}

static void wait_for_child(const trial_run_t *run, child_t *child) {
  message_t message;
  trial_t *out = run->out;
  while (!out->completed && child_read(child, &message, sizeof message)) {
    out->completed = message.is_last;
    if (message.is_last)
      memcpy(out->not_run, message.not_run, sizeof out->not_run);
    if (!message.is_last)
      add_report(out, &message.report);
  }
  child_end(child);
  out->has_run = !child->interrupted;
  if (out->completed)
    return;
  snprintf(out->system, sizeof out->system, "%s", run->running_system);
  trial_describe_lost_child(run->game, child, run->running_system, &out->crash_report);
}

// Returns true if plugins are open and the process has threads besides the host's workers. Such threads may belong to a
// plugin. They do not exist in a child process, where the locks that they hold stay locked.
static bool has_other_threads(const game_o *g) {
  if (!plugins_are_open(g->plugins))
    return false;
  uint32_t count = threads_count();
  return count == 0 || count > (g->desc.jobs ? jobs_worker_count(g->desc.jobs) : 1);
}

void trial_run_tick(game_o *g, uint32_t limit_ms, trial_t *out) {
  shoal_assert(limit_ms > 0, "limit_ms must not be 0");
  shoal_assert(!world_is_deferring(g->world), "cannot run a trial tick while a system runs");
  trial_run_t run = {.game = g, .out = out};
  child_t child;
  error_info_t error;
  memset(out, 0, sizeof *out);
  if (g->desc.trial_system) {
    run_tick_here(g, out);
    return;
  }
  if (!plugins_stop_threads(&error)) {
    log_warn(g->desc.log, "skipped the trial tick: %s", error.text);
    return;
  }
  void *shared = pages_map_shared(GAME_SYSTEM_NAME_BYTES);
  if (!shared)
    return;
  run.running_system = shared;
  if (has_other_threads(g)) {
    run.snapshot = snapshot_create(&g->memory);
    if (!snapshot_take(run.snapshot, g->world, NULL))
      log_warn(g->desc.log, "skipped the trial tick: cannot take a snapshot of the world");
    else if (child_begin(&child, limit_ms, run_tick_in_child, &run))
      wait_for_child(&run, &child);
    snapshot_release(run.snapshot);
  } else if (child_begin(&child, limit_ms, run_tick_in_child, &run)) {
    wait_for_child(&run, &child);
  }
  pages_release(shared, GAME_SYSTEM_NAME_BYTES);
}
