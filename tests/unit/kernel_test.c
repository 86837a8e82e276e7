// Kernels as C sees them: the programs here are what scripts/shoal/kernel/kernel.lua would record.
#include "native/kernel.h"

#include "process/jobs.h"
#include "ecs/world.h"
#include "native/guard.h"
#include "native/llvm.h"

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

// Whether kernels are machine code here, as far as there is LLVM: compared with what they are without.
static uint32_t level;

static void complete(kernel_o *k) {
  error_t error = {0};
  if (!kernel_complete(k) || !kernel_is_sound(k, &error))
    fail_msg("%s", error.text);
}

// Every column is read and written by operations of its own type, with conversions among them.
static kernel_o *mixed_kernel(query_o *q) {
  kernel_o *k = kernel_create(q, level, true);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), b = kernel_column(k, NUMBERS, B, 4, false);
  uint32_t d = kernel_column(k, NUMBERS, D, 8, true), i = kernel_column(k, NUMBERS, I, 4, true);
  uint32_t flag = kernel_column(k, NUMBERS, FLAG, 1, true);
  int32_t va = kernel_load(k, a), vb = kernel_load(k, b), vd = kernel_load(k, d), vi = kernel_load(k, i);
  int32_t t = kernel_op(k, "divf", kernel_op(k, "mulf", va, kernel_dt(k, 4)), vb);
  t = kernel_op(k, "addf", t, kernel_op(k, "sqrtf", vb, 0));
  int32_t wide = kernel_op(k, "muld", kernel_op(k, "convfd", t, 0), vd);
  int32_t most = kernel_op(k, "mind", kernel_op(k, "maxd", wide, kernel_constant(k, 8, true, -1e9)),
                           kernel_constant(k, 8, true, 1e9));
  int32_t word = kernel_op(k, "mulll", vi, kernel_op(k, "convdl", most, 0));
  int32_t truth = kernel_op(k, "convubw", kernel_load(k, flag), 0);
  kernel_store(k, d, kernel_op(k, "addd", vd, wide));
  kernel_store(k, i, kernel_op(k, "addl", word, kernel_constant(k, 4, false, 1)));
  truth = kernel_op(k, "xorl", kernel_op(k, "convuwl", truth, 0), kernel_constant(k, 4, false, 1));
  kernel_store(k, flag, kernel_op(k, "convwb", kernel_op(k, "convlw", truth, 0), 0));
  kernel_store(k, a, t);
  complete(k);
  return k;
}

// Over columns that are mapped when the world says so; one is stored in the place of another that is read.
static kernel_o *both_kernel(query_o *q) {
  kernel_o *k = kernel_create(q, level, true);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), b = kernel_column(k, NUMBERS, B, 4, false);
  uint32_t value = kernel_column(k, OTHER, 0, 4, true);
  int32_t va = kernel_load(k, a),
          sum = kernel_op(k, "addf", kernel_load(k, value), kernel_op(k, "mulf", va, kernel_load(k, b)));
  kernel_store(k, value, sum);
  kernel_store(k, a, kernel_op(k, "subf", va, sum));
  complete(k);
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
  compare_workers(both_kernel, true, IN_STEP, 270001);
  compare_workers(both_kernel, true, BACKWARDS, 60001);
  compare_workers(both_kernel, true, SHIFTED, 270001);
}

// Of a world in which marks are kept, in two runs: one after the other as usual, and then without the query.
static void compare_without_query(kernel_o *(*make)(query_o *q), bool both, standing_t other, bool may) {
  world_o *worlds[2];
  for (uint32_t i = 0; i < 2; ++i) {
    worlds[i] = make_world(NULL);
    populate(worlds[i], 1003, other);
    world_track_touched(worlds[i], true);
    query_o *q = query_of(worlds[i], NUMBERS, both ? OTHER : 0);
    kernel_o *k = make(q);
    for (uint32_t turn = 0; turn < 3; ++turn) {
      if (i == 1 && turn > 0 && kernel_ran_straight(k, 1.0f / 60.0f)) {
        assert_true(may && kernel_is_native(k));
        continue;
      }
      assert_true(i == 0 || turn == 0 || !may || !kernel_is_native(k));
      query_open(q);
      kernel_run(k, 1.0f / 60.0f);
      query_close(q);
      for (uint32_t c = 0; i == 1 && turn == 0 && c < NUMBER_COUNT; ++c)
        memset(columns_marks(&world_manager(worlds[i], NUMBERS)->columns, c), 0, 1003);
    }
    kernel_destroy(k);
  }
  assert_same_rows(worlds[0], worlds[1], 1003);
  for (uint32_t c = 0; c < NUMBER_COUNT; ++c)
    assert_memory_equal(columns_marks(&world_manager(worlds[0], NUMBERS)->columns, c),
                        columns_marks(&world_manager(worlds[1], NUMBERS)->columns, c), 1003);
  world_destroy_all(worlds[0]);
  world_destroy_all(worlds[1]);
}

static void a_run_without_the_query_gives_the_same_bits_and_marks(void **state) {
  (void)state;
  compare_without_query(mixed_kernel, false, IN_STEP, true);
  compare_without_query(mixed_kernel, false, SHIFTED, true);
  compare_without_query(both_kernel, true, IN_STEP, true);
  compare_without_query(both_kernel, true, BACKWARDS, false);
  compare_without_query(both_kernel, true, SHIFTED, false);
}

static kernel_o *gun_kernel(query_o *q) {
  kernel_o *k = kernel_create(q, level, true);
  uint32_t a = kernel_column(k, NUMBERS, A, 4, true), heat = kernel_column(k, GUN, 0, 4, false);
  kernel_store(k, a, kernel_op(k, "addf", kernel_load(k, a), kernel_load(k, heat)));
  complete(k);
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

// --- machine code against operations one after the other

// Numbers of all kinds: whole ones, tiny ones that count as 0, those that are none.
static void fill_specially(world_o *w) {
  static const float SPECIAL[] = {0, -0.0f, 1e-40f, -1e-40f, 1e-38f, 3e38f, -3e38f, 0.5f, 1.5f, -2.5f, 8388609};
  const manager_o *m = world_manager(w, NUMBERS);
  float *a = manager_column(m, A), *b = manager_column(m, B);
  double *d = manager_column(m, D);
  for (uint32_t row = 0; row < m->count; ++row) {
    const float infinite = SPECIAL[5] * 10, x = SPECIAL[row % 11], y = SPECIAL[row / 11 % 11];
    a[row] = row % 13 == 12 ? infinite : row % 17 == 16 ? infinite - infinite : x;
    b[row] = row % 19 == 18 ? -infinite : y;
    d[row] = row % 7 == 0 ? (double)x * 1e-300 * 1e-20 : (double)y;
  }
}

static const char *const SOME_OPS[] = {
    "addf",   "subf",    "mulf",   "divf",   "sqrtf",  "addd",    "muld",    "divd",    "sqrtd",   "convfd",
    "convdf", "convlf",  "convld", "andl",   "andnl",  "orl",     "xorl",    "andq",    "orq",     "xorq",
    "cmpltf", "cmplef",  "cmpeqf", "cmpltd", "cmpeqd", "cmpgtsl", "cmpeql",  "minsl",   "maxsl",   "mind",
    "maxd",   "addl",    "subl",   "mulll",  "convwb", "convlw",  "convubw", "convsbw", "convuwl", "convswl",
    "convql", "convslq", "copyb",  "copyl",  "copyq",  "storel",  "loadl",   "nonsense"};

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

enum { COLUMN_COUNT = 5 };
static const uint32_t BYTES[COLUMN_COUNT] = {4, 4, 8, 4, 1};

// Values of the columns, what is made of them, and each column stored from one of its size. → false: refused.
static bool add_random(kernel_o *k, uint64_t seed) {
  uint32_t slots[COLUMN_COUNT];
  int32_t last[9] = {0}, made[9][64], count[9] = {0}; // by their size
  error_t error;
  for (uint32_t i = 0; i < COLUMN_COUNT; ++i) {
    slots[i] = kernel_column(k, NUMBERS, i, BYTES[i], true);
    made[BYTES[i]][count[BYTES[i]]++] = kernel_load(k, slots[i]);
  }
  made[4][count[4]++] = kernel_constant(k, 4, true, (double)(int32_t)next_random(&seed) / 1e5);
  made[4][count[4]++] = kernel_dt(k, 4);
  made[8][count[8]++] = kernel_dt(k, 8);
  for (uint32_t i = 0; i < 30; ++i) {
    static const uint32_t SIZES[] = {4, 4, 4, 8, 1, 2};
    uint32_t in = SIZES[next_random(&seed) % 6];
    const char *name = SOME_OPS[next_random(&seed) % (sizeof SOME_OPS / sizeof *SOME_OPS)];
    if (count[in] == 0)
      continue;
    int32_t a = made[in][next_random(&seed) % (uint32_t)count[in]];
    int32_t b = next_random(&seed) % 3 ? made[in][next_random(&seed) % (uint32_t)count[in]] : 0;
    uint32_t bytes = lanes_op_bytes(name, in, b != 0);
    if (bytes == 0) // it would be refused
      continue;
    made[bytes][count[bytes]++] = last[bytes] = kernel_op(k, name, a, b);
  }
  for (uint32_t i = 0; i < COLUMN_COUNT; ++i)
    if (last[BYTES[i]])
      kernel_store(k, slots[i], last[BYTES[i]]);
  return kernel_complete(k) && kernel_is_sound(k, &error);
}

static world_o *calculated(uint64_t seed, uint32_t with_level, bool *ran, bool *native) {
  world_o *w = make_world(NULL);
  populate(w, 300, IN_STEP);
  fill_specially(w);
  query_o *q = query_of(w, NUMBERS, 0);
  kernel_o *k = kernel_create(q, with_level, true);
  *ran = add_random(k, seed);
  query_open(q);
  for (uint32_t i = 0; i < 2 && *ran; ++i)
    kernel_run(k, 1.0f / 60.0f);
  query_close(q);
  *native = kernel_is_native(k);
  kernel_destroy(k);
  return w;
}

static void random_kernels_give_the_same_bits_as_machine_code_of_any_width(void **state) {
  (void)state;
  uint32_t ran = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    bool one, other, native;
    world_o *plain = calculated(seed * 77777, 0, &one, &native);
    assert_false(native);
    for (uint32_t l = CODEGEN_SSE2; l <= (uint32_t)codegen_best(); ++l) {
      world_o *wide = calculated(seed * 77777, l, &other, &native);
      assert_int_equal(one, other);
      assert_same_rows(plain, wide, 300);
      ran += native;
      world_destroy_all(wide);
    }
    world_destroy_all(plain);
  }
  if (llvm_open(&(error_t){0}))
    assert_true(codegen_best() == CODEGEN_NONE || ran > 10);
}

// Of so many rows that copies of them end, or begin, at pages which cannot be touched.
static void run_guarded(const kernel_o *k, guard_o *g, uint32_t count) {
  static uint64_t columns[COLUMN_COUNT][256];
  void *arrays[COLUMN_COUNT];
  for (uint32_t i = 0; i < COLUMN_COUNT; ++i)
    arrays[i] = guard_lend(g, columns[i], (size_t)count * BYTES[i], true);
  lanes_run(kernel_lanes(k), arrays, count, 0);
  guard_take_back(g);
}

static void kernels_touch_their_rows_alone(void **state) {
  (void)state;
  for (uint32_t l = CODEGEN_NONE; l <= (uint32_t)codegen_best(); ++l) {
    world_o *w = make_world(NULL);
    populate(w, 300, IN_STEP);
    query_o *q = query_of(w, NUMBERS, 0);
    guard_o *g = guard_create();
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      kernel_o *k = kernel_create(q, l, true);
      if (add_random(k, seed * 77777)) {
        query_open(q);
        kernel_run(k, 1.0f / 60.0f);
        query_close(q);
        for (uint32_t count = 1; count <= 70; ++count)
          run_guarded(k, g, count);
      }
      kernel_destroy(k);
    }
    guard_destroy(g);
    world_destroy_all(w);
  }
}

// --- kernels that are wrong

typedef void (*mistake_t)(kernel_o *k);

static uint32_t sa, sb; // slots: column a of numbers, to be written, and b
static int32_t va, vb;

static void begin_sound(kernel_o *k) {
  sa = kernel_column(k, NUMBERS, A, 4, true), sb = kernel_column(k, NUMBERS, B, 4, false);
  va = kernel_load(k, sa), vb = kernel_load(k, sb);
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
static void slot_that_is_not_there(kernel_o *k) {
  kernel_load(k, 7);
}
static void store_to_a_slot_that_is_not_there(kernel_o *k) {
  kernel_store(k, 7, va);
}
static void write_to_a_column_that_is_read(kernel_o *k) {
  kernel_store(k, sb, va);
}
static void store_of_another_size(kernel_o *k) {
  kernel_store(k, sa, kernel_op(k, "convfd", va, 0));
}
static void store_of_nothing(kernel_o *k) {
  kernel_store(k, sa, 0);
}
static void store_of_a_value_past_the_last(kernel_o *k) {
  kernel_store(k, sa, vb + 1);
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
  kernel_op(k, "nonsense", va, vb);
}
static void load_of_its_own(kernel_o *k) {
  kernel_op(k, "loadl", vb, 0);
}
static void operand_of_another_size(kernel_o *k) {
  kernel_op(k, "addd", va, vb);
}
static void operand_too_many(kernel_o *k) {
  kernel_op(k, "sqrtf", va, vb);
}
static void operand_too_few(kernel_o *k) {
  kernel_op(k, "addf", va, 0);
}
static void operand_before_the_first(kernel_o *k) {
  kernel_op(k, "sqrtf", -1, 0);
}
static void operand_past_the_last(kernel_o *k) {
  kernel_op(k, "sqrtf", vb + 1, 0);
}
static void operand_far_past_the_last(kernel_o *k) {
  kernel_op(k, "sqrtf", INT32_MAX, 0);
}
static void too_many_values(kernel_o *k) {
  for (uint32_t i = 0; i < LANES_MOST_VALUES + 1; ++i)
    kernel_op(k, "mulf", va, vb);
}
static void too_many_stores(kernel_o *k) {
  for (uint32_t i = 0; i < 2 * KERNEL_MAX_SLOTS; ++i)
    kernel_store(k, sa, vb);
}
static void nothing_stored(kernel_o *k) {
  kernel_complete(k);
}

static const mistake_t MISTAKES[] = {
    column_of_another_component,
    column_past_the_last,
    column_of_another_size,
    column_of_entities,
    slot_that_is_not_there,
    store_to_a_slot_that_is_not_there,
    write_to_a_column_that_is_read,
    store_of_another_size,
    store_of_nothing,
    store_of_a_value_past_the_last,
    constant_of_three_bytes,
    constant_out_of_range,
    fraction_of_two_bytes,
    time_of_two_bytes,
    unknown_operation,
    load_of_its_own,
    operand_of_another_size,
    operand_too_many,
    operand_too_few,
    operand_before_the_first,
    operand_past_the_last,
    operand_far_past_the_last,
    too_many_values,
    too_many_stores,
    nothing_stored,
};

static void a_kernel_with_a_mistake_is_refused_and_changes_nothing(void **state) {
  (void)state;
  error_t error;
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    world_o *w = make_world(NULL);
    populate(w, 100, IN_STEP);
    kernel_o *k = kernel_create(query_of(w, NUMBERS, 0), 0, false);
    begin_sound(k);
    assert_true(kernel_is_sound(k, &error));
    MISTAKES[i](k);
    if (kernel_is_sound(k, &error))
      fail_msg("mistake %zu passed", i);
    assert_true(error.text[0] != '\0');
    kernel_store(k, sa, kernel_op(k, "mulf", va, vb)); // whoever goes on all the same does no harm
    kernel_complete(k);
    assert_false(kernel_is_sound(k, &error));
    kernel_destroy(k);
    world_destroy_all(w);
  }
}

static void nothing_is_added_to_what_is_complete(void **state) {
  (void)state;
  error_t error;
  world_o *w = make_world(NULL);
  for (uint32_t i = 0; i < 5; ++i) {
    kernel_o *k = mixed_kernel(query_of(w, NUMBERS, 0));
    switch (i) {
    case 0: kernel_load(k, 0); break;
    case 1: kernel_constant(k, 4, true, 1); break;
    case 2: kernel_op(k, "mulf", 1, 1); break;
    case 3: kernel_store(k, 0, 1); break;
    default: kernel_complete(k); break;
    }
    assert_false(kernel_is_sound(k, &error));
    kernel_destroy(k);
  }
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
  run(mapped, both_kernel, true);
  run(in_place, mixed_kernel, false);
  const columns_t *m = &world_manager(mapped, NUMBERS)->columns, *n = &world_manager(in_place, NUMBERS)->columns;
  assert_true(MARKED * 24 > KERNEL_SPLIT_COST); // what a row of mixed_kernel costs
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

static int as_machine_code(void **state) {
  (void)state;
  level = codegen_best() < CODEGEN_AVX2 ? codegen_best() : CODEGEN_AVX2;
  return 0;
}

static int without(void **state) {
  (void)state;
  level = CODEGEN_NONE;
  return 0;
}

#define BOTH_WAYS(test_)                                                                                               \
  cmocka_unit_test_setup_teardown(test_, as_machine_code, NULL), cmocka_unit_test_setup_teardown(test_, without, NULL)

int kernel_tests(void) {
  const struct CMUnitTest tests[] = {
      BOTH_WAYS(the_last_rows_get_the_same_bits_as_those_in_the_middle),
      BOTH_WAYS(a_run_without_the_query_gives_the_same_bits_and_marks),
      cmocka_unit_test_setup_teardown(any_number_of_workers_gives_the_same_bits, as_machine_code, NULL),
      cmocka_unit_test_setup_teardown(so_do_blocks_and_row_maps, as_machine_code, NULL),
      cmocka_unit_test_setup_teardown(rows_that_share_a_row_are_not_given_to_two_workers, as_machine_code, NULL),
      BOTH_WAYS(a_kernel_in_parts_marks_what_it_wrote_and_no_other_row_or_column),
      cmocka_unit_test(kernels_touch_their_rows_alone),
      cmocka_unit_test(random_kernels_give_the_same_bits_as_machine_code_of_any_width),
      cmocka_unit_test(a_kernel_with_a_mistake_is_refused_and_changes_nothing),
      cmocka_unit_test(nothing_is_added_to_what_is_complete),
  };
  return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
