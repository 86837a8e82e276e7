// Snapshots of worlds with the built-in components, whose hidden columns must keep their invariants.
#include "components_fixture.h"

#include "base/random.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

enum { COUNT = 60 };

// Creates trees of transforms, colliding bodies, and entities with a lifetime.
static void spawn_entities(fixture_t *f) {
  world_o *w = f->world;
  uint32_t ids[] = {manager_of(f, "transform")->id, manager_of(f, "body")->id, manager_of(f, "lifetime")->id};
  shoal_entity made[COUNT];
  for (uint32_t i = 0; i < COUNT; ++i) {
    made[i] = world_spawn(w, 0, NULL);
    for (uint32_t k = 0; k < (i % 3 == 0 ? 3u : 2u); ++k)
      world_add_component(w, made[i], ids[k], 0, NULL);
    world_set_field(w, made[i], ids[0], 0, SHOAL_COLUMN_INDEX(transform, x), i * 7, NULL);
    if (i % 4 != 0)
      world_set_field(w, made[i], ids[0], 0, SHOAL_COLUMN_INDEX(transform, parent), made[i / 2], NULL);
    world_set_field(w, made[i], ids[2], 0, 0, 0.5 + i, NULL);
  }
}

static schedule_o *make_schedule(fixture_t *f, allocator_t *a) {
  error_info_t error = {0};
  schedule_o *s = schedule_create(a);
  if (!components_schedule(f->components, s, &error) || !schedule_sort(s, &error))
    fail_msg("%s", error.text);
  return s;
}

static void run_tick(fixture_t *f, schedule_o *s) {
  for (phase_t phase = PHASE_INPUT; phase <= PHASE_POST_UPDATE; ++phase)
    schedule_run(s, f->world, phase, 1.0f / 60);
  world_end_tick(f->world);
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(restored_builtin_components_continue_identically, fixture_t, f) {
  allocator_t a = {0};
  error_info_t error;
  schedule_o *schedule = make_schedule(f, &a);
  snapshot_o *s = snapshot_create(&a);
  spawn_entities(f);
  for (uint32_t i = 0; i < 40; ++i)
    run_tick(f, schedule);
  assert_true(snapshot_take(s, f->world, &error));
  for (uint32_t i = 0; i < 200; ++i)
    run_tick(f, schedule);
  uint64_t later = world_hash(f->world);
  assert_true(snapshot_restore(s, f->world, &error));
  for (uint32_t i = 0; i < 200; ++i)
    run_tick(f, schedule);
  assert_true(world_hash(f->world) == later);
  snapshot_release(s);
  schedule_destroy(schedule);
}

// Writes random bytes to the hidden columns of transforms, and to random places in the rest of the snapshot.
TEST_IN(damaged_transform_snapshots_are_rejected_or_restored_safely, fixture_t, f) {
  allocator_t a = {0};
  error_info_t error;
  random_t r;
  size_t size = 0;
  uint32_t taken = 0;
  random_seed(&r, 11);
  schedule_o *schedule = make_schedule(f, &a);
  snapshot_o *good = snapshot_create(&a), *bad = snapshot_create(&a);
  spawn_entities(f);
  run_tick(f, schedule);
  assert_true(snapshot_take(good, f->world, &error));
  const void *bytes = snapshot_bytes(good, &size);
  const snapshot_section_t *table = snapshot_table(good).table;
  uint32_t count = snapshot_table(good).count;
  for (uint32_t i = 0; i < 500; ++i) {
    snapshot_set_bytes(bad, bytes, size);
    uint8_t *out = snapshot_reserve(bad, size);
    for (uint32_t k = 0; k < 1 + i % 5; ++k) {
      const snapshot_section_t *x = &table[random_u32(&r) % count];
      while (x->bytes < 4 || (i % 2 == 0 && (x->kind != SNAPSHOT_COLUMN || x->a + 1 != manager_of(f, "transform")->id)))
        x = &table[random_u32(&r) % count];
      uint32_t e = 1 + random_u32(&r) % COUNT;
      memcpy(out + x->offset + random_u32(&r) % (x->bytes / 4) * 4, &e, 4);
    }
    if (!snapshot_restore(bad, f->world, &error))
      continue;
    taken++;
    for (uint32_t k = 0; k < 3; ++k) {
      world_destroy_entity(f->world, 1 + random_u32(&r) % COUNT);
      run_tick(f, schedule);
    }
  }
  assert_true(taken > 125);
  snapshot_release(good);
  snapshot_release(bad);
  schedule_destroy(schedule);
}
