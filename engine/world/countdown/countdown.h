// Timers, which emit an event after a delay, and tweens, which interpolate a field. Both are components, so they are
// saved, rewound, replayed and visible in SQL.
#ifndef SHOAL_COUNTDOWN_COUNTDOWN_H
#define SHOAL_COUNTDOWN_COUNTDOWN_H

#include "components/builtin.h"
#include "countdown/ease.h"
#include "schedule/schedule.h"

// timer { event, values:string, seconds:f64 }: counts down, then emits the event and destroys its entity. `values` is a
// JSON object with values for the event's columns. An event that no longer exists, and members that do not match a
// column, are ignored with a warning. Timers that are due in the same tick fire in order of remaining time, then in row
// order.
BUILTIN_COMPONENT(timer, SHOAL_TIMER_FIELDS)

// One tween per entity and path. A row is removed when it is complete or, with a warning, when its entity no longer has
// a number field at `path`; tween_ended { entity, path } is then emitted if the world has that event.
//
// Fields:
// - path: component.field, component.vector.part, or component.instance.field of a `many` component
// - ease: see ease.h
// - to: the value after `seconds`
// - elapsed: seconds since the start; negative during the delay
// - times: number of runs; 0: endless
// - back: true if every second run is reversed, from `to` to `from`
// - from: the first value, valid if `begun` is true; set to the field's value when the tween starts
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

// Both functions advance all rows except disabled rows by one tick of `dt_s` seconds. Main thread; changes must not be
// deferred.
void timer_update(world_o *w, double dt_s);
void tween_update(world_o *w, double dt_s);

// Adds the systems shoal.timer and shoal.tween, in this order, to phase pre_update with priority 1000. Returns true on
// success, or false with an error if one of these names is taken.
bool countdown_schedule(world_o *w, schedule_o *s, error_info_t *error);

#endif
