// SDL scancodes (indices of input_state_t.keys) that the engine uses. Scancodes denote physical keys, independent of
// the layout.
#ifndef SHOAL_PLATFORM_SCANCODES_H
#define SHOAL_PLATFORM_SCANCODES_H

enum {
  KEY_A = 4,
  KEY_C = 6,
  KEY_T = 23,
  KEY_X = 27,
  KEY_RETURN = 40,
  KEY_ESCAPE = 41,
  KEY_BACKSPACE = 42,
  KEY_TAB = 43,
  KEY_SPACE = 44,
  KEY_F1 = 58,
  KEY_F2 = 59,
  KEY_F3 = 60,
  KEY_F4 = 61,
  KEY_F5 = 62,
  KEY_F6 = 63,
  KEY_F7 = 64,
  KEY_F8 = 65,
  KEY_F9 = 66,
  KEY_F10 = 67,
  KEY_F11 = 68,
  KEY_F12 = 69,
  KEY_HOME = 74,
  KEY_DELETE = 76,
  KEY_END = 77,
  KEY_RIGHT = 79,
  KEY_LEFT = 80,
  KEY_DOWN = 81,
  KEY_UP = 82,
  KEY_KEYPAD_ENTER = 88,
  KEY_LEFT_CONTROL = 224,
  KEY_LEFT_SHIFT = 225,
  KEY_RIGHT_CONTROL = 228,
  KEY_RIGHT_SHIFT = 229
};

#endif
