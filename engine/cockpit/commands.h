// Commands of the overlay and the page.
#ifndef SHOAL_COCKPIT_COMMANDS_H
#define SHOAL_COCKPIT_COMMANDS_H

#include "cockpit/cockpit.h"

#include <jansson.h>

const json_t *commands_list(cockpit_o *c); // the list, and desk_commands, are rebuilt when the game changes
void commands_free(cockpit_o *c);

#endif
