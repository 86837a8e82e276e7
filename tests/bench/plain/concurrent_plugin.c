// Iterates the logistic map sixteen times per tick on every value of two columns.
#include "plain.h"

LOOP void go(float *restrict x, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (int step = 0; step < 16; ++step)
      x[i] = 3.75f * x[i] * (1.0f - x[i]);
}

static double sum(const float *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += (double)column[i];
  return total;
}

void run_concurrent_plugin(uint32_t count, uint32_t ticks) {
  float *left = memory(count, sizeof *left), *right = memory(count, sizeof *right);
  for (uint32_t i = 0; i < count; ++i) {
    left[i] = (float)((i + 1) % 1000) / 1024;
    right[i] = (float)((i + 1) % 700) / 1024;
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    go(left, count);
    go(right, count);
    add_time("c", now_s() - began_s, count);
  }
  print_check("left", sum(left, count));
  print_check("right", sum(right, count));
}
