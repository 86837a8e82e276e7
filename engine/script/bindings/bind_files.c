// Lua functions for the engine's own scripts: read and list files on disk, and describe missing assets.
#include "bindings/bind.h"

#include "base/files.h"
#include "script/vm.h"

// read_file(path) → text; on failure: nil, message
static int read_file(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *allocator = world_allocator(vm->desc.world);
  error_info_t error = {0};
  size_t size = 0;
  const char *path = luaL_checkstring(L, 1);
  char *text = file_read(allocator, path, &size, &error);
  if (text) {
    lua_pushlstring(L, text, size);
    file_free(allocator, text, size);
    return 1;
  }
  return bind_push_error(L, error.text);
}

static void push_paths(lua_State *L, const file_list_t *list) {
  lua_createtable(L, (int)list->count, 0);
  for (uint32_t i = 0; i < list->count; ++i) {
    lua_pushstring(L, list->paths[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

// list_files(folder, suffix) → sorted array of paths relative to the folder; on failure: nil, message
static int list_files(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *allocator = world_allocator(vm->desc.world);
  error_info_t error = {0};
  file_list_t list = {0};
  const char *folder = luaL_checkstring(L, 1), *suffix = luaL_checkstring(L, 2);
  if (!file_list(allocator, folder, suffix, &list, &error))
    return bind_push_error(L, error.text);
  push_paths(L, &list);
  file_list_free(allocator, &list);
  return 1;
}

static int is_folder(lua_State *L) {
  lua_pushboolean(L, file_is_folder(luaL_checkstring(L, 1)));
  return 1;
}

// game_files() → names of all files in the game's folder, including assets/ but not hidden files. For messages only.
static int list_game_files(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *allocator = world_allocator(vm->desc.world);
  file_list_t list = {0};
  if (!file_list(allocator, vm->game_folder, "", &list, NULL))
    list = (file_list_t){0};
  push_paths(L, &list);
  file_list_free(allocator, &list);
  return 1;
}

// missing_asset(name, requester, is_sound) → a description of where the asset was searched for; nil if the asset exists
// or the VM has no assets. `requester`: source position of the request, reported if the asset turns out to be broken.
// `is_sound`: the name may lack its extension. For messages only: the world must not depend on the result.
static int describe_missing_asset(lua_State *L) {
  vm_o *vm = vm_of(L);
  char path[1280] = "";
  const char *name = luaL_checkstring(L, 1), *requester = luaL_checkstring(L, 2);
  bool found = !vm->desc.assets || assets_find(vm->desc.assets, name, path, sizeof path);
  bool is_sound = !found && lua_toboolean(L, 3) && !assets_has_extension(name);
  if (is_sound && !assets_is_sound(vm->desc.assets, name))
    assets_describe_missing_sound(name, path, sizeof path);
  else
    found = found || is_sound;
  if (vm->desc.assets && !vm->context.muted)
    assets_record_request(vm->desc.assets, name, requester, !found);
  if (found)
    lua_pushnil(L);
  else
    lua_pushstring(L, path);
  return 1;
}

void bind_files(lua_State *L) {
  static const luaL_Reg list[] = {
      {"read_file", read_file},
      {"list_files", list_files},
      {"is_folder", is_folder},
      {"game_files", list_game_files},
      {"missing_asset", describe_missing_asset},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
