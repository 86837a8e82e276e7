// same.c as a program with the entity system alone.
#include <shoal/ecs.h>

#include "same.c"

int main(void) {
  shoal_world *world = shoal_ecs_create(SHOAL_COMPONENTS(stone, hit));
  live(world);
  shoal_ecs_destroy(world);
}
