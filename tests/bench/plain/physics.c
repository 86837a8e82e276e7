// A heap of circles and boxes in a bin, with Chipmunk alone.
#include "plain.h"

#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdbool.h>

static cpShape *add(cpSpace *space, cpShape *shape) {
  cpShapeSetFriction(shape, 0.6);
  cpShapeSetElasticity(shape, 0.1);
  return cpSpaceAddShape(space, shape);
}

static void wall(cpSpace *space, double x, double y, double width, double height) {
  cpBB box = {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
  add(space, cpBoxShapeNew2(cpSpaceGetStaticBody(space), box, 0));
}

static cpBody *drop(cpSpace *space, int i) {
  double r = 8 + i * 7 % 6;
  bool box = i % 2 == 1;
  double moment = box ? cpMomentForBox(1, 2 * r, 2 * r) : cpMomentForCircle(1, 0, r, cpvzero);
  cpBody *body = cpSpaceAddBody(space, cpBodyNew(1, moment));
  cpBodySetPosition(body, cpv(80 + i % 40 * 28 + i * 13 % 4, 640 - i / 40 * 28));
  add(space, box ? cpBoxShapeNew(body, 2 * r, 2 * r, 0) : cpCircleShapeNew(body, r, cpvzero));
  return body;
}

void run_physics(uint32_t count, uint32_t ticks) {
  cpSpace *space = cpSpaceNew();
  cpSpaceSetGravity(space, cpv(0, 600));
  wall(space, 640, 720, 1300, 40);
  wall(space, 20, -1000, 40, 4000);
  wall(space, 1260, -1000, 40, 4000);
  for (uint32_t i = 0; i < count; ++i)
    drop(space, (int)i);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began = now_s();
    cpSpaceStep(space, 1.0 / 60);
    add_time("c", now_s() - began, count);
  }
  print_check("bodies", count);
  cpSpaceFree(space);
}
