// Snapshots, saves and hashes of worlds, with libshoal-ecs and with a host, and recordings of a host. Prints a line
// `ok` or `not ok` for each test. Usage: state GAME
#include <shoal/ecs.h>
#include <shoal/host.h>
#include <shoal/relation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STONE(F) F(f32, x, 1) F(string, label, "")
#define HIT(F) F(f32, power, 0)
SHOAL_COMPONENT(stone, STONE)
SHOAL_EVENT(hit, HIT)
SHOAL_RELATION(likes, HIT)

static void print_check(const char *what, bool ok, shoal_world *w) {
  printf("%s %s: %s\n", ok ? "ok" : "not ok", what, shoal_last_error(w));
}

static void check_restore(const char *name, shoal_world *w) {
  uint64_t before = shoal_hash(w);
  size_t size = shoal_snapshot(w, NULL, 0);
  void *bytes = malloc(size);
  print_check(name, size > 0 && bytes && shoal_snapshot(w, bytes, size) == size, w);
  char *unaligned = malloc(size + 1);
  print_check(name,
              shoal_snapshot(w, unaligned + 1, size - 1) == size && shoal_snapshot(w, unaligned + 1, size) == size, w);
  print_check(name, memcmp(unaligned + 1, bytes, size) == 0, w);
  free(unaligned);
  shoal_entity e = shoal_spawn(w, "thing");
  print_check(name, e && shoal_hash(w) != before, w);
  print_check(name, shoal_restore(w, bytes, size) && shoal_hash(w) == before && !shoal_is_alive(w, e), w);
  print_check(name, !shoal_restore(w, "nonsense", 8) && shoal_last_error(w)[0] && shoal_hash(w) == before, w);
  print_check(name, shoal_save(w, "state.save") && shoal_spawn(w, "thing") && shoal_load(w, "state.save"), w);
  print_check(name, !shoal_load(w, "nowhere.save") && shoal_last_error(w)[0], w);
  free(bytes);
}

// Destroying entities together results in the same state as destroying them one by one.
static void check_destroy_many(void) {
  uint64_t hashes[2];
  for (int is_batch = 0; is_batch < 2; ++is_batch) {
    shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(stone));
    shoal_entity things[5];
    shoal_ecs_define_assemblage(w, "thing", SHOAL_COMPONENTS(stone));
    shoal_spawn_many(w, "thing", 5, things);
    shoal_entity doomed[4] = {things[3], things[0], things[3], things[1]};
    bool ok = true;
    for (uint32_t i = 0; i < 4; i += is_batch ? 4 : 1)
      ok = shoal_destroy_many(w, doomed + i, is_batch ? 4 : 1) && ok;
    print_check("destroying an entity twice fails", !ok, w);
    print_check("destroyed entities", !shoal_is_alive(w, things[3]) && shoal_is_alive(w, things[2]), w);
    shoal_spawn(w, "thing");
    hashes[is_batch] = shoal_hash(w);
    shoal_ecs_destroy(w);
  }
  printf("%s destroying together or one by one gives the same hash\n", hashes[0] == hashes[1] ? "ok" : "not ok");
}

// A query fails until the program declares its component, and then opens.
static void check_late_declaration(shoal_world *w) {
  const shoal_query_desc desc = {.with = {"stone"}}, other = {.with = {"stone"}, .without = {"name"}};
  shoal_view v;
  print_check("an undeclared component", !shoal_query_begin(w, &desc, &v) && !shoal_query_begin(w, &other, &v), w);
  (void)shoal_get_rows(w, &stone_component);
  print_check("a late declaration", shoal_query_begin(w, &desc, &v) && shoal_query_end(w, &v), w);
  print_check("another query", shoal_query_begin(w, &other, &v) && shoal_query_end(w, &v), w);
}

static void check_observer(shoal_world *w, uint32_t enter, uint32_t changed) {
  shoal_observed lists;
  bool ok = shoal_observe_changes(w, "look", &(shoal_query_desc){.with = {"stone"}}, true, &lists);
  print_check("an observer", ok && lists.entered_count == enter && lists.changed_count == changed, w);
}

static void check_changes(shoal_world *w) {
  shoal_view v;
  const shoal_field_value label = {.component = "stone", .field = "label", .string = "a % label\nof two lines"};
  shoal_entity e = shoal_spawn(w, "thing"), other = shoal_spawn_with(w, "thing", &label, 1);
  print_check("a change", shoal_set(w, e, &stone_component, 0, 0.1) && shoal_add(w, e, &stone_component), w);
  const shoal_field_value more = {.component = "stone", .field = "label", .string = "a third one"};
  print_check("a text", shoal_set_string(w, e, &stone_component, SHOAL_COLUMN_INDEX(stone, label), "a new one"), w);
  print_check("values by name", shoal_add_with(w, e, &more, 1), w);
  shoal_entity target = shoal_spawn(w, "");
  print_check("pairs",
              shoal_add_pair(w, other, &likes_component, e) && shoal_add_pair(w, other, &likes_component, target) &&
                  shoal_remove_pair(w, other, &likes_component, e) &&
                  shoal_set_pair(w, other, &likes_component, target, SHOAL_COLUMN_INDEX(likes, power), 2),
              w);
  check_observer(w, 2, 0);
  shoal_set(w, other, &stone_component, SHOAL_COLUMN_INDEX(stone, label), shoal_intern(w, "another one"));
  if (shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}, .reads = {"stone"}}, &v)) {
    shoal_spawn(w, "thing");
    for (uint32_t i = 0; i < v.count; i += 2)
      shoal_destroy(w, v.entities[i]);
    shoal_query_end(w, &v);
  }
  const hit_columns *hits = SHOAL_EMIT(w, hit, 2);
  if (hits)
    hits->power[0] = 0.3f;
  print_check("an event", hits && shoal_emit_end(w, &hit_component) && shoal_read_events(w, &hit_component).count == 2,
              w);
}

static shoal_host *open(const char *game, const char *record, const char *replay) {
  shoal_host_options o = shoal_host_default_options();
  o.game = game;
  o.headless = o.no_stderr = true;
  o.record = record;
  o.replay = replay;
  shoal_host *host = shoal_host_create(&o);
  if (!host)
    exit(printf("not ok %s\n", shoal_host_last_error()));
  return host;
}

int main(int argc, char **argv) {
  const char *game = argc > 1 ? argv[1] : "";
  shoal_world *alone = shoal_ecs_create(SHOAL_COMPONENTS(stone, hit));
  shoal_ecs_define_assemblage(alone, "thing", SHOAL_COMPONENTS(stone));
  shoal_spawn_many(alone, "thing", 3, NULL);
  check_restore("alone", alone);
  check_destroy_many();
  shoal_ecs_destroy(alone);
  shoal_host *host = open(game, NULL, NULL);
  check_late_declaration(shoal_host_world(host));
  check_restore("with a host", shoal_host_world(host));
  shoal_host_destroy(host);
  host = open(game, "state.replay", NULL);
  shoal_host_step(host, 2);
  check_changes(shoal_host_world(host));
  shoal_host_step(host, 3);
  check_observer(shoal_host_world(host), 1, 1);
  shoal_host_step(host, 1);
  uint64_t hash = shoal_hash(shoal_host_world(host));
  shoal_host_destroy(host);
  host = open(game, NULL, "state.replay");
  shoal_host_step(host, 6);
  shoal_world *w = shoal_host_world(host);
  print_check("a replay", shoal_hash(w) == hash && !shoal_spawn(w, "thing"), w);
  shoal_host_destroy(host);
}
