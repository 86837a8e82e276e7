// shared_calls.c as a program with a host.
#include <shoal/host.h>

#include "shared_calls.c"

int main(int argc, char **argv) {
  shoal_host_options options = shoal_host_default_options();
  options.game = argc > 1 ? argv[1] : "";
  options.headless = options.no_stderr = true;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  run_calls(shoal_host_world(host));
  shoal_host_destroy(host);
}
