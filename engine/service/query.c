// Queries that plugins make while the game runs, and rows by the name of an instance.
#include "service/api.h"

#include "access/why.h"
#include "base/assert.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

static bool check_names(const char *const *names, error_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (!names[i][0] || strlen(names[i]) >= COMPONENT_NAME_MAX)
      return error_set(error, "a query has a name that is empty or too long");
  return true;
}

static bool as_system(const shoal_wanted *wanted, shoal_system *out, error_t *error) {
  *out = (shoal_system){.name = "a query"};
  memcpy(out->query, wanted->with, sizeof out->query);
  memcpy(out->without, wanted->without, sizeof out->without);
  memcpy(out->optional, wanted->optional, sizeof out->optional);
  memcpy(out->any, wanted->any, sizeof out->any);
  memcpy(out->reads, wanted->reads, sizeof out->reads);
  if (!wanted->with[0] && !wanted->any[0])
    return error_set(error, "a query names a component that the entities have, in .with or .any");
  return check_names(wanted->with, error) && check_names(wanted->without, error) &&
         check_names(wanted->optional, error) && check_names(wanted->any, error) && check_names(wanted->reads, error);
}

bool api_query(shoal_world *world, const shoal_wanted *wanted, shoal_view *out) {
  context_t *x = context_of_world(world);
  shoal_system as;
  error_t error = {0};
  shoal_assert(wanted && out, "a query of nothing");
  *out = (shoal_view){0};
  if (as_system(wanted, &as, &error) && plugin_query_begin(x->plugin, &as, out, &error))
    return true;
  return access_fail("%s", error.text);
}

bool api_query_end(shoal_world *world, const shoal_view *v) {
  context_t *x = context_of_world(world);
  return (v && plugin_query_end(x->plugin, v)) ||
         access_fail("it ends a query that is not open: shoal_query_end takes the view that shoal_query filled, once");
}

// --- instances

static const run_t *run_of(const context_t *x, const shoal_view *v) {
  if (x->where == WHERE_PART || (x->run && v->terms == x->run->shown))
    return x->run;
  return plugin_query_of(x->plugin, v);
}

static const query_term_t *term_of(const run_t *r, const manager_o *m) {
  for (uint32_t i = 0; r->query && i < r->query->term_count; ++i)
    if (r->query->terms[i].manager == m && r->query->terms[i].role != QUERY_WITHOUT)
      return &r->query->terms[i];
  return NULL;
}

static const manager_o *many(const context_t *x, const shoal_component *component) {
  const bound_t *b = component ? plugin_bound(x->plugin, component) : NULL;
  return b && b->manager && b->manager->schema.kind == SCHEMA_MANY ? b->manager : NULL;
}

static void refuse_component(context_t *x, const char *function, const shoal_component *component) {
  char words[300];
  snprintf(words, sizeof words,
           "%s takes a component of several instances that is in .components or .uses, and not %.60s", function,
           component ? component->name : "NULL");
  context_fail(x, words);
}

uint32_t api_instance(shoal_world *world, const shoal_view *v, const shoal_component *component, uint32_t row) {
  context_t *x = context_of_world(world);
  const manager_o *m = many(x, component);
  if (!m) {
    refuse_component(x, "shoal_instance", component);
    return 0;
  }
  const run_t *r = v ? run_of(x, v) : NULL;
  const query_term_t *t = r ? term_of(r, m) : NULL;
  if (!t || row >= v->count) {
    context_fail(x, !r   ? "shoal_instance: the view is none that is open"
                    : !t ? "shoal_instance: the view's query does not name the component"
                         : "shoal_instance: the view has no such row");
    return 0;
  }
  uint32_t at = v->first + row;
  shoal_assert(at < r->query->count, "row %u of %u", at, r->query->count);
  uint32_t there = t->misaligned == 0 || !t->rows ? at : t->rows[at];
  return there < m->count ? m->instance[there] : 0;
}

uint32_t api_row_named(shoal_world *world, const shoal_component *component, shoal_entity e, const char *instance) {
  context_t *x = context_of_world(world);
  const manager_o *m = many(x, component);
  if (!m) {
    refuse_component(x, "shoal_row_named", component);
    return SHOAL_NO_ROW;
  }
  const world_o *w = x->all->world;
  bool unnamed = !instance || !instance[0];
  uint32_t id = unnamed ? 0 : strings_find(world_strings(x->all->world), instance);
  return world_alive(w, e) && (unnamed || id != 0) ? manager_instance_row(m, e, id) : SHOAL_NO_ROW;
}
