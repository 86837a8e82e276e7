// Finds bodies near a point, in a box or along a ray: the grids return candidates, which are tested exactly. Results
// are sorted by distance, then by entity index, so they do not depend on the grids.
#include "collision/near_queries.h"

#include "base/assert.h"
#include "collision/body_grid.h"
#include "collision/collider.h"

#include <math.h>
#include <stdlib.h>

// --- sorting

// Sorts the results. Short lists are sorted by insertion, which is faster than calling qsort.
static void sort_results(body_boxes_t *boxes) {
  enum { MAX_INSERTION_SORT = 24 };
  found_body_t *list = boxes->results.items;
  uint32_t count = boxes->results.count;
  if (count > MAX_INSERTION_SORT) {
    qsort(list, count, sizeof *list, found_body_compare);
    return;
  }
  for (uint32_t i = 1; i < count; ++i) {
    found_body_t item = list[i];
    uint32_t position = i;
    for (; position > 0 && found_body_compare(&item, &list[position - 1]) < 0; --position)
      list[position] = list[position - 1];
    list[position] = item;
  }
}

static uint32_t write_results(body_boxes_t *boxes, shoal_entity *out, uint32_t max) {
  uint32_t count = boxes->results.count;
  sort_results(boxes);
  for (uint32_t i = 0; i < count && i < max; ++i)
    out[i] = boxes->results.items[i].entity;
  return count;
}

static void add_result(body_boxes_t *boxes, double distance, shoal_entity entity) {
  found_body_t results = {distance, entity};
  array_push(boxes->grid.allocator, &boxes->results, results);
}

// --- circles

static bounds_t circle_bounds(double x, double y, double radius) {
  return (bounds_t){x - radius, y - radius, x + radius, y + radius};
}

// Collects candidates among bodies and findable entities. Returns true if bodies outside the area may exist, or false
// if all boxes were tested (see box_grid_collect).
static bool collect(body_boxes_t *boxes, const bounds_t *area, uint32_t mask) {
  bool has_more = false;
  boxes->results.count = 0;
  for (body_boxes_t *table = boxes; table; table = table->findables) {
    table->candidates.count = 0;
    has_more |= box_grid_collect(&table->grid, area, mask, &table->candidates);
  }
  return has_more;
}

static void collect_in_circle(body_boxes_t *boxes, double x, double y, double radius, uint32_t mask) {
  bounds_t area = circle_bounds(x, y, radius);
  shoal_assert(!isnan(x) && !isnan(y) && radius >= 0, "invalid circle of radius %g around %g, %g", radius, x, y);
  collect(boxes, &area, mask);
  for (const body_boxes_t *table = boxes; table; table = table->findables)
    for (uint32_t i = 0; i < table->candidates.count; ++i) {
      const collider_t *collider = &table->colliders[table->candidates.items[i]];
      double distance = collider_distance(collider, x, y);
      if (distance < radius)
        add_result(boxes, distance, collider->entity);
    }
}

uint32_t near_find_in_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out,
                             uint32_t max) {
  body_boxes_t *boxes = body_grid_sync(w);
  collect_in_circle(boxes, x, y, radius, mask);
  return write_results(boxes, out, max);
}

uint32_t near_count_in_circle(world_o *w, double x, double y, double radius, uint32_t mask) {
  body_boxes_t *boxes = body_grid_sync(w);
  collect_in_circle(boxes, x, y, radius, mask);
  return boxes->results.count;
}

// --- nearest bodies

// Stores the `k` nearest of the bodies that may be within `radius`, sorted. Returns true if bodies outside the circle
// may exist, or false if all bodies were tested.
static bool collect_nearest_within(body_boxes_t *boxes, double x, double y, double radius, uint32_t k, uint32_t mask) {
  enum { SMALL = 64 };
  bounds_t area = circle_bounds(x, y, radius);
  bool has_more = collect(boxes, &area, mask);
  if (k <= SMALL)
    array_reserve(boxes->grid.allocator, &boxes->results, k);
  for (const body_boxes_t *table = boxes; table; table = table->findables)
    for (uint32_t i = 0; i < table->candidates.count; ++i) {
      const collider_t *collider = &table->colliders[table->candidates.items[i]];
      double distance = collider_distance(collider, x, y);
      if (!(distance < INFINITY))
        continue;
      if (k <= SMALL)
        boxes->results.count = found_bodies_insert(boxes->results.items, boxes->results.count, k,
                                                   (found_body_t){distance, collider->entity});
      else
        add_result(boxes, distance, collider->entity);
    }
  if (k > SMALL)
    sort_results(boxes);
  boxes->results.count = boxes->results.count < k ? boxes->results.count : k;
  return has_more;
}

// Searches in circles of growing radius until the k-th body is inside. If a circle's candidates contain k bodies, the
// distance of the k-th body is the radius of the next circle.
uint32_t near_find_nearest(world_o *w, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out) {
  body_boxes_t *boxes = body_grid_sync(w);
  double radius = box_grid_cell_size(&boxes->grid) * (1 + sqrt(k) / 2);
  shoal_assert(!isnan(x) && !isnan(y), "the position %g, %g must be a number", x, y);
  if (k == 0)
    return 0;
  for (;;) {
    bool has_more = collect_nearest_within(boxes, x, y, radius, k, mask), has_k = boxes->results.count == k;
    double farthest = has_k ? boxes->results.items[k - 1].distance : (double)INFINITY;
    if (!(radius < INFINITY) || farthest <= radius)
      break;
    radius = has_k ? farthest : has_more ? radius * 2 : (double)INFINITY;
  }
  for (uint32_t i = 0; i < boxes->results.count; ++i)
    out[i] = boxes->results.items[i].entity;
  return boxes->results.count;
}

// --- boxes

uint32_t near_find_in_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask,
                          shoal_entity *out, uint32_t max) {
  body_boxes_t *boxes = body_grid_sync(w);
  contact_t contact;
  bounds_t area = {fmin(left, right), fmin(top, bottom), fmax(left, right), fmax(top, bottom)};
  collider_t box = {.box = true,
                    .x = (area.left + area.right) / 2,
                    .y = (area.top + area.bottom) / 2,
                    .half_x = (area.right - area.left) / 2,
                    .half_y = (area.bottom - area.top) / 2,
                    .ux = 1};
  shoal_assert(isfinite(box.x) && isfinite(box.y), "a box must be finite, got %g, %g, %g, %g", left, top, right,
               bottom);
  collect(boxes, &area, mask);
  for (const body_boxes_t *table = boxes; table; table = table->findables)
    for (uint32_t i = 0; i < table->candidates.count; ++i) {
      const collider_t *collider = &table->colliders[table->candidates.items[i]];
      if (collider_find_contact(&box, collider, &contact))
        add_result(boxes, 0, collider->entity);
    }
  return write_results(boxes, out, max);
}

// --- rays

typedef struct ray_t {
  double x, y, dx, dy;
  double nearest; // fraction of the segment before the first body found, or INFINITY
  near_hit_t *out;
} ray_t;

static void test_candidates(const body_boxes_t *boxes, ray_t *ray) {
  for (uint32_t i = 0; i < boxes->candidates.count; ++i) {
    const collider_t *collider = &boxes->colliders[boxes->candidates.items[i]];
    double fraction, normal[2];
    if (!collider_intersect_ray(collider, ray->x, ray->y, ray->dx, ray->dy, &fraction, normal))
      continue;
    bool wins_tie =
        fraction == ray->nearest && shoal_entity_index(collider->entity) < shoal_entity_index(ray->out->entity);
    if (fraction < ray->nearest || wins_tie) {
      ray->nearest = fraction;
      *ray->out = (near_hit_t){collider->entity, ray->x + ray->dx * fraction, ray->y + ray->dy * fraction, normal[0],
                               normal[1]};
    }
  }
}

// Returns the bounding box of the segment between two fractions, with a margin so that rounding moves no entry point
// out of the box.
static bounds_t piece_bounds(const ray_t *ray, double start, double end) {
  const double MARGIN = 1e-9;
  double x1 = ray->x + ray->dx * start, y1 = ray->y + ray->dy * start, x2 = ray->x + ray->dx * end,
         y2 = ray->y + ray->dy * end;
  double margin = (fabs(ray->x) + fabs(ray->y) + fabs(ray->dx) + fabs(ray->dy)) * MARGIN;
  return (bounds_t){fmin(x1, x2) - margin, fmin(y1, y2) - margin, fmax(x1, x2) + margin, fmax(y1, y2) + margin};
}

// Follows the segment in pieces, and stops after the piece in which it enters a body.
bool near_cast_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out) {
  enum { MAX_PIECES = 64, CELLS_PER_PIECE = 4 };
  body_boxes_t *boxes = body_grid_sync(w);
  ray_t ray = {.x = x1, .y = y1, .dx = x2 - x1, .dy = y2 - y1, .nearest = INFINITY, .out = out};
  shoal_assert(isfinite(ray.dx) && isfinite(ray.dy), "a ray must be finite, got %g, %g to %g, %g", x1, y1, x2, y2);
  double pieces = ceil(fmax(fabs(ray.dx), fabs(ray.dy)) / (box_grid_cell_size(&boxes->grid) * CELLS_PER_PIECE));
  pieces = fmin(fmax(pieces, 1), MAX_PIECES);
  for (double piece = 0; piece < pieces && !(ray.nearest <= piece / pieces); ++piece) {
    bounds_t area = piece_bounds(&ray, piece / pieces, (piece + 1) / pieces);
    bool has_more = collect(boxes, &area, mask);
    test_candidates(boxes, &ray);
    if (boxes->findables)
      test_candidates(boxes->findables, &ray);
    if (!has_more && piece + 1 < pieces) { // testing all boxes in each piece would be slower than one search
      area = piece_bounds(&ray, piece / pieces, 1);
      collect(boxes, &area, mask);
      test_candidates(boxes, &ray);
      if (boxes->findables)
        test_candidates(boxes->findables, &ray);
      break;
    }
  }
  return ray.nearest < INFINITY;
}
