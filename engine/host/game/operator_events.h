// Changes by operators of a served world that a room executes in a tick: events (`./shoal world DB emit ROOM EVENT
// JSON`) and names (`./shoal world DB rename NAME NEW_NAME`). The host adds them to a record as external results
// (EXTERNAL_EVENT, EXTERNAL_NAME), so that all machines execute them in the same tick.
#ifndef SHOAL_GAME_OPERATOR_EVENTS_H
#define SHOAL_GAME_OPERATOR_EVENTS_H

#include "base/error.h"
#include "journal/external_result.h"
#include "platform/player_input.h"

#define OPERATOR_EVENT_MAX_BYTES 1024u // maximum size of an event's name and JSON, with their '\0'

typedef struct game_o game_o;
typedef struct world_o world_o;

// Returns true if `json` is an object of at most OPERATOR_EVENT_MAX_BYTES with `name`. Returns false otherwise, with a
// message that includes the line and column of a syntax error.
bool operator_event_check_syntax(const char *name, const char *json, error_info_t *error);
// Checks the event against the declarations of the game: the game or a plugin must declare the event, and the JSON
// object may contain only fields of the event, with values of their types and in their ranges. Does not change the
// world. Returns the result for a record, with one reference, or NULL with a message.
external_result_t *operator_event_create(world_o *w, const char *name, const char *json, error_info_t *error);

// Creates the result that gives the players of a machine the name of their account, numbered as in JOIN items. Returns
// it with one reference.
external_result_t *operator_name_create(player_mask_t players, const char *name);
// Changes the names of the players in the record's item from the next tick on. Returns true on success, or false if the
// item is malformed or contains a different result.
bool operator_name_apply(game_o *g, const record_item_t *item);

// Emits the event in the record of this tick. Call at the start of a tick of a room.
void operator_events_emit(game_o *g);

#endif
