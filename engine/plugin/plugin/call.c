// Calls a plugin's systems, observers and functions, and the parts of shoal_parallel_for.
#include "plugin/call.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"
#include "plugin/result.h"

#include <string.h>

// Calls the plugin. If the call fails, stores the failure in `c`, unless `c` already contains a failure. Returns false
// if `c` contains a failure.
static bool call_plugin(plugin_t *plugin, context_t *c, const plugin_callee_t *piece, void (*call)(void *data),
                        void *data) {
  error_info_t error;
  if (!plugin_call_guarded(plugin, piece, call, data, &error) && !c->failed) {
    c->failed = true;
    c->problem = error;
  }
  return !c->failed;
}

typedef struct system_call_t {
  const run_t *run;
  context_t *c;
  const shoal_view *view;
  float dt_s;
} system_call_t;

PLUGIN_CALL(system, system_call_t, x->run->def->run(plugin_acquire_slot(x->c), x->view, x->dt_s))

bool plugin_call_system(const run_t *r, context_t *c, const shoal_view *view, float dt_s) {
  return call_plugin(r->plugin, c, &(plugin_callee_t){c->where, "system", r->name}, call_system,
                     &(system_call_t){r, c, view, dt_s});
}

typedef struct observer_call_t {
  void (*function)(shoal_context *, const shoal_entity *, uint32_t, float);
  context_t *c;
  const observer_arguments_t *heard;
} observer_call_t;

PLUGIN_CALL(observer, observer_call_t,
            x->function(plugin_acquire_slot(x->c), x->heard->entities, x->heard->count, x->heard->dt_s))

bool plugin_call_observer(context_t *c, void (*function)(shoal_context *, const shoal_entity *, uint32_t, float),
                          const observer_arguments_t *heard) {
  shoal_assert(c->run && function && heard->count > 0,
               "an observer's call must have a context, a function and entities");
  return call_plugin(c->plugin, c, &(plugin_callee_t){c->where, "system", c->run->name}, call_observer,
                     &(observer_call_t){function, c, heard});
}

typedef struct function_call_t {
  const shoal_function *function;
  context_t *c;
  const shoal_value *arguments;
  shoal_value *results;
} function_call_t;

PLUGIN_CALL(function, function_call_t, x->function->call(plugin_acquire_slot(x->c), x->arguments, x->results))

bool plugin_call_function(context_t *c, const shoal_function *function, const shoal_value *arguments,
                          shoal_value *results) {
  shoal_assert(c->plugin && function, "plugin and function must not be NULL");
  return call_plugin(c->plugin, c, &(plugin_callee_t){WHERE_FUNCTION, "function", function->name}, call_function,
                     &(function_call_t){function, c, arguments, results});
}

#define OWN_MEMORY                                                                                                     \
  "results must be in the host's memory: use shoal_return_numbers, shoal_return_entities or "                          \
  "shoal_return_string"

bool plugin_call_by_number(plugins_o *p, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                           shoal_value *results, error_info_t *error) {
  if (plugin >= p->list.count || function >= p->list.items[plugin]->function_count)
    return error_set(error, "the plugin's function no longer exists");
  plugin_t *x = p->list.items[plugin];
  if (plugin_is_inactive(x)) {
    p->called_external = true;
    return error_set(error, "cannot call plugin %s in a forked process: the plugin sets .reaches_outside", x->name);
  }
  context_t c = plugin_build_context(x, WHERE_FUNCTION);
  memset(results, 0, PLUGIN_MAX_VALUES * sizeof *results);
  c.function = function;
  c.results = results;
  plugin_begin_results(x, function);
  if (!plugin_call_function(&c, &x->def->functions[function], arguments, results))
    *error = c.problem;
  return !c.failed && (plugin_results_are_valid(&c) || error_set(error, "%s", OWN_MEMORY));
}

typedef struct part_call_t {
  const plugin_parts_t *parts;
  uint32_t number, worker;
} part_call_t;

PLUGIN_CALL(part, part_call_t, x->parts->part(x->parts->data, x->number, x->worker))

bool plugin_call_part(const plugin_parts_t *parts, uint32_t number, uint32_t worker, error_info_t *error) {
  return plugin_call_guarded(parts->plugin, &(plugin_callee_t){WHERE_PART, "a part of shoal_parallel_for", NULL},
                             call_part, &(part_call_t){parts, number, worker}, error);
}
