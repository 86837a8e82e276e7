// Life cycle of a VM's Lua state: opening it from the game's sources, closing it, and rebuilding it after a script was
// stopped.
#ifndef SHOAL_SCRIPT_LUA_STATE_H
#define SHOAL_SCRIPT_LUA_STATE_H

#include "base/script_report.h"
#include "script/vm_desc.h"

// Creates a VM: opens a Lua state, then loads and checks the game's files. Returns the VM, or NULL with the report
// filled at the first error.
vm_o *vm_open(const vm_desc_t *desc, script_report_t *report);
void vm_close(vm_o *vm);
// Called by Lua when a game uses the FFI: closing the VM runs finalizers (ffi.gc) from now on. Without them, the memory
// of the Lua state is freed as a whole, which takes a third of the time.
void vm_require_finalizers(vm_o *vm);

// Excludes the objects of a loaded game from garbage collections (engine/design/0059-luajit-from-source.md). The first
// collection, which begins after the next megabyte of allocations, keeps all reachable objects until the Lua state is
// closed. Later collections visit only newer and changed objects.
void vm_keep_objects(vm_o *vm);

// Drops the Lua state, closes the queries and drops the commands that the state left in the world
// (world_reset_after_interrupt), and creates a new state from the same sources with the same pieces parked. Call
// between two systems. Returns true on success. On failure, returns false with vm->caught filled; L is then NULL and no
// system runs.
bool vm_rebuild(vm_o *vm);

#endif
