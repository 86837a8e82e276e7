// Searches around each entity with `neighbours`. Searches are sorted by position, so that consecutive searches read the
// same boxes from the cache, and are divided among the workers. Results are stored in this order and then copied to the
// rows, which avoids writing columns at random.
#include "collision/neighbours.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/body_grid.h"
#include "collision/box_search.h"
#include "collision/collider.h"
#include "process/jobs.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define NEIGHBOURS_SYSTEM "shoal.neighbours"

enum { SLOTS = 8, SEARCHES_PER_JOB = 512 };

// The centre is computed from integers, whose sum does not depend on the order: offsets in units of 1/UNITS_PER_PX
// pixel, clamped to MAX_OFFSET pixels. The sum of a million such offsets fits 64 bits.
enum { UNITS_PER_PX = 1 << 16, MAX_OFFSET = 1 << 26 };

typedef struct search_t {
  double x, y, radius;
  uint32_t mask;
  uint32_t row; // row of the component `neighbours`
  shoal_entity self;
} search_t;

typedef struct result_t {
  uint32_t count;
  float centre_x, centre_y;
  shoal_entity entity[SLOTS];
  float distance[SLOTS];
} result_t;

struct neighbours_o {
  world_o *world;
  manager_o *manager;
  // Lists of searches, reused between ticks.
  ARRAY(search_t) unsorted;
  ARRAY(search_t) searches;
  ARRAY(result_t) results; // results, indexed by search
  ARRAY(uint32_t) starts;  // index of the first search, indexed by bucket
  body_boxes_t *boxes;     // boxes of the bodies; valid during neighbours_update
  neighbours_columns out;  // columns to write; valid during neighbours_update
};

neighbours_o *neighbours_create(world_o *w) {
  neighbours_o *n = alloc_resize(world_allocator(w), NULL, 0, sizeof *n);
  *n = (neighbours_o){.world = w, .manager = world_find_manager(w, "neighbours")};
  shoal_assert(n->manager, "neighbours must be declared");
  return n;
}

void neighbours_destroy(neighbours_o *n) {
  allocator_t *a = world_allocator(n->world);
  array_free(a, &n->unsorted);
  array_free(a, &n->searches);
  array_free(a, &n->results);
  array_free(a, &n->starts);
  alloc_resize(a, n, sizeof *n, 0);
}

// --- one search

typedef struct search_state_t {
  const search_t *search;
  const body_boxes_t *boxes;
  double limit; // squared distance beyond which points are outside, with a margin for rounding
  uint32_t count;
  int64_t sum_x, sum_y; // sum of the found entities' offsets from the position of the search, in 1/UNITS_PER_PX pixel
  uint32_t nearest_count;
  found_body_t nearest[SLOTS];
} search_state_t;

static int64_t to_units(double offset) {
  offset = offset > -MAX_OFFSET ? offset : -MAX_OFFSET; // faster than fmax, which compiles to a call
  return (int64_t)((offset < MAX_OFFSET ? offset : MAX_OFFSET) * UNITS_PER_PX);
}

static void add_entity(search_state_t *state, double dx, double dy, double distance, shoal_entity entity) {
  if (!(distance < state->search->radius) || entity == state->search->self)
    return;
  ++state->count;
  state->sum_x += to_units(dx);
  state->sum_y += to_units(dy);
  state->nearest_count =
      found_bodies_insert(state->nearest, state->nearest_count, SLOTS, (found_body_t){distance, entity});
}

// Tests one candidate. A box without extent is exactly a point, so its collider, which may not be in the cache, need
// not be read.
static void offer_candidate(void *data, uint32_t i, const box_t *box) {
  search_state_t *state = data;
  const collider_t *collider = &state->boxes->colliders[i];
  double x = state->search->x, y = state->search->y;
  if (box->half_x != 0 || box->half_y != 0) {
    add_entity(state, collider->x - x, collider->y - y, collider_distance(collider, x, y), collider->entity);
    return;
  }
  double dx = (double)box->x - x, dy = (double)box->y - y, squared = dx * dx + dy * dy;
  if (squared <= state->limit)
    add_entity(state, dx, dy, sqrt(squared), state->boxes->owners[i]);
}

static float compute_centre(double position, int64_t sum, uint32_t count) {
  return (float)(position + (double)sum / ((double)count * UNITS_PER_PX));
}

static void run_search(const body_boxes_t *boxes, const search_t *search, result_t *out) {
  search_state_t state = {.search = search, .limit = search->radius * search->radius * (1 + 1e-9)};
  bounds_t area = {search->x - search->radius, search->y - search->radius, search->x + search->radius,
                   search->y + search->radius};
  *out = (result_t){.centre_x = (float)search->x, .centre_y = (float)search->y};
  if (!isfinite(search->x) || !isfinite(search->y) || !(search->radius > 0))
    return;
  for (const body_boxes_t *table = boxes; table; table = table->findables) {
    state.boxes = table;
    box_grid_visit(&table->grid, &area, search->mask, offer_candidate, &state);
  }
  out->count = state.count;
  if (state.count > 0) {
    out->centre_x = compute_centre(search->x, state.sum_x, state.count);
    out->centre_y = compute_centre(search->y, state.sum_y, state.count);
  }
  for (uint32_t k = 0; k < state.nearest_count; ++k) {
    out->entity[k] = state.nearest[k].entity;
    out->distance[k] = (float)state.nearest[k].distance;
  }
}

// --- all searches

static void list_searches(neighbours_o *n) {
  const manager_o *manager = n->manager;
  manager_o *transforms = world_find_manager(n->world, "transform");
  transform_columns columns = transform_columns_of(transforms);
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transforms);
  array_reserve(world_allocator(n->world), &n->unsorted, manager->count);
  n->unsorted.count = 0;
  for (uint32_t row = 0; row < manager->count; ++row) {
    shoal_entity entity = manager->owner[row];
    uint32_t transform_row = manager_row(transforms, entity);
    if (world_is_disabled(n->world, entity, manager->id))
      continue;
    search_t *search = &n->unsorted.items[n->unsorted.count++];
    *search = (search_t){NAN, NAN, (double)n->out.radius[row], n->out.mask[row], row, entity};
    if (transform_row != ROW_NONE && columns.parent[transform_row] == 0) {
      search->x = (double)columns.x[transform_row];
      search->y = (double)columns.y[transform_row];
    } else if (transform_row != ROW_NONE) {
      float world_matrix[16];
      transform_compute_world_matrix(&matrices, transform_row, world_matrix);
      search->x = (double)world_matrix[12];
      search->y = (double)world_matrix[13];
    }
  }
  transform_matrices_end(&matrices);
}

// Sorts the searches by bucket, in a grid whose cells have the smallest cell size of the boxes' grids.
static void sort_searches(neighbours_o *n, double cell_size) {
  allocator_t *allocator = world_allocator(n->world);
  uint32_t count = n->unsorted.count, buckets = 16;
  double scale = 1 / cell_size;
  while (buckets < count)
    buckets *= 2;
  array_reserve(allocator, &n->starts, buckets + 1);
  array_reserve(allocator, &n->searches, count);
  array_reserve(allocator, &n->results, count);
  memset(n->starts.items, 0, (buckets + 1) * sizeof *n->starts.items);
  for (uint32_t pass = 0; pass < 2; ++pass) {
    for (uint32_t i = 0; i < count; ++i) {
      const search_t *search = &n->unsorted.items[i];
      uint32_t bucket = isfinite(search->x) && isfinite(search->y)
                            ? grid_bucket(0, grid_cell(search->x, scale), grid_cell(search->y, scale), buckets - 1)
                            : 0;
      if (pass == 0)
        ++n->starts.items[bucket + 1];
      else
        n->searches.items[n->starts.items[bucket]++] = *search;
    }
    for (uint32_t k = 0; pass == 0 && k < buckets; ++k)
      n->starts.items[k + 1] += n->starts.items[k];
  }
  n->searches.count = n->results.count = count;
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  neighbours_o *n = context;
  uint32_t first = part * SEARCHES_PER_JOB, remaining = n->searches.count - first;
  (void)worker;
  for (uint32_t i = first; i < first + (remaining < SEARCHES_PER_JOB ? remaining : SEARCHES_PER_JOB); ++i)
    run_search(n->boxes, &n->searches.items[i], &n->results.items[i]);
}

static void write_results(neighbours_o *n) {
  const neighbours_columns *columns = &n->out;
  shoal_entity *const entity[SLOTS] = {columns->e1, columns->e2, columns->e3, columns->e4,
                                       columns->e5, columns->e6, columns->e7, columns->e8};
  float *const distance[SLOTS] = {columns->d1, columns->d2, columns->d3, columns->d4,
                                  columns->d5, columns->d6, columns->d7, columns->d8};
  for (uint32_t i = 0; i < n->searches.count; ++i) {
    const result_t *result = &n->results.items[i];
    uint32_t row = n->searches.items[i].row;
    columns->count[row] = result->count;
    columns->centre_x[row] = result->centre_x;
    columns->centre_y[row] = result->centre_y;
    for (uint32_t k = 0; k < SLOTS; ++k) {
      entity[k][row] = result->entity[k];
      distance[k][row] = result->distance[k];
    }
  }
  for (uint32_t column = SHOAL_COLUMN_INDEX(neighbours, count); column < n->manager->columns.column_count; ++column)
    columns_mark_touched(&n->manager->columns, column, 0, n->manager->count);
}

void neighbours_update(neighbours_o *n) {
  if (n->manager->count == 0)
    return;
  n->out = neighbours_columns_of(n->manager);
  n->boxes = body_grid_sync(n->world);
  list_searches(n);
  sort_searches(n, box_grid_cell_size(&n->boxes->grid));
  jobs_run_parts(world_jobs(n->world), run_part, n, (n->searches.count + SEARCHES_PER_JOB - 1) / SEARCHES_PER_JOB);
  write_results(n);
}

static void run_neighbours(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w, (void)number, (void)dt_s;
  neighbours_update(context);
}

bool neighbours_schedule(neighbours_o *n, schedule_o *s, error_info_t *error) {
  return schedule_add_system(
      s,
      &(system_desc_t){
          .name = NEIGHBOURS_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 2000, .run = run_neighbours, .context = n},
      error);
}
