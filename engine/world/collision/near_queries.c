// Finds bodies near a point, in a box or along a ray: the grids return candidates, which are tested exactly. Results
// are sorted by distance, then by entity index, so they do not depend on the grids.
#include "collision/near_queries.h"

#include "base/assert.h"
#include "collision/body_grid.h"
#include "collision/collider.h"

#include <math.h>
#include <stdlib.h>

// --- sorting

// Sorts short lists by insertion, which is faster than a call of qsort.
static void sort_found(body_boxes_t *b) {
  enum { SHORT = 24 };
  found_body_t *list = b->found.items;
  uint32_t count = b->found.count;
  if (count > SHORT) {
    qsort(list, count, sizeof *list, found_body_compare);
    return;
  }
  for (uint32_t i = 1; i < count; ++i) {
    found_body_t item = list[i];
    uint32_t at = i;
    for (; at > 0 && found_body_compare(&item, &list[at - 1]) < 0; --at)
      list[at] = list[at - 1];
    list[at] = item;
  }
}

static uint32_t write_results(body_boxes_t *b, shoal_entity *out, uint32_t max) {
  uint32_t count = b->found.count;
  sort_found(b);
  for (uint32_t i = 0; i < count && i < max; ++i)
    out[i] = b->found.items[i].entity;
  return count;
}

static void add_result(body_boxes_t *b, double distance, shoal_entity e) {
  found_body_t found = {distance, e};
  array_push(b->grid.allocator, &b->found, found);
}

// --- circles

static bounds_t circle_bounds(double x, double y, double radius) {
  return (bounds_t){x - radius, y - radius, x + radius, y + radius};
}

// Collects candidates among bodies and findable entities. Returns false if a larger area must be searched at once
// (box_grid_collect).
static bool collect(body_boxes_t *b, const bounds_t *area, uint32_t mask) {
  bool more = false;
  b->found.count = 0;
  for (body_boxes_t *t = b; t; t = t->also) {
    t->candidates.count = 0;
    more |= box_grid_collect(&t->grid, area, mask, &t->candidates);
  }
  return more;
}

static void collect_in_circle(body_boxes_t *b, double x, double y, double radius, uint32_t mask) {
  bounds_t area = circle_bounds(x, y, radius);
  shoal_assert(!isnan(x) && !isnan(y) && radius >= 0, "invalid circle of radius %g around %g, %g", radius, x, y);
  collect(b, &area, mask);
  for (const body_boxes_t *t = b; t; t = t->also)
    for (uint32_t i = 0; i < t->candidates.count; ++i) {
      const collider_t *k = &t->colliders[t->candidates.items[i]];
      double distance = collider_distance(k, x, y);
      if (distance < radius)
        add_result(b, distance, k->entity);
    }
}

uint32_t near_find_in_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out,
                             uint32_t max) {
  body_boxes_t *b = body_grid_sync(w);
  collect_in_circle(b, x, y, radius, mask);
  return write_results(b, out, max);
}

uint32_t near_count_in_circle(world_o *w, double x, double y, double radius, uint32_t mask) {
  body_boxes_t *b = body_grid_sync(w);
  collect_in_circle(b, x, y, radius, mask);
  return b->found.count;
}

// --- nearest bodies

// Stores the `k` nearest of the bodies that may be within `radius`, sorted. Returns false if all bodies were tested.
static bool collect_nearest_within(body_boxes_t *b, double x, double y, double radius, uint32_t k, uint32_t mask) {
  enum { SMALL = 64 };
  bounds_t area = circle_bounds(x, y, radius);
  bool more = collect(b, &area, mask);
  if (k <= SMALL)
    array_reserve(b->grid.allocator, &b->found, k);
  for (const body_boxes_t *t = b; t; t = t->also)
    for (uint32_t i = 0; i < t->candidates.count; ++i) {
      const collider_t *c = &t->colliders[t->candidates.items[i]];
      double distance = collider_distance(c, x, y);
      if (!(distance < INFINITY))
        continue;
      if (k <= SMALL)
        b->found.count = found_bodies_insert(b->found.items, b->found.count, k, (found_body_t){distance, c->entity});
      else
        add_result(b, distance, c->entity);
    }
  if (k > SMALL)
    sort_found(b);
  b->found.count = b->found.count < k ? b->found.count : k;
  return more;
}

// Searches in circles of growing radius until the k-th body is inside. If a circle's candidates contain k bodies, the
// distance of the last one bounds the next circle.
uint32_t near_find_nearest(world_o *w, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out) {
  body_boxes_t *b = body_grid_sync(w);
  double radius = box_grid_cell_size(&b->grid) * (1 + sqrt(k) / 2);
  shoal_assert(!isnan(x) && !isnan(y), "the position %g, %g must be a number", x, y);
  if (k == 0)
    return 0;
  for (;;) {
    bool more = collect_nearest_within(b, x, y, radius, k, mask), full = b->found.count == k;
    double last = full ? b->found.items[k - 1].distance : (double)INFINITY;
    if (!(radius < INFINITY) || last <= radius)
      break;
    radius = full ? last : more ? radius * 2 : (double)INFINITY;
  }
  for (uint32_t i = 0; i < b->found.count; ++i)
    out[i] = b->found.items[i].entity;
  return b->found.count;
}

// --- boxes

uint32_t near_find_in_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask,
                          shoal_entity *out, uint32_t max) {
  body_boxes_t *b = body_grid_sync(w);
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
  collect(b, &area, mask);
  for (const body_boxes_t *t = b; t; t = t->also)
    for (uint32_t i = 0; i < t->candidates.count; ++i) {
      const collider_t *k = &t->colliders[t->candidates.items[i]];
      if (collider_find_contact(&box, k, &contact))
        add_result(b, 0, k->entity);
    }
  return write_results(b, out, max);
}

// --- rays

typedef struct ray_t {
  double x, y, dx, dy;
  double nearest; // fraction of the segment before the first body found, or INFINITY
  near_hit_t *out;
} ray_t;

static void test_candidates(const body_boxes_t *b, ray_t *r) {
  for (uint32_t i = 0; i < b->candidates.count; ++i) {
    const collider_t *k = &b->colliders[b->candidates.items[i]];
    double part, normal[2];
    if (!collider_intersect_ray(k, r->x, r->y, r->dx, r->dy, &part, normal))
      continue;
    bool lower = part == r->nearest && shoal_entity_index(k->entity) < shoal_entity_index(r->out->entity);
    if (part < r->nearest || lower) {
      r->nearest = part;
      *r->out = (near_hit_t){k->entity, r->x + r->dx * part, r->y + r->dy * part, normal[0], normal[1]};
    }
  }
}

// Returns the bounding box of the segment between two fractions, with a margin so that rounding moves no entry point
// out of the box.
static bounds_t piece_bounds(const ray_t *r, double from, double to) {
  const double MARGIN = 1e-9;
  double x1 = r->x + r->dx * from, y1 = r->y + r->dy * from, x2 = r->x + r->dx * to, y2 = r->y + r->dy * to;
  double margin = (fabs(r->x) + fabs(r->y) + fabs(r->dx) + fabs(r->dy)) * MARGIN;
  return (bounds_t){fmin(x1, x2) - margin, fmin(y1, y2) - margin, fmax(x1, x2) + margin, fmax(y1, y2) + margin};
}

// Follows the segment in pieces, and stops after the piece in which it enters a body.
bool near_cast_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out) {
  enum { MAX_PIECES = 64, CELLS_PER_PIECE = 4 };
  body_boxes_t *b = body_grid_sync(w);
  ray_t r = {.x = x1, .y = y1, .dx = x2 - x1, .dy = y2 - y1, .nearest = INFINITY, .out = out};
  shoal_assert(isfinite(r.dx) && isfinite(r.dy), "a ray must be finite, got %g, %g to %g, %g", x1, y1, x2, y2);
  double pieces = ceil(fmax(fabs(r.dx), fabs(r.dy)) / (box_grid_cell_size(&b->grid) * CELLS_PER_PIECE));
  pieces = fmin(fmax(pieces, 1), MAX_PIECES);
  for (double i = 0; i < pieces && !(r.nearest <= i / pieces); ++i) {
    bounds_t area = piece_bounds(&r, i / pieces, (i + 1) / pieces);
    bool more = collect(b, &area, mask);
    test_candidates(b, &r);
    if (b->also)
      test_candidates(b->also, &r);
    if (!more && i + 1 < pieces) { // testing all boxes in each piece would be slower than one search
      area = piece_bounds(&r, i / pieces, 1);
      collect(b, &area, mask);
      test_candidates(b, &r);
      if (b->also)
        test_candidates(b->also, &r);
      break;
    }
  }
  return r.nearest < INFINITY;
}
