// Calls of scripts into the host, as far as the watchdog cares: while a function of the host runs for a script, the
// thread may hold a lock or have half changed the world, and must not be torn out of it. Functions that scripts reach
// through the FFI are therefore called through stubs that mark the thread; C functions of bindings/ mark it
// themselves.
#ifndef SHOAL_WATCHDOG_HOST_CALL_H
#define SHOAL_WATCHDOG_HOST_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of this thread: a function of the host runs. Read by signal handlers.
extern _Thread_local volatile bool host_call_inside;

// Returns the declarations of `text` for ffi.cdef, with the functions under their stubs' names. `text` is constant and
// lives as long as the process; the result is made once for each. Main thread. Where there are no stubs for this
// processor it is `text` itself.
const char *host_call_abi(const char *text);
// Where the functions of the ABI and their stubs are found when no name is shown to the dynamic linker (libshoal):
// before the first call of host_call_abi. Borrowed.
typedef struct host_call_name_t {
  const char *name;
  void *function;
} host_call_name_t;
void host_call_set_names(const host_call_name_t *names, uint32_t count);
// A function of those, or a stub, by its name; NULL when there is no such name.
void *host_call_find(const char *name);
// Is every call marked? Else nothing may ever be torn out of a script.
bool host_call_is_marked(void);

// Somebody wants to leave the script as soon as the host's function is at its end: host_call_stop does it. (watchdog.c)
extern _Thread_local volatile bool host_call_wanted;
_Noreturn void host_call_stop(void);

// Where the call through a stub came from that runs, or has ended last; NULL for a C function of Lua.
extern _Thread_local void *volatile host_call_return;

static inline void host_call_enter(void) {
  host_call_return = NULL;
  host_call_inside = true;
}

static inline void host_call_leave(void) {
  host_call_inside = false;
  if (host_call_wanted)
    host_call_stop();
}

#endif
