// Implements vm.h: the VM of a Lua state, the memory limit, and calls to engine functions without the watchdog.
#include "script/vm.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

static const char VM_KEY = 0; // the address of VM_KEY is the registry key of the vm_o

vm_o *vm_of(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&VM_KEY);
  lua_rawget(L, LUA_REGISTRYINDEX);
  vm_o *vm = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return vm;
}

size_t vm_memory_limit(const vm_o *vm) {
  size_t limit = (size_t)vm->desc.memory_mb << 20;
  return vm->history_bytes < limit / 2 ? limit - vm->history_bytes : limit / 2;
}

void vm_set_caught_error(vm_o *vm, const char *message) {
  script_report_clear(&vm->caught);
  if (message[0])
    snprintf(vm->caught.message, sizeof vm->caught.message, "%s", message);
}

bool vm_call(vm_o *vm, const char *name, int arguments, int results) {
  shoal_assert(vm->L, "%s called in a stopped VM", name);
  lua_State *L = vm->L;
  shoal_assert(lua_gettop(L) == VM_BASE_TOP + arguments && lua_istable(L, VM_ENGINE),
               "%s: expected %d values on the stack and a table at VM_ENGINE, got %d values", name,
               VM_BASE_TOP + arguments, lua_gettop(L));
  lua_getfield(L, VM_ENGINE, name);
  lua_insert(L, -1 - arguments);
  vm->handled = false;
  vm->failed_code = (report_running_code_t){0};
  vm->out_of_memory = false;
  int status = lua_pcall(L, arguments, results, VM_HANDLER);
  if (status == 0)
    return true;
  vm->out_of_memory = status == LUA_ERRMEM;
  if (status == LUA_ERRMEM)
    vm_set_caught_error(vm, "out of memory: a table or string is too large");
  else if (!vm->handled) // Lua cannot run the handler after a stack overflow in compiled code
    vm_set_caught_error(vm, VM_OVERFLOW);
  lua_settop(L, VM_BASE_TOP);
  return false;
}

void vm_store_in_state(vm_o *vm) {
  lua_pushlightuserdata(vm->L, (void *)&VM_KEY);
  lua_pushlightuserdata(vm->L, vm);
  lua_rawset(vm->L, LUA_REGISTRYINDEX);
}
