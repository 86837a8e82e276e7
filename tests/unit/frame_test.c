// Order and position of all drawn items: render/frame.h.
#include "render/frame.h"

#include "components_fixture.h"
#include "render/render.h"
#include "render_fixture.h"

// A 400 × 300 picture of a world with the built-in components.
typedef struct scene_t {
  fixture_t *world;
  log_capture_t logged;
  assets_t assets;
  typesetter_o *type;
  glyphs_o *glyphs;
  draw_o *draw;
  frame_t frame;
} scene_t;

// Test images: "a.png" has no sheet; "feet.png" has two frames of 20 × 10 whose origin is at the bottom; "panel.png"
// has a border of 3.
static image_t image_for_test(void *context, const char *name) {
  static const sheet_t FEET = {.cell_width = 20, .cell_height = 10, .pivot = {0.5f, 1.0f}};
  static const sheet_t PANEL = {.pivot = {0.5f, 0.5f}, .border = {3, 3, 3, 3}};
  (void)context;
  return (image_t){.texture = 7,
                   .width = 40,
                   .height = 10,
                   .sheet = strcmp(name, "feet.png") == 0    ? &FEET
                            : strcmp(name, "panel.png") == 0 ? &PANEL
                                                             : NULL};
}

SETUP(scene_t, s) {
  s->world = fixture_open();
  log_capture_init(&s->logged);
  s->assets = engine_assets();
  s->type = typesetter_create(&s->assets, s->logged.log);
  s->glyphs = glyphs_create(s->logged.log);
  s->draw = draw_create();
  frame_init(&s->frame, s->glyphs, (image_source_t){.find = image_for_test}, s->logged.log);
}

TEARDOWN(scene_t, s) {
  frame_fini(&s->frame);
  draw_destroy(s->draw);
  glyphs_destroy(s->glyphs);
  typesetter_destroy(s->type);
  log_destroy(s->logged.log);
  fixture_close(s->world);
}

static const instance_t *collect_instances(scene_t *s, float alpha, uint32_t wanted) {
  frame_desc_t desc = {.world = s->world->world,
                       .draw = s->draw,
                       .type = s->type,
                       .alpha = alpha,
                       .width = 400,
                       .height = 300,
                       .scale_x = 1.0f,
                       .scale_y = 1.0f,
                       .logical_width = 400,
                       .logical_height = 300};
  frame_collect(&s->frame, &desc);
  assert_int_equal(s->frame.instances.count, wanted);
  return s->frame.instances.items;
}

static uint32_t text_id(scene_t *s, const char *text) {
  return strings_intern(world_strings(s->world->world), text);
}

static shoal_entity spawn_circle(scene_t *s, double x, double y, double layer) {
  shoal_entity e = place(s->world, x, y);
  add(s->world, e, "shape");
  set(s->world, e, "shape", "layer", layer);
  transform_update_child_lists(s->world->world);
  return e;
}

static void assert_at(const instance_t *i, double x, double y) {
  assert_near(i->a[0], x, 0.01);
  assert_near(i->a[1], y, 0.01);
}

static shoal_entity spawn_sprite(scene_t *s, const char *image, double x, double y) {
  shoal_entity e = place(s->world, x, y);
  add(s->world, e, "sprite");
  set(s->world, e, "sprite", "image", text_id(s, image));
  transform_update_child_lists(s->world->world);
  return e;
}

TEST_IN(sheet_sprite_shows_its_frame_at_its_pivot, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "feet.png", 100, 50);
  set(s->world, e, "sprite", "frame", 2);
  const instance_t *i = collect_instances(s, 1.0f, 1);
  assert_at(&i[0], 100, 45);
  assert_near(i->a[2], 10, 0);
  assert_near(i->c[0], 20, 0);
  assert_near(i->c[2], 40, 0);
  set(s->world, e, "sprite", "flip", 1);
  i = collect_instances(s, 1.0f, 1);
  assert_at(&i[0], 100, 45);
  assert_near(i->c[0], 40, 0);
  assert_near(i->c[2], 20, 0);
  set(s->world, e, "sprite", "height", 40);
  assert_at(collect_instances(s, 1.0f, 1), 100, 30);
}

TEST_IN(sprite_border_keeps_its_size_when_stretched, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "panel.png", 200, 100);
  collect_instances(s, 1.0f, 1); // at the size of its image, the panel is a single piece
  set(s->world, e, "sprite", "width", 100);
  set(s->world, e, "sprite", "height", 60);
  const instance_t *i = collect_instances(s, 1.0f, 9);
  assert_at(&i[0], 151.5, 71.5);
  assert_near(i[0].a[2], 1.5, 1e-6); // half the width of the corner piece, which is 3
  assert_near(i[4].a[2], 47, 1e-6);
  assert_near(i[4].b[1], 27, 1e-6);
  assert_near(i[4].c[0], 3, 0);
  assert_near(i[4].c[2], 37, 0);
  assert_at(&i[8], 248.5, 128.5);
  set(s->world, e, "sprite", "width", 4); // narrower than both borders together, so they share the width
  i = collect_instances(s, 1.0f, 6);
  assert_near(i[0].a[2], 1, 1e-6);
}

TEST_IN(draw_image_uses_sheet_frames, scene_t, s) {
  draw_image(s->draw, "feet.png", 100, 50, 0, 2, 2, 2);
  draw_image(s->draw, "feet.png", 100, 50, 0, 1, 1, 0);
  const instance_t *i = collect_instances(s, 1.0f, 2);
  assert_at(&i[0], 100, 40);
  assert_near(i[0].c[0], 20, 0);
  assert_at(&i[1], 100, 50); // draws the whole image
  assert_near(i[1].a[2], 20, 0);
}

TEST_IN(lower_z_is_drawn_first_within_a_layer, scene_t, s) {
  shoal_entity front = spawn_circle(s, 10, 10, 0), behind = spawn_circle(s, 20, 20, 0),
               above = spawn_circle(s, 30, 30, 1);
  set(s->world, front, "transform", "z", 2);
  set(s->world, behind, "transform", "z", -1);
  set(s->world, above, "transform", "z", -5);
  spawn_circle(s, 40, 40, 0);
  draw_circle(s->draw, 50, 50, 5, true, 0);
  const instance_t *i = collect_instances(s, 1.0f, 5);
  static const double ORDER[5] = {20, 40, 50, 10, 30};
  for (int k = 0; k < 5; ++k)
    assert_at(&i[k], ORDER[k], ORDER[k]);
}

TEST_IN(y_sorted_entities_are_drawn_from_top_to_bottom, scene_t, s) {
  static const double Y[5] = {90, -20, 40, 60, 41};
  for (int k = 0; k < 5; ++k) {
    shoal_entity e = spawn_circle(s, 100, Y[k], 0);
    add(s->world, e, "y_sort");
    if (k == 3)
      set(s->world, e, "y_sort", "offset", -100);
  }
  spawn_circle(s, 100, 200, 0);                        // drawn first because it has no y_sort
  const instance_t *i = collect_instances(s, 1.0f, 5); // the circle at y = -20 is outside the view
  static const double ORDER[5] = {200, 60, 40, 41, 90};
  for (int k = 0; k < 5; ++k)
    assert_at(&i[k], 100, ORDER[k]);
}

TEST_IN(sprite_with_an_active_material_is_drawn_in_a_material_batch, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "a.png", 50, 50);
  add(s->world, e, "material");
  collect_instances(s, 1.0f, 1);
  assert_int_equal(s->frame.batches.items[0].kind, BATCH_IMAGE);
  set(s->world, e, "material", "flash.w", 0.5);
  set(s->world, e, "material", "dissolve", 2);
  const instance_t *i = collect_instances(s, 1.0f, 1);
  assert_int_equal(s->frame.batches.items[0].kind, BATCH_MATERIAL);
  assert_near(i->kind, 0xFFFFFF, 0);
  assert_near(i->more[2], 0x8000FF, 0);
}

// Lower layers are drawn first. Within a layer, sprites are followed by shapes, texts, and draw calls in call order.
// Screen space is drawn last.
TEST_IN(items_are_drawn_by_layer_then_kind_then_row_then_call, scene_t, s) {
  spawn_circle(s, 30, 30, 2);
  spawn_circle(s, 10, 10, -1);
  shoal_entity sprite = place(s->world, 20, 20);
  add(s->world, sprite, "sprite");
  set(s->world, sprite, "sprite", "image", text_id(s, "a.png"));
  spawn_circle(s, 25, 25, 0);
  spawn_circle(s, 26, 26, 0);
  draw_set_space(s->draw, true);
  draw_circle(s->draw, 50, 50, 5, true, 0);
  draw_set_space(s->draw, false);
  draw_circle(s->draw, 27, 27, 5, true, 0);
  draw_circle(s->draw, 28, 28, 5, true, 0);
  const instance_t *i = collect_instances(s, 1.0f, 8);
  static const double ORDER[8] = {10, 20, 25, 26, 27, 28, 30, 50};
  for (int k = 0; k < 8; ++k)
    assert_at(&i[k], ORDER[k], ORDER[k]);
  assert_int_equal(s->frame.batches.count, 3); // batches: shapes, the sprite, shapes
  assert_int_equal(s->frame.batches.items[1].kind, BATCH_IMAGE);
  assert_int_equal(s->frame.batches.items[1].texture, 7);
}

TEST_IN(moving_entities_are_interpolated_unless_they_jump, scene_t, s) {
  shoal_entity slow = spawn_circle(s, 100, 100, 0), jump = spawn_circle(s, 10, 50, 1);
  poses_store(&s->frame.poses, &s->frame.allocator, s->world->world);
  set(s->world, slow, "transform", "x", 110);
  set(s->world, jump, "transform", "x", 390);
  world_end_tick(s->world->world);
  const instance_t *i = collect_instances(s, 0.25f, 2);
  assert_at(&i[0], 102.5, 100);
  assert_at(&i[1], 390, 50);
  assert_at(&collect_instances(s, 1.0f, 2)[0], 110, 100);
  poses_store(&s->frame.poses, &s->frame.allocator, s->world->world); // the circles do not move afterwards
  world_end_tick(s->world->world);
  assert_at(&collect_instances(s, 0.25f, 2)[0], 110, 100);
}

TEST_IN(entity_without_a_pose_of_the_previous_tick_is_not_interpolated, scene_t, s) {
  shoal_entity gone = spawn_circle(s, 100, 100, 0), old = spawn_circle(s, 150, 100, 1);
  poses_store(&s->frame.poses, &s->frame.allocator, s->world->world);
  set(s->world, old, "transform", "x", 160);
  assert_at(&collect_instances(s, 0.5f, 2)[1], 160, 100); // no tick has run between the two poses
  world_destroy_entity(s->world->world, gone);
  world_end_tick(s->world->world);
  shoal_entity fresh = spawn_circle(s, 120, 120, 2);
  assert_at(&collect_instances(s, 0.5f, 2)[0], 155, 100);
  assert_at(&collect_instances(s, 0.5f, 2)[1], 120, 120);
  set(s->world, fresh, "transform", "x", 200);
  world_end_tick(s->world->world); // two ticks without storing a pose in between
  assert_at(&collect_instances(s, 0.5f, 2)[0], 160, 100);
}

TEST_IN(child_is_interpolated_with_its_parent, scene_t, s) {
  shoal_entity parent = place(s->world, 100, 100), child = spawn_circle(s, 10, 0, 0);
  set(s->world, child, "transform", "parent", parent);
  poses_store(&s->frame.poses, &s->frame.allocator, s->world->world);
  set(s->world, parent, "transform", "x", 120);
  world_end_tick(s->world->world);
  assert_at(&collect_instances(s, 0.5f, 1)[0], 120, 100);
  assert_at(&collect_instances(s, 1.0f, 1)[0], 130, 100);
}

TEST_IN(rotating_entity_keeps_its_size_when_interpolated, scene_t, s) {
  shoal_entity e = spawn_circle(s, 100, 100, 0);
  set(s->world, e, "shape", "kind", 1);
  set(s->world, e, "shape", "width", 60);
  poses_store(&s->frame.poses, &s->frame.allocator, s->world->world);
  set(s->world, e, "transform", "angle", 1.2);
  world_end_tick(s->world->world);
  const instance_t *i = collect_instances(s, 0.5f, 1);
  assert_near(i->b[0], 30, 0.01);
  assert_near(atan2(i->a[3], i->a[2]), 0.6, 0.01);
}

TEST_IN(corrections_of_a_rollback_move_entities_and_the_camera, scene_t, s) {
  pose_corrections_t corrections = {0};
  shoal_entity ship = spawn_circle(s, 1000, 500, 0);
  spawn_circle(s, 1050, 500, 1); // does not move
  shoal_entity camera = place(s->world, 1000, 500);
  add(s->world, camera, "camera");
  assert_true(pose_corrections_store(&corrections, s->world->world));
  set(s->world, ship, "transform", "x", 1020);
  set(s->world, camera, "transform", "x", 1020);
  pose_corrections_add(&corrections, s->world->world);
  assert_at(&collect_instances(s, 1.0f, 2)[1], 230, 150); // the position without corrections
  s->frame.poses.corrections = &corrections;
  pose_corrections_advance(&corrections, 0.025);
  const instance_t *i = collect_instances(s, 1.0f, 2);
  assert_at(&i[0], 200, 150);
  assert_at(&i[1], 240, 150);
  pose_corrections_advance(&corrections, 0.026);
  assert_at(&collect_instances(s, 1.0f, 2)[1], 230, 150);
  pose_corrections_fini(&corrections);
}

TEST_IN(active_camera_sets_centre_rotation_zoom_and_bloom_of_the_view, scene_t, s) {
  spawn_circle(s, 1000, 500, 0);
  spawn_circle(s, 1010, 500, 1);
  collect_instances(s, 1.0f, 0); // no camera: both are outside the view
  shoal_entity camera = place(s->world, 1000, 500);
  add(s->world, camera, "camera");
  set(s->world, camera, "camera", "zoom", 2);
  set(s->world, camera, "camera", "bloom", 0.5);
  set(s->world, camera, "transform", "angle", M_PI / 2);
  transform_update_child_lists(s->world->world);
  transform_update_child_lists(s->world->world);
  draw_set_space(s->draw, true);
  draw_circle(s->draw, 7, 8, 5, true, 0);
  const instance_t *i = collect_instances(s, 1.0f, 3);
  assert_at(&i[0], 200, 150);
  assert_at(&i[1], 200, 130); // the view is rotated clockwise: an entity right of the camera is above the centre
  assert_near(i[1].b[2], 20, 0.01);
  assert_at(&i[2], 7, 8);
  assert_near(s->frame.view.bloom, 0.5, 1e-6);
  set(s->world, camera, "camera", "enabled", 0);
  assert_near((collect_instances(s, 1.0f, 1), s->frame.view.bloom), 0.0, 0.0);
}

static shoal_entity spawn_camera_in(scene_t *s, double x, double y, double left, double width, double order) {
  shoal_entity camera = place(s->world, x, y);
  add(s->world, camera, "camera");
  add(s->world, camera, "viewport");
  set(s->world, camera, "viewport", "x", left);
  set(s->world, camera, "viewport", "width", width);
  set(s->world, camera, "viewport", "order", order);
  return camera;
}

TEST_IN(each_view_draws_the_world_in_its_viewport, scene_t, s) {
  spawn_circle(s, 1000, 500, 0);
  shoal_entity left = spawn_camera_in(s, 1000, 500, 0, 200, 0), right = spawn_camera_in(s, 1010, 500, 200, 200, 0);
  transform_update_child_lists(s->world->world);
  draw_set_space(s->draw, true);
  draw_circle(s->draw, 7, 8, 5, true, 0); // drawn over all views
  draw_set_view(s->draw, right);
  draw_circle(s->draw, 7, 8, 5, true, 0); // relative to the corner of its view
  draw_set_space(s->draw, false);
  draw_circle(s->draw, 1010, 500, 5, true, 0); // visible in this view only
  const instance_t *i = collect_instances(s, 1.0f, 7);
  assert_at(&i[1], 100, 150); // drawn after the view's background
  assert_at(&i[3], 290, 150);
  assert_at(&i[4], 300, 150);
  assert_at(&i[5], 7, 8);
  assert_at(&i[6], 207, 8);
  const batch_t *b = s->frame.batches.items;
  assert_int_equal(s->frame.batches.count, 4);
  assert_true(b[0].clip == 1 && b[1].clip == 2 && b[2].clip == 0 && b[3].clip == 2);
  assert_int_equal(s->frame.views[1].clip[0], 200);
  assert_int_equal(s->frame.views[1].clip[2], 400);
  set(s->world, left, "camera", "enabled", 0);
  assert_int_equal((collect_instances(s, 1.0f, 5), s->frame.view_count), 1);
}

TEST_IN(each_view_culls_entities_outside_it, scene_t, s) {
  spawn_camera_in(s, 100, 150, 0, 200, 0);
  spawn_camera_in(s, 5000, 150, 200, 200, 0);
  spawn_circle(s, 150, 150, 0); // visible in the left view only
  spawn_circle(s, 250, 150, 0); // hidden: outside the left view, but on the right half of the screen
  spawn_circle(s, 5000, 150, 0);
  shoal_entity over = spawn_circle(s, 190, 150, 0); // crosses the edge of the left view
  set(s->world, over, "shape", "radius", 15);
  transform_update_child_lists(s->world->world);
  const instance_t *i = collect_instances(s, 1.0f, 5);
  assert_at(&i[1], 150, 150);
  assert_at(&i[2], 190, 150);
  assert_at(&i[4], 300, 150);
  draw_set_space(s->draw, true);
  draw_circle(s->draw, 390, 150, 5, true, 0); // drawn on the whole screen again
  collect_instances(s, 1.0f, 6);
}

TEST_IN(depth_triangles_are_scaled_to_each_view, scene_t, s) {
  float corners[3][8] = {{-1, -1, 0, 1, 1, 1, 1, 1}, {1, -1, 0, 1, 1, 1, 1, 1}, {0, 2, 0, 2, 1, 1, 1, 1}};
  shoal_entity left = spawn_camera_in(s, 0, 0, 0, 200, 0), right = spawn_camera_in(s, 0, 0, 200, 200, 0);
  set(s->world, right, "viewport", "height", 150);
  transform_update_child_lists(s->world->world);
  draw_solid_triangles(s->draw, &corners[0][0], 1);
  draw_set_space(s->draw, true);
  draw_solid_triangles(s->draw, &corners[0][0], 1); // covers the whole screen
  draw_set_space(s->draw, false);
  draw_set_view(s->draw, left);
  draw_solid_triangles(s->draw, &corners[0][0], 1); // drawn in this view only
  collect_instances(s, 1.0f, 2);
  const solid_corner_t *c = s->frame.corners.items;
  assert_int_equal(s->frame.corners.count, 4 * 3);
  assert_near(c[2].position[0], -1, 1e-6); // in the middle of the left half (w is 2), at its original size
  assert_near(c[2].position[1], 2, 1e-6);
  assert_near(c[0].position[0], -1.5, 1e-6);
  // the right view has half the height, so the triangle has half the size; it is in the middle of that view
  assert_near(c[6].position[0], 0, 1e-6);
  assert_near(c[6].position[1], 0, 1e-6);
  assert_near(c[8].position[0], 1, 1e-6);
  assert_near(c[8].position[1], 2, 1e-6);
  assert_near(c[9].position[0], -1, 1e-6);
}

// Collects a frame whose image continues 100 pixels to the left and right of the logical screen.
static void collect_wide_frame(scene_t *s) {
  frame_desc_t desc = {.world = s->world->world,
                       .draw = s->draw,
                       .alpha = 1.0f,
                       .width = 600,
                       .height = 300,
                       .scale_x = 1.0f,
                       .scale_y = 1.0f,
                       .margin = {100, 0, 100, 0},
                       .logical_width = 400,
                       .logical_height = 300};
  frame_collect(&s->frame, &desc);
}

TEST_IN(views_at_the_edges_of_the_screen_continue_to_the_edges_of_the_image, scene_t, s) {
  spawn_camera_in(s, 1000, 500, 0, 150, 0);
  spawn_camera_in(s, 1000, 500, 250, 150, 1);
  spawn_camera_in(s, 1000, 500, 150, 50, 2);
  spawn_camera_in(s, 1000, 500, -80, 80, 3); // outside the logical screen: not visible
  transform_update_child_lists(s->world->world);
  collect_wide_frame(s);
  assert_int_equal(s->frame.view_count, 3);
  static const int32_t EDGES[3][2] = {{0, 250}, {350, 600}, {250, 300}};
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(s->frame.views[i].clip[0], EDGES[i][0]);
    assert_int_equal(s->frame.views[i].clip[2], EDGES[i][1]);
    assert_true(s->frame.views[i].clip[1] == 0 && s->frame.views[i].clip[3] == 300);
  }
  assert_near(s->frame.views[0].rect[0], 100, 0);        // logical size of the view
  assert_near(s->frame.views[0].world.x + 1000, 175, 0); // centre of the view, without the extension
}

TEST_IN(depth_triangles_keep_their_shape_in_a_wider_image, scene_t, s) {
  float corners[3][8] = {{-1, -1, 0, 1, 1, 1, 1, 1}, {1, -1, 0, 1, 1, 1, 1, 1}, {1.5f, 1, 0, 1, 1, 1, 1, 1}};
  draw_set_space(s->draw, true);
  draw_solid_triangles(s->draw, &corners[0][0], 1);
  collect_wide_frame(s);
  const solid_corner_t *c = s->frame.corners.items;
  assert_int_equal(s->frame.corners.count, 3);
  assert_near(c[0].position[0], -2.0 / 3, 1e-6); // the logical screen is 400 of 600 pixels wide
  assert_near(c[1].position[0], 2.0 / 3, 1e-6);
  assert_near(c[2].position[0], 1, 1e-6); // at the right edge of the image
  assert_near(c[2].position[1], 1, 1e-6);
}

TEST_IN(views_are_drawn_by_order_on_top_of_the_full_screen_camera, scene_t, s) {
  shoal_entity top = spawn_camera_in(s, 0, 0, 100, 100, 2), below = spawn_camera_in(s, 0, 0, 50, 100, -1);
  shoal_entity whole = place(s->world, 0, 0);
  add(s->world, whole, "camera");
  spawn_camera_in(s, 0, 0, 900, 100, 0); // outside the screen: not visible
  transform_update_child_lists(s->world->world);
  collect_instances(s, 1.0f, 2);
  assert_int_equal(s->frame.view_count, 3);
  assert_true(s->frame.views[0].camera == whole && !s->frame.views[0].clipped);
  assert_true(s->frame.views[1].camera == below && s->frame.views[2].camera == top);
}

TEST_IN(camera_shake_is_bounded_and_changes_each_tick, scene_t, s) {
  spawn_circle(s, 200, 150, 0);
  shoal_entity camera = place(s->world, 200, 150);
  add(s->world, camera, "camera");
  set(s->world, camera, "camera", "shake", 10);
  transform_update_child_lists(s->world->world);
  double last = 0, moved = 0;
  for (int tick = 0; tick < 20; ++tick) {
    const instance_t *i = collect_instances(s, 0.0f, 1);
    double dx = i->a[0] - 200.0, dy = i->a[1] - 150.0;
    assert_true(fabs(dx) <= 10 && fabs(dy) <= 10);
    assert_at(collect_instances(s, 0.0f, 1), 200 + dx, 150 + dy); // within a tick, the shake is constant
    moved += fabs(dx - last) > 0.1;
    last = dx;
    world_end_tick(s->world->world);
  }
  assert_true(moved > 15);
}

TEST_IN(invisible_and_nan_items_are_culled, scene_t, s) {
  spawn_circle(s, -100, 50, 0);
  spawn_circle(s, 50, 320, 0);
  set(s->world, spawn_circle(s, 50, 50, 0), "shape", "visible", 0);
  set_in_place(s->world, spawn_circle(s, 50, 50, 0), "transform", "x", (double)NAN);
  spawn_circle(s, 405, 50, 0); // overlaps the view
  draw_circle(s->draw, NAN, 1, 5, true, 0);
  draw_line(s->draw, 0, 0, INFINITY, 5, 2);
  draw_rect(s->draw, 5, 5, NAN, 10, true, 0);
  draw_text(s->draw, "x", 5, 5, NAN, 0, 0);
  const float bad[] = {0, 0, 50, NAN, 50, 50};
  draw_polygon(s->draw, bad, 3, true, 0);
  assert_at(collect_instances(s, 1.0f, 1), 405, 50);
}

TEST_IN(disabled_entities_and_cameras_are_skipped, scene_t, s) {
  world_o *w = s->world->world;
  uint32_t disabled = manager_of(s->world, "disabled")->id;
  shoal_entity part = spawn_circle(s, 50, 50, 0), whole = spawn_circle(s, 60, 60, 0),
               camera = spawn_circle(s, 90, 50, 0);
  add(s->world, camera, "camera");
  collect_instances(s, 1.0f, 3);
  assert_true(world_add_component(w, part, disabled, strings_intern(world_strings(w), "shape"), NULL));
  assert_true(world_add_component(w, whole, disabled, strings_intern(world_strings(w), DISABLED_WHOLE), NULL));
  assert_true(world_add_component(w, camera, disabled, strings_intern(world_strings(w), "camera"), NULL));
  assert_at(collect_instances(s, 1.0f, 1), 90, 50); // the disabled camera is ignored
  assert_true(world_remove_component(w, part, disabled, strings_find(world_strings(w), "shape")));
  collect_instances(s, 1.0f, 2);
}

TEST_IN(colours_are_premultiplied_and_nan_becomes_black, scene_t, s) {
  draw_set_colour(s->draw, 1, 0.5f, 0, 0.5f);
  draw_circle(s->draw, 50, 50, 5, true, 0);
  draw_set_blend(s->draw, true);
  draw_circle(s->draw, 50, 50, 5, true, 0);
  draw_set_colour(s->draw, NAN, -4, INFINITY, 1);
  draw_circle(s->draw, 50, 50, 5, true, 0);
  const instance_t *i = collect_instances(s, 1.0f, 3);
  assert_true(i[0].colour[0] == 0.5f && i[0].colour[1] == 0.25f && i[0].colour[3] == 0.5f);
  assert_true(i[1].colour[0] == 0.5f && i[1].colour[3] == 0.0f);
  assert_true(i[2].colour[0] == 0.0f && i[2].colour[1] == 0.0f && i[2].colour[2] <= 16.0f);
}

// At a joint, adjacent segments are cut along the same line, so every point belongs to only one of them.
TEST_IN(outline_segments_are_mitred_at_joints, scene_t, s) {
  const float square[] = {100, 100, 200, 100, 200, 200, 100, 200};
  draw_polygon(s->draw, square, 4, false, 4);
  const instance_t *i = collect_instances(s, 1.0f, 4);
  for (int k = 0; k < 4; ++k) {
    const instance_t *a = &i[k], *b = &i[(k + 1) % 4];
    double ax = a->c[2] * a->a[2] - a->c[3] * a->a[3], ay = a->c[2] * a->a[3] + a->c[3] * a->a[2];
    double bx = b->c[0] * b->a[2] - b->c[1] * b->a[3], by = b->c[0] * b->a[3] + b->c[1] * b->a[2];
    assert_near(ax, -bx, 1e-5);
    assert_near(ay, -by, 1e-5);
    assert_near(ax * ax + ay * ay, 1.0, 1e-5);
  }
  draw_clear(s->draw);
  draw_line(s->draw, 10, 10, 50, 10, 4);
  i = collect_instances(s, 1.0f, 1);
  assert_true(i->c[0] == 0.0f && i->c[1] == 0.0f && i->c[2] == 0.0f && i->c[3] == 0.0f);
}

TEST_IN(polygon_points_are_parsed_again_only_when_their_text_changes, scene_t, s) {
  shoal_entity e = spawn_circle(s, 100, 100, 0);
  set(s->world, e, "shape", "kind", 2);
  set(s->world, e, "shape", "points", text_id(s, "-10,-10 10,-10 10,10 0,0 -10,10"));
  collect_instances(s, 1.0f, 3 + 5); // three triangles, and five pieces of the seam between them
  const outline_t *o = outlines_find_or_build(&s->frame.outlines, &s->frame.allocator, 3, "0,0 5,0 0,5");
  const float *first = o->xy;
  assert_ptr_equal(outlines_find_or_build(&s->frame.outlines, &s->frame.allocator, 3, "0,0 5,0 0,5")->xy, first);
  o = outlines_find_or_build(&s->frame.outlines, &s->frame.allocator, 3, "0,0 9,0 9,9 0,9");
  assert_int_equal(o->point_count, 4);
  assert_int_equal(o->triangle_count, 2);
  set(s->world, e, "shape", "kind", 3);
  collect_instances(s, 1.0f, 4); // a line has no end joint
  set(s->world, e, "shape", "points", text_id(s, "round"));
  collect_instances(s, 1.0f, 0);
  assert_int_equal(s->logged.lines, 1);
}

TEST_IN(strip_frames_count_from_1_and_wrap_around, scene_t, s) {
  shoal_entity e = place(s->world, 100, 100);
  add(s->world, e, "sprite");
  set(s->world, e, "sprite", "image", text_id(s, "strip.png"));
  set(s->world, e, "sprite", "frames", 4);
  transform_update_child_lists(s->world->world);
  static const double FRAMES[] = {1, 2, 4, 5, 0, -3}, LEFT[] = {0, 10, 30, 0, 30, 0};
  for (int k = 0; k < 6; ++k) {
    set(s->world, e, "sprite", "frame", FRAMES[k]);
    const instance_t *i = collect_instances(s, 1.0f, 1);
    assert_near(i->c[0], LEFT[k], 1e-5);
    assert_near(i->c[2], LEFT[k] + 10, 1e-5);
    assert_near(i->a[2], 5, 1e-5); // half the width of a frame
  }
  set(s->world, e, "sprite", "flip", 1);
  assert_near(collect_instances(s, 1.0f, 1)->c[0], 10, 1e-5);
}

TEST_IN(each_call_with_depth_triangles_gets_its_own_batch, scene_t, s) {
  float corners[2][3][8] = {{{0, 0, 0, 1, 0.5f, 1, 1, 0.5f}, {1, 0, 0, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 1, 1, 1, 1}},
                            {{0, 0, 0, 1, 1, 1, 1, 1}, {NAN, 0, 0, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 1, 1, 1, 1}}};
  draw_solid_triangles(s->draw, &corners[0][0][0], 2);
  draw_circle(s->draw, 5, 5, 5, true, 0);
  draw_solid_triangles(s->draw, &corners[0][0][0], 1);
  draw_solid_triangles(s->draw, &corners[1][0][0], 1); // a call with only invalid triangles is skipped
  collect_instances(s, 1, 1);
  assert_int_equal(s->frame.batches.count, 3);
  assert_int_equal(s->frame.batches.items[0].kind, BATCH_SOLIDS);
  assert_int_equal(s->frame.batches.items[0].count, 3);
  assert_int_equal(s->frame.batches.items[1].kind, BATCH_SHAPES);
  assert_int_equal(s->frame.batches.items[2].first, 3);
  assert_true(fabsf(s->frame.corners.items[0].colour[0] - 0.25f) < 1e-6f); // premultiplied
}

TEST_IN(overlay_layer_starts_a_new_batch, scene_t, s) {
  draw_circle(s->draw, 50, 50, 5, true, 0);
  draw_set_space(s->draw, true);
  draw_circle(s->draw, 60, 50, 5, true, 0);
  collect_instances(s, 1.0f, 2);
  assert_int_equal(s->frame.overlay_batch, 1);
  assert_int_equal(s->frame.batches.count, 1);
  draw_set_layer(s->draw, RENDER_OVERLAY_LAYER);
  draw_circle(s->draw, 70, 50, 5, true, 0);
  collect_instances(s, 1.0f, 3);
  assert_int_equal(s->frame.overlay_batch, 1);
  assert_int_equal(s->frame.batches.count, 2);
  assert_int_equal(s->frame.batches.items[1].first, 2);
}

// Asserts whether the shorter shader may draw the only batch if texels are smooth, and if they are exact.
static void assert_plain(scene_t *s, bool smooth, bool exact) {
  collect_instances(s, 1.0f, s->frame.instances.count);
  assert_int_equal(s->frame.batches.count, 1);
  assert_int_equal(s->frame.batches.items[0].smooth, smooth);
  assert_int_equal(s->frame.batches.items[0].exact, exact);
}

TEST_IN(pixel_aligned_whole_images_use_a_shorter_shader, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "a.png", 100, 50);
  collect_instances(s, 1.0f, 1);
  assert_plain(s, true, true);
  set(s->world, e, "sprite", "width", 55); // the whole image, enlarged
  assert_plain(s, true, false);
  set(s->world, e, "transform", "angle", 0.3);
  transform_update_child_lists(s->world->world);
  assert_plain(s, false, false);
}

TEST_IN(small_square_sprites_and_small_shapes_are_drawn_as_points, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "a.png", 100, 50);
  set(s->world, e, "sprite", "width", 20);
  set(s->world, e, "sprite", "height", 20);
  collect_instances(s, 1.0f, 1);
  assert_int_equal(s->frame.batches.items[0].points, 1);
  set(s->world, e, "sprite", "width", 21);
  collect_instances(s, 1.0f, 1);
  assert_int_equal(s->frame.batches.items[0].points, 0);
  set(s->world, e, "sprite", "width", 65);
  set(s->world, e, "sprite", "height", 65); // larger than the point size limit of some drivers
  collect_instances(s, 1.0f, 1);
  assert_int_equal(s->frame.batches.items[0].points, 0);
  draw_circle(s->draw, 100, 100, 5, true, 0);
  draw_circle(s->draw, 100, 100, 5, false, 1);
  draw_circle(s->draw, 100, 100, 31.5f, true, 0);
  draw_line(s->draw, 50, 50, 90, 50, 4);
  collect_instances(s, 1.0f, 5);
  assert_int_equal(s->frame.batches.items[1].count, 4);
  assert_int_equal(s->frame.batches.items[1].points, 1);
}

TEST_IN(unaligned_or_enlarged_sheet_frames_need_the_full_shader, scene_t, s) {
  shoal_entity e = spawn_sprite(s, "feet.png", 100, 50);
  collect_instances(s, 1.0f, 1);
  assert_plain(s, true, true);
  set(s->world, e, "transform", "x", 100.5);
  transform_update_child_lists(s->world->world);
  assert_plain(s, false, false);
  set(s->world, e, "transform", "x", 100);
  // at twice the width, texels cover whole pixels, but smoothing is enabled
  set(s->world, e, "sprite", "width", 40);
  transform_update_child_lists(s->world->world);
  assert_plain(s, false, false);
}

TEST_IN(one_unaligned_image_selects_the_full_shader_for_its_batch, scene_t, s) {
  spawn_sprite(s, "a.png", 100, 50);
  shoal_entity e = spawn_sprite(s, "a.png", 200, 50);
  collect_instances(s, 1.0f, 2);
  assert_plain(s, true, true);
  set(s->world, e, "transform", "angle", 0.3);
  transform_update_child_lists(s->world->world);
  assert_plain(s, false, false);
}

TEST(inverse_transform_reverses_a_transform_unless_it_is_singular) {
  affine_t m = {.ux = 2.0f, .uy = 1.0f, .vx = -1.0f, .vy = 3.0f, .x = 100.0f, .y = -50.0f};
  float x, y, back[2];
  affine_apply(&m, 4.0f, -7.0f, &x, &y);
  assert_true(affine_apply_inverse(&m, x, y, back));
  assert_float_equal(back[0], 4.0f, 1e-5);
  assert_float_equal(back[1], -7.0f, 1e-5);
  m.vx = 4.0f, m.vy = 2.0f; // parallel to u
  assert_false(affine_apply_inverse(&m, x, y, back));
  m.vx = NAN;
  assert_false(affine_apply_inverse(&m, x, y, back));
}
