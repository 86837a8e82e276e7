// API functions for results of the plugin's own functions: lists, strings and bytes, stored in memory of the host.
#include "service/api.h"

#include "plugin/result.h"

#include <string.h>

double *api_return_numbers(shoal_context *c, shoal_value *result, uint32_t count) {
  if (!result)
    return NULL;
  double *to = plugin_allocate_result(context_of(c), result, count * sizeof *to);
  result->numbers = to;
  result->count = to ? count : 0;
  return to;
}

shoal_entity *api_return_entities(shoal_context *c, shoal_value *result, uint32_t count) {
  if (!result)
    return NULL;
  shoal_entity *to = plugin_allocate_result(context_of(c), result, count * sizeof *to);
  result->entities = to;
  result->count = to ? count : 0;
  return to;
}

void api_return_string(shoal_context *c, shoal_value *result, const char *words) {
  if (!result)
    return;
  words = words ? words : "";
  size_t bytes = strlen(words);
  char *to = plugin_allocate_result(context_of(c), result, bytes + 1);
  if (to)
    memcpy(to, words, bytes + 1);
  result->string = to ? to : "";
  result->count = to ? (uint32_t)bytes : 0;
}

bool api_return_bytes(shoal_context *c, shoal_value *result, const void *from, uint32_t count) {
  context_t *x = context_of(c);
  if (!result)
    return false;
  char *to = plugin_allocate_result(x, result, (size_t)count + 1);
  if (!to) {
    context_fail(x, "shoal_return_bytes: `result` must point to a result of the current function");
    return false;
  }
  if (count > 0)
    memcpy(to, from, count);
  to[count] = '\0';
  result->string = to;
  result->count = count;
  return true;
}
