// Copies of the columns that determine where bodies are, and the rows that have changed. Copies are compared in chunks,
// and chunks that differ in blocks, because most rows of most worlds stay the same between two searches.
#include "collision/body_grid.h"

#include "base/assert.h"
#include "collision/body.h"
#include "transform/transform.h"

#include <string.h>

enum { BLOCK = 64, CHUNK = 16 * BLOCK };

// The grids are rebuilt if more than 1/REBUILD_PART of the bodies have changed.
enum { REBUILD_PART = 8 };

enum { MAX_COLUMNS = sizeof(body_columns) / sizeof(void *) };
enum { TRANSFORM_COLUMN_COUNT = sizeof(transform_columns) / sizeof(void *) };

static const uint32_t COPIED_BODY_COLUMNS[] = {SHOAL_COLUMN_INDEX(body, kind),     SHOAL_COLUMN_INDEX(body, radius),
                                               SHOAL_COLUMN_INDEX(body, width),    SHOAL_COLUMN_INDEX(body, height),
                                               SHOAL_COLUMN_INDEX(body, offset_x), SHOAL_COLUMN_INDEX(body, offset_y),
                                               SHOAL_COLUMN_INDEX(body, category), SHOAL_COLUMN_INDEX(body, enabled)};
static const uint32_t COPIED_TRANSFORM_COLUMNS[] = {
    SHOAL_COLUMN_INDEX(transform, x),       SHOAL_COLUMN_INDEX(transform, y),
    SHOAL_COLUMN_INDEX(transform, angle),   SHOAL_COLUMN_INDEX(transform, scale_x),
    SHOAL_COLUMN_INDEX(transform, scale_y), SHOAL_COLUMN_INDEX(transform, parent)};
static const uint32_t COPIED_FINDABLE_COLUMNS[] = {SHOAL_COLUMN_INDEX(findable, radius),
                                                   SHOAL_COLUMN_INDEX(findable, category)};
enum { BODY_COPY_COUNT = sizeof COPIED_BODY_COLUMNS / sizeof *COPIED_BODY_COLUMNS };
enum { FINDABLE_COPY_COUNT = sizeof COPIED_FINDABLE_COLUMNS / sizeof *COPIED_FINDABLE_COLUMNS };
enum { TRANSFORM_COPY_COUNT = sizeof COPIED_TRANSFORM_COLUMNS / sizeof *COPIED_TRANSFORM_COLUMNS };

// Consecutive rows whose transforms are consecutive as well. `transform_row` is the row of the first transform, or
// ROW_NONE if these entities are not in the grids: they have no transform, or are findable and have a body.
typedef struct transform_run_t {
  uint32_t row, transform_row, count;
} transform_run_t;

// The entities with one component, `body` or `findable`.
typedef struct table_t {
  manager_o *manager;
  const uint32_t *copied_columns;
  uint32_t copied_column_count;
  uint64_t moves, transform_moves, body_moves, disabled_moves; // `moves` of the managers at the last capture
  uint32_t count, capacity;                                    // `count`: rows in use; `capacity`: allocated rows
  // The following arrays are indexed by row of the component.
  void *columns[MAX_COLUMNS];              // copies of the columns; NULL for columns that are not copied
  void *transform[TRANSFORM_COLUMN_COUNT]; // copies of the columns of transform; NULL for columns that are not copied
  uint8_t *has_transform, *disabled;
  uint8_t *changed; // flags: 1 if the box and, unless the entity has a parent, the collider must be computed
  bool any_changed;
  bool has_children; // true if any row's transform has a parent
  // Rows below `recorded_count` existed at the start of the record; `recorded_count` is 0 if no record has begun.
  uint32_t recorded_count;
  uint8_t *copied; // flags: 1 if `former_bounds` contains the bounds that the row had at the start of the record
  // True if rows were marked in `changed` before the start of the record, and no row has changed since. The bounds at
  // the start of the record are then the bounds of the copies, not of the colliders.
  bool is_deferred;
  ARRAY(former_bounds_t) former_bounds;
  ARRAY(transform_run_t) runs;
  body_boxes_t boxes;
} table_t;

struct body_grid_o {
  world_o *world;
  allocator_t *allocator;
  manager_o *transforms;
  uint64_t moment;
  transform_matrices_t matrices;
  table_t bodies, findables;
};

static void create_table(body_grid_o *g, table_t *t, const char *component, const uint32_t *copied_columns,
                         uint32_t count) {
  *t = (table_t){.manager = world_find_manager(g->world, component),
                 .copied_columns = copied_columns,
                 .copied_column_count = count};
  shoal_assert(t->manager, "%s must be declared", component);
  box_grid_init(&t->boxes.grid, g->allocator);
}

body_grid_o *body_grid_create(world_o *w) {
  body_grid_o *body_grid = alloc_resize(world_allocator(w), NULL, 0, sizeof *body_grid);
  *body_grid =
      (body_grid_o){.world = w, .allocator = world_allocator(w), .transforms = world_find_manager(w, "transform")};
  shoal_assert(body_grid->transforms, "transform must be declared");
  create_table(body_grid, &body_grid->bodies, "body", COPIED_BODY_COLUMNS, BODY_COPY_COUNT);
  create_table(body_grid, &body_grid->findables, "findable", COPIED_FINDABLE_COLUMNS, FINDABLE_COPY_COUNT);
  world_set_hooks(w, body_grid->bodies.manager->id, &(manager_hooks_t){.context = body_grid});
  return body_grid;
}

// --- memory

static void resize_array(const body_grid_o *g, const table_t *t, void **array, size_t element_bytes,
                         uint32_t capacity) {
  *array = alloc_resize(g->allocator, *array, t->capacity * element_bytes, capacity * element_bytes);
  // Zeroes the copies of new rows, because the copies are compared before they are first written.
  if (capacity > t->capacity)
    memset((uint8_t *)*array + t->capacity * element_bytes, 0, (capacity - t->capacity) * element_bytes);
}

static size_t column_bytes(const manager_o *m, uint32_t column) {
  return m->columns.element_bytes[column];
}

static void resize_copies(const body_grid_o *body_grid, table_t *t, uint32_t capacity) {
  for (uint32_t i = 0; i < t->copied_column_count; ++i)
    resize_array(body_grid, t, &t->columns[t->copied_columns[i]], column_bytes(t->manager, t->copied_columns[i]),
                 capacity);
  for (uint32_t i = 0; i < TRANSFORM_COPY_COUNT; ++i)
    resize_array(body_grid, t, &t->transform[COPIED_TRANSFORM_COLUMNS[i]],
                 column_bytes(body_grid->transforms, COPIED_TRANSFORM_COLUMNS[i]), capacity);
  resize_array(body_grid, t, (void **)&t->boxes.owners, sizeof *t->boxes.owners, capacity);
  resize_array(body_grid, t, (void **)&t->has_transform, sizeof *t->has_transform, capacity);
  resize_array(body_grid, t, (void **)&t->disabled, sizeof *t->disabled, capacity);
  resize_array(body_grid, t, (void **)&t->changed, sizeof *t->changed, capacity);
  resize_array(body_grid, t, (void **)&t->copied, sizeof *t->copied, capacity);
  resize_array(body_grid, t, (void **)&t->boxes.colliders, sizeof *t->boxes.colliders, capacity);
  t->capacity = capacity;
}

static void destroy_table(body_grid_o *g, table_t *t) {
  resize_copies(g, t, 0);
  array_free(g->allocator, &t->former_bounds);
  array_free(g->allocator, &t->runs);
  box_grid_fini(&t->boxes.grid);
  array_free(g->allocator, &t->boxes.candidates);
  array_free(g->allocator, &t->boxes.results);
}

void body_grid_destroy(body_grid_o *g) {
  world_set_hooks(g->world, g->bodies.manager->id, NULL);
  destroy_table(g, &g->bodies);
  destroy_table(g, &g->findables);
  transform_matrices_end(&g->matrices);
  alloc_resize(g->allocator, g, sizeof *g, 0);
}

// Copies the bounds of this row to the record before they change, unless the record has them already or covers fewer
// rows.
static void record_bounds(const body_grid_o *g, table_t *t, uint32_t row) {
  if (row >= t->recorded_count || t->copied[row] || t->is_deferred)
    return;
  const collider_t *collider = &t->boxes.colliders[row];
  former_bounds_t former = {.entity = collider->entity, .bounds = collider_bounds(collider)};
  t->copied[row] = 1;
  if (t->boxes.grid.entries.items[row].level != BOX_ABSENT)
    array_push(g->allocator, &t->former_bounds, former);
}

static void resize_rows(const body_grid_o *g, table_t *t, uint32_t count) {
  for (uint32_t row = count; row < t->recorded_count; ++row)
    record_bounds(g, t, row);
  if (count > t->capacity)
    resize_copies(g, t, columns_compute_capacity(t->capacity, count));
  if (count > t->count)
    memset(t->changed + t->count, 1, count - t->count);
  t->any_changed |= count != t->count;
  t->count = count;
}

// --- comparing

// Copies `count` elements and marks elements that differ.
static void copy_differences(void *copy, const void *column, size_t element_bytes, uint32_t count, uint8_t *changed) {
  if (memcmp(copy, column, count * element_bytes) == 0)
    return;
  if (element_bytes == sizeof(uint32_t)) {
    uint32_t *a = copy;
    const uint32_t *b = column;
    for (uint32_t i = 0; i < count; ++i) {
      changed[i] = (uint8_t)(changed[i] | (a[i] != b[i]));
      a[i] = b[i];
    }
    return;
  }
  uint8_t *a = copy;
  const uint8_t *b = column;
  shoal_assert(element_bytes == 1, "columns with elements of %zu bytes cannot be compared", element_bytes);
  for (uint32_t i = 0; i < count; ++i) {
    changed[i] = (uint8_t)(changed[i] | (a[i] != b[i]));
    a[i] = b[i];
  }
}

// Compares `count` rows of a column, starting at `source_row`, with its copy, starting at `row`. Updates the copy and
// marks the rows that differ. Returns true if any row differs.
static bool compare_column(table_t *t, void *copy, const void *column, size_t element_bytes, uint32_t row,
                           uint32_t source_row, uint32_t count) {
  uint8_t *a = (uint8_t *)copy + row * element_bytes;
  const uint8_t *b = (const uint8_t *)column + source_row * element_bytes;
  bool differs = false;
  for (uint32_t start = 0; start < count; start += CHUNK) {
    uint32_t end = count - start < CHUNK ? count : start + CHUNK;
    if (memcmp(a + start * element_bytes, b + start * element_bytes, (end - start) * element_bytes) == 0)
      continue;
    for (uint32_t offset = start; offset < end; offset += BLOCK)
      copy_differences(a + offset * element_bytes, b + offset * element_bytes, element_bytes,
                       end - offset < BLOCK ? end - offset : BLOCK, t->changed + row + offset);
    differs = true;
  }
  t->any_changed |= differs;
  return differs;
}

static void add_to_runs(const body_grid_o *body_grid, table_t *t, uint32_t row, uint32_t transform_row) {
  transform_run_t *last_run = t->runs.count > 0 ? &t->runs.items[t->runs.count - 1] : NULL;
  bool extends =
      last_run && (transform_row == ROW_NONE ? last_run->transform_row == ROW_NONE
                                             : last_run->transform_row != ROW_NONE &&
                                                   transform_row == last_run->transform_row + last_run->count);
  transform_run_t run = {row, transform_row, 1};
  if (extends)
    ++last_run->count;
  else
    array_push(body_grid->allocator, &t->runs, run);
}

static void update_runs(const body_grid_o *body_grid, table_t *t) {
  t->runs.count = 0;
  for (uint32_t row = 0; row < t->count; ++row) {
    shoal_entity entity = t->manager->owner[row];
    bool is_body = t == &body_grid->findables && manager_row(body_grid->bodies.manager, entity) != ROW_NONE;
    uint32_t transform_row = is_body ? ROW_NONE : manager_row(body_grid->transforms, entity);
    uint8_t has_transform = transform_row != ROW_NONE;
    t->changed[row] = (uint8_t)(t->changed[row] | (t->has_transform[row] != has_transform));
    t->any_changed |= t->has_transform[row] != has_transform;
    t->has_transform[row] = has_transform;
    add_to_runs(body_grid, t, row, transform_row);
  }
}

static void update_disabled(const body_grid_o *body_grid, table_t *t, const manager_o *disabled) {
  enum { WAS_DISABLED = 1, IS_DISABLED = 2 };
  for (uint32_t row = 0; disabled && row < disabled->count; ++row) {
    uint32_t table_row = manager_row(t->manager, disabled->owner[row]);
    if (table_row != ROW_NONE && world_is_disabled(body_grid->world, disabled->owner[row], t->manager->id))
      t->disabled[table_row] |= IS_DISABLED;
  }
  for (uint32_t row = 0; row < t->count; ++row) {
    bool differs = t->disabled[row] == WAS_DISABLED || t->disabled[row] == IS_DISABLED;
    t->changed[row] = (uint8_t)(t->changed[row] | differs);
    t->any_changed |= differs;
    t->disabled[row] = t->disabled[row] & IS_DISABLED ? WAS_DISABLED : 0;
  }
}

static bool are_colliders_equal(const collider_t *a, const collider_t *b) {
  return a->entity == b->entity && a->box == b->box && a->x == b->x && a->y == b->y && a->half_x == b->half_x &&
         a->half_y == b->half_y && a->ux == b->ux && a->uy == b->uy;
}

// Builds the collider of a row from `columns`: the component's own columns, or their copies.
static inline collider_t build_collider(const body_grid_o *body_grid, const table_t *t, void *const *columns,
                                        uint32_t row, transform_basis_t basis) {
  body_columns body;
  if (t == &body_grid->bodies) {
    memcpy(&body, columns, sizeof body);
    return collider_place(&body, row, t->boxes.owners[row], basis);
  }
  float zero = 0, *radius = columns[SHOAL_COLUMN_INDEX(findable, radius)];
  uint8_t circle = BODY_KIND_CIRCLE;
  body = (body_columns){.kind = &circle, .radius = &radius[row], .offset_x = &zero, .offset_y = &zero};
  return collider_place(&body, 0, t->boxes.owners[row], basis);
}

// Computes the colliders of all entities with a parent, because entities move with their parents.
static void capture_children(body_grid_o *body_grid, table_t *t) {
  const shoal_entity *parent = t->transform[SHOAL_COLUMN_INDEX(transform, parent)];
  if (!t->has_children)
    return;
  transform_matrices_begin(&body_grid->matrices, body_grid->transforms);
  for (uint32_t run_index = 0; run_index < t->runs.count; ++run_index) {
    const transform_run_t *run = &t->runs.items[run_index];
    for (uint32_t i = 0; run->transform_row != ROW_NONE && i < run->count; ++i) {
      uint32_t row = run->row + i;
      if (parent[row] == 0)
        continue;
      transform_basis_t basis = transform_compute_world_basis(&body_grid->matrices, run->transform_row + i);
      collider_t collider = build_collider(body_grid, t, t->columns, row, basis);
      if (are_colliders_equal(&collider, &t->boxes.colliders[row]))
        continue;
      record_bounds(body_grid, t, row);
      t->boxes.colliders[row] = collider;
      t->changed[row] = 1;
      t->any_changed = true;
    }
  }
}

static void capture_values(const body_grid_o *g, table_t *t, bool rows_moved) {
  const manager_o *m = t->manager;
  resize_rows(g, t, m->count);
  if (rows_moved)
    compare_column(t, t->boxes.owners, m->owner, sizeof *m->owner, 0, 0, t->count);
  for (uint32_t i = 0; i < t->copied_column_count; ++i)
    compare_column(t, t->columns[t->copied_columns[i]], m->data[t->copied_columns[i]],
                   column_bytes(m, t->copied_columns[i]), 0, 0, t->count);
}

static bool has_any_parent(const table_t *t) {
  const shoal_entity *parent = t->transform[SHOAL_COLUMN_INDEX(transform, parent)];
  shoal_entity any = 0;
  for (uint32_t row = 0; row < t->count; ++row)
    any |= parent[row];
  return any != 0;
}

// Compares the transforms with their copies, updates the copies, and marks the rows that differ. `rows_moved`: true if
// rows of the component were added, removed or moved since the last capture.
static void capture_transforms(const body_grid_o *body_grid, table_t *t, bool rows_moved) {
  const manager_o *manager = body_grid->transforms;
  bool parents_differ = rows_moved;
  for (uint32_t run_index = 0; run_index < t->runs.count; ++run_index) {
    const transform_run_t *run = &t->runs.items[run_index];
    for (uint32_t i = 0; run->transform_row != ROW_NONE && i < TRANSFORM_COPY_COUNT; ++i) {
      uint32_t column = COPIED_TRANSFORM_COLUMNS[i];
      bool differs = compare_column(t, t->transform[column], manager->data[column], column_bytes(manager, column),
                                    run->row, run->transform_row, run->count);
      parents_differ |= differs && column == SHOAL_COLUMN_INDEX(transform, parent);
    }
  }
  if (parents_differ)
    t->has_children = has_any_parent(t);
}

static void update_boxes(const body_grid_o *body_grid, table_t *t);

static bool is_column_equal(const void *copy, const void *column, size_t element_bytes, uint32_t row,
                            uint32_t source_row, uint32_t count) {
  return memcmp((const uint8_t *)copy + row * element_bytes, (const uint8_t *)column + source_row * element_bytes,
                count * element_bytes) == 0;
}

// Returns true if all columns equal their copies, and no row was added, removed or moved.
static bool are_copies_current(const body_grid_o *g, const table_t *t) {
  const manager_o *disabled = world_find_manager(g->world, "disabled"), *transforms = g->transforms;
  bool are_equal = t->manager->moves == t->moves && transforms->moves == t->transform_moves &&
                   g->bodies.manager->moves == t->body_moves && (disabled ? disabled->moves : 0) == t->disabled_moves;
  for (uint32_t i = 0; i < t->copied_column_count && are_equal; ++i) {
    uint32_t column = t->copied_columns[i];
    are_equal =
        is_column_equal(t->columns[column], t->manager->data[column], column_bytes(t->manager, column), 0, 0, t->count);
  }
  for (uint32_t run_index = 0; run_index < t->runs.count && are_equal; ++run_index) {
    const transform_run_t *run = &t->runs.items[run_index];
    for (uint32_t i = 0; run->transform_row != ROW_NONE && i < TRANSFORM_COPY_COUNT && are_equal; ++i) {
      uint32_t column = COPIED_TRANSFORM_COLUMNS[i];
      are_equal = is_column_equal(t->transform[column], transforms->data[column], column_bytes(transforms, column),
                                  run->row, run->transform_row, run->count);
    }
  }
  return are_equal;
}

static void capture_table(body_grid_o *body_grid, table_t *t) {
  const manager_o *disabled = world_find_manager(body_grid->world, "disabled"), *bodies = body_grid->bodies.manager;
  bool rows_moved = t->manager->moves != t->moves;
  if (t->manager->count == 0 && t->count == 0)
    return;
  if (t->is_deferred) {
    if (are_copies_current(body_grid, t))
      return;
    update_boxes(body_grid, t);
  }
  capture_values(body_grid, t, rows_moved);
  if (rows_moved || body_grid->transforms->moves != t->transform_moves || bodies->moves != t->body_moves)
    update_runs(body_grid, t);
  capture_transforms(body_grid, t, rows_moved);
  if (rows_moved || (disabled && disabled->moves != t->disabled_moves))
    update_disabled(body_grid, t, disabled);
  capture_children(body_grid, t);
  t->moves = t->manager->moves;
  t->body_moves = bodies->moves;
  t->transform_moves = body_grid->transforms->moves;
  t->disabled_moves = disabled ? disabled->moves : 0;
}

body_grid_o *body_grid_find(world_o *w) {
  const manager_o *bodies = world_find_manager(w, "body");
  shoal_assert(bodies && bodies->hooks.context, "the world has no grids of bodies");
  return bodies->hooks.context;
}

static body_grid_o *capture_moment(world_o *w) {
  body_grid_o *body_grid = body_grid_find(w);
  uint64_t moment = world_moment(w);
  if (moment != body_grid->moment) {
    capture_table(body_grid, &body_grid->bodies);
    capture_table(body_grid, &body_grid->findables);
  }
  body_grid->moment = moment;
  return body_grid;
}

void body_grid_capture(world_o *w) {
  capture_moment(w);
}

// --- grids

// Returns true if the row is a point: a findable entity with radius 0, without a parent, and with a finite scale and
// angle. The collider of a point needs no matrix, which would take longer to compute than the rest of the update.
static bool is_point(const transform_columns *c, const float *radius, uint32_t row) {
  return radius && radius[row] == 0 && c->parent[row] == 0 && isfinite(c->scale_x[row]) && isfinite(c->scale_y[row]) &&
         isfinite(c->angle[row]);
}

static bool is_finite_collider(const collider_t *c) {
  return isfinite(c->x) && isfinite(c->y) && isfinite(c->half_x) && isfinite(c->half_y);
}

// Computes the collider of a row whose entity has no parent, and the box of any row. Returns true on success, or false
// if searches must not find the entity.
static bool compute_box(const body_grid_o *body_grid, table_t *t, const transform_columns *transform, uint32_t row,
                        box_t *out) {
  const uint8_t *enabled = t == &body_grid->bodies ? t->columns[SHOAL_COLUMN_INDEX(body, enabled)] : NULL;
  const uint32_t *category =
      t->columns[enabled ? SHOAL_COLUMN_INDEX(body, category) : SHOAL_COLUMN_INDEX(findable, category)];
  collider_t *collider = &t->boxes.colliders[row];
  if (!t->has_transform[row] || t->disabled[row] || (enabled && !enabled[row]))
    return false;
  if (is_point(transform, enabled ? NULL : t->columns[SHOAL_COLUMN_INDEX(findable, radius)], row)) {
    *collider = (collider_t){
        .entity = t->boxes.owners[row], .x = (double)transform->x[row], .y = (double)transform->y[row], .ux = 1};
  } else if (transform->parent[row] == 0) {
    *collider = build_collider(body_grid, t, t->columns, row, transform_local_basis(transform, row));
  }
  bounds_t bounds = collider_bounds(collider);
  *out = box_from_bounds(&bounds, category[row]);
  return is_finite_collider(collider);
}

static uint32_t count_changed(const table_t *t) {
  uint32_t count = 0;
  for (uint32_t row = 0; row < t->count; ++row)
    count += t->changed[row];
  return count;
}

// Updates the boxes of the rows that differ. Discards the grids if it is faster to build them again.
static void update_boxes(const body_grid_o *body_grid, table_t *t) {
  box_grid_t *grid = &t->boxes.grid;
  transform_columns transform;
  memcpy(&transform, t->transform, sizeof transform);
  if (box_grid_needs_rebuild(grid) || count_changed(t) > t->count / REBUILD_PART)
    box_grid_discard(grid);
  box_grid_resize(grid, t->count);
  for (uint32_t row = 0; row < t->count; ++row) {
    box_t box;
    if (!t->changed[row])
      continue;
    record_bounds(body_grid, t, row);
    box_grid_move(grid, row, compute_box(body_grid, t, &transform, row, &box) ? &box : NULL);
  }
  if (t->count > 0)
    memset(t->changed, 0, t->count);
  t->any_changed = t->is_deferred = false;
}

body_boxes_t *body_grid_update(world_o *w) {
  body_grid_o *body_grid = capture_moment(w);
  bool has_findables = body_grid->findables.count > 0 || body_grid->findables.any_changed;
  if (body_grid->bodies.any_changed)
    update_boxes(body_grid, &body_grid->bodies);
  if (has_findables && body_grid->findables.any_changed)
    update_boxes(body_grid, &body_grid->findables);
  body_grid->bodies.boxes.findables = has_findables ? &body_grid->findables.boxes : NULL;
  return &body_grid->bodies.boxes;
}

body_boxes_t *body_grid_sync(world_o *w) {
  body_boxes_t *boxes = body_grid_update(w);
  for (body_boxes_t *table = boxes; table; table = table->findables)
    if (!box_grid_is_built(&table->grid))
      box_grid_build(&table->grid);
  return boxes;
}

void body_grid_collect(body_boxes_t *boxes, const bounds_t *area, uint32_t mask) {
  if ((mask & boxes->grid.categories) == 0)
    return;
  if (!box_grid_is_built(&boxes->grid))
    box_grid_build(&boxes->grid);
  box_grid_collect(&boxes->grid, area, mask, &boxes->candidates);
}

void body_grid_begin_record(world_o *w) {
  body_grid_o *g = capture_moment(w);
  table_t *t = &g->bodies;
  t->former_bounds.count = 0;
  t->recorded_count = 0;
  // The boxes of entities with parents depend on more than the copies.
  t->is_deferred = t->any_changed && !t->has_children && t->boxes.grid.entries.count == t->count;
  if (t->any_changed && !t->is_deferred)
    update_boxes(g, t);
  t->recorded_count = t->count;
  if (t->count > 0)
    memset(t->copied, 0, t->count);
}

const former_bounds_t *body_grid_end_record(world_o *w, uint32_t *count) {
  body_grid_o *g = capture_moment(w);
  table_t *t = &g->bodies;
  if (t->any_changed && !t->is_deferred)
    update_boxes(g, t);
  *count = t->recorded_count > 0 ? t->former_bounds.count : 0;
  t->recorded_count = 0;
  t->is_deferred = false;
  return t->former_bounds.items;
}

void body_grid_move(body_grid_o *g, uint32_t row, const bounds_t *bounds) {
  table_t *t = &g->bodies;
  box_grid_t *grid = &t->boxes.grid;
  box_t box = box_from_bounds(bounds, grid->entries.items[row].box.category);
  box_grid_move(grid, row, &box);
  t->changed[row] = 1;
  t->any_changed = true;
}

bool body_grid_follow(world_o *w, uint32_t row, transform_basis_t basis) {
  body_grid_o *g = body_grid_find(w);
  table_t *t = &g->bodies;
  box_grid_t *grid = &t->boxes.grid;
  if (grid->entries.items[row].level == BOX_ABSENT)
    return false;
  collider_t collider = build_collider(g, t, t->columns, row, basis);
  if (are_colliders_equal(&collider, &t->boxes.colliders[row]) || !is_finite_collider(&collider))
    return false;
  bounds_t bounds = collider_bounds(&collider);
  box_t box = box_from_bounds(&bounds, grid->entries.items[row].box.category);
  t->boxes.colliders[row] = collider;
  box_grid_move(grid, row, &box);
  return true;
}
