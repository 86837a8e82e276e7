// How a script's world.sql reaches whoever answers it: the tools room, which scripts may not know (tools/sql.h). Questions and
// answers are plain data.
#ifndef SHOAL_SCRIPT_SQL_PORT_H
#define SHOAL_SCRIPT_SQL_PORT_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sql_kind_t {
  SQL_NULL,
  SQL_INTEGER,
  SQL_REAL,
  SQL_TEXT,   // `bytes` of UTF-8 with a '\0' behind them
  SQL_BLOB,   // `bytes`
  SQL_BOOL,   // integer, 0 or 1
  SQL_ENTITY, // integer: a shoal_entity
  SQL_MATRIX  // a blob of 16 floats
} sql_kind_t;

typedef struct sql_value_t {
  sql_kind_t kind;
  uint32_t bytes;
  union {
    int64_t integer;
    double real;
    const char *text;
  };
} sql_value_t;

typedef struct sql_ask_t {
  const char *text;
  size_t text_bytes;
  bool several;                  // more statements may follow the first, which alone is run; else they are refused
  const sql_value_t *parameters; // for its `?`, in order
  uint32_t parameter_count;
  bool write;        // else anything but reading is refused
  uint32_t limit_ms; // 0: none
} sql_ask_t;

// Row by row; texts lie in `texts`. Zero-initialised is empty; freed with the port's `fini`.
typedef struct sql_result_t {
  uint32_t column_count, row_count;
  const char **names; // of the columns
  sql_value_t *values;
  char *texts;
  uint32_t value_count, value_capacity, text_count, text_capacity;
  uint64_t changed; // rows that a write changed
  const char *rest; // of the text asked, behind the statement
  allocator_t *allocator;
} sql_result_t;

typedef struct sql_port_t {
  void *context;
  // False with a message; then there is nothing to free.
  bool (*run)(void *context, const sql_ask_t *ask, sql_result_t *out, error_t *error);
  void (*fini)(sql_result_t *result);
  // Pauses the game at the end of the first tick at which the query has a row. False with a message.
  bool (*watch)(void *context, const char *text, error_t *error);
} sql_port_t;

#endif
