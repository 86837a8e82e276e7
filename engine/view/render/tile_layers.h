// Emits the visible cells of tilemap layers, in one batch per tile image.
#ifndef SHOAL_RENDER_TILE_LAYERS_H
#define SHOAL_RENDER_TILE_LAYERS_H

#include "render/frame.h"

// Lists the visible layers in frame->tile_layers, ordered by row and layer.
void tile_layers_list(frame_t *frame, world_o *w);
// Emits a layer. `transform` maps pixels of the map to pixels of the image.
void tile_layers_emit(frame_t *frame, world_o *w, const tile_layer_t *layer, const affine_t *transform);

#endif
