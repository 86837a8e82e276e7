// Does LuaJIT's compiler compute what its interpreter does? That of 2022 on arm64, Debian 12's, miscounts loops over
// numbers that were calculated, and makes one instruction of a product and a sum. Of `#t`, and of tables that a loop
// makes anew, every build of its years is wrong now and then (luajit_code.h mends those that it knows): there it is
// right when it takes no value of a table from where it was stored, which costs a part of its speed.
#ifndef SHOAL_LUAJIT_COMPILER_H
#define SHOAL_LUAJIT_COMPILER_H

struct lua_State;

typedef enum compiler_t {
  COMPILER_EXACT,
  COMPILER_HELD_BACK, // exact in a VM that compiler_hold_back has seen
  COMPILER_WRONG      // nothing is to be compiled
} compiler_t;

// Tries it in VMs of its own, in a few milliseconds at most; later calls only answer. Main thread first.
compiler_t compiler_test(void);
// For each VM, before it runs anything: where that is what the compiler needs.
void compiler_hold_back(struct lua_State *L);

#endif
