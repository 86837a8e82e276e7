// Distinguishes SQL statements from Lua, and statements that write from statements that only read.
#ifndef SHOAL_COCKPIT_STATEMENT_H
#define SHOAL_COCKPIT_STATEMENT_H

#include <stdbool.h>

// Returns true if `text` begins with the keyword of a statement that writes (INSERT, UPDATE, DELETE or REPLACE), or has
// such a keyword after the tables of a WITH.
bool statement_is_write(const char *text);
// Returns true if `text` begins with the keyword of a statement that writes, or with SELECT, WITH, EXPLAIN or VALUES.
bool statement_is_sql(const char *text);

#endif
