// Observers and change counters. Observers are functions that receive lists of the entities that started or stopped
// matching a query or whose values changed, whatever the cause of the change. Change counters count the changes to a
// component.
//
//   static void hurt(shoal_context *c, const shoal_entity *list, uint32_t count, float dt_s) { … }
//
//   SHOAL_PLUGIN(…, .observers = SHOAL_OBSERVERS({.name = "hurt", .query = {"health"}, .changed = hurt}))
//
// An observer runs at its position in the order of systems. It receives the changes since its previous run: first
// .leave, then .enter, then .changed. Changes that the observer itself makes are reported in the same tick, in at most
// 100 rounds. An observer that causes more rounds is parked with an error. Undelivered lists are part of the world:
// they are saved, rewound and replayed. If an observer fails, its commands are discarded and it is parked like a
// system. When the observer is retried, it receives the same lists.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_OBSERVE_H
#define SHOAL_OBSERVE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// A handler of an observer. The list is valid during the call only. Main thread. The rules of a system that runs alone
// apply. `dt_s` is the length of the tick in seconds.
typedef void shoal_observer_fn(shoal_context *c, const shoal_entity *entities, uint32_t count, float dt_s);

struct shoal_observer {
  const char *name;                   // name without the plugin's name; the schedule uses PLUGIN.name
  shoal_phase phase;                  // phase in which the observer runs; not SHOAL_PHASE_RENDER
  const char *query[SHOAL_MAX_NAMES]; // names of components, at least one; lists and priority are as in shoal_system
  const char *without[SHOAL_MAX_NAMES];
  const char *any[SHOAL_MAX_NAMES];
  const char *after[SHOAL_MAX_NAMES];
  const char *before[SHOAL_MAX_NAMES];
  int32_t priority;
  // Handlers, at least one of which must be set:
  // - enter: entities that started to match, in the order in which they started;
  // - leave: entities that stopped matching or were destroyed, in the order in which this happened;
  // - changed: entities that matched before and have a new value in a component of `query`, ordered by index. Entities
  //   that are listed in `enter`, and entities whose values changed back, are left out.
  shoal_observer_fn *enter, *leave, *changed;
};

#define SHOAL_OBSERVERS(...) SHOAL_LIST(shoal_observer, __VA_ARGS__, SHOAL_LIST_END)

// Returns a counter that increases with each row of a component or singleton that is added, removed or changed since
// the first call. To detect changes, store the counter and compare it with the next reading. Fails the call, and
// returns 0, for an event or a component that is in neither `.components` nor `.uses`. Allowed in systems that run
// alone, functions that are not pure, and commands. Only counted components have a cost: they are compared with a saved
// copy once per tick, at each call, and when the world is hashed or saved.
SHOAL_NODISCARD static inline uint64_t shoal_change_count(shoal_context *c, const shoal_component *component) {
  return c->api->change_count(c, component);
}

#ifdef __cplusplus
}
#endif

#endif
