// Tests whether LuaJIT's compiler and interpreter give the same results. On arm64, the compiler of 2022 (Debian 12)
// runs loops with computed bounds the wrong number of times, and fuses multiplication and addition. All builds of that
// time sometimes miscompile `#t` and tables created in a loop. machine_code.h patches the known builds. In other
// builds, compiler_disable_faulty_optimization disables store-to-load forwarding for tables, which makes compiled code
// correct but slower.
#ifndef SHOAL_LUAJIT_COMPILER_CHECK_H
#define SHOAL_LUAJIT_COMPILER_CHECK_H

struct lua_State;

typedef enum compiler_t {
  COMPILER_EXACT,
  COMPILER_RESTRICTED, // compiled code is exact after compiler_disable_faulty_optimization
  COMPILER_WRONG       // compiled code is wrong: scripts must not be compiled
} compiler_t;

// Tests the compiler in separate VMs, which takes a few milliseconds; later calls return the same result. The first
// call must be on the main thread.
compiler_t compiler_test(void);
// Disables the faulty optimization if needed. Must be called for each VM before it runs any code.
void compiler_disable_faulty_optimization(struct lua_State *L);

#endif
