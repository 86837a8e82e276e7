// Events for three subscribers: queued in one array, which is then passed to each subscriber.
#include "plain.h"

typedef struct hit_t {
  uint32_t a, b;
  float depth;
} hit_t;

typedef struct sums_t {
  double depth, a, b;
} sums_t;

__attribute__((noinline)) static void read_depth(sums_t *s, const hit_t *hits, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    s->depth += (double)hits[i].depth;
}

__attribute__((noinline)) static void read_a(sums_t *s, const hit_t *hits, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    s->a += (double)hits[i].a;
}

__attribute__((noinline)) static void read_b(sums_t *s, const hit_t *hits, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    s->b += (double)hits[i].b;
}

__attribute__((noinline)) static uint32_t emit(hit_t *queue, uint32_t at, hit_t hit) {
  queue[at] = hit;
  return at + 1;
}

void run_events(uint32_t count, uint32_t ticks) {
  void (*const SUBSCRIBERS[])(sums_t *, const hit_t *, uint32_t) = {read_depth, read_a, read_b};
  hit_t *queue = memory(count, sizeof(hit_t));
  sums_t sums = {0};
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    uint32_t n = 0;
    sums = (sums_t){0};
    double began_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      n = emit(queue, n, (hit_t){i & 1023, i & 511, (float)(i & 15)});
    double emitted_s = now_s();
    for (int s = 0; s < 3; ++s)
      SUBSCRIBERS[s](&sums, queue, n);
    double read_s = now_s();
    add_time("emit", emitted_s - began_s, count);
    add_time("read", read_s - emitted_s, count);
    add_time("c", read_s - began_s, count);
  }
  print_check("depth", sums.depth);
  print_check("a", sums.a);
  print_check("b", sums.b);
}
