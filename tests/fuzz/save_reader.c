// Fuzzer for saves: damaged files, and edited tables with valid checksums.
static const char *const reader_words[] = {"rock", "tank", "SHOALSNP", "CREATE TABLE", "DROP TABLE things; --", 0};
#include "reader.h"

#include "base/files.h"
#include "store/save.h"
#include "store/save_internal.h"

#include <unistd.h>

static reader_world_t *r;
static char path[] = "/tmp/shoal_reader_XXXXXX";

static void reader_setup(void) {
  size_t size = 0;
  error_info_t error = {0};
  r = reader_world(6);
  close(mkstemp(path));
  unknown_components_o *kept = unknown_components_create();
  unknown_components_add_migration(kept, "0001.lua");
  if (!save_write(r->world, "fuzz", path, kept, &error))
    reader_fail("%s", error.text);
  unknown_components_destroy(kept);
  char *bytes = file_read(&r->memory, path, &size, &error);
  reader_seed(bytes, size);
  file_free(&r->memory, bytes, size);
}

// Opens the input as a save file, applies its edits, runs queries that join its schema with fixed tables, and writes
// once. Returns false if the file is rejected.
static bool read_tables(world_o *w) {
  error_info_t error = {0};
  sql_result_t result;
  char text[256];
  save_file_o *f =
      save_file_open(&(save_file_desc_t){.path = path, .world = w, .writable = true, .accepts_edits = true}, &error);
  if (!f)
    return false;
  for (int i = 0; i < 12; ++i) {
    snprintf(text, sizeof text,
             "SELECT * FROM (SELECT name FROM sqlite_schema LIMIT 1 OFFSET %d), things, entity_components LIMIT 50", i);
    sql_run_desc_t ask = {
        .text = i < 11 ? text : "UPDATE things SET a = a + 1", .allow_writes = i == 11, .max_steps = 5000000};
    ask.text_bytes = strlen(ask.text);
    if (save_file_sql(f, &ask, &result, &error))
      sql_result_fini(&result);
  }
  save_file_close(f, &error);
  return true;
}

// Loads the save as the game does, including the merge of its assemblages.
static bool load_save(const uint8_t *data, size_t size, unknown_components_o *kept) {
  error_info_t error = {0};
  assemblage_merge_counts_t counts = {0};
  saved_assemblages_o *old = NULL;
  save_bytes_t save = {.name = path, .bytes = data, .size = size, .assemblages = &old};
  if (!save_read_bytes(r->world, "fuzz", &save, kept, &error))
    return false;
  if (!saved_assemblages_merge(old, path, &counts, &error))
    reader_fail("%s", error.text);
  saved_assemblages_destroy(old);
  return true;
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  if (!file_write(path, data, size, &error))
    reader_fail("%s", error.text);
  unknown_components_o *kept = unknown_components_create();
  bool taken = load_save(data, size, kept);
  if (taken)
    reader_check_runs(r);
  else
    reader_check_unchanged(r);
  unknown_components_destroy(kept);
  world_o *w = world_create(&(world_desc_t){.seed = 1});
  taken |= read_tables(w);
  world_destroy(w);
  return taken;
}

// --- changes inside a valid database

static bool execute_sql(sqlite3 *db, const char *text) {
  return sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
}

// Changes bytes of the snapshot in the file.
static void change_state(sqlite3 *db) {
  sqlite3_stmt *statement = NULL;
  uint8_t *data = malloc(READER_MAX_BYTES);
  size_t size = 0;
  if (sqlite3_prepare_v2(db, "SELECT data FROM state", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    size = (size_t)sqlite3_column_bytes(statement, 0);
    memcpy(data, sqlite3_column_blob(statement, 0), size);
  }
  sqlite3_finalize(statement);
  for (uint32_t k = 1 + reader_random_below(4); k > 0 && size > 0; --k)
    size = reader_mutate_once(data, size);
  uint64_t said = size;
  if (size >= SNAPSHOT_SIZE_OFFSET + sizeof said && reader_random_below(8))
    memcpy(data + SNAPSHOT_SIZE_OFFSET, &said, sizeof said);
  if (sqlite3_prepare_v2(db, "UPDATE state SET data = ?", -1, &statement, NULL) == SQLITE_OK) {
    sqlite3_bind_blob(statement, 1, data, (int)size, SQLITE_TRANSIENT);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  free(data);
}

static void change_tables(sqlite3 *db) {
  static const char *const statements[] = {
      "UPDATE things SET a = 1e300",
      "UPDATE things SET text = x'00ff'",
      "UPDATE things SET target = 99999999999",
      "UPDATE things SET mood = 'odd'",
      "UPDATE things SET small = 1000",
      "UPDATE transform SET parent = entity",
      "UPDATE transform SET x = 'text'",
      "UPDATE transform SET x = 12",
      "UPDATE entities SET name = 'another'",
      "UPDATE entities SET state = 'asleep'",
      "UPDATE entities SET generation = 77",
      "UPDATE entities SET assemblage = 'rock'",
      "DELETE FROM entities",
      "DELETE FROM things WHERE a = 0",
      "DELETE FROM score",
      "DELETE FROM meta",
      "DELETE FROM checksums WHERE name = 'things'",
      "DROP TABLE things",
      "DROP TABLE state",
      "ALTER TABLE things ADD COLUMN more",
      "ALTER TABLE things RENAME TO \"thing's; DROP TABLE gun\"",
      "CREATE TABLE \"old'things\" (component_data_id INTEGER PRIMARY KEY, entity)",
      "CREATE TRIGGER t AFTER INSERT ON things BEGIN DELETE FROM gun; END",
      "CREATE VIEW v AS SELECT * FROM things",
      "INSERT INTO things(entity, a) VALUES (4000000, 1)",
      "INSERT INTO gun(entity, instance, a) SELECT entity, 'x', 1 FROM things",
      "INSERT INTO entities SELECT entity + 1, \"index\" + 1, 0, 'x', 'rock', '' FROM entities",
      "UPDATE meta SET value = x'ff' WHERE key = 'migrations'",
      "UPDATE meta SET value = 2e9 WHERE key = 'tick'",
      "UPDATE checksums SET name = name || x'00'",
      "DELETE FROM checksums WHERE name = 'assemblage_children'",
      "DELETE FROM assemblage_defaults WHERE rowid % 3 = 0",
      "UPDATE assemblage_defaults SET value = x'ff00' WHERE rowid % 2",
      "UPDATE assemblage_defaults SET value = -9e99, state = 'x'",
      "UPDATE assemblage_defaults SET assemblage = NULL, instance = component",
      "INSERT INTO assemblage_defaults SELECT assemblage, 'y', component, 'z', field, 1e300 FROM assemblage_defaults",
      "INSERT INTO assemblage_children SELECT assemblage, 'c', assemblage FROM assemblage_defaults",
      "UPDATE fields SET value = -9e99",
      "UPDATE fields SET value = x'ff00', name = 'gun' WHERE rowid % 2",
      "UPDATE fields SET property = 'min'",
      "INSERT INTO fields SELECT 'component', name, 'a', 'flags', 4294967295 FROM components",
      "INSERT INTO fields SELECT 'component', name, NULL, 'requires', name FROM components",
      "INSERT INTO fields SELECT 'component', name, 'a', 'default', 1e300 FROM components",
  };
  for (uint32_t k = 1 + reader_random_below(3); k > 0; --k)
    execute_sql(db, statements[reader_random_below((uint32_t)(sizeof statements / sizeof *statements))]);
}

static void repair_checksums(sqlite3 *db) {
  allocator_t memory = {0};
  save_tables_t tables = {0};
  if (save_read_checksums(db, "main", &memory, &tables, NULL))
    for (uint32_t i = 0; i < tables.count; ++i) {
      const save_table_t *t = &tables.items[i];
      if (t->actual != t->saved && reader_random_below(2))
        save_execute_statement(db, NULL, "UPDATE checksums SET saved = '%016llx' WHERE name = %Q",
                               (unsigned long long)t->actual, t->name.text);
    }
  array_free(&memory, &tables);
}

// A mutated file is rarely a valid database, so it is usually replaced by the seed with changed content.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  sqlite3 *db = NULL;
  if (reader_random_below(4) == 0)
    return size;
  sqlite3_int64 bytes = (sqlite3_int64)reader_seeds[0].size;
  uint8_t *copy = sqlite3_malloc64((sqlite3_uint64)bytes);
  memcpy(copy, reader_seeds[0].bytes, (size_t)bytes);
  sqlite3_open(":memory:", &db);
  sqlite3_deserialize(db, "main", copy, bytes, bytes, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  if (reader_random_below(2))
    change_state(db);
  else
    change_tables(db);
  if (reader_random_below(8))
    repair_checksums(db);
  unsigned char *out = sqlite3_serialize(db, "main", &bytes, 0);
  if (out && (size_t)bytes <= room) {
    size = (size_t)bytes;
    memcpy(data, out, size);
  }
  sqlite3_free(out);
  sqlite3_close(db);
  return size;
}

static void reader_teardown(void) {
  unlink(path);
  reader_world_free(r);
}
