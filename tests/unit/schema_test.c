#include "ecs_fixture.h"

static allocator_t memory;

static int schema_teardown(void **state) {
  (void)state;
  assert_int_equal(memory.bytes, 0);
  return 0;
}

static void every_type_has_a_name_that_leads_back_to_it(void **state) {
  (void)state;
  for (int t = FIELD_NONE + 1; t < FIELD_TYPE_COUNT; t++) {
    assert_true(field_size((field_type_t)t) > 0);
    assert_int_equal(field_type_parse(field_type_name((field_type_t)t)), t);
  }
  assert_int_equal(field_type_parse("vector"), FIELD_NONE);
  assert_int_equal(field_size((field_type_t)99), 0);
  assert_int_equal(field_size(FIELD_MAT4), 64);
}

static void a_field_is_refused_with_the_reason(void **state) {
  (void)state;
  schema_t s;
  error_t error;
  schema_init(&s, "ship", SCHEMA_COMPONENT, "test");
  assert_non_null(schema_add(&s, "x", FIELD_F32, 1, &error));
  assert_null(schema_add(&s, "x", FIELD_I32, 0, &error));
  assert_string_equal(error.text, "ship.x: there is a field of this name already");
  assert_null(schema_add(&s, "", FIELD_I32, 0, &error));
  assert_null(schema_add(&s, "y", FIELD_NONE, 0, &error));
  assert_non_null(strstr(error.text, "type"));
  assert_null(schema_add(&s, "a_name_of_more_than_forty_seven_bytes_is_too_long_", FIELD_F32, 0, &error));
  assert_non_null(strstr(error.text, "too long"));
  for (uint32_t i = s.field_count; i < SCHEMA_MAX_FIELDS; i++) {
    char name[8];
    snprintf(name, sizeof name, "f%u", i);
    assert_non_null(schema_add(&s, name, FIELD_U8, 0, NULL));
  }
  assert_null(schema_add(&s, "one_more", FIELD_U8, 0, &error));
  assert_non_null(strstr(error.text, "64"));
  assert_int_equal(s.field_count, SCHEMA_MAX_FIELDS);
}

static void a_vector_is_as_many_f32_columns(void **state) {
  (void)state;
  schema_t s;
  error_t error;
  schema_init(&s, "ship", SCHEMA_COMPONENT, "test");
  assert_true(schema_add_vector(&s, "tint", 4, (const float[]){1, 2, 3, 4}, &error));
  assert_int_equal(s.field_count, 4);
  assert_int_equal(schema_find(&s, "tint.w"), 3);
  assert_int_equal(schema_find(&s, "tint"), -1);
  assert_true(s.fields[2].initial == 3 && s.fields[2].type == FIELD_F32);
  assert_false(schema_add_vector(&s, "tint", 2, (const float[]){1, 2}, &error));
  assert_int_equal(s.field_count, 4);
}

static void a_copy_owns_its_texts(void **state) {
  (void)state;
  schema_t s, copy;
  schema_init(&s, "mood", SCHEMA_COMPONENT, "components.lua:3");
  field_t *f = schema_add(&s, "state", FIELD_ENUM, 0, NULL);
  field_set_choices(f, &memory, (const char *const[]){"calm", "angry"}, 2);
  field_set_text(schema_add(&s, "text", FIELD_STRING, 0, NULL), &memory, "hello");
  schema_copy(&copy, &s, &memory);
  schema_fini(&s, &memory);
  assert_string_equal(copy.origin, "components.lua:3");
  assert_int_equal(copy.fields[0].choice_count, 2);
  assert_string_equal(copy.fields[0].choices + 5, "angry");
  assert_string_equal(copy.fields[1].initial_text, "hello");
  field_set_text(&copy.fields[1], &memory, NULL);
  assert_null(copy.fields[1].initial_text);
  schema_fini(&copy, &memory);
}

static void layouts_differ_by_kind_name_type_choices_and_number_of_fields(void **state) {
  (void)state;
  schema_t a, b;
  error_t error;
  schema_init(&a, "c", SCHEMA_COMPONENT, "");
  schema_add(&a, "x", FIELD_F32, 0, NULL);
  schema_init(&b, "c", SCHEMA_COMPONENT, "elsewhere");
  schema_add(&b, "x", FIELD_F32, 5, NULL)->flags = FIELD_READ_ONLY;
  assert_true(schema_same_layout(&a, &b, &error)); // defaults, flags and origin are not layout
  b.kind = SCHEMA_MANY;
  assert_false(schema_same_layout(&a, &b, &error));
  b.kind = SCHEMA_COMPONENT;
  b.fields[0].type = FIELD_I32;
  assert_false(schema_same_layout(&a, &b, &error));
  assert_string_equal(error.text, "c.x is f32 in one and i32 in the other");
  b.fields[0].type = FIELD_F32;
  strcpy(b.fields[0].name, "y");
  assert_false(schema_same_layout(&a, &b, &error));
  strcpy(b.fields[0].name, "x");
  schema_add(&b, "more", FIELD_U8, 0, NULL);
  assert_false(schema_same_layout(&a, &b, &error));
  assert_non_null(strstr(error.text, "more"));
  assert_false(schema_same_layout(&b, &a, &error));
  assert_non_null(strstr(error.text, "more"));
  b.field_count = 1;
  a.fields[0].type = b.fields[0].type = FIELD_ENUM;
  field_set_choices(&a.fields[0], &memory, (const char *const[]){"ab", "c"}, 2);
  field_set_choices(&b.fields[0], &memory, (const char *const[]){"a", "bc"}, 2);
  assert_false(schema_same_layout(&a, &b, &error));
  schema_fini(&a, &memory);
  schema_fini(&b, &memory);
}

int schema_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_has_a_name_that_leads_back_to_it),
      cmocka_unit_test(a_field_is_refused_with_the_reason),
      cmocka_unit_test(a_vector_is_as_many_f32_columns),
      cmocka_unit_test(a_copy_owns_its_texts),
      cmocka_unit_test(layouts_differ_by_kind_name_type_choices_and_number_of_fields),
  };
  return cmocka_run_group_tests_name("schema", tests, NULL, schema_teardown);
}
