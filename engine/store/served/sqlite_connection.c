// A world's database in a file of SQLite. All SQLite result codes become results here.
#include "served/world_store_internal.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/now.h"
#include "served/world_schema.h"
#include "sql/sql_internal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_BUSY_MS 5000
#define MAX_KEPT 32u // maximum number of statements that a connection keeps; more than a room repeats

// A statement that is kept for its next use.
typedef struct kept_statement_t {
  sqlite3_stmt *statement;
  bool is_used; // true while in use; otherwise, the statement is reset and has no values
} kept_statement_t;

typedef struct connection_t {
  sqlite3 *db;
  file_status_t log; // identity of the write-ahead log; its type is FILE_TYPE_UNKNOWN if the log is missing
  kept_statement_t kept[MAX_KEPT];
  uint32_t next_kept; // index of the entry that the next new statement replaces
} connection_t;

static connection_t *get_connection(const world_store_o *s) {
  return s->connection;
}

// --- results

// Returns advice for the user about a failure.
static const char *get_fix(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL: return ": free space on this disk";
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return ": a different program holds the database for long: end it";
  case SQLITE_READONLY:
  case SQLITE_PERM: return ": make the file and its folder writable";
  case SQLITE_CANTOPEN: return ": check that its folder exists and is writable";
  case SQLITE_IOERR: return ": check the disk";
  default: return "";
  }
}

// Returns STORE_DONE if the SQLite result code is a success, or otherwise the result for the failure, with an error.
static store_result_t get_result(world_store_o *s, int code, error_info_t *error) {
  sqlite3 *db = get_connection(s)->db;
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_ROW:
  case SQLITE_DONE: return STORE_DONE;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_FULL:
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
  case SQLITE_IOERR:
  case SQLITE_PROTOCOL:
  case SQLITE_INTERRUPT:
  case SQLITE_NOMEM: return store_fail(s, STORE_FAILED, error, "%s%s", sqlite3_errmsg(db), get_fix(code));
  default:
    return store_fail(s, STORE_DAMAGED, error, "%s: the database is damaged: restore a backup", sqlite3_errmsg(db));
  }
}

// --- statements

static int bind_value(sqlite3_stmt *statement, int index, const store_value_t *v) {
  switch (v->kind) {
  case STORE_KIND_NUMBER: return sqlite3_bind_int64(statement, index, v->number);
  case STORE_KIND_TEXT: return sqlite3_bind_text(statement, index, v->bytes, -1, SQLITE_STATIC);
  case STORE_KIND_BLOB:
    return sqlite3_bind_blob64(statement, index, v->bytes, (sqlite3_uint64)v->number, SQLITE_STATIC);
  default: return sqlite3_bind_null(statement, index);
  }
}

static int bind(sqlite3_stmt *statement, const store_value_t *values, uint32_t count) {
  char name[16];
  int code = SQLITE_OK;
  for (uint32_t i = 0; code == SQLITE_OK && i < count; ++i) {
    snprintf(name, sizeof name, "$%u", i + 1);
    code = bind_value(statement, sqlite3_bind_parameter_index(statement, name), &values[i]);
  }
  return code;
}

// Returns a kept statement with this text, which is then in use, or NULL if no unused statement has this text.
static sqlite3_stmt *find_kept(connection_t *c, const char *sql) {
  for (uint32_t i = 0; i < MAX_KEPT; ++i) {
    kept_statement_t *k = &c->kept[i];
    if (!k->statement || k->is_used || strcmp(sqlite3_sql(k->statement), sql) != 0)
      continue;
    k->is_used = true;
    return k->statement;
  }
  return NULL;
}

// Keeps a new statement, which is in use, in place of the oldest kept statement, unless the oldest statement is in use.
static void keep(connection_t *c, sqlite3_stmt *statement) {
  kept_statement_t *k = &c->kept[c->next_kept];
  c->next_kept = (c->next_kept + 1) % MAX_KEPT;
  if (k->is_used)
    return;
  sqlite3_finalize(k->statement);
  *k = (kept_statement_t){statement, true};
}

// Ends the use of a statement, which may be NULL. The values that it refers to may then be freed.
static void release(connection_t *c, sqlite3_stmt *statement) {
  for (uint32_t i = 0; statement && i < MAX_KEPT; ++i) {
    if (c->kept[i].statement != statement)
      continue;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    c->kept[i].is_used = false;
    return;
  }
  sqlite3_finalize(statement);
}

// Prepares a statement and binds its values. Keeps statements, because parsing them takes longer than executing them.
static int prepare(world_store_o *s, sqlite3_stmt **out, const char *sql, const store_value_t *values, uint32_t count) {
  connection_t *c = get_connection(s);
  *out = find_kept(c, sql);
  if (!*out) {
    int code = sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK)
      return code;
    keep(c, *out);
  }
  shoal_assert(sqlite3_bind_parameter_count(*out) == (int)count, "%u values for: %s", count, sql);
  return bind(*out, values, count);
}

static store_result_t execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                              int64_t *changed, error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(s, &statement, sql, values, count);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    code = sqlite3_step(statement);
  store_result_t result = get_result(s, code, error);
  *changed = result == STORE_DONE ? sqlite3_changes(get_connection(s)->db) : 0;
  release(get_connection(s), statement);
  return result;
}

static store_result_t execute_script(world_store_o *s, const char *sql, error_info_t *error) {
  return get_result(s, sqlite3_exec(get_connection(s)->db, sql, NULL, NULL, NULL), error);
}

static store_result_t begin_query(store_query_t *query, const char *sql, const store_value_t *values, uint32_t count,
                                  error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(query->store, &statement, sql, values, count);
  query->rows = statement;
  return get_result(query->store, code, error);
}

static store_result_t read_row(store_query_t *query, bool *has_row, error_info_t *error) {
  int code = sqlite3_step(query->rows);
  *has_row = code == SQLITE_ROW;
  query->row += *has_row;
  return get_result(query->store, code, error);
}

static void end_query(store_query_t *query) {
  release(get_connection(query->store), query->rows);
}

static uint32_t count_columns(const store_query_t *query) {
  return (uint32_t)sqlite3_column_count(query->rows);
}

static const char *get_column_name(const store_query_t *query, uint32_t column) {
  const char *name = sqlite3_column_name(query->rows, (int)column);
  return name ? name : "";
}

static store_cell_t read_cell(const store_query_t *query, int column) {
  sqlite3_stmt *statement = query->rows;
  store_cell_t cell = {0};
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER: return (store_cell_t){STORE_KIND_NUMBER, .number = sqlite3_column_int64(statement, column)};
  case SQLITE_FLOAT: return (store_cell_t){STORE_KIND_REAL, .real = sqlite3_column_double(statement, column)};
  case SQLITE_TEXT: cell = (store_cell_t){STORE_KIND_TEXT, .bytes = sqlite3_column_text(statement, column)}; break;
  case SQLITE_BLOB: cell = (store_cell_t){STORE_KIND_BLOB, .bytes = sqlite3_column_blob(statement, column)}; break;
  default: return cell;
  }
  cell.size = (size_t)sqlite3_column_bytes(statement, column);
  return cell.bytes || cell.kind == STORE_KIND_BLOB ? cell : (store_cell_t){0}; // out of memory: the value becomes NULL
}

static void format_chronicle_value(const chronicle_column_t *column, char *out, size_t bytes) {
  static const char *const TYPES[] = {"INTEGER", "INTEGER", "REAL", "TEXT"};
  snprintf(out, bytes, "CAST(json_extract(c.data, '$.\"%s\"') AS %s)", column->name, TYPES[column->type]);
}

// The keys of components and fields need no escaping, because they contain no quotes.
static void format_json_value(const owned_path_t *path, owned_type_t type, char *out, size_t bytes) {
  static const char *const TYPES[] = {"INTEGER", "INTEGER", "REAL", "TEXT"};
  size_t at = (size_t)snprintf(out, bytes, "CAST(json_extract(%s, '$",
                               path->is_instance ? "instance.value" : "owned.components");
  for (uint32_t i = 0; i < path->count && at < bytes; ++i) {
    bool is_index = path->keys[i][0] >= '0' && path->keys[i][0] <= '9';
    at += (size_t)snprintf(out + at, bytes - at, is_index ? "[%s]" : ".\"%s\"", path->keys[i]);
  }
  if (at < bytes)
    snprintf(out + at, bytes - at, "') AS %s)", TYPES[type]);
}

static void format_instances(const char *component, char *out, size_t bytes) {
  snprintf(out, bytes,
           " FROM owned CROSS JOIN json_each(owned.components, '$.\"%s\"') AS instance WHERE instance.type = 'object'",
           component);
}

// --- transactions

static file_status_t find_log(const world_store_o *s) {
  char path[4096];
  file_status_t status = {0};
  snprintf(path, sizeof path, "%s-wal", s->path);
  (void)file_status(path, &status);
  return status;
}

// Returns true if the log has been moved, replaced or removed since note_log.
static bool has_log_moved(const world_store_o *s) {
  const file_status_t *former = &get_connection(s)->log;
  file_status_t status = former->type == FILE_TYPE_UNKNOWN ? *former : find_log(s);
  return status.type != former->type || !file_status_is_same(&status, former);
}

// Fails if the file or its log was moved, replaced or removed, because commits would then reach a file that no other
// process finds.
static store_result_t require_files(world_store_o *s, error_info_t *error) {
  const connection_t *c = get_connection(s);
  int has_moved = 0;
  sqlite3_file_control(c->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (!has_moved && !has_log_moved(s))
    return STORE_DONE;
  return store_fail(s, STORE_FAILED, error,
                    "the file or its log (-wal) was moved, replaced or removed while it is in use: put it back, or end"
                    " all processes that use it");
}

static store_result_t begin(world_store_o *s, bool writes, error_info_t *error) {
  store_result_t result = writes ? require_files(s, error) : STORE_DONE;
  return result == STORE_DONE ? execute_script(s, writes ? "BEGIN IMMEDIATE" : "BEGIN", error) : result;
}

static store_result_t end(world_store_o *s, bool commits, error_info_t *error) {
  store_result_t result = commits ? execute_script(s, "COMMIT", error) : STORE_FAILED;
  // SQLite has already rolled back after some errors
  if (result != STORE_DONE && !sqlite3_get_autocommit(get_connection(s)->db))
    execute_script(s, "ROLLBACK", NULL);
  return result;
}

// --- opening

static store_result_t find_tables(world_store_o *s, bool *has_tables, error_info_t *error) {
  int64_t count = 0;
  store_result_t result = store_query_number(s, "SELECT count(*) FROM sqlite_schema", NULL, 0, &count, error);
  *has_tables = count > 0;
  return result;
}

static store_result_t create_tables(world_store_o *s, error_info_t *error) {
  char id[64];
  snprintf(id, sizeof id, "PRAGMA application_id = %d", WORLD_APPLICATION);
  store_result_t result = execute_script(s, WORLD_SCHEMA, error);
  return result == STORE_DONE ? execute_script(s, id, error) : result;
}

// Checks that a file with tables is the database of a world. Must precede all changes to the file.
static store_result_t check_application(world_store_o *s, error_info_t *error) {
  bool has_tables = false;
  int64_t application = 0;
  store_result_t result = find_tables(s, &has_tables, error); // the first read reports a file that is not a database
  if (result == STORE_DONE)
    result = store_query_number(s, "PRAGMA application_id", NULL, 0, &application, error);
  if (result == STORE_DONE && has_tables && application != WORLD_APPLICATION)
    return store_fail(s, STORE_DAMAGED, error, "not the database of a served world: use a different file");
  return result;
}

// Switches to a write-ahead log, unless the database uses one already.
static store_result_t use_log(world_store_o *s, error_info_t *error) {
  store_query_t query = {0};
  char mode[16] = "";
  store_query_begin(s, &query, "PRAGMA journal_mode = WAL", NULL, 0, error);
  if (store_next(s, &query, error))
    store_read_text(&query, 0, mode, sizeof mode);
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && strcmp(mode, "wal") != 0)
    return store_fail(s, STORE_FAILED, error,
                      "cannot use a write-ahead log: put the database on a local disk, and make its folder writable");
  return result;
}

// SQLite does not wait for other processes that switch a new database at the same time, so this function does.
static store_result_t wait_for_log(world_store_o *s, int busy_ms, error_info_t *error) {
  int64_t end = now_ns() + (int64_t)busy_ms * NS_PER_MS;
  store_result_t result;
  while ((result = use_log(s, error)) == STORE_FAILED &&
         (sqlite3_errcode(get_connection(s)->db) & 0xff) == SQLITE_BUSY && now_ns() < end)
    sqlite3_sleep(5);
  return result;
}

// Implements STORE_NOW.
static void call_now(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  (void)values;
  sqlite3_result_int64(context, (sqlite3_int64)time(NULL));
}

// Stores the identity of the write-ahead log, which a read creates. SQLite keeps the log until the last connection is
// closed, so it must remain the same file.
static store_result_t note_log(world_store_o *s, error_info_t *error) {
  bool has_tables;
  store_result_t result = find_tables(s, &has_tables, error);
  get_connection(s)->log = find_log(s);
  return result;
}

// Returns true if the file must stay unchanged: it is empty, and this process may not create a world in it.
static bool is_read_only(world_store_o *s, const world_store_desc_t *desc) {
  bool has_tables = true;
  return !desc->may_create && find_tables(s, &has_tables, NULL) == STORE_DONE && !has_tables;
}

// Configures the connection. WAL: readers and the writer do not wait for each other. FULL: a commit has reached the
// disk when it returns.
static store_result_t configure(world_store_o *s, const world_store_desc_t *desc, error_info_t *error) {
  sqlite3 *db = get_connection(s)->db;
  int busy_ms = desc->busy_ms ? desc->busy_ms : DEFAULT_BUSY_MS;
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, busy_ms);
  sqlite3_create_function(db, "store_now", 0, SQLITE_UTF8, NULL, call_now, NULL, NULL);
  store_result_t result = check_application(s, error);
  if (result != STORE_DONE || is_read_only(s, desc))
    return result;
  result = wait_for_log(s, busy_ms, error);
  if (result == STORE_DONE)
    result = execute_script(s, "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON", error);
  if (result == STORE_DONE) // a snapshot may make the log large: shrink it afterwards
    result = execute_script(s, "PRAGMA journal_size_limit = 8388608", error);
  return result == STORE_DONE ? note_log(s, error) : result;
}

// Creates a file that only this user can read, unless it exists: it contains all accounts. SQLite gives its log the
// same permissions. Returns true if the file was created.
static bool create_file(const char *path) {
  int file = file_system_create_private(path);
  return file >= 0 && file_system_close(file);
}

static store_result_t open_connection(world_store_o *s, const world_store_desc_t *desc, error_info_t *error) {
  sql_memory_install(); // must precede the first use of SQLite
  s->connection = alloc_resize(&s->memory, NULL, 0, sizeof(connection_t));
  *get_connection(s) = (connection_t){0};
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (desc->may_create ? SQLITE_OPEN_CREATE : 0);
  if (desc->may_create)
    create_file(desc->path);
  int code = sqlite3_open_v2(desc->path, &get_connection(s)->db, flags, NULL);
  store_result_t result = get_result(s, code, error);
  return result == STORE_DONE ? configure(s, desc, error) : result;
}

static void close_connection(world_store_o *s) {
  for (uint32_t i = 0; i < MAX_KEPT; ++i)
    sqlite3_finalize(get_connection(s)->kept[i].statement);
  sqlite3_close(get_connection(s)->db);
  alloc_resize(&s->memory, s->connection, sizeof(connection_t), 0);
}

// --- backups

// Writes the file to the disk.
static bool synchronize(const char *path) {
  int file = file_system_open(path, true);
  bool ok = file >= 0 && file_system_synchronize_file(file);
  if (file >= 0)
    file_system_close(file);
  return ok;
}

static store_result_t back_up(world_store_o *s, const char *path, error_info_t *error) {
  int64_t changed;
  bool is_new = create_file(path); // SQLite accepts an empty file
  store_result_t result = execute(s, "VACUUM INTO $1", STORE_VALUES(STORE_TEXT(path)), &changed, error);
  if (result != STORE_DONE && is_new)
    remove(path);
  return result != STORE_DONE || synchronize(path)
             ? result
             : store_fail(s, STORE_FAILED, error, "%s cannot be written to the disk: check the disk", path);
}

static store_result_t remove_expired(world_store_o *s, int64_t *changed, error_info_t *error) {
  return execute(s,
                 "DELETE FROM chronicle WHERE (room, fence, tick, ordinal) IN (SELECT room, fence, tick, ordinal"
                 " FROM chronicle WHERE expires <= " STORE_NOW " ORDER BY expires LIMIT $1)",
                 STORE_VALUES(STORE_NUMBER(CHRONICLE_BATCH_ROWS)), changed, error);
}

const store_driver_t SQLITE_DRIVER = {
    .open = open_connection,
    .close = close_connection,
    .find_tables = find_tables,
    .create_tables = create_tables,
    .begin = begin,
    .end = end,
    .execute = execute,
    .execute_script = execute_script,
    .begin_query = begin_query,
    .next = read_row,
    .end_query = end_query,
    .count_columns = count_columns,
    .get_column_name = get_column_name,
    .read_cell = read_cell,
    .format_chronicle_value = format_chronicle_value,
    .format_json_value = format_json_value,
    .remove_expired = remove_expired,
    .format_instances = format_instances,
    .back_up = back_up,
};
