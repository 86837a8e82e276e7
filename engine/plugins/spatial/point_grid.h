// A grid of points for proximity searches, rebuilt from two columns when needed. The nearest points are ordered by
// distance, then by point index, so equal points always yield equal results. Independent of Shoal. Searches are
// thread-safe.
#ifndef SHOAL_SPATIAL_POINT_GRID_H
#define SHOAL_SPATIAL_POINT_GRID_H

#include <stdbool.h>
#include <stdint.h>

#define POINT_NONE UINT32_MAX
#define POINT_MAX_NEAREST 64u

typedef struct point_entry_t {
  float x, y;
  int32_t cell_x, cell_y;
  uint32_t number, category;
} point_entry_t;

typedef struct point_grid_t { // zero-initialized: an empty grid
  float cell, cells_per_pixel;
  int32_t first_x, first_y, last_x, last_y; // range of cells that contain points
  point_entry_t *entries;                   // sorted by bucket, then by point index
  point_entry_t *unsorted;
  uint32_t count, entry_capacity, unsorted_capacity;
  uint32_t *starts; // indexed by bucket: index of its first entry; one additional element at the end
  uint32_t bucket_count, start_capacity;
  float *sample;
  uint32_t sample_capacity;
} point_grid_t;

typedef struct point_near_t {
  float distance; // squared while searching
  uint32_t number;
} point_near_t;

// Builds the grid. `category` is indexed by point; if it is NULL, all points have category 1. Non-finite points are
// skipped.
void point_grid_build(point_grid_t *g, const float *x, const float *y, const uint32_t *category, uint32_t count);
void point_grid_free(point_grid_t *g);

typedef struct point_search_t {
  float x, y, radius; // radius: maximum distance in pixels; INFINITY: unlimited
  uint32_t mask;      // categories to find
  uint32_t except;    // index of a point to ignore, or POINT_NONE
} point_search_t;

// Writes the `k` (1 to POINT_MAX_NEAREST) nearest points to `out`. Returns the number of points written.
uint32_t point_grid_find_nearest(const point_grid_t *g, const point_search_t *search, uint32_t k, point_near_t *out);
// Calls `visit` for all points in range, in an order that depends only on the points.
void point_grid_find_within(const point_grid_t *g, const point_search_t *search,
                            void (*visit)(void *data, const point_entry_t *entry, float distance_squared), void *data);

typedef struct point_sum_t {
  uint32_t count;
  double x, y;
} point_sum_t;

// Combines both searches: writes the k nearest points to `out` and returns their number; stores the number of all
// points in range and the sums of their coordinates in `sum`.
uint32_t point_grid_find_around(const point_grid_t *g, const point_search_t *search, uint32_t k, point_near_t *out,
                                point_sum_t *sum);
// Returns the bucket of a position, less than bucket_count. Positions in the same bucket are usually close to each
// other, so sorting searches by bucket makes them faster.
uint32_t point_grid_bucket(const point_grid_t *g, float x, float y);
// Sorts by distance, then by point index, and replaces squared distances with distances.
void point_near_sort(point_near_t *list, uint32_t count);

#endif
