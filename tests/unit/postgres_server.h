// A PostgreSQL server for unit tests (tests/scenarios/lib/postgres.sh), started at its first use, which ends with this
// process.
#ifndef SHOAL_TESTS_POSTGRES_SERVER_H
#define SHOAL_TESTS_POSTGRES_SERVER_H

// Returns the address of the server's database. Starts the server if necessary; fails the test if it cannot start.
const char *postgres_server_start(void);

#endif
