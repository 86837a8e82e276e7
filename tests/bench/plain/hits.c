// Units of which every tenth queues an event in each tick, and a loop that applies the events to their targets.
#include "plain.h"

typedef struct hit_t {
  uint32_t target;
  float power;
} hit_t;

// Units first, first + 10, … attack.
SCALAR_LOOP uint32_t attack(hit_t *restrict hits, const uint32_t *restrict target, const float *restrict power,
                            size_t first, size_t count) {
  uint32_t emitted = 0;
  for (size_t i = first; i < count; i += 10)
    hits[emitted++] = (hit_t){target[i], power[i]};
  return emitted;
}

SCALAR_LOOP void defend(float *restrict hp, const slots_t *slots, const hit_t *restrict hits, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = slots_row(slots, hits[i].target);
    if (row == UINT32_MAX)
      continue;
    float left = hp[row] - hits[i].power;
    hp[row] = left <= 0 ? 100 : left;
  }
}

void run_hits(uint32_t count, uint32_t ticks) {
  slots_t slots = slots_create(count);
  float *hp = memory(count, 4), *power = memory(count, 4);
  uint32_t *ids = memory(count, 4), *target = memory(count, 4);
  hit_t *hits = memory(count, sizeof *hits);
  for (uint32_t i = 0; i < count; ++i) {
    ids[i] = slots_allocate(&slots, i);
    hp[i] = 100, power[i] = (float)((i + 1) % 5);
  }
  for (uint32_t i = 0; i < count; ++i)
    target[i] = ids[(uint64_t)(i + 1) * 7919 % count];
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    uint32_t emitted = attack(hits, target, power, 9 - tick % 10, count);
    double emitted_s = now_s();
    defend(hp, &slots, hits, emitted);
    add_time("attack", emitted_s - began_s, count);
    add_time("defend", now_s() - emitted_s, count);
  }
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += (double)hp[i] * (1 + (i + 1) % 97);
  print_check("hp", sum);
}
