// Updates the Chipmunk space from the rows before a step, and the rows from the space after the step. Saves and loads
// the impulses of contacts.
#include "space_internal.h"

#include "plugins/scratch_array.h"
#include "broadphase.h"

#include <math.h>
#include <string.h>

// Limits of the values that Chipmunk receives. Beyond these limits, its sums would overflow, which terminates the
// process. Distances are in pixels, speeds in pixels per second.
static const double MAX_DISTANCE = 1e7, MAX_SPEED = 1e6, MAX_MASS = 1e9, MIN_MASS = 1e-6, MAX_FORCE = 1e12;

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

void number_map_clear(number_map_t *map, uint32_t count) {
  uint32_t size = 16;
  while (size < count * 2)
    size *= 2;
  GROW(map->keys, map->key_capacity, size);
  GROW(map->values, map->value_capacity, size);
  memset(map->keys, 0, size * sizeof *map->keys);
  map->size = size;
}

static uint32_t number_map_slot(const number_map_t *map, uint32_t key) {
  uint32_t slot = (key * 0x9e3779b1u) >> 8 & (map->size - 1);
  while (map->keys[slot] != 0 && map->keys[slot] != key)
    slot = (slot + 1) & (map->size - 1);
  return slot;
}

void number_map_put(number_map_t *map, uint32_t key, uint32_t value) {
  uint32_t slot = number_map_slot(map, key);
  map->keys[slot] = key;
  map->values[slot] = value;
}

uint32_t number_map_get(const number_map_t *map, uint32_t key) {
  if (key == 0)
    return NOT_LIVE;
  uint32_t slot = number_map_slot(map, key);
  return map->keys[slot] == key ? map->values[slot] : NOT_LIVE;
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
  space_o *state = calloc(1, sizeof *state);
  if (!state)
    abort();
  return state;
}

// Frees the Chipmunk space and all joints, shapes and bodies, in the order required by Chipmunk. Does not call the
// handlers for contacts that end.
static void drop_all_objects(space_o *state) {
  if (!state->space)
    return;
  cpSpace *space = state->space;
  for (uint32_t i = 0; i < state->joint_count; ++i) {
    cpConstraintDestroy(&state->joints[i]->as.constraint);
    free(state->joints[i]);
  }
  for (uint32_t i = 0; i < state->shape_count; ++i) {
    cpShapeDestroy(&state->shapes[i]->as.shape);
    free(state->shapes[i]);
  }
  space->constraints->num = space->dynamicBodies->num = space->staticBodies->num = space->arbiters->num = 0;
  cpSpaceFree(space);
  for (uint32_t i = 0; i < state->body_count; ++i)
    free(state->bodies[i]);
  state->joint_count = state->shape_count = state->body_count = 0;
  state->bodies_mapped = false;
  state->space = NULL;
}

void space_destroy(space_o *state) {
  drop_all_objects(state);
  free(state->bodies);
  free(state->shapes);
  free(state->joints);
  free(state->previous_list);
  free(state->map.keys);
  free(state->map.values);
  free(state->body_map.keys);
  free(state->body_map.values);
  free(state->stored_contacts);
  free(state->begun_contacts);
  free(state->ended_contacts);
  free(state->contacts);
  free(state->sorted);
  free(state);
}

// --- bodies

static void update_velocity(cpBody *body, cpVect gravity, cpFloat damping, cpFloat dt) {
  const live_body_t *live = (const live_body_t *)body;
  double retained = pow(1 - (double)live->damping, dt);
  cpBodyUpdateVelocity(body, cpvmult(gravity, (double)live->gravity), damping * retained, dt);
}

static void body_init(space_o *state, live_body_t *live, const space_body_t *row) {
  *live = (live_body_t){.entity = row->entity, .kind = row->kind, .mass_outdated = true};
  cpBodyInit(&live->body, 1, 1);
  if (row->kind != BODY_DYNAMIC)
    cpBodySetType(&live->body, row->kind == BODY_STATIC ? CP_BODY_TYPE_STATIC : CP_BODY_TYPE_KINEMATIC);
  cpSpaceAddBody(state->space, &live->body);
}

// Returns true if the body has the entity and kind of its row. Otherwise, the body must be re-created.
static bool body_matches_row(const live_body_t *live, const space_body_t *row) {
  return live->entity == row->entity && live->kind == row->kind;
}

// Sets the velocities, forces and position of a body from its row. Sets velocities first, because Chipmunk checks the
// whole body when its angle is set, and the previous step may have produced NaN.
static void body_set_state(live_body_t *live, const space_body_t *row) {
  cpBody *body = &live->body;
  if (live->kind != BODY_STATIC) {
    body->v = cpv(sanitize_number(row->vx, MAX_SPEED), sanitize_number(row->vy, MAX_SPEED));
    body->w = sanitize_number(row->spin, MAX_SPEED);
    body->f = cpv(sanitize_number(row->force_x, MAX_FORCE), sanitize_number(row->force_y, MAX_FORCE));
    body->t = sanitize_number(row->torque, MAX_FORCE);
    body->v_bias = cpv(sanitize_number(row->bias_x, MAX_SPEED), sanitize_number(row->bias_y, MAX_SPEED));
    body->w_bias = sanitize_number(row->bias_spin, MAX_SPEED);
  }
  cpVect position = cpv(sanitize_number(row->x, MAX_DISTANCE), sanitize_number(row->y, MAX_DISTANCE));
  double angle = sanitize_number(row->angle, MAX_DISTANCE);
  if (body->p.x == position.x && body->p.y == position.y && body->a == angle)
    return;
  body->p = position;
  body->a = angle;
  cpBodySetAngle(body, angle); // updates the transformation matrix as well
  for (cpShape *shape = body->shapeList; shape; shape = shape->next)
    cpShapeUpdate(shape, body->transform);
  cpSpatialIndexReindex(live->kind == BODY_STATIC ? body->space->staticShapes : body->space->dynamicShapes);
}

static void body_update(live_body_t *live, const space_body_t *row) {
  body_set_state(live, row);
  if (live->kind != BODY_DYNAMIC)
    return;
  live->mass_outdated = live->mass_outdated || live->mass != row->mass || live->moment != row->moment ||
                        live->fixed_rotation != row->fixed_rotation;
  live->mass = row->mass;
  live->moment = row->moment;
  live->fixed_rotation = row->fixed_rotation;
  live->gravity = (float)sanitize_number((double)row->gravity, 1e3);
  live->damping = (float)sanitize_between((double)row->damping, 0, 1);
  bool is_default = live->gravity == 1 && live->damping == 0;
  live->body.velocity_func = is_default ? cpBodyUpdateVelocity : update_velocity;
}

static double compute_moment(const live_body_t *live, double mass) {
  if (live->fixed_rotation)
    return INFINITY;
  double declared_moment = sanitize_between((double)live->moment, 0, 1e15);
  if (declared_moment > 0)
    return declared_moment;
  return sanitize_between(live->area > 0 ? mass * live->moments / live->area : mass * 100, MIN_MASS, 1e15);
}

// Sets the mass and moment of inertia of the bodies marked with `mass_outdated`. Moments are computed from the
// colliders, weighted by area. Sums are computed in the order of the rows.
static void update_masses(space_o *state) {
  bool any_outdated = false;
  for (uint32_t i = 0; i < state->body_count; ++i) {
    state->bodies[i]->area = state->bodies[i]->moments = 0;
    any_outdated = any_outdated || state->bodies[i]->mass_outdated;
  }
  for (uint32_t i = 0; any_outdated && i < state->shape_count; ++i)
    if (state->shapes[i]->body != state->ground) {
      live_body_t *live = (live_body_t *)state->shapes[i]->body;
      live->area += state->shapes[i]->area;
      live->moments += state->shapes[i]->area * state->shapes[i]->unit_moment;
    }
  for (uint32_t i = 0; any_outdated && i < state->body_count; ++i) {
    live_body_t *live = state->bodies[i];
    if (live->mass_outdated && live->kind == BODY_DYNAMIC) {
      double mass = sanitize_between((double)live->mass, MIN_MASS, MAX_MASS);
      cpBodySetMass(&live->body, mass);
      cpBodySetMoment(&live->body, compute_moment(live, mass));
    }
    live->mass_outdated = false;
  }
}

// Reads a body after a step, and resets the row's forces. Replaces -0 and NaN with 0 and clamps all values, because a
// body that is re-created from its row must be identical. Returns true if the velocities are finite or the body is
// static.
static bool body_read(live_body_t *live, space_body_t *row) {
  cpBody *body = &live->body;
  bool is_finite = isfinite(body->v.x) && isfinite(body->v.y) && isfinite(body->w);
  row->x = body->p.x = sanitize_number(body->p.x, MAX_DISTANCE);
  row->y = body->p.y = sanitize_number(body->p.y, MAX_DISTANCE);
  row->angle = body->a = sanitize_number(body->a, MAX_DISTANCE);
  if (live->kind == BODY_STATIC)
    return true;
  row->vx = sanitize_number(body->v.x, MAX_SPEED);
  row->vy = sanitize_number(body->v.y, MAX_SPEED);
  row->spin = sanitize_number(body->w, MAX_SPEED);
  row->bias_x = sanitize_number(body->v_bias.x, MAX_SPEED);
  row->bias_y = sanitize_number(body->v_bias.y, MAX_SPEED);
  row->bias_spin = sanitize_number(body->w_bias, MAX_SPEED);
  row->force_x = row->force_y = row->torque = 0;
  return is_finite;
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

// Copies a list to previous_list, maps each entity to its index in state->map, and returns previous_list.
static void *begin_list_update(space_o *state, void **list, uint32_t live_count, uint32_t (*get_entity)(const void *)) {
  GROW(state->previous_list, state->previous_capacity, live_count);
  if (live_count > 0)
    memcpy(state->previous_list, list, live_count * sizeof *state->previous_list);
  number_map_clear(&state->map, live_count);
  for (uint32_t i = 0; i < live_count; ++i)
    number_map_put(&state->map, get_entity(state->previous_list[i]), i);
  state->order_changed = true;
  return state->previous_list;
}

// Removes the entry of an entity from previous_list and returns it. Returns NULL if previous_list does not contain the
// entity.
static void *pop_previous(space_o *state, uint32_t entity) {
  uint32_t index = number_map_get(&state->map, entity);
  if (index == NOT_LIVE)
    return NULL;
  void *live = state->previous_list[index];
  state->previous_list[index] = NULL;
  return live;
}

static bool has_same_bodies(const space_o *state, const space_body_t *rows, uint32_t count) {
  if (count != state->body_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!body_matches_row(state->bodies[i], &rows[i]))
      return false;
  return true;
}

// Lists the bodies of the rows, and creates missing bodies. Unused bodies are appended after the first `count` bodies,
// because their shapes and joints must be removed first. Returns the number of unused bodies.
static uint32_t list_bodies(space_o *state, const space_body_t *rows, uint32_t count) {
  uint32_t old_count = state->body_count, unused_count = 0;
  begin_list_update(state, (void **)state->bodies, old_count, get_body_entity);
  GROW(state->bodies, state->body_capacity, old_count + count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = number_map_get(&state->map, rows[i].entity);
    if (index != NOT_LIVE && state->previous_list[index] && body_matches_row(state->previous_list[index], &rows[i])) {
      state->bodies[i] = pop_previous(state, rows[i].entity);
      continue;
    }
    state->bodies[i] = calloc(1, sizeof **state->bodies);
    if (!state->bodies[i])
      abort();
    body_init(state, state->bodies[i], &rows[i]);
  }
  for (uint32_t i = 0; i < old_count; ++i)
    if (state->previous_list[i])
      state->bodies[count + unused_count++] = state->previous_list[i];
  state->body_count = count;
  state->bodies_mapped = false;
  return unused_count;
}

static void drop_bodies(space_o *state, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i) {
    cpSpaceRemoveBody(state->space, &state->bodies[i]->body);
    free(state->bodies[i]);
  }
}

static cpBody *find_body(space_o *state, uint32_t entity) {
  uint32_t index = number_map_get(&state->body_map, entity);
  return index == NOT_LIVE ? state->ground : &state->bodies[index]->body;
}

static void map_bodies(space_o *state) {
  if (state->bodies_mapped)
    return;
  number_map_clear(&state->body_map, state->body_count);
  for (uint32_t i = 0; i < state->body_count; ++i)
    number_map_put(&state->body_map, state->bodies[i]->entity, i);
  state->bodies_mapped = true;
}

static void mark_mass_outdated(space_o *state, cpBody *body) {
  if (body != state->ground)
    ((live_body_t *)body)->mass_outdated = true; // NOLINT(clang-analyzer-core.NullDereference): `ground` exists
}

static bool has_matching_shapes(const space_o *state, const space_collider_t *rows, uint32_t count) {
  if (count != state->shape_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (state->shapes[i]->row.entity != rows[i].entity)
      return false;
  return true;
}

static void list_shapes(space_o *state, const space_collider_t *rows, uint32_t count) {
  uint32_t old_count = state->shape_count;
  begin_list_update(state, (void **)state->shapes, old_count, get_shape_entity);
  GROW(state->shapes, state->shape_capacity, count);
  for (uint32_t i = 0; i < count; ++i) {
    state->shapes[i] = pop_previous(state, rows[i].entity);
    if (!state->shapes[i] && !(state->shapes[i] = calloc(1, sizeof **state->shapes)))
      abort();
  }
  state->shape_count = count;
  for (uint32_t i = 0; i < old_count; ++i)
    if (state->previous_list[i]) {
      live_shape_t *removed = state->previous_list[i];
      mark_mass_outdated(state, removed->body);
      shape_fini(state, removed);
      free(removed);
    }
}

static void update_shapes(space_o *state, const space_collider_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    live_shape_t *shape = state->shapes[i];
    cpBody *body = find_body(state, rows[i].body);
    if (shape->body == body && shape->row.kind == rows[i].kind) {
      if (shape_update(shape, &rows[i]))
        mark_mass_outdated(state, body);
      continue;
    }
    if (shape->body) {
      mark_mass_outdated(state, shape->body);
      shape_fini(state, shape);
    }
    shape_init(state, shape, &rows[i], body);
    mark_mass_outdated(state, body);
    state->order_changed = true;
  }
}

static bool has_same_joints(const space_o *state, const space_joint_t *rows, uint32_t count) {
  if (count != state->joint_count)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (state->joints[i]->entity != rows[i].entity)
      return false;
  return true;
}

static void list_joints(space_o *state, const space_joint_t *rows, uint32_t count) {
  uint32_t old_count = state->joint_count;
  begin_list_update(state, (void **)state->joints, old_count, get_joint_entity);
  GROW(state->joints, state->joint_capacity, count);
  for (uint32_t i = 0; i < count; ++i) {
    state->joints[i] = pop_previous(state, rows[i].entity);
    if (!state->joints[i] && !(state->joints[i] = calloc(1, sizeof **state->joints)))
      abort();
  }
  state->joint_count = count;
  for (uint32_t i = 0; i < old_count; ++i)
    if (state->previous_list[i]) {
      joint_fini(state, state->previous_list[i]);
      free(state->previous_list[i]);
    }
}

static void update_joints(space_o *state, const space_joint_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    live_joint_t *joint = state->joints[i];
    cpBody *a = find_body(state, rows[i].a), *b = find_body(state, rows[i].b);
    bool is_unchanged = joint->a == a && joint->b == b && joint->kind == rows[i].kind;
    if (!is_unchanged || joint->in_space != joint_is_valid(state, &rows[i], a, b)) {
      if (joint->a)
        joint_fini(state, joint);
      joint_init(state, joint, &rows[i], a, b);
      state->order_changed = true;
    }
    joint_update(joint, &rows[i]);
  }
}

static void update_solvable_joints(space_o *state) {
  for (uint32_t i = 0; i < state->joint_count; ++i) {
    live_joint_t *joint = state->joints[i];
    bool is_solvable = joint->in_space && joint_is_solvable(joint);
    state->order_changed = state->order_changed || is_solvable != joint->solvable;
    joint->solvable = is_solvable;
  }
}

// Sorts Chipmunk's lists in the order of the rows.
static void sort_lists(space_o *state) {
  broadphase_t *moving = broadphase_moving(state->space), *resting = broadphase_resting(state->space);
  moving->count = resting->count = 0;
  for (uint32_t i = 0; i < state->shape_count; ++i) {
    broadphase_t *broadphase = cpBodyGetType(state->shapes[i]->body) == CP_BODY_TYPE_STATIC ? resting : moving;
    broadphase->shapes[broadphase->count++] = &state->shapes[i]->as.shape;
  }
  moving->dirty = resting->dirty = true;
  cpArray *constraints = state->space->constraints;
  constraints->num = 0;
  for (uint32_t i = 0; i < state->joint_count; ++i)
    if (state->joints[i]->solvable)
      cpArrayPush(constraints, &state->joints[i]->as.constraint);
  state->order_changed = false;
}

void space_sync(space_o *state, const space_body_t *bodies, uint32_t body_count, const space_collider_t *colliders,
                uint32_t collider_count, const space_joint_t *joints, uint32_t joint_count) {
  bool is_new_space = !state->space;
  if (is_new_space) {
    state->space = create_chipmunk_space();
    state->space->curr_dt = state->last_dt_s;
    state->ground = cpSpaceGetStaticBody(state->space);
    contacts_install(state);
  }
  uint32_t unused_count = has_same_bodies(state, bodies, body_count) ? 0 : list_bodies(state, bodies, body_count);
  map_bodies(state);
  for (uint32_t i = 0; i < body_count; ++i)
    body_update(state->bodies[i], &bodies[i]);
  if (!has_same_joints(state, joints, joint_count))
    list_joints(state, joints, joint_count);
  update_joints(state, joints, joint_count);
  if (!has_matching_shapes(state, colliders, collider_count))
    list_shapes(state, colliders, collider_count);
  update_shapes(state, colliders, collider_count);
  drop_bodies(state, body_count, unused_count);
  update_masses(state);
  update_solvable_joints(state);
  if (state->order_changed)
    sort_lists(state);
  if (is_new_space)
    contacts_restore(state);
}

void space_step(space_o *state, const space_settings_t *settings, double dt_s, space_body_t *bodies,
                space_joint_t *joints) {
  cpSpace *space = state->space;
  space->gravity =
      cpv(sanitize_number(settings->gravity_x, MAX_SPEED), sanitize_number(settings->gravity_y, MAX_SPEED));
  space->damping = 1 - sanitize_between(settings->damping, 0, 1);
  space->iterations = (int)sanitize_between(settings->iterations, 1, 1000);
  state->begun_count = 0;
  cpSpaceStep(space, sanitize_between(dt_s, 0, 1));
  state->last_dt_s = space->curr_dt;
  state->stored_contacts_current = false;
  bool is_finite = true;
  for (uint32_t i = 0; i < state->body_count; ++i)
    is_finite = body_read(state->bodies[i], &bodies[i]) && is_finite;
  if (!is_finite)
    contacts_sanitize(state);
  for (uint32_t i = 0; i < state->joint_count; ++i)
    joint_read(state->joints[i], &joints[i]);
  contacts_report(state);
}

// --- saving

// Header of the saved data. The contacts follow without padding: each is a saved_contact_t, followed by its 0 to 2
// points.
typedef struct saved_header_t {
  uint32_t count, bytes;
  double last_dt_s;
} saved_header_t;

typedef struct saved_contact_t {
  uint32_t a, b;
  uint16_t check_a, check_b;
  uint8_t count, state;
  uint16_t age;
} saved_contact_t;

typedef struct saved_point_t {
  uint64_t hash;
  double normal, tangent;
} saved_point_t;

size_t space_save_bytes(space_o *state) {
  contacts_store(state);
  size_t bytes = sizeof(saved_header_t);
  for (uint32_t i = 0; i < state->stored_count; ++i)
    bytes += sizeof(saved_contact_t) + state->stored_contacts[i].count * sizeof(saved_point_t);
  return bytes;
}

void space_save(space_o *state, void *bytes) {
  size_t size = space_save_bytes(state);
  uint8_t *cursor = bytes;
  memcpy(cursor, &(saved_header_t){state->stored_count, (uint32_t)size, state->last_dt_s}, sizeof(saved_header_t));
  cursor += sizeof(saved_header_t);
  for (uint32_t i = 0; i < state->stored_count; ++i) {
    const stored_contact_t *contact = &state->stored_contacts[i];
    saved_contact_t header = {contact->a,     contact->b,     contact->check_a, contact->check_b,
                              contact->count, contact->state, contact->age};
    memcpy(cursor, &header, sizeof header);
    cursor += sizeof header;
    for (uint32_t p = 0; p < contact->count; ++p, cursor += sizeof(saved_point_t))
      memcpy(cursor, &(saved_point_t){contact->hash[p], contact->normal[p], contact->tangent[p]},
             sizeof(saved_point_t));
  }
}

static bool read_contact(stored_contact_t *contact, const uint8_t **cursor, const uint8_t *end) {
  saved_contact_t header;
  if ((size_t)(end - *cursor) < sizeof header)
    return false;
  memcpy(&header, *cursor, sizeof header);
  *cursor += sizeof header;
  *contact = (stored_contact_t){.a = header.a,
                                .b = header.b,
                                .check_a = header.check_a,
                                .check_b = header.check_b,
                                .count = header.count,
                                .state = header.state,
                                .age = header.age};
  bool is_known_state = header.state == CP_ARBITER_STATE_NORMAL || header.state == CP_ARBITER_STATE_CACHED;
  if (!is_known_state || header.count > 2 || header.age > 3 || header.a == 0 || header.b == 0 || header.a == header.b ||
      (size_t)(end - *cursor) < header.count * sizeof(saved_point_t))
    return false;
  for (uint32_t p = 0; p < header.count; ++p, *cursor += sizeof(saved_point_t)) {
    saved_point_t point;
    memcpy(&point, *cursor, sizeof point);
    if (!(fabs(point.normal) <= 1e15 && fabs(point.tangent) <= 1e15))
      return false;
    contact->hash[p] = point.hash;
    contact->normal[p] = point.normal;
    contact->tangent[p] = point.tangent;
  }
  return true;
}

static bool read_contacts(space_o *state, const uint8_t *bytes, size_t size) {
  saved_header_t header;
  if (size < sizeof header)
    return false;
  memcpy(&header, bytes, sizeof header);
  const uint8_t *cursor = bytes + sizeof header, *end = bytes + size;
  if (header.bytes != size || header.count > (size - sizeof header) / sizeof(saved_contact_t) ||
      !(header.last_dt_s >= 0 && header.last_dt_s <= 1))
    return false;
  GROW(state->stored_contacts, state->stored_capacity, header.count);
  for (uint32_t i = 0; i < header.count; ++i)
    if (!read_contact(&state->stored_contacts[i], &cursor, end))
      return false;
  state->stored_count = header.count;
  state->last_dt_s = header.last_dt_s;
  return cursor == end;
}

bool space_load(space_o *state, const void *bytes, size_t size) {
  drop_all_objects(state);
  state->stored_count = state->ended_count = state->begun_count = state->contact_count = 0;
  state->last_dt_s = 0;
  state->stored_contacts_current = true;
  bool is_valid = size == 0 || read_contacts(state, bytes, size);
  if (!is_valid) {
    state->stored_count = 0;
    state->last_dt_s = 0;
  }
  return is_valid;
}
