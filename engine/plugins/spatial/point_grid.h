// Points by the cell that they lie in, for "who is near": built anew from two columns whenever asked for, no memory of
// before. Answers are in the order of their distance, and of the points' numbers where that leaves it open: the same
// for the same points. Knows nothing of Shoal. Reading from several threads at once is fine.
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

typedef struct point_grid_t { // zero-initialised is empty
  float cell, cells_per_pixel;
  int32_t first_x, first_y, last_x, last_y; // cells in use
  point_entry_t *entries;                   // by bucket; those of a bucket by number
  point_entry_t *unsorted;
  uint32_t count, entry_capacity, unsorted_capacity;
  uint32_t *starts; // by bucket, one more at the end
  uint32_t bucket_count, start_capacity;
  float *sample;
  uint32_t sample_capacity;
} point_grid_t;

typedef struct point_near_t {
  float distance; // squared, until the search returns
  uint32_t number;
} point_near_t;

// `category` by point, NULL for 1 each. Points that are not finite are left out.
void point_grid_build(point_grid_t *g, const float *x, const float *y, const uint32_t *category, uint32_t count);
void point_grid_free(point_grid_t *g);

typedef struct point_search_t {
  float x, y, radius; // only points up to `radius` away; INFINITY for all
  uint32_t mask;      // of categories
  uint32_t except;    // the number of a point that does not count, POINT_NONE for none
} point_search_t;

// The `k` (1 … POINT_MAX_NEAREST) nearest into `out`. Returns how many there are, k at most.
uint32_t point_grid_nearest(const point_grid_t *g, const point_search_t *search, uint32_t k, point_near_t *out);
// All of them: visits each, in an order that follows from the points alone.
void point_grid_within(const point_grid_t *g, const point_search_t *search,
                       void (*visit)(void *data, const point_entry_t *entry, float distance_squared), void *data);

typedef struct point_sum_t {
  uint32_t count;
  double x, y;
} point_sum_t;

// Both in one go: the k nearest into `out`, returned how many, and how many there are and the sums of their places in
// `sum`.
uint32_t point_grid_around(const point_grid_t *g, const point_search_t *search, uint32_t k, point_near_t *out,
                           point_sum_t *sum);
// Places of one bucket lie near each other, mostly: who searches from many goes through them bucket by bucket. Below
// bucket_count.
uint32_t point_grid_bucket(const point_grid_t *g, float x, float y);
// Sorts by distance, then number, and takes the roots.
void point_near_sort(point_near_t *list, uint32_t count);

#endif
