// Appends primitives to a frame's instances. Positions and lengths are physical pixels; colours are premultiplied.
// Primitives outside the image or with non-finite numbers are skipped.
#ifndef SHOAL_RENDER_EMIT_H
#define SHOAL_RENDER_EMIT_H

#include "render/frame.h"

// Effect of a material on an image. Colours are not premultiplied; w is the strength. Outline width in texels;
// dissolve 0 to 1.
typedef struct material_look_t {
  float flash[4], outline[4], outline_width, dissolve, dissolve_colour[4];
} material_look_t;

// Premultiplies a colour for instances. Clamps to 0 to 16, so that one bad value cannot spread through bloom.
void emit_premultiply(const float straight[4], bool add, float out[4]);

void emit_circle(frame_t *f, float x, float y, float radius, float line_width,
                 const float colour[4]); // width < 0: filled
// A disc, or a capsule along the unit axis (ux, uy). The outer part `soft` (0 to 1) of its radius fades out.
void emit_particle(frame_t *f, float x, float y, float ux, float uy, float half_length, float radius, float soft,
                   const float colour[4]);
// A band through `points` points, extending `half` to both sides of each, with one premultiplied colour per point.
// The outer part `soft` (0 to 1) of its width fades out.
void emit_ribbon(frame_t *f, const float (*xy)[2], const float *half, const float (*colours)[4], uint32_t points,
                 float soft);
// `m` maps the rectangle to pixels.
void emit_rect(frame_t *f, const affine_t *m, float width, float height, float line_width, const float colour[4]);
// Round corners; `radius` and sizes are measured before the mapping.
void emit_round(frame_t *f, const affine_t *m, float width, float height, float radius, float line_width,
                const float colour[4]);
// `xy`: in pixels; may be modified.
void emit_polyline(frame_t *f, float *xy, uint32_t points, bool closed, float line_width, const float colour[4]);
void emit_polygon(frame_t *f, const float *xy, uint32_t points, const uint16_t *triangles, uint32_t triangle_count,
                  const float colour[4]);
// A part of an image: `m` maps its centre to the origin; width and height are measured before that mapping.
// `material` may be NULL.
void emit_image(frame_t *f, const affine_t *m, const image_t *image, float width, float height, const float texels[4],
                const float colour[4], const material_look_t *material);
// Emits a separate batch, fitted into the current view. A triangle with a non-finite corner is skipped.
void emit_solids(frame_t *f, const solid_corner_t *corners, uint32_t count);
// A tile: its centre and half sides. The caller ensures that it is visible.
void emit_tile(frame_t *f, const image_t *image, float x, float y, const float u[2], const float v[2],
               const float texels[4], const float colour[4]);
// A glyph of the atlas: its centre and half sides.
void emit_glyph(frame_t *f, float x, float y, const float u[2], const float v[2], const float texels[4],
                const float colour[4]);
// Returns true if anything within `reach` of the position is visible; false for non-finite positions.
bool emit_is_seen(const frame_t *f, float x, float y, float reach);

// Returns the scale for line widths and text sizes: the square root of the change of area.
float affine_scale(const affine_t *m);

#endif
