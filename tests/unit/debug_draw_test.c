// The debug overlay of a world: overlay/debug_draw.h.
#include "components_fixture.h"
#include "draw_fixture.h"
#include "overlay/debug_draw.h"
#include "ecs/world_hash.h"
#include "render_stage.h"

static void debug_draw_shows_bodies_and_names_without_changing_the_world(void **state) {
  stage_t *s = *state;
  NEEDS_GL(s);
  void *opened = NULL;
  fixture_setup(&opened);
  fixture_t *f = opened;
  shoal_entity e = place(f, 160, 90);
  add(f, e, "body");
  set(f, e, "body", "kind", 1);
  set(f, e, "body", "width", 100);
  set(f, e, "body", "height", 60);
  shoal_entity broken = place(f, NAN, 90);
  add(f, broken, "body");
  transform_update(f->world);
  uint64_t before = world_hash(f->world);
  debug_draw(f->world, s->draw, DEBUG_DRAW_NONE, 320, 180);
  assert_int_equal(draw_count(s->draw), 0);
  debug_draw(f->world, s->draw, DEBUG_DRAW_SHAPES, 320, 180);
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
  debug_draw(f->world, s->draw, DEBUG_DRAW_NAMES, 320, 180);
  assert_true(draw_count(s->draw) > shapes);
  assert_true(world_hash(f->world) == before);
  fixture_teardown(&opened);
}

int debug_draw_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(debug_draw_shows_bodies_and_names_without_changing_the_world, stage_setup,
                                      stage_teardown),
  };
  return cmocka_run_group_tests_name("debug_draw", tests, NULL, NULL);
}
