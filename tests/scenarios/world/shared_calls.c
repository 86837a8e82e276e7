// Shared by a plugin, a program with a host and a program with libshoal-ecs: the including file provides the world and
// calls `live`. All three print the same output (tests/scenarios/library.sh).
#include <shoal/world.h>

#include <stdio.h>

#define STONE(F) F(f32, x, 1) F(f32, speed, 2) F(i32, steps, 0) F(string, label, "")
#define HIT(F) F(entity, entity) F(f32, power, 0)
SHOAL_COMPONENT(stone, STONE)
SHOAL_EVENT(hit, HIT)

static void show(shoal_world *w, const char *what, bool fine) {
  printf("%s: %s\n", what, fine ? "done" : shoal_why(w));
}

static void step(shoal_world *w, float dt_s) {
  shoal_view v;
  if (!shoal_query(w, &(shoal_wanted){.with = {"stone"}}, &v))
    return show(w, "query", false);
  for (uint32_t i = 0; i < v.count; ++i) {
    SHOAL_COLUMN(&v, stone, x)[i] += SHOAL_COLUMN(&v, stone, speed)[i] * dt_s;
    if (++SHOAL_COLUMN(&v, stone, steps)[i] == 2)
      shoal_kill(w, v.entities[i]); // queued: its row stays until the query ends
  }
  printf("%u rows\n", v.count);
  shoal_query_end(w, &v);
}

static void look(shoal_world *w) {
  shoal_lists lists;
  if (!shoal_observe(w, "look", &(shoal_wanted){.with = {"stone"}}, true, &lists))
    return show(w, "observe", false);
  printf("%u enter, %u leave, %u changed\n", lists.enter_count, lists.leave_count, lists.changed_count);
}

static void live(shoal_world *w) {
  shoal_entity e[3];
  stone_values values = {.x = 5, .speed = 10, .label = shoal_text_id(w, "second")};
  double x = 0;
  show(w, "spawn", shoal_spawn_many(w, "", 3, e) == 3 && shoal_declare(w, &stone_component));
  for (int i = 0; i < 3; ++i)
    show(w, "add", shoal_add(w, e[i], &stone_component));
  show(w, "set a struct", SHOAL_SET(w, e[1], stone, &values));
  show(w, "set a field", shoal_set(w, e[2], &stone_component, SHOAL_INDEX(stone, steps), 1));
  look(w);
  step(w, 0.5f);
  look(w);
  show(w, "get a field", shoal_get(w, e[0], &stone_component, SHOAL_INDEX(stone, x), &x));
  show(w, "get a struct", SHOAL_GET(w, e[1], stone, &values));
  printf("%g, %g %d %s, %s\n", x, (double)values.x, values.steps, shoal_text(w, values.label),
         shoal_alive(w, e[2]) ? "alive" : "dead");
  show(w, "set by text", shoal_set_text(w, e[0], &stone_component, SHOAL_INDEX(stone, label), "third"));
  printf("%s\n", shoal_field_text(w, e[0], &stone_component, SHOAL_INDEX(stone, label)));
  const hit_columns *hits = SHOAL_EMIT(w, hit, 2);
  for (int i = 0; hits && i < 2; ++i) {
    hits->entity[i] = e[i];
    hits->power[i] = (float)i + 0.5f;
  }
  show(w, "emit", shoal_emit_end(w, &hit_component));
  show(w, "remove", shoal_remove(w, e[1], &stone_component));
  show(w, "set", shoal_set(w, e[1], &stone_component, 0, 1));
  show(w, "query", shoal_query(w, &(shoal_wanted){.with = {"stonne"}}, &(shoal_view){0}));
  step(w, 0.5f);
  printf("%d %d\n", shoal_has(w, e[0], &stone_component), shoal_has(w, e[1], &stone_component));
}
