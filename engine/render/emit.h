// Puts one thing to draw into a frame's instances. Positions and lengths are real pixels; colours premultiplied. What
// lies outside the picture or is not a finite number is left out.
#ifndef SHOAL_RENDER_EMIT_H
#define SHOAL_RENDER_EMIT_H

#include "render/frame.h"

// What a material does to an image: straight colours, whose w is how strongly; the outline's width in texels; dissolve
// 0 … 1.
typedef struct material_look_t {
  float flash[4], outline[4], outline_width, dissolve, dissolve_colour[4];
} material_look_t;

// Straight colour → what instances hold. Clamped to 0 … 16, so that one bad number cannot spread through the bloom.
void emit_premultiply(const float straight[4], bool add, float out[4]);

void emit_circle(frame_t *f, float x, float y, float radius, float line_width,
                 const float colour[4]); // width < 0: filled
// Round, or drawn out along the unit axis (ux, uy); `soft`, 0 … 1, of its radius fades out.
void emit_particle(frame_t *f, float x, float y, float ux, float uy, float half_length, float radius, float soft,
                   const float colour[4]);
// Along `points` points, `half` as wide to both sides of each, of which `soft`, 0 … 1, fades out; with a premultiplied
// colour of each.
void emit_ribbon(frame_t *f, const float (*xy)[2], const float *half, const float (*colours)[4], uint32_t points,
                 float soft);
// (ux, uy): unit axis of the width; half sizes.
void emit_rect(frame_t *f, const affine_t *m, float width, float height, float line_width, const float colour[4]);
// With round corners, whose radius is as the width before the mapping.
void emit_round(frame_t *f, const affine_t *m, float width, float height, float radius, float line_width,
                const float colour[4]);
// `xy`: in pixels; may be changed.
void emit_polyline(frame_t *f, float *xy, uint32_t points, bool closed, float line_width, const float colour[4]);
void emit_polygon(frame_t *f, const float *xy, uint32_t points, const uint16_t *triangles, uint32_t triangle_count,
                  const float colour[4]);
// A piece of an image: `m` maps the image's middle to the origin; width and height before that mapping.
// `material` NULL: as it is.
void emit_image(frame_t *f, const affine_t *m, const image_t *image, float width, float height, const float texels[4],
                const float colour[4], const material_look_t *material);
// A batch of its own, fitted into the view that is emitted. Corners that are not finite take their triangle with them.
void emit_solids(frame_t *f, const solid_corner_t *corners, uint32_t count);
// A tile: its middle, and half of its sides. The caller knows that it is in the picture.
void emit_tile(frame_t *f, const image_t *image, float x, float y, const float u[2], const float v[2],
               const float texels[4], const float colour[4]);
// A glyph of the atlas: its middle, and half of its sides.
void emit_glyph(frame_t *f, float x, float y, const float u[2], const float v[2], const float texels[4],
                const float colour[4]);
// Does anything within `reach` of a place lie in what is seen? Not for what is no finite number.
bool emit_is_seen(const frame_t *f, float x, float y, float reach);

// What line widths and text sizes are multiplied with: the square root of the change of area.
float affine_scale(const affine_t *m);

#endif
