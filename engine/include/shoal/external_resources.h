// Plugins with external resources: ports, files, threads. A reload creates a new instance of the plugin while the old
// instance still exists, and then closes the old instance or, if the reload fails, the new instance. shoal_get_fd gives
// the new instance a duplicate of a descriptor that the host holds for the old instance, so the old instance loses
// nothing if the reload fails.
//
//   static void *open_it(shoal_context *c, const shoal_handover *previous) {
//     link_t *l = shoal_realloc(c, NULL, 0, sizeof *l);
//     memset(l, 0, sizeof *l);
//     if (previous && previous->version == 3 && previous->size == sizeof l->count)
//       memcpy(&l->count, previous->bytes, previous->size);
//     l->port = shoal_get_fd(c, "port"); // the socket of the previous instance, with its pending connections
//     if (l->port < 0 && !shoal_store_fd(c, "port", l->port = listen_at(4000)))
//       shoal_fail(c, "port 4000 is in use");
//     return l;
//   }
//
//   SHOAL_PLUGIN(.name = "link", …, .close = close_it, .threads = SHOAL_THREADS({.name = "reader", .run = run_reader}),
//                .reopen = open_it, .save_handover = save_handover, .has_side_effects = true)
//
// A plugin with `.has_side_effects` does not run in forked child processes (trial ticks, predictions): there, only the
// constructors of the library run, and `create`, `open`, its systems and its functions are not called. If a script's
// system calls one of the plugin's functions in a child process, the system is stopped there. Such a stop does not
// count as a failure of the system.
//
// The host starts the threads in `.threads` while the game runs and passes them the result of `open`. The host stops
// the threads before a new instance takes over. All hosts of the process stop their threads before the process is
// forked to run a plugin's code (a trial tick, a long query). The threads restart with the next frame: `run` is called
// again. Forks that only decode a file or write a crash report do not stop threads. Threads must not call functions of
// these headers except shoal_stop_requested. Protect data that they share with systems with a lock. A thread that a
// plugin creates itself does not exist in forked processes, where any lock held by the thread stays locked. The host
// logs a warning about such a thread.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_EXTERNAL_RESOURCES_H
#define SHOAL_EXTERNAL_RESOURCES_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns true if the thread must stop. `run` must then return within 10 s. A thread that waits for a file must also
// poll stop->wake_fd, which becomes readable. A thread that waits for a condition variable needs a timeout. Any thread.
SHOAL_NODISCARD static inline bool shoal_stop_requested(const shoal_stop_token *stop) {
#ifdef __GNUC__
  return __atomic_load_n(&stop->requested, __ATOMIC_ACQUIRE) != 0;
#else
  return stop->requested != 0;
#endif
}

// Transfers ownership of an open file or socket to the host, which keeps it open across reloads and closes it when no
// instance of the plugin holds it. The plugin may use the file but must not close it. `name` has 1 to 63 bytes. A file
// already held under this name is closed and replaced. Returns true on success. Logs a warning and returns false if
// `file` is not open, if the name is invalid, or if 64 files are already held under different names.
//
// Call this function and the following two on the main thread: while loading, or in managers, systems that run alone,
// functions and commands.
SHOAL_MUST_USE static inline bool shoal_store_fd(shoal_context *c, const char *name, int file) {
  return c->api->store_fd(c, name, file);
}

// Returns the file that is held under a name, or -1 if the name is unknown. While the plugin is being opened, files of
// the previous instance are found, too: the result is then a duplicated descriptor, so that each instance can close its
// descriptor.
SHOAL_NODISCARD static inline int shoal_get_fd(shoal_context *c, const char *name) {
  return c->api->get_fd(c, name);
}

// Closes the file that is held under a name. Does nothing if the name is unknown.
static inline void shoal_close_fd(shoal_context *c, const char *name) {
  c->api->close_fd(c, name);
}

#ifdef __cplusplus
}
#endif

#endif
