// Commands of the overlay and the page.
#ifndef SHOAL_COCKPIT_COMMANDS_H
#define SHOAL_COCKPIT_COMMANDS_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Returns the list of commands. When the game's code or its number of assemblages has changed, rebuilds this list and
// dev_overlay_commands.
const json_t *commands_list(cockpit_o *cockpit);
// Returns the command that a console line names, or NULL if it names no command. Ignores case, and white space around
// the name.
const json_t *commands_find(cockpit_o *cockpit, const char *line);
// Returns true if the line is "help", alone or with a string that the listed commands must contain.
bool commands_is_help(const char *line);
// Writes the result of a help line: the names and descriptions of the commands that any client can run.
void commands_write_help(cockpit_o *cockpit, const char *line, json_writer_t *out);
// Rejects a line that is probably a mistyped command. Such a line looks like a name, and either resembles the name of a
// command or cannot be Lua (`is_lua` is false). Returns true with an error if the line is rejected, otherwise false.
bool commands_reject_unknown(cockpit_o *cockpit, const char *line, bool is_lua, error_info_t *error);
// Frees all commands and the command table.
void commands_free(cockpit_o *cockpit);

#endif
