// Observers get lists of the entities that begin or cease to match a query, and of those whose values changed, whatever
// wrote them. Counters: how often has a component changed?
//
//   static void hurt(shoal_context *c, const shoal_entity *who, uint32_t count, float dt_s) { … }
//
//   SHOAL_PLUGIN(…, .observers = SHOAL_OBSERVERS({.name = "hurt", .query = {"health"}, .changed = hurt}))
//
// An observer has a place in the order of systems. There it gets what happened since its previous call: first .leave,
// then .enter, then .changed. Its own changes are reported in the same tick, in at most 100 rounds: then it is parked
// with an error and keeps its unread lists. Unread lists are part of the world: saved, rewound and replayed. An
// observer that fails is parked, its commands are dropped, and after the next reload it gets the same lists again.
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
  // At least one. enter: began to match, in the order in which that happened; leave: no longer match, or are dead, in
  // the same order; changed: matched before, and have another value in a component of `query`, in the order of their
  // indices. An entity that entered is not listed as changed, nor is one whose values changed back.
  shoal_heard *enter, *leave, *changed;
};

#define SHOAL_OBSERVERS(...) SHOAL_LIST(shoal_observer, __VA_ARGS__, SHOAL_LIST_END)

// Returns how many rows of this component or single were added, removed or given another value since the first call:
// store it and compare it with the next reading. In systems that are not parallel, in functions that are not pure and
// in commands. Uncounted components cost nothing; a counted one is compared with a saved copy once a tick and at each
// call.
static inline uint64_t shoal_changes(shoal_context *c, const shoal_component *component) {
  return c->api->changes(c, component);
}

#ifdef __cplusplus
}
#endif

#endif
