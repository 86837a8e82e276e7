// Migration of rows after a component's declaration has changed: each rule of migrate/schema_migrate.h.
#include "ecs_fixture.h"

#include "content/content.h"
#include "ecs/last_values.h"
#include "ecs/world_hash.h"
#include "migrate/state_migrate.h"
#include "migrate/world_migrate.h"

typedef struct item_t {
  const char *name;
  field_type_t type;
  double initial;
  const char *renamed_from;
  const char *choices[4];
} item_t;

#define F(n, t, ...)                                                                                                   \
  { .name = (n), .type = (t), __VA_ARGS__ }

enum { THING = 1, OTHER, WORD };

static void declare_items(world_o *w, const char *name, schema_kind_t kind, bool migrates, const item_t *items) {
  schema_buffer_t *s = calloc(1, sizeof *s);
  error_info_t error;
  schema_init(s, name, kind, "components.lua");
  s->schema.line = 7;
  s->schema.migrates = migrates;
  for (; items->name; ++items) {
    field_t *f = schema_add_field(&s->schema, items->name, items->type, items->initial);
    uint32_t count = 0;
    while (count < 4 && items->choices[count])
      count++;
    if (count > 0)
      field_set_choices(f, world_allocator(w), items->choices, count);
    if (items->renamed_from)
      field_add_former_name(f, world_allocator(w), items->renamed_from);
  }
  if (world_declare_schema(w, &s->schema, &error) == 0)
    fail_msg("%s", error.text);
  schema_fini(&s->schema, world_allocator(w));
  free(s);
}

static world_o *make_declared_world(schema_kind_t kind, bool migrates, const item_t *items) {
  static const field_type_t f32s[] = {FIELD_F32}, texts[] = {FIELD_STRING};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  world_track_touched_fields(w, true);
  declare_items(w, "thing", kind, migrates, items);
  DECLARE(w, "other", SCHEMA_COMPONENT, f32s, "a");
  DECLARE(w, "word", SCHEMA_COMPONENT, texts, "text");
  return w;
}
#define WORLD(kind, ...) make_declared_world((kind), false, (const item_t[]){__VA_ARGS__, {0}})
#define MIGRATING(kind, ...) make_declared_world((kind), true, (const item_t[]){__VA_ARGS__, {0}})

static char lines[4096];

static void append_line(void *context, const char *line) {
  (void)context;
  snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", line);
}

// Migrates `from` to `to` and destroys `from`. Returns NULL if the migration is rejected.
static world_o *migrate_to(world_o *from, world_o *to, schema_migrate_run_t migrate, world_migrate_counts_t *counts,
                           error_info_t *error) {
  lines[0] = 0;
  uint64_t before = world_hash(from);
  bool ok =
      world_migrate(from, to, &(world_migrate_desc_t){.log_line = append_line, .migrate = migrate}, counts, error);
  assert_int_equal(world_hash(from), before);
  world_destroy(from);
  if (ok)
    return to;
  world_destroy(to);
  return NULL;
}

static world_o *migrate_or_fail(world_o *from, world_o *to) {
  error_info_t error = {0};
  world_o *w = migrate_to(from, to, NULL, NULL, &error);
  if (!w)
    fail_msg("%s", error.text);
  return w;
}

static void assert_migration_rejected(world_o *from, world_o *to, const char *words) {
  error_info_t error = {0};
  assert_null(migrate_to(from, to, NULL, NULL, &error));
  if (!strstr(error.text, words))
    fail_msg("'%s' does not contain '%s'", error.text, words);
}

TEST(migration_adds_removes_reorders_renames_and_converts_fields_and_counts_the_changes) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_U8), F("gone", FIELD_F32), F("stability", FIELD_F32));
  world_o *to = WORLD(SCHEMA_COMPONENT, F("armour", FIELD_F64, .initial = 2.5),
                      F("balance", FIELD_F32, .renamed_from = "stability"), F("hp", FIELD_I32));
  for (uint32_t i = 0; i < 10; ++i) {
    shoal_entity e = SPAWN(from, OTHER, THING);
    set(from, e, THING, 0, 200 + i);
    set(from, e, THING, 2, i / 4.0);
  }
  to = migrate_to(from, to, NULL, &counts, &error);
  assert_non_null(to);
  for (uint32_t i = 0; i < 10; ++i) {
    assert_true(get(to, i + 1, THING, 0) == 2.5);
    assert_true(get(to, i + 1, THING, 1) == i / 4.0);
    assert_int_equal(get(to, i + 1, THING, 2), 200 + i);
  }
  const columns_t *c = &world_manager(to, THING)->columns;
  assert_false(columns_is_touched(c, 0, 0)); // marks are carried over by name
  assert_true(columns_is_touched(c, 0, 1) && columns_is_touched(c, 0, 2));
  assert_int_equal(counts.schemas.components_changed, 1);
  assert_int_equal(counts.schemas.fields_added, 1);
  assert_int_equal(counts.schemas.fields_dropped, 1);
  assert_int_equal(counts.schemas.fields_renamed, 1);
  assert_int_equal(counts.schemas.fields_converted, 1);
  assert_int_equal(counts.schemas.rows, 10);
  assert_non_null(strstr(lines, "thing.gone: removed, values dropped from 10 rows\n"));
  world_destroy(to);
}

TEST(removed_field_is_suggested_as_the_former_name_of_a_new_field_of_its_type) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("mana", FIELD_F32), F("note", FIELD_STRING), F("r.low", FIELD_I32));
  world_o *to = WORLD(SCHEMA_COMPONENT, F("level", FIELD_I32), F("power", FIELD_F32), F("r.least", FIELD_I32));
  SPAWN(from, THING);
  to = migrate_or_fail(from, to);
  assert_non_null(strstr(lines, "thing.mana: removed, values dropped from 1 row: if you renamed it to power, declare "
                                "renamed_from = { power = \"mana\" }\n"));
  assert_non_null(strstr(lines, "thing.note: removed, values dropped from 1 row\n"));
  assert_non_null(strstr(lines, "thing.r.low: removed, values dropped from 1 row: if you renamed it to least, declare "
                                "renamed_from = { least = \"low\" }\n"));
  world_destroy(to);
}

TEST(former_name_that_is_declared_after_the_values_were_dropped_is_reported_once) {
  world_o *w = WORLD(SCHEMA_COMPONENT, F("mana", FIELD_F32));
  SPAWN(w, THING);
  w = migrate_or_fail(w, WORLD(SCHEMA_COMPONENT, F("power", FIELD_F32)));
  assert_null(strstr(lines, "no effect"));
  w = migrate_or_fail(w, WORLD(SCHEMA_COMPONENT, F("power", FIELD_F32, .renamed_from = "mana")));
  assert_non_null(strstr(lines,
                         "thing.power: the former name mana has no effect on the running world, which has no "
                         "field mana: if a reload has dropped its values, go back to a tick before that reload"));
  w = migrate_or_fail(w, WORLD(SCHEMA_COMPONENT, F("power", FIELD_F32, .renamed_from = "mana")));
  assert_null(strstr(lines, "no effect"));
  world_destroy(w);
}

TEST(enum_values_are_migrated_by_choice_name) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("mood", FIELD_ENUM, .choices = {"calm", "angry"}));
  set(from, SPAWN(from, THING), THING, 0, 1);
  SPAWN(from, THING);
  world_o *to =
      migrate_or_fail(from, WORLD(SCHEMA_COMPONENT, F("mood", FIELD_ENUM, .choices = {"wild", "angry", "calm"})));
  assert_int_equal(get(to, 1, THING, 0), 1);
  assert_int_equal(get(to, 2, THING, 0), 2);
  assert_migration_rejected(to, WORLD(SCHEMA_COMPONENT, F("mood", FIELD_ENUM, .choices = {"calm", "wild"})),
                            "components.lua:7: thing.mood: unknown choice angry");
}

TEST(tag_component_can_gain_and_lose_fields) {
  world_o *from = make_declared_world(SCHEMA_COMPONENT, false, (const item_t[]){{0}});
  SPAWN(from, THING);
  world_o *w = migrate_or_fail(from, WORLD(SCHEMA_COMPONENT, F("heat", FIELD_F32, .initial = 3)));
  assert_int_equal(get(w, 1, THING, 0), 3);
  w = migrate_or_fail(w, make_declared_world(SCHEMA_COMPONENT, false, (const item_t[]){{0}}));
  assert_true(world_has_component(w, 1, THING));
  world_destroy(w);
}

TEST(component_can_become_many_and_back) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("heat", FIELD_F32));
  QUERY(from, HAS(THING), HAS(OTHER));
  for (uint32_t i = 0; i < 5; ++i)
    set(from, SPAWN(from, THING, OTHER), THING, 0, i);
  world_o *many = WORLD(SCHEMA_MANY, F("heat", FIELD_F32));
  query_o *q = QUERY(many, HAS(THING), HAS(OTHER));
  many = migrate_or_fail(from, many);
  assert_int_equal(q->count, 5);
  assert_int_equal(get(many, 3, THING, 0), 2);
  assert_int_equal(manager_find_instance_row(world_manager(many, THING), 3, 0),
                   manager_row(world_manager(many, THING), 3));
  assert_true(world_remove_component(many, 2, THING, 0));
  add(many, 2, THING, id_of(many, "left")); // a named instance replaces the unnamed one
  world_o *plain = migrate_or_fail(many, WORLD(SCHEMA_COMPONENT, F("heat", FIELD_F32)));
  assert_int_equal(world_manager(plain, THING)->count, 5);
  assert_int_equal(get(plain, 5, THING, 0), 4);
  world_destroy(plain);
}

TEST(migration_that_would_drop_instances_is_rejected) {
  world_o *from = WORLD(SCHEMA_MANY, F("heat", FIELD_F32));
  shoal_entity e = SPAWN(from, OTHER);
  add(from, e, THING, id_of(from, "left"));
  add(from, e, THING, id_of(from, "right"));
  assert_migration_rejected(
      from, WORLD(SCHEMA_COMPONENT, F("heat", FIELD_F32)),
      "convert the values in thing: migrate = function(old, new, q) for i = 1, q.count do new.heat[i] = old.heat[i] "
      "end end");
}

TEST(component_can_become_a_singleton_only_with_a_single_row) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32));
  set(from, SPAWN(from, THING), THING, 0, 9);
  world_o *w = migrate_or_fail(from, WORLD(SCHEMA_SINGLE, F("hp", FIELD_I32)));
  assert_int_equal(columns_get(&world_manager(w, THING)->columns, 0, 0), 9);
  assert_migration_rejected(w, WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)),
                            "cannot convert thing from a singleton to a plain component");
  from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32));
  SPAWN(from, THING);
  SPAWN(from, THING);
  assert_migration_rejected(from, WORLD(SCHEMA_SINGLE, F("hp", FIELD_I32)), "the component has several rows");
  w = migrate_or_fail(WORLD(SCHEMA_SINGLE, F("hp", FIELD_I32)), WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)));
  assert_int_equal(world_manager(w, THING)->count, 0);
  world_destroy(w);
}

TEST(deleted_component_keeps_its_rows_and_is_reported) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  static const field_type_t f32s[] = {FIELD_F32};
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)), *to = world_create(&(world_desc_t){.seed = 7});
  DECLARE(to, "other", SCHEMA_COMPONENT, f32s, "a");
  QUERY(from, HAS(THING));
  SPAWN(from, THING, OTHER);
  to = migrate_to(from, to, NULL, &counts, &error);
  assert_non_null(to);
  assert_int_equal(counts.schemas.components_dropped, 0);
  assert_non_null(strstr(lines, "thing: no file declares it: 1 row waits for "));
  assert_true(schema_is_kept(&world_find_manager(to, "thing")->schema));
  assert_int_equal(world_find_manager(to, "thing")->count, 1);
  assert_int_equal(world_manager(to, 1)->count, 1);
  world_destroy(to);
}

TEST(component_declared_as_removed_is_dropped_and_reported) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  static const field_type_t f32s[] = {FIELD_F32};
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)), *to = world_create(&(world_desc_t){.seed = 7});
  DECLARE(to, "other", SCHEMA_COMPONENT, f32s, "a");
  world_declare_removed_component(to, "thing");
  SPAWN(from, THING, OTHER);
  to = migrate_to(from, to, NULL, &counts, &error);
  assert_non_null(to);
  assert_int_equal(counts.schemas.components_dropped, 1);
  assert_non_null(strstr(lines, "thing: component removed, 1 row dropped"));
  assert_null(world_find_manager(to, "thing"));
  world_destroy(to);
}

TEST(deleted_singleton_is_kept_only_if_it_differs_from_its_defaults) {
  static const field_type_t f32s[] = {FIELD_F32};
  for (uint32_t changed = 0; changed < 2; ++changed) {
    error_info_t error = {0};
    world_o *from = WORLD(SCHEMA_SINGLE, F("hp", FIELD_I32)), *to = world_create(&(world_desc_t){.seed = 7});
    DECLARE(to, "other", SCHEMA_COMPONENT, f32s, "a");
    if (changed)
      columns_set(&world_manager(from, THING)->columns, 0, 0, 5);
    to = migrate_to(from, to, NULL, NULL, &error);
    assert_non_null(to);
    assert_int_equal(world_find_manager(to, "thing") != NULL, changed);
    world_destroy(to);
  }
}

// --- lossy changes

TEST(lossy_migration_is_rejected_with_a_stub_of_a_migrate_function) {
  static const struct {
    item_t then, now;
    double value;
    const char *stub;
  } cases[] = {
      {F("v", FIELD_F32), F("v", FIELD_I32), 1.5,
       "new.v[i] = math.max(-2147483648, math.min(2147483647, math.floor(old.v[i])))"},
      {F("v", FIELD_I32), F("v", FIELD_U8), 300, "new.v[i] = math.max(0, math.min(255, math.floor(old.v[i])))"},
      {F("v", FIELD_U8), F("v", FIELD_BOOL), 2, "new.v[i] = old.v[i] ~= 0"},
      {F("v", FIELD_F64), F("v", FIELD_F32), 0.1, "new.v[i] = old.v[i]"},
      {F("v", FIELD_F32), F("v", FIELD_STRING), 1, "new.v[i] = tostring(old.v[i])"},
      {F("old", FIELD_STRING), F("v", FIELD_F32, .renamed_from = "old"), 0, "new.v[i] = tonumber(old.old[i]) or 0"},
      {F("v", FIELD_U8), F("v", FIELD_ENUM, .choices = {"low", "high"}), 1, "new.v[i] = \"low\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    world_o *from = make_declared_world(SCHEMA_COMPONENT, false, (const item_t[]){cases[i].then, {0}});
    set(from, SPAWN(from, THING), THING, 0, cases[i].value);
    assert_migration_rejected(from, make_declared_world(SCHEMA_COMPONENT, false, (const item_t[]){cases[i].now, {0}}),
                              cases[i].stub);
  }
}

static world_o *make_plugin_world(field_type_t type) {
  world_o *w = world_create(&(world_desc_t){.seed = 1});
  schema_buffer_t s;
  content_attach(w);
  schema_init(&s, "heat", SCHEMA_COMPONENT, "plugin heat");
  schema_add_field(&s.schema, "value", type, 0);
  assert_int_equal(world_declare_schema(w, &s.schema, NULL), THING);
  return w;
}

// A plugin cannot declare `migrate`, so the change from f32 to f64 must not be a dead end.
TEST(plugin_can_revert_a_change_from_f32_to_f64) {
  static const double values[] = {0.1, -1e-60, 3e38, 7};
  world_o *from = make_plugin_world(FIELD_F64);
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    set(from, SPAWN(from, THING), THING, 0, values[i]);
  world_o *to = migrate_or_fail(from, make_plugin_world(FIELD_F32));
  for (uint32_t i = 0; i < sizeof values / sizeof *values; ++i)
    assert_true(get(to, i + 1, THING, 0) == (double)(float)values[i]);
  world_destroy(to);
  from = make_plugin_world(FIELD_F64);
  set(from, SPAWN(from, THING), THING, 0, 1e300);
  assert_migration_rejected(from, make_plugin_world(FIELD_F32), "heat.value: cannot convert 1");
}

TEST(migration_stub_covers_every_lossy_field) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("a", FIELD_F32), F("b", FIELD_F32));
  shoal_entity e = SPAWN(from, THING);
  set(from, e, THING, 0, 0.5);
  set(from, e, THING, 1, 0.5);
  assert_migration_rejected(
      from, WORLD(SCHEMA_COMPONENT, F("a", FIELD_I8), F("b", FIELD_U16)),
      "do new.a[i] = math.max(-128, math.min(127, math.floor(old.a[i]))) new.b[i] = math.max(0, math.min(65535, ");
}

static uint32_t calls;

// A migrate function that adds 2 * old.hp to new.hp.
static bool migrate_doubled(void *context, world_o *w, const migration_t *m, error_info_t *error) {
  (void)context, (void)error;
  manager_o *to = world_manager(w, m->manager);
  calls++;
  for (uint32_t i = 0; i < m->old.count; ++i)
    columns_set_unmarked(&to->columns, m->row[i], 0,
                         columns_get(&to->columns, m->row[i], 0) + 2 * columns_get(&m->old, i, 0));
  return true;
}

static bool migrate_failing(void *context, world_o *w, const migration_t *m, error_info_t *error) {
  (void)context, (void)w, (void)m;
  return error_set(error, "components.lua:3: no");
}

TEST(migrate_function_converts_rows) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_F32));
  set(from, SPAWN(from, THING), THING, 0, 1.5);
  set(from, SPAWN(from, THING), THING, 0, 2.5);
  calls = 0;
  world_o *w = migrate_to(from, MIGRATING(SCHEMA_COMPONENT, F("points", FIELD_I32)), migrate_doubled, &counts, &error);
  assert_int_equal(get(w, 1, THING, 0), 3);
  assert_int_equal(get(w, 2, THING, 0), 5);
  assert_int_equal(counts.schemas.components_migrated, 1);
  w = migrate_to(w, MIGRATING(SCHEMA_COMPONENT, F("points", FIELD_I32)), migrate_doubled, &counts, &error);
  assert_int_equal(calls, 1); // not called again for the same layout
  assert_null(migrate_to(w, MIGRATING(SCHEMA_COMPONENT, F("points", FIELD_U8)), migrate_failing, NULL, &error));
  assert_string_equal(error.text, "components.lua:3: no");
}

TEST(migrate_function_can_merge_instances) {
  error_info_t error = {0};
  world_o *from = WORLD(SCHEMA_MANY, F("heat", FIELD_F32));
  shoal_entity e = SPAWN(from, OTHER);
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t name = id_of(from, (const char *[]){"left", "right", "rear"}[i]);
    add(from, e, THING, name);
    assert_true(world_set_field(from, e, THING, name, 0, i + 1, &error));
  }
  world_o *w = migrate_to(from, MIGRATING(SCHEMA_COMPONENT, F("total", FIELD_F32)), migrate_doubled, NULL, &error);
  assert_int_equal(get(w, e, THING, 0), 12);
  world_destroy(w);
}

// --- splitting a component in two

TEST(split_component_passes_its_rows_to_both_parts) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32};
  world_o *from = WORLD(SCHEMA_COMPONENT, F("vx", FIELD_F32), F("vy", FIELD_F32), F("rate", FIELD_F32));
  world_o *to = world_create(&(world_desc_t){.seed = 7});
  uint32_t motion = DECLARE(to, "motion", SCHEMA_COMPONENT, f32s, "vx", "vy");
  uint32_t spin = DECLARE(to, "spin", SCHEMA_COMPONENT, f32s, "turn");
  DECLARE(to, "other", SCHEMA_COMPONENT, f32s, "a");
  query_o *q = QUERY(to, HAS(motion), HAS(spin));
  world_declare_renamed_field(to, "thing", motion, 0, "vx");
  world_declare_renamed_field(to, "thing", motion, 1, "vy");
  world_declare_renamed_field(to, "thing", spin, 0, "rate");
  for (uint32_t i = 0; i < 6; ++i) {
    shoal_entity e = SPAWN(from, OTHER);
    if (i % 2 == 0)
      continue;
    add(from, e, THING, 0);
    set(from, e, THING, 1, i);
    set(from, e, THING, 2, 10 * i);
  }
  to = migrate_to(from, to, NULL, &counts, &error);
  assert_non_null(to);
  assert_int_equal(q->count, 3);
  for (uint32_t i = 1; i < 6; i += 2) {
    assert_int_equal(get(to, i + 1, motion, 1), i);
    assert_int_equal(get(to, i + 1, spin, 0), 10 * i);
  }
  assert_non_null(strstr(lines, "spin.turn: renamed from thing.rate"));
  assert_int_equal(counts.schemas.fields_renamed, 3);
  world_destroy(to);
}

TEST(split_component_can_merge_into_an_existing_one) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("vx", FIELD_F32)), *to = world_create(&(world_desc_t){.seed = 7});
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32};
  DECLARE(to, "other", SCHEMA_COMPONENT, f32s, "a");
  world_declare_renamed_field(to, "thing", 1, 0, "vx");
  set(from, SPAWN(from, OTHER), OTHER, 0, 1);
  set(from, SPAWN(from, THING), THING, 0, 2);
  shoal_entity both = SPAWN(from, OTHER, THING);
  set(from, both, OTHER, 0, 3);
  set(from, both, THING, 0, 4);
  to = migrate_or_fail(from, to);
  assert_int_equal(get(to, 1, 1, 0), 1);
  assert_int_equal(get(to, 2, 1, 0), 2);
  assert_int_equal(get(to, 3, 1, 0), 4); // the value of the given instance overrides the row's own
  world_destroy(to);
}

// --- last values of entities whose `leave` is pending

static uint32_t watch_things(world_o *w) {
  uint32_t x = world_watch_query(w, id_of(w, "mourner"), QUERY(w, HAS(THING)));
  world_watch_enable_last_rows(w, x);
  return x;
}

TEST(last_values_of_destroyed_entities_are_migrated_by_field) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32), F("gone", FIELD_F32), F("stability", FIELD_F32),
                        F("title", FIELD_STRING), F("mood", FIELD_ENUM, .choices = {"calm", "angry", "sad"}));
  world_o *to = WORLD(SCHEMA_COMPONENT, F("mood", FIELD_ENUM, .choices = {"wild", "angry"}),
                      F("armour", FIELD_F64, .initial = 2.5), F("balance", FIELD_F32, .renamed_from = "stability"),
                      F("title", FIELD_STRING), F("hp", FIELD_U8));
  uint32_t count, x = watch_things(from);
  shoal_entity es[] = {SPAWN(from, THING, OTHER), SPAWN(from, THING)};
  for (uint32_t i = 0; i < 2; ++i) {
    set(from, es[i], THING, 0, i ? 7 : 300); // out of range: clamped, whereas a live row would be rejected
    set(from, es[i], THING, 2, 0.25);
    set(from, es[i], THING, 3, id_of(from, i ? "two" : "one"));
    set(from, es[i], THING, 4, i ? 1 : 2); // the choice `sad` no longer exists
  }
  world_watch_pop_entries(from, x, &count);
  world_destroy_entity(from, es[0]);
  world_remove_component(from, es[1], THING, 0);
  watch_things(to);
  to = migrate_or_fail(from, to);
  manager_o *m = world_manager(to, THING);
  const query_watch_t *left = world_watch_pop_entries(to, watch_things(to), &count);
  assert_int_equal(count, 2);
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t row = last_values_find(m, es[i], 0, 0, false);
    assert_true(left[i].entity == es[i] && !left[i].entered && row != ROW_NONE);
    assert_int_equal(last_values_get(m, row, 0), i);
    assert_true(last_values_get(m, row, 1) == 2.5 && last_values_get(m, row, 2) == 0.25);
    assert_string_equal(strings_text(world_strings(to), (uint32_t)last_values_get(m, row, 3)), i ? "two" : "one");
    assert_int_equal(last_values_get(m, row, 4), i ? 7 : 255);
  }
  assert_true(last_values_find(world_manager(to, OTHER), es[0], 0, 0, false) != ROW_NONE);
  world_end_tick(to);
  assert_true(last_values_find(m, es[0], 0, 0, false) == ROW_NONE);
  world_destroy(to);
}

TEST(split_component_keeps_pending_notifications_and_last_values) {
  enum { TOMB = 1, GARDEN };
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32};
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32), F("roses", FIELD_F32));
  world_o *to = world_create(&(world_desc_t){.seed = 7});
  DECLARE(to, "tomb", SCHEMA_COMPONENT, f32s, "depth", "width");
  DECLARE(to, "garden", SCHEMA_COMPONENT, f32s, "roses");
  world_declare_renamed_field(to, "thing", TOMB, 1, "hp");
  world_declare_renamed_field(to, "thing", GARDEN, 0, "roses");
  shoal_entity reported = SPAWN(from, THING), dead = SPAWN(from, THING), fresh;
  set(from, dead, THING, 0, 3);
  set(from, dead, THING, 1, 12);
  uint32_t count, garden = world_watch_query(to, id_of(to, "mourner"), QUERY(to, HAS(GARDEN)));
  world_watch_enable_last_rows(to, garden);
  world_watch_pop_entries(from, watch_things(from), &count);
  world_destroy_entity(from, dead);
  fresh = SPAWN(from, THING);
  to = migrate_or_fail(from, to);
  garden = world_watch_query(to, id_of(to, "mourner"), QUERY(to, HAS(GARDEN)));
  const query_watch_t *n = world_watch_pop_entries(to, garden, &count);
  assert_int_equal(count, 2); // `reported` was already listed before the migration
  assert_true(n[0].entity == dead && !n[0].entered && n[1].entity == fresh && n[1].entered);
  assert_true(world_is_alive(to, reported));
  manager_o *tombs = world_manager(to, TOMB), *gardens = world_manager(to, GARDEN);
  assert_true(last_values_get(tombs, last_values_find(tombs, dead, 0, 0, false), 1) == 3);
  assert_true(last_values_get(gardens, last_values_find(gardens, dead, 0, 0, false), 0) == 12);
  world_destroy(to);
}

TEST(last_values_are_dropped_when_the_component_kind_changes) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)), *to = WORLD(SCHEMA_MANY, F("hp", FIELD_I32));
  shoal_entity e = SPAWN(from, THING);
  uint32_t count;
  world_watch_pop_entries(from, watch_things(from), &count);
  world_destroy_entity(from, e);
  watch_things(to);
  to = migrate_or_fail(from, to);
  world_watch_pop_entries(to, watch_things(to), &count);
  assert_int_equal(count, 1);
  assert_true(last_values_find(world_manager(to, THING), e, 0, 0, true) == ROW_NONE);
  world_destroy(to);
}

// --- events

TEST(pending_events_are_migrated_if_their_fields_are_convertible) {
  world_o *from = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32)), *to = WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32));
  declare_items(from, "bang", SCHEMA_EVENT, false, (const item_t[]){F("depth", FIELD_U8), F("gone", FIELD_F32), {0}});
  declare_items(to, "bang", SCHEMA_EVENT, false,
                (const item_t[]){F("force", FIELD_F32, .initial = 7), F("depth", FIELD_I32), {0}});
  declare_items(from, "puff", SCHEMA_EVENT, false, (const item_t[]){F("v", FIELD_F32), {0}});
  declare_items(to, "puff", SCHEMA_EVENT, false, (const item_t[]){F("v", FIELD_ENTITY), {0}});
  world_set_event_field(from, world_emit_event(from, 1), 0, 5);
  world_emit_event(from, 2);
  to = migrate_or_fail(from, to);
  const event_o *bang = world_find_event(to, "bang");
  assert_int_equal(bang->columns.count, 1);
  assert_int_equal(columns_get(&bang->columns, 0, 0), 7);
  assert_int_equal(columns_get(&bang->columns, 0, 1), 5);
  assert_int_equal(world_find_event(to, "puff")->columns.count, 0);
  assert_non_null(strstr(lines, "event puff: declaration changed, pending events dropped"));
  world_destroy(to);
}

// --- damaged data

static world_o *make_rich_world(bool now) {
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32}, texts[] = {FIELD_STRING};
  world_o *w = now ? WORLD(SCHEMA_COMPONENT, F("hp", FIELD_I32), F("mood", FIELD_ENUM, .choices = {"b", "a", "c"}))
                   : WORLD(SCHEMA_MANY, F("hp", FIELD_U8), F("mood", FIELD_ENUM, .choices = {"a", "b"}));
  declare_items(w, "bang", SCHEMA_EVENT, false, (const item_t[]){F("v", now ? FIELD_F32 : FIELD_U8), {0}});
  declare_items(w, "one", now ? SCHEMA_COMPONENT : SCHEMA_SINGLE, false, (const item_t[]){F("v", FIELD_F32), {0}});
  if (now) {
    uint32_t left = DECLARE(w, "left", SCHEMA_COMPONENT, f32s, "x");
    uint32_t right = DECLARE(w, "right", SCHEMA_COMPONENT, texts, "y");
    world_declare_renamed_field(w, "both", left, 0, "x");
    world_declare_renamed_field(w, "both", right, 0, "y");
  } else {
    static const field_type_t both[] = {FIELD_F32, FIELD_STRING};
    DECLARE(w, "both", SCHEMA_COMPONENT, both, "x", "y");
  }
  QUERY(w, HAS(THING), HAS(OTHER));
  world_watch_query(w, id_of(w, "cold"), QUERY(w, HAS(OTHER)));
  return w;
}

TEST(damaged_snapshots_are_rejected_or_migrated_safely) {
  allocator_t memory = {0};
  error_info_t error;
  world_o *from = make_rich_world(false), *to = make_rich_world(true);
  uint32_t both = world_find_manager(from, "both")->id;
  for (uint32_t i = 0; i < 9; ++i)
    set(from, SPAWN(from, OTHER, THING, both), both, 1, id_of(from, i % 2 ? "odd" : "even"));
  world_watch_pop_entries(from, watch_things(from), &(uint32_t){0});
  for (uint32_t i = 1; i < 5; ++i)
    world_destroy_entity(from, i);
  world_emit_event(from, 1);
  snapshot_o *good = snapshot_create(&memory), *s = snapshot_create(&memory);
  assert_true(snapshot_take(good, from, &error));
  size_t size = 0;
  const uint8_t *bytes = snapshot_bytes(good, &size);
  uint8_t *copy = malloc(size);
  uint32_t taken = 0, seed = 1;
  for (uint32_t i = 0; i < 4000; ++i) {
    memcpy(copy, bytes, size);
    for (uint32_t n = i % 3 + 1; i > 0 && n > 0; --n) {
      seed = seed * 1664525u + 1013904223u;
      // half of the time, damages the beginning, which contains the table of sections
      size_t at = (seed >> 8) % (i % 2 ? size : 4096 < size ? 4096 : size);
      copy[at] = (uint8_t)(i % 5 == 0 ? 0xff : copy[at] ^ (1u << (seed & 7)));
    }
    snapshot_set_bytes(s, copy, size);
    schema_migrate_report_t report = {0};
    state_view_t *v = state_open(s, &memory, &error);
    taken += v && state_migrate(v, to, &(schema_migrate_desc_t){.report = &report}, &error) &&
             state_install(v, to, &(state_install_desc_t){0}, &error);
    state_close(v);
    schema_migrate_report_free(&report);
    if (i == 0)
      assert_int_equal(taken, 1);
  }
  free(copy);
  snapshot_release(good);
  snapshot_release(s);
  world_destroy(from);
  world_destroy(to);
}
