// Prepares the database of a served world for tests. Usage:
//   world_owner FILE                     creates the database if it is missing, becomes the owner of the world, as a
//                                        supervisor does, and prints the owner's number
//   world_owner FILE STATEMENT SECONDS   executes an SQL statement, and keeps the connection open for this time
#include "served/world_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int own(const char *path) {
  error_info_t error = {0};
  int64_t owner = 0;
  world_store_o *store;
  bool ok = world_store_open(&(world_store_desc_t){.path = path, .game = "test", .may_create = true}, &store, &error) ==
                STORE_DONE &&
            world_store_claim_world(store, true, &owner, &error) == STORE_DONE;
  world_store_close(store);
  if (!ok) {
    fprintf(stderr, "world_owner: %s\n", error.text);
    return 1;
  }
  printf("%lld\n", (long long)owner);
  return 0;
}

static int execute(const char *path, const char *statement, const char *seconds) {
  sqlite3 *database = NULL;
  bool ok = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
            sqlite3_busy_timeout(database, 10000) == SQLITE_OK &&
            sqlite3_exec(database, statement, NULL, NULL, NULL) == SQLITE_OK;
  if (!ok)
    fprintf(stderr, "world_owner: %s\n", sqlite3_errmsg(database));
  else
    sleep((unsigned)atoi(seconds));
  sqlite3_close(database);
  return !ok;
}

int main(int argc, char **argv) {
  if (argc == 2)
    return own(argv[1]);
  if (argc == 4)
    return execute(argv[1], argv[2], argv[3]);
  fprintf(stderr, "usage: world_owner FILE [STATEMENT SECONDS]\n");
  return 2;
}
