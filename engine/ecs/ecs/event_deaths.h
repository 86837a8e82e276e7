// Entities that died while a pending event named them in an entity field. Handlers of the event can read their last
// values (ecs/last_values.h) until the event expires. Part of snapshots and hashes.
#ifndef SHOAL_ECS_EVENT_DEATHS_H
#define SHOAL_ECS_EVENT_DEATHS_H

#include "base/array.h"
#include "ecs/event.h"

#define EVENT_DEATHS_NONE UINT32_MAX

#define EVENT_DEATHS_GROUP 64u // events per record: group (id - 1) / 64, bit (id - 1) % 64

// An entity has one record for each group of events that named it; its records are consecutive, sorted by group.
typedef struct event_death_t {
  shoal_entity entity;
  uint32_t state;     // string id of the entity's last state; 0 if it had no state
  uint32_t removal;   // number of the operation that destroyed the entity, for last_values_find
  uint32_t group;     // group of `events`
  uint64_t events;    // one bit per event of the group, set if the event named the entity
  uint64_t last_tick; // the record is dropped at the end of this tick
} event_death_t;

// A living entity that pending events of a group name.
typedef struct event_named_t {
  shoal_entity entity;
  bool is_new; // an event of the current tick names it; such an event lives one tick longer
  uint32_t group;
  uint32_t next; // number (index plus one) of the entity's entry for the next group; 0: none
  uint64_t events;
} event_named_t;

typedef struct event_deaths_t {
  ARRAY(event_death_t) deaths;           // the index contains the number of an entity's last record
  ARRAY(event_named_t) named;            // entities of the events that have been read since the end of the last tick
  uint32_t **named_pages, **death_pages; // indexes of both lists (ecs/index.h)
  uint32_t named_page_count, death_page_count;
} event_deaths_t;

// Called before the entities in world_o.batch are destroyed. Records those that pending events name, so that their rows
// are copied.
void event_deaths_record(world_o *w);
void event_deaths_end_tick(world_o *w); // called after event_end_tick
// Replaces the records, and forgets which events have been read.
void event_deaths_load(world_o *w, const event_death_t *deaths, uint32_t count);
void event_deaths_free(world_o *w);

// Returns the number of the operation that destroyed e, for last_values_find; EVENT_DEATHS_NONE if this event did not
// name e when it died, or if all events that named e have expired.
uint32_t event_deaths_removal(const world_o *w, shoal_entity e, uint32_t event);
// Returns the string id of the state in which e died; 0 if event_deaths_removal returns EVENT_DEATHS_NONE.
uint32_t event_deaths_state(const world_o *w, shoal_entity e, uint32_t event);

#endif
