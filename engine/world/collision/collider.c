// Circles and rotated boxes: overlap, distance, rays and sweeps.
#include "collision/collider.h"

#include "base/assert.h"

#include <string.h>

collider_t collider_from_body(const body_columns *bodies, uint32_t row, shoal_entity entity,
                              const float world_matrix[16]) {
  shoal_assert(bodies->kind, "row %u: the body columns must not be NULL", row);
  return collider_place(bodies, row, entity,
                        (transform_basis_t){world_matrix[0], world_matrix[1], world_matrix[4], world_matrix[5],
                                            world_matrix[12], world_matrix[13]});
}

// --- contacts

static void set_contact(contact_t *contact, double x, double y, double nx, double ny, double depth) {
  shoal_assert(depth > 0, "the depth of a contact must be positive, got %g", depth);
  contact->x = (float)x;
  contact->y = (float)y;
  contact->nx = (float)nx;
  contact->ny = (float)ny;
  contact->depth = (float)depth;
  contact->time = 0;
}

// Returns true if the circles overlap. The contact point is the middle of the overlap. Concentric circles are separated
// along the x axis.
static bool collide_circles(const collider_t *a, const collider_t *b, contact_t *out) {
  double dx = b->x - a->x, dy = b->y - a->y, distance = sqrt(dx * dx + dy * dy);
  double depth = a->half_x + b->half_x - distance;
  if (!(depth > 0))
    return false;
  double nx = distance > 0 ? dx / distance : 1, ny = distance > 0 ? dy / distance : 0;
  double midpoint = a->half_x - depth / 2;
  set_contact(out, a->x + nx * midpoint, a->y + ny * midpoint, nx, ny, depth);
  return true;
}

// Returns true if the circle and the box overlap. The contact point is the point of the box's edge nearest to the
// circle's centre. A centre inside the box is pushed out through the nearest side. `sign` is 1 if the circle is
// collider a of the contact, -1 if it is collider b.
static bool collide_circle_with_box(const collider_t *circle, const collider_t *box, double sign, contact_t *out) {
  double dx = circle->x - box->x, dy = circle->y - box->y;
  double px = dx * box->ux + dy * box->uy, py = dy * box->ux - dx * box->uy; // centre of the circle in the box's frame
  double qx = fmin(fmax(px, -box->half_x), box->half_x), qy = fmin(fmax(py, -box->half_y), box->half_y);
  double ox = px - qx, oy = py - qy, distance = sqrt(ox * ox + oy * oy); // (ox, oy) points from the box to the circle
  double depth = circle->half_x - distance;
  if (distance > 0) {
    ox /= distance;
    oy /= distance;
  } else {
    double exit_x = box->half_x - fabs(px), exit_y = box->half_y - fabs(py);
    bool exits_along_x = exit_x <= exit_y;
    ox = exits_along_x ? copysign(1, px) : 0;
    oy = exits_along_x ? 0 : copysign(1, py);
    qx = exits_along_x ? copysign(box->half_x, px) : px;
    qy = exits_along_x ? py : copysign(box->half_y, py);
    depth = circle->half_x + fmin(exit_x, exit_y);
  }
  if (!(depth > 0))
    return false;
  set_contact(out, box->x + qx * box->ux - qy * box->uy, box->y + qx * box->uy + qy * box->ux,
              -sign * (ox * box->ux - oy * box->uy), -sign * (ox * box->uy + oy * box->ux), depth);
  return true;
}

// Returns half the length of the box's projection onto the axis (axis_x, axis_y).
static double half_projection(const collider_t *collider, double axis_x, double axis_y) {
  return fabs(axis_x * collider->ux + axis_y * collider->uy) * collider->half_x +
         fabs(axis_y * collider->ux - axis_x * collider->uy) * collider->half_y;
}

// Clips a convex polygon to x ≤ limit, where x is the first (axis 0) or second (axis 1) coordinate times `sign`. Adds
// at most one corner. Returns the new number of corners.
static uint32_t clip_polygon(double (*corners)[2], uint32_t count, int axis, double sign, double limit) {
  shoal_assert(count <= 8, "cannot clip a polygon of %u corners (at most 8)", count);
  double clipped[9][2];
  uint32_t clipped_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const double *p = corners[i], *q = corners[(i + 1) % count];
    double p_excess = p[axis] * sign - limit, q_excess = q[axis] * sign - limit;
    if (p_excess <= 0) {
      clipped[clipped_count][0] = p[0];
      clipped[clipped_count++][1] = p[1];
    }
    if ((p_excess < 0 && q_excess > 0) || (p_excess > 0 && q_excess < 0)) {
      double fraction = p_excess / (p_excess - q_excess);
      clipped[clipped_count][0] = p[0] + (q[0] - p[0]) * fraction;
      clipped[clipped_count++][1] = p[1] + (q[1] - p[1]) * fraction;
    }
  }
  memcpy(corners, clipped, clipped_count * sizeof *clipped);
  return clipped_count;
}

// Stores the mean of the corners of two boxes' intersection. The boxes must overlap.
static void compute_intersection_centre(const collider_t *a, const collider_t *b, double *x, double *y) {
  double corners[9][2];
  uint32_t count = 4;
  for (int i = 0; i < 4; ++i) {
    double sx = i == 1 || i == 2 ? b->half_x : -b->half_x, sy = i >= 2 ? b->half_y : -b->half_y;
    double dx = b->x + sx * b->ux - sy * b->uy - a->x, dy = b->y + sx * b->uy + sy * b->ux - a->y;
    corners[i][0] = dx * a->ux + dy * a->uy;
    corners[i][1] = dy * a->ux - dx * a->uy;
  }
  count = clip_polygon(corners, count, 0, 1, a->half_x);
  count = clip_polygon(corners, count, 0, -1, a->half_x);
  count = clip_polygon(corners, count, 1, 1, a->half_y);
  count = clip_polygon(corners, count, 1, -1, a->half_y);
  double px = 0, py = 0;
  for (uint32_t i = 0; i < count; ++i) {
    px += corners[i][0] / count;
    py += corners[i][1] / count;
  }
  *x = a->x + px * a->ux - py * a->uy;
  *y = a->y + px * a->uy + py * a->ux;
}

// Returns true if the boxes overlap, using a separating axis test with the sides of both boxes. The normal is the axis
// with the smallest overlap, or the first of several such axes.
static bool collide_boxes(const collider_t *a, const collider_t *b, contact_t *out) {
  const double axes[4][2] = {{a->ux, a->uy}, {-a->uy, a->ux}, {b->ux, b->uy}, {-b->uy, b->ux}};
  double dx = b->x - a->x, dy = b->y - a->y, depth = INFINITY, nx = 0, ny = 0;
  for (int i = 0; i < 4; ++i) {
    double axis_x = axes[i][0], axis_y = axes[i][1], distance = dx * axis_x + dy * axis_y;
    double overlap = half_projection(a, axis_x, axis_y) + half_projection(b, axis_x, axis_y) - fabs(distance);
    if (!(overlap > 0))
      return false;
    if (overlap < depth) {
      depth = overlap;
      nx = distance < 0 ? -axis_x : axis_x;
      ny = distance < 0 ? -axis_y : axis_y;
    }
  }
  double x, y;
  compute_intersection_centre(a, b, &x, &y);
  set_contact(out, x, y, nx, ny, depth);
  return true;
}

bool collider_find_contact(const collider_t *a, const collider_t *b, contact_t *out) {
  if (a->box)
    return b->box ? collide_boxes(a, b, out) : collide_circle_with_box(b, a, -1, out);
  return b->box ? collide_circle_with_box(a, b, 1, out) : collide_circles(a, b, out);
}

// --- points and rays

static void rotate_into_box_frame(const collider_t *collider, double x, double y, double *px, double *py) {
  *px = x * collider->ux + y * collider->uy;
  *py = y * collider->ux - x * collider->uy;
}

double collider_distance(const collider_t *collider, double x, double y) {
  double dx = x - collider->x, dy = y - collider->y, px, py;
  if (!collider->box)
    return fmax(sqrt(dx * dx + dy * dy) - collider->half_x, 0);
  rotate_into_box_frame(collider, dx, dy, &px, &py);
  px = fmax(fabs(px) - collider->half_x, 0);
  py = fmax(fabs(py) - collider->half_y, 0);
  return sqrt(px * px + py * py);
}

static bool intersect_ray_with_circle(const collider_t *collider, double x, double y, double dx, double dy,
                                      double *fraction, double normal[2]) {
  double ox = x - collider->x, oy = y - collider->y, radius = collider->half_x;
  double a = dx * dx + dy * dy, b = ox * dx + oy * dy, c = ox * ox + oy * oy - radius * radius,
         discriminant = b * b - a * c;
  if (!(a > 0) || !(c > 0) || !(discriminant >= 0) || b >= 0 || radius <= 0)
    return false;
  *fraction = (-b - sqrt(discriminant)) / a;
  normal[0] = (ox + dx * *fraction) / radius;
  normal[1] = (oy + dy * *fraction) / radius;
  return *fraction >= 0 && *fraction <= 1;
}

// Intersects a ray with a box (slab test): the axis that the ray enters last determines the normal. Returns true if the
// ray enters the box.
static bool intersect_ray_with_box(const collider_t *collider, double x, double y, double dx, double dy,
                                   double *fraction, double normal[2]) {
  double origin[2], direction[2], half_extents[2] = {collider->half_x, collider->half_y}, entry = -INFINITY,
                                  exit = INFINITY;
  int entry_axis = 0;
  rotate_into_box_frame(collider, x - collider->x, y - collider->y, &origin[0], &origin[1]);
  rotate_into_box_frame(collider, dx, dy, &direction[0], &direction[1]);
  for (int axis = 0; axis < 2; ++axis) {
    if (direction[axis] == 0 && fabs(origin[axis]) >= half_extents[axis])
      return false;
    if (direction[axis] == 0)
      continue;
    double slab_entry = (-copysign(half_extents[axis], direction[axis]) - origin[axis]) / direction[axis];
    double slab_exit = (copysign(half_extents[axis], direction[axis]) - origin[axis]) / direction[axis];
    if (slab_entry > entry) {
      entry = slab_entry;
      entry_axis = axis;
    }
    exit = fmin(exit, slab_exit);
  }
  if (!(entry < exit) || !(entry >= 0 && entry <= 1))
    return false;
  double nx = entry_axis == 0 ? -copysign(1, direction[0]) : 0, ny = entry_axis == 1 ? -copysign(1, direction[1]) : 0;
  normal[0] = nx * collider->ux - ny * collider->uy;
  normal[1] = nx * collider->uy + ny * collider->ux;
  *fraction = entry;
  return true;
}

bool collider_intersect_ray(const collider_t *collider, double x, double y, double dx, double dy, double *fraction,
                            double normal[2]) {
  shoal_assert(fraction && normal, "fraction and normal must not be NULL");
  return (collider->box ? intersect_ray_with_box : intersect_ray_with_circle)(collider, x, y, dx, dy, fraction, normal);
}

// --- sweeps

// Finds where a circle that moves from (x, y) hits a box: casts a ray against the box enlarged by the radius, which
// consists of two boxes and four corner circles. Returns true if the circle hits the box.
static bool sweep_circle_against_box(const collider_t *circle, const collider_t *box, double x, double y, double dx,
                                     double dy, double *fraction, double normal[2]) {
  double radius = circle->half_x, hit, hit_normal[2];
  collider_t wide_box = *box, high_box = *box, corner = {.half_x = radius, .half_y = radius, .ux = 1};
  wide_box.half_x += radius;
  high_box.half_y += radius;
  *fraction = INFINITY;
  for (int i = 0; i < 6; ++i) {
    double sx = i == 1 || i == 3 ? -box->half_x : box->half_x, sy = i >= 2 ? -box->half_y : box->half_y;
    corner.x = box->x + sx * box->ux - sy * box->uy;
    corner.y = box->y + sx * box->uy + sy * box->ux;
    if (!collider_intersect_ray(i < 4    ? &corner
                                : i == 4 ? &wide_box
                                         : &high_box,
                                x, y, dx, dy, &hit, hit_normal) ||
        hit >= *fraction)
      continue;
    *fraction = hit;
    normal[0] = hit_normal[0];
    normal[1] = hit_normal[1];
  }
  return *fraction <= 1;
}

// Swept separating axis test: the axis on which the boxes start to overlap last determines time and normal. The normal
// points to b. Returns true if the movement brings the boxes into contact.
static bool sweep_box_against_box(const collider_t *a, const collider_t *b, double dx, double dy, double *fraction,
                                  double normal[2]) {
  const double axes[4][2] = {{a->ux, a->uy}, {-a->uy, a->ux}, {b->ux, b->uy}, {-b->uy, b->ux}};
  double x = b->x - (a->x - dx), y = b->y - (a->y - dy), entry = -INFINITY, exit = INFINITY;
  for (int i = 0; i < 4; ++i) {
    double axis_x = axes[i][0], axis_y = axes[i][1], distance = x * axis_x + y * axis_y,
           speed = dx * axis_x + dy * axis_y;
    double half_sum = half_projection(a, axis_x, axis_y) + half_projection(b, axis_x, axis_y);
    if (speed == 0 && fabs(distance) >= half_sum)
      return false;
    if (speed == 0)
      continue;
    double axis_entry = (distance - copysign(half_sum, speed)) / speed,
           axis_exit = (distance + copysign(half_sum, speed)) / speed;
    if (axis_entry > entry) {
      entry = axis_entry;
      normal[0] = copysign(axis_x, axis_x * speed);
      normal[1] = copysign(axis_y, axis_y * speed);
    }
    exit = fmin(exit, axis_exit);
  }
  *fraction = entry;
  return entry < exit && entry >= 0 && entry <= 1;
}

static collider_t translate_collider(const collider_t *collider, double dx, double dy) {
  collider_t translated = *collider;
  translated.x += dx;
  translated.y += dy;
  return translated;
}

// Finds the contact point of two colliders that just touch; the normal points from a to b.
static void compute_touching_point(const collider_t *a, const collider_t *b, const double normal[2], double *x,
                                   double *y) {
  if (!a->box || !b->box) {
    double sign = a->box ? -1 : 1;
    const collider_t *circle = a->box ? b : a;
    *x = circle->x + sign * normal[0] * circle->half_x;
    *y = circle->y + sign * normal[1] * circle->half_x;
    return;
  }
  collider_t enlarged = *a; // `a`, slightly enlarged so that the boxes overlap
  enlarged.half_x += (b->half_x + b->half_y + a->half_x) * 1e-6 + fabs(a->x) * 1e-12;
  enlarged.half_y += (b->half_x + b->half_y + a->half_y) * 1e-6 + fabs(a->y) * 1e-12;
  compute_intersection_centre(&enlarged, b, x, y);
}

bool collider_sweep(const collider_t *a, double a_x, double a_y, const collider_t *b, double b_x, double b_y,
                    contact_t *out) {
  double dx = a_x - b_x, dy = a_y - b_y, fraction = 1, normal[2] = {0, 0}; // dx, dy: movement of a relative to b
  collider_t start = translate_collider(a, -dx, -dy), inflated = *b;
  contact_t start_contact;
  if (dx == 0 && dy == 0)
    return collider_find_contact(a, b, out);
  if (collider_find_contact(&start, b, &start_contact))
    return collider_find_contact(a, b, out);
  inflated.half_x += a->half_x;
  bool hit = a->box && b->box ? sweep_box_against_box(a, b, dx, dy, &fraction, normal)
             : a->box         ? sweep_circle_against_box(b, a, b->x + dx, b->y + dy, -dx, -dy, &fraction, normal)
             : b->box         ? sweep_circle_against_box(a, b, start.x, start.y, dx, dy, &fraction, normal)
                              : collider_intersect_ray(&inflated, start.x, start.y, dx, dy, &fraction, normal);
  double sign = a->box ? 1 : -1; // normals of rays point out of the collider that the ray hits
  double nx = normal[0] * sign, ny = normal[1] * sign, remaining = 1 - fraction, x, y,
         depth = (dx * nx + dy * ny) * remaining;
  // Without a contact on the path, the colliders can touch only because of rounding errors.
  if (!hit || !(depth > 0)) {
    bool touching = collider_find_contact(a, b, out);
    out->time = 1;
    return touching;
  }
  collider_t a_at_contact = translate_collider(a, -a_x * remaining, -a_y * remaining),
             b_at_contact = translate_collider(b, -b_x * remaining, -b_y * remaining);
  compute_touching_point(&a_at_contact, &b_at_contact, (const double[2]){nx, ny}, &x, &y);
  set_contact(out, x, y, nx, ny, depth);
  out->time = (float)fraction;
  return true;
}
