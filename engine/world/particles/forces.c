// The component emitter_forces, and the motion of particles under its forces. Drag reduces a speed v to v · e^(-k·t).
// The distance covered in t seconds therefore equals the distance covered without drag in (1 - e^(-k·t)) / k seconds.
// Vertical motion is computed from bounce to bounce; horizontal motion is folded between the walls.
#include "particles/forces.h"

#include "base/assert.h"
#include "components/builtin.h"

#include <math.h>
#include <string.h>

#define MAX_BOUNCES 12u
#define REST_SPEED 14.0f // speed in pixels per second; particles that bounce off the floor more slowly come to rest
#define MIN_DRAG 1e-3f   // minimum drag; lower drag is ignored
#define MAX_COORDINATE 1e7f

// clang-format off
#define EMITTER_FORCES_FIELDS(F)                                                                                       \
  F(f32, drag, 0, .unit = "1/s", .doc = "how fast particles lose speed")                                               \
  F(f32, wind_x, 0, .unit = "px/s", .doc = "wind speed that drag accelerates particles to")                            \
  F(f32, wind_y, 0, .unit = "px/s")                                                                                    \
  F(f32, pull, 0, .unit = "1/s", .doc = "attraction to the emitter; negative repels")                                  \
  F(f32, swirl, 0, .unit = "rad/s", .doc = "angular speed around the emitter")                                         \
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

// Returns the number clamped to [min, max]. NaN and infinity count as 0.
static float clamp(float x, float min, float max) {
  return isfinite(x) ? fminf(fmaxf(x, min), max) : fminf(fmaxf(0.0f, min), max);
}

static uint32_t find_enabled_row(world_o *w, const manager_o *m, shoal_entity e) {
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  return row != ROW_NONE && world_is_disabled(w, e, m->id) ? ROW_NONE : row;
}

bool forces_read(world_o *w, shoal_entity entity, particle_forces_t *out) {
  const manager_o *manager = builtin_find(w, "emitter_forces");
  uint32_t row = manager && manager->count > 0 ? find_enabled_row(w, manager, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  emitter_forces_columns columns = emitter_forces_columns_of(manager);
  *out = (particle_forces_t){.drag = clamp(columns.drag[row], 0, 1000),
                             .wind_x = clamp(columns.wind_x[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .wind_y = clamp(columns.wind_y[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .pull = clamp(columns.pull[row], -100, 1000),
                             .swirl = clamp(columns.swirl[row], -1000, 1000),
                             .walls = columns.walls[row] <= PARTICLES_BOX ? columns.walls[row] : PARTICLES_FREE,
                             .left = clamp(columns.left[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .top = clamp(columns.top[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .right = clamp(columns.right[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .bottom = clamp(columns.bottom[row], -MAX_COORDINATE, MAX_COORDINATE),
                             .bounce = clamp(columns.bounce[row], 0, 1),
                             .slide = clamp(columns.slide[row], 0, 1)};
  return true;
}

bool forces_are_valid(const particle_forces_t *f) {
  return f->drag >= 0 && f->drag <= 1000 && isfinite(f->wind_x + f->wind_y + f->left + f->top + f->right + f->bottom) &&
         f->pull >= -100 && f->pull <= 1000 && fabsf(f->swirl) <= 1000 && f->walls <= PARTICLES_BOX && f->bounce >= 0 &&
         f->bounce <= 1 && f->slide >= 0 && f->slide <= 1;
}

const char *forces_find_invalid_field(world_o *w, shoal_entity entity) {
  const manager_o *manager = builtin_find(w, "emitter_forces");
  uint32_t row = manager && manager->count > 0 ? find_enabled_row(w, manager, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return NULL;
  emitter_forces_columns columns = emitter_forces_columns_of(manager);
  if (!(columns.drag[row] >= 0 && columns.drag[row] <= 1000))
    return "drag must be from 0 to 1000";
  if (!isfinite(columns.wind_x[row] + columns.wind_y[row] + columns.pull[row] + columns.swirl[row]))
    return "wind_x, wind_y, pull and swirl must be finite (NaN and infinity are replaced by 0)";
  if (!(columns.bounce[row] >= 0 && columns.bounce[row] <= 1 && columns.slide[row] >= 0 && columns.slide[row] <= 1))
    return "bounce and slide must be from 0 to 1";
  if (!isfinite(columns.left[row] + columns.top[row] + columns.right[row] + columns.bottom[row]))
    return "left, top, right and bottom must be finite (NaN and infinity are replaced by 0)";
  if (columns.walls[row] == PARTICLES_BOX &&
      !(columns.right[row] > columns.left[row] && columns.bottom[row] > columns.top[row]))
    return "walls: left must be less than right, and top less than bottom";
  return NULL;
}

// --- motion

// Returns the time, in seconds, in which a particle without drag covers the distance that a particle with drag
// `drag_factor` covers in `time_s` seconds.
static float drag_free_time(float drag_factor, float time_s) {
  return drag_factor > MIN_DRAG ? (1.0f - expf(-drag_factor * time_s)) / drag_factor : time_s;
}

// Returns the distance covered from rest in `time_s` seconds, with an acceleration of 1 and drag `drag_factor`.
static float distance_from_rest(float drag_factor, float time_s) {
  return drag_factor > MIN_DRAG ? (time_s - drag_free_time(drag_factor, time_s)) / drag_factor : 0.5f * time_s * time_s;
}

static float speed_fraction(float drag_factor, float time_s) {
  return drag_factor > MIN_DRAG ? expf(-drag_factor * time_s) : 1.0f;
}

// Returns the time, in seconds, in which a particle with initial speed `initial_speed`, acceleration `acceleration` and
// drag `drag_factor` moves by `distance` (at least 0), or INFINITY if `acceleration` is not positive.
static float time_to_distance(float initial_speed, float acceleration, float drag_factor, float distance) {
  float discriminant = initial_speed * initial_speed + 2.0f * acceleration * distance;
  if (!(acceleration > 0.0f))
    return INFINITY;
  float time_s = (sqrtf(fmaxf(discriminant, 0.0f)) - initial_speed) / acceleration;
  for (int i = 0; i < 5 && drag_factor > MIN_DRAG; ++i) {
    float current_speed =
        initial_speed * speed_fraction(drag_factor, time_s) + acceleration * drag_free_time(drag_factor, time_s);
    if (!(current_speed > 1e-3f))
      time_s = time_s * 1.5f + 0.01f;
    else
      time_s -= (initial_speed * drag_free_time(drag_factor, time_s) +
                 acceleration * distance_from_rest(drag_factor, time_s) - distance) /
                current_speed;
    time_s = fmaxf(time_s, 0.0f);
  }
  return time_s;
}

// Moves a particle vertically above a floor, with bounces. Returns the time, in seconds, in which a particle without
// bounces covers the same horizontal distance: each bounce also reduces the horizontal speed.
static float move_vertically(const particle_forces_t *forces, particle_motion_t *motion, float acceleration,
                             float floor) {
  float drag_factor = forces->drag, y = fminf(motion->y, floor), speed = motion->initial_vy, remaining_s = motion->age,
        travel_s = 0.0f, slide_factor = 1.0f;
  for (uint32_t i = 0; i < MAX_BOUNCES; ++i) {
    float t = time_to_distance(speed, acceleration, drag_factor, floor - y);
    if (!(t < remaining_s)) {
      motion->y = fminf(y + speed * drag_free_time(drag_factor, remaining_s) +
                            acceleration * distance_from_rest(drag_factor, remaining_s),
                        floor);
      motion->vy =
          speed * speed_fraction(drag_factor, remaining_s) + acceleration * drag_free_time(drag_factor, remaining_s);
      motion->moving_s = motion->age;
      return travel_s + slide_factor * remaining_s;
    }
    remaining_s -= t;
    travel_s += slide_factor * t;
    speed = -(speed * speed_fraction(drag_factor, t) + acceleration * drag_free_time(drag_factor, t)) * forces->bounce;
    y = floor;
    slide_factor *= forces->slide;
    if (-speed < REST_SPEED)
      break;
  }
  motion->y = floor;
  motion->vy = 0.0f;
  motion->moving_s = motion->age - remaining_s;
  return travel_s;
}

// Returns `x` reflected at the walls `low` and `high` as often as necessary, and sets the sign of `speed` accordingly.
static float reflect_between(float x, float low, float high, float *speed) {
  float width = high - low;
  if (!(width > 0.0f))
    return fminf(fmaxf(x, high), low);
  float offset = fmodf(x - low, 2.0f * width);
  offset += offset < 0.0f ? 2.0f * width : 0.0f;
  *speed = offset > width ? -*speed : *speed;
  return low + (offset > width ? 2.0f * width - offset : offset);
}

static void move_in_walls(const particle_forces_t *forces, particle_motion_t *motion, float ax, float ay) {
  float radius = motion->radius, travel_s = motion->age, floor = forces->bottom - radius;
  bool has_sides = forces->walls == PARTICLES_BOX;
  if (ay > 0.0f)
    travel_s = move_vertically(forces, motion, ay, floor);
  else
    motion->y += motion->initial_vy * drag_free_time(forces->drag, motion->age) +
                 ay * distance_from_rest(forces->drag, motion->age);
  motion->x +=
      motion->initial_vx * drag_free_time(forces->drag, travel_s) + ax * distance_from_rest(forces->drag, travel_s);
  motion->vx = motion->moving_s < motion->age ? 0.0f
                                              : motion->initial_vx * speed_fraction(forces->drag, travel_s) +
                                                    ax * drag_free_time(forces->drag, travel_s);
  if (!has_sides)
    return;
  motion->x = reflect_between(motion->x, forces->left + radius, forces->right - radius, &motion->vx);
  motion->y = reflect_between(motion->y, forces->top + radius, fmaxf(floor, forces->top + radius), &motion->vy);
}

static void move_freely(const particle_forces_t *forces, particle_motion_t *motion, float ax, float ay) {
  float drag_factor = forces->drag,
        time_ratio = motion->age > 0.0f ? drag_free_time(drag_factor, motion->age) / motion->age : 1.0f;
  motion->x +=
      motion->displacement_x * time_ratio + ax * distance_from_rest(drag_factor, motion->age) - motion->centre_x;
  motion->y +=
      motion->displacement_y * time_ratio + ay * distance_from_rest(drag_factor, motion->age) - motion->centre_y;
  motion->vx = motion->vx * speed_fraction(drag_factor, motion->age) + ax * drag_free_time(drag_factor, motion->age);
  motion->vy = motion->vy * speed_fraction(drag_factor, motion->age) + ay * drag_free_time(drag_factor, motion->age);
  float attraction = expf(-forces->pull * motion->age), cosine = cosf(forces->swirl * motion->age) * attraction,
        sine = sinf(forces->swirl * motion->age) * attraction;
  float x = motion->x, y = motion->y, vx = motion->vx, vy = motion->vy;
  motion->x = cosine * x - sine * y;
  motion->y = sine * x + cosine * y;
  motion->vx = cosine * vx - sine * vy - forces->swirl * motion->y - forces->pull * motion->x;
  motion->vy = sine * vx + cosine * vy + forces->swirl * motion->x - forces->pull * motion->y;
  motion->x += motion->centre_x;
  motion->y += motion->centre_y;
}

void forces_move_particle(const particle_forces_t *f, particle_motion_t *m) {
  shoal_assert(forces_are_valid(f), "forces contain invalid numbers");
  m->moving_s = m->age;
  if (f->walls == PARTICLES_FREE)
    move_freely(f, m, m->gravity_x + f->drag * f->wind_x, m->gravity_y + f->drag * f->wind_y);
  else
    move_in_walls(f, m, m->gravity_x + f->drag * f->wind_x, m->gravity_y + f->drag * f->wind_y);
}
