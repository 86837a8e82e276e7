// A system's loop over rows as machine code (codegen.h): the columns it reads and writes, its parameters, and how to
// run it. scripts/shoal/compile generates the code, or records why a system stays in LuaJIT.
//
// The code processes rows in query order and stops at a side exit: a row that it cannot handle, for example because a
// number does not fit its column. native_loop_run returns that row, Lua runs it, and the code continues with the next
// row. If side exits can be deferred (native_loop_allow_deferral), all remaining rows run first, and Lua runs the exits
// afterwards. Rows that are not contiguous are gathered into blocks and scattered back, as are the last rows if they do
// not fill a vector. An expensive run with independent rows is split among workers.
//
// The engine's Lua declares loops through the FFI, so the functions that declare check their arguments. After the first
// error, the loop is not compiled.
#ifndef SHOAL_NATIVE_LOOP_H
#define SHOAL_NATIVE_LOOP_H

#include "base/calling_convention.h"
#include "base/exact_math_arrays.h"
#include "ecs/entity.h"
#include "ecs/query.h"
#include "native/codegen.h"
#include "schedule/schedule.h"

#include <stdio.h>

typedef struct native_set_o native_set_o; // set of all loops of a VM
typedef struct native_loop_o native_loop_o;
struct interpreter_instruction_t;

#define NATIVE_MAX_COLUMNS 64u
#define NATIVE_MAX_LOOKUPS 16u
#define NATIVE_MAX_READS 16u
#define NATIVE_MAX_EXIT_ACCESSES 64u // maximum number of columns that only side exits use
#define NATIVE_MAX_ACCESSES (NATIVE_MAX_COLUMNS + NATIVE_MAX_READS + NATIVE_MAX_EXIT_ACCESSES)
#define NATIVE_MAX_PARAMETERS 64u
#define NATIVE_MAX_REPORTS 32u
#define NATIVE_MAX_ENTERED_STATES 8u
#define NATIVE_MAX_EMISSIONS 8u
#define NATIVE_MAX_EMITTED_COLUMNS 32u
#define NATIVE_MAX_WIDTH 64u
#define NATIVE_BLOCK 1024u // number of rows gathered at a time
// Cost of a run, in hundredths of a nanosecond, below which waking a thread isn't worth it.
#define NATIVE_SPLIT_COST 3000000u
#define NATIVE_MIN_PART 256u // minimum number of rows per part of a split run

// Dependencies between the rows of a loop: `order` of native_loop_compile.
typedef enum native_rows_t {
  NATIVE_ROWS_IN_ORDER,     // rows use values that earlier rows have written
  NATIVE_ROWS_INDEPENDENT,  // rows are independent; some may take side exits or use their row number
  NATIVE_ROWS_WITHOUT_EXITS // rows are independent, take no side exits, and do not use their row number
} native_rows_t;

// Kinds of entity lookups, for `count` ids at a time. The result is -1 for an entity that does not exist.
typedef enum native_lookup_kind_t {
  NATIVE_LOOKUP_ROW,    // row of the entity in a component
  NATIVE_LOOKUP_ALIVE,  // 0 if the entity is alive; -1 if a queued command destroys it
  NATIVE_LOOKUP_EXISTS, // 0 if the entity exists, even if a queued command destroys it
  NATIVE_LOOKUP_STATE   // string id of the entity's state; 0: no state
} native_lookup_kind_t;
enum { NATIVE_QUEUED = -2 }; // row or state of an entity whose spawn is queued (ecs/queued_entities.h)
typedef struct native_lookup_t {
  const manager_o *manager; // component of a NATIVE_LOOKUP_ROW
  const entities_t *entities;
  native_lookup_kind_t kind;
} native_lookup_t;
typedef struct native_call_t native_call_t;
typedef void(SYSV_ABI *native_find_t)(const native_call_t *call, int64_t lookup, const uint32_t *ids, int32_t *results,
                                      int64_t count);

// Looks up tiles of tilemaps (columns and rows from 1). Replaces each id of an entity with 1 if the tile is solid, 0 if
// not, and -1 if the entity has no map or the id is 0.
typedef void (*native_test_solid_t)(world_o *w, uint32_t *ids, const double *columns, const double *rows,
                                    int64_t count);
// Calls a native_test_solid_t.
typedef void(SYSV_ABI *native_solid_t)(const native_call_t *call, uint32_t *ids, const double *columns,
                                       const double *rows, int64_t count);

// A number that did not fit its column and was clamped. For each run, only the number in the lowest row is kept.
typedef struct native_report_t {
  int64_t row; // row of the query; INT64_MAX if all numbers fit
  double value;
} native_report_t;
// Reports values that do not fit. `flags` marks such values in `count` rows from `row` on; `row` is relative to `base`.
// Any thread.
typedef void(SYSV_ABI *native_record_report_t)(const native_call_t *call, int64_t report, int64_t row,
                                               const double *values, const uint8_t *flags, int64_t count);

// Events that the rows of a part have emitted so far: their number for each emission, and the columns to which the
// code appends their values.
typedef struct native_emitted_t {
  int64_t counts[NATIVE_MAX_EMISSIONS];
  void *columns[NATIVE_MAX_EMITTED_COLUMNS];
} native_emitted_t;

// Argument of the code. In a column of the loop's own rows, element 0 belongs to row `base` of the query; a column in
// which the code may access any row starts at its first row. `marks[i]` is NULL if marks are not tracked.
struct native_call_t {
  void *columns[NATIVE_MAX_COLUMNS];
  uint8_t *marks[NATIVE_MAX_COLUMNS];
  double parameters[NATIVE_MAX_PARAMETERS];
  int64_t base; // row of the query that is row 0 for the code
  const exact_array_t *functions;
  native_find_t find;
  uint8_t *links; // the code sets it to 1 when it writes an entity field (world_links_written)
  native_solid_t find_solid;
  world_o *world;
  native_test_solid_t test_solid;
  native_record_report_t record_report;
  native_report_t *reports;
  int64_t end; // first query row that only fills up a vector; values of this and later rows are not reported
  native_emitted_t *emitted; // emitted events; NULL if the code emits no events
  native_lookup_t lookups[NATIVE_MAX_LOOKUPS];
  // query row of each row of the code; NULL if the code's rows are in the query's order (row_order.h)
  const uint32_t *query_rows;
};

// Checks a mode: one or several of these words, separated by commas.
// - on, off
// - now: systems wait for their code
// - sse2, avx2, avx512: use at most this level
// - make: compiles for the given level even if this processor does not support it
// - guard (for tests): runs code on guarded copies (guard_pages.h)
// - split (for tests): splits every run among the workers
// - swap1 to swap9 (for tests): choose at random in each run how a system runs and whether its code is discarded
//
// Returns true if the mode is valid, or false with a message.
bool native_mode_check(const char *mode, error_info_t *error);

native_set_o *native_set_create(const char *mode); // `mode` must have passed native_mode_check; NULL means "on"
// Accepts NULL. For the last set of the process, also waits for the current compilation (codegen_stop_thread).
void native_set_destroy(native_set_o *set);
// Prints a line for each loop of `system`; "all" selects all systems.
void native_set_print_explanations(const native_set_o *set, const char *system, FILE *out);
void native_set_print_statistics(const native_set_o *set, FILE *out); // prints lines for --stats
// Writes the reason why a system is slower than vectorised machine code to `out`, with its file and line. Returns true
// if a reason was written, or false if the system is not slower, is not measured yet, or has no loop over rows.
bool native_set_find_slow_reason(const native_set_o *set, const char *system, char *out, size_t size);

uint32_t native_set_level(const native_set_o *set);      // returns a codegen_level_t; 0: nothing is compiled
bool native_set_waits_for_code(const native_set_o *set); // returns true if systems of any size wait for their code
// Returns the seed of the random choices of "swap1" to "swap9"; 0 in all other modes.
uint32_t native_set_swap_seed(const native_set_o *set);
// Records the reason why a system is not native. `location`: position of the declaration ("systems/move.lua:12").
void native_set_refuse_system(native_set_o *set, const char *system, const char *location, const char *reason);

// Returns the loop of a system, which is owned by the set; an earlier loop of the system is cleared.
native_loop_o *native_loop_create(native_set_o *set, const char *system, const char *location, query_o *query);
// Declares a column. Returns its index; -1 if it cannot be used.
int32_t native_loop_add_column(native_loop_o *loop, uint32_t manager, uint32_t column, bool written);
// Declare the entity ids of the rows, and the rows of a component that is optional in the query (UINT32_MAX if
// missing), as columns. Like the next two functions, return the column's index, or -1 if it cannot be used.
int32_t native_loop_add_entities(native_loop_o *loop);
int32_t native_loop_add_presence(native_loop_o *loop, uint32_t manager);
// Declares a component's column in which the code may read any row and, if `written` is set, write any row. Returns the
// column's index, or -1 if it cannot be used.
int32_t native_loop_add_component_column(native_loop_o *loop, uint32_t manager, uint32_t column, bool written);
// Declares a column of a different query of the system; the code may read every row of it. `rows`: instead of the
// values, declares the map from the query's rows to rows of the column (NULL if they are equal). Returns the column's
// index, or -1 if it cannot be used.
int32_t native_loop_add_query_column(native_loop_o *loop, query_o *query, uint32_t manager, uint32_t column, bool rows);
// Returns true if no entity of `candidates` has all components that `required` requires.
bool native_are_queries_disjoint(const query_o *required, const query_o *candidates);
// Returns true if each row of the query has the same index in this component, which every row must have.
bool native_is_query_aligned(const query_o *query, uint32_t manager);
// Records, for tools, the source line at which the body first writes a column or, if it only reads the column, first
// reads it. Also enables the replacement of NaNs in a written column whose field rejects NaN.
void native_loop_set_line(native_loop_o *loop, int32_t column, uint32_t line);
// Declares a lookup (native_lookup_kind_t). Returns its index; -1 on failure. `manager`: the component of a
// NATIVE_LOOKUP_ROW; 0 for other kinds.
int32_t native_loop_add_lookup(native_loop_o *loop, uint32_t kind, uint32_t manager);
// Declares that parameters are read from this component or singleton. Returns true on success, or false if the loop
// reads too many components; the loop is then refused.
bool native_loop_add_read(native_loop_o *loop, uint32_t manager);
// Declare an event that the code emits, in the order of its emissions, and a column of the most recently declared event
// that the code writes; the remaining columns receive their defaults. A run publishes the events in row order when all
// rows have run. Return true on success, or false if there are too many events or columns or one does not exist.
bool native_loop_add_emission(native_loop_o *loop, uint32_t event);
bool native_loop_add_emitted_column(native_loop_o *loop, uint32_t column);
// Declares a state that the entities of some rows enter, like an event with one column: the code writes the numbers of
// these rows (from 1) to the column, and a run queues the changes in row order. native_loop_set_deferral must be called
// before each run, and must return true. A loop cannot also emit events. Returns true on success, or false if there are
// too many events or states, or if the loop is refused.
bool native_loop_add_entered_state(native_loop_o *loop, uint32_t state_name);
// Sets the function that looks up tiles. Required if the code looks up tiles.
void native_loop_set_solid_lookup(native_loop_o *loop, native_test_solid_t test_solid);
// Returns the array of parameters, which must be set before each run. If there are too many, refuses the loop and
// returns NULL.
double *native_loop_parameters(native_loop_o *loop, uint32_t count);
// Declares how often the inner loops of a row iterate, to estimate the cost of a run. The number of iterations is the
// value of a parameter divided by `step`. `max_stop` replaces the value if it is lower, or if `parameter` is -1. The
// default is one iteration.
void native_loop_set_iterations(native_loop_o *loop, int32_t parameter, double max_stop, double step);
// Starts compiling. `width`: rows per vector, a power of two up to NATIVE_MAX_WIDTH; the code reads and writes whole
// vectors. Returns true on success, or false if the loop is already refused or compiled, if its set compiles nothing,
// or if the code is empty or too long (this refuses the loop).
bool native_loop_compile(native_loop_o *loop, const char *text, uint32_t length, uint32_t width, uint32_t order);
// Runs the loop in the interpreter (native/interpreter.h) until its code is ready, or permanently if it cannot be
// compiled; for loops that Lua cannot run. Call it before native_loop_compile. Returns true on success, or false if the
// loop is refused or already has instructions, or if the instructions are malformed.
bool native_loop_set_instructions(native_loop_o *loop, const struct interpreter_instruction_t *instructions,
                                  uint32_t count, uint32_t prologue, uint32_t registers, uint32_t width,
                                  uint32_t order);
// Returns the lowest row, starting at 0, that has triggered report number `report` since the last call, stores that
// row's value, and clears the report. Returns -1 if no row has triggered it.
double native_loop_pop_report(native_loop_o *loop, uint32_t report, double *value);
// Records the number of ticks over which the system's function was analysed, for native_set_print_explanations.
void native_loop_record_analysis_ticks(native_loop_o *loop, uint32_t analysis_ticks);
// Records, for tools, the reasons why the code cannot process all rows in vectors; "" if it can. Copied.
void native_loop_record_limits(native_loop_o *loop, const char *limits);
// Records, for tools, the costs of a row in LuaJIT and as machine code, in nanoseconds; the cheaper version runs.
void native_loop_record_costs(native_loop_o *loop, double lua_ns, double native_ns);
// Returns true if the loop can run, compiled or in the interpreter. Adopts code that the compiler thread has finished,
// so call it before each run. In a set that waits for code, waits until the code is ready or refused.
bool native_loop_is_ready(native_loop_o *loop);
// Returns the message if LLVM has failed to compile the loop's code, or "" if the code is ready or cannot be compiled
// on this machine (codegen_has_failed). Returns NULL if the code was not requested, or is being compiled; if `waits`,
// waits until it is compiled.
const char *native_loop_find_failure(native_loop_o *loop, bool waits);
// Runs the rows from `first` on; the query must be open. Returns the row of the next side exit; the row count if no
// exit follows.
uint32_t native_loop_run(native_loop_o *loop, uint32_t first);
// Runs the rows [first, end) of a loop over the rows [begin, end) of its query. Returns the row of the next side exit;
// `end` if no exit follows.
uint32_t native_loop_run_range(native_loop_o *loop, uint32_t begin, uint32_t first, uint32_t end);

// Returns true if the loop is ready, no row can take a side exit, and the run is too short to need the watchdog.
bool native_loop_needs_no_watchdog(native_loop_o *loop);
// Runs all rows of a loop in which no row can take a side exit; faster if the query is not open. `dt`: index of the
// parameter for the tick length, or -1 if the loop has no such parameter; `dt_s`: its value in seconds.
void native_loop_run_all(native_loop_o *loop, int32_t dt, float dt_s);

// The following functions run a loop in parallel with other systems (schedule/schedule.h). The order of the loop must
// be NATIVE_ROWS_WITHOUT_EXITS, or its exits must be deferred. The query is open from native_loop_begin_parallel to
// native_loop_end_parallel. native_loop_begin_parallel returns the number of parts; for 0 (no rows), the other two
// functions must not be called. After native_loop_end_parallel, Lua runs the exits.
uint32_t native_loop_begin_parallel(native_loop_o *loop, int32_t dt, float dt_s);
void native_loop_run_part(void *loop, uint32_t part, uint32_t worker); // runs one part; a jobs_part_t
uint32_t native_loop_end_parallel(native_loop_o *loop); // ends a parallel run; returns the number of deferred exits
// Stores the columns that the loop reads and writes in `out` (of NATIVE_MAX_ACCESSES elements) and returns their
// number.
uint32_t native_loop_list_access(const native_loop_o *loop, system_access_t *out);
// Returns true with --native guard; guarded loops cannot run in parallel, because their set has a single guard.
bool native_loop_is_guarded(const native_loop_o *loop);
// Returns an id that is unique in this process for each compiled version of a loop.
uint64_t native_loop_id(const native_loop_o *loop);

// Deferred side exits, which Lua runs after all remaining rows: query rows, starting at 0, in ascending order.
typedef struct native_exits_t {
  const int32_t *rows;
  int32_t count;
  // index of the next row to run: 0 after native_loop_end_parallel; 1 after native_loop_run, which returns the first
  // row
  int32_t next;
} native_exits_t;

// Declares that the side exits of a loop with order NATIVE_ROWS_INDEPENDENT can run after all remaining rows, because
// the Lua code of an exit cannot fail, and no row reads data that this code changes. `changes`: true if exits queue
// structural changes. Call before native_loop_compile. Returns a pointer to the exits of the latest run, which is valid
// as long as the loop exists.
native_exits_t *native_loop_allow_deferral(native_loop_o *loop, bool changes);
// Declares that the exits read a column, and also write it if `written`; native_loop_list_access then lists it, too.
// Returns true on success, or false if NATIVE_MAX_EXIT_ACCESSES columns have been declared, or if `column` is above 63.
bool native_loop_declare_exit_access(native_loop_o *loop, uint32_t manager, uint32_t column, bool written);
// Declares that in exits, the row's entity may enter a state of its assemblage. Exits are deferred only if all entities
// of the query can enter the state (world_can_enter_states). Returns true on success, or false if
// NATIVE_MAX_ENTERED_STATES states have been declared.
bool native_loop_declare_exit_state(native_loop_o *loop, uint32_t state_name);
// Selects whether the next runs defer their exits, and returns true if they will; `spawns` is the maximum number of
// entities that one exit creates.
bool native_loop_set_deferral(native_loop_o *loop, bool defers, uint32_t spawns);
// Returns true if deferred exits queue structural changes.
bool native_loop_changes_structure(const native_loop_o *loop);

double native_clock_ns(void); // returns a monotonic time, for timing alternative implementations

// native_processor_ns returns the CPU time of this thread. native_set_record_analysis adds the CPU time that the
// analysis of one function took in one tick, for --stats.
double native_processor_ns(void);
void native_set_record_analysis(native_set_o *set, double processor_ns);

// Records a NaN that a field rejected (FIELD_REJECTS_NAN). Returns true if the NaN must be logged, or false if Lua or
// compiled code has already logged the same `text`, "file:line: field", or 256 different texts.
bool native_set_add_nan_report(native_set_o *set, const char *text);

#endif
