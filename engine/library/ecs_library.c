// <shoal/ecs.h> over the rooms schema and ecs alone: a library of its own, so nothing here knows the rest.
#include "base/array.h"
#include "base/assert.h"
#include "ecs/world.h"
#include "shoal/ecs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct part_t { // a template has this component
  uint32_t template_number, component;
} part_t;

struct shoal_ecs {
  world_o *world; // NULL: it is gone. This struct is never given back, so that it is known as such
  pthread_t thread;
  uint32_t open;      // loops
  uint32_t templates; // numbers 1 … templates
  ARRAY(part_t) parts;
  allocator_t memory; // of the parts
  shoal_ecs *next;
};

static _Thread_local error_t last;
static _Atomic(shoal_ecs *) made;

const char *shoal_ecs_error(void) {
  return last.text;
}

static bool is_known(const shoal_ecs *w) {
  const shoal_ecs *x = atomic_load(&made);
  while (x && x != w)
    x = x->next;
  return x != NULL;
}

static bool may_call(const shoal_ecs *w, const char *function) {
  last.text[0] = '\0';
  if (!w || !is_known(w))
    return error_set(&last, "%s: %s", function,
                     w ? "this is no world that shoal_ecs_create has made" : "there is no world");
  if (!w->world)
    return error_set(&last, "%s: the world is gone: shoal_ecs_destroy was called before", function);
  return pthread_equal(w->thread, pthread_self()) ||
         error_set(&last, "%s: it is called on another thread than the one that created the world", function);
}

shoal_ecs *shoal_ecs_create(void) {
  shoal_ecs *w = calloc(1, sizeof *w);
  last.text[0] = '\0';
  if (!w)
    return error_set(&last, "shoal_ecs_create: there is no memory"), NULL;
  w->world = world_create(&(world_desc_t){.seed = 1});
  w->thread = pthread_self();
  w->next = atomic_load(&made);
  while (!atomic_compare_exchange_weak(&made, &w->next, w))
    ;
  return w;
}

void shoal_ecs_destroy(shoal_ecs *w) {
  static const char function[] = "shoal_ecs_destroy";
  last.text[0] = '\0';
  if (!w || !may_call(w, function))
    return;
  if (w->open > 0) {
    error_set(&last, "%s: a loop is open: shoal_ecs_end comes first", function);
    return;
  }
  world_destroy_all(w->world);
  array_free(&w->memory, &w->parts);
  w->world = NULL;
}

// ------------------------------------------------------------------------------------------------------- declarations

static bool is_declarable(const shoal_ecs *w, const shoal_component *c, const char *function) {
  if (!c || !c->name)
    return error_set(&last, "%s: it needs what SHOAL_COMPONENT has made", function);
  if (c->kind != SHOAL_KIND_COMPONENT && c->kind != SHOAL_KIND_SINGLE)
    return error_set(&last, "%s: %s is neither a component nor a single, and a world of this kind has no others",
                     function, c->name);
  if (c->manager)
    return error_set(&last, "%s: %s has storage of its own, which a plugin can have and this world cannot", function,
                     c->name);
  return w->open == 0 || error_set(&last, "%s: a loop is open: declare %s before or behind it", function, c->name);
}

uint32_t shoal_ecs_declare(shoal_ecs *w, const shoal_component *c) {
  static const char function[] = "shoal_ecs_declare";
  error_t error = {0};
  if (!may_call(w, function) || !is_declarable(w, c, function))
    return 0;
  uint32_t id = world_declare_desc(w->world, &(schema_desc_t){.component = c, .origin = "C"}, &error);
  if (!id)
    error_set(&last, "%s: %.900s", function, error.text);
  return id;
}

uint32_t shoal_ecs_component(shoal_ecs *w, const char *name) {
  if (!may_call(w, "shoal_ecs_component"))
    return 0;
  const manager_o *m = name ? world_find_manager(w->world, name) : NULL;
  if (!m)
    error_set(&last, "shoal_ecs_component: there is no component “%.64s”", name ? name : "");
  return m ? m->id : 0;
}

static manager_o *find(const shoal_ecs *w, uint32_t component, const char *function) {
  manager_o *m =
      component > 0 && component <= world_manager_count(w->world) ? world_manager(w->world, component) : NULL;
  if (!m)
    error_set(&last, "%s: there is no component number %u", function, component);
  return m;
}

static manager_o *find_component(const shoal_ecs *w, uint32_t component, const char *function) {
  manager_o *m = find(w, component, function);
  if (m && m->schema.kind == SCHEMA_SINGLE)
    return error_set(&last, "%s: %s is a single, which no entity has", function, m->schema.name), NULL;
  return m;
}

static bool has_column(const manager_o *m, uint32_t column, const char *function) {
  return column < m->schema.field_count || error_set(&last, "%s: %s has %u columns, and none with the number %u",
                                                     function, m->schema.name, m->schema.field_count, column);
}

uint32_t shoal_ecs_template(shoal_ecs *w, const char *name, const uint32_t *components, uint32_t count) {
  static const char function[] = "shoal_ecs_template";
  if (!may_call(w, function))
    return 0;
  if (!name || !name[0] || (count > 0 && !components))
    return error_set(&last, "%s: it needs a name and components", function), 0;
  for (uint32_t i = 0; i < count; ++i)
    if (!find_component(w, components[i], function))
      return 0;
  uint32_t text = strings_intern(world_strings(w->world), name);
  if (world_find_assemblage(w->world, text))
    return error_set(&last, "%s: there is a template “%.64s” already", function, name), 0;
  strings_keep(world_strings(w->world), text);
  uint32_t number = world_assemblage_declare(w->world, text);
  for (uint32_t i = 0; i < count; ++i) {
    part_t part = {number, components[i]};
    world_assemblage_add(w->world, number, 0, components[i], 0);
    array_push(&w->memory, &w->parts, part);
  }
  shoal_assert(number == w->templates + 1, "template %u comes behind number %u", number, w->templates);
  w->templates = number;
  return number;
}

static bool is_template(const shoal_ecs *w, uint32_t number, const char *function) {
  return number <= w->templates || error_set(&last, "%s: there is no template number %u", function, number);
}

bool shoal_ecs_template_set(shoal_ecs *w, uint32_t number, uint32_t component, uint32_t column, double value) {
  static const char function[] = "shoal_ecs_template_set";
  manager_o *m = may_call(w, function) ? find_component(w, component, function) : NULL;
  if (!m || !is_template(w, number, function) || !has_column(m, column, function))
    return false;
  for (uint32_t i = 0; i < w->parts.count; ++i)
    if (w->parts.items[i].template_number == number && w->parts.items[i].component == component) {
      world_assemblage_set(w->world, number, 0, component, 0, column, value);
      return true;
    }
  return error_set(&last, "%s: template number %u has no %s", function, number, m->schema.name);
}

// ----------------------------------------------------------------------------------------------------------- entities

uint32_t shoal_ecs_spawn_many(shoal_ecs *w, uint32_t number, uint32_t count, shoal_entity *out) {
  static const char function[] = "shoal_ecs_spawn_many";
  error_t error = {0};
  if (!may_call(w, function) || !is_template(w, number, function) || count == 0)
    return 0;
  uint32_t there = world_spawn_many(w->world, number, count, out, &error);
  if (!there)
    error_set(&last, "%s: %.900s", function, error.text);
  return there;
}

shoal_entity shoal_ecs_spawn(shoal_ecs *w, uint32_t number) {
  static const char function[] = "shoal_ecs_spawn";
  error_t error = {0};
  if (!may_call(w, function) || !is_template(w, number, function))
    return SHOAL_ENTITY_NONE;
  shoal_entity e = world_spawn(w->world, number, &error);
  if (!e)
    error_set(&last, "%s: %.900s", function, error.text);
  return e;
}

static bool is_alive(const shoal_ecs *w, shoal_entity e, const char *function) {
  return world_alive(w->world, e) || error_set(&last, "%s: entity %u is not alive", function, e);
}

bool shoal_ecs_kill(shoal_ecs *w, shoal_entity e) {
  static const char function[] = "shoal_ecs_kill";
  return may_call(w, function) && is_alive(w, e, function) &&
         (world_destroy(w->world, e) || error_set(&last, "%s: entity %u is killed already", function, e));
}

bool shoal_ecs_is_alive(shoal_ecs *w, shoal_entity e) {
  return may_call(w, "shoal_ecs_is_alive") && world_alive(w->world, e);
}

uint32_t shoal_ecs_count(shoal_ecs *w) {
  return may_call(w, "shoal_ecs_count") ? world_entities(w->world)->alive_count : 0;
}

bool shoal_ecs_add(shoal_ecs *w, shoal_entity e, uint32_t component) {
  static const char function[] = "shoal_ecs_add";
  error_t error = {0};
  if (!may_call(w, function) || !find_component(w, component, function) || !is_alive(w, e, function))
    return false;
  return world_add(w->world, e, component, 0, &error) || error_set(&last, "%s: %.900s", function, error.text);
}

bool shoal_ecs_remove(shoal_ecs *w, shoal_entity e, uint32_t component) {
  static const char function[] = "shoal_ecs_remove";
  manager_o *m = may_call(w, function) ? find_component(w, component, function) : NULL;
  if (!m || !is_alive(w, e, function))
    return false;
  return world_remove(w->world, e, component, 0) ||
         error_set(&last, "%s: entity %u has no %s", function, e, m->schema.name);
}

bool shoal_ecs_has(shoal_ecs *w, shoal_entity e, uint32_t component) {
  static const char function[] = "shoal_ecs_has";
  return may_call(w, function) && find_component(w, component, function) && world_has(w->world, e, component);
}

// The row of e, or of a single; ROW_NONE with the sentence set.
static uint32_t find_row(const shoal_ecs *w, const manager_o *m, shoal_entity e, const char *function) {
  if (m->schema.kind == SCHEMA_SINGLE)
    return e == SHOAL_ENTITY_NONE
               ? 0
               : (error_set(&last, "%s: %s is a single: its entity is 0", function, m->schema.name), ROW_NONE);
  uint32_t row = is_alive(w, e, function) ? manager_row(m, e) : ROW_NONE;
  if (row == ROW_NONE && !last.text[0])
    error_set(&last, "%s: entity %u has no %s", function, e, m->schema.name);
  return row;
}

bool shoal_ecs_set(shoal_ecs *w, shoal_entity e, uint32_t component, uint32_t column, double value) {
  static const char function[] = "shoal_ecs_set";
  error_t error = {0};
  manager_o *m = may_call(w, function) ? find(w, component, function) : NULL;
  if (!m || !has_column(m, column, function))
    return false;
  if (m->schema.kind == SCHEMA_SINGLE) {
    if (find_row(w, m, e, function) == ROW_NONE)
      return false;
    columns_set(&m->columns, 0, column, value);
    return true;
  }
  if (!is_alive(w, e, function))
    return false;
  return world_set(w->world, e, component, 0, column, value, &error) ||
         error_set(&last, "%s: %.900s", function, error.text);
}

bool shoal_ecs_get(shoal_ecs *w, shoal_entity e, uint32_t component, uint32_t column, double *value) {
  static const char function[] = "shoal_ecs_get";
  manager_o *m = may_call(w, function) ? find(w, component, function) : NULL;
  if (!m || !has_column(m, column, function))
    return false;
  if (!value)
    return error_set(&last, "%s: it needs a place for the value", function);
  uint32_t row = find_row(w, m, e, function);
  if (row != ROW_NONE)
    *value = columns_get(&m->columns, row, column);
  return row != ROW_NONE;
}

uint32_t shoal_ecs_text_number(shoal_ecs *w, const char *text) {
  return may_call(w, "shoal_ecs_text_number") && text ? strings_intern(world_strings(w->world), text) : 0;
}

const char *shoal_ecs_text(shoal_ecs *w, uint32_t number) {
  return may_call(w, "shoal_ecs_text") ? strings_text(world_strings(w->world), number) : "";
}

// ------------------------------------------------------------------------------------------------------------ queries

static bool add_terms(const shoal_ecs *w, query_desc_t *desc, const uint32_t *components, query_role_t role,
                      const char *function) {
  shoal_assert(desc->term_count <= QUERY_MAX_TERMS, "%u terms of a query", desc->term_count);
  for (uint32_t i = 0; i < SHOAL_ECS_MOST_TERMS && components[i] != 0; ++i) {
    if (!find(w, components[i], function))
      return false;
    if (desc->term_count == QUERY_MAX_TERMS)
      return error_set(&last, "%s: more than %d components in one query", function, QUERY_MAX_TERMS);
    desc->terms[desc->term_count++] = (query_term_desc_t){components[i], role};
  }
  return true;
}

uint32_t shoal_ecs_query(shoal_ecs *w, const shoal_ecs_terms *terms) {
  static const char function[] = "shoal_ecs_query";
  error_t error = {0};
  query_desc_t desc = {.term_count = 0};
  if (!may_call(w, function) || !(terms || error_set(&last, "%s: it needs components", function)))
    return 0;
  if (!add_terms(w, &desc, terms->with, QUERY_WITH, function) ||
      !add_terms(w, &desc, terms->without, QUERY_WITHOUT, function) ||
      !add_terms(w, &desc, terms->optional, QUERY_OPTIONAL, function))
    return 0;
  query_o *q = world_query(w->world, &desc, &error);
  if (!q)
    error_set(&last, "%s: %.900s", function, error.text);
  return q ? q->id : 0;
}

static query_o *find_query(const shoal_ecs *w, uint32_t query, const char *function) {
  query_o *q = query > 0 && query <= world_query_count(w->world) ? world_query_by_id(w->world, query) : NULL;
  if (!q)
    error_set(&last, "%s: there is no query number %u", function, query);
  return q;
}

bool shoal_ecs_group(shoal_ecs *w, uint32_t query) {
  static const char function[] = "shoal_ecs_group";
  error_t error = {0};
  query_o *q = may_call(w, function) ? find_query(w, query, function) : NULL;
  if (!q || (w->open > 0 && !error_set(&last, "%s: a loop is open", function)))
    return false;
  return world_group(w->world, q, &error) || error_set(&last, "%s: %.900s", function, error.text);
}

bool shoal_ecs_begin(shoal_ecs *w, uint32_t query, shoal_ecs_view *view) {
  static const char function[] = "shoal_ecs_begin";
  if (view)
    *view = (shoal_ecs_view){.count = 0};
  query_o *q = may_call(w, function) ? find_query(w, query, function) : NULL;
  if (!q || !(view || error_set(&last, "%s: it needs a view to fill", function)))
    return false;
  if (w->open++ == 0)
    world_defer_begin(w->world, 0);
  query_open(q);
  *view = (shoal_ecs_view){.count = q->count, .entities = q->entities, .inside = q};
  return true;
}

shoal_ecs_column shoal_ecs_view_column(const shoal_ecs_view *view, uint32_t component, uint32_t column) {
  const query_o *q = view ? view->inside : NULL;
  for (uint32_t i = 0; q && q->open > 0 && i < q->term_count; ++i) {
    const query_term_t *t = &q->terms[i];
    if (t->manager->id == component && column < t->view_count)
      return (shoal_ecs_column){.data = t->views[column].data,
                                .rows = t->views[column].rows,
                                .element_bytes = field_size(t->manager->schema.fields[column].type)};
  }
  return (shoal_ecs_column){.data = NULL};
}

bool shoal_ecs_end(shoal_ecs *w, uint32_t query) {
  static const char function[] = "shoal_ecs_end";
  query_o *q = may_call(w, function) ? find_query(w, query, function) : NULL;
  if (!q || (q->open == 0 && !error_set(&last, "%s: no loop over query number %u is open", function, query)))
    return false;
  shoal_assert(w->open > 0 && world_is_deferring(w->world), "query %u is open, and no loop is", query);
  query_close(q);
  if (--w->open == 0)
    world_defer_end(w->world, false);
  return true;
}
