// Many systems over ten rows each: a list of functions, called through pointers, that iterate over columns.
#include "plain.h"

enum { ROWS = 10 };

typedef void (*system_t)(float *restrict x, const float *restrict v, uint32_t count, float dt_s);

LOOP void move(float *restrict x, const float *restrict v, uint32_t count, float dt_s) {
  for (uint32_t i = 0; i < count; ++i)
    x[i] += v[i] * dt_s;
}

void run_small_systems(uint32_t count, uint32_t ticks) {
  float *x = memory(ROWS, sizeof *x), *v = memory(ROWS, sizeof *v);
  system_t *systems = memory(count, sizeof *systems);
  for (uint32_t i = 0; i < count; ++i)
    systems[i] = move;
  for (uint32_t i = 0; i < ROWS; ++i)
    v[i] = (float)((i + 1) % 2 + 1);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      ((system_t volatile *)systems)[i](x, v, ROWS, 1.0f / 64);
    add_time("c", now_s() - began_s, count);
  }
  double sum = 0;
  for (uint32_t i = 0; i < ROWS; ++i)
    sum += (double)x[i];
  print_check("x", sum);
}
