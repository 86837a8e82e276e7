// Names of keys, gamepad buttons and axes in bindings: a copy of SDL2's names, because SDL may not be loaded.
#include "platform/input_names.h"

#include <SDL2/SDL_gamecontroller.h>
#include <SDL2/SDL_scancode.h>
#include <stddef.h>
#include <strings.h>

// Key names, indexed by scancode; NULL if the key has no name.
// clang-format off
static const char *const KEYS[SDL_NUM_SCANCODES] = {
    [4] = "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U",
    "V", "W", "X", "Y", "Z", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "Return", "Escape", "Backspace", "Tab",
    "Space", "-", "=", "[", "]", "\\", "#", ";", "'", "`", ",", ".", "/", "CapsLock", "F1", "F2", "F3", "F4", "F5",
    "F6", "F7", "F8", "F9", "F10", "F11", "F12", "PrintScreen", "ScrollLock", "Pause", "Insert", "Home", "PageUp",
    "Delete", "End", "PageDown", "Right", "Left", "Down", "Up", "Numlock", "Keypad /", "Keypad *", "Keypad -",
    "Keypad +", "Keypad Enter", "Keypad 1", "Keypad 2", "Keypad 3", "Keypad 4", "Keypad 5", "Keypad 6", "Keypad 7",
    "Keypad 8", "Keypad 9", "Keypad 0", "Keypad .",
    [101] = "Application", "Power", "Keypad =", "F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22",
    "F23", "F24", "Execute", "Help", "Menu", "Select", "Stop", "Again", "Undo", "Cut", "Copy", "Paste", "Find",
    "Mute", "VolumeUp", "VolumeDown",
    [133] = "Keypad ,", "Keypad = (AS400)",
    [153] = "AltErase", "SysReq", "Cancel", "Clear", "Prior", "Return", "Separator", "Out", "Oper", "Clear / Again",
    "CrSel", "ExSel",
    [176] = "Keypad 00", "Keypad 000", "ThousandsSeparator", "DecimalSeparator", "CurrencyUnit", "CurrencySubUnit",
    "Keypad (", "Keypad )", "Keypad {", "Keypad }", "Keypad Tab", "Keypad Backspace", "Keypad A", "Keypad B",
    "Keypad C", "Keypad D", "Keypad E", "Keypad F", "Keypad XOR", "Keypad ^", "Keypad %", "Keypad <", "Keypad >",
    "Keypad &", "Keypad &&", "Keypad |", "Keypad ||", "Keypad :", "Keypad #", "Keypad Space", "Keypad @", "Keypad !",
    "Keypad MemStore", "Keypad MemRecall", "Keypad MemClear", "Keypad MemAdd", "Keypad MemSubtract",
    "Keypad MemMultiply", "Keypad MemDivide", "Keypad +/-", "Keypad Clear", "Keypad ClearEntry", "Keypad Binary",
    "Keypad Octal", "Keypad Decimal", "Keypad Hexadecimal",
    [224] = "Left Ctrl", "Left Shift", "Left Alt", "Left GUI", "Right Ctrl", "Right Shift", "Right Alt", "Right GUI",
    [257] = "ModeSwitch", "AudioNext", "AudioPrev", "AudioStop", "AudioPlay", "AudioMute", "MediaSelect", "WWW",
    "Mail", "Calculator", "Computer", "AC Search", "AC Home", "AC Back", "AC Forward", "AC Stop", "AC Refresh",
    "AC Bookmarks", "BrightnessDown", "BrightnessUp", "DisplaySwitch", "KBDIllumToggle", "KBDIllumDown", "KBDIllumUp",
    "Eject", "Sleep", "App1", "App2", "AudioRewind", "AudioFastForward", "SoftLeft", "SoftRight", "Call", "EndCall",
};
// clang-format on

static const char *const BUTTONS[SDL_CONTROLLER_BUTTON_MAX] = {"a",
                                                               "b",
                                                               "x",
                                                               "y",
                                                               "back",
                                                               "guide",
                                                               "start",
                                                               "leftstick",
                                                               "rightstick",
                                                               "leftshoulder",
                                                               "rightshoulder",
                                                               "dpup",
                                                               "dpdown",
                                                               "dpleft",
                                                               "dpright",
                                                               "misc1",
                                                               "paddle1",
                                                               "paddle2",
                                                               "paddle3",
                                                               "paddle4",
                                                               "touchpad"};

static const char *const AXES[SDL_CONTROLLER_AXIS_MAX] = {"leftx",  "lefty",       "rightx",
                                                          "righty", "lefttrigger", "righttrigger"};

static const char *name_at(const char *const *names, int32_t count, int32_t code) {
  return code >= 0 && code < count && names[code] ? names[code] : "";
}

static int32_t find_name(const char *const *names, int32_t count, const char *name) {
  for (int32_t i = 0; i < count; ++i)
    if (names[i] && strcasecmp(names[i], name) == 0)
      return i;
  return -1;
}

const char *input_key_name(int32_t scancode) {
  return name_at(KEYS, SDL_NUM_SCANCODES, scancode);
}

int32_t input_find_key(const char *name) {
  return find_name(KEYS, SDL_NUM_SCANCODES, name);
}

const char *input_button_name(int32_t button) {
  return name_at(BUTTONS, SDL_CONTROLLER_BUTTON_MAX, button);
}

int32_t input_find_button(const char *name) {
  return find_name(BUTTONS, SDL_CONTROLLER_BUTTON_MAX, name);
}

const char *input_axis_name(int32_t axis) {
  return name_at(AXES, SDL_CONTROLLER_AXIS_MAX, axis);
}

int32_t input_find_axis(const char *name) {
  return find_name(AXES, SDL_CONTROLLER_AXIS_MAX, name);
}
