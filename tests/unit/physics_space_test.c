// The space of the physics plugin, used without a world.
#include "plugins/physics/space.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_MAX = 160, JOINT_MAX = 32 };

typedef struct scene_t {
  random_t random;
  uint32_t next; // id of the next entity
  space_body_t bodies[SCENE_MAX];
  space_collider_t colliders[SCENE_MAX];
  space_joint_t joints[JOINT_MAX];
  uint32_t body_count, collider_count, joint_count;
} scene_t;

static const space_settings_t SETTINGS = {.gravity_y = 500, .iterations = 10};

static double next_random_unit(scene_t *s) {
  return random_unit(&s->random);
}

static space_collider_t *add_collider(scene_t *s, uint32_t entity, uint32_t body, collider_kind_t kind) {
  space_collider_t *c = &s->colliders[s->collider_count++];
  *c =
      (space_collider_t){.entity = entity, .body = body, .kind = (uint8_t)kind, .radius = 8, .width = 20, .height = 14};
  c->friction = 0.6f;
  c->bounce = 0.1f;
  c->category = 1;
  c->mask = UINT32_MAX;
  c->scale_x = c->scale_y = 1;
  if (kind != COLLIDER_CIRCLE)
    c->radius = 0;
  return c;
}

static void add_wall(scene_t *s, double x, double y, float width, float height) {
  space_collider_t *c = add_collider(s, ++s->next, 0, COLLIDER_BOX);
  c->x = x;
  c->y = y;
  c->width = width;
  c->height = height;
}

static void add_body(scene_t *s) {
  static const char *const FORMS[] = {"-9,8 9,8 0,-10", "-10,0 -5,-8 6,-9 11,0 5,9 -6,8 -9,4"};
  if (s->body_count == SCENE_MAX || s->collider_count == SCENE_MAX)
    return;
  space_body_t *b = &s->bodies[s->body_count++];
  *b = (space_body_t){.entity = ++s->next,
                      .mass = 1,
                      .gravity = 1,
                      .x = 40 + 320 * next_random_unit(s),
                      .y = 300 * next_random_unit(s)};
  b->kind = next_random_unit(s) < 0.08 ? BODY_KINEMATIC : BODY_DYNAMIC;
  b->angle = 6 * next_random_unit(s);
  b->vx = 80 * next_random_unit(s) - 40;
  b->damping = next_random_unit(s) < 0.2 ? 0.4f : 0.0f;
  space_collider_t *c = add_collider(s, b->entity, b->entity, (collider_kind_t)(4 * next_random_unit(s)));
  c->points = c->kind == COLLIDER_POLYGON ? FORMS[next_random_unit(s) < 0.5] : NULL;
  c->sensor = next_random_unit(s) < 0.1;
}

static void fill_scene(scene_t *s, uint32_t bodies) {
  random_seed(&s->random, 7);
  add_wall(s, 200, 420, 440, 40);
  add_wall(s, -10, 200, 40, 500);
  add_wall(s, 410, 200, 40, 500);
  for (uint32_t i = 0; i < bodies; ++i)
    add_body(s);
}

// Removes the body with index `number` and its colliders in the way a world removes rows: the last row fills the gap.
static void remove_body(scene_t *s, uint32_t number) {
  uint32_t entity = s->bodies[number].entity;
  s->bodies[number] = s->bodies[--s->body_count];
  for (uint32_t i = s->collider_count; i-- > 0;)
    if (s->colliders[i].body == entity)
      s->colliders[i] = s->colliders[--s->collider_count];
}

static void add_joint(scene_t *s) {
  if (s->joint_count == JOINT_MAX || s->body_count < 2)
    return;
  uint32_t a = (uint32_t)(next_random_unit(s) * s->body_count), b = (uint32_t)(next_random_unit(s) * s->body_count);
  s->joints[s->joint_count++] = (space_joint_t){.entity = ++s->next,
                                                .kind = (uint8_t)(9 * next_random_unit(s)),
                                                .a = s->bodies[a].entity,
                                                .b = next_random_unit(s) < 0.2 ? 0 : s->bodies[b].entity,
                                                .ax = 5,
                                                .bx = -5,
                                                .length = 30,
                                                .min = 10,
                                                .max = 50,
                                                .stiffness = 20,
                                                .damping = 1,
                                                .ratio = 1,
                                                .rate = 3};
}

// Makes a random edit like those that users make in the cockpit.
static void make_random_edit(scene_t *s) {
  uint32_t n = (uint32_t)(next_random_unit(s) * s->body_count), c = (uint32_t)(next_random_unit(s) * s->collider_count);
  switch ((int)(next_random_unit(s) * 12)) {
  case 0: add_body(s); break;
  case 1:
    if (s->body_count > 10)
      remove_body(s, n);
    break;
  case 2: s->bodies[n].vy -= 200; break;
  case 3: s->bodies[n].x = 200, s->bodies[n].y = 40; break;
  case 4: s->colliders[c].radius = (float)(4 + 8 * next_random_unit(s)); break;
  case 5: s->colliders[c].sensor = !s->colliders[c].sensor; break;
  case 6: s->bodies[n].kind = (uint8_t)(3 * next_random_unit(s)); break;
  case 7: s->colliders[c].kind = (uint8_t)(3 * next_random_unit(s)); break;
  case 8: add_joint(s); break;
  case 9:
    if (s->joint_count > 0)
      s->joints[0] = s->joints[--s->joint_count];
    break;
  case 10: s->bodies[n].fixed_rotation = !s->bodies[n].fixed_rotation; break;
  default: s->colliders[c].mask ^= 1;
  }
}

static void sync_space(space_o *space, scene_t *s) {
  space_sync(space, s->bodies, s->body_count, s->colliders, s->collider_count, s->joints, s->joint_count);
}

static void step_space(space_o *space, scene_t *s) {
  sync_space(space, s);
  space_step(space, &SETTINGS, 1.0 / 60, s->bodies, s->joints);
}

// Saves the space and loads it into a new one.
static space_o *rebuild_space(space_o *space) {
  size_t size = space_save_bytes(space);
  void *bytes = malloc(size);
  space_save(space, bytes);
  space_o *other = space_create();
  assert_true(space_load(other, bytes, size));
  assert_int_equal(space_save_bytes(other), size);
  void *again = malloc(size);
  space_save(other, again);
  assert_memory_equal(bytes, again, size);
  free(bytes);
  free(again);
  space_destroy(space);
  return other;
}

static void assert_same_contacts(space_o *a, space_o *b) {
  uint32_t count_a, count_b;
  const space_contact_t *of_a = space_contacts(a, &count_a), *of_b = space_contacts(b, &count_b);
  assert_int_equal(count_a, count_b);
  for (uint32_t i = 0; i < count_a; ++i) {
    assert_int_equal(of_a[i].a, of_b[i].a);
    assert_int_equal(of_a[i].b, of_b[i].b);
    assert_int_equal(of_a[i].begins, of_b[i].begins);
    assert_memory_equal(&of_a[i].x, &of_b[i].x, 7 * sizeof(float));
  }
}

static void compare_with_rebuilt_space(uint32_t every, bool changes) {
  scene_t *kept = calloc(1, sizeof *kept), *rebuilt = calloc(1, sizeof *rebuilt);
  space_o *live = space_create(), *other = space_create();
  fill_scene(kept, 90);
  fill_scene(rebuilt, 90);
  for (uint32_t tick = 0; tick < 400; ++tick) {
    if (changes) {
      make_random_edit(kept);
      make_random_edit(rebuilt);
    }
    if (tick % every == 0)
      other = rebuild_space(other);
    step_space(live, kept);
    step_space(other, rebuilt);
    assert_memory_equal(kept->bodies, rebuilt->bodies, sizeof kept->bodies);
    assert_memory_equal(kept->joints, rebuilt->joints, sizeof kept->joints);
    assert_same_contacts(live, other);
  }
  space_destroy(live);
  space_destroy(other);
  free(kept);
  free(rebuilt);
}

TEST(rebuilt_space_matches_the_original_bit_for_bit) {
  compare_with_rebuilt_space(1, false);
  compare_with_rebuilt_space(37, false);
}

TEST(rebuilt_space_matches_the_original_bit_for_bit_during_edits) {
  compare_with_rebuilt_space(1, true);
  compare_with_rebuilt_space(7, true);
}

TEST(box_falls_and_comes_to_rest_on_the_ground) {
  scene_t *s = calloc(1, sizeof *s);
  space_o *space = space_create();
  add_wall(s, 0, 100, 400, 20);
  s->bodies[s->body_count++] = (space_body_t){.entity = 9, .mass = 1, .gravity = 1};
  add_collider(s, 9, 9, COLLIDER_BOX);
  uint32_t begun = 0, count;
  for (uint32_t tick = 0; tick < 240; ++tick) {
    step_space(space, s);
    const space_contact_t *contacts = space_contacts(space, &count);
    for (uint32_t i = 0; i < count; ++i)
      if (contacts[i].begins && begun++ == 0) {
        assert_int_equal(contacts[i].a, 9);
        assert_float_equal((double)contacts[i].ny, 1, 0.01); // points from the box down into the ground
        assert_true(contacts[i].speed > 100 && contacts[i].impulse > 0);
      }
  }
  assert_true(begun > 0);
  assert_float_equal(s->bodies[0].y, 83, 0.5);
  assert_float_equal(s->bodies[0].vy, 0, 0.5);
  uint32_t touching[4];
  assert_int_equal(space_find_touching(space, 9, touching, 4), 1);
  assert_int_equal(touching[0], 1);
  space_destroy(space);
  free(s);
}

TEST(physics_space_queries_find_bodies) {
  scene_t *s = calloc(1, sizeof *s);
  space_o *space = space_create();
  add_wall(s, 100, 0, 20, 400);
  add_wall(s, 200, 0, 20, 400);
  s->colliders[1].category = 4;
  sync_space(space, s);
  space_hit_t hit, hits[4];
  assert_true(space_cast_ray(space, 0, 0, 300, 0, 0, UINT32_MAX, &hit));
  assert_int_equal(hit.entity, 1);
  assert_float_equal((double)hit.x, 90, 1e-3);
  assert_float_equal((double)hit.nx, -1, 1e-3);
  assert_true(space_cast_ray(space, 0, 0, 300, 0, 0, 4, &hit));
  assert_int_equal(hit.entity, 2);
  assert_false(space_cast_ray(space, 0, 0, 80, 0, 0, UINT32_MAX, &hit));
  assert_int_equal(space_find_near(space, 160, 0, 35, UINT32_MAX, hits, 4), 1);
  assert_int_equal(hits[0].entity, 2);
  uint32_t found[4];
  assert_int_equal(space_find_in_box(space, 95, -5, 205, 5, UINT32_MAX, found, 4), 2);
  assert_int_equal(found[0], 1);
  space_destroy(space);
  free(s);
}

TEST(nan_and_infinite_body_values_give_finite_positions) {
  static const double ODD[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, -1, 1e9};
  scene_t *s = calloc(1, sizeof *s);
  space_o *space = space_create();
  fill_scene(s, 60);
  for (uint32_t tick = 0; tick < 300; ++tick) {
    double odd = ODD[tick % 8];
    space_body_t *b = &s->bodies[tick % s->body_count];
    space_collider_t *c = &s->colliders[tick % s->collider_count];
    double *place[] = {&b->x, &b->vx, &b->spin, &b->force_y, &b->torque, &b->angle, &b->bias_x, &c->x, &c->angle};
    float *size[] = {&b->mass,     &b->moment, &b->gravity, &b->damping, &c->radius,   &c->width,
                     &c->friction, &c->bounce, &c->scale_x, &c->height,  &c->surface_x};
    *place[tick % 9] = odd;
    *size[tick % 11] = (float)odd;
    if (tick % 5 == 0)
      add_joint(s);
    if (s->joint_count > 0) {
      space_joint_t *j = &s->joints[tick % s->joint_count];
      float *number[] = {&j->length, &j->ratio, &j->ax, &j->by, &j->stiffness, &j->max_force, &j->rate};
      *number[tick % 7] = (float)odd;
      j->impulse_x = odd;
    }
    step_space(space, s);
    assert_true(isfinite(b->x) && isfinite(b->y) && isfinite(b->angle) && isfinite(b->vx));
  }
  space_destroy(space);
  free(s);
}

TEST(damaged_space_data_is_rejected_or_loaded_safely) {
  scene_t *s = calloc(1, sizeof *s);
  space_o *space = space_create();
  fill_scene(s, 60);
  for (uint32_t tick = 0; tick < 120; ++tick)
    step_space(space, s);
  size_t size = space_save_bytes(space);
  uint8_t *bytes = malloc(size);
  space_save(space, bytes);
  space_o *other = space_create();
  for (size_t cut = 1; cut < size; cut += 13)
    assert_false(space_load(other, bytes, size - cut));
  for (uint32_t i = 0; i < 2000; ++i) { // damaged bytes may be accepted, but must not cause a crash
    size_t at = (size_t)(next_random_unit(s) * (double)size);
    uint8_t was = bytes[at];
    bytes[at] ^= (uint8_t)(1 << i % 8);
    space_load(other, bytes, size);
    bytes[at] = was;
    if (i % 50 == 0)
      step_space(other, s);
  }
  assert_true(space_load(other, bytes, size));
  free(bytes);
  space_destroy(space);
  space_destroy(other);
  free(s);
}
