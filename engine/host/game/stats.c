// Measures ticks and prints the output of --stats.
#include "game/stats.h"

#include "base/assert.h"
#include "native/loop.h"

void stats_reset(stats_t *s) {
  *s = (stats_t){0};
}

void stats_begin_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "the clock must not be negative, got %g s", now_s);
  s->tick_start_s = now_s;
  s->tick_start_lua_bytes = vm_memory_bytes(g->vm);
  s->tick_start_calls = world_allocator(g->world)->calls;
}

void stats_end_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "the clock must not be negative, got %g s", now_s);
  shoal_assert(now_s >= s->tick_start_s, "a tick ended %g s before it began", s->tick_start_s - now_s);
  size_t lua_now = vm_memory_bytes(g->vm);
  s->ticks++;
  s->tick_time_s += now_s - s->tick_start_s;
  s->allocations += world_allocator(g->world)->calls - s->tick_start_calls;
  s->lua_bytes += lua_now > s->tick_start_lua_bytes ? (double)(lua_now - s->tick_start_lua_bytes) : 0.0;
  if ((s->ticks & (s->ticks - 1)) == 0) {
    s->marks[1] = s->marks[0];
    s->marks[0] = (stats_mark_t){.tick = s->ticks, .allocations = s->allocations, .lua_bytes = s->lua_bytes};
  }
}

// Prints the world's memory (including spare capacity, indexes and queries) and its ratio to the memory of rows in use.
static void print_memory(const world_o *w, size_t bytes, FILE *out) {
  double columns = (double)world_column_bytes(w);
  fprintf(out, "stats: memory %.2f MB, columns %.2f MB, ratio %.2f\n", (double)bytes / 1e6, columns / 1e6,
          columns > 0 ? (double)bytes / columns : 0.0);
}

typedef struct cost_t {
  double total_us;
  uint64_t runs;
} cost_t;

static void print_cost(const schedule_o *schedule, phase_t phase, uint32_t i, bool is_stage, FILE *out) {
  static const double QUANTILES[] = {0.5, 0.75, 0.9, 0.95};
  cost_t cost;
  (is_stage ? schedule_stage_cost : schedule_cost)(schedule, phase, i, &cost.total_us, &cost.runs);
  fprintf(out, " %.2f us/run %llu runs, of the last %llu:", cost.runs ? cost.total_us / (double)cost.runs : 0.0,
          (unsigned long long)cost.runs, (unsigned long long)(cost.runs < 1024 ? cost.runs : 1024));
  for (size_t k = 0; k < sizeof QUANTILES / sizeof *QUANTILES; ++k)
    fprintf(out, " %.0f%% %.3f", QUANTILES[k] * 100,
            (is_stage ? schedule_stage_quantile : schedule_quantile)(schedule, phase, i, QUANTILES[k]));
  fprintf(out, " us\n");
}

// Prints one line per stage with the systems that run in parallel.
static void print_parallel_stages(const schedule_o *s, phase_t phase, FILE *out) {
  for (uint32_t i = 0, end; i < schedule_system_count(s, phase); i = end) {
    uint32_t stage = schedule_stage(s, phase, i);
    for (end = i + 1; stage > 0 && schedule_stage(s, phase, end) == stage; ++end)
      ;
    if (stage == 0)
      continue;
    fprintf(out, "stats: together %s %s", phase_name(phase), schedule_system_name(s, phase, i));
    for (uint32_t j = i + 1; j < end; ++j)
      fprintf(out, ", %s", schedule_system_name(s, phase, j));
    print_cost(s, phase, i, true, out);
  }
}

void stats_print_built_in(const game_o *g, const char *name, FILE *out) {
  const double MIN_SHARE = 0.1;
  double total_us = 0;
  for (phase_t phase = PHASE_INPUT; g->schedule && phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(g->schedule, phase); ++i)
      total_us += schedule_quantile(g->schedule, phase, i, 0.5);
  for (phase_t phase = PHASE_INPUT; total_us > 0 && phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(g->schedule, phase); ++i) {
      const char *system = schedule_system_name(g->schedule, phase, i);
      double median_us = schedule_quantile(g->schedule, phase, i, 0.5);
      bool is_costly = strcmp(name, "all") == 0 && median_us >= total_us * MIN_SHARE;
      if (strncmp(system, "shoal.", 6) == 0 && (is_costly || strcmp(name, system) == 0))
        fprintf(out, "built in: %s: %.1f us a run, %.0f %% of the time of all systems\n", system, median_us,
                median_us / total_us * 100);
    }
}

void stats_print(const stats_t *s, const game_o *g, FILE *out) {
  fprintf(out, "stats: %llu ticks in %.3f s, %.0f ticks/s\n", (unsigned long long)s->ticks, s->tick_time_s,
          s->tick_time_s > 0 ? (double)s->ticks / s->tick_time_s : 0.0);
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; g->schedule && i < schedule_system_count(g->schedule, phase); ++i) {
      fprintf(out, "stats: system %s %s", phase_name(phase), schedule_system_name(g->schedule, phase, i));
      print_cost(g->schedule, phase, i, false, out);
    }
  for (phase_t phase = PHASE_INPUT; g->schedule && phase < PHASE_COUNT; ++phase)
    print_parallel_stages(g->schedule, phase, out);
  double median_us;
  const plugin_scope_t *scope;
  for (uint32_t i = 0; (scope = plugins_get_scope(g->plugins, i, &median_us)) != NULL; ++i)
    fprintf(out, "stats: scope %s %.2f us/run %llu runs, 50%% %.3f us\n", scope->name,
            scope->runs ? scope->total_us / (double)scope->runs : 0.0, (unsigned long long)scope->runs, median_us);
  for (uint32_t i = 0; i < g->parked.items.count; ++i) {
    const parked_t *failure = &g->parked.items.items[i];
    if (failure->is_recurring)
      continue;
    fprintf(out, "stats: parked at tick %llu, %s %s: %s\n", (unsigned long long)failure->tick,
            parked_kind_name(failure->kind), failure->name, failure->error.text);
  }
  if (g->vm)
    native_set_print_statistics(vm_native_set(g->vm), out);
  print_memory(g->world, world_allocator(g->world)->bytes, out);
  // The time since a very recent mark is too short to measure. The time since the previous mark then covers at least
  // half of the run.
  const stats_mark_t *mark = s->ticks - s->marks[0].tick >= s->ticks / 4 ? &s->marks[0] : &s->marks[1];
  uint64_t ticks = s->ticks - mark->tick;
  if (ticks == 0)
    return;
  fprintf(out, "stats: allocations %.2f per tick over the last %llu ticks\n",
          (double)(s->allocations - mark->allocations) / (double)ticks, (unsigned long long)ticks);
  fprintf(out, "stats: lua %.1f bytes per tick over the last %llu ticks\n",
          (s->lua_bytes - mark->lua_bytes) / (double)ticks, (unsigned long long)ticks);
}
