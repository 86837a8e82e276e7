// Emits shapes, ribbons, images, tiles and glyphs as instances, and depth-tested triangles as vertices. emit_text.c
// emits text.
#include "render/emit.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define MIN_HALF_WIDTH 0.5f // minimum half width of a line, in pixels; thinner lines get this width and less opacity
#define MIN_RADIUS 0.75f
#define ELLIPSE_POINTS 64u
#define MAX_BLOCK 8192.0f          // maximum side, in texels, of a block that is averaged in a mipmap level
#define MATERIAL_MAX_OUTLINE 16.0f // maximum outline width in texels; also defined in material.frag

static float clamp_colour(float x) {
  return x > 0.0f ? (x < 16.0f ? x : 16.0f) : 0.0f; // NaN becomes 0
}

void emit_premultiply_colour(const float straight[4], bool add, float out[4]) {
  float alpha = clamp_colour(straight[3]);
  alpha = alpha < 1.0f ? alpha : 1.0f;
  for (int i = 0; i < 3; ++i)
    out[i] = clamp_colour(straight[i]) * alpha;
  out[3] = add ? 0.0f : alpha;
}

float affine_scale(const affine_t *transform) {
  return sqrtf(fabsf(transform->ux * transform->vy - transform->uy * transform->vx));
}

// Returns true if anything within `radius` of the position is in the view. Returns false for NaN, and for a radius of
// 1e6 pixels or more.
static bool is_in_view(const frame_t *frame, float x, float y, float radius) {
  const float *visible = frame->view.visible;
  return x + radius > visible[0] - 1.0f && y + radius > visible[1] - 1.0f && x - radius < visible[2] + 1.0f &&
         y - radius < visible[3] + 1.0f && radius < 1e6f;
}

static instance_t *push_instance(frame_t *frame, batch_kind_t kind, uint32_t texture) {
  bool has_batch = frame->batches.count > frame->overlay_batch;
  batch_t *batch = has_batch ? &frame->batches.items[frame->batches.count - 1] : NULL;
  if (!has_batch || batch->kind != kind || batch->texture != texture || batch->clip != frame->clip ||
      batch->large > frame->is_short_lived) {
    batch_t new_batch = {.kind = kind,
                         .texture = texture,
                         .smooth = true,
                         .exact = true,
                         .large = frame->is_short_lived,
                         .first = frame->instances.count,
                         .clip = frame->clip};
    array_push(&frame->allocator, &frame->batches, new_batch);
    batch = &frame->batches.items[frame->batches.count - 1];
  }
  shoal_assert(batch->first + batch->count == frame->instances.count,
               "batch of %u instances from %u does not end at instance %u", batch->count, batch->first,
               frame->instances.count);
  batch->count++;
  array_reserve(&frame->allocator, &frame->instances, frame->instances.count + 1);
  instance_t *instance = &frame->instances.items[frame->instances.count++];
  memset(instance, 0, sizeof *instance);
  return instance;
}

static bool is_near_integer(float x) {
  return fabsf(x - roundf(x)) < 1e-3f;
}

static bool fits_point_size(float size) {
  return size >= FRAME_POINT_MIN && size <= FRAME_POINT_MAX;
}

static bool is_multiple(float x, float block) {
  float count = x / block;
  return (float)(int32_t)count == count;
}

// Returns true if a part of an image is drawn so small that a mipmap level would show its neighbours in the image. A
// texel of a level averages a block of the image; a level is suitable if each block is inside or outside of the part.
static bool is_mixed_by_mipmaps(const instance_t *instance, const image_t *image) {
  const float *part = instance->c, *u = &instance->a[2], *v = instance->b;
  float width = fabsf(part[2] - part[0]), height = fabsf(part[3] - part[1]);
  float reduction = 0.5f * fmaxf(width / hypotf(u[0], u[1]), height / hypotf(v[0], v[1])), block = 2.0f;
  if (!(reduction > 1.001f))
    return false;
  while (block < reduction * 1.07f && block < MAX_BLOCK) // 1.07: as in image.vert
    block *= 2.0f;
  return !is_multiple(part[0], block) || !is_multiple(part[1], block) || !is_multiple(part[2], block) ||
         !is_multiple(part[3], block) || !is_multiple((float)image->width, block) ||
         !is_multiple((float)image->height, block);
}

// Clears the batch's `smooth` and `exact` if the simpler programs cannot draw the instance. Also updates `reduced`,
// `points` and `large`. Upright images do not need smoothed edges. Clamping to the texel rectangle is unnecessary if
// the whole image is drawn, or if each texel covers an integer number of pixels: nearest and bilinear filtering are
// equal at texel centres.
static void restrict_programs(frame_t *frame, const instance_t *instance, const image_t *image) {
  batch_t *batch = &frame->batches.items[frame->batches.count - 1];
  bool is_whole = image && fminf(instance->c[0], instance->c[2]) == 0.0f &&
                  fminf(instance->c[1], instance->c[3]) == 0.0f &&
                  fabsf(instance->c[2] - instance->c[0]) == (float)image->width &&
                  fabsf(instance->c[3] - instance->c[1]) == (float)image->height;
  batch->reduced = batch->reduced || (image && !is_whole && is_mixed_by_mipmaps(instance, image));
  if (!batch->exact && !batch->smooth)
    return;
  float x = instance->c[0], y = instance->c[1], width = instance->c[2] - x, height = instance->c[3] - y;
  float drawn_width = fabsf(2.0f * instance->a[2]), drawn_height = fabsf(2.0f * instance->b[1]);
  bool is_upright = instance->b[2] == 0.0f && instance->a[3] == 0.0f && instance->b[0] == 0.0f,
       is_sharp = instance->b[3] > 0.0f;
  bool is_unscaled = drawn_width == fabsf(width) && drawn_height == fabsf(height),
       is_integer_scale = is_near_integer(drawn_width / width) && is_near_integer(drawn_height / height);
  bool is_aligned = is_upright && (is_unscaled || (is_sharp && is_integer_scale)) &&
                    is_near_integer(instance->a[0] - instance->a[2]) &&
                    is_near_integer(instance->a[1] - instance->b[1]) && is_near_integer(x) && is_near_integer(y);
  batch->points += is_upright && drawn_width == drawn_height && fits_point_size(drawn_width);
  batch->large = batch->large && 2.0f * drawn_width >= fabsf(width) && 2.0f * drawn_height >= fabsf(height);
  batch->exact = batch->exact && is_aligned;
  batch->smooth = batch->smooth && ((is_aligned && is_unscaled) || (is_upright && is_whole && !is_sharp));
}

// Counts the disc if it can be drawn as a point: it is complete, filled and of a supported size.
static void count_point_disc(frame_t *frame, const instance_t *instance) {
  if (instance->b[0] == 0.0f && instance->b[3] < 0.0f && fits_point_size(2.0f * instance->b[2] + 2.0f))
    frame->batches.items[frame->batches.count - 1].points++;
}

static void set_faded_colour(instance_t *instance, const float colour[4], float opacity) {
  for (int c = 0; c < 4; ++c)
    instance->colour[c] = colour[c] * opacity;
}

static void set_vec4(float out[4], float x, float y, float z, float w) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
}

// Returns half of the line width, but at least MIN_HALF_WIDTH. Stores an opacity from 0.15 to 1, which compensates for
// widening a thin line.
static float compute_half_width(float line_width, float *opacity) {
  float half_width = line_width > 0.0f ? line_width * 0.5f : 0.0f;
  *opacity = half_width < MIN_HALF_WIDTH ? half_width / MIN_HALF_WIDTH : 1.0f;
  *opacity = *opacity < 0.15f ? 0.15f : *opacity;
  return half_width < MIN_HALF_WIDTH ? MIN_HALF_WIDTH : half_width;
}

void emit_circle(frame_t *frame, float x, float y, float radius, float line_width, const float colour[4]) {
  bool is_filled = line_width < 0.0f;
  float opacity = 1.0f, half_width = is_filled ? -1.0f : compute_half_width(line_width, &opacity);
  radius = fabsf(radius);
  if (!is_in_view(frame, x, y, radius + fabsf(half_width)))
    return;
  if (radius < MIN_RADIUS) {
    opacity *= radius * radius / (MIN_RADIUS * MIN_RADIUS);
    radius = MIN_RADIUS;
  }
  instance_t *instance = push_instance(frame, BATCH_SHAPES, 0);
  set_vec4(instance->a, x, y, 1.0f, 0.0f);
  set_vec4(instance->b, 0.0f, 0.0f, radius, half_width);
  set_faded_colour(instance, colour, opacity);
  count_point_disc(frame, instance);
}

void emit_particle(frame_t *frame, float x, float y, float ux, float uy, float half_length, float radius, float soft,
                   const float colour[4]) {
  float opacity = 1.0f;
  if (!is_in_view(frame, x, y, half_length + radius))
    return;
  if (radius < MIN_RADIUS) {
    opacity = half_length > 0.0f ? radius / MIN_RADIUS : radius * radius / (MIN_RADIUS * MIN_RADIUS);
    radius = MIN_RADIUS;
  }
  instance_t *instance = push_instance(frame, BATCH_SHAPES, 0);
  set_vec4(instance->a, x, y, ux, uy);
  set_vec4(instance->b, half_length, 0.0f, radius, -1.0f);
  set_faded_colour(instance, colour, opacity);
  instance->kind = -soft;
  count_point_disc(frame, instance);
}

// Emits a line segment from p to q. `start` and `end` are the normals of the cuts relative to the axis of the segment;
// a zero normal is a round end without a cut.
static void emit_capsule(frame_t *frame, const float *p, const float *q, float half_width, const float *start,
                         const float *end, const float colour[4], float opacity) {
  float dx = q[0] - p[0], dy = q[1] - p[1], length = sqrtf(dx * dx + dy * dy);
  float x = (p[0] + q[0]) * 0.5f, y = (p[1] + q[1]) * 0.5f;
  if (!is_in_view(frame, x, y, length * 0.5f + half_width))
    return;
  instance_t *instance = push_instance(frame, BATCH_SHAPES, 0);
  bool is_dot = length < 1e-6f;
  set_vec4(instance->a, x, y, is_dot ? 1.0f : dx / length, is_dot ? 0.0f : dy / length);
  set_vec4(instance->b, length * 0.5f, 0.0f, half_width, -1.0f);
  set_vec4(instance->c, start[0], start[1], end[0], end[1]);
  set_faded_colour(instance, colour, opacity);
}

static uint32_t remove_duplicate_points(float *xy, uint32_t points, bool is_closed) {
  shoal_assert(xy, "xy must not be NULL (%u points)", points);
  uint32_t count = 0;
  for (uint32_t i = 0; i < points; ++i) {
    if (count && fabsf(xy[2 * i] - xy[2 * count - 2]) < 1e-3f && fabsf(xy[2 * i + 1] - xy[2 * count - 1]) < 1e-3f)
      continue;
    xy[2 * count] = xy[2 * i];
    xy[2 * count + 1] = xy[2 * i + 1];
    count++;
  }
  while (is_closed && count > 1 && fabsf(xy[0] - xy[2 * count - 2]) < 1e-3f && fabsf(xy[1] - xy[2 * count - 1]) < 1e-3f)
    count--;
  return count;
}

static void compute_unit_vector(const float *p, const float *q, float *out) {
  float dx = q[0] - p[0], dy = q[1] - p[1], length = sqrtf(dx * dx + dy * dy);
  out[0] = length > 0.0f ? dx / length : 1.0f;
  out[1] = length > 0.0f ? dy / length : 0.0f;
}

// Computes the normal of the cut at a joint. Returns true on success, or false in a U-turn, where both ends stay round.
// Both segments end at the bisector of their angle. Distances to both segments are equal there, so the joint is round
// and seamless. No pixel is drawn twice, which would be visible with additive or translucent colours.
static bool compute_joint_normal(const float *incoming, const float *outgoing, float *out) {
  out[0] = incoming[0] + outgoing[0];
  out[1] = incoming[1] + outgoing[1];
  float length = sqrtf(out[0] * out[0] + out[1] * out[1]);
  if (length < 0.05f) // segments of a U-turn have no usable bisector
    return false;
  out[0] /= length;
  out[1] /= length;
  return true;
}

// Converts `normal` to coordinates relative to `axis`, and multiplies it by `sign`.
static void convert_to_axis_space(const float *normal, const float *axis, float sign, float *out) {
  out[0] = sign * (normal[0] * axis[0] + normal[1] * axis[1]);
  out[1] = sign * (normal[1] * axis[0] - normal[0] * axis[1]);
}

void emit_polyline(frame_t *frame, float *xy, uint32_t points, bool is_closed, float line_width,
                   const float colour[4]) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  const float zero[2] = {0.0f, 0.0f};
  float opacity, half_width = compute_half_width(line_width, &opacity);
  points = remove_duplicate_points(xy, points, is_closed);
  is_closed = is_closed && points > 2;
  if (points == 1)
    emit_capsule(frame, xy, xy, half_width, zero, zero, colour, opacity);
  uint32_t segment_count = points < 2 ? 0 : is_closed ? points : points - 1;
  for (uint32_t i = 0; i < segment_count; ++i) {
    const float *p = &xy[2 * i], *q = &xy[2 * ((i + 1) % points)];
    float axis[2], neighbour_axis[2], normal[2], start[2] = {0.0f, 0.0f}, end[2] = {0.0f, 0.0f};
    compute_unit_vector(p, q, axis);
    if (is_closed || i > 0) {
      compute_unit_vector(&xy[2 * ((i + points - 1) % points)], p, neighbour_axis);
      if (compute_joint_normal(neighbour_axis, axis, normal))
        convert_to_axis_space(normal, axis, -1.0f, start);
    }
    if (is_closed || i + 1 < segment_count) {
      compute_unit_vector(q, &xy[2 * ((i + 2) % points)], neighbour_axis);
      if (compute_joint_normal(axis, neighbour_axis, normal))
        convert_to_axis_space(normal, axis, 1.0f, end);
    }
    emit_capsule(frame, p, q, half_width, start, end, colour, opacity);
  }
}

static void emit_quad(frame_t *frame, const float *p0, const float *p1, const float *p2, const float *p3,
                      const float *coverage, const float colour[4]) {
  instance_t *instance = push_instance(frame, BATCH_SHAPES, 0);
  set_vec4(instance->a, p0[0], p0[1], p1[0], p1[1]);
  set_vec4(instance->b, p2[0], p2[1], p3[0], p3[1]);
  memcpy(instance->c, coverage, sizeof instance->c);
  set_faded_colour(instance, colour, 1.0f);
  instance->kind = 1.0f;
}

// Stores four points across a ribbon at point i, in this order: outer edge, inner edge, inner edge, outer edge.
static void compute_ribbon_edges(const float (*xy)[2], const float *half_width, uint32_t points, uint32_t i, float soft,
                                 float out[4][2]) {
  float direction[2];
  compute_unit_vector(xy[i > 0 ? i - 1 : 0], xy[i + 1 < points ? i + 1 : i], direction);
  float outer = half_width[i] + 0.5f, inner_edge = fmaxf(half_width[i] * (1.0f - soft) - 0.5f, 0.0f);
  const float offsets[4] = {outer, inner_edge, -inner_edge, -outer};
  for (int k = 0; k < 4; ++k) {
    out[k][0] = xy[i][0] + direction[1] * offsets[k];
    out[k][1] = xy[i][1] - direction[0] * offsets[k];
  }
}

// Emits a ribbon as three adjacent strips; the outer strips fade out.
void emit_ribbon(frame_t *frame, const float (*xy)[2], const float *half_width, const float (*colours)[4],
                 uint32_t points, float soft) {
  static const float COVER[3][4] = {{0.0f, 1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 0.0f, 1.0f, 0.0f}};
  float start_edges[4][2], end_edges[4][2];
  shoal_assert(points < 2 || (xy && half_width && colours), "xy, half_width and colours must not be NULL (%u points)",
               points);
  for (uint32_t i = 0; i + 1 < points; ++i) {
    float radius = fabsf(xy[i + 1][0] - xy[i][0]) + fabsf(xy[i + 1][1] - xy[i][1]) + half_width[i] + half_width[i + 1];
    if (!is_in_view(frame, xy[i][0], xy[i][1], radius) || half_width[i] + half_width[i + 1] < 0.02f)
      continue;
    float colour[4];
    for (int k = 0; k < 4; ++k)
      colour[k] = (colours[i][k] + colours[i + 1][k]) * 0.5f * fminf(half_width[i] + half_width[i + 1], 1.0f);
    compute_ribbon_edges(xy, half_width, points, i, soft, start_edges);
    compute_ribbon_edges(xy, half_width, points, i + 1, soft, end_edges);
    for (int k = 0; k < 3; ++k)
      emit_quad(frame, start_edges[k], start_edges[k + 1], end_edges[k], end_edges[k + 1], COVER[k], colour);
  }
}

// Computes offsets that move each point outwards by half a pixel, and further at corners, so that edges move in
// parallel.
static void compute_offsets(const float *xy, uint32_t points, float winding, float *out) {
  for (uint32_t i = 0; i < points; ++i) {
    float incoming[2], outgoing[2];
    compute_unit_vector(&xy[2 * ((i + points - 1) % points)], &xy[2 * i], incoming);
    compute_unit_vector(&xy[2 * i], &xy[2 * ((i + 1) % points)], outgoing);
    float nx = (incoming[1] + outgoing[1]) * winding, ny = -(incoming[0] + outgoing[0]) * winding;
    float scale = 1.0f + incoming[0] * outgoing[0] + incoming[1] * outgoing[1];
    float k = 0.5f / (scale > 0.25f ? scale : 0.25f);
    out[2 * i] = nx * k;
    out[2 * i + 1] = ny * k;
  }
}

static bool are_bounds_in_view(const frame_t *frame, const float *xy, uint32_t points) {
  float left = xy[0], right = xy[0], top = xy[1], bottom = xy[1];
  for (uint32_t i = 0; i < points; ++i) {
    if (!isfinite(xy[2 * i]) || !isfinite(xy[2 * i + 1]))
      return false;
    left = fminf(left, xy[2 * i]);
    right = fmaxf(right, xy[2 * i]);
    top = fminf(top, xy[2 * i + 1]);
    bottom = fmaxf(bottom, xy[2 * i + 1]);
  }
  const float *visible = frame->view.visible;
  return left < visible[2] + 1.0f && right > visible[0] - 1.0f && top < visible[3] + 1.0f && bottom > visible[1] - 1.0f;
}

// Draws the triangles of the polygon shrunk by half a pixel, surrounded by a seam of one pixel that fades out.
void emit_polygon(frame_t *frame, const float *xy, uint32_t points, const uint16_t *triangles, uint32_t triangle_count,
                  const float colour[4]) {
  static const float FULL[4] = {1.0f, 1.0f, 1.0f, 1.0f}, SEAM[4] = {1.0f, 1.0f, 0.0f, 0.0f};
  if (points < 3 || !are_bounds_in_view(frame, xy, points))
    return;
  float area = 0.0f;
  for (uint32_t i = 0, j = points - 1; i < points; j = i++)
    area += xy[2 * j] * xy[2 * i + 1] - xy[2 * i] * xy[2 * j + 1];
  uint32_t base = frame->scratch.count;
  array_reserve(&frame->allocator, &frame->scratch, base + points * 6);
  float *out = &frame->scratch.items[base], *inner = out + 2 * points, *outer = out + 4 * points;
  compute_offsets(xy, points, area < 0.0f ? -1.0f : 1.0f, out);
  for (uint32_t i = 0; i < 2 * points; ++i) {
    inner[i] = xy[i] - out[i];
    outer[i] = xy[i] + out[i];
  }
  for (uint32_t t = 0; t < triangle_count; ++t) {
    const float *p = &inner[2 * triangles[3 * t]], *q = &inner[2 * triangles[3 * t + 1]];
    const float *r = &inner[2 * triangles[3 * t + 2]];
    emit_quad(frame, p, q, r, r, FULL, colour);
  }
  for (uint32_t i = 0, j = points - 1; i < points; j = i++)
    emit_quad(frame, &inner[2 * j], &inner[2 * i], &outer[2 * j], &outer[2 * i], SEAM, colour);
}

void emit_rect(frame_t *frame, const affine_t *transform, float width, float height, float line_width,
               const float colour[4]) {
  emit_rounded_rect(frame, transform, width, height, 0.0f, line_width, colour);
}

void emit_rounded_rect(frame_t *frame, const affine_t *transform, float width, float height, float radius,
                       float line_width, const float colour[4]) {
  float scale_u = sqrtf(transform->ux * transform->ux + transform->uy * transform->uy),
        scale_v = sqrtf(transform->vx * transform->vx + transform->vy * transform->vy);
  float half_x = fabsf(width) * 0.5f * scale_u, half_y = fabsf(height) * 0.5f * scale_v;
  bool is_filled = line_width < 0.0f;
  float opacity = 1.0f, half_width = is_filled ? -1.0f : compute_half_width(line_width, &opacity);
  if (!is_in_view(frame, transform->x, transform->y, half_x + half_y + fabsf(half_width)) || scale_u <= 0.0f)
    return;
  // A parent with non-uniform scale shears the rectangle.
  if (fabsf(transform->ux * transform->vx + transform->uy * transform->vy) > 1e-3f * scale_u * scale_v) {
    static const uint16_t HALVES[6] = {0, 1, 2, 0, 2, 3};
    float xy[8], x = width * 0.5f, y = height * 0.5f;
    affine_apply(transform, -x, -y, &xy[0], &xy[1]);
    affine_apply(transform, x, -y, &xy[2], &xy[3]);
    affine_apply(transform, x, y, &xy[4], &xy[5]);
    affine_apply(transform, -x, y, &xy[6], &xy[7]);
    if (is_filled)
      emit_polygon(frame, xy, 4, HALVES, 2, colour);
    else
      emit_polyline(frame, xy, 4, true, line_width, colour);
    return;
  }
  instance_t *instance = push_instance(frame, BATCH_SHAPES, 0);
  radius = fminf(fmaxf(radius * affine_scale(transform), 0.0f), fminf(half_x, half_y));
  set_vec4(instance->a, transform->x, transform->y, transform->ux / scale_u, transform->uy / scale_u);
  set_vec4(instance->b, half_x - radius, half_y - radius, radius, half_width);
  set_faded_colour(instance, colour, opacity);
}

// Converts a value from 0 … 1 to an integer from 0 … 255.
static uint32_t convert_to_unorm8(float x) {
  return (uint32_t)(fminf(clamp_colour(x), 1.0f) * 255.0f + 0.5f);
}

// Packs 24 bits into a float, which represents them exactly.
static float pack_three_bytes(float x, float y, float z) {
  return (float)(convert_to_unorm8(x) << 16 | convert_to_unorm8(y) << 8 | convert_to_unorm8(z));
}

// Packs the material into the instance; material.frag unpacks it.
static void pack_material(instance_t *instance, const material_look_t *m) {
  instance->kind = pack_three_bytes(m->flash[0], m->flash[1], m->flash[2]);
  instance->more[0] = pack_three_bytes(m->outline[0], m->outline[1], m->outline[2]);
  instance->more[1] = pack_three_bytes(m->dissolve_colour[0], m->dissolve_colour[1], m->dissolve_colour[2]);
  instance->more[2] = pack_three_bytes(m->flash[3], m->outline[3], m->dissolve);
  float width = fminf(m->outline_width, MATERIAL_MAX_OUTLINE) / MATERIAL_MAX_OUTLINE;
  instance->b[3] = pack_three_bytes(width, m->dissolve_colour[3], instance->b[3]);
}

void emit_image(frame_t *frame, const affine_t *transform, const image_t *image, float width, float height,
                const float texels[4], const float colour[4], const material_look_t *material) {
  float half_x = width * 0.5f, half_y = height * 0.5f;
  float ux = transform->ux * half_x, uy = transform->uy * half_x, vx = transform->vx * half_y,
        vy = transform->vy * half_y;
  if (!is_in_view(frame, transform->x, transform->y, fabsf(ux) + fabsf(uy) + fabsf(vx) + fabsf(vy)))
    return;
  bool is_upright = fabsf(uy) + fabsf(vx) < 1e-3f;
  instance_t *instance = push_instance(frame, material ? BATCH_MATERIAL : BATCH_IMAGE, image->texture);
  set_vec4(instance->a, transform->x, transform->y, ux, uy);
  set_vec4(instance->b, vx, vy, is_upright ? 0.0f : 1.0f, image->sharp ? 1.0f : 0.0f);
  memcpy(instance->c, texels, sizeof instance->c);
  set_faded_colour(instance, colour, 1.0f);
  if (material)
    pack_material(instance, material);
  else
    restrict_programs(frame, instance, image);
}

void emit_tile(frame_t *frame, const image_t *image, float x, float y, const float u[2], const float v[2],
               const float texels[4], const float colour[4]) {
  if (!isfinite(x + y + u[0] + u[1] + v[0] + v[1]))
    return;
  instance_t *instance = push_instance(frame, BATCH_IMAGE, image->texture);
  set_vec4(instance->a, x, y, u[0], u[1]);
  set_vec4(instance->b, v[0], v[1], 0.0f, image->sharp ? 1.0f : 0.0f);
  memcpy(instance->c, texels, sizeof instance->c);
  set_faded_colour(instance, colour, 1.0f);
  restrict_programs(frame, instance, image);
}

void emit_glyph(frame_t *frame, float x, float y, const float u[2], const float v[2], const float texels[4],
                const float colour[4]) {
  if (!is_in_view(frame, x, y, fabsf(u[0]) + fabsf(u[1]) + fabsf(v[0]) + fabsf(v[1])))
    return;
  instance_t *instance = push_instance(frame, BATCH_GLYPHS, 0);
  set_vec4(instance->a, x, y, u[0], u[1]);
  set_vec4(instance->b, v[0], v[1], 0.0f, 0.0f);
  memcpy(instance->c, texels, sizeof instance->c);
  memcpy(instance->colour, colour, sizeof instance->colour);
  restrict_programs(frame, instance, NULL);
}

bool emit_is_visible(const frame_t *frame, float x, float y, float radius) {
  return is_in_view(frame, x, y, radius);
}

static bool is_finite_corner(const solid_corner_t *corner) {
  return isfinite(corner->position[0]) && isfinite(corner->position[1]) && isfinite(corner->position[2]) &&
         isfinite(corner->position[3]);
}

// Maps a corner from the clip volume of the logical screen to the current view: centred in the view and scaled to the
// view's height.
static void fit_corner(const frame_t *frame, float position[4]) {
  const float *rect = frame->view.view_rect, *screen = frame->view.screen_rect;
  shoal_assert(frame->view.width > 0.0f && frame->view.height > 0.0f, "the view must not be empty");
  float scale_y = (rect[3] - rect[1]) / frame->view.height;
  float scale_x = (rect[3] - rect[1]) / (screen[3] - screen[1]) * (screen[2] - screen[0]) / frame->view.width;
  position[0] = position[0] * scale_x + position[3] * ((rect[0] + rect[2]) / frame->view.width - 1.0f);
  position[1] = position[1] * scale_y + position[3] * (1.0f - (rect[1] + rect[3]) / frame->view.height);
}

void emit_solids(frame_t *frame, const solid_corner_t *corners, uint32_t count) {
  shoal_assert(corners || count == 0, "corners must not be NULL (count %u)", count);
  batch_t batch = {.kind = BATCH_SOLIDS, .first = frame->corners.count, .clip = frame->clip};
  array_reserve(&frame->allocator, &frame->corners, frame->corners.count + count);
  for (uint32_t i = 0; i + 2 < count; i += 3) {
    if (!is_finite_corner(&corners[i]) || !is_finite_corner(&corners[i + 1]) || !is_finite_corner(&corners[i + 2]))
      continue;
    for (uint32_t k = i; k < i + 3; ++k) {
      solid_corner_t *out = &frame->corners.items[frame->corners.count++];
      memcpy(out->position, corners[k].position, sizeof out->position);
      fit_corner(frame, out->position);
      emit_premultiply_colour(corners[k].colour, false, out->colour);
    }
  }
  batch.count = frame->corners.count - batch.first;
  if (batch.count > 0)
    array_push(&frame->allocator, &frame->batches, batch);
}
