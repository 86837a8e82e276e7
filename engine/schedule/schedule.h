// The order of systems: phase, then before/after, then priority (lower runs first), then name. Total, stable,
// printable. Holds C systems and Lua systems alike; Lua ones all share the script room's `run`.
//
// Neighbours in the order that say what they read and write, and share nothing, run at the same time (schedule_beside,
// schedule_stages). What they leave behind is what a run one after the other leaves behind, bit by bit.
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
  PHASE_DEMAND, // has no turn: run by whoever asks
  PHASE_COUNT
} phase_t;

phase_t
phase_parse(const char *name); // "input" "pre_update" "update" "post_update" "render" "demand"; PHASE_NONE when unknown
const char *phase_name(phase_t phase);

typedef struct system_desc_t {
  const char *name; // unique; built-in ones are "shoal.…"
  phase_t phase;    // default: PHASE_UPDATE
  int32_t priority; // lower first (default: 0)
  const char *const
      *after; // names, NULL-terminated or NULL; names that do not exist are ignored with a warning by who declares
  const char *const *before;
  uint32_t every; // run at ticks that are a multiple of it (default: 1)
  void (*run)(void *context, world_o *w, uint32_t number, float dt_s);
  void *context;
  uint32_t number;  // passed to run
  const char *file; // where it is declared; NULL when that is no file of a game
  uint32_t line;
  const char *doc;  // what it does, for people; NULL for nothing
  const char *when; // in words, on what it runs; NULL or "": always
  bool off;         // it is off until it is switched on (ecs/system_rows.h)
} system_desc_t;

// What a system reads and writes of one component or single: columns, bit by bit.
typedef struct system_access_t {
  uint32_t manager;
  uint64_t reads, writes;
  uint32_t line; // of the system's file, where it does so; 0: unknown
} system_access_t;

// How a system runs beside others: in three steps, of which the middle one falls into parts.
typedef struct system_beside_t {
  // Is it to run alone this time, by `run` of its desc? Those after it then wait for it. Asked before any member of its
  // stage runs. Main thread; changes nothing. NULL: never.
  bool (*alone)(void *context, world_o *w);
  // Before any part of any of them, main thread, in the order of the systems; must leave everything that others read or
  // write as it is. → how many parts there are; 0: nothing is to be done, and `end` is not called.
  uint32_t (*begin)(void *context, world_o *w, uint32_t number, float dt_s);
  // Any thread, several at once, as jobs_part_t. Reads and writes the columns of `access`, and reads structure.
  void (*part)(void *context, uint32_t part, uint32_t worker);
  // Behind all parts of all of them, main thread, in the order of the systems.
  void (*end)(void *context, world_o *w);
  void *context;
  const system_access_t *access; // copied
  uint32_t access_count;
  bool changes; // `end` changes structure, or more columns than `access` says: what comes behind it waits for that
} system_beside_t;

typedef struct schedule_o schedule_o;

schedule_o *schedule_create(allocator_t *a);
void schedule_destroy(schedule_o *s);

// Copies the desc. False with a message when the name is taken.
bool schedule_add(schedule_o *s, const system_desc_t *desc, error_t *error);
// Sorts. False with a message that names the cycle ("a → b → a"), and
// the place of a system on it that has one.
bool schedule_sort(schedule_o *s, error_t *error);
// This system may run beside others, from the next phase on if systems run already. After schedule_sort; a second call
// replaces the first. Returns false if no system has that name, or it has no turn or draws. Not while a stage runs.
bool schedule_beside(schedule_o *s, const char *name, const system_beside_t *beside);
// Why a system runs alone, for schedule_apart: a phrase with its place. Copied.
void schedule_runs_alone(schedule_o *s, const char *name, const char *why);
// This system goes over the rows of this query (an id, ecs/query.h): for tools, which show how many those are.
#define SCHEDULE_MAX_QUERIES 8u // of a system; the rest is left out
void schedule_goes_over(schedule_o *s, const char *name, uint32_t query);
// Finds who runs at the same time: neighbours that share nothing. After the last schedule_beside; `w` has names for the
// columns.
void schedule_stages(schedule_o *s, world_o *w);
// They share the workers when that is expected to save so much (default: 5 µs; 0: always), and has turned out to.
void schedule_share_from(schedule_o *s, double least_gain_us);
// Keeps the name of the system that runs in `place` (borrowed), for whoever looks when it is too late to ask; ""
// between phases, several names with ", " between. NULL ends it.
void schedule_name_running(schedule_o *s, char *place, size_t bytes);
// Called after every system that has run, between two of them, which all run alone then; NULL ends it. `context` is
// borrowed.
void schedule_listen(schedule_o *s, void (*after)(void *context, world_o *w, const char *system), void *context);
void schedule_run(schedule_o *s, world_o *w, phase_t phase, float dt_s);

uint32_t schedule_count(const schedule_o *s, phase_t phase);
const char *schedule_name(const schedule_o *s, phase_t phase, uint32_t i);                 // in running order
const char *schedule_doc(const schedule_o *s, phase_t phase, uint32_t i);                  // NULL for none
const char *schedule_file(const schedule_o *s, phase_t phase, uint32_t i, uint32_t *line); // "" for none
const char *schedule_when(const schedule_o *s, phase_t phase, uint32_t i);                 // "" for always
bool schedule_is_off(const schedule_o *s, phase_t phase, uint32_t i);                      // as it declares
uint32_t schedule_queries(const schedule_o *s, phase_t phase, uint32_t i, const uint32_t **ids);
// Returns the number of the system's stage: systems with the same number run at the same time. 0: it runs alone.
uint32_t schedule_together(const schedule_o *s, phase_t phase, uint32_t i);
// Returns why the system does not join the previous one, with the place of the cause if a game declares it; "" if it
// does.
const char *schedule_apart(const schedule_o *s, phase_t phase, uint32_t i);
// Returns how many parts the most recent run was split into, for the workers to share. 1: it ran on one core; 0: it
// has not run.
uint32_t schedule_parts(const schedule_o *s, phase_t phase, uint32_t i);

// For --stats: microseconds spent and runs since creation, by phase and position. Of one that runs beside
// others, the time of its parts is added up.
void schedule_cost(const schedule_o *s, phase_t phase, uint32_t i, double *total_us, uint64_t *runs);
// The last run: when it began (now_us), and what it took as schedule_cost counts it.
typedef struct schedule_run_t {
  double began_us, spent_us;
  uint64_t runs; // since creation
} schedule_run_t;
void schedule_last(const schedule_o *s, phase_t phase, uint32_t i, schedule_run_t *out);
// Of the last 1,024 runs, how long the one took that `part` (0 … 1) of them did not exceed; 0.5 is the median.
// Microseconds.
double schedule_quantile(const schedule_o *s, phase_t phase, uint32_t i, double part);
// The same for the stage whose first system stands there, from its begin to its end, of its runs at the same time.
void schedule_stage_cost(const schedule_o *s, phase_t phase, uint32_t i, double *total_us, uint64_t *runs);
double schedule_stage_quantile(const schedule_o *s, phase_t phase, uint32_t i, double part);

#endif
