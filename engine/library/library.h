// Shared declarations of this module: the host behind a shoal_host, checks of calls, and messages of failures. A
// shoal_host is never freed, so that use of a destroyed one is detected.
#ifndef SHOAL_LIBRARY_LIBRARY_H
#define SHOAL_LIBRARY_LIBRARY_H

#include "access/access.h"
#include "base/error.h"
#include "host/host_tools.h"
#include "shoal/host.h"

#include <pthread.h>

struct shoal_host {
  access_o access; // must be first: the host's world, as programs see it (host_world.c)
  bool changing;   // the program has begun changes that are not recorded yet
  host_o *host;    // NULL after the host was destroyed
  bool over;       // the last frame has been run
  bool own_clock, watches;
  double clock_s;
  uint64_t failures;
  void *context;
  shoal_host_log_function *log;
  shoal_host_failed_function *failed;
  char last_failure[1024]; // message of the most recent failure since the call began
  shoal_host *next;        // the host created before this one
};

// Begins a call of `function`. Returns false with a message if there is no host, if it was destroyed, or if the call is
// made on another thread or inside another call. End it with library_leave.
bool library_enter(shoal_host *h, const char *function);
bool library_enter_alive(shoal_host *h, const char *function); // also requires a game with another frame
bool library_leave(bool fine);                                 // returns `fine`

// library_is_inside returns true on the hosts' thread during a call. library_host_inside returns the host of that call,
// or the newest host.
bool library_is_inside(void);
shoal_host *library_host_inside(void);

// Catches crashes from now on, while a host with these options is created and afterwards, and writes their reports to
// `folder` (copied; NULL: catches nothing). Returns false with a message. (crash_library.c)
bool library_catch(const char *folder, const options_t *options, error_t *error);
void library_catch_end(void); // call after the host was created or failed to be created
void library_release(void);   // call when the last host was destroyed
bool library_fails(const char *function, const error_t *why);

// Closes the program's queries, because its world is replaced or destroyed. (host_world.c)
void library_close_world(shoal_host *h);
void library_init_world(shoal_host *h);

// Runs a chunk of Lua and records it. Returns false with a message.
bool library_run(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes);

#endif
