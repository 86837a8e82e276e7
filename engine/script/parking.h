// Parks pieces of systems that have failed: this VM does not run a parked piece again. See also vm_park in script.h.
#ifndef SHOAL_SCRIPT_PARKING_H
#define SHOAL_SCRIPT_PARKING_H

#include "script/script.h"

// Calls an engine function with two arguments: the numbers of the system and the piece.
bool parking_call(vm_o *vm, const char *engine_function, const parked_t *x, int results);
// Parks the piece x->part of the system x->system. Sets x->kind, x->tick and the name of the piece in x->error.
void parking_park(vm_o *vm, parked_t *x);
void vm_repark(vm_o *vm); // parks all parked pieces again, in a VM that was just rebuilt

#endif
