// Computes the world positions of many transforms in one call, with the same bits as their world matrices
// (transform.c).
//
// A row without a parent has its own position. For all remaining rows, the matrices of the parents are computed first.
// The parents are listed so that ancestors precede their descendants. The sines and cosines of angles that have changed
// are computed for a block at a time, and each matrix is the parent's matrix times the local matrix. A row then needs
// only the last column of its matrix. Later calls reuse the lists, sines and cosines until rows or their parents
// change.
#include "transform/world_positions.h"

#include "base/assert.h"
#include "base/exact_math_arrays.h"
#include "transform/transform.h"

#include <string.h>

#define VISITED UINT32_MAX // value of `numbers` while the ancestors of a row are listed
// Values of `outer`: the row has no parent, or its parents form a cycle, so it counts as a row without a parent.
#define NO_OUTER 0
#define CIRCULAR (UINT32_MAX - 1)

// A row with a parent, whose position is computed last.
typedef struct child_t {
  uint32_t row;
  uint32_t outer; // number of the parent
} child_t;

// Four floats. cglm's vectors are not used, because cglm has no such type on arm64 and fuses multiplication and
// addition (one rounding) on some processors.
typedef float float4_t __attribute__((vector_size(16)));

// The first two rows of a world matrix; each vector contains two columns.
typedef struct matrix_t {
  float4_t columns_01, columns_23;
} matrix_t;

// Header of the workspace: describes the rows for which the lists were made, and contains the lengths of the lists.
typedef struct header_t {
  uint64_t moves; // `moves` of the component's manager when the lists were made
  uint32_t parent_count, query_count;
  uint32_t is_mapped, child_count, row_count;
  uint32_t has_sines; // 1 if the angles, sines and cosines of the listed rows are known from an earlier call
} header_t;

typedef struct positions_t {
  const manager_o *manager;
  transform_columns fields;
  const uint32_t *query_rows; // rows to compute; NULL: the first `query_count` rows
  uint32_t query_count;
  // Parts of the workspace. `known_parents` and `known_rows`: the parents and the query's rows for which the lists were
  // made.
  header_t *header;
  shoal_entity *known_parents;
  uint32_t *known_rows;
  child_t *children;
  // Rows whose matrix is needed, numbered from 1, and indexed by number - 1.
  uint32_t *rows;
  uint32_t *outer;     // number of the row's parent, NO_OUTER or CIRCULAR
  uint32_t *numbers;   // number of each component row; 0 if its matrix is not needed, or VISITED; indexed by row
  uint32_t parent_row; // row of the most recently found parent
} positions_t;

// Sets the addresses of the workspace's parts.
static void set_addresses(positions_t *p, char *memory) {
  uint32_t parents = p->manager->count;
  p->header = (header_t *)(void *)memory;
  p->known_parents = (shoal_entity *)(p->header + 1);
  p->known_rows = p->known_parents + parents;
  p->rows = p->known_rows + (p->query_rows ? p->query_count : 0);
  p->outer = p->rows + parents;
  p->numbers = p->outer + parents;
  p->children = (child_t *)(void *)(p->numbers + parents);
}

static size_t get_list_bytes(const positions_t *p) {
  size_t rows = p->query_count, parents = p->manager->count;
  size_t bytes =
      sizeof(header_t) + rows * sizeof(child_t) + (4 * parents + (p->query_rows ? rows : 0)) * sizeof(uint32_t);
  return (bytes + _Alignof(matrix_t) - 1) / _Alignof(matrix_t) * _Alignof(matrix_t);
}

// Returns the row of a parent, or ROW_NONE if the parent is dead or has no transform. Often, consecutive rows have the
// same parent or consecutive parents.
static inline uint32_t find_parent_row(positions_t *p, shoal_entity parent) {
  const shoal_entity *owner = p->manager->owner;
  uint32_t guess = p->parent_row, next = guess + 1 < p->manager->count ? guess + 1 : guess;
  if (owner[next] == parent)
    return p->parent_row = next;
  if (owner[guess] == parent)
    return guess;
  uint32_t row = manager_row(p->manager, parent);
  p->parent_row = row == ROW_NONE ? guess : row;
  return row;
}

static inline uint32_t find_outer_row(positions_t *p, uint32_t row) {
  shoal_entity parent = p->fields.parent[row];
  return parent == 0 ? ROW_NONE : find_parent_row(p, parent);
}

// Appends `row` and all its ancestors that are not listed yet, ancestors first.
static void list_with_ancestors(positions_t *p, uint32_t row) {
  uint32_t first = p->header->row_count, end = first;
  while (row != ROW_NONE && p->numbers[row] == 0) {
    p->numbers[row] = VISITED;
    p->rows[end++] = row;
    row = find_outer_row(p, row);
  }
  bool is_circular = row != ROW_NONE && (p->numbers[row] == VISITED || p->outer[p->numbers[row] - 1] == CIRCULAR);
  uint32_t outer = row == ROW_NONE ? NO_OUTER : p->numbers[row];
  for (uint32_t a = first, b = end; a + 1 < b; ++a) {
    uint32_t swapped = p->rows[a];
    p->rows[a] = p->rows[--b];
    p->rows[b] = swapped;
  }
  for (uint32_t i = first; i < end; ++i) {
    p->outer[i] = is_circular ? CIRCULAR : outer;
    outer = p->numbers[p->rows[i]] = i + 1;
  }
  p->header->row_count = end;
}

static void list_row(positions_t *p, uint32_t row) {
  uint32_t parent_row = find_outer_row(p, row);
  if (parent_row == ROW_NONE)
    return;
  if (p->numbers[parent_row] == 0)
    list_with_ancestors(p, parent_row);
  p->children[p->header->child_count++] = (child_t){row, p->numbers[parent_row]};
}

static bool are_lists_valid(const positions_t *p) {
  const header_t *h = p->header;
  size_t parent_bytes = p->manager->count * sizeof *p->known_parents;
  return h->moves == p->manager->moves && h->parent_count == p->manager->count && h->query_count == p->query_count &&
         h->is_mapped == (p->query_rows != NULL) && memcmp(p->known_parents, p->fields.parent, parent_bytes) == 0 &&
         (!p->query_rows || memcmp(p->known_rows, p->query_rows, p->query_count * sizeof *p->known_rows) == 0);
}

static void make_lists(positions_t *p) {
  uint32_t parents = p->manager->count;
  *p->header = (header_t){.moves = p->manager->moves,
                          .parent_count = parents,
                          .query_count = p->query_count,
                          .is_mapped = p->query_rows != NULL};
  memcpy(p->known_parents, p->fields.parent, parents * sizeof *p->known_parents);
  if (p->query_rows)
    memcpy(p->known_rows, p->query_rows, p->query_count * sizeof *p->known_rows);
  memset(p->numbers, 0, parents * sizeof *p->numbers);
  for (uint32_t i = 0; i < p->query_count; ++i)
    if (!p->query_rows || p->query_rows[i] != ROW_NONE)
      list_row(p, p->query_rows ? p->query_rows[i] : i);
}

static void copy_local_positions(const positions_t *p, float *x, float *y) {
  const float *from_x = p->fields.x, *from_y = p->fields.y;
  if (!p->query_rows) {
    memcpy(x, from_x, p->query_count * sizeof *x);
    memcpy(y, from_y, p->query_count * sizeof *y);
    return;
  }
  for (uint32_t i = 0; i < p->query_count; ++i) {
    uint32_t row = p->query_rows[i];
    if (row != ROW_NONE)
      x[row] = from_x[row], y[row] = from_y[row];
  }
}

enum { BLOCK = 128 };

// Angles for which sines and cosines are known, indexed by number - 1.
typedef struct sines_t {
  float *angles, *sines, *cosines;
} sines_t;

// Computes the sines and cosines for the angles of `count` rows, at most BLOCK. `changed`: indices of the rows.
static void compute_changed_sines(const sines_t *s, const uint32_t *changed, uint32_t count) {
  const exact_array_t *functions = exact_math_arrays();
  double sines[BLOCK], cosines[BLOCK];
  for (uint32_t i = 0; i < count; ++i)
    sines[i] = cosines[i] = (double)s->angles[changed[i]];
  functions[EXACT_ARRAY_SIN](sines, NULL, count);
  functions[EXACT_ARRAY_COS](cosines, NULL, count);
  for (uint32_t i = 0; i < count; ++i) {
    bool is_turned = s->angles[changed[i]] != 0; // the sine of -0 is 0, as in transform.c
    s->sines[changed[i]] = is_turned ? (float)sines[i] : 0;
    s->cosines[changed[i]] = is_turned ? (float)cosines[i] : 1;
  }
}

// Updates the sines and cosines of rows whose angles have changed since the previous call, among at most BLOCK listed
// rows.
static void update_sines(const positions_t *p, const sines_t *s, uint32_t first, uint32_t end) {
  uint32_t changed[BLOCK], changed_count = 0;
  for (uint32_t i = first; i < end; ++i) {
    uint32_t current, known; // compared as bits, which takes fewer instructions
    memcpy(&current, &p->fields.angle[p->rows[i]], sizeof current);
    memcpy(&known, &s->angles[i], sizeof known);
    memcpy(&s->angles[i], &current, sizeof current);
    changed[changed_count] = i;
    changed_count += current != known;
  }
  if (changed_count > 0)
    compute_changed_sines(s, changed, changed_count);
}

static void reset_sines(const positions_t *p, const sines_t *s) {
  for (uint32_t i = 0; i < p->header->row_count; ++i)
    s->angles[i] = s->sines[i] = 0, s->cosines[i] = 1;
  p->header->has_sines = 1;
}

static inline float4_t pair(float low, float high) {
  return (float4_t){low, low, high, high};
}

static inline float4_t all(float v) {
  return (float4_t){v, v, v, v};
}

#define LOW_TWICE(v_) __builtin_shufflevector(v_, v_, 0, 1, 0, 1)
#define HIGH_TWICE(v_) __builtin_shufflevector(v_, v_, 2, 3, 2, 3)

// Multiplies a parent's matrix by two columns of a matrix, whose first three rows are `x`, `y` and `z`, in glm_mul's
// order of operations.
static inline float4_t multiply_columns(const matrix_t *outer, float4_t x, float4_t y, float4_t z) {
  float4_t sum = x * LOW_TWICE(outer->columns_01);
  sum += y * HIGH_TWICE(outer->columns_01);
  return sum + z * LOW_TWICE(outer->columns_23);
}

// Writes the matrix of a row from its position, its scale, and the sine and cosine of its angle. `outer`: the matrix of
// its parent, or NULL.
static inline void compute_matrix(const matrix_t *outer, const transform_columns *t, uint32_t row, float sine,
                                  float cosine, matrix_t *out) {
  float sx = t->scale_x[row], sy = t->scale_y[row], x = t->x[row], y = t->y[row], z = t->z[row];
  if (!outer) {
    *out = (matrix_t){{cosine * sx, sine * sx, -(sine * sy), cosine * sy}, {0, 0, x, y}};
    return;
  }
  const float4_t position = __builtin_shufflevector(pair(0, 0), outer->columns_23, 0, 1, 6, 7);
  out->columns_01 = multiply_columns(outer, pair(cosine * sx, -(sine * sy)), pair(sine * sx, cosine * sy), pair(0, 0));
  // Adding the zeros of `position` does not change the third column, because it is never -0.
  out->columns_23 = multiply_columns(outer, pair(0, x), pair(0, y), pair(1, z)) + position;
}

static void compute_matrices(const positions_t *p, const sines_t *s, uint32_t first, uint32_t end, matrix_t *matrices) {
  for (uint32_t i = first; i < end; ++i) {
    uint32_t outer = p->outer[i];
    compute_matrix(outer == NO_OUTER || outer == CIRCULAR ? NULL : &matrices[outer - 1], &p->fields, p->rows[i],
                   s->sines[i], s->cosines[i], &matrices[i]);
  }
}

// Writes the positions of the children, starting at child `first`, until a parent's matrix is not among the first
// `matrix_count` matrices. Returns the index of the next child.
static uint32_t compute_children(const positions_t *p, uint32_t first, const matrix_t *matrices, uint32_t matrix_count,
                                 float *x, float *y) {
  const transform_columns *t = &p->fields;
  uint32_t i = first;
  for (; i < p->header->child_count && p->children[i].outer <= matrix_count; ++i) {
    uint32_t row = p->children[i].row, outer = p->children[i].outer;
    if (p->outer[outer - 1] == CIRCULAR)
      continue;
    // Multiply as multiply_columns does, but use only the first two numbers.
    const matrix_t *matrix = &matrices[outer - 1];
    float4_t position = all(t->x[row]) * matrix->columns_01;
    position += all(t->y[row]) * HIGH_TWICE(matrix->columns_01);
    position += all(t->z[row]) * matrix->columns_23;
    position = HIGH_TWICE(matrix->columns_23) + position;
    x[row] = position[0];
    y[row] = position[1];
  }
  return i;
}

// Computes the matrices block by block, and the children of each block while its matrices are in the cache.
static void compute_positions(const positions_t *p, const sines_t *s, matrix_t *matrices, float *x, float *y) {
  uint32_t row_count = p->header->row_count, child = 0;
  for (uint32_t first = 0; first < row_count; first += BLOCK) {
    uint32_t end = row_count - first < BLOCK ? row_count : first + BLOCK;
    update_sines(p, s, first, end);
    compute_matrices(p, s, first, end, matrices);
    child = compute_children(p, child, matrices, end, x, y);
  }
}

void world_positions_compute(const manager_o *transform, const uint32_t *rows, uint32_t count, float *x, float *y,
                             manager_workspace_t *workspace) {
  positions_t p = {
      .manager = transform, .fields = transform_columns_of(transform), .query_rows = rows, .query_count = count};
  size_t list_bytes = get_list_bytes(&p);
  bool is_new = list_bytes > workspace->bytes;
  if (count == 0)
    return;
  copy_local_positions(&p, x, y);
  set_addresses(&p, manager_reserve_workspace(transform, workspace, list_bytes));
  if (is_new || !are_lists_valid(&p))
    make_lists(&p);
  if (p.header->child_count == 0)
    return;
  size_t row_count = p.header->row_count, row_bytes = sizeof(matrix_t) + 3 * sizeof(float);
  char *memory = manager_reserve_workspace(transform, workspace, list_bytes + row_count * row_bytes);
  set_addresses(&p, memory);
  matrix_t *matrices = (matrix_t *)(void *)(memory + list_bytes);
  float *sines = (float *)(void *)(matrices + row_count);
  const sines_t known = {sines, sines + row_count, sines + 2 * row_count};
  if (!p.header->has_sines)
    reset_sines(&p, &known);
  compute_positions(&p, &known, matrices, x, y);
}
