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

enum { SLOTS = 8, PART_ROWS = 512 };

// The centre is computed from integers, whose sum does not depend on the order: distances in 1/UNITS_PER_PX pixels, of
// at most MAX_OFFSET pixels. The sum of a million such distances fits 64 bits.
enum { UNITS_PER_PX = 1 << 16, MAX_OFFSET = 1 << 26 };

typedef struct search_t {
  double x, y, radius;
  uint32_t mask;
  uint32_t row; // of `neighbours`
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
  // Reused between ticks.
  ARRAY(search_t) unsorted;
  ARRAY(search_t) searches;
  ARRAY(result_t) results; // indexed by search
  ARRAY(uint32_t) starts;  // indexed by bucket: index of its first search
  body_boxes_t *boxes;     // during neighbours_update
  neighbours_columns out;  // during neighbours_update
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

typedef struct finding_t {
  const search_t *search;
  const body_boxes_t *boxes;
  double limit; // squared distance beyond which points are outside, with a margin for rounding
  uint32_t count;
  int64_t sum_x, sum_y; // offsets from the position of the search
  uint32_t kept;
  found_body_t nearest[SLOTS];
} finding_t;

static int64_t to_units(double offset) {
  offset = offset > -MAX_OFFSET ? offset : -MAX_OFFSET; // faster than fmax, which compiles to a call
  return (int64_t)((offset < MAX_OFFSET ? offset : MAX_OFFSET) * UNITS_PER_PX);
}

static void add_entity(finding_t *f, double dx, double dy, double distance, shoal_entity e) {
  if (!(distance < f->search->radius) || e == f->search->self)
    return;
  ++f->count;
  f->sum_x += to_units(dx);
  f->sum_y += to_units(dy);
  f->kept = found_bodies_insert(f->nearest, f->kept, SLOTS, (found_body_t){distance, e});
}

// A box without extent is exactly a point, so its collider, which may not be in the cache, need not be read.
static void offer_candidate(void *data, uint32_t i, const box_t *box) {
  finding_t *f = data;
  const collider_t *k = &f->boxes->colliders[i];
  double x = f->search->x, y = f->search->y;
  if (box->half_x != 0 || box->half_y != 0) {
    add_entity(f, k->x - x, k->y - y, collider_distance(k, x, y), k->entity);
    return;
  }
  double dx = (double)box->x - x, dy = (double)box->y - y, squared = dx * dx + dy * dy;
  if (squared <= f->limit)
    add_entity(f, dx, dy, sqrt(squared), f->boxes->owners[i]);
}

static float compute_centre(double position, int64_t sum, uint32_t count) {
  return (float)(position + (double)sum / ((double)count * UNITS_PER_PX));
}

static void run_search(const body_boxes_t *boxes, const search_t *s, result_t *out) {
  finding_t f = {.search = s, .limit = s->radius * s->radius * (1 + 1e-9)};
  bounds_t area = {s->x - s->radius, s->y - s->radius, s->x + s->radius, s->y + s->radius};
  *out = (result_t){.centre_x = (float)s->x, .centre_y = (float)s->y};
  if (!isfinite(s->x) || !isfinite(s->y) || !(s->radius > 0))
    return;
  for (const body_boxes_t *t = boxes; t; t = t->also) {
    f.boxes = t;
    box_grid_visit(&t->grid, &area, s->mask, offer_candidate, &f);
  }
  out->count = f.count;
  if (f.count > 0) {
    out->centre_x = compute_centre(s->x, f.sum_x, f.count);
    out->centre_y = compute_centre(s->y, f.sum_y, f.count);
  }
  for (uint32_t k = 0; k < f.kept; ++k) {
    out->entity[k] = f.nearest[k].entity;
    out->distance[k] = (float)f.nearest[k].distance;
  }
}

// --- all searches

static void list_searches(neighbours_o *n) {
  const manager_o *m = n->manager;
  manager_o *transforms = world_find_manager(n->world, "transform");
  transform_columns t = transform_columns_of(transforms);
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transforms);
  array_reserve(world_allocator(n->world), &n->unsorted, m->count);
  n->unsorted.count = 0;
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    uint32_t transform_row = manager_row(transforms, e);
    if (world_is_disabled(n->world, e, m->id))
      continue;
    search_t *s = &n->unsorted.items[n->unsorted.count++];
    *s = (search_t){NAN, NAN, (double)n->out.radius[row], n->out.mask[row], row, e};
    if (transform_row != ROW_NONE && t.parent[transform_row] == 0) {
      s->x = (double)t.x[transform_row];
      s->y = (double)t.y[transform_row];
    } else if (transform_row != ROW_NONE) {
      float world[16];
      transform_compute_world_matrix(&matrices, transform_row, world);
      s->x = (double)world[12];
      s->y = (double)world[13];
    }
  }
  transform_matrices_end(&matrices);
}

// Sorts the searches by the bucket of their cell in a grid whose cells are as large as the smallest of the boxes'
// grids.
static void sort_searches(neighbours_o *n, double cell_size) {
  allocator_t *a = world_allocator(n->world);
  uint32_t count = n->unsorted.count, buckets = 16;
  double scale = 1 / cell_size;
  while (buckets < count)
    buckets *= 2;
  array_reserve(a, &n->starts, buckets + 1);
  array_reserve(a, &n->searches, count);
  array_reserve(a, &n->results, count);
  memset(n->starts.items, 0, (buckets + 1) * sizeof *n->starts.items);
  for (uint32_t pass = 0; pass < 2; ++pass) {
    for (uint32_t i = 0; i < count; ++i) {
      const search_t *s = &n->unsorted.items[i];
      uint32_t bucket = isfinite(s->x) && isfinite(s->y)
                            ? grid_bucket(0, grid_cell(s->x, scale), grid_cell(s->y, scale), buckets - 1)
                            : 0;
      if (pass == 0)
        ++n->starts.items[bucket + 1];
      else
        n->searches.items[n->starts.items[bucket]++] = *s;
    }
    for (uint32_t b = 0; pass == 0 && b < buckets; ++b)
      n->starts.items[b + 1] += n->starts.items[b];
  }
  n->searches.count = n->results.count = count;
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  neighbours_o *n = context;
  uint32_t first = part * PART_ROWS, left = n->searches.count - first;
  (void)worker;
  for (uint32_t i = first; i < first + (left < PART_ROWS ? left : PART_ROWS); ++i)
    run_search(n->boxes, &n->searches.items[i], &n->results.items[i]);
}

static void write_results(neighbours_o *n) {
  const neighbours_columns *o = &n->out;
  shoal_entity *const entity[SLOTS] = {o->e1, o->e2, o->e3, o->e4, o->e5, o->e6, o->e7, o->e8};
  float *const distance[SLOTS] = {o->d1, o->d2, o->d3, o->d4, o->d5, o->d6, o->d7, o->d8};
  for (uint32_t i = 0; i < n->searches.count; ++i) {
    const result_t *r = &n->results.items[i];
    uint32_t row = n->searches.items[i].row;
    o->count[row] = r->count;
    o->centre_x[row] = r->centre_x;
    o->centre_y[row] = r->centre_y;
    for (uint32_t k = 0; k < SLOTS; ++k) {
      entity[k][row] = r->entity[k];
      distance[k][row] = r->distance[k];
    }
  }
  for (uint32_t c = SHOAL_COLUMN_INDEX(neighbours, count); c < n->manager->columns.column_count; ++c)
    columns_mark_touched(&n->manager->columns, c, 0, n->manager->count);
}

void neighbours_update(neighbours_o *n) {
  if (n->manager->count == 0)
    return;
  n->out = neighbours_columns_of(n->manager);
  n->boxes = body_grid_sync(n->world);
  list_searches(n);
  sort_searches(n, box_grid_cell_size(&n->boxes->grid));
  jobs_run_parts(world_jobs(n->world), run_part, n, (n->searches.count + PART_ROWS - 1) / PART_ROWS);
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
