// The debug overlay of a world: overlay/debug_draw.h.
#include "components_fixture.h"
#include "draw_fixture.h"
#include "overlay/debug_draw.h"
#include "ecs/world_hash.h"
#include "render_stage.h"

static void draw_level(stage_t *s, fixture_t *f, debug_level_t level) {
  draw_set_visible_area(s->draw, 0, 0, 320, 180);
  debug_draw(&(debug_draw_desc_t){.world = f->world,
                                  .collision = components_collision(f->components),
                                  .draw = s->draw,
                                  .level = level,
                                  .width = 320,
                                  .height = 180});
}

FIXTURE(stage_t, stage_setup, stage_teardown)

TEST_IN(debug_draw_shows_bodies_and_names_without_changing_the_world, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  shoal_entity e = place(f, 160, 90);
  add(f, e, "body");
  set(f, e, "body", "kind", 1);
  set(f, e, "body", "width", 100);
  set(f, e, "body", "height", 60);
  shoal_entity broken = place(f, NAN, 90);
  add(f, broken, "body");
  transform_update_child_lists(f->world);
  uint64_t before = world_hash(f->world);
  draw_level(s, f, DEBUG_DRAW_NONE);
  assert_int_equal(draw_count(s->draw), 0);
  draw_level(s, f, DEBUG_DRAW_SHAPES);
  uint32_t shapes = draw_count(s->draw);
  assert_true(shapes > 0);
  stage_capture(s, f->world);
  int green = 0;
  for (int x = 106; x < 114; ++x) {
    const uint8_t *p = &s->pixels[(90 * s->width + x) * 3];
    green += p[1] > p[0] + 20;
  }
  assert_true(green > 0);                   // the left side of the body's outline
  stage_assert_pixel(s, 160, 90, 5, 5, 13); // the body is not filled
  draw_clear(s->draw);
  draw_level(s, f, DEBUG_DRAW_NAMES);
  assert_true(draw_count(s->draw) > shapes);
  assert_true(world_hash(f->world) == before);
  fixture_close(f);
}

TEST_IN(debug_draw_shows_occupied_cells_of_each_grid_size_with_the_number_of_bodies, stage_t, s) {
  NEEDS_GL(s);
  fixture_t *f = fixture_open();
  for (int i = 0; i < 4; ++i) { // three circles of 3 pixels in one cell, and one of 100 pixels around all of them
    shoal_entity e = place(f, 100 + (i < 3 ? i : 0), 90);
    add(f, e, "body");
    set(f, e, "body", "radius", i < 3 ? 3 : 100);
  }
  const collision_o *collision = components_collision(f->components);
  draw_level(s, f, DEBUG_DRAW_CELLS);
  uint32_t without = draw_count(s->draw); // no tick has run yet
  draw_clear(s->draw);
  assert_int_equal(collision_body_count(collision), 0);
  schedule_o *schedule = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, schedule, NULL) && schedule_sort(schedule, NULL));
  schedule_run(schedule, f->world, PHASE_POST_UPDATE, 1.0f / 60);
  schedule_destroy(schedule);
  assert_int_equal(collision_body_count(collision), 4);
  spatial_cell_t small = collision_cell(collision, 0), large = collision_cell(collision, 3);
  assert_int_equal(small.level, 2); // cells of 16 pixels, the smallest size that is at least 6
  assert_int_equal(large.level, 4); // cells of 256 pixels
  assert_true(small.left == 96 && small.width == 16 && small.top == 80 && small.height == 16);
  // The cell at grid column 0 extends to both sides of the origin.
  assert_true(large.left == -256 && large.width == 512);
  draw_level(s, f, DEBUG_DRAW_CELLS);
  assert_int_equal(draw_count(s->draw), without + 2 + 2); // an outline and a number for each of two cells
  fixture_close(f);
}
