// Initializes and frees the data kept between frames.
#include "render/frame.h"

#include "base/assert.h"

void frame_init(frame_t *frame, glyphs_o *glyphs, image_source_t images, log_o *log) {
  *frame = (frame_t){.glyphs = glyphs, .images = images, .log = log, .outlines.log = log};
}

void frame_fini(frame_t *frame) {
  allocator_t *a = &frame->allocator;
  outlines_fini(&frame->outlines, a);
  array_free(a, &frame->tile_layers);
  array_free(a, &frame->clouds);
  lights_fini(&frame->lights, a);
  array_free(a, &frame->images_by_id);
  array_free(a, &frame->instances);
  array_free(a, &frame->batches);
  array_free(a, &frame->clip_rects);
  array_free(a, &frame->corners);
  array_free(a, &frame->mesh_instances);
  array_free(a, &frame->order);
  array_free(a, &frame->scratch);
  poses_fini(&frame->poses, a);
  alloc_resize(a, frame->sort_scratch, frame->sort_capacity * sizeof *frame->sort_scratch, 0);
  shoal_assert(a->bytes == 0, "the frame leaked %zu bytes", a->bytes);
}
