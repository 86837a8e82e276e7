// The steps of a reload: a dry run of migrating the plugins' data, building the new game, migrating the world, and a
// trial tick. If any step fails, the old game continues.
#include "reload/reload.h"

#include "base/assert.h"
#include "base/now.h"
#include "content/parked_pieces.h"
#include "reload/changed_entry.h"
#include "process/child.h"
#include "reload/dry_run.h"
#include "reload/trial_task.h"
#include "reload/trial_tick.h"
#include "snapshot/state.h"
#include "store/map_objects.h"

#include <stdio.h>
#include <string.h>

// --- differences between the games

static void add_file_name(reload_news_t *news, const char *name) {
  size_t length = strlen(news->names), remaining = sizeof news->names - length;
  news->file_count++;
  if (strlen(name) + 8 < remaining)
    snprintf(news->names + length, remaining, "%s%s", length ? ", " : "", name);
  else if (remaining > 6 && (length < 5 || strcmp(news->names + length - 3, "…") != 0))
    snprintf(news->names + length, remaining, ", …");
}

static bool has_same_text(sources_o *a, sources_o *b, const char *name) {
  size_t a_bytes = 0, b_bytes = 0;
  const char *a_text = sources_read_text(a, name, &a_bytes, NULL), *b_text = sources_read_text(b, name, &b_bytes, NULL);
  return a_text && b_text ? a_bytes == b_bytes && memcmp(a_text, b_text, a_bytes) == 0 : a_text == b_text;
}

static void append_line(void *context, const char *line) {
  reload_news_t *news = context;
  size_t length = strlen(news->details), remaining = sizeof news->details - length;
  if (strlen(line) + 2 < remaining)
    snprintf(news->details + length, remaining, "%s\n", line);
}

static void append_kept(void *context, const char *line) {
  reload_news_t *news = context;
  append_line(context, line);
  if (!news->kept[0])
    snprintf(news->kept, sizeof news->kept, "%s", line);
}

// Appends a line to `delayed`, the last part of the summary, which lists the changes that take effect later.
static void append_delayed_line(void *context, const char *line) {
  reload_news_t *news = context;
  size_t length = strlen(news->delayed), remaining = sizeof news->delayed - length;
  if (strlen(line) + 3 < remaining)
    snprintf(news->delayed + length, remaining, "; %s", line);
}

static void apply_scene_change(game_o *old, game_o *fresh, const char *file, reload_news_t *news) {
  uint32_t kept_values = 0;
  if (strncmp(file, "scenes/", 7) == 0)
    news->migration.merge.entities_touched +=
        scene_files_apply_change(fresh->scene_files, file, old->desc.sources, fresh->desc.sources,
                                 &(scene_listener_t){append_line, append_delayed_line, news}, &kept_values);
  news->migration.merge.values_kept += kept_values;
}

// Returns true if `file` is game.lua and its `start` or `scene` may have changed. These two settings take effect only
// when the game starts.
static bool has_start_changed(game_o *old, game_o *fresh, const char *file) {
  if (strcmp(file, "game.lua") != 0)
    return false;
  size_t old_bytes = 0, new_bytes = 0;
  const char *old_text = sources_read_text(old->desc.sources, file, &old_bytes, NULL);
  const char *new_text = sources_read_text(fresh->desc.sources, file, &new_bytes, NULL);
  allocator_t memory = {0};
  return has_entry_changed(&memory, old_text, old_bytes, new_text, new_bytes, "start") ||
         has_entry_changed(&memory, old_text, old_bytes, new_text, new_bytes, "scene");
}

// Adds the names of all files that differ between the games to `news`, and applies changed scenes. The file lists of
// both games are sorted.
static void compare_files(game_o *old, game_o *fresh, reload_news_t *news) {
  sources_o *old_sources = old->desc.sources, *new_sources = fresh->desc.sources;
  const char *old_name, *new_name;
  for (uint32_t i = 0, j = 0; old_name = sources_file_name(old_sources, i),
                new_name = sources_file_name(new_sources, j), old_name || new_name;) {
    int order = !old_name ? 1 : !new_name ? -1 : strcmp(old_name, new_name);
    shoal_assert(!old_name || i == 0 || strcmp(sources_file_name(old_sources, i - 1), old_name) < 0,
                 "source names are not sorted: %s is out of order", old_name);
    shoal_assert(!new_name || j == 0 || strcmp(sources_file_name(new_sources, j - 1), new_name) < 0,
                 "source names are not sorted: %s is out of order", new_name);
    bool has_changed = order == 0 && !has_same_text(old_sources, new_sources, old_name);
    if (order != 0 || has_changed)
      add_file_name(news, order > 0 ? new_name : old_name);
    if (has_changed)
      apply_scene_change(old, fresh, old_name, news);
    news->needs_restart |= has_changed && has_start_changed(old, fresh, old_name);
    i += order <= 0;
    j += order >= 0;
  }
}

static void compare_plugins(const game_o *old, const game_o *fresh, reload_news_t *news) {
  char name[128];
  for (uint32_t i = 0; plugins_find_difference(fresh->plugins, old->plugins, i, name, sizeof name); ++i)
    add_file_name(news, name);
}

static bool has_system(const schedule_o *s, const char *name) {
  phase_t phase;
  uint32_t i;
  return schedule_find_system(s, name, &phase, &i);
}

static uint32_t count_missing_systems(const schedule_o *present, const schedule_o *required) {
  uint32_t count = 0;
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(required, phase); ++i)
      count += !has_system(present, schedule_system_name(required, phase, i));
  return count;
}

static void compare_systems(game_o *old, game_o *fresh, reload_news_t *news) {
  char file[256];
  news->systems_added = count_missing_systems(old->schedule, fresh->schedule);
  news->systems_removed = count_missing_systems(fresh->schedule, old->schedule);
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(fresh->schedule, phase); ++i) {
      const char *name = schedule_system_name(fresh->schedule, phase, i);
      if (has_system(old->schedule, name) && vm_system_file(fresh->vm, name, file, sizeof file))
        news->systems_changed += !has_same_text(old->desc.sources, fresh->desc.sources, file);
    }
}

static void append_count(char *out, size_t bytes, uint32_t count, const char *singular, const char *plural) {
  size_t length = strlen(out);
  if (count > 0)
    snprintf(out + length, bytes - length, "%s%u %s", length ? ", " : "", count, count == 1 ? singular : plural);
}

char *reload_format_summary(const reload_news_t *news, char *out, size_t out_bytes) {
  const world_migrate_counts_t *counts = &news->migration;
  out[0] = '\0';
  append_count(out, out_bytes, news->systems_changed, "system changed", "systems changed");
  append_count(out, out_bytes, news->systems_added, "system added", "systems added");
  append_count(out, out_bytes, news->systems_removed, "system removed", "systems removed");
  append_count(out, out_bytes, counts->schemas.fields_added, "field added", "fields added");
  append_count(out, out_bytes, counts->schemas.fields_renamed, "field renamed", "fields renamed");
  append_count(out, out_bytes, counts->schemas.fields_converted, "field converted", "fields converted");
  append_count(out, out_bytes, counts->schemas.components_migrated, "component migrated", "components migrated");
  append_count(out, out_bytes, counts->schemas.fields_dropped, "field dropped", "fields dropped");
  append_count(out, out_bytes, counts->schemas.components_dropped, "component dropped", "components dropped");
  append_count(out, out_bytes, counts->merge.entities_touched, "entity updated", "entities updated");
  append_count(out, out_bytes, counts->merge.values_kept, "value kept", "values kept");
  append_count(out, out_bytes, news->objects_spawned, "map object spawned", "map objects spawned");
  append_count(out, out_bytes, news->unparked, "parked function resumed", "parked functions resumed");
  append_count(out, out_bytes, news->still_parked, "parked function still fails", "parked functions still fail");
  return out;
}

// --- the event

static double get_event_field_value(world_o *w, const char *field, const reload_news_t *news) {
  if (strcmp(field, "files") == 0)
    return strings_intern(world_strings(w), news->names);
  if (strcmp(field, "systems") == 0)
    return news->systems_changed + news->systems_added + news->systems_removed;
  if (strcmp(field, "fields") == 0)
    return news->migration.schemas.fields_added + news->migration.schemas.fields_renamed +
           news->migration.schemas.fields_converted + news->migration.schemas.fields_dropped;
  return news->migration.merge.entities_touched;
}

// Emits shoal.reload. A world has the event only if a system handles it, so worlds without handlers do not change.
static void emit_reload_event(world_o *w, const reload_news_t *news) {
  event_o *event = world_find_event(w, "shoal.reload");
  if (!event)
    return;
  uint32_t ticket = world_emit_event(w, event->id);
  for (uint32_t i = 0; i < event->schema.field_count; ++i)
    world_set_event_field(w, ticket, i, get_event_field_value(w, event->schema.fields[i].name, news));
}

// --- the transaction

uint32_t reload_get_trial_limit_ms(const game_desc_t *desc) {
  return desc->budgets.ms[SCRIPT_BUDGET_SYSTEM] == 0 ? RELOAD_LONG_TRIAL_MS : RELOAD_TRIAL_MS;
}

static bool check_plugins(const game_o *old, const game_o *fresh, script_report_t *report) {
  error_info_t error;
  if (plugins_check_managers(fresh->plugins, old->plugins, &error))
    return true;
  *report = (script_report_t){.tick = world_tick(old->world), .piece = "the plugins"};
  snprintf(report->message, sizeof report->message, "%s", error.text);
  return false;
}

// Migrates the old world into `fresh` and compares both games. Returns `fresh`, or destroys it and returns NULL with a
// report. `state`: a snapshot of the old world; NULL: this function takes one. `limit_ms`: time limit of each `migrate`
// in milliseconds, in addition to the budget; 0: no limit.
static game_o *migrate_game(game_o *old, game_o *fresh, uint32_t limit_ms, snapshot_o *state, reload_news_t *news,
                            script_report_t *report) {
  *news = (reload_news_t){0};
  game_migrate_desc_t desc = {
      .log_line = append_line, .log_context = news, .log_kept = append_kept, .snapshot = state, .limit_ms = limit_ms};
  if (!game_migrate_from(fresh, old, &desc, &news->migration, report) || !check_plugins(old, fresh, report)) {
    game_destroy(fresh);
    return NULL;
  }
  compare_files(old, fresh, news);
  compare_plugins(old, fresh, news);
  compare_systems(old, fresh, news);
  news->objects_spawned = map_objects_retry(fresh->world);
  emit_reload_event(fresh->world, news);
  return fresh;
}

// Returns true on success, or false with a report if a required file of the old game is missing.
static bool check_missing_files(const game_o *old, const game_o *fresh, script_report_t *report) {
  const char *name = sources_missing_file(fresh->desc.sources);
  if (!name || fresh->desc.accepts_missing_files)
    return true;
  *report = (script_report_t){.tick = world_tick(old->world), .may_be_unfinished = true};
  snprintf(report->piece, sizeof report->piece, "%.95s", name);
  snprintf(report->message, sizeof report->message, "file not found");
  snprintf(report->file, sizeof report->file, "%s", name);
  return false;
}

static game_o *build_and_migrate(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_news_t *news,
                                 script_report_t *report) {
  game_o *fresh = game_create(desc, true, report);
  if (!fresh || check_missing_files(old, fresh, report))
    return fresh ? migrate_game(old, fresh, 0, state, news, report) : NULL;
  game_destroy(fresh);
  return NULL;
}

// Runs the `stop` hooks of removed systems, then migrates the world, which the hooks may have changed. If the migration
// fails, restores the old world.
static game_o *stop_and_migrate(game_o *old, game_o *fresh, uint32_t limit_ms, reload_news_t *news,
                                script_report_t *report) {
  error_info_t error = {0};
  snapshot_o *snapshot = snapshot_create(&old->memory);
  bool snapshot_taken = snapshot_take(snapshot, old->world, &error);
  if (snapshot_taken)
    game_stop_removed_systems(old, fresh->vm);
  fresh = migrate_game(old, fresh, limit_ms, NULL, news, report);
  bool restored = fresh || !snapshot_taken || snapshot_restore(snapshot, old->world, &error);
  shoal_assert(restored, "cannot restore the old world: %s", error.text);
  (void)restored;
  snapshot_release(snapshot);
  return fresh;
}

// Builds the new game again from the same sources, runs the `stop` hooks of removed systems, and migrates the world
// again: the world in `fresh` lacks the changes of these hooks.
static game_o *rebuild_after_stop(game_o *old, game_o *fresh, const game_desc_t *desc, reload_news_t *news,
                                  script_report_t *report) {
  game_desc_t rebuild_desc = *desc;
  reload_news_t trial_news = *news;
  rebuild_desc.sources = fresh->desc.sources;
  sources_retain(rebuild_desc.sources);
  game_destroy(fresh);
  fresh = game_create(&rebuild_desc, true, report);
  sources_release(rebuild_desc.sources);
  if (fresh)
    fresh = stop_and_migrate(old, fresh, 0, news, report);
  news->still_parked = trial_news.still_parked;
  news->unparked = trial_news.unparked;
  return fresh;
}

static bool has_report(const trial_t *trial, const char *piece) {
  for (uint32_t i = 0; i < trial->report_count; ++i)
    if (strcmp(trial->reports[i].piece, piece) == 0)
      return true;
  return false;
}

// Returns the first failure that the change has caused, or NULL if it has caused no failure. Failures that the old game
// already has, or would also have in this tick, do not count as caused by the change.
static const script_report_t *find_first_new_failure(game_o *old, const trial_t *trial, uint32_t limit_ms) {
  trial_t old_trial = {0};
  for (uint32_t i = 0; i < trial->report_count; ++i) {
    if (parked_find_piece(&old->parked, trial->reports[i].piece))
      continue;
    if (!old_trial.has_run)
      trial_run_tick(old, limit_ms, &old_trial);
    if (!has_report(&old_trial, trial->reports[i].piece))
      return &trial->reports[i];
  }
  return NULL;
}

// Returns true if the piece of code is still parked, and `failure` is its first entry. A piece counts as parked if it
// is never retried, waits for a retry, or has not run successfully since its retry.
static bool is_parked(const game_o *g, const parked_t *failure) {
  parked_state_t state = parked_piece_state(g->world, parked_piece_find(g->world, failure->name));
  return !failure->is_recurring &&
         (!parked_is_retried(failure->kind) || state == PARKED_STATE_WAITING || state == PARKED_STATE_TRIED);
}

// Appends the changed systems that the trial tick did not run to the summary, because their changes are not tested.
static void add_systems_not_run(game_o *old, game_o *fresh, const trial_t *trial, reload_news_t *news) {
  char list[sizeof news->delayed] = "", file[256];
  for (const char *line = trial->not_run, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    const char *name = strchr(line, '\t');
    shoal_assert(name && name < end, "a line must contain a file and a name");
    size_t length = strlen(list), remaining = sizeof list - length;
    snprintf(file, sizeof file, "%.*s", (int)(name - line), line);
    if (!has_same_text(old->desc.sources, fresh->desc.sources, file) && (size_t)(end - name) + 64 < remaining)
      snprintf(list + length, remaining, "%s%.*s",
               length ? ", " : "not tested by the trial tick: ", (int)(end - name - 1), name + 1);
  }
  if (list[0])
    append_delayed_line(news, list);
}

static bool run_trial(game_o *old, game_o *fresh, uint32_t limit_ms, reload_news_t *news, script_report_t *report) {
  trial_t trial;
  trial_run_tick(fresh, limit_ms, &trial);
  if (!trial.has_run)
    return true;
  const script_report_t *failure =
      trial.completed ? find_first_new_failure(old, &trial, limit_ms) : &trial.crash_report;
  if (failure) {
    *report = *failure;
    return false;
  }
  for (uint32_t i = 0; i < old->parked.items.count; ++i) {
    const char *piece = old->parked.items.items[i].error.piece;
    if (!is_parked(old, &old->parked.items.items[i]))
      continue;
    bool still_fails = has_report(&trial, piece) || parked_find_piece(&fresh->parked, piece);
    news->still_parked += still_fails;
    news->unparked += !still_fails;
  }
  add_systems_not_run(old, fresh, &trial, news);
  return true;
}

// Input of a dry run that migrates an old library's data to a new library. The dry run is a child process because the
// libraries' code may crash.
typedef struct rehearsal_t {
  game_o *old;
  const game_desc_t *desc;
  // Snapshot of the old world, taken before the fork. In the child, taking it could hang: an old library may wait for
  // locks held by threads that do not exist there.
  snapshot_o *snapshot;
} rehearsal_t;

// Runs in the child. Returns true on success, or false with an error if a manager of a plugin fails after the
// migration. Also returns true if the migration itself fails, because the real migration reports that error.
static bool migrate_in_child(void *context, error_info_t *error) {
  const rehearsal_t *rehearsal = context;
  reload_news_t news;
  script_report_t report;
  jobs_reset_after_fork(rehearsal->desc->jobs);
  game_desc_t desc = *rehearsal->desc;
  desc.in_fork = true;
  game_o *fresh = build_and_migrate(rehearsal->old, &desc, rehearsal->snapshot, &news, &report);
  if (!fresh)
    return true;
  plugins_test_managers(fresh->plugins);
  return plugins_check_managers(fresh->plugins, rehearsal->old->plugins, error);
}

static bool dry_run_migration(game_o *old, const game_desc_t *desc, script_report_t *report) {
  char name[128], action[192];
  rehearsal_t rehearsal = {.old = old, .desc = desc};
  error_info_t error = {0};
  if (!plugins_need_reload(old->plugins, name, sizeof name))
    return true;
  snprintf(action, sizeof action, "migrating the world to the new %s", name);
  rehearsal.snapshot = snapshot_create(&old->memory);
  bool passed = snapshot_take(rehearsal.snapshot, old->world, &error) &&
                dry_run_in_child(migrate_in_child, &rehearsal, reload_get_trial_limit_ms(desc), action, &error);
  snapshot_release(rehearsal.snapshot);
  if (passed)
    return true;
  error_set_piece(&error, name);
  report_fill_from_error(report, &error);
  report->tick = world_tick(old->world);
  return false;
}

void reload_try_in_child(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_verdict_t *out) {
  int64_t start_ns = now_thread_ns();
  game_o *fresh = build_and_migrate(old, desc, state, &out->news, &out->report);
  out->spent_ms = (uint32_t)((now_thread_ns() - start_ns) / NS_PER_MS);
  if (!fresh)
    return;
  plugins_test_managers(fresh->plugins); // may crash; errors are reported by the next call
  out->sources_hash = sources_hash(fresh->desc.sources);
  out->passed = check_plugins(old, fresh, &out->report) &&
                run_trial(old, fresh, reload_get_trial_limit_ms(desc), &out->news, &out->report);
}

static void copy_trial_news(const reload_verdict_t *verdict, reload_news_t *news) {
  news->still_parked = verdict->news.still_parked;
  news->unparked = verdict->news.unparked;
  memcpy(news->delayed, verdict->news.delayed, sizeof news->delayed);
}

// Tries and applies a change on a system that cannot fork.
static game_o *try_in_task(game_o *old, const game_desc_t *desc, const reload_verdict_t *verdict, reload_news_t *news,
                           script_report_t *report) {
  *report = verdict->report;
  game_o *fresh = verdict->passed ? build_and_migrate(old, desc, NULL, news, report) : NULL;
  if (!fresh)
    return NULL;
  news->is_stale = sources_hash(fresh->desc.sources) != verdict->sources_hash;
  copy_trial_news(verdict, news);
  if (!news->is_stale)
    return fresh;
  game_destroy(fresh);
  return NULL;
}

static game_o *try_and_apply(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report) {
  reload_verdict_t verdict;
  if (!child_can_fork() && trial_task_run(old, desc, &verdict))
    return try_in_task(old, desc, &verdict, news, report);
  game_o *fresh = dry_run_migration(old, desc, report) ? build_and_migrate(old, desc, NULL, news, report) : NULL;
  if (!fresh || run_trial(old, fresh, reload_get_trial_limit_ms(desc), news, report))
    return fresh;
  game_destroy(fresh);
  return NULL;
}

static bool stop_plugin_threads(const game_o *old, script_report_t *report) {
  error_info_t error;
  shoal_assert(!world_is_deferring(old->world), "cannot reload while a system runs");
  if (plugins_stop_threads(&error))
    return true;
  report_fill_from_error(report, &error);
  report->tick = world_tick(old->world);
  return false;
}

game_o *reload_game(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report) {
  shoal_assert(old && desc && news, "old, desc and news must not be NULL");
  game_o *fresh = stop_plugin_threads(old, report) ? try_and_apply(old, desc, news, report) : NULL;
  if (fresh && vm_has_retired_systems(old->vm, fresh->vm))
    fresh = rebuild_after_stop(old, fresh, desc, news, report);
  return fresh;
}

game_o *reload_apply(game_o *old, game_o *loaded, const reload_verdict_t *verdict, bool limits_migrate,
                     reload_news_t *news, script_report_t *report) {
  enum { MIN_MIGRATE_MS = 50 };
  uint32_t limit_ms = 2 * verdict->spent_ms > MIN_MIGRATE_MS ? 2 * verdict->spent_ms : MIN_MIGRATE_MS;
  if (!limits_migrate)
    limit_ms = 0;
  shoal_assert(verdict->passed, "a change that did not pass its trial cannot be applied");
  *news = (reload_news_t){.is_stale = sources_hash(loaded->desc.sources) != verdict->sources_hash};
  if (news->is_stale || !stop_plugin_threads(old, report)) {
    game_destroy(loaded);
    return NULL;
  }
  game_finish(loaded);
  game_o *fresh = vm_has_retired_systems(old->vm, loaded->vm) ? stop_and_migrate(old, loaded, limit_ms, news, report)
                                                              : migrate_game(old, loaded, limit_ms, NULL, news, report);
  copy_trial_news(verdict, news);
  return fresh;
}
