// Checks the arguments of each call, and forwards the call to the implementation.
#include "platform/platform.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/now.h"
#include "platform/platform_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Returns the number in SHOAL_MAX_FPS, or 0 if it is unset or invalid.
static int read_max_fps(log_o *log) {
  const char *text = getenv("SHOAL_MAX_FPS");
  if (!text || !*text)
    return 0;
  int fps = atoi(text);
  if (fps >= 1 && fps <= 1000)
    return fps;
  log_warn(log, "platform: SHOAL_MAX_FPS is '%s': set it to a number of frames per second from 1 to 1000", text);
  return 0;
}

platform_o *platform_create(const platform_desc_t *desc, error_info_t *error) {
  platform_desc_t d = *desc;
  d.title = d.title ? d.title : "Shoal";
  d.width = d.width > 0 ? d.width : 1280;
  d.height = d.height > 0 ? d.height : 720;
  platform_o *platform = d.headless ? platform_null_create(&d) : platform_sdl_create(&d, error);
  if (platform) {
    platform->dead_zone = PLATFORM_DEAD_ZONE;
    platform->max_fps = d.headless ? 0 : read_max_fps(platform->log);
  }
  return platform;
}

void platform_destroy(platform_o *p) {
  if (p)
    p->backend->destroy(p);
}

bool platform_is_headless(const platform_o *p) {
  return p->headless;
}

void platform_pump_events(platform_o *p, platform_events_t *out) {
  shoal_assert(p && out, "p and out must not be NULL");
  *out = (platform_events_t){0};
  p->backend->pump_events(p, out);
  memcpy(out->pad_buttons, p->latch.current.pad_buttons, sizeof out->pad_buttons);
}

void platform_sample_input(platform_o *p, input_state_t *out) {
  shoal_assert(p && out, "p and out must not be NULL");
  latch_sample(&p->latch, out);
}

void platform_set_title(platform_o *p, const char *title) {
  p->backend->set_title(p, title);
}

void platform_set_icon(platform_o *p, const uint8_t *rgba, int width, int height) {
  shoal_assert(rgba && width > 0 && height > 0,
               "rgba must not be NULL, and the icon size must be positive, got %d × %d", width, height);
  if (p->backend->set_icon)
    p->backend->set_icon(p, rgba, width, height);
}

void platform_set_logical_size(platform_o *p, int width, int height) {
  shoal_assert(width > 0 && height > 0, "the logical size must be positive, got %d × %d", width, height);
  p->width = width;
  p->height = height;
}

void platform_set_strip(platform_o *p, float height) {
  p->strip = height;
}

void platform_set_window(platform_o *p, const platform_window_t *window_settings) {
  if (p->backend->set_window)
    p->backend->set_window(p, window_settings);
  p->window_settings = *window_settings;
}

void platform_set_pointer(platform_o *p, const platform_pointer_t *pointer) {
  if (memcmp(&p->pointer, pointer, sizeof *pointer) == 0)
    return;
  if (p->backend->set_pointer)
    p->backend->set_pointer(p, pointer);
  p->pointer = *pointer;
}

bool platform_set_pointer_image(platform_o *p, const platform_pointer_image_t *image, error_info_t *error) {
  shoal_assert(!image || (image->rgba && image->width > 0 && image->height > 0 && image->scale > 0),
               "rgba must not be NULL, and the size and scale of the pointer must be positive, got %d × %d, scale %d",
               image->width, image->height, image->scale);
  return !p->backend->set_pointer_image || p->backend->set_pointer_image(p, image, error);
}

letterbox_t platform_place_screen(const platform_o *p) {
  platform_area_t area = platform_area(p);
  return letterbox_fit(p->width, p->height, p->strip, area.width, area.height,
                       platform_window_get_mode(&p->window_settings));
}

int platform_get_pixel_scale(const platform_o *p) {
  letterbox_t box = platform_place_screen(p);
  float scale = box.scale_x < box.scale_y ? box.scale_x : box.scale_y;
  return scale >= 2.0f ? (int)scale : 1;
}

void platform_set_fullscreen(platform_o *p, bool enabled) {
  p->backend->set_fullscreen(p, enabled);
}

void platform_toggle_fullscreen(platform_o *p) {
  platform_set_fullscreen(p, !p->fullscreen);
}

void platform_set_dead_zone(platform_o *p, float dead_zone) {
  shoal_assert(dead_zone >= 0.0f && dead_zone <= 0.9f, "dead zone %g is out of range [0, 0.9]", (double)dead_zone);
  p->dead_zone = dead_zone;
}

static float clamp(float v, float max) {
  return v > 0.0f ? v < max ? v : max : 0.0f; // NaN becomes 0
}

void platform_rumble(platform_o *p, int32_t pad, float strength, float seconds) {
  shoal_assert(pad >= -1 && pad < INPUT_PADS, "pad %d is out of range (count %d)", pad, INPUT_PADS);
  for (int32_t i = 0; p->backend->rumble && i < INPUT_PADS; ++i)
    if (pad < 0 || pad == i)
      p->backend->rumble(p, i, clamp(strength, 1.0f), clamp(seconds, 60.0f));
}

void platform_set_pad_mappings(platform_o *p, const char *text) {
  if (p->backend->set_pad_mappings)
    p->backend->set_pad_mappings(p, text);
}

platform_area_t platform_area(const platform_o *p) {
  return p->backend->area(p);
}

void platform_present(platform_o *p) {
  p->backend->present(p);
}

bool platform_is_embedded(const platform_o *p) {
  return p->backend->handle_event != NULL;
}

void platform_handle_event(platform_o *p, const void *sdl_event) {
  shoal_assert(platform_is_embedded(p), "only an embedded platform accepts events from the caller");
  p->backend->handle_event(p, sdl_event);
}

void platform_set_viewport(platform_o *p, int x, int y, int width, int height) {
  shoal_assert(platform_is_embedded(p), "only an embedded platform can be given a viewport");
  p->backend->set_viewport(p, x, y, width, height);
}

double platform_seconds(const platform_o *p) {
  (void)p;
  return now_s();
}

double platform_get_min_frame_s(const platform_o *p) {
  double min_s = p->max_fps ? fmax(FRAME_MIN_S, 1.0 / p->max_fps) : FRAME_MIN_S;
  if (p->headless || p->window_settings.tearing)
    return min_s;
  return fmax(min_s, FRAME_MIN_REFRESHES / (p->refresh_hz >= FRAME_LOWEST_HZ ? p->refresh_hz : FRAME_DEFAULT_HZ));
}

void platform_sleep(platform_o *platform, double seconds) {
  (void)platform;
  if (seconds > 0.0)
    now_sleep_ns((int64_t)(seconds * 1e9));
}

void platform_set_clipboard(platform_o *p, const char *text) {
  if (p->backend->set_clipboard)
    p->backend->set_clipboard(text);
}

bool platform_has_text_input(const platform_o *p) {
  return p->text_input_enabled;
}

void platform_set_text_key(platform_o *p, int32_t scancode) {
  bool ends = p->has_begun_text && scancode != p->text_key;
  p->text_key = scancode;
  if (!ends)
    return;
  p->has_begun_text = false;
  if (p->backend->set_text_input && !(p->captured & PLATFORM_CAPTURE_TEXT))
    p->backend->set_text_input(p, false, 0, 0, 0, 0);
}

bool platform_begins_text(const platform_o *p, int32_t scancode) {
  return scancode != 0 && scancode == p->text_key && !p->text_input_enabled && !p->has_begun_text && !p->captured;
}

void platform_handle_text_key(platform_o *p, int32_t scancode, bool is_repeated) {
  if (!is_repeated && platform_begins_text(p, scancode)) {
    p->has_begun_text = true;
    p->held_text_key = scancode;
  }
  p->skips_letter = scancode != 0 && scancode == p->held_text_key;
}

void platform_set_text_input(platform_o *platform, bool enabled, float x, float y, float width, float height) {
  shoal_assert(platform->width > 0 && platform->height > 0, "the screen size must be positive, got %d × %d",
               platform->width, platform->height);
  if (!platform->backend->set_text_input || (!enabled && !platform->text_input_enabled) ||
      platform->captured & PLATFORM_CAPTURE_TEXT)
    return;
  platform_area_t area = platform_area(platform);
  letterbox_t box = platform_place_screen(platform);
  platform->text_input_enabled = enabled;
  platform->has_begun_text &= !enabled;
  if (platform->has_begun_text)
    return;
  platform->backend->set_text_input(platform, enabled, area.x + box.x + (int)(x * box.scale_x),
                                    area.y + box.y + (int)(y * box.scale_y), (int)(width * box.scale_x),
                                    (int)(height * box.scale_y));
}

void platform_capture_input(platform_o *platform, uint32_t inputs) {
  uint32_t newly_captured = inputs & ~platform->captured, changed = inputs ^ platform->captured;
  for (int32_t i = 0; newly_captured & PLATFORM_CAPTURE_KEYS && i < INPUT_KEYS; ++i)
    latch_key(&platform->latch, i, false);
  for (int32_t i = 0; newly_captured & PLATFORM_CAPTURE_MOUSE && i < INPUT_MOUSE_BUTTONS; ++i)
    latch_mouse_button(&platform->latch, i, false);
  if (inputs == 0 || platform->captured == 0)
    latch_release_all(&platform->tool_latch);
  platform->captured = inputs;
  if (!(changed & PLATFORM_CAPTURE_TEXT))
    return;
  platform->has_begun_text = false;
  platform->text_input_enabled = false; // a game that still needs text input will request it again in its next frame
  if (platform->backend->set_text_input)
    platform->backend->set_text_input(platform, (inputs & PLATFORM_CAPTURE_TEXT) != 0, 0, platform->height,
                                      platform->width, 1);
}

void platform_get_captured_input(platform_o *p, latch_t *out) {
  shoal_assert(out, "out must not be NULL");
  *out = p->tool_latch;
  latch_clear_pressed(&p->tool_latch);
}
