// Calls a plugin's systems, observers and functions. Functions that take a context return true on success. If the call
// failed, they return false, and the context's `problem` contains the message.
#ifndef SHOAL_PLUGIN_CALL_H
#define SHOAL_PLUGIN_CALL_H

#include "plugin/system_binding.h"

typedef struct observer_arguments_t {
  const shoal_entity *entities;
  uint32_t count;
  float dt_s;
} observer_arguments_t;

typedef struct plugin_parts_t {
  plugin_t *plugin;
  void (*part)(void *data, uint32_t part, uint32_t worker);
  void *data;
} plugin_parts_t;

bool plugin_call_system(const run_t *run, context_t *context, const shoal_view *view, float dt_s);
bool plugin_call_observer(context_t *context, void (*function)(shoal_context *, const shoal_entity *, uint32_t, float),
                          const observer_arguments_t *arguments);
bool plugin_call_function(context_t *context, const shoal_function *function, const shoal_value *arguments,
                          shoal_value *results);
// Calls one part of shoal_parallel_for. Returns true on success, or false with a message if the call fails
// (plugin_call_guarded). Callable from any thread.
bool plugin_call_part(const plugin_parts_t *parts, uint32_t number, uint32_t worker, error_info_t *error);
// Calls the function with index `function` of the plugin with index `plugin`. `results` has PLUGIN_MAX_VALUES elements.
// Returns true on success, or false with a message if the call fails.
bool plugin_call_by_number(plugins_o *plugins, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                           shoal_value *results, error_info_t *error);

#endif
