// Runs trials of changed code with the reload modules, and reads the changed files.
#include "host/match_reload.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/files.h"
#include "game/game.h"
#include "game/players.h"
#include "host/file_retry.h"
#include "host/game_options.h"
#include "host/game_switch.h"
#include "host/host_internal.h"
#include "luajit/lua_edit.h"
#include "match/source_bundle.h"
#include "reload/background_trial.h"
#include "saves/game_saves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_MS 5000u // limit of CPU time for loading changed code

// The author of a file's running version.
typedef struct file_author_t {
  char name[SOURCE_BUNDLE_MAX_NAME + 1]; // name of the file
  uint32_t player;
  char player_name[PLAYER_NAME_BYTES];
} file_author_t;

struct match_reload_o {
  host_o *host;
  match_game_o *match_game;
  allocator_t memory;
  sources_o *start; // sources of the game that was running at the start of the match
  bool accepts;     // true if this machine accepts changed code
  // Trial
  sources_o *changed; // sources of the trial; NULL: no trial
  background_trial_t trial;
  reload_verdict_t verdict;
  game_o *loaded; // loaded game; NULL until the trial has passed
  uint32_t proposer;
  char names[4096];             // changed files, separated by ", "
  ARRAY(file_author_t) authors; // authors of the files that were changed during the match
  // Bundle of all changes since the start of the match
  uint8_t *changes;
  size_t changes_size;
  // The user's files
  sources_o *disk;     // sources as of the last accepted proposal of this machine
  sources_o *proposed; // sources with undecided changes; NULL without a proposal
  bool has_changes;    // true if files have changed since they were last read, or could not be proposed
  file_retry_t retry;
  bool has_conflict; // true if machines refused the proposal because they run a newer version, which `disk` still lacks
};

static game_o *get_game(const match_reload_o *r) {
  return r->host->session.game;
}

// Reads the game's folder. `previous`: the sources that were read before; may be NULL. Returns the sources, or NULL
// with a message if the folder or a file cannot be read.
static sources_o *read_folder(const match_reload_o *r, sources_o *previous, error_info_t *error) {
  const session_t *s = &r->host->session;
  sources_o *sources = sources_create(s->folder, s->paths.engine, previous);
  sources_find_missing(sources);
  if (sources_seal(sources, error))
    return sources;
  sources_release(sources);
  return NULL;
}

// Returns true if a Lua file may be only partly written: it is empty, or its code ends early.
static bool is_unfinished(sources_o *sources, const char *name) {
  error_info_t error = {0};
  size_t bytes = 0;
  const char *text = sources_read_text(sources, name, &bytes, NULL);
  return text && path_ends_with(name, ".lua") &&
         (text[strspn(text, " \t\r\n")] == '\0' ||
          (!lua_source_check(name, text, bytes, &error) && error.may_be_unfinished));
}

// Returns true if a file is missing, or differs from `previous` and is unfinished: an editor may still be writing it.
static bool are_unfinished(sources_o *sources, sources_o *previous) {
  const char *name;
  bool found = sources_missing_file(sources) != NULL;
  for (uint32_t i = 0; !found && (name = sources_file_name(sources, i)) != NULL; ++i) {
    size_t bytes = 0, old_bytes = 0;
    const char *text = sources_read_text(sources, name, &bytes, NULL),
               *old_text = sources_read_text(previous, name, &old_bytes, NULL);
    bool is_same = text && old_text && bytes == old_bytes && memcmp(text, old_text, bytes) == 0;
    found = !is_same && is_unfinished(sources, name);
  }
  return found;
}

match_reload_o *match_reload_create(host_o *h) {
  match_reload_o *r = alloc_object(sizeof *r);
  r->host = h;
  r->start = get_game(r)->desc.sources;
  sources_retain(r->start);
  r->disk = h->session.options.share_code ? read_folder(r, NULL, NULL) : NULL;
  if (h->session.options.share_code && !r->disk) { // the files were readable when the game started
    r->disk = r->start;
    sources_retain(r->disk);
  }
  return r;
}

void match_reload_set_game(match_reload_o *r, match_game_o *mg) {
  r->match_game = mg;
}

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
  array_free(&r->memory, &r->authors);
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

// --- authors

static file_author_t *find_author(const match_reload_o *r, const char *name) {
  for (uint32_t i = 0; i < r->authors.count; ++i)
    if (strcmp(r->authors.items[i].name, name) == 0)
      return &r->authors.items[i];
  return NULL;
}

static void set_author(match_reload_o *r, const char *name, uint32_t player) {
  file_author_t *author = find_author(r, name);
  if (!author) {
    array_push(&r->memory, &r->authors, (file_author_t){0});
    author = &r->authors.items[r->authors.count - 1];
  }
  *author = (file_author_t){.player = player};
  (void)snprintf(author->name, sizeof author->name, "%s", name);
  if (player < PLAYER_MAX)
    (void)snprintf(author->player_name, sizeof author->player_name, "%s",
                   players_get_info(get_game(r), player + 1).name);
}

// Notes the proposer of the running changes as the author of the changed files.
static void set_authors(match_reload_o *r) {
  for (char *rest = NULL, *name = strtok_r(r->names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
    set_author(r, name + strspn(name, " "), r->proposer);
}

// Formats an author as "player 2 (Ada)" or "a machine without players". Returns `out`.
static const char *format_author(uint32_t player, const char *name, char out[64]) {
  if (player >= PLAYER_MAX)
    (void)snprintf(out, 64, "a machine without players");
  else
    (void)snprintf(out, 64, "player %u (%.40s)", player + 1, name);
  return out;
}

// Returns true if the changes were made to the running versions of their files. Otherwise, returns false with the
// reason, which names the authors of both versions. The proposer's folder then lacks the running version of a file, so
// the proposer's next change to this file replaces the running version.
static bool check_bases(const match_reload_o *r, const uint8_t *bytes, size_t size, uint32_t proposer,
                        error_info_t *reason) {
  char name[SOURCE_BUNDLE_MAX_NAME + 1], by[64], running[64] = "a former player";
  if (!source_bundle_find_conflict(get_game(r)->desc.sources, bytes, size, name))
    return true;
  const file_author_t *author = find_author(r, name);
  if (author)
    format_author(author->player, author->player_name, running);
  const char *own_name = proposer < PLAYER_MAX ? players_get_info(get_game(r), proposer + 1).name : "";
  return error_set(reason,
                   SOURCE_BUNDLE_CONFLICT
                   "%s: %s has changed an older version than the running version of %s: save the "
                   "file again to replace that version",
                   name, format_author(proposer, own_name, by), running);
}

// --- trials

static bool begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete, uint32_t proposer,
                        error_info_t *reason) {
  match_reload_o *r = context;
  session_t *s = &r->host->session;
  end_trial(r);
  if (!is_complete && !check_bases(r, bytes, size, proposer, reason))
    return false;
  r->changed = source_bundle_apply(is_complete ? r->start : get_game(r)->desc.sources, bytes, size, reason);
  if (!r->changed)
    return false;
  r->proposer = proposer;
  r->names[0] = '\0'; // the authors of complete changes are unknown
  if (!is_complete)
    source_bundle_list(bytes, size, r->names, sizeof r->names);
  game_saves_end_autosave(s); // threads may hold locks while the process forks
  time_travel_stop_thread(s);
  game_desc_t desc = build_desc(r);
  return background_trial_begin(&r->trial, get_game(r), &desc) ||
         error_set(reason, "The changes cannot be tried on this machine.\nthe system cannot create a process");
}

// Stores all changes since the start, for machines that join later. Returns true on success, or false with the reason.
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

// Stores the loaded game. If the background thread could not load the code, for example because an asset has appeared
// in the meantime, loads it on this thread.
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
  set_authors(r);
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

sources_o *match_reload_get_start(const match_reload_o *r) {
  return r->start;
}

const reload_news_t *match_reload_get_news(const match_reload_o *r) {
  return &r->verdict.news;
}

bool match_reload_has_changed(const match_reload_o *r) {
  return r->accepts && sources_hash(get_game(r)->desc.sources) != sources_hash(r->start);
}

// --- user files

void match_reload_note_changes(match_reload_o *r) {
  r->has_changes = true;
}

// Reads the files to propose. Returns true on success. Returns false if they must be read again later, or, with an
// error, if they cannot be read.
static bool read_proposed(match_reload_o *r, double now_s, error_info_t *error) {
  error_info_t reason = {0};
  r->has_changes = false;
  sources_release(r->proposed);
  r->proposed = read_folder(r, r->disk, &reason);
  if (!file_retry_is_last(&r->retry, now_s) && (!r->proposed || are_unfinished(r->proposed, r->disk))) {
    file_retry_schedule(&r->retry, now_s, false);
    return false;
  }
  file_retry_end(&r->retry);
  return r->proposed || error_set(error, "The changed files cannot be read.\n%s", reason.text);
}

// After a conflict, treats the running versions as the base of the user's next changes, because the user was notified
// of these versions. This machine may reload them later than the host.
static void rebase(match_reload_o *r) {
  sources_o *rebased =
      r->has_conflict && r->proposed ? source_bundle_rebase(r->disk, r->proposed, get_game(r)->desc.sources) : NULL;
  if (!rebased)
    return;
  sources_release(r->disk);
  r->disk = rebased;
  r->has_conflict = false;
}

bool match_reload_propose(match_reload_o *r, match_o *m, int64_t now_us, error_info_t *error) {
  uint32_t count = 0;
  size_t size = 0;
  double now_s = (double)now_us * 1e-6;
  rebase(r);
  file_retry_poll(&r->retry, now_s, r->has_changes || game_switch_has_unsettled_files(r->host));
  if (!(r->has_changes || r->retry.is_due) || match_get_status(m, 0).is_proposing)
    return true;
  if (!read_proposed(r, now_s, error))
    return r->retry.due_s > 0;
  uint8_t *bytes = source_bundle_write(&r->memory, r->disk, r->proposed, &size, &count, error);
  r->has_changes = bytes && count > 0 && !match_propose_code(m, bytes, size);
  bool ok = bytes && (count > 0 || error_set(error, "Only the game's own files can be reloaded in a match.\n"
                                                    "no Lua file, scene or data file has changed"));
  source_bundle_free(&r->memory, bytes, size);
  return ok;
}

void match_reload_note_result(match_reload_o *r, const char *refusal) {
  if (!refusal && r->proposed) {
    sources_release(r->disk);
    r->disk = r->proposed;
    r->proposed = NULL;
  }
  r->has_conflict = refusal && strncmp(refusal, SOURCE_BUNDLE_CONFLICT, sizeof SOURCE_BUNDLE_CONFLICT - 1) == 0;
  rebase(r);
}
