// Entity handles: light userdata with the pointer value (id << 2) | 1. No other light userdata has these low bits.
#include "script/handles.h"

#include "base/assert.h"
#include "script/vm.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024u         // number of handles created in one batch
enum { HANDLES = 1, TRAY }; // stack slots of h->tables

void handles_push_handle(lua_State *L, shoal_entity id) {
  lua_pushlightuserdata(L, (void *)(((uintptr_t)id << 2) | 1));
}

static void create_handle(handles_t *h, shoal_entity id) {
  uint32_t index = shoal_entity_index(id);
  if (index >= h->capacity || h->id_at[index] == id)
    return;
  handles_push_handle(h->tables, id);
  lua_rawseti(h->tables, HANDLES, (int)index);
  h->id_at[index] = id;
}

static void create_handle_at(handles_t *h, const entities_t *s, uint32_t index) {
  create_handle(h, index | (uint32_t)s->generation[index] << SHOAL_ENTITY_INDEX_BITS);
}

// Returns true if the entity is the newest: its index then directly precedes the free indices in the ring.
static bool is_newest(const entities_t *s, uint32_t index) {
  return s->free_ring[(s->free_first - 1) & (s->free_capacity - 1)] == index;
}

void handles_create_handle(handles_t *h, const entities_t *s, shoal_entity id) {
  uint32_t index = shoal_entity_index(id), first = index - index % BATCH;
  shoal_assert(index < h->capacity, "handle index %u is out of range (capacity %u)", index, h->capacity);
  create_handle(h, id);
  if (index >= s->capacity || s->generation[index] != shoal_entity_generation(id)) // the entity is dead
    return;
  for (uint32_t i = 0; i < BATCH && i < s->free_count && is_newest(s, index); ++i)
    create_handle_at(h, s, s->free_ring[(s->free_first + i) & (s->free_capacity - 1)]);
  for (uint32_t i = first > 0 ? first : 1; i < first + BATCH && i < s->capacity && !is_newest(s, index); ++i)
    create_handle_at(h, s, i);
}

int32_t handles_read_tray(handles_t *h) {
  lua_rawgeti(h->tables, TRAY, 1);
  bool is_light = lua_type(h->tables, -1) == LUA_TLIGHTUSERDATA;
  uintptr_t bits = is_light ? (uintptr_t)lua_touserdata(h->tables, -1) : 0;
  lua_settop(h->tables, TRAY);
  return (bits & 3) == 1 && bits >> 2 <= INT32_MAX ? (int32_t)(bits >> 2) : -1;
}

int bind_share_handles(lua_State *L) {
  handles_t *h = &vm_of(L)->handles;
  luaL_checktype(L, HANDLES, LUA_TTABLE);
  luaL_checktype(L, TRAY, LUA_TTABLE);
  h->tables = lua_newthread(L);
  lua_pushlightuserdata(L, h);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_settop(L, TRAY);
  lua_checkstack(h->tables, LUA_MINSTACK);
  lua_xmove(L, h->tables, TRAY);
  return 0;
}

int bind_grow_handles(lua_State *L) {
  handles_t *h = &vm_of(L)->handles;
  uint32_t capacity = (uint32_t)luaL_checknumber(L, 1);
  if (!h->tables || capacity <= h->capacity)
    return 0;
  lua_pushvalue(h->tables, HANDLES);
  lua_xmove(h->tables, L, 1);
  for (uint32_t i = h->capacity; i < capacity; ++i) {
    handles_push_handle(L, SHOAL_ENTITY_NONE);
    lua_rawseti(L, -2, (int)i);
  }
  uint32_t *grown = realloc(h->id_at, capacity * sizeof *grown);
  if (!grown)
    abort();
  memset(grown + h->capacity, 0, (capacity - h->capacity) * sizeof *grown);
  h->id_at = grown;
  h->capacity = capacity;
  return 0;
}
