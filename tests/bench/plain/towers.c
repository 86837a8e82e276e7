// A tower defence: towers find the nearest creep with a uniform grid, which is built in every tick.
#include "plain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CELL = 40, GRID_WIDTH = 52, GRID_HEIGHT = 44, GRID_CELLS = GRID_WIDTH * GRID_HEIGHT, RANGE = 130 };

typedef struct creeps_t {
  float *x, *y, *speed, *hp;
  int32_t *leg, *cell;
  bool *is_dead;
  uint32_t count, *first, *items, *killed; // first: index of the first item of each cell of the grid
} creeps_t;

typedef struct towers_t {
  float *x, *y, *wait;
  int32_t *shots;
  uint32_t count, gold, kills;
} towers_t;

SCALAR_LOOP void walk(const creeps_t *c, double dt_s) {
  for (uint32_t i = 0; i < c->count; ++i) {
    int32_t leg = c->leg[i], row = (leg - 1) / 2;
    double step = (double)c->speed[i] * dt_s;
    if (leg % 2 == 1) {
      double distance = (row % 2 == 0 ? 1950 : 50) - (double)c->x[i];
      if (fabs(distance) <= step)
        c->leg[i] = leg + 1;
      else
        c->x[i] = (float)((double)c->x[i] + (distance > 0 ? step : -step));
      continue;
    }
    c->y[i] = (float)((double)c->y[i] + step);
    if (c->y[i] > (float)(100 + (row + 1) * 200)) {
      c->leg[i] = leg + 1 > 15 ? 1 : leg + 1;
      c->y[i] -= leg + 1 > 15 ? 1400 : 0;
    }
  }
}

SCALAR_LOOP void build_grid(const creeps_t *c) {
  memset(c->first, 0, (GRID_CELLS + 1) * sizeof *c->first);
  for (uint32_t i = 0; i < c->count; ++i) {
    c->cell[i] = (int32_t)(c->y[i] / CELL) * GRID_WIDTH + (int32_t)(c->x[i] / CELL);
    c->first[c->cell[i] + 1]++;
  }
  for (uint32_t cell = 0; cell < GRID_CELLS; ++cell)
    c->first[cell + 1] += c->first[cell];
  uint32_t next[GRID_CELLS];
  memcpy(next, c->first, sizeof next);
  for (uint32_t i = 0; i < c->count; ++i)
    c->items[next[c->cell[i]]++] = i;
}

typedef struct nearest_t {
  double x, y, square;
  int64_t creep; // -1 if none is in range
} nearest_t;

static inline void search_cell(const creeps_t *c, int column, int row, nearest_t *n) {
  if (column < 0 || column >= GRID_WIDTH || row < 0 || row >= GRID_HEIGHT)
    return;
  uint32_t cell = (uint32_t)(row * GRID_WIDTH + column);
  for (uint32_t k = c->first[cell]; k < c->first[cell + 1]; ++k) {
    double dx = (double)c->x[c->items[k]] - n->x, dy = (double)c->y[c->items[k]] - n->y, square = dx * dx + dy * dy;
    if (square < n->square)
      n->square = square, n->creep = c->items[k];
  }
}

// Searches rings of cells around the tower until no cell of the next ring can be nearer.
static int64_t find_nearest(const creeps_t *c, double x, double y) {
  int column = (int)(x / CELL), row = (int)(y / CELL);
  double edge = fmin(fmin(x - column * CELL, (column + 1) * CELL - x), fmin(y - row * CELL, (row + 1) * CELL - y));
  nearest_t n = {x, y, (RANGE + 1) * (RANGE + 1), -1};
  search_cell(c, column, row, &n);
  for (int ring = 1;; ++ring) {
    double distance = (ring - 1) * CELL + edge;
    if (distance * distance > n.square)
      return n.creep;
    for (int k = -ring; k <= ring; ++k) {
      search_cell(c, column + k, row - ring, &n);
      search_cell(c, column + k, row + ring, &n);
    }
    for (int k = 1 - ring; k < ring; ++k) {
      search_cell(c, column - ring, row + k, &n);
      search_cell(c, column + ring, row + k, &n);
    }
  }
}

// Stores the killed creeps in c->killed, and returns their number.
SCALAR_LOOP uint32_t shoot(const creeps_t *c, const towers_t *t, double dt_s) {
  uint32_t killed = 0;
  build_grid(c);
  for (uint32_t i = 0; i < t->count; ++i) {
    t->wait[i] = (float)((double)t->wait[i] - dt_s);
    if (t->wait[i] > 0)
      continue;
    int64_t target = find_nearest(c, (double)t->x[i], (double)t->y[i]);
    if (target < 0 || c->is_dead[target])
      continue;
    double dx = (double)c->x[target] - (double)t->x[i], dy = (double)c->y[target] - (double)t->y[i];
    if (dx * dx + dy * dy > RANGE * RANGE)
      continue;
    t->wait[i] = 0.1f, t->shots[i]++, c->hp[target] -= 9;
    if (c->hp[target] <= 0)
      c->is_dead[target] = true, c->killed[killed++] = (uint32_t)target;
  }
  return killed;
}

SCALAR_LOOP void respawn(const creeps_t *c, towers_t *t, uint32_t killed) {
  for (uint32_t k = 0; k < killed; ++k) {
    uint32_t i = c->killed[k], n = ++t->kills;
    t->gold += 5;
    c->x[i] = (float)(60 + n * 37 % 1880), c->y[i] = (float)(100 + n % 8 * 200 + n % 250 / 128.0);
    c->leg[i] = (int32_t)(n % 8 * 2 + 1), c->speed[i] = (float)(40 + n % 500 / 10.0);
    c->hp[i] = 100, c->is_dead[i] = false;
  }
}

static creeps_t create_creeps(uint32_t count) {
  creeps_t c = {.x = memory(count, 4), .y = memory(count, 4), .speed = memory(count, 4), .hp = memory(count, 4)};
  c.leg = memory(count, 4), c.cell = memory(count, 4), c.is_dead = memory(count, 1), c.killed = memory(count, 4);
  c.first = memory(GRID_CELLS + 1, 4), c.items = memory(count, 4), c.count = count;
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1, leg = i * 7919 % 101 % 8;
    c.x[row] = (float)(60 + i * 37 % 1880), c.y[row] = (float)(100 + leg * 200 + (double)(i * 91 % 1000) / 500);
    c.leg[row] = (int32_t)(leg * 2 + 1), c.speed[row] = (float)(40 + (double)(i * 13 % 1000) / 20), c.hp[row] = 100;
  }
  return c;
}

static towers_t create_towers(uint32_t count) {
  towers_t t = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), count, 0, 0};
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    t.x[row] = (float)(80 + i * 53 % 1840), t.y[row] = (float)(200 + i % 7 * 200);
    t.wait[row] = (float)((double)(i * 29 % 100) / 200);
  }
  return t;
}

static void print_checks(const creeps_t *c, const towers_t *t) {
  double shots = 0, place = 0, hp = 0;
  for (uint32_t i = 0; i < t->count; ++i)
    shots += (double)t->shots[i] * ((i + 1) % 7);
  for (uint32_t i = 0; i < c->count; ++i)
    place += floor(((double)c->x[i] + (double)c->y[i]) * 1024), hp += (double)c->hp[i];
  print_check("gold", t->gold);
  print_check("shots", shots);
  print_check("place", place);
  print_check("hp", hp);
}

void run_towers(uint32_t count, uint32_t ticks) {
  creeps_t c = create_creeps(3 * count);
  towers_t t = create_towers(count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    walk(&c, (double)(1.0f / 60));
    double walked_s = now_s();
    uint32_t killed = shoot(&c, &t, (double)(1.0f / 60));
    add_time("shoot", now_s() - walked_s, count);
    add_time("walk", walked_s - began_s, count);
    respawn(&c, &t, killed);
  }
  print_checks(&c, &t);
}
