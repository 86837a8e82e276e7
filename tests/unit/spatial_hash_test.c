// Overlapping pairs of boxes: collision/spatial_hash.h.
#include "collision/spatial_hash.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_MAX = 400, PAIR_MAX = SCENE_MAX * SCENE_MAX };

typedef struct scene_t {
  allocator_t allocator;
  spatial_hash_t hash;
  spatial_item_t items[SCENE_MAX];
  uint32_t count;
} scene_t;

SETUP(scene_t, s) {
  spatial_hash_init(&s->hash, &s->allocator);
}

TEARDOWN(scene_t, s) {
  spatial_hash_fini(&s->hash);
  assert_int_equal(s->allocator.bytes, 0);
}

static void add_box(scene_t *s, float x, float y, float half_x, float half_y) {
  s->items[s->count++] = (spatial_item_t){x, y, half_x, half_y, 1, UINT32_MAX};
}

// Asserts that the result contains each overlapping pair once and no other pair.
static void assert_same_as_naive(scene_t *s) {
  static uint8_t found[SCENE_MAX][SCENE_MAX];
  memset(found, 0, sizeof found);
  assert_true(spatial_hash_collect_pairs(&s->hash, s->items, s->count, PAIR_MAX));
  for (uint32_t i = 0; i < s->hash.pairs.count; ++i) {
    spatial_pair_t pair = s->hash.pairs.items[i];
    assert_true(pair.first < pair.second && pair.second < s->count);
    ++found[pair.first][pair.second];
  }
  for (uint32_t i = 0; i < s->count; ++i) {
    for (uint32_t j = i + 1; j < s->count; ++j)
      assert_int_equal(found[i][j], spatial_items_overlap(&s->items[i], &s->items[j]));
  }
}

TEST_IN(empty_spatial_hash_has_no_pairs, scene_t, s) {
  assert_same_as_naive(s);
}

TEST_IN(boxes_that_share_an_edge_do_not_overlap, scene_t, s) {
  add_box(s, 0, 0, 8, 8);
  add_box(s, 16, 0, 8, 8);
  add_box(s, 4, 15.9f, 8, 8);
  assert_same_as_naive(s);
  assert_int_equal(s->hash.pairs.count, 2); // the third box overlaps both
}

TEST_IN(pairs_require_each_category_in_the_other_mask, scene_t, s) {
  add_box(s, 0, 0, 8, 8);
  add_box(s, 0, 0, 8, 8);
  s->items[0].category = 2;
  s->items[1].mask = 1;
  assert_same_as_naive(s);
  assert_int_equal(s->hash.pairs.count, 0);
  s->items[1].mask = 6;
  assert_same_as_naive(s);
  assert_int_equal(s->hash.pairs.count, 1);
}

TEST_IN(large_box_pairs_with_every_small_box_in_it, scene_t, s) {
  add_box(s, 0, 0, 10000, 10000);
  for (int i = 0; i < 300; ++i)
    add_box(s, (float)i * 30 - 4000, (float)(i % 17) * 40 - 300, 2, 2);
  assert_same_as_naive(s);
  assert_true(s->hash.pairs.count >= 300);
}

TEST_IN(point_inside_a_box_overlaps_it, scene_t, s) {
  add_box(s, 5, 5, 0, 0);
  add_box(s, 5, 5, 0, 0);
  add_box(s, 0, 0, 6, 6);
  assert_same_as_naive(s);
  assert_int_equal(s->hash.pairs.count, 2); // two points share no area
}

TEST_IN(items_beyond_the_last_cell_are_compared_exactly, scene_t, s) {
  add_box(s, 1e30f, -1e30f, 1, 1);
  add_box(s, 1e30f, -1e30f, 1, 1);
  add_box(s, 2e30f, -1e30f, 1, 1);
  add_box(s, -3e38f, 3e38f, 3e38f, 3e38f);
  add_box(s, 0, 0, 1e-30f, 1e-30f);
  assert_same_as_naive(s);
}

TEST_IN(pairs_over_the_limit_are_reported, scene_t, s) {
  for (int i = 0; i < 100; ++i)
    add_box(s, 0, 0, 1, 1);
  assert_false(spatial_hash_collect_pairs(&s->hash, s->items, s->count, 1000));
  assert_int_equal(s->hash.pairs.count, 1000);
  assert_true(spatial_hash_collect_pairs(&s->hash, s->items, s->count, 4950));
  assert_int_equal(s->hash.pairs.count, 4950);
}

TEST_IN(second_spatial_hash_query_allocates_nothing, scene_t, s) {
  for (int i = 0; i < 200; ++i)
    add_box(s, (float)(i % 20) * 9, (float)(i / 20) * 9, 5, 5);
  assert_same_as_naive(s);
  uint64_t calls = s->allocator.calls;
  assert_same_as_naive(s);
  assert_int_equal(s->allocator.calls, calls);
}

static float random_between(random_t *r, float low, float high) {
  return low + (high - low) * (float)random_unit(r);
}

// Creates a random scene: boxes of one size, of two sizes or of all magnitudes; spread out, clustered or on a lattice;
// near 0 or far from it.
static void fill_random_scene(scene_t *s, random_t *r) {
  uint32_t sizes = random_u32(r) % 3, places = random_u32(r) % 3, kinds = random_u32(r) % 2;
  float extent = powf(10, random_between(r, 0, 5)),
        centre = random_between(r, -1, 1) * powf(10, random_between(r, 0, 7));
  s->count = 1 + random_u32(r) % SCENE_MAX;
  for (uint32_t i = 0; i < s->count; ++i) {
    spatial_item_t *item = &s->items[i];
    float clump = (float)(random_u32(r) % 4) * extent;
    item->x = centre + random_between(r, -extent, extent) * (places == 1 ? 0.02f : 1) + (places == 1 ? clump : 0);
    item->y = random_between(r, -extent, extent) * (places == 1 ? 0.02f : 1) - centre;
    if (places == 2) {
      item->x = floorf(item->x / 16) * 16;
      item->y = floorf(item->y / 16) * 16;
    }
    float size = sizes == 0 ? 8 : sizes == 1 ? powf(10, random_between(r, -4, 4)) : random_u32(r) % 50 == 0 ? 500 : 3;
    item->half_x = size * (random_u32(r) % 4 == 0 ? random_between(r, 0, 1) : 1);
    item->half_y = size * (random_u32(r) % 4 == 0 ? random_between(r, 0, 1) : 1);
    item->category = 1u << random_u32(r) % 4;
    item->mask = random_u32(r) % 3 == 0 ? random_u32(r) & 15 : UINT32_MAX;
    // few ships and many bullets that collide only with ships; ships are larger or smaller than bullets
    if (kinds == 0) {
      bool ship = random_u32(r) % 8 == 0;
      item->category = ship ? 1 : 2;
      item->mask = ship ? 3 : 1;
      item->half_x *= ship ? 5.0f : 0.5f;
    }
  }
}

TEST_IN(random_scenes_give_the_same_pairs_as_brute_force, scene_t, s) {
  random_t r;
  random_seed(&r, 7);
  uint64_t pairs = 0;
  for (int i = 0; i < 200; ++i) {
    fill_random_scene(s, &r);
    assert_same_as_naive(s);
    pairs += s->hash.pairs.count;
  }
  assert_true(pairs > 10000); // the scenes are not empty
}
