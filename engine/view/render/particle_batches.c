// Computes the particles of an emitter in blocks, and immediately converts each block to instances.
#include "render/particle_batches.h"

#include "base/assert.h"
#include "render/emit.h"

#include <math.h>

#define BLOCK_SIZE 256u

void particle_batches_list(frame_t *frame, world_o *w, double back_s) {
  emitters_o *emitters = w ? emitters_find(w) : NULL;
  uint32_t count = emitters ? emitters_group_births(emitters) : 0;
  frame->clouds.count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    particle_cloud_t cloud;
    if (!emitters_get_cloud(emitters, i, &cloud))
      continue;
    cloud.clock_s -= back_s;
    array_push(&frame->allocator, &frame->clouds, cloud);
  }
}

typedef struct painter_t {
  frame_t *frame;
  const particle_cloud_t *cloud;
  const affine_t *m;
  float scale;
  image_t image;             // image of the particles; width 0: no image
  sheet_frame_t fixed_frame; // frame of all particles if they are not animated; otherwise zero
} painter_t;

static void emit_round_particle(const painter_t *painter, const particle_t *particle, const float colour[4]) {
  const affine_t *transform = painter->m;
  float x, y, ux = transform->ux * particle->ux + transform->vx * particle->uy,
              uy = transform->uy * particle->ux + transform->vy * particle->uy;
  float length = sqrtf(ux * ux + uy * uy), half_length = particle->length * 0.5f * length;
  affine_apply(transform, particle->x, particle->y, &x, &y);
  emit_particle(painter->frame, x, y, length > 0.0f ? ux / length : 1.0f, length > 0.0f ? uy / length : 0.0f,
                half_length, particle->size * 0.5f * painter->scale, painter->cloud->look.soft, colour);
}

static sheet_frame_t find_sheet_frame(const painter_t *painter, int32_t number) {
  const image_t *image = &painter->image;
  if (painter->fixed_frame.width > 0.0f)
    return painter->fixed_frame;
  if (image->sheet)
    return sheet_frame(image->sheet, number, image->width, image->height);
  int32_t frames = painter->cloud->look.frames > 0 ? painter->cloud->look.frames : 1, index = (number - 1) % frames;
  float step = (float)image->width / (float)frames, height = (float)image->height;
  index += index < 0 ? frames : 0;
  return (sheet_frame_t){
      .x = step * (float)index, .width = step, .height = height, .full_width = step, .full_height = height};
}

static void emit_particle_image(const painter_t *painter, const particle_t *particle, const float colour[4]) {
  sheet_frame_t rect = find_sheet_frame(painter, particle->frame);
  if (!(rect.full_width > 0.0f && rect.full_height > 0.0f))
    return;
  const float texels[4] = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height};
  float scale_x = (particle->size + particle->length) / rect.full_width, scale_y = particle->size / rect.full_width;
  affine_t local = {particle->ux, particle->uy, -particle->uy, particle->ux, particle->x, particle->y};
  affine_apply(&local, (rect.left + (rect.width - rect.full_width) * 0.5f) * scale_x,
               (rect.top + (rect.height - rect.full_height) * 0.5f) * scale_y, &local.x, &local.y);
  affine_t particle_transform = affine_multiply(painter->m, &local);
  emit_image(painter->frame, &particle_transform, &painter->image, rect.width * scale_x, rect.height * scale_y, texels,
             colour, NULL);
}

static void emit_particles(const painter_t *painter, const particle_births_t *births) {
  particle_t block[BLOCK_SIZE];
  float colour[4];
  for (uint32_t begin = 0; begin < births->count; begin += BLOCK_SIZE) {
    uint32_t end = births->count - begin < BLOCK_SIZE ? births->count : begin + BLOCK_SIZE;
    uint32_t count =
        particles_compute(&painter->cloud->look, painter->cloud->has_forces ? &painter->cloud->forces : NULL, births,
                          begin, end, painter->cloud->clock_s, painter->cloud->local, block);
    for (uint32_t i = 0; i < count; ++i) {
      emit_premultiply_colour(block[i].colour, painter->cloud->look.add != 0, colour);
      if (painter->image.width > 0)
        emit_particle_image(painter, &block[i], colour);
      else
        emit_round_particle(painter, &block[i], colour);
    }
  }
}

void particle_batches_emit(frame_t *frame, const particle_cloud_t *cloud, const affine_t *transform) {
  painter_t painter = {.frame = frame, .cloud = cloud, .m = transform, .scale = affine_scale(transform)};
  shoal_assert(cloud->births && cloud->indices, "`births` and `indices` of a particle cloud must not be NULL");
  if (cloud->look.image[0]) {
    painter.image = frame->images.find(frame->images.context, cloud->look.image);
    if (painter.image.width <= 0) // the image is not decoded yet
      return;
    if (cloud->look.last_frame <= cloud->look.frame)
      painter.fixed_frame = find_sheet_frame(&painter, cloud->look.frame);
  }
  frame->is_short_lived = true;
  for (uint32_t i = 0; i < cloud->count; ++i)
    emit_particles(&painter, &cloud->births[cloud->indices[i]]);
  frame->is_short_lived = false;
}
