// Tracks calls from scripts into the host for the watchdog: a host function must not be interrupted, because it may
// hold a lock or be in the middle of changing the world. Functions that scripts call through the FFI are therefore
// called through stubs that mark the thread; C functions of bindings/ mark it themselves.
#ifndef SHOAL_WATCHDOG_HOST_CALL_H
#define SHOAL_WATCHDOG_HOST_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True while a host function runs on this thread. Signal handlers read it.
extern _Thread_local volatile bool host_call_inside;

// Returns the declarations of `text` for ffi.cdef, with the functions renamed to their stubs. `text` must be constant
// and live as long as the process; the result is cached. Returns `text` itself on processors without stubs. Main thread
// only.
const char *host_call_rewrite_declarations(const char *text);
// Registers the addresses of functions and stubs for programs that export no names to the dynamic linker (libshoal).
// Call before host_call_rewrite_declarations. Borrowed.
typedef struct host_call_name_t {
  const char *name;
  void *function;
} host_call_name_t;
void host_call_set_names(const host_call_name_t *names, uint32_t count);
// Returns the address of a registered function or stub; NULL if the name is unknown.
void *host_call_find_function(const char *name);
// Returns whether the thread is marked during calls of all host functions, which requires stubs for this processor. If
// false, the watchdog must not jump out of scripts.
bool host_call_is_marked(void);

// Set to stop the script as soon as the host function returns, by a call to host_call_stop (watchdog.c).
extern _Thread_local volatile bool host_call_stop_pending;
_Noreturn void host_call_stop(void);

// Return address of the current or most recent call through a stub; NULL for a Lua C function.
extern _Thread_local void *volatile host_call_return;

static inline void host_call_enter(void) {
  host_call_return = NULL;
  host_call_inside = true;
}

static inline void host_call_leave(void) {
  host_call_inside = false;
  if (host_call_stop_pending)
    host_call_stop();
}

#endif
