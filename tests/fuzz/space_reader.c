// Fuzzer for the contact impulses that the physics plugin stores in a snapshot in addition to its rows. The simulation
// must be able to continue with any data.
static const char *const reader_words[] = {0};
#include "reader.h"

#include "plugins/physics/space.h"

enum { BODIES = 12 };

static space_o *space;
static space_body_t bodies[BODIES];
static space_collider_t colliders[BODIES + 1];

// Creates a heap of balls on a floor.
static void make_ball_heap(void) {
  memset(bodies, 0, sizeof bodies);
  memset(colliders, 0, sizeof colliders);
  for (uint32_t i = 0; i <= BODIES; ++i) {
    space_collider_t *c = &colliders[i];
    *c = (space_collider_t){
        .entity = i + 1, .body = i < BODIES ? i + 1 : 0, .radius = 8, .category = 1, .mask = UINT32_MAX};
    c->scale_x = c->scale_y = 1;
    c->friction = 0.5f;
    if (i == BODIES) {
      c->kind = COLLIDER_BOX;
      c->y = 100;
      c->width = 400;
      c->height = 20;
      c->radius = 0;
    } else {
      bodies[i] = (space_body_t){.entity = i + 1, .mass = 1, .gravity = 1, .x = (i % 4) * 12.0, .y = 80 - i * 6.0};
    }
  }
}

static void run_steps(uint32_t count) {
  space_settings_t settings = {.gravity_y = 500, .iterations = 10};
  for (uint32_t i = 0; i < count; ++i) {
    space_sync(space, bodies, BODIES, colliders, BODIES + 1, NULL, 0);
    space_step(space, &settings, 1.0 / 60, bodies, NULL);
  }
}

static void reader_setup(void) {
  space = space_create();
  make_ball_heap();
  run_steps(60);
  size_t size = space_save_bytes(space);
  uint8_t *bytes = malloc(size);
  space_save(space, bytes);
  reader_seed(bytes, size);
  free(bytes);
}

static bool reader_try(const uint8_t *data, size_t size) {
  uint32_t count;
  make_ball_heap();
  bool taken = space_load(space, data, size);
  run_steps(2);
  space_contacts(space, &count);
  size_t bytes = space_save_bytes(space);
  uint8_t *out = malloc(bytes ? bytes : 1);
  space_save(space, out);
  if (!space_load(space, out, bytes))
    reader_fail("its own output is refused");
  free(out);
  return taken;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
  space_destroy(space);
}
