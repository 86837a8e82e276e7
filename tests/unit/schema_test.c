// Component schemas: schema/schema.h.
#include "schema/bit_names.h"
#include "schema/schema_build.h"
#include "ecs_fixture.h"

#include <math.h>

static allocator_t memory;

static void assert_memory_is_free(void) {
  assert_int_equal(memory.bytes, 0);
}
GROUP_FIXTURE(assert_memory_is_free, assert_memory_is_free)

TEST(every_field_type_has_a_size_and_a_unique_name) {
  for (int t = FIELD_NONE + 1; t < FIELD_TYPE_COUNT; ++t) {
    assert_true(field_size((field_type_t)t) > 0);
    for (int other = FIELD_NONE; other < t; ++other)
      assert_string_not_equal(field_type_name((field_type_t)other), field_type_name((field_type_t)t));
  }
  assert_int_equal(field_size((field_type_t)99), 0);
  assert_int_equal(field_size(FIELD_MAT4), 64);
}

// Returns a field whose bits have the given names, which are separated by spaces.
static field_t make_layers_field(const char *names) {
  static const char *const known[] = {"hero", "foe", "shot", "wall"};
  field_t f = {.name = "mask", .type = FIELD_U32};
  const char *list[4];
  uint32_t count = 0;
  for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
    for (uint32_t i = 0; i < 4; ++i)
      if (strncmp(at, known[i], strlen(known[i])) == 0)
        list[count++] = known[i];
  field_set_choices(&f, &memory, list, count);
  return f;
}

static void check_conversion(const char *from, const char *to, uint32_t bits, uint32_t expected) {
  field_t a = make_layers_field(from), b = make_layers_field(to);
  assert_int_equal(bit_names_convert(&a, &b, bits), expected);
  field_set_choices(&a, &memory, NULL, 0);
  field_set_choices(&b, &memory, NULL, 0);
}

TEST(layer_masks_are_converted_by_name_when_the_list_of_layers_changes) {
  check_conversion("hero foe", "foe hero", 1, 2);
  check_conversion("hero foe", "shot hero foe", 3, 6);
  check_conversion("hero foe", "hero wall", 3, 3); // renamed: the new name has the position of the removed one
  check_conversion("hero foe shot", "shot foe", 7, 3);
  check_conversion("hero foe", "foe", 3, 1);
  check_conversion("hero foe", "", 3, 3);
  check_conversion("", "hero foe", 6, 6);
  check_conversion("hero foe", "foe hero", 9, 10);                    // bit 3 has no name
  check_conversion("hero foe", "foe", UINT32_MAX, UINT32_MAX);        // all layers
  check_conversion("hero foe", "foe hero", 0x80000001u, 0x80000002u); // the highest bit
}

TEST(layer_masks_are_written_as_names_unless_a_bit_has_no_name) {
  field_t f = make_layers_field("hero foe shot");
  char out[64];
  assert_string_equal(bit_names_format(&f, 5, out, sizeof out), "hero, shot");
  assert_string_equal(bit_names_format_lua(&f, 5, out, sizeof out), "{ \"hero\", \"shot\" }");
  assert_string_equal(bit_names_format_lua(&f, 2, out, sizeof out), "\"foe\"");
  assert_string_equal(bit_names_format_lua(&f, UINT32_MAX, out, sizeof out), "\"all\"");
  assert_string_equal(bit_names_format(&f, 0, out, sizeof out), "0");
  assert_string_equal(bit_names_format(&f, 9, out, sizeof out), "9");
  assert_string_equal(bit_names_format_lua(&f, 7, out, 12), "{ \"hero\", \"");
  field_set_choices(&f, &memory, NULL, 0);
}

static bool build_schema(schema_t *s, const char *name, shoal_component_kind kind, const shoal_field *fields,
                         uint32_t count, uint32_t *wrong, error_info_t *error) {
  const shoal_component c = {.name = name, .kind = kind, .fields = fields, .field_count = count};
  return schema_build(s, &(schema_desc_t){.component = &c, .origin = "test"}, &memory, wrong, error);
}

TEST(vector_field_becomes_f32_columns) {
  schema_t s;
  error_info_t error;
  const shoal_field f = {
      .name = "tint", .type = SHOAL_TYPE_vec4, .default_vector = {1, 2, 3, 4}, .renamed_from = "old older"};
  const shoal_component c = {.name = "ship", .fields = &f, .field_count = 1};
  const field_range_t range = {.has_max = true, .max = 8};
  const schema_desc_t desc = {.component = &c, .ranges = &range, .origin = "a.lua", .line = 3, .migrates = true};
  assert_true(schema_build(&s, &desc, &memory, NULL, &error));
  assert_int_equal(s.field_count, 4);
  assert_int_equal(schema_find_field(&s, "tint.w"), 3);
  assert_int_equal(schema_find_field(&s, "tint"), -1);
  assert_true(s.fields[2].initial == 3 && s.fields[2].type == FIELD_F32);
  assert_string_equal(s.fields[1].renamed_from, "old.y older.y");
  assert_true(field_has_former_name(&s.fields[1], "older.y") && field_has_former_name(&s.fields[1], "old.y"));
  assert_false(field_has_former_name(&s.fields[1], "old") || field_has_former_name(&s.fields[1], ""));
  assert_true(s.fields[3].flags == (FIELD_HAS_MAX | FIELD_IS_AXIS) && s.fields[3].max == 8);
  assert_true(s.migrates && s.line == 3);
  assert_string_equal(s.origin, "a.lua");
  schema_fini(&s, &memory);
}

TEST(columns_of_lists_are_found_by_their_names) {
  static const char *const names[] = {"a.count", "a.1", "a.2", "b.count", "c.1", "d.count", "d.2", "e"};
  schema_buffer_t s;
  uint32_t first;
  char label[FIELD_NAME_MAX];
  schema_init(&s, "bag", SCHEMA_COMPONENT, "test");
  for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i)
    schema_add_field(&s.schema, names[i], strstr(names[i], "count") ? FIELD_U8 : FIELD_F32, 0);
  schema_flag_list_columns(&s.schema);
  assert_int_equal(schema_list_capacity(&s.schema, 0), 2);
  for (uint32_t i = 3; i < s.schema.field_count; ++i)
    assert_true(s.schema.fields[i].flags == 0 && schema_list_capacity(&s.schema, i) == 0);
  assert_int_equal(schema_list_columns(&s.schema, 2, &first), 3);
  assert_int_equal(first, 0);
  assert_int_equal(schema_list_columns(&s.schema, 7, &first), 1);
  assert_int_equal(first, 7);
  assert_int_equal(field_element_number(&s.schema.fields[2]), 2);
  assert_string_equal(field_label(&s.schema.fields[0], label), "a");
  assert_string_equal(field_label(&s.schema.fields[3], label), "b.count");
  schema_fini(&s.schema, &memory);
}

TEST(component_declaration_keeps_choices_strings_and_flags) {
  schema_t s;
  error_info_t error;
  const shoal_field fields[] = {
      {.name = "mood",
       .type = SHOAL_TYPE_enum,
       .default_string = "  calm angry ",
       .unit = "moods",
       .doc = "how it feels"},
      {.name = "text", .type = SHOAL_TYPE_string, .default_string = "hello"},
      {.name = "on", .type = SHOAL_TYPE_bool, .default_number = 1, .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY},
      {.name = "target", .type = SHOAL_TYPE_entity, .default_number = 5},
  };
  assert_true(build_schema(&s, "feels", SHOAL_KIND_MANY, fields, 4, NULL, &error));
  assert_int_equal(s.kind, SCHEMA_MANY);
  assert_int_equal(s.fields[0].choice_count, 2);
  assert_memory_equal(s.fields[0].choices, "calm\0angry", sizeof "calm\0angry");
  assert_string_equal(s.fields[0].unit, "moods");
  assert_string_equal(s.fields[0].doc, "how it feels");
  assert_string_equal(s.fields[1].initial_text, "hello");
  assert_true(s.fields[2].initial == 1 && s.fields[2].flags == (FIELD_HIDDEN | FIELD_READ_ONLY));
  assert_true(s.fields[3].initial == 0); // an entity field defaults to 0, no entity
  schema_fini(&s, &memory);
}

// A declaration with an invalid name, kind or second field, and the expected message.
typedef struct rejected_t {
  const char *name;
  shoal_component_kind kind;
  shoal_field field;
  const char *words;
} rejected_t;

#define SIXTY "a_name_of_sixty_bytes_or_more_is_too_long_for_a_component_0123456789"
#define F32(name_, ...)                                                                                                \
  { .name = name_, .type = SHOAL_TYPE_f32, __VA_ARGS__ }

// clang-format off
static const rejected_t REFUSALS[] = {
  {NULL, SHOAL_KIND_COMPONENT, F32("y"), "a component has no name"},
  {"", SHOAL_KIND_EVENT, F32("y"), "an event has no name"},
  {"a b", SHOAL_KIND_SINGLE, F32("y"),
   "a b cannot be the name of a component: use letters, digits and _, and do not start with a digit"},
  {"2d", SHOAL_KIND_EVENT, F32("y"), "2d cannot be the name of an event"},
  {SIXTY, SHOAL_KIND_COMPONENT, F32("y"), "the name of a component is too long (" SIXTY "…): use at most 63 bytes"},
  {"children", SHOAL_KIND_SINGLE, F32("y"),
   "a component cannot be named children: entities have a method with this name"},
  {"while", SHOAL_KIND_MANY, F32("y"), "a component cannot be named while: it is a Lua keyword"},
  {"ship", (shoal_component_kind)9, F32("y"), "ship has an unknown kind (9)"},
  {"ship", SHOAL_KIND_COMPONENT, F32(NULL), "field 2 of ship has no name"},
  {"ship", SHOAL_KIND_COMPONENT, F32("v.x"), "v.x cannot be the name of field 2 of ship"},
  {"ship", SHOAL_KIND_COMPONENT, F32("x"), "ship has two fields named x"},
  {"ship", SHOAL_KIND_COMPONENT, F32("destroy"), "the field destroy of ship has the name of a method"},
  {"ship", SHOAL_KIND_EVENT, F32("count"), "the field count of ship has the name of a method"},
  {"ship", SHOAL_KIND_COMPONENT, F32("end"), "the field end of ship has the name of a Lua keyword"},
  {"ship", SHOAL_KIND_COMPONENT, F32("y", .renamed_from = "a.b"),
   "renamed_from of ship.y must be the old name of a field, got a.b"},
  {"ship", SHOAL_KIND_COMPONENT, F32("y", .renamed_from = "a b.c"),
   "renamed_from of ship.y must be the old name of a field, got b.c"},
  {"ship", SHOAL_KIND_COMPONENT, {.name = "y", .type = (shoal_type)77}, "ship.y has an unknown type (77)"},
  {"ship", SHOAL_KIND_COMPONENT, {.name = "y", .type = SHOAL_TYPE_enum, .default_string = " "},
   "enum ship.y must have at least one choice"},
  {"ship", SHOAL_KIND_COMPONENT, {.name = "y", .type = SHOAL_TYPE_enum, .default_string = "a b a"},
   "enum ship.y has the choice a twice"},
  {"ship", SHOAL_KIND_COMPONENT, {.name = "a_vector_has_two_bytes_less_for_its_name_than_a_n", .type = SHOAL_TYPE_vec2},
   "the name of field 2 of ship is too long (a_vector_has_two_bytes_less_for_its_name_than_a_n…): use at most 45"},
};
// clang-format on

TEST(invalid_declaration_is_rejected_with_field_and_reason) {
  for (size_t i = 0; i < sizeof REFUSALS / sizeof REFUSALS[0]; ++i) {
    const rejected_t *r = &REFUSALS[i];
    const shoal_field fields[] = {F32("x"), r->field};
    schema_t s;
    error_info_t error;
    uint32_t wrong = 0;
    assert_false(build_schema(&s, r->name, r->kind, fields, 2, &wrong, &error));
    if (!strstr(error.text, r->words))
      fail_msg("got “%s”, expected “%s”", error.text, r->words);
    bool of_field = r->name && strcmp(r->name, "ship") == 0 && r->kind <= SHOAL_KIND_EVENT;
    assert_int_equal(wrong, of_field ? 1 : SCHEMA_NO_FIELD);
    assert_int_equal(memory.bytes, 0);
  }
}

TEST(schema_has_at_most_64_columns) {
  static char names[70][8];
  shoal_field fields[70];
  schema_t s;
  error_info_t error;
  for (uint32_t i = 0; i < 70; ++i) {
    snprintf(names[i], sizeof names[i], "f%u", i);
    fields[i] = (shoal_field){.name = names[i], .type = SHOAL_TYPE_vec4};
  }
  assert_true(build_schema(&s, "wide", SHOAL_KIND_COMPONENT, fields, 16, NULL, &error));
  assert_int_equal(s.field_count, 64);
  schema_fini(&s, &memory);
  assert_false(build_schema(&s, "wide", SHOAL_KIND_COMPONENT, fields, 17, NULL, &error));
  assert_string_equal(error.text,
                      "too many columns in wide: 68 (at most 64): split the component (a vec4 has four columns)");
  assert_false(build_schema(&s, "wide", SHOAL_KIND_COMPONENT, fields, 70, NULL, &error));
  assert_string_equal(error.text, "too many fields in wide: 70 (at most 64): split the component");
}

TEST(builtin_schemas_may_use_reserved_names) {
  schema_t s;
  const shoal_component name = {.name = "name"}, behaviour = {.name = "behaviour:a/b"};
  assert_false(schema_build(&s, &(schema_desc_t){.component = &name, .origin = "test"}, &memory, NULL, NULL));
  assert_true(
      schema_build(&s, &(schema_desc_t){.component = &name, .origin = "C", .any_name = true}, &memory, NULL, NULL));
  assert_true(schema_build(&s, &(schema_desc_t){.component = &behaviour, .origin = "C", .any_name = true}, &memory,
                           NULL, NULL));
  assert_true(build_schema(&s, "count", SHOAL_KIND_EVENT, NULL, 0, NULL, NULL));
}

TEST(schema_copy_owns_its_strings) {
  schema_buffer_t s;
  schema_t copy;
  schema_init(&s, "mood", SCHEMA_COMPONENT, "components.lua");
  field_t *f = schema_add_field(&s.schema, "state", FIELD_ENUM, 0);
  field_set_choices(f, &memory, (const char *const[]){"calm", "angry"}, 2);
  field_set_text(schema_add_field(&s.schema, "text", FIELD_STRING, 0), &memory, "hello");
  field_add_former_name(&s.schema.fields[1], &memory, "title");
  field_add_former_name(&s.schema.fields[1], &memory, "label");
  schema_add_required(&s.schema, &memory, "health");
  schema_add_required(&s.schema, &memory, "position");
  schema_copy(&copy, &s.schema, &memory);
  schema_fini(&s.schema, &memory);
  assert_string_equal(copy.origin, "components.lua");
  assert_int_equal(copy.fields[0].choice_count, 2);
  assert_int_equal(copy.field_capacity, 2); // no memory for fields that do not exist
  assert_string_equal(copy.fields[0].choices + 5, "angry");
  assert_string_equal(copy.fields[1].initial_text, "hello");
  assert_string_equal(copy.fields[0].renamed_from, "");
  assert_string_equal(copy.fields[1].renamed_from, "title label");
  assert_int_equal(copy.required_count, 2);
  assert_string_equal(schema_get_required(&copy, 1), "position");
  field_set_text(&copy.fields[1], &memory, NULL);
  assert_null(copy.fields[1].initial_text);
  schema_fini(&copy, &memory);
  assert_int_equal(memory.bytes, 0);
}

TEST(schema_layout_covers_kind_and_fields_but_not_defaults) {
  schema_buffer_t a, b;
  error_info_t error;
  schema_init(&a, "c", SCHEMA_COMPONENT, "");
  schema_add_field(&a.schema, "x", FIELD_F32, 0);
  schema_init(&b, "c", SCHEMA_COMPONENT, "elsewhere");
  schema_add_field(&b.schema, "x", FIELD_F32, 5)->flags = FIELD_READ_ONLY;
  assert_true(
      schema_has_same_layout(&a.schema, &b.schema, &error)); // defaults, flags and origin are not part of the layout
  b.schema.kind = SCHEMA_MANY;
  assert_false(schema_has_same_layout(&a.schema, &b.schema, &error));
  b.schema.kind = SCHEMA_COMPONENT;
  b.schema.fields[0].type = FIELD_I32;
  assert_false(schema_has_same_layout(&a.schema, &b.schema, &error));
  assert_string_equal(error.text, "the type of c.x differs: f32 and i32");
  b.schema.fields[0].type = FIELD_F32;
  strcpy(b.schema.fields[0].name, "y");
  assert_false(schema_has_same_layout(&a.schema, &b.schema, &error));
  strcpy(b.schema.fields[0].name, "x");
  schema_add_field(&b.schema, "more", FIELD_U8, 0);
  assert_false(schema_has_same_layout(&a.schema, &b.schema, &error));
  assert_non_null(strstr(error.text, "more"));
  assert_false(schema_has_same_layout(&b.schema, &a.schema, &error));
  assert_non_null(strstr(error.text, "more"));
  b.schema.field_count = 1;
  a.schema.fields[0].type = b.schema.fields[0].type = FIELD_ENUM;
  field_set_choices(&a.schema.fields[0], &memory, (const char *const[]){"ab", "c"}, 2);
  field_set_choices(&b.schema.fields[0], &memory, (const char *const[]){"a", "bc"}, 2);
  assert_false(schema_has_same_layout(&a.schema, &b.schema, &error));
  schema_fini(&a.schema, &memory);
  schema_fini(&b.schema, &memory);
}

TEST(out_of_range_values_are_described_with_range_value_and_fix) {
  char text[RANGE_TEXT_BYTES], label[600];
  assert_string_equal(range_describe_problem("hull.hp", 0, 100, 110, 100, RANGE_STORED, text),
                      "hull.hp must be from 0 to 100, got 110; stored 100: clamp it before storing it, or change the "
                      "range");
  assert_string_equal(range_describe_problem("hull.hp", 0.5, INFINITY, (double)0.1f, 0.5, 0, text),
                      "hull.hp must be at least 0.5, got 0.1: clamp it before storing it, or change the range");
  assert_string_equal(range_describe_problem("hull.hp", -INFINITY, 7, (double)NAN, 3, RANGE_STORED, text),
                      "hull.hp must be at most 7, got nan; stored 3: check for a division by zero");
  assert_string_equal(
      range_describe_problem("a.small", 0, 255, 256, 255, RANGE_STORED | RANGE_OF_TYPE, text),
      "a.small must be from 0 to 255, got 256; stored 255: clamp it before storing it, or choose a wider "
      "type (shoal.types.i32, f32, f64)");
  memset(label, 'x', sizeof label - 1);
  label[sizeof label - 1] = '\0';
  range_describe_problem(label, -1e300 / 3, 1e300 / 3, 1e301 / 3, 1e300 / 3, RANGE_STORED | RANGE_OF_TYPE, text);
  assert_non_null(strstr(text, "(shoal.types.i32, f32, f64)"));
}
