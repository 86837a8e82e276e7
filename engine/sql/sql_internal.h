// What the files of SQL over a live world share: sql.c runs statements, sql_tables.c shows the world as virtual tables,
// sql_write.c turns writes into commands. Private to this module and to saves (store/save_internal.h), which are
// databases attached to the same connection.
#ifndef SHOAL_SQL_SQL_INTERNAL_H
#define SHOAL_SQL_SQL_INTERNAL_H

#include "base/array.h"
#include "base/nearest_name.h"
#include "sql/sql.h"
#include "sql/table_names.h"

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
  uint32_t derived_count;                  // of a component: columns behind the row's name, hidden
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
  bool write, measured;
  uint32_t value_bytes; // that a text or blob may have in it
  uint64_t used;        // when, for finding the oldest
} cached_t;

typedef struct watched_t {
  char *text;
} watched_t;

typedef enum sql_stop_t {
  SQL_STOP_NONE,
  SQL_STOP_STEPS,    // the statement is over its limit
  SQL_STOP_TIME,     // over its time
  SQL_STOP_WATCHDOG, // the script that asked is over its own, or the program shall end
} sql_stop_t;

struct sql_o {
  sql_desc_t desc;
  allocator_t memory;
  sqlite3 *db;     // NULL before the first question
  bool runs_on;    // its statements are ours and come to their end, also when the program shall end
  bool foreign;    // the connection is over a file and not over a world (store/save_file.c)
  uint64_t layout; // hash of the declarations that the tables stand for
  ARRAY(table_t *) tables;
  cached_t cached[SQL_CACHED];
  uint64_t uses;
  ARRAY(watched_t) watched;
  char fired[256]; // the text that sql_check_watches returned

  // Of the statement that runs.
  bool running, writing;
  bool ran_out;       // the last one, of its steps
  uint32_t most_rows; // of the answer; 0: all
  bool declaring;     // a table tells SQLite its columns, which is our own doing
  bool measured;
  const char *text;     // of what is prepared
  uint64_t limit_steps; // 0 for none
  uint64_t script_steps;
  uint64_t steps;   // so far
  int64_t until_ns; // by the thread's clock; 0 for no end
  uint32_t looks;
  uint32_t value_bytes; // what its texts and blobs may have; 0 before that is known
  sql_stop_t stopped;
  char refused[192]; // what the authorizer had against it
};

// --- sql_tables.c
// Registers a module for every table, in place of those that were there. No statement may be prepared.
bool sql_tables_register(sql_o *s, error_t *error);
void sql_tables_free(sql_o *s);
uint64_t sql_tables_layout(const sql_o *s);
const schema_t *sql_table_schema(const table_t *t); // of a component, single or event
const field_t *sql_derived_field(const table_t *t, uint32_t number);
char *sql_table_columns(const table_t *t); // `"hp" INTEGER, …`; for sqlite3_free
// What a row of a component is called in SQL, in the component's table and in entity_components: for the row's life.
sqlite3_int64 sql_data_id(const manager_o *m, uint32_t row);
char *sql_entity_words(world_o *w, shoal_entity e); // what `entities.words` has in it; for sqlite3_free
double sql_value_entity(sqlite3_value *v);          // an id, or -1 for what cannot be one

// --- sql.c The connection with its tables up to date, without limits and rights to obey: for our own statements. NULL
// with a message. `may_stop`: they end as well when the program shall end, for reading what may be hostile.
sqlite3 *sql_own(sql_o *s, bool may_stop, error_t *error);
void sql_forget_statements(sql_o *s);
bool sql_open(sql_o *s, error_t *error); // the connection, if there is none yet
// A connection to an empty database in memory, with our functions; its statements end when they are to end.
bool sql_connect(sql_o *s, error_t *error);

// --- sql_budget.c
// Counts work that SQLite's machine does not count: a function that looks at many bytes, a scan that passes many rows
// over. False when the statement is to end; the caller returns as soon as it can.
bool sql_charge(sql_o *s, uint64_t steps);
bool sql_may_go_on(sql_o *s); // a look without a charge
// What runs from here on is stopped after so much of the thread's time; 0: it is not.
void sql_set_budget(sql_o *s, uint32_t ms);
#define SQL_BYTES_PER_STEP 32u

// --- sql_functions.c Puts functions of ours in the place of those of SQLite that can take very long in one call, or
// whose result depends on the processor.
bool sql_functions_register(sql_o *s, error_t *error);
bool sql_function_is_known(const char *name); // may a world's SQL call it?
void sql_functions_offer(nearest_name_t *s);  // their names

// --- sql_memory.c
// Between the two, what SQLite allocates on this thread is counted, and refused above `most_bytes` or when the
// statement of `s` is to end. Not nested.
void sql_memory_install(void); // before the first connection of the process; again is fine
void sql_memory_begin(sql_o *s, size_t most_bytes);
bool sql_memory_end(void); // true when it was too much

// --- sql_filter.c Conditions that are looked at before a row is given to SQLite, which looks at it once more.
#define SQL_SIEVE_TESTS 4u
#define SQL_ENTITY_WORDS 6 // the hidden column of `entities`
typedef struct sql_filter_test_t {
  int op;          // SQLITE_INDEX_CONSTRAINT_…
  uint32_t column; // of the schema
  double number;
  char word[64];     // LIKE '%word%', in small letters
  uint32_t known[3]; // texts that were looked at last, for many entities have the same,
  bool has[3];       // and whether they have it
} sql_filter_test_t;
typedef struct sql_filter_t {
  uint32_t count;
  sql_filter_test_t tests[SQL_SIEVE_TESTS];
} sql_filter_t;
bool sql_filter_takes(const table_t *t, int column, int op); // of the question that is planned now
void sql_filter_add(sql_filter_t *s, const table_t *t, int column, int op, sqlite3_value *value);
bool sql_filter_lets_row(const sql_filter_t *s, const columns_t *c, uint32_t row);
bool sql_filter_lets_entity(sql_filter_t *s, const strings_o *strings, const uint32_t texts[3]); // 0: none

// --- sql_write.c
int sql_write(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid);

#endif
