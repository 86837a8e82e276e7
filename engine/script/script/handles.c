// Entity handles: light userdata with the pointer value (id << 2) | 1. Only entity handles have these low bits.
#include "script/handles.h"

#include "base/assert.h"
#include "script/vm.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_HANDLES 1024u // number of handles created in one batch
enum { HANDLES_SLOT = 1 };  // stack slot of h->table_stack

void handles_push_handle(lua_State *L, shoal_entity id) {
  lua_pushlightuserdata(L, (void *)(((uintptr_t)id << 2) | 1));
}

static void create_handle(handles_t *handles, shoal_entity id) {
  uint32_t index = shoal_entity_index(id);
  if (index >= handles->capacity || handles->ids[index] == id)
    return;
  handles_push_handle(handles->table_stack, id);
  lua_rawseti(handles->table_stack, HANDLES_SLOT, (int)index);
  handles->ids[index] = id;
}

static void create_handle_at(handles_t *handles, const entities_t *entities, uint32_t index) {
  create_handle(handles, index | (uint32_t)entities->generation[index] << SHOAL_ENTITY_INDEX_BITS);
}

// Returns true if the entity is the newest: its index then directly precedes the free indices in the ring.
static bool is_newest(const entities_t *entities, uint32_t index) {
  return entities->free_ring[(entities->free_first - 1) & (entities->free_capacity - 1)] == index;
}

void handles_create_handle(handles_t *handles, const entities_t *entities, shoal_entity id) {
  uint32_t index = shoal_entity_index(id), batch_start = index - index % BATCH_HANDLES;
  shoal_assert(index < handles->capacity, "handle index %u is out of range (capacity %u)", index, handles->capacity);
  create_handle(handles, id);
  if (index >= entities->capacity || entities->generation[index] != shoal_entity_generation(id)) // the entity is dead
    return;
  for (uint32_t i = 0; i < BATCH_HANDLES && i < entities->free_count && is_newest(entities, index); ++i)
    create_handle_at(handles, entities,
                     entities->free_ring[(entities->free_first + i) & (entities->free_capacity - 1)]);
  for (uint32_t i = batch_start > 0 ? batch_start : 1;
       i < batch_start + BATCH_HANDLES && i < entities->capacity && !is_newest(entities, index); ++i)
    create_handle_at(handles, entities, i);
}

int bind_share_handles(lua_State *L) {
  handles_t *handles = &vm_of(L)->handles;
  luaL_checktype(L, HANDLES_SLOT, LUA_TTABLE);
  handles->table_stack = lua_newthread(L);
  lua_pushlightuserdata(L, handles);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_settop(L, HANDLES_SLOT);
  lua_checkstack(handles->table_stack, LUA_MINSTACK);
  lua_xmove(L, handles->table_stack, HANDLES_SLOT);
  return 0;
}

int bind_grow_handles(lua_State *L) {
  handles_t *handles = &vm_of(L)->handles;
  uint32_t capacity = (uint32_t)luaL_checknumber(L, 1);
  if (!handles->table_stack || capacity <= handles->capacity)
    return 0;
  lua_pushvalue(handles->table_stack, HANDLES_SLOT);
  lua_xmove(handles->table_stack, L, 1);
  for (uint32_t i = handles->capacity; i < capacity; ++i) {
    handles_push_handle(L, SHOAL_ENTITY_NONE);
    lua_rawseti(L, -2, (int)i);
  }
  uint32_t *ids = realloc(handles->ids, capacity * sizeof *ids);
  if (!ids)
    abort();
  memset(ids + handles->capacity, 0, (capacity - handles->capacity) * sizeof *ids);
  handles->ids = ids;
  handles->capacity = capacity;
  return 0;
}
