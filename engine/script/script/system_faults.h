// Runs systems, and parks pieces that fail.
#ifndef SHOAL_SCRIPT_SYSTEM_FAULTS_H
#define SHOAL_SCRIPT_SYSTEM_FAULTS_H

#include "script/vm_desc.h"

// Runs a Lua system by its number in this VM. A failure parks one of its pieces and adds a report.
void vm_run_system(vm_o *vm, uint32_t number, float dt_s);
// Runs the deferred side exits of a system whose loop ran in a parallel stage. Handles failures as vm_run_system does.
void vm_run_exits(vm_o *vm, uint32_t number, float dt_s);

// Logs an out-of-range value in the world or, in a strict run, adds a report, which ends the run (range_report_t,
// ecs/ranges.h). `context` is the VM.
void vm_report_range_error(void *context, const char *location, const char *message);

// --- called by the engine's Lua, through the FFI
void vm_mark_started(vm_o *vm, uint32_t system);
bool vm_is_started(const vm_o *vm, uint32_t system);
// Keeps the state of the world; called before a scene is left. If the system `entering_system`, which enters the next
// scene, fails, this state is restored.
void vm_begin_scene_change(vm_o *vm, uint32_t entering_system);
void vm_end_scene_change(vm_o *vm); // drops the state that vm_begin_scene_change keeps
// Keep and drop the state of the world before a system's `start`, whose changes are applied immediately. An attempt
// that undoes every failure keeps no state, because it restores the whole tick.
void vm_begin_start_hook(vm_o *vm, uint32_t system);
void vm_end_start_hook(vm_o *vm);
// Records that a retried piece completed a run in which it had rows or events to process, and logs that it runs again.
void vm_record_piece_success(vm_o *vm, const char *name);
// Called when the running system skips a parked piece. If output is muted up to this piece (vm_o.muted_until), ends the
// muting.
void vm_skip_piece(vm_o *vm, uint32_t system, uint32_t piece);

#endif
