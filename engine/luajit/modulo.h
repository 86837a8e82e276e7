// `a % b` of Lua's interpreter: a - floor(a / b) * b, and every step of it is rounded, on every processor and in
// compiled code. LuaJIT of before 2023 computes the product and the difference in one instruction on arm64, with one
// rounding.
#ifndef SHOAL_LUAJIT_MODULO_H
#define SHOAL_LUAJIT_MODULO_H

#include <stdbool.h>

// Changes that instruction in LuaJIT's code in memory, where there is one. Main thread, before the first VM.
void modulo_mend(void);

// Tries it in a VM of its own.
bool modulo_is_exact(void);

#endif
