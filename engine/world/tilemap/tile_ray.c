// Grid traversal: J. Amanatides and A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987.
#include "tilemap/tile_ray.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>

#define MAX_STEPS 100000 // maximum number of cells per ray

// A tilemap, and the ray in the tilemap's cell coordinates.
typedef struct walk_t {
  world_o *w;
  shoal_entity entity;
  const map_t *map;
  double x, y, dx, dy; // start and direction, in cells
} walk_t;

static bool is_solid(const walk_t *k, int32_t column, int32_t row) {
  for (uint32_t i = k->map->layer_count; i-- > 0;) {
    const map_layer_t *l = &k->map->layers[i];
    if (!l->cells)
      continue;
    const map_tile_t *t = map_tile(k->map, tilemap_cell(l, tilemap_edits(k->w, k->entity, l->name), column, row));
    if (t->declares_solid)
      return t->solid;
  }
  return false;
}

// Returns the fraction of the ray before the next cell edge on one axis; INFINITY if it is parallel to that axis's
// edges.
static double fraction_to_edge(double at, double d) {
  double into = at - floor(at);
  return d > 0 ? (1 - into) / d : d < 0 ? into / -d : INFINITY;
}

// Returns the fraction of the ray before it enters a solid cell; 2 if it enters none before `limit`. Stores in `aside`
// whether it enters from the side.
static double trace_ray(const walk_t *k, double limit, bool *aside) {
  double column = floor(k->x), row = floor(k->y), part = 0;
  double next_x = fraction_to_edge(k->x, k->dx), next_y = fraction_to_edge(k->y, k->dy);
  double step_x = k->dx != 0 ? 1 / fabs(k->dx) : INFINITY, step_y = k->dy != 0 ? 1 / fabs(k->dy) : INFINITY;
  bool begun = false;
  for (int i = 0; i < MAX_STEPS && part <= 1 && part < limit; ++i) {
    bool inside = fabs(column) < 1e9 && fabs(row) < 1e9 && is_solid(k, (int32_t)column, (int32_t)row);
    if (inside && begun)
      return part;
    begun = begun || !inside;
    *aside = next_x < next_y;
    part = *aside ? next_x : next_y;
    if (*aside) {
      column += k->dx > 0 ? 1 : -1;
      next_x += step_x;
    } else {
      row += k->dy > 0 ? 1 : -1;
      next_y += step_y;
    }
  }
  return 2;
}

bool tile_ray_cast(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out) {
  const manager_o *m = builtin_find(w, "tilemap");
  manager_o *transforms = world_find_manager(w, "transform");
  double nearest = 2;
  shoal_assert(isfinite(x2 - x1) && isfinite(y2 - y1), "a ray must be finite, got %g, %g to %g, %g", x1, y1, x2, y2);
  if (!m || m->count == 0)
    return false;
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transforms);
  for (uint32_t row = 0; row < m->count; ++row) {
    const map_t *map = world_is_disabled(w, m->owner[row], m->id) ? NULL : tilemap_map(w, row);
    uint32_t transform_row = manager_row(transforms, m->owner[row]);
    float at[16];
    if (!map || !map->has_solid || transform_row == ROW_NONE)
      continue;
    transform_compute_world_matrix(&matrices, transform_row, at);
    if (fabsf(at[1]) + fabsf(at[4]) > 1e-6f || !(at[0] > 0) || !(at[5] > 0))
      continue;
    double wide = (double)at[0] * map->tile_width, high = (double)at[5] * map->tile_height;
    walk_t k = {w,
                m->owner[row],
                map,
                (x1 - (double)at[12]) / wide,
                (y1 - (double)at[13]) / high,
                (x2 - x1) / wide,
                (y2 - y1) / high};
    bool aside = false;
    double part = trace_ray(&k, nearest, &aside);
    if (part >= nearest)
      continue;
    nearest = part;
    *out = (near_hit_t){m->owner[row], x1 + (x2 - x1) * part, y1 + (y2 - y1) * part, 0, 0};
    *(aside ? &out->nx : &out->ny) = (aside ? x2 > x1 : y2 > y1) ? -1 : 1;
  }
  transform_matrices_end(&matrices);
  return nearest <= 1;
}
