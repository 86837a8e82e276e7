// Components, singles and events as a plugin knows them.
#include "plugin/bound.h"

#include "access/match.h"
#include "base/assert.h"
#include "base/similar.h"
#include "plugin/plugin.h"
#include "ecs/hint.h"

#include <stdio.h>
#include <string.h>

bound_t *plugin_bound_at(plugin_t *x, uint32_t i) {
  if (i < x->bound_count)
    return &x->bound[i];
  return i - x->bound_count < x->found.count ? x->found.items[i - x->bound_count] : NULL;
}

bound_t *plugin_bound(plugin_t *x, const shoal_component *component) {
  bound_t *b = NULL;
  for (uint32_t i = 0; (b = plugin_bound_at(x, i)) != NULL && b->component != component; ++i)
    ;
  return b;
}

static const schema_t *schema_of(const bound_t *b) {
  return b->manager ? &b->manager->schema : b->event ? &b->event->schema : NULL;
}

static const char *hint_event(world_o *w, const char *name, char *out) {
  similar_t meant;
  similar_begin(&meant, name);
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    if (strncmp(world_event(w, i)->schema.name, "shoal.", 6) != 0)
      similar_offer(&meant, world_event(w, i)->schema.name);
  return similar_hint(&meant, out, HINT_BYTES);
}

bool plugin_bind(plugins_o *p, bound_t *b, error_t *error) {
  const shoal_component *c = b->component;
  bool is_event = c->kind == SHOAL_KIND_EVENT;
  char hint[HINT_BYTES];
  access_find_owner(p->world, c, &b->manager, &b->event);
  if (!schema_of(b))
    return error_set(error, "it uses the %s %s, and there is none%s", is_event ? "event" : "component", c->name,
                     is_event ? hint_event(p->world, c->name, hint) : hint_component(p->world, c->name, hint));
  bool fine = access_match(schema_of(b), c, b->columns, error);
  if (!fine) {
    b->manager = NULL;
    b->event = NULL;
  }
  return fine;
}

static void init_bound(plugins_o *p, bound_t *b, plugin_t *x, const shoal_component *component, bool own) {
  uint32_t n = component->column_count;
  *b = (bound_t){.component = component, .plugin = x, .own = own};
  b->columns = alloc_resize(&p->memory, NULL, 0, n * sizeof *b->columns);
  b->data = alloc_resize(&p->memory, NULL, 0, n * sizeof *b->data);
  for (uint32_t i = 0; i < n; ++i) {
    b->columns[i] = i;
    b->data[i] = NULL;
  }
}

static void free_bound(plugins_o *p, bound_t *b) {
  uint32_t n = b->component->column_count;
  scratch_free(&p->memory, &b->scratch);
  scratch_free(&p->memory, &b->saved);
  alloc_resize(&p->memory, b->columns, n * sizeof *b->columns, 0);
  alloc_resize(&p->memory, b->data, n * sizeof *b->data, 0);
}

void plugin_make_bound(plugins_o *p, plugin_t *x) {
  uint32_t count = 0;
  for (const shoal_component *const *c = x->def->components; c && *c; ++c)
    ++count;
  for (const shoal_component *const *c = x->def->uses; c && *c; ++c)
    ++count;
  x->bound = alloc_resize(&p->memory, NULL, 0, count * sizeof *x->bound);
  for (const shoal_component *const *c = x->def->components; c && *c; ++c)
    init_bound(p, &x->bound[x->bound_count++], x, *c, true);
  for (const shoal_component *const *c = x->def->uses; c && *c; ++c)
    init_bound(p, &x->bound[x->bound_count++], x, *c, false);
}

bound_t *plugin_find_component(plugin_t *x, const char *name) {
  shoal_assert(name, "a component without a name");
  plugins_o *p = x->all;
  for (uint32_t i = 0; i < x->found.count; ++i)
    if (strcmp(x->found.items[i]->component->name, name) == 0)
      return x->found.items[i];
  manager_o *m = world_find_manager(p->world, name);
  event_o *ev = m ? NULL : world_find_event(p->world, name);
  if (!m && !ev)
    return NULL;
  const schema_t *s = m ? &m->schema : &ev->schema;
  shoal_component *c = access_describe(&p->memory, s);
  bound_t *b = alloc_resize(&p->memory, NULL, 0, sizeof *b);
  init_bound(p, b, x, c, false);
  b->manager = m;
  b->event = ev;
  array_push(&p->memory, &x->found, b);
  return b;
}

static void free_found(plugins_o *p, bound_t *b) {
  shoal_component *c = (shoal_component *)(uintptr_t)b->component;
  free_bound(p, b);
  access_undescribe(&p->memory, c);
  alloc_resize(&p->memory, b, sizeof *b, 0);
}

void plugin_free_all_bound(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    free_bound(p, &x->bound[i]);
  alloc_resize(&p->memory, x->bound, x->bound_count * sizeof *x->bound, 0);
  for (uint32_t i = 0; i < x->found.count; ++i)
    free_found(p, x->found.items[i]);
  array_free(&p->memory, &x->found);
  x->bound = NULL;
  x->bound_count = 0;
}

// --- columns

bool bound_is_derived(const bound_t *b, uint32_t column) {
  shoal_assert(column < b->component->column_count, "column %u of %s", column, b->component->name);
  return b->manager && b->columns[column] >= b->manager->schema.field_count;
}

uint32_t bound_element_bytes(const bound_t *b, uint32_t column) {
  shoal_assert(b->manager, "%s has no rows", b->component->name);
  return field_size(b->manager->schema.fields[b->columns[column]].type);
}

void bound_note_links(const bound_t *b) {
  for (uint32_t i = 0; b->manager && i < b->component->column_count; ++i)
    if (b->manager->schema.fields[b->columns[i]].type == FIELD_ENTITY)
      *world_links_written(b->plugin->all->world) = 1;
}

void plugin_fill_default(const columns_t *c, uint32_t column, void *to, uint32_t count) {
  shoal_assert(column < c->column_count, "column %u of %u", column, c->column_count);
  columns_t one = *c; // with the memory of somebody else, and without marks
  void *data[SCHEMA_MAX_FIELDS];
  data[column] = to;
  one.data = data;
  columns_fill(&one, column, 0, count, c->initial[column]);
}

// Computes derived columns of all rows.
void bound_refresh(bound_t *b) {
  const manager_o *m = b->manager;
  uint32_t columns = b->component->column_count;
  for (uint32_t i = 0; i < columns; ++i) {
    if (!bound_is_derived(b, i)) {
      b->data[i] = m->data[b->columns[i]];
    } else if (m->count > 0) {
      size_t bytes = (size_t)m->count * bound_element_bytes(b, i);
      b->data[i] = scratch_room(&b->plugin->all->memory, &b->scratch, i, columns, bytes);
      manager_derive(m, b->columns[i], NULL, 0, m->count, b->data[i]);
    }
  }
}
