// What the files of SQL over a live world share: sql.c runs statements, sql_tables.c shows the world as virtual tables,
// sql_write.c turns writes into commands. Private to tools.
#ifndef SHOAL_TOOLS_SQL_INTERNAL_H
#define SHOAL_TOOLS_SQL_INTERNAL_H

#include "base/array.h"
#include "tools/sql.h"
#include "tools/table_names.h"

#include <sqlite3.h>

#define SQL_CACHED 8u // prepared statements that are kept

typedef enum table_kind_t {
  TABLE_COMPONENT,
  TABLE_SINGLE,
  TABLE_EVENT,
  TABLE_ENTITIES,
  TABLE_ENTITY_COMPONENTS,
  TABLE_COMPONENTS,
  TABLE_ASSEMBLAGES,
  TABLE_ASSEMBLAGE_COMPONENTS,
  TABLE_EVENTS,
  TABLE_SYSTEMS,
  TABLE_KIND_COUNT
} table_kind_t;

// What a module of SQLite stands for. Lives until the declarations of the world change.
typedef struct table_t {
  sql_o *sql;
  table_kind_t kind;
  uint32_t id; // of the manager or event
  table_name_t name;
  uint32_t key_count;
  uint32_t field_count;
  uint8_t fields[SCHEMA_MAX_FIELDS];       // behind the keys: SQL column → column of the schema
  table_name_t columns[TABLE_MAX_COLUMNS]; // their names
} table_t;

typedef struct vtab_t {
  sqlite3_vtab base; // first, as SQLite wants it
  table_t *table;
} vtab_t;

typedef struct cached_t {
  sqlite3_stmt *statement;
  char *text;
  size_t bytes, rest; // rest: where the next statement begins
  bool write;
  uint64_t used; // when, for finding the oldest
} cached_t;

typedef struct watched_t {
  char *text;
} watched_t;

struct sql_o {
  sql_desc_t desc;
  allocator_t memory;
  sqlite3 *db;     // NULL before the first question
  bool foreign;    // the connection is over a file and not over a world (tools/save_file.c)
  uint64_t layout; // hash of the declarations that the tables stand for
  ARRAY(table_t *) tables;
  cached_t cached[SQL_CACHED];
  uint64_t uses;
  ARRAY(watched_t) watched;
  char fired[256]; // the text that sql_check_watches returned

  // Of the statement that runs.
  bool running, writing;
  bool declaring; // a table tells SQLite its columns, which is our own doing
  uint32_t limit_ms;
  double deadline_s; // 0 for none
  bool late;         // it was stopped at the deadline
  char refused[192]; // what the authorizer had against it
};

// --- sql_tables.c
// Registers a module for every table, in place of those that were there. No statement may be prepared.
bool sql_tables_register(sql_o *s, error_t *error);
void sql_tables_free(sql_o *s);
uint64_t sql_tables_layout(const sql_o *s);
const schema_t *sql_table_schema(const table_t *t); // of a component, single or event
char *sql_table_columns(const table_t *t);          // `"hp" INTEGER, …`; for sqlite3_free
double sql_value_entity(sqlite3_value *v);          // an id, or -1 for what cannot be one

// --- sql.c
// The connection with its tables up to date, without limits and rights to obey: for our own statements. NULL with a message.
sqlite3 *sql_own(sql_o *s, error_t *error);
void sql_forget_statements(sql_o *s);
bool sql_open(sql_o *s, error_t *error); // the connection, if there is none yet

// --- sql_write.c
int sql_write(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid);

#endif
