// Sends clients the files that the game has loaded, and opens files in an editor.
#ifndef SHOAL_COCKPIT_LOADED_FILES_H
#define SHOAL_COCKPIT_LOADED_FILES_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Lists the sources and assets of the game: name, kind, size in bytes. Allows the page to load the assets. Returns true
// on success, or false with an error if no game runs or a folder cannot be listed.
bool loaded_files_write(cockpit_o *cockpit, json_writer_t *out, error_info_t *error);
// Lists the add-ons of the game: name, version, folder, and whether the folder has been edited since `./shoal add`.
// Returns true on success, or false with an error if no game runs or the lock file is invalid.
bool loaded_files_write_addons(cockpit_o *cockpit, json_writer_t *out, error_info_t *error);
// Writes the text of the request's "file". Returns true on success, or false with an error if the path is invalid, or
// if the file is missing, unreadable or too large.
bool loaded_files_write_source(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error);
// Writes the type definitions of the Lua API, which the page uses for completion. Returns true on success, or false
// with an error if the file cannot be read.
bool loaded_files_write_definitions(cockpit_o *cockpit, json_writer_t *out, error_info_t *error);
// Opens the request's "file" at its "line" in the editor given by --editor. Returns true on success, or false with an
// error if the file is missing, or if the editor is not set or cannot be started.
bool loaded_files_open_in_editor(cockpit_o *cockpit, const json_t *request, error_info_t *error);

#endif
