// What a loop and a set of loops are, shared by loop.c (declaring, compiling, explaining) and loop_run.c (running).
// Private to native.
#ifndef SHOAL_NATIVE_LOOP_INTERNAL_H
#define SHOAL_NATIVE_LOOP_INTERNAL_H

#include "native/guard_pages.h"
#include "native/interpreter.h"
#include "native/loop.h"
#include "base/limits.h"
#include "native/contiguous_rows.h"

typedef int64_t (*entry_t)(const native_call_t *call, int64_t begin, int64_t end);

typedef struct slot_t {
  uint32_t manager, column, bytes;
  uint32_t line;                 // of the system's file, where the column is used; 0: unknown
  bool written, rows_themselves; // the view's map of rows is what is read
  bool far;                      // any row of it is read, of a view that may be another query's
  bool mapped;                   // in this run: its rows lie elsewhere, one by one
  const column_view_t *view;     // NULL: all of the component's rows
} slot_t;

// What a worker needs to run a part of a loop. Allocated by the worker, kept by the set.
typedef struct loop_worker_t {
  native_call_t call;
  uint8_t *blocks; // of rows whose columns are mapped, and of their marks; NULL: not needed yet
} loop_worker_t;

struct native_loop_o {
  // Fields that a straight run reads share cache lines.
  entry_t entry; // of its code, which it has from then on
  native_set_o *set;
  query_o *query;
  uint64_t row_cost;    // of a row in place, in hundredths of a nanosecond
  uint64_t gather_cost; // of a row that lies elsewhere, added to it; of the last run that looked
  uint32_t at_once;     // rows of a vector
  native_rows_t order;
  uint32_t stopped; // where the last run came to its end
  bool unsound;
  uint64_t runs, alone, split, rows, left; // of the runs: without a call of Lua; on several workers
  contiguous_t straight;
  char system[64], at[160];
  char why[256]; // it is not native, or ""
  slot_t slots[NATIVE_MAX_COLUMNS];
  uint32_t slot_count, parameter_count, lookup_count;
  uint32_t reads[NATIVE_MAX_READS], read_count; // managers that its parameters come from
  uint64_t number;
  codegen_code_t *code;
  interpreter_o *interpreter; // NULL: Lua runs what has no code
  native_report_t reports[NATIVE_MAX_REPORTS];
  native_call_t call;
  bool is_mapped;     // in this run: any of its columns is
  uint32_t part_rows; // in this run
  uint32_t turns;     // in which it was read

  // Side exits that cannot be deferred: the rows that the last split run overwrote.
  uint8_t *undo;
  size_t undo_bytes;
  uint32_t undo_rows;
  uint32_t part_done[JOBS_MAX_WORKERS * 4]; // where each part stopped; of deferred exits, how many it has
  uint32_t rest, penalty; // runs that are not split; how many that are after the next row that is left to Lua

  // Deferred side exits.
  bool may_defer, defers, changes; // declared; in the next runs; exits queue structural changes
  native_exits_t exits;            // of the latest run
  int32_t *exit_rows;              // each part writes its exits at its first row
  uint32_t exit_capacity;
  system_access_t exit_access[NATIVE_MAX_EXIT_ACCESSES];
  uint32_t exit_access_count;
};

struct native_set_o {
  codegen_level_t level;
  bool waits;
  uint32_t swaps;
  guard_o *guard; // NULL: code has the columns themselves
  bool splits;    // for tests: every run, however little it costs
  loop_worker_t *workers[JOBS_MAX_WORKERS];
  native_loop_o **loops;
  uint32_t count, capacity;
  uint32_t readings; // ticks in which something was read
  double reading_ns, longest_reading_ns;
};

// --- loop_undo.c
bool undo_is_possible(const native_loop_o *l);
bool undo_reserve(native_loop_o *l, uint32_t rows);
// Rows [first, end) of all columns that the loop writes. Any thread; no two with the same rows.
void undo_keep(const native_loop_o *l, uint32_t first, uint32_t end);
void undo_put_back(const native_loop_o *l, uint32_t first, uint32_t end);

// --- loop_exits.c
bool exits_reserve(native_loop_o *l, uint32_t rows); // returns false without enough memory
// Joins the exits of all parts in row order. Returns how many there are.
uint32_t exits_collect(native_loop_o *l, uint32_t parts);

#endif
