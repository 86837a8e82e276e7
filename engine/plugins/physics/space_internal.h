// Private declarations of the physics space. Live bodies, shapes and joints have the same index as their row.
#ifndef SHOAL_PHYSICS_SPACE_INTERNAL_H
#define SHOAL_PHYSICS_SPACE_INTERNAL_H

#include "space.h"

#include <chipmunk/chipmunk_private.h>

#define NOT_LIVE UINT32_MAX

typedef struct live_body_t {
  cpBody body; // must be first: Chipmunk passes a cpBody to `velocity_func`
  uint32_t entity;
  uint8_t kind;
  bool fixed_rotation, mass_outdated; // true if the body cannot rotate; true if mass and moment must be recomputed
  float mass, moment, gravity, damping;
  double area, moments; // sums over the colliders of the body
} live_body_t;

typedef struct live_shape_t {
  union {
    cpShape shape;
    cpCircleShape circle;
    cpSegmentShape segment;
    cpPolyShape poly;
  } as;                 // must be first, to convert a cpShape to its live_shape_t
  space_collider_t row; // most recent row of the shape, without `points`
  uint64_t points_hash;
  cpBody *body;
  uint16_t check;     // hash of the body, its type and the kind; stored contacts are restored only if this hash matches
  double unit_moment; // moment of inertia per mass
  double area;
} live_shape_t;

typedef struct live_joint_t {
  union {
    cpConstraint constraint;
    cpPivotJoint pivot;
    cpPinJoint pin;
    cpSlideJoint slide;
    cpDampedSpring spring;
    cpGrooveJoint groove;
    cpDampedRotarySpring turn_spring;
    cpRotaryLimitJoint turn_limit;
    cpGearJoint gear;
    cpSimpleMotor motor;
  } as; // must be first
  uint32_t entity;
  uint8_t kind;
  cpBody *a, *b;
  bool in_space; // true if the joint is in the space; false if joint_is_valid rejected it
  bool solvable; // result of joint_is_solvable
} live_joint_t;

// A stored contact: the values from which the solver starts.
typedef struct stored_contact_t {
  uint32_t a, b; // entities of the two shapes
  uint16_t check_a, check_b;
  uint8_t count; // number of points, 0 to 2
  uint8_t state; // state of the arbiter
  uint16_t age;  // number of steps since the shapes last touched
  uint64_t hash[2];
  double normal[2], tangent[2];
} stored_contact_t;

// A map from entities to numbers, with open addressing.
typedef struct number_map_t {
  uint32_t *keys, *values;
  uint32_t size, key_capacity, value_capacity;
} number_map_t;

typedef struct begun_contact_t {
  cpArbiter *arbiter;
  space_contact_t contact;
} begun_contact_t;

struct space_o {
  cpSpace *space; // Chipmunk's space; NULL before the first sync and after a load
  cpBody *ground; // the space's static body
  live_body_t **bodies;
  uint32_t body_count, body_capacity;
  live_shape_t **shapes;
  uint32_t shape_count, shape_capacity;
  live_joint_t **joints;
  uint32_t joint_count, joint_capacity;
  void **previous_list; // scratch memory: the previous version of a list whose rows have changed
  uint32_t previous_capacity;
  number_map_t map, body_map; // scratch memory, and map from entities to indices in `bodies`
  stored_contact_t *stored_contacts;
  uint32_t stored_count, stored_capacity;
  bool stored_contacts_current; // true if `stored_contacts` contains the current state of the arbiters
  double last_dt_s;
  bool order_changed; // true if Chipmunk's lists must be sorted in the order of the rows
  bool bodies_mapped;
  begun_contact_t *begun_contacts; // contacts that began in the current step
  uint32_t begun_count, begun_capacity;
  space_contact_t *ended_contacts; // contacts that ended since the previous step
  uint32_t ended_count, ended_capacity;
  space_contact_t *contacts; // contacts of the last step
  uint32_t contact_count, contact_capacity;
  void *sorted; // scratch memory of searches
  uint32_t sorted_capacity;
};

void number_map_clear(number_map_t *map, uint32_t count);
void number_map_put(number_map_t *map, uint32_t key, uint32_t value);
uint32_t number_map_get(const number_map_t *map, uint32_t key); // returns the value of a key; NOT_LIVE if it is missing

double sanitize_number(double value, double limit); // returns the value clamped to ±limit; 0 for NaN
double sanitize_between(double value, double low, double high);
uint64_t space_hash_text(const char *text);

// Implemented in shapes.c.
void shape_init(space_o *state, live_shape_t *shape, const space_collider_t *row, cpBody *body);
// Updates a shape from its row, whose kind must be unchanged. Returns true if the outline has changed.
bool shape_update(live_shape_t *shape, const space_collider_t *row);

void shape_fini(space_o *state, live_shape_t *shape);

// Implemented in joints.c. joint_is_valid returns true if the bodies differ and at least one of them can move. A joint
// that is not valid is not added to the space, because Chipmunk terminates the process for a joint between two
// immovable bodies.
bool joint_is_valid(const space_o *state, const space_joint_t *row, const cpBody *a, const cpBody *b);
// Returns true if the joint can be solved with the current masses and moments. A joint that cannot be solved is
// inactive.
bool joint_is_solvable(const live_joint_t *joint);
void joint_init(space_o *state, live_joint_t *joint, const space_joint_t *row, cpBody *a, cpBody *b);
void joint_update(live_joint_t *joint, const space_joint_t *row); // sets parameters and impulses
void joint_read(const live_joint_t *joint, space_joint_t *row);   // reads the impulses
void joint_fini(space_o *state, live_joint_t *joint);

// Implemented in contacts.c.
void contacts_install(space_o *state); // sets the collision handlers of a new space
void contacts_restore(space_o *state); // converts the stored contacts to arbiters; contacts that cannot be restored end
void contacts_store(space_o *state);   // converts arbiters to the stored contacts
void contacts_sanitize(space_o *state); // replaces NaN and extremely large impulses
void contacts_report(space_o *state);   // call after a step: moves begun_contacts and ended_contacts to contacts

static inline live_shape_t *to_live_shape(const cpShape *shape) {
  return (live_shape_t *)(uintptr_t)shape;
}

#endif
