// Lights and shadows (light/): computed values and the rendered picture.
#include "components_fixture.h"
#include "light/light_internal.h"
#include "render_stage.h"

static fixture_t *open_world(void) {
  error_info_t error = {0};
  fixture_t *f = fixture_open();
  if (!light_declare(f->world, &error))
    fail_msg("%s", error.text);
  return f;
}

static int setup(void **state) {
  *state = open_world();
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

static shoal_entity spawn_light(fixture_t *f, double x, double y, double range) {
  shoal_entity e = place(f, x, y);
  add(f, e, "light");
  set(f, e, "light", "range", range);
  return e;
}

static shoal_entity spawn_box(fixture_t *f, double x, double y, double size) {
  shoal_entity e = place(f, x, y);
  add(f, e, "occluder");
  set(f, e, "occluder", "shape", 1);
  set(f, e, "occluder", "width", size);
  set(f, e, "occluder", "height", size);
  set(f, e, "occluder", "lit", 0);
  return e;
}

static void list_lights(fixture_t *f, lights_t *l, allocator_t *a) {
  const float seen[4] = {0, 0, 320, 180};
  poses_t poses = {0};
  outlines_t outlines = {0};
  transform_update_child_lists(f->world);
  poses_begin(&poses, f->world, 1);
  lights_list(l, a, f->world, &(light_shapes_t){&poses, &outlines}, seen, 0);
  outlines_fini(&outlines, a);
  poses_fini(&poses, a);
}

// Returns the distance to the occluder in a direction (0 to 1023) of the first light, as a fraction of the light's
// range; 0 if there is no occluder.
static double occluder_distance(const lights_t *l, uint32_t direction) {
  shoal_assert(l->rows > 0, "no light has a row");
  float near = l->shadows.items[direction * LIGHT_TAPS + 1];
  return near > 0.0f ? 1.0 / (double)near : 0.0;
}

TEST_IN(shadow_row_stores_the_nearest_edge_per_direction, fixture_t, f) {
  allocator_t a = {0};
  lights_t l = {0};
  spawn_light(f, 100, 100, 100);
  spawn_box(f, 150, 100, 20); // the box's left side is 40 pixels from the light
  spawn_box(f, 175, 100, 20); // hidden by the first box
  spawn_box(f, 100, 40, 20);  // above the light: the box's lower side is 50 pixels away
  list_lights(f, &l, &a);
  assert_int_equal(l.rows, 1);
  assert_near(occluder_distance(&l, 128), 0.4, 1e-3);       // right: the middle of the first box's left side
  assert_near(occluder_distance(&l, 128 + 256), 0, 0);      // down: unoccluded
  assert_near(occluder_distance(&l, 128 + 512), 0, 0);      // left: unoccluded
  assert_near(occluder_distance(&l, 128 + 768), 0.5, 1e-3); // up: the lower side of the upper box
  assert_near(occluder_distance(&l, 200), 0, 0);            // narrowly misses the box
  lights_fini(&l, &a);
  assert_int_equal(a.bytes, 0);
}

TEST_IN(light_penetrates_occluders_by_their_depth_and_lit_occluders_up_to_their_far_side, fixture_t, f) {
  allocator_t a = {0};
  lights_t l = {0};
  spawn_light(f, 100, 100, 100);
  shoal_entity box = spawn_box(f, 150, 100, 20);
  set(f, box, "occluder", "depth", 10);
  list_lights(f, &l, &a);
  assert_near(occluder_distance(&l, 128), 0.5, 1e-3);
  set(f, box, "occluder", "depth", 0);
  set(f, box, "occluder", "lit", 1);
  list_lights(f, &l, &a);
  assert_near(occluder_distance(&l, 128), 0.6, 1e-3); // light reaches the far side of the box
  lights_fini(&l, &a);
}

TEST_IN(light_ignores_its_parent_and_occluders_that_contain_it, fixture_t, f) {
  allocator_t a = {0};
  lights_t l = {0};
  spawn_light(f, 100, 100, 80);
  spawn_box(f, 100, 100, 30);
  list_lights(f, &l, &a);
  for (uint32_t i = 0; l.rows > 0 && i < LIGHT_ROW; ++i)
    assert_near(occluder_distance(&l, i), 0, 0);
  shoal_entity bearer = spawn_box(f, 230, 100, 10), lantern = spawn_light(f, 10, 0, 60);
  set(f, lantern, "transform", "parent", bearer);
  list_lights(f, &l, &a);
  assert_int_equal(l.lights.count, 2);
  for (uint32_t i = 0; i < l.lights.count; ++i)
    assert_near(l.lights.items[i].position[0] == 240.0f ? l.lights.items[i].position[3] : -1.0, -1, 0);
  lights_fini(&l, &a);
}

TEST_IN(nan_and_infinite_light_values_give_valid_shadows, fixture_t, f) {
  allocator_t a = {0};
  lights_t l = {0};
  static const char *const FIELDS[] = {"range", "colour.x", "intensity", "falloff", "cone",   "cone_soft",
                                       "angle", "offset_x", "size",      "glow",    "flicker"};
  spawn_box(f, 150, 100, 20);
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; ++i)
    for (int k = 0; k < 3; ++k) {
      shoal_entity e = spawn_light(f, 100, 100, 100);
      set(f, e, "light", FIELDS[i], k == 0 ? NAN : k == 1 ? INFINITY : -1e30);
    }
  set(f, spawn_box(f, 100, 60, NAN), "occluder", "height", INFINITY);
  list_lights(f, &l, &a);
  assert_true(l.lights.count > 0);
  for (uint32_t i = 0; i < l.rows * LIGHT_ROW * LIGHT_TAPS; ++i)
    assert_true(l.shadows.items[i] >= 0.0f);
  lights_fini(&l, &a);
}

TEST_IN(occluder_without_a_shape_is_logged_once, fixture_t, f) {
  allocator_t a = {0};
  lights_t l = {0};
  spawn_light(f, 100, 100, 100);
  shoal_entity e = place(f, 120, 100);
  add(f, e, "occluder");
  for (int i = 0; i < 3; ++i)
    list_lights(f, &l, &a);
  assert_int_equal(f->line_count, 1);
  assert_non_null(strstr(f->line, "occluder: the entity has no tilemap, shape or body"));
  lights_fini(&l, &a);
}

FIXTURE(stage_t, stage_setup, stage_teardown)

// Draws a white floor with a light in the middle and a box to its right.
TEST_IN(frame_is_bright_at_the_light_and_dark_behind_an_occluder, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = open_world();
  shoal_entity camera = place(f, 160, 90);
  add(f, camera, "camera");
  add(f, camera, "ambient");
  for (int i = 0; i < 3; ++i)
    set(f, camera, "ambient", i == 0 ? "colour.x" : i == 1 ? "colour.y" : "colour.z", 0.1);
  spawn_light(f, 160, 90, 100);
  spawn_box(f, 190, 90, 16);
  draw_rect(s->draw, 0, 0, 320, 180, true, 0);
  draw_set_layer(s->draw, 1000);
  draw_rect(s->draw, 300, 0, 20, 20, true, 0);
  draw_set_space(s->draw, true);
  draw_set_layer(s->draw, 0);
  draw_rect(s->draw, 300, 160, 20, 20, true, 0);
  for (int bloom = 0; bloom < 2; ++bloom) {
    set(f, camera, "camera", "bloom", bloom ? 0.001 : 0);
    transform_update_child_lists(f->world);
    stage_capture(s, f->world);
    assert_true(stage_red(s, 160, 90) > 240);
    assert_true(stage_red(s, 120, 90) > stage_red(s, 100, 90) && stage_red(s, 100, 90) > 60);
    stage_assert_pixel(s, 215, 90, 26, 26, 26); // a pixel in the shadow
    stage_assert_pixel(s, 10, 10, 26, 26, 26);  // a pixel outside the light's range
    assert_true(stage_red(s, 310, 10) > 240);   // drawn above the lit layers
    assert_true(stage_red(s, 310, 170) > 240);  // screen space is unlit
  }
  fixture_close(f);
}

TEST_IN(world_is_drawn_unlit_only_without_lights, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = open_world();
  draw_set_colour(s->draw, 0.5f, 0.5f, 0.5f, 1);
  draw_rect(s->draw, 0, 0, 320, 180, true, 0);
  stage_capture(s, f->world);
  stage_assert_pixel(s, 160, 90, 128, 128, 128);
  shoal_entity e = spawn_light(f, 160, 90, 60);
  stage_capture(s, f->world);
  assert_true(stage_red(s, 5, 5) < 40); // dark without an ambient component
  set(f, e, "light", "enabled", 0);
  stage_capture(s, f->world);
  assert_true(stage_red(s, 160, 90) < 40);
  fixture_close(f);
}
