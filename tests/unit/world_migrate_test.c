// Migration of a world to a different version of its game.
#include "ecs_fixture.h"

#include "content/content.h"
#include "content/former_names.h"
#include "ecs/world_internal.h"
#include "migrate/world_migrate.h"
#include "ecs/world_hash.h"

#include <time.h>

static void migrate_world(world_o *from, world_o *to, world_migrate_counts_t *counts) {
  error_info_t error = {0};
  if (!world_migrate(from, to, NULL, counts, &error))
    fail_msg("%s", error.text);
}

// Simulates one tick of the old or the new world.
static void simulate_tick(world_o *w) {
  shoal_entity e = spawn(w);
  add(w, e, POSITION, 0);
  set(w, e, POSITION, POSITION_X, (double)world_tick(w));
  if (world_tick(w) % 3 == 0)
    add(w, e, HEALTH, 0);
  if (world_tick(w) % 5 == 0)
    world_destroy_entity(w, world_manager(w, POSITION)->owner[0]);
  world_end_tick(w);
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(migration_to_an_unchanged_game_keeps_the_hash, world_o, from) {
  world_o *to = make_world();
  query_o *q = QUERY(from, HAS(POSITION), HAS(HEALTH));
  QUERY(to, HAS(POSITION), HAS(HEALTH));
  assert_true(world_group_query(from, q, NULL));
  assert_true(world_group_query(to, QUERY(to, HAS(POSITION), HAS(HEALTH)), NULL));
  for (uint32_t i = 0; i < 20; ++i)
    simulate_tick(from);
  migrate_world(from, to, NULL);
  assert_int_equal(world_hash(to), world_hash(from));
  for (uint32_t i = 0; i < 20; ++i) {
    simulate_tick(from);
    simulate_tick(to);
    assert_int_equal(world_hash(to), world_hash(from));
  }
  world_destroy(to);
}

TEST_IN(migrated_world_has_the_new_queries_and_groups, world_o, from) {
  world_o *to = make_world();
  query_o *old = QUERY(from, HAS(POSITION), HAS(HEALTH)), *new = QUERY(to, HAS(POSITION), HAS(LABEL));
  assert_true(world_group_query(from, old, NULL));
  assert_true(world_group_query(to, new, NULL));
  shoal_entity both = SPAWN(from, POSITION, LABEL);
  SPAWN(from, POSITION, HEALTH);
  migrate_world(from, to, NULL);
  assert_int_equal(new->count, 1);
  assert_int_equal(new->entities[0], both);
  assert_true(new->grouped);
  assert_false(QUERY(to, HAS(POSITION), HAS(HEALTH))->grouped);
  world_destroy(to);
}

TEST_IN(old_snapshot_gets_the_groups_of_the_current_code, world_o, from) {
  world_o *now = make_world(), *again = make_world();
  assert_true(world_group_query(from, QUERY(from, HAS(POSITION), HAS(HEALTH)), NULL));
  assert_true(world_group_query(now, QUERY(now, HAS(POSITION), HAS(LABEL)), NULL));
  assert_true(world_group_query(again, QUERY(again, HAS(POSITION), HAS(LABEL)), NULL));
  SPAWN(from, POSITION, HEALTH);
  SPAWN(from, POSITION, LABEL);
  SPAWN(from, POSITION);
  SPAWN(from, POSITION, LABEL);
  snapshot_o *s = snapshot_create(world_allocator(from));
  assert_true(snapshot_take(s, from, NULL));
  state_view_t *v = state_open(s, world_allocator(now), NULL);
  assert_non_null(v);
  assert_true(state_install(v, now, &(state_install_desc_t){.regroup = true}, NULL));
  state_close(v);
  assert_true(QUERY(now, HAS(POSITION), HAS(LABEL))->grouped);
  assert_int_equal(QUERY(now, HAS(POSITION), HAS(LABEL))->count, 2);
  migrate_world(now, again, NULL); // a reload without changes
  assert_int_equal(world_hash(again), world_hash(now));
  snapshot_release(s);
  world_destroy(now);
  world_destroy(again);
}

// Declares a game with the components `old`, `now` and `other` (each may be NULL). `now` and `other` take the data of a
// former component `drive`, as after a rename or a split.
static world_o *make_renaming_world(const char *old, const char *now, const char *other) {
  static const field_type_t f32[] = {FIELD_F32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  declare(w, "disabled", SCHEMA_MANY, NULL, NULL, 0);
  DECLARE(w, "motion", SCHEMA_COMPONENT, f32, "x");
  if (old)
    DECLARE(w, old, SCHEMA_COMPONENT, f32, "x");
  for (uint32_t i = 0; i < 2 && now; ++i)
    if (i == 0 || other)
      world_declare_renamed_field(w, "drive", DECLARE(w, i == 0 ? now : other, SCHEMA_COMPONENT, f32, "x"), 0, "x");
  return w;
}

TEST(disabled_component_stays_disabled_when_a_reload_renames_or_splits_it) {
  for (uint32_t split = 0; split < 2; ++split) {
    world_o *from = make_renaming_world("drive", NULL, NULL);
    world_o *to = make_renaming_world(NULL, "engine", split ? "wheels" : NULL);
    shoal_entity e = SPAWN(from, 2, 3), other = SPAWN(from, 2, 3);
    add(from, e, 1, id_of(from, "motion"));
    add(from, e, 1, id_of(from, "drive"));
    migrate_world(from, to, NULL);
    assert_true(world_is_disabled(to, e, 2));
    for (uint32_t m = 3; m < 4 + split; ++m) {
      assert_true(world_is_disabled(to, e, m));
      assert_false(world_is_disabled(to, other, m));
      assert_int_equal(QUERY(to, HAS(m))->count, 1);
    }
    assert_int_equal(world_manager(to, 1)->count, 2 + split);
    world_destroy(from);
    world_destroy(to);
  }
}

// Declares the component "purse" with the field `name`, renamed from `former`, and the component `component`, renamed
// from `old`. `former`, `old`: NULL if not renamed.
static world_o *make_purse_world(const char *component, const char *old, const char *name, const char *former) {
  static const field_type_t f32[] = {FIELD_F32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  uint32_t id = DECLARE(w, "purse", SCHEMA_COMPONENT, f32, name),
           other = DECLARE(w, component, SCHEMA_COMPONENT, f32, "x");
  if (former)
    field_add_former_name(&world_manager(w, id)->schema.fields[0], world_allocator(w), former);
  if (old)
    world_declare_renamed_field(w, old, other, 0, "x");
  world_declare_renamed_event(w, "before", "after");
  return w;
}

// A machine that joins a match later has only the declarations of the files, so the other machines must forget renames
// that a reload has reversed: these would affect scenes and arriving entities.
TEST(machines_of_a_match_forget_reversed_renames) {
  for (uint32_t forgets = 0; forgets < 2; ++forgets) {
    world_migrate_counts_t counts = {0};
    error_info_t error = {0};
    former_field_t part;
    world_o *from = make_purse_world("fang", "bite", "gold", "silver");
    world_o *to = make_purse_world("bite", NULL, "silver", NULL),
            *joined = make_purse_world("bite", NULL, "silver", NULL);
    shoal_entity e = spawn(from);
    add(from, e, world_find_manager(from, "purse")->id, 0);
    set(from, e, world_find_manager(from, "purse")->id, 0, 7);
    assert_true(world_migrate(from, to, &(world_migrate_desc_t){.forgets_reversed = forgets}, &counts, &error));
    const manager_o *purse = world_find_manager(to, "purse");
    assert_true(columns_get(&purse->columns, 0, 0) == 7);
    assert_int_equal(counts.reversed, 2);
    assert_string_equal(purse->schema.fields[0].renamed_from, forgets ? "" : "gold");
    assert_int_equal(former_names_get_field(to, "fang", 0, &part), !forgets);
    assert_int_equal(former_names_count(to), former_names_count(joined));
    world_destroy(from);
    world_destroy(to);
    world_destroy(joined);
  }
}

TEST(removed_component_leaves_no_row_in_disabled) {
  world_o *from = make_renaming_world("drive", NULL, NULL), *to = make_renaming_world(NULL, NULL, NULL);
  shoal_entity e = SPAWN(from, 2, 3);
  add(from, e, 1, id_of(from, "drive"));
  add(from, e, 1, id_of(from, DISABLED_WHOLE));
  world_declare_removed_component(to, "drive");
  migrate_world(from, to, NULL);
  assert_int_equal(world_manager(to, 1)->count, 1);
  assert_int_equal(QUERY(to, HAS(2))->count, 0); // the whole entity is still disabled
  world_destroy(from);
  world_destroy(to);
}

// Declares the old or the edited version of a game with three components.
static world_o *make_large_world(bool edited) {
  static const field_type_t then[] = {FIELD_F32, FIELD_F32, FIELD_F32, FIELD_U8},
                            now[] = {FIELD_F32, FIELD_F64, FIELD_F32, FIELD_I32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  world_track_touched_fields(w, true);
  if (edited)
    DECLARE(w, "motion", SCHEMA_COMPONENT, now, "vx", "vy", "drag", "gear");
  else
    DECLARE(w, "motion", SCHEMA_COMPONENT, then, "vx", "vy", "spin", "gear");
  DECLARE(w, "place", SCHEMA_COMPONENT, then, "x", "y");
  DECLARE(w, "health", SCHEMA_COMPONENT, then, "hp");
  uint32_t a = world_assemblage_declare(w, id_of(w, "ship"));
  for (uint32_t m = 1; m <= 3; ++m)
    world_assemblage_add_component(w, a, 0, m, 0);
  world_assemblage_set_field(w, a, 0, 3, 0, 0, edited ? 200 : 100);
  assert_true(world_group_query(w, QUERY(w, HAS(1), HAS(2)), NULL));
  QUERY(w, HAS(3));
  return w;
}

// The time is only printed, because it means little on a shared machine.
TEST(migration_of_100000_entities_changes_every_row_and_prints_its_time) {
  enum { COUNT = 100000 };
  world_o *from = make_large_world(false), *to = make_large_world(true);
  world_migrate_counts_t counts;
  assert_int_equal(world_spawn_many(from, 1, COUNT, NULL, NULL), COUNT);
  struct timespec began, ended;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
  migrate_world(from, to, &counts);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
  printf("%u rows, %u entities changed: %.1f ms of this process\n", counts.schemas.rows, counts.merge.entities_touched,
         (double)(ended.tv_sec - began.tv_sec) * 1e3 + (double)(ended.tv_nsec - began.tv_nsec) / 1e6);
  assert_int_equal(counts.schemas.rows, COUNT);
  assert_int_equal(counts.merge.values_changed, COUNT);
  assert_int_equal(world_manager(to, 1)->count, COUNT);
  world_destroy(from);
  world_destroy(to);
}
