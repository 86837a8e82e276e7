// Systems that run in parallel: consecutive systems of which none writes what another one reads or writes. The result
// is bit-identical to a sequential run. Whether to run them in parallel affects only speed, so this decision may depend
// on the clock.
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
#define TRIAL_LENGTH 8u   // number of consecutive turns of a parallel trial; the first ones only wake the threads

// --- stages

static void free_access(schedule_o *s, system_t *x) {
  if (x->parallel.access)
    alloc_resize(s->allocator, (void *)(uintptr_t)x->parallel.access,
                 x->parallel.access_count * sizeof *x->parallel.access, 0);
  x->parallel.access = NULL;
}

void stage_free_system(schedule_o *s, system_t *x) {
  char **texts[] = {&x->separation, &x->alone_reason};
  free_access(s, x);
  for (uint32_t i = 0; i < 2; ++i) {
    alloc_free_text(s->allocator, *texts[i]);
    *texts[i] = NULL;
  }
}

static system_t *find_system(schedule_o *s, const char *name) {
  for (uint32_t i = 0; i < s->systems.count; ++i)
    if (strcmp(s->systems.items[i].name, name) == 0)
      return &s->systems.items[i];
  return NULL;
}

bool schedule_allow_parallel(schedule_o *s, const char *name, const system_parallel_t *parallel) {
  shoal_assert(parallel->begin && parallel->part && parallel->end,
               "%s must have begin, part and end to run in parallel", name);
  system_t *x = find_system(s, name);
  if (!x || x->phase == PHASE_RENDER || x->phase == PHASE_DEMAND)
    return false;
  size_t bytes = parallel->access_count * sizeof *parallel->access;
  free_access(s, x);
  x->parallel = *parallel;
  x->parallel.access = bytes > 0 ? memcpy(alloc_resize(s->allocator, NULL, 0, bytes), parallel->access, bytes) : NULL;
  x->may_join = true;
  s->changed = s->staged;
  return true;
}

static void replace_text(schedule_o *s, char **to, const char *text) {
  alloc_free_text(s->allocator, *to);
  *to = alloc_copy_text(s->allocator, text);
}

__attribute__((format(printf, 3, 4))) static bool set_separation(schedule_o *s, system_t *x, const char *words, ...) {
  char text[512];
  va_list list;
  va_start(list, words);
  vsnprintf(text, sizeof text, words, list);
  va_end(list);
  replace_text(s, &x->separation, text);
  return false;
}

void schedule_set_alone_reason(schedule_o *s, const char *name, const char *why) {
  system_t *x = find_system(s, name);
  if (x && (!x->alone_reason || strcmp(x->alone_reason, why) != 0)) {
    replace_text(s, &x->alone_reason, why);
    s->changed = s->staged;
  }
}

// Finds a column that one system writes and the other one reads or writes. Returns the access of `a` and stores the
// column in `*column`. Returns NULL if the systems do not conflict.
static const system_access_t *find_conflict(const system_t *a, const system_t *b, uint32_t *column) {
  for (uint32_t i = 0; i < a->parallel.access_count; ++i)
    for (uint32_t k = 0; k < b->parallel.access_count; ++k) {
      const system_access_t *x = &a->parallel.access[i], *y = &b->parallel.access[k];
      uint64_t both = (x->writes & (y->reads | y->writes)) | (x->reads & y->writes);
      if (x->manager != y->manager || both == 0)
        continue;
      for (*column = 0; !(both >> *column & 1); ++*column)
        ;
      return x;
    }
  return NULL;
}

// Formats " (file:line)" for a system declared by a game, and "" for other systems. If `line` is 0, uses the line of
// the declaration.
static const char *format_location(const system_t *x, uint32_t line, char *out, size_t bytes) {
  out[0] = '\0';
  if (x->file[0])
    snprintf(out, bytes, " (%s:%u)", x->file, line > 0 ? line : x->line);
  return out;
}

// Returns true if `b` can run in parallel with `a`, which precedes it. Otherwise returns false and stores the reason in
// `b`.
static bool check_conflicts(schedule_o *s, world_o *w, const system_t *a, system_t *b) {
  uint32_t column = 0;
  char place[sizeof a->file + 16];
  if (system_must_precede(a, b))
    return set_separation(s, b, "declared to run after %s%s", a->name, format_location(a, 0, place, sizeof place));
  if (a->parallel.changes)
    return set_separation(s, b, "%s makes structural changes%s", a->name, format_location(a, 0, place, sizeof place));
  const system_access_t *conflict = find_conflict(a, b, &column);
  if (!conflict)
    return true;
  const schema_t *schema = &world_manager(w, conflict->manager)->schema;
  return set_separation(s, b, "%s %s %s.%s%s", a->name, conflict->writes >> column & 1 ? "writes" : "reads",
                        schema->name, schema->fields[column].name,
                        format_location(a, conflict->line, place, sizeof place));
}

static system_t *get_system(schedule_o *s, phase_t phase, uint32_t i) {
  shoal_assert(i < s->order[phase].count, "system %u is out of range (count %u)", i, s->order[phase].count);
  return &s->systems.items[s->order[phase].items[i]];
}

// Stores why the first system of a stage did not join the previous stage, unless try_join_stage has stored the reason.
static void set_separation_of_first_system(schedule_o *s, phase_t phase, uint32_t i) {
  system_t *x = get_system(s, phase, i);
  if (!x->may_join)
    set_separation(s, x, "runs alone%s%s", x->alone_reason ? ": " : "", x->alone_reason ? x->alone_reason : "");
  else if (i == 0 || !get_system(s, phase, i - 1)->may_join)
    set_separation(s, x, "%s", i == 0 ? "first in the phase" : "the previous system runs alone");
}

static bool try_join_stage(schedule_o *s, world_o *w, phase_t phase, uint32_t first, uint32_t i) {
  system_t *x = get_system(s, phase, i);
  if (!x->may_join)
    return false;
  if (i - first == STAGE_MAX)
    return set_separation(s, x, "the previous stage is full (at most %d systems run in parallel)", STAGE_MAX);
  for (uint32_t k = first; k < i; ++k)
    if (!check_conflicts(s, w, get_system(s, phase, k), x))
      return false;
  return set_separation(s, x, "%s", "") || true;
}

static uint32_t assign_stages(schedule_o *s, world_o *w, phase_t phase, uint32_t stages) {
  uint32_t count = s->order[phase].count;
  for (uint32_t first = 0, end; first < count; first = end) {
    system_t *x = get_system(s, phase, first);
    set_separation_of_first_system(s, phase, first);
    x->stage = 0;
    for (end = first + 1; x->may_join && end < count && try_join_stage(s, w, phase, first, end); ++end)
      ;
    stages += end > first + 1;
    for (uint32_t i = first; end > first + 1 && i < end; ++i)
      get_system(s, phase, i)->stage = stages;
  }
  return stages;
}

void schedule_find_stages(schedule_o *s, world_o *w) {
  uint32_t stages = 0;
  s->staged = true;
  s->changed = false;
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    stages = assign_stages(s, w, (phase_t)phase, stages);
}

static const system_t *find_phase_system(const schedule_o *s, phase_t phase, uint32_t i) {
  return i < s->order[phase].count ? &s->systems.items[s->order[phase].items[i]] : NULL;
}

uint32_t schedule_stage(const schedule_o *s, phase_t phase, uint32_t i) {
  const system_t *x = find_phase_system(s, phase, i);
  return x ? x->stage : 0;
}

uint32_t schedule_part_count(const schedule_o *s, phase_t phase, uint32_t i) {
  const system_t *x = find_phase_system(s, phase, i);
  return x ? x->parts : 0;
}

const char *schedule_separation_reason(const schedule_o *s, phase_t phase, uint32_t i) {
  const system_t *x = find_phase_system(s, phase, i);
  return x && x->separation ? x->separation : "";
}

void schedule_stage_cost(const schedule_o *s, phase_t phase, uint32_t i, double *total_us, uint64_t *runs) {
  const system_t *x = find_phase_system(s, phase, i);
  *total_us = x ? x->stage_times.total_us : 0;
  *runs = x ? x->stage_times.runs : 0;
}

double schedule_stage_quantile(const schedule_o *s, phase_t phase, uint32_t i, double part) {
  const system_t *x = find_phase_system(s, phase, i);
  return x ? times_quantile(&x->stage_times, part) : 0;
}

void schedule_set_min_gain(schedule_o *s, double min_gain_us) {
  s->min_gain_us = min_gain_us;
}

// --- running

static double update_estimate(double before_us, double spent_us, double weight) {
  return before_us > 0 ? before_us + (spent_us - before_us) * weight : spent_us;
}

// Adds a run outside a stage to the system's times, and updates the estimated time of such a run. A shorter time
// replaces the estimate at once, because the first run may include the time to load code. A longer time is limited to
// twice the estimate: otherwise, a single interrupted run would favour the stage for a long time, because systems are
// rarely timed alone while their stage is favoured.
void stage_add_alone_run(system_t *x, double spent_us) {
  double before_us = x->alone_us, max_us = before_us * 2;
  bool is_shorter = before_us <= 0 || spent_us < before_us;
  x->alone_us = is_shorter ? spent_us : update_estimate(before_us, spent_us < max_us ? spent_us : max_us, ALONE_WEIGHT);
  times_add(&x->times, spent_us);
}

static bool is_due(const system_t *x, world_o *w) {
  return world_tick(w) % x->every == 0;
}

// Counts a turn of the stage, and returns true if the stage should run in parallel in this turn: because this is
// expected to be faster, for a trial, or because the minimum gain is 0. Both ways are tried periodically, because other
// processes may occupy the cores. The stage's time is measured only in consecutive parallel runs, in which the threads
// are awake.
static bool choose_execution(const schedule_o *s, system_t *first, double sum_us, double max_us) {
  uint32_t turn = first->turns++ % TRIAL_PERIOD;
  if (s->min_gain_us <= 0)
    return true;
  if (sum_us - max_us < s->min_gain_us || turn == TRIAL_PERIOD - 1)
    return false;
  return first->stage_us < sum_us || turn / TRIAL_LENGTH == TRIAL_PERIOD / 2 / TRIAL_LENGTH;
}

// Returns the index of the first system in [first, end) that must run alone in this tick; `end` if none must.
static uint32_t find_parallel_end(schedule_o *s, world_o *w, phase_t phase, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    const system_t *x = find_phase_system(s, phase, i);
    if (is_due(x, w) && x->parallel.alone && x->parallel.alone(x->parallel.context, w))
      return i;
  }
  return end;
}

static bool choose_stage_execution(schedule_o *s, world_o *w, phase_t phase, uint32_t first, uint32_t end) {
  double sum_us = 0, max_us = 0;
  for (uint32_t i = first; i < end; ++i) {
    const system_t *x = find_phase_system(s, phase, i);
    if (!is_due(x, w))
      continue;
    sum_us += x->alone_us;
    max_us = x->alone_us > max_us ? x->alone_us : max_us;
  }
  return choose_execution(s, get_system(s, phase, first), sum_us, max_us);
}

typedef struct stage_t {
  member_t members[STAGE_MAX];
  uint32_t count, parts;
} stage_t;

static void run_part(void *context, uint32_t part, uint32_t worker) {
  stage_t *g = context;
  uint32_t i = 0;
  shoal_assert(part < g->parts, "part %u is out of range (count %u)", part, g->parts);
  while (part >= g->members[i].first + g->members[i].parts)
    ++i;
  member_t *m = &g->members[i];
  int64_t began_ns = now_ns();
  m->system->parallel.part(m->system->parallel.context, part - m->first, worker);
  atomic_fetch_add_explicit(&m->parts_ns, (uint64_t)(now_ns() - began_ns), memory_order_relaxed);
}

static void write_running_names(schedule_o *s, const member_t *members, uint32_t count) {
  size_t used = 0;
  for (uint32_t i = 0; i < count && s->running && used < s->running_bytes; ++i)
    used += (size_t)snprintf(s->running + used, s->running_bytes - used, "%s%s", i > 0 ? ", " : "",
                             members[i].system->name);
}

static void begin_member(schedule_o *s, stage_t *g, system_t *x, world_o *w, float dt_s) {
  shoal_assert(g->count < STAGE_MAX, "%s exceeds the maximum number of parallel systems", x->name);
  member_t *m = &g->members[g->count++];
  double began_us = now_us();
  m->system = x;
  write_running_names(s, m, 1);
  m->first = g->parts;
  x->times.began_us = began_us;
  m->parts = x->parallel.begin(x->parallel.context, w, x->number, schedule_get_system_dt(x, w, dt_s));
  m->main_us = now_us() - began_us;
  atomic_init(&m->parts_ns, 0);
  g->parts += m->parts;
}

static void end_member(schedule_o *s, member_t *m, world_o *w) {
  double began_us = now_us();
  write_running_names(s, m, 1);
  if (m->parts > 0)
    m->system->parallel.end(m->system->parallel.context, w);
  world_clamp_written_columns(w);
  shoal_assert(!world_is_deferring(w), "commands are still deferred after %s has ended", m->system->name);
  m->main_us += now_us() - began_us;
  m->system->parts = m->parts > 0 ? m->parts : 1;
  times_add(&m->system->times, m->main_us + (double)atomic_load(&m->parts_ns) * 1e-3);
}

uint32_t stage_run(schedule_o *s, world_o *w, phase_t phase, uint32_t i, float dt_s) {
  uint32_t number = get_system(s, phase, i)->stage, end = i;
  stage_t g = {.count = 0};
  while (number > 0 && end < s->order[phase].count && find_phase_system(s, phase, end)->stage == number)
    ++end;
  if (end - i < 2 || jobs_worker_count(world_jobs(w)) == 1 || s->after) // a callback requires sequential runs
    return 0;
  end = find_parallel_end(s, w, phase, i, end);
  system_t *first = get_system(s, phase, i);
  bool is_warm = first->parallel_in_row >= TRIAL_LENGTH / 2;
  if (end - i < 2)
    return 0;
  bool is_shared = choose_stage_execution(s, w, phase, i, end);
  first->parallel_in_row = is_shared ? first->parallel_in_row + 1 : 0;
  if (!is_shared)
    return 0;
  double began_us = now_us();
  for (uint32_t k = i; k < end; ++k)
    if (is_due(find_phase_system(s, phase, k), w))
      begin_member(s, &g, get_system(s, phase, k), w, dt_s);
  write_running_names(s, g.members, g.count);
  jobs_run_parts(world_jobs(w), run_part, &g, g.parts);
  for (uint32_t k = 0; k < g.count; ++k)
    end_member(s, &g.members[k], w);
  double spent_us = now_us() - began_us;
  first->stage_us = is_warm ? update_estimate(first->stage_us, spent_us, STAGE_WEIGHT) : first->stage_us;
  times_add(&first->stage_times, spent_us);
  return end - i;
}
