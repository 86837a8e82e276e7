// Entry point for all calls to a plugin's functions.
#ifndef SHOAL_PLUGIN_GUARDED_CALL_H
#define SHOAL_PLUGIN_GUARDED_CALL_H

#include "plugin/context.h"

typedef struct plugin_callee_t {
  plugin_call_kind_t call_kind;
  const char *kind, *name; // names for reports: kind "system", name "heat.cool"
} plugin_callee_t;

// Calls call(data), which calls a function of the plugin. Returns true on success. Returns false with a message if the
// function threw an exception or accessed a missing row. Except in parts, also returns false if the function wrote
// columns in `reads` of a query that it left open, or if the plugin called a host function with an ended context or
// from the wrong thread. Callable from any thread.
bool plugin_call_guarded(plugin_t *plugin, const plugin_callee_t *callee, void (*call)(void *data), void *data,
                         error_info_t *error);
// Defines call_NAME, a callback for plugin_call_guarded. `statement` can access its data as `call`, a `type *`.
#define PLUGIN_CALL(name, type, statement)                                                                             \
  static void call_##name(void *data) {                                                                                \
    type *call = data;                                                                                                 \
    statement;                                                                                                         \
  }
// Returns the maximum CPU time of a call in ms; 0: unlimited.
uint32_t plugin_call_budget_ms(const plugin_t *plugin, plugin_call_kind_t call_kind);
// Warns if the plugin's code changed the floating-point mode or the numeric locale, and restores the locale. Main
// thread only. Call after all parts have finished.
void plugin_report_float_mode(plugin_t *plugin);

#endif
