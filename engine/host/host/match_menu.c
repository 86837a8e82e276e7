// The menu of a match: its world, its input, and the settings that it shares with the game.
#include "host/match_menu.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "game/players.h"
#include "host/failures.h"
#include "host/game_options.h"
#include "host/host_internal.h"
#include "host/match_play_internal.h"
#include "host/script_requests.h"
#include "platform/ignored_input.h"
#include "platform/scancodes.h"
#include "saves/game_saves.h"
#include "ui/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAYER 9000    // drawing layer in front of the game, behind notices and tools (RENDER_OVERLAY_LAYER)
#define PAD_START 6u  // value of SDL_CONTROLLER_BUTTON_START
#define MIN_RATE 10.0 // minimum tick rate of the menu, in ticks per second
#define MAX_RATE 1000.0

_Static_assert(sizeof(((script_match_menu_t *)NULL)->line) == MATCH_CHAT_BYTES + 1, "the limits of lines differ");
_Static_assert(PLAYER_MAX == 32 && PLAYER_NAME_BYTES == 28, "script_match_menu_t in script/bindings/abi.h differs");
_Static_assert(sizeof(((script_match_menu_t *)NULL)->addresses) == MATCH_ADDRESSES_TEXT_BYTES, "the sizes differ");

struct match_menu_o {
  host_o *host;
  game_o *game;        // game that implements the menu
  uint64_t configured; // number of the world of the game to which the menu's settings were copied
  script_match_menu_t state;
  input_state_t devices; // input devices in the previous frame
  ignored_input_t ignored_by_menu, ignored_by_game;
  float mouse_x, mouse_y;           // position of the game's pointer, which stays in place while the menu is open
  uint32_t last_page;               // page in the last tick
  uint32_t last_box_changes;        // value of state.box_changes in the last tick
  bool had_boxes;                   // true if a box was shown in the previous frame
  bool is_chat_opening;             // true until the chat entry has had the focus
  char typed[MATCH_CHAT_BYTES + 1]; // text that was typed while `is_chat_opening`
};

// --- life cycle

static void copy_machine_settings(match_menu_o *m, const game_o *from, const game_o *to) {
  allocator_t *memory = &m->host->session.memory;
  vm_settings_t settings = {0};
  vm_copy_settings(from->vm, memory, &settings);
  if (settings.count > 0)
    vm_apply_machine_settings(to->vm, settings.items);
  array_free(memory, &settings);
}

static game_o *create_game(host_o *h, script_match_menu_t *state, script_report_t *report) {
  game_desc_t desc = game_options_build_desc(h);
  desc.match_menu = state;
  desc.lobby = NULL;
  desc.sources = h->session.game->desc.sources;
  desc.compiled_sources = NULL;
  desc.engine_code = NULL;
  desc.local_players = 0;
  desc.native = "off";
  desc.check_tables = desc.undo_failures = desc.undo_stops = desc.track_touched = false;
  desc.maps = NULL;
  desc.jobs = NULL;
  desc.plugins = NULL;
  desc.plugin_count = 0;
  desc.old_plugins = NULL;
  desc.library = (vm_library_t){0};
  desc.external = NULL; // the input of the menu is not recorded
  desc.preload = NULL;
  game_o *g = game_create(&desc, false, report);
  if (g && game_start(g, report))
    return g;
  game_destroy(g);
  return NULL;
}

match_menu_o *match_menu_create(host_o *h) {
  match_menu_o *m = alloc_object(sizeof *m);
  script_report_t report = {0};
  m->host = h;
  m->game = create_game(h, &m->state, &report);
  if (!m->game) {
    log_warn(h->session.log, "match: no menu, because the game's files cannot be loaded again: %s", report.message);
    free(m);
    return NULL;
  }
  copy_machine_settings(m, h->session.game, m->game); // the settings file may lack changes that were made in the lobby
  m->configured = world_number(h->session.game->world);
  players_set_local(m->game, (const uint8_t[]){1}, 1); // a single local player, so that all devices can use the menu
  ui_set_layer(m->game->ui, LAYER);
  return m;
}

void match_menu_destroy(match_menu_o *m) {
  if (!m)
    return;
  platform_set_text_key(m->host->session.platform, 0);
  game_destroy(m->game);
  free(m);
}

void match_menu_set_addresses(match_menu_o *m, const char *addresses) {
  m->state.is_host = addresses != NULL;
  if (addresses)
    (void)snprintf(m->state.addresses, sizeof m->state.addresses, "%s", addresses);
}

// --- settings

// Copies the menu's settings to a game that has just started. Clears the previous state of the window, so that the
// window adopts the settings.
static void configure_new_game(match_menu_o *m) {
  game_o *running = m->host->session.game;
  if (m->configured == world_number(running->world))
    return;
  m->configured = world_number(running->world);
  copy_machine_settings(m, m->game, running);
  memset(&m->game->input.window, 0, sizeof m->game->input.window);
}

// Applies settings that the player has changed to the game. On the host, the game writes the settings file. On a peer,
// the menu writes it, because the peer's game uses the host's values for settings that do not belong to the machine.
static void apply_changes(match_menu_o *m) {
  session_t *s = &m->host->session;
  size_t bytes;
  const char *changed = scene_files_get_stored(m->game->scene_files, GAME_SAVES_SETTINGS, &bytes);
  if (changed && m->configured == world_number(s->game->world)) // the lobby is not the configured game
    vm_apply_machine_settings(s->game->vm, changed);
  game_saves_write_files(s, m->game->scene_files, !s->options.join);
}

// --- frames

static bool is_key_pressed(const match_menu_o *m, const input_state_t *sample, int32_t key) {
  return sample->keys[key] && !m->devices.keys[key];
}

static bool is_start_pressed(const match_menu_o *m, const input_state_t *sample) {
  bool result = false;
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad)
    result |= sample->pad_buttons[pad][PAD_START] && !m->devices.pad_buttons[pad][PAD_START];
  return result;
}

static void open_page(match_menu_o *m, match_menu_page_t page, const input_state_t *held) {
  if (m->state.page == MATCH_MENU_CLOSED)
    copy_machine_settings(m, m->host->session.game, m->game);
  ignored_input_add(&m->ignored_by_menu, held);
  m->is_chat_opening = page == MATCH_MENU_CHAT;
  m->typed[0] = '\0';
  m->state.page = (uint32_t)page;
  m->state.has_main_page = true;
}

// Returns true if the chat key was pressed, the game does not use this key, and the key types no letter into a text
// input of the game.
static bool is_chat_key_pressed(const match_menu_o *m, const input_state_t *sample) {
  return m->state.has_chat_key && is_key_pressed(m, sample, KEY_T) &&
         !platform_has_text_input(m->host->session.platform);
}

// Opens or closes the menu by keys. Start closes the menu on every page. Escape presses the cancel button of the page,
// and is handled there.
static void open_or_close(match_menu_o *m, const input_state_t *sample, bool may_open, bool in_lobby) {
  bool is_open = match_menu_is_open(m), is_rebinding = ui_rebinding_stage(m->game->world) != 0;
  if (is_open && ((!may_open && !in_lobby) || (!is_rebinding && is_start_pressed(m, sample))))
    m->state.page = MATCH_MENU_CLOSED;
  else if (!is_open && may_open && (is_start_pressed(m, sample) || is_key_pressed(m, sample, KEY_ESCAPE)))
    open_page(m, MATCH_MENU_MAIN, sample);
  else if (!is_open && may_open && is_chat_key_pressed(m, sample))
    open_page(m, MATCH_MENU_CHAT, sample);
}

static bool is_window_changed(const input_state_t *previous, const input_state_t *sample) {
  return previous->window.width == 0 || previous->window.fullscreen != sample->window.fullscreen ||
         previous->scale != sample->scale || previous->tearing != sample->tearing;
}

// Runs one tick of the menu. The tick is as long as a frame, because the menu runs one tick per frame and must not lose
// key presses.
static void run_tick(match_menu_o *m, const input_state_t *sample) {
  script_report_t report;
  double rate = m->host->clock.frame_s > 0.0 ? 1.0 / m->host->clock.frame_s : MAX_RATE;
  m->last_page = m->state.page;
  m->last_box_changes = m->state.box_changes;
  world_set_tick_rate(m->game->world, (uint32_t)lround(fmin(fmax(rate, MIN_RATE), MAX_RATE)));
  game_run(m->game, GAME_TICK, &(game_io_t){.devices = sample});
  while (game_pop_reports(m->game, &report, 1) > 0)
    failures_report(m->host, ERROR_CARD_RUN, &report);
  requests_apply_to_window(m->host, &m->game->requests);
  m->game->requests = (script_requests_t){0};
  apply_changes(m);
}

// Keeps typed text until the entry has the focus after a tick, then passes as much text as fits into a sample.
static void pass_typed_text(match_menu_o *m, input_state_t *input) {
  size_t typed = strlen(m->typed), size = strnlen(input->text, sizeof input->text);
  if (!m->is_chat_opening)
    return;
  size = size < sizeof m->typed - 1 - typed ? size : 0;
  memcpy(m->typed + typed, input->text, size);
  m->typed[typed + size] = '\0';
  memset(input->text, 0, sizeof input->text);
  if (m->last_page != MATCH_MENU_CHAT || !ui_is_entry_focused(m->game->ui))
    return;
  size_t passed = strlen(m->typed);
  if (passed > sizeof input->text)
    passed = utf8_character_start(m->typed, sizeof input->text);
  memcpy(input->text, m->typed, passed);
  memmove(m->typed, m->typed + passed, strlen(m->typed + passed) + 1);
  m->is_chat_opening = m->typed[0] != '\0';
}

// Sets the key that begins text input. Letters typed after the chat key arrive before the entry requests text input, so
// the key itself must begin it.
static void set_text_key(const match_menu_o *m, bool may_open) {
  bool is_opening = m->state.page == MATCH_MENU_CHAT && m->is_chat_opening;
  bool may_begin = may_open && m->state.has_chat_key && (!match_menu_is_open(m) || is_opening);
  platform_set_text_key(m->host->session.platform, may_begin ? KEY_T : 0);
}

static bool has_boxes(const match_menu_o *m) {
  return m->state.boxes[MATCH_BOX_QUESTION].title[0] || m->state.boxes[MATCH_BOX_PANEL].title[0];
}

// Removes the input that the menu does not receive from `input`. Boxes receive the mouse, except buttons that were
// already held when the first box appeared.
static void remove_input(match_menu_o *m, input_state_t *input, const input_state_t *sample, bool receives) {
  bool is_new = has_boxes(m) && !m->had_boxes;
  m->had_boxes = has_boxes(m);
  if (is_new && !receives)
    ignored_input_add(&m->ignored_by_menu, sample);
  ignored_input_remove_from(&m->ignored_by_menu, input);
  if (receives)
    return;
  input_state_t mouse = *input;
  input_release_all(input);
  if (m->had_boxes)
    memcpy(input->mouse_buttons, mouse.mouse_buttons, sizeof input->mouse_buttons);
}

// Returns true if the menu may have to react or to change its picture. Otherwise, it is not run, to save time.
static bool needs_tick(const match_menu_o *m, const input_state_t *input, bool receives) {
  bool is_changed = m->last_page != m->state.page || m->last_box_changes != m->state.box_changes ||
                    is_window_changed(&m->game->input, input);
  return receives || m->had_boxes || is_changed;
}

void match_menu_run_frame(match_menu_o *m, input_state_t *sample, bool may_open, bool in_lobby) {
  input_state_t devices = *sample, input = *sample;
  bool was_open = match_menu_is_open(m);
  if (may_open)
    configure_new_game(m);
  open_or_close(m, sample, may_open, in_lobby);
  bool receives = was_open || match_menu_is_open(m);
  remove_input(m, &input, sample, receives);
  pass_typed_text(m, &input);
  if (needs_tick(m, &input, receives))
    run_tick(m, &input);
  if (!receives && m->had_boxes && m->game->ui->captured_of[0] & UI_CAPTURES_MOUSE)
    memset(sample->mouse_buttons, 0, sizeof sample->mouse_buttons);
  if (receives)
    ignored_input_add(&m->ignored_by_game, sample);
  ignored_input_remove_from(&m->ignored_by_game, sample);
  if (receives) {
    input_release_all(sample); // releases all controls, and clears the text and the wheel
    sample->mouse_x = m->mouse_x;
    sample->mouse_y = m->mouse_y;
  }
  m->mouse_x = sample->mouse_x;
  m->mouse_y = sample->mouse_y;
  m->devices = devices;
  set_text_key(m, may_open);
}

void match_menu_open_options(match_menu_o *m) {
  if (m->state.page != MATCH_MENU_OPTIONS)
    open_page(m, MATCH_MENU_OPTIONS, &m->devices);
}

void match_menu_open_players(match_menu_o *m) {
  if (match_menu_is_open(m))
    return;
  open_page(m, MATCH_MENU_PLAYERS, &m->devices);
  m->state.has_main_page = false;
}

void match_menu_set_players(match_menu_o *m, const script_match_menu_t *players) {
  memcpy(m->state.names, players->names, sizeof m->state.names);
  memcpy(m->state.reserved_s, players->reserved_s, sizeof m->state.reserved_s);
  m->state.is_host = players->is_host;
  m->state.is_world = players->is_world;
  m->state.present = players->present;
  m->state.own = players->own;
  m->state.lost = players->lost;
  m->state.muted = players->muted;
  m->state.bans = players->bans;
}

void match_menu_set_boxes(match_menu_o *m, const script_match_box_t *boxes, const script_match_chat_line_t *chat) {
  if (memcmp(m->state.boxes, boxes, sizeof m->state.boxes) == 0 &&
      memcmp(m->state.chat, chat, sizeof m->state.chat) == 0)
    return;
  memcpy(m->state.boxes, boxes, sizeof m->state.boxes);
  memcpy(m->state.chat, chat, sizeof m->state.chat);
  m->state.box_changes++;
}

uint32_t match_menu_pop_button(match_menu_o *m, match_box_t box) {
  uint32_t button = m->state.pressed[box];
  m->state.pressed[box] = 0;
  return button;
}

bool match_menu_pop_moderation(match_menu_o *m, match_moderation_t *action, uint32_t *number) {
  *action = (match_moderation_t)m->state.moderation;
  *number = m->state.moderated_player;
  m->state.moderation = m->state.moderated_player = 0;
  return *action != MATCH_MODERATION_NONE;
}

void match_menu_open_question(match_menu_o *m) {
  if (m->state.page != MATCH_MENU_QUESTION)
    open_page(m, MATCH_MENU_QUESTION, &m->devices);
}

const char *match_menu_get_line(const match_menu_o *m) {
  return m->state.line[0] ? m->state.line : NULL;
}

void match_menu_answer_line(match_menu_o *m, match_chat_result_t result) {
  m->state.line[0] = '\0';
  m->state.chat_fault = (uint32_t)result;
  if (result == MATCH_CHAT_SENT && m->state.page == MATCH_MENU_CHAT)
    m->state.page = MATCH_MENU_CLOSED;
}

bool match_menu_is_open(const match_menu_o *m) {
  return m->state.page != MATCH_MENU_CLOSED;
}

bool match_menu_leaves(const match_menu_o *m) {
  return m->state.leaves;
}

void match_menu_draw(match_menu_o *m, float dt_s) {
  const session_t *s = &m->host->session;
  if (match_menu_is_open(m) || has_boxes(m) || m->state.chat[0].text[0])
    ui_draw(m->game->ui, s->draw, match_menu_is_open(m) ? s->platform : NULL, dt_s);
}
