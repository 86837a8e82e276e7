// Runs compiled loops: column addresses, gathered blocks, splitting among workers.
#include "base/aligned_memory.h"
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

enum { CHUNK_ROWS = ROW_ORDER_BLOCK }; // granularity of the search for contiguous rows
enum { GATHER_COST = 50 };

// State of one thread that runs a loop's rows.
typedef struct run_state_t {
  native_loop_o *loop;
  native_call_t *call; // argument of the code: the loop's `call`, or the worker's copy of it
  uint32_t worker;
  int32_t *exits;          // list of deferred exits; NULL: the code stops at the first exit
  uint32_t first_row, end; // rows that this thread runs
  uint32_t exit_count, stop_count;
  uint32_t rows_per_exit; // number of rows deferred at the most recent exit
} run_state_t;

// Returns true if this run covers all rows of the query.
static bool covers_all_rows(const native_loop_o *loop) {
  return loop->begin == 0 && loop->end == loop->query->count;
}

static void set_all_rows(native_loop_o *loop) {
  loop->begin = 0;
  loop->end = loop->query->count;
}

// Returns true if rows can be processed in column order. All columns must belong to one component, whose rows must all
// be in the query and in this run. Rows must be independent and take no side exits, and the code must compute several
// rows at a time.
static bool runs_in_column_order(const native_loop_o *loop) {
  uint32_t manager = 0;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    if (!slot->view || slot->is_random_access || slot->is_row_map || slot->manager == 0 ||
        (manager != 0 && slot->manager != manager))
      return false;
    manager = slot->manager;
  }
  return loop->order == NATIVE_ROWS_WITHOUT_EXITS && loop->width > 1 && manager > 0 && covers_all_rows(loop) &&
         world_manager(loop->query->world, manager)->count == loop->query->count;
}

// Returns the index of a row map in the list; appends the map if it is new.
static uint32_t find_or_add_map(row_map_t *maps, uint32_t *count, const uint32_t *rows, const manager_o *manager) {
  uint32_t i = 0;
  while (i < *count && maps[i].rows != rows)
    ++i;
  if (i == *count)
    maps[(*count)++] = (row_map_t){rows, 0};
  if (manager)
    maps[i].count = manager->count;
  return i;
}

// Chooses the row order of this run. Returns true if the run uses loop->row_order; false if it uses the query's order.
static bool choose_row_order(native_loop_o *loop) {
  row_map_t maps[ROW_ORDER_MAX_MAPS];
  uint32_t count = 0, slot_maps[NATIVE_MAX_COLUMNS];
  if (loop->order != NATIVE_ROWS_WITHOUT_EXITS || ROW_ORDER_BLOCK % loop->width != 0 || !covers_all_rows(loop))
    return false;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    if (slot->is_row_map && !slot->is_random_access)
      return false;
    if (slot->view && !slot->is_random_access && count == ROW_ORDER_MAX_MAPS)
      return false;
    if (slot->view && !slot->is_random_access)
      slot_maps[i] = find_or_add_map(maps, &count, slot->view->rows,
                                     slot->manager ? world_manager(loop->query->world, slot->manager) : NULL);
  }
  if (!row_order_update(&loop->row_order, loop->query, maps, count, loop->set->splits_all))
    return false;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    slot_t *slot = &loop->slots[i];
    slot->mapped = slot->view && !slot->is_random_access;
    slot->rows = slot->mapped ? loop->row_order.rows[slot_maps[i]] : NULL;
  }
  return true;
}

// Determines which columns are mapped, the cost of gathering them, and the row order. Returns true if at least one
// column is mapped.
static bool choose_mapped_columns(native_loop_o *loop) {
  bool is_any_mapped = false;
  loop->is_ordered = false;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    slot_t *slot = &loop->slots[i];
    slot->mapped = slot->view && slot->view->rows && !slot->is_row_map && !slot->is_random_access;
    slot->rows = slot->mapped ? slot->view->rows : NULL;
    is_any_mapped |= slot->mapped;
  }
  if (is_any_mapped && runs_in_column_order(loop)) {
    for (uint32_t i = 0; i < loop->slot_count; ++i)
      loop->slots[i].mapped = false;
    is_any_mapped = false;
  }
  loop->gather_cost = 0;
  for (uint32_t i = 0; is_any_mapped && i < loop->slot_count; ++i)
    loop->gather_cost += !loop->slots[i].mapped ? 0 : loop->slots[i].written ? 2 * GATHER_COST : GATHER_COST;
  loop->is_ordered = is_any_mapped && choose_row_order(loop);
  loop->call.query_rows = loop->is_ordered ? loop->row_order.query_rows : NULL;
  loop->call.end = loop->is_ordered ? loop->query->count : INT64_MAX;
  return is_any_mapped;
}

// Dummy row for components without rows: the code loads row 0 even if a lookup has failed.
static _Alignas(64) uint8_t dummy_row[64];

static void set_component_column(const native_loop_o *loop, native_call_t *call, uint32_t i) {
  manager_o *manager = world_manager(loop->query->world, loop->slots[i].manager);
  uint32_t column = loop->slots[i].column;
  call->columns[i] = manager->count > 0 ? manager->data[column] : dummy_row;
  call->marks[i] = manager->count > 0 && world_tracks_touched_fields(loop->query->world)
                       ? columns_get_marks(&manager->columns, column)
                       : NULL;
}

// Sets the address of a column in which the code may access any row.
static void set_random_access_column(const native_loop_o *loop, native_call_t *call, uint32_t i) {
  const slot_t *slot = &loop->slots[i];
  if (!slot->is_random_access)
    set_component_column(loop, call, i);
  else if (slot->is_row_map)
    call->columns[i] = slot->view->count > 0 ? (void *)(uintptr_t)slot->view->rows : NULL;
  else
    call->columns[i] = slot->view->count > 0 ? slot->view->data : dummy_row;
}

static uint8_t *get_slot_data(const slot_t *slot) {
  shoal_assert(!slot->is_row_map || slot->view->rows, "the row map of an optional component must be loaded");
  return slot->is_row_map ? (uint8_t *)(uintptr_t)slot->view->rows : slot->view->data;
}

// Padding between blocks avoids conflicts between cache sets.
enum {
  BLOCK_BYTES = (NATIVE_BLOCK + NATIVE_MAX_WIDTH) * 8 + 192,
  BLOCK_MARKS = NATIVE_BLOCK + NATIVE_MAX_WIDTH + 64,
  ALL_BLOCKS = NATIVE_MAX_COLUMNS * (BLOCK_BYTES + BLOCK_MARKS)
};

static loop_worker_t *get_or_create_worker(native_set_o *set, uint32_t worker) {
  shoal_assert(worker < JOBS_MAX_WORKERS, "worker %u is out of range (count %u)", worker, JOBS_MAX_WORKERS);
  if (!set->workers[worker]) {
    set->workers[worker] = calloc(1, sizeof(loop_worker_t));
    shoal_assert(set->workers[worker], "out of memory for a worker");
  }
  return set->workers[worker];
}

static uint8_t *get_block_column(const run_state_t *state, uint32_t column) {
  loop_worker_t *worker = get_or_create_worker(state->loop->set, state->worker);
  if (!worker->blocks)
    worker->blocks = aligned_memory_alloc(64, ALL_BLOCKS);
  shoal_assert(worker->blocks, "out of memory for blocks of rows");
  return worker->blocks + (size_t)column * BLOCK_BYTES;
}

static uint8_t *get_block_marks(const run_state_t *state, uint32_t column) {
  return get_block_column(state, NATIVE_MAX_COLUMNS) + (size_t)column * BLOCK_MARKS;
}

// Returns true if the code can continue in a block after a deferred exit.
static bool can_continue_in_block(const run_state_t *state) {
  return state->exits && state->loop->emission_count == 0; // code with emissions takes no exits
}

// Copies rows of a column to its block: the rows listed in `rows` or, if `rows` is NULL, `count` contiguous rows.
// `marked`: the column tracks writes, so the marks of its block are cleared.
static void copy_to_block(const run_state_t *state, uint32_t slot, const uint8_t *source, const uint32_t *rows,
                          uint32_t count, bool marked) {
  uint8_t *block = get_block_column(state, slot);
  uint32_t bytes = state->loop->slots[slot].bytes;
  if (rows)
    rows_gather(block, source, rows, bytes, count);
  else
    memcpy(block, source, (size_t)count * bytes);
  uint32_t end = (count + state->loop->width - 1) / state->loop->width * state->loop->width;
  if (can_continue_in_block(state)) // the last vector may then begin at any row
    end = count + state->loop->width;
  rows_pad(block, bytes, count, end); // the results of these rows are discarded
  if (marked)
    memset(get_block_marks(state, slot), 0, end);
}

static void copy_from_block(const run_state_t *state, uint32_t slot, uint8_t *target, uint8_t *marks,
                            const uint32_t *rows, uint32_t count) {
  const uint8_t *block = get_block_column(state, slot), *block_marks = get_block_marks(state, slot);
  uint32_t bytes = state->loop->slots[slot].bytes;
  if (rows)
    rows_scatter(target, block, rows, bytes, count);
  else
    memcpy(target, block, (size_t)count * bytes);
  for (uint32_t k = 0; marks && k < count; ++k)
    marks[rows ? rows[k] : k] |= block_marks[k];
}

// Returns true if the code may read any row of the slot. This includes the row map of a view if the code may read any
// row of one of the view's columns.
static bool can_read_any_row(const native_loop_o *loop, const slot_t *slot) {
  bool is_any = slot->is_random_access;
  for (uint32_t i = 0; i < loop->slot_count && slot->is_row_map && !is_any; ++i)
    is_any = loop->slots[i].view == slot->view && loop->slots[i].is_random_access;
  return is_any;
}

// Returns the number of rows of a column that the code may access, and stores the first of these rows in
// `*first_accessible`.
static uint32_t count_accessible_rows(const native_loop_o *loop, uint32_t slot_index, uint32_t first_row, uint32_t end,
                                      uint32_t *first_accessible) {
  const slot_t *slot = &loop->slots[slot_index];
  bool is_random_access = can_read_any_row(loop, slot);
  *first_accessible = slot->view && !is_random_access ? first_row : 0;
  if (slot->view && !is_random_access)
    return (end - first_row + loop->width - 1) / loop->width * loop->width;
  if (loop->call.columns[slot_index] == dummy_row)
    return 1;
  if (is_random_access && (slot->is_row_map || !slot->view->rows))
    return slot->view->count;
  return world_manager(loop->query->world, slot->manager)->count;
}

static int64_t run_code(const native_loop_o *loop, const native_call_t *call, int64_t begin, int64_t end) {
  return loop->entry ? loop->entry(call, begin, end) : interpreter_run(loop->interpreter, call, begin, end);
}

// Runs the code on copies between guard pages (guard_pages.h). Returns the row at which the code stopped.
static int64_t run_guarded_code(native_loop_o *loop, uint32_t first_row, uint32_t end) {
  native_call_t guarded = loop->call, expected;
  guard_o *guard = loop->set->guard;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    uint32_t first_accessible, bytes = loop->slots[i].bytes,
                               count = count_accessible_rows(loop, i, first_row, end, &first_accessible);
    bool written = loop->slots[i].written;
    uint8_t *data = guarded.columns[i], *marks = guarded.marks[i];
    if (data)
      guarded.columns[i] =
          (uint8_t *)guard_copy_bytes(guard, data + (size_t)first_accessible * bytes, (size_t)count * bytes, written) -
          (size_t)first_accessible * bytes;
    guarded.marks[i] =
        marks && written ? (uint8_t *)guard_copy_bytes(guard, marks + first_accessible, count, true) - first_accessible
                         : NULL;
  }
  expected = guarded;
  int64_t stop_row = run_code(loop, &guarded, first_row, end);
  memcpy(loop->call.parameters, guarded.parameters, sizeof guarded.parameters);
  memcpy(expected.parameters, guarded.parameters, sizeof guarded.parameters);
  if (memcmp(&expected, &guarded, sizeof guarded) != 0)
    abort();
  guard_write_back(guard);
  return stop_row;
}

static uint32_t run_checked_code(const run_state_t *state, uint32_t first_row, uint32_t end) {
  native_loop_o *loop = state->loop;
  int64_t stop_row =
      loop->set->guard ? run_guarded_code(loop, first_row, end) : run_code(loop, state->call, first_row, end);
  shoal_assert(stop_row >= first_row && stop_row < (int64_t)end + loop->width, "the code stopped at row %lld of %u",
               (long long)stop_row, end);
  return stop_row < end ? (uint32_t)stop_row : end; // rows after `end` were padding
}

static void copy_block_back(const run_state_t *state, uint32_t slot_index, uint32_t first_row, uint32_t count) {
  const slot_t *slot = &state->loop->slots[slot_index];
  const column_view_t *view = slot->view;
  uint32_t offset = slot->mapped ? 0 : first_row;
  copy_from_block(state, slot_index, (uint8_t *)view->data + (size_t)offset * slot->bytes,
                  view->marks ? view->marks + offset : NULL, slot->mapped ? slot->rows + first_row : NULL, count);
}

// Defers `row`, where the code stopped. If many rows exit, also defers the following rows, because running them in
// Lua is faster than restarting the code. Returns the row where the code continues.
static uint32_t defer_exits(run_state_t *state, uint32_t row) {
  enum { MAX_DISTANCE = 2, MAX_ROWS_PER_EXIT = 64, MIN_STOPS = 16, MIN_ROWS_PER_STOP = 4 };
  uint32_t end = state->end,
           distance = state->exit_count > 0 ? row - (uint32_t)state->exits[state->exit_count - 1] : end;
  bool is_exact = state->loop->set->waits_for_code && !state->loop->set->splits_all;
  state->stop_count++;
  state->rows_per_exit = is_exact || distance > MAX_DISTANCE        ? 1
                         : state->rows_per_exit < MAX_ROWS_PER_EXIT ? state->rows_per_exit * 2
                                                                    : MAX_ROWS_PER_EXIT;
  if (!is_exact && state->stop_count > MIN_STOPS && state->stop_count * MIN_ROWS_PER_STOP > row - state->first_row)
    state->rows_per_exit = end - row;
  for (uint32_t i = 0; i < state->rows_per_exit && row < end; ++i)
    state->exits[state->exit_count++] = (int32_t)row++;
  return row;
}

// Runs `count` rows after copying columns to blocks, where vectors can access them. Copies all columns if `count` is
// not a multiple of the vector length, or if exits are deferred: the code then continues in the block after each exit.
// Otherwise copies the mapped columns. If these rows are contiguous in every column (`contiguous`), copies columns only
// in the first case. Returns the row of the first side exit or, without a side exit, the row where the code continues.
static uint32_t run_block(run_state_t *state, uint32_t first_row, uint32_t count, bool contiguous) {
  native_loop_o *loop = state->loop;
  bool continues = can_continue_in_block(state), copies_all = count % loop->width != 0 || (continues && !contiguous);
  state->call->base = first_row;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    slot_t *slot = &loop->slots[i];
    if (!slot->view || slot->is_random_access) {
      set_random_access_column(loop, state->call, i);
      continue;
    }
    bool is_copied = copies_all || (slot->mapped && !contiguous);
    uint32_t row = slot->mapped ? slot->rows[first_row] : first_row;
    if (is_copied && slot->mapped)
      copy_to_block(state, i, slot->view->data, slot->rows + first_row, count, slot->view->marks != NULL);
    else if (is_copied)
      copy_to_block(state, i, get_slot_data(slot) + (size_t)first_row * slot->bytes, NULL, count,
                    slot->view->marks != NULL);
    state->call->columns[i] = is_copied ? get_block_column(state, i) : get_slot_data(slot) + (size_t)row * slot->bytes;
    state->call->marks[i] = !slot->view->marks ? NULL : is_copied ? get_block_marks(state, i) : slot->view->marks + row;
  }
  uint32_t done = run_checked_code(state, 0, count);
  while (continues && copies_all && done < count) {
    done = defer_exits(state, first_row + done) - first_row;
    done = done < count ? run_checked_code(state, done, count) : done;
  }
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    if (loop->slots[i].written && loop->slots[i].view && (copies_all || (loop->slots[i].mapped && !contiguous)))
      copy_block_back(state, i, first_row, done < count ? done : count);
  return first_row + done;
}

// Runs the rows from `first_row` to `end`, a multiple of the vector length, directly in the columns. Returns the row of
// the first side exit; `end` if no row takes a side exit.
static uint32_t run_unmapped_rows(const run_state_t *state, uint32_t first_row, uint32_t end) {
  const native_loop_o *loop = state->loop;
  state->call->base = 0;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    if (!loop->slots[i].view || loop->slots[i].is_random_access) {
      set_random_access_column(loop, state->call, i);
      continue;
    }
    state->call->columns[i] = get_slot_data(&loop->slots[i]);
    state->call->marks[i] = loop->slots[i].view->marks;
  }
  return run_checked_code(state, first_row, end);
}

// Returns the number of rows to run next: a multiple of the vector length, or the remaining rows.
static uint32_t choose_row_count(const native_loop_o *loop, uint32_t row, uint32_t rows) {
  uint32_t remaining = rows - row;
  return remaining >= loop->width ? remaining / loop->width * loop->width : remaining;
}

// Returns true if CHUNK_ROWS entries of `rows` are consecutive numbers that start with `begin`. The parameter is a
// pointer because compilers do not vectorize a loop over 32-bit indices `at + k`, which may wrap around.
static bool is_consecutive(const uint32_t *rows, uint32_t begin) {
  uint32_t difference = 0;
  for (uint32_t k = 0; k < CHUNK_ROWS; ++k)
    difference |= rows[k] ^ (begin + k);
  return difference == 0;
}

// Returns true if CHUNK_ROWS rows from `row` on continue the contiguous rows from `run_start` to `row` in every column.
static bool is_contiguous_at(const native_loop_o *loop, uint32_t run_start, uint32_t row) {
  const uint32_t *previous = NULL;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const uint32_t *rows = loop->slots[i].mapped ? loop->slots[i].rows : previous;
    if (rows == previous) // columns of one component share a map
      continue;
    if (!is_consecutive(rows + row, rows[run_start] + (row - run_start)))
      return false;
    previous = rows;
  }
  return true;
}

// Like find_next_run, for ordered rows: uses the order's runs, which begin and end at multiples of CHUNK_ROWS, as do
// the parts of a split run.
static uint32_t find_ordered_run(const native_loop_o *loop, uint32_t row, uint32_t rows, bool *contiguous) {
  uint32_t count = row_order_run_length(&loop->row_order, row, rows - row);
  *contiguous = count > 0;
  return *contiguous ? count : choose_row_count(loop, row, rows - row < NATIVE_BLOCK ? rows : row + NATIVE_BLOCK);
}

// Returns the number of following rows that are either all contiguous or all not contiguous, and sets *contiguous
// accordingly. Most maps are contiguous except for a few rows of entities with recycled ids.
static uint32_t find_next_run(const native_loop_o *loop, uint32_t row, uint32_t rows, bool *contiguous) {
  if (loop->is_ordered)
    return find_ordered_run(loop, row, rows, contiguous);
  *contiguous = rows - row >= CHUNK_ROWS && CHUNK_ROWS % loop->width == 0 && is_contiguous_at(loop, row, row);
  if (rows - row < CHUNK_ROWS)
    return choose_row_count(loop, row, rows);
  uint32_t count = CHUNK_ROWS;
  while (rows - row - count >= CHUNK_ROWS && (*contiguous || count < NATIVE_BLOCK) &&
         is_contiguous_at(loop, *contiguous ? row : row + count, row + count) == *contiguous)
    count += CHUNK_ROWS;
  return count;
}

// Runs the rows [first_row, end). Returns the row of the first side exit, or `end`; with deferred exits, always `end`.
static uint32_t run_rows(run_state_t *state, uint32_t first_row, uint32_t end) {
  const native_loop_o *loop = state->loop;
  uint32_t row = first_row;
  state->first_row = first_row;
  state->end = end;
  for (bool is_running = true; is_running && row < end;) {
    bool contiguous = false;
    uint32_t count = loop->is_mapped ? find_next_run(loop, row, end, &contiguous) : choose_row_count(loop, row, end),
             next = row + count;
    bool is_unmapped = !loop->is_mapped && count >= loop->width;
    row = is_unmapped ? run_unmapped_rows(state, row, next) : run_block(state, row, count, contiguous);
    is_running = row == next || state->exits;
    if (row < next && state->exits)
      row = defer_exits(state, row);
  }
  return row;
}

// --- NaN in fields that reject it

static void report_nan(const native_loop_o *loop, const slot_t *slot) {
  char location[512], message[RANGE_TEXT_BYTES];
  const schema_t *schema = &world_manager(loop->query->world, slot->manager)->schema;
  const field_t *field = &schema->fields[slot->column];
  int name_offset = snprintf(location, sizeof location, "%s:%u: ", loop->file, slot->line);
  snprintf(location + name_offset, sizeof location - (size_t)name_offset, "%s.%s", schema->name, field->name);
  if (log_is_muted(world_log(loop->query->world)) || !native_set_add_nan_report(loop->set, location))
    return;
  range_describe_problem(location + name_offset, -INFINITY, INFINITY, (double)NAN, field->initial, RANGE_STORED,
                         message);
  log_warn(world_log(loop->query->world), "%.*s%s (reported once)", name_offset, location, message);
}

static void record_nan(void *is_found, uint32_t row, double value) {
  (void)row, (void)value;
  *(bool *)is_found = true;
}

static void replace_nan_in_mapped_rows(columns_t *columns, const slot_t *slot, uint32_t first_row, uint32_t end,
                                       bool *is_found) {
  for (uint32_t i = first_row; i < end; ++i)
    if (slot->rows[i] < columns->count)
      columns_clamp(columns, slot->column, slot->rows[i], 1, record_nan, is_found);
}

// Replaces NaN with the default in the columns that the rows [first_row, end) of the query have written, before any
// other code reads them: Lua replaces NaN in each store.
static void replace_nan(native_loop_o *loop, uint32_t first_row, uint32_t end) {
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    if (!slot->replaces_nan || end == first_row)
      continue;
    columns_t *columns = &world_manager(loop->query->world, slot->manager)->columns;
    bool is_found = false;
    if (first_row == 0 && end == loop->query->count)
      columns_clamp(columns, slot->column, 0, columns->count, record_nan, &is_found);
    else if (slot->mapped)
      replace_nan_in_mapped_rows(columns, slot, first_row, end, &is_found);
    else
      columns_clamp(columns, slot->column, first_row, end - first_row, record_nan, &is_found);
    if (is_found)
      report_nan(loop, slot);
  }
}

// Marks the written columns that have a range, so that they are clamped when the system ends (ecs/ranges.h).
static void mark_ranged_columns(native_loop_o *loop) {
  world_o *world = loop->query->world;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    if (!slot->written || slot->is_row_map || slot->manager == 0 ||
        !field_has_range(&world_manager(world, slot->manager)->schema.fields[slot->column]))
      continue;
    world_mark_written(world, slot->manager, UINT64_C(1) << slot->column);
    world_record_write(world, slot->manager, slot->column, ROW_NONE, loop->file, slot->line);
  }
}

// --- splitting

static uint64_t estimate_iterations(const native_loop_o *loop) {
  static const double MAX_ITERATIONS = 1e9;
  double stop = loop->max_stop;
  if (loop->stop_parameter >= 0 && loop->call.parameters[loop->stop_parameter] < stop)
    stop = loop->call.parameters[loop->stop_parameter];
  double iterations = stop / loop->step;
  return iterations < MAX_ITERATIONS ? iterations > 1 ? (uint64_t)iterations : 1 : (uint64_t)MAX_ITERATIONS;
}

// Returns the estimated cost of a run in hundredths of a nanosecond. The estimate is not a measurement, so that
// splitting does not depend on the machine.
static uint64_t estimate_run_cost(const native_loop_o *loop, uint32_t rows) {
  return (loop->row_cost + loop->gather_cost + loop->loop_cost * estimate_iterations(loop)) * rows;
}

// Returns true if the run may be split; then also reserves the memory for undo copies, if they are needed. A loop whose
// exits cannot be deferred is split only while no row exits, because rows after an exit must run again. After an exit,
// counts down the runs until runs are split again.
static bool prepare_split(native_loop_o *loop) {
  if (loop->order != NATIVE_ROWS_INDEPENDENT || loop->defers)
    return loop->order != NATIVE_ROWS_IN_ORDER;
  loop->split_wait -= loop->split_wait > 0;
  return loop->split_wait == 0 && undo_is_possible(loop) && undo_reserve(loop, loop->query->count);
}

// Returns the number of rows per part, or `rows` if the run is not split. Each worker runs several parts, so that a
// late worker does not delay the remaining workers. Parts begin at multiples of 64 rows, so that no two workers write
// to the same cache line of a contiguous column. Parts of expensive rows may have fewer than NATIVE_MIN_PART rows.
static uint32_t choose_rows_per_part(native_loop_o *loop, uint32_t rows) {
  bool is_expensive = loop->set->splits_all || estimate_run_cost(loop, rows) >= NATIVE_SPLIT_COST;
  uint32_t workers = jobs_worker_count(world_jobs(loop->query->world));
  if (workers == 1 || loop->set->guard || !is_expensive || !prepare_split(loop))
    return rows;
  uint32_t part_size = (rows - 1) / (workers * 4) + 1, min_part = NATIVE_MIN_PART;
  while (min_part > 64 && estimate_run_cost(loop, min_part / 2) >= NATIVE_SPLIT_COST)
    min_part /= 2;
  return ((part_size < min_part && !loop->set->splits_all ? min_part : part_size) + 63) / 64 * 64;
}

static uint32_t get_part_count(const native_loop_o *loop) {
  return loop->begin == loop->end ? 0 : (loop->end - loop->begin - 1) / loop->part_rows + 1;
}

void native_loop_run_part(void *context, uint32_t part, uint32_t worker) {
  native_loop_o *loop = context;
  loop_worker_t *data = get_or_create_worker(loop->set, worker);
  uint32_t first_row = loop->begin + part * loop->part_rows, remaining = loop->end - first_row;
  shoal_assert(first_row < loop->end, "part %u begins at row %u, but the run ends at row %u", part, first_row,
               loop->end);
  uint32_t end = first_row + (remaining < loop->part_rows ? remaining : loop->part_rows);
  if (loop->order == NATIVE_ROWS_INDEPENDENT && part > 0 && !loop->defers)
    undo_save_rows(loop, first_row, end);
  data->call = loop->call;
  data->call.emitted = loop->emission_count > 0 ? &loop->emitted[part] : NULL;
  run_state_t state = {
      .loop = loop, .call = &data->call, .worker = worker, .exits = loop->defers ? loop->exit_rows + first_row : NULL};
  uint32_t stop_row = run_rows(&state, first_row, end);
  loop->part_results[part] = loop->defers ? state.exit_count : stop_row;
}

// Returns the first row that exits to Lua, after restoring the rows of later parts; the end of the run if no row exits.
static uint32_t finish_split_run(native_loop_o *loop) {
  uint32_t part_count = get_part_count(loop);
  for (uint32_t i = 0; i < part_count; ++i) {
    uint32_t end = i + 1 < part_count ? loop->begin + (i + 1) * loop->part_rows : loop->end;
    if (loop->part_results[i] == end)
      continue;
    shoal_assert(loop->order == NATIVE_ROWS_INDEPENDENT, "unexpected side exit at row %u", loop->part_results[i]);
    undo_restore_rows(loop, end, loop->end);
    loop->split_penalty = loop->split_penalty < 32 ? loop->split_penalty * 2 + 1 : loop->split_penalty;
    loop->split_wait = loop->split_penalty;
    return loop->part_results[i];
  }
  loop->split_penalty /= 2;
  return loop->end;
}

// Collects the deferred exits of all parts. Returns the first row that exits to Lua; the row count if no row exits.
static uint32_t finish_deferred_run(native_loop_o *loop) {
  uint32_t count = exits_collect(loop, get_part_count(loop));
  events_publish(loop, get_part_count(loop));
  replace_nan(loop, 0, loop->query->count);
  mark_ranged_columns(loop);
  loop->exits.next = count > 0;
  loop->runs++;
  loop->lua_rows += count;
  loop->rows += loop->query->count - count;
  loop->stop_row = loop->query->count;
  return count > 0 ? (uint32_t)loop->exits.rows[0] : loop->query->count;
}

static void finish_run(native_loop_o *loop, uint32_t first_row, uint32_t end) {
  replace_nan(loop, first_row, end);
  mark_ranged_columns(loop);
  loop->runs += first_row == loop->begin;
  loop->lua_rows += first_row > loop->begin ? first_row - loop->stop_row : 0;
  loop->stop_row = end;
  loop->rows += end - first_row;
}

// Computes the derived fields that the loop reads, unless the system has already read them. The query must be open.
static void compute_derived_fields(const native_loop_o *loop) {
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    if (loop->slots[i].is_derived)
      query_compute_derived(loop->query, loop->slots[i].manager);
}

uint32_t native_loop_run_range(native_loop_o *loop, uint32_t begin, uint32_t first_row, uint32_t end) {
  run_state_t state = {.loop = loop, .call = &loop->call, .exits = loop->defers ? loop->exit_rows : NULL};
  shoal_assert(native_loop_is_ready(loop) && loop->query->open > 0,
               "the loop of %s is not ready, or its query is not open", loop->system);
  shoal_assert(begin <= first_row && first_row <= end && end <= loop->query->count,
               "rows %u, %u and %u are out of order or out of range (count %u)", begin, first_row, end,
               loop->query->count);
  compute_derived_fields(loop);
  shoal_assert((first_row == 0 && end == loop->query->count) || !loop->defers,
               "the loop of %s defers exits and must run all rows", loop->system);
  loop->begin = begin;
  loop->end = end;
  loop->is_mapped = choose_mapped_columns(loop);
  loop->part_rows = first_row == begin && begin < end ? choose_rows_per_part(loop, end - begin) : end;
  bool is_split = loop->part_rows < end - begin;
  loop->split_runs += is_split;
  events_begin(loop, get_part_count(loop), loop->part_rows);
  if (is_split)
    jobs_run_parts(world_jobs(loop->query->world), native_loop_run_part, loop, get_part_count(loop));
  else
    end = run_rows(&state, first_row, end);
  if (loop->defers) {
    loop->part_results[0] = is_split ? loop->part_results[0] : state.exit_count;
    return finish_deferred_run(loop);
  }
  end = is_split ? finish_split_run(loop) : end;
  finish_run(loop, first_row, end);
  return end;
}

uint32_t native_loop_run(native_loop_o *loop, uint32_t first_row) {
  return native_loop_run_range(loop, 0, first_row, loop->query->count);
}

bool native_loop_needs_no_watchdog(native_loop_o *loop) {
  return loop->order == NATIVE_ROWS_WITHOUT_EXITS && !loop->set->splits_all &&
         estimate_run_cost(loop, loop->query->count) < NATIVE_SPLIT_COST && native_loop_is_ready(loop);
}

// --- running in parallel with other systems

uint32_t native_loop_begin_parallel(native_loop_o *loop, int32_t dt, float dt_s) {
  shoal_assert(native_loop_is_ready(loop) && (loop->order == NATIVE_ROWS_WITHOUT_EXITS || loop->defers),
               "the loop of %s cannot run in parallel", loop->system);
  shoal_assert(dt < (int32_t)loop->parameter_count, "dt parameter %d is out of range (count %u)", dt,
               loop->parameter_count);
  if (dt >= 0)
    loop->call.parameters[dt] = (double)dt_s;
  loop->runs_without_lua += !loop->defers;
  set_all_rows(loop);
  if (loop->query->count == 0) {
    finish_run(loop, 0, 0);
    return 0;
  }
  query_open(loop->query);
  compute_derived_fields(loop);
  loop->is_mapped = choose_mapped_columns(loop);
  loop->part_rows = choose_rows_per_part(loop, loop->query->count);
  loop->split_runs += loop->part_rows < loop->query->count;
  events_begin(loop, get_part_count(loop), loop->part_rows);
  return get_part_count(loop);
}

uint32_t native_loop_end_parallel(native_loop_o *loop) {
  if (loop->defers) {
    finish_deferred_run(loop);
    loop->exits.next = 0;
  } else
    finish_run(loop, 0, finish_split_run(loop));
  query_close(loop->query);
  return loop->defers ? (uint32_t)loop->exits.count : 0;
}

// --- running all rows without Lua

// Runs the rows of contiguous columns that follow the last whole vector, after copying them to blocks.
static void run_remainder(const run_state_t *state, uint32_t first_row, uint32_t count) {
  native_loop_o *loop = state->loop;
  void *original_columns[CONTIGUOUS_MAX_COLUMNS];
  uint8_t *original_marks[CONTIGUOUS_MAX_COLUMNS];
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    copy_to_block(state, i, (const uint8_t *)loop->call.columns[i] + (size_t)first_row * loop->slots[i].bytes, NULL,
                  count, loop->call.marks[i] != NULL);
    original_columns[i] = loop->call.columns[i];
    original_marks[i] = loop->call.marks[i];
    loop->call.columns[i] = get_block_column(state, i);
    loop->call.marks[i] = original_marks[i] ? get_block_marks(state, i) : NULL;
  }
  loop->call.base = first_row;
  run_checked_code(state, 0, count);
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    if (loop->slots[i].written)
      copy_from_block(state, i, (uint8_t *)original_columns[i] + (size_t)first_row * loop->slots[i].bytes,
                      original_marks[i] ? original_marks[i] + first_row : NULL, NULL, count);
}

typedef uint8_t vector_rows_t[NATIVE_MAX_WIDTH * 8]; // one column's values in the rows of one vector

// Saves or restores the rows of other entities that the last vector overwrites: rows [rows, end) of written columns, in
// components with more rows than the query.
static void save_or_restore_overwritten(const native_loop_o *loop, uint32_t rows, uint32_t end, vector_rows_t *saved,
                                        bool restore) {
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    uint8_t *data = (uint8_t *)loop->call.columns[i] + (size_t)rows * slot->bytes;
    if (slot->written && loop->contiguous.columns[i].manager->count > rows)
      memcpy(restore ? data : saved[i], restore ? saved[i] : data, (size_t)(end - rows) * slot->bytes);
  }
}

static bool run_contiguous(native_loop_o *loop) {
  uint32_t rows = contiguous_get_columns(&loop->contiguous, loop->call.columns, loop->call.marks),
           vector_rows = rows & ~(loop->width - 1);
  run_state_t state = {.loop = loop, .call = &loop->call};
  if (rows == 0)
    return false;
  loop->call.base = 0;
  loop->call.end = rows;
  loop->call.query_rows = NULL;
  bool pads = vector_rows < rows && !loop->call.test_solid &&
              contiguous_can_pad(&loop->contiguous, loop->call.marks, vector_rows + loop->width);
  vector_rows_t saved[CONTIGUOUS_MAX_COLUMNS];
  if (pads)
    save_or_restore_overwritten(loop, rows, vector_rows + loop->width, saved, false);
  if (pads || vector_rows > 0)
    run_checked_code(&state, 0, pads ? rows : vector_rows);
  if (pads)
    save_or_restore_overwritten(loop, rows, vector_rows + loop->width, saved, true);
  else if (vector_rows < rows)
    run_remainder(&state, vector_rows, rows - vector_rows);
  loop->call.end = INT64_MAX;
  finish_run(loop, 0, rows);
  return true;
}

void native_loop_run_all(native_loop_o *loop, int32_t dt, float dt_s) {
  shoal_assert(dt < (int32_t)loop->parameter_count, "dt parameter %d is out of range (count %u)", dt,
               loop->parameter_count);
  if (dt >= 0)
    loop->call.parameters[dt] = (double)dt_s;
  loop->runs_without_lua++;
  set_all_rows(loop);
  if (loop->query->open == 0 && run_contiguous(loop))
    return;
  query_open(loop->query);
  native_loop_run(loop, 0);
  shoal_assert(loop->stop_row == loop->query->count, "unexpected side exit after %u of %u rows", loop->stop_row,
               loop->query->count);
  query_close(loop->query);
}
