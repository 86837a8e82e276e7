// Tells SQL statements from lines of Lua, and those that write from those that read.
#ifndef SHOAL_COCKPIT_STATEMENT_H
#define SHOAL_COCKPIT_STATEMENT_H

#include <stdbool.h>

// Whether `text` begins as a statement that changes something.
bool statement_writes(const char *text);
// Whether `text` begins as any SQL statement.
bool statement_is_sql(const char *text);

#endif
