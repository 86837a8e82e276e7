// The real renderer with SDL's offscreen driver, checked by screenshots.
#include "components_fixture.h"
#include "render_stage.h"
#include "temporary_folder.h"

static int setup_tall_screen(void **state) {
  return stage_open(state, 640, 480);
}
typedef stage_t tall_screen_stage_t;
FIXTURE(tall_screen_stage_t, setup_tall_screen, stage_teardown)

static int setup_wide_screen(void **state) {
  return stage_open(state, 640, 180);
}
typedef stage_t wide_screen_stage_t;
FIXTURE(wide_screen_stage_t, setup_wide_screen, stage_teardown)

FIXTURE(stage_t, stage_setup, stage_teardown)

TEST_IN(shapes_are_drawn_in_place_with_smooth_edges, stage_t, s) {
  NEEDS_GL(s);
  draw_circle(s->draw, 50, 50, 20, true, 0);
  draw_set_colour(s->draw, 1, 0, 0, 1);
  draw_rect(s->draw, 100, 40, 20, 20, true, 0);
  draw_set_colour(s->draw, 0, 1, 0, 1);
  draw_line(s->draw, 150, 50, 190, 50, 4);
  const float triangle[] = {220, 30, 260, 30, 220, 70};
  draw_set_colour(s->draw, 0, 0, 1, 1);
  draw_polygon(s->draw, triangle, 3, true, 0);
  stage_capture(s, NULL);
  assert_int_equal(s->width, 320);
  stage_assert_pixel(s, 5, 5, 5, 5, 13); // a pixel of the background
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

TEST_IN(translucent_outlines_have_no_bright_joints, stage_t, s) {
  NEEDS_GL(s);
  const float square[] = {40, 40, 140, 40, 140, 140, 40, 140};
  draw_set_colour(s->draw, 1, 1, 1, 0.5f);
  draw_set_blend(s->draw, true);
  draw_polygon(s->draw, square, 4, false, 12);
  stage_capture(s, NULL);
  int max_red = 0, seen = 0;
  for (int y = 30; y < 150; ++y) {
    for (int x = 30; x < 150; ++x) {
      max_red = stage_red(s, x, y) > max_red ? stage_red(s, x, y) : max_red;
      seen += stage_red(s, x, y) > 120;
    }
  }
  assert_int_equal(max_red, stage_red(s, 90, 40));
  assert_true(seen > 4700 && seen < 4900); // 4 · 100 · 12 pixels, minus the rounded corners
}

TEST_IN(letterbox_bars_are_black_with_and_without_bloom, tall_screen_stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  transform_update_child_lists(f->world);
  draw_rect(s->draw, 0, 0, 320, 180, true, 0);
  for (int i = 0; i < 2; ++i) {
    set(f, camera, "camera", "bloom", i);
    stage_capture(s, f->world);
    assert_int_equal(s->width, 640);
    stage_assert_pixel(s, 320, 240, 255, 255, 255);
    stage_assert_pixel(s, 2, 62, 255, 255, 255);
    stage_assert_pixel(s, 2, 57, 0, 0, 0);
    stage_assert_pixel(s, 637, 477, 0, 0, 0);
  }
  fixture_close(f);
}

TEST_IN(expanded_picture_shows_the_world_and_the_screen_to_the_edges_of_the_window, tall_screen_stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  for (int i = 0; i < 3; ++i)
    set(f, camera, "camera", i == 0 ? "background.x" : i == 1 ? "background.y" : "background.z", i == 2 ? 0.5 : 0);
  transform_update_child_lists(f->world);
  render_set_screen(s->render, 320, 180, LETTERBOX_EXPAND, false);
  draw_set_colour(s->draw, 0.5f, 0, 0, 1);
  draw_rect(s->draw, 0, -30, 10, 10, true, 0); // above the logical screen, which begins 60 pixels below the top
  draw_circle(s->draw, 160, 200, 4, true, 0);  // drawn as a point
  draw_set_space(s->draw, true);
  draw_set_colour(s->draw, 0, 0.5f, 0, 1);
  draw_rect(s->draw, 310, 195, 10, 15, true, 0); // bottom right corner of the window
  for (int i = 0; i < 2; ++i) {
    set(f, camera, "camera", "bloom", i * 0.001);
    stage_capture(s, f->world);
    stage_assert_pixel(s, 300, 2, 0, 0, 128);
    stage_assert_pixel(s, 10, 10, 128, 0, 0);
    stage_assert_pixel(s, 10, 25, 0, 0, 128);
    stage_assert_pixel(s, 320, 460, 128, 0, 0);
    stage_assert_pixel(s, 638, 478, 0, 128, 0);
    stage_assert_pixel(s, 638, 447, 0, 0, 128);
  }
  fixture_close(f);
}

TEST_IN(outer_views_of_a_split_screen_continue_to_the_edges_of_the_window, wide_screen_stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  for (int i = 0; i < 2; ++i) {
    shoal_entity camera = place(f, 1000 * i, 0);
    add(f, camera, "camera");
    set(f, camera, "camera", i ? "background.x" : "background.z", 1);
    add(f, camera, "viewport");
    set(f, camera, "viewport", "x", 160 * i);
    set(f, camera, "viewport", "width", 150 + 10 * i); // the left view has a gap of 10 pixels to the right one
  }
  transform_update_child_lists(f->world);
  render_set_screen(s->render, 320, 180, LETTERBOX_EXPAND, false);
  draw_rect(s->draw, -235, -10, 20, 20, true, 0); // left edge of the window
  draw_rect(s->draw, 1000, -10, 20, 20, true, 0); // middle of the right view
  draw_rect(s->draw, 1225, -10, 20, 20, true, 0); // right edge of the window
  stage_capture(s, f->world);
  stage_assert_pixel(s, 5, 90, 255, 255, 255);
  stage_assert_pixel(s, 309, 90, 5, 5, 255);
  stage_assert_pixel(s, 315, 90, 0, 0, 0);
  stage_assert_pixel(s, 322, 90, 255, 5, 13);
  stage_assert_pixel(s, 410, 90, 255, 255, 255);
  stage_assert_pixel(s, 634, 90, 255, 255, 255);
  stage_assert_pixel(s, 600, 3, 255, 5, 13);
  fixture_close(f);
}

TEST_IN(bloom_glows_around_bright_colours_only, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  set(f, camera, "camera", "bloom", 0.8);
  for (int i = 0; i < 3; ++i)
    set(f, camera, "camera", i == 0 ? "background.x" : i == 1 ? "background.y" : "background.z", 0);
  transform_update_child_lists(f->world);
  stage_capture(s, f->world);
  for (int i = 0; i < s->width * s->height * 3; ++i)
    assert_int_equal(s->pixels[i], 0);
  draw_circle(s->draw, 160, 90, 10, true, 0);
  stage_capture(s, f->world);
  assert_true(stage_red(s, 160, 90) > 240);
  assert_true(stage_red(s, 174, 90) > 15 && stage_red(s, 174, 90) < 220);
  assert_true(stage_red(s, 174, 90) > stage_red(s, 190, 90));
  draw_set_space(s->draw, true);
  draw_set_layer(s->draw, RENDER_OVERLAY_LAYER);
  draw_set_colour(s->draw, 0.5f, 0.5f, 0.5f, 1);
  draw_rect(s->draw, 165, 80, 40, 20, true, 0);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 174, 90, 128, 128, 128); // the glow does not change the colour of the overlay
  fixture_close(f);
}

// Writes an uncompressed 8 × 8 TGA whose texels all differ, so that a flipped image can be detected.
static void write_texel_image(const assets_t *a) {
  uint8_t tga[18 + 8 * 8 * 4] = {[2] = 2, [12] = 8, [14] = 8, [16] = 32, [17] = 0x28};
  char path[600];
  for (int i = 0; i < 64; ++i) {
    const uint8_t texel[4] = {(uint8_t)(i * 4), (uint8_t)(255 - i * 3), (uint8_t)(i % 8 * 30), 255};
    memcpy(&tga[18 + 4 * i], texel, sizeof texel);
  }
  snprintf(path, sizeof path, "%s/texels.tga", a->game);
  assert_true(file_write(path, tga, sizeof tga, NULL));
}

static void draw_discs(stage_t *s) {
  for (int i = 0; i < 60; ++i) { // some centres are outside the screen
    draw_set_colour(s->draw, 0.2f + 0.01f * (float)i, 1.0f - 0.015f * (float)i, 0.5f, i % 3 ? 1.0f : 0.6f);
    draw_circle(s->draw, (float)(i * 37 % 340) - 9.7f, (float)(i * 23 % 200) - 9.3f, 0.8f + (float)(i % 15), true, 0);
  }
}

static void draw_texels(stage_t *s, float fraction, float scale) {
  for (int i = 0; i < 60; ++i)
    draw_image(s->draw, "texels.tga", (float)(i * 37 % 340) - 10.0f + fraction,
               (float)(i * 23 % 200) - 10.0f + fraction, 0, i % 4 == 1 ? -scale : scale, i % 4 == 2 ? -scale : scale,
               0);
}

static int count_bright(const stage_t *s) {
  int count = 0;
  for (int i = 0; i < s->width * s->height; ++i)
    count += s->pixels[3 * i + 1] > 40;
  return count;
}

// Alone, the items are drawn as points. An additional item in the lower corner, which cannot be a point, forces the
// whole batch to be drawn as quads, which must look the same.
static void assert_quads_look_the_same(stage_t *s, const char *what) {
  size_t bytes = (size_t)s->width * (size_t)s->height * 3;
  uint8_t *points = malloc(bytes);
  memcpy(points, s->pixels, bytes);
  if (strcmp(what, "discs") == 0)
    draw_rect(s->draw, 0, 170, 10, 10, true, 0);
  else
    draw_image(s->draw, "texels.tga", 5, 175, 0, 1.25f, 1, 0);
  stage_capture(s, NULL);
  for (int i = 0; i < s->width * s->height; ++i)
    if (i % s->width >= 11 || i / s->width < 169)
      for (int k = 0; k < 3; ++k)
        if (abs(points[3 * i + k] - s->pixels[3 * i + k]) > 3)
          fail_msg("%s, pixel %d, %d: %d as a point, else %d", what, i % s->width, i / s->width, points[3 * i + k],
                   s->pixels[3 * i + k]);
  free(points);
}

TEST_IN(circles_and_squares_look_the_same_when_drawn_as_points, stage_t, s) {
  NEEDS_GL(s);
  temporary_folder_create(s->assets.game, sizeof s->assets.game, "points");
  write_texel_image(&s->assets);
  draw_clear(s->draw);
  draw_discs(s);
  stage_capture(s, NULL);
  int outside = 0;
  for (int y = 0; y < s->height; ++y)
    outside += stage_red(s, 0, y) > 30;
  assert_true(outside > 20); // items whose centre is left of the screen
  assert_quads_look_the_same(s, "discs");
  static const float FRACTIONS[] = {0.0f, 0.37f}, SCALES[] = {1.0f, 1.7f};
  for (int i = 0; i < 2; ++i) {
    draw_clear(s->draw);
    draw_texels(s, FRACTIONS[i], SCALES[i]);
    stage_capture(s, NULL);
    for (int tries = 0; tries < 1000 && count_bright(s) < 1000; ++tries)
      stage_capture(s, NULL); // nothing is drawn until the image is decoded
    assert_true(count_bright(s) >= 1000);
    assert_quads_look_the_same(s, "texels");
  }
  assert_int_equal(s->logged.lines, 0);
  char path[600];
  snprintf(path, sizeof path, "%s/texels.tga", s->assets.game);
  remove(path);
  remove(s->assets.game);
}

TEST_IN(texts_and_missing_images_are_drawn, stage_t, s) {
  NEEDS_GL(s);
  draw_text(s->draw, "HELLO", 10, 10, 40, 0, 0);
  draw_image(s->draw, "none.png", 200, 100, 0, 1, 1, 0);
  draw_image(s->draw, "none.png", 250, 100, 0, 1, 1, 0);
  stage_capture(s, NULL);
  stage_capture(s, NULL);
  int bright = 0;
  float width, height;
  render_measure_text(s->render, &(text_style_t){.size = 40, .wrap = 0}, "HELLO", &width, &height);
  for (int y = 10; y < 10 + (int)height; ++y)
    for (int x = 10; x < 10 + (int)width; ++x)
      bright += stage_red(s, x, y) > 200;
  assert_true(bright > 300);
  stage_assert_pixel(s, 188, 88, 255, 0, 255);
  stage_assert_pixel(s, 196, 88, 0, 0, 0);
  assert_int_equal(s->logged.lines, 1);
  assert_non_null(strstr(s->logged.last, "none.png: not found (searched "));
}

TEST(headless_renderer_measures_text_and_logs_missing_images) {
  log_capture_t logged;
  log_capture_init(&logged);
  assets_t assets = engine_assets();
  error_info_t error = {0};
  fixture_t *f = fixture_open();
  platform_o *p = platform_create(&(platform_desc_t){.headless = true, .log = logged.log}, NULL);
  render_o *r = render_create(&(render_desc_t){.platform = p, .assets = &assets, .log = logged.log}, &error);
  shoal_entity e = place(f, 1, 1);
  add(f, e, "sprite");
  set(f, e, "sprite", "image", strings_intern(world_strings(f->world), "hero.png"));
  for (int i = 0; i < 3; ++i)
    render_frame(r, f->world, NULL, NULL, 0.5f);
  assert_int_equal(logged.lines, 1);
  assert_non_null(strstr(logged.last, "hero.png"));
  float width = 0, height = 0;
  render_measure_text(r, &(text_style_t){.size = 20}, "hello", &width, &height);
  assert_true(width > 20 && height > 15);
  assert_false(render_write_screenshot(r, "/tmp/none.png", &error));
  assert_non_null(strstr(error.text, "headless"));
  render_destroy(r);
  platform_destroy(p);
  fixture_close(f);
  log_destroy(logged.log);
}
