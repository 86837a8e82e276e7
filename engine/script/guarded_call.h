// Calls into Lua under the watchdog, and their budgets.
#ifndef SHOAL_SCRIPT_GUARDED_CALL_H
#define SHOAL_SCRIPT_GUARDED_CALL_H

#include "script/script.h"

// Calls an engine function like vm_call, under the watchdog. When it was stopped, vm->stopped is set and vm_rebuild or
// vm_close must follow.
bool vm_run(vm_o *vm, const char *name, int arguments, int results, script_budget_t budget);

// --- by the engine's Lua, through the FFI
// What runs from here on has this budget, from its beginning; to the end of the call into this VM.
void vm_set_budget(vm_o *vm, uint32_t budget);
// game.lua's budgets in milliseconds; negative where it gives none. Ignored when the command line fixes them.
void vm_take_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms);
// game.lua's limit of SQL steps for a script's query. Unlike a budget it is not a time, and holds in replays.
void vm_take_sql_steps(vm_o *vm, double steps);

#endif
