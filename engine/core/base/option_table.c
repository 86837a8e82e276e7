// Options as a table: parsing, suggestions and help text.
#include "base/option_table.h"

#include "base/assert.h"
#include "base/file_path.h"
#include "base/nearest_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 24

bool option_parse_integer(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out,
                          error_info_t *error) {
  char *end = NULL;
  errno = 0;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  unsigned long long number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, base) : 0;
  if (!end || *end || errno == ERANGE || number < min || number > max)
    return error_set(error, "%s must be an integer from %llu to %llu, got “%s”", name, (unsigned long long)min,
                     (unsigned long long)max, text);
  *out = number;
  return true;
}

// Returns the option named by `argument`, with or without "=value", or NULL if it is unknown. "-h" means "--help".
static const option_t *find_option(const option_table_t *table, const char *argument) {
  argument = strcmp(argument, "-h") == 0 ? "--help" : argument;
  size_t length = strcspn(argument, "=");
  for (uint32_t i = 0; i < table->count; ++i) {
    const option_t *option = &table->options[i];
    if (option->programs & table->programs && strlen(option->name) == length &&
        memcmp(option->name, argument, length) == 0)
      return option;
  }
  return NULL;
}

const char *option_table_hint(const option_table_t *table, const char *argument, char *out, uint32_t out_bytes) {
  char name[NEAREST_NAME_MAX_BYTES];
  nearest_name_t nearest;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < table->count; ++i)
    if (table->options[i].programs & table->programs)
      nearest_name_offer(&nearest, table->options[i].name);
  return nearest_name_hint(&nearest, out, out_bytes);
}

// Returns true if `argument` follows an option with this optional value and is its value.
static bool is_optional_value(const char *value, const char *argument) {
  size_t prefix = strcspn(value, "=");
  return value[prefix] == '=' ? strncmp(argument, value + 1, prefix) == 0 : argument[0] >= '0' && argument[0] <= '9';
}

// Stores `number` in an unsigned integer, bool or enum of 1, 2, 4 or 8 bytes.
static void store_integer(void *member, size_t bytes, uint64_t number) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "option has a member of %zu bytes", bytes);
  if (bytes == 1)
    *(uint8_t *)member = (uint8_t)number;
  else if (bytes == 2)
    *(uint16_t *)member = (uint16_t)number;
  else if (bytes == 4)
    *(uint32_t *)member = (uint32_t)number;
  else
    *(uint64_t *)member = number;
}

static bool append_value(const option_t *option, void *out, const char *value, error_info_t *error) {
  uint32_t *count = (uint32_t *)((char *)out + option->count);
  if (*count == option->max)
    return error_set(error, "too many %s options (at most %llu)", option->name, (unsigned long long)option->max);
  ((const char **)((char *)out + option->offset))[(*count)++] = value;
  return true;
}

static bool store_value(const option_t *option, void *out, const char *value, error_info_t *error) {
  void *member = (char *)out + option->offset;
  uint64_t number = option->min;
  if (option->required && value && !value[0])
    return error_set(error, "%s requires %s", option->name, option->required);
  if (value && (strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0))
    path_use_slashes((char *)(uintptr_t)value);
  if (option->given)
    *(bool *)((char *)out + option->given) = true;
  switch (option->kind) {
  case OPTION_READ: return true;
  case OPTION_TEXT: *(const char **)member = value; return true;
  case OPTION_LIST: return append_value(option, out, value, error);
  case OPTION_INTEGER:
    if (!option_parse_integer(option->name, value, option->min, option->max, &number, error))
      return false;
    break;
  case OPTION_SET: break;
  }
  store_integer(member, option->bytes, number);
  return true;
}

bool option_table_parse(const option_table_t *table, void *out, int argc, const char *const *argv, int *index,
                        error_info_t *error) {
  shoal_assert(*index > 0 && *index < argc, "argument %d is out of range (count %d)", *index, argc);
  const char *argument = argv[*index], *next = *index + 1 < argc ? argv[*index + 1] : NULL,
             *equals = strchr(argument, '=');
  const char *value = equals ? equals + 1 : NULL;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  const option_t *option = find_option(table, argument);
  if (!option)
    return error_set(error, "unknown option “%s” (see %s)%s", argument, table->show_help,
                     option_table_hint(table, argument, hint, sizeof hint));
  if (!option->value && value)
    return error_set(error, "%s does not accept a value: remove =%s", option->name, value);
  bool is_optional = option->value && option->value[0] == '[';
  if (option->value && !value && !next && !is_optional)
    return error_set(error, "%s requires %s", option->name, option->required ? option->required : "a value");
  if (option->value && !value && next && (!is_optional || is_optional_value(option->value, next))) {
    value = next;
    ++*index;
  }
  return store_value(option, out, value, error) && (!option->read || option->read(out, option->name, value, error));
}

void option_table_print(const option_table_t *table, uint32_t programs, FILE *out) {
  for (uint32_t i = 0; i < table->count; ++i) {
    const option_t *option = &table->options[i];
    if (!(option->programs & programs))
      continue;
    int width = fprintf(out, "  %s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
    fprintf(out, "%*s", width < HELP_COLUMN ? HELP_COLUMN - width : 2, "");
    for (const char *at = option->help; *at; ++at) {
      fputc(*at, out);
      if (*at == '\n')
        fprintf(out, "%*s", HELP_COLUMN, "");
    }
    fputc('\n', out);
  }
}
