// The component emitter_forces, and the motion of particles under its forces. Drag reduces a speed v to v · e^(-k·t).
// The distance covered in t seconds therefore equals the distance covered without drag in (1 - e^(-k·t)) / k seconds.
// Vertical motion is computed from bounce to bounce; horizontal motion is folded between the walls.
#include "particles/forces.h"

#include "base/assert.h"
#include "components/builtin.h"

#include <math.h>
#include <string.h>

#define MAX_BOUNCES 12u
#define SLOW 14.0f    // in pixels per second; particles that bounce off the floor more slowly than this come to rest
#define NO_DRAG 1e-3f // below this, drag is ignored
#define FAR 1e7f

// clang-format off
#define EMITTER_FORCES_FIELDS(F)                                                                                       \
  F(f32, drag, 0, .unit = "1/s", .doc = "how fast particles lose speed")                                               \
  F(f32, wind_x, 0, .unit = "px/s", .doc = "wind speed that drag accelerates particles to")                            \
  F(f32, wind_y, 0, .unit = "px/s")                                                                                    \
  F(f32, pull, 0, .unit = "1/s", .doc = "attraction to the emitter; negative repels")                                  \
  F(f32, swirl, 0, .unit = "rad/s", .doc = "around the emitter")                                                       \
  F(enum, walls, "none floor box", .doc = "walls that particles bounce off: a floor at `bottom`, or all four sides")   \
  F(f32, left, 0, .unit = "px") F(f32, top, 0, .unit = "px") F(f32, right, 0, .unit = "px")                            \
  F(f32, bottom, 0, .unit = "px") F(f32, bounce, 0.5f, .doc = "fraction of the speed kept after a bounce")             \
  F(f32, slide, 0.7f, .doc = "fraction of the speed along the floor kept after a bounce")
// clang-format on
BUILTIN_COMPONENT(emitter_forces, EMITTER_FORCES_FIELDS)

bool forces_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &emitter_forces_component, error);
}

// --- numbers

// Clamps a number; replaces NaN and infinity by 0.
static float clamp(float x, float min, float max) {
  return isfinite(x) ? fminf(fmaxf(x, min), max) : fminf(fmaxf(0.0f, min), max);
}

static uint32_t find_enabled_row(world_o *w, const manager_o *m, shoal_entity e) {
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  return row != ROW_NONE && world_is_disabled(w, e, m->id) ? ROW_NONE : row;
}

bool forces_read(world_o *w, shoal_entity e, particle_forces_t *out) {
  const manager_o *m = builtin_find(w, "emitter_forces");
  uint32_t row = m && m->count > 0 ? find_enabled_row(w, m, e) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  emitter_forces_columns c = emitter_forces_columns_of(m);
  *out = (particle_forces_t){.drag = clamp(c.drag[row], 0, 1000),
                             .wind_x = clamp(c.wind_x[row], -FAR, FAR),
                             .wind_y = clamp(c.wind_y[row], -FAR, FAR),
                             .pull = clamp(c.pull[row], -100, 1000),
                             .swirl = clamp(c.swirl[row], -1000, 1000),
                             .walls = c.walls[row] <= PARTICLES_BOX ? c.walls[row] : PARTICLES_FREE,
                             .left = clamp(c.left[row], -FAR, FAR),
                             .top = clamp(c.top[row], -FAR, FAR),
                             .right = clamp(c.right[row], -FAR, FAR),
                             .bottom = clamp(c.bottom[row], -FAR, FAR),
                             .bounce = clamp(c.bounce[row], 0, 1),
                             .slide = clamp(c.slide[row], 0, 1)};
  return true;
}

bool forces_are_valid(const particle_forces_t *f) {
  return f->drag >= 0 && f->drag <= 1000 && isfinite(f->wind_x + f->wind_y + f->left + f->top + f->right + f->bottom) &&
         f->pull >= -100 && f->pull <= 1000 && fabsf(f->swirl) <= 1000 && f->walls <= PARTICLES_BOX && f->bounce >= 0 &&
         f->bounce <= 1 && f->slide >= 0 && f->slide <= 1;
}

const char *forces_find_invalid_field(world_o *w, shoal_entity e) {
  const manager_o *m = builtin_find(w, "emitter_forces");
  uint32_t row = m && m->count > 0 ? find_enabled_row(w, m, e) : ROW_NONE;
  if (row == ROW_NONE)
    return NULL;
  emitter_forces_columns c = emitter_forces_columns_of(m);
  if (!(c.drag[row] >= 0 && c.drag[row] <= 1000))
    return "drag must be from 0 to 1000";
  if (!isfinite(c.wind_x[row] + c.wind_y[row] + c.pull[row] + c.swirl[row]))
    return "wind_x, wind_y, pull and swirl must be finite (NaN and infinity are replaced by 0)";
  if (!(c.bounce[row] >= 0 && c.bounce[row] <= 1 && c.slide[row] >= 0 && c.slide[row] <= 1))
    return "bounce and slide must be from 0 to 1";
  if (!isfinite(c.left[row] + c.top[row] + c.right[row] + c.bottom[row]))
    return "left, top, right and bottom must be finite (NaN and infinity are replaced by 0)";
  if (c.walls[row] == PARTICLES_BOX && !(c.right[row] > c.left[row] && c.bottom[row] > c.top[row]))
    return "walls: left must be less than right, and top less than bottom";
  return NULL;
}

// --- motion

// Returns the time, in seconds, in which a particle without drag covers the distance that a particle with drag `k`
// covers in `t` seconds.
static float drag_free_time(float k, float t) {
  return k > NO_DRAG ? (1.0f - expf(-k * t)) / k : t;
}

// Returns the distance covered from rest in `t` seconds, with an acceleration of 1 and drag `k`.
static float distance_from_rest(float k, float t) {
  return k > NO_DRAG ? (t - drag_free_time(k, t)) / k : 0.5f * t * t;
}

static float speed_fraction(float k, float t) {
  return k > NO_DRAG ? expf(-k * t) : 1.0f;
}

// Returns the time, in seconds, in which a particle with initial speed `v`, acceleration `a` and drag `k` moves by
// `far` (>= 0); INFINITY if `a` is not positive.
static float time_to_distance(float v, float a, float k, float far) {
  float square = v * v + 2.0f * a * far;
  if (!(a > 0.0f))
    return INFINITY;
  float t = (sqrtf(fmaxf(square, 0.0f)) - v) / a;
  for (int i = 0; i < 5 && k > NO_DRAG; ++i) {
    float speed = v * speed_fraction(k, t) + a * drag_free_time(k, t);
    if (!(speed > 1e-3f))
      t = t * 1.5f + 0.01f;
    else
      t -= (v * drag_free_time(k, t) + a * distance_from_rest(k, t) - far) / speed;
    t = fmaxf(t, 0.0f);
  }
  return t;
}

// Moves a particle vertically above a floor, with bounces. Returns the time, in seconds, in which a particle without
// bounces covers the same horizontal distance: each bounce also reduces the horizontal speed.
static float move_vertically(const particle_forces_t *f, particle_motion_t *m, float a, float floor) {
  float k = f->drag, y = fminf(m->y, floor), v = m->begin_y, left = m->age, along = 0.0f, slide_factor = 1.0f;
  for (uint32_t i = 0; i < MAX_BOUNCES; ++i) {
    float t = time_to_distance(v, a, k, floor - y);
    if (!(t < left)) {
      m->y = fminf(y + v * drag_free_time(k, left) + a * distance_from_rest(k, left), floor);
      m->vy = v * speed_fraction(k, left) + a * drag_free_time(k, left);
      m->moving_s = m->age;
      return along + slide_factor * left;
    }
    left -= t;
    along += slide_factor * t;
    v = -(v * speed_fraction(k, t) + a * drag_free_time(k, t)) * f->bounce;
    y = floor;
    slide_factor *= f->slide;
    if (-v < SLOW)
      break;
  }
  m->y = floor;
  m->vy = 0.0f;
  m->moving_s = m->age - left;
  return along;
}

// Reflects `x` at the walls `low` and `high` as often as necessary, and sets the sign of `speed` accordingly.
static float reflect_between(float x, float low, float high, float *speed) {
  float wide = high - low;
  if (!(wide > 0.0f))
    return fminf(fmaxf(x, high), low);
  float at = fmodf(x - low, 2.0f * wide);
  at += at < 0.0f ? 2.0f * wide : 0.0f;
  *speed = at > wide ? -*speed : *speed;
  return low + (at > wide ? 2.0f * wide - at : at);
}

static void move_in_walls(const particle_forces_t *f, particle_motion_t *m, float ax, float ay) {
  float r = m->radius, along = m->age, floor = f->bottom - r;
  bool box = f->walls == PARTICLES_BOX;
  if (ay > 0.0f)
    along = move_vertically(f, m, ay, floor);
  else
    m->y += m->begin_y * drag_free_time(f->drag, m->age) + ay * distance_from_rest(f->drag, m->age);
  m->x += m->begin_x * drag_free_time(f->drag, along) + ax * distance_from_rest(f->drag, along);
  m->vx =
      m->moving_s < m->age ? 0.0f : m->begin_x * speed_fraction(f->drag, along) + ax * drag_free_time(f->drag, along);
  if (!box)
    return;
  m->x = reflect_between(m->x, f->left + r, f->right - r, &m->vx);
  m->y = reflect_between(m->y, f->top + r, fmaxf(floor, f->top + r), &m->vy);
}

static void move_freely(const particle_forces_t *f, particle_motion_t *m, float ax, float ay) {
  float k = f->drag, part = m->age > 0.0f ? drag_free_time(k, m->age) / m->age : 1.0f;
  m->x += m->way_x * part + ax * distance_from_rest(k, m->age) - m->middle_x;
  m->y += m->way_y * part + ay * distance_from_rest(k, m->age) - m->middle_y;
  m->vx = m->vx * speed_fraction(k, m->age) + ax * drag_free_time(k, m->age);
  m->vy = m->vy * speed_fraction(k, m->age) + ay * drag_free_time(k, m->age);
  float near = expf(-f->pull * m->age), c = cosf(f->swirl * m->age) * near, s = sinf(f->swirl * m->age) * near;
  float x = m->x, y = m->y, vx = m->vx, vy = m->vy;
  m->x = c * x - s * y;
  m->y = s * x + c * y;
  m->vx = c * vx - s * vy - f->swirl * m->y - f->pull * m->x;
  m->vy = s * vx + c * vy + f->swirl * m->x - f->pull * m->y;
  m->x += m->middle_x;
  m->y += m->middle_y;
}

void forces_move_particle(const particle_forces_t *f, particle_motion_t *m) {
  shoal_assert(forces_are_valid(f), "forces contain invalid numbers");
  m->moving_s = m->age;
  if (f->walls == PARTICLES_FREE)
    move_freely(f, m, m->gravity_x + f->drag * f->wind_x, m->gravity_y + f->drag * f->wind_y);
  else
    move_in_walls(f, m, m->gravity_x + f->drag * f->wind_x, m->gravity_y + f->drag * f->wind_y);
}
