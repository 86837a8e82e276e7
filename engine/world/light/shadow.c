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
#define MAX_CELLS 250000.0 // maximum number of tilemap cells examined per image
#define NEAREST 0.002f     // relative to the range: edges closer to the light cast no shadow

enum { SHAPE_CIRCLE, SHAPE_RECT, SHAPE_POLYGON, SHAPE_LINE };
enum { OCCLUDER_AUTO, OCCLUDER_BOX, OCCLUDER_CIRCLE };

typedef struct gather_t {
  lights_t *lights;
  allocator_t *a;
  world_o *w;
  const light_shapes_t *shapes;
  const float *view;
  const manager_o *m;
  occluder_columns data;
  uint32_t row; // row of the current occluder
  shoal_entity entity;
  affine_t pose;
} gather_t;

// --- outlines

static void append_point(gather_t *g, float x, float y) {
  const affine_t *p = &g->pose;
  array_push(g->a, &g->lights->xy, p->ux * x + p->vx * y + p->x);
  array_push(g->a, &g->lights->xy, p->uy * x + p->vy * y + p->y);
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
// two, or if the points are not finite or cannot cast a visible shadow.
static void close_outline(gather_t *g, uint32_t first, bool loop, bool sided, float depth) {
  lights_t *l = g->lights;
  uint32_t count = l->xy.count / 2 - first;
  float *xy = l->xy.items + 2 * (size_t)first;
  light_occluder_t o = {.entity = g->entity, .first = first, .count = count, .loop = loop, .sided = sided};
  o.lit = sided && loop && g->data.lit[g->row];
  o.depth = depth;
  o.left = o.top = INFINITY;
  o.right = o.bottom = -INFINITY;
  bool is_valid = count > 1;
  for (uint32_t i = 0; i < count; ++i) {
    is_valid = is_valid && isfinite(xy[2 * i]) && isfinite(xy[2 * i + 1]);
    o.left = fminf(o.left, xy[2 * i]);
    o.right = fmaxf(o.right, xy[2 * i]);
    o.top = fminf(o.top, xy[2 * i + 1]);
    o.bottom = fmaxf(o.bottom, xy[2 * i + 1]);
  }
  if (!is_valid || o.left > g->view[2] || o.right < g->view[0] || o.top > g->view[3] || o.bottom < g->view[1]) {
    l->xy.count = 2 * first;
    return;
  }
  if (loop)
    reverse_outline(xy, count);
  array_push(g->a, &l->occluders, o);
}

static void add_box(gather_t *g, float x, float y, float width, float height, float depth) {
  uint32_t first = g->lights->xy.count / 2;
  append_point(g, x - width * 0.5f, y - height * 0.5f);
  append_point(g, x + width * 0.5f, y - height * 0.5f);
  append_point(g, x + width * 0.5f, y + height * 0.5f);
  append_point(g, x - width * 0.5f, y + height * 0.5f);
  close_outline(g, first, true, true, depth);
}

static void add_circle(gather_t *g, float x, float y, float radius, float depth) {
  uint32_t first = g->lights->xy.count / 2;
  for (uint32_t i = 0; i < CIRCLE_POINTS; ++i) {
    float turn = 6.2831853f * (float)i / (float)CIRCLE_POINTS;
    append_point(g, x + radius * cosf(turn), y + radius * sinf(turn));
  }
  close_outline(g, first, true, true, depth);
}

// --- tiles

// The range of examined cells of a tilemap.
typedef struct grid_t {
  const map_t *map;
  int32_t left, top, right, bottom; // `right` and `bottom` are exclusive
} grid_t;

static bool is_solid_cell(const gather_t *g, const grid_t *r, int32_t column, int32_t row) {
  for (uint32_t i = r->map->layer_count; i-- > 0;) {
    const map_layer_t *l = &r->map->layers[i];
    if (!l->cells)
      continue;
    const map_tile_t *t = map_tile(r->map, tilemap_cell(l, tilemap_edits(g->w, g->entity, l->name), column, row));
    if (t->declares_solid)
      return t->solid && !t->one_way;
  }
  return false;
}

// Computes the range of visible cells. Returns false if no cell or more than MAX_CELLS cells are visible, or if a cell
// is less than 0.001 pixels wide or high.
static bool compute_visible_cells(const gather_t *g, grid_t *r) {
  const affine_t *p = &g->pose;
  const map_t *map = r->map;
  float wide = p->ux * (float)map->tile_width, high = p->vy * (float)map->tile_height;
  if (!(fabsf(wide) > 1e-3f && fabsf(high) > 1e-3f))
    return false;
  float ends[4] = {(g->view[0] - p->x) / wide, (g->view[1] - p->y) / high, (g->view[2] - p->x) / wide,
                   (g->view[3] - p->y) / high};
  float max_x = (float)map->left + (float)map->columns, max_y = (float)map->top + (float)map->rows;
  float left = fmaxf(floorf(fminf(ends[0], ends[2])), (float)map->left);
  float right = fminf(ceilf(fmaxf(ends[0], ends[2])), max_x);
  float top = fmaxf(floorf(fminf(ends[1], ends[3])), (float)map->top);
  float bottom = fminf(ceilf(fmaxf(ends[1], ends[3])), max_y);
  if (!(left < right && top < bottom) || ((double)right - (double)left) * ((double)bottom - (double)top) > MAX_CELLS)
    return false;
  *r = (grid_t){map, (int32_t)left, (int32_t)top, (int32_t)right, (int32_t)bottom};
  return true;
}

// Adds one edge of solid cells. The outside is to the left of the edge.
static void add_edge(gather_t *g, const grid_t *r, float x, float y, float to_x, float to_y, float depth) {
  uint32_t first = g->lights->xy.count / 2;
  float wide = (float)r->map->tile_width, high = (float)r->map->tile_height;
  append_point(g, x * wide, y * high);
  append_point(g, to_x * wide, to_y * high);
  close_outline(g, first, false, true, depth);
}

// Adds the edges between adjacent rows of cells or, with `across`, columns of cells. Merges consecutive edges with the
// same direction.
static void add_edges(gather_t *g, const grid_t *r, const uint8_t *solid, bool across, float depth) {
  int32_t wide = r->right - r->left, high = r->bottom - r->top;
  shoal_assert(wide > 0 && high > 0, "the grid size must be positive, got %d × %d cells", wide, high);
  int32_t lines = across ? wide : high, length = across ? high : wide;
  for (int32_t line = 0; line <= lines; ++line) {
    int32_t start = 0, was = 0;
    for (int32_t i = 0; i <= length; ++i) {
      int32_t current = 0, previous = 0;
      if (i < length) {
        current = line < lines ? solid[across ? i * wide + line : line * wide + i] : 0;
        previous = line > 0 ? solid[across ? i * wide + line - 1 : (line - 1) * wide + i] : 0;
      }
      // 1: only the cell below the edge (with `across`, to the right) is solid; -1: only the cell on the other side
      int32_t way = current - previous;
      if (way == was)
        continue;
      float from = (float)start, to = (float)i, at = (float)line + (float)(across ? r->left : r->top);
      float offset = (float)(across ? r->top : r->left);
      bool turned = (was > 0) == across;
      if (was != 0 && across)
        add_edge(g, r, at, offset + (turned ? to : from), at, offset + (turned ? from : to), depth);
      else if (was != 0)
        add_edge(g, r, offset + (turned ? to : from), at, offset + (turned ? from : to), at, depth);
      start = i;
      was = way;
    }
  }
}

static void add_tiles(gather_t *g, uint32_t tilemap) {
  grid_t r = {.map = tilemap_map(g->w, tilemap)};
  if (!r.map || !r.map->has_solid || !compute_visible_cells(g, &r))
    return;
  size_t wide = (size_t)(r.right - r.left), count = wide * (size_t)(r.bottom - r.top);
  uint8_t *solid = alloc_resize(g->a, NULL, 0, count);
  for (size_t i = 0; i < count; ++i)
    solid[i] = is_solid_cell(g, &r, r.left + (int32_t)(i % wide), r.top + (int32_t)(i / wide));
  float cell = (float)(r.map->tile_width < r.map->tile_height ? r.map->tile_width : r.map->tile_height);
  float depth = g->data.depth[g->row];
  depth = depth > 0.0f ? depth : g->data.lit[g->row] ? cell * 0.5f : 0.0f;
  add_edges(g, &r, solid, false, depth);
  add_edges(g, &r, solid, true, depth);
  alloc_resize(g->a, solid, count, 0);
}

// --- shapes of an entity

static void add_shape(gather_t *g, const manager_o *m, uint32_t row, float depth) {
  shape_columns c = shape_columns_of(m);
  uint32_t kind = c.kind[row], first = g->lights->xy.count / 2;
  if (kind == SHAPE_CIRCLE) {
    add_circle(g, 0.0f, 0.0f, c.radius[row], depth);
    return;
  }
  if (kind == SHAPE_RECT) {
    add_box(g, 0.0f, 0.0f, c.width[row], c.height[row], depth);
    return;
  }
  const char *text = strings_text(world_strings(g->w), c.points[row]);
  const outline_t *o = outlines_find_or_build(g->shapes->outlines, g->a, c.points[row], text);
  for (uint32_t i = 0; i < o->point_count; ++i)
    append_point(g, o->xy[2 * i], o->xy[2 * i + 1]);
  close_outline(g, first, kind == SHAPE_POLYGON, kind == SHAPE_POLYGON, depth);
}

static void add_body(gather_t *g, const manager_o *m, uint32_t row, float depth) {
  body_columns c = body_columns_of(m);
  float x = c.offset_x[row], y = c.offset_y[row];
  if (c.kind[row] == BODY_KIND_CIRCLE)
    add_circle(g, x, y, c.radius[row], depth);
  else
    add_box(g, x, y, c.width[row], c.height[row], depth);
}

static void add_occluder(gather_t *g) {
  const occluder_columns *c = &g->data;
  uint32_t i = g->row;
  float depth = c->depth[i];
  if (c->shape[i] == OCCLUDER_BOX) {
    add_box(g, c->offset_x[i], c->offset_y[i], c->width[i], c->height[i], depth);
    return;
  }
  if (c->shape[i] == OCCLUDER_CIRCLE) {
    add_circle(g, c->offset_x[i], c->offset_y[i], c->radius[i], depth);
    return;
  }
  const manager_o *tiles = builtin_find(g->w, "tilemap"), *shape = world_find_manager(g->w, "shape");
  const manager_o *body = world_find_manager(g->w, "body");
  uint32_t row = tiles ? manager_row(tiles, g->entity) : ROW_NONE;
  if (row != ROW_NONE)
    add_tiles(g, row);
  else if (shape && (row = manager_row(shape, g->entity)) != ROW_NONE)
    add_shape(g, shape, row, depth);
  else if (body && (row = manager_row(body, g->entity)) != ROW_NONE)
    add_body(g, body, row, depth);
  else if (!g->lights->logged_none) {
    char name[NAME_DESCRIPTION_MAX];
    g->lights->logged_none = true;
    log_warn(world_log(g->w),
             "%s: occluder: the entity has no tilemap, shape or body: add such a component, or set occluder.shape to "
             "\"box\" or \"circle\"",
             name_describe(g->w, g->entity, name, sizeof name));
  }
}

void occluders_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float seen[4]) {
  const manager_o *m = builtin_find(w, "occluder");
  if (!m || m->count == 0)
    return;
  gather_t g = {.lights = l, .a = a, .w = w, .shapes = shapes, .view = seen, .m = m};
  g.data = occluder_columns_of(m);
  for (uint32_t row = 0; row < m->count; ++row) {
    g.row = row;
    g.entity = m->owner[row];
    if (g.data.enabled[row] && !world_is_disabled(w, g.entity, m->id) && poses_find(shapes->poses, g.entity, &g.pose))
      add_occluder(&g);
  }
}

// --- shadow maps

// The light being processed. Edges are scaled so that the range of the light is 1.
typedef struct light_probe_t {
  float x, y, scale; // `scale`: 1 / range
  float *row;
} light_probe_t;

// Clips end `a` of an edge to a half-plane. `at_a` and `at_b`: signed distances of both ends from the border of the
// half-plane, negative outside. Returns false if both ends are outside.
static bool clip_end(float *a, const float *b, float at_a, float at_b) {
  if (at_a >= 0.0f)
    return true;
  if (at_b < 0.0f)
    return false;
  float part = at_a / (at_a - at_b);
  a[0] += (b[0] - a[0]) * part;
  a[1] += (b[1] - a[1]) * part;
  return true;
}

// Clips an edge to the quadrant around the first axis. Returns false if nothing remains.
static bool clip_to_face(float *a, float *b) {
  for (int side = 0; side < 2; ++side) {
    float sign = side ? 1.0f : -1.0f, at_a = a[0] + sign * a[1], at_b = b[0] + sign * b[1];
    if (!clip_end(a, b, at_a, at_b) || !clip_end(b, a, at_b, at_a))
      return false;
  }
  return clip_end(a, b, a[0] - NEAREST, b[0] - NEAREST) && clip_end(b, a, b[0] - NEAREST, a[0] - NEAREST);
}

// Draws an edge. 1 / distance along the axis is linear in the direction (y / x), as in perspective projection.
static void draw_face_edge(float *face, const float *a, const float *b, float depth) {
  shoal_assert(a[0] > 0.0f && b[0] > 0.0f, "the edge must be in front of the light");
  float u = a[1] / a[0], v = b[1] / b[0], near_u = 1.0f / a[0], near_v = 1.0f / b[0];
  if (u > v) {
    float swap = u;
    u = v;
    v = swap;
    swap = near_u;
    near_u = near_v;
    near_v = swap;
  }
  const float half = (float)LIGHT_FACE * 0.5f;
  float from = fmaxf(ceilf((u + 1.0f) * half - 0.5f), 0.0f);
  float to = fminf(floorf((v + 1.0f) * half - 0.5f), (float)LIGHT_FACE - 1.0f);
  float slope = v > u ? (near_v - near_u) / (v - u) : 0.0f;
  for (float i = from; i <= to; i += 1.0f) {
    float at = (i + 0.5f) / half - 1.0f, near = near_u + (at - u) * slope;
    if (depth > 0.0f)
      near /= 1.0f + near * depth / sqrtf(1.0f + at * at);
    float *texel = &face[(uint32_t)i];
    *texel = near > *texel ? near : *texel;
  }
}

static void draw_edge(const light_probe_t *k, const float *p, const float *q, float depth) {
  float ax = (p[0] - k->x) * k->scale, ay = (p[1] - k->y) * k->scale;
  float bx = (q[0] - k->x) * k->scale, by = (q[1] - k->y) * k->scale;
  if (fmaxf(ax, bx) < -1.0f || fminf(ax, bx) > 1.0f || fmaxf(ay, by) < -1.0f || fminf(ay, by) > 1.0f)
    return;
  for (uint32_t face = 0; face < 4; ++face) {
    float a[2] = {ax, ay}, b[2] = {bx, by};
    if (clip_to_face(a, b))
      draw_face_edge(&k->row[face * LIGHT_FACE], a, b, depth * k->scale);
    float turned = ax; // rotates by 90 degrees for the next face
    ax = ay;
    ay = -turned;
    turned = bx;
    bx = by;
    by = -turned;
  }
}

// Returns true if the light is on the outer side of the edge.
static bool is_outside(const light_probe_t *k, const float *p, const float *q) {
  return (q[0] - p[0]) * (k->y - p[1]) - (q[1] - p[1]) * (k->x - p[0]) < 0.0f;
}

static void draw_occluder(const light_probe_t *k, const lights_t *l, const light_occluder_t *o) {
  const float *xy = l->xy.items + 2 * (size_t)o->first;
  uint32_t edges = o->loop ? o->count : o->count - 1;
  bool outside = false;
  shoal_assert(2 * (o->first + o->count) <= l->xy.count, "%u points from index %u are out of range", o->count,
               o->first);
  for (uint32_t i = 0; i < edges && !outside; ++i)
    outside = is_outside(k, &xy[2 * i], &xy[2 * ((i + 1) % o->count)]);
  if (o->sided && !outside) // the light is inside the occluder
    return;
  for (uint32_t i = 0; i < edges; ++i) {
    const float *p = &xy[2 * i], *q = &xy[2 * ((i + 1) % o->count)];
    if (!o->sided || is_outside(k, p, q) != o->lit)
      draw_edge(k, p, q, o->depth);
  }
}

bool shadow_map_draw(const lights_t *l, float x, float y, float range, const shoal_entity *passed,
                     uint32_t passed_count, float *row) {
  light_probe_t k = {x, y, 1.0f / range, row};
  bool any = false;
  shoal_assert(range > 0.0f, "the range of a light must be positive, got %g", (double)range);
  for (uint32_t i = 0; i < l->occluders.count; ++i) {
    const light_occluder_t *o = &l->occluders.items[i];
    bool near = o->left < x + range && o->right > x - range && o->top < y + range && o->bottom > y - range;
    for (uint32_t p = 0; near && p < passed_count; ++p)
      near = passed[p] != o->entity;
    if (!near)
      continue;
    if (!any)
      memset(row, 0, LIGHT_ROW * sizeof *row);
    any = true;
    draw_occluder(&k, l, o);
  }
  return any;
}
