// Makes `a % b` of Lua's interpreter round every step of a - floor(a / b) * b, as on other processors and in compiled
// code. On arm64, LuaJIT before 2023 computes product and difference in one fused instruction, with one rounding.
#ifndef SHOAL_LUAJIT_MODULO_PATCH_H
#define SHOAL_LUAJIT_MODULO_PATCH_H

#include <stdbool.h>

// Patches the instruction in LuaJIT's machine code, if present. Main thread, before the first VM is created.
void modulo_patch_interpreter(void);

// Returns whether the interpreter computes `a % b` exactly, tested in a separate VM.
bool modulo_is_exact(void);

#endif
