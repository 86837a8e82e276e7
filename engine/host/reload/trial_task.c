// Writes the input of a trial, and runs the trial in the task. The input begins with trial_input_t, followed by the
// failures of the game, the snapshot of its world, and texts. A text has its size (4 bytes), its bytes, and a '\0'. The
// lists of texts end with an empty name.
#include "reload/trial_task.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "base/pages.h"
#include "game/players.h"
#include "reload/dry_run.h"
#include "reload/reload.h"
#include "reload/trial_tick.h"
#include "watchdog/watchdog.h"

#include <stdio.h>
#include <string.h>

#define MEMORY_MB 16384u              // limit of the task, which creates two games
#define LOAD_MS (BUDGET_LOAD_MS * 3u) // CPU time for creating both games and migrating the world

typedef struct trial_input_t {
  game_desc_t old_desc, desc; // without pointers (copy_plain)
  bool has_texts;             // true if the texts of the new files are part of the input; otherwise they are read
  // State of the running game that its world does not contain
  input_state_t input, input_before;
  bool paused, in_match;
  uint8_t local_players[PLAYER_MAX];
  uint32_t local_player_count;
  player_status_t player_status[PLAYER_MAX];
  player_info_t player_infos[PLAYER_MAX];
  asset_checks_t checks;
  // Sizes of the two parts that follow
  uint32_t failure_count;
  uint64_t state_bytes;
} trial_input_t;

// Returns the members of a description that are not pointers. The others depend on the process.
static game_desc_t copy_plain(const game_desc_t *desc) {
  return (game_desc_t){.accepts_missing_files = desc->accepts_missing_files,
                       .seed = desc->seed,
                       .local_players = desc->local_players,
                       .headless = desc->headless,
                       .trust = desc->trust,
                       .check_tables = desc->check_tables,
                       .metadata = desc->metadata,
                       .no_jit = desc->no_jit,
                       .strict = desc->strict,
                       .is_shared = desc->is_shared,
                       .is_served = desc->is_served,
                       .budgets = desc->budgets,
                       .memory_mb = desc->memory_mb,
                       .block_mb = desc->block_mb,
                       .undo_failures = desc->undo_failures,
                       .undo_stops = desc->undo_stops,
                       .track_touched = desc->track_touched,
                       .in_fork = true};
}

// --- writing

typedef struct writer_t {
  uint8_t *out; // NULL: only counts the bytes
  size_t size;
} writer_t;

static void write_bytes(writer_t *w, const void *bytes, size_t size) {
  if (w->out && size > 0)
    memcpy(w->out + w->size, bytes, size);
  w->size += size;
}

static void write_text(writer_t *w, const char *text, size_t size) {
  uint32_t length = (uint32_t)size;
  write_bytes(w, &length, sizeof length);
  write_bytes(w, text, size);
  write_bytes(w, "", 1);
}

static void write_string(writer_t *w, const char *text) {
  write_text(w, text ? text : "", text ? strlen(text) : 0);
}

// Writes the files that could be read, and the add-ons.
static void write_sources(writer_t *w, sources_o *sources) {
  const char *name;
  for (uint32_t i = 0; (name = sources_file_name(sources, i)) != NULL; ++i) {
    size_t size;
    const char *text = sources_read_text(sources, name, &size, NULL);
    if (!text)
      continue;
    write_string(w, name);
    write_text(w, text, size);
  }
  write_string(w, "");
  for (uint32_t i = 0; (name = sources_addon_name(sources, i)) != NULL; ++i) {
    write_string(w, name);
    write_string(w, sources_addon_version(sources, i));
    write_string(w, sources_addon_folder(sources, i));
  }
  write_string(w, "");
}

static void write_texts(writer_t *w, const game_o *old, const game_desc_t *desc) {
  const assets_t *assets = desc->assets;
  write_string(w, desc->folder);
  write_string(w, desc->engine_folder);
  write_string(w, desc->engine_code);
  write_string(w, desc->native);
  write_string(w, assets->game);
  write_string(w, assets->engine);
  for (uint32_t i = 0; i < desc->kept_file_count; ++i)
    write_string(w, desc->kept_files[i]);
  write_string(w, "");
  write_sources(w, old->desc.sources);
  if (desc->sources)
    write_sources(w, desc->sources);
}

static size_t write_input(uint8_t *out, const game_o *old, const game_desc_t *desc, const snapshot_o *snapshot) {
  writer_t w = {.out = out};
  size_t state_bytes;
  const void *state = snapshot_bytes(snapshot, &state_bytes);
  trial_input_t input = {.old_desc = copy_plain(&old->desc),
                         .desc = copy_plain(desc),
                         .has_texts = desc->sources != NULL,
                         .input = old->input,
                         .input_before = old->input_before,
                         .paused = old->paused,
                         .in_match = old->in_match,
                         .local_player_count = old->local_player_count,
                         .failure_count = old->parked.items.count,
                         .state_bytes = state_bytes};
  memcpy(input.local_players, old->local_players, sizeof input.local_players);
  memcpy(input.player_status, old->player_status, sizeof input.player_status);
  memcpy(input.player_infos, old->player_infos, sizeof input.player_infos);
  if (desc->assets->checks)
    input.checks = *desc->assets->checks;
  write_bytes(&w, &input, sizeof input);
  write_bytes(&w, old->parked.items.items, input.failure_count * sizeof *old->parked.items.items);
  write_bytes(&w, state, state_bytes);
  write_texts(&w, old, desc);
  return w.size;
}

void trial_task_end(trial_task_t *t) {
  if (t->input)
    pages_release(t->input, t->input_bytes);
  if (t->system)
    pages_release(t->system, GAME_SYSTEM_NAME_BYTES);
  *t = (trial_task_t){0};
}

bool trial_task_begin(trial_task_t *t, child_t *child, game_o *old, const game_desc_t *desc) {
  shoal_assert(!t->input, "a task is running");
  if (plugins_are_open(old->plugins) || desc->plugin_count > 0 || desc->lobby || desc->match_menu)
    return false;
  snapshot_o *snapshot = snapshot_create(&old->memory);
  bool ok = snapshot_take(snapshot, old->world, NULL);
  if (ok) {
    t->input_bytes = write_input(NULL, old, desc, snapshot);
    t->input = pages_map_shared(t->input_bytes);
    t->system = pages_map_shared(GAME_SYSTEM_NAME_BYTES);
    ok = t->input && t->system;
  }
  if (ok) {
    write_input(t->input, old, desc, snapshot);
    t->tick_ms = reload_get_trial_limit_ms(desc);
    ok = task_begin(child, &(task_desc_t){.type = &TRIAL_TASK,
                                          .input = t->input,
                                          .input_bytes = t->input_bytes,
                                          .output = t->system,
                                          .output_bytes = GAME_SYSTEM_NAME_BYTES,
                                          .limit_ms = LOAD_MS + t->tick_ms,
                                          .memory_mb = MEMORY_MB});
  }
  snapshot_release(snapshot);
  if (!ok)
    trial_task_end(t);
  return ok;
}

// --- the verdict

// Only the task knows the files of new systems. Most systems are named after their files.
static void find_file_of_new_system(const game_o *old, const char *system, char *out, size_t bytes) {
  char path[1024];
  (void)snprintf(out, bytes, "systems/%s.lua", system);
  if (!file_exists(path_join(path, sizeof path, old->folder, out)))
    out[0] = '\0';
}

// A fork runs its trial ticks in children of its own, and describes their failures itself.
static void describe_lost_child(const trial_task_t *t, const child_t *child, const game_o *old, script_report_t *out) {
  error_info_t error = {0};
  if (t->system && t->system[0] && !child->interrupted) {
    trial_describe_lost_child(old, child, t->system, out);
    if (!out->file[0])
      find_file_of_new_system(old, t->system, out->file, sizeof out->file);
    return;
  }
  dry_run_set_lost_error(child, "loading the new version of the game", &error);
  report_fill_from_error(out, &error);
}

// Once the trial tick runs, its limit replaces the longer limit for creating the games.
bool trial_task_is_readable(trial_task_t *t, child_t *child) {
  if (t->system && t->system[0] && !t->runs_tick) {
    t->runs_tick = true;
    child_reset_time_used(child);
    child->limit_ms = t->tick_ms;
  }
  return child_is_readable(child);
}

void trial_task_receive(trial_task_t *t, child_t *child, const game_o *old, reload_verdict_t *out) {
  memset(out, 0, sizeof *out);
  while (t->system && !trial_task_is_readable(t, child) && !interrupt_is_requested())
    now_sleep_ns(NS_PER_MS);
  bool answered = !child->late && child_read(child, out, sizeof *out);
  child_end(child);
  if (!answered) {
    memset(out, 0, sizeof *out);
    describe_lost_child(t, child, old, &out->report);
  }
  trial_task_end(t);
}

bool trial_task_run(game_o *old, const game_desc_t *desc, reload_verdict_t *out) {
  trial_task_t task = {0};
  child_t child;
  if (!trial_task_begin(&task, &child, old, desc))
    return false;
  trial_task_receive(&task, &child, old, out);
  return true;
}

// --- the task

typedef struct reader_t {
  const uint8_t *at, *end;
} reader_t;

static const void *read_bytes(reader_t *r, size_t size) {
  const void *bytes = r->at;
  shoal_assert(size <= (size_t)(r->end - r->at), "the input of a trial ends too early");
  r->at += size;
  return bytes;
}

static const char *read_text(reader_t *r, size_t *size) {
  uint32_t length;
  memcpy(&length, read_bytes(r, sizeof length), sizeof length);
  *size = length;
  return read_bytes(r, length + 1u);
}

static const char *read_string(reader_t *r) {
  size_t size;
  return read_text(r, &size);
}

static sources_o *read_sources(reader_t *r, const char *folder, const char *engine_folder) {
  allocator_t memory = {0};
  ARRAY(source_change_t) files = {0};
  source_addon_t addons[SOURCES_MAX_ADDONS];
  uint32_t addon_count = 0;
  const char *name;
  while ((name = read_string(r))[0]) {
    source_change_t file = {.name = name};
    file.text = read_text(r, &file.bytes);
    array_push(&memory, &files, file);
  }
  while ((name = read_string(r))[0]) {
    const char *version = read_string(r);
    addons[addon_count++] = (source_addon_t){name, version, read_string(r)};
  }
  sources_o *sources = sources_create_from_texts(folder, engine_folder, files.items, files.count, addons, addon_count);
  array_free(&memory, &files);
  return sources;
}

// What the games in the task use instead of the members of game_desc_t that are pointers.
typedef struct trial_process_t {
  const char *folder, *engine_folder, *engine_code, *native;
  assets_t assets;
  asset_addons_t addons;
  asset_checks_t checks;
  draw_o *draw;
  audio_o *audio;
  maps_o *maps;
  log_o *log;
  char *system;
} trial_process_t;

static void read_process(trial_process_t *p, reader_t *r, const trial_input_t *input, char *system) {
  *p = (trial_process_t){.folder = read_string(r), .checks = input->checks, .system = system};
  p->engine_folder = read_string(r);
  p->engine_code = read_string(r);
  p->native = read_string(r);
  p->assets = (assets_t){.addons = &p->addons, .checks = &p->checks};
  (void)snprintf(p->assets.game, sizeof p->assets.game, "%s", read_string(r));
  (void)snprintf(p->assets.engine, sizeof p->assets.engine, "%s", read_string(r));
  p->log = log_create(LOG_NONE);
  p->draw = draw_create();
  p->audio = audio_create(true, &p->assets, p->log);
  p->maps = maps_create(&p->assets, p->log);
}

static game_desc_t complete_desc(const game_desc_t *plain, const trial_process_t *p) {
  game_desc_t desc = *plain;
  desc.folder = p->folder;
  desc.engine_folder = p->engine_folder;
  desc.engine_code = p->engine_code;
  desc.native = p->native[0] ? p->native : NULL;
  desc.assets = &p->assets;
  desc.draw = p->draw;
  desc.audio = p->audio;
  desc.maps = p->maps;
  desc.log = p->log;
  desc.trial_system = p->system;
  return desc;
}

// Copies the state of the running game that its world does not contain.
static void set_state(game_o *old, const trial_input_t *input, const parked_t *failures) {
  old->input = input->input;
  old->input_before = input->input_before;
  old->paused = input->paused;
  memcpy(old->player_status, input->player_status, sizeof old->player_status);
  memcpy(old->player_infos, input->player_infos, sizeof old->player_infos);
  players_set_local(old, input->local_players, input->local_player_count);
  if (input->in_match)
    players_set_match(old, true);
  for (uint32_t i = 0; i < input->failure_count; ++i)
    parked_list_add(&old->parked, &failures[i]);
}

// Creates the running game again. Returns the game, or NULL with a report.
static game_o *create_old_game(const trial_process_t *p, reader_t *r, const trial_input_t *input,
                               const parked_t *failures, const void *state, script_report_t *report) {
  error_info_t error = {0};
  allocator_t memory = {0};
  game_desc_t desc = complete_desc(&input->old_desc, p);
  desc.sources = read_sources(r, p->folder, p->engine_folder);
  game_o *old = game_create(&desc, true, report);
  if (!old)
    return NULL;
  snapshot_o *snapshot = snapshot_create_from_bytes(&memory, state, input->state_bytes);
  if (!snapshot_restore(snapshot, old->world, &error)) {
    report_fill_from_error(report, &error);
    return NULL;
  }
  set_state(old, input, failures);
  game_mark_resumed(old);
  return old;
}

static void try_change(const task_call_t *call, reload_verdict_t *out) {
  allocator_t memory = {0};
  trial_process_t process;
  ARRAY(const char *) kept_files = {0};
  reader_t r = {.at = call->input, .end = (const uint8_t *)call->input + call->input_bytes};
  const trial_input_t *input = read_bytes(&r, sizeof *input);
  const parked_t *failures = read_bytes(&r, input->failure_count * sizeof *failures);
  const void *state = read_bytes(&r, input->state_bytes);
  read_process(&process, &r, input, call->output);
  for (const char *name; (name = read_string(&r))[0];)
    array_push(&memory, &kept_files, name);
  game_o *old = create_old_game(&process, &r, input, failures, state, &out->report);
  if (!old)
    return;
  game_desc_t desc = complete_desc(&input->desc, &process);
  desc.kept_files = kept_files.items;
  desc.kept_file_count = kept_files.count;
  desc.sources = input->has_texts ? read_sources(&r, desc.folder, desc.engine_folder) : NULL;
  desc.compiled_sources = input->has_texts ? NULL : old->desc.sources;
  reload_try_in_child(old, &desc, NULL, out);
}

// Nothing is freed, because the process of the task ends after this call.
static void run_trial_task(const task_type_t *type, const task_call_t *call) {
  (void)type;
  reload_verdict_t verdict;
  memset(&verdict, 0, sizeof verdict);
  watchdog_reset_after_fork();
  try_change(call, &verdict);
  child_write(call->pipe, &verdict, sizeof verdict);
}

const task_type_t TRIAL_TASK = {.name = "trial", .run = run_trial_task};
