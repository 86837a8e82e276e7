// Stars that attract each other, in doubles and in floats. Additions keep their order, so that results are the same as
// in a simple loop: vectors hold several outer rows.
#include "plain.h"

#include <math.h>

typedef struct stars_t {
  float *x, *y, *mass, *vx, *vy;
} stars_t;

enum { BLOCK = 16 }; // rows that are calculated together

LOOP void pull(const float *restrict x, const float *restrict y, const float *restrict mass, float *restrict vx,
               float *restrict vy, size_t count, double dt_s) {
  for (size_t first = 0; first < count; first += BLOCK) {
    double own_x[BLOCK], own_y[BLOCK], pull_x[BLOCK] = {0}, pull_y[BLOCK] = {0};
    for (size_t i = 0; i < BLOCK; ++i)
      own_x[i] = (double)x[first + i], own_y[i] = (double)y[first + i];
    for (size_t k = 0; k < count; ++k)
      for (size_t i = 0; i < BLOCK; ++i) {
        double dx = (double)x[k] - own_x[i], dy = (double)y[k] - own_y[i], square = dx * dx + dy * dy + 25;
        double pull = (double)mass[k] / (square * sqrt(square));
        pull_x[i] += dx * pull;
        pull_y[i] += dy * pull;
      }
    for (size_t i = 0; i < BLOCK; ++i) {
      vx[first + i] = (float)((double)vx[first + i] + pull_x[i] * dt_s);
      vy[first + i] = (float)((double)vy[first + i] + pull_y[i] * dt_s);
    }
  }
}

LOOP void pull_single(const float *restrict x, const float *restrict y, const float *restrict mass, float *restrict vx,
                      float *restrict vy, size_t count, float dt_s) {
  for (size_t first = 0; first < count; first += BLOCK) {
    float own_x[BLOCK], own_y[BLOCK], pull_x[BLOCK] = {0}, pull_y[BLOCK] = {0};
    for (size_t i = 0; i < BLOCK; ++i)
      own_x[i] = x[first + i], own_y[i] = y[first + i];
    for (size_t k = 0; k < count; ++k)
      for (size_t i = 0; i < BLOCK; ++i) {
        float dx = x[k] - own_x[i], dy = y[k] - own_y[i], square = dx * dx + dy * dy + 25;
        float pull = mass[k] / (square * sqrtf(square));
        pull_x[i] += dx * pull;
        pull_y[i] += dy * pull;
      }
    for (size_t i = 0; i < BLOCK; ++i) {
      vx[first + i] = vx[first + i] + pull_x[i] * dt_s;
      vy[first + i] = vy[first + i] + pull_y[i] * dt_s;
    }
  }
}

static stars_t stars_create(uint32_t count) {
  stars_t s = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4)};
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    s.x[row] = (float)(i * 37 % 1000), s.y[row] = (float)(i * 91 % 700), s.mass[row] = (float)(1 + i % 3);
  }
  return s;
}

static double sum(const stars_t *s, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total = total + (double)s->vx[i] + (double)s->vy[i];
  return total;
}

void run_nbody(uint32_t count, uint32_t ticks) {
  stars_t d = stars_create(count), s = stars_create(count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    pull(d.x, d.y, d.mass, d.vx, d.vy, count, 1.0 / 64);
    double pulled_s = now_s();
    pull_single(s.x, s.y, s.mass, s.vx, s.vy, count, 1.0f / 64);
    add_time("double", pulled_s - began_s, count);
    add_time("single", now_s() - pulled_s, count);
  }
  print_check("double", sum(&d, count));
  print_check("single", sum(&s, count));
}
