// Emits glyphs from the atlas in passes over the whole text, so that the outline of a glyph never covers a neighbouring
// glyph.
//
// Upright text at its rasterized size is aligned to whole pixels: the origin of the text is rounded once, and the
// glyphs are rounded relative to it, so that moving text does not jitter.
#include "render/emit_text.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define LARGEST_SNAPPED 96 // in pixels: glyphs of at least this size are not aligned to whole pixels
#define CAP_MARGIN 0.12f   // margin around a key cap, relative to its size

// Values shared by all glyphs of the same size.
typedef struct sized_t {
  float size;
  int32_t raster;
  uint32_t outline;     // outline width in steps of 1 / GLYPHS_OUTLINE_STEPS of a raster pixel
  bool snap;            // true if glyphs are aligned to whole pixels
  float ux, uy, vx, vy; // axes of raster pixels, in physical pixels
  float shrink;         // factor from raster pixels to text units
  float margin;         // width of the empty border drawn around a glyph
} sized_t;

typedef struct pass_t {
  frame_t *frame;
  const affine_t *m;
  const text_layout_t *layout;
  const text_look_t *look;
  float scale;         // factor from text units to pixels
  float outline_width; // 0 for the pass that draws the glyphs themselves
  bool upright;
  float dx, dy;        // offset, in text units
  const float *colour; // colour of the whole text; NULL: use the colours of the spans
} pass_t;

static bool set_glyph_size(const pass_t *p, float size, sized_t *out) {
  float pixels = size * p->scale;
  if (!(pixels > 0.5f) || !(pixels < 1e5f))
    return false;
  const affine_t *m = p->m;
  out->size = size;
  out->raster = glyphs_raster_size(pixels);
  out->shrink = size / (float)out->raster;
  float steps = p->outline_width / out->shrink * GLYPHS_OUTLINE_STEPS;
  steps = steps < GLYPHS_OUTLINE_MAX * GLYPHS_OUTLINE_STEPS ? steps : GLYPHS_OUTLINE_MAX * GLYPHS_OUTLINE_STEPS;
  out->outline = p->outline_width > 0.0f ? (uint32_t)fmaxf(steps + 0.5f, 1.0f) : 0;
  out->snap = p->upright && fabsf(pixels - (float)out->raster) < 0.51f && out->raster < LARGEST_SNAPPED;
  out->margin = out->snap ? 0.0f : 1.0f; // draw the border if edges are not at whole pixels
  out->ux = out->snap ? 1.0f : m->ux * out->shrink;
  out->uy = out->snap ? 0.0f : m->uy * out->shrink;
  out->vx = out->snap ? 0.0f : m->vx * out->shrink;
  out->vy = out->snap ? 1.0f : m->vy * out->shrink;
  return true;
}

static void compute_span_colour(const pass_t *p, uint32_t number, float out[4]) {
  const text_span_t *span = &p->layout->spans.items[number];
  float straight[4];
  memcpy(straight, span->coloured ? span->colour : p->look->colour, sizeof straight);
  straight[3] *= span->coloured ? p->look->colour[3] : 1.0f;
  emit_premultiply_colour(straight, p->look->add, out);
}

static void emit_one_glyph(const pass_t *p, const sized_t *s, const text_glyph_t *t, const glyph_t *g,
                           const float colour[4]) {
  float x, y, hx = (float)g->width * 0.5f, hy = (float)g->height * 0.5f;
  if (s->snap) {
    x = roundf(p->m->x) + roundf(p->dx * p->scale) + roundf(t->x * p->scale) + (float)g->left + hx;
    y = roundf(p->m->y) + roundf(p->dy * p->scale) + roundf(t->y * p->scale) + (float)g->top + hy;
  } else {
    affine_apply(p->m, t->x + p->dx + ((float)g->left + hx) * s->shrink,
                 t->y + p->dy + ((float)g->top + hy) * s->shrink, &x, &y);
  }
  const float texels[4] = {(float)g->atlas_x - s->margin, (float)g->atlas_y - s->margin,
                           (float)(g->atlas_x + g->width) + s->margin, (float)(g->atlas_y + g->height) + s->margin};
  const float u[2] = {s->ux * (hx + s->margin), s->uy * (hx + s->margin)};
  const float v[2] = {s->vx * (hy + s->margin), s->vy * (hy + s->margin)};
  emit_glyph(p->frame, x, y, u, v, texels, colour);
}

static bool is_character_shown(const text_look_t *look, uint32_t character) {
  return look->shown < 0 || character < (uint32_t)look->shown;
}

static void draw_glyphs(const pass_t *p) {
  sized_t sized = {0};
  uint32_t span = UINT32_MAX;
  float colour[4] = {0};
  bool ok = false;
  if (p->colour)
    memcpy(colour, p->colour, sizeof colour);
  for (uint32_t i = 0; i < p->layout->glyphs.count; ++i) {
    const text_glyph_t *t = &p->layout->glyphs.items[i];
    if (t->size != sized.size)
      ok = set_glyph_size(p, t->size, &sized);
    if (!ok || !is_character_shown(p->look, t->character))
      continue;
    const glyph_t *g = glyphs_find_or_rasterize(p->frame->glyphs, t->face, t->glyph, sized.raster, sized.outline);
    if (!g || g->width == 0)
      continue;
    if (!p->colour && t->span != span)
      compute_span_colour(p, t->span, colour);
    span = t->span;
    emit_one_glyph(p, &sized, t, g, colour);
  }
}

// --- icons

// Draws an icon centred in its square, as large as possible.
static void draw_icon(const pass_t *p, const text_icon_t *icon, const char *text) {
  const text_span_t *span = &p->layout->spans.items[icon->span];
  char name[160];
  shoal_assert(span->icon_bytes > 0 && span->icon_bytes < sizeof name, "an icon name of %u bytes is empty or too long",
               span->icon_bytes);
  memcpy(name, text + span->icon_offset, span->icon_bytes);
  name[span->icon_bytes] = '\0';
  image_t image = p->frame->images.find(p->frame->images.context, name);
  if (image.width <= 0 || image.height <= 0)
    return;
  sheet_frame_t frame = {.width = (float)image.width, .height = (float)image.height};
  if (image.sheet && span->frame > 0)
    frame = sheet_frame(image.sheet, (int32_t)span->frame, image.width, image.height);
  float longest = fmaxf(frame.width, frame.height), white[4] = {1.0f, 1.0f, 1.0f, p->look->colour[3]}, colour[4];
  const float texels[4] = {frame.x, frame.y, frame.x + frame.width, frame.y + frame.height};
  affine_t m = *p->m;
  if (!(longest > 0.0f))
    return;
  affine_apply(p->m, icon->x + icon->size * 0.5f, icon->y + icon->size * 0.5f, &m.x, &m.y);
  emit_premultiply_colour(white, p->look->add, colour);
  emit_image(p->frame, &m, &image, icon->size * frame.width / longest, icon->size * frame.height / longest, texels,
             colour, NULL);
}

// --- key caps

static void compute_cap_transform(const pass_t *p, const text_icon_t *icon, float down, affine_t *out) {
  *out = *p->m;
  affine_apply(p->m, icon->x + icon->width * 0.5f, icon->y + icon->size * (0.59f + down), &out->x, &out->y);
}

// Draws a cross, ring, square or triangle on the cap with lines.
static void draw_shape(const pass_t *p, const text_icon_t *icon, text_shape_t shape, const float colour[4]) {
  float r = icon->size * 0.24f * p->scale, line = icon->size * 0.09f * p->scale;
  affine_t m;
  compute_cap_transform(p, icon, 0.0f, &m);
  float lines[2][4] = {{m.x - r, m.y - r, m.x + r, m.y + r}, {m.x - r, m.y + r, m.x + r, m.y - r}};
  float square[8] = {m.x - r, m.y - r, m.x + r, m.y - r, m.x + r, m.y + r, m.x - r, m.y + r};
  float triangle[6] = {m.x, m.y - r * 1.25f, m.x + r * 1.15f, m.y + r * 0.75f, m.x - r * 1.15f, m.y + r * 0.75f};
  if (shape == SHAPE_RING)
    emit_circle(p->frame, m.x, m.y, r * 1.1f, line, colour);
  else if (shape == SHAPE_SQUARE)
    emit_polyline(p->frame, square, 4, true, line, colour);
  else if (shape == SHAPE_TRIANGLE)
    emit_polyline(p->frame, triangle, 3, true, line, colour);
  for (int i = 0; shape == SHAPE_CROSS && i < 2; ++i)
    emit_polyline(p->frame, lines[i], 2, false, line, colour);
}

// Draws a key with a darker lower edge, or a round gamepad button. The span of the label must follow the span of the
// cap.
static void draw_cap(const pass_t *p, const text_icon_t *icon) {
  const text_span_t *span = &p->layout->spans.items[icon->span];
  float high = icon->size * 1.1f, face[4], edge[4], on[4], dark[4], rim[4];
  float wide = fmaxf(icon->width - icon->size * CAP_MARGIN, high),
        radius = span->cap == CAP_KEY ? icon->size * 0.2f : high * 0.5f;
  affine_t m;
  shoal_assert((uint32_t)icon->span + 1 < p->layout->spans.count, "a key cap must be followed by its label");
  memcpy(dark, span->colour, sizeof dark);
  for (int i = 0; i < 3; ++i)
    dark[i] *= 0.6f;
  dark[3] *= p->look->colour[3];
  emit_premultiply_colour(dark, p->look->add, edge);
  compute_span_colour(p, icon->span, face);
  compute_span_colour(p, icon->span + 1u, on);
  compute_cap_transform(p, icon, 0.07f, &m);
  emit_rounded_rect(p->frame, &m, wide, high, radius, -1.0f, edge);
  compute_cap_transform(p, icon, 0.0f, &m);
  emit_rounded_rect(p->frame, &m, wide, high, radius, -1.0f, face);
  for (int i = 0; i < 4; ++i)
    rim[i] = face[i] + (on[i] - face[i]) * 0.35f;
  if (span->cap == CAP_KEY)
    emit_rounded_rect(p->frame, &m, wide, high, radius, fmaxf(icon->size * 0.05f * p->scale, 1.0f), rim);
  draw_shape(p, icon, span->shape, on);
}

// Draws the key caps if `caps` is true, otherwise the images. Key caps are drawn below their labels, images on top of
// all text.
static void draw_icons(const pass_t *p, const char *text, bool caps) {
  for (uint32_t i = 0; i < p->layout->icons.count; ++i) {
    const text_icon_t *icon = &p->layout->icons.items[i];
    if (icon->width < 0.0f || (icon->width > 0.0f) != caps || !is_character_shown(p->look, icon->character))
      continue;
    if (caps)
      draw_cap(p, icon);
    else
      draw_icon(p, icon, text);
  }
}

// --- whole texts

// Returns true if the text may be visible. The margin accounts for glyphs that extend beyond their line, the outline
// and the shadow.
static bool may_be_visible(const frame_t *f, const affine_t *m, const text_layout_t *l, const text_look_t *look) {
  float x, y, margin = l->lines.count ? l->lines.items[0].height : 0.0f;
  margin += fabsf(look->outline_width) + fabsf(look->shadow_x) + fabsf(look->shadow_y);
  affine_apply(m, l->x + l->width * 0.5f, l->y + l->height * 0.5f, &x, &y);
  float half_width = l->width * 0.5f + margin, half_height = l->height * 0.5f + margin;
  return emit_is_visible(f, x, y,
                         (fabsf(m->ux) + fabsf(m->uy)) * half_width + (fabsf(m->vx) + fabsf(m->vy)) * half_height);
}

void emit_text(frame_t *f, const affine_t *m, const text_layout_t *layout, const char *text, const text_look_t *look) {
  float scale = affine_scale(m), shadow[4], outline[4];
  if (!may_be_visible(f, m, layout, look))
    return;
  pass_t pass = {.frame = f, .m = m, .layout = layout, .look = look, .scale = scale};
  pass.upright = fabsf(m->uy) + fabsf(m->vx) < 1e-4f * scale && m->ux > 0.0f && m->vy > 0.0f &&
                 fabsf(m->ux - m->vy) < 1e-3f * scale;
  pass_t below = pass;
  below.outline_width = look->outline_width > 0.0f && look->outline[3] > 0.0f ? look->outline_width : 0.0f;
  if ((look->shadow_x != 0.0f || look->shadow_y != 0.0f) && look->shadow[3] > 0.0f) {
    pass_t cast = below;
    float straight[4] = {look->shadow[0], look->shadow[1], look->shadow[2], look->shadow[3] * look->colour[3]};
    emit_premultiply_colour(straight, look->add, shadow);
    cast.dx = look->shadow_x;
    cast.dy = look->shadow_y;
    cast.colour = shadow;
    draw_glyphs(&cast);
  }
  if (below.outline_width > 0.0f) {
    float straight[4] = {look->outline[0], look->outline[1], look->outline[2], look->outline[3] * look->colour[3]};
    emit_premultiply_colour(straight, look->add, outline);
    below.colour = outline;
    draw_glyphs(&below);
  }
  draw_icons(&pass, text, true);
  draw_glyphs(&pass);
  draw_icons(&pass, text, false);
}
