// A plugin that prints the names of the functions that the host calls, for the table in engine/docs/plugins.md.
#include <shoal/plugin.h>

#include <stdio.h>

static void print_hook(const char *name) {
  fprintf(stderr, "hook %s\n", name);
}

// The storage of the manager is the number of its rows.
static void *create(shoal_context *c) {
  print_hook("create");
  uint32_t *count = shoal_realloc(c, NULL, 0, sizeof *count);
  *count = 0;
  return count;
}

static void destroy(shoal_context *c, void *self) {
  print_hook("destroy");
  shoal_realloc(c, self, sizeof(uint32_t), 0);
}

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  print_hook("attach");
  *(uint32_t *)self += count;
}

static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  *(uint32_t *)self -= count;
}

static uint32_t count_rows(void *self) {
  return *(uint32_t *)self;
}

static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  return sizeof(uint32_t);
}

static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  memcpy(bytes, self, sizeof(uint32_t));
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c;
  print_hook("load");
  if (size == sizeof(uint32_t))
    memcpy(self, bytes, size);
  return size == sizeof(uint32_t);
}

static const shoal_manager manager = {.version = 1,
                                      .create = create,
                                      .destroy = destroy,
                                      .attach = attach,
                                      .detach = detach,
                                      .count = count_rows,
                                      .save_bytes = save_bytes,
                                      .save = save,
                                      .load = load};
#define HOOKED_FIELDS(F) F(f32, value, 1)
SHOAL_COMPONENT_WITH_MANAGER(hooked, HOOKED_FIELDS, &manager)

static void run(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  if (shoal_tick(c) == 0)
    print_hook("run");
#ifdef CRASH_TICK
  if (shoal_tick(c) == CRASH_TICK)
    *(volatile int *)(uintptr_t)16 = 1;
#endif
}

static void *reopen(shoal_context *c, const shoal_handover *previous) {
  print_hook(previous ? "reopen after a reload" : "reopen");
  return shoal_realloc(c, NULL, 0, 1);
}

static void close_it(shoal_context *c, void *state) {
  print_hook("close");
  shoal_realloc(c, state, 1, 0);
}

static void on_restore(shoal_context *c) {
  (void)c;
  print_hook("on_restore");
}

static size_t save_handover(shoal_context *c, void *state, void *bytes, size_t capacity) {
  (void)c, (void)state, (void)capacity;
  if (!bytes)
    return 1;
  print_hook("save_handover");
  memset(bytes, 1, 1);
  return 1;
}

__attribute__((constructor)) static void construct(void) {
  print_hook("constructor");
}

__attribute__((destructor)) static void destruct(void) {
  print_hook("destructor");
}

SHOAL_PLUGIN(.name = "hooks", .version = 1, .components = SHOAL_COMPONENTS(hooked),
             .systems = SHOAL_SYSTEMS({.name = "run", .query = {"hooked"}, .run = run}), .close = close_it,
             .on_restore = on_restore, .reopen = reopen, .save_handover = save_handover)
