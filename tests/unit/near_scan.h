// Spatial queries that test every body with current field values: the reference for collision/near_queries.h.
#ifndef SHOAL_TESTS_NEAR_SCAN_H
#define SHOAL_TESTS_NEAR_SCAN_H

#include "collision/near_queries.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/collider.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>

typedef struct scan_found_t {
  double distance;
  shoal_entity entity;
} scan_found_t;

typedef struct near_scan_t {
  world_o *world;
  manager_o *bodies, *findables, *transforms;
  body_columns body;
  findable_columns findable;
  transform_columns transform;
  transform_matrices_t places;
  uint32_t mask;
  uint32_t row;          // row of the current body
  uint32_t findable_row; // number of findable entities tested so far
  bool any_disabled;
  ARRAY(scan_found_t) found;
} near_scan_t;

static inline void begin_search(near_scan_t *n, world_o *w, uint32_t mask) {
  const manager_o *disabled = world_find_manager(w, "disabled");
  *n = (near_scan_t){.world = w, .mask = mask, .row = UINT32_MAX};
  n->bodies = world_find_manager(w, "body");
  n->transforms = world_find_manager(w, "transform");
  n->any_disabled = disabled && disabled->count > 0;
  shoal_assert(n->bodies && n->transforms, "body and transform must be declared");
  n->findables = world_find_manager(w, "findable");
  n->body = body_columns_of(n->bodies);
  n->findable = findable_columns_of(n->findables);
  n->transform = transform_columns_of(n->transforms);
  transform_matrices_begin(&n->places, n->transforms);
}

static inline void end_search(near_scan_t *n) {
  transform_matrices_end(&n->places);
  array_free(world_allocator(n->world), &n->found);
}

// Returns true if the current body is certainly outside the bounds, based on its position and maximum reach. Always
// returns false for entities with a parent.
static inline bool is_body_outside(const near_scan_t *n, uint32_t place, const bounds_t *b) {
  if (n->transform.parent[place] != 0)
    return false;
  float x = n->transform.x[place], y = n->transform.y[place];
  float scale_x = n->transform.scale_x[place];
  float scale_y = n->transform.scale_y[place];
  double reach = (double)body_reach(&n->body, n->body.kind[n->row] == BODY_KIND_BOX, n->row, scale_x, scale_y);
  return (double)x + reach < b->left || (double)x - reach > b->right || (double)y + reach < b->top ||
         (double)y - reach > b->bottom;
}

// Advances to the next entity without a body that has `findable`, after the last body.
static inline bool find_next_findable(near_scan_t *n, collider_t *out) {
  const manager_o *m = n->findables;
  while (n->findable_row < m->count) {
    uint32_t row = n->findable_row++;
    shoal_entity e = m->owner[row];
    uint32_t place = manager_row(n->transforms, e);
    if (place == ROW_NONE || (n->findable.category[row] & n->mask) == 0 || manager_row(n->bodies, e) != ROW_NONE ||
        (n->any_disabled && world_is_disabled(n->world, e, m->id)))
      continue;
    float world[16];
    transform_compute_world_matrix(&n->places, place, world);
    float radius = n->findable.radius[row], none = 0;
    uint8_t circle = BODY_KIND_CIRCLE;
    body_columns body = {.kind = &circle, .radius = &radius, .offset_x = &none, .offset_y = &none};
    *out = collider_from_body(&body, 0, e, world);
    if (isfinite(out->x) && isfinite(out->y) && isfinite(out->half_x) && isfinite(out->half_y))
      return true;
  }
  return false;
}

// Advances to the next body that may be within the bounds, or to the next findable entity, and writes its collider.
// Returns false after the last entity.
static inline bool find_next_candidate(near_scan_t *n, const bounds_t *b, collider_t *out) {
  const manager_o *m = n->bodies;
  const uint8_t *enabled = n->body.enabled;
  const uint32_t *category = n->body.category;
  while (n->row != m->count && ++n->row < m->count) {
    shoal_entity e = m->owner[n->row];
    if (!enabled[n->row] || (category[n->row] & n->mask) == 0)
      continue;
    uint32_t place = manager_row(n->transforms, e);
    if (place == ROW_NONE || is_body_outside(n, place, b) || (n->any_disabled && world_is_disabled(n->world, e, m->id)))
      continue;
    float world[16];
    transform_compute_world_matrix(&n->places, place, world);
    *out = collider_from_body(&n->body, n->row, e, world);
    if (isfinite(out->x) && isfinite(out->y) && isfinite(out->half_x) && isfinite(out->half_y))
      return true;
  }
  return find_next_findable(n, out);
}

static inline int compare_by_distance(const void *a, const void *b) {
  const scan_found_t *x = a, *y = b;
  if (x->distance != y->distance)
    return x->distance < y->distance ? -1 : 1;
  uint32_t i = shoal_entity_index(x->entity), j = shoal_entity_index(y->entity);
  return i < j ? -1 : i > j;
}

static inline uint32_t write_results(near_scan_t *n, shoal_entity *out, uint32_t max) {
  uint32_t count = n->found.count;
  if (count > 1)
    qsort(n->found.items, count, sizeof *n->found.items, compare_by_distance);
  for (uint32_t i = 0; i < count && i < max; ++i)
    out[i] = n->found.items[i].entity;
  end_search(n);
  return count;
}

static inline void add_result(near_scan_t *n, double distance, shoal_entity e) {
  scan_found_t found = {distance, e};
  array_push(world_allocator(n->world), &n->found, found);
}

static inline uint32_t scan_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out,
                                   uint32_t max) {
  near_scan_t n;
  collider_t k;
  bounds_t b = {x - radius, y - radius, x + radius, y + radius};
  shoal_assert(!isnan(x) && !isnan(y) && radius >= 0, "invalid circle of radius %g around %g, %g", radius, x, y);
  begin_search(&n, w, mask);
  while (find_next_candidate(&n, &b, &k)) {
    double distance = collider_distance(&k, x, y);
    if (distance < radius)
      add_result(&n, distance, k.entity);
  }
  return write_results(&n, out, max);
}

static inline uint32_t scan_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask,
                                shoal_entity *out, uint32_t max) {
  near_scan_t n;
  collider_t k;
  contact_t contact;
  bounds_t b = {fmin(left, right), fmin(top, bottom), fmax(left, right), fmax(top, bottom)};
  collider_t box = {.box = true,
                    .x = (b.left + b.right) / 2,
                    .y = (b.top + b.bottom) / 2,
                    .half_x = (b.right - b.left) / 2,
                    .half_y = (b.bottom - b.top) / 2,
                    .ux = 1};
  shoal_assert(isfinite(box.x) && isfinite(box.y), "a box must be finite, got %g, %g, %g, %g", left, top, right,
               bottom);
  begin_search(&n, w, mask);
  while (find_next_candidate(&n, &b, &k))
    if (collider_find_contact(&box, &k, &contact))
      add_result(&n, 0, k.entity);
  return write_results(&n, out, max);
}

static inline bool scan_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out) {
  near_scan_t n;
  collider_t k;
  double nearest = INFINITY, dx = x2 - x1, dy = y2 - y1;
  bounds_t b = {fmin(x1, x2), fmin(y1, y2), fmax(x1, x2), fmax(y1, y2)};
  shoal_assert(isfinite(dx) && isfinite(dy), "a ray must be finite, got %g, %g to %g, %g", x1, y1, x2, y2);
  begin_search(&n, w, mask);
  while (find_next_candidate(&n, &b, &k)) {
    double part, normal[2];
    if (!collider_intersect_ray(&k, x1, y1, dx, dy, &part, normal))
      continue;
    bool lower = part == nearest && shoal_entity_index(k.entity) < shoal_entity_index(out->entity);
    if (part < nearest || lower) {
      nearest = part;
      *out = (near_hit_t){k.entity, x1 + dx * part, y1 + dy * part, normal[0], normal[1]};
    }
  }
  end_search(&n);
  return nearest < INFINITY;
}

#endif
