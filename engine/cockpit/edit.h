// Changes as chunks of Lua, with the chunk that undoes each.
#ifndef SHOAL_COCKPIT_EDIT_H
#define SHOAL_COCKPIT_EDIT_H

#include "base/error.h"
#include "base/json_text.h"
#include "cockpit/cockpit.h"

#include <jansson.h>

#define CONSOLE_BYTES 65536u // limit of a chunk's result

// --- edit.c: each writes a chunk of Lua that makes the change, or refuses it with a sentence.
typedef struct edit_t {
  json_text_t chunk, undo; // texts of Lua, `undo` empty where there is none; not JSON
} edit_t;

// Each writes a chunk of Lua that makes the change, or fails with a message.
bool edit_read(cockpit_o *c, const char *what, const json_t *request, edit_t *out, error_t *error);
bool edit_run(cockpit_o *c, const char *chunk, json_text_t *out, error_t *error);
bool edit_run_marked(cockpit_o *c, const char *text, json_text_t *out, error_t *error); // the chunk of an edit_t
bool edit_undo(cockpit_o *c, const char *text, json_text_t *out, error_t *error);       // `undo` of one

#endif
