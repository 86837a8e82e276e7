// Implements the index with a uniform grid of the small shapes. The grid is rebuilt in each step. The few large shapes
// are compared with all other shapes. Pairs are ordered by shape number.
#include "broadphase.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

// Shapes larger than this multiple of the typical size are compared with all other shapes.
static const double LARGE_FACTOR = 4;

// --- the grid

static int32_t get_cell(const grid_t *grid, double position) {
  // The outermost cells extend to infinity, and cell 0 has double width. Neighbouring positions are therefore still in
  // the same or in neighbouring cells.
  const double MAX_CELL = 1 << 29;
  double cell = position * grid->cells_per_pixel;
  return (int32_t)(cell > -MAX_CELL ? cell < MAX_CELL ? cell : MAX_CELL : -MAX_CELL);
}

// Returns the bucket of a cell. Neighbouring cells in a row have consecutive buckets, so that a search can read them as
// one range.
static uint32_t get_bucket(const grid_t *grid, int32_t x, int32_t y) {
  return ((uint32_t)x + (uint32_t)y * 0x9e3779b1u) & (grid->bucket_count - 1);
}

static double get_box_extent(cpBB box) {
  double width = box.r - box.l, height = box.t - box.b;
  return width > height ? width : height;
}

// Returns a typical size: a power of two with the mean exponent of all sizes, which outliers hardly distort.
static double get_typical_size(cpShape *const *shapes, uint32_t count) {
  int64_t exponent_sum = 0;
  uint32_t finite_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    int exponent;
    double size = get_box_extent(shapes[i]->bb);
    if (size > 0 && size < 1e9) {
      frexp(size, &exponent);
      exponent_sum += exponent;
      ++finite_count;
    }
  }
  return finite_count == 0 ? 64 : ldexp(1, (int)(exponent_sum / finite_count));
}

static void assign_entry_bucket(grid_t *grid, grid_entry_t *entry) {
  entry->x = get_cell(grid, (entry->box.l + entry->box.r) / 2);
  entry->y = get_cell(grid, (entry->box.b + entry->box.t) / 2);
  entry->bucket = get_bucket(grid, entry->x, entry->y);
  ++grid->starts[entry->bucket];
}

// Divides the shapes into small and large shapes. The largest small shape determines the cell size.
static void split_shapes_by_size(grid_t *grid, cpShape *const *shapes, uint32_t count) {
  double limit = get_typical_size(shapes, count) * LARGE_FACTOR, largest = 0;
  grid->large_count = grid->entry_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    grid_entry_t entry = {.box = shapes[i]->bb, .number = i};
    double size = get_box_extent(entry.box);
    if (!(size <= limit)) { // NaN counts as large
      grid->large[grid->large_count++] = entry;
      continue;
    }
    largest = size > largest ? size : largest;
    grid->unsorted[grid->entry_count++] = entry;
  }
  grid->cell = largest > 0 ? largest * 1.000001 : 1;
  grid->cells_per_pixel = 1 / grid->cell;
}

static void build_grid(grid_t *grid, cpShape *const *shapes, uint32_t count) {
  GROW(grid->large, grid->large_capacity, count);
  GROW(grid->unsorted, grid->unsorted_capacity, count);
  GROW(grid->entries, grid->entry_capacity, count);
  split_shapes_by_size(grid, shapes, count);
  grid->bucket_count = 16;
  while (grid->bucket_count < grid->entry_count * 2)
    grid->bucket_count *= 2;
  GROW(grid->starts, grid->start_capacity, grid->bucket_count + 1);
  memset(grid->starts, 0, (grid->bucket_count + 1) * sizeof *grid->starts);
  for (uint32_t i = 0; i < grid->entry_count; ++i)
    assign_entry_bucket(grid, &grid->unsorted[i]);
  for (uint32_t bucket = 1; bucket <= grid->bucket_count; ++bucket)
    grid->starts[bucket] += grid->starts[bucket - 1];
  // Iterates backwards, because starts[b] moves from the end of its bucket to its start.
  for (uint32_t i = grid->entry_count; i-- > 0;)
    grid->entries[--grid->starts[grid->unsorted[i].bucket]] = grid->unsorted[i];
}

static void refresh_grid(broadphase_t *broadphase) {
  if (broadphase->dirty)
    build_grid(&broadphase->grid, broadphase->shapes, broadphase->count);
  broadphase->dirty = false;
}

// --- searching

static void append_result(broadphase_t *broadphase, uint32_t number) {
  GROW(broadphase->results, broadphase->result_capacity, broadphase->result_count + 1);
  broadphase->results[broadphase->result_count++] = number;
}

// Appends the shapes in cells first_x to last_x of row y whose bounding boxes overlap `box` to the results.
static void find_overlapping_in_row(broadphase_t *broadphase, cpBB box, int32_t first_x, int32_t last_x, int32_t y) {
  const grid_t *grid = &broadphase->grid;
  for (int32_t x = first_x; x <= last_x; ++x) {
    uint32_t bucket = get_bucket(grid, x, y);
    for (uint32_t i = grid->starts[bucket]; i < grid->starts[bucket + 1]; ++i) {
      const grid_entry_t *entry = &grid->entries[i];
      if (cpBBIntersects(box, entry->box) && entry->x == x && entry->y == y)
        append_result(broadphase, entry->number);
    }
  }
}

static void find_overlapping(broadphase_t *broadphase, cpBB box) {
  const grid_t *grid = &broadphase->grid;
  broadphase->result_count = 0;
  for (uint32_t i = 0; i < grid->large_count; ++i)
    if (cpBBIntersects(box, grid->large[i].box))
      append_result(broadphase, grid->large[i].number);
  if (grid->entry_count == 0)
    return;
  double reach = grid->cell / 2;
  int32_t first_x = get_cell(grid, box.l - reach), last_x = get_cell(grid, box.r + reach);
  int32_t first_y = get_cell(grid, box.b - reach), last_y = get_cell(grid, box.t + reach);
  double cells = ((double)last_x - first_x + 1) * ((double)last_y - first_y + 1);
  if (!(cells < grid->entry_count)) { // checking all shapes is faster than visiting this many cells
    for (uint32_t i = 0; i < grid->entry_count; ++i)
      if (cpBBIntersects(box, grid->entries[i].box))
        append_result(broadphase, grid->entries[i].number);
    return;
  }
  for (int32_t y = first_y; y <= last_y; ++y)
    find_overlapping_in_row(broadphase, box, first_x, last_x, y);
}

void broadphase_find(broadphase_t *broadphase, cpBB box) {
  refresh_grid(broadphase);
  find_overlapping(broadphase, box);
}

// --- pairs, ordered by the number of the first shape, then by the number of the second. This order is the same in each
// step, and piles come to rest sooner than in the order of the cells

static void add_pair(broadphase_t *broadphase, uint32_t first, uint32_t second) {
  GROW(broadphase->pairs, broadphase->pair_capacity, broadphase->pair_count + 1);
  broadphase->pairs[broadphase->pair_count++] = first < second ? (pair_t){first, second} : (pair_t){second, first};
}

// Adds pairs of `entry` with the entries from `first` to `end` in the cells x to x + extra_cells of row y.
static void add_pairs_in_range(broadphase_t *broadphase, const grid_entry_t *entry, uint32_t first, uint32_t end,
                               int32_t x, uint32_t extra_cells, int32_t y) {
  const grid_entry_t *entries = broadphase->grid.entries;
  for (uint32_t i = first; i < end; ++i) {
    const grid_entry_t *candidate = &entries[i];
    if (cpBBIntersects(entry->box, candidate->box) && candidate->y == y && (uint32_t)(candidate->x - x) <= extra_cells)
      add_pair(broadphase, entry->number, candidate->number);
  }
}

// Adds pairs of `entry` with the entries in the cells x to x + extra_cells of row y. These cells have consecutive
// buckets, where bucket 0 follows the last bucket.
static void add_pairs_in_row(broadphase_t *broadphase, const grid_entry_t *entry, int32_t x, uint32_t extra_cells,
                             int32_t y) {
  const uint32_t *starts = broadphase->grid.starts;
  uint32_t bucket = get_bucket(&broadphase->grid, x, y), last = bucket + extra_cells, wrapped = 0;
  if (last >= broadphase->grid.bucket_count) {
    wrapped = last - broadphase->grid.bucket_count + 1;
    last = broadphase->grid.bucket_count - 1;
  }
  add_pairs_in_range(broadphase, entry, starts[bucket], starts[last + 1], x, extra_cells, y);
  if (wrapped)
    add_pairs_in_range(broadphase, entry, starts[0], starts[wrapped], x, extra_cells, y);
}

// Finds all pairs. Small shapes that touch are in the same or in neighbouring cells. Each pair of cells is visited
// once, from the left or from above. Large shapes are compared with all other shapes.
static void find_pairs(broadphase_t *broadphase) {
  const grid_t *grid = &broadphase->grid;
  broadphase->pair_count = 0;
  for (uint32_t i = 0; i < grid->entry_count; ++i) {
    const grid_entry_t *entry = &grid->entries[i];
    add_pairs_in_range(broadphase, entry, i + 1, grid->starts[entry->bucket + 1], entry->x, 0, entry->y);
    add_pairs_in_row(broadphase, entry, entry->x + 1, 0, entry->y);
    add_pairs_in_row(broadphase, entry, entry->x - 1, 2, entry->y + 1);
  }
  for (uint32_t k = 0; k < grid->large_count; ++k) {
    const grid_entry_t *large = &grid->large[k];
    for (uint32_t i = 0; i < grid->entry_count; ++i)
      if (cpBBIntersects(large->box, grid->entries[i].box))
        add_pair(broadphase, large->number, grid->entries[i].number);
    for (uint32_t i = k + 1; i < grid->large_count; ++i)
      if (cpBBIntersects(large->box, grid->large[i].box))
        add_pair(broadphase, large->number, grid->large[i].number);
  }
}

// Sorts the pairs into broadphase->sorted. Sorts by `first` with a counting sort, then sorts the few pairs of each
// `first` by insertion.
static void sort_pairs(broadphase_t *broadphase) {
  GROW(broadphase->sorted, broadphase->sorted_capacity, broadphase->pair_count);
  GROW(broadphase->firsts, broadphase->first_capacity, broadphase->count + 1);
  memset(broadphase->firsts, 0, (broadphase->count + 1) * sizeof *broadphase->firsts);
  for (uint32_t i = 0; i < broadphase->pair_count; ++i)
    ++broadphase->firsts[broadphase->pairs[i].first + 1];
  for (uint32_t i = 0; i < broadphase->count; ++i)
    broadphase->firsts[i + 1] += broadphase->firsts[i];
  for (uint32_t i = 0; i < broadphase->pair_count; ++i)
    broadphase->sorted[broadphase->firsts[broadphase->pairs[i].first]++] = broadphase->pairs[i];
  for (uint32_t i = 1; i < broadphase->pair_count; ++i) {
    pair_t pair = broadphase->sorted[i];
    uint32_t k = i;
    for (; k > 0 && broadphase->sorted[k - 1].first == pair.first && broadphase->sorted[k - 1].second > pair.second;
         --k)
      broadphase->sorted[k] = broadphase->sorted[k - 1];
    broadphase->sorted[k] = pair;
  }
}

// --- Chipmunk's interface for spatial indexes

static void destroy(cpSpatialIndex *index) {
  broadphase_t *broadphase = (broadphase_t *)index;
  free(broadphase->shapes);
  free(broadphase->results);
  free(broadphase->pairs);
  free(broadphase->sorted);
  free(broadphase->firsts);
  free(broadphase->grid.unsorted);
  free(broadphase->grid.entries);
  free(broadphase->grid.starts);
  free(broadphase->grid.large);
}

static int count_shapes(cpSpatialIndex *index) {
  return (int)((broadphase_t *)index)->count;
}

static void each(cpSpatialIndex *index, cpSpatialIndexIteratorFunc func, void *data) {
  broadphase_t *broadphase = (broadphase_t *)index;
  broadphase->dirty = true; // Chipmunk calls this in each step to update the shapes after their bodies have moved
  for (uint32_t i = 0; i < broadphase->count; ++i)
    func(broadphase->shapes[i], data);
}

static cpBool contains(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *broadphase = (broadphase_t *)index;
  for (uint32_t i = 0; i < broadphase->count; ++i)
    if (broadphase->shapes[i] == obj)
      return cpTrue;
  return cpFalse;
}

static void insert(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *broadphase = (broadphase_t *)index;
  GROW(broadphase->shapes, broadphase->capacity, broadphase->count + 1);
  broadphase->shapes[broadphase->count++] = obj;
  broadphase->dirty = true;
}

static void remove_shape(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *broadphase = (broadphase_t *)index;
  for (uint32_t i = broadphase->count; i-- > 0;)
    if (broadphase->shapes[i] == obj) {
      broadphase->shapes[i] = broadphase->shapes[--broadphase->count];
      break;
    }
  broadphase->dirty = true;
}

static void reindex(cpSpatialIndex *index) {
  ((broadphase_t *)index)->dirty = true;
}

static void reindex_object(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)obj, (void)hashid;
  ((broadphase_t *)index)->dirty = true;
}

// Reports the pairs of a moving and a static shape, then the pairs of two moving shapes. Chipmunk's cached collision id
// is always 0, so narrow-phase tests never start from cached results.
static void reindex_query(cpSpatialIndex *index, cpSpatialIndexQueryFunc func, void *data) {
  broadphase_t *moving = (broadphase_t *)index, *resting = (broadphase_t *)index->staticIndex;
  refresh_grid(moving);
  for (uint32_t i = 0; i < moving->count; ++i) {
    broadphase_find(resting, moving->shapes[i]->bb);
    for (uint32_t k = 0; k < resting->result_count; ++k)
      func(moving->shapes[i], resting->shapes[resting->results[k]], 0, data);
  }
  find_pairs(moving);
  sort_pairs(moving);
  for (uint32_t i = 0; i < moving->pair_count; ++i)
    func(moving->shapes[moving->sorted[i].first], moving->shapes[moving->sorted[i].second], 0, data);
}

static void query(cpSpatialIndex *index, void *obj, cpBB box, cpSpatialIndexQueryFunc func, void *data) {
  broadphase_t *broadphase = (broadphase_t *)index;
  broadphase_find(broadphase, box);
  for (uint32_t k = 0; k < broadphase->result_count; ++k)
    func(obj, broadphase->shapes[broadphase->results[k]], 0, data);
}

static void segment_query(cpSpatialIndex *index, void *obj, cpVect start, cpVect end, cpFloat t_exit,
                          cpSpatialIndexSegmentQueryFunc func, void *data) {
  (void)t_exit;
  broadphase_t *broadphase = (broadphase_t *)index;
  broadphase_find(broadphase,
                  cpBBNew(fmin(start.x, end.x), fmin(start.y, end.y), fmax(start.x, end.x), fmax(start.y, end.y)));
  for (uint32_t k = 0; k < broadphase->result_count; ++k)
    func(obj, broadphase->shapes[broadphase->results[k]], data);
}

static const cpSpatialIndexClass CLASS = {
    .destroy = destroy,
    .count = count_shapes,
    .each = each,
    .contains = contains,
    .insert = insert,
    .remove = remove_shape,
    .reindex = reindex,
    .reindexObject = reindex_object,
    .reindexQuery = reindex_query,
    .query = query,
    .segmentQuery = segment_query,
};

static cpBB shape_box(void *shape) {
  return ((cpShape *)shape)->bb;
}

void broadphase_install(cpSpace *space) {
  broadphase_t *resting = calloc(1, sizeof *resting), *moving = calloc(1, sizeof *moving);
  if (!resting || !moving)
    abort();
  resting->dirty = moving->dirty = true;
  cpSpatialIndexClass *class = (cpSpatialIndexClass *)(uintptr_t)&CLASS; // Chipmunk does not write to the class
  space->staticShapes = cpSpatialIndexInit(&resting->base, class, shape_box, NULL);
  space->dynamicShapes = cpSpatialIndexInit(&moving->base, class, shape_box, space->staticShapes);
}
