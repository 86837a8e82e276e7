// Lua functions for the game's source files, compiled chunks, and the bytecode of functions.
#include "bindings/bind.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/files.h"
#include "luajit/name_check.h"
#include "process/main_calls.h"
#include "script/chunks.h"
#include "script/vm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// source(name) → text; on failure: nil, message
static int read_source(lua_State *L) {
  error_info_t error = {0};
  size_t size = 0;
  const char *name = luaL_checkstring(L, 1);
  const char *text = sources_read_text(vm_of(L)->sources, name, &size, &error);
  if (!text)
    return bind_push_error(L, error.text);
  lua_pushlstring(L, text, size);
  return 1;
}

// has_source(name) → true if the game has this file, readable or not. Also true if the game's folder could not be
// listed; reading the file then fails with the reason.
static int has_source(lua_State *L) {
  const sources_o *sources = vm_of(L)->sources;
  lua_pushboolean(L, sources_has_file(sources, luaL_checkstring(L, 1)) || !sources_is_listed(sources));
  return 1;
}

// mark_unfinished(name): records that the file returned nothing or ends early, as a file does while it is being saved
static int mark_unfinished(lua_State *L) {
  sources_mark_unfinished(vm_of(L)->sources, luaL_checkstring(L, 1));
  return 0;
}

// compile(name) → chunk; on failure: nil, message
static int compile_source(lua_State *L) {
  bool ok = chunk_compile(L, luaL_checkstring(L, 1));
  if (ok)
    return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

static void push_write(lua_State *L, const bytecode_write_t *write) {
  lua_createtable(L, 0, 4);
  lua_pushinteger(L, (lua_Integer)write->upvalue);
  lua_setfield(L, -2, "upvalue");
  lua_pushinteger(L, (lua_Integer)write->line);
  lua_setfield(L, -2, "line");
  lua_pushstring(L, write->name);
  lua_setfield(L, -2, "name");
  lua_pushboolean(L, write->kind == BYTECODE_STORES);
  lua_setfield(L, -2, "stores");
}

// writes(function) → array of its writes to outer variables (bytecode.h): { upvalue, line, name, stores }; nil if the
// function has no such writes, or if its bytecode cannot be read
static int list_writes(lua_State *L) {
  vm_o *vm = vm_of(L);
  bytecode_write_t writes[BYTECODE_MAX_WRITES];
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  if (!vm->reads_bytecode || !bytecode_dump(L, &vm->bytecode))
    return 0;
  int count = bytecode_list_writes(&vm->ops, vm->bytecode.items, vm->bytecode.count, writes);
  shoal_assert(count <= (int)BYTECODE_MAX_WRITES, "write count %d exceeds the capacity %d", count, BYTECODE_MAX_WRITES);
  if (count <= 0)
    return 0;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    push_write(L, &writes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

// check_names(types, report, file) → true if the file could be checked (luajit/name_check.h)
static int check_names(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  size_t bytes = 0;
  const void *code = sources_get_code(vm_of(L)->sources, luaL_checkstring(L, 3), &bytes);
  allocator_t memory = {0};
  dump_t dump = {0};
  bool is_readable = code && dump_read(&dump, &memory, code, bytes);
  int status = is_readable ? name_check_run(L, &dump, &memory) : 0;
  dump_fini(&dump, &memory);
  shoal_assert(memory.bytes == 0, "%zu bytes were not freed", memory.bytes);
  if (status != 0)
    return lua_error(L);
  lua_pushboolean(L, is_readable);
  return 1;
}

// sources(folder) → sorted names of the game's files below the folder, relative to the folder; "": all files
static int list_sources(lua_State *L) {
  const char *folder = luaL_checkstring(L, 1), *name;
  size_t length = strlen(folder), prefix = length > 0 ? length + 1 : 0;
  int count = 0;
  lua_newtable(L);
  for (uint32_t i = 0; (name = sources_file_name(vm_of(L)->sources, i)) != NULL; ++i)
    if (length == 0 || (strncmp(name, folder, length) == 0 && name[length] == '/')) {
      lua_pushstring(L, name + prefix);
      lua_rawseti(L, -2, ++count);
    }
  return 1;
}

// addon_folder(path) → absolute path of a folder, and true if it has an addon.lua; nil if the folder does not exist;
// nil and a message if it cannot be examined. A relative path starts in the game's folder, and may leave it.
static int find_addon_folder(lua_State *L) {
  vm_o *vm = vm_of(L);
  char joined[FILE_PATH_BYTES], folder[FILE_PATH_BYTES], file[FILE_PATH_BYTES + 16];
  const char *path = luaL_checkstring(L, 1);
  if (!path_is_absolute(path))
    path = path_join(joined, sizeof joined, vm->game_folder, path);
  bool found = archive_contains(path) ? snprintf(folder, sizeof folder, "%s", path) > 0 : path_resolve(path, folder);
  int error = found ? 0 : errno;
  found = found && file_is_folder(folder);
  bool has_file = found && file_exists(path_join(file, sizeof file, folder, "addon.lua"));
  if (!has_file)
    sources_mark_missing_addon(vm->sources);
  if (!found && error != 0 && error != ENOENT && error != ENOTDIR) {
    lua_pushnil(L);
    lua_pushfstring(L, "cannot read the folder %s: %s", path, strerror(error));
    return 2;
  }
  if (!found)
    return 0;
  lua_pushstring(L, folder);
  lua_pushboolean(L, has_file);
  return 2;
}

typedef struct add_call_t {
  const assets_t *assets;
  const char *name, *folder;
} add_call_t;

static void run_add_call(void *context) {
  const add_call_t *call = context;
  assets_add_addon(call->assets, call->name, call->folder);
}

// add_addon(name, folder) → true; on failure: nil, message. `folder`: from addon_folder.
static int add_addon(lua_State *L) {
  vm_o *vm = vm_of(L);
  const char *name = luaL_checkstring(L, 1), *folder = luaL_checkstring(L, 2);
  error_info_t error = {0};
  add_call_t call = {vm->desc.assets, name, folder};
  if (!sources_add_addon(vm->sources, name, folder, &error))
    return bind_push_error(L, error.text);
  if (call.assets && !assets_has_addon(call.assets, name, folder) && !main_calls_invoke(run_add_call, &call))
    return bind_push_error(L, MAIN_CALLS_CLOSED);
  lua_pushboolean(L, true);
  return 1;
}

// set_addon_version(name, version): stores the version that the add-on's addon.lua declares
static int set_addon_version(lua_State *L) {
  sources_set_addon_version(vm_of(L)->sources, luaL_checkstring(L, 1), luaL_checkstring(L, 2));
  return 0;
}

void bind_sources(lua_State *L) {
  static const luaL_Reg list[] = {
      {"source", read_source},
      {"sources", list_sources},
      {"addon_folder", find_addon_folder},
      {"add_addon", add_addon},
      {"set_addon_version", set_addon_version},
      {"compile", compile_source},
      {"check_names", check_names},
      {"writes", list_writes},
      {"rewrite", bytecode_rewrite},
      {"has_source", has_source},
      {"mark_unfinished", mark_unfinished},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
