// Declares a Lua system in a schedule. Called by the engine's Lua through the FFI.
#ifndef SHOAL_SCRIPT_LUA_SYSTEM_H
#define SHOAL_SCRIPT_LUA_SYSTEM_H

#include "schedule/schedule.h"
#include "script/vm_desc.h"

// Declares the system. `after` and `before` contain one system name per line; names after the 32nd are ignored. Returns
// true on success, or false with an error if one of the two strings has 2,048 bytes or more, or if the schedule rejects
// the system.
bool declare_system(schedule_o *s, vm_o *vm, const char *name, const char *phase, int32_t priority, const char *after,
                    const char *before, uint32_t every, uint32_t number, const char *file, uint32_t line,
                    const char *doc, const char *when, bool off, error_info_t *error);

#endif
