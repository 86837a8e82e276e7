#include "tools/sql.h"

#include "base/assert.h"
#include "tools/sql_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROGRESS_OPERATIONS 1000 // of SQLite's machine between two looks at the clock

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// -------------------------------------------------------------------------------------------------------------------- life

sql_o *sql_create(const sql_desc_t *desc) {
  allocator_t memory = {0};
  sql_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sql_o){.desc = *desc, .memory = memory};
  return s;
}

static void forget_statement(sql_o *s, cached_t *c) {
  sqlite3_finalize(c->statement);
  if (c->text)
    alloc_resize(&s->memory, c->text, c->bytes + 1, 0);
  *c = (cached_t){0};
}

void sql_forget_statements(sql_o *s) {
  for (uint32_t i = 0; i < SQL_CACHED; i++)
    forget_statement(s, &s->cached[i]);
}

static void forget_watch(sql_o *s, uint32_t i) {
  char *text = s->watched.items[i].text;
  alloc_resize(&s->memory, text, strlen(text) + 1, 0);
  s->watched.items[i] = s->watched.items[--s->watched.count];
}

void sql_destroy(sql_o *s) {
  if (!s)
    return;
  sql_forget_statements(s);
  while (s->watched.count > 0)
    forget_watch(s, 0);
  array_free(&s->memory, &s->watched);
  sqlite3 *db = s->db;
  s->db = NULL; // closing drops the modules
  sqlite3_close(db);
  sql_tables_free(s);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "SQL kept %zu bytes", memory.bytes);
}

// ----------------------------------------------------------------------------------------------------------- what is allowed

static int late(void *context) {
  sql_o *s = context;
  s->late = s->deadline_s > 0 && now_s() > s->deadline_s;
  return s->late;
}

static int deny(sql_o *s, const char *words, const char *what) {
  snprintf(s->refused, sizeof s->refused, "%s%s%s", words, what ? " " : "", what ? what : "");
  return SQLITE_DENY;
}

// What would give another answer in another run, or reach outside.
static bool is_unwelcome(const char *function) {
  static const char *const names[] = {"random",       "randomblob",   "load_extension",   "fts3_tokenizer", "date",
                                      "time",         "datetime",     "julianday",        "strftime",       "unixepoch",
                                      "current_date", "current_time", "current_timestamp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (sqlite3_stricmp(function, names[i]) == 0)
      return true;
  return false;
}

static int authorize(void *context, int action, const char *first, const char *second, const char *db,
                     const char *inside) {
  (void)inside;
  sql_o *s = context;
  if (s->declaring)
    return SQLITE_OK;
  if (db && strcmp(db, "save") == 0 && action != SQLITE_READ)
    return deny(s, "the tables of a save can only be read here:", first);
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_FUNCTION:
    return second && is_unwelcome(second) ? deny(s, "a world's SQL has no function", second) : SQLITE_OK;
  case SQLITE_PRAGMA:
    if (first && (sqlite3_stricmp(first, "table_info") == 0 || sqlite3_stricmp(first, "table_xinfo") == 0))
      return SQLITE_OK;
    return deny(s, "a world's SQL has no PRAGMA", first);
  case SQLITE_INSERT:
  case SQLITE_UPDATE:
  case SQLITE_DELETE:
    if (s->writing)
      return SQLITE_OK;
    return deny(s, "a game's scripts and watches may only read; --exec and ./shoal sql may write:", first);
  case SQLITE_TRANSACTION:
  case SQLITE_SAVEPOINT: return deny(s, "a statement is a transaction of its own here", NULL);
  default:
    return deny(s, "the tables of a world are what its components make them: SELECT, INSERT, UPDATE or DELETE", NULL);
  }
}

bool sql_open(sql_o *s, error_t *error) {
  if (s->db)
    return true;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
  if (sqlite3_open_v2(":memory:", &s->db, flags, NULL) != SQLITE_OK) {
    error_set(error, "SQLite: %s", s->db ? sqlite3_errmsg(s->db) : "no memory");
    sqlite3_close(s->db);
    s->db = NULL;
    return false;
  }
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_exec(s->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL); // sorting makes no files
  sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_set_authorizer(s->db, authorize, s);
  sqlite3_progress_handler(s->db, PROGRESS_OPERATIONS, late, s);
  return true;
}

// The tables follow the declarations.
static bool refresh(sql_o *s, error_t *error) {
  uint64_t layout = sql_tables_layout(s);
  if (s->layout == layout)
    return true;
  sql_forget_statements(s);
  s->layout = 0;
  if (!sql_tables_register(s, error))
    return false;
  s->layout = layout;
  return true;
}

sqlite3 *sql_own(sql_o *s, error_t *error) {
  if (!sql_open(s, error) || !refresh(s, error))
    return NULL;
  s->writing = true;
  sqlite3_set_authorizer(s->db, NULL, NULL);
  sqlite3_progress_handler(s->db, 0, NULL, NULL);
  sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 1);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 1000000000);
  return s->db;
}

// -------------------------------------------------------------------------------------------------------------- statements

static bool fail(sql_o *s, error_t *error) {
  const char *words = sqlite3_errmsg(s->db);
  if (s->late)
    return error_set(error, "the question took longer than %u ms", s->limit_ms);
  if (s->refused[0])
    return error_set(error, "%s", s->refused);
  if (strncmp(words, "no such table", 13) == 0)
    return error_set(error, "%s (SELECT table_name FROM components lists those of components)", words);
  return error_set(error, "%s", words);
}

static bool is_blank(const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (!strchr(" \t\r\n;", text[i]))
      return false;
  return true;
}

static cached_t *find_statement(sql_o *s, const sql_ask_t *ask) {
  for (uint32_t i = 0; i < SQL_CACHED; i++) {
    cached_t *c = &s->cached[i];
    if (c->statement && c->write == ask->write && c->bytes == ask->text_bytes &&
        memcmp(c->text, ask->text, c->bytes) == 0)
      return c;
  }
  return NULL;
}

static cached_t *oldest_statement(sql_o *s) {
  cached_t *oldest = &s->cached[0];
  for (uint32_t i = 1; i < SQL_CACHED; i++)
    if (s->cached[i].used < oldest->used)
      oldest = &s->cached[i];
  return oldest;
}

static cached_t *prepare(sql_o *s, const sql_ask_t *ask, error_t *error) {
  cached_t *c = find_statement(s, ask);
  if (c) {
    c->used = ++s->uses;
    return c;
  }
  sqlite3_stmt *statement = NULL;
  const char *rest = NULL;
  if (sqlite3_prepare_v3(s->db, ask->text, (int)ask->text_bytes, SQLITE_PREPARE_PERSISTENT, &statement, &rest) !=
      SQLITE_OK) {
    fail(s, error);
    return NULL;
  }
  if (!statement || (!ask->several && !is_blank(rest, ask->text_bytes - (size_t)(rest - ask->text)))) {
    sqlite3_finalize(statement);
    error_set(error,
              statement ? "one statement at a time: there is more behind the first" : "there is no statement in it");
    return NULL;
  }
  c = oldest_statement(s);
  forget_statement(s, c);
  *c = (cached_t){.statement = statement, .bytes = ask->text_bytes, .write = ask->write, .used = ++s->uses};
  c->rest = (size_t)(rest - ask->text);
  c->text = alloc_resize(&s->memory, NULL, 0, c->bytes + 1);
  memcpy(c->text, ask->text, c->bytes);
  c->text[c->bytes] = '\0';
  return c;
}

static bool bind(sql_o *s, sqlite3_stmt *statement, const sql_ask_t *ask, error_t *error) {
  int wanted = sqlite3_bind_parameter_count(statement);
  if (wanted != (int)ask->parameter_count)
    return error_set(error, "the text has %d parameter%s, and %u value%s given", wanted, wanted == 1 ? "" : "s",
                     ask->parameter_count, ask->parameter_count == 1 ? " was" : "s were");
  for (int i = 0; i < wanted; i++) {
    const sql_value_t *v = &ask->parameters[i];
    int code = SQLITE_OK;
    switch (v->kind) {
    case SQL_NULL: code = sqlite3_bind_null(statement, i + 1); break;
    case SQL_REAL: code = sqlite3_bind_double(statement, i + 1, v->real); break;
    case SQL_TEXT: code = sqlite3_bind_text(statement, i + 1, v->text, (int)v->bytes, SQLITE_TRANSIENT); break;
    case SQL_BLOB:
    case SQL_MATRIX: code = sqlite3_bind_blob(statement, i + 1, v->text, (int)v->bytes, SQLITE_TRANSIENT); break;
    default: code = sqlite3_bind_int64(statement, i + 1, v->integer); break;
    }
    if (code != SQLITE_OK)
      return fail(s, error);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------------------ results

static void *grow(allocator_t *a, void *items, uint32_t *capacity, uint32_t wanted, size_t bytes) {
  return wanted > *capacity ? array_grow(a, items, capacity, wanted, bytes) : items;
}

// Texts are kept as offsets while the buffer may still move.
static void keep_text(sql_result_t *r, sql_value_t *v, const void *text, uint32_t bytes) {
  r->texts = grow(r->allocator, r->texts, &r->text_capacity, r->text_count + bytes + 1, 1);
  if (bytes)
    memcpy(r->texts + r->text_count, text, bytes);
  r->texts[r->text_count + bytes] = '\0';
  v->integer = r->text_count;
  v->bytes = bytes;
  r->text_count += bytes + 1;
}

// What the column is in the world decides; where an expression hides it, a column that is called `entity` is one.
static sql_kind_t column_kind(sqlite3_stmt *statement, int i) {
  const char *type = sqlite3_column_decltype(statement, i), *name = sqlite3_column_name(statement, i);
  if (type && strcmp(type, "ENTITY") == 0)
    return SQL_ENTITY;
  if (type && strcmp(type, "BOOLEAN") == 0)
    return SQL_BOOL;
  if (type && strcmp(type, "MATRIX") == 0)
    return SQL_MATRIX;
  return !type && name && strcmp(name, "entity") == 0 ? SQL_ENTITY : SQL_NULL;
}

static void keep_value(sql_result_t *r, sqlite3_stmt *statement, int i, sql_kind_t kind) {
  sql_value_t v = {.kind = SQL_NULL};
  switch (sqlite3_column_type(statement, i)) {
  case SQLITE_INTEGER:
    v.kind = kind == SQL_ENTITY || kind == SQL_BOOL ? kind : SQL_INTEGER;
    v.integer = sqlite3_column_int64(statement, i);
    if (kind == SQL_ENTITY && (v.integer < 0 || v.integer >> 30 != 0))
      v.kind = SQL_INTEGER;
    break;
  case SQLITE_FLOAT:
    v.kind = SQL_REAL;
    v.real = sqlite3_column_double(statement, i);
    break;
  case SQLITE_TEXT:
    v.kind = SQL_TEXT;
    keep_text(r, &v, sqlite3_column_text(statement, i), (uint32_t)sqlite3_column_bytes(statement, i));
    break;
  case SQLITE_BLOB:
    keep_text(r, &v, sqlite3_column_blob(statement, i), (uint32_t)sqlite3_column_bytes(statement, i));
    v.kind = kind == SQL_MATRIX && v.bytes == 64 ? SQL_MATRIX : SQL_BLOB;
    break;
  default: break;
  }
  r->values[r->value_count++] = v;
}

static bool is_text(const sql_value_t *v) {
  return v->kind == SQL_TEXT || v->kind == SQL_BLOB || v->kind == SQL_MATRIX;
}

static void keep_names(sql_result_t *r, sqlite3_stmt *statement, sql_kind_t *column_kinds) {
  r->column_count = (uint32_t)sqlite3_column_count(statement);
  r->names = alloc_resize(r->allocator, NULL, 0, r->column_count * sizeof *r->names);
  for (uint32_t i = 0; i < r->column_count; i++) {
    sql_value_t name;
    const char *text = sqlite3_column_name(statement, (int)i);
    keep_text(r, &name, text ? text : "", text ? (uint32_t)strlen(text) : 0);
    r->names[i] = (const char *)(uintptr_t)name.integer; // an offset for now, as the texts
    column_kinds[i] = column_kind(statement, (int)i);
  }
}

static void settle_texts(sql_result_t *r) {
  for (uint32_t i = 0; i < r->column_count; i++)
    r->names[i] = r->texts + (uintptr_t)r->names[i];
  for (uint32_t i = 0; i < r->value_count; i++)
    if (is_text(&r->values[i]))
      r->values[i].text = r->texts + r->values[i].integer;
}

void sql_result_fini(sql_result_t *r) {
  if (!r->allocator)
    return;
  alloc_resize(r->allocator, r->names, r->column_count * sizeof *r->names, 0);
  alloc_resize(r->allocator, r->values, r->value_capacity * sizeof *r->values, 0);
  alloc_resize(r->allocator, r->texts, r->text_capacity, 0);
  *r = (sql_result_t){0};
}

static bool collect(sql_o *s, sqlite3_stmt *statement, sql_result_t *r, error_t *error) {
  size_t kinds_bytes = (size_t)sqlite3_column_count(statement) * sizeof(sql_kind_t);
  sql_kind_t *column_kinds = alloc_resize(&s->memory, NULL, 0, kinds_bytes);
  int code = SQLITE_DONE;
  bool fine = true;
  keep_names(r, statement, column_kinds);
  while (fine && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    r->values = grow(r->allocator, r->values, &r->value_capacity, r->value_count + r->column_count, sizeof *r->values);
    for (uint32_t i = 0; i < r->column_count; i++)
      keep_value(r, statement, (int)i, column_kinds[i]);
    r->row_count++;
    if ((size_t)r->value_count * sizeof *r->values + r->text_count > SQL_RESULT_MAX_BYTES)
      fine = error_set(error, "the answer is larger than %u MB: ask for less (LIMIT)", SQL_RESULT_MAX_BYTES >> 20);
  }
  alloc_resize(&s->memory, column_kinds, kinds_bytes, 0);
  if (fine && code != SQLITE_DONE)
    fine = fail(s, error);
  return fine;
}

// ---------------------------------------------------------------------------------------------------------------------- run

static bool run_prepared(sql_o *s, cached_t *c, const sql_ask_t *ask, sql_result_t *out, error_t *error) {
  bool writes = !sqlite3_stmt_readonly(c->statement);
  *out = (sql_result_t){.allocator = &s->memory};
  if (writes && !s->foreign)
    world_defer_begin(s->desc.world, 0);
  bool fine = bind(s, c->statement, ask, error) && collect(s, c->statement, out, error);
  sqlite3_reset(c->statement);
  sqlite3_clear_bindings(c->statement);
  if (writes && !s->foreign)
    world_defer_end(s->desc.world, !fine);
  if (!fine) {
    sql_result_fini(out);
    return false;
  }
  out->changed = writes ? (uint64_t)sqlite3_changes(s->db) : 0;
  out->rest = ask->text + c->rest;
  settle_texts(out);
  return true;
}

static bool make_ready(sql_o *s, error_t *error) {
  return s->foreign || (sql_open(s, error) && refresh(s, error));
}

bool sql_run(sql_o *s, const sql_ask_t *ask, sql_result_t *out, error_t *error) {
  *out = (sql_result_t){0};
  if (s->running)
    return error_set(error, "a question inside a question");
  if (memchr(ask->text, '\0', ask->text_bytes))
    return error_set(error, "a zero byte inside the text");
  s->running = true;
  s->limit_ms = ask->limit_ms;
  s->deadline_s = ask->limit_ms ? now_s() + ask->limit_ms * 1e-3 : 0;
  s->late = false;
  s->refused[0] = 0;
  s->writing = ask->write;
  bool fine = make_ready(s, error);
  cached_t *c = fine ? prepare(s, ask, error) : NULL;
  fine = c && run_prepared(s, c, ask, out, error);
  s->running = s->writing = false;
  return fine;
}

// ------------------------------------------------------------------------------------------------------------------ watches

static bool ask_watch(sql_o *s, const char *text, bool *has_row, error_t *error) {
  sql_result_t result;
  sql_ask_t ask = {.text = text, .text_bytes = strlen(text), .limit_ms = SQL_WATCH_LIMIT_MS};
  if (!sql_run(s, &ask, &result, error))
    return false;
  *has_row = result.row_count > 0;
  sql_result_fini(&result);
  return true;
}

static void add_watch(sql_o *s, const char *text) {
  size_t bytes = strlen(text) + 1;
  watched_t made = {.text = memcpy(alloc_resize(&s->memory, NULL, 0, bytes), text, bytes)};
  array_push(&s->memory, &s->watched, made);
}

bool sql_watch(sql_o *s, const char *text, error_t *error) {
  bool has_row;
  for (uint32_t i = 0; i < s->watched.count; i++)
    if (strcmp(s->watched.items[i].text, text) == 0)
      return true;
  if (!ask_watch(s, text, &has_row, error))
    return false;
  add_watch(s, text);
  return true;
}

void sql_take_watches(sql_o *to, sql_o *from) {
  for (uint32_t i = 0; i < from->watched.count; i++)
    add_watch(to, from->watched.items[i].text);
  while (from->watched.count > 0)
    forget_watch(from, from->watched.count - 1);
}

const char *sql_check_watches(sql_o *s) {
  for (uint32_t i = 0; i < s->watched.count;) {
    error_t error;
    bool has_row = false;
    if (!ask_watch(s, s->watched.items[i].text, &has_row, &error)) {
      log_warn(s->desc.log, "world.watch: %s: no longer watched: %s", s->watched.items[i].text, error.text);
      forget_watch(s, i);
    } else if (has_row) {
      snprintf(s->fired, sizeof s->fired, "%s", s->watched.items[i].text);
      forget_watch(s, i);
      return s->fired;
    } else {
      i++;
    }
  }
  return NULL;
}

// --------------------------------------------------------------------------------------------------------------- for scripts

static bool port_run(void *context, const sql_ask_t *ask, sql_result_t *out, error_t *error) {
  return sql_run(context, ask, out, error);
}

static bool port_watch(void *context, const char *text, error_t *error) {
  return sql_watch(context, text, error);
}

sql_port_t sql_port(sql_o *s) {
  return (sql_port_t){.context = s, .run = port_run, .fini = sql_result_fini, .watch = port_watch};
}
