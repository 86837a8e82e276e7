// Lua functions for the log and for standard output.
#include "bindings/bind.h"

#include "script/vm.h"

static int write_log(lua_State *L) {
  vm_o *vm = vm_of(L);
  log_o *log = vm->desc.log;
  const char *level = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  const char *prefix = luaL_optstring(L, 3, "");
  if (vm->context.muted)
    return 0;
  log_set_prefix(log, prefix);
  if (level[0] == 'e')
    log_error(log, "%s", text);
  else if (level[0] == 'w')
    log_warn(log, "%s", text);
  else if (level[0] == 'd')
    log_debug(log, "%s", text);
  else
    log_info(log, "%s", text);
  log_set_prefix(log, "");
  return 0;
}

// is_new_notice(subject, text) → false if the text equals the previous text about the subject (log_is_new_notice), or
// if output is muted
static int is_new_notice(lua_State *L) {
  vm_o *vm = vm_of(L);
  const char *subject = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  lua_pushboolean(L, !vm->context.muted && log_is_new_notice(vm->desc.log, subject, text));
  return 1;
}

static int print_line(lua_State *L) {
  size_t bytes = 0;
  const char *line = luaL_checklstring(L, 1, &bytes);
  if (!vm_of(L)->context.muted)
    log_print(vm_of(L)->desc.log, line, bytes);
  return 0;
}

void bind_log(lua_State *L) {
  static const luaL_Reg list[] = {
      {"log", write_log},
      {"is_new_notice", is_new_notice},
      {"print", print_line},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
