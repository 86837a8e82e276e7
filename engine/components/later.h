// What happens later: timers, which emit an event, and tweens, which bring a field from here to there. Both are
// components, so that what is still to come is saved, rewound and replayed, and can be asked with SQL.
#ifndef SHOAL_COMPONENTS_LATER_H
#define SHOAL_COMPONENTS_LATER_H

#include "schedule/schedule.h"
#include "ecs/world.h"

// timer { event, values:string, seconds:f64 }: counts down, then emits the event and its entity is destroyed. `values`
// is a JSON object of the event's columns. What the game's event does not have any more is left out, with a line in
// the log. Timers that are due in the same tick go off in the order of the time that they have left, then of their
// rows.
bool timer_declare(world_o *w, error_t *error);

// tween, one an entity and path: see the fields in tween.c. A row ends when it is through, or when the entity has the
// component no more; then tween_ended { entity, path } is emitted, where the world has that event.
bool tween_declare(world_o *w, error_t *error);

// One tick of `dt_s` seconds. Both pass over what is disabled. Main thread, and nothing may be deferred.
void timer_update(world_o *w, double dt_s);
void tween_update(world_o *w, double dt_s);

// shoal.timer and shoal.tween: pre_update, priority 1000, in this order.
bool later_schedule(world_o *w, schedule_o *s, error_t *error);

#endif
