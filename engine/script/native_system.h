// Systems that run as the code of a loop, without a call into Lua while nothing needs Lua.
#ifndef SHOAL_SCRIPT_NATIVE_SYSTEM_H
#define SHOAL_SCRIPT_NATIVE_SYSTEM_H

#include "native/loop.h"
#include "script/script.h"

// Runs the system without Lua. Returns false where Lua must be called.
bool vm_ran_by_itself(vm_o *vm, uint32_t system, float dt_s);
void vm_native_fini(vm_o *vm); // frees what the VM keeps about native systems

// --- by the engine's Lua, through the FFI
native_set_o *vm_begin_native(vm_o *vm);
void vm_declare_query(vm_o *vm, const char *system, const query_o *q); // it goes over these rows
// For the next `runs` runs this system is the code of a loop that leaves nothing to Lua, and is run without a call into
// Lua; until any system may have something else to do again. `dt`: the number of the
// parameter that is the tick's length, -1 for none. It may run beside other systems. `asks`: Lua finds its parameters
// before each run, so alone it runs from Lua.
void vm_loop_by_itself(vm_o *vm, uint32_t system, const char *name, native_loop_o *l, int32_t dt, uint32_t runs,
                       bool asks);
// Tells the schedule what this loop, which is all that the system does, reads and writes, before it runs first.
void vm_declare_loop(vm_o *vm, uint32_t system, const char *name, const native_loop_o *l);
void vm_runs_alone(vm_o *vm, const char *name, const char *why); // for tools: schedule_runs_alone
uint32_t vm_take_runs_by_itself(vm_o *vm, uint32_t system);      // number of such runs since the last call
void vm_none_by_itself(vm_o *vm);

#endif
