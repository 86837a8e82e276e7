// Components that queued commands will add. Commands are indexed on the first lookup, because lookups are rare.
#include "ecs/queued_adds.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/command_queue.h"
#include "ecs/queued_entities.h"
#include "ecs/spawn_batch.h"
#include "ecs/world_internal.h"

#include <string.h>

// number of trailing commands to search linearly: most lookups are made right after the command that they look for
#define MAX_RECENT 4u

static uint64_t pending_key(shoal_entity e, uint32_t manager) {
  return (uint64_t)e << 32 | manager;
}

static queued_adds_entry_t *find_pending_slot(const queued_adds_t *table, uint64_t key) {
  shoal_assert(table->count < table->capacity && (table->capacity & (table->capacity - 1)) == 0,
               "%u entries do not fit in a table of capacity %u", table->count, table->capacity);
  uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t index = (uint32_t)(hash >> 32) & (table->capacity - 1);; index = (index + 1) & (table->capacity - 1)) {
    queued_adds_entry_t *entry = &table->entries[index];
    if (entry->stamp != table->stamp || entry->key == key)
      return entry;
  }
}

static uint32_t get_pending_value(const queued_adds_t *table, shoal_entity e, uint32_t manager) {
  if (table->count == 0)
    return 0;
  const queued_adds_entry_t *entry = find_pending_slot(table, pending_key(e, manager));
  return entry->stamp == table->stamp ? entry->value : 0;
}

static void grow_pending_table(world_o *w) {
  queued_adds_t *table = &w->queued_adds, old = *table;
  table->capacity = old.capacity ? old.capacity * 2 : 64;
  table->entries = alloc_resize(&w->allocator, NULL, 0, table->capacity * sizeof *table->entries);
  memset(table->entries, 0, table->capacity * sizeof *table->entries);
  table->stamp = 1;
  for (uint32_t i = 0; i < old.capacity; ++i)
    if (old.entries[i].stamp == old.stamp) {
      queued_adds_entry_t *entry = find_pending_slot(table, old.entries[i].key);
      *entry = old.entries[i];
      entry->stamp = table->stamp;
    }
  alloc_resize(&w->allocator, old.entries, old.capacity * sizeof *old.entries, 0);
}

static void set_pending_value(world_o *w, shoal_entity e, uint32_t manager, uint32_t value) {
  queued_adds_t *table = &w->queued_adds;
  if (table->count * 2 >= table->capacity)
    grow_pending_table(w);
  queued_adds_entry_t *entry = find_pending_slot(table, pending_key(e, manager));
  table->count += entry->stamp != table->stamp;
  *entry = (queued_adds_entry_t){.key = pending_key(e, manager), .stamp = table->stamp, .value = value};
}

void queued_adds_clear(world_o *w) {
  queued_adds_t *table = &w->queued_adds;
  w->queued_adds_indexed = 0;
  queued_entities_clear(w);
  w->queue_version++;
  close_command_lane(w);
  w->spawn_run.end = w->merge_barrier = 0;
  if (table->count == 0)
    return;
  table->count = 0;
  if (++table->stamp == 0) { // the stamps have wrapped around: an entry from 2^32 clears ago must not look current
    if (table->capacity > 0)
      memset(table->entries, 0, table->capacity * sizeof *table->entries);
    table->stamp = 1;
  }
}

// Records the addition of a component and of its required components.
static void index_queued_add(world_o *w, shoal_entity e, uint32_t manager) {
  const requirement_t *requirement = manager <= w->requirements.count ? &w->requirements.items[manager - 1] : NULL;
  set_pending_value(w, e, manager, QUEUED_ADD);
  for (uint32_t i = 0; requirement && i < requirement->required.count; ++i)
    set_pending_value(w, e, requirement->required.items[i], QUEUED_ADD);
}

static void index_queued_removal(world_o *w, shoal_entity e, uint32_t manager) {
  set_pending_value(w, e, manager, get_pending_value(&w->queued_adds, e, manager) | QUEUED_REMOVE);
}

static uint32_t pending_state(const world_o *w, shoal_entity e) {
  uint32_t state = get_pending_value(&w->queued_adds, e, UINT32_MAX);
  return state ? state : w->entities.state[shoal_entity_index(e)];
}

// Records the components that entering a state removes and adds.
static void index_queued_state(world_o *w, shoal_entity e, uint32_t state) {
  assemblage_t *a = assemblage_get(w, world_find_assemblage(w, w->entities.assemblage[shoal_entity_index(e)]));
  template_t *t = a ? assemblage_find_template(a, state) : NULL, *base = a ? &a->templates.items[0] : NULL;
  uint32_t previous_state = pending_state(w, e);
  template_t *previous = t && previous_state != state ? assemblage_find_template(a, previous_state) : NULL;
  for (uint32_t i = 0; previous && i < previous->parts.count; ++i) {
    uint32_t manager = previous->parts.items[i].manager, instance = previous->parts.items[i].instance;
    if (!template_find_part(t, manager, instance) && !template_find_part(base, manager, instance) && instance == 0)
      index_queued_removal(w, e, manager);
  }
  for (uint32_t i = 0; t && i < t->parts.count; ++i)
    index_queued_add(w, e, t->parts.items[i].manager);
  if (t)
    set_pending_value(w, e, UINT32_MAX, state);
}

static void index_list(world_o *w, const command_t *c) {
  for (uint32_t i = 0; i < c->c; ++i) {
    shoal_entity e = w->lists.items[c->b + i];
    command_kind_t kind = c->kind == COMMAND_ALTERNATE  ? alternate_kind(c, i)
                          : c->kind == COMMAND_ADD_MANY ? COMMAND_ADD
                                                        : COMMAND_REMOVE;
    uint32_t manager = c->kind == COMMAND_ALTERNATE ? alternate_manager(c, i) : c->a;
    if (kind == COMMAND_ADD)
      index_queued_add(w, e, manager);
    else
      index_queued_removal(w, e, manager);
  }
}

static void index_command(world_o *w, const command_t *c) {
  if (c->kind == COMMAND_SPAWN) {
    if (c->a != 0)
      set_pending_value(w, c->e, 0, c->a);
    if (c->b != 0 && w->parent_manager)
      index_queued_add(w, c->e, w->parent_manager);
    if (c->b != 0 && w->name_manager)
      index_queued_add(w, c->e, w->name_manager);
  } else if (c->kind == COMMAND_ADD) {
    index_queued_add(w, c->e, c->a);
  } else if (c->kind == COMMAND_REMOVE && c->b == 0) { // a command without an instance removes the whole component
    index_queued_removal(w, c->e, c->a);
  } else if (c->kind == COMMAND_ADD_MANY || c->kind == COMMAND_REMOVE_MANY || c->kind == COMMAND_ALTERNATE) {
    index_list(w, c);
  } else if (c->kind == COMMAND_PAIRS) {
    for (uint32_t i = 0; i < c->c; i += 3)
      index_queued_add(w, w->lists.items[c->b + i], c->a);
  } else if (c->kind == COMMAND_BLOCK) {
    const spawn_batch_t *b = spawn_batch_find(w, c->a); // NULL if the block has been applied
    for (uint32_t i = 0; b && b->assemblage != 0 && i < b->count; ++i)
      set_pending_value(w, b->entities.items[i], 0, b->assemblage);
    for (uint32_t i = 0; b && i < b->descendants.count; ++i)
      index_command(w, &b->descendants.items[i]);
  } else if (c->kind == COMMAND_ENTER) {
    index_queued_state(w, c->e, c->a);
  }
}

void queued_adds_record_spawn(world_o *w, shoal_entity e, uint32_t assemblage) {
  set_pending_value(w, e, 0, assemblage);
}

static void index_new_commands(world_o *w) {
  shoal_assert(w->queued_adds_indexed <= w->commands.count, "%u commands are indexed, but only %u are queued",
               w->queued_adds_indexed, w->commands.count);
  close_command_lane(w);
  for (; w->queued_adds_indexed < w->commands.count; ++w->queued_adds_indexed)
    index_command(w, &w->commands.items[w->queued_adds_indexed]);
}

static bool is_recently_added(const world_o *w, shoal_entity e, uint32_t manager) {
  for (uint32_t i = 0; i < MAX_RECENT && i < w->commands.count; ++i) {
    const command_t *c = &w->commands.items[w->commands.count - 1 - i];
    if (c->kind == COMMAND_ADD && c->e == e && c->a == manager)
      return true;
    if (c->kind == COMMAND_PAIRS && w->lists.items[c->b + c->c - 3] == e && c->a == manager)
      return true;
    for (uint32_t k = 1; c->kind == COMMAND_ALTERNATE && k <= MAX_RECENT && k <= c->c; ++k)
      if (w->lists.items[c->b + c->c - k] == e && alternate_kind(c, c->c - k) == COMMAND_ADD &&
          alternate_manager(c, c->c - k) == manager)
        return true;
  }
  return false;
}

static bool is_spawned_with(const world_o *w, shoal_entity e, uint32_t manager) {
  uint32_t number = get_pending_value(&w->queued_adds, e, 0);
  if (number == 0 || number > w->assemblages.count)
    return false;
  const assemblage_t *a = &w->assemblages.items[number - 1];
  for (uint32_t i = 0; i < a->plan.count; ++i)
    if (a->plan.items[i].manager == manager)
      return true;
  return false;
}

bool world_is_component_pending(const world_o *w, shoal_entity e, uint32_t manager) {
  if (!is_living(w, e))
    return false;
  if (is_recently_added(w, e, manager))
    return true;
  index_new_commands((world_o *)(uintptr_t)w);
  if (manager != 0 && get_pending_value(&w->queued_adds, e, manager) & QUEUED_ADD)
    return true;
  return is_spawned_with(w, e, manager);
}

bool queued_adds_will_have(world_o *w, shoal_entity e, uint32_t manager) {
  bool has_row = manager_row(w->managers.items[manager - 1], e) != ROW_NONE;
  if (w->commands.count == 0)
    return has_row;
  index_new_commands(w);
  uint32_t queued = get_pending_value(&w->queued_adds, e, manager);
  return queued ? !(queued & QUEUED_REMOVE) : has_row || is_spawned_with(w, e, manager);
}

uint32_t queued_adds_state(world_o *w, shoal_entity e) {
  if (w->commands.count > 0)
    index_new_commands(w);
  return pending_state(w, e);
}
