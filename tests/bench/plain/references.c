// Seekers that accelerate towards another, random seeker, identified by an id with a generation.
#include "plain.h"

typedef struct seekers_t {
  float *x, *y, *vx, *vy;
  uint32_t *target;
} seekers_t;

SCALAR_LOOP void seek(seekers_t s, const slots_t *slots, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t row = slots_row(slots, s.target[i]);
    if (row == UINT32_MAX)
      continue;
    s.vx[i] += (s.x[row] - s.x[i]) * dt_s;
    s.vy[i] += (s.y[row] - s.y[i]) * dt_s;
  }
}

void run_references(uint32_t count, uint32_t ticks) {
  slots_t slots = slots_create(count);
  seekers_t s = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4)};
  uint32_t *ids = memory(count, 4);
  for (uint32_t row = 0; row < count; ++row) {
    s.x[row] = (float)((row + 1) % 1000), s.y[row] = (float)((row + 1) % 700);
    ids[row] = slots_allocate(&slots, row);
  }
  for (uint64_t i = 1; i <= count; ++i)
    s.target[i - 1] = ids[(i * 2654435 % 4194301 * 1021 + i) % count];
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    seek(s, &slots, count, 1.0f / 64);
    add_time("c", now_s() - began_s, count);
  }
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum = sum + (double)s.vx[i] * (1 + (i + 1) % 97) + (double)s.vy[i];
  print_check("speed", sum);
}
