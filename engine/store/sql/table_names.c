// Makes names of tables and columns unique, ignoring case.
#include "sql/table_names.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_name_taken(const char *name, const table_name_t *taken, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (strcasecmp(name, taken[i].text) == 0)
      return true;
  return false;
}

void table_name_choose(table_name_t *out, const char *preferred, const table_name_t *taken, uint32_t count) {
  shoal_assert(preferred && preferred[0], "the table has no name");
  // A name that starts with sqlite_, which SQLite reserves, gets a prefix.
  const char *prefix = strncasecmp(preferred, "sqlite_", 7) == 0 ? "_" : "";
  snprintf(out->text, sizeof out->text, "%s%s", prefix, preferred);
  for (size_t length = strlen(out->text); is_name_taken(out->text, taken, count) && length + 1 < sizeof out->text;
       ++length)
    memcpy(out->text + length, "_", 2);
}

uint32_t table_names_list_fixed(table_name_t *out) {
  static const char *const names[] = {"entities",
                                      "entity_components",
                                      "components",
                                      "fields",
                                      "meta",
                                      "assemblages",
                                      "assemblage_components",
                                      "assemblage_values",
                                      "events",
                                      "systems",
                                      "state",
                                      "checksums",
                                      "assemblage_defaults",
                                      "assemblage_children"};
  uint32_t count = sizeof names / sizeof *names;
  shoal_assert(count <= 16, "%u fixed tables exceed the callers' capacity of 16", count);
  for (uint32_t i = 0; i < count; ++i)
    snprintf(out[i].text, sizeof out[i].text, "%s", names[i]);
  return count;
}

static void replace_dots(char *out, size_t bytes, const char *field) {
  snprintf(out, bytes, "%s", field);
  for (char *character = out; *character; ++character)
    if (*character == '.')
      *character = '_';
}

uint32_t table_names_list_columns(const schema_t *s, table_name_t *out) {
  shoal_assert(s->field_count <= SCHEMA_MAX_FIELDS, "%s has %u fields (at most %u)", s->name, s->field_count,
               SCHEMA_MAX_FIELDS);
  uint32_t keys = 0;
  if (s->kind == SCHEMA_COMPONENT || s->kind == SCHEMA_MANY)
    snprintf(out[keys++].text, sizeof out->text, "entity");
  if (s->kind == SCHEMA_MANY)
    snprintf(out[keys++].text, sizeof out->text, "instance");
  for (uint32_t i = 0; i < s->field_count; ++i) {
    char preferred[TABLE_NAME_MAX];
    replace_dots(preferred, sizeof preferred, s->fields[i].name);
    if (s->fields[i].flags & FIELD_IS_COUNT) // a list is one column
      preferred[field_base_bytes(&s->fields[i])] = '\0';
    if (strcasecmp(preferred, "component_data_id") == 0) // reserved for the column of row ids in saves
      snprintf(preferred, sizeof preferred, "component_data_id_");
    table_name_choose(&out[keys + i], preferred, out, keys + i);
  }
  return keys;
}
