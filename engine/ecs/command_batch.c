// Changes of many entities with one command, and commands that follow each other and say the same. What comes out is
// what one command per entity would have made, in the order of the list; only the way there is shorter.
#include "base/assert.h"
#include "ecs/manager_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

#define MIN_ALIKE 8u // commands from which on a list is worth its making

// --- applying

static void set_values(const command_t *c, const world_o *w, const manager_o *m, double *values) {
  shoal_assert(c->d + (uint32_t)c->value <= w->list_values.count, "values %u … %u of %u", c->d,
               c->d + (uint32_t)c->value, w->list_values.count);
  for (uint32_t i = 0; i < m->columns.column_count; ++i)
    values[i] = m->columns.initial[i];
  for (uint32_t i = 0; i < (uint32_t)c->value; ++i)
    values[w->list_values.items[c->d + i].column] = w->list_values.items[c->d + i].value;
}

// Those that have the component already take the values that were given.
static void set_in_place(const world_o *w, const command_t *c, manager_o *m) {
  for (uint32_t i = 0; c->value > 0 && m->count > 0 && i < c->c; ++i) {
    uint32_t row = manager_instance_row(m, w->lists.items[c->b + i], 0);
    for (uint32_t k = 0; row != ROW_NONE && k < (uint32_t)c->value; ++k) {
      list_value_t v = w->list_values.items[c->d + k];
      columns_set(&m->columns, row, (uint32_t)v.column, v.value);
    }
  }
}

// Values that were given come from no template.
static void mark_given(const world_o *w, const command_t *c, manager_o *m) {
  for (uint32_t i = 0; w->tracks_touched && i < c->c; ++i) {
    uint32_t row = manager_instance_row(m, w->lists.items[c->b + i], 0);
    for (uint32_t k = 0; row != ROW_NONE && k < (uint32_t)c->value; ++k)
      columns_touch(&m->columns, (uint32_t)w->list_values.items[c->d + k].column, row, 1);
  }
}

// Those of `many` that are alive, each once.
static void keep_living(world_o *w) {
  w->many.count = structure_mark_new(w, w->many.items, w->many.count, MARK_LISTED);
  structure_mark(w, w->many.items, w->many.count, MARK_LISTED, false);
}

static void run_each(world_o *w, const command_t *c, manager_o *m, const double *values) {
  for (uint32_t i = 0; i < w->many.count; ++i)
    if (c->kind == COMMAND_ADD_MANY)
      structure_add(w, w->many.items[i], m, 0, values);
    else
      structure_remove(w, w->many.items[i], m, 0);
}

void command_batch_run(world_o *w, const command_t *c) {
  shoal_assert(c->b + c->c <= w->lists.count, "entities %u … %u of a list of %u", c->b, c->b + c->c, w->lists.count);
  manager_o *m = world_manager(w, c->a);
  w->spare_uses++;
  double values[SCHEMA_MAX_FIELDS] = {0};
  array_reserve(&w->allocator, &w->many, c->c);
  memcpy(w->many.items, w->lists.items + c->b, c->c * sizeof *w->many.items);
  w->many.count = c->c;
  if (w->lists_deaths != w->entities.deaths)
    keep_living(w);
  if (c->kind == COMMAND_ADD_MANY) {
    set_in_place(w, c, m);
    set_values(c, w, m, values);
  }
  if (m->schema.kind != SCHEMA_COMPONENT)
    run_each(w, c, m, values);
  else if (c->kind == COMMAND_ADD_MANY)
    structure_add_many(w, m, w->many.items, w->many.count, values);
  else
    structure_remove_many(w, m, w->many.items, w->many.count);
  if (c->kind == COMMAND_ADD_MANY)
    mark_given(w, c, m);
}

static bool can_be_many(const world_o *w, const command_t *c) {
  return (c->kind == COMMAND_ADD || c->kind == COMMAND_REMOVE) &&
         w->managers.items[c->a - 1]->schema.kind == SCHEMA_COMPONENT;
}

static bool says_the_same(const command_t *c, const command_t *like) {
  return c->kind == like->kind && c->a == like->a && c->b == like->b;
}

// Where commands stop to say by turns what the `period` ones at `i` say, one or two. Those that they say it of are
// listed: in `many`, and where they are two, in `scratch`.
static uint32_t end_of_turns(world_o *w, uint32_t i, uint32_t period) {
  const command_t *first = w->commands.items + i, *end = w->commands.items + w->commands.count, *c = first;
  uint32_t room = (w->commands.count - i) / period;
  array_reserve(&w->allocator, &w->many, room);
  array_reserve(&w->allocator, &w->scratch, period == 2 ? room : 0);
  shoal_entity *many = w->many.items, *scratch = w->scratch.items;
  for (; end - c >= period && says_the_same(c, first) && (period == 1 || says_the_same(c + 1, first + 1));
       c += period) {
    *many++ = c->e;
    if (period == 2)
      *scratch++ = c[1].e;
  }
  w->many.count = w->scratch.count = (uint32_t)(many - w->many.items);
  return i + (uint32_t)(c - first);
}

// May all changes of a come before those of b? No query may look at both.
static bool is_apart(const manager_o *a, const manager_o *b) {
  if (a == b || a->hooks.added || a->hooks.removing || b->hooks.added || b->hooks.removing)
    return false;
  for (uint32_t i = 0; i < a->query_count; ++i)
    for (uint32_t k = 0; k < a->queries[i]->term_count; ++k)
      if (a->queries[i]->terms[k].manager == b)
        return false;
  return true;
}

// Of the listed entities; one may be there twice, and the second time says nothing new.
static void run_alike(world_o *w, command_t c) {
  manager_o *m = world_manager(w, c.a);
  w->spare_uses++;
  keep_living(w);
  if (c.kind == COMMAND_ADD)
    structure_add_many(w, m, w->many.items, w->many.count, NULL);
  else
    structure_remove_many(w, m, w->many.items, w->many.count);
}

uint32_t command_batch_run_alike(world_o *w, uint32_t i) {
  const command_t *c = &w->commands.items[i];
  if (!can_be_many(w, c))
    return i;
  uint32_t end = end_of_turns(w, i, 1);
  if (end - i >= MIN_ALIKE) {
    run_alike(w, *c);
    return end;
  }
  // A loop that adds one component and removes another says two things by turns.
  if (i + 1 == w->commands.count || !can_be_many(w, c + 1) ||
      !is_apart(world_manager(w, c[0].a), world_manager(w, c[1].a)))
    return i;
  end = end_of_turns(w, i, 2);
  if (end - i < 2 * MIN_ALIKE)
    return i;
  command_t second = c[1];
  run_alike(w, *c);
  array_reserve(&w->allocator, &w->many, w->scratch.count);
  memcpy(w->many.items, w->scratch.items, w->scratch.count * sizeof *w->many.items);
  w->many.count = w->scratch.count;
  run_alike(w, second);
  return end;
}

// --- the public calls

// Appends the query's entities, each once. Those that lose a component go from the last one on, so that they are always
// the last; those that die together leave that way anyhow.
static command_t list_entities(world_o *w, const query_o *q, command_t c) {
  int32_t driver = ((const live_query_t *)q)->driver;
  const query_term_t *t = driver < 0 ? NULL : &q->terms[driver];
  bool backwards = c.kind == COMMAND_REMOVE_MANY;
  c.b = w->lists.count;
  if (c.b == 0)
    w->lists_deaths = w->entities.deaths;
  array_reserve(&w->allocator, &w->lists, c.b + q->count);
  shoal_entity *list = w->lists.items + c.b;
  for (uint32_t i = 0; t && i < q->count; ++i) {
    uint32_t at = backwards ? q->count - 1 - i : i;
    list[c.c] = q->entities[at];
    c.c += manager_row(t->manager, q->entities[at]) == t->rows[at];
  }
  for (uint32_t i = 0; !t && i < q->count; ++i)
    list[i] = q->entities[backwards ? q->count - 1 - i : i];
  c.c = t ? c.c : q->count;
  if (c.kind == COMMAND_DESTROY_MANY && world_is_deferring(w))
    c.c = structure_mark_new(w, list, c.c, MARK_DOOMED);
  w->lists.count = c.b + c.c;
  return c;
}

// A query that sleeps since a snapshot was restored says what it matches now.
static void wake(query_o *q) {
  if (((live_query_t *)q)->asleep)
    query_wake(q);
}

// → how many entities it concerns.
static uint32_t issue(world_o *w, const query_o *q, command_t c) {
  shoal_assert(world_is_deferring(w) || q->open == 0, "query %u is open, and what it matches changes at once", q->id);
  if (q->count == 0)
    return 0;
  c = list_entities(w, q, c);
  if (c.c == 0)
    return 0; // all of them are doomed
  *command_push(w) = c;
  if (!world_is_deferring(w))
    command_apply(w);
  return c.c;
}

uint32_t world_query_destroy(world_o *w, query_o *q) {
  wake(q);
  return issue(w, q, (command_t){.kind = COMMAND_DESTROY_MANY, .a = command_by(w)});
}

static manager_o *check_manager(world_o *w, uint32_t manager, error_t *error) {
  manager_o *m = world_manager(w, manager);
  if (!m)
    error_set(error, "there is no component number %u", manager);
  else if (m->schema.kind == SCHEMA_SINGLE)
    error_set(error, "%s is a single: no entity has it", m->schema.name);
  else
    return m;
  return NULL;
}

bool world_query_add(world_o *w, query_o *q, uint32_t manager, const uint32_t *columns, const double *values,
                     uint32_t value_count, error_t *error) {
  manager_o *m = check_manager(w, manager, error);
  if (!m)
    return false;
  wake(q);
  command_t c = {.kind = COMMAND_ADD_MANY, .a = manager, .d = w->list_values.count, .value = value_count};
  for (uint32_t i = 0; i < value_count; ++i)
    if (columns[i] >= m->columns.column_count)
      return error_set(error, "%s has no column number %u", m->schema.name, columns[i]);
  for (uint32_t i = 0; i < value_count && q->count > 0; ++i) {
    list_value_t v = {.column = columns[i], .value = values[i]};
    array_push(&w->allocator, &w->list_values, v);
  }
  issue(w, q, c);
  return true;
}

bool world_query_remove(world_o *w, query_o *q, uint32_t manager, error_t *error) {
  if (!check_manager(w, manager, error))
    return false;
  wake(q);
  issue(w, q, (command_t){.kind = COMMAND_REMOVE_MANY, .a = manager});
  return true;
}
