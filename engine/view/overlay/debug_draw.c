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
#define MAX_CELL_COUNTS 1000u // maximum number of cells whose counts are drawn
#define MAX_POINTS 64u

static const float BODY[4] = {0.35f, 1.0f, 0.5f, 0.9f}, DISABLED[4] = {0.6f, 0.6f, 0.6f, 0.6f};
static const float SENSOR[4] = {1.0f, 0.9f, 0.3f, 0.9f}, SOLID[4] = {1.0f, 0.3f, 0.3f, 0.28f};
static const float LIGHT[4] = {1.0f, 0.75f, 0.3f, 0.8f}, PATH[4] = {0.35f, 0.85f, 1.0f, 0.9f};
static const float HEADING[4] = {0.85f, 0.55f, 1.0f, 0.9f};
// Colours of cells, one per level. The cells of each level are four times as wide as the cells of the previous level.
static const float CELL_COLOURS[][4] = {{0.4f, 0.8f, 1.0f, 0.8f}, {1.0f, 0.8f, 0.3f, 0.8f}, {1.0f, 0.5f, 0.8f, 0.8f},
                                        {0.6f, 1.0f, 0.5f, 0.8f}, {0.7f, 0.6f, 1.0f, 0.8f}, {1.0f, 0.5f, 0.4f, 0.8f}};

typedef struct pen_t {
  world_o *world;
  draw_o *draw;
  const manager_o *transforms;
  transform_matrices_t matrices;
  double left, top, right, bottom; // visible part of the world
  float line;                      // line width: two pixels of a 1280-pixel-wide screen
} pen_t;

static void set_colour(const pen_t *pen, const float colour[4]) {
  draw_set_colour(pen->draw, colour[0], colour[1], colour[2], colour[3]);
}

static bool read_world_matrix(pen_t *pen, shoal_entity entity, float m[16]) {
  uint32_t row = manager_row(pen->transforms, entity);
  if (row == ROW_NONE)
    return false;
  transform_compute_world_matrix(&pen->matrices, row, m);
  return isfinite(m[12]) && isfinite(m[13]);
}

static void find_visible_bounds(pen_t *pen, float width, float height) {
  float area[4];
  draw_get_visible_area(pen->draw, area);
  pen->left = pen->top = INFINITY;
  pen->right = pen->bottom = -INFINITY;
  shoal_entity camera = 0;
  for (int i = 0; i < 4; ++i) {
    double xy[2] = {(double)(area[0] + (i % 2 ? area[2] : 0)), (double)(area[1] + (i / 2 ? area[3] : 0))};
    viewport_project(pen->world, (double)width, (double)height, world_view_players(pen->world), true, xy, &camera);
    pen->left = fmin(pen->left, xy[0]);
    pen->right = fmax(pen->right, xy[0]);
    pen->top = fmin(pen->top, xy[1]);
    pen->bottom = fmax(pen->bottom, xy[1]);
  }
  pen->line = (float)((pen->right - pen->left) / (double)area[2] * (double)width / 640.0);
}

// --- bodies

static void draw_box(const pen_t *pen, const collider_t *box) {
  double ux = box->ux * box->half_x, uy = box->uy * box->half_x, vx = -box->uy * box->half_y,
         vy = box->ux * box->half_y;
  const float xy[8] = {(float)(box->x - ux - vx), (float)(box->y - uy - vy), (float)(box->x + ux - vx),
                       (float)(box->y + uy - vy), (float)(box->x + ux + vx), (float)(box->y + uy + vy),
                       (float)(box->x - ux + vx), (float)(box->y - uy + vy)};
  draw_polygon(pen->draw, xy, 4, false, pen->line);
}

static void draw_bodies(pen_t *pen) {
  const manager_o *manager = world_find_manager(pen->world, "body"), *sensors = builtin_find(pen->world, "sensor");
  body_columns bodies = body_columns_of(manager);
  for (uint32_t row = 0; manager && row < manager->count; ++row) {
    float matrix[16];
    shoal_entity entity = manager->owner[row];
    if (!read_world_matrix(pen, entity, matrix))
      continue;
    collider_t collider = collider_from_body(&bodies, row, entity, matrix);
    bool is_disabled = !bodies.enabled[row] || world_is_disabled(pen->world, entity, manager->id);
    set_colour(pen, is_disabled ? DISABLED : sensors && manager_row(sensors, entity) != ROW_NONE ? SENSOR : BODY);
    if (collider.box)
      draw_box(pen, &collider);
    else
      draw_circle(pen->draw, (float)collider.x, (float)collider.y, (float)collider.half_x, false, pen->line);
  }
}

// --- tiles

// Draws the solid cells of a row, each run as one rectangle.
static void draw_cells(const pen_t *pen, shoal_entity entity, const float matrix[16], const double size[6], double row,
                       double first_column, double last_column) {
  double run_start = 0;
  for (double column = first_column; column <= last_column + 1; column += 1) {
    bool solid = column <= last_column && tilemap_is_solid(pen->world, entity, column, row, NULL) == 1;
    if (solid && run_start == 0)
      run_start = column;
    if (solid || run_start == 0)
      continue;
    float left = (float)((run_start - 1) * size[4]) * matrix[0] + matrix[12],
          right = (float)((column - 1) * size[4]) * matrix[0] + matrix[12];
    float top = (float)((row - 1) * size[5]) * matrix[5] + matrix[13],
          bottom = (float)(row * size[5]) * matrix[5] + matrix[13];
    draw_rect(pen->draw, left, top, right - left, bottom - top, true, 0);
    run_start = 0;
  }
}

static void draw_tiles(pen_t *pen) {
  const manager_o *manager = builtin_find(pen->world, "tilemap");
  set_colour(pen, SOLID);
  for (uint32_t i = 0; manager && i < manager->count; ++i) {
    float matrix[16];
    double size[6];
    if (!read_world_matrix(pen, manager->owner[i], matrix) ||
        !tilemap_size(pen->world, manager->owner[i], size, NULL) || !(fabsf(matrix[0] * matrix[5]) > 1e-6f))
      continue;
    double cell_width = size[4] * (double)matrix[0], cell_height = size[5] * (double)matrix[5], x = (double)matrix[12],
           y = (double)matrix[13];
    double first_column = fmax(floor((pen->left - x) / cell_width) + 1, size[2]);
    double last_column = fmin(ceil((pen->right - x) / cell_width) + 1, size[2] + size[0] - 1);
    double first_row = fmax(floor((pen->top - y) / cell_height) + 1, size[3]);
    double last_row = fmin(ceil((pen->bottom - y) / cell_height) + 1, size[3] + size[1] - 1);
    if (!((last_column - first_column + 1) * (last_row - first_row + 1) <= MAX_CELLS))
      continue;
    for (double row = first_row; row <= last_row; row += 1)
      draw_cells(pen, manager->owner[i], matrix, size, row, first_column, last_column);
  }
}

// --- lights, paths

static void draw_lights(pen_t *pen) {
  const manager_o *manager = builtin_find(pen->world, "light");
  light_columns lights = light_columns_of(manager);
  for (uint32_t row = 0; manager && row < manager->count; ++row) {
    float matrix[16];
    if (!read_world_matrix(pen, manager->owner[row], matrix))
      continue;
    set_colour(pen, lights.enabled[row] ? LIGHT : DISABLED);
    float reach = lights.range[row] * sqrtf(fabsf(matrix[0] * matrix[5] - matrix[1] * matrix[4]));
    draw_circle(pen->draw, matrix[12], matrix[13], reach, false, pen->line);
    draw_circle(pen->draw, matrix[12], matrix[13], 2 * pen->line, true, 0);
    float direction = atan2f(matrix[1], matrix[0]) + lights.angle[row];
    for (int side = -1; lights.cone[row] < 6.28f && side < 2; side += 2)
      draw_line(pen->draw, matrix[12], matrix[13],
                matrix[12] + reach * cosf(direction + (float)side * lights.cone[row] * 0.5f),
                matrix[13] + reach * sinf(direction + (float)side * lights.cone[row] * 0.5f), pen->line);
  }
}

static void draw_paths(pen_t *pen) {
  const manager_o *manager = builtin_find(pen->world, "path");
  path_columns paths = path_columns_of(manager);
  const shoal_entity *parent = transform_columns_of(pen->transforms).parent;
  set_colour(pen, PATH);
  for (uint32_t i = 0; manager && i < manager->count; ++i) {
    float xy[2 * MAX_POINTS], matrix[16];
    uint32_t count = outline_parse(strings_text(world_strings(pen->world), paths.points[i]), xy, MAX_POINTS);
    uint32_t row = manager_row(pen->transforms, manager->owner[i]);
    for (uint32_t k = 0; paths.begun[i] && k < count; ++k) {
      xy[2 * k] += paths.origin_x[i];
      xy[2 * k + 1] += paths.origin_y[i];
    }
    // Points are relative to the parent, like the entity's transform.
    bool has_parent = row != ROW_NONE && parent[row] != 0 && read_world_matrix(pen, parent[row], matrix);
    for (uint32_t k = 0; has_parent && k < count; ++k) {
      float x = xy[2 * k], y = xy[2 * k + 1];
      xy[2 * k] = matrix[0] * x + matrix[4] * y + matrix[12];
      xy[2 * k + 1] = matrix[1] * x + matrix[5] * y + matrix[13];
    }
    for (uint32_t k = 0; k + 1 < count; ++k)
      draw_line(pen->draw, xy[2 * k], xy[2 * k + 1], xy[2 * k + 2], xy[2 * k + 3], pen->line);
    for (uint32_t k = 0; k < count; ++k)
      draw_circle(pen->draw, xy[2 * k], xy[2 * k + 1], (k + 1 == paths.next[i] ? 3 : 1.5f) * pen->line, true, 0);
  }
}

// Draws the velocity or heading (x, y) of each entity of a component.
static void draw_headings(pen_t *pen, const manager_o *manager, const float *x, const float *y, float length) {
  set_colour(pen, HEADING);
  for (uint32_t i = 0; x && y && i < manager->count; ++i) {
    float matrix[16];
    if (!read_world_matrix(pen, manager->owner[i], matrix) || !(fabsf(x[i]) + fabsf(y[i]) > 1e-3f) ||
        !isfinite(x[i] + y[i]))
      continue;
    draw_line(pen->draw, matrix[12], matrix[13], matrix[12] + x[i] * length, matrix[13] + y[i] * length, pen->line);
    draw_circle(pen->draw, matrix[12] + x[i] * length, matrix[13] + y[i] * length, 1.5f * pen->line, true, 0);
  }
}

static void draw_movers(pen_t *pen) {
  const manager_o *manager = builtin_find(pen->world, "mover");
  mover_columns movers = mover_columns_of(manager);
  draw_headings(pen, manager, movers.vx, movers.vy, 0.2f);
}

static const float *find_float_column(const manager_o *manager, const char *field) {
  int32_t column = manager_find_column(manager, field);
  bool is_float = column >= 0 && manager->schema.fields[column].type == FIELD_F32;
  return is_float ? manager_column(manager, (uint32_t)column) : NULL;
}

// Draws the agents of the nav plugin, whose columns are found by name because the engine does not declare them.
static void draw_agents(pen_t *pen) {
  const manager_o *manager = world_find_manager(pen->world, "nav_agent");
  if (manager)
    draw_headings(pen, manager, find_float_column(manager, "dir_x"), find_float_column(manager, "dir_y"),
                  12 * pen->line);
}

// --- names

// Writes the entity's name or, without the component `name`, the name of its assemblage. If the name is empty, writes
// the entity's index.
static void format_label(const pen_t *pen, shoal_entity entity, char *out, size_t out_bytes) {
  const manager_o *manager = world_find_manager(pen->world, "name");
  const uint32_t *names = name_columns_of(manager).value;
  uint32_t row = manager ? manager_row(manager, entity) : ROW_NONE, index = shoal_entity_index(entity);
  uint32_t text = names && row != ROW_NONE ? names[row] : world_entities(pen->world)->assemblage[index];
  if (text != 0)
    snprintf(out, out_bytes, "%s", strings_text(world_strings(pen->world), text));
  else
    snprintf(out, out_bytes, "%u", index);
}

static void draw_names(pen_t *pen) {
  static const char *const DRAWN[] = {"sprite", "shape", "text", "emitter", "trail", "tilemap", "light", "body"};
  const draw_text_style_t style = {.outline = {0, 0, 0, 1}, .outline_width = pen->line};
  uint32_t count = 0;
  draw_set_text_style(pen->draw, &style);
  draw_set_colour(pen->draw, 1, 1, 1, 1);
  for (uint32_t row = 0; row < pen->transforms->count && count < MAX_NAMES; ++row) {
    shoal_entity entity = pen->transforms->owner[row];
    float matrix[16];
    char name[NAME_DESCRIPTION_MAX];
    bool is_drawn = false;
    for (size_t i = 0; i < sizeof DRAWN / sizeof *DRAWN && !is_drawn; ++i) {
      const manager_o *manager = builtin_find(pen->world, DRAWN[i]);
      is_drawn = manager && manager_row(manager, entity) != ROW_NONE;
    }
    if (!is_drawn || !read_world_matrix(pen, entity, matrix) || (double)matrix[12] < pen->left ||
        (double)matrix[12] > pen->right || (double)matrix[13] < pen->top || (double)matrix[13] > pen->bottom)
      continue;
    format_label(pen, entity, name, sizeof name);
    draw_text(pen->draw, name, matrix[12], matrix[13] + 2 * pen->line, 5.5f * pen->line, 1, 0);
    ++count;
  }
}

// --- cells of the collision grids

// Compares two cells for qsort: by level, then by row and column.
static int compare_cells(const void *left, const void *right) {
  const spatial_cell_t *cell_a = left, *cell_b = right;
  if (cell_a->level != cell_b->level)
    return cell_a->level < cell_b->level ? -1 : 1;
  if (cell_a->cell_y != cell_b->cell_y)
    return cell_a->cell_y < cell_b->cell_y ? -1 : 1;
  return cell_a->cell_x < cell_b->cell_x ? -1 : cell_a->cell_x > cell_b->cell_x;
}

static bool is_cell_visible(const pen_t *pen, const spatial_cell_t *cell) {
  return cell->left < pen->right && cell->left + cell->width > pen->left && cell->top < pen->bottom &&
         cell->top + cell->height > pen->top;
}

// Draws a cell with the number of its bodies. In large cells, the position of the number depends on the level, so that
// the numbers of cells with the same corner do not overlap.
static void draw_cell(const pen_t *pen, const spatial_cell_t *cell, uint32_t body_count, bool shows_count) {
  const size_t colours = sizeof CELL_COLOURS / sizeof *CELL_COLOURS,
               colour = (size_t)(cell->level + (int)colours * 16) % colours;
  float x = (float)cell->left, y = (float)cell->top, width = (float)cell->width, height = (float)cell->height;
  char text[16];
  set_colour(pen, CELL_COLOURS[colour]);
  draw_rect(pen->draw, x, y, width, height, false, pen->line);
  if (!shows_count || height < 8 * pen->line)
    return;
  snprintf(text, sizeof text, "%u", body_count);
  float offset = (2 + 8 * (float)colour) * pen->line;
  draw_text(pen->draw, text, x + (offset < width / 2 ? offset : 2 * pen->line), y + pen->line, 6 * pen->line, 0, 0);
}

// Draws the occupied cells of the last collision pass. Grids of the same cell size are drawn as one grid.
static void draw_collision_cells(const pen_t *pen, const collision_o *collision) {
  const draw_text_style_t style = {.outline = {0, 0, 0, 1}, .outline_width = pen->line};
  allocator_t *allocator = world_allocator(pen->world);
  ARRAY(spatial_cell_t) cells = {0};
  for (uint32_t i = 0; i < collision_body_count(collision); ++i) {
    spatial_cell_t cell = collision_cell(collision, i);
    if (is_cell_visible(pen, &cell))
      array_push(allocator, &cells, cell);
  }
  if (cells.count > 0)
    qsort(cells.items, cells.count, sizeof *cells.items, compare_cells);
  draw_set_text_style(pen->draw, &style);
  for (uint32_t i = 0, end, drawn_count = 0; i < cells.count; i = end, ++drawn_count) {
    for (end = i + 1; end < cells.count && compare_cells(&cells.items[i], &cells.items[end]) == 0;)
      ++end;
    draw_cell(pen, &cells.items[i], end - i, drawn_count < MAX_CELL_COUNTS);
  }
  array_free(allocator, &cells);
}

void debug_draw(const debug_draw_desc_t *desc) {
  draw_o *draw = desc->draw;
  pen_t pen = {.world = desc->world, .draw = draw, .transforms = world_find_manager(desc->world, "transform")};
  shoal_assert(desc->width > 0 && desc->height > 0, "the screen size must be positive, got %g × %g",
               (double)desc->width, (double)desc->height);
  if (desc->level == DEBUG_DRAW_NONE || !pen.transforms)
    return;
  find_visible_bounds(&pen, desc->width, desc->height);
  if (!(pen.line > 0 && pen.line < 1e6f))
    return;
  draw_reset(draw);
  draw_set_layer(draw, DEBUG_DRAW_LAYER);
  transform_matrices_begin(&pen.matrices, pen.transforms);
  draw_tiles(&pen);
  draw_lights(&pen);
  draw_paths(&pen);
  draw_movers(&pen);
  draw_agents(&pen);
  draw_bodies(&pen);
  if (desc->level == DEBUG_DRAW_NAMES)
    draw_names(&pen);
  if (desc->level == DEBUG_DRAW_CELLS && desc->collision)
    draw_collision_cells(&pen, desc->collision);
  transform_matrices_end(&pen.matrices);
  draw_set_colour(draw, 1, 1, 1, 1);
  draw_set_layer(draw, 0);
}
