// Binds store/scene.h to Lua: writes entities as scene text, checks scene text, and spawns its entities. Frees C memory
// even if Lua runs out of memory.
#include "bindings/bind_scene.h"

#include "base/assert.h"
#include "base/files.h"
#include "watchdog/host_call.h"
#include "script/vm.h"

#include <lauxlib.h>

typedef struct text_t {
  const char *text;
  size_t bytes;
} text_t;

static int push_text(lua_State *L) {
  const text_t *t = lua_touserdata(L, 1);
  lua_pushlstring(L, t->text, t->bytes);
  return 1;
}

int bind_scene_write(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  uint32_t count = (uint32_t)luaL_checknumber(L, 2);
  allocator_t memory = {0};
  text_t t = {NULL, 0};
  error_t error = {0};
  host_call_enter();
  char *text = scene_write(vm_of(L)->desc.world, ids, count, &memory, &t.bytes, &error);
  if (!text) {
    host_call_leave();
    return bind_push_error(L, error.text);
  }
  t.text = text;
  lua_pushcfunction(L, push_text); // under lua_pcall, so that the text is freed even if Lua runs out of memory
  lua_pushlightuserdata(L, &t);
  int status = lua_pcall(L, 1, 1, 0);
  file_free(&memory, text, t.bytes);
  host_call_leave();
  return status == 0 ? 1 : lua_error(L);
}

static scene_desc_t read_desc(lua_State *L) {
  scene_desc_t desc = {.text = NULL};
  desc.text = luaL_checklstring(L, 1, &desc.text_bytes);
  desc.ignored = luaL_checkstring(L, 2);
  return desc;
}

int bind_scene_push_error(lua_State *L, const scene_fault_t *fault) {
  bind_push_error(L, fault->error.text);
  lua_pushnumber(L, fault->line);
  lua_pushstring(L, fault->place);
  return 4;
}

int bind_scene_check(lua_State *L) {
  allocator_t memory = {0};
  scene_fault_t fault;
  scene_desc_t desc = read_desc(L);
  host_call_enter();
  bool good = scene_read(vm_of(L)->desc.world, &desc, &memory, NULL, &fault);
  host_call_leave();
  if (!good)
    return bind_scene_push_error(L, &fault);
  lua_pushboolean(L, 1);
  return 1;
}

static int push_spawned(lua_State *L) {
  const scene_made_t *made = lua_touserdata(L, 1);
  lua_createtable(L, (int)made->count, 0);
  for (uint32_t i = 0; i < made->count; ++i) {
    handles_push_handle(L, made->items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_createtable(L, 0, (int)made->ids.list.count);
  for (uint32_t i = made->ids.list.count; i-- > 0;) { // ids are set last, so that they take priority over names
    handles_push_handle(L, made->ids.list.items[i].e);
    lua_setfield(L, -2, made->ids.text.items + made->ids.list.items[i].at);
  }
  lua_pushlstring(L, made->lost.count > 0 ? made->lost.items : "", made->lost.count);
  return 3;
}

// Creating the Lua values is part of the host call, so that the watchdog cannot stop the script before the C data is
// freed.
int bind_scene_spawn(lua_State *L, const scene_desc_t *desc) {
  allocator_t memory = {0};
  scene_made_t made = {0};
  scene_fault_t fault;
  bool good = scene_read(vm_of(L)->desc.world, desc, &memory, &made, &fault);
  if (!good) {
    host_call_leave();
    return bind_scene_push_error(L, &fault);
  }
  lua_pushcfunction(L, push_spawned);
  lua_pushlightuserdata(L, &made);
  int status = lua_pcall(L, 1, 3, 0);
  scene_made_fini(&made, &memory);
  host_call_leave();
  return status == 0 ? 3 : lua_error(L);
}

int bind_scene_read(lua_State *L) {
  scene_desc_t desc = read_desc(L);
  desc.by_entity = lua_toboolean(L, 3);
  desc.is_import = lua_toboolean(L, 4);
  host_call_enter();
  return bind_scene_spawn(L, &desc);
}
