// Lua functions for the log and for standard output.
#include "bindings/bind.h"

#include "script/vm.h"

#include <stdio.h>

static int write_log(lua_State *L) {
  vm_o *vm = vm_of(L);
  log_o *log = vm->desc.log;
  const char *level = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  const char *place = luaL_optstring(L, 3, "");
  if (vm->place.muted)
    return 0;
  log_set_prefix(log, place);
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

// is_new_notice(subject, text) → false if the notices about the subject are those of the previous call: log.h
static int is_new_notice(lua_State *L) {
  vm_o *vm = vm_of(L);
  const char *subject = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  lua_pushboolean(L, !vm->place.muted && log_is_new_notice(vm->desc.log, subject, text));
  return 1;
}

// Prints a line to standard output, or to the log if the log does not write to the terminal. The log's listener
// receives the line in either case.
static int print_line(lua_State *L) {
  size_t size = 0;
  const char *text = luaL_checklstring(L, 1, &size);
  log_o *log = vm_of(L)->desc.log;
  if (vm_of(L)->place.muted || log_is_muted(log))
    return 0;
  if (log_has_terminal(log)) {
    fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    fflush(stdout);
    log_pass_printed_line(log, text);
  } else {
    log_info(log, "%s", text);
  }
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
