// Calls into Lua under the watchdog, and their budgets.
#ifndef SHOAL_SCRIPT_GUARDED_CALL_H
#define SHOAL_SCRIPT_GUARDED_CALL_H

#include "script/vm_desc.h"

// Calls an engine function like vm_call, under the watchdog. Returns true on success. If the call fails, returns false
// with vm->caught filled. If the call was stopped or ran out of memory, vm->stopped is also set, and the caller must
// call vm_rebuild or vm_close.
bool vm_call_with_budget(vm_o *vm, const char *name, int arguments, int results, script_budget_t budget);

// --- called by the engine's Lua, through the FFI

// Restarts the time limit of the current call into this VM with a different budget, which applies until the call ends.
void vm_restart_budget(vm_o *vm, uint32_t budget);
// Sets the budgets of game.lua in milliseconds; a negative value means "not set". Ignored if the command line sets
// --budget.
void vm_set_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms);
// Sets game.lua's limit of SQL steps per query. Steps do not depend on time, so the limit also applies in replays.
void vm_set_sql_steps(vm_o *vm, double steps);

#endif
