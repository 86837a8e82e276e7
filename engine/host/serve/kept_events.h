// The views of kept events, which the owner of a world creates, and the removal of expired rows.
#ifndef SHOAL_SERVE_KEPT_EVENTS_H
#define SHOAL_SERVE_KEPT_EVENTS_H

#include "base/log.h"
#include "served/chronicle_rows.h"

typedef struct game_o game_o;

// Describes the views of the events that the game keeps. Returns their number; `out` has CHRONICLE_MAX_EVENTS elements.
uint32_t kept_events_list_views(const game_o *g, chronicle_view_t *out);

// State of the removal of expired rows. Zero-initialize it.
typedef struct kept_events_t {
  int64_t due_us;  // time of the next removal
  bool has_failed; // true if the latest update has failed; the failure was logged
} kept_events_t;

// Prepares the table for the rows of the next days, and removes a batch of expired rows: once per minute, or once per
// second while more expired rows remain. `views`: see kept_events_list_views.
void kept_events_update(kept_events_t *k, int64_t now_us, world_store_o *store, int64_t owner,
                        const chronicle_view_t *views, uint32_t count, log_o *log);

#endif
