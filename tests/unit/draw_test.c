// The draw list: render/draw.h.
#include "draw_fixture.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state) {
  *state = draw_create();
  return 0;
}

static int teardown(void **state) {
  draw_destroy(*state);
  return 0;
}
FIXTURE(draw_o, setup, teardown)

TEST_IN(draw_commands_keep_their_order_and_state, draw_o, d) {
  draw_line(d, 0, 0, 1, 1, 2);
  draw_set_layer(d, -3);
  draw_set_colour(d, 1, 0, 0, 0.5f);
  draw_set_blend(d, true);
  draw_set_space(d, true);
  draw_circle(d, 5, 6, 7, true, 0);
  draw_set_layer(d, 9);
  draw_rect(d, 1, 2, 3, 4, false, 1.5f);
  assert_int_equal(draw_count(d), 3);
  const draw_command_t *c = d->commands.items;
  assert_int_equal(c[0].kind, DRAW_POLYLINE);
  assert_true(c[0].colour[1] == 1.0f && c[0].layer == 0 && !c[0].screen && !c[0].add);
  assert_int_equal(c[1].kind, DRAW_CIRCLE);
  assert_true(c[1].colour[1] == 0.0f && c[1].layer == -3 && c[1].screen && c[1].add && c[1].filled);
  assert_int_equal(c[2].kind, DRAW_RECT);
  assert_true(c[2].layer == 9 && c[2].line_width == 1.5f);
}

// The badge of a paused game does not cover text, including text that is drawn as strokes.
TEST_IN(draw_finds_text_in_screen_space, draw_o, d) {
  draw_text(d, "SCORE", 100, 100, 20, 0, 0);
  assert_false(draw_has_text_in(d, 90, 90, 100, 30)); // the text is in world space
  draw_set_space(d, true);
  draw_rect(d, 0, 0, 1280, 720, true, 0);
  draw_line(d, 0, 300, 1280, 300, 2); // longer than a stroke
  assert_false(draw_has_text_in(d, 90, 290, 100, 30));
  draw_text(d, "SCORE", 100, 100, 20, 0, 0);
  draw_text(d, "1:30", 600, 100, 20, 2, 0);
  draw_line(d, 1000, 100, 1000, 120, 2);
  assert_true(draw_has_text_in(d, 90, 90, 100, 30));
  assert_true(draw_has_text_in(d, 560, 90, 30, 30)); // the text "1:30" is aligned right
  assert_true(draw_has_text_in(d, 990, 90, 100, 30));
  assert_false(draw_has_text_in(d, 300, 90, 100, 30));
}

TEST_IN(draw_list_copies_strings_and_points, draw_o, d) {
  char text[] = "score 12", font[] = "fonts/mono.ttf";
  float xy[] = {0, 0, 10, 0, 5, 8};
  draw_set_font(d, font);
  draw_text(d, text, 1, 2, 24, 1, 0);
  draw_polygon(d, xy, 3, true, 0);
  memset(text, 'x', sizeof text - 1);
  memset(font, 'x', sizeof font - 1);
  memset(xy, 0, sizeof xy);
  for (int i = 0; i < 1000; ++i) // makes the lists reallocate
    draw_text(d, "more", 0, 0, 10, 0, 0);
  const draw_command_t *c = d->commands.items;
  assert_string_equal(draw_get_text(d, c[0].first), "score 12");
  assert_string_equal(draw_get_text(d, c[0].font), "fonts/mono.ttf");
  assert_int_equal(c[1].count, 3);
  assert_true(d->points.items[2 * c[1].first + 5] == 8.0f);
  assert_string_equal(draw_get_text(d, c[1000].first), "more");
}

TEST_IN(new_frame_starts_empty_with_the_default_state, draw_o, d) {
  draw_set_layer(d, 5);
  draw_set_font(d, "fonts/mono.ttf");
  draw_text(d, "old", 0, 0, 10, 0, 0);
  draw_clear(d);
  assert_int_equal(draw_count(d), 0);
  draw_text(d, "new", 0, 0, 10, 0, 0);
  const draw_command_t *c = d->commands.items;
  assert_int_equal(c->layer, 0);
  assert_string_equal(draw_get_text(d, c->font), "");
  assert_string_equal(draw_get_text(d, c->first), "new");
}

TEST_IN(draw_reset_restores_the_default_state, draw_o, d) {
  draw_text(d, "plain", 0, 0, 10, 0, 0);
  draw_set_space(d, true);
  draw_set_view(d, 3);
  draw_set_clip(d, 1, 2, 3, 4);
  draw_set_layer(d, 5);
  draw_set_colour(d, 1, 0, 0, 0.5f);
  draw_set_blend(d, true);
  draw_set_font(d, "fonts/mono.ttf");
  draw_set_text_style(d, &(draw_text_style_t){.markup = true});
  draw_text(d, "looks otherwise", 0, 0, 10, 0, 0);
  draw_reset(d);
  draw_text(d, "plain", 0, 0, 10, 0, 0);
  draw_command_t *c = d->commands.items;
  assert_memory_not_equal(&c[1], &c[0], sizeof *c);
  c[2].first = c[0].first; // the string is stored twice, so only its offset may differ
  assert_memory_equal(&c[2], &c[0], sizeof *c);
}

TEST_IN(invisible_draw_calls_add_no_command, draw_o, d) {
  const float xy[] = {0, 0};
  draw_text(d, "", 0, 0, 10, 0, 0);
  draw_text(d, NULL, 0, 0, 10, 0, 0);
  draw_image(d, "", 0, 0, 0, 1, 1, 0);
  draw_polygon(d, xy, 1, true, 1);
  assert_int_equal(draw_count(d), 0);
}
