// Writes a world as a database (its tables, state and checksums), and restores a world from such a database.
#include "store/save.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "ecs/ranges.h"
#include "base/exact_math.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "migrate/state_migrate.h"
#include "process/signals.h"
#include "snapshot/state.h"
#include "store/save_addons.h"
#include "store/save_internal.h"
#include "store/state_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_PACKED_BYTES ((size_t)256 * 1024) // minimum size of a state that is stored as runs

// --- checksums

typedef struct hasher_t {
  uint64_t hash;
  size_t length;
  unsigned char bytes[4096];
} hasher_t;

static void hasher_flush(hasher_t *h) {
  h->hash = hash_bytes(h->bytes, h->length, h->hash);
  h->length = 0;
}

static void hasher_append(hasher_t *h, const void *bytes, size_t count) {
  if (h->length + count > sizeof h->bytes)
    hasher_flush(h);
  if (count > sizeof h->bytes) {
    h->hash = hash_bytes(bytes, count, h->hash);
    return;
  }
  if (count > 0)
    memcpy(h->bytes + h->length, bytes, count);
  h->length += count;
}

static void hash_value(hasher_t *h, sqlite3_stmt *statement, int i) {
  unsigned char type = (unsigned char)sqlite3_column_type(statement, i);
  hasher_append(h, &type, 1);
  if (type == SQLITE_INTEGER) {
    int64_t value = sqlite3_column_int64(statement, i);
    hasher_append(h, &value, sizeof value);
  } else if (type == SQLITE_FLOAT) {
    double value = sqlite3_column_double(statement, i);
    hasher_append(h, &value, sizeof value);
  } else if (type != SQLITE_NULL) {
    const void *bytes = type == SQLITE_TEXT ? sqlite3_column_text(statement, i) : sqlite3_column_blob(statement, i);
    int32_t count = sqlite3_column_bytes(statement, i);
    hasher_append(h, &count, sizeof count);
    hasher_append(h, bytes, (size_t)count);
  }
}

bool save_compute_checksum(sqlite3 *db, const char *schema, const char *table, uint64_t *out, error_info_t *error) {
  shoal_assert(schema && table && out, "schema, table and out must not be NULL");
  // Excludes views, which have no column metadata, and SQLite's own tables, which are not part of a save.
  if (sqlite3_strnicmp(table, "sqlite_", 7) == 0 ||
      sqlite3_table_column_metadata(db, schema, table, NULL, NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
    return error_set(error, "table %s is missing", table);
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement, "SELECT * FROM \"%w\".\"%w\"", schema, table);
  hasher_t h = {.hash = 0};
  int columns = statement ? sqlite3_column_count(statement) : 0;
  for (int i = 0; i < columns; ++i) {
    const char *name = sqlite3_column_name(statement, i);
    hasher_append(&h, name, name ? strlen(name) + 1 : 0);
  }
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    for (int i = 0; i < columns && code == SQLITE_ROW; ++i)
      hash_value(&h, statement, i);
  }
  hasher_flush(&h);
  *out = h.hash;
  bool ok = code == SQLITE_DONE || error_set(error, "%s: %s", table, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

static uint64_t parse_hash(const unsigned char *text) {
  return text ? strtoull((const char *)text, NULL, 16) : 0;
}

static int compare_names(const void *a, const void *b) {
  return sqlite3_stricmp(((const save_table_t *)a)->name.text, ((const save_table_t *)b)->name.text);
}

// Returns true if no table is listed twice, otherwise false with an error. The check is necessary because a checksum
// takes time in proportion to the table's size, so a list that repeats a large table could take any amount of time.
static bool check_names_are_unique(const save_tables_t *tables, error_info_t *error) {
  allocator_t memory = {0};
  size_t bytes = tables->count * sizeof *tables->items;
  save_table_t *sorted = alloc_resize(&memory, NULL, 0, bytes);
  bool ok = true;
  if (bytes > 0) {
    memcpy(sorted, tables->items, bytes);
    qsort(sorted, tables->count, sizeof *sorted, compare_names);
  }
  for (uint32_t i = 1; i < tables->count && ok; ++i)
    ok = compare_names(&sorted[i - 1], &sorted[i]) != 0 ||
         error_set(error, "the checksums list table %s twice", sorted[i].name.text);
  alloc_resize(&memory, sorted, bytes, 0);
  return ok;
}

bool save_read_checksums(sqlite3 *db, const char *schema, allocator_t *a, save_tables_t *out, error_info_t *error) {
  enum { MAX = 100000 };
  shoal_assert(out->count == 0, "the list of checksums must be empty, but has %u", out->count);
  sqlite3_stmt *statement;
  const char *problem = "";
  int code = save_prepare_statement(db, &statement, "SELECT name, saved FROM \"%w\".checksums", schema);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    const char *name = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    problem = !name                                          ? "a table name is missing"
              : strlen(name) >= sizeof out->items->name.text ? "a table name is too long"
              : out->count >= MAX                            ? "too many tables"
                                                             : "";
    if (problem[0])
      break;
    save_table_t table = {.saved = parse_hash(sqlite3_column_text(statement, 1))};
    memcpy(table.name.text, name, strlen(name) + 1);
    array_push(a, out, table);
  }
  bool ok = code == SQLITE_DONE ||
            error_set(error, "cannot read the checksums: %s", code == SQLITE_ROW ? problem : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  ok = ok && check_names_are_unique(out, error);
  for (uint32_t i = 0; ok && i < out->count; ++i)
    ok = save_compute_checksum(db, schema, out->items[i].name.text, &out->items[i].actual, error);
  return ok;
}

// --- files

bool save_write_database(sqlite3 *db, const char *schema, const char *path, error_info_t *error) {
  sqlite3_int64 size = 0;
  unsigned char *bytes = sqlite3_serialize(db, schema, &size, SQLITE_SERIALIZE_NOCOPY);
  bool copied = !bytes;
  if (copied)
    bytes = sqlite3_serialize(db, schema, &size, 0);
  bool ok = bytes ? file_write(path, bytes, (size_t)size, error) : error_set(error, "%s: out of memory", path);
  if (copied)
    sqlite3_free(bytes);
  return ok;
}

static const char MAGIC[16] = "SQLite format 3";

// Copies the file in chunks, so that copying a large file (such as 250 MB) can be interrupted. Returns true on success,
// or false if the program was interrupted between two chunks.
static bool copy_in_chunks(unsigned char *target, const save_bytes_t *save) {
  enum { CHUNK_BYTES = 4 << 20 };
  for (size_t offset = 0; offset < save->size; offset += CHUNK_BYTES) {
    size_t remaining = save->size - offset;
    if (offset > 0 && interrupt_is_pending())
      return false;
    memcpy(target + offset, (const char *)save->bytes + offset, remaining < CHUNK_BYTES ? remaining : CHUNK_BYTES);
  }
  return true;
}

// Copies the file's bytes to memory allocated by SQLite (use sqlite3_free). Returns the copy, or NULL with an error if
// the bytes are not an SQLite file, if memory is insufficient, or if copying was interrupted.
static unsigned char *copy_bytes(const save_bytes_t *save, error_info_t *error) {
  unsigned char *bytes = NULL;
  if (save->size < 100 || memcmp(save->bytes, MAGIC, sizeof MAGIC) != 0) {
    error_set(error, "%s is not a save, because it is not an SQLite file", save->name);
  } else if (!(bytes = sqlite3_malloc64(save->size))) {
    error_set(error, "%s: out of memory", save->name);
  } else if (!copy_in_chunks(bytes, save)) {
    error_set(error, "%s: reading was interrupted", save->name);
    sqlite3_free(bytes);
    return NULL;
  }
  // Sets both versions of the file format to 1 (no write-ahead log), because an in-memory database has no such log.
  if (bytes)
    bytes[18] = bytes[19] = 1;
  return bytes;
}

static bool check_integrity(sqlite3 *db, const char *schema, const char *path, error_info_t *error) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement, "PRAGMA \"%w\".quick_check(1)", schema);
  code = code == SQLITE_OK ? sqlite3_step(statement) : code;
  const char *result = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : sqlite3_errmsg(db);
  bool ok = (result && strcmp(result, "ok") == 0) || error_set(error, "%s is damaged: %s", path, result ? result : "?");
  sqlite3_finalize(statement);
  return ok;
}

// --- plain tables

// Returns the position after the quoted name that starts at `cursor`, or the end of the text if the name is not
// terminated.
static const char *skip_quoted(const char *cursor) {
  char quote = *cursor == '[' ? ']' : *cursor;
  for (++cursor; *cursor; ++cursor)
    if (*cursor == quote && cursor[1] == quote && quote != ']')
      ++cursor;
    else if (*cursor == quote)
      return cursor + 1;
  return cursor;
}

// Returns true if a CREATE TABLE statement has neither comments nor nested parentheses. Nested parentheses may belong
// to CHECK constraints, default expressions or generated columns, which SQLite may evaluate when the table is used.
static bool has_plain_columns(const char *sql) {
  int depth = 0;
  for (const char *cursor = sql; *cursor;) {
    if (strchr("\"'`[", *cursor)) {
      cursor = skip_quoted(cursor);
      continue;
    }
    if ((cursor[0] == '-' && cursor[1] == '-') || (cursor[0] == '/' && cursor[1] == '*'))
      return false;
    if (*cursor == '(' && ++depth > 1)
      return false;
    depth -= *cursor == ')';
    ++cursor;
  }
  return true;
}

static bool starts_with(const char *text, const char *prefix) {
  return sqlite3_strnicmp(text, prefix, (int)strlen(prefix)) == 0;
}

// Returns true if an entry of the file's schema is a table with plain columns, the index of a primary key, or the view
// entity_components, which loading never reads.
static bool is_plain_entry(const char *type, const char *name, int64_t page, const char *sql) {
  if (strcmp(type, "view") == 0)
    return strcmp(name, "entity_components") == 0;
  if (strcmp(type, "index") == 0)
    return !sql[0] && starts_with(name, "sqlite_autoindex_"); // index of a primary key
  return strcmp(type, "table") == 0 && page > 0 && starts_with(sql, "CREATE TABLE ") && has_plain_columns(sql);
}

static const char *column_text(sqlite3_stmt *statement, int i) {
  const char *text = (const char *)sqlite3_column_text(statement, i);
  return text ? text : "";
}

// Rejects views, virtual tables, triggers, indices and computed columns, which could execute expressions chosen by the
// file's author when a table is read. Allows the view entity_components and indices of primary keys. Call before
// reading anything else. Returns true if all entries are plain, otherwise false with an error.
static bool check_plain_schema(sqlite3 *db, const char *schema, const char *path, error_info_t *error) {
  sqlite3_stmt *statement;
  int code =
      save_prepare_statement(db, &statement, "SELECT type, name, rootpage, sql FROM \"%w\".sqlite_schema", schema);
  bool ok = true;
  while (ok && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *type = column_text(statement, 0), *name = column_text(statement, 1);
    if (!is_plain_entry(type, name, sqlite3_column_int64(statement, 2), column_text(statement, 3)))
      ok = error_set(error, "%s is not a save: it contains the %.20s “%.100s”, but saves contain only plain tables",
                     path, type[0] ? type : "object", name);
  }
  if (ok && code != SQLITE_DONE)
    ok = error_set(error, "%s is damaged: %s", path, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

static bool check_header(sqlite3 *db, const char *schema, const char *path, error_info_t *error) {
  int64_t application = 0, format = 0;
  error_info_t reason = {0};
  if (!save_read_number(db, 0, &application, &reason, "PRAGMA \"%w\".application_id", schema) ||
      !save_read_number(db, 0, &format, &reason, "PRAGMA \"%w\".user_version", schema))
    return error_set(error, "%s is damaged: %.900s", path, reason.text);
  if (application != SAVE_APPLICATION)
    return error_set(error, "%s is an SQLite file, but not a Shoal save", path);
  if (format < SAVE_MIN_FORMAT || format > SAVE_FORMAT)
    return error_set(error, "%s has save format %lld, but this version reads format %u to %u", path, (long long)format,
                     SAVE_MIN_FORMAT, SAVE_FORMAT);
  return true;
}

bool save_load_bytes(sqlite3 *db, const char *schema, const save_bytes_t *save, bool writable, error_info_t *error) {
  shoal_assert(save->name, "the save must have a name");
  shoal_assert(save->bytes || save->size == 0, "the bytes of %s must not be NULL", save->name);
  const char *path = save->name;
  unsigned char *bytes = copy_bytes(save, error);
  if (!bytes)
    return false;
  unsigned flags =
      SQLITE_DESERIALIZE_FREEONCLOSE | (writable ? SQLITE_DESERIALIZE_RESIZEABLE : SQLITE_DESERIALIZE_READONLY);
  if (sqlite3_deserialize(db, schema, bytes, (sqlite3_int64)save->size, (sqlite3_int64)save->size, flags) != SQLITE_OK)
    return error_set(error, "%s is damaged: %s", path, sqlite3_errmsg(db)); // the failed call has freed the bytes
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return save_execute_statement(db, error, "PRAGMA cell_size_check = ON") && check_header(db, schema, path, error) &&
         check_plain_schema(db, schema, path, error) && check_integrity(db, schema, path, error);
}

void save_report_stop(const sql_o *s, const save_bytes_t *save, error_info_t *error) {
  if (s->stop_reason == SQL_STOP_TIME)
    error_set(error, "cannot read %s: reading took more than %u ms: raise budget.load in game.lua, or pass --budget",
              save->name, save->budget_ms);
  else if (s->stop_reason != SQL_STOP_NONE)
    error_set(error, "%s: reading was interrupted because the program is exiting", save->name);
}

// --- writing

static bool copy_table(sqlite3 *db, const table_t *t, error_info_t *error) {
  bool is_component = t->kind == TABLE_COMPONENT || t->kind == TABLE_SINGLE;
  char *columns = sql_table_format_columns(t);
  bool ok = save_execute_statement(db, error, "CREATE TABLE save.\"%w\"(%s%s)", t->name.text,
                                   is_component ? "component_data_id INTEGER PRIMARY KEY, " : "", columns);
  sqlite3_free(columns);
  return ok && save_execute_statement(db, error, "INSERT INTO save.\"%w\" SELECT %s* FROM main.\"%w\"", t->name.text,
                                      is_component ? "NULL, " : "", t->name.text);
}

static bool is_saved(const table_t *t) {
  switch (t->kind) {
  case TABLE_EVENT: // events are saved in the table `events`
  case TABLE_ENTITY_COMPONENTS:
  case TABLE_ASSEMBLAGE_VALUES: // values are saved in the table `assemblage_defaults`
  case TABLE_SYSTEMS: return false;
  default: return true;
  }
}

// Creates the mapping from entities to components as a view of the components' tables, so that the view and the tables
// cannot disagree. Returns true on success, or false with an error.
static bool create_entity_components_view(sqlite3 *db, const sql_o *s, error_info_t *error) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < s->tables.count; ++i) {
    const table_t *t = s->tables.items[i];
    if (t->kind != TABLE_COMPONENT)
      continue;
    sqlite3_str_appendf(text,
                        "%sSELECT entity, %Q AS component, %u AS component_id, component_data_id, %s AS instance "
                        "FROM \"%w\"",
                        sqlite3_str_length(text) ? " UNION ALL " : "", sql_table_schema(t)->name, t->id,
                        t->key_count > 1 ? "instance" : "NULL", t->name.text);
  }
  char *select = sqlite3_str_finish(text);
  bool ok = !select || save_execute_statement(db, error, "CREATE VIEW save.entity_components AS %s", select);
  sqlite3_free(select);
  return ok;
}

static bool write_meta(sqlite3 *db, const world_o *w, const char *game, const unknown_components_o *unknown_components,
                       error_info_t *error) {
  return save_execute_statement(db, error, "CREATE TABLE save.meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID") &&
         save_execute_statement(
             db, error, "INSERT INTO save.meta VALUES ('format', %u), ('game', %Q), ('tick', %llu), ('tick_rate', %u)",
             SAVE_MIN_FORMAT, game, (unsigned long long)world_tick(w), world_tick_rate(w)) &&
         save_execute_statement(db, error, "INSERT INTO save.meta VALUES ('migrations', %Q), ('arithmetic', %Q)",
                                unknown_components_migrations(unknown_components),
                                unknown_components_arithmetic(unknown_components)) &&
         save_addons_write(db, unknown_components_addons(unknown_components), error);
}

// Binds the state to the statement's parameter. Returns true if the state is encoded as runs (store/state_runs.h). Only
// large states that shrink to less than half are encoded as runs, because earlier versions of Shoal cannot read runs.
static bool bind_state(sqlite3_stmt *statement, const snapshot_o *snapshot, state_runs_t *runs, allocator_t *a) {
  size_t size = 0;
  const void *bytes = snapshot_bytes(snapshot, &size);
  bool is_encoded = size >= MIN_PACKED_BYTES && state_runs_encode(bytes, size, runs, a) && runs->size < size / 2;
  sqlite3_bind_blob64(statement, 1, is_encoded ? runs->bytes : bytes, is_encoded ? runs->size : size, SQLITE_STATIC);
  return is_encoded;
}

static bool write_state(sqlite3 *db, world_o *w, error_info_t *error) {
  snapshot_o *snapshot = snapshot_create(world_allocator(w));
  sqlite3_stmt *statement = NULL;
  state_runs_t runs = {.bytes = NULL};
  bool is_encoded = false;
  bool ok = snapshot_take(snapshot, w, error) &&
            save_execute_statement(db, error, "CREATE TABLE save.state(name TEXT PRIMARY KEY, data BLOB)");
  if (ok && sqlite3_prepare_v2(db, "INSERT INTO save.state VALUES ('world', ?)", -1, &statement, NULL) == SQLITE_OK) {
    is_encoded = bind_state(statement, snapshot, &runs, world_allocator(w));
    ok = sqlite3_step(statement) == SQLITE_DONE;
  }
  if (statement && !ok)
    error_set(error, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  state_runs_free(&runs, world_allocator(w));
  if (ok && is_encoded)
    ok = save_execute_statement(db, error, "PRAGMA save.user_version = %u", SAVE_FORMAT);
  snapshot_release(snapshot);
  return ok && statement;
}

static bool write_checksum(sqlite3 *db, const char *table, error_info_t *error) {
  uint64_t hash = 0;
  return save_compute_checksum(db, "save", table, &hash, error) &&
         save_execute_statement(db, error, "INSERT INTO save.checksums VALUES (%Q, '%016llx')", table,
                                (unsigned long long)hash);
}

static bool write_all_tables(sql_o *s, sqlite3 *db, const char *game, const unknown_components_o *unknown_components,
                             error_info_t *error) {
  bool ok = save_execute_statement(db, error, "ATTACH ':memory:' AS save") &&
            save_execute_statement(db, error, "ATTACH ':memory:' AS kept") &&
            save_execute_statement(db, error, "PRAGMA save.application_id = %d", SAVE_APPLICATION) &&
            save_execute_statement(db, error, "PRAGMA save.user_version = %u", SAVE_MIN_FORMAT) &&
            save_execute_statement(db, error, "BEGIN") &&
            write_meta(db, s->desc.world, game, unknown_components, error) && write_state(db, s->desc.world, error) &&
            save_execute_statement(db, error, "CREATE TABLE save.checksums(name TEXT PRIMARY KEY, saved TEXT)") &&
            write_checksum(db, "meta", error) && write_checksum(db, "state", error);
  for (uint32_t i = 0; ok && i < s->tables.count; ++i)
    if (is_saved(s->tables.items[i]))
      ok = copy_table(db, s->tables.items[i], error) &&
           (s->tables.items[i]->kind == TABLE_COMPONENTS || write_checksum(db, s->tables.items[i]->name.text, error));
  ok = ok && save_assemblages_write(db, s->desc.world, error) && write_checksum(db, SAVE_DEFAULTS_TABLE, error) &&
       write_checksum(db, SAVE_CHILDREN_TABLE, error) && save_fields_write(db, s->desc.world, error) &&
       write_checksum(db, SAVE_FIELDS_TABLE, error);
  // The checksum of the table `components` is written last, because unknown_components_write adds rows to this table.
  ok = ok && unknown_components_write(unknown_components, s, write_checksum, error) &&
       write_checksum(db, "components", error);
  return ok && create_entity_components_view(db, s, error) && save_execute_statement(db, error, "COMMIT");
}

bool save_write(world_o *w, const char *game, const char *path, const unknown_components_o *unknown_components,
                error_info_t *error) {
  shoal_assert(w && path, "`w` and `path` must not be NULL");
  shoal_assert(!world_is_deferring(w), "%s: cannot save while commands are deferred", path);
  error_info_t reason = {0};
  signals_begin_save();
  sql_o *s = sql_create(&(sql_desc_t){.world = w});
  sqlite3 *db = sql_get_connection(s, false, &reason);
  bool ok = db && write_all_tables(s, db, game, unknown_components, &reason);
  ok = ok ? save_write_database(db, "save", path, error) : error_set(error, "%s: %.900s", path, reason.text);
  sql_destroy(s);
  signals_end_save();
  return ok;
}

// --- reading

static bool check_game(sqlite3 *db, const char *game, const char *path, error_info_t *error) {
  sqlite3_stmt *statement;
  const char *saved = save_read_meta(db, &statement, "game");
  bool ok = saved && strcmp(saved, game) == 0;
  if (!saved)
    error_set(error, "%s is damaged: the name of the game is missing", path);
  else if (!ok)
    error_set(error, "%s is a save of “%.60s”, but this game is “%s”", path, saved, game);
  sqlite3_finalize(statement);
  return ok;
}

// Logs a message if the save was made with a different or unknown version of the arithmetic. The restored world is
// identical, but its later ticks may differ.
static void log_arithmetic_difference(world_o *w, sqlite3 *db, const char *path) {
  sqlite3_stmt *statement;
  const char *saved = save_read_meta(db, &statement, "arithmetic");
  if (saved && strcmp(saved, exact_math_id()) != 0)
    log_info(world_log(w),
             "%s was saved with the math functions %.63s, but this program uses %s: later ticks may differ", path,
             saved, exact_math_id());
  else if (!saved)
    log_info(world_log(w),
             "%s does not record the version of the math functions: later ticks may differ from the original run",
             path);
  sqlite3_finalize(statement);
}

// Returns true for tables whose edits can be applied to a world: entities, components and singletons.
static bool is_editable(sqlite3 *db, const char *table) {
  return strcmp(table, "entities") == 0 || save_has_column(db, "save", table, "component_data_id");
}

static void append_name(char *list, size_t bytes, const char *name) {
  size_t length = strlen(list);
  snprintf(list + length, bytes - length, "%s%s", length ? ", " : "", name);
}

bool save_check_tables(sqlite3 *db, const save_tables_t *tables, const char *path, bool accepts_edits,
                       error_info_t *error) {
  char edited[600] = "", damaged[600] = "";
  for (uint32_t i = 0; i < tables->count; ++i)
    if (save_is_edited(&tables->items[i])) {
      const char *name = tables->items[i].name.text;
      append_name(is_editable(db, name) ? edited : damaged, sizeof edited, name);
    }
  if (!save_is_table_listed(tables, "meta") || !save_is_table_listed(tables, "state") ||
      !save_is_table_listed(tables, "entities"))
    append_name(damaged, sizeof damaged, "checksums");
  if (damaged[0])
    return error_set(error, "%s is damaged: wrong checksums: %s", path, damaged);
  if (edited[0] && !accepts_edits)
    return error_set(error,
                     "%s was edited after it was saved: %s: to apply the edits, run ./shoal sql %s --accept-edits "
                     "--write",
                     path, edited, path);
  return true;
}

// Unpacks the saved world state, which may be encoded as runs, into `out`. Returns true on success, or false if the
// bytes are malformed.
static bool unpack_state(snapshot_o *out, const void *bytes, size_t size) {
  allocator_t memory = {0};
  state_runs_t runs = {.bytes = NULL};
  if (!state_runs_detect(bytes, size)) {
    snapshot_set_bytes(out, bytes, size);
    return true;
  }
  bool ok = state_runs_decode(bytes, size, &runs, &memory);
  if (ok)
    snapshot_set_bytes(out, runs.bytes, runs.size);
  state_runs_free(&runs, &memory);
  return ok;
}

bool save_read_state(sqlite3 *db, snapshot_o *out, const char *path, error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  bool ok =
      sqlite3_prepare_v2(db, "SELECT data FROM save.state WHERE name = 'world'", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_BLOB;
  ok = ok && unpack_state(out, sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0));
  if (!ok)
    error_set(error, "%s is damaged: it contains no world", path);
  sqlite3_finalize(statement);
  return ok;
}

static void log_migrated(void *context, const char *line) {
  log_info(world_log(context), "migrated an older save: %s", line);
}

// A save that is being read.
typedef struct save_reader_t {
  sql_o *sql; // connection to which the save's tables are attached as `save`
  const save_bytes_t *save;
  save_tables_t tables;
  snapshot_o *snapshot, *previous;          // snapshots of the saved world and of the world before the load
  unknown_components_o *unknown_components; // receives the components that the game lacks; may be NULL
  addon_list_t dropped;
} save_reader_t;

static bool apply_tables(const save_reader_t *reader, schema_migrate_report_t *report, error_info_t *error) {
  void *context = NULL;
  schema_migrate_run_t migrate = unknown_components_get_migrate(reader->unknown_components, &context);
  return schema_migrate_run(report, reader->sql->desc.world, migrate, context, error) &&
         unknown_components_restore(reader->sql, &reader->tables, error) &&
         (!reader->unknown_components ||
          (unknown_components_fill(reader->unknown_components, reader->sql, &reader->tables, reader->snapshot,
                                   &reader->dropped, error) &&
           unknown_components_read_migrations(reader->unknown_components, reader->sql->db, error)));
}

// Replaces the world with the saved world, converted to the current declarations. `saved` receives the save's
// assemblages; may be NULL. Returns true on success, or false with an error.
static bool restore_world(const save_reader_t *reader, saved_assemblages_o **saved, schema_migrate_report_t *report,
                          error_info_t *error) {
  world_o *w = reader->sql->desc.world;
  void *context = NULL;
  error_info_t reason = {0};
  bool has_migrate = unknown_components_get_migrate(reader->unknown_components, &context) != NULL;
  schema_migrate_desc_t migrate_desc = {.log_line = log_migrated,
                                        .log_context = w,
                                        .report = has_migrate ? report : NULL,
                                        .keeps_removed = reader->unknown_components != NULL};
  state_view_t *view = state_open(reader->snapshot, world_allocator(w), &reason);
  if (saved)
    *saved = view ? saved_assemblages_create(view, &reason) : NULL;
  bool ok = view && (!saved || *saved);
  if (ok && reader->save->keeps_components)
    state_declare_missing(view, w);
  state_install_desc_t install_desc = {.regroup = true,
                                       .keep_marks = ok && saved && save_has_assemblages(&reader->tables)};
  install_desc.log_line = log_migrated;
  install_desc.log_context = w;
  ok = ok && state_migrate(view, w, &migrate_desc, &reason) && snapshot_take(reader->previous, w, &reason) &&
       state_install(view, w, &install_desc, &reason);
  state_close(view);
  return ok || error_set(error, "%s: %.900s", reader->save->name, reason.text);
}

// Finishes loading a world after its tables have been applied: destroys entities of dropped add-ons, clamps values,
// adds required components, and clears the list of parked code.
static void finish_world(const save_reader_t *reader) {
  world_o *w = reader->sql->desc.world;
  save_addons_destroy_entities(w, &reader->dropped);
  world_clamp_all(w, log_migrated, w); // `migrate` functions may have written columns in place
  world_add_all_required(w);
  parked_pieces_clear(w); // parked code runs again after a load
}

static bool restore_and_apply(const save_reader_t *reader, error_info_t *error) {
  world_o *w = reader->sql->desc.world;
  error_info_t reason = {0};
  schema_migrate_report_t report = {0};
  saved_assemblages_o **saved = reader->save->assemblages;
  bool ok = restore_world(reader, saved, &report, error);
  if (ok && !(apply_tables(reader, &report, &reason) &&
              (!saved || save_assemblages_read(reader->sql->db, w, &reader->tables, *saved, &reason)))) {
    bool is_restored = snapshot_restore(reader->previous, w, NULL);
    shoal_assert(is_restored, "%s: cannot restore the previous world", reader->save->name);
    (void)is_restored;
    ok = error_set(error, "%s: %.900s", reader->save->name, reason.text);
  }
  schema_migrate_report_free(&report);
  if (ok)
    finish_world(reader);
  if (!ok && saved) {
    saved_assemblages_destroy(*saved);
    *saved = NULL;
  }
  return ok;
}

bool save_read(world_o *w, const char *game, const char *path, unknown_components_o *unknown_components,
               error_info_t *error) {
  allocator_t memory = {0};
  size_t size = 0;
  char *bytes = file_read(&memory, path, &size, error);
  if (!bytes)
    return false;
  bool ok =
      save_read_bytes(w, game, &(save_bytes_t){.name = path, .bytes = bytes, .size = size}, unknown_components, error);
  file_free(&memory, bytes, size);
  return ok;
}

static bool read_save(save_reader_t *reader, allocator_t *memory, const char *game, error_info_t *error) {
  const char *path = reader->save->name;
  error_info_t reason = {0};
  sqlite3 *db = sql_get_connection(reader->sql, true, error);
  sql_set_budget(reader->sql, reader->save->budget_ms);
  // Loads the tables as writable, so that they can be converted.
  bool ok = db && save_execute_statement(db, error, "ATTACH ':memory:' AS save") &&
            save_load_bytes(db, "save", reader->save, true, error);
  if (ok && !save_read_checksums(db, "save", memory, &reader->tables, &reason))
    ok = error_set(error, "%s is damaged: %.900s", path, reason.text);
  return ok && save_check_tables(db, &reader->tables, path, false, error) && check_game(db, game, path, error) &&
         save_addons_check(db, unknown_components_addons(reader->unknown_components), reader->save,
                           world_log(reader->sql->desc.world), &reader->dropped, error) &&
         save_read_state(db, reader->snapshot, path, error) && restore_and_apply(reader, error);
}

bool save_read_bytes(world_o *w, const char *game, const save_bytes_t *save, unknown_components_o *unknown_components,
                     error_info_t *error) {
  shoal_assert(!world_is_deferring(w), "%s: cannot load while commands are deferred", save->name);
  allocator_t memory = {0};
  save_reader_t reader = {.sql = sql_create(&(sql_desc_t){.world = w}),
                          .save = save,
                          .snapshot = snapshot_create(&memory),
                          .previous = save->previous_world ? save->previous_world : snapshot_create(&memory),
                          .unknown_components = unknown_components};
  if (save->assemblages)
    *save->assemblages = NULL;
  bool ok = read_save(&reader, &memory, game, error);
  if (ok)
    log_arithmetic_difference(w, reader.sql->db, save->name);
  else
    save_report_stop(reader.sql, save, error);
  snapshot_release(reader.snapshot);
  array_free(&memory, &reader.tables);
  sql_destroy(reader.sql);
  if (!save->previous_world)
    snapshot_release(reader.previous);
  return ok;
}
