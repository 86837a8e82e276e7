// A uniform grid of the small shapes, rebuilt in each step. The few large shapes are compared with all others. Pairs
// are ordered by shape number.
#include "broadphase.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

// Shapes larger than this multiple of the typical size are compared with all others.
static const double LARGE = 4;

// --- the grid

static int32_t cell_at(const grid_t *g, double position) {
  // The outermost cells extend to infinity, and cell 0 has double width. Neighbouring positions are therefore still in
  // the same or in neighbouring cells.
  const double LAST = 1 << 29;
  double cell = position * g->cells_per_pixel;
  return (int32_t)(cell > -LAST ? cell < LAST ? cell : LAST : -LAST);
}

// Returns the bucket of a cell. Neighbouring cells in a row have consecutive buckets, so that a search can read them as
// one range.
static uint32_t cell_bucket(const grid_t *g, int32_t x, int32_t y) {
  return ((uint32_t)x + (uint32_t)y * 0x9e3779b1u) & (g->bucket_count - 1);
}

static double box_extent(cpBB box) {
  double width = box.r - box.l, height = box.t - box.b;
  return width > height ? width : height;
}

// Returns a typical size: a power of two with the mean exponent of all sizes, which outliers hardly distort.
static double typical_size(cpShape *const *shapes, uint32_t count) {
  int64_t sum = 0;
  uint32_t finite = 0;
  for (uint32_t i = 0; i < count; ++i) {
    int exponent;
    double size = box_extent(shapes[i]->bb);
    if (size > 0 && size < 1e9) {
      frexp(size, &exponent);
      sum += exponent;
      ++finite;
    }
  }
  return finite == 0 ? 64 : ldexp(1, (int)(sum / finite));
}

static void assign_entry_bucket(grid_t *g, grid_entry_t *e) {
  e->x = cell_at(g, (e->box.l + e->box.r) / 2);
  e->y = cell_at(g, (e->box.b + e->box.t) / 2);
  e->bucket = cell_bucket(g, e->x, e->y);
  ++g->starts[e->bucket];
}

// Divides the shapes into small and large ones. The largest small shape determines the cell size.
static void split_shapes_by_size(grid_t *g, cpShape *const *shapes, uint32_t count) {
  double limit = typical_size(shapes, count) * LARGE, largest = 0;
  g->large_count = g->entry_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    grid_entry_t e = {.box = shapes[i]->bb, .number = i};
    double size = box_extent(e.box);
    if (!(size <= limit)) { // NaN counts as large
      g->large[g->large_count++] = e;
      continue;
    }
    largest = size > largest ? size : largest;
    g->unsorted[g->entry_count++] = e;
  }
  g->cell = largest > 0 ? largest * 1.000001 : 1;
  g->cells_per_pixel = 1 / g->cell;
}

static void build_grid(grid_t *g, cpShape *const *shapes, uint32_t count) {
  GROW(g->large, g->large_capacity, count);
  GROW(g->unsorted, g->unsorted_capacity, count);
  GROW(g->entries, g->entry_capacity, count);
  split_shapes_by_size(g, shapes, count);
  g->bucket_count = 16;
  while (g->bucket_count < g->entry_count * 2)
    g->bucket_count *= 2;
  GROW(g->starts, g->start_capacity, g->bucket_count + 1);
  memset(g->starts, 0, (g->bucket_count + 1) * sizeof *g->starts);
  for (uint32_t i = 0; i < g->entry_count; ++i)
    assign_entry_bucket(g, &g->unsorted[i]);
  for (uint32_t b = 1; b <= g->bucket_count; ++b)
    g->starts[b] += g->starts[b - 1];
  // Iterate backwards: starts[b] moves from the end of its bucket to its start.
  for (uint32_t i = g->entry_count; i-- > 0;)
    g->entries[--g->starts[g->unsorted[i].bucket]] = g->unsorted[i];
}

static void refresh_grid(broadphase_t *b) {
  if (b->dirty)
    build_grid(&b->grid, b->shapes, b->count);
  b->dirty = false;
}

// --- searching

static void append_found(broadphase_t *b, uint32_t number) {
  GROW(b->found, b->found_capacity, b->found_count + 1);
  b->found[b->found_count++] = number;
}

// Finds the shapes in cells first_x to last_x of row y.
static void find_overlapping_in_row(broadphase_t *b, cpBB box, int32_t first_x, int32_t last_x, int32_t y) {
  const grid_t *g = &b->grid;
  for (int32_t x = first_x; x <= last_x; ++x) {
    uint32_t bucket = cell_bucket(g, x, y);
    for (uint32_t i = g->starts[bucket]; i < g->starts[bucket + 1]; ++i) {
      const grid_entry_t *e = &g->entries[i];
      if (cpBBIntersects(box, e->box) && e->x == x && e->y == y)
        append_found(b, e->number);
    }
  }
}

static void find_overlapping(broadphase_t *b, cpBB box) {
  const grid_t *g = &b->grid;
  b->found_count = 0;
  for (uint32_t i = 0; i < g->large_count; ++i)
    if (cpBBIntersects(box, g->large[i].box))
      append_found(b, g->large[i].number);
  if (g->entry_count == 0)
    return;
  double reach = g->cell / 2;
  int32_t first_x = cell_at(g, box.l - reach), last_x = cell_at(g, box.r + reach);
  int32_t first_y = cell_at(g, box.b - reach), last_y = cell_at(g, box.t + reach);
  double cells = ((double)last_x - first_x + 1) * ((double)last_y - first_y + 1);
  if (!(cells < g->entry_count)) { // checking all shapes is faster than visiting this many cells
    for (uint32_t i = 0; i < g->entry_count; ++i)
      if (cpBBIntersects(box, g->entries[i].box))
        append_found(b, g->entries[i].number);
    return;
  }
  for (int32_t y = first_y; y <= last_y; ++y)
    find_overlapping_in_row(b, box, first_x, last_x, y);
}

void broadphase_find(broadphase_t *b, cpBB box) {
  refresh_grid(b);
  find_overlapping(b, box);
}

// --- pairs, ordered by the number of the first shape, then by the number of the second. This order is the same in each
// step, and piles come to rest sooner than in the order of the cells

static void add_pair(broadphase_t *b, uint32_t one, uint32_t other) {
  GROW(b->pairs, b->pair_capacity, b->pair_count + 1);
  b->pairs[b->pair_count++] = one < other ? (pair_t){one, other} : (pair_t){other, one};
}

// Adds pairs of `e` with those entries from `first` to `end` that are in the cells x to x + more of row y.
static void add_pairs_in_range(broadphase_t *b, const grid_entry_t *e, uint32_t first, uint32_t end, int32_t x,
                               uint32_t more, int32_t y) {
  const grid_entry_t *entries = b->grid.entries;
  for (uint32_t i = first; i < end; ++i) {
    const grid_entry_t *other = &entries[i];
    if (cpBBIntersects(e->box, other->box) && other->y == y && (uint32_t)(other->x - x) <= more)
      add_pair(b, e->number, other->number);
  }
}

// Adds pairs of `e` with the entries in the cells x to x + more of row y. These cells have consecutive buckets, where
// bucket 0 follows the last bucket.
static void add_pairs_in_row(broadphase_t *b, const grid_entry_t *e, int32_t x, uint32_t more, int32_t y) {
  const uint32_t *starts = b->grid.starts;
  uint32_t bucket = cell_bucket(&b->grid, x, y), last = bucket + more, wrapped = 0;
  if (last >= b->grid.bucket_count) {
    wrapped = last - b->grid.bucket_count + 1;
    last = b->grid.bucket_count - 1;
  }
  add_pairs_in_range(b, e, starts[bucket], starts[last + 1], x, more, y);
  if (wrapped)
    add_pairs_in_range(b, e, starts[0], starts[wrapped], x, more, y);
}

// Finds all pairs. Small shapes that touch are in the same or in neighbouring cells; each pair of cells is visited
// once, from the left or from above. Large shapes are compared with all others.
static void find_pairs(broadphase_t *b) {
  const grid_t *g = &b->grid;
  b->pair_count = 0;
  for (uint32_t i = 0; i < g->entry_count; ++i) {
    const grid_entry_t *e = &g->entries[i];
    add_pairs_in_range(b, e, i + 1, g->starts[e->bucket + 1], e->x, 0, e->y);
    add_pairs_in_row(b, e, e->x + 1, 0, e->y);
    add_pairs_in_row(b, e, e->x - 1, 2, e->y + 1);
  }
  for (uint32_t k = 0; k < g->large_count; ++k) {
    const grid_entry_t *large = &g->large[k];
    for (uint32_t i = 0; i < g->entry_count; ++i)
      if (cpBBIntersects(large->box, g->entries[i].box))
        add_pair(b, large->number, g->entries[i].number);
    for (uint32_t i = k + 1; i < g->large_count; ++i)
      if (cpBBIntersects(large->box, g->large[i].box))
        add_pair(b, large->number, g->large[i].number);
  }
}

// Sorts the pairs into b->sorted: by `first` with a counting sort, then the few pairs of each `first` by insertion.
static void sort_pairs(broadphase_t *b) {
  GROW(b->sorted, b->sorted_capacity, b->pair_count);
  GROW(b->firsts, b->first_capacity, b->count + 1);
  memset(b->firsts, 0, (b->count + 1) * sizeof *b->firsts);
  for (uint32_t i = 0; i < b->pair_count; ++i)
    ++b->firsts[b->pairs[i].first + 1];
  for (uint32_t i = 0; i < b->count; ++i)
    b->firsts[i + 1] += b->firsts[i];
  for (uint32_t i = 0; i < b->pair_count; ++i)
    b->sorted[b->firsts[b->pairs[i].first]++] = b->pairs[i];
  for (uint32_t i = 1; i < b->pair_count; ++i) {
    pair_t pair = b->sorted[i];
    uint32_t k = i;
    for (; k > 0 && b->sorted[k - 1].first == pair.first && b->sorted[k - 1].second > pair.second; --k)
      b->sorted[k] = b->sorted[k - 1];
    b->sorted[k] = pair;
  }
}

// --- Chipmunk's interface for spatial indexes

static void destroy(cpSpatialIndex *index) {
  broadphase_t *b = (broadphase_t *)index;
  free(b->shapes);
  free(b->found);
  free(b->pairs);
  free(b->sorted);
  free(b->firsts);
  free(b->grid.unsorted);
  free(b->grid.entries);
  free(b->grid.starts);
  free(b->grid.large);
}

static int count_shapes(cpSpatialIndex *index) {
  return (int)((broadphase_t *)index)->count;
}

static void each(cpSpatialIndex *index, cpSpatialIndexIteratorFunc func, void *data) {
  broadphase_t *b = (broadphase_t *)index;
  b->dirty = true; // Chipmunk calls this in each step to update the shapes, after their bodies have moved.
  for (uint32_t i = 0; i < b->count; ++i)
    func(b->shapes[i], data);
}

static cpBool contains(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *b = (broadphase_t *)index;
  for (uint32_t i = 0; i < b->count; ++i)
    if (b->shapes[i] == obj)
      return cpTrue;
  return cpFalse;
}

static void insert(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *b = (broadphase_t *)index;
  GROW(b->shapes, b->capacity, b->count + 1);
  b->shapes[b->count++] = obj;
  b->dirty = true;
}

static void remove_shape(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)hashid;
  broadphase_t *b = (broadphase_t *)index;
  for (uint32_t i = b->count; i-- > 0;)
    if (b->shapes[i] == obj) {
      b->shapes[i] = b->shapes[--b->count];
      break;
    }
  b->dirty = true;
}

static void reindex(cpSpatialIndex *index) {
  ((broadphase_t *)index)->dirty = true;
}

static void reindex_object(cpSpatialIndex *index, void *obj, cpHashValue hashid) {
  (void)obj, (void)hashid;
  ((broadphase_t *)index)->dirty = true;
}

// Reports the pairs of a moving and a static shape, then those of two moving shapes. Chipmunk's cached collision id is
// always 0, so narrow-phase tests never start from cached results.
static void reindex_query(cpSpatialIndex *index, cpSpatialIndexQueryFunc func, void *data) {
  broadphase_t *moving = (broadphase_t *)index, *resting = (broadphase_t *)index->staticIndex;
  refresh_grid(moving);
  for (uint32_t i = 0; i < moving->count; ++i) {
    broadphase_find(resting, moving->shapes[i]->bb);
    for (uint32_t k = 0; k < resting->found_count; ++k)
      func(moving->shapes[i], resting->shapes[resting->found[k]], 0, data);
  }
  find_pairs(moving);
  sort_pairs(moving);
  for (uint32_t i = 0; i < moving->pair_count; ++i)
    func(moving->shapes[moving->sorted[i].first], moving->shapes[moving->sorted[i].second], 0, data);
}

static void query(cpSpatialIndex *index, void *obj, cpBB box, cpSpatialIndexQueryFunc func, void *data) {
  broadphase_t *b = (broadphase_t *)index;
  broadphase_find(b, box);
  for (uint32_t k = 0; k < b->found_count; ++k)
    func(obj, b->shapes[b->found[k]], 0, data);
}

static void segment_query(cpSpatialIndex *index, void *obj, cpVect from, cpVect to, cpFloat t_exit,
                          cpSpatialIndexSegmentQueryFunc func, void *data) {
  (void)t_exit;
  broadphase_t *b = (broadphase_t *)index;
  broadphase_find(b, cpBBNew(fmin(from.x, to.x), fmin(from.y, to.y), fmax(from.x, to.x), fmax(from.y, to.y)));
  for (uint32_t k = 0; k < b->found_count; ++k)
    func(obj, b->shapes[b->found[k]], data);
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
