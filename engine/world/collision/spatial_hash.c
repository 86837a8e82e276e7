// Counting sort of boxes into the cells of several grids, then tests of boxes in the same and in neighbouring cells.
// Stores no data between calls.
#include "collision/spatial_hash.h"

#include "base/assert.h"
#include "collision/grid_cells.h"

#include <math.h>
#include <string.h>

// Cell sizes are 2^(STEP_BITS × level) pixels: 1/64 at LEVEL_LOW, and more than the largest float at LEVEL_HIGH.
enum { STEP_BITS = 2, LEVEL_LOW = -3, LEVEL_HIGH = 65, LEVEL_COUNT = LEVEL_HIGH - LEVEL_LOW + 1 };

// Boxes with the same category and mask have separate grids, so that boxes that never meet are not compared. If there
// are more than CLASS_MAX such classes, the last class contains all remaining boxes.
enum { CLASS_MAX = 16, GRID_WORDS = 2, GRID_MAX = GRID_WORDS * 64 };
_Static_assert((int)GRID_MAX >= (int)LEVEL_COUNT, "GRID_MAX must allow one class a grid for each level");

typedef struct class_t {
  uint32_t category, mask; // union over the class's items
} class_t;

// The grid for one level of one class.
typedef struct grid_t {
  double cells_per_pixel;
  float half_x, half_y; // maximum half extents of the level's items
  uint32_t class, level, count;
  uint64_t searched_grids[GRID_WORDS]; // bit set of other grids that its items search
} grid_t;

typedef struct grids_t {
  uint32_t count, class_count;
  class_t class[CLASS_MAX];
  grid_t grid[GRID_MAX];                    // sorted by class, then by cell size
  uint8_t of_level[CLASS_MAX][LEVEL_COUNT]; // indexed by class and level - LEVEL_LOW: index of the grid
} grids_t;

void spatial_hash_init(spatial_hash_t *h, allocator_t *a) {
  *h = (spatial_hash_t){.allocator = a};
}

void spatial_hash_fini(spatial_hash_t *h) {
  array_free(h->allocator, &h->pairs);
  array_free(h->allocator, &h->entries);
  array_free(h->allocator, &h->positions);
  array_free(h->allocator, &h->starts);
}

// Returns the lowest level whose cells are at least as large as the item, counted from LEVEL_LOW.
static uint32_t find_item_level(const spatial_item_t *item) {
  float half = item->half_x > item->half_y ? item->half_x : item->half_y;
  if (half == 0)
    return 0;
  double size = 2.0 * (double)half; // a normal double, even if `half` is a denormal float
  int bits = grid_size_exponent(size);
  int level = bits <= STEP_BITS * LEVEL_LOW ? LEVEL_LOW
                                            : (bits - STEP_BITS * LEVEL_LOW + STEP_BITS - 1) / STEP_BITS + LEVEL_LOW;
  shoal_assert(half > 0 && level < LEVEL_HIGH + 1, "invalid half size %g of a box", (double)half);
  return (uint32_t)(level - LEVEL_LOW);
}

static uint32_t find_or_add_class(grids_t *g, const spatial_item_t *item, uint32_t max_classes) {
  for (uint32_t i = 0; i < g->class_count; ++i)
    if (g->class[i].category == item->category && g->class[i].mask == item->mask)
      return i;
  if (g->class_count < max_classes)
    g->class[g->class_count++] = (class_t){0, 0};
  class_t *last = &g->class[g->class_count - 1];
  last->category |= item->category;
  last->mask |= item->mask;
  return g->class_count - 1;
}

// Assigns a class and a level to each item, and adds a grid for each level of a class that has items. Returns false if
// more than GRID_MAX grids would be needed.
static bool choose_grids(spatial_hash_t *h, grids_t *g, const spatial_item_t *items, uint32_t count, uint32_t classes) {
  uint32_t counts[CLASS_MAX][LEVEL_COUNT] = {{0}};
  g->count = g->class_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    spatial_position_t *e = &h->positions.items[i];
    e->class = (uint16_t)find_or_add_class(g, &items[i], classes);
    e->level = (uint16_t)find_item_level(&items[i]);
    ++counts[e->class][e->level];
  }
  for (uint32_t k = 0; k < g->class_count; ++k) {
    grid_merge_levels(counts[k], LEVEL_COUNT);
    for (uint32_t level = 0; level < LEVEL_COUNT; ++level) {
      g->of_level[k][level] = (uint8_t)g->count;
      if (counts[k][level] == 0)
        continue;
      if (g->count == GRID_MAX)
        return false;
      g->grid[g->count++] = (grid_t){.cells_per_pixel = ldexp(1, -STEP_BITS * ((int)level + LEVEL_LOW)),
                                     .class = k,
                                     .level = level,
                                     .count = counts[k][level]};
    }
  }
  return true;
}

static bool can_collide(const grids_t *g, const grid_t *a, const grid_t *b) {
  const class_t *x = &g->class[a->class], *y = &g->class[b->class];
  return (x->category & y->mask) != 0 && (y->category & x->mask) != 0;
}

// Estimates the number of cells of `to` that the items of `from` have to search.
static double estimate_search_cost(const grid_t *from, const grid_t *to) {
  double x = 2 * ((double)from->half_x + (double)to->half_x) * to->cells_per_pixel + 2;
  double y = 2 * ((double)from->half_y + (double)to->half_y) * to->cells_per_pixel + 2;
  return x * y * from->count;
}

// For each pair of grids that may meet, selects the cheaper direction of search: for example, 200 ships search the
// cells of 30,000 bullets, not vice versa.
static void choose_search_directions(grids_t *g) {
  for (uint32_t i = 0; i < g->count; ++i)
    for (uint32_t k = i + 1; k < g->count; ++k) {
      grid_t *a = &g->grid[i], *b = &g->grid[k];
      if (!can_collide(g, a, b))
        continue;
      if (estimate_search_cost(a, b) <= estimate_search_cost(b, a))
        a->searched_grids[k / 64] |= UINT64_C(1) << k % 64;
      else
        b->searched_grids[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static int32_t cell_coordinate(double position, const grid_t *grid) {
  return grid_cell(position, grid->cells_per_pixel);
}

static uint32_t bucket_index(const spatial_hash_t *h, uint32_t grid, int32_t cell_x, int32_t cell_y) {
  return grid_bucket(grid, cell_x, cell_y, h->starts.count - 2);
}

static void reserve_entries(spatial_hash_t *h, uint32_t count) {
  uint32_t bucket_count = 16;
  while (bucket_count < count * 2)
    bucket_count *= 2;
  array_reserve(h->allocator, &h->starts, bucket_count + 1);
  array_reserve(h->allocator, &h->positions, count);
  array_reserve(h->allocator, &h->entries, count);
  h->starts.count = bucket_count + 1;
  h->positions.count = h->entries.count = count;
  memset(h->starts.items, 0, (bucket_count + 1) * sizeof *h->starts.items);
}

// Sorts the items into `entries` by bucket, in their original order within a bucket.
static void sort_into_buckets(spatial_hash_t *h, grids_t *grids, const spatial_item_t *items, uint32_t count) {
  uint32_t *starts = h->starts.items;
  for (uint32_t i = 0; i < count; ++i) {
    spatial_position_t *p = &h->positions.items[i];
    uint32_t number = grids->of_level[p->class][p->level];
    grid_t *grid = &grids->grid[number];
    grid->half_x = items[i].half_x > grid->half_x ? items[i].half_x : grid->half_x;
    grid->half_y = items[i].half_y > grid->half_y ? items[i].half_y : grid->half_y;
    p->level = (uint16_t)grid->level;
    p->cell_x = cell_coordinate((double)items[i].x, grid);
    p->cell_y = cell_coordinate((double)items[i].y, grid);
    p->grid = number;
    p->bucket = bucket_index(h, number, p->cell_x, p->cell_y);
    ++starts[p->bucket];
  }
  for (uint32_t b = 1; b < h->starts.count; ++b)
    starts[b] += starts[b - 1];
  shoal_assert(starts[h->starts.count - 1] == count, "only %u of %u items have a bucket", starts[h->starts.count - 1],
               count);
  // Iterates backwards, because starts[b] moves from the end of its bucket to its start.
  for (uint32_t i = count; i-- > 0;) {
    const spatial_position_t *p = &h->positions.items[i];
    h->entries.items[--starts[p->bucket]] = (spatial_entry_t){items[i], p->cell_x, p->cell_y, p->grid, i};
  }
}

// Pairs `e` with the entries from `first` up to `end` that are in this cell; the bucket may also contain entries of
// other cells. Returns false if a pair would exceed the limit of `max` pairs.
static bool pair_with_entries(spatial_hash_t *h, const spatial_entry_t *e, uint32_t first, uint32_t end, uint32_t grid,
                              int32_t cell_x, int32_t cell_y, uint32_t max) {
  for (uint32_t i = first; i < end; ++i) {
    const spatial_entry_t *other = &h->entries.items[i];
    if (!spatial_items_overlap(&e->item, &other->item) || other->cell_x != cell_x || other->cell_y != cell_y ||
        other->grid != grid)
      continue;
    if (h->pairs.count == max)
      return false;
    spatial_pair_t pair = e->number < other->number ? (spatial_pair_t){e->number, other->number}
                                                    : (spatial_pair_t){other->number, e->number};
    array_push(h->allocator, &h->pairs, pair);
  }
  return true;
}

static bool pair_with_cell(spatial_hash_t *h, const spatial_entry_t *e, uint32_t grid, int32_t cell_x, int32_t cell_y,
                           uint32_t max) {
  uint32_t bucket = bucket_index(h, grid, cell_x, cell_y);
  return pair_with_entries(h, e, h->starts.items[bucket], h->starts.items[bucket + 1], grid, cell_x, cell_y, max);
}

// Pairs an entry with entries of its own grid. Items are no larger than the cells of their grid, so items that overlap
// are in the same or in neighbouring cells. Each pair of neighbours is tested once, from the left or upper cell.
static bool pair_in_grid(spatial_hash_t *h, uint32_t index, uint32_t max) {
  const spatial_entry_t *e = &h->entries.items[index];
  int32_t x = e->cell_x, y = e->cell_y;
  uint32_t end = h->starts.items[bucket_index(h, e->grid, x, y) + 1];
  return pair_with_entries(h, e, index + 1, end, e->grid, x, y, max) && pair_with_cell(h, e, e->grid, x + 1, y, max) &&
         pair_with_cell(h, e, e->grid, x - 1, y + 1, max) && pair_with_cell(h, e, e->grid, x, y + 1, max) &&
         pair_with_cell(h, e, e->grid, x + 1, y + 1, max);
}

// Pairs `e` with items of another grid whose centres are close enough for an overlap.
static bool pair_with_grid(spatial_hash_t *h, const spatial_entry_t *e, uint32_t number, const grid_t *grid,
                           uint32_t max) {
  const double SLACK = 1.000001; // spatial_items_overlap compares rounded floats
  double x = (double)e->item.x, reach_x = ((double)e->item.half_x + (double)grid->half_x) * SLACK;
  double y = (double)e->item.y, reach_y = ((double)e->item.half_y + (double)grid->half_y) * SLACK;
  int32_t last_x = cell_coordinate(x + reach_x, grid), last_y = cell_coordinate(y + reach_y, grid);
  for (int32_t cell_y = cell_coordinate(y - reach_y, grid); cell_y <= last_y; ++cell_y) {
    for (int32_t cell_x = cell_coordinate(x - reach_x, grid); cell_x <= last_x; ++cell_x) {
      if (!pair_with_cell(h, e, number, cell_x, cell_y, max))
        return false;
    }
  }
  return true;
}

static bool pair_with_other_grids(spatial_hash_t *h, const spatial_entry_t *e, const grids_t *g, uint32_t max) {
  for (uint32_t word = 0; word < GRID_WORDS; ++word)
    for (uint64_t left = g->grid[e->grid].searched_grids[word]; left != 0; left &= left - 1) {
      uint32_t other = word * 64 + (uint32_t)__builtin_ctzll(left);
      if (!pair_with_grid(h, e, other, &g->grid[other], max))
        return false;
    }
  return true;
}

bool spatial_hash_collect_pairs(spatial_hash_t *h, const spatial_item_t *items, uint32_t count, uint32_t max) {
  grids_t grids;
  h->pairs.count = 0;
  reserve_entries(h, count);
  bool fits = choose_grids(h, &grids, items, count, CLASS_MAX) || choose_grids(h, &grids, items, count, 1);
  shoal_assert(fits, "the levels of one class require more than %d grids", GRID_MAX);
  (void)fits;
  sort_into_buckets(h, &grids, items, count);
  choose_search_directions(&grids);
  for (uint32_t i = 0; i < count; ++i) {
    const spatial_entry_t *e = &h->entries.items[i];
    const grid_t *own = &grids.grid[e->grid];
    if ((can_collide(&grids, own, own) && !pair_in_grid(h, i, max)) || !pair_with_other_grids(h, e, &grids, max))
      return false;
  }
  return true;
}

// Stores the extent of a cell along one axis. Cell 0 extends on both sides of zero (cell_coordinate).
static void compute_extent(int32_t cell, double size, double *start, double *length) {
  *start = cell > 0 ? cell * size : (cell - 1) * size;
  *length = cell == 0 ? 2 * size : size;
}

spatial_cell_t spatial_hash_cell(const spatial_hash_t *h, uint32_t item) {
  shoal_assert(item < h->positions.count, "item %u is out of range (count %u)", item, h->positions.count);
  const spatial_position_t *p = &h->positions.items[item];
  spatial_cell_t cell = {.level = (int)p->level + LEVEL_LOW, .cell_x = p->cell_x, .cell_y = p->cell_y};
  double size = ldexp(1, STEP_BITS * cell.level);
  compute_extent(cell.cell_x, size, &cell.left, &cell.width);
  compute_extent(cell.cell_y, size, &cell.top, &cell.height);
  return cell;
}
