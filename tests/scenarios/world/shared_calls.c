// Shared by a plugin, a program with a host and a program with libshoal-ecs: the including file provides the world and
// calls `run_calls`. All three print the same output (tests/scenarios/library.sh).
#include <shoal/world.h>

#include <stdio.h>

#define STONE(F) F(f32, x, 1) F(f32, speed, 2) F(i32, steps, 0) F(string, label, "")
#define HIT(F) F(entity, entity) F(f32, power, 0)
SHOAL_COMPONENT(stone, STONE)
SHOAL_EVENT(hit, HIT)

static void print_result(shoal_world *w, const char *what, bool ok) {
  printf("%s: %s\n", what, ok ? "done" : shoal_last_error(w));
}

#include "shared_pairs.c"

static void move_stones(shoal_world *w, float dt_s) {
  shoal_view v;
  if (!shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}}, &v))
    return print_result(w, "query", false);
  for (uint32_t i = 0; i < v.count; ++i) {
    SHOAL_COLUMN(&v, stone, x)[i] += SHOAL_COLUMN(&v, stone, speed)[i] * dt_s;
    if (++SHOAL_COLUMN(&v, stone, steps)[i] == 2)
      shoal_destroy(w, v.entities[i]); // queued: its row stays until the query ends
  }
  printf("%u rows\n", v.count);
  shoal_query_end(w, &v);
}

static void print_changes(shoal_world *w) {
  shoal_observed lists;
  if (!shoal_observe_changes(w, "look", &(shoal_query_desc){.with = {"stone"}}, true, &lists))
    return print_result(w, "observe", false);
  printf("%u enter, %u leave, %u changed\n", lists.entered_count, lists.left_count, lists.changed_count);
}

static void run_calls(shoal_world *w) {
  shoal_entity e[3];
  stone_values values = {.x = 5, .speed = 10, .label = shoal_intern(w, "second")};
  double x = 0;
  print_result(w, "spawn", shoal_spawn_many(w, "", 3, e) == 3 && shoal_declare(w, &stone_component));
  for (int i = 0; i < 3; ++i)
    print_result(w, "add", shoal_add(w, e[i], &stone_component));
  print_result(w, "set a struct", SHOAL_SET(w, e[1], stone, &values));
  print_result(w, "set a field", shoal_set(w, e[2], &stone_component, SHOAL_COLUMN_INDEX(stone, steps), 1));
  print_changes(w);
  move_stones(w, 0.5f);
  print_changes(w);
  print_result(w, "get a field", shoal_get(w, e[0], &stone_component, SHOAL_COLUMN_INDEX(stone, x), &x));
  print_result(w, "get a struct", SHOAL_GET(w, e[1], stone, &values));
  printf("%g, %g %d %s, %s\n", x, (double)values.x, values.steps, shoal_string(w, values.label),
         shoal_is_alive(w, e[2]) ? "alive" : "dead");
  print_result(w, "set by text",
               shoal_set_string(w, e[0], &stone_component, SHOAL_COLUMN_INDEX(stone, label), "third"));
  printf("%s\n", shoal_get_string(w, e[0], &stone_component, SHOAL_COLUMN_INDEX(stone, label)));
  const hit_columns *hits = SHOAL_EMIT(w, hit, 2);
  for (int i = 0; hits && i < 2; ++i) {
    hits->entity[i] = e[i];
    hits->power[i] = (float)i + 0.5f;
  }
  print_result(w, "emit", shoal_emit_end(w, &hit_component));
  print_result(w, "remove", shoal_remove(w, e[1], &stone_component));
  print_result(w, "set", shoal_set(w, e[1], &stone_component, 0, 1));
  print_result(w, "query", shoal_query_begin(w, &(shoal_query_desc){.with = {"stonne"}}, &(shoal_view){0}));
  move_stones(w, 0.5f);
  printf("%d %d\n", shoal_has(w, e[0], &stone_component), shoal_has(w, e[1], &stone_component));
  run_pairs(w);
}
