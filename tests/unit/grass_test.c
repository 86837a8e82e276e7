// The grass plugin: its file format and its limit of blades per field.
#include "plugins/grass/blades.h"
#include "plugins/grass/grass_file.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *parse_grass(const char *text, grass_kind_t *out) {
  static char problem[200];
  char words[160];
  uint32_t line = 0;
  if (grass_read(out, text, strlen(text), &line, words, sizeof words))
    return NULL;
  snprintf(problem, sizeof problem, "%u: %s", line, words);
  return problem;
}

TEST(grass_file_sets_the_given_values_and_keeps_defaults) {
  grass_kind_t g, own;
  assert_null(parse_grass(
      "# June\nblades 2 # many\n\n\theight 10 20\r\ntips #ff0000 #00FF00 # two\nflowers 0\nroot #010203", &g));
  assert_true(g.blades == 2.0f && g.height[0] == 10.0f && g.height[1] == 20.0f && g.flowers == 0.0f);
  assert_int_equal(g.tip_count, 2);
  assert_int_equal(g.tips[1][1], 255);
  assert_int_equal(g.root[2], 3);
  assert_int_equal(blades_palette_columns(&g), 2); // without flowers there are no columns for petals
  grass_set_defaults(&own);
  assert_null(parse_grass("", &g));
  assert_memory_equal(&g, &own, sizeof g);
}

TEST(grass_file_error_names_its_line) {
  static const char *const WRONG[][2] = {
      {"blades\n", "1: blades must have 1 number from 0 to 8, got “”"},
      {"\nheight 10\n", "2: height must have 2 numbers from 1 to 400, got “”"},
      {"width 1 x", "1: width must have 2 numbers from 0.2 to 60, got “x”"},
      {"wind nan 1 1", "1: wind must have 1 number from 0 to 2, got “nan”"},
      {"shine 1e9", "1: shine must have 1 number from 0 to 4, got “1e9”"},
      {"root", "1: root must be a colour such as #16321f"},
      {"root #12345g", "1: root must be a colour such as #16321f"},
      {"tips", "1: tips must have a colour such as #8fc04a"},
      {"tips red", "1: tips must have colours such as #8fc04a, got “red”"},
      {"tips #111111 #111111 #111111 #111111 #111111 #111111 #111111 #111111 #111111",
       "1: tips has too many colours (at most 8)"},
      {"flowers 0.5", "1: flowers must have a colour such as #8fc04a"},
      {"blades 1 2", "1: blades has too many values: remove the values at the end of the line"},
      {"root #111111 #222222", "1: root has too many values: remove the values at the end of the line"},
      {"#\nheigth 1 2", "2: heigth is unknown: expected blades, height, width, root, tips, flowers, wind or shine"},
  };
  grass_kind_t g;
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    const char *problem = parse_grass(WRONG[i][0], &g);
    assert_non_null(problem);
    assert_string_equal(problem, WRONG[i][1]);
  }
}

TEST(blade_count_is_limited_and_blades_are_deterministic) {
  grass_kind_t g;
  blades_t a = {0}, b = {0};
  grass_set_defaults(&g);
  g.blades = 8;
  const blades_desc_t large = {&g, 0, 0, 16384, 16384, 16, 1}, small = {&g, 10, 20, 300, 1, 1, 7};
  blades_build(&a, &large);
  assert_in_range(a.count, BLADES_MAX / 2, BLADES_MAX);
  assert_int_equal(a.rows[a.row_count], a.count);
  blades_build(&a, &small); // reuses the memory of the larger field
  blades_build(&b, &small);
  assert_int_equal(a.row_count, 1);
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.vertices, b.vertices, a.count * BLADES_VERTICES * sizeof *a.vertices);
  blades_free(&a);
  blades_free(&b);
}
