#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(error_t *error, const char *format, ...) {
  if (!error)
    return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return false;
}
