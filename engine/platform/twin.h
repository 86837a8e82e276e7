// What both twins of the platform answer to. platform.c asserts arguments and forwards; a twin's state begins with platform_o.
#ifndef SHOAL_PLATFORM_TWIN_H
#define SHOAL_PLATFORM_TWIN_H

#include "platform/latch.h"
#include "platform/platform.h"

typedef struct platform_twin_t {
  void (*destroy)(platform_o *p);
  void (*pump)(platform_o *p, platform_events_t *out);
  void (*set_title)(platform_o *p, const char *title);
  void (*set_fullscreen)(platform_o *p, bool on);
  void (*drawable_size)(const platform_o *p, int *width, int *height);
  void (*present)(platform_o *p);
} platform_twin_t;

struct platform_o {
  const platform_twin_t *twin;
  bool headless;
  int width, height; // logical
  log_o *log;
  latch_t latch;
};

platform_o *platform_null_create(const platform_desc_t *desc);
platform_o *platform_sdl_create(const platform_desc_t *desc, error_t *error);

#endif
