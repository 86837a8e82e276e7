// Calls functions of plugins by plugin index and function index.
#include "plugin/function_call.h"

#include "plugin/call.h"

#include <string.h>

#define OWN_MEMORY                                                                                                     \
  "results must be in the host's memory: use shoal_give_numbers, shoal_give_entities or "                              \
  "shoal_give_text"

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
