// Internals of loops and sets of loops, shared by loop.c (declaring, compiling, explaining), loop_run.c (running),
// loop_undo.c and loop_exits.c (side exits). Private to native.
#ifndef SHOAL_NATIVE_LOOP_INTERNAL_H
#define SHOAL_NATIVE_LOOP_INTERNAL_H

#include "native/guard_pages.h"
#include "native/interpreter.h"
#include "native/loop.h"
#include "base/limits.h"
#include "base/log_once.h"
#include "native/contiguous_rows.h"
#include "native/row_order.h"

typedef int64_t(SYSV_ABI *entry_t)(const native_call_t *call, int64_t begin, int64_t end);

typedef struct slot_t {
  uint32_t manager, column, bytes;
  uint32_t line;             // line that first writes the column or, if it is only read, first reads it; 0 if unknown
  bool replaces_nan;         // true if the code writes the column, and its field rejects NaN (FIELD_REJECTS_NAN)
  bool written;              // true if the code writes the column
  bool is_row_map;           // true if the slot is the view's row map
  bool is_random_access;     // true if the code may read any row, possibly through a different query's view
  bool is_derived;           // true for a derived field, which is computed when the run starts
  bool mapped;               // true if, in this run, rows are not contiguous and are gathered
  const uint32_t *rows;      // the component's row for each row of this run; used only if `mapped`
  const column_view_t *view; // view of the column; NULL: the component's own column
} slot_t;

typedef struct emission_t {
  uint32_t event;                    // number of the emitted event; 0: the row enters a state
  uint32_t state;                    // string id of the entered state; used only if `event` is 0
  uint32_t first_column, end_column; // indices in native_loop_o.emitted_columns
} emission_t;

// Values of one column of emitted events: the values of each part, from the index of its first row on, and
// NATIVE_MAX_WIDTH unused values after each part, which the code may overwrite.
typedef struct emitted_column_t {
  uint32_t column, bytes;
  uint8_t *values;
  size_t capacity_bytes;
} emitted_column_t;

// Data of a worker thread for running parts of loops. Allocated by the worker, owned by the set.
typedef struct loop_worker_t {
  native_call_t call;
  uint8_t *blocks; // buffers for gathered rows and their marks; NULL until needed
} loop_worker_t;

struct native_loop_o {
  // Fields used by the fast path for contiguous rows share cache lines.
  entry_t entry; // entry point of the code; NULL until it is ready
  native_set_o *set;
  query_o *query;
  uint64_t row_cost;    // estimated cost of a contiguous row, in hundredths of a nanosecond
  uint64_t gather_cost; // additional cost of a gathered row in the latest run
  uint64_t loop_cost;   // additional cost of a row for each iteration of its inner loops
  uint32_t width;       // number of rows per vector
  native_rows_t order;
  uint32_t stop_row; // row at which the latest run stopped
  bool is_refused;
  // Statistics. `split_runs`: runs on several workers; `lua_rows`: rows that Lua ran.
  uint64_t runs, runs_without_lua, split_runs, rows, lua_rows;
  contiguous_t contiguous;
  char system[64], location[160]; // name of the system; "file:line" of its body
  char file[160];                 // file that contains the body
  char refusal[512];              // reason why the system is not native; "" if the system is native
  char *limits;                   // reasons from native_loop_record_limits, owned; NULL if there are no reasons
  double lua_ns, native_ns;       // costs of a row; 0 until they are measured
  slot_t slots[NATIVE_MAX_COLUMNS];
  uint32_t slot_count, parameter_count, lookup_count;
  int32_t stop_parameter; // parameter index from native_loop_set_iterations; -1: `max_stop` is used
  double max_stop, step;
  uint32_t reads[NATIVE_MAX_READS], read_count; // ids of the managers that parameters are read from
  uint64_t id;                                  // id of this version of the loop (native_loop_id)
  codegen_code_t *code;
  interpreter_o *interpreter; // interpreter of the loop; NULL: Lua runs the system until the code is ready
  native_report_t reports[NATIVE_MAX_REPORTS];
  native_call_t call;
  bool is_mapped;  // true if at least one column is mapped in this run
  bool is_ordered; // true if this run visits rows in the order of `row_order`
  row_order_t row_order;
  uint32_t begin, end;     // rows of the query that this run covers
  uint32_t part_rows;      // number of rows per part in this run
  uint32_t analysis_ticks; // number of ticks over which the front end analysed the function

  // For side exits that cannot be deferred: the rows that the last split run overwrote.
  uint8_t *undo;
  size_t undo_bytes;
  uint32_t undo_rows;
  // Indexed by part: the row at which the part stopped or, with deferred exits, the number of exits of the part.
  uint32_t part_results[JOBS_MAX_WORKERS * 4];
  // `split_wait`: number of runs until runs are split again. `split_penalty`: value of `split_wait` after the latest
  // exit; each split run without exits halves it.
  uint32_t split_wait, split_penalty;

  // Events that the code emits. `emitted`: one per part of the run.
  emission_t emissions[NATIVE_MAX_EMISSIONS];
  uint32_t emission_count;
  emitted_column_t emitted_columns[NATIVE_MAX_EMITTED_COLUMNS];
  uint32_t emitted_column_count;
  native_emitted_t *emitted;
  uint32_t emitted_capacity;

  // Deferred side exits. `can_defer`: exits may be deferred (native_loop_allow_deferral); `defers`: the next runs defer
  // them; `exits_change_structure`: deferred exits queue structural changes.
  bool can_defer, defers, exits_change_structure;
  native_exits_t exits; // exits of the latest run
  int32_t *exit_rows;   // row numbers of exits; each part writes its exits at the index of its first row
  uint32_t exit_capacity;
  system_access_t exit_access[NATIVE_MAX_EXIT_ACCESSES];
  uint32_t exit_access_count;
  uint32_t entered_states[NATIVE_MAX_ENTERED_STATES]; // names of the states that entities enter in the code or in exits
  uint32_t entered_state_count;
};

struct native_set_o {
  codegen_level_t level;
  bool waits_for_code;
  uint32_t swap_seed;
  guard_o *guard;  // guard for tests; NULL: the code uses the columns directly
  bool splits_all; // true to split every run, regardless of its cost; used by tests
  loop_worker_t *workers[JOBS_MAX_WORKERS];
  native_loop_o **loops;
  uint32_t count, capacity;
  uint32_t analysis_count; // number of analyses; a function analysed over several ticks counts once per tick
  double analysis_ns, longest_analysis_ns;
  allocator_t memory;
  log_once_t reported_nan; // hash of "file:line: field" of each reported store of NaN by scripts
};

// --- loop_undo.c
bool undo_is_possible(const native_loop_o *loop);
bool undo_reserve(native_loop_o *loop, uint32_t rows);
// Save and restore the rows [first, end) of all columns that the loop writes. Callable from any thread; two threads
// must not process the same rows.
void undo_save_rows(const native_loop_o *loop, uint32_t first, uint32_t end);
void undo_restore_rows(const native_loop_o *loop, uint32_t first, uint32_t end);

// --- loop_events.c

// Prepares the columns of emitted events for a run that is split into parts of `part_rows` rows.
void events_begin(native_loop_o *loop, uint32_t parts, uint32_t part_rows);
// Queues the events of all parts, in row order.
void events_publish(native_loop_o *loop, uint32_t parts);
void events_fini(native_loop_o *loop);

// --- loop_exits.c

// Allocates the exits of a run of `rows` rows. Returns true on success, or false if memory is insufficient.
bool exits_reserve(native_loop_o *loop, uint32_t rows);
// Concatenates the exits of all parts in row order. Returns their number.
uint32_t exits_collect(native_loop_o *loop, uint32_t parts);

#endif
