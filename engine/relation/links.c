// Lists through nodes, one for each entity that is named; and their order, which is that of the entities that point.
#include "relation/links.h"

#include "base/assert.h"

#include <string.h>

#define FEW 32u        // that are sorted by insertion
#define RADIX_BITS 11u // of an entity's index, which has twice as many
#define RADIX (1u << RADIX_BITS)

static bool by_row(const links_t *x) {
  return x->manager->schema.kind == SCHEMA_MANY;
}

static uint32_t node_of(const links_t *x, uint32_t row) {
  return by_row(x) ? row : shoal_entity_index(x->manager->owner[row]);
}

static const shoal_entity *column_of(const links_t *x) {
  return x->manager->data[x->column];
}

links_t *links_create(manager_o *m, uint32_t column, allocator_t *a) {
  shoal_assert(m->schema.fields[column].type == FIELD_ENTITY, "%s.%s names no entity", m->schema.name,
               m->schema.fields[column].name);
  links_t *x = alloc_resize(a, NULL, 0, sizeof *x);
  *x = (links_t){.manager = m, .column = column, .allocator = a};
  return x;
}

static void free_nodes(links_t *x) {
  size_t bytes = x->capacity * sizeof(uint32_t);
  x->next = alloc_resize(x->allocator, x->next, bytes, 0);
  x->prev = alloc_resize(x->allocator, x->prev, bytes, 0);
  x->named = alloc_resize(x->allocator, x->named, bytes, 0);
  x->head = alloc_resize(x->allocator, x->head, x->head_capacity * sizeof *x->head, 0);
  x->capacity = x->head_capacity = 0;
}

void links_destroy(links_t *x) {
  free_nodes(x);
  alloc_resize(x->allocator, x, sizeof *x, 0);
}

static uint32_t *grow(const links_t *x, uint32_t *old, uint32_t from, uint32_t to) {
  uint32_t *made = alloc_resize(x->allocator, old, from * sizeof *made, to * sizeof *made);
  memset(made + from, 0, (to - from) * sizeof *made);
  return made;
}

static uint32_t grown(uint32_t capacity, uint32_t wanted) {
  uint32_t twice = capacity < 64 ? 64 : capacity * 2;
  return wanted > twice ? wanted : twice;
}

static void reserve_nodes(links_t *x, uint32_t wanted) {
  if (wanted <= x->capacity)
    return;
  uint32_t to = grown(x->capacity, wanted);
  x->next = grow(x, x->next, x->capacity, to);
  x->prev = grow(x, x->prev, x->capacity, to);
  x->named = grow(x, x->named, x->capacity, to);
  x->capacity = to;
}

static void link_node(links_t *x, uint32_t node, shoal_entity named) {
  reserve_nodes(x, node + 1);
  x->named[node] = named;
  if (named == SHOAL_ENTITY_NONE)
    return;
  uint32_t at = shoal_entity_index(named);
  shoal_assert(node + 1 <= x->capacity && at != 0, "node %u, which names %u, has no place", node, named);
  if (at >= x->head_capacity) {
    uint32_t to = grown(x->head_capacity, at + 1);
    x->head = grow(x, x->head, x->head_capacity, to);
    x->head_capacity = to;
  }
  x->next[node] = x->head[at];
  x->prev[node] = 0;
  if (x->head[at] != 0)
    x->prev[x->head[at] - 1] = node + 1;
  x->head[at] = node + 1;
}

static void unlink_node(links_t *x, uint32_t node) {
  if (node >= x->capacity || x->named[node] == SHOAL_ENTITY_NONE)
    return;
  uint32_t next = x->next[node], prev = x->prev[node];
  shoal_assert(prev != 0 || x->head[shoal_entity_index(x->named[node])] == node + 1, "node %u of %s begins no list",
               node, x->manager->schema.name);
  if (prev != 0)
    x->next[prev - 1] = next;
  else
    x->head[shoal_entity_index(x->named[node])] = next;
  if (next != 0)
    x->prev[next - 1] = prev;
  x->named[node] = SHOAL_ENTITY_NONE;
}

// The row that was `from` is `to` now: its neighbours follow.
static void move_node(links_t *x, uint32_t from, uint32_t to) {
  shoal_entity named = x->named[from];
  x->next[to] = x->next[from];
  x->prev[to] = x->prev[from];
  x->named[to] = named;
  x->named[from] = SHOAL_ENTITY_NONE;
  if (named == SHOAL_ENTITY_NONE)
    return;
  if (x->prev[to] != 0)
    x->next[x->prev[to] - 1] = to + 1;
  else
    x->head[shoal_entity_index(named)] = to + 1;
  if (x->next[to] != 0)
    x->prev[x->next[to] - 1] = to + 1;
}

// --- rows

void links_came(links_t *x, uint32_t first, uint32_t count) {
  if (!x->built)
    return;
  const shoal_entity *column = column_of(x);
  ++x->version;
  for (uint32_t i = 0; i < count; ++i)
    link_node(x, node_of(x, first + i), column[first + i]);
}

void links_going(links_t *x, uint32_t row) {
  if (!x->built)
    return;
  uint32_t last = x->manager->count - 1;
  shoal_assert(row <= last, "row %u of %s is past %u", row, x->manager->schema.name, last);
  ++x->version;
  unlink_node(x, node_of(x, row));
  if (by_row(x) && row != last)
    move_node(x, last, row);
}

void links_going_many(links_t *x, const shoal_entity *entities, uint32_t count) {
  if (!x->built)
    return;
  shoal_assert(!by_row(x), "rows of %s go many at once", x->manager->schema.name);
  ++x->version;
  for (uint32_t i = 0; i < count; ++i)
    if (manager_row(x->manager, entities[i]) != ROW_NONE)
      unlink_node(x, shoal_entity_index(entities[i]));
}

static void relink(links_t *x, uint32_t node, shoal_entity named) {
  if (node < x->capacity && x->named[node] == named)
    return;
  ++x->version;
  unlink_node(x, node);
  link_node(x, node, named);
}

void links_written(links_t *x, uint32_t row) {
  if (x->built)
    relink(x, node_of(x, row), column_of(x)[row]);
}

void links_replaced(links_t *x) {
  x->built = false;
  ++x->version;
}

// --- asking

static void build(links_t *x) {
  const shoal_entity *column = column_of(x);
  free_nodes(x);
  ++x->version;
  for (uint32_t row = x->manager->count; row-- > 0;) // so that lists begin with the first row
    link_node(x, node_of(x, row), column[row]);
  x->steps += x->manager->count;
  x->built = true;
}

void links_settle(links_t *x, uint64_t passed) {
  if (!x->built) {
    build(x);
  } else if (x->passed != passed) {
    const shoal_entity *column = column_of(x);
    x->steps += x->manager->count;
    for (uint32_t row = 0; row < x->manager->count; ++row)
      relink(x, node_of(x, row), column[row]);
  }
  x->passed = passed;
}

uint32_t links_of(links_t *x, shoal_entity e, link_t *out, uint32_t most) {
  uint32_t at = shoal_entity_index(e), count = 0;
  const manager_o *m = x->manager;
  if (at == 0 || at >= x->head_capacity)
    return 0;
  for (uint32_t node = x->head[at]; node != 0; node = x->next[node - 1]) {
    ++x->steps;
    if (x->named[node - 1] != e)
      continue; // it names one that died and had the same index
    if (out && count < most) {
      uint32_t row = by_row(x) ? node - 1 : index_get(m->pages, m->page_count, (shoal_entity)(node - 1)) - 1;
      shoal_assert(row < m->count, "node %u of %s has no row", node - 1, m->schema.name);
      out[count] = (link_t)shoal_entity_index(m->owner[row]) << 32 | row;
    }
    ++count;
  }
  return count;
}

// --- order

static void insert_sort(link_t *links, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    link_t moved = links[i];
    uint32_t at = i;
    for (; at > 0 && links[at - 1] > moved; --at)
      links[at] = links[at - 1];
    links[at] = moved;
  }
}

// Lists are mostly built in one direction or the other.
static bool is_sorted(link_t *links, uint32_t count) {
  uint32_t up = 0, down = 0;
  for (uint32_t i = 1; i < count; ++i) {
    up += links[i - 1] < links[i];
    down += links[i - 1] > links[i];
  }
  for (uint32_t i = 0; down + 1 == count && i < count / 2; ++i) {
    link_t other = links[i];
    links[i] = links[count - 1 - i];
    links[count - 1 - i] = other;
  }
  return up + 1 >= count || down + 1 == count;
}

static void sort_by(const link_t *from, link_t *to, uint32_t count, uint32_t shift) {
  uint32_t starts[RADIX + 1] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++starts[(from[i] >> shift & (RADIX - 1)) + 1];
  for (uint32_t i = 0; i < RADIX; ++i)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; ++i)
    to[starts[from[i] >> shift & (RADIX - 1)]++] = from[i];
}

void links_sort(link_t *links, uint32_t count, allocator_t *a) {
  if (is_sorted(links, count))
    return;
  if (count > FEW) {
    link_t *spare = alloc_resize(a, NULL, 0, count * sizeof *spare);
    sort_by(links, spare, count, 32);
    sort_by(spare, links, count, 32 + RADIX_BITS);
    alloc_resize(a, spare, count * sizeof *spare, 0);
  }
  insert_sort(links, count); // nearly nothing where only rows of one entity may still stand in another order
}
