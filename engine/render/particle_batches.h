// Particles as instances, one batch for each image that they have; without one they are round, or drawn out.
#ifndef SHOAL_RENDER_PARTICLE_BATCHES_H
#define SHOAL_RENDER_PARTICLE_BATCHES_H

#include "render/frame.h"

// Lists what is to be seen into f->clouds. `back_s`: how long before the last tick's end the picture is.
void particle_batches_list(frame_t *f, world_o *w, double back_s);
// `m`: from the cloud's space to the pixels of the picture.
void particle_batches_emit(frame_t *f, const particle_cloud_t *cloud, const affine_t *m);

#endif
