#include "host/game.h"

#include "base/files.h"
#include "components/transform.h"
#include "tools/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(script_report_t *report, const char *piece, const char *message) {
  *report = (script_report_t){0};
  snprintf(report->piece, sizeof report->piece, "%s", piece);
  snprintf(report->message, sizeof report->message, "%s", message);
  return false;
}

static vm_desc_t vm_desc_of(game_o *g) {
  return (vm_desc_t){
      .game_folder = g->folder,
      .engine_folder = g->engine_folder,
      .sources = g->desc.sources,
      .world = g->world,
      .input = &g->input,
      .input_before = &g->input_before,
      .draw = g->desc.draw,
      .audio = g->desc.audio,
      .render = g->desc.render,
      .assets = g->desc.assets,
      .requests = &g->requests,
      .sql = &g->sql_port,
      .scene = &g->scene_port,
      .plugins = plugins_port(g->plugins),
      .past = g->desc.past,
      .trust = g->desc.trust,
      .check_kernels = g->desc.check_kernels,
      .metadata = g->desc.metadata,
      .budget_ms = g->desc.budget_ms,
      .memory_mb = g->desc.memory_mb,
      .seed = g->desc.seed,
      .log = g->desc.log,
      .message = g->message,
  };
}

// A fresh world has nothing to migrate.
static void know_migrations(game_o *g) {
  file_list_t list = {0};
  char folder[sizeof g->folder + 16];
  path_join(folder, sizeof folder, g->folder, "migrations");
  if (!file_is_folder(folder) || !file_list(&g->memory, folder, ".lua", &list, NULL))
    return;
  for (uint32_t i = 0; i < list.count; i++)
    if (!save_attic_add_migration(g->attic, list.paths[i]))
      log_warn(g->desc.log, "there are too many migrations: a save does not note %s", list.paths[i]);
  file_list_free(&g->memory, &list);
}

static plugins_o *make_plugins(game_o *g) {
  return plugins_create(&(plugins_desc_t){
      .world = g->world,
      .game_folder = g->folder,
      .shipped = g->desc.shipped,
      .extra = g->desc.plugins,
      .extra_count = g->desc.plugin_count,
      .assets = g->desc.assets,
      .draw = g->desc.draw,
      .before = g->desc.plugins_before,
      .as_before = g->desc.plugins_as_before,
      .log = g->desc.log,
  });
}

// Built-in systems, then those of the plugins and of the VM, sorted.
static bool make_schedule(game_o *g, bool reloaded, script_report_t *report) {
  error_t error;
  g->schedule = schedule_create(&g->memory);
  schedule_name_running(g->schedule, g->running, sizeof g->running);
  bool fine = components_schedule(g->components, g->schedule, &error) || fail(report, "built-in systems", error.text);
  fine = fine && (plugins_schedule(g->plugins, g->schedule, &error) || fail(report, "plugins", error.text));
  if (!fine || !vm_adopt(g->vm, g->schedule, reloaded, report))
    return false;
  plugins_bind(g->plugins, reloaded);
  return true;
}

game_o *game_create(const game_desc_t *desc, bool reloaded, script_report_t *report) {
  allocator_t memory = {0};
  game_o *g = alloc_resize(&memory, NULL, 0, sizeof *g);
  *g = (game_o){.desc = *desc, .memory = memory};
  snprintf(g->folder, sizeof g->folder, "%s", desc->folder);
  snprintf(g->engine_folder, sizeof g->engine_folder, "%s", desc->engine_folder);
  snprintf(g->message, sizeof g->message, "%s", desc->message ? desc->message : "");
  g->desc.folder = g->folder;
  g->desc.engine_folder = g->engine_folder;
  g->desc.message = g->message;
  g->world = world_create(&(world_desc_t){.seed = desc->seed, .jobs = desc->jobs, .log = desc->log});

  world_track_touched(g->world, desc->track_touched);
  g->sql = sql_create(&(sql_desc_t){.world = g->world, .schedule = &g->schedule, .log = desc->log});
  g->sql_port = sql_port(g->sql);
  g->scenes = scenes_create(g->world, g->folder);
  g->scene_port = scenes_port(g->scenes);
  g->attic = save_attic_create();
  know_migrations(g);
  if (desc->undo)
    g->undo = undo_create(&g->memory, desc->log);

  error_t error;
  g->plugins = make_plugins(g);
  g->desc.plugins_before = NULL; // it may be gone when somebody reads this
  if (desc->sources)
    sources_retain(desc->sources);
  else
    g->desc.sources = sources_create(g->folder, g->engine_folder, desc->known);
  g->desc.known = NULL;
  vm_desc_t vm = vm_desc_of(g);
  g->components = components_create(g->world, &error);
  if (!g->components)
    fail(report, "built-in components", error.text);
  else
    g->vm = vm_create(&vm, report);
  if (!g->vm || !make_schedule(g, reloaded, report)) {
    game_destroy(g);
    return NULL;
  }
  vm_game(g->vm, &g->facts);
  world_set_tick_rate(g->world, g->facts.tick_rate);
  plugins_set_screen(g->plugins, g->facts.width, g->facts.height);
  return g;
}

void game_set_render(game_o *g, render_o *render) {
  g->desc.render = render;
  vm_set_render(g->vm, render);
}

bool game_start(game_o *g, script_report_t *report) {
  if (!vm_start(g->vm, report))
    return false;
  g->started = true;
  transform_update(g->world); // so that the first frame shows things where they are
  return true;
}

// A message that begins with its place, "components.lua:3: …".
static bool fail_at(script_report_t *report, const char *piece, const char *message) {
  const char *colon = strstr(message, ".lua:");
  char *end = NULL;
  long line = colon && !memchr(message, ' ', (size_t)(colon - message)) ? strtol(colon + 5, &end, 10) : 0;
  if (line <= 0 || strncmp(end, ": ", 2) != 0)
    return fail(report, piece, message);
  fail(report, piece, end + 2);
  snprintf(report->file, sizeof report->file, "%.*s", (int)(colon + 4 - message), message);
  report->line = (int)line;
  return false;
}

bool game_carry(game_o *g, game_o *old, convert_say_t say, void *context, carry_counts_t *counts,
                script_report_t *report) {
  error_t error = {{0}};
  carry_desc_t desc = {.say = say, .say_context = context, .migrate = vm_migrate, .migrate_context = g->vm};
  if (!carry_world(old->world, g->world, &desc, counts, &error))
    return fail_at(report, "the world", error.text);
  world_set_tick_rate(g->world, g->facts.tick_rate); // the old game's came with the world
  g->input = old->input;
  g->input_before = old->input_before;
  g->paused = old->paused;
  return true;
}

void game_succeed(game_o *g, game_o *old) {
  save_attic_o *attic = g->attic;
  g->attic = old->attic;
  old->attic = attic;
  g->requests = old->requests;
  sql_take_watches(g->sql, old->sql);
  g->started = old->started;
  old->started = false; // those of its systems that are gone have stopped already
}

void game_retire(game_o *g, vm_o *next) {
  script_report_t report;
  char line[1536];
  vm_retire(g->vm, next);
  while (vm_take_reports(g->vm, &report, 1)) {
    card_line(&report, line, sizeof line);
    log_error(g->desc.log, "error in %s: %s", report.piece, line);
  }
}

void game_destroy(game_o *g) {
  if (!g)
    return;
  if (g->started)
    game_retire(g, NULL);
  if (g->schedule)
    schedule_destroy(g->schedule);
  if (g->vm)
    vm_destroy(g->vm);
  plugins_destroy(g->plugins);
  if (g->components)
    components_destroy(g->components);
  sql_destroy(g->sql);
  scenes_destroy(g->scenes);
  sources_release(g->desc.sources);
  array_free(&g->memory, &g->parked);
  save_attic_destroy(g->attic);
  undo_destroy(g->undo);
  world_destroy_all(g->world);
  allocator_t memory = g->memory;
  alloc_resize(&memory, g, sizeof *g, 0);
}

bool game_is_parked(const game_o *g, const char *piece) {
  for (uint32_t i = 0; i < g->parked.count; i++)
    if (strcmp(g->parked.items[i].piece, piece) == 0)
      return true;
  return false;
}

uint32_t game_take_reports(game_o *g, script_report_t *out, uint32_t max) {
  uint32_t count = vm_take_reports(g->vm, out, max);
  return count > 0 ? count : plugins_take_reports(g->plugins, out, max);
}

void game_note_parked(game_o *g, const char *piece) {
  parked_t x;
  snprintf(x.piece, sizeof x.piece, "%s", piece);
  if (!game_is_parked(g, x.piece))
    array_push(&g->memory, &g->parked, x);
}

void game_sample(game_o *g, platform_o *p) {
  g->input_before = g->input;
  platform_sample(p, &g->input);
}

void game_feed(game_o *g, const input_state_t *input) {
  g->input_before = g->input;
  g->input = *input;
}

static void run_phases(game_o *g, phase_t last, float dt_s) {
  for (phase_t phase = PHASE_INPUT; phase <= last; phase++)
    schedule_run(g->schedule, g->world, phase, dt_s);
}

#define MOST_ATTEMPTS 1000 // each but the last one parks a piece

// Of scripts or plugins, since it was last asked.
static bool has_failed(game_o *g) {
  bool plugin = plugins_take_failure(g->plugins);
  return vm_attempt_failed(g->vm) || plugin;
}

static void run(game_o *g, phase_t last, float dt_s) {
  bool undoes = undo_begin(g->undo, g->world, &g->requests);
  if (undoes)
    vm_attempt_begin(g->vm);
  plugins_take_failure(g->plugins); // while drawing
  run_phases(g, last, dt_s);
  for (int i = 1; undoes && i < MOST_ATTEMPTS && has_failed(g); i++) {
    if (!undo_back(g->undo, g->world, &g->requests))
      break;
    scenes_forget(g->scenes);
    vm_attempt_again(g->vm);
    run_phases(g, last, dt_s);
  }
  vm_attempt_end(g->vm);
}

void game_tick(game_o *g) {
  run(g, PHASE_POST_UPDATE, (float)world_dt_s(g->world));
  world_end_tick(g->world);
}

void game_idle(game_o *g) {
  run(g, PHASE_INPUT, 0.0f);
}

void game_render(game_o *g, float dt_s) {
  schedule_run(g->schedule, g->world, PHASE_RENDER, dt_s);
}
