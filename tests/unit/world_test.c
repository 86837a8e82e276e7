// Time, names and declarations of a world: ecs/world.h.
#include "ecs_fixture.h"

#include "ecs/world_hash.h"

static uint32_t declare_string_component(world_o *w, const char *text) {
  schema_buffer_t s;
  allocator_t a = {0};
  schema_init(&s, "author", SCHEMA_COMPONENT, "test");
  field_set_text(schema_add_field(&s.schema, "name", FIELD_STRING, 0), &a, text);
  uint32_t id = world_declare_schema(w, &s.schema, NULL);
  schema_fini(&s.schema, &a);
  assert_int_equal(a.bytes, 0);
  return id;
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(world_time_is_counted_in_ticks, world_o, w) {
  assert_int_equal(world_tick_rate(w), 60);
  for (int i = 0; i < 90; ++i)
    world_end_tick(w);
  assert_int_equal(world_tick(w), 90);
  world_set_tick_rate(w, 30);
  assert_true(world_dt_s(w) == 1.0 / 30);
}

TEST(each_world_has_a_new_number) {
  uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    world_o *w = world_create(&(world_desc_t){.seed = 1});
    assert_true(world_number(w) > last);
    last = world_number(w);
    world_destroy(w);
  }
}

TEST_IN(redeclaration_of_the_same_layout_changes_only_the_defaults, world_o, w) {
  uint32_t id = declare_string_component(w, "ada");
  shoal_entity a = SPAWN(w, id);
  assert_int_equal(declare_string_component(w, "bob"), id);
  shoal_entity b = SPAWN(w, id);
  assert_string_equal(strings_text(world_strings(w), (uint32_t)get(w, a, id, 0)), "ada");
  assert_string_equal(strings_text(world_strings(w), (uint32_t)get(w, b, id, 0)), "bob");
  assert_int_equal(world_manager_count(w), id);
}

TEST_IN(component_layout_can_change_only_without_rows, world_o, w) {
  query_o *q = QUERY(w, HAS(HEALTH));
  shoal_entity e = SPAWN(w, HEALTH);
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, HEALTH, 0);
  world_assemblage_set_field(w, rock, 0, HEALTH, 0, 0, 9);
  schema_buffer_t s;
  error_info_t error;
  schema_init(&s, "health", SCHEMA_COMPONENT, "components.lua");
  schema_add_field(&s.schema, "hp", FIELD_F64, 0.5);
  schema_add_field(&s.schema, "max", FIELD_F64, 100);
  uint64_t hash = world_hash(w);
  assert_false(world_check_schema(w, &s.schema, NULL));
  assert_int_equal(world_declare_schema(w, &s.schema, &error), 0);
  assert_non_null(strstr(error.text, "the type of health.hp differs: i32 and f64, but the component has 1 row: "));
  assert_true(world_hash(w) == hash);
  world_destroy_entity(w, e);
  assert_true(world_check_schema(w, &s.schema, NULL));
  assert_int_equal(world_declare_schema(w, &s.schema, &error), HEALTH);
  // the template's values belong to a different layout, so the defaults are used
  shoal_entity fresh = world_spawn(w, rock, NULL);
  assert_true(get(w, fresh, HEALTH, 0) == 0.5 && get(w, fresh, HEALTH, 1) == 100);
  query_open(q);
  assert_int_equal(q->count, 1);
  assert_int_equal(q->terms[0].view_count, 2);
  assert_true(((const double *)q->terms[0].views[1].data)[0] == 100);
  query_close(q);
}

TEST_IN(component_kind_cannot_change_while_a_query_uses_it, world_o, w) {
  schema_buffer_t s;
  error_info_t error;
  schema_init(&s, "frozen", SCHEMA_MANY, "test");
  QUERY(w, HAS(FROZEN));
  assert_int_equal(world_declare_schema(w, &s.schema, &error), 0);
  assert_non_null(strstr(error.text, "queries use the component"));
  schema_init(&s, "wheel", SCHEMA_SINGLE, "test");
  assert_int_equal(world_declare_schema(w, &s.schema, &error), WHEEL);
  assert_int_equal(world_manager(w, WHEEL)->count, 1);
  schema_init(&s, "", SCHEMA_COMPONENT, "test");
  assert_int_equal(world_declare_schema(w, &s.schema, &error), 0);
  schema_init(&s, "label", SCHEMA_COMPONENT, "test");
  world_defer_begin(w, 0);
  assert_int_equal(world_declare_schema(w, &s.schema, &error), 0);
  assert_non_null(strstr(error.text, "queued"));
  world_defer_end(w, false);
}

TEST_IN(components_and_events_are_found_by_name, world_o, w) {
  const field_type_t f32[] = {FIELD_F32};
  uint32_t bang = DECLARE(w, "bang", SCHEMA_EVENT, f32, "depth");
  assert_ptr_equal(world_find_manager(w, "gun"), world_manager(w, GUN));
  assert_null(world_find_manager(w, "bang"));
  assert_null(world_find_event(w, "gun"));
  assert_ptr_equal(world_find_event(w, "bang"), world_event(w, bang));
  assert_null(world_manager(w, 0));
  assert_null(world_manager(w, 99));
  assert_null(world_event(w, 99));
  assert_int_equal(world_event_count(w), 1);
  assert_int_equal(manager_find_column(world_manager(w, POSITION), "y"), POSITION_Y);
  assert_int_equal(manager_find_column(world_manager(w, POSITION), "z"), -1);
}

// --- strings

static void fill_table(world_o *w, const char *prefix) {
  char text[32];
  for (int i = 0; i < 2100; ++i) {
    snprintf(text, sizeof text, "%s %d", prefix, i);
    strings_intern(world_strings(w), text);
  }
}

TEST_IN(string_sweep_keeps_strings_in_use, world_o, w) {
  strings_o *s = world_strings(w);
  const field_type_t text_type[] = {FIELD_STRING};
  uint32_t says = DECLARE(w, "says", SCHEMA_EVENT, text_type, "text");
  uint32_t author = declare_string_component(w, "a default");
  uint32_t rock = world_assemblage_declare(w, id_of(w, "an assemblage"));
  world_assemblage_add_component(w, rock, world_assemblage_add_state(w, rock, id_of(w, "a state")), LABEL, 0);
  world_assemblage_set_field(w, rock, 1, LABEL, 0, 0, id_of(w, "a template value"));
  world_assemblage_add_component(w, rock, 1, GUN, id_of(w, "a template instance"));
  world_assemblage_add_child(w, rock, id_of(w, "a child"), world_assemblage_declare(w, id_of(w, "another")));
  shoal_entity e = SPAWN(w, LABEL), killed = spawn(w);
  set(w, e, LABEL, 0, id_of(w, "a value"));
  add(w, e, GUN, id_of(w, "an instance"));
  world_defer_begin(w, id_of(w, "a killer"));
  world_destroy_entity(w, killed);
  world_defer_end(w, false);
  world_watch_query(w, id_of(w, "a watcher"), QUERY(w, HAS(LABEL)));
  world_set_reader_position(w, id_of(w, "a reader"), says, 0);
  strings_pin(s, id_of(w, "a kept text"));
  uint32_t block = world_spawn_block_begin(w, rock, 1, NULL);
  columns_set(world_spawn_block_columns(w, block, LABEL, 0), 0, 0, id_of(w, "a staged value"));
  id_of(w, "nobody's");
  fill_table(w, "filler");
  world_set_event_field(w, world_emit_event(w, says), 0, id_of(w, "an event"));
  world_end_tick(w);
  assert_int_equal(strings_epoch(s), 1);
  static const char *const kept[] = {"a default",   "an assemblage",  "a state",   "a template value",
                                     "another",     "a child",        "a value",   "a template instance",
                                     "an instance", "a killer",       "a watcher", "a reader",
                                     "a kept text", "a staged value", "an event"};
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
    if (!strings_find(s, kept[i]))
      fail_msg("\"%s\" was swept away", kept[i]);
  assert_int_equal(strings_find(s, "nobody's"), 0);
  assert_int_equal(strings_find(s, "filler 7"), 0);
  world_spawn_block_commit(w, block);
  assert_string_equal(strings_text(s, (uint32_t)get(w, e, LABEL, 0)), "a value");
  assert_string_equal(strings_text(s, (uint32_t)get(w, SPAWN(w, author), author, 0)), "a default");
  assert_int_equal(world_assemblage_alive_count(w, id_of(w, "an assemblage")), 1);
}

TEST_IN(strings_of_removed_rows_are_freed_by_the_next_sweep, world_o, w) {
  shoal_entity e = SPAWN(w, LABEL);
  set(w, e, LABEL, 0, id_of(w, "once"));
  world_destroy_entity(w, e);
  fill_table(w, "x");
  world_end_tick(w);
  assert_int_equal(strings_find(world_strings(w), "once"), 0);
}

// --- hash

// Applies change number `what`, which must alter the hash.
static void make_change(world_o *w, int what, shoal_entity e, uint32_t watcher) {
  uint32_t count;
  switch (what) {
  case 0: spawn(w); break;
  case 1: world_destroy_entity(w, e); break;
  case 2: set(w, e, POSITION, POSITION_X, 1); break;
  case 3: add(w, e, FROZEN, 0); break;
  case 4: add(w, e, GUN, id_of(w, "rear")); break;
  case 5: columns_set(&world_manager(w, SCORE)->columns, 0, 0, 5); break;
  case 6: id_of(w, "a new text"); break;
  case 7: random_u32(world_random(w)); break;
  case 8: world_end_tick(w); break;
  case 9: world_emit_event(w, 1); break;
  case 10: world_set_reader_position(w, id_of(w, "left"), 1, 3); break;
  case 11: world_watch_pop_entries(w, watcher, &count); break;
  case 12: world_set_tick_rate(w, 50); break;
  case 13: world_entities(w)->state[1] = id_of(w, "left"); break;
  default: fail();
  }
}

static world_o *world_with_history(shoal_entity *e, uint32_t *watcher) {
  const field_type_t f32[] = {FIELD_F32};
  world_o *w = make_world();
  DECLARE(w, "bang", SCHEMA_EVENT, f32, "depth");
  *e = SPAWN(w, POSITION, HEALTH);
  add(w, *e, GUN, id_of(w, "left"));
  *watcher = world_watch_query(w, id_of(w, "left"), QUERY(w, HAS(POSITION)));
  return w;
}

TEST(world_hash_differs_after_each_of_14_kinds_of_changes) {
  shoal_entity e;
  uint32_t watcher;
  world_o *reference = world_with_history(&e, &watcher);
  uint64_t hash = world_hash(reference);
  assert_true(world_hash(reference) == hash);
  for (int what = 0; what <= 13; ++what) {
    world_o *w = world_with_history(&e, &watcher);
    assert_true(world_hash(w) == hash);
    make_change(w, what, e, watcher);
    if (world_hash(w) == hash)
      fail_msg("change %d does not show in the hash", what);
    world_destroy(w);
  }
  world_destroy(reference);
}

TEST(world_hash_covers_query_order_but_not_hidden_columns) {
  world_o *w[2] = {make_world(), make_world()};
  for (int i = 0; i < 2; ++i) {
    shoal_entity a = SPAWN(w[i], POSITION), b = SPAWN(w[i], POSITION);
    query_o *q = QUERY(w[i], HAS(POSITION), HAS_NOT(FROZEN));
    shoal_entity away = i == 0 ? a : b; // leaving and re-entering the query changes only its order
    add(w[i], away, FROZEN, 0);
    world_remove_component(w[i], away, FROZEN, 0);
    assert_int_equal(q->entities[0], i == 0 ? b : a);
  }
  assert_true(world_hash(w[0]) != world_hash(w[1]));
  world_destroy(w[1]);
  schema_buffer_t s;
  schema_init(&s, "links", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "seen", FIELD_F32, 0);
  schema_add_field(&s.schema, "hidden", FIELD_F32, 0)->flags = FIELD_HIDDEN;
  uint32_t id = world_declare_schema(w[0], &s.schema, NULL);
  shoal_entity e = SPAWN(w[0], id);
  uint64_t hash = world_hash(w[0]);
  set(w[0], e, id, 1, 5);
  assert_true(world_hash(w[0]) == hash);
  set(w[0], e, id, 0, 5);
  assert_true(world_hash(w[0]) != hash);
  world_destroy(w[0]);
}

TEST(world_can_be_destroyed_with_queued_changes_and_open_blocks) {
  world_o *w = make_world();
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, POSITION, 0);
  world_spawn_block_begin(w, rock, 10, NULL);
  world_defer_begin(w, 0);
  world_spawn_block_commit(w, world_spawn_block_begin(w, rock, 10, NULL));
  world_spawn(w, rock, NULL);
  world_destroy(w); // asserts that all memory was freed
}

TEST(changing_and_destroying_a_world_does_not_affect_another_world) {
  world_o *a = make_world(), *b = make_world();
  uint64_t hash = world_hash(b);
  SPAWN(a, POSITION, HEALTH);
  world_emit_event(a, DECLARE(a, "bang", SCHEMA_EVENT, ((const field_type_t[]){FIELD_F32}), "x"));
  world_end_tick(a);
  assert_true(world_hash(b) == hash);
  world_destroy(a);
  assert_true(world_hash(b) == hash);
  world_destroy(b);
}
