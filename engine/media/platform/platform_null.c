// Headless platform: no window, no devices, no input.
#include "platform/platform_internal.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

static void null_destroy(platform_o *p) {
  free(p);
}

static void null_pump(platform_o *p, platform_events_t *out) {
  (void)p, (void)out;
}

static void null_set_title(platform_o *p, const char *title) {
  (void)p, (void)title;
}

static void null_set_fullscreen(platform_o *p, bool enabled) {
  (void)p, (void)enabled;
}

static platform_area_t null_area(const platform_o *p) {
  return (platform_area_t){.width = p->width, .height = p->height};
}

static void null_present(platform_o *p) {
  (void)p;
}

static const platform_backend_t NULL_BACKEND = {
    .destroy = null_destroy,
    .pump_events = null_pump,
    .set_title = null_set_title,
    .set_fullscreen = null_set_fullscreen,
    .area = null_area,
    .present = null_present,
};

platform_o *platform_null_create(const platform_desc_t *desc) {
  platform_o *platform = alloc_object(sizeof *platform);
  platform->backend = &NULL_BACKEND;
  platform->headless = true;
  platform->width = desc->width;
  platform->height = desc->height;
  platform->window_settings = desc->window_settings;
  platform->log = desc->log;
  return platform;
}
