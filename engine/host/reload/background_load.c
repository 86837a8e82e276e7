// Loads a game on a background thread.
#include "reload/background_load.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "process/threads.h"

#include <string.h>

static void *run_thread(void *context) {
  background_load_t *l = context;
  thread_lower_priority();
  log_defer(&l->lines);
  external_defer(&l->assets);
  interrupt_watch_flag(&l->stop);
  main_calls_use(&l->calls);
  l->loaded = game_load(l->game, true, &l->report);
  atomic_store(&l->ended, true);
  return NULL;
}

bool background_load_begin(background_load_t *l, const game_desc_t *desc) {
  shoal_assert(!l->running, "a game is being loaded");
  memset(l, 0, sizeof *l);
  l->game = game_prepare(desc, &l->report);
  if (!l->game)
    return false;
  main_calls_init(&l->calls);
  l->running = thread_start(&l->thread, run_thread, l);
  if (l->running)
    return true;
  main_calls_fini(&l->calls);
  game_destroy(l->game);
  return false;
}

bool background_load_poll(background_load_t *l) {
  shoal_assert(l->running, "no game is being loaded");
  main_calls_run(&l->calls);
  return atomic_load(&l->ended);
}

static void join(background_load_t *l) {
  pthread_join(l->thread, NULL);
  main_calls_fini(&l->calls);
  l->running = false;
}

static void drop(background_load_t *l) {
  log_free_deferred(&l->lines);
  external_free_deferred(&l->assets);
  game_destroy(l->game);
}

game_o *background_load_end(background_load_t *l) {
  shoal_assert(l->running && atomic_load(&l->ended), "the thread must have ended");
  const game_desc_t *desc = &l->game->desc;
  join(l);
  if (desc->external)
    external_clear_assets(desc->external); // files may have been added
  if (!l->loaded || (desc->external && !external_request_deferred(desc->external, &l->assets, desc->assets))) {
    drop(l);
    return NULL;
  }
  log_write_deferred(desc->log, &l->lines);
  external_free_deferred(&l->assets);
  return l->game;
}

void background_load_abandon(background_load_t *l) {
  if (!l->running)
    return;
  atomic_store(&l->stop, 1);
  main_calls_close(&l->calls);
  join(l);
  drop(l);
}
