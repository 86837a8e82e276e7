// The steps of a reload: a dry run of migrating the plugins' data, building the new game, migrating the world, and a
// trial tick. If any step fails, the old game continues.
#include "reload/reload.h"

#include "base/assert.h"
#include "base/now.h"
#include "content/parked_pieces.h"
#include "reload/changed_entry.h"
#include "reload/dry_run.h"
#include "reload/trial_tick.h"
#include "snapshot/state.h"
#include "store/map_objects.h"

#include <stdio.h>
#include <string.h>

// --- differences between the games

static void add_file_name(reload_news_t *news, const char *name) {
  size_t used = strlen(news->names), room = sizeof news->names - used;
  news->files++;
  if (strlen(name) + 8 < room)
    snprintf(news->names + used, room, "%s%s", used ? ", " : "", name);
  else if (room > 6 && (used < 5 || strcmp(news->names + used - 3, "…") != 0))
    snprintf(news->names + used, room, ", …");
}

static bool has_same_text(sources_o *a, sources_o *b, const char *name) {
  size_t n = 0, m = 0;
  const char *x = sources_read_text(a, name, &n, NULL), *y = sources_read_text(b, name, &m, NULL);
  return x && y ? n == m && memcmp(x, y, n) == 0 : x == y;
}

static void append_line(void *context, const char *line) {
  reload_news_t *news = context;
  size_t used = strlen(news->said), room = sizeof news->said - used;
  if (strlen(line) + 2 < room)
    snprintf(news->said + used, room, "%s\n", line);
}

// Appends a line to `delayed`, the last part of the summary, which lists the changes that take effect later.
static void append_delayed_line(void *context, const char *line) {
  reload_news_t *news = context;
  size_t used = strlen(news->delayed), room = sizeof news->delayed - used;
  if (strlen(line) + 3 < room)
    snprintf(news->delayed + used, room, "; %s", line);
}

static void apply_scene_change(game_o *old, game_o *fresh, const char *file, reload_news_t *news) {
  uint32_t kept = 0;
  if (strncmp(file, "scenes/", 7) == 0)
    news->carried.merge.entities_touched +=
        scene_files_apply_change(fresh->scenes, file, old->desc.sources, fresh->desc.sources,
                                 &(scene_listener_t){append_line, append_delayed_line, news}, &kept);
  news->carried.merge.values_kept += kept;
}

// Returns true if `file` is game.lua and its `start` or `scene` may have changed. These two take effect only when the
// game starts; all other settings take effect immediately.
static bool has_start_changed(game_o *old, game_o *fresh, const char *file) {
  if (strcmp(file, "game.lua") != 0)
    return false;
  size_t n = 0, m = 0;
  const char *was = sources_read_text(old->desc.sources, file, &n, NULL);
  const char *is = sources_read_text(fresh->desc.sources, file, &m, NULL);
  allocator_t memory = {0};
  return has_entry_changed(&memory, was, n, is, m, "start") || has_entry_changed(&memory, was, n, is, m, "scene");
}

// Adds the names of all files that differ between the games to `news`. Both lists of names are sorted.
static void compare_files(game_o *old, game_o *fresh, reload_news_t *news) {
  sources_o *were = old->desc.sources, *are = fresh->desc.sources;
  const char *a, *b;
  for (uint32_t i = 0, k = 0; a = sources_file_name(were, i), b = sources_file_name(are, k), a || b;) {
    int order = !a ? 1 : !b ? -1 : strcmp(a, b);
    shoal_assert(!a || i == 0 || strcmp(sources_file_name(were, i - 1), a) < 0,
                 "source names are not sorted: %s is out of order", a);
    shoal_assert(!b || k == 0 || strcmp(sources_file_name(are, k - 1), b) < 0,
                 "source names are not sorted: %s is out of order", b);
    bool differ = order == 0 && !has_same_text(were, are, a);
    if (order != 0 || differ)
      add_file_name(news, order > 0 ? b : a);
    if (differ)
      apply_scene_change(old, fresh, a, news);
    news->needs_restart |= differ && has_start_changed(old, fresh, a);
    i += order <= 0;
    k += order >= 0;
  }
}

static void compare_plugins(const game_o *old, const game_o *fresh, reload_news_t *news) {
  char name[128];
  for (uint32_t i = 0; plugins_find_difference(fresh->plugins, old->plugins, i, name, sizeof name); ++i)
    add_file_name(news, name);
}

static bool has_system(const schedule_o *s, const char *name) {
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(s, phase); ++i)
      if (strcmp(schedule_system_name(s, phase, i), name) == 0)
        return true;
  return false;
}

static uint32_t count_missing_systems(const schedule_o *in, const schedule_o *from) {
  uint32_t count = 0;
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(from, phase); ++i)
      count += !has_system(in, schedule_system_name(from, phase, i));
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

static void append_count(char *out, size_t bytes, uint32_t count, const char *one, const char *many) {
  size_t used = strlen(out);
  if (count > 0)
    snprintf(out + used, bytes - used, "%s%u %s", used ? ", " : "", count, count == 1 ? one : many);
}

char *reload_format_summary(const reload_news_t *news, char *out, size_t out_bytes) {
  const world_migrate_counts_t *c = &news->carried;
  out[0] = '\0';
  append_count(out, out_bytes, news->systems_changed, "system changed", "systems changed");
  append_count(out, out_bytes, news->systems_added, "system added", "systems added");
  append_count(out, out_bytes, news->systems_removed, "system removed", "systems removed");
  append_count(out, out_bytes, c->schemas.fields_added, "field added", "fields added");
  append_count(out, out_bytes, c->schemas.fields_renamed, "field renamed", "fields renamed");
  append_count(out, out_bytes, c->schemas.fields_converted, "field converted", "fields converted");
  append_count(out, out_bytes, c->schemas.components_migrated, "component migrated", "components migrated");
  append_count(out, out_bytes, c->schemas.fields_dropped, "field dropped", "fields dropped");
  append_count(out, out_bytes, c->schemas.components_dropped, "component dropped", "components dropped");
  append_count(out, out_bytes, c->merge.entities_touched, "entity updated", "entities updated");
  append_count(out, out_bytes, c->merge.values_kept, "value kept", "values kept");
  append_count(out, out_bytes, news->objects_spawned, "map object spawned", "map objects spawned");
  append_count(out, out_bytes, news->parked_back, "parked function resumed", "parked functions resumed");
  append_count(out, out_bytes, news->parked_again, "parked function still fails", "parked functions still fail");
  return out;
}

// --- the event

static double get_event_field_value(world_o *w, const char *field, const reload_news_t *news) {
  if (strcmp(field, "files") == 0)
    return strings_intern(world_strings(w), news->names);
  if (strcmp(field, "systems") == 0)
    return news->systems_changed + news->systems_added + news->systems_removed;
  if (strcmp(field, "fields") == 0)
    return news->carried.schemas.fields_added + news->carried.schemas.fields_renamed +
           news->carried.schemas.fields_converted + news->carried.schemas.fields_dropped;
  return news->carried.merge.entities_touched;
}

// A world has the event only if a system listens to it, so this does not change worlds without listeners.
static void emit_reload_event(world_o *w, const reload_news_t *news) {
  event_o *event = world_find_event(w, "shoal.reload");
  if (!event)
    return;
  uint32_t ticket = world_emit_event(w, event->id);
  for (uint32_t i = 0; i < event->schema.field_count; ++i)
    world_set_event_field(w, ticket, i, get_event_field_value(w, event->schema.fields[i].name, news));
}

// --- the transaction

static uint32_t get_trial_limit_ms(const game_desc_t *desc) {
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
// report. `state` is a snapshot of the old world; if it is NULL, this function takes one. `limit_ms`: time limit of
// each `migrate`, in addition to the budget; 0 for none.
static game_o *migrate_game(game_o *old, game_o *fresh, uint32_t limit_ms, snapshot_o *state, reload_news_t *news,
                            script_report_t *report) {
  *news = (reload_news_t){0};
  game_migrate_desc_t how = {.log_line = append_line, .log_context = news, .state = state, .limit_ms = limit_ms};
  if (!game_migrate_from(fresh, old, &how, &news->carried, report) || !check_plugins(old, fresh, report)) {
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

static game_o *build_and_migrate(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_news_t *news,
                                 script_report_t *report) {
  game_o *fresh = game_create(desc, true, report);
  return fresh ? migrate_game(old, fresh, 0, state, news, report) : NULL;
}

// Migrates the world after the `stop` hooks of removed systems have changed it. If that fails, restores the old world.
static game_o *stop_and_migrate(game_o *old, game_o *fresh, uint32_t limit_ms, reload_news_t *news,
                                script_report_t *report) {
  error_info_t error = {0};
  snapshot_o *before = snapshot_create(&old->memory);
  bool is_taken = snapshot_take(before, old->world, &error);
  if (is_taken)
    game_stop_removed_systems(old, fresh->vm);
  fresh = migrate_game(old, fresh, limit_ms, NULL, news, report);
  bool is_back = fresh || !is_taken || snapshot_restore(before, old->world, &error);
  shoal_assert(is_back, "cannot restore the old world: %s", error.text);
  (void)is_back;
  snapshot_release(before);
  return fresh;
}

// Builds the new game again from the same sources, because `fresh` has received the world of before the `stop` hooks of
// removed systems, which change it.
static game_o *rebuild_after_stop(game_o *old, game_o *fresh, const game_desc_t *desc, reload_news_t *news,
                                  script_report_t *report) {
  game_desc_t again = *desc;
  reload_news_t tried = *news;
  again.sources = fresh->desc.sources;
  sources_retain(again.sources);
  game_destroy(fresh);
  fresh = game_create(&again, true, report);
  sources_release(again.sources);
  if (fresh)
    fresh = stop_and_migrate(old, fresh, 0, news, report);
  news->parked_again = tried.parked_again;
  news->parked_back = tried.parked_back;
  return fresh;
}

static bool has_report(const trial_t *t, const char *piece) {
  for (uint32_t i = 0; i < t->report_count; ++i)
    if (strcmp(t->reports[i].piece, piece) == 0)
      return true;
  return false;
}

// Returns the first failure that the change has caused, or NULL. Failures that the old game already has, or would also
// have in this tick, do not count.
static const script_report_t *find_first_new_failure(game_o *old, const trial_t *t, uint32_t limit_ms) {
  trial_t before = {0};
  for (uint32_t i = 0; i < t->report_count; ++i) {
    if (parked_find_piece(&old->parked, t->reports[i].piece))
      continue;
    if (!before.ran)
      trial_run_tick(old, limit_ms, &before);
    if (!has_report(&before, t->reports[i].piece))
      return &t->reports[i];
  }
  return NULL;
}

// Returns true if the piece is still parked, and `x` is the first entry of that piece: the piece is never retried,
// waits for a retry, or has not run successfully since the retry.
static bool is_parked(const game_o *g, const parked_t *x) {
  parked_state_t state = parked_piece_state(g->world, parked_piece_find(g->world, x->name));
  return !x->again && (!parked_is_retried(x->kind) || state == PARKED_STATE_WAITING || state == PARKED_STATE_TRIED);
}

// Appends the changed systems that the trial tick did not run to the summary: their changes are not tested.
static void add_systems_not_run(game_o *old, game_o *fresh, const trial_t *t, reload_news_t *news) {
  char list[sizeof news->delayed] = "", file[256];
  for (const char *line = t->not_run, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    const char *name = strchr(line, '\t');
    shoal_assert(name && name < end, "a line must contain a file and a name");
    size_t used = strlen(list), room = sizeof list - used;
    snprintf(file, sizeof file, "%.*s", (int)(name - line), line);
    if (!has_same_text(old->desc.sources, fresh->desc.sources, file) && (size_t)(end - name) + 64 < room)
      snprintf(list + used, room, "%s%.*s", used ? ", " : "not tested by the trial tick: ", (int)(end - name - 1),
               name + 1);
  }
  if (list[0])
    append_delayed_line(news, list);
}

static bool run_trial(game_o *old, game_o *fresh, uint32_t limit_ms, reload_news_t *news, script_report_t *report) {
  trial_t t;
  trial_run_tick(fresh, limit_ms, &t);
  if (!t.ran)
    return true;
  const script_report_t *wrong = t.ended ? find_first_new_failure(old, &t, limit_ms) : &t.lost;
  if (wrong) {
    *report = *wrong;
    return false;
  }
  for (uint32_t i = 0; i < old->parked.items.count; ++i) {
    const char *piece = old->parked.items.items[i].error.piece;
    if (!is_parked(old, &old->parked.items.items[i]))
      continue;
    bool again = has_report(&t, piece) || parked_find_piece(&fresh->parked, piece);
    news->parked_again += again;
    news->parked_back += !again;
  }
  add_systems_not_run(old, fresh, &t, news);
  return true;
}

// A dry run of migrating an old library's data to a new library. Runs in a child process because the libraries' code
// may crash.
typedef struct rehearsal_t {
  game_o *old;
  const game_desc_t *desc;
  // Snapshot of the old world, taken before the fork: in the child, an old library may wait for locks held by threads
  // that do not exist there.
  snapshot_o *state;
} rehearsal_t;

// Called in the child. Returns true if the migration fails, because the real migration reports that error; returns
// false only for errors in work that managers do later.
static bool migrate_in_child(void *context, error_info_t *error) {
  const rehearsal_t *r = context;
  reload_news_t news;
  script_report_t report;
  jobs_reset_after_fork(r->desc->jobs);
  game_desc_t desc = *r->desc;
  desc.plugins_copied = true;
  game_o *fresh = build_and_migrate(r->old, &desc, r->state, &news, &report);
  if (!fresh)
    return true;
  plugins_test_managers(fresh->plugins);
  return plugins_check_managers(fresh->plugins, r->old->plugins, error);
}

static bool dry_run_migration(game_o *old, const game_desc_t *desc, script_report_t *report) {
  char name[128], what[192];
  rehearsal_t r = {.old = old, .desc = desc};
  error_info_t error = {0};
  if (!plugins_need_reload(old->plugins, name, sizeof name))
    return true;
  snprintf(what, sizeof what, "migrating the world to the new %s", name);
  r.state = snapshot_create(&old->memory);
  bool safe = snapshot_take(r.state, old->world, &error) &&
              dry_run_in_child(migrate_in_child, &r, get_trial_limit_ms(desc), what, &error);
  snapshot_release(r.state);
  if (safe)
    return true;
  error_set_piece(&error, name);
  report_fill_from_error(report, &error);
  report->tick = world_tick(old->world);
  return false;
}

void reload_try_in_child(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_verdict_t *out) {
  int64_t began_ns = now_thread_ns();
  game_o *fresh = build_and_migrate(old, desc, state, &out->news, &out->report);
  out->spent_ms = (uint32_t)((now_thread_ns() - began_ns) / NS_PER_MS);
  if (!fresh)
    return;
  plugins_test_managers(fresh->plugins); // may crash; errors are reported by the next call
  out->sources = sources_hash(fresh->desc.sources);
  out->passed = check_plugins(old, fresh, &out->report) &&
                run_trial(old, fresh, get_trial_limit_ms(desc), &out->news, &out->report);
}

static game_o *try_and_apply(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report) {
  game_o *fresh = dry_run_migration(old, desc, report) ? build_and_migrate(old, desc, NULL, news, report) : NULL;
  if (!fresh || run_trial(old, fresh, get_trial_limit_ms(desc), news, report))
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

game_o *reload_apply(game_o *old, game_o *loaded, const reload_verdict_t *verdict, reload_news_t *news,
                     script_report_t *report) {
  enum { MIN_MIGRATE_MS = 50 };
  uint32_t limit_ms = 2 * verdict->spent_ms > MIN_MIGRATE_MS ? 2 * verdict->spent_ms : MIN_MIGRATE_MS;
  shoal_assert(verdict->passed, "a change that did not pass its trial cannot be applied");
  *news = (reload_news_t){.stale = sources_hash(loaded->desc.sources) != verdict->sources};
  if (news->stale || !stop_plugin_threads(old, report)) {
    game_destroy(loaded);
    return NULL;
  }
  game_finish(loaded);
  game_o *fresh = vm_has_retired_systems(old->vm, loaded->vm) ? stop_and_migrate(old, loaded, limit_ms, news, report)
                                                              : migrate_game(old, loaded, limit_ms, NULL, news, report);
  news->parked_again = verdict->news.parked_again;
  news->parked_back = verdict->news.parked_back;
  memcpy(news->delayed, verdict->news.delayed, sizeof news->delayed);
  return fresh;
}
