// Pairs in queued commands: two pairs added in one system get distinct instance names, and a pair just added can be
// written and removed. The index is derived from the queue itself, so it stays correct however commands are queued or
// dropped.
#include "base/assert.h"
#include "ecs/relation.h"
#include "ecs/relation_internal.h"

#include <string.h>

#define INITIAL_HEADS 64u

static uint32_t *get_head(queued_pairs_t *queued, shoal_entity e, uint32_t manager) {
  // Consecutive entities use adjacent slots.
  return &queued->heads[(e + manager * 0x9e3779b1u) & (queued->head_capacity - 1)];
}

static void rebuild_heads(relation_o *r) {
  queued_pairs_t *queued = &r->queued_pairs;
  if (queued->head_capacity < queued->list.count * 2 || queued->head_capacity == 0) {
    uint32_t new_capacity = queued->head_capacity ? queued->head_capacity * 2 : INITIAL_HEADS;
    queued->heads = alloc_resize(&r->world->allocator, queued->heads, queued->head_capacity * sizeof *queued->heads,
                                 new_capacity * sizeof *queued->heads);
    queued->head_capacity = new_capacity;
  }
  memset(queued->heads, 0, queued->head_capacity * sizeof *queued->heads);
  for (uint32_t i = 0; i < queued->list.count; ++i) {
    uint32_t *head = get_head(queued, queued->list.items[i].e, queued->list.items[i].manager);
    queued->list.items[i].previous = *head;
    *head = i + 1;
  }
}

static queued_pair_t *find_pair(queued_pairs_t *queued, shoal_entity e, uint32_t manager, uint32_t instance) {
  for (uint32_t i = queued->head_capacity ? *get_head(queued, e, manager) : 0; i != 0;
       i = queued->list.items[i - 1].previous) {
    queued_pair_t *p = &queued->list.items[i - 1];
    if (p->e == e && p->manager == manager && p->instance == instance)
      return p;
  }
  return NULL;
}

static queued_pair_t *find_or_add_pair(relation_o *r, shoal_entity e, uint32_t manager, uint32_t instance) {
  queued_pairs_t *queued = &r->queued_pairs;
  queued_pair_t *p = find_pair(queued, e, manager, instance);
  if (p)
    return p;
  if (queued->head_capacity < (queued->list.count + 1) * 2)
    rebuild_heads(r);
  queued_pair_t pair = {.e = e, .manager = manager, .instance = instance};
  uint32_t *head = get_head(queued, e, manager);
  pair.previous = *head;
  array_push(&r->world->allocator, &queued->list, pair);
  *head = queued->list.count;
  return &queued->list.items[queued->list.count - 1];
}

static void index_command(relation_o *r, const command_t *c) {
  world_o *w = r->world;
  shoal_assert(c->kind != COMMAND_NONE, "a queued command must have a kind");
  if ((c->kind != COMMAND_ADD && c->kind != COMMAND_SET && c->kind != COMMAND_REMOVE) || c->e == SHOAL_ENTITY_NONE)
    return;
  const manager_o *m = world_manager(w, c->a);
  int32_t column = relation_find_column(w, c->a, NULL);
  if (column < 0 || (c->kind == COMMAND_SET && c->c != (uint32_t)column))
    return;
  if (c->kind == COMMAND_ADD) {
    find_or_add_pair(r, c->e, c->a, c->b)->removed = false;
  } else if (c->kind == COMMAND_SET) {
    queued_pair_t *p = find_or_add_pair(r, c->e, c->a, c->b);
    p->target = (shoal_entity)c->value;
    p->removed = false;
  } else if (c->b != 0 || m->schema.kind != SCHEMA_MANY) {
    queued_pair_t *p = find_or_add_pair(r, c->e, c->a, c->b);
    p->target = SHOAL_ENTITY_NONE;
    p->removed = true;
  } else { // removes all instances
    for (uint32_t i = 0; i < r->queued_pairs.list.count; ++i)
      if (r->queued_pairs.list.items[i].e == c->e && r->queued_pairs.list.items[i].manager == c->a)
        r->queued_pairs.list.items[i].removed = true;
    for (uint32_t row = manager_row(m, c->e); row != ROW_NONE; row = m->next[row])
      find_or_add_pair(r, c->e, c->a, m->instance[row])->removed = true;
  }
}

static void index_pairs(relation_o *r, const command_t *c) {
  for (const uint32_t *words; r->queued_pairs.indexed_words < c->c; r->queued_pairs.indexed_words += 3) {
    words = r->world->lists.items + c->b + r->queued_pairs.indexed_words;
    queued_pair_t *p = find_or_add_pair(r, words[0], c->a, words[1]);
    p->target = words[2];
    p->removed = false;
  }
}

static void clear_index(queued_pairs_t *queued) {
  if (queued->list.count < queued->head_capacity / 8)
    for (uint32_t i = 0; i < queued->list.count; ++i)
      *get_head(queued, queued->list.items[i].e, queued->list.items[i].manager) = 0;
  else if (queued->head_capacity > 0)
    memset(queued->heads, 0, queued->head_capacity * sizeof *queued->heads);
  queued->indexed = queued->indexed_words = queued->list.count = 0;
}

// Indexes the commands queued since the last call. Indexed commands are no longer merged with new commands (as in
// world_estimate_command_work). Only a trailing COMMAND_PAIRS can still grow, because `indexed_words` stores the number
// of its words that are indexed.
static queued_pairs_t *index_new_commands(relation_o *r) {
  queued_pairs_t *queued = &r->queued_pairs;
  world_o *w = r->world;
  uint32_t count = w->commands.count;
  bool may_grow = count > 0 && w->commands.items[count - 1].kind == COMMAND_PAIRS;
  if (queued->queue_version != w->queue_version || queued->indexed > count)
    clear_index(queued);
  queued->queue_version = w->queue_version;
  w->merge_barrier = may_grow && w->merge_barrier < count ? count - 1 : count;
  w->spawn_run.end = 0;
  close_command_lane(w);
  shoal_assert(queued->indexed <= count, "%u commands are indexed, but only %u are queued", queued->indexed, count);
  for (; queued->indexed < count; ++queued->indexed, queued->indexed_words = 0)
    if (w->commands.items[queued->indexed].kind != COMMAND_PAIRS)
      index_command(r, &w->commands.items[queued->indexed]);
    else if (index_pairs(r, &w->commands.items[queued->indexed]), queued->indexed + 1 == count)
      break;
  return queued;
}

uint32_t queued_pair_find(relation_o *r, shoal_entity e, const manager_o *m, shoal_entity target, bool *has_queued) {
  queued_pairs_t *queued = index_new_commands(r);
  *has_queued = false;
  for (uint32_t i = queued->head_capacity ? *get_head(queued, e, m->id) : 0; i != 0;
       i = queued->list.items[i - 1].previous) {
    const queued_pair_t *p = &queued->list.items[i - 1];
    *has_queued |= p->e == e && p->manager == m->id;
    if (p->e == e && p->manager == m->id && !p->removed && p->target == target && target != SHOAL_ENTITY_NONE)
      return p->instance;
  }
  return ROW_NONE;
}

bool queued_pair_is_changed(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance) {
  const queued_pair_t *p = find_pair(index_new_commands(r), e, m->id, instance);
  return p && (p->removed || p->target != SHOAL_ENTITY_NONE);
}

bool queued_pair_exists(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance) {
  return find_pair(index_new_commands(r), e, m->id, instance) != NULL;
}

void queued_pairs_free(relation_o *r) {
  queued_pairs_t *queued = &r->queued_pairs;
  array_free(&r->world->allocator, &queued->list);
  alloc_resize(&r->world->allocator, queued->heads, queued->head_capacity * sizeof *queued->heads, 0);
  queued->heads = NULL;
  queued->head_capacity = 0;
}
