// A PostgreSQL server for unit tests (tests/lib/postgres.sh), started at its first use, which ends with this process.
#ifndef SHOAL_TESTS_POSTGRES_SERVER_H
#define SHOAL_TESTS_POSTGRES_SERVER_H

#include <stdbool.h>

// Returns true if a server can be started on this machine. May be called before main.
bool postgres_server_exists(void);
// Returns the address of the database of the server, which it starts if necessary. Fails the test if it cannot start.
const char *postgres_server_start(void);

#endif
