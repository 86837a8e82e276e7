// Emits particles, in one batch per image. Particles without an image are discs or capsules.
#ifndef SHOAL_RENDER_PARTICLE_BATCHES_H
#define SHOAL_RENDER_PARTICLE_BATCHES_H

#include "render/frame.h"

// Lists the visible particle clouds in frame->clouds. `back_s`: seconds from the drawn moment to the end of the last
// tick.
void particle_batches_list(frame_t *frame, world_o *w, double back_s);
// Emits the particles of a cloud. `transform` maps its space to pixels of the image.
void particle_batches_emit(frame_t *frame, const particle_cloud_t *cloud, const affine_t *transform);

#endif
