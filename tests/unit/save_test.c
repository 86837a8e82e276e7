// Saves: restored state, rejected files, and the file that remains after the process is killed.
// slow: takes seconds under the sanitizers
#include "save_fixture.h"

#include "sql/sql.h"
#include "store/background_save.h"
#include "store/state_runs.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

FIXTURE(fixture_t, setup, teardown)

// The first test of the group, because a fork copies all memory that earlier tests have left allocated, which is a lot
// under sanitizers.
TEST_IN(save_is_atomic_when_the_process_is_killed, fixture_t, f) {
  fill_world(f, 30);
  save_world(f);
  double began_s = now_s();
  save_world(f);
  // enough for a whole save, even on a busy machine
  uint32_t longest_us = (uint32_t)((now_s() - began_s) * 3e6) + 12000;
  uint64_t hashes[2];
  hashes[0] = world_hash(f->w);
  set(f->w, 2, HEALTH, 0, 4711);
  hashes[1] = world_hash(f->w);
  world_o *other = make_world();
  random_t random;
  random_seed(&random, 3);
  uint32_t seen[2] = {0};
  const char *is_long = getenv("LONG"); // forking a program with sanitizers is slow
  int rounds = is_long && is_long[0] ? 300 : 60;
  // On a busy machine the child processes may be killed before their first save, so later ones get more time.
  for (int round = 0; round < rounds || (seen[1] == 0 && round < rounds + 8); ++round) {
    longest_us *= round < rounds ? 1 : 2;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
      for (int i = 0;; ++i) { // alternates the old and the new save until killed
        set(f->w, 2, HEALTH, 0, i % 2 ? 1 : 4711);
        save_write(f->w, "test", f->path, NULL, NULL);
      }
    usleep(500 + random_u32(&random) % longest_us);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    load_world(f, other);
    uint64_t hash = world_hash(other);
    assert_true(hash == hashes[0] || hash == hashes[1]);
    seen[hash == hashes[1]]++;
  }
  print_message("%d kills while saving: %u times the old save, %u times the new one\n", rounds, seen[0], seen[1]);
  assert_true(seen[1] > 0);
  world_destroy(other);
}

TEST_IN(save_round_trips_the_whole_world, fixture_t, f) {
  fill_world(f, 50);
  uint64_t hash = world_hash(f->w);
  save_world(f);
  assert_int_equal(world_hash(f->w), hash);
  world_o *other = make_world();
  QUERY(other, HAS(POSITION), HAS(HEALTH));
  load_world(f, other);
  assert_int_equal(world_hash(other), hash);
  assert_int_equal(world_tick(other), 5);
  for (int i = 0; i < 3; ++i) { // both worlds continue identically
    assert_int_equal(spawn(f->w), spawn(other));
    assert_int_equal(random_u32(world_random(f->w)), random_u32(world_random(other)));
    world_destroy_entity(f->w, 2 + (uint32_t)i);
    world_destroy_entity(other, 2 + (uint32_t)i);
    world_end_tick(f->w);
    world_end_tick(other);
  }
  assert_int_equal(world_hash(f->w), world_hash(other));
  world_destroy(other);
}

TEST_IN(background_save_contains_the_tick_at_which_it_began, fixture_t, f) {
  error_info_t error = {0};
  uint32_t tank = world_assemblage_declare(f->w, id_of(f->w, "tank")),
           turret = world_assemblage_declare(f->w, id_of(f->w, "turret"));
  world_assemblage_add_component(f->w, tank, 0, GUN, id_of(f->w, "left"));
  world_assemblage_add_component(f->w, tank, world_assemblage_add_state(f->w, tank, id_of(f->w, "dying")), FROZEN, 0);
  world_assemblage_add_child(f->w, tank, id_of(f->w, "top"), turret);
  fill_world(f, 60);
  world_spawn(f->w, tank, NULL);
  uint64_t hash = world_hash(f->w);
  background_save_o *later = background_save_begin(f->w, "test", f->path, NULL, &error);
  assert_non_null(later);
  fill_world(f, 10); // changes the world while the save is being written
  if (!background_save_end(later, &error))
    fail_msg("%s", error.text);
  assert_string_equal(query_file(f, "SELECT description, entities FROM assemblages WHERE name = 'tank'"),
                      "states: dying; children: top,1");
  assert_string_equal(query_file(f, "SELECT count(*) FROM assemblage_components"), "2");
  load_world(f, f->w);
  assert_int_equal(world_hash(f->w), hash);
  later = background_save_begin(f->w, "test", "/nonexistent/folder/a.sqlite", NULL, &error);
  assert_false(background_save_end(later, &error));
  assert_non_null(strstr(error.text, "/nonexistent/folder"));
}

TEST_IN(loading_replaces_the_world, fixture_t, f) {
  fill_world(f, 20);
  save_world(f);
  uint64_t hash = world_hash(f->w);
  fill_world(f, 30);
  assert_int_not_equal(world_hash(f->w), hash);
  load_world(f, f->w);
  assert_int_equal(world_hash(f->w), hash);
}

TEST_IN(save_file_has_tables_of_components_entities_and_metadata, fixture_t, f) {
  shoal_entity e = SPAWN(f->w, HEALTH, NAME, FROZEN);
  set(f->w, e, HEALTH, 0, 7);
  set(f->w, e, NAME, 0, id_of(f->w, "hero"));
  add(f->w, e, GUN, id_of(f->w, "left"));
  save_world(f);
  assert_string_equal(query_file(f, "SELECT entity, hp FROM health"), "1,7");
  assert_string_equal(query_file(f, "SELECT entity, instance, heat FROM gun"), "1,left,0.0");
  assert_string_equal(query_file(f, "SELECT value FROM score"), "0");
  assert_string_equal(query_file(f, "SELECT * FROM entities"), "1,1,0,hero,NULL,NULL");
  assert_string_equal(query_file(f, "SELECT component FROM entity_components ORDER BY 1"), "frozen,gun,health,name");
  assert_string_equal(query_file(f, "SELECT name, table_name FROM components WHERE component_id = 2"), "health,health");
  assert_string_equal(query_file(f, "SELECT value FROM meta WHERE key IN ('format', 'game') ORDER BY key"), "1,test");
}

TEST_IN(edited_save_is_rejected_and_the_edited_tables_are_named, fixture_t, f) {
  fill_world(f, 10);
  save_world(f);
  edit_file(f, "UPDATE health SET hp = 1000 WHERE entity = 2; UPDATE score SET value = 5");
  assert_load_rejected(f, "was edited after it was saved: health, score: to apply the edits, run ./shoal sql ");
}

TEST_IN(save_with_edited_metadata_is_rejected, fixture_t, f) {
  static const char *const texts[] = {
      "UPDATE meta SET value = 9 WHERE key = 'tick'",
      "UPDATE state SET data = x'00'",
      "DELETE FROM state",
      "UPDATE components SET name = 'x'",
      "DROP TABLE health",
      "DELETE FROM checksums",
      "DELETE FROM checksums WHERE name = 'state'",
      "ALTER TABLE health ADD COLUMN mana",
      "DROP TABLE checksums",
      "ALTER TABLE health RENAME COLUMN hp TO pw",
      "DROP TABLE health; CREATE VIEW health AS SELECT 1 AS component_data_id, 2 AS entity, 3 AS hp",
      "UPDATE checksums SET saved = '0' WHERE name = 'state'",
      "PRAGMA application_id = 3",
      "PRAGMA user_version = 99"};
  fill_world(f, 6);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    save_world(f);
    edit_file(f, texts[i]);
    assert_load_rejected(f, "");
  }
}

TEST_IN(invalid_save_files_are_rejected, fixture_t, f) {
  assert_load_rejected(f, "file not found");
  assert_true(file_write(f->path, "", 0, NULL));
  assert_load_rejected(f, "is not a save");
  assert_true(file_write(f->path, "SELECT 1;", 9, NULL));
  assert_load_rejected(f, "is not a save");
  unlink(f->path);
  edit_file(f, "CREATE TABLE a(b)");
  assert_load_rejected(f, "not a Shoal save");
  unlink(f->path);
  save_world(f);
  error_info_t error;
  assert_false(save_read(f->w, "another", f->path, NULL, &error));
  assert_non_null(strstr(error.text, "a save of “test”, but this game is “another”"));
  snprintf(f->path, sizeof f->path, "%s", f->folder);
  assert_load_rejected(f, "");
}

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i FROM n"

// Inspecting these files would never end, or would execute SQL written by an attacker.
TEST_IN(saves_with_unexpected_sql_declarations_are_rejected, fixture_t, f) {
  static const char *const cases[][2] = {
      {"DROP TABLE checksums; CREATE VIEW checksums AS " ENDLESS, "it contains the view “checksums”"},
      {"CREATE VIEW more AS " ENDLESS, "the view “more”"},
      {"CREATE TRIGGER t AFTER INSERT ON health BEGIN DELETE FROM health; END", "the trigger “t”"},
      {"CREATE INDEX i ON health(hp)", "the index “i”"},
      {"CREATE INDEX i ON health(length(printf('%.*c', hp, 'a')))", "the index “i”"},
      {"CREATE VIRTUAL TABLE v USING fts5(a)", "the table “v"},
      {"DROP TABLE meta; CREATE TABLE meta(key, value CHECK (instr(value, 'a')))", "the table “meta”"},
      {"DROP TABLE meta; CREATE TABLE meta(key, value AS (hex(zeroblob(1000000))))", "the table “meta”"},
      {"CREATE TABLE more(a DEFAULT (random()))", "the table “more”"},
      {"CREATE TABLE more(a /* ( */)", "the table “more”"},
  };
  fill_world(f, 6);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    error_info_t error = {0};
    save_world(f);
    edit_file(f, cases[i][0]);
    assert_load_rejected(f, cases[i][1]);
    world_o *w = world_create(&(world_desc_t){.seed = 1});
    assert_null(save_file_open(&(save_file_desc_t){.path = f->path, .world = w, .accepts_edits = true}, &error));
    assert_non_null(strstr(error.text, cases[i][1]));
    world_destroy(w);
  }
  save_world(f);
  edit_file(f, "DROP VIEW entity_components; CREATE VIEW entity_components AS " ENDLESS);
  load_world(f, f->w); // loads, because the view is never read
}

// Checking a table must take time proportional to its size.
TEST_IN(duplicate_checksum_entries_are_rejected, fixture_t, f) {
  static const char *const cases[] = {
      "INSERT INTO checksums SELECT 'state', saved FROM checksums LIMIT 1",
      "INSERT INTO checksums SELECT upper(name), saved FROM checksums WHERE name = 'health'",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99000) "
      "INSERT INTO checksums SELECT 'state', '0' FROM n",
  };
  fill_world(f, 6);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    save_world(f);
    edit_file(
        f, "CREATE TABLE more AS SELECT * FROM checksums; DROP TABLE checksums; ALTER TABLE more RENAME TO checksums");
    edit_file(f, cases[i]);
    assert_load_rejected(f, "twice");
  }
}

TEST_IN(load_over_its_time_budget_is_rejected, fixture_t, f) {
  error_info_t error = {0};
  size_t size = 0;
  allocator_t memory = {0};
  fill_world(f, 6);
  save_world(f);
  edit_file(
      f, "CREATE TABLE more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i "
         "FROM n;"
         "INSERT INTO checksums VALUES ('more', '0')");
  uint64_t hash = world_hash(f->w);
  char *bytes = file_read(&memory, f->path, &size, &error);
  save_bytes_t file = {.name = f->path, .bytes = bytes, .size = size, .budget_ms = 5};
  assert_false(save_read_bytes(f->w, "test", &file, NULL, &error));
  assert_non_null(strstr(error.text, "reading took more than 5 ms: raise budget.load in game.lua"));
  assert_non_null(strstr(error.text, f->path));
  assert_true(world_hash(f->w) == hash);
  file_free(&memory, bytes, size);
}

// The limits of a script's query do not apply to saves, which may be larger, and a stopped query must not affect them.
TEST_IN(large_save_is_attached_after_a_stopped_query, fixture_t, f) {
  error_info_t error = {0};
  sql_result_t r;
  size_t size = 0;
  allocator_t memory = {0};
  fill_world(f, 20000);
  save_world(f);
  char *bytes = file_read(&memory, f->path, &size, &error);
  assert_true(size > 1u << 20);
  sql_o *s = sql_create(&(sql_desc_t){.world = f->w});
  sql_run_desc_t ask = {.text = ENDLESS, .text_bytes = strlen(ENDLESS), .max_steps = 1000};
  assert_false(sql_run_statement(s, &ask, &r, &error));
  if (!sql_attach_save(s, &(save_bytes_t){.name = f->path, .bytes = bytes, .size = size}, &error))
    fail_msg("%s", error.text);
  static const char count[] = "SELECT count(*) FROM old_entities";
  ask = (sql_run_desc_t){.text = count, .text_bytes = strlen(count)};
  assert_true(sql_run_statement(s, &ask, &r, &error));
  assert_true(r.values[0].integer >= 10000);
  sql_result_fini(&r);
  sql_detach_save(s);
  sql_destroy(s);
  file_free(&memory, bytes, size);
}

TEST_IN(save_converted_to_wal_mode_is_loaded, fixture_t, f) {
  fill_world(f, 6);
  save_world(f);
  uint64_t hash = world_hash(f->w);
  edit_file(f, "PRAGMA journal_mode = WAL; VACUUM");
  fill_world(f, 3);
  load_world(f, f->w);
  assert_int_equal(world_hash(f->w), hash);
}

TEST_IN(damaged_saves_are_rejected_or_restored_completely, fixture_t, f) {
  allocator_t memory = {0};
  fill_world(f, 40);
  save_world(f);
  uint64_t hash = world_hash(f->w);
  size_t size = 0;
  char *good = file_read(&memory, f->path, &size, NULL);
  world_o *other = make_world();
  QUERY(other, HAS(POSITION), HAS(HEALTH));
  uint64_t before = world_hash(other);
  random_t random;
  random_seed(&random, 11);
  uint32_t loaded = 0, refusals = 0;
  for (int round = 0; round < 400; ++round) {
    char *bad = alloc_resize(&memory, NULL, 0, size);
    memcpy(bad, good, size);
    size_t length = size;
    uint32_t kind = random_u32(&random) % 4;
    if (kind == 0)
      length = random_u32(&random) % size;
    for (uint32_t i = 0; i < (kind == 1 ? 1u : 4u); ++i)
      bad[random_u32(&random) % (kind == 2 ? 2048 : size)] ^= (char)(1u << random_u32(&random) % 8);
    if (kind == 3)
      memset(bad + random_u32(&random) % (size - 600), (int)(random_u32(&random) % 256), 500);
    assert_true(file_write(f->path, bad, length, NULL));
    alloc_resize(&memory, bad, size, 0);
    error_info_t error = {0};
    if (save_read(other, "test", f->path, NULL, &error)) {
      loaded++;
      assert_int_equal(world_hash(other), hash);
      world_destroy(other);
      other = make_world();
      QUERY(other, HAS(POSITION), HAS(HEALTH));
    } else {
      refusals++;
      assert_true(error.text[0] != '\0');
      assert_int_equal(world_hash(other), before);
    }
  }
  print_message("400 damaged saves: %u refused, %u came back whole\n", refusals, loaded);
  assert_true(refusals > 200);
  world_destroy(other);
  file_free(&memory, good, size);
  assert_int_equal(memory.bytes, 0);
}

TEST_IN(unusual_component_and_field_names_are_saved_and_loaded, fixture_t, f) {
  static const char *const names[] = {
      "entities", "events",         "state",    "sqlite_x", "a \"b\"; DROP TABLE state; --",
      "Health",   "shoal.scene",    "select",   "old_x",    "behaviour:a/b.lua",
      "it's",     "component_data", "\xc3\xa4", "meta_"};
  static const field_type_t types[] = {FIELD_F32, FIELD_ENTITY, FIELD_I32, FIELD_MAT4, FIELD_STRING};
  uint32_t ids[sizeof names / sizeof *names];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    ids[i] = DECLARE(f->w, names[i], i % 3 == 2 ? SCHEMA_MANY : SCHEMA_COMPONENT, types, "component_data_id", "entity",
                     "instance", "order", "a\"); --");
  DECLARE(f->w, "empty", SCHEMA_SINGLE, types, "x");
  declare(f->w, "nothing", SCHEMA_SINGLE, NULL, NULL, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    shoal_entity e = SPAWN(f->w, HEALTH);
    add(f->w, e, ids[i], i % 3 == 2 ? id_of(f->w, "'one\"") : 0);
  }
  save_world(f);
  uint64_t hash = world_hash(f->w);
  load_world(f, f->w);
  assert_int_equal(world_hash(f->w), hash);
  edit_file(f, "UPDATE entities_ SET \"order\" = x'00'; UPDATE health SET hp = 4");
  assert_load_rejected(f, "health, entities_");
}

// --- older saves

typedef struct old_field_t {
  const char *name;
  field_type_t type;
  double initial;
  const char *text, *choices, *renamed_from;
} old_field_t;

#define OLD(n, t, ...)                                                                                                 \
  { .name = (n), .type = (t), __VA_ARGS__ }

// Creates a world with the components `other` and `thing`. The kind and the fields of `thing` differ between worlds.
static world_o *make_world_with(schema_kind_t kind, const old_field_t *fields) {
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  schema_buffer_t s;
  error_info_t error;
  DECLARE(w, "other", SCHEMA_COMPONENT, f32s, "a", "b");
  schema_init(&s, "thing", kind, "test");
  for (; fields->name; ++fields) {
    field_t *f = schema_add_field(&s.schema, fields->name, fields->type, fields->initial);
    if (fields->text)
      field_set_text(f, world_allocator(w), fields->text);
    if (fields->choices)
      field_set_choices(f, world_allocator(w), (const char *const[]){fields->choices, "later"}, 2);
    if (fields->renamed_from)
      field_add_former_name(f, world_allocator(w), fields->renamed_from);
  }
  if (world_declare_schema(w, &s.schema, &error) == 0)
    fail_msg("%s", error.text);
  schema_fini(&s.schema, world_allocator(w));
  return w;
}

#define THING 2

// Saves `then` with `value` in the first field of entity 1's `thing`, and loads the save into `now`.
static bool save_and_load(fixture_t *f, world_o *then, double value, world_o *now, error_info_t *error) {
  shoal_entity e = SPAWN(then, THING, 1);
  QUERY(then, HAS(THING), HAS(1));
  set(then, e, THING, 0, value);
  SPAWN(then, 1);
  if (!save_write(then, "test", f->path, NULL, error))
    fail_msg("%s", error->text);
  uint64_t before = world_hash(now);
  bool ok = save_read(now, "test", f->path, NULL, error);
  assert_true(ok || world_hash(now) == before);
  world_destroy(then);
  return ok;
}

TEST_IN(loading_an_older_save_adds_and_removes_fields, fixture_t, f) {
  error_info_t error = {0};
  world_o *then =
      make_world_with(SCHEMA_COMPONENT, (const old_field_t[]){OLD("hp", FIELD_U8), OLD("gone", FIELD_F32), {0}});
  world_o *now = make_world_with(SCHEMA_COMPONENT, (const old_field_t[]){OLD("armour", FIELD_F64, .initial = 2.5),
                                                                         OLD("label", FIELD_STRING, .text = "new"),
                                                                         OLD("hp", FIELD_I32),
                                                                         {0}});
  if (!save_and_load(f, then, 200, now, &error))
    fail_msg("%s", error.text);
  assert_true(get(now, 1, THING, 0) == 2.5);
  assert_string_equal(strings_text(world_strings(now), (uint32_t)get(now, 1, THING, 1)), "new");
  assert_int_equal(get(now, 1, THING, 2), 200);
  assert_int_equal(QUERY(now, HAS(THING), HAS(1))->count, 1);
  assert_int_equal(QUERY(now, HAS(1))->count, 2);
  world_destroy(now);
}

TEST_IN(renamed_field_keeps_its_saved_values, fixture_t, f) {
  error_info_t error = {0};
  world_o *then = make_world_with(SCHEMA_COMPONENT, (const old_field_t[]){OLD("stability", FIELD_F32), {0}});
  world_o *now = make_world_with(SCHEMA_COMPONENT,
                                 (const old_field_t[]){OLD("balance", FIELD_F32, .renamed_from = "stability"), {0}});
  if (!save_and_load(f, then, 0.25, now, &error))
    fail_msg("%s", error.text);
  assert_true(get(now, 1, THING, 0) == 0.25);
  world_destroy(now);
}

TEST_IN(lossy_conversion_of_a_saved_field_is_rejected_with_the_reason, fixture_t, f) {
  static const struct {
    field_type_t then, now;
    double value;
    const char *words; // expected part of the message, or NULL if the value is converted
  } cases[] = {
      {FIELD_I32, FIELD_U8, 300, "thing.v: cannot convert 300 from i32 to u8"},
      {FIELD_I32, FIELD_U8, 200, NULL},
      {FIELD_F32, FIELD_I32, 1.5, "thing.v: cannot convert 1.5 from f32 to i32"},
      {FIELD_F32, FIELD_F64, 1.5, NULL},
      {FIELD_F64, FIELD_F32, 0.1, "from f64 to f32"},
      {FIELD_U32, FIELD_F32, 16777217, "cannot convert 16777217 from u32 to f32"},
      {FIELD_BOOL, FIELD_U8, 1, NULL},
      {FIELD_U8, FIELD_BOOL, 2, "from u8 to bool"},
      {FIELD_F32, FIELD_ENTITY, 1, "thing.v: cannot convert f32 to entity"},
      {FIELD_STRING, FIELD_ASSET, 0, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    error_info_t error = {0};
    world_o *then = make_world_with(SCHEMA_COMPONENT, (const old_field_t[]){OLD("v", cases[i].then), {0}});
    world_o *now = make_world_with(SCHEMA_COMPONENT, (const old_field_t[]){OLD("v", cases[i].now), {0}});
    bool ok = save_and_load(f, then, cases[i].value, now, &error);
    if (ok != !cases[i].words || (!ok && !strstr(error.text, cases[i].words)))
      fail_msg("case %zu: %s", i, error.text);
    assert_true(!ok || get(now, 1, THING, 0) == cases[i].value);
    world_destroy(now);
  }
}

TEST_IN(saved_enum_values_are_converted_by_choice_name, fixture_t, f) {
  error_info_t error = {0};
  const old_field_t calm[] = {OLD("v", FIELD_ENUM, .choices = "calm"), {0}},
                    angry[] = {OLD("v", FIELD_ENUM, .choices = "angry"), {0}};
  const old_field_t text[] = {OLD("v", FIELD_STRING), {0}};
  world_o *now = make_world_with(SCHEMA_COMPONENT, angry);
  // both declarations have the choice "later"
  if (!save_and_load(f, make_world_with(SCHEMA_COMPONENT, calm), 1, now, &error))
    fail_msg("%s", error.text);
  assert_int_equal(get(now, 1, THING, 0), 1);
  world_destroy(now);
  now = make_world_with(SCHEMA_COMPONENT, angry);
  assert_false(save_and_load(f, make_world_with(SCHEMA_COMPONENT, calm), 0, now, &error));
  assert_non_null(strstr(error.text, "thing.v: unknown choice calm"));
  world_destroy(now);
  now = make_world_with(SCHEMA_COMPONENT, text);
  assert_true(save_and_load(f, make_world_with(SCHEMA_COMPONENT, calm), 0, now, &error));
  assert_string_equal(strings_text(world_strings(now), (uint32_t)get(now, 1, THING, 0)), "calm");
  world_destroy(now);
}

// A game with `thing` writes the save, a game without `thing` loads it and saves again, and a game with `thing` loads
// the second save.
TEST_IN(unknown_components_survive_loading_and_saving, fixture_t, f) {
  error_info_t error = {0};
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32};
  const old_field_t fields[] = {OLD("v", FIELD_F64), OLD("label", FIELD_STRING), {0}};
  world_o *then = make_world_with(SCHEMA_COMPONENT, fields), *later = make_world_with(SCHEMA_COMPONENT, fields);
  world_o *without = world_create(&(world_desc_t){.seed = 1});
  unknown_components_o *kept = unknown_components_create();
  DECLARE(without, "other", SCHEMA_COMPONENT, f32s, "a", "b");
  for (int i = 0; i < 3; ++i) {
    shoal_entity e = SPAWN(then, THING, 1);
    set(then, e, THING, 0, i + 0.1);
    set(then, e, THING, 1, id_of(then, "words"));
  }
  assert_true(save_write(then, "test", f->path, NULL, &error));
  for (int i = 0; i < 2; ++i) { // a second save keeps the unknown component, too
    if (!save_read(without, "test", f->path, kept, &error))
      fail_msg("%s", error.text);
    world_destroy_entity(without, 2);
    if (!save_write(without, "test", f->path, kept, &error))
      fail_msg("%s", error.text);
    assert_string_equal(query_file(f, "SELECT entity, v, label FROM thing"), "1,0.1,words,2,1.1,words,3,2.1,words");
    assert_string_equal(query_file(f, "SELECT origin FROM components WHERE name = 'thing'"), "kept");
  }
  if (!save_read(later, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_manager(later, THING)->count, 2); // one of the three entities was destroyed in between
  assert_true(get(later, 3, THING, 0) == 2.1);
  assert_string_equal(strings_text(world_strings(later), (uint32_t)get(later, 3, THING, 1)), "words");
  unknown_components_destroy(kept);
  world_destroy(then);
  world_destroy(later);
  world_destroy(without);
}

TEST_IN(saved_component_of_a_different_kind_is_converted_only_if_no_row_is_lost, fixture_t, f) {
  error_info_t error = {0};
  const old_field_t v[] = {OLD("v", FIELD_F32), {0}};
  world_o *many = make_world_with(SCHEMA_MANY, v), *plain = make_world_with(SCHEMA_COMPONENT, v);
  world_o *then = make_world_with(SCHEMA_MANY, v);
  if (!save_and_load(f, make_world_with(SCHEMA_COMPONENT, v), 1, many, &error))
    fail_msg("%s", error.text);
  assert_int_equal(get(many, 1, THING, 0), 1);
  SPAWN(then, 1);
  add(then, 1, THING, id_of(then, "left"));
  add(then, 1, THING, id_of(then, "right"));
  assert_true(save_write(then, "test", f->path, NULL, &error));
  assert_false(save_read(plain, "test", f->path, NULL, &error));
  assert_non_null(strstr(error.text, "cannot convert thing from a many component to a plain component"));
  world_destroy(many);
  world_destroy(plain);
  world_destroy(then);
}

// --- forged saves

// Replaces the saved state with other bytes and a matching checksum.
static void forge_state(fixture_t *f, const unsigned char *state, int size) {
  sqlite3 *db = open_file(f);
  sqlite3_stmt *statement = NULL;
  uint64_t hash = 0;
  error_info_t error;
  assert_int_equal(sqlite3_prepare_v2(db, "UPDATE state SET data = ?", -1, &statement, NULL), SQLITE_OK);
  sqlite3_bind_blob(statement, 1, state, size, SQLITE_STATIC);
  assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_finalize(statement);
  assert_true(save_compute_checksum(db, "main", "state", &hash, &error));
  assert_true(save_execute_statement(db, &error, "UPDATE checksums SET saved = '%016llx' WHERE name = 'state'",
                                     (unsigned long long)hash));
  sqlite3_close(db);
}

// --- the state as runs

TEST(state_runs_are_decoded_to_the_same_bytes_or_rejected) {
  allocator_t memory = {0};
  random_t random;
  random_seed(&random, 3);
  for (int round = 0; round < 400; ++round) {
    uint32_t words = random_u32(&random) % 300, size = words * 4 + random_u32(&random) % 4;
    uint32_t data[301] = {0}, step = random_u32(&random), run = 0;
    for (uint32_t i = 0; i<words; ++i, run = run> 0 ? run - 1 : random_u32(&random) % 30) {
      step = run == 0 ? random_u32(&random) % 3 : step;
      data[i] = run == 0 ? random_u32(&random) : i == 0 ? 0 : data[i - 1] + step;
    }
    state_runs_t packed = {.bytes = NULL}, back = {.bytes = NULL};
    state_runs_encode(data, size, &packed, &memory);
    assert_true(state_runs_detect(packed.bytes, packed.size));
    assert_true(size == 0 || state_runs_decode(packed.bytes, packed.size, &back, &memory));
    assert_int_equal(back.size, size);
    assert_true(size == 0 || memcmp(back.bytes, data, size) == 0);
    for (int k = 0; k < 20; ++k) { // damaged bytes must not be read or written out of bounds
      uint32_t cut = random_u32(&random) % 8 == 0 ? random_u32(&random) % (uint32_t)packed.size : (uint32_t)packed.size;
      uint32_t at = 16 + random_u32(&random) % (uint32_t)(packed.size > 16 ? packed.size - 16 : 1);
      if (at < packed.size)
        packed.bytes[at] = (uint8_t)random_u32(&random);
      if (state_runs_decode(packed.bytes, cut, &back, &memory))
        assert_int_equal(back.size, size);
    }
    state_runs_free(&packed, &memory);
    state_runs_free(&back, &memory);
  }
  assert_int_equal(memory.bytes, 0);
}

// Destroyed entities leave waiting indices, generations and the ticks of their deaths.
TEST_IN(empty_world_that_had_many_entities_has_a_small_save, fixture_t, f) {
  enum { COUNT = 20000, ROUNDS = 4 };
  static shoal_entity e[COUNT];
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    for (uint32_t i = 0; i < COUNT; ++i)
      e[i] = world_spawn(f->w, 0, NULL);
    for (uint32_t i = 0; i < COUNT; ++i)
      world_destroy_entity(f->w, e[i]);
    for (uint32_t tick = 0; tick < 40; ++tick)
      world_end_tick(f->w);
  }
  uint64_t hash = world_hash(f->w);
  save_world(f);
  struct stat info;
  assert_int_equal(stat(f->path, &info), 0);
  assert_true(info.st_size < 100 * 1000);
  world_o *loaded = make_world();
  load_world(f, loaded);
  assert_true(world_hash(loaded) == hash);
  assert_int_equal(world_spawn(loaded, 0, NULL), world_spawn(f->w, 0, NULL));
  world_destroy(loaded);
}

// Damage that checksums cannot detect must not cause a crash, and a world loaded from an accepted save can be
// simulated.
TEST_IN(corrupt_saves_are_rejected_or_load_into_a_usable_world, fixture_t, f) {
  allocator_t memory = {0};
  fill_world(f, 30);
  save_world(f);
  sqlite3 *db = open_file(f);
  sqlite3_stmt *statement = NULL;
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT data FROM state", -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  int size = sqlite3_column_bytes(statement, 0);
  unsigned char *good =
      memcpy(alloc_resize(&memory, NULL, 0, (size_t)size), sqlite3_column_blob(statement, 0), (size_t)size);
  unsigned char *bad = alloc_resize(&memory, NULL, 0, (size_t)size);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  random_t random;
  random_seed(&random, 5);
  uint32_t refusals = 0;
  for (int round = 0; round < 300; ++round) {
    memcpy(bad, good, (size_t)size);
    for (uint32_t i = 0; i < 1 + random_u32(&random) % 3; ++i) {
      uint32_t at = random_u32(&random) % (uint32_t)size;
      bad[at] = random_u32(&random) % 2 ? (unsigned char)random_u32(&random) : 0xff;
    }
    forge_state(f, bad, size);
    // A world with fewer declarations forces the reader to convert rows.
    world_o *other = round % 2 ? make_world() : world_create(&(world_desc_t){.seed = 1});
    error_info_t error = {0};
    if (!save_read(other, "test", f->path, NULL, &error)) {
      refusals++;
      assert_true(error.text[0] != '\0');
    } else {
      shoal_entity e = world_spawn(other, 0, NULL);
      for (uint32_t i = 1; i < 10; ++i)
        world_destroy_entity(other, i);
      world_destroy_entity(other, e);
      world_end_tick(other);
      world_hash(other);
    }
    world_destroy(other);
  }
  print_message("300 forged saves: %u refused\n", refusals);
  assert_true(refusals > 0);
  alloc_resize(&memory, good, (size_t)size, 0);
  alloc_resize(&memory, bad, (size_t)size, 0);
}

// The times are only printed: on a shared machine or under sanitizers, a time limit would prove little.
TEST_IN(save_of_100000_entities_restores_the_same_hash_and_prints_times, fixture_t, f) {
  static const field_type_t types[] = {FIELD_F32, FIELD_F32};
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  uint32_t all = world_assemblage_declare(f->w, id_of(f->w, "all"));
  for (int i = 0; i < 5; ++i)
    world_assemblage_add_component(f->w, all, 0, DECLARE(f->w, names[i], SCHEMA_COMPONENT, types, "x", "y"), 0);
  world_spawn_block_commit(f->w, world_spawn_block_begin(f->w, all, 100000, NULL));
  uint64_t hash = world_hash(f->w);
  double began = now_s();
  save_world(f);
  double saved = now_s();
  load_world(f, f->w);
  double loaded = now_s();
  assert_int_equal(world_hash(f->w), hash);
  error_info_t error = {0};
  background_save_o *later = background_save_begin(f->w, "test", f->path, NULL, &error);
  double begun = now_s();
  assert_true(background_save_end(later, &error));
  print_message("a save that a thread writes holds the game up for %.1f ms\n", (begun - loaded) * 1e3);
  print_message("500,000 rows saved in %.0f ms (%.1f M rows/s), loaded in %.0f ms (%.1f M rows/s)\n",
                (saved - began) * 1e3, 0.5 / (saved - began), (loaded - saved) * 1e3, 0.5 / (loaded - saved));
}
