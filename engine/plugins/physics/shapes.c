// Converts rows of colliders to Chipmunk shapes.
#include "space_internal.h"

#include <chipmunk/chipmunk_unsafe.h>

#include <math.h>
#include <string.h>

static const double LARGEST = 1e6, SMALLEST = 1e-3;

static double scaled_size(float value, float scale) {
  return sanitize_between(fabs((double)value * (double)scale), SMALLEST, LARGEST);
}

static double circle_radius(const space_collider_t *row) {
  return sanitize_between(fabs((double)row->radius * sqrt(fabs((double)row->scale_x * (double)row->scale_y))), 0,
                          LARGEST);
}

static cpVect shape_centre(const space_collider_t *row) {
  return cpv(sanitize_number(row->x, 1e7), sanitize_number(row->y, 1e7));
}

// Converts a point from the space of the collider's row to the space of the body.
static cpVect convert_to_body_space(const space_collider_t *row, double x, double y) {
  cpVect turned = cpvrotate(
      cpv(sanitize_number(x * (double)row->scale_x, LARGEST), sanitize_number(y * (double)row->scale_y, LARGEST)),
      cpvforangle(sanitize_number(row->angle, 1e7)));
  return cpvadd(shape_centre(row), turned);
}

// Parses at most `max` points from a string such as "x,y x,y …". Returns the number of points.
static int read_points(const char *text, double (*out)[2], int max) {
  int numbers = 0;
  while (*text && numbers < max * 2) {
    char *end;
    double value = strtod(text, &end);
    if (end == text) {
      ++text;
      continue;
    }
    out[numbers / 2][numbers % 2] = value;
    ++numbers;
    text = end;
  }
  return numbers / 2;
}

static int compute_box_corners(const space_collider_t *row, cpVect *out) {
  double width = scaled_size(row->width, row->scale_x) / 2, height = scaled_size(row->height, row->scale_y) / 2;
  const double corner[4][2] = {{width, -height}, {width, height}, {-width, height}, {-width, -height}};
  cpVect turn = cpvforangle(sanitize_number(row->angle, 1e7));
  for (int i = 0; i < 4; ++i)
    out[i] = cpvadd(shape_centre(row), cpvrotate(cpv(corner[i][0], corner[i][1]), turn));
  return 4;
}

// Computes the corners of a polygon or box. A polygon is the convex hull of its points, or a box if it has fewer than
// three points or the hull has no area. Returns the number of corners.
static int compute_corners(const space_collider_t *row, cpVect *out) {
  double points[SPACE_MAX_POINTS][2];
  int count = row->kind == COLLIDER_POLYGON && row->points ? read_points(row->points, points, SPACE_MAX_POINTS) : 0;
  if (count < 3)
    return compute_box_corners(row, out);
  for (int i = 0; i < count; ++i)
    out[i] = convert_to_body_space(row, points[i][0], points[i][1]);
  count = cpConvexHull(count, out, out, NULL, 0);
  if (count < 3 || !(fabs(cpAreaForPoly(count, out, 0)) > SMALLEST * SMALLEST))
    return compute_box_corners(row, out);
  return count;
}

static void compute_ends(const space_collider_t *row, cpVect *a, cpVect *b) {
  double points[2][2] = {{-(double)row->width / 2, 0}, {(double)row->width / 2, 0}};
  if (row->points)
    read_points(row->points, points, 2);
  *a = convert_to_body_space(row, points[0][0], points[0][1]);
  *b = convert_to_body_space(row, points[1][0], points[1][1]);
  if (cpvdistsq(*a, *b) < SMALLEST * SMALLEST)
    *b = cpvadd(*a, cpv(SMALLEST, 0));
}

// Computes the area of the shape, and its moment of inertia per unit mass around the centre of the body.
static void compute_moment(live_shape_t *shape) {
  double radius = circle_radius(&shape->row);
  cpVect corners[SPACE_MAX_POINTS];
  switch (shape->row.kind) {
  case COLLIDER_CIRCLE:
    shape->area = cpAreaForCircle(0, shape->as.circle.r);
    shape->moment_of = cpMomentForCircle(1, 0, shape->as.circle.r, shape->as.circle.c);
    break;
  case COLLIDER_SEGMENT:
    shape->area = cpAreaForSegment(shape->as.segment.a, shape->as.segment.b, radius);
    shape->moment_of = cpMomentForSegment(1, shape->as.segment.a, shape->as.segment.b, radius);
    break;
  default:
    for (int i = 0; i < shape->as.poly.count; ++i)
      corners[i] = shape->as.poly.planes[shape->as.poly.count + i].v0;
    shape->area = fabs(cpAreaForPoly(shape->as.poly.count, corners, radius));
    shape->moment_of = fabs(cpMomentForPoly(1, shape->as.poly.count, corners, cpvzero, radius));
  }
  shape->area = sanitize_between(shape->area, 1e-9, 1e15);
  shape->moment_of = sanitize_between(shape->moment_of, 1e-9, 1e15);
}

// Returns true if the position, angle, size and points are unchanged. Ignores all other properties.
static bool is_same_outline(const live_shape_t *shape, const space_collider_t *row, uint64_t points_hash) {
  const space_collider_t *old = &shape->row;
  return old->x == row->x && old->y == row->y && old->angle == row->angle && old->radius == row->radius &&
         old->width == row->width && old->height == row->height && old->scale_x == row->scale_x &&
         old->scale_y == row->scale_y && shape->points_hash == points_hash;
}

static uint64_t hash_points(const space_collider_t *row) {
  bool has = row->kind == COLLIDER_POLYGON || row->kind == COLLIDER_SEGMENT;
  return has && row->points ? space_hash_text(row->points) : 0;
}

static void store_row(live_shape_t *shape, const space_collider_t *row, uint64_t points_hash) {
  shape->row = *row;
  shape->row.points = NULL;
  shape->points_hash = points_hash;
}

// Sets the properties that Chipmunk reads for each contact, which can change without re-creating the shape.
static void set_surface(live_shape_t *shape, const space_collider_t *row) {
  cpShape *s = &shape->as.shape;
  s->sensor = row->sensor;
  s->u = sanitize_between((double)row->friction, 0, 1e6);
  s->e = sanitize_between((double)row->bounce, 0, 1e3);
  s->surfaceV = cpv(sanitize_number((double)row->surface_x, LARGEST), sanitize_number((double)row->surface_y, LARGEST));
  s->filter = cpShapeFilterNew(row->group, row->category, row->mask);
}

void shape_init(space_o *s, live_shape_t *shape, const space_collider_t *row, cpBody *body) {
  cpVect corners[SPACE_MAX_POINTS], a, b;
  memset(shape, 0, sizeof *shape);
  store_row(shape, row, hash_points(row));
  shape->body = body;
  shape->check = (uint16_t)((row->body * 0x9e3779b1u) >> 20 << 4 | row->kind << 2 | (uint16_t)cpBodyGetType(body));
  switch (row->kind) {
  case COLLIDER_CIRCLE:
    cpCircleShapeInit(&shape->as.circle, body, sanitize_between(circle_radius(row), SMALLEST, LARGEST),
                      shape_centre(row));
    break;
  case COLLIDER_SEGMENT:
    compute_ends(row, &a, &b);
    cpSegmentShapeInit(&shape->as.segment, body, a, b, circle_radius(row));
    break;
  default: cpPolyShapeInitRaw(&shape->as.poly, body, compute_corners(row, corners), corners, circle_radius(row));
  }
  set_surface(shape, row);
  compute_moment(shape);
  cpSpaceAddShape(s->space, &shape->as.shape);
  shape->as.shape.hashid = row->entity; // identifies the corners of contacts in later steps
}

static void change_outline(live_shape_t *shape, const space_collider_t *row) {
  cpVect corners[SPACE_MAX_POINTS], a, b;
  cpShape *s = &shape->as.shape;
  switch (row->kind) {
  case COLLIDER_CIRCLE:
    cpCircleShapeSetRadius(s, sanitize_between(circle_radius(row), SMALLEST, LARGEST));
    cpCircleShapeSetOffset(s, shape_centre(row));
    break;
  case COLLIDER_SEGMENT:
    compute_ends(row, &a, &b);
    cpSegmentShapeSetEndpoints(s, a, b);
    // cpSegmentShapeSetEndpoints has reversed the normal, so set it again.
    shape->as.segment.n = cpvrperp(cpvnormalize(cpvsub(b, a)));
    cpSegmentShapeSetRadius(s, circle_radius(row));
    break;
  default:
    cpPolyShapeSetVertsRaw(s, compute_corners(row, corners), corners);
    cpPolyShapeSetRadius(s, circle_radius(row));
  }
}

bool shape_update(live_shape_t *shape, const space_collider_t *row) {
  uint64_t points_hash = hash_points(row);
  set_surface(shape, row);
  if (is_same_outline(shape, row, points_hash))
    return false;
  store_row(shape, row, points_hash);
  change_outline(shape, row);
  compute_moment(shape);
  cpSpace *space = shape->as.shape.space;
  cpShapeUpdate(&shape->as.shape, shape->body->transform);
  cpSpatialIndexReindex(cpBodyGetType(shape->body) == CP_BODY_TYPE_STATIC ? space->staticShapes : space->dynamicShapes);
  return true;
}

void shape_fini(space_o *s, live_shape_t *shape) {
  cpSpaceRemoveShape(s->space, &shape->as.shape);
  cpShapeDestroy(&shape->as.shape);
  shape->body = NULL;
}
