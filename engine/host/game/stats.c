// Measures ticks and prints the output of --stats.
#include "game/stats.h"

#include "base/assert.h"
#include "native/loop.h"

void stats_reset(stats_t *s) {
  *s = (stats_t){0};
}

void stats_begin_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "the clock must not be negative, got %g s", now_s);
  s->began_s = now_s;
  s->lua_before = vm_memory_bytes(g->vm);
  s->calls_before = world_allocator(g->world)->calls;
}

void stats_end_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "the clock must not be negative, got %g s", now_s);
  shoal_assert(now_s >= s->began_s, "a tick ended %g s before it began", s->began_s - now_s);
  size_t lua_now = vm_memory_bytes(g->vm);
  s->ticks++;
  s->ticking_s += now_s - s->began_s;
  s->c_calls += world_allocator(g->world)->calls - s->calls_before;
  s->lua_bytes += lua_now > s->lua_before ? (double)(lua_now - s->lua_before) : 0.0;
  if ((s->ticks & (s->ticks - 1)) == 0) {
    s->marks[1] = s->marks[0];
    s->marks[0] = (stats_mark_t){.tick = s->ticks, .c_calls = s->c_calls, .lua_bytes = s->lua_bytes};
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

static void print_cost(const schedule_o *s, phase_t phase, uint32_t i, bool stage, FILE *out) {
  static const double PARTS[] = {0.5, 0.75, 0.9, 0.95};
  cost_t c;
  (stage ? schedule_stage_cost : schedule_cost)(s, phase, i, &c.total_us, &c.runs);
  fprintf(out, " %.2f us/run %llu runs, of the last %llu:", c.runs ? c.total_us / (double)c.runs : 0.0,
          (unsigned long long)c.runs, (unsigned long long)(c.runs < 1024 ? c.runs : 1024));
  for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; ++k)
    fprintf(out, " %.0f%% %.3f", PARTS[k] * 100,
            (stage ? schedule_stage_quantile : schedule_quantile)(s, phase, i, PARTS[k]));
  fprintf(out, " us\n");
}

// Prints the systems that run in parallel, one line per stage.
static void print_parallel_stages(const schedule_o *s, phase_t phase, FILE *out) {
  for (uint32_t i = 0, end; i < schedule_system_count(s, phase); i = end) {
    uint32_t number = schedule_stage(s, phase, i);
    for (end = i + 1; number > 0 && schedule_stage(s, phase, end) == number; ++end)
      ;
    if (number == 0)
      continue;
    fprintf(out, "stats: together %s %s", phase_name(phase), schedule_system_name(s, phase, i));
    for (uint32_t k = i + 1; k < end; ++k)
      fprintf(out, ", %s", schedule_system_name(s, phase, k));
    print_cost(s, phase, i, true, out);
  }
}

void stats_print(const stats_t *s, const game_o *g, FILE *out) {
  fprintf(out, "stats: %llu ticks in %.3f s, %.0f ticks/s\n", (unsigned long long)s->ticks, s->ticking_s,
          s->ticking_s > 0 ? (double)s->ticks / s->ticking_s : 0.0);
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
    const parked_t *x = &g->parked.items.items[i];
    if (x->again)
      continue;
    fprintf(out, "stats: parked at tick %llu, %s %s: %s\n", (unsigned long long)x->tick, parked_kind_name(x->kind),
            x->name, x->error.text);
  }
  if (g->vm)
    native_set_print_statistics(vm_native_set(g->vm), out);
  print_memory(g->world, world_allocator(g->world)->bytes, out);
  // The time since a very recent mark is too short to measure; the time since the previous mark covers at least half of
  // the run.
  const stats_mark_t *mark = s->ticks - s->marks[0].tick >= s->ticks / 4 ? &s->marks[0] : &s->marks[1];
  uint64_t ticks = s->ticks - mark->tick;
  if (ticks == 0)
    return;
  fprintf(out, "stats: allocations %.2f per tick over the last %llu ticks\n",
          (double)(s->c_calls - mark->c_calls) / (double)ticks, (unsigned long long)ticks);
  fprintf(out, "stats: lua %.1f bytes per tick over the last %llu ticks\n",
          (s->lua_bytes - mark->lua_bytes) / (double)ticks, (unsigned long long)ticks);
}
