// Test fixture: the engine's own assets, and a log that counts lines. The tests must run in the repository's root
// folder.
#ifndef SHOAL_TESTS_RENDER_FIXTURE_H
#define SHOAL_TESTS_RENDER_FIXTURE_H

#include "base/files.h"
#include "base/log.h"
#include "platform/assets.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct log_capture_t {
  log_o *log;
  uint32_t lines; // number of warnings and errors
  char last[512];
} log_capture_t;

static inline void log_capture_line(void *context, log_level_t level, const char *line) {
  log_capture_t *h = context;
  if (level > LOG_WARN)
    return;
  h->lines++;
  snprintf(h->last, sizeof h->last, "%s", line);
}

static inline void log_capture_init(log_capture_t *h) {
  *h = (log_capture_t){.log = log_create(LOG_WARN)};
  log_set_listener(h->log, log_capture_line, h);
}

static inline assets_t engine_assets(void) {
  static const char *const PLACES[] = {"assets", "../assets", "../../assets"};
  assets_t assets = {.game = ""};
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; ++i) {
    char font[64];
    snprintf(font, sizeof font, "%s/fonts/ui.ttf", PLACES[i]);
    if (!file_exists(font))
      continue;
    snprintf(assets.engine, sizeof assets.engine, "%s", PLACES[i]);
    return assets;
  }
  fail_msg("assets/fonts/ui.ttf not found: run the unit tests in the repository's root");
  return assets;
}

#endif
