// Prints the message of a failed assertion with file and line, and aborts.
#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void assert_failed(const char *file, int line, const char *condition, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, " (expected: %s)\n", condition);
  va_end(arguments);
  fflush(stderr);
  abort();
}
