// Events for three subscribers: queued in columns, which are then passed to each subscriber. Integer columns are summed
// in integers.
#include "plain.h"

typedef struct hits_t {
  uint32_t *a, *b, count;
  float *depth;
} hits_t;

typedef struct sums_t {
  double depth;
  uint64_t a, b;
} sums_t;

// Adds in order, like the game.
SCALAR_LOOP void read_depth(sums_t *s, const hits_t *hits) {
  double sum = 0;
  for (uint32_t i = 0; i < hits->count; ++i)
    sum += (double)hits->depth[i];
  s->depth = sum;
}

LOOP void read_a(sums_t *s, const hits_t *hits) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < hits->count; ++i)
    sum += hits->a[i];
  s->a = sum;
}

LOOP void read_b(sums_t *s, const hits_t *hits) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < hits->count; ++i)
    sum += hits->b[i];
  s->b = sum;
}

LOOP void emit(uint32_t *restrict a, uint32_t *restrict b, float *restrict depth, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    a[i] = i & 1023;
    b[i] = i & 511;
    depth[i] = (float)(int32_t)(i & 15);
  }
}

void run_events(uint32_t count, uint32_t ticks) {
  void (*const SUBSCRIBERS[])(sums_t *, const hits_t *) = {read_depth, read_a, read_b};
  hits_t hits = {.a = memory(count, 4), .b = memory(count, 4), .depth = memory(count, 4)};
  sums_t sums = {0};
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    emit(hits.a, hits.b, hits.depth, count);
    hits.count = count;
    double emitted_s = now_s();
    for (int s = 0; s < 3; ++s)
      SUBSCRIBERS[s](&sums, &hits);
    double read_s = now_s();
    add_time("emit", emitted_s - began_s, count);
    add_time("read", read_s - emitted_s, count);
    add_time("c", read_s - began_s, count);
  }
  print_check("depth", sums.depth);
  print_check("a", (double)sums.a);
  print_check("b", (double)sums.b);
}
