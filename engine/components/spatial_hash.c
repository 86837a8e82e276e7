// Sorts boxes into cells by counting, level by level, and tests those that share one. Nothing is kept between
// questions.
#include "components/spatial_hash.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// Cell sizes are 2^(STEP_BITS × level). LEVEL_LOW is a hundredth of a pixel, LEVEL_HIGH more than the largest float.
enum { STEP_BITS = 2, LEVEL_LOW = -3, LEVEL_HIGH = 65, LEVEL_COUNT = LEVEL_HIGH - LEVEL_LOW + 1 };

// A level that holds less than this part of the next one's items is not worth the lookups of everyone below.
enum { LEVEL_WORTH = 8 };

// A level that is in use.
typedef struct grid_t {
  double cells_per_pixel;
  float half_x, half_y; // the largest halves in it
} grid_t;

typedef struct grids_t {
  uint32_t count;
  grid_t grid[LEVEL_COUNT];      // by rising cell size
  uint8_t of_level[LEVEL_COUNT]; // level - LEVEL_LOW → number of the grid
} grids_t;

void spatial_hash_init(spatial_hash_t *h, allocator_t *a) {
  *h = (spatial_hash_t){.allocator = a};
}

void spatial_hash_fini(spatial_hash_t *h) {
  array_free(h->allocator, &h->pairs);
  array_free(h->allocator, &h->entries);
  array_free(h->allocator, &h->unsorted);
  array_free(h->allocator, &h->starts);
}

// The lowest level whose cells are at least as large as the item, from 0 for LEVEL_LOW.
static uint32_t level_of(const spatial_item_t *item) {
  float half = item->half_x > item->half_y ? item->half_x : item->half_y;
  if (half == 0)
    return 0;
  int bits;
  if (frexp(2.0 * (double)half, &bits) == 0.5)
    --bits; // a power of two fits its own cell
  int level = bits <= STEP_BITS * LEVEL_LOW ? LEVEL_LOW
                                            : (bits - STEP_BITS * LEVEL_LOW + STEP_BITS - 1) / STEP_BITS + LEVEL_LOW;
  return (uint32_t)(level - LEVEL_LOW);
}

static void choose_grids(grids_t *g, const spatial_item_t *items, uint32_t count) {
  uint32_t counts[LEVEL_COUNT] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++counts[level_of(&items[i])];
  // Thinly used levels move up into the next one in use, where the cells are large enough all the more.
  uint32_t last = LEVEL_COUNT;
  for (uint32_t level = 0; level < LEVEL_COUNT; ++level) {
    if (counts[level] == 0)
      continue;
    if (last < LEVEL_COUNT && counts[last] < counts[level] / LEVEL_WORTH) {
      counts[level] += counts[last];
      counts[last] = 0;
    }
    last = level;
  }
  g->count = 0;
  for (uint32_t level = 0; level < LEVEL_COUNT; ++level) {
    g->of_level[level] = (uint8_t)g->count;
    if (counts[level] != 0)
      g->grid[g->count++] = (grid_t){.cells_per_pixel = ldexp(1, -STEP_BITS * ((int)level + LEVEL_LOW))};
  }
}

// Cells at the end of the numbers hold all that lies beyond, and cell 0 is twice as wide, for it is rounded to from
// both sides. Neighbours stay neighbours all the same, so that nothing is missed.
static int32_t cell_of(double position, const grid_t *grid) {
  const double LAST = 1 << 29;
  double cell = position * grid->cells_per_pixel;
  return (int32_t)(cell > -LAST ? cell < LAST ? cell : LAST : -LAST);
}

// Cells of a row lie side by side.
static uint32_t bucket_of(const spatial_hash_t *h, uint32_t grid, int32_t cell_x, int32_t cell_y) {
  uint32_t mask = h->starts.count - 2;
  return ((uint32_t)cell_x + (uint32_t)cell_y * 0x9e3779b1u + grid * 0x85ebca6bu) & mask;
}

static uint32_t bucket_of_entry(const spatial_hash_t *h, const spatial_entry_t *e) {
  return bucket_of(h, e->grid, e->cell_x, e->cell_y);
}

static void reserve(spatial_hash_t *h, uint32_t count) {
  uint32_t bucket_count = 16;
  while (bucket_count < count * 2)
    bucket_count *= 2;
  array_reserve(h->allocator, &h->starts, bucket_count + 1);
  array_reserve(h->allocator, &h->unsorted, count);
  array_reserve(h->allocator, &h->entries, count);
  h->starts.count = bucket_count + 1;
  h->unsorted.count = h->entries.count = count;
  memset(h->starts.items, 0, (bucket_count + 1) * sizeof *h->starts.items);
}

// Sorts the items into `entries` by bucket, those of a bucket in the order of the items.
static void fill(spatial_hash_t *h, grids_t *grids, const spatial_item_t *items, uint32_t count) {
  reserve(h, count);
  uint32_t *starts = h->starts.items;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = grids->of_level[level_of(&items[i])];
    grid_t *grid = &grids->grid[number];
    grid->half_x = fmaxf(grid->half_x, items[i].half_x);
    grid->half_y = fmaxf(grid->half_y, items[i].half_y);
    h->unsorted.items[i] = (spatial_entry_t){.item = items[i],
                                             .cell_x = cell_of((double)items[i].x, grid),
                                             .cell_y = cell_of((double)items[i].y, grid),
                                             .grid = number,
                                             .number = i};
    ++starts[bucket_of_entry(h, &h->unsorted.items[i])];
  }
  for (uint32_t b = 1; b < h->starts.count; ++b)
    starts[b] += starts[b - 1];
  for (uint32_t i = count; i-- > 0;) // backwards: starts[b] goes from the end of its bucket to the front
    h->entries.items[--starts[bucket_of_entry(h, &h->unsorted.items[i])]] = h->unsorted.items[i];
}

// Pairs `e` with the entries from `first` to the end of the bucket that belong to this cell (others may share the
// bucket).
static bool pair_with(spatial_hash_t *h, const spatial_entry_t *e, uint32_t first, uint32_t end, uint32_t grid,
                      int32_t cell_x, int32_t cell_y, uint32_t max) {
  for (uint32_t i = first; i < end; ++i) {
    const spatial_entry_t *other = &h->entries.items[i];
    if (!spatial_overlap(&e->item, &other->item) || other->cell_x != cell_x || other->cell_y != cell_y ||
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
  uint32_t bucket = bucket_of(h, grid, cell_x, cell_y);
  return pair_with(h, e, h->starts.items[bucket], h->starts.items[bucket + 1], grid, cell_x, cell_y, max);
}

// Items of the same grid are no larger than its cells: those that overlap lie in neighbouring ones. Each two
// neighbours meet once, seen from the left or from above.
static bool pair_in_grid(spatial_hash_t *h, uint32_t index, uint32_t max) {
  const spatial_entry_t *e = &h->entries.items[index];
  int32_t x = e->cell_x, y = e->cell_y;
  uint32_t end = h->starts.items[bucket_of(h, e->grid, x, y) + 1];
  return pair_with(h, e, index + 1, end, e->grid, x, y, max) && pair_with_cell(h, e, e->grid, x + 1, y, max) &&
         pair_with_cell(h, e, e->grid, x - 1, y + 1, max) && pair_with_cell(h, e, e->grid, x, y + 1, max) &&
         pair_with_cell(h, e, e->grid, x + 1, y + 1, max);
}

// Items of a grid with larger cells: those whose centre lies near enough, at most three cells a side.
static bool pair_above(spatial_hash_t *h, const spatial_entry_t *e, uint32_t number, const grid_t *grid, uint32_t max) {
  const double SLACK = 1.000001; // the gate compares rounded floats
  double x = (double)e->item.x, reach_x = ((double)e->item.half_x + (double)grid->half_x) * SLACK;
  double y = (double)e->item.y, reach_y = ((double)e->item.half_y + (double)grid->half_y) * SLACK;
  int32_t last_x = cell_of(x + reach_x, grid), last_y = cell_of(y + reach_y, grid);
  for (int32_t cell_y = cell_of(y - reach_y, grid); cell_y <= last_y; ++cell_y) {
    for (int32_t cell_x = cell_of(x - reach_x, grid); cell_x <= last_x; ++cell_x) {
      if (!pair_with_cell(h, e, number, cell_x, cell_y, max))
        return false;
    }
  }
  return true;
}

bool spatial_hash_pairs(spatial_hash_t *h, const spatial_item_t *items, uint32_t count, uint32_t max) {
  grids_t grids;
  h->pairs.count = 0;
  choose_grids(&grids, items, count);
  fill(h, &grids, items, count);
  for (uint32_t i = 0; i < count; ++i) {
    if (!pair_in_grid(h, i, max))
      return false;
    const spatial_entry_t *e = &h->entries.items[i];
    for (uint32_t above = e->grid + 1; above < grids.count; ++above) {
      if (!pair_above(h, e, above, &grids.grid[above], max))
        return false;
    }
  }
  return true;
}
