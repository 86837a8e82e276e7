// Parks pieces of systems that have failed, and updates the VM from the world's list of parked pieces.
#include "script/parking.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "script/script.h"
#include "script/vm.h"

#include <stdio.h>

bool parking_call(vm_o *vm, const char *engine_function, const parked_t *parked, int results) {
  lua_pushinteger(vm->L, (lua_Integer)parked->system);
  lua_pushinteger(vm->L, (lua_Integer)parked->part);
  return vm_call(vm, engine_function, 2, results);
}

void parking_park_piece(vm_o *vm, parked_t *parked) {
  shoal_assert(parked->system > 0 && parked->part > 0, "numbers start at 1, got piece %u of system %u", parked->part,
               parked->system);
  bool known_piece = parking_call(vm, "park", parked, 2);
  error_set_piece(&parked->error, known_piece ? lua_tostring(vm->L, -2) : "a system");
  parked->kind = parked_kind_parse(known_piece ? lua_tostring(vm->L, -1) : NULL);
  parked->tick = world_tick(vm->desc.world);
  lua_settop(vm->L, VM_BASE_TOP);
}

void parking_record_failure(vm_o *vm, const parked_t *parked) {
  if (parked_is_retried(parked->kind))
    parked_pieces_record_failure(vm->desc.world, parked->name, parked->stopped, parked->drawing);
  parked_list_add(vm->desc.parked, parked);
}

void vm_update_parked_pieces(vm_o *vm, bool skips_events) {
  const parked_piece_t *piece;
  const world_o *world = vm->desc.world;
  if (!vm->L || (!vm->has_parked && !parked_piece_at(world, 0)))
    return;
  vm->has_parked = false;
  vm_call(vm, "begin_parked", 0, 0);
  for (uint32_t i = 0; (piece = parked_piece_at(world, i)) != NULL; ++i) {
    parked_state_t state = parked_piece_state(world, piece);
    if (state != PARKED_STATE_WAITING && state != PARKED_STATE_TRIED)
      continue;
    vm->has_parked = true;
    lua_pushstring(vm->L, piece->name);
    lua_pushboolean(vm->L, state == PARKED_STATE_WAITING);
    lua_pushboolean(vm->L, skips_events && world_tick(world) == piece->next_try);
    vm_call(vm, "set_parked", 3, 0);
  }
  vm_call(vm, "end_parked", 0, 0);
  lua_settop(vm->L, VM_BASE_TOP);
}

void vm_record_piece_success(vm_o *vm, const char *name) {
  unsigned long long failures = parked_pieces_record_success(vm->desc.world, name);
  if (failures > 0)
    log_info(vm->desc.log, "%s runs again after %llu failure%s", name, failures, failures > 1 ? "s" : "");
}
