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

#define MIN_GAIN_US 5.0 // below this time saved, waking a thread isn't worth it

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
  schedule_o *s = alloc_resize(a, NULL, 0, sizeof *s);
  *s = (schedule_o){.allocator = a, .min_gain_us = MIN_GAIN_US};
  return s;
}

static void free_names(allocator_t *a, names_t *names) {
  for (uint32_t i = 0; i < names->count; ++i)
    alloc_free_text(a, names->items[i]);
  array_free(a, names);
}

void schedule_destroy(schedule_o *s) {
  if (!s)
    return;
  allocator_t *a = s->allocator;
  for (uint32_t i = 0; i < s->systems.count; ++i) {
    system_t *x = &s->systems.items[i];
    alloc_free_text(a, x->name);
    alloc_free_text(a, x->doc);
    alloc_free_text(a, x->when);
    free_names(a, &x->after);
    free_names(a, &x->before);
    stage_free_system(s, x);
  }
  array_free(a, &s->systems);
  for (int p = 0; p < PHASE_COUNT; ++p)
    array_free(a, &s->order[p]);
  alloc_resize(a, s, sizeof *s, 0);
}

static system_t *find_system(schedule_o *s, const char *name) {
  for (uint32_t i = 0; i < s->systems.count; ++i)
    if (strcmp(s->systems.items[i].name, name) == 0)
      return &s->systems.items[i];
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

bool schedule_add_system(schedule_o *s, const system_desc_t *desc, error_info_t *error) {
  if (!desc->name || !desc->name[0])
    return error_set(error, "a system's name must not be empty");
  if (find_system(s, desc->name))
    return error_set(error, "two systems are named %s: rename one of them", desc->name);
  system_t x = {
      .name = alloc_copy_text(s->allocator, desc->name),
      .doc = alloc_copy_text(s->allocator, desc->doc),
      .phase = desc->phase == PHASE_NONE ? PHASE_UPDATE : desc->phase,
      .priority = desc->priority,
      .every = desc->every ? desc->every : 1,
      .after = copy_names(s->allocator, desc->after),
      .before = copy_names(s->allocator, desc->before),
      .run = desc->run,
      .context = desc->context,
      .number = desc->number,
      .when = alloc_copy_text(s->allocator, desc->when ? desc->when : ""),
      .off = desc->off,
  };
  snprintf(x.file, sizeof x.file, "%s", desc->file ? desc->file : "");
  x.line = desc->line;
  array_push(s->allocator, &s->systems, x);
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

// Returns the index of the phase's next system: among systems whose predecessors are done, the one with the lowest
// priority, then the first by name. Returns -1 if all remaining systems have predecessors that are not done.
static int64_t find_next_ready(const schedule_o *s, phase_t phase, const bool *done) {
  int64_t best = -1;
  for (uint32_t i = 0; i < s->systems.count; ++i) {
    const system_t *x = &s->systems.items[i];
    if (done[i] || x->phase != phase || (best >= 0 && !is_sorted_before(x, &s->systems.items[best])))
      continue;
    bool waits = false;
    for (uint32_t k = 0; k < s->systems.count && !waits; ++k)
      waits = !done[k] && system_must_precede(&s->systems.items[k], x);
    if (!waits)
      best = i;
  }
  return best;
}

static uint32_t find_predecessor(const schedule_o *s, uint32_t i, const bool *done) {
  for (uint32_t k = 0; k < s->systems.count; ++k)
    if (!done[k] && system_must_precede(&s->systems.items[k], &s->systems.items[i]))
      return k;
  return i;
}

// Reports a cycle. Every remaining system waits for another remaining one, so the predecessors of any of them lead to a
// cycle.
static bool report_cycle(const schedule_o *s, phase_t phase, const bool *done, error_info_t *error) {
  uint32_t n = s->systems.count, at = 0;
  while (done[at] || s->systems.items[at].phase != phase)
    at++;
  for (uint32_t i = 0; i < n; ++i)
    at = find_predecessor(s, at, done); // after n steps, `at` is part of the cycle
  uint32_t last = at;                   // start the report with the alphabetically first system of the cycle
  for (uint32_t i = 0; i < n; ++i) {
    at = find_predecessor(s, at, done);
    last = strcmp(s->systems.items[at].name, s->systems.items[last].name) < 0 ? at : last;
  }
  at = last;
  const system_t *placed = &s->systems.items[last];
  char text[768], chain[768];
  size_t used;
  snprintf(text, sizeof text, "%s", s->systems.items[last].name);
  do { // prepend predecessors
    at = find_predecessor(s, at, done);
    placed = s->systems.items[at].file[0] ? &s->systems.items[at] : placed;
    snprintf(chain, sizeof chain, "%.200s → %.*s", s->systems.items[at].name, (int)sizeof chain - 210, text);
    memcpy(text, chain, sizeof text);
    used = strlen(text);
  } while (at != last && used < sizeof text - 260);
  return error_set_at(error, placed->file, placed->line, "cyclic order in phase %s: %s", phase_names[phase], text);
}

static bool sort_phase(schedule_o *s, phase_t phase, bool *done, error_info_t *error) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->systems.count; ++i)
    count += s->systems.items[i].phase == phase;
  s->order[phase].count = 0;
  while (s->order[phase].count < count) {
    int64_t next = find_next_ready(s, phase, done);
    if (next < 0)
      return report_cycle(s, phase, done, error);
    done[next] = true;
    s->systems.items[next].stage = 0;
    array_push(s->allocator, &s->order[phase], (uint32_t)next);
  }
  return true;
}

bool schedule_sort(schedule_o *s, error_info_t *error) {
  size_t bytes = (s->systems.count + 1) * sizeof(bool); // allocate one more element, because allocations must not be
                                                        // empty
  bool *done = alloc_resize(s->allocator, NULL, 0, bytes);
  memset(done, 0, bytes);
  bool good = true;
  for (int phase = PHASE_INPUT; phase < PHASE_COUNT && good; ++phase)
    good = sort_phase(s, (phase_t)phase, done, error);
  alloc_resize(s->allocator, done, bytes, 0);
  if (!good)
    for (int phase = 0; phase < PHASE_COUNT; ++phase)
      s->order[phase].count = 0;
  return good;
}

// --- running

void schedule_set_running_name(schedule_o *s, char *place, size_t bytes) {
  s->running = place;
  s->running_bytes = bytes;
}

void schedule_set_callback(schedule_o *s, void (*after)(void *context, world_o *w, const char *system), void *context) {
  s->after = after;
  s->after_context = context;
}

// Copies the name. Does not use snprintf: formatting the name took as long as running a small system.
static void set_running_name(schedule_o *s, const char *name) {
  if (s->running && s->running_bytes > 0) {
    s->running[s->running_bytes - 1] = '\0';
    memccpy(s->running, name, '\0', s->running_bytes - 1);
  }
}

float schedule_get_system_dt(const system_t *x, const world_o *w, float dt_s) {
  bool is_longer = x->every > 1 && x->phase != PHASE_RENDER && dt_s > 0;
  return is_longer ? (float)((double)x->every / world_tick_rate(w)) : dt_s;
}

// Reads the clock only once between two systems: the end of a run is also the start of the next one.
void schedule_run(schedule_o *s, world_o *w, phase_t phase, float dt_s) {
  shoal_assert(!world_is_deferring(w), "a phase must not begin while commands are deferred");
  if (phase == PHASE_RENDER)
    world_draw_begin(w);
  if (s->changed)
    schedule_find_stages(s, w);
  double now = s->order[phase].count > 0 ? now_us() : 0;
  world_clamp_written_columns(w); // clamp columns that a program wrote between ticks
  jobs_pop_max_parts(world_jobs(w));
  for (uint32_t i = 0, stage; i < s->order[phase].count; i += stage ? stage : 1) {
    system_t *x = &s->systems.items[s->order[phase].items[i]];
    stage = x->stage ? stage_run(s, w, phase, i, dt_s) : 0;
    if (stage) {
      jobs_pop_max_parts(world_jobs(w));
      now = now_us();
      continue;
    }
    if (!x->run || (x->every > 1 && world_tick(w) % x->every != 0))
      continue;
    set_running_name(s, x->name);
    x->times.began_us = now;
    x->run(x->context, w, x->number, schedule_get_system_dt(x, w, dt_s));
    world_clamp_written_columns(w);
    now = now_us();
    x->parts = jobs_pop_max_parts(world_jobs(w));
    stage_add_alone_run(x, now - x->times.began_us);
    shoal_assert(!world_is_deferring(w), "commands are still deferred after %s has ended", x->name);
    if (s->after) {
      s->after(s->after_context, w, x->name);
      now = now_us();
    }
  }
  if (s->running && s->running_bytes > 0)
    s->running[0] = '\0';
  world_draw_end(w);
}

uint32_t schedule_system_count(const schedule_o *s, phase_t phase) {
  return s->order[phase].count;
}

const char *schedule_system_name(const schedule_o *s, phase_t phase, uint32_t i) {
  return i < s->order[phase].count ? s->systems.items[s->order[phase].items[i]].name : "";
}

void schedule_add_query(schedule_o *s, const char *name, uint32_t query) {
  system_t *x = find_system(s, name);
  shoal_assert(x && query > 0, "system %s is unknown, or query number %u is 0", name, query);
  for (uint32_t i = 0; i < x->query_count; ++i)
    if (x->queries[i] == query)
      return;
  if (x->query_count < SCHEDULE_MAX_QUERIES)
    x->queries[x->query_count++] = query;
}

uint32_t schedule_queries(const schedule_o *s, phase_t phase, uint32_t i, const uint32_t **ids) {
  shoal_assert(i < s->order[phase].count, "system %u is out of range (count %u)", i, s->order[phase].count);
  const system_t *x = &s->systems.items[s->order[phase].items[i]];
  *ids = x->queries;
  return x->query_count;
}

const char *schedule_doc(const schedule_o *s, phase_t phase, uint32_t i) {
  return i < s->order[phase].count ? s->systems.items[s->order[phase].items[i]].doc : NULL;
}

const char *schedule_file(const schedule_o *s, phase_t phase, uint32_t i, uint32_t *line) {
  const system_t *x = i < s->order[phase].count ? &s->systems.items[s->order[phase].items[i]] : NULL;
  *line = x ? x->line : 0;
  return x ? x->file : "";
}

const char *schedule_condition(const schedule_o *s, phase_t phase, uint32_t i) {
  return i < s->order[phase].count ? s->systems.items[s->order[phase].items[i]].when : "";
}

bool schedule_is_disabled(const schedule_o *s, phase_t phase, uint32_t i) {
  return i < s->order[phase].count && s->systems.items[s->order[phase].items[i]].off;
}

void schedule_cost(const schedule_o *s, phase_t phase, uint32_t i, double *total_us, uint64_t *runs) {
  bool known = i < s->order[phase].count;
  *total_us = known ? s->systems.items[s->order[phase].items[i]].times.total_us : 0;
  *runs = known ? s->systems.items[s->order[phase].items[i]].times.runs : 0;
}

void schedule_latest_run(const schedule_o *s, phase_t phase, uint32_t i, schedule_run_t *out) {
  *out = (schedule_run_t){0};
  if (i >= s->order[phase].count)
    return;
  const times_t *t = &s->systems.items[s->order[phase].items[i]].times;
  *out = (schedule_run_t){.began_us = t->began_us, .runs = t->runs};
  out->spent_us = t->runs > 0 ? (double)t->recent_us[(t->runs - 1) % RECENT_RUNS] : 0;
}

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

void times_add(times_t *t, double spent_us) {
  t->total_us += spent_us;
  t->recent_us[t->runs++ % RECENT_RUNS] = (float)spent_us;
}

double times_quantile(const times_t *t, double part) {
  shoal_assert(part >= 0 && part <= 1, "quantile %g is out of range [0, 1]", part);
  size_t count = t->runs < RECENT_RUNS ? (size_t)t->runs : RECENT_RUNS;
  float sorted[RECENT_RUNS];
  memcpy(sorted, t->recent_us, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_floats);
  return count ? (double)sorted[(size_t)(part * (double)(count - 1) + 0.5)] : 0;
}

double schedule_quantile(const schedule_o *s, phase_t phase, uint32_t i, double part) {
  return i < s->order[phase].count ? times_quantile(&s->systems.items[s->order[phase].items[i]].times, part) : 0;
}
