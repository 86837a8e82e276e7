// Snapshots: saving a world as bytes and restoring it.
#include "ecs_fixture.h"

#include "base/random.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

#include <unistd.h>

typedef struct pair_t {
  world_o *w, *other;
  allocator_t memory;
  snapshot_o *s;
} pair_t;

SETUP(pair_t, p) {
  p->w = make_world();
  p->other = make_world();
  p->s = snapshot_create(&p->memory);
}

TEARDOWN(pair_t, p) {
  world_destroy(p->w);
  world_destroy(p->other);
  snapshot_release(p->s);
  assert_int_equal(p->memory.blocks, 0);
}

static void take_snapshot(pair_t *p) {
  error_info_t error = {0};
  if (!snapshot_take(p->s, p->w, &error))
    fail_msg("%s", error.text);
}

static void restore_snapshot(pair_t *p, world_o *w) {
  error_info_t error = {0};
  if (!snapshot_restore(p->s, w, &error))
    fail_msg("%s", error.text);
}

// --- a world that uses every feature, driven only by its own random stream

enum { EVENT_HIT = 1 };

static void declare_event_and_assemblages(world_o *w) {
  static const field_type_t types[] = {FIELD_ENTITY, FIELD_F32, FIELD_STRING};
  DECLARE(w, "hit", SCHEMA_EVENT, types, "who", "power", "word");
  uint32_t tank = world_assemblage_declare(w, id_of(w, "tank")), calm = 0;
  world_assemblage_add_component(w, tank, 0, POSITION, 0);
  world_assemblage_add_component(w, tank, 0, GUN, id_of(w, "left"));
  world_assemblage_add_component(w, tank, 0, LABEL, 0);
  world_assemblage_set_field(w, tank, 0, LABEL, 0, 0, id_of(w, "a tank"));
  calm = world_assemblage_add_state(w, tank, id_of(w, "calm"));
  world_assemblage_add_component(w, tank, calm, HEALTH, 0);
  world_assemblage_add_component(w, tank, world_assemblage_add_state(w, tank, id_of(w, "angry")), FROZEN, 0);
  uint32_t turret = world_assemblage_declare(w, id_of(w, "turret"));
  world_assemblage_add_component(w, turret, 0, TRANSFORM, 0);
  world_assemblage_add_child(w, tank, id_of(w, "turret"), turret);
  world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH)));
  QUERY(w, HAS(GUN), HAS(POSITION));
  QUERY(w, HAS(LABEL), HAS_NOT(FROZEN));
  QUERY(w, ONE_OF(FROZEN), ONE_OF(HEALTH));
}

static shoal_entity random_entity(world_o *w) {
  entities_t *s = world_entities(w);
  uint32_t i = random_u32(world_random(w)) % (s->used < 200 ? s->used : 200);
  return i | (uint32_t)s->generation[i] << SHOAL_ENTITY_INDEX_BITS;
}

static void change_randomly(world_o *w) {
  random_t *r = world_random(w);
  shoal_entity e = random_entity(w), dying = random_entity(w);
  char word[32];
  snprintf(word, sizeof word, "word %u", random_u32(r) % 3000);
  switch (random_u32(r) % 14) {
  case 0:
  case 1: world_spawn(w, 1, NULL); break;
  case 2: world_destroy_entity(w, dying); break;
  case 3: world_add_component(w, e, FROZEN, 0, NULL); break;
  case 4: world_remove_component(w, e, FROZEN, 0); break;
  case 5: world_add_component(w, e, WHEEL, id_of(w, word), NULL); break;
  case 6: world_set_field(w, e, POSITION, POSITION_X, 0, random_unit(r), NULL); break;
  case 7: world_enter_state(w, e, id_of(w, random_u32(r) % 2 ? "angry" : "calm"), NULL); break;
  case 8: world_set_event_field(w, world_emit_event(w, EVENT_HIT), 2, id_of(w, word)); break;
  case 9: world_remove_component(w, e, GUN, 0); break;
  case 10: {
    uint32_t count = random_u32(r) % 12 + 1;
    uint32_t block = world_spawn_block_begin(w, 1, count, NULL);
    columns_t *c = world_spawn_block_columns(w, block, POSITION, 0);
    for (uint32_t i = 0; i < count; ++i)
      columns_set(c, i, POSITION_X, i);
    world_spawn_block_commit(w, block);
    break;
  }
  case 11: world_add_component(w, e, LABEL, 0, NULL), world_set_field(w, e, LABEL, 0, 0, id_of(w, word), NULL); break;
  case 12:
    columns_set(&world_manager(w, SCORE)->columns, 0, 0, columns_get(&world_manager(w, SCORE)->columns, 0, 0) + 1);
    break;
  default: world_query_add_component(w, QUERY(w, HAS(WHEEL), HAS_NOT(POSITION)), POSITION, NULL, NULL, 0, NULL); break;
  }
}

static void simulate_tick(world_o *w) {
  uint32_t count = 0;
  world_defer_begin(w, id_of(w, "system"));
  for (uint32_t i = 0; i < 12; ++i)
    change_randomly(w);
  world_defer_end(w, random_u32(world_random(w)) % 8 == 0);
  for (uint32_t i = 0; i < 3; ++i)
    change_randomly(w); // outside the deferral, so these changes are applied immediately
  if (world_tick(w) % 3 == 0)
    world_watch_pop_entries(w, 1, &count);
  world_set_reader_position(w, id_of(w, "system"), EVENT_HIT, world_event(w, EVENT_HIT)->first + 1);
  if (world_entities(w)->alive_count > 300)
    world_query_destroy_entities(
        w, QUERY(w, ONE_OF(POSITION), ONE_OF(TRANSFORM), ONE_OF(FROZEN), ONE_OF(LABEL), ONE_OF(WHEEL)));
  world_end_tick(w);
}

static void run_ticks(world_o *w, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    simulate_tick(w);
}

// --- restore

TEST_IN(restored_world_has_the_same_hash_and_future, pair_t, p) {
  uint64_t after[40];
  declare_event_and_assemblages(p->w);
  run_ticks(p->w, 500);
  take_snapshot(p);
  uint64_t then = world_hash(p->w);
  for (uint32_t i = 0; i < 40; ++i) {
    run_ticks(p->w, 7);
    after[i] = world_hash(p->w);
  }
  assert_true(then != after[0]);
  restore_snapshot(p, p->w);
  assert_int_equal(world_tick(p->w), 500);
  assert_true(world_hash(p->w) == then);
  for (uint32_t i = 0; i < 40; ++i) {
    run_ticks(p->w, 7);
    assert_true(world_hash(p->w) == after[i]);
  }
}

TEST_IN(snapshot_can_be_restored_into_a_different_world, pair_t, p) {
  declare_event_and_assemblages(p->w);
  declare_event_and_assemblages(p->other);
  run_ticks(p->w, 700);
  run_ticks(p->other, 33);
  take_snapshot(p);
  restore_snapshot(p, p->other);
  for (uint32_t i = 0; i < 30; ++i) {
    assert_true(world_hash(p->w) == world_hash(p->other));
    run_ticks(p->w, 5);
    run_ticks(p->other, 5);
  }
}

TEST_IN(snapshot_bytes_are_identical_after_a_restore, pair_t, p) {
  size_t size = 0, again = 0;
  declare_event_and_assemblages(p->w);
  run_ticks(p->w, 300);
  take_snapshot(p);
  const void *bytes = snapshot_bytes(p->s, &size);
  void *copy = malloc(size);
  memcpy(copy, bytes, size);
  run_ticks(p->w, 100);
  restore_snapshot(p, p->w);
  take_snapshot(p);
  bytes = snapshot_bytes(p->s, &again);
  assert_int_equal(size, again);
  assert_memory_equal(copy, bytes, size);
  free(copy);
}

TEST_IN(query_groups_are_restored_from_a_snapshot, pair_t, p) {
  declare_event_and_assemblages(p->w);
  query_o *q = QUERY(p->w, HAS(POSITION), HAS(HEALTH), MAY_HAVE(LABEL));
  assert_true(world_group_query(p->w, q, NULL));
  for (uint32_t i = 0; i < 1000 && (i < 200 || q->count < 5); ++i)
    simulate_tick(p->w);
  take_snapshot(p);
  uint64_t then = world_hash(p->w);
  world_ungroup_query(p->w, q);
  run_ticks(p->w, 50);
  restore_snapshot(p, p->w);
  assert_true(q->grouped);
  assert_true(q->count > 0);
  assert_true(world_hash(p->w) == then);
  declare_event_and_assemblages(p->other);
  restore_snapshot(p, p->other);
  assert_true(world_hash(p->other) == then);
  for (uint32_t i = 0; i < 30; ++i) {
    run_ticks(p->w, 5);
    run_ticks(p->other, 5);
    assert_true(world_hash(p->w) == world_hash(p->other));
  }
}

TEST_IN(hidden_columns_are_restored_from_a_snapshot, pair_t, p) {
  schema_buffer_t s;
  schema_init(&s, "secret", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "hidden", FIELD_F32, 0)->flags = FIELD_HIDDEN;
  uint32_t secret = world_declare_schema(p->w, &s.schema, NULL);
  shoal_entity e = SPAWN(p->w, secret);
  set(p->w, e, secret, 0, 3);
  take_snapshot(p);
  set(p->w, e, secret, 0, 4);
  restore_snapshot(p, p->w);
  assert_true(get(p->w, e, secret, 0) == 3);
}

TEST_IN(queued_commands_are_restored_from_a_snapshot_and_applied, pair_t, p) {
  declare_event_and_assemblages(p->w);
  run_ticks(p->w, 50);
  world_defer_begin(p->w, 0);
  for (uint32_t i = 0; i < 60; ++i)
    change_randomly(p->w);
  take_snapshot(p);
  uint32_t queued = world_command_count(p->w);
  uint64_t then = world_hash(p->w);
  assert_true(queued > 10);
  world_defer_end(p->w, false);
  run_ticks(p->w, 10);
  uint64_t later = world_hash(p->w);
  run_ticks(p->w, 10);
  restore_snapshot(p, p->w);
  assert_int_equal(world_command_count(p->w), queued);
  assert_true(world_hash(p->w) == then);
  world_defer_begin(p->w, 0);
  world_defer_end(p->w, false);
  run_ticks(p->w, 10);
  assert_true(world_hash(p->w) == later);
}

TEST_IN(snapshot_cannot_be_taken_while_a_spawn_block_is_open, pair_t, p) {
  error_info_t error;
  declare_event_and_assemblages(p->w);
  uint32_t block = world_spawn_block_begin(p->w, 1, 4, NULL);
  assert_false(snapshot_take(p->s, p->w, &error));
  assert_non_null(strstr(error.text, "filled"));
  assert_int_equal(snapshot_size(p->s), 0);
  world_spawn_block_abort(p->w, block);
}

TEST_IN(ids_created_after_a_snapshot_are_issued_again, pair_t, p) {
  shoal_entity before = spawn(p->w);
  take_snapshot(p);
  shoal_entity e = SPAWN(p->w, POSITION), same = 0;
  world_destroy_entity(p->w, e);
  restore_snapshot(p, p->w);
  assert_true(world_is_alive(p->w, before));
  same = spawn(p->w);
  assert_int_equal(same, e); // generation 0 again, as before the restore
}

TEST_IN(snapshot_contains_only_its_entities_and_strings, pair_t, p) {
  shoal_entity kept = spawn(p->w), destroyed = spawn(p->w);
  uint32_t known = id_of(p->w, "known");
  assert_false(snapshot_is_alive(p->s, kept)); // no snapshot was taken
  assert_false(snapshot_has_string(p->s, known, "known"));
  world_destroy_entity(p->w, destroyed);
  take_snapshot(p);
  shoal_entity later = spawn(p->w);
  world_destroy_entity(p->w, kept);
  assert_true(snapshot_is_alive(p->s, kept));
  assert_false(snapshot_is_alive(p->s, destroyed));
  assert_false(snapshot_is_alive(p->s, later));
  assert_false(snapshot_is_alive(p->s, kept + (1u << SHOAL_ENTITY_INDEX_BITS))); // the next generation
  assert_true(snapshot_has_string(p->s, known, "known"));
  assert_false(snapshot_has_string(p->s, known, "know"));
  assert_false(snapshot_has_string(p->s, known, "unknown"));
  assert_false(snapshot_has_string(p->s, id_of(p->w, "later"), "later"));
}

// Restores a snapshot into a world with few or many changes since then, and compares its future with that of a world
// that had different rows.
TEST_IN(restoring_over_similar_rows_gives_the_same_world, pair_t, p) {
  declare_event_and_assemblages(p->w);
  declare_event_and_assemblages(p->other);
  run_ticks(p->w, 100);
  for (uint32_t i = 0; i < 40; ++i) {
    world_o *w = p->w;
    take_snapshot(p);
    uint64_t hash = world_hash(w);
    if (i % 4 == 1)
      columns_set(&world_manager(w, POSITION)->columns, 0, POSITION_X, i);
    else if (i % 4 == 2)
      world_remove_component(w, world_manager(w, POSITION)->owner[i % 5], POSITION, 0);
    else if (i % 4 == 3)
      run_ticks(w, 1 + i % 3);
    restore_snapshot(p, w);
    assert_true(world_hash(w) == hash);
    restore_snapshot(p, p->other);
    run_ticks(w, 3);
    run_ticks(p->other, 3);
    assert_true(world_hash(w) == world_hash(p->other));
  }
}

TEST_IN(query_created_after_the_snapshot_is_rebuilt_when_opened_after_a_restore, pair_t, p) {
  shoal_entity a = SPAWN(p->w, POSITION, HEALTH), b = SPAWN(p->w, POSITION, HEALTH);
  take_snapshot(p);
  query_o *q = QUERY(p->w, HAS(POSITION), HAS(HEALTH));
  uint64_t with = world_hash(p->w);
  world_destroy_entity(p->w, a);
  restore_snapshot(p, p->w);
  assert_int_equal(world_query_count(p->w), 0);
  query_open(q); // uses a pointer that was obtained before the restore, as scripts do
  assert_int_equal(q->count, 2);
  assert_int_equal(q->entities[1], b);
  query_close(q);
  assert_true(world_hash(p->w) == with);
  assert_ptr_equal(QUERY(p->w, HAS(POSITION), HAS(HEALTH)), q);
}

TEST_IN(restore_resets_components_declared_after_the_snapshot, pair_t, p) {
  static const field_type_t f32s[] = {FIELD_F32};
  take_snapshot(p);
  uint32_t heat = DECLARE(p->w, "heat", SCHEMA_COMPONENT, f32s, "degrees");
  uint32_t wind = DECLARE(p->w, "wind", SCHEMA_SINGLE, f32s, "speed");
  SPAWN(p->w, heat);
  columns_set(&world_manager(p->w, wind)->columns, 0, 0, 9);
  restore_snapshot(p, p->w);
  assert_int_equal(world_manager(p->w, heat)->count, 0);
  assert_int_equal(world_manager(p->w, wind)->count, 1);
  assert_true(columns_get(&world_manager(p->w, wind)->columns, 0, 0) == 0);
}

TEST_IN(strings_used_by_assemblages_survive_a_restore, pair_t, p) {
  take_snapshot(p); // a snapshot of a world without strings
  declare_event_and_assemblages(p->w);
  run_ticks(p->w, 5);
  world_o *w = p->w;
  restore_snapshot(p, w);
  shoal_entity e = world_spawn(w, world_find_assemblage(w, strings_find(world_strings(w), "tank")), NULL);
  assert_string_equal(strings_text(world_strings(w), (uint32_t)get(w, e, LABEL, 0)), "a tank");
  assert_int_equal(world_assemblage_alive_count(w, strings_find(world_strings(w), "tank")), 1);
  assert_int_not_equal(manager_find_instance_row(world_manager(w, GUN), e, strings_find(world_strings(w), "left")),
                       ROW_NONE);
}

// Values are converted to elements when the spawn plan is built, so a restore must expire plans whose text ids change.
TEST_IN(text_of_an_assemblage_survives_a_restore_after_a_spawn, pair_t, p) {
  world_o *w = p->w;
  take_snapshot(p); // a snapshot of a world without strings
  for (uint32_t i = 0; i < 20; ++i) {
    char text[16];
    snprintf(text, sizeof text, "text %u", i);
    id_of(w, text);
  }
  uint32_t sign = world_assemblage_declare(w, id_of(w, "sign"));
  world_assemblage_add_component(w, sign, 0, LABEL, 0);
  world_assemblage_set_field(w, sign, 0, LABEL, 0, 0, id_of(w, "a sign"));
  world_spawn(w, sign, NULL);
  restore_snapshot(p, w);
  shoal_entity e = world_spawn(w, sign, NULL);
  assert_string_equal(strings_text(world_strings(w), (uint32_t)get(w, e, LABEL, 0)), "a sign");
}

TEST_IN(restore_changes_the_string_epoch, pair_t, p) {
  take_snapshot(p);
  uint32_t before = strings_epoch(world_strings(p->w));
  restore_snapshot(p, p->w);
  assert_int_not_equal(strings_epoch(world_strings(p->w)), before);
}

TEST_IN(deferred_restore_happens_at_the_end_of_the_tick, pair_t, p) {
  shoal_entity e = SPAWN(p->w, POSITION);
  take_snapshot(p);
  world_end_tick(p->w);
  set(p->w, e, POSITION, POSITION_X, 5);
  snapshot_restore_later(p->s, p->w);
  assert_true(get(p->w, e, POSITION, POSITION_X) == 5);
  world_end_tick(p->w);
  assert_true(get(p->w, e, POSITION, POSITION_X) == 0);
  assert_int_equal(world_tick(p->w), 0);
}

// --- rejected snapshots

TEST_IN(snapshot_error_names_the_component_with_a_different_schema, pair_t, p) {
  static const field_type_t f32s[] = {FIELD_F32}, i32s[] = {FIELD_I32};
  error_info_t error;
  DECLARE(p->w, "heat", SCHEMA_COMPONENT, f32s, "degrees");
  take_snapshot(p);
  uint64_t before = world_hash(p->other);
  assert_false(snapshot_restore(p->s, p->other, &error));
  assert_non_null(strstr(error.text, "heat"));
  DECLARE(p->other, "heat", SCHEMA_COMPONENT, i32s, "degrees");
  before = world_hash(p->other);
  assert_false(snapshot_restore(p->s, p->other, &error));
  assert_non_null(strstr(error.text, "heat.degrees"));
  assert_true(world_hash(p->other) == before);
}

TEST_IN(invalid_snapshot_bytes_are_rejected, pair_t, p) {
  error_info_t error;
  assert_false(snapshot_restore(p->s, p->w, &error));
  snapshot_set_bytes(p->s, "SHOALSNP, or so it says, but there is nothing behind it", 56);
  assert_false(snapshot_restore(p->s, p->w, &error));
  assert_non_null(strstr(error.text, "damaged"));
}

// Flips bits of a snapshot and truncates it. A world that rejects the result is unchanged; one that accepts it can
// continue.
TEST_IN(damaged_snapshots_are_rejected_or_restored_safely, pair_t, p) {
  random_t r;
  error_info_t error;
  size_t size = 0;
  uint32_t refused = 0, taken = 0;
  random_seed(&r, 4);
  declare_event_and_assemblages(p->w);
  declare_event_and_assemblages(p->other);
  world_group_query(p->w, QUERY(p->w, HAS(POSITION), HAS(HEALTH)), NULL);
  run_ticks(p->w, 150);
  world_defer_begin(p->w, 0);
  for (uint32_t i = 0; i < 40; ++i)
    change_randomly(p->w);
  take_snapshot(p);
  world_defer_end(p->w, false);
  uint8_t *good = malloc((snapshot_bytes(p->s, &size), size));
  memcpy(good, snapshot_bytes(p->s, &size), size);
  run_ticks(p->other, 20);
  uint64_t untouched = world_hash(p->other);
  uint64_t table_end = snapshot_table(p->s).table[0].offset;
  for (uint32_t i = 0; i < 3000; ++i) {
    snapshot_set_bytes(p->s, good, i % 20 == 19 ? random_u32(&r) % size : size);
    uint8_t *bytes = snapshot_reserve(p->s, snapshot_size(p->s));
    uint32_t flips = 1 + random_u32(&r) % 3;
    for (uint32_t k = 0; k < flips && snapshot_size(p->s) > 0; ++k) {
      size_t at = random_u32(&r) % snapshot_size(p->s);
      if (i % 4 == 0)
        at = random_u32(&r) % (table_end < snapshot_size(p->s) ? table_end : snapshot_size(p->s));
      bytes[at] ^= (uint8_t)(1u << random_u32(&r) % 8);
    }
    if (!snapshot_restore(p->s, p->other, &error)) {
      refused++;
      assert_true(error.text[0] != '\0');
      assert_true(world_hash(p->other) == untouched);
      continue;
    }
    taken++;
    world_defer_begin(p->other, 0);
    world_defer_end(p->other, false);
    run_ticks(p->other, 3);
    untouched = world_hash(p->other);
  }
  assert_true(refused > 100);
  assert_true(taken > 100); // some are accepted, because a flipped bit in a number gives another valid number
  free(good);
}
