// Parallel loops of libshoal-ecs. Prints a line for each check of library.sh.
#include <shoal/ecs.h>

#include <stdio.h>
#include <string.h>

#define BODY(F) F(f32, x, 1) F(f32, speed, 2) F(u32, part, 0)
#define HIT(F) F(u32, first, 0)
SHOAL_COMPONENT(body, BODY)
SHOAL_COMPONENT(hot, BODY)
SHOAL_COMPONENT(late, BODY)
SHOAL_EVENT(hit, HIT)

enum { COUNT = 100000 };
static shoal_entity all[COUNT];

static void move_part(shoal_world *w, const shoal_view *rows, void *data) {
  const body_columns *body = SHOAL_COLUMNS(rows, body);
  for (uint32_t i = 0; i < rows->count; ++i) {
    body->x[i] += body->speed[i];
    body->part[i] = rows->first;
    if ((rows->first + i) % 7 == 0)
      shoal_destroy(w, rows->entities[i]);
    else if ((rows->first + i) % 11 == 0)
      shoal_add(w, rows->entities[i], &hot_component);
    if ((rows->first + i) % 11 == 0)
      shoal_set(w, rows->entities[i], &hot_component, SHOAL_COLUMN_INDEX(hot, x), rows->first);
  }
  const hit_columns *hits = SHOAL_EMIT(w, hit, 1);
  if (hits)
    hits->first[0] = rows->first;
  shoal_emit_end(w, &hit_component);
  (void)data;
}

// Returns the hash of a world after three loops on `workers` threads.
static uint64_t simulate(uint32_t workers) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(body, hot, hit));
  shoal_ecs_define_assemblage(w, "body", SHOAL_COMPONENTS(body));
  shoal_spawn_many(w, "body", COUNT, all);
  if (!shoal_ecs_set_worker_count(w, workers))
    printf("%s\n", shoal_ecs_last_error());
  for (int i = 0; i < 3; ++i) {
    shoal_view v;
    if (!shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &v))
      return 0;
    if (!shoal_ecs_run_parallel(w, &v, move_part, NULL))
      printf("%s\n", shoal_ecs_last_error());
    shoal_query_end(w, &v);
    shoal_rows hits = shoal_read_events(w, &hit_component);
    if (workers == 4)
      printf("events %u, the last of part %u\n", hits.count,
             SHOAL_ROWS_CONST_COLUMNS(hits, hit)->first[hits.count - 1]);
    shoal_ecs_run_tick(w);
  }
  uint64_t hash = shoal_hash(w);
  if (workers == 4)
    printf("alive %u, hot %u\n", shoal_ecs_entity_count(w), shoal_get_rows(w, &hot_component).count);
  shoal_ecs_destroy(w);
  return hash;
}

// --- invalid calls

static shoal_world *outer, *kept;

static void spawn_in_part(shoal_world *w, const shoal_view *rows, void *data) {
  shoal_destroy(w, rows->entities[0]);
  if (rows->first == 0 && !shoal_spawn(w, ""))
    snprintf(data, 200, "%s", shoal_last_error(w));
}
static void use_outer_world(shoal_world *w, const shoal_view *rows, void *data) {
  kept = w;
  if (rows->first == 0 && !shoal_is_alive(outer, rows->entities[0]))
    snprintf(data, 200, "%s", shoal_last_error(w));
}
static void use_undeclared(shoal_world *w, const shoal_view *rows, void *data) {
  if (rows->first == 0 && !shoal_has(w, rows->entities[0], &late_component))
    snprintf(data, 200, "%s", shoal_last_error(w));
}

static void print_call(const char *what, bool ok) {
  printf("%s %d: %s\n", what, ok, shoal_ecs_last_error());
}

static void check_invalid_calls(void) {
  char text[200] = "";
  shoal_view v, closed = {.count = 1};
  shoal_world *w = outer = shoal_ecs_create(SHOAL_COMPONENTS(body));
  shoal_ecs_define_assemblage(w, "body", SHOAL_COMPONENTS(body));
  shoal_spawn_many(w, "body", 40000, NULL);
  print_call("not open", shoal_ecs_run_parallel(w, &closed, spawn_in_part, NULL));
  print_call("workers", shoal_ecs_set_worker_count(w, 65));
  if (!shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &v))
    return;
  print_call("no part", shoal_ecs_run_parallel(w, &v, NULL, NULL));
  print_call("open query", shoal_ecs_set_worker_count(w, 2));
  print_call("spawn", shoal_ecs_run_parallel(w, &v, spawn_in_part, text));
  printf("in the part: %s\n", text);
  print_call("outer", shoal_ecs_run_parallel(w, &v, use_outer_world, text));
  printf("in the part: %s\n", text);
  print_call("undeclared", shoal_ecs_run_parallel(w, &v, use_undeclared, text));
  printf("in the part: %s\n", text);
  printf("later %d: %s\n", shoal_is_alive(kept, v.entities[0]), shoal_ecs_last_error());
  shoal_query_end(w, &v);
  printf("all alive: %u\n", shoal_ecs_entity_count(w));
  shoal_ecs_destroy(w);
}

int main(void) {
  uint64_t one = simulate(1), four = simulate(4), all_processors = simulate(0);
  printf("same hash %d %d\n", one != 0 && one == four, one == all_processors);
  check_invalid_calls();
  return 0;
}
