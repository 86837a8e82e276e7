// The frame. Time and input enter here and nowhere else.
#include "host/host_internal.h"

#include "base/assert.h"
#include "native/loop.h"
#include "host/game_saves.h"
#include "host/player.h"
#include "components/window_events.h"
#include "script/watchdog.h"
#include "state/world_hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORTEST_FRAME_S (1.0 / 240.0) // where the display does not set the pace

// ------------------------------------------------------------------------------------------------------------ failures

void host_report(host_o *h, error_card_kind_t kind, const script_report_t *report) {
  shoal_assert(report, "a report that is not there");
  static const char *const words[] = {
      [ERROR_CARD_NONE] = "error",
      [ERROR_CARD_START] = "cannot start",
      [ERROR_CARD_RELOAD] = "reload refused",
      [ERROR_CARD_RESTART] = "restart refused",
      [ERROR_CARD_RUN] = "error in",
  };
  shoal_assert((size_t)kind < sizeof words / sizeof *words, "a failure of kind %d", (int)kind);
  char line[1536];
  error_card_line(report, line, sizeof line);
  bool unnamed = strncmp(report->piece, "plugin ", 7) == 0 && !strstr(line, report->piece + 7);
  bool named = kind == ERROR_CARD_RUN || unnamed;
  log_error(h->log, "%s%s%s: %s", words[kind],
            kind == ERROR_CARD_RUN ? " "
            : named                ? ": "
                                   : "",
            named ? report->piece : "", line);
  if (report->entity[0] && !strstr(report->message, report->entity))
    log_error(h->log, "at hand: %s", report->entity);
  if (report->about[0])
    log_error(h->log, "%s", report->about);
  if (report->traceback[0])
    log_debug(h->log, "%s", report->traceback);
  if (h->options.failed)
    h->options.failed(h->options.failed_context, report);
  if (h->options.package)
    player_report(h, kind, report, line);
  else
    error_card_add(&h->card, kind, report, h->folder, h->places.engine);
  if (h->options.headless || h->options.strict || (!h->game && h->options.has_ticks))
    h->exit_code = 1;
  if (h->options.strict || (h->options.headless && !h->game))
    h->stopping = true;
}

#define TABLES_EVERY 60u // ticks

static void check_tables(host_o *h) {
  script_report_t report;
  bool due = h->game->desc.check_tables && !h->rollback && world_tick(h->game->world) % TABLES_EVERY == 0;
  while (due && vm_changed_table(h->game->vm, &report))
    host_report(h, ERROR_CARD_RUN, &report);
}

static void take_reports(host_o *h) {
  script_report_t reports[4];
  for (uint32_t count = 1; count > 0;) {
    count = game_take_reports(h->game, reports, sizeof reports / sizeof *reports);
    for (uint32_t i = 0; i < count; ++i)
      host_report(h, ERROR_CARD_RUN, &reports[i]);
  }
}

// ---------------------------------------------------------------------------------------------------------- the window

#define CLOSE_AGAIN_S 5.0 // within which the second time needs no asking

// May the game refuse to be closed? What is not sure to hear of it is not asked.
static bool can_refuse(host_o *h) {
  return h->game && !h->held && !h->replay && !time_travel_plays(h) && window_events_heard(h->game->world);
}

static void close_window(host_o *h, int times) {
  bool lately = h->closed_s > 0 && h->frame_began_s - h->closed_s < CLOSE_AGAIN_S;
  h->stopping |= times > 1 || lately;
  h->closed_s = h->frame_began_s;
  h->closing = true;
}

// After the tick, or the frame of a pause, that has heard of it.
static void answer_close(host_o *h, bool refused) {
  if (!h->closing || !h->game->input.window.closed)
    return;
  h->closing = false;
  h->stopping |= !refused;
  if (!refused)
    return;
  log_info(h->log, "the game refuses to be closed; a second time within %g seconds ends it", CLOSE_AGAIN_S);
  toast_add(&h->toasts, TOAST_PLAIN, "Close it once more to end it");
}

// What a replay is told of is not done: its window is the viewer's, and it ends with its recording.
static void change_window(host_o *h, const script_requests_t *asked) {
  bool played = h->replay || time_travel_plays(h);
  answer_close(h, asked->quit < 0);
  if (asked->fullscreen && !played)
    platform_set_fullscreen(h->platform, asked->fullscreen > 0);
  if ((asked->scale || asked->vsync) && !played) {
    platform_window_t *look = &h->game->facts.window;
    look->scale = asked->scale ? (letterbox_mode_t)(asked->scale - 1) : look->scale;
    look->tearing = asked->vsync ? asked->vsync < 0 : look->tearing;
    game_switch_look(h);
  }
  for (int32_t pad = 0; pad < INPUT_PADS && !played; ++pad)
    if (asked->rumbles[pad])
      platform_rumble(h->platform, pad, asked->rumble[pad][0], asked->rumble[pad][1]);
  if (asked->restart && played)
    log_warn(h->log, "world.restart() is not done in a replay, which ends with its recording");
  h->want_restart |= asked->restart && !played;
}

// ---------------------------------------------------------------------------------------------------------- life cycle

static void take_requests(host_o *h) {
  script_requests_t *asked = &h->game->requests;
  change_window(h, asked);
  if (asked->quit > 0 && h->from_menu && !h->options.headless)
    snprintf(h->want_game, sizeof h->want_game, "%s", h->places.menu);
  else if (asked->quit > 0)
    h->stopping = true;
  if (asked->pause)
    h->game->paused = asked->pause > 0;
  if (asked->game[0])
    snprintf(h->want_game, sizeof h->want_game, "%s", asked->game);
  h->want_reload |= asked->reload;
  h->reload_by_script |= asked->reload;
  uint32_t rewind = asked->rewind;
  bool again = asked->rewind_again;
  script_requests_t files = *asked;
  *asked = (script_requests_t){0};
  game_saves_requests(h, files.save, files.drop, files.load);
  if (rewind == 0)
    return;
  if (again)
    time_travel_rewind_again(h, rewind);
  else
    time_travel_rewind(h, rewind);
  if (h->recorder)
    recorder_jump(h->recorder);
}

bool host_chunk(host_o *h, const host_chunk_t *chunk, char *out, size_t out_bytes, script_report_t *report) {
  game_o *g = h->game;
  script_requests_t requests = g->requests;
  snapshot_o *before = snapshot_create(&h->memory);
  error_t error = {0};
  *report = (script_report_t){.stopped = false};
  bool kept = snapshot_take(before, g->world, &error);
  bool fine = vm_exec(g->vm, chunk->text, chunk->name, out, out_bytes, report);
  if (!fine)
    snprintf(report->piece, sizeof report->piece, "%s", chunk->name);
  if (report->stopped && kept && snapshot_restore(before, g->world, &error))
    g->requests = requests;
  snapshot_release(before);
  outside_note(h->outside, chunk->kind, chunk->key, !report->stopped, chunk->text, strlen(chunk->text));
  take_requests(h);
  return fine;
}

static void run_chunk(host_o *h, const char *text, uint32_t number) {
  char result[4096] = "", name[32], key[16];
  script_report_t report = {0};
  snprintf(name, sizeof name, "--exec %u", number);
  snprintf(key, sizeof key, "%u", number);
  outside_begin_chunk(h->outside, world_tick(h->game->world));
  host_chunk_t chunk = {OUTSIDE_EXEC, text, name, key};
  if (!host_chunk(h, &chunk, result, sizeof result, &report))
    host_report(h, ERROR_CARD_RUN, &report);
  else if (result[0])
    printf("%s\n", result);
}

static bool was_recorded(host_o *h, const char *text) {
  const outside_answer_t *a;
  for (uint32_t i = 0; (a = outside_recorded(h->outside, OUTSIDE_EXEC, i)) != NULL; ++i)
    if (strcmp((const char *)a->bytes, text) == 0)
      return true;
  return false;
}

// Before there are frames, after which main looks.
static bool shall_end(host_o *h) {
  h->stopping |= watchdog_is_stopping();
  return h->stopping;
}

// Those of the recording, then those that are given now and are not among them.
static void run_exec(host_o *h) {
  const outside_answer_t *a;
  uint32_t number = 0;
  bool played = h->replay && !recording_snapshot(h->replay);
  for (uint32_t i = 0; played && h->game && !shall_end(h) && (a = outside_recorded(h->outside, OUTSIDE_EXEC, i)); ++i) {
    outside_answer_t *chunk = outside_answer_make(a->kind, a->key, a->found, a->bytes, a->size);
    if (chunk->found)
      run_chunk(h, (const char *)chunk->bytes, ++number);
    else
      outside_note(h->outside, chunk->kind, chunk->key, false, chunk->bytes, chunk->size);
    outside_release(chunk);
  }
  for (uint32_t i = 0; i < h->options.exec_count && h->game && !shall_end(h); ++i)
    if (!was_recorded(h, h->options.exec[i]))
      run_chunk(h, h->options.exec[i], ++number);
  fflush(stdout);
}

bool host_accepts_edits(const host_o *h) {
  return h->replay && recording_is_lived(h->replay) ? recording_head(h->replay)->accept_edits != 0
                                                    : h->options.accept_edits;
}

static uint32_t choose_workers(const options_t *o) {
  uint32_t cores = jobs_cores();
  return o->workers ? o->workers : cores < OPTIONS_DEFAULT_WORKERS ? cores : OPTIONS_DEFAULT_WORKERS;
}

host_o *host_create(const options_t *options, error_t *error) {
  shoal_assert(options, "a host has options");
  allocator_t memory = {0};
  host_o *h = alloc_resize(&memory, NULL, 0, sizeof *h);
  memset(h, 0, sizeof *h);
  h->memory = memory;
  h->options = *options;
  h->shapes = options->debug_draw ? DEBUG_DRAW_NAMES : DEBUG_DRAW_NONE;
  h->log = log_create(options->log_level);
  log_set_terminal(h->log, !options->no_terminal);
  log_listen(h->log, options->listener, options->listener_context);
  if ((options->log_file && !log_to_file(h->log, options->log_file, error)) ||
      !(options->root ? paths_find_at(&h->places, options->root, error)
                      : paths_find(&h->places, options->program, error)) ||
      !game_switch_choose(h, error)) {
    host_destroy(h);
    return NULL;
  }
  h->assets.asked = &h->assets_asked;
  snprintf(h->assets.engine, sizeof h->assets.engine, "%s", h->places.assets);
  h->jobs = jobs_create(&h->memory, choose_workers(options));
  h->outside = outside_create(&h->memory);
  h->draw = draw_create();
  h->maps = maps_create(&h->assets, h->log);
  h->audio = audio_create(options->headless, &h->assets, h->log);
  h->sounds = sound_sync_create(h->log);
  h->preload = preload_create(options->headless);
  if (options->check_rollback > 0)
    h->rollback = rollback_create(&h->memory, h->log, options->check_rollback);
  clock_init(&h->clock, 60);
  time_travel_open_port(h);
  if (!recording_control_open(h, error) || !game_switch_first_load(h, error) || !game_saves_load_first(h, error)) {
    host_destroy(h);
    return NULL;
  }
  if (options->types && h->game && !vm_write_types(h->game->vm, options->types, error)) {
    host_destroy(h);
    return NULL;
  }
  run_exec(h);
  if (!recording_control_begin(h, error)) {
    host_destroy(h);
    return NULL;
  }
  return h;
}

void host_destroy(host_o *h) {
  if (!h)
    return;
  recording_control_end(h);
  time_travel_end(h);
  ghosts_destroy(h->ghosts);
  game_saves_autosave_end(h);
  rollback_destroy(h->rollback);
  game_destroy(h->game);
  outside_destroy(h->outside);
  recording_close(h->replay);
  file_watch_destroy(h->watch);
  sound_sync_destroy(h->sounds);
  preload_destroy(h->preload);
  overlay_destroy(h->overlay);
  if (h->render)
    render_destroy(h->render);
  if (h->audio)
    audio_destroy(h->audio);
  maps_destroy(h->maps);
  if (h->platform)
    platform_destroy(h->platform);
  if (h->draw)
    draw_destroy(h->draw);
  jobs_destroy(h->jobs);
  log_destroy(h->log);
  allocator_t memory = h->memory;
  alloc_resize(&memory, h, sizeof *h, 0);
  shoal_assert(memory.bytes == 0, "the host kept %zu bytes", memory.bytes);
}

void host_event(host_o *h, const void *event) {
  platform_event(h->platform, event);
}

void host_set_clock(host_o *h, double now_s) {
  shoal_assert(h->options.own_clock && now_s >= h->clock_s, "%g s after %g s", now_s, h->clock_s);
  h->clock_s = now_s;
}

void host_place(host_o *h, int x, int y, int width, int height) {
  platform_place(h->platform, x, y, width, height);
}

world_o *host_world(host_o *h) {
  return h->game ? h->game->world : NULL;
}

void host_stop(host_o *h) {
  h->stopping = true;
}

int host_exit_code(const host_o *h) {
  return h->exit_code;
}

// ----------------------------------------------------------------------------------------------------------- the frame

// Of people at work.
static void take_keys(host_o *h, const platform_events_t *events) {
  h->want_reload |= events->reload;
  h->want_restart |= events->restart;
  h->want_picture |= events->screenshot;
  h->shapes = (h->shapes + (events->shapes && h->watch)) % DEBUG_DRAW_LEVELS;
  h->want_tools |= events->tools;
  if (events->bug_report)
    recording_control_excerpt(h);
  h->card.hidden |= events->dismiss;
  if (h->game)
    time_travel_keys(h, events);
}

static void pump_events(host_o *h) {
  platform_events_t events = {0};
  h->frame_began_s = h->options.own_clock ? h->clock_s : platform_seconds(h->platform);
  platform_pump(h->platform, &events);
  if (events.quit > 0)
    close_window(h, events.quit);
  if (!h->options.package)
    take_keys(h, &events);
  h->stopping |= h->closing && !can_refuse(h);
}

static void print_hash(const host_o *h) {
  if (h->game->vm && vm_was_cut_short(h->game->vm)) // such a tick depends on when that was
    return;
  printf("tick %llu hash %016llx\n", (unsigned long long)world_tick(h->game->world),
         (unsigned long long)world_hash(h->game->world));
  fflush(stdout);
}

// --- SQL

static void check_watches(host_o *h) {
  const char *question = sql_check_watches(h->game->sql, vm_budget_ms(h->game->vm, SCRIPT_BUDGET_SYSTEM));
  if (!question)
    return;
  h->game->paused = true;
  log_info(h->log, "paused at tick %llu: there is a row for %s", (unsigned long long)world_tick(h->game->world),
           question);
  toast_add(&h->toasts, TOAST_PLAIN, "Paused: %s", question);
}

// One statement after the other, so that what one writes can be looked at with the next.
static void answer_sql(host_o *h) {
  const char *text = h->options.sql;
  for (size_t left = strlen(text); left > 0;) {
    error_t error;
    sql_result_t result;
    sql_ask_t ask = {.text = text, .text_bytes = left, .several = true, .write = true, .measured = true};
    if (!sql_run(h->game->sql, &ask, &result, &error)) {
      log_error(h->log, "sql: %s", error.text);
      h->exit_code = 2;
      return;
    }
    sql_print(&result, stdout);
    shoal_assert(result.rest > text, "a statement of no length: %.60s", text);
    text = result.rest + strspn(result.rest, " \t\r\n;");
    left = strlen(text);
    sql_result_fini(&result);
  }
}

static bool is_tick_limit(const host_o *h) {
  return h->options.has_ticks && world_tick(h->game->world) + h->ticks_before >= h->options.ticks;
}

static bool is_picture_due(const host_o *h) {
  if (!h->options.screenshot || h->picture_taken)
    return false;
  return h->stopping ||
         (h->options.has_screenshot_at && h->game && world_tick(h->game->world) >= h->options.screenshot_at);
}

static void hear(host_o *h, const input_state_t *input) {
  if (input)
    game_feed(h->game, input);
  else
    game_sample(h->game, h->platform);
}

static void check_rollback(host_o *h) {
  if (!h->rollback || rollback_check(h->rollback, h->game))
    return;
  h->exit_code = 1;
  h->stopping = true;
}

void host_tick(host_o *h, const input_state_t *input) {
  hear(h, input);
  recording_control_outside(h, false);
  outside_begin(h->outside, world_tick(h->game->world) + 1, timelines_heard(&h->past));
  if (h->options.stats)
    stats_begin_tick(&h->stats, h->game, platform_seconds(h->platform));
  if (h->rollback)
    rollback_begin(h->rollback, h->game);
  time_travel_copy(h);
  game_tick(h->game);
  host_console_again(h);
  if (h->rollback)
    rollback_end(h->rollback, h->game);
  if (h->options.stats)
    stats_end_tick(&h->stats, h->game, platform_seconds(h->platform));
  time_travel_tick(h);
  recording_control_heard(h, false);
  if (h->options.hash_every && world_tick(h->game->world) % h->options.hash_every == 0)
    print_hash(h);
  check_watches(h);
  game_saves_autosave(h);
  check_tables(h);
  take_reports(h);
  take_requests(h);
  check_rollback(h);
  h->stopping |= is_tick_limit(h);
}

// Else every frame is a tick.
static bool has_clock(const host_o *h) {
  return (!h->options.headless || h->options.own_clock) && !h->options.every_tick;
}

// For keys that repeat: while nothing is held it is 0, so that the frames of a pause are alike in a recording.
static uint8_t paused_ms(const host_o *h) {
  input_binding_t any;
  double passed_s = has_clock(h) ? h->clock.frame_s : world_dt_s(h->game->world);
  return input_pressed(&(input_state_t){0}, &h->game->input, &any) ? (uint8_t)fmin(passed_s * 1000.0, 255.0) : 0;
}

// A paused game reads its input, so that it can go on, but no tick passes.
void host_idle(host_o *h, const input_state_t *input) {
  hear(h, input);
  h->game->input.paused_ms = input ? input->paused_ms : paused_ms(h);
  recording_control_outside(h, false);
  uint64_t next = world_tick(h->game->world) + 1;
  outside_begin(h->outside, next, timelines_heard(&h->past));
  time_travel_copy(h);
  game_idle(h->game);
  shoal_assert(world_tick(h->game->world) + 1 == next, "a tick has passed in a pause");
  time_travel_idle(h);
  recording_control_heard(h, true);
  take_reports(h);
  take_requests(h);
  if (h->options.headless && h->options.cockpit != OPTIONS_COCKPIT_ON &&
      ++h->paused_frames > HOST_PAUSED_HEADLESS_S * h->game->facts.tick_rate) {
    log_error(h->log, "paused at tick %llu, and no key can let it go on: the run ends",
              (unsigned long long)world_tick(h->game->world));
    h->exit_code = 1;
    h->stopping = true;
  }
}

static bool is_interrupted(const host_o *h) {
  return h->stopping || h->held || (h->game->paused && !time_travel_plays(h)) || h->want_game[0] || h->want_restart ||
         h->want_reload || is_picture_due(h);
}

static void run_due_ticks(host_o *h) {
  if (!h->game) {
    clock_skip(&h->clock, h->frame_began_s);
    h->stopping |= h->options.has_ticks; // they will never come
    return;
  }
  h->stopping |= is_tick_limit(h);
  if (h->stopping)
    return;
  if (h->held) {
    clock_skip(&h->clock, h->frame_began_s);
    time_travel_frame(h);
    return;
  }
  if (h->game->paused && !time_travel_plays(h)) {
    clock_skip(&h->clock, h->frame_began_s);
    if (h->replay)
      recording_control_play(h);
    else
      host_idle(h, NULL);
    return;
  }
  h->paused_frames = 0;
  uint32_t due = has_clock(h) ? clock_advance(&h->clock, h->frame_began_s) : 1;
  for (uint32_t i = 0; i < due; ++i) {
    if (i + 1 == due)
      render_remember(h->render, h->game->world);
    if (time_travel_plays(h))
      time_travel_play(h);
    else if (h->replay)
      recording_control_play(h);
    else
      host_tick(h, NULL);
    if (is_interrupted(h))
      return;
  }
}

static void run_render_phase(host_o *h) {
  draw_clear(h->draw);
  render_use_type(h->render, h->game ? components_type(h->game->components) : NULL);
  if (!h->game)
    return;
  bool stands = h->game->paused || h->held;
  float frame_s = (float)(has_clock(h) ? h->clock.frame_s : world_dt_s(h->game->world));
  game_render(h->game, stands ? 0.0f : frame_s);
  ui_draw(h->game->ui, h->draw, h->replay ? NULL : h->platform, frame_s); // widgets move in a pause, too
  take_reports(h);
}

static void draw_tools(host_o *h) {
  if (h->options.headless)
    return;
  player_frame(h);
  time_travel_draw(h);
  float width = h->game ? (float)h->game->facts.width : (float)HOST_WIDTH;
  float height = h->game ? (float)h->game->facts.height : (float)HOST_HEIGHT;
  if (h->game)
    debug_draw(h->game->world, h->draw, h->shapes, width, height);
  overlay_desc_t overlay = {&h->card, &h->toasts, width, height, (float)h->clock.frame_s};
  overlay_draw(h->overlay, &overlay, h->draw, render_type(h->render));
  toast_advance(&h->toasts, overlay.dt_s);
  if (h->face.draw)
    h->face.draw(h->face.context, &(host_picture_t){h->platform, h->render, h->draw, width, height});
}

static void take_pictures(host_o *h) {
  error_t error = {0};
  if (is_picture_due(h)) {
    h->picture_taken = true;
    if (!render_screenshot(h->render, h->options.screenshot, &error)) {
      log_error(h->log, "screenshot: %s", error.text);
      h->exit_code = 1;
    }
  }
  if (h->want_picture) {
    char name[64];
    h->want_picture = false;
    snprintf(name, sizeof name, "shoal-%llu.png", h->game ? (unsigned long long)world_tick(h->game->world) : 0ull);
    if (render_screenshot(h->render, name, &error))
      toast_add(&h->toasts, TOAST_PLAIN, "Saved %s", name);
    else
      toast_add(&h->toasts, TOAST_BAD, "No screenshot: %s", error.text);
  }
}

static void show(host_o *h) {
  world_o *world = h->game ? h->game->world : NULL;
  preload_frame(h->preload, &(preload_desc_t){h->render, h->audio, &h->assets, h->log});
  audio_frame(h->audio);
  sound_view_t ears = {(float)HOST_WIDTH * 0.5f, (float)HOST_HEIGHT * 0.5f, false};
  if (h->game)
    ears = (sound_view_t){(float)h->game->facts.width * 0.5f, (float)h->game->facts.height * 0.5f,
                          h->game->paused || h->held};
  sound_sync_frame(h->sounds, world, h->audio, &ears);
  // A picture that was asked for shows its tick exactly.
  float alpha = is_picture_due(h) || h->held || !has_clock(h) ? 1.0f : clock_alpha(&h->clock);
  render_frame(h->render, world, h->game ? components_sheets(h->game->components) : NULL, h->draw, alpha);
  take_pictures(h);
  platform_present(h->platform);
  audio_open(h->audio);
}

static void rest(host_o *h) {
  if (h->game)
    vm_collect(h->game->vm);
  if (has_clock(h) && !h->options.window && !h->options.own_clock) { // whose owner has the pace
    double left_s = SHORTEST_FRAME_S - (platform_seconds(h->platform) - h->frame_began_s);
    if (left_s > 0)
      platform_sleep(h->platform, left_s);
  }
}

static void finish(host_o *h) {
  h->done = true;
  if (!h->game)
    return;
  if (h->options.hash && !h->options.hash_every)
    print_hash(h);
  if (h->options.stats)
    stats_print(&h->stats, h->game, stdout);
  if (h->options.stats)
    time_travel_print(h);
  if (h->options.explain && h->game->vm)
    native_set_explain(vm_native(h->game->vm), h->options.explain, stdout);
  if (h->options.sql)
    answer_sql(h);
  game_saves_save_last(h);
  fflush(stdout);
}

bool host_frame(host_o *h) {
  if (h->done)
    return false;
  pump_events(h);
  game_switch_poll_files(h);
  game_switch_apply(h);
  if (h->game)
    plugins_start_threads(h->game->plugins); // also of one that stands
  run_due_ticks(h);
  run_render_phase(h);
  draw_tools(h);
  show(h);
  rest(h);
  if (h->stopping)
    finish(h);
  return !h->done;
}
