// Assertions about the contents of a draw list.
#ifndef SHOAL_TESTS_DRAW_FIXTURE_H
#define SHOAL_TESTS_DRAW_FIXTURE_H

#include "render/draw_internal.h"

static inline uint32_t draw_count(const draw_o *d) {
  return d->commands.count;
}

#endif
