// Queries that a plugin makes while it runs (shoal/world.h): each is laid out as a system's is, kept for the next time,
// and closed at the latest with the call in which it was opened. While one is open the world is deferring, so that no
// row moves.
#include "plugin/query.h"

#include "base/assert.h"
#include "plugin/plugin.h"

#include <string.h>

#define MOST_QUERIES 64u // of a plugin, and of those that are open at a time

static bool same_names(const char *const *a, const char *const *b) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES; ++i) {
    if (!a[i] || !b[i])
      return !a[i] && !b[i];
    if (strcmp(a[i], b[i]) != 0)
      return false;
  }
  return true;
}

static bool same(const shoal_system *a, const shoal_system *b) {
  return same_names(a->query, b->query) && same_names(a->without, b->without) && same_names(a->optional, b->optional) &&
         same_names(a->any, b->any) && same_names(a->reads, b->reads);
}

static bool is_open(const plugin_t *x, const run_t *r) {
  for (uint32_t i = 0; i < x->open.count; ++i)
    if (x->open.items[i].run == r)
      return true;
  return false;
}

// The plugin's own texts may go.
static void keep_names(plugins_o *p, const char **names) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    names[i] = alloc_text(&p->memory, names[i]);
}

static void free_names(plugins_o *p, const char **names) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    alloc_free_text(&p->memory, (char *)(uintptr_t)names[i]);
}

static void free_query(plugins_o *p, run_t *r) {
  plugin_free_run(p, r);
  free_names(p, r->own.query);
  free_names(p, r->own.without);
  free_names(p, r->own.optional);
  free_names(p, r->own.any);
  free_names(p, r->own.reads);
  alloc_resize(&p->memory, r, sizeof *r, 0);
}

static run_t *make(plugin_t *x, const shoal_system *as, error_t *error) {
  plugins_o *p = x->all;
  if (x->queries.count == MOST_QUERIES) {
    error_set(error, "it has made %u queries already: make the same ones again, which costs nothing", MOST_QUERIES);
    return NULL;
  }
  run_t *r = alloc_resize(&p->memory, NULL, 0, sizeof *r);
  *r = (run_t){.plugin = x, .def = &r->own, .own = *as, .phase = PHASE_UPDATE, .name = "a query"};
  keep_names(p, r->own.query);
  keep_names(p, r->own.without);
  keep_names(p, r->own.optional);
  keep_names(p, r->own.any);
  keep_names(p, r->own.reads);
  if (plugin_bind_run(p, r, error)) {
    array_push(&p->memory, &x->queries, r);
    return r;
  }
  free_query(p, r);
  return NULL;
}

bool plugin_query_begin(plugin_t *x, const shoal_system *as, shoal_view *out, error_t *error) {
  run_t *r = NULL;
  for (uint32_t i = 0; i < x->queries.count && !r; ++i)
    if (same(&x->queries.items[i]->own, as) && !is_open(x, x->queries.items[i]))
      r = x->queries.items[i];
  r = r ? r : make(x, as, error);
  if (!r)
    return false;
  open_query_t opened = {.run = r, .defers = !world_is_deferring(x->all->world)};
  if (opened.defers)
    world_defer_begin(x->all->world, 0);
  array_push(&x->all->memory, &x->open, opened);
  plugin_open_rows(r);
  plugin_lay_columns(r);
  *out = r->view;
  return true;
}

static void end_last(plugin_t *x) {
  shoal_assert(x->open.count > 0, "plugin %s has no query open", x->name);
  open_query_t last = x->open.items[--x->open.count];
  plugin_take_back(last.run);
  plugin_close_rows(last.run);
  if (last.defers)
    world_defer_end(x->all->world, false);
}

const run_t *plugin_query_of(const plugin_t *x, const shoal_view *v) {
  for (uint32_t i = 0; i < x->open.count; ++i)
    if (x->open.items[i].run->shown == v->terms)
      return x->open.items[i].run;
  return NULL;
}

bool plugin_query_end(plugin_t *x, const shoal_view *v) {
  const run_t *r = plugin_query_of(x, v);
  while (r && is_open(x, r))
    end_last(x);
  return r != NULL;
}

void plugin_end_queries(plugin_t *x, uint32_t first) {
  while (x->open.count > first)
    end_last(x);
}

void plugin_free_queries(plugins_o *p, plugin_t *x) {
  shoal_assert(x->open.count == 0, "plugin %s is closed with %u queries open", x->name, x->open.count);
  for (uint32_t i = 0; i < x->queries.count; ++i)
    free_query(p, x->queries.items[i]);
  array_free(&p->memory, &x->queries);
  array_free(&p->memory, &x->open);
}
