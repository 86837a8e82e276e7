// Texts set into lines, and glyphs: render/fonts.h.
#include "render/fonts.h"

#include "render_fixture.h"

#include <math.h>

typedef struct text_fixture_t {
  heard_t heard;
  assets_t assets;
  fonts_o *fonts;
  set_layout_t layout;
} text_fixture_t;

static int setup(void **state) {
  text_fixture_t *f = calloc(1, sizeof *f);
  heard_init(&f->heard);
  f->assets = engine_assets();
  f->fonts = fonts_create(&f->assets, f->heard.log);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  text_fixture_t *f = *state;
  fonts_free_layout(f->fonts, &f->layout);
  fonts_destroy(f->fonts);
  log_destroy(f->heard.log);
  free(f);
  return 0;
}

static float width_of(text_fixture_t *f, const char *text, float size, float wrap) {
  fonts_layout(f->fonts, 0, text, size, 0, wrap, &f->layout);
  return f->layout.width;
}

static void a_text_grows_with_its_size_and_its_length(void **state) {
  text_fixture_t *f = *state;
  float small = width_of(f, "asteroids", 16, 0), height = f->layout.height;
  assert_true(small > 16 * 3 && small < 16 * 9);
  assert_true(fabsf(width_of(f, "asteroids", 48, 0) - 3 * small) < 0.01f);
  assert_true(fabsf(f->layout.height - 3 * height) < 0.01f);
  assert_true(width_of(f, "asteroids!", 16, 0) > small);
  assert_true(width_of(f, "", 16, 0) == 0.0f);
}

static void wrapped_lines_are_no_wider_than_asked(void **state) {
  text_fixture_t *f = *state;
  const char *text = "The ship turns, thrusts and fires; rocks split in three, and a saucer takes aim.";
  float line = width_of(f, text, 20, 0), height = f->layout.height;
  for (float wrap = 120; wrap < line; wrap += 60) {
    float width = width_of(f, text, 20, wrap);
    assert_true(width <= wrap && width > wrap * 0.3f);
    uint32_t lines = (uint32_t)(f->layout.height / height + 0.5f);
    assert_true(lines >= (uint32_t)(line / wrap) && lines > 1);
  }
  assert_true(width_of(f, text, 20, line + 1) == line);
  assert_true(f->layout.height == height);
}

static void lines_break_at_blanks_and_words_stay_whole(void **state) {
  text_fixture_t *f = *state;
  float word = width_of(f, "saucer", 20, 0);
  width_of(f, "big saucer", 20, word + 1);
  assert_int_equal(f->layout.glyphs.count, 9);
  const set_glyph_t *g = f->layout.glyphs.items;
  assert_true(g[2].y == 0.0f && g[3].y > 0.0f && g[8].y == g[3].y);
  assert_true(g[3].x == 0.0f);
  assert_true(fabsf(f->layout.width - word) < 0.01f);
}

static void a_word_wider_than_the_line_is_broken(void **state) {
  text_fixture_t *f = *state;
  float width = width_of(f, "mmmmmmmmmmmmmmmmmmmm", 20, 100);
  assert_true(width <= 100 && width > 60);
  assert_true(f->layout.glyphs.items[19].y > 0.0f);
  width_of(f, "mmm", 20, 1); // narrower than any character: one in each line
  assert_true(f->layout.glyphs.items[1].y > 0.0f && f->layout.glyphs.items[2].y > f->layout.glyphs.items[1].y);
}

static void a_newline_starts_a_line_and_alignment_moves_each(void **state) {
  text_fixture_t *f = *state;
  float wide = width_of(f, "a wide line", 20, 0), line = f->layout.height;
  fonts_layout(f->fonts, 0, "a wide line\nii", 20, 2, 0, &f->layout);
  assert_true(fabsf(f->layout.height - 2 * line) < 0.01f);
  assert_true(fabsf(f->layout.glyphs.items[0].x + wide) < 0.01f);
  float second = f->layout.glyphs.items[9].x;
  assert_true(second < 0.0f && second > -wide * 0.5f);
  fonts_layout(f->fonts, 0, "a wide line\nii", 20, 1, 0, &f->layout);
  assert_true(fabsf(f->layout.glyphs.items[0].x + wide * 0.5f) < 0.01f);
  assert_true(fabsf(f->layout.glyphs.items[9].x - second * 0.5f) < 0.01f);
}

static void utf8_is_read_and_broken_bytes_are_shown(void **state) {
  text_fixture_t *f = *state;
  width_of(f, "Gr\xC3\xB6\xC3\x9F\x65 \xE2\x82\xAC", 20, 0);
  assert_int_equal(f->layout.glyphs.count, 6);
  assert_int_equal(f->layout.glyphs.items[2].codepoint, 0xF6);
  assert_int_equal(f->layout.glyphs.items[5].codepoint, 0x20AC);
  width_of(f, "a\xFF\x62\xE2\x82", 20, 0); // no character, and one that is cut off
  assert_int_equal(f->layout.glyphs.items[1].codepoint, 0xFFFD);
  assert_int_equal(f->layout.glyphs.items[2].codepoint, 'b');
  assert_int_equal(f->layout.glyphs.items[3].codepoint, 0xFFFD);
}

static void a_missing_font_is_logged_once_and_stands_for_the_engine_s(void **state) {
  text_fixture_t *f = *state;
  assert_int_equal(f->heard.lines, 0);
  for (int i = 0; i < 3; ++i)
    assert_int_equal(fonts_find(f->fonts, "fonts/none.ttf"), 0);
  assert_int_equal(f->heard.lines, 1);
  assert_non_null(strstr(f->heard.last, "fonts/none.ttf: not found (searched "));
  assert_int_equal(fonts_find(f->fonts, ""), 0);
  assert_true(fonts_find(f->fonts, "fonts/mono.ttf") != 0);
  assert_int_equal(f->heard.lines, 1);
}

static void in_the_monospaced_font_all_characters_are_as_wide(void **state) {
  text_fixture_t *f = *state;
  uint32_t mono = fonts_find(f->fonts, "fonts/mono.ttf");
  fonts_layout(f->fonts, mono, "iiii", 15, 0, 0, &f->layout);
  float narrow = f->layout.width;
  fonts_layout(f->fonts, mono, "MMMM", 15, 0, 0, &f->layout);
  assert_true(narrow == f->layout.width && narrow > 0.0f);
}

static uint32_t ink(const atlas_t *a, const glyph_t *g) {
  uint32_t sum = 0;
  for (int32_t y = 0; y < g->height; ++y)
    for (int32_t x = 0; x < g->width; ++x)
      sum += a->pixels[(g->atlas_y + y) * a->size + g->atlas_x + x];
  return sum / 255;
}

static void glyphs_are_rasterised_once_for_each_size(void **state) {
  text_fixture_t *f = *state;
  const glyph_t *small = fonts_glyph(f->fonts, 0, 'O', 20);
  assert_ptr_equal(small, fonts_glyph(f->fonts, 0, 'O', 20));
  glyph_t kept = *small, large = *fonts_glyph(f->fonts, 0, 'O', 40);
  const atlas_t *a = fonts_atlas(f->fonts);
  assert_true(kept.width > 8 && kept.width < 20 && large.width > kept.width * 3 / 2);
  uint32_t small_ink = ink(a, &kept), large_ink = ink(a, &large);
  assert_true(small_ink > 20 && large_ink > 2 * small_ink);
  assert_true(a->dirty_top < a->dirty_bottom);
}

static void the_atlas_grows_then_says_that_it_is_full_and_starts_anew(void **state) {
  text_fixture_t *f = *state;
  glyph_t first = *fonts_glyph(f->fonts, 0, 'A', 256);
  uint32_t ink_before = ink(fonts_atlas(f->fonts), &first);
  bool full = false;
  for (int32_t size = 256; size > 60 && !full; size -= 2)
    for (uint32_t c = 'A'; c <= 'z' && !full; ++c)
      full = fonts_glyph(f->fonts, 0, c, size) == NULL;
  assert_true(full);
  assert_int_equal(f->heard.lines, 1);
  assert_int_equal(fonts_atlas(f->fonts)->size, 4096);
  assert_int_equal(ink(fonts_atlas(f->fonts), &first), ink_before); // kept while it grew
  fonts_begin_frame(f->fonts);
  assert_non_null(fonts_glyph(f->fonts, 0, 'Z', 61));
}

int fonts_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_text_grows_with_its_size_and_its_length, setup, teardown),
      cmocka_unit_test_setup_teardown(wrapped_lines_are_no_wider_than_asked, setup, teardown),
      cmocka_unit_test_setup_teardown(lines_break_at_blanks_and_words_stay_whole, setup, teardown),
      cmocka_unit_test_setup_teardown(a_word_wider_than_the_line_is_broken, setup, teardown),
      cmocka_unit_test_setup_teardown(a_newline_starts_a_line_and_alignment_moves_each, setup, teardown),
      cmocka_unit_test_setup_teardown(utf8_is_read_and_broken_bytes_are_shown, setup, teardown),
      cmocka_unit_test_setup_teardown(a_missing_font_is_logged_once_and_stands_for_the_engine_s, setup, teardown),
      cmocka_unit_test_setup_teardown(in_the_monospaced_font_all_characters_are_as_wide, setup, teardown),
      cmocka_unit_test_setup_teardown(glyphs_are_rasterised_once_for_each_size, setup, teardown),
      cmocka_unit_test_setup_teardown(the_atlas_grows_then_says_that_it_is_full_and_starts_anew, setup, teardown),
  };
  return cmocka_run_group_tests_name("fonts", tests, NULL, NULL);
}
