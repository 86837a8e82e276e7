// Distances to a goal in a grid of cells with costs, by one sweep a tick.
#include "plain.h"

#include <math.h>

LOOP void clear(float *distance, size_t count) {
  for (size_t i = 0; i < count; ++i)
    distance[i] = 1e6f;
}

static inline float lower(float a, float b) {
  return a < b ? a : b;
}

// Each cell depends on the previous cell. The minimum of the other three neighbours is computed first, off the critical
// path.
SCALAR_LOOP void sweep(float *restrict distance, const float *restrict cost, size_t count, size_t width) {
  float before = distance[width - 1];
  for (size_t i = width; i < count - width; ++i) {
    float others = lower(lower(distance[i + 1], distance[i - width]), distance[i + width]);
    before = lower(lower(others, before) + cost[i], distance[i]);
    distance[i] = before;
  }
}

void run_paths(uint32_t count, uint32_t ticks) {
  float *distance = memory(count, 4), *cost = memory(count, 4);
  for (uint32_t i = 0; i < count; ++i)
    cost[i] = (float)(1 + (uint64_t)(i + 1) * 7 % 5);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    clear(distance, count);
    distance[(uint64_t)tick * 997 % count] = 0;
    double cleared_s = now_s();
    sweep(distance, cost, count, (size_t)sqrt((double)count));
    add_time("clear", cleared_s - began_s, count);
    add_time("c", now_s() - cleared_s, count);
  }
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += (double)distance[i];
  print_check("distance", sum);
}
