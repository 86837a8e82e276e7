// Every structure change is a command. Outside deferral it is queued and applied in the same breath, so that there is
// one path for both. Hooks that ask for changes while commands apply extend the queue.
#include "base/assert.h"
#include "ecs/world_internal.h"

#include <string.h>

// --- the queue

command_t *command_push(world_o *w) {
  array_reserve(&w->allocator, &w->commands, w->commands.count + 1);
  lane_close(w);
  return &w->commands.items[w->commands.count++];
}

uint32_t command_by(const world_o *w) {
  return w->frames.count > 0 ? w->frames.items[w->frames.count - 1].by : w->applying_by;
}

bool world_is_deferring(const world_o *w) {
  return w->frames.count > 0 || w->applying;
}

uint32_t world_command_count(const world_o *w) {
  return w->commands.count;
}

static double work_of(world_o *w, const command_t *c) {
  switch (c->kind) {
  case COMMAND_BLOCK: return spawn_batch_find(w, c->a)->count;
  case COMMAND_EMIT:
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY:
  case COMMAND_TURNS:
  case COMMAND_PAIRS:
  case COMMAND_DESTROY_MANY: return c->c;
  default: return 1;
  }
}

double world_command_work(world_o *w, uint32_t from) {
  double work = 0;
  for (uint32_t i = from; i < w->commands.count; ++i)
    work += work_of(w, &w->commands.items[i]);
  w->run.end = 0;
  w->parted = w->commands.count;
  lane_close(w);
  return work;
}

void command_run_spawn(world_o *w, const command_t *c) {
  structure_spawn(w, c->a, &c->e, 1, NULL);
  if (c->b != 0)
    structure_make_child(w, c->e, c->b, c->c);
}

void command_write(world_o *w, manager_o *m, uint32_t row, uint32_t column, double value) {
  uint8_t links = w->links_written;
  columns_set(&m->columns, row, column, value);
  if (!m->told)
    return;
  if (m->id != w->parent_manager)
    w->links_written = links;
  w->port->written(w->port->context, m, row, column);
}

static void run_set(world_o *w, const command_t *c) {
  manager_o *m = world_manager(w, c->a);
  uint32_t row = manager_instance_row(m, c->e, c->b);
  if (row != ROW_NONE)
    command_write(w, m, row, c->c, c->value);
}

void command_run(world_o *w, const command_t *c) {
  switch (c->kind) {
  case COMMAND_BLOCK: spawn_batch_apply(w, c->a); return;
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY: command_batch_run(w, c); return;
  case COMMAND_TURNS: command_batch_run_turns(w, c); return;
  case COMMAND_PAIRS: w->port->run_pairs(w->port->context, w, c); return;
  case COMMAND_EMIT: event_apply(w, c->a, c->b, c->c); return;
  default: break;
  }
  if (!is_living(w, c->e))
    return; // destroyed by an earlier command
  switch (c->kind) {
  case COMMAND_SPAWN: command_run_spawn(w, c); break;
  case COMMAND_ADD: structure_add(w, c->e, world_manager(w, c->a), c->b, NULL); break;
  case COMMAND_REMOVE: structure_remove(w, c->e, world_manager(w, c->a), c->b); break;
  case COMMAND_SET: run_set(w, c); break;
  case COMMAND_ENTER: structure_enter(w, c->e, c->a); break;
  default: shoal_assert(false, "command of kind %u", c->kind); break;
  }
}

static bool is_destroy(const command_t *c) {
  return c->kind == COMMAND_DESTROY || c->kind == COMMAND_DESTROY_MANY;
}

static uint32_t run_destroys(world_o *w, uint32_t i) {
  for (; i < w->commands.count && is_destroy(&w->commands.items[i]); ++i)
    if (w->commands.items[i].kind == COMMAND_DESTROY)
      structure_join_batch(w, &w->commands.items[i].e, 1, w->commands.items[i].a);
    else
      structure_join_batch(w, w->lists.items + w->commands.items[i].b, w->commands.items[i].c, w->commands.items[i].a);
  structure_destroy_batch(w);
  return i;
}

static void clear_queue(world_o *w) {
  w->commands.count = w->lists.count = w->list_values.count = 0;
  w->lists_deaths = w->entities.deaths;
  event_forget_tickets(w);
  queued_adds_clear(w);
  spawn_batch_free_applied(w);
  for (uint32_t i = 0; i < w->events.count; ++i)
    columns_clear(&w->events.items[i]->staged);
}

void command_apply(world_o *w) {
  shoal_assert(w->frames.count == 0, "commands are applied while they are deferred");
  uint32_t i = 0;
  w->applying = true;
  do {
    while (i < w->commands.count) {
      command_t c = w->commands.items[i]; // a copy: hooks may extend the queue
      i = is_destroy(&c) ? run_destroys(w, i) : i + 1;
      if (!is_destroy(&c))
        command_run(w, &c);
    }
    structure_flush_added(w);
  } while (i < w->commands.count);
  clear_queue(w);
  shoal_assert(w->frames.count == 0, "a hook defers commands and does not end it");
  w->applying = false;
}

// Outside deferral a single change needs no queue, unless its hooks ask for more.
static void end_single(world_o *w) {
  structure_flush_added(w);
  w->applying = false;
  if (w->commands.count > 0)
    command_apply(w);
}

// Field by field: a whole command that was just written piece by piece is slow to copy.
void command_push_plain(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b) {
  command_t *c = command_push(w);
  c->kind = kind;
  c->e = e;
  c->a = a;
  c->b = b;
  c->c = c->d = 0;
  c->value = 0;
}

static void push_and_run(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b) {
  command_push_plain(w, kind, e, a, b);
  if (!world_is_deferring(w))
    command_apply(w);
}

// --- deferral

void world_defer_begin(world_o *w, uint32_t by) {
  lane_close(w);
  defer_frame_t frame = {.by = by, .first_command = w->commands.count};
  array_push(&w->allocator, &w->frames, frame);
}

void command_mark_doomed(world_o *w, const command_t *c, bool on) {
  if (c->kind != COMMAND_DESTROY && c->kind != COMMAND_DESTROY_MANY)
    return;
  const shoal_entity *list = c->kind == COMMAND_DESTROY ? &c->e : w->lists.items + c->b;
  uint32_t count = c->kind == COMMAND_DESTROY ? 1 : c->c;
  for (uint32_t i = 0; i < count; ++i)
    if (is_living(w, list[i]))
      structure_mark(w, &list[i], 1, MARK_DOOMED, on);
}

// Ids go back in the order in which they were given. Then backwards, so that staged events leave from the end of
// their columns.
static void drop_commands(world_o *w, uint32_t first, uint32_t by) {
  shoal_assert(first <= w->commands.count, "%u commands are queued, and there were %u before", w->commands.count,
               first);
  for (uint32_t i = first; i < w->commands.count; ++i) {
    const command_t *c = &w->commands.items[i];
    if (c->kind == COMMAND_SPAWN)
      structure_free(w, c->e, by);
    else if (c->kind == COMMAND_BLOCK)
      spawn_batch_drop(w, spawn_batch_find(w, c->a), by);
    command_mark_doomed(w, c, false);
  }
  for (uint32_t i = w->commands.count; i-- > first;)
    if (w->commands.items[i].kind == COMMAND_EMIT)
      w->events.items[w->commands.items[i].a - 1]->staged.count = w->commands.items[i].b;
  for (uint32_t i = w->commands.count; i-- > first;) {
    const command_t *c = &w->commands.items[i];
    if (c->kind >= COMMAND_DESTROY_MANY)
      w->lists.count = c->b;
    if (c->kind == COMMAND_ADD_MANY)
      w->list_values.count = c->d;
  }
  w->commands.count = first;
  event_forget_tickets(w);
  queued_adds_clear(w);
}

void world_defer_end(world_o *w, bool drop) {
  shoal_assert(w->frames.count > 0, "deferral ends more often than it begins");
  if (w->frames.count == 0)
    return;
  lane_close(w);
  defer_frame_t frame = w->frames.items[w->frames.count - 1];
  if (drop) {
    drop_commands(w, frame.first_command, frame.by);
    spawn_batch_drop_deeper(w, w->frames.count, frame.by);
    redefine_drop(w, w->frames.count);
  }
  w->frames.count--;
  spawn_batch_lift(w, w->frames.count);
  redefine_lift(w, w->frames.count);
  if (world_is_deferring(w))
    return; // an outer frame will apply them, or the loop from which a hook deferred
  uint32_t outer = w->applying_by;
  w->applying_by = frame.by ? frame.by : outer;
  command_apply(w);
  w->applying_by = outer;
  if (w->follows)
    w->redefined_run(w);
}

void world_set_actor(world_o *w, uint32_t by) {
  w->applying_by = by;
}

// --- spawn and destroy

bool command_room(world_o *w, uint64_t wanted, error_t *error) {
  if (wanted <= entities_available(&w->entities))
    return true;
  return error_set(error,
                   "no room for %llu more entities: a world holds %u, %u are alive and %u freed ids wait to be reused",
                   (unsigned long long)wanted, SHOAL_ENTITY_MAX_ALIVE, w->entities.alive_count, w->entities.free_count);
}

void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list) {
  for (uint32_t i = 0; assemblage != 0 && i < assemblage_get(w, assemblage)->children.count; ++i) {
    child_t child = assemblage_get(w, assemblage)->children.items[i];
    command_t c = {.kind = COMMAND_SPAWN, .a = child.assemblage, .b = e, .c = child.name};
    c.e = structure_create(w, child.assemblage);
    shoal_assert(c.e != SHOAL_ENTITY_NONE, "a child has no room, and there was room for the tree");
    if (list == &w->commands)
      *command_push(w) = c;
    else
      array_push(&w->allocator, list, c);
    command_spawn_children(w, c.e, child.assemblage, list);
  }
}

shoal_entity world_spawn(world_o *w, uint32_t assemblage, error_t *error) {
  uint32_t wanted = 1;
  if (assemblage != 0) {
    if (!assemblage_get(w, assemblage)) {
      error_set(error, "there is no assemblage number %u", assemblage);
      return SHOAL_ENTITY_NONE;
    }
    if (!assemblage_plan(w, assemblage, error))
      return SHOAL_ENTITY_NONE;
    wanted = assemblage_get(w, assemblage)->tree_size;
  }
  if (!command_room(w, wanted, error))
    return SHOAL_ENTITY_NONE;
  command_t c = {.kind = COMMAND_SPAWN, .e = structure_create(w, assemblage), .a = assemblage};
  *command_push(w) = c;
  command_spawn_children(w, c.e, assemblage, &w->commands);
  if (!world_is_deferring(w))
    command_apply(w);
  return c.e;
}

uint32_t world_spawn_tree(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t max, error_t *error) {
  shoal_assert(world_is_deferring(w), "world_spawn_tree outside deferral: its commands are gone when it ends");
  uint32_t first = w->commands.count;
  if (world_spawn(w, assemblage, error) == SHOAL_ENTITY_NONE)
    return 0;
  uint32_t made = w->commands.count - first;
  for (uint32_t i = 0; i < made && i < max; ++i)
    out[i] = w->commands.items[first + i].e;
  return made;
}

bool world_alive(const world_o *w, shoal_entity e) {
  return entities_alive(&w->entities, e);
}

bool world_is_doomed(const world_o *w, shoal_entity e) {
  return is_marked(w, e, MARK_DOOMED);
}

bool world_destroy(world_o *w, shoal_entity e) {
  if (!is_living(w, e))
    return false;
  if (w->asking_died) {
    shoal_assert(w->batch.count > 0, "an entity joins a batch of none");
    structure_join_batch(w, &e, 1, pages_get(w->entities.died_by, shoal_entity_index(w->batch.items[0])));
    return true;
  }
  uint8_t *marks = &w->entities.marks[shoal_entity_index(e)];
  if (*marks & MARK_DOOMED)
    return false;
  if (world_is_deferring(w)) {
    *marks |= MARK_DOOMED;
    command_batch_push(w, COMMAND_DESTROY, e, command_by(w), 0);
  } else {
    push_and_run(w, COMMAND_DESTROY, e, command_by(w), 0);
  }
  return true;
}

// --- components

// Dead, or staged by a block that is still open.
static bool untouchable(const world_o *w, shoal_entity e, error_t *error) {
  char label[32];
  bool alive = is_living(w, e);
  if (alive && !is_marked(w, e, MARK_STAGED))
    return false;
  if (e == SHOAL_ENTITY_NONE)
    error_set(error, "no entity");
  else
    error_set(error, alive ? "%s is still being spawned" : "%s is not alive", entity_label(label, e));
  return true;
}

manager_o *command_manager(world_o *w, uint32_t manager, error_t *error) {
  manager_o *m = world_manager(w, manager);
  if (m && m->schema.kind != SCHEMA_SINGLE)
    return m;
  if (m)
    error_set(error, "%s is a single: no entity has it", m->schema.name);
  else
    error_set(error, "there is no component number %u", manager);
  return NULL;
}

// The manager of a component that e may have under this instance; NULL with a message.
static manager_o *check_target(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_t *error) {
  manager_o *m = command_manager(w, manager, error);
  if (!m)
    return NULL;
  if (instance != 0 && m->schema.kind != SCHEMA_MANY)
    error_set(error, "%s has no named instances", m->schema.name);
  else if (!untouchable(w, e, error))
    return m;
  return NULL;
}

bool world_add(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_t *error) {
  manager_o *m = check_target(w, e, manager, instance, error);
  if (!m)
    return false;
  if (world_is_deferring(w)) {
    command_batch_push(w, COMMAND_ADD, e, m->id, instance);
    return true;
  }
  if (structure_is_full(m, e) && manager_instance_row(m, e, instance) == ROW_NONE)
    return error_set(error, "%u instances of %s are the most that an entity has", MANAGER_MOST_INSTANCES,
                     m->schema.name);
  w->applying = true;
  structure_add(w, e, m, instance, NULL);
  end_single(w);
  return true;
}

bool world_remove(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance) {
  manager_o *m = check_target(w, e, manager, instance, NULL);
  if (!m)
    return false;
  bool there = (instance == 0 ? manager_row(m, e) : manager_instance_row(m, e, instance)) != ROW_NONE;
  if (!there && !world_is_pending(w, e, manager))
    return false;
  if (world_is_deferring(w)) {
    command_batch_push(w, COMMAND_REMOVE, e, m->id, instance);
    return true;
  }
  w->applying = true;
  structure_remove(w, e, m, instance);
  end_single(w);
  return true;
}

bool world_set(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column, double value,
               error_t *error) {
  char label[32];
  manager_o *m = check_target(w, e, manager, instance, error);
  if (!m)
    return false;
  if (column >= m->columns.column_count)
    return error_set(error, "%s has no column number %u", m->schema.name, column);
  uint32_t row = manager_instance_row(m, e, instance);
  if (row == ROW_NONE && !world_is_pending(w, e, manager)) {
    const char *name = strings_text(w->strings, instance);
    return error_set(error, "%s has no %s%s%s", entity_label(label, e), m->schema.name, name[0] ? "." : "", name);
  }
  if (!world_is_deferring(w))
    command_write(w, m, row, column, value);
  else
    *command_push(w) =
        (command_t){.kind = COMMAND_SET, .e = e, .a = manager, .b = instance, .c = column, .value = value};
  return true;
}

bool world_enter(world_o *w, shoal_entity e, uint32_t state_name, error_t *error) {
  char label[32];
  if (untouchable(w, e, error))
    return false;
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  uint32_t number = name ? world_find_assemblage(w, name) : 0;
  if (number == 0)
    return error_set(error, "%s has no states: it was not spawned from an assemblage", entity_label(label, e));
  if (!world_assemblage_has_state(w, number, state_name))
    return error_set(error, "%s has no state \"%s\"", strings_text(w->strings, name),
                     strings_text(w->strings, state_name));
  push_and_run(w, COMMAND_ENTER, e, state_name, 0);
  return true;
}

bool world_has(const world_o *w, shoal_entity e, uint32_t manager) {
  if (manager == 0 || manager > w->managers.count || !is_living(w, e))
    return false;
  return manager_row(w->managers.items[manager - 1], e) != ROW_NONE;
}

bool world_disables(const world_o *w, uint32_t instance, const manager_o *m) {
  const char *name = strings_text(w->strings, instance);
  return m != w->disabled && (strcmp(name, m->schema.name) == 0 || strcmp(name, DISABLED_WHOLE) == 0);
}

bool world_is_disabled(const world_o *w, shoal_entity e, uint32_t manager) {
  if (!world_has_disabled(w) || !world_has(w, e, manager))
    return false;
  const manager_o *d = w->disabled;
  uint32_t row = manager_row(d, e);
  while (row != ROW_NONE && !world_disables(w, d->instance[row], w->managers.items[manager - 1]))
    row = d->next[row];
  return row != ROW_NONE;
}
