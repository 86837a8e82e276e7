// Distinguishes SQL statements from Lua, and writing statements from reading ones.
#include "cockpit/statement.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const WORDS[] = {"insert", "update", "delete",  "replace", // statements that write are listed first
                                    "select", "with",   "explain", "values"};

static bool begins_with(const char *text, size_t words) {
  while (isspace((unsigned char)*text))
    text++;
  for (size_t i = 0; i < words; ++i) {
    size_t bytes = strlen(WORDS[i]);
    if (strncasecmp(text, WORDS[i], bytes) == 0 && !isalnum((unsigned char)text[bytes]) && text[bytes] != '_')
      return true;
  }
  return false;
}

bool statement_is_write(const char *text) {
  return begins_with(text, 4);
}

bool statement_is_sql(const char *text) {
  return begins_with(text, sizeof WORDS / sizeof *WORDS);
}
