// A Chipmunk space whose state is stored in the world. The rows are authoritative: before a step, each body, shape and
// joint is updated from its row. After the step, the rows of bodies and joints are written. The only additional state
// is the impulses of contacts, from which the solver starts. They can be saved as bytes and loaded (space_save,
// space_load). A space that is rebuilt from rows and bytes continues bit for bit like the original, thanks to
// broadphase.h. Bodies do not sleep.
//
// Independent of Shoal. Angles are in radians, lengths in pixels, times in seconds. Non-finite and extremely large
// numbers are replaced by valid numbers, because they would make Chipmunk terminate the process.
#ifndef SHOAL_PHYSICS_SPACE_H
#define SHOAL_PHYSICS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct space_o space_o;

typedef enum body_kind_t { BODY_DYNAMIC, BODY_KINEMATIC, BODY_STATIC } body_kind_t;

// A row of a body, which is read and written. space_step updates position, velocity and bias, and resets force and
// torque to 0.
typedef struct space_body_t {
  uint32_t entity; // entity of the body: unique, not 0
  uint8_t kind;
  bool fixed_rotation;
  float mass, moment; // moment 0: compute the moment of inertia from the colliders
  float gravity;      // factor on the gravity of the space
  float damping;      // fraction of the velocity lost per second, 0 to 1
  double x, y, angle;
  double vx, vy, spin;
  double force_x, force_y, torque;
  double bias_x, bias_y, bias_spin; // correction of overlaps computed by the solver for the next step
} space_body_t;

typedef enum collider_kind_t { COLLIDER_CIRCLE, COLLIDER_BOX, COLLIDER_POLYGON, COLLIDER_SEGMENT } collider_kind_t;

#define SPACE_MAX_POINTS 32

typedef struct space_collider_t {
  uint32_t entity; // entity of the collider: unique, not 0
  uint32_t body;   // entity of the body; 0: a static shape at `x`, `y` and `angle`
  uint8_t kind;
  bool sensor;
  double x, y, angle; // centre and rotation in the space of the body
  float radius;       // radius of a circle, or corner radius of all other kinds
  float width, height;
  float friction, bounce, surface_x, surface_y;
  uint32_t category, mask, group;
  float scale_x, scale_y; // factors on the radius, the size and the points, but not on `x` and `y`
  // Polygon: points "x,y x,y …". Their convex hull is used. Segment: two points. Borrowed during the call.
  const char *points;
} space_collider_t;

typedef enum joint_kind_t {
  JOINT_PIVOT,  // holds the bodies together at a common point
  JOINT_PIN,    // a rigid rod of `length`
  JOINT_SLIDE,  // a rope: the distance is between `min` and `max`
  JOINT_SPRING, // a spring with `length`, `stiffness` and `damping`
  JOINT_GROOVE, // anchor b slides on body a along the line from anchor a to (min, max)
  JOINT_TURN_SPRING,
  JOINT_TURN_LIMIT, // limits the angle of b relative to a to `min` … `max`
  JOINT_GEAR,       // gears with `ratio`; `length` is the phase
  JOINT_MOTOR       // rotates at `rate` radians per second
} joint_kind_t;

typedef struct space_joint_t {
  uint32_t entity; // entity of the joint: unique, not 0
  uint8_t kind;
  bool collide;  // true if the two bodies collide with each other
  uint32_t a, b; // entities of the bodies; 0: the world
  float ax, ay, bx, by;
  float length, min, max, stiffness, damping, ratio, rate;
  float max_force;             // maximum force of the joint; 0: unlimited
  double impulse_x, impulse_y; // the solver's warm start; read and written
} space_joint_t;

typedef struct space_settings_t {
  double gravity_x, gravity_y, damping; // gravity, and fraction of every velocity lost per second
  uint32_t iterations;
} space_settings_t;

typedef struct space_contact_t {
  uint32_t a, b; // entities of the colliders; an entity may be dead if its collider was removed
  bool begins;   // true if the contact begins, false if it ends
  bool sensor;
  float x, y, nx, ny; // position and normal, which points from a to b; all 0 when a contact ends
  float depth, speed; // overlap in pixels, and approach velocity along the normal in pixels per second
  float impulse;      // impulse during this step
} space_contact_t;

typedef struct space_hit_t {
  uint32_t entity;
  float x, y, nx, ny;
  float part; // ray: 0 at its start to 1 at its end; point: distance in pixels, negative inside a shape
} space_hit_t;

space_o *space_create(void);
void space_destroy(space_o *state);

// Updates the space from the rows. Contacts and joints are solved in the order of the rows. Must be called before
// space_step, and before a search if rows have changed.
void space_sync(space_o *state, const space_body_t *bodies, uint32_t body_count, const space_collider_t *colliders,
                uint32_t collider_count, const space_joint_t *joints, uint32_t joint_count);
// Simulates a step. Must be preceded by space_sync with the same bodies and joints.
void space_step(space_o *state, const space_settings_t *settings, double dt_s, space_body_t *bodies,
                space_joint_t *joints);
// Returns the contacts that began in the last step, in the order of the rows, followed by the contacts that ended,
// ordered by entities. Valid until the next step.
const space_contact_t *space_contacts(const space_o *state, uint32_t *count);
// Writes at most `capacity` colliders that touched `entity` in the last step to `out`. Returns the total number.
uint32_t space_find_touching(space_o *state, uint32_t entity, uint32_t *out, uint32_t capacity);

// Returns the number of bytes that space_save writes.
size_t space_save_bytes(space_o *state);
// Writes the impulses of contacts. Equal states produce equal bytes.
void space_save(space_o *state, void *bytes);
// Loads impulses. The next space_sync rebuilds the whole space. Returns true on success, or false if the bytes are
// invalid. In this case, the space is rebuilt without impulses.
bool space_load(space_o *state, const void *bytes, size_t size);

// The three searches use the state of the last space_sync or space_step, and find colliders with a category in `mask`.
// space_cast_ray finds the first hit of a ray with a width of 2 × radius. Returns true on success, or false if the ray
// hits nothing.
bool space_cast_ray(space_o *state, double x1, double y1, double x2, double y2, double radius, uint32_t mask,
                    space_hit_t *hit);
// Finds colliders within `radius` of a point, nearest first. Writes at most `capacity` of them and returns the total
// number.
uint32_t space_find_near(space_o *state, double x, double y, double radius, uint32_t mask, space_hit_t *out,
                         uint32_t capacity);
// Finds colliders whose bounding boxes overlap a box, ordered by entity. Writes at most `capacity` of them and returns
// the total number.
uint32_t space_find_in_box(space_o *state, double left, double top, double right, double bottom, uint32_t mask,
                           uint32_t *out, uint32_t capacity);

#endif
