// Runs systems that consist of a single native loop, and enters Lua only when a run needs it.
#ifndef SHOAL_SCRIPT_NATIVE_SYSTEM_H
#define SHOAL_SCRIPT_NATIVE_SYSTEM_H

#include "native/loop.h"
#include "script/vm_desc.h"

// Runs the system without Lua and returns true, or returns false if Lua must be called instead.
bool vm_run_native(vm_o *vm, uint32_t system, float dt_s);
void vm_native_fini(vm_o *vm); // frees all data of native systems

// --- called by the engine's Lua, through the FFI
native_set_o *vm_begin_native(vm_o *vm);
// Declares to the schedule that the system iterates over `query`. Does nothing after vm_adopt.
void vm_declare_query(vm_o *vm, const char *system, const query_o *query);
// Declares that the next `runs_left` runs of this system consist of the loop alone, without side exits. Until
// vm_clear_native_loops, these runs do not enter Lua, and may be parallel to other systems. `dt_parameter`: index of
// the parameter for the tick's length; -1 if the loop has no such parameter. `needs_lua`: Lua must compute the
// parameters before each run; the loop then runs outside of Lua only in a parallel stage.
void vm_set_native_loop(vm_o *vm, uint32_t system, const char *name, native_loop_o *l, int32_t dt_parameter,
                        uint32_t runs_left, bool needs_lua);
// Declares the loop's reads and writes to the schedule; the system must do nothing else. Call before its first run.
void vm_declare_loop(vm_o *vm, uint32_t system, const char *name, const native_loop_o *l);
void vm_set_alone_reason(vm_o *vm, const char *name, const char *reason); // calls schedule_set_alone_reason; for tools
uint32_t vm_pop_native_runs(vm_o *vm, uint32_t system); // returns the number of runs without Lua since the last call
void vm_clear_native_loops(vm_o *vm);                   // cancels vm_set_native_loop for all systems

#endif
