// Random edits of assemblages, merged into living entities: compares the resulting worlds, marks, counts and messages
// with recorded results.
#include "ecs_fixture.h"

#include "base/hash.h"
#include "content/assemblage_merge.h"
#include "ecs/world_hash.h"
#include "merge_edits_expected.h"
#include "migrate/world_migrate.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"

#include <math.h>

enum { ASSEMBLAGES = 4, TEMPLATES = 3, BAG = NAME + 1, MOOD, COMPONENTS = MOOD, FIELDS = 4 };

// One version of the assemblages: a component with value index 0 is missing from its template.
typedef struct version_t {
  uint8_t parts[ASSEMBLAGES][TEMPLATES][COMPONENTS + 1][FIELDS];
  uint8_t children[ASSEMBLAGES];
  uint8_t exists[ASSEMBLAGES];
  uint8_t states;
  uint8_t score;
} version_t;

static const char *const NAMES[ASSEMBLAGES] = {"tank", "turret", "flag", "rock"};
static const char *const TEXTS[] = {"", "alive", "dying", "left", "right", "a", "b", "c", "turret", "flag"};
static const double VALUES[] = {0, 1, 2, -3, 0.1, -0.0, NAN, 7};
static uint64_t merge_hash;

static void add_hash(const void *bytes, size_t size) {
  merge_hash = hash_bytes(bytes, size, merge_hash);
}

static void add_log_line(void *context, const char *line) {
  (void)context;
  add_hash(line, strlen(line));
}

// --- versions

static world_o *make_version_world(const version_t *v, bool is_tracked) {
  static const char *const moods[] = {"calm", "angry", "sad"};
  error_info_t error;
  allocator_t memory = {0};
  schema_buffer_t s;
  world_o *w = make_world();
  world_track_touched_fields(w, is_tracked);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    id_of(w, NAMES[i]);
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i)
    id_of(w, TEXTS[i]);
  schema_init(&s, "bag", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "items.count", FIELD_U8, 0);
  schema_add_field(&s.schema, "items.1", FIELD_I32, 0);
  schema_add_field(&s.schema, "items.2", FIELD_I32, 0);
  schema_add_field(&s.schema, "size", FIELD_F64, 0);
  schema_flag_list_columns(&s.schema);
  assert_int_equal(world_declare_schema(w, &s.schema, &error), BAG);
  schema_init(&s, "mood", SCHEMA_COMPONENT, "test");
  field_set_choices(schema_add_field(&s.schema, "now", FIELD_ENUM, 0), &memory, moods, 3);
  assert_int_equal(world_declare_schema(w, &s.schema, &error), MOOD);
  schema_fini(&s.schema, &memory);
  schema_init(&s, "score", SCHEMA_SINGLE, "test");
  schema_add_field(&s.schema, "value", FIELD_I32, v->score);
  assert_int_equal(world_declare_schema(w, &s.schema, &error), SCORE);
  return w;
}

static double choose_value(world_o *w, uint32_t manager, uint32_t column, uint8_t choice) {
  field_type_t type = world_manager(w, manager)->schema.fields[column].type;
  if (type == FIELD_STRING)
    return id_of(w, TEXTS[choice % 8]);
  if (type == FIELD_ENUM || type == FIELD_U8)
    return choice % 3;
  return type == FIELD_I32 ? choice % 5 : VALUES[choice % 8];
}

static bool is_declarable(uint32_t manager) {
  return manager != SCORE && manager != NAME;
}

static void declare_part(world_o *w, uint32_t a, uint32_t t, uint32_t manager, const uint8_t *choices) {
  const schema_t *schema = &world_manager(w, manager)->schema;
  bool is_many = schema->kind == SCHEMA_MANY;
  for (uint32_t i = 0; i < (is_many ? 2u : 1u); ++i) {
    uint32_t instance = is_many ? id_of(w, i ? "right" : "left") : 0;
    if (choices[0] == 0 || (is_many && choices[1 + i] % 2 == 0))
      continue;
    world_assemblage_add_component(w, a, t, manager, instance);
    for (uint32_t k = 0; k < schema->field_count && k < FIELDS; ++k)
      if (schema->fields[k].type != FIELD_ENTITY && (choices[k] & 1 || k > 0))
        world_assemblage_set_field(w, a, t, manager, instance, k, choose_value(w, manager, k, choices[k] / 2));
  }
}

static void declare_version(world_o *w, const version_t *v) {
  for (uint32_t i = 0; i < ASSEMBLAGES; ++i) {
    if (!v->exists[i])
      continue;
    uint32_t a = world_assemblage_declare(w, id_of(w, NAMES[i]));
    for (uint32_t t = 0; t < TEMPLATES; ++t) {
      uint32_t number = 0;
      if (t > 0 && (i != 0 || !(v->states >> t & 1)))
        continue;
      if (t > 0)
        number = world_assemblage_add_state(w, a, id_of(w, TEXTS[t]));
      for (uint32_t m = 1; m <= COMPONENTS; ++m)
        if (is_declarable(m))
          declare_part(w, a, number, m, v->parts[i][t][m]);
    }
  }
  for (uint32_t i = 1; i < 3; ++i) { // the tank's children
    uint32_t child = v->children[i] % 4;
    if (v->exists[0] && child && v->exists[child])
      world_assemblage_add_child(w, world_find_assemblage(w, id_of(w, NAMES[0])), id_of(w, TEXTS[7 + i]),
                                 world_find_assemblage(w, id_of(w, NAMES[child])));
  }
}

static void make_version(version_t *v, uint32_t *seed, uint32_t rarity) {
  for (uint32_t i = 0; i < ASSEMBLAGES; ++i) {
    for (uint32_t t = 0; t < TEMPLATES; ++t)
      for (uint32_t m = 1; m <= COMPONENTS; ++m)
        for (uint32_t k = 0; k < FIELDS; ++k)
          if (random_from_seed(seed, rarity) == 0)
            v->parts[i][t][m][k] = (uint8_t)(k == 0 && random_from_seed(seed, 2) ? 0 : random_from_seed(seed, 16));
    if (random_from_seed(seed, rarity) == 0)
      v->children[i] = (uint8_t)random_from_seed(seed, 4);
    if (random_from_seed(seed, rarity) == 0)
      v->exists[i] = random_from_seed(seed, 8) != 0;
  }
  if (random_from_seed(seed, rarity) == 0)
    v->states = (uint8_t)random_from_seed(seed, 8);
  if (random_from_seed(seed, rarity) == 0)
    v->score = (uint8_t)random_from_seed(seed, 3);
}

// --- the game

static void play(world_o *w, uint32_t *seed) {
  error_info_t error;
  for (uint32_t i = 0; i < 8; ++i) {
    uint32_t a = world_find_assemblage(w, id_of(w, NAMES[i % ASSEMBLAGES]));
    shoal_entity e = a ? world_spawn(w, a, &error) : 0;
    if (e && random_from_seed(seed, 2))
      world_enter_state(w, e, id_of(w, TEXTS[1 + random_from_seed(seed, 2)]), &error);
  }
  uint32_t used = world_entities(w)->used;
  for (uint32_t i = 0; i < 12; ++i) {
    shoal_entity e = 1 + random_from_seed(seed, used);
    uint32_t manager = 1 + random_from_seed(seed, COMPONENTS), action = random_from_seed(seed, 8);
    uint32_t instance =
        world_manager(w, manager)->schema.kind == SCHEMA_MANY ? id_of(w, TEXTS[3 + random_from_seed(seed, 2)]) : 0;
    uint32_t column = random_from_seed(seed, FIELDS), choice = random_from_seed(seed, 16);
    if (e >= used || !world_is_alive(w, e) || !is_declarable(manager) || manager == TRANSFORM)
      continue;
    if (action == 0)
      world_remove_component(w, e, manager, instance);
    else if (action == 1)
      world_add_component(w, e, manager, instance, &error);
    else if (column < world_manager(w, manager)->schema.field_count)
      world_set_field(w, e, manager, instance, column, choose_value(w, manager, column, (uint8_t)choice), &error);
  }
  if (random_from_seed(seed, 3) == 0)
    world_set_field(w, 0, SCORE, 0, 0, random_from_seed(seed, 3), &error);
}

// --- the result

static void add_world_to_hash(world_o *w) {
  uint64_t hash = world_hash(w);
  add_hash(&hash, sizeof hash);
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *m = world_manager(w, id);
    for (uint32_t k = 0; k < m->schema.field_count; ++k)
      for (uint32_t row = 0; row < m->count; ++row) {
        uint8_t mark = columns_is_touched(&m->columns, row, k);
        add_hash(&mark, sizeof mark);
      }
  }
}

// Moves the entities of `from` to `to`, and merges the assemblages of `to` into them, by marks or by comparing values.
// Returns false if this fails.
static bool merge_worlds(world_o *from, world_o *to, bool compares_values, assemblage_merge_counts_t *counts) {
  error_info_t error = {0};
  world_migrate_counts_t all;
  allocator_t memory = {0};
  if (!compares_values) {
    bool ok = world_migrate(from, to, &(world_migrate_desc_t){.log_line = add_log_line}, &all, &error);
    *counts = all.merge;
    return ok;
  }
  snapshot_o *s = snapshot_create(&memory);
  bool ok = snapshot_take(s, from, &error) && snapshot_restore(s, to, &error) &&
            assemblage_merge_by_value(from, to, true, add_log_line, NULL, counts, &error);
  snapshot_release(s);
  return ok;
}

static void run_edit(uint32_t *seed) {
  version_t before = {0}, now;
  assemblage_merge_counts_t counts = {0};
  make_version(&before, seed, 1);
  now = before;
  make_version(&now, seed, 12);
  uint32_t mode = random_from_seed(seed, 5);
  world_o *from = make_version_world(&before, mode & 1), *to = make_version_world(&now, mode & 2);
  declare_version(from, &before);
  declare_version(to, &now);
  play(from, seed);
  uint8_t ok = merge_worlds(from, to, mode == 4, &counts);
  add_hash(&ok, sizeof ok);
  add_hash(&counts, sizeof counts);
  add_world_to_hash(to);
  world_destroy(from);
  world_destroy(to);
}

TEST(random_edits_of_assemblages_have_the_recorded_results) {
  for (uint32_t i = 0, seed = 76; i < count_merge_edit_blocks(); ++i) {
    merge_hash = 0;
    for (uint32_t k = 0; k < MERGE_EDITS_PER_BLOCK; ++k)
      run_edit(&seed);
    check_merge_edits("assemblages", i, merge_hash, EXPECTED_ASSEMBLAGES[i]);
  }
}
