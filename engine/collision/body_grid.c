// Copies of the columns that determine where bodies are, and the rows that have changed. Copies are compared in blocks,
// because most rows of most worlds stay the same between two searches.
#include "collision/body_grid.h"

#include "base/assert.h"
#include "collision/body.h"
#include "transform/transform.h"

#include <string.h>

enum { BLOCK = 64 };

// The grids are built again if more than 1/REBUILD_PART of the bodies have changed.
enum { REBUILD_PART = 8 };

enum { BODY_COLUMN_COUNT = sizeof(body_columns) / sizeof(void *) };
enum { TRANSFORM_COLUMN_COUNT = sizeof(transform_columns) / sizeof(void *) };

// The copied columns.
static const uint32_t BODY_COPIED[] = {
    SHOAL_INDEX(body, kind),     SHOAL_INDEX(body, radius),   SHOAL_INDEX(body, width),    SHOAL_INDEX(body, height),
    SHOAL_INDEX(body, offset_x), SHOAL_INDEX(body, offset_y), SHOAL_INDEX(body, category), SHOAL_INDEX(body, enabled)};
static const uint32_t TRANSFORM_COPIED[] = {SHOAL_INDEX(transform, x),       SHOAL_INDEX(transform, y),
                                            SHOAL_INDEX(transform, angle),   SHOAL_INDEX(transform, scale_x),
                                            SHOAL_INDEX(transform, scale_y), SHOAL_INDEX(transform, parent)};
enum { BODY_COPY_COUNT = sizeof BODY_COPIED / sizeof *BODY_COPIED };
enum { TRANSFORM_COPY_COUNT = sizeof TRANSFORM_COPIED / sizeof *TRANSFORM_COPIED };

// Consecutive rows of bodies whose transforms are consecutive, too. `place` is the row of the first transform, or
// ROW_NONE if these entities have no transform.
typedef struct place_run_t {
  uint32_t row, place, count;
} place_run_t;

struct body_grid_o {
  world_o *world;
  manager_o *bodies, *transforms;
  uint64_t moment;
  uint64_t body_moves, transform_moves, disabled_moves; // of the managers, at the last capture
  uint32_t count, capacity;                             // rows
  // Indexed by row of `body`: copies of the columns, and the matrices' inputs.
  shoal_entity *owner;
  void *body[BODY_COLUMN_COUNT];           // NULL if not copied
  void *transform[TRANSFORM_COLUMN_COUNT]; // NULL if not copied
  uint8_t *placed, *disabled;
  uint8_t *changed; // the box and, unless the entity has a parent, the collider must be computed
  bool any_changed;
  ARRAY(place_run_t) runs;
  transform_matrices_t matrices;
  body_boxes_t boxes;
};

body_grid_o *body_grid_create(world_o *w) {
  body_grid_o *g = alloc_resize(world_allocator(w), NULL, 0, sizeof *g);
  *g = (body_grid_o){
      .world = w, .bodies = world_find_manager(w, "body"), .transforms = world_find_manager(w, "transform")};
  shoal_assert(g->bodies && g->transforms, "body and transform must be declared");
  box_grid_init(&g->boxes.grid, world_allocator(w));
  world_set_hooks(w, g->bodies->id, &(manager_hooks_t){.context = g});
  return g;
}

// --- memory

static void resize_array(body_grid_o *g, void **array, size_t element_bytes, uint32_t capacity) {
  *array = alloc_resize(world_allocator(g->world), *array, g->capacity * element_bytes, capacity * element_bytes);
  if (capacity > g->capacity) // rows are compared with copies that were never written
    memset((uint8_t *)*array + g->capacity * element_bytes, 0, (capacity - g->capacity) * element_bytes);
}

static size_t column_bytes(const manager_o *m, uint32_t column) {
  return m->columns.element_bytes[column];
}

static void resize_copies(body_grid_o *g, uint32_t capacity) {
  for (uint32_t i = 0; i < BODY_COPY_COUNT; ++i)
    resize_array(g, &g->body[BODY_COPIED[i]], column_bytes(g->bodies, BODY_COPIED[i]), capacity);
  for (uint32_t i = 0; i < TRANSFORM_COPY_COUNT; ++i)
    resize_array(g, &g->transform[TRANSFORM_COPIED[i]], column_bytes(g->transforms, TRANSFORM_COPIED[i]), capacity);
  resize_array(g, (void **)&g->owner, sizeof *g->owner, capacity);
  resize_array(g, (void **)&g->placed, sizeof *g->placed, capacity);
  resize_array(g, (void **)&g->disabled, sizeof *g->disabled, capacity);
  resize_array(g, (void **)&g->changed, sizeof *g->changed, capacity);
  resize_array(g, (void **)&g->boxes.colliders, sizeof *g->boxes.colliders, capacity);
  g->capacity = capacity;
}

void body_grid_destroy(body_grid_o *g) {
  allocator_t *a = world_allocator(g->world);
  world_set_hooks(g->world, g->bodies->id, NULL);
  resize_copies(g, 0);
  array_free(a, &g->runs);
  transform_matrices_end(&g->matrices);
  box_grid_fini(&g->boxes.grid);
  array_free(a, &g->boxes.candidates);
  array_free(a, &g->boxes.found);
  alloc_resize(a, g, sizeof *g, 0);
}

static void resize_rows(body_grid_o *g, uint32_t count) {
  if (count > g->capacity)
    resize_copies(g, columns_grown_capacity(g->capacity, count));
  if (count > g->count)
    memset(g->changed + g->count, 1, count - g->count);
  g->any_changed |= count != g->count;
  g->count = count;
}

// --- comparing

// Copies `count` elements and marks those that differ.
static bool copy_differences(void *to, const void *from, size_t element_bytes, uint32_t count, uint8_t *changed) {
  if (memcmp(to, from, count * element_bytes) == 0)
    return false;
  if (element_bytes == sizeof(uint32_t)) {
    uint32_t *a = to;
    const uint32_t *b = from;
    for (uint32_t i = 0; i < count; ++i) {
      changed[i] = (uint8_t)(changed[i] | (a[i] != b[i]));
      a[i] = b[i];
    }
    return true;
  }
  uint8_t *a = to;
  const uint8_t *b = from;
  shoal_assert(element_bytes == 1, "columns with elements of %zu bytes cannot be compared", element_bytes);
  for (uint32_t i = 0; i < count; ++i) {
    changed[i] = (uint8_t)(changed[i] | (a[i] != b[i]));
    a[i] = b[i];
  }
  return true;
}

// Compares `count` rows of a column, from `first` on, with its copy, from `row` on.
static void compare_column(body_grid_o *g, void *copy, const void *column, size_t element_bytes, uint32_t row,
                           uint32_t first, uint32_t count) {
  for (uint32_t done = 0; done < count; done += BLOCK) {
    uint32_t some = count - done < BLOCK ? count - done : BLOCK;
    g->any_changed |= copy_differences((uint8_t *)copy + (row + done) * element_bytes,
                                       (const uint8_t *)column + (first + done) * element_bytes, element_bytes, some,
                                       g->changed + row + done);
  }
}

static void add_place(body_grid_o *g, uint32_t row, uint32_t place) {
  place_run_t *last = g->runs.count > 0 ? &g->runs.items[g->runs.count - 1] : NULL;
  bool continues = last && (place == ROW_NONE ? last->place == ROW_NONE
                                              : last->place != ROW_NONE && place == last->place + last->count);
  place_run_t run = {row, place, 1};
  if (continues)
    ++last->count;
  else
    array_push(world_allocator(g->world), &g->runs, run);
}

static void find_places(body_grid_o *g) {
  g->runs.count = 0;
  for (uint32_t row = 0; row < g->count; ++row) {
    uint32_t place = manager_row(g->transforms, g->bodies->owner[row]);
    uint8_t placed = place != ROW_NONE;
    g->changed[row] = (uint8_t)(g->changed[row] | (g->placed[row] != placed));
    g->any_changed |= g->placed[row] != placed;
    g->placed[row] = placed;
    add_place(g, row, place);
  }
}

// Marks the bodies that are disabled.
static void find_disabled(body_grid_o *g, const manager_o *disabled) {
  enum { WAS = 1, IS = 2 };
  for (uint32_t row = 0; disabled && row < disabled->count; ++row) {
    uint32_t body = manager_row(g->bodies, disabled->owner[row]);
    if (body != ROW_NONE && world_is_disabled(g->world, disabled->owner[row], g->bodies->id))
      g->disabled[body] |= IS;
  }
  for (uint32_t row = 0; row < g->count; ++row) {
    bool differs = g->disabled[row] == WAS || g->disabled[row] == IS;
    g->changed[row] = (uint8_t)(g->changed[row] | differs);
    g->any_changed |= differs;
    g->disabled[row] = g->disabled[row] & IS ? WAS : 0;
  }
}

static bool are_equal(const collider_t *a, const collider_t *b) {
  return a->entity == b->entity && a->box == b->box && a->x == b->x && a->y == b->y && a->half_x == b->half_x &&
         a->half_y == b->half_y && a->ux == b->ux && a->uy == b->uy;
}

// Computes the colliders of all bodies whose entities have a parent, because they move with it.
static void capture_children(body_grid_o *g) {
  const shoal_entity *parent = g->transform[SHOAL_INDEX(transform, parent)];
  body_columns body = body_columns_of(g->bodies);
  transform_matrices_begin(&g->matrices, g->transforms);
  for (uint32_t r = 0; r < g->runs.count; ++r) {
    const place_run_t *run = &g->runs.items[r];
    for (uint32_t i = 0; run->place != ROW_NONE && i < run->count; ++i) {
      uint32_t row = run->row + i;
      if (parent[row] == 0)
        continue;
      float world[16];
      transform_compute_world_matrix(&g->matrices, run->place + i, world);
      collider_t k = collider_from_body(&body, row, g->owner[row], world);
      if (are_equal(&k, &g->boxes.colliders[row]))
        continue;
      g->boxes.colliders[row] = k;
      g->changed[row] = 1;
      g->any_changed = true;
    }
  }
}

static void capture(body_grid_o *g) {
  const manager_o *b = g->bodies, *t = g->transforms, *d = world_find_manager(g->world, "disabled");
  bool body_rows = b->moves != g->body_moves, rows = body_rows || t->moves != g->transform_moves;
  resize_rows(g, b->count);
  compare_column(g, g->owner, b->owner, sizeof *b->owner, 0, 0, g->count);
  for (uint32_t i = 0; i < BODY_COPY_COUNT; ++i)
    compare_column(g, g->body[BODY_COPIED[i]], b->data[BODY_COPIED[i]], column_bytes(b, BODY_COPIED[i]), 0, 0,
                   g->count);
  if (rows)
    find_places(g);
  for (uint32_t r = 0; r < g->runs.count; ++r) {
    const place_run_t *run = &g->runs.items[r];
    for (uint32_t i = 0; run->place != ROW_NONE && i < TRANSFORM_COPY_COUNT; ++i)
      compare_column(g, g->transform[TRANSFORM_COPIED[i]], t->data[TRANSFORM_COPIED[i]],
                     column_bytes(t, TRANSFORM_COPIED[i]), run->row, run->place, run->count);
  }
  if (body_rows || (d && d->moves != g->disabled_moves))
    find_disabled(g, d);
  capture_children(g);
  g->body_moves = b->moves;
  g->transform_moves = t->moves;
  g->disabled_moves = d ? d->moves : 0;
}

static body_grid_o *find_grid(world_o *w) {
  const manager_o *bodies = world_find_manager(w, "body");
  shoal_assert(bodies && bodies->hooks.context, "the world has no grids of bodies");
  return bodies->hooks.context;
}

static body_grid_o *capture_moment(world_o *w) {
  body_grid_o *g = find_grid(w);
  uint64_t moment = world_moment(w);
  if (moment != g->moment)
    capture(g);
  g->moment = moment;
  return g;
}

void body_grid_capture(world_o *w) {
  capture_moment(w);
}

// --- grids

typedef struct copies_t {
  body_columns body;
  transform_columns transform;
} copies_t;

static copies_t read_copies(const body_grid_o *g) {
  copies_t c;
  memcpy(&c.body, g->body, sizeof c.body);
  memcpy(&c.transform, g->transform, sizeof c.transform);
  c.transform.z = c.transform.x; // z does not influence colliders
  return c;
}

// Computes the collider of a row whose entity has no parent, and the box of any row. Returns false if the body cannot
// be found.
static bool compute_box(body_grid_o *g, const copies_t *c, uint32_t row, box_t *out) {
  collider_t *k = &g->boxes.colliders[row];
  if (!g->placed[row] || g->disabled[row] || !c->body.enabled[row])
    return false;
  if (c->transform.parent[row] == 0) {
    float world[16];
    transform_compute_root_matrix(&c->transform, row, world);
    *k = collider_from_body(&c->body, row, g->owner[row], world);
  }
  bounds_t bounds = collider_bounds(k);
  *out = box_from_bounds(&bounds, c->body.category[row]);
  return isfinite(k->x) && isfinite(k->y) && isfinite(k->half_x) && isfinite(k->half_y);
}

static uint32_t count_changed(const body_grid_o *g) {
  uint32_t count = 0;
  for (uint32_t row = 0; row < g->count; ++row)
    count += g->changed[row];
  return count;
}

static void update_grid(body_grid_o *g) {
  copies_t c = read_copies(g);
  box_grid_t *grid = &g->boxes.grid;
  bool builds = box_grid_is_worn(grid) || count_changed(g) > g->count / REBUILD_PART;
  box_grid_resize(grid, g->count);
  for (uint32_t row = 0; row < g->count; ++row) {
    box_t box;
    if (!g->changed[row])
      continue;
    const box_t *found = compute_box(g, &c, row, &box) ? &box : NULL;
    if (builds)
      box_grid_set(grid, row, found);
    else
      box_grid_move(grid, row, found);
  }
  if (builds)
    box_grid_build(grid);
  memset(g->changed, 0, g->count);
  g->any_changed = false;
}

body_boxes_t *body_grid_sync(world_o *w) {
  body_grid_o *g = capture_moment(w);
  if (g->any_changed || g->boxes.grid.heads.count == 0)
    update_grid(g);
  return &g->boxes;
}

void body_grid_move(world_o *w, uint32_t row, const bounds_t *bounds) {
  body_grid_o *g = find_grid(w);
  box_grid_t *grid = &g->boxes.grid;
  box_t box = box_from_bounds(bounds, grid->entries.items[row].box.category);
  box_grid_move(grid, row, &box);
  g->changed[row] = 1;
  g->any_changed = true;
}
