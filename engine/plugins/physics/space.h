// A Chipmunk space whose state is in the world. The rows are authoritative: before a step each body, shape and joint is
// updated from its row, and after it the rows of bodies and joints are written. The only other state, the impulses of
// contacts (the solver's warm start), can be saved as bytes and loaded (space_save, space_load). A space that is
// rebuilt from rows and bytes continues bit for bit like the original; broadphase.h makes that possible. Bodies do not
// sleep.
//
// Independent of Shoal. Angles in radians, lengths in pixels, times in seconds. Non-finite and absurd numbers are
// replaced by the nearest sensible ones, because Chipmunk would end the process.
#ifndef SHOAL_PHYSICS_SPACE_H
#define SHOAL_PHYSICS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct space_o space_o;

typedef enum body_kind_t { BODY_DYNAMIC, BODY_KINEMATIC, BODY_STATIC } body_kind_t;

// In and out: space_step writes position, velocity and bias, and sets force and torque to 0.
typedef struct space_body_t {
  uint32_t entity; // unique, not 0
  uint8_t kind;
  bool fixed_rotation;
  float mass, moment; // `moment` 0: computed from the colliders
  float gravity;      // factor of the space's gravity
  float damping;      // part of the velocity that is lost per second, 0 … 1
  double x, y, angle;
  double vx, vy, spin;
  double force_x, force_y, torque;
  double bias_x, bias_y, bias_spin; // correction of overlaps by the solver, for the next step
} space_body_t;

typedef enum collider_kind_t { COLLIDER_CIRCLE, COLLIDER_BOX, COLLIDER_POLYGON, COLLIDER_SEGMENT } collider_kind_t;

#define SPACE_MAX_POINTS 32

typedef struct space_collider_t {
  uint32_t entity; // not 0; each once
  uint32_t body;   // entity of the body; 0: static at x, y and angle
  uint8_t kind;
  bool sensor;
  double x, y, angle; // centre, in the space of the body
  float radius;       // radius of a circle; corner radius of others
  float width, height;
  float friction, bounce, surface_x, surface_y;
  uint32_t category, mask, group;
  float scale_x, scale_y; // of all above except x, y and angle
  const char
      *points; // polygon: "x,y x,y …", of which the convex hull counts; segment: two points. Borrowed during the call
} space_collider_t;

typedef enum joint_kind_t {
  JOINT_PIVOT,  // a common point
  JOINT_PIN,    // a rigid rod of `length`
  JOINT_SLIDE,  // a rope: `min` … `max`
  JOINT_SPRING, // `length`, `stiffness`, `damping`
  JOINT_GROOVE, // anchor b stays on a's line from anchor a to (min, max)
  JOINT_TURN_SPRING,
  JOINT_TURN_LIMIT, // angle of b minus angle of a: `min` … `max`
  JOINT_GEAR,       // `length` is the phase, `ratio`
  JOINT_MOTOR       // `rate` radians per second
} joint_kind_t;

typedef struct space_joint_t {
  uint32_t entity; // not 0; each once
  uint8_t kind;
  bool collide;  // the two bodies collide with each other
  uint32_t a, b; // entities of bodies; 0: the world
  float ax, ay, bx, by;
  float length, min, max, stiffness, damping, ratio, rate;
  float max_force;             // 0: no limit
  double impulse_x, impulse_y; // in and out: warm start of the solver
} space_joint_t;

typedef struct space_settings_t {
  double gravity_x, gravity_y, damping; // damping: part of the velocity that is lost per second
  uint32_t iterations;
} space_settings_t;

typedef struct space_contact_t {
  uint32_t a, b; // entities of the colliders; a removed one may no longer be alive
  bool begins;   // false: the contact ends
  bool sensor;
  float x, y, nx, ny; // the normal points from a to b; all 0 if the contact ends
  float depth, speed; // overlap, and approach velocity along the normal
  float impulse;      // in this step
} space_contact_t;

typedef struct space_hit_t {
  uint32_t entity;
  float x, y, nx, ny;
  float part; // ray: 0 at its start, 1 at its end; point: distance, negative inside
} space_hit_t;

space_o *space_create(void);
void space_destroy(space_o *s);

// Updates the space from rows, whose order is the order in which contacts and joints are solved. Required before
// space_step, and before searches after rows changed.
void space_sync(space_o *s, const space_body_t *bodies, uint32_t body_count, const space_collider_t *colliders,
                uint32_t collider_count, const space_joint_t *joints, uint32_t joint_count);
// Runs a step, after space_sync with the same bodies and joints.
void space_step(space_o *s, const space_settings_t *settings, double dt_s, space_body_t *bodies, space_joint_t *joints);
// Returns the contacts that began in the last step, in the order of the rows, then those that ended, ordered by
// entities. Valid until the next step.
const space_contact_t *space_contacts(const space_o *s, uint32_t *count);
// Writes the colliders that touch `entity` since the last step to `out`, at most `max`. Returns their number.
uint32_t space_touching(space_o *s, uint32_t entity, uint32_t *out, uint32_t max);

// Save the impulses. Equal states give equal bytes.
size_t space_save_bytes(space_o *s);
void space_save(space_o *s, void *bytes);
// Loads impulses; the next space_sync rebuilds everything. Returns false if the bytes are invalid: it then rebuilds
// without impulses.
bool space_load(space_o *s, const void *bytes, size_t size);

// Searches, in the state of the last space_sync or step, for colliders with a category in `mask`. space_ray finds the
// first hit of a ray with a width of 2 × radius; false if there is none.
bool space_ray(space_o *s, double x1, double y1, double x2, double y2, double radius, uint32_t mask, space_hit_t *hit);
// Finds colliders within `radius` of a point, nearest first, at most `max`. Returns their number.
uint32_t space_near(space_o *s, double x, double y, double radius, uint32_t mask, space_hit_t *out, uint32_t max);
// Finds colliders whose bounding boxes overlap a box, ordered by entity.
uint32_t space_in_box(space_o *s, double left, double top, double right, double bottom, uint32_t mask, uint32_t *out,
                      uint32_t max);

// Returns whether Chipmunk rounds products before adding them. Libraries of some arm64 distributions use fused
// multiply-add and compute other worlds.
bool space_is_exact(void);

#endif
