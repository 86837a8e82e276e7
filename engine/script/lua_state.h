// A VM's Lua state: building it from sources, dropping one that was stopped, and building it again.
#ifndef SHOAL_SCRIPT_LUA_STATE_H
#define SHOAL_SCRIPT_LUA_STATE_H

#include "script/script.h"

// Builds a VM: opens a Lua state, and loads and checks the game's files. Returns NULL with the report filled on the
// first error.
vm_o *vm_open(const vm_desc_t *desc, script_report_t *report);
void vm_close(vm_o *vm);

// Drops the Lua state, clears up behind it in the world, and builds a new one from the same sources with the same
// pieces parked. Between two systems. False with vm->caught filled: L is NULL then, and no system runs.
bool vm_rebuild(vm_o *vm);

#endif
