// Spatial queries (collision/near_queries.h) and the columns of `neighbours` in random worlds that change in every way,
// compared with a scan of all bodies (near_scan.h); and the underlying grids of boxes (collision/box_grid.h).
#include "components_fixture.h"
#include "near_scan.h"

#include "base/random.h"
#include "collision/body_grid.h"
#include "collision/neighbours.h"
#include "ecs/world_hash.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"

enum { MAX = 256, WORLDS = 150, LONG_WORLDS = 10000, QUERIES = 6 };

static double pick(random_t *r, double low, double high) {
  return low + random_unit(r) * (high - low);
}

static bool one_in(random_t *r, uint32_t n) {
  return random_u32(r) % n == 0;
}

// --- random worlds

typedef struct scene_t {
  fixture_t *f;
  random_t *r;
  double extent; // positions are in [-extent, extent], except for outliers
  shoal_entity list[MAX];
  uint32_t count;
} scene_t;

static double pick_position(scene_t *s) {
  return one_in(s->r, 60) ? pick(s->r, -1e7, 1e7) : pick(s->r, -s->extent, s->extent);
}

static void set_random_size(scene_t *s, shoal_entity e) {
  double largest = one_in(s->r, 10) ? 2000 : one_in(s->r, 4) ? 90 : 12;
  if (one_in(s->r, 200))
    largest = 1e35;
  set(s->f, e, "body", "kind", random_u32(s->r) % 2);
  set(s->f, e, "body", "radius", pick(s->r, 0, largest));
  set(s->f, e, "body", "width", pick(s->r, 0, largest));
  set(s->f, e, "body", "height", pick(s->r, -20, largest));
  set(s->f, e, "body", "offset_x", one_in(s->r, 2) ? 0 : pick(s->r, -15, 15));
  set(s->f, e, "body", "offset_y", one_in(s->r, 2) ? 0 : pick(s->r, -15, 15));
  set(s->f, e, "body", "category", 1u << random_u32(s->r) % 4);
}

static void set_random_place(scene_t *s, shoal_entity e) {
  set(s->f, e, "transform", "x", one_in(s->r, 300) ? (double)NAN : pick_position(s));
  set(s->f, e, "transform", "y", one_in(s->r, 300) ? (double)INFINITY : pick_position(s));
  set(s->f, e, "transform", "angle", one_in(s->r, 2) ? 0 : pick(s->r, -4, 4));
  set(s->f, e, "transform", "scale_x", one_in(s->r, 2) ? 1 : pick(s->r, -2, 3));
  set(s->f, e, "transform", "scale_y", one_in(s->r, 2) ? 1 : pick(s->r, -2, 3));
}

static void set_random_findable(scene_t *s, shoal_entity e) {
  if (!world_has_component(s->f->world, e, manager_of(s->f, "findable")->id))
    add(s->f, e, "findable");
  set(s->f, e, "findable", "radius", one_in(s->r, 3) ? 0 : pick(s->r, -5, 40));
  set(s->f, e, "findable", "category", random_u32(s->r) % 16);
}

static void set_random_neighbours(scene_t *s, shoal_entity e) {
  if (!world_has_component(s->f->world, e, manager_of(s->f, "neighbours")->id))
    add(s->f, e, "neighbours");
  set(s->f, e, "neighbours", "radius",
      one_in(s->r, 20) ? (double)INFINITY : pick(s->r, -5, one_in(s->r, 4) ? 900 : 60));
  set(s->f, e, "neighbours", "mask", one_in(s->r, 2) ? UINT32_MAX : random_u32(s->r) % 16);
}

static void spawn_random(scene_t *s) {
  if (s->count == MAX)
    return;
  shoal_entity e = place(s->f, 0, 0);
  if (one_in(s->r, 8)) // rows of transform without a body
    return;
  bool findable = one_in(s->r, 4);
  if (findable)
    set_random_findable(s, e);
  if (!findable || one_in(s->r, 3)) {
    add(s->f, e, "body");
    set_random_size(s, e);
  }
  if (one_in(s->r, 3))
    set_random_neighbours(s, e);
  set_random_place(s, e);
  s->list[s->count++] = e;
}

static shoal_entity pick_entity(scene_t *s) {
  return s->list[random_u32(s->r) % s->count];
}

// Disables a component or, with DISABLED_WHOLE, the entity.
static void disable(fixture_t *f, shoal_entity e, const char *component) {
  error_info_t error = {0};
  uint32_t instance = strings_intern(world_strings(f->world), component);
  if (!world_add_component(f->world, e, manager_of(f, "disabled")->id, instance, &error))
    fail_msg("%s", error.text);
}

static void toggle_disabled(scene_t *s, shoal_entity e) {
  static const char *const COMPONENTS[] = {"body", "findable", "neighbours", "transform", DISABLED_WHOLE};
  manager_o *m = manager_of(s->f, "disabled");
  if (world_has_component(s->f->world, e, m->id))
    world_remove_component(s->f->world, e, m->id, 0);
  else
    disable(s->f, e, COMPONENTS[random_u32(s->r) % 5]);
}

static void toggle_component(scene_t *s, shoal_entity e, const char *name) {
  manager_o *m = manager_of(s->f, name);
  if (world_has_component(s->f->world, e, m->id))
    world_remove_component(s->f->world, e, m->id, 0);
  else
    add(s->f, e, name);
}

static void destroy_random(scene_t *s) {
  world_destroy_entity(s->f->world, pick_entity(s));
  uint32_t alive = 0;
  for (uint32_t i = 0; i < s->count; ++i)
    if (world_is_alive(s->f->world, s->list[i]))
      s->list[alive++] = s->list[i];
  s->count = alive;
}

static bool has(scene_t *s, shoal_entity e, const char *component) {
  return world_has_component(s->f->world, e, manager_of(s->f, component)->id);
}

// Changes the world as a system can do immediately: by writing columns.
static void write_random(scene_t *s) {
  shoal_entity e = pick_entity(s), other = pick_entity(s);
  uint32_t kind = random_u32(s->r) % 8;
  bool body = has(s, e, "body"), placed = has(s, e, "transform");
  if (kind < 3 && placed) {
    set(s->f, e, "transform", "x", get(s->f, e, "transform", "x") + pick(s->r, -5, 5));
    set(s->f, e, "transform", "y", get(s->f, e, "transform", "y") + pick(s->r, -5, 5));
  } else if (kind == 3 && placed) {
    set_random_place(s, e);
  } else if (kind == 4 && placed) {
    set(s->f, e, "transform", "parent", one_in(s->r, 2) ? 0 : (double)other);
  } else if (kind == 5 && body) {
    set_random_size(s, e);
  } else if (kind == 6 && body) {
    set(s->f, e, "body", "enabled", random_u32(s->r) % 2);
  } else if (has(s, e, "findable")) {
    set_random_findable(s, e);
  } else if (body) {
    set(s->f, e, "body", "category", random_u32(s->r) % 16);
  }
}

static void change_random(scene_t *s) {
  uint32_t kind = random_u32(s->r) % 12;
  if (kind == 0)
    spawn_random(s);
  else if (kind == 1 && s->count > 2)
    destroy_random(s);
  else if (kind == 2 && one_in(s->r, 2))
    toggle_disabled(s, pick_entity(s));
  else if (kind == 2)
    toggle_component(s, pick_entity(s), one_in(s->r, 2) ? "findable" : "body");
  else if (kind == 3 && one_in(s->r, 4))
    toggle_component(s, pick_entity(s), "transform");
  else
    write_random(s);
}

// --- comparison

typedef struct query_t {
  double x, y, x2, y2, radius;
  uint32_t mask, k;
} query_test_t;

typedef struct answer_t {
  uint32_t circle_count, box_count, nearest_count;
  shoal_entity circle[MAX], box[MAX], nearest[MAX];
  bool met;
  near_hit_t hit;
} answer_t;

static query_test_t pick_query(scene_t *s) {
  double reach = one_in(s->r, 5) ? s->extent * 2 : one_in(s->r, 40) ? 1e9 : 80;
  query_test_t q = {.x = pick_position(s), .y = pick_position(s)};
  q.x2 = q.x + pick(s->r, -reach, reach);
  q.y2 = one_in(s->r, 4) ? q.y : q.y + pick(s->r, -reach, reach);
  q.radius = one_in(s->r, 20) ? (double)INFINITY : pick(s->r, 0, reach);
  q.mask = one_in(s->r, 2) ? UINT32_MAX : random_u32(s->r) % 16;
  q.k = one_in(s->r, 4) ? random_u32(s->r) % MAX : 1 + random_u32(s->r) % 8;
  return q;
}

static void scan(world_o *w, const query_test_t *q, answer_t *a) {
  memset(a, 0, sizeof *a);
  a->circle_count = scan_circle(w, q->x, q->y, q->radius, q->mask, a->circle, MAX);
  a->nearest_count = scan_circle(w, q->x, q->y, INFINITY, q->mask, a->nearest, q->k);
  a->nearest_count = a->nearest_count < q->k ? a->nearest_count : q->k;
  a->box_count = scan_box(w, q->x, q->y, q->x2, q->y2, q->mask, a->box, MAX);
  a->met = scan_ray(w, q->x, q->y, q->x2, q->y2, q->mask, &a->hit);
}

static void ask(world_o *w, const query_test_t *q, answer_t *a) {
  memset(a, 0, sizeof *a);
  a->circle_count = near_find_in_circle(w, q->x, q->y, q->radius, q->mask, a->circle, MAX);
  assert_int_equal(near_count_in_circle(w, q->x, q->y, q->radius, q->mask), a->circle_count);
  a->nearest_count = near_find_nearest(w, q->x, q->y, q->k, q->mask, a->nearest);
  a->box_count = near_find_in_box(w, q->x, q->y, q->x2, q->y2, q->mask, a->box, MAX);
  a->met = near_cast_ray(w, q->x, q->y, q->x2, q->y2, q->mask, &a->hit);
}

static void assert_same_list(const char *what, const shoal_entity *a, uint32_t a_count, const shoal_entity *b,
                             uint32_t b_count) {
  if (a_count != b_count)
    fail_msg("%s: %u results, expected %u", what, a_count, b_count);
  for (uint32_t i = 0; i < a_count && i < MAX; ++i)
    if (a[i] != b[i])
      fail_msg("%s: result %u is %u, expected %u", what, i, a[i], b[i]);
}

static void assert_same(const answer_t *a, const answer_t *b) {
  assert_same_list("circle", a->circle, a->circle_count, b->circle, b->circle_count);
  assert_same_list("nearest", a->nearest, a->nearest_count, b->nearest, b->nearest_count);
  assert_same_list("box", a->box, a->box_count, b->box, b->box_count);
  assert_int_equal(a->met, b->met);
  assert_memory_equal(&a->hit, &b->hit, sizeof a->hit);
}

// Compares the results of random queries outside of systems, where queries use the current values.
static void compare_now(scene_t *s) {
  static answer_t expected, found;
  for (int i = 0; i < QUERIES; ++i) {
    query_test_t q = pick_query(s);
    scan(s->f->world, &q, &expected);
    ask(s->f->world, &q, &found);
    assert_same(&found, &expected);
  }
}

// Compares the results inside a system that has already written columns: queries use the values at the start of the
// system.
static void compare_in_system(scene_t *s) {
  static answer_t expected[QUERIES], found;
  query_test_t q[QUERIES];
  for (int i = 0; i < QUERIES; ++i) {
    q[i] = pick_query(s);
    scan(s->f->world, &q[i], &expected[i]);
  }
  world_defer_begin(s->f->world, 1);
  body_grid_capture(s->f->world);
  for (int i = 0; i < QUERIES; ++i) {
    for (int k = 0; k < 20; ++k)
      write_random(s);
    ask(s->f->world, &q[i], &found);
    assert_same(&found, &expected[i]);
  }
  world_defer_end(s->f->world, false);
}

// Lists the entities within the radius of a row of `neighbours`, nearest first, by testing all entities.
static void scan_around(near_scan_t *n, scene_t *s, const neighbours_columns *c, uint32_t row, double x, double y) {
  const bounds_t all = {-INFINITY, -INFINITY, INFINITY, INFINITY};
  shoal_entity self = manager_of(s->f, "neighbours")->owner[row];
  collider_t k;
  begin_search(n, s->f->world, c->mask[row]);
  while (isfinite(x) && isfinite(y) && find_next_candidate(n, &all, &k)) {
    double distance = collider_distance(&k, x, y);
    if (distance < (double)c->radius[row] && k.entity != self)
      add_result(n, distance, k.entity);
  }
  if (n->found.count > 1)
    qsort(n->found.items, n->found.count, sizeof *n->found.items, compare_by_distance);
}

static void compare_row(scene_t *s, const neighbours_columns *c, uint32_t row) {
  const shoal_entity *entity[] = {c->e1, c->e2, c->e3, c->e4, c->e5, c->e6, c->e7, c->e8};
  const float *distance[] = {c->d1, c->d2, c->d3, c->d4, c->d5, c->d6, c->d7, c->d8};
  shoal_entity self = manager_of(s->f, "neighbours")->owner[row];
  near_scan_t n;
  transform_matrices_t matrices = {0};
  float world[16] = {0};
  uint32_t place = manager_row(manager_of(s->f, "transform"), self);
  transform_matrices_begin(&matrices, manager_of(s->f, "transform"));
  if (place != ROW_NONE)
    transform_compute_world_matrix(&matrices, place, world);
  transform_matrices_end(&matrices);
  scan_around(&n, s, c, row, place == ROW_NONE ? (double)NAN : (double)world[12], (double)world[13]);
  assert_int_equal(c->count[row], n.found.count);
  for (uint32_t k = 0; k < 8; ++k) {
    assert_int_equal(entity[k][row], k < n.found.count ? n.found.items[k].entity : 0);
    assert_true(distance[k][row] == (k < n.found.count ? (float)n.found.items[k].distance : 0));
  }
  end_search(&n);
}

// Compares the columns of `neighbours` with a scan of all bodies. Disabled rows keep their values.
static void compare_neighbours(scene_t *s) {
  manager_o *m = manager_of(s->f, "neighbours");
  neighbours_o *n = neighbours_create(s->f->world);
  neighbours_columns c = neighbours_columns_of(m);
  uint64_t *kept = calloc(m->count + 1, sizeof *kept);
  for (uint32_t row = 0; row < m->count; ++row)
    kept[row] = (uint64_t)c.count[row] << 32 | c.e1[row];
  neighbours_update(n);
  for (uint32_t row = 0; row < m->count; ++row)
    if (world_is_disabled(s->f->world, m->owner[row], m->id))
      assert_true(kept[row] == ((uint64_t)c.count[row] << 32 | c.e1[row]));
    else
      compare_row(s, &c, row);
  free(kept);
  neighbours_destroy(n);
}

static void compare_restored(scene_t *s, const snapshot_o *before, uint32_t count, const shoal_entity *list) {
  error_info_t error = {0};
  if (!snapshot_restore(before, s->f->world, &error))
    fail_msg("%s", error.text);
  s->count = count;
  memcpy(s->list, list, count * sizeof *list);
  compare_now(s);
}

static void run_world(fixture_t *f, random_t *r) {
  static const double EXTENTS[] = {30, 400, 400, 5000};
  scene_t s = {.f = f, .r = r, .extent = EXTENTS[random_u32(r) % 4]};
  shoal_entity list[MAX];
  uint32_t wanted = one_in(r, 20) ? 150 : 2 + random_u32(r) % 40;
  while (s.count < wanted)
    spawn_random(&s);
  compare_now(&s);
  snapshot_o *before = snapshot_create(world_allocator(f->world));
  assert_true(snapshot_take(before, f->world, NULL));
  uint32_t count = s.count;
  memcpy(list, s.list, sizeof list);
  for (int round = 0; round < 3; ++round) {
    for (uint32_t k = one_in(r, 2) ? 3 : s.count; k > 0; --k)
      change_random(&s);
    if (one_in(r, 2))
      compare_in_system(&s);
    compare_now(&s);
    compare_neighbours(&s);
  }
  compare_restored(&s, before, count, list);
  snapshot_release(before);
  for (uint32_t i = 0; i < s.count; ++i)
    world_destroy_entity(f->world, s.list[i]);
}

TEST(spatial_queries_equal_a_scan_of_all_bodies_in_random_worlds) {
  enum { PER_FIXTURE = 25 };
  const char *is_long = getenv("LONG");
  int worlds = is_long && is_long[0] ? LONG_WORLDS : WORLDS;
  random_t r;
  random_seed(&r, 5);
  for (int i = 0; i < worlds; i += PER_FIXTURE) {
    fixture_t *opened = fixture_open();
    for (int k = 0; k < PER_FIXTURE; ++k)
      run_world(opened, &r);
    fixture_close(opened);
  }
}

// --- single cases

static shoal_entity spawn_body(fixture_t *f, double x) {
  shoal_entity e = place(f, x, 0);
  add(f, e, "body");
  return e;
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(spatial_queries_return_results_for_the_start_of_the_system, fixture_t, f) {
  shoal_entity e = spawn_body(f, 0), out[MAX];
  world_defer_begin(f->world, 1);
  body_grid_capture(f->world);
  set(f, e, "transform", "x", 500);
  assert_int_equal(near_find_in_circle(f->world, 500, 0, 5, UINT32_MAX, out, MAX), 0);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 5, UINT32_MAX, out, MAX), 1);
  world_destroy_entity(f->world, e);
  assert_int_equal(near_count_in_circle(f->world, 0, 0, 5, UINT32_MAX), 1); // the command is not yet applied
  world_defer_end(f->world, true);
  assert_int_equal(near_count_in_circle(f->world, 0, 0, 5, UINT32_MAX), 0);
  assert_int_equal(near_count_in_circle(f->world, 500, 0, 5, UINT32_MAX), 1);
  world_defer_begin(f->world, 1);
  world_destroy_entity(f->world, e);
  world_defer_end(f->world, false);
  assert_int_equal(near_count_in_circle(f->world, 500, 0, 5, UINT32_MAX), 0);
}

TEST_IN(findable_entities_are_found_without_a_body, fixture_t, f) {
  shoal_entity ore = place(f, 50, 0), rock = spawn_body(f, 100), out[MAX];
  near_hit_t hit;
  add(f, ore, "findable");
  add(f, rock, "findable"); // ignored, because the entity has a body
  set(f, ore, "findable", "radius", 8);
  set(f, ore, "findable", "category", 4);
  set(f, rock, "findable", "category", 4);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 43, UINT32_MAX, out, MAX), 1);
  assert_true(out[0] == ore);
  assert_int_equal(near_find_nearest(f->world, 100, 0, 2, UINT32_MAX, out), 2);
  assert_true(out[0] == rock && out[1] == ore);
  assert_int_equal(near_count_in_circle(f->world, 50, 0, 100, 4), 1);
  assert_true(near_cast_ray(f->world, 0, 0, 200, 0, UINT32_MAX, &hit));
  assert_true(hit.entity == ore);
  disable(f, ore, DISABLED_WHOLE);
  assert_int_equal(near_count_in_circle(f->world, 50, 0, 5, UINT32_MAX), 0);
}

TEST_IN(world_without_spatial_queries_has_no_copies_of_bodies, fixture_t, f) {
  for (int i = 0; i < 100; ++i)
    spawn_body(f, i);
  world_defer_begin(f->world, 1); // allocates the list of frames
  world_defer_end(f->world, false);
  size_t before = world_allocator(f->world)->bytes;
  world_defer_begin(f->world, 1);
  world_defer_end(f->world, false);
  assert_int_equal(world_allocator(f->world)->bytes, before);
  near_count_in_circle(f->world, 0, 0, 5, UINT32_MAX);
  assert_true(world_allocator(f->world)->bytes > before);
}

TEST_IN(spatial_queries_do_not_change_the_world_hash, fixture_t, f) {
  shoal_entity out[MAX];
  for (int i = 0; i < 100; ++i)
    spawn_body(f, i * 7);
  uint64_t before = world_hash(f->world);
  assert_true(near_find_in_circle(f->world, 50, 0, 100, UINT32_MAX, out, MAX) > 0);
  assert_int_equal(near_find_nearest(f->world, 50, 0, 3, UINT32_MAX, out), 3);
  assert_true(world_hash(f->world) == before);
}

TEST_IN(centre_of_neighbours_is_their_mean_position, fixture_t, f) {
  shoal_entity e = place(f, 1000, 500);
  neighbours_o *n = neighbours_create(f->world);
  add(f, e, "neighbours");
  neighbours_update(n);
  assert_true(get(f, e, "neighbours", "centre_x") == 1000 && get(f, e, "neighbours", "centre_y") == 500);
  for (int i = 0; i < 3; ++i)
    add(f, place(f, 1000 + i * 30, 500.25), "findable");
  neighbours_update(n);
  assert_true(get(f, e, "neighbours", "centre_x") == 1030 && get(f, e, "neighbours", "centre_y") == 500.25);
  set(f, e, "neighbours", "radius", 59);
  neighbours_update(n);
  assert_true(get(f, e, "neighbours", "centre_x") == 1015 && get(f, e, "neighbours", "count") == 2);
  neighbours_destroy(n);
}
