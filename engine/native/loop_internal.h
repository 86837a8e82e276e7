// What a loop and a set of loops are, shared by loop.c (declaring, compiling, explaining) and loop_run.c (running).
// Private to native.
#ifndef SHOAL_NATIVE_LOOP_INTERNAL_H
#define SHOAL_NATIVE_LOOP_INTERNAL_H

#include "native/guard.h"
#include "native/lanes.h"
#include "native/loop.h"
#include "native/straight.h"

typedef int64_t (*entry_t)(const native_call_t *call, int64_t begin, int64_t end);

typedef struct slot_t {
  uint32_t manager, column, bytes;
  bool written, rows_themselves;    // the view's map of rows is what is read
  bool far;                         // any row of it is read, of a view that may be another query's
  bool mapped;                      // in this run: its rows lie elsewhere, one by one
  const column_view_t *view;        // NULL: all of the component's rows
  uint8_t *scratch, *scratch_marks; // a block of it, for when it is mapped
} slot_t;

struct native_loop_o {
  entry_t entry; // of its code, which it has from then on
  straight_t straight;
  uint32_t at_once; // rows of a vector
  bool unsound, stops;
  uint32_t stopped;                 // where the last run came to its end
  uint64_t runs, alone, rows, left; // alone: of the runs, without a call of Lua
  native_set_o *set;
  query_o *query;
  char system[64], at[160];
  char why[256]; // it is not native, or ""
  slot_t slots[NATIVE_MOST_COLUMNS];
  uint32_t slot_count, parameter_count, lookup_count;
  codegen_code_t *code;
  const lanes_o *kernel; // NULL: it is no kernel
  native_call_t call;
  void *starts[STRAIGHT_MOST]; // of the columns and their marks, while the last rows are run
  uint8_t *start_marks[STRAIGHT_MOST];
  uint32_t part_rows, part_end; // while workers run it
  uint32_t turns;               // in which it was read
};

struct native_set_o {
  codegen_level_t level;
  bool waits;
  uint32_t swaps;
  guard_o *guard; // NULL: code has the columns themselves
  native_loop_o **loops;
  uint32_t count, capacity;
  uint32_t readings; // ticks in which something was read
  double reading_ns, longest_reading_ns;
};

#endif
