// Emits the visible cells of tilemap layers, in one batch per tile image.
#ifndef SHOAL_RENDER_TILE_LAYERS_H
#define SHOAL_RENDER_TILE_LAYERS_H

#include "render/frame.h"

// Lists the visible layers in f->tile_layers, ordered by row and layer.
void tile_layers_list(frame_t *f, world_o *w);
// Emits a layer. `m` maps pixels of the map to pixels of the image.
void tile_layers_emit(frame_t *f, world_o *w, const tile_layer_t *layer, const affine_t *m);

#endif
