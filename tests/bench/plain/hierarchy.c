// Ships that turn, each with two turrets, one of them with a muzzle: stores the world position of every part. Parts are
// stored by depth, so that parents come first.
#include "lanes.h"
#include "plain.h"

typedef struct parts_t {
  float *x, *y, *angle, *scale_x, *scale_y;
  uint32_t *parent; // row + 1; 0: no parent
  float *xx, *xy, *yx, *yy, *world_x, *world_y;
} parts_t;

LOOP void turn(float *restrict angle, float *restrict x, const float *restrict rate, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    angle[i] += rate[i] * dt_s;
    x[i] += dt_s;
  }
}

// Stores the cosine in xx and yy, the sine in xy, for rows without a parent.
LANE_LOOP void rotate(const parts_t *p, size_t count) {
  for (size_t i = 0; i < count; i += LANES) {
    lanes_t angle = lanes_load_floats(p->angle + i);
    lanes_store_floats(p->xx + i, SLEEF(cos, u35)(angle));
    lanes_store_floats(p->xy + i, SLEEF(sin, u35)(angle));
  }
}

// Multiplies in the order of the engine: columns one by one, without fused multiply-add.
SCALAR_LOOP void locate(const parts_t *p, size_t ships, size_t count) {
  for (size_t i = 0; i < ships; ++i) {
    float cosine = p->xx[i], sine = p->xy[i];
    p->xx[i] = cosine * p->scale_x[i], p->xy[i] = sine * p->scale_x[i];
    p->yx[i] = -(sine * p->scale_y[i]), p->yy[i] = cosine * p->scale_y[i];
    p->world_x[i] = p->x[i], p->world_y[i] = p->y[i];
  }
  for (size_t i = ships; i < count; ++i) { // parts do not turn by themselves
    uint32_t parent = p->parent[i] - 1;
    float xx = p->xx[parent], xy = p->xy[parent], yx = p->yx[parent], yy = p->yy[parent];
    p->xx[i] = xx * p->scale_x[i], p->xy[i] = xy * p->scale_x[i];
    p->yx[i] = yx * p->scale_y[i], p->yy[i] = yy * p->scale_y[i];
    p->world_x[i] = xx * p->x[i] + yx * p->y[i] + p->world_x[parent];
    p->world_y[i] = xy * p->x[i] + yy * p->y[i] + p->world_y[parent];
  }
}

static parts_t parts_create(uint32_t ships) {
  parts_t p = {.parent = memory((size_t)ships * 4, sizeof(uint32_t))};
  float **const COLUMNS[] = {&p.x,  &p.y,  &p.angle, &p.scale_x, &p.scale_y, &p.xx,
                             &p.xy, &p.yx, &p.yy,    &p.world_x, &p.world_y};
  for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; ++i)
    *COLUMNS[i] = memory((size_t)ships * 4, sizeof(float));
  for (uint32_t i = 0; i < ships * 4; ++i)
    p.scale_x[i] = p.scale_y[i] = 1;
  for (uint32_t i = 0; i < ships; ++i) {
    uint32_t left = ships + i, right = 2 * ships + i, muzzle = 3 * ships + i;
    p.x[i] = (float)((i + 1) % 1000), p.y[i] = (float)((i + 1) % 700);
    p.x[left] = 10, p.x[right] = -10, p.x[muzzle] = 4;
    p.parent[left] = p.parent[right] = i + 1;
    p.parent[muzzle] = left + 1;
  }
  return p;
}

static double sum(const float *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += (double)column[i];
  return total;
}

void run_hierarchy(uint32_t count, uint32_t ticks) {
  uint32_t ships = count / 4;
  parts_t p = parts_create(ships);
  float *rate = memory(ships, sizeof *rate);
  for (uint32_t i = 0; i < ships; ++i)
    rate[i] = 1;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    turn(p.angle, p.x, rate, ships, 1.0f / 64);
    double turned_s = now_s();
    rotate(&p, ships);
    locate(&p, ships, ships * 4);
    add_time("turn", turned_s - began_s, count);
    add_time("c", now_s() - turned_s, count);
  }
  print_check("x", sum(p.world_x, ships * 4));
  print_check("y", sum(p.world_y, ships * 4));
}
