// The reason for the last failure, per thread.
#include "access/last_error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local error_info_t last_error;

bool access_fail(const char *format, ...) {
  char text[sizeof last_error.text];
  va_list arguments;
  va_start(arguments, format);
  // formatted into a buffer, because an argument may point into `last_error`
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(&last_error, "%s", text);
}

void access_clear_error(void) {
  last_error.text[0] = '\0';
}

const char *access_error_text(void) {
  return last_error.text;
}

error_info_t *access_last_error(void) {
  return &last_error;
}
