// A plugin whose system takes at least 1 ms per tick, which limits the speed of headless games during a test.
#include <shoal/plugin.h>
#include <time.h>

static void pace(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

SHOAL_PLUGIN(.name = "pace", .version = 1, .systems = SHOAL_SYSTEMS({.name = "pace", .run = pace}))
