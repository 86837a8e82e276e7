// Runs a tick, followed by its recording, history and checks. A paused game still reads input, so that it can resume.
#include "host/tick.h"

#include "base/limits.h"
#include "host/console.h"
#include "host/failures.h"
#include "host/host_internal.h"
#include "host/script_requests.h"
#include "host/slow_systems.h"
#include "saves/game_saves.h"
#include "ecs/world_hash.h"
#include "ui/ui.h"

#include <math.h>
#include <stdio.h>

#define TABLES_EVERY 60u // number of ticks between two checks of the scripts' tables for state outside the world

static void check_script_tables(host_o *h) {
  script_report_t report;
  bool is_due = h->session.game->desc.check_tables && !h->session.rollback &&
                world_tick(h->session.game->world) % TABLES_EVERY == 0;
  while (is_due && vm_find_changed_table(h->session.game->vm, &report))
    failures_report(h, ERROR_CARD_RUN, &report);
}

void tick_print_hash(const host_o *h) {
  // Prints no hash if the watchdog has stopped the VM, because the hash would depend on the time of the stop.
  if (h->session.game->vm && vm_was_interrupted(h->session.game->vm))
    return;
  printf("tick %llu hash %016llx\n", (unsigned long long)world_tick(h->session.game->world),
         (unsigned long long)world_hash(h->session.game->world));
  fflush(stdout);
}

static void check_watches(host_o *h) {
  const char *query = sql_check_watches(h->session.game->sql, vm_budget_ms(h->session.game->vm, SCRIPT_BUDGET_SYSTEM));
  if (!query)
    return;
  h->session.game->paused = true;
  log_info(h->session.log, "paused at tick %llu: the watched query returned a row: %s",
           (unsigned long long)world_tick(h->session.game->world), query);
  notice_add(&h->session.notices, NOTICE_PLAIN, "Paused: %s", query);
}

bool tick_limit_is_reached(const host_o *h) {
  return h->session.options.has_ticks &&
         world_tick(h->session.game->world) + h->ticks_before_restart >= h->session.options.ticks;
}

static void feed_input(host_o *h, const input_state_t *input) {
  input_state_t sample;
  if (!input) {
    platform_sample_input(h->session.platform, &sample);
    ignored_input_remove_from(&h->rewind.ignored, &sample);
    ui_toggle_actions(h->session.game->ui, &h->session.game->input, &sample);
    input = &sample;
  }
  game_set_input(h->session.game, input);
}

static void check_rollback(host_o *h) {
  if (!h->session.rollback || rollback_check_run(h->session.rollback, h->session.game))
    return;
  h->session.exit_code = 1;
  h->session.stopping = true;
}

void tick_run(host_o *h, const input_state_t *input) {
  time_travel_apply_settings(&h->session);
  feed_input(h, input);
  recording_control_add_results(&h->session, false);
  if (h->session.options.stats)
    stats_begin_tick(&h->stats, h->session.game, platform_seconds(h->session.platform));
  if (h->session.rollback)
    rollback_check_begin(h->session.rollback, h->session.game);
  time_travel_store_tick(&h->session);
  game_run(h->session.game, GAME_TICK, &(game_io_t){.results = timelines_replayed_input(&h->session.time.timelines)});
  console_replay_input(h);
  if (h->session.rollback)
    rollback_check_end(h->session.rollback, h->session.game);
  if (h->session.options.stats)
    stats_end_tick(&h->stats, h->session.game, platform_seconds(h->session.platform));
  time_travel_add_tick(&h->session);
  recording_control_after_tick(&h->session, false);
  if (h->session.options.hash_every && world_tick(h->session.game->world) % h->session.options.hash_every == 0)
    tick_print_hash(h);
  check_watches(h);
  game_saves_autosave_if_due(&h->session);
  check_script_tables(h);
  slow_systems_report(h);
  failures_report_new(h);
  requests_apply(h);
  check_rollback(h);
  h->session.stopping |= tick_limit_is_reached(h);
}

bool tick_uses_clock(const host_o *h) {
  const options_t *o = &h->session.options;
  return (!o->headless || o->own_clock || o->real_time) && !o->every_tick;
}

double tick_get_frame_s(const host_o *h) {
  return tick_uses_clock(h) ? h->clock.frame_s : world_dt_s(h->session.game->world);
}

// Returns the milliseconds since the previous frame, at most 255, for key repeat while the game is paused. Returns 0
// while no control is held, so that all such frames are identical in a recording.
static uint8_t get_paused_ms(const host_o *h) {
  input_binding_t any;
  return input_find_pressed(&(input_state_t){0}, &h->session.game->input, &any)
             ? (uint8_t)fmin(tick_get_frame_s(h) * 1000.0, 255.0)
             : 0;
}

// Runs a frame of a paused game, which reads input but runs no tick.
void tick_run_paused(host_o *h, const input_state_t *input) {
  feed_input(h, input);
  h->session.game->input.paused_ms = input ? input->paused_ms : get_paused_ms(h);
  recording_control_add_results(&h->session, false);
  time_travel_store_tick(&h->session);
  game_run(h->session.game, GAME_FRAME, &(game_io_t){.results = timelines_replayed_input(&h->session.time.timelines)});
  time_travel_add_paused_frame(&h->session);
  recording_control_after_tick(&h->session, true);
  failures_report_new(h);
  requests_apply(h);
  if (h->session.options.headless && h->session.options.cockpit != OPTIONS_COCKPIT_ON &&
      ++h->paused_frames > PAUSED_HEADLESS_S * h->session.game->config.tick_rate) {
    log_error(h->session.log, "the game is paused at tick %llu, and no input can resume it: exiting",
              (unsigned long long)world_tick(h->session.game->world));
    h->session.exit_code = 1;
    h->session.stopping = true;
  }
}
