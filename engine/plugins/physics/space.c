// Updates the Chipmunk space from the rows before a step, and the rows from the space after the step. Saves and loads
// the impulses of contacts.
#include "space_internal.h"

#include "plugins/scratch_array.h"
#include "broadphase.h"

#include <math.h>
#include <string.h>

// Beyond these limits, Chipmunk's sums would overflow, which terminates the process.
static const double FAR = 1e7, FAST = 1e6, HEAVY = 1e9, LIGHT = 1e-6, PUSH = 1e12;

double sanitize_between(double value, double low, double high) {
  return value >= low ? (value <= high ? value : high) : value < low ? low : low > 0 ? low : 0;
}

double sanitize_number(double value, double limit) {
  return sanitize_between(value, -limit, limit) + 0.0;
}

uint64_t space_hash_text(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; ++text)
    hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
  return hash;
}

// --- map from entities to indices

void number_map_clear(number_map_t *m, uint32_t count) {
  uint32_t size = 16;
  while (size < count * 2)
    size *= 2;
  GROW(m->keys, m->key_capacity, size);
  GROW(m->values, m->value_capacity, size);
  memset(m->keys, 0, size * sizeof *m->keys);
  m->size = size;
}

static uint32_t number_map_slot(const number_map_t *m, uint32_t key) {
  uint32_t place = (key * 0x9e3779b1u) >> 8 & (m->size - 1);
  while (m->keys[place] != 0 && m->keys[place] != key)
    place = (place + 1) & (m->size - 1);
  return place;
}

void number_map_put(number_map_t *m, uint32_t key, uint32_t value) {
  uint32_t place = number_map_slot(m, key);
  m->keys[place] = key;
  m->values[place] = value;
}

uint32_t number_map_get(const number_map_t *m, uint32_t key) {
  if (key == 0)
    return NOT_LIVE;
  uint32_t place = number_map_slot(m, key);
  return m->keys[place] == key ? m->values[place] : NOT_LIVE;
}

// --- life cycle

static cpBool has_same_shapes(const void *pair, const void *element) {
  const cpShape *const *shapes = pair;
  const cpArbiter *arbiter = element;
  return (shapes[0] == arbiter->a && shapes[1] == arbiter->b) || (shapes[1] == arbiter->a && shapes[0] == arbiter->b);
}

static cpBool reject_handler(const void *pair, const void *element) {
  (void)pair, (void)element;
  return cpFalse;
}

// Creates a space like cpSpaceNew, but with the index of broadphase.h and without the message that debug builds print.
static cpSpace *create_chipmunk_space(void) {
  cpSpace *space = calloc(1, sizeof *space);
  if (!space)
    abort();
  space->iterations = 10;
  space->damping = 1;
  space->collisionSlop = 0.1;
  space->collisionBias = pow(1 - 0.1, 60);
  space->collisionPersistence = 3;
  space->sleepTimeThreshold = INFINITY;
  space->stamp = 16; // large enough that the age of restored contacts can be subtracted
  space->allocatedBuffers = cpArrayNew(0);
  space->dynamicBodies = cpArrayNew(0);
  space->staticBodies = cpArrayNew(0);
  space->sleepingComponents = cpArrayNew(0);
  space->rousedBodies = cpArrayNew(0);
  space->arbiters = cpArrayNew(0);
  space->pooledArbiters = cpArrayNew(0);
  space->constraints = cpArrayNew(0);
  space->postStepCallbacks = cpArrayNew(0);
  space->cachedArbiters = cpHashSetNew(0, has_same_shapes);
  space->collisionHandlers = cpHashSetNew(0, reject_handler);
  broadphase_install(space);
  cpBody *ground = cpBodyInit(&space->_staticBody, 0, 0);
  cpBodySetType(ground, CP_BODY_TYPE_STATIC);
  cpSpaceSetStaticBody(space, ground);
  return space;
}

space_o *space_create(void) {
  space_o *s = calloc(1, sizeof *s);
  if (!s)
    abort();
  return s;
}

// Frees the Chipmunk space and all joints, shapes and bodies, in the order required by Chipmunk. Does not call the
// handlers for contacts that end.
static void drop_all_objects(space_o *s) {
  if (!s->space)
    return;
  cpSpace *space = s->space;
  for (uint32_t i = 0; i < s->joint_count; ++i) {
    cpConstraintDestroy(&s->joints[i]->as.constraint);
    free(s->joints[i]);
  }
  for (uint32_t i = 0; i < s->shape_count; ++i) {
    cpShapeDestroy(&s->shapes[i]->as.shape);
    free(s->shapes[i]);
  }
  space->constraints->num = space->dynamicBodies->num = space->staticBodies->num = space->arbiters->num = 0;
  cpSpaceFree(space);
  for (uint32_t i = 0; i < s->body_count; ++i)
    free(s->bodies[i]);
  s->joint_count = s->shape_count = s->body_count = 0;
  s->bodies_mapped = false;
  s->space = NULL;
}

void space_destroy(space_o *s) {
  drop_all_objects(s);
  free(s->bodies);
  free(s->shapes);
  free(s->joints);
  free(s->old);
  free(s->map.keys);
  free(s->map.values);
  free(s->body_map.keys);
  free(s->body_map.values);
  free(s->kept);
  free(s->begun);
  free(s->parted);
  free(s->contacts);
  free(s->sorted);
  free(s);
}

// --- bodies

static void update_velocity(cpBody *body, cpVect gravity, cpFloat damping, cpFloat dt) {
  const live_body_t *live = (const live_body_t *)body;
  double kept = pow(1 - (double)live->damping, dt);
  cpBodyUpdateVelocity(body, cpvmult(gravity, (double)live->gravity), damping * kept, dt);
}

static void body_init(space_o *s, live_body_t *live, const space_body_t *row) {
  *live = (live_body_t){.entity = row->entity, .kind = row->kind, .weigh = true};
  cpBodyInit(&live->body, 1, 1);
  if (row->kind != BODY_DYNAMIC)
    cpBodySetType(&live->body, row->kind == BODY_STATIC ? CP_BODY_TYPE_STATIC : CP_BODY_TYPE_KINEMATIC);
  cpSpaceAddBody(s->space, &live->body);
}

// Returns true if the body has the entity and kind of its row; otherwise it must be re-created.
static bool body_matches_row(const live_body_t *live, const space_body_t *row) {
  return live->entity == row->entity && live->kind == row->kind;
}

// Sets the velocities, forces and position of a body from its row. Sets velocities first, because Chipmunk checks the
// whole body when its angle is set, and the previous step may have produced NaN.
static void body_set_state(live_body_t *live, const space_body_t *row) {
  cpBody *body = &live->body;
  if (live->kind != BODY_STATIC) {
    body->v = cpv(sanitize_number(row->vx, FAST), sanitize_number(row->vy, FAST));
    body->w = sanitize_number(row->spin, FAST);
    body->f = cpv(sanitize_number(row->force_x, PUSH), sanitize_number(row->force_y, PUSH));
    body->t = sanitize_number(row->torque, PUSH);
    body->v_bias = cpv(sanitize_number(row->bias_x, FAST), sanitize_number(row->bias_y, FAST));
    body->w_bias = sanitize_number(row->bias_spin, FAST);
  }
  cpVect place = cpv(sanitize_number(row->x, FAR), sanitize_number(row->y, FAR));
  double angle = sanitize_number(row->angle, FAR);
  if (body->p.x == place.x && body->p.y == place.y && body->a == angle)
    return;
  body->p = place;
  body->a = angle;
  cpBodySetAngle(body, angle); // also updates the transformation matrix
  for (cpShape *shape = body->shapeList; shape; shape = shape->next)
    cpShapeUpdate(shape, body->transform);
  cpSpatialIndexReindex(live->kind == BODY_STATIC ? body->space->staticShapes : body->space->dynamicShapes);
}

static void body_update(live_body_t *live, const space_body_t *row) {
  body_set_state(live, row);
  if (live->kind != BODY_DYNAMIC)
    return;
  live->weigh = live->weigh || live->mass != row->mass || live->moment != row->moment ||
                live->fixed_rotation != row->fixed_rotation;
  live->mass = row->mass;
  live->moment = row->moment;
  live->fixed_rotation = row->fixed_rotation;
  live->gravity = (float)sanitize_number((double)row->gravity, 1e3);
  live->damping = (float)sanitize_between((double)row->damping, 0, 1);
  bool plain = live->gravity == 1 && live->damping == 0;
  live->body.velocity_func = plain ? cpBodyUpdateVelocity : update_velocity;
}

static double compute_moment(const live_body_t *live, double mass) {
  if (live->fixed_rotation)
    return INFINITY;
  double given = sanitize_between((double)live->moment, 0, 1e15);
  if (given > 0)
    return given;
  return sanitize_between(live->area > 0 ? mass * live->moments / live->area : mass * 100, LIGHT, 1e15);
}

// Sets the mass and moment of inertia of the bodies marked with `weigh`. Moments are computed from the colliders,
// weighted by area; sums are computed in the order of the rows.
static void update_masses(space_o *s) {
  bool any = false;
  for (uint32_t i = 0; i < s->body_count; ++i) {
    s->bodies[i]->area = s->bodies[i]->moments = 0;
    any = any || s->bodies[i]->weigh;
  }
  for (uint32_t i = 0; any && i < s->shape_count; ++i)
    if (s->shapes[i]->body != s->ground) {
      live_body_t *live = (live_body_t *)s->shapes[i]->body;
      live->area += s->shapes[i]->area;
      live->moments += s->shapes[i]->area * s->shapes[i]->moment_of;
    }
  for (uint32_t i = 0; any && i < s->body_count; ++i) {
    live_body_t *live = s->bodies[i];
    if (live->weigh && live->kind == BODY_DYNAMIC) {
      double mass = sanitize_between((double)live->mass, LIGHT, HEAVY);
      cpBodySetMass(&live->body, mass);
      cpBodySetMoment(&live->body, compute_moment(live, mass));
    }
    live->weigh = false;
  }
}

// Reads a body after a step, and resets the row's forces. Replaces -0 and NaN by 0 and clamps all values, because a
// body that is re-created from its row must be identical. Returns false if the solver has produced a velocity that is
// not finite.
static bool body_read(live_body_t *live, space_body_t *row) {
  cpBody *body = &live->body;
  bool ok = isfinite(body->v.x) && isfinite(body->v.y) && isfinite(body->w);
  row->x = body->p.x = sanitize_number(body->p.x, FAR);
  row->y = body->p.y = sanitize_number(body->p.y, FAR);
  row->angle = body->a = sanitize_number(body->a, FAR);
  if (live->kind == BODY_STATIC)
    return true;
  row->vx = sanitize_number(body->v.x, FAST);
  row->vy = sanitize_number(body->v.y, FAST);
  row->spin = sanitize_number(body->w, FAST);
  row->bias_x = sanitize_number(body->v_bias.x, FAST);
  row->bias_y = sanitize_number(body->v_bias.y, FAST);
  row->bias_spin = sanitize_number(body->w_bias, FAST);
  row->force_x = row->force_y = row->torque = 0;
  return ok;
}

// --- updating the space: each list is compared with the rows in order; at differences, entries are looked up by
// entity

static uint32_t get_body_entity(const void *live) {
  return ((const live_body_t *)live)->entity;
}
static uint32_t get_shape_entity(const void *live) {
  return ((const live_shape_t *)live)->row.entity;
}
static uint32_t get_joint_entity(const void *live) {
  return ((const live_joint_t *)live)->entity;
}

// Copies a list to s->old, maps each entity to its index in s->map, and returns s->old.
static void *begin_list_update(space_o *s, void **list, uint32_t live_count, uint32_t (*entity_of)(const void *)) {
  GROW(s->old, s->old_capacity, live_count);
  if (live_count > 0)
    memcpy(s->old, list, live_count * sizeof *s->old);
  number_map_clear(&s->map, live_count);
  for (uint32_t i = 0; i < live_count; ++i)
    number_map_put(&s->map, entity_of(s->old[i]), i);
  s->order_changed = true;
  return s->old;
}

// Removes the entry of an entity from s->old and returns it; NULL if s->old does not contain the entity.
static void *pop_previous(space_o *s, uint32_t entity) {
  uint32_t number = number_map_get(&s->map, entity);
  if (number == NOT_LIVE)
    return NULL;
  void *live = s->old[number];
  s->old[number] = NULL;
  return live;
}

static bool has_same_bodies(const space_o *s, const space_body_t *rows, uint32_t count) {
  if (count != s->body_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!body_matches_row(s->bodies[i], &rows[i]))
      return false;
  return true;
}

// Lists the bodies of the rows and creates missing ones. Unused bodies are appended after the first `count`, because
// their shapes and joints must be removed first. Returns the number of unused bodies.
static uint32_t list_bodies(space_o *s, const space_body_t *rows, uint32_t count) {
  uint32_t before = s->body_count, unwanted = 0;
  begin_list_update(s, (void **)s->bodies, before, get_body_entity);
  GROW(s->bodies, s->body_capacity, before + count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = number_map_get(&s->map, rows[i].entity);
    if (number != NOT_LIVE && s->old[number] && body_matches_row(s->old[number], &rows[i])) {
      s->bodies[i] = pop_previous(s, rows[i].entity);
      continue;
    }
    s->bodies[i] = calloc(1, sizeof **s->bodies);
    if (!s->bodies[i])
      abort();
    body_init(s, s->bodies[i], &rows[i]);
  }
  for (uint32_t i = 0; i < before; ++i)
    if (s->old[i])
      s->bodies[count + unwanted++] = s->old[i];
  s->body_count = count;
  s->bodies_mapped = false;
  return unwanted;
}

static void drop_bodies(space_o *s, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i) {
    cpSpaceRemoveBody(s->space, &s->bodies[i]->body);
    free(s->bodies[i]);
  }
}

static cpBody *find_body(space_o *s, uint32_t entity) {
  uint32_t number = number_map_get(&s->body_map, entity);
  return number == NOT_LIVE ? s->ground : &s->bodies[number]->body;
}

static void map_bodies(space_o *s) {
  if (s->bodies_mapped)
    return;
  number_map_clear(&s->body_map, s->body_count);
  for (uint32_t i = 0; i < s->body_count; ++i)
    number_map_put(&s->body_map, s->bodies[i]->entity, i);
  s->bodies_mapped = true;
}

static void mark_mass_outdated(space_o *s, cpBody *body) {
  if (body != s->ground)
    ((live_body_t *)body)->weigh = true; // NOLINT(clang-analyzer-core.NullDereference): `ground` exists
}

static bool has_matching_shapes(const space_o *s, const space_collider_t *rows, uint32_t count) {
  if (count != s->shape_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (s->shapes[i]->row.entity != rows[i].entity)
      return false;
  return true;
}

static void list_shapes(space_o *s, const space_collider_t *rows, uint32_t count) {
  uint32_t before = s->shape_count;
  begin_list_update(s, (void **)s->shapes, before, get_shape_entity);
  GROW(s->shapes, s->shape_capacity, count);
  for (uint32_t i = 0; i < count; ++i) {
    s->shapes[i] = pop_previous(s, rows[i].entity);
    if (!s->shapes[i] && !(s->shapes[i] = calloc(1, sizeof **s->shapes)))
      abort();
  }
  s->shape_count = count;
  for (uint32_t i = 0; i < before; ++i)
    if (s->old[i]) {
      live_shape_t *gone = s->old[i];
      mark_mass_outdated(s, gone->body);
      shape_fini(s, gone);
      free(gone);
    }
}

static void update_shapes(space_o *s, const space_collider_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    live_shape_t *shape = s->shapes[i];
    cpBody *body = find_body(s, rows[i].body);
    if (shape->body == body && shape->row.kind == rows[i].kind) {
      if (shape_update(shape, &rows[i]))
        mark_mass_outdated(s, body);
      continue;
    }
    if (shape->body) {
      mark_mass_outdated(s, shape->body);
      shape_fini(s, shape);
    }
    shape_init(s, shape, &rows[i], body);
    mark_mass_outdated(s, body);
    s->order_changed = true;
  }
}

static bool has_same_joints(const space_o *s, const space_joint_t *rows, uint32_t count) {
  if (count != s->joint_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (s->joints[i]->entity != rows[i].entity)
      return false;
  return true;
}

static void list_joints(space_o *s, const space_joint_t *rows, uint32_t count) {
  uint32_t before = s->joint_count;
  begin_list_update(s, (void **)s->joints, before, get_joint_entity);
  GROW(s->joints, s->joint_capacity, count);
  for (uint32_t i = 0; i < count; ++i) {
    s->joints[i] = pop_previous(s, rows[i].entity);
    if (!s->joints[i] && !(s->joints[i] = calloc(1, sizeof **s->joints)))
      abort();
  }
  s->joint_count = count;
  for (uint32_t i = 0; i < before; ++i)
    if (s->old[i]) {
      joint_fini(s, s->old[i]);
      free(s->old[i]);
    }
}

static void update_joints(space_o *s, const space_joint_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    live_joint_t *joint = s->joints[i];
    cpBody *a = find_body(s, rows[i].a), *b = find_body(s, rows[i].b);
    bool same = joint->a == a && joint->b == b && joint->kind == rows[i].kind;
    if (!same || joint->in_space != joint_is_valid(s, &rows[i], a, b)) {
      if (joint->a)
        joint_fini(s, joint);
      joint_init(s, joint, &rows[i], a, b);
      s->order_changed = true;
    }
    joint_update(joint, &rows[i]);
  }
}

static void update_solvable_joints(space_o *s) {
  for (uint32_t i = 0; i < s->joint_count; ++i) {
    live_joint_t *joint = s->joints[i];
    bool solvable = joint->in_space && joint_is_solvable(joint);
    s->order_changed = s->order_changed || solvable != joint->solvable;
    joint->solvable = solvable;
  }
}

// Sorts Chipmunk's lists in the order of the rows.
static void sort_lists(space_o *s) {
  broadphase_t *moving = broadphase_moving(s->space), *resting = broadphase_resting(s->space);
  moving->count = resting->count = 0;
  for (uint32_t i = 0; i < s->shape_count; ++i) {
    broadphase_t *b = cpBodyGetType(s->shapes[i]->body) == CP_BODY_TYPE_STATIC ? resting : moving;
    b->shapes[b->count++] = &s->shapes[i]->as.shape;
  }
  moving->dirty = resting->dirty = true;
  cpArray *constraints = s->space->constraints;
  constraints->num = 0;
  for (uint32_t i = 0; i < s->joint_count; ++i)
    if (s->joints[i]->solvable)
      cpArrayPush(constraints, &s->joints[i]->as.constraint);
  s->order_changed = false;
}

void space_sync(space_o *s, const space_body_t *bodies, uint32_t body_count, const space_collider_t *colliders,
                uint32_t collider_count, const space_joint_t *joints, uint32_t joint_count) {
  bool anew = !s->space;
  if (anew) {
    s->space = create_chipmunk_space();
    s->space->curr_dt = s->last_dt_s;
    s->ground = cpSpaceGetStaticBody(s->space);
    contacts_install(s);
  }
  uint32_t unwanted = has_same_bodies(s, bodies, body_count) ? 0 : list_bodies(s, bodies, body_count);
  map_bodies(s);
  for (uint32_t i = 0; i < body_count; ++i)
    body_update(s->bodies[i], &bodies[i]);
  if (!has_same_joints(s, joints, joint_count))
    list_joints(s, joints, joint_count);
  update_joints(s, joints, joint_count);
  if (!has_matching_shapes(s, colliders, collider_count))
    list_shapes(s, colliders, collider_count);
  update_shapes(s, colliders, collider_count);
  drop_bodies(s, body_count, unwanted);
  update_masses(s);
  update_solvable_joints(s);
  if (s->order_changed)
    sort_lists(s);
  if (anew)
    contacts_restore(s);
}

void space_step(space_o *s, const space_settings_t *settings, double dt_s, space_body_t *bodies,
                space_joint_t *joints) {
  cpSpace *space = s->space;
  space->gravity = cpv(sanitize_number(settings->gravity_x, FAST), sanitize_number(settings->gravity_y, FAST));
  space->damping = 1 - sanitize_between(settings->damping, 0, 1);
  space->iterations = (int)sanitize_between(settings->iterations, 1, 1000);
  s->begun_count = 0;
  cpSpaceStep(space, sanitize_between(dt_s, 0, 1));
  s->last_dt_s = space->curr_dt;
  s->kept_fresh = false;
  bool ok = true;
  for (uint32_t i = 0; i < s->body_count; ++i)
    ok = body_read(s->bodies[i], &bodies[i]) && ok;
  if (!ok)
    contacts_sanitize(s);
  for (uint32_t i = 0; i < s->joint_count; ++i)
    joint_read(s->joints[i], &joints[i]);
  contacts_report(s);
}

// --- saving

// Header of the saved format, which is packed: each contact has a variable number of points.
typedef struct saved_head_t {
  uint32_t count, bytes;
  double last_dt_s;
} saved_head_t;

typedef struct saved_contact_t {
  uint32_t a, b;
  uint16_t check_a, check_b;
  uint8_t count, state;
  uint16_t age;
} saved_contact_t;

typedef struct saved_point_t {
  uint64_t hash;
  double normal, along;
} saved_point_t;

size_t space_save_bytes(space_o *s) {
  contacts_store(s);
  size_t bytes = sizeof(saved_head_t);
  for (uint32_t i = 0; i < s->kept_count; ++i)
    bytes += sizeof(saved_contact_t) + s->kept[i].count * sizeof(saved_point_t);
  return bytes;
}

void space_save(space_o *s, void *bytes) {
  size_t size = space_save_bytes(s);
  uint8_t *to = bytes;
  memcpy(to, &(saved_head_t){s->kept_count, (uint32_t)size, s->last_dt_s}, sizeof(saved_head_t));
  to += sizeof(saved_head_t);
  for (uint32_t i = 0; i < s->kept_count; ++i) {
    const kept_contact_t *k = &s->kept[i];
    saved_contact_t head = {k->a, k->b, k->check_a, k->check_b, k->count, k->state, k->age};
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t p = 0; p < k->count; ++p, to += sizeof(saved_point_t))
      memcpy(to, &(saved_point_t){k->hash[p], k->normal[p], k->along[p]}, sizeof(saved_point_t));
  }
}

static bool read_contact(kept_contact_t *k, const uint8_t **at, const uint8_t *end) {
  saved_contact_t head;
  if ((size_t)(end - *at) < sizeof head)
    return false;
  memcpy(&head, *at, sizeof head);
  *at += sizeof head;
  *k = (kept_contact_t){.a = head.a,
                        .b = head.b,
                        .check_a = head.check_a,
                        .check_b = head.check_b,
                        .count = head.count,
                        .state = head.state,
                        .age = head.age};
  bool known = head.state == CP_ARBITER_STATE_NORMAL || head.state == CP_ARBITER_STATE_CACHED;
  if (!known || head.count > 2 || head.age > 3 || head.a == 0 || head.b == 0 || head.a == head.b ||
      (size_t)(end - *at) < head.count * sizeof(saved_point_t))
    return false;
  for (uint32_t p = 0; p < head.count; ++p, *at += sizeof(saved_point_t)) {
    saved_point_t point;
    memcpy(&point, *at, sizeof point);
    if (!(fabs(point.normal) <= 1e15 && fabs(point.along) <= 1e15))
      return false;
    k->hash[p] = point.hash;
    k->normal[p] = point.normal;
    k->along[p] = point.along;
  }
  return true;
}

static bool read_contacts(space_o *s, const uint8_t *bytes, size_t size) {
  saved_head_t head;
  if (size < sizeof head)
    return false;
  memcpy(&head, bytes, sizeof head);
  const uint8_t *at = bytes + sizeof head, *end = bytes + size;
  if (head.bytes != size || head.count > (size - sizeof head) / sizeof(saved_contact_t) ||
      !(head.last_dt_s >= 0 && head.last_dt_s <= 1))
    return false;
  GROW(s->kept, s->kept_capacity, head.count);
  for (uint32_t i = 0; i < head.count; ++i)
    if (!read_contact(&s->kept[i], &at, end))
      return false;
  s->kept_count = head.count;
  s->last_dt_s = head.last_dt_s;
  return at == end;
}

bool space_load(space_o *s, const void *bytes, size_t size) {
  drop_all_objects(s);
  s->kept_count = s->parted_count = s->begun_count = s->contact_count = 0;
  s->last_dt_s = 0;
  s->kept_fresh = true;
  bool ok = size == 0 || read_contacts(s, bytes, size);
  if (!ok) {
    s->kept_count = 0;
    s->last_dt_s = 0;
  }
  return ok;
}
