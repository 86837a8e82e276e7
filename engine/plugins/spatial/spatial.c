// The spatial plugin: proximity searches for entities with `spatial`. For entities with `neighbours`, columns contain
// the nearest entities and the number of entities in range, updated in each tick. Functions search around lists of
// positions.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "point_grid.h"

#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

#define SLOTS 8u // number of nearest entities stored in `neighbours`

#define SPATIAL_FIELDS(F) F(u32, category, 1, .doc = "bit set; a search finds entities that share a bit with the mask")

#define NEAR(F, n_)                                                                                                    \
  F(entity, e##n_, .flags = SHOAL_READ_ONLY)                                                                           \
  F(f32, d##n_, 0, .flags = SHOAL_READ_ONLY, .unit = "px")

#define NEIGHBOURS_FIELDS(F)                                                                                           \
  F(f32, radius, 100, .unit = "px")                                                                                    \
  F(u32, mask, 4294967295.0)                                                                                           \
  F(u32, count, 0, .flags = SHOAL_READ_ONLY, .doc = "number of entities within the radius")                            \
  F(f32, centre_x, 0, .flags = SHOAL_READ_ONLY, .doc = "mean position of these entities; own position if count is 0")  \
  F(f32, centre_y, 0, .flags = SHOAL_READ_ONLY)                                                                        \
  NEAR(F, 1) NEAR(F, 2) NEAR(F, 3) NEAR(F, 4) NEAR(F, 5) NEAR(F, 6) NEAR(F, 7) NEAR(F, 8)

SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
SHOAL_COMPONENT(spatial, SPATIAL_FIELDS)
SHOAL_COMPONENT(neighbours, NEIGHBOURS_FIELDS)

typedef struct spatial_t {
  point_grid_t grid;
  bool fresh; // whether the index was built in this tick
  float *x, *y;
  uint32_t x_capacity, y_capacity;
  shoal_entity *owners; // indexed by point index
  uint32_t owner_capacity;
  enabled_rows_t shown, shown_neighbours;
  uint32_t *rows, *places, *starts;
  uint32_t row_capacity, place_capacity, start_capacity;
  point_search_t *searches;
  struct answer_t *answers;
  uint32_t search_capacity, answer_capacity;
  point_near_t *found;
  uint32_t found_count, found_capacity;
} spatial_t;

// --- the index

// Stores the world position of a row; if the entity has a parent, the position is read from the world matrix.
static void get_position(const transform_columns *t, uint32_t row, float *x, float *y) {
  bool in_parent = t->parent[row] != 0;
  *x = in_parent ? t->world[row][12] : t->x[row];
  *y = in_parent ? t->world[row][13] : t->y[row];
}

static void read_positions(shoal_context *c, spatial_t *s, const shoal_entity *entities, uint32_t count) {
  shoal_world *w = shoal_world_of(c);
  const transform_columns *t = SHOAL_IN(shoal_rows_of(w, &transform_component), transform);
  GROW(s->x, s->x_capacity, count);
  GROW(s->y, s->y_capacity, count);
  GROW(s->rows, s->row_capacity, count);
  shoal_rows(w, &transform_component, entities, count, s->rows);
  for (uint32_t i = 0; i < count; ++i) {
    s->x[i] = s->y[i] = NAN;
    if (s->rows[i] != SHOAL_NO_ROW)
      get_position(t, s->rows[i], &s->x[i], &s->y[i]);
  }
}

// Returns the index, which the first search of a tick rebuilds from the current positions.
static spatial_t *get_or_rebuild_index(shoal_context *c) {
  spatial_t *s = shoal_state(c);
  if (s->fresh)
    return s;
  shoal_table table = shoal_rows_of(shoal_world_of(c), &spatial_component);
  read_positions(c, s, table.owners, table.count);
  enabled_rows_read(&s->shown, c, &spatial_component);
  for (uint32_t i = 0; i < table.count; ++i)
    if (enabled_rows_index(&s->shown, i) == SHOAL_NO_ROW)
      s->x[i] = s->y[i] = NAN; // a point at NaN is not added to the grid
  point_grid_build(&s->grid, s->x, s->y, table.count ? SHOAL_IN(table, spatial)->category : NULL, table.count);
  GROW(s->owners, s->owner_capacity, table.count);
  if (table.count > 0)
    memcpy(s->owners, table.owners, table.count * sizeof *s->owners);
  s->fresh = true;
  return s;
}

static void invalidate_index(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  ((spatial_t *)shoal_state(c))->fresh = false;
}

static void on_restored(shoal_context *c) {
  ((spatial_t *)shoal_state(c))->fresh = false;
}

// --- neighbours as columns. Searches are sorted by bucket, so that consecutive searches read the same points from the
// cache. Results are first stored contiguously and then copied to the rows, which avoids random access to columns.

enum { PART_ROWS = 512 };

typedef struct answer_t {
  uint32_t count;
  float centre_x, centre_y;
  shoal_entity entity[SLOTS];
  float distance[SLOTS];
} answer_t;

typedef struct fill_t {
  spatial_t *s;
  const neighbours_columns *out;
  uint32_t count;
} fill_t;

static void run_search(const spatial_t *s, const point_search_t *search, answer_t *out) {
  point_near_t near[SLOTS];
  point_sum_t sum;
  uint32_t found = point_grid_find_around(&s->grid, search, SLOTS, near, &sum);
  out->count = sum.count;
  out->centre_x = sum.count > 0 ? (float)(sum.x / sum.count) : search->x;
  out->centre_y = sum.count > 0 ? (float)(sum.y / sum.count) : search->y;
  for (uint32_t k = 0; k < SLOTS; ++k) {
    out->entity[k] = k < found ? s->owners[near[k].number] : SHOAL_ENTITY_NONE;
    out->distance[k] = k < found ? near[k].distance : 0;
  }
}

static uint32_t get_part_end(const fill_t *f, uint32_t part) {
  return (part + 1) * PART_ROWS < f->count ? (part + 1) * PART_ROWS : f->count;
}

static void run_part_searches(void *data, uint32_t part, uint32_t worker) {
  (void)worker;
  const fill_t *f = data;
  for (uint32_t i = part * PART_ROWS; i < get_part_end(f, part); ++i)
    run_search(f->s, &f->s->searches[i], &f->s->answers[i]);
}

static void write_part(void *data, uint32_t part, uint32_t worker) {
  (void)worker;
  const fill_t *f = data;
  const neighbours_columns *o = f->out;
  shoal_entity *const entity[SLOTS] = {o->e1, o->e2, o->e3, o->e4, o->e5, o->e6, o->e7, o->e8};
  float *const distance[SLOTS] = {o->d1, o->d2, o->d3, o->d4, o->d5, o->d6, o->d7, o->d8};
  for (uint32_t i = part * PART_ROWS; i < get_part_end(f, part); ++i) {
    if (enabled_rows_index(&f->s->shown_neighbours, i) == SHOAL_NO_ROW)
      continue;
    const answer_t *a = &f->s->answers[f->s->places[i]];
    o->count[i] = a->count;
    o->centre_x[i] = a->centre_x;
    o->centre_y[i] = a->centre_y;
    for (uint32_t k = 0; k < SLOTS; ++k) {
      entity[k][i] = a->entity[k];
      distance[k][i] = a->distance[k];
    }
  }
}

// Sorts the searches by bucket. s->rows: point index of the entity of each row. s->places: index of each row's search
// in the sorted list.
static void sort_searches(spatial_t *s, const neighbours_columns *in, uint32_t count) {
  uint32_t buckets = s->grid.bucket_count;
  GROW(s->starts, s->start_capacity, buckets + 1);
  GROW(s->places, s->place_capacity, count);
  GROW(s->searches, s->search_capacity, count);
  GROW(s->answers, s->answer_capacity, count);
  memset(s->starts, 0, (buckets + 1) * sizeof *s->starts);
  for (uint32_t i = 0; i < count; ++i) {
    s->places[i] = point_grid_bucket(&s->grid, s->x[i], s->y[i]);
    ++s->starts[s->places[i] + 1];
  }
  for (uint32_t b = 0; b < buckets; ++b)
    s->starts[b + 1] += s->starts[b];
  for (uint32_t i = 0; i < count; ++i) {
    s->places[i] = s->starts[s->places[i]]++;
    s->searches[s->places[i]] = (point_search_t){s->x[i], s->y[i], in->radius[i], in->mask[i], s->rows[i]};
  }
}

static void fill_neighbours(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_world_of(c);
  (void)v, (void)dt_s;
  shoal_table table = shoal_rows_of(w, &neighbours_component);
  if (table.count == 0)
    return;
  ((spatial_t *)shoal_state(c))->fresh = false; // point indices are valid only for the current rows
  spatial_t *s = get_or_rebuild_index(c);
  read_positions(c, s, table.owners, table.count);
  shoal_rows(w, &spatial_component, table.owners, table.count, s->rows);
  enabled_rows_read(&s->shown_neighbours, c, &neighbours_component);
  fill_t f = {s, SHOAL_IN(table, neighbours), table.count};
  sort_searches(s, f.out, table.count);
  shoal_jobs(c, run_part_searches, &f, (table.count + PART_ROWS - 1) / PART_ROWS);
  shoal_jobs(c, write_part, &f, (table.count + PART_ROWS - 1) / PART_ROWS);
}

// --- functions

static uint32_t to_mask(double number) {
  return number >= 0 && number < 4294967295.0 ? (uint32_t)number : UINT32_MAX;
}

static uint32_t count_pairs(const shoal_value *x, const shoal_value *y) {
  return x->count < y->count ? x->count : y->count;
}

static void add_found(void *data, const point_entry_t *e, float distance_squared) {
  spatial_t *s = data;
  GROW(s->found, s->found_capacity, s->found_count + 1);
  s->found[s->found_count++] = (point_near_t){distance_squared, e->number};
}

static void script_within(shoal_context *c, const shoal_value *in, shoal_value *out) {
  spatial_t *s = get_or_rebuild_index(c);
  uint32_t count = count_pairs(&in[0], &in[1]);
  double *starts = shoal_give_numbers(c, &out[0], count + 1);
  s->found_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t first = s->found_count;
    point_search_t search = {(float)in[0].numbers[i], (float)in[1].numbers[i], (float)in[2].number,
                             to_mask(in[3].number), POINT_NONE};
    starts[i] = first;
    point_grid_find_within(&s->grid, &search, add_found, s);
    point_near_sort(s->found + first, s->found_count - first);
  }
  starts[count] = s->found_count;
  shoal_entity *entities = shoal_give_entities(c, &out[1], s->found_count);
  double *distances = shoal_give_numbers(c, &out[2], s->found_count);
  for (uint32_t i = 0; i < s->found_count; ++i) {
    entities[i] = s->owners[s->found[i].number];
    distances[i] = (double)s->found[i].distance;
  }
}

static void script_nearest(shoal_context *c, const shoal_value *in, shoal_value *out) {
  spatial_t *s = get_or_rebuild_index(c);
  uint32_t count = count_pairs(&in[0], &in[1]);
  if (!(in[2].number >= 1 && in[2].number <= POINT_MAX_NEAREST)) {
    shoal_fail(c, "k must be from 1 to %u, got %g", POINT_MAX_NEAREST, in[2].number);
    return;
  }
  uint32_t k = (uint32_t)in[2].number;
  shoal_entity *entities = shoal_give_entities(c, &out[0], count * k);
  double *distances = shoal_give_numbers(c, &out[1], count * k);
  for (uint32_t i = 0; i < count; ++i) {
    point_near_t near[POINT_MAX_NEAREST];
    point_search_t search = {(float)in[0].numbers[i], (float)in[1].numbers[i], (float)in[3].number,
                             to_mask(in[4].number), POINT_NONE};
    uint32_t found = point_grid_find_nearest(&s->grid, &search, k, near);
    for (uint32_t n = 0; n < k; ++n) {
      entities[i * k + n] = n < found ? s->owners[near[n].number] : SHOAL_ENTITY_NONE;
      distances[i * k + n] = n < found ? (double)near[n].distance : INFINITY;
    }
  }
}

// --- the plugin

static void *open(shoal_context *c) {
  spatial_t *s = shoal_resize(c, NULL, 0, sizeof *s);
  *s = (spatial_t){0};
  return s;
}

static void close(shoal_context *c, void *state) {
  spatial_t *s = state;
  point_grid_free(&s->grid);
  free(s->x);
  free(s->y);
  free(s->owners);
  free(s->rows);
  free(s->places);
  free(s->searches);
  free(s->answers);
  free(s->starts);
  free(s->found);
  enabled_rows_free(&s->shown);
  enabled_rows_free(&s->shown_neighbours);
  shoal_resize(c, s, sizeof *s, 0);
}

SHOAL_PLUGIN(.name = "spatial", .version = 1, .doc = "proximity searches",
             .components = SHOAL_COMPONENTS(spatial, neighbours), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS(
                 {.name = "begin", .phase = SHOAL_PHASE_INPUT, .priority = -1000000, .run = invalidate_index},
                 {.name = "neighbours", .phase = SHOAL_PHASE_PRE_UPDATE, .priority = 1000, .run = fill_neighbours}),
             .functions = SHOAL_FUNCTIONS(
                 {.name = "within",
                  .takes = "x:number[] y:number[] radius:number mask:number",
                  .gives = "starts:number[] entities:entity[] distances:number[]",
                  .doc =
                      "Returns the entities within the radius of each position, nearest first: those of position i are "
                      "entities[starts[i] + 1] to "
                      "entities[starts[i + 1]].",
                  .pure = true,
                  .call = script_within},
                 {.name = "nearest",
                  .takes = "x:number[] y:number[] k:number radius:number mask:number",
                  .gives = "entities:entity[] distances:number[]",
                  .doc = "Returns the k entities nearest to each position, nearest first. There are always k entries "
                         "per position: if fewer entities are in range, the rest are shoal.none with distance "
                         "infinity.",
                  .pure = true,
                  .call = script_nearest}),
             .open = open, .close = close, .restored = on_restored)
