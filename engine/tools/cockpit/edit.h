// Translates edits to Lua chunks, each with the chunk that undoes it.
#ifndef SHOAL_COCKPIT_EDIT_H
#define SHOAL_COCKPIT_EDIT_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

#define CONSOLE_BYTES 65536u // maximum size of a chunk's result in bytes; edit_undo allows more

// Lua chunks that make an edit and undo it.
typedef struct edit_t {
  json_writer_t chunk, undo; // Lua text, not JSON; `undo` is empty if the edit cannot be undone
} edit_t;

// Translates a request for the edit `name` ("set", "spawn", …) to Lua. Returns true on success, or false with an error
// if the request is invalid.
bool edit_translate(cockpit_o *cockpit, const char *name, const json_t *request, edit_t *out, error_info_t *error);
// Runs a Lua chunk between two ticks, recorded like console input, and writes its result as the member "result" of
// `out`. Returns true on success, or false with an error if the chunk fails.
bool edit_run(cockpit_o *cockpit, const char *chunk, json_writer_t *out, error_info_t *error);
// Like edit_run, for the chunk of an edit_t: first replaces marked ids with the entities' current ids.
bool edit_run_with_current_ids(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error);
// Runs the undo of an edit_t. Returns true on success, or false with an error.
bool edit_undo(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error);

#endif
