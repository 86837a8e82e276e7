// Runs systems and observers of plugins in the schedule: opens the rows, calls the plugin, writes back the columns, and
// applies or discards queued changes.
#include "plugin/system.h"

#include "base/assert.h"
#include "collision/body_grid.h"
#include "components/name.h"
#include "process/jobs.h"
#include "plugin/call.h"
#include "plugin/system_part.h"
#include "plugin/report.h"
#include "shoal/observe.h"
#include "ecs/changes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- observers: systems that receive the lists of ecs/changes.h

uint32_t plugin_count_observers(const shoal_plugin *def) {
  uint32_t count = 0;
  while (def->observers && def->observers[count].name)
    ++count;
  return count;
}

// Describes the observer as a system, for the schedule and the query. The components of .query are read-only terms,
// because observers write through shoal_get_rows.
void plugin_observer_to_system(const shoal_observer *o, shoal_system *out) {
  *out = (shoal_system){.name = o->name, .phase = o->phase, .priority = o->priority};
  memcpy(out->query, o->query, sizeof out->query);
  memcpy(out->reads, o->query, sizeof out->reads);
  memcpy(out->without, o->without, sizeof out->without);
  memcpy(out->any, o->any, sizeof out->any);
  memcpy(out->after, o->after, sizeof out->after);
  memcpy(out->before, o->before, sizeof out->before);
}

static const char *const KINDS[] = {
    [OBSERVED_LEAVE] = "leave", [OBSERVED_ENTER] = "enter", [OBSERVED_CHANGED] = "changed"};

static shoal_observer_fn *get_callback(const shoal_observer *o, observed_t kind) {
  return kind == OBSERVED_LEAVE ? o->leave : kind == OBSERVED_ENTER ? o->enter : o->changed;
}

// Returns the lists of observed entities to the world, so that the observer's next run receives them again.
static void return_entity_lists(const run_t *r) {
  world_o *w = r->plugin->plugins->world;
  world_watch_return_entries(w, observer_get_watcher(w, r->observes));
}

static bool deliver_observed(run_t *r, float dt_s, error_info_t *error) {
  world_o *w = r->plugin->plugins->world;
  context_t c = plugin_build_context(r->plugin, WHERE_SYSTEM);
  bool ok = true;
  c.run = r;
  observer_begin_delivery(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS && ok; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_get_list(w, r->observes, i, &count);
    shoal_observer_fn *f = get_callback(r->observer, i);
    ok = !f || count == 0 || plugin_call_observer(&c, f, &(observer_arguments_t){list, count, dt_s});
  }
  if (ok)
    observer_end_delivery(w, r->observes);
  else
    return_entity_lists(r);
  if (!ok)
    *error = c.problem;
  return ok;
}

bool plugin_observer_has_pending(const run_t *r) {
  return observer_has_pending(r->plugin->plugins->world, r->observes);
}

// Reports an observer that is triggered endlessly by its own changes.
static bool fail_endless_observer(const run_t *r, error_info_t *error) {
  world_o *w = r->plugin->plugins->world;
  char entity_name[NAME_DESCRIPTION_MAX] = "an entity";
  const char *kind = "changed";
  observer_begin_delivery(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_get_list(w, r->observes, i, &count);
    if (count == 0)
      continue;
    kind = KINDS[i];
    name_describe(w, list[0], entity_name, sizeof entity_name);
  }
  return_entity_lists(r);
  return error_set(error,
                   "the observer was called %u times in one tick, most recently .%s for %s, because "
                   "each call changes an observed value: write a value only if it differs from the current one",
                   OBSERVER_MAX_ROUNDS, kind, entity_name);
}

// --- systems

void plugin_create_runs(plugins_o *p, plugin_t *x) {
  static const phase_t PHASES[] = {PHASE_UPDATE, PHASE_INPUT,       PHASE_PRE_UPDATE,
                                   PHASE_UPDATE, PHASE_POST_UPDATE, PHASE_RENDER};
  for (const shoal_system *s = x->def->systems; s && s->name; ++s)
    ++x->run_count;
  uint32_t observers = plugin_count_observers(x->def);
  x->run_count += observers;
  x->runs = alloc_resize(&p->memory, NULL, 0, x->run_count * sizeof *x->runs);
  run_t *run = x->runs;
  for (const shoal_system *s = x->def->systems; s && s->name; ++s, ++run) {
    shoal_assert((size_t)s->phase < sizeof PHASES / sizeof *PHASES, "phase %d of system %s.%s is out of range",
                 (int)s->phase, x->name, s->name);
    *run = (run_t){.plugin = x, .def = s, .phase = PHASES[s->phase]};
    snprintf(run->name, sizeof run->name, "%s.%s", x->name, s->name);
  }
  for (uint32_t i = 0; i < observers; ++i, ++run) {
    const shoal_observer *o = &x->def->observers[i];
    *run = (run_t){.plugin = x, .def = &run->observer_system, .observer = o, .phase = PHASES[o->phase]};
    plugin_observer_to_system(o, &run->observer_system);
    snprintf(run->name, sizeof run->name, "%s.%s", x->name, o->name);
  }
}

// --- running

static void close_events(run_t *r, uint32_t reader, bool mark_read) {
  world_o *w = r->plugin->plugins->world;
  for (uint32_t i = 0; i < r->plugin->access.bound.count; ++i) {
    access_binding_t *b = r->plugin->access.bound.items[i];
    if (!b->is_open)
      continue;
    b->is_open = false;
    event_close(b->event);
    if (mark_read)
      world_set_reader_position(w, reader, b->event->id, b->event->first + b->event->columns.count);
  }
}

// Discards event rows that were begun but not completed with shoal_emit_end.
static void discard_unfinished_events(plugin_t *x, bool ok) {
  for (uint32_t i = 0; i < x->access.bound.count; ++i) {
    access_binding_t *b = x->access.bound.items[i];
    if (b->filling == 0)
      continue;
    b->filling = 0;
    event_fill_end(x->plugins->world, b->event->id, false);
    if (ok)
      plugin_warn_once(x, "shoal_emit_begin was called without shoal_emit_end: the rows were dropped");
  }
}

// Reopens standard input, output or error if a plugin closed it. Otherwise the next opened file, such as a save, would
// get its descriptor and receive printed text.
static void reopen_standard_files(plugin_t *x) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) >= 0)
      continue;
    if (open("/dev/null", O_RDWR) != file)
      return;
    plugin_warn_once(x,
                     "a call closed the program's standard input, output or error: the file was replaced by /dev/null");
  }
}

// Runs the system and queues its changes. If it returns false, the caller must discard them.
static bool run_system_body(run_t *r, float dt_s, error_info_t *error) {
  access_o *a = &r->plugin->access;
  plugin_open_rows(r);
  access_view_gather(a, &r->rows);
  if (r->checks_reads)
    plugin_copy_reads(r);
  context_t c = plugin_build_context(r->plugin, r->phase == PHASE_RENDER ? WHERE_RENDER : WHERE_SYSTEM);
  c.run = r;
  bool ok = plugin_call_system(r, &c, &r->view, dt_s);
  if (!ok)
    *error = c.problem;
  ok = ok && (!r->checks_reads || plugin_check_reads_unchanged(r, error));
  access_view_scatter(a, &r->rows);
  access_view_close(a, &r->rows);
  return ok;
}

static void fail_run(run_t *r, const char *words) {
  r->plugin->plugins->failed = true;
  plugin_fail_run(r, words);
}

static void reset_drawing(const plugins_o *p) {
  if (p->desc.draw)
    draw_reset(p->desc.draw);
}

// Runs the system once, then applies its queued changes, or discards them on failure.
static bool run_system_once(run_t *r, world_o *w, float dt_s, error_info_t *error) {
  bool draws = r->phase == PHASE_RENDER;
  uint32_t name = draws ? strings_find(world_strings(w), r->name) : strings_intern(world_strings(w), r->name);
  if (draws)
    reset_drawing(r->plugin->plugins);
  world_defer_begin(w, name);
  if (r->plugin->uses_bodies)
    body_grid_capture(w);
  bool ok = r->observer ? deliver_observed(r, dt_s, error) : run_system_body(r, dt_s, error);
  discard_unfinished_events(r->plugin, ok);
  reopen_standard_files(r->plugin);
  // systems in the render phase do not mark events as read
  close_events(r, name, ok && !draws);
  world_defer_end(w, !ok);
  return ok;
}

// Runs an observer until it has no unread changes, including those that it makes itself. Fails after
// OBSERVER_MAX_ROUNDS runs.
static bool run_observer(run_t *r, world_o *w, float dt_s, error_info_t *error) {
  bool ok = true;
  for (uint32_t rounds = 0; ok && plugin_observer_has_pending(r); ++rounds)
    ok = rounds < OBSERVER_MAX_ROUNDS ? run_system_once(r, w, dt_s, error) : fail_endless_observer(r, error);
  return ok;
}

// --- systems in parts. begin_parts() gathers the columns of a parallel system before its first part. Any other system
// has only one part, which gathers the columns itself.

static uint32_t begin_parts(void *context, world_o *w, uint32_t number, float dt_s) {
  run_t *r = context;
  (void)number;
  if (r->parked || !r->ready)
    return 0;
  strings_intern(world_strings(w), r->name);
  r->dt_s = dt_s;
  plugin_open_rows(r);
  plugin_begin_parts(r);
  if (r->part_count == 0)
    access_view_close(&r->plugin->access, &r->rows);
  if (r->part_count == 0 || !r->def->parallel)
    return r->part_count;
  access_view_gather(&r->plugin->access, &r->rows);
  if (r->checks_reads)
    plugin_copy_reads(r);
  return r->part_count;
}

static void end_parts(void *context, world_o *w) {
  run_t *r = context;
  error_info_t error = {0};
  world_defer_begin(w, strings_intern(world_strings(w), r->name));
  bool ok = plugin_end_parts(r, &error);
  if (r->def->parallel) {
    ok = ok && (!r->checks_reads || plugin_check_reads_unchanged(r, &error));
    access_view_scatter(&r->plugin->access, &r->rows);
  }
  access_view_close(&r->plugin->access, &r->rows);
  reopen_standard_files(r->plugin);
  world_defer_end(w, !ok);
  if (!ok)
    fail_run(r, error.text);
  else
    plugin_report_recovery(r);
}

// Returns true if the system must run alone: in the child of a probe, or if this run checks read-only columns, because
// writes by other systems would otherwise be attributed to this system.
static bool must_run_alone(void *context, world_o *w) {
  const run_t *r = context;
  (void)w;
  return r->plugin->plugins->quiet || (plugin_checks_reads(r) && r->ready && !r->parked);
}

void plugin_declare_parallel(const run_t *r, schedule_o *s) {
  system_access_t access[RUN_MAX_ACCESS];
  uint32_t count = plugin_list_run_access(r, access);
  if (r->rows.query)
    schedule_add_query(s, r->name, r->rows.query->id);
  if (r->def->concurrent && r->ready)
    schedule_allow_parallel(s, r->name,
                            &(system_parallel_t){.alone = must_run_alone,
                                                 .begin = begin_parts,
                                                 .part = plugin_run_part,
                                                 .end = end_parts,
                                                 .context = (void *)(uintptr_t)r,
                                                 .access = access,
                                                 .access_count = count,
                                                 .changes = r->def->concurrent_changes});
}

void plugin_run_system(void *context, world_o *w, uint32_t number, float dt_s) {
  run_t *r = context;
  plugins_o *p = r->plugin->plugins;
  error_info_t error = {0};
  if (r->parked || !r->ready || plugin_is_inactive(r->plugin))
    return;
  if (r->def->parallel || r->def->concurrent) {
    uint32_t parts = begin_parts(r, w, number, dt_s);
    jobs_run_parts(p->quiet ? NULL : world_jobs(w), plugin_run_part, r, parts);
    if (parts > 0)
      end_parts(r, w);
    return;
  }
  bool works = r->observer ? plugin_observer_has_pending(r) : r->rows.term_count == 0 || r->rows.query->count > 0;
  if (!(r->observer ? run_observer(r, w, dt_s, &error) : run_system_once(r, w, dt_s, &error)))
    fail_run(r, error.text);
  else if (works)
    plugin_report_recovery(r);
}
