// Hash grids with one chain of boxes per bucket. A box is in the cell of its centre, so a search visits the cells in
// the area enlarged by the largest half extents of the level.
#include "collision/box_grid.h"

#include "base/assert.h"
#include "collision/grid_cells.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Each level's cells are four times as large as those of the previous one.
enum { STEP_BITS = 2, MIN_EXPONENT = -6, MAX_EXPONENT = 30 };

enum { SAMPLES = 64, BOXES_PER_CELL = 2 };

void box_grid_init(box_grid_t *g, allocator_t *a) {
  *g = (box_grid_t){.allocator = a};
}

void box_grid_fini(box_grid_t *g) {
  array_free(g->allocator, &g->entries);
  array_free(g->allocator, &g->heads);
}

static bool is_finite_box(const box_t *b) {
  return isfinite(b->x) && isfinite(b->y) && isfinite(b->half_x) && isfinite(b->half_y);
}

box_t box_from_bounds(const bounds_t *b, uint32_t category) {
  const double SLACK = 1.000001, POSITION_SLACK = 3e-7; // rounding to floats must not shrink the box
  const double MAX = 1e30;
  if (!(b->left >= -MAX && b->right <= MAX && b->top >= -MAX && b->bottom <= MAX)) // found by every search
    return (box_t){.half_x = FLT_MAX, .half_y = FLT_MAX, .category = category};
  double x = (b->left + b->right) / 2, y = (b->top + b->bottom) / 2;
  return (box_t){.x = (float)x,
                 .y = (float)y,
                 .half_x = (float)(((b->right - b->left) / 2 + fabs(x) * POSITION_SLACK) * SLACK),
                 .half_y = (float)(((b->bottom - b->top) / 2 + fabs(y) * POSITION_SLACK) * SLACK),
                 .category = category};
}

// --- building

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// Returns the extent of the middle 80 % of a sample, so that outliers do not enlarge the cells.
static double find_middle_extent(float *sample, uint32_t count) {
  if (count < 2)
    return 0;
  qsort(sample, count, sizeof *sample, compare_floats);
  uint32_t edge = count / 10;
  return (double)sample[count - 1 - edge] - (double)sample[edge];
}

// Chooses the smallest cell size by the density of a sample of the boxes.
static int choose_min_exponent(const box_grid_t *g) {
  float x[SAMPLES], y[SAMPLES];
  uint32_t count = g->entries.count, step = count / SAMPLES + 1, samples = 0, seen = 0;
  for (uint32_t i = 0; i < count; i += step, ++seen)
    if (g->entries.items[i].level != BOX_ABSENT) {
      x[samples] = g->entries.items[i].box.x;
      y[samples++] = g->entries.items[i].box.y;
    }
  if (samples == 0)
    return MIN_EXPONENT;
  double width = find_middle_extent(x, samples), height = find_middle_extent(y, samples);
  double longest = width > height ? width : height, present = (double)count * samples / seen;
  double area = fmax(width, longest * 0.01) * fmax(height, longest * 0.01);
  double cell = sqrt(area * BOXES_PER_CELL / 0.64 / present);
  int exponent = cell > 0 && cell < 1e30 ? grid_size_exponent(cell * M_SQRT1_2) : MIN_EXPONENT;
  return exponent < MIN_EXPONENT ? MIN_EXPONENT : exponent > MAX_EXPONENT ? MAX_EXPONENT : exponent;
}

// Returns the index of a box's size in `level_of_size`, or BOX_LOOSE.
static uint32_t find_size(const box_grid_t *g, const box_t *box) {
  float half = box->half_x > box->half_y ? box->half_x : box->half_y;
  int over = half > 0 ? grid_size_exponent(2.0 * (double)half) - g->min_exponent : 0;
  uint32_t size = over > 0 ? (uint32_t)(over + STEP_BITS - 1) / STEP_BITS : 0;
  return size < BOX_MAX_LEVELS ? size : BOX_LOOSE;
}

static void choose_levels(box_grid_t *g) {
  uint32_t counts[BOX_MAX_LEVELS + 1] = {0};
  g->min_exponent = choose_min_exponent(g);
  for (uint32_t i = 0; i < g->entries.count; ++i)
    if (g->entries.items[i].level != BOX_ABSENT)
      ++counts[find_size(g, &g->entries.items[i].box)];
  grid_merge_levels(counts, BOX_MAX_LEVELS);
  g->level_count = 0;
  for (uint32_t size = 0, next = 0; size < BOX_MAX_LEVELS; ++size) {
    if (counts[size] == 0)
      continue;
    for (; next <= size; ++next)
      g->level_of_size[next] = (uint8_t)g->level_count;
    g->levels[g->level_count++] = (box_level_t){.cells_per_pixel = ldexp(1, -(g->min_exponent + STEP_BITS * (int)size)),
                                                .first_x = INT32_MAX,
                                                .last_x = INT32_MIN,
                                                .first_y = INT32_MAX,
                                                .last_y = INT32_MIN};
    memset(&g->level_of_size[next], BOX_LOOSE, BOX_MAX_LEVELS - next);
  }
  if (g->level_count == 0)
    memset(g->level_of_size, BOX_LOOSE, sizeof g->level_of_size);
}

static uint32_t *find_chain(box_grid_t *g, const box_entry_t *e) {
  return e->level == BOX_LOOSE ? &g->loose
                               : &g->heads.items[grid_bucket(e->level, e->cell_x, e->cell_y, g->heads.count - 1)];
}

static void enlarge_level(box_level_t *level, const box_entry_t *e) {
  level->half_x = e->box.half_x > level->half_x ? e->box.half_x : level->half_x;
  level->half_y = e->box.half_y > level->half_y ? e->box.half_y : level->half_y;
  level->first_x = e->cell_x < level->first_x ? e->cell_x : level->first_x;
  level->first_y = e->cell_y < level->first_y ? e->cell_y : level->first_y;
  level->last_x = e->cell_x > level->last_x ? e->cell_x : level->last_x;
  level->last_y = e->cell_y > level->last_y ? e->cell_y : level->last_y;
}

// Adds a box to the chain of its cell.
static void link_entry(box_grid_t *g, uint32_t i) {
  box_entry_t *e = &g->entries.items[i];
  uint32_t size = find_size(g, &e->box);
  e->level = size == BOX_LOOSE ? BOX_LOOSE : g->level_of_size[size];
  if (e->level == BOX_LOOSE) {
    ++g->loose_count;
  } else {
    box_level_t *level = &g->levels[e->level];
    e->cell_x = grid_cell((double)e->box.x, level->cells_per_pixel);
    e->cell_y = grid_cell((double)e->box.y, level->cells_per_pixel);
    enlarge_level(level, e);
  }
  uint32_t *head = find_chain(g, e);
  e->next = *head;
  *head = i + 1;
}

static void unlink_entry(box_grid_t *g, uint32_t i) {
  box_entry_t *e = &g->entries.items[i];
  uint32_t *at = find_chain(g, e);
  while (*at != i + 1) {
    shoal_assert(*at != 0, "box %u is not in the chain of its bucket", i);
    at = &g->entries.items[*at - 1].next;
  }
  *at = e->next;
  g->loose_count -= e->level == BOX_LOOSE;
}

void box_grid_resize(box_grid_t *g, uint32_t count) {
  for (uint32_t i = count; i < g->entries.count; ++i)
    if (g->entries.items[i].level != BOX_ABSENT)
      unlink_entry(g, i);
  array_reserve(g->allocator, &g->entries, count);
  for (uint32_t i = g->entries.count; i < count; ++i)
    g->entries.items[i] = (box_entry_t){.level = BOX_ABSENT};
  g->entries.count = count;
}

void box_grid_set(box_grid_t *g, uint32_t i, const box_t *box) {
  shoal_assert(i < g->entries.count, "box %u is out of range (count %u)", i, g->entries.count);
  box_entry_t *e = &g->entries.items[i];
  e->level = box && is_finite_box(box) ? BOX_LOOSE : BOX_ABSENT;
  if (e->level != BOX_ABSENT)
    e->box = *box;
}

void box_grid_build(box_grid_t *g) {
  uint32_t buckets = 16;
  while (buckets < g->entries.count)
    buckets *= 2;
  array_reserve(g->allocator, &g->heads, buckets);
  g->heads.count = buckets;
  memset(g->heads.items, 0, buckets * sizeof *g->heads.items);
  g->loose = g->loose_count = g->moved = 0;
  choose_levels(g);
  for (uint32_t i = g->entries.count; i-- > 0;)
    if (g->entries.items[i].level != BOX_ABSENT)
      link_entry(g, i);
}

void box_grid_move(box_grid_t *g, uint32_t i, const box_t *box) {
  shoal_assert(i < g->entries.count && g->heads.count > 0,
               "box %u is out of range (count %u), or the grid is not built", i, g->entries.count);
  if (g->entries.items[i].level != BOX_ABSENT)
    unlink_entry(g, i);
  box_grid_set(g, i, box);
  if (g->entries.items[i].level != BOX_ABSENT)
    link_entry(g, i);
  ++g->moved;
}

bool box_grid_is_worn(const box_grid_t *g) {
  enum { MAX_LOOSE = 16 };
  return g->heads.count == 0 || g->heads.count * 2 < g->entries.count || g->moved > g->entries.count ||
         g->loose_count > MAX_LOOSE;
}

double box_grid_cell_size(const box_grid_t *g) {
  return g->level_count > 0 ? 1 / g->levels[0].cells_per_pixel : 1;
}

// --- searching

// The cells of a level that a search visits; empty if last_x < first_x or last_y < first_y.
typedef struct span_t {
  int32_t first_x, last_x, first_y, last_y;
} span_t;

static span_t find_span(const box_level_t *level, const bounds_t *area) {
  double x = (double)level->half_x, y = (double)level->half_y, scale = level->cells_per_pixel;
  span_t s = {grid_cell(area->left - x, scale), grid_cell(area->right + x, scale), grid_cell(area->top - y, scale),
              grid_cell(area->bottom + y, scale)};
  s.first_x = s.first_x > level->first_x ? s.first_x : level->first_x;
  s.first_y = s.first_y > level->first_y ? s.first_y : level->first_y;
  s.last_x = s.last_x < level->last_x ? s.last_x : level->last_x;
  s.last_y = s.last_y < level->last_y ? s.last_y : level->last_y;
  return s;
}

static bool is_whole(const box_level_t *level, const span_t *s) {
  return s->first_x == level->first_x && s->last_x == level->last_x && s->first_y == level->first_y &&
         s->last_y == level->last_y;
}

static double count_cells(const span_t *s) {
  return s->last_x < s->first_x || s->last_y < s->first_y
             ? 0
             : ((double)s->last_x - s->first_x + 1) * ((double)s->last_y - s->first_y + 1);
}

typedef struct area_t {
  float left, top, right, bottom;
  uint32_t mask;
} area_t;

// Rounds to a finite float.
static float to_float(double x) {
  const double MAX = (double)FLT_MAX;
  return (float)(x > -MAX ? x < MAX ? x : MAX : -MAX);
}

static bool overlaps(const box_t *b, const area_t *a) {
  return b->x + b->half_x >= a->left && b->x - b->half_x <= a->right && b->y + b->half_y >= a->top &&
         b->y - b->half_y <= a->bottom && (b->category & a->mask) != 0;
}

static void collect_all(const box_grid_t *g, const area_t *area, box_numbers_t *out) {
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    const box_entry_t *e = &g->entries.items[i];
    if (e->level != BOX_ABSENT && overlaps(&e->box, area))
      array_push(g->allocator, out, i);
  }
}

static void collect_level(const box_grid_t *g, uint32_t level, const span_t *s, const area_t *area,
                          box_numbers_t *out) {
  uint32_t mask = g->heads.count - 1;
  for (int32_t y = s->first_y; y <= s->last_y; ++y)
    for (int32_t x = s->first_x; x <= s->last_x; ++x)
      for (uint32_t i = g->heads.items[grid_bucket(level, x, y, mask)]; i != 0;) {
        const box_entry_t *e = &g->entries.items[i - 1];
        if (overlaps(&e->box, area) && e->cell_x == x && e->cell_y == y && e->level == level)
          array_push(g->allocator, out, i - 1);
        i = e->next;
      }
}

static void collect_loose(const box_grid_t *g, const area_t *area, box_numbers_t *out) {
  for (uint32_t i = g->loose; i != 0; i = g->entries.items[i - 1].next)
    if (overlaps(&g->entries.items[i - 1].box, area))
      array_push(g->allocator, out, i - 1);
}

bool box_grid_collect(const box_grid_t *g, const bounds_t *b, uint32_t mask, box_numbers_t *out) {
  const double SLACK = 2e-7; // more than the relative rounding to floats, which must not shrink the area
  bounds_t wide = {b->left - fabs(b->left) * SLACK, b->top - fabs(b->top) * SLACK, b->right + fabs(b->right) * SLACK,
                   b->bottom + fabs(b->bottom) * SLACK};
  area_t area = {to_float(wide.left), to_float(wide.top), to_float(wide.right), to_float(wide.bottom), mask};
  span_t spans[BOX_MAX_LEVELS];
  double cells = 0;
  bool whole = true;
  for (uint32_t level = 0; level < g->level_count; ++level) {
    spans[level] = find_span(&g->levels[level], &wide);
    cells += count_cells(&spans[level]);
    whole = whole && is_whole(&g->levels[level], &spans[level]);
  }
  if (cells > (double)g->entries.count) {
    collect_all(g, &area, out);
    return false;
  }
  for (uint32_t level = 0; level < g->level_count; ++level)
    collect_level(g, level, &spans[level], &area, out);
  collect_loose(g, &area, out);
  return !whole;
}
