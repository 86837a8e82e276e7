// Converts rows of joints to Chipmunk constraints.
#include "space_internal.h"

#include <math.h>
#include <string.h>

static double finite_number(float value) {
  return sanitize_number((double)value, 1e9);
}

static cpVect finite_anchor(float x, float y) {
  return cpv(sanitize_number((double)x, 1e6), sanitize_number((double)y, 1e6));
}

static void init_constraint(live_joint_t *j, const space_joint_t *row, cpBody *a, cpBody *b) {
  cpVect at_a = finite_anchor(row->ax, row->ay), at_b = finite_anchor(row->bx, row->by);
  switch (row->kind) {
  case JOINT_PIN: cpPinJointInit(&j->as.pin, a, b, at_a, at_b); break;
  case JOINT_SLIDE: cpSlideJointInit(&j->as.slide, a, b, at_a, at_b, 0, 1); break;
  case JOINT_SPRING: cpDampedSpringInit(&j->as.spring, a, b, at_a, at_b, 0, 0, 0); break;
  case JOINT_GROOVE: cpGrooveJointInit(&j->as.groove, a, b, at_a, cpvadd(at_a, cpv(1, 0)), at_b); break;
  case JOINT_TURN_SPRING: cpDampedRotarySpringInit(&j->as.turn_spring, a, b, 0, 0, 0); break;
  case JOINT_TURN_LIMIT: cpRotaryLimitJointInit(&j->as.turn_limit, a, b, 0, 0); break;
  case JOINT_GEAR: cpGearJointInit(&j->as.gear, a, b, 0, 1); break;
  case JOINT_MOTOR: cpSimpleMotorInit(&j->as.motor, a, b, 0); break;
  default: cpPivotJointInit(&j->as.pivot, a, b, at_a, at_b);
  }
}

static bool can_move(const space_o *s, const cpBody *body, bool by_turning) {
  const live_body_t *live = (const live_body_t *)body;
  return body != s->ground && live->kind == BODY_DYNAMIC && !(by_turning && live->fixed_rotation);
}

bool joint_is_valid(const space_o *s, const space_joint_t *row, const cpBody *a, const cpBody *b) {
  bool by_turning = row->kind >= JOINT_TURN_SPRING;
  return a != b && (can_move(s, a, by_turning) || can_move(s, b, by_turning));
}

void joint_init(space_o *s, live_joint_t *joint, const space_joint_t *row, cpBody *a, cpBody *b) {
  memset(joint, 0, sizeof *joint);
  joint->entity = row->entity;
  joint->kind = row->kind;
  joint->a = a;
  joint->b = b;
  joint->in_space = joint_is_valid(s, row, a, b);
  if (!joint->in_space)
    return;
  init_constraint(joint, row, a, b);
  cpSpaceAddConstraint(s->space, &joint->as.constraint);
}

static double rotational_response(const cpBody *body, double reach_squared) {
  return body->i_inv * reach_squared;
}

// Returns true if the joint can be solved. Only a pivot or a groove may be unsolvable. Chipmunk divides by a
// determinant. The farther the point is from the centres, and the smaller the moments of inertia are, the smaller is
// this determinant, until it is rounded to 0.
bool joint_is_solvable(const live_joint_t *j) {
  const double MAX = 1e10; // well below 1/DBL_EPSILON (4.5e15), where the determinant is rounded to 0
  double mass = j->a->m_inv + j->b->m_inv;
  if (j->kind == JOINT_PIVOT) {
    const cpPivotJoint *pivot = &j->as.pivot;
    return rotational_response(j->a, cpvlengthsq(pivot->anchorA)) +
               rotational_response(j->b, cpvlengthsq(pivot->anchorB)) <
           mass * MAX;
  }
  if (j->kind == JOINT_GROOVE) {
    const cpGrooveJoint *groove = &j->as.groove;
    double reach = fmax(cpvlengthsq(groove->grv_a), cpvlengthsq(groove->grv_b));
    return rotational_response(j->a, reach) + rotational_response(j->b, cpvlengthsq(groove->anchorB)) < mass * MAX;
  }
  return true;
}

void joint_fini(space_o *s, live_joint_t *joint) {
  if (!joint->in_space)
    return;
  cpSpaceRemoveConstraint(s->space, &joint->as.constraint);
  cpConstraintDestroy(&joint->as.constraint);
  joint->in_space = false;
}

static void set_groove(cpGrooveJoint *groove, const space_joint_t *row) {
  cpVect from = finite_anchor(row->ax, row->ay), to = finite_anchor(row->min, row->max);
  if (cpvdistsq(from, to) < 1e-6)
    to = cpvadd(from, cpv(1, 0));
  groove->grv_a = from;
  groove->grv_b = to;
  groove->grv_n = cpvperp(cpvnormalize(cpvsub(to, from)));
  groove->anchorB = finite_anchor(row->bx, row->by);
}

static void set_angles(live_joint_t *j, const space_joint_t *row) {
  switch (row->kind) {
  case JOINT_TURN_SPRING:
    j->as.turn_spring.restAngle = finite_number(row->length);
    j->as.turn_spring.stiffness = finite_number(row->stiffness);
    j->as.turn_spring.damping = sanitize_between((double)row->damping, 0, 1e9);
    break;
  case JOINT_TURN_LIMIT:
    j->as.turn_limit.min = finite_number(row->min);
    j->as.turn_limit.max = finite_number(row->max);
    j->as.turn_limit.jAcc = sanitize_number(row->impulse_x, 1e15);
    break;
  case JOINT_GEAR:
    j->as.gear.phase = finite_number(row->length);
    j->as.gear.ratio = fabs((double)row->ratio) > 1e-6 ? finite_number(row->ratio) : 1;
    j->as.gear.ratio_inv = 1 / j->as.gear.ratio;
    j->as.gear.jAcc = sanitize_number(row->impulse_x, 1e15);
    break;
  default: j->as.motor.rate = finite_number(row->rate); j->as.motor.jAcc = sanitize_number(row->impulse_x, 1e15);
  }
}

static void set_anchors(live_joint_t *j, const space_joint_t *row) {
  cpVect at_a = finite_anchor(row->ax, row->ay), at_b = finite_anchor(row->bx, row->by);
  double impulse = sanitize_number(row->impulse_x, 1e15);
  cpVect both = cpv(impulse, sanitize_number(row->impulse_y, 1e15));
  switch (row->kind) {
  case JOINT_PIN:
    j->as.pin.anchorA = at_a;
    j->as.pin.anchorB = at_b;
    j->as.pin.dist = fabs(finite_number(row->length));
    j->as.pin.jnAcc = impulse;
    break;
  case JOINT_SLIDE:
    j->as.slide.anchorA = at_a;
    j->as.slide.anchorB = at_b;
    j->as.slide.min = fabs(finite_number(row->min));
    j->as.slide.max = fmax(fabs(finite_number(row->max)), j->as.slide.min);
    j->as.slide.jnAcc = impulse;
    break;
  case JOINT_SPRING:
    j->as.spring.anchorA = at_a;
    j->as.spring.anchorB = at_b;
    j->as.spring.restLength = finite_number(row->length);
    j->as.spring.stiffness = finite_number(row->stiffness);
    j->as.spring.damping = sanitize_between((double)row->damping, 0, 1e9);
    break;
  case JOINT_GROOVE:
    set_groove(&j->as.groove, row);
    j->as.groove.jAcc = both;
    break;
  default:
    j->as.pivot.anchorA = at_a;
    j->as.pivot.anchorB = at_b;
    j->as.pivot.jAcc = both;
  }
}

void joint_update(live_joint_t *joint, const space_joint_t *row) {
  if (!joint->in_space)
    return;
  cpConstraint *c = &joint->as.constraint;
  c->collideBodies = row->collide;
  c->maxForce = row->max_force > 0 ? sanitize_between((double)row->max_force, 1e-9, 1e15) : INFINITY;
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
