// Draws the error card and the toasts on top of the game. Works even if the game, its world or its VM is missing.
#ifndef SHOAL_OVERLAY_OVERLAY_H
#define SHOAL_OVERLAY_OVERLAY_H

#include "overlay/error_card.h"
#include "overlay/toast.h"
#include "render/draw.h"
#include "text/typesetter.h"

typedef struct overlay_desc_t {
  const error_card_t *card;
  const toasts_t *toasts;
  float width, height; // screen size in logical pixels
} overlay_desc_t;

// `type` must be the typesetter of `draw`. The card takes at most 45 % of the height. Returns the y above which the
// screen is free: the screen's height if there is no card.
float overlay_draw(const overlay_desc_t *desc, draw_o *draw, typesetter_o *type);

#endif
