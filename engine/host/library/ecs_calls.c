// Checks calls to the standalone entity system: the world must exist, and the thread must have created it. Managers and
// parts of parallel loops must use the world that is passed to them, not the program's world.
#include "library/ecs_manager.h"

#include "access/last_error.h"
#include "base/handle_set.h"
#include "process/threads.h"

#include <stdarg.h>
#include <stdio.h>

static handle_set_t worlds = HANDLE_SET_INIT;

void ecs_add_world(ecs_t *ecs) {
  handle_set_add(&worlds, &ecs->access.own.shared);
}

_Thread_local const shoal_world *ecs_checked_world;

static ecs_t *check_world(shoal_world *w, const char *function) {
  ecs_t *ecs = (ecs_t *)(void *)w;
  if (!handle_set_contains(&worlds, w))
    return access_fail("%s: %s", function,
                       w ? "world must be the result of shoal_ecs_create" : "world must not be NULL"),
           NULL;
  if (!ecs->access.world)
    return access_fail("%s: the world was destroyed", function), NULL;
  if (!pthread_equal(ecs->thread, pthread_self()))
    return access_fail("%s must be called on the thread that created the world", function), NULL;
  ecs_checked_world = w;
  return ecs;
}

ecs_t *ecs_check_unknown_call(shoal_world *w, const char *function) {
  ecs_t *ecs = (ecs_t *)(void *)w;
  if ((!w || w != ecs_checked_world || !ecs->access.world) && !check_world(w, function))
    return NULL;
  if (ecs->inside)
    return access_fail("%s must not be called with this world in %s: use the world that is passed there", function,
                       ecs->inside),
           NULL;
  return ecs;
}

bool ecs_fail_call(ecs_t *ecs, const char *function) {
  access_fail("%s: %.900s", function, ecs->problem.text);
  ecs->problem.text[0] = '\0';
  return false;
}

jobs_o *ecs_get_jobs(ecs_t *ecs) {
  if (!ecs->jobs)
    ecs->jobs = jobs_create(&ecs->access.memory, ecs->worker_count ? ecs->worker_count : threads_count_cores());
  return ecs->jobs;
}

// --- managers

_Static_assert(offsetof(ecs_manager_t, callee) == sizeof(const shoal_api *),
               "a manager must begin like a shoal_context: the table, then the world");

ecs_manager_t *ecs_find_manager(const ecs_t *ecs, const shoal_component *component) {
  for (uint32_t i = 0; component && i < ecs->managers.count; ++i)
    if (ecs->managers.items[i]->custom_manager.component == component)
      return ecs->managers.items[i];
  return NULL;
}

void ecs_fail_manager(ecs_manager_t *m, const char *format, ...) {
  va_list arguments;
  error_info_t *problem = &m->callee.problem;
  if (!m->callee.is_running || !pthread_equal(m->callee.thread, pthread_self()) || problem->text[0])
    return;
  va_start(arguments, format);
  (void)vsnprintf(problem->text, sizeof problem->text, format, arguments);
  va_end(arguments);
}

// --- managers and parts of parallel loops

bool ecs_check_callee_call(shoal_world *w, const char *function, uint32_t allowed) {
  ecs_callee_t *callee = (ecs_callee_t *)(void *)w;
  bool in_manager = callee->kind == ECS_MANAGER;
  access_clear_error();
  if (!callee->is_running || !pthread_equal(callee->thread, pthread_self()))
    return access_fail(in_manager ? "%s: the context of a manager is valid only during the call, on its thread"
                                  : "%s: the world of a part is valid only in the part, on its thread",
                       function);
  if (allowed & callee->kind)
    return true;
  if (!callee->problem.text[0]) // the message of the outer call names the component, or shoal_ecs_run_parallel
    error_set(&callee->problem, "%s cannot be called in %s", function, in_manager ? "a manager" : "a part");
  return access_fail("%s cannot be called in %s", function,
                     in_manager ? "a manager" : "a part of shoal_ecs_run_parallel");
}
