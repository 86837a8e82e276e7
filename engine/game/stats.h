// What `--stats` prints: how fast the ticks went, what each system took, what the world's memory holds, and what a tick
// allocates once things have settled.
#ifndef SHOAL_GAME_STATS_H
#define SHOAL_GAME_STATS_H

#include "game/game.h"

#include <stdio.h>

// The steady state is measured from a mark to the end; marks are set at powers of two, so the last half of a run is
// looked at.
typedef struct stats_mark_t {
  uint64_t tick, c_calls;
  double lua_bytes;
} stats_mark_t;

typedef struct stats_t {
  uint64_t ticks;        // since the game began
  double ticking_s;      // time spent in ticks
  uint64_t c_calls;      // requests to the world's allocator inside ticks
  double lua_bytes;      // by which the VM's memory grew inside ticks
  stats_mark_t marks[2]; // the last and the one before it
  double began_s;
  size_t lua_before;
  uint64_t calls_before;
} stats_t;

void stats_begin_tick(stats_t *s, game_o *g, double now_s);
void stats_end_tick(stats_t *s, game_o *g, double now_s);
// The code was swapped or the game is another one: nothing that was measured before compares.
void stats_reset(stats_t *s);

void stats_print(const stats_t *s, const game_o *g, FILE *out);

#endif
