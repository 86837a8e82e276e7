// The question whether a machine may join the match, which the host's user answers with keys, the mouse or a pad.
#include "host/match_play_internal.h"

#include "game/players.h"
#include "platform/pad_buttons.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool match_question_has_pad(const match_play_o *p) {
  for (uint32_t i = 0; i < INPUT_PADS; ++i)
    if (p->devices.pad_connected[i])
      return true;
  return false;
}

bool match_question_is_pad_pressed(const match_play_o *p, uint32_t button) {
  for (uint32_t i = 0; i < INPUT_PADS; ++i)
    if (p->devices.pad_buttons[i][button] && !p->devices_before.pad_buttons[i][button])
      return true;
  return false;
}

match_answer_t match_question_read_pads(const input_state_t *now, const input_state_t *before, bool in_lobby) {
  static const struct {
    uint32_t button;
    match_answer_t answer;
  } BUTTONS[] = {
      {PAD_Y, MATCH_ANSWER_ACCEPT}, {PAD_X, MATCH_ANSWER_REFUSE}, {PAD_LEFT_SHOULDER, MATCH_ANSWER_REFUSE_ALWAYS}};
  for (uint32_t i = 0; i < INPUT_PADS; ++i) {
    const uint8_t *buttons = now->pad_buttons[i], *buttons_before = before->pad_buttons[i];
    match_answer_t answer = MATCH_ANSWER_NONE;
    uint32_t held = 0;
    bool is_pressed = false;
    for (uint32_t k = 0; k < sizeof BUTTONS / sizeof *BUTTONS; ++k) {
      if (!buttons[BUTTONS[k].button])
        continue;
      ++held;
      answer = BUTTONS[k].answer;
      is_pressed |= !buttons_before[BUTTONS[k].button];
    }
    if (is_pressed && held == 1 && (in_lobby || buttons[PAD_BACK]))
      return answer;
  }
  return MATCH_ANSWER_NONE;
}

static void describe(match_play_o *p) {
  static const struct {
    const char *text, *key, *pad_in_lobby, *pad;
  } ANSWERS[] = {{"match_accept", "F7", "Y", "Back + Y"},
                 {"match_refuse", "F8", "X", "Back + X"},
                 {"match_refuse_always", "F9", "LB", "Back + LB"}};
  const match_applicant_t *a = &p->request.applicant;
  bool in_lobby = match_game_is_in_lobby(p->game);
  script_match_box_t *box = &p->boxes[MATCH_BOX_QUESTION];
  char players[16];
  (void)snprintf(players, sizeof players, "%u", a->players);
  match_text_write(p->host, &(match_text_t){"match_wants", {{"name", a->name[0] ? a->name : "@shoal.match_a_player"}}},
                   box->title, sizeof box->title);
  match_text_write(p->host, &(match_text_t){"match_players", {{"n", players}}}, box->lines[0], sizeof box->lines[0]);
  if (a->reserved != 0) { // accepting the machine gives away the seat of a lost player
    player_info_t info = players_get_info(p->host->session.game, (uint32_t)__builtin_ctz(a->reserved) + 1);
    match_text_write(p->host, &(match_text_t){"match_takes_seat", {{"name", info.name}}}, box->lines[1],
                     sizeof box->lines[1]);
  }
  for (uint32_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; ++i)
    match_panel_add_button(p, box, i, ANSWERS[i].text, ANSWERS[i].key,
                           in_lobby ? ANSWERS[i].pad_in_lobby : ANSWERS[i].pad);
}

static void answer(match_play_o *p, match_answer_t given) {
  if (given == MATCH_ANSWER_REFUSE_ALWAYS)
    match_link_refuse_always(p->link, match_play_now_us(p), p->request.peer);
  else
    match_link_decide(p->link, match_play_now_us(p), p->request.peer, given == MATCH_ANSWER_ACCEPT);
  p->has_request = false;
}

static match_answer_t read_answer(match_play_o *p, bool is_new) {
  match_answer_t by_pad = match_question_read_pads(&p->devices, &p->devices_before, match_game_is_in_lobby(p->game));
  if (by_pad != MATCH_ANSWER_NONE)
    p->host->leave.asked_s = 0; // the pad's Back was not pressed to leave the game
  static_assert(MATCH_ANSWER_ACCEPT == 1 && MATCH_ANSWER_REFUSE == 2 && MATCH_ANSWER_REFUSE_ALWAYS == 3,
                "the buttons, numbered from 1, are in the order of the answers");
  uint32_t button = p->menu ? match_menu_pop_button(p->menu, MATCH_BOX_QUESTION) : 0;
  return button > 0 && !is_new ? (match_answer_t)button : by_pad;
}

void match_question_update(match_play_o *p) {
  match_request_t request;
  char address[LINK_ADDRESS_TEXT_BYTES];
  bool was_asked = p->has_request;
  p->boxes[MATCH_BOX_QUESTION] = (script_match_box_t){0};
  p->has_request = p->link && match_link_get_request(p->link, &request);
  if (!p->has_request)
    return;
  bool is_new = !was_asked || request.peer != p->request.peer;
  p->request = request;
  if (is_new)
    log_info(p->host->session.log,
             "match: %s wants to join (players: %u, %s): F7 accepts, F8 refuses, F9 refuses always",
             request.applicant.name[0] ? request.applicant.name : "a player", request.applicant.players,
             link_address_format(&request.address, address));
  match_answer_t given = read_answer(p, is_new);
  if (given != MATCH_ANSWER_NONE)
    answer(p, given);
  else
    describe(p);
}

bool match_play_answers_key(host_o *h, host_key_t key) {
  match_answer_t given = key == HOST_KEY_REPEAT      ? MATCH_ANSWER_ACCEPT        // F7
                         : key == HOST_KEY_DISMISS   ? MATCH_ANSWER_REFUSE        // F8
                         : key == HOST_KEY_STEP_BACK ? MATCH_ANSWER_REFUSE_ALWAYS // F9
                                                     : MATCH_ANSWER_NONE;
  if (!h->match || !h->match->has_request || given == MATCH_ANSWER_NONE)
    return false;
  answer(h->match, given);
  return true;
}
