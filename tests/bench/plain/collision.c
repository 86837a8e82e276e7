// Bullets that collide only with ships: bullets are sorted into the cells of a grid, and each ship tests the cells
// around it.
#include "plain.h"

#include <math.h>

enum { SHIPS = 200, SIDE = 4096, MARGIN = 2048, CELL = 32, CELLS = (SIDE + 2 * MARGIN) / CELL };

static const double SHIP_RADIUS = 16, BULLET_RADIUS = 4;

typedef struct bullets_t {
  float *x, *y, *vx, *vy;
  uint32_t *cell, *start, *sorted;
  uint32_t count;
} bullets_t;

typedef struct meeting_t {
  uint32_t ship, bullet;
  float depth;
} meeting_t;

static void sort_bullets(bullets_t *b) {
  for (uint32_t c = 0; c <= CELLS * CELLS; ++c)
    b->start[c] = 0;
  for (uint32_t i = 0; i < b->count; ++i) {
    uint32_t x = (uint32_t)((b->x[i] + MARGIN) / CELL), y = (uint32_t)((b->y[i] + MARGIN) / CELL);
    b->cell[i] = y % CELLS * CELLS + x % CELLS;
    ++b->start[b->cell[i]];
  }
  for (uint32_t c = 1; c <= CELLS * CELLS; ++c)
    b->start[c] += b->start[c - 1];
  for (uint32_t i = b->count; i-- > 0;)
    b->sorted[--b->start[b->cell[i]]] = i;
}

static uint32_t find_meetings(const bullets_t *b, uint32_t ship, double x, double y, meeting_t *out) {
  const double reach = SHIP_RADIUS + BULLET_RADIUS;
  uint32_t found = 0;
  uint32_t left = (uint32_t)((x - reach + MARGIN) / CELL), right = (uint32_t)((x + reach + MARGIN) / CELL);
  uint32_t top = (uint32_t)((y - reach + MARGIN) / CELL), bottom = (uint32_t)((y + reach + MARGIN) / CELL);
  for (uint32_t row = top; row <= bottom; ++row)
    for (uint32_t at = b->start[row * CELLS + left]; at < b->start[row * CELLS + right + 1]; ++at) {
      uint32_t i = b->sorted[at];
      double dx = (double)b->x[i] - x, dy = (double)b->y[i] - y, depth = reach - sqrt(dx * dx + dy * dy);
      if (depth > 0)
        out[found++] = (meeting_t){ship, i, (float)depth};
    }
  return found;
}

void run_collision(uint32_t count, uint32_t ticks) {
  bullets_t b = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4)};
  b.start = memory(CELLS * CELLS + 1, 4);
  b.sorted = memory(count, 4);
  b.count = count;
  meeting_t *out = memory(count, sizeof *out);
  double all = 0;
  for (uint32_t i = 1; i <= count; ++i) {
    b.x[i - 1] = (float)(i * 1103ull % SIDE);
    b.y[i - 1] = (float)(i * 2713ull % SIDE);
    b.vx[i - 1] = (float)(i % 129) - 64;
    b.vy[i - 1] = (float)(i % 257) - 128;
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    for (uint32_t i = 0; i < count; ++i) {
      b.x[i] += b.vx[i] / 64;
      b.y[i] += b.vy[i] / 64;
    }
    uint32_t found = 0;
    double began_s = now_s();
    sort_bullets(&b);
    for (uint32_t ship = 1; ship <= SHIPS; ++ship)
      found += find_meetings(&b, ship, ship * 1237 % SIDE, ship * 2411 % SIDE, out + found);
    add_time("c", now_s() - began_s, count);
    all += found;
  }
  print_check("contacts", all);
}
