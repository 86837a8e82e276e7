// Measures ticks and prints what --stats shows.
#include "host/stats.h"

#include "base/assert.h"

void stats_reset(stats_t *s) {
  *s = (stats_t){0};
}

void stats_begin_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "a clock at %g s", now_s);
  s->began_s = now_s;
  s->lua_before = vm_memory_bytes(g->vm);
  s->calls_before = world_allocator(g->world)->calls;
}

void stats_end_tick(stats_t *s, game_o *g, double now_s) {
  shoal_assert(now_s >= 0, "a clock at %g s", now_s);
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

// What the world has asked for, spare room, indices and queries included, against the rows that are in use and their
// owners.
static void print_memory(const world_o *w, size_t bytes, FILE *out) {
  double columns = (double)world_column_bytes(w);
  fprintf(out, "stats: memory %.2f MB, columns %.2f MB, ratio %.2f\n", (double)bytes / 1e6, columns / 1e6,
          columns > 0 ? (double)bytes / columns : 0.0);
}

void stats_print(const stats_t *s, const game_o *g, FILE *out) {
  fprintf(out, "stats: %llu ticks in %.3f s, %.0f ticks/s\n", (unsigned long long)s->ticks, s->ticking_s,
          s->ticking_s > 0 ? (double)s->ticks / s->ticking_s : 0.0);
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; g->schedule && i < schedule_count(g->schedule, phase); ++i) {
      double total_us = 0;
      uint64_t runs = 0;
      schedule_cost(g->schedule, phase, i, &total_us, &runs);
      fprintf(out, "stats: system %s %s %.2f us/run %llu runs", phase_name(phase), schedule_name(g->schedule, phase, i),
              runs ? total_us / (double)runs : 0.0, (unsigned long long)runs);
      fprintf(out, ", of the last %llu: 50%% %.3f 75%% %.3f 90%% %.3f 95%% %.3f us\n",
              (unsigned long long)(runs < 1024 ? runs : 1024), schedule_quantile(g->schedule, phase, i, 0.5),
              schedule_quantile(g->schedule, phase, i, 0.75), schedule_quantile(g->schedule, phase, i, 0.9),
              schedule_quantile(g->schedule, phase, i, 0.95));
    }
  for (uint32_t i = 0; i < g->parked.items.count; ++i) {
    const parked_t *x = &g->parked.items.items[i];
    fprintf(out, "stats: parked at tick %llu, %s %s: %s\n", (unsigned long long)x->tick, parked_kind_words(x->kind),
            x->name, x->error.text);
  }
  print_memory(g->world, world_allocator(g->world)->bytes, out);
  // A mark that is too fresh says little; the one before it is older by as much again.
  const stats_mark_t *mark = s->ticks - s->marks[0].tick >= s->ticks / 4 ? &s->marks[0] : &s->marks[1];
  uint64_t ticks = s->ticks - mark->tick;
  if (ticks == 0)
    return;
  fprintf(out, "stats: allocations %.2f per tick over the last %llu ticks\n",
          (double)(s->c_calls - mark->c_calls) / (double)ticks, (unsigned long long)ticks);
  fprintf(out, "stats: lua %.1f bytes per tick over the last %llu ticks\n",
          (s->lua_bytes - mark->lua_bytes) / (double)ticks, (unsigned long long)ticks);
}
