// A world's database on a PostgreSQL server, through libpq. All SQLSTATE codes become results here.
//
// Transactions that write run at the isolation level REPEATABLE READ: of two transactions that change the same row, the
// second one fails, and is repeated by its caller. A commit waits until the server and its synchronous standbys have
// stored it. Therefore no statement has a time limit on the server: a limit would end this wait with a success.
// Instead, this process closes a connection that is silent for too long, and `serial` shows the outcome.
//
// A lost connection is opened again when the next transaction begins.
#include "served/postgres_library.h"
#include "served/postgres_partitions.h"
#include "served/world_store_internal.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/utf8.h"
#include "process/child.h"
#include "process/wait.h"
#include "served/world_schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUSY_MS 5000
#define MIN_VERSION 150000
#define MAX_VALUES 32u
#define MIN_REPLY_MS 2000 // minimum time without a reply after which the connection is closed
#define MIGRATION_MS 3600000
#define MIN_BYTES_PER_MS 1024 // assumed minimum transfer rate, which extends the time limit of large statements
#define NUMERIC_BASE 10000

typedef struct connection_t {
  const postgres_library_t *library;
  pg_connection_t *pg; // connection to the server, or NULL
  char *url;
  int busy_ms;
  bool in_transaction;
  bool has_conflict; // true if the last statement has violated a unique constraint
  size_t sent_bytes; // size of the parameters in this transaction
} connection_t;

static connection_t *get_connection(const world_store_o *s) {
  return s->connection;
}

// --- values in the binary format

static void put_number(int64_t number, char out[8]) {
  for (int i = 0; i < 8; ++i)
    out[i] = (char)((uint64_t)number >> (56 - 8 * i));
}

static uint64_t get_unsigned(const uint8_t *bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i)
    number = number << 8 | bytes[i];
  return number;
}

static int64_t get_signed(const uint8_t *bytes, size_t size) {
  uint64_t number = get_unsigned(bytes, size);
  return size == 2 ? (int16_t)number : size == 4 ? (int32_t)number : (int64_t)number;
}

static double get_real(const uint8_t *bytes, size_t size) {
  uint64_t bits = get_unsigned(bytes, size);
  uint32_t single_bits = (uint32_t)bits;
  float single;
  double real;
  memcpy(&single, &single_bits, sizeof single);
  memcpy(&real, &bits, sizeof real);
  return size == 4 ? (double)single : real;
}

// Reads a NUMERIC: number of digits, exponent of the first digit, sign and scale, then digits of base 10,000.
static double get_numeric(const uint8_t *bytes, size_t size) {
  if (size < 8)
    return 0;
  int64_t digits = get_signed(bytes, 2), exponent = get_signed(bytes + 2, 2);
  double real = 0;
  for (int64_t i = 0; i < digits && (size_t)i * 2 + 10 <= size; ++i)
    real = real * NUMERIC_BASE + (double)get_signed(bytes + 8 + i * 2, 2);
  for (int64_t i = digits - 1; i > exponent; --i)
    real /= NUMERIC_BASE;
  for (int64_t i = digits - 1; i < exponent; ++i)
    real *= NUMERIC_BASE;
  return get_unsigned(bytes + 4, 2) == 0x4000 ? -real : real;
}

static store_cell_t read_cell(const store_query_t *query, int column) {
  const postgres_library_t *pq = get_connection(query->store)->library;
  const pg_result_t *rows = query->rows;
  if (pq->getisnull(rows, query->row, column))
    return (store_cell_t){0};
  const uint8_t *bytes = (const uint8_t *)pq->getvalue(rows, query->row, column);
  size_t size = (size_t)pq->getlength(rows, query->row, column);
  switch (pq->ftype(rows, column)) {
  case PG_INT8:
  case PG_INT4:
  case PG_INT2: return (store_cell_t){STORE_KIND_NUMBER, .number = get_signed(bytes, size)};
  case PG_BOOL: return (store_cell_t){STORE_KIND_NUMBER, .number = bytes[0] != 0};
  case PG_FLOAT4:
  case PG_FLOAT8: return (store_cell_t){STORE_KIND_REAL, .real = get_real(bytes, size)};
  case PG_NUMERIC: return (store_cell_t){STORE_KIND_REAL, .real = get_numeric(bytes, size)};
  case PG_TEXT:
  case PG_VARCHAR:
  case PG_NAME:
  case PG_JSON: return (store_cell_t){STORE_KIND_TEXT, .bytes = bytes, .size = size};
  case PG_BYTEA: return (store_cell_t){STORE_KIND_BLOB, .bytes = bytes, .size = size};
  default: return (store_cell_t){0};
  }
}

// A column of JSON text in which each \u0000, which PostgreSQL cannot read, is replaced with U+FFFD. An odd number of
// backslashes precedes u0000, because two of them are a backslash in the string.
#define READABLE_JSON(column)                                                                                          \
  "CASE WHEN strpos(" column ", '\\u0000') = 0 THEN " column " ELSE regexp_replace(" column                            \
  ", '(?<!\\\\)((\\\\\\\\)*)\\\\u0000', '\\1\\\\ufffd', 'g') END"

static void format_chronicle_value(const chronicle_column_t *column, char *out, size_t bytes) {
  static const char *const TYPES[] = {"bigint", "boolean::integer", "double precision", "text"};
  snprintf(out, bytes, "((" READABLE_JSON("c.data") ")::json ->> '%s')::%s", column->name, TYPES[column->type]);
}

// --- results

typedef struct reason_t {
  const char *state; // SQLSTATE, or its first two characters for a class of codes
  store_result_t result;
  const char *fix;
} reason_t;

// Results by SQLSTATE; the first matching entry applies. STORE_FAILED means that the caller repeats the statement, as
// after a lost connection.
static const reason_t REASONS[] = {
    {"08", STORE_FAILED, ""},
    {"23514", STORE_FAILED, ""}, // a row was stored while its partition was created
    {"25006", STORE_FAILED, ": the server is a standby or read-only: connect to the primary"},
    {"25", STORE_FAILED, ""},
    {"28", STORE_FAILED, ": check the user and its password"},
    {"40", STORE_FAILED, ""},
    {"42501", STORE_FAILED, ": make the user of this connection the owner of the database and its tables"},
    {"2BP01", STORE_FAILED, ": drop the objects that other programs have created for it"},
    {"3F000", STORE_FAILED, ": make the user of this connection the owner of the database and its tables"},
    {"42P07", STORE_FAILED, ""}, // a different process creates the tables at the same time
    {"53100", STORE_FAILED, ": free space on the disk of the server"},
    {"53300", STORE_FAILED, ": raise max_connections of the server"},
    {"53", STORE_FAILED, ""},
    {"55P03", STORE_FAILED, ": a different program holds the database for long: end it"},
    {"55", STORE_FAILED, ""},
    {"57", STORE_FAILED, ""},
    {"58", STORE_FAILED, ": check the disk of the server"},
    {"22", STORE_DAMAGED, ": the database is damaged: restore a backup"},
    {"23", STORE_DAMAGED, ": the database is damaged: restore a backup"},
    {"42", STORE_DAMAGED, ": the tables were changed: restore a backup"},
    {"XX001", STORE_DAMAGED, ": the database is damaged: restore a backup"},
    {"XX002", STORE_DAMAGED, ": the database is damaged: restore a backup"},
};

static const reason_t *find_reason(const char *state) {
  for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; ++i)
    if (strncmp(state, REASONS[i].state, strlen(REASONS[i].state)) == 0)
      return &REASONS[i];
  return NULL;
}

store_result_t postgres_explain_state(const char *state, const char *message, char *out, size_t capacity) {
  const reason_t *reason = find_reason(state);
  if (reason)
    (void)snprintf(out, capacity, "%s%s", message, reason->fix);
  else
    (void)snprintf(out, capacity,
                   "the server has refused a statement with the unknown code %s (%s): look up SQLSTATE %s in the "
                   "documentation of PostgreSQL, remove the cause, and start the room again",
                   state, message, state);
  return reason ? reason->result : STORE_DAMAGED;
}

static void disconnect(connection_t *c) {
  if (c->pg)
    c->library->finish(c->pg);
  c->pg = NULL;
}

// Copies a message of libpq as one line.
static void copy_line(const char *message, char *out, size_t capacity) {
  size_t length = 0;
  for (const char *at = message; *at && length + 1 < capacity; ++at)
    if (!strchr("\n\t", *at))
      out[length++] = *at;
    else if (length > 0 && out[length - 1] != ' ' && at[1])
      out[length++] = ' ';
  out[length] = '\0';
}

// Closes the connection, which has failed during a statement.
static store_result_t lose_connection(world_store_o *s, bool is_silent, error_info_t *error) {
  connection_t *c = get_connection(s);
  char text[400] = "";
  if (c->pg)
    copy_line(c->library->errorMessage(c->pg), text, sizeof text);
  disconnect(c);
  return store_fail(s, STORE_FAILED, error, "the connection to the server was lost (%s): check the server",
                    is_silent ? "the server does not answer"
                    : text[0] ? text
                              : "closed by the server");
}

// Returns the statement's result. Sets `error` unless the statement succeeded.
static store_result_t get_result(world_store_o *s, const pg_result_t *rows, error_info_t *error) {
  connection_t *c = get_connection(s);
  int status = c->library->resultStatus(rows);
  if (status == PG_COMMAND_OK || status == PG_TUPLES_OK) {
    c->has_conflict = false;
    return STORE_DONE;
  }
  const char *state = c->library->resultErrorField(rows, PG_FIELD_SQLSTATE);
  const char *message = c->library->resultErrorField(rows, PG_FIELD_MESSAGE);
  message = message ? message : "unknown error";
  if (!state)
    return store_fail(s, STORE_FAILED, error, "%s", message);
  // A different transaction may have added the same key in the meantime; the repeated transaction then finds the row.
  bool is_repeated = c->has_conflict;
  c->has_conflict = strcmp(state, "23505") == 0;
  if (c->has_conflict && !is_repeated)
    return store_fail(s, STORE_FAILED, error, "%s", message);
  char text[800];
  store_result_t result = postgres_explain_state(state, message, text, sizeof text);
  return store_fail(s, result, error, "%s", text);
}

// --- statements

// Waits until the next result can be read without waiting. Returns false if the connection has failed; `is_silent`
// receives true if the reason is that the server has not answered.
static bool wait_for_result(const connection_t *c, bool *is_silent) {
  const postgres_library_t *pq = c->library;
  int64_t limit_ms = (int64_t)c->busy_ms * 2 > MIN_REPLY_MS ? (int64_t)c->busy_ms * 2 : MIN_REPLY_MS;
  limit_ms += (int64_t)(c->sent_bytes / MIN_BYTES_PER_MS);
  int64_t end = now_ns() + limit_ms * NS_PER_MS;
  for (;;) {
    int unsent = pq->flush(c->pg);
    if (unsent < 0)
      return false;
    if (!unsent && !pq->isBusy(c->pg))
      return true;
    wait_t socket = {.handle = pq->socket(c->pg), .requested = unsent ? WAIT_READ | WAIT_WRITE : WAIT_READ};
    int64_t left_ms = (end - now_ns()) / NS_PER_MS + 1;
    int ready = left_ms > 0 ? wait_for_any(&socket, 1, left_ms * 1000) : 0;
    *is_silent = ready == 0;
    if (ready == 0 || (ready < 0 && errno != EINTR))
      return false;
    if (ready < 0)
      continue;
    if (socket.ready & ~WAIT_WRITE && !pq->consumeInput(c->pg))
      return false;
    end = now_ns() + limit_ms * NS_PER_MS;
  }
}

// Reads all results of the sent statements. `rows` receives the last result, or the first result with an error; clear
// it afterwards.
static store_result_t read_results(world_store_o *s, pg_result_t **rows, error_info_t *error) {
  const connection_t *c = get_connection(s);
  const postgres_library_t *pq = c->library;
  bool is_silent = false, is_error = false;
  pg_result_t *next = NULL;
  for (;;) {
    if (!wait_for_result(c, &is_silent))
      return lose_connection(s, is_silent, error);
    if (!(next = pq->getResult(c->pg)))
      break;
    if (is_error) {
      pq->clear(next);
      continue;
    }
    pq->clear(*rows);
    *rows = next;
    is_error = pq->resultStatus(next) != PG_COMMAND_OK && pq->resultStatus(next) != PG_TUPLES_OK;
  }
  // The status also shows that the server has ended the session with an error.
  if (pq->status(c->pg) != PG_CONNECTION_OK || !*rows)
    return lose_connection(s, false, error);
  return get_result(s, *rows, error);
}

// Parameters in the form that libpq requires.
typedef struct parameters_t {
  unsigned types[MAX_VALUES];
  const char *values[MAX_VALUES];
  int sizes[MAX_VALUES], formats[MAX_VALUES];
  char numbers[MAX_VALUES][8];
  char *copies[MAX_VALUES]; // copies of strings that are not valid UTF-8
} parameters_t;

// Returns NULL if the text is valid UTF-8, or otherwise a copy with '?' in place of invalid bytes, which PostgreSQL
// refuses.
static char *repair_text(const char *text, size_t size) {
  char *copy = NULL;
  for (size_t i = 0, length; i < size; i += length) {
    length = utf8_character_length_n(text + i, size - i);
    if (length > 0)
      continue;
    length = 1;
    if (!copy)
      memcpy(copy = alloc_object(size + 1), text, size);
    copy[i] = '?';
  }
  return copy;
}

static void set_parameter(parameters_t *p, uint32_t i, const store_value_t *v) {
  p->formats[i] = 1;
  switch (v->kind) {
  case STORE_KIND_NUMBER:
    put_number(v->number, p->numbers[i]);
    p->types[i] = PG_INT8;
    p->values[i] = p->numbers[i];
    p->sizes[i] = 8;
    break;
  case STORE_KIND_TEXT:
    p->types[i] = PG_TEXT;
    p->sizes[i] = (int)strlen(v->bytes);
    p->copies[i] = repair_text(v->bytes, (size_t)p->sizes[i]);
    p->values[i] = p->copies[i] ? p->copies[i] : v->bytes;
    break;
  case STORE_KIND_BLOB:
    p->types[i] = PG_BYTEA;
    p->values[i] = v->bytes;
    p->sizes[i] = (int)v->number;
    break;
  default: break; // a NULL takes the type that the statement requires
  }
}

static bool send_statement(connection_t *c, const char *sql, const store_value_t *values, uint32_t count) {
  parameters_t p = {0};
  shoal_assert(count <= MAX_VALUES, "%u values for: %s", count, sql);
  for (uint32_t i = 0; i < count; ++i) {
    set_parameter(&p, i, &values[i]);
    c->sent_bytes += (size_t)p.sizes[i];
  }
  bool ok = c->library->sendQueryParams(c->pg, sql, (int)count, p.types, p.values, p.sizes, p.formats, 1);
  for (uint32_t i = 0; i < count; ++i)
    free(p.copies[i]);
  return ok;
}

static store_result_t connect_server(world_store_o *s, error_info_t *error);

// Connects again, unless a transaction has begun, which is lost with its connection.
static store_result_t require_connection(world_store_o *s, error_info_t *error) {
  connection_t *c = get_connection(s);
  if (c->pg)
    return STORE_DONE;
  return c->in_transaction ? lose_connection(s, false, error) : connect_server(s, error);
}

static store_result_t run(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                          pg_result_t **rows, error_info_t *error) {
  connection_t *c = get_connection(s);
  store_result_t result = require_connection(s, error);
  if (!c->in_transaction)
    c->sent_bytes = 0;
  if (result == STORE_DONE && !send_statement(c, sql, values, count))
    return lose_connection(s, false, error);
  return result == STORE_DONE ? read_results(s, rows, error) : result;
}

static store_result_t execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                              int64_t *changed, error_info_t *error) {
  const postgres_library_t *pq = get_connection(s)->library;
  pg_result_t *rows = NULL;
  store_result_t result = run(s, sql, values, count, &rows, error);
  *changed = result == STORE_DONE ? strtoll(pq->cmdTuples(rows), NULL, 10) : 0;
  pq->clear(rows);
  return result;
}

static store_result_t execute_script(world_store_o *s, const char *sql, error_info_t *error) {
  connection_t *c = get_connection(s);
  pg_result_t *rows = NULL;
  store_result_t result = require_connection(s, error);
  if (result == STORE_DONE && !c->library->sendQuery(c->pg, sql))
    return lose_connection(s, false, error);
  if (result == STORE_DONE)
    result = read_results(s, &rows, error);
  c->library->clear(rows);
  return result;
}

static store_result_t begin_query(store_query_t *query, const char *sql, const store_value_t *values, uint32_t count,
                                  error_info_t *error) {
  pg_result_t *rows = NULL;
  store_result_t result = run(query->store, sql, values, count, &rows, error);
  query->rows = rows;
  return result;
}

static store_result_t read_row(store_query_t *query, bool *has_row, error_info_t *error) {
  (void)error;
  *has_row = query->row + 1 < get_connection(query->store)->library->ntuples(query->rows);
  query->row += *has_row;
  return STORE_DONE;
}

static void end_query(store_query_t *query) {
  get_connection(query->store)->library->clear(query->rows);
}

static uint32_t count_columns(const store_query_t *query) {
  return (uint32_t)get_connection(query->store)->library->nfields(query->rows);
}

static const char *get_column_name(const store_query_t *query, uint32_t column) {
  const char *name = get_connection(query->store)->library->fname(query->rows, (int)column);
  return name ? name : "";
}

// --- transactions

static store_result_t begin(world_store_o *s, bool writes, error_info_t *error) {
  connection_t *c = get_connection(s);
  const char *sql =
      writes ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  store_result_t result = execute_script(s, sql, error);
  if (result == STORE_FAILED && !c->pg) // the connection was lost since the last transaction
    result = execute_script(s, sql, error);
  c->in_transaction = result == STORE_DONE;
  c->sent_bytes = 0;
  return result;
}

// Commits the transaction. The server answers COMMIT with ROLLBACK if a statement of the transaction has failed.
static store_result_t commit(world_store_o *s, error_info_t *error) {
  const postgres_library_t *pq = get_connection(s)->library;
  pg_result_t *rows = NULL;
  store_result_t result = run(s, "COMMIT", NULL, 0, &rows, error);
  if (result == STORE_DONE && strcmp(pq->cmdStatus(rows), "COMMIT") != 0)
    result = store_fail(s, STORE_FAILED, error, "the server has rolled the transaction back");
  pq->clear(rows);
  return result;
}

static store_result_t end(world_store_o *s, bool commits, error_info_t *error) {
  connection_t *c = get_connection(s);
  store_result_t result = commits ? commit(s, error) : STORE_FAILED;
  if (c->pg && c->library->transactionStatus(c->pg) != PG_IDLE && execute_script(s, "ROLLBACK", NULL) != STORE_DONE)
    disconnect(c);
  c->in_transaction = false;
  return result;
}

// --- connecting

static void ignore_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

// Returns advice for the user about a refused connection.
static const char *get_connection_fix(const char *message) {
  static const struct {
    const char *words, *fix;
  } FIXES[] = {
      {"database \"", "create the database: createdb --owner USER NAME"},
      {"password", "set the right password in ~/.pgpass, or in the environment variable PGPASSWORD"},
      {"read-only", "connect to the primary, or name all servers: postgres://user@host1,host2/database"},
      {"too many", "raise max_connections of the server"},
      {"connection slots", "raise max_connections of the server"},
      {"invalid", "the address must be postgres://user@host/database"},
  };
  for (size_t i = 0; i < sizeof FIXES / sizeof *FIXES; ++i)
    if (strstr(message, FIXES[i].words))
      return FIXES[i].fix;
  return "check the address, the user, and that the server runs";
}

static store_result_t refuse_connection(world_store_o *s, error_info_t *error) {
  connection_t *c = get_connection(s);
  char text[600];
  copy_line(c->pg ? c->library->errorMessage(c->pg) : "no memory", text, sizeof text);
  disconnect(c);
  return store_fail(s, STORE_FAILED, error, "cannot connect: %s: %s", text, get_connection_fix(text));
}

// Connects to the server. Parameters before "dbname" are defaults, which the address can replace.
static pg_connection_t *open_pg(const connection_t *c) {
  const char *const names[] = {
      "connect_timeout",      "keepalives_idle", "keepalives_interval",       "keepalives_count", "tcp_user_timeout",
      "target_session_attrs", "dbname",          "fallback_application_name", "client_encoding",  NULL};
  const char *const values[] = {"2", "5", "2", "3", "10000", "read-write", c->url, "shoal", "UTF8", NULL};
  return c->library->connectdbParams(names, values, 1);
}

// Sets the parameters that transactions require. Without the time limits, a stopped process or a cut connection would
// keep its locks.
static store_result_t configure(world_store_o *s, error_info_t *error) {
  char sql[640];
  snprintf(sql, sizeof sql,
           "SET statement_timeout = 0; SET lock_timeout = %d; SET idle_in_transaction_session_timeout = 10000;"
           " SET client_connection_check_interval = 2000; SET client_min_messages = error; SET row_security = off;"
           " SET tcp_user_timeout = 10000; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2;"
           " SET tcp_keepalives_count = 3; SET default_transaction_isolation = 'repeatable read';"
           " SELECT set_config('synchronous_commit', 'on', false)"
           "  WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')",
           get_connection(s)->busy_ms);
  return execute_script(s, sql, error);
}

// Refuses servers that are too old, could lose an acknowledged commit, or do not store strings as UTF-8.
static store_result_t check_server(world_store_o *s, error_info_t *error) {
  const connection_t *c = get_connection(s);
  const char *encoding = c->library->parameterStatus(c->pg, "server_encoding");
  int version = c->library->serverVersion(c->pg);
  int64_t syncs = 0;
  if (version < MIN_VERSION)
    return store_fail(s, STORE_FAILED, error, "the server is PostgreSQL %d, but Shoal needs 15 or newer: update it",
                      version / 10000);
  if (!encoding || strcmp(encoding, "UTF8") != 0)
    return store_fail(s, STORE_FAILED, error, "the encoding of the database is %s: create it with ENCODING 'UTF8'",
                      encoding ? encoding : "unknown");
  store_result_t result =
      store_query_number(s, "SELECT CAST(current_setting('fsync') = 'on' AS INTEGER)", NULL, 0, &syncs, error);
  if (result == STORE_DONE && !syncs)
    return store_fail(s, STORE_FAILED, error, "the server could lose commits in a crash: set fsync = on");
  return result;
}

static store_result_t connect_server(world_store_o *s, error_info_t *error) {
  connection_t *c = get_connection(s);
  c->pg = open_pg(c);
  if (!c->pg || c->library->status(c->pg) != PG_CONNECTION_OK)
    return refuse_connection(s, error);
  c->library->setNoticeProcessor(c->pg, ignore_notice, NULL);
  c->library->setnonblocking(c->pg, 1);
  store_result_t result = configure(s, error);
  if (result == STORE_DONE)
    result = check_server(s, error);
  if (result != STORE_DONE)
    disconnect(c);
  return result;
}

// --- opening

// Stores whether the schema contains tables or views, except those of extensions.
static store_result_t find_tables(world_store_o *s, bool *has_tables, error_info_t *error) {
  int64_t count = 0;
  store_result_t result = store_query_number(
      s,
      "SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
      " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT EXISTS"
      " (SELECT 1 FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')",
      NULL, 0, &count, error);
  *has_tables = count > 0;
  return result;
}

// Copies the schema, with an order of strings that does not depend on the locale of the database.
static char *copy_schema(void) {
  static const char TYPE[] = " TEXT", COLLATION[] = " COLLATE \"C\"";
  char *copy = alloc_object(sizeof WORLD_SCHEMA * 2), *out = copy;
  for (const char *in = WORLD_SCHEMA; *in;) {
    size_t size = sizeof TYPE - 1;
    if (strncmp(in, TYPE, size) != 0 || !strchr(" ,)", in[size])) {
      *out++ = *in++;
      continue;
    }
    memcpy(out, TYPE, size);
    memcpy(out + size, COLLATION, sizeof COLLATION - 1);
    out += size + sizeof COLLATION - 1;
    in += size;
  }
  *out = '\0';
  return copy;
}

static store_result_t is_former_chronicle(world_store_o *s, bool *is_former, error_info_t *error) {
  bool is_partitioned = false;
  store_result_t result = postgres_is_partitioned(s, &is_partitioned, error);
  *is_former = !is_partitioned;
  return result;
}

// Extends the time limit of statements, because copying all rows may take long.
static store_result_t migrate_chronicle(world_store_o *s, error_info_t *error) {
  connection_t *c = get_connection(s);
  int busy_ms = c->busy_ms;
  c->busy_ms = MIGRATION_MS;
  store_result_t result = postgres_partition_chronicle(s, error);
  c->busy_ms = busy_ms;
  return result;
}

// Creates the tables, and the function store_now, which also marks the database as a world.
static store_result_t create_tables(world_store_o *s, error_info_t *error) {
  char *schema = copy_schema();
  store_result_t result = execute_script(s, schema, error);
  free(schema);
  if (result == STORE_DONE)
    result = postgres_partition_chronicle(s, error);
  if (result != STORE_DONE)
    return result;
  return execute_script(s,
                        "CREATE FUNCTION store_now() RETURNS BIGINT LANGUAGE sql VOLATILE AS"
                        " 'SELECT CAST(floor(extract(epoch FROM statement_timestamp())) AS BIGINT)'",
                        error);
}

static store_result_t check_application(world_store_o *s, error_info_t *error) {
  bool has_tables = false;
  int64_t is_world = 0;
  store_result_t result = find_tables(s, &has_tables, error);
  if (result == STORE_DONE)
    result = store_query_number(s,
                                "SELECT CAST(to_regclass('world') IS NOT NULL AND to_regprocedure('store_now()')"
                                " IS NOT NULL AS INTEGER)",
                                NULL, 0, &is_world, error);
  if (result == STORE_DONE && has_tables && !is_world)
    return store_fail(s, STORE_DAMAGED, error, "not the database of a served world: use an empty database");
  return result;
}

static store_result_t open_connection(world_store_o *s, const world_store_desc_t *desc, error_info_t *error) {
  connection_t *c = s->connection = alloc_resize(&s->memory, NULL, 0, sizeof(connection_t));
  *c = (connection_t){.library = postgres_library_load(error),
                      .url = alloc_copy_text(&s->memory, desc->path),
                      .busy_ms = desc->busy_ms ? desc->busy_ms : DEFAULT_BUSY_MS};
  if (!c->library)
    return STORE_FAILED;
  store_result_t result = connect_server(s, error);
  return result == STORE_DONE ? check_application(s, error) : result;
}

static void close_connection(world_store_o *s) {
  connection_t *c = get_connection(s);
  disconnect(c);
  alloc_free_text(&s->memory, c->url);
  alloc_resize(&s->memory, c, sizeof *c, 0);
}

// --- backups

// Runs pg_dump, whose dump contains a consistent state of the database and is synchronized to the disk.
static store_result_t back_up(world_store_o *s, const char *path, error_info_t *error) {
  int code = 0, signal = 0;
  const char *const arguments[] = {"pg_dump", "--format=custom", "--no-password",        "--file",
                                   path,      "--dbname",        get_connection(s)->url, NULL};
  if (!child_run_command(arguments, &code, &signal))
    return store_fail(s, STORE_FAILED, error, "cannot start pg_dump: end other programs");
  if (code == 0 && signal == 0)
    return STORE_DONE;
  remove(path); // an incomplete dump
  if (code == CHILD_MISSING_PROGRAM)
    return store_fail(s, STORE_FAILED, error,
                      "pg_dump writes backups, but is not installed on this machine: install it (on Debian: apt-get "
                      "install postgresql-client), or use pg_dump --format=custom on the server");
  return store_fail(s, STORE_FAILED, error, "pg_dump has failed (exit status %d): see its message", code);
}

// The keys of components and fields need no escaping, because they contain no quotes.
static void format_json_value(const owned_path_t *path, owned_type_t type, char *out, size_t bytes) {
  static const char *const TYPES[] = {"BOOLEAN", "BIGINT", "DOUBLE PRECISION", "TEXT"};
  bool is_boolean = type == OWNED_BOOLEAN;
  const char *source = path->is_instance ? "instance.value" : READABLE_JSON("owned.components");
  size_t at = (size_t)snprintf(out, bytes, "%sCAST(CAST(%s AS jsonb) #>> '{", is_boolean ? "CAST(" : "", source);
  for (uint32_t i = 0; i < path->count && at < bytes; ++i)
    at += (size_t)snprintf(out + at, bytes - at, "%s\"%s\"", i ? "," : "", path->keys[i]);
  if (at < bytes)
    snprintf(out + at, bytes - at, "}' AS %s)%s", TYPES[type], is_boolean ? " AS INTEGER)" : "");
}

static void format_instances(const char *component, char *out, size_t bytes) {
  snprintf(out, bytes,
           " FROM owned CROSS JOIN LATERAL (SELECT CAST(" READABLE_JSON(
               "owned.components") " AS jsonb) -> '%s' AS list)"
                                   " AS instances CROSS JOIN LATERAL jsonb_each("
                                   "CASE jsonb_typeof(list) WHEN 'object' THEN list ELSE CAST('{}' AS jsonb) END)"
                                   " AS instance (key, value) WHERE jsonb_typeof(instance.value) = 'object'",
           component);
}

const store_driver_t POSTGRES_DRIVER = {
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
    .is_former_chronicle = is_former_chronicle,
    .migrate_chronicle = migrate_chronicle,
    .prepare_days = postgres_prepare_days,
    .remove_expired = postgres_remove_expired,
    .back_up = back_up,
    .format_json_value = format_json_value,
    .format_instances = format_instances,
};
