// Emits glyphs from the atlas in passes over the whole text, so that the outline of a glyph never covers a neighbouring
// glyph.
//
// Upright text at its rasterized size is aligned to whole pixels. The origin of the text is rounded once, and the
// glyphs are rounded relative to the origin, so that moving text does not jitter.
#include "render/emit_text.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define MAX_SNAPPED_SIZE 96 // size in pixels from which glyphs are not aligned to whole pixels
#define CAP_MARGIN 0.12f    // margin around a key cap, relative to its size

// Values shared by all glyphs of the same size.
typedef struct glyph_size_t {
  float size;
  int32_t raster;
  uint32_t outline;     // outline width in steps of 1 / GLYPHS_OUTLINE_STEPS raster pixel
  bool is_snapped;      // true if glyphs are aligned to whole pixels
  float ux, uy, vx, vy; // axes of raster pixels, in physical pixels
  float shrink;         // factor from raster pixels to text units
  float margin;         // width of the empty border drawn around a glyph
} glyph_size_t;

typedef struct pass_t {
  frame_t *frame;
  const affine_t *m;
  const text_layout_t *layout;
  const text_look_t *look;
  float scale;         // factor from text units to pixels
  float outline_width; // outline width; 0 for the pass that draws the glyphs themselves
  bool is_upright;
  float dx, dy;        // offset, in text units
  const float *colour; // colour of the whole text; NULL: use the colours of the spans
} pass_t;

static bool set_glyph_size(const pass_t *pass, float size, glyph_size_t *out) {
  float pixels = size * pass->scale;
  if (!(pixels > 0.5f) || !(pixels < 1e5f))
    return false;
  const affine_t *transform = pass->m;
  out->size = size;
  out->raster = glyphs_choose_raster_size(pixels);
  out->shrink = size / (float)out->raster;
  float steps = pass->outline_width / out->shrink * GLYPHS_OUTLINE_STEPS;
  steps = steps < GLYPHS_OUTLINE_MAX * GLYPHS_OUTLINE_STEPS ? steps : GLYPHS_OUTLINE_MAX * GLYPHS_OUTLINE_STEPS;
  out->outline = pass->outline_width > 0.0f ? (uint32_t)fmaxf(steps + 0.5f, 1.0f) : 0;
  out->is_snapped = pass->is_upright && fabsf(pixels - (float)out->raster) < 0.51f && out->raster < MAX_SNAPPED_SIZE;
  // without snapping, edges are not at whole pixels, so the border is drawn as well
  out->margin = out->is_snapped ? 0.0f : 1.0f;
  out->ux = out->is_snapped ? 1.0f : transform->ux * out->shrink;
  out->uy = out->is_snapped ? 0.0f : transform->uy * out->shrink;
  out->vx = out->is_snapped ? 0.0f : transform->vx * out->shrink;
  out->vy = out->is_snapped ? 1.0f : transform->vy * out->shrink;
  return true;
}

static void compute_span_colour(const pass_t *pass, uint32_t index, float out[4]) {
  const text_span_t *span = &pass->layout->spans.items[index];
  float straight[4];
  memcpy(straight, span->coloured ? span->colour : pass->look->colour, sizeof straight);
  straight[3] *= span->coloured ? pass->look->colour[3] : 1.0f;
  emit_premultiply_colour(straight, pass->look->is_additive, out);
}

static void emit_sized_glyph(const pass_t *pass, const glyph_size_t *size, const text_glyph_t *text_glyph,
                             const glyph_t *glyph, const float colour[4]) {
  float x, y, half_x = (float)glyph->width * 0.5f, half_y = (float)glyph->height * 0.5f;
  if (size->is_snapped) {
    x = roundf(pass->m->x) + roundf(pass->dx * pass->scale) + roundf(text_glyph->x * pass->scale) + (float)glyph->left +
        half_x;
    y = roundf(pass->m->y) + roundf(pass->dy * pass->scale) + roundf(text_glyph->y * pass->scale) + (float)glyph->top +
        half_y;
  } else {
    affine_apply(pass->m, text_glyph->x + pass->dx + ((float)glyph->left + half_x) * size->shrink,
                 text_glyph->y + pass->dy + ((float)glyph->top + half_y) * size->shrink, &x, &y);
  }
  const float texels[4] = {(float)glyph->atlas_x - size->margin, (float)glyph->atlas_y - size->margin,
                           (float)(glyph->atlas_x + glyph->width) + size->margin,
                           (float)(glyph->atlas_y + glyph->height) + size->margin};
  const float u[2] = {size->ux * (half_x + size->margin), size->uy * (half_x + size->margin)};
  const float v[2] = {size->vx * (half_y + size->margin), size->vy * (half_y + size->margin)};
  emit_glyph(pass->frame, x, y, u, v, texels, colour);
}

static bool is_character_shown(const text_look_t *look, uint32_t character) {
  return look->shown_count < 0 || character < (uint32_t)look->shown_count;
}

static void draw_glyphs(const pass_t *pass) {
  glyph_size_t glyph_size = {0};
  uint32_t span = UINT32_MAX;
  float colour[4] = {0};
  bool is_drawable = false;
  if (pass->colour)
    memcpy(colour, pass->colour, sizeof colour);
  for (uint32_t i = 0; i < pass->layout->glyphs.count; ++i) {
    const text_glyph_t *text_glyph = &pass->layout->glyphs.items[i];
    if (text_glyph->size != glyph_size.size)
      is_drawable = set_glyph_size(pass, text_glyph->size, &glyph_size);
    if (!is_drawable || !is_character_shown(pass->look, text_glyph->character))
      continue;
    const glyph_t *glyph = glyphs_find_or_rasterize(pass->frame->glyphs, text_glyph->face, text_glyph->glyph,
                                                    glyph_size.raster, glyph_size.outline);
    if (!glyph || glyph->width == 0)
      continue;
    if (!pass->colour && text_glyph->span != span)
      compute_span_colour(pass, text_glyph->span, colour);
    span = text_glyph->span;
    emit_sized_glyph(pass, &glyph_size, text_glyph, glyph, colour);
  }
}

// --- icons

// Draws an icon centred in its square, as large as possible.
static void draw_icon(const pass_t *pass, const text_icon_t *icon, const char *text) {
  const text_span_t *span = &pass->layout->spans.items[icon->span];
  char name[160];
  shoal_assert(span->icon_bytes > 0 && span->icon_bytes < sizeof name, "an icon name of %u bytes is empty or too long",
               span->icon_bytes);
  memcpy(name, text + span->icon_offset, span->icon_bytes);
  name[span->icon_bytes] = '\0';
  image_t image = pass->frame->images.find(pass->frame->images.context, name);
  if (image.width <= 0 || image.height <= 0)
    return;
  sheet_frame_t frame = {.width = (float)image.width, .height = (float)image.height};
  if (image.sheet && span->frame > 0)
    frame = sheet_frame(image.sheet, (int32_t)span->frame, image.width, image.height);
  float longest = fmaxf(frame.width, frame.height), white[4] = {1.0f, 1.0f, 1.0f, pass->look->colour[3]}, colour[4];
  const float texels[4] = {frame.x, frame.y, frame.x + frame.width, frame.y + frame.height};
  affine_t transform = *pass->m;
  if (!(longest > 0.0f))
    return;
  affine_apply(pass->m, icon->x + icon->size * 0.5f, icon->y + icon->size * 0.5f, &transform.x, &transform.y);
  emit_premultiply_colour(white, pass->look->is_additive, colour);
  emit_image(pass->frame, &transform, &image, icon->size * frame.width / longest, icon->size * frame.height / longest,
             texels, colour, NULL);
}

// --- key caps

static void compute_cap_transform(const pass_t *pass, const text_icon_t *icon, float offset, affine_t *out) {
  *out = *pass->m;
  affine_apply(pass->m, icon->x + icon->width * 0.5f, icon->y + icon->size * (0.59f + offset), &out->x, &out->y);
}

// Draws a cross, ring, square or triangle on the cap with lines.
static void draw_shape(const pass_t *pass, const text_icon_t *icon, text_shape_t shape, const float colour[4]) {
  float radius = icon->size * 0.24f * pass->scale, line_width = icon->size * 0.09f * pass->scale;
  affine_t transform;
  compute_cap_transform(pass, icon, 0.0f, &transform);
  float lines[2][4] = {{transform.x - radius, transform.y - radius, transform.x + radius, transform.y + radius},
                       {transform.x - radius, transform.y + radius, transform.x + radius, transform.y - radius}};
  float square[8] = {transform.x - radius, transform.y - radius, transform.x + radius, transform.y - radius,
                     transform.x + radius, transform.y + radius, transform.x - radius, transform.y + radius};
  float triangle[6] = {transform.x,
                       transform.y - radius * 1.25f,
                       transform.x + radius * 1.15f,
                       transform.y + radius * 0.75f,
                       transform.x - radius * 1.15f,
                       transform.y + radius * 0.75f};
  if (shape == SHAPE_RING)
    emit_circle(pass->frame, transform.x, transform.y, radius * 1.1f, line_width, colour);
  else if (shape == SHAPE_SQUARE)
    emit_polyline(pass->frame, square, 4, true, line_width, colour);
  else if (shape == SHAPE_TRIANGLE)
    emit_polyline(pass->frame, triangle, 3, true, line_width, colour);
  for (int i = 0; shape == SHAPE_CROSS && i < 2; ++i)
    emit_polyline(pass->frame, lines[i], 2, false, line_width, colour);
}

// Draws a key with a darker lower edge, or a round gamepad button. The span of the label must follow the span of the
// cap.
static void draw_cap(const pass_t *pass, const text_icon_t *icon) {
  const text_span_t *span = &pass->layout->spans.items[icon->span];
  float cap_height = icon->size * 1.1f, face_colour[4], edge_colour[4], label_colour[4], dark_colour[4], rim_colour[4];
  float cap_width = fmaxf(icon->width - icon->size * CAP_MARGIN, cap_height),
        radius = span->cap == CAP_KEY ? icon->size * 0.2f : cap_height * 0.5f;
  affine_t transform;
  shoal_assert((uint32_t)icon->span + 1 < pass->layout->spans.count, "a key cap must be followed by its label");
  memcpy(dark_colour, span->colour, sizeof dark_colour);
  for (int i = 0; i < 3; ++i)
    dark_colour[i] *= 0.6f;
  dark_colour[3] *= pass->look->colour[3];
  emit_premultiply_colour(dark_colour, pass->look->is_additive, edge_colour);
  compute_span_colour(pass, icon->span, face_colour);
  compute_span_colour(pass, icon->span + 1u, label_colour);
  compute_cap_transform(pass, icon, 0.07f, &transform);
  emit_rounded_rect(pass->frame, &transform, cap_width, cap_height, radius, -1.0f, edge_colour);
  compute_cap_transform(pass, icon, 0.0f, &transform);
  emit_rounded_rect(pass->frame, &transform, cap_width, cap_height, radius, -1.0f, face_colour);
  for (int i = 0; i < 4; ++i)
    rim_colour[i] = face_colour[i] + (label_colour[i] - face_colour[i]) * 0.35f;
  if (span->cap == CAP_KEY)
    emit_rounded_rect(pass->frame, &transform, cap_width, cap_height, radius,
                      fmaxf(icon->size * 0.05f * pass->scale, 1.0f), rim_colour);
  draw_shape(pass, icon, span->shape, label_colour);
}

// Draws the key caps if `draws_caps` is true, otherwise the images. Key caps are drawn below their labels, images on
// top of all text.
static void draw_icons(const pass_t *pass, const char *text, bool draws_caps) {
  for (uint32_t i = 0; i < pass->layout->icons.count; ++i) {
    const text_icon_t *icon = &pass->layout->icons.items[i];
    if (icon->width < 0.0f || (icon->width > 0.0f) != draws_caps || !is_character_shown(pass->look, icon->character))
      continue;
    if (draws_caps)
      draw_cap(pass, icon);
    else
      draw_icon(pass, icon, text);
  }
}

// --- whole strings

// Returns true if the text may be visible. The margin accounts for glyphs that extend beyond their line, the outline
// and the shadow.
static bool is_text_visible(const frame_t *frame, const affine_t *transform, const text_layout_t *layout,
                            const text_look_t *look) {
  float x, y, margin = layout->lines.count ? layout->lines.items[0].height : 0.0f;
  margin += fabsf(look->outline_width) + fabsf(look->shadow_x) + fabsf(look->shadow_y);
  affine_apply(transform, layout->x + layout->width * 0.5f, layout->y + layout->height * 0.5f, &x, &y);
  float half_width = layout->width * 0.5f + margin, half_height = layout->height * 0.5f + margin;
  return emit_is_visible(frame, x, y,
                         (fabsf(transform->ux) + fabsf(transform->uy)) * half_width +
                             (fabsf(transform->vx) + fabsf(transform->vy)) * half_height);
}

void emit_text(frame_t *frame, const affine_t *transform, const text_layout_t *layout, const char *text,
               const text_look_t *look) {
  float scale = affine_scale(transform), shadow[4], outline[4];
  if (!is_text_visible(frame, transform, layout, look))
    return;
  pass_t pass = {.frame = frame, .m = transform, .layout = layout, .look = look, .scale = scale};
  pass.is_upright = fabsf(transform->uy) + fabsf(transform->vx) < 1e-4f * scale && transform->ux > 0.0f &&
                    transform->vy > 0.0f && fabsf(transform->ux - transform->vy) < 1e-3f * scale;
  pass_t outline_pass = pass;
  outline_pass.outline_width = look->outline_width > 0.0f && look->outline[3] > 0.0f ? look->outline_width : 0.0f;
  if ((look->shadow_x != 0.0f || look->shadow_y != 0.0f) && look->shadow[3] > 0.0f) {
    pass_t shadow_pass = outline_pass;
    float straight[4] = {look->shadow[0], look->shadow[1], look->shadow[2], look->shadow[3] * look->colour[3]};
    emit_premultiply_colour(straight, look->is_additive, shadow);
    shadow_pass.dx = look->shadow_x;
    shadow_pass.dy = look->shadow_y;
    shadow_pass.colour = shadow;
    draw_glyphs(&shadow_pass);
  }
  if (outline_pass.outline_width > 0.0f) {
    float straight[4] = {look->outline[0], look->outline[1], look->outline[2], look->outline[3] * look->colour[3]};
    emit_premultiply_colour(straight, look->is_additive, outline);
    outline_pass.colour = outline;
    draw_glyphs(&outline_pass);
  }
  draw_icons(&pass, text, true);
  draw_glyphs(&pass);
  draw_icons(&pass, text, false);
}
