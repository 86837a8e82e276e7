// Connections that can only read the chronicle. Each kind of database has an implementation. Private to served.
#ifndef SHOAL_SERVED_QUESTION_DRIVER_H
#define SHOAL_SERVED_QUESTION_DRIVER_H

#include "base/json_value.h"
#include "base/json_writer.h"
#include "served/question_reader.h"
#include "served/world_store_internal.h"

#define QUESTION_MAX_PARAMETERS 32u

// The rows of an answer.
typedef struct question_rows_t {
  json_writer_t text; // rows as a JSON list
  uint32_t count;
  bool is_cut;
  char names[CHRONICLE_MAX_COLUMNS][CHRONICLE_NAME_BYTES];
  uint32_t column_count;
} question_rows_t;

// Stores the name of a column. Returns true on success, or false with an error if the query has too many columns, two
// columns of the same name or a column with a name of CHRONICLE_NAME_BYTES or more.
bool question_rows_add_column(question_rows_t *rows, const char *name, error_info_t *error);
// Adds a row with a value per column. Returns true if more rows may fit, or false if the query must stop.
bool question_rows_add(question_rows_t *rows, const store_cell_t *cells);

typedef enum question_result_t {
  QUESTION_ANSWERED,
  QUESTION_WRONG,      // the database has refused the question, with an error
  QUESTION_UNAVAILABLE // the database does not answer; connect again
} question_result_t;

typedef struct question_driver_t {
  // Connects. Returns the connection, or NULL with an error if the database does not answer.
  void *(*open)(const char *database, error_info_t *error);
  void (*close)(void *connection);
  // Executes one query. `parameters`: at most QUESTION_MAX_PARAMETERS numbers, strings and booleans. Stops after
  // QUESTION_MS.
  question_result_t (*ask)(void *connection, const char *sql, const json_t *parameters, question_rows_t *rows,
                           error_info_t *error);
} question_driver_t;

extern const question_driver_t QUESTION_SQLITE_DRIVER, QUESTION_POSTGRES_DRIVER;

#endif
