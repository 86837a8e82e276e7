// Creatures on a map of tiles: each walks until a wall or an edge, jumps or turns around, and slides along solid cells,
// first along x, then along y.
#include "plain.h"

#include <math.h>
#include <stdbool.h>

enum { WIDTH = 200, HEIGHT = 60, CELL = 16 };

#define SKIN 1e-3 // fraction of a cell that is ignored across the direction of motion

typedef struct creeps_t {
  float *x, *y, *vx, *vy, *speed, *dir, *wait;
  bool *on_floor, *on_wall;
  uint32_t count;
} creeps_t;

static bool walls[HEIGHT][WIDTH];

static bool is_wall(int column, int row) {
  return row == 0 || row == HEIGHT - 1 || column == 0 || column == WIDTH - 1 ||
         (row % 6 == 5 && (column * 7 + row * 3) % 23 > 5) || (column * 31 + row * 17) % 97 == 0;
}

static inline bool is_solid(int column, int row) {
  return column >= 0 && row >= 0 && column < WIDTH && row < HEIGHT && walls[row][column];
}

static inline int round_down(double number) {
  int truncated = (int)number;
  return truncated - (truncated > number);
}

static inline int round_up(double number) {
  int truncated = (int)number;
  return truncated + (truncated < number);
}

// Returns the part of a movement along x that no wall blocks.
static inline double limit_x(double left, double top, double right, double bottom, double dx) {
  int first_row = round_down(top / CELL + SKIN), last_row = round_up(bottom / CELL - SKIN) - 1;
  int first = round_down((dx > 0 ? right : left + dx) / CELL), last = round_up((dx > 0 ? right + dx : left) / CELL) - 1;
  for (int column = first; column <= last; ++column)
    for (int row = first_row; row <= last_row; ++row) {
      if (!is_solid(column, row))
        continue;
      double gap = dx > 0 ? column * CELL - right : (column + 1) * CELL - left;
      if (dx > 0 && gap >= 0)
        dx = gap < dx ? gap : dx;
      else if (dx < 0 && gap <= 0)
        dx = gap > dx ? gap : dx;
    }
  return dx;
}

static inline double limit_y(double left, double top, double right, double bottom, double dy) {
  int first_column = round_down(left / CELL + SKIN), last_column = round_up(right / CELL - SKIN) - 1;
  int first = round_down((dy > 0 ? bottom : top + dy) / CELL), last = round_up((dy > 0 ? bottom + dy : top) / CELL) - 1;
  for (int row = first; row <= last; ++row)
    for (int column = first_column; column <= last_column; ++column) {
      if (!is_solid(column, row))
        continue;
      double gap = dy > 0 ? row * CELL - bottom : (row + 1) * CELL - top;
      if (dy > 0 && gap >= 0)
        dy = gap < dy ? gap : dy;
      else if (dy < 0 && gap <= 0)
        dy = gap > dy ? gap : dy;
    }
  return dy;
}

SCALAR_LOOP void steer(const creeps_t *c, float dt_s) {
  for (uint32_t i = 0; i < c->count; ++i) {
    int column = round_down((double)(c->x[i] + c->dir[i] * 8) / CELL), row = round_down((double)(c->y[i] + 4) / CELL);
    c->wait[i] -= dt_s;
    if (c->on_wall[i] || (c->on_floor[i] && !is_solid(column, row) && !is_solid(column, row + 1))) {
      if (c->wait[i] < 0 && c->on_floor[i]) {
        c->vy[i] = -186;
        c->wait[i] = 2;
      } else {
        c->dir[i] = -c->dir[i];
      }
    }
    c->vx[i] = c->dir[i] * c->speed[i];
    c->vy[i] = fminf(c->vy[i] + 12, 420);
  }
}

// Moves the creatures along both axes and stops them at solid cells. The speed along y is not 0 here, even on the
// floor, because `steer` has added gravity.
SCALAR_LOOP void slide(const creeps_t *c, double dt_s) {
  for (uint32_t i = 0; i < c->count; ++i) {
    double left = (double)c->x[i] - 6, right = left + 12, bottom = (double)c->y[i], top = bottom - 9;
    double dx = (double)c->vx[i] * dt_s, dy = (double)c->vy[i] * dt_s;
    double moved_x = limit_x(left, top, right, bottom, dx);
    double moved_y = limit_y(left + moved_x, top, right + moved_x, bottom, dy);
    c->x[i] = (float)((double)c->x[i] + moved_x);
    c->y[i] = (float)(bottom + moved_y);
    c->on_wall[i] = moved_x != dx;
    c->on_floor[i] = dy > 0 && moved_y < dy;
    if (moved_x != dx)
      c->vx[i] = 0;
    if (moved_y != dy)
      c->vy[i] = 0;
  }
}

static creeps_t create_creeps(uint32_t count) {
  creeps_t c = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4),
                memory(count, 4), memory(count, 4), memory(count, 1), memory(count, 1), count};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = i + 1;
    c.x[i] = (float)(40 + number * 37 % 3100);
    c.y[i] = (float)(78 + number % 9 * 96);
    c.vx[i] = c.vy[i] = c.wait[i] = 0;
    c.speed[i] = (float)(20 + number % 30);
    c.dir[i] = 1;
    c.on_floor[i] = c.on_wall[i] = false;
  }
  return c;
}

void run_movers(uint32_t count, uint32_t ticks) {
  creeps_t c = create_creeps(count);
  double place = 0, standing = 0, turns = 0;
  for (int row = 0; row < HEIGHT; ++row)
    for (int column = 0; column < WIDTH; ++column)
      walls[row][column] = is_wall(column, row);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    steer(&c, 1.0f / 64);
    double steered_s = now_s();
    slide(&c, 1.0 / 64);
    add_time("steer", steered_s - began_s, count);
    add_time("slide", now_s() - steered_s, count);
    add_time("c", now_s() - began_s, count);
  }
  for (uint32_t i = 0; i < count; ++i) {
    place += (double)c.x[i] * 3 + (double)c.y[i];
    standing += c.on_floor[i];
    turns += (double)c.dir[i];
  }
  print_check("place", place);
  print_check("standing", standing);
  print_check("turns", turns);
}
