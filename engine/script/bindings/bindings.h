// C functions for the engine's Lua, in addition to those called through the FFI (bindings/abi.h).
#ifndef SHOAL_BINDINGS_BINDINGS_H
#define SHOAL_BINDINGS_BINDINGS_H

typedef struct lua_State lua_State;

void bindings_open(lua_State *L, void *context); // `open` callback of a vm_library_t; ignores `context`

#endif
