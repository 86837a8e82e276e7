// Shared declarations of this module: the host behind a shoal_host, checks of calls, and messages of failures. A
// shoal_host is never freed, so that a destroyed one is recognised.
#ifndef SHOAL_LIBRARY_LIBRARY_H
#define SHOAL_LIBRARY_LIBRARY_H

#include "access/access.h"
#include "base/error.h"
#include "host/host_tools.h"
#include "shoal/host.h"

#include <pthread.h>

struct shoal_host {
  access_o access; // first: its world as programs see it (host_world.c)
  bool changing;   // changes of the program have begun and are not recorded yet
  host_o *host;    // NULL after it was destroyed
  bool over;       // the last frame has been run
  bool own_clock, watches;
  double clock_s;
  uint64_t failures;
  void *context;
  shoal_host_log_function *log;
  shoal_host_failed_function *failed;
  char last_failure[1024]; // message of the last failure since the call began
  shoal_host *next;        // the previously created one
};

// Begins a call of `function`. Returns false with a message if there is no host, it was destroyed, or the call is made
// on another thread or inside another call. Pair with library_leave.
bool library_enter(shoal_host *h, const char *function);
bool library_enter_alive(shoal_host *h, const char *function); // also requires a game and another frame
bool library_leave(bool fine);                                 // returns `fine`

// Returns whether this is the thread of the hosts, in a call; and the host of the call, or the newest one.
bool library_is_inside(void);
shoal_host *library_host_inside(void);

// Catches crashes and writes their reports to `folder` (copied; NULL: catches nothing), while a host with these options
// is created and afterwards. Returns false with a message. (crash_library.c)
bool library_catch(const char *folder, const options_t *options, error_t *error);
void library_caught(void);  // the host was created, or could not be
void library_release(void); // the last host was destroyed
bool library_fails(const char *function, const error_t *why);

// Closes the queries of the program when its world is replaced or destroyed. (host_world.c)
void library_close_world(shoal_host *h);
void library_init_world(shoal_host *h);

// Runs a chunk of Lua, which is recorded. Returns false with a message.
bool library_run(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes);

#endif
