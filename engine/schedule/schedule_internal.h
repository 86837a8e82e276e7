// The inside of schedule_o, shared by schedule.c (order and running) and concurrent_systems.c (what runs at the same
// time). Private to schedule.
#ifndef SHOAL_SCHEDULE_SCHEDULE_INTERNAL_H
#define SHOAL_SCHEDULE_SCHEDULE_INTERNAL_H

#include "base/array.h"
#include "schedule/schedule.h"

#include <stdatomic.h>

enum { RECENT_RUNS = 1024 };

typedef ARRAY(char *) names_t;

// Of the runs of a system or a stage.
typedef struct times_t {
  double total_us;
  uint64_t runs;
  double began_us;              // the last one, by now_us
  float recent_us[RECENT_RUNS]; // a ring: run n stands at n % RECENT_RUNS
} times_t;

typedef struct system_t {
  // Fields that every run reads share cache lines.
  char *name;
  void (*run)(void *context, world_o *w, uint32_t number, float dt_s);
  void *context;
  double alone_us; // what a run alone is expected to take
  uint32_t number;
  uint32_t every;
  uint32_t together; // number of its stage; 0: it runs alone
  times_t times;

  char *doc; // NULL for none
  phase_t phase;
  int32_t priority;
  names_t after, before;
  char file[128]; // "" for none
  uint32_t line;
  char *when;
  bool off;
  uint32_t queries[SCHEDULE_MAX_QUERIES], query_count;
  bool may_join;          // `beside` says how
  system_beside_t beside; // with a copy of its accesses
  times_t stage_times;    // of the first one of a stage, from begin to end
  double stage_us;        // what such a run is expected to take; 0: not known
  uint32_t turns;         // of the stage
  uint32_t shared_in_row; // turns at the same time up to now
  uint32_t parts;         // of the most recent run; 1: on one core; 0: it has not run
  char *apart;            // why it does not run together with the previous system; "" where it does
  char *alone;            // why it runs alone; NULL: unknown
} system_t;

// One system while its stage runs.
typedef struct member_t {
  system_t *system;
  uint32_t first, parts; // among those of the stage
  double main_us;        // on the main thread
  _Atomic uint64_t parts_ns;
} member_t;

struct schedule_o {
  allocator_t *allocator;
  ARRAY(system_t) systems;
  ARRAY(uint32_t) order[PHASE_COUNT]; // indices into systems, in running order
  char *running;                      // where the name of the one that runs is kept; NULL: nowhere
  size_t running_bytes;
  void (*after)(void *context, world_o *w, const char *system); // NULL: not told
  void *after_context;
  double least_gain_us;
  bool staged, changed; // stages were found; and are to be found again before the next phase
};

// --- schedule.c
bool system_must_precede(const system_t *a, const system_t *b); // must a run before b, because one of them says so?
void together_ran_alone(system_t *x, double spent_us);
void times_add(times_t *t, double spent_us);
double times_quantile(const times_t *t, double part);

// --- concurrent_systems.c
// Runs the stage that begins with the system in place `i` of a phase. → how many systems that were, 0 when they are to
// run one after the other.
uint32_t together_run(schedule_o *s, world_o *w, phase_t phase, uint32_t i, float dt_s);
void together_forget(schedule_o *s, system_t *x); // its accesses and reasons

#endif
