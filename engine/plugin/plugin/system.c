// Runs plugin systems and observers in the schedule: opens the rows, calls the plugin, writes back the columns, and
// applies or discards queued changes.
#include "plugin/system.h"

#include "base/assert.h"
#include "base/file_system.h"
#include "collision/body_grid.h"
#include "components/name.h"
#include "plugin/call.h"
#include "plugin/system_part.h"
#include "plugin/report.h"
#include "shoal/observe.h"
#include "ecs/changes.h"

#include <stdio.h>
#include <string.h>

// --- observers: systems that receive the lists of ecs/changes.h

uint32_t plugin_count_observers(const shoal_plugin *def) {
  uint32_t count = 0;
  while (def->observers && def->observers[count].name)
    ++count;
  return count;
}

// Describes the observer as a system, for the schedule and the query. The components of .query are read-only terms,
// because observers write through shoal_get_rows.
void plugin_observer_to_system(const shoal_observer *observer, shoal_system *system) {
  *system = (shoal_system){.name = observer->name, .phase = observer->phase, .priority = observer->priority};
  memcpy(system->query, observer->query, sizeof system->query);
  memcpy(system->reads, observer->query, sizeof system->reads);
  memcpy(system->without, observer->without, sizeof system->without);
  memcpy(system->any, observer->any, sizeof system->any);
  memcpy(system->after, observer->after, sizeof system->after);
  memcpy(system->before, observer->before, sizeof system->before);
}

static const char *const OBSERVED_NAMES[] = {
    [OBSERVED_LEAVE] = "leave", [OBSERVED_ENTER] = "enter", [OBSERVED_CHANGED] = "changed"};

static shoal_observer_fn *get_callback(const shoal_observer *observer, observed_t kind) {
  return kind == OBSERVED_LEAVE ? observer->leave : kind == OBSERVED_ENTER ? observer->enter : observer->changed;
}

// Returns the lists of observed entities to the world, so that the observer's next run receives them again.
static void return_entity_lists(const run_t *run) {
  world_o *world = run->plugin->plugins->world;
  world_watch_return_entries(world, observer_get_watcher(world, run->observes));
}

static bool deliver_observed(run_t *run, float dt_s, error_info_t *error) {
  world_o *world = run->plugin->plugins->world;
  context_t context = plugin_build_context(run->plugin, PLUGIN_CALL_SYSTEM);
  bool ok = true;
  context.run = run;
  observer_begin_delivery(world, run->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS && ok; ++i) {
    uint32_t count;
    const shoal_entity *entities = observer_get_list(world, run->observes, i, &count);
    shoal_observer_fn *callback = get_callback(run->observer, i);
    ok = !callback || count == 0 ||
         plugin_call_observer(&context, callback, &(observer_arguments_t){entities, count, dt_s});
  }
  if (ok)
    observer_end_delivery(world, run->observes);
  else
    return_entity_lists(run);
  if (!ok)
    *error = context.problem;
  return ok;
}

bool plugin_observer_has_pending(const run_t *run) {
  return observer_has_pending(run->plugin->plugins->world, run->observes);
}

// Reports an observer that is triggered endlessly by its own changes.
static bool fail_endless_observer(const run_t *run, error_info_t *error) {
  world_o *world = run->plugin->plugins->world;
  char entity_name[NAME_DESCRIPTION_MAX] = "an entity";
  const char *kind = "changed";
  observer_begin_delivery(world, run->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS; ++i) {
    uint32_t count;
    const shoal_entity *entities = observer_get_list(world, run->observes, i, &count);
    if (count == 0)
      continue;
    kind = OBSERVED_NAMES[i];
    name_describe(world, entities[0], entity_name, sizeof entity_name);
  }
  return_entity_lists(run);
  return error_set(error,
                   "the observer was called %u times in one tick, most recently .%s for %s, because "
                   "each call changes an observed value: write a value only if it differs from the current one",
                   OBSERVER_MAX_ROUNDS, kind, entity_name);
}

// --- systems

void plugin_create_runs(plugins_o *plugins, plugin_t *plugin) {
  static const phase_t PHASES[] = {PHASE_UPDATE, PHASE_INPUT,       PHASE_PRE_UPDATE,
                                   PHASE_UPDATE, PHASE_POST_UPDATE, PHASE_RENDER};
  for (const shoal_system *system = plugin->def->systems; system && system->name; ++system)
    ++plugin->run_count;
  uint32_t observer_count = plugin_count_observers(plugin->def);
  plugin->run_count += observer_count;
  plugin->runs = alloc_resize(&plugins->memory, NULL, 0, plugin->run_count * sizeof *plugin->runs);
  run_t *run = plugin->runs;
  for (const shoal_system *system = plugin->def->systems; system && system->name; ++system, ++run) {
    shoal_assert((size_t)system->phase < sizeof PHASES / sizeof *PHASES, "phase %d of system %s.%s is out of range",
                 (int)system->phase, plugin->name, system->name);
    *run = (run_t){.plugin = plugin, .def = system, .phase = PHASES[system->phase]};
    snprintf(run->name, sizeof run->name, "%s.%s", plugin->name, system->name);
  }
  for (uint32_t i = 0; i < observer_count; ++i, ++run) {
    const shoal_observer *observer = &plugin->def->observers[i];
    *run =
        (run_t){.plugin = plugin, .def = &run->observer_system, .observer = observer, .phase = PHASES[observer->phase]};
    plugin_observer_to_system(observer, &run->observer_system);
    snprintf(run->name, sizeof run->name, "%s.%s", plugin->name, observer->name);
  }
}

// --- running

static void close_events(run_t *run, uint32_t reader, bool mark_read) {
  world_o *world = run->plugin->plugins->world;
  for (uint32_t i = 0; i < run->plugin->access.bound.count; ++i) {
    access_binding_t *binding = run->plugin->access.bound.items[i];
    if (!binding->is_open)
      continue;
    binding->is_open = false;
    event_close(binding->event);
    if (mark_read)
      world_set_reader_position(world, reader, binding->event->id,
                                binding->event->first + binding->event->columns.count);
  }
}

// Discards event rows that were begun but not completed with shoal_emit_end.
static void discard_unfinished_events(plugin_t *plugin, bool ok) {
  for (uint32_t i = 0; i < plugin->access.bound.count; ++i) {
    access_binding_t *binding = plugin->access.bound.items[i];
    if (binding->emit_row_count == 0)
      continue;
    binding->emit_row_count = 0;
    event_fill_end(plugin->plugins->world, binding->event->id, false);
    if (ok)
      plugin_warn_once(plugin, "shoal_emit_begin was called without shoal_emit_end: the rows were dropped");
  }
}

// Reopens standard input, output or error if a plugin closed it. Otherwise, the next opened file, such as a save, would
// get its descriptor and receive printed text.
static void reopen_standard_files(plugin_t *plugin) {
  if (file_system_reopen_standard_files())
    plugin_warn_once(plugin,
                     "a call closed the program's standard input, output or error: the file was replaced by /dev/null");
}

// Runs the system and queues its changes. The caller must discard the changes if the result is false.
static bool run_system_body(run_t *run, float dt_s, error_info_t *error) {
  access_o *access = &run->plugin->access;
  plugin_open_rows(run);
  access_view_gather(access, &run->rows);
  if (run->checks_reads)
    plugin_copy_reads(run);
  context_t context =
      plugin_build_context(run->plugin, run->phase == PHASE_RENDER ? PLUGIN_CALL_RENDER : PLUGIN_CALL_SYSTEM);
  context.run = run;
  bool ok = plugin_call_system(run, &context, &run->view, dt_s);
  if (!ok)
    *error = context.problem;
  ok = ok && (!run->checks_reads || plugin_check_reads_unchanged(run, error));
  access_view_scatter(access, &run->rows);
  access_view_close(access, &run->rows);
  return ok;
}

static void fail_run(run_t *run, const char *message) {
  run->plugin->plugins->failed = true;
  plugin_fail_run(run, message);
}

static void reset_drawing(const plugins_o *plugins) {
  if (plugins->desc.draw)
    draw_reset(plugins->desc.draw);
}

// Runs the system once, then applies its queued changes, or discards them on failure.
static bool run_system_once(run_t *run, world_o *world, float dt_s, error_info_t *error) {
  bool draws = run->phase == PHASE_RENDER;
  uint32_t name_id =
      draws ? strings_find(world_strings(world), run->name) : strings_intern(world_strings(world), run->name);
  if (draws)
    reset_drawing(run->plugin->plugins);
  world_defer_begin(world, name_id);
  if (run->plugin->uses_bodies)
    body_grid_capture(world);
  bool ok = run->observer ? deliver_observed(run, dt_s, error) : run_system_body(run, dt_s, error);
  discard_unfinished_events(run->plugin, ok);
  reopen_standard_files(run->plugin);
  // systems in the render phase do not mark events as read
  close_events(run, name_id, ok && !draws);
  world_defer_end(world, !ok);
  return ok;
}

// Runs an observer until it has no unread changes, including its own changes. Fails after OBSERVER_MAX_ROUNDS runs.
static bool run_observer(run_t *run, world_o *world, float dt_s, error_info_t *error) {
  bool ok = true;
  for (uint32_t rounds = 0; ok && plugin_observer_has_pending(run); ++rounds)
    ok = rounds < OBSERVER_MAX_ROUNDS ? run_system_once(run, world, dt_s, error) : fail_endless_observer(run, error);
  return ok;
}

// --- systems in parts. begin_parts() gathers the columns of a parallel system before its first part. Any other system
// has only one part, which gathers the columns itself.

static uint32_t begin_parts(void *context, world_o *world, uint32_t number, float dt_s) {
  run_t *run = context;
  (void)number;
  if (run->parked || !run->ready)
    return 0;
  strings_intern(world_strings(world), run->name);
  run->dt_s = dt_s;
  plugin_open_rows(run);
  plugin_begin_parts(run);
  if (run->part_count == 0)
    access_view_close(&run->plugin->access, &run->rows);
  if (run->part_count == 0 || !run->def->parallel)
    return run->part_count;
  access_view_gather(&run->plugin->access, &run->rows);
  if (run->checks_reads)
    plugin_copy_reads(run);
  part_check_begin(run);
  return run->part_count;
}

static void end_parts(void *context, world_o *world) {
  run_t *run = context;
  error_info_t error = {0};
  world_defer_begin(world, strings_intern(world_strings(world), run->name));
  bool ok = plugin_end_parts(run, &error);
  if (run->def->parallel) {
    ok = ok && part_check_end(run, &error) && (!run->checks_reads || plugin_check_reads_unchanged(run, &error));
    access_view_scatter(&run->plugin->access, &run->rows);
  }
  access_view_close(&run->plugin->access, &run->rows);
  reopen_standard_files(run->plugin);
  world_defer_end(world, !ok);
  if (!ok)
    fail_run(run, error.text);
  else
    plugin_report_recovery(run);
}

// Returns true if the system must run alone. A system runs alone in the child of a probe. It also runs alone if this
// run checks read-only columns, because writes by parallel systems would otherwise be attributed to this system.
static bool must_run_alone(void *context, world_o *world) {
  const run_t *run = context;
  (void)world;
  return run->plugin->plugins->quiet || (plugin_checks_reads(run) && run->ready && !run->parked);
}

void plugin_declare_parallel(const run_t *run, schedule_o *schedule) {
  system_access_t access[RUN_MAX_ACCESS];
  uint32_t count = plugin_list_run_access(run, access);
  if (run->rows.query)
    schedule_add_query(schedule, run->name, run->rows.query->id);
  if (run->def->concurrent && run->ready)
    schedule_allow_parallel(schedule, run->name,
                            &(system_parallel_t){.alone = must_run_alone,
                                                 .begin = begin_parts,
                                                 .part = plugin_run_part,
                                                 .end = end_parts,
                                                 .context = (void *)(uintptr_t)run,
                                                 .access = access,
                                                 .access_count = count,
                                                 .changes = run->def->concurrent_changes});
}

void plugin_run_system(void *context, world_o *world, uint32_t number, float dt_s) {
  run_t *run = context;
  plugins_o *plugins = run->plugin->plugins;
  error_info_t error = {0};
  if (run->parked || !run->ready || plugin_is_inactive(run->plugin))
    return;
  if (run->def->parallel || run->def->concurrent) {
    uint32_t part_count = begin_parts(run, world, number, dt_s);
    plugin_run_parts(run, plugins->quiet ? NULL : world_jobs(world));
    if (part_count > 0)
      end_parts(run, world);
    return;
  }
  bool has_input =
      run->observer ? plugin_observer_has_pending(run) : run->rows.term_count == 0 || run->rows.query->count > 0;
  if (!(run->observer ? run_observer(run, world, dt_s, &error) : run_system_once(run, world, dt_s, &error)))
    fail_run(run, error.text);
  else if (has_input)
    plugin_report_recovery(run);
}
