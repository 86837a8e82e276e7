// Saved copy of a component's rows. If no row was added, removed or moved, rows are compared in blocks of bytes;
// otherwise each row is looked up.
#include "ecs/row_copy.h"

#include "base/assert.h"

#include <string.h>

#define BLOCK 64u // rows per comparison, one bit each

static void *resize_array(row_copy_t *s, void *old, uint32_t rows, uint32_t bytes) {
  return alloc_resize(s->allocator, old, (size_t)s->capacity * bytes, (size_t)rows * bytes);
}

static void reserve_rows(row_copy_t *s, uint32_t rows) {
  s->owner = resize_array(s, s->owner, rows, sizeof *s->owner);
  if (s->instance || s->manager->schema.kind == SCHEMA_MANY) {
    s->instance = resize_array(s, s->instance, rows, sizeof *s->instance);
    s->next = resize_array(s, s->next, rows, sizeof *s->next);
  }
  for (uint32_t c = 0; c < SCHEMA_MAX_FIELDS; ++c)
    if (s->bytes[c] > 0)
      s->data[c] = resize_array(s, s->data[c], rows, s->bytes[c]);
  s->capacity = rows;
}

static void set_layout(row_copy_t *s) {
  const manager_o *m = s->manager;
  for (uint32_t c = 0; c < SCHEMA_MAX_FIELDS; ++c) {
    bool seen = c < m->schema.field_count && !(m->schema.fields[c].flags & FIELD_HIDDEN);
    s->bytes[c] = seen ? m->columns.element_bytes[c] : 0;
  }
}

void row_copy_init(row_copy_t *s, manager_o *m, allocator_t *a) {
  *s = (row_copy_t){.manager = m, .allocator = a};
  set_layout(s);
  row_copy_refresh(s);
}

static void free_rows(row_copy_t *s) {
  reserve_rows(s, 0);
  s->instance = s->next = NULL;
}

void row_copy_fini(row_copy_t *s) {
  free_rows(s);
  alloc_resize(s->allocator, s->first, s->first_capacity * sizeof *s->first, 0);
  array_free(s->allocator, &s->changed);
}

static bool has_layout(const row_copy_t *s) {
  const manager_o *m = s->manager;
  bool same = (s->instance != NULL) == (m->schema.kind == SCHEMA_MANY) || s->capacity == 0;
  for (uint32_t c = 0; same && c < SCHEMA_MAX_FIELDS; ++c) {
    bool seen = c < m->schema.field_count && !(m->schema.fields[c].flags & FIELD_HIDDEN);
    same = s->bytes[c] == (seen ? m->columns.element_bytes[c] : 0);
  }
  return same;
}

void row_copy_refresh(row_copy_t *s) {
  const manager_o *m = s->manager;
  if (!has_layout(s)) { // the component was redeclared
    free_rows(s);
    set_layout(s);
  }
  if (m->count > s->capacity)
    reserve_rows(s, columns_grown_capacity(s->capacity, m->count));
  s->count = m->count;
  s->moves = m->moves;
  if (m->count == 0)
    return;
  memcpy(s->owner, m->owner, m->count * sizeof *s->owner);
  if (m->schema.kind == SCHEMA_MANY)
    memcpy(s->instance, m->instance, m->count * sizeof *s->instance);
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    if (s->data[c])
      memcpy(s->data[c], m->data[c], (size_t)m->count * s->bytes[c]);
}

static bool are_rows_equal(const row_copy_t *s, uint32_t row, uint32_t old, uint32_t rows) {
  const manager_o *m = s->manager;
  bool same = true;
  for (uint32_t c = 0; same && c < m->schema.field_count; ++c) {
    size_t bytes = s->bytes[c];
    same = bytes == 0 ||
           memcmp((const char *)m->data[c] + row * bytes, (const char *)s->data[c] + old * bytes, rows * bytes) == 0;
  }
  return same;
}

// Compares a column of up to 64 rows. Bit i is set if row i differs.
static uint64_t find_changed_rows(const char *now, const char *old, uint32_t rows, size_t bytes) {
  uint64_t different = 0;
  for (uint32_t i = 0; i < rows && bytes == sizeof(uint32_t); ++i) {
    uint32_t a, b;
    memcpy(&a, now + i * sizeof a, sizeof a);
    memcpy(&b, old + i * sizeof b, sizeof b);
    different |= (uint64_t)(a != b) << i;
  }
  for (uint32_t i = 0; i < rows && bytes != sizeof(uint32_t); ++i)
    different |= (uint64_t)(memcmp(now + i * bytes, old + i * bytes, bytes) != 0) << i;
  return different;
}

static void compare_rows_in_place(row_copy_t *s) {
  for (uint32_t at = 0; at < s->count; at += BLOCK) {
    uint32_t rows = s->count - at < BLOCK ? s->count - at : BLOCK;
    uint64_t different = 0;
    for (uint32_t c = 0; c < s->manager->schema.field_count; ++c) {
      size_t bytes = s->bytes[c];
      const char *now = bytes ? (const char *)s->manager->data[c] + at * bytes : NULL;
      char *old = bytes ? (char *)s->data[c] + at * bytes : NULL;
      if (bytes == 0 || memcmp(now, old, rows * bytes) == 0)
        continue;
      different |= find_changed_rows(now, old, rows, bytes);
      memcpy(old, now, rows * bytes);
    }
    for (uint32_t i = 0; different != 0; ++i, different >>= 1)
      if (different & 1)
        array_push(s->allocator, &s->changed, at + i);
  }
}

// --- comparison after rows were added, removed or moved

static void index_old_rows(row_copy_t *s) {
  uint32_t needed = 0;
  for (uint32_t row = 0; row < s->count; ++row)
    if (shoal_entity_index(s->owner[row]) >= needed)
      needed = shoal_entity_index(s->owner[row]) + 1;
  if (needed > s->first_capacity) {
    s->first = alloc_resize(s->allocator, s->first, s->first_capacity * sizeof *s->first, needed * sizeof *s->first);
    s->first_capacity = needed;
  }
  if (s->first_capacity > 0)
    memset(s->first, 0, s->first_capacity * sizeof *s->first);
  for (uint32_t row = s->count; row-- > 0;) {
    uint32_t *first = &s->first[shoal_entity_index(s->owner[row])];
    if (s->next)
      s->next[row] = *first;
    *first = row + 1;
  }
}

static uint32_t find_old_row(const row_copy_t *s, uint32_t row) {
  const manager_o *m = s->manager;
  uint32_t at = shoal_entity_index(m->owner[row]), old = at < s->first_capacity ? s->first[at] : 0;
  while (old != 0 && (s->owner[old - 1] != m->owner[row] || (s->next && s->instance[old - 1] != m->instance[row])))
    old = s->next ? s->next[old - 1] : 0;
  return old != 0 ? old - 1 : ROW_NONE;
}

static uint32_t compare_moved_rows(row_copy_t *s) {
  const manager_o *m = s->manager;
  uint32_t came = 0, stayed = 0;
  index_old_rows(s);
  for (uint32_t row = 0; row < m->count; ++row) {
    uint32_t old = find_old_row(s, row);
    came += old == ROW_NONE;
    stayed += old != ROW_NONE;
    if (old != ROW_NONE && !are_rows_equal(s, row, old, 1))
      array_push(s->allocator, &s->changed, row);
  }
  shoal_assert(stayed <= s->count, "%u rows of %s remain, but there were only %u", stayed, m->schema.name, s->count);
  uint32_t went = s->count - stayed;
  row_copy_refresh(s);
  return came + went;
}

uint32_t row_copy_compare_and_refresh(row_copy_t *s) {
  uint32_t different = 0;
  s->changed.count = 0;
  if (s->moves == s->manager->moves && s->count == s->manager->count)
    compare_rows_in_place(s);
  else
    different = compare_moved_rows(s);
  return different + s->changed.count;
}
