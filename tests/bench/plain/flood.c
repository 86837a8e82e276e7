// Distances of all cells of a grid with walls from a cell, which differs in each tick.
#include "plain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct grid_t {
  bool *is_wall;
  int32_t *distance, *queue;
  int32_t width, count;
} grid_t;

static inline int32_t visit(grid_t *g, int32_t cell, int32_t distance, int32_t end) {
  if (g->distance[cell] >= 0 || g->is_wall[cell])
    return end;
  g->distance[cell] = distance;
  g->queue[end] = cell;
  return end + 1;
}

SCALAR_LOOP void flood(grid_t *g, int32_t first) {
  int32_t end = 1;
  memset(g->distance, -1, (size_t)g->count * sizeof *g->distance);
  g->queue[0] = first, g->distance[first] = 0;
  for (int32_t head = 0; head < end; ++head) {
    int32_t cell = g->queue[head], next = g->distance[cell] + 1, x = cell % g->width;
    if (x > 0)
      end = visit(g, cell - 1, next, end);
    if (x < g->width - 1)
      end = visit(g, cell + 1, next, end);
    if (cell >= g->width)
      end = visit(g, cell - g->width, next, end);
    if (cell < g->count - g->width)
      end = visit(g, cell + g->width, next, end);
  }
}

void run_flood(uint32_t count, uint32_t ticks) {
  grid_t g = {.is_wall = memory(count, 1),
              .distance = memory(count, 4),
              .queue = memory(count, 4),
              .width = (int32_t)sqrt(count),
              .count = (int32_t)count};
  for (uint32_t i = 0; i < count; ++i)
    g.is_wall[i] = (uint64_t)(i + 1) * 7919 % 101 < 25;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    flood(&g, (int32_t)(tick * 997 % count));
    add_time("c", now_s() - began_s, count);
  }
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += (double)g.distance[i] * ((i + 1) % 7 + 1);
  print_check("distances", sum);
}
