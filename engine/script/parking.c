// Parks pieces of systems that have failed: this VM does not run them again.
#include "script/parking.h"

#include "base/assert.h"
#include "script/script.h"
#include "script/vm.h"

#include <stdio.h>

bool parking_call(vm_o *vm, const char *engine_function, const parked_t *x, int results) {
  lua_pushinteger(vm->L, (lua_Integer)x->system);
  lua_pushinteger(vm->L, (lua_Integer)x->part);
  return vm_call(vm, engine_function, 2, results);
}

void parking_park(vm_o *vm, parked_t *x) {
  shoal_assert(x->system > 0 && x->part > 0, "invalid piece %u of system %u (numbers start at 1)", x->part, x->system);
  bool fine = parking_call(vm, "park", x, 2);
  error_set_piece(&x->error, fine ? lua_tostring(vm->L, -2) : "a system");
  x->kind = parked_kind_parse(fine ? lua_tostring(vm->L, -1) : NULL);
  x->tick = world_tick(vm->desc.world);
  lua_settop(vm->L, VM_KEPT);
}

bool vm_park(vm_o *vm, const char *name) {
  if (parked_find(vm->desc.parked, name))
    return true;
  if (!vm->L)
    return false;
  parked_t x = {.stopped = true};
  snprintf(x.name, sizeof x.name, "%s", name);
  lua_pushstring(vm->L, name);
  bool found = vm_call(vm, "piece_called", 1, 2) && lua_isnumber(vm->L, -2);
  if (found) {
    x.system = (uint32_t)lua_tointeger(vm->L, -2);
    x.part = (uint32_t)lua_tointeger(vm->L, -1);
  }
  lua_settop(vm->L, VM_KEPT);
  if (!found)
    return false;
  parking_park(vm, &x);
  parked_add(vm->desc.parked, &x);
  return true;
}

void vm_repark(vm_o *vm) {
  for (uint32_t i = 0; i < vm->desc.parked->items.count; ++i) {
    parked_t *x = &vm->desc.parked->items.items[i];
    if (x->system != 0) // pieces of plugins have no numbers
      parking_call(vm, "park", x, 0);
  }
}
