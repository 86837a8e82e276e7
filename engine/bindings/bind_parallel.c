// Runs a system on the workers.
#include "bindings/bind.h"

#include "script/parallel.h"
#include "script/vm.h"
#include "watchdog/hostcall.h"

// run_parallel(system's name, its number, rows, dt): the body of a parallel system. An error of it is thrown on.
static int run_parallel(lua_State *L) {
  vm_o *vm = vm_of(L);
  script_report_t report;
  uint32_t number = (uint32_t)luaL_checknumber(L, 2), rows = (uint32_t)luaL_checknumber(L, 3);
  if (!vm->parallel)
    return luaL_error(L, "this VM has no workers");
  const char *system = luaL_checkstring(L, 1);
  float dt_s = (float)luaL_checknumber(L, 4);
  hostcall_enter();
  bool good = parallel_run(vm->parallel, system, number, rows, dt_s, &report);
  hostcall_leave();
  if (good)
    return 0;
  lua_createtable(L, 0, 4);
  bind_text(L, "message", report.message);
  bind_text(L, "file", report.file);
  bind_text(L, "traceback", report.traceback);
  lua_pushinteger(L, report.line);
  lua_setfield(L, -2, "line");
  return lua_error(L);
}

void bind_parallel(lua_State *L) {
  static const luaL_Reg list[] = {
      {"run_parallel", run_parallel},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
