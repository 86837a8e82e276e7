// Initializes and frees the data kept between frames.
#include "render/frame.h"

#include "base/assert.h"

void frame_init(frame_t *frame, glyphs_o *glyphs, image_source_t images, log_o *log) {
  *frame = (frame_t){.glyphs = glyphs, .images = images, .log = log, .outlines.log = log};
}

void frame_fini(frame_t *frame) {
  allocator_t *allocator = &frame->allocator;
  outlines_fini(&frame->outlines, allocator);
  array_free(allocator, &frame->tile_layers);
  array_free(allocator, &frame->clouds);
  lights_fini(&frame->lights, allocator);
  array_free(allocator, &frame->images_by_id);
  array_free(allocator, &frame->instances);
  array_free(allocator, &frame->batches);
  array_free(allocator, &frame->clip_rects);
  array_free(allocator, &frame->corners);
  array_free(allocator, &frame->mesh_instances);
  array_free(allocator, &frame->order);
  array_free(allocator, &frame->scratch);
  poses_fini(&frame->poses, allocator);
  alloc_resize(allocator, frame->sort_scratch, frame->sort_capacity * sizeof *frame->sort_scratch, 0);
  shoal_assert(allocator->bytes == 0, "the frame leaked %zu bytes", allocator->bytes);
}
