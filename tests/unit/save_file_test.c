// SQL on save files: the same results as in the running world, files that stay as they are if a statement fails, and
// edits of other programs.
#include "save_fixture.h"

#include "base/hash.h"
#include "schema/schema_build.h"
#include "sql/sql.h"

// --- files opened as worlds

// A save opened without its game, in a world with only the built-in declarations.
typedef struct opened_t {
  world_o *w;
  save_file_o *file;
} opened_t;

// Opens the save; `error` receives the reason if it is rejected.
static bool try_open(fixture_t *f, bool accepts_edits, opened_t *out, error_info_t *error) {
  out->w = world_create(&(world_desc_t){.seed = 1});
  out->file = save_file_open(
      &(save_file_desc_t){.path = f->path, .world = out->w, .writable = true, .accepts_edits = accepts_edits}, error);
  if (!out->file)
    world_destroy(out->w);
  return out->file != NULL;
}

static opened_t open_save(fixture_t *f) {
  opened_t opened;
  error_info_t error = {0};
  if (!try_open(f, false, &opened, &error))
    fail_msg("%s", error.text);
  return opened;
}

static void close_save(opened_t *opened) {
  error_info_t error = {0};
  if (!save_file_close(opened->file, &error))
    fail_msg("%s", error.text);
  world_destroy(opened->w);
}

static bool run_on_save(opened_t *opened, const char *text, sql_result_t *r, error_info_t *error) {
  sql_run_desc_t desc = {.text = text, .text_bytes = strlen(text), .allow_writes = true};
  return save_file_sql(opened->file, &desc, r, error);
}

// Runs one statement on the file and writes the file.
static void change_save(fixture_t *f, const char *text) {
  opened_t opened = open_save(f);
  sql_result_t r;
  error_info_t error = {0};
  if (!run_on_save(&opened, text, &r, &error))
    fail_msg("%s: %s", text, error.text);
  sql_result_fini(&r);
  close_save(&opened);
}

// Applies edits that edit_file has made, and writes the file again.
static void accept_edits(fixture_t *f) {
  opened_t opened;
  error_info_t error = {0};
  if (!try_open(f, true, &opened, &error))
    fail_msg("%s", error.text);
  close_save(&opened);
}

static uint64_t hash_file(fixture_t *f) {
  allocator_t memory = {0};
  size_t size = 0;
  error_info_t error;
  char *bytes = file_read(&memory, f->path, &size, &error);
  uint64_t hash = hash_bytes(bytes, size, 0);
  file_free(&memory, bytes, size);
  return hash;
}

// Asserts that the edits are rejected with this message and the file is unchanged.
static void assert_edits_rejected(fixture_t *f, const char *words) {
  opened_t opened;
  error_info_t error = {0};
  uint64_t before = hash_file(f);
  if (try_open(f, true, &opened, &error))
    fail_msg("the edits were accepted, expected the error: %s", words);
  if (!strstr(error.text, words) || !strstr(error.text, f->path))
    fail_msg("'%s' does not contain '%s'", error.text, words);
  assert_true(hash_file(f) == before);
}

// --- the same statements on a save and on its running world

// Declares components with properties that the state does not contain: ranges, defaults, choices, requirements, lists,
// read-only fields and cascades.
static void declare_details(world_o *w) {
  error_info_t error;
  static const shoal_field hull[] = {{.name = "hp", .type = SHOAL_TYPE_i32, .default_number = 60},
                                     {.name = "paint", .type = SHOAL_TYPE_string, .default_string = "red"},
                                     {.name = "seen", .type = SHOAL_TYPE_u32, .flags = SHOAL_READ_ONLY}};
  static const field_range_t hull_ranges[] = {{.has_min = true, .has_max = true, .min = 1, .max = 100}, {0}, {0}};
  static const shoal_field mood[] = {{.name = "now", .type = SHOAL_TYPE_enum, .default_string = "calm angry"}};
  static const shoal_field wings[] = {{.name = "span", .type = SHOAL_TYPE_f32, .default_number = 2.5}};
  static const shoal_field owned[] = {{.name = "by", .type = SHOAL_TYPE_entity, .flags = FIELD_CASCADE_DESTROY}};
  static const shoal_field timer[] = {{.name = "seconds", .type = SHOAL_TYPE_f64, .default_number = 9}};
  static const shoal_field hit[] = {{.name = "target", .type = SHOAL_TYPE_entity},
                                    {.name = "power", .type = SHOAL_TYPE_f32, .default_number = 3}};
  static const char *const requires_hull[] = {"hull", NULL};
  const shoal_component components[] = {
      {.name = "hull", .kind = SHOAL_KIND_COMPONENT, .fields = hull, .field_count = 3},
      {.name = "mood", .kind = SHOAL_KIND_COMPONENT, .fields = mood, .field_count = 1},
      {.name = "wings", .kind = SHOAL_KIND_COMPONENT, .fields = wings, .field_count = 1},
      {.name = "owned", .kind = SHOAL_KIND_COMPONENT, .fields = owned, .field_count = 1},
      {.name = "timer", .kind = SHOAL_KIND_SINGLE, .fields = timer, .field_count = 1},
      {.name = "hit", .kind = SHOAL_KIND_EVENT, .fields = hit, .field_count = 2}};
  for (size_t i = 0; i < sizeof components / sizeof *components; ++i) {
    schema_desc_t desc = {.component = &components[i],
                          .origin = "components.lua",
                          .line = 3,
                          .ranges = i == 0 ? hull_ranges : NULL,
                          .rejects_nan = i == 2,
                          .doc = i == 0 ? "how much is left" : NULL,
                          .required = i == 2 ? requires_hull : NULL};
    if (!world_declare_schema_desc(w, &desc, &error))
      fail_msg("%s", error.text);
  }
}

static void declare_tank(world_o *w) {
  uint32_t hull = world_find_manager(w, "hull")->id;
  uint32_t tank = world_assemblage_declare(w, id_of(w, "tank"));
  uint32_t turret = world_assemblage_declare(w, id_of(w, "turret"));
  world_assemblage_add_component(w, turret, 0, GUN, id_of(w, "barrel"));
  world_assemblage_add_component(w, tank, 0, hull, 0);
  world_assemblage_set_field(w, tank, 0, hull, 0, 0, 77);
  world_assemblage_add_state(w, tank, id_of(w, "alive"));
  uint32_t dead = world_assemblage_add_state(w, tank, id_of(w, "dead"));
  world_assemblage_add_component(w, tank, dead, FROZEN, 0);
  world_assemblage_add_child(w, tank, id_of(w, "turret"), turret);
  world_assemblage_set_doc(w, tank, "rolls");
}

static world_o *make_detailed_world(void) {
  world_o *w = make_world();
  declare_details(w);
  declare_tank(w);
  return w;
}

static void fill_detailed_world(world_o *w) {
  shoal_entity tank = world_spawn(w, world_find_assemblage(w, id_of(w, "tank")), NULL);
  for (int i = 0; i < 6; ++i) {
    shoal_entity e = SPAWN(w, POSITION, HEALTH);
    set(w, e, HEALTH, 0, i);
    add(w, e, world_find_manager(w, "owned")->id, 0);
    set(w, e, world_find_manager(w, "owned")->id, 0, i < 2 ? tank : 0);
    if (i % 2)
      add(w, e, GUN, id_of(w, "left"));
  }
  world_end_tick(w);
}

// Appends all values of a result, or the message, to `out`.
static void describe_result(bool ok, const sql_result_t *r, const error_info_t *error, char *out, size_t bytes) {
  size_t used = (size_t)snprintf(out, bytes, "%s %u rows, %llu changed:", ok ? "ok" : error->text, r->row_count,
                                 (unsigned long long)r->changed_rows);
  for (uint32_t i = 0; ok && i < r->row_count * r->column_count && used < bytes; ++i) {
    const sql_value_t *v = &r->values[i];
    used += (size_t)(v->kind == SQL_NULL   ? snprintf(out + used, bytes - used, " null")
                     : v->kind == SQL_REAL ? snprintf(out + used, bytes - used, " %.17g", v->real)
                     : v->kind == SQL_TEXT ? snprintf(out + used, bytes - used, " '%s'", v->text)
                                           : snprintf(out + used, bytes - used, " %lld", (long long)v->integer));
  }
}

static const char *const STATEMENTS[] = {
    "UPDATE health SET hp = 10 WHERE 0",
    "UPDATE health SET hp = hp + 5",
    "UPDATE health SET hp = 'many'",
    "UPDATE health SET hp = 3000000000",
    "UPDATE health SET hp = NULL",
    "UPDATE healt SET hp = 3",
    "UPDATE health SET hpp = 3",
    "UPDATE health SET entity = 3",
    "INSERT INTO hull(entity) SELECT entity FROM health WHERE hp > 7",
    "SELECT entity, hp, paint, seen FROM hull",
    "INSERT INTO hull(entity, hp) VALUES (9999, 3)",
    "INSERT INTO hull(entity, hp) VALUES ('me', 3)",
    "INSERT INTO hull(entity, hp) SELECT entity, 5 FROM hull",
    "INSERT OR IGNORE INTO hull(entity, hp) SELECT entity, 5 FROM health",
    "INSERT OR REPLACE INTO hull(entity, hp) SELECT entity, 6 FROM health LIMIT 2",
    "UPDATE hull SET hp = 500 WHERE entity = 1",
    "UPDATE hull SET seen = 3",
    "INSERT INTO wings(entity) SELECT max(entity) FROM health",
    "SELECT entity, span FROM wings UNION ALL SELECT entity, hp FROM hull",
    "DELETE FROM hull WHERE entity IN (SELECT entity FROM wings)",
    "INSERT INTO mood(entity, now) VALUES (2, 'angry')",
    "UPDATE mood SET now = 'angr'",
    "SELECT * FROM mood",
    "INSERT INTO gun(entity, instance, heat) VALUES (3, 'rear', 0.25)",
    "DELETE FROM gun WHERE instance = 'left'",
    "SELECT entity, instance, heat FROM gun",
    "UPDATE timer SET seconds = seconds * 2",
    "DELETE FROM timer",
    "INSERT INTO timer(seconds) VALUES (3)",
    "INSERT INTO entities(assemblage, name) VALUES ('tank', 'second')",
    "INSERT INTO entities(assemblage) VALUES ('tnk')",
    "INSERT INTO entities(entity) VALUES (44)",
    "UPDATE entities SET state = 'dead' WHERE name = 'second'",
    "UPDATE entities SET state = 'asleep' WHERE name = 'second'",
    "UPDATE entities SET generation = 3",
    "SELECT entity, name, assemblage, state FROM entities",
    "DELETE FROM entities WHERE entity = 1",
    "INSERT INTO entity_components(entity, component) VALUES (4, 'frozen')",
    "INSERT INTO entity_components(entity, component) VALUES (4, 'frosen')",
    "DELETE FROM entity_components WHERE component = 'mood'",
    "SELECT entity, component, instance FROM entity_components ORDER BY 1, 2, 3",
    "INSERT INTO hit(target) VALUES (4)",
    "SELECT * FROM hit",
    "UPDATE transform SET parent = 77777",
    "UPDATE components SET name = 'x'",
    "SELECT name, description, table_name, kind, rows, origin FROM components",
    "SELECT * FROM assemblages",
    "SELECT * FROM assemblage_values",
    "SELECT * FROM assemblage_components",
    "DROP TABLE health",
    "CREATE TABLE a(b)",
    "BEGIN",
    "PRAGMA journal_mode=WAL",
    "SELECT random()",
    "SELECT hp FROM health; SELECT 1",
};

FIXTURE(fixture_t, setup, teardown)

TEST_IN(statements_on_a_save_and_on_its_running_world_have_equal_results, fixture_t, f) {
  static char live[8192], saved[8192];
  world_o *w = make_detailed_world(), *loaded = make_detailed_world();
  error_info_t error = {0};
  fill_detailed_world(w);
  if (!save_write(w, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
  opened_t opened = open_save(f);
  sql_o *sql = sql_create(&(sql_desc_t){.world = w});
  for (size_t i = 0; i < sizeof STATEMENTS / sizeof *STATEMENTS; ++i) {
    sql_result_t r = {0};
    sql_run_desc_t desc = {.text = STATEMENTS[i], .text_bytes = strlen(STATEMENTS[i]), .allow_writes = true};
    bool ok = sql_run_statement(sql, &desc, &r, &error);
    describe_result(ok, &r, &error, live, sizeof live);
    sql_result_fini(&r);
    ok = save_file_sql(opened.file, &desc, &r, &error);
    describe_result(ok, &r, &error, saved, sizeof saved);
    sql_result_fini(&r);
    if (strcmp(live, saved) != 0)
      fail_msg("%s:\nrunning world: %s\nsave:          %s", STATEMENTS[i], live, saved);
    if (world_hash(w) != world_hash(opened.w))
      fail_msg("%s: the worlds differ", STATEMENTS[i]);
  }
  sql_destroy(sql);
  close_save(&opened);
  load_world(f, loaded);
  assert_true(world_hash(loaded) == world_hash(w));
  world_end_tick(w);
  world_end_tick(loaded);
  assert_true(world_hash(loaded) == world_hash(w));
  world_destroy(loaded);
  world_destroy(w);
}

// A rewritten file differs only in the rows that the statement changed.
TEST_IN(rewritten_save_has_the_same_tables_and_hash, fixture_t, f) {
  world_o *w = make_detailed_world(), *loaded = make_detailed_world();
  error_info_t error = {0};
  static char before[4096];
  fill_detailed_world(w);
  uint64_t hash = world_hash(w);
  if (!save_write(w, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
  uint64_t file_hash = hash_file(f);
  change_save(f, "UPDATE health SET hp = 9 WHERE 0");
  assert_true(hash_file(f) == file_hash);
  snprintf(before, sizeof before, "%s", query_file(f, "SELECT group_concat(name || saved) FROM checksums"));
  change_save(f, "UPDATE health SET hp = hp");
  assert_string_equal(query_file(f, "SELECT group_concat(name || saved) FROM checksums"), before);
  load_world(f, loaded);
  assert_true(world_hash(loaded) == hash);
  world_destroy(loaded);
  world_destroy(w);
}

TEST_IN(failed_statement_leaves_the_save_unchanged, fixture_t, f) {
  fill_world(f, 6);
  save_world(f);
  uint64_t before = hash_file(f);
  opened_t opened = open_save(f);
  sql_result_t r;
  error_info_t error = {0};
  assert_true(run_on_save(&opened, "UPDATE health SET hp = 5", &r, &error));
  sql_result_fini(&r);
  assert_false(run_on_save(&opened, "UPDATE health SET hp = 'x'", &r, &error));
  save_file_discard(opened.file);
  world_destroy(opened.w);
  assert_true(hash_file(f) == before);
}

// A change keeps the data outside the world: kept components, migrations, add-ons, and the version of the math
// functions.
TEST_IN(changed_save_keeps_data_outside_its_world, fixture_t, f) {
  static const field_type_t i32[] = {FIELD_I32};
  error_info_t error = {0};
  world_o *with_mana = make_world();
  DECLARE(with_mana, "mana", SCHEMA_COMPONENT, i32, "points");
  uint32_t mana = world_find_manager(with_mana, "mana")->id;
  shoal_entity e = SPAWN(with_mana, HEALTH);
  add(with_mana, e, mana, 0);
  set(with_mana, e, mana, 0, 31);
  assert_true(save_write(with_mana, "test", f->path, NULL, &error));
  unknown_components_o *kept = unknown_components_create();
  addon_list_t addons = {0};
  addon_list_add(&addons, "score", "1.2");
  assert_true(save_read(f->w, "test", f->path, kept, &error));
  unknown_components_add_migration(kept, "0001.lua");
  unknown_components_set_addons(kept, &addons);
  unknown_components_set_arithmetic(kept, "older");
  assert_true(save_write(f->w, "test", f->path, kept, &error));
  unknown_components_destroy(kept);
  opened_t opened = open_save(f);
  sql_result_t r;
  assert_true(run_on_save(&opened, "SELECT points FROM mana JOIN kept_components WHERE name = 'mana'", &r, &error));
  assert_int_equal(r.values[0].integer, 31);
  sql_result_fini(&r);
  assert_false(run_on_save(&opened, "UPDATE mana SET points = 5", &r, &error));
  assert_non_null(strstr(error.text, "read-only"));
  close_save(&opened);
  change_save(f, "UPDATE health SET hp = 12");
  assert_string_equal(query_file(f,
                                 "SELECT value FROM meta WHERE key IN ('addons', 'arithmetic', 'game', 'migrations') "
                                 "ORDER BY key"),
                      "score 1.2\n,older,test,\n0001.lua\n");
  load_world(f, with_mana);
  assert_int_equal(get(with_mana, e, mana, 0), 31);
  assert_int_equal(get(with_mana, e, HEALTH, 0), 12);
  world_destroy(with_mana);
}

// --- edits of other programs

TEST_IN(accepted_edits_of_a_save_are_applied, fixture_t, f) {
  fill_world(f, 12);
  save_world(f);
  edit_file(
      f, "UPDATE health SET hp = 1000 WHERE entity = 2; UPDATE score SET value = 5;"
         "UPDATE position SET x = 0.3, y = -1 WHERE entity = 3; DELETE FROM gun WHERE entity = 4 AND instance = 'left';"
         "INSERT INTO frozen(entity) VALUES (2); UPDATE gun SET heat = 3 WHERE instance = 'right';"
         "INSERT INTO wheel(entity, instance, turns) VALUES (2, 'front', 4);"
         "UPDATE name SET value = 'renamed' WHERE entity = 2; UPDATE entities SET name = 'renamed' WHERE entity = 2");
  accept_edits(f);
  world_o *other = make_world();
  load_world(f, other);
  assert_int_equal(get(other, 2, HEALTH, 0), 1000);
  assert_int_equal(get(other, 3, HEALTH, 0), 2);
  assert_true(get(other, 3, POSITION, POSITION_X) == (double)0.3f);
  assert_true(isnan(get(other, 8, POSITION, POSITION_X)));
  assert_true(world_has_component(other, 2, FROZEN));
  assert_int_equal(manager_find_instance_row(world_manager(other, GUN), 4, id_of(other, "left")), ROW_NONE);
  assert_int_equal(get(other, 4, GUN, 0), 3);
  assert_int_equal(get(other, 2, WHEEL, 0), 4);
  assert_int_equal(columns_get(&world_manager(other, SCORE)->columns, 0, 0), 5);
  assert_int_equal(get(other, 2, NAME, 0), id_of(other, "renamed"));
  world_destroy(other);
}

TEST_IN(entity_must_be_deleted_from_every_table_of_a_save, fixture_t, f) {
  fill_world(f, 8);
  save_world(f);
  edit_file(f, "DELETE FROM entities WHERE entity = 2");
  assert_edits_rejected(f, "rows of entities that do not exist");
  edit_file(
      f,
      "DELETE FROM health WHERE entity = 2; DELETE FROM position WHERE entity = 2; DELETE FROM name WHERE entity = 2;"
      "DELETE FROM gun WHERE entity = 2");
  accept_edits(f);
  load_world(f, f->w);
  assert_false(world_is_alive(f->w, 2));
}

TEST_IN(invalid_edits_of_a_save_are_rejected_with_the_reason, fixture_t, f) {
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"UPDATE health SET hp = 'many' WHERE entity = 2", "health.hp must be an integer, got 'many'"},
      {"UPDATE health SET hp = 3000000000 WHERE entity = 2", "health.hp: 3000000000 does not fit in i32"},
      {"UPDATE health SET hp = NULL WHERE entity = 2", "health: a field must not be NULL"},
      {"INSERT INTO health(entity, hp) VALUES (2, 3)", "health: an entity has two rows with the same key"},
      {"INSERT INTO health(entity, hp) VALUES (9999, 3)", "health.entity: entity 9999 is not alive"},
      {"INSERT INTO health(entity, hp) VALUES ('me', 3)", "health.entity must be an entity, got 'me'"},
      {"INSERT INTO transform(entity, parent) VALUES (2, 77777)", "transform.parent: entity 77777 is not alive"},
      {"INSERT INTO entities(entity) VALUES (9999)", "entities cannot be added"},
      {"UPDATE entities SET generation = 3", "only the name and state"},
      {"DELETE FROM score", "score: a singleton must have exactly one row"},
      {"INSERT INTO score(value) VALUES (1)", "score: a singleton must have exactly one row"},
      {"UPDATE score SET value = 0.5", "score.value must be an integer, got 0.5"},
  };
  fill_world(f, 6);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    save_world(f);
    edit_file(f, cases[i].text);
    assert_edits_rejected(f, cases[i].words);
  }
}

TEST_IN(changed_save_is_loaded_and_later_edits_are_rejected, fixture_t, f) {
  fill_world(f, 6);
  save_world(f);
  change_save(f, "UPDATE health SET hp = 77 WHERE entity = 2");
  load_world(f, f->w);
  assert_int_equal(get(f->w, 2, HEALTH, 0), 77);
  assert_int_equal(get(f->w, 3, HEALTH, 0), 2);
  edit_file(f, "UPDATE health SET hp = 78 WHERE entity = 2");
  assert_load_rejected(f, "health");
}

// The rejection does not depend on `--write`, so that a reader never sees values that no load would have.
TEST_IN(edited_save_is_opened_only_if_its_edits_are_accepted, fixture_t, f) {
  opened_t opened;
  error_info_t error = {0};
  fill_world(f, 6);
  save_world(f);
  edit_file(f, "UPDATE health SET hp = 78 WHERE entity = 2");
  assert_false(try_open(f, false, &opened, &error));
  assert_non_null(strstr(error.text, "--accept-edits --write"));
  accept_edits(f);
  load_world(f, f->w);
  assert_int_equal(get(f->w, 2, HEALTH, 0), 78);
}

// Earlier versions stored the checksums of accepted edits in a different column.
TEST_IN(edits_that_an_earlier_version_accepted_are_applied_on_request, fixture_t, f) {
  fill_world(f, 6);
  save_world(f);
  edit_file(f, "ALTER TABLE checksums ADD COLUMN accepted TEXT; DROP TABLE fields;"
               "DELETE FROM checksums WHERE name = 'fields'; UPDATE health SET hp = 78 WHERE entity = 2");
  sqlite3 *db = open_file(f);
  uint64_t hash = 0;
  error_info_t error;
  assert_true(save_compute_checksum(db, "main", "health", &hash, &error));
  assert_true(save_execute_statement(db, &error, "UPDATE checksums SET accepted = '%016llx' WHERE name = 'health'",
                                     (unsigned long long)hash));
  sqlite3_close(db);
  assert_load_rejected(f, "was edited after it was saved: health");
  accept_edits(f);
  load_world(f, f->w);
  assert_int_equal(get(f->w, 2, HEALTH, 0), 78);
}

// Lists and columns of a save can be searched, and its assemblages have the table of a running world.
TEST_IN(sql_on_a_save_file_has_table_functions_and_assemblage_values, fixture_t, f) {
  static const char *const texts[] = {
      "SELECT sum(value) = 7 FROM json_each('[3,4]')",
      "SELECT count(*) = 3 FROM json_tree('{\"a\":[1]}')",
      "SELECT count(*) = 1 FROM pragma_table_info('health') WHERE name = 'hp'",
      "SELECT value = 'test' FROM meta WHERE key = 'game'",
      "SELECT sum(j.value) = sum(h.hp) FROM health h, json_each('[' || h.hp || ']') j",
      "SELECT value = 9 FROM assemblage_values WHERE assemblage = 'tank' AND component = 'health' AND field = 'hp'"};
  error_info_t error = {0};
  uint32_t tank = world_assemblage_declare(f->w, id_of(f->w, "tank"));
  world_assemblage_add_component(f->w, tank, 0, HEALTH, 0);
  world_assemblage_set_field(f->w, tank, 0, HEALTH, 0, 0, 9);
  fill_world(f, 6);
  save_world(f);
  for (int write = 0; write < 2; ++write) {
    world_o *w = world_create(&(world_desc_t){.seed = 1});
    save_file_o *file = save_file_open(&(save_file_desc_t){.path = f->path, .world = w, .writable = write}, &error);
    assert_non_null(file);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
      sql_result_t r;
      sql_run_desc_t ask = {.text = texts[i], .text_bytes = strlen(texts[i]), .allow_writes = write};
      if (!save_file_sql(file, &ask, &r, &error))
        fail_msg("%s: %s", texts[i], error.text);
      assert_int_equal(r.row_count, 1);
      assert_int_equal(r.values[0].integer, 1);
      sql_result_fini(&r);
    }
    assert_true(save_file_close(file, &error));
    world_destroy(w);
  }
}

TEST_IN(tables_outside_the_world_of_a_save_are_read_only, fixture_t, f) {
  static const char *const texts[] = {"UPDATE meta SET value = 3", "DELETE FROM meta", "INSERT INTO meta VALUES (1, 2)",
                                      "UPDATE kept_components SET name = 'x'"};
  fill_world(f, 6);
  save_world(f);
  opened_t opened = open_save(f);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    sql_result_t r;
    error_info_t error = {0};
    assert_false(run_on_save(&opened, texts[i], &r, &error));
    assert_non_null(strstr(error.text, "read-only"));
  }
  close_save(&opened);
}
