// Units that list the units around them, nearest first: units are sorted into the cells of a grid, and each unit tests
// the cells around it.
#include "plain.h"

#include <math.h>

enum { SIDE = 4096, MARGIN = 2048, CELL = 64, CELLS = (SIDE + 2 * MARGIN) / CELL, MAX_FOUND = 512 };

static const double REACH = 60, RADIUS = 4;

typedef struct units_t {
  float *x, *y, *vx, *vy;
  uint32_t *cell, *start, *sorted;
  uint32_t count;
} units_t;

typedef struct neighbour_t {
  double distance;
  uint32_t unit;
} neighbour_t;

static uint32_t cell_of(double position) {
  return (uint32_t)((position + MARGIN) / CELL);
}

static void sort_units(units_t *u) {
  for (uint32_t c = 0; c <= CELLS * CELLS; ++c)
    u->start[c] = 0;
  for (uint32_t i = 0; i < u->count; ++i) {
    u->cell[i] = cell_of((double)u->y[i]) % CELLS * CELLS + cell_of((double)u->x[i]) % CELLS;
    ++u->start[u->cell[i]];
  }
  for (uint32_t c = 1; c <= CELLS * CELLS; ++c)
    u->start[c] += u->start[c - 1];
  for (uint32_t i = u->count; i-- > 0;)
    u->sorted[--u->start[u->cell[i]]] = i;
}

static uint32_t insert_sorted(neighbour_t *list, uint32_t count, neighbour_t item) {
  uint32_t at = count;
  for (; at > 0 && list[at - 1].distance > item.distance; --at)
    list[at] = list[at - 1];
  list[at] = item;
  return count + 1;
}

static uint32_t list_neighbours(const units_t *u, double x, double y, neighbour_t *out) {
  const double reach = REACH + RADIUS;
  uint32_t found = 0, left = cell_of(x - reach), right = cell_of(x + reach);
  for (uint32_t row = cell_of(y - reach); row <= cell_of(y + reach); ++row)
    for (uint32_t at = u->start[row * CELLS + left]; at < u->start[row * CELLS + right + 1]; ++at) {
      uint32_t i = u->sorted[at];
      double dx = (double)u->x[i] - x, dy = (double)u->y[i] - y, distance = sqrt(dx * dx + dy * dy) - RADIUS;
      if (distance < REACH && found < MAX_FOUND)
        found = insert_sorted(out, found, (neighbour_t){distance, i});
    }
  return found;
}

void run_near(uint32_t count, uint32_t ticks) {
  units_t u = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4)};
  u.start = memory(CELLS * CELLS + 1, 4);
  u.sorted = memory(count, 4);
  u.count = count;
  neighbour_t *out = memory(MAX_FOUND, sizeof *out);
  double all = 0;
  for (uint32_t i = 1; i <= count; ++i) {
    u.x[i - 1] = (float)(i * 1103ull % SIDE);
    u.y[i - 1] = (float)(i * 2713ull % SIDE);
    u.vx[i - 1] = (float)(i % 129) - 64;
    u.vy[i - 1] = (float)(i % 257) - 128;
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    for (uint32_t i = 0; i < count; ++i) {
      u.x[i] += u.vx[i] / 64;
      u.y[i] += u.vy[i] / 64;
    }
    uint32_t found = 0;
    double began_s = now_s();
    sort_units(&u);
    for (uint32_t i = 0; i < count; ++i)
      found += list_neighbours(&u, (double)u.x[i], (double)u.y[i], out);
    add_time("c", now_s() - began_s, count);
    all += found;
  }
  print_check("units", all);
}
