// Errors about the members of a client's request.
#include "cockpit/request.h"

#include "base/json_value.h"

#include <stdarg.h>
#include <stdio.h>

bool request_reject_member(const json_t *request, const char *key, error_info_t *error, const char *format, ...) {
  char expected[256], description[JSON_VALUE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(expected, sizeof expected, format, arguments);
  va_end(arguments);
  return error_set(error, "“%s” must be %s, got %s", key, expected,
                   json_value_describe(json_object_get(request, key), description));
}
