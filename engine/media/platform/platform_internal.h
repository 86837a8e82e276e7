// Interface between platform.c, which checks arguments and forwards calls, and the two implementations. The state of an
// implementation starts with a platform_o.
#ifndef SHOAL_PLATFORM_PLATFORM_INTERNAL_H
#define SHOAL_PLATFORM_PLATFORM_INTERNAL_H

#include "platform/input_latch.h"
#include "platform/platform.h"

typedef struct platform_backend_t {
  void (*destroy)(platform_o *p);
  void (*pump_events)(platform_o *p, platform_events_t *out);
  void (*set_title)(platform_o *p, const char *title);
  void (*set_icon)(platform_o *p, const uint8_t *rgba, int width, int height); // NULL if windows have no icon
  void (*set_fullscreen)(platform_o *p, bool enabled);
  // May be NULL. When it is called, `p->window_settings` still contains the previous settings.
  void (*set_window)(platform_o *p, const platform_window_t *window_settings);
  void (*set_pointer)(platform_o *p, const platform_pointer_t *pointer);                                // may be NULL
  bool (*set_pointer_image)(platform_o *p, const platform_pointer_image_t *image, error_info_t *error); // may be NULL
  platform_area_t (*area)(const platform_o *p);
  void (*present)(platform_o *p);
  void (*rumble)(platform_o *p, int32_t pad, float strength, float seconds); // NULL if the implementation has no pads
  void (*set_pad_mappings)(platform_o *p, const char *text);                 // NULL if the implementation has no pads
  // enables or disables text input at a rectangle in physical pixels; NULL if the implementation has no keyboard
  void (*set_text_input)(platform_o *p, bool enabled, int x, int y, int width, int height);
  void (*set_clipboard)(const char *text); // NULL if there is no clipboard
  // `handle_event` and `set_viewport` are NULL unless an embedding program owns the window
  void (*handle_event)(platform_o *p, const void *sdl_event);
  void (*set_viewport)(platform_o *p, int x, int y, int width, int height);
} platform_backend_t;

struct platform_o {
  const platform_backend_t *backend;
  bool headless;
  int width, height; // logical size of the game
  float strip;       // height of the tool strip below the game's image, in logical pixels
  platform_window_t window_settings;
  platform_pointer_t pointer;
  float dead_zone;
  bool fullscreen; // most recently requested state
  int refresh_hz;  // refresh rate of the display that shows the window, in Hz; 0: unknown
  int max_fps;     // limit on the frame rate of a window (SHOAL_MAX_FPS); 0: no limit
  bool text_input_enabled;
  int32_t text_key;      // key that begins text (platform_set_text_key); 0: no key
  bool has_begun_text;   // true if `text_key` was pressed, and text input is not enabled yet
  int32_t held_text_key; // held key that has begun text, and whose letter is not part of the text; 0: no key
  bool skips_letter;     // true if the next letter belongs to `held_text_key`
  log_o *log;
  latch_t latch;      // input of the game
  latch_t tool_latch; // input captured by an overlay tool
  uint32_t captured;  // kinds of input that an overlay tool captures, PLATFORM_CAPTURE_… bits
};

// Returns true if pressing this key now begins text.
bool platform_begins_text(const platform_o *p, int32_t scancode);
// Handles the press or repetition of a key. Call before the event with the key's letter is handled.
void platform_handle_text_key(platform_o *p, int32_t scancode, bool is_repeated);

platform_o *platform_null_create(const platform_desc_t *desc);
platform_o *platform_sdl_create(const platform_desc_t *desc, error_info_t *error);

#endif
