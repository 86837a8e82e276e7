// Visits the boxes of a grid that overlap an area. Reentrant: several threads may search a grid concurrently. Inline,
// because the visitor is short.
#ifndef SHOAL_COLLISION_BOX_SEARCH_H
#define SHOAL_COLLISION_BOX_SEARCH_H

#include "collision/box_grid.h"
#include "collision/grid_cells.h"

#include <float.h>
#include <math.h>

typedef void (*box_visitor_t)(void *data, uint32_t box, const box_t *bounds);

// The cells of a level that a search visits; empty if last_x < first_x or last_y < first_y.
typedef struct box_span_t {
  int32_t first_x, last_x, first_y, last_y;
} box_span_t;

static inline box_span_t box_level_span(const box_level_t *level, const bounds_t *area) {
  double x = (double)level->half_x, y = (double)level->half_y, scale = level->cells_per_pixel;
  box_span_t s = {grid_cell(area->left - x, scale), grid_cell(area->right + x, scale), grid_cell(area->top - y, scale),
                  grid_cell(area->bottom + y, scale)};
  s.first_x = s.first_x > level->first_x ? s.first_x : level->first_x;
  s.first_y = s.first_y > level->first_y ? s.first_y : level->first_y;
  s.last_x = s.last_x < level->last_x ? s.last_x : level->last_x;
  s.last_y = s.last_y < level->last_y ? s.last_y : level->last_y;
  return s;
}

static inline bool box_span_is_whole(const box_level_t *level, const box_span_t *s) {
  return s->first_x == level->first_x && s->last_x == level->last_x && s->first_y == level->first_y &&
         s->last_y == level->last_y;
}

static inline double box_span_cells(const box_span_t *s) {
  return s->last_x < s->first_x || s->last_y < s->first_y
             ? 0
             : ((double)s->last_x - s->first_x + 1) * ((double)s->last_y - s->first_y + 1);
}

typedef struct box_area_t {
  float left, top, right, bottom;
  uint32_t mask;
} box_area_t;

// Rounds to a finite float.
static inline float box_to_float(double x) {
  const double MAX = (double)FLT_MAX;
  return (float)(x > -MAX ? x < MAX ? x : MAX : -MAX);
}

static inline bool box_overlaps(const box_t *b, const box_area_t *a) {
  return b->x + b->half_x >= a->left && b->x - b->half_x <= a->right && b->y + b->half_y >= a->top &&
         b->y - b->half_y <= a->bottom && (b->category & a->mask) != 0;
}

static inline void box_grid_visit_all(const box_grid_t *g, const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    const box_entry_t *e = &g->entries.items[i];
    if (e->level != BOX_ABSENT && box_overlaps(&e->box, area))
      visit(data, i, &e->box);
  }
}

// Visits the sorted boxes in these buckets that are in a row of cells.
static inline void box_grid_visit_sorted(const box_grid_t *g, uint32_t level, uint32_t first_bucket,
                                         uint32_t end_bucket, int32_t cell_y, const box_area_t *area,
                                         box_visitor_t visit, void *data) {
  const sorted_box_t *at = g->sorted.items + g->starts.items[first_bucket];
  for (const sorted_box_t *end = g->sorted.items + g->starts.items[end_bucket]; at < end; ++at)
    if (box_overlaps(&at->box, area) && at->cell_y == cell_y && at->level == level)
      visit(data, at->number, &at->box);
}

static inline void box_grid_visit_chain(const box_grid_t *g, uint32_t level, uint32_t bucket, int32_t cell_y,
                                        const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = g->heads.items[bucket]; i != 0; i = g->entries.items[i - 1].next) {
    const box_entry_t *e = &g->entries.items[i - 1];
    if (box_overlaps(&e->box, area) && e->cell_y == cell_y && e->level == level)
      visit(data, i - 1, &e->box);
  }
}

// Visits the cells of a row of the span. They have consecutive buckets, up to the last bucket, which is followed by the
// first one. There are at most as many cells as buckets, so no box is visited twice; boxes of other rows in the same
// buckets are skipped.
static inline void box_grid_visit_row(const box_grid_t *g, uint32_t level, const box_span_t *s, int32_t cell_y,
                                      const box_area_t *area, box_visitor_t visit, void *data) {
  uint32_t mask = g->heads.count - 1, first = grid_bucket(level, s->first_x, cell_y, mask);
  uint32_t end = first + (uint32_t)(s->last_x - s->first_x) + 1, wrapped = end > mask + 1 ? end - (mask + 1) : 0;
  box_grid_visit_sorted(g, level, first, end - wrapped, cell_y, area, visit, data);
  if (wrapped > 0)
    box_grid_visit_sorted(g, level, 0, wrapped, cell_y, area, visit, data);
  for (uint32_t b = first; g->chained_count > 0 && b < end; ++b)
    box_grid_visit_chain(g, level, b & mask, cell_y, area, visit, data);
}

static inline void box_grid_visit_loose(const box_grid_t *g, const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = g->loose; i != 0; i = g->entries.items[i - 1].next)
    if (box_overlaps(&g->entries.items[i - 1].box, area))
      visit(data, i - 1, &g->entries.items[i - 1].box);
}

// Calls `visit` once for each box with one of the categories in `mask` that overlaps or touches the area, in
// unspecified order. Returns false if every box was tested, because the area has too many cells or contains all used
// ones. `visit` must not change the grid.
static inline bool box_grid_visit(const box_grid_t *g, const bounds_t *b, uint32_t mask, box_visitor_t visit,
                                  void *data) {
  const double SLACK = 2e-7; // more than the relative rounding to floats, which must not shrink the area
  bounds_t wide = {b->left - fabs(b->left) * SLACK, b->top - fabs(b->top) * SLACK, b->right + fabs(b->right) * SLACK,
                   b->bottom + fabs(b->bottom) * SLACK};
  box_area_t area = {box_to_float(wide.left), box_to_float(wide.top), box_to_float(wide.right),
                     box_to_float(wide.bottom), mask};
  box_span_t spans[BOX_MAX_LEVELS];
  double cells = 0;
  bool whole = true;
  for (uint32_t level = 0; level < g->level_count; ++level) {
    spans[level] = box_level_span(&g->levels[level], &wide);
    cells += box_span_cells(&spans[level]);
    whole = whole && box_span_is_whole(&g->levels[level], &spans[level]);
  }
  if (cells > (double)g->entries.count) {
    box_grid_visit_all(g, &area, visit, data);
    return false;
  }
  for (uint32_t level = 0; level < g->level_count; ++level)
    for (int32_t y = spans[level].first_y; y <= spans[level].last_y && spans[level].first_x <= spans[level].last_x; ++y)
      box_grid_visit_row(g, level, &spans[level], y, &area, visit, data);
  box_grid_visit_loose(g, &area, visit, data);
  return !whole;
}

#endif
