// Keys that the host program handles itself. Games do not receive them. This is the only list of these keys: `shoal
// help` prints it, and the table ACTIONS in host/keys.c implements them.
#ifndef SHOAL_PLATFORM_HOST_KEYS_H
#define SHOAL_PLATFORM_HOST_KEYS_H

// X(action, key, scancode, modifier, help). The first matching row applies. An entry without a modifier also matches if
// a modifier is held, so entries with a modifier must precede it.
#define HOST_KEYS(X)                                                                                                   \
  X(TOOLS, "F1", KEY_F1, NONE, "open or close the cockpit overlay")                                                    \
  X(SCREENSHOT, "F2", KEY_F2, NONE, "save a screenshot in the current folder")                                         \
  X(SHAPES, "F3", KEY_F3, NONE,                                                                                        \
    "draw bodies, solid tiles, lights and paths; press again for names, again for collision cells")                    \
  X(RESTART, "Ctrl+F5", KEY_F5, CTRL, "restart the game")                                                              \
  X(RELOAD, "F5", KEY_F5, NONE, "reload all files")                                                                    \
  X(HOLD, "F6", KEY_F6, NONE, "pause or resume the game")                                                              \
  X(REPEAT, "F7", KEY_F7, NONE, "continue from here with the recorded input")                                          \
  X(DISMISS, "F8", KEY_F8, NONE, "hide the error card")                                                                \
  X(STEP_BACK, "F9", KEY_F9, NONE, "step back one tick; hold to rewind, faster and faster")                            \
  X(STEP_FORWARD, "F10", KEY_F10, NONE, "step forward one tick; hold to go forward")                                   \
  X(FULLSCREEN, "F11", KEY_F11, NONE, "fullscreen")                                                                    \
  X(FULLSCREEN_ENTER, "Alt+Enter", KEY_RETURN, ALT, "fullscreen")                                                      \
  X(RECORDING, "F12", KEY_F12, NONE, "save about the last 30 seconds as a recording, and the last 10 as a clip")

typedef enum host_key_t {
#define HOST_KEY_ENUM(action, key, scancode, modifier, help) HOST_KEY_##action,
  HOST_KEYS(HOST_KEY_ENUM)
#undef HOST_KEY_ENUM
      HOST_KEY_COUNT
} host_key_t;

#endif
