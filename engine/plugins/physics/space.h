// A Chipmunk space that forgets nothing which the world does not know. The rows of the world are the truth: before a
// step every body, shape and joint is brought to what its row says, and after it the bodies' and joints' rows are
// written. What Chipmunk keeps besides is the impulses of the contacts, to start the next solution from: they can be
// taken out as bytes and put back (space_save, space_load). A space that is built anew from rows and bytes goes on
// bit for bit as the one that they were taken from. broadphase.h is the other half of that. Bodies do not sleep.
//
// Knows nothing of Shoal. Angles in radians, lengths in pixels, times in seconds. Numbers that are not finite, or
// absurd, are replaced by the nearest sensible ones: Chipmunk would end the process.
#ifndef SHOAL_PHYSICS_SPACE_H
#define SHOAL_PHYSICS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct space_o space_o;

typedef enum body_kind_t { BODY_DYNAMIC, BODY_KINEMATIC, BODY_STATIC } body_kind_t;

// In and out: `space_step` writes place, velocity and bias, and zeroes force and torque.
typedef struct space_body_t {
  uint32_t entity; // not 0; each once
  uint8_t kind;
  bool fixed_rotation;
  float mass, moment; // moment 0: from the colliders
  float gravity;      // times the space's
  float damping;      // part of the velocity that is lost in a second, 0 … 1
  double x, y, angle;
  double vx, vy, spin;
  double force_x, force_y, torque;
  double bias_x, bias_y, bias_spin; // the solver's push out of an overlap, on its way into the next step
} space_body_t;

typedef enum collider_kind_t { COLLIDER_CIRCLE, COLLIDER_BOX, COLLIDER_POLYGON, COLLIDER_SEGMENT } collider_kind_t;

#define SPACE_MAX_POINTS 32

typedef struct space_collider_t {
  uint32_t entity; // not 0; each once
  uint32_t body;   // entity of the body; 0: rests where x, y and angle say
  uint8_t kind;
  bool sensor;
  double x, y, angle; // the middle, in the body's space
  float radius;       // of a circle; of the others: how round the corners are
  float width, height;
  float friction, bounce, surface_x, surface_y;
  uint32_t category, mask, group;
  float scale_x, scale_y; // of everything above but x, y and angle
  const char
      *points; // of a polygon: "x,y x,y …", whose convex hull counts; of a segment: two of them. Borrowed for the call
} space_collider_t;

typedef enum joint_kind_t {
  JOINT_PIVOT,  // one common point
  JOINT_PIN,    // a rigid rod of `length`
  JOINT_SLIDE,  // a rope: `min` … `max`
  JOINT_SPRING, // `length`, `stiffness`, `damping`
  JOINT_GROOVE, // anchor b stays on a's line from anchor a to (min, max)
  JOINT_TURN_SPRING,
  JOINT_TURN_LIMIT, // b's angle less a's: `min` … `max`
  JOINT_GEAR,       // `length` is the phase, `ratio`
  JOINT_MOTOR       // `rate` radians a second
} joint_kind_t;

typedef struct space_joint_t {
  uint32_t entity; // not 0; each once
  uint8_t kind;
  bool collide;  // do the two bodies collide with each other?
  uint32_t a, b; // entities of bodies; 0 is the world
  float ax, ay, bx, by;
  float length, min, max, stiffness, damping, ratio, rate;
  float max_force;             // 0: no limit
  double impulse_x, impulse_y; // in and out: what the solver starts from
} space_joint_t;

typedef struct space_settings_t {
  double gravity_x, gravity_y, damping; // damping: part of the velocity that is lost in a second
  uint32_t iterations;
} space_settings_t;

typedef struct space_contact_t {
  uint32_t a, b; // entities of the colliders; a collider that was removed may be dead
  bool begins;   // false: they part
  bool sensor;
  float x, y, nx, ny; // the normal points from a to b; all 0 when they part
  float depth, speed; // how deep; how fast they meet, along the normal
  float impulse;      // of this step
} space_contact_t;

typedef struct space_hit_t {
  uint32_t entity;
  float x, y, nx, ny;
  float part; // of a ray: 0 at its start, 1 at its end; of a point: the distance, negative inside
} space_hit_t;

space_o *space_create(void);
void space_destroy(space_o *s);

// Brings the space to what these rows say; their order is the order in which contacts and joints are solved. Both of
// a step's halves need it: space_step, and searches after rows changed.
void space_sync(space_o *s, const space_body_t *bodies, uint32_t body_count, const space_collider_t *colliders,
                uint32_t collider_count, const space_joint_t *joints, uint32_t joint_count);
// After space_sync with the same bodies and joints.
void space_step(space_o *s, const space_settings_t *settings, double dt_s, space_body_t *bodies, space_joint_t *joints);
// What began in the last step, in the order of the rows, then what ended, by entities. Until the next step.
const space_contact_t *space_contacts(const space_o *s, uint32_t *count);
// Those that touch `entity` as of the last step, into out (`max` long). Returns how many there are.
uint32_t space_touching(space_o *s, uint32_t entity, uint32_t *out, uint32_t max);

// The impulses. The same state gives the same bytes.
size_t space_save_bytes(space_o *s);
void space_save(space_o *s, void *bytes);
// The next space_sync builds everything anew. False when the bytes make no sense: then it does so without impulses.
bool space_load(space_o *s, const void *bytes, size_t size);

// Searches, as of the last space_sync or step. A collider answers whose category is in `mask`.
// The nearest hit of a ray as thick as 2 × radius; false for none.
bool space_ray(space_o *s, double x1, double y1, double x2, double y2, double radius, uint32_t mask, space_hit_t *hit);
// Those within `radius` of a point, nearest first, at most `max`. Returns how many there are.
uint32_t space_near(space_o *s, double x, double y, double radius, uint32_t mask, space_hit_t *out, uint32_t max);
// Those whose upright boxes meet this one, by entity.
uint32_t space_in_box(space_o *s, double left, double top, double right, double bottom, uint32_t mask, uint32_t *out,
                      uint32_t max);

// Does Chipmunk round a product before it adds to it, as everywhere? Libraries of some distributions for arm64 do
// not, and compute other worlds.
bool space_is_exact(void);

#endif
