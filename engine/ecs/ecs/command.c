// Requests structural changes. Each request is a command: queued while changes are deferred, applied immediately
// otherwise. Changes that hooks request while commands are applied are appended to the queue.
#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/cascade.h"
#include "ecs/command_apply.h"
#include "ecs/command_batch.h"
#include "ecs/query_internal.h"
#include "ecs/requirements.h"
#include "ecs/state_changes.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

#include <string.h>

static void queue_or_apply_command(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b) {
  command_push_values(w, kind, e, a, b);
  if (!world_is_deferring(w))
    command_apply(w);
}

// --- spawn and destroy

// Adds an entity to the last command, as scripts do (world_lane_t). Returns true on success, or false if the command
// cannot be extended.
static bool join_lane(world_o *w, uint32_t code, shoal_entity e) {
  world_lane_t *lane = &w->lane;
  uint32_t next = lane->next;
  if (next != code || w->lists.count >= w->lists.capacity)
    return false;
  w->lists.items[w->lists.count++] = e;
  ++*lane->joined;
  lane->next = lane->after;
  lane->after = next;
  return true;
}

bool world_destroy_entity(world_o *w, shoal_entity e) {
  if (!is_living(w, e))
    return false;
  if (w->running_died_hooks) {
    structure_add_to_destroy_batch_in_hook(w, e);
    return true;
  }
  uint8_t *marks = &w->entities.marks[shoal_entity_index(e)];
  if (*marks & MARK_DOOMED)
    return false;
  if (world_is_deferring(w)) {
    *marks |= MARK_DOOMED;
    if (!join_lane(w, lane_code(COMMAND_DESTROY, 0), e))
      command_batch_push(w, COMMAND_DESTROY, e, command_actor(w), 0);
  } else {
    queue_or_apply_command(w, COMMAND_DESTROY, e, command_actor(w), 0);
  }
  return true;
}

// Returns true if the deaths of entities may be recorded with an operation number (w->removal).
static bool numbers_removals(const world_o *w) {
  bool numbers = w->has_last_rows || w->last_row_systems.count > 0;
  for (uint32_t i = 0; i < w->events.count && !numbers; ++i) {
    const event_o *event = &w->events.items[i]->shared;
    for (uint32_t c = 0; c < event->schema.field_count && event->columns.count > 0; ++c)
      numbers |= event->schema.fields[c].type == FIELD_ENTITY;
  }
  return numbers;
}

bool world_begin_destroy_batch(world_o *w) {
  bool is_possible =
      !world_is_deferring(w) && !w->running_died_hooks && !cascade_is_declared(w) && !numbers_removals(w);
  for (uint32_t i = 0; is_possible && i < w->managers.count; ++i) {
    const manager_o *m = w->managers.items[i];
    is_possible = m->count == 0 || (!m->hooks.died && !m->hooks.removing);
  }
  if (is_possible) {
    world_defer_begin(w, command_actor(w));
    w->destroys_in_order = true;
  }
  return is_possible;
}

void world_end_destroy_batch(world_o *w) {
  shoal_assert(w->destroys_in_order, "no batch of destroyed entities has begun");
  world_defer_end(w, false);
  w->destroys_in_order = false;
}

// --- components

// Returns true if e is alive and not staged by a block that is still open; otherwise returns false with an error.
static bool check_changeable(const world_o *w, shoal_entity e, error_info_t *error) {
  char label[32];
  bool alive = is_living(w, e);
  if (alive && !is_marked(w, e, MARK_STAGED))
    return true;
  if (e == SHOAL_ENTITY_NONE)
    return error_set(error, "expected an entity, got id 0");
  return error_set(error, alive ? "%s is still being spawned" : "%s is not alive", entity_label(label, e));
}

static manager_o *find_singleton(world_o *w, uint32_t manager) {
  manager_o *m = world_manager(w, manager);
  return m && m->schema.kind == SCHEMA_SINGLE ? m : NULL;
}

static manager_o *check_manager(world_o *w, uint32_t manager, error_info_t *error) {
  manager_o *m = world_manager(w, manager);
  if (m && m->schema.kind != SCHEMA_SINGLE)
    return m;
  if (m)
    error_set(error, "%s is a singleton, which belongs to no entity", m->schema.name);
  else
    error_set(error, "unknown component number %u", manager);
  return NULL;
}

// Returns the manager if e may have this instance of its component; otherwise sets an error and returns NULL.
static manager_o *check_target(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_info_t *error) {
  manager_o *m = check_manager(w, manager, error);
  if (!m)
    return NULL;
  if (instance != 0 && m->schema.kind != SCHEMA_MANY)
    error_set(error, "%s has no named instances", m->schema.name);
  else if (check_changeable(w, e, error))
    return m;
  return NULL;
}

bool world_add_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_info_t *error) {
  manager_o *m = check_target(w, e, manager, instance, error);
  if (!m)
    return false;
  if (world_is_deferring(w)) {
    command_batch_push(w, COMMAND_ADD, e, m->id, instance);
    return true;
  }
  if (structure_has_max_instances(m, e) && manager_find_instance_row(m, e, instance) == ROW_NONE)
    return error_set(error, "too many instances of %s (at most %u per entity)", m->schema.name, MANAGER_MAX_INSTANCES);
  w->applying = true;
  structure_add_component(w, e, m, instance, NULL);
  command_end_single_change(w);
  return true;
}

bool world_remove_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance) {
  manager_o *m = check_target(w, e, manager, instance, NULL);
  if (!m)
    return false;
  bool has_row = (instance == 0 ? manager_row(m, e) : manager_find_instance_row(m, e, instance)) != ROW_NONE;
  if ((!has_row && !world_is_component_pending(w, e, manager)) || !world_check_removal(w, e, manager, NULL))
    return false;
  if (world_is_deferring(w)) {
    command_batch_push(w, COMMAND_REMOVE, e, m->id, instance);
    return true;
  }
  w->applying = true;
  structure_remove_component(w, e, m, instance);
  command_end_single_change(w);
  return true;
}

bool world_set_field(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column, double value,
                     error_info_t *error) {
  char label[32];
  manager_o *singleton = e == SHOAL_ENTITY_NONE && instance == 0 ? find_singleton(w, manager) : NULL;
  manager_o *m = singleton ? singleton : check_target(w, e, manager, instance, error);
  if (!m)
    return false;
  if (column >= m->columns.column_count)
    return error_set(error, "%s has no column %u", m->schema.name, column);
  uint32_t row = singleton ? 0 : manager_find_instance_row(m, e, instance);
  if (row == ROW_NONE && !world_is_component_pending(w, e, manager)) {
    const char *name = strings_text(w->strings, instance);
    return error_set(error, "%s has no %s%s%s", entity_label(label, e), m->schema.name, name[0] ? "." : "", name);
  }
  if (m->hooks.check_value && !m->hooks.check_value(m->hooks.context, w, m, e, column, value, error))
    return false;
  if (!world_is_deferring(w))
    structure_write_field(w, m, row, column, value);
  else
    *command_push(w) =
        (command_t){.kind = COMMAND_SET, .e = e, .a = manager, .b = instance, .c = column, .value = value};
  return true;
}

void world_write_row(world_o *w, manager_o *m, uint32_t row, const void *values, const uint32_t *columns,
                     const uint32_t *offsets, uint32_t count) {
  shoal_assert(!world_is_deferring(w), "cannot write a row of %s while changes are deferred", m->schema.name);
  for (uint32_t i = 0; i < count; ++i)
    if (columns[i] < m->columns.column_count)
      structure_write_element(w, m, row, columns[i], (const char *)values + offsets[i]);
}

bool world_enter_state(world_o *w, shoal_entity e, uint32_t state_name, error_info_t *error) {
  char label[32];
  if (!check_changeable(w, e, error))
    return false;
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  uint32_t number = name ? world_find_assemblage(w, name) : 0;
  if (name != 0 && number == 0)
    return error_set(error, "%s has no states: assemblage %s was removed", entity_label(label, e),
                     strings_text(w->strings, name));
  if (number == 0)
    return error_set(error, "%s has no states: only entities spawned from an assemblage have states",
                     entity_label(label, e));
  if (!world_assemblage_has_state(w, number, state_name))
    return error_set(error, "%s has no state \"%s\"", strings_text(w->strings, name),
                     strings_text(w->strings, state_name));
  if (!requirements_check_state(w, e, state_name, error))
    return false;
  queue_or_apply_command(w, COMMAND_ENTER, e, state_name, 0);
  return true;
}

// Returns true if entering the states cannot fail for any entity of the assemblage with this name.
static bool has_safe_states(world_o *w, uint32_t name, const uint32_t *state_names, uint32_t state_count) {
  assemblage_t *a = assemblage_get(w, world_find_assemblage(w, name));
  bool is_safe = name != 0 && a;
  for (uint32_t i = 0; is_safe && i < state_count; ++i)
    is_safe = assemblage_find_template(a, state_names[i]);
  for (uint32_t i = 1; is_safe && w->requirements.count > 0 && i < a->templates.count; ++i)
    for (uint32_t k = 0; k < a->templates.items[i].parts.count; ++k)
      is_safe &= !world_is_required(w, a->templates.items[i].parts.items[k].manager);
  return is_safe;
}

bool world_can_enter_states(world_o *w, const shoal_entity *entities, uint32_t count, const uint32_t *state_names,
                            uint32_t state_count) {
  enum { CACHED_NAMES = 8 };
  const uint32_t *names = w->entities.assemblage;
  uint32_t safe_names[CACHED_NAMES] = {0}, previous = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t name = names[shoal_entity_index(entities[i])], *cached = &safe_names[name % CACHED_NAMES];
    if (name == previous && name != 0)
      continue;
    if (*cached != name || name == 0)
      if (!has_safe_states(w, name, state_names, state_count))
        return false;
    *cached = previous = name;
  }
  return true;
}

void world_queue_state(world_o *w, shoal_entity e, uint32_t state_name) {
  shoal_assert(world_is_deferring(w), "a state can be queued only while changes are deferred");
  command_push_values(w, COMMAND_ENTER, e, state_name, 0);
}

// --- changes to all entities of a query

// Appends the query's distinct entities to the world's lists. For a removal, lists them from last to first, so that
// each removed row is the last row; destruction always processes entities in that order.
static command_t list_matches(world_o *w, const query_o *q, command_t c) {
  int32_t driver = ((const live_query_t *)q)->driver;
  const query_term_t *t = driver < 0 ? NULL : &q->terms[driver];
  bool reversed = c.kind == COMMAND_REMOVE_MANY;
  c.b = w->lists.count;
  array_reserve(&w->allocator, &w->lists, c.b + q->count);
  shoal_entity *list = w->lists.items + c.b;
  const shoal_entity *entities = q->entities, *end = entities + q->count;
  for (uint32_t i = 0; t && i < q->count; ++i) {
    uint32_t row = reversed ? q->count - 1 - i : i;
    list[c.c] = entities[row];
    c.c += manager_row(t->manager, entities[row]) == t->rows[row];
  }
  for (ptrdiff_t i = 0, count = t || !reversed ? 0 : (ptrdiff_t)q->count; i < count; ++i)
    list[i] = end[-1 - i];
  if (!t && !reversed)
    memcpy(list, entities, q->count * sizeof *list);
  c.c = t ? c.c : q->count;
  if (c.kind == COMMAND_DESTROY_MANY && world_is_deferring(w))
    c.c = structure_mark_unmarked(w, list, c.c, MARK_DOOMED);
  w->lists.count = c.b + c.c;
  return c;
}

// Queues the command for all entities of the query, and applies it if changes are not deferred. Returns the number of
// entities that the command lists.
static uint32_t queue_for_matches(world_o *w, const query_o *q, command_t c) {
  shoal_assert(world_is_deferring(w) || q->open == 0, "cannot change the matches of query %u while it is open", q->id);
  if (q->count == 0)
    return 0;
  c = list_matches(w, q, c);
  if (c.c == 0)
    return 0; // the destruction of all matching entities is already queued
  *command_push(w) = c;
  if (!world_is_deferring(w))
    command_apply(w);
  return c.c;
}

uint32_t world_query_destroy_entities(world_o *w, query_o *q) {
  query_wake(q);
  return queue_for_matches(w, q, (command_t){.kind = COMMAND_DESTROY_MANY, .a = command_actor(w)});
}

bool world_query_add_component(world_o *w, query_o *q, uint32_t manager, const uint32_t *columns, const double *values,
                               uint32_t value_count, error_info_t *error) {
  manager_o *m = check_manager(w, manager, error);
  if (!m)
    return false;
  query_wake(q);
  command_t c = {.kind = COMMAND_ADD_MANY, .a = manager, .d = w->list_values.count, .value = value_count};
  for (uint32_t i = 0; i < value_count; ++i)
    if (columns[i] >= m->columns.column_count)
      return error_set(error, "%s has no column %u", m->schema.name, columns[i]);
  for (uint32_t i = 0; i < value_count && q->count > 0; ++i) {
    list_value_t v = {.column = columns[i], .value = values[i]};
    array_push(&w->allocator, &w->list_values, v);
  }
  queue_for_matches(w, q, c);
  return true;
}

bool world_query_remove_component(world_o *w, query_o *q, uint32_t manager, error_info_t *error) {
  const manager_o *m = check_manager(w, manager, error);
  if (!m)
    return false;
  query_wake(q);
  for (uint32_t i = 0; requirements_apply_to(w, m) && i < q->count; ++i)
    if (!world_check_removal(w, q->entities[i], manager, error))
      return false;
  queue_for_matches(w, q, (command_t){.kind = COMMAND_REMOVE_MANY, .a = manager});
  return true;
}
