// Shared declarations of the standalone entity system: a world, its managers and its parallel loops.
#ifndef SHOAL_LIBRARY_ECS_LIBRARY_H
#define SHOAL_LIBRARY_ECS_LIBRARY_H

#include "access/access.h"
#include "access/last_error.h"
#include "process/jobs.h"
#include "shoal/ecs.h"

#include <pthread.h>

typedef struct ecs_manager_t ecs_manager_t; // defined in library/ecs_manager.h
typedef struct ecs_part_t ecs_part_t;       // defined in library/ecs_parallel.h

typedef struct template_part_t { // a component of a template
  uint32_t template_number, component;
} template_part_t;

typedef struct ecs_t {
  // Must be first. The struct is never freed, so that use of a destroyed world (access.world is NULL) is detected.
  access_o access;
  pthread_t thread;
  ARRAY(template_part_t) template_parts;
  ARRAY(ecs_manager_t *) managers;
  jobs_o *jobs;          // worker threads; NULL until the first parallel loop
  uint32_t worker_count; // requested number of threads; 0: one per processor
  ARRAY(ecs_part_t *) parts;
  // For messages: the running code that must not use this world, such as "a manager" or "a part of …"; NULL while no
  // such code runs.
  const char *inside;
  error_info_t problem; // first error of a manager in the current call
} ecs_t;

// Kinds of code that may call only some functions of <shoal/world.h> (ecs_world.c).
typedef enum ecs_callee_kind_t { ECS_MANAGER = 1, ECS_PART = 2 } ecs_callee_kind_t;
typedef struct ecs_callee_t {
  access_world_t world; // must be first: the shoal_world that the code receives
  ecs_callee_kind_t kind;
  pthread_t thread; // thread that runs the code
  bool is_running;
  error_info_t problem; // first error of the code
} ecs_callee_t;
extern const shoal_world_api ecs_world_api, ecs_callee_world_api;

// --- calls (ecs_calls.c)

void ecs_add_world(ecs_t *ecs); // lets ecs_check_call accept this world
// Return the world if the call is allowed. Otherwise, set the error message and return NULL. Entities that were
// destroyed one by one are only marked. The next ecs_check_call removes all marked entities together, so that their
// cache misses overlap. Functions that only mark entities or test the marks call ecs_check_destroying_call.
static inline ecs_t *ecs_check_call(shoal_world *w, const char *function);
static inline ecs_t *ecs_check_destroying_call(shoal_world *w, const char *function);
// Returns true if a function that only reads a row needs neither ecs_check_call nor ecs_end_call: the common case.
// Programs call such functions millions of times, for single entities.
static inline bool ecs_can_read(shoal_world *w);
// Ends each call that may change rows. Returns true, or false with an error message if a manager failed during the
// call.
static inline bool ecs_end_call(ecs_t *ecs, const char *function);
// Returns true if `w` is the world of running code whose kind is in the bit mask `allowed`. Otherwise, returns false
// with an error message.
bool ecs_check_callee_call(shoal_world *w, const char *function, uint32_t allowed);
jobs_o *ecs_get_jobs(ecs_t *ecs); // returns the worker threads, created on first use

// --- managers (ecs_manager.c)

// ecs_begin_manager creates the storage of a component's manager before the component is declared. Returns true on
// success, or false after calling access_fail. ecs_end_manager connects the storage with the world's component after
// the declaration; `m` is NULL if the declaration failed.
bool ecs_begin_manager(access_o *a, const shoal_component *component);
void ecs_end_manager(access_o *a, const shoal_component *component, manager_o *m);
void ecs_destroy_managers(ecs_t *ecs);

// --- parts of parallel loops (ecs_parallel.c)

void ecs_free_parts(ecs_t *ecs);

// --- the common case of each call, inline

// The world of the last call on this thread that passed the checks. If a call passes this world again, and its
// access.world is not NULL, no further check is necessary: the struct of a world is never freed, and the thread of a
// world never changes.
extern _Thread_local const shoal_world *ecs_checked_world;
ecs_t *ecs_check_unknown_call(shoal_world *w, const char *function);
bool ecs_fail_call(ecs_t *ecs, const char *function);

static inline bool ecs_is_checked(const ecs_t *ecs) {
  const shoal_world *w = (const shoal_world *)(const void *)ecs;
  return w && w == ecs_checked_world && ecs->access.world && !ecs->inside;
}

static inline ecs_t *ecs_check_destroying_call(shoal_world *w, const char *function) {
  ecs_t *ecs = (ecs_t *)(void *)w;
  access_clear_error();
  return ecs_is_checked(ecs) ? ecs : ecs_check_unknown_call(w, function);
}

static inline bool ecs_can_read(shoal_world *w) {
  const ecs_t *ecs = (const ecs_t *)(const void *)w;
  access_clear_error();
  return ecs_is_checked(ecs) && !ecs->access.has_delayed_destroys;
}

static inline ecs_t *ecs_check_call(shoal_world *w, const char *function) {
  ecs_t *ecs = ecs_check_destroying_call(w, function);
  if (ecs)
    access_apply_destroys(&ecs->access);
  return ecs;
}

static inline bool ecs_end_call(ecs_t *ecs, const char *function) {
  return !ecs->problem.text[0] || ecs_fail_call(ecs, function);
}

#endif
