// Hash grids. A box is in the cell of its centre, so a search visits the cells in the area enlarged by the largest half
// extents of the level. The boxes are stored sorted by the bucket of their cell; a box that moves afterwards is kept in
// a chain of its bucket until the grids are rebuilt.
#include "collision/box_grid.h"

#include "base/assert.h"
#include "collision/box_search.h"
#include "collision/grid_cells.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Each level's cells are four times as large as the cells of the previous level.
enum { STEP_BITS = 2, MIN_EXPONENT = -6, MAX_EXPONENT = 30 };

enum { SAMPLES = 64, BOXES_PER_CELL = 2 };

void box_grid_init(box_grid_t *g, allocator_t *a) {
  *g = (box_grid_t){.allocator = a};
}

void box_grid_fini(box_grid_t *g) {
  array_free(g->allocator, &g->entries);
  array_free(g->allocator, &g->sorted);
  array_free(g->allocator, &g->bucket_starts);
  array_free(g->allocator, &g->chain_heads);
}

static bool is_finite_box(const box_t *b) {
  return isfinite(b->x) && isfinite(b->y) && isfinite(b->half_x) && isfinite(b->half_y);
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
  uint32_t trim = count / 10;
  return (double)sample[count - 1 - trim] - (double)sample[trim];
}

// Returns the exponent of the smallest cell size, chosen by the density of a sample of the boxes.
static int choose_min_exponent(const box_grid_t *grid) {
  float x[SAMPLES], y[SAMPLES];
  uint32_t count = grid->entries.count, step = count / SAMPLES + 1, samples = 0, visited = 0;
  for (uint32_t i = 0; i < count; i += step, ++visited)
    if (grid->entries.items[i].level != BOX_ABSENT) {
      x[samples] = grid->entries.items[i].box.x;
      y[samples++] = grid->entries.items[i].box.y;
    }
  if (samples == 0)
    return MIN_EXPONENT;
  double width = find_middle_extent(x, samples), height = find_middle_extent(y, samples);
  double max_extent = width > height ? width : height, present_count = (double)count * samples / visited;
  double area = fmax(width, max_extent * 0.01) * fmax(height, max_extent * 0.01);
  double cell = sqrt(area * BOXES_PER_CELL / 0.64 / present_count);
  int exponent = cell > 0 && cell < 1e30 ? grid_size_exponent(cell * M_SQRT1_2) : MIN_EXPONENT;
  return exponent < MIN_EXPONENT ? MIN_EXPONENT : exponent > MAX_EXPONENT ? MAX_EXPONENT : exponent;
}

// Returns the index of a box's size in `level_of_size`, or BOX_LOOSE if the box is too large for any level.
static uint32_t get_size_index(const box_grid_t *g, const box_t *box) {
  float half_extent = box->half_x > box->half_y ? box->half_x : box->half_y;
  int exponent = half_extent > 0 ? grid_size_exponent(2.0 * (double)half_extent) - g->min_exponent : 0;
  uint32_t size = exponent > 0 ? (uint32_t)(exponent + STEP_BITS - 1) / STEP_BITS : 0;
  return size < BOX_MAX_LEVELS ? size : BOX_LOOSE;
}

static void choose_levels(box_grid_t *grid) {
  uint32_t counts[BOX_MAX_LEVELS + 1] = {0};
  grid->min_exponent = choose_min_exponent(grid);
  for (uint32_t i = 0; i < grid->entries.count; ++i)
    if (grid->entries.items[i].level != BOX_ABSENT)
      ++counts[get_size_index(grid, &grid->entries.items[i].box)];
  grid_merge_levels(counts, BOX_MAX_LEVELS);
  grid->level_count = 0;
  for (uint32_t size = 0, next_size = 0; size < BOX_MAX_LEVELS; ++size) {
    if (counts[size] == 0)
      continue;
    for (; next_size <= size; ++next_size)
      grid->level_of_size[next_size] = (uint8_t)grid->level_count;
    grid->levels[grid->level_count++] =
        (box_level_t){.cells_per_pixel = ldexp(1, -(grid->min_exponent + STEP_BITS * (int)size)),
                      .first_x = INT32_MAX,
                      .last_x = INT32_MIN,
                      .first_y = INT32_MAX,
                      .last_y = INT32_MIN};
    memset(&grid->level_of_size[next_size], BOX_LOOSE, BOX_MAX_LEVELS - next_size);
  }
  if (grid->level_count == 0)
    memset(grid->level_of_size, BOX_LOOSE, sizeof grid->level_of_size);
}

static uint32_t find_bucket(const box_grid_t *g, const box_entry_t *e) {
  return grid_bucket(e->level, e->cell_x, e->cell_y, g->chain_heads.count - 1);
}

static uint32_t *find_chain(box_grid_t *g, const box_entry_t *e) {
  return e->level == BOX_LOOSE ? &g->loose_head : &g->chain_heads.items[find_bucket(g, e)];
}

static void enlarge_level(box_level_t *level, const box_entry_t *e) {
  level->half_x = e->box.half_x > level->half_x ? e->box.half_x : level->half_x;
  level->half_y = e->box.half_y > level->half_y ? e->box.half_y : level->half_y;
  level->first_x = e->cell_x < level->first_x ? e->cell_x : level->first_x;
  level->first_y = e->cell_y < level->first_y ? e->cell_y : level->first_y;
  level->last_x = e->cell_x > level->last_x ? e->cell_x : level->last_x;
  level->last_y = e->cell_y > level->last_y ? e->cell_y : level->last_y;
}

// Computes the level and the cell of a box that is present. A box that is too large for all levels has no cell.
static void update_entry_cell(box_grid_t *grid, box_entry_t *entry) {
  uint32_t size = get_size_index(grid, &entry->box);
  entry->level = size == BOX_LOOSE ? BOX_LOOSE : grid->level_of_size[size];
  entry->slot = BOX_CHAINED;
  if (entry->level == BOX_LOOSE)
    return;
  box_level_t *level = &grid->levels[entry->level];
  entry->cell_x = grid_cell((double)entry->box.x, level->cells_per_pixel);
  entry->cell_y = grid_cell((double)entry->box.y, level->cells_per_pixel);
  enlarge_level(level, entry);
}

static void link_entry(box_grid_t *g, uint32_t i) {
  box_entry_t *e = &g->entries.items[i];
  uint32_t *head = find_chain(g, e);
  *(e->level == BOX_LOOSE ? &g->loose_count : &g->chained_count) += 1;
  e->next = *head;
  *head = i + 1;
}

// Removes a box from the sorted boxes or from its chain, if the grids are built.
static void unlink_entry(box_grid_t *grid, uint32_t i) {
  box_entry_t *entry = &grid->entries.items[i];
  if (!box_grid_is_built(grid))
    return;
  if (entry->slot != BOX_CHAINED) {
    grid->sorted.items[entry->slot].level = BOX_ABSENT;
    return;
  }
  uint32_t *link = find_chain(grid, entry);
  while (*link != i + 1) {
    shoal_assert(*link != 0, "box %u is not in the chain of its bucket", i);
    link = &grid->entries.items[*link - 1].next;
  }
  *link = entry->next;
  *(entry->level == BOX_LOOSE ? &grid->loose_count : &grid->chained_count) -= 1;
}

void box_grid_resize(box_grid_t *grid, uint32_t count) {
  for (uint32_t i = count; i < grid->entries.count; ++i)
    if (grid->entries.items[i].level != BOX_ABSENT)
      unlink_entry(grid, i);
  array_reserve(grid->allocator, &grid->entries, count);
  for (uint32_t i = grid->entries.count; i < count; ++i)
    grid->entries.items[i] = (box_entry_t){.level = BOX_ABSENT};
  grid->entries.count = count;
}

void box_grid_set(box_grid_t *g, uint32_t i, const box_t *box) {
  shoal_assert(i < g->entries.count, "box %u is out of range (count %u)", i, g->entries.count);
  box_entry_t *e = &g->entries.items[i];
  e->level = box && is_finite_box(box) ? BOX_LOOSE : BOX_ABSENT;
  if (e->level != BOX_ABSENT) {
    e->box = *box;
    g->categories |= box->category;
  }
}

void box_grid_discard(box_grid_t *g) {
  g->chain_heads.count = 0;
}

// Empties the table of buckets and all chains, and sets the table's size to a power of two that is at least the number
// of boxes.
static void reset_buckets(box_grid_t *grid) {
  uint32_t buckets = 16;
  while (buckets < grid->entries.count)
    buckets *= 2;
  array_reserve(grid->allocator, &grid->chain_heads, buckets);
  array_reserve(grid->allocator, &grid->bucket_starts, buckets + 1);
  grid->chain_heads.count = buckets;
  grid->bucket_starts.count = buckets + 1;
  memset(grid->chain_heads.items, 0, buckets * sizeof *grid->chain_heads.items);
  memset(grid->bucket_starts.items, 0, (buckets + 1) * sizeof *grid->bucket_starts.items);
  grid->loose_head = grid->loose_count = grid->chained_count = grid->move_count = 0;
}

void box_grid_build(box_grid_t *grid) {
  box_entry_t *entries = grid->entries.items;
  uint32_t *bucket_starts, count = 0;
  reset_buckets(grid);
  grid->categories = 0;
  bucket_starts = grid->bucket_starts.items;
  choose_levels(grid);
  for (uint32_t i = grid->entries.count; i-- > 0;) {
    if (entries[i].level == BOX_ABSENT)
      continue;
    update_entry_cell(grid, &entries[i]);
    grid->categories |= entries[i].box.category;
    if (entries[i].level == BOX_LOOSE)
      link_entry(grid, i);
    else
      ++bucket_starts[find_bucket(grid, &entries[i])];
  }
  for (uint32_t bucket = 0; bucket < grid->bucket_starts.count; ++bucket) // sets each start to the end of its bucket
    bucket_starts[bucket] = count += bucket_starts[bucket];
  array_reserve(grid->allocator, &grid->sorted, count);
  grid->sorted.count = count;
  for (uint32_t i = grid->entries.count; i-- > 0;) { // moves each start down to the first box of its bucket
    box_entry_t *entry = &entries[i];
    if (entry->level >= BOX_LOOSE)
      continue;
    entry->slot = --bucket_starts[find_bucket(grid, entry)];
    grid->sorted.items[entry->slot] = (sorted_box_t){entry->box, entry->cell_y, entry->level, i};
  }
}

void box_grid_move(box_grid_t *grid, uint32_t i, const box_t *box) {
  shoal_assert(i < grid->entries.count, "box %u is out of range (count %u)", i, grid->entries.count);
  if (grid->entries.items[i].level != BOX_ABSENT)
    unlink_entry(grid, i);
  box_grid_set(grid, i, box);
  if (box_grid_is_built(grid) && grid->entries.items[i].level != BOX_ABSENT) {
    update_entry_cell(grid, &grid->entries.items[i]);
    link_entry(grid, i);
  }
  ++grid->move_count;
}

bool box_grid_needs_rebuild(const box_grid_t *g) {
  enum { MAX_LOOSE = 16 };
  return !box_grid_is_built(g) || g->chain_heads.count * 2 < g->entries.count || g->move_count > g->entries.count ||
         g->loose_count > MAX_LOOSE;
}

double box_grid_cell_size(const box_grid_t *g) {
  return g->level_count > 0 ? 1 / g->levels[0].cells_per_pixel : 1;
}

// --- searching

typedef struct collection_t {
  allocator_t *allocator;
  box_indices_t *out;
} collection_t;

static void add_box(void *data, uint32_t box, const box_t *bounds) {
  const collection_t *c = data;
  (void)bounds;
  array_push(c->allocator, c->out, box);
}

bool box_grid_collect(const box_grid_t *g, const bounds_t *area, uint32_t mask, box_indices_t *out) {
  collection_t c = {g->allocator, out};
  return (mask & g->categories) != 0 && box_grid_visit(g, area, mask, add_box, &c);
}
