// Tests whether LuaJIT's compiler and interpreter give the same results. On arm64, the compiler of 2022 (Debian 12)
// miscounts loops over computed numbers and fuses multiplication and addition. All builds of that time sometimes
// miscompile `#t` and tables created in a loop (luajit_code.h patches the known ones); they are correct without
// store-to-load forwarding for tables, which costs some speed.
#ifndef SHOAL_LUAJIT_COMPILER_H
#define SHOAL_LUAJIT_COMPILER_H

struct lua_State;

typedef enum compiler_t {
  COMPILER_EXACT,
  COMPILER_RESTRICTED, // exact in VMs after compiler_restrict
  COMPILER_WRONG       // compiled code is wrong: scripts must not be compiled
} compiler_t;

// Tests the compiler in VMs of its own, in a few milliseconds at most; later calls return the same result. Main thread
// on the first call.
compiler_t compiler_test(void);
// Disables the faulty optimization if needed. Call for each VM before it runs anything.
void compiler_restrict(struct lua_State *L);

#endif
