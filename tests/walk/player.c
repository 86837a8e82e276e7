// Feeds input to the game tick by tick, and saves and restores its state.
#include "walk.h"

#include "base/hash.h"
#include "game/players.h"
#include "host/tick.h"
#include "platform/platform_internal.h"
#include "snapshot/state.h"
#include "ui/layout.h"
#include "ui/machine.h"

#include <stdio.h>
#include <string.h>

static game_o *get_game(walk_t *w) {
  return w->host->session.game;
}

void walk_report(walk_t *w, const char *message) {
  uint64_t hash = hash_text(message);
  for (uint32_t i = 0; i < w->problems.count; ++i)
    if (w->problems.items[i] == hash)
      return;
  array_push(&w->memory, &w->problems, hash);
  printf("walk: %s: %s\n", w->path, message);
  fflush(stdout);
}

// --- state

void walk_save(walk_t *w, walk_state_t *out) {
  error_info_t error = {0};
  game_o *g = get_game(w);
  *out = (walk_state_t){.world = snapshot_create(&w->memory),
                        .input = g->input,
                        .before = g->input_before,
                        .paused = g->paused,
                        .rebinding_stage = ui_rebinding_stage(g->world)};
  if (!snapshot_take(out->world, g->world, &error))
    walk_report(w, error.text);
  if (!players_are_declared(g))
    return;
  vm_copy_settings(g->vm, &w->memory, &out->settings);
  out->machine = machine_copy(g->ui, g->ui->machine);
  out->local_players = g->local_player_count;
}

void walk_release(walk_t *w, walk_state_t *s) {
  if (s->machine)
    machine_free(get_game(w)->ui, s->machine);
  s->machine = NULL;
  snapshot_release(s->world);
  s->world = NULL;
  array_free(&w->memory, &s->settings);
}

void walk_restore(walk_t *w, const walk_state_t *s) {
  error_info_t error = {0};
  game_o *g = get_game(w);
  if (!snapshot_restore(s->world, g->world, &error))
    walk_report(w, error.text);
  g->requests = (script_requests_t){0};
  g->input = w->devices = s->input;
  g->input_before = s->before;
  g->paused = s->paused;
  if (players_are_declared(g)) {
    vm_apply_settings(g->vm, &s->settings);
    ui_set_rebinding_stage(g->world, s->rebinding_stage);
    machine_replace(g->ui, s->machine);
    players_request_count(g, s->local_players);
  }
  w->devices.has_players = false; // the inputs of the players are computed again
  memset(w->devices.text, 0, sizeof w->devices.text);
  w->devices.wheel = 0;
  w->exits = false;
  ui_restore_layout(g->ui);
}

// --- ticks

// Cancels requests to quit, restart, reload or replace the game, and records them in w->exits.
static void cancel_exits(walk_t *w) {
  host_o *h = w->host;
  w->exits |= h->session.stopping || h->restart_requested || h->session.reload_requested || h->requested_game[0];
  h->session.stopping = h->restart_requested = h->session.reload_requested = false;
  h->requested_game[0] = '\0';
  h->paused_frames = 0;
}

static void run_frame(walk_t *w) {
  latch_t *latch = &w->host->session.platform->latch;
  latch->current = w->devices;
  if (w->devices.text[0])
    latch_text(latch, w->devices.text);
  host_begin_frame(w->host);
}

// Undoes presses of the setting `text_size`: unit ui_screens lays out the screens with larger text.
static void reset_text_size(walk_t *w) {
  manager_o *m = world_find_manager(get_game(w)->world, "settings");
  int32_t column = m ? manager_find_column(m, "text_size") : -1;
  if (column >= 0)
    columns_set(&m->columns, 0, (uint32_t)column, 0);
}

static void run_tick(walk_t *w, bool draws) {
  reset_text_size(w);
  if (draws)
    run_frame(w);
  else if (get_game(w)->paused)
    tick_run_paused(w->host, &w->devices);
  else
    tick_run(w->host, &w->devices);
  cancel_exits(w);
  strings_check_world(w);
  if (draws)
    strings_check_drawn(w);
}

void walk_skip(walk_t *w, uint32_t ticks) {
  for (uint32_t i = 0; i < ticks && !w->exits; ++i)
    run_tick(w, w->draws);
}

void walk_wait(walk_t *w, uint32_t ticks) {
  for (uint32_t i = 1; i <= ticks && !w->exits; ++i)
    run_tick(w, w->draws || i == ticks);
}

void walk_picture(walk_t *w, uint32_t screen, const char *language) {
  char file[PATH_MAX_BYTES];
  error_info_t error = {0};
  run_frame(w);
  host_end_frame(w->host);
  cancel_exits(w);
  snprintf(file, sizeof file, "%s/%u%s%s.png", w->pictures, screen, language[0] ? "-" : "", language);
  if (!render_write_screenshot(w->host->session.render, file, &error))
    walk_report(w, error.text);
}

// --- input

static void set_control(walk_t *w, const input_binding_t *b, bool down) {
  input_state_t *d = &w->devices;
  uint32_t pad = b->pad > 0 ? (uint32_t)b->pad : 0;
  d->used = b->device == INPUT_PAD_BUTTON || b->device == INPUT_PAD_AXIS ? (uint8_t)(pad + 1) : 0;
  switch (b->device) {
  case INPUT_KEY: d->keys[b->code] = down; break;
  case INPUT_PAD_BUTTON: d->pad_buttons[pad][b->code] = down; break;
  case INPUT_PAD_AXIS: d->pad_axes[pad][b->code] = !down ? 0 : b->sign != 0 ? b->sign : 1; break;
  case INPUT_MOUSE_BUTTON: d->mouse_buttons[b->code] = down; break;
  case INPUT_WHEEL: d->wheel = down ? b->sign : 0; break;
  default: break;
  }
}

void walk_press(walk_t *w, const input_binding_t *b) {
  ++w->presses;
  set_control(w, b, true);
  run_tick(w, true);
  set_control(w, b, false);
  run_tick(w, true);
}

bool walk_press_named(walk_t *w, const char *control) {
  input_binding_t b;
  if (!input_parse(control, &b))
    return false;
  walk_press(w, &b);
  return true;
}

void walk_point(walk_t *w, float x, float y) {
  w->devices.used = 0;
  w->devices.mouse_x = x;
  w->devices.mouse_y = y;
  run_tick(w, w->draws);
}

void walk_type(walk_t *w, const char *text) {
  ++w->presses;
  snprintf(w->devices.text, sizeof w->devices.text, "%s", text);
  run_tick(w, w->draws);
  memset(w->devices.text, 0, sizeof w->devices.text);
}

bool walk_is_rebinding(walk_t *w) {
  const manager_o *m = world_find_manager(get_game(w)->world, "shoal.input");
  int32_t stage = m && m->count > 0 ? manager_find_column(m, "stage") : -1;
  return stage >= 0 && columns_get(&m->columns, 0, (uint32_t)stage) != 0;
}
