// Movement over columns: x += vx * dt and y += vy * dt.
#include "plain.h"

typedef struct columns_t {
  float *x, *y, *vx, *vy;
} columns_t;

static columns_t columns_create(uint32_t count) {
  return (columns_t){memory(count, sizeof(float)), memory(count, sizeof(float)), memory(count, sizeof(float)),
                     memory(count, sizeof(float))};
}

LOOP void move(float *restrict x, float *restrict y, const float *restrict vx, const float *restrict vy, size_t count,
               float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vx[i] * dt_s;
    y[i] += vy[i] * dt_s;
  }
}

static double sum(const float *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += (double)column[i];
  return total;
}

static void run(columns_t *c, uint32_t count, uint32_t ticks) {
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    move(c->x, c->y, c->vx, c->vy, count, 1.0f / 64);
    add_time("c", now_s() - began_s, count);
  }
  print_check("x", sum(c->x, count));
  print_check("y", sum(c->y, count));
}

// With ticks of 1/64 s and integer speeds, every position can be represented exactly, so all variants give the same
// result.
void run_iterate(uint32_t count, uint32_t ticks) {
  columns_t c = columns_create(count);
  for (uint32_t i = 0; i < count; ++i) {
    c.x[i] = (float)((i + 1) % 1000);
    c.y[i] = (float)((i + 1) % 700);
    c.vx[i] = (float)(1 + (i + 1) % 61);
    c.vy[i] = (float)(1 + (i + 1) % 53);
  }
  run(&c, count, ticks);
}

// --- the benchmarks `overlap` and `fragments`

enum { KINDS = 26, WITH_TWO = 15, WITH_THREE = 13 };

LOOP void drift(float *restrict x, float *restrict hp, const float *restrict vx, const float *restrict vy, size_t count,
                float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vy[i] * dt_s;
    hp[i] += vx[i] * dt_s;
  }
}

// Entities with all three components come first.
void run_overlap(uint32_t count, uint32_t ticks) {
  columns_t c = columns_create(count);
  float *hp = memory(count, sizeof *hp);
  uint32_t two = 0, three = 0;
  for (uint32_t kind = 0; kind < WITH_TWO; ++kind) {
    three = kind == WITH_THREE ? two : three;
    for (uint32_t i = kind; i < count; i += KINDS, ++two) {
      c.x[two] = (float)((i + 1) % 1000);
      c.y[two] = (float)((i + 1) % 700);
      c.vx[two] = (float)(1 + (i + 1) % 61);
      c.vy[two] = (float)(1 + (i + 1) % 53);
    }
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    move(c.x, c.y, c.vx, c.vy, two, 1.0f / 64);
    double moved_s = now_s();
    drift(c.x, hp, c.vx, c.vy, three, 1.0f / 64);
    add_time("two", moved_s - began_s, count);
    add_time("three", now_s() - moved_s, count);
  }
  print_check("x", sum(c.x, two));
  print_check("y", sum(c.y, two));
  print_check("hp", sum(hp, three));
}

LOOP void halve(float *z, size_t count) {
  for (size_t i = 0; i < count; ++i)
    z[i] = z[i] * 0.5f + 1.0f;
}

void run_fragments(uint32_t count, uint32_t ticks) {
  float *z = memory(count, sizeof *z);
  for (uint32_t i = 0; i < count; ++i)
    z[i] = (float)(i % 7);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    halve(z, count);
    add_time("c", now_s() - began_s, count);
  }
  print_check("z", sum(z, count));
}

// --- the benchmark `move`: the same loop with other speeds

void run_move(uint32_t count, uint32_t ticks) {
  columns_t c = columns_create(count);
  for (uint32_t i = 0; i < count; ++i) {
    c.x[i] = (float)((i + 1) % 1000);
    c.y[i] = (float)((i + 1) % 700);
    c.vx[i] = (float)(20 + (i + 1) % 61);
    c.vy[i] = (float)(20 + (i + 1) % 53);
  }
  run(&c, count, ticks);
}
