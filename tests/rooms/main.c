// Creates the database of a served world if it is missing, and becomes the owner of the world, as a supervisor does.
// Prints the owner's number. Usage: world_owner FILE
#include "served/world_store.h"

#include <stdio.h>

int main(int argc, char **argv) {
  error_info_t error = {0};
  int64_t owner = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: world_owner FILE\n");
    return 2;
  }
  world_store_o *store =
      world_store_open(&(world_store_desc_t){.path = argv[1], .game = "test", .may_create = true}, &error);
  bool ok = store && world_store_claim_world(store, true, &owner, &error) == STORE_DONE;
  world_store_close(store);
  if (!ok) {
    fprintf(stderr, "world_owner: %s\n", error.text);
    return 1;
  }
  printf("%lld\n", (long long)owner);
  return 0;
}
