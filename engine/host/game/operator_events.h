// Events that an operator of a served world emits in a room: `./shoal world DB emit ROOM EVENT JSON`. The host adds the
// event to a record as an external result (EXTERNAL_EVENT), so that all machines emit it in the same tick.
#ifndef SHOAL_GAME_OPERATOR_EVENTS_H
#define SHOAL_GAME_OPERATOR_EVENTS_H

#include "base/error.h"
#include "journal/external_result.h"

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

// Emits the event in the record of this tick. Call at the start of a tick of a room.
void operator_events_emit(game_o *g);

#endif
