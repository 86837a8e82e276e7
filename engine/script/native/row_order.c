// Builds row orders: sorts a query's rows by their row in the query's rarest component, which has the fewest rows, and
// then finds contiguous runs.
#include "native/row_order.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

// Maximum number of rows of the rarest component per row of the query, because sorting takes time for each row of the
// component.
#define MAX_SPARSENESS 4u

void row_order_fini(row_order_t *order) {
  free(order->runs);
  free(order->query_rows);
  for (uint32_t i = 0; i < ROW_ORDER_MAX_MAPS; ++i)
    free(order->rows[i]);
  *order = (row_order_t){.count = 0};
}

static void *reallocate_array(void *array, size_t count, size_t bytes) {
  void *memory = realloc(array, count * bytes);
  shoal_assert(memory, "out of memory for an order of %zu rows", count);
  return memory;
}

// Returns the map of the mapped component with the fewest rows; NULL if no component is mapped, or if each mapped
// component has too many rows (MAX_SPARSENESS).
static const row_map_t *find_lead_map(const query_o *query, const row_map_t *maps, uint32_t count) {
  const row_map_t *lead = NULL;
  for (uint32_t i = 0; i < count; ++i)
    if (maps[i].rows && (!lead || maps[i].count < lead->count))
      lead = &maps[i];
  return lead && lead->count / MAX_SPARSENESS <= query->count ? lead : NULL;
}

// Stores the query rows, sorted by their row in `lead`, and returns true; returns false if two query rows have the same
// row in `lead`.
static bool sort_rows(uint32_t *sorted, uint32_t count, const row_map_t *lead) {
  uint32_t *query_rows = reallocate_array(NULL, lead->count, sizeof *query_rows), filled = 0;
  bool is_unique = true;
  memset(query_rows, 0xff, lead->count * sizeof *query_rows);
  for (uint32_t i = 0; i < count && is_unique; ++i) {
    shoal_assert(lead->rows[i] < lead->count, "row %u is out of range (count %u)", lead->rows[i], lead->count);
    is_unique = query_rows[lead->rows[i]] == UINT32_MAX;
    query_rows[lead->rows[i]] = i;
  }
  for (uint32_t row = 0; row < lead->count && is_unique; ++row)
    if (query_rows[row] != UINT32_MAX)
      sorted[filled++] = query_rows[row];
  free(query_rows);
  return is_unique;
}

static uint32_t map_row(const row_map_t *map, uint32_t query_row) {
  return map->rows ? map->rows[query_row] : query_row;
}

// Returns true if query row `next` directly follows `query_row` in every map.
static bool are_consecutive(const row_map_t *maps, uint32_t count, uint32_t query_row, uint32_t next) {
  bool consecutive = true;
  for (uint32_t i = 0; i < count; ++i)
    consecutive &= map_row(&maps[i], next) == map_row(&maps[i], query_row) + 1;
  return consecutive;
}

// Copies the sorted rows to order->query_rows, runs first. Overwrites `sorted`.
static void separate_runs(row_order_t *order, uint32_t *sorted, uint32_t count, const row_map_t *maps) {
  uint32_t remaining = 0, capacity = count / ROW_ORDER_BLOCK;
  order->runs = reallocate_array(order->runs, capacity + 1, sizeof *order->runs);
  order->contiguous_count = order->run_count = 0;
  for (uint32_t start = 0, end; start < count; start = end) {
    for (end = start + 1; end < count && are_consecutive(maps, order->map_count, sorted[end - 1], sorted[end]);)
      ++end;
    uint32_t run_rows = (end - start) / ROW_ORDER_BLOCK * ROW_ORDER_BLOCK;
    if (run_rows > 0)
      order->runs[order->run_count++] = (row_run_t){order->contiguous_count, run_rows};
    memcpy(order->query_rows + order->contiguous_count, sorted + start, run_rows * sizeof *sorted);
    memmove(sorted + remaining, sorted + start + run_rows, (end - start - run_rows) * sizeof *sorted);
    order->contiguous_count += run_rows;
    remaining += end - start - run_rows;
  }
  memcpy(order->query_rows + order->contiguous_count, sorted, remaining * sizeof *sorted);
}

static void build_order(row_order_t *order, const query_o *query, const row_map_t *maps) {
  const row_map_t *lead = find_lead_map(query, maps, order->map_count);
  order->count = 0;
  if (!lead)
    return;
  uint32_t *sorted = reallocate_array(NULL, query->count, sizeof *sorted);
  order->query_rows = reallocate_array(order->query_rows, query->count, sizeof *order->query_rows);
  if (sort_rows(sorted, query->count, lead)) {
    order->count = query->count;
    separate_runs(order, sorted, query->count, maps);
    for (uint32_t k = 0; k < order->map_count; ++k) {
      order->rows[k] = reallocate_array(order->rows[k], query->count, sizeof **order->rows);
      for (uint32_t i = 0; i < query->count; ++i)
        order->rows[k][i] = map_row(&maps[k], order->query_rows[i]);
    }
  }
  free(sorted);
}

bool row_order_update(row_order_t *order, const query_o *query, const row_map_t *maps, uint32_t map_count,
                      bool always) {
  enum { MIN_REUSES = 16, MAX_REBUILD_DELAY = 64 };
  shoal_assert(map_count <= ROW_ORDER_MAX_MAPS, "%u row maps exceed the maximum %u", map_count, ROW_ORDER_MAX_MAPS);
  if (query->id == 0 || query->count < (always ? ROW_ORDER_BLOCK : ROW_ORDER_MIN_ROWS)) // id 0 is a query over pairs
    return false;
  uint64_t version = query_row_version(query);
  order->unchanged_runs = version == order->last_version ? order->unchanged_runs + 1 : 0;
  order->last_version = version;
  if (order->version != version || order->map_count != map_count) {
    if (order->unchanged_runs < order->rebuild_delay && !always)
      return false;
    order->rebuild_delay = order->use_count >= MIN_REUSES || order->rebuild_delay == 0 ? 1
                           : order->rebuild_delay < MAX_REBUILD_DELAY                  ? order->rebuild_delay * 2
                                                                                       : MAX_REBUILD_DELAY;
    order->use_count = 0;
    order->version = version;
    order->map_count = map_count;
    build_order(order, query, maps);
  }
  order->use_count++;
  return order->count > 0 && (always || order->contiguous_count > order->count / 4);
}

uint32_t row_order_run_length(const row_order_t *order, uint32_t position, uint32_t max) {
  uint32_t low = 0, high = order->run_count;
  if (position >= order->contiguous_count)
    return 0;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (order->runs[middle].first <= position)
      low = middle;
    else
      high = middle;
  }
  uint32_t remaining = order->runs[low].first + order->runs[low].count - position;
  return remaining < max ? remaining : max;
}
