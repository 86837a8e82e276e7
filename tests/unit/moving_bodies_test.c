// Bodies that systems move during a tick carry and push movers: movement/mover.h, movement/moved_bodies.h, and the
// record of collision/body_grid.h.
#include "collision/body_grid.h"
#include "movement/moved_bodies.h"
#include "movement/mover.h"

#include "components_fixture.h"

#define DT (1.0 / 60)

static shoal_entity place_box(fixture_t *f, double x, double y, double width, double height) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "kind", 1);
  set(f, e, "body", "width", width);
  set(f, e, "body", "height", height);
  return e;
}

static shoal_entity place_mover(fixture_t *f, double x, double y) {
  shoal_entity e = place_box(f, x, y, 10, 10);
  add(f, e, "mover");
  return e;
}

// Runs a tick in which a system moves the body.
static void move_body(fixture_t *f, shoal_entity body, double dx, double dy) {
  mover_capture(f->world);
  set(f, body, "transform", "x", get(f, body, "transform", "x") + dx);
  set(f, body, "transform", "y", get(f, body, "transform", "y") + dy);
  mover_update(f->world, DT);
}

static void assert_at(fixture_t *f, shoal_entity e, double x, double y) {
  assert_near(get(f, e, "transform", "x"), x, 0.002);
  assert_near(get(f, e, "transform", "y"), y, 0.002);
}

static void declare_crushed(fixture_t *f) {
  static const shoal_field fields[] = {{.name = "entity", .type = SHOAL_TYPE_entity},
                                       {.name = "by", .type = SHOAL_TYPE_entity}};
  const shoal_component event = {.name = "crushed", .kind = SHOAL_KIND_EVENT, .fields = fields, .field_count = 2};
  error_info_t error = {0};
  if (!world_declare_schema_desc(f->world, &(schema_desc_t){.component = &event, .origin = "[shoal]", .any_name = true},
                                 &error))
    fail_msg("%s", error.text);
}

static uint64_t count_crushed(fixture_t *f) {
  const event_o *event = world_find_event(f->world, "crushed");
  return event->first + event->columns.count;
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(body_that_moves_into_a_mover_pushes_it, fixture_t, f) {
  static const struct {
    double x, y, dx, dy, to_x, to_y;
  } cases[] = {
      {80, 100, 8, 0, 103, 100},   // moves from the left
      {120, 100, -8, 0, 97, 100},  // moves from the right
      {100, 120, 0, -8, 100, 97},  // moves from below
      {100, 80, 0, 8, 100, 103},   // moves from above
      {60, 100, 60, 0, 135, 100},  // past the mover in one tick
      {80, 78, 8, 9, 100, 102},    // diagonally: reaches the mover's rows last
      {78, 80, 9, 8, 102, 100},    // diagonally: reaches the mover's columns last
      {100, 140, 0, 5, 100, 100},  // moves away
      {105, 100, 8, 0, 100, 100},  // overlapped the mover before
      {80, 100, 100, 0, 100, 100}, // jumps
      {80, 100, 70, 0, 100, 100},  // jumps into the mover
      {80, 125, 8, 0, 100, 100},   // passes by
      {85, 100, 0, 5, 100, 100},   // slides along
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    shoal_entity mover = place_mover(f, 100, 100), body = place_box(f, cases[i].x, cases[i].y, 20, 20);
    mover_update(f->world, DT);
    move_body(f, body, cases[i].dx, cases[i].dy);
    assert_at(f, mover, cases[i].to_x, cases[i].to_y);
    world_destroy_entity(f->world, mover);
    world_destroy_entity(f->world, body);
  }
}

TEST_IN(pushed_mover_pushes_the_movers_in_its_way_first, fixture_t, f) {
  shoal_entity body = place_box(f, 80, 100, 20, 20), movers[20];
  for (int i = 0; i < 20; ++i) // 2 px apart; indices in the opposite order
    movers[i] = place_mover(f, 100 + 12 * (19 - i), 100);
  mover_update(f->world, DT);
  move_body(f, body, 25, 0); // overlaps the first mover by 20 px: it pushes the next ten
  for (int i = 0; i < 20; ++i)
    assert_at(f, movers[19 - i], fmax(120 + 10 * i, 100 + 12 * i), 100);
}

TEST_IN(chain_of_movers_stops_at_an_obstacle_and_crushes_the_first, fixture_t, f) {
  declare_crushed(f);
  shoal_entity body = place_box(f, 80, 100, 20, 20), first = place_mover(f, 100, 100),
               second = place_mover(f, 111, 100);
  place_box(f, 130, 100, 20, 20);
  mover_update(f->world, DT);
  move_body(f, body, 7, 0);
  assert_at(f, first, 102, 100);
  assert_at(f, second, 112, 100);
  assert_int_equal(count_crushed(f), 0);
  move_body(f, body, 7, 0);
  assert_at(f, first, 105, 100);
  assert_at(f, second, 115, 100);
  assert_int_equal(count_crushed(f), 1);
  const event_o *event = world_find_event(f->world, "crushed");
  assert_true(((const shoal_entity *)event->columns.data[0])[0] == first);
  assert_true(((const shoal_entity *)event->columns.data[1])[0] == body);
}

TEST_IN(stack_of_movers_rises_with_a_lift_in_any_order_of_entities, fixture_t, f) {
  shoal_entity top = place_mover(f, 100, 70), middle = place_mover(f, 100, 80), bottom = place_mover(f, 100, 90),
               lift = place_box(f, 100, 100, 40, 10);
  for (int i = 0; i < 30; ++i)
    move_body(f, lift, 0, -3);
  assert_at(f, bottom, 100, 0);
  assert_at(f, middle, 100, -10);
  assert_at(f, top, 100, -20);
}

TEST_IN(neighbours_on_a_platform_are_carried_without_blocking_each_other, fixture_t, f) {
  shoal_entity left = place_mover(f, 95, 90), right = place_mover(f, 105, 90),
               platform = place_box(f, 100, 100, 100, 10);
  mover_update(f->world, DT);
  for (int i = 0; i < 10; ++i)
    move_body(f, platform, i < 5 ? 9 : -9, i % 2 ? 7 : -7);
  assert_at(f, left, 95, 90);
  assert_at(f, right, 105, 90);
  move_body(f, platform, 9, 0);
  assert_at(f, left, 104, 90);
  assert_at(f, right, 114, 90);
}

TEST_IN(thin_mover_rises_with_a_lift_that_is_faster_than_its_height, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 92), lift = place_box(f, 100, 100, 40, 10);
  set(f, hero, "body", "height", 6);
  mover_update(f->world, DT);
  for (int i = 0; i < 5; ++i)
    move_body(f, lift, 0, -30);
  assert_at(f, hero, 100, 92 - 150);
}

TEST_IN(one_way_body_stops_carries_and_pushes_only_from_above, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 120), lift = place_box(f, 100, 100, 40, 10);
  add(f, lift, "one_way");
  set(f, hero, "mover", "vy", -1200);
  mover_update(f->world, DT); // jumps into the platform from below
  assert_at(f, hero, 100, 100);
  set(f, hero, "mover", "vy", -1200);
  mover_update(f->world, DT);
  assert_at(f, hero, 100, 80);
  set(f, hero, "mover", "vy", 1200);
  mover_update(f->world, DT); // the mover lands
  assert_at(f, hero, 100, 90);
  assert_true(get(f, hero, "mover", "floor") == lift);
  move_body(f, lift, 5, -7); // the lift carries the mover
  assert_at(f, hero, 105, 83);
  shoal_entity below = place_mover(f, 105, 110), beside = place_mover(f, 130, 103);
  move_body(f, lift, 0, 10); // neither presses down nor pushes sideways
  assert_at(f, below, 105, 110);
  move_body(f, lift, 10, 0);
  assert_at(f, beside, 130, 103);
  set(f, beside, "mover", "vx", -600);
  mover_update(f->world, DT);
  assert_at(f, beside, 120, 103);
}

TEST_IN(growing_or_parented_body_pushes_like_a_moved_body, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 100), wall = place_box(f, 80, 100, 20, 20);
  mover_update(f->world, DT);
  mover_capture(f->world);
  set(f, wall, "body", "width", 36);
  mover_update(f->world, DT);
  assert_at(f, hero, 103, 100);
  shoal_entity parent = place(f, 0, 0), child = place_box(f, 103, 120, 20, 20);
  set(f, child, "transform", "parent", (double)parent);
  transform_update_child_lists(f->world);
  mover_update(f->world, DT);
  move_body(f, parent, 0, -9);
  assert_at(f, hero, 103, 96);
}

// Makes the body a child that keeps its world position; its parent must be a root that is neither rotated nor scaled.
static void attach(fixture_t *f, shoal_entity child, shoal_entity parent) {
  set(f, child, "transform", "x", get(f, child, "transform", "x") - get(f, parent, "transform", "x"));
  set(f, child, "transform", "y", get(f, child, "transform", "y") - get(f, parent, "transform", "y"));
  set(f, child, "transform", "parent", (double)parent);
  transform_update_child_lists(f->world);
}

TEST_IN(child_and_grandchild_of_a_platform_push_when_it_moves_or_turns, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 100), platform = place_box(f, 40, 200, 40, 20), arm = place(f, 40, 100),
               wall = place_box(f, 80, 100, 20, 20);
  set(f, wall, "transform", "x", 40); // relative to the arm
  set(f, wall, "transform", "y", 0);
  set(f, wall, "transform", "parent", (double)arm);
  attach(f, arm, platform);
  mover_update(f->world, DT);
  move_body(f, platform, 8, 0);
  assert_at(f, hero, 103, 100);
  shoal_entity hub = place(f, 300, 100), door = place_box(f, 300, 70, 10, 40), guest = place_mover(f, 310, 75);
  attach(f, door, hub);
  mover_update(f->world, DT);
  mover_capture(f->world);
  set(f, hub, "transform", "angle", 0.2); // swings the door to the right
  mover_update(f->world, DT);
  assert_true(get(f, guest, "transform", "x") > 312);
}

TEST_IN(child_of_a_mover_pushes_movers_in_any_order_of_entities, fixture_t, f) {
  for (int order = 0; order < 2; ++order) {
    shoal_entity early = place_mover(f, 118, 100), knight = place_mover(f, 100, 100),
                 shield = place_box(f, 109, 100, 6, 10), late = place_mover(f, 118, 100);
    shoal_entity hero = order ? early : late;
    world_destroy_entity(f->world, order ? late : early);
    attach(f, shield, knight);
    mover_update(f->world, DT);
    for (int i = 0; i < 5; ++i) {
      mover_capture(f->world);
      set(f, knight, "mover", "vx", 300); // 5 px per tick
      mover_update(f->world, DT);
    }
    assert_at(f, knight, 125, 100);
    assert_at(f, hero, 142, 100); // touches the shield, whose right edge is 12 px from the knight
    world_destroy_entity(f->world, knight);
    world_destroy_entity(f->world, hero);
  }
}

TEST_IN(child_of_a_mover_carries_movers, fixture_t, f) {
  shoal_entity rider = place_mover(f, 130, 80), waiter = place_mover(f, 100, 100), tray = place_box(f, 130, 90, 30, 10);
  attach(f, tray, waiter);
  set(f, rider, "mover", "vy", 60);
  mover_update(f->world, DT);
  assert_true(get(f, rider, "mover", "floor") == tray);
  for (int i = 0; i < 10; ++i) {
    mover_capture(f->world);
    set(f, waiter, "mover", "vx", i < 5 ? 300 : -120);
    set(f, waiter, "mover", "vy", i % 3 ? -240 : 400);
    mover_update(f->world, DT);
    double x = get(f, waiter, "transform", "x"), y = get(f, waiter, "transform", "y");
    assert_at(f, rider, x + 30, y - 20);
  }
}

TEST_IN(mover_is_neither_blocked_nor_pushed_by_its_children, fixture_t, f) {
  shoal_entity knight = place_mover(f, 100, 100), shield = place_box(f, 108, 100, 6, 10);
  attach(f, shield, knight);
  mover_update(f->world, DT);
  set(f, knight, "mover", "vx", 600);
  mover_update(f->world, DT);
  assert_at(f, knight, 110, 100);
  set(f, knight, "mover", "vx", 0);
  shoal_entity sword = place_box(f, 104, 100, 6, 10); // reaches 2 px into the knight
  attach(f, sword, knight);
  mover_update(f->world, DT);
  move_body(f, knight, 9, 0);
  assert_at(f, knight, 119, 100);
}

TEST_IN(mover_is_not_blocked_by_a_descendant_at_any_depth, fixture_t, f) {
  shoal_entity knight = place_mover(f, 100, 100), link = knight;
  for (int i = 0; i < 200; ++i) {
    shoal_entity next = place(f, i == 0 ? 100 : 0, i == 0 ? 100 : 0); // all links are at the position of the knight
    attach(f, next, link);
    link = next;
  }
  attach(f, place_box(f, 8, 0, 6, 10), link);
  mover_update(f->world, DT);
  set(f, knight, "mover", "vx", 600);
  mover_update(f->world, DT);
  assert_at(f, knight, 110, 100);
}

TEST_IN(body_whose_parents_form_a_cycle_blocks_a_mover, fixture_t, f) {
  shoal_entity knight = place_mover(f, 100, 100), first = place_box(f, 118, 100, 20, 20), second = place(f, 0, 0);
  mover_update(f->world, DT);
  set(f, first, "transform", "parent", (double)second);
  set(f, second, "transform", "parent", (double)first);
  set(f, knight, "mover", "vx", 600);
  mover_update(f->world, DT);
  assert_at(f, knight, 103, 100);
}

TEST_IN(mover_between_a_child_and_a_wall_is_crushed, fixture_t, f) {
  declare_crushed(f);
  shoal_entity knight = place_mover(f, 100, 100), shield = place_box(f, 109, 100, 6, 10),
               hero = place_mover(f, 118, 100);
  place_box(f, 134, 100, 20, 20);
  attach(f, shield, knight);
  mover_update(f->world, DT);
  mover_capture(f->world);
  set(f, knight, "mover", "vx", 300);
  mover_update(f->world, DT);
  assert_at(f, hero, 119, 100);
  assert_int_equal(count_crushed(f), 1);
}

TEST_IN(child_of_a_pushed_mover_pushes_the_next_mover, fixture_t, f) {
  shoal_entity last = place_mover(f, 136, 100), second = place_mover(f, 118, 100), first = place_mover(f, 100, 100);
  attach(f, place_box(f, 109, 100, 6, 10), first);
  attach(f, place_box(f, 127, 100, 6, 10), second);
  mover_update(f->world, DT);
  mover_capture(f->world);
  set(f, first, "mover", "vx", 300);
  mover_update(f->world, DT);
  assert_at(f, first, 105, 100);
  assert_at(f, second, 122, 100);
  assert_at(f, last, 139, 100);
}

TEST_IN(sensors_and_other_layers_push_nothing, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 100), ghost = place_box(f, 80, 100, 20, 20),
               coin = place_box(f, 100, 80, 20, 20);
  set(f, ghost, "body", "category", 2);
  set(f, hero, "body", "mask", 1);
  add(f, coin, "sensor");
  mover_update(f->world, DT);
  move_body(f, ghost, 8, 0);
  move_body(f, coin, 0, 8);
  assert_at(f, hero, 100, 100);
}

TEST_IN(bodies_written_without_a_capture_push_nothing, fixture_t, f) {
  shoal_entity hero = place_mover(f, 100, 100), wall = place_box(f, 80, 100, 20, 20);
  mover_update(f->world, DT);
  set(f, wall, "transform", "x", 88);
  mover_update(f->world, DT);
  assert_at(f, hero, 100, 100);
}

TEST_IN(grids_are_built_only_if_a_mover_searches_for_a_category_that_a_body_has, fixture_t, f) {
  shoal_entity mover = place_mover(f, 100, 100), other = place_mover(f, 140, 100);
  set(f, mover, "body", "category", 2);
  set(f, mover, "body", "mask", 4);
  set(f, other, "body", "category", 2);
  set(f, other, "body", "mask", 4);
  set(f, mover, "mover", "vx", 600);
  mover_capture(f->world);
  mover_update(f->world, DT);
  assert_false(box_grid_is_built(&body_grid_update(f->world)->grid));
  assert_at(f, mover, 110, 100);
  set(f, other, "body", "category", 4);
  set(f, mover, "body", "mask", 4);
  set(f, other, "body", "mask", 2);
  mover_update(f->world, DT);
  mover_update(f->world, DT);
  mover_update(f->world, DT);
  assert_true(box_grid_is_built(&body_grid_update(f->world)->grid));
  assert_at(f, mover, 130, 100); // stopped by the other mover
}

// Rows move when entities are destroyed; the record identifies bodies by their entity.
TEST_IN(record_contains_the_former_bounds_of_moved_bodies_only, fixture_t, f) {
  shoal_entity bodies[40];
  uint32_t count, found = 0;
  for (int i = 0; i < 40; ++i)
    bodies[i] = place_box(f, i * 50, 100, 20, 20);
  body_grid_begin_record(f->world);
  body_grid_end_record(f->world, &count);
  assert_int_equal(count, 0);
  body_grid_begin_record(f->world);
  set(f, bodies[39], "transform", "y", 120); // moves the row below
  body_grid_sync(f->world);
  world_destroy_entity(f->world, bodies[3]);
  body_grid_sync(f->world);
  set(f, bodies[39], "transform", "y", 140);
  set(f, bodies[7], "transform", "y", 150);
  place_box(f, 5000, 0, 10, 10);
  const former_bounds_t *former = body_grid_end_record(f->world, &count);
  for (uint32_t i = 0; i < count; ++i) {
    assert_true(former[i].bounds.top == 90 && former[i].bounds.bottom == 110);
    found += former[i].entity == bodies[39] || former[i].entity == bodies[7];
  }
  assert_int_equal(found, 2);
  body_grid_end_record(f->world, &count);
  assert_int_equal(count, 0);
}

// If no search needs them, the boxes of bodies that moved before the record are computed only when a body moves during
// it.
TEST_IN(record_starts_with_the_bounds_after_earlier_movements, fixture_t, f) {
  shoal_entity bodies[4];
  uint32_t count;
  for (int i = 0; i < 4; ++i)
    bodies[i] = place_box(f, i * 50, 100, 20, 20);
  body_grid_sync(f->world);
  for (int i = 0; i < 3; ++i)
    set(f, bodies[i], "transform", "y", 200);
  body_grid_begin_record(f->world);
  body_grid_end_record(f->world, &count);
  assert_int_equal(count, 0);
  set(f, bodies[0], "transform", "y", 250);
  body_grid_begin_record(f->world);
  set(f, bodies[0], "transform", "y", 300);
  set(f, bodies[3], "body", "height", 40);
  const former_bounds_t *former = body_grid_end_record(f->world, &count);
  assert_int_equal(count, 2);
  for (uint32_t i = 0; i < count; ++i)
    assert_true(former[i].bounds.top == (former[i].entity == bodies[0] ? 240 : 90));
  body_grid_begin_record(f->world);
  set(f, bodies[1], "transform", "y", 400);
  body_grid_sync(f->world);
  assert_true(body_grid_end_record(f->world, &count)->bounds.top == 190 && count == 1);
}
