// Texts and actions of the panel in the middle of the screen, which shows why a match waits or has ended. The match
// menu draws the panel and the question.
#include "host/match_play_internal.h"

#include "host/play_together.h"
#include "platform/pad_buttons.h"
#include "platform/scancodes.h"

#include <stdio.h>
#include <string.h>

// Keys and pad buttons with the same effect as the panel's buttons, for each action.
static const struct {
  int key;
  uint32_t pad;
  const char *key_name, *pad_name;
} ACTIONS[] = {
    [MATCH_PANEL_LEAVE] = {KEY_ESCAPE, PAD_B, "Esc", "B"}, [MATCH_PANEL_CONTINUE] = {KEY_RETURN, PAD_A, "Enter", "A"}};

_Static_assert(sizeof *((script_match_box_t *)NULL)->lines == MATCH_TEXT_BYTES, "a failure must fit in a line");

static bool is_host(const match_play_o *p) {
  return match_get_status(p->match, 0).role == MATCH_HOST;
}

// --- contents

static script_match_box_t *get_panel(match_play_o *p) {
  return &p->boxes[MATCH_BOX_PANEL];
}

static void set_title(match_play_o *p, const char *key) {
  match_text_write(p->host, &(match_text_t){key, {{0}}}, get_panel(p)->title, sizeof get_panel(p)->title);
}

static void set_text(match_play_o *p, uint32_t line, const match_text_t *text) {
  match_text_write(p->host, text, get_panel(p)->lines[line], sizeof *get_panel(p)->lines);
}

static void set_line(match_play_o *p, uint32_t line, const char *key) {
  set_text(p, line, &(match_text_t){key, {{0}}});
}

void match_panel_add_button(const match_play_o *p, script_match_box_t *box, uint32_t button, const char *text,
                            const char *key, const char *pad) {
  match_text_write(p->host, &(match_text_t){text, {{0}}}, box->buttons[button], sizeof box->buttons[button]);
  (void)snprintf(box->keys[button], sizeof box->keys[button], "%s", key);
  if (match_question_has_pad(p))
    (void)snprintf(box->pads[button], sizeof box->pads[button], "%s", pad);
}

static void add_button(match_play_o *p, match_panel_action_t action, const char *text) {
  uint32_t i = p->panel_actions[0] ? 1 : 0;
  p->panel_actions[i] = action;
  match_panel_add_button(p, get_panel(p), i, text, ACTIONS[action].key_name, ACTIONS[action].pad_name);
}

static void fill_waiting(match_play_o *p, const match_status_t *status) {
  char count[16], total[16], code[MATCH_CODE_BYTES], addresses[MATCH_ADDRESSES_TEXT_BYTES];
  script_match_box_t *panel = get_panel(p);
  (void)snprintf(count, sizeof count, "%d", __builtin_popcount(status->joining | status->present));
  (void)snprintf(total, sizeof total, "%u", p->awaited);
  match_text_write(p->host, &(match_text_t){"match_waiting", {{"count", count}, {"total", total}}}, panel->title,
                   sizeof panel->title);
  if (p->lobby.has_menu)
    set_text(p, 0, &(match_text_t){"lobby_find", {{"name", p->name[0] ? p->name : p->title}}});
  else
    set_text(p, 0, &(match_text_t){"join_at", {{"address", match_status_format_addresses(p, addresses)}}});
  match_files_format_code(match_link_get_key(p->link), code);
  match_text_write(p->host, &(match_text_t){"lobby_key", {{"code", code}}}, panel->hint, sizeof panel->hint);
}

static void fill_lost(match_play_o *p, int64_t now_us) {
  char seconds[24];
  set_title(p, p->has_host_left ? "match_host_left" : "match_host_gone");
  set_line(p, 0, p->was_saved ? "match_saved" : "match_not_saved");
  get_panel(p)->is_failure = true;
  if (p->is_trying_successor) {
    const char *name = p->successor.offer.name;
    set_text(p, 1, &(match_text_t){"match_joins", {{"name", name[0] ? name : "@shoal.match_a_player"}}});
  } else {
    (void)snprintf(seconds, sizeof seconds, "%lld", (long long)((now_us - p->lost_us) / 1000000));
    set_text(p, 1, &(match_text_t){"match_retries", {{"n", seconds}}});
    set_line(p, 2, "match_successor");
    set_line(p, 3, "match_elsewhere");
    if (!p->twin)
      add_button(p, MATCH_PANEL_CONTINUE, "match_continue");
  }
  add_button(p, MATCH_PANEL_LEAVE, "lobby_leave");
}

static void fill_lost_room(match_play_o *p, int64_t now_us) {
  char seconds[24];
  (void)snprintf(seconds, sizeof seconds, "%lld", (long long)((now_us - p->lost_us) / 1000000));
  set_title(p, "world_lost");
  set_text(p, 0, &(match_text_t){"world_retries", {{"n", seconds}}});
  set_line(p, 1, "world_keeps");
  get_panel(p)->is_failure = true;
  add_button(p, MATCH_PANEL_LEAVE, "lobby_leave");
}

static void fill_failure(match_play_o *p) {
  set_title(p, p->tick > 0 ? "match_disconnected" : "match_failed");
  memcpy(get_panel(p)->lines[0], p->failure, sizeof p->failure);
  if (p->was_saved)
    set_line(p, 1, "match_saved");
  get_panel(p)->is_failure = true;
  add_button(p, MATCH_PANEL_LEAVE, "match_quit");
}

static void fill_joining(match_play_o *p) {
  set_title(p, "match_joining");
  if (p->phase == MATCH_PHASE_LOOKUP) {
    set_line(p, 0, "match_lookup");
  } else if (match_world_is_used(p)) {
    set_line(p, 0, "world_asks");
  } else if (!p->twin) {
    set_line(p, 0, "match_asks");
    set_line(p, 1, "match_asks_hint");
  }
  add_button(p, MATCH_PANEL_LEAVE, "cancel");
}

static void fill_loading(match_play_o *p, const match_status_t *status) {
  char percent[16], size[16];
  set_title(p, status->is_playing ? "match_waits" : "match_loading");
  if (status->loading_bytes > 0) {
    (void)snprintf(percent, sizeof percent, "%u", (unsigned)(status->loaded_bytes * 100 / status->loading_bytes));
    (void)snprintf(size, sizeof size, "%.1f", (double)status->loading_bytes / 1e6);
    set_text(p, 0, &(match_text_t){"match_loaded", {{"percent", percent}, {"size", size}}});
  }
  add_button(p, MATCH_PANEL_LEAVE, "cancel");
}

static void fill_end(match_play_o *p) {
  set_title(p, "match_ended");
  add_button(p, MATCH_PANEL_LEAVE, "match_quit");
}

static void fill(match_play_o *p, int64_t now_us) {
  match_status_t status = match_get_status(p->match, now_us);
  bool has_joined = status.players != 0 && (status.present & status.players) == status.players;
  switch (p->phase) {
  case MATCH_PHASE_LOOKUP:
  case MATCH_PHASE_ASKING:
  case MATCH_PHASE_JOINING: fill_joining(p); return;
  case MATCH_PHASE_LOST: (match_world_is_used(p) ? fill_lost_room : fill_lost)(p, now_us); return;
  case MATCH_PHASE_FAILED: fill_failure(p); return;
  case MATCH_PHASE_ENDED: fill_end(p); return;
  default: break;
  }
  if (is_host(p) && !p->has_begun && !match_game_is_in_lobby(p->game))
    fill_waiting(p, &status);
  else if (!is_host(p) && !has_joined)
    fill_loading(p, &status);
}

// --- answers

static bool is_pressed(const match_play_o *p, uint32_t button, uint32_t clicked) {
  match_panel_action_t action = p->panel_actions[button];
  int key = ACTIONS[action].key;
  return clicked == button + 1 || (p->devices.keys[key] && !p->devices_before.keys[key]) ||
         match_question_is_pad_pressed(p, ACTIONS[action].pad);
}

void match_panel_update(match_play_o *p, int64_t now_us) {
  match_panel_action_t chosen = MATCH_PANEL_NONE;
  uint32_t clicked = p->menu ? match_menu_pop_button(p->menu, MATCH_BOX_PANEL) : 0;
  for (uint32_t i = 0; i < MATCH_PANEL_BUTTONS && p->panel_actions[i]; ++i)
    chosen = is_pressed(p, i, clicked) ? p->panel_actions[i] : chosen;
  if (chosen == MATCH_PANEL_LEAVE)
    play_together_leave(p->host, "");
  else if (chosen == MATCH_PANEL_CONTINUE && p->phase == MATCH_PHASE_LOST && !match_world_is_used(p))
    match_connect_continue_as_host(p, now_us);
  p->boxes[MATCH_BOX_PANEL] = (script_match_box_t){0};
  memset(p->panel_actions, 0, sizeof p->panel_actions);
  if (!play_together_is_leaving(p->host))
    fill(p, now_us);
}

// --- the screen

// Adds a notice with the title of the box and with its keys. Does nothing if the title has not changed since the last
// notice.
static void announce(match_play_o *p, match_box_t number) {
  const script_match_box_t *box = &p->boxes[number];
  char text[sizeof box->title + MATCH_BOX_BUTTONS * (sizeof *box->buttons + sizeof *box->keys + 4)];
  if (strcmp(box->title, p->announced[number]) == 0)
    return;
  memcpy(p->announced[number], box->title, sizeof box->title);
  size_t used = (size_t)snprintf(text, sizeof text, "%s", box->title);
  for (uint32_t i = 0; i < MATCH_BOX_BUTTONS && box->buttons[i][0]; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "   %s %s", box->keys[i], box->buttons[i]);
  if (used > 0)
    notice_add(&p->host->session.notices, box->is_failure ? NOTICE_BAD : NOTICE_PLAIN, "%s", text);
}

void match_panel_show_boxes(match_play_o *p) {
  if (p->menu)
    match_menu_set_boxes(p->menu, p->boxes, p->chat);
  for (uint32_t i = 0; i < MATCH_BOX_COUNT && !p->menu; ++i)
    announce(p, (match_box_t)i);
}
