// The reason for the last failure, per thread.
#include "access/last_error.h"

#include <stdarg.h>
#include <stdio.h>

_Thread_local error_info_t access_thread_error;

bool access_fail(const char *format, ...) {
  char text[sizeof access_thread_error.text];
  va_list arguments;
  va_start(arguments, format);
  // formatted into a buffer, because an argument may point into `access_thread_error`
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(&access_thread_error, "%s", text);
}

const char *access_error_text(void) {
  return access_thread_error.text;
}

error_info_t *access_last_error(void) {
  return &access_thread_error;
}
