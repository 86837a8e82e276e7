// Commands of the overlay and the page.
#ifndef SHOAL_COCKPIT_COMMANDS_H
#define SHOAL_COCKPIT_COMMANDS_H

#include "cockpit/cockpit.h"

#include <jansson.h>

// Returns the list of commands. When the game's code or its number of assemblages has changed, rebuilds this list and
// dev_overlay_commands.
const json_t *commands_list(cockpit_o *c);
void commands_free(cockpit_o *c);

#endif
