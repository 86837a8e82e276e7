// Starts the PostgreSQL server of the unit tests.
#include "postgres_server.h"

#include "temporary_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *postgres_server_start(void) {
  static char address[160];
  char folder[64], command[160];
  if (address[0])
    return address;
  temporary_folder_create_in_memory(folder, sizeof folder, "postgres");
  snprintf(command, sizeof command, "sh tests/scenarios/lib/postgres.sh start '%s' %d", folder, (int)getpid());
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
