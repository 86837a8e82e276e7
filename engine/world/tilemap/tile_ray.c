// Traverses the grid as described by J. Amanatides and A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing",
// 1987.
#include "tilemap/tile_ray.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>

#define MAX_STEPS 100000 // maximum number of cells per ray

// A tilemap, and the ray in the tilemap's cell coordinates.
typedef struct grid_ray_t {
  world_o *world;
  shoal_entity entity;
  const map_t *map;
  double x, y, dx, dy; // start and direction, in cells
} grid_ray_t;

// Returns true if the grid cell is solid. The topmost tile that declares `solid` determines this. Stores this tile's
// cell value in `out` if there is such a tile.
static bool is_solid(const grid_ray_t *ray, int32_t column, int32_t row, uint32_t *out) {
  for (uint32_t i = ray->map->layer_count; i-- > 0;) {
    const map_layer_t *layer = &ray->map->layers[i];
    if (!layer->physical)
      continue;
    *out = tilemap_cell(layer, tilemap_edits(ray->world, ray->entity, layer->name), column, row);
    const map_tile_t *tile = map_tile(ray->map, *out);
    if (tile->declares_solid)
      return tile->solid;
  }
  return false;
}

// Returns the fraction of the ray before the next cell edge on one axis, or INFINITY if the ray is parallel to these
// edges.
static double fraction_to_edge(double position, double direction) {
  double offset = position - floor(position);
  return direction > 0 ? (1 - offset) / direction : direction < 0 ? offset / -direction : INFINITY;
}

// Stores the fractions of the ray at which it enters and leaves the interval from `low` to `high` on one axis. An
// interval that contains a parallel ray begins at -INFINITY.
static void cross_interval(double position, double direction, double low, double high, double out[2]) {
  double a = (low - position) / direction, b = (high - position) / direction;
  bool is_inside = position > low && position < high;
  out[0] = direction == 0 ? (is_inside ? -INFINITY : INFINITY) : fmin(a, b);
  out[1] = direction == 0 ? INFINITY : fmax(a, b);
}

// Returns the fraction of the ray before it enters a solid part of the cell; 2 if it enters no part. Parts that contain
// the start of the ray are ignored.
static double trace_parts(const grid_ray_t *ray, uint32_t cell, double column, double row, bool *enters_from_side) {
  map_part_t parts[MAP_MAX_PARTS];
  double nearest = 2;
  for (uint32_t i = 0, count = map_list_parts(ray->map, cell, parts); i < count; ++i) {
    double x[2], y[2];
    cross_interval(ray->x, ray->dx, column + (double)parts[i].left, column + (double)parts[i].right, x);
    cross_interval(ray->y, ray->dy, row + (double)parts[i].top, row + (double)parts[i].bottom, y);
    double entry = fmax(x[0], y[0]);
    if (entry < 0 || entry >= fmin(x[1], y[1]) || entry >= nearest)
      continue;
    nearest = entry;
    *enters_from_side = x[0] > y[0];
  }
  return nearest;
}

// Returns the fraction of the ray before it enters a solid cell or a solid part of a cell, or 2 if it enters neither
// before `limit`. Sets *enters_from_side to true if the ray enters the cell or part through its left or right edge.
static double trace_ray(const grid_ray_t *ray, double limit, bool *enters_from_side) {
  double column = floor(ray->x), row = floor(ray->y), fraction = 0;
  double next_x = fraction_to_edge(ray->x, ray->dx), next_y = fraction_to_edge(ray->y, ray->dy);
  double step_x = ray->dx != 0 ? 1 / fabs(ray->dx) : INFINITY, step_y = ray->dy != 0 ? 1 / fabs(ray->dy) : INFINITY;
  bool has_left_start = false;
  for (int i = 0; i < MAX_STEPS && fraction <= 1 && fraction < limit; ++i) {
    uint32_t cell = 0;
    bool inside = fabs(column) < 1e9 && fabs(row) < 1e9 && is_solid(ray, (int32_t)column, (int32_t)row, &cell);
    bool has_parts = inside && map_tile(ray->map, cell)->part_count > 0, part_from_side = false;
    double part_fraction = has_parts ? trace_parts(ray, cell, column, row, &part_from_side) : 2;
    if (part_fraction <= 1) {
      *enters_from_side = part_from_side;
      return part_fraction;
    } else if (inside && has_left_start && !has_parts) {
      return fraction;
    }
    has_left_start = has_left_start || !inside || has_parts;
    *enters_from_side = next_x < next_y;
    fraction = *enters_from_side ? next_x : next_y;
    if (*enters_from_side) {
      column += ray->dx > 0 ? 1 : -1;
      next_x += step_x;
    } else {
      row += ray->dy > 0 ? 1 : -1;
      next_y += step_y;
    }
  }
  return 2;
}

bool tile_ray_cast(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out) {
  const manager_o *tilemaps = builtin_find(w, "tilemap");
  manager_o *transforms = world_find_manager(w, "transform");
  double nearest = 2;
  shoal_assert(isfinite(x2 - x1) && isfinite(y2 - y1), "a ray must be finite, got %g, %g to %g, %g", x1, y1, x2, y2);
  if (!tilemaps || tilemaps->count == 0)
    return false;
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transforms);
  for (uint32_t row = 0; row < tilemaps->count; ++row) {
    const map_t *map = world_is_disabled(w, tilemaps->owner[row], tilemaps->id) ? NULL : tilemap_map(w, row);
    uint32_t transform_row = manager_row(transforms, tilemaps->owner[row]);
    float matrix[16];
    if (!map || !map->has_solid || transform_row == ROW_NONE)
      continue;
    transform_compute_world_matrix(&matrices, transform_row, matrix);
    if (fabsf(matrix[1]) + fabsf(matrix[4]) > 1e-6f || !(matrix[0] > 0) || !(matrix[5] > 0))
      continue;
    double cell_width = (double)matrix[0] * map->tile_width, cell_height = (double)matrix[5] * map->tile_height;
    grid_ray_t ray = {w,
                      tilemaps->owner[row],
                      map,
                      (x1 - (double)matrix[12]) / cell_width,
                      (y1 - (double)matrix[13]) / cell_height,
                      (x2 - x1) / cell_width,
                      (y2 - y1) / cell_height};
    bool enters_from_side = false;
    double fraction = trace_ray(&ray, nearest, &enters_from_side);
    if (fraction >= nearest)
      continue;
    nearest = fraction;
    *out = (near_hit_t){tilemaps->owner[row], x1 + (x2 - x1) * fraction, y1 + (y2 - y1) * fraction, 0, 0};
    *(enters_from_side ? &out->nx : &out->ny) = (enters_from_side ? x2 > x1 : y2 > y1) ? -1 : 1;
  }
  transform_matrices_end(&matrices);
  return nearest <= 1;
}
