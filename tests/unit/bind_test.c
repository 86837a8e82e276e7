// Functions that scripts call through ffi.C (bindings/bind.h).
#include "bindings/bind.h"

#include "bindings/abi.h"

#include "test.h"

#include <dlfcn.h>
#include <lualib.h>

// Static, so that the system's linker cannot find them.
static double bound_half(double x) {
  return x / 2;
}

static double bound_triple(double x) {
  return x * 3;
}

static const bind_function_t OWN_LIST[] = {BIND_FUNCTION(bound_half) BIND_FUNCTION(bound_triple)};

static int open_state(void **state) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  lua_newtable(L); // the table `native`
  *state = L;
  return 0;
}

static int close_state(void **state) {
  lua_close(*state);
  return 0;
}
FIXTURE(lua_State, open_state, close_state)

TEST_IN(ffi_calls_functions_that_the_program_does_not_export, lua_State, L) {
  assert_null(dlsym(RTLD_DEFAULT, "bound_triple"));
  bind_declarations(L, "double bound_half(double x); double bound_triple(double x);", OWN_LIST, 2);
  lua_setglobal(L, "native");
  if (luaL_dostring(L, "local ffi = require('ffi')\n"
                       "ffi.cdef(native.abi)\n"
                       "assert(ffi.C.bound_half(8) == 4 and ffi.C.bound_triple(2) == 6)\n"))
    fail_msg("%s", lua_tostring(L, -1));
}

TEST_IN(each_function_of_abi_is_found_at_its_address, lua_State, L) {
  abi_bind(L);
  size_t count = 0;
#define BIND_CHECK_FUNCTION(name_)                                                                                     \
  assert_ptr_equal(bind_find_function(#name_), (void *)(uintptr_t)name_);                                              \
  ++count;
#undef BIND_FUNCTION
#define BIND_FUNCTION BIND_CHECK_FUNCTION
#include "abi_functions.h"
  assert_true(count > 300);
}

TEST_IN(names_that_are_not_in_a_list_are_not_found, lua_State, L) {
  abi_bind(L);
  bind_declarations(L, "", OWN_LIST, 2);
  bind_declarations(L, "", OWN_LIST, 2); // a second VM adds the same list
  assert_null(bind_find_function(""));
  assert_null(bind_find_function("bound"));
  assert_null(bind_find_function("bound_triples"));
  assert_null(bind_find_function("zzz"));
  assert_ptr_equal(bind_find_function("bound_half"), (void *)(uintptr_t)bound_half);
}
