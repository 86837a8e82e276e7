// Relations (<shoal/relation.h>), shared by a plugin, a program with a host and a program with libshoal-ecs, like
// shared_calls.c, which includes this file.
#include <shoal/relation.h>

#define LIKES(F) F(f32, strength, 1) F(string, note, "")
#define NO_FIELDS(F)
SHOAL_RELATION(likes, LIKES)
SHOAL_RELATION_WITH(follows, NO_FIELDS, SHOAL_KIND_COMPONENT, SHOAL_CASCADE_DESTROY)
#define AIM(F) F(f32, angle, 0) F(entity, at, .flags = SHOAL_CASCADE_CLEAR)
SHOAL_COMPONENT(aim, AIM)
#define FRUIT(F) F(f32, weight, 1)
SHOAL_COMPONENT(fruit, FRUIT)

enum { ANN, BOB, CAT, APPLE, PEAR, PLUM, ENTITY_COUNT };
static shoal_entity all[ENTITY_COUNT];

// Prints the names of entities, because their ids differ between the programs.
static void print_entities(const char *what, const shoal_entity *list, uint32_t count) {
  static const char *const names[] = {"ann", "bob", "cat", "apple", "pear", "plum"};
  printf("%s:", what);
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < ENTITY_COUNT; ++k)
      if (list[i] == all[k])
        printf(" %s", names[k]);
  printf(" (%u)\n", count);
}

static void print_targets(shoal_world *w, const char *what, int who, const shoal_component *relation) {
  shoal_entity list[8];
  print_entities(what, list, shoal_get_targets(w, all[who], relation, list, 8));
}

static void print_referrers(shoal_world *w, const char *what, int who, const shoal_component *relation) {
  shoal_entity list[8];
  print_entities(what, list, shoal_get_referrers(w, all[who], relation, list, 8));
}

static void print_refusal(shoal_world *w, const char *what, bool ok) {
  const char *reason = shoal_last_error(w);
  printf("%s: %s", what, ok ? "the call succeeded" : "");
  for (; !ok && *reason; ++reason) { // omits numbers of entities
    if (*reason < '0' || *reason > '9')
      putchar(*reason);
  }
  putchar('\n');
}

static void add_and_read_pairs(shoal_world *w) {
  const likes_values strong = {.strength = 3, .note = shoal_intern(w, "crisp")};
  likes_values values;
  double strength = 0;
  print_result(w, "add", shoal_add_pair(w, all[ANN], &likes_component, all[APPLE]));
  print_result(w, "add", shoal_add_pair(w, all[ANN], &likes_component, all[PEAR]));
  print_result(w, "add again", shoal_add_pair(w, all[ANN], &likes_component, all[APPLE]));
  print_result(w, "add", shoal_add_pair(w, all[CAT], &likes_component, all[APPLE]));
  print_result(w, "add", shoal_add_pair(w, all[BOB], &likes_component, all[APPLE]));
  print_result(w, "add", shoal_add_pair(w, all[BOB], &follows_component, all[ANN]));
  print_result(w, "replace", shoal_add_pair(w, all[BOB], &follows_component, all[CAT]));
  print_result(w, "set a struct", SHOAL_SET_PAIR(w, all[ANN], likes, all[APPLE], &strong));
  print_result(w, "set a field",
               shoal_set_pair(w, all[BOB], &likes_component, all[APPLE], SHOAL_COLUMN_INDEX(likes, strength), 5));
  print_result(w, "get a struct", SHOAL_GET_PAIR(w, all[ANN], likes, all[APPLE], &values));
  printf("%g %s %d\n", (double)values.strength, shoal_string(w, values.note), values.target == all[APPLE]);
  print_result(
      w, "get a field",
      shoal_get_pair(w, all[BOB], &likes_component, all[APPLE], SHOAL_COLUMN_INDEX(likes, strength), &strength));
  shoal_rows rows = shoal_get_rows(w, &likes_component);
  uint32_t row = shoal_find_pair_row(w, &likes_component, all[ANN], all[PEAR]);
  printf("%g %g %s\n", strength, row < rows.count ? (double)SHOAL_ROWS_COLUMNS(rows, likes)->strength[row] : -1,
         shoal_pair_instance(w, all[ANN], &likes_component, all[PEAR]));
  printf("%d %d %d\n", shoal_has_pair(w, all[ANN], &likes_component, all[PEAR]),
         shoal_has_pair(w, all[BOB], &likes_component, all[PEAR]),
         shoal_has_pair(w, all[BOB], &follows_component, all[ANN]));
}

static void look_up_pairs(shoal_world *w) {
  shoal_entity list[8];
  print_targets(w, "ann likes", ANN, &likes_component);
  print_targets(w, "bob follows", BOB, &follows_component);
  print_referrers(w, "like apples", APPLE, &likes_component);
  printf("%u of them\n", shoal_get_referrers(w, all[APPLE], &likes_component, NULL, 0));
  const uint32_t at = SHOAL_COLUMN_INDEX(aim, at);
  shoal_add(w, all[CAT], &aim_component);
  shoal_set(w, all[CAT], &aim_component, at, all[PLUM]);
  print_entities("aim at the plum", list, shoal_get_field_referrers(w, all[PLUM], &aim_component, at, list, 8));
}

static void query_pairs(shoal_world *w, const char *what, const shoal_query_desc *desc, const shoal_pair *pairs,
                        uint32_t count) {
  shoal_view v;
  if (!shoal_query_pairs_begin(w, desc, pairs, count, &v)) {
    print_result(w, what, false);
    return;
  }
  const likes_columns *likes = SHOAL_COLUMNS(&v, likes);
  print_entities(what, v.entities, v.count);
  for (uint32_t i = 0; i < v.count; ++i) {
    printf("%g ", (double)likes->strength[i]);
    likes->strength[i] += 1;
  }
  shoal_add_pair(w, all[CAT], &likes_component, all[PLUM]); // queued: added when the query ends
  printf("%d ", shoal_has_pair(w, all[CAT], &likes_component, all[PLUM]));
  shoal_set_pair(w, all[CAT], &likes_component, all[PLUM], SHOAL_COLUMN_INDEX(likes, strength), 7);
  shoal_query_end(w, &v);
  printf("%d\n", shoal_has_pair(w, all[CAT], &likes_component, all[PLUM]));
  shoal_remove_pair(w, all[CAT], &likes_component, all[PLUM]);
}

static void query_all_pairs(shoal_world *w) {
  const shoal_pair apple = {&likes_component, all[APPLE]};
  const shoal_pair both[] = {apple, {&likes_component, all[PEAR]}};
  const shoal_pair follower[] = {{&follows_component, all[CAT]}, apple};
  query_pairs(w, "query", NULL, &apple, 1);
  query_pairs(w, "query two pairs", &(shoal_query_desc){.with = {"likes"}}, both, 2);
  query_pairs(w, "query two relations", NULL, follower, 2);
  query_pairs(w, "query with conditions", &(shoal_query_desc){.without = {"follows"}}, &apple, 1);
}

static void make_invalid_calls(shoal_world *w) {
  const shoal_pair pairs[5] = {{&likes_component, all[APPLE]}};
  shoal_entity dead = shoal_spawn(w, "");
  shoal_destroy(w, dead);
  shoal_view v;
  likes_values values;
  print_refusal(w, "no field", shoal_add_pair(w, all[ANN], &fruit_component, all[APPLE]));
  print_refusal(w, "dead entity", shoal_add_pair(w, dead, &likes_component, all[APPLE]));
  print_refusal(w, "dead target", shoal_add_pair(w, all[ANN], &likes_component, dead));
  print_refusal(w, "no target", shoal_add_pair(w, all[ANN], &likes_component, 0));
  print_refusal(w, "remove", shoal_remove_pair(w, all[ANN], &likes_component, all[PLUM]));
  print_refusal(w, "get", SHOAL_GET_PAIR(w, all[ANN], likes, all[PLUM], &values));
  print_refusal(w, "size", shoal_get_pair_struct(w, all[ANN], &likes_component, all[APPLE], &values, 1));
  print_refusal(w, "NULL", shoal_set_pair_struct(w, all[ANN], &likes_component, all[APPLE], NULL, sizeof values));
  print_refusal(w, "column", shoal_set_pair(w, all[ANN], &likes_component, all[APPLE], 9, 1));
  print_refusal(w, "targets of a dead entity", shoal_get_targets(w, dead, &likes_component, NULL, 0) > 0);
  print_refusal(w, "referrers of a dead entity", shoal_get_referrers(w, dead, &likes_component, NULL, 0) > 0);
  print_refusal(w, "type", shoal_get_field_referrers(w, all[PLUM], &aim_component, 0, NULL, 0) > 0);
  print_refusal(w, "no pairs", shoal_query_pairs_begin(w, NULL, NULL, 0, &v));
  print_refusal(w, "five pairs", shoal_query_pairs_begin(w, NULL, pairs, 5, &v));
  print_refusal(w, "dead target", shoal_query_pairs_begin(w, NULL, &(shoal_pair){&likes_component, dead}, 1, &v));
  print_refusal(w, "no `out`", shoal_query_pairs_begin(w, NULL, pairs, 1, NULL));
}

// An entity whose spawn is queued already has its queued pairs.
static void read_queued_pairs(shoal_world *w) {
  shoal_view v;
  likes_values values = {0};
  if (!shoal_query_begin(w, &(shoal_query_desc){.with = {"likes"}}, &v)) {
    print_result(w, "query", false);
    return;
  }
  shoal_entity e = shoal_spawn(w, "");
  print_result(w, "queue",
               shoal_add_pair(w, e, &likes_component, all[PEAR]) &&
                   SHOAL_SET_PAIR(w, e, likes, all[PEAR], &(likes_values){.strength = 9}) &&
                   SHOAL_GET_PAIR(w, e, likes, all[PEAR], &values));
  printf("%g %d %u\n", (double)values.strength, shoal_has_pair(w, e, &likes_component, all[PEAR]),
         shoal_get_targets(w, e, &likes_component, NULL, 0));
  shoal_destroy(w, e);
  shoal_query_end(w, &v);
}

static void destroy_targets(shoal_world *w) {
  print_result(w, "remove", shoal_remove_pair(w, all[ANN], &likes_component, all[PEAR]));
  print_targets(w, "ann likes", ANN, &likes_component);
  shoal_destroy(w, all[APPLE]);
  print_targets(w, "after the apple, ann likes", ANN, &likes_component);
  shoal_destroy(w, all[CAT]);
  printf("bob is %s\n", shoal_is_alive(w, all[BOB]) ? "alive" : "dead"); // a cascade may destroy bob, too
}

static void run_pairs(shoal_world *w) {
  shoal_spawn_many(w, "", ENTITY_COUNT, all);
  shoal_add(w, all[APPLE], &fruit_component);
  add_and_read_pairs(w);
  look_up_pairs(w);
  query_all_pairs(w);
  make_invalid_calls(w);
  read_queued_pairs(w);
  destroy_targets(w);
}
