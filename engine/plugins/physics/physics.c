// The physics plugin: components for rigid bodies, colliders and joints; one step of the space per tick; events for
// contacts; functions for rays and searches. The rows are authoritative: the space (space.h) is updated from them
// before a step, and the results are written back.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "space.h"

#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

// `x`, `y` and `angle` are the values of the transform before they were rounded. Writing to the transform moves the
// body.
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

static const shoal_manager CONTACTS; // stores the impulses of contacts, which have no columns

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
  // Enabled rows at the last sync; all other rows are missing from the space.
  enabled_rows_t shown_bodies, shown_colliders, shown_joints;
  space_hit_t *hits;
  uint32_t hit_capacity;
  uint32_t *found;
  uint32_t found_capacity;
} physics_t;

static physics_t *get_physics(shoal_context *c) {
  return shoal_manager_data(c, &collider_component);
}

// --- rows → space descriptions

// Returns the position of a transform: `exact` if the transform still contains its rounded value, otherwise `rounded`.
static double exact_position(float rounded, double exact) {
  return (float)exact == rounded ? exact : (double)rounded;
}

static void gather_bodies(shoal_context *c, physics_t *p, shoal_rows table) {
  shoal_world *w = shoal_get_world(c);
  const rigid_body_columns *in = SHOAL_ROWS_COLUMNS(table, rigid_body);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&p->shown_bodies, c, &rigid_body_component);
  GROW(p->bodies, p->body_capacity, p->shown_bodies.count);
  GROW(p->rows, p->row_capacity, table.count);
  shoal_find_rows(w, &transform_component, table.entities, table.count, p->rows);
  for (uint32_t i = 0; i < table.count; ++i) {
    uint32_t row = p->rows[i], number = enabled_rows_index(&p->shown_bodies, i);
    bool placed = row != SHOAL_NO_ROW;
    if (number == SHOAL_NO_ROW)
      continue;
    p->bodies[number] = (space_body_t){
        .entity = table.entities[i],
        .kind = in->kind[i],
        .fixed_rotation = in->fixed_rotation[i],
        .mass = in->mass[i],
        .moment = in->moment[i],
        .gravity = in->gravity[i],
        .damping = in->damping[i],
        .x = placed ? exact_position(t->x[row], in->x[i]) : in->x[i],
        .y = placed ? exact_position(t->y[row], in->y[i]) : in->y[i],
        .angle = placed ? exact_position(t->angle[row], in->angle[i]) : in->angle[i],
        .vx = in->vx[i],
        .vy = in->vy[i],
        .spin = in->spin[i],
        .force_x = in->force_x[i],
        .force_y = in->force_y[i],
        .torque = in->torque[i],
        .bias_x = in->bias_x[i],
        .bias_y = in->bias_y[i],
        .bias_spin = in->bias_spin[i],
    };
  }
}

// Returns the body of an entity, or NULL if the space does not contain it.
static const space_body_t *find_body(shoal_context *c, const physics_t *p, shoal_entity e) {
  uint32_t row = e ? shoal_find_row(shoal_get_world(c), &rigid_body_component, e) : SHOAL_NO_ROW;
  uint32_t number = enabled_rows_index(&p->shown_bodies, row);
  return number == SHOAL_NO_ROW ? NULL : &p->bodies[number];
}

// Converts a collider's position, angle and scale from the space of row `at` to the space of the nearest ancestor with
// a body, or to world space. Returns the entity of the body, or 0 for the world.
static shoal_entity move_to_body_space(shoal_context *c, const physics_t *p, const transform_columns *t, uint32_t at,
                                       space_collider_t *to) {
  // Depth is limited, because cycles may exist until transforms are next updated.
  for (int depth = 0; depth < 64; ++depth) {
    double sin_a = shoal_sin((double)t->angle[at]), cos_a = shoal_cos((double)t->angle[at]);
    double x = to->x, y = to->y;
    to->x = (double)t->x[at] + x * cos_a - y * sin_a;
    to->y = (double)t->y[at] + x * sin_a + y * cos_a;
    to->angle += (double)t->angle[at];
    shoal_entity parent = t->parent[at];
    at = parent ? shoal_find_row(shoal_get_world(c), &transform_component, parent) : SHOAL_NO_ROW;
    if (at == SHOAL_NO_ROW)
      return 0;
    to->x *= (double)t->scale_x[at];
    to->y *= (double)t->scale_y[at];
    to->scale_x *= t->scale_x[at];
    to->scale_y *= t->scale_y[at];
    if (find_body(c, p, parent))
      return parent;
  }
  return 0;
}

static void place_collider(shoal_context *c, const physics_t *p, const transform_columns *t, uint32_t row,
                           bool has_body, space_collider_t *to) {
  if (row == SHOAL_NO_ROW) {
    to->body = has_body ? to->entity : 0;
    return;
  }
  to->scale_x = t->scale_x[row];
  to->scale_y = t->scale_y[row];
  to->x *= (double)t->scale_x[row];
  to->y *= (double)t->scale_y[row];
  to->body = has_body ? to->entity : move_to_body_space(c, p, t, row, to);
}

static void gather_colliders(shoal_context *c, physics_t *p) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows table = shoal_get_rows(w, &collider_component);
  const collider_columns *in = SHOAL_ROWS_COLUMNS(table, collider);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  enabled_rows_read(&p->shown_colliders, c, &collider_component);
  GROW(p->colliders, p->collider_capacity, table.count);
  GROW(p->rows, p->row_capacity, table.count);
  GROW(p->body_rows, p->body_row_capacity, table.count);
  shoal_find_rows(w, &transform_component, table.entities, table.count, p->rows);
  shoal_find_rows(w, &rigid_body_component, table.entities, table.count, p->body_rows);
  p->collider_count = 0;
  for (uint32_t i = 0; i < table.count; ++i) {
    if (!in->enabled[i] || enabled_rows_index(&p->shown_colliders, i) == SHOAL_NO_ROW)
      continue;
    bool outlined = in->kind[i] == COLLIDER_POLYGON || in->kind[i] == COLLIDER_SEGMENT;
    const char *points = outlined ? shoal_string(w, in->points[i]) : "";
    space_collider_t *to = &p->colliders[p->collider_count++];
    *to = (space_collider_t){
        .entity = table.entities[i],
        .kind = in->kind[i],
        .sensor = in->sensor[i],
        .x = (double)in->offset_x[i],
        .y = (double)in->offset_y[i],
        .angle = (double)in->turn[i],
        .radius = in->kind[i] == COLLIDER_CIRCLE ? in->radius[i] : in->corner[i],
        .width = in->width[i],
        .height = in->height[i],
        .friction = in->friction[i],
        .bounce = in->bounce[i],
        .surface_x = in->surface_x[i],
        .surface_y = in->surface_y[i],
        .category = in->category[i],
        .mask = in->mask[i],
        .group = in->group[i],
        .scale_x = 1,
        .scale_y = 1,
        .points = points[0] ? points : NULL,
    };
    bool has_body = enabled_rows_index(&p->shown_bodies, p->body_rows[i]) != SHOAL_NO_ROW;
    place_collider(c, p, t, p->rows[i], has_body, to);
  }
}

static void compute_anchor(const space_body_t *body, float x, float y, double out[2]) {
  double sin_a = body ? shoal_sin(body->angle) : 0, cos_a = body ? shoal_cos(body->angle) : 1;
  out[0] = (body ? body->x : 0) + (double)x * cos_a - (double)y * sin_a;
  out[1] = (body ? body->y : 0) + (double)x * sin_a + (double)y * cos_a;
}

static bool is_hidden(shoal_context *c, shoal_entity e, const space_body_t *body) {
  return !body && e && shoal_find_row(shoal_get_world(c), &rigid_body_component, e) != SHOAL_NO_ROW;
}

// Replaces a negative length permanently by the current distance between the anchors, as soon as both bodies are in the
// space.
static void resolve_joint_length(shoal_context *c, const physics_t *p, const joint_columns *in, uint32_t i) {
  double a[2], b[2];
  if (in->length[i] >= 0 || (in->kind[i] != JOINT_PIN && in->kind[i] != JOINT_SPRING))
    return;
  const space_body_t *body_a = find_body(c, p, in->a[i]), *body_b = find_body(c, p, in->b[i]);
  if (is_hidden(c, in->a[i], body_a) || is_hidden(c, in->b[i], body_b))
    return;
  compute_anchor(body_a, in->ax[i], in->ay[i], a);
  compute_anchor(body_b, in->bx[i], in->by[i], b);
  in->length[i] = (float)shoal_hypot(b[0] - a[0], b[1] - a[1]);
}

static void gather_joints(physics_t *p, shoal_rows table) {
  const joint_columns *in = SHOAL_ROWS_COLUMNS(table, joint);
  GROW(p->joints, p->joint_capacity, p->shown_joints.count);
  for (uint32_t i = 0; i < table.count; ++i) {
    uint32_t number = enabled_rows_index(&p->shown_joints, i);
    if (number == SHOAL_NO_ROW)
      continue;
    p->joints[number] = (space_joint_t){
        .entity = table.entities[i],
        .kind = in->kind[i],
        .collide = in->collide[i],
        .a = in->a[i],
        .b = in->b[i],
        .ax = in->ax[i],
        .ay = in->ay[i],
        .bx = in->bx[i],
        .by = in->by[i],
        .length = in->length[i] < 0 && in->kind[i] <= JOINT_SPRING ? 0 : in->length[i],
        .min = in->min[i],
        .max = in->max[i],
        .stiffness = in->stiffness[i],
        .damping = in->damping[i],
        .ratio = in->ratio[i],
        .rate = in->rate[i],
        .max_force = in->max_force[i],
        .impulse_x = in->impulse_x[i],
        .impulse_y = in->impulse_y[i],
    };
  }
}

// Updates the space from the rows. Only a step may measure lengths (`measuring`), because searches must not change the
// world.
static void sync_space(shoal_context *c, physics_t *p, bool measuring) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows bodies = shoal_get_rows(w, &rigid_body_component), joints = shoal_get_rows(w, &joint_component);
  gather_bodies(c, p, bodies);
  gather_colliders(c, p);
  enabled_rows_read(&p->shown_joints, c, &joint_component);
  for (uint32_t i = 0; measuring && i < joints.count; ++i)
    if (enabled_rows_index(&p->shown_joints, i) != SHOAL_NO_ROW)
      resolve_joint_length(c, p, SHOAL_ROWS_COLUMNS(joints, joint), i);
  gather_joints(p, joints);
  space_sync(p->space, p->bodies, p->shown_bodies.count, p->colliders, p->collider_count, p->joints,
             p->shown_joints.count);
  p->synced = true;
}

// --- writing back

static void scatter_bodies(shoal_context *c, physics_t *p, shoal_rows table) {
  shoal_world *w = shoal_get_world(c);
  const rigid_body_columns *out = SHOAL_ROWS_COLUMNS(table, rigid_body);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  GROW(p->rows, p->row_capacity, table.count);
  shoal_find_rows(w, &transform_component, table.entities, table.count, p->rows);
  for (uint32_t i = 0; i < table.count; ++i) {
    uint32_t row = p->rows[i], number = enabled_rows_index(&p->shown_bodies, i);
    if (number == SHOAL_NO_ROW)
      continue;
    const space_body_t *body = &p->bodies[number];
    out->x[i] = body->x;
    out->y[i] = body->y;
    out->angle[i] = body->angle;
    out->vx[i] = body->vx;
    out->vy[i] = body->vy;
    out->spin[i] = body->spin;
    out->bias_x[i] = body->bias_x;
    out->bias_y[i] = body->bias_y;
    out->bias_spin[i] = body->bias_spin;
    out->force_x[i] = out->force_y[i] = out->torque[i] = 0;
    if (row == SHOAL_NO_ROW)
      continue;
    t->x[row] = (float)body->x;
    t->y[row] = (float)body->y;
    t->angle[row] = (float)body->angle;
  }
}

static void emit_contacts(shoal_context *c, const physics_t *p) {
  shoal_world *w = shoal_get_world(c);
  uint32_t count, begins = 0;
  const space_contact_t *all = space_contacts(p->space, &count);
  while (begins < count && all[begins].begins)
    ++begins;
  if (begins > 0) {
    const contact_begin_columns *out = SHOAL_EMIT(w, contact_begin, begins);
    for (uint32_t i = 0; i < begins; ++i) {
      out->a[i] = all[i].a;
      out->b[i] = all[i].b;
      out->x[i] = all[i].x;
      out->y[i] = all[i].y;
      out->nx[i] = all[i].nx;
      out->ny[i] = all[i].ny;
      out->depth[i] = all[i].depth;
      out->speed[i] = all[i].speed;
      out->impulse[i] = all[i].impulse;
      out->sensor[i] = all[i].sensor;
    }
    shoal_emit_end(w, &contact_begin_component);
  }
  if (count > begins) {
    const contact_end_columns *out = SHOAL_EMIT(w, contact_end, count - begins);
    for (uint32_t i = 0; i < count - begins; ++i) {
      out->a[i] = all[begins + i].a;
      out->b[i] = all[begins + i].b;
      out->sensor[i] = all[begins + i].sensor;
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
  physics_t *p = get_physics(c);
  const physics_columns *world = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &physics_component), physics);
  if (!world->enabled[0])
    return;
  shoal_rows bodies = shoal_get_rows(w, &rigid_body_component), joints = shoal_get_rows(w, &joint_component);
  sync_space(c, p, true);
  space_settings_t settings = {(double)world->gravity_x[0], (double)world->gravity_y[0], (double)world->damping[0],
                               world->iterations[0]};
  space_step(p->space, &settings, (double)dt_s, p->bodies, p->joints);
  scatter_bodies(c, p, bodies);
  const joint_columns *out = SHOAL_ROWS_COLUMNS(joints, joint);
  for (uint32_t i = 0; i < joints.count; ++i) {
    uint32_t number = enabled_rows_index(&p->shown_joints, i);
    if (number == SHOAL_NO_ROW)
      continue;
    out->impulse_x[i] = p->joints[number].impulse_x;
    out->impulse_y[i] = p->joints[number].impulse_y;
  }
  emit_contacts(c, p);
}

// --- the manager

static void *create(shoal_context *c) {
  physics_t *p = shoal_realloc(c, NULL, 0, sizeof *p);
  *p = (physics_t){.space = space_create()};
  return p;
}

static void destroy(shoal_context *c, void *self) {
  physics_t *p = self;
  space_destroy(p->space);
  free(p->bodies);
  free(p->colliders);
  free(p->joints);
  free(p->rows);
  free(p->body_rows);
  free(p->hits);
  free(p->found);
  enabled_rows_free(&p->shown_bodies);
  enabled_rows_free(&p->shown_colliders);
  enabled_rows_free(&p->shown_joints);
  shoal_realloc(c, p, sizeof *p, 0);
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

typedef struct saved_t {
  uint32_t attached, padding;
} saved_t;

static size_t save_bytes(shoal_context *c, void *self) {
  (void)c;
  return sizeof(saved_t) + space_save_bytes(((physics_t *)self)->space);
}

static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  physics_t *p = self;
  *(saved_t *)bytes = (saved_t){.attached = p->attached};
  space_save(p->space, (saved_t *)bytes + 1);
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c;
  physics_t *p = self;
  saved_t head = {0};
  p->attached = 0;
  p->synced = false;
  space_load(p->space, NULL, 0);
  if (size == 0)
    return true;
  if (size < sizeof head)
    return false;
  memcpy(&head, bytes, sizeof head);
  if (!space_load(p->space, (const saved_t *)bytes + 1, size - sizeof head))
    return false;
  p->attached = head.attached;
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
  physics_t *p = get_physics(c);
  if (!p->synced)
    sync_space(c, p, false);
  return p;
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

// Casts rays. The shortest of the lists determines the number of rays.
static void script_rays(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *p = get_synced_physics(c);
  uint32_t count = in[0].count;
  for (int i = 1; i < 4; ++i)
    count = in[i].count < count ? in[i].count : count;
  shoal_entity *entities = shoal_return_entities(c, &out[0], count);
  double *x = shoal_return_numbers(c, &out[1], count), *y = shoal_return_numbers(c, &out[2], count);
  double *part = shoal_return_numbers(c, &out[3], count);
  for (uint32_t i = 0; i < count; ++i) {
    space_hit_t hit;
    if (!space_cast_ray(p->space, in[0].numbers[i], in[1].numbers[i], in[2].numbers[i], in[3].numbers[i], 0,
                        to_mask(in[4].number), &hit))
      hit = (space_hit_t){.x = (float)in[2].numbers[i], .y = (float)in[3].numbers[i], .part = 1};
    entities[i] = hit.entity;
    x[i] = (double)hit.x;
    y[i] = (double)hit.y;
    part[i] = (double)hit.part;
  }
}

static void script_near(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *p = get_synced_physics(c);
  uint32_t mask = to_mask(in[3].number);
  uint32_t count = space_find_near(p->space, in[0].number, in[1].number, in[2].number, mask, NULL, 0);
  GROW(p->hits, p->hit_capacity, count);
  space_find_near(p->space, in[0].number, in[1].number, in[2].number, mask, p->hits, count);
  shoal_entity *entities = shoal_return_entities(c, &out[0], count);
  double *distances = shoal_return_numbers(c, &out[1], count);
  for (uint32_t i = 0; i < count; ++i) {
    entities[i] = p->hits[i].entity;
    distances[i] = (double)p->hits[i].part;
  }
}

static void return_found_entities(shoal_context *c, const physics_t *p, uint32_t count, shoal_value *out) {
  shoal_entity *entities = shoal_return_entities(c, out, count);
  if (count > 0)
    memcpy(entities, p->found, count * sizeof *entities);
}

static void script_in_box(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *p = get_synced_physics(c);
  double left = in[0].number, top = in[1].number, right = in[2].number, bottom = in[3].number;
  uint32_t mask = to_mask(in[4].number), count = space_find_in_box(p->space, left, top, right, bottom, mask, NULL, 0);
  GROW(p->found, p->found_capacity, count);
  space_find_in_box(p->space, left, top, right, bottom, mask, p->found, count);
  return_found_entities(c, p, count, &out[0]);
}

static void script_touching(shoal_context *c, const shoal_value *in, shoal_value *out) {
  physics_t *p = get_synced_physics(c);
  uint32_t count = space_find_touching(p->space, in[0].entity, NULL, 0);
  GROW(p->found, p->found_capacity, count);
  space_find_touching(p->space, in[0].entity, p->found, count);
  return_found_entities(c, p, count, &out[0]);
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

// --- panels of the cockpit

static void stop_bodies(shoal_context *c) {
  const shoal_rows bodies = shoal_get_rows(shoal_get_world(c), &rigid_body_component);
  const rigid_body_columns *in = SHOAL_ROWS_COLUMNS(bodies, rigid_body);
  for (uint32_t i = 0; i < bodies.count; ++i)
    in->vx[i] = in->vy[i] = in->spin[i] = 0;
}

static void draw_panel(shoal_context *c, shoal_entity picked) {
  shoal_world *w = shoal_get_world(c);
  const shoal_rows bodies = shoal_get_rows(w, &rigid_body_component);
  const rigid_body_columns *in = SHOAL_ROWS_COLUMNS(bodies, rigid_body);
  double fastest = 0; // squared speed
  for (uint32_t i = 0; i < bodies.count; ++i) {
    double square = in->vx[i] * in->vx[i] + in->vy[i] * in->vy[i];
    fastest = square > fastest ? square : fastest;
  }
  shoal_panel_value(c, "bodies", "%u", bodies.count);
  shoal_panel_value(c, "colliders", "%u", shoal_get_rows(w, &collider_component).count);
  shoal_panel_value(c, "joints", "%u", shoal_get_rows(w, &joint_component).count);
  shoal_panel_plot(c, "fastest, px/s", sqrt(fastest));
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
