// Reads the tables of a world on a PostgreSQL server for questions. Rows of `chronicle` are read with a cursor, in the
// order of the file's index (event, at), so that answers without ORDER BY are equal, too. Conditions on the columns
// that have an index are part of the statement; SQLite tests them again. Rows of `room` and `account` are read in pages
// of consecutive numbers, which are kept until the question ends, because joins look them up by number.
#include "served/question_tables.h"

#include "base/json_writer.h"
#include "served/world_schema.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_ROWS 512 // maximum number of rows in a page
#define MAX_PAGES 64u // maximum number of pages that are kept per table
#define FIRST_ROWS 32u
#define MAX_ROWS 1024u // maximum number of rows that a cursor reads at a time
#define MAX_CONDITIONS 12u

// Columns of `chronicle` in the order of its declaration.
enum { ROOM, FENCE, TICK, ORDINAL, EVENT, ACCOUNT, AT, EXPIRES, DATA, COLUMN_COUNT };
static const char *const COLUMNS[] = {"room", "fence", "tick", "ordinal", "event", "account", "at", "expires", "data"};

typedef struct page_t {
  int64_t first; // smallest number that the page may contain
  int count;     // number of rows; 0: the page is unused or empty
  bool is_read;
  store_query_t rows;
} page_t;

// A table whose numbers and names questions can read.
typedef struct name_table_t {
  const char *sql;                // statement for the page of $2 rows that begins at the number $1
  int number_column, name_column; // indices of the columns in the table's declaration
  page_t pages[MAX_PAGES];
} name_table_t;

struct question_tables_o {
  world_store_o *store;
  store_result_t result; // result of the first scan that has failed
  error_info_t error;
  uint64_t cursor_count; // number of cursors opened since the start of the question
  name_table_t rooms, accounts;
};

typedef struct table_t {
  sqlite3_vtab base; // must be first
  question_tables_o *tables;
  name_table_t *names; // NULL: the table `chronicle`
} table_t;

// Records the first failure. Returns an SQLite result code.
static int note_result(question_tables_o *t, store_result_t result, const error_info_t *error) {
  if (result != STORE_DONE && t->result == STORE_DONE) {
    t->result = result;
    t->error = *error;
  }
  return result == STORE_DONE ? SQLITE_OK : SQLITE_IOERR;
}

// --- conditions

typedef enum operator_t { EQUAL = '=', FROM = '>', TO = '<' } operator_t;

// Converts a value to an integer bound that excludes no matching row. Returns true on success, or false if the
// condition cannot be passed on.
static bool get_bound(sqlite3_value *value, operator_t comparison, int64_t *out) {
  double real = sqlite3_value_double(value);
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER: *out = sqlite3_value_int64(value); return true;
  case SQLITE_FLOAT:
    real = comparison == FROM ? floor(real) : ceil(real);
    if (comparison == EQUAL || !(real > -9e18 && real < 9e18))
      return false;
    *out = (int64_t)real;
    return true;
  default: return false;
  }
}

// Returns the operator for a condition of SQLite in the server's statement, or 0 if the condition is not passed on.
// Strict comparisons are passed on as <= and >=.
static int get_operator(int operation) {
  switch (operation) {
  case SQLITE_INDEX_CONSTRAINT_EQ: return EQUAL;
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE: return FROM;
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE: return TO;
  default: return 0;
  }
}

// --- numbers and names

typedef struct name_cursor_t {
  sqlite3_vtab_cursor base; // must be first
  page_t page;              // page of a scan
  int64_t number;
  char *name; // name of the current row
  bool is_scan, is_at_end;
} name_cursor_t;

static void clear_page(page_t *page) {
  if (page->rows.store)
    store_query_end(&page->rows);
  *page = (page_t){0};
}

static int read_page(question_tables_o *t, const name_table_t *names, int64_t first, page_t *page) {
  error_info_t error = {0};
  clear_page(page);
  page->first = first;
  store_query_begin(t->store, &page->rows, names->sql, STORE_VALUES(STORE_NUMBER(first), STORE_NUMBER(PAGE_ROWS)),
                    &error);
  while (store_next(t->store, &page->rows, &error))
    ++page->count;
  page->is_read = page->rows.result == STORE_DONE;
  return note_result(t, page->rows.result, &error);
}

static int64_t get_number(page_t *page, int row) {
  page->rows.row = row;
  return store_read_cell(&page->rows, 0).number;
}

static int set_row(name_cursor_t *c, page_t *page, int row) {
  c->number = get_number(page, row);
  store_cell_t name = store_read_cell(&page->rows, 1);
  sqlite3_free(c->name);
  c->name = sqlite3_mprintf("%.*s", (int)name.size, name.size > 0 ? (const char *)name.bytes : "");
  return c->name ? SQLITE_OK : SQLITE_NOMEM;
}

// Finds the row of a number in the page that may contain it.
static int look_up(question_tables_o *t, name_table_t *names, int64_t number, name_cursor_t *c) {
  int64_t block = (int64_t)((uint64_t)number / PAGE_ROWS);
  page_t *page = &names->pages[(uint64_t)block % MAX_PAGES];
  c->is_at_end = true;
  if (number < 0)
    return SQLITE_OK;
  if (!page->is_read || page->first != block * PAGE_ROWS) {
    int code = read_page(t, names, block * PAGE_ROWS, page);
    if (code != SQLITE_OK)
      return code;
  }
  int low = 0, high = page->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (get_number(page, middle) < number)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == page->count || get_number(page, low) != number)
    return SQLITE_OK;
  c->is_at_end = false;
  return set_row(c, page, low);
}

static int advance_scan(question_tables_o *t, const name_table_t *names, name_cursor_t *c) {
  int row = c->page.rows.row + 1;
  if (row == PAGE_ROWS) {
    int code = read_page(t, names, c->number + 1, &c->page);
    if (code != SQLITE_OK)
      return code;
    row = 0;
  }
  c->is_at_end = row >= c->page.count;
  return c->is_at_end ? SQLITE_OK : set_row(c, &c->page, row);
}

static int begin_name_scan(const table_t *table, name_cursor_t *c, int argc, sqlite3_value **argv) {
  int64_t number = 0;
  c->is_scan = argc == 0 || !get_bound(argv[0], EQUAL, &number);
  if (!c->is_scan)
    return look_up(table->tables, table->names, number, c);
  int code = read_page(table->tables, table->names, INT64_MIN, &c->page);
  c->is_at_end = c->page.count == 0;
  return code != SQLITE_OK || c->is_at_end ? code : set_row(c, &c->page, 0);
}

static int choose_name_index(const name_table_t *names, sqlite3_index_info *info) {
  info->estimatedRows = 10000;
  info->estimatedCost = 20000;
  for (int i = 0; i < info->nConstraint; ++i) {
    if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (info->aConstraint[i].iColumn == names->name_column)
      info->estimatedRows = 1;
    if (info->aConstraint[i].iColumn != names->number_column)
      continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->estimatedRows = 1;
    info->estimatedCost = 10;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    break;
  }
  return SQLITE_OK;
}

// --- rows of the chronicle

typedef struct row_cursor_t {
  sqlite3_vtab_cursor base; // must be first
  uint64_t number;          // number of the server's cursor; 0: closed
  store_query_t rows;       // rows that were read
  uint32_t row_count, capacity;
  uint32_t columns; // bit mask of the columns that the statement reads
  int64_t rowid;
  bool is_at_end;
} row_cursor_t;

// Bit of idxNum for the reverse order. The lower bits are a mask of the columns to read.
#define REVERSE (1 << COLUMN_COUNT)

static double get_selectivity(int column, int comparison) {
  if (comparison != EQUAL)
    return 0.25;
  return column == EVENT ? 0.1 : column == ROOM ? 0.25 : 0.02;
}

// Returns true if the rows are needed in the order of `at`.
static bool is_ordered_by_time(const sqlite3_index_info *info) {
  return info->nOrderBy == 1 && info->aOrderBy[0].iColumn == AT;
}

static int choose_row_index(sqlite3_index_info *info) {
  char conditions[MAX_CONDITIONS * 2 + 1] = "";
  double rows = 1e6;
  int count = 0;
  for (int i = 0; i < info->nConstraint && count < (int)MAX_CONDITIONS; ++i) {
    int column = info->aConstraint[i].iColumn, comparison = get_operator(info->aConstraint[i].op);
    bool is_known = column == EVENT
                        ? comparison == EQUAL
                        : comparison && (column == ROOM || column == TICK || column == ACCOUNT || column == AT);
    if (!info->aConstraint[i].usable || !is_known)
      continue;
    conditions[count * 2] = (char)('0' + column);
    conditions[count * 2 + 1] = (char)comparison;
    info->aConstraintUsage[i].argvIndex = ++count;
    rows *= get_selectivity(column, comparison);
  }
  bool is_reverse = is_ordered_by_time(info) && info->aOrderBy[0].desc;
  info->orderByConsumed = is_ordered_by_time(info);
  info->idxNum = (int)(info->colUsed & (REVERSE - 1)) | (is_reverse ? REVERSE : 0);
  info->idxStr = sqlite3_mprintf("%s", conditions);
  info->needToFreeIdxStr = 1;
  info->estimatedRows = (sqlite3_int64)rows + 1;
  info->estimatedCost = 1000 + 2 * rows;
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_rows(question_tables_o *t, row_cursor_t *c) {
  char sql[48];
  error_info_t error = {0};
  store_result_t result = STORE_DONE;
  if (c->rows.store)
    store_query_end(&c->rows);
  c->rows = (store_query_t){0};
  if (c->number > 0 && t->result == STORE_DONE) { // a transaction that has failed closes its cursors
    (void)snprintf(sql, sizeof sql, "CLOSE q%" PRIu64, c->number);
    result = store_execute(t->store, sql, NULL, 0, NULL, &error);
  }
  c->number = 0;
  return note_result(t, result, &error);
}

// Reads the next rows from the server. Each call reads more rows, because many questions need only the first rows.
static int read_rows(question_tables_o *t, row_cursor_t *c) {
  char sql[64];
  error_info_t error = {0};
  if (c->rows.store)
    store_query_end(&c->rows);
  c->capacity = c->capacity == 0 ? FIRST_ROWS : c->capacity < MAX_ROWS ? c->capacity * 4 : MAX_ROWS;
  c->row_count = 0;
  (void)snprintf(sql, sizeof sql, "FETCH %u FROM q%" PRIu64, c->capacity, c->number);
  store_query_begin(t->store, &c->rows, sql, NULL, 0, &error);
  while (store_next(t->store, &c->rows, &error))
    ++c->row_count;
  c->is_at_end = c->row_count == 0;
  store_result_t result = c->rows.result;
  c->rows.row = 0;
  return note_result(t, result, &error);
}

static int advance_rows(question_tables_o *t, row_cursor_t *c) {
  ++c->rowid;
  if (++c->rows.row < (int)c->row_count)
    return SQLITE_OK;
  c->is_at_end = c->row_count < c->capacity;
  return c->is_at_end ? SQLITE_OK : read_rows(t, c);
}

// Appends the conditions, and fills their values. Returns the number of values.
static uint32_t add_conditions(json_writer_t *sql, const char *conditions, sqlite3_value **argv,
                               store_value_t values[MAX_CONDITIONS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; conditions[2 * i]; ++i) {
    int column = conditions[2 * i] - '0', comparison = conditions[2 * i + 1];
    int64_t bound = 0;
    char text[48];
    const char *string = column == EVENT && sqlite3_value_type(argv[i]) == SQLITE_TEXT
                             ? (const char *)sqlite3_value_text(argv[i])
                             : NULL;
    if (!string && (column == EVENT || !get_bound(argv[i], (operator_t)comparison, &bound)))
      continue;
    values[count] = string ? STORE_TEXT(string) : STORE_NUMBER(bound);
    (void)snprintf(text, sizeof text, "%s%s %s $%u", count ? " AND " : " WHERE ", COLUMNS[column],
                   comparison == EQUAL  ? "="
                   : comparison == FROM ? ">="
                                        : "<=",
                   count + 1);
    json_write_text(sql, text);
    ++count;
  }
  return count;
}

static void write_columns(json_writer_t *sql, uint32_t columns) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < COLUMN_COUNT; ++i) {
    if (!(columns & 1u << i))
      continue;
    json_write_text(sql, count++ ? ", " : "");
    json_write_text(sql, COLUMNS[i]);
  }
  json_write_text(sql, count ? "" : "1");
}

static int begin_row_scan(question_tables_o *t, row_cursor_t *c, int plan, const char *conditions,
                          sqlite3_value **argv) {
  char text[96];
  const char *direction = plan & REVERSE ? " DESC" : "";
  allocator_t memory = {0};
  json_writer_t sql;
  store_value_t values[MAX_CONDITIONS];
  error_info_t error = {0};
  json_writer_init(&sql, &memory);
  c->number = ++t->cursor_count;
  c->capacity = 0;
  c->columns = (uint32_t)plan & (REVERSE - 1u);
  (void)snprintf(text, sizeof text, "DECLARE q%" PRIu64 " NO SCROLL CURSOR FOR SELECT ", c->number);
  json_write_text(&sql, text);
  write_columns(&sql, c->columns);
  json_write_text(&sql, " FROM chronicle");
  uint32_t count = add_conditions(&sql, conditions, argv, values);
  (void)snprintf(text, sizeof text, " ORDER BY at%s, room%s, fence%s, tick%s, ordinal%s", direction, direction,
                 direction, direction, direction);
  json_write_text(&sql, text);
  int code = note_result(t, store_execute(t->store, json_writer_text(&sql), values, count, NULL, &error), &error);
  json_writer_fini(&sql);
  return code == SQLITE_OK ? read_rows(t, c) : code;
}

// --- virtual tables

// Copies the declaration of a table from the schema.
static char *copy_declaration(const char *table) {
  char start[64];
  (void)snprintf(start, sizeof start, "CREATE TABLE %s (", table);
  const char *begin = strstr(WORLD_SCHEMA, start), *end = begin ? strchr(begin, ';') : NULL;
  return end ? sqlite3_mprintf("%.*s", (int)(end - begin), begin) : NULL;
}

static int connect_table(sqlite3 *db, void *context, int argc, const char *const *argv, sqlite3_vtab **out,
                         char **message) {
  question_tables_o *t = context;
  (void)argc;
  (void)message;
  char *declaration = copy_declaration(argv[2]);
  int code = declaration ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;
  sqlite3_free(declaration);
  table_t *table = code == SQLITE_OK ? sqlite3_malloc(sizeof *table) : NULL;
  if (!table)
    return code == SQLITE_OK ? SQLITE_NOMEM : code;
  *table = (table_t){.tables = t,
                     .names = strcmp(argv[2], "room") == 0      ? &t->rooms
                              : strcmp(argv[2], "account") == 0 ? &t->accounts
                                                                : NULL};
  *out = &table->base;
  return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab) {
  sqlite3_free(vtab);
  return SQLITE_OK;
}

static int choose_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  const table_t *table = (const table_t *)vtab;
  return table->names ? choose_name_index(table->names, info) : choose_row_index(info);
}

static const table_t *get_table(const sqlite3_vtab_cursor *cursor) {
  return (const table_t *)cursor->pVtab;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  size_t bytes = ((table_t *)vtab)->names ? sizeof(name_cursor_t) : sizeof(row_cursor_t);
  *out = sqlite3_malloc((int)bytes);
  if (*out)
    memset(*out, 0, bytes);
  return *out ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  const table_t *table = get_table(cursor);
  if (table->names) {
    name_cursor_t *c = (name_cursor_t *)cursor;
    clear_page(&c->page);
    sqlite3_free(c->name);
  } else {
    close_rows(table->tables, (row_cursor_t *)cursor);
  }
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int start_scan(sqlite3_vtab_cursor *cursor, int plan, const char *conditions, int argc, sqlite3_value **argv) {
  const table_t *table = get_table(cursor);
  if (table->names)
    return begin_name_scan(table, (name_cursor_t *)cursor, argc, argv);
  int code = close_rows(table->tables, (row_cursor_t *)cursor);
  return code == SQLITE_OK ? begin_row_scan(table->tables, (row_cursor_t *)cursor, plan, conditions, argv) : code;
}

static int advance_cursor(sqlite3_vtab_cursor *cursor) {
  const table_t *table = get_table(cursor);
  name_cursor_t *c = (name_cursor_t *)cursor;
  if (!table->names)
    return advance_rows(table->tables, (row_cursor_t *)cursor);
  if (c->is_scan)
    return advance_scan(table->tables, table->names, c);
  c->is_at_end = true;
  return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor) {
  return get_table(cursor)->names ? ((name_cursor_t *)cursor)->is_at_end : ((row_cursor_t *)cursor)->is_at_end;
}

static void set_name_result(const name_table_t *names, const name_cursor_t *c, sqlite3_context *out, int column) {
  if (column == names->number_column)
    sqlite3_result_int64(out, c->number);
  else if (column == names->name_column)
    sqlite3_result_text(out, c->name, -1, SQLITE_TRANSIENT);
}

static void set_row_result(const row_cursor_t *c, sqlite3_context *out, int column) {
  int index = 0;
  for (int i = 0; i < column; ++i)
    index += (c->columns >> i & 1) != 0;
  store_cell_t cell = c->columns >> column & 1 ? store_read_cell(&c->rows, index) : (store_cell_t){0};
  if (cell.kind == STORE_KIND_NUMBER)
    sqlite3_result_int64(out, cell.number);
  else if (cell.kind == STORE_KIND_TEXT)
    sqlite3_result_text(out, cell.bytes, (int)cell.size, SQLITE_TRANSIENT);
}

static int set_column_result(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column) {
  const name_table_t *names = get_table(cursor)->names;
  if (names)
    set_name_result(names, (const name_cursor_t *)cursor, out, column);
  else
    set_row_result((const row_cursor_t *)cursor, out, column);
  return SQLITE_OK;
}

static int get_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out) {
  *out = get_table(cursor)->names ? ((name_cursor_t *)cursor)->number : ((row_cursor_t *)cursor)->rowid;
  return SQLITE_OK;
}

static const sqlite3_module MODULE = {
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = choose_index,
    .xDisconnect = disconnect_table,
    .xDestroy = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = start_scan,
    .xNext = advance_cursor,
    .xEof = is_at_end,
    .xColumn = set_column_result,
    .xRowid = get_rowid,
};

question_tables_o *question_tables_create(sqlite3 *db, world_store_o *store, error_info_t *error) {
  static const char TABLES[] = "DROP TABLE chronicle; DROP TABLE room; DROP TABLE account;"
                               "CREATE VIRTUAL TABLE chronicle USING world_table;"
                               "CREATE VIRTUAL TABLE room USING world_table;"
                               "CREATE VIRTUAL TABLE account USING world_table";
  question_tables_o *t = alloc_object(sizeof *t);
  t->store = store;
  t->rooms = (name_table_t){.sql = "SELECT number, name FROM room WHERE number >= $1 ORDER BY number LIMIT $2",
                            .name_column = 1};
  t->accounts =
      (name_table_t){.sql = "SELECT id, name FROM account WHERE id >= $1 ORDER BY id LIMIT $2", .name_column = 2};
  int code = sqlite3_create_module(db, "world_table", &MODULE, t);
  if (code == SQLITE_OK) // tables without rows give the guard the names of all tables
    code = sqlite3_exec(db, WORLD_SCHEMA, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_exec(db, TABLES, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    return t;
  error_set(error, "%s: %s", store->path, sqlite3_errmsg(db));
  free(t);
  return NULL;
}

void question_tables_destroy(question_tables_o *t) {
  free(t);
}

store_result_t question_tables_begin(question_tables_o *t, error_info_t *error) {
  t->result = STORE_DONE;
  t->cursor_count = 0;
  return store_begin_read(t->store, error);
}

static void clear_pages(name_table_t *names) {
  for (uint32_t i = 0; i < MAX_PAGES; ++i)
    clear_page(&names->pages[i]);
}

store_result_t question_tables_end(question_tables_o *t, error_info_t *error) {
  clear_pages(&t->rooms);
  clear_pages(&t->accounts);
  if (t->result != STORE_DONE)
    *error = t->error;
  return store_end(t->store, t->result, error);
}
