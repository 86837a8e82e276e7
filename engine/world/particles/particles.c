// Computes particles from their birth records. The random numbers of a particle, nine or more of 16 bits, are derived
// from its number with splitmix64. The simulation never reads them, so they only have to look random.
#include "particles/particles.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define TURN 6.2831853f

typedef struct rng_t {
  uint64_t state, bits;
  uint32_t left; // number of unused 16-bit random numbers in `bits`
} rng_t;

static float next_random(rng_t *l) { // returns 0 ≤ x < 1
  shoal_assert(l->left <= 4, "%u 16-bit numbers do not fit into 64 bits", l->left);
  if (l->left == 0) {
    uint64_t x = l->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    l->bits = x ^ (x >> 31);
    l->left = 4;
  }
  float out = (float)(l->bits & 0xFFFFu) * (1.0f / 65536.0f);
  l->bits >>= 16;
  l->left--;
  return out;
}

static float vary_number(rng_t *l, float x, float vary) {
  float lot = next_random(l);
  return x * (1.0f + vary * (2.0f * lot - 1.0f));
}

// Approximates the sine of an angle given in turns. The error is below 0.0011, which is sufficient for drawing.
static float approximate_sine(float turns) {
  float x = turns - floorf(turns + 0.5f), y = 8.0f * x * (1.0f - 2.0f * fabsf(x));
  return y * (0.775f + 0.225f * fabsf(y));
}

static void approximate_axis(float angle, float *x, float *y) {
  float turns = angle * (1.0f / TURN);
  *x = approximate_sine(turns + 0.25f);
  *y = approximate_sine(turns);
}

static void rotate_axis(float *x, float *y, float angle) {
  float c, s, old = *x;
  approximate_axis(angle, &c, &s);
  *x = old * c - *y * s;
  *y = old * s + *y * c;
}

static float interpolate(float a, float b, float t) {
  return a + (b - a) * t;
}

static particle_pose_t interpolate_pose(const particle_births_t *b, double born) {
  double span = b->until - b->from;
  if (!(span > 0) || memcmp(&b->was, &b->is, sizeof b->is) == 0)
    return b->is;
  float t = (float)((born - b->from) / span);
  const particle_pose_t *p = &b->was, *q = &b->is;
  return (particle_pose_t){interpolate(p->ux, q->ux, t), interpolate(p->uy, q->uy, t), interpolate(p->vx, q->vx, t),
                           interpolate(p->vy, q->vy, t), interpolate(p->x, q->x, t),   interpolate(p->y, q->y, t)};
}

// Computes a particle's start position relative to the emitter's centre, and its initial direction.
static void compute_start_state(const particle_look_t *look, rng_t *rng, float *x, float *y, float *to_x, float *to_y) {
  float far = next_random(rng), round = next_random(rng), c = 1.0f, s = 0.0f;
  *x = *y = 0.0f;
  if (look->outward || look->shape == PARTICLES_CIRCLE || look->shape == PARTICLES_RING)
    approximate_axis(round * TURN, &c, &s);
  if (look->shape == PARTICLES_RECT) {
    *x = (far - 0.5f) * look->width;
    *y = (round - 0.5f) * look->height;
  } else if (look->shape != PARTICLES_POINT) {
    float radius = look->radius * (look->shape == PARTICLES_CIRCLE ? sqrtf(far) : 1.0f);
    *x = c * radius;
    *y = s * radius;
  }
  float turned = (next_random(rng) - 0.5f) * look->spread;
  if (!look->outward) {
    approximate_axis(look->angle + turned, to_x, to_y);
    return;
  }
  float length = sqrtf(*x * *x + *y * *y);
  *to_x = length > 0.0f ? *x / length : c;
  *to_y = length > 0.0f ? *y / length : s;
  rotate_axis(to_x, to_y, turned);
}

static void set_orientation(const particle_look_t *look, rng_t *rng, float age, float vx, float vy, particle_t *p) {
  float begins = next_random(rng), turns = 2.0f * next_random(rng) - 1.0f;
  float fast = look->stretch > 0.0f ? sqrtf(vx * vx + vy * vy) : 0.0f;
  p->ux = 1.0f;
  p->uy = p->length = 0.0f;
  if (look->stretch > 0.0f && fast > 0.0f) {
    p->ux = vx / fast;
    p->uy = vy / fast;
    p->length = fast * look->stretch;
  } else if (look->spin != 0.0f) {
    approximate_axis(begins * TURN + age * look->spin * turns, &p->ux, &p->uy);
  }
}

static void compute_colour(const particle_look_t *look, rng_t *rng, float t, float out[4]) {
  float light = vary_number(rng, 1.0f, look->colour_vary);
  colour_curve_at(&look->colours, t, out);
  for (int i = 0; i < 4; ++i)
    out[i] *= look->colour[i] * (i < 3 ? light : 1.0f);
}

static int32_t choose_frame(const particle_look_t *look, rng_t *rng, float t) {
  int32_t frames = look->last_frame > look->frame ? look->last_frame - look->frame + 1 : 1;
  int32_t at = (int32_t)((look->pick ? next_random(rng) : t) * (float)frames);
  return look->frame + (at < frames ? at : frames - 1);
}

// Applies the forces to a particle. Returns the seconds during which it was not at rest.
static float apply_forces(const particle_look_t *look, const particle_forces_t *forces, particle_motion_t *m,
                          particle_t *p, float *vx, float *vy) {
  m->gravity_x = look->gravity_x;
  m->gravity_y = look->gravity_y;
  forces_move_particle(forces, m);
  p->x = m->x;
  p->y = m->y;
  *vx = m->vx;
  *vy = m->vy;
  return m->moving_s;
}

// Computes a particle's state: straight motion from the integral of its speed curve, then gravity or forces, then sway.
// Returns false if the particle is not alive at this time, or if its size or opacity is 0.
static bool compute_particle(const particle_look_t *look, const particle_forces_t *forces, const particle_births_t *b,
                             uint32_t i, double now, bool local, particle_t *p) {
  shoal_assert(i < b->count, "particle %u is out of range (count %u)", i, b->count);
  double born = b->first + b->step * (double)i;
  float age = (float)(now - born);
  rng_t rng = {.state = (uint64_t)look->seed << 32 | (b->number + i)};
  float life = vary_number(&rng, look->life, look->life_vary), x, y, to_x, to_y;
  float t = age / life;
  if (!(t >= 0.0f && t < 1.0f))
    return false;
  particle_pose_t pose = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
  if (!local)
    pose = interpolate_pose(b, born);
  compute_start_state(look, &rng, &x, &y, &to_x, &to_y);
  float speed = vary_number(&rng, look->speed, look->speed_vary);
  float way = speed * life * curve_area(&look->speeds, t), fast = speed * curve_at(&look->speeds, t);
  float vx = look->gravity_x * age, vy = look->gravity_y * age, moving_s = age, own_x = 0.0f, own_y = 0.0f;
  p->x = pose.x + pose.ux * (x + to_x * way) + pose.vx * (y + to_y * way) + vx * age * 0.5f;
  p->y = pose.y + pose.uy * (x + to_x * way) + pose.vy * (y + to_y * way) + vy * age * 0.5f;
  vx += (pose.ux * to_x + pose.vx * to_y) * fast;
  vy += (pose.uy * to_x + pose.vy * to_y) * fast;
  if (look->inherit != 0.0f && !local && b->until > b->from) {
    float k = look->inherit / (float)(b->until - b->from);
    own_x = (b->is.x - b->was.x) * k;
    own_y = (b->is.y - b->was.y) * k;
    p->x += own_x * age;
    p->y += own_y * age;
    vx += own_x;
    vy += own_y;
  }
  float scale = sqrtf(pose.ux * pose.ux + pose.uy * pose.uy);
  p->size = vary_number(&rng, look->size, look->size_vary) * curve_at(&look->sizes, t) * scale;
  if (forces) {
    particle_motion_t m = {.age = age, .radius = p->size * 0.5f, .middle_x = pose.x, .middle_y = pose.y};
    float along_x = pose.ux * to_x + pose.vx * to_y, along_y = pose.uy * to_x + pose.vy * to_y;
    m.x = pose.x + pose.ux * x + pose.vx * y;
    m.y = pose.y + pose.uy * x + pose.vy * y;
    m.way_x = along_x * way + own_x * age;
    m.way_y = along_y * way + own_y * age;
    m.begin_x = along_x * speed + own_x;
    m.begin_y = along_y * speed + own_y;
    m.vx = along_x * fast + own_x;
    m.vy = along_y * fast + own_y;
    moving_s = apply_forces(look, forces, &m, p, &vx, &vy);
  }
  set_orientation(look, &rng, moving_s, vx, vy, p);
  compute_colour(look, &rng, t, p->colour);
  p->frame = choose_frame(look, &rng, t);
  if (look->sway != 0.0f) {
    float begins = next_random(&rng), often = 0.35f + 0.3f * next_random(&rng);
    p->x += look->sway * (approximate_sine(begins + age * often) - approximate_sine(begins));
  }
  return p->size > 0.0f && p->colour[3] > 0.0f;
}

uint32_t particles_compute(const particle_look_t *look, const particle_forces_t *forces,
                           const particle_births_t *births, uint32_t begin, uint32_t end, double now, bool local,
                           particle_t *out) {
  uint32_t count = 0;
  shoal_assert(begin <= end && end <= births->count, "particles %u to %u are out of range (count %u)", begin, end,
               births->count);
  for (uint32_t i = begin; i < end; ++i)
    count += compute_particle(look, forces, births, i, now, local, &out[count]);
  return count;
}
