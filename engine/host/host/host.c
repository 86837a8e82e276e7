// Creates and destroys the host, and runs its frames: events, pending reloads, due ticks, render phase, presentation.
#include "host/host.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/system_random.h"
#include "host/after_crash.h"
#include "host/console.h"
#include "host/failures.h"
#include "host/game_switch.h"
#include "host/host_internal.h"
#include "host/keys.h"
#include "host/match_play.h"
#include "host/playback.h"
#include "host/player_reports.h"
#include "host/pointer.h"
#include "host/rewind_keys.h"
#include "host/tick.h"
#include "host/window.h"
#include "native/loop.h"
#include "overlay/bar_edge.h"
#include "process/threads.h"
#include "saves/game_saves.h"
#include "saves/resume.h"
#include "script/garbage.h"
#include "ui/state.h"
#include "ui/ui.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t choose_workers(const options_t *o) {
  uint32_t cores = threads_count_cores();
  return o->workers ? o->workers : cores < WORKERS_DEFAULT ? cores : WORKERS_DEFAULT;
}

host_o *host_create(const options_t *options, error_info_t *error) {
  shoal_assert(options, "options is NULL");
  allocator_t memory = {0};
  host_o *h = alloc_resize(&memory, NULL, 0, sizeof *h);
  memset(h, 0, sizeof *h);
  h->session.memory = memory;
  h->session.options = *options;
  if (options_start_match(options))
    options_disable_history(&h->session.options);
  h->debug_level = options->debug_draw ? DEBUG_DRAW_NAMES : DEBUG_DRAW_NONE;
  h->session.log = log_create(options->log_level);
  log_set_terminal(h->session.log, !options->no_terminal);
  if (options_run_room(options) && options->has_beat_fd) // the rooms of a world share the supervisor's streams
    log_set_label(h->session.log, options->room);
  log_set_listener(h->session.log, options->listener, options->listener_context);
  if ((options->log_file && !log_open_file(h->session.log, options->log_file, error)) ||
      !(options->root ? paths_use_root(&h->session.paths, options->root, error)
                      : paths_find_installation(&h->session.paths, options->program, error)) ||
      !resume_read_report(&h->session, error) || !game_switch_choose_game(h, error)) {
    host_destroy(h);
    return NULL;
  }
  h->session.assets.requests = &h->asset_requests;
  h->session.assets.addons = &h->asset_addons;
  h->session.assets.checks = &h->asset_checks;
  system_random(&h->asset_checks.seed, sizeof h->asset_checks.seed); // the seed remains 0 if this fails
  snprintf(h->session.assets.engine, sizeof h->session.assets.engine, "%s", h->session.paths.assets);
  h->jobs = jobs_create(&h->session.memory, choose_workers(options));
  h->session.external = external_create(&h->session.memory);
  h->session.draw = draw_create();
  h->maps = maps_create(&h->session.assets, h->session.log);
  h->audio = audio_create(options->headless, &h->session.assets, h->session.log);
  h->sounds = sound_sync_create(h->session.log);
  h->preload = preload_create(options->headless);
  if (options->check_rollback > 0)
    h->session.rollback = rollback_check_create(&h->session.memory, h->session.log, options->check_rollback);
  if (!options->headless)
    h->lan_list = lan_list_create();
  if (options_use_temporary_saves(options))
    h->session.temporary_saves = temporary_saves_create(&h->session.memory);
  clock_init(&h->clock, 60);
  if (!recording_control_open(&h->session, error) || !game_switch_load_first_game(h, error) ||
      !game_saves_load_initial(&h->session, error)) {
    host_destroy(h);
    return NULL;
  }
  after_crash_show_card(h);
  if (options->types && h->session.game && !vm_write_types(h->session.game->vm, options->types, error)) {
    host_destroy(h);
    return NULL;
  }
  console_run_options(h);
  if (!recording_control_begin(&h->session, error) || !match_play_begin(h, error)) {
    host_destroy(h);
    return NULL;
  }
  return h;
}

void host_destroy(host_o *h) {
  if (!h)
    return;
  background_trial_abandon(&h->trial);
  match_play_end(h);
  excerpts_end(&h->session);
  recording_control_end(&h->session);
  time_travel_end(&h->session);
  ghosts_destroy(h->session.time.ghosts);
  game_saves_end_autosave(&h->session);
  rollback_check_destroy(h->session.rollback);
  game_destroy(h->session.game);
  temporary_saves_destroy(h->session.temporary_saves);
  external_destroy(h->session.external);
  recording_close(h->session.recording.replay);
  lan_list_destroy(h->lan_list);
  file_watch_destroy(h->watch);
  sound_sync_destroy(h->sounds);
  preload_destroy(h->preload);
  refused_changes_clear(&h->refused, &h->session.memory);
  if (h->session.render)
    render_destroy(h->session.render);
  if (h->audio)
    audio_destroy(h->audio);
  maps_destroy(h->maps);
  if (h->session.platform)
    platform_destroy(h->session.platform);
  if (h->session.draw)
    draw_destroy(h->session.draw);
  jobs_destroy(h->jobs);
  log_destroy(h->session.log);
  array_free(&h->session.memory, &h->slow_systems);
  allocator_t memory = h->session.memory;
  alloc_resize(&memory, h, sizeof *h, 0);
  shoal_assert(memory.bytes == 0, "the host leaked %zu bytes", memory.bytes);
}

void host_handle_event(host_o *h, const void *event) {
  platform_handle_event(h->session.platform, event);
}

void host_set_clock(host_o *h, double now_s) {
  shoal_assert(h->session.options.own_clock, "options.own_clock is not set");
  shoal_assert(now_s >= h->clock_s, "the clock went backwards from %g s to %g s", h->clock_s, now_s);
  h->clock_s = now_s;
}

void host_set_viewport(host_o *h, int x, int y, int width, int height) {
  platform_set_viewport(h->session.platform, x, y, width, height);
}

world_o *host_world(host_o *h) {
  return h->session.game ? h->session.game->world : NULL;
}

void host_stop(host_o *h) {
  h->session.stopping = true;
}

int host_exit_code(const host_o *h) {
  return h->session.exit_code;
}

// --- the frame

static void pump_events(host_o *h) {
  platform_events_t events = {0};
  h->frame_start_s = h->session.options.own_clock ? h->clock_s : platform_seconds(h->session.platform);
  platform_pump_events(h->session.platform, &events);
  if (events.quit > 0)
    window_request_close(h, events.quit);
  keys_run_actions(h, &events);
  window_update_hold(h, &events);
  h->session.stopping |= h->close_requested && !window_can_refuse_close(h);
}

// Runs the statements of --sql one by one, so that each statement sees the changes made by the previous statements.
// Stops at the first error.
static void run_sql_queries(host_o *h) {
  const char *text = h->session.options.sql;
  for (size_t remaining = strlen(text); remaining > 0;) {
    error_info_t error;
    sql_result_t result;
    sql_run_desc_t desc = {
        .text = text, .text_bytes = remaining, .allow_multiple = true, .allow_writes = true, .allow_measured = true};
    if (!sql_run_statement(h->session.game->sql, &desc, &result, &error)) {
      log_error(h->session.log, "sql: %s", error.text);
      h->session.exit_code = 2;
      return;
    }
    sql_print_result(&result, stdout);
    shoal_assert(result.next_statement > text, "the parser consumed no text: %.60s", text);
    text = result.next_statement + strspn(result.next_statement, " \t\r\n;");
    remaining = strlen(text);
    sql_result_fini(&result);
  }
}

static bool is_screenshot_due(const host_o *h) {
  if (!h->session.options.screenshot || h->screenshot_saved)
    return false;
  return h->session.stopping || (h->session.options.has_screenshot_at && h->session.game &&
                                 world_tick(h->session.game->world) >= h->session.options.screenshot_at);
}

static bool is_interrupted(const host_o *h) {
  return h->session.stopping || h->session.time.session_paused ||
         (h->session.game->paused && !time_travel_is_replaying(&h->session)) || h->requested_game[0] ||
         h->restart_requested || h->session.reload_requested || is_screenshot_due(h);
}

static void run_due_ticks(host_o *h) {
  if (!h->session.game) {
    clock_skip(&h->clock, h->frame_start_s);
    h->session.stopping |= h->session.options.has_ticks; // without a game, no tick would ever be simulated
    return;
  }
  h->session.stopping |= !h->match && tick_limit_is_reached(h);
  if (h->session.stopping)
    return;
  if (h->match) {
    match_play_run_frame(h);
    return;
  }
  if (h->session.time.session_paused) {
    clock_skip(&h->clock, h->frame_start_s);
    rewind_keys_read_paused_input(h); // while the session is paused, only the host receives input
    if (!h->session.time.session_paused)
      return;
    playback_run_steps(h);
    double frame_s = tick_get_frame_s(h);
    scrub_run_frame(&h->session, frame_s, fmax(SCRUB_BUDGET_US, SCRUB_FRAME_SHARE * frame_s * 1e6));
    return;
  }
  h->rewind.has_input = false;
  if (h->held) {
    clock_skip(&h->clock, h->frame_start_s);
    return;
  }
  if (h->session.game->paused && !time_travel_is_replaying(&h->session)) {
    clock_skip(&h->clock, h->frame_start_s);
    if (h->session.recording.replay) {
      playback_play_recording(h);
    } else {
      tick_run_paused(h, NULL);
      leave_game_read_input(h);
    }
    return;
  }
  h->paused_frames = 0;
  uint32_t due = tick_uses_clock(h) ? clock_advance(&h->clock, h->frame_start_s) : 1;
  for (uint32_t i = 0; i < due; ++i) {
    if (i + 1 == due)
      render_store_poses(h->session.render, h->session.game->world);
    if (time_travel_is_replaying(&h->session)) {
      playback_play_input(h);
    } else if (h->session.recording.replay) {
      playback_play_recording(h);
    } else {
      tick_run(h, NULL);
      leave_game_read_input(h);
    }
    if (is_interrupted(h))
      return;
  }
}

// Stores the visible part of screen space in the draw list.
static void update_visible_area(host_o *h) {
  letterbox_t box = platform_place_screen(h->session.platform), picture = letterbox_get_picture(&box);
  draw_set_visible_area(h->session.draw, -(float)box.left / box.scale_x, -(float)box.top / box.scale_y,
                        (float)picture.width / box.scale_x, (float)picture.height / box.scale_y);
}

static void run_render_phase(host_o *h) {
  draw_clear(h->session.draw);
  update_visible_area(h);
  render_set_typesetter(h->session.render, h->session.game ? components_typesetter(h->session.game->components) : NULL);
  if (!h->session.game || (h->match && h->session.options.headless))
    return;
  bool paused = h->session.game->paused || h->session.time.session_paused || h->held;
  float frame_s = (float)tick_get_frame_s(h);
  game_render(h->session.game, paused ? 0.0f : frame_s);
  // Runs while the game is paused, too, so that widget animations advance.
  bool is_read = !h->session.recording.replay && !match_play_has_open_menu(h);
  ui_draw(h->session.game->ui, h->session.draw, is_read ? h->session.platform : NULL, frame_s);
  match_play_draw_menu(h, frame_s);
  failures_report_new(h);
}

static void show_notices(host_o *h) {
  static const toast_kind_t KINDS[] = {[NOTICE_PLAIN] = TOAST_PLAIN,
                                       [NOTICE_GOOD] = TOAST_GOOD,
                                       [NOTICE_BAD] = TOAST_BAD,
                                       [NOTICE_RELOAD] = TOAST_RELOAD};
  notices_t *n = &h->session.notices;
  for (uint32_t i = 0; i < n->count; ++i)
    toast_add(&h->toasts, KINDS[n->items[i].kind], "%s", n->items[i].text);
  n->count = 0;
}

static picking_view_t get_picking_view(const host_o *h, float width, float height) {
  const game_o *g = h->session.game;
  return (picking_view_t){g ? g->world : NULL, h->session.render, g ? components_sheets(g->components) : NULL, width,
                          height};
}

// Describes the scrub bar of this frame. It is hidden while the developer overlay is open, which shows its own
// timeline.
static scrub_bar_t get_scrub_bar(host_o *h, const picking_view_t *view) {
  const reel_o *reel = h->session.time.scrub.reel;
  bool was_visible = h->rewind.has_bar;
  h->rewind.has_bar = reel && !h->tools_open;
  if (!h->rewind.has_bar)
    return (scrub_bar_t){.visible = false};
  if (!h->rewind.drags)
    h->rewind.is_bar_at_top = bar_edge_is_top(view, h->rewind.is_bar_at_top, !was_visible);
  uint64_t first_tick = reel_first_tick(reel), tick = world_tick(h->session.game->world);
  return (scrub_bar_t){.visible = true,
                       .first_tick = first_tick,
                       .last_tick = reel_last_tick(reel),
                       .tick = tick > first_tick ? tick : first_tick, // a tool may have moved to tick 0
                       .tick_rate = h->session.game->config.tick_rate,
                       .speed = h->rewind.direction * h->rewind.speed,
                       .kept_only = !reel_shows_every_tick(reel),
                       .is_top = h->rewind.is_bar_at_top,
                       .accent = h->session.game->ui->theme.palette.look.accent,
                       .dragged = h->rewind.drags};
}

// Chooses the screen edge of the toasts: the edge of the scrub bar if it is visible, otherwise the edge that does not
// cover the hero.
static void place_toasts(host_o *h, const picking_view_t *view, const scrub_bar_t *bar) {
  bool appears = h->toasts.count > 0 && !h->had_toasts;
  h->had_toasts = h->toasts.count > 0;
  if (bar->visible)
    h->has_toasts_at_top = bar->is_top;
  else if (h->had_toasts && view->world)
    h->has_toasts_at_top = bar_edge_is_top(view, h->has_toasts_at_top, appears);
}

static void draw_tools(host_o *h) {
  if (h->session.options.headless)
    return;
  player_hide_expired_notice(h);
  time_travel_draw_trails(&h->session);
  float width = h->session.game ? (float)h->session.game->config.width : (float)GAME_DEFAULTS.width;
  float height = h->session.game ? (float)h->session.game->config.height : (float)GAME_DEFAULTS.height;
  if (h->session.game)
    debug_draw(&(debug_draw_desc_t){.world = h->session.game->world,
                                    .collision = components_collision(h->session.game->components),
                                    .draw = h->session.draw,
                                    .level = h->debug_level,
                                    .width = width,
                                    .height = height});
  show_notices(h);
  picking_view_t view = get_picking_view(h, width, height);
  scrub_bar_t bar = get_scrub_bar(h, &view);
  place_toasts(h, &view, &bar);
  latch_t mouse = rewind_keys_get_mouse(h);
  overlay_desc_t overlay = {.card = &h->card,
                            .toasts = &h->toasts,
                            .has_toasts_at_top = h->has_toasts_at_top,
                            .accent = h->session.game ? h->session.game->ui->theme.palette.look.accent : NULL,
                            .bar = &bar,
                            .pointer = &mouse,
                            .badge = h->held ? "paused: another window has the focus" : match_play_get_badge(h),
                            .game = view,
                            .width = width,
                            .height = height};
  overlay_draw(&overlay, h->session.draw, render_typesetter(h->session.render));
  rewind_keys_drag(h, &bar);
  toast_advance(&h->toasts, (float)(h->session.game ? tick_get_frame_s(h) : h->clock.frame_s));
}

static void save_screenshots(host_o *h) {
  error_info_t error = {0};
  if (is_screenshot_due(h)) {
    h->screenshot_saved = true;
    if (!render_write_screenshot(h->session.render, h->session.options.screenshot, &error)) {
      log_error(h->session.log, "screenshot: %s", error.text);
      h->session.exit_code = 1;
    }
  }
  if (h->screenshot_requested) {
    char name[64];
    h->screenshot_requested = false;
    snprintf(name, sizeof name, "shoal-%llu.png",
             h->session.game ? (unsigned long long)world_tick(h->session.game->world) : 0ull);
    bool is_saved = render_write_screenshot(h->session.render, name, &error);
    if (is_saved) {
      log_info(h->session.log, "saved the screenshot %s", name);
      notice_add(&h->session.notices, NOTICE_PLAIN, "Screenshot saved");
    } else {
      notice_add(&h->session.notices, NOTICE_BAD, "Cannot save the screenshot: %s", error.text);
    }
  }
}

// Reads the icon after the first frame, because reading an image forks a decoder.
static void end_first_frame(host_o *h) {
  h->has_presented = true;
  if (h->session.game)
    render_set_icon(h->session.render, h->session.game->config.icon);
}

static void present_frame(host_o *h) {
  world_o *world = h->session.game ? h->session.game->world : NULL;
  preload_desc_t preload = {.render = h->session.render,
                            .typesetter = world ? components_typesetter(h->session.game->components) : NULL,
                            .plugins = world ? h->session.game->plugins : NULL,
                            .audio = h->audio,
                            .assets = &h->session.assets,
                            .log = h->session.log};
  preload_run_frame(h->preload, &preload);
  // Sounds are decoded only after the first frame was shown, so that the first frame appears sooner.
  if (h->has_presented || h->session.options.every_tick)
    audio_frame(h->audio, h->session.options.every_tick);
  sound_view_t listener = {(float)GAME_DEFAULTS.width * 0.5f, (float)GAME_DEFAULTS.height * 0.5f, false};
  if (h->session.game)
    listener = (sound_view_t){(float)h->session.game->config.width * 0.5f, (float)h->session.game->config.height * 0.5f,
                              h->session.game->paused || h->session.time.session_paused || h->held};
  sound_sync_frame(h->sounds, world, h->audio, &listener);
  // Screenshots and matches show the state of a tick, without interpolation.
  float alpha = is_screenshot_due(h) || h->match || h->session.time.session_paused || h->held || !tick_uses_clock(h)
                    ? 1.0f
                    : clock_alpha(&h->clock);
  render_set_pose_corrections(h->session.render, match_play_get_corrections(h));
  render_frame(h->session.render, world, h->session.game ? components_sheets(h->session.game->components) : NULL,
               h->session.draw, alpha);
  save_screenshots(h);
  platform_present(h->session.platform);
  if (!h->has_presented)
    end_first_frame(h);
  if (!h->session.options.captured)
    audio_open(h->audio);
}

// Returns true if the host only waits for requests: the cockpit is enabled, and the game or the session is paused.
static bool is_idle(const host_o *h) {
  return h->session.options.cockpit == OPTIONS_COCKPIT_ON && h->session.game &&
         (h->session.game->paused || h->session.time.session_paused);
}

static void wait_for_next_frame(host_o *h) {
  // A frame waits for its time only if the host controls the frame rate. Otherwise, the owner of the window or clock
  // controls it, or frames run as fast as possible.
  bool is_paced = (tick_uses_clock(h) && !h->session.options.window && !h->session.options.own_clock) || h->match;
  double min_s = h->session.options.headless && (h->match || tick_uses_clock(h))
                     ? FRAME_HEADLESS_S
                     : platform_get_min_frame_s(h->session.platform);
  if (h->session.game)
    vm_collect_garbage(h->session.game->vm);
  if (is_paced || (!tick_uses_clock(h) && is_idle(h)))
    platform_sleep(h->session.platform, min_s - (platform_seconds(h->session.platform) - h->frame_start_s));
}

static void print_explanations(game_o *g, const char *system) {
  ui_print_explanation(g->ui, system, stdout);
  stats_print_built_in(g, system, stdout);
  if (g->vm) {
    native_set_print_explanations(vm_native_set(g->vm), system, stdout);
    vm_print_garbage(g->vm, system, stdout);
  }
}

static void finish_run(host_o *h) {
  h->done = true;
  match_play_finish(h);
  game_switch_report_unfinished(h);
  if (!h->session.game)
    return;
  if (h->session.options.hash && h->match)
    match_play_print_hash(h);
  else if (h->session.options.hash && !h->session.options.hash_every)
    tick_print_hash(h);
  if (h->session.options.stats)
    stats_print(&h->stats, h->session.game, stdout);
  if (h->session.options.stats)
    time_travel_print_stats(&h->session);
  if (h->session.options.explain)
    print_explanations(h->session.game, h->session.options.explain);
  if (h->session.options.sql)
    run_sql_queries(h);
  game_saves_write_exports(&h->session);
  recording_control_end(&h->session); // must end before the caller reads the exit code, which a failure sets
  fflush(stdout);
}

void host_begin_frame(host_o *h) {
  if (h->done)
    return;
  pump_events(h);
  game_switch_poll_files(h);
  match_play_apply_requests(h);
  game_switch_apply(h);
  if (!match_play_begin_requested(h))
    game_switch_apply(h);
  if (h->session.game)
    plugins_start_threads(h->session.game->plugins); // threads run even while the game or the session is paused
  excerpts_poll(&h->session);
  run_due_ticks(h);
  run_render_phase(h);
  draw_tools(h);
  pointer_update(h);
}

bool host_end_frame(host_o *h) {
  if (h->done)
    return false;
  present_frame(h);
  wait_for_next_frame(h);
  if (h->session.stopping)
    finish_run(h);
  return !h->done;
}

bool host_frame(host_o *h) {
  host_begin_frame(h);
  return host_end_frame(h);
}
