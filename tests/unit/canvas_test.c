// Canvases (canvas/) and how they are rendered.
#include "camera/viewport.h"
#include "camera/canvas.h"
#include "components_fixture.h"
#include "render_stage.h"

static fixture_t *open_world(void) {
  error_info_t error = {0};
  fixture_t *f = fixture_open();
  if (!canvas_declare(f->world, &error))
    fail_msg("%s", error.text);
  return f;
}

static int setup(void **state) {
  *state = open_world();
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

static void set_text(fixture_t *f, shoal_entity e, const char *component, const char *field, const char *text) {
  set(f, e, component, field, strings_intern(world_strings(f->world), text));
}

static shoal_entity spawn_canvas(fixture_t *f, double x, double y, const char *name, double width, double height) {
  shoal_entity e = place(f, x, y);
  add(f, e, "camera");
  add(f, e, "canvas");
  set_text(f, e, "canvas", "name", name);
  set(f, e, "canvas", "width", width);
  set(f, e, "canvas", "height", height);
  return e;
}

TEST_IN(canvases_are_listed_by_order_and_their_cameras_get_no_viewport, fixture_t, f) {
  canvases_t c = {0};
  viewport_t seen[VIEWPORTS_MAX];
  shoal_entity late = spawn_canvas(f, 0, 0, "late", 64, 32), early = spawn_canvas(f, 0, 0, "early", 16, 8);
  set(f, late, "canvas", "order", 3);
  set(f, early, "camera", "enabled", 0);
  shoal_entity screen = place(f, 0, 0);
  add(f, screen, "camera");
  canvases_list(&c, f->world);
  assert_int_equal(c.count, 2);
  assert_int_equal(c.items[0].camera, early);
  assert_false(c.items[0].enabled);
  assert_true(c.items[1].enabled && c.items[1].width == 64 && c.items[1].height == 32);
  assert_int_equal(canvases_find(&c, "canvas:late"), 1);
  assert_int_equal(viewports_list(f->world, 320, 180, 0, seen), 1);
  assert_int_equal(seen[0].camera, screen);
  float width, height;
  viewport_size(f->world, late, 320, 180, &width, &height);
  assert_true(width == 64 && height == 32);
  assert_int_equal(f->line_count, 0);
  canvases_fini(&c);
}

static void assert_logged(fixture_t *f, canvases_t *c, uint32_t lines, const char *words) {
  canvases_list(c, f->world);
  canvases_list(c, f->world);
  assert_int_equal(f->line_count, lines);
  if (!strstr(f->line, words))
    fail_msg("it says \"%s\" and not \"%s\"", f->line, words);
}

TEST_IN(invalid_canvas_is_logged_once, fixture_t, f) {
  canvases_t c = {0};
  shoal_entity one = spawn_canvas(f, 0, 0, "map", 0, 64);
  assert_logged(f, &c, 1, "canvas.width must be from 1 to 4096 pixels, got 0: the canvas is not drawn");
  assert_false(c.items[0].enabled);
  set(f, one, "canvas", "width", 64);
  set(f, one, "canvas", "height", 100000);
  assert_logged(f, &c, 2,
                "canvas.height must be at most 4096 pixels, got 100000: the canvas is drawn with 4096 pixels");
  assert_true(c.items[0].enabled && c.items[0].height == CANVAS_MAX_SIDE);
  set(f, one, "canvas", "height", (double)NAN);
  canvases_list(&c, f->world);
  assert_true(c.items[0].height <= CANVAS_MAX_SIDE);
  uint32_t lines = f->line_count;
  set(f, one, "canvas", "height", 64);
  shoal_entity other = spawn_canvas(f, 0, 0, "map", 64, 64);
  assert_logged(f, &c, lines + 1, "is also named \"map\"");
  assert_int_equal(c.count, 1);
  set_text(f, other, "canvas", "name", "");
  assert_logged(f, &c, lines + 2, "the canvas has no name");
  world_destroy_entity(f->world, other);
  shoal_entity blind = place(f, 0, 0);
  add(f, blind, "canvas");
  set_text(f, blind, "canvas", "name", "blind");
  assert_logged(f, &c, lines + 3, "the canvas has no camera: add camera = {} to the entity");
  assert_int_equal(canvases_find(&c, "canvas:mup"), CANVASES_MAX);
  assert_int_equal(canvases_find(&c, "canvas:mup"), CANVASES_MAX);
  assert_int_equal(f->line_count, lines + 4);
  assert_non_null(strstr(f->line, "canvas:mup: unknown canvas: did you mean map?"));
  canvases_fini(&c);
}

TEST_IN(canvases_over_the_limit_are_skipped, fixture_t, f) {
  canvases_t c = {0};
  for (uint32_t i = 0; i < CANVASES_MAX + 1; ++i) {
    char name[16];
    snprintf(name, sizeof name, "c%u", i);
    spawn_canvas(f, 0, 0, name, 8, 8);
  }
  assert_logged(f, &c, 1, "too many canvases (at most 16)");
  assert_int_equal(c.count, CANVASES_MAX);
  canvases_fini(&c);
}

static shoal_entity spawn_sprite(fixture_t *f, double x, double y, const char *image, double layer) {
  shoal_entity e = place(f, x, y);
  add(f, e, "sprite");
  set_text(f, e, "sprite", "image", image);
  set(f, e, "sprite", "layer", layer);
  return e;
}

static shoal_entity spawn_box(fixture_t *f, double x, double y, double size, double layer, const char *colour) {
  shoal_entity e = place(f, x, y);
  add(f, e, "shape");
  set(f, e, "shape", "kind", 1);
  set(f, e, "shape", "width", size);
  set(f, e, "shape", "height", size);
  set(f, e, "shape", "layer", layer);
  static const char *const PARTS[3] = {"colour.x", "colour.y", "colour.z"};
  for (int i = 0; i < 3; ++i)
    set(f, e, "shape", PARTS[i], colour[i] == '1');
  return e;
}

// Sets up a red box above a green one outside the screen, a camera with a canvas that shows them, and a sprite in the
// middle of the screen that shows the canvas.
static shoal_entity set_up_canvas(fixture_t *f) {
  spawn_box(f, 1000, 990, 20, 0, "100");
  spawn_box(f, 1000, 1010, 20, 0, "010");
  shoal_entity camera = spawn_canvas(f, 1000, 1000, "mirror", 40, 40);
  for (int i = 0; i < 3; ++i)
    set(f, camera, "camera", i == 0 ? "background.x" : i == 1 ? "background.y" : "background.z", i == 2);
  shoal_entity screen = place(f, 160, 90);
  add(f, screen, "camera");
  return camera;
}

FIXTURE(stage_t, stage_setup, stage_teardown)

TEST_IN(sprite_shows_a_canvas_upright, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = open_world();
  shoal_entity camera = set_up_canvas(f), sprite = spawn_sprite(f, 160, 90, "canvas:mirror", 0);
  transform_update_child_lists(f->world);
  for (int bloom = 0; bloom < 2; ++bloom) {
    set(f, camera, "camera", "bloom", bloom ? 0.001 : 0);
    stage_capture(s, f->world);
    const uint8_t *at = &s->pixels[(80 * s->width + 160) * 3];
    assert_true(at[0] > 230 && at[1] < 20 && stage_red(s, 160, 100) < 20); // bloom changes bright colours slightly
    assert_true(s->pixels[(90 * s->width + 144) * 3 + 2] > 230);           // shows the canvas background
    assert_true(stage_red(s, 130, 90) < 10);                               // outside the sprite
  }
  set(f, camera, "camera", "bloom", 0);
  set(f, camera, "camera", "background.w", 0); // empty areas of the canvas become transparent
  set(f, sprite, "sprite", "flip_y", 1);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 100, 255, 0, 0);
  stage_assert_pixel(s, 160, 80, 0, 255, 0);
  assert_int_equal(f->line_count, 0);
  assert_true(s->pixels[(90 * s->width + 144) * 3 + 2] < 30);
  set(f, camera, "canvas", "width", 80); // the new size takes effect in the next frame
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 80, 0, 255, 0);
  set(f, sprite, "sprite", "width", 160);
  set(f, sprite, "sprite", "height", 80);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 70, 0, 255, 0);
  stage_assert_pixel(s, 175, 120, 255, 0, 0);
  set(f, camera, "camera", "enabled", 0);
  stage_capture(s, f->world);
  assert_true(stage_red(s, 160, 100) < 10);
  fixture_close(f);
}

TEST_IN(camera_skips_its_own_canvas_and_filters_layers, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = open_world();
  shoal_entity camera = set_up_canvas(f);
  spawn_sprite(f, 160, 90, "canvas:mirror", 0);
  spawn_sprite(f, 1000, 1000, "canvas:mirror", 5); // shows the canvas within the view of the canvas's own camera
  transform_update_child_lists(f->world);
  stage_capture(s, f->world);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 80, 255, 0, 0);
  assert_non_null(strstr(f->line, "canvas:mirror: the camera of a canvas cannot draw that canvas"));
  assert_int_equal(f->line_count, 1);
  spawn_box(f, 1000, 990, 20, 9, "111");
  add(f, camera, "camera_layers");
  set(f, camera, "camera_layers", "last", 8);
  transform_update_child_lists(f->world);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 80, 255, 0, 0);
  set(f, camera, "camera_layers", "first", 9);
  set(f, camera, "camera_layers", "last", 2147483647);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 80, 255, 255, 255);
  stage_assert_pixel(s, 160, 100, 0, 0, 255);
  fixture_close(f);
}

TEST_IN(canvas_shows_earlier_canvases_and_draw_calls_for_its_camera, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = open_world();
  set_up_canvas(f);
  shoal_entity second = spawn_canvas(f, 3000, 0, "second", 40, 40);
  set(f, second, "canvas", "order", 1);
  spawn_sprite(f, 3000, 0, "canvas:mirror", 0);
  spawn_sprite(f, 160, 90, "canvas:second", 0);
  transform_update_child_lists(f->world);
  draw_set_space(s->draw, true);
  draw_rect(s->draw, 0, 0, 40, 40, true, 0); // drawn on the screen only, not on canvases
  draw_set_view(s->draw, second);
  draw_rect(s->draw, 0, 30, 10, 10, true, 0); // drawn in the corner of the second canvas
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 80, 255, 0, 0);
  stage_assert_pixel(s, 145, 105, 255, 255, 255);
  stage_assert_pixel(s, 5, 5, 255, 255, 255);
  stage_assert_pixel(s, 145, 75, 0, 0, 255);
  fixture_close(f);
}
