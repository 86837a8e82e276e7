// Particles in columns that are destroyed when their life ends, and spawned again: a slot map, and dense rows in which
// the last row replaces a removed row.
#include "plain.h"

typedef struct sparks_t {
  slots_t slots;
  float *x, *y, *vx, *vy, *age, *life;
  uint32_t *owner, count;
} sparks_t;

static const float DT_S = 1 / 64.0f;

static sparks_t sparks_create(uint32_t capacity) {
  return (sparks_t){.slots = slots_create(capacity),
                    .x = memory(capacity, 4),
                    .y = memory(capacity, 4),
                    .vx = memory(capacity, 4),
                    .vy = memory(capacity, 4),
                    .age = memory(capacity, 4),
                    .life = memory(capacity, 4),
                    .owner = memory(capacity, 4)};
}

static inline uint32_t spark_add(sparks_t *s, float x, float vx) {
  uint32_t row = s->count++;
  s->owner[row] = slots_allocate(&s->slots, row);
  s->x[row] = x, s->y[row] = 0;
  s->vx[row] = vx, s->vy[row] = 2;
  s->age[row] = 0, s->life[row] = 1;
  return row;
}

static inline void spark_remove(sparks_t *s, uint32_t id) {
  uint32_t row = slots_row(&s->slots, id), last = --s->count;
  s->x[row] = s->x[last], s->y[row] = s->y[last];
  s->vx[row] = s->vx[last], s->vy[row] = s->vy[last];
  s->age[row] = s->age[last], s->life[row] = s->life[last];
  s->owner[row] = s->owner[last];
  s->slots.row[s->owner[row] & INDEX_MASK] = row;
  slots_release(&s->slots, id);
}

LOOP void fly(float *restrict x, float *restrict y, const float *restrict vx, float *restrict vy, float *restrict age,
              uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    age[i] += DT_S;
    x[i] += vx[i] * DT_S;
    y[i] += vy[i] * DT_S;
    vy[i] += 9.75f * DT_S;
  }
}

SCALAR_LOOP uint32_t find_dead(const sparks_t *s, uint32_t *dead) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    dead[found] = s->owner[i];
    found += s->age[i] >= s->life[i];
  }
  return found;
}

SCALAR_LOOP void remove_dead(sparks_t *s, const uint32_t *dead, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    spark_remove(s, dead[i]);
}

SCALAR_LOOP void light(sparks_t *s, uint32_t missing) {
  for (uint32_t i = 1; i <= missing; ++i)
    spark_add(s, (float)(i % 100), (float)(i % 7));
}

void run_sparks(uint32_t count, uint32_t ticks) {
  sparks_t s = sparks_create(count);
  uint32_t *dead = memory(count + 1, 4);
  for (uint32_t i = 1; i <= count; ++i)
    s.age[spark_add(&s, 0, 1)] = (float)(i % 64) / 64;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    fly(s.x, s.y, s.vx, s.vy, s.age, s.count);
    remove_dead(&s, dead, find_dead(&s, dead));
    double flown_s = now_s();
    add_time("fly", flown_s - began_s, count);
    light(&s, count - s.count);
    add_time("light", now_s() - flown_s, count);
  }
  double x = 0, y = 0;
  for (uint32_t i = 0; i < s.count; ++i)
    x += (double)s.x[i], y += (double)s.y[i] * (1 + (double)s.age[i]);
  print_check("count", s.count);
  print_check("x", x);
  print_check("y", y);
}
