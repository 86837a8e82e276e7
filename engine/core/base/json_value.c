// Describes parsed JSON values in error messages.
#include "base/json_value.h"

#include <stdio.h>

const char *json_value_describe(const json_t *value, char *out) {
  if (!value) {
    snprintf(out, JSON_VALUE_BYTES, "nothing");
    return out;
  }
  switch (json_typeof(value)) {
  case JSON_STRING: snprintf(out, JSON_VALUE_BYTES, "text \"%.60s\"", json_string_value(value)); break;
  case JSON_INTEGER: snprintf(out, JSON_VALUE_BYTES, "%lld", (long long)json_integer_value(value)); break;
  case JSON_REAL: snprintf(out, JSON_VALUE_BYTES, "%.9g", json_real_value(value)); break;
  case JSON_OBJECT: snprintf(out, JSON_VALUE_BYTES, "an object"); break;
  case JSON_ARRAY: snprintf(out, JSON_VALUE_BYTES, "a list of %zu", json_array_size(value)); break;
  case JSON_NULL: snprintf(out, JSON_VALUE_BYTES, "null"); break;
  default: snprintf(out, JSON_VALUE_BYTES, json_is_true(value) ? "true" : "false"); break;
  }
  return out;
}

const char *json_value_name(const json_t *value, char *out) {
  if (!json_is_string(value))
    return json_value_describe(value, out);
  snprintf(out, JSON_VALUE_BYTES, "\"%.60s\"", json_string_value(value));
  return out;
}
