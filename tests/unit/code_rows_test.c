// Live code of a world: served/code_rows.h.
#include "served_fixture.h"

#include "served/code_rows.h"
#include "served/room_changes.h"

FIXTURE(fixture_t, setup, teardown)

#define BASE 77 // hash of the release in served_fixture.h

static store_result_t add_code(fixture_t *f, world_store_o *s, uint64_t base, uint64_t current, const char *bundle,
                               uint64_t *number) {
  code_row_t row = {.base = base,
                    .former = current,
                    .author = "ada",
                    .note = "a note",
                    .bundle = (uint8_t *)bundle,
                    .size = strlen(bundle)};
  return code_rows_add(s, &row, current, number, &f->error);
}

static void assert_code(const code_row_t *row, uint64_t number, const char *bundle) {
  assert_int_equal(row->number, number);
  assert_int_equal(row->size, strlen(bundle));
  assert_memory_equal(row->bundle, bundle, row->size);
}

TEST_IN(codes_are_numbered_in_the_order_in_which_they_are_added, fixture_t, f) {
  uint64_t number = 0, current = 9;
  code_row_t row = {0};
  assert_done(f, code_rows_get_current(f->a, BASE, &current, &f->error));
  assert_int_equal(current, 0);
  assert_done(f, code_rows_load_next(f->a, BASE, 0, &row, &f->error));
  assert_int_equal(row.number, 0);
  for (uint64_t i = 0; i < 3; ++i) {
    const char *bundles[] = {"one", "two", "three"};
    assert_done(f, add_code(f, f->a, BASE, i, bundles[i], &number));
    assert_int_equal(number, i + 1);
  }
  assert_done(f, code_rows_get_current(f->b, BASE, &current, &f->error));
  assert_int_equal(current, 3);
  assert_done(f, code_rows_load(f->b, BASE, 2, &row, &f->error));
  assert_code(&row, 2, "two");
  assert_int_equal(row.former, 1);
  assert_string_equal(row.author, "ada");
  assert_string_equal(row.note, "a note");
  assert_done(f, code_rows_load_next(f->b, BASE, 2, &row, &f->error));
  assert_code(&row, 3, "three");
  assert_done(f, code_rows_load_next(f->b, BASE, 3, &row, &f->error));
  assert_int_equal(row.number, 0);
  code_row_free(&row);
}

TEST_IN(codes_belong_to_a_release, fixture_t, f) {
  uint64_t number = 0, current = 9;
  code_row_t row = {0};
  assert_done(f, add_code(f, f->a, BASE, 0, "one", &number));
  assert_done(f, code_rows_get_current(f->a, 5, &current, &f->error));
  assert_int_equal(current, 0);
  assert_done(f, code_rows_load(f->a, 5, number, &row, &f->error));
  assert_int_equal(row.number, 0);
  assert_done(f, add_code(f, f->a, 5, 0, "other", &number));
  assert_int_equal(number, 2); // numbers are unique in a world
  code_row_free(&row);
}

TEST_IN(only_one_of_two_simultaneous_reloads_is_stored, fixture_t, f) {
  uint64_t number = 0, current = 0;
  assert_done(f, add_code(f, f->a, BASE, 0, "one", &number));
  assert_result(f, add_code(f, f->b, BASE, 0, "two", &number), STORE_LOST);
  assert_says(f, "a different reload has stored code 1 in the meantime: reload again");
  assert_done(f, code_rows_get_current(f->a, BASE, &current, &f->error));
  assert_int_equal(current, 1);
}

TEST_IN(changed_rows_of_codes_are_refused, fixture_t, f) {
  static const char *const CHANGES[] = {"bundle = x'6f6e65'", "former = 5", "bundle = x''", "bundle = 5", "number = 4"};
  code_row_t row = {0};
  uint64_t number = 0;
  assert_done(f, add_code(f, f->a, BASE, 0, "two", &number));
  for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; ++i) {
    char sql[96];
    if (world_store_is_address(f->path) && strcmp(CHANGES[i], "bundle = 5") == 0)
      continue; // PostgreSQL refuses a number in this column
    run_sql(f, "BEGIN");
    snprintf(sql, sizeof sql, "UPDATE code SET %s", CHANGES[i]);
    run_sql(f, sql);
    assert_result(f, code_rows_load_next(f->b, BASE, 0, &row, &f->error), STORE_DAMAGED);
    assert_says(f, "a row of the live code is malformed");
    run_sql(f, "ROLLBACK");
  }
  assert_done(f, code_rows_load_next(f->b, BASE, 0, &row, &f->error));
  assert_code(&row, 1, "two");
  code_row_free(&row);
}

TEST_IN(release_is_stored_with_its_folder_and_options, fixture_t, f) {
  code_release_t release = {.base = 5, .folder = "/srv/other"}, got;
  assert_result(f, code_rows_get_release(f->b, &got, &f->error), STORE_DAMAGED);
  assert_says(f, "the world has never been served");
  assert_done(f, code_rows_set_release(f->a, &release, &f->error));
  for (uint32_t i = 0; i < 2; ++i) {
    release = (code_release_t){.base = BASE, .options = "--memory\n64"};
    snprintf(release.folder, sizeof release.folder, "/srv/town%u", i);
    assert_done(f, code_rows_set_release(f->a, &release, &f->error));
  }
  assert_done(f, code_rows_get_release(f->b, &got, &f->error));
  assert_int_equal(got.base, BASE);
  assert_string_equal(got.folder, "/srv/town1");
  assert_string_equal(got.options, "--memory\n64");
}

// --- rooms

static void commit_code(fixture_t *f, room_claim_t *claim, uint64_t code) {
  test_snapshot_t snapshot;
  make_snapshot(claim->last, &snapshot);
  snapshot.row.code = code;
  room_commit_t commit = {.tick = claim->last, .state = ROOM_STATE_RUNNING, .snapshot = &snapshot.row};
  assert_done(f, world_store_commit(f->a, claim, &commit, &f->error));
}

// Returns the number of the code that a poll of the room finds; 0: no code. Asserts that its bundle is `bundle`.
static uint64_t poll_code(fixture_t *f, const room_claim_t *claim, const char *bundle) {
  room_answers_t answers = {0};
  room_answer_t answer = {0};
  uint64_t number = 0;
  size_t at = 0;
  room_changes_poll(f->b, claim, &answers);
  if (room_answers_read(&answers, &at, &answer)) {
    assert_int_equal(answer.kind, ROOM_ANSWER_CODE);
    memcpy(&number, answer.bytes, sizeof number);
    assert_int_equal(answer.size, sizeof number + strlen(bundle));
    assert_memory_equal((const uint8_t *)answer.bytes + sizeof number, bundle, strlen(bundle));
  }
  assert_false(room_answers_read(&answers, &at, &answer));
  room_answers_free(&answers);
  return number;
}

static void commit_refusal(fixture_t *f, room_claim_t *claim, const code_refusal_t *refusal) {
  room_change_t change = {ROOM_CHANGE_CODE, (const uint8_t *)refusal, sizeof *refusal};
  room_answers_t answers = {0};
  room_commit_t commit = {
      .tick = claim->last, .state = ROOM_STATE_RUNNING, .changes = &change, .change_count = 1, .answers = &answers};
  assert_done(f, world_store_commit(f->a, claim, &commit, &f->error));
  room_answers_free(&answers);
}

TEST_IN(poll_finds_the_next_code_that_the_room_has_not_refused, fixture_t, f) {
  room_claim_t claim = start_room(f, "town"), other = start_room(f, "mine");
  uint64_t number = 0;
  assert_done(f, add_code(f, f->a, BASE, 0, "one", &number));
  assert_int_equal(poll_code(f, &claim, "one"), 0); // a room without a snapshot starts with the current code
  commit_code(f, &claim, 0);
  commit_code(f, &other, 0);
  assert_done(f, add_code(f, f->a, BASE, 1, "two", &number));
  assert_int_equal(poll_code(f, &claim, "one"), 1); // codes are found in order
  assert_int_equal(poll_code(f, &claim, "one"), 1); // repeated until the room has stored its new code
  commit_code(f, &claim, 1);
  assert_int_equal(poll_code(f, &claim, "two"), 2);
  code_refusal_t refusal = {.number = 2, .reason = "systems/a.lua:3: no"};
  commit_refusal(f, &claim, &refusal);
  assert_int_equal(poll_code(f, &claim, ""), 0);
  assert_int_equal(poll_code(f, &other, "one"), 1);
  assert_done(f, add_code(f, f->a, BASE, 2, "three", &number));
  assert_int_equal(poll_code(f, &claim, "three"), 3);
  run_sql(f, "UPDATE world SET base = 5"); // a different release is served
  assert_int_equal(poll_code(f, &claim, ""), 0);
}

TEST_IN(list_of_rooms_contains_their_codes_and_refusals, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  room_list_t list = {0};
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].code + list.items[0].refused_code, 0);
  commit_code(f, &claim, 4);
  code_refusal_t refusal = {.number = 5, .reason = "systems/a.lua:3: no"};
  for (uint32_t i = 0; i < 2; ++i, ++refusal.number) // a newer refusal replaces an older refusal
    commit_refusal(f, &claim, &refusal);
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].code, 4);
  assert_int_equal(list.items[0].refused_code, 6);
  assert_string_equal(list.items[0].refusal_reason, "systems/a.lua:3: no");
  room_list_free(&list);
}
