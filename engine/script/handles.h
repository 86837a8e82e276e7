// Entity handles of one VM: light userdata, which the FFI neither makes nor takes. So they change hands in two tables
// on the stack of a thread that runs nothing: the handles by index, and a tray with the one that Lua asks about. Slots
// that are there are read and written, and nothing else, so compiled code may call this through the FFI.
#ifndef SHOAL_SCRIPT_HANDLES_H
#define SHOAL_SCRIPT_HANDLES_H

#include "ecs/entity.h"

#include <lua.h>

typedef struct handles_t { // up to `capacity` a part of bindings/abi.h
  uint32_t *id_at;         // entity index → the id whose handle the table has there, 0 for none; freed with the VM
  uint32_t capacity;       // of it, and of the table
  lua_State *tables;       // NULL until share_handles; it lives as long as the VM
} handles_t;

void handles_push(lua_State *L, shoal_entity id);

// Makes the handle of `id`, whose index is below the capacity. Of an entity that is not dead, it also makes the handles
// of the ids to be handed out next if it is the newest, or else of its neighbours: a loop comes here rarely, and is
// compiled without.
void handles_make(handles_t *h, const entities_t *s, shoal_entity id);
// The id of what lies on the tray; -1 when it is no entity handle.
int32_t handles_take(handles_t *h);

int bind_share_handles(lua_State *L); // (table of handles by index, tray)
int bind_grow_handles(lua_State *L);  // (capacity): from now on there is room for so many

#endif
