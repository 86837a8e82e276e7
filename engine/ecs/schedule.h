// The order of systems: phase, then before/after, then priority (lower runs first), then name. Total, stable,
// printable. Holds C systems and Lua systems alike; Lua ones all share the script room's `run`.
#ifndef SHOAL_ECS_SCHEDULE_H
#define SHOAL_ECS_SCHEDULE_H

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
  bool off;         // it is off until it is switched on (state/switches.h)
} system_desc_t;

typedef struct schedule_o schedule_o;

schedule_o *schedule_create(allocator_t *a);
void schedule_destroy(schedule_o *s);

// Copies the desc. False with a message when the name is taken.
bool schedule_add(schedule_o *s, const system_desc_t *desc, error_t *error);
// Sorts. False with a message that names the cycle ("a → b → a"), and
// the place of a system on it that has one.
bool schedule_sort(schedule_o *s, error_t *error);
// Keeps the name of the system that runs in `place` (borrowed), for whoever looks when it is too late to ask; ""
// between phases. NULL ends it.
void schedule_name_running(schedule_o *s, char *place, size_t bytes);
// Called after every system that has run, between two of them; NULL ends it. `context` is borrowed.
void schedule_listen(schedule_o *s, void (*after)(void *context, world_o *w, const char *system), void *context);
void schedule_run(schedule_o *s, world_o *w, phase_t phase, float dt_s);

uint32_t schedule_count(const schedule_o *s, phase_t phase);
const char *schedule_name(const schedule_o *s, phase_t phase, uint32_t i); // in running order
const char *schedule_doc(const schedule_o *s, phase_t phase, uint32_t i);  // NULL for none
const char *schedule_when(const schedule_o *s, phase_t phase, uint32_t i); // "" for always
bool schedule_is_off(const schedule_o *s, phase_t phase, uint32_t i);      // as it declares

// For --stats: microseconds spent and runs since creation, by phase and position.
void schedule_cost(const schedule_o *s, phase_t phase, uint32_t i, double *total_us, uint64_t *runs);
// Of the last 1,024 runs, how long the one took that `part` (0 … 1) of them did not exceed; 0.5 is the median.
// Microseconds.
double schedule_quantile(const schedule_o *s, phase_t phase, uint32_t i, double part);

#endif
