// Internals of schedule_o, shared by schedule.c and concurrent_systems.c (stages). Private to schedule.
#ifndef SHOAL_SCHEDULE_SCHEDULE_INTERNAL_H
#define SHOAL_SCHEDULE_SCHEDULE_INTERNAL_H

#include "base/random.h"
#include "base/array.h"
#include "schedule/schedule.h"

#include <stdatomic.h>

enum { RECENT_RUNS = 1024 };

typedef ARRAY(char *) names_t;

// Run times of a system or a stage.
typedef struct times_t {
  double total_us;
  uint64_t runs;
  double began_us;              // start of the most recent run, on the clock of now_us
  float recent_us[RECENT_RUNS]; // ring buffer: run n is at index n % RECENT_RUNS
} times_t;

typedef struct system_t {
  // The fields used by every run are adjacent, so that they share cache lines.
  char *name;
  void (*run)(void *context, world_o *w, uint32_t number, float dt_s);
  void *context;
  double alone_us; // estimated time of a run outside a stage
  uint32_t number;
  uint32_t every;
  uint32_t stage; // stage number of the system; 0 if it runs alone
  times_t times;

  char *doc; // description shown to users; may be NULL
  phase_t phase;
  int32_t priority;
  names_t after, before;
  char file[128]; // file of the declaration; "" if the system is not declared by a game
  uint32_t line;
  char *when;
  bool off;
  uint32_t queries[SCHEDULE_MAX_QUERIES], query_count;
  bool may_join;              // true if the system declared `parallel`, so that it may share a stage with other systems
  system_parallel_t parallel; // `parallel.access` is a copy owned by the system
  times_t stage_times;        // times of the stage that begins with this system, measured from begin to end
  double stage_us;            // estimated time of the stage; 0 if unknown
  uint32_t turn_count;        // number of times that the stage was due
  uint32_t parallel_in_row;   // number of consecutive turns in which the stage ran in parallel
  uint32_t part_count;        // number of parts in the most recent run: 1 if it ran on one core, 0 if there was no run
  char *separation;           // reason why the system cannot join the stage of the previous system; "" if it can
  char *alone_reason;         // reason why the system runs alone; NULL if unknown
} system_t;

// A system while its stage runs.
typedef struct member_t {
  system_t *system;
  uint32_t first_part; // index of the system's first part in the stage
  uint32_t part_count; // number of the system's parts
  double main_us;      // time spent on the main thread
  random_t random;     // state of the system's random stream after `begin`
  _Atomic uint64_t parts_ns;
} member_t;

struct schedule_o {
  allocator_t *allocator;
  ARRAY(system_t) systems;
  ARRAY(uint32_t) order[PHASE_COUNT]; // indices into systems, in running order
  char *running;                      // buffer for the name of the running system; NULL if unused
  size_t running_bytes;
  // callback after each system (schedule_set_callback); may be NULL
  void (*after_system)(void *context, world_o *w, const char *system);
  void *after_system_context;
  double min_gain_us;
  bool is_idle; // true if the current run is not counted (schedule_mark_idle)
  bool staged;  // true once schedule_find_stages has been called
  bool changed; // true if schedule_find_stages must be called again
};

// --- schedule.c

system_t *system_find(schedule_o *s, const char *name); // returns NULL if not found
// Returns true if the systems have the same phase, and `before` of `a` names `b` or `after` of `b` names `a`.
bool system_must_precede(const system_t *a, const system_t *b);
// Returns the `dt_s` for a run of the system: the duration of `every` ticks. In the render phase, and in a paused
// phase, returns the `dt_s` of the phase: the duration of the frame, or 0 while paused.
float schedule_get_system_dt(const system_t *system, const world_o *w, float dt_s);
void stage_add_alone_run(system_t *system, double spent_us);
void times_add(times_t *times, double spent_us);
double times_quantile(const times_t *times, double fraction);

// --- concurrent_systems.c

// Runs the stage that begins with system `i` of a phase. Returns the number of systems to skip in the order, including
// systems that were not due; 0 if the systems must run sequentially.
uint32_t stage_run(schedule_o *schedule, world_o *w, phase_t phase, uint32_t i, float dt_s);
void stage_free_system(schedule_o *schedule, system_t *system); // frees the system's accesses and reasons

#endif
