// C functions for the engine's Lua, in addition to the functions called through the FFI (bindings/abi.h).
#ifndef SHOAL_BINDINGS_BINDINGS_H
#define SHOAL_BINDINGS_BINDINGS_H

#include <stdbool.h>

typedef struct lua_State lua_State;
typedef struct vm_o vm_o;

void bindings_open(lua_State *L, void *context); // `open` callback of a vm_library_t; ignores `context`
// Returns true if the VM runs the menu, the only game that may list and open game folders.
bool bindings_is_menu(const vm_o *vm);

#endif
