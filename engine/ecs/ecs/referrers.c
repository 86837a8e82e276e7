// Lists of referrers per entity, and their sorting by entity index.
#include "ecs/referrers.h"

#include "base/assert.h"

#include <string.h>

#define MAX_INSERTION_SORT 32u // maximum length of a list that is sorted by insertion
#define RADIX_BITS 11u         // number of bits sorted per pass; an entity index has 22 bits
#define RADIX (1u << RADIX_BITS)
#define MIN_HOLES 8u // number of holes above which a list is compacted when most of its items are holes

bool referrers_are_by_row(const referrers_t *lookup) {
  return lookup->manager->schema.kind == SCHEMA_MANY;
}

// Conversions between rows, nodes and list items.
static uint32_t row_to_node(const referrers_t *lookup, uint32_t row) {
  return referrers_are_by_row(lookup) ? row : shoal_entity_index(lookup->manager->owner[row]);
}

static uint32_t row_to_item(const referrers_t *lookup, uint32_t row) {
  return referrers_are_by_row(lookup) ? row + 1 : lookup->manager->owner[row];
}

static uint32_t item_to_node(const referrers_t *lookup, uint32_t item) {
  return referrers_are_by_row(lookup) ? item - 1 : shoal_entity_index(item);
}

static uint32_t item_index(const referrers_t *lookup, uint32_t item) {
  return shoal_entity_index(referrers_are_by_row(lookup) ? lookup->manager->owner[item - 1] : item);
}

static const shoal_entity *get_column(const referrers_t *lookup) {
  return lookup->manager->data[lookup->column];
}

referrers_t *referrers_create(manager_o *m, uint32_t column, allocator_t *a) {
  shoal_assert(m->schema.fields[column].type == FIELD_ENTITY, "%s.%s is not an entity field", m->schema.name,
               m->schema.fields[column].name);
  referrers_t *lookup = alloc_resize(a, NULL, 0, sizeof *lookup);
  *lookup = (referrers_t){.manager = m, .column = column, .allocator = a};
  return lookup;
}

// --- lists

static uint32_t *get_items(referrers_list_t *list) {
  return list->capacity > LINKS_INLINE ? list->heap_items : list->inline_items;
}

static referrers_list_t *find_list(const referrers_t *lookup, shoal_entity target) {
  uint32_t index = shoal_entity_index(target);
  return index < lookup->head_capacity && lookup->head[index] != 0 ? &lookup->lists.items[lookup->head[index] - 1]
                                                                   : NULL;
}

static void free_items(const referrers_t *lookup, referrers_list_t *list) {
  if (list->capacity > LINKS_INLINE)
    alloc_resize(lookup->allocator, list->heap_items, list->capacity * sizeof *list->heap_items, 0);
}

static void free_all_lists(referrers_t *lookup) {
  for (uint32_t i = 0; i < lookup->lists.count; ++i)
    free_items(lookup, &lookup->lists.items[i]);
  array_free(lookup->allocator, &lookup->lists);
  lookup->nodes = alloc_resize(lookup->allocator, lookup->nodes, lookup->capacity * sizeof *lookup->nodes, 0);
  lookup->head = alloc_resize(lookup->allocator, lookup->head, lookup->head_capacity * sizeof *lookup->head, 0);
  lookup->capacity = lookup->head_capacity = lookup->free_list = 0;
}

void referrers_destroy(referrers_t *lookup) {
  free_all_lists(lookup);
  alloc_resize(lookup->allocator, lookup, sizeof *lookup, 0);
}

static void *grow_array(const referrers_t *lookup, void *old, size_t old_count, size_t new_count, size_t bytes) {
  char *grown = alloc_resize(lookup->allocator, old, old_count * bytes, new_count * bytes);
  memset(grown + old_count * bytes, 0, (new_count - old_count) * bytes);
  return grown;
}

static uint32_t grow_capacity(uint32_t capacity, uint32_t min_capacity) {
  uint32_t doubled = capacity < 64 ? 64 : capacity * 2;
  return min_capacity > doubled ? min_capacity : doubled;
}

static referrers_list_t *create_list(referrers_t *lookup, shoal_entity target) {
  uint32_t index = shoal_entity_index(target), number = lookup->free_list;
  if (index >= lookup->head_capacity) {
    uint32_t new_capacity = grow_capacity(lookup->head_capacity, index + 1);
    lookup->head = grow_array(lookup, lookup->head, lookup->head_capacity, new_capacity, sizeof *lookup->head);
    lookup->head_capacity = new_capacity;
  }
  if (lookup->head[index] != 0)
    return &lookup->lists.items[lookup->head[index] - 1];
  referrers_list_t new_list = {.capacity = LINKS_INLINE, .target = target};
  if (number != 0) {
    lookup->free_list = lookup->lists.items[number - 1].last;
    lookup->lists.items[number - 1] = new_list;
  } else {
    array_push(lookup->allocator, &lookup->lists, new_list);
    number = lookup->lists.count;
  }
  lookup->head[index] = number;
  return &lookup->lists.items[number - 1];
}

static void drop_list(referrers_t *lookup, referrers_list_t *list, uint32_t index) {
  uint32_t number = (uint32_t)(list - lookup->lists.items) + 1;
  shoal_assert(lookup->head[index] == number, "list %u does not belong to entity index %u", number, index);
  free_items(lookup, list);
  *list = (referrers_list_t){.capacity = LINKS_INLINE, .last = lookup->free_list};
  lookup->free_list = number;
  lookup->head[index] = 0;
}

static void grow_list(const referrers_t *lookup, referrers_list_t *list) {
  uint32_t new_capacity = list->capacity > LINKS_INLINE ? list->capacity * 2 : 4 * LINKS_INLINE;
  uint32_t *old = list->capacity > LINKS_INLINE ? list->heap_items : NULL;
  uint32_t *items =
      alloc_resize(lookup->allocator, old, old ? list->capacity * sizeof *items : 0, new_capacity * sizeof *items);
  if (!old)
    memcpy(items, list->inline_items, sizeof list->inline_items);
  list->heap_items = items;
  list->capacity = new_capacity;
}

static void close_holes(referrers_t *lookup, referrers_list_t *list) {
  uint32_t *items = get_items(list), kept = 0;
  for (uint32_t i = 0; i < list->count; ++i)
    if (items[i] != 0) {
      lookup->nodes[item_to_node(lookup, items[i])].position = kept;
      items[kept++] = items[i];
    }
  list->count = kept;
  list->holes = 0;
}

// --- nodes

static void link_node(referrers_t *lookup, uint32_t node, uint32_t item, shoal_entity target) {
  if (node >= lookup->capacity) {
    uint32_t new_capacity = grow_capacity(lookup->capacity, node + 1);
    lookup->nodes = grow_array(lookup, lookup->nodes, lookup->capacity, new_capacity, sizeof *lookup->nodes);
    lookup->capacity = new_capacity;
  }
  lookup->nodes[node].target = target;
  if (target == SHOAL_ENTITY_NONE)
    return;
  referrers_list_t *list = create_list(lookup, target);
  if (list->count == list->capacity)
    grow_list(lookup, list);
  uint32_t index = item_index(lookup, item);
  list->mixed |= list->target != target;
  list->unsorted |= list->count > 0 && index <= list->last;
  list->last = index;
  lookup->nodes[node].position = list->count;
  get_items(list)[list->count++] = item;
}

static void unlink_node(referrers_t *lookup, uint32_t node) {
  if (node >= lookup->capacity || lookup->nodes[node].target == SHOAL_ENTITY_NONE)
    return;
  referrers_node_t old = lookup->nodes[node];
  referrers_list_t *list = find_list(lookup, old.target);
  shoal_assert(list && old.position < list->count, "node %u of %s is not in any list", node,
               lookup->manager->schema.name);
  uint32_t *items = get_items(list);
  lookup->nodes[node].target = SHOAL_ENTITY_NONE;
  items[old.position] = 0;
  if (++list->holes == list->count) {
    drop_list(lookup, list, shoal_entity_index(old.target));
    return;
  }
  if (old.position + 1 == list->count) {
    while (items[list->count - 1] == 0)
      --list->count, --list->holes;
    list->last = item_index(lookup, items[list->count - 1]);
  } else if (list->holes > MIN_HOLES && list->holes * 2 > list->count) {
    close_holes(lookup, list);
  }
}

static void move_node(referrers_t *lookup, uint32_t from, uint32_t to) {
  lookup->nodes[to] = lookup->nodes[from];
  lookup->nodes[from].target = SHOAL_ENTITY_NONE;
  if (lookup->nodes[to].target == SHOAL_ENTITY_NONE)
    return;
  referrers_list_t *list = find_list(lookup, lookup->nodes[to].target);
  shoal_assert(list && lookup->nodes[to].position < list->count, "node %u of %s is not in any list", to,
               lookup->manager->schema.name);
  get_items(list)[lookup->nodes[to].position] = to + 1;
}

// --- rows

void referrers_notify_rows_added(referrers_t *lookup, uint32_t first, uint32_t count) {
  if (!lookup->built)
    return;
  const shoal_entity *column = get_column(lookup);
  ++lookup->version;
  for (uint32_t i = 0; i < count; ++i)
    link_node(lookup, row_to_node(lookup, first + i), row_to_item(lookup, first + i), column[first + i]);
}

void referrers_notify_row_removing(referrers_t *lookup, uint32_t row) {
  if (!lookup->built)
    return;
  uint32_t last = lookup->manager->count - 1;
  shoal_assert(row <= last, "row %u of %s is out of range (last row %u)", row, lookup->manager->schema.name, last);
  ++lookup->version;
  unlink_node(lookup, row_to_node(lookup, row));
  if (referrers_are_by_row(lookup) && row != last)
    move_node(lookup, last, row);
}

void referrers_notify_rows_removing(referrers_t *lookup, const shoal_entity *entities, uint32_t count) {
  if (!lookup->built)
    return;
  shoal_assert(!referrers_are_by_row(lookup), "rows of %s cannot be removed in bulk", lookup->manager->schema.name);
  ++lookup->version;
  for (uint32_t i = 0; i < count; ++i)
    if (manager_row(lookup->manager, entities[i]) != ROW_NONE)
      unlink_node(lookup, shoal_entity_index(entities[i]));
}

static void relink_row(referrers_t *lookup, uint32_t row, shoal_entity target) {
  uint32_t node = row_to_node(lookup, row);
  if (node < lookup->capacity && lookup->nodes[node].target == target)
    return;
  ++lookup->version;
  unlink_node(lookup, node);
  link_node(lookup, node, row_to_item(lookup, row), target);
}

void referrers_notify_row_written(referrers_t *lookup, uint32_t row) {
  if (lookup->built)
    relink_row(lookup, row, get_column(lookup)[row]);
}

void referrers_notify_rows_written(referrers_t *lookup, const uint32_t *rows, uint32_t count) {
  const shoal_entity *column = get_column(lookup);
  for (uint32_t i = 0; i < count && lookup->built; ++i) {
    uint32_t row = rows ? rows[i] : i;
    if (row < lookup->manager->count) // a row may be ROW_NONE, if the entity lacks the optional component
      relink_row(lookup, row, column[row]);
  }
}

void referrers_notify_column_written(referrers_t *lookup) {
  lookup->column_written = true;
}

void referrers_notify_rows_replaced(referrers_t *lookup) {
  lookup->built = false;
  ++lookup->version;
}

// --- order

static void insertion_sort(uint64_t *links, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    uint64_t link = links[i];
    uint32_t position = i;
    for (; position > 0 && links[position - 1] > link; --position)
      links[position] = links[position - 1];
    links[position] = link;
  }
}

static void radix_sort_pass(const uint64_t *source, uint64_t *sorted, uint32_t count, uint32_t shift) {
  uint32_t starts[RADIX + 1] = {0};
  for (uint32_t i = 0; i < count; ++i)
    ++starts[(source[i] >> shift & (RADIX - 1)) + 1];
  for (uint32_t i = 0; i < RADIX; ++i)
    starts[i + 1] += starts[i];
  for (uint32_t i = 0; i < count; ++i)
    sorted[starts[source[i] >> shift & (RADIX - 1)]++] = source[i];
}

// Sorts by entity index, then by row. Rows of one entity may swap without a notification, so a list with several rows
// of one entity stays marked as unsorted.
static void sort_list(referrers_t *lookup, referrers_list_t *list) {
  close_holes(lookup, list);
  uint32_t *items = get_items(list), count = list->count;
  uint64_t *links = alloc_resize(lookup->allocator, NULL, 0, 2 * (size_t)count * sizeof *links);
  for (uint32_t i = 0; i < count; ++i)
    links[i] = (uint64_t)item_index(lookup, items[i]) << 32 | items[i];
  if (count > MAX_INSERTION_SORT) {
    radix_sort_pass(links, links + count, count, 32);
    radix_sort_pass(links + count, links, count, 32 + RADIX_BITS);
  }
  // insertion sort is fast here: the list is short or, after the radix passes, only rows of the same entity are out of
  // order
  insertion_sort(links, count);
  list->unsorted = false;
  for (uint32_t i = 0; i < count; ++i) {
    items[i] = (uint32_t)links[i];
    lookup->nodes[item_to_node(lookup, items[i])].position = i;
    list->unsorted |= i > 0 && links[i] >> 32 == links[i - 1] >> 32;
  }
  list->last = (uint32_t)(links[count - 1] >> 32);
  alloc_resize(lookup->allocator, links, 2 * (size_t)count * sizeof *links, 0);
}

// --- lookup

static void build_lists(referrers_t *lookup) {
  const shoal_entity *column = get_column(lookup);
  free_all_lists(lookup);
  ++lookup->version;
  for (uint32_t row = 0; row < lookup->manager->count; ++row)
    link_node(lookup, row_to_node(lookup, row), row_to_item(lookup, row), column[row]);
  lookup->steps += lookup->manager->count;
  lookup->built = true;
}

void referrers_update(referrers_t *lookup, uint64_t links_version) {
  if (!lookup->built) {
    build_lists(lookup);
  } else if (lookup->links_version != links_version || lookup->column_written) {
    const shoal_entity *column = get_column(lookup);
    lookup->steps += lookup->manager->count;
    for (uint32_t row = 0; row < lookup->manager->count; ++row)
      relink_row(lookup, row, column[row]);
  }
  lookup->links_version = links_version;
  lookup->column_written = false;
}

uint32_t referrers_max_count(const referrers_t *lookup, shoal_entity e) {
  const referrers_list_t *list = find_list(lookup, e);
  return list ? list->count : 0;
}

uint32_t referrers_list(referrers_t *lookup, shoal_entity e, uint32_t *out) {
  referrers_list_t *list = find_list(lookup, e);
  if (!list || e == SHOAL_ENTITY_NONE || (!list->mixed && list->target != e))
    return 0;
  if (list->unsorted)
    sort_list(lookup, list);
  const uint32_t *items = get_items(list);
  uint32_t count = 0, offset = referrers_are_by_row(lookup) ? 1 : 0;
  lookup->steps += list->count;
  for (uint32_t i = 0; i < list->count; ++i) {
    bool matches = items[i] != 0 && (!list->mixed || lookup->nodes[item_to_node(lookup, items[i])].target == e);
    out[count] = items[i] - offset;
    count += matches;
  }
  return count;
}
