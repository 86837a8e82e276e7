// A fire that spreads in a grid of cells.
#include "plain.h"

#include <math.h>

enum { TREE, BURNING, ASH };

typedef struct forest_t {
  uint8_t *state; // rows of trees, with an empty row before the first and after the last row
  float *fuel, *heat;
  int32_t *age;
  uint32_t random[4]; // xoshiro128**, as in world.random with seed 1
} forest_t;

static inline uint32_t rotate_left(uint32_t v, int bits) {
  return v << bits | v >> (32 - bits);
}

static inline double next_random(uint32_t *s) {
  uint32_t value = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 9;
  s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t, s[3] = rotate_left(s[3], 11);
  return value * (1.0 / 4294967296.0);
}

static void seed_random(uint32_t *s, uint64_t seed) {
  for (int i = 0; i < 4; i += 2) {
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    s[i] = (uint32_t)z, s[i + 1] = (uint32_t)(z >> 32);
  }
}

static inline uint8_t burns(uint8_t state) {
  return state == BURNING;
}

// Counts the burning neighbours of each cell in a row of the grid. The vector loop also counts the cells before and
// after the row; their share is subtracted from the first and the last cell.
LOOP void heat_row(float *restrict heat, const uint8_t *restrict state, ptrdiff_t width) {
  for (ptrdiff_t i = 0; i < width; ++i)
    heat[i] = (float)(burns(state[i - 1]) + burns(state[i + 1]) + burns(state[i - width]) + burns(state[i + width]));
  heat[0] -= burns(state[-1]);
  heat[width - 1] -= burns(state[width]);
}

SCALAR_LOOP void spread(forest_t *f, size_t count) {
  uint32_t random[4] = {f->random[0], f->random[1], f->random[2], f->random[3]};
  for (size_t i = 0; i < count; ++i)
    if (f->state[i] == TREE) {
      if (next_random(random) < 0.00002 + 0.1 * (double)f->heat[i])
        f->state[i] = BURNING;
    } else if (f->state[i] == BURNING) {
      f->fuel[i] -= 0.25f;
      if (f->fuel[i] <= 0)
        f->state[i] = ASH, f->age[i] = 0;
    } else if (++f->age[i] > 60 && next_random(random) < 0.02) {
      f->state[i] = TREE, f->fuel[i] = 5;
    }
  for (int k = 0; k < 4; ++k)
    f->random[k] = random[k];
}

void run_wildfire(uint32_t count, uint32_t ticks) {
  uint32_t width = (uint32_t)sqrt(count);
  forest_t f = {.fuel = memory(count, 4), .heat = memory(count, 4), .age = memory(count, 4)};
  f.state = (uint8_t *)memory(count + 2 * width, 1) + width;
  seed_random(f.random, 1);
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    f.fuel[row] = (float)((double)(i * 37 % 100) / 10), f.state[row] = i % 1997 == 0 ? BURNING : TREE;
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    for (uint32_t first = 0; first < count; first += width)
      heat_row(f.heat + first, f.state + first, width);
    double heated_s = now_s();
    spread(&f, count);
    add_time("heat", heated_s - began_s, count);
    add_time("spread", now_s() - heated_s, count);
  }
  double fuel = 0, heat = 0, age = 0;
  for (uint32_t i = 0; i < count; ++i)
    fuel += (double)f.fuel[i], heat += (double)f.heat[i] * (double)((i + 1) % 7), age += f.age[i];
  print_check("fuel", fuel);
  print_check("heat", heat);
  print_check("age", age);
}
