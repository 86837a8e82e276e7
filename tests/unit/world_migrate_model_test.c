// Random edits to a schema, to an assemblage that uses it, and to entities in between, compared with a naive model.
#include "ecs_fixture.h"

#include "content/content.h"
#include "base/random.h"
#include "migrate/world_migrate.h"

enum { NAMES = 9, NUMBERS = 6, ENTITIES = 12, STEPS = 14, STORIES = 120 };

typedef struct model_field_t {
  bool there, is_set; // `is_set`: the template sets the field
  field_type_t type;
  uint32_t former[NAMES], former_count; // former names, in the order in which they are searched
  uint32_t initial, template_value;
} model_field_t;

typedef struct version_t {
  model_field_t fields[NAMES]; // indexed by name; fields from NUMBERS on are strings
  uint32_t order[NAMES], count;
  bool many;
} version_t;

typedef struct cell_t {
  uint32_t value;
  bool touched;
} cell_t;

static uint32_t random_below(random_t *r, uint32_t n) {
  return (uint32_t)(random_unit(r) * n);
}

static const char *field_name(uint32_t i) {
  static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f", "s", "t", "u"};
  return names[i];
}

// Returns the cell for a value. A string consists of a letter and a number, so the model stores only numbers.
static double get_cell(world_o *w, uint32_t name, uint32_t value) {
  char text[16];
  snprintf(text, sizeof text, "t%u", value);
  return name < NUMBERS ? value : id_of(w, text);
}

static void shuffle_order(version_t *v, random_t *r) {
  v->count = 0;
  for (uint32_t i = 0; i < NAMES; ++i)
    if (v->fields[i].there)
      v->order[v->count++] = i;
  for (uint32_t i = v->count; i > 1; --i) {
    uint32_t k = random_below(r, i), x = v->order[k];
    v->order[k] = v->order[i - 1];
    v->order[i - 1] = x;
  }
}

static version_t edit_version(const version_t *old, random_t *r) {
  static const field_type_t types[] = {FIELD_F32, FIELD_F64, FIELD_I16, FIELD_I32, FIELD_U8, FIELD_U32};
  version_t v = *old;
  for (uint32_t i = 0; i < NAMES; ++i) {
    model_field_t *f = &v.fields[i];
    f->former_count = 0;
    if (random_below(r, 4) == 0) {
      f->there = !f->there;
      f->initial = random_below(r, 200);
      f->is_set = false;
    }
    if (random_below(r, 5) == 0)
      f->type = types[random_below(r, 6)];
    if (random_below(r, 5) == 0) {
      f->is_set = random_below(r, 2) == 0;
      f->template_value = random_below(r, 200);
    }
    uint32_t from = i < NUMBERS ? random_below(r, NUMBERS) : NUMBERS + random_below(r, NAMES - NUMBERS);
    if (!old->fields[i].there && old->fields[from].there && random_below(r, 2) == 0)
      f->former[f->former_count++] = from;
  }
  v.many = random_below(r, 4) == 0 ? !v.many : v.many;
  shuffle_order(&v, r);
  return v;
}

static world_o *create_version_world(const version_t *v) {
  static const field_type_t f32s[] = {FIELD_F32};
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  schema_buffer_t *s = calloc(1, sizeof *s);
  error_info_t error;
  world_track_touched_fields(w, true);
  DECLARE(w, "other", SCHEMA_COMPONENT, f32s, "x");
  schema_init(s, "thing", v->many ? SCHEMA_MANY : SCHEMA_COMPONENT, "test");
  for (uint32_t i = 0; i < v->count; ++i) {
    const model_field_t *m = &v->fields[v->order[i]];
    bool text = v->order[i] >= NUMBERS;
    field_t *f =
        schema_add_field(&s->schema, field_name(v->order[i]), text ? FIELD_STRING : m->type, text ? 0 : m->initial);
    char initial[16];
    snprintf(initial, sizeof initial, "t%u", m->initial);
    if (text)
      field_set_text(f, world_allocator(w), initial);
    if (m->former_count > 0)
      field_add_former_name(f, world_allocator(w), field_name(m->former[0]));
  }
  if (world_declare_schema(w, &s->schema, &error) != 2)
    fail_msg("%s", error.text);
  schema_fini(&s->schema, world_allocator(w));
  free(s);
  uint32_t a = world_assemblage_declare(w, id_of(w, "ship"));
  world_assemblage_add_component(w, a, 0, 2, 0);
  for (uint32_t i = 0; i < v->count; ++i)
    if (v->fields[v->order[i]].is_set)
      world_assemblage_set_field(w, a, 0, 2, 0, i, get_cell(w, v->order[i], v->fields[v->order[i]].template_value));
  QUERY(w, HAS(2), HAS(1));
  return w;
}

static uint32_t template_value(const model_field_t *f) {
  return f->is_set ? f->template_value : f->initial;
}

// Returns the first former name of the field that `v` has; -1 if it has none of them.
static int32_t find_former_name(const version_t *v, const model_field_t *f) {
  for (uint32_t i = 0; i < f->former_count; ++i)
    if (v->fields[f->former[i]].there)
      return (int32_t)f->former[i];
  return -1;
}

// Reverts the renames in `old` whose new name `now` lacks: the new name becomes a former name of the field.
static void revert_renames(const version_t *old, version_t *now) {
  for (uint32_t i = 0; i < old->count; ++i) {
    uint32_t later = old->order[i];
    int32_t name = now->fields[later].there ? -1 : find_former_name(now, &old->fields[later]);
    if (name >= 0 && !old->fields[name].there)
      now->fields[name].former[now->fields[name].former_count++] = later;
  }
}

// Computes the expected cells of one entity after the migration.
static void model_migrate(const version_t *old, const version_t *now, const cell_t *before, cell_t *after) {
  for (uint32_t i = 0; i < NAMES; ++i) {
    const model_field_t *f = &now->fields[i];
    if (!f->there)
      continue;
    int32_t from = old->fields[i].there ? (int32_t)i : find_former_name(old, f);
    after[i] = from >= 0 ? before[from] : (cell_t){f->initial, false};
    uint32_t was = from >= 0 ? template_value(&old->fields[from]) : f->initial, is = template_value(f);
    if (was != is && !after[i].touched)
      after[i].value = is;
  }
}

static void compare_with_model(world_o *w, const version_t *v, const shoal_entity *entities, cell_t (*cells)[NAMES],
                               uint32_t story) {
  const manager_o *m = world_manager(w, 2);
  for (uint32_t e = 0; e < ENTITIES; ++e)
    for (uint32_t i = 0; i < v->count; ++i) {
      uint32_t row = manager_find_instance_row(m, entities[e], 0), name = v->order[i];
      double value = columns_get(&m->columns, row, i), wanted = get_cell(w, name, cells[e][name].value);
      if (value != wanted || columns_is_touched(&m->columns, row, i) != cells[e][name].touched)
        fail_msg("story %u: %s of entity %u is %g%s and not %g%s", story, field_name(name), e, value,
                 columns_is_touched(&m->columns, row, i) ? " touched" : "", wanted,
                 cells[e][name].touched ? " touched" : "");
    }
}

static void run_story(uint32_t number) {
  random_t r;
  random_seed(&r, number);
  version_t v = {.count = 0};
  for (uint32_t i = 0; i < NAMES; ++i)
    v.fields[i].type = FIELD_I32;
  v = edit_version(&v, &r);
  for (uint32_t i = 0; i < NAMES; ++i)
    v.fields[i].former_count = 0;
  world_o *w = create_version_world(&v);
  shoal_entity entities[ENTITIES];
  cell_t cells[ENTITIES][NAMES] = {{{0}}};
  for (uint32_t e = 0; e < ENTITIES; ++e) {
    entities[e] = world_spawn(w, 1, NULL);
    if (e % 2 == 0)
      add(w, entities[e], 1, 0);
    for (uint32_t i = 0; i < NAMES; ++i)
      cells[e][i] = (cell_t){template_value(&v.fields[i]), false};
  }
  for (uint32_t step = 0; step < STEPS; ++step) {
    for (uint32_t n = random_below(&r, 8); n > 0 && v.count > 0; --n) {
      uint32_t e = random_below(&r, ENTITIES), i = random_below(&r, v.count), value = random_below(&r, 120);
      set(w, entities[e], 2, i, get_cell(w, v.order[i], value));
      cells[e][v.order[i]] = (cell_t){value, true};
    }
    version_t next = edit_version(&v, &r);
    world_o *to = create_version_world(&next);
    error_info_t error = {0};
    if (!world_migrate(w, to, NULL, NULL, &error))
      fail_msg("story %u: %s", number, error.text);
    revert_renames(&v, &next);
    for (uint32_t e = 0; e < ENTITIES; ++e) {
      cell_t after[NAMES] = {{0}};
      model_migrate(&v, &next, cells[e], after);
      memcpy(cells[e], after, sizeof after);
    }
    world_destroy(w);
    w = to;
    v = next;
    compare_with_model(w, &v, entities, cells, number);
    assert_int_equal(world_query_by_id(w, 1)->count, ENTITIES / 2);
  }
  world_destroy(w);
}

TEST(random_migrations_match_a_naive_model) {
  for (uint32_t i = 1; i <= STORIES; ++i)
    run_story(i);
}
