// Input as the simulation sees it: plain data, sampled once per tick, recorded and replayed. No SDL types, but SDL's
// codes.
#ifndef SHOAL_PLATFORM_INPUT_H
#define SHOAL_PLATFORM_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#define INPUT_KEYS 512
#define INPUT_PADS 4
#define INPUT_PAD_BUTTONS 24
#define INPUT_PAD_AXES 6
#define INPUT_MOUSE_BUTTONS 6
#define INPUT_TEXT 64 // bytes of text per sample; the rest is in the next samples

// State of the window at the time of the sample; all 0 without a window.
typedef struct input_window_t {
  uint16_t width, height; // in desktop units
  uint8_t minimised, unfocused, fullscreen;
  uint8_t closed; // the user asked to close the window: 1 for one sample
} input_window_t;

// Label set of a gamepad.
typedef enum input_pad_kind_t {
  INPUT_PAD_OTHER,
  INPUT_PAD_XBOX,
  INPUT_PAD_PLAYSTATION,
  INPUT_PAD_NINTENDO
} input_pad_kind_t;

// Part of bindings/abi.h, and stored byte by byte in recordings: append new fields at the end; older recordings leave
// them 0. A button pressed and released between two samples is 1 for one sample.
typedef struct input_state_t {
  uint8_t keys[INPUT_KEYS];                           // indexed by SDL scancode
  uint8_t pad_buttons[INPUT_PADS][INPUT_PAD_BUTTONS]; // indexed by SDL_GameControllerButton
  float pad_axes[INPUT_PADS][INPUT_PAD_AXES];         // indexed by SDL_GameControllerAxis, -1 to 1, dead zone removed
  uint8_t pad_connected[INPUT_PADS];
  uint8_t mouse_buttons[INPUT_MOUSE_BUTTONS]; // 1 left, 2 middle, 3 right
  float mouse_x, mouse_y;                     // in the game's logical pixels
  float wheel;                                // notches since the last sample, positive is up
  input_window_t window;
  uint8_t pad_kinds[INPUT_PADS]; // input_pad_kind_t
  uint8_t used;                  // device used last: 0 keyboard or mouse, else the pad's number from 1
  uint8_t scale, tearing;        // of the window, as in platform_window_t
  uint8_t paused_ms;     // time since the previous sample while the game is paused and something is held; otherwise 0
  char text[INPUT_TEXT]; // UTF-8 typed since the last sample; '\0'-terminated if shorter
  char composing[INPUT_TEXT]; // text being composed with an input method
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
  int32_t pad;  // -1: any; 0 to 3: this pad, or the player who uses this key
  float sign;   // for an axis used as a button ("pad:lefty-"): -1 or 1; 0: the whole axis
} input_binding_t;

// Parses "key:up" "key:w" "key:space" "pad:a" "pad2:start" "pad:leftx" "pad:lefty-" "mouse:left" "wheel:up", or
// "key2:w" for the second player. Key names are SDL's, case-insensitive. Returns false if the name is unknown.
bool input_parse(const char *text, input_binding_t *out);

// Suggests the closest valid binding: "key:space" for "key:spce" or "space". Returns false if nothing is close.
bool input_similar(const char *text, char *out, uint32_t out_bytes);

#define INPUT_NAME_BYTES 64
// Writes the name that input_parse accepts. `out` holds INPUT_NAME_BYTES; returns it.
const char *input_name(const input_binding_t *binding, char *out);
// Writes the label shown to users: "Space", "Left Click", "A", "Cross", "Left Stick Up". `layout`: use this machine's
// keyboard layout, so the result may differ between machines.
const char *input_label(const input_binding_t *binding, input_pad_kind_t kind, bool layout, char *out);

// Returns 0 to 1 for buttons, -1 to 1 for whole axes. `player` -1: any player; 0 to 3: that player's pad and keys.
// Keys and mouse belong to the first player unless the binding has a number.
float input_value(const input_state_t *state, const input_binding_t *binding, int32_t player);

// Finds the first input (in the order of this file) that is down now and was not before: a key, button or half axis.
// Returns false if no input was pressed.
bool input_pressed(const input_state_t *before, const input_state_t *now, input_binding_t *out);

// Replaces NaN in axes and other invalid values by 0, for samples read from a file.
void input_clean(input_state_t *s);

#endif
