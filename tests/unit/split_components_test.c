// Fields that move between existing components, and fields whose type changes to a different kind: random moves
// compared with a naive model, and a matrix of all pairs of types.
#include "ecs_fixture.h"

#include "content/content.h"
#include "base/random.h"
#include "migrate/world_migrate.h"

// --- random moves

enum { COMPONENTS = 4, FIELDS = 9, ENTITIES = 10, INSTANCES = 2, STEPS = 10, STORIES = 60 };

typedef struct move_model_t {
  schema_kind_t kind;
  uint32_t home[FIELDS], previous[FIELDS]; // component of each field, in this and in the previous version
  bool has[ENTITIES][INSTANCES][COMPONENTS];
  double value[ENTITIES][INSTANCES][FIELDS];
} move_model_t;

static uint32_t pick(random_t *r, uint32_t n) {
  return (uint32_t)(random_unit(r) * n);
}

static const char *component_label(uint32_t i) {
  static const char *const names[COMPONENTS] = {"fox", "dart", "bolt", "plume"};
  return names[i];
}

static const char *field_label_of(uint32_t i) {
  static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  return names[i];
}

static uint32_t column_of(const move_model_t *x, uint32_t field) {
  uint32_t column = 0;
  for (uint32_t i = 0; i < field; ++i)
    column += x->home[i] == x->home[field];
  return column;
}

static world_o *create_moved_world(const move_model_t *x) {
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  error_info_t error;
  for (uint32_t c = 0; c < COMPONENTS; ++c) {
    schema_buffer_t *s = calloc(1, sizeof *s);
    schema_init(s, component_label(c), x->kind, "test");
    for (uint32_t i = 0; i < FIELDS; ++i)
      if (x->home[i] == c)
        schema_add_field(&s->schema, field_label_of(i), FIELD_F32, i + 100.0);
    assert_int_equal(world_declare_schema(w, &s->schema, &error), c + 1);
    schema_fini(&s->schema, world_allocator(w));
    free(s);
  }
  for (uint32_t i = 0; i < FIELDS; ++i)
    if (x->home[i] != x->previous[i]) {
      world_declare_renamed_field(w, component_label(x->previous[i]), x->home[i] + 1, UINT32_MAX, "");
      world_declare_renamed_field(w, component_label(x->previous[i]), x->home[i] + 1, column_of(x, i),
                                  field_label_of(i));
    }
  return w;
}

static uint32_t instance_id(world_o *w, const move_model_t *x, uint32_t instance) {
  return x->kind == SCHEMA_MANY ? id_of(w, instance ? "right" : "left") : 0;
}

static uint32_t instance_count(const move_model_t *x) {
  return x->kind == SCHEMA_MANY ? INSTANCES : 1;
}

static void change_entities(world_o *w, move_model_t *x, const shoal_entity *entities, random_t *r) {
  for (uint32_t n = 0; n < 12; ++n) {
    uint32_t e = pick(r, ENTITIES), k = pick(r, instance_count(x)), f = pick(r, FIELDS), c = x->home[f];
    if (!x->has[e][k][c]) {
      add(w, entities[e], c + 1, instance_id(w, x, k));
      x->has[e][k][c] = true;
      for (uint32_t i = 0; i < FIELDS; ++i)
        x->value[e][k][i] = x->home[i] == c ? i + 100.0 : x->value[e][k][i];
    }
    x->value[e][k][f] = pick(r, 1000);
    manager_o *m = world_manager(w, c + 1);
    uint32_t row = manager_find_instance_row(m, entities[e], instance_id(w, x, k));
    columns_set_unmarked(&m->columns, row, column_of(x, f), x->value[e][k][f]);
  }
}

// Computes the expected components and values of one row after the fields have moved from `previous` to `home`.
static void move_row(const move_model_t *x, bool has[COMPONENTS], double value[FIELDS]) {
  bool had[COMPONENTS];
  memcpy(had, has, sizeof had);
  for (uint32_t i = 0; i < FIELDS; ++i)
    if (x->home[i] != x->previous[i])
      has[x->home[i]] |= had[x->previous[i]];
  for (uint32_t i = 0; i < FIELDS; ++i) // a field whose row is missing has its default
    if (!had[x->previous[i]])
      value[i] = i + 100.0;
}

static void compare_moved(world_o *w, const move_model_t *x, const shoal_entity *entities, uint32_t story) {
  for (uint32_t e = 0; e < ENTITIES; ++e)
    for (uint32_t k = 0; k < instance_count(x); ++k)
      for (uint32_t f = 0; f < FIELDS; ++f) {
        const manager_o *m = world_manager(w, x->home[f] + 1);
        uint32_t row = manager_find_instance_row(m, entities[e], instance_id(w, x, k));
        if ((row != ROW_NONE) != x->has[e][k][x->home[f]])
          fail_msg("story %u: entity %u, instance %u: unexpected rows of %s", story, e, k, m->schema.name);
        if (row != ROW_NONE && columns_get(&m->columns, row, column_of(x, f)) != x->value[e][k][f])
          fail_msg("story %u: entity %u, instance %u: %s.%s is %g and not %g", story, e, k, m->schema.name,
                   field_label_of(f), columns_get(&m->columns, row, column_of(x, f)), x->value[e][k][f]);
      }
}

static void run_moves(uint32_t number) {
  random_t r;
  random_seed(&r, number);
  move_model_t x = {.kind = number % 2 ? SCHEMA_COMPONENT : SCHEMA_MANY};
  for (uint32_t i = 0; i < FIELDS; ++i)
    x.home[i] = x.previous[i] = pick(&r, COMPONENTS);
  world_o *w = create_moved_world(&x);
  shoal_entity entities[ENTITIES];
  for (uint32_t e = 0; e < ENTITIES; ++e)
    entities[e] = spawn(w);
  for (uint32_t step = 0; step < STEPS; ++step) {
    error_info_t error = {0};
    change_entities(w, &x, entities, &r);
    memcpy(x.previous, x.home, sizeof x.home);
    for (uint32_t i = 0; i < FIELDS; ++i)
      x.home[i] = pick(&r, 3) == 0 ? pick(&r, COMPONENTS) : x.home[i];
    world_o *to = create_moved_world(&x);
    if (!world_migrate(w, to, NULL, NULL, &error))
      fail_msg("story %u: %s", number, error.text);
    for (uint32_t e = 0; e < ENTITIES; ++e)
      for (uint32_t k = 0; k < instance_count(&x); ++k)
        move_row(&x, x.has[e][k], x.value[e][k]);
    world_destroy(w);
    w = to;
    compare_moved(w, &x, entities, number);
    world_o *same = create_moved_world(&x); // a later migration of the same version moves nothing
    if (!world_migrate(w, same, NULL, NULL, &error))
      fail_msg("story %u: %s", number, error.text);
    world_destroy(w);
    w = same;
    compare_moved(w, &x, entities, number);
  }
  world_destroy(w);
}

TEST(random_moves_between_remaining_components_match_a_naive_model) {
  for (uint32_t i = 1; i <= STORIES; ++i)
    run_moves(i);
}

// --- types

enum { VALUE = 3 };

typedef enum shape_t { SCALAR, VECTOR, LIST, RECORD } shape_t;

typedef struct kind_t {
  const char *name;
  shape_t shape;
  field_type_t type;
  uint32_t size; // parts of a vector, capacity of a list, fields of a record
} kind_t;

static const kind_t KINDS[] = {
    {"f32", SCALAR, FIELD_F32, 1},
    {"f64", SCALAR, FIELD_F64, 1},
    {"i8", SCALAR, FIELD_I8, 1},
    {"i16", SCALAR, FIELD_I16, 1},
    {"i32", SCALAR, FIELD_I32, 1},
    {"u8", SCALAR, FIELD_U8, 1},
    {"u16", SCALAR, FIELD_U16, 1},
    {"u32", SCALAR, FIELD_U32, 1},
    {"bool", SCALAR, FIELD_BOOL, 1},
    {"entity", SCALAR, FIELD_ENTITY, 1},
    {"string", SCALAR, FIELD_STRING, 1},
    {"asset", SCALAR, FIELD_ASSET, 1},
    {"enum", SCALAR, FIELD_ENUM, 1},
    {"vec2", VECTOR, FIELD_F32, 2},
    {"vec3", VECTOR, FIELD_F32, 3},
    {"vec4", VECTOR, FIELD_F32, 4},
    {"list of f32", LIST, FIELD_F32, 3},
    {"list of u8", LIST, FIELD_U8, 2},
    {"list of strings", LIST, FIELD_STRING, 2},
    {"record", RECORD, FIELD_F32, 1},
    {"record of 2", RECORD, FIELD_F32, 2},
    {"record of a string", RECORD, FIELD_STRING, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static void add_column(schema_t *s, world_o *w, const char *name, field_type_t type, uint32_t flags) {
  static const char *const choices[] = {"none", "three"};
  field_t *f = schema_add_field(s, name, type, 0);
  f->flags |= flags;
  if (type == FIELD_ENUM)
    field_set_choices(f, world_allocator(w), choices, 2);
}

static void add_kind(schema_t *s, world_o *w, const kind_t *k) {
  static const char *const axes[] = {"x.x", "x.y", "x.z", "x.w"}, *const elements[] = {"x.1", "x.2", "x.3"},
                           *const fields[] = {"x.p", "x.q"};
  if (k->shape == SCALAR)
    add_column(s, w, "x", k->type, 0);
  if (k->shape == LIST)
    add_column(s, w, "x.count", FIELD_U8, FIELD_IS_COUNT);
  for (uint32_t i = 0; k->shape != SCALAR && i < k->size; ++i)
    add_column(s, w,
               k->shape == VECTOR ? axes[i]
               : k->shape == LIST ? elements[i]
                                  : fields[i],
               k->type,
               k->shape == VECTOR ? FIELD_IS_AXIS
               : k->shape == LIST ? FIELD_IS_ELEMENT
                                  : 0);
}

static world_o *create_kind_world(const kind_t *k, bool migrates) {
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  content_attach(w);
  schema_buffer_t *s = calloc(1, sizeof *s);
  error_info_t error;
  schema_init(s, "thing", SCHEMA_COMPONENT, "components.lua");
  s->schema.line = 7;
  s->schema.migrates = migrates;
  add_kind(&s->schema, w, k);
  if (world_declare_schema(w, &s->schema, &error) != 1)
    fail_msg("%s", error.text);
  schema_fini(&s->schema, world_allocator(w));
  free(s);
  return w;
}

// Returns the stored value that stands for `VALUE` in a column of this type.
static double stored_value(world_o *w, const field_t *f) {
  if (f->flags & FIELD_IS_COUNT)
    return 2;
  if (field_element_number(f) > 2)
    return 0;
  switch (f->type) {
  case FIELD_BOOL:
  case FIELD_ENUM:
  case FIELD_ENTITY: return 1;
  case FIELD_STRING:
  case FIELD_ASSET: return id_of(w, "three");
  default: return VALUE;
  }
}

static bool is_number(const kind_t *k) {
  return k->type <= FIELD_U32 && k->type >= FIELD_F32;
}

static bool is_name(const kind_t *k) {
  return k->type == FIELD_STRING || k->type == FIELD_ASSET || k->type == FIELD_ENUM;
}

static bool can_convert_value(const kind_t *a, const kind_t *b) {
  if (a->type == b->type || (is_name(a) && is_name(b)))
    return true;
  return is_number(b) && (is_number(a) || a->type == FIELD_BOOL); // the number 3 cannot become a boolean
}

static bool can_convert(const kind_t *a, const kind_t *b) {
  if (a->shape != b->shape || !can_convert_value(a, b))
    return false;
  return a->shape != VECTOR || a->size <= b->size;
}

static bool run_nothing(void *context, world_o *w, const migration_t *m, error_info_t *error) {
  (void)context, (void)w, (void)m, (void)error;
  return true;
}

static world_o *create_filled_world(const kind_t *k, uint32_t rows) {
  world_o *w = create_kind_world(k, false);
  for (uint32_t i = 0; i < rows; ++i) {
    shoal_entity e = SPAWN(w, 1);
    const manager_o *m = world_manager(w, 1);
    for (uint32_t c = 0; c < m->schema.field_count; ++c)
      set(w, e, 1, c, stored_value(w, &m->schema.fields[c]));
  }
  return w;
}

// Checks that the columns of the same name have the value, after an accepted conversion.
static void check_values(world_o *w, const kind_t *a, const kind_t *b) {
  const manager_o *m = world_manager(w, 1);
  for (uint32_t c = 0; c < m->schema.field_count && c < a->size + (a->shape == LIST); ++c) {
    const field_t *f = &m->schema.fields[c];
    double wanted = a->type == FIELD_BOOL && !(f->flags & FIELD_IS_COUNT) ? 1 : stored_value(w, f);
    if (get(w, 1, 1, c) != wanted)
      fail_msg("%s to %s: %s is %g and not %g", a->name, b->name, f->name, get(w, 1, 1, c), wanted);
  }
}

static void check_pair(const kind_t *a, const kind_t *b) {
  error_info_t error = {0};
  world_o *from = create_filled_world(a, 2), *to = create_kind_world(b, false);
  bool accepted = world_migrate(from, to, NULL, NULL, &error);
  if (accepted != can_convert(a, b))
    fail_msg("%s to %s: %s", a->name, b->name, accepted ? "accepted" : error.text);
  if (accepted)
    check_values(to, a, b);
  else if (!strstr(error.text, "components.lua:7: thing.x") || !strstr(error.text, "cannot convert") ||
           !strstr(error.text, "migrate = function(old, new, q)"))
    fail_msg("%s to %s: %s", a->name, b->name, error.text);
  world_destroy(to);
  to = create_kind_world(b, true); // a declaration that converts the values is accepted
  error.text[0] = 0;
  if (!world_migrate(from, to, &(world_migrate_desc_t){.migrate = run_nothing}, NULL, &error))
    fail_msg("%s to %s with migrate: %s", a->name, b->name, error.text);
  world_destroy(to);
  world_destroy(from);
  from = create_filled_world(a, 0); // without rows, any type can change
  to = create_kind_world(b, false);
  if (!world_migrate(from, to, NULL, NULL, &error))
    fail_msg("%s to %s without rows: %s", a->name, b->name, error.text);
  world_destroy(to);
  world_destroy(from);
}

TEST(every_pair_of_types_is_converted_or_refused) {
  for (uint32_t a = 0; a < KIND_COUNT; ++a)
    for (uint32_t b = 0; b < KIND_COUNT; ++b)
      check_pair(&KINDS[a], &KINDS[b]);
}
