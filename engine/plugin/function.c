// Calls functions of plugins by number.
#include "plugin/function.h"

#include "plugin/call.h"

#include <string.h>

#define OWN_MEMORY                                                                                                     \
  "its results are in memory of its own: lists and texts go through shoal_give_numbers, shoal_give_entities and "      \
  "shoal_give_text"

bool plugin_call_numbered(plugins_o *p, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                          shoal_value *results, error_t *error) {
  if (plugin >= p->list.count || function >= p->list.items[plugin]->function_count)
    return error_set(error, "there is no such function");
  plugin_t *x = p->list.items[plugin];
  if (plugin_rests(x)) {
    p->asked_outside = true;
    return error_set(error, "plugin %s reaches outside, and this is a copy of the game: it is not called", x->name);
  }
  context_t c = plugin_context(x, WHERE_FUNCTION);
  memset(results, 0, PLUGIN_MAX_VALUES * sizeof *results);
  c.function = function;
  c.results = results;
  plugin_begin_results(x, function);
  if (!plugin_call_function(&c, &x->def->functions[function], arguments, results))
    *error = c.problem;
  return !c.failed && (plugin_results_are_given(&c) || error_set(error, "%s", OWN_MEMORY));
}
