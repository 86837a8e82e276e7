// Executes the questions of scripts (chronicle.ask) on the database of a world. They run on a separate thread and
// connection, which can only read the views of kept events and the names of accounts. A question therefore neither
// delays a commit nor changes a row. A question fails after QUESTION_MS, and its answer is limited. The room's thread
// calls all functions.
#ifndef SHOAL_SERVED_QUESTION_READER_H
#define SHOAL_SERVED_QUESTION_READER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUESTION_MS 1000         // time limit of a question in ms
#define QUESTION_MAX_ROWS 100u   // maximum number of rows in an answer; the remaining rows are cut off
#define QUESTION_MAX_BYTES 3000u // maximum size of an answer; rows that exceed it are cut off

typedef struct question_reader_o question_reader_o;

// Creates a reader without questions. `database`: path of a file, or address of a database. The thread starts with the
// first question, and connects again if the database does not answer.
question_reader_o *question_reader_create(const char *database);
void question_reader_destroy(question_reader_o *r); // drops all questions; accepts NULL

// Adds a question. Copies both strings. `parameters`: a JSON list of numbers, strings and booleans, the values of $1,
// $2 … Returns true on success, or false with an error if the thread cannot start.
bool question_reader_add(question_reader_o *r, uint64_t number, const char *sql, const char *parameters,
                         error_info_t *error);

typedef struct question_answer_t {
  uint64_t number;  // number of the question
  bool is_error;    // true if the question failed and `text` is the error message
  bool is_cut;      // true if rows were cut off
  const char *text; // the rows as a JSON list of objects by column name, followed by '\0'; valid until the next call
  size_t size;
} question_answer_t;

// Moves the oldest answer to `out`. Returns true on success, or false if there is no answer.
bool question_reader_take(question_reader_o *r, question_answer_t *out);

#endif
