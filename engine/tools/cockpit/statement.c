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

static bool begins_with_keyword(const char *text, size_t keyword_count) {
  for (size_t i = 0; i < keyword_count; ++i)
    if (begins_with_word(text, KEYWORDS[i]))
      return true;
  return false;
}

// Returns the end of the string, quoted name or comment that begins at `begin`, or `begin` if none of them begins
// there.
static const char *skip_quoted(const char *begin) {
  const char *end = begin;
  if (*begin == '\'' || *begin == '"' || *begin == '`')
    end = strchr(begin + 1, *begin);
  else if (*begin == '[')
    end = strchr(begin + 1, ']');
  else if (begin[0] == '-' && begin[1] == '-')
    end = strchr(begin, '\n');
  else if (begin[0] == '/' && begin[1] == '*')
    end = strstr(begin + 2, "*/");
  return end == begin ? begin : end ? end + 1 : begin + strlen(begin);
}

// Returns true if a statement that begins with WITH writes. The first keyword from KEYWORDS outside parentheses
// determines this.
static bool is_writing_with_statement(const char *text) {
  int depth = 0;
  bool is_inside_word = false;
  for (const char *p = text; *p;) {
    const char *end = skip_quoted(p);
    if (end == p && depth == 0 && !is_inside_word && begins_with_keyword(p, KEYWORD_COUNT) &&
        !begins_with_word(p, "with"))
      return begins_with_keyword(p, WRITE_COUNT);
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    is_inside_word = isalnum((unsigned char)*p) || *p == '_';
    p = end > p ? end : p + 1;
  }
  return false;
}

bool statement_is_write(const char *text) {
  return begins_with_keyword(text, WRITE_COUNT) || (begins_with_word(text, "with") && is_writing_with_statement(text));
}

bool statement_is_sql(const char *text) {
  return begins_with_keyword(text, KEYWORD_COUNT);
}
