// A plugin whose manager has private data: a list of all entities with the component, in the order in which they gained
// it, with the number of ticks since then. Macros (-D…) select a later version or a specific fault.
#include <shoal/plugin.h>

#include <signal.h>
#include <string.h>

typedef struct entry_t {
  shoal_entity entity;
  uint32_t ticks;
} entry_t;

typedef struct store_t {
  entry_t *items;
  uint32_t count, capacity;
} store_t;

#ifndef VERSION
#define VERSION 1
#endif

static void *create(shoal_context *c) {
  store_t *s = (store_t *)shoal_realloc(c, NULL, 0, sizeof *s);
  *s = (store_t){0};
  return s;
}

static void destroy(shoal_context *c, void *self) {
  store_t *s = self;
  shoal_realloc(c, s->items, s->capacity * sizeof *s->items, 0);
  shoal_realloc(c, s, sizeof *s, 0);
}

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  store_t *s = self;
  if (s->count + count > s->capacity) {
    uint32_t capacity = (s->count + count) * 2;
    s->items = shoal_realloc(c, s->items, s->capacity * sizeof *s->items, capacity * sizeof *s->items);
    s->capacity = capacity;
  }
  for (uint32_t i = 0; i < count; ++i)
    s->items[s->count++] = (entry_t){entities[i], 0};
#ifdef LIES
  --s->count;
#endif
}

static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  store_t *s = self;
  (void)c;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < s->count; ++k)
      if (s->items[k].entity == entities[i]) {
        memmove(&s->items[k], &s->items[k + 1], (--s->count - k) * sizeof *s->items);
        break;
      }
}

static uint32_t count(void *self) {
  return ((store_t *)self)->count;
}

static size_t save_bytes(shoal_context *c, void *self) {
  (void)c;
#ifdef WANTS_TOO_MUCH
  return (size_t)-1;
#endif
  return ((store_t *)self)->count * sizeof(entry_t);
}

static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  if (((store_t *)self)->count > 0)
    memcpy(bytes, ((store_t *)self)->items, save_bytes(c, self));
#ifdef OVERRUNS
  memset((char *)bytes + save_bytes(c, self), 1, 8);
#endif
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  store_t *s = self;
  uint32_t n = (uint32_t)(size / sizeof *s->items);
  if (size % sizeof *s->items != 0)
    return false;
  s->items = shoal_realloc(c, s->items, s->capacity * sizeof *s->items, n * sizeof *s->items);
  s->count = s->capacity = n;
  if (n > 0)
    memcpy(s->items, bytes, size);
  return true;
}

// Loads data of version 1 and adds 1000 to each count, so that tests can recognize migrated data.
static bool migrate(shoal_context *c, void *self, uint32_t from_version, const void *bytes, size_t size) {
  store_t *s = self;
#ifdef CRASH_IN_MIGRATE
  raise(SIGSEGV);
#endif
#ifdef REFUSE_TO_MIGRATE
  shoal_fail(c, "version %u is too old for me", from_version);
  return false;
#endif
  if (from_version != 1 || !load(c, self, bytes, size))
    return false;
  for (uint32_t i = 0; i < s->count; ++i)
    s->items[i].ticks += 1000;
  return true;
}

static const shoal_manager manager = {.version = VERSION,
                                      .create = create,
                                      .destroy = destroy,
                                      .attach = attach,
                                      .detach = detach,
                                      .count = count,
                                      .save_bytes = save_bytes,
                                      .save = save,
                                      .load = load,
                                      .migrate = VERSION > 1 ? migrate : NULL};

#define AGE_FIELDS(F) F(u32, ticks, 0, .flags = SHOAL_READ_ONLY)
SHOAL_COMPONENT_WITH_MANAGER(age, AGE_FIELDS, &manager)

// Increments the manager's counts and copies them to the column.
static void grow(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  store_t *s = shoal_manager_data(c, &age_component);
  const age_columns *age = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &age_component), age);
  (void)v, (void)dt_s;
#ifdef CRASH_TICK
  if (shoal_tick(c) == CRASH_TICK)
    raise(SIGSEGV);
#endif
  for (uint32_t i = 0; i < s->count; ++i)
    age->ticks[shoal_find_row(w, &age_component, s->items[i].entity)] = ++s->items[i].ticks;
}

SHOAL_PLUGIN(.name = "store", .version = VERSION, .components = SHOAL_COMPONENTS(age),
             .systems = SHOAL_SYSTEMS({.name = "grow", .run = grow}))
