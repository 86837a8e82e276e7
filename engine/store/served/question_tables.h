// The tables that questions read, as virtual tables of SQLite over a connection to a PostgreSQL server. SQLite executes
// the question, and the server receives only the statements of question_tables.c, so a question has the same answer and
// the same limits in both databases. Private to served.
#ifndef SHOAL_SERVED_QUESTION_TABLES_H
#define SHOAL_SERVED_QUESTION_TABLES_H

#include "served/world_store_internal.h"

typedef struct sqlite3 sqlite3;
typedef struct question_tables_o question_tables_o;

// Adds all tables of a world to an empty database in memory. Only `chronicle`, `room` and `account` have rows. Both
// connections are borrowed. Returns the tables, or NULL with an error on failure.
question_tables_o *question_tables_create(sqlite3 *db, world_store_o *store, error_info_t *error);
void question_tables_destroy(question_tables_o *t); // call it after sqlite3_close; accepts NULL

// Begins a question. All scans until question_tables_end read one state of the database.
store_result_t question_tables_begin(question_tables_o *t, error_info_t *error);
// Ends the question. Returns STORE_DONE, or the result of the first scan that has failed since question_tables_begin,
// with its error.
store_result_t question_tables_end(question_tables_o *t, error_info_t *error);

#endif
