// Permissions of plugin code that calls the host: whether it may change the world, and which components it may access.
#include "service/permissions.h"

#include "access/last_error.h"
#include "plugin/system_part.h"
#include "plugin/plugin.h"
#include "plugin/report.h"
#include "plugin/system_binding.h"

#include <stdio.h>

bool service_is_pure_call(const context_t *c) {
  return c->where == WHERE_RENDER || c->where == WHERE_PANEL ||
         (c->where == WHERE_FUNCTION && c->plugin->def->functions[c->function].pure);
}

void service_warn(context_t *c, const char *words) {
  access_fail("%s", words);
  if (c->where == WHERE_PART)
    plugin_part_set_warning(c, words);
  else if (!c->plugins->in_parallel_for) // the log is not thread-safe
    plugin_warn_once(c->plugin, words);
}

bool service_check_may_change(context_t *c) {
  bool may =
      c->where == WHERE_SYSTEM || c->where == WHERE_PART || c->where == WHERE_FUNCTION || c->where == WHERE_PRESS;
  if (!may && c->where == WHERE_PANEL)
    context_fail(c, "a panel cannot change the world while it is drawn: change the world when a button is pressed");
  else if (!may)
    service_warn(c, "the world cannot be changed here (loading, manager or render phase): change it in a system");
  return may;
}

// Returns true if the call is from a system with .concurrent, even if the system currently runs
// alone.
static bool is_parallel_system(const context_t *c) {
  return c->run && c->run->def && c->run->def->concurrent;
}

bool service_check_runs_alone(context_t *c, const char *words) {
  if (!is_parallel_system(c))
    return true;
  return context_fail(c, "%s", words);
}

bool service_check_may_command(context_t *c) {
  return service_check_may_change(c) &&
         ((is_parallel_system(c) && c->run->def->concurrent_changes) ||
          service_check_runs_alone(
              c, "a system with .concurrent must declare .concurrent_changes = true to destroy, add, remove or set"));
}

// Systems with .concurrent must declare every component that they access, so that no other system writes it while they
// run.
bool service_check_may_access(context_t *c, const access_binding_t *b) {
  char words[2 * COMPONENT_NAME_MAX + 128];
  if (!is_parallel_system(c) || plugin_run_has_manager(c->run, b))
    return true;
  snprintf(words, sizeof words,
           "cannot read %s: name it in the query or .reads of the system, because the system has .concurrent",
           b->component->name);
  return service_check_runs_alone(c, words);
}

void service_warn_unknown_component(context_t *c) {
  service_warn(c, "undeclared component: name it in .components or .uses");
}

const access_binding_t *service_find_named(context_t *c, const char *function, const shoal_component *component) {
  const access_binding_t *b = component ? access_find_binding(c->access, component) : NULL;
  if (b && b->manager && component->kind == SHOAL_KIND_MANY)
    return b;
  if (component && component->kind != SHOAL_KIND_MANY)
    context_fail(c, "%s: %.60s must be a SHOAL_MANY component", function, component->name);
  else
    context_fail(c, "%s: undeclared component %.60s: name it in .components or .uses", function,
                 component ? component->name : "NULL");
  return NULL;
}
