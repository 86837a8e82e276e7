// Managers of plugins: guarded calls of their functions (access/custom_manager.h). Errors of managers are reported. A
// manager becomes unreliable if a call fails, if `save` writes too many bytes, or if the row count is wrong even after
// the manager was refilled. Only the function `destroy` of an unreliable manager is called until its state is reloaded.
#include "plugin/manager.h"

#include "plugin/guarded_call.h"
#include "plugin/report.h"

#include <stdio.h>

// --- calls

typedef struct manager_call_t {
  const custom_manager_t *manager;
  custom_call_t *call;
  context_t context;
} manager_call_t;

PLUGIN_CALL(manager, manager_call_t,
            custom_manager_call(call->manager, call->call, plugin_acquire_slot(&call->context)))

static bool run_function(custom_manager_t *m, custom_call_t *call) {
  plugin_t *plugin = ((component_binding_t *)m->owner)->plugin;
  plugin_call_kind_t kind = call->function == CUSTOM_CREATE ? PLUGIN_CALL_LOADING : PLUGIN_CALL_MANAGER;
  manager_call_t data = {m, call, plugin_build_context(plugin, kind)};
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "%s of %s", custom_function_name(call->function), m->component->name);
  if (!plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "manager", name}, call_manager, &data,
                           &call->error))
    return false;
  if (data.context.failed)
    call->error = data.context.problem;
  return true;
}

static void fail(custom_manager_t *m, custom_problem_t problem, const char *text) {
  plugin_t *plugin = ((component_binding_t *)m->owner)->plugin;
  error_info_t error;
  if (problem == CUSTOM_REJECTED) {
    log_warn(plugin->plugins->desc.log, "plugin %s: %s: %s: the manager was refilled from the columns", plugin->name,
             m->component->name, text);
    return;
  }
  m->is_unreliable |= problem != CUSTOM_REFILLED;
  error_set(&plugin->manager_error, "%s", text);
  error_set(&error, "%.900s; %sthe plugin's systems are parked", text,
            problem == CUSTOM_FAILED ? "" : "the manager was refilled and ");
  plugin_fail(plugin, error.text);
}

// --- rehearsal

static void test_manager(component_binding_t *binding) {
  world_o *world = binding->plugin->plugins->world;
  shoal_entity entity = 0;
  error_info_t error;
  if (world_spawn_many(world, 0, 1, &entity, &error) == 0 ||
      !world_add_component(world, entity, binding->shared.manager->id, 0, &error))
    return; // no row could be added: the world is full
  custom_manager_test_save(&binding->custom_manager, world);
  world_remove_component(world, entity, binding->shared.manager->id, 0);
  world_destroy_entity(world, entity);
  custom_manager_check_row_count(&binding->custom_manager);
}

void plugin_test_managers(plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i)
    if (plugin_binding_at(plugin, i)->custom_manager.self && plugin_binding_at(plugin, i)->shared.manager)
      test_manager(plugin_binding_at(plugin, i));
}

// --- creation and destruction

bool plugin_create_managers(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    custom_manager_t *m = &binding->custom_manager;
    *m = (custom_manager_t){.owner = binding,
                            .component = binding->shared.component,
                            .memory = &plugins->memory,
                            .run = run_function,
                            .fail = fail};
    if (!binding->is_declared || !m->component->manager)
      continue;
    if (!custom_manager_create(m, error))
      return false;
    custom_manager_connect(m, plugins->world, binding->shared.manager);
  }
  return true;
}

void plugin_destroy_managers(plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    if (binding->is_declared && binding->shared.manager)
      world_set_hooks(plugin->plugins->world, binding->shared.manager->id, NULL);
    if (binding->custom_manager.self)
      custom_manager_destroy(&binding->custom_manager, plugin->plugins->world);
  }
}
