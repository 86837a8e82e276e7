// Managers of components in the standalone entity system (access/custom_manager.h). If a manager's function fails, the
// program's current call fails with the function's message (ecs_end_call).
#include "library/ecs_manager.h"

#include "access/last_error.h"
#include "base/assert.h"

#include <stdio.h>
#include <string.h>

// --- calls

static bool run_function(custom_manager_t *manager, custom_call_t *call) {
  ecs_manager_t *m = manager->owner;
  error_info_t outer_error = *access_last_error();
  m->callee.problem.text[0] = '\0';
  m->callee.is_running = true;
  m->ecs->inside = "a manager";
  custom_manager_call(manager, call, (shoal_context *)(void *)m);
  m->callee.is_running = false;
  m->ecs->inside = NULL;
  *access_last_error() = outer_error;
  if (!m->callee.problem.text[0])
    return true;
  call->loaded = false;
  error_set(&call->error, "%s", m->callee.problem.text);
  // A manager that fails while it loads has rejected the saved storage, so it is refilled from the columns.
  return call->function == CUSTOM_LOAD || call->function == CUSTOM_MIGRATE;
}

// Makes the program's current call fail, unless it has failed already.
static void fail(custom_manager_t *manager, custom_problem_t problem, const char *text) {
  static const char *const effects[] = {[CUSTOM_FAILED] = "",
                                        [CUSTOM_REJECTED] = ": the manager was refilled from the columns",
                                        [CUSTOM_REFILLED] = ": the manager was refilled",
                                        [CUSTOM_UNFILLED] = ", also after the manager was refilled"};
  const ecs_manager_t *m = manager->owner;
  error_info_t *error = &m->ecs->problem;
  if (error->text[0])
    return;
  if (problem == CUSTOM_REJECTED)
    error_set(error, "the manager of %s: %.700s%s", manager->component->name, text, effects[problem]);
  else
    error_set(error, "%.900s%s", text, effects[problem]);
}

// --- creation and destruction

static void destroy_manager(ecs_manager_t *m) {
  custom_manager_destroy(&m->custom_manager, m->ecs->access.world);
  size_t leaked = atomic_load(&m->allocated);
  if (leaked > 0)
    fprintf(stderr, "warn: the manager of %s has not freed %zu bytes of shoal_realloc\n",
            m->custom_manager.component->name, leaked);
  alloc_resize(&m->ecs->access.memory, m, sizeof *m, 0);
}

static bool check_component(const ecs_t *ecs, const shoal_component *component) {
  const manager_o *rows = world_find_manager(ecs->access.world, component->name);
  if (rows && rows->count > 0)
    return access_fail("cannot declare %s with a manager: entities already have the component", component->name);
  for (uint32_t i = 0; i < ecs->managers.count; ++i)
    if (strcmp(ecs->managers.items[i]->custom_manager.component->name, component->name) == 0)
      return access_fail("%s already has a manager: declare it once", component->name);
  return custom_manager_check_declaration(component, access_last_error());
}

bool ecs_begin_manager(access_o *a, const shoal_component *component) {
  ecs_t *ecs = (ecs_t *)(void *)a;
  if (ecs_find_manager(ecs, component))
    return true;
  if (!check_component(ecs, component))
    return false;
  error_info_t reason;
  ecs_manager_t *m = alloc_resize(&a->memory, NULL, 0, sizeof *m);
  *m = (ecs_manager_t){
      .api = &ecs_context_api,
      .callee = {.world = {{&ecs_callee_world_api}, a, NULL}, .kind = ECS_MANAGER, .thread = ecs->thread},
      .ecs = ecs,
      .custom_manager = {.owner = m, .component = component, .memory = &a->memory, .run = run_function, .fail = fail}};
  if (!custom_manager_create(&m->custom_manager, &reason)) {
    destroy_manager(m);
    return access_fail("cannot create the manager of %s: %.800s", component->name, reason.text);
  }
  array_push(&a->memory, &ecs->managers, m);
  return true;
}

void ecs_end_manager(access_o *a, const shoal_component *component, manager_o *rows) {
  ecs_t *ecs = (ecs_t *)(void *)a;
  ecs_manager_t *m = ecs_find_manager(ecs, component);
  shoal_assert(m, "the manager of %s was not created", component->name);
  if (!rows && !m->custom_manager.rows) { // the declaration failed
    ecs->managers.count--;
    destroy_manager(m);
  } else if (rows) {
    custom_manager_connect(&m->custom_manager, a->world, rows);
  }
}

void ecs_destroy_managers(ecs_t *ecs) {
  while (ecs->managers.count > 0)
    destroy_manager(ecs->managers.items[--ecs->managers.count]);
  array_free(&ecs->access.memory, &ecs->managers);
}

void *shoal_ecs_manager_data(shoal_world *w, const shoal_component *component) {
  static const char function[] = "shoal_ecs_manager_data";
  const ecs_t *ecs = ecs_check_call(w, function);
  const ecs_manager_t *m = ecs ? ecs_find_manager(ecs, component) : NULL;
  if (ecs && !m)
    access_fail("%s: %.64s has no manager: declare it with SHOAL_COMPONENT_WITH_MANAGER", function,
                component && component->name ? component->name : "NULL");
  return m ? m->custom_manager.self : NULL;
}
