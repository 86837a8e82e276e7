// Counting sort of boxes into the cells of several grids, then tests of boxes in the same and in neighbouring cells.
// Stores no data between calls.
#include "collision/spatial_hash.h"

#include "base/assert.h"
#include "collision/grid_cells.h"

#include <math.h>
#include <string.h>

// Cell sizes are 2^(STEP_BITS × level) pixels: 1/64 at MIN_LEVEL, and more than the largest float at MAX_LEVEL.
enum { STEP_BITS = 2, MIN_LEVEL = -3, MAX_LEVEL = 65, LEVEL_COUNT = MAX_LEVEL - MIN_LEVEL + 1 };

// Boxes with the same category and mask have separate grids, so that boxes that never meet are not compared. If there
// are more than MAX_CLASSES such classes, the last class contains all remaining boxes.
enum { MAX_CLASSES = 16, GRID_WORDS = 2, MAX_GRIDS = GRID_WORDS * 64 };
_Static_assert((int)MAX_GRIDS >= (int)LEVEL_COUNT, "MAX_GRIDS must allow one class a grid for each level");

enum { PREFETCH_DISTANCE = 16 }; // number of items

typedef struct class_t {
  uint32_t category, mask; // bitwise OR of the items' values
} class_t;

// The grid for one level of one class.
typedef struct grid_t {
  double cells_per_pixel;
  float half_x, half_y; // maximum half extents of the level's items
  uint32_t class, level, count;
  uint64_t searched_grids[GRID_WORDS]; // bit set of the other grids that the grid's items search
} grid_t;

typedef struct grids_t {
  uint32_t count, class_count;
  class_t class[MAX_CLASSES];
  grid_t grid[MAX_GRIDS];                          // grids, sorted by class, then by cell size
  uint8_t grid_by_level[MAX_CLASSES][LEVEL_COUNT]; // index of the grid, indexed by class and level - MIN_LEVEL
} grids_t;

void spatial_hash_init(spatial_hash_t *h, allocator_t *a) {
  *h = (spatial_hash_t){.allocator = a};
}

void spatial_hash_fini(spatial_hash_t *h) {
  array_free(h->allocator, &h->pairs);
  array_free(h->allocator, &h->entries);
  array_free(h->allocator, &h->positions);
  array_free(h->allocator, &h->bucket_starts);
}

// Returns the lowest level whose cells are at least as large as the item, counted from MIN_LEVEL.
static uint32_t find_item_level(const spatial_item_t *item) {
  float half_extent = item->half_x > item->half_y ? item->half_x : item->half_y;
  if (half_extent == 0)
    return 0;
  double size = 2.0 * (double)half_extent; // a normal double, even if `half_extent` is a denormal float
  int bits = grid_size_exponent(size);
  int level = bits <= STEP_BITS * MIN_LEVEL ? MIN_LEVEL
                                            : (bits - STEP_BITS * MIN_LEVEL + STEP_BITS - 1) / STEP_BITS + MIN_LEVEL;
  shoal_assert(half_extent > 0 && level < MAX_LEVEL + 1, "invalid half size %g of a box", (double)half_extent);
  return (uint32_t)(level - MIN_LEVEL);
}

static uint32_t find_or_add_class(grids_t *grids, const spatial_item_t *item, uint32_t max_classes) {
  for (uint32_t i = 0; i < grids->class_count; ++i)
    if (grids->class[i].category == item->category && grids->class[i].mask == item->mask)
      return i;
  if (grids->class_count < max_classes)
    grids->class[grids->class_count++] = (class_t){0, 0};
  class_t *last_class = &grids->class[grids->class_count - 1];
  last_class->category |= item->category;
  last_class->mask |= item->mask;
  return grids->class_count - 1;
}

// Assigns a class and a level to each item, and adds a grid for each level of a class that has items. Returns true on
// success, or false if more than MAX_GRIDS grids would be needed.
static bool choose_grids(spatial_hash_t *h, grids_t *grids, const spatial_item_t *items, uint32_t count,
                         uint32_t classes) {
  uint32_t counts[MAX_CLASSES][LEVEL_COUNT] = {{0}};
  grids->count = grids->class_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    spatial_position_t *position = &h->positions.items[i];
    position->class = (uint16_t)find_or_add_class(grids, &items[i], classes);
    position->level = (uint16_t)find_item_level(&items[i]);
    ++counts[position->class][position->level];
  }
  for (uint32_t class = 0; class < grids->class_count; ++class) {
    grid_merge_levels(counts[class], LEVEL_COUNT);
    for (uint32_t level = 0; level < LEVEL_COUNT; ++level) {
      grids->grid_by_level[class][level] = (uint8_t)grids->count;
      if (counts[class][level] == 0)
        continue;
      if (grids->count == MAX_GRIDS)
        return false;
      grids->grid[grids->count++] = (grid_t){.cells_per_pixel = ldexp(1, -STEP_BITS * ((int)level + MIN_LEVEL)),
                                             .class = class,
                                             .level = level,
                                             .count = counts[class][level]};
    }
  }
  return true;
}

static bool can_collide(const grids_t *g, const grid_t *a, const grid_t *b) {
  const class_t *class_a = &g->class[a->class], *class_b = &g->class[b->class];
  return (class_a->category & class_b->mask) != 0 && (class_b->category & class_a->mask) != 0;
}

// Estimates the number of cells in `target` that the items of `source` must search.
static double estimate_search_cost(const grid_t *source, const grid_t *target) {
  double width = 2 * ((double)source->half_x + (double)target->half_x) * target->cells_per_pixel + 2;
  double height = 2 * ((double)source->half_y + (double)target->half_y) * target->cells_per_pixel + 2;
  return width * height * source->count;
}

// For each pair of grids that may meet, selects the cheaper direction of search: for example, 200 ships search the
// cells of 30,000 bullets, not vice versa.
static void choose_search_directions(grids_t *grids) {
  for (uint32_t i = 0; i < grids->count; ++i)
    for (uint32_t k = i + 1; k < grids->count; ++k) {
      grid_t *a = &grids->grid[i], *b = &grids->grid[k];
      if (!can_collide(grids, a, b))
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
  return grid_bucket(grid, cell_x, cell_y, h->bucket_starts.count - 2);
}

static void reserve_entries(spatial_hash_t *h, uint32_t count) {
  uint32_t bucket_count = 16;
  while (bucket_count < count * 2)
    bucket_count *= 2;
  array_reserve(h->allocator, &h->bucket_starts, bucket_count + 1);
  array_reserve(h->allocator, &h->positions, count);
  array_reserve(h->allocator, &h->entries, count);
  h->bucket_starts.count = bucket_count + 1;
  h->positions.count = h->entries.count = count;
  memset(h->bucket_starts.items, 0, (bucket_count + 1) * sizeof *h->bucket_starts.items);
}

// Sorts the items into `entries` by bucket, in their original order within a bucket.
static void sort_into_buckets(spatial_hash_t *h, grids_t *grids, const spatial_item_t *items, uint32_t count) {
  uint32_t *bucket_starts = h->bucket_starts.items;
  for (uint32_t i = 0; i < count; ++i) {
    spatial_position_t *position = &h->positions.items[i];
    uint32_t grid_index = grids->grid_by_level[position->class][position->level];
    grid_t *grid = &grids->grid[grid_index];
    grid->half_x = items[i].half_x > grid->half_x ? items[i].half_x : grid->half_x;
    grid->half_y = items[i].half_y > grid->half_y ? items[i].half_y : grid->half_y;
    position->level = (uint16_t)grid->level;
    position->cell_x = cell_coordinate((double)items[i].x, grid);
    position->cell_y = cell_coordinate((double)items[i].y, grid);
    position->grid = grid_index;
    position->bucket = bucket_index(h, grid_index, position->cell_x, position->cell_y);
    ++bucket_starts[position->bucket];
  }
  for (uint32_t bucket = 1; bucket < h->bucket_starts.count; ++bucket)
    bucket_starts[bucket] += bucket_starts[bucket - 1];
  shoal_assert(bucket_starts[h->bucket_starts.count - 1] == count, "only %u of %u items have a bucket",
               bucket_starts[h->bucket_starts.count - 1], count);
  // Iterates backwards, because starts[b] moves from the end of its bucket to its start. Neighbours in `items` have
  // scattered buckets, so the entry of a later iteration is prefetched.
  const spatial_position_t *positions = h->positions.items;
  spatial_entry_t *entries = h->entries.items;
  for (uint32_t i = count; i-- > 0;) {
    const spatial_position_t *position = &positions[i];
    if (i >= PREFETCH_DISTANCE)
      __builtin_prefetch(&entries[bucket_starts[positions[i - PREFETCH_DISTANCE].bucket] - 1], 1);
    entries[--bucket_starts[position->bucket]] =
        (spatial_entry_t){items[i], position->cell_x, position->cell_y, position->grid, i};
  }
}

// Consecutive cells in a row of a grid.
typedef struct cell_run_t {
  uint32_t grid;
  int32_t first_x, last_x, y;
} cell_run_t;

static bool is_in_cells(const spatial_entry_t *entry, cell_run_t cells) {
  return entry->cell_y == cells.y && entry->grid == cells.grid && entry->cell_x >= cells.first_x &&
         entry->cell_x <= cells.last_x;
}

// Compares without branches, which would be mispredicted: most neighbours overlap along one axis only.
static bool boxes_overlap(const spatial_item_t *a, const spatial_item_t *b) {
  return (fabsf(a->x - b->x) < a->half_x + b->half_x) & (fabsf(a->y - b->y) < a->half_y + b->half_y);
}

// Pairs `entry` with the entries from `first` up to `end` that are in these cells; the buckets may also contain entries
// of other cells. Returns true on success, or false if a pair would exceed the limit of `max` pairs.
static bool pair_with_entries(spatial_hash_t *h, const spatial_entry_t *entry, uint32_t first, uint32_t end,
                              cell_run_t cells, uint32_t max) {
  const spatial_entry_t *entries = h->entries.items;
  const spatial_item_t item = entry->item;
  for (uint32_t i = first; i < end; ++i) {
    const spatial_entry_t *candidate = &entries[i];
    if (!boxes_overlap(&item, &candidate->item) || !is_in_cells(candidate, cells) ||
        !spatial_items_overlap(&item, &candidate->item))
      continue;
    if (h->pairs.count == max)
      return false;
    spatial_pair_t pair = entry->item_index < candidate->item_index
                              ? (spatial_pair_t){entry->item_index, candidate->item_index}
                              : (spatial_pair_t){candidate->item_index, entry->item_index};
    array_push(h->allocator, &h->pairs, pair);
  }
  return true;
}

// Returns true if the buckets of these cells are consecutive: they do not wrap around at the last bucket.
static bool has_consecutive_buckets(const spatial_hash_t *h, cell_run_t cells, uint32_t first_bucket) {
  return (uint32_t)(cells.last_x - cells.first_x) < h->bucket_starts.count - 1 - first_bucket;
}

static bool pair_with_cells(spatial_hash_t *h, const spatial_entry_t *entry, cell_run_t cells, uint32_t max) {
  const uint32_t *starts = h->bucket_starts.items;
  uint32_t bucket = bucket_index(h, cells.grid, cells.first_x, cells.y);
  if (has_consecutive_buckets(h, cells, bucket))
    return pair_with_entries(h, entry, starts[bucket], starts[bucket + (uint32_t)(cells.last_x - cells.first_x) + 1],
                             cells, max);
  for (int32_t x = cells.first_x; x <= cells.last_x; ++x) {
    bucket = bucket_index(h, cells.grid, x, cells.y);
    if (!pair_with_entries(h, entry, starts[bucket], starts[bucket + 1], (cell_run_t){cells.grid, x, x, cells.y}, max))
      return false;
  }
  return true;
}

// Pairs an entry with the following entries of its cell and with the entries of the cell to the right.
static bool pair_in_row(spatial_hash_t *h, uint32_t index, uint32_t max) {
  const spatial_entry_t *entry = &h->entries.items[index];
  const uint32_t *starts = h->bucket_starts.items;
  cell_run_t cells = {entry->grid, entry->cell_x, entry->cell_x + 1, entry->cell_y}, own_cell = cells;
  uint32_t bucket = bucket_index(h, entry->grid, entry->cell_x, entry->cell_y);
  if (has_consecutive_buckets(h, cells, bucket))
    return pair_with_entries(h, entry, index + 1, starts[bucket + 2], cells, max);
  own_cell.last_x = own_cell.first_x;
  cells.first_x = cells.last_x;
  return pair_with_entries(h, entry, index + 1, starts[bucket + 1], own_cell, max) &&
         pair_with_cells(h, entry, cells, max);
}

// Pairs an entry with entries of its own grid. Items are no larger than the cells of their grid, so items that overlap
// are in the same or in neighbouring cells. Each pair of neighbours is tested once, from the left or upper cell.
// Returns false if a pair would exceed the limit of `max` pairs, otherwise true.
static bool pair_in_grid(spatial_hash_t *h, uint32_t index, uint32_t max) {
  const spatial_entry_t *entry = &h->entries.items[index];
  cell_run_t next_row = {entry->grid, entry->cell_x - 1, entry->cell_x + 1, entry->cell_y + 1};
  return pair_in_row(h, index, max) && pair_with_cells(h, entry, next_row, max);
}

// Pairs `entry` with items of a different grid whose centres are close enough for an overlap. Returns false if a pair
// would exceed the limit of `max` pairs, otherwise true.
static bool pair_with_grid(spatial_hash_t *h, const spatial_entry_t *entry, uint32_t grid_index, const grid_t *grid,
                           uint32_t max) {
  const double SLACK = 1.000001; // factor for rounding: spatial_items_overlap compares rounded floats
  double x = (double)entry->item.x, reach_x = ((double)entry->item.half_x + (double)grid->half_x) * SLACK;
  double y = (double)entry->item.y, reach_y = ((double)entry->item.half_y + (double)grid->half_y) * SLACK;
  int32_t last_y = cell_coordinate(y + reach_y, grid);
  cell_run_t cells = {grid_index, cell_coordinate(x - reach_x, grid), cell_coordinate(x + reach_x, grid),
                      cell_coordinate(y - reach_y, grid)};
  for (; cells.y <= last_y; ++cells.y)
    if (!pair_with_cells(h, entry, cells, max))
      return false;
  return true;
}

static bool pair_with_other_grids(spatial_hash_t *h, const spatial_entry_t *entry, const grids_t *grids, uint32_t max) {
  for (uint32_t word = 0; word < GRID_WORDS; ++word)
    for (uint64_t remaining = grids->grid[entry->grid].searched_grids[word]; remaining != 0;
         remaining &= remaining - 1) {
      uint32_t other_grid = word * 64 + (uint32_t)__builtin_ctzll(remaining);
      if (!pair_with_grid(h, entry, other_grid, &grids->grid[other_grid], max))
        return false;
    }
  return true;
}

bool spatial_hash_collect_pairs(spatial_hash_t *h, const spatial_item_t *items, uint32_t count, uint32_t max) {
  grids_t grids;
  h->pairs.count = 0;
  reserve_entries(h, count);
  bool fits = choose_grids(h, &grids, items, count, MAX_CLASSES) || choose_grids(h, &grids, items, count, 1);
  shoal_assert(fits, "the levels of one class require more than %d grids", MAX_GRIDS);
  (void)fits;
  sort_into_buckets(h, &grids, items, count);
  choose_search_directions(&grids);
  for (uint32_t i = 0; i < count; ++i) {
    const spatial_entry_t *entry = &h->entries.items[i];
    const grid_t *own_grid = &grids.grid[entry->grid];
    if ((can_collide(&grids, own_grid, own_grid) && !pair_in_grid(h, i, max)) ||
        !pair_with_other_grids(h, entry, &grids, max))
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
  spatial_cell_t cell = {.level = (int)p->level + MIN_LEVEL, .cell_x = p->cell_x, .cell_y = p->cell_y};
  double size = ldexp(1, STEP_BITS * cell.level);
  compute_extent(cell.cell_x, size, &cell.left, &cell.width);
  compute_extent(cell.cell_y, size, &cell.top, &cell.height);
  return cell;
}
