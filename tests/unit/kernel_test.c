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
enum { A, B, D, I, FLAG, NUMBER_COUNT };

static uint32_t declare(world_o *w, const char *name, schema_kind_t kind, const char *const *fields,
                        const field_type_t *types, uint32_t count) {
  schema_t s;
  error_t error;
  schema_init(&s, name, kind, "test");
  for (uint32_t i = 0; i < count; i++)
    schema_add(&s, fields[i], types[i], 0, &error);
  return world_declare(w, &s, &error);
}

static world_o *make_world(jobs_o *jobs) {
  world_o *w = world_create(&(world_desc_t){.seed = 1, .jobs = jobs});
  const char *const fields[] = {"a", "b", "d", "i", "flag"};
  const field_type_t types[] = {FIELD_F32, FIELD_F32, FIELD_F64, FIELD_I32, FIELD_BOOL};
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
  for (uint32_t row = 0; row < m->count; row++) {
    a[row] = (float)(row * 2654435761u % 100003) / 37.0f - 900.0f;
    b[row] = (float)(row * 40503u % 65537) / 1013.0f + 0.001f;
    d[row] = (double)a[row] / 3.0;
    i[row] = (int32_t)(row * 2246822519u);
    flag[row] = row % 3 == 0;
  }
}

// `other` is added in the other order when `mapped`, so that the two components' rows do not stand side by side.
static void populate(world_o *w, uint32_t count, bool mapped) {
  error_t error;
  shoal_entity *all = alloc_resize(world_allocator(w), NULL, 0, (count + 1) * sizeof *all);
  for (uint32_t i = 0; i < count; i++) {
    all[i] = world_spawn(w, 0, &error);
    world_add(w, all[i], NUMBERS, 0, &error);
  }
  for (uint32_t i = 0; i < count; i++)
    world_add(w, all[mapped ? count - 1 - i : i], OTHER, 0, &error);
  alloc_resize(world_allocator(w), all, (count + 1) * sizeof *all, 0);
  fill(w);
}

static query_o *query_of(world_o *w, uint32_t one, uint32_t two) {
  error_t error;
  query_desc_t desc = {.terms = {{one, QUERY_WITH}, {two, QUERY_WITH}}, .term_count = two ? 2 : 1};
  return world_query(w, &desc, &error);
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
  assert_true(kernel_compile(k));
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
  assert_true(kernel_compile(k));
  kernel_begin(k);
  int32_t to = kernel_use(k, value, true), back = kernel_use(k, a, true), in = kernel_use(k, between, false);
  kernel_op(k, "addf", to, to, in);
  kernel_op(k, "subf", back, back, to);
  assert_true(kernel_compile(k));
  return k;
}

static void run(world_o *w, kernel_o *(*make)(query_o *q), bool both) {
  query_o *q = query_of(w, NUMBERS, both ? OTHER : 0);
  kernel_o *k = make(q);
  for (uint32_t i = 0; i < 3; i++) {
    query_open(q);
    kernel_run(k, 1.0f / 60.0f);
    query_close(q);
  }
  kernel_destroy(k);
}

static void assert_same_rows(world_o *one, world_o *other, uint32_t count) {
  for (uint32_t id = NUMBERS; id <= OTHER; id++) {
    const manager_o *m = world_manager(one, id), *n = world_manager(other, id);
    for (uint32_t c = 0; c < m->columns.column_count && m->count >= count; c++)
      assert_memory_equal(m->data[c], n->data[c], count * m->columns.element_bytes[c]);
  }
}

static void the_last_rows_get_the_same_bits_as_those_in_the_middle(void **state) {
  (void)state;
  world_o *all = make_world(NULL);
  populate(all, 256, false);
  run(all, mixed_kernel, false);
  for (uint32_t count = 1; count <= 100; count++) {
    world_o *few = make_world(NULL);
    populate(few, count, false);
    run(few, mixed_kernel, false);
    assert_same_rows(few, all, count);
    world_destroy_all(few);
  }
  world_destroy_all(all);
}

static void compare_workers(kernel_o *(*make)(query_o *q), bool both, bool mapped, uint32_t count) {
  world_o *alone = make_world(NULL);
  populate(alone, count, mapped);
  run(alone, make, both);
  for (uint32_t workers = 2; workers <= 8; workers += 3) {
    allocator_t memory = {0};
    jobs_o *jobs = jobs_create(&memory, workers);
    world_o *shared = make_world(jobs);
    populate(shared, count, mapped);
    run(shared, make, both);
    assert_same_rows(alone, shared, count);
    world_destroy_all(shared);
    jobs_destroy(jobs);
  }
  world_destroy_all(alone);
}

static void any_number_of_workers_gives_the_same_bits(void **state) {
  (void)state;
  compare_workers(mixed_kernel, false, false, 260077);
}

static void so_do_blocks_and_row_maps(void **state) {
  (void)state;
  compare_workers(split_kernel, true, false, 270001);
  compare_workers(split_kernel, true, true, 60001);
}

static kernel_o *gun_kernel(query_o *q) {
  kernel_o *k = kernel_create(q);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), heat = kernel_column(k, GUN, 0, 4, false);
  kernel_begin(k);
  int32_t va = kernel_use(k, a, true), vh = kernel_use(k, heat, false);
  kernel_op(k, "addf", va, va, vh);
  assert_true(kernel_compile(k));
  return k;
}

enum { ARMED = 64, GUNS = 2048 };

// A few entities with very many guns: wherever two workers are, they add to the same few places.
static world_o *armed_world(jobs_o *jobs) {
  error_t error;
  world_o *w = make_world(jobs);
  for (uint32_t i = 0; i < ARMED; i++)
    world_add(w, world_spawn(w, 0, &error), NUMBERS, 0, &error);
  for (uint32_t i = 0; i < ARMED * GUNS; i++) {
    char name[16];
    snprintf(name, sizeof name, "gun %u", i / ARMED);
    world_add(w, world_manager(w, NUMBERS)->owner[i % ARMED], GUN, strings_intern(world_strings(w), name), &error);
  }
  fill(w);
  for (uint32_t i = 0; i < world_manager(w, GUN)->count; i++)
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
  for (uint32_t i = 0; i < 3; i++) {
    jobs_o *jobs = jobs_create(&memory, 4);
    world_o *shared = armed_world(jobs);
    assert_same_rows(alone, shared, ARMED);
    world_destroy_all(shared);
    jobs_destroy(jobs);
  }
  world_destroy_all(alone);
}

int kernel_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_rows_get_the_same_bits_as_those_in_the_middle),
      cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
      cmocka_unit_test(so_do_blocks_and_row_maps),
      cmocka_unit_test(rows_that_share_a_row_are_not_given_to_two_workers),
  };
  return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
