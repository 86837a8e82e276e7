// Distinguishes SQL statements from Lua, and statements that write from statements that only read.
#include "cockpit/statement.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const KEYWORDS[] = {
    "insert", "update", "delete",  "replace", // statements that write are listed first
    "select", "with",   "explain", "values"};

enum { WRITE_COUNT = 4, KEYWORD_COUNT = sizeof KEYWORDS / sizeof *KEYWORDS };

static bool begins_with_word(const char *text, const char *word) {
  size_t bytes = strlen(word);
  while (isspace((unsigned char)*text))
    text++;
  return strncasecmp(text, word, bytes) == 0 && !isalnum((unsigned char)text[bytes]) && text[bytes] != '_';
}

static bool begins_with_keyword(const char *text, size_t words) {
  for (size_t i = 0; i < words; ++i)
    if (begins_with_word(text, KEYWORDS[i]))
      return true;
  return false;
}

// Returns the end of the string, quoted name or comment that begins at `at`; returns `at` if none begins there.
static const char *skip_quoted(const char *at) {
  const char *end = at;
  if (*at == '\'' || *at == '"' || *at == '`')
    end = strchr(at + 1, *at);
  else if (*at == '[')
    end = strchr(at + 1, ']');
  else if (at[0] == '-' && at[1] == '-')
    end = strchr(at, '\n');
  else if (at[0] == '/' && at[1] == '*')
    end = strstr(at + 2, "*/");
  return end == at ? at : end ? end + 1 : at + strlen(at);
}

// Returns true if a statement that begins with WITH writes, which the first keyword from KEYWORDS outside parentheses
// determines.
static bool is_writing_with_statement(const char *text) {
  int depth = 0;
  bool in_word = false;
  for (const char *at = text; *at;) {
    const char *end = skip_quoted(at);
    if (end == at && depth == 0 && !in_word && begins_with_keyword(at, KEYWORD_COUNT) && !begins_with_word(at, "with"))
      return begins_with_keyword(at, WRITE_COUNT);
    depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    in_word = isalnum((unsigned char)*at) || *at == '_';
    at = end > at ? end : at + 1;
  }
  return false;
}

bool statement_is_write(const char *text) {
  return begins_with_keyword(text, WRITE_COUNT) || (begins_with_word(text, "with") && is_writing_with_statement(text));
}

bool statement_is_sql(const char *text) {
  return begins_with_keyword(text, KEYWORD_COUNT);
}
