// Starts the PostgreSQL server of the unit tests.
#include "postgres_server.h"

#include "test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool postgres_server_exists(void) {
  static int exists = -1;
  if (exists < 0) {
    glob_t found = {0};
    exists = glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) == 0 ||
             glob("/usr/pgsql-*/bin/initdb", 0, NULL, &found) == 0 || access("/usr/bin/initdb", X_OK) == 0;
    globfree(&found);
  }
  return exists;
}

const char *postgres_server_start(void) {
  static char address[160];
  char folder[64] = "/dev/shm/shoal_postgres_XXXXXX", command[160];
  if (address[0])
    return address;
  if (!mkdtemp(folder)) {
    strcpy(folder, "/tmp/shoal_postgres_XXXXXX");
    assert_non_null(mkdtemp(folder));
  }
  snprintf(command, sizeof command, "sh tests/lib/postgres.sh start '%s' %d", folder, (int)getpid());
  FILE *output = popen(command, "r");
  assert_non_null(output);
  bool ok = fgets(address, sizeof address, output) != NULL;
  ok = pclose(output) == 0 && ok;
  address[strcspn(address, "\n")] = '\0';
  if (!ok || strncmp(address, "postgres://", 11) != 0) {
    fail_msg("cannot start PostgreSQL: %s", address);
    address[0] = '\0';
  }
  return address;
}
