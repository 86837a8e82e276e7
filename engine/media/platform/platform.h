// The window, its OpenGL 3.3 context, and input devices. There are two implementations. One uses SDL2. The
// implementation for `--headless` has no window and receives input only from tests and replays. Main thread only.
#ifndef SHOAL_PLATFORM_PLATFORM_H
#define SHOAL_PLATFORM_PLATFORM_H

#include "base/error.h"
#include "base/log.h"
#include "platform/host_keys.h"
#include "platform/input.h"
#include "platform/input_latch.h"
#include "platform/letterbox.h"

#include <pthread.h>
#include <stddef.h>

typedef struct platform_o platform_o;

// Window settings requested by a game. Only `scale` applies to a window owned by an embedding program.
typedef struct platform_window_t {
  int width, height; // size of the client area in desktop units; 0: the logical size
  letterbox_mode_t scale;
  bool fullscreen, fixed; // true if the window fills the screen; true if users cannot resize the window
  bool tearing;           // true if vertical sync is disabled
  bool run_in_background; // true if the game continues while a different window has the focus
  bool same_view;         // true if all players must see the same part of the world (platform_window_get_mode)
} platform_window_t;

// Returns the window's scale mode: LETTERBOX_FIT instead of LETTERBOX_EXPAND if all players must see the same view.
static inline letterbox_mode_t platform_window_get_mode(const platform_window_t *window) {
  return window->same_view && window->scale == LETTERBOX_EXPAND ? LETTERBOX_FIT : window->scale;
}

// Behaviour of the mouse pointer over the window. If all members are false, the normal pointer is shown.
typedef struct platform_pointer_t {
  bool hidden;
  bool confined; // the pointer cannot leave the window
  bool relative; // the pointer is hidden and stays in place, and the mouse reports movements without a limit
} platform_pointer_t;

// An image of the pointer: RGBA pixels with premultiplied alpha, which are copied. The hot spot is the pixel that marks
// the position of the mouse.
typedef struct platform_pointer_image_t {
  const uint8_t *rgba;
  int width, height, hot_x, hot_y;
  int scale; // size in physical pixels of the square that shows an image pixel
} platform_pointer_image_t;

// A thread that opens the display and its driver, which reduces startup time by about 70 ms. The process must not fork
// or use SDL until platform_create has joined the thread.
typedef struct platform_preload_t {
  pthread_t thread;
  bool running;
} platform_preload_t;

typedef struct platform_desc_t {
  bool headless;
  bool may_render_offscreen; // true if the run ends without input, so that it may render to memory without a display
  const char *title;
  int width, height; // logical size of the game (default: 1280 × 720)
  platform_window_t window_settings;
  // SDL_Window of the embedding program, whose GL 3.3 core context must be current during every call; NULL: create a
  // window.
  void *window;
  platform_preload_t *preload; // result of platform_open_early; NULL if platform_open_early was not called
  log_o *log;
} platform_desc_t;

// The game's part of the framebuffer, in physical pixels. `y` is counted from the bottom, as in OpenGL.
typedef struct platform_area_t {
  int x, y, width, height;
} platform_area_t;

// Window events since the last call to platform_pump_events.
typedef struct platform_events_t {
  uint32_t quit; // number of close requests
  bool resized;
  uint32_t keys[HOST_KEY_COUNT];                      // number of presses of each host key
  bool held[HOST_KEY_COUNT];                          // true while the host key is down
  uint8_t pad_buttons[INPUT_PADS][INPUT_PAD_BUTTONS]; // 1 while the button is down
  bool unfocused, fullscreen;                         // state of the window
} platform_events_t;

// Starts opening the display. The next platform_create must not be headless.
void platform_open_early(platform_preload_t *preload);
platform_o *platform_create(const platform_desc_t *desc, error_info_t *error);
void platform_destroy(platform_o *p);
// Shows a message box, for users without a terminal, and waits until it is dismissed. Works before a window is opened
// and after it is closed. Does nothing if there is no display.
void platform_show_message(const char *title, const char *text);
bool platform_is_headless(const platform_o *p);

void platform_pump_events(platform_o *p, platform_events_t *out);
// Stores the input since the last sample in `out`. Presses that do not fit into this sample remain pending.
void platform_sample_input(platform_o *p, input_state_t *out);

void platform_set_title(platform_o *p, const char *title);
// Sets the window's icon from width × height RGBA pixels with premultiplied alpha. Copies the pixels.
void platform_set_icon(platform_o *p, const uint8_t *rgba, int width, int height);
// Sets the logical size of the game, to which mouse coordinates are mapped.
void platform_set_logical_size(platform_o *p, int width, int height);
// Sets the height of the tool strip below the game's image, in logical pixels (0: no strip).
void platform_set_strip(platform_o *p, float height);
void platform_set_fullscreen(platform_o *p, bool enabled);
void platform_toggle_fullscreen(platform_o *p);
// Sets the window's properties. Applies only the settings that differ from the previous call, so that changes made by
// the user are kept.
void platform_set_window(platform_o *p, const platform_window_t *window_settings);
// Sets the pointer's behaviour. Ignored in a window of an embedding program.
void platform_set_pointer(platform_o *p, const platform_pointer_t *pointer);
// Sets the pointer's image. NULL selects the system's pointer. Returns true on success. If the system rejects the
// image, keeps the previous image and returns false with an error.
bool platform_set_pointer_image(platform_o *p, const platform_pointer_image_t *image, error_info_t *error);
// Returns the placement of the logical screen in the area of the game, in physical pixels.
letterbox_t platform_place_screen(const platform_o *p);
// Returns the largest whole number that does not exceed the scale of the game's image; at least 1.
int platform_get_pixel_scale(const platform_o *p);
// Sets the dead zone of sticks, from 0 to 0.9 of full deflection. Triggers use a quarter of this value.
void platform_set_dead_zone(platform_o *p, float dead_zone);
#define PLATFORM_DEAD_ZONE 0.2f // default dead zone of sticks
// Adds game controller mappings. The text has the format of SDL's gamecontrollerdb.txt: one line per controller. Lines
// for other systems are ignored. Logs how many mappings were added and how many lines are invalid. Copies the text.
void platform_set_pad_mappings(platform_o *p, const char *text);
// Starts a rumble, which replaces the current rumble. `strength` is clamped to [0, 1], `seconds` to [0, 60]. `pad` -1
// selects all pads.
void platform_rumble(platform_o *p, int32_t pad, float strength, float seconds);
// Enables or disables text input. Windows of input methods appear at the rectangle, in logical pixels. Ignored while a
// tool captures text.
void platform_set_text_input(platform_o *p, bool enabled, float x, float y, float width, float height);
bool platform_has_text_input(const platform_o *p); // returns true while text input is enabled
// Sets a key that begins text while text input is disabled; 0: no key. Letters typed after this key, even in the same
// frame, arrive in the samples until a different key is set. The key's own letter is dropped.
void platform_set_text_key(platform_o *p, int32_t scancode);
void platform_set_clipboard(platform_o *p, const char *text);
// Stores the user's preferred languages, most preferred first, such as "pt_BR,en", or "" if unknown. SDL must be
// loaded.
void platform_list_locales(char *out, size_t out_bytes);
// Input that an overlay tool captures, as a bit set. The game sees captured controls as released. While any bit is set,
// the tool receives all keys.
enum {
  PLATFORM_CAPTURE_SHORTCUTS = 1, // keys pressed together with Ctrl
  PLATFORM_CAPTURE_KEYS = 2,
  PLATFORM_CAPTURE_MOUSE = 4,
  PLATFORM_CAPTURE_TEXT = 8
};
void platform_capture_input(platform_o *p, uint32_t inputs);
// Stores the input that the tool has received since the last call. Repeated keys count as presses.
void platform_get_captured_input(platform_o *p, latch_t *out);
platform_area_t platform_area(const platform_o *p);
// Shows the frame. Has no effect in a window of an embedding program, which swaps buffers itself.
void platform_present(platform_o *p);

// Functions for windows of an embedding program. The program polls SDL's events and passes the game's events to
// platform_handle_event as SDL_Event. The next platform_pump_events processes them.
bool platform_is_embedded(const platform_o *p);
void platform_handle_event(platform_o *p, const void *sdl_event);
// Sets the game's area in the window, in window units (like mouse coordinates), with y counted from the top. The
// default is the whole window.
void platform_set_viewport(platform_o *p, int x, int y, int width, int height);

// Returns monotonic seconds since an arbitrary start. Only host/clock.c may pass this time on to the simulation.
double platform_seconds(const platform_o *p);
// Sleeps for `seconds`, or returns immediately if `seconds` is not positive.
void platform_sleep(platform_o *p, double seconds);
// Returns the minimum frame time in seconds. With vertical sync, it is slightly shorter than the time between two
// refreshes of the display, so that a driver which does not wait for the display cannot occupy a core. The environment
// variable SHOAL_MAX_FPS can set a lower limit on the frame rate of windows.
double platform_get_min_frame_s(const platform_o *p);

#endif
