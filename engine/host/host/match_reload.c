// Trials of changed code by the modules of reloads, and the files on disk.
#include "host/match_reload.h"

#include "base/assert.h"
#include "game/game.h"
#include "host/game_options.h"
#include "host/game_switch.h"
#include "host/host_internal.h"
#include "match/source_bundle.h"
#include "reload/background_trial.h"
#include "saves/game_saves.h"

#include <stdlib.h>
#include <string.h>

#define LOAD_MS 5000u // limit of CPU time for loading changed code

struct match_reload_o {
  host_o *host;
  match_game_o *match_game;
  allocator_t memory;
  sources_o *start; // sources of the game that was running at the start of the match
  bool accepts;     // changed code
  // Trial
  sources_o *changed; // NULL: none
  background_trial_t trial;
  reload_verdict_t verdict;
  game_o *loaded; // NULL until the trial has passed
  // All changes since the start
  uint8_t *changes;
  size_t changes_size;
  // Files of the user
  sources_o *disk;     // as they were when the user's changes were last accepted
  sources_o *proposed; // with changes that are undecided; NULL: none
  bool has_changes;
};

static game_o *get_game(const match_reload_o *r) {
  return r->host->session.game;
}

static sources_o *read_folder(const match_reload_o *r) {
  const session_t *s = &r->host->session;
  sources_o *sources = sources_create(s->folder, s->paths.engine, NULL);
  sources_seal(sources);
  return sources;
}

match_reload_o *match_reload_create(host_o *h) {
  match_reload_o *r = alloc_object(sizeof *r);
  r->host = h;
  r->start = get_game(r)->desc.sources;
  sources_retain(r->start);
  r->disk = h->session.options.share_code ? read_folder(r) : NULL;
  return r;
}

void match_reload_set_game(match_reload_o *r, match_game_o *mg) {
  r->match_game = mg;
}

// --- trials

static void end_trial(void *context) {
  match_reload_o *r = context;
  background_trial_abandon(&r->trial);
  game_destroy(r->loaded);
  sources_release(r->changed);
  r->loaded = NULL;
  r->changed = NULL;
}

void match_reload_destroy(match_reload_o *r) {
  if (!r)
    return;
  end_trial(r);
  source_bundle_free(&r->memory, r->changes, r->changes_size);
  sources_release(r->proposed);
  sources_release(r->disk);
  sources_release(r->start);
  shoal_assert(r->memory.bytes == 0, "%zu bytes of shared changes were not freed", r->memory.bytes);
  free(r);
}

static uint64_t get_hash(void *context) {
  const match_reload_o *r = context;
  return sources_hash(get_game(r)->desc.sources);
}

static game_desc_t build_desc(match_reload_o *r) {
  game_desc_t desc = game_options_build_desc(r->host);
  desc.seed = get_game(r)->desc.seed;
  desc.sources = r->changed;
  desc.compiled_sources = NULL;
  uint32_t load_ms = desc.budgets.ms[SCRIPT_BUDGET_LOAD];
  desc.budgets.ms[SCRIPT_BUDGET_LOAD] = load_ms > 0 && load_ms < LOAD_MS ? load_ms : LOAD_MS;
  desc.trust = false;
  desc.is_shared = desc.reuse_libraries = true;
  return desc;
}

static bool begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete, error_info_t *reason) {
  match_reload_o *r = context;
  session_t *s = &r->host->session;
  end_trial(r);
  r->changed = source_bundle_apply(is_complete ? r->start : get_game(r)->desc.sources, bytes, size, reason);
  if (!r->changed)
    return false;
  game_saves_end_autosave(s); // threads may hold locks while the process forks
  time_travel_stop_thread(s);
  game_desc_t desc = build_desc(r);
  return background_trial_begin(&r->trial, get_game(r), &desc) ||
         error_set(reason, "The changes cannot be tried on this machine.\nthe system cannot create a process");
}

// Stores all changes since the start. A machine that joins must be able to receive them.
static bool store_changes(match_reload_o *r, sources_o *sources, error_info_t *reason) {
  uint32_t count;
  source_bundle_free(&r->memory, r->changes, r->changes_size);
  r->changes_size = 0;
  r->changes = source_bundle_write(&r->memory, r->start, sources, &r->changes_size, &count, reason);
  return r->changes != NULL;
}

static bool fail(const script_report_t *report, error_info_t *reason) {
  char line[sizeof report->message + sizeof report->file + 32];
  script_report_format_line(report, line, sizeof line);
  return error_set(reason, "The changed code has an error.\n%s", line);
}

// Loads the code here if the thread could not, for example because an asset has appeared meanwhile.
static bool keep_loaded(match_reload_o *r, game_o *loaded, error_info_t *reason) {
  script_report_t report = {0};
  game_desc_t desc = build_desc(r);
  r->loaded = loaded ? loaded : game_load_now(&desc, true, &report);
  return r->loaded ? store_changes(r, r->loaded->desc.sources, reason) : fail(&report, reason);
}

static match_trial_t poll_trial(void *context, uint64_t *hash, error_info_t *reason) {
  match_reload_o *r = context;
  game_o *loaded;
  if (!r->loaded) {
    if (!background_trial_poll(&r->trial, &r->verdict, &loaded))
      return MATCH_TRIAL_RUNNING;
    if (!(r->verdict.passed ? keep_loaded(r, loaded, reason) : fail(&r->verdict.report, reason)))
      return MATCH_TRIAL_FAILED;
  }
  *hash = sources_hash(r->loaded->desc.sources);
  return MATCH_TRIAL_PASSED;
}

// --- replacement

static bool replace(void *context, error_info_t *reason) {
  match_reload_o *r = context;
  script_report_t report = {0};
  game_o *loaded = r->loaded;
  r->loaded = NULL;
  if (!game_switch_reload_in_match(r->host, loaded, &r->verdict, &report))
    return fail(&report, reason);
  match_game_set_game(r->match_game, get_game(r));
  return true;
}

static size_t write_changes(void *context, const uint8_t **bytes) {
  static const uint8_t NO_CHANGES[] = {0};
  match_reload_o *r = context;
  bool ok = store_changes(r, get_game(r)->desc.sources, NULL);
  *bytes = ok ? r->changes : NO_CHANGES;
  return ok ? r->changes_size : sizeof NO_CHANGES;
}

match_code_t match_reload_get_code(match_reload_o *r, bool accepts) {
  r->accepts = accepts;
  return (match_code_t){.context = r,
                        .get_hash = get_hash,
                        .begin_trial = accepts ? begin_trial : NULL,
                        .poll_trial = poll_trial,
                        .end_trial = end_trial,
                        .replace = replace,
                        .write_changes = write_changes};
}

bool match_reload_has_changed(const match_reload_o *r) {
  return r->accepts && sources_hash(get_game(r)->desc.sources) != sources_hash(r->start);
}

// --- files of the user

void match_reload_note_changes(match_reload_o *r) {
  r->has_changes = true;
}

bool match_reload_propose(match_reload_o *r, match_o *m, error_info_t *error) {
  uint32_t count = 0;
  size_t size = 0;
  if (!r->has_changes || match_get_status(m, 0).is_proposing)
    return true;
  sources_release(r->proposed);
  r->proposed = read_folder(r);
  uint8_t *bytes = source_bundle_write(&r->memory, r->disk, r->proposed, &size, &count, error);
  r->has_changes = bytes && count > 0 && !match_propose_code(m, bytes, size);
  bool ok = bytes && (count > 0 || error_set(error, "Only the game's own files can be reloaded in a match.\n"
                                                    "no Lua file, scene or data file has changed"));
  source_bundle_free(&r->memory, bytes, size);
  return ok;
}

void match_reload_note_result(match_reload_o *r, bool accepted) {
  if (accepted && r->proposed) {
    sources_release(r->disk);
    r->disk = r->proposed;
    r->proposed = NULL;
  }
}
