// Inputs of the local players of a machine, and of all players in a tick.
#include "game/players.h"

#include "base/assert.h"
#include "bindings/bindings.h"
#include "components/builtin.h"
#include "ecs/event.h"
#include "camera/viewport.h"
#include "game/game.h"
#include "platform/player_name.h"
#include "ui/ui.h"

#include <math.h>
#include <string.h>

bool players_are_declared(const game_o *g) {
  return g->config.max_players > 0;
}

bool players_begin(game_o *g, uint32_t count, error_info_t *error) {
  uint8_t numbers[PLAYER_MAX];
  if (!players_are_declared(g)) // the menu passes the option on to the game that it opens
    return count == 0 || bindings_is_menu(g->vm) ||
           error_set(error,
                     "--players %u: the game declares no players: add multiplayer = { players = { 2, 8 } } to game.lua",
                     count);
  count = count > 0 ? count : g->config.min_players;
  if (count < g->config.min_players || count > g->config.max_players)
    return error_set(error, "--players %u is out of range: the game has %u to %u players (multiplayer in game.lua)",
                     count, g->config.min_players, g->config.max_players);
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = (uint8_t)(i + 1);
  players_set_local(g, numbers, count);
  return true;
}

void players_set_local(game_o *g, const uint8_t *numbers, uint32_t count) {
  shoal_assert(count <= PLAYER_MAX, "%u local players are too many (at most %u)", count, PLAYER_MAX);
  for (uint32_t i = 0; i < count; ++i)
    shoal_assert(numbers[i] >= 1 && numbers[i] <= PLAYER_MAX, "player %u is out of range [1, %u]", numbers[i],
                 PLAYER_MAX);
  g->local_player_count = count;
  memcpy(g->local_players, numbers, count);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    g->player_status[i].local = 0;
  player_mask_t players = 0;
  for (uint32_t i = 0; i < count; ++i) {
    players |= player_mask_of(numbers[i] - 1u);
    g->player_status[numbers[i] - 1] = (player_status_t){.connected = 1, .local = (uint8_t)(i + 1)};
  }
  world_set_view_players(g->world, players);
}

// Removes players above the maximum from a sample.
static void remove_players_above(input_state_t *sample, uint32_t max_players) {
  uint32_t removed = PLAYER_MAX - max_players;
  sample->players.present &= player_mask_first(max_players);
  memset(&sample->players.players[max_players], 0, removed * sizeof *sample->players.players);
  memset(&sample->player_infos[max_players], 0, removed * sizeof *sample->player_infos);
  memset(&sample->motion_x[max_players], 0, removed * sizeof *sample->motion_x);
  memset(&sample->motion_y[max_players], 0, removed * sizeof *sample->motion_y);
}

// Appends unused player numbers until the game has its minimum, which a reload may have raised. Returns the new count.
static uint32_t add_missing_players(const game_o *g, uint8_t *numbers, uint32_t count) {
  for (uint8_t number = 1; number <= g->config.max_players && count < g->config.min_players; ++number)
    if (!memchr(numbers, number, count))
      numbers[count++] = number;
  return count;
}

void players_take_over(game_o *g, const game_o *old) {
  uint8_t numbers[PLAYER_MAX];
  uint32_t count = 0;
  if (!players_are_declared(g) || !players_are_declared(old))
    return;
  for (uint32_t i = 0; i < old->local_player_count; ++i)
    if (old->local_players[i] <= g->config.max_players)
      numbers[count++] = old->local_players[i];
  if (!old->in_match)
    count = add_missing_players(g, numbers, count);
  memcpy(g->player_status, old->player_status, sizeof g->player_status);
  memcpy(g->player_infos, old->player_infos, sizeof g->player_infos);
  players_set_local(g, numbers, count);
  remove_players_above(&g->input, g->config.max_players);
  remove_players_above(&g->input_before, g->config.max_players);
  if (old->in_match)
    players_set_match(g, true);
}

player_info_t players_get_info(const game_o *g, uint32_t player) {
  shoal_assert(player >= 1 && player <= PLAYER_MAX, "player %u is out of range [1, %u]", player, PLAYER_MAX);
  player_info_t info = g->input.player_infos[player - 1];
  if (info.name[0] == '\0')
    (void)snprintf(info.name, sizeof info.name, "Player %u", player);
  info.colour = info.colour ? info.colour : player_default_colour(player - 1);
  return info;
}

static uint32_t get_colour(const game_o *g, uint32_t player) {
  uint32_t colour = g->player_infos[player - 1].colour;
  return colour ? colour : player_default_colour(player - 1);
}

static bool is_free_colour(const game_o *g, uint32_t player, player_mask_t present, uint32_t colour) {
  for (uint32_t other = 1; other <= PLAYER_MAX; ++other)
    if (other != player && (present >> (other - 1) & 1) && get_colour(g, other) == colour)
      return false;
  return true;
}

// Returns the first colour that no other player of `present` has, starting at index `first` and wrapping around, or the
// player's current colour if no colour is free.
static uint32_t find_free_colour(const game_o *g, uint32_t player, uint32_t first, player_mask_t present) {
  for (uint32_t i = 0; i < PLAYER_COLOURS; ++i) {
    uint32_t colour = player_colours[(first + i) % PLAYER_COLOURS];
    if (is_free_colour(g, player, present, colour))
      return colour;
  }
  return get_colour(g, player);
}

void players_add(game_o *g, uint32_t player, const char *name, size_t size, player_mask_t present) {
  players_rename(g, player, name, size);
  g->player_infos[player - 1].colour = find_free_colour(g, player, player - 1, present);
}

const char *players_rename(game_o *g, uint32_t player, const char *name, size_t size) {
  shoal_assert(player >= 1 && player <= PLAYER_MAX, "player %u is out of range [1, %u]", player, PLAYER_MAX);
  player_name_clean(name, size, g->player_infos[player - 1].name);
  return g->player_infos[player - 1].name;
}

void players_choose_next_colour(game_o *g, uint32_t player) {
  shoal_assert(player >= 1 && player <= PLAYER_MAX, "player %u is out of range [1, %u]", player, PLAYER_MAX);
  uint32_t colour = get_colour(g, player), index = 0;
  while (index + 1 < PLAYER_COLOURS && player_colours[index] != colour)
    ++index;
  g->player_infos[player - 1].colour = find_free_colour(g, player, index + 1, g->input.players.present);
}

void players_set_status(game_o *g, uint32_t player, uint32_t ping_ms, bool connected, bool muted) {
  shoal_assert(player >= 1 && player <= PLAYER_MAX, "player %u is out of range [1, %u]", player, PLAYER_MAX);
  g->player_status[player - 1].ping_ms = ping_ms;
  g->player_status[player - 1].connected = connected;
  g->player_status[player - 1].muted = muted;
}

// Converts a movement in logical pixels to motion units. Returns 0 for NaN and values out of range, which a recording
// may contain.
static int32_t to_motion_units(float pixels) {
  float units = roundf(pixels * PLAYER_MOTION_UNITS);
  return fabsf(units) < (float)(INT32_MAX / 2) ? (int32_t)units : 0;
}

// Computes the position of the pointer in the world, and the movement of the mouse.
static void find_pointer(const game_o *g, const input_state_t *sample, player_input_t *out) {
  double xy[2] = {(double)sample->mouse_x, (double)sample->mouse_y};
  shoal_entity camera = 0;
  viewport_project(g->world, g->config.width, g->config.height, world_view_players(g->world), true, xy, &camera);
  out->pointer_x = isfinite(xy[0]) ? (float)xy[0] : 0.0f;
  out->pointer_y = isfinite(xy[1]) ? (float)xy[1] : 0.0f;
  out->motion_x = to_motion_units(sample->mouse_dx);
  out->motion_y = to_motion_units(sample->mouse_dy);
}

void players_compute_inputs(const game_o *g, const input_state_t *previous, const input_state_t *sample,
                            player_inputs_t *out) {
  memset(out, 0, sizeof *out);
  ui_run_machine_step(g->ui, previous, sample, g->local_players, g->local_player_count, world_dt_s(g->world));
  for (uint32_t i = 0; i < g->local_player_count; ++i) {
    uint32_t player = g->local_players[i] - 1u;
    out->present |= player_mask_of(player);
    int32_t device = g->local_player_count > 1 ? (int32_t)i : UI_ANY_DEVICE;
    ui_compute_player_input(g->ui, previous, sample, device, &out->players[player]);
    if (i == 0 && g->config.reads_pointers) // the mouse belongs to the first local player
      find_pointer(g, sample, &out->players[player]);
  }
}

void players_hold(input_state_t *sample) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    sample->players.players[i].pressed = sample->players.players[i].released = 0;
  sample->mouse_dx = sample->mouse_dy = 0.0f;
  memset(sample->actions, 0, sizeof sample->actions);
  memset(sample->motion_x, 0, sizeof sample->motion_x);
  memset(sample->motion_y, 0, sizeof sample->motion_y);
}

size_t players_take_actions(game_o *g, uint32_t local, uint8_t *out, size_t capacity) {
  return ui_take_actions(g->ui, local, out, capacity);
}

bool players_add_actions(game_o *g, uint32_t player, const void *bytes, size_t size) {
  shoal_assert(player < PLAYER_MAX, "player %u is out of range (count %u)", player, PLAYER_MAX);
  player_actions_t *actions = &g->next_actions[player];
  if (size > PLAYER_ACTION_BYTES - actions->size)
    return false;
  memcpy(actions->bytes + actions->size, bytes, size);
  actions->size = (uint8_t)(actions->size + size);
  return true;
}

// --- samples

void players_set_match(game_o *g, bool in_match) {
  shoal_assert(players_are_declared(g), "the game declares no players");
  g->in_match = in_match;
  vm_set_match(g->vm, in_match);
  ui_set_delayed(g->ui, in_match);
}

void players_request_count(game_o *g, uint32_t count) {
  uint8_t numbers[PLAYER_MAX];
  if (count == 0 || g->in_match)
    return;
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = (uint8_t)(i + 1);
  players_set_local(g, numbers, count);
}

static void sanitize_input(sampled_player_t *input) {
  input->pointer_x = isnan(input->pointer_x) ? 0.0f : input->pointer_x;
  input->pointer_y = isnan(input->pointer_y) ? 0.0f : input->pointer_y;
  for (uint32_t i = 0; i < PLAYER_MAX_ACTIONS; ++i)
    input->values[i] = input->values[i] < -PLAYER_VALUE_MAX ? (int8_t)-PLAYER_VALUE_MAX : input->values[i];
}

static void sanitize_info(player_info_t *info) {
  char name[PLAYER_NAME_BYTES];
  memcpy(name, info->name, sizeof name);
  player_name_clean(name, strnlen(name, sizeof name), info->name);
  info->colour &= 0xffffffu;
}

void players_get_state(const game_o *g, players_state_t *out) {
  input_get_players(&g->input, &out->inputs);
  memcpy(out->infos, g->player_infos, sizeof out->infos);
}

void players_set_state(game_o *g, const players_state_t *state) {
  memcpy(g->player_infos, state->infos, sizeof g->player_infos);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    sanitize_info(&g->player_infos[i]);
  players_set_inputs(g, &state->inputs, NULL);
}

// Replaces invalid values in a sample, and removes players above `max_players`. A recording or a match's record may
// contain both.
static void sanitize_sample(input_state_t *sample, uint32_t max_players) {
  sample->has_players = true;
  remove_players_above(sample, max_players);
  for (uint32_t i = 0; i < max_players; ++i) {
    sanitize_input(&sample->players.players[i]);
    sanitize_info(&sample->player_infos[i]);
  }
}

void players_complete_sample(game_o *g) {
  if (!players_are_declared(g))
    return;
  if (!g->input.has_players) {
    player_inputs_t inputs;
    players_compute_inputs(g, &g->input_before, &g->input, &inputs);
    input_set_players(&g->input, &inputs);
    for (uint32_t i = 0; i < g->local_player_count && i < INPUT_PADS; ++i) {
      player_actions_t *actions = &g->input.actions[g->local_players[i] - 1];
      actions->size = (uint8_t)players_take_actions(g, i, actions->bytes, sizeof actions->bytes);
    }
    memcpy(g->input.player_infos, g->player_infos, sizeof g->input.player_infos);
  } else {
    ui_follow_world(g->ui);
  }
  sanitize_sample(&g->input, g->config.max_players);
}

void players_set_inputs(game_o *g, const player_inputs_t *inputs, const player_info_t *infos) {
  shoal_assert(players_are_declared(g), "the game declares no players");
  g->input_before = g->input;
  memset(&g->input, 0, sizeof g->input);
  input_set_players(&g->input, inputs);
  memcpy(g->input.player_infos, infos ? infos : g->player_infos, sizeof g->input.player_infos);
  memcpy(g->input.actions, g->next_actions, sizeof g->input.actions);
  memset(g->next_actions, 0, sizeof g->next_actions);
  sanitize_sample(&g->input, g->config.max_players);
}

// --- joining and leaving

#define PLAYERS_SINGLETON "shoal.players"

static void emit_change(world_o *w, const event_o *event, uint32_t player) {
  if (event)
    world_set_event_field(w, world_emit_event(w, event->id), 0, player);
}

void players_emit_changes(game_o *g) {
  manager_o *manager = world_find_manager(g->world, PLAYERS_SINGLETON);
  if (!manager || manager->count == 0 || !g->input.has_players)
    return;
  const event_o *joined = builtin_find_event(g->world, "player_joined"),
                *left = builtin_find_event(g->world, "player_left");
  uint32_t before = (uint32_t)columns_get(&manager->columns, 0, 0), now = g->input.players.present;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((before ^ now) >> i & 1)
      emit_change(g->world, now >> i & 1 ? joined : left, i + 1);
  columns_set(&manager->columns, 0, 0, now);
}
