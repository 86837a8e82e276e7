// Searches by ray, point and box. A ray finds only its nearest hit. The colliders near a point are sorted by distance,
// then by entity, and the colliders in a box by entity.
#include "space_internal.h"

#include "plugins/scratch_array.h"
#include "broadphase.h"

#include <math.h>

typedef struct search_result_t {
  double order;
  space_hit_t hit;
} search_result_t;

static int compare_by_order(const void *a, const void *broadphase) {
  const search_result_t *left = a, *right = broadphase;
  if (left->order != right->order)
    return left->order < right->order ? -1 : 1;
  return (left->hit.entity > right->hit.entity) - (left->hit.entity < right->hit.entity);
}

static search_result_t *reserve_sorted(space_o *state, uint32_t count) {
  state->sorted = grow_scratch(state->sorted, &state->sorted_capacity, count, sizeof(search_result_t));
  return state->sorted;
}

typedef void (*visit_t)(void *data, cpShape *shape);

static void visit_shapes(broadphase_t *broadphase, cpBB box, uint32_t mask, visit_t visit, void *data) {
  broadphase_find(broadphase, box);
  for (uint32_t i = 0; i < broadphase->result_count; ++i) {
    cpShape *shape = broadphase->shapes[broadphase->results[i]];
    if (shape->filter.categories & mask)
      visit(data, shape);
  }
}

static void visit_all_shapes(space_o *state, cpBB box, uint32_t mask, visit_t visit, void *data) {
  if (!state->space || !(box.l <= box.r && box.b <= box.t))
    return;
  visit_shapes(broadphase_resting(state->space), box, mask, visit, data);
  visit_shapes(broadphase_moving(state->space), box, mask, visit, data);
}

typedef struct ray_t {
  cpVect start, end;
  double radius;
  search_result_t best;
} ray_t;

static void visit_ray(void *data, cpShape *shape) {
  ray_t *ray = data;
  cpSegmentQueryInfo info;
  if (!cpShapeSegmentQuery(shape, ray->start, ray->end, ray->radius, &info))
    return;
  search_result_t result = {info.alpha,
                            {.entity = to_live_shape(shape)->row.entity,
                             .x = (float)info.point.x,
                             .y = (float)info.point.y,
                             .nx = (float)info.normal.x,
                             .ny = (float)info.normal.y,
                             .part = (float)info.alpha}};
  if (ray->best.hit.entity == 0 || compare_by_order(&result, &ray->best) < 0)
    ray->best = result;
}

bool space_cast_ray(space_o *state, double x1, double y1, double x2, double y2, double radius, uint32_t mask,
                    space_hit_t *hit) {
  ray_t ray = {cpv(sanitize_number(x1, 1e7), sanitize_number(y1, 1e7)),
               cpv(sanitize_number(x2, 1e7), sanitize_number(y2, 1e7)),
               sanitize_between(radius, 0, 1e6),
               {0, {0}}};
  cpBB box = {fmin(ray.start.x, ray.end.x) - ray.radius, fmin(ray.start.y, ray.end.y) - ray.radius,
              fmax(ray.start.x, ray.end.x) + ray.radius, fmax(ray.start.y, ray.end.y) + ray.radius};
  visit_all_shapes(state, box, mask, visit_ray, &ray);
  *hit = ray.best.hit;
  return hit->entity != 0;
}

typedef struct search_t {
  space_o *s;
  cpVect position;
  double radius;
  cpBB box;
  uint32_t count;
} search_t;

static void visit_near(void *data, cpShape *shape) {
  search_t *search = data;
  cpPointQueryInfo info;
  double distance = cpShapePointQuery(shape, search->position, &info);
  if (!(distance <= search->radius))
    return;
  search_result_t *results = reserve_sorted(search->s, search->count + 1);
  results[search->count++] = (search_result_t){distance,
                                               {.entity = to_live_shape(shape)->row.entity,
                                                .x = (float)info.point.x,
                                                .y = (float)info.point.y,
                                                .nx = (float)info.gradient.x,
                                                .ny = (float)info.gradient.y,
                                                .part = (float)distance}};
}

uint32_t space_find_near(space_o *state, double x, double y, double radius, uint32_t mask, space_hit_t *out,
                         uint32_t capacity) {
  search_t search = {.s = state,
                     .position = cpv(sanitize_number(x, 1e7), sanitize_number(y, 1e7)),
                     .radius = sanitize_between(radius, 0, 1e7)};
  visit_all_shapes(state, cpBBNewForCircle(search.position, search.radius), mask, visit_near, &search);
  if (search.count > 1)
    qsort(state->sorted, search.count, sizeof(search_result_t), compare_by_order);
  for (uint32_t i = 0; i < search.count && i < capacity; ++i)
    out[i] = ((search_result_t *)state->sorted)[i].hit;
  return search.count;
}

static void visit_box(void *data, cpShape *shape) {
  search_t *search = data;
  search_result_t *results = reserve_sorted(search->s, search->count + 1);
  results[search->count++] = (search_result_t){0, {.entity = to_live_shape(shape)->row.entity}};
}

uint32_t space_find_in_box(space_o *state, double left, double top, double right, double bottom, uint32_t mask,
                           uint32_t *out, uint32_t capacity) {
  search_t search = {.s = state};
  // In Chipmunk, `b` is the smaller y, which is the top here.
  cpBB box = {sanitize_number(left, 1e7), sanitize_number(top, 1e7), sanitize_number(right, 1e7),
              sanitize_number(bottom, 1e7)};
  visit_all_shapes(state, box, mask, visit_box, &search);
  if (search.count > 1)
    qsort(state->sorted, search.count, sizeof(search_result_t), compare_by_order);
  for (uint32_t i = 0; i < search.count && i < capacity; ++i)
    out[i] = ((search_result_t *)state->sorted)[i].hit.entity;
  return search.count;
}
