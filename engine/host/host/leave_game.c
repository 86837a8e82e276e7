// Detects two presses of Escape or Back, and requests the menu.
#include "host/leave_game.h"

#include "host/host_internal.h"
#include "platform/pad_buttons.h"
#include "platform/scancodes.h"
#include "ui/ui.h"

#define REPEAT_S 3.0 // maximum time between the two presses
#define PROMPT "Press %s again to return to the menu"

// Returns true if no action of the game is bound to the control.
static bool is_free(const host_o *h, input_device_t device, int32_t code) {
  return !ui_has_action_binding(h->session.game->world, device, code);
}

// Returns "Escape" or "Back" if this control is pressed and the game does not use it, otherwise NULL.
static const char *find_pressed(const host_o *h) {
  const input_state_t *input = &h->session.game->input;
  bool has_pad = false;
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad)
    has_pad |= input->pad_buttons[pad][PAD_BACK] != 0;
  return input->keys[KEY_ESCAPE] && is_free(h, INPUT_KEY, KEY_ESCAPE) ? "Escape"
         : has_pad && is_free(h, INPUT_PAD_BUTTON, PAD_BACK)          ? "Back"
                                                                      : NULL;
}

void leave_game_read_input(host_o *h) {
  leave_game_t *leave = &h->leave;
  session_t *s = &h->session;
  const char *pressed = h->started_from_menu ? find_pressed(h) : NULL;
  bool begins = pressed && !leave->was_pressed;
  leave->was_pressed = pressed != NULL;
  if (begins && leave->asked_s > 0 && h->frame_start_s - leave->asked_s < REPEAT_S) {
    snprintf(h->requested_game, sizeof h->requested_game, "%s", s->paths.menu);
  } else if (begins) {
    leave->asked_s = h->frame_start_s;
    log_info(s->log, PROMPT, pressed);
    notice_add(&s->notices, NOTICE_PLAIN, PROMPT, pressed);
  }
}
