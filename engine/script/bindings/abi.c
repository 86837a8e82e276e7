// Contains the text of abi.h for Lua, and checks that its structs match the structs in the modules' headers.
#include "bindings/abi.h"

#include "bindings/bind.h"

#include "countdown/ease.h"
#include "transform/transform.h"

const char abi_text[] = BIND_TEXT(ABI_TYPES) BIND_TEXT(ABI_FUNCTIONS);

// clang-format off
BIND_CHECK_STRUCTS(ABI_STRUCTS)
