// Computes particles from their birth records. The random numbers of a particle, nine or more of 16 bits, are derived
// from its number with splitmix64. The simulation never reads particles, so the numbers only have to look random.
#include "particles/particles.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define TURN 6.2831853f

typedef struct rng_t {
  uint64_t state, bits;
  uint32_t unused_count; // number of unused 16-bit random numbers in `bits`
} rng_t;

static float next_random(rng_t *rng) { // returns 0 ≤ x < 1
  shoal_assert(rng->unused_count <= 4, "%u 16-bit numbers do not fit into 64 bits", rng->unused_count);
  if (rng->unused_count == 0) {
    uint64_t x = rng->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    rng->bits = x ^ (x >> 31);
    rng->unused_count = 4;
  }
  float result = (float)(rng->bits & 0xFFFFu) * (1.0f / 65536.0f);
  rng->bits >>= 16;
  rng->unused_count--;
  return result;
}

static float vary_number(rng_t *rng, float x, float vary) {
  float random = next_random(rng);
  return x * (1.0f + vary * (2.0f * random - 1.0f));
}

// Approximates the sine of an angle in turns. The error is below 0.0011, which is sufficient for drawing.
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
  float cosine, sine, old_x = *x;
  approximate_axis(angle, &cosine, &sine);
  *x = old_x * cosine - *y * sine;
  *y = old_x * sine + *y * cosine;
}

static float interpolate(float a, float b, float t) {
  return a + (b - a) * t;
}

static particle_pose_t interpolate_pose(const particle_births_t *births, double birth_s) {
  double duration = births->end_s - births->start_s;
  if (!(duration > 0) || memcmp(&births->start_pose, &births->end_pose, sizeof births->end_pose) == 0)
    return births->end_pose;
  float t = (float)((birth_s - births->start_s) / duration);
  const particle_pose_t *start = &births->start_pose, *end = &births->end_pose;
  return (particle_pose_t){interpolate(start->ux, end->ux, t), interpolate(start->uy, end->uy, t),
                           interpolate(start->vx, end->vx, t), interpolate(start->vy, end->vy, t),
                           interpolate(start->x, end->x, t),   interpolate(start->y, end->y, t)};
}

// Computes a particle's start position relative to the emitter's centre, and its initial direction.
static void compute_start_state(const particle_look_t *look, rng_t *rng, float *x, float *y, float *direction_x,
                                float *direction_y) {
  float radial = next_random(rng), angular = next_random(rng), cosine = 1.0f, sine = 0.0f;
  *x = *y = 0.0f;
  if (look->outward || look->shape == PARTICLES_CIRCLE || look->shape == PARTICLES_RING)
    approximate_axis(angular * TURN, &cosine, &sine);
  if (look->shape == PARTICLES_RECT) {
    *x = (radial - 0.5f) * look->width;
    *y = (angular - 0.5f) * look->height;
  } else if (look->shape != PARTICLES_POINT) {
    float radius = look->radius * (look->shape == PARTICLES_CIRCLE ? sqrtf(radial) : 1.0f);
    *x = cosine * radius;
    *y = sine * radius;
  }
  float deviation = (next_random(rng) - 0.5f) * look->spread;
  if (!look->outward) {
    approximate_axis(look->angle + deviation, direction_x, direction_y);
    return;
  }
  float length = sqrtf(*x * *x + *y * *y);
  *direction_x = length > 0.0f ? *x / length : cosine;
  *direction_y = length > 0.0f ? *y / length : sine;
  rotate_axis(direction_x, direction_y, deviation);
}

static void set_orientation(const particle_look_t *look, rng_t *rng, float age, float vx, float vy,
                            particle_t *particle) {
  float phase = next_random(rng), spin_factor = 2.0f * next_random(rng) - 1.0f;
  float speed = look->stretch > 0.0f ? sqrtf(vx * vx + vy * vy) : 0.0f;
  particle->ux = 1.0f;
  particle->uy = particle->length = 0.0f;
  if (look->stretch > 0.0f && speed > 0.0f) {
    particle->ux = vx / speed;
    particle->uy = vy / speed;
    particle->length = speed * look->stretch;
  } else if (look->spin != 0.0f) {
    approximate_axis(phase * TURN + age * look->spin * spin_factor, &particle->ux, &particle->uy);
  }
}

static void compute_colour(const particle_look_t *look, rng_t *rng, float t, float out[4]) {
  float brightness = vary_number(rng, 1.0f, look->colour_vary);
  colour_curve_at(&look->colours, t, out);
  for (int i = 0; i < 4; ++i)
    out[i] *= look->colour[i] * (i < 3 ? brightness : 1.0f);
}

static int32_t choose_frame(const particle_look_t *look, rng_t *rng, float t) {
  int32_t frames = look->last_frame > look->frame ? look->last_frame - look->frame + 1 : 1;
  int32_t index = (int32_t)((look->pick ? next_random(rng) : t) * (float)frames);
  return look->frame + (index < frames ? index : frames - 1);
}

// Applies the forces to a particle. Returns the seconds during which the particle was not at rest.
static float apply_forces(const particle_look_t *look, const particle_forces_t *forces, particle_motion_t *motion,
                          particle_t *particle, float *vx, float *vy) {
  motion->gravity_x = look->gravity_x;
  motion->gravity_y = look->gravity_y;
  forces_move_particle(forces, motion);
  particle->x = motion->x;
  particle->y = motion->y;
  *vx = motion->vx;
  *vy = motion->vy;
  return motion->moving_s;
}

// Computes a particle's state: straight motion from the integral of its speed curve, then gravity or forces, then sway.
// Returns true if the particle is visible, or false if it is not alive at this time, or if its size or opacity is 0.
static bool compute_particle(const particle_look_t *look, const particle_forces_t *forces,
                             const particle_births_t *births, uint32_t i, double clock_s, bool local,
                             particle_t *particle) {
  shoal_assert(i < births->count, "particle %u is out of range (count %u)", i, births->count);
  double birth_s = births->first + births->step * (double)i;
  float age = (float)(clock_s - birth_s);
  rng_t rng = {.state = (uint64_t)look->seed << 32 | (births->number + i)};
  float life = vary_number(&rng, look->life, look->life_vary), x, y, direction_x, direction_y;
  float t = age / life;
  if (!(t >= 0.0f && t < 1.0f))
    return false;
  particle_pose_t pose = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
  if (!local)
    pose = interpolate_pose(births, birth_s);
  compute_start_state(look, &rng, &x, &y, &direction_x, &direction_y);
  float speed = vary_number(&rng, look->speed, look->speed_vary);
  float distance = speed * life * curve_area(&look->speeds, t), current_speed = speed * curve_at(&look->speeds, t);
  float vx = look->gravity_x * age, vy = look->gravity_y * age, moving_s = age, inherited_vx = 0.0f,
        inherited_vy = 0.0f;
  particle->x =
      pose.x + pose.ux * (x + direction_x * distance) + pose.vx * (y + direction_y * distance) + vx * age * 0.5f;
  particle->y =
      pose.y + pose.uy * (x + direction_x * distance) + pose.vy * (y + direction_y * distance) + vy * age * 0.5f;
  vx += (pose.ux * direction_x + pose.vx * direction_y) * current_speed;
  vy += (pose.uy * direction_x + pose.vy * direction_y) * current_speed;
  if (look->inherit != 0.0f && !local && births->end_s > births->start_s) {
    float factor = look->inherit / (float)(births->end_s - births->start_s);
    inherited_vx = (births->end_pose.x - births->start_pose.x) * factor;
    inherited_vy = (births->end_pose.y - births->start_pose.y) * factor;
    particle->x += inherited_vx * age;
    particle->y += inherited_vy * age;
    vx += inherited_vx;
    vy += inherited_vy;
  }
  float scale = sqrtf(pose.ux * pose.ux + pose.uy * pose.uy);
  particle->size = vary_number(&rng, look->size, look->size_vary) * curve_at(&look->sizes, t) * scale;
  if (forces) {
    particle_motion_t motion = {.age = age, .radius = particle->size * 0.5f, .centre_x = pose.x, .centre_y = pose.y};
    float heading_x = pose.ux * direction_x + pose.vx * direction_y,
          heading_y = pose.uy * direction_x + pose.vy * direction_y;
    motion.x = pose.x + pose.ux * x + pose.vx * y;
    motion.y = pose.y + pose.uy * x + pose.vy * y;
    motion.displacement_x = heading_x * distance + inherited_vx * age;
    motion.displacement_y = heading_y * distance + inherited_vy * age;
    motion.initial_vx = heading_x * speed + inherited_vx;
    motion.initial_vy = heading_y * speed + inherited_vy;
    motion.vx = heading_x * current_speed + inherited_vx;
    motion.vy = heading_y * current_speed + inherited_vy;
    moving_s = apply_forces(look, forces, &motion, particle, &vx, &vy);
  }
  set_orientation(look, &rng, moving_s, vx, vy, particle);
  compute_colour(look, &rng, t, particle->colour);
  particle->frame = choose_frame(look, &rng, t);
  if (look->sway != 0.0f) {
    float phase = next_random(&rng), frequency = 0.35f + 0.3f * next_random(&rng);
    particle->x += look->sway * (approximate_sine(phase + age * frequency) - approximate_sine(phase));
  }
  return particle->size > 0.0f && particle->colour[3] > 0.0f;
}

uint32_t particles_compute(const particle_look_t *look, const particle_forces_t *forces,
                           const particle_births_t *births, uint32_t begin, uint32_t end, double clock_s, bool local,
                           particle_t *out) {
  uint32_t count = 0;
  shoal_assert(begin <= end && end <= births->count, "particles %u to %u are out of range (count %u)", begin, end,
               births->count);
  for (uint32_t i = begin; i < end; ++i)
    count += compute_particle(look, forces, births, i, clock_s, local, &out[count]);
  return count;
}
