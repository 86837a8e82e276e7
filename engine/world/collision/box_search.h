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
  double margin_x = (double)level->half_x, margin_y = (double)level->half_y, scale = level->cells_per_pixel;
  box_span_t span = {grid_cell(area->left - margin_x, scale), grid_cell(area->right + margin_x, scale),
                     grid_cell(area->top - margin_y, scale), grid_cell(area->bottom + margin_y, scale)};
  span.first_x = span.first_x > level->first_x ? span.first_x : level->first_x;
  span.first_y = span.first_y > level->first_y ? span.first_y : level->first_y;
  span.last_x = span.last_x < level->last_x ? span.last_x : level->last_x;
  span.last_y = span.last_y < level->last_y ? span.last_y : level->last_y;
  return span;
}

static inline bool box_span_is_whole(const box_level_t *level, const box_span_t *span) {
  return span->first_x == level->first_x && span->last_x == level->last_x && span->first_y == level->first_y &&
         span->last_y == level->last_y;
}

static inline double box_span_cells(const box_span_t *span) {
  return span->last_x < span->first_x || span->last_y < span->first_y
             ? 0
             : ((double)span->last_x - span->first_x + 1) * ((double)span->last_y - span->first_y + 1);
}

typedef struct box_area_t {
  float left, top, right, bottom;
  uint32_t mask;
} box_area_t;

// Returns the nearest float, clamped to the range of finite floats.
static inline float box_to_float(double x) {
  const double MAX = (double)FLT_MAX;
  return (float)(x > -MAX ? x < MAX ? x : MAX : -MAX);
}

static inline bool box_overlaps(const box_t *box, const box_area_t *area) {
  return box->x + box->half_x >= area->left && box->x - box->half_x <= area->right &&
         box->y + box->half_y >= area->top && box->y - box->half_y <= area->bottom && (box->category & area->mask) != 0;
}

static inline void box_grid_visit_all(const box_grid_t *g, const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    const box_entry_t *e = &g->entries.items[i];
    if (e->level != BOX_ABSENT && box_overlaps(&e->box, area))
      visit(data, i, &e->box);
  }
}

// Visits the sorted boxes in these buckets whose cell is in row `cell_y`. `end_bucket` is excluded.
static inline void box_grid_visit_sorted(const box_grid_t *g, uint32_t level, uint32_t first_bucket,
                                         uint32_t end_bucket, int32_t cell_y, const box_area_t *area,
                                         box_visitor_t visit, void *data) {
  const sorted_box_t *sorted = g->sorted.items + g->bucket_starts.items[first_bucket];
  for (const sorted_box_t *end = g->sorted.items + g->bucket_starts.items[end_bucket]; sorted < end; ++sorted)
    if (box_overlaps(&sorted->box, area) && sorted->cell_y == cell_y && sorted->level == level)
      visit(data, sorted->box_index, &sorted->box);
}

static inline void box_grid_visit_chain(const box_grid_t *g, uint32_t level, uint32_t bucket, int32_t cell_y,
                                        const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = g->chain_heads.items[bucket]; i != 0; i = g->entries.items[i - 1].next) {
    const box_entry_t *e = &g->entries.items[i - 1];
    if (box_overlaps(&e->box, area) && e->cell_y == cell_y && e->level == level)
      visit(data, i - 1, &e->box);
  }
}

// Visits the cells in a row of the span, which have consecutive buckets; the last bucket is followed by the first.
// There are at most as many cells as buckets, so no box is visited twice; boxes of other rows in the same buckets are
// skipped.
static inline void box_grid_visit_row(const box_grid_t *grid, uint32_t level, const box_span_t *span, int32_t cell_y,
                                      const box_area_t *area, box_visitor_t visit, void *data) {
  uint32_t mask = grid->chain_heads.count - 1, first = grid_bucket(level, span->first_x, cell_y, mask);
  uint32_t end = first + (uint32_t)(span->last_x - span->first_x) + 1,
           wrapped_count = end > mask + 1 ? end - (mask + 1) : 0;
  box_grid_visit_sorted(grid, level, first, end - wrapped_count, cell_y, area, visit, data);
  if (wrapped_count > 0)
    box_grid_visit_sorted(grid, level, 0, wrapped_count, cell_y, area, visit, data);
  for (uint32_t bucket = first; grid->chained_count > 0 && bucket < end; ++bucket)
    box_grid_visit_chain(grid, level, bucket & mask, cell_y, area, visit, data);
}

static inline void box_grid_visit_loose(const box_grid_t *g, const box_area_t *area, box_visitor_t visit, void *data) {
  for (uint32_t i = g->loose_head; i != 0; i = g->entries.items[i - 1].next)
    if (box_overlaps(&g->entries.items[i - 1].box, area))
      visit(data, i - 1, &g->entries.items[i - 1].box);
}

// Calls `visit` once for each box that overlaps or touches the area and has a category in `mask`, in unspecified order.
// Returns true if the search visited only cells in the area, or false if every box was tested, because the area has too
// many cells or contains all used cells. `visit` must not change the grid.
static inline bool box_grid_visit(const box_grid_t *grid, const bounds_t *bounds, uint32_t mask, box_visitor_t visit,
                                  void *data) {
  const double SLACK = 2e-7; // larger than the relative error of rounding to floats, which must not shrink the area
  bounds_t padded = {bounds->left - fabs(bounds->left) * SLACK, bounds->top - fabs(bounds->top) * SLACK,
                     bounds->right + fabs(bounds->right) * SLACK, bounds->bottom + fabs(bounds->bottom) * SLACK};
  box_area_t area = {box_to_float(padded.left), box_to_float(padded.top), box_to_float(padded.right),
                     box_to_float(padded.bottom), mask};
  box_span_t spans[BOX_MAX_LEVELS];
  double cells = 0;
  bool covers_all_cells = true;
  for (uint32_t level = 0; level < grid->level_count; ++level) {
    spans[level] = box_level_span(&grid->levels[level], &padded);
    cells += box_span_cells(&spans[level]);
    covers_all_cells = covers_all_cells && box_span_is_whole(&grid->levels[level], &spans[level]);
  }
  if (cells > (double)grid->entries.count) {
    box_grid_visit_all(grid, &area, visit, data);
    return false;
  }
  for (uint32_t level = 0; level < grid->level_count; ++level)
    for (int32_t y = spans[level].first_y; y <= spans[level].last_y && spans[level].first_x <= spans[level].last_x; ++y)
      box_grid_visit_row(grid, level, &spans[level], y, &area, visit, data);
  box_grid_visit_loose(grid, &area, visit, data);
  return !covers_all_cells;
}

#endif
