// Builds a game (world, plugins, VM, schedule), runs its ticks, and repeats a tick without the code that failed.
#include "game/game.h"

#include "base/assert.h"
#include "base/files.h"
#include "bindings/bindings.h"
#include "camera/canvas.h"
#include "components/access.h"
#include "content/parked_pieces.h"
#include "game/builtins.h"
#include "game/game_bindings.h"
#include "game/input_events.h"
#include "game/operator_events.h"
#include "game/players.h"
#include "game/question_state.h"
#include "game/room_state.h"
#include "plugin/plugin_abi.h"
#include "game/save_slots.h"
#include "light/light.h"
#include "particles/trail.h"
#include "service/api.h"
#include "store/map_objects.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"
#include "watchdog/watchdog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGE_TEXT 0.055f // size of text that is large enough for all players, relative to the screen

static bool fill_report(script_report_t *report, const char *piece, error_info_t *error) {
  error_set_piece(error, piece);
  return report_fill_from_error(report, error);
}

static vm_desc_t build_vm_desc(game_o *g) {
  return (vm_desc_t){
      .libraries = {{bindings_open, NULL},
                    {plugin_bindings_open, g->plugins},
                    {game_bindings_open, g},
                    g->desc.library},
      .game_folder = g->folder,
      .engine_folder = g->engine_folder,
      .sources = g->desc.sources,
      .world = g->world,
      .input = &g->input,
      .input_before = &g->input_before,
      .player_status = g->player_status,
      .lobby = g->desc.lobby,
      .match_menu = g->desc.match_menu,
      .draw = g->desc.draw,
      .audio = g->desc.audio,
      .render = g->desc.render,
      .assets = g->desc.assets,
      .requests = &g->requests,
      .sql = g->sql,
      .trust = g->desc.trust,
      .is_shared = g->desc.is_shared,
      .is_served = g->desc.is_served,
      .check_tables = g->desc.check_tables,
      .no_jit = g->desc.no_jit,
      .native = g->desc.native,
      .strict = g->desc.strict,
      .metadata = g->desc.metadata,
      .budgets = g->desc.budgets,
      .parked = &g->parked,
      .memory_mb = g->desc.memory_mb,
      .block_mb = g->desc.block_mb,
      .seed = g->desc.seed,
      .log = g->desc.log,
      .message = g->message,
  };
}

// Records all migrations as applied, because a new world already has the current form of its components.
static bool record_migrations(game_o *g, script_report_t *report) {
  file_list_t files = {0};
  error_info_t error = {0};
  char folder[sizeof g->folder + 16];
  path_join(folder, sizeof folder, g->folder, "migrations");
  if (!file_list_optional(&g->memory, folder, ".lua", &files, &error))
    return fill_report(report, "migrations", &error);
  for (uint32_t i = 0; i < files.count; ++i)
    if (!unknown_components_add_migration(g->unknown_components, files.paths[i]))
      log_warn(g->desc.log, "too many files in migrations/: saves do not record %s: merge some of the files",
               files.paths[i]);
  file_list_free(&g->memory, &files);
  return true;
}

static plugins_o *create_plugins(game_o *g) {
  return plugins_create(&(plugins_desc_t){
      .world = g->world,
      .game_folder = g->folder,
      .shipped = g->desc.shipped_plugins,
      .extra = g->desc.plugins,
      .extra_count = g->desc.plugin_count,
      .crashed = g->desc.crashed_plugin,
      .assets = g->desc.assets,
      .draw = g->desc.draw,
      .budget_ms = g->desc.budgets.ms[SCRIPT_BUDGET_SYSTEM],
      .previous = g->desc.old_plugins,
      .reuses_libraries = g->desc.reuse_libraries,
      .forked = g->desc.in_fork,
      .external = g->desc.external,
      .input = &g->input,
      .previous_input = &g->input_before,
      .parked = &g->parked,
      .api = &service_api,
      .world_api = &service_world_api,
      .log = g->desc.log,
  });
}

// Creates the schedule with the systems of the engine, the plugins and the VM. Returns true on success, or false with a
// report if systems are rejected.
static bool create_schedule(game_o *g, bool reloaded, script_report_t *report) {
  error_info_t error;
  g->schedule = schedule_create(&g->memory);
  schedule_set_running_name(g->schedule, g->running_system, sizeof g->running_system);
  bool ok = components_schedule(g->components, g->schedule, &error) || fill_report(report, "built-in systems", &error);
  ok = ok && (emitters_schedule(g->emitters, g->schedule, &error) || fill_report(report, "built-in systems", &error));
  ok = ok && (trail_schedule(g->world, g->schedule, &error) || fill_report(report, "built-in systems", &error));
  ok = ok && (ui_schedule(g->ui, g->schedule, &error) || fill_report(report, "built-in systems", &error));
  ok = ok && (map_objects_schedule(g->world, g->schedule, &error) || fill_report(report, "built-in systems", &error));
  ok = ok && (plugins_schedule(g->plugins, g->schedule, &error) || fill_report(report, "plugins", &error));
  if (!ok || !vm_adopt(g->vm, g->schedule, reloaded, report))
    return false;
  plugins_check_order(g->plugins, g->schedule);
  return true;
}

// Creates the sources, reusing chunks that an earlier game has compiled.
static void create_sources(game_o *g) {
  const char *code = g->desc.compiled_sources || !g->desc.engine_code ? "" : g->desc.engine_code;
  g->desc.sources = sources_create(g->folder, g->engine_folder, g->desc.compiled_sources);
  sources_use_code_file(g->desc.sources, code);
  if (g->desc.kept_file_count > 0)
    sources_keep_files(g->desc.sources, g->desc.kept_files, g->desc.kept_file_count);
  g->desc.kept_files = NULL; // borrowed only during creation
  g->desc.kept_file_count = 0;
  if (sources_useless_link(g->desc.sources)[0])
    log_warn(g->desc.log, "%s", sources_useless_link(g->desc.sources));
  g->desc.engine_code = NULL; // borrowed only during creation
}

static bool create_components(game_o *g, script_report_t *report) {
  error_info_t error;
  builtins_t builtins;
  builtins_desc_t desc = {.world = g->world,
                          .assets = g->desc.assets,
                          .input = &g->input,
                          .input_before = &g->input_before,
                          .audio = g->desc.audio,
                          .maps = g->desc.maps};
  bool ok = builtins_create(&builtins, &desc, &error);
  g->components = builtins.components;
  g->ui = builtins.ui;
  g->emitters = builtins.emitters;
  return ok || fill_report(report, "built-in components", &error);
}

// Stores the list of the game's add-ons for its saves.
static void store_addon_list(game_o *g) {
  const sources_o *sources = vm_sources(g->vm);
  addon_list_t list = {0};
  for (uint32_t i = 0; sources_addon_name(sources, i); ++i) {
    bool added = addon_list_add(&list, sources_addon_name(sources, i), sources_addon_version(sources, i));
    shoal_assert(added, "a list of add-ons has fewer than %u entries, or shorter names", SOURCES_MAX_ADDONS);
    (void)added;
  }
  unknown_components_set_addons(g->unknown_components, &list);
}

game_o *game_prepare(const game_desc_t *desc, script_report_t *report) {
  shoal_assert(desc->folder && desc->engine_folder, "the game's or the engine's folder is NULL");
  shoal_assert(strlen(desc->folder) < sizeof((game_o *)0)->folder &&
                   strlen(desc->engine_folder) < sizeof((game_o *)0)->engine_folder,
               "folder paths must be shorter than %zu bytes: %s, %s", sizeof((game_o *)0)->folder, desc->folder,
               desc->engine_folder);
  allocator_t memory = {0};
  game_o *g = alloc_resize(&memory, NULL, 0, sizeof *g);
  *g = (game_o){.desc = *desc, .memory = memory};
  snprintf(g->folder, sizeof g->folder, "%s", desc->folder);
  snprintf(g->engine_folder, sizeof g->engine_folder, "%s", desc->engine_folder);
  snprintf(g->message, sizeof g->message, "%s", desc->message ? desc->message : "");
  g->lobby = desc->lobby ? *desc->lobby : (script_lobby_t){0};
  g->desc.folder = g->folder;
  g->desc.engine_folder = g->engine_folder;
  g->desc.message = g->message;
  g->desc.lobby = desc->lobby ? &g->lobby : NULL;
  g->world = world_create(&(world_desc_t){.seed = desc->seed, .jobs = desc->jobs, .log = desc->log});

  world_track_touched_fields(g->world, desc->track_touched);
  g->sql = sql_create(&(sql_desc_t){.world = g->world, .schedule = &g->schedule, .log = desc->log});
  g->scene_files = scene_files_create(g, desc->external);
  g->unknown_components = unknown_components_create();
  if (desc->undo_failures || desc->undo_stops)
    g->tick_undo = tick_undo_create(&g->memory, desc->log, desc->undo_stops ? UINT64_MAX : TICK_UNDO_MAX_BYTES);

  g->plugins = create_plugins(g);
  g->desc.old_plugins = NULL; // borrowed only during creation
  if (desc->sources)
    sources_retain(desc->sources);
  else
    create_sources(g);
  g->desc.compiled_sources = NULL;
  if (record_migrations(g, report) && create_components(g, report))
    return g;
  game_destroy(g);
  return NULL;
}

bool game_load(game_o *g, bool reloaded, script_report_t *report) {
  vm_desc_t desc = build_vm_desc(g);
  g->reloaded = reloaded;
  error_info_t error = {0};
  g->vm = vm_create(&desc, report);
  if (!g->vm)
    return false;
  if (!create_schedule(g, reloaded, report) || !vm_read_game_config(g->vm, &g->config, report))
    return false;
  return (players_begin(g, g->desc.local_players, &error) || fill_report(report, "game.lua", &error));
}

void game_finish(game_o *g) {
  plugins_bind(g->plugins);
  plugins_declare_parallel(g->plugins, g->schedule);
  schedule_find_stages(g->schedule, g->world);
  store_addon_list(g);
  world_set_tick_rate(g->world, g->config.tick_rate);
  plugins_set_screen(g->plugins, g->config.width, g->config.height);
  components_set_screen(g->components, g->config.width, g->config.height);
  world_use_random_streams(g->world, players_are_declared(g));
  ui_set_players(g->ui, g->config.max_players);
  ui_set_screen(g->ui, g->config.width, g->config.height);
  components_set_fonts(g->components, g->desc.lobby ? g->lobby.fonts : g->config.fonts);
  g->owned = owned_create(g->world);
}

game_o *game_load_now(const game_desc_t *desc, bool reloaded, script_report_t *report) {
  game_o *g = game_prepare(desc, report);
  if (!g || game_load(g, reloaded, report))
    return g;
  game_destroy(g);
  return NULL;
}

game_o *game_create(const game_desc_t *desc, bool reloaded, script_report_t *report) {
  game_o *g = game_load_now(desc, reloaded, report);
  if (g)
    game_finish(g);
  return g;
}

void game_set_render(game_o *g, render_o *render) {
  shoal_assert(!g->desc.render, "the game already has a renderer");
  g->desc.render = render;
  vm_set_render(g->vm, render);
}

bool game_start(game_o *g, script_report_t *report) {
  shoal_assert(!g->started, "the game has already started");
  if (!vm_start(g->vm, report))
    return false;
  g->started = true;
  transform_update_child_lists(g->world); // computes final transforms for the first frame
  return true;
}

void game_mark_resumed(game_o *g) {
  shoal_assert(!g->started, "the game has already started");
  g->started = true;
  g->code_tick = world_tick(g->world);
  transform_update_child_lists(g->world);
}

bool game_migrate_from(game_o *g, game_o *old, const game_migrate_desc_t *desc, world_migrate_counts_t *counts,
                       script_report_t *report) {
  shoal_assert(g != old && !g->started, "a world can be migrated only into another game that has not started");
  error_info_t error = {0};
  world_migrate_desc_t migrate_desc = {.log_line = desc->log_line,
                                       .log_context = desc->log_context,
                                       .log_kept = desc->log_kept,
                                       .migrate = vm_run_migration,
                                       .migrate_context = g->vm,
                                       .state = desc->snapshot,
                                       .forgets_reversed = old->in_match};
  vm_limit_load(g->vm, desc->limit_ms);
  if (!world_migrate(old->world, g->world, &migrate_desc, counts, &error))
    return fill_report(report, "the world", &error);
  vm_limit_load(g->vm, 0);
  // Restores the rate, because the migrated world has the old game's rate.
  world_set_tick_rate(g->world, g->config.tick_rate);
  parked_pieces_clear(g->world); // changed code is retried immediately
  g->code_tick = world_tick(g->world);
  world_copy_render_readers(g->world, old->world);
  g->input = old->input;
  g->input_before = old->input_before;
  g->paused = old->paused;
  players_take_over(g, old);
  ui_take_over_machine(g->ui, old->ui);
  return true;
}

void game_take_over_state(game_o *g, game_o *old) {
  shoal_assert(g != old, "the new game must not be the old one");
  shoal_assert(!g->started, "a game that has started cannot replace a different game");
  unknown_components_o *old_kept = g->unknown_components;
  g->unknown_components = old->unknown_components;
  old->unknown_components = old_kept;
  store_addon_list(g);
  g->requests = old->requests;
  sql_move_watches(g->sql, old->sql);
  components_take_over(g->components, old->components);
  ui_set_typesetter(g->ui, components_typesetter(g->components));
  ui_set_typesetter(old->ui, components_typesetter(old->components));
  ui_set_strings(g->ui);
  ui_set_strings(old->ui);
  g->started = old->started;
  old->started = false; // the systems that were removed have already been stopped
}

void game_stop_removed_systems(game_o *g, vm_o *next) {
  script_report_t report;
  char line[1536];
  vm_stop_retired_systems(g->vm, next);
  while (vm_pop_reports(g->vm, &report, 1)) {
    script_report_format_line(&report, line, sizeof line);
    log_error(g->desc.log, "error in %s: %s", report.piece, line);
  }
}

void game_destroy(game_o *g) {
  if (!g)
    return;
  if (g->started)
    game_stop_removed_systems(g, NULL);
  schedule_destroy(g->schedule);
  vm_destroy(g->vm);
  plugins_destroy(g->plugins);
  builtins_destroy(&(builtins_t){g->components, g->ui, g->emitters});
  sql_destroy(g->sql);
  scene_files_destroy(g->scene_files);
  sources_release(g->desc.sources);
  parked_list_fini(&g->parked);
  unknown_components_destroy(g->unknown_components);
  tick_undo_destroy(g->tick_undo);
  owned_destroy(g->owned);
  world_destroy(g->world);
  allocator_t memory = g->memory;
  alloc_resize(&memory, g, sizeof *g, 0);
  shoal_assert(memory.bytes == 0, "the game leaked %zu bytes", memory.bytes);
}

uint32_t game_pop_reports(game_o *g, script_report_t *out, uint32_t max) {
  shoal_assert(out || max == 0, "`out` must not be NULL (%u reports)", max);
  uint32_t count = vm_pop_reports(g->vm, out, max);
  return count > 0 ? count : plugins_pop_reports(g->plugins, out, max);
}

void game_set_input(game_o *g, const input_state_t *input) {
  g->input_before = g->input;
  g->input = *input;
  input_sanitize(&g->input);
  players_complete_sample(g);
}

static void run_phases(game_o *g, phase_t last_phase, float dt_s) {
  for (phase_t phase = PHASE_INPUT; phase <= last_phase; ++phase)
    schedule_run(g->schedule, g->world, phase, dt_s);
}

// Maximum number of attempts per tick. Each attempt except the last parks the code that failed.
#define MAX_ATTEMPTS 1000

// Returns true if the attempt must be undone: a script failed in it, or a plugin failed since the last call. Without
// `undo_failures`, only scripts that the watchdog stopped count.
static bool pop_failure(game_o *g) {
  bool plugin_failed = plugins_pop_failure(g->plugins);
  return vm_has_attempt_failed(g->vm) || (plugin_failed && g->desc.undo_failures);
}

// Applies the world's list of parked pieces of code, which a restore may have changed. Outside of ticks, the list
// itself is changed only after a rewind to ticks of older code, which clears it. The list must not depend on the frames
// of a paused game, because a replay does not repeat all of them.
static void update_parked_pieces(game_o *g, bool in_tick) {
  if (world_tick(g->world) < g->code_tick) { // the world was rewound to a tick before the reload
    parked_pieces_clear(g->world);
    g->code_tick = in_tick ? world_tick(g->world) : g->code_tick;
  }
  if (in_tick)
    parked_pieces_begin_tick(g->world);
  vm_update_parked_pieces(g->vm, in_tick);
  plugins_update_parked_systems(g->plugins);
}

// Prepares a tick or a frame of a paused game: applies the list of parked code, and emits input events. In a tick, also
// emits player_joined and player_left, and the events and answers of a served world.
static void begin_phases(game_o *g, phase_t last_phase) {
  update_parked_pieces(g, last_phase != PHASE_INPUT);
  if (last_phase != PHASE_INPUT)
    plugins_begin_tick(g->plugins);
  if (last_phase != PHASE_INPUT)
    players_emit_changes(g);
  if (last_phase != PHASE_INPUT)
    room_state_emit_woken(g);
  if (last_phase != PHASE_INPUT && g->config.kind_count > 0)
    operator_events_emit(g);
  if (last_phase != PHASE_INPUT && g->config.kind_count > 0)
    questions_answer(g);
  input_events_emit(g->world, &g->input_before, &g->input, last_phase != PHASE_INPUT);
}

// Runs the phases of a tick or of a paused frame again, without the code that has failed.
static void run_next_attempt(game_o *g, phase_t last_phase, float dt_s) {
  scene_files_discard(g->scene_files);
  if (g->desc.external)
    external_restart_frame(g->desc.external);
  vm_attempt_retry(g->vm);
  begin_phases(g, last_phase);
  run_phases(g, last_phase, dt_s);
}

static void run_attempts(game_o *g, game_step_t step) {
  phase_t last_phase = step == GAME_FRAME ? PHASE_INPUT : PHASE_POST_UPDATE;
  float dt_s = step == GAME_FRAME ? 0.0f : (float)world_dt_s(g->world);
  bool can_undo = tick_undo_begin(g->tick_undo, g->world, g->start_snapshot, &g->requests);
  g->start_snapshot = NULL;
  begin_phases(g, last_phase);
  if (can_undo)
    vm_attempt_begin(g->vm, !g->desc.undo_failures);
  plugins_pop_failure(g->plugins); // discards failures from drawing
  run_phases(g, last_phase, dt_s);
  for (int i = 1; can_undo && i < MAX_ATTEMPTS && pop_failure(g); ++i) {
    if (!tick_undo_restore(g->tick_undo, g->world, &g->requests))
      break;
    run_next_attempt(g, last_phase, dt_s);
  }
  vm_attempt_end(g->vm);
  tick_undo_end(g->tick_undo);
  if (step == GAME_TICK)
    world_end_tick(g->world);
}

static void run_without_outputs(game_o *g, game_step_t step) {
  script_requests_t requests = g->requests;
  log_mute(g->desc.log, true);
  audio_mute(g->desc.audio, true);
  run_attempts(g, step);
  log_mute(g->desc.log, false);
  audio_mute(g->desc.audio, false);
  scene_files_discard(g->scene_files);
  g->requests = requests;
}

void game_run(game_o *g, game_step_t step, const game_io_t *io) {
  shoal_assert(g->started || g->vm, "the game has no code to run");
  if (io->players)
    players_set_inputs(g, io->players, NULL);
  else if (io->devices)
    game_set_input(g, io->devices);
  if (g->desc.external)
    external_begin_tick(g->desc.external, world_tick(g->world) + 1, io->source, io->results);
  if (io->outputs == GAME_OUTPUTS_DROP)
    run_without_outputs(g, step);
  else
    run_attempts(g, step);
  if (g->desc.external)
    external_end_tick(g->desc.external);
}

void game_run_again(game_o *g, const input_log_o *log, const logged_input_t *item) {
  input_state_t input = g->input, previous_input = g->input_before;
  bool paused = g->paused;
  g->input_before = item->previous_input;
  g->input = item->input;
  g->paused = item->paused;
  game_run(g, item->paused ? GAME_FRAME : GAME_TICK,
           &(game_io_t){.source = EXTERNAL_LOG, .results = log, .outputs = GAME_OUTPUTS_DROP});
  g->input = input;
  g->input_before = previous_input;
  g->paused = paused;
}

bool game_run_tick_again(game_o *g, const input_log_o *log) {
  input_log_reader_t reader;
  logged_input_t item;
  uint64_t tick = world_tick(g->world) + 1;
  input_log_begin(&reader, log, tick);
  while (input_log_next(&reader, &item))
    game_run_again(g, log, &item);
  return world_tick(g->world) == tick;
}

void game_render(game_o *g, float dt_s) {
  update_parked_pieces(g, false);
  ui_begin_render(g->ui);
  // Text that games draw has less space to grow than text in widgets, which the layout moves apart. Its scale therefore
  // is the square root of the player's text scale.
  if (g->desc.draw)
    draw_set_text_scale(g->desc.draw, sqrtf(access_read(g->world).text_scale), LARGE_TEXT * (float)g->config.height);
  schedule_run(g->schedule, g->world, PHASE_RENDER, dt_s);
  ui_end_render(g->ui);
}
