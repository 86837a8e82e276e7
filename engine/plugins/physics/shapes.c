// Converts rows of colliders to Chipmunk shapes.
#include "space_internal.h"

#include <chipmunk/chipmunk_unsafe.h>

#include <math.h>
#include <string.h>

static const double MAX_SIZE = 1e6, MIN_SIZE = 1e-3;

static double get_scaled_size(float value, float scale) {
  return sanitize_between(fabs((double)value * (double)scale), MIN_SIZE, MAX_SIZE);
}

static double get_circle_radius(const space_collider_t *row) {
  return sanitize_between(fabs((double)row->radius * sqrt(fabs((double)row->scale_x * (double)row->scale_y))), 0,
                          MAX_SIZE);
}

static cpVect get_shape_center(const space_collider_t *row) {
  return cpv(sanitize_number(row->x, 1e7), sanitize_number(row->y, 1e7));
}

// Converts a point from the space of the collider's row to the space of the body.
static cpVect convert_to_body_space(const space_collider_t *row, double x, double y) {
  cpVect rotated = cpvrotate(
      cpv(sanitize_number(x * (double)row->scale_x, MAX_SIZE), sanitize_number(y * (double)row->scale_y, MAX_SIZE)),
      cpvforangle(sanitize_number(row->angle, 1e7)));
  return cpvadd(get_shape_center(row), rotated);
}

// Parses at most `capacity` points from a string such as "x,y x,y …". Returns the number of points.
static int read_points(const char *text, double (*out)[2], int capacity) {
  int number_count = 0;
  while (*text && number_count < capacity * 2) {
    char *end;
    double value = strtod(text, &end);
    if (end == text) {
      ++text;
      continue;
    }
    out[number_count / 2][number_count % 2] = value;
    ++number_count;
    text = end;
  }
  return number_count / 2;
}

static int compute_box_corners(const space_collider_t *row, cpVect *out) {
  double width = get_scaled_size(row->width, row->scale_x) / 2, height = get_scaled_size(row->height, row->scale_y) / 2;
  const double corners[4][2] = {{width, -height}, {width, height}, {-width, height}, {-width, -height}};
  cpVect rotation = cpvforangle(sanitize_number(row->angle, 1e7));
  for (int i = 0; i < 4; ++i)
    out[i] = cpvadd(get_shape_center(row), cpvrotate(cpv(corners[i][0], corners[i][1]), rotation));
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
  if (count < 3 || !(fabs(cpAreaForPoly(count, out, 0)) > MIN_SIZE * MIN_SIZE))
    return compute_box_corners(row, out);
  return count;
}

static void compute_ends(const space_collider_t *row, cpVect *a, cpVect *b) {
  double points[2][2] = {{-(double)row->width / 2, 0}, {(double)row->width / 2, 0}};
  if (row->points)
    read_points(row->points, points, 2);
  *a = convert_to_body_space(row, points[0][0], points[0][1]);
  *b = convert_to_body_space(row, points[1][0], points[1][1]);
  if (cpvdistsq(*a, *b) < MIN_SIZE * MIN_SIZE)
    *b = cpvadd(*a, cpv(MIN_SIZE, 0));
}

// Computes the area of the shape, and its moment of inertia per unit mass around the centre of the body.
static void compute_moment(live_shape_t *shape) {
  double radius = get_circle_radius(&shape->row);
  cpVect corners[SPACE_MAX_POINTS];
  switch (shape->row.kind) {
  case COLLIDER_CIRCLE:
    shape->area = cpAreaForCircle(0, shape->as.circle.r);
    shape->unit_moment = cpMomentForCircle(1, 0, shape->as.circle.r, shape->as.circle.c);
    break;
  case COLLIDER_SEGMENT:
    shape->area = cpAreaForSegment(shape->as.segment.a, shape->as.segment.b, radius);
    shape->unit_moment = cpMomentForSegment(1, shape->as.segment.a, shape->as.segment.b, radius);
    break;
  default:
    for (int i = 0; i < shape->as.poly.count; ++i)
      corners[i] = shape->as.poly.planes[shape->as.poly.count + i].v0;
    shape->area = fabs(cpAreaForPoly(shape->as.poly.count, corners, radius));
    shape->unit_moment = fabs(cpMomentForPoly(1, shape->as.poly.count, corners, cpvzero, radius));
  }
  shape->area = sanitize_between(shape->area, 1e-9, 1e15);
  shape->unit_moment = sanitize_between(shape->unit_moment, 1e-9, 1e15);
}

// Returns true if the position, angle, size and points are unchanged. Ignores all other properties.
static bool is_same_outline(const live_shape_t *shape, const space_collider_t *row, uint64_t points_hash) {
  const space_collider_t *old_row = &shape->row;
  return old_row->x == row->x && old_row->y == row->y && old_row->angle == row->angle &&
         old_row->radius == row->radius && old_row->width == row->width && old_row->height == row->height &&
         old_row->scale_x == row->scale_x && old_row->scale_y == row->scale_y && shape->points_hash == points_hash;
}

static uint64_t hash_points(const space_collider_t *row) {
  bool has_points = row->kind == COLLIDER_POLYGON || row->kind == COLLIDER_SEGMENT;
  return has_points && row->points ? space_hash_text(row->points) : 0;
}

static void store_row(live_shape_t *shape, const space_collider_t *row, uint64_t points_hash) {
  shape->row = *row;
  shape->row.points = NULL;
  shape->points_hash = points_hash;
}

// Sets the properties that Chipmunk reads for each contact, which can change without re-creating the shape.
static void set_surface(live_shape_t *shape, const space_collider_t *row) {
  cpShape *chipmunk_shape = &shape->as.shape;
  chipmunk_shape->sensor = row->sensor;
  chipmunk_shape->u = sanitize_between((double)row->friction, 0, 1e6);
  chipmunk_shape->e = sanitize_between((double)row->bounce, 0, 1e3);
  chipmunk_shape->surfaceV =
      cpv(sanitize_number((double)row->surface_x, MAX_SIZE), sanitize_number((double)row->surface_y, MAX_SIZE));
  chipmunk_shape->filter = cpShapeFilterNew(row->group, row->category, row->mask);
}

void shape_init(space_o *state, live_shape_t *shape, const space_collider_t *row, cpBody *body) {
  cpVect corners[SPACE_MAX_POINTS], a, b;
  memset(shape, 0, sizeof *shape);
  store_row(shape, row, hash_points(row));
  shape->body = body;
  shape->check = (uint16_t)((row->body * 0x9e3779b1u) >> 20 << 4 | row->kind << 2 | (uint16_t)cpBodyGetType(body));
  switch (row->kind) {
  case COLLIDER_CIRCLE:
    cpCircleShapeInit(&shape->as.circle, body, sanitize_between(get_circle_radius(row), MIN_SIZE, MAX_SIZE),
                      get_shape_center(row));
    break;
  case COLLIDER_SEGMENT:
    compute_ends(row, &a, &b);
    cpSegmentShapeInit(&shape->as.segment, body, a, b, get_circle_radius(row));
    break;
  default: cpPolyShapeInitRaw(&shape->as.poly, body, compute_corners(row, corners), corners, get_circle_radius(row));
  }
  set_surface(shape, row);
  compute_moment(shape);
  cpSpaceAddShape(state->space, &shape->as.shape);
  shape->as.shape.hashid = row->entity; // stable id: Chipmunk computes the hashes of contact points from it
}

static void change_outline(live_shape_t *shape, const space_collider_t *row) {
  cpVect corners[SPACE_MAX_POINTS], a, b;
  cpShape *chipmunk_shape = &shape->as.shape;
  switch (row->kind) {
  case COLLIDER_CIRCLE:
    cpCircleShapeSetRadius(chipmunk_shape, sanitize_between(get_circle_radius(row), MIN_SIZE, MAX_SIZE));
    cpCircleShapeSetOffset(chipmunk_shape, get_shape_center(row));
    break;
  case COLLIDER_SEGMENT:
    compute_ends(row, &a, &b);
    cpSegmentShapeSetEndpoints(chipmunk_shape, a, b);
    // Sets the normal again, because cpSegmentShapeSetEndpoints has reversed it.
    shape->as.segment.n = cpvrperp(cpvnormalize(cpvsub(b, a)));
    cpSegmentShapeSetRadius(chipmunk_shape, get_circle_radius(row));
    break;
  default:
    cpPolyShapeSetVertsRaw(chipmunk_shape, compute_corners(row, corners), corners);
    cpPolyShapeSetRadius(chipmunk_shape, get_circle_radius(row));
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

void shape_fini(space_o *state, live_shape_t *shape) {
  cpSpaceRemoveShape(state->space, &shape->as.shape);
  cpShapeDestroy(&shape->as.shape);
  shape->body = NULL;
}
