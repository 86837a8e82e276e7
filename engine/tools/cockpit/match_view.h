// Writes the match that the game plays, and changes its simulated network.
#ifndef SHOAL_COCKPIT_MATCH_VIEW_H
#define SHOAL_COCKPIT_MATCH_VIEW_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Writes fields of the open object. Counts cover the time since the start of the match, so that clients can compute
// rates from two messages.
void match_view_write(cockpit_o *cockpit, json_writer_t *out);
// Applies the request "net_sim". Returns true on success, or false with an error if the request is invalid or the
// network is not simulated.
bool match_view_set_network(cockpit_o *cockpit, const json_t *request, error_info_t *error);

// Applies the request "moderate": an action (host/match_moderation.h) on a player. Returns true on success, or false
// with an error if the request is invalid or the action fails.
bool match_view_moderate(cockpit_o *cockpit, const json_t *request, error_info_t *error);

#endif
