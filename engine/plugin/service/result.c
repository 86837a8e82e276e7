// API functions for results of the plugin's own functions: lists, strings and bytes, stored in memory of the host.
#include "service/api.h"

#include "plugin/result.h"

#include <string.h>

double *api_return_numbers(shoal_context *c, shoal_value *result, uint32_t count) {
  if (!result)
    return NULL;
  double *numbers = plugin_allocate_result(context_of(c), result, count * sizeof *numbers);
  result->numbers = numbers;
  result->count = numbers ? count : 0;
  return numbers;
}

shoal_entity *api_return_entities(shoal_context *c, shoal_value *result, uint32_t count) {
  if (!result)
    return NULL;
  shoal_entity *entities = plugin_allocate_result(context_of(c), result, count * sizeof *entities);
  result->entities = entities;
  result->count = entities ? count : 0;
  return entities;
}

void api_return_string(shoal_context *c, shoal_value *result, const char *string) {
  if (!result)
    return;
  string = string ? string : "";
  size_t bytes = strlen(string);
  char *copy = plugin_allocate_result(context_of(c), result, bytes + 1);
  if (copy)
    memcpy(copy, string, bytes + 1);
  result->string = copy ? copy : "";
  result->count = copy ? (uint32_t)bytes : 0;
}

bool api_return_bytes(shoal_context *c, shoal_value *result, const void *bytes, uint32_t count) {
  context_t *context = context_of(c);
  if (!result)
    return false;
  char *copy = plugin_allocate_result(context, result, (size_t)count + 1);
  if (!copy) {
    context_fail(context, "shoal_return_bytes: `result` must point to a result of the current function");
    return false;
  }
  if (count > 0)
    memcpy(copy, bytes, count);
  copy[count] = '\0';
  result->string = copy;
  result->count = count;
  return true;
}
