// Events and the positions of their readers. Private to ecs, snapshot and migrate.
#ifndef SHOAL_ECS_EVENT_INTERNAL_H
#define SHOAL_ECS_EVENT_INTERNAL_H

#include "ecs/world_internal.h"

live_event_t *event_create(world_o *w, uint32_t id, const schema_t *schema);
void event_destroy(world_o *w, live_event_t *ev);
void event_redeclare(world_o *w, live_event_t *ev, const schema_t *schema);
void event_apply_staged(world_o *w, uint32_t event, uint32_t staged_row, uint32_t count);
void event_end_tick(world_o *w);
void event_expire_tickets(world_o *w);

#endif
