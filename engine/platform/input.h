// Input as the simulation sees it: plain data, sampled once per tick, recorded and replayed. No SDL types; codes are
// SDL's.
#ifndef SHOAL_PLATFORM_INPUT_H
#define SHOAL_PLATFORM_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#define INPUT_KEYS 512
#define INPUT_PADS 4
#define INPUT_PAD_BUTTONS 24
#define INPUT_PAD_AXES 6
#define INPUT_MOUSE_BUTTONS 6
#define INPUT_TEXT 64 // bytes of a sample's text; what is typed faster comes with the next ones

// The window at the moment of the sample; all 0 without one.
typedef struct input_window_t {
  uint16_t width, height; // in the desktop's units
  uint8_t minimised, unfocused, fullscreen;
  uint8_t closed; // somebody wants to close it: 1 for one sample
} input_window_t;

// What the buttons of a pad are called.
typedef enum input_pad_kind_t {
  INPUT_PAD_OTHER,
  INPUT_PAD_XBOX,
  INPUT_PAD_PLAYSTATION,
  INPUT_PAD_NINTENDO
} input_pad_kind_t;

// Part of bindings/abi.h, and of recordings byte by byte: what is new goes to the end, where an older recording says
// nothing and leaves it 0. A button that was pressed and released between two samples is 1 for one sample.
typedef struct input_state_t {
  uint8_t keys[INPUT_KEYS];                           // by SDL scancode
  uint8_t pad_buttons[INPUT_PADS][INPUT_PAD_BUTTONS]; // by SDL_GameControllerButton
  float pad_axes[INPUT_PADS][INPUT_PAD_AXES];         // by SDL_GameControllerAxis, -1 … 1, dead zone taken out
  uint8_t pad_connected[INPUT_PADS];
  uint8_t mouse_buttons[INPUT_MOUSE_BUTTONS]; // 1 left, 2 middle, 3 right
  float mouse_x, mouse_y;                     // in the game's logical pixels
  float wheel;                                // notches since the last sample, up is positive
  input_window_t window;
  uint8_t pad_kinds[INPUT_PADS]; // input_pad_kind_t
  uint8_t used;                  // last: 0 keyboard or mouse, else the number of a pad, from 1
  uint8_t scale, tearing;        // of the window, as platform_window_t has them
  uint8_t paused_ms;             // while the game is paused and something is held: since the sample before; else 0
  char text[INPUT_TEXT];         // UTF-8 that was typed since the last sample; where there is room, '\0' behind it
  char composing[INPUT_TEXT];    // what an input method is about to write
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
  int32_t pad;  // -1 for any, else 0 … 3: the pad, or the player whose key it is
  float sign;   // axis used as a button ("pad:lefty-"): -1 or 1; 0 for the whole axis
} input_binding_t;

// "key:up" "key:w" "key:space" "pad:a" "pad2:start" "pad:leftx" "pad:lefty-" "mouse:left" "wheel:up", "key2:w" for the
// second player's. Key names are SDL's, in any case. False when the name means nothing.
bool input_parse(const char *text, input_binding_t *out);

// The name that was meant by one that means nothing, "key:space" for "key:spce" and for "space". False when none is
// near.
bool input_similar(const char *text, char *out, uint32_t out_bytes);

#define INPUT_NAME_BYTES 64
// The name by which input_parse knows it. Returns `out`, which has INPUT_NAME_BYTES.
const char *input_name(const input_binding_t *binding, char *out);
// What a person reads: "Space", "Left Click", "A", "Cross", "Left Stick Up". `layout`: keys as this keyboard labels
// them, which another machine may not.
const char *input_label(const input_binding_t *binding, input_pad_kind_t kind, bool layout, char *out);

// 0 … 1 for buttons, -1 … 1 for a whole axis. `player` -1: whoever it is; 0 … 3: that one's pad and keys. Keys and the
// mouse are the first player's where the binding does not number them.
float input_value(const input_state_t *state, const input_binding_t *binding, int32_t player);

// The key, button or half axis that is down now and was not before: the first one in the order of this file. False
// when there is none.
bool input_pressed(const input_state_t *before, const input_state_t *now, input_binding_t *out);

// NaN among the axes becomes 0, and so does what means nothing: for a sample from a file.
void input_clean(input_state_t *s);

#endif
