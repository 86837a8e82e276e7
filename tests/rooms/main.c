// Prepares the database of a served world for tests. Usage:
//   world_owner DB                     creates the database if it is missing, becomes the owner of the world, as a
//                                        supervisor does, and prints the owner's number
//   world_owner DB STATEMENT SECONDS   executes SQL statements, and keeps the connection open for SECONDS
#include "served/world_store_internal.h"

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

static int execute(const char *path, const char *statements, const char *seconds) {
  error_info_t error = {0};
  world_store_o *store = NULL;
  bool ok = world_store_open(&(world_store_desc_t){.path = path, .busy_ms = 10000}, &store, &error) == STORE_DONE &&
            store_execute_script(store, statements, &error) == STORE_DONE;
  if (!ok)
    fprintf(stderr, "world_owner: %s\n", error.text);
  else
    sleep((unsigned)atoi(seconds));
  world_store_close(store);
  return !ok;
}

int main(int argc, char **argv) {
  if (argc == 2)
    return own(argv[1]);
  if (argc == 4)
    return execute(argv[1], argv[2], argv[3]);
  fprintf(stderr, "usage: world_owner DB [STATEMENT SECONDS]\n");
  return 2;
}
