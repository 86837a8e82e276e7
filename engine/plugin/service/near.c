// API functions for spatial queries.
#include "service/api.h"

#include "base/assert.h"
#include "collision/near_queries.h"
#include "plugin/plugin.h"
#include "shoal/near.h"

#include <math.h>

_Static_assert(sizeof(shoal_ray_hit) == sizeof(near_hit_t), "shoal_ray_hit must have the members of near_hit_t");

// Returns true if all numbers are finite. Otherwise, fails the current call and returns false.
static bool check_numbers(context_t *context, const char *function, const double *numbers, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (!isfinite(numbers[i]))
      return context_fail(context, "%s: all positions and sizes must be finite, got %g", function, numbers[i]);
  return true;
}

uint32_t api_find_near(shoal_context *c, double x, double y, double radius, uint32_t mask, shoal_entity *out,
                       uint32_t capacity) {
  context_t *context = context_of(c);
  shoal_assert(out || capacity == 0, "`out` must not be NULL");
  if (!check_numbers(context, "shoal_find_near", (const double[]){x, y, radius}, 3))
    return 0;
  return near_find_in_circle(context->plugins->world, x, y, fmax(radius, 0), mask, out, capacity);
}

uint32_t api_count_near(shoal_context *c, double x, double y, double radius, uint32_t mask) {
  context_t *context = context_of(c);
  if (!check_numbers(context, "shoal_count_near", (const double[]){x, y, radius}, 3))
    return 0;
  return near_count_in_circle(context->plugins->world, x, y, fmax(radius, 0), mask);
}

uint32_t api_find_nearest(shoal_context *c, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out) {
  context_t *context = context_of(c);
  shoal_assert(out || k == 0, "`out` must not be NULL");
  if (!check_numbers(context, "shoal_find_nearest", (const double[]){x, y}, 2))
    return 0;
  return near_find_nearest(context->plugins->world, x, y, k, mask, out);
}

uint32_t api_find_in_box(shoal_context *c, double left, double top, double right, double bottom, uint32_t mask,
                         shoal_entity *out, uint32_t capacity) {
  context_t *context = context_of(c);
  shoal_assert(out || capacity == 0, "`out` must not be NULL");
  if (!check_numbers(context, "shoal_find_in_box", (const double[]){left, top, right, bottom}, 4))
    return 0;
  return near_find_in_box(context->plugins->world, left, top, right, bottom, mask, out, capacity);
}

bool api_cast_ray(shoal_context *c, double x1, double y1, double x2, double y2, uint32_t mask, shoal_ray_hit *out) {
  context_t *context = context_of(c);
  near_hit_t hit = {0};
  shoal_assert(out, "`out` must not be NULL");
  if (!check_numbers(context, "shoal_cast_ray", (const double[]){x1, y1, x2, y2}, 4))
    return false;
  bool found = near_cast_ray(context->plugins->world, x1, y1, x2, y2, mask, &hit);
  if (found)
    *out = (shoal_ray_hit){hit.entity, hit.x, hit.y, hit.nx, hit.ny};
  return found;
}
