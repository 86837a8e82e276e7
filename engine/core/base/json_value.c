// Describes parsed JSON values in error messages.
#include "base/json_value.h"

#include <stdio.h>

const char *json_value_describe(const json_t *v, char *out) {
  if (!v) {
    snprintf(out, JSON_VALUE_SHOWN, "nothing");
    return out;
  }
  switch (json_typeof(v)) {
  case JSON_STRING: snprintf(out, JSON_VALUE_SHOWN, "text \"%.60s\"", json_string_value(v)); break;
  case JSON_INTEGER: snprintf(out, JSON_VALUE_SHOWN, "%lld", (long long)json_integer_value(v)); break;
  case JSON_REAL: snprintf(out, JSON_VALUE_SHOWN, "%.9g", json_real_value(v)); break;
  case JSON_OBJECT: snprintf(out, JSON_VALUE_SHOWN, "an object"); break;
  case JSON_ARRAY: snprintf(out, JSON_VALUE_SHOWN, "a list of %zu", json_array_size(v)); break;
  case JSON_NULL: snprintf(out, JSON_VALUE_SHOWN, "null"); break;
  default: snprintf(out, JSON_VALUE_SHOWN, json_is_true(v) ? "true" : "false"); break;
  }
  return out;
}

const char *json_value_name(const json_t *v, char *out) {
  if (!json_is_string(v))
    return json_value_describe(v, out);
  snprintf(out, JSON_VALUE_SHOWN, "\"%.60s\"", json_string_value(v));
  return out;
}
