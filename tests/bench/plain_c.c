// The loop of move/systems/movement.lua as a C programmer would write it for speed: -O3 -march=native, restrict. Prints
// nanoseconds per entity and tick twice: `warm`, nothing else touches memory between two ticks, and `cold`, as much of it
// passes through the caches as the engine's transforms do (two matrices an entity).
//   plain_c ENTITIES TICKS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct columns_t {
  float *x, *y, *vx, *vy;
  char *world, *world_before; // 64 bytes an entity
} columns_t;

enum { MATRIX_BYTES = 64 };

static void *column(size_t count, size_t element_bytes) {
  void *memory = aligned_alloc(64, (count * element_bytes + 63) / 64 * 64);
  if (memory == NULL)
    exit(1);
  memset(memory, 0, count * element_bytes);
  return memory;
}

__attribute__((noinline)) static void move(float *restrict x, float *restrict y, const float *restrict vx,
                                           const float *restrict vy, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vx[i] * dt_s;
    y[i] += vy[i] * dt_s;
  }
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(const float *x, const float *vx, size_t count, size_t modulus, size_t ticks) {
  double sum = 0, start = 0, way = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += (double)x[i];
    start += (double)((i + 1) % modulus);
    way += (double)vx[i] * (double)ticks / 60;
  }
  if (fabs(sum - start - way) > way / 1000) {
    fprintf(stderr, "plain_c: the sum is %.1f and not %.1f\n", sum, start + way);
    exit(1);
  }
}

static double run(columns_t *c, size_t count, size_t ticks, int cold) {
  double spent_s = 0;
  for (size_t i = 0; i < count; ++i) {
    c->x[i] = (float)((i + 1) % 1000);
    c->y[i] = (float)((i + 1) % 700);
    c->vx[i] = (float)(20 + (i + 1) % 61);
    c->vy[i] = (float)(20 + (i + 1) % 53);
  }
  for (size_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    move(c->x, c->y, c->vx, c->vy, count, 1.0f / 60);
    spent_s += now_s() - began_s;
    if (cold) {
      memcpy(c->world_before, c->world, count * MATRIX_BYTES);
      memset(c->world, (int)tick, count * MATRIX_BYTES);
    }
  }
  check(c->x, c->vx, count, 1000, ticks);
  check(c->y, c->vy, count, 700, ticks);
  return spent_s * 1e9 / (double)count / (double)ticks;
}

int main(int argc, char **argv) {
  size_t count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, ticks = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
  if (count == 0 || ticks == 0) {
    fprintf(stderr, "usage: plain_c ENTITIES TICKS\n");
    return 2;
  }
  columns_t c = {column(count, sizeof(float)), column(count, sizeof(float)), column(count, sizeof(float)),
                 column(count, sizeof(float)), column(count, MATRIX_BYTES),  column(count, MATRIX_BYTES)};
  double warm = run(&c, count, ticks, 0), cold = run(&c, count, ticks, 1);
  printf("warm %.4f cold %.4f\n", warm, cold);
  return 0;
}
