// Initializes and frees the data kept between frames.
#include "render/frame.h"

#include "base/assert.h"

void frame_init(frame_t *f, glyphs_o *glyphs, image_source_t images, log_o *log) {
  *f = (frame_t){.glyphs = glyphs, .images = images, .log = log, .outlines.log = log};
}

void frame_fini(frame_t *f) {
  allocator_t *a = &f->allocator;
  outlines_fini(&f->outlines, a);
  array_free(a, &f->tile_layers);
  array_free(a, &f->clouds);
  lights_fini(&f->lights, a);
  array_free(a, &f->images_by_id);
  array_free(a, &f->instances);
  array_free(a, &f->batches);
  array_free(a, &f->cuts);
  array_free(a, &f->corners);
  array_free(a, &f->mesh_instances);
  array_free(a, &f->order);
  array_free(a, &f->scratch);
  poses_fini(&f->poses, a);
  alloc_resize(a, f->sort_scratch, f->sort_capacity * sizeof *f->sort_scratch, 0);
  shoal_assert(a->bytes == 0, "the frame leaked %zu bytes", a->bytes);
}
