// Sends the ghosts of selected entities to pages.
#ifndef SHOAL_COCKPIT_TRAILS_H
#define SHOAL_COCKPIT_TRAILS_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Selects the entities whose trails are shown. Returns true on success, or false with an error if the request is
// invalid.
bool trails_choose_entities(cockpit_o *cockpit, const json_t *request, error_info_t *error);
void trails_write(cockpit_o *cockpit, json_writer_t *out); // writes fields of the open object

#endif
