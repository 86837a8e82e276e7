// Profiling scopes of plugins (shoal/profile.h).
#include "plugin/profile_scope.h"

#include "base/assert.h"
#include "base/now.h"
#include "plugin/report.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_scope(const plugin_t *x, const char *name) {
  uint32_t i = 0;
  while (i < x->scopes.count && strcmp(x->scopes.items[i].name, name) != 0)
    ++i;
  return i;
}

void plugin_begin_scope(plugin_t *x, const char *name) {
  uint32_t scope = find_scope(x, name);
  shoal_assert(x->scope_depth < PLUGIN_MAX_OPEN_SCOPES && scope < PLUGIN_MAX_SCOPES,
               "scope %u (count %u) or depth %u (at most %u) is out of range", scope, PLUGIN_MAX_SCOPES, x->scope_depth,
               PLUGIN_MAX_OPEN_SCOPES);
  if (scope == x->scopes.count) {
    plugin_scope_t made = {.runs = 0};
    snprintf(made.name, sizeof made.name, "%s", name);
    array_push(&x->plugins->memory, &x->scopes, made);
  }
  x->open_scopes[x->scope_depth++] = (open_scope_t){.scope = scope, .began_us = now_us()};
}

void plugin_end_scope(plugin_t *x) {
  shoal_assert(x->scope_depth > 0, "plugin %s has no scope open", x->name);
  const open_scope_t *o = &x->open_scopes[--x->scope_depth];
  plugin_scope_t *s = &x->scopes.items[o->scope];
  double spent_us = now_us() - o->began_us;
  s->total_us += spent_us;
  s->recent_us[s->runs++ % PLUGIN_SCOPE_RECENT] = (float)spent_us;
}

void plugin_end_scopes(plugin_t *x, uint32_t first) {
  if (x->scope_depth > first)
    plugin_warn_once(x, "shoal_profile_begin was called without shoal_profile_end: the scope was ended after the call");
  while (x->scope_depth > first)
    plugin_end_scope(x);
}

static int compare_times(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

const plugin_scope_t *plugins_get_scope(const plugins_o *p, uint32_t i, double *median_us) {
  float sorted[PLUGIN_SCOPE_RECENT];
  for (uint32_t k = 0; p && k < p->list.count; ++k) {
    const plugin_t *x = p->list.items[k];
    if (i >= x->scopes.count) {
      i -= x->scopes.count;
      continue;
    }
    const plugin_scope_t *s = &x->scopes.items[i];
    uint32_t count = s->runs < PLUGIN_SCOPE_RECENT ? (uint32_t)s->runs : PLUGIN_SCOPE_RECENT;
    memcpy(sorted, s->recent_us, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_times);
    if (median_us)
      *median_us = count > 0 ? (double)sorted[count / 2] : 0;
    return s;
  }
  return NULL;
}
