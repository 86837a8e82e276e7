// API functions for profiling scopes, which measure sections of systems and functions. These functions do nothing in
// systems that are parallel or have .concurrent, and in parts of shoal_parallel_for.
#include "service/api.h"

#include "plugin/plugin.h"
#include "plugin/profile_scope.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>

static bool is_measuring(const context_t *context) {
  return context->call_kind != PLUGIN_CALL_PART && !context->plugins->in_parallel_for;
}

static const char *get_caller_name(const context_t *context) {
  if (context->run)
    return context->run->name;
  return context->call_kind == PLUGIN_CALL_FUNCTION ? context->plugin->def->functions[context->function].name
                                                    : context->plugin->name;
}

// Builds the full name of a scope from the enclosing scopes: "heat.cool: solve: rows".
static void format_scope_name(const context_t *context, const char *name, char *out, size_t bytes) {
  const plugin_t *plugin = context->plugin;
  const char *outer_name = plugin->scope_depth > 0
                               ? plugin->scopes.items[plugin->open_scopes[plugin->scope_depth - 1].scope].name
                               : get_caller_name(context);
  snprintf(out, bytes, "%.100s: %.40s", outer_name, name);
}

void api_profile_begin(shoal_context *c, const char *name) {
  context_t *context = context_of(c);
  plugin_t *plugin = context->plugin;
  char full[PLUGIN_SCOPE_NAME];
  if (!is_measuring(context))
    return;
  if (!name || !name[0] || strlen(name) > 40 || strchr(name, '\n')) {
    context_fail(context, "shoal_profile_begin: name must be one line of 1 to 40 bytes, got “%.60s”",
                 name ? name : "NULL");
    return;
  }
  if (plugin->scope_depth == PLUGIN_MAX_OPEN_SCOPES) {
    context_fail(
        context,
        "shoal_profile_begin: scopes are nested too deeply (at most %u levels): end them with shoal_profile_end",
        PLUGIN_MAX_OPEN_SCOPES);
    return;
  }
  format_scope_name(context, name, full, sizeof full);
  if (!plugin_begin_scope(plugin, full))
    context_fail(context, "shoal_profile_begin: too many scopes (at most %u per plugin): use constant names",
                 PLUGIN_MAX_SCOPES);
}

void api_profile_end(shoal_context *c) {
  context_t *context = context_of(c);
  if (!is_measuring(context))
    return;
  if (context->plugin->scope_depth == 0)
    context_fail(context, "shoal_profile_end: no scope is open: call shoal_profile_begin first");
  else
    plugin_end_scope(context->plugin);
}
