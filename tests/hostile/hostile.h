// What the parts of the test of hostile input share: a table of cases, and files that are made from a good one as a
// case says.
#ifndef SHOAL_TESTS_HOSTILE_H
#define SHOAL_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOSTILE_MAX_CASES 400u

// A line of a table: RECIPE => WORDS. In both, «N·PART·BETWEEN» stands for PART N times, with № for the number in it.
typedef struct hostile_case_t {
  uint32_t line;
  char *recipe; // a statement, or the steps that make the file
  char *words;  // one of which must be said, with " | " between them; "taken": it is not refused
} hostile_case_t;

typedef struct hostile_table_t {
  hostile_case_t cases[HOSTILE_MAX_CASES];
  uint32_t count;
} hostile_table_t;

// Ends the program where the table makes no sense. Lines that begin with "long: " are for `all` only; what begins with
// "endless: " has no limit, and is only ended by SIGTERM.
void hostile_read_table(hostile_table_t *t, const char *path, bool all);
void hostile_free_table(hostile_table_t *t);

// The text of a Lua string.
char *hostile_quoted(const char *text); // malloc

// Puts at `path` what the steps make of the bytes of a good file. The steps, with " ;; " between them:
//
//   text TEXT · append N BYTE · cut N (from the end when negative) · bytes AT HEX · fill AT COUNT BYTE ·
//   flip SEED COUNT
//   folder · fifo · link TARGET                      in the place of the file
//   sql STATEMENTS · state AT HEX · section I AT HEX · seal · accept
//                                   of a save; of its state: seal makes its checksums right, and so does accept, which
//                                   says that the tables were edited
//   head AT HEX · chunk I AT HEX · drop I · repeat I N · put I HEX · puts I N HEX · seal    of a recording; `put` makes
//                                                                          a chunk in front of the I-th
// Places are decimal; negative ones count from the end. In HEX spaces are passed over.
void hostile_make(const char *path, const uint8_t *good, size_t size, const char *recipe);

_Noreturn void hostile_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
