// What the files of this room share: the host behind a shoal_host, who may call it now, and the sentence of a call that
// has failed. A shoal_host is never given back, so that one that was destroyed is known as such.
#ifndef SHOAL_LIBRARY_LIBRARY_H
#define SHOAL_LIBRARY_LIBRARY_H

#include "access/access.h"
#include "base/error.h"
#include "host/host_tools.h"
#include "shoal/host.h"

#include <pthread.h>

struct shoal_host {
  access_o access; // first: its world, as programs have it (host_world.c)
  bool changing;   // changes of the program were begun and are not recorded yet
  host_o *host;    // NULL: it is gone
  bool over;       // its last frame has been
  bool own_clock, watches;
  double clock_s;
  uint64_t failures;
  void *context;
  shoal_host_log_function *log;
  shoal_host_failed_function *failed;
  char last_failure[1024]; // in words, since the call began
  shoal_host *next;        // made before it
};

// May `function` be called for `h` now? False, and the sentence is set: no host, one that is gone, another thread, in
// the middle of another call, or behind the last frame. Pair with library_leave.
bool library_enter(shoal_host *h, const char *function);
bool library_enter_alive(shoal_host *h, const char *function); // the same, and there is a game and another frame
bool library_leave(bool fine);                                 // returns `fine`

// Is this the thread of the hosts, in a call? The host that it is about, or the one that was made last.
bool library_is_inside(void);
shoal_host *library_host_inside(void);

// Crashes leave reports in `folder` (copied; NULL: nothing is caught), while a host with these options is created and
// from then on. False with a sentence. (crash_library.c)
bool library_catch(const char *folder, const options_t *options, error_t *error);
void library_caught(void);  // it is made, or was not
void library_release(void); // the last host is gone
bool library_fails(const char *function, const error_t *why);

// Its world changes or goes: what the program has open is closed. (host_world.c)
void library_close_world(shoal_host *h);
void library_init_world(shoal_host *h);

// Runs a chunk of Lua that is recorded. False with the sentence set.
bool library_run(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes);

#endif
