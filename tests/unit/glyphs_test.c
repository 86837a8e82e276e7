// Rasterised glyphs and their atlas: render/glyphs.h.
#include "render/glyphs.h"

#include "render_fixture.h"

typedef struct glyph_fixture_t {
  log_capture_t logged;
  assets_t assets;
  typesetter_o *type;
  glyphs_o *glyphs;
} glyph_fixture_t;

SETUP(glyph_fixture_t, f) {
  log_capture_init(&f->logged);
  f->assets = engine_assets();
  f->type = typesetter_create(&f->assets, f->logged.log);
  f->glyphs = glyphs_create(f->logged.log);
  glyphs_begin_frame(f->glyphs, f->type);
}

TEARDOWN(glyph_fixture_t, f) {
  glyphs_destroy(f->glyphs);
  typesetter_destroy(f->type);
  log_destroy(f->logged.log);
}

// Finds the glyph of a character in the engine's font.
static const glyph_t *find_glyph(glyph_fixture_t *f, const char *character, int32_t size, uint32_t outline) {
  const text_style_t style = {.size = 20.0f};
  const text_glyph_t g = typesetter_layout(f->type, &style, character, strlen(character))->glyphs.items[0];
  return glyphs_find_or_rasterize(f->glyphs, g.face, g.glyph, size, outline);
}

static uint32_t sum_coverage(const atlas_t *a, const glyph_t *g) {
  uint32_t sum = 0;
  for (int32_t y = 0; y < g->height; ++y)
    for (int32_t x = 0; x < g->width; ++x)
      sum += a->pixels[(g->atlas_y + y) * a->size + g->atlas_x + x];
  return sum / 255;
}

TEST_IN(glyph_is_rasterized_once_per_size, glyph_fixture_t, f) {
  const glyph_t *small = find_glyph(f, "O", 20, 0);
  assert_ptr_equal(small, find_glyph(f, "O", 20, 0));
  glyph_t kept = *small, large = *find_glyph(f, "O", 40, 0);
  const atlas_t *a = glyphs_get_atlas(f->glyphs);
  assert_true(kept.width > 8 && kept.width < 20 && large.width > kept.width * 3 / 2);
  assert_true(kept.top < -10 && kept.top + kept.height <= 1); // the glyph sits on the baseline
  uint32_t small_ink = sum_coverage(a, &kept), large_ink = sum_coverage(a, &large);
  assert_true(small_ink > 20 && large_ink > 2 * small_ink);
  assert_true(a->dirty_top < a->dirty_bottom);
}

TEST_IN(outlined_glyph_grows_on_all_sides, glyph_fixture_t, f) {
  glyph_t plain = *find_glyph(f, "O", 40, 0), grown = *find_glyph(f, "O", 40, 12); // `grown` has an outline of 3 pixels
  const atlas_t *a = glyphs_get_atlas(f->glyphs);
  assert_true(grown.width - plain.width >= 5 && grown.width - plain.width <= 7);
  assert_true(grown.height - plain.height >= 5 && grown.height - plain.height <= 7);
  assert_true(plain.left - grown.left >= 2 && plain.left - grown.left <= 4);
  assert_true(plain.top - grown.top >= 2 && plain.top - grown.top <= 4);
  assert_true(sum_coverage(a, &grown) > sum_coverage(a, &plain) + 100);
}

TEST_IN(missing_glyph_is_drawn_as_a_box, glyph_fixture_t, f) {
  glyph_t box = *find_glyph(f, "\xE4\xB8\xAD", 40, 0);
  const atlas_t *a = glyphs_get_atlas(f->glyphs);
  assert_true(box.width > 12 && box.height > 20 && box.top == -box.height);
  const uint8_t *middle = &a->pixels[(box.atlas_y + box.height / 2) * a->size + box.atlas_x];
  assert_true(middle[0] == 255 && middle[box.width / 2] == 0 && middle[box.width - 1] == 255);
  assert_ptr_equal(find_glyph(f, "\xE4\xB8\xAD", 40, 0), find_glyph(f, "\xE6\x96\x87", 40, 0));
  assert_true(find_glyph(f, "\xE4\xB8\xAD", 40, 8)->width == box.width + 4);
}

TEST_IN(atlas_grows_then_reports_full_and_restarts, glyph_fixture_t, f) {
  glyph_t first = *find_glyph(f, "A", 256, 0);
  uint32_t ink_before = sum_coverage(glyphs_get_atlas(f->glyphs), &first);
  bool full = false;
  for (int32_t size = 256; size > 60 && !full; size -= 2)
    for (char c = 'A'; c <= 'z' && !full; ++c)
      full = find_glyph(f, (char[]){c, 0}, size, 0) == NULL;
  assert_true(full);
  assert_int_equal(f->logged.lines, 1);
  assert_int_equal(glyphs_get_atlas(f->glyphs)->size, 4096);
  // Unchanged after the atlas has grown.
  assert_int_equal(sum_coverage(glyphs_get_atlas(f->glyphs), &first), ink_before);
  glyphs_begin_frame(f->glyphs, f->type);
  assert_non_null(find_glyph(f, "Z", 61, 0));
}

// The game that is loaded next may have its typesetter at the same address.
TEST_IN(typesetters_are_distinguished_by_their_version, glyph_fixture_t, f) {
  typesetter_o *other = typesetter_create(&f->assets, f->logged.log);
  assert_int_not_equal(typesetter_version(other), typesetter_version(f->type));
  typesetter_destroy(other);
}
