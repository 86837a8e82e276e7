// Pairs: each source has one target and is linked into the target's list.
#include "plain.h"

typedef struct pairs_t {
  uint32_t *target, *next, *prev; // indexed by source; entity index + 1, 0 for none
  uint32_t *head;                 // indexed by target; entity index + 1, 0 for none
  float *weight, *written;
} pairs_t;

static inline void add(pairs_t *p, uint32_t source, uint32_t target) {
  p->target[source] = target + 1;
  p->next[source] = p->head[target];
  p->prev[source] = 0;
  if (p->head[target] != 0)
    p->prev[p->head[target] - 1] = source + 1;
  p->head[target] = source + 1;
}

static inline void take(pairs_t *p, uint32_t source) {
  uint32_t next = p->next[source], prev = p->prev[source];
  if (prev != 0)
    p->next[prev - 1] = next;
  else
    p->head[p->target[source] - 1] = next;
  if (next != 0)
    p->prev[next - 1] = prev;
  p->target[source] = 0;
}

void run_relation(uint32_t count, uint32_t ticks) {
  uint32_t targets = count / 1000;
  pairs_t p = {memory(count, 4),   memory(count, 4), memory(count, 4),
               memory(targets, 4), memory(count, 4), memory(count, 4)};
  uint32_t *list = memory(count, 4);
  double sources = 0, sum = 0, all = 0;
  for (uint32_t i = 0; i < count; ++i)
    p.weight[i] = (float)((i + 1) % 16);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      add(&p, i, i % targets);
    double added_s = now_s();
    sources = 0;
    for (uint32_t t = 0; t < targets; ++t) {
      uint32_t found = 0;
      for (uint32_t i = p.head[t]; i != 0; i = p.next[i - 1])
        list[found++] = i;
      sources += found;
    }
    double asked_s = now_s();
    sum = 0;
    for (uint32_t t = 0; t < (targets < 200 ? targets : 200); ++t)
      for (uint32_t i = p.head[t]; i != 0; i = p.next[i - 1])
        sum += (double)p.weight[i - 1];
    double summed_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      take(&p, i);
    double took_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      p.written[i] += 1;
    double written_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      all += (double)p.weight[i];
    double gone_over_s = now_s();
    add_time("add", added_s - began_s, count);
    add_time("ask", asked_s - added_s, count);
    add_time("pairs", summed_s - asked_s, count / 5);
    add_time("remove", took_s - summed_s, count);
    add_time("c", took_s - began_s, count);
    add_time("write", written_s - took_s, count);
    add_time("rows", gone_over_s - written_s, count);
  }
  print_check("sources", sources);
  print_check("weight", sum);
  if (all < 0)
    print_check("never", all);
}
