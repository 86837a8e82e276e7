// Parks pieces of systems that have failed (content/parked_pieces.h). See also vm_park_piece and
// vm_update_parked_pieces in script.h.
#ifndef SHOAL_SCRIPT_PARKING_H
#define SHOAL_SCRIPT_PARKING_H

#include "script/vm_desc.h"

// Calls an engine function with two arguments: the numbers of the system and the piece. Returns the result of vm_call.
bool parking_call(vm_o *vm, const char *engine_function, const parked_t *parked, int results);
// Parks the piece parked->part of the system parked->system. Sets the `kind` and `tick` of `parked`, and the name of
// the piece in its `error`.
void parking_park_piece(vm_o *vm, parked_t *parked);
// Adds the failure to the game's list and, if the piece will be retried, to the world's list.
void parking_record_failure(vm_o *vm, const parked_t *parked);

#endif
