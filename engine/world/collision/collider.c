// Circles and rotated boxes: overlap, distance, rays and sweeps.
#include "collision/collider.h"

#include "base/assert.h"

#include <string.h>

collider_t collider_from_body(const body_columns *b, uint32_t row, shoal_entity entity, const float world[16]) {
  shoal_assert(b->kind, "row %u: the body columns must not be NULL", row);
  double offset_x = (double)b->offset_x[row];
  double offset_y = (double)b->offset_y[row];
  double xx = (double)world[0], xy = (double)world[1], yx = (double)world[4], yy = (double)world[5];
  // Unrotated bodies do not need square roots.
  double scale_x = xy == 0 ? fabs(xx) : sqrt(xx * xx + xy * xy);
  double scale_y = yx == 0 ? fabs(yy) : sqrt(yx * yx + yy * yy);
  collider_t k = {
      .entity = entity,
      .box = b->kind[row] == BODY_KIND_BOX,
      .x = (double)world[12] + xx * offset_x + yx * offset_y,
      .y = (double)world[13] + xy * offset_x + yy * offset_y,
      .ux = 1,
  };
  if (k.box) {
    if (scale_x > 0) {
      k.ux = xx / scale_x;
      k.uy = xy / scale_x;
    }
    k.half_x = fabs((double)b->width[row]) * scale_x / 2;
    k.half_y = fabs((double)b->height[row]) * scale_y / 2;
  } else {
    k.half_x = k.half_y = fabs((double)b->radius[row]) * fmax(scale_x, scale_y);
  }
  return k;
}

bounds_t collider_bounds(const collider_t *k) {
  double half_x = k->half_x, half_y = k->half_y;
  if (k->box) {
    half_x = fabs(k->ux) * k->half_x + fabs(k->uy) * k->half_y;
    half_y = fabs(k->uy) * k->half_x + fabs(k->ux) * k->half_y;
  }
  return (bounds_t){k->x - half_x, k->y - half_y, k->x + half_x, k->y + half_y};
}

// --- contacts

static void set_contact(contact_t *c, double x, double y, double nx, double ny, double depth) {
  shoal_assert(depth > 0, "the depth of a contact must be positive, got %g", depth);
  c->x = (float)x;
  c->y = (float)y;
  c->nx = (float)nx;
  c->ny = (float)ny;
  c->depth = (float)depth;
  c->time = 0;
}

// Returns false if the circles do not overlap. The contact point is the middle of the overlap. Concentric circles are
// separated along the x axis.
static bool collide_circles(const collider_t *a, const collider_t *b, contact_t *out) {
  double dx = b->x - a->x, dy = b->y - a->y, distance = sqrt(dx * dx + dy * dy);
  double depth = a->half_x + b->half_x - distance;
  if (!(depth > 0))
    return false;
  double nx = distance > 0 ? dx / distance : 1, ny = distance > 0 ? dy / distance : 0;
  double along = a->half_x - depth / 2;
  set_contact(out, a->x + nx * along, a->y + ny * along, nx, ny, depth);
  return true;
}

// The contact point is the point of the box's edge nearest to the circle's centre. A centre inside the box is pushed
// out through the nearest side. `sign` is 1 if the circle is collider a of the contact, -1 if it is collider b.
static bool collide_circle_with_box(const collider_t *circle, const collider_t *box, double sign, contact_t *out) {
  double dx = circle->x - box->x, dy = circle->y - box->y;
  double px = dx * box->ux + dy * box->uy, py = dy * box->ux - dx * box->uy; // the centre in the box's frame
  double qx = fmin(fmax(px, -box->half_x), box->half_x), qy = fmin(fmax(py, -box->half_y), box->half_y);
  double ox = px - qx, oy = py - qy, distance = sqrt(ox * ox + oy * oy); // from the box towards the circle
  double depth = circle->half_x - distance;
  if (distance > 0) {
    ox /= distance;
    oy /= distance;
  } else {
    double to_x = box->half_x - fabs(px), to_y = box->half_y - fabs(py);
    bool by_x = to_x <= to_y;
    ox = by_x ? copysign(1, px) : 0;
    oy = by_x ? 0 : copysign(1, py);
    qx = by_x ? copysign(box->half_x, px) : px;
    qy = by_x ? py : copysign(box->half_y, py);
    depth = circle->half_x + fmin(to_x, to_y);
  }
  if (!(depth > 0))
    return false;
  set_contact(out, box->x + qx * box->ux - qy * box->uy, box->y + qx * box->uy + qy * box->ux,
              -sign * (ox * box->ux - oy * box->uy), -sign * (ox * box->uy + oy * box->ux), depth);
  return true;
}

// Returns half the length of the box's projection onto the axis (lx, ly).
static double half_projection(const collider_t *k, double lx, double ly) {
  return fabs(lx * k->ux + ly * k->uy) * k->half_x + fabs(ly * k->ux - lx * k->uy) * k->half_y;
}

// Clips a convex polygon to x ≤ limit, where x is the first (axis 0) or second (axis 1) coordinate times `sign`. Adds
// at most one corner.
static uint32_t clip_polygon(double (*corner)[2], uint32_t count, int axis, double sign, double limit) {
  shoal_assert(count <= 8, "cannot clip a polygon of %u corners (at most 8)", count);
  double kept[9][2];
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const double *p = corner[i], *q = corner[(i + 1) % count];
    double p_over = p[axis] * sign - limit, q_over = q[axis] * sign - limit;
    if (p_over <= 0) {
      kept[n][0] = p[0];
      kept[n++][1] = p[1];
    }
    if ((p_over < 0 && q_over > 0) || (p_over > 0 && q_over < 0)) {
      double part = p_over / (p_over - q_over);
      kept[n][0] = p[0] + (q[0] - p[0]) * part;
      kept[n++][1] = p[1] + (q[1] - p[1]) * part;
    }
  }
  memcpy(corner, kept, n * sizeof *kept);
  return n;
}

// Finds the average of the corners of the intersection of two boxes.
static void compute_intersection_centre(const collider_t *a, const collider_t *b, double *x, double *y) {
  double corner[9][2];
  uint32_t count = 4;
  for (int i = 0; i < 4; ++i) {
    double sx = i == 1 || i == 2 ? b->half_x : -b->half_x, sy = i >= 2 ? b->half_y : -b->half_y;
    double dx = b->x + sx * b->ux - sy * b->uy - a->x, dy = b->y + sx * b->uy + sy * b->ux - a->y;
    corner[i][0] = dx * a->ux + dy * a->uy;
    corner[i][1] = dy * a->ux - dx * a->uy;
  }
  count = clip_polygon(corner, count, 0, 1, a->half_x);
  count = clip_polygon(corner, count, 0, -1, a->half_x);
  count = clip_polygon(corner, count, 1, 1, a->half_y);
  count = clip_polygon(corner, count, 1, -1, a->half_y);
  double px = 0, py = 0;
  for (uint32_t i = 0; i < count; ++i) {
    px += corner[i][0] / count;
    py += corner[i][1] / count;
  }
  *x = a->x + px * a->ux - py * a->uy;
  *y = a->y + px * a->uy + py * a->ux;
}

// Separating axis test with the sides of both boxes. The normal is the axis with the smallest overlap, or the first of
// several such axes.
static bool collide_boxes(const collider_t *a, const collider_t *b, contact_t *out) {
  const double axis[4][2] = {{a->ux, a->uy}, {-a->uy, a->ux}, {b->ux, b->uy}, {-b->uy, b->ux}};
  double dx = b->x - a->x, dy = b->y - a->y, depth = INFINITY, nx = 0, ny = 0;
  for (int i = 0; i < 4; ++i) {
    double lx = axis[i][0], ly = axis[i][1], distance = dx * lx + dy * ly;
    double overlap = half_projection(a, lx, ly) + half_projection(b, lx, ly) - fabs(distance);
    if (!(overlap > 0))
      return false;
    if (overlap < depth) {
      depth = overlap;
      nx = distance < 0 ? -lx : lx;
      ny = distance < 0 ? -ly : ly;
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

// Rotates a point or vector into the box's frame.
static void rotate_into_box_frame(const collider_t *k, double x, double y, double *px, double *py) {
  *px = x * k->ux + y * k->uy;
  *py = y * k->ux - x * k->uy;
}

double collider_distance(const collider_t *k, double x, double y) {
  double dx = x - k->x, dy = y - k->y, px, py;
  if (!k->box)
    return fmax(sqrt(dx * dx + dy * dy) - k->half_x, 0);
  rotate_into_box_frame(k, dx, dy, &px, &py);
  px = fmax(fabs(px) - k->half_x, 0);
  py = fmax(fabs(py) - k->half_y, 0);
  return sqrt(px * px + py * py);
}

static bool intersect_ray_with_circle(const collider_t *k, double x, double y, double dx, double dy, double *part,
                                      double normal[2]) {
  double ox = x - k->x, oy = y - k->y, r = k->half_x;
  double a = dx * dx + dy * dy, b = ox * dx + oy * dy, c = ox * ox + oy * oy - r * r, under = b * b - a * c;
  if (!(a > 0) || !(c > 0) || !(under >= 0) || b >= 0 || r <= 0)
    return false;
  *part = (-b - sqrt(under)) / a;
  normal[0] = (ox + dx * *part) / r;
  normal[1] = (oy + dy * *part) / r;
  return *part >= 0 && *part <= 1;
}

// Slab test: the axis that is entered last determines the normal. Returns false if the ray does not enter the box.
static bool intersect_ray_with_box(const collider_t *k, double x, double y, double dx, double dy, double *part,
                                   double normal[2]) {
  double from[2], direction[2], half[2] = {k->half_x, k->half_y}, in = -INFINITY, out = INFINITY;
  int side = 0;
  rotate_into_box_frame(k, x - k->x, y - k->y, &from[0], &from[1]);
  rotate_into_box_frame(k, dx, dy, &direction[0], &direction[1]);
  for (int axis = 0; axis < 2; ++axis) {
    if (direction[axis] == 0 && fabs(from[axis]) >= half[axis])
      return false;
    if (direction[axis] == 0)
      continue;
    double first = (-copysign(half[axis], direction[axis]) - from[axis]) / direction[axis];
    double last = (copysign(half[axis], direction[axis]) - from[axis]) / direction[axis];
    if (first > in) {
      in = first;
      side = axis;
    }
    out = fmin(out, last);
  }
  if (!(in < out) || !(in >= 0 && in <= 1))
    return false;
  double nx = side == 0 ? -copysign(1, direction[0]) : 0, ny = side == 1 ? -copysign(1, direction[1]) : 0;
  normal[0] = nx * k->ux - ny * k->uy;
  normal[1] = nx * k->uy + ny * k->ux;
  *part = in;
  return true;
}

bool collider_intersect_ray(const collider_t *k, double x, double y, double dx, double dy, double *part,
                            double normal[2]) {
  shoal_assert(part && normal, "part and normal must not be NULL");
  return (k->box ? intersect_ray_with_box : intersect_ray_with_circle)(k, x, y, dx, dy, part, normal);
}

// --- sweeps

// Finds where a circle that moves from (x, y) hits a box: casts a ray against the box enlarged by the radius, which
// consists of two boxes and four corner circles. Returns false if it does not hit the box.
static bool sweep_circle_against_box(const collider_t *circle, const collider_t *box, double x, double y, double dx,
                                     double dy, double *part, double normal[2]) {
  double r = circle->half_x, at, n[2];
  collider_t wide = *box, high = *box, corner = {.half_x = r, .half_y = r, .ux = 1};
  wide.half_x += r;
  high.half_y += r;
  *part = INFINITY;
  for (int i = 0; i < 6; ++i) {
    double sx = i == 1 || i == 3 ? -box->half_x : box->half_x, sy = i >= 2 ? -box->half_y : box->half_y;
    corner.x = box->x + sx * box->ux - sy * box->uy;
    corner.y = box->y + sx * box->uy + sy * box->ux;
    if (!collider_intersect_ray(i < 4 ? &corner : i == 4 ? &wide : &high, x, y, dx, dy, &at, n) || at >= *part)
      continue;
    *part = at;
    normal[0] = n[0];
    normal[1] = n[1];
  }
  return *part <= 1;
}

// Swept separating axis test: the axis on which the boxes start to overlap last determines time and normal. The normal
// points to b. Returns false if the movement does not bring them into contact.
static bool sweep_box_against_box(const collider_t *a, const collider_t *b, double dx, double dy, double *part,
                                  double normal[2]) {
  const double axis[4][2] = {{a->ux, a->uy}, {-a->uy, a->ux}, {b->ux, b->uy}, {-b->uy, b->ux}};
  double x = b->x - (a->x - dx), y = b->y - (a->y - dy), in = -INFINITY, out = INFINITY;
  for (int i = 0; i < 4; ++i) {
    double lx = axis[i][0], ly = axis[i][1], distance = x * lx + y * ly, speed = dx * lx + dy * ly;
    double reach = half_projection(a, lx, ly) + half_projection(b, lx, ly);
    if (speed == 0 && fabs(distance) >= reach)
      return false;
    if (speed == 0)
      continue;
    double first = (distance - copysign(reach, speed)) / speed, last = (distance + copysign(reach, speed)) / speed;
    if (first > in) {
      in = first;
      normal[0] = copysign(lx, lx * speed);
      normal[1] = copysign(ly, ly * speed);
    }
    out = fmin(out, last);
  }
  *part = in;
  return in < out && in >= 0 && in <= 1;
}

static collider_t translate_collider(const collider_t *k, double dx, double dy) {
  collider_t to = *k;
  to.x += dx;
  to.y += dy;
  return to;
}

// Finds the contact point of two colliders that just touch; the normal points from a to b.
static void compute_touching_point(const collider_t *a, const collider_t *b, const double normal[2], double *x,
                                   double *y) {
  if (!a->box || !b->box) {
    double side = a->box ? -1 : 1;
    const collider_t *circle = a->box ? b : a;
    *x = circle->x + side * normal[0] * circle->half_x;
    *y = circle->y + side * normal[1] * circle->half_x;
    return;
  }
  collider_t larger = *a; // enlarged slightly, so that the boxes overlap
  larger.half_x += (b->half_x + b->half_y + a->half_x) * 1e-6 + fabs(a->x) * 1e-12;
  larger.half_y += (b->half_x + b->half_y + a->half_y) * 1e-6 + fabs(a->y) * 1e-12;
  compute_intersection_centre(&larger, b, x, y);
}

bool collider_sweep(const collider_t *a, double a_x, double a_y, const collider_t *b, double b_x, double b_y,
                    contact_t *out) {
  double dx = a_x - b_x, dy = a_y - b_y, part = 1, normal[2] = {0, 0}; // movement of a relative to b
  collider_t before = translate_collider(a, -dx, -dy), sum = *b;
  contact_t at_first;
  if (dx == 0 && dy == 0)
    return collider_find_contact(a, b, out);
  if (collider_find_contact(&before, b, &at_first))
    return collider_find_contact(a, b, out);
  sum.half_x += a->half_x;
  bool meets = a->box && b->box ? sweep_box_against_box(a, b, dx, dy, &part, normal)
               : a->box         ? sweep_circle_against_box(b, a, b->x + dx, b->y + dy, -dx, -dy, &part, normal)
               : b->box         ? sweep_circle_against_box(a, b, before.x, before.y, dx, dy, &part, normal)
                                : collider_intersect_ray(&sum, before.x, before.y, dx, dy, &part, normal);
  double sign = a->box ? 1 : -1; // normals of rays point out of the collider that the ray hits
  double nx = normal[0] * sign, ny = normal[1] * sign, left = 1 - part, x, y, depth = (dx * nx + dy * ny) * left;
  // No contact on the path. The colliders can then only touch because of rounding errors.
  if (!meets || !(depth > 0)) {
    bool touches = collider_find_contact(a, b, out);
    out->time = 1;
    return touches;
  }
  collider_t a_then = translate_collider(a, -a_x * left, -a_y * left),
             b_then = translate_collider(b, -b_x * left, -b_y * left);
  compute_touching_point(&a_then, &b_then, (const double[2]){nx, ny}, &x, &y);
  set_contact(out, x, y, nx, ny, depth);
  out->time = (float)part;
  return true;
}
