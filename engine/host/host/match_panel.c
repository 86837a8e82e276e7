// The panel in the middle of the screen: shows why a match waits or has ended, and the actions of the user.
#include "host/match_play_internal.h"

#include "host/play_together.h"
#include "platform/pad_buttons.h"
#include "platform/scancodes.h"

#include <stdio.h>
#include <string.h>

// Keys and pad buttons with the same effect as the panel's buttons, by action.
static const struct {
  int key;
  uint32_t pad;
  const char *key_name, *names; // names of the controls without and with a pad
} ACTIONS[] = {[MATCH_PANEL_LEAVE] = {KEY_ESCAPE, PAD_B, "Esc", "Esc, B"},
               [MATCH_PANEL_CONTINUE] = {KEY_RETURN, PAD_A, "Enter", "Enter, A"}};

static bool is_host(const match_play_o *p) {
  return match_get_status(p->match, 0).role == MATCH_HOST;
}

// --- contents

static void set_line(status_panel_t *panel, uint32_t line, const char *text) {
  (void)snprintf(panel->lines[line], sizeof panel->lines[line], "%s", text);
}

static void add_button(match_play_o *p, match_panel_action_t action, const char *text) {
  uint32_t i = p->panel_actions[0] ? 1 : 0;
  p->panel_actions[i] = action;
  p->panel.choice.buttons[i] = text;
  p->panel.choice.keys[i] = match_question_has_pad(p) ? ACTIONS[action].names : ACTIONS[action].key_name;
}

static void fill_waiting(match_play_o *p, const match_status_t *status) {
  status_panel_t *out = &p->panel;
  uint32_t count = (uint32_t)__builtin_popcount(status->joining | status->present);
  char code[MATCH_CODE_BYTES];
  (void)snprintf(out->title, sizeof out->title, "Waiting for players: %u of %u", count, p->awaited);
  set_line(out, 0, "A friend in the same network joins with");
  match_status_format_command(p, out->lines[1]);
  out->code_line = 2;
  (void)snprintf(out->hint, sizeof out->hint, "Your key is %s",
                 match_files_format_code(match_link_get_key(p->link), code));
}

// Describes how to join the new host: automatically in the local network, otherwise by its address.
static void describe_successor(match_play_o *p, status_panel_t *out) {
  set_line(out, 2, "If another player in your network continues as the host, this machine joins by itself.");
  set_line(out, 3,
           p->host->together.is_active
               ? "Elsewhere, leave, and type the address that the new host's menu shows."
               : "Elsewhere, leave, and use --join with the address that the new host's menu shows.");
}

static void fill_lost(match_play_o *p, int64_t now_us) {
  status_panel_t *out = &p->panel;
  char address[LINK_ADDRESS_TEXT_BYTES];
  (void)snprintf(out->title, sizeof out->title, p->has_host_left ? "The host has left the match" : "The host is gone");
  set_line(out, 0, p->was_saved ? "The match was saved as “match”." : "The match could not be saved.");
  out->is_failure = true;
  if (p->is_trying_successor) {
    (void)snprintf(out->lines[1], sizeof out->lines[1], "Joining %s, which continues as the host",
                   link_address_format(&p->successor.address, address));
  } else {
    (void)snprintf(out->lines[1], sizeof out->lines[1], "Trying to reach the host again: %lld s",
                   (long long)((now_us - p->lost_us) / 1000000));
    describe_successor(p, out);
    if (!p->twin)
      add_button(p, MATCH_PANEL_CONTINUE, "Continue as the host");
  }
  add_button(p, MATCH_PANEL_LEAVE, "Leave");
}

static void fill_failure(match_play_o *p) {
  status_panel_t *out = &p->panel;
  const char *details = strchr(p->failure, '\n');
  (void)snprintf(out->title, sizeof out->title, p->tick > 0 ? "Disconnected from the match" : "Cannot join the match");
  (void)snprintf(out->lines[0], sizeof out->lines[0], "%.*s",
                 details && details - p->failure < 190 ? (int)(details - p->failure) : 190, p->failure);
  if (p->was_saved)
    set_line(out, 1, "The match was saved as “match”.");
  out->is_failure = true;
  add_button(p, MATCH_PANEL_LEAVE, "Quit");
}

static void fill_joining(match_play_o *p) {
  status_panel_t *out = &p->panel;
  char address[LINK_ADDRESS_TEXT_BYTES];
  (void)snprintf(out->title, sizeof out->title, "Joining the match");
  if (p->phase == MATCH_PHASE_LOOKUP)
    (void)snprintf(out->lines[0], sizeof out->lines[0], "Looking up %.100s", p->host->session.options.join);
  else if (!p->twin) {
    (void)snprintf(out->lines[0], sizeof out->lines[0], "Waiting for the answer of %s",
                   link_address_format(&p->host_address, address));
    set_line(out, 1, "The host's player must let you in, with F7 or a click.");
  }
  add_button(p, MATCH_PANEL_LEAVE, "Cancel");
}

static void fill_loading(match_play_o *p, const match_status_t *status) {
  status_panel_t *out = &p->panel;
  (void)snprintf(out->title, sizeof out->title, status->is_playing ? "Waiting for other players" : "Loading the match");
  if (status->loading_bytes > 0)
    (void)snprintf(out->lines[0], sizeof out->lines[0], "%u %% of %.1f MB",
                   (unsigned)(status->loaded_bytes * 100 / status->loading_bytes), (double)status->loading_bytes / 1e6);
  add_button(p, MATCH_PANEL_LEAVE, "Cancel");
}

static void fill_end(match_play_o *p) {
  (void)snprintf(p->panel.title, sizeof p->panel.title, "The host has ended the match");
  add_button(p, MATCH_PANEL_LEAVE, "Quit");
}

static void fill(match_play_o *p, int64_t now_us) {
  match_status_t status = match_get_status(p->match, now_us);
  bool has_joined = status.players != 0 && (status.present & status.players) == status.players;
  switch (p->phase) {
  case MATCH_PHASE_LOOKUP:
  case MATCH_PHASE_JOINING: fill_joining(p); return;
  case MATCH_PHASE_LOST: fill_lost(p, now_us); return;
  case MATCH_PHASE_FAILED: fill_failure(p); return;
  case MATCH_PHASE_ENDED: fill_end(p); return;
  default: break;
  }
  if (is_host(p) && !p->has_begun && !match_game_is_in_lobby(p->game))
    fill_waiting(p, &status);
  else if (!is_host(p) && !has_joined)
    fill_loading(p, &status);
}

status_panel_t *match_play_get_panel(host_o *h) {
  match_play_o *p = h->match;
  if (!p)
    return NULL;
  p->panel = (status_panel_t){0};
  memset(p->panel_actions, 0, sizeof p->panel_actions);
  if (!play_together_is_leaving(h))
    fill(p, match_play_now_us(p));
  return p->panel.title[0] ? &p->panel : NULL;
}

// --- answers

static bool is_pressed(const match_play_o *p, uint32_t button) {
  match_panel_action_t action = p->panel_actions[button];
  int key = ACTIONS[action].key;
  return p->panel.choice.pressed_button == button + 1 || (p->devices.keys[key] && !p->devices_before.keys[key]) ||
         match_question_is_pad_pressed(p, ACTIONS[action].pad);
}

void match_panel_update(match_play_o *p, int64_t now_us) {
  match_panel_action_t chosen = MATCH_PANEL_NONE;
  for (uint32_t i = 0; i < CHOICE_MAX_BUTTONS && p->panel_actions[i]; ++i)
    chosen = is_pressed(p, i) ? p->panel_actions[i] : chosen;
  if (chosen == MATCH_PANEL_LEAVE)
    play_together_leave(p->host, "");
  else if (chosen == MATCH_PANEL_CONTINUE && p->phase == MATCH_PHASE_LOST)
    match_connect_continue_as_host(p, now_us);
}
