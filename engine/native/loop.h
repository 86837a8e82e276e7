// A system's loop over rows as machine code (codegen.h): which columns it reads and writes, its parameters, and how it
// is run. What is compiled comes from the engine's Lua (scripts/shoal/compile), which also says what a system that
// stays in LuaJIT does that is not understood.
//
// The code does rows in the order of the query and stops at the first one that it cannot do (a number that does not
// fit its column): native_loop_run says which, Lua does that row, and the code goes on behind it. Where side exits can
// be deferred (native_loop_defers), all other rows run first, and Lua runs the exits afterwards. Columns whose rows
// lie elsewhere are gathered into blocks and scattered back, and so are the last rows of all columns, which are less
// than a vector. Where each row is done by itself, the rows of a run that costs enough are split among workers.
//
// All functions are called by the engine's Lua through the FFI and check what they are given; the first mistake makes
// a loop unsound, and it does not run.
#ifndef SHOAL_NATIVE_LOOP_H
#define SHOAL_NATIVE_LOOP_H

#include "ecs/entity.h"
#include "ecs/query.h"
#include "native/codegen.h"
#include "schedule/schedule.h"

#include <stdio.h>

typedef struct native_set_o native_set_o; // the loops of a VM
typedef struct native_loop_o native_loop_o;
struct interpreter_instruction_t;

#define NATIVE_MAX_COLUMNS 64u
#define NATIVE_MAX_LOOKUPS 16u
#define NATIVE_MAX_READS 16u
#define NATIVE_MAX_EXIT_ACCESSES 64u // columns that only side exits use
#define NATIVE_MAX_ACCESSES (NATIVE_MAX_COLUMNS + NATIVE_MAX_READS + NATIVE_MAX_EXIT_ACCESSES)
#define NATIVE_MAX_PARAMETERS 64u
#define NATIVE_MAX_REPORTS 32u
#define NATIVE_EXACT_COUNT 14u // functions of native_exact
#define NATIVE_MAX_AT_ONCE 64u
#define NATIVE_BLOCK 1024u         // rows that are gathered at a time
#define NATIVE_SPLIT_COST 3000000u // of a run, in hundredths of a nanosecond: less is not worth waking a thread for
#define NATIVE_MIN_PART 256u       // rows that a worker takes at least

// What the rows of a loop have to do with each other; `order` of native_loop_compile.
typedef enum native_rows_t {
  NATIVE_ROWS_IN_ORDER, // rows use what earlier rows wrote
  NATIVE_ROWS_APART, // rows use their own columns and what no row writes; some may be left to Lua or use their number
  NATIVE_ROWS_FREE   // the same, and every row is done by the code and uses no number
} native_rows_t;

typedef void (*native_exact_t)(double *a, const double *b, int64_t count); // a[i] = f(a[i], b[i])
const native_exact_t *native_exact(void); // exact.c: those that this processor is fastest with; of all the same bits

// What is asked of other entities. Answers are for `count` ids at a time, and -1 for an entity that is not there.
typedef enum native_question_t {
  NATIVE_ROW,   // its row of a component
  NATIVE_ALIVE, // 0: no queued command destroys it
  NATIVE_THERE, // 0
  NATIVE_STATE  // the text of its state, 0 for none
} native_question_t;
typedef struct native_lookup_t {
  const manager_o *manager; // of NATIVE_ROW
  const entities_t *entities;
  native_question_t question;
} native_lookup_t;
typedef struct native_call_t native_call_t;
typedef void (*native_find_t)(const native_call_t *call, int64_t lookup, const uint32_t *ids, int32_t *answers,
                              int64_t count);

// Is a cell of an entity's tiles solid, by its column and row from 1? 1, 0, -1 where it has none.
typedef int (*native_is_solid_t)(world_o *w, shoal_entity e, double column, double row, error_t *error);
typedef void (*native_solid_t)(const native_call_t *call, uint32_t *ids, const double *columns, const double *rows,
                               int64_t count); // in place of each id its answer; 0 is none

// A number that did not fit its column and was clamped: the first of a run, by its row.
typedef struct native_report_t {
  int64_t row; // of the query; INT64_MAX: all numbers have fitted
  double value;
} native_report_t;
// Rows from `row` on of what the code is given; `bad` says which of the `count` values do not fit. Any thread.
typedef void (*native_note_report_t)(const native_call_t *call, int64_t report, int64_t row, const double *values,
                                     const uint8_t *bad, int64_t count);

// What the code gets. Column i's element 0 is that of row `begin` 0; `marks[i]` is NULL where nothing is tracked.
struct native_call_t {
  void *columns[NATIVE_MAX_COLUMNS];
  uint8_t *marks[NATIVE_MAX_COLUMNS];
  double parameters[NATIVE_MAX_PARAMETERS];
  int64_t base; // the query's row of row 0
  const native_exact_t *functions;
  native_find_t find;
  uint8_t *links; // becomes 1 where an entity is written (world_links_written)
  native_solid_t solid;
  world_o *world;
  native_is_solid_t is_solid;
  native_note_report_t report;
  native_report_t *reports;
  int64_t end; // rows of the query from here on are not reported: they are calculated to fill a vector
  native_lookup_t lookups[NATIVE_MAX_LOOKUPS];
};

// "on", "off", "now" (a system waits for its code), "sse2", "avx2", "avx512" (no better than that), with commas between
// them; "make": for a processor that has those, whichever this one is. For tests "split": every run is split among the
// workers; and "swap1" to "swap9": in each run it is drawn which way a system takes, and whether its code is given up.
// False with a message for anything else.
bool native_mode_check(const char *mode, error_t *error);

native_set_o *native_set_create(const char *mode); // a mode that was checked; NULL is "on"
void native_set_destroy(native_set_o *s);          // NULL is fine
// A line for each system over rows, or for `system` alone ("all" for all of them).
void native_set_explain(const native_set_o *s, const char *system, FILE *out);
void native_set_print(const native_set_o *s, FILE *out); // a line for --stats

uint32_t native_set_level(const native_set_o *s); // codegen_level_t; 0: nothing is compiled
bool native_set_waits(const native_set_o *s);     // systems wait for their code, however few rows they have
uint32_t native_set_swaps(const native_set_o *s); // 0, or what systems draw from, in each run, which way they take
// Why a system, declared at `at` ("systems/move.lua:12"), is not native.
void native_set_refused(native_set_o *s, const char *system, const char *at, const char *why);

// Belongs to the set.
native_loop_o *native_loop_create(native_set_o *s, const char *system, const char *at, query_o *q);
// → its number, from 0; -1 when it cannot be had.
int32_t native_loop_column(native_loop_o *l, uint32_t manager, uint32_t column, bool written);
// The same for the ids of the rows' entities, and for the rows of a component that the query names as optional:
// UINT32_MAX where there is none.
int32_t native_loop_entities(native_loop_o *l);
int32_t native_loop_presence(native_loop_o *l, uint32_t manager);
// A column of any component, of which the code reads any row; `written`: of which it writes rows of its own entities.
int32_t native_loop_whole(native_loop_o *l, uint32_t manager, uint32_t column, bool written);
// A column of a query of the same system, of which the code reads any row by its number; `rows`: the rows of it, where
// they are not those of the query, in place of what is in them.
int32_t native_loop_far(native_loop_o *l, query_o *q, uint32_t manager, uint32_t column, bool rows);
// Is none of the rows of `other` one of `q`?
bool native_apart(const query_o *q, const query_o *other);
// Notes the line at which the body first writes a column, or reads it if it does not write it, for tools.
void native_loop_note_line(native_loop_o *l, int32_t column, uint32_t line);
// → the number of a question, from 0; `manager` is 0 where it is of no component.
int32_t native_loop_lookup(native_loop_o *l, uint32_t question, uint32_t manager);
// Its parameters read this component or single. False: too many, and the loop is refused.
bool native_loop_reads(native_loop_o *l, uint32_t manager);
void native_loop_solid(native_loop_o *l, native_is_solid_t is_solid); // how it asks for cells; else it asks for none
double *native_loop_parameters(native_loop_o *l, uint32_t count);     // to be written before each run; NULL: too many
// `at_once`: how many rows it does at once, at most NATIVE_MAX_AT_ONCE; it reads and writes as many, whatever the end.
bool native_loop_compile(native_loop_o *l, const char *text, uint32_t length, uint32_t at_once, uint32_t order);
// The same rows by an interpreter (native/interpreter.h), for a loop that Lua does not run: until there is code, or
// where there will be none. To be called before native_loop_compile. False if the instructions are malformed.
bool native_loop_interpret(native_loop_o *l, const struct interpreter_instruction_t *instructions, uint32_t count,
                           uint32_t prologue, uint32_t registers, uint32_t at_once, uint32_t order);
// Takes what was reported since the last call: its row, from 0, or -1. With it the value.
double native_loop_take_report(native_loop_o *l, uint32_t report, double *value);
void native_loop_note_turns(native_loop_o *l, uint32_t turns); // in so many ticks it was read
bool native_loop_is_ready(native_loop_o *l);                   // asked before each run, for it becomes so at some time
// From row `first` on, from 0; the query is open. → the first row that is not done; its count when all are.
uint32_t native_loop_run(native_loop_o *l, uint32_t first);

// Leaves it nothing to Lua, and is what it does soon over? Else it is run under the watchdog.
bool native_loop_is_brief(native_loop_o *l);
// All rows of such a loop, whose query is not open; `dt` is the number of the parameter that is the tick's length, -1
// for none.
void native_loop_run_all(native_loop_o *l, int32_t dt, float dt_s);

// The same beside other systems (schedule/schedule.h), of a loop whose rows are free or whose exits are deferred. The
// query is open from begin to end. begin returns the number of parts; 0: there are no rows, and nothing follows. After
// end, Lua runs the exits.
uint32_t native_loop_begin(native_loop_o *l, int32_t dt, float dt_s);
void native_loop_run_part(void *loop, uint32_t part, uint32_t worker); // jobs_part_t
uint32_t native_loop_end(native_loop_o *l);                            // returns the number of side exits
// What it reads and writes, into `out` (NATIVE_MAX_ACCESSES long). Returns how many.
uint32_t native_loop_access(const native_loop_o *l, system_access_t *out);
bool native_loop_is_guarded(const native_loop_o *l); // with --native guard: its set has one guard, for one at a time
uint64_t native_loop_number(const native_loop_o *l); // of what was compiled; no other has the same in this process

// Side exits that Lua runs after all other rows: rows of the query, from 0, in their order.
typedef struct native_exits_t {
  const int32_t *rows;
  int32_t count;
  int32_t next; // index of the next row to run; native_loop_run returns the first one
} native_exits_t;

// Declares that the side exits of a loop with order NATIVE_ROWS_APART can run after all other rows: their Lua code
// cannot fail, and no row reads what it changes. `changes`: exits queue structural changes. To be called before
// native_loop_compile. Returns the exits of the latest run; valid as long as the loop.
native_exits_t *native_loop_defers(native_loop_o *l, bool changes);
// Adds a column that only the exits use to native_loop_access. Returns false if there are too many.
bool native_loop_exit_access(native_loop_o *l, uint32_t manager, uint32_t column, bool written);
// Selects whether the next runs defer exits; `spawns` is the number of entities that one exit creates at most. Returns
// whether they do.
bool native_loop_defer(native_loop_o *l, bool wanted, uint32_t spawns);
bool native_loop_changes(const native_loop_o *l); // deferred exits queue structural changes

double native_clock_ns(void); // for choosing between ways that do the same

// What this thread has had of the processor; and, for --stats, so much of it went into reading in one tick.
double native_processor_ns(void);
void native_set_note_reading(native_set_o *s, double processor_ns);

#endif
