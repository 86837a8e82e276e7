// shared_calls.c in a plugin, plus calls that are not available in plugins.
#include <shoal/plugin.h>

#include "shared_calls.c"

static void run(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)in, (void)out;
  run_calls(shoal_get_world(c));
  printf("a snapshot: %zu, %s\n", shoal_snapshot(shoal_get_world(c), NULL, 0), shoal_last_error(shoal_get_world(c)));
  printf("a restore: %d, %s\n", shoal_restore(shoal_get_world(c), "", 1), shoal_last_error(shoal_get_world(c)));
  printf("a hash: %d, %s\n", (int)shoal_hash(shoal_get_world(c)), shoal_last_error(shoal_get_world(c)));
  fflush(stdout);
}

SHOAL_PLUGIN(.name = "same", .version = 1, .components = SHOAL_COMPONENTS(stone, hit, likes, follows, aim, fruit),
             .functions = SHOAL_FUNCTIONS({.name = "run", .call = run}))
