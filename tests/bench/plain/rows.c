// Loops over rows, as a C programmer would write them. Values are floats. Plain `update` systems calculate in doubles;
// where floats would give different results (turn, orbit, chase), there is a loop for each precision.
#include "lanes.h"
#include "plain.h"

#include <math.h>
#include <stdbool.h>

static const float WIDTH = 1000, HEIGHT = 700;

LOOP void move(float *restrict x, float *restrict y, const float *restrict vx, const float *restrict vy, size_t count,
               float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vx[i] * dt_s;
    y[i] += vy[i] * dt_s;
  }
}

LOOP void health(int32_t *restrict hp, const int32_t *restrict max, int32_t *restrict status, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t left = hp[i], full = max[i]; // loaded in any case, so that the stores need no mask
    bool is_dead = status[i] == 1, dies = left <= 0 && !is_dead, rises = left == 0 && is_dead;
    left = rises ? full : left;
    hp[i] = dies ? 0 : left;
    status[i] = dies ? 1 : rises ? 0 : 2;
  }
}

LOOP void damage(int32_t *restrict hp, const int32_t *restrict attack, const int32_t *restrict defence, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t total = attack[i] - defence[i], left = hp[i] > total ? hp[i] - total : 0;
    hp[i] = hp[i] > 0 && total > 0 ? left : hp[i];
  }
}

// One row in ten draws two numbers.
SCALAR_LOOP void complex_rows(const float *restrict x, const float *restrict y, float *restrict vx, float *restrict vy,
                              const int32_t *restrict thought, double *restrict noise, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (thought[i] % 10 != 0)
      continue;
    uint64_t one = (uint64_t)noise[i] * 16807 % 2147483647, two = one * 16807 % 2147483647;
    float wide = (float)((int32_t)(one % 17) - 7), narrow = (float)(two % 6);
    noise[i] = (double)two;
    vx[i] = x[i] > y[i] ? wide : narrow;
    vy[i] = x[i] > y[i] ? narrow : wide;
  }
}

LOOP void drift(float *restrict x, float *restrict y, float *restrict vx, float *restrict vy, size_t count,
                float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vx[i] * dt_s;
    y[i] += vy[i] * dt_s;
    vx[i] = (x[i] < 0 && vx[i] < 0) || (x[i] > WIDTH && vx[i] > 0) ? -vx[i] : vx[i];
    vy[i] = (y[i] < 0 && vy[i] < 0) || (y[i] > HEIGHT && vy[i] > 0) ? -vy[i] : vy[i];
  }
}

LOOP void wrap(float *restrict x, float *restrict y, const float *restrict margin, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float m = margin[i], a = x[i], b = y[i];
    x[i] = a < -m ? a + WIDTH + 2 * m : a > WIDTH + m ? a - WIDTH - 2 * m : a;
    y[i] = b < -m ? b + HEIGHT + 2 * m : b > HEIGHT + m ? b - HEIGHT - 2 * m : b;
  }
}

typedef struct sparks_t {
  float *alpha, *scale, *vx, *vy, *left, *life, *peak, *drag;
  uint8_t *shrinks;
} sparks_t;

LOOP void particles(float *restrict alpha, float *restrict scale, float *restrict vx, float *restrict vy,
                    const sparks_t *restrict s, size_t count, float dt_s) {
  const float *restrict left = s->left, *restrict life = s->life, *restrict peak = s->peak, *restrict drag = s->drag;
  const uint8_t *restrict shrinks = s->shrinks;
  for (size_t i = 0; i < count; ++i) {
    float part = left[i] / life[i];
    part = part > 0 ? part : 0;
    alpha[i] = peak[i] * part;
    scale[i] = shrinks[i] ? 0.25f + 0.5f * part : scale[i];
    float keep = 1 - drag[i] * dt_s;
    vx[i] *= keep;
    vy[i] *= keep;
  }
}

LOOP void counter(int32_t *restrict hits, const float *restrict heat, const float *restrict limit, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t next = hits[i] + 1 < 1000 ? hits[i] + 1 : 1000;
    hits[i] = heat[i] > limit[i] ? next : hits[i];
  }
}

LANE_LOOP void turn(float *restrict angle, const float *restrict vx, const float *restrict vy,
                    const float *restrict wave, size_t count, double now) {
  for (size_t i = 0; i < count; i += LANES) {
    lanes_t way = SLEEF(atan2, u35)(lanes_load_floats(vy + i), lanes_load_floats(vx + i));
    lanes_store_floats(angle + i, way + 0.125 * SLEEF(sin, u35)(now + lanes_load_floats(wave + i)));
  }
}

// SLEEF's functions for floats give different results, so each value is computed in doubles and rounded.
LANE_LOOP void turn_single(float *restrict angle, const float *restrict vx, const float *restrict vy,
                           const float *restrict wave, size_t count, float now) {
  for (size_t i = 0; i < count; i += LANES) {
    floats_t phase = now + *(const floats_t *)(wave + i);
    lanes_t way = SLEEF(atan2, u35)(lanes_load_floats(vy + i), lanes_load_floats(vx + i));
    lanes_t swing = SLEEF(sin, u35)(__builtin_convertvector(phase, lanes_t));
    *(floats_t *)(angle + i) =
        __builtin_convertvector(way, floats_t) + 0.125f * __builtin_convertvector(swing, floats_t);
  }
}

LOOP void orbit(const float *restrict x, const float *restrict y, float *restrict vx, float *restrict vy, size_t count,
                double dt_s) {
  for (size_t i = 0; i < count; ++i) {
    double dx = 500 - (double)x[i], dy = 350 - (double)y[i], square = dx * dx + dy * dy + 1;
    double pull = 1000 / (square * sqrt(square)) * dt_s;
    vx[i] = (float)((double)vx[i] + dx * pull);
    vy[i] = (float)((double)vy[i] + dy * pull);
  }
}

LOOP void orbit_single(const float *restrict x, const float *restrict y, float *restrict vx, float *restrict vy,
                       size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    float dx = 500 - x[i], dy = 350 - y[i], square = dx * dx + dy * dy + 1;
    float pull = 1000 / (square * sqrtf(square)) * dt_s;
    vx[i] += dx * pull;
    vy[i] += dy * pull;
  }
}

SCALAR_LOOP void chase(float *restrict vx, float *restrict vy, const float *restrict x, const float *restrict y,
                       const uint32_t *restrict prey, const slots_t *slots, size_t count, double dt_s) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t row = slots_row(slots, prey[i]);
    if (row == UINT32_MAX)
      continue;
    double dx = (double)x[row] - (double)x[i], dy = (double)y[row] - (double)y[i], far = sqrt(dx * dx + dy * dy);
    if (far > 1) {
      vx[i] = (float)((double)vx[i] + dx / far * dt_s);
      vy[i] = (float)((double)vy[i] + dy / far * dt_s);
    }
  }
}

SCALAR_LOOP void chase_single(float *restrict vx, float *restrict vy, const float *restrict x, const float *restrict y,
                              const uint32_t *restrict prey, const slots_t *slots, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t row = slots_row(slots, prey[i]);
    if (row == UINT32_MAX)
      continue;
    float dx = x[row] - x[i], dy = y[row] - y[i], far = sqrtf(dx * dx + dy * dy);
    if (far > 1) {
      vx[i] += dx / far * dt_s;
      vy[i] += dy / far * dt_s;
    }
  }
}

typedef struct bodies_t {
  float *x, *y, *vx, *vy;
} bodies_t;

// Row i has the values of the game's row i + 1.
static bodies_t bodies_create(uint32_t count) {
  bodies_t b = {memory(count, 4), memory(count, 4), memory(count, 4), memory(count, 4)};
  for (uint32_t i = 1; i <= count; ++i) {
    b.x[i - 1] = (float)(i % 1000), b.y[i - 1] = (float)(i % 700);
    b.vx[i - 1] = (float)(i % 61) - 30, b.vy[i - 1] = (float)(i % 53) - 26;
  }
  return b;
}

static double sum(const float *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += (double)column[i];
  return total;
}

static double sum_int(const int32_t *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += column[i];
  return total;
}

static double sum_wide(const double *column, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += column[i];
  return total;
}

static sparks_t sparks_create(uint32_t count) {
  bodies_t flying = bodies_create(count);
  sparks_t s = {.alpha = memory(count, 4), .scale = memory(count, 4), .vx = flying.vx, .vy = flying.vy};
  s.left = memory(count, 4), s.life = memory(count, 4), s.peak = memory(count, 4), s.drag = memory(count, 4);
  s.shrinks = memory(count, 1);
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t i = k + 1;
    s.life[k] = (float)(1 << i % 4), s.left[k] = (float)(i % 9) / 4, s.peak[k] = (float)(i % 4) / 4;
    s.drag[k] = (float)(i % 8) * 0.125f, s.shrinks[k] = i % 2 == 0;
  }
  return s;
}

#define TIMED(name_, call_)                                                                                            \
  do {                                                                                                                 \
    double began_s = now_s();                                                                                          \
    call_;                                                                                                             \
    add_time(name_, now_s() - began_s, count);                                                                         \
  } while (0)

static void run(uint32_t count, uint32_t ticks, bool is_single) {
  const float dt_s = 1.0f / 64;
  bodies_t mover = bodies_create(count), pushed = bodies_create(count), thinker = bodies_create(count);
  bodies_t drifter = bodies_create(count), orbiter = bodies_create(count), hunter = bodies_create(count);
  bodies_t turner = bodies_create(count), compared = bodies_create(count);
  int32_t *hp = memory(count, 4), *max = memory(count, 4), *status = memory(count, 4), *thought = memory(count, 4);
  int32_t *struck = memory(count, 4), *attack = memory(count, 4), *defence = memory(count, 4), *hits = memory(count, 4);
  double *noise = memory(count, 8);
  float *wx = memory(count, 4), *wy = memory(count, 4), *margin = memory(count, 4);
  float *heat = memory(count, 4), *limit = memory(count, 4), *angle = memory(count, 4), *wave = memory(count, 4);
  sparks_t s = sparks_create(count);
  slots_t slots = slots_create(count);
  uint32_t *ids = memory(count, 4), *prey = memory(count, 4);
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t i = k + 1;
    hp[k] = (int32_t)(i % 100) - 50, max[k] = 100, status[k] = (int32_t)(i % 3);
    struck[k] = (int32_t)(i % 5000), attack[k] = (int32_t)(i % 7), defence[k] = (int32_t)(i % 5);
    thought[k] = (int32_t)(i % 10), noise[k] = i % 65521;
    wx[k] = (float)(i % 1500) - 250, wy[k] = (float)(i % 900) - 150, margin[k] = (float)(i % 32);
    heat[k] = (float)(i % 7), limit[k] = (float)(i % 5), hits[k] = (int32_t)(i % 1000);
    wave[k] = (float)(i % 64) / 8;
    ids[k] = slots_allocate(&slots, k);
  }
  for (uint32_t k = 0; k < count; ++k)
    prey[k] = ids[(uint64_t)(k + 1) * 7919 % count];
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    TIMED("move", move(mover.x, mover.y, mover.vx, mover.vy, count, dt_s));
    TIMED("push", move(pushed.x, pushed.y, pushed.vx, pushed.vy, count, dt_s));
    TIMED("health", health(hp, max, status, count));
    TIMED("damage", damage(struck, attack, defence, count));
    TIMED("complex", complex_rows(thinker.x, thinker.y, thinker.vx, thinker.vy, thought, noise, count));
    TIMED("drift", drift(drifter.x, drifter.y, drifter.vx, drifter.vy, count, dt_s));
    TIMED("wrap", wrap(wx, wy, margin, count));
    TIMED("particles", particles(s.alpha, s.scale, s.vx, s.vy, &s, count, dt_s));
    TIMED("counter", counter(hits, heat, limit, count));
    float now = (float)tick * dt_s;
    if (is_single) {
      TIMED("turn", turn_single(angle, turner.vx, turner.vy, wave, count, now));
      TIMED("orbit", orbit_single(orbiter.x, orbiter.y, orbiter.vx, orbiter.vy, count, dt_s));
      TIMED("chase", chase_single(hunter.vx, hunter.vy, hunter.x, hunter.y, prey, &slots, count, dt_s));
    } else {
      TIMED("turn", turn(angle, turner.vx, turner.vy, wave, count, (double)now));
      TIMED("orbit", orbit(orbiter.x, orbiter.y, orbiter.vx, orbiter.vy, count, (double)dt_s));
      TIMED("orbit_single", orbit_single(compared.x, compared.y, compared.vx, compared.vy, count, dt_s));
      TIMED("chase", chase(hunter.vx, hunter.vy, hunter.x, hunter.y, prey, &slots, count, (double)dt_s));
    }
  }
  print_check("move", sum(mover.x, count) + sum(mover.y, count));
  print_check("push", sum(pushed.x, count) + sum(pushed.y, count));
  print_check("health", sum_int(hp, count) + sum_int(status, count));
  print_check("damage", sum_int(struck, count));
  print_check("complex", sum(thinker.vx, count) + sum(thinker.vy, count) + sum_wide(noise, count));
  print_check("drift", sum(drifter.x, count) + sum(drifter.y, count) + sum(drifter.vx, count) + sum(drifter.vy, count));
  print_check("wrap", sum(wx, count) + sum(wy, count));
  print_check("particles", sum(s.alpha, count) + sum(s.scale, count) + sum(s.vx, count) + sum(s.vy, count));
  print_check("counter", sum_int(hits, count));
  print_check("turn", sum(angle, count));
  print_check("orbit", sum(orbiter.vx, count) + sum(orbiter.vy, count));
  print_check("chase", sum(hunter.vx, count) + sum(hunter.vy, count));
}

void run_rows(uint32_t count, uint32_t ticks) {
  run(count, ticks, false);
}

void run_rows_single(uint32_t count, uint32_t ticks) {
  run(count, ticks, true);
}
