// Distinguishes SQL statements from Lua, and writing statements from reading ones.
#ifndef SHOAL_COCKPIT_STATEMENT_H
#define SHOAL_COCKPIT_STATEMENT_H

#include <stdbool.h>

// Returns whether `text` begins with a statement that writes.
bool statement_is_write(const char *text);
// Returns whether `text` begins with any SQL statement.
bool statement_is_sql(const char *text);

#endif
