// Implements the transform hierarchy. Invariants between two calls: a row with linked_parent p is in p's list of
// children, p has a row, and no row is its own ancestor. The list starts at first_child and continues with
// next_sibling. prev_sibling of the first child is the last child, so attaching at the end and detaching take constant
// time.
#include "transform/transform.h"

#include "base/array.h"
#include "base/assert.h"
#include "components/builtin.h"
#include "components/name.h"
#include "ecs/queued_entities.h"
#include "transform/world_positions.h"

#include <cglm/affine.h>
#include <math.h>
#include <string.h>

#define TRANSFORM_SYSTEM "shoal.transform"

// Column pointers; valid until rows are added.
typedef struct tree_t {
  world_o *world;
  const manager_o *manager;
  transform_columns fields;
} tree_t;

static tree_t open_tree(const manager_o *m) {
  shoal_assert(m, "the world has no transform");
  return (tree_t){.world = m->world, .manager = m, .fields = transform_columns_of(m)};
}

static uint32_t get_row(const tree_t *t, shoal_entity e) {
  return manager_row(t->manager, e);
}

// --- matrices

// Writes the elements directly to `out`: computing the matrix in a local variable and copying it would stall on the
// sixteen small stores and take four times as long.
static inline void write_matrix(transform_basis_t basis, float z, mat4 out) {
  out[0][0] = basis.xx;
  out[0][1] = basis.xy;
  out[0][2] = 0;
  out[0][3] = 0;
  out[1][0] = basis.yx;
  out[1][1] = basis.yy;
  out[1][2] = 0;
  out[1][3] = 0;
  out[2][0] = 0;
  out[2][1] = 0;
  out[2][2] = 1;
  out[2][3] = 0;
  out[3][0] = basis.x;
  out[3][1] = basis.y;
  out[3][2] = z;
  out[3][3] = 1;
}

static void compute_matrix(const transform_columns *t, uint32_t row, mat4 out) {
  write_matrix(transform_local_basis(t, row), t->z[row], out);
}

static void compute_local_matrix(const tree_t *t, uint32_t row, mat4 out) {
  compute_matrix(&t->fields, row, out);
}

// Computes the world matrix from the current fields of the row and its ancestors.
static void compute_current_matrix(const tree_t *t, uint32_t row, mat4 out) {
  compute_local_matrix(t, row, out);
  while (t->fields.linked_parent[row] != 0) {
    row = get_row(t, t->fields.linked_parent[row]);
    shoal_assert(row != ROW_NONE, "the parent of a linked row must have a transform");
    mat4 outer;
    compute_local_matrix(t, row, outer);
    glm_mul(outer, out, out);
  }
}

// Decomposes a matrix into the row's fields. For a mirrored matrix, scale_y is negative.
static void decompose_matrix(const tree_t *t, uint32_t row, mat4 matrix) {
  float sx = sqrtf(matrix[0][0] * matrix[0][0] + matrix[0][1] * matrix[0][1]);
  float sy = sqrtf(matrix[1][0] * matrix[1][0] + matrix[1][1] * matrix[1][1]);
  bool mirrored = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0] < 0;
  t->fields.x[row] = matrix[3][0];
  t->fields.y[row] = matrix[3][1];
  t->fields.z[row] = matrix[3][2];
  // With scale_x 0, the first column has no direction, so use the second column rotated back by a quarter turn.
  t->fields.angle[row] = sx > 0 ? atan2f(matrix[0][1], matrix[0][0]) : atan2f(-matrix[1][0], matrix[1][1]);
  t->fields.scale_x[row] = sx;
  t->fields.scale_y[row] = mirrored ? -sy : sy;
}

// --- lists of children

static void attach_row(const tree_t *t, uint32_t row, uint32_t parent_row) {
  shoal_assert(row != parent_row, "row %u would be its own parent", row);
  shoal_assert(t->fields.linked_parent[row] == 0, "row %u is already linked to a parent", row);
  shoal_entity entity = t->manager->owner[row], first = t->fields.first_child[parent_row];
  t->fields.linked_parent[row] = t->manager->owner[parent_row];
  t->fields.next_sibling[row] = 0;
  if (first == 0) {
    t->fields.first_child[parent_row] = entity;
    t->fields.prev_sibling[row] = entity;
    return;
  }
  uint32_t first_row = get_row(t, first);
  t->fields.prev_sibling[row] = t->fields.prev_sibling[first_row];
  t->fields.next_sibling[get_row(t, t->fields.prev_sibling[first_row])] = entity;
  t->fields.prev_sibling[first_row] = entity;
}

static void detach_row(const tree_t *t, uint32_t row) {
  if (t->fields.linked_parent[row] == 0)
    return;
  uint32_t parent_row = get_row(t, t->fields.linked_parent[row]);
  shoal_entity first = t->fields.first_child[parent_row], next = t->fields.next_sibling[row],
               prev = t->fields.prev_sibling[row];
  if (first == t->manager->owner[row]) {
    t->fields.first_child[parent_row] = next;
    if (next != 0)
      t->fields.prev_sibling[get_row(t, next)] = prev;
  } else {
    t->fields.next_sibling[get_row(t, prev)] = next;
    t->fields.prev_sibling[get_row(t, next != 0 ? next : first)] = prev;
  }
  t->fields.linked_parent[row] = t->fields.next_sibling[row] = t->fields.prev_sibling[row] = 0;
}

// Detaches the first child. Returns the child's row.
static uint32_t detach_first_child(const tree_t *t, uint32_t row) {
  shoal_assert(t->fields.first_child[row] != 0, "row %u has no children", row);
  uint32_t child = get_row(t, t->fields.first_child[row]);
  detach_row(t, child);
  return child;
}

static bool is_ancestor(const tree_t *t, uint32_t row, uint32_t descendant) {
  while (descendant != row && t->fields.linked_parent[descendant] != 0)
    descendant = get_row(t, t->fields.linked_parent[descendant]);
  return descendant == row;
}

// Updates the lists of children after the row's `parent` has changed.
static void relink_row(const tree_t *t, uint32_t row) {
  detach_row(t, row);
  shoal_entity parent = t->fields.parent[row];
  if (parent == 0)
    return;
  uint32_t parent_row = get_row(t, parent);
  if (parent_row == ROW_NONE) {
    // A living parent may still receive a transform. The reference to a dead parent is cleared, because its id may be
    // reused.
    if (!world_is_alive(t->world, parent))
      t->fields.parent[row] = 0;
    return;
  }
  // A row without children can only form a cycle with itself.
  bool may_form_cycle = t->fields.first_child[row] != 0 || parent_row == row;
  if (may_form_cycle && is_ancestor(t, row, parent_row)) {
    char name[NAME_DESCRIPTION_MAX];
    log_warn(world_log(t->world), "transform: %s would be its own ancestor: cleared the parent",
             name_describe(t->world, t->manager->owner[row], name, sizeof name));
    t->fields.parent[row] = 0;
    return;
  }
  attach_row(t, row, parent_row);
}

// Updates rows whose `parent` has changed. Unchanged blocks cost one comparison per row. Returns true if any row waits
// for a parent that does not have a transform yet.
static bool relink_changed_rows(const tree_t *t) {
  enum { BLOCK = 64 };
  uint32_t count = t->manager->count;
  bool has_waiting = false;
  for (uint32_t start = 0; start < count; start += BLOCK) {
    uint32_t end = count - start < BLOCK ? count : start + BLOCK;
    uint32_t difference = 0;
    for (uint32_t row = start; row < end; ++row)
      difference |= t->fields.parent[row] ^ t->fields.linked_parent[row];
    for (uint32_t row = start; row < end && difference != 0; ++row) {
      if (t->fields.parent[row] != t->fields.linked_parent[row])
        relink_row(t, row);
      has_waiting |= t->fields.parent[row] != t->fields.linked_parent[row];
    }
  }
  return has_waiting;
}

// Updates the lists of children from the `parent` column. Returns immediately if no entity field was written.
static void update_links(const tree_t *t) {
  uint8_t *written = world_links_written(t->world);
  world_update_links_version(t->world);
  if (*written && !relink_changed_rows(t))
    *written = 0;
}

void transform_update_child_lists(world_o *w) {
  tree_t t = open_tree(world_find_manager(w, "transform"));
  update_links(&t);
}

// --- reading world matrices

// Matrices are computed from the root down, whether for one row or for all, so that the results are bit-identical.
// (compute_current_matrix, for releasing children, multiplies from the row up.)

// Returns the parent's row, or ROW_NONE if the row has no parent, or a parent that is dead or has no transform.
static uint32_t find_parent_row(const tree_t *t, uint32_t row) {
  return t->fields.parent[row] != 0 ? get_row(t, t->fields.parent[row]) : ROW_NONE;
}

static void multiply_local(const tree_t *t, uint32_t row, bool has_outer, mat4 matrix) {
  mat4 local;
  if (!has_outer) {
    compute_local_matrix(t, row, matrix);
    return;
  }
  compute_local_matrix(t, row, local);
  glm_mul(matrix, local, matrix);
}

// Values of transform_matrices_t.states. A MATRIX_CIRCULAR row is treated as if it had no parent.
enum { MATRIX_UNKNOWN, MATRIX_COMPUTED, MATRIX_CIRCULAR };

// Collects the rows from `row` up to its root, or up to a row with a known matrix. Returns true on success, or false if
// these rows form a cycle or lead into a cycle.
static bool collect_ancestors(transform_matrices_t *cache, const tree_t *t, uint32_t row, uint32_t *out_count) {
  uint32_t count = 0, mark = ROW_NONE, next_mark = 1;
  while (row != ROW_NONE && row != mark && !(cache->ready && cache->states[row])) {
    if (count == next_mark) { // Brent's algorithm for cycle detection
      mark = row;
      next_mark *= 2;
    }
    if (count == cache->path_capacity)
      cache->path = array_grow(&cache->memory, cache->path, &cache->path_capacity, count + 1, sizeof *cache->path);
    cache->path[count++] = row;
    row = find_parent_row(t, row);
  }
  *out_count = count;
  return row == ROW_NONE || (row != mark && cache->states[row] == MATRIX_COMPUTED);
}

// Computes the world matrix of a row with few ancestors, without allocating memory. Returns true on success, or false
// if the row has too many ancestors.
static bool compute_near_root(const tree_t *t, uint32_t row, mat4 matrix) {
  enum { MAX_ROWS = 8 };
  uint32_t path[MAX_ROWS], count = 0;
  for (; row != ROW_NONE && count < MAX_ROWS; row = find_parent_row(t, row))
    path[count++] = row;
  if (row != ROW_NONE)
    return false;
  for (uint32_t i = count; i-- > 0;)
    multiply_local(t, path[i], i + 1 < count, matrix);
  return true;
}

static void compute_world_matrix(transform_matrices_t *cache, const tree_t *t, uint32_t row, mat4 matrix) {
  if (compute_near_root(t, row, matrix))
    return;
  uint32_t count = 0;
  bool reaches_root = collect_ancestors(cache, t, row, &count);
  if (!reaches_root)
    compute_local_matrix(t, row, matrix);
  for (uint32_t i = reaches_root ? count : 0; i-- > 0;)
    multiply_local(t, cache->path[i], i + 1 < count, matrix);
}

// Computes a world matrix like compute_world_matrix, but stores the matrices of the row and its ancestors for reuse.
static void compute_and_cache_world_matrix(transform_matrices_t *cache, const tree_t *t, uint32_t row, mat4 matrix) {
  uint32_t count = 0, parent_row = ROW_NONE;
  bool reaches_root = collect_ancestors(cache, t, row, &count);
  if (reaches_root && count > 0)
    parent_row = find_parent_row(t, cache->path[count - 1]);
  if (parent_row != ROW_NONE)
    memcpy(matrix, cache->matrices[parent_row], sizeof(mat4));
  for (uint32_t i = count; i-- > 0;) {
    uint32_t ancestor = cache->path[i];
    multiply_local(t, ancestor, reaches_root && (parent_row != ROW_NONE || i + 1 < count), matrix);
    memcpy(cache->matrices[ancestor], matrix, sizeof(mat4));
    cache->states[ancestor] = reaches_root ? MATRIX_COMPUTED : MATRIX_CIRCULAR;
  }
  memcpy(matrix, cache->matrices[row], sizeof(mat4));
}

void transform_matrices_begin(transform_matrices_t *cache, const manager_o *m) {
  cache->manager = m;
  cache->ready = false;
}

static void prepare_cache(transform_matrices_t *cache) {
  uint32_t count = cache->manager->count;
  cache->ready = true;
  if (count > cache->capacity) {
    uint32_t capacity = columns_compute_capacity(cache->capacity, count);
    cache->matrices = alloc_resize(&cache->memory, cache->matrices, cache->capacity * sizeof *cache->matrices,
                                   capacity * sizeof *cache->matrices);
    cache->states = alloc_resize(&cache->memory, cache->states, cache->capacity, capacity);
    cache->capacity = capacity;
  }
  memset(cache->states, MATRIX_UNKNOWN, count);
}

static void write_row_matrix(transform_matrices_t *cache, const tree_t *t, uint32_t row, float out[16]) {
  mat4 matrix;
  if (row == ROW_NONE) {
    glm_mat4_identity(matrix);
  } else if (t->fields.parent[row] == 0) {
    compute_local_matrix(t, row, matrix);
  } else {
    if (!cache->ready)
      prepare_cache(cache);
    compute_and_cache_world_matrix(cache, t, row, matrix);
  }
  memcpy(out, matrix, sizeof matrix);
}

void transform_compute_world_matrix(transform_matrices_t *cache, uint32_t row, float out[16]) {
  shoal_assert(cache->manager && row < cache->manager->count, "row %u is out of range (count %u)", row,
               cache->manager ? cache->manager->count : 0);
  tree_t t = open_tree(cache->manager);
  write_row_matrix(cache, &t, row, out);
}

transform_basis_t transform_compute_world_basis(transform_matrices_t *cache, uint32_t row) {
  float matrix[16];
  transform_compute_world_matrix(cache, row, matrix);
  return (transform_basis_t){matrix[0], matrix[1], matrix[4], matrix[5], matrix[12], matrix[13]};
}

void transform_matrices_end(transform_matrices_t *cache) {
  alloc_resize(&cache->memory, cache->matrices, cache->capacity * sizeof *cache->matrices, 0);
  alloc_resize(&cache->memory, cache->states, cache->capacity, 0);
  alloc_resize(&cache->memory, cache->path, cache->path_capacity * sizeof *cache->path, 0);
  shoal_assert(cache->memory.bytes == 0, "a transform cursor leaked %zu bytes", cache->memory.bytes);
  *cache = (transform_matrices_t){0};
}

// Writes the matrix or, if `element` is not negative, this element of the matrix, to element `i` of `out`.
static void store_world_field(mat4 matrix, int32_t element, void *out, uint32_t i) {
  if (element < 0)
    memcpy((float *)out + (size_t)i * 16, matrix, sizeof(mat4));
  else
    ((float *)out)[i] = matrix[element / 4][element % 4];
}

// Returns the index of the matrix element that a derived field contains, or -1 for the whole matrix.
static int32_t get_matrix_element(uint32_t field) {
  shoal_assert(field >= SHOAL_COLUMN_INDEX(transform, world) && field <= SHOAL_COLUMN_INDEX(transform, world_y),
               "field %u of transform is not derived", field);
  return field == SHOAL_COLUMN_INDEX(transform, world) ? -1 : field == SHOAL_COLUMN_INDEX(transform, world_x) ? 12 : 13;
}

static void compute_world_field(void *context, const manager_o *manager, uint32_t field, const uint32_t *rows,
                                uint32_t first, uint32_t count, void *out) {
  enum { MAX_UNCACHED_ROWS = 4 };
  (void)context;
  int32_t element = get_matrix_element(field);
  tree_t t = open_tree(manager);
  transform_matrices_t cache = {.manager = manager};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = rows ? rows[i] : first + i;
    mat4 matrix;
    if (count > MAX_UNCACHED_ROWS || row == ROW_NONE || t.fields.parent[row] == 0)
      write_row_matrix(&cache, &t, row, (float *)matrix);
    else
      compute_world_matrix(&cache, &t, row, matrix);
    store_world_field(matrix, element, out, i);
  }
  transform_matrices_end(&cache);
}

static void compute_world_columns(void *context, const manager_o *manager, const uint32_t *rows, uint32_t count,
                                  float *const *columns, manager_workspace_t *workspace) {
  (void)context;
  world_positions_compute(manager, rows, count, columns[0], columns[1], workspace);
}

uint32_t transform_list_children(world_o *w, shoal_entity entity, shoal_entity *out, uint32_t max) {
  const manager_o *manager = world_find_manager(w, "transform");
  uint32_t row = manager_row(manager, entity), count = 0;
  if (row == ROW_NONE)
    return world_is_queued(w, entity) ? queued_list_children(w, entity, out, max) : 0;
  tree_t t = open_tree(manager);
  update_links(&t);
  for (shoal_entity child = t.fields.first_child[row]; child != 0; child = t.fields.next_sibling[get_row(&t, child)]) {
    if (count < max)
      out[count] = child;
    ++count;
  }
  return count;
}

shoal_entity transform_find_parent(world_o *w, shoal_entity entity) {
  const manager_o *manager = world_find_manager(w, "transform");
  uint32_t row = manager_row(manager, entity);
  if (row == ROW_NONE && world_is_queued(w, entity)) {
    row = queued_row(w, entity, manager->id);
    manager = queued_manager(w, manager->id);
  }
  if (row == ROW_NONE)
    return 0;
  shoal_entity parent = ((const shoal_entity *)manager_column(manager, SHOAL_COLUMN_INDEX(transform, parent)))[row];
  bool has_row = manager_row(world_manager(w, manager->id), parent) != ROW_NONE ||
                 (world_is_queued(w, parent) && queued_row(w, parent, manager->id) != ROW_NONE);
  return has_row ? parent : 0;
}

// --- hooks

static void on_added(void *context, world_o *w, manager_o *manager, const uint32_t *rows, uint32_t count) {
  (void)context;
  tree_t t = open_tree(manager);
  for (uint32_t i = 0; i < count; ++i)
    t.fields.first_child[rows[i]] = t.fields.next_sibling[rows[i]] = t.fields.prev_sibling[rows[i]] =
        t.fields.linked_parent[rows[i]] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (t.fields.parent[rows[i]] == 0)
      continue;
    relink_row(&t, rows[i]);
    *world_links_written(w) |= t.fields.parent[rows[i]] != t.fields.linked_parent[rows[i]];
  }
}

static void release_children(const tree_t *t, uint32_t row) {
  mat4 outer;
  if (t->fields.first_child[row] != 0)
    compute_current_matrix(t, row, outer);
  while (t->fields.first_child[row] != 0) {
    uint32_t child = detach_first_child(t, row);
    mat4 matrix;
    compute_local_matrix(t, child, matrix);
    glm_mul(outer, matrix, matrix);
    t->fields.parent[child] = 0;
    decompose_matrix(t, child, matrix);
  }
}

static void on_died(void *context, world_o *w, manager_o *manager, const shoal_entity *entities, uint32_t count) {
  (void)context;
  tree_t t = open_tree(manager);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t root = get_row(&t, entities[i]), row = root;
    // Visits the descendants depth-first: descends to a row without children, detaches it, and continues with its
    // parent. The hook is called again for the entities destroyed here, but by then their rows have no children.
    while (row != ROW_NONE) {
      if (t.fields.orphan[row])
        release_children(&t, row);
      if (t.fields.first_child[row] != 0) {
        row = get_row(&t, t.fields.first_child[row]);
        world_destroy_entity(w, manager->owner[row]);
        continue;
      }
      uint32_t parent_row = row == root ? ROW_NONE : get_row(&t, t.fields.linked_parent[row]);
      detach_row(&t, row);
      row = parent_row;
    }
  }
}

static void on_removing(void *context, world_o *w, manager_o *manager, const shoal_entity *entities, uint32_t count) {
  (void)context;
  tree_t t = open_tree(manager);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = get_row(&t, entities[i]);
    detach_row(&t, row);
    // The children of an entity that survives keep it as their `parent`, and are attached again if the entity gets a
    // new transform.
    while (t.fields.first_child[row] != 0) {
      detach_first_child(&t, row);
      *world_links_written(w) = 1;
    }
  }
}

// --- after a restore

// Checks the list of a row's children link by link. Returns their number, or -1 if the list is invalid or empty. Each
// child must refer to its parent and its predecessor, so lists can neither overlap nor be endless.
static int64_t count_children(const tree_t *t, uint32_t row) {
  shoal_entity previous = 0;
  int64_t count = 0;
  uint32_t first = get_row(t, t->fields.first_child[row]), last = first;
  for (uint32_t child = first; child != ROW_NONE; child = get_row(t, t->fields.next_sibling[child])) {
    if (t->fields.linked_parent[child] != t->manager->owner[row] ||
        (previous != 0 && t->fields.prev_sibling[child] != previous))
      return -1;
    previous = t->manager->owner[child];
    last = child;
    if (++count > t->manager->count ||
        (t->fields.next_sibling[child] != 0 && get_row(t, t->fields.next_sibling[child]) == ROW_NONE))
      return -1;
  }
  return first != ROW_NONE && t->fields.prev_sibling[first] == t->manager->owner[last] ? count : -1;
}

// Returns the number of descendants of `root`, which must have children. Terminates because all lists have already been
// checked.
static uint32_t count_descendants(const tree_t *t, uint32_t root) {
  uint32_t count = 0, row = get_row(t, t->fields.first_child[root]);
  for (;;) {
    count++;
    if (t->fields.first_child[row] != 0) {
      row = get_row(t, t->fields.first_child[row]);
      continue;
    }
    while (t->fields.next_sibling[row] == 0) {
      row = get_row(t, t->fields.linked_parent[row]);
      if (row == root)
        return count;
    }
    row = get_row(t, t->fields.next_sibling[row]);
  }
}

// Returns true if the links satisfy the invariants at the head of this file. Rows that cannot be reached from a root
// form a cycle.
static bool is_tree(const tree_t *t) {
  uint32_t count = t->manager->count, linked_count = 0, descendant_count = 0;
  int64_t listed_count = 0;
  for (uint32_t row = 0; row < count; ++row) {
    linked_count += t->fields.linked_parent[row] != 0;
    if (t->fields.linked_parent[row] == 0 && (t->fields.next_sibling[row] != 0 || t->fields.prev_sibling[row] != 0))
      return false;
    if (t->fields.first_child[row] == 0)
      continue;
    int64_t child_count = count_children(t, row);
    if (child_count < 0)
      return false;
    listed_count += child_count;
  }
  if (listed_count != linked_count)
    return false;
  for (uint32_t row = 0; row < count && linked_count > 0; ++row)
    if (t->fields.linked_parent[row] == 0 && t->fields.first_child[row] != 0)
      descendant_count += count_descendants(t, row);
  return descendant_count == linked_count;
}

// Checks the restored links, because saves are untrusted. If any link is invalid, rebuilds all links from
// `parent`.
static void on_restored(void *context, world_o *w, manager_o *manager) {
  (void)context;
  tree_t t = open_tree(manager);
  *world_links_written(w) = 1;
  if (is_tree(&t))
    return;
  for (uint32_t row = 0; row < manager->count; ++row)
    t.fields.first_child[row] = t.fields.next_sibling[row] = t.fields.prev_sibling[row] = t.fields.linked_parent[row] =
        0;
  relink_changed_rows(&t);
  shoal_assert(is_tree(&t), "the rebuilt links do not form a tree");
}

bool transform_declare(world_o *w, error_info_t *error) {
  if (!builtin_declare_derived(w, &transform_component, 3, error))
    return false;
  uint32_t id = world_find_manager(w, "transform")->id;
  world_set_hooks(w, id,
                  &(manager_hooks_t){.added = on_added,
                                     .removing = on_removing,
                                     .died = on_died,
                                     .restored = on_restored,
                                     .derive = compute_world_field,
                                     .derive_columns = compute_world_columns});
  return true;
}

static void run_system(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)number, (void)dt_s;
  transform_update_child_lists(w);
  if (context)
    waiting_parents_check(context);
}

bool transform_schedule(waiting_parents_o *waiting, schedule_o *s, error_info_t *error) {
  system_desc_t desc = {
      .name = TRANSFORM_SYSTEM, .phase = PHASE_POST_UPDATE, .priority = -1000, .run = run_system, .context = waiting};
  return schedule_add_system(s, &desc, error);
}
