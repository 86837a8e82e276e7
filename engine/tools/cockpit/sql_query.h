// Runs SQL queries, immediately or in a child process.
#ifndef SHOAL_COCKPIT_SQL_QUERY_H
#define SHOAL_COCKPIT_SQL_QUERY_H

#include "base/error.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "cockpit/child_query.h"
#include "sql/sql.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Maximum number of rows in an answer (except for requests with "all"), and of entities in an edit.
#define MAX_ROWS 5000u

typedef struct sql_query_desc_t {
  const char *text;
  const json_t *parameters; // list of parameters; NULL if the query has no parameters
  uint32_t max_rows;        // maximum number of rows; 0: no limit
} sql_query_desc_t;

// Runs the query and writes its columns and rows as fields of the open object of `out`. Returns true on success, or
// false with an error, for example if the answer is larger than the server sends (SERVER_MAX_QUEUED). `steps`: maximum
// number of steps; 0: no limit. Sets *ran_out to true if the query exceeds `steps`, otherwise to false.
bool sql_query_run(cockpit_o *cockpit, const sql_query_desc_t *query, uint64_t steps, json_writer_t *out, bool *ran_out,
                   error_info_t *error);
uint64_t sql_query_max_steps(cockpit_o *cockpit); // returns the number of steps that a query may take in this frame
// Runs the query in a child process, which sends the answer to `sender`. Returns true on success, or false with an
// error if a query is already running in a child, or if the child cannot be started.
bool sql_query_defer(cockpit_o *cockpit, const sql_query_desc_t *query, const request_sender_t *sender,
                     error_info_t *error);
// Writes a value as JSON. A blob is written as "(bytes)".
void sql_query_write_value(json_writer_t *out, const sql_value_t *value);
// Writes a row of a result as a list.
void sql_query_write_row(const sql_result_t *result, uint32_t row, json_writer_t *out);

#endif
