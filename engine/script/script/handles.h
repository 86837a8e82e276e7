// Entity handles of one VM. The FFI can neither create nor receive light userdata, so C stores the handles, indexed by
// entity index, in a table on the stack of a thread that never runs. Only existing slots are written, so compiled code
// may call these functions through the FFI.
#ifndef SHOAL_SCRIPT_HANDLES_H
#define SHOAL_SCRIPT_HANDLES_H

#include "ecs/entity.h"

#include <lua.h>

typedef struct handles_t { // the members up to `capacity` are repeated in bindings/abi.h
  uint32_t *ids;           // ids whose handles are in the table, or 0, indexed by entity index; freed with the VM
  uint32_t capacity;       // capacity of `ids` and of the table
  lua_State *table_stack;  // thread whose stack holds the table; NULL until share_handles; lives as long as the VM
} handles_t;

void handles_push_handle(lua_State *L, shoal_entity id);

// Creates the handle of `id`, whose index must be below the capacity. If the entity is alive or newly created, also
// creates handles in advance, so that loops rarely call this function. For the newest entity, these are the handles of
// the next ids in the free ring. For any other entity, they are the handles of the neighbouring indices.
void handles_create_handle(handles_t *handles, const entities_t *entities, shoal_entity id);

int bind_share_handles(lua_State *L); // Lua function share_handles(table of handles by index)
int bind_grow_handles(lua_State *L);  // Lua function grow_handles(capacity): grows the table to this capacity

#endif
