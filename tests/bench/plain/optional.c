// Things of which every tenth burns, and every tenth of these has a shield: each optional part is an array with the
// rows of its things.
#include "plain.h"

typedef struct part_t {
  uint32_t count;
  uint32_t *thing; // part row → row of the thing
  float *value;
} part_t;

LOOP void move(float *restrict x, const float *restrict vx, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i)
    x[i] += vx[i] * dt_s;
}

// `shield_of` is indexed by row of `burning`: the row of the thing's shield + 1; 0 without a shield.
SCALAR_LOOP void burn(float *restrict hp, const part_t *burning, const uint32_t *restrict shield_of,
                      const part_t *shields, float dt_s) {
  float *restrict left = shields->value;
  const float *restrict rate = burning->value;
  for (size_t i = 0; i < burning->count; ++i) {
    uint32_t shield = shield_of[i];
    if (shield != 0 && left[shield - 1] > 0)
      left[shield - 1] -= dt_s;
    else
      hp[burning->thing[i]] -= rate[i] * dt_s;
  }
}

static part_t part_create(uint32_t capacity) {
  return (part_t){.thing = memory(capacity, 4), .value = memory(capacity, 4)};
}

static uint32_t part_add(part_t *p, uint32_t thing, float value) {
  p->thing[p->count] = thing;
  p->value[p->count] = value;
  return ++p->count;
}

static double sum(const float *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += (double)column[i];
  return total;
}

void run_optional(uint32_t count, uint32_t ticks) {
  float *x = memory(count, 4), *vx = memory(count, 4), *hp = memory(count, 4);
  part_t burning = part_create(count), shields = part_create(count);
  uint32_t *shield_of = memory(count, 4);
  for (uint32_t row = 0; row < count; ++row) {
    uint32_t i = row + 1;
    x[row] = (float)(i % 100), vx[row] = 1, hp[row] = 100;
    if (i % 100 == 0)
      shield_of[burning.count] = part_add(&shields, row, 5);
    if (i % 10 == 0)
      part_add(&burning, row, 2);
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    move(x, vx, count, 1.0f / 64);
    burn(hp, &burning, shield_of, &shields, 1.0f / 64);
    add_time("c", now_s() - began_s, count);
  }
  print_check("x", sum(x, count));
  print_check("hp", sum(hp, count));
  print_check("left", sum(shields.value, shields.count));
}
