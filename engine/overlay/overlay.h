// Draws the error card and the toasts over whatever a game draws, also when the game, its world or its VM is missing.
#ifndef SHOAL_OVERLAY_OVERLAY_H
#define SHOAL_OVERLAY_OVERLAY_H

#include "overlay/error_card.h"
#include "overlay/toast.h"
#include "render/draw.h"
#include "text/typesetter.h"

typedef struct overlay_desc_t {
  const error_card_t *card;
  const toasts_t *toasts;
  float width, height; // of the screen, in logical pixels
} overlay_desc_t;

// `type` lays out the texts that `draw` has. The card takes at most 45 % of the height. Returns the y above which the
// card leaves the screen free: `height` without a card.
float overlay_draw(const overlay_desc_t *desc, draw_o *draw, typesetter_o *type);

#endif
