// Types shared by the interface (ui.h) and the state (state.h) of widgets.
#ifndef SHOAL_UI_UI_TYPES_H
#define SHOAL_UI_UI_TYPES_H

#include "ecs/world.h"
#include "platform/audio.h"
#include "platform/input.h"
#include "text/typesetter.h"

typedef struct ui_o ui_o;

typedef struct ui_desc_t {
  world_o *world;
  const input_state_t *input, *input_before; // samples of this tick and of the previous tick; borrowed
  audio_o *audio;                            // output for the sounds of widgets; borrowed; NULL: no sounds
  typesetter_o *type;                        // typesetter that measures text; borrowed
} ui_desc_t;

typedef enum ui_action_t {
  UI_UP,
  UI_DOWN,
  UI_LEFT,
  UI_RIGHT,
  UI_ACCEPT,
  UI_BACK,
  UI_NEXT,
  UI_PREVIOUS,
  UI_ACTION_COUNT
} ui_action_t;

// Parts of the input that widgets consume in a tick; hidden from the game. A dialogue leaves actions that press buttons
// to the game, because they open menus.
enum { UI_CAPTURES_KEYS = 1, UI_CAPTURES_MOUSE = 2, UI_CAPTURES_DIALOGUE = 7, UI_CAPTURES_ALL = 15 };

#endif
