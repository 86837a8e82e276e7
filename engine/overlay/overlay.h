// Shows the error card and the toasts over whatever a game draws, as widgets (ui/) in a world of their own: laid out,
// coloured and written like a game's, and there also when the game, its world or its VM is not.
#ifndef SHOAL_OVERLAY_OVERLAY_H
#define SHOAL_OVERLAY_OVERLAY_H

#include "overlay/debug_draw.h"
#include "overlay/error_card.h"
#include "overlay/toast.h"
#include "render/draw.h"
#include "text/typesetter.h"

#define OVERLAY_LAYER 1000000

typedef struct overlay_o overlay_o;

typedef struct overlay_desc_t {
  const error_card_t *card;
  const toasts_t *toasts;
  float width, height; // of the screen, in logical pixels
  float dt_s;          // since the last frame
} overlay_desc_t;

overlay_o *overlay_create(void);
void overlay_destroy(overlay_o *o); // NULL is fine
// `type` sets the texts that `draw` has. The card takes at most 45 % of the height. Returns the y above which the
// screen is free of it: `height` when there is no card.
float overlay_draw(overlay_o *o, const overlay_desc_t *desc, draw_o *draw, typesetter_o *type);

#endif
