// Cameras that follow and shake: camera/follow.h.
#include "components_fixture.h"

#include "camera/follow.h"
#include "camera/viewport.h"

static shoal_entity spawn_camera(fixture_t *f, double x, double y, shoal_entity target) {
  shoal_entity e = place(f, x, y);
  add(f, e, "camera");
  add(f, e, "follow");
  set(f, e, "follow", "target", (double)target);
  set(f, e, "follow", "seconds", 0);
  return e;
}

static void run_follow_for(fixture_t *f, double dt_s) {
  follow_update(f->world, 320, 180, dt_s);
}

static void assert_place(fixture_t *f, shoal_entity e, double x, double y) {
  assert_near(get(f, e, "transform", "x"), x, 1e-4);
  assert_near(get(f, e, "transform", "y"), y, 1e-4);
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(camera_follows_its_target_immediately_or_by_its_half_life, fixture_t, f) {
  shoal_entity hero = place(f, 100, 40), eye = spawn_camera(f, 0, 0, hero);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 100, 40);
  set(f, hero, "transform", "x", 180);
  set(f, eye, "follow", "seconds", 0.25);
  run_follow_for(f, 0.125);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 140, 40);
  set(f, eye, "follow", "offset_y", -20);
  set(f, eye, "follow", "seconds", 0);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 180, 20);
}

TEST_IN(camera_ignores_moves_within_the_dead_zone, fixture_t, f) {
  shoal_entity hero = place(f, 30, -19), eye = spawn_camera(f, 0, 0, hero);
  set(f, eye, "follow", "width", 60);
  set(f, eye, "follow", "height", 40);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 0, 0);
  set(f, hero, "transform", "x", 35);
  set(f, hero, "transform", "y", -25);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 5, -5);
}

TEST_IN(camera_view_is_kept_within_its_bounds_or_centred, fixture_t, f) {
  shoal_entity hero = place(f, -500, 5000), eye = spawn_camera(f, 0, 0, hero);
  set(f, eye, "follow", "right", 1000);
  set(f, eye, "follow", "bottom", 600);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 160, 510);
  set(f, eye, "camera", "zoom", 2);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 80, 555);
  set(f, eye, "follow", "right", 100);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 50, 555);
}

TEST_IN(camera_follows_the_world_position_of_a_child, fixture_t, f) {
  shoal_entity ship = place(f, 100, 100), gun = place(f, 10, 0), eye = spawn_camera(f, 0, 0, gun);
  set(f, ship, "transform", "scale_x", 3);
  set(f, gun, "transform", "parent", (double)ship);
  transform_update_child_lists(f->world);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 130, 100);
}

TEST_IN(camera_does_not_move_without_a_live_target, fixture_t, f) {
  shoal_entity hero = place(f, 100, 40), eye = spawn_camera(f, 7, 8, 0), own = spawn_camera(f, 1, 2, 0);
  set(f, own, "follow", "target", (double)own);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 7, 8);
  assert_place(f, own, 1, 2);
  set(f, eye, "follow", "target", (double)hero);
  world_destroy_entity(f->world, hero);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 7, 8);
}

TEST_IN(camera_ignores_an_infinite_target_position, fixture_t, f) {
  shoal_entity hero = place(f, INFINITY, 40), eye = spawn_camera(f, 7, 8, hero);
  run_follow_for(f, 0.125);
  assert_place(f, eye, 7, 8);
}

TEST_IN(trauma_shakes_the_camera_and_decays, fixture_t, f) {
  shoal_entity eye = spawn_camera(f, 0, 0, 0);
  add(f, eye, "shaken");
  set(f, eye, "camera", "shake", 3); // a shake set by the game
  run_follow_for(f, 0.125);
  assert_near(get(f, eye, "camera", "shake"), 3, 0);
  set(f, eye, "shaken", "trauma", 5);
  set(f, eye, "shaken", "decay", 4);
  run_follow_for(f, 0.125);
  assert_near(get(f, eye, "shaken", "trauma"), 0.5, 1e-6);
  assert_near(get(f, eye, "camera", "shake"), 6, 1e-5);
  run_follow_for(f, 0.125);
  assert_near(get(f, eye, "shaken", "trauma"), 0, 0);
  assert_near(get(f, eye, "camera", "shake"), 0, 0);
}

TEST_IN(camera_bounds_take_the_viewport_size_into_account, fixture_t, f) {
  shoal_entity target = place(f, 0, 0), camera = spawn_camera(f, 0, 0, target);
  add(f, camera, "viewport");
  set(f, camera, "viewport", "width", 100);
  set(f, camera, "follow", "right", 1000);
  set(f, camera, "follow", "bottom", 1000);
  follow_update(f->world, 400, 300, 1.0 / 60);
  assert_true(get(f, camera, "transform", "x") == 50 && get(f, camera, "transform", "y") == 150);
}

TEST_IN(screen_points_are_converted_to_the_world_and_back_in_each_view, fixture_t, f) {
  double at[2] = {7, 8};
  shoal_entity none = 0;
  assert_true(viewport_project(f->world, 400, 300, 0, true, at, &none)); // points are unchanged without a camera
  assert_true(none == 0 && at[0] == 7 && at[1] == 8);
  shoal_entity left = place(f, 1000, 500), right = place(f, 2000, 500);
  shoal_entity both[] = {left, right};
  for (int i = 0; i < 2; ++i) {
    add(f, both[i], "camera");
    add(f, both[i], "viewport");
    set(f, both[i], "viewport", "x", 200 * i);
    set(f, both[i], "viewport", "width", 200);
  }
  set(f, right, "camera", "zoom", 2);
  set(f, right, "transform", "angle", 1.5707963267948966);
  double mouse[2] = {310, 150}; // 10 pixels to the right of the second view's centre
  shoal_entity seen = 0;
  assert_true(viewport_project(f->world, 400, 300, 0, true, mouse, &seen));
  assert_int_equal(seen, right);
  assert_true(mouse[0] > 1999.99 && mouse[0] < 2000.01 && mouse[1] > 504.99 && mouse[1] < 505.01);
  assert_true(viewport_project(f->world, 400, 300, 0, false, mouse, &seen));
  assert_true(mouse[0] > 309.99 && mouse[0] < 310.01 && mouse[1] > 149.99 && mouse[1] < 150.01);
  const double outside[][2] = {{-50, 150}, {100, -50}, {450, 350}}; // such points are visible with LETTERBOX_EXPAND
  for (int i = 0; i < 3; ++i) {
    double point[2] = {outside[i][0], outside[i][1]};
    shoal_entity nearest = 0;
    assert_true(viewport_project(f->world, 400, 300, 0, true, point, &nearest));
    assert_int_equal(nearest, i < 2 ? left : right);
  }
  double centre[2] = {1000, 500};
  seen = 0;
  assert_true(viewport_project(f->world, 400, 300, 0, false, centre, &seen));
  assert_true(seen == left && centre[0] == 100 && centre[1] == 150);
  set(f, left, "camera", "enabled", 0);
  assert_false(viewport_project(f->world, 400, 300, 0, false, centre, &left));
}

TEST_IN(cameras_of_other_players_are_not_shown, fixture_t, f) {
  viewport_t shown[VIEWPORTS_MAX];
  shoal_entity shared = place(f, 0, 0), first = place(f, 1000, 500), second = place(f, 2000, 500);
  add(f, shared, "camera");
  for (int i = 0; i < 2; ++i) {
    shoal_entity camera = i == 0 ? first : second;
    add(f, camera, "camera");
    add(f, camera, "viewport");
    set(f, camera, "viewport", "x", 200 * i);
    set(f, camera, "viewport", "width", 200);
    set(f, camera, "viewport", "player", i + 1);
  }
  assert_int_equal(viewports_list(f->world, 400, 300, 0, shown), 3);
  assert_int_equal(viewports_list(f->world, 400, 300, 3, shown), 3); // both players are on this machine: split screen
  assert_true(shown[1].width == 200 && shown[2].x == 200);
  assert_int_equal(viewports_list(f->world, 400, 300, 2, shown), 2);
  assert_true(shown[0].camera == shared && shown[1].camera == second);
  assert_true(shown[1].x == 0 && shown[1].width == 400 && shown[1].height == 300); // the only one fills the screen
  set(f, shared, "camera", "player", 1);
  assert_int_equal(viewports_list(f->world, 400, 300, 2, shown), 1);
  assert_int_equal(shown[0].camera, second);
  assert_false(viewport_project(f->world, 400, 300, 2, false, (double[2]){0}, &first));
}
