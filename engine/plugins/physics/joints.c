// Converts rows of joints to Chipmunk constraints.
#include "space_internal.h"

#include <math.h>
#include <string.h>

static double sanitize_parameter(float value) {
  return sanitize_number((double)value, 1e9);
}

static cpVect get_anchor(float x, float y) {
  return cpv(sanitize_number((double)x, 1e6), sanitize_number((double)y, 1e6));
}

static void init_constraint(live_joint_t *joint, const space_joint_t *row, cpBody *a, cpBody *b) {
  cpVect anchor_a = get_anchor(row->ax, row->ay), anchor_b = get_anchor(row->bx, row->by);
  switch (row->kind) {
  case JOINT_PIN: cpPinJointInit(&joint->as.pin, a, b, anchor_a, anchor_b); break;
  case JOINT_SLIDE: cpSlideJointInit(&joint->as.slide, a, b, anchor_a, anchor_b, 0, 1); break;
  case JOINT_SPRING: cpDampedSpringInit(&joint->as.spring, a, b, anchor_a, anchor_b, 0, 0, 0); break;
  case JOINT_GROOVE: cpGrooveJointInit(&joint->as.groove, a, b, anchor_a, cpvadd(anchor_a, cpv(1, 0)), anchor_b); break;
  case JOINT_TURN_SPRING: cpDampedRotarySpringInit(&joint->as.turn_spring, a, b, 0, 0, 0); break;
  case JOINT_TURN_LIMIT: cpRotaryLimitJointInit(&joint->as.turn_limit, a, b, 0, 0); break;
  case JOINT_GEAR: cpGearJointInit(&joint->as.gear, a, b, 0, 1); break;
  case JOINT_MOTOR: cpSimpleMotorInit(&joint->as.motor, a, b, 0); break;
  default: cpPivotJointInit(&joint->as.pivot, a, b, anchor_a, anchor_b);
  }
}

static bool can_move(const space_o *state, const cpBody *body, bool by_rotation) {
  const live_body_t *live = (const live_body_t *)body;
  return body != state->ground && live->kind == BODY_DYNAMIC && !(by_rotation && live->fixed_rotation);
}

bool joint_is_valid(const space_o *state, const space_joint_t *row, const cpBody *a, const cpBody *b) {
  bool by_rotation = row->kind >= JOINT_TURN_SPRING;
  return a != b && (can_move(state, a, by_rotation) || can_move(state, b, by_rotation));
}

void joint_init(space_o *state, live_joint_t *joint, const space_joint_t *row, cpBody *a, cpBody *b) {
  memset(joint, 0, sizeof *joint);
  joint->entity = row->entity;
  joint->kind = row->kind;
  joint->a = a;
  joint->b = b;
  joint->in_space = joint_is_valid(state, row, a, b);
  if (!joint->in_space)
    return;
  init_constraint(joint, row, a, b);
  cpSpaceAddConstraint(state->space, &joint->as.constraint);
}

static double get_rotational_response(const cpBody *body, double reach_squared) {
  return body->i_inv * reach_squared;
}

// Returns true if the joint can be solved. Only a pivot or a groove may be unsolvable. Chipmunk divides by a
// determinant, which is rounded to 0 if the point is too far from the centres and the moments of inertia are too small.
bool joint_is_solvable(const live_joint_t *joint) {
  const double MAX_RATIO = 1e10; // limit, well below 1/DBL_EPSILON (4.5e15), where the determinant is rounded to 0
  double mass = joint->a->m_inv + joint->b->m_inv;
  if (joint->kind == JOINT_PIVOT) {
    const cpPivotJoint *pivot = &joint->as.pivot;
    return get_rotational_response(joint->a, cpvlengthsq(pivot->anchorA)) +
               get_rotational_response(joint->b, cpvlengthsq(pivot->anchorB)) <
           mass * MAX_RATIO;
  }
  if (joint->kind == JOINT_GROOVE) {
    const cpGrooveJoint *groove = &joint->as.groove;
    double reach = fmax(cpvlengthsq(groove->grv_a), cpvlengthsq(groove->grv_b));
    return get_rotational_response(joint->a, reach) + get_rotational_response(joint->b, cpvlengthsq(groove->anchorB)) <
           mass * MAX_RATIO;
  }
  return true;
}

void joint_fini(space_o *state, live_joint_t *joint) {
  if (!joint->in_space)
    return;
  cpSpaceRemoveConstraint(state->space, &joint->as.constraint);
  cpConstraintDestroy(&joint->as.constraint);
  joint->in_space = false;
}

static void set_groove(cpGrooveJoint *groove, const space_joint_t *row) {
  cpVect start = get_anchor(row->ax, row->ay), end = get_anchor(row->min, row->max);
  if (cpvdistsq(start, end) < 1e-6)
    end = cpvadd(start, cpv(1, 0));
  groove->grv_a = start;
  groove->grv_b = end;
  groove->grv_n = cpvperp(cpvnormalize(cpvsub(end, start)));
  groove->anchorB = get_anchor(row->bx, row->by);
}

static void set_angles(live_joint_t *joint, const space_joint_t *row) {
  switch (row->kind) {
  case JOINT_TURN_SPRING:
    joint->as.turn_spring.restAngle = sanitize_parameter(row->length);
    joint->as.turn_spring.stiffness = sanitize_parameter(row->stiffness);
    joint->as.turn_spring.damping = sanitize_between((double)row->damping, 0, 1e9);
    break;
  case JOINT_TURN_LIMIT:
    joint->as.turn_limit.min = sanitize_parameter(row->min);
    joint->as.turn_limit.max = sanitize_parameter(row->max);
    joint->as.turn_limit.jAcc = sanitize_number(row->impulse_x, 1e15);
    break;
  case JOINT_GEAR:
    joint->as.gear.phase = sanitize_parameter(row->length);
    joint->as.gear.ratio = fabs((double)row->ratio) > 1e-6 ? sanitize_parameter(row->ratio) : 1;
    joint->as.gear.ratio_inv = 1 / joint->as.gear.ratio;
    joint->as.gear.jAcc = sanitize_number(row->impulse_x, 1e15);
    break;
  default:
    joint->as.motor.rate = sanitize_parameter(row->rate);
    joint->as.motor.jAcc = sanitize_number(row->impulse_x, 1e15);
  }
}

static void set_anchors(live_joint_t *joint, const space_joint_t *row) {
  cpVect anchor_a = get_anchor(row->ax, row->ay), anchor_b = get_anchor(row->bx, row->by);
  double impulse = sanitize_number(row->impulse_x, 1e15);
  cpVect impulse_vector = cpv(impulse, sanitize_number(row->impulse_y, 1e15));
  switch (row->kind) {
  case JOINT_PIN:
    joint->as.pin.anchorA = anchor_a;
    joint->as.pin.anchorB = anchor_b;
    joint->as.pin.dist = fabs(sanitize_parameter(row->length));
    joint->as.pin.jnAcc = impulse;
    break;
  case JOINT_SLIDE:
    joint->as.slide.anchorA = anchor_a;
    joint->as.slide.anchorB = anchor_b;
    joint->as.slide.min = fabs(sanitize_parameter(row->min));
    joint->as.slide.max = fmax(fabs(sanitize_parameter(row->max)), joint->as.slide.min);
    joint->as.slide.jnAcc = impulse;
    break;
  case JOINT_SPRING:
    joint->as.spring.anchorA = anchor_a;
    joint->as.spring.anchorB = anchor_b;
    joint->as.spring.restLength = sanitize_parameter(row->length);
    joint->as.spring.stiffness = sanitize_parameter(row->stiffness);
    joint->as.spring.damping = sanitize_between((double)row->damping, 0, 1e9);
    break;
  case JOINT_GROOVE:
    set_groove(&joint->as.groove, row);
    joint->as.groove.jAcc = impulse_vector;
    break;
  default:
    joint->as.pivot.anchorA = anchor_a;
    joint->as.pivot.anchorB = anchor_b;
    joint->as.pivot.jAcc = impulse_vector;
  }
}

void joint_update(live_joint_t *joint, const space_joint_t *row) {
  if (!joint->in_space)
    return;
  cpConstraint *constraint = &joint->as.constraint;
  constraint->collideBodies = row->collide;
  constraint->maxForce = row->max_force > 0 ? sanitize_between((double)row->max_force, 1e-9, 1e15) : INFINITY;
  if (row->kind < JOINT_TURN_SPRING)
    set_anchors(joint, row);
  else
    set_angles(joint, row);
}

void joint_read(const live_joint_t *joint, space_joint_t *row) {
  row->impulse_x = row->impulse_y = 0;
  if (!joint->in_space)
    return;
  switch (joint->kind) {
  case JOINT_PIVOT:
    row->impulse_x = joint->as.pivot.jAcc.x;
    row->impulse_y = joint->as.pivot.jAcc.y;
    break;
  case JOINT_GROOVE:
    row->impulse_x = joint->as.groove.jAcc.x;
    row->impulse_y = joint->as.groove.jAcc.y;
    break;
  case JOINT_PIN: row->impulse_x = joint->as.pin.jnAcc; break;
  case JOINT_SLIDE: row->impulse_x = joint->as.slide.jnAcc; break;
  case JOINT_TURN_LIMIT: row->impulse_x = joint->as.turn_limit.jAcc; break;
  case JOINT_GEAR: row->impulse_x = joint->as.gear.jAcc; break;
  case JOINT_MOTOR: row->impulse_x = joint->as.motor.jAcc; break;
  default: break; // springs store no impulse
  }
  row->impulse_x = sanitize_number(row->impulse_x, 1e15);
  row->impulse_y = sanitize_number(row->impulse_y, 1e15);
}
