// Parks pieces of systems that have failed, and updates the VM from the world's list of parked pieces.
#include "script/parking.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "script/script.h"
#include "script/vm.h"

#include <stdio.h>

bool parking_call(vm_o *vm, const char *engine_function, const parked_t *x, int results) {
  lua_pushinteger(vm->L, (lua_Integer)x->system);
  lua_pushinteger(vm->L, (lua_Integer)x->part);
  return vm_call(vm, engine_function, 2, results);
}

void parking_park_piece(vm_o *vm, parked_t *x) {
  shoal_assert(x->system > 0 && x->part > 0, "numbers start at 1, got piece %u of system %u", x->part, x->system);
  bool ok = parking_call(vm, "park", x, 2);
  error_set_piece(&x->error, ok ? lua_tostring(vm->L, -2) : "a system");
  x->kind = parked_kind_parse(ok ? lua_tostring(vm->L, -1) : NULL);
  x->tick = world_tick(vm->desc.world);
  lua_settop(vm->L, VM_KEPT);
}

void parking_record_failure(vm_o *vm, const parked_t *x) {
  if (parked_is_retried(x->kind))
    parked_pieces_record_failure(vm->desc.world, x->name, x->stopped, x->drawing);
  parked_list_add(vm->desc.parked, x);
}

bool vm_park_piece(vm_o *vm, const char *name, bool stopped) {
  const parked_piece_t *piece = parked_piece_find(vm->desc.world, name);
  if (piece && piece->failed_at == world_tick(vm->desc.world) &&
      parked_piece_state(vm->desc.world, piece) == PARKED_STATE_WAITING)
    return true;
  if (!vm->L)
    return false;
  parked_t x = {.stopped = stopped};
  snprintf(x.name, sizeof x.name, "%s", name);
  lua_pushstring(vm->L, name);
  bool found = vm_call(vm, "piece_called", 1, 3) && lua_isnumber(vm->L, -3);
  if (found) {
    x.system = (uint32_t)lua_tointeger(vm->L, -3);
    x.part = (uint32_t)lua_tointeger(vm->L, -2);
    x.drawing = lua_toboolean(vm->L, -1);
  }
  lua_settop(vm->L, VM_KEPT);
  if (!found)
    return false;
  parking_park_piece(vm, &x);
  parking_record_failure(vm, &x);
  return true;
}

void vm_update_parked_pieces(vm_o *vm, bool skips_events) {
  const parked_piece_t *x;
  const world_o *w = vm->desc.world;
  if (!vm->L || (!vm->has_parked && !parked_piece_at(w, 0)))
    return;
  vm->has_parked = false;
  vm_call(vm, "begin_parked", 0, 0);
  for (uint32_t i = 0; (x = parked_piece_at(w, i)) != NULL; ++i) {
    parked_state_t state = parked_piece_state(w, x);
    if (state != PARKED_STATE_WAITING && state != PARKED_STATE_TRIED)
      continue;
    vm->has_parked = true;
    lua_pushstring(vm->L, x->name);
    lua_pushboolean(vm->L, state == PARKED_STATE_WAITING);
    lua_pushboolean(vm->L, skips_events && world_tick(w) == x->next_try);
    vm_call(vm, "set_parked", 3, 0);
  }
  vm_call(vm, "end_parked", 0, 0);
  lua_settop(vm->L, VM_KEPT);
}

void vm_record_piece_success(vm_o *vm, const char *name) {
  unsigned long long failures = parked_pieces_record_success(vm->desc.world, name);
  if (failures > 0)
    log_info(vm->desc.log, "%s runs again after %llu failure%s", name, failures, failures > 1 ? "s" : "");
}
