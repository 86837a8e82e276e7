// Kernels as C sees them: the programs here are what scripts/shoal/kernel.lua would record.
#include "script/kernel.h"

#include "base/jobs.h"
#include "ecs/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS = 1, OTHER, GUN };
enum { A, B, D, I, FLAG, WHO, NUMBER_COUNT };

static uint32_t declare(world_o *w, const char *name, schema_kind_t kind, const char *const *fields,
                        const field_type_t *types, uint32_t count) {
  schema_t s;
  error_t error;
  schema_init(&s, name, kind, "test");
  for (uint32_t i = 0; i < count; ++i)
    schema_add(&s, fields[i], types[i], 0);
  return world_declare(w, &s, &error);
}

static world_o *make_world(jobs_o *jobs) {
  world_o *w = world_create(&(world_desc_t){.seed = 1, .jobs = jobs});
  const char *const fields[] = {"a", "b", "d", "i", "flag", "who"};
  const field_type_t types[] = {FIELD_F32, FIELD_F32, FIELD_F64, FIELD_I32, FIELD_BOOL, FIELD_ENTITY};
  assert_int_equal(declare(w, "numbers", SCHEMA_COMPONENT, fields, types, NUMBER_COUNT), NUMBERS);
  assert_int_equal(declare(w, "other", SCHEMA_COMPONENT, (const char *const[]){"value"}, types, 1), OTHER);
  assert_int_equal(declare(w, "gun", SCHEMA_MANY, (const char *const[]){"heat"}, types, 1), GUN);
  return w;
}

// Numbers with full mantissas, so that another order or another rounding would show.
static void fill(world_o *w) {
  const manager_o *m = world_manager(w, NUMBERS);
  float *a = manager_column(m, A), *b = manager_column(m, B);
  double *d = manager_column(m, D);
  int32_t *i = manager_column(m, I);
  uint8_t *flag = manager_column(m, FLAG);
  for (uint32_t row = 0; row < m->count; ++row) {
    a[row] = (float)(row * 2654435761u % 100003) / 37.0f - 900.0f;
    b[row] = (float)(row * 40503u % 65537) / 1013.0f + 0.001f;
    d[row] = (double)a[row] / 3.0;
    i[row] = (int32_t)(row * 2246822519u);
    flag[row] = row % 3 == 0;
  }
}

// How the rows of the two components stand to each other: `other` is added in another order.
typedef enum standing_t { IN_STEP, BACKWARDS, SHIFTED } standing_t;

static void populate(world_o *w, uint32_t count, standing_t other) {
  error_t error;
  shoal_entity *all = alloc_resize(world_allocator(w), NULL, 0, (count + 1) * sizeof *all);
  for (uint32_t i = 0; i < count; ++i) {
    all[i] = world_spawn(w, 0, &error);
    world_add(w, all[i], NUMBERS, 0, &error);
  }
  for (uint32_t i = 0; i < count; ++i)
    world_add(w, all[other == BACKWARDS ? count - 1 - i : (i + (other == SHIFTED ? count / 3 : 0)) % count], OTHER, 0,
              &error);
  alloc_resize(world_allocator(w), all, (count + 1) * sizeof *all, 0);
  fill(w);
}

static query_o *query_of(world_o *w, uint32_t one, uint32_t two) {
  error_t error;
  query_desc_t desc = {.terms = {{one, QUERY_WITH}, {two, QUERY_WITH}}, .term_count = two ? 2 : 1};
  return world_query(w, &desc, &error);
}

// Machine code on x86-64, elsewhere ORC's functions in C: the same bits.
static void compile(kernel_o *k) {
  bool machine_code = kernel_compile(k);
#if defined(__x86_64__)
  assert_true(machine_code);
#else
  assert_false(machine_code);
#endif
}

// A program in place: every column is read and written by operations of its own type, with conversions among them.
static kernel_o *mixed_kernel(query_o *q) {
  kernel_o *k = kernel_create(q);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), b = kernel_column(k, NUMBERS, B, 4, false);
  uint32_t d = kernel_column(k, NUMBERS, D, 8, true), i = kernel_column(k, NUMBERS, I, 4, true);
  uint32_t flag = kernel_column(k, NUMBERS, FLAG, 1, true);
  kernel_begin(k);
  int32_t va = kernel_use(k, a, true), vd = kernel_use(k, d, true), vi = kernel_use(k, i, true);
  int32_t vf = kernel_use(k, flag, true), vb = kernel_use(k, b, false);
  int32_t one = kernel_constant(k, 4, false, 1), small = kernel_constant(k, 1, false, 1);
  int32_t t = kernel_temporary(k, 4), u = kernel_temporary(k, 4), wide = kernel_temporary(k, 8);
  kernel_op(k, "mulf", t, va, kernel_dt(k, 4));
  kernel_op(k, "divf", t, t, vb);
  kernel_op(k, "sqrtf", u, vb, 0);
  kernel_op(k, "addf", t, t, u);
  kernel_op(k, "convfd", wide, t, 0);
  kernel_op(k, "muld", wide, wide, vd);
  kernel_op(k, "addd", vd, vd, wide);
  kernel_op(k, "convfl", u, t, 0);
  kernel_op(k, "mulll", vi, vi, u);
  kernel_op(k, "addl", vi, vi, one);
  kernel_op(k, "xorb", vf, vf, small);
  kernel_op(k, "copyl", va, t, 0);
  compile(k);
  return k;
}

// Two programs with a value between them, over columns that are mapped when the world says so.
static kernel_o *split_kernel(query_o *q) {
  kernel_o *k = kernel_create(q);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), b = kernel_column(k, NUMBERS, B, 4, false);
  uint32_t value = kernel_column(k, OTHER, 0, 4, true), between = kernel_scratch(k, 4);
  kernel_begin(k);
  int32_t out = kernel_use(k, between, true), va = kernel_use(k, a, false), vb = kernel_use(k, b, false);
  kernel_op(k, "mulf", out, va, vb);
  compile(k);
  kernel_begin(k);
  int32_t to = kernel_use(k, value, true), back = kernel_use(k, a, true), in = kernel_use(k, between, false);
  kernel_op(k, "addf", to, to, in);
  kernel_op(k, "subf", back, back, to);
  compile(k);
  return k;
}

static void run(world_o *w, kernel_o *(*make)(query_o *q), bool both) {
  query_o *q = query_of(w, NUMBERS, both ? OTHER : 0);
  kernel_o *k = make(q);
  for (uint32_t i = 0; i < 3; ++i) {
    query_open(q);
    kernel_run(k, 1.0f / 60.0f);
    query_close(q);
  }
  kernel_destroy(k);
}

static void assert_same_rows(world_o *one, world_o *other, uint32_t count) {
  for (uint32_t id = NUMBERS; id <= OTHER; ++id) {
    const manager_o *m = world_manager(one, id), *n = world_manager(other, id);
    for (uint32_t c = 0; c < m->columns.column_count && m->count >= count; ++c)
      assert_memory_equal(m->data[c], n->data[c], count * m->columns.element_bytes[c]);
  }
}

static void the_last_rows_get_the_same_bits_as_those_in_the_middle(void **state) {
  (void)state;
  world_o *all = make_world(NULL);
  populate(all, 256, IN_STEP);
  run(all, mixed_kernel, false);
  for (uint32_t count = 1; count <= 100; ++count) {
    world_o *few = make_world(NULL);
    populate(few, count, IN_STEP);
    run(few, mixed_kernel, false);
    assert_same_rows(few, all, count);
    world_destroy_all(few);
  }
  world_destroy_all(all);
}

static void compare_workers(kernel_o *(*make)(query_o *q), bool both, standing_t other, uint32_t count) {
  world_o *alone = make_world(NULL);
  populate(alone, count, other);
  run(alone, make, both);
  for (uint32_t workers = 2; workers <= 8; workers += 3) {
    allocator_t memory = {0};
    jobs_o *jobs = jobs_create(&memory, workers);
    world_o *shared = make_world(jobs);
    populate(shared, count, other);
    run(shared, make, both);
    assert_same_rows(alone, shared, count);
    world_destroy_all(shared);
    jobs_destroy(jobs);
  }
  world_destroy_all(alone);
}

static void any_number_of_workers_gives_the_same_bits(void **state) {
  (void)state;
  compare_workers(mixed_kernel, false, IN_STEP, 260077);
}

static void so_do_blocks_and_row_maps(void **state) {
  (void)state;
  compare_workers(split_kernel, true, IN_STEP, 270001);
  compare_workers(split_kernel, true, BACKWARDS, 60001);
  compare_workers(split_kernel, true, SHIFTED, 270001);
}

static kernel_o *gun_kernel(query_o *q) {
  kernel_o *k = kernel_create(q);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), heat = kernel_column(k, GUN, 0, 4, false);
  kernel_begin(k);
  int32_t va = kernel_use(k, a, true), vh = kernel_use(k, heat, false);
  kernel_op(k, "addf", va, va, vh);
  compile(k);
  return k;
}

enum { ARMED = 64, GUNS = 2048 };

// A few entities with very many guns: wherever two workers are, they add to the same few places.
static world_o *armed_world(jobs_o *jobs) {
  error_t error;
  world_o *w = make_world(jobs);
  for (uint32_t i = 0; i < ARMED; ++i)
    world_add(w, world_spawn(w, 0, &error), NUMBERS, 0, &error);
  for (uint32_t i = 0; i < ARMED * GUNS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "gun %u", i / ARMED);
    world_add(w, world_manager(w, NUMBERS)->owner[i % ARMED], GUN, strings_intern(world_strings(w), name), &error);
  }
  fill(w);
  for (uint32_t i = 0; i < world_manager(w, GUN)->count; ++i)
    ((float *)manager_column(world_manager(w, GUN), 0))[i] = (float)(i % 1009);
  query_o *q = query_of(w, GUN, NUMBERS);
  kernel_o *k = gun_kernel(q);
  query_open(q);
  kernel_run(k, 0.1f);
  query_close(q);
  kernel_destroy(k);
  return w;
}

static void rows_that_share_a_row_are_not_given_to_two_workers(void **state) {
  (void)state;
  allocator_t memory = {0};
  world_o *alone = armed_world(NULL);
  for (uint32_t i = 0; i < 3; ++i) {
    jobs_o *jobs = jobs_create(&memory, 4);
    world_o *shared = armed_world(jobs);
    assert_same_rows(alone, shared, ARMED);
    world_destroy_all(shared);
    jobs_destroy(jobs);
  }
  world_destroy_all(alone);
}

// --- programs that are wrong

typedef void (*mistake_t)(kernel_o *k);

// A program that stands: column a of numbers as its destination (variable `va`), b as its source, a temporary.
static int32_t va, vb, vt;

static void begin_sound(kernel_o *k) {
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), b = kernel_column(k, NUMBERS, B, 4, false);
  kernel_begin(k);
  va = kernel_use(k, a, true), vb = kernel_use(k, b, false), vt = kernel_temporary(k, 4);
}

static void column_of_another_component(kernel_o *k) {
  kernel_column(k, OTHER, 0, 4, false);
}
static void column_past_the_last(kernel_o *k) {
  kernel_column(k, NUMBERS, NUMBER_COUNT, 4, false);
}
static void column_of_another_size(kernel_o *k) {
  kernel_column(k, NUMBERS, D, 4, false);
}
static void column_of_entities(kernel_o *k) {
  kernel_column(k, NUMBERS, WHO, 4, true);
}
static void value_of_three_bytes(kernel_o *k) {
  kernel_scratch(k, 3);
}
static void slot_that_is_not_there(kernel_o *k) {
  kernel_use(k, 7, false);
}
static void read_of_an_empty_value(kernel_o *k) {
  kernel_use(k, kernel_scratch(k, 4), false);
}
static void write_to_a_column_that_is_read(kernel_o *k) {
  kernel_use(k, kernel_column(k, NUMBERS, B, 4, false), true);
}
static void constant_of_three_bytes(kernel_o *k) {
  kernel_constant(k, 3, false, 1);
}
static void constant_out_of_range(kernel_o *k) {
  kernel_constant(k, 4, false, 1e10);
}
static void fraction_of_two_bytes(kernel_o *k) {
  kernel_constant(k, 2, true, 1);
}
static void time_of_two_bytes(kernel_o *k) {
  kernel_dt(k, 2);
}
static void unknown_operation(kernel_o *k) {
  kernel_op(k, "nonsense", vt, va, vb);
}
static void load_of_its_own(kernel_o *k) {
  kernel_op(k, "loadl", vt, vb, 0);
}
static void load_from_elsewhere(kernel_o *k) {
  kernel_op(k, "loadoffl", vt, vb, kernel_constant(k, 4, false, 1 << 20));
}
static void store_of_its_own(kernel_o *k) {
  kernel_op(k, "storel", va, vb, 0);
}
static void sum_over_rows(kernel_o *k) {
  kernel_op(k, "accl", vt, vb, 0);
}
static void two_results(kernel_o *k) {
  kernel_op(k, "splitlw", vt, vb, 0);
}
static void operand_of_another_size(kernel_o *k) {
  kernel_op(k, "addd", vt, va, vb);
}
static void result_of_another_size(kernel_o *k) {
  kernel_op(k, "convfd", vt, va, 0);
}
static void operand_too_many(kernel_o *k) {
  kernel_op(k, "sqrtf", vt, va, vb);
}
static void operand_before_the_first(kernel_o *k) {
  kernel_op(k, "sqrtf", vt, -1, 0);
}
static void operand_past_the_last(kernel_o *k) {
  kernel_op(k, "sqrtf", vt, 1000, 0);
}
static void operand_that_is_not_there(kernel_o *k) {
  kernel_op(k, "sqrtf", vt, vt + 3, 0);
}
static void operand_that_is_empty(kernel_o *k) {
  kernel_op(k, "addf", va, vt, vb);
}
static void result_in_a_source(kernel_o *k) {
  kernel_op(k, "sqrtf", vb, va, 0);
}
static void result_in_a_constant(kernel_o *k) {
  kernel_op(k, "sqrtf", kernel_constant(k, 4, true, 2), va, 0);
}

static void too_many_operations(kernel_o *k) {
  for (uint32_t i = 0; i < 200; ++i)
    kernel_op(k, "mulf", va, va, vb);
}

static void too_many_values(kernel_o *k) {
  for (uint32_t i = 0; i < 2 * KERNEL_MAX_SLOTS; ++i)
    kernel_scratch(k, 4);
}

static void too_many_temporaries(kernel_o *k) {
  for (uint32_t i = 0; i < 100; ++i)
    kernel_temporary(k, 4);
}

static void too_many_constants(kernel_o *k) {
  for (uint32_t i = 0; i < 100; ++i)
    kernel_constant(k, 4, true, i);
}

static void too_many_arrays(kernel_o *k) {
  for (uint32_t i = 0; i < 100; ++i)
    kernel_use(k, kernel_column(k, NUMBERS, B, 4, false), false);
}

static void too_many_programs(kernel_o *k) {
  for (uint32_t i = 0; i < 100; ++i)
    kernel_begin(k);
}

static const mistake_t MISTAKES[] = {
    column_of_another_component,
    column_past_the_last,
    column_of_another_size,
    column_of_entities,
    value_of_three_bytes,
    slot_that_is_not_there,
    read_of_an_empty_value,
    write_to_a_column_that_is_read,
    constant_of_three_bytes,
    constant_out_of_range,
    fraction_of_two_bytes,
    time_of_two_bytes,
    unknown_operation,
    load_of_its_own,
    load_from_elsewhere,
    store_of_its_own,
    sum_over_rows,
    two_results,
    operand_of_another_size,
    result_of_another_size,
    operand_too_many,
    operand_before_the_first,
    operand_past_the_last,
    operand_that_is_not_there,
    operand_that_is_empty,
    result_in_a_source,
    result_in_a_constant,
    too_many_operations,
    too_many_values,
    too_many_temporaries,
    too_many_constants,
    too_many_arrays,
    too_many_programs,
};

static void a_program_with_a_mistake_is_refused_and_changes_nothing(void **state) {
  (void)state;
  error_t error;
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    world_o *w = make_world(NULL);
    populate(w, 100, IN_STEP);
    kernel_o *k = kernel_create(query_of(w, NUMBERS, 0));
    begin_sound(k);
    assert_true(kernel_is_sound(k, &error));
    MISTAKES[i](k);
    if (kernel_is_sound(k, &error))
      fail_msg("mistake %zu passed", i);
    assert_true(error.text[0] != '\0');
    kernel_op(k, "mulf", va, va, vb); // whoever goes on all the same does no harm
    kernel_compile(k);
    assert_false(kernel_is_sound(k, &error));
    kernel_destroy(k);
    world_destroy_all(w);
  }
}

static void nothing_is_built_outside_a_program(void **state) {
  (void)state;
  error_t error;
  world_o *w = make_world(NULL);
  for (uint32_t i = 0; i < 6; ++i) {
    kernel_o *k = kernel_create(query_of(w, NUMBERS, 0));
    uint32_t a = kernel_column(k, NUMBERS, A, 4, true);
    switch (i) {
    case 0: kernel_use(k, a, true); break;
    case 1: kernel_constant(k, 4, true, 1); break;
    case 2: kernel_dt(k, 4); break;
    case 3: kernel_temporary(k, 4); break;
    case 4: kernel_op(k, "mulf", 0, 0, 0); break;
    default:
      assert_false(kernel_compile(k));
      kernel_use(k, a, true);
      break;
    }
    assert_false(kernel_is_sound(k, &error));
    kernel_destroy(k);
  }
  world_destroy_all(w);
}

static const char *const SOME_OPS[] = {
    "addf",    "mulf",    "divf",  "sqrtf",  "addd",  "muld",  "convfd",  "convdf", "convlf", "convfl",
    "andl",    "orq",     "xorl",  "cmpltf", "copyb", "copyl", "minsl",   "maxsl",  "subl",   "convwb",
    "convubw", "convswl", "loadl", "storeq", "accl",  "shll",  "splitlw", "mulll",  "cmpeqd", "convslq"};

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

// ORC numbers destinations from 0 on, sources from 4, constants from 16, parameters from 24, temporaries from 32.
static int32_t some_variable(uint64_t *r) {
  static const int32_t FIRST[] = {0, 4, 16, 24, 32, 32};
  return FIRST[next_random(r) % 6] + (int32_t)(next_random(r) % 3) - (next_random(r) % 64 == 0);
}

static uint32_t some_size(uint64_t *r) {
  static const uint32_t SIZES[] = {4, 4, 8, 1, 2, 3};
  return SIZES[next_random(r) % 6];
}

static void random_step(kernel_o *k, uint64_t *r) {
  uint32_t which = next_random(r) % 32, bytes = some_size(r), n = next_random(r) % 6;
  bool on = next_random(r) % 2;
  int32_t to = some_variable(r), a = some_variable(r), b = next_random(r) % 3 ? some_variable(r) : 0;
  if (which == 0)
    kernel_column(k, 1 + n % 2, n, bytes, on);
  else if (which == 1)
    kernel_scratch(k, bytes);
  else if (which < 4)
    kernel_use(k, n, on);
  else if (which == 4)
    kernel_constant(k, bytes, on, (double)to * 1e8);
  else if (which < 7)
    kernel_temporary(k, bytes);
  else if (which == 7)
    kernel_dt(k, bytes);
  else if (which == 8 && to == 0 && kernel_compile(k))
    kernel_begin(k);
  else
    kernel_op(k, SOME_OPS[next_random(r) % (sizeof SOME_OPS / sizeof *SOME_OPS)], to, a, b);
}

// A random step that is refused is not taken: the steps that stood before it are built again, and it is left out.
static kernel_o *random_kernel(query_o *q, uint64_t seed, uint32_t steps, uint32_t *taken) {
  uint64_t kept[64];
  error_t error;
  kernel_o *k = NULL;
  *taken = 0;
  for (uint32_t i = 0; i < steps && *taken < 40; ++i) {
    kept[*taken] = seed = seed * 2862933555777941757u + 3037000493u;
    kernel_destroy(k);
    k = kernel_create(q);
    begin_sound(k);
    for (uint32_t s = 0; s <= *taken; ++s) {
      uint64_t r = kept[s];
      random_step(k, &r);
    }
    *taken += kernel_is_sound(k, &error);
  }
  kernel_destroy(k);
  k = kernel_create(q);
  begin_sound(k);
  for (uint32_t s = 0; s < *taken; ++s) {
    uint64_t r = kept[s];
    random_step(k, &r);
  }
  return k;
}

static void random_programs_are_refused_or_run_within_their_rows(void **state) {
  (void)state;
  error_t error;
  uint32_t ran = 0, taken, longest = 0;
  world_o *w = make_world(NULL);
  populate(w, 100, BACKWARDS);
  query_o *q = query_of(w, NUMBERS, OTHER);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    kernel_o *k = random_kernel(q, seed, 1500, &taken);
    kernel_compile(k);
    if (kernel_is_sound(k, &error)) {
      query_open(q);
      kernel_run(k, 1.0f / 60.0f);
      query_close(q);
      ++ran;
    }
    longest = taken > longest ? taken : longest;
    kernel_destroy(k);
  }
  assert_in_range(ran, 40, 60);
  assert_int_equal(longest, 40);
  world_destroy_all(w);
}

enum { MARKED = 200000 };

// Every seventh entity lacks `other`, which the query wants.
static world_o *marked_world(jobs_o *jobs) {
  error_t error;
  world_o *w = make_world(jobs);
  for (uint32_t i = 0; i < MARKED; ++i) {
    shoal_entity e = world_spawn(w, 0, &error);
    world_add(w, e, NUMBERS, 0, &error);
    if (i % 7 != 0)
      world_add(w, e, OTHER, 0, &error);
  }
  fill(w);
  world_track_touched(w, true);
  return w;
}

// What a reload's merge looks at: a value with a mark stays, one without follows the edited template.
static void a_kernel_in_parts_marks_what_it_wrote_and_no_other_row_or_column(void **state) {
  (void)state;
  allocator_t memory = {0};
  jobs_o *jobs = jobs_create(&memory, 4);
  world_o *mapped = marked_world(jobs), *in_place = marked_world(jobs);
  run(mapped, split_kernel, true);
  run(in_place, mixed_kernel, false);
  const columns_t *m = &world_manager(mapped, NUMBERS)->columns, *n = &world_manager(in_place, NUMBERS)->columns;
  assert_true(MARKED * 22 > KERNEL_SPLIT_COST); // what a row of mixed_kernel costs
  for (uint32_t row = 0; row < MARKED; ++row) {
    if (columns_is_touched(m, row, A) != (row % 7 != 0) || columns_is_touched(m, row, B))
      fail_msg("row %u of the mapped columns", row);
    if (!columns_is_touched(n, row, A) || !columns_is_touched(n, row, FLAG) || columns_is_touched(n, row, B))
      fail_msg("row %u of the columns in place", row);
  }
  world_destroy_all(mapped);
  world_destroy_all(in_place);
  jobs_destroy(jobs);
}

int kernel_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_rows_get_the_same_bits_as_those_in_the_middle),
      cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
      cmocka_unit_test(so_do_blocks_and_row_maps),
      cmocka_unit_test(rows_that_share_a_row_are_not_given_to_two_workers),
      cmocka_unit_test(a_kernel_in_parts_marks_what_it_wrote_and_no_other_row_or_column),
      cmocka_unit_test(a_program_with_a_mistake_is_refused_and_changes_nothing),
      cmocka_unit_test(nothing_is_built_outside_a_program),
      cmocka_unit_test(random_programs_are_refused_or_run_within_their_rows),
  };
  return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
