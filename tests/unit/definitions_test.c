// Assemblages defined at run time, compared with a naive model: random sequences of nested deferrals that are applied
// or dropped, queued spawns, snapshots taken inside a system, and restores of these snapshots.
#include "ecs_fixture.h"

#include "base/random.h"
#include "content/definitions.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 4, MAX = 64, SNAPSHOTS = 6, DEPTH = 2 };

static const char *const names[NAMES] = {"ant", "bee", "cow", "dog"};

// --- stand-in for compiled definitions, with the health as the only value

static const char *find_line(const char *list, const char *name, char *out, size_t bytes) {
  char head[32];
  snprintf(head, sizeof head, "%s\n", name);
  for (const char *at = list; *at;) {
    const char *line = strchr(at, '\n') + 1, *end = strchr(line, '\n');
    if (strncmp(at, head, strlen(head)) == 0) {
      snprintf(out, bytes, "%.*s", (int)(end - line), line);
      return out;
    }
    at = end + 1;
  }
  return NULL;
}

static void declare_listed_assemblage(world_o *w, const char *list, uint32_t i) {
  char text[32];
  if (!find_line(list, names[i], text, sizeof text))
    return;
  uint32_t number = world_assemblage_declare(w, id_of(w, names[i]));
  world_assemblage_add_component(w, number, 0, HEALTH, 0);
  world_assemblage_set_field(w, number, 0, HEALTH, 0, 0, atoi(text));
}

static void declare_list(void *context, world_o *w, const char *borrowed) {
  char list[1024];
  uint32_t *calls = context;
  snprintf(list, sizeof list, "%s", borrowed);
  definitions_begin_change(w, 0, 0);
  for (uint32_t i = 0; i < NAMES; ++i)
    definitions_retire_assemblage(w, strings_find(world_strings(w), names[i]));
  for (uint32_t i = 0; i < NAMES; ++i)
    declare_listed_assemblage(w, list, i);
  definitions_end_change(w, list);
  *calls += 1;
}

static void define_assemblage(world_o *w, uint32_t name, int value) {
  char json[64], list[1024];
  snprintf(json, sizeof json, "%d", value);
  definitions_begin_change(w, id_of(w, names[name]), id_of(w, json));
  definitions_retire_assemblage(w, strings_find(world_strings(w), names[name]));
  snprintf(list, sizeof list, "%s", definitions_list(w));
  declare_listed_assemblage(w, list, name);
  definitions_end_change(w, list);
}

// --- the model

typedef struct thing_t {
  shoal_entity e;
  uint32_t name;
  int hp, from; // hp: health; from: health of its current definition
  bool queued;  // spawned by a queued command: its rows do not exist yet
} thing_t;

typedef struct model_t {
  int defined[NAMES]; // the definition's health, or 0 if undefined
  thing_t things[MAX];
  uint32_t count;
} model_t;

typedef struct kept_t {
  snapshot_o *s;
  model_t m;
  uint64_t hash;
} kept_t;

typedef struct test_t {
  world_o *w;
  allocator_t memory;
  random_t random;
  // `before`: copies of the model from the start of each nested deferral, restored if the deferral is dropped.
  model_t now, before[DEPTH + 1];
  uint32_t depth, definer_calls;
  kept_t kept[SNAPSHOTS];
} test_t;

static uint32_t random_below(test_t *t, uint32_t n) {
  return (uint32_t)(random_unit(&t->random) * n);
}

// Applies all queued changes to the model.
static void apply_queued_changes(test_t *t) {
  for (uint32_t i = 0; i < t->now.count; ++i) {
    thing_t *x = &t->now.things[i];
    x->queued = false;
    if (x->hp == x->from)
      x->hp = t->now.defined[x->name];
    x->from = t->now.defined[x->name];
  }
}

static void compare_with_world(test_t *t) {
  for (uint32_t i = 0; i < t->now.count; ++i) {
    const thing_t *x = &t->now.things[i];
    assert_true(world_is_alive(t->w, x->e));
    if (!x->queued)
      assert_int_equal((int)get(t->w, x->e, HEALTH, 0), x->hp);
  }
  char text[32], list[1024];
  snprintf(list, sizeof list, "%s", definitions_list(t->w));
  for (uint32_t i = 0; i < NAMES; ++i) {
    const char *line = find_line(list, names[i], text, sizeof text);
    assert_int_equal(line ? atoi(line) : 0, t->now.defined[i]);
    uint32_t number = world_find_assemblage(t->w, strings_find(world_strings(t->w), names[i]));
    assert_int_equal(number != 0, t->now.defined[i] != 0);
  }
}

static void spawn_random_assemblage(test_t *t) {
  uint32_t name = random_below(t, NAMES);
  if (t->now.defined[name] == 0 || t->now.count == MAX)
    return;
  error_info_t error = {0};
  shoal_entity e = world_spawn(t->w, world_find_assemblage(t->w, id_of(t->w, names[name])), &error);
  t->now.things[t->now.count++] = (thing_t){e, name, t->now.defined[name], t->now.defined[name], t->depth > 0};
}

static void run_random_step(test_t *t) {
  uint32_t what = random_below(t, 10), i = t->now.count ? random_below(t, t->now.count) : 0;
  thing_t *x = t->now.count ? &t->now.things[i] : NULL;
  if (what < 4) {
    spawn_random_assemblage(t);
  } else if (what < 7) {
    uint32_t name = random_below(t, NAMES);
    define_assemblage(t->w, name, t->now.defined[name] = 1 + (int)random_below(t, 5));
    if (t->depth == 0)
      apply_queued_changes(t);
  } else if (what == 7 && x && !x->queued && t->depth == 0) {
    set(t->w, x->e, HEALTH, 0, x->hp = 1 + (int)random_below(t, 9));
  } else if (what == 8 && x && t->depth == 0) {
    world_destroy_entity(t->w, x->e);
    *x = t->now.things[--t->now.count];
  }
}

static void begin_deferring(test_t *t) {
  world_defer_begin(t->w, 0);
  t->before[++t->depth] = t->now;
}

static void end_deferring(test_t *t) {
  bool drop = random_below(t, 3) == 0;
  world_defer_end(t->w, drop);
  if (drop)
    t->now = t->before[t->depth];
  if (--t->depth == 0)
    apply_queued_changes(t);
}

static void take_snapshot(test_t *t) {
  kept_t *k = &t->kept[random_below(t, SNAPSHOTS)];
  error_info_t error = {0};
  if (!snapshot_take(k->s, t->w, &error)) {
    assert_true(t->depth > 0 && strstr(error.text, "world.define"));
    k->m.count = UINT32_MAX; // marks the kept snapshot as invalid
    return;
  }
  k->m = t->now;
  k->hash = world_hash(t->w);
}

static void restore_snapshot(test_t *t) {
  const kept_t *k = &t->kept[random_below(t, SNAPSHOTS)];
  error_info_t error = {0};
  if (snapshot_size(k->s) == 0 || k->m.count == UINT32_MAX)
    return;
  if (!snapshot_restore(k->s, t->w, &error))
    fail_msg("%s", error.text);
  t->now = k->m;
  assert_true(world_hash(t->w) == k->hash);
  compare_with_world(t);
  world_defer_begin(t->w, 0);
  world_defer_end(t->w, false);
  apply_queued_changes(t);
}

TEST(assemblages_defined_at_run_time_match_a_naive_model) {
  uint32_t definer_calls = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    test_t t = {.w = make_world()};
    assert_true(definitions_declare(t.w, NULL));
    random_seed(&t.random, seed);
    world_assemblage_declare(t.w, id_of(t.w, "of a file"));
    definitions_set_definer(t.w, &(definitions_definer_t){.run = declare_list, .context = &t.definer_calls});
    for (uint32_t i = 0; i < SNAPSHOTS; ++i)
      t.kept[i].s = snapshot_create(&t.memory);
    for (uint32_t i = 0; i < 300; ++i) {
      uint32_t what = random_below(&t, 12);
      if (what == 0 && t.depth < DEPTH)
        begin_deferring(&t);
      else if (what < 3 && t.depth > 0)
        end_deferring(&t);
      else if (what == 4)
        take_snapshot(&t);
      else if (what == 5 && t.depth == 0)
        restore_snapshot(&t);
      else
        run_random_step(&t);
      compare_with_world(&t);
    }
    definer_calls += t.definer_calls;
    world_reset_after_interrupt(t.w);
    for (uint32_t i = 0; i < SNAPSHOTS; ++i)
      snapshot_release(t.kept[i].s);
    world_destroy(t.w);
    assert_int_equal(t.memory.blocks, 0);
  }
  assert_true(definer_calls > 100);
}

// --- single cases

TEST(run_time_definition_interrupted_before_declaring_has_no_effect) {
  world_o *w = make_world();
  assert_true(definitions_declare(w, NULL));
  define_assemblage(w, 0, 3);
  shoal_entity e = world_spawn(w, world_find_assemblage(w, id_of(w, "ant")), NULL);
  definitions_begin_change(w, id_of(w, "ant"), id_of(w, "4"));
  definitions_retire_assemblage(w, id_of(w, "ant"));
  world_reset_after_interrupt(w);
  assert_string_equal(definitions_list(w), "ant\n3\n");
  assert_int_not_equal(world_find_assemblage(w, id_of(w, "ant")), 0);
  define_assemblage(w, 0, 5);
  assert_int_equal((int)get(w, e, HEALTH, 0), 5);
  world_destroy(w);
}

// Defines `ant` with states a (health) and b (a label). The redefinition (`redefines`) empties a and adds c (frozen).
static void define_states(world_o *w, bool redefines) {
  definitions_begin_change(w, id_of(w, "ant"), id_of(w, redefines ? "2" : "1"));
  definitions_retire_assemblage(w, id_of(w, "ant"));
  uint32_t ant = world_assemblage_declare(w, id_of(w, "ant")), a = world_assemblage_add_state(w, ant, id_of(w, "a"));
  world_assemblage_add_component(w, ant, 0, POSITION, 0);
  world_assemblage_add_component(w, ant, world_assemblage_add_state(w, ant, id_of(w, "b")), LABEL, 0);
  if (redefines)
    world_assemblage_add_component(w, ant, world_assemblage_add_state(w, ant, id_of(w, "c")), FROZEN, 0);
  else
    world_assemblage_add_component(w, ant, a, HEALTH, 0);
  definitions_end_change(w, redefines ? "ant\n2\n" : "ant\n1\n");
}

TEST(state_change_queued_with_a_redefinition_removes_old_components) {
  world_o *w = make_world();
  assert_true(definitions_declare(w, NULL));
  for (uint32_t to = 0; to < 2; ++to) {
    define_states(w, false);
    shoal_entity e = world_spawn(w, world_find_assemblage(w, id_of(w, "ant")), NULL);
    assert_true(world_has_component(w, e, HEALTH));
    world_defer_begin(w, 0);
    define_states(w, true);
    assert_true(world_enter_state(w, e, id_of(w, to == 0 ? "b" : "c"), NULL));
    world_defer_end(w, false);
    assert_false(world_has_component(w, e, HEALTH));
    assert_true(world_has_component(w, e, POSITION) && world_has_component(w, e, to == 0 ? LABEL : FROZEN));
    world_destroy_entity(w, e);
  }
  world_destroy(w);
}
