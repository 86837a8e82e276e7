// Draws the error card, the scrub bar, the badge (badge.h) and toasts on top of the game. Needs no game, world or VM.
#ifndef SHOAL_OVERLAY_OVERLAY_H
#define SHOAL_OVERLAY_OVERLAY_H

#include "overlay/error_card.h"
#include "overlay/picking.h"
#include "overlay/scrub_bar.h"
#include "overlay/toast.h"
#include "render/draw.h"
#include "text/typesetter.h"

typedef struct overlay_desc_t {
  const error_card_t *card;
  const toasts_t *toasts;
  bool has_toasts_at_top; // true if the toasts are at the top edge, because the hero is at the bottom
  const float *accent;    // colour of toasts, from the game's theme; NULL: the overlay's own colour
  scrub_bar_t *bar;
  const latch_t *pointer; // input of the mouse, for the bar
  const char *badge;      // text of the badge; NULL: no badge
  picking_view_t game;    // the game behind the badge
  float width, height;    // screen size in logical pixels
} overlay_desc_t;

// Draws all members that are set. `type` must be the typesetter of `draw`. The card covers at most 45 % of the height.
// Returns the y of the card's top, or the screen's height if no card is shown.
float overlay_draw(const overlay_desc_t *desc, draw_o *draw, typesetter_o *type);

#endif
