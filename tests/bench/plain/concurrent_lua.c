// Iterates the logistic map four times per tick on every value of two columns: on one thread, and with one column on
// each of two threads, which wait for each other in a busy loop.
#include "plain.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct column_t {
  double *x;
  uint32_t count;
  _Atomic uint32_t asked, done; // asked: ticks requested; done: ticks completed
} column_t;

LOOP void go(double *restrict x, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    double v = x[i];
    for (int step = 0; step < 4; ++step)
      v = 3.75 * v * (1 - v);
    x[i] = v;
  }
}

static void *work(void *argument) {
  column_t *c = argument;
  for (uint32_t tick = 1; tick > 0; ++tick) {
    while (atomic_load(&c->asked) < tick)
      ;
    if (c->count == 0)
      return NULL;
    go(c->x, c->count);
    atomic_store(&c->done, tick);
  }
  return NULL;
}

static double sum(const double *x, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += x[i];
  return total;
}

static void fill(double *x, uint32_t count, uint32_t period) {
  for (uint32_t i = 0; i < count; ++i)
    x[i] = (double)((i + 1) % period) / 1024;
}

void run_concurrent_lua(uint32_t count, uint32_t ticks) {
  double *left = memory(count, sizeof *left), *right = memory(count, sizeof *right);
  column_t other = {.x = right, .count = count};
  pthread_t thread;
  fill(left, count, 1000);
  fill(right, count, 700);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    go(left, count);
    go(right, count);
    add_time("c", now_s() - began_s, count);
  }
  print_check("left", sum(left, count));
  print_check("right", sum(right, count));
  pthread_create(&thread, NULL, work, &other);
  for (uint32_t tick = 1; tick <= ticks; ++tick) {
    double began_s = now_s();
    atomic_store(&other.asked, tick);
    go(left, count);
    while (atomic_load(&other.done) < tick)
      ;
    add_time("two", now_s() - began_s, count);
  }
  other.count = 0;
  atomic_store(&other.asked, ticks + 1);
  pthread_join(thread, NULL);
}
