// Each tick takes a millisecond or more: for headless games that run while a test looks at them.
#include <shoal/plugin.h>
#include <time.h>

static void pace(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

SHOAL_PLUGIN(.name = "pace", .version = 1, .systems = SHOAL_SYSTEMS({.name = "pace", .run = pace}))
