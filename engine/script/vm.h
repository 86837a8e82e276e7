// Inside the script room: one VM.
#ifndef SHOAL_SCRIPT_VM_H
#define SHOAL_SCRIPT_VM_H

#include "script/parallel.h"
#include "script/script.h"

#include <lua.h>

#define VM_MAX_REPORTS 16

struct vm_o {
  lua_State *L;
  vm_desc_t desc; // with copies of the texts below
  char game_folder[512], engine_folder[512], message[512];
  script_report_t reports[VM_MAX_REPORTS]; // not taken yet; when full, later ones are only counted
  uint32_t report_count;
  bool loaded;            // the engine's Lua is there
  bool worker;            // runs the bodies of parallel systems for another VM, and nothing else
  sources_o *sources;     // what it loads
  parallel_o *parallel;   // the workers' VMs; NULL when the game has no parallel system
  script_report_t caught; // what the message handler saw last
  bool handled; // it ran for the call that failed last; compiled code that overflows the stack leaves it no room
};

// Runs one Lua system by its number in this VM; a failure parks it and leaves a report.
void vm_run_system(vm_o *vm, uint32_t number, float dt_s);

// A VM for a worker of a parallel system: the same files, loaded and checked. (parallel.c)
vm_o *vm_create_worker(const vm_desc_t *desc, script_report_t *report);

// Calls the engine function `name` (scripts/shoal/boot.lua returns the table) with the `arguments` on top of the stack, under the
// message handler. False with vm->caught filled.
bool vm_call(vm_o *vm, const char *name, int arguments, int results);

// The message handler: turns whatever was thrown, and the Lua stack, into vm->caught. (report.c)
int report_handler(lua_State *L);

// The C functions that the engine's Lua gets besides the FFI. Pushes a table. (native.c)
void native_push(vm_o *vm);

vm_o *vm_of(lua_State *L);

#endif
