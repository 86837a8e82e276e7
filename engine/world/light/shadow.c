// Edges of shapes, bodies and solid tiles, and their rasterization into the faces of a light.
#include "light/light_internal.h"

#include "base/assert.h"
#include "collision/body.h"
#include "components/name.h"
#include "components/data_components.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define CIRCLE_POINTS 20u
#define MAX_CELLS 250000.0       // maximum number of tilemap cells examined per image
#define MIN_EDGE_DISTANCE 0.002f // minimum distance relative to the range: edges closer to the light cast no shadow

enum { SHAPE_CIRCLE, SHAPE_RECT, SHAPE_POLYGON, SHAPE_LINE };
enum { OCCLUDER_AUTO, OCCLUDER_BOX, OCCLUDER_CIRCLE };

typedef struct occluder_builder_t {
  lights_t *lights;
  allocator_t *allocator;
  world_o *world;
  const light_shapes_t *shapes;
  const float *view;
  const manager_o *manager;
  occluder_columns columns;
  uint32_t row; // row of the current occluder
  shoal_entity entity;
  affine_t pose;
} occluder_builder_t;

// --- outlines

static void append_point(occluder_builder_t *builder, float x, float y) {
  const affine_t *pose = &builder->pose;
  array_push(builder->allocator, &builder->lights->xy, pose->ux * x + pose->vx * y + pose->x);
  array_push(builder->allocator, &builder->lights->xy, pose->uy * x + pose->vy * y + pose->y);
}

// Reverses the outline if necessary, so that the left side of each edge is the outside.
static void reverse_outline(float *xy, uint32_t count) {
  float area = 0.0f;
  shoal_assert(count > 1, "an outline must have at least 2 points, got %u", count);
  for (uint32_t i = 0, j = count - 1; i < count; j = i++)
    area += xy[2 * j] * xy[2 * i + 1] - xy[2 * i] * xy[2 * j + 1];
  for (uint32_t i = 0, j = count - 1; area < 0.0f && i < j; ++i, --j)
    for (uint32_t k = 0; k < 2; ++k) {
      float swap = xy[2 * i + k];
      xy[2 * i + k] = xy[2 * j + k];
      xy[2 * j + k] = swap;
    }
}

// Creates an occluder from the points starting at index `first`. Discards the points instead if there are fewer than
// two points, or if they are not finite or cannot cast a visible shadow.
static void close_outline(occluder_builder_t *builder, uint32_t first, bool loop, bool one_sided, float depth) {
  lights_t *lights = builder->lights;
  uint32_t count = lights->xy.count / 2 - first;
  float *xy = lights->xy.items + 2 * (size_t)first;
  light_occluder_t occluder = {
      .entity = builder->entity, .first = first, .count = count, .loop = loop, .one_sided = one_sided};
  occluder.lit = one_sided && loop && builder->columns.lit[builder->row];
  occluder.depth = depth;
  occluder.left = occluder.top = INFINITY;
  occluder.right = occluder.bottom = -INFINITY;
  bool is_valid = count > 1;
  for (uint32_t i = 0; i < count; ++i) {
    is_valid = is_valid && isfinite(xy[2 * i]) && isfinite(xy[2 * i + 1]);
    occluder.left = fminf(occluder.left, xy[2 * i]);
    occluder.right = fmaxf(occluder.right, xy[2 * i]);
    occluder.top = fminf(occluder.top, xy[2 * i + 1]);
    occluder.bottom = fmaxf(occluder.bottom, xy[2 * i + 1]);
  }
  if (!is_valid || occluder.left > builder->view[2] || occluder.right < builder->view[0] ||
      occluder.top > builder->view[3] || occluder.bottom < builder->view[1]) {
    lights->xy.count = 2 * first;
    return;
  }
  if (loop)
    reverse_outline(xy, count);
  array_push(builder->allocator, &lights->occluders, occluder);
}

static void add_box(occluder_builder_t *builder, float x, float y, float width, float height, float depth) {
  uint32_t first = builder->lights->xy.count / 2;
  append_point(builder, x - width * 0.5f, y - height * 0.5f);
  append_point(builder, x + width * 0.5f, y - height * 0.5f);
  append_point(builder, x + width * 0.5f, y + height * 0.5f);
  append_point(builder, x - width * 0.5f, y + height * 0.5f);
  close_outline(builder, first, true, true, depth);
}

static void add_circle(occluder_builder_t *builder, float x, float y, float radius, float depth) {
  uint32_t first = builder->lights->xy.count / 2;
  for (uint32_t i = 0; i < CIRCLE_POINTS; ++i) {
    float angle = 6.2831853f * (float)i / (float)CIRCLE_POINTS;
    append_point(builder, x + radius * cosf(angle), y + radius * sinf(angle));
  }
  close_outline(builder, first, true, true, depth);
}

// --- tiles

// The range of examined cells of a tilemap.
typedef struct grid_t {
  const map_t *map;
  int32_t left, top, right, bottom; // `right` and `bottom` are exclusive
} grid_t;

// Returns the cell of the tile that makes a position solid; 0 if the position is not solid or is one-way.
static uint32_t find_solid_cell(const occluder_builder_t *builder, const grid_t *grid, int32_t column, int32_t row) {
  for (uint32_t i = grid->map->layer_count; i-- > 0;) {
    const map_layer_t *layer = &grid->map->layers[i];
    if (!layer->physical)
      continue;
    uint32_t cell = tilemap_cell(layer, tilemap_edits(builder->world, builder->entity, layer->name), column, row);
    const map_tile_t *tile = map_tile(grid->map, cell);
    if (tile->declares_solid)
      return tile->solid && !tile->one_way ? cell : 0;
  }
  return 0;
}

// Computes the range of visible cells. Returns true on success, or false if no cell or more than MAX_CELLS cells are
// visible, or if a cell is at most 0.001 pixels wide or high.
static bool compute_visible_cells(const occluder_builder_t *builder, grid_t *grid) {
  const affine_t *pose = &builder->pose;
  const map_t *map = grid->map;
  float cell_width = pose->ux * (float)map->tile_width, cell_height = pose->vy * (float)map->tile_height;
  if (!(fabsf(cell_width) > 1e-3f && fabsf(cell_height) > 1e-3f))
    return false;
  float corners[4] = {(builder->view[0] - pose->x) / cell_width, (builder->view[1] - pose->y) / cell_height,
                      (builder->view[2] - pose->x) / cell_width, (builder->view[3] - pose->y) / cell_height};
  float max_x = (float)map->left + (float)map->columns, max_y = (float)map->top + (float)map->rows;
  float left = fmaxf(floorf(fminf(corners[0], corners[2])), (float)map->left);
  float right = fminf(ceilf(fmaxf(corners[0], corners[2])), max_x);
  float top = fmaxf(floorf(fminf(corners[1], corners[3])), (float)map->top);
  float bottom = fminf(ceilf(fmaxf(corners[1], corners[3])), max_y);
  if (!(left < right && top < bottom) || ((double)right - (double)left) * ((double)bottom - (double)top) > MAX_CELLS)
    return false;
  *grid = (grid_t){map, (int32_t)left, (int32_t)top, (int32_t)right, (int32_t)bottom};
  return true;
}

// Adds one edge of solid cells. The outside is to the left of the edge.
static void add_edge(occluder_builder_t *builder, const grid_t *grid, float x, float y, float end_x, float end_y,
                     float depth) {
  uint32_t first = builder->lights->xy.count / 2;
  float cell_width = (float)grid->map->tile_width, cell_height = (float)grid->map->tile_height;
  append_point(builder, x * cell_width, y * cell_height);
  append_point(builder, end_x * cell_width, end_y * cell_height);
  close_outline(builder, first, false, true, depth);
}

// Adds the edges between adjacent rows of cells or, with `vertical`, columns of cells. Merges consecutive edges with
// the same direction.
static void add_edges(occluder_builder_t *builder, const grid_t *grid, const uint8_t *solid, bool vertical,
                      float depth) {
  int32_t columns = grid->right - grid->left, rows = grid->bottom - grid->top;
  shoal_assert(columns > 0 && rows > 0, "the grid size must be positive, got %d × %d cells", columns, rows);
  int32_t line_count = vertical ? columns : rows, length = vertical ? rows : columns;
  for (int32_t line = 0; line <= line_count; ++line) {
    int32_t start = 0, run_direction = 0;
    for (int32_t i = 0; i <= length; ++i) {
      int32_t current = 0, previous = 0;
      if (i < length) {
        current = line < line_count ? solid[vertical ? i * columns + line : line * columns + i] : 0;
        previous = line > 0 ? solid[vertical ? i * columns + line - 1 : (line - 1) * columns + i] : 0;
      }
      // 1: only the cell below the edge (with `vertical`, to the right) is solid; -1: only the opposite cell is solid
      int32_t direction = current - previous;
      if (direction == run_direction)
        continue;
      float run_start = (float)start, run_end = (float)i,
            line_position = (float)line + (float)(vertical ? grid->left : grid->top);
      float offset = (float)(vertical ? grid->top : grid->left);
      bool reversed = (run_direction > 0) == vertical;
      if (run_direction != 0 && vertical)
        add_edge(builder, grid, line_position, offset + (reversed ? run_end : run_start), line_position,
                 offset + (reversed ? run_start : run_end), depth);
      else if (run_direction != 0)
        add_edge(builder, grid, offset + (reversed ? run_end : run_start), line_position,
                 offset + (reversed ? run_start : run_end), line_position, depth);
      start = i;
      run_direction = direction;
    }
  }
}

// Adds the outlines of the solid rectangles of a cell.
static void add_parts(occluder_builder_t *builder, const grid_t *grid, uint32_t cell, int32_t column, int32_t row,
                      float depth) {
  map_part_t parts[MAP_MAX_PARTS];
  for (uint32_t i = 0, count = map_list_parts(grid->map, cell, parts); i < count; ++i) {
    float left = (float)column + parts[i].left, right = (float)column + parts[i].right;
    float top = (float)row + parts[i].top, bottom = (float)row + parts[i].bottom;
    add_edge(builder, grid, left, top, right, top, depth);
    add_edge(builder, grid, right, top, right, bottom, depth);
    add_edge(builder, grid, right, bottom, left, bottom, depth);
    add_edge(builder, grid, left, bottom, left, top, depth);
  }
}

static void add_tiles(occluder_builder_t *builder, uint32_t tilemap) {
  grid_t grid = {.map = tilemap_map(builder->world, tilemap)};
  if (!grid.map || !grid.map->has_solid || !compute_visible_cells(builder, &grid))
    return;
  size_t columns = (size_t)(grid.right - grid.left), count = columns * (size_t)(grid.bottom - grid.top);
  uint8_t *solid = alloc_resize(builder->allocator, NULL, 0, count);
  float cell_size =
      (float)(grid.map->tile_width < grid.map->tile_height ? grid.map->tile_width : grid.map->tile_height);
  float depth = builder->columns.depth[builder->row];
  depth = depth > 0.0f ? depth : builder->columns.lit[builder->row] ? cell_size * 0.5f : 0.0f;
  for (size_t i = 0; i < count; ++i) {
    int32_t column = grid.left + (int32_t)(i % columns), row = grid.top + (int32_t)(i / columns);
    uint32_t cell = find_solid_cell(builder, &grid, column, row);
    bool has_parts = cell != 0 && map_tile(grid.map, cell)->part_count > 0;
    solid[i] = cell != 0 && !has_parts;
    if (has_parts)
      add_parts(builder, &grid, cell, column, row, depth);
  }
  add_edges(builder, &grid, solid, false, depth);
  add_edges(builder, &grid, solid, true, depth);
  alloc_resize(builder->allocator, solid, count, 0);
}

// --- shapes of an entity

static void add_shape(occluder_builder_t *builder, const manager_o *manager, uint32_t row, float depth) {
  shape_columns columns = shape_columns_of(manager);
  uint32_t kind = columns.kind[row], first = builder->lights->xy.count / 2;
  if (kind == SHAPE_CIRCLE) {
    add_circle(builder, 0.0f, 0.0f, columns.radius[row], depth);
    return;
  }
  if (kind == SHAPE_RECT) {
    add_box(builder, 0.0f, 0.0f, columns.width[row], columns.height[row], depth);
    return;
  }
  const char *text = strings_text(world_strings(builder->world), columns.points[row]);
  const outline_t *outline =
      outlines_find_or_build(builder->shapes->outlines, builder->allocator, columns.points[row], text);
  for (uint32_t i = 0; i < outline->point_count; ++i)
    append_point(builder, outline->xy[2 * i], outline->xy[2 * i + 1]);
  close_outline(builder, first, kind == SHAPE_POLYGON, kind == SHAPE_POLYGON, depth);
}

static void add_body(occluder_builder_t *builder, const manager_o *m, uint32_t row, float depth) {
  body_columns columns = body_columns_of(m);
  float x = columns.offset_x[row], y = columns.offset_y[row];
  if (columns.kind[row] == BODY_KIND_CIRCLE)
    add_circle(builder, x, y, columns.radius[row], depth);
  else
    add_box(builder, x, y, columns.width[row], columns.height[row], depth);
}

static void add_occluder(occluder_builder_t *builder) {
  const occluder_columns *columns = &builder->columns;
  uint32_t i = builder->row;
  float depth = columns->depth[i];
  if (columns->shape[i] == OCCLUDER_BOX) {
    add_box(builder, columns->offset_x[i], columns->offset_y[i], columns->width[i], columns->height[i], depth);
    return;
  }
  if (columns->shape[i] == OCCLUDER_CIRCLE) {
    add_circle(builder, columns->offset_x[i], columns->offset_y[i], columns->radius[i], depth);
    return;
  }
  const manager_o *tiles = builtin_find(builder->world, "tilemap"),
                  *shape = world_find_manager(builder->world, "shape");
  const manager_o *body = world_find_manager(builder->world, "body");
  uint32_t row = tiles ? manager_row(tiles, builder->entity) : ROW_NONE;
  if (row != ROW_NONE)
    add_tiles(builder, row);
  else if (shape && (row = manager_row(shape, builder->entity)) != ROW_NONE)
    add_shape(builder, shape, row, depth);
  else if (body && (row = manager_row(body, builder->entity)) != ROW_NONE)
    add_body(builder, body, row, depth);
  else if (!builder->lights->missing_shape_logged) {
    char name[NAME_DESCRIPTION_MAX];
    builder->lights->missing_shape_logged = true;
    log_warn(world_log(builder->world),
             "%s: occluder: the entity has no tilemap, shape or body: add such a component, or set occluder.shape to "
             "\"box\" or \"circle\"",
             name_describe(builder->world, builder->entity, name, sizeof name));
  }
}

void occluders_list(lights_t *lights, allocator_t *allocator, world_o *w, const light_shapes_t *shapes,
                    const float visible_area[4]) {
  const manager_o *manager = builtin_find(w, "occluder");
  if (!manager || manager->count == 0)
    return;
  occluder_builder_t builder = {
      .lights = lights, .allocator = allocator, .world = w, .shapes = shapes, .view = visible_area, .manager = manager};
  builder.columns = occluder_columns_of(manager);
  for (uint32_t row = 0; row < manager->count; ++row) {
    builder.row = row;
    builder.entity = manager->owner[row];
    if (builder.columns.enabled[row] && !world_is_disabled(w, builder.entity, manager->id) &&
        poses_find(shapes->poses, builder.entity, &builder.pose))
      add_occluder(&builder);
  }
}

// --- shadow maps

// The light being processed. Edges are scaled so that the range of the light is 1.
typedef struct light_probe_t {
  float x, y, scale; // `x`, `y`: position of the light; `scale`: 1 / range
  float *row;
} light_probe_t;

// Clips end `a` of an edge to a half-plane. `distance_a` and `distance_b`: signed distances of both ends from the
// border of the half-plane, negative outside. Returns true if at least one end is inside.
static bool clip_end(float *a, const float *b, float distance_a, float distance_b) {
  if (distance_a >= 0.0f)
    return true;
  if (distance_b < 0.0f)
    return false;
  float fraction = distance_a / (distance_a - distance_b);
  a[0] += (b[0] - a[0]) * fraction;
  a[1] += (b[1] - a[1]) * fraction;
  return true;
}

// Clips an edge to the quadrant around the first axis, and to the minimum distance along this axis. Returns true if a
// part of the edge remains.
static bool clip_to_face(float *a, float *b) {
  for (int side = 0; side < 2; ++side) {
    float sign = side ? 1.0f : -1.0f, distance_a = a[0] + sign * a[1], distance_b = b[0] + sign * b[1];
    if (!clip_end(a, b, distance_a, distance_b) || !clip_end(b, a, distance_b, distance_a))
      return false;
  }
  return clip_end(a, b, a[0] - MIN_EDGE_DISTANCE, b[0] - MIN_EDGE_DISTANCE) &&
         clip_end(b, a, b[0] - MIN_EDGE_DISTANCE, a[0] - MIN_EDGE_DISTANCE);
}

// Draws an edge. 1 / distance along the axis is linear in the direction (y / x), as in perspective projection.
static void draw_face_edge(float *face, const float *a, const float *b, float depth) {
  shoal_assert(a[0] > 0.0f && b[0] > 0.0f, "the edge must be in front of the light");
  float u = a[1] / a[0], v = b[1] / b[0], inverse_u = 1.0f / a[0], inverse_v = 1.0f / b[0];
  if (u > v) {
    float swap = u;
    u = v;
    v = swap;
    swap = inverse_u;
    inverse_u = inverse_v;
    inverse_v = swap;
  }
  const float half_face = (float)LIGHT_FACE * 0.5f;
  float first = fmaxf(ceilf((u + 1.0f) * half_face - 0.5f), 0.0f);
  float last = fminf(floorf((v + 1.0f) * half_face - 0.5f), (float)LIGHT_FACE - 1.0f);
  float slope = v > u ? (inverse_v - inverse_u) / (v - u) : 0.0f;
  for (float i = first; i <= last; i += 1.0f) {
    float direction = (i + 0.5f) / half_face - 1.0f, inverse = inverse_u + (direction - u) * slope;
    if (depth > 0.0f)
      inverse /= 1.0f + inverse * depth / sqrtf(1.0f + direction * direction);
    float *texel = &face[(uint32_t)i];
    *texel = inverse > *texel ? inverse : *texel;
  }
}

static void draw_edge(const light_probe_t *probe, const float *start, const float *end, float depth) {
  float ax = (start[0] - probe->x) * probe->scale, ay = (start[1] - probe->y) * probe->scale;
  float bx = (end[0] - probe->x) * probe->scale, by = (end[1] - probe->y) * probe->scale;
  if (fmaxf(ax, bx) < -1.0f || fminf(ax, bx) > 1.0f || fmaxf(ay, by) < -1.0f || fminf(ay, by) > 1.0f)
    return;
  for (uint32_t face = 0; face < 4; ++face) {
    float a[2] = {ax, ay}, b[2] = {bx, by};
    if (clip_to_face(a, b))
      draw_face_edge(&probe->row[face * LIGHT_FACE], a, b, depth * probe->scale);
    float old_x = ax; // rotates by 90 degrees for the next face
    ax = ay;
    ay = -old_x;
    old_x = bx;
    bx = by;
    by = -old_x;
  }
}

// Returns true if the light is on the outer side of the edge.
static bool is_outside(const light_probe_t *probe, const float *start, const float *end) {
  return (end[0] - start[0]) * (probe->y - start[1]) - (end[1] - start[1]) * (probe->x - start[0]) < 0.0f;
}

static void draw_occluder(const light_probe_t *probe, const lights_t *lights, const light_occluder_t *occluder) {
  const float *xy = lights->xy.items + 2 * (size_t)occluder->first;
  uint32_t edge_count = occluder->loop ? occluder->count : occluder->count - 1;
  bool outside = false;
  shoal_assert(2 * (occluder->first + occluder->count) <= lights->xy.count, "%u points from index %u are out of range",
               occluder->count, occluder->first);
  for (uint32_t i = 0; i < edge_count && !outside; ++i)
    outside = is_outside(probe, &xy[2 * i], &xy[2 * ((i + 1) % occluder->count)]);
  if (occluder->one_sided && !outside) // the light is inside the occluder
    return;
  for (uint32_t i = 0; i < edge_count; ++i) {
    const float *start = &xy[2 * i], *end = &xy[2 * ((i + 1) % occluder->count)];
    if (!occluder->one_sided || is_outside(probe, start, end) != occluder->lit)
      draw_edge(probe, start, end, occluder->depth);
  }
}

bool shadow_map_draw(const lights_t *lights, float x, float y, float range, const shoal_entity *ignored,
                     uint32_t ignored_count, float *row) {
  light_probe_t probe = {x, y, 1.0f / range, row};
  bool has_occluders = false;
  shoal_assert(range > 0.0f, "the range of a light must be positive, got %g", (double)range);
  for (uint32_t i = 0; i < lights->occluders.count; ++i) {
    const light_occluder_t *occluder = &lights->occluders.items[i];
    bool in_range = occluder->left < x + range && occluder->right > x - range && occluder->top < y + range &&
                    occluder->bottom > y - range;
    for (uint32_t p = 0; in_range && p < ignored_count; ++p)
      in_range = ignored[p] != occluder->entity;
    if (!in_range)
      continue;
    if (!has_occluders)
      memset(row, 0, LIGHT_ROW * sizeof *row);
    has_occluders = true;
    draw_occluder(&probe, lights, occluder);
  }
  return has_occluders;
}
