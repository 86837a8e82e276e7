// Running native loops from C. The IR texts are like those that scripts/shoal/compile emits.
#include "base/archive.h"
#include "native/code_cache.h"
#include "native/guard_pages.h"
#include "native/llvm.h"
#include "native/interpreter.h"
#include "native/loop.h"
#include "native/contiguous_rows.h"
#include "native/object_file.h"
#include "native/row_order.h"

#include "base/exact_math.h"
#include "base/random.h"
#include "ecs/world.h"
#include "temporary_folder.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 1, OTHER, GUN };
enum { ROWS = 3000, STOP = 1234 };

// IR of: numbers.a = other.value + i, for each row. Returns at the first row whose value is -1: a side exit.
static const char TEXT[] =
    "define i64 @rows(ptr %call, i64 %begin, i64 %end) {\n"
    "entry:\n %a = load ptr, ptr %call\n %va = getelementptr ptr, ptr %call, i64 1\n %v = load ptr, ptr %va\n"
    " %ma = getelementptr ptr, ptr %call, i64 64\n %m = load ptr, ptr %ma\n %tracked = icmp ne ptr %m, null\n"
    " %ba = getelementptr ptr, ptr %call, i64 192\n %base = load i64, ptr %ba\n br label %head\n"
    "head:\n %i = phi i64 [ %begin, %entry ], [ %next, %on ]\n %more = icmp slt i64 %i, %end\n"
    " br i1 %more, label %body, label %done\n"
    "body:\n %pv = getelementptr float, ptr %v, i64 %i\n %x = load float, ptr %pv\n %stop = fcmp oeq float %x, -1.0\n"
    " br i1 %stop, label %done, label %store\n"
    "store:\n %row = add i64 %i, %base\n %n = sitofp i64 %row to float\n %sum = fadd float %x, %n\n"
    " %pa = getelementptr float, ptr %a, i64 %i\n store float %sum, ptr %pa\n br i1 %tracked, label %mark, label %on\n"
    "mark:\n %pm = getelementptr i8, ptr %m, i64 %i\n store i8 1, ptr %pm\n br label %on\n"
    "on:\n %next = add i64 %i, 1\n br label %head\n"
    "done:\n ret i64 %i\n}\n";

static char folder[64];

static void setup_own_cache(void) {
  temporary_folder_create(folder, sizeof folder, "native-test");
  setenv("XDG_CACHE_HOME", folder, 1);
}

static void teardown_own_cache(void) {
  unsetenv("XDG_CACHE_HOME");
  temporary_folder_remove(folder);
}
GROUP_FIXTURE(setup_own_cache, teardown_own_cache)

// Returns true if LLVM is available. Without LLVM, the tests check only that every call reports that it is missing.
static bool has_compiler(void) {
  error_info_t error;
  return codegen_best_level() != CODEGEN_NONE && llvm_open(&error);
}

static void declare_component(world_o *w, const char *name, schema_kind_t kind, const char *field) {
  schema_buffer_t s;
  error_info_t error;
  schema_init(&s, name, kind, "test");
  schema_add_field(&s.schema, field, FIELD_F32, 0);
  assert_true(world_declare_schema(w, &s.schema, &error));
}

static world_o *make_world(bool mapped, bool marked) {
  error_info_t error;
  world_o *w = world_create(&(world_desc_t){.seed = 1});
  declare_component(w, "numbers", SCHEMA_COMPONENT, "a");
  declare_component(w, "other", SCHEMA_COMPONENT, "value");
  declare_component(w, "gun", SCHEMA_MANY, "heat");
  shoal_entity *all = malloc(ROWS * sizeof *all);
  for (uint32_t i = 0; i < ROWS; ++i) {
    all[i] = world_spawn(w, 0, &error);
    world_add_component(w, all[i], NUMBERS, 0, &error);
    if (!mapped)
      world_add_component(w, all[i], OTHER, 0, &error);
  }
  for (uint32_t i = ROWS; mapped && i-- > 0;)
    world_add_component(w, all[i], OTHER, 0, &error);
  world_track_touched_fields(w, marked);
  free(all);
  return w;
}

static query_o *query_of(world_o *w, uint32_t other) {
  error_info_t error;
  query_desc_t desc = {.terms = {{NUMBERS, QUERY_WITH}, {other, QUERY_WITH}}, .term_count = 2};
  query_o *q = world_find_or_create_query(w, &desc, &error);
  assert_non_null(q);
  return q;
}

static native_loop_o *make_loop(native_set_o *s, query_o *q) {
  native_loop_o *l = native_loop_create(s, "test", "test.lua:1", q);
  assert_int_equal(native_loop_add_column(l, NUMBERS, 0, true), 0);
  assert_int_equal(native_loop_add_column(l, OTHER, 0, false), 1);
  assert_true(native_loop_compile(l, TEXT, sizeof TEXT - 1, 1, NATIVE_ROWS_IN_ORDER));
  assert_true(native_loop_is_ready(l));
  return l;
}

// Returns the address of a component's value in row `row` of the query.
static float *value_at(query_o *q, uint32_t manager, uint32_t row) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager) {
      const column_view_t *v = &q->terms[i].views[0];
      return (float *)v->data + (v->rows ? v->rows[row] : row);
    }
  return NULL;
}

static void check_stop_and_marks(bool mapped, bool marked) {
  native_set_o *s = native_set_create("now,sse2");
  world_o *w = make_world(mapped, marked);
  query_o *q = query_of(w, OTHER);
  query_open(q);
  for (uint32_t row = 0; row < ROWS; ++row)
    *value_at(q, OTHER, row) = row == STOP ? -1.0f : (float)row / 4;
  native_loop_o *l = make_loop(s, q);
  assert_int_equal(native_loop_run(l, 0), STOP);
  assert_int_equal(native_loop_run(l, STOP), STOP);
  assert_int_equal(native_loop_run(l, STOP + 1), ROWS);
  const columns_t *c = &world_manager(w, NUMBERS)->columns;
  for (uint32_t row = 0; row < ROWS; ++row) {
    float wanted = row == STOP ? 0.0f : (float)row / 4 + (float)row;
    if (*value_at(q, NUMBERS, row) != wanted)
      fail_msg("row %u is %g", row, (double)*value_at(q, NUMBERS, row));
    uint32_t at = (uint32_t)(value_at(q, NUMBERS, row) - (float *)c->data[0]);
    if (marked && columns_is_touched(c, at, 0) != (row != STOP))
      fail_msg("the mark of row %u", row);
  }
  query_close(q);
  native_set_destroy(s);
  world_destroy(w);
}

TEST(native_loop_stops_at_a_row_and_continues_after_it) {
  if (!has_compiler())
    skip();
  check_stop_and_marks(false, false);
  check_stop_and_marks(true, false);
}

TEST(native_writes_set_touched_marks_in_two_row_orders) {
  if (!has_compiler())
    skip();
  check_stop_and_marks(false, true);
  check_stop_and_marks(true, true);
}

static void check_range(bool mapped) {
  enum { BEGIN = 7, END = STOP + 100 };
  native_set_o *s = native_set_create("now,sse2");
  world_o *w = make_world(mapped, false);
  query_o *q = query_of(w, OTHER);
  query_open(q);
  for (uint32_t row = 0; row < ROWS; ++row)
    *value_at(q, OTHER, row) = row == STOP ? -1.0f : 1.0f;
  native_loop_o *l = make_loop(s, q);
  assert_int_equal(native_loop_run_range(l, BEGIN, BEGIN, END), STOP);
  assert_int_equal(native_loop_run_range(l, BEGIN, STOP + 1, END), END);
  assert_int_equal(native_loop_run_range(l, BEGIN, BEGIN, BEGIN), BEGIN);
  for (uint32_t row = 0; row < ROWS; ++row) {
    float expected = row < BEGIN || row >= END || row == STOP ? 0.0f : 1.0f + (float)row;
    if (*value_at(q, NUMBERS, row) != expected)
      fail_msg("row %u is %g", row, (double)*value_at(q, NUMBERS, row));
  }
  query_close(q);
  native_set_destroy(s);
  world_destroy(w);
}

TEST(native_loop_over_a_range_changes_no_other_row) {
  if (!has_compiler())
    skip();
  check_range(false);
  check_range(true);
}

TEST(invalid_native_code_is_rejected_and_does_not_run) {
  native_set_o *s = native_set_create("now");
  if (native_set_level(s) == CODEGEN_NONE)
    skip();
  world_o *w = make_world(false, false);
  query_o *q = query_of(w, OTHER);
  native_loop_o *l = native_loop_create(s, "a", "a.lua:1", q);
  assert_int_equal(native_loop_add_column(l, GUN, 0, false), -1);
  assert_false(native_loop_compile(l, TEXT, sizeof TEXT - 1, 1, NATIVE_ROWS_IN_ORDER));
  assert_false(native_loop_is_ready(l));
  l = native_loop_create(s, "b", "b.lua:1", q);
  assert_int_equal(native_loop_add_column(l, NUMBERS, 1, false), -1);
  l = native_loop_create(s, "c", "c.lua:1", q);
  assert_null(native_loop_parameters(l, NATIVE_MAX_PARAMETERS + 1));
  l = native_loop_create(s, "d", "d.lua:1", q);
  assert_true(native_loop_compile(l, "nonsense", 8, 1, NATIVE_ROWS_IN_ORDER));
  assert_false(native_loop_is_ready(l));
  int32_t add = interpreter_find_operation("add_f32"), jump = interpreter_find_operation("jump"),
          load = interpreter_find_operation("load_f32");
  const interpreter_instruction_t WRONG[] = {{.operation = 9999},
                                             {.operation = (uint16_t)add, .to = 2},
                                             {.operation = (uint16_t)add, .a = -1},
                                             {.operation = (uint16_t)load, .slot = 1},
                                             {.operation = (uint16_t)jump, .to = 2}};
  assert_int_equal(interpreter_find_operation("nonsense"), -1);
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    l = native_loop_create(s, "e", "e.lua:1", q);
    assert_false(native_loop_set_instructions(l, &WRONG[i], 1, 0, 2, 8, false));
    assert_false(native_loop_is_ready(l));
  }
  native_set_destroy(s);
  world_destroy(w);
}

TEST(native_mode_accepts_only_known_flags) {
  error_info_t error;
  assert_true(native_mode_check("on", &error) && native_mode_check("sse2,now", &error));
  assert_false(native_mode_check("avx", &error) || native_mode_check("", &error));
  native_set_o *s = native_set_create("off");
  assert_int_equal(native_set_level(s), CODEGEN_NONE);
  native_set_destroy(s);
}

// IR of: other.value = 2 * other.value + 1
static const char DOUBLING[] =
    "define i64 @rows(ptr %call, i64 %begin, i64 %end) {\n"
    "entry:\n %a = load ptr, ptr %call\n br label %head\n"
    "head:\n %i = phi i64 [ %begin, %entry ], [ %next, %body ]\n %more = icmp slt i64 %i, %end\n"
    " br i1 %more, label %body, label %done\n"
    "body:\n %p = getelementptr float, ptr %a, i64 %i\n %x = load float, ptr %p\n %y = fadd float %x, %x\n"
    " %z = fadd float %y, 1.0\n store float %z, ptr %p\n %next = add i64 %i, 1\n br label %head\n"
    "done:\n ret i64 %i\n}\n";

// Runs DOUBLING on a column whose rows are not in query order: a query with a single component is iterated in storage
// order, and the rows of components that were added again are processed in small batches. Each row must be processed
// once.
static void check_doubling(const char *mode, uint32_t disturbed, uint32_t removed) {
  native_set_o *s = native_set_create(mode);
  world_o *w = make_world(disturbed == ROWS, false);
  query_o *q = query_of(w, OTHER);
  for (uint32_t i = 0; disturbed < ROWS && i < disturbed; ++i) { // each removal moves the last row into the gap
    error_info_t error;
    shoal_entity e = q->entities[i * 97 % q->count];
    assert_true(world_remove_component(w, e, OTHER, 0) && world_add_component(w, e, OTHER, 0, &error));
  }
  for (uint32_t i = 0; i < removed; ++i)
    assert_true(world_remove_component(w, q->entities[i * 31 % q->count], NUMBERS, 0));
  query_open(q);
  for (uint32_t row = 0; row < q->count; ++row)
    *value_at(q, OTHER, row) = (float)row;
  native_loop_o *l = native_loop_create(s, "double", "double.lua:1", q);
  assert_int_equal(native_loop_add_column(l, OTHER, 0, true), 0);
  assert_true(native_loop_compile(l, DOUBLING, sizeof DOUBLING - 1, 16, NATIVE_ROWS_WITHOUT_EXITS));
  assert_true(native_loop_is_ready(l));
  assert_int_equal(native_loop_run(l, 0), q->count);
  for (uint32_t row = 0; row < q->count; ++row)
    if (*value_at(q, OTHER, row) != (float)(2 * row + 1))
      fail_msg("%s, %u disturbed, %u removed: row %u is %g", mode, disturbed, removed, row,
               (double)*value_at(q, OTHER, row));
  query_close(q);
  native_loop_run_all(l, -1, 0); // also runs while the query is closed
  query_open(q);
  for (uint32_t row = 0; row < q->count; ++row)
    if (*value_at(q, OTHER, row) != (float)(4 * row + 3))
      fail_msg("%s, %u disturbed, %u removed: row %u is %g in the second run", mode, disturbed, removed, row,
               (double)*value_at(q, OTHER, row));
  query_close(q);
  native_set_destroy(s);
  world_destroy(w);
}

TEST(rows_out_of_query_order_are_processed_once) {
  static const char *const modes[] = {"now,sse2", "now,sse2,guard"};
  if (!has_compiler())
    skip();
  for (uint32_t i = 0; i < 2; ++i)
    for (uint32_t removed = 0; removed < 30; removed += 13) {
      check_doubling(modes[i], 1, removed);
      check_doubling(modes[i], 20, removed);
      check_doubling(modes[i], ROWS, removed);
    }
}

static uint32_t count_contiguous(const query_o *q, uint32_t one, uint32_t two, void **columns, uint8_t **marks) {
  contiguous_t s;
  contiguous_init(&s, q);
  contiguous_add_column(&s, world_manager(q->world, one), 0, true);
  if (two > 0)
    contiguous_add_column(&s, world_manager(q->world, two), 0, false);
  return contiguous_get_columns(&s, columns, marks);
}

TEST(contiguous_rows_are_found_without_opening_the_query) {
  void *columns[2] = {NULL};
  uint8_t *marks[2] = {NULL};
  world_o *straight = make_world(false, true), *mapped = make_world(true, false);
  query_o *q = query_of(straight, OTHER), *other = query_of(mapped, OTHER);
  assert_int_equal(count_contiguous(q, NUMBERS, OTHER, columns, marks), ROWS);
  assert_ptr_equal(columns[0], manager_column(world_manager(straight, NUMBERS), 0));
  assert_ptr_equal(columns[1], manager_column(world_manager(straight, OTHER), 0));
  assert_ptr_equal(marks[0], columns_get_marks(&world_manager(straight, NUMBERS)->columns, 0));
  assert_non_null(marks[0]);
  assert_null(marks[1]);
  assert_int_equal(count_contiguous(other, NUMBERS, OTHER, columns, marks), 0);
  assert_int_equal(count_contiguous(other, OTHER, 0, columns, marks), ROWS); // all rows; their order does not matter
  assert_null(marks[0]);
  assert_true(world_remove_component(mapped, other->entities[5], NUMBERS, 0));
  assert_int_equal(count_contiguous(other, OTHER, 0, columns, marks), 0);
  assert_true(world_remove_component(straight, q->entities[0], NUMBERS, 0)); // moves the last row into the gap
  assert_int_equal(count_contiguous(q, NUMBERS, 0, columns, marks), ROWS - 1);
  assert_int_equal(count_contiguous(q, NUMBERS, OTHER, columns, marks), 0);
  world_destroy(straight);
  world_destroy(mapped);
}

TEST(vectors_are_padded_only_with_untracked_rows_within_capacity) {
  void *columns[2];
  uint8_t *marks[2];
  world_o *tracked = make_world(false, true), *w = make_world(true, false);
  for (uint32_t i = 0; i < 2; ++i) {
    query_o *q = query_of(i == 0 ? tracked : w, OTHER);
    uint32_t capacity = world_manager(q->world, OTHER)->columns.capacity;
    contiguous_t s;
    contiguous_init(&s, q);
    contiguous_add_column(&s, world_manager(q->world, OTHER), 0, true);
    assert_int_equal(contiguous_get_columns(&s, columns, marks), ROWS);
    assert_int_equal(contiguous_can_pad(&s, marks, capacity), i == 1);
    assert_false(contiguous_can_pad(&s, marks, capacity + 1));
  }
  world_destroy(tracked);
  world_destroy(w);
}

// Orders the rows of two maps: `a` is a random permutation; `b` is contiguous with `a` in the rows below SAME.
TEST(row_order_visits_contiguous_runs_first_and_every_row_once) {
  enum { SAME = 2000 };
  uint32_t a[ROWS], b[ROWS], seen[ROWS] = {0};
  random_t random;
  row_order_t o = {.count = 0};
  world_o *w = make_world(true, false);
  query_o *q = query_of(w, OTHER);
  assert_int_equal(q->count, ROWS);
  random_seed(&random, 5);
  for (uint32_t i = 0; i < ROWS; ++i) {
    uint32_t k = random_u32(&random) % (i + 1);
    a[i] = a[k];
    a[k] = i;
  }
  for (uint32_t i = 0; i < ROWS; ++i)
    b[i] = a[i] < SAME ? a[i] + 7 : a[i] * 2;
  assert_true(row_order_update(&o, q, (row_map_t[]){{a, ROWS}, {b, 2 * ROWS}}, 2, false));
  assert_int_equal(o.count, ROWS);
  assert_int_equal(o.contiguous_count, SAME / ROW_ORDER_BLOCK * ROW_ORDER_BLOCK);
  for (uint32_t i = 0; i < ROWS; ++i) {
    uint32_t run = row_order_run_length(&o, i, ROWS);
    assert_int_equal(seen[o.query_rows[i]]++, 0);
    assert_int_equal(o.rows[0][i], a[o.query_rows[i]]);
    assert_int_equal(o.rows[1][i], b[o.query_rows[i]]);
    assert_int_equal(run, i < o.contiguous_count ? o.contiguous_count - i : 0);
    assert_true(run < 2 || (o.rows[0][i + 1] == o.rows[0][i] + 1 && o.rows[1][i + 1] == o.rows[1][i] + 1));
  }
  a[1] = a[0]; // one row occurs twice
  assert_true(world_remove_component(w, q->entities[ROWS - 1], OTHER, 0));
  assert_false(row_order_update(&o, q, (row_map_t[]){{a, ROWS}, {b, 2 * ROWS}}, 2, true));
  row_order_fini(&o);
  world_destroy(w);
}

TEST(repeated_rows_are_not_processed_as_contiguous) {
  void *columns[2];
  uint8_t *marks[2];
  error_info_t error;
  world_o *w = make_world(false, false);
  query_o *q = query_of(w, GUN), *all = query_of(w, OTHER);
  for (uint32_t i = 0; i < ROWS; ++i) { // two entities with 500 guns each
    char name[16];
    snprintf(name, sizeof name, "gun %u", i / 2);
    if (i / 2 < 500)
      assert_true(world_add_component(w, all->entities[i % 2], GUN, strings_intern(world_strings(w), name), &error));
  }
  for (uint32_t i = ROWS; i-- > 1000;)
    assert_true(world_destroy_entity(w, all->entities[i]));
  assert_int_equal(q->count, world_manager(w, NUMBERS)->count);
  assert_int_equal(count_contiguous(q, NUMBERS, 0, columns, marks), 0);
  assert_int_equal(count_contiguous(q, GUN, 0, columns, marks), 1000);
  world_destroy(w);
}

// --- guards

// IR of: numbers.a = `other.value` of the entity whose id is stored as raw bits in the row's own `other.value`, or -1
// if that entity does not exist.
static const char READ_BY_ID[] =
    "define i64 @rows(ptr %call, i64 %begin, i64 %end) {\n"
    "entry:\n %a = load ptr, ptr %call\n %ib = getelementptr ptr, ptr %call, i64 1\n %ids = load ptr, ptr %ib\n"
    " %wb = getelementptr ptr, ptr %call, i64 2\n %whole = load ptr, ptr %wb\n"
    " %fb = getelementptr ptr, ptr %call, i64 194\n %find = load ptr, ptr %fb\n %answer = alloca i32\n br label %head\n"
    "head:\n %i = phi i64 [ %begin, %entry ], [ %next, %body ]\n %more = icmp slt i64 %i, %end\n"
    " br i1 %more, label %body, label %done\n"
    "body:\n %id = getelementptr i32, ptr %ids, i64 %i\n"
    " call void %find(ptr %call, i64 0, ptr %id, ptr %answer, i64 1)\n %row = load i32, ptr %answer\n"
    " %there = icmp sge i32 %row, 0\n %safe = select i1 %there, i32 %row, i32 0\n %wide = sext i32 %safe to i64\n"
    " %pw = getelementptr float, ptr %whole, i64 %wide\n %v = load float, ptr %pw\n"
    " %x = select i1 %there, float %v, float -1.0\n %pa = getelementptr float, ptr %a, i64 %i\n"
    " store float %x, ptr %pa\n %next = add i64 %i, 1\n br label %head\n"
    "done:\n ret i64 %i\n}\n";

// Returns the id of a live or dead entity, a variation of a live id, a very small or very large number, or random bits.
static uint32_t choose_hostile_id(query_o *q, shoal_entity dead, random_t *random) {
  uint32_t some = random_u32(random), alive = q->entities[(some >> 8) % q->count];
  switch (some % 6) {
  case 0: return alive;
  case 1: return alive ^ UINT32_C(1) << (some >> 27);
  case 2: return dead;
  case 3: return (some & 64) ? UINT32_MAX - (some >> 26) : some >> 26;
  case 4: return alive + (UINT32_C(1) << 30);
  default: return random_u32(random);
  }
}

static void read_hostile_ids(const char *mode, bool mapped) {
  native_set_o *s = native_set_create(mode);
  world_o *w = make_world(mapped, false);
  query_o *q = query_of(w, OTHER);
  shoal_entity dead = q->entities[7];
  random_t random;
  random_seed(&random, 18);
  assert_true(world_destroy_entity(w, dead));
  query_open(q);
  for (uint32_t row = 0; row < q->count; ++row) {
    uint32_t id = choose_hostile_id(q, dead, &random);
    memcpy(value_at(q, OTHER, row), &id, sizeof id);
  }
  native_loop_o *l = native_loop_create(s, "ask", "ask.lua:1", q);
  assert_int_equal(native_loop_add_column(l, NUMBERS, 0, true), 0);
  assert_int_equal(native_loop_add_column(l, OTHER, 0, false), 1);
  assert_int_equal(native_loop_add_component_column(l, OTHER, 0, false), 2);
  assert_int_equal(native_loop_add_lookup(l, NATIVE_LOOKUP_ROW, OTHER), 0);
  assert_true(native_loop_compile(l, READ_BY_ID, sizeof READ_BY_ID - 1, 1, NATIVE_ROWS_WITHOUT_EXITS));
  assert_true(native_loop_is_ready(l));
  assert_int_equal(native_loop_run(l, 0), q->count);
  for (uint32_t row = 0; row < q->count; ++row) {
    uint32_t id = 0, found = UINT32_MAX;
    memcpy(&id, value_at(q, OTHER, row), sizeof id);
    for (uint32_t k = 0; k < q->count && found == UINT32_MAX; ++k)
      found = q->entities[k] == id ? k : UINT32_MAX;
    const float none = -1, *wanted = found == UINT32_MAX ? &none : value_at(q, OTHER, found);
    assert_memory_equal(value_at(q, NUMBERS, row), wanted, sizeof *wanted);
  }
  query_close(q);
  native_set_destroy(s);
  world_destroy(w);
}

TEST(native_lookups_by_random_ids_find_only_live_entities) {
  if (!has_compiler())
    skip();
  for (int mapped = 0; mapped < 2; ++mapped) {
    read_hostile_ids("now,sse2", mapped);
    read_hostile_ids("now,sse2,guard", mapped);
  }
}

// Accesses the element before the first or after the last element of each kind of column; the process must crash.
static void access_out_of_bounds(bool written, bool behind, bool reads) {
  guard_o *g = guard_create();
  uint8_t data[100] = {0};
  for (int turn = 0; turn < 2; ++turn) {
    volatile uint8_t *copy = guard_copy_bytes(g, data, sizeof data, written);
    if (copy[0] != 0 || copy[99] != 0)
      _exit(2);
    if (reads && turn == (behind ? 0 : 1))
      _exit(copy[behind ? 100 : -1]);
    else if (!reads)
      copy[behind ? 100 : -1] = 1;
    guard_write_back(g);
  }
  _exit(3);
}

TEST(guard_mode_catches_out_of_bounds_access) {
  for (int way = 0; way < 8; ++way) {
    pid_t child = fork();
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL);
      freopen("/dev/null", "w", stderr);
      access_out_of_bounds(way & 1, way & 2, way & 4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && (WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 3));
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(guard_mode_copies_changes_back) {
  guard_o *g = guard_create();
  uint8_t data[5000] = {1, 2, 3};
  uint8_t *one = guard_copy_bytes(g, data, sizeof data, true), *other = guard_copy_bytes(g, data, 3, true);
  one[4999] = 9, one[0] = 7, other[1] = 8;
  assert_int_equal(data[0], 1);
  guard_write_back(g);
  assert_int_equal(data[0], 7);
  assert_int_equal(data[1], 8);
  assert_int_equal(data[2], 3);
  assert_int_equal(data[4999], 9);
  guard_destroy(g);
}

// --- files

static codegen_code_t *compile_ir(const char *text, size_t length) {
  codegen_code_t *c = codegen_request_code(text, length, CODEGEN_SSE2);
  assert_int_equal(codegen_wait_until_done(c), CODEGEN_READY);
  return c;
}

static size_t format_variant(char *out, size_t out_bytes, int number) {
  return (size_t)snprintf(out, out_bytes, "%s; %d\n", TEXT, number);
}

static void format_object_path(char *out, size_t out_bytes, code_key_t key) {
  snprintf(out, out_bytes, "%s/shoal/native/%016llx%016llx.object", folder, (unsigned long long)key.high,
           (unsigned long long)key.low);
}

TEST(code_cache_ignores_corrupt_and_foreign_files) {
  char text[sizeof TEXT + 32], path[256];
  size_t size = 0, length = format_variant(text, sizeof text, 1);
  if (!has_compiler())
    skip();
  codegen_release_code(compile_ir(text, length));
  code_key_t key = code_key(text, length, "");
  format_object_path(path, sizeof path, key);
  void *object = code_cache_read(key, &size);
  assert_non_null(object);
  for (long at = 0; at < (long)size; at += 97) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 0x10, f);
    fclose(f);
    size_t other = 0;
    assert_null(code_cache_read(key, &other));
    f = fopen(path, "r+b");
    fseek(f, at, SEEK_SET);
    fputc(byte, f);
    fclose(f);
  }
  size_t again = 0;
  void *kept = code_cache_read(key, &again);
  assert_non_null(kept);
  free(kept);
  assert_int_equal(chmod(path, 0666), 0);
  assert_null(code_cache_read(key, &again));
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(truncate(path, (off_t)size / 2), 0);
  assert_null(code_cache_read(key, &again));
  code_cache_write(key, object, size, CODEGEN_CACHE_BYTES);
  kept = code_cache_read(key, &again);
  assert_non_null(kept);
  free(kept);
  free(object);
}

// Writes TEXT with `more` extra empty lines: different bytes, same meaning.
static size_t format_padded_text(char out[sizeof TEXT + 8], uint32_t more) {
  memcpy(out, TEXT, sizeof TEXT);
  memset(out + sizeof TEXT - 1, '\n', more);
  return sizeof TEXT - 1 + more;
}

// Writes a package with three files of compiled code: a valid file, a file that is corrupted after its header, and a
// file with a different key.
static void write_package(const char *path, const void *object, size_t size) {
  archive_writer_o *w = archive_writer_create(path, &(error_info_t){0});
  assert_non_null(w);
  for (uint32_t more = 1; more <= 3; ++more) {
    char text[sizeof TEXT + 8], name[CODE_NAME_BYTES];
    size_t length = format_padded_text(text, more), file_bytes = 0;
    code_key_t key = code_key(text, length, ""), other = code_key(text, length, "+avx2");
    uint8_t *file = code_file_build(more == 3 ? other : key, object, size, &file_bytes);
    assert_non_null(file);
    file[file_bytes - 1] ^= more == 2;
    code_file_format_name(key, name);
    assert_true(archive_writer_add_entry(w, name, file, file_bytes, false, &(error_info_t){0}));
    free(file);
  }
  assert_true(archive_writer_finish(w, &(error_info_t){0}));
}

TEST(packaged_code_is_used_unless_damaged_or_stale) {
  char path[128], text[sizeof TEXT + 8];
  size_t size = 0;
  bool is_there;
  if (codegen_best_level() == CODEGEN_NONE || !llvm_open(&(error_info_t){0}))
    skip();
  codegen_code_t *first = codegen_request_code(TEXT, sizeof TEXT - 1, CODEGEN_SSE2);
  assert_int_equal(codegen_wait_until_done(first), CODEGEN_READY);
  assert_false(codegen_is_packaged(first));
  codegen_release_code(first);
  void *object = llvm_compile(TEXT, sizeof TEXT - 1, "", &size, &(error_info_t){0});
  assert_non_null(object);
  snprintf(path, sizeof path, "%s/package", folder);
  write_package(path, object, size);
  llvm_free(object);
  assert_true(archive_mount(path, &is_there, &(error_info_t){0}));
  for (uint32_t more = 1; more <= 3; ++more) {
    codegen_code_t *c = codegen_request_code(text, format_padded_text(text, more), CODEGEN_SSE2);
    if (more == 1)
      assert_int_equal(codegen_state(c), CODEGEN_READY);
    assert_int_equal(codegen_wait_until_done(c), CODEGEN_READY);
    assert_int_equal(codegen_is_packaged(c), more == 1);
    codegen_release_code(c);
  }
  archive_unmount();
}

TEST(code_is_compiled_without_a_writable_cache_folder) {
  char text[sizeof TEXT + 32];
  size_t length = format_variant(text, sizeof text, 2), size = 0;
  if (!has_compiler())
    skip();
  setenv("XDG_CACHE_HOME", "/proc/none", 1);
  codegen_code_t *c = compile_ir(text, length);
  assert_false(codegen_is_cached(c));
  assert_null(code_cache_read(code_key(text, length, ""), &size));
  codegen_release_code(c);
  setenv("XDG_CACHE_HOME", folder, 1);
}

TEST(code_cache_evicts_files_over_its_limit) {
  char bytes[1000] = {0};
  size_t size = 0, there = 0;
  for (uint64_t i = 0; i < 40; ++i)
    code_cache_write((code_key_t){i, 7}, bytes, sizeof bytes, 20000);
  for (uint64_t i = 0; i < 40; ++i) {
    void *object = code_cache_read((code_key_t){i, 7}, &size);
    there += object != NULL;
    free(object);
  }
  assert_true(there >= 5 && there <= 20);
}

TEST(corrupt_object_is_rejected_or_mapped_safely) {
  char text[sizeof TEXT + 32];
  size_t size = 0, length = format_variant(text, sizeof text, 3), refused = 0;
  random_t r;
  error_info_t error;
  if (!has_compiler())
    skip();
  codegen_release_code(compile_ir(text, length));
  uint8_t *object = code_cache_read(code_key(text, length, ""), &size);
  assert_non_null(object);
  uint8_t *other = malloc(size);
  random_seed(&r, 5);
  for (int turn = 0; turn < 5000; ++turn) {
    object_t o = {0};
    memcpy(other, object, size);
    for (int k = 0; k < 1 + turn % 8; ++k)
      other[(size_t)(random_unit(&r) * (double)size)] = (uint8_t)(random_unit(&r) * 256);
    size_t cut = turn % 5 == 0 ? (size_t)(random_unit(&r) * (double)size) : size;
    refused += !object_map(&o, other, cut, "rows", &error);
    object_unmap(&o);
  }
  assert_true(refused > 1000);
  free(other);
  free(object);
}

// --- functions over arrays

// Calls a function by its index in exact_math_arrays.
static double call_scalar_function(int function, double x, double y) {
  switch (function) {
  case 0: return exact_sin(x);
  case 1: return exact_cos(x);
  case 2: return exact_tan(x);
  case 3: return exact_asin(x);
  case 4: return exact_acos(x);
  case 5: return exact_atan(x);
  case 6: return exact_sinh(x);
  case 7: return exact_cosh(x);
  case 8: return exact_tanh(x);
  case 9: return exact_exp(x);
  case 10: return exact_log10(x);
  case 11: return exact_log(x);
  case 12: return exact_atan2(x, y);
  default: return exact_pow(x, y);
  }
}

// Returns a random number. One tenth of the numbers are special values, one fifth are subnormal or random bits, half
// have a magnitude of at most 10, and the rest have any magnitude.
static double random_number(random_t *r) {
  static const double SPECIAL[] = {0.0,       -0.0,      INFINITY,    -INFINITY,   NAN,          1,       -1,
                                   0x1p-1022, 0x1p-1074, 4e-16,       -3.7e-16,    5e-324,       1e300,   -1e300,
                                   0.5,       2,         0x1p-27,     -0x1p-27,    10,           1000,    709.78,
                                   -745.13,   DBL_MAX,   DBL_MIN,     -DBL_MAX,    M_PI,         M_PI_2,  1e15,
                                   0x1p53,    0x1p1023,  1 - 0x1p-53, 1 + 0x1p-52, -1 - 0x1p-52, 710.476, -708.4};
  double kind = random_unit(r), v = random_unit(r) * 2 - 1;
  if (kind < 0.1)
    return SPECIAL[(size_t)(random_unit(r) * (sizeof SPECIAL / sizeof *SPECIAL))];
  if (kind < 0.2)
    return ldexp(v, -1022 - (int)(random_unit(r) * 50)); // subnormal
  if (kind < 0.3) {
    uint64_t bits = (uint64_t)(random_unit(r) * 0x1p32) << 32 | (uint64_t)(random_unit(r) * 0x1p32);
    memcpy(&v, &bits, sizeof v);
    return v;
  }
  return kind < 0.8 ? v * 10 : ldexp(v, (int)(random_unit(r) * 1200) - 600);
}

// Tests 80,000 values per function, or 8 million with LONG set. Counts below 64 leave a remainder for narrower vectors.
TEST(array_functions_match_the_scalar_functions_bit_for_bit) {
  random_t r;
  double a[64], b[64], wanted[64];
  const char *is_long = getenv("LONG");
  int turns = is_long && *is_long ? 150000 : 1500;
  random_seed(&r, 11);
  for (int turn = 0; turn < turns * (int)EXACT_ARRAY_COUNT; ++turn) {
    int function = turn % (int)EXACT_ARRAY_COUNT, count = turn % 3 == 0 ? 1 + turn / 3 % 64 : 64;
    for (int i = 0; i < count; ++i) {
      a[i] = random_number(&r), b[i] = random_number(&r);
      wanted[i] = call_scalar_function(function, a[i], b[i]);
    }
    exact_math_arrays()[function](a, b, count);
    for (int i = 0; i < count; ++i)
      if (memcmp(&a[i], &wanted[i], sizeof *a) != 0)
        fail_msg("function %d, value %d of %d: %a and not %a", function, i, count, a[i], wanted[i]);
  }
}

// --- child processes

TEST(child_process_never_waits_for_the_compiler) {
  char text[sizeof TEXT + 32];
  if (!has_compiler())
    skip();
  codegen_code_t *all[16];
  for (int i = 0; i < 16; ++i)
    all[i] = codegen_request_code(text, format_variant(text, sizeof text, 100 + i), CODEGEN_SSE2);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 16; ++i)
      codegen_wait_until_done(all[i]);
    codegen_code_t *c = codegen_request_code(text, format_variant(text, sizeof text, 200), CODEGEN_SSE2);
    _exit(codegen_wait_until_done(c) == CODEGEN_REFUSED ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(codegen_wait_until_done(all[i]), CODEGEN_READY);
    codegen_release_code(all[i]);
  }
}
