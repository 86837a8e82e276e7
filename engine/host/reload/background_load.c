// Loads a game on a background thread.
#include "reload/background_load.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "process/threads.h"

#include <string.h>

static void *run_thread(void *context) {
  background_load_t *load = context;
  thread_lower_priority();
  log_defer(&load->lines);
  external_defer(&load->assets);
  interrupt_watch_flag(&load->stop);
  main_calls_use(&load->calls);
  load->loaded = game_load(load->game, true, &load->report);
  atomic_store(&load->ended, true);
  return NULL;
}

bool background_load_begin(background_load_t *load, const game_desc_t *desc) {
  shoal_assert(!load->running, "a game is being loaded");
  memset(load, 0, sizeof *load);
  load->game = game_prepare(desc, &load->report);
  if (!load->game)
    return false;
  main_calls_init(&load->calls);
  load->running = thread_start(&load->thread, run_thread, load);
  if (load->running)
    return true;
  main_calls_fini(&load->calls);
  game_destroy(load->game);
  return false;
}

bool background_load_poll(background_load_t *load) {
  shoal_assert(load->running, "no game is being loaded");
  main_calls_run(&load->calls);
  return atomic_load(&load->ended);
}

static void join(background_load_t *load) {
  pthread_join(load->thread, NULL);
  main_calls_fini(&load->calls);
  load->running = false;
}

static void drop(background_load_t *load) {
  log_free_deferred(&load->lines);
  external_free_deferred(&load->assets);
  game_destroy(load->game);
}

game_o *background_load_end(background_load_t *load) {
  shoal_assert(load->running && atomic_load(&load->ended), "the thread must have ended");
  const game_desc_t *desc = &load->game->desc;
  join(load);
  if (desc->external)
    external_clear_assets(desc->external); // the cached results may be stale: files may have been added
  if (!load->loaded || (desc->external && !external_request_deferred(desc->external, &load->assets, desc->assets))) {
    drop(load);
    return NULL;
  }
  log_write_deferred(desc->log, &load->lines);
  external_free_deferred(&load->assets);
  return load->game;
}

void background_load_abandon(background_load_t *load) {
  if (!load->running)
    return;
  atomic_store(&load->stop, 1);
  main_calls_close(&load->calls);
  join(load);
  drop(load);
}
