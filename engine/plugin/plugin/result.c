// Memory for the results of a plugin's functions.
#include "plugin/result.h"

#include "base/assert.h"
#include "plugin/plugin.h"

#include <string.h>

// Returns the number of result slots: PLUGIN_MAX_VALUES for each function.
static uint32_t count_slots(const plugin_t *x) {
  return x->function_count * PLUGIN_MAX_VALUES;
}

void plugin_create_results(plugins_o *p, plugin_t *x) {
  uint32_t given = count_slots(x), built = given + PLUGIN_EXTRA_TABLES;
  x->given = alloc_resize(&p->memory, NULL, 0, given * sizeof *x->given);
  x->built = alloc_resize(&p->memory, NULL, 0, built * sizeof *x->built);
  for (uint32_t i = 0; i < given; ++i)
    x->given[i] = (result_memory_t){0};
  memset(x->built, 0, built * sizeof *x->built);
}

void plugin_free_results(plugins_o *p, plugin_t *x) {
  uint32_t given = count_slots(x), built = x->built ? given + PLUGIN_EXTRA_TABLES : 0;
  for (uint32_t i = 0; i < given; ++i)
    alloc_resize(&p->memory, x->given[i].memory, x->given[i].bytes, 0);
  for (uint32_t i = 0; i < built; ++i) {
    array_free(&p->memory, &x->built[i].members);
    array_free(&p->memory, &x->built[i].texts);
  }
  alloc_resize(&p->memory, x->given, given * sizeof *x->given, 0);
  alloc_resize(&p->memory, x->built, built * sizeof *x->built, 0);
  x->given = NULL;
  x->built = NULL;
}

void plugin_begin_results(plugin_t *x, uint32_t function) {
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i)
    x->built[function * PLUGIN_MAX_VALUES + i].depth = 0;
}

void *plugin_allocate_result(context_t *x, const shoal_value *result, size_t bytes) {
  shoal_assert(x->where != WHERE_FUNCTION || x->function < x->plugin->function_count,
               "function %u of plugin %s is out of range (count %u)", x->function, x->plugin->name,
               x->plugin->function_count);
  ptrdiff_t at = result - x->results;
  if (x->where != WHERE_FUNCTION || at < 0 || at >= (ptrdiff_t)PLUGIN_MAX_VALUES)
    return NULL;
  result_memory_t *g = &x->plugin->given[x->function * PLUGIN_MAX_VALUES + (uint32_t)at];
  if (g->bytes < bytes || !g->memory) {
    size_t room = bytes + bytes / 4 + 16;
    g->memory = alloc_resize(&x->plugins->memory, g->memory, g->bytes, room);
    g->bytes = room;
  }
  return g->memory;
}

// Returns the slot of a table. The slot of a result is valid until the function is called again. The slot of any other
// table is valid until PLUGIN_EXTRA_TABLES further tables have been started.
built_table_t *plugin_get_built_table(context_t *x, const shoal_value *to, bool begins) {
  plugin_t *p = x->plugin;
  ptrdiff_t at = x->where == WHERE_FUNCTION && x->results ? to - x->results : -1;
  if (at >= 0 && at < (ptrdiff_t)PLUGIN_MAX_VALUES) {
    built_table_t *b = &p->built[x->function * PLUGIN_MAX_VALUES + (uint32_t)at];
    b->to = to;
    return b;
  }
  built_table_t *others = &p->built[p->function_count * PLUGIN_MAX_VALUES];
  for (uint32_t i = 0; i < PLUGIN_EXTRA_TABLES; ++i)
    if (others[i].to == to)
      return &others[i];
  built_table_t *next = begins ? &others[p->next_built++ % PLUGIN_EXTRA_TABLES] : NULL;
  if (next)
    next->to = to;
  return next;
}

static bool is_allocated_result(const result_memory_t *g, const void *memory, size_t count, size_t bytes) {
  return memory == NULL || memory == g->memory ? count <= (memory ? g->bytes : 0) / bytes : false;
}

bool plugin_results_are_valid(const context_t *c) {
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i) {
    const shoal_value *v = &c->results[i];
    const result_memory_t *g = &c->plugin->given[c->function * PLUGIN_MAX_VALUES + i];
    const built_table_t *b = &c->plugin->built[c->function * PLUGIN_MAX_VALUES + i];
    bool is_table = v->type == SHOAL_VALUE_TYPE_TABLE;
    bool ok = is_table ? v->string == (const char *)b->members.items && v->count == b->members.count && b->depth == 0
              : v->numbers  ? is_allocated_result(g, v->numbers, v->count, sizeof *v->numbers)
              : v->entities ? is_allocated_result(g, v->entities, v->count, sizeof *v->entities)
              : v->string   ? (v->string[0] == '\0' && v->count == 0) ||
                                is_allocated_result(g, v->string, (size_t)v->count + 1, 1)
                          : v->count == 0;
    if (!ok)
      return false;
  }
  return true;
}
