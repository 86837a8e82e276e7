// Text layout (text/typesetter.h). Scripts that the engine's fonts lack are tested with the fonts of an example.
#include "text/typesetter.h"

#include "../slowdown.h"
#include "base/files.h"
#include "base/random.h"
#include "render_fixture.h"
#include "text/font_check.h"

#include <math.h>
#include <sys/resource.h>

typedef struct type_fixture_t {
  log_capture_t logged;
  assets_t assets;
  typesetter_o *type;
  text_style_t style;
} type_fixture_t;

static int setup(void **state) {
  type_fixture_t *f = calloc(1, sizeof *f);
  log_capture_init(&f->logged);
  f->assets = engine_assets();
  f->type = typesetter_create(&f->assets, f->logged.log);
  f->style = (text_style_t){.size = 20.0f};
  *state = f;
  return 0;
}

static int teardown(void **state) {
  type_fixture_t *f = *state;
  typesetter_destroy(f->type);
  log_destroy(f->logged.log);
  free(f);
  return 0;
}
FIXTURE(type_fixture_t, setup, teardown)

static const text_layout_t *lay_out(type_fixture_t *f, const char *text) {
  return typesetter_layout(f->type, &f->style, text, strlen(text));
}

static float text_width(type_fixture_t *f, const char *text, float size, float wrap) {
  f->style.size = size;
  f->style.wrap = wrap;
  return lay_out(f, text)->width;
}

TEST_IN(text_width_grows_with_size_and_length, type_fixture_t, f) {
  float small = text_width(f, "asteroids", 16, 0), height = lay_out(f, "asteroids")->height;
  assert_true(small > 16 * 3 && small < 16 * 9);
  assert_true(fabsf(text_width(f, "asteroids", 48, 0) - 3 * small) < 0.01f);
  assert_true(fabsf(lay_out(f, "asteroids")->height - 3 * height) < 0.01f);
  assert_true(text_width(f, "asteroids!", 16, 0) > small);
  assert_true(text_width(f, "", 16, 0) == 0.0f && lay_out(f, "")->height == 0.0f);
  assert_true(text_width(f, "a", NAN, 0) == 0.0f && text_width(f, "a", -5, 0) == 0.0f &&
              text_width(f, "a", 1e30f, 0) == 0.0f);
}

TEST_IN(text_width_has_the_same_bits_on_all_platforms, type_fixture_t, f) {
  // A width is a number of font units that is scaled once, so all platforms and windows must give the same bits.
  union {
    float value;
    uint32_t bits;
  } width = {text_width(f, "Shoal", 100, 0)};
  assert_int_equal(width.bits, 0x43796666);
}

TEST_IN(wrapped_lines_fit_the_wrap_width, type_fixture_t, f) {
  const char *text = "The ship turns, thrusts and fires; rocks split in three, and a saucer takes aim.";
  float line = text_width(f, text, 20, 0), height = lay_out(f, text)->height;
  for (float wrap = 120; wrap < line; wrap += 60) {
    float width = text_width(f, text, 20, wrap);
    assert_true(width <= wrap && width > wrap * 0.3f);
    uint32_t lines = lay_out(f, text)->lines.count;
    assert_true(fabsf(lay_out(f, text)->height - (float)lines * height) < 0.1f);
    assert_true(lines >= (uint32_t)(line / wrap) && lines > 1);
  }
  assert_true(text_width(f, text, 20, line) == line); // the wrap width equals the line's width
  assert_true(lay_out(f, text)->height == height);
}

TEST_IN(lines_break_at_spaces, type_fixture_t, f) {
  float word = text_width(f, "saucer", 20, 0);
  text_width(f, "big   saucer", 20, word + 1);
  const text_layout_t *l = lay_out(f, "big   saucer");
  assert_int_equal(l->glyphs.count, 9);
  assert_int_equal(l->lines.count, 2);
  assert_int_equal(l->lines.items[1].first, 6);
  const text_glyph_t *g = l->glyphs.items;
  assert_true(g[2].y == g[0].y && g[3].y > g[0].y && g[8].y == g[3].y);
  assert_true(g[3].x == 0.0f);
  assert_true(fabsf(l->width - word) < 0.01f);
}

TEST_IN(word_wider_than_the_line_is_broken, type_fixture_t, f) {
  float width = text_width(f, "mmmmmmmmmmmmmmmmmmmm", 20, 100);
  assert_true(width <= 100 && width > 60);
  assert_true(lay_out(f, "mmmmmmmmmmmmmmmmmmmm")->lines.count > 2);
  text_width(f, "mmm", 20, 1); // narrower than any character: one character per line
  assert_int_equal(lay_out(f, "mmm")->lines.count, 3);
}

TEST_IN(newline_starts_a_line_and_each_line_is_aligned, type_fixture_t, f) {
  float wide = text_width(f, "a wide line", 20, 0), line = lay_out(f, "a wide line")->height;
  f->style.align = TEXT_RIGHT;
  const text_layout_t *l = lay_out(f, "a wide line\nii");
  assert_true(fabsf(l->height - 2 * line) < 0.01f);
  assert_true(fabsf(l->glyphs.items[0].x + wide) < 0.01f && fabsf(l->x + wide) < 0.01f);
  float second = l->glyphs.items[9].x;
  assert_true(second < 0.0f && second > -wide * 0.5f);
  f->style.align = TEXT_CENTER;
  l = lay_out(f, "a wide line\nii");
  assert_true(fabsf(l->glyphs.items[0].x + wide * 0.5f) < 0.01f);
  assert_true(fabsf(l->glyphs.items[9].x - second * 0.5f) < 0.01f);
  f->style.valign = TEXT_BOTTOM;
  l = lay_out(f, "a wide line\n\nii\n");
  assert_int_equal(l->lines.count, 4);
  assert_true(fabsf(l->y + 4 * line) < 0.01f && fabsf(l->lines.items[3].y + line) < 0.01f);
  f->style.valign = TEXT_TOP;
  f->style.line_spacing = 1.5f;
  assert_true(fabsf(lay_out(f, "a\nb\nc")->height - 4 * line) < 0.01f);
}

TEST_IN(text_is_kerned_and_uses_ligatures, type_fixture_t, f) {
  assert_true(text_width(f, "AVAVAV", 100, 0) < text_width(f, "A", 100, 0) * 3 + text_width(f, "V", 100, 0) * 3 - 1);
  assert_int_equal(lay_out(f, "office")->glyphs.count, 4);
  f->style.carets = true; // also places carets inside ligatures
  const text_layout_t *l = lay_out(f, "office");
  assert_int_equal(l->carets.count, 7);
  for (uint32_t i = 1; i < 7; ++i)
    assert_true(l->carets.items[i].x > l->carets.items[i - 1].x);
}

TEST_IN(utf8_is_decoded_and_invalid_bytes_are_shown, type_fixture_t, f) {
  assert_int_equal(lay_out(f, "Gr\xC3\xB6\xC3\x9F\x65 \xE2\x82\xAC")->glyphs.count, 6);
  assert_int_equal(lay_out(f, "Gr\xC3\xB6\xC3\x9F\x65 \xE2\x82\xAC")->characters, 7);
  // contains an invalid byte, a truncated sequence, a surrogate and an overlong encoding
  const text_layout_t *l = lay_out(f, "a\xFF\x62\xE2\x82\xED\xA0\x80\xC0\x80");
  assert_int_equal(l->glyphs.items[1].character, 1);
  assert_int_equal(l->glyphs.items[2].character, 2);
  assert_int_equal(l->glyphs.items[3].character, 3);
  assert_true(l->width > 0.0f);
}

TEST_IN(missing_font_is_logged_once_and_falls_back_to_the_engine_font, type_fixture_t, f) {
  float width = text_width(f, "word", 20, 0);
  f->style.font = "fonts/none.ttf";
  for (int i = 0; i < 3; ++i)
    assert_true(text_width(f, i ? "word" : "other", 20, 0) > 0.0f);
  assert_true(text_width(f, "word", 20, 0) == width);
  assert_int_equal(f->logged.lines, 1);
  assert_non_null(strstr(f->logged.last, "fonts/none.ttf: not found (searched "));
  f->style.font = "fonts/none.ttf ,fonts/mono.ttf";
  assert_true(text_width(f, "iiii", 20, 0) == text_width(f, "MMMM", 20, 0));
  assert_int_equal(f->logged.lines, 1);
}

TEST_IN(missing_glyph_is_laid_out_without_a_font_and_logged_once, type_fixture_t, f) {
  f->style.font = "fonts/mono.ttf";
  for (int i = 0; i < 3; ++i) {
    const text_layout_t *l = lay_out(f, i ? "a\xE4\xB8\xAD b" : "a\xE4\xB8\xAD");
    assert_int_equal(l->glyphs.items[1].face, TEXT_NO_FACE);
    assert_int_equal(l->glyphs.items[1].glyph, 0x4E2D);
    assert_true(fabsf(l->glyphs.items[1].x - l->glyphs.items[0].x) > 5.0f);
  }
  assert_int_equal(f->logged.lines, 1);
  assert_non_null(strstr(f->logged.last, "U+4E2D (\xE4\xB8\xAD)"));
  assert_non_null(strstr(f->logged.last, "searched fonts/mono.ttf, fonts/ui.ttf)"));
}

static void put_utf8(char out[5], uint32_t code) {
  uint8_t bytes[4] = {(uint8_t)(0xE0 | code >> 12), (uint8_t)(0x80 | (code >> 6 & 63)), (uint8_t)(0x80 | (code & 63))};
  if (code < 0x80)
    bytes[0] = (uint8_t)code, bytes[1] = 0;
  else if (code < 0x800)
    bytes[0] = (uint8_t)(0xC0 | code >> 6), bytes[1] = (uint8_t)(0x80 | (code & 63)), bytes[2] = 0;
  snprintf(out, 5, "%s", (const char *)bytes);
}

// Returns the width of the character `code` between two letters, in the given fonts.
static float measure_character(type_fixture_t *f, const char *font, uint32_t code) {
  char text[16] = "a", character[5];
  put_utf8(character, code);
  snprintf(text + 1, sizeof text - 1, "%sb", character);
  f->style.font = font;
  const text_layout_t *l = lay_out(f, text);
  uint16_t face = l->glyphs.items[0].face;
  for (uint32_t i = 0; i < l->glyphs.count; ++i)
    if (l->glyphs.items[i].face != face)
      fail_msg("%s: U+%04X is drawn in another font", font, code);
  float width = l->width;
  return width - lay_out(f, "ab")->width;
}

TEST_IN(every_unicode_space_is_made_from_the_space_of_its_font, type_fixture_t, f) {
  static const char *const FONTS[] = {"fonts/ui.ttf", "fonts/mono.ttf", "fonts/ui-bold.ttf, fonts/mono.ttf"};
  for (size_t i = 0; i < sizeof FONTS / sizeof *FONTS; ++i) {
    float blank = measure_character(f, FONTS[i], ' '), em = f->style.size;
    const struct {
      uint32_t code;
      float width;
    } SPACES[] = {{0xA0, blank},     {0x1680, blank},     {0x2000, em / 2}, {0x2001, em},     {0x2002, em / 2},
                  {0x2003, em},      {0x2004, em / 3},    {0x2005, em / 4}, {0x2006, em / 6}, {0x2009, em / 5},
                  {0x200A, em / 16}, {0x205F, em / 4.5f}, {0x3000, em},     {0x200B, 0.0f}};
    for (size_t k = 0; k < sizeof SPACES / sizeof *SPACES; ++k) {
      float width = measure_character(f, FONTS[i], SPACES[k].code);
      bool has_own_glyph = i == 1 && SPACES[k].code == 0x2001;
      if (!has_own_glyph && fabsf(width - SPACES[k].width) > 0.03f * em)
        fail_msg("%s: U+%04X: %.2f instead of %.2f", FONTS[i], SPACES[k].code, width, SPACES[k].width);
    }
    assert_true(fabsf(measure_character(f, FONTS[i], 0x2007) - measure_character(f, FONTS[i], '0')) < 0.5f);
    assert_true(fabsf(measure_character(f, FONTS[i], 0x2008) - measure_character(f, FONTS[i], '.')) < 0.5f);
    float narrow = measure_character(f, FONTS[i], 0x202F);
    assert_true(narrow > 0.2f * blank && narrow < 0.95f * blank);
  }
  assert_int_equal(f->logged.lines, 0);
}

// ui.ttf contains neither U+2010 nor U+2011, mono.ttf contains U+2010 only.
TEST_IN(hyphens_are_made_from_the_hyphen_of_their_font, type_fixture_t, f) {
  for (uint32_t code = 0x2010; code <= 0x2011; ++code) {
    assert_true(measure_character(f, "fonts/ui.ttf", code) == measure_character(f, "fonts/ui.ttf", '-'));
    assert_true(measure_character(f, "fonts/mono.ttf", code) == measure_character(f, "fonts/mono.ttf", '-'));
  }
  f->style.font = NULL;
  f->style.wrap = lay_out(f, "or twenty-")->width + 1;
  // A line breaks after U+2010, but not after the non-breaking hyphen U+2011.
  assert_int_equal(lay_out(f, "or twenty\xE2\x80\x90one")->lines.items[1].first, 12);
  assert_int_equal(lay_out(f, "or twenty\xE2\x80\x91one")->lines.items[1].first, 3);
  assert_int_equal(f->logged.lines, 0);
}

TEST_IN(markup_tags_create_spans, type_fixture_t, f) {
  f->style.markup = true;
  const text_layout_t *l = lay_out(f, "a[color=#ff8000]b[size=200%]c[/size][/color]d[icon=coin.png 3]e[[f]");
  assert_int_equal(l->characters, 9);
  assert_int_equal(l->glyphs.count, 8);
  assert_int_equal(l->icons.count, 1);
  const text_span_t *b = &l->spans.items[l->glyphs.items[1].span], *c = &l->spans.items[l->glyphs.items[2].span];
  assert_true(b->coloured && b->colour[0] == 1.0f && b->colour[2] == 0.0f && b->size == 20.0f);
  assert_true(c->coloured && c->size == 40.0f && l->glyphs.items[2].size == 40.0f);
  assert_int_equal(l->glyphs.items[3].span, 0);
  assert_int_equal(l->spans.items[l->icons.items[0].span].frame, 3);
  assert_int_equal(l->spans.items[l->icons.items[0].span].icon_bytes, 8);
  assert_true(l->height > 40.0f && l->glyphs.items[0].y == l->glyphs.items[2].y); // all glyphs have a common baseline
  assert_int_equal(f->logged.lines, 0);
  f->style.markup = false;
  assert_int_equal(lay_out(f, "[color=#0f0]x")->glyphs.count, 13);
}

TEST_IN(key_and_pad_tags_are_drawn_as_labelled_caps, type_fixture_t, f) {
  f->style.markup = true;
  const text_layout_t *l = lay_out(f, "[key=Space] [pad=A] [pad=Cross]");
  assert_int_equal(l->icons.count, 3);
  assert_int_equal(l->glyphs.count, 6); // the cross is drawn as an icon
  for (uint32_t i = 0; i < 3; ++i)
    assert_true(l->icons.items[i].width > 0.8f * f->style.size && l->icons.items[i].width < l->width);
  const text_icon_t *key = &l->icons.items[0];
  assert_int_equal(l->spans.items[key->span].cap, CAP_KEY);
  assert_int_equal(l->spans.items[l->icons.items[2].span].shape, SHAPE_CROSS);
  assert_true(l->glyphs.items[0].x > key->x && l->glyphs.items[4].x < key->x + key->width);
  assert_true(l->glyphs.items[0].size < f->style.size);
  f->style.wrap = 90;
  l = lay_out(f, "[key=Left Shift][key=Q]");
  assert_int_equal(l->lines.count, 2); // breaks between keycaps, not inside one
  assert_true(l->icons.items[0].width > 0 && l->icons.items[1].width > 0);
  assert_int_equal(f->logged.lines, 0);
}

TEST_IN(prompt_tag_shows_the_current_binding, type_fixture_t, f) {
  f->style.markup = true;
  typesetter_set_prompt(f->type, "run", "\1kA\2 / \1kD\2");
  uint32_t before = typesetter_change_count(f->type);
  const text_layout_t *l = lay_out(f, "[prompt=run] runs");
  assert_int_equal(l->icons.count, 2);
  assert_int_equal(l->glyphs.count, 7);
  typesetter_set_prompt(f->type, "run", "\1kA\2 / \1kD\2");
  assert_int_equal(typesetter_change_count(f->type), before);
  typesetter_set_prompt(f->type, "run", "\1pLeft Stick\2");
  assert_true(typesetter_change_count(f->type) != before);
  l = lay_out(f, "[prompt=run] runs");
  assert_int_equal(l->icons.count, 1);
  assert_int_equal(l->spans.items[l->icons.items[0].span].cap, CAP_PAD);
  typesetter_set_prompt(f->type, "run", "\1k[\2\1\2\1 no end");
  assert_int_equal(lay_out(f, "[prompt=run]")->glyphs.items[0].size < f->style.size, 1);
  assert_int_equal(f->logged.lines, 0);
}

TEST_IN(invalid_tag_is_shown_literally_and_logged_once, type_fixture_t, f) {
  static const char *const WRONG[][2] = {{"[colr=#fff]x", "[colr=#fff] is not a tag: did you mean color?"},
                                         {"[color=red]x", "[color=red] must have a colour such as #ff8800"},
                                         {"[size=big]x", "[size=big] must have a size such as 32 or 150%"},
                                         {"[size=0]x", "must have a size"},
                                         {"x[/]", "[/] has no matching opening tag"},
                                         {"[size=9]x[/color]", "[/color] does not match the innermost open tag"},
                                         {"[icon=]x", "[icon=] must have a file name"},
                                         {"x [size", "[size has no closing bracket"},
                                         {"[1]", "[1] is not a tag"},
                                         {"[key=]x", "[key=] must have a label"},
                                         {"[kye=Space]", "did you mean key?"},
                                         {"[prompt=jmup]", "[prompt=jmup]: unknown action: did you mean jump?"}};
  f->style.markup = true;
  typesetter_set_prompt(f->type, "jump", "Space");
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    f->logged.lines = 0;
    uint32_t glyphs = lay_out(f, WRONG[i][0])->glyphs.count;
    lay_out(f, WRONG[i][0]);
    assert_int_equal(f->logged.lines, 1);
    if (!strstr(f->logged.last, WRONG[i][1]))
      fail_msg("%s: %s", WRONG[i][0], f->logged.last);
    assert_true(glyphs >= 3);
  }
  char deep[33 * 8 + 2] = "";
  for (int i = 0; i < 33; ++i)
    strcat(deep, "[size=9]");
  f->logged.lines = 0;
  assert_int_equal(lay_out(f, strcat(deep, "x"))->glyphs.count, 9);
  assert_int_equal(f->logged.lines, 1);
}

TEST_IN(colour_tags_do_not_break_shaping, type_fixture_t, f) {
  f->style.markup = true;
  assert_true(text_width(f, "A[color=#fff]V[/]AV", 50, 0) == text_width(f, "AVAV", 50, 0));
}

TEST_IN(text_cursor_positions_are_between_characters, type_fixture_t, f) {
  f->style.carets = true;
  const text_layout_t *l = lay_out(f, "ab c ");
  assert_int_equal(l->carets.count, 6);
  for (uint32_t i = 0; i < 6; ++i) {
    assert_int_equal(l->carets.items[i].offset, i);
    assert_true(i == 0 ? l->carets.items[i].x == 0.0f : l->carets.items[i].x > l->carets.items[i - 1].x + 1.0f);
  }
  l = lay_out(f, "ab\n");
  assert_int_equal(l->carets.count, 4);
  assert_int_equal(l->carets.items[3].line, 1);
  assert_int_equal(l->carets.items[3].offset, 3);
  assert_true(l->carets.items[3].x == 0.0f && l->carets.items[2].x > l->carets.items[1].x);
  l = lay_out(f, "");
  assert_int_equal(l->carets.count, 1);
  assert_true(l->height > 10.0f);
}

TEST_IN(text_layout_stays_correct_while_other_layouts_are_evicted, type_fixture_t, f) {
  char text[64];
  float width = text_width(f, "kept 7", 20, 0);
  for (int i = 0; i < 30000; ++i) {
    snprintf(text, sizeof text, "points %d of many, and some more words", i);
    lay_out(f, text);
    assert_true(lay_out(f, "kept 7")->width == width);
  }
}

// --- other scripts

// These tests use the example's fonts for Arabic, Hebrew, Chinese, Japanese and Korean.
static int setup_scripts(void **state) {
  setup(state);
  type_fixture_t *f = *state;
  path_join(f->assets.game, sizeof f->assets.game, f->assets.engine, "../scripts/examples/text/assets");
  typesetter_set_fallbacks(f->type, "arabic.ttf, cjk.ttf");
  return 0;
}
typedef type_fixture_t scripts_type_fixture_t;
FIXTURE(scripts_type_fixture_t, setup_scripts, teardown)

static float find_glyph_x(const text_layout_t *l, uint32_t character) {
  for (uint32_t i = 0; i < l->glyphs.count; ++i)
    if (l->glyphs.items[i].character == character)
      return l->glyphs.items[i].x;
  fail_msg("character %u has no glyph", character);
  return 0.0f;
}

#define HEBREW "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D" // a word of four letters
#define SALAM "\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85"  // seen, lam, alef, meem; lam and alef form a ligature

TEST_IN(right_to_left_text_is_reordered, scripts_type_fixture_t, f) {
  const text_layout_t *l = lay_out(f, "ab " HEBREW " 12");
  // The Latin letters are on the left.
  assert_true(find_glyph_x(l, 0) < find_glyph_x(l, 1) && find_glyph_x(l, 1) < find_glyph_x(l, 9));
  // the digits are left of the Hebrew word that they belong to
  assert_true(find_glyph_x(l, 9) < find_glyph_x(l, 6) && find_glyph_x(l, 6) < find_glyph_x(l, 3));
  l = lay_out(f, HEBREW " ab.");
  assert_true(find_glyph_x(l, 0) > find_glyph_x(l, 3) && find_glyph_x(l, 3) > find_glyph_x(l, 6) &&
              find_glyph_x(l, 6) > find_glyph_x(l, 5));
  assert_true(find_glyph_x(l, 7) < find_glyph_x(l, 5)); // the full stop is on the left
  f->style.markup = true;
  f->style.carets = true;
  l = lay_out(f, HEBREW);
  assert_int_equal(l->carets.count, 5);
  assert_true(fabsf(l->carets.items[0].x - l->width) < 0.01f && l->carets.items[4].x == 0.0f);
  assert_int_equal(f->logged.lines, 0);
}

TEST_IN(arabic_letters_take_their_joined_forms, scripts_type_fixture_t, f) {
  const text_layout_t *l = lay_out(f, SALAM);
  assert_int_equal(l->glyphs.count, 3);
  uint32_t joined = l->glyphs.items[2].glyph;
  assert_int_equal(l->glyphs.items[2].character, 0); // the first letter is on the right
  l = lay_out(f, "\xD8\xB3");
  assert_int_equal(l->glyphs.count, 1);
  assert_true(l->glyphs.items[0].glyph != joined); // the isolated form of the letter differs
  f->style.wrap = 20.0f;
  l = lay_out(f, SALAM); // a word may break between joined letters
  assert_true(l->lines.count > 1);
  assert_int_equal(f->logged.lines, 0);
}

// A text of eight characters.
#define AGO "\xE5\x90\xBE\xE8\xBC\xA9\xE3\x81\xAF\xE7\x8C\xAB\xE3\x81\xA7\xE3\x81\x82\xE3\x82\x8B\xE3\x80\x82"

TEST_IN(japanese_text_does_not_break_before_a_full_stop, scripts_type_fixture_t, f) {
  f->style.wrap = 20.0f * 4 + 1; // wide enough for four characters
  const text_layout_t *l = lay_out(f, AGO);
  assert_int_equal(l->lines.count, 2);
  assert_int_equal(l->lines.items[1].first, 12);
  f->style.wrap = 20.0f * 7 + 1; // without the rule for full stops, only the full stop would move to the next line
  l = lay_out(f, AGO);
  assert_int_equal(l->lines.count, 2);
  assert_int_equal(l->lines.items[1].first, 18);
  assert_int_equal(f->logged.lines, 0);
}

TEST_IN(each_character_uses_the_first_font_that_has_it, scripts_type_fixture_t, f) {
  const text_layout_t *l = lay_out(f, "a\xE4\xB8\xAD" HEBREW);
  assert_true(l->glyphs.items[0].face != l->glyphs.items[1].face);
  assert_true(l->glyphs.items[1].face != l->glyphs.items[2].face && l->glyphs.items[1].face != TEXT_NO_FACE);
  uint32_t own = l->glyphs.items[0].face, chinese = l->glyphs.items[1].face;
  assert_int_equal(lay_out(f, "12")->glyphs.items[0].face, own); // used although a fallback font has the character, too
  f->style.font = "cjk.ttf";
  assert_int_equal(lay_out(f, "a\xE4\xB8\xAD")->glyphs.items[1].face, chinese);
  typesetter_set_fallbacks(f->type, "");
  f->style.font = "";
  assert_int_equal(lay_out(f, "\xE4\xB8\xAD")->glyphs.items[0].face, TEXT_NO_FACE);
  assert_int_equal(f->logged.lines, 1);
}

// --- random text

static uint32_t random_below(random_t *r, size_t limit) {
  return random_u32(r) % (uint32_t)limit;
}

static uint32_t make_random_markup(char *out, uint32_t limit, random_t *r) {
  static const char *const PIECES[] = {"[color=#fff]",
                                       "[/color]",
                                       "[size=50%]",
                                       "[/]",
                                       "[icon=a.png 2]",
                                       "[font=cjk.ttf]",
                                       "[key=Left Shift]",
                                       "[pad=Circle]",
                                       "[prompt=jump]",
                                       "[[",
                                       "]",
                                       " ",
                                       "\n",
                                       "\t",
                                       "word",
                                       "fi",
                                       HEBREW,
                                       SALAM,
                                       AGO,
                                       "(",
                                       ")",
                                       "12",
                                       "\xFF",
                                       "\xE2\x80\xAE",
                                       "\xE2\x80\x8D",
                                       "\xCC\x81",
                                       "\xF0\x9F\x98\x80",
                                       "\xE2\x81\xA7",
                                       "-"};
  uint32_t used = 0;
  for (uint32_t pieces = random_below(r, 30); pieces > 0; --pieces) {
    const char *piece = PIECES[random_below(r, sizeof PIECES / sizeof *PIECES)];
    if (used + strlen(piece) >= limit)
      break;
    used += (uint32_t)snprintf(out + used, limit - used, "%s", piece);
    if (random_below(r, 8) == 0 && used + 1 < limit)
      out[used++] = (char)(1 + random_below(r, 255));
  }
  out[used] = '\0';
  return used;
}

static double read_child_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

// A font with more characters than can be rendered in 50 ms of CPU time takes that long.
TEST(font_with_few_characters_is_checked_in_40_ms) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t bytes;
  char *font = file_read(&memory, "scripts/games/lantern/assets/pixels.ttf", &bytes, &error);
  double min_ms = 1e9;
  assert_non_null(font);
  for (int i = 0; i < 12; ++i) {
    double before_ms = read_child_ms();
    assert_true(font_check_run(font, bytes, &error));
    min_ms = fmin(min_ms, read_child_ms() - before_ms);
  }
  assert_in_range((uintmax_t)min_ms, 0, (uintmax_t)(40 * cpu_slowdown()));
  file_free(&memory, font, bytes);
}

TEST_IN(random_text_gets_a_valid_layout, scripts_type_fixture_t, f) {
  random_t r;
  random_seed(&r, 11);
  typesetter_set_prompt(f->type, "jump", "\1kA\2 / \1pB\2");
  for (int round = 0; round < 4000; ++round) {
    char text[400];
    uint32_t bytes = make_random_markup(text, sizeof text, &r);
    f->style.wrap = random_below(&r, 3) ? (float)random_below(&r, 300) : 0.0f;
    f->style.align = (text_align_t)random_below(&r, 3);
    f->style.valign = (text_valign_t)random_below(&r, 3);
    f->style.markup = random_below(&r, 2);
    f->style.carets = random_below(&r, 2);
    const text_layout_t *l = typesetter_layout(f->type, &f->style, text, bytes);
    for (uint32_t i = 0; i < l->glyphs.count; ++i) {
      const text_glyph_t *g = &l->glyphs.items[i];
      assert_true(g->span < l->spans.count && g->character < l->characters && isfinite(g->x) && isfinite(g->y));
      assert_true(g->y >= l->y - 40 && g->y <= l->y + l->height + 40);
    }
    for (uint32_t i = 0; i < l->lines.count; ++i)
      assert_true(l->lines.items[i].first <= l->lines.items[i].end && l->lines.items[i].end <= bytes);
    for (uint32_t i = 0; i < l->carets.count; ++i) {
      const text_caret_t *c = &l->carets.items[i];
      assert_true(c->offset <= bytes && c->line < l->lines.count && isfinite(c->x));
      assert_true(i == 0 || c->offset >= l->carets.items[i - 1].offset);
    }
  }
}

// Writes random text of characters that are often kerned, form ligatures, or stand at the end of a line.
static void write_random_text(random_t *random, char out[41]) {
  static const char ALPHABET[] = "AVTo.,fil tj  0123456789-hWyr:'[]fé\n";
  uint32_t length = random_below(random, 40) + 1, kind = random_below(random, 3);
  for (uint32_t i = 0; i < length; ++i)
    out[i] = kind == 0 ? (char)(' ' + random_below(random, 95))
                       : ALPHABET[random_below(random, kind == 1 ? sizeof ALPHABET - 5 : sizeof ALPHABET - 1)];
  out[length] = '\0';
}

static void require_measured_size_of_layout(type_fixture_t *f, const char *text) {
  float measured[2];
  typesetter_measure(f->type, &f->style, text, &measured[0], &measured[1]);
  const text_layout_t *l = lay_out(f, text);
  float laid_out[2] = {l->width, l->height};
  if (memcmp(measured, laid_out, sizeof measured) != 0)
    fail_msg("\"%s\" in %s at %g, wrapped at %.9g: measured %.9g × %.9g, laid out %.9g × %.9g", text, f->style.font,
             (double)f->style.size, (double)f->style.wrap, (double)measured[0], (double)measured[1],
             (double)laid_out[0], (double)laid_out[1]);
}

TEST_IN(measured_size_of_random_text_equals_the_size_of_its_layout, type_fixture_t, f) {
  static const char *const FONTS[] = {"", "fonts/ui-bold.ttf", "fonts/mono.ttf", "missing.ttf, fonts/ui-bold.ttf"};
  random_t random;
  char text[41];
  random_seed(&random, 11);
  log_mute(f->logged.log, true); // random tags are invalid
  for (uint32_t i = 0; i < 20000; ++i) {
    f->style = (text_style_t){.font = FONTS[random_below(&random, 4)], .markup = random_below(&random, 4) == 0};
    f->style.size = 4.0f + 0.37f * (float)random_below(&random, 100);
    f->style.wrap = random_below(&random, 3) == 0 ? (float)random_below(&random, 400) : 0.0f;
    write_random_text(&random, text);
    require_measured_size_of_layout(f, text);
  }
}

TEST_IN(text_wraps_like_its_layout_at_widths_next_to_the_widths_of_its_beginnings, type_fixture_t, f) {
  random_t random;
  char text[41], beginning[41];
  random_seed(&random, 12);
  for (uint32_t i = 0; i < 20000; ++i) {
    float width, height;
    f->style = (text_style_t){.font = "", .size = 4.0f + 0.37f * (float)random_below(&random, 100)};
    write_random_text(&random, text);
    snprintf(beginning, random_below(&random, (uint32_t)strlen(text)) + 2, "%s", text);
    typesetter_measure(f->type, &f->style, beginning, &width, &height);
    f->style.wrap = (float)(((double)width - 1e-3) / 1.000001); // without the tolerance for rounding errors
    for (uint32_t k = random_below(&random, 3); k > 0; --k)
      f->style.wrap = nextafterf(f->style.wrap, random_below(&random, 2) ? 0.0f : 1e6f);
    f->style.wrap = fmaxf(f->style.wrap, 0.0f);
    require_measured_size_of_layout(f, text);
  }
}
