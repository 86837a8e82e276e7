// Systems that run in parallel: consecutive systems, none of which writes a column that a different system of the stage
// reads or writes. The result is bit-identical to a sequential run. Whether to run them in parallel affects only speed,
// so this decision may depend on the clock.
#include "base/assert.h"
#include "base/now.h"
#include "schedule/schedule_internal.h"
#include "ecs/ranges.h"
#include "ecs/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STAGE_MAX = 32 }; // maximum number of systems per stage
#define ALONE_WEIGHT 0.5 // weight of the latest run in the estimated time of the next run
#define STAGE_WEIGHT 0.2
#define TRIAL_PERIOD 128u // number of turns in which sequential and parallel execution are each tried at least once
#define TRIAL_LENGTH 8u   // number of consecutive turns of a parallel trial; the first turns only wake the threads

// --- stages

static void free_access(schedule_o *schedule, system_t *system) {
  if (system->parallel.access)
    alloc_resize(schedule->allocator, (void *)(uintptr_t)system->parallel.access,
                 system->parallel.access_count * sizeof *system->parallel.access, 0);
  system->parallel.access = NULL;
}

void stage_free_system(schedule_o *schedule, system_t *system) {
  char **strings[] = {&system->separation, &system->alone_reason};
  free_access(schedule, system);
  for (uint32_t i = 0; i < 2; ++i) {
    alloc_free_text(schedule->allocator, *strings[i]);
    *strings[i] = NULL;
  }
}

bool schedule_allow_parallel(schedule_o *schedule, const char *name, const system_parallel_t *parallel) {
  shoal_assert(parallel->begin && parallel->part && parallel->end,
               "%s must have begin, part and end to run in parallel", name);
  system_t *system = system_find(schedule, name);
  if (!system || system->phase == PHASE_RENDER || system->phase == PHASE_DEMAND)
    return false;
  size_t bytes = parallel->access_count * sizeof *parallel->access;
  free_access(schedule, system);
  system->parallel = *parallel;
  system->parallel.access =
      bytes > 0 ? memcpy(alloc_resize(schedule->allocator, NULL, 0, bytes), parallel->access, bytes) : NULL;
  system->may_join = true;
  schedule->changed = schedule->staged;
  return true;
}

static void replace_text(schedule_o *schedule, char **target, const char *text) {
  alloc_free_text(schedule->allocator, *target);
  *target = alloc_copy_text(schedule->allocator, text);
}

__attribute__((format(printf, 3, 4))) static bool set_separation(schedule_o *schedule, system_t *system,
                                                                 const char *format_string, ...) {
  char reason[512];
  va_list arguments;
  va_start(arguments, format_string);
  vsnprintf(reason, sizeof reason, format_string, arguments);
  va_end(arguments);
  replace_text(schedule, &system->separation, reason);
  return false;
}

void schedule_set_alone_reason(schedule_o *schedule, const char *name, const char *reason) {
  system_t *system = system_find(schedule, name);
  if (system && (!system->alone_reason || strcmp(system->alone_reason, reason) != 0)) {
    replace_text(schedule, &system->alone_reason, reason);
    schedule->changed = schedule->staged;
  }
}

// Finds a column that one system writes and the other reads or writes. Returns the access of `a` and stores the column
// in `*column`. Returns NULL if the systems do not conflict.
static const system_access_t *find_conflict(const system_t *a, const system_t *b, uint32_t *column) {
  for (uint32_t i = 0; i < a->parallel.access_count; ++i)
    for (uint32_t k = 0; k < b->parallel.access_count; ++k) {
      const system_access_t *access_a = &a->parallel.access[i], *access_b = &b->parallel.access[k];
      uint64_t conflicts =
          (access_a->writes & (access_b->reads | access_b->writes)) | (access_a->reads & access_b->writes);
      if (access_a->manager != access_b->manager || conflicts == 0)
        continue;
      for (*column = 0; !(conflicts >> *column & 1); ++*column)
        ;
      return access_a;
    }
  return NULL;
}

// Formats " (file:line)" for a system declared by a game, and "" for other systems. If `line` is 0, uses the line of
// the declaration.
static const char *format_location(const system_t *system, uint32_t line, char *out, size_t bytes) {
  out[0] = '\0';
  if (system->file[0])
    snprintf(out, bytes, " (%s:%u)", system->file, line > 0 ? line : system->line);
  return out;
}

// Returns true if `system` can run in parallel with `previous`, which precedes it. Otherwise returns false and stores
// the reason in `system`.
static bool check_conflicts(schedule_o *schedule, world_o *w, const system_t *previous, system_t *system) {
  uint32_t column = 0;
  char location[sizeof previous->file + 16];
  if (system_must_precede(previous, system))
    return set_separation(schedule, system, "declared to run after %s%s", previous->name,
                          format_location(previous, 0, location, sizeof location));
  if (previous->parallel.changes)
    return set_separation(schedule, system, "%s makes structural changes%s", previous->name,
                          format_location(previous, 0, location, sizeof location));
  const system_access_t *conflict = find_conflict(previous, system, &column);
  if (!conflict)
    return true;
  const schema_t *schema = &world_manager(w, conflict->manager)->schema;
  return set_separation(schedule, system, "%s %s %s.%s%s", previous->name,
                        conflict->writes >> column & 1 ? "writes" : "reads", schema->name, schema->fields[column].name,
                        format_location(previous, conflict->line, location, sizeof location));
}

static system_t *get_system(schedule_o *schedule, phase_t phase, uint32_t i) {
  shoal_assert(i < schedule->order[phase].count, "system %u is out of range (count %u)", i,
               schedule->order[phase].count);
  return &schedule->systems.items[schedule->order[phase].items[i]];
}

// Stores why the first system of a stage did not join the previous stage, unless try_join_stage has stored the reason.
static void set_separation_of_first_system(schedule_o *schedule, phase_t phase, uint32_t i) {
  system_t *system = get_system(schedule, phase, i);
  if (!system->may_join)
    set_separation(schedule, system, "runs alone%s%s", system->alone_reason ? ": " : "",
                   system->alone_reason ? system->alone_reason : "");
  else if (i == 0 || !get_system(schedule, phase, i - 1)->may_join)
    set_separation(schedule, system, "%s", i == 0 ? "first in the phase" : "the previous system runs alone");
}

static bool try_join_stage(schedule_o *schedule, world_o *w, phase_t phase, uint32_t first_index, uint32_t index) {
  system_t *system = get_system(schedule, phase, index);
  if (!system->may_join)
    return false;
  if (index - first_index == STAGE_MAX)
    return set_separation(schedule, system, "the previous stage is full (at most %d systems run in parallel)",
                          STAGE_MAX);
  for (uint32_t k = first_index; k < index; ++k)
    if (!check_conflicts(schedule, w, get_system(schedule, phase, k), system))
      return false;
  return set_separation(schedule, system, "%s", "") || true;
}

static uint32_t assign_stages(schedule_o *schedule, world_o *w, phase_t phase, uint32_t stage_count) {
  uint32_t count = schedule->order[phase].count;
  for (uint32_t first_index = 0, end; first_index < count; first_index = end) {
    system_t *system = get_system(schedule, phase, first_index);
    set_separation_of_first_system(schedule, phase, first_index);
    system->stage = 0;
    for (end = first_index + 1; system->may_join && end < count && try_join_stage(schedule, w, phase, first_index, end);
         ++end)
      ;
    stage_count += end > first_index + 1;
    for (uint32_t i = first_index; end > first_index + 1 && i < end; ++i)
      get_system(schedule, phase, i)->stage = stage_count;
  }
  return stage_count;
}

void schedule_find_stages(schedule_o *schedule, world_o *w) {
  uint32_t stage_count = 0;
  schedule->staged = true;
  schedule->changed = false;
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    stage_count = assign_stages(schedule, w, (phase_t)phase, stage_count);
}

static const system_t *find_phase_system(const schedule_o *schedule, phase_t phase, uint32_t i) {
  return i < schedule->order[phase].count ? &schedule->systems.items[schedule->order[phase].items[i]] : NULL;
}

uint32_t schedule_stage(const schedule_o *schedule, phase_t phase, uint32_t i) {
  const system_t *system = find_phase_system(schedule, phase, i);
  return system ? system->stage : 0;
}

uint32_t schedule_part_count(const schedule_o *schedule, phase_t phase, uint32_t i) {
  const system_t *system = find_phase_system(schedule, phase, i);
  return system ? system->part_count : 0;
}

const char *schedule_separation_reason(const schedule_o *schedule, phase_t phase, uint32_t i) {
  const system_t *system = find_phase_system(schedule, phase, i);
  return system && system->separation ? system->separation : "";
}

void schedule_stage_cost(const schedule_o *schedule, phase_t phase, uint32_t i, double *total_us, uint64_t *runs) {
  const system_t *system = find_phase_system(schedule, phase, i);
  *total_us = system ? system->stage_times.total_us : 0;
  *runs = system ? system->stage_times.runs : 0;
}

double schedule_stage_quantile(const schedule_o *schedule, phase_t phase, uint32_t i, double fraction) {
  const system_t *system = find_phase_system(schedule, phase, i);
  return system ? times_quantile(&system->stage_times, fraction) : 0;
}

void schedule_set_min_gain(schedule_o *schedule, double min_gain_us) {
  schedule->min_gain_us = min_gain_us;
}

// --- running

static double update_estimate(double estimate_us, double spent_us, double weight) {
  return estimate_us > 0 ? estimate_us + (spent_us - estimate_us) * weight : spent_us;
}

// Adds a run outside a stage to the system's times, and updates the estimated time of such a run. A shorter time
// replaces the estimate immediately, because the first run may include the time to load code. A longer time is limited
// to twice the estimate. Otherwise, a single interrupted run would favour the stage for a long time, because systems
// are rarely timed alone while their stage is favoured.
void stage_add_alone_run(system_t *system, double spent_us) {
  double estimate_us = system->alone_us, max_us = estimate_us * 2;
  bool is_shorter = estimate_us <= 0 || spent_us < estimate_us;
  system->alone_us =
      is_shorter ? spent_us : update_estimate(estimate_us, spent_us < max_us ? spent_us : max_us, ALONE_WEIGHT);
  times_add(&system->times, spent_us);
}

static bool is_due(const system_t *system, world_o *w) {
  return world_tick(w) % system->every == 0;
}

// Counts a turn of the stage. Returns true if the stage should run in parallel in this turn: during a trial, if a
// parallel run is expected to be faster, or if the minimum gain is 0. Sequential and parallel runs are both tried
// periodically, because other processes may occupy the cores. The stage's time is measured only in consecutive parallel
// runs, in which the threads are awake.
static bool choose_execution(const schedule_o *schedule, system_t *first_system, double sum_us, double max_us) {
  uint32_t turn = first_system->turn_count++ % TRIAL_PERIOD;
  if (schedule->min_gain_us <= 0)
    return true;
  if (sum_us - max_us < schedule->min_gain_us || turn == TRIAL_PERIOD - 1)
    return false;
  return first_system->stage_us < sum_us || turn / TRIAL_LENGTH == TRIAL_PERIOD / 2 / TRIAL_LENGTH;
}

// Returns the index of the first system in [first, end) that must run alone in this tick; otherwise `end`.
static uint32_t find_parallel_end(schedule_o *schedule, world_o *w, phase_t phase, uint32_t first_index, uint32_t end) {
  for (uint32_t i = first_index; i < end; ++i) {
    const system_t *system = find_phase_system(schedule, phase, i);
    if (is_due(system, w) && system->parallel.alone && system->parallel.alone(system->parallel.context, w))
      return i;
  }
  return end;
}

static bool choose_stage_execution(schedule_o *schedule, world_o *w, phase_t phase, uint32_t first_index,
                                   uint32_t end) {
  double sum_us = 0, max_us = 0;
  for (uint32_t i = first_index; i < end; ++i) {
    const system_t *system = find_phase_system(schedule, phase, i);
    if (!is_due(system, w))
      continue;
    sum_us += system->alone_us;
    max_us = system->alone_us > max_us ? system->alone_us : max_us;
  }
  return choose_execution(schedule, get_system(schedule, phase, first_index), sum_us, max_us);
}

typedef struct stage_t {
  member_t members[STAGE_MAX];
  uint32_t count, part_count;
} stage_t;

static void run_part(void *context, uint32_t part, uint32_t worker) {
  stage_t *stage = context;
  uint32_t i = 0;
  shoal_assert(part < stage->part_count, "part %u is out of range (count %u)", part, stage->part_count);
  while (part >= stage->members[i].first_part + stage->members[i].part_count)
    ++i;
  member_t *member = &stage->members[i];
  int64_t start_ns = now_ns();
  member->system->parallel.part(member->system->parallel.context, part - member->first_part, worker);
  atomic_fetch_add_explicit(&member->parts_ns, (uint64_t)(now_ns() - start_ns), memory_order_relaxed);
}

static void write_running_names(schedule_o *schedule, const member_t *members, uint32_t count) {
  size_t length = 0;
  for (uint32_t i = 0; i < count && schedule->running && length < schedule->running_bytes; ++i)
    length += (size_t)snprintf(schedule->running + length, schedule->running_bytes - length, "%s%s", i > 0 ? ", " : "",
                               members[i].system->name);
}

static void begin_member(schedule_o *schedule, stage_t *stage, system_t *system, world_o *w, float dt_s) {
  shoal_assert(stage->count < STAGE_MAX, "%s exceeds the maximum number of parallel systems", system->name);
  member_t *member = &stage->members[stage->count++];
  double start_us = now_us();
  member->system = system;
  write_running_names(schedule, member, 1);
  member->first_part = stage->part_count;
  system->times.began_us = start_us;
  world_begin_random_stream(w, system->name);
  member->part_count =
      system->parallel.begin(system->parallel.context, w, system->number, schedule_get_system_dt(system, w, dt_s));
  member->random = *world_random(w);
  world_end_random_stream(w);
  member->main_us = now_us() - start_us;
  atomic_init(&member->parts_ns, 0);
  stage->part_count += member->part_count;
}

static void end_member(schedule_o *schedule, member_t *member, world_o *w) {
  double start_us = now_us();
  write_running_names(schedule, member, 1);
  world_begin_random_stream(w, member->system->name);
  if (world_uses_random_streams(w))
    *world_random(w) = member->random; // continues the random numbers of begin_member
  if (member->part_count > 0)
    member->system->parallel.end(member->system->parallel.context, w);
  world_end_random_stream(w);
  world_clamp_written_columns(w);
  shoal_assert(!world_is_deferring(w), "commands are still deferred after %s has ended", member->system->name);
  member->main_us += now_us() - start_us;
  member->system->part_count = member->part_count > 0 ? member->part_count : 1;
  times_add(&member->system->times, member->main_us + (double)atomic_load(&member->parts_ns) * 1e-3);
}

uint32_t stage_run(schedule_o *schedule, world_o *w, phase_t phase, uint32_t i, float dt_s) {
  uint32_t stage_number = get_system(schedule, phase, i)->stage, end = i;
  stage_t stage = {.count = 0};
  while (stage_number > 0 && end < schedule->order[phase].count &&
         find_phase_system(schedule, phase, end)->stage == stage_number)
    ++end;
  // `after_system` must be called after each system, so it prevents parallel runs
  if (end - i < 2 || jobs_worker_count(world_jobs(w)) == 1 || schedule->after_system)
    return 0;
  end = find_parallel_end(schedule, w, phase, i, end);
  system_t *first_system = get_system(schedule, phase, i);
  bool is_warm = first_system->parallel_in_row >= TRIAL_LENGTH / 2;
  if (end - i < 2)
    return 0;
  bool runs_in_parallel = choose_stage_execution(schedule, w, phase, i, end);
  first_system->parallel_in_row = runs_in_parallel ? first_system->parallel_in_row + 1 : 0;
  if (!runs_in_parallel)
    return 0;
  double start_us = now_us();
  for (uint32_t k = i; k < end; ++k)
    if (is_due(find_phase_system(schedule, phase, k), w))
      begin_member(schedule, &stage, get_system(schedule, phase, k), w, dt_s);
  write_running_names(schedule, stage.members, stage.count);
  jobs_run_parts(world_jobs(w), run_part, &stage, stage.part_count);
  for (uint32_t k = 0; k < stage.count; ++k)
    end_member(schedule, &stage.members[k], w);
  double spent_us = now_us() - start_us;
  first_system->stage_us =
      is_warm ? update_estimate(first_system->stage_us, spent_us, STAGE_WEIGHT) : first_system->stage_us;
  times_add(&first_system->stage_times, spent_us);
  return end - i;
}
