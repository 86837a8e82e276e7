// Test fixture: an offscreen renderer whose frames are captured. NEEDS_GL skips a test if SDL's offscreen driver has no
// OpenGL 3.3.
#ifndef SHOAL_TESTS_RENDER_STAGE_H
#define SHOAL_TESTS_RENDER_STAGE_H

#include "render/render.h"

#include "render_fixture.h"

#include <unistd.h>

// The graphics driver leaks memory and is unloaded before the leak check can attribute the leaks to it, so the check is
// disabled while a window is open. The engine's own memory is still checked: frames, fonts and draw lists count their
// bytes.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define DRIVER_BEGIN() __lsan_disable()
#define DRIVER_END() __lsan_enable()
#else
#define DRIVER_BEGIN() ((void)0)
#define DRIVER_END() ((void)0)
#endif

typedef struct stage_t {
  log_capture_t logged;
  assets_t assets;
  platform_o *platform;
  render_o *render;
  draw_o *draw;
  sheets_o *sheets; // NULL if images have no sheets
  allocator_t memory;
  uint8_t *pixels; // pixels of the last captured frame
  int width, height;
} stage_t;

static inline int stage_open(void **state, int width, int height) {
  DRIVER_BEGIN();
  stage_t *s = calloc(1, sizeof *s);
  *state = s;
  log_capture_init(&s->logged);
  s->assets = engine_assets();
  s->draw = draw_create();
  error_info_t error = {0};
  char before[64] = "";
  const char *driver = getenv("SDL_VIDEODRIVER");
  snprintf(before, sizeof before, "%s", driver ? driver : "");
  setenv("SDL_VIDEODRIVER", "offscreen", 1);
  s->platform = platform_create(&(platform_desc_t){.width = width, .height = height, .log = s->logged.log}, &error);
  if (driver)
    setenv("SDL_VIDEODRIVER", before, 1);
  else
    unsetenv("SDL_VIDEODRIVER");
  if (!s->platform) {
    print_message("no OpenGL here: %s\n", error.text);
    return 0;
  }
  render_desc_t desc = {
      .platform = s->platform, .assets = &s->assets, .width = 320, .height = 180, .log = s->logged.log};
  s->render = render_create(&desc, &error);
  if (!s->render)
    fail_msg("%s", error.text);
  return 0;
}

static inline int stage_setup(void **state) {
  return stage_open(state, 320, 180);
}

static inline void stage_free_pixels(stage_t *s) {
  if (s->pixels)
    alloc_resize(&s->memory, s->pixels, (size_t)s->width * (size_t)s->height * 3, 0);
  s->pixels = NULL;
}

static inline int stage_teardown(void **state) {
  stage_t *s = *state;
  stage_free_pixels(s);
  draw_destroy(s->draw);
  render_destroy(s->render);
  platform_destroy(s->platform);
  log_destroy(s->logged.log);
  free(s);
  DRIVER_END();
  return 0;
}

static inline void stage_capture(stage_t *s, world_o *w) {
  stage_free_pixels(s);
  render_frame(s->render, w, s->sheets, s->draw, 1.0f);
  platform_present(s->platform);
  s->pixels = render_read_frame(s->render, &s->memory, &s->width, &s->height);
  assert_non_null(s->pixels);
}

static inline void stage_assert_pixel(const stage_t *s, int x, int y, int r, int g, int b) {
  const uint8_t *p = &s->pixels[(y * s->width + x) * 3];
  if (abs(p[0] - r) > 2 || abs(p[1] - g) > 2 || abs(p[2] - b) > 2)
    fail_msg("pixel %d, %d is %d %d %d and not %d %d %d", x, y, p[0], p[1], p[2], r, g, b);
}

static inline int stage_red(const stage_t *s, int x, int y) {
  return s->pixels[(y * s->width + x) * 3];
}

#define NEEDS_GL(s)                                                                                                    \
  if (!(s)->platform)                                                                                                  \
  skip()

#endif
