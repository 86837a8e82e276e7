// Loads the new version of a game on a thread while the game runs, because loading takes longer than a frame. Main
// thread only.
#ifndef SHOAL_RELOAD_BACKGROUND_LOAD_H
#define SHOAL_RELOAD_BACKGROUND_LOAD_H

#include "base/log.h"
#include "game/game.h"
#include "process/main_calls.h"

#include <pthread.h>
#include <stdatomic.h>

// A load on a background thread. Zero-initialize. Must not move while `running` is true.
typedef struct background_load_t {
  bool running; // true from background_load_begin until background_load_end or background_load_abandon
  game_o *game;
  pthread_t thread;
  main_calls_t calls;
  log_deferred_t lines;
  external_deferred_t assets;
  script_report_t report;
  atomic_int stop;   // non-zero if the thread must stop soon
  atomic_bool ended; // true once the thread has no further work, even if it has not been joined
  bool loaded;       // true if loading succeeded; valid once `ended` is true
} background_load_t;

// Starts to load a game that will replace the running game (game_prepare, game_load). Returns true on success. Returns
// false if the new game cannot be prepared or the system cannot create a thread. The caller must then load the new game
// on the main thread, which reports the error.
bool background_load_begin(background_load_t *load, const game_desc_t *desc);
// Opens the game's plugins if the thread waits for them. Call repeatedly between two ticks, after a trial has shown
// that the new version does not crash. Returns true if the thread has ended.
bool background_load_poll(background_load_t *load);
// Returns the loaded game, and writes the thread's log lines and requests to the log and the recording. The caller must
// then call game_finish. Returns NULL if loading failed, or if assets have appeared or disappeared since. The thread
// must have ended (background_load_poll).
game_o *background_load_end(background_load_t *load);
// Stops the thread within a few milliseconds, and destroys the game. Does nothing if no game is being loaded.
void background_load_abandon(background_load_t *load);

#endif
