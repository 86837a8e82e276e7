// Sorts systems by phase, before/after, priority and name; reports cycles; runs the systems.
#include "schedule/schedule_internal.h"

#include "base/assert.h"
#include "base/now.h"
#include "ecs/ranges.h"
#include "ecs/world.h"
#include "process/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_GAIN_US 5.0 // minimum saved time for which waking a thread is worth it

static const char *const phase_names[PHASE_COUNT] = {"none",        "input",  "pre_update", "update",
                                                     "post_update", "render", "demand"};

phase_t phase_parse(const char *name) {
  for (int i = PHASE_INPUT; i < PHASE_COUNT; ++i)
    if (strcmp(phase_names[i], name) == 0)
      return (phase_t)i;
  return PHASE_NONE;
}

const char *phase_name(phase_t phase) {
  return (uint32_t)phase < PHASE_COUNT ? phase_names[phase] : "none";
}

// --- life cycle

schedule_o *schedule_create(allocator_t *a) {
  schedule_o *schedule = alloc_resize(a, NULL, 0, sizeof *schedule);
  *schedule = (schedule_o){.allocator = a, .min_gain_us = MIN_GAIN_US};
  return schedule;
}

static void free_names(allocator_t *a, names_t *names) {
  for (uint32_t i = 0; i < names->count; ++i)
    alloc_free_text(a, names->items[i]);
  array_free(a, names);
}

void schedule_destroy(schedule_o *schedule) {
  if (!schedule)
    return;
  allocator_t *a = schedule->allocator;
  for (uint32_t i = 0; i < schedule->systems.count; ++i) {
    system_t *system = &schedule->systems.items[i];
    alloc_free_text(a, system->name);
    alloc_free_text(a, system->doc);
    alloc_free_text(a, system->when);
    free_names(a, &system->after);
    free_names(a, &system->before);
    stage_free_system(schedule, system);
  }
  array_free(a, &schedule->systems);
  for (int phase = 0; phase < PHASE_COUNT; ++phase)
    array_free(a, &schedule->order[phase]);
  alloc_resize(a, schedule, sizeof *schedule, 0);
}

system_t *system_find(schedule_o *schedule, const char *name) {
  for (uint32_t i = 0; i < schedule->systems.count; ++i)
    if (strcmp(schedule->systems.items[i].name, name) == 0)
      return &schedule->systems.items[i];
  return NULL;
}

static names_t copy_names(allocator_t *a, const char *const *names) {
  names_t out = {0};
  for (; names && *names; ++names) {
    char *copy = alloc_copy_text(a, *names);
    array_push(a, &out, copy);
  }
  return out;
}

bool schedule_add_system(schedule_o *schedule, const system_desc_t *desc, error_info_t *error) {
  if (!desc->name || !desc->name[0])
    return error_set(error, "a system's name must not be empty");
  if (system_find(schedule, desc->name))
    return error_set(error, "two systems are named %s: rename one of them", desc->name);
  system_t system = {
      .name = alloc_copy_text(schedule->allocator, desc->name),
      .doc = alloc_copy_text(schedule->allocator, desc->doc),
      .phase = desc->phase == PHASE_NONE ? PHASE_UPDATE : desc->phase,
      .priority = desc->priority,
      .every = desc->every ? desc->every : 1,
      .after = copy_names(schedule->allocator, desc->after),
      .before = copy_names(schedule->allocator, desc->before),
      .run = desc->run,
      .context = desc->context,
      .number = desc->number,
      .when = alloc_copy_text(schedule->allocator, desc->when ? desc->when : ""),
      .off = desc->off,
  };
  snprintf(system.file, sizeof system.file, "%s", desc->file ? desc->file : "");
  system.line = desc->line;
  array_push(schedule->allocator, &schedule->systems, system);
  return true;
}

// --- order

static bool contains_name(const names_t *names, const char *name) {
  for (uint32_t i = 0; i < names->count; ++i)
    if (strcmp(names->items[i], name) == 0)
      return true;
  return false;
}

bool system_must_precede(const system_t *a, const system_t *b) {
  return a->phase == b->phase && (contains_name(&a->before, b->name) || contains_name(&b->after, a->name));
}

static bool is_sorted_before(const system_t *a, const system_t *b) {
  if (a->priority != b->priority)
    return a->priority < b->priority;
  return strcmp(a->name, b->name) < 0;
}

// Returns the index of the phase's next system: among systems whose predecessors are done, the system with the lowest
// priority, then the first by name. Returns -1 if all remaining systems have predecessors that are not done.
static int64_t find_next_ready(const schedule_o *schedule, phase_t phase, const bool *done) {
  int64_t next = -1;
  for (uint32_t i = 0; i < schedule->systems.count; ++i) {
    const system_t *system = &schedule->systems.items[i];
    if (done[i] || system->phase != phase || (next >= 0 && !is_sorted_before(system, &schedule->systems.items[next])))
      continue;
    bool is_waiting = false;
    for (uint32_t k = 0; k < schedule->systems.count && !is_waiting; ++k)
      is_waiting = !done[k] && system_must_precede(&schedule->systems.items[k], system);
    if (!is_waiting)
      next = i;
  }
  return next;
}

static uint32_t find_predecessor(const schedule_o *schedule, uint32_t i, const bool *done) {
  for (uint32_t k = 0; k < schedule->systems.count; ++k)
    if (!done[k] && system_must_precede(&schedule->systems.items[k], &schedule->systems.items[i]))
      return k;
  return i;
}

// Reports a cycle and returns false. Each remaining system waits for a remaining system, so following the predecessors
// leads to a cycle.
static bool report_cycle(const schedule_o *schedule, phase_t phase, const bool *done, error_info_t *error) {
  uint32_t count = schedule->systems.count, index = 0;
  while (done[index] || schedule->systems.items[index].phase != phase)
    index++;
  for (uint32_t i = 0; i < count; ++i)
    index = find_predecessor(schedule, index, done); // after n steps, `index` is part of the cycle
  uint32_t first = index; // start the report with the alphabetically first system of the cycle
  for (uint32_t i = 0; i < count; ++i) {
    index = find_predecessor(schedule, index, done);
    first = strcmp(schedule->systems.items[index].name, schedule->systems.items[first].name) < 0 ? index : first;
  }
  index = first;
  const system_t *located = &schedule->systems.items[first];
  char text[768], chain[768];
  size_t length;
  snprintf(text, sizeof text, "%s", schedule->systems.items[first].name);
  do { // prepends the predecessors one by one
    index = find_predecessor(schedule, index, done);
    located = schedule->systems.items[index].file[0] ? &schedule->systems.items[index] : located;
    snprintf(chain, sizeof chain, "%.200s → %.*s", schedule->systems.items[index].name, (int)sizeof chain - 210, text);
    memcpy(text, chain, sizeof text);
    length = strlen(text);
  } while (index != first && length < sizeof text - 260);
  return error_set_at(error, located->file, located->line, "cyclic order in phase %s: %s", phase_names[phase], text);
}

static bool sort_phase(schedule_o *schedule, phase_t phase, bool *done, error_info_t *error) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < schedule->systems.count; ++i)
    count += schedule->systems.items[i].phase == phase;
  schedule->order[phase].count = 0;
  while (schedule->order[phase].count < count) {
    int64_t next = find_next_ready(schedule, phase, done);
    if (next < 0)
      return report_cycle(schedule, phase, done, error);
    done[next] = true;
    schedule->systems.items[next].stage = 0;
    array_push(schedule->allocator, &schedule->order[phase], (uint32_t)next);
  }
  return true;
}

bool schedule_sort(schedule_o *schedule, error_info_t *error) {
  // Allocate one more element, because allocations must not be empty.
  size_t bytes = (schedule->systems.count + 1) * sizeof(bool);
  bool *done = alloc_resize(schedule->allocator, NULL, 0, bytes);
  memset(done, 0, bytes);
  bool sorted = true;
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT && sorted; ++phase)
    sorted = sort_phase(schedule, (phase_t)phase, done, error);
  alloc_resize(schedule->allocator, done, bytes, 0);
  if (!sorted)
    for (int phase = 0; phase < PHASE_COUNT; ++phase)
      schedule->order[phase].count = 0;
  return sorted;
}

// --- running

void schedule_set_running_name(schedule_o *schedule, char *buffer, size_t bytes) {
  schedule->running = buffer;
  schedule->running_bytes = bytes;
}

void schedule_set_callback(schedule_o *schedule, void (*callback)(void *context, world_o *w, const char *system),
                           void *context) {
  schedule->after_system = callback;
  schedule->after_system_context = context;
}

// Copies the name to `running`, truncated to fit. Does not use snprintf, which takes as long as a small system.
static void set_running_name(schedule_o *schedule, const char *name) {
  if (schedule->running && schedule->running_bytes > 0) {
    schedule->running[schedule->running_bytes - 1] = '\0';
    memccpy(schedule->running, name, '\0', schedule->running_bytes - 1);
  }
}

float schedule_get_system_dt(const system_t *system, const world_o *w, float dt_s) {
  bool is_longer = system->every > 1 && system->phase != PHASE_RENDER && dt_s > 0;
  return is_longer ? (float)((double)system->every / world_tick_rate(w)) : dt_s;
}

// Reads the clock only once between two systems: the end of a run is also the start of the next run.
void schedule_run(schedule_o *schedule, world_o *w, phase_t phase, float dt_s) {
  shoal_assert(!world_is_deferring(w), "a phase must not begin while commands are deferred");
  if (phase == PHASE_RENDER)
    world_draw_begin(w);
  if (schedule->changed)
    schedule_find_stages(schedule, w);
  double time_us = schedule->order[phase].count > 0 ? now_us() : 0;
  world_clamp_written_columns(w); // clamp columns that a program wrote between ticks
  jobs_pop_max_parts(world_jobs(w));
  for (uint32_t i = 0, stage; i < schedule->order[phase].count; i += stage ? stage : 1) {
    system_t *system = &schedule->systems.items[schedule->order[phase].items[i]];
    stage = system->stage ? stage_run(schedule, w, phase, i, dt_s) : 0;
    if (stage) {
      jobs_pop_max_parts(world_jobs(w));
      time_us = now_us();
      continue;
    }
    if (!system->run || (system->every > 1 && world_tick(w) % system->every != 0))
      continue;
    double began_us = time_us;
    schedule->is_idle = false;
    set_running_name(schedule, system->name);
    world_begin_random_stream(w, system->name);
    system->run(system->context, w, system->number, schedule_get_system_dt(system, w, dt_s));
    world_end_random_stream(w);
    world_clamp_written_columns(w);
    time_us = now_us();
    system->part_count = jobs_pop_max_parts(world_jobs(w));
    if (!schedule->is_idle) {
      system->times.began_us = began_us;
      stage_add_alone_run(system, time_us - began_us);
    }
    shoal_assert(!world_is_deferring(w), "commands are still deferred after %s has ended", system->name);
    if (schedule->after_system) {
      schedule->after_system(schedule->after_system_context, w, system->name);
      time_us = now_us();
    }
  }
  if (schedule->running && schedule->running_bytes > 0)
    schedule->running[0] = '\0';
  world_draw_end(w);
}

void schedule_mark_idle(schedule_o *schedule) {
  schedule->is_idle = true;
}

bool schedule_find_system(const schedule_o *schedule, const char *name, phase_t *phase, uint32_t *i) {
  for (*phase = PHASE_INPUT; *phase < PHASE_COUNT; ++*phase)
    for (*i = 0; *i < schedule_system_count(schedule, *phase); ++*i)
      if (strcmp(schedule_system_name(schedule, *phase, *i), name) == 0)
        return true;
  *phase = PHASE_NONE;
  return false;
}

uint32_t schedule_system_count(const schedule_o *schedule, phase_t phase) {
  return schedule->order[phase].count;
}

const char *schedule_system_name(const schedule_o *schedule, phase_t phase, uint32_t i) {
  return i < schedule->order[phase].count ? schedule->systems.items[schedule->order[phase].items[i]].name : "";
}

void schedule_add_query(schedule_o *schedule, const char *name, uint32_t query) {
  system_t *system = system_find(schedule, name);
  shoal_assert(system && query > 0, "system %s is unknown, or query number %u is 0", name, query);
  for (uint32_t i = 0; i < system->query_count; ++i)
    if (system->queries[i] == query)
      return;
  if (system->query_count < SCHEDULE_MAX_QUERIES)
    system->queries[system->query_count++] = query;
}

uint32_t schedule_queries(const schedule_o *schedule, phase_t phase, uint32_t i, const uint32_t **ids) {
  shoal_assert(i < schedule->order[phase].count, "system %u is out of range (count %u)", i,
               schedule->order[phase].count);
  const system_t *system = &schedule->systems.items[schedule->order[phase].items[i]];
  *ids = system->queries;
  return system->query_count;
}

const char *schedule_doc(const schedule_o *schedule, phase_t phase, uint32_t i) {
  return i < schedule->order[phase].count ? schedule->systems.items[schedule->order[phase].items[i]].doc : NULL;
}

const char *schedule_file(const schedule_o *schedule, phase_t phase, uint32_t i, uint32_t *line) {
  const system_t *system =
      i < schedule->order[phase].count ? &schedule->systems.items[schedule->order[phase].items[i]] : NULL;
  *line = system ? system->line : 0;
  return system ? system->file : "";
}

const char *schedule_condition(const schedule_o *schedule, phase_t phase, uint32_t i) {
  return i < schedule->order[phase].count ? schedule->systems.items[schedule->order[phase].items[i]].when : "";
}

bool schedule_is_disabled(const schedule_o *schedule, phase_t phase, uint32_t i) {
  return i < schedule->order[phase].count && schedule->systems.items[schedule->order[phase].items[i]].off;
}

void schedule_cost(const schedule_o *schedule, phase_t phase, uint32_t i, double *total_us, uint64_t *runs) {
  bool is_known = i < schedule->order[phase].count;
  *total_us = is_known ? schedule->systems.items[schedule->order[phase].items[i]].times.total_us : 0;
  *runs = is_known ? schedule->systems.items[schedule->order[phase].items[i]].times.runs : 0;
}

void schedule_latest_run(const schedule_o *schedule, phase_t phase, uint32_t i, schedule_run_t *out) {
  *out = (schedule_run_t){0};
  if (i >= schedule->order[phase].count)
    return;
  const times_t *times = &schedule->systems.items[schedule->order[phase].items[i]].times;
  *out = (schedule_run_t){.began_us = times->began_us, .runs = times->runs};
  out->spent_us = times->runs > 0 ? (double)times->recent_us[(times->runs - 1) % RECENT_RUNS] : 0;
}

static int compare_floats(const void *a, const void *b) {
  float left = *(const float *)a, right = *(const float *)b;
  return (left > right) - (left < right);
}

void times_add(times_t *times, double spent_us) {
  times->total_us += spent_us;
  times->recent_us[times->runs++ % RECENT_RUNS] = (float)spent_us;
}

double times_quantile(const times_t *times, double fraction) {
  shoal_assert(fraction >= 0 && fraction <= 1, "quantile %g is out of range [0, 1]", fraction);
  size_t count = times->runs < RECENT_RUNS ? (size_t)times->runs : RECENT_RUNS;
  float sorted[RECENT_RUNS];
  memcpy(sorted, times->recent_us, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_floats);
  return count ? (double)sorted[(size_t)(fraction * (double)(count - 1) + 0.5)] : 0;
}

double schedule_quantile(const schedule_o *schedule, phase_t phase, uint32_t i, double fraction) {
  return i < schedule->order[phase].count
             ? times_quantile(&schedule->systems.items[schedule->order[phase].items[i]].times, fraction)
             : 0;
}
