// Computes the particles of an emitter in blocks, and immediately converts each block to instances.
#include "render/particle_batches.h"

#include "base/assert.h"
#include "render/emit.h"

#include <math.h>

#define AT_A_TIME 256u

void particle_batches_list(frame_t *f, world_o *w, double back_s) {
  emitters_o *e = w ? emitters_find(w) : NULL;
  uint32_t count = e ? emitters_group_births(e) : 0;
  f->clouds.count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    particle_cloud_t cloud;
    if (!emitters_get_cloud(e, i, &cloud))
      continue;
    cloud.clock_s -= back_s;
    array_push(&f->allocator, &f->clouds, cloud);
  }
}

typedef struct painter_t {
  frame_t *frame;
  const particle_cloud_t *cloud;
  const affine_t *m;
  float scale;
  image_t image;     // width 0: the particles have no image
  sheet_frame_t one; // frame of all particles if they are not animated; otherwise all 0
} painter_t;

static void emit_round_particle(const painter_t *p, const particle_t *one, const float colour[4]) {
  const affine_t *m = p->m;
  float x, y, ux = m->ux * one->ux + m->vx * one->uy, uy = m->uy * one->ux + m->vy * one->uy;
  float length = sqrtf(ux * ux + uy * uy), half = one->length * 0.5f * length;
  affine_apply(m, one->x, one->y, &x, &y);
  emit_particle(p->frame, x, y, length > 0.0f ? ux / length : 1.0f, length > 0.0f ? uy / length : 0.0f, half,
                one->size * 0.5f * p->scale, p->cloud->look.soft, colour);
}

static sheet_frame_t find_sheet_frame(const painter_t *p, int32_t number) {
  const image_t *image = &p->image;
  if (p->one.width > 0.0f)
    return p->one;
  if (image->sheet)
    return sheet_frame(image->sheet, number, image->width, image->height);
  int32_t frames = p->cloud->look.frames > 0 ? p->cloud->look.frames : 1, at = (number - 1) % frames;
  float step = (float)image->width / (float)frames, height = (float)image->height;
  at += at < 0 ? frames : 0;
  return (sheet_frame_t){
      .x = step * (float)at, .width = step, .height = height, .full_width = step, .full_height = height};
}

static void emit_particle_image(const painter_t *p, const particle_t *one, const float colour[4]) {
  sheet_frame_t s = find_sheet_frame(p, one->frame);
  if (!(s.full_width > 0.0f && s.full_height > 0.0f))
    return;
  const float texels[4] = {s.x, s.y, s.x + s.width, s.y + s.height};
  float wide = (one->size + one->length) / s.full_width, high = one->size / s.full_width;
  affine_t own = {one->ux, one->uy, -one->uy, one->ux, one->x, one->y};
  affine_apply(&own, (s.left + (s.width - s.full_width) * 0.5f) * wide,
               (s.top + (s.height - s.full_height) * 0.5f) * high, &own.x, &own.y);
  affine_t at = affine_multiply(p->m, &own);
  emit_image(p->frame, &at, &p->image, s.width * wide, s.height * high, texels, colour, NULL);
}

static void emit_particles(const painter_t *p, const particle_births_t *b) {
  particle_t some[AT_A_TIME];
  float colour[4];
  for (uint32_t begin = 0; begin < b->count; begin += AT_A_TIME) {
    uint32_t end = b->count - begin < AT_A_TIME ? b->count : begin + AT_A_TIME;
    uint32_t count = particles_compute(&p->cloud->look, p->cloud->has_forces ? &p->cloud->forces : NULL, b, begin, end,
                                       p->cloud->clock_s, p->cloud->local, some);
    for (uint32_t i = 0; i < count; ++i) {
      emit_premultiply_colour(some[i].colour, p->cloud->look.add != 0, colour);
      if (p->image.width > 0)
        emit_particle_image(p, &some[i], colour);
      else
        emit_round_particle(p, &some[i], colour);
    }
  }
}

void particle_batches_emit(frame_t *f, const particle_cloud_t *cloud, const affine_t *m) {
  painter_t p = {.frame = f, .cloud = cloud, .m = m, .scale = affine_scale(m)};
  shoal_assert(cloud->births && cloud->indices, "`births` and `which` of a particle cloud must not be NULL");
  if (cloud->look.image[0]) {
    p.image = f->images.find(f->images.context, cloud->look.image);
    if (p.image.width <= 0) // the image is not decoded yet
      return;
    if (cloud->look.last_frame <= cloud->look.frame)
      p.one = find_sheet_frame(&p, cloud->look.frame);
  }
  f->emits_transient = true;
  for (uint32_t i = 0; i < cloud->count; ++i)
    emit_particles(&p, &cloud->births[cloud->indices[i]]);
  f->emits_transient = false;
}
