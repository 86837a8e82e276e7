// Binds store/scene.h to Lua: writes entities as scene text, checks scene text, and spawns its entities. Frees C memory
// even if Lua runs out of memory.
#include "bindings/bind_scene.h"

#include "base/assert.h"
#include "base/files.h"
#include "script/vm.h"
#include "store/map_objects.h"

#include <lauxlib.h>
#include <string.h>

typedef struct scene_text_t {
  const char *text;
  size_t bytes;
} scene_text_t;

static int push_text(lua_State *L) {
  const scene_text_t *text = lua_touserdata(L, 1);
  lua_pushlstring(L, text->text, text->bytes);
  return 1;
}

int bind_scene_write(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  uint32_t count = (uint32_t)luaL_checknumber(L, 2);
  allocator_t memory = {0};
  scene_text_t result = {NULL, 0};
  error_info_t error = {0};
  char *text = scene_write(vm_of(L)->desc.world, ids, count, &memory, &result.bytes, &error);
  if (!text)
    return bind_push_error(L, error.text);
  result.text = text;
  lua_pushcfunction(L, push_text); // called under lua_pcall, so that the text is freed even if Lua runs out of memory
  lua_pushlightuserdata(L, &result);
  int status = lua_pcall(L, 1, 1, 0);
  file_free(&memory, text, result.bytes);
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
  lua_pushstring(L, fault->path);
  return 4;
}

#define MAX_FORMER_NAMES 20u // maximum number of former names reported per text

typedef struct former_names_t {
  uint32_t count;
  scene_fault_t list[MAX_FORMER_NAMES];
} former_names_t;

// Adds a former name at its position, unless the list is full or already contains the name.
static void add_former_name(void *context, uint32_t number, const scene_fault_t *fault, const char *former,
                            const char *current) {
  former_names_t *names = context;
  (void)number;
  (void)former;
  (void)current;
  for (uint32_t i = 0; i < names->count; ++i)
    if (strcmp(names->list[i].error.text, fault->error.text) == 0)
      return;
  if (names->count < MAX_FORMER_NAMES)
    names->list[names->count++] = *fault;
}

int bind_scene_check(lua_State *L) {
  allocator_t memory = {0};
  scene_fault_t fault;
  former_names_t *names = lua_newuserdata(L, sizeof *names); // freed by Lua
  const scene_former_t former = {.report = add_former_name, .context = names};
  scene_desc_t desc = read_desc(L);
  names->count = 0;
  desc.former_names = &former;
  bool ok = scene_read(vm_of(L)->desc.world, &desc, &memory, NULL, &fault);
  if (!ok)
    return bind_scene_push_error(L, &fault);
  lua_pushboolean(L, 1);
  lua_createtable(L, (int)names->count, 0);
  for (uint32_t i = 0; i < names->count; ++i) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, names->list[i].error.text);
    lua_setfield(L, -2, "message");
    lua_pushnumber(L, names->list[i].line);
    lua_setfield(L, -2, "line");
    lua_pushstring(L, names->list[i].path);
    lua_setfield(L, -2, "place");
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 2;
}

static int push_spawned(lua_State *L) {
  const scene_spawned_t *spawned = lua_touserdata(L, 1);
  lua_createtable(L, (int)spawned->count, 0);
  for (uint32_t i = 0; i < spawned->count; ++i) {
    handles_push_handle(L, spawned->items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_createtable(L, 0, (int)spawned->ids.list.count);
  for (uint32_t i = spawned->ids.list.count; i-- > 0;) { // ids are set last, so that they take priority over names
    handles_push_handle(L, spawned->ids.list.items[i].entity);
    lua_setfield(L, -2, spawned->ids.text.items + spawned->ids.list.items[i].text_offset);
  }
  lua_pushlstring(L, spawned->unresolved.count > 0 ? spawned->unresolved.items : "", spawned->unresolved.count);
  lua_pushlstring(L, spawned->skipped.count > 0 ? spawned->skipped.items : "", spawned->skipped.count);
  return 4;
}

int bind_scene_spawn(lua_State *L, const scene_desc_t *desc) {
  allocator_t memory = {0};
  scene_spawned_t spawned = {0};
  scene_fault_t fault;
  bool ok = scene_read(vm_of(L)->desc.world, desc, &memory, &spawned, &fault);
  if (!ok)
    return bind_scene_push_error(L, &fault);
  lua_pushcfunction(L, push_spawned);
  lua_pushlightuserdata(L, &spawned);
  int status = lua_pcall(L, 1, 4, 0);
  scene_spawned_fini(&spawned, &memory);
  return status == 0 ? 4 : lua_error(L);
}

int bind_scene_read(lua_State *L) {
  scene_desc_t desc = read_desc(L);
  desc.accepts_entity_ids = lua_toboolean(L, 3);
  desc.is_import = lua_toboolean(L, 4);
  return bind_scene_spawn(L, &desc);
}

int bind_fill_tilemaps(lua_State *L) {
  map_objects_fill(vm_of(L)->desc.world);
  return 0;
}
