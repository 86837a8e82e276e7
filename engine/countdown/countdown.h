// What happens later: timers, which emit an event, and tweens, which bring a field from here to there. Both are
// components, so that what is still to come is saved, rewound and replayed, and can be asked with SQL.
#ifndef SHOAL_COUNTDOWN_COUNTDOWN_H
#define SHOAL_COUNTDOWN_COUNTDOWN_H

#include "components/builtin.h"
#include "countdown/ease.h"
#include "schedule/schedule.h"

// timer { event, values:string, seconds:f64 }: counts down, then emits the event and its entity is destroyed. `values`
// is a JSON object of the event's columns. What the game's event does not have any more is left out, with a line in
// the log. Timers that are due in the same tick go off in the order of the time that they have left, then of their
// rows.
BUILTIN_COMPONENT(timer, SHOAL_TIMER_FIELDS)

// One tween for each entity and path. A row ends when it is complete or when the entity has lost the component; then
// tween_ended { entity, path } is emitted, if the world has that event.
//
// path: component.field, component.vector.part, or component.instance.field of a `many` component. ease: see ease.h.
// to: the last value, after `seconds`. elapsed: seconds so far; below 0 it waits. times: number of runs, 0 for no end;
// `back`: every second run goes from `to` to `from`. from: the first value if `begun`; otherwise the value of the field
// when the tween begins.
// clang-format off
#define TWEEN_FIELDS(F)                                                                                                \
  F(string, path, "", .doc = "component.field, component.vector.part or component.instance.field")                     \
  F(enum, ease, EASE_NAMES) F(f64, to, 0, .doc = "last value")                                                         \
  F(f64, seconds, 1, .unit = "s", .doc = "duration of one run")                                                        \
  F(f64, elapsed, 0, .unit = "s", .doc = "time since the start; negative during the delay")                            \
  F(u32, times, 1, .doc = "number of runs, 0 for endless") F(bool, back, 0, .doc = "every second run is reversed")     \
  F(bool, begun, 0, .doc = "`from` is set") F(f64, from, 0, .doc = "first value")
// clang-format on
BUILTIN_MANY(tween, TWEEN_FIELDS)

// One tick of `dt_s` seconds. Both pass over what is disabled. Main thread, and nothing may be deferred.
void timer_update(world_o *w, double dt_s);
void tween_update(world_o *w, double dt_s);

// shoal.timer and shoal.tween: pre_update, priority 1000, in this order.
bool countdown_schedule(world_o *w, schedule_o *s, error_t *error);

#endif
