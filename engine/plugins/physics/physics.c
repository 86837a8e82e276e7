// The physics plugin: components for rigid bodies, colliders and joints, one step of the space per tick, events for
// contacts, and functions for rays and searches. The rows are authoritative: the space (space.h) is updated from them
// before a step, and the results are written back.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "space.h"

#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

// `x`, `y` and `angle` are the values of the transform before they were rounded to 32-bit floats. Writing to the
// transform moves the body.
#define RIGID_BODY_FIELDS(F)                                                                                           \
  F(enum, kind, "dynamic kinematic static", .doc = "kinematic: moves by its velocity and pushes, but is not pushed")   \
  F(f32, mass, 1)                                                                                                      \
  F(f32, moment, 0, .doc = "moment of inertia; 0 computes it from the colliders")                                      \
  F(bool, fixed_rotation, 0)                                                                                           \
  F(f32, gravity, 1, .doc = "factor on the world's gravity")                                                           \
  F(f32, damping, 0, .doc = "fraction of the velocity lost per second")                                                \
  F(f64, vx, 0, .unit = "px/s")                                                                                        \
  F(f64, vy, 0, .unit = "px/s")                                                                                        \
  F(f64, spin, 0, .unit = "rad/s")                                                                                     \
  F(f64, force_x, 0, .doc = "force for the next step, which resets it to 0")                                           \
  F(f64, force_y, 0, .doc = "force for the next step, which resets it to 0")                                           \
  F(f64, torque, 0, .doc = "torque for the next step, which resets it to 0")                                           \
  F(f64, x, 0, .flags = SHOAL_HIDDEN)                                                                                  \
  F(f64, y, 0, .flags = SHOAL_HIDDEN)                                                                                  \
  F(f64, angle, 0, .flags = SHOAL_HIDDEN)                                                                              \
  F(f64, bias_x, 0, .flags = SHOAL_HIDDEN)                                                                             \
  F(f64, bias_y, 0, .flags = SHOAL_HIDDEN)                                                                             \
  F(f64, bias_spin, 0, .flags = SHOAL_HIDDEN)

#define COLLIDER_FIELDS(F)                                                                                             \
  F(enum, kind, "circle box polygon segment")                                                                          \
  F(f32, radius, 10, .unit = "px", .doc = "radius of a circle")                                                        \
  F(f32, width, 20, .unit = "px", .doc = "width of a box, or of a segment without points")                             \
  F(f32, height, 20, .unit = "px", .doc = "height of a box")                                                           \
  F(f32, corner, 0, .unit = "px", .doc = "radius of the corners; half the thickness of a segment")                     \
  F(string, points, "", .doc = "points of a polygon (convex hull) or segment: x,y x,y …")                              \
  F(f32, offset_x, 0, .unit = "px")                                                                                    \
  F(f32, offset_y, 0, .unit = "px")                                                                                    \
  F(f32, turn, 0, .unit = "rad")                                                                                       \
  F(f32, friction, 0.6f)                                                                                               \
  F(f32, bounce, 0.1f)                                                                                                 \
  F(f32, surface_x, 0, .doc = "speed of the surface, as on a conveyor belt")                                           \
  F(f32, surface_y, 0)                                                                                                 \
  F(bool, sensor, 0, .doc = "reports contacts without stopping bodies")                                                \
  F(bool, enabled, 1)                                                                                                  \
  F(u32, category, 1)                                                                                                  \
  F(u32, mask, 4294967295.0)                                                                                           \
  F(u32, group, 0, .doc = "colliders of the same group except 0 do not collide")

#define JOINT_FIELDS(F)                                                                                                \
  F(enum, kind, "pivot pin slide spring groove turn_spring turn_limit gear motor")                                     \
  F(entity, a)                                                                                                         \
  F(entity, b, .doc = "second body; shoal.none: the world")                                                            \
  F(f32, ax, 0, .doc = "anchor, in the space of a")                                                                    \
  F(f32, ay, 0)                                                                                                        \
  F(f32, bx, 0, .doc = "anchor, in the space of b")                                                                    \
  F(f32, by, 0)                                                                                                        \
  F(f32, length, -1, .doc = "length of a pin or spring (-1: current distance); rest angle of a turn_spring; phase")    \
  F(f32, min, 0)                                                                                                       \
  F(f32, max, 0, .doc = "a groove extends from a's anchor to (min, max)")                                              \
  F(f32, stiffness, 100)                                                                                               \
  F(f32, damping, 1)                                                                                                   \
  F(f32, ratio, 1)                                                                                                     \
  F(f32, rate, 0, .unit = "rad/s")                                                                                     \
  F(f32, max_force, 0, .doc = "0: no limit")                                                                           \
  F(bool, collide, 0)                                                                                                  \
  F(f64, impulse_x, 0, .flags = SHOAL_HIDDEN)                                                                          \
  F(f64, impulse_y, 0, .flags = SHOAL_HIDDEN)

#define PHYSICS_FIELDS(F)                                                                                              \
  F(bool, enabled, 1)                                                                                                  \
  F(f32, gravity_x, 0, .unit = "px/s²")                                                                                \
  F(f32, gravity_y, 600, .unit = "px/s²")                                                                              \
  F(f32, damping, 0, .doc = "fraction of every velocity lost per second")                                              \
  F(u32, iterations, 10)

#define CONTACT_BEGIN_FIELDS(F)                                                                                        \
  F(entity, a)                                                                                                         \
  F(entity, b)                                                                                                         \
  F(f32, x, 0)                                                                                                         \
  F(f32, y, 0)                                                                                                         \
  F(f32, nx, 0, .doc = "normal, from a to b")                                                                          \
  F(f32, ny, 0)                                                                                                        \
  F(f32, depth, 0)                                                                                                     \
  F(f32, speed, 0, .unit = "px/s", .doc = "approach speed along the normal")                                           \
  F(f32, impulse, 0)                                                                                                   \
  F(bool, sensor, 0)

#define CONTACT_END_FIELDS(F)                                                                                          \
  F(entity, a, .doc = "may have been destroyed")                                                                       \
  F(entity, b)                                                                                                         \
  F(bool, sensor, 0)

static const shoal_manager CONTACTS; // manager of the impulses of contacts, which have no columns

// Only these fields are declared, because reading `world` would compute matrices.
#define TRANSFORM_FIELDS(F)                                                                                            \
  F(f32, x, 0) F(f32, y, 0) F(f32, angle, 0) F(f32, scale_x, 1) F(f32, scale_y, 1) F(entity, parent)

SHOAL_COMPONENT(transform, TRANSFORM_FIELDS)
SHOAL_COMPONENT(rigid_body, RIGID_BODY_FIELDS)
SHOAL_COMPONENT_WITH_MANAGER(collider, COLLIDER_FIELDS, &CONTACTS)
SHOAL_COMPONENT(joint, JOINT_FIELDS)
SHOAL_SINGLE(physics, PHYSICS_FIELDS)
SHOAL_EVENT(contact_begin, CONTACT_BEGIN_FIELDS)
SHOAL_EVENT(contact_end, CONTACT_END_FIELDS)

typedef struct physics_t {
  space_o *space;
  uint32_t attached;
  bool synced; // true if the space was updated from the rows in this tick
  space_body_t *bodies;
  uint32_t body_capacity;
  space_collider_t *colliders;
  uint32_t collider_count, collider_capacity;
  space_joint_t *joints;
  uint32_t joint_capacity;
  uint32_t *rows, *body_rows; // scratch memory
  uint32_t row_capacity, body_row_capacity;
  // Enabled rows at the last sync. All other rows are missing from the space.
  enabled_rows_t shown_bodies, shown_colliders, shown_joints;
  space_hit_t *hits;
  uint32_t hit_capacity;
  uint32_t *found_entities;
  uint32_t result_capacity;
} physics_t;

static physics_t *get_physics(shoal_context *c) {
  return shoal_manager_data(c, &collider_component);
}

// --- rows → space descriptions

// Returns the position of a transform: `exact` if the transform still contains its rounded value, otherwise `rounded`.
static double get_exact_position(float rounded, double exact) {
  return (float)exact == rounded ? exact : (double)rounded;
}

static void gather_bodies(shoal_context *c, physics_t *physics, shoal_rows rows) {
  shoal_world *w = shoal_get_world(c);
  const rigid_body_columns *columns = SHOAL_ROWS_COLUMNS(rows, rigid_body);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&physics->shown_bodies, c, &rigid_body_component);
  GROW(physics->bodies, physics->body_capacity, physics->shown_bodies.count);
  GROW(physics->rows, physics->row_capacity, rows.count);
  shoal_find_rows(w, &transform_component, rows.entities, rows.count, physics->rows);
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = physics->rows[i], index = enabled_rows_index(&physics->shown_bodies, i);
    bool has_transform = row != SHOAL_NO_ROW;
    if (index == SHOAL_NO_ROW)
      continue;
    physics->bodies[index] = (space_body_t){
        .entity = rows.entities[i],
        .kind = columns->kind[i],
        .fixed_rotation = columns->fixed_rotation[i],
        .mass = columns->mass[i],
        .moment = columns->moment[i],
        .gravity = columns->gravity[i],
        .damping = columns->damping[i],
        .x = has_transform ? get_exact_position(transforms->x[row], columns->x[i]) : columns->x[i],
        .y = has_transform ? get_exact_position(transforms->y[row], columns->y[i]) : columns->y[i],
        .angle = has_transform ? get_exact_position(transforms->angle[row], columns->angle[i]) : columns->angle[i],
        .vx = columns->vx[i],
        .vy = columns->vy[i],
        .spin = columns->spin[i],
        .force_x = columns->force_x[i],
        .force_y = columns->force_y[i],
        .torque = columns->torque[i],
        .bias_x = columns->bias_x[i],
        .bias_y = columns->bias_y[i],
        .bias_spin = columns->bias_spin[i],
    };
  }
}

// Returns the body of an entity, or NULL if the space does not contain it.
static const space_body_t *find_body(shoal_context *c, const physics_t *physics, shoal_entity e) {
  uint32_t row = e ? shoal_find_row(shoal_get_world(c), &rigid_body_component, e) : SHOAL_NO_ROW;
  uint32_t index = enabled_rows_index(&physics->shown_bodies, row);
  return index == SHOAL_NO_ROW ? NULL : &physics->bodies[index];
}

// Converts a collider's position, angle and scale from the space of row `row` to the space of the nearest ancestor with
// a body, or to world space. Returns the entity of the body, or 0 for the world.
static shoal_entity move_to_body_space(shoal_context *c, const physics_t *physics, const transform_columns *transforms,
                                       uint32_t row, space_collider_t *collider) {
  // Limits the depth, because parents may form cycles until transforms are next updated.
  for (int depth = 0; depth < 64; ++depth) {
    double sin_a = shoal_sin((double)transforms->angle[row]), cos_a = shoal_cos((double)transforms->angle[row]);
    double x = collider->x, y = collider->y;
    collider->x = (double)transforms->x[row] + x * cos_a - y * sin_a;
    collider->y = (double)transforms->y[row] + x * sin_a + y * cos_a;
    collider->angle += (double)transforms->angle[row];
    shoal_entity parent = transforms->parent[row];
    row = parent ? shoal_find_row(shoal_get_world(c), &transform_component, parent) : SHOAL_NO_ROW;
    if (row == SHOAL_NO_ROW)
      return 0;
    collider->x *= (double)transforms->scale_x[row];
    collider->y *= (double)transforms->scale_y[row];
    collider->scale_x *= transforms->scale_x[row];
    collider->scale_y *= transforms->scale_y[row];
    if (find_body(c, physics, parent))
      return parent;
  }
  return 0;
}

static void place_collider(shoal_context *c, const physics_t *physics, const transform_columns *transforms,
                           uint32_t row, bool has_body, space_collider_t *collider) {
  if (row == SHOAL_NO_ROW) {
    collider->body = has_body ? collider->entity : 0;
    return;
  }
  collider->scale_x = transforms->scale_x[row];
  collider->scale_y = transforms->scale_y[row];
  collider->x *= (double)transforms->scale_x[row];
  collider->y *= (double)transforms->scale_y[row];
  collider->body = has_body ? collider->entity : move_to_body_space(c, physics, transforms, row, collider);
}

static void gather_colliders(shoal_context *c, physics_t *physics) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows rows = shoal_get_rows(w, &collider_component);
  const collider_columns *columns = SHOAL_ROWS_COLUMNS(rows, collider);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&physics->shown_colliders, c, &collider_component);
  GROW(physics->colliders, physics->collider_capacity, rows.count);
  GROW(physics->rows, physics->row_capacity, rows.count);
  GROW(physics->body_rows, physics->body_row_capacity, rows.count);
  shoal_find_rows(w, &transform_component, rows.entities, rows.count, physics->rows);
  shoal_find_rows(w, &rigid_body_component, rows.entities, rows.count, physics->body_rows);
  physics->collider_count = 0;
  for (uint32_t i = 0; i < rows.count; ++i) {
    if (!columns->enabled[i] || enabled_rows_index(&physics->shown_colliders, i) == SHOAL_NO_ROW)
      continue;
    bool has_points = columns->kind[i] == COLLIDER_POLYGON || columns->kind[i] == COLLIDER_SEGMENT;
    const char *points = has_points ? shoal_string(w, columns->points[i]) : "";
    space_collider_t *target = &physics->colliders[physics->collider_count++];
    *target = (space_collider_t){
        .entity = rows.entities[i],
        .kind = columns->kind[i],
        .sensor = columns->sensor[i],
        .x = (double)columns->offset_x[i],
        .y = (double)columns->offset_y[i],
        .angle = (double)columns->turn[i],
        .radius = columns->kind[i] == COLLIDER_CIRCLE ? columns->radius[i] : columns->corner[i],
        .width = columns->width[i],
        .height = columns->height[i],
        .friction = columns->friction[i],
        .bounce = columns->bounce[i],
        .surface_x = columns->surface_x[i],
        .surface_y = columns->surface_y[i],
        .category = columns->category[i],
        .mask = columns->mask[i],
        .group = columns->group[i],
        .scale_x = 1,
        .scale_y = 1,
        .points = points[0] ? points : NULL,
    };
    bool has_body = enabled_rows_index(&physics->shown_bodies, physics->body_rows[i]) != SHOAL_NO_ROW;
    place_collider(c, physics, transforms, physics->rows[i], has_body, target);
  }
}

static void compute_anchor(const space_body_t *body, float x, float y, double out[2]) {
  double sin_a = body ? shoal_sin(body->angle) : 0, cos_a = body ? shoal_cos(body->angle) : 1;
  out[0] = (body ? body->x : 0) + (double)x * cos_a - (double)y * sin_a;
  out[1] = (body ? body->y : 0) + (double)x * sin_a + (double)y * cos_a;
}

static bool is_hidden(shoal_context *c, shoal_entity entity, const space_body_t *body) {
  return !body && entity && shoal_find_row(shoal_get_world(c), &rigid_body_component, entity) != SHOAL_NO_ROW;
}

// Replaces a negative length permanently with the current distance between the anchors. Does so as soon as both bodies
// are in the space.
static void resolve_joint_length(shoal_context *c, const physics_t *physics, const joint_columns *joints, uint32_t i) {
  double anchor_a[2], anchor_b[2];
  if (joints->length[i] >= 0 || (joints->kind[i] != JOINT_PIN && joints->kind[i] != JOINT_SPRING))
    return;
  const space_body_t *body_a = find_body(c, physics, joints->a[i]), *body_b = find_body(c, physics, joints->b[i]);
  if (is_hidden(c, joints->a[i], body_a) || is_hidden(c, joints->b[i], body_b))
    return;
  compute_anchor(body_a, joints->ax[i], joints->ay[i], anchor_a);
  compute_anchor(body_b, joints->bx[i], joints->by[i], anchor_b);
  joints->length[i] = (float)shoal_hypot(anchor_b[0] - anchor_a[0], anchor_b[1] - anchor_a[1]);
}

static void gather_joints(physics_t *physics, shoal_rows rows) {
  const joint_columns *columns = SHOAL_ROWS_COLUMNS(rows, joint);
  GROW(physics->joints, physics->joint_capacity, physics->shown_joints.count);
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t index = enabled_rows_index(&physics->shown_joints, i);
    if (index == SHOAL_NO_ROW)
      continue;
    physics->joints[index] = (space_joint_t){
        .entity = rows.entities[i],
        .kind = columns->kind[i],
        .collide = columns->collide[i],
        .a = columns->a[i],
        .b = columns->b[i],
        .ax = columns->ax[i],
        .ay = columns->ay[i],
        .bx = columns->bx[i],
        .by = columns->by[i],
        .length = columns->length[i] < 0 && columns->kind[i] <= JOINT_SPRING ? 0 : columns->length[i],
        .min = columns->min[i],
        .max = columns->max[i],
        .stiffness = columns->stiffness[i],
        .damping = columns->damping[i],
        .ratio = columns->ratio[i],
        .rate = columns->rate[i],
        .max_force = columns->max_force[i],
        .impulse_x = columns->impulse_x[i],
        .impulse_y = columns->impulse_y[i],
    };
  }
}

// Updates the space from the rows. Only a step may measure lengths (`measure_lengths`), because searches must not
// change the world.
static void sync_space(shoal_context *c, physics_t *physics, bool measure_lengths) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows bodies = shoal_get_rows(w, &rigid_body_component), joints = shoal_get_rows(w, &joint_component);
  gather_bodies(c, physics, bodies);
  gather_colliders(c, physics);
  enabled_rows_read(&physics->shown_joints, c, &joint_component);
  for (uint32_t i = 0; measure_lengths && i < joints.count; ++i)
    if (enabled_rows_index(&physics->shown_joints, i) != SHOAL_NO_ROW)
      resolve_joint_length(c, physics, SHOAL_ROWS_COLUMNS(joints, joint), i);
  gather_joints(physics, joints);
  space_sync(physics->space, physics->bodies, physics->shown_bodies.count, physics->colliders, physics->collider_count,
             physics->joints, physics->shown_joints.count);
  physics->synced = true;
}

// --- writing back

static void scatter_bodies(shoal_context *c, physics_t *physics, shoal_rows rows) {
  shoal_world *w = shoal_get_world(c);
  const rigid_body_columns *columns = SHOAL_ROWS_COLUMNS(rows, rigid_body);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  GROW(physics->rows, physics->row_capacity, rows.count);
  shoal_find_rows(w, &transform_component, rows.entities, rows.count, physics->rows);
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = physics->rows[i], index = enabled_rows_index(&physics->shown_bodies, i);
    if (index == SHOAL_NO_ROW)
      continue;
    const space_body_t *body = &physics->bodies[index];
    columns->x[i] = body->x;
    columns->y[i] = body->y;
    columns->angle[i] = body->angle;
    columns->vx[i] = body->vx;
    columns->vy[i] = body->vy;
    columns->spin[i] = body->spin;
    columns->bias_x[i] = body->bias_x;
    columns->bias_y[i] = body->bias_y;
    columns->bias_spin[i] = body->bias_spin;
    columns->force_x[i] = columns->force_y[i] = columns->torque[i] = 0;
    if (row == SHOAL_NO_ROW)
      continue;
    transforms->x[row] = (float)body->x;
    transforms->y[row] = (float)body->y;
    transforms->angle[row] = (float)body->angle;
  }
}

static void emit_contacts(shoal_context *c, const physics_t *physics) {
  shoal_world *w = shoal_get_world(c);
  uint32_t count, begin_count = 0;
  const space_contact_t *contacts = space_contacts(physics->space, &count);
  while (begin_count < count && contacts[begin_count].begins)
    ++begin_count;
  if (begin_count > 0) {
    const contact_begin_columns *out = SHOAL_EMIT(w, contact_begin, begin_count);
    for (uint32_t i = 0; i < begin_count; ++i) {
      out->a[i] = contacts[i].a;
      out->b[i] = contacts[i].b;
      out->x[i] = contacts[i].x;
      out->y[i] = contacts[i].y;
      out->nx[i] = contacts[i].nx;
      out->ny[i] = contacts[i].ny;
      out->depth[i] = contacts[i].depth;
      out->speed[i] = contacts[i].speed;
      out->impulse[i] = contacts[i].impulse;
      out->sensor[i] = contacts[i].sensor;
    }
    shoal_emit_end(w, &contact_begin_component);
  }
  if (count > begin_count) {
    const contact_end_columns *out = SHOAL_EMIT(w, contact_end, count - begin_count);
    for (uint32_t i = 0; i < count - begin_count; ++i) {
      out->a[i] = contacts[begin_count + i].a;
      out->b[i] = contacts[begin_count + i].b;
      out->sensor[i] = contacts[begin_count + i].sensor;
    }
    shoal_emit_end(w, &contact_end_component);
  }
}

// --- systems

// Invalidates the space at the start of a tick, so that the first search always updates it, regardless of earlier
// searches. Results are therefore the same after a rewind.
static void invalidate_space(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  get_physics(c)->synced = false;
}

static void step(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v;
  physics_t *state = get_physics(c);
  const physics_columns *settings_columns = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &physics_component), physics);
  if (!settings_columns->enabled[0])
    return;
  shoal_rows bodies = shoal_get_rows(w, &rigid_body_component), joints = shoal_get_rows(w, &joint_component);
  sync_space(c, state, true);
  space_settings_t settings = {(double)settings_columns->gravity_x[0], (double)settings_columns->gravity_y[0],
                               (double)settings_columns->damping[0], settings_columns->iterations[0]};
  space_step(state->space, &settings, (double)dt_s, state->bodies, state->joints);
  scatter_bodies(c, state, bodies);
  const joint_columns *joint_rows = SHOAL_ROWS_COLUMNS(joints, joint);
  for (uint32_t i = 0; i < joints.count; ++i) {
    uint32_t index = enabled_rows_index(&state->shown_joints, i);
    if (index == SHOAL_NO_ROW)
      continue;
    joint_rows->impulse_x[i] = state->joints[index].impulse_x;
    joint_rows->impulse_y[i] = state->joints[index].impulse_y;
  }
  emit_contacts(c, state);
}

// --- the manager

static void *create(shoal_context *c) {
  physics_t *physics = shoal_realloc(c, NULL, 0, sizeof *physics);
  *physics = (physics_t){.space = space_create()};
  return physics;
}

static void destroy(shoal_context *c, void *self) {
  physics_t *physics = self;
  space_destroy(physics->space);
  free(physics->bodies);
  free(physics->colliders);
  free(physics->joints);
  free(physics->rows);
  free(physics->body_rows);
  free(physics->hits);
  free(physics->found_entities);
  enabled_rows_free(&physics->shown_bodies);
  enabled_rows_free(&physics->shown_colliders);
  enabled_rows_free(&physics->shown_joints);
  shoal_realloc(c, physics, sizeof *physics, 0);
}

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  ((physics_t *)self)->attached += count;
}

static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  ((physics_t *)self)->attached -= count;
}

static uint32_t count_attached(void *self) {
  return ((physics_t *)self)->attached;
}

typedef struct saved_header_t {
  uint32_t attached, padding;
} saved_header_t;

static size_t save_bytes(shoal_context *c, void *self) {
  (void)c;
  return sizeof(saved_header_t) + space_save_bytes(((physics_t *)self)->space);
}

static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  physics_t *physics = self;
  *(saved_header_t *)bytes = (saved_header_t){.attached = physics->attached};
  space_save(physics->space, (saved_header_t *)bytes + 1);
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c;
  physics_t *physics = self;
  saved_header_t header = {0};
  physics->attached = 0;
  physics->synced = false;
  space_load(physics->space, NULL, 0);
  if (size == 0)
    return true;
  if (size < sizeof header)
    return false;
  memcpy(&header, bytes, sizeof header);
  if (!space_load(physics->space, (const saved_header_t *)bytes + 1, size - sizeof header))
    return false;
  physics->attached = header.attached;
  return true;
}

static const shoal_manager CONTACTS = {
    .version = 1,
    .create = create,
    .destroy = destroy,
    .attach = attach,
    .detach = detach,
    .count = count_attached,
    .save_bytes = save_bytes,
    .save = save,
    .load = load,
};

// --- functions

static physics_t *get_synced_physics(shoal_context *c) {
  physics_t *physics = get_physics(c);
  if (!physics->synced)
    sync_space(c, physics, false);
  return physics;
}

static uint32_t to_mask(double number) {
  return number >= 0 && number < 4294967295.0 ? (uint32_t)number : UINT32_MAX;
}

static void script_ray(shoal_context *c, const shoal_value *in, shoal_value *out) {
  space_hit_t hit;
  space_cast_ray(get_synced_physics(c)->space, in[0].number, in[1].number, in[2].number, in[3].number, in[4].number,
                 to_mask(in[5].number), &hit);
  out[0].entity = hit.entity;
  out[1].number = (double)hit.x;
  out[2].number = (double)hit.y;
  out[3].number = (double)hit.nx;
  out[4].number = (double)hit.ny;
  out[5].number = (double)hit.part;
}

// Casts one ray for each element of the coordinate lists, up to the end of the shortest list. A ray without a hit
// returns its end.
static void script_rays(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *physics = get_synced_physics(c);
  uint32_t count = in[0].count;
  for (int i = 1; i < 4; ++i)
    count = in[i].count < count ? in[i].count : count;
  shoal_entity *entities = shoal_return_entities(c, &out[0], count);
  double *x = shoal_return_numbers(c, &out[1], count), *y = shoal_return_numbers(c, &out[2], count);
  double *part = shoal_return_numbers(c, &out[3], count);
  for (uint32_t i = 0; i < count; ++i) {
    space_hit_t hit;
    if (!space_cast_ray(physics->space, in[0].numbers[i], in[1].numbers[i], in[2].numbers[i], in[3].numbers[i], 0,
                        to_mask(in[4].number), &hit))
      hit = (space_hit_t){.x = (float)in[2].numbers[i], .y = (float)in[3].numbers[i], .part = 1};
    entities[i] = hit.entity;
    x[i] = (double)hit.x;
    y[i] = (double)hit.y;
    part[i] = (double)hit.part;
  }
}

static void script_near(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *physics = get_synced_physics(c);
  uint32_t mask = to_mask(in[3].number);
  uint32_t count = space_find_near(physics->space, in[0].number, in[1].number, in[2].number, mask, NULL, 0);
  GROW(physics->hits, physics->hit_capacity, count);
  space_find_near(physics->space, in[0].number, in[1].number, in[2].number, mask, physics->hits, count);
  shoal_entity *entities = shoal_return_entities(c, &out[0], count);
  double *distances = shoal_return_numbers(c, &out[1], count);
  for (uint32_t i = 0; i < count; ++i) {
    entities[i] = physics->hits[i].entity;
    distances[i] = (double)physics->hits[i].part;
  }
}

static void return_found_entities(shoal_context *c, const physics_t *physics, uint32_t count, shoal_value *out) {
  shoal_entity *entities = shoal_return_entities(c, out, count);
  if (count > 0)
    memcpy(entities, physics->found_entities, count * sizeof *entities);
}

static void script_in_box(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *physics = get_synced_physics(c);
  double left = in[0].number, top = in[1].number, right = in[2].number, bottom = in[3].number;
  uint32_t mask = to_mask(in[4].number),
           count = space_find_in_box(physics->space, left, top, right, bottom, mask, NULL, 0);
  GROW(physics->found_entities, physics->result_capacity, count);
  space_find_in_box(physics->space, left, top, right, bottom, mask, physics->found_entities, count);
  return_found_entities(c, physics, count, &out[0]);
}

static void script_touching(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *physics = get_synced_physics(c);
  uint32_t count = space_find_touching(physics->space, in[0].entity, NULL, 0);
  GROW(physics->found_entities, physics->result_capacity, count);
  space_find_touching(physics->space, in[0].entity, physics->found_entities, count);
  return_found_entities(c, physics, count, &out[0]);
}

static void script_push(shoal_context *c, const shoal_value *in, shoal_value *out) {
  shoal_world *w = shoal_get_world(c);
  uint32_t row = shoal_find_row(w, &rigid_body_component, in[0].entity);
  if (row == SHOAL_NO_ROW) {
    shoal_fail(c, "the entity has no rigid_body: add the component");
    return;
  }
  const rigid_body_columns *body = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &rigid_body_component), rigid_body);
  double mass = (double)body->mass[row];
  body->vx[row] += in[1].number / (mass > 0 ? mass : 1);
  body->vy[row] += in[2].number / (mass > 0 ? mass : 1);
  (void)out;
}

// --- cockpit panels

static void stop_bodies(shoal_context *c) {
  const shoal_rows bodies = shoal_get_rows(shoal_get_world(c), &rigid_body_component);
  const rigid_body_columns *columns = SHOAL_ROWS_COLUMNS(bodies, rigid_body);
  for (uint32_t i = 0; i < bodies.count; ++i)
    columns->vx[i] = columns->vy[i] = columns->spin[i] = 0;
}

static void draw_panel(shoal_context *c, shoal_entity picked) {
  shoal_world *w = shoal_get_world(c);
  const shoal_rows bodies = shoal_get_rows(w, &rigid_body_component);
  const rigid_body_columns *columns = SHOAL_ROWS_COLUMNS(bodies, rigid_body);
  double max_square = 0; // squared speed
  for (uint32_t i = 0; i < bodies.count; ++i) {
    double speed_square = columns->vx[i] * columns->vx[i] + columns->vy[i] * columns->vy[i];
    max_square = speed_square > max_square ? speed_square : max_square;
  }
  shoal_panel_value(c, "bodies", "%u", bodies.count);
  shoal_panel_value(c, "colliders", "%u", shoal_get_rows(w, &collider_component).count);
  shoal_panel_value(c, "joints", "%u", shoal_get_rows(w, &joint_component).count);
  shoal_panel_plot(c, "fastest, px/s", sqrt(max_square));
  shoal_panel_slider(c, "gravity x", 0, &physics_component, SHOAL_COLUMN_INDEX(physics, gravity_x), -1200, 1200);
  shoal_panel_slider(c, "gravity y", 0, &physics_component, SHOAL_COLUMN_INDEX(physics, gravity_y), -1200, 1200);
  shoal_panel_slider(c, "damping", 0, &physics_component, SHOAL_COLUMN_INDEX(physics, damping), 0, 1);
  shoal_panel_slider(c, "iterations", 0, &physics_component, SHOAL_COLUMN_INDEX(physics, iterations), 1, 40);
  if (picked)
    shoal_panel_slider(c, "mass of e", picked, &rigid_body_component, SHOAL_COLUMN_INDEX(rigid_body, mass), 0.1, 20);
  if (shoal_panel_button(c, "Stop all bodies"))
    stop_bodies(c);
}

#define RAY_ENDS "x1:number y1:number x2:number y2:number "

SHOAL_PLUGIN(
        .name = "physics", .version = 1, .doc = "rigid bodies, over Chipmunk2D",
        .components = SHOAL_COMPONENTS(rigid_body, collider, joint, physics, contact_begin, contact_end),
        .uses = SHOAL_COMPONENTS(transform), .panels = SHOAL_PANELS({.title = "Physics", .draw = draw_panel}),
        .systems =
            SHOAL_SYSTEMS({.name = "begin", .phase = SHOAL_PHASE_INPUT, .priority = -1000000, .run = invalidate_space},
                          {.name = "step",
                           .phase = SHOAL_PHASE_POST_UPDATE,
                           .before = {"shoal.transform"},
                           .priority = -1000,
                           .run = step}),
        .functions = SHOAL_FUNCTIONS(
            {.name = "ray",
             .parameters = RAY_ENDS "radius:number mask:number",
             .results = "entity:entity x:number y:number nx:number ny:number part:number",
             .doc =
                 "Returns the first collider hit by a ray with a width of 2 × radius; shoal.none if it hits nothing.",
             .pure = true,
             .call = script_ray},
            {.name = "rays",
             .parameters = "x1:number[] y1:number[] x2:number[] y2:number[] mask:number",
             .results = "entities:entity[] x:number[] y:number[] part:number[]",
             .doc = "Casts many rays; a ray that hits nothing returns its end, with part 1.",
             .pure = true,
             .call = script_rays},
            {.name = "near",
             .parameters = "x:number y:number radius:number mask:number",
             .results = "entities:entity[] distances:number[]",
             .doc = "Returns the colliders within a circle, nearest first.",
             .pure = true,
             .call = script_near},
            {.name = "in_box",
             .parameters = "left:number top:number right:number bottom:number mask:number",
             .results = "entities:entity[]",
             .doc = "Returns the colliders whose bounding boxes overlap a box.",
             .pure = true,
             .call = script_in_box},
            {.name = "touching",
             .parameters = "e:entity",
             .results = "entities:entity[]",
             .doc = "Returns the colliders that touched a collider in the last step.",
             .pure = true,
             .call = script_touching},
            {.name = "push",
             .parameters = "e:entity x:number y:number",
             .doc = "Applies an impulse: changes the velocity by impulse / mass.",
             .call = script_push}))
