// API functions for profiling scopes, which measure sections of systems and functions. These functions do nothing in
// systems that are parallel or have .concurrent, and in parts of shoal_parallel_for.
#include "service/api.h"

#include "plugin/plugin.h"
#include "plugin/profile_scope.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>

static bool is_measuring(const context_t *x) {
  return x->where != WHERE_PART && !x->plugins->in_parallel_for;
}

static const char *get_caller_name(const context_t *x) {
  if (x->run)
    return x->run->name;
  return x->where == WHERE_FUNCTION ? x->plugin->def->functions[x->function].name : x->plugin->name;
}

// Builds the full name of a scope from the enclosing scopes: "heat.cool: solve: rows".
static void format_scope_name(const context_t *x, const char *name, char *out, size_t bytes) {
  const plugin_t *p = x->plugin;
  const char *outer =
      p->scope_depth > 0 ? p->scopes.items[p->open_scopes[p->scope_depth - 1].scope].name : get_caller_name(x);
  snprintf(out, bytes, "%.100s: %.40s", outer, name);
}

void api_profile_begin(shoal_context *c, const char *name) {
  context_t *x = context_of(c);
  plugin_t *p = x->plugin;
  char full[PLUGIN_SCOPE_NAME];
  if (!is_measuring(x))
    return;
  if (!name || !name[0] || strlen(name) > 40 || strchr(name, '\n')) {
    context_fail(x, "shoal_profile_begin: name must be one line of 1 to 40 bytes, got “%.60s”", name ? name : "NULL");
    return;
  }
  if (p->scope_depth == PLUGIN_MAX_OPEN_SCOPES || p->scopes.count == PLUGIN_MAX_SCOPES) {
    if (p->scopes.count == PLUGIN_MAX_SCOPES)
      context_fail(x, "shoal_profile_begin: too many scopes (at most %u per plugin): use constant names",
                   PLUGIN_MAX_SCOPES);
    else
      context_fail(
          x, "shoal_profile_begin: scopes are nested too deeply (at most %u levels): end them with shoal_profile_end",
          PLUGIN_MAX_OPEN_SCOPES);
    return;
  }
  format_scope_name(x, name, full, sizeof full);
  plugin_begin_scope(p, full);
}

void api_profile_end(shoal_context *c) {
  context_t *x = context_of(c);
  if (!is_measuring(x))
    return;
  if (x->plugin->scope_depth == 0)
    context_fail(x, "shoal_profile_end: no scope is open: call shoal_profile_begin first");
  else
    plugin_end_scope(x->plugin);
}
