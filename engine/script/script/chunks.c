// Loads Lua chunks: compiled sources of the game and the engine.
#include "script/chunks.h"

#include "luajit/lua_edit.h"
#include "script/vm.h"

#include <lauxlib.h>
#include <stdlib.h>

// Bytecode is never loaded from a game's folder, only from another VM of this process or from the build's code file.
bool chunk_compile(lua_State *L, const char *name) {
  vm_o *vm = vm_of(L);
  error_info_t error = {0};
  bytecode_bytes_t dumped = {0};
  size_t size = 0, code_size = 0;
  const void *bytecode = sources_get_built_code(vm->sources, name, &code_size);
  const char *text = bytecode ? "" : sources_read_text(vm->sources, name, &size, &error);
  if (!text) {
    lua_pushstring(L, error.text);
    return false;
  }
  if (!bytecode)
    bytecode = sources_get_code(vm->sources, name, &code_size);
  const char *chunk_name = lua_pushfstring(L, "@%s", name);
  int status = bytecode ? luaL_loadbufferx(L, bytecode, code_size, chunk_name, "b")
                        : luaL_loadbufferx(L, text, size, chunk_name, "t");
  lua_remove(L, -2);
  if (status == 0 && !bytecode && bytecode_dump(L, &dumped))
    sources_set_code(vm->sources, name, dumped.items, dumped.count);
  free(dumped.items);
  if (status == LUA_ERRSYNTAX && lua_source_ends_early(lua_shorten_syntax_error(L)))
    sources_mark_unfinished(vm->sources, name);
  return status == 0;
}
