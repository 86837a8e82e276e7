// Plugin declarations (plugin/declaration_check.c, plugin/instance.c): registration, messages for rejected
// declarations, bindings to other components, and component managers.
#include "plugin_fixture.h"

#include "base/sized_block.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

#define RATE_FIELDS(F) F(f32, value, 20) F(f32, rate, 1)
SHOAL_COMPONENT(heat, RATE_FIELDS)

static void run_empty(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
}

static void do_nothing(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c, (void)arguments, (void)results;
}

// --- declarations

#define FULL_FIELDS(F)                                                                                                 \
  F(f32, f, 1.5, .unit = "m", .doc = "how far", .renamed_from = "old")                                                 \
  F(f64, d, 0.1)                                                                                                       \
  F(i8, i8, -3)                                                                                                        \
  F(i16, i16, -300)                                                                                                    \
  F(i32, i32, -70000)                                                                                                  \
  F(u8, u8, 200)                                                                                                       \
  F(u16, u16, 60000)                                                                                                   \
  F(u32, u32, 4000000000.0)                                                                                            \
  F(bool, b, 1)                                                                                                        \
  F(entity, e)                                                                                                         \
  F(string, s, "text")                                                                                                 \
  F(enum, n, " calm  angry ")                                                                                          \
  F(asset, a, "a.png")                                                                                                 \
  F(mat4, m)                                                                                                           \
  F(vec2, v2, 1, 2, .flags = SHOAL_READ_ONLY)                                                                          \
  F(vec3, v3, 1, 2, 3, .renamed_from = "was") F(vec4, v4, 1, 2, 3, 4) F(quat, q, 0, 0, 0, 1, .flags = SHOAL_HIDDEN)
SHOAL_COMPONENT(full, FULL_FIELDS)
SHOAL_MANY(barrel, RATE_FIELDS)
SHOAL_SINGLE(weather, RATE_FIELDS)
SHOAL_EVENT(bang, RATE_FIELDS)

static const field_t *find_field_or_fail(const schema_t *s, const char *name) {
  int32_t column = schema_find_field(s, name);
  if (column < 0)
    fail_msg("column %s not found", name);
  return &s->fields[column];
}

FIXTURE(plugged_t, plugged_setup, plugged_teardown)

TEST_IN(plugin_components_are_declared_from_their_fields, plugged_t, t) {
  static const shoal_component *const list[] = {&full_component, &barrel_component, &weather_component, &bang_component,
                                                NULL};
  plugged_open(t, &(shoal_plugin){.name = "all_of_it", .components = list});
  const schema_t *s = &get_component(t, "full")->schema;
  assert_string_equal(s->origin, "plugin all_of_it");
  assert_int_equal(s->field_count, full_component.column_count);
  assert_int_equal(s->field_count, 14 + 2 + 3 + 4 + 4);
  const field_t *f = find_field_or_fail(s, "f");
  assert_string_equal(f->unit, "m");
  assert_string_equal(f->doc, "how far");
  assert_string_equal(f->renamed_from, "old");
  assert_string_equal(find_field_or_fail(s, "v3.z")->renamed_from, "was.z");
  assert_true(find_field_or_fail(s, "v2.y")->flags & FIELD_READ_ONLY);
  assert_true(find_field_or_fail(s, "q.w")->flags & FIELD_HIDDEN);
  assert_int_equal(find_field_or_fail(s, "n")->type, FIELD_ENUM);
  assert_int_equal(find_field_or_fail(s, "n")->choice_count, 2);
  assert_int_equal(get_component(t, "barrel")->schema.kind, SCHEMA_MANY);
  assert_int_equal(get_component(t, "weather")->schema.kind, SCHEMA_SINGLE);
  assert_int_equal(get_component(t, "weather")->count, 1);
  assert_int_equal(world_find_event(t->w, "bang")->schema.field_count, 2);
}

TEST_IN(new_plugin_component_rows_have_the_declared_defaults, plugged_t, t) {
  static const shoal_component *const list[] = {&full_component, NULL};
  static const struct {
    const char *field;
    double value;
  } wanted[] = {{"f", 1.5},     {"d", 0.1},   {"i8", -3},  {"i16", -300}, {"i32", -70000}, {"u8", 200},
                {"u16", 60000}, {"u32", 4e9}, {"b", 1},    {"e", 0},      {"n", 0},        {"v2.x", 1},
                {"v2.y", 2},    {"v3.z", 3},  {"v4.w", 4}, {"q.z", 0},    {"q.w", 1}};
  plugged_open(t, &(shoal_plugin){.name = "all_of_it", .components = list});
  const manager_o *m = get_component(t, "full");
  shoal_entity e = SPAWN(t->w, m->id);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    double value = get(t->w, e, m->id, (uint32_t)schema_find_field(&m->schema, wanted[i].field));
    if (value != wanted[i].value)
      fail_msg("%s is %g", wanted[i].field, value);
  }
  uint32_t s = (uint32_t)get(t->w, e, m->id, (uint32_t)schema_find_field(&m->schema, "s"));
  assert_string_equal(strings_text(world_strings(t->w), s), "text");
  const float *matrix = manager_column(m, (uint32_t)schema_find_field(&m->schema, "m"));
  for (uint32_t i = 0; i < 16; ++i)
    assert_true(matrix[i] == (i % 5 == 0 ? 1.0f : 0.0f));
}

// --- rejected declarations

static const shoal_field some_field = {.name = "value", .type = SHOAL_TYPE_f32};

TEST_IN(invalid_plugin_names_are_rejected, plugged_t, t) {
  assert_plugin_rejected(t, &(shoal_plugin){.name = NULL},
                         "the name of a plugin must consist of 1 to 63 letters, digits and _");
  assert_plugin_rejected(t, &(shoal_plugin){.name = "9lives"},
                         "the name of a plugin must consist of 1 to 63 letters, digits and _");
  assert_plugin_rejected(t, &(shoal_plugin){.name = "end"},
                         "the name of a plugin must consist of 1 to 63 letters, digits and _");
  plugged_open(t, &(shoal_plugin){.name = "twin"});
  assert_plugin_rejected(t, &(shoal_plugin){.name = "twin"}, "two plugins are named twin");
}

static void assert_component_rejected(plugged_t *t, shoal_component c, const char *words) {
  const shoal_component *const list[] = {&c, NULL};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "odd", .components = list}, words);
}

static void assert_badge_rejected(plugged_t *t, const char *name, shoal_component_kind kind, const shoal_manager *m,
                                  const char *words) {
  assert_component_rejected(t, (shoal_component){name, kind, &some_field, 1, 1, m, {NULL}}, words);
}

TEST_IN(invalid_components_are_rejected, plugged_t, t) {
  static const shoal_manager half = {.version = 1};
  assert_badge_rejected(t, NULL, SHOAL_KIND_COMPONENT, NULL, "a component has no name");
  assert_badge_rejected(t, "while", SHOAL_KIND_COMPONENT, NULL, "a component cannot be named while");
  assert_badge_rejected(t, "children", SHOAL_KIND_COMPONENT, NULL, "a component cannot be named children");
  assert_badge_rejected(t, "position", SHOAL_KIND_COMPONENT, NULL, "component position is already declared by test");
  assert_badge_rejected(t, "badge", (shoal_component_kind)9, NULL, "badge has an unknown kind (9)");
  assert_badge_rejected(t, "badge", SHOAL_KIND_COMPONENT, &half,
                        "the manager of badge must have the function `create`");
  assert_badge_rejected(t, "badge", SHOAL_KIND_MANY, &half,
                        "badge: only plain components can have a manager: remove .manager");
  assert_component_rejected(
      t, (shoal_component){.name = "badge", .fields = &some_field, .field_count = 70, .column_count = 70},
      "too many fields in badge: 70");
  assert_component_rejected(t, (shoal_component){.name = "badge", .field_count = 1, .column_count = 1}, "1 fields");
  assert_component_rejected(
      t, (shoal_component){.name = "badge", .fields = &some_field, .field_count = 1, .column_count = 5},
      "badge: .column_count must be 1 for 1 fields, got 5");
  const shoal_component badge = {"badge", SHOAL_KIND_COMPONENT, &some_field, 1, 1, NULL, {NULL}};
  const shoal_component *const twice[] = {&badge, &badge, NULL};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "odd", .components = twice},
                         "component badge is listed twice: remove one of the entries");
  assert_null(world_find_manager(t->w, "badge"));
}

static void assert_field_rejected(plugged_t *t, shoal_field f, const char *words) {
  const shoal_field fields[] = {some_field, f};
  assert_component_rejected(
      t, (shoal_component){.name = "badge", .fields = fields, .field_count = 2, .column_count = 2}, words);
}

TEST_IN(invalid_fields_are_rejected, plugged_t, t) {
  assert_field_rejected(t, (shoal_field){.type = SHOAL_TYPE_f32}, "field 2 of badge has no name");
  assert_field_rejected(t, (shoal_field){.name = "end", .type = SHOAL_TYPE_f32},
                        "the field end of badge has the name of");
  assert_field_rejected(t, (shoal_field){.name = "destroy", .type = SHOAL_TYPE_f32},
                        "the field destroy of badge has the name of");
  assert_field_rejected(t, (shoal_field){.name = "value", .type = SHOAL_TYPE_f32}, "badge has two fields named value");
  assert_field_rejected(t, (shoal_field){.name = "mood"}, "badge.mood has an unknown type (0)");
  assert_field_rejected(t, (shoal_field){.name = "mood", .type = (shoal_type)77},
                        "badge.mood has an unknown type (77)");
  assert_field_rejected(t, (shoal_field){.name = "mood", .type = SHOAL_TYPE_enum},
                        "enum badge.mood must have at least one choice");
  assert_field_rejected(t, (shoal_field){.name = "mood", .type = SHOAL_TYPE_enum, .default_string = "calm angry calm"},
                        "enum badge.mood has the choice calm twice");
}

static void assert_system_rejected(plugged_t *t, shoal_system s, const char *words) {
  const shoal_system list[] = {{.name = "first", .run = run_empty}, s, {0}};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "odd", .systems = list}, words);
}

TEST_IN(invalid_systems_are_rejected, plugged_t, t) {
  assert_system_rejected(t, (shoal_system){.name = "two words", .run = run_empty},
                         "the name of a system or observer must consist of 1 to 63 letters, digits and _");
  assert_system_rejected(t, (shoal_system){.name = "first", .run = run_empty}, "two systems are named first");
  assert_system_rejected(t, (shoal_system){.name = "work"}, "system work: .run must not be NULL");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .phase = (shoal_phase)9},
                         "system work: .phase must be a SHOAL_PHASE_… constant, got 9");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .parallel = true},
                         "system work: .parallel requires");
  assert_system_rejected(
      t,
      (shoal_system){
          .name = "work", .run = run_empty, .parallel = true, .phase = SHOAL_PHASE_RENDER, .query = {"position"}},
      "system work: .parallel requires .query and a phase other than SHOAL_PHASE_RENDER");
  assert_system_rejected(t,
                         (shoal_system){.name = "work", .run = run_empty, .query = {"position"}, .reads = {"health"}},
                         "system work: .reads must name components of .query, .optional or .any, got health");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .query = {""}},
                         "system work: each name in .query must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .without = {""}},
                         "system work: each name in .without must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .optional = {""}},
                         "system work: each name in .optional must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .any = {""}},
                         "system work: each name in .any must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .reads = {""}},
                         "system work: each name in .reads must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .after = {""}},
                         "system work: each name in .after must have");
  assert_system_rejected(t, (shoal_system){.name = "work", .run = run_empty, .before = {""}},
                         "system work: each name in .before must have");
}

static void assert_function_rejected(plugged_t *t, shoal_function f, const char *words) {
  const shoal_function list[] = {{.name = "first", .call = do_nothing}, f, {0}};
  assert_plugin_rejected(t, &(shoal_plugin){.name = "odd", .functions = list}, words);
}

TEST_IN(invalid_functions_are_rejected, plugged_t, t) {
  assert_function_rejected(t, (shoal_function){.name = "or", .call = do_nothing},
                           "the name of a function must consist of 1 to");
  assert_function_rejected(t, (shoal_function){.name = "ask"}, "function ask: .call must not be NULL");
  assert_function_rejected(t, (shoal_function){.name = "first", .call = do_nothing}, "two functions are named first");
  assert_function_rejected(t, (shoal_function){.name = "ask", .call = do_nothing, .parameters = "a:number b:numbers"},
                           "function ask: “b:numbers” must be NAME:TYPE");
  assert_function_rejected(t, (shoal_function){.name = "ask", .call = do_nothing, .results = "number"},
                           "“number” must be NAME:TYPE (types: number, bool, string, entity, any, table, number[], "
                           "entity[])");
  assert_function_rejected(t, (shoal_function){.name = "ask", .call = do_nothing, .parameters = "end:number"},
                           "“end:number”");
  assert_function_rejected(t,
                           (shoal_function){.name = "ask",
                                            .call = do_nothing,
                                            .parameters = "a:any b:any c:any d:any e:any f:any g:any h:any i:any"},
                           "function ask: too many values at “i:any” (at most 8)");
  plugged_open(
      t, &(shoal_plugin){
             .name = "even",
             .functions = (const shoal_function[]){
                 {.name = "ask", .call = do_nothing, .parameters = "a:number[]  b:entity[] ", .results = "c:string"},
                 {0},
             }});
}

// --- open and close

static struct {
  void *state;
  uint32_t bytes;
  bool fails, keeps;
} opening;

static void *open_plugin(shoal_context *c) {
  assert_null(shoal_plugin_state(c));
  if (opening.fails) {
    shoal_fail(c, "there is no fire in %d rooms", 7);
    return NULL;
  }
  return opening.state = shoal_realloc(c, NULL, 0, 100);
}

static void close_plugin(shoal_context *c, void *held) {
  assert_ptr_equal(held, opening.state);
  assert_ptr_equal(shoal_plugin_state(c), held);
  if (!opening.keeps)
    shoal_realloc(c, held, 100, 0);
}

static const shoal_plugin keeper = {.name = "keeper", .open = open_plugin, .close = close_plugin};

TEST_IN(open_result_is_passed_to_close, plugged_t, t) {
  memset(&opening, 0, sizeof opening);
  plugin_t *x = plugged_open(t, &keeper);
  assert_ptr_equal(x->state, opening.state);
  assert_int_equal(x->memory.bytes, 100 + SIZED_BLOCK_HEADER_BYTES);
}

TEST(memory_leaked_by_close_is_logged) {
  plugged_t *t = plugged_create(1);
  memset(&opening, 0, sizeof opening);
  opening.keeps = true;
  plugged_open(t, &keeper);
  t->p->list.count = 0;
  plugin_t *x = t->p->list.items[0];
  plugin_end_instance(t->p, x);
  assert_logged(t, "plugin keeper leaked 100 bytes in 1 blocks");
  sized_block_resize(&x->memory, opening.state, 0, &opening.state, &(size_t){0});
  alloc_resize(&t->p->memory, x, sizeof *x, 0);
  plugged_destroy(t);
}

TEST_IN(plugin_with_a_failing_open_is_rejected_with_its_message, plugged_t, t) {
  memset(&opening, 0, sizeof opening);
  opening.fails = true;
  assert_plugin_rejected(t, &keeper, "there is no fire in 7 rooms");
}

// --- bindings to other components

#define SOME_OF_POSITION(F) F(f32, y, 0)
#define WRONG_FIELD(F) F(f32, z, 0)
#define WRONG_TYPE(F) F(i32, x, 0)
TEST_IN(fields_of_used_components_are_bound_by_name, plugged_t, t) {
  SHOAL_COMPONENT(position, SOME_OF_POSITION)
  static const shoal_component *const list[] = {&position_component, NULL};
  plugin_t *x = plugged_open_and_bind(t, &(shoal_plugin){.name = "user", .uses = list});
  assert_string_equal(plugged_pop_report(t), "");
  const access_binding_t *b = access_find_binding(&x->access, &position_component);
  assert_ptr_equal(b->manager, get_component(t, "position"));
  assert_int_equal(b->columns[0], 1); // y is the second column in the world
}

static void assert_component_missing(plugged_t *t, const shoal_component *c, const char *words) {
  const shoal_component *const list[] = {c, NULL};
  plugged_t *other = plugged_create(1);
  (void)t;
  plugin_t *x = plugged_open_and_bind(other, &(shoal_plugin){.name = "user", .uses = list});
  assert_reported(other, words);
  assert_null(access_find_binding(&x->access, c)->manager);
  plugged_destroy(other);
}

TEST_IN(missing_or_mismatched_components_in_uses_are_reported, plugged_t, t) {
  const shoal_field z = {.name = "z", .type = SHOAL_TYPE_f32}, whole = {.name = "x", .type = SHOAL_TYPE_i32};
  const shoal_field vector = {.name = "x", .type = SHOAL_TYPE_vec2};
  assert_component_missing(t, &(shoal_component){.name = "position", .fields = &z, .field_count = 1, .column_count = 1},
                           "plugin user: position has no field z");
  assert_component_missing(
      t, &(shoal_component){.name = "position", .fields = &whole, .field_count = 1, .column_count = 1},
      "plugin user: position.x has the type f32 in this world, but i32 in the program's declaration");
  assert_component_missing(
      t, &(shoal_component){.name = "position", .fields = &vector, .field_count = 1, .column_count = 2},
      "plugin user: position has no field x.x");
  assert_component_missing(t, &(shoal_component){.name = "nowhere"}, "plugin user: unknown component nowhere");
  assert_component_missing(t, &(shoal_component){.name = "positoin"},
                           "plugin user: unknown component positoin: did you mean position?");
  assert_component_missing(t, &(shoal_component){.name = "never", .kind = SHOAL_KIND_EVENT},
                           "plugin user: unknown event never");
  assert_component_missing(
      t, &(shoal_component){.name = "position", .kind = SHOAL_KIND_SINGLE},
      "plugin user: cannot use position: .kind must be the kind of the component in this world: change .kind");
}

TEST_IN(component_looked_up_by_name_at_run_time_has_all_columns, plugged_t, t) {
  static const shoal_component *const list[] = {&bang_component, NULL};
  plugin_t *x = plugged_open(t, &(shoal_plugin){.name = "finder", .components = list});
  context_t c = plugin_build_context(x, PLUGIN_CALL_SYSTEM);
  const shoal_component *found = shoal_find_component(shoal_get_world(&c.shared), "position");
  assert_int_equal(found->column_count, 2);
  assert_string_equal(found->fields[1].name, "y");
  assert_int_equal(found->kind, SHOAL_KIND_COMPONENT);
  assert_ptr_equal(shoal_find_component(shoal_get_world(&c.shared), "position"), found);
  assert_int_equal(shoal_find_component(shoal_get_world(&c.shared), "bang")->kind, SHOAL_KIND_EVENT);
  assert_null(shoal_find_component(shoal_get_world(&c.shared), "nowhere"));
  assert_null(shoal_find_component(shoal_get_world(&c.shared), NULL));
  shoal_entity e = SPAWN(t->w, get_component(t, "position")->id);
  assert_true(shoal_set(shoal_get_world(&c.shared), e, found, 1, 5));
  assert_true(value_of(t, e, "position", 1) == 5);
}

// --- managers

enum { MAX = 256 };

// State of a component manager that stores a number per row outside the columns, in insertion order.
typedef struct ages_t {
  shoal_entity who[MAX];
  uint32_t age[MAX];
  uint32_t count, loads, restores;
  uint32_t lie;                     // added to the reported row count
  size_t saves_more;                // bytes written beyond the size reported by save_bytes
  bool refuses, takes_more;         // refuses: `load` fails; takes_more: `load` returns a row too many
  const char *fails;                // if not NULL, `create` returns NULL and, unless "", fails with this message
  const shoal_component *component; // the declared component
} ages_t;
static ages_t ages;

static void *ages_create(shoal_context *c) {
  if (ages.fails && ages.fails[0])
    shoal_fail(c, "%s", ages.fails);
  return ages.fails ? NULL : &ages;
}

static void ages_destroy(shoal_context *c, void *self) {
  (void)c;
  assert_ptr_equal(self, &ages);
}

static void ages_attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
static void ages_detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  ages_t *a = self;
  (void)c;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = 0;
    while (at < a->count && a->who[at] != entities[i])
      ++at;
    assert_true(at < a->count);
    --a->count;
    memmove(a->who + at, a->who + at + 1, (a->count - at) * sizeof *a->who);
    memmove(a->age + at, a->age + at + 1, (a->count - at) * sizeof *a->age);
  }
}

static uint32_t ages_count(void *self) {
  return ((ages_t *)self)->count + ages.lie;
}

static size_t ages_save_bytes(shoal_context *c, void *self) {
  (void)c;
  return ((ages_t *)self)->count * 2 * sizeof(uint32_t);
}

static void ages_save(shoal_context *c, void *self, void *bytes) {
  const ages_t *a = self;
  uint32_t *out = bytes;
  (void)c;
  memcpy(out, a->who, a->count * sizeof *out);
  memcpy(out + a->count, a->age, a->count * sizeof *out);
  memset(out + 2 * a->count, 1, a->saves_more);
}

static bool ages_load(shoal_context *c, void *self, const void *bytes, size_t size) {
  ages_t *a = self;
  const uint32_t *in = bytes;
  ++a->loads;
  if (bytes && a->refuses) {
    shoal_fail(c, "not today");
    return false;
  }
  a->count = (uint32_t)(size / (2 * sizeof *in));
  if (bytes && a->takes_more) {
    ++a->count;
    return true;
  }
  if (size > 0) {
    memcpy(a->who, in, a->count * sizeof *in);
    memcpy(a->age, in + a->count, a->count * sizeof *in);
  }
  return true;
}

// Loads data of version 1, which stored half the age.
static bool ages_migrate(shoal_context *c, void *self, uint32_t from_version, const void *bytes, size_t size) {
  ages_t *a = self;
  bool good = from_version == 1 && ages_load(c, self, bytes, size);
  for (uint32_t i = 0; i < a->count; ++i)
    a->age[i] *= 2;
  return good;
}

#define AGES(version_, migrate_)                                                                                       \
  {                                                                                                                    \
    version_, ages_create, ages_destroy, ages_attach, ages_detach, ages_count, ages_save_bytes, ages_save, ages_load,  \
        migrate_                                                                                                       \
  }
static const shoal_manager age_manager = AGES(1, NULL), age_manager_2 = AGES(2, ages_migrate),
                           age_manager_3 = AGES(3, NULL);
SHOAL_COMPONENT_WITH_MANAGER(age, RATE_FIELDS, &age_manager)

static void ages_attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  ages_t *a = self;
  assert_ptr_equal(shoal_manager_data(c, a->component), self);
  for (uint32_t i = 0; i < count; ++i) {
    // the row exists before `attach` is called
    assert_int_not_equal(shoal_find_row(shoal_get_world(c), a->component, entities[i]), SHOAL_NO_ROW);
    a->who[a->count] = entities[i];
    a->age[a->count++] = 0;
  }
}

static void count_restore(shoal_context *c) {
  (void)c;
  ++ages.restores;
}

static const shoal_component *const aging[] = {&age_component, NULL};
static const shoal_plugin elder = {.name = "elder",
                                   .components = aging,
                                   .on_restore = count_restore,
                                   .systems = (const shoal_system[]){{.name = "idle", .run = run_empty}, {0}}};

static void open_ages_plugin(plugged_t *t) {
  ages = (ages_t){.component = &age_component};
  plugged_open_and_bind(t, &elder);
}

static uint32_t age_id(plugged_t *t) {
  return get_component(t, "age")->id;
}

static bool are_all_systems_parked(const plugged_t *t) {
  return !plugins_have_systems(t->p);
}

TEST_IN(manager_is_notified_of_added_and_removed_rows_in_order, plugged_t, t) {
  open_ages_plugin(t);
  shoal_entity e[20];
  for (uint32_t i = 0; i < 20; ++i)
    e[i] = SPAWN(t->w, age_id(t));
  assert_int_equal(ages.count, 20);
  assert_memory_equal(ages.who, e, sizeof e);
  world_remove_component(t->w, e[3], age_id(t), 0);
  world_destroy_entity(t->w, e[0]);
  assert_int_equal(ages.count, 18);
  assert_int_equal(ages.who[0], e[1]);
  assert_int_equal(ages.who[2], e[4]);
  world_query_destroy_entities(t->w, QUERY(t->w, HAS(age_id(t))));
  assert_int_equal(ages.count, 0);
  assert_string_equal(plugged_pop_report(t), "");
}

TEST_IN(manager_data_is_restored_from_a_snapshot, plugged_t, t) {
  open_ages_plugin(t);
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  shoal_entity a = SPAWN(t->w, age_id(t)), b = SPAWN(t->w, age_id(t));
  ages.age[0] = 40;
  ages.age[1] = 30;
  uint64_t hash = world_hash(t->w);
  assert_true(snapshot_take(s, t->w, NULL));
  ages.age[0] = 41;
  assert_true(world_hash(t->w) != hash); // the hash includes the manager's data
  world_destroy_entity(t->w, a);
  assert_true(snapshot_restore(s, t->w, NULL));
  assert_true(world_hash(t->w) == hash);
  assert_int_equal(ages.loads, 1);
  assert_int_equal(ages.restores, 1);
  assert_int_equal(ages.who[1], b);
  assert_int_equal(ages.age[0], 40);
  snapshot_release(s);
  assert_int_equal(memory.blocks, 0);
}

// Takes a snapshot with a manager of version 1 and restores it in a world with the given manager.
static void restore_data_of_version_1(plugged_t *t, const shoal_manager *manager, shoal_component *out) {
  plugged_t *other = plugged_create(1);
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  open_ages_plugin(other);
  SPAWN(other->w, age_id(other));
  SPAWN(other->w, age_id(other));
  ages.age[1] = 30;
  assert_true(snapshot_take(s, other->w, NULL));
  plugged_destroy(other);
  *out = age_component;
  out->manager = manager;
  ages = (ages_t){.component = out};
  static const shoal_component *list[2];
  static shoal_plugin def;
  list[0] = out;
  def = elder;
  def.components = list;
  plugged_open_and_bind(t, &def);
  assert_true(snapshot_restore(s, t->w, NULL));
  snapshot_release(s);
}

TEST_IN(manager_data_of_a_different_version_is_migrated, plugged_t, t) {
  static shoal_component age;
  restore_data_of_version_1(t, &age_manager_2, &age);
  assert_int_equal(ages.count, 2);
  assert_int_equal(ages.age[1], 60);
  assert_false(are_all_systems_parked(t));
}

TEST_IN(manager_without_migrate_is_refilled_from_its_rows, plugged_t, t) {
  static shoal_component age;
  restore_data_of_version_1(t, &age_manager_3, &age);
  assert_logged(t, "plugin elder: age: cannot load version 1, expected version 3: add `migrate`: the manager was "
                   "refilled from the columns");
  assert_int_equal(ages.count, 2);
  assert_int_equal(ages.age[1], 0);
  assert_false(are_all_systems_parked(t));
}

TEST_IN(manager_that_rejects_its_data_is_refilled_and_logged, plugged_t, t) {
  open_ages_plugin(t);
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  SPAWN(t->w, age_id(t));
  ages.age[0] = 9;
  assert_true(snapshot_take(s, t->w, NULL));
  ages.refuses = true;
  assert_true(snapshot_restore(s, t->w, NULL));
  assert_logged(t, "plugin elder: age: cannot load the saved storage of 8 bytes: not today: the manager was refilled "
                   "from the columns");
  assert_int_equal(ages.count, 1);
  assert_int_equal(ages.age[0], 0);
  snapshot_release(s);
}

TEST_IN(manager_that_loads_a_wrong_row_count_is_refilled, plugged_t, t) {
  open_ages_plugin(t);
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  SPAWN(t->w, age_id(t));
  assert_true(snapshot_take(s, t->w, NULL));
  ages.takes_more = true;
  assert_true(snapshot_restore(s, t->w, NULL));
  assert_logged(t, "age: loaded 2 rows from 8 bytes, expected 1: the manager was refilled from the columns");
  assert_int_equal(ages.count, 1);
  assert_false(are_all_systems_parked(t));
  snapshot_release(s);
}

TEST_IN(manager_with_a_wrong_count_is_refilled_and_its_systems_parked, plugged_t, t) {
  open_ages_plugin(t);
  error_info_t error = {0};
  shoal_entity a = SPAWN(t->w, age_id(t));
  assert_true(plugins_check_managers(t->p, NULL, &error));
  ages.age[0] = 9;
  ages.count = 0; // the manager loses one row
  shoal_entity b = SPAWN(t->w, age_id(t));
  assert_reported(t, "plugin elder: the manager of age reports 1 rows, expected 2; the manager was refilled and the "
                     "plugin's systems are parked");
  assert_int_equal(ages.count, 2);
  assert_int_equal(ages.who[0], a);
  assert_int_equal(ages.who[1], b);
  assert_int_equal(ages.age[0], 0);
  assert_true(are_all_systems_parked(t));
  assert_false(plugins_check_managers(t->p, NULL, &error));
  assert_non_null(strstr(error.text, "plugin elder: the manager of age reports 1 rows"));
}

TEST_IN(manager_with_a_wrong_count_after_a_refill_is_disabled, plugged_t, t) {
  open_ages_plugin(t);
  ages.lie = 5;
  shoal_entity e = SPAWN(t->w, age_id(t));
  assert_reported(t, "reports 6 rows, expected 1");
  uint32_t count = ages.count;
  SPAWN(t->w, age_id(t));
  world_destroy_entity(t->w, e);
  assert_int_equal(ages.count, count);
  assert_string_equal(plugged_pop_report(t), "");
  uint64_t hash = world_hash(t->w);
  ages.age[0] = 77;
  assert_true(world_hash(t->w) == hash);
}

TEST_IN(rehearsal_parks_systems_of_a_manager_that_saves_too_many_bytes, plugged_t, t) {
  open_ages_plugin(t);
  plugins_test_managers(t->p);
  assert_string_equal(plugged_pop_report(t), "");
  assert_int_equal(ages.loads, 1);
  assert_int_equal(ages.count, 0);
  assert_int_equal(world_entities(t->w)->alive_count, 0);
  ages.saves_more = 3;
  plugins_test_managers(t->p);
  assert_reported(t, "the manager of age saved more than the 8 bytes that save_bytes returned: return a larger size; "
                     "the plugin's systems are parked");
  assert_true(are_all_systems_parked(t));
}

static size_t save_bytes_too_large(shoal_context *c, void *self) {
  (void)c, (void)self;
  return (size_t)1 << 40;
}

TEST_IN(manager_over_the_save_limit_is_reported, plugged_t, t) {
  shoal_manager greedy = age_manager;
  greedy.save_bytes = save_bytes_too_large;
  shoal_component age = age_component;
  age.manager = &greedy;
  const shoal_component *const list[] = {&age, NULL};
  ages = (ages_t){.component = &age};
  plugged_open_and_bind(t, &(shoal_plugin){.name = "greedy", .components = list});
  world_hash(t->w);
  assert_reported(t, "save_bytes of age's manager must be at most 1073741824, got 1099511627776; the "
                     "plugin's systems are parked");
  plugins_destroy(t->p); // destroyed before the declaration goes out of scope
  t->p = NULL;
}

TEST_IN(plugin_is_rejected_if_create_of_its_manager_returns_null, plugged_t, t) {
  ages = (ages_t){.fails = ""};
  assert_plugin_rejected(t, &elder, "`create` of age's manager returned NULL: return the storage");
}

TEST_IN(plugin_is_rejected_with_the_message_of_its_managers_failing_create, plugged_t, t) {
  ages = (ages_t){.fails = "all shelves are taken"};
  assert_plugin_rejected(t, &elder, "all shelves are taken");
}
