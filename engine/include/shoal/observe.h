// Observers hear, in lists, of entities that begin or cease to match a query, and of those whose values are others than
// when they heard last, whoever wrote them and however. And counters: has a component changed since I asked last?
//
//   static void hurt(shoal_context *c, const shoal_entity *who, uint32_t count, float dt_s) { … }
//
//   SHOAL_PLUGIN(…, .observers = SHOAL_OBSERVERS({.name = "hurt", .query = {"health"}, .set = hurt}))
//
// An observer has a place in the order, as a system has: there it is told what happened since it was told last, first
// what was removed, then what was added, then what was set. What it changes itself it hears of in the same tick, until
// nothing is new; one that never ends is stopped after a hundred rounds, with a sentence, and what it has not heard is
// kept. What it has not heard yet is part of the world: saved, rewound and replayed. When it fails it is parked, what
// it queued is dropped, and after the next reload it is told again.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_OBSERVE_H
#define SHOAL_OBSERVE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// The list is valid for the call alone. Main thread, as in a system that is not parallel.
typedef void shoal_heard(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s);

struct shoal_observer {
  const char *name;                   // the schedule calls it PLUGIN.name
  shoal_phase phase;                  // not render
  const char *query[SHOAL_MAX_NAMES]; // as of a shoal_system; one or more
  const char *without[SHOAL_MAX_NAMES];
  const char *any[SHOAL_MAX_NAMES];
  const char *after[SHOAL_MAX_NAMES];
  const char *before[SHOAL_MAX_NAMES];
  int32_t priority;
  // One or more of them. `removed`: they match no more, or are dead; `added`: they match, in the order in which that
  // began; `set`: they match, and a component of `query` has another value, in the order of their indices. An entity
  // that is added is not told of as set. A value that came back to what it was has not changed.
  shoal_heard *removed, *added, *set;
};

#define SHOAL_OBSERVERS(...) SHOAL_LIST(shoal_observer, __VA_ARGS__, SHOAL_LIST_END)

// Has this component or single changed since this system asked last: has a row come, gone, or got another value? True
// the first time. In systems that are not parallel or beside others, and not of the render phase. What nobody asks
// about costs nothing; what somebody does is compared with a copy once a tick and at each question.
static inline bool shoal_changed(shoal_context *c, const shoal_component *component) {
  return c->api->changed(c, component);
}

// How many rows came, went or got another value since somebody asked first: a number to keep in a column and to
// compare. In functions that are not pure, too.
static inline uint64_t shoal_changes(shoal_context *c, const shoal_component *component) {
  return c->api->changes(c, component);
}

#ifdef __cplusplus
}
#endif

#endif
