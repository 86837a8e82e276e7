// Shared parts of the hostile-input test: tables of cases, and files created by damaging a valid file as a case
// describes.
#ifndef SHOAL_TESTS_HOSTILE_H
#define SHOAL_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOSTILE_MAX_CASES 400u

// A line of a table: RECIPE => MESSAGES. In both, «N·PART·BETWEEN» means PART repeated N times and separated by
// BETWEEN; № is replaced by the number of the repetition.
typedef struct hostile_case_t {
  uint32_t line;
  char *recipe; // a statement, or the steps that create the file
  char *words;  // messages separated by " | ", one of which must be reported; "taken": the input is accepted
} hostile_case_t;

typedef struct hostile_table_t {
  hostile_case_t cases[HOSTILE_MAX_CASES];
  uint32_t count;
} hostile_table_t;

// Reads a table of cases; exits with a message if the table is invalid. Lines that start with "long: " are read only if
// `all` is set; cases that start with "endless: " have no limit and are ended only by SIGTERM.
void hostile_read_table(hostile_table_t *t, const char *path, bool all);
void hostile_free_table(hostile_table_t *t);

// Returns the text as a Lua string literal. The caller frees it with free().
char *hostile_quoted(const char *text);

// Applies the steps, separated by " ;; ", to the bytes of a valid file, and writes the result to `path`:
//
//   any file          text TEXT · append N BYTE · cut N (from the end if negative) · bytes AT HEX ·
//                     fill AT COUNT BYTE · flip SEED COUNT
//   instead of a file folder · fifo · link TARGET
//   saves             sql STATEMENTS · state AT HEX · section I AT HEX · seal · accept
//   recordings        head AT HEX · chunk I AT HEX · drop I · repeat I N · put I KIND HEX · puts I N KIND HEX ·
//                     seal
//
// `seal` makes all checksums valid. `accept` does the same, and also marks the tables as edited and the edits as
// accepted. `put` inserts a chunk before the I-th. Positions are decimal; negative ones count from the end. Spaces in
// HEX are ignored.
void hostile_make(const char *path, const uint8_t *good, size_t size, const char *recipe);

_Noreturn void hostile_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
