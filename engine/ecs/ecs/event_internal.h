// Events and the positions of their readers. Private to ecs, snapshot and migrate.
#ifndef SHOAL_ECS_EVENT_INTERNAL_H
#define SHOAL_ECS_EVENT_INTERNAL_H

#include "ecs/event.h"

typedef struct live_event_t {
  event_o shared;       // must be first, so that an event_o can be cast to live_event_t
  columns_t staged;     // rows that queued commands will emit
  columns_t filling;    // rows being filled between event_fill_begin and event_fill_end
  uint64_t named_until; // number of the first row that event_deaths.c has not read
} live_event_t;

#define TICKET_COUNT 64u // number of recent emits that world_set_event_field can still write to

typedef struct ticket_t {
  uint32_t number, event, row;
  bool staged;
} ticket_t;

// Read position of a render system in an event. The system is identified by the hash of its name, because a restore
// changes string ids.
typedef struct drawn_reader_t {
  uint64_t name;
  uint32_t event; // id of the event; 0: this entry records that the system has started
  uint64_t next;
} drawn_reader_t;

typedef struct reader_t {
  uint32_t reader, event;
  uint64_t next;
} reader_t;

live_event_t *event_create(world_o *w, uint32_t id, const schema_t *schema);
void event_destroy(world_o *w, live_event_t *ev);
void event_redeclare(world_o *w, live_event_t *ev, const schema_t *schema);
void event_apply_staged(world_o *w, uint32_t event, uint32_t staged_row, uint32_t count);
void event_end_tick(world_o *w);
void event_expire_tickets(world_o *w);

#endif
