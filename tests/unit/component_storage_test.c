// Components with storage outside their columns: this storage is part of snapshots, hashes and migrations.
#include "ecs_fixture.h"

#include "migrate/state_migrate.h"
#include "snapshot/compare.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

// The storage of a component outside its columns: a list of all entities that ever had it.
typedef struct diary_t {
  shoal_entity seen[64];
  uint32_t count, loads, version;
} diary_t;

static void on_added(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  diary_t *d = context;
  (void)w;
  for (uint32_t i = 0; i < count; ++i)
    d->seen[d->count++] = m->owner[rows[i]];
}

static size_t save_bytes(void *context, manager_o *m) {
  (void)m;
  return ((diary_t *)context)->count * sizeof(shoal_entity);
}

static void save(void *context, manager_o *m, void *bytes) {
  const diary_t *d = context;
  (void)m;
  assert_int_equal((uintptr_t)bytes % 16, 0);
  memcpy(bytes, d->seen, d->count * sizeof(shoal_entity));
}

static void load(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  diary_t *d = context;
  (void)w, (void)m;
  d->loads++;
  d->version = version;
  d->count = (uint32_t)(size / sizeof(shoal_entity));
  if (size > 0)
    memcpy(d->seen, bytes, size);
}

static world_o *make_world_with_diary(diary_t *d) {
  world_o *w = make_world();
  world_set_hooks(
      w, HEALTH,
      &(manager_hooks_t){
          .context = d, .added = on_added, .storage_version = 3, .save_bytes = save_bytes, .save = save, .load = load});
  return w;
}

static void spawn_entities(world_o *w) {
  for (int i = 0; i < 3; ++i)
    add(w, spawn(w), HEALTH, 0);
}

static snapshot_o *take_snapshot(world_o *w, allocator_t *a) {
  error_info_t error = {0};
  snapshot_o *s = snapshot_create(a);
  if (!snapshot_take(s, w, &error))
    fail_msg("%s", error.text);
  return s;
}

TEST(custom_component_storage_is_restored_from_a_snapshot) {
  allocator_t a = {0};
  diary_t d = {0}, other = {0};
  world_o *w = make_world_with_diary(&d), *w2 = make_world_with_diary(&other);
  spawn_entities(w);
  uint64_t hash = world_hash(w);
  snapshot_o *s = take_snapshot(w, &a);
  spawn_entities(w);
  assert_int_equal(d.count, 6);
  assert_true(world_hash(w) != hash);
  assert_true(snapshot_restore(s, w, NULL));
  assert_int_equal(d.count, 3);
  assert_true(world_hash(w) == hash);
  assert_true(snapshot_restore(s, w2, NULL));
  assert_int_equal(other.version, 3);
  assert_memory_equal(other.seen, d.seen, 3 * sizeof(shoal_entity));
  assert_true(world_hash(w2) == hash);
  snapshot_release(s);
  world_destroy(w);
  world_destroy(w2);
  assert_int_equal(a.blocks, 0);
}

TEST(world_hash_covers_own_storage_of_components) {
  diary_t d = {0};
  world_o *w = make_world_with_diary(&d);
  spawn_entities(w);
  uint64_t hash = world_hash(w);
  d.seen[0] ^= 1;
  assert_true(world_hash(w) != hash);
  world_destroy(w);
}

TEST(difference_in_own_storage_is_a_sentence_that_names_the_component) {
  allocator_t a = {0};
  diary_t d = {0};
  compare_item_t item;
  char line[COMPARE_LINE_MAX];
  world_o *w = make_world_with_diary(&d);
  spawn_entities(w);
  snapshot_o *before = take_snapshot(w, &a);
  d.seen[0] ^= 1;
  snapshot_o *after = take_snapshot(w, &a);
  assert_int_equal(snapshot_compare(before, after, w, &item, 1, NULL), 1);
  assert_string_equal(compare_format_line(&item, line),
                      "health: data besides its fields differs: check what changes it");
  snapshot_release(before);
  snapshot_release(after);
  world_destroy(w);
  assert_int_equal(a.blocks, 0);
}

TEST(restoring_a_snapshot_without_own_storage_clears_own_storage) {
  allocator_t a = {0};
  diary_t d = {0};
  world_o *plain = make_world(), *w = make_world_with_diary(&d);
  snapshot_o *s = take_snapshot(plain, &a);
  spawn_entities(w);
  assert_true(snapshot_restore(s, w, NULL));
  assert_int_equal(d.loads, 1);
  assert_int_equal(d.count, 0);
  snapshot_release(s);
  world_destroy(plain);
  world_destroy(w);
}

TEST(world_without_a_loader_preserves_own_storage) {
  allocator_t a = {0};
  diary_t d = {0}, back = {0};
  world_o *w = make_world_with_diary(&d), *plain = make_world(), *again = make_world_with_diary(&back);
  spawn_entities(w);
  snapshot_o *s = take_snapshot(w, &a);
  assert_true(snapshot_restore(s, plain, NULL));
  assert_true(world_hash(plain) == world_hash(w));
  snapshot_release(s);
  s = take_snapshot(plain, &a);
  assert_true(snapshot_restore(s, again, NULL));
  assert_int_equal(back.count, 3);
  assert_memory_equal(back.seen, d.seen, 3 * sizeof(shoal_entity));
  snapshot_release(s);
  world_destroy(w);
  world_destroy(plain);
  world_destroy(again);
  assert_int_equal(a.blocks, 0);
}

// Simulates a plugin that is rebuilt without its manager for a while: an entity with the component has since been
// replaced with a different entity, so the kept bytes describe an entity that no longer exists.
TEST(kept_own_storage_is_dropped_once_its_component_has_different_entities) {
  allocator_t a = {0};
  diary_t d = {0}, back = {0};
  world_o *w = make_world_with_diary(&d), *plain = make_world(), *again = make_world_with_diary(&back);
  spawn_entities(w);
  snapshot_o *s = take_snapshot(w, &a);
  assert_true(snapshot_restore(s, plain, NULL));
  snapshot_release(s);
  set(plain, 2, HEALTH, 0, 5); // other values do not matter
  s = take_snapshot(plain, &a);
  assert_true(snapshot_restore(s, again, NULL));
  assert_int_equal(back.count, 3);
  snapshot_release(s);
  world_destroy_entity(plain, 2);
  add(plain, spawn(plain), HEALTH, 0); // the same number of entities
  s = take_snapshot(plain, &a);
  assert_true(snapshot_restore(s, again, NULL));
  assert_int_equal(back.loads, 2);
  assert_int_equal(back.count, 0); // `load` got no bytes, and fills its storage from the rows
  assert_true(snapshot_restore(s, plain, NULL));
  assert_true(world_hash(plain) == world_hash(again));
  snapshot_release(s);
  world_destroy(w);
  world_destroy(plain);
  world_destroy(again);
  assert_int_equal(a.blocks, 0);
}

TEST(own_storage_survives_a_changed_component_declaration) {
  static const field_type_t i32s[] = {FIELD_I32, FIELD_I32}, text[] = {FIELD_STRING};
  allocator_t a = {0};
  error_info_t error = {0};
  diary_t d = {0}, now = {0};
  world_o *w = make_world_with_diary(&d), *changed = world_create(&(world_desc_t){.seed = 7});
  DECLARE(changed, "label", SCHEMA_COMPONENT, text, "text"); // declared first, so that `health` gets a different id
  uint32_t health = DECLARE(changed, "health", SCHEMA_COMPONENT, i32s, "hp", "shield");
  world_set_hooks(changed, health,
                  &(manager_hooks_t){.context = &now, .save_bytes = save_bytes, .save = save, .load = load});
  spawn_entities(w);
  snapshot_o *s = take_snapshot(w, &a);
  state_view_t *v = state_open(s, &a, &error);
  if (!v || !state_migrate(v, changed, &(schema_migrate_desc_t){0}, &error) ||
      !state_install(v, changed, &(state_install_desc_t){0}, &error))
    fail_msg("%s", error.text);
  state_close(v);
  assert_int_equal(now.count, 3);
  assert_int_equal(world_manager(changed, health)->count, 3);
  snapshot_release(s);
  world_destroy(w);
  world_destroy(changed);
  assert_int_equal(a.blocks, 0);
}

TEST(invalid_own_storage_sections_are_rejected) {
  allocator_t a = {0};
  error_info_t error = {0};
  diary_t d = {0};
  world_o *w = make_world_with_diary(&d);
  spawn_entities(w);
  snapshot_o *s = take_snapshot(w, &a);
  snapshot_section_t *table = (snapshot_section_t *)(uintptr_t)snapshot_table(s).table;
  uint32_t count = snapshot_table(s).count;
  assert_int_equal(table[count - 1].kind, SNAPSHOT_OWN_STORAGE);
  table[count - 1].a = 1000;
  assert_false(snapshot_restore(s, w, &error));
  assert_non_null(strstr(error.text, "storage of an unknown component"));
  assert_int_equal(d.count, 3);
  table[count - 1].kind = 999;
  assert_false(snapshot_restore(s, w, &error));
  snapshot_release(s);
  world_destroy(w);
}
