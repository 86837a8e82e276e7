// An expected failure: a function returns false/NULL/0 and leaves one sentence here. Callers own the error_t; NULL means
// "I don't want the words".
#ifndef SHOAL_BASE_ERROR_H
#define SHOAL_BASE_ERROR_H

#include <stdbool.h>

// The GNU C library's <errno.h> has an error_t too and leaves it out when this says so. The build defines it for every file, so
// that the order of includes does not matter.
#ifndef __error_t_defined
#define __error_t_defined 1
#endif

typedef struct error_t {
  char text[1024];
} error_t;

// Writes the message (cut to fit) and returns false, so that `return error_set(error, "…")` reads as one step.
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
bool error_set(error_t *error, const char *format, ...);

#endif
