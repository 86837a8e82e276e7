// Filters the rows of a scan. Tests simple conditions before a row is passed to SQLite's virtual machine, which is
// about fifty times slower. A search of 100,000 entities therefore fits into a frame. SQLite tests every returned row
// again, so the filter may keep rows that do not match, but must not drop matching rows.
//
// Used only for users' queries (sql_run_desc_t.allow_measured): the plans and steps of scripts' queries stay unchanged.
#include "base/assert.h"
#include "sql/sql_internal.h"

#include <string.h>

// Returns true if the column contains numbers, so that SQLite compares it numerically with any operand.
static bool is_numeric_column(const table_t *t, int column) {
  if (t->kind > TABLE_EVENT || column < (int)t->key_count || column >= (int)(t->key_count + t->field_count))
    return false;
  const field_t *f = &sql_table_schema(t)->fields[t->fields[column - (int)t->key_count]];
  if (f->flags & FIELD_IS_COUNT) // the column of a list contains JSON text
    return false;
  field_type_t type = f->type;
  return type <= FIELD_BOOL || type == FIELD_ENTITY;
}

bool sql_filter_supports(const table_t *t, int column, int comparison) {
  if (!t->sql->allow_measured)
    return false;
  switch (comparison) {
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE:
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE: return is_numeric_column(t, column);
  case SQLITE_INDEX_CONSTRAINT_LIKE: return t->kind == TABLE_ENTITIES && column == SQL_ENTITY_WORDS;
  default: return false;
  }
}

static char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

// Parses a pattern of the form %rock%, where the word is ASCII without spaces. Such a word can match within the name,
// assemblage or state, but not across them. Returns true on success, or false for any other pattern.
static bool parse_word_pattern(sql_filter_test_t *test, const char *pattern) {
  size_t bytes = pattern ? strlen(pattern) : 0, length = 0;
  if (bytes < 3 || bytes >= sizeof test->word || pattern[0] != '%' || pattern[bytes - 1] != '%')
    return false;
  for (size_t i = 1; i + 1 < bytes; ++i) {
    // Rejects control characters, spaces, wildcards and bytes that are not ASCII
    if ((pattern[i] & 0x80) || pattern[i] <= ' ' || pattern[i] == '%' || pattern[i] == '_' || pattern[i] == 127)
      return false;
    test->word[length++] = to_lower(pattern[i]);
  }
  test->word[length] = '\0';
  return true;
}

void sql_filter_add_condition(sql_filter_t *s, const table_t *t, int column, int comparison, sqlite3_value *value) {
  sql_filter_test_t *test = &s->tests[s->count];
  int type = sqlite3_value_type(value);
  if (s->count == SQL_MAX_FILTER_TESTS)
    return;
  *test = (sql_filter_test_t){.comparison = comparison};
  if (comparison == SQLITE_INDEX_CONSTRAINT_LIKE) {
    s->count += type == SQLITE_TEXT && parse_word_pattern(test, (const char *)sqlite3_value_text(value));
    return;
  }
  test->column = t->fields[column - (int)t->key_count];
  test->number = sqlite3_value_double(value);
  s->count += type == SQLITE_FLOAT ||
              // Accepts only integers that a double represents exactly
              (type == SQLITE_INTEGER && test->number > -0x1p53 && test->number < 0x1p53);
}

bool sql_filter_accepts_row(const sql_filter_t *s, const columns_t *c, uint32_t row) {
  for (uint32_t i = 0; i < s->count; ++i) {
    double value = columns_get(c, row, s->tests[i].column), number = s->tests[i].number;
    bool accepts = false; // NaN is NULL in SQL, which fails every condition
    switch (s->tests[i].comparison) {
    case SQLITE_INDEX_CONSTRAINT_GT: accepts = value > number; break;
    case SQLITE_INDEX_CONSTRAINT_GE: accepts = value >= number; break;
    case SQLITE_INDEX_CONSTRAINT_LT: accepts = value < number; break;
    default: accepts = value <= number; break;
    }
    if (!accepts)
      return false;
  }
  return true;
}

static bool contains_word(const strings_o *strings, uint32_t id, const char *word) {
  const char *text = strings_text(strings, id);
  for (; *text; ++text) {
    uint32_t i = 0;
    while (word[i] && to_lower(text[i]) == word[i])
      ++i;
    if (!word[i])
      return true;
  }
  return false;
}

bool sql_filter_accepts_entity(sql_filter_t *s, const strings_o *strings, const uint32_t text_ids[3]) {
  for (uint32_t i = 0; i < s->count; ++i) {
    sql_filter_test_t *test = &s->tests[i];
    for (uint32_t k = 0; k < 3; ++k)
      if (text_ids[k] != test->cached_ids[k]) {
        test->cached_ids[k] = text_ids[k];
        test->contains[k] = contains_word(strings, text_ids[k], test->word);
      }
    if (!test->contains[0] && !test->contains[1] && !test->contains[2])
      return false;
  }
  return true;
}
