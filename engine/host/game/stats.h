// Measurements for `--stats`: tick rate, time per system, memory of the world, and allocations per tick in the steady
// state.
#ifndef SHOAL_GAME_STATS_H
#define SHOAL_GAME_STATS_H

#include "game/game.h"

#include <stdio.h>

// Values at a mark. The steady state is measured from a mark to the end of the run. Marks are set at tick counts that
// are powers of two, so that at least the last quarter of a run is measured.
typedef struct stats_mark_t {
  uint64_t tick, allocations;
  double lua_bytes;
} stats_mark_t;

typedef struct stats_t {
  uint64_t ticks;        // number of ticks since stats_reset
  double tick_time_s;    // time spent in ticks
  uint64_t allocations;  // number of allocations by the world inside ticks
  double lua_bytes;      // growth of the VM's memory inside ticks
  stats_mark_t marks[2]; // latest mark and previous mark
  double tick_start_s;
  size_t tick_start_lua_bytes;
  uint64_t tick_start_calls;
} stats_t;

void stats_begin_tick(stats_t *s, game_o *g, double now_s);
void stats_end_tick(stats_t *s, game_o *g, double now_s);
// Resets the measurements. Call after a reload or a switch to a different game.
void stats_reset(stats_t *s);

void stats_print(const stats_t *s, const game_o *g, FILE *out);
// Prints the time of the system `name` if it is built in, or, for "all", of each built-in system that takes at least a
// tenth of the time of all systems.
void stats_print_built_in(const game_o *g, const char *name, FILE *out);

#endif
