// Appends primitives to the instances of a frame. Positions and lengths are in physical pixels; colours are
// premultiplied. Primitives that are outside of the image or contain non-finite numbers are skipped.
#ifndef SHOAL_RENDER_EMIT_H
#define SHOAL_RENDER_EMIT_H

#include "render/frame.h"

// Effect of a material on an image. Colours are not premultiplied; the fourth component is the strength.
// `outline_width` is in texels, `dissolve` from 0 to 1.
typedef struct material_look_t {
  float flash[4], outline[4], outline_width, dissolve, dissolve_colour[4];
} material_look_t;

// Premultiplies a colour for instances. Clamps red, green and blue to [0, 16], so that a single bad value cannot spread
// through bloom, and alpha to [0, 1]. `add`: the colour is additive (alpha becomes 0).
void emit_premultiply_colour(const float straight[4], bool add, float out[4]);

// Emits a circle. A negative `line_width` fills the circle.
void emit_circle(frame_t *frame, float x, float y, float radius, float line_width, const float colour[4]);
// Emits a disc, or a capsule along the unit axis (ux, uy). The outer fraction `soft` (0 to 1) of its radius fades out.
void emit_particle(frame_t *frame, float x, float y, float ux, float uy, float half_length, float radius, float soft,
                   const float colour[4]);
// Emits a ribbon through `points` points that extends by `half_width` to both sides of each point, with one
// premultiplied colour per point. The outer fraction `soft` (0 to 1) of its width fades out.
void emit_ribbon(frame_t *frame, const float (*xy)[2], const float *half_width, const float (*colours)[4],
                 uint32_t points, float soft);
// Emits a rectangle centred on the origin of `transform`, which maps it to pixels. A negative `line_width` fills the
// rectangle.
void emit_rect(frame_t *frame, const affine_t *transform, float width, float height, float line_width,
               const float colour[4]);
// Like emit_rect, with rounded corners. `radius` and sizes are in the coordinates that `transform` maps to pixels.
void emit_rounded_rect(frame_t *frame, const affine_t *transform, float width, float height, float radius,
                       float line_width, const float colour[4]);
// Emits lines through the points `xy`, given in pixels; the function may modify them.
void emit_polyline(frame_t *frame, float *xy, uint32_t points, bool closed, float line_width, const float colour[4]);
void emit_polygon(frame_t *frame, const float *xy, uint32_t points, const uint16_t *triangles, uint32_t triangle_count,
                  const float colour[4]);
// Emits a part of an image. In the coordinates that `transform` maps to pixels, the part is centred at the origin and
// has the size `width` × `height`. `texels`: left, top, right and bottom edge of the part in the image. `material` may
// be NULL.
void emit_image(frame_t *frame, const affine_t *transform, const image_t *image, float width, float height,
                const float texels[4], const float colour[4], const material_look_t *material);
// Emits triangles with depth as a separate batch, fitted into the current view. `count`: number of corners. Skips
// triangles with a non-finite corner.
void emit_solids(frame_t *frame, const solid_corner_t *corners, uint32_t count);
// Emits a tile, given its centre and its half-extent vectors `u` and `v`. The caller must ensure that the tile is
// visible.
void emit_tile(frame_t *frame, const image_t *image, float x, float y, const float u[2], const float v[2],
               const float texels[4], const float colour[4]);
// Emits a glyph from the atlas, given its centre and its half-extent vectors `u` and `v`.
void emit_glyph(frame_t *frame, float x, float y, const float u[2], const float v[2], const float texels[4],
                const float colour[4]);
// Returns true if anything within `extent` of the position is in the current view. Returns false for NaN, and for an
// extent of 1e6 pixels or more.
bool emit_is_visible(const frame_t *frame, float x, float y, float extent);

// Returns the scale for line widths and text sizes: the square root of the factor by which areas grow.
float affine_scale(const affine_t *transform);

#endif
