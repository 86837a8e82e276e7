// Profiling scopes of plugins (shoal/profile.h).
#include "plugin/profile_scope.h"

#include "base/assert.h"
#include "base/now.h"
#include "plugin/report.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_scope(const plugin_t *plugin, const char *name) {
  uint32_t i = 0;
  while (i < plugin->scopes.count && strcmp(plugin->scopes.items[i].name, name) != 0)
    ++i;
  return i;
}

bool plugin_begin_scope(plugin_t *plugin, const char *name) {
  uint32_t scope = find_scope(plugin, name);
  shoal_assert(plugin->scope_depth < PLUGIN_MAX_OPEN_SCOPES, "depth %u (at most %u) is out of range",
               plugin->scope_depth, PLUGIN_MAX_OPEN_SCOPES);
  if (scope == PLUGIN_MAX_SCOPES)
    return false;
  if (scope == plugin->scopes.count) {
    plugin_scope_t added = {.runs = 0};
    snprintf(added.name, sizeof added.name, "%s", name);
    array_push(&plugin->plugins->memory, &plugin->scopes, added);
  }
  plugin->open_scopes[plugin->scope_depth++] = (open_scope_t){.scope = scope, .began_us = now_us()};
  return true;
}

void plugin_end_scope(plugin_t *plugin) {
  shoal_assert(plugin->scope_depth > 0, "plugin %s has no scope open", plugin->name);
  const open_scope_t *open_scope = &plugin->open_scopes[--plugin->scope_depth];
  plugin_scope_t *scope = &plugin->scopes.items[open_scope->scope];
  double duration_us = now_us() - open_scope->began_us;
  scope->total_us += duration_us;
  scope->recent_us[scope->runs++ % PLUGIN_SCOPE_RECENT] = (float)duration_us;
}

void plugin_end_scopes(plugin_t *plugin, uint32_t depth) {
  if (plugin->scope_depth > depth)
    plugin_warn_once(plugin,
                     "shoal_profile_begin was called without shoal_profile_end: the scope was ended after the call");
  while (plugin->scope_depth > depth)
    plugin_end_scope(plugin);
}

static int compare_times(const void *a, const void *b) {
  float a_time = *(const float *)a, b_time = *(const float *)b;
  return (a_time > b_time) - (a_time < b_time);
}

const plugin_scope_t *plugins_get_scope(const plugins_o *plugins, uint32_t i, double *median_us) {
  float sorted[PLUGIN_SCOPE_RECENT];
  for (uint32_t k = 0; plugins && k < plugins->list.count; ++k) {
    const plugin_t *plugin = plugins->list.items[k];
    if (i >= plugin->scopes.count) {
      i -= plugin->scopes.count;
      continue;
    }
    const plugin_scope_t *scope = &plugin->scopes.items[i];
    uint32_t count = scope->runs < PLUGIN_SCOPE_RECENT ? (uint32_t)scope->runs : PLUGIN_SCOPE_RECENT;
    memcpy(sorted, scope->recent_us, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_times);
    if (median_us)
      *median_us = count > 0 ? (double)sorted[count / 2] : 0;
    return scope;
  }
  return NULL;
}
