// Stores points sorted by the bucket of their cell. A search for the nearest points visits rings of cells around the
// position until no closer point is possible.
#include "point_grid.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1024 };

void point_grid_free(point_grid_t *g) {
  free(g->entries);
  free(g->unsorted);
  free(g->starts);
  free(g->sample);
  *g = (point_grid_t){0};
}

// --- building

static int compare_floats(const void *one, const void *other) {
  float a = *(const float *)one, b = *(const float *)other;
  return (a > b) - (a < b);
}

// Returns the extent of the middle 80 % of a sample, so that outliers do not enlarge the cells.
static double middle_extent(point_grid_t *g, const float *values, uint32_t count) {
  GROW(g->sample, g->sample_capacity, SAMPLES);
  uint32_t step = count / SAMPLES + 1, samples = 0;
  for (uint32_t i = 0; i < count && samples < SAMPLES; i += step)
    if (isfinite(values[i]))
      g->sample[samples++] = values[i];
  if (samples < 2)
    return 0;
  qsort(g->sample, samples, sizeof *g->sample, compare_floats);
  uint32_t edge = samples / 10;
  return (double)g->sample[samples - 1 - edge] - (double)g->sample[edge];
}

// Chooses a cell size with about two points per cell.
static float choose_cell_size(point_grid_t *g, const float *x, const float *y, uint32_t count) {
  double width = middle_extent(g, x, count), height = middle_extent(g, y, count);
  double longest = width > height ? width : height;
  double area = fmax(width, longest * 0.01) * fmax(height, longest * 0.01);
  double cell = sqrt(area * 3 / (count + 1.0));
  return (float)(cell > 1e-3 && cell < 1e30 ? cell : 1);
}

static int32_t cell_at(const point_grid_t *g, float position) {
  const float LAST = 1 << 28;
  float cell = position * g->cells_per_pixel;
  if (!(cell > -LAST && cell < LAST))
    return cell > 0 ? 1 << 28 : -(1 << 28);
  int32_t whole = (int32_t)cell; // faster than floorf, which compiles to a function call without SSE 4.1
  return whole - ((float)whole > cell);
}

// Returns the bucket of a cell. Neighbouring cells in a row have consecutive buckets, so that a search can read them as
// one range.
static uint32_t cell_bucket(const point_grid_t *g, int32_t x, int32_t y) {
  return ((uint32_t)x + (uint32_t)y * 0x9e3779b1u) & (g->bucket_count - 1);
}

static void add_entry(point_grid_t *g, point_entry_t e) {
  e.cell_x = cell_at(g, e.x);
  e.cell_y = cell_at(g, e.y);
  if (g->count == 0) {
    g->first_x = g->last_x = e.cell_x;
    g->first_y = g->last_y = e.cell_y;
  }
  g->first_x = e.cell_x < g->first_x ? e.cell_x : g->first_x;
  g->first_y = e.cell_y < g->first_y ? e.cell_y : g->first_y;
  g->last_x = e.cell_x > g->last_x ? e.cell_x : g->last_x;
  g->last_y = e.cell_y > g->last_y ? e.cell_y : g->last_y;
  ++g->starts[cell_bucket(g, e.cell_x, e.cell_y)];
  g->unsorted[g->count++] = e;
}

void point_grid_build(point_grid_t *g, const float *x, const float *y, const uint32_t *category, uint32_t count) {
  GROW(g->entries, g->entry_capacity, count);
  GROW(g->unsorted, g->unsorted_capacity, count);
  g->cell = choose_cell_size(g, x, y, count);
  g->cells_per_pixel = 1 / g->cell;
  g->bucket_count = 16;
  while (g->bucket_count < count)
    g->bucket_count *= 2;
  GROW(g->starts, g->start_capacity, g->bucket_count + 1);
  memset(g->starts, 0, (g->bucket_count + 1) * sizeof *g->starts);
  g->count = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (isfinite(x[i]) && isfinite(y[i]))
      add_entry(g, (point_entry_t){.x = x[i], .y = y[i], .number = i, .category = category ? category[i] : 1});
  for (uint32_t b = 1; b <= g->bucket_count; ++b)
    g->starts[b] += g->starts[b - 1];
  for (uint32_t i = g->count; i-- > 0;) { // iterate backwards: starts[b] moves from the end of its bucket to its start
    const point_entry_t *e = &g->unsorted[i];
    g->entries[--g->starts[cell_bucket(g, e->cell_x, e->cell_y)]] = *e;
  }
}

uint32_t point_grid_bucket(const point_grid_t *g, float x, float y) {
  return isfinite(x) && isfinite(y) ? cell_bucket(g, cell_at(g, x), cell_at(g, y)) : 0;
}

// --- searching

typedef struct best_t {
  point_near_t *list; // points found, sorted by distance
  uint32_t count, k;
  float limit; // squared distance beyond which points are ignored
} best_t;

static bool comes_before(float distance, uint32_t number, const point_near_t *other) {
  return distance < other->distance || (distance == other->distance && number < other->number);
}

static void consider_point(best_t *best, float distance, uint32_t number) {
  if (best->count == best->k && !comes_before(distance, number, &best->list[best->k - 1]))
    return;
  uint32_t at = best->count < best->k ? best->count++ : best->k - 1;
  for (; at > 0 && comes_before(distance, number, &best->list[at - 1]); --at)
    best->list[at] = best->list[at - 1];
  best->list[at] = (point_near_t){distance, number};
  if (best->count == best->k)
    best->limit = best->list[best->k - 1].distance;
}

static float distance_squared(const point_search_t *s, const point_entry_t *e) {
  float dx = e->x - s->x, dy = e->y - s->y;
  return dx * dx + dy * dy;
}

static bool is_match(const point_search_t *s, const point_entry_t *e) {
  return (e->category & s->mask) != 0 && e->number != s->except;
}

static void consider_cell(const point_grid_t *g, const point_search_t *s, int32_t x, int32_t y, best_t *best) {
  uint32_t bucket = cell_bucket(g, x, y);
  for (uint32_t i = g->starts[bucket]; i < g->starts[bucket + 1]; ++i) {
    const point_entry_t *e = &g->entries[i];
    float distance = distance_squared(s, e);
    if (distance <= best->limit && e->cell_x == x && e->cell_y == y && is_match(s, e))
      consider_point(best, distance, e->number);
  }
}

// Offers the points in the cells at distance `ring` from the cell x, y to the list of the nearest points. Skips cells
// outside the range of used cells.
static void consider_ring(const point_grid_t *g, const point_search_t *s, int32_t x, int32_t y, int32_t ring,
                          best_t *best) {
  for (int32_t row = y - ring; row <= y + ring; ++row) {
    if (row < g->first_y || row > g->last_y)
      continue;
    int32_t step = ring == 0 || row == y - ring || row == y + ring ? 1 : 2 * ring;
    for (int32_t column = x - ring; column <= x + ring; column += step)
      if (column >= g->first_x && column <= g->last_x)
        consider_cell(g, s, column, row, best);
  }
}

static void consider_all_points(const point_grid_t *g, const point_search_t *s, best_t *best) {
  for (uint32_t i = 0; i < g->count; ++i) {
    float distance = distance_squared(s, &g->entries[i]);
    if (distance <= best->limit && is_match(s, &g->entries[i]))
      consider_point(best, distance, g->entries[i].number);
  }
}

// Returns a lower bound for the squared distance from the position to the cells outside of `ring`.
static float distance_beyond(const point_grid_t *g, const point_search_t *s, int32_t x, int32_t y, int32_t ring) {
  float left = s->x - (float)(x - ring) * g->cell, right = (float)(x + ring + 1) * g->cell - s->x;
  float up = s->y - (float)(y - ring) * g->cell, down = (float)(y + ring + 1) * g->cell - s->y;
  float min_distance = fminf(fminf(left, right), fminf(up, down)) * 0.9999f; // leave a margin for rounding errors
  return min_distance > 0 ? min_distance * min_distance : 0;
}

uint32_t point_grid_find_nearest(const point_grid_t *g, const point_search_t *s, uint32_t k, point_near_t *out) {
  best_t best = {.list = out, .k = k, .limit = s->radius * s->radius};
  if (g->count == 0 || !isfinite(s->x) || !isfinite(s->y) || !(s->radius >= 0))
    return 0;
  int32_t x = cell_at(g, s->x), y = cell_at(g, s->y);
  // Outer rings contain more cells. After this many rings, checking all points is faster.
  int32_t last = 8 + (int32_t)sqrtf((float)g->count) / 4, ring = 0;
  for (; ring <= last; ++ring) {
    consider_ring(g, s, x, y, ring, &best);
    if (best.limit < distance_beyond(g, s, x, y, ring))
      break;
  }
  if (ring > last) {
    best.count = 0;
    best.limit = s->radius * s->radius;
    consider_all_points(g, s, &best);
  }
  for (uint32_t i = 0; i < best.count; ++i)
    out[i].distance = sqrtf(out[i].distance);
  return best.count;
}

static int32_t clamp_cell(int32_t cell, int32_t low, int32_t high) {
  return cell < low ? low : cell > high ? high : cell;
}

// The range of cells that a search visits. If `all` is true, the search checks all points instead, because there are
// fewer points than cells in the range.
typedef struct span_t {
  int32_t first_x, last_x, first_y, last_y;
  bool all;
} span_t;

static span_t compute_span(const point_grid_t *g, const point_search_t *s) {
  float reach = s->radius * 1.0001f; // add a margin for rounding errors
  span_t span = {.first_x = clamp_cell(cell_at(g, s->x - reach), g->first_x, g->last_x),
                 .last_x = clamp_cell(cell_at(g, s->x + reach), g->first_x, g->last_x),
                 .first_y = clamp_cell(cell_at(g, s->y - reach), g->first_y, g->last_y),
                 .last_y = clamp_cell(cell_at(g, s->y + reach), g->first_y, g->last_y)};
  if (((double)span.last_x - span.first_x + 1) * ((double)span.last_y - span.first_y + 1) > g->count)
    span = (span_t){.all = true};
  return span;
}

void point_grid_find_within(const point_grid_t *g, const point_search_t *s,
                            void (*visit)(void *data, const point_entry_t *entry, float distance_squared), void *data) {
  if (g->count == 0 || !isfinite(s->x) || !isfinite(s->y) || !(s->radius >= 0))
    return;
  float limit = s->radius * s->radius;
  span_t span = compute_span(g, s);
  for (int32_t y = span.first_y; y <= span.last_y; ++y)
    for (int32_t x = span.first_x; x <= span.last_x; ++x) {
      uint32_t bucket = span.all ? 0 : cell_bucket(g, x, y), end = span.all ? g->count : g->starts[bucket + 1];
      for (uint32_t i = span.all ? 0 : g->starts[bucket]; i < end; ++i) {
        const point_entry_t *e = &g->entries[i];
        float distance = distance_squared(s, e);
        if (distance <= limit && is_match(s, e) && (span.all || (e->cell_x == x && e->cell_y == y)))
          visit(data, e, distance);
      }
    }
}

uint32_t point_grid_find_around(const point_grid_t *g, const point_search_t *s, uint32_t k, point_near_t *out,
                                point_sum_t *sum) {
  *sum = (point_sum_t){0};
  if (g->count == 0 || !isfinite(s->x) || !isfinite(s->y) || !(s->radius >= 0))
    return 0;
  best_t best = {.list = out, .k = k, .limit = s->radius * s->radius};
  float limit = best.limit;
  span_t span = compute_span(g, s);
  for (int32_t y = span.first_y; y <= span.last_y; ++y)
    for (int32_t x = span.first_x; x <= span.last_x; ++x) {
      uint32_t bucket = span.all ? 0 : cell_bucket(g, x, y), end = span.all ? g->count : g->starts[bucket + 1];
      for (uint32_t i = span.all ? 0 : g->starts[bucket]; i < end; ++i) {
        const point_entry_t *e = &g->entries[i];
        float distance = distance_squared(s, e);
        if (!(distance <= limit) || !is_match(s, e) || (!span.all && (e->cell_x != x || e->cell_y != y)))
          continue;
        ++sum->count;
        sum->x += (double)e->x;
        sum->y += (double)e->y;
        consider_point(&best, distance, e->number);
      }
    }
  for (uint32_t i = 0; i < best.count; ++i)
    out[i].distance = sqrtf(out[i].distance);
  return best.count;
}

static int compare_by_distance(const void *one, const void *other) {
  const point_near_t *a = one, *b = other;
  return comes_before(a->distance, a->number, b) ? -1 : comes_before(b->distance, b->number, a);
}

void point_near_sort(point_near_t *list, uint32_t count) {
  if (count > 1)
    qsort(list, count, sizeof *list, compare_by_distance);
  for (uint32_t i = 0; i < count; ++i)
    list[i].distance = sqrtf(list[i].distance);
}
