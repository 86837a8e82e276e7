// Records the deaths of entities that pending events name. `named` lists the living entities that events name, so that
// the cost of a death does not depend on the number of events. Each event is read at most twice: at the first batch of
// deaths in the tick that emitted it, and at the first batch of deaths in the next tick.
#include "ecs/event_deaths.h"

#include "base/assert.h"
#include "ecs/index.h"
#include "ecs/world_internal.h"

static uint64_t get_event_bit(uint32_t event) {
  shoal_assert(event > 0, "event number must not be 0");
  return UINT64_C(1) << (event - 1) % EVENT_DEATHS_GROUP;
}

static uint32_t get_event_group(uint32_t event) {
  return (event - 1) / EVENT_DEATHS_GROUP;
}

// --- entities that events name

static void record_named_entity(world_o *w, shoal_entity e, uint32_t event, bool is_new) {
  event_deaths_t *d = &w->event_deaths;
  uint32_t group = get_event_group(event), previous = 0;
  if (!is_living(w, e))
    return;
  uint32_t *slot = index_slot(&d->named_pages, &d->named_page_count, e, &w->allocator);
  uint32_t number = *slot;
  for (; number != 0 && d->named.items[number - 1].group < group; number = d->named.items[number - 1].next)
    previous = number;
  if (number == 0 || d->named.items[number - 1].group != group) {
    event_named_t entry = {.entity = e, .group = group, .next = number};
    array_push(&w->allocator, &d->named, entry);
    number = d->named.count;
    *(previous ? &d->named.items[previous - 1].next : slot) = number;
  }
  d->named.items[number - 1].events |= get_event_bit(event);
  d->named.items[number - 1].is_new |= is_new;
}

// Reads the rows emitted since the last call. An entity's index is not reused while a row that names it is pending, so
// entries of `named` remain valid until the end of the tick.
static void record_named_entities(world_o *w) {
  for (uint32_t i = 0; i < w->events.count; ++i) {
    live_event_t *ev = w->events.items[i];
    const event_o *e = &ev->shared;
    uint64_t end = e->first + e->columns.count, unread = ev->unread_row > e->first ? ev->unread_row : e->first;
    uint32_t start = unread < end ? (uint32_t)(unread - e->first) : e->columns.count;
    uint32_t old_rows = (uint32_t)(e->tick_start - e->first);
    for (uint32_t c = 0; c < e->schema.field_count && start < e->columns.count; ++c)
      for (uint32_t row = start; e->schema.fields[c].type == FIELD_ENTITY && row < e->columns.count; ++row)
        record_named_entity(w, ((const shoal_entity *)e->columns.data[c])[row], e->id, row >= old_rows);
    ev->unread_row = end;
  }
}

static void clear_named_entities(world_o *w) {
  event_deaths_t *d = &w->event_deaths;
  for (uint32_t i = 0; i < d->named.count; ++i)
    *index_slot(&d->named_pages, &d->named_page_count, d->named.items[i].entity, &w->allocator) = 0;
  d->named.count = 0;
  for (uint32_t i = 0; i < w->events.count; ++i)
    w->events.items[i]->unread_row = 0;
}

// --- deaths

static void add_death(world_o *w, event_death_t death) {
  event_deaths_t *d = &w->event_deaths;
  array_push(&w->allocator, &d->deaths, death);
  *index_slot(&d->death_pages, &d->death_page_count, death.entity, &w->allocator) = d->deaths.count;
}

void event_deaths_record(world_o *w) {
  event_deaths_t *d = &w->event_deaths;
  record_named_entities(w);
  for (uint32_t i = 0; i < w->destroy_batch.count && d->named.count > 0; ++i) {
    shoal_entity e = w->destroy_batch.items[i];
    uint32_t number = index_get(d->named_pages, d->named_page_count, e);
    if (number == 0)
      continue;
    bool is_new = false;
    for (uint32_t k = number; k != 0; k = d->named.items[k - 1].next)
      is_new |= d->named.items[k - 1].is_new;
    for (const event_named_t *n; number != 0; number = n->next) {
      n = &d->named.items[number - 1];
      shoal_assert(n->entity == e, "the index of entity %u was reused while an event named it", n->entity);
      add_death(w, (event_death_t){.entity = e,
                                   .state = w->entities.state[shoal_entity_index(e)],
                                   .removal = w->removal,
                                   .group = n->group,
                                   .events = n->events,
                                   .last_tick = w->tick + is_new});
    }
    w->entities.marks[shoal_entity_index(e)] |= MARK_LEFT;
    w->has_last_rows = true;
  }
}

static void clear_deaths(world_o *w) {
  event_deaths_t *d = &w->event_deaths;
  for (uint32_t i = 0; i < d->deaths.count; ++i)
    *index_slot(&d->death_pages, &d->death_page_count, d->deaths.items[i].entity, &w->allocator) = 0;
  d->deaths.count = 0;
}

void event_deaths_end_tick(world_o *w) {
  event_deaths_t *d = &w->event_deaths;
  clear_named_entities(w);
  uint32_t count = d->deaths.count, first = 0;
  while (first < count && d->deaths.items[first].last_tick > w->tick)
    first++;
  if (first == count)
    return;
  clear_deaths(w);
  for (uint32_t i = 0; i < count; ++i) // works in place, because each entry that is read adds at most one entry
    if (d->deaths.items[i].last_tick > w->tick)
      add_death(w, d->deaths.items[i]);
}

void event_deaths_load(world_o *w, const event_death_t *deaths, uint32_t count) {
  clear_named_entities(w);
  clear_deaths(w);
  for (uint32_t i = 0; i < count; ++i) {
    add_death(w, deaths[i]);
    w->has_last_rows = true;
    w->removal = deaths[i].removal >= w->removal ? deaths[i].removal + 1 : w->removal;
  }
}

void event_deaths_free(world_o *w) {
  event_deaths_t *d = &w->event_deaths;
  array_free(&w->allocator, &d->deaths);
  array_free(&w->allocator, &d->named);
  index_free(d->named_pages, d->named_page_count, &w->allocator);
  index_free(d->death_pages, d->death_page_count, &w->allocator);
}

// --- lookup

static const event_death_t *find_death(const world_o *w, shoal_entity e, uint32_t event) {
  const event_deaths_t *d = &w->event_deaths;
  uint32_t number = d->deaths.count > 0 ? index_get(d->death_pages, d->death_page_count, e) : 0;
  for (const event_death_t *death; number > 0 && (death = &d->deaths.items[number - 1])->entity == e; --number)
    if (death->group == get_event_group(event) && death->events & get_event_bit(event))
      return death;
  return NULL;
}

uint32_t event_deaths_removal(const world_o *w, shoal_entity e, uint32_t event) {
  const event_death_t *found = find_death(w, e, event);
  return found ? found->removal : EVENT_DEATHS_NONE;
}

uint32_t event_deaths_state(const world_o *w, shoal_entity e, uint32_t event) {
  const event_death_t *found = find_death(w, e, event);
  return found ? found->state : 0;
}
