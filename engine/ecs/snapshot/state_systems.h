// Carries pending notifications, read positions and enabled flags of systems over to a migrated state, or to a renamed
// behaviour. A watcher whose query's components were converted moves to the query that the current code uses. Private
// to snapshot.
#ifndef SHOAL_SNAPSHOT_STATE_SYSTEMS_H
#define SHOAL_SNAPSHOT_STATE_SYSTEMS_H

#include "snapshot/state_view.h"

typedef struct state_watch_t {
  const char *system;
  query_o *query;
} state_watch_t;

// Watchers that the current code has opened in `w`, collected before the state is installed; freed with the state.
typedef struct state_systems_t {
  state_watch_t *watches;
  uint32_t count;
} state_systems_t;

state_systems_t state_systems_collect(state_view_t *v, const world_o *w);
// Carries over the watchers, and the read positions and switches of renamed systems. Call after installing the state.
void state_systems_resume(state_view_t *v, world_o *w, const state_systems_t *s);

#endif
