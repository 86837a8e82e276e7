// Does LuaJIT's compiler compute what its interpreter does? That of 2022 on arm64, Debian 12's, miscounts loops over
// numbers that were calculated, and makes one instruction of a product and a sum; and `#t`, see luajit_code.h, which
// mends that first where it can.
#ifndef SHOAL_LUAJIT_COMPILER_H
#define SHOAL_LUAJIT_COMPILER_H

#include <stdbool.h>

// Tries it in a VM of its own, in less than a millisecond; later calls only answer. Main thread first.
bool compiler_is_exact(void);

#endif
