// Input of the simulation: plain data, sampled once per tick, recorded and replayed. Uses SDL's codes, but not SDL's
// types.
#ifndef SHOAL_PLATFORM_INPUT_H
#define SHOAL_PLATFORM_INPUT_H

#include "platform/player_input.h"

#include <stdbool.h>
#include <stdint.h>

#define INPUT_KEYS 512
#define INPUT_PADS 4
#define INPUT_PAD_BUTTONS 24
#define INPUT_PAD_AXES 6
#define INPUT_MOUSE_BUTTONS 6
#define INPUT_TEXT 64 // maximum bytes of text per sample; longer text continues in the next samples

// State of the window at the time of the sample; all 0 without a window.
typedef struct input_window_t {
  uint16_t width, height; // size of the game's area, in desktop units
  uint8_t minimised, unfocused, fullscreen;
  uint8_t closed; // 1 for one sample after the user requested to close the window
} input_window_t;

// Selects the labels of a gamepad's buttons.
typedef enum input_pad_kind_t {
  INPUT_PAD_OTHER,
  INPUT_PAD_XBOX,
  INPUT_PAD_PLAYSTATION,
  INPUT_PAD_NINTENDO
} input_pad_kind_t;

// Input of a player in a tick: the fields of player_input_t before the movement, which a sample stores separately.
typedef struct sampled_player_t {
  int8_t values[PLAYER_MAX_ACTIONS];
  uint64_t pressed, released;
  float pointer_x, pointer_y;
} sampled_player_t;

typedef struct sampled_players_t {
  player_mask_t present;
  sampled_player_t players[PLAYER_MAX];
} sampled_players_t;

// Input devices at the time of a sample. Part of bindings/abi.h. journal/block.c declares the order of its fields in
// recordings. New fields are last in this order, and are 0 in older recordings. A button that was pressed and released
// between two samples is 1 for one sample. A button that was released and pressed between two samples is 0 for one
// sample.
typedef struct input_state_t {
  uint8_t keys[INPUT_KEYS];                           // key states, indexed by SDL scancode
  uint8_t pad_buttons[INPUT_PADS][INPUT_PAD_BUTTONS]; // button states, indexed by SDL_GameControllerButton
  float pad_axes[INPUT_PADS][INPUT_PAD_AXES]; // axes, -1 to 1, without the dead zone, indexed by SDL_GameControllerAxis
  uint8_t pad_connected[INPUT_PADS];
  uint8_t mouse_buttons[INPUT_MOUSE_BUTTONS]; // button states, indexed by button: 1 left, 2 middle, 3 right, 4, 5 side
  float mouse_x, mouse_y;                     // position of the mouse in the game's logical pixels
  float wheel;                                // notches since the previous sample; positive is up
  input_window_t window;
  uint8_t pad_kinds[INPUT_PADS];
  uint8_t used;           // most recently used device: 0 for keyboard or mouse, otherwise the number of the pad, from 1
  uint8_t scale, tearing; // state of the window, as in platform_window_t
  uint8_t paused_ms;      // time since the previous sample if the game is paused and a control is held; otherwise 0
  char text[INPUT_TEXT];  // UTF-8 text typed since the previous sample; '\0'-terminated if shorter than the buffer
  char composing[INPUT_TEXT]; // text being composed with an input method
  // Games that declare players read `players` instead of the devices. If `has_players` is 0, as in samples of a
  // platform and in older recordings, `players` must still be computed from the devices.
  uint8_t has_players;
  sampled_players_t players;
  player_info_t player_infos[PLAYER_MAX];
  player_actions_t actions[PLAYER_MAX]; // actions of the players, indexed by player number - 1
  // Notch of the wheel that is pressed in this sample: -1, 0 or 1. Fractions of notches in `wheel` add up, and several
  // notches are pressed in turn. In older recordings, `has_notches` is 0, and `wheel` is used instead.
  uint8_t has_notches;
  int8_t notches;
  // Bit masks, by player of the machine: actions that one press has switched on, and that stay down until the next
  // press (ui_toggle_actions).
  uint8_t toggled[INPUT_PADS];
  uint8_t unused[2];
  // Movement of the mouse since the previous sample, in the game's logical pixels. Platforms report multiples of
  // 1/PLAYER_MOTION_UNITS, and add the rest to the next sample.
  float mouse_dx, mouse_dy;
  int32_t motion_x[PLAYER_MAX], motion_y[PLAYER_MAX]; // movements of the players, as in player_input_t
} input_state_t;

typedef enum input_device_t {
  INPUT_NONE,
  INPUT_KEY,
  INPUT_PAD_BUTTON,
  INPUT_PAD_AXIS,
  INPUT_MOUSE_BUTTON,
  INPUT_WHEEL
} input_device_t;

typedef struct input_binding_t {
  input_device_t device;
  int32_t code; // scancode, button or axis
  int32_t pad;  // index of the pad (for keys, mouse and wheel: of the player), 0 to 3; -1: any pad or player
  float sign;   // -1 or 1: half of an axis that acts as a button ("pad:lefty-"), or wheel down or up; 0: whole axis
} input_binding_t;

// Parses a binding such as "key:up", "key:w", "key:space", "pad:a", "pad2:start", "pad:leftx", "pad:lefty-",
// "mouse:left" or "wheel:up". "key2:w" is a key of the second player. Key names are SDL's, case-insensitive. Returns
// true if the text is a valid binding.
bool input_parse(const char *text, input_binding_t *out);

// Stores the valid binding closest to `text` in `out`, such as "key:space" for "key:spce" or "space". Returns true on
// success, or false if no binding is similar enough.
bool input_suggest_binding(const char *text, char *out, uint32_t out_bytes);

#define INPUT_NAME_BYTES 64
// Writes the binding's name, in the form that input_parse accepts, to `out` (INPUT_NAME_BYTES bytes). Returns `out`.
const char *input_name(const input_binding_t *binding, char *out);
// Writes the label of the binding as shown to users, such as "Space", "Left Click", "A", "Cross" or "Left Stick Up", to
// `out`. With `layout`, key labels follow the keyboard layout of this machine, so the result may differ between
// machines. Returns `out`.
const char *input_label(const input_binding_t *binding, input_pad_kind_t kind, bool layout, char *out);

// Returns the value of a binding in a sample: 0 to 1 for keys, buttons, half axes and the wheel, -1 to 1 for whole
// axes. `player` is -1 for any player, or 0 to 3 for that player's pad and keys. The keyboard and mouse belong to the
// first player unless the binding contains a number.
float input_value(const input_state_t *state, const input_binding_t *binding, int32_t player);

// Finds a control that is pressed now but was not pressed before. Checks the pads, then the keyboard, the mouse buttons
// and the wheel. Returns true on success, or false if no control was newly pressed or if the pressed key has no name.
bool input_find_pressed(const input_state_t *previous, const input_state_t *current, input_binding_t *out);

// Replaces NaN and other invalid values with 0. Used for samples read from a file.
void input_sanitize(input_state_t *s);

// Copy the inputs of the players, with their movements, from or to a sample.
void input_get_players(const input_state_t *sample, player_inputs_t *out);
void input_set_players(input_state_t *sample, const player_inputs_t *inputs);

#endif
