// The question whether a machine may join the match, which the host's user answers with keys, the mouse or, in the
// lobby, a pad.
#include "host/match_play_internal.h"

#include <stdio.h>
#include <string.h>

enum { PAD_ACCEPT = 3, PAD_REFUSE = 2 }; // buttons Y and X of a pad
static const float LOBBY_HEADER = 0.18f; // share of the lobby's height; contains the command with which others join

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

static void describe(match_play_o *p) {
  const match_applicant_t *a = &p->request.applicant;
  char address[LINK_ADDRESS_TEXT_BYTES], players[32] = "";
  bool in_lobby = match_game_is_in_lobby(p->game), has_pad = in_lobby && match_question_has_pad(p);
  if (a->players > 1)
    (void)snprintf(players, sizeof players, ", with %u players", a->players);
  (void)snprintf(p->question.text, sizeof p->question.text, "%s wants to join", a->name[0] ? a->name : "A player");
  (void)snprintf(p->question.details, sizeof p->question.details, "%s%s",
                 link_address_format(&p->request.address, address), players);
  p->question.top = in_lobby ? LOBBY_HEADER : 0;
  p->question.choice.buttons[0] = "Accept";
  p->question.choice.buttons[1] = "Refuse";
  p->question.choice.keys[0] = has_pad ? "F7, Y" : "F7";
  p->question.choice.keys[1] = has_pad ? "F8, X" : "F8";
}

static void answer(match_play_o *p, bool accepts) {
  match_link_decide(p->link, match_play_now_us(p), p->request.peer, accepts);
  p->has_request = false;
  p->question = (question_t){0};
}

void match_question_update(match_play_o *p) {
  match_request_t request;
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
    log_info(p->host->session.log, "match: %s (%s): F7 accepts, F8 refuses", p->question.text, p->question.details);
  bool in_lobby = match_game_is_in_lobby(p->game);
  if (p->question.choice.pressed_button == 1 || (in_lobby && match_question_is_pad_pressed(p, PAD_ACCEPT)))
    answer(p, true);
  else if (p->question.choice.pressed_button == 2 || (in_lobby && match_question_is_pad_pressed(p, PAD_REFUSE)))
    answer(p, false);
}

question_t *match_play_get_question(host_o *h) {
  return h->match && h->match->has_request ? &h->match->question : NULL;
}

bool match_play_answers_key(host_o *h, host_key_t key) {
  bool is_key = key == HOST_KEY_REPEAT || key == HOST_KEY_DISMISS; // the keys are F7 and F8
  if (!h->match || !h->match->has_request || !is_key)
    return false;
  answer(h->match, key == HOST_KEY_REPEAT);
  return true;
}

latch_t match_play_get_mouse(const host_o *h) {
  const match_play_o *p = h->match;
  latch_t mouse = {.current = p->devices};
  mouse.pressed.mouse_buttons[1] = p->devices.mouse_buttons[1] && !p->devices_before.mouse_buttons[1];
  return mouse;
}
