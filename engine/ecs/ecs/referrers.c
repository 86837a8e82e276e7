// Lists of referrers per entity, and their sorting by entity index.
#include "ecs/referrers.h"

#include "base/assert.h"

#include <string.h>

#define MAX_INSERTION_SORT 32u // lists up to this length use insertion sort
#define RADIX_BITS 11u         // bits sorted per pass; an entity index has 22 bits
#define RADIX (1u << RADIX_BITS)
#define MIN_HOLES 8u // a list with more holes than this is compacted when most of its items are holes

bool referrers_are_by_row(const referrers_t *x) {
  return x->manager->schema.kind == SCHEMA_MANY;
}

// Conversions between rows, nodes and list items.
static uint32_t row_to_node(const referrers_t *x, uint32_t row) {
  return referrers_are_by_row(x) ? row : shoal_entity_index(x->manager->owner[row]);
}

static uint32_t row_to_item(const referrers_t *x, uint32_t row) {
  return referrers_are_by_row(x) ? row + 1 : x->manager->owner[row];
}

static uint32_t item_to_node(const referrers_t *x, uint32_t item) {
  return referrers_are_by_row(x) ? item - 1 : shoal_entity_index(item);
}

static uint32_t item_index(const referrers_t *x, uint32_t item) {
  return shoal_entity_index(referrers_are_by_row(x) ? x->manager->owner[item - 1] : item);
}

static const shoal_entity *get_column(const referrers_t *x) {
  return x->manager->data[x->column];
}

referrers_t *referrers_create(manager_o *m, uint32_t column, allocator_t *a) {
  shoal_assert(m->schema.fields[column].type == FIELD_ENTITY, "%s.%s is not an entity field", m->schema.name,
               m->schema.fields[column].name);
  referrers_t *x = alloc_resize(a, NULL, 0, sizeof *x);
  *x = (referrers_t){.manager = m, .column = column, .allocator = a};
  return x;
}

// --- lists

static uint32_t *get_items(referrers_list_t *l) {
  return l->capacity > LINKS_INLINE ? l->many : l->inline_items;
}

static referrers_list_t *find_list(const referrers_t *x, shoal_entity named) {
  uint32_t at = shoal_entity_index(named);
  return at < x->head_capacity && x->head[at] != 0 ? &x->lists.items[x->head[at] - 1] : NULL;
}

static void free_items(const referrers_t *x, referrers_list_t *l) {
  if (l->capacity > LINKS_INLINE)
    alloc_resize(x->allocator, l->many, l->capacity * sizeof *l->many, 0);
}

static void free_all_lists(referrers_t *x) {
  for (uint32_t i = 0; i < x->lists.count; ++i)
    free_items(x, &x->lists.items[i]);
  array_free(x->allocator, &x->lists);
  x->nodes = alloc_resize(x->allocator, x->nodes, x->capacity * sizeof *x->nodes, 0);
  x->head = alloc_resize(x->allocator, x->head, x->head_capacity * sizeof *x->head, 0);
  x->capacity = x->head_capacity = x->free_list = 0;
}

void referrers_destroy(referrers_t *x) {
  free_all_lists(x);
  alloc_resize(x->allocator, x, sizeof *x, 0);
}

static void *grow_array(const referrers_t *x, void *old, size_t from, size_t to, size_t bytes) {
  char *made = alloc_resize(x->allocator, old, from * bytes, to * bytes);
  memset(made + from * bytes, 0, (to - from) * bytes);
  return made;
}

static uint32_t grow_capacity(uint32_t capacity, uint32_t wanted) {
  uint32_t twice = capacity < 64 ? 64 : capacity * 2;
  return wanted > twice ? wanted : twice;
}

static referrers_list_t *create_list(referrers_t *x, shoal_entity named) {
  uint32_t at = shoal_entity_index(named), number = x->free_list;
  if (at >= x->head_capacity) {
    uint32_t to = grow_capacity(x->head_capacity, at + 1);
    x->head = grow_array(x, x->head, x->head_capacity, to, sizeof *x->head);
    x->head_capacity = to;
  }
  if (x->head[at] != 0)
    return &x->lists.items[x->head[at] - 1];
  referrers_list_t made = {.capacity = LINKS_INLINE, .named = named};
  if (number != 0) {
    x->free_list = x->lists.items[number - 1].last;
    x->lists.items[number - 1] = made;
  } else {
    array_push(x->allocator, &x->lists, made);
    number = x->lists.count;
  }
  x->head[at] = number;
  return &x->lists.items[number - 1];
}

static void drop_list(referrers_t *x, referrers_list_t *l, uint32_t at) {
  uint32_t number = (uint32_t)(l - x->lists.items) + 1;
  shoal_assert(x->head[at] == number, "list %u does not belong to entity index %u", number, at);
  free_items(x, l);
  *l = (referrers_list_t){.capacity = LINKS_INLINE, .last = x->free_list};
  x->free_list = number;
  x->head[at] = 0;
}

static void grow_list(const referrers_t *x, referrers_list_t *l) {
  uint32_t to = l->capacity > LINKS_INLINE ? l->capacity * 2 : 4 * LINKS_INLINE;
  uint32_t *old = l->capacity > LINKS_INLINE ? l->many : NULL;
  uint32_t *made = alloc_resize(x->allocator, old, old ? l->capacity * sizeof *made : 0, to * sizeof *made);
  if (!old)
    memcpy(made, l->inline_items, sizeof l->inline_items);
  l->many = made;
  l->capacity = to;
}

static void close_holes(referrers_t *x, referrers_list_t *l) {
  uint32_t *items = get_items(l), kept = 0;
  for (uint32_t i = 0; i < l->count; ++i)
    if (items[i] != 0) {
      x->nodes[item_to_node(x, items[i])].place = kept;
      items[kept++] = items[i];
    }
  l->count = kept;
  l->holes = 0;
}

// --- nodes

static void link_node(referrers_t *x, uint32_t node, uint32_t item, shoal_entity named) {
  if (node >= x->capacity) {
    uint32_t to = grow_capacity(x->capacity, node + 1);
    x->nodes = grow_array(x, x->nodes, x->capacity, to, sizeof *x->nodes);
    x->capacity = to;
  }
  x->nodes[node].named = named;
  if (named == SHOAL_ENTITY_NONE)
    return;
  referrers_list_t *l = create_list(x, named);
  if (l->count == l->capacity)
    grow_list(x, l);
  uint32_t index = item_index(x, item);
  l->mixed |= l->named != named;
  l->unsorted |= l->count > 0 && index <= l->last;
  l->last = index;
  x->nodes[node].place = l->count;
  get_items(l)[l->count++] = item;
}

static void unlink_node(referrers_t *x, uint32_t node) {
  if (node >= x->capacity || x->nodes[node].named == SHOAL_ENTITY_NONE)
    return;
  referrers_node_t was = x->nodes[node];
  referrers_list_t *l = find_list(x, was.named);
  shoal_assert(l && was.place < l->count, "node %u of %s is not in any list", node, x->manager->schema.name);
  uint32_t *items = get_items(l);
  x->nodes[node].named = SHOAL_ENTITY_NONE;
  items[was.place] = 0;
  if (++l->holes == l->count) {
    drop_list(x, l, shoal_entity_index(was.named));
    return;
  }
  if (was.place + 1 == l->count) {
    while (items[l->count - 1] == 0)
      --l->count, --l->holes;
    l->last = item_index(x, items[l->count - 1]);
  } else if (l->holes > MIN_HOLES && l->holes * 2 > l->count) {
    close_holes(x, l);
  }
}

// Moves the node of row `from` to row `to`.
static void move_node(referrers_t *x, uint32_t from, uint32_t to) {
  x->nodes[to] = x->nodes[from];
  x->nodes[from].named = SHOAL_ENTITY_NONE;
  if (x->nodes[to].named == SHOAL_ENTITY_NONE)
    return;
  referrers_list_t *l = find_list(x, x->nodes[to].named);
  shoal_assert(l && x->nodes[to].place < l->count, "node %u of %s is not in any list", to, x->manager->schema.name);
  get_items(l)[x->nodes[to].place] = to + 1;
}

// --- rows

void referrers_notify_rows_added(referrers_t *x, uint32_t first, uint32_t count) {
  if (!x->built)
    return;
  const shoal_entity *column = get_column(x);
  ++x->version;
  for (uint32_t i = 0; i < count; ++i)
    link_node(x, row_to_node(x, first + i), row_to_item(x, first + i), column[first + i]);
}

void referrers_notify_row_removing(referrers_t *x, uint32_t row) {
  if (!x->built)
    return;
  uint32_t last = x->manager->count - 1;
  shoal_assert(row <= last, "row %u of %s is out of range (last row %u)", row, x->manager->schema.name, last);
  ++x->version;
  unlink_node(x, row_to_node(x, row));
  if (referrers_are_by_row(x) && row != last)
    move_node(x, last, row);
}

void referrers_notify_rows_removing(referrers_t *x, const shoal_entity *entities, uint32_t count) {
  if (!x->built)
    return;
  shoal_assert(!referrers_are_by_row(x), "rows of %s cannot be removed in bulk", x->manager->schema.name);
  ++x->version;
  for (uint32_t i = 0; i < count; ++i)
    if (manager_row(x->manager, entities[i]) != ROW_NONE)
      unlink_node(x, shoal_entity_index(entities[i]));
}

static void relink_row(referrers_t *x, uint32_t row, shoal_entity named) {
  uint32_t node = row_to_node(x, row);
  if (node < x->capacity && x->nodes[node].named == named)
    return;
  ++x->version;
  unlink_node(x, node);
  link_node(x, node, row_to_item(x, row), named);
}

void referrers_notify_row_written(referrers_t *x, uint32_t row) {
  if (x->built)
    relink_row(x, row, get_column(x)[row]);
}

void referrers_notify_rows_replaced(referrers_t *x) {
  x->built = false;
  ++x->version;
}

// --- order

static void insertion_sort(uint64_t *links, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    uint64_t moved = links[i];
    uint32_t at = i;
    for (; at > 0 && links[at - 1] > moved; --at)
      links[at] = links[at - 1];
    links[at] = moved;
  }
}

static void radix_sort_pass(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift) {
  uint32_t starts[RADIX + 1] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++starts[(from[i] >> shift & (RADIX - 1)) + 1];
  for (uint32_t i = 0; i < RADIX; ++i)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; ++i)
    to[starts[from[i] >> shift & (RADIX - 1)]++] = from[i];
}

// Sorts by entity index, then by row. Rows of one entity may swap without a notification, so a list with several rows
// of one entity stays marked as unsorted.
static void sort_list(referrers_t *x, referrers_list_t *l) {
  close_holes(x, l);
  uint32_t *items = get_items(l), count = l->count;
  uint64_t *links = alloc_resize(x->allocator, NULL, 0, 2 * (size_t)count * sizeof *links);
  for (uint32_t i = 0; i < count; ++i)
    links[i] = (uint64_t)item_index(x, items[i]) << 32 | items[i];
  if (count > MAX_INSERTION_SORT) {
    radix_sort_pass(links, links + count, count, 32);
    radix_sort_pass(links + count, links, count, 32 + RADIX_BITS);
  }
  // insertion sort is fast here: the list is short or, after the radix passes, only rows of the same entity are out of
  // order
  insertion_sort(links, count);
  l->unsorted = false;
  for (uint32_t i = 0; i < count; ++i) {
    items[i] = (uint32_t)links[i];
    x->nodes[item_to_node(x, items[i])].place = i;
    l->unsorted |= i > 0 && links[i] >> 32 == links[i - 1] >> 32;
  }
  l->last = (uint32_t)(links[count - 1] >> 32);
  alloc_resize(x->allocator, links, 2 * (size_t)count * sizeof *links, 0);
}

// --- lookup

static void build_lists(referrers_t *x) {
  const shoal_entity *column = get_column(x);
  free_all_lists(x);
  ++x->version;
  for (uint32_t row = 0; row < x->manager->count; ++row)
    link_node(x, row_to_node(x, row), row_to_item(x, row), column[row]);
  x->steps += x->manager->count;
  x->built = true;
}

void referrers_update(referrers_t *x, uint64_t links_version) {
  if (!x->built) {
    build_lists(x);
  } else if (x->links_version != links_version) {
    const shoal_entity *column = get_column(x);
    x->steps += x->manager->count;
    for (uint32_t row = 0; row < x->manager->count; ++row)
      relink_row(x, row, column[row]);
  }
  x->links_version = links_version;
}

uint32_t referrers_max_count(const referrers_t *x, shoal_entity e) {
  const referrers_list_t *l = find_list(x, e);
  return l ? l->count : 0;
}

uint32_t referrers_list(referrers_t *x, shoal_entity e, uint32_t *out) {
  referrers_list_t *l = find_list(x, e);
  if (!l || e == SHOAL_ENTITY_NONE || (!l->mixed && l->named != e))
    return 0;
  if (l->unsorted)
    sort_list(x, l);
  const uint32_t *items = get_items(l);
  uint32_t count = 0, less = referrers_are_by_row(x) ? 1 : 0;
  x->steps += l->count;
  for (uint32_t i = 0; i < l->count; ++i) {
    bool is = items[i] != 0 && (!l->mixed || x->nodes[item_to_node(x, items[i])].named == e);
    out[count] = items[i] - less;
    count += is;
  }
  return count;
}
