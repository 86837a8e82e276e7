// The entity system alone: a hundred thousand sparks that fly, cool down and go out, without Lua, window or files.
//
//   ecs_alone [TICKS]
//
// Built against the installed library: cc ecs_alone.c $(pkg-config --cflags --libs shoal-ecs)
#include <shoal/ecs.h>

#include <stdio.h>
#include <stdlib.h>

#define MOTION(F) F(vec2, pos, 0, 0) F(vec2, velocity, 0, 0)
#define HEAT(F) F(f32, value, 100.0f) F(string, colour, "white")
#define LIVED(F) F(u32, sparks, 0)
SHOAL_COMPONENT(motion, MOTION)
SHOAL_COMPONENT(heat, HEAT)
SHOAL_SINGLE(lived, LIVED)

enum { SPARKS = 100000 };

static uint32_t motion, heat, lived;

static void must(int fine) {
  if (fine)
    return;
  fprintf(stderr, "ecs_alone: %s\n", shoal_ecs_error());
  exit(2);
}

static void fly(shoal_ecs *world, uint32_t query, float dt_s) {
  shoal_ecs_view view;
  must(shoal_ecs_begin(world, query, &view));
  for (uint32_t axis = 0; axis < 2; ++axis) {
    shoal_ecs_column at = shoal_ecs_view_column(&view, motion, SHOAL_INDEX(motion, pos[0]) + axis);
    shoal_ecs_column by = shoal_ecs_view_column(&view, motion, SHOAL_INDEX(motion, velocity[0]) + axis);
    float *pos = at.data, *velocity = by.data;
    for (uint32_t i = 0; i < view.count; ++i)
      pos[shoal_ecs_at(&at, i)] += velocity[shoal_ecs_at(&by, i)] * dt_s;
  }
  must(shoal_ecs_end(world, query));
}

// What dies inside a loop is there until its end.
static uint32_t cool(shoal_ecs *world, uint32_t query, float by) {
  shoal_ecs_view view;
  uint32_t dead = 0;
  must(shoal_ecs_begin(world, query, &view));
  shoal_ecs_column column = shoal_ecs_view_column(&view, heat, SHOAL_INDEX(heat, value));
  float *value = column.data;
  for (uint32_t i = 0; i < view.count; ++i) {
    uint32_t row = shoal_ecs_at(&column, i);
    value[row] -= by * (float)(1 + i % 7);
    if (value[row] <= 0 && ++dead)
      must(shoal_ecs_kill(world, view.entities[i]));
  }
  must(shoal_ecs_end(world, query));
  return dead;
}

int main(int argc, char **argv) {
  int ticks = argc > 1 ? atoi(argv[1]) : 60;
  uint32_t dead = 0;
  shoal_ecs *world = shoal_ecs_create();
  must(world != NULL);
  must((motion = shoal_ecs_declare(world, &motion_component)) != 0);
  must((heat = shoal_ecs_declare(world, &heat_component)) != 0);
  must((lived = shoal_ecs_declare(world, &lived_component)) != 0);
  uint32_t parts[] = {motion, heat};
  uint32_t spark = shoal_ecs_template(world, "spark", parts, 2);
  must(spark && shoal_ecs_template_set(world, spark, motion, SHOAL_INDEX(motion, velocity[0]), 12.0));
  uint32_t flying = shoal_ecs_query(world, &(shoal_ecs_terms){.with = {motion, heat}});
  must(flying && shoal_ecs_group(world, flying));
  must(shoal_ecs_spawn_many(world, spark, SPARKS, NULL) == SPARKS);
  for (int i = 0; i < ticks; ++i) {
    fly(world, flying, 1.0f / 60.0f);
    dead += cool(world, flying, 0.5f);
  }
  must(shoal_ecs_set(world, 0, lived, SHOAL_INDEX(lived, sparks), SPARKS));
  printf("%d ticks: %u of %d sparks have gone out, %u fly\n", ticks, dead, SPARKS, shoal_ecs_count(world));
  shoal_ecs_destroy(world);
  if (shoal_ecs_spawn(world, spark)) // which is gone
    return 2;
  printf("%s\n", shoal_ecs_error());
  return 0;
}
