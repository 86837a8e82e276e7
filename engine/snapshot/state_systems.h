// What systems had heard in a state, and their switches, where migration or a behaviour's new name would lose them: a
// watcher of a query whose components were converted goes on with the query that today's code asks in its place.
// Private to snapshot.
#ifndef SHOAL_SNAPSHOT_STATE_SYSTEMS_H
#define SHOAL_SNAPSHOT_STATE_SYSTEMS_H

#include "snapshot/state_view.h"

typedef struct state_watch_t {
  const char *system;
  query_o *query;
} state_watch_t;

// The watchers that today's code has opened in w. Before the state is put into it; freed with the state.
typedef struct state_systems_t {
  state_watch_t *watches;
  uint32_t count;
} state_systems_t;

state_systems_t state_systems_of(state_view_t *v, const world_o *w);
// After the state was put into w.
void state_systems_resume(state_view_t *v, world_o *w, const state_systems_t *s);

#endif
