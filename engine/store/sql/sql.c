// Opens the database, runs statements within their limits, and runs watched queries.
#include "sql/sql.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/text_search.h"
#include "ecs/name_hint.h"
#include "sql/sql_internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PROGRESS_OPERATIONS 100  // SQLite VM steps between two progress calls
#define MIN_VALUE_BYTES 1024     // lower bound of a statement's size limit for strings and blobs
#define MAX_STRETCH (4ull << 30) // maximum product of program bytes and value bytes (see compute_max_value_bytes)
#define NO_COLUMN " has no column named "

// --- life cycle

sql_o *sql_create(const sql_desc_t *desc) {
  shoal_assert(desc, "desc must not be NULL");
  allocator_t memory = {0};
  sql_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sql_o){.desc = *desc, .memory = memory, .script_steps = SQL_SCRIPT_STEPS};
  return s;
}

static void finalize_statement(sql_o *s, cached_statement_t *cached) {
  shoal_assert(!sqlite3_stmt_busy(cached->statement), "cannot finalize a running statement: %.60s", cached->text);
  sqlite3_finalize(cached->statement);
  if (cached->text)
    alloc_resize(&s->memory, cached->text, cached->bytes + 1, 0);
  *cached = (cached_statement_t){0};
}

void sql_clear_statements(sql_o *s) {
  for (uint32_t i = 0; i < SQL_MAX_STATEMENTS; ++i)
    finalize_statement(s, &s->statements[i]);
}

static void free_watch(sql_o *s, uint32_t i) {
  shoal_assert(i < s->watches.count, "watch %u is out of range (count %u)", i, s->watches.count);
  alloc_free_text(&s->memory, s->watches.items[i].text);
  s->watches.items[i] = s->watches.items[--s->watches.count];
}

void sql_destroy(sql_o *s) {
  if (!s)
    return;
  shoal_assert(!s->running, "cannot destroy SQL while a statement runs: %.60s", s->current_text);
  sql_clear_statements(s);
  while (s->watches.count > 0)
    free_watch(s, 0);
  array_free(&s->memory, &s->watches);
  sqlite3 *db = s->db;
  s->db = NULL; // sqlite3_close drops the modules, so sql_tables_free must not drop them again
  sqlite3_close(db);
  sql_tables_free(s);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "SQL leaked %zu bytes", memory.bytes);
}

// --- authorization

static int on_progress(void *context) {
  return !sql_charge_steps(context, PROGRESS_OPERATIONS);
}

static int deny_access(sql_o *s, const char *message, const char *object) {
  snprintf(s->denial_reason, sizeof s->denial_reason, "%s%s%s", message, object ? " " : "", object ? object : "");
  return SQLITE_DENY;
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (sqlite3_stricmp(name, names[i]) == 0)
      return true;
  return false;
}

// Returns true if the values of a column may differ between two replays of a recording: times, and values that depend
// on the number of workers or on when code was compiled.
static bool is_measured_column(const char *table, const char *column) {
  static const char *const COLUMNS[] = {"runs", "cost_us", "median_us", "together", "apart", "parts"};
  return table && column && sqlite3_stricmp(table, "systems") == 0 &&
         is_one_of(column, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
}

// Rejects a function with a message that names its replacement, if it has one. Returns SQLITE_DENY.
static int deny_function(sql_o *s, const char *name) {
  static const char *const RANDOM_FUNCTIONS[] = {"random", "randomblob"};
  static const char *const TIME_FUNCTIONS[] = {"date",         "time",         "datetime",
                                               "julianday",    "strftime",     "unixepoch",
                                               "current_date", "current_time", "current_timestamp"};
  name = name ? name : "?";
  if (is_one_of(name, RANDOM_FUNCTIONS, sizeof RANDOM_FUNCTIONS / sizeof *RANDOM_FUNCTIONS))
    snprintf(s->denial_reason, sizeof s->denial_reason, "queries cannot use the function %s: use world.random()", name);
  else if (is_one_of(name, TIME_FUNCTIONS, sizeof TIME_FUNCTIONS / sizeof *TIME_FUNCTIONS))
    snprintf(s->denial_reason, sizeof s->denial_reason,
             "queries cannot use the function %s: use world.tick or world.time", name);
  else
    return deny_access(s, "queries cannot use the function", name);
  return SQLITE_DENY;
}

// Handles a script's access to a measured column. Returns SQLITE_DENY with a message if the statement's text contains
// the column's name. Otherwise, for example for `SELECT *`, returns SQLITE_IGNORE, which makes the column NULL.
static int deny_measured(sql_o *s, const char *column) {
  return text_search_ignoring_case(s->current_text, column)
             ? deny_access(s,
                           "scripts cannot read measured columns of systems (results must be deterministic):", column)
             : SQLITE_IGNORE;
}

static int authorize(void *context, int action, const char *object, const char *detail, const char *database,
                     const char *trigger) {
  (void)trigger;
  sql_o *s = context;
  if (s->declaring)
    return SQLITE_OK;
  if (database && strcmp(database, "save") == 0 && action != SQLITE_READ)
    return deny_access(s, "the tables of a save are read-only here:", object);
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_READ:
    return !s->allow_measured && is_measured_column(object, detail) ? deny_measured(s, detail) : SQLITE_OK;
  case SQLITE_FUNCTION: return detail && sql_function_is_allowed(detail) ? SQLITE_OK : deny_function(s, detail);
  case SQLITE_PRAGMA:
    if (object && (sqlite3_stricmp(object, "table_info") == 0 || sqlite3_stricmp(object, "table_xinfo") == 0))
      return SQLITE_OK;
    return deny_access(s, "queries cannot use PRAGMA", object);
  case SQLITE_INSERT:
  case SQLITE_UPDATE:
  case SQLITE_DELETE:
    if (s->writing)
      return SQLITE_OK;
    snprintf(s->denial_reason, sizeof s->denial_reason, "cannot write %s: %s", object ? object : "?",
             s->desc.is_save ? "a save is read-only unless you pass --write"
                             : "scripts and watches may only read: use --exec or ./shoal sql");
    return SQLITE_DENY;
  case SQLITE_TRANSACTION:
  case SQLITE_SAVEPOINT:
    return deny_access(s, "transactions are not supported: each statement is its own transaction", NULL);
  default:
    return deny_access(s, "the tables of a world are fixed by its components: use SELECT, INSERT, UPDATE or DELETE",
                       NULL);
  }
}

// Sets SQLite's limits. With `limited`, sets the limits for statements from scripts and users. Otherwise, sets the
// maximum limits, for internal statements.
static void set_limits(sql_o *s, bool limited) {
  static const int LIMITS[][2] = {{SQLITE_LIMIT_ATTACHED, 0},
                                  {SQLITE_LIMIT_COLUMN, SQL_MAX_COLUMNS},
                                  {SQLITE_LIMIT_LENGTH, SQL_VALUE_BYTES},
                                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                  {SQLITE_LIMIT_SQL_LENGTH, SQL_TEXT_BYTES},
                                  {SQLITE_LIMIT_VARIABLE_NUMBER, SQL_MAX_PARAMETERS}};
  for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; ++i)
    sqlite3_limit(s->db, LIMITS[i][0], limited ? LIMITS[i][1] : INT_MAX);
}

// Opens the in-memory database. Its temporary files are in memory as well, although temp_store is FILE. With FILE,
// SQLite sorts in chunks of 2 MB. With MEMORY, it would sort all rows in one step, without progress calls. Returns true
// on success, or false with SQLite's error.
static bool open_in_memory(sql_o *s) {
  static const char VFS[] = "memdb";
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
  bool has_vfs = sqlite3_vfs_find(VFS) != NULL;
  if (sqlite3_open_v2(":memory:", &s->db, flags, has_vfs ? VFS : NULL) != SQLITE_OK)
    return false;
  return sqlite3_exec(s->db, has_vfs ? "PRAGMA temp_store = FILE" : "PRAGMA temp_store = MEMORY", NULL, NULL, NULL) ==
         SQLITE_OK;
}

static void register_table_functions(sqlite3 *db) {
  static const char *const CALLS[] = {"json_each('[]')", "json_tree('[]')", "pragma_table_info('x')",
                                      "pragma_table_xinfo('x')", "pragma_table_list"};
  for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; ++i) {
    char text[64];
    snprintf(text, sizeof text, "SELECT 1 FROM %s", CALLS[i]);
    sqlite3_exec(db, text, NULL, NULL, NULL);
  }
}

static bool connect_database(sql_o *s, error_info_t *error) {
  // Keeps only these modules, because other modules, such as dbstat and sqlite_stmt, reveal details of the machine.
  static const char *MODULES[] = {"json_each", "json_tree", NULL};
  sql_memory_install();
  if (!open_in_memory(s)) {
    error_set(error, "SQLite: %s", s->db ? sqlite3_errmsg(s->db) : "out of memory");
    sqlite3_close(s->db);
    s->db = NULL;
    return false;
  }
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_progress_handler(s->db, PROGRESS_OPERATIONS, on_progress, s);
  sqlite3_drop_modules(s->db, MODULES);
  return sql_functions_register(s, error);
}

bool sql_open(sql_o *s, error_info_t *error) {
  if (s->db)
    return true;
  if (!connect_database(s, error))
    return false;
  register_table_functions(s->db);
  sqlite3_set_authorizer(s->db, authorize, s);
  return true;
}

// Registers the tables again if the world's declarations have changed. Returns true on success, or false with an error.
static bool refresh_tables(sql_o *s, error_info_t *error) {
  uint64_t layout = sql_tables_hash_layout(s);
  if (s->layout_hash == layout)
    return true;
  sql_clear_statements(s);
  s->layout_hash = 0;
  if (!sql_tables_register(s, error))
    return false;
  s->layout_hash = layout;
  shoal_assert(sql_tables_hash_layout(s) == layout, "the world's declarations changed while its tables were created");
  return true;
}

bool sql_prepare_tables(sql_o *s, error_info_t *error) {
  return sql_open(s, error) && refresh_tables(s, error);
}

sqlite3 *sql_get_connection(sql_o *s, bool interruptible, error_info_t *error) {
  shoal_assert(!s->running, "an internal statement cannot run inside another statement");
  if (!sql_prepare_tables(s, error))
    return NULL;
  s->writing = true;
  s->is_uninterruptible = !interruptible;
  sqlite3_set_authorizer(s->db, NULL, NULL);
  return s->db;
}

// --- statements

// Returns true if the statement's text contains the name as a whole word.
static bool mentions_name(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *cursor = text; text && *cursor; ++cursor) {
    bool at_word_start = cursor == text || (!isalnum((unsigned char)cursor[-1]) && cursor[-1] != '_');
    if (at_word_start && strncasecmp(cursor, name, length) == 0 && !isalnum((unsigned char)cursor[length]) &&
        cursor[length] != '_')
      return true;
  }
  return false;
}

// Returns the part of a name after the last dot: "healt" for "main.healt".
static const char *get_last_part(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

// Returns a hint that names a similar column for an unknown column such as "p.vxx", or "" if no column is similar.
// Considers only columns of the tables named in the statement.
static const char *suggest_column(const sql_o *s, const char *unknown, char *out) {
  nearest_name_t suggestion;
  nearest_name_init(&suggestion, get_last_part(unknown));
  for (uint32_t i = 0; i < s->tables.count; ++i) {
    const table_t *table = s->tables.items[i];
    for (uint32_t column = 0;
         mentions_name(s->current_text, table->name.text) && column < table->key_count + table->field_count; ++column)
      nearest_name_offer(&suggestion, table->columns[column].text);
  }
  return nearest_name_hint(&suggestion, out, HINT_BYTES);
}

static const char *suggest_table(const sql_o *s, const char *unknown, char *out) {
  nearest_name_t suggestion;
  nearest_name_init(&suggestion, get_last_part(unknown));
  for (uint32_t i = 0; i < s->tables.count; ++i)
    nearest_name_offer(&suggestion, s->tables.items[i]->name.text);
  return nearest_name_hint(&suggestion, out, HINT_BYTES);
}

static const char *suggest_function(const char *unknown, char *out) {
  nearest_name_t suggestion;
  nearest_name_init(&suggestion, unknown);
  sql_functions_suggest(&suggestion);
  return nearest_name_hint(&suggestion, out, HINT_BYTES);
}

// Returns the rest of `text` after the prefix, or NULL if `text` does not start with the prefix.
static const char *skip_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : NULL;
}

// If SQLite's message is about an unknown name, sets it as the error, with a suggestion, and returns true. Otherwise,
// returns false without an error.
static bool set_unknown_name_error(sql_o *s, error_info_t *error) {
  char message[512], hint[HINT_BYTES];
  const char *name;
  // Copies the message, because the search for names changes it.
  snprintf(message, sizeof message, "%s", sqlite3_errmsg(s->db));
  if ((name = skip_prefix(message, "no such table: ")))
    return !error_set(error, "%s (SELECT table_name FROM components lists the component tables)%s", message,
                      suggest_table(s, name, hint));
  if ((name = skip_prefix(message, "no such column: ")))
    return !error_set(error, "%s%s", message, suggest_column(s, name, hint));
  if ((name = strstr(message, NO_COLUMN)))
    return !error_set(error, "%s%s", message, suggest_column(s, name + strlen(NO_COLUMN), hint));
  if ((name = skip_prefix(message, "no such function: ")))
    return !error_set(error, "%s%s", message, suggest_function(name, hint));
  return false;
}

static bool set_query_error(sql_o *s, error_info_t *error) {
  const char *message = sqlite3_errmsg(s->db);
  if (s->stop_reason == SQL_STOP_STEPS)
    return error_set(error,
                     "the query took more than %llu steps: add LIMIT or an entity = … condition, use Lua instead, or "
                     "raise budget.sql in game.lua",
                     (unsigned long long)s->max_steps);
  if (s->stop_reason == SQL_STOP_WATCHDOG)
    return error_set(error, "the query was stopped, because the script exceeded its budget");
  if (s->stop_reason == SQL_STOP_TIME)
    return error_set(error, "all watches together exceeded the time budget of one system (budget.system in game.lua): "
                            "watch fewer or simpler queries");
  if (s->denial_reason[0])
    return error_set(error, "%s", s->denial_reason);
  if (sqlite3_errcode(s->db) == SQLITE_TOOBIG && s->max_value_bytes == 0)
    return error_set(error, "the statement is too long (at most %u KB)", SQL_TEXT_BYTES >> 10);
  if (sqlite3_errcode(s->db) == SQLITE_TOOBIG)
    return error_set(error, "a string or blob is too long (at most %u bytes in %s)", s->max_value_bytes,
                     s->max_value_bytes < SQL_VALUE_BYTES ? "a statement of this length" : "a statement");
  if (set_unknown_name_error(s, error))
    return false;
  if (strstr(message, "syntax error"))
    return error_set(error, "%s: write SELECT columns FROM table WHERE condition, with strings in single quotes",
                     message);
  return error_set(error, "%s", message);
}

static bool is_blank(const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (!strchr(" \t\r\n;", text[i]))
      return false;
  return true;
}

static cached_statement_t *find_statement(sql_o *s, const sql_run_desc_t *desc) {
  for (uint32_t i = 0; i < SQL_MAX_STATEMENTS; ++i) {
    cached_statement_t *cached = &s->statements[i];
    if (cached->statement && cached->allow_writes == desc->allow_writes &&
        cached->allow_measured == desc->allow_measured && cached->bytes == desc->text_bytes &&
        memcmp(cached->text, desc->text, cached->bytes) == 0)
      return cached;
  }
  return NULL;
}

static cached_statement_t *find_oldest_statement(sql_o *s) {
  cached_statement_t *oldest = &s->statements[0];
  for (uint32_t i = 1; i < SQL_MAX_STATEMENTS; ++i)
    if (s->statements[i].last_use < oldest->last_use)
      oldest = &s->statements[i];
  return oldest;
}

// Returns the maximum size, in bytes, of strings and blobs in a statement. SQLite calls the progress handler only at
// backward jumps. Between two calls, thousands of instructions may each process a whole value (`x + x + x + …` parses x
// every time, at 2 ns per byte). The limit therefore shrinks with the length of the program, so that at most about
// 100 ms pass between two calls.
static uint32_t compute_max_value_bytes(sqlite3_stmt *statement) {
  uint64_t program = (uint64_t)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_MEMUSED, 0) + 1;
  uint64_t max = MAX_STRETCH / program;
  return max > SQL_VALUE_BYTES ? SQL_VALUE_BYTES : max < MIN_VALUE_BYTES ? MIN_VALUE_BYTES : (uint32_t)max;
}

// Returns true unless a script uses EXPLAIN. Otherwise, returns false with an error. The output of EXPLAIN contains
// addresses and depends on SQLite's version.
static bool check_explain(const sql_run_desc_t *desc, sqlite3_stmt *statement, error_info_t *error) {
  return desc->allow_measured || !sqlite3_stmt_isexplain(statement) ||
         error_set(error,
                   "scripts cannot use EXPLAIN (results must not depend on SQLite's version): use ./shoal sql GAME");
}

// Prepares a statement. Returns the statement, or NULL with an error. The length limit applies to a single statement.
// If the text may contain several statements, only its first SQL_TEXT_BYTES bytes are passed to SQLite. A statement
// that is cut off there is rejected, because its first part alone may have a different meaning.
static sqlite3_stmt *compile_statement(sql_o *s, const sql_run_desc_t *desc, const char **rest, error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  size_t bytes = desc->allow_multiple && desc->text_bytes > SQL_TEXT_BYTES ? SQL_TEXT_BYTES : desc->text_bytes;
  int code = sqlite3_prepare_v3(s->db, desc->text, (int)bytes, SQLITE_PREPARE_PERSISTENT, &statement, rest);
  bool truncated = bytes < desc->text_bytes && *rest == desc->text + bytes && (*rest)[-1] != ';';
  const char *message = "expected one statement: remove the text after the first one";
  if (truncated)
    error_set(error, "the statement is too long (at most %u KB)", SQL_TEXT_BYTES >> 10);
  else if (code != SQLITE_OK)
    set_query_error(s, error);
  else if (!statement || (!desc->allow_multiple && !is_blank(*rest, desc->text_bytes - (size_t)(*rest - desc->text))))
    error_set(error, "%s", statement ? message : "the query contains no statement");
  else if (check_explain(desc, statement, error))
    return statement;
  sqlite3_finalize(statement);
  return NULL;
}

static cached_statement_t *prepare_cached(sql_o *s, const sql_run_desc_t *desc, error_info_t *error) {
  cached_statement_t *cached = find_statement(s, desc);
  if (cached) {
    cached->last_use = ++s->use_count;
    return cached;
  }
  const char *rest = NULL;
  sqlite3_stmt *statement = compile_statement(s, desc, &rest, error);
  if (!statement)
    return NULL;
  cached = find_oldest_statement(s);
  finalize_statement(s, cached);
  *cached = (cached_statement_t){.statement = statement,
                                 .bytes = desc->text_bytes,
                                 .allow_writes = desc->allow_writes,
                                 .allow_measured = desc->allow_measured,
                                 .max_value_bytes = compute_max_value_bytes(statement),
                                 .last_use = ++s->use_count};
  cached->next_offset = (size_t)(rest - desc->text);
  shoal_assert(cached->next_offset <= cached->bytes, "the next statement starts at byte %zu of %zu",
               cached->next_offset, cached->bytes);
  cached->text = alloc_resize(&s->memory, NULL, 0, cached->bytes + 1);
  memcpy(cached->text, desc->text, cached->bytes);
  cached->text[cached->bytes] = '\0';
  return cached;
}

static bool bind_parameters(sql_o *s, sqlite3_stmt *statement, const sql_run_desc_t *desc, error_info_t *error) {
  int count = sqlite3_bind_parameter_count(statement);
  if (count != (int)desc->parameter_count)
    return error_set(error, "the statement has %d parameter%s, but %u value%s given", count, count == 1 ? "" : "s",
                     desc->parameter_count, desc->parameter_count == 1 ? " was" : "s were");
  for (int i = 0; i < count; ++i) {
    const sql_value_t *value = &desc->parameters[i];
    int code = SQLITE_OK;
    switch (value->kind) {
    case SQL_NULL: code = sqlite3_bind_null(statement, i + 1); break;
    case SQL_REAL: code = sqlite3_bind_double(statement, i + 1, value->real); break;
    case SQL_TEXT: code = sqlite3_bind_text(statement, i + 1, value->text, (int)value->bytes, SQLITE_TRANSIENT); break;
    case SQL_BLOB:
    case SQL_MATRIX:
      code = sqlite3_bind_blob(statement, i + 1, value->text, (int)value->bytes, SQLITE_TRANSIENT);
      break;
    default: code = sqlite3_bind_int64(statement, i + 1, value->integer); break;
    }
    if (code != SQLITE_OK)
      return set_query_error(s, error);
  }
  return true;
}

// --- results

static void *grow_array(allocator_t *a, void *items, uint32_t *capacity, uint32_t min_capacity, size_t bytes) {
  return min_capacity > *capacity ? array_grow(a, items, capacity, min_capacity, bytes) : items;
}

// Appends a string to the result. Stores its offset instead of its address, because the buffer may still be
// reallocated.
static void append_text(sql_result_t *result, sql_value_t *value, const void *text, uint32_t bytes) {
  shoal_assert(bytes < UINT32_MAX - result->text_bytes, "%u more bytes overflow a result of %u", bytes,
               result->text_bytes);
  result->text_buffer =
      grow_array(result->allocator, result->text_buffer, &result->text_capacity, result->text_bytes + bytes + 1, 1);
  if (bytes)
    memcpy(result->text_buffer + result->text_bytes, text, bytes);
  result->text_buffer[result->text_bytes + bytes] = '\0';
  value->integer = result->text_bytes;
  value->bytes = bytes;
  result->text_bytes += bytes + 1;
}

// Returns the column's kind from its declared type, or SQL_NULL if the type determines no kind. An expression has no
// declared type. If it is named `entity`, its values are treated as entities.
static sql_kind_t get_column_kind(sqlite3_stmt *statement, int i) {
  const char *type = sqlite3_column_decltype(statement, i), *name = sqlite3_column_name(statement, i);
  if (type && strcmp(type, "ENTITY") == 0)
    return SQL_ENTITY;
  if (type && strcmp(type, "BOOLEAN") == 0)
    return SQL_BOOL;
  if (type && strcmp(type, "MATRIX") == 0)
    return SQL_MATRIX;
  return !type && name && strcmp(name, "entity") == 0 ? SQL_ENTITY : SQL_NULL;
}

static void append_value(sql_result_t *result, sqlite3_stmt *statement, int i, sql_kind_t kind) {
  sql_value_t value = {.kind = SQL_NULL};
  switch (sqlite3_column_type(statement, i)) {
  case SQLITE_INTEGER:
    value.kind = kind == SQL_ENTITY || kind == SQL_BOOL ? kind : SQL_INTEGER;
    value.integer = sqlite3_column_int64(statement, i);
    if (kind == SQL_ENTITY && (value.integer < 0 || value.integer >> 30 != 0))
      value.kind = SQL_INTEGER;
    break;
  case SQLITE_FLOAT:
    value.kind = SQL_REAL;
    value.real = sqlite3_column_double(statement, i);
    break;
  case SQLITE_TEXT:
    value.kind = SQL_TEXT;
    append_text(result, &value, sqlite3_column_text(statement, i), (uint32_t)sqlite3_column_bytes(statement, i));
    break;
  case SQLITE_BLOB:
    append_text(result, &value, sqlite3_column_blob(statement, i), (uint32_t)sqlite3_column_bytes(statement, i));
    value.kind = kind == SQL_MATRIX && value.bytes == 64 ? SQL_MATRIX : SQL_BLOB;
    break;
  default: break;
  }
  result->values[result->value_count++] = value;
}

static bool is_text(const sql_value_t *value) {
  return value->kind == SQL_TEXT || value->kind == SQL_BLOB || value->kind == SQL_MATRIX;
}

// Returns true if SQLite generated the name. In a subquery, the fifth and further columns of the same name get random
// names, such as a:3822149347.
static bool has_random_name(sqlite3_stmt *statement, const char *name) {
  const char *colon = name ? strrchr(name, ':') : NULL;
  if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1) || strtoull(colon + 1, NULL, 10) < 5)
    return false;
  size_t bytes = (size_t)(colon - name);
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char *other_name = sqlite3_column_name(statement, i);
    if (other_name && strlen(other_name) == bytes && memcmp(other_name, name, bytes) == 0)
      return true;
  }
  return false;
}

static bool check_column_names(sqlite3_stmt *statement, error_info_t *error) {
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char *name = sqlite3_column_name(statement, i);
    if (has_random_name(statement, name))
      return error_set(error, "too many columns are named %.*s: rename them (… AS name)",
                       (int)(strrchr(name, ':') - name), name);
  }
  return true;
}

static void append_names(sql_result_t *result, sqlite3_stmt *statement, sql_kind_t *column_kinds) {
  result->column_count = (uint32_t)sqlite3_column_count(statement);
  result->names = alloc_resize(result->allocator, NULL, 0, result->column_count * sizeof *result->names);
  for (uint32_t i = 0; i < result->column_count; ++i) {
    sql_value_t name;
    const char *text = sqlite3_column_name(statement, (int)i);
    append_text(result, &name, text ? text : "", text ? (uint32_t)strlen(text) : 0);
    // Stores the offset of the name, because the buffer may still be reallocated. resolve_texts converts it to an
    // address.
    result->names[i] = (const char *)(uintptr_t)name.integer;
    column_kinds[i] = get_column_kind(statement, (int)i);
  }
}

static void resolve_texts(sql_result_t *result) {
  shoal_assert(result->value_count == (uint64_t)result->row_count * result->column_count,
               "%u values do not fill %u rows of %u columns", result->value_count, result->row_count,
               result->column_count);
  for (uint32_t i = 0; i < result->column_count; ++i)
    result->names[i] = result->text_buffer + (uintptr_t)result->names[i];
  for (uint32_t i = 0; i < result->value_count; ++i)
    if (is_text(&result->values[i]))
      result->values[i].text = result->text_buffer + result->values[i].integer;
}

void sql_result_fini(sql_result_t *result) {
  if (!result->allocator)
    return;
  alloc_resize(result->allocator, result->names, result->column_count * sizeof *result->names, 0);
  alloc_resize(result->allocator, result->values, result->value_capacity * sizeof *result->values, 0);
  alloc_resize(result->allocator, result->text_buffer, result->text_capacity, 0);
  *result = (sql_result_t){0};
}

static bool collect_rows(sql_o *s, sqlite3_stmt *statement, sql_result_t *result, error_info_t *error) {
  size_t kinds_bytes = (size_t)sqlite3_column_count(statement) * sizeof(sql_kind_t);
  sql_kind_t *column_kinds = alloc_resize(&s->memory, NULL, 0, kinds_bytes);
  size_t max_bytes = s->writing ? SQL_RESULT_MAX_BYTES : SQL_RESULT_MAX_BYTES_READING, old_bytes = 0;
  int code = SQLITE_DONE;
  bool ok = check_column_names(statement, error);
  append_names(result, statement, column_kinds);
  while (ok && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    result->values = grow_array(result->allocator, result->values, &result->value_capacity,
                                result->value_count + result->column_count, sizeof *result->values);
    for (uint32_t i = 0; i < result->column_count; ++i)
      append_value(result, statement, (int)i, column_kinds[i]);
    result->row_count++;
    if (result->row_count == s->max_rows) {
      code = sqlite3_step(statement);
      result->has_more = code == SQLITE_ROW;
      code = result->has_more ? SQLITE_DONE : code;
      break;
    }
    size_t bytes = (size_t)result->value_count * sizeof *result->values + result->text_bytes;
    if (bytes > max_bytes)
      ok = error_set(error, "the result is too large (at most %zu MB): add LIMIT", max_bytes >> 20);
    else if (!sql_charge_steps(s, (bytes - old_bytes) / SQL_BYTES_PER_STEP))
      ok = set_query_error(s, error);
    old_bytes = bytes;
  }
  alloc_resize(&s->memory, column_kinds, kinds_bytes, 0);
  if (ok && code != SQLITE_DONE)
    ok = set_query_error(s, error);
  return ok;
}

// --- run

static bool run_prepared(sql_o *s, cached_statement_t *cached, const sql_run_desc_t *desc, sql_result_t *out,
                         error_info_t *error) {
  bool writes = !sqlite3_stmt_readonly(cached->statement);
  *out = (sql_result_t){.allocator = &s->memory};
  // Resets SQLite's counter of steps, which includes earlier runs of the cached statement.
  sqlite3_stmt_status(cached->statement, SQLITE_STMTSTATUS_VM_STEP, 1);
  s->max_value_bytes = cached->max_value_bytes;
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, (int)cached->max_value_bytes);
  if (writes)
    world_defer_begin(s->desc.world, 0);
  bool ok = bind_parameters(s, cached->statement, desc, error) && collect_rows(s, cached->statement, out, error);
  sqlite3_reset(cached->statement);
  sqlite3_clear_bindings(cached->statement);
  if (writes)
    world_defer_end(s->desc.world, !ok);
  if (!ok) {
    sql_result_fini(out);
    return false;
  }
  out->changed_rows = writes ? (uint64_t)sqlite3_changes(s->db) : 0;
  out->next_statement = desc->text + cached->next_offset;
  resolve_texts(out);
  return true;
}

// Ends the statement and removes its limits, because they do not apply to the internal statements that follow.
static void end_statement(sql_o *s) {
  s->running = s->writing = false;
  s->max_steps = s->step_count = 0;
  sql_set_budget(s, 0);
}

void sql_set_script_steps(sql_o *s, uint64_t steps) {
  s->script_steps = steps;
}

uint64_t sql_script_steps(const sql_o *s) {
  return s->script_steps;
}

bool sql_has_exceeded_steps(const sql_o *s) {
  return s->exceeded_steps;
}

static bool can_continue(void *context) {
  return sql_can_continue(context);
}

bool sql_run_statement(sql_o *s, const sql_run_desc_t *desc, sql_result_t *out, error_info_t *error) {
  shoal_assert(!s->running, "cannot run a statement inside another one: %.60s", desc->text);
  shoal_assert(desc->text && out, "text and out must not be NULL");
  shoal_assert(desc->parameters || desc->parameter_count == 0, "parameters must not be NULL (count %u)",
               desc->parameter_count);
  *out = (sql_result_t){0};
  if (s->running)
    return error_set(error, "a query cannot run another query");
  if (memchr(desc->text, '\0', desc->text_bytes))
    return error_set(error, "the query must not contain a zero byte");
  s->running = true;
  s->exceeded_steps = false;
  s->max_rows = desc->max_rows;
  s->max_steps = desc->max_steps;
  s->step_count = 0;
  sql_set_budget(s, desc->budget_ms);
  s->max_value_bytes = 0;
  s->allow_measured = desc->allow_measured;
  s->current_text = desc->text;
  s->denial_reason[0] = 0;
  s->writing = desc->allow_writes;
  size_t max_bytes = desc->allow_writes ? SQL_MEMORY_BYTES_WRITING : SQL_MEMORY_BYTES;
  if (!sql_prepare_tables(s, error)) {
    end_statement(s);
    return false;
  }
  set_limits(s, true);
  sql_memory_begin_counting(can_continue, s, SQL_MEMORY_BYTES_PREPARING);
  cached_statement_t *cached = prepare_cached(s, desc, error);
  if (sql_memory_end_counting() && !cached)
    error_set(error, "the query is too complex: split it into several queries");
  sql_memory_begin_counting(can_continue, s, max_bytes);
  bool ok = cached && run_prepared(s, cached, desc, out, error);
  if (sql_memory_end_counting() && cached && !ok)
    error_set(error, "the query requires more than %zu MB: select fewer rows or columns", max_bytes >> 20);
  set_limits(s, false);
  s->exceeded_steps = s->stop_reason == SQL_STOP_STEPS;
  end_statement(s);
  shoal_assert(ok || (!out->values && !out->names), "a failed query left a result: %.60s", desc->text);
  return ok;
}

// --- watches

static bool run_watch(sql_o *s, const char *text, uint32_t budget_ms, bool *has_row, error_info_t *error) {
  sql_result_t result;
  sql_run_desc_t desc = {
      .text = text, .text_bytes = strlen(text), .max_steps = SQL_WATCH_STEPS, .budget_ms = budget_ms};
  if (!sql_run_statement(s, &desc, &result, error))
    return false;
  *has_row = result.row_count > 0;
  sql_result_fini(&result);
  return true;
}

static void add_watch(sql_o *s, const char *text) {
  watch_t watch = {.text = alloc_copy_text(&s->memory, text)};
  array_push(&s->memory, &s->watches, watch);
}

static bool is_watched(const sql_o *s, const char *text) {
  for (uint32_t i = 0; i < s->watches.count; ++i)
    if (strcmp(s->watches.items[i].text, text) == 0)
      return true;
  return false;
}

bool sql_check_watch(sql_o *s, const char *text, uint32_t queued_count, error_info_t *error) {
  shoal_assert(text, "text must not be NULL");
  bool has_row;
  if (is_watched(s, text))
    return true;
  if (s->watches.count + queued_count >= SQL_MAX_WATCHES)
    return error_set(error, "too many watched queries (at most %u): remove one", SQL_MAX_WATCHES);
  return run_watch(s, text, 0, &has_row, error);
}

void sql_add_watch(sql_o *s, const char *text) {
  shoal_assert(text, "text must not be NULL");
  if (!is_watched(s, text) && s->watches.count < SQL_MAX_WATCHES)
    add_watch(s, text);
}

void sql_remove_watch(sql_o *s, const char *text) {
  for (uint32_t i = s->watches.count; i-- > 0;)
    if (strcmp(s->watches.items[i].text, text) == 0)
      free_watch(s, i);
}

const char *sql_get_watch(const sql_o *s, uint32_t i) {
  return i < s->watches.count ? s->watches.items[i].text : NULL;
}

void sql_move_watches(sql_o *target, sql_o *source) {
  shoal_assert(target != source, "cannot move watches to the same world");
  shoal_assert(target->watches.count + source->watches.count <= SQL_MAX_WATCHES, "%u + %u watches exceed the maximum",
               target->watches.count, source->watches.count);
  for (uint32_t i = 0; i < source->watches.count; ++i)
    add_watch(target, source->watches.items[i].text);
  while (source->watches.count > 0)
    free_watch(source, source->watches.count - 1);
}

// Returns the remaining budget of all watches in ms, which is at least 1. Returns 0 if `budget_ms` is 0, which means no
// limit.
static uint32_t compute_remaining_ms(int64_t start_ns, uint32_t budget_ms) {
  int64_t spent_ms = (now_thread_ns() - start_ns) / 1000000;
  return budget_ms == 0 ? 0 : spent_ms < (int64_t)budget_ms ? (uint32_t)(budget_ms - spent_ms) : 1;
}

const char *sql_check_watches(sql_o *s, uint32_t budget_ms) {
  int64_t start_ns = s->watches.count > 0 ? now_thread_ns() : 0;
  for (uint32_t i = 0; i < s->watches.count;) {
    error_info_t error;
    bool has_row = false;
    if (!run_watch(s, s->watches.items[i].text, compute_remaining_ms(start_ns, budget_ms), &has_row, &error)) {
      log_warn(s->desc.log, "world.watch: removed the watch %s: %s", s->watches.items[i].text, error.text);
      free_watch(s, i);
    } else if (has_row) {
      snprintf(s->fired_watch, sizeof s->fired_watch, "%s", s->watches.items[i].text);
      free_watch(s, i);
      return s->fired_watch;
    } else {
      i++;
    }
  }
  return NULL;
}
