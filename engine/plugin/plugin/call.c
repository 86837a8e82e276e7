// Calls a plugin's systems, observers and functions, and the parts of shoal_parallel_for.
#include "plugin/call.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"
#include "plugin/result.h"

#include <string.h>

// Calls the plugin. If the call fails, stores the failure in `context`, unless `context` already contains a failure.
// Returns true if `context` contains no failure afterwards, otherwise false.
static bool call_plugin(plugin_t *plugin, context_t *context, const plugin_callee_t *callee, void (*call)(void *data),
                        void *data) {
  error_info_t error;
  if (!plugin_call_guarded(plugin, callee, call, data, &error) && !context->failed) {
    context->failed = true;
    context->problem = error;
  }
  return !context->failed;
}

typedef struct system_call_t {
  const run_t *run;
  context_t *context;
  const shoal_view *view;
  float dt_s;
} system_call_t;

PLUGIN_CALL(system, system_call_t, call->run->def->run(plugin_acquire_slot(call->context), call->view, call->dt_s))

bool plugin_call_system(const run_t *run, context_t *context, const shoal_view *view, float dt_s) {
  return call_plugin(run->plugin, context, &(plugin_callee_t){context->call_kind, "system", run->name}, call_system,
                     &(system_call_t){run, context, view, dt_s});
}

typedef struct observer_call_t {
  void (*function)(shoal_context *, const shoal_entity *, uint32_t, float);
  context_t *context;
  const observer_arguments_t *arguments;
} observer_call_t;

PLUGIN_CALL(observer, observer_call_t,
            call->function(plugin_acquire_slot(call->context), call->arguments->entities, call->arguments->count,
                           call->arguments->dt_s))

bool plugin_call_observer(context_t *context, void (*function)(shoal_context *, const shoal_entity *, uint32_t, float),
                          const observer_arguments_t *arguments) {
  shoal_assert(context->run && function && arguments->count > 0,
               "an observer's call must have a context, a function and entities");
  return call_plugin(context->plugin, context, &(plugin_callee_t){context->call_kind, "system", context->run->name},
                     call_observer, &(observer_call_t){function, context, arguments});
}

typedef struct function_call_t {
  const shoal_function *function;
  context_t *context;
  const shoal_value *arguments;
  shoal_value *results;
} function_call_t;

PLUGIN_CALL(function, function_call_t,
            call->function->call(plugin_acquire_slot(call->context), call->arguments, call->results))

bool plugin_call_function(context_t *context, const shoal_function *function, const shoal_value *arguments,
                          shoal_value *results) {
  shoal_assert(context->plugin && function, "plugin and function must not be NULL");
  return call_plugin(context->plugin, context, &(plugin_callee_t){PLUGIN_CALL_FUNCTION, "function", function->name},
                     call_function, &(function_call_t){function, context, arguments, results});
}

#define FOREIGN_MEMORY_ERROR                                                                                           \
  "results must be in the host's memory: use shoal_return_numbers, shoal_return_entities or "                          \
  "shoal_return_string"

bool plugin_call_by_number(plugins_o *plugins, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                           shoal_value *results, error_info_t *error) {
  if (plugin >= plugins->list.count || function >= plugins->list.items[plugin]->function_count)
    return error_set(error, "the plugin's function no longer exists");
  plugin_t *owner = plugins->list.items[plugin];
  if (plugin_is_inactive(owner)) {
    plugins->called_external = true;
    return error_set(error, "cannot call plugin %s in a forked process: the plugin sets .has_side_effects",
                     owner->name);
  }
  context_t context = plugin_build_context(owner, PLUGIN_CALL_FUNCTION);
  memset(results, 0, PLUGIN_MAX_VALUES * sizeof *results);
  context.function = function;
  context.results = results;
  plugin_begin_results(owner, function);
  if (!plugin_call_function(&context, &owner->def->functions[function], arguments, results))
    *error = context.problem;
  return !context.failed && (plugin_results_are_valid(&context) || error_set(error, "%s", FOREIGN_MEMORY_ERROR));
}

typedef struct part_call_t {
  const plugin_parts_t *parts;
  uint32_t number, worker;
} part_call_t;

PLUGIN_CALL(part, part_call_t, call->parts->part(call->parts->data, call->number, call->worker))

bool plugin_call_part(const plugin_parts_t *parts, uint32_t number, uint32_t worker, error_info_t *error) {
  return plugin_call_guarded(parts->plugin, &(plugin_callee_t){PLUGIN_CALL_PART, "a part of shoal_parallel_for", NULL},
                             call_part, &(part_call_t){parts, number, worker}, error);
}
