// SQL queries and statements on a live world.
// slow: takes seconds under the sanitizers
#include "base/text_stream.h"
#include "ecs_fixture.h"
#include "../slowdown.h"

#include "ecs/world_hash.h"
#include "sql/sql.h"

#include <math.h>
#include <time.h>

typedef struct fixture_t {
  world_o *w;
  sql_o *sql;
} fixture_t;

SETUP(fixture_t, f) {
  f->w = make_world();
  f->sql = sql_create(&(sql_desc_t){.world = f->w});
}

TEARDOWN(fixture_t, f) {
  sql_destroy(f->sql);
  world_destroy(f->w);
}

static bool try_select(fixture_t *f, const char *text, bool write, sql_result_t *out, error_info_t *error) {
  sql_run_desc_t select_rows = {.text = text, .text_bytes = strlen(text), .allow_writes = write};
  select_rows.allow_measured = strncmp(text, "EXPLAIN", 7) == 0;
  return sql_run_statement(f->sql, &select_rows, out, error);
}

static sql_result_t select_rows(fixture_t *f, const char *text) {
  sql_result_t r;
  error_info_t error = {0};
  if (!try_select(f, text, true, &r, &error))
    fail_msg("%s: %s", text, error.text);
  return r;
}

static void run_sql(fixture_t *f, const char *text) {
  sql_result_t r = select_rows(f, text);
  sql_result_fini(&r);
}

// Formats a result on one line: values separated by ',' and rows by ';'.
static const char *format_result(sql_result_t r) {
  static char out[4096];
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < r.value_count; ++i) {
    const sql_value_t *v = &r.values[i];
    const char *before = i == 0 ? "" : i % r.column_count == 0 ? ";" : ",";
    if (v->kind == SQL_NULL)
      used += (size_t)snprintf(out + used, sizeof out - used, "%sNULL", before);
    else if (v->kind == SQL_REAL)
      used += (size_t)snprintf(out + used, sizeof out - used, "%s%g", before, v->real);
    else if (v->kind == SQL_TEXT)
      used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", before, v->text);
    else
      used += (size_t)snprintf(out + used, sizeof out - used, "%s%lld", before, (long long)v->integer);
  }
  sql_result_fini(&r);
  return out;
}

static const char *select_line(fixture_t *f, const char *text) {
  return format_result(select_rows(f, text));
}

// Runs a query as the cockpit does and formats its result like format_result.
static const char *select_line_as_cockpit(fixture_t *f, const char *text) {
  sql_run_desc_t select_rows = {.text = text, .text_bytes = strlen(text), .allow_measured = true};
  sql_result_t r;
  error_info_t error = {0};
  if (!sql_run_statement(f->sql, &select_rows, &r, &error))
    fail_msg("%s: %s", text, error.text);
  return format_result(r);
}

static void assert_rejected_as(fixture_t *f, const char *text, bool write, const char *words) {
  sql_result_t r;
  error_info_t error = {0};
  if (try_select(f, text, write, &r, &error))
    fail_msg("%s was not refused", text);
  if (!strstr(error.text, words))
    fail_msg("'%s' does not contain '%s'", error.text, words);
}

static void assert_rejected(fixture_t *f, const char *text, const char *words) {
  assert_rejected_as(f, text, true, words);
}

static shoal_entity spawn_with_health(fixture_t *f, double hp) {
  shoal_entity e = SPAWN(f->w, HEALTH);
  set(f->w, e, HEALTH, 0, hp);
  return e;
}

TEST_IN(components_are_tables_with_a_column_per_field, fixture_t, f) {
  spawn_with_health(f, 5);
  shoal_entity e = SPAWN(f->w, POSITION, LABEL);
  set(f->w, e, POSITION, POSITION_X, 1.5);
  set(f->w, e, LABEL, 0, id_of(f->w, "it's"));
  assert_string_equal(select_line(f, "SELECT * FROM health"), "1,5");
  assert_string_equal(select_line(f, "SELECT x, y FROM position"), "1.5,0");
  assert_string_equal(select_line(f, "SELECT text FROM label WHERE text = 'it''s'"), "it's");
  assert_string_equal(select_line(f, "SELECT count(*) FROM frozen"), "0");
}

static void derive_place(void *context, const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,
                         uint32_t count, void *out) {
  float(*to)[16] = out;
  (void)context, (void)field;
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 16; ++k)
      to[i][k] = ((const float *)manager_column(m, 0))[rows ? rows[i] : first + i];
}

TEST_IN(derived_fields_are_hidden_columns_that_cannot_be_written, fixture_t, f) {
  schema_buffer_t s;
  error_info_t error = {0};
  schema_init(&s, "place", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "x", FIELD_F32, 0);
  schema_add_derived_field(&s.schema, "world", FIELD_MAT4);
  uint32_t place = world_declare_schema(f->w, &s.schema, &error);
  assert_int_not_equal(place, 0);
  world_set_hooks(f->w, place, &(manager_hooks_t){.derive = derive_place});
  shoal_entity e = SPAWN(f->w, place);
  set(f->w, e, place, 0, 2); // the bits of 2.0f are 0x40000000
  assert_string_equal(select_line(f, "SELECT * FROM place"), "1,2");
  assert_string_equal(select_line(f, "SELECT length(world), hex(substr(world, 61)) FROM place"), "64,00000040");
  assert_rejected(f, "UPDATE place SET world = zeroblob(64)", "place.world is read-only");
  assert_rejected(f, "INSERT INTO place(entity, world) VALUES (1, zeroblob(64))", "place.world is read-only");
  run_sql(f, "UPDATE place SET x = 3");
  run_sql(f,
          "UPDATE place SET x = other.x + 1, world = place.world FROM place other WHERE other.entity = place.entity");
  assert_string_equal(select_line(f, "SELECT * FROM place"), "1,4");
}

TEST_IN(instances_of_a_many_component_are_named_rows, fixture_t, f) {
  shoal_entity e = spawn(f->w), other = spawn(f->w);
  add(f->w, e, GUN, id_of(f->w, "left"));
  add(f->w, other, GUN, id_of(f->w, "left"));
  add(f->w, e, GUN, id_of(f->w, "right"));
  assert_string_equal(select_line(f, "SELECT entity, instance FROM gun WHERE entity = 1"), "1,left;1,right");
  assert_string_equal(select_line(f, "SELECT count(*) FROM gun"), "3");
  run_sql(f, "UPDATE gun SET heat = 9 WHERE entity = 1 AND instance = 'right'");
  assert_string_equal(select_line(f, "SELECT heat FROM gun"), "0;0;9");
  run_sql(f, "DELETE FROM gun WHERE entity = 1 AND instance = 'left'");
  assert_string_equal(select_line(f, "SELECT entity, instance, heat FROM gun ORDER BY 1"), "1,right,9;2,left,0");
  run_sql(f, "INSERT INTO gun(entity, instance, heat) VALUES (2, 'rear', 4)");
  assert_string_equal(select_line(f, "SELECT instance, heat FROM gun WHERE entity = 2"), "left,0;rear,4");
}

TEST_IN(unnamed_instance_cannot_be_deleted_alone, fixture_t, f) {
  shoal_entity e = spawn(f->w);
  add(f->w, e, GUN, 0);
  add(f->w, e, GUN, id_of(f->w, "left"));
  assert_rejected(f, "DELETE FROM gun WHERE instance = ''", "cannot remove the unnamed instance alone");
  run_sql(f, "DELETE FROM gun WHERE instance = 'left'");
  run_sql(f, "DELETE FROM gun");
  assert_string_equal(select_line(f, "SELECT count(*) FROM gun"), "0");
}

TEST_IN(singleton_table_has_one_row, fixture_t, f) {
  assert_string_equal(select_line(f, "SELECT * FROM score"), "0");
  run_sql(f, "UPDATE score SET value = value + 7");
  assert_string_equal(select_line(f, "SELECT value FROM score"), "7");
  assert_rejected(f, "INSERT INTO score VALUES (1)", "score");
  assert_rejected(f, "DELETE FROM score", "score");
}

// An UPDATE … FROM writes the singleton's row once per matching row.
TEST_IN(failing_update_of_a_singleton_changes_nothing, fixture_t, f) {
  spawn_with_health(f, 5);
  spawn_with_health(f, 6);
  assert_rejected(f, "UPDATE score SET value = CASE hp WHEN 5 THEN 7 ELSE 'many' END FROM health", "many");
  assert_string_equal(select_line(f, "SELECT value FROM score"), "0");
}

TEST_IN(updates_of_singletons_and_components_become_visible_together, fixture_t, f) {
  spawn_with_health(f, 5);
  world_defer_begin(f->w, 0);
  run_sql(f, "UPDATE health SET hp = 8");
  run_sql(f, "UPDATE score SET value = 8");
  assert_string_equal(select_line(f, "SELECT hp, value FROM health, score"), "5,0");
  world_defer_end(f->w, false);
  assert_string_equal(select_line(f, "SELECT hp, value FROM health, score"), "8,8");
}

TEST_IN(entities_and_components_tables_describe_the_world, fixture_t, f) {
  shoal_entity e = SPAWN(f->w, HEALTH, NAME);
  set(f->w, e, NAME, 0, id_of(f->w, "hero"));
  SPAWN(f->w, FROZEN);
  assert_string_equal(select_line(f, "SELECT entity, \"index\", generation, name, assemblage, state FROM entities"),
                      "1,1,0,hero,NULL,NULL;2,2,0,NULL,NULL,NULL");
  assert_string_equal(
      select_line(f, "SELECT entity, component, component_id, component_data_id FROM entity_components"),
      "1,health,2,1;2,frozen,4,2;1,name,9,1");
  assert_string_equal(select_line(f, "SELECT component FROM entity_components WHERE entity = 1"), "health;name");
  assert_string_equal(select_line(f, "SELECT entity FROM entity_components WHERE component = 'frozen'"), "2");
  assert_string_equal(select_line(f, "SELECT entity FROM entity_components WHERE component = 'frozen' AND entity = 1"),
                      "");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entity_components WHERE component = 'nothing'"), "0");
  assert_string_equal(select_line(f, "SELECT name, kind, rows FROM components WHERE component_id IN (2, 5, 7)"),
                      "health,component,1;gun,many,0;score,single,1");
  assert_string_equal(select_line(f, "SELECT description FROM components WHERE name = 'position'"), "x:f32, y:f32");
}

TEST_IN(entity_components_table_lists_every_instance_of_a_many_component, fixture_t, f) {
  for (int i = 0; i < 3; ++i) {
    shoal_entity e = SPAWN(f->w, HEALTH);
    add(f->w, e, GUN, id_of(f->w, "a"));
    add(f->w, e, GUN, id_of(f->w, "b"));
    add(f->w, e, WHEEL, id_of(f->w, "a"));
  }
  world_destroy_entity(f->w, 1); // now row 0 contains the second instance of another entity
  assert_string_equal(select_line(f, "SELECT component, instance FROM entity_components WHERE entity = 3"),
                      "health,NULL;gun,a;gun,b;wheel,a");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entity_components"), "8");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entities JOIN entity_components USING (entity)"), "8");
}

TEST_IN(assemblages_are_listed_in_tables, fixture_t, f) {
  uint32_t tank = world_assemblage_declare(f->w, id_of(f->w, "tank"));
  uint32_t turret = world_assemblage_declare(f->w, id_of(f->w, "turret"));
  world_assemblage_add_component(f->w, tank, 0, HEALTH, 0);
  world_assemblage_add_component(f->w, tank, 0, GUN, id_of(f->w, "left"));
  uint32_t dying = world_assemblage_add_state(f->w, tank, id_of(f->w, "dying"));
  world_assemblage_add_component(f->w, tank, dying, FROZEN, 0);
  world_assemblage_add_child(f->w, tank, id_of(f->w, "top"), turret);
  for (int i = 0; i < 10; ++i)
    run_sql(f, "INSERT INTO entities(assemblage) VALUES ('tank')");
  assert_string_equal(select_line(f, "SELECT * FROM assemblages"),
                      "1,tank,states: dying; children: top,10;2,turret,,10");
  assert_string_equal(select_line(f, "SELECT assemblage, component, instance, state FROM assemblage_components"),
                      "tank,health,NULL,NULL;tank,gun,left,NULL;tank,frozen,NULL,dying");
  assert_string_equal(select_line(f, "SELECT count(*) FROM health"), "10");
  assert_string_equal(select_line(f, "SELECT assemblage, state, count(*) FROM entities GROUP BY 1, 2"),
                      "tank,dying,10;turret,NULL,10");
}

TEST_IN(entity_state_is_set_by_sql_insert_and_update, fixture_t, f) {
  uint32_t tank = world_assemblage_declare(f->w, id_of(f->w, "tank"));
  world_assemblage_add_state(f->w, tank, id_of(f->w, "alive"));
  uint32_t dying = world_assemblage_add_state(f->w, tank, id_of(f->w, "dying"));
  world_assemblage_add_component(f->w, tank, dying, FROZEN, 0);
  run_sql(f, "INSERT INTO entities(assemblage, state, name) VALUES ('tank', 'dying', 'first')");
  run_sql(f, "INSERT INTO entities(assemblage) VALUES ('tank')");
  assert_string_equal(select_line(f, "SELECT name, state FROM entities"), "first,dying;NULL,alive");
  run_sql(f, "UPDATE entities SET state = 'dying'");
  assert_string_equal(select_line(f, "SELECT count(*) FROM frozen"), "2");
  assert_rejected(f, "UPDATE entities SET state = 'sleeping'", "sleeping");
}

TEST_IN(joins_on_entity_use_the_index, fixture_t, f) {
  for (int i = 0; i < 100; ++i) {
    shoal_entity e = spawn_with_health(f, i);
    if (i % 2 == 0)
      add(f->w, e, POSITION, 0);
  }
  assert_string_equal(select_line(f, "SELECT count(*), sum(hp) FROM position JOIN health USING (entity)"), "50,2450");
  sql_result_t r = select_rows(f, "EXPLAIN QUERY PLAN SELECT hp FROM position JOIN health USING (entity)");
  assert_int_equal(r.row_count, 2);
  assert_non_null(strstr(r.values[3].text, "INDEX 0"));
  assert_non_null(strstr(r.values[7].text, "INDEX 1"));
  sql_result_fini(&r);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// A nested scan would take minutes. The test measures CPU time.
TEST_IN(join_of_100000_rows_with_100000_takes_less_than_2_seconds, fixture_t, f) {
  uint32_t both = world_assemblage_declare(f->w, id_of(f->w, "both"));
  world_assemblage_add_component(f->w, both, 0, POSITION, 0);
  world_assemblage_add_component(f->w, both, 0, HEALTH, 0);
  uint32_t block = world_spawn_block_begin(f->w, both, 100000, NULL);
  assert_int_not_equal(block, 0);
  world_spawn_block_commit(f->w, block);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    double began = now_ms();
    assert_string_equal(select_line(f, "SELECT count(*), sum(hp) FROM position JOIN health USING (entity)"),
                        "100000,0");
    double took = now_ms() - began;
    best = took < best ? took : best;
  }
  print_message("100,000 x 100,000 joined in %.1f ms\n", best);
  assert_true(best < 2000 * cpu_slowdown());
}

// Queries from users skip rows that cannot match; a '+' before the column makes SQLite check every row.
TEST_IN(skipping_rows_does_not_change_query_results, fixture_t, f) {
  static const char *const conditions[] = {"hp > 3",
                                           "hp >= 3",
                                           "hp < 3",
                                           "hp <= 2.5",
                                           "hp > -1e300",
                                           "hp < 1e300",
                                           "hp >= NULL",
                                           "hp > 1 AND hp < 4",
                                           "hp BETWEEN 2 AND 2",
                                           "hp > 9007199254740993",
                                           "hp < (SELECT 3)",
                                           "hp > x'00'",
                                           "hp > 0 OR hp < 0",
                                           "NOT hp > 2",
                                           "hp >= entity",
                                           "hp > 1 AND hp > 2 AND hp > 0 AND hp > -1 AND hp > -2"};
  for (int i = 0; i < 40; ++i)
    spawn_with_health(f, i % 7 == 6 ? (double)NAN : i % 7 - 1);
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i) {
    char passed[256], looked[256], plain[160], found[4096], *to = plain;
    for (const char *at = conditions[i]; *at; ++at) {
      if (strncmp(at, "hp", 2) == 0)
        *to++ = '+';
      *to++ = *at;
    }
    *to = '\0';
    snprintf(passed, sizeof passed, "SELECT entity, hp FROM health WHERE %s", conditions[i]);
    snprintf(looked, sizeof looked, "SELECT entity, hp FROM health WHERE %s", plain);
    snprintf(found, sizeof found, "%s", select_line_as_cockpit(f, passed));
    assert_string_equal(select_line_as_cockpit(f, looked), found);
  }
  static const char left[] = "SELECT count(*), count(h.hp) FROM entities AS e LEFT JOIN health AS h ON h.hp > 3 AND ";
  char joined[200];
  snprintf(joined, sizeof joined, "%sh.hp < 4", left); // returns all entities, none of them with a matching health
  assert_string_equal(select_line_as_cockpit(f, joined), "40,0");
  snprintf(joined, sizeof joined, "%sh.hp < 5 WHERE h.hp > 3 AND e.entity < 3", left);
  assert_string_equal(select_line_as_cockpit(f, joined), "10,10");
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM health WHERE hp > 3"), "5");
  // '3' is converted to the column's type
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM health WHERE hp > '3'"), "5");
}

TEST_IN(words_column_of_entities_matches_names_in_any_case, fixture_t, f) {
  shoal_entity first = spawn_with_health(f, 1), second = spawn_with_health(f, 2);
  char text[160];
  snprintf(text, sizeof text, "UPDATE entities SET name = 'The Queen' WHERE entity = %u", second);
  run_sql(f, text);
  snprintf(text, sizeof text, "%u", second);
  assert_string_equal(select_line_as_cockpit(f, "SELECT entity FROM entities WHERE words LIKE '%QUEEN%'"), text);
  assert_string_equal(select_line_as_cockpit(f, "SELECT entity FROM entities WHERE words LIKE '%q_een%'"), text);
  assert_string_equal(select_line_as_cockpit(f, "SELECT entity FROM entities WHERE words LIKE 'the queen'"), text);
  assert_string_equal(
      select_line_as_cockpit(f, "SELECT words FROM entities WHERE words LIKE '%the%' AND words LIKE '%queen%'"),
      "The Queen");
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM entities WHERE words LIKE '%queens%'"), "0");
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM entities WHERE words NOT LIKE '%queen%'"), "1");
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM entities WHERE words LIKE '%'"), "2");
  assert_string_equal(select_line_as_cockpit(f, "SELECT count(*) FROM entities WHERE words LIKE NULL OR words LIKE 3"),
                      "0");
  // the result is the same on a connection that can write
  assert_string_equal(select_line(f, "SELECT entity FROM entities WHERE words LIKE '%QUEEN%'"), text);
  assert_rejected(f, "UPDATE entities SET words = 'x'", "only name and state can be changed");
  assert_rejected(f, "INSERT INTO entities(words) VALUES ('x')", "INSERT may set name, assemblage and state");
  run_sql(f, "UPDATE entities SET name = 'n' || h.hp FROM health AS h WHERE h.entity = entities.entity AND h.hp = 1");
  snprintf(text, sizeof text, "SELECT name FROM entities WHERE entity = %u", first);
  assert_string_equal(select_line_as_cockpit(f, text), "n1");
}

// Skipped rows count as steps, so a join of two scans stops at the limit.
TEST_IN(skipped_rows_count_as_steps, fixture_t, f) {
  for (int i = 0; i < 20000; ++i)
    spawn_with_health(f, i);
  sql_result_t r;
  error_info_t error = {0};
  sql_run_desc_t select_rows = {
      .text = "SELECT count(*) FROM health WHERE hp < 0", .allow_measured = true, .max_steps = 5000};
  select_rows.text_bytes = strlen(select_rows.text);
  assert_true(sql_run_statement(f->sql, &select_rows, &r, &error));
  sql_result_fini(&r);
  select_rows.text =
      "SELECT count(*) FROM entities AS a CROSS JOIN health AS b WHERE b.hp < 0 AND a.words LIKE '%zebra%' OR "
      "b.hp < -1";
  select_rows.text_bytes = strlen(select_rows.text);
  select_rows.max_steps = 200000;
  assert_false(sql_run_statement(f->sql, &select_rows, &r, &error));
  assert_true(sql_has_exceeded_steps(f->sql));
}

// SQLite tests the rows of such a pattern, which takes more steps. The number of steps must be equal on all processors,
// also where `char` is unsigned.
TEST_IN(non_ascii_like_patterns_are_tested_by_sqlite, fixture_t, f) {
  for (int i = 0; i < 2000; ++i)
    spawn_with_health(f, i);
  sql_result_t r;
  error_info_t error = {0};
  sql_run_desc_t select_rows = {
      .text = "SELECT count(*) FROM entities WHERE words LIKE '%zebra%'", .allow_measured = true, .max_steps = 5000};
  select_rows.text_bytes = strlen(select_rows.text);
  assert_true(sql_run_statement(f->sql, &select_rows, &r, &error));
  sql_result_fini(&r);
  select_rows.text = "SELECT count(*) FROM entities WHERE words LIKE '%zébra%'";
  select_rows.text_bytes = strlen(select_rows.text);
  assert_false(sql_run_statement(f->sql, &select_rows, &r, &error));
  assert_true(sql_has_exceeded_steps(f->sql));
}

TEST_IN(queries_by_deleted_or_invalid_ids_find_nothing, fixture_t, f) {
  spawn_with_health(f, 1);
  run_sql(f, "DELETE FROM entities WHERE entity = 1");
  assert_false(world_is_alive(f->w, 1));
  assert_string_equal(select_line(f, "SELECT count(*) FROM health WHERE entity = 1"), "0");
  assert_string_equal(
      select_line(f, "SELECT count(*) FROM entities WHERE entity IN (0, 1, -1, 1e300, 4294967296, 'x', NULL)"), "0");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entity_components WHERE entity = 1.5"), "0");
}

TEST_IN(writes_are_applied_per_statement, fixture_t, f) {
  shoal_entity a = spawn_with_health(f, 1), b = spawn_with_health(f, 2);
  run_sql(f, "UPDATE health SET hp = hp * 10");
  assert_int_equal(get(f->w, a, HEALTH, 0), 10);
  assert_int_equal(get(f->w, b, HEALTH, 0), 20);
  run_sql(f, "INSERT INTO position(entity, x) SELECT entity, hp FROM health");
  assert_int_equal(get(f->w, b, POSITION, POSITION_X), 20);
  assert_string_equal(select_line(f, "SELECT x, y FROM position"), "10,0;20,0");
  run_sql(f, "DELETE FROM position WHERE x > 15");
  assert_string_equal(select_line(f, "SELECT entity FROM position"), "1");
  run_sql(f, "INSERT INTO entity_components(entity, component) VALUES (1, 'frozen')");
  assert_true(world_has_component(f->w, a, FROZEN));
  run_sql(f, "DELETE FROM entity_components WHERE component = 'frozen'");
  assert_false(world_has_component(f->w, a, FROZEN));
  assert_int_equal(world_command_count(f->w), 0);
}

TEST_IN(update_from_reads_values_of_a_different_table, fixture_t, f) {
  for (int i = 0; i < 4; ++i)
    set(f->w, SPAWN(f->w, HEALTH, POSITION, NAME), POSITION, POSITION_X, i == 3 ? (double)NAN : i);
  run_sql(f, "UPDATE health SET hp = p.x * 10 FROM position AS p WHERE p.entity = health.entity AND p.x IS NOT NULL");
  assert_string_equal(select_line(f, "SELECT hp FROM health"), "0;10;20;0");
  run_sql(f, "UPDATE position SET y = h.hp FROM health AS h WHERE h.entity = position.entity");
  assert_string_equal(select_line(f, "SELECT x, y FROM position"), "0,0;1,10;2,20;NULL,0");
  run_sql(f, "UPDATE entities SET name = 'n' || h.hp FROM health AS h WHERE h.entity = entities.entity");
  assert_string_equal(select_line(f, "SELECT name FROM entities"), "n0;n10;n20;n0");
  assert_rejected(f, "UPDATE health SET entity = 9 FROM position AS p WHERE p.entity = health.entity", "health.entity");
}

TEST_IN(sql_visits_every_row_once_during_deletion, fixture_t, f) {
  for (int i = 0; i < 50; ++i)
    spawn_with_health(f, i);
  run_sql(f, "DELETE FROM health WHERE hp % 3 <> 0");
  assert_string_equal(select_line(f, "SELECT count(*), min(hp % 3), max(hp % 3) FROM health"), "17,0,0");
  run_sql(f, "DELETE FROM entities WHERE entity IN (SELECT entity FROM health)");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entities"), "33");
}

TEST_IN(failing_statement_changes_nothing, fixture_t, f) {
  for (int i = 0; i < 3; ++i)
    spawn_with_health(f, i);
  uint64_t before = world_hash(f->w);
  assert_rejected(f, "UPDATE health SET hp = CASE hp WHEN 2 THEN 'x' ELSE 9 END",
                  "health.hp must be an integer, got 'x'");
  assert_rejected(f, "UPDATE score SET value = 'x'", "score.value");
  assert_rejected(f, "DELETE FROM health WHERE abs(hp - 2 + -9223372036854775806) > 0", "overflow");
  assert_int_equal(world_hash(f->w), before);
  assert_rejected(f, "INSERT INTO entities(name) VALUES ('a'), (1)", "entities.name");
  assert_string_equal(select_line(f, "SELECT count(*) FROM entities"), "3");
  assert_false(world_is_deferring(f->w));
}

TEST_IN(invalid_writes_are_rejected_with_column_and_reason, fixture_t, f) {
  static const field_type_t types[] = {FIELD_U8, FIELD_BOOL, FIELD_ENTITY, FIELD_F64};
  DECLARE(f->w, "mixed", SCHEMA_COMPONENT, types, "small", "flag", "who", "number");
  spawn_with_health(f, 1);
  run_sql(f, "INSERT INTO mixed(entity, small, flag, who, number) VALUES (1, 255, 1, 1, 0.1)");
  assert_string_equal(select_line(f, "SELECT small, flag, who, number FROM mixed"), "255,1,1,0.1");
  assert_rejected(f, "UPDATE mixed SET small = 256", "mixed.small: 256 does not fit in u8 (0 to 255)");
  assert_rejected(f, "UPDATE mixed SET small = -1", "mixed.small");
  assert_rejected(f, "UPDATE mixed SET small = 1.5", "mixed.small must be an integer, got 1.5");
  assert_rejected(f, "UPDATE mixed SET small = NULL", "mixed.small must be an integer, got NULL");
  assert_rejected(f, "UPDATE mixed SET flag = 2", "mixed.flag");
  assert_rejected(f, "UPDATE mixed SET who = 77", "mixed.who: entity 77 is not alive");
  assert_rejected(f, "UPDATE mixed SET who = 'me'", "mixed.who must be an entity, got 'me'");
  assert_rejected(f, "UPDATE mixed SET number = 'x'", "mixed.number must be a number, got 'x'");
  assert_rejected(f, "UPDATE mixed SET entity = 2", "mixed.entity");
  assert_rejected(f, "INSERT INTO mixed(entity) VALUES (1)", "already has this component");
  assert_rejected(f, "INSERT INTO mixed(entity) VALUES (9)", "mixed.entity: entity 9 is not alive");
  assert_rejected(f, "INSERT INTO mixed(small) VALUES (9)", "mixed.entity");
  assert_rejected(f, "INSERT INTO entities(entity) VALUES (9)", "entities.entity");
  assert_rejected(f, "INSERT INTO entities(assemblage) VALUES ('nothing')", "nothing");
  assert_rejected(f, "UPDATE components SET name = 'x'", "components is read-only");
  assert_rejected(f, "UPDATE health SET mana = 1", "no such column: mana");
  assert_rejected(f, "SELECT * FROM mana", "no such table: mana");
}

TEST_IN(insert_can_ignore_or_replace_existing_rows, fixture_t, f) {
  spawn_with_health(f, 1);
  spawn(f->w);
  run_sql(f, "INSERT OR IGNORE INTO health(entity, hp) VALUES (1, 8), (2, 9)");
  assert_string_equal(select_line(f, "SELECT hp FROM health"), "1;9");
  run_sql(f, "INSERT OR REPLACE INTO health(entity, hp) VALUES (1, 8)");
  assert_string_equal(select_line(f, "SELECT hp FROM health"), "8;9");
}

TEST_IN(read_only_query_cannot_write, fixture_t, f) {
  spawn_with_health(f, 1);
  assert_rejected_as(f, "UPDATE health SET hp = 2", false, "may only read");
  assert_rejected_as(f, "WITH x AS (SELECT 1) DELETE FROM health", false, "may only read");
  run_sql(f, "UPDATE health SET hp = 3");
  assert_rejected_as(f, "UPDATE health SET hp = 3", false, "may only read");
  assert_string_equal(select_line(f, "SELECT hp FROM health"), "3");
}

TEST_IN(sql_cannot_access_anything_outside_the_world, fixture_t, f) {
  static const char *const texts[] = {"ATTACH '/tmp/x.db' AS x",
                                      "CREATE TABLE t(a)",
                                      "CREATE TEMP TABLE t(a)",
                                      "PRAGMA journal_mode",
                                      "SELECT load_extension('x')",
                                      "SELECT random()",
                                      "SELECT datetime('now')",
                                      "SELECT current_timestamp",
                                      "BEGIN",
                                      "VACUUM INTO '/tmp/x.db'",
                                      "DROP TABLE health",
                                      "SAVEPOINT a",
                                      "CREATE VIRTUAL TABLE t USING health",
                                      "DETACH main",
                                      "SELECT randomblob(4)",
                                      "SELECT sqlite_version()",
                                      "SELECT changes()",
                                      "SELECT last_insert_rowid()",
                                      "SELECT * FROM dbstat",
                                      "SELECT * FROM sqlite_stmt",
                                      "SELECT count(*) FROM pragma_function_list"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    assert_rejected(f, texts[i], "");
  assert_string_equal(select_line(f, "SELECT name FROM pragma_table_info('health')"), "entity;hp");
}

// Runs a query with a script's permissions. Returns false with the message in `error`.
static bool run_as_script(fixture_t *f, const char *text, uint64_t steps, error_info_t *error) {
  sql_result_t r;
  sql_run_desc_t a = {.text = text, .text_bytes = strlen(text), .max_steps = steps};
  bool ok = sql_run_statement(f->sql, &a, &r, error);
  if (ok)
    sql_result_fini(&r);
  return ok;
}

#define COUNT_TO "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "

TEST_IN(sql_query_has_a_step_limit, fixture_t, f) {
  error_info_t error = {0};
  assert_false(run_as_script(f, COUNT_TO "-1) SELECT count(*) FROM n", 100000, &error));
  assert_non_null(strstr(error.text, "the query took more than 100000 steps: add LIMIT"));
  assert_string_equal(select_line(f, "SELECT 1"), "1");
}

// Earlier runs of the statement and other queries on the connection must not change the number of steps.
TEST_IN(step_limit_is_deterministic, fixture_t, f) {
  error_info_t error = {0};
  char text[128];
  int max_count = 0;
  for (int round = 0; round < 3; ++round) {
    int low = 1, high = 100000;
    while (low < high) {
      int middle = (low + high + 1) / 2;
      snprintf(text, sizeof text, COUNT_TO "%d) SELECT count(*) FROM n", middle);
      if (run_as_script(f, text, 50000, &error))
        low = middle;
      else
        high = middle - 1;
    }
    assert_true(round == 0 || low == max_count);
    max_count = low;
    for (int i = 0; i < 3 * round; ++i) {
      snprintf(text, sizeof text, COUNT_TO "%d) SELECT count(*) FROM n", max_count);
      assert_true(run_as_script(f, text, 50000, &error)); // reuses the prepared statement
    }
  }
  assert_in_range(max_count, 100, 50000);
}

#define MANY(bytes) "printf('%.*c', " #bytes ", 'a')"

// If only SQLite's own steps were counted, each of these statements would take seconds to years, or gigabytes of
// memory.
TEST_IN(expensive_sql_statements_are_stopped, fixture_t, f) {
  static const char *const texts[] = {
      "SELECT instr(" MANY(16000000) ", " MANY(8000000) " || 'b')",
      "SELECT replace(replace(replace(" MANY(200000) ", 'a', 'aaaa'), 'a', 'aaaa'), 'a', 'aaaa')",
      "SELECT " MANY(250000) " LIKE '%' || " MANY(900) " || 'b'",
      "SELECT " MANY(250000) " GLOB '*' || " MANY(900) " || 'b'",
      "SELECT " MANY(250000) " LIKE " MANY(2000),
      "SELECT trim(" MANY(250000) ", " MANY(250000) ")",
      "SELECT zeroblob(1000000000)",
      "SELECT hex(zeroblob(200000))",
      "SELECT quote(" MANY(250000) " || " MANY(250000) ")",
      "SELECT json_patch('{}', '{}')",
      "SELECT count(*) FROM (SELECT 1 FROM json_each('[' || replace(" MANY(
          100000) ", 'a', '1,') || '1]') a, "
                  "json_each('[' || replace(" MANY(100000) ", 'a', '1,') || '1]') b)",
      COUNT_TO "-1) SELECT i FROM n",
      COUNT_TO "-1) SELECT " MANY(100000) " FROM n",
      COUNT_TO "-1) SELECT group_concat(i) FROM n",
      COUNT_TO "-1) SELECT i FROM n ORDER BY -i",
      "WITH RECURSIVE n(i, t) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, t || t FROM n) SELECT max(t) FROM n",
      "WITH RECURSIVE n(i, t) AS (SELECT 1, " MANY(
          200000) " UNION ALL SELECT i + 1, t FROM n) SELECT i FROM n ORDER BY t || i",
      "WITH a(x) AS (SELECT 1), b AS (SELECT a.x FROM a, a y), c AS (SELECT b.x FROM b, b y), d AS (SELECT c.x FROM c, "
      "c y), "
      "e AS (SELECT d.x FROM d, d y), f AS (SELECT e.x FROM e, e y), g AS (SELECT f.x FROM f, f y), "
      "h AS (SELECT g.x FROM g, g y), i AS (SELECT h.x FROM h, h y), j AS (SELECT i.x FROM i, i y), "
      "k AS (SELECT j.x FROM j, j y), l AS (SELECT k.x FROM k, k y), m AS (SELECT l.x FROM l, l y), "
      "n AS (SELECT m.x FROM m, m y), o AS (SELECT n.x FROM n, n y), p AS (SELECT o.x FROM o, o y), "
      "q AS (SELECT p.x FROM p, p y), r AS (SELECT q.x FROM q, q y), s AS (SELECT r.x FROM r, r y), "
      "t AS (SELECT s.x FROM s, s y), u AS (SELECT t.x FROM t, t y) SELECT count(x) FROM u",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    error_info_t error = {0};
    if (run_as_script(f, texts[i], 300000, &error))
      fail_msg("%s was not stopped", texts[i]);
    assert_true(error.text[0]);
  }
  assert_string_equal(select_line(f, "SELECT 1"), "1");
}

// Builds a text: `begin`, `n` times `part` separated by `between`, `end`. %u in `part` is replaced by the index.
static char *repeat_text(const char *begin, const char *part, uint32_t n, const char *between, const char *end) {
  size_t bytes = strlen(begin) + n * (strlen(part) + strlen(between) + 10) + strlen(end) + 1, used = 0;
  char *text = malloc(bytes);
  used = (size_t)snprintf(text, bytes, "%s", begin);
  for (uint32_t i = 0; i < n; ++i) {
    used += (size_t)snprintf(text + used, bytes - used, "%s", i ? between : "");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    used += (size_t)snprintf(text + used, bytes - used, part, i);
#pragma GCC diagnostic pop
  }
  snprintf(text + used, bytes - used, "%s", end);
  return text;
}

static double spent_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// SQLite checks for an interrupt only at jumps: not while parsing, in code without loops, or while sorting. Without
// further checks, each of these statements takes from half a second to many seconds.
TEST_IN(sql_stops_within_200_ms_of_its_time_budget, fixture_t, f) {
  static const struct {
    const char *begin, *part;
    uint32_t n;
    const char *between, *end;
  } texts[] = {
      {"SELECT ", "sum(hp) OVER (ORDER BY hp + %u)", 1900, ", ", " FROM health"},
      {"SELECT ", "sum(hp) OVER (ORDER BY hp + %u)", 450, ", ", " FROM health"},
      {"SELECT CASE 1 ", "WHEN ~%u THEN 1", 14000, " ", " END"},
      {"SELECT CASE 1 ", "WHEN ~%u THEN 1", 3700, " ", " END"},
      {"SELECT 1 IN (", ":p%u", 32000, ",", ")"},
      {"SELECT ", "json_valid(x || %u)", 400, " + ",
       " FROM (SELECT '[' || replace(" MANY(120000) ", 'a', '1,') || '1]' AS x)"},
      {"SELECT ", "x /* %u */", 900, " + ", " FROM (SELECT " MANY(250000) " AS x)"},
      {COUNT_TO "60000) SELECT count(*) FROM (SELECT 1 FROM n GROUP BY " MANY(1000) " || i COLLATE NOCASE)", "", 0, "",
       ""},
      {COUNT_TO "3000000) SELECT count(*) FROM (SELECT 1 FROM n GROUP BY (i * 7919) % 1000003)", "", 0, "", ""},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    char *text = repeat_text(texts[i].begin, texts[i].part, texts[i].n, texts[i].between, texts[i].end);
    sql_result_t r;
    error_info_t error = {0};
    sql_run_desc_t a = {.text = text, .text_bytes = strlen(text), .allow_writes = true, .budget_ms = 30};
    double began = spent_ms();
    if (sql_run_statement(f->sql, &a, &r, &error))
      sql_result_fini(&r);
    double ms = spent_ms() - began;
    if (ms > 230 * cpu_slowdown())
      fail_msg("%.80s… took %.0f ms: %s", text, ms, error.text);
    free(text);
  }
  assert_string_equal(select_line(f, "SELECT 1"), "1");
}

TEST_IN(value_size_limit_depends_on_the_statement_length, fixture_t, f) {
  assert_string_equal(select_line(f, "SELECT length(" MANY(250000) ")"), "250000");
  assert_rejected(f, "SELECT length(" MANY(300000) ")",
                  "a string or blob is too long (at most 262144 bytes in a statement");
  char *text = repeat_text("SELECT ", "length(x) + %u", 300, " + ", " FROM (SELECT " MANY(250000) " AS x)");
  assert_rejected(f, text, "bytes in a statement of this length");
  free(text);
  text = repeat_text("SELECT ", "length(x) + %u", 300, " + ", " FROM (SELECT " MANY(1000) " AS x)");
  assert_string_equal(select_line(f, text), "344850");
  free(text);
  text = repeat_text("SELECT ", "%u", 20000, " + ", "");
  assert_rejected(f, text, "the statement is too long (at most 64 KB)");
  free(text);
}

TEST_IN(result_columns_and_statement_size_are_limited, fixture_t, f) {
  char *text = repeat_text("SELECT ", "%u", 500, ", ", "");
  assert_non_null(strstr(select_line(f, text), "498,499"));
  free(text);
  text = repeat_text("SELECT ", "%u", 501, ", ", "");
  assert_rejected(f, text, "too many columns in result set");
  free(text);
  text = repeat_text("SELECT 1 ORDER BY ", "1 /* %u */", 501, ", ", "");
  assert_rejected(f, text, "too many terms in ORDER BY clause");
  free(text);
  for (size_t over = 0; over < 2; ++over) { // padded with spaces to the limit, then one byte more
    size_t bytes = SQL_TEXT_BYTES + over;
    text = memset(malloc(bytes + 1), ' ', bytes);
    memcpy(text, "SELECT 7", 8);
    text[bytes] = '\0';
    if (over)
      assert_rejected(f, text, "the statement is too long (at most 64 KB)");
    else
      assert_string_equal(select_line(f, text), "7");
    free(text);
  }
}

// Runs the statements of a text in order. Returns the total number of changes; stores the error in `error`.
static uint64_t run_statements(fixture_t *f, const char *text, error_info_t *error) {
  uint64_t changed = 0;
  error->text[0] = '\0';
  for (size_t left = strlen(text); left > 0; left = strlen(text)) {
    sql_result_t r;
    sql_run_desc_t a = {.text = text, .text_bytes = left, .allow_multiple = true, .allow_writes = true};
    if (!sql_run_statement(f->sql, &a, &r, error))
      return changed;
    changed += r.changed_rows;
    text = r.next_statement + strspn(r.next_statement, " ;");
    sql_result_fini(&r);
  }
  return changed;
}

TEST_IN(sql_text_may_exceed_the_size_limit_of_a_single_statement, fixture_t, f) {
  error_info_t error;
  spawn_with_health(f, 1);
  spawn_with_health(f, 2);
  char *text = repeat_text("", "UPDATE health SET hp = hp + 1 /* a few words more, number %u */;", 2000, "", "");
  assert_true(strlen(text) > SQL_TEXT_BYTES);
  assert_int_equal(run_statements(f, text, &error), 4000);
  assert_string_equal(error.text, "");
  free(text);
  // Truncated to 64 KB, the first statement would delete all entities.
  char *blanks = memset(malloc(SQL_TEXT_BYTES + 1), ' ', SQL_TEXT_BYTES);
  blanks[SQL_TEXT_BYTES] = '\0';
  text = repeat_text("DELETE FROM entities", blanks, 1, "", "WHERE entity < 0; DELETE FROM health");
  assert_int_equal(run_statements(f, text, &error), 0);
  assert_non_null(strstr(error.text, "the statement is too long (at most 64 KB)"));
  assert_string_equal(select_line(f, "SELECT count(*) FROM health"), "2");
  free(blanks);
  free(text);
}

// Scripts must not read addresses and random numbers, which differ in every run.
TEST_IN(sqlite_internals_are_unavailable_to_scripts, fixture_t, f) {
  error_info_t error = {0};
  assert_false(run_as_script(f, "EXPLAIN SELECT * FROM health", 0, &error));
  assert_non_null(strstr(error.text, "SQLite's version"));
  assert_false(run_as_script(f, "SELECT * FROM (SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a, 5 AS a, 6 AS a)", 0, &error));
  assert_non_null(strstr(error.text, "too many columns are named a"));
  assert_true(run_as_script(f, "SELECT * FROM (SELECT 1 AS a, 2 AS a, 3 AS a)", 0, &error));
  assert_true(run_as_script(f, "SELECT 1 AS \"a:60\", 2 AS b", 0, &error));
}

TEST_IN(skipping_dead_entities_counts_as_steps, fixture_t, f) {
  error_info_t error = {0};
  static shoal_entity all[100000];
  for (int i = 0; i < 100000; ++i)
    all[i] = SPAWN(f->w, POSITION);
  for (int i = 0; i < 100000; ++i)
    world_destroy_entity(f->w, all[i]);
  assert_true(run_as_script(f, "SELECT count(*) FROM entities", 10000, &error));
  assert_false(run_as_script(f, COUNT_TO "1000) SELECT count(*) FROM n CROSS JOIN entities", 200000, &error));
  assert_non_null(strstr(error.text, "took more than 200000 steps"));
}

// The messages equal those of SQLite's own functions, so that a query on a save fails in the same way in other
// programs.
TEST_IN(replaced_sql_functions_give_the_results_of_sqlite, fixture_t, f) {
  static const char *const pairs[][2] = {
      {"SELECT instr('haystack', 'st'), instr('äöü', 'ü'), instr(x'0102', x'02'), instr('a', ''), instr('a', 'b')",
       "4,3,2,1,0"},
      {"SELECT replace('aXbX', 'X', '--'), replace('abc', '', 'x'), replace('aaa', 'aa', 'b'), replace('ab', 'ab', '')",
       "a--b--,abc,ba,"},
      {"SELECT 'abc' LIKE 'A%C', 'abc' LIKE 'a_c', 'abc' LIKE 'a', '' LIKE '%', 'äöü' LIKE '_ö_', 'aXbXc' LIKE '%x%c'",
       "1,1,0,1,1,1"},
      {"SELECT 'a%c' LIKE 'a\\%c' ESCAPE '\\', 'abc' LIKE 'a\\%c' ESCAPE '\\', '%' LIKE '%%' ESCAPE '%', 'ab' LIKE "
       "'%%b' ESCAPE '%'",
       "1,0,1,0"},
      {"SELECT 'abc' GLOB 'a[b-c]c', 'abc' GLOB 'a[^b]c', 'a]c' GLOB 'a[]]c', 'abc' GLOB 'A*', 'abc' GLOB '*?c'",
       "1,0,1,0,1"},
      {"SELECT trim('  x '), ltrim('xxyx', 'x'), rtrim('xyyx', 'xy'), trim('äxä', 'ä')", "x,yx,,x"},
      {"SELECT round(2.5), round(-2.5), round(2.675, 2), round(1e300, 2) = 1e300, round('x')", "3,-3,2.67,1,0"},
      {"SELECT printf('%d %5s %-4s| %05.2f %x %q %c%% %e', 12, 'ab', 'cd', 3.14159, 255, 'it''s', 'zz', 1.5)",
       "12    ab cd  | 03.14 ff it''s z% 1.500000e+00"},
      {"SELECT printf('%*d|%-*d|%.3s|%.3c|%s', 5, 42, 5, 42, 'abcdef', 'x', NULL)", "   42|42   |abc|xxx|"},
      {"SELECT printf('%!.5f %,d %s', 1.5, 1234567, 0.5), format('%g', 1e10)", "1.50000 1,234,567 0.5,1e+10"},
      {"SELECT NULL LIKE 'a', instr(NULL, 'a'), replace('a', NULL, 'b'), round(NULL), trim(NULL)",
       "NULL,NULL,NULL,NULL,NULL"},
      {"SELECT sin(0), cos(0), pow(2, 10), exp(0), ln(1), log(100), log(2, 8), log2(8), sqrt(9), atan2(0, 1)",
       "0,1,1024,1,0,2,3,3,3,0"},
      {"SELECT ln(0), log(-1), sin('x'), pow(NULL, 2), asin(2)", "NULL,NULL,NULL,NULL,NULL"},
      {"SELECT count(*), sum(value) FROM json_each('[1,2,3]')", "3,6"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    assert_string_equal(select_line(f, pairs[i][0]), pairs[i][1]);
}

TEST_IN(measured_columns_are_available_only_to_users, fixture_t, f) {
  error_info_t error = {0};
  assert_true(run_as_script(f, "SELECT name, phase FROM systems", 0, &error));
  static const char *const columns[] = {"runs", "cost_us", "median_us", "max(Cost_US)", "together", "apart", "parts"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i) {
    char text[64];
    snprintf(text, sizeof text, "SELECT %s FROM systems", columns[i]);
    assert_rejected_as(f, text, i % 2, "cannot read measured columns");
  }
  assert_true(run_as_script(f, "SELECT * FROM systems", 0, &error)); // `*` returns NULL for measured columns
  const char *text = "SELECT cost_us FROM systems";
  sql_run_desc_t a = {.text = text, .text_bytes = strlen(text), .allow_measured = true};
  sql_result_t r;
  assert_true(sql_run_statement(f->sql, &a, &r, &error));
  sql_result_fini(&r);
}

TEST_IN(sql_parameters_are_bound_to_values, fixture_t, f) {
  shoal_entity e = spawn_with_health(f, 5);
  sql_result_t r;
  error_info_t error = {0};
  const char *text = "SELECT ?, ?, ?, hp FROM health WHERE entity = ?";
  sql_value_t values[] = {{.kind = SQL_TEXT, .text = "a;'b", .bytes = 4},
                          {.kind = SQL_REAL, .real = 0.5},
                          {.kind = SQL_NULL},
                          {.kind = SQL_ENTITY, .integer = e}};
  sql_run_desc_t a = {.text = text, .text_bytes = strlen(text), .parameters = values, .parameter_count = 4};
  if (!sql_run_statement(f->sql, &a, &r, &error))
    fail_msg("%s", error.text);
  assert_int_equal(r.row_count, 1);
  assert_string_equal(r.values[0].text, "a;'b");
  assert_true(r.values[1].real == 0.5);
  assert_int_equal(r.values[2].kind, SQL_NULL);
  assert_int_equal(r.values[3].integer, 5);
  sql_result_fini(&r);
  a.parameter_count = 3;
  assert_false(sql_run_statement(f->sql, &a, &r, &error));
  assert_string_equal(error.text, "the statement has 4 parameters, but 3 values were given");
}

TEST_IN(only_one_statement_is_accepted, fixture_t, f) {
  spawn_with_health(f, 1);
  assert_rejected(f, "DELETE FROM health; SELECT 1", "expected one statement");
  assert_rejected(f, "", "no statement");
  assert_rejected(f, " -- nothing", "no statement");
  assert_string_equal(select_line(f, "SELECT count(*) FROM health;  "), "1");
}

TEST_IN(entity_columns_are_distinguished_from_numbers, fixture_t, f) {
  shoal_entity e = SPAWN(f->w, TRANSFORM, HEALTH);
  set(f->w, e, TRANSFORM, 0, e);
  sql_result_t r = select_rows(f, "SELECT parent AS above, entity AS who, hp, hp + 0 AS entity, parent + 0 AS parent "
                                  "FROM transform JOIN health USING (entity)");
  static const sql_kind_t wanted[] = {SQL_ENTITY, SQL_ENTITY, SQL_INTEGER, SQL_ENTITY, SQL_INTEGER};
  for (int i = 0; i < 5; ++i)
    assert_int_equal(r.values[i].kind, wanted[i]);
  sql_result_fini(&r);
}

TEST_IN(conflicting_sql_names_get_an_underscore, fixture_t, f) {
  static const field_type_t types[] = {FIELD_F32, FIELD_F32, FIELD_ENTITY};
  DECLARE(f->w, "events", SCHEMA_COMPONENT, types, "x", "X", "entity");
  DECLARE(f->w, "Health", SCHEMA_COMPONENT, types, "a");
  DECLARE(f->w, "odd \"name\"", SCHEMA_COMPONENT, types, "se\"lect");
  const shoal_field colour = {.name = "colour", .type = SHOAL_TYPE_vec4, .default_vector = {1, 2, 3, 4}};
  const shoal_component shade = {.name = "shade", .fields = &colour, .field_count = 1};
  world_declare_schema_desc(f->w, &(schema_desc_t){.component = &shade, .origin = "test"}, NULL);
  assert_string_equal(select_line(f, "SELECT name FROM pragma_table_info('events_')"), "entity;x;X_;entity_");
  assert_string_equal(select_line(f, "SELECT count(*) FROM Health_"), "0");
  assert_string_equal(select_line(f, "SELECT count(\"se\"\"lect\") FROM \"odd \"\"name\"\"\""), "0");
  spawn(f->w);
  run_sql(f, "INSERT INTO shade(entity, colour_w) VALUES (1, 0.5)");
  assert_string_equal(select_line(f, "SELECT colour_x, colour_y, colour_z, colour_w FROM shade"), "1,2,3,0.5");
  run_sql(f, "INSERT INTO events_(entity, X_, entity_) VALUES (1, 5, 1)");
  assert_string_equal(select_line(f, "SELECT * FROM events_"), "1,0,5,1");
}

TEST_IN(sql_tables_are_updated_when_components_are_redeclared, fixture_t, f) {
  static const field_type_t types[] = {FIELD_F32, FIELD_F32};
  DECLARE(f->w, "late", SCHEMA_COMPONENT, types, "a");
  assert_string_equal(select_line(f, "SELECT count(a) FROM late"), "0");
  DECLARE(f->w, "late", SCHEMA_COMPONENT, types, "a", "b");
  assert_string_equal(select_line(f, "SELECT count(b) FROM late"), "0");
  DECLARE(f->w, "late", SCHEMA_MANY, types, "a");
  assert_string_equal(select_line(f, "SELECT name FROM pragma_table_info('late')"), "entity;instance;a");
}

TEST_IN(live_events_are_rows_of_sql_tables, fixture_t, f) {
  static const field_type_t types[] = {FIELD_ENTITY, FIELD_F32, FIELD_STRING};
  uint32_t bang = DECLARE(f->w, "bang", SCHEMA_EVENT, types, "who", "force", "why");
  uint32_t ticket = world_emit_event(f->w, bang);
  world_set_event_field(f->w, ticket, 1, 2.5);
  world_set_event_field(f->w, ticket, 2, id_of(f->w, "a \"b\""));
  assert_string_equal(select_line(f, "SELECT event, number, age, fields FROM events"),
                      "bang,0,0,{\"who\":0,\"force\":2.5,\"why\":\"a \\\"b\\\"\"}");
  assert_string_equal(select_line(f, "SELECT json_extract(fields, '$.force') FROM events"), "2.5");
  world_end_tick(f->w);
  run_sql(f, "INSERT INTO bang(force) VALUES (3)");
  assert_string_equal(select_line(f, "SELECT number, age FROM events"), "0,1;1,0");
  assert_string_equal(select_line(f, "SELECT force, why FROM bang"), "2.5,a \"b\";3,");
  world_end_tick(f->w);
  assert_string_equal(select_line(f, "SELECT force FROM bang"), "3");
  assert_rejected(f, "DELETE FROM bang", "bang");
}

TEST_IN(nan_is_null_in_sql, fixture_t, f) {
  shoal_entity e = SPAWN(f->w, POSITION);
  set(f->w, e, POSITION, POSITION_X, NAN);
  set(f->w, e, POSITION, POSITION_Y, INFINITY);
  assert_string_equal(select_line(f, "SELECT x, y FROM position"), "NULL,inf");
  run_sql(f, "UPDATE position SET y = 1");
  assert_true(isnan(get(f->w, e, POSITION, POSITION_X)));
}

TEST_IN(hidden_fields_have_no_column_and_read_only_fields_cannot_be_written, fixture_t, f) {
  schema_buffer_t s;
  schema_init(&s, "kept", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "seen", FIELD_F32, 0)->flags = FIELD_READ_ONLY;
  schema_add_field(&s.schema, "inner", FIELD_F32, 0)->flags = FIELD_HIDDEN;
  schema_add_field(&s.schema, "matrix", FIELD_MAT4, 0);
  world_declare_schema(f->w, &s.schema, NULL);
  spawn(f->w);
  run_sql(f, "INSERT INTO kept(entity) VALUES (1)");
  assert_rejected(f, "UPDATE kept SET seen = 1", "kept.seen is read-only");
  assert_rejected(f, "UPDATE kept SET matrix = x'00'", "kept.matrix");
  assert_rejected(f, "SELECT inner FROM kept", "no such column");
  assert_string_equal(select_line(f, "SELECT length(matrix) FROM kept"), "64");
}

static bool try_watch(sql_o *sql, const char *text, error_info_t *error) {
  bool is_valid = sql_check_watch(sql, text, 0, error);
  if (is_valid)
    sql_add_watch(sql, text);
  return is_valid;
}

TEST_IN(sql_watch_fires_once_when_its_query_returns_a_row, fixture_t, f) {
  error_info_t error = {0};
  shoal_entity e = spawn_with_health(f, 5);
  assert_true(try_watch(f->sql, "SELECT * FROM health WHERE hp < 3", &error));
  assert_true(try_watch(f->sql, "SELECT * FROM health WHERE hp < 3", &error));
  assert_null(sql_check_watches(f->sql, 0));
  set(f->w, e, HEALTH, 0, 2);
  assert_string_equal(sql_check_watches(f->sql, 0), "SELECT * FROM health WHERE hp < 3");
  assert_null(sql_check_watches(f->sql, 0));
  assert_false(try_watch(f->sql, "DELETE FROM health", &error));
  assert_false(try_watch(f->sql, "SELECT 1; SELECT 2", &error));
  assert_false(try_watch(f->sql, "SELECT nothing", &error));
}

TEST_IN(queued_watches_count_towards_the_limit, fixture_t, f) {
  error_info_t error = {0};
  assert_true(try_watch(f->sql, "SELECT 1 WHERE 0", &error));
  assert_true(sql_check_watch(f->sql, "SELECT 2 WHERE 0", SQL_MAX_WATCHES - 2, &error));
  assert_false(sql_check_watch(f->sql, "SELECT 2 WHERE 0", SQL_MAX_WATCHES - 1, &error));
  assert_non_null(strstr(error.text, "too many watched queries (at most 64)"));
  assert_true(sql_check_watch(f->sql, "SELECT 1 WHERE 0", SQL_MAX_WATCHES, &error)); // already watched
}

TEST_IN(watches_can_be_moved_to_a_different_connection, fixture_t, f) {
  shoal_entity e = spawn_with_health(f, 5);
  sql_o *next = sql_create(&(sql_desc_t){.world = f->w});
  assert_true(try_watch(f->sql, "SELECT * FROM health WHERE hp < 3", NULL));
  assert_true(try_watch(f->sql, "SELECT * FROM health WHERE hp < 2", NULL));
  sql_move_watches(next, f->sql);
  set(f->w, e, HEALTH, 0, 1);
  assert_null(sql_check_watches(f->sql, 0));
  assert_string_equal(sql_check_watches(next, 0), "SELECT * FROM health WHERE hp < 3");
  assert_string_equal(sql_check_watches(next, 0), "SELECT * FROM health WHERE hp < 2");
  assert_null(sql_check_watches(next, 0));
  sql_destroy(next);
}

TEST_IN(watches_share_a_time_budget, fixture_t, f) {
  error_info_t error = {0};
  char text[200];
  for (int i = 0; i < 64; ++i) {
    snprintf(text, sizeof text, "WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n LIMIT 20000) %s", i,
             "SELECT 1 FROM n WHERE i < 0");
    assert_true(try_watch(f->sql, text, &error));
  }
  assert_false(try_watch(f->sql, "SELECT 1 WHERE 0", &error));
  assert_non_null(strstr(error.text, "too many watched queries (at most 64)"));
  double began = spent_ms();
  assert_null(sql_check_watches(f->sql, 20));
  double ms = spent_ms() - began;
  if (ms > 200 * cpu_slowdown())
    fail_msg("the watches took %.0f ms", ms);
  // sql_check_watches has removed some watches, so another one can be added
  assert_true(try_watch(f->sql, "SELECT 1 WHERE 0", &error));
}

TEST_IN(watch_is_dropped_when_its_table_changes, fixture_t, f) {
  static const field_type_t types[] = {FIELD_F32};
  DECLARE(f->w, "late", SCHEMA_COMPONENT, types, "a");
  assert_true(try_watch(f->sql, "SELECT a FROM late", NULL));
  DECLARE(f->w, "late", SCHEMA_COMPONENT, types, "b");
  assert_null(sql_check_watches(f->sql, 0));
  spawn(f->w);
  DECLARE(f->w, "late", SCHEMA_COMPONENT, types, "a");
  run_sql(f, "INSERT INTO late(entity) VALUES (1)");
  assert_null(sql_check_watches(f->sql, 0));
}

TEST_IN(every_world_has_its_own_tables, fixture_t, f) {
  fixture_t other = {.w = make_world()};
  other.sql = sql_create(&(sql_desc_t){.world = other.w});
  spawn_with_health(f, 1);
  spawn_with_health(&other, 2);
  spawn_with_health(&other, 3);
  assert_string_equal(select_line(f, "SELECT hp FROM health"), "1");
  assert_string_equal(select_line(&other, "SELECT hp FROM health"), "2;3");
  sql_destroy(other.sql);
  world_destroy(other.w);
}

TEST_IN(many_different_sql_queries_can_be_repeated, fixture_t, f) {
  spawn_with_health(f, 1);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 20; ++i) {
      char text[64], wanted[16];
      snprintf(text, sizeof text, "SELECT hp + %d FROM health", i);
      snprintf(wanted, sizeof wanted, "%d", i + 1);
      assert_string_equal(select_line(f, text), wanted);
    }
}

// With one row of health and many positions, a planner that uses statistics would swap the join order.
TEST_IN(sql_query_plan_does_not_depend_on_the_number_of_rows, fixture_t, f) {
  const char *text = "SELECT EXISTS (SELECT 1), h.entity FROM position p, health h WHERE p.x = h.hp";
  char plans[2][512];
  for (int round = 0; round < 2; ++round) {
    sql_result_t r;
    error_info_t error;
    char question[256];
    snprintf(question, sizeof question, "EXPLAIN QUERY PLAN %s", text);
    assert_true(try_select(f, question, false, &r, &error));
    plans[round][0] = '\0';
    for (uint32_t i = 0; i < r.row_count; ++i)
      strcat(plans[round], r.values[i * r.column_count + 3].text);
    sql_result_fini(&r);
    for (int i = 0; i < 300; ++i)
      SPAWN(f->w, POSITION);
    spawn_with_health(f, 1);
    sql_destroy(f->sql);
    f->sql = sql_create(&(sql_desc_t){.world = f->w});
  }
  assert_string_equal(plans[0], plans[1]);
}

TEST_IN(sql_queries_do_not_change_the_world, fixture_t, f) {
  for (int i = 0; i < 20; ++i)
    spawn_with_health(f, i);
  uint64_t before = world_hash(f->w);
  select_line(f, "SELECT * FROM health JOIN entities USING (entity) WHERE name IS NULL OR name = 'new words'");
  select_line(f, "SELECT count(*) FROM entity_components, components, assemblages, events, systems");
  assert_int_equal(world_hash(f->w), before);
}

TEST_IN(sql_result_is_printed_in_aligned_columns, fixture_t, f) {
  text_stream_t stream;
  spawn_with_health(f, 5);
  spawn_with_health(f, 125);
  sql_result_t r = select_rows(f, "SELECT hp AS points, 'a' || entity AS name FROM health");
  sql_print_result(&r, text_stream_open(&stream));
  char *text = text_stream_close(&stream);
  sql_result_fini(&r);
  assert_string_equal(text, "points  name\n------  ----\n     5  a1\n   125  a2\n");
  free(text);
}
