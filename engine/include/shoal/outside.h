// What reaches outside of the game: ports, files, threads. A reload builds a new instance of a plugin beside the old
// one, and one of the two goes: what both need is handed over, and what the new one takes it has beside the old one, so
// that a reload that is refused leaves the old one all that it had.
//
//   static void *open_it(shoal_context *c, const shoal_previous *previous) {
//     link_t *l = shoal_resize(c, NULL, 0, sizeof *l);
//     memset(l, 0, sizeof *l);
//     if (previous && previous->version == 3 && previous->size == sizeof l->count)
//       memcpy(&l->count, previous->bytes, previous->size);
//     l->port = shoal_held(c, "port"); // of the instance before: nothing in its queue is lost
//     if (l->port < 0 && !shoal_hold(c, "port", l->port = listen_at(4000)))
//       shoal_fail(c, "port 4000 is taken");
//     return l;
//   }
//
//   SHOAL_PLUGIN(.name = "link", …, .close = close_it, .threads = SHOAL_THREADS({.name = "reader", .run = run_reader}),
//                .open_after = open_it, .hand_over = hand_over, .reaches_outside = true)
//
// A plugin that says `reaches_outside` is not tried in copies of the process or of the game: neither `create` nor
// `open` nor its systems and functions run there, only its constructors. A script's system that calls one of its
// functions in such a copy ends there, and is not judged by it.
//
// Threads of `threads` are the host's to start and stop. They run while the game does, with what `open` returned; they
// stop before the process is copied for anything that runs code of a plugin (a trial, a long question), those of all
// hosts in the process, and before another instance takes over, and go on with the next frame: `run` is called again.
// Copies in which a file is decoded or the report of a crash is written call no plugin, and threads run on beside them.
// They use nothing of shoal_… and share with systems what a lock of the plugin's guards. A thread that a plugin
// starts by itself is missing in copies of the process, together with the locks that it holds, and is told of in the
// log.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_OUTSIDE_H
#define SHOAL_OUTSIDE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// Is the thread to stop? Then `run` returns, within 10 s. One that waits for a file polls stop->wake beside it, which
// can be read from then on; one that waits for a condition waits for a moment at a time.
static inline bool shoal_stops(const shoal_stop *stop) {
#ifdef __GNUC__
  return __atomic_load_n(&stop->asked, __ATOMIC_ACQUIRE) != 0;
#else
  return stop->asked != 0;
#endif
}

// Gives an open file or socket into the host's hands, which closes it when no instance of the plugin has it any more:
// the plugin uses it, and does not close it. A name has up to 60 bytes; one that is held already is exchanged. False
// when `file` is not open, or 64 are held. For all three: main thread, in `create`, `open`, `close`, systems,
// functions.
static inline bool shoal_hold(shoal_context *c, const char *name, int file) {
  return c->api->hold(c, name, file);
}

// What is held by that name, of the instance before too while this one is opened (the same file under a number of its
// own, so that either may drop it). -1: nothing.
static inline int shoal_held(shoal_context *c, const char *name) {
  return c->api->held(c, name);
}

// Is not needed any more. Nothing happens where nothing is held.
static inline void shoal_drop(shoal_context *c, const char *name) {
  c->api->drop(c, name);
}

#ifdef __cplusplus
}
#endif

#endif
