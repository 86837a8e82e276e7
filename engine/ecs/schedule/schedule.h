// Schedule: sorts the C and Lua systems of a game and runs them. The order is total: by phase, then before/after, then
// priority (lower runs first), then name. All Lua systems share one `run` function.
//
// Consecutive systems that declare their reads and writes and do not conflict run in parallel (schedule_allow_parallel,
// schedule_find_stages). The result is bit-identical to a sequential run.
#ifndef SHOAL_SCHEDULE_SCHEDULE_H
#define SHOAL_SCHEDULE_SCHEDULE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct world_o world_o;

typedef enum phase_t {
  PHASE_NONE,
  PHASE_INPUT,
  PHASE_PRE_UPDATE,
  PHASE_UPDATE,
  PHASE_POST_UPDATE,
  PHASE_RENDER,
  PHASE_DEMAND, // systems that run only on request
  PHASE_COUNT
} phase_t;

phase_t phase_parse(const char *name); // inverse of phase_name; returns PHASE_NONE if unknown
const char *phase_name(phase_t phase);

typedef struct system_desc_t {
  const char *name;         // unique name; names of built-in systems start with "shoal."
  phase_t phase;            // phase in which the system runs (default: PHASE_UPDATE)
  int32_t priority;         // priority; systems with lower priorities run first (default: 0)
  const char *const *after; // names of systems, terminated by NULL; may be NULL; unknown names are ignored
  const char *const *before;
  uint32_t every; // interval in ticks (default: 1): runs in ticks divisible by `every`; dt_s spans `every` ticks
  void (*run)(void *context, world_o *w, uint32_t number, float dt_s);
  void *context;
  uint32_t number;  // number that is passed to `run`
  const char *file; // file of the declaration; NULL if the system is not declared by a game
  uint32_t line;
  const char *doc;  // description shown to users; may be NULL
  const char *when; // description of the event or key that makes the system run; NULL or "" if it always runs
  bool off;         // true if the system is disabled until a script enables it (ecs/system_rows.h)
} system_desc_t;

// The columns of a component or singleton that a system reads and writes, as bit masks.
typedef struct system_access_t {
  uint32_t manager;
  uint64_t reads, writes;
  uint32_t line; // line in the system's file that causes the access; 0 if unknown
} system_access_t;

// Callbacks of a system that can run in parallel with other systems. A run consists of one call to `begin`, one call to
// `part` for each part, and one call to `end`.
typedef struct system_parallel_t {
  // Returns true if the system must run alone this time; its desc's `run` is then called instead, and later systems
  // wait until it returns. Called before the stage runs, on the main thread. Must not change anything. NULL: the system
  // never needs to run alone.
  bool (*alone)(void *context, world_o *w);
  // Called on the main thread, in the order of the systems, before any part of the stage runs. Must not change data
  // that other systems read or write. Returns the number of parts; if it is 0, `part` and `end` are not called.
  uint32_t (*begin)(void *context, world_o *w, uint32_t number, float dt_s);
  // Called on any thread, for several parts at the same time (see jobs_part_t). May access the columns in `access` and
  // read the world's structure.
  void (*part)(void *context, uint32_t part, uint32_t worker);
  // Called on the main thread, in the order of the systems, after all parts of the stage have run.
  void (*end)(void *context, world_o *w);
  void *context;
  const system_access_t *access; // columns that the system reads and writes; copied
  uint32_t access_count;
  // True if `end` changes structure, or columns that `access` does not list: later systems then cannot share the stage.
  bool changes;
} system_parallel_t;

typedef struct schedule_o schedule_o;

schedule_o *schedule_create(allocator_t *a);
void schedule_destroy(schedule_o *schedule);

// Adds a system and copies the desc. Returns true on success, or false with a message if the name is missing or used.
bool schedule_add_system(schedule_o *schedule, const system_desc_t *desc, error_info_t *error);
// Sorts the systems. Returns true on success. If the order is cyclic, returns false with a message that contains the
// cycle ("a → b → a"), and, if a game declares one of these systems, its file and line.
bool schedule_sort(schedule_o *schedule, error_info_t *error);
// Allows a system to run in parallel with other systems. If systems are running, this takes effect from the next phase
// on. Call after schedule_sort, and not while a stage runs; a second call replaces the first. Returns true on success,
// or false if no system has this name, or if its phase is `render` or `demand`.
bool schedule_allow_parallel(schedule_o *schedule, const char *name, const system_parallel_t *parallel);
// Sets the reason why a system runs alone, for schedule_separation_reason: a phrase that includes the file and line.
// The string is copied.
void schedule_set_alone_reason(schedule_o *schedule, const char *name, const char *reason);
// Declares that a system iterates over a query, given its id (ecs/query.h), so that tools can show the number of rows.
#define SCHEDULE_MAX_QUERIES 8u // maximum number of queries per system; additional queries are ignored
void schedule_add_query(schedule_o *schedule, const char *name, uint32_t query);
// Finds stages: consecutive systems without conflicts. Call after the last call to schedule_allow_parallel. Column
// names are taken from `w`.
void schedule_find_stages(schedule_o *schedule, world_o *w);
// Sets the minimum time, in microseconds, that a parallel run of a stage must be expected to save (default: 5). If the
// expected saving is less, or the parallel run has proved slower, the systems run sequentially. 0: run stages in
// parallel without comparing times.
void schedule_set_min_gain(schedule_o *schedule, double min_gain_us);
// Sets a buffer that receives the name of the running system, for crash reports. The buffer contains "" between phases
// and, while a stage runs, the names of the stage's systems, separated by ", ". `buffer` is borrowed; NULL: no buffer.
void schedule_set_running_name(schedule_o *schedule, char *buffer, size_t bytes);
// Sets a callback that is called after every system. All systems then run sequentially. NULL removes the callback.
// `context` is borrowed.
void schedule_set_callback(schedule_o *schedule, void (*callback)(void *context, world_o *w, const char *system),
                           void *context);
void schedule_run(schedule_o *schedule, world_o *w, phase_t phase, float dt_s);
// Excludes the current run from the system's times and number of runs. Called by the `run` of a system that had nothing
// to do.
void schedule_mark_idle(schedule_o *schedule);

// Finds a system in the running order. Returns true on success. If no system has this name, returns false and sets
// `phase` to PHASE_NONE. Call after schedule_sort.
bool schedule_find_system(const schedule_o *s, const char *name, phase_t *phase, uint32_t *i);
uint32_t schedule_system_count(const schedule_o *schedule, phase_t phase);
// Returns the name of the system at position `i` of the phase's running order.
const char *schedule_system_name(const schedule_o *schedule, phase_t phase, uint32_t i);
// Returns the system's description, or NULL if it has no description.
const char *schedule_doc(const schedule_o *schedule, phase_t phase, uint32_t i);
// Returns the file of the declaration and stores its line. Returns "" if the system is not declared by a game.
const char *schedule_file(const schedule_o *schedule, phase_t phase, uint32_t i, uint32_t *line);
// Returns the description of the event or key that makes the system run; "" if it always runs.
const char *schedule_condition(const schedule_o *schedule, phase_t phase, uint32_t i);
bool schedule_is_disabled(const schedule_o *schedule, phase_t phase, uint32_t i);
uint32_t schedule_queries(const schedule_o *schedule, phase_t phase, uint32_t i, const uint32_t **ids);
// Returns the system's stage number, or 0 if the system runs alone. Systems with the same number run in parallel.
uint32_t schedule_stage(const schedule_o *schedule, phase_t phase, uint32_t i);
// Returns the reason why the system cannot join the stage of the previous system. If a game declares the cause, the
// reason contains the file and line. Returns "" if the system joins the stage.
const char *schedule_separation_reason(const schedule_o *schedule, phase_t phase, uint32_t i);
// Returns the number of parts in the most recent run: 1 if the system ran on one core, 0 if it has not run yet.
uint32_t schedule_part_count(const schedule_o *schedule, phase_t phase, uint32_t i);

// Stores the total time in microseconds and the number of runs since creation, for --stats. The time of a run in a
// stage is the sum of the times of `begin`, all parts and `end`.
void schedule_cost(const schedule_o *schedule, phase_t phase, uint32_t i, double *total_us, uint64_t *runs);
// The most recent run of a system. `began_us` is on the clock of now_us; `spent_us` is measured as in schedule_cost.
typedef struct schedule_run_t {
  double began_us, spent_us;
  uint64_t runs; // number of runs since creation
} schedule_run_t;
void schedule_latest_run(const schedule_o *schedule, phase_t phase, uint32_t i, schedule_run_t *out);
// Returns a quantile of the last 1,024 run times, in microseconds. `fraction` is in [0, 1]; 0.5 is the median.
double schedule_quantile(const schedule_o *schedule, phase_t phase, uint32_t i, double fraction);
// Like schedule_cost and schedule_quantile, for parallel runs of the stage that begins with this system. Times are
// wall-clock times from begin to end.
void schedule_stage_cost(const schedule_o *schedule, phase_t phase, uint32_t i, double *total_us, uint64_t *runs);
double schedule_stage_quantile(const schedule_o *schedule, phase_t phase, uint32_t i, double fraction);

#endif
