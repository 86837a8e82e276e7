// The entities of the seven-system frame, by the same rules as frame7/systems/setup.lua, for both forms in plain C.
#ifndef SHOAL_BENCH_FRAME7_H
#define SHOAL_BENCH_FRAME7_H

#include "plain.h"

#include <stdbool.h>

enum { GRID_WIDTH = 320, GRID_HEIGHT = 240, GRID_CELLS = GRID_WIDTH * GRID_HEIGHT, CHECKED_FRAME = 25 };
enum { NPC, MONSTER, HERO };
enum { SPAWNING, DEAD, ALIVE };
#define DT_S (1.0f / 64)

typedef struct thing_t {
  bool moves, has_data, plays; // components in addition to the position
  float x, y, vx, vy;
  uint32_t stream[4];
  int32_t thingy, type, hp, attack, defence;
} thing_t;

static inline thing_t describe(uint32_t i, uint32_t count) {
  bool third_quarter = i >= count / 2 && i < count / 4 * 3;
  thing_t t = {.moves = !(third_quarter && i % 64 == 0),
               .has_data = !(third_quarter && i % 64 == 32),
               .plays = i % 2 == 0,
               .x = (float)(scatter(i) % GRID_WIDTH),
               .y = (float)(scatter(i + count) % GRID_HEIGHT),
               .vx = (float)(i % 7),
               .vy = (float)(i % 5),
               .thingy = (int32_t)(i % 1000),
               .type = i % 6 == 0   ? HERO
                       : i % 6 == 2 ? MONSTER
                                    : NPC,
               .hp = 60 + (int32_t)(i % 41),
               .attack = 4 + (int32_t)(i % 37),
               .defence = 2 + (int32_t)(i % 11)};
  for (uint32_t k = 0; k < 4; ++k)
    t.stream[k] = scatter(i * 4 + k);
  return t;
}

static inline uint32_t rotate(uint32_t v, int by) {
  return v << by | v >> (32 - by);
}

static inline void print_frame_checks(double position, double hp, double numgy, const uint8_t *grid) {
  double cells = 0;
  for (uint32_t i = 0; i < GRID_CELLS; ++i)
    cells += (double)grid[i] * (double)(1 + i % 97);
  print_check("position", position);
  print_check("hp", hp);
  print_check("numgy", numgy);
  print_check("grid", cells);
}

#endif
