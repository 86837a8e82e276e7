// Pairs in queued commands: two pairs added in one system get distinct instance names, and a pair just added can be
// written and removed. The index is derived from the queue itself, so it stays correct however commands are queued or
// dropped.
#include "base/assert.h"
#include "ecs/relation.h"
#include "ecs/relation_internal.h"

#include <string.h>

#define FIRST_HEADS 64u

static uint32_t *get_head(queued_pairs_t *q, shoal_entity e, uint32_t manager) {
  return &q->heads[(e + manager * 0x9e3779b1u) & (q->head_capacity - 1)]; // consecutive entities use adjacent slots
}

static void rebuild_heads(relation_o *r) {
  queued_pairs_t *q = &r->queued;
  if (q->head_capacity < q->list.count * 2 || q->head_capacity == 0) {
    uint32_t wanted = q->head_capacity ? q->head_capacity * 2 : FIRST_HEADS;
    q->heads =
        alloc_resize(&r->world->allocator, q->heads, q->head_capacity * sizeof *q->heads, wanted * sizeof *q->heads);
    q->head_capacity = wanted;
  }
  memset(q->heads, 0, q->head_capacity * sizeof *q->heads);
  for (uint32_t i = 0; i < q->list.count; ++i) {
    uint32_t *head = get_head(q, q->list.items[i].e, q->list.items[i].manager);
    q->list.items[i].older = *head;
    *head = i + 1;
  }
}

static queued_pair_t *find_pair(queued_pairs_t *q, shoal_entity e, uint32_t manager, uint32_t instance) {
  for (uint32_t i = q->head_capacity ? *get_head(q, e, manager) : 0; i != 0; i = q->list.items[i - 1].older) {
    queued_pair_t *p = &q->list.items[i - 1];
    if (p->e == e && p->manager == manager && p->instance == instance)
      return p;
  }
  return NULL;
}

static queued_pair_t *find_or_add_pair(relation_o *r, shoal_entity e, uint32_t manager, uint32_t instance) {
  queued_pairs_t *q = &r->queued;
  queued_pair_t *p = find_pair(q, e, manager, instance);
  if (p)
    return p;
  if (q->head_capacity < (q->list.count + 1) * 2)
    rebuild_heads(r);
  queued_pair_t made = {.e = e, .manager = manager, .instance = instance};
  uint32_t *head = get_head(q, e, manager);
  made.older = *head;
  array_push(&r->world->allocator, &q->list, made);
  *head = q->list.count;
  return &q->list.items[q->list.count - 1];
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
    find_or_add_pair(r, c->e, c->a, c->b)->gone = false;
  } else if (c->kind == COMMAND_SET) {
    queued_pair_t *p = find_or_add_pair(r, c->e, c->a, c->b);
    p->target = (shoal_entity)c->value;
    p->gone = false;
  } else if (c->b != 0 || m->schema.kind != SCHEMA_MANY) {
    queued_pair_t *p = find_or_add_pair(r, c->e, c->a, c->b);
    p->target = SHOAL_ENTITY_NONE;
    p->gone = true;
  } else { // removes all instances
    for (uint32_t i = 0; i < r->queued.list.count; ++i)
      if (r->queued.list.items[i].e == c->e && r->queued.list.items[i].manager == c->a)
        r->queued.list.items[i].gone = true;
    for (uint32_t row = manager_row(m, c->e); row != ROW_NONE; row = m->next[row])
      find_or_add_pair(r, c->e, c->a, m->instance[row])->gone = true;
  }
}

static void index_pairs(relation_o *r, const command_t *c) {
  for (const uint32_t *three; r->queued.part < c->c; r->queued.part += 3) {
    three = r->world->lists.items + c->b + r->queued.part;
    queued_pair_t *p = find_or_add_pair(r, three[0], c->a, three[1]);
    p->target = three[2];
    p->gone = false;
  }
}

static void clear_index(queued_pairs_t *q) {
  if (q->list.count < q->head_capacity / 8)
    for (uint32_t i = 0; i < q->list.count; ++i)
      *get_head(q, q->list.items[i].e, q->list.items[i].manager) = 0;
  else if (q->head_capacity > 0)
    memset(q->heads, 0, q->head_capacity * sizeof *q->heads);
  q->indexed = q->part = q->list.count = 0;
}

// Indexes the commands queued since the last call. Indexed commands are no longer merged with new ones (as in
// world_estimate_command_work). A trailing COMMAND_PAIRS is the exception: it can still grow, because `part` stores how
// much of it is indexed.
static queued_pairs_t *index_new_commands(relation_o *r) {
  queued_pairs_t *q = &r->queued;
  world_o *w = r->world;
  uint32_t count = w->commands.count;
  bool may_grow = count > 0 && w->commands.items[count - 1].kind == COMMAND_PAIRS;
  if (q->queue != w->queues || q->indexed > count)
    clear_index(q);
  q->queue = w->queues;
  w->parted = may_grow && w->parted < count ? count - 1 : count;
  w->run.end = 0;
  close_command_lane(w);
  shoal_assert(q->indexed <= count, "%u commands are indexed, but only %u are queued", q->indexed, count);
  for (; q->indexed < count; ++q->indexed, q->part = 0)
    if (w->commands.items[q->indexed].kind != COMMAND_PAIRS)
      index_command(r, &w->commands.items[q->indexed]);
    else if (index_pairs(r, &w->commands.items[q->indexed]), q->indexed + 1 == count)
      break;
  return q;
}

uint32_t queued_pair_find(relation_o *r, shoal_entity e, const manager_o *m, shoal_entity target, bool *any) {
  queued_pairs_t *q = index_new_commands(r);
  *any = false;
  for (uint32_t i = q->head_capacity ? *get_head(q, e, m->id) : 0; i != 0; i = q->list.items[i - 1].older) {
    const queued_pair_t *p = &q->list.items[i - 1];
    *any |= p->e == e && p->manager == m->id;
    if (p->e == e && p->manager == m->id && !p->gone && p->target == target && target != SHOAL_ENTITY_NONE)
      return p->instance;
  }
  return ROW_NONE;
}

bool queued_pair_is_changed(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance) {
  const queued_pair_t *p = find_pair(index_new_commands(r), e, m->id, instance);
  return p && (p->gone || p->target != SHOAL_ENTITY_NONE);
}

bool queued_pair_exists(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance) {
  return find_pair(index_new_commands(r), e, m->id, instance) != NULL;
}

void queued_pairs_free(relation_o *r) {
  queued_pairs_t *q = &r->queued;
  array_free(&r->world->allocator, &q->list);
  alloc_resize(&r->world->allocator, q->heads, q->head_capacity * sizeof *q->heads, 0);
  q->heads = NULL;
  q->head_capacity = 0;
}
