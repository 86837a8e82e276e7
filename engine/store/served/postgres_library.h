// The functions of libpq that the store uses. The library is loaded when the first world on PostgreSQL is opened, so
// games and their packages do not need it. Private to served.
#ifndef SHOAL_SERVED_POSTGRES_LIBRARY_H
#define SHOAL_SERVED_POSTGRES_LIBRARY_H

#include "base/error.h"

typedef struct pg_conn pg_connection_t;
typedef struct pg_result pg_result_t;

// Values of libpq's enumerations.
enum { PG_CONNECTION_OK = 0, PG_COMMAND_OK = 1, PG_TUPLES_OK = 2, PG_IDLE = 0 };
enum { PG_FIELD_SQLSTATE = 'C', PG_FIELD_MESSAGE = 'M' };

// Numbers of PostgreSQL's types.
enum {
  PG_BOOL = 16,
  PG_BYTEA = 17,
  PG_NAME = 19,
  PG_INT8 = 20,
  PG_INT2 = 21,
  PG_INT4 = 23,
  PG_TEXT = 25,
  PG_JSON = 114,
  PG_FLOAT4 = 700,
  PG_FLOAT8 = 701,
  PG_VARCHAR = 1043,
  PG_NUMERIC = 1700
};

// Functions without the prefix "PQ". Enumerations are int, and Oid is unsigned.
#define POSTGRES_FUNCTIONS(X)                                                                                          \
  X(pg_connection_t *, connectdbParams, (const char *const *names, const char *const *values, int expands))            \
  X(void, finish, (pg_connection_t * c))                                                                               \
  X(int, status, (const pg_connection_t *c))                                                                           \
  X(char *, errorMessage, (const pg_connection_t *c))                                                                  \
  X(const char *, parameterStatus, (const pg_connection_t *c, const char *name))                                       \
  X(int, serverVersion, (const pg_connection_t *c))                                                                    \
  X(int, socket, (const pg_connection_t *c))                                                                           \
  X(int, setnonblocking, (pg_connection_t * c, int nonblocking))                                                       \
  X(void *, setNoticeProcessor, (pg_connection_t * c, void (*process)(void *, const char *), void *context))           \
  X(int, transactionStatus, (const pg_connection_t *c))                                                                \
  X(int, sendQuery, (pg_connection_t * c, const char *sql))                                                            \
  X(int, sendQueryParams,                                                                                              \
    (pg_connection_t * c, const char *sql, int count, const unsigned *types, const char *const *values,                \
     const int *sizes, const int *formats, int result_format))                                                         \
  X(int, flush, (pg_connection_t * c))                                                                                 \
  X(int, consumeInput, (pg_connection_t * c))                                                                          \
  X(int, isBusy, (pg_connection_t * c))                                                                                \
  X(pg_result_t *, getResult, (pg_connection_t * c))                                                                   \
  X(void, clear, (pg_result_t * rows))                                                                                 \
  X(int, resultStatus, (const pg_result_t *rows))                                                                      \
  X(char *, resultErrorField, (const pg_result_t *rows, int field))                                                    \
  X(char *, cmdStatus, (pg_result_t * rows))                                                                           \
  X(char *, cmdTuples, (pg_result_t * rows))                                                                           \
  X(int, ntuples, (const pg_result_t *rows))                                                                           \
  X(int, nfields, (const pg_result_t *rows))                                                                           \
  X(char *, fname, (const pg_result_t *rows, int column))                                                              \
  X(unsigned, ftype, (const pg_result_t *rows, int column))                                                            \
  X(char *, getvalue, (const pg_result_t *rows, int row, int column))                                                  \
  X(int, getlength, (const pg_result_t *rows, int row, int column))                                                    \
  X(int, getisnull, (const pg_result_t *rows, int row, int column))

typedef struct postgres_library_t {
#define POSTGRES_MEMBER(result_, name_, arguments_) result_(*name_) arguments_;
  POSTGRES_FUNCTIONS(POSTGRES_MEMBER)
#undef POSTGRES_MEMBER
} postgres_library_t;

// Returns the functions, or NULL with an error if libpq is not installed. Any thread.
const postgres_library_t *postgres_library_load(error_info_t *error);

#endif
