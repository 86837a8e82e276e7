// Running systems, and parking the piece of one that fails.
#ifndef SHOAL_SCRIPT_SYSTEM_FAULTS_H
#define SHOAL_SCRIPT_SYSTEM_FAULTS_H

#include "script/script.h"

// Runs one Lua system by its number in this VM; a failure parks a piece of it and leaves a report.
void vm_run_system(vm_o *vm, uint32_t number, float dt_s);
// Runs the deferred side exits of a system whose loop has run in a stage. Failures as in vm_run_system.
void vm_run_exits(vm_o *vm, uint32_t number, float dt_s);

// --- by the engine's Lua, through the FFI
void vm_has_started(vm_o *vm, uint32_t system);
bool vm_is_started(const vm_o *vm, uint32_t system);
// A scene is left for another, which the system `enters` enters: should that fail, the world becomes what it is now.
void vm_leave_scene(vm_o *vm, uint32_t enters);
void vm_scene_entered(vm_o *vm); // the one that was left is forgotten
// The same for the `start` of a system, whose changes apply at once.
void vm_start_begin(vm_o *vm, uint32_t system);
void vm_start_end(vm_o *vm);
void vm_skip(vm_o *vm, uint32_t system, uint32_t piece); // the run has come to a parked piece

#endif
