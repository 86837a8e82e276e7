// Contains the text and the functions of abi.h for Lua, and checks that its structs match the structs in the modules'
// headers.
#include "bindings/abi.h"

#include "bindings/bind.h"

#include "countdown/ease.h"
#include "transform/transform.h"

static const bind_function_t ABI_LIST[] = {
#include "abi_functions.h"
};

void abi_bind(lua_State *L) {
  static const char text[] = BIND_TEXT(ABI_TYPES) BIND_TEXT(ABI_FUNCTIONS);
  bind_declarations(L, text, ABI_LIST, sizeof ABI_LIST / sizeof *ABI_LIST);
}

// clang-format off
BIND_CHECK_STRUCTS(ABI_STRUCTS)
