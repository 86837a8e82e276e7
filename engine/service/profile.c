// The service "profile" (shoal/profile.h): how long parts of systems and functions take. Of the main thread alone.
#include "service/services_internal.h"

#include "base/assert.h"
#include "base/now.h"
#include "shoal/profile.h"

#include <stdio.h>
#include <string.h>

#define MOST_SCOPES 128u

// Does a scope mean something here? On threads that share work it does not, and is no mistake.
static bool measures(context_t *x, const char *function) {
  return x->where != WHERE_PART && !x->all->sharing && service_may(&x->shared, SERVICE_EVERYWHERE, function);
}

static const char *place_of(const context_t *x) {
  if (x->run)
    return x->run->name;
  return x->where == WHERE_FUNCTION ? x->plugin->def->functions[x->function].name : x->plugin->name;
}

// "heat.cool: solve: rows", within what is open.
static void name_scope(const context_t *x, const char *name, char *out, size_t bytes) {
  const plugin_t *p = x->plugin;
  const char *outer = p->scope_depth > 0 ? p->scopes.items[p->open_scopes[p->scope_depth - 1].scope].name : place_of(x);
  snprintf(out, bytes, "%.100s: %.40s", outer, name);
}

static uint32_t find_or_make(plugin_t *p, const char *name) {
  for (uint32_t i = 0; i < p->scopes.count; ++i)
    if (strcmp(p->scopes.items[i].name, name) == 0)
      return i;
  plugin_scope_t made = {.runs = 0};
  snprintf(made.name, sizeof made.name, "%s", name);
  array_push(&p->all->memory, &p->scopes, made);
  return p->scopes.count - 1;
}

static void begin(shoal_context *c, const char *name) {
  context_t *x = context_of(c);
  plugin_t *p = x->plugin;
  char full[PLUGIN_SCOPE_NAME];
  if (!measures(x, "shoal_scope_begin"))
    return;
  if (!name || !name[0] || strlen(name) > 40 || strchr(name, '\n')) {
    service_refuse(x, "shoal_scope_begin: the name of a scope is one line of up to 40 bytes");
    return;
  }
  if (p->scope_depth == PLUGIN_MOST_OPEN_SCOPES || p->scopes.count == MOST_SCOPES) {
    service_refuse(x, p->scopes.count == MOST_SCOPES
                          ? "shoal_scope_begin: a plugin has 128 scopes at most, and names that are the same each time"
                          : "shoal_scope_begin: scopes are 8 deep at most: one of them does not end");
    return;
  }
  name_scope(x, name, full, sizeof full);
  uint32_t scope = find_or_make(p, full);
  shoal_assert(scope < p->scopes.count, "scope %u of %u", scope, p->scopes.count);
  p->open_scopes[p->scope_depth++] = (open_scope_t){.scope = scope, .began_us = now_us()};
}

static void end(shoal_context *c) {
  context_t *x = context_of(c);
  if (!measures(x, "shoal_scope_end"))
    return;
  if (x->plugin->scope_depth == 0)
    service_refuse(x, "shoal_scope_end: no scope is open");
  else
    plugin_end_scope(x->plugin);
}

const shoal_profile_1 service_profile = {.begin = begin, .end = end};
