// Layers of tilemaps as instances: of each only the cells that are in the picture, in one batch for each picture that
// its tiles come from.
#ifndef SHOAL_RENDER_TILE_LAYERS_H
#define SHOAL_RENDER_TILE_LAYERS_H

#include "render/frame.h"

// Lists the layers that are to be seen, into f->tile_layers, in the order of rows and layers.
void tile_layers_list(frame_t *f, world_o *w);
// `m`: from the map's pixels to those of the picture.
void tile_layers_emit(frame_t *f, world_o *w, const tile_layer_t *layer, const affine_t *m);

#endif
