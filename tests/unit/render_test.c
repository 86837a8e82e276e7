// The real renderer on SDL's offscreen driver, looked at through its screenshots.
#include "components_fixture.h"
#include "render_stage.h"

static int setup_tall(void **state) {
  return stage_open(state, 640, 480);
}

static void shapes_are_where_they_should_be_and_their_edges_are_smooth(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  draw_circle(s->draw, 50, 50, 20, true, 0);
  draw_colour(s->draw, 1, 0, 0, 1);
  draw_rect(s->draw, 100, 40, 20, 20, true, 0);
  draw_colour(s->draw, 0, 1, 0, 1);
  draw_line(s->draw, 150, 50, 190, 50, 4);
  const float triangle[] = {220, 30, 260, 30, 220, 70};
  draw_colour(s->draw, 0, 0, 1, 1);
  draw_polygon(s->draw, triangle, 3, true, 0);
  stage_take(s, NULL);
  assert_int_equal(s->width, 320);
  stage_assert_pixel(s, 5, 5, 5, 5, 13); // the background
  stage_assert_pixel(s, 50, 50, 255, 255, 255);
  stage_assert_pixel(s, 100, 40, 255, 0, 0);
  stage_assert_pixel(s, 119, 59, 255, 0, 0);
  stage_assert_pixel(s, 120, 60, 5, 5, 13);
  stage_assert_pixel(s, 170, 49, 0, 255, 0);
  stage_assert_pixel(s, 170, 53, 5, 5, 13);
  stage_assert_pixel(s, 225, 35, 0, 0, 255);
  stage_assert_pixel(s, 255, 65, 5, 5, 13);
  int between = 0;
  for (int x = 25; x < 75; ++x)
    between += stage_red(s, x, 36) > 20 && stage_red(s, x, 36) < 240;
  assert_true(between >= 2);
}

static void translucent_outlines_have_no_bright_joints(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  const float square[] = {40, 40, 140, 40, 140, 140, 40, 140};
  draw_colour(s->draw, 1, 1, 1, 0.5f);
  draw_blend(s->draw, true);
  draw_polygon(s->draw, square, 4, false, 12);
  stage_take(s, NULL);
  int most = 0, seen = 0;
  for (int y = 30; y < 150; ++y) {
    for (int x = 30; x < 150; ++x) {
      most = stage_red(s, x, y) > most ? stage_red(s, x, y) : most;
      seen += stage_red(s, x, y) > 120;
    }
  }
  assert_int_equal(most, stage_red(s, 90, 40));
  assert_true(seen > 4700 && seen < 4900); // 4 · 100 · 12, less the round corners
}

static void bars_around_the_picture_are_black_with_and_without_bloom(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  void *opened = NULL;
  fixture_setup(&opened);
  fixture_t *f = opened;
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  transform_update(f->world);
  draw_rect(s->draw, 0, 0, 320, 180, true, 0);
  for (int i = 0; i < 2; ++i) {
    set(f, camera, "camera", "bloom", i);
    stage_take(s, f->world);
    assert_int_equal(s->width, 640);
    stage_assert_pixel(s, 320, 240, 255, 255, 255);
    stage_assert_pixel(s, 2, 62, 255, 255, 255);
    stage_assert_pixel(s, 2, 57, 0, 0, 0);
    stage_assert_pixel(s, 637, 477, 0, 0, 0);
  }
  fixture_teardown(&opened);
}

static void bloom_glows_around_what_is_bright_and_leaves_black_black(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  void *opened = NULL;
  fixture_setup(&opened);
  fixture_t *f = opened;
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  set(f, camera, "camera", "bloom", 0.8);
  for (int i = 0; i < 3; ++i)
    set(f, camera, "camera", i == 0 ? "background.x" : i == 1 ? "background.y" : "background.z", 0);
  transform_update(f->world);
  stage_take(s, f->world);
  for (int i = 0; i < s->width * s->height * 3; ++i)
    assert_int_equal(s->pixels[i], 0);
  draw_circle(s->draw, 160, 90, 10, true, 0);
  stage_take(s, f->world);
  assert_true(stage_red(s, 160, 90) > 240);
  assert_true(stage_red(s, 174, 90) > 15 && stage_red(s, 174, 90) < 220);
  assert_true(stage_red(s, 174, 90) > stage_red(s, 190, 90));
  draw_space(s->draw, true);
  draw_layer(s->draw, RENDER_OVERLAY_LAYER);
  draw_colour(s->draw, 0.5f, 0.5f, 0.5f, 1);
  draw_rect(s->draw, 165, 80, 40, 20, true, 0);
  stage_take(s, f->world);
  stage_assert_pixel(s, 174, 90, 128, 128, 128); // as it is, over the glow
  fixture_teardown(&opened);
}

static void texts_and_missing_images_are_seen(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  draw_text(s->draw, "HELLO", 10, 10, 40, 0, 0);
  draw_image(s->draw, "none.png", 200, 100, 0, 1, 1, 0);
  draw_image(s->draw, "none.png", 250, 100, 0, 1, 1, 0);
  stage_take(s, NULL);
  stage_take(s, NULL);
  int bright = 0;
  float width, height;
  render_text_size(s->render, &(text_style_t){.size = 40, .wrap = 0}, "HELLO", &width, &height);
  for (int y = 10; y < 10 + (int)height; ++y)
    for (int x = 10; x < 10 + (int)width; ++x)
      bright += stage_red(s, x, y) > 200;
  assert_true(bright > 300);
  stage_assert_pixel(s, 188, 88, 255, 0, 255);
  stage_assert_pixel(s, 196, 88, 0, 0, 0);
  assert_int_equal(s->heard.lines, 1);
  assert_non_null(strstr(s->heard.last, "none.png: not found (searched "));
}

static void the_null_twin_measures_texts_logs_missing_images_and_takes_no_screenshot(void **state) {
  (void)state;
  heard_t heard;
  heard_init(&heard);
  assets_t assets = engine_assets();
  error_t error = {0};
  void *opened = NULL;
  fixture_setup(&opened);
  fixture_t *f = opened;
  platform_o *p = platform_create(&(platform_desc_t){.headless = true, .log = heard.log}, NULL);
  render_o *r = render_create(&(render_desc_t){.platform = p, .assets = &assets, .log = heard.log}, &error);
  shoal_entity e = place(f, 1, 1);
  add(f, e, "sprite");
  set(f, e, "sprite", "image", strings_intern(world_strings(f->world), "hero.png"));
  for (int i = 0; i < 3; ++i)
    render_frame(r, f->world, NULL, NULL, 0.5f);
  assert_int_equal(heard.lines, 1);
  assert_non_null(strstr(heard.last, "hero.png"));
  float width = 0, height = 0;
  render_text_size(r, &(text_style_t){.size = 20}, "hello", &width, &height);
  assert_true(width > 20 && height > 15);
  assert_false(render_screenshot(r, "/tmp/none.png", &error));
  assert_non_null(strstr(error.text, "headless"));
  render_destroy(r);
  platform_destroy(p);
  fixture_teardown(&opened);
  log_destroy(heard.log);
}

int render_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(shapes_are_where_they_should_be_and_their_edges_are_smooth, stage_setup,
                                      stage_teardown),
      cmocka_unit_test_setup_teardown(translucent_outlines_have_no_bright_joints, stage_setup, stage_teardown),
      cmocka_unit_test_setup_teardown(bars_around_the_picture_are_black_with_and_without_bloom, setup_tall,
                                      stage_teardown),
      cmocka_unit_test_setup_teardown(bloom_glows_around_what_is_bright_and_leaves_black_black, stage_setup,
                                      stage_teardown),
      cmocka_unit_test_setup_teardown(texts_and_missing_images_are_seen, stage_setup, stage_teardown),
      cmocka_unit_test(the_null_twin_measures_texts_logs_missing_images_and_takes_no_screenshot),
  };
  return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
