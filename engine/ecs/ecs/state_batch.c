// Applies state changes of many entities that leave the same state, one component at a time: first removes the
// components of the old state from all of them, then adds the components of each new state. The result is the same as
// if the commands were applied one by one, in order.
#include "ecs/state_batch.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/requirements.h"
#include "ecs/structural_changes.h"

#include <string.h>

#define MIN_ENTITIES 8u    // minimum size; smaller batches are applied one entity at a time
#define MAX_ENTITIES 1024u // limit that keeps the data about a batch in the cache
#define MAX_TEMPLATES 8u   // maximum number of different new states
#define MAX_MANAGERS 16u   // maximum number of components that a batch adds or removes

typedef struct state_batch_t {
  world_o *w;
  const command_t *commands;
  uint32_t count;
  assemblage_t *assemblage;
  template_t *left;
  template_t *entered[MAX_TEMPLATES];
  uint32_t entered_count;
  manager_o *managers[MAX_MANAGERS]; // components that the batch adds or removes
  uint32_t manager_count;
} state_batch_t;

static assemblage_t *find_assemblage(world_o *w, shoal_entity e) {
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  assemblage_t *current = assemblage_get(w, world_find_assemblage(w, name));
  return w->content ? w->content->find_assemblage(w, e, current) : current;
}

// Returns true if the command changes the state of an entity that has the batch's assemblage and old state.
static bool is_member(const state_batch_t *b, const command_t *c) {
  const entities_t *entities = &b->w->entities;
  uint32_t i = shoal_entity_index(c->e), first = shoal_entity_index(b->commands[0].e);
  return c->kind == COMMAND_ENTER && is_living(b->w, c->e) && !is_marked(b->w, c->e, MARK_LISTED) &&
         entities->assemblage[i] == entities->assemblage[first] && entities->state[i] == entities->state[first] &&
         entities->state[i] != c->a && find_assemblage(b->w, c->e) == b->assemblage;
}

// Returns the number of leading commands whose entities are distinct members.
static uint32_t count_members(const state_batch_t *b, uint32_t available) {
  uint32_t count = 0;
  for (; count < available && is_member(b, &b->commands[count]); ++count)
    structure_set_marks(b->w, &b->commands[count].e, 1, MARK_LISTED, true);
  for (uint32_t i = 0; i < count; ++i)
    structure_set_marks(b->w, &b->commands[i].e, 1, MARK_LISTED, false);
  return count;
}

// Returns true if no query uses both components.
static bool are_used_separately(const manager_o *a, const manager_o *b) {
  for (uint32_t i = 0; i < a->query_count; ++i)
    for (uint32_t k = 0; k < a->queries[i].query->term_count; ++k)
      if (a->queries[i].query->terms[k].manager == b)
        return false;
  return true;
}

// Adds the components of a state to the batch's managers. Returns true on success, or false if a component cannot be
// changed for all entities in one step: it must be a plain component of this state only, without hooks, requirements
// or retained values, and no query may use two of the batch's components.
static bool add_managers(state_batch_t *b, template_t *t) {
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const part_t *p = &t->parts.items[i];
    manager_o *m = world_manager(b->w, p->manager);
    bool is_plain = m->schema.kind == SCHEMA_COMPONENT && !m->hooks.added && !m->hooks.removing &&
                    p->retained_manager == 0 && !requirements_apply_to(b->w, m) &&
                    !template_find_part(&b->assemblage->templates.items[0], p->manager, p->instance);
    if (!is_plain || b->manager_count == MAX_MANAGERS)
      return false;
    for (uint32_t k = 0; k < b->manager_count; ++k)
      if (b->managers[k] == m || !are_used_separately(m, b->managers[k]))
        return false;
    b->managers[b->manager_count++] = m;
  }
  return true;
}

static bool has_template(const state_batch_t *b, const template_t *t) {
  for (uint32_t i = 0; i < b->entered_count; ++i)
    if (b->entered[i] == t)
      return true;
  return false;
}

// Returns true if the entity has none of the state's components, so that all of them are added.
static bool lacks_components(world_o *w, shoal_entity e, const template_t *t) {
  for (uint32_t i = 0; i < t->parts.count; ++i)
    if (manager_row(world_manager(w, t->parts.items[i].manager), e) != ROW_NONE)
      return false;
  return true;
}

// Lists the batch's states and components. Returns true, or false if the commands must be applied one by one.
static bool plan_batch(state_batch_t *b) {
  uint32_t state = b->w->entities.state[shoal_entity_index(b->commands[0].e)];
  b->left = state ? assemblage_find_template(b->assemblage, state) : NULL;
  // A pending `added` hook could queue commands, which could move the array of commands.
  if (b->count < MIN_ENTITIES || b->w->has_pending_added || world_has_disabled(b->w) ||
      (b->left && !add_managers(b, b->left)))
    return false;
  template_t *t = NULL;
  for (uint32_t i = 0; i < b->count; ++i) {
    const command_t *c = &b->commands[i];
    t = t && t->state == c->a ? t : assemblage_find_template(b->assemblage, c->a);
    if (!t || !lacks_components(b->w, c->e, t))
      return false;
    if (has_template(b, t))
      continue;
    if (b->entered_count == MAX_TEMPLATES || !add_managers(b, t))
      return false;
    b->entered[b->entered_count++] = t;
  }
  return true;
}

// Stores the entities that enter `state` in `list` (`state` 0: all entities) and returns their number. Called before
// each change, because changes overwrite the list.
static uint32_t list_entities(const state_batch_t *b, uint32_t state, shoal_entity *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < b->count; ++i)
    if (state == 0 || b->commands[i].a == state)
      list[count++] = b->commands[i].e;
  return count;
}

static void apply_batch(const state_batch_t *b) {
  world_o *w = b->w;
  shoal_entity list[MAX_ENTITIES];
  for (uint32_t i = 0; b->left && i < b->left->parts.count; ++i)
    structure_remove_part_from_many(w, world_manager(w, b->left->parts.items[i].manager), list,
                                    list_entities(b, 0, list));
  for (uint32_t i = 0; i < b->entered_count; ++i)
    for (uint32_t k = 0; k < b->entered[i]->parts.count; ++k) {
      const part_t *p = &b->entered[i]->parts.items[k];
      structure_add_component_to_many(w, world_manager(w, p->manager), list,
                                      list_entities(b, b->entered[i]->state, list), p->values);
    }
  for (uint32_t i = 0; i < b->count; ++i)
    w->entities.state[shoal_entity_index(b->commands[i].e)] = b->commands[i].a;
  last_values_end_operation(w); // `leave` reads the last values of all components of the state
}

uint32_t state_batch_run(world_o *w, uint32_t first) {
  state_batch_t b = {.w = w, .commands = w->commands.items + first};
  uint32_t available = w->commands.count - first;
  shoal_assert(b.commands[0].kind == COMMAND_ENTER, "command %u does not change a state", first);
  if (is_living(w, b.commands[0].e))
    b.assemblage = find_assemblage(w, b.commands[0].e);
  if (b.assemblage)
    b.count = count_members(&b, available < MAX_ENTITIES ? available : MAX_ENTITIES);
  if (b.count > 0 && plan_batch(&b)) {
    apply_batch(&b);
    return b.count;
  }
  uint32_t count = b.count > 0 ? b.count : 1;
  for (uint32_t i = first; i < first + count; ++i) {
    command_t c = w->commands.items[i]; // a copy, because hooks may extend the queue
    if (is_living(w, c.e))
      structure_enter_state(w, c.e, c.a);
  }
  return count;
}
