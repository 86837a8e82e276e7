// Managers of components in libshoal-ecs. Prints a line for each check of library.sh.
#include <shoal/ecs.h>
#include <shoal/plugin.h>

#include <stdlib.h>

#define BODY(F) F(f32, mass, 1)

// A manager that keeps the entities in a list, in the order in which they were added.
typedef struct list_t {
  shoal_entity items[64];
  uint32_t count;
  float mass; // sum of the masses of all attached entities
} list_t;

static int wrong_count; // added to the result of `count`
static int extra_bytes; // written by `save` after its buffer
static bool rejects;    // `load` rejects all bytes
static void (*in_attach)(shoal_context *c);
static shoal_world *outer; // the world of the program
static uint32_t sums[2];   // results of shoal_parallel_for

static void *create(shoal_context *c) {
  list_t *list = shoal_realloc(c, NULL, 0, sizeof *list);
  *list = (list_t){{0}, 0, 0};
  return list;
}
static void destroy(shoal_context *c, void *self) {
  shoal_realloc(c, self, sizeof(list_t), 0);
}
static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  list_t *list = self;
  (void)c;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < list->count; ++k)
      if (list->items[k] == entities[i])
        list->items[k--] = list->items[--list->count];
}
static uint32_t count_rows(void *self) {
  return ((list_t *)self)->count + (uint32_t)wrong_count;
}
static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  return sizeof(list_t);
}
static void save(shoal_context *c, void *self, void *bytes) {
  (void)c;
  memcpy(bytes, self, sizeof(list_t));
  for (int i = 0; i < extra_bytes; ++i)
    ((char *)bytes)[sizeof(list_t) + (size_t)i] = 1;
}
static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  list_t *list = self;
  (void)c;
  if (!bytes)
    *list = (list_t){{0}, 0, 0};
  else if (size == sizeof *list && !rejects)
    memcpy(list, bytes, size);
  else
    return false;
  return true;
}

static const shoal_manager lister = {1, create, destroy, attach, detach, count_rows, save_bytes, save, load, NULL};
SHOAL_COMPONENT_WITH_MANAGER(body, BODY, &lister)
static const shoal_manager incomplete = {1, create, destroy, NULL, detach, count_rows, save_bytes, save, load, NULL};
SHOAL_COMPONENT_WITH_MANAGER(lame, BODY, &incomplete)
static const shoal_component many_component = {"many", SHOAL_KIND_MANY, body_fields, 1, 1, &lister, {NULL}};
SHOAL_COMPONENT(plain, BODY)

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  list_t *list = self;
  shoal_rows rows = shoal_get_rows(shoal_get_world(c), &body_component);
  for (uint32_t i = 0; i < count; ++i) {
    list->items[list->count++] = entities[i];
    list->mass +=
        SHOAL_ROWS_COLUMNS(rows, body)->mass[shoal_find_row(shoal_get_world(c), &body_component, entities[i])];
  }
  if (in_attach)
    in_attach(c);
}

static const list_t *get_list(shoal_world *w) {
  return shoal_ecs_manager_data(w, &body_component);
}

static void print_list(const char *what, shoal_world *w) {
  const list_t *list = get_list(w);
  printf("%s: %u, mass %g\n", what, list ? list->count : 999, list ? (double)list->mass : -1.0);
}

static void print_call(const char *what, bool ok, shoal_world *w) {
  printf("%s %d: %s\n", what, ok, shoal_last_error(w));
}

// --- calls that a manager may make

static void spawn_in_manager(shoal_context *c) {
  shoal_spawn(shoal_get_world(c), "");
}
static void use_outer_world(shoal_context *c) {
  (void)c;
  if (!shoal_spawn(outer, ""))
    printf("outer: %s\n", shoal_last_error(outer));
}
static void draw_in_manager(shoal_context *c) {
  (void)shoal_random_u32(c);
}
static shoal_world *kept; // the world of a manager's context
static void keep_world(shoal_context *c) {
  kept = shoal_get_world(c);
}
static void fail_in_manager(shoal_context *c) {
  shoal_fail(c, "no more than %d bodies", 64);
}
static void free_with_wrong_size(shoal_context *c) {
  shoal_realloc(c, shoal_realloc(c, NULL, 0, 16), 12, 0);
}
static void add_part(void *data, uint32_t part, uint32_t worker) {
  (void)worker;
  ((uint32_t *)data)[part] = part + 1;
}
static void work_in_parallel(shoal_context *c) {
  shoal_parallel_for(c, add_part, sums, 2);
  printf("parallel %u %u, tick %d, workers %d, own data %d\n", sums[0], sums[1], (int)shoal_tick(c),
         shoal_worker_count(c) > 0, shoal_manager_data(c, &body_component) != NULL);
}

static void check_calls(shoal_world *w) {
  static const struct {
    const char *what;
    void (*call)(shoal_context *c);
  } calls[] = {{"spawn", spawn_in_manager}, {"outer", use_outer_world},     {"random", draw_in_manager},
               {"fail", fail_in_manager},   {"size", free_with_wrong_size}, {"parallel", work_in_parallel}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    shoal_entity e = shoal_spawn(w, "");
    in_attach = calls[i].call;
    print_call(calls[i].what, shoal_add(w, e, &body_component), w);
    in_attach = NULL;
    shoal_destroy(w, e);
  }
}

static void check_expired_context(shoal_world *w) {
  shoal_entity e = shoal_spawn(w, "");
  in_attach = keep_world;
  shoal_add(w, e, &body_component);
  in_attach = NULL;
  printf("expired %d: %s\n", shoal_is_alive(kept, e), shoal_ecs_last_error());
  shoal_destroy(w, e);
}

static void check_snapshots(shoal_world *w) {
  uint64_t before = shoal_hash(w);
  size_t size = shoal_snapshot(w, NULL, 0);
  void *bytes = malloc(size);
  if (!bytes || shoal_snapshot(w, bytes, size) != size)
    exit(2);
  shoal_add(w, shoal_spawn(w, ""), &body_component);
  printf("hash differs %d\n", shoal_hash(w) != before);
  print_call("restore", shoal_restore(w, bytes, size) && shoal_hash(w) == before, w);
  print_list("restored", w);
  rejects = true;
  print_call("rejected", shoal_restore(w, bytes, size), w);
  rejects = false;
  print_list("refilled", w);
  extra_bytes = 4;
  print_call("too large", shoal_hash(w) != 0, w);
  extra_bytes = 0;
  free(bytes);
}

int main(void) {
  shoal_world *w = outer = shoal_ecs_create(SHOAL_COMPONENTS(body, plain));
  if (!w)
    return printf("%s\n", shoal_ecs_last_error()), 2;
  shoal_ecs_define_assemblage(w, "body", SHOAL_COMPONENTS(body));
  shoal_entity e[3];
  shoal_spawn_many(w, "body", 3, e);
  print_list("spawned", w);
  shoal_view v;
  if (shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &v)) {
    shoal_destroy(w, e[0]); // the destruction is queued
    print_list("queued", w);
    print_call("end", shoal_query_end(w, &v), w);
  }
  print_list("destroyed", w);
  check_calls(w);
  check_snapshots(w);
  wrong_count = 1;
  print_call("wrong count", shoal_remove(w, e[1], &body_component), w);
  wrong_count = 0;
  print_call("right count", shoal_remove(w, e[2], &body_component), w);
  print_list("removed", w);
  print_call("incomplete", shoal_declare(w, &lame_component), w);
  print_call("many", shoal_declare(w, &many_component), w);
  print_call("again", shoal_declare(w, &body_component), w);
  print_call("no manager", shoal_ecs_manager_data(w, &plain_component) != NULL, w);
  check_expired_context(w);
  print_call("destroy", shoal_ecs_destroy(w), w);
  return 0;
}
