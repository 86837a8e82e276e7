// Emits shapes, ribbons, images, tiles and glyphs as instances, and triangles with depth as corners. emit_text.c emits
// text.
#include "render/emit.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define MIN_HALF_WIDTH 0.5f // in pixels; thinner lines are drawn with this half width and less opacity
#define MIN_RADIUS 0.75f
#define ELLIPSE_POINTS 64u
#define MATERIAL_MAX_OUTLINE 16.0f // in texels; also defined in material.frag

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

float affine_scale(const affine_t *m) {
  return sqrtf(fabsf(m->ux * m->vy - m->uy * m->vx));
}

// Returns true if anything within `reach` of the position is in the view. Returns false for NaN, and for a reach of 1e6
// pixels or more.
static bool is_in_view(const frame_t *f, float x, float y, float reach) {
  const float *seen = f->view.seen;
  return x + reach > seen[0] - 1.0f && y + reach > seen[1] - 1.0f && x - reach < seen[2] + 1.0f &&
         y - reach < seen[3] + 1.0f && reach < 1e6f;
}

static instance_t *push_instance(frame_t *f, batch_kind_t kind, uint32_t texture) {
  bool open = f->batches.count > f->overlay_batch;
  batch_t *last = open ? &f->batches.items[f->batches.count - 1] : NULL;
  if (!open || last->kind != kind || last->texture != texture || last->clip != f->clip ||
      last->large > f->emits_transient) {
    batch_t batch = {.kind = kind,
                     .texture = texture,
                     .smooth = true,
                     .exact = true,
                     .large = f->emits_transient,
                     .first = f->instances.count,
                     .clip = f->clip};
    array_push(&f->allocator, &f->batches, batch);
    last = &f->batches.items[f->batches.count - 1];
  }
  shoal_assert(last->first + last->count == f->instances.count,
               "batch of %u instances from %u does not end at instance %u", last->count, last->first,
               f->instances.count);
  last->count++;
  array_reserve(&f->allocator, &f->instances, f->instances.count + 1);
  instance_t *i = &f->instances.items[f->instances.count++];
  memset(i, 0, sizeof *i);
  return i;
}

static bool is_near_integer(float x) {
  return fabsf(x - roundf(x)) < 1e-3f;
}

static bool fits_point_size(float across) {
  return across >= FRAME_POINT_MIN && across <= FRAME_POINT_MAX;
}

// Clears the batch's `smooth` and `exact` if the simpler programs cannot draw the instance. Also updates `points` and
// `large`. Upright images do not need smoothed edges. Clamping to the texel rectangle is unnecessary if the whole image
// is drawn, or if each texel covers an integer number of pixels: nearest and bilinear filtering are equal at texel
// centres.
static void restrict_programs(frame_t *f, const instance_t *i, const image_t *image) {
  batch_t *b = &f->batches.items[f->batches.count - 1];
  if (!b->exact && !b->smooth)
    return;
  float x = i->c[0], y = i->c[1], width = i->c[2] - x, height = i->c[3] - y;
  float across = fabsf(2.0f * i->a[2]), down = fabsf(2.0f * i->b[1]);
  bool upright = i->b[2] == 0.0f && i->a[3] == 0.0f && i->b[0] == 0.0f, sharp = i->b[3] > 0.0f;
  bool all = image && fminf(x, i->c[2]) == 0.0f && fminf(y, i->c[3]) == 0.0f && fabsf(width) == (float)image->width &&
             fabsf(height) == (float)image->height;
  bool same = across == fabsf(width) && down == fabsf(height),
       times = is_near_integer(across / width) && is_near_integer(down / height);
  bool aligned = upright && (same || (sharp && times)) && is_near_integer(i->a[0] - i->a[2]) &&
                 is_near_integer(i->a[1] - i->b[1]) && is_near_integer(x) && is_near_integer(y);
  b->points += upright && across == down && fits_point_size(across);
  b->large = b->large && 2.0f * across >= fabsf(width) && 2.0f * down >= fabsf(height);
  b->exact = b->exact && aligned;
  b->smooth = b->smooth && ((aligned && same) || (upright && all && !sharp));
}

// Counts the disc if it can be drawn as a point: it is complete, filled and of a supported size.
static void count_point_disc(frame_t *f, const instance_t *i) {
  if (i->b[0] == 0.0f && i->b[3] < 0.0f && fits_point_size(2.0f * i->b[2] + 2.0f))
    f->batches.items[f->batches.count - 1].points++;
}

static void set_faded_colour(instance_t *i, const float colour[4], float k) {
  for (int c = 0; c < 4; ++c)
    i->colour[c] = colour[c] * k;
}

static void set_vec4(float out[4], float a, float b, float c, float d) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

// Returns half of the line width, but at least MIN_HALF_WIDTH, and stores in `k` the opacity that compensates for this,
// which is at least 0.15.
static float compute_half_width(float line_width, float *k) {
  float half = line_width > 0.0f ? line_width * 0.5f : 0.0f;
  *k = half < MIN_HALF_WIDTH ? half / MIN_HALF_WIDTH : 1.0f;
  *k = *k < 0.15f ? 0.15f : *k;
  return half < MIN_HALF_WIDTH ? MIN_HALF_WIDTH : half;
}

void emit_circle(frame_t *f, float x, float y, float radius, float line_width, const float colour[4]) {
  bool filled = line_width < 0.0f;
  float k = 1.0f, half = filled ? -1.0f : compute_half_width(line_width, &k);
  radius = fabsf(radius);
  if (!is_in_view(f, x, y, radius + fabsf(half)))
    return;
  if (radius < MIN_RADIUS) {
    k *= radius * radius / (MIN_RADIUS * MIN_RADIUS);
    radius = MIN_RADIUS;
  }
  instance_t *i = push_instance(f, BATCH_SHAPES, 0);
  set_vec4(i->a, x, y, 1.0f, 0.0f);
  set_vec4(i->b, 0.0f, 0.0f, radius, half);
  set_faded_colour(i, colour, k);
  count_point_disc(f, i);
}

void emit_particle(frame_t *f, float x, float y, float ux, float uy, float half_length, float radius, float soft,
                   const float colour[4]) {
  float k = 1.0f;
  if (!is_in_view(f, x, y, half_length + radius))
    return;
  if (radius < MIN_RADIUS) {
    k = half_length > 0.0f ? radius / MIN_RADIUS : radius * radius / (MIN_RADIUS * MIN_RADIUS);
    radius = MIN_RADIUS;
  }
  instance_t *i = push_instance(f, BATCH_SHAPES, 0);
  set_vec4(i->a, x, y, ux, uy);
  set_vec4(i->b, half_length, 0.0f, radius, -1.0f);
  set_faded_colour(i, colour, k);
  i->kind = -soft;
  count_point_disc(f, i);
}

// Emits a line segment from p to q. `start` and `end` are the normals of the cuts relative to the axis of the segment;
// a zero normal is a round end without a cut.
static void emit_capsule(frame_t *f, const float *p, const float *q, float half, const float *start, const float *end,
                         const float colour[4], float k) {
  float dx = q[0] - p[0], dy = q[1] - p[1], length = sqrtf(dx * dx + dy * dy);
  float x = (p[0] + q[0]) * 0.5f, y = (p[1] + q[1]) * 0.5f;
  if (!is_in_view(f, x, y, length * 0.5f + half))
    return;
  instance_t *i = push_instance(f, BATCH_SHAPES, 0);
  bool dot = length < 1e-6f;
  set_vec4(i->a, x, y, dot ? 1.0f : dx / length, dot ? 0.0f : dy / length);
  set_vec4(i->b, length * 0.5f, 0.0f, half, -1.0f);
  set_vec4(i->c, start[0], start[1], end[0], end[1]);
  set_faded_colour(i, colour, k);
}

static uint32_t remove_duplicate_points(float *xy, uint32_t points, bool closed) {
  shoal_assert(xy, "xy must not be NULL (%u points)", points);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < points; ++i) {
    if (kept && fabsf(xy[2 * i] - xy[2 * kept - 2]) < 1e-3f && fabsf(xy[2 * i + 1] - xy[2 * kept - 1]) < 1e-3f)
      continue;
    xy[2 * kept] = xy[2 * i];
    xy[2 * kept + 1] = xy[2 * i + 1];
    kept++;
  }
  while (closed && kept > 1 && fabsf(xy[0] - xy[2 * kept - 2]) < 1e-3f && fabsf(xy[1] - xy[2 * kept - 1]) < 1e-3f)
    kept--;
  return kept;
}

static void compute_unit_vector(const float *p, const float *q, float *out) {
  float dx = q[0] - p[0], dy = q[1] - p[1], length = sqrtf(dx * dx + dy * dy);
  out[0] = length > 0.0f ? dx / length : 1.0f;
  out[1] = length > 0.0f ? dy / length : 0.0f;
}

// Computes the normal of the cut at a joint; returns false in a U-turn, where both ends stay round. Both segments end
// at the bisector of their angle. Distances to both segments are equal there, so the joint is round and seamless. No
// pixel is drawn twice, which would be visible with additive or translucent colours.
static bool compute_joint_normal(const float *before, const float *after, float *out) {
  out[0] = before[0] + after[0];
  out[1] = before[1] + after[1];
  float length = sqrtf(out[0] * out[0] + out[1] * out[1]);
  if (length < 0.05f) // a U-turn
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

void emit_polyline(frame_t *f, float *xy, uint32_t points, bool closed, float line_width, const float colour[4]) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  const float zero[2] = {0.0f, 0.0f};
  float k, half = compute_half_width(line_width, &k);
  points = remove_duplicate_points(xy, points, closed);
  closed = closed && points > 2;
  if (points == 1)
    emit_capsule(f, xy, xy, half, zero, zero, colour, k);
  uint32_t pieces = points < 2 ? 0 : closed ? points : points - 1;
  for (uint32_t i = 0; i < pieces; ++i) {
    const float *p = &xy[2 * i], *q = &xy[2 * ((i + 1) % points)];
    float axis[2], other[2], normal[2], start[2] = {0.0f, 0.0f}, end[2] = {0.0f, 0.0f};
    compute_unit_vector(p, q, axis);
    if (closed || i > 0) {
      compute_unit_vector(&xy[2 * ((i + points - 1) % points)], p, other);
      if (compute_joint_normal(other, axis, normal))
        convert_to_axis_space(normal, axis, -1.0f, start);
    }
    if (closed || i + 1 < pieces) {
      compute_unit_vector(q, &xy[2 * ((i + 2) % points)], other);
      if (compute_joint_normal(axis, other, normal))
        convert_to_axis_space(normal, axis, 1.0f, end);
    }
    emit_capsule(f, p, q, half, start, end, colour, k);
  }
}

static void emit_quad(frame_t *f, const float *p0, const float *p1, const float *p2, const float *p3,
                      const float *cover, const float colour[4]) {
  instance_t *i = push_instance(f, BATCH_SHAPES, 0);
  set_vec4(i->a, p0[0], p0[1], p1[0], p1[1]);
  set_vec4(i->b, p2[0], p2[1], p3[0], p3[1]);
  memcpy(i->c, cover, sizeof i->c);
  set_faded_colour(i, colour, 1.0f);
  i->kind = 1.0f;
}

// Stores four points across a ribbon at point i, in this order: outer edge, inner edge, inner edge, outer edge.
static void compute_ribbon_edges(const float (*xy)[2], const float *half, uint32_t points, uint32_t i, float soft,
                                 float out[4][2]) {
  float along[2];
  compute_unit_vector(xy[i > 0 ? i - 1 : 0], xy[i + 1 < points ? i + 1 : i], along);
  float outer = half[i] + 0.5f, inner_edge = fmaxf(half[i] * (1.0f - soft) - 0.5f, 0.0f);
  const float far[4] = {outer, inner_edge, -inner_edge, -outer};
  for (int k = 0; k < 4; ++k) {
    out[k][0] = xy[i][0] + along[1] * far[k];
    out[k][1] = xy[i][1] - along[0] * far[k];
  }
}

// A ribbon consists of three adjacent strips; the outer ones fade out.
void emit_ribbon(frame_t *f, const float (*xy)[2], const float *half, const float (*colours)[4], uint32_t points,
                 float soft) {
  static const float COVER[3][4] = {{0.0f, 1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 0.0f, 1.0f, 0.0f}};
  float from[4][2], to[4][2];
  shoal_assert(points < 2 || (xy && half && colours), "xy, half and colours must not be NULL (%u points)", points);
  for (uint32_t i = 0; i + 1 < points; ++i) {
    float reach = fabsf(xy[i + 1][0] - xy[i][0]) + fabsf(xy[i + 1][1] - xy[i][1]) + half[i] + half[i + 1];
    if (!is_in_view(f, xy[i][0], xy[i][1], reach) || half[i] + half[i + 1] < 0.02f)
      continue;
    float colour[4];
    for (int k = 0; k < 4; ++k)
      colour[k] = (colours[i][k] + colours[i + 1][k]) * 0.5f * fminf(half[i] + half[i + 1], 1.0f);
    compute_ribbon_edges(xy, half, points, i, soft, from);
    compute_ribbon_edges(xy, half, points, i + 1, soft, to);
    for (int k = 0; k < 3; ++k)
      emit_quad(f, from[k], from[k + 1], to[k], to[k + 1], COVER[k], colour);
  }
}

// Computes offsets that move each point outwards by half a pixel, and further at corners, so that edges move in
// parallel.
static void compute_offsets(const float *xy, uint32_t points, float winding, float *out) {
  for (uint32_t i = 0; i < points; ++i) {
    float before[2], after[2];
    compute_unit_vector(&xy[2 * ((i + points - 1) % points)], &xy[2 * i], before);
    compute_unit_vector(&xy[2 * i], &xy[2 * ((i + 1) % points)], after);
    float nx = (before[1] + after[1]) * winding, ny = -(before[0] + after[0]) * winding;
    float along = 1.0f + before[0] * after[0] + before[1] * after[1];
    float k = 0.5f / (along > 0.25f ? along : 0.25f);
    out[2 * i] = nx * k;
    out[2 * i + 1] = ny * k;
  }
}

static bool are_bounds_in_view(const frame_t *f, const float *xy, uint32_t points) {
  float left = xy[0], right = xy[0], top = xy[1], bottom = xy[1];
  for (uint32_t i = 0; i < points; ++i) {
    if (!isfinite(xy[2 * i]) || !isfinite(xy[2 * i + 1]))
      return false;
    left = fminf(left, xy[2 * i]);
    right = fmaxf(right, xy[2 * i]);
    top = fminf(top, xy[2 * i + 1]);
    bottom = fmaxf(bottom, xy[2 * i + 1]);
  }
  const float *seen = f->view.seen;
  return left < seen[2] + 1.0f && right > seen[0] - 1.0f && top < seen[3] + 1.0f && bottom > seen[1] - 1.0f;
}

// Draws the triangles of the polygon shrunk by half a pixel, surrounded by a seam of one pixel that fades out.
void emit_polygon(frame_t *f, const float *xy, uint32_t points, const uint16_t *triangles, uint32_t triangle_count,
                  const float colour[4]) {
  static const float FULL[4] = {1.0f, 1.0f, 1.0f, 1.0f}, SEAM[4] = {1.0f, 1.0f, 0.0f, 0.0f};
  if (points < 3 || !are_bounds_in_view(f, xy, points))
    return;
  float area = 0.0f;
  for (uint32_t i = 0, j = points - 1; i < points; j = i++)
    area += xy[2 * j] * xy[2 * i + 1] - xy[2 * i] * xy[2 * j + 1];
  uint32_t base = f->scratch.count;
  array_reserve(&f->allocator, &f->scratch, base + points * 6);
  float *out = &f->scratch.items[base], *inner = out + 2 * points, *outer = out + 4 * points;
  compute_offsets(xy, points, area < 0.0f ? -1.0f : 1.0f, out);
  for (uint32_t i = 0; i < 2 * points; ++i) {
    inner[i] = xy[i] - out[i];
    outer[i] = xy[i] + out[i];
  }
  for (uint32_t t = 0; t < triangle_count; ++t) {
    const float *p = &inner[2 * triangles[3 * t]], *q = &inner[2 * triangles[3 * t + 1]];
    const float *r = &inner[2 * triangles[3 * t + 2]];
    emit_quad(f, p, q, r, r, FULL, colour);
  }
  for (uint32_t i = 0, j = points - 1; i < points; j = i++)
    emit_quad(f, &inner[2 * j], &inner[2 * i], &outer[2 * j], &outer[2 * i], SEAM, colour);
}

void emit_rect(frame_t *f, const affine_t *m, float width, float height, float line_width, const float colour[4]) {
  emit_rounded_rect(f, m, width, height, 0.0f, line_width, colour);
}

void emit_rounded_rect(frame_t *f, const affine_t *m, float width, float height, float radius, float line_width,
                       const float colour[4]) {
  float lu = sqrtf(m->ux * m->ux + m->uy * m->uy), lv = sqrtf(m->vx * m->vx + m->vy * m->vy);
  float hx = fabsf(width) * 0.5f * lu, hy = fabsf(height) * 0.5f * lv;
  bool filled = line_width < 0.0f;
  float k = 1.0f, half = filled ? -1.0f : compute_half_width(line_width, &k);
  if (!is_in_view(f, m->x, m->y, hx + hy + fabsf(half)) || lu <= 0.0f)
    return;
  if (fabsf(m->ux * m->vx + m->uy * m->vy) > 1e-3f * lu * lv) { // a parent with non-uniform scale shears the rectangle
    static const uint16_t HALVES[6] = {0, 1, 2, 0, 2, 3};
    float xy[8], x = width * 0.5f, y = height * 0.5f;
    affine_apply(m, -x, -y, &xy[0], &xy[1]);
    affine_apply(m, x, -y, &xy[2], &xy[3]);
    affine_apply(m, x, y, &xy[4], &xy[5]);
    affine_apply(m, -x, y, &xy[6], &xy[7]);
    if (filled)
      emit_polygon(f, xy, 4, HALVES, 2, colour);
    else
      emit_polyline(f, xy, 4, true, line_width, colour);
    return;
  }
  instance_t *i = push_instance(f, BATCH_SHAPES, 0);
  radius = fminf(fmaxf(radius * affine_scale(m), 0.0f), fminf(hx, hy));
  set_vec4(i->a, m->x, m->y, m->ux / lu, m->uy / lu);
  set_vec4(i->b, hx - radius, hy - radius, radius, half);
  set_faded_colour(i, colour, k);
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
static void pack_material(instance_t *i, const material_look_t *m) {
  i->kind = pack_three_bytes(m->flash[0], m->flash[1], m->flash[2]);
  i->more[0] = pack_three_bytes(m->outline[0], m->outline[1], m->outline[2]);
  i->more[1] = pack_three_bytes(m->dissolve_colour[0], m->dissolve_colour[1], m->dissolve_colour[2]);
  i->more[2] = pack_three_bytes(m->flash[3], m->outline[3], m->dissolve);
  float width = fminf(m->outline_width, MATERIAL_MAX_OUTLINE) / MATERIAL_MAX_OUTLINE;
  i->b[3] = pack_three_bytes(width, m->dissolve_colour[3], i->b[3]);
}

void emit_image(frame_t *f, const affine_t *m, const image_t *image, float width, float height, const float texels[4],
                const float colour[4], const material_look_t *material) {
  float hx = width * 0.5f, hy = height * 0.5f;
  float ux = m->ux * hx, uy = m->uy * hx, vx = m->vx * hy, vy = m->vy * hy;
  if (!is_in_view(f, m->x, m->y, fabsf(ux) + fabsf(uy) + fabsf(vx) + fabsf(vy)))
    return;
  bool upright = fabsf(uy) + fabsf(vx) < 1e-3f;
  instance_t *i = push_instance(f, material ? BATCH_MATERIAL : BATCH_IMAGE, image->texture);
  set_vec4(i->a, m->x, m->y, ux, uy);
  set_vec4(i->b, vx, vy, upright ? 0.0f : 1.0f, image->sharp ? 1.0f : 0.0f);
  memcpy(i->c, texels, sizeof i->c);
  set_faded_colour(i, colour, 1.0f);
  if (material)
    pack_material(i, material);
  else
    restrict_programs(f, i, image);
}

void emit_tile(frame_t *f, const image_t *image, float x, float y, const float u[2], const float v[2],
               const float texels[4], const float colour[4]) {
  if (!isfinite(x + y + u[0] + u[1] + v[0] + v[1]))
    return;
  instance_t *i = push_instance(f, BATCH_IMAGE, image->texture);
  set_vec4(i->a, x, y, u[0], u[1]);
  set_vec4(i->b, v[0], v[1], 0.0f, image->sharp ? 1.0f : 0.0f);
  memcpy(i->c, texels, sizeof i->c);
  set_faded_colour(i, colour, 1.0f);
  restrict_programs(f, i, image);
}

void emit_glyph(frame_t *f, float x, float y, const float u[2], const float v[2], const float texels[4],
                const float colour[4]) {
  if (!is_in_view(f, x, y, fabsf(u[0]) + fabsf(u[1]) + fabsf(v[0]) + fabsf(v[1])))
    return;
  instance_t *i = push_instance(f, BATCH_GLYPHS, 0);
  set_vec4(i->a, x, y, u[0], u[1]);
  set_vec4(i->b, v[0], v[1], 0.0f, 0.0f);
  memcpy(i->c, texels, sizeof i->c);
  memcpy(i->colour, colour, sizeof i->colour);
  restrict_programs(f, i, NULL);
}

bool emit_is_visible(const frame_t *f, float x, float y, float reach) {
  return is_in_view(f, x, y, reach);
}

static bool is_finite_corner(const solid_corner_t *c) {
  return isfinite(c->at[0]) && isfinite(c->at[1]) && isfinite(c->at[2]) && isfinite(c->at[3]);
}

// Maps a corner from the clip volume of the whole image to the rectangle `part` of the image: centred in the rectangle
// and scaled to the rectangle's height.
static void fit_corner(const frame_t *f, const int32_t part[4], float at[4]) {
  shoal_assert(f->view.width > 0.0f && f->view.height > 0.0f, "the view must not be empty");
  float k = (float)(part[3] - part[1]) / f->view.height;
  at[0] = at[0] * k + at[3] * ((float)(part[0] + part[2]) / f->view.width - 1.0f);
  at[1] = at[1] * k + at[3] * (1.0f - (float)(part[1] + part[3]) / f->view.height);
}

void emit_solids(frame_t *f, const solid_corner_t *corners, uint32_t count) {
  shoal_assert(corners || count == 0, "corners must not be NULL (count %u)", count);
  batch_t batch = {.kind = BATCH_SOLIDS, .first = f->corners.count, .clip = f->clip};
  array_reserve(&f->allocator, &f->corners, f->corners.count + count);
  for (uint32_t i = 0; i + 2 < count; i += 3) {
    if (!is_finite_corner(&corners[i]) || !is_finite_corner(&corners[i + 1]) || !is_finite_corner(&corners[i + 2]))
      continue;
    for (uint32_t k = i; k < i + 3; ++k) {
      solid_corner_t *out = &f->corners.items[f->corners.count++];
      memcpy(out->at, corners[k].at, sizeof out->at);
      if (f->clip != 0 && f->clip <= f->view_count)
        fit_corner(f, f->views[f->clip - 1].clip, out->at);
      emit_premultiply_colour(corners[k].colour, false, out->colour);
    }
  }
  batch.count = f->corners.count - batch.first;
  if (batch.count > 0)
    array_push(&f->allocator, &f->batches, batch);
}
