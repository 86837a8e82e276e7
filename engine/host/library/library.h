// Shared declarations of this module: the state of a shoal_host, call checks, and error messages. The struct of a
// destroyed host is never freed, so that its use is detected.
#ifndef SHOAL_LIBRARY_LIBRARY_H
#define SHOAL_LIBRARY_LIBRARY_H

#include "access/access.h"
#include "base/error.h"
#include "host/host_tools.h"
#include "shoal/host.h"

#include <pthread.h>

struct shoal_host {
  access_o access;             // must be first: the shoal_world that programs receive (host_world.c)
  bool has_unrecorded_changes; // true if the program has made changes that are not recorded yet
  host_o *host;                // host; NULL after it was destroyed
  bool finished;               // true once the last frame has been run
  bool own_clock, watches;
  double clock_s;
  uint64_t failures;
  void *context;
  shoal_host_log_fn *log;
  shoal_host_failure_fn *failed;
  char last_failure[1024]; // message of the most recent failure since the call began
  shoal_host *next;        // the previously created host
};

// Begins a call to `function`, which must end with library_end_call. Returns true on success, or false with a message
// if `h` is not an existing host, if the call is made on a different thread or inside a call, or if a function of
// <shoal/host.h> is called while a query is open.
bool library_begin_call(shoal_host *h, const char *function);
// Like library_begin_call. Also fails after the last frame, or if the game could not start.
bool library_begin_call_while_running(shoal_host *h, const char *function);
bool library_end_call(bool ok); // ends the call and returns `ok`

// library_is_in_call returns true if the calling thread is the thread of the hosts and a call is active.
// library_current_host returns the host of the active call, which is NULL while the host is being created. If no call
// is active, it returns the newest existing host.
bool library_is_in_call(void);
shoal_host *library_current_host(void);

// Installs the crash handlers, which write reports to `folder` (copied). Must be called before the host with these
// options is created. Does nothing if `folder` is NULL. Returns true on success, or false with a message.
// (crash_library.c)
bool library_install_crash_handler(const char *folder, const options_t *options, error_info_t *error);
// Drops the pointer to `options`. Call once the host has been created or its creation has failed.
void library_clear_crash_options(void);
void library_remove_crash_handler(void); // removes the crash handlers; call after the last host was destroyed
bool library_fail(const char *function, const error_info_t *why);

// Closes the program's queries before its world is replaced or destroyed. (host_world.c)
void library_close_world(shoal_host *h);
void library_init_world(shoal_host *h);

// Runs and records a Lua chunk, and writes its output to `out` (may be NULL). Returns true on success, or false with a
// message.
bool library_run_chunk(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes);

#endif
