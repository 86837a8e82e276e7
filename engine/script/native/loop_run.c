// Runs compiled loops: column addresses, gathered blocks, splitting among workers.
#include "base/assert.h"
#include "ecs/ranges.h"
#include "ecs/world.h"
#include "native/gather.h"
#include "native/loop_internal.h"
#include "process/jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = ROW_ORDER_BLOCK }; // granularity of the search for contiguous rows
enum { COST_OF_GATHER = 50 };

// State of one thread that runs rows of a loop.
typedef struct run_state_t {
  native_loop_o *loop;
  native_call_t *call; // this call of the loop, or the worker's copy of it
  uint32_t worker;
  int32_t *exits; // receives deferred exits; NULL: the code stops at the first exit
  uint32_t exit_count, stops;
  uint32_t together; // number of rows deferred at the most recent exit
} run_state_t;

// Returns true if rows can be processed in column order: all columns belong to one component, all of its rows are in
// the query, rows are independent and take no side exits, and the code computes several rows at once.
static bool runs_in_column_order(const native_loop_o *l) {
  uint32_t manager = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (!s->view || s->any_row || s->is_row_map || s->manager == 0 || (manager != 0 && s->manager != manager))
      return false;
    manager = s->manager;
  }
  return l->order == NATIVE_ROWS_WITHOUT_EXITS && l->width > 1 && manager > 0 &&
         world_manager(l->query->world, manager)->count == l->query->count;
}

// Returns the index of a row map in the list; appends the map if it is new.
static uint32_t find_or_add_map(row_map_t *maps, uint32_t *count, const uint32_t *rows, const manager_o *m) {
  uint32_t i = 0;
  while (i < *count && maps[i].rows != rows)
    ++i;
  if (i == *count)
    maps[(*count)++] = (row_map_t){rows, 0};
  if (m)
    maps[i].count = m->count;
  return i;
}

// Chooses the row order of this run. Returns false if it is the query's order.
static bool choose_row_order(native_loop_o *l) {
  row_map_t maps[ROW_ORDER_MAX_MAPS];
  uint32_t count = 0, of_slot[NATIVE_MAX_COLUMNS];
  if (l->order != NATIVE_ROWS_WITHOUT_EXITS || ROW_ORDER_BLOCK % l->width != 0)
    return false;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (s->is_row_map && !s->any_row)
      return false;
    if (s->view && !s->any_row && count == ROW_ORDER_MAX_MAPS)
      return false;
    if (s->view && !s->any_row)
      of_slot[i] =
          find_or_add_map(maps, &count, s->view->rows, s->manager ? world_manager(l->query->world, s->manager) : NULL);
  }
  if (!row_order_update(&l->visits, l->query, maps, count, l->set->splits))
    return false;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    s->mapped = s->view && !s->any_row;
    s->rows = s->mapped ? l->visits.rows[of_slot[i]] : NULL;
  }
  return true;
}

// Determines which columns are mapped, the cost of gathering them, and the row order. Returns true if at least one
// column is mapped.
static bool choose_mapped_columns(native_loop_o *l) {
  bool any = false;
  l->is_ordered = false;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    s->mapped = s->view && s->view->rows && !s->is_row_map && !s->any_row;
    s->rows = s->mapped ? s->view->rows : NULL;
    any |= s->mapped;
  }
  if (any && runs_in_column_order(l)) {
    for (uint32_t i = 0; i < l->slot_count; ++i)
      l->slots[i].mapped = false;
    any = false;
  }
  l->gather_cost = 0;
  for (uint32_t i = 0; any && i < l->slot_count; ++i)
    l->gather_cost += !l->slots[i].mapped ? 0 : l->slots[i].written ? 2 * COST_OF_GATHER : COST_OF_GATHER;
  l->is_ordered = any && choose_row_order(l);
  l->call.query_rows = l->is_ordered ? l->visits.query_rows : NULL;
  l->call.end = l->is_ordered ? l->query->count : INT64_MAX;
  return any;
}

// Dummy row for components without rows: the code loads row 0 even if a lookup has failed.
static _Alignas(64) uint8_t dummy_row[64];

static void set_component_column(const native_loop_o *l, native_call_t *c, uint32_t i) {
  manager_o *m = world_manager(l->query->world, l->slots[i].manager);
  uint32_t column = l->slots[i].column;
  c->columns[i] = m->count > 0 ? m->data[column] : dummy_row;
  c->marks[i] =
      m->count > 0 && world_tracks_touched_fields(l->query->world) ? columns_get_marks(&m->columns, column) : NULL;
}

// Sets the address of a column in which the code may access any row.
static void set_random_access_column(const native_loop_o *l, native_call_t *c, uint32_t i) {
  const slot_t *s = &l->slots[i];
  if (!s->any_row)
    set_component_column(l, c, i);
  else if (s->is_row_map)
    c->columns[i] = s->view->count > 0 ? (void *)(uintptr_t)s->view->rows : NULL;
  else
    c->columns[i] = s->view->count > 0 ? s->view->data : dummy_row;
}

static uint8_t *get_slot_data(const slot_t *s) {
  shoal_assert(!s->is_row_map || s->view->rows, "the row map of an optional component must be loaded");
  return s->is_row_map ? (uint8_t *)(uintptr_t)s->view->rows : s->view->data;
}

// Padding between blocks avoids conflicts between cache sets.
enum {
  BLOCK_BYTES = NATIVE_BLOCK * 8 + 192,
  BLOCK_MARKS = NATIVE_BLOCK + 64,
  ALL_BLOCKS = NATIVE_MAX_COLUMNS * (BLOCK_BYTES + BLOCK_MARKS)
};

static loop_worker_t *get_or_create_worker(native_set_o *s, uint32_t worker) {
  shoal_assert(worker < JOBS_MAX_WORKERS, "worker %u is out of range (count %u)", worker, JOBS_MAX_WORKERS);
  if (!s->workers[worker]) {
    s->workers[worker] = calloc(1, sizeof(loop_worker_t));
    shoal_assert(s->workers[worker], "out of memory for a worker");
  }
  return s->workers[worker];
}

static uint8_t *get_block_column(const run_state_t *x, uint32_t column) {
  loop_worker_t *w = get_or_create_worker(x->loop->set, x->worker);
  if (!w->blocks)
    w->blocks = aligned_alloc(64, ALL_BLOCKS);
  shoal_assert(w->blocks, "out of memory for blocks of rows");
  return w->blocks + (size_t)column * BLOCK_BYTES;
}

static uint8_t *get_block_marks(const run_state_t *x, uint32_t column) {
  return get_block_column(x, NATIVE_MAX_COLUMNS) + (size_t)column * BLOCK_MARKS;
}

// Copies rows of a column to its block: the rows listed in `rows` or, if `rows` is NULL, `count` contiguous rows.
// `marked`: the column tracks writes, so the marks of its block are cleared.
static void copy_to_block(const run_state_t *x, uint32_t i, const uint8_t *from, const uint32_t *rows, uint32_t count,
                          bool marked) {
  uint8_t *to = get_block_column(x, i);
  uint32_t bytes = x->loop->slots[i].bytes;
  if (rows)
    rows_gather(to, from, rows, bytes, count);
  else
    memcpy(to, from, (size_t)count * bytes);
  uint32_t end = (count + x->loop->width - 1) / x->loop->width * x->loop->width;
  rows_pad(to, bytes, count, end); // the results of these rows are discarded
  if (marked)
    memset(get_block_marks(x, i), 0, end);
}

static void copy_from_block(const run_state_t *x, uint32_t i, uint8_t *to, uint8_t *marks, const uint32_t *rows,
                            uint32_t done) {
  const uint8_t *from = get_block_column(x, i), *from_marks = get_block_marks(x, i);
  uint32_t bytes = x->loop->slots[i].bytes;
  if (rows)
    rows_scatter(to, from, rows, bytes, done);
  else
    memcpy(to, from, (size_t)done * bytes);
  for (uint32_t k = 0; marks && k < done; ++k)
    marks[rows ? rows[k] : k] |= from_marks[k];
}

// Returns the number of rows of a column that the code may access, and stores the first of these rows in `*from`.
static uint32_t count_accessible_rows(const native_loop_o *l, uint32_t i, uint32_t first, uint32_t end,
                                      uint32_t *from) {
  const slot_t *s = &l->slots[i];
  *from = s->view && !s->any_row ? first : 0;
  if (s->view && !s->any_row)
    return (end - first + l->width - 1) / l->width * l->width;
  if (l->call.columns[i] == dummy_row)
    return 1;
  if (s->any_row && (s->is_row_map || !s->view->rows))
    return s->view->count;
  return world_manager(l->query->world, s->manager)->count;
}

static int64_t run_code(const native_loop_o *l, const native_call_t *call, int64_t begin, int64_t end) {
  return l->entry ? l->entry(call, begin, end) : interpreter_run(l->interpreter, call, begin, end);
}

// Runs the code on copies between guard pages (guard_pages.h). Returns the row at which the code stopped.
static int64_t run_guarded_code(native_loop_o *l, uint32_t first, uint32_t end) {
  native_call_t original = l->call, before;
  guard_o *g = l->set->guard;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    uint32_t from, bytes = l->slots[i].bytes, count = count_accessible_rows(l, i, first, end, &from);
    bool written = l->slots[i].written;
    uint8_t *data = original.columns[i], *marks = original.marks[i];
    if (data)
      original.columns[i] =
          (uint8_t *)guard_copy_bytes(g, data + (size_t)from * bytes, (size_t)count * bytes, written) -
          (size_t)from * bytes;
    original.marks[i] = marks && written ? (uint8_t *)guard_copy_bytes(g, marks + from, count, true) - from : NULL;
  }
  before = original;
  int64_t done = run_code(l, &original, first, end);
  memcpy(l->call.parameters, original.parameters, sizeof original.parameters);
  memcpy(before.parameters, original.parameters, sizeof original.parameters);
  if (memcmp(&before, &original, sizeof original) != 0)
    abort();
  guard_write_back(g);
  return done;
}

static uint32_t run_checked_code(const run_state_t *x, uint32_t first, uint32_t end) {
  native_loop_o *l = x->loop;
  int64_t done = l->set->guard ? run_guarded_code(l, first, end) : run_code(l, x->call, first, end);
  shoal_assert(done >= first && done < (int64_t)end + l->width, "the code stopped at row %lld of %u", (long long)done,
               end);
  return done < end ? (uint32_t)done : end; // rows after `end` were padding
}

static void copy_block_back(const run_state_t *x, uint32_t i, uint32_t first, uint32_t done) {
  const slot_t *s = &x->loop->slots[i];
  const column_view_t *v = s->view;
  uint32_t at = s->mapped ? 0 : first;
  copy_from_block(x, i, (uint8_t *)v->data + (size_t)at * s->bytes, v->marks ? v->marks + at : NULL,
                  s->mapped ? s->rows + first : NULL, done);
}

// Runs `count` rows after copying columns to blocks, where vectors can access them: all columns if `count` is not a
// multiple of the vector length; otherwise the mapped columns, unless `contiguous` says that these rows are contiguous
// in every column. Returns the number of rows before the first side exit.
static uint32_t run_block(const run_state_t *x, uint32_t first, uint32_t count, bool contiguous) {
  native_loop_o *l = x->loop;
  bool all = count % l->width != 0;
  x->call->base = first;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    if (!s->view || s->any_row) {
      set_random_access_column(l, x->call, i);
      continue;
    }
    bool copied = all || (s->mapped && !contiguous);
    uint32_t row = s->mapped ? s->rows[first] : first;
    if (copied && s->mapped)
      copy_to_block(x, i, s->view->data, s->rows + first, count, s->view->marks != NULL);
    else if (copied)
      copy_to_block(x, i, get_slot_data(s) + (size_t)first * s->bytes, NULL, count, s->view->marks != NULL);
    x->call->columns[i] = copied ? get_block_column(x, i) : get_slot_data(s) + (size_t)row * s->bytes;
    x->call->marks[i] = !s->view->marks ? NULL : copied ? get_block_marks(x, i) : s->view->marks + row;
  }
  uint32_t done = run_checked_code(x, 0, count);
  for (uint32_t i = 0; i < l->slot_count; ++i)
    if (l->slots[i].written && l->slots[i].view && (all || (l->slots[i].mapped && !contiguous)))
      copy_block_back(x, i, first, done);
  return done;
}

// Runs the rows from `first` to `end`, a multiple of the vector length, directly in the columns. Returns the row of the
// first side exit; `end` if no row takes one.
static uint32_t run_unmapped_rows(const run_state_t *x, uint32_t first, uint32_t end) {
  const native_loop_o *l = x->loop;
  x->call->base = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    if (!l->slots[i].view || l->slots[i].any_row) {
      set_random_access_column(l, x->call, i);
      continue;
    }
    x->call->columns[i] = get_slot_data(&l->slots[i]);
    x->call->marks[i] = l->slots[i].view->marks;
  }
  return run_checked_code(x, first, end);
}

// Returns the number of rows to run next: a multiple of the vector length, or the remaining rows.
static uint32_t choose_row_count(const native_loop_o *l, uint32_t at, uint32_t rows) {
  uint32_t left_over = rows - at;
  return left_over >= l->width ? left_over / l->width * l->width : left_over;
}

// Returns true if CHUNK entries of `rows` are consecutive numbers that start with `begin`. The parameter is a pointer
// because compilers do not vectorize a loop over 32-bit indices `at + k`, which may wrap around.
static bool is_consecutive(const uint32_t *rows, uint32_t begin) {
  uint32_t other = 0;
  for (uint32_t k = 0; k < CHUNK; ++k)
    other |= rows[k] ^ (begin + k);
  return other == 0;
}

// Returns true if CHUNK rows from `at` on continue the contiguous rows from `from` to `at` in every column.
static bool is_contiguous_at(const native_loop_o *l, uint32_t from, uint32_t at) {
  const uint32_t *before = NULL;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const uint32_t *rows = l->slots[i].mapped ? l->slots[i].rows : before;
    if (rows == before) // columns of one component share a map
      continue;
    if (!is_consecutive(rows + at, rows[from] + (at - from)))
      return false;
    before = rows;
  }
  return true;
}

// Like find_next_run, for ordered rows: uses the order's runs, which begin and end at multiples of CHUNK, as do the
// parts of a split run.
static uint32_t find_ordered_run(const native_loop_o *l, uint32_t at, uint32_t rows, bool *contiguous) {
  uint32_t count = row_order_run_length(&l->visits, at, rows - at);
  *contiguous = count > 0;
  return *contiguous ? count : choose_row_count(l, at, rows - at < NATIVE_BLOCK ? rows : at + NATIVE_BLOCK);
}

// Returns the number of following rows that are either all contiguous or all not contiguous, and sets *contiguous
// accordingly. Most maps are contiguous except for a few rows of entities with recycled ids.
static uint32_t find_next_run(const native_loop_o *l, uint32_t at, uint32_t rows, bool *contiguous) {
  if (l->is_ordered)
    return find_ordered_run(l, at, rows, contiguous);
  *contiguous = rows - at >= CHUNK && CHUNK % l->width == 0 && is_contiguous_at(l, at, at);
  if (rows - at < CHUNK)
    return choose_row_count(l, at, rows);
  uint32_t count = CHUNK;
  while (rows - at - count >= CHUNK && (*contiguous || count < NATIVE_BLOCK) &&
         is_contiguous_at(l, *contiguous ? at : at + count, at + count) == *contiguous)
    count += CHUNK;
  return count;
}

// Defers row `at`, where the code stopped. If many rows exit, also defers the following rows, because running them in
// Lua is faster than restarting the code. Returns the row where the code continues.
static uint32_t defer_exits(run_state_t *x, uint32_t first, uint32_t at, uint32_t end) {
  enum { CLOSE = 2, MAX_TOGETHER = 64, MIN_STOPS = 16, MIN_BETWEEN_STOPS = 4 };
  uint32_t since = x->exit_count > 0 ? at - (uint32_t)x->exits[x->exit_count - 1] : end;
  bool is_exact = x->loop->set->waits && !x->loop->set->splits;
  x->stops++;
  x->together = is_exact || since > CLOSE ? 1 : x->together < MAX_TOGETHER ? x->together * 2 : MAX_TOGETHER;
  if (!is_exact && x->stops > MIN_STOPS && x->stops * MIN_BETWEEN_STOPS > at - first)
    x->together = end - at;
  for (uint32_t i = 0; i < x->together && at < end; ++i)
    x->exits[x->exit_count++] = (int32_t)at++;
  return at;
}

// Runs the rows [first, end). Returns the row of the first side exit, or `end`; with deferred exits, always `end`.
static uint32_t run_rows(run_state_t *x, uint32_t first, uint32_t end) {
  const native_loop_o *l = x->loop;
  uint32_t at = first;
  for (bool is_running = true; is_running && at < end;) {
    bool contiguous = false;
    uint32_t count = l->is_mapped ? find_next_run(l, at, end, &contiguous) : choose_row_count(l, at, end),
             next = at + count;
    bool unmapped = !l->is_mapped && count >= l->width;
    at = unmapped ? run_unmapped_rows(x, at, next) : at + run_block(x, at, count, contiguous);
    is_running = at == next || x->exits;
    if (at < next && x->exits)
      at = defer_exits(x, first, at, end);
  }
  return at;
}

// --- NaN in fields that reject it

static void report_nan(const native_loop_o *l, const slot_t *s) {
  char where[512], message[RANGE_TEXT_BYTES];
  const schema_t *schema = &world_manager(l->query->world, s->manager)->schema;
  const field_t *f = &schema->fields[s->column];
  int at = snprintf(where, sizeof where, "%s:%u: ", l->file, s->line);
  snprintf(where + at, sizeof where - (size_t)at, "%s.%s", schema->name, f->name);
  if (!native_set_add_nan_report(l->set, where))
    return;
  range_describe_problem(where + at, -INFINITY, INFINITY, (double)NAN, f->initial, RANGE_STORED, message);
  log_warn(world_log(l->query->world), "%.*s%s (reported once)", at, where, message);
}

static void record_nan(void *found, uint32_t row, double value) {
  (void)row, (void)value;
  *(bool *)found = true;
}

static void replace_nan_in_mapped_rows(columns_t *c, const slot_t *s, uint32_t first, uint32_t at, bool *found) {
  for (uint32_t i = first; i < at; ++i)
    if (s->rows[i] < c->count)
      columns_clamp(c, s->column, s->rows[i], 1, record_nan, found);
}

// Replaces NaN by the default in the columns that the rows [first, at) of the query have written, before any other code
// reads them: Lua replaces it in each store.
static void replace_nan(native_loop_o *l, uint32_t first, uint32_t at) {
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (!s->replaces_nan || at == first)
      continue;
    columns_t *c = &world_manager(l->query->world, s->manager)->columns;
    bool found = false;
    if (first == 0 && at == l->query->count)
      columns_clamp(c, s->column, 0, c->count, record_nan, &found);
    else if (s->mapped)
      replace_nan_in_mapped_rows(c, s, first, at, &found);
    else
      columns_clamp(c, s->column, first, at - first, record_nan, &found);
    if (found)
      report_nan(l, s);
  }
}

// Marks the written columns that have a range, so that they are clamped when the system ends (ecs/ranges.h).
static void mark_ranged_columns(native_loop_o *l) {
  world_o *w = l->query->world;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (!s->written || s->is_row_map || s->manager == 0 ||
        !field_has_range(&world_manager(w, s->manager)->schema.fields[s->column]))
      continue;
    world_mark_written(w, s->manager, UINT64_C(1) << s->column);
    world_record_write(w, s->manager, s->column, ROW_NONE, l->file, s->line);
  }
}

// --- splitting

// Returns the estimated cost of a run in hundredths of a nanosecond. The estimate is not a measurement, so that
// splitting does not depend on the machine.
static uint64_t estimate_run_cost(const native_loop_o *l, uint32_t rows) {
  return (l->row_cost + l->gather_cost) * rows;
}

// Returns true if the run may be split; then also reserves the memory for undo copies, if they are needed. A loop whose
// exits cannot be deferred is split only while no row exits, because rows after an exit must run again. After an exit,
// counts down the runs until runs are split again.
static bool prepare_split(native_loop_o *l, uint32_t rows) {
  if (l->order != NATIVE_ROWS_INDEPENDENT || l->defers)
    return l->order != NATIVE_ROWS_IN_ORDER;
  l->rest -= l->rest > 0;
  return l->rest == 0 && undo_is_possible(l) && undo_reserve(l, rows);
}

// Returns the number of rows per part, or `rows` if the run is not split. Each worker runs several parts, so that a
// late worker does not delay the other workers. Parts begin at multiples of 64 rows, so that no two workers write to
// the same cache line of a contiguous column.
static uint32_t choose_rows_per_part(native_loop_o *l, uint32_t rows) {
  bool is_expensive = l->set->splits || estimate_run_cost(l, rows) >= NATIVE_SPLIT_COST;
  uint32_t workers = jobs_worker_count(world_jobs(l->query->world));
  if (workers == 1 || l->set->guard || !is_expensive || !prepare_split(l, rows))
    return rows;
  uint32_t part_size = (rows - 1) / (workers * 4) + 1;
  return ((part_size < NATIVE_MIN_PART && !l->set->splits ? NATIVE_MIN_PART : part_size) + 63) / 64 * 64;
}

static uint32_t get_part_count(const native_loop_o *l) {
  return l->query->count == 0 ? 0 : (l->query->count - 1) / l->part_rows + 1;
}

void native_loop_run_part(void *loop, uint32_t part, uint32_t worker) {
  native_loop_o *l = loop;
  loop_worker_t *w = get_or_create_worker(l->set, worker);
  uint32_t first = part * l->part_rows, rest = l->query->count - first;
  shoal_assert(first < l->query->count, "part %u begins at row %u, but the query has %u rows", part, first,
               l->query->count);
  uint32_t end = first + (rest < l->part_rows ? rest : l->part_rows);
  if (l->order == NATIVE_ROWS_INDEPENDENT && part > 0 && !l->defers)
    undo_save_rows(l, first, end);
  w->call = l->call;
  run_state_t x = {.loop = l, .call = &w->call, .worker = worker, .exits = l->defers ? l->exit_rows + first : NULL};
  uint32_t done = run_rows(&x, first, end);
  l->part_done[part] = l->defers ? x.exit_count : done;
}

// Returns the first row that exits to Lua, after restoring the rows of later parts; the row count if no row exits.
static uint32_t finish_split_run(native_loop_o *l) {
  uint32_t parts = get_part_count(l), rows = l->query->count;
  for (uint32_t i = 0; i < parts; ++i) {
    uint32_t end = i + 1 < parts ? (i + 1) * l->part_rows : rows;
    if (l->part_done[i] == end)
      continue;
    shoal_assert(l->order == NATIVE_ROWS_INDEPENDENT, "unexpected side exit at row %u", l->part_done[i]);
    undo_restore_rows(l, end, rows);
    l->penalty = l->penalty < 32 ? l->penalty * 2 + 1 : l->penalty;
    l->rest = l->penalty;
    return l->part_done[i];
  }
  l->penalty /= 2;
  return rows;
}

// Collects the deferred exits of all parts. Returns the first row that exits to Lua; the row count if no row exits.
static uint32_t finish_deferred_run(native_loop_o *l) {
  uint32_t count = exits_collect(l, get_part_count(l));
  replace_nan(l, 0, l->query->count);
  mark_ranged_columns(l);
  l->exits.next = count > 0;
  l->runs++;
  l->lua_rows += count;
  l->rows += l->query->count - count;
  l->stopped = l->query->count;
  return count > 0 ? (uint32_t)l->exits.rows[0] : l->query->count;
}

static void finish_run(native_loop_o *l, uint32_t first, uint32_t at) {
  replace_nan(l, first, at);
  mark_ranged_columns(l);
  l->runs += first == 0;
  l->lua_rows += first > 0 ? first - l->stopped : 0;
  l->stopped = at;
  l->rows += at - first;
}

uint32_t native_loop_run(native_loop_o *l, uint32_t first) {
  uint32_t rows = l->query->count, at = rows;
  run_state_t x = {.loop = l, .call = &l->call, .exits = l->defers ? l->exit_rows : NULL};
  shoal_assert(native_loop_is_ready(l) && l->query->open > 0, "the loop of %s is not ready, or its query is not open",
               l->system);
  shoal_assert(first == 0 || !l->defers, "the loop of %s defers exits and must start at row 0, not %u", l->system,
               first);
  l->is_mapped = choose_mapped_columns(l);
  l->part_rows = first == 0 ? choose_rows_per_part(l, rows) : rows;
  bool is_split = l->part_rows < rows;
  l->split += is_split;
  if (is_split)
    jobs_run_parts(world_jobs(l->query->world), native_loop_run_part, l, get_part_count(l));
  else
    at = run_rows(&x, first, rows);
  if (l->defers) {
    l->part_done[0] = is_split ? l->part_done[0] : x.exit_count;
    return finish_deferred_run(l);
  }
  at = is_split ? finish_split_run(l) : at;
  finish_run(l, first, at);
  return at;
}

bool native_loop_needs_no_watchdog(native_loop_o *l) {
  return l->order == NATIVE_ROWS_WITHOUT_EXITS && !l->set->splits &&
         estimate_run_cost(l, l->query->count) < NATIVE_SPLIT_COST && native_loop_is_ready(l);
}

// --- running in parallel with other systems

uint32_t native_loop_begin_parallel(native_loop_o *l, int32_t dt, float dt_s) {
  shoal_assert(native_loop_is_ready(l) && (l->order == NATIVE_ROWS_WITHOUT_EXITS || l->defers),
               "the loop of %s cannot run in parallel", l->system);
  shoal_assert(dt < (int32_t)l->parameter_count, "dt parameter %d is out of range (count %u)", dt, l->parameter_count);
  if (dt >= 0)
    l->call.parameters[dt] = (double)dt_s;
  l->alone += !l->defers;
  if (l->query->count == 0) {
    finish_run(l, 0, 0);
    return 0;
  }
  query_open(l->query);
  l->is_mapped = choose_mapped_columns(l);
  l->part_rows = choose_rows_per_part(l, l->query->count);
  l->split += l->part_rows < l->query->count;
  return get_part_count(l);
}

uint32_t native_loop_end_parallel(native_loop_o *l) {
  if (l->defers) {
    finish_deferred_run(l);
    l->exits.next = 0;
  } else
    finish_run(l, 0, finish_split_run(l));
  query_close(l->query);
  return l->defers ? (uint32_t)l->exits.count : 0;
}

// --- running all rows without Lua

// Runs the rows of contiguous columns that follow the last whole vector, after copying them to blocks.
static void run_remainder(const run_state_t *x, uint32_t first, uint32_t count) {
  native_loop_o *l = x->loop;
  void *starts[CONTIGUOUS_MAX_COLUMNS];
  uint8_t *marks[CONTIGUOUS_MAX_COLUMNS];
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    copy_to_block(x, i, (const uint8_t *)l->call.columns[i] + (size_t)first * l->slots[i].bytes, NULL, count,
                  l->call.marks[i] != NULL);
    starts[i] = l->call.columns[i];
    marks[i] = l->call.marks[i];
    l->call.columns[i] = get_block_column(x, i);
    l->call.marks[i] = marks[i] ? get_block_marks(x, i) : NULL;
  }
  l->call.base = first;
  run_checked_code(x, 0, count);
  for (uint32_t i = 0; i < l->slot_count; ++i)
    if (l->slots[i].written)
      copy_from_block(x, i, (uint8_t *)starts[i] + (size_t)first * l->slots[i].bytes,
                      marks[i] ? marks[i] + first : NULL, NULL, count);
}

typedef uint8_t vector_rows_t[NATIVE_MAX_WIDTH * 8]; // values of one column in the rows of one vector

// Saves or restores the rows of other entities that the last vector overwrites: rows [rows, end) of written columns, in
// components with more rows than the query.
static void save_or_restore_overwritten(const native_loop_o *l, uint32_t rows, uint32_t end, vector_rows_t *saved,
                                        bool restore) {
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    uint8_t *data = (uint8_t *)l->call.columns[i] + (size_t)rows * s->bytes;
    if (s->written && l->contiguous.columns[i].manager->count > rows)
      memcpy(restore ? data : saved[i], restore ? saved[i] : data, (size_t)(end - rows) * s->bytes);
  }
}

static bool run_contiguous(native_loop_o *l) {
  uint32_t rows = contiguous_get_columns(&l->contiguous, l->call.columns, l->call.marks),
           whole = rows & ~(l->width - 1);
  run_state_t x = {.loop = l, .call = &l->call};
  if (rows == 0)
    return false;
  l->call.base = 0;
  l->call.end = rows;
  l->call.query_rows = NULL;
  bool pads = whole < rows && !l->call.is_solid && contiguous_can_pad(&l->contiguous, l->call.marks, whole + l->width);
  vector_rows_t saved[CONTIGUOUS_MAX_COLUMNS];
  if (pads)
    save_or_restore_overwritten(l, rows, whole + l->width, saved, false);
  if (pads || whole > 0)
    run_checked_code(&x, 0, pads ? rows : whole);
  if (pads)
    save_or_restore_overwritten(l, rows, whole + l->width, saved, true);
  else if (whole < rows)
    run_remainder(&x, whole, rows - whole);
  l->call.end = INT64_MAX;
  finish_run(l, 0, rows);
  return true;
}

void native_loop_run_all(native_loop_o *l, int32_t dt, float dt_s) {
  shoal_assert(dt < (int32_t)l->parameter_count, "dt parameter %d is out of range (count %u)", dt, l->parameter_count);
  if (dt >= 0)
    l->call.parameters[dt] = (double)dt_s;
  l->alone++;
  if (l->query->open == 0 && run_contiguous(l))
    return;
  query_open(l->query);
  native_loop_run(l, 0);
  shoal_assert(l->stopped == l->query->count, "unexpected side exit after %u of %u rows", l->stopped, l->query->count);
  query_close(l->query);
}
