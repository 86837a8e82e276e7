// Emits particles, one batch per image; without an image they are discs or capsules.
#ifndef SHOAL_RENDER_PARTICLE_BATCHES_H
#define SHOAL_RENDER_PARTICLE_BATCHES_H

#include "render/frame.h"

// Lists the visible particle clouds in f->clouds. `back_s`: time between the drawn moment and the end of the last
// tick.
void particle_batches_list(frame_t *f, world_o *w, double back_s);
// `m`: maps the cloud's space to pixels of the image.
void particle_batches_emit(frame_t *f, const particle_cloud_t *cloud, const affine_t *m);

#endif
