// Saved copy of a component's rows. If no row was added, removed or moved, rows are compared in blocks of bytes;
// otherwise each row is looked up.
#include "ecs/row_copy.h"

#include "base/assert.h"

#include <string.h>

#define BLOCK_ROWS 64u // number of rows per comparison, one bit each

static void *resize_array(row_copy_t *copy, void *old, uint32_t rows, uint32_t bytes) {
  return alloc_resize(copy->allocator, old, (size_t)copy->capacity * bytes, (size_t)rows * bytes);
}

static void reserve_rows(row_copy_t *copy, uint32_t rows) {
  copy->owner = resize_array(copy, copy->owner, rows, sizeof *copy->owner);
  if (copy->instance || copy->manager->schema.kind == SCHEMA_MANY) {
    copy->instance = resize_array(copy, copy->instance, rows, sizeof *copy->instance);
    copy->next = resize_array(copy, copy->next, rows, sizeof *copy->next);
  }
  for (uint32_t c = 0; c < SCHEMA_MAX_FIELDS; ++c)
    if (copy->bytes[c] > 0)
      copy->data[c] = resize_array(copy, copy->data[c], rows, copy->bytes[c]);
  copy->capacity = rows;
}

static void set_layout(row_copy_t *copy) {
  const manager_o *m = copy->manager;
  for (uint32_t c = 0; c < SCHEMA_MAX_FIELDS; ++c) {
    bool visible = c < m->schema.field_count && !(m->schema.fields[c].flags & FIELD_HIDDEN);
    copy->bytes[c] = visible ? m->columns.element_bytes[c] : 0;
  }
}

void row_copy_init(row_copy_t *copy, manager_o *m, allocator_t *a) {
  *copy = (row_copy_t){.manager = m, .allocator = a};
  set_layout(copy);
  row_copy_refresh(copy);
}

static void free_rows(row_copy_t *copy) {
  reserve_rows(copy, 0);
  copy->instance = copy->next = NULL;
}

void row_copy_fini(row_copy_t *copy) {
  free_rows(copy);
  alloc_resize(copy->allocator, copy->first_rows, copy->first_row_capacity * sizeof *copy->first_rows, 0);
  array_free(copy->allocator, &copy->changed);
}

static bool has_layout(const row_copy_t *copy) {
  const manager_o *m = copy->manager;
  bool same = (copy->instance != NULL) == (m->schema.kind == SCHEMA_MANY) || copy->capacity == 0;
  for (uint32_t c = 0; same && c < SCHEMA_MAX_FIELDS; ++c) {
    bool visible = c < m->schema.field_count && !(m->schema.fields[c].flags & FIELD_HIDDEN);
    same = copy->bytes[c] == (visible ? m->columns.element_bytes[c] : 0);
  }
  return same;
}

void row_copy_refresh(row_copy_t *copy) {
  const manager_o *m = copy->manager;
  if (!has_layout(copy)) { // the component was redeclared
    free_rows(copy);
    set_layout(copy);
  }
  if (m->count > copy->capacity)
    reserve_rows(copy, columns_compute_capacity(copy->capacity, m->count));
  copy->count = m->count;
  copy->moves = m->moves;
  if (m->count == 0)
    return;
  memcpy(copy->owner, m->owner, m->count * sizeof *copy->owner);
  if (m->schema.kind == SCHEMA_MANY)
    memcpy(copy->instance, m->instance, m->count * sizeof *copy->instance);
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    if (copy->data[c])
      memcpy(copy->data[c], m->data[c], (size_t)m->count * copy->bytes[c]);
}

static bool are_rows_equal(const row_copy_t *copy, uint32_t row, uint32_t old_row, uint32_t rows) {
  const manager_o *m = copy->manager;
  bool same = true;
  for (uint32_t c = 0; same && c < m->schema.field_count; ++c) {
    size_t bytes = copy->bytes[c];
    same = bytes == 0 || memcmp((const char *)m->data[c] + row * bytes, (const char *)copy->data[c] + old_row * bytes,
                                rows * bytes) == 0;
  }
  return same;
}

// Compares a column of up to 64 rows. Bit i of the result is set if row i differs.
static uint64_t find_changed_rows(const char *current, const char *old, uint32_t rows, size_t bytes) {
  uint64_t changed = 0;
  for (uint32_t i = 0; i < rows && bytes == sizeof(uint32_t); ++i) {
    uint32_t a, b;
    memcpy(&a, current + i * sizeof a, sizeof a);
    memcpy(&b, old + i * sizeof b, sizeof b);
    changed |= (uint64_t)(a != b) << i;
  }
  for (uint32_t i = 0; i < rows && bytes != sizeof(uint32_t); ++i)
    changed |= (uint64_t)(memcmp(current + i * bytes, old + i * bytes, bytes) != 0) << i;
  return changed;
}

static void compare_rows_in_place(row_copy_t *copy) {
  for (uint32_t first = 0; first < copy->count; first += BLOCK_ROWS) {
    uint32_t rows = copy->count - first < BLOCK_ROWS ? copy->count - first : BLOCK_ROWS;
    uint64_t changed = 0;
    for (uint32_t c = 0; c < copy->manager->schema.field_count; ++c) {
      size_t bytes = copy->bytes[c];
      const char *current = bytes ? (const char *)copy->manager->data[c] + first * bytes : NULL;
      char *old = bytes ? (char *)copy->data[c] + first * bytes : NULL;
      if (bytes == 0 || memcmp(current, old, rows * bytes) == 0)
        continue;
      changed |= find_changed_rows(current, old, rows, bytes);
      memcpy(old, current, rows * bytes);
    }
    for (uint32_t i = 0; changed != 0; ++i, changed >>= 1)
      if (changed & 1)
        array_push(copy->allocator, &copy->changed, first + i);
  }
}

// --- comparison after rows were added, removed or moved

static void index_old_rows(row_copy_t *copy) {
  uint32_t index_count = 0;
  for (uint32_t row = 0; row < copy->count; ++row)
    if (shoal_entity_index(copy->owner[row]) >= index_count)
      index_count = shoal_entity_index(copy->owner[row]) + 1;
  if (index_count > copy->first_row_capacity) {
    copy->first_rows =
        alloc_resize(copy->allocator, copy->first_rows, copy->first_row_capacity * sizeof *copy->first_rows,
                     index_count * sizeof *copy->first_rows);
    copy->first_row_capacity = index_count;
  }
  if (copy->first_row_capacity > 0)
    memset(copy->first_rows, 0, copy->first_row_capacity * sizeof *copy->first_rows);
  for (uint32_t row = copy->count; row-- > 0;) {
    uint32_t *first = &copy->first_rows[shoal_entity_index(copy->owner[row])];
    if (copy->next)
      copy->next[row] = *first;
    *first = row + 1;
  }
}

static uint32_t find_old_row(const row_copy_t *copy, uint32_t row) {
  const manager_o *m = copy->manager;
  uint32_t index = shoal_entity_index(m->owner[row]),
           number = index < copy->first_row_capacity ? copy->first_rows[index] : 0;
  while (number != 0 &&
         (copy->owner[number - 1] != m->owner[row] || (copy->next && copy->instance[number - 1] != m->instance[row])))
    number = copy->next ? copy->next[number - 1] : 0;
  return number != 0 ? number - 1 : ROW_NONE;
}

static uint32_t compare_moved_rows(row_copy_t *copy) {
  const manager_o *m = copy->manager;
  uint32_t added = 0, remaining = 0;
  index_old_rows(copy);
  for (uint32_t row = 0; row < m->count; ++row) {
    uint32_t old_row = find_old_row(copy, row);
    added += old_row == ROW_NONE;
    remaining += old_row != ROW_NONE;
    if (old_row != ROW_NONE && !are_rows_equal(copy, row, old_row, 1))
      array_push(copy->allocator, &copy->changed, row);
  }
  shoal_assert(remaining <= copy->count, "%u rows of %s remain, but there were only %u", remaining, m->schema.name,
               copy->count);
  uint32_t removed = copy->count - remaining;
  row_copy_refresh(copy);
  return added + removed;
}

uint32_t row_copy_compare_and_refresh(row_copy_t *copy) {
  uint32_t changes = 0;
  copy->changed.count = 0;
  if (copy->moves == copy->manager->moves && copy->count == copy->manager->count)
    compare_rows_in_place(copy);
  else
    changes = compare_moved_rows(copy);
  return changes + copy->changed.count;
}
