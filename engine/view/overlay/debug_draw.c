// Draws debug shapes in world space, so that they are correct in every view. The line width depends on the size of the
// visible part of the world.
#include "overlay/debug_draw.h"

#include "base/array.h"
#include "base/assert.h"
#include "camera/viewport.h"
#include "collision/collider.h"
#include "components/name.h"
#include "light/light.h"
#include "movement/mover.h"
#include "movement/path.h"
#include "outline/outline.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CELLS 40000.0 // maximum number of cells visited per map
#define MAX_NAMES 400u
#define MAX_COUNTS 1000u // maximum number of cells whose counts are drawn
#define MAX_POINTS 64u

static const float BODY[4] = {0.35f, 1.0f, 0.5f, 0.9f}, OFF[4] = {0.6f, 0.6f, 0.6f, 0.6f};
static const float SENSOR[4] = {1.0f, 0.9f, 0.3f, 0.9f}, SOLID[4] = {1.0f, 0.3f, 0.3f, 0.28f};
static const float LIGHT[4] = {1.0f, 0.75f, 0.3f, 0.8f}, WAY[4] = {0.35f, 0.85f, 1.0f, 0.9f};
static const float HEADING[4] = {0.85f, 0.55f, 1.0f, 0.9f};
// Colours of cells: each level has its own colour, and its cells are four times as large as those of the previous
// level.
static const float CELLS[][4] = {{0.4f, 0.8f, 1.0f, 0.8f}, {1.0f, 0.8f, 0.3f, 0.8f}, {1.0f, 0.5f, 0.8f, 0.8f},
                                 {0.6f, 1.0f, 0.5f, 0.8f}, {0.7f, 0.6f, 1.0f, 0.8f}, {1.0f, 0.5f, 0.4f, 0.8f}};

typedef struct pen_t {
  world_o *w;
  draw_o *draw;
  const manager_o *transforms;
  transform_matrices_t matrices;
  double left, top, right, bottom; // visible part of the world
  float line;                      // line width: two pixels of a 1280-pixel-wide screen
} pen_t;

static void set_colour(const pen_t *p, const float c[4]) {
  draw_set_colour(p->draw, c[0], c[1], c[2], c[3]);
}

static bool read_world_matrix(pen_t *p, shoal_entity e, float m[16]) {
  uint32_t row = manager_row(p->transforms, e);
  if (row == ROW_NONE)
    return false;
  transform_compute_world_matrix(&p->matrices, row, m);
  return isfinite(m[12]) && isfinite(m[13]);
}

static void find_visible_bounds(pen_t *p, float width, float height) {
  p->left = p->top = INFINITY;
  p->right = p->bottom = -INFINITY;
  shoal_entity camera = 0;
  for (int i = 0; i < 4; ++i) {
    double xy[2] = {i % 2 ? (double)width : 0, i / 2 ? (double)height : 0};
    viewport_project(p->w, (double)width, (double)height, true, xy, &camera);
    p->left = fmin(p->left, xy[0]);
    p->right = fmax(p->right, xy[0]);
    p->top = fmin(p->top, xy[1]);
    p->bottom = fmax(p->bottom, xy[1]);
  }
  p->line = (float)((p->right - p->left) / 640.0);
}

// --- bodies

static void draw_box(const pen_t *p, const collider_t *k) {
  double ux = k->ux * k->half_x, uy = k->uy * k->half_x, vx = -k->uy * k->half_y, vy = k->ux * k->half_y;
  const float xy[8] = {(float)(k->x - ux - vx), (float)(k->y - uy - vy), (float)(k->x + ux - vx),
                       (float)(k->y + uy - vy), (float)(k->x + ux + vx), (float)(k->y + uy + vy),
                       (float)(k->x - ux + vx), (float)(k->y - uy + vy)};
  draw_polygon(p->draw, xy, 4, false, p->line);
}

static void draw_bodies(pen_t *p) {
  const manager_o *m = world_find_manager(p->w, "body"), *sensors = builtin_find(p->w, "sensor");
  body_columns bodies = body_columns_of(m);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    float matrix[16];
    shoal_entity e = m->owner[row];
    if (!read_world_matrix(p, e, matrix))
      continue;
    collider_t k = collider_from_body(&bodies, row, e, matrix);
    bool off = !bodies.enabled[row] || world_is_disabled(p->w, e, m->id);
    set_colour(p, off ? OFF : sensors && manager_row(sensors, e) != ROW_NONE ? SENSOR : BODY);
    if (k.box)
      draw_box(p, &k);
    else
      draw_circle(p->draw, (float)k.x, (float)k.y, (float)k.half_x, false, p->line);
  }
}

// --- tiles

// Draws the solid cells of a row, each run as one rectangle.
static void draw_cells(const pen_t *p, shoal_entity e, const float m[16], const double size[6], double row,
                       double first, double last) {
  double begun = 0;
  for (double column = first; column <= last + 1; column += 1) {
    bool solid = column <= last && tilemap_is_solid(p->w, e, column, row, NULL) == 1;
    if (solid && begun == 0)
      begun = column;
    if (solid || begun == 0)
      continue;
    float left = (float)((begun - 1) * size[4]) * m[0] + m[12], right = (float)((column - 1) * size[4]) * m[0] + m[12];
    float top = (float)((row - 1) * size[5]) * m[5] + m[13], bottom = (float)(row * size[5]) * m[5] + m[13];
    draw_rect(p->draw, left, top, right - left, bottom - top, true, 0);
    begun = 0;
  }
}

static void draw_tiles(pen_t *p) {
  const manager_o *m = builtin_find(p->w, "tilemap");
  set_colour(p, SOLID);
  for (uint32_t i = 0; m && i < m->count; ++i) {
    float at[16];
    double size[6];
    if (!read_world_matrix(p, m->owner[i], at) || !tilemap_size(p->w, m->owner[i], size, NULL) ||
        !(fabsf(at[0] * at[5]) > 1e-6f))
      continue;
    double wide = size[4] * (double)at[0], high = size[5] * (double)at[5], x = (double)at[12], y = (double)at[13];
    double first = fmax(floor((p->left - x) / wide) + 1, size[2]);
    double last = fmin(ceil((p->right - x) / wide) + 1, size[2] + size[0] - 1);
    double top = fmax(floor((p->top - y) / high) + 1, size[3]);
    double bottom = fmin(ceil((p->bottom - y) / high) + 1, size[3] + size[1] - 1);
    if (!((last - first + 1) * (bottom - top + 1) <= MAX_CELLS))
      continue;
    for (double row = top; row <= bottom; row += 1)
      draw_cells(p, m->owner[i], at, size, row, first, last);
  }
}

// --- lights, paths

static void draw_lights(pen_t *p) {
  const manager_o *m = builtin_find(p->w, "light");
  light_columns c = light_columns_of(m);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    float at[16];
    if (!read_world_matrix(p, m->owner[row], at))
      continue;
    set_colour(p, c.enabled[row] ? LIGHT : OFF);
    float reach = c.range[row] * sqrtf(fabsf(at[0] * at[5] - at[1] * at[4]));
    draw_circle(p->draw, at[12], at[13], reach, false, p->line);
    draw_circle(p->draw, at[12], at[13], 2 * p->line, true, 0);
    float looks = atan2f(at[1], at[0]) + c.angle[row];
    for (int side = -1; c.cone[row] < 6.28f && side < 2; side += 2)
      draw_line(p->draw, at[12], at[13], at[12] + reach * cosf(looks + (float)side * c.cone[row] * 0.5f),
                at[13] + reach * sinf(looks + (float)side * c.cone[row] * 0.5f), p->line);
  }
}

static void draw_paths(pen_t *p) {
  const manager_o *m = builtin_find(p->w, "path");
  path_columns c = path_columns_of(m);
  const shoal_entity *parent = transform_columns_of(p->transforms).parent;
  set_colour(p, WAY);
  for (uint32_t i = 0; m && i < m->count; ++i) {
    float xy[2 * MAX_POINTS], at[16];
    uint32_t count = outline_parse(strings_text(world_strings(p->w), c.points[i]), xy, MAX_POINTS);
    uint32_t row = manager_row(p->transforms, m->owner[i]);
    for (uint32_t k = 0; c.begun[i] && k < count; ++k) {
      xy[2 * k] += c.origin_x[i];
      xy[2 * k + 1] += c.origin_y[i];
    }
    // Points are relative to the parent, like the entity's transform.
    bool inside = row != ROW_NONE && parent[row] != 0 && read_world_matrix(p, parent[row], at);
    for (uint32_t k = 0; inside && k < count; ++k) {
      float x = xy[2 * k], y = xy[2 * k + 1];
      xy[2 * k] = at[0] * x + at[4] * y + at[12];
      xy[2 * k + 1] = at[1] * x + at[5] * y + at[13];
    }
    for (uint32_t k = 0; k + 1 < count; ++k)
      draw_line(p->draw, xy[2 * k], xy[2 * k + 1], xy[2 * k + 2], xy[2 * k + 3], p->line);
    for (uint32_t k = 0; k < count; ++k)
      draw_circle(p->draw, xy[2 * k], xy[2 * k + 1], (k + 1 == c.next[i] ? 3 : 1.5f) * p->line, true, 0);
  }
}

// Draws the velocity or heading (x, y) of each entity of a component.
static void draw_headings(pen_t *p, const manager_o *m, const float *x, const float *y, float length) {
  set_colour(p, HEADING);
  for (uint32_t i = 0; x && y && i < m->count; ++i) {
    float at[16];
    if (!read_world_matrix(p, m->owner[i], at) || !(fabsf(x[i]) + fabsf(y[i]) > 1e-3f) || !isfinite(x[i] + y[i]))
      continue;
    draw_line(p->draw, at[12], at[13], at[12] + x[i] * length, at[13] + y[i] * length, p->line);
    draw_circle(p->draw, at[12] + x[i] * length, at[13] + y[i] * length, 1.5f * p->line, true, 0);
  }
}

static void draw_movers(pen_t *p) {
  const manager_o *m = builtin_find(p->w, "mover");
  mover_columns c = mover_columns_of(m);
  draw_headings(p, m, c.vx, c.vy, 0.2f);
}

static const float *find_float_column(const manager_o *m, const char *field) {
  int32_t column = manager_find_column(m, field);
  bool is_float = column >= 0 && m->schema.fields[column].type == FIELD_F32;
  return is_float ? manager_column(m, (uint32_t)column) : NULL;
}

// Draws the agents of the nav plugin, whose columns are found by name because the engine does not declare them.
static void draw_agents(pen_t *p) {
  const manager_o *m = world_find_manager(p->w, "nav_agent");
  if (m)
    draw_headings(p, m, find_float_column(m, "dir_x"), find_float_column(m, "dir_y"), 12 * p->line);
}

// --- names

// Writes the entity's name or, without the component `name`, the name of its assemblage. If the name is empty, writes
// the entity's index.
static void format_label(const pen_t *p, shoal_entity e, char *out, size_t out_bytes) {
  const manager_o *m = world_find_manager(p->w, "name");
  const uint32_t *names = name_columns_of(m).value;
  uint32_t row = m ? manager_row(m, e) : ROW_NONE, index = shoal_entity_index(e);
  uint32_t text = names && row != ROW_NONE ? names[row] : world_entities(p->w)->assemblage[index];
  if (text != 0)
    snprintf(out, out_bytes, "%s", strings_text(world_strings(p->w), text));
  else
    snprintf(out, out_bytes, "%u", index);
}

static void draw_names(pen_t *p) {
  static const char *const DRAWN[] = {"sprite", "shape", "text", "emitter", "trail", "tilemap", "light", "body"};
  const draw_text_style_t style = {.outline = {0, 0, 0, 1}, .outline_width = p->line};
  uint32_t count = 0;
  draw_set_text_style(p->draw, &style);
  draw_set_colour(p->draw, 1, 1, 1, 1);
  for (uint32_t row = 0; row < p->transforms->count && count < MAX_NAMES; ++row) {
    shoal_entity e = p->transforms->owner[row];
    float at[16];
    char name[NAME_DESCRIPTION_MAX];
    bool drawn = false;
    for (size_t i = 0; i < sizeof DRAWN / sizeof *DRAWN && !drawn; ++i) {
      const manager_o *m = builtin_find(p->w, DRAWN[i]);
      drawn = m && manager_row(m, e) != ROW_NONE;
    }
    if (!drawn || !read_world_matrix(p, e, at) || (double)at[12] < p->left || (double)at[12] > p->right ||
        (double)at[13] < p->top || (double)at[13] > p->bottom)
      continue;
    format_label(p, e, name, sizeof name);
    draw_text(p->draw, name, at[12], at[13] + 2 * p->line, 5.5f * p->line, 1, 0);
    ++count;
  }
}

// --- cells of the collision grids

// Orders by level, then by row and column.
static int compare_cells(const void *x, const void *y) {
  const spatial_cell_t *a = x, *b = y;
  if (a->level != b->level)
    return a->level < b->level ? -1 : 1;
  if (a->cell_y != b->cell_y)
    return a->cell_y < b->cell_y ? -1 : 1;
  return a->cell_x < b->cell_x ? -1 : a->cell_x > b->cell_x;
}

static bool is_cell_visible(const pen_t *p, const spatial_cell_t *c) {
  return c->left < p->right && c->left + c->width > p->left && c->top < p->bottom && c->top + c->height > p->top;
}

// Draws a cell with the number of its bodies. In large cells, the position of the number depends on the level, so that
// the numbers of cells with the same corner do not overlap.
static void draw_cell(const pen_t *p, const spatial_cell_t *c, uint32_t bodies, bool counted) {
  const size_t colours = sizeof CELLS / sizeof *CELLS, colour = (size_t)(c->level + (int)colours * 16) % colours;
  float x = (float)c->left, y = (float)c->top, width = (float)c->width, height = (float)c->height;
  char text[16];
  set_colour(p, CELLS[colour]);
  draw_rect(p->draw, x, y, width, height, false, p->line);
  if (!counted || height < 8 * p->line)
    return;
  snprintf(text, sizeof text, "%u", bodies);
  float offset = (2 + 8 * (float)colour) * p->line;
  draw_text(p->draw, text, x + (offset < width / 2 ? offset : 2 * p->line), y + p->line, 6 * p->line, 0, 0);
}

// Draws the occupied cells of the last collision pass. Grids of the same cell size are drawn as one grid.
static void draw_collision_cells(const pen_t *p, const collision_o *collision) {
  const draw_text_style_t style = {.outline = {0, 0, 0, 1}, .outline_width = p->line};
  allocator_t *a = world_allocator(p->w);
  ARRAY(spatial_cell_t) cells = {0};
  for (uint32_t i = 0; i < collision_body_count(collision); ++i) {
    spatial_cell_t cell = collision_cell(collision, i);
    if (is_cell_visible(p, &cell))
      array_push(a, &cells, cell);
  }
  if (cells.count > 0)
    qsort(cells.items, cells.count, sizeof *cells.items, compare_cells);
  draw_set_text_style(p->draw, &style);
  for (uint32_t i = 0, end, drawn = 0; i < cells.count; i = end, ++drawn) {
    for (end = i + 1; end < cells.count && compare_cells(&cells.items[i], &cells.items[end]) == 0;)
      ++end;
    draw_cell(p, &cells.items[i], end - i, drawn < MAX_COUNTS);
  }
  array_free(a, &cells);
}

void debug_draw(const debug_draw_desc_t *desc) {
  draw_o *draw = desc->draw;
  pen_t p = {.w = desc->world, .draw = draw, .transforms = world_find_manager(desc->world, "transform")};
  shoal_assert(desc->width > 0 && desc->height > 0, "the screen size must be positive, got %g × %g",
               (double)desc->width, (double)desc->height);
  if (desc->level == DEBUG_DRAW_NONE || !p.transforms)
    return;
  find_visible_bounds(&p, desc->width, desc->height);
  if (!(p.line > 0 && p.line < 1e6f))
    return;
  draw_reset(draw);
  draw_set_layer(draw, DEBUG_DRAW_LAYER);
  transform_matrices_begin(&p.matrices, p.transforms);
  draw_tiles(&p);
  draw_lights(&p);
  draw_paths(&p);
  draw_movers(&p);
  draw_agents(&p);
  draw_bodies(&p);
  if (desc->level == DEBUG_DRAW_NAMES)
    draw_names(&p);
  if (desc->level == DEBUG_DRAW_CELLS && desc->collision)
    draw_collision_cells(&p, desc->collision);
  transform_matrices_end(&p.matrices);
  draw_set_colour(draw, 1, 1, 1, 1);
  draw_set_layer(draw, 0);
}
