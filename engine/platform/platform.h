// The window, its GL 3.3 context, and the devices. One twin talks to SDL2, the other is silent and blind
// (`--headless`): the same calls, no window, input that only tests and replays set. Main thread only.
#ifndef SHOAL_PLATFORM_PLATFORM_H
#define SHOAL_PLATFORM_PLATFORM_H

#include "base/error.h"
#include "base/log.h"
#include "platform/host_keys.h"
#include "platform/input.h"
#include "platform/latch.h"
#include "platform/letterbox.h"

#include <pthread.h>
#include <stddef.h>

typedef struct platform_o platform_o;

// What a game asks of its window; nothing of it in a window that somebody else owns, but for the scale.
typedef struct platform_window_t {
  int width, height; // of its inside, in the desktop's units; 0: the logical size
  letterbox_mode_t scale;
  bool fullscreen, fixed; // fixed: people cannot change its size
  bool tearing;           // frames do not wait for the screen
} platform_window_t;

// The display and its driver, opened on a thread of its own while something else is done: some 70 ms that a start need
// not wait for. No copies of the process are made meanwhile, and SDL is not used.
typedef struct platform_ahead_t {
  pthread_t thread;
  bool runs;
} platform_ahead_t;

typedef struct platform_desc_t {
  bool headless;
  const char *title;
  int width, height; // logical size of the game (default: 1280 × 720)
  platform_window_t look;
  void *window; // an SDL_Window that somebody else owns, its GL 3.3 core context current in every call; NULL: a new one
  platform_ahead_t *ahead; // NULL: nothing was opened ahead
  log_o *log;
} platform_desc_t;

// The part of a framebuffer that is ours, in real pixels; `y` counts from the bottom, as OpenGL does.
typedef struct platform_area_t {
  int x, y, width, height;
} platform_area_t;

// What happened to the window since the last pump.
typedef struct platform_events_t {
  uint32_t quit; // times the window was asked to close
  bool resized;
  uint32_t keys[HOST_KEY_COUNT]; // times each of the program's own keys was pressed
} platform_events_t;

void platform_ahead_begin(platform_ahead_t *a); // ended by platform_create alone, without headless
platform_o *platform_create(const platform_desc_t *desc, error_t *error);
void platform_destroy(platform_o *p);
// A box with a sentence and a button, for who has no terminal; waits until it is answered. Before there is a window, or
// after. Nothing without a screen.
void platform_tell(const char *title, const char *text);
bool platform_is_headless(const platform_o *p);

void platform_pump(platform_o *p, platform_events_t *out);
// The input since the last sample; clears the "pressed since" latches.
void platform_sample(platform_o *p, input_state_t *out);

void platform_set_title(platform_o *p, const char *title);
// width × height pixels of 4 bytes, premultiplied. Copied.
void platform_set_icon(platform_o *p, const uint8_t *rgba, int width, int height);
void platform_set_logical_size(platform_o *p, int width, int height); // maps mouse coordinates; letterboxed
void platform_set_fullscreen(platform_o *p, bool on);
void platform_toggle_fullscreen(platform_o *p);
// What is otherwise than it was asked for the last time is changed: what people have made of the window stays.
void platform_set_window(platform_o *p, const platform_window_t *look);
// Below it a stick rests, 0 … 0.9 of its way; triggers below a quarter of that.
void platform_set_dead_zone(platform_o *p, float dead_zone);
#define PLATFORM_DEAD_ZONE 0.2f // unless it is said
// `strength` 0 … 1, cut; `pad` -1: all of them. What is asked later takes its place.
void platform_rumble(platform_o *p, int32_t pad, float strength, float seconds);
// Somebody writes, at this place (logical pixels): text is taken, and an input method shows itself there.
void platform_write(platform_o *p, bool on, float x, float y, float width, float height);
void platform_copy(platform_o *p, const char *text); // into the clipboard
// The languages that the player's system prefers, the first one first: "pt_BR,en"; "" where it does not say.
void platform_locales(char *out, size_t out_bytes);
// What tools over the picture take in place of the game, which then hears that all of it is up: bits, 0 for nothing.
// While they take anything they hear every key.
enum {
  PLATFORM_TAKES_SHORTCUTS = 1, // keys with Ctrl
  PLATFORM_TAKES_KEYS = 2,
  PLATFORM_TAKES_MOUSE = 4,
  PLATFORM_TAKES_TEXT = 8
};
void platform_take(platform_o *p, uint32_t what);
// What they have heard since the last call; keys that repeat are among those that were pressed.
void platform_taken(platform_o *p, latch_t *out);
platform_area_t platform_area(const platform_o *p);
void platform_present(platform_o *p); // not in somebody else's window: its owner swaps

// Of a window that somebody else owns. The owner takes SDL's events and hands on those that are the game's, an
// SDL_Event each; they are looked at by the next pump.
bool platform_is_guest(const platform_o *p);
void platform_event(platform_o *p, const void *sdl_event);
// Where in the window, in its own units (as the mouse), y from the top. Until it is called: all of it.
void platform_place(platform_o *p, int x, int y, int width, int height);

// Monotonic seconds since some start. Enters the frame through platform/clock.c and nowhere else.
double platform_seconds(const platform_o *p);
void platform_sleep(platform_o *p, double seconds);

#endif
