// An expected failure: a function returns false/NULL/0 and leaves one sentence here. Callers own the error_t; NULL
// means "I don't want the words".
#ifndef SHOAL_BASE_ERROR_H
#define SHOAL_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

// The GNU C library's <errno.h> has an error_t too and leaves it out when this says so. The build defines it for every
// file, so that the order of includes does not matter.
#ifndef __error_t_defined
#define __error_t_defined 1
#endif

typedef struct error_t {
  char text[1024];
  // What it is about, for those who show it otherwise than as a sentence; error_set_at fills it in. The text says it,
  // too.
  char file[128]; // relative to the game's folder; "" when there is none
  uint32_t line;
  uint32_t words; // where in `text` the sentence goes on behind the place
  char piece[96]; // "system movement", "plugins": what of a game cannot run; "" when that is not known. error_in
} error_t;

// Writes the message (cut to fit) and returns false, so that `return error_set(error, "…")` reads as one step.
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
bool error_set(error_t *error, const char *format, ...);
// The same of a place in a file: the text is "file:line: …". As error_set when `file` is "".
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
bool error_set_at(error_t *error, const char *file, uint32_t line, const char *format, ...);

// Says which piece of a game it is about, and returns false.
bool error_in(error_t *error, const char *piece);

// Puts '?' in the place of control characters, but for line ends and tabs; error_set and the log do.
void error_plain(char *text);

#endif
