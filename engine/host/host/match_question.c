// The question whether a machine may join the match, which the host's user answers with keys, the mouse or a pad.
#include "host/match_play_internal.h"

#include "game/players.h"
#include "platform/pad_buttons.h"

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

// Adds to the question's details that accepting the machine gives away the seat of a lost player. `reserved`: bits of
// the lost players.
static void describe_reserved(match_play_o *p, uint8_t reserved) {
  char text[MATCH_TEXT_BYTES];
  size_t length = strlen(p->question.details);
  player_info_t info = players_get_info(p->host->session.game, (uint32_t)__builtin_ctz(reserved) + 1);
  match_text_format(p->host, &(match_text_t){"match_takes_seat", {{"name", info.name}}}, text);
  (void)snprintf(p->question.details + length, sizeof p->question.details - length, "   %.150s", text);
}

static void describe(match_play_o *p) {
  const match_applicant_t *a = &p->request.applicant;
  bool in_lobby = match_game_is_in_lobby(p->game), has_pad = match_question_has_pad(p);
  char players[16], text[MATCH_TEXT_BYTES];
  match_text_t wants = {"match_wants", {{"name", a->name[0] ? a->name : "@shoal.match_a_player"}}};
  (void)snprintf(players, sizeof players, "%u", a->players);
  (void)snprintf(p->question.text, sizeof p->question.text, "%.191s", match_text_format(p->host, &wants, text));
  match_text_format(p->host, &(match_text_t){"match_players", {{"n", players}}}, text);
  (void)snprintf(p->question.details, sizeof p->question.details, "%.191s", text);
  if (a->reserved != 0)
    describe_reserved(p, a->reserved);
  p->question.choice.buttons[0] = match_text_copy(p->host, "match_accept", p->answer_texts[0], 64);
  p->question.choice.buttons[1] = match_text_copy(p->host, "match_refuse", p->answer_texts[1], 64);
  p->question.choice.buttons[2] = match_text_copy(p->host, "match_refuse_always", p->answer_texts[2], 64);
  p->question.choice.keys[2] = !has_pad ? "F9" : in_lobby ? "F9, LB" : "F9, Back + LB";
  p->question.choice.keys[0] = !has_pad ? "F7" : in_lobby ? "F7, Y" : "F7, Back + Y";
  p->question.choice.keys[1] = !has_pad ? "F8" : in_lobby ? "F8, X" : "F8, Back + X";
}

static void answer(match_play_o *p, match_answer_t given) {
  if (given == MATCH_ANSWER_REFUSE_ALWAYS)
    match_link_refuse_always(p->link, match_play_now_us(p), p->request.peer);
  else
    match_link_decide(p->link, match_play_now_us(p), p->request.peer, given == MATCH_ANSWER_ACCEPT);
  p->has_request = false;
  p->question = (question_t){0};
}

void match_question_update(match_play_o *p) {
  match_request_t request;
  char address[LINK_ADDRESS_TEXT_BYTES];
  bool was_asked = p->has_request;
  p->has_request = p->link && match_link_get_request(p->link, &request);
  if (!p->has_request)
    return;
  bool is_new = !was_asked || request.peer != p->request.peer;
  p->request = request;
  if (is_new)
    p->question = (question_t){0};
  describe(p);
  if (is_new)
    log_info(p->host->session.log,
             "match: %s wants to join (players: %u, %s): F7 accepts, F8 refuses, F9 refuses always",
             request.applicant.name[0] ? request.applicant.name : "a player", request.applicant.players,
             link_address_format(&request.address, address));
  static const match_answer_t ANSWERS[1 + CHOICE_MAX_BUTTONS] = {MATCH_ANSWER_NONE, MATCH_ANSWER_ACCEPT,
                                                                 MATCH_ANSWER_REFUSE, MATCH_ANSWER_REFUSE_ALWAYS};
  match_answer_t given = match_question_read_pads(&p->devices, &p->devices_before, match_game_is_in_lobby(p->game));
  if (given != MATCH_ANSWER_NONE)
    p->host->leave.asked_s = 0; // the pad's Back was not pressed to leave the game
  if (p->question.choice.pressed_button > 0)
    given = ANSWERS[p->question.choice.pressed_button];
  if (given != MATCH_ANSWER_NONE)
    answer(p, given);
}

question_t *match_play_get_question(host_o *h) {
  return h->match && h->match->has_request ? &h->match->question : NULL;
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

latch_t match_play_get_mouse(const host_o *h) {
  const match_play_o *p = h->match;
  latch_t mouse = {.current = p->devices};
  mouse.pressed.mouse_buttons[1] = p->devices.mouse_buttons[1] && !p->devices_before.mouse_buttons[1];
  return mouse;
}
