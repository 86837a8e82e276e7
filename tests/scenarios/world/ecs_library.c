// shared_calls.c as a program that uses only libshoal-ecs.
#include <shoal/ecs.h>

#include "shared_calls.c"

int main(void) {
  shoal_world *world = shoal_ecs_create(SHOAL_COMPONENTS(stone, hit, likes, follows, aim, fruit));
  run_calls(world);
  shoal_ecs_destroy(world);
}
