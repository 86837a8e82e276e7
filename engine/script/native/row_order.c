// Builds row orders: sorts a query's rows by their row in the rarest component, then finds contiguous runs.
#include "native/row_order.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

// Maximum number of rows of the rarest component per row of the query, because sorting takes time for each row of the
// component.
#define MAX_SPARSENESS 4u

void row_order_fini(row_order_t *o) {
  free(o->runs);
  free(o->query_rows);
  for (uint32_t i = 0; i < ROW_ORDER_MAX_MAPS; ++i)
    free(o->rows[i]);
  *o = (row_order_t){.count = 0};
}

static void *reallocate_array(void *old, size_t count, size_t bytes) {
  void *memory = realloc(old, count * bytes);
  shoal_assert(memory, "out of memory for an order of %zu rows", count);
  return memory;
}

// Returns the map of the component with the fewest rows; NULL if every component has too many rows.
static const row_map_t *find_lead_map(const query_o *q, const row_map_t *maps, uint32_t count) {
  const row_map_t *lead = NULL;
  for (uint32_t i = 0; i < count; ++i)
    if (maps[i].rows && (!lead || maps[i].count < lead->count))
      lead = &maps[i];
  return lead && lead->count / MAX_SPARSENESS <= q->count ? lead : NULL;
}

// Stores the query rows, sorted by their row in `lead`. Returns false if two query rows have the same row in `lead`.
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
  bool is = true;
  for (uint32_t i = 0; i < count; ++i)
    is &= map_row(&maps[i], next) == map_row(&maps[i], query_row) + 1;
  return is;
}

// Copies the sorted rows to o->query_rows, runs first. Overwrites `sorted`.
static void separate_runs(row_order_t *o, uint32_t *sorted, uint32_t count, const row_map_t *maps) {
  uint32_t remaining = 0, capacity = count / ROW_ORDER_BLOCK;
  o->runs = reallocate_array(o->runs, capacity + 1, sizeof *o->runs);
  o->in_runs = o->run_count = 0;
  for (uint32_t at = 0, end; at < count; at = end) {
    for (end = at + 1; end < count && are_consecutive(maps, o->map_count, sorted[end - 1], sorted[end]);)
      ++end;
    uint32_t in_run = (end - at) / ROW_ORDER_BLOCK * ROW_ORDER_BLOCK;
    if (in_run > 0)
      o->runs[o->run_count++] = (row_run_t){o->in_runs, in_run};
    memcpy(o->query_rows + o->in_runs, sorted + at, in_run * sizeof *sorted);
    memmove(sorted + remaining, sorted + at + in_run, (end - at - in_run) * sizeof *sorted);
    o->in_runs += in_run;
    remaining += end - at - in_run;
  }
  memcpy(o->query_rows + o->in_runs, sorted, remaining * sizeof *sorted);
}

static void build_order(row_order_t *o, const query_o *q, const row_map_t *maps) {
  const row_map_t *lead = find_lead_map(q, maps, o->map_count);
  o->count = 0;
  if (!lead)
    return;
  uint32_t *sorted = reallocate_array(NULL, q->count, sizeof *sorted);
  o->query_rows = reallocate_array(o->query_rows, q->count, sizeof *o->query_rows);
  if (sort_rows(sorted, q->count, lead)) {
    o->count = q->count;
    separate_runs(o, sorted, q->count, maps);
    for (uint32_t k = 0; k < o->map_count; ++k) {
      o->rows[k] = reallocate_array(o->rows[k], q->count, sizeof **o->rows);
      for (uint32_t i = 0; i < q->count; ++i)
        o->rows[k][i] = map_row(&maps[k], o->query_rows[i]);
    }
  }
  free(sorted);
}

bool row_order_update(row_order_t *o, const query_o *q, const row_map_t *maps, uint32_t map_count, bool always) {
  enum { MANY_RUNS = 16, MAX_WAIT = 64 };
  shoal_assert(map_count <= ROW_ORDER_MAX_MAPS, "%u row maps exceed the maximum %u", map_count, ROW_ORDER_MAX_MAPS);
  if (q->id == 0 || q->count < (always ? ROW_ORDER_BLOCK : ROW_ORDER_MIN_ROWS)) // id 0 is a query over pairs
    return false;
  uint64_t version = query_row_version(q);
  o->same = version == o->seen ? o->same + 1 : 0;
  o->seen = version;
  if (o->version != version || o->map_count != map_count) {
    if (o->same < o->wait && !always)
      return false;
    o->wait = o->used >= MANY_RUNS || o->wait == 0 ? 1 : o->wait < MAX_WAIT ? o->wait * 2 : MAX_WAIT;
    o->used = 0;
    o->version = version;
    o->map_count = map_count;
    build_order(o, q, maps);
  }
  o->used++;
  return o->count > 0 && (always || o->in_runs > o->count / 4);
}

uint32_t row_order_run_length(const row_order_t *o, uint32_t at, uint32_t max) {
  uint32_t from = 0, end = o->run_count;
  if (at >= o->in_runs)
    return 0;
  while (end - from > 1) {
    uint32_t middle = from + (end - from) / 2;
    if (o->runs[middle].first <= at)
      from = middle;
    else
      end = middle;
  }
  uint32_t left = o->runs[from].first + o->runs[from].count - at;
  return left < max ? left : max;
}
