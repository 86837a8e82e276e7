// Databases of served worlds: served/world_store.h.
#include "served_fixture.h"

#include <time.h>

#include "base/files.h"
#include "base/random.h"
#include "store/save_internal.h"

#include <sqlite3.h>
#include <sys/stat.h>

FIXTURE(fixture_t, setup, teardown)

// --- opening

static void assert_refused(fixture_t *f, const world_store_desc_t *desc, store_result_t result, const char *words) {
  world_store_o *s = f->a;
  assert_result(f, world_store_open(desc, &s, &f->error), result);
  assert_null(s);
  assert_says(f, words);
  assert_says(f, desc->path);
}

TEST_IN(world_of_a_different_game_is_refused, fixture_t, f) {
  assert_refused(f, &(world_store_desc_t){.path = f->path, .game = "tron"}, STORE_DAMAGED, "game hamlet, not of tron");
}

TEST_IN(world_opens_without_the_name_of_its_game, fixture_t, f) {
  world_store_o *s;
  assert_done(f, world_store_open(&(world_store_desc_t){.path = f->path}, &s, &f->error));
  world_status_t world;
  assert_done(f, world_store_get_world(s, &world, &f->error));
  assert_string_equal(world.game, "hamlet");
  assert_int_equal(world.base, 77);
  assert_true(world.is_owned);
  world_store_close(s);
}

TEST_IN(missing_file_is_created_only_on_request, fixture_t, f) {
  require_file(f);
  char path[128];
  snprintf(path, sizeof path, "%s/other.db", f->folder);
  assert_refused(f, &(world_store_desc_t){.path = path, .game = "hamlet"}, STORE_FAILED, "unable to open");
  assert_false(file_exists(path));
}

TEST_IN(world_in_a_missing_folder_is_refused_with_the_fix, fixture_t, f) {
  require_file(f);
  char path[128];
  snprintf(path, sizeof path, "%s/missing/other.db", f->folder);
  assert_refused(f, &(world_store_desc_t){.path = path, .game = "hamlet", .may_create = true}, STORE_FAILED,
                 "check that its folder exists");
}

TEST_IN(address_of_an_unknown_kind_is_refused, fixture_t, f) {
  world_store_o *s = NULL;
  const world_store_desc_t desc = {.path = "postgre://shoal@localhost/world", .game = "hamlet"};
  assert_int_equal(world_store_open(&desc, &s, &f->error), STORE_FAILED);
  assert_says(f, "postgre://: unknown kind of database: use a file, or postgres://user@host/database");
}

TEST_IN(file_that_is_no_database_is_refused, fixture_t, f) {
  require_file(f);
  char path[128], text[4096];
  memset(text, 'x', sizeof text);
  snprintf(path, sizeof path, "%s/text", f->folder);
  assert_true(file_write(path, text, sizeof text, &f->error));
  assert_refused(f, &(world_store_desc_t){.path = path, .game = "hamlet", .may_create = true}, STORE_DAMAGED,
                 "not a database");
}

TEST_IN(empty_file_is_refused_and_not_changed, fixture_t, f) {
  require_file(f);
  char path[128];
  size_t size = 1;
  allocator_t memory = {0};
  snprintf(path, sizeof path, "%s/empty.db", f->folder);
  assert_true(file_write(path, "", 0, &f->error));
  assert_refused(f, &(world_store_desc_t){.path = path}, STORE_DAMAGED, "the database is empty");
  char *bytes = file_read(&memory, path, &size, &f->error);
  assert_int_equal(size, 0);
  file_free(&memory, bytes, size);
}

TEST_IN(only_the_user_can_read_the_files_of_a_world, fixture_t, f) {
  static const char *const ENDINGS[] = {"", "-wal", "-shm", ".copy"};
  require_file(f);
  char path[sizeof f->path + 8];
  snprintf(path, sizeof path, "%s.copy", f->path);
  run_sql(f, "UPDATE world SET version = version");
  assert_done(f, world_store_back_up(f->b, path, &f->error));
  for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; ++i) {
    struct stat status;
    snprintf(path, sizeof path, "%s%s", f->path, ENDINGS[i]);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
  }
  unlink(path);
}

TEST_IN(save_is_refused_and_not_changed, fixture_t, f) {
  require_file(f);
  char path[128], sql[64];
  sqlite3 *db;
  allocator_t memory = {0};
  size_t before_size, after_size;
  snprintf(path, sizeof path, "%s/save.sqlite", f->folder);
  snprintf(sql, sizeof sql, "PRAGMA application_id = %d; CREATE TABLE meta (a)", SAVE_APPLICATION);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  char *before = file_read(&memory, path, &before_size, &f->error);
  assert_refused(f, &(world_store_desc_t){.path = path, .game = "hamlet", .may_create = true}, STORE_DAMAGED,
                 "not the database of a served world");
  char *after = file_read(&memory, path, &after_size, &f->error);
  assert_int_equal(before_size, after_size);
  assert_memory_equal(before, after, after_size);
  file_free(&memory, before, before_size);
  file_free(&memory, after, after_size);
}

TEST_IN(world_of_a_newer_version_is_refused, fixture_t, f) {
  run_sql(f, "UPDATE world SET version = 99");
  assert_refused(f, &(world_store_desc_t){.path = f->path}, STORE_DAMAGED, "use a newer version");
}

TEST_IN(world_of_an_older_version_is_refused, fixture_t, f) {
  run_sql(f, "UPDATE world SET version = 0");
  assert_refused(f, &(world_store_desc_t){.path = f->path}, STORE_DAMAGED, "use an older version");
}

TEST_IN(world_without_its_row_is_refused, fixture_t, f) {
  run_sql(f, "DELETE FROM world");
  assert_refused(f, &(world_store_desc_t){.path = f->path}, STORE_DAMAGED, "missing or malformed");
}

// --- the owner of the world

TEST_IN(second_owner_is_refused_until_the_first_releases_the_world, fixture_t, f) {
  int64_t owner;
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  assert_says(f, "--take-over");
  assert_done(f, world_store_release_world(f->a, f->owner, &f->error));
  assert_done(f, world_store_claim_world(f->b, false, &owner, &f->error));
  assert_true(owner > f->owner);
  assert_result(f, world_store_beat(f->a, f->owner, &f->error), STORE_LOST);
}

TEST_IN(world_changes_its_owner_after_ten_seconds_without_a_beat, fixture_t, f) {
  int64_t owner, second = INT64_C(1000000000);
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  f->b->seen_ns -= 9 * second; // simulates that the time has passed
  assert_done(f, world_store_beat(f->a, f->owner, &f->error));
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  f->b->seen_ns -= 9 * second;
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  f->b->seen_ns -= 2 * second;
  assert_done(f, world_store_claim_world(f->b, false, &owner, &f->error));
  assert_result(f, world_store_beat(f->a, f->owner, &f->error), STORE_LOST);
  assert_done(f, world_store_beat(f->b, owner, &f->error));
}

TEST_IN(system_time_does_not_change_the_owner, fixture_t, f) {
  int64_t owner;
  run_sql(f, "UPDATE world SET beat_at = 0");
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  run_sql(f, "UPDATE world SET beat_at = 99999999999");
  assert_result(f, world_store_claim_world(f->b, false, &owner, &f->error), STORE_LOST);
  f->b->seen_ns -= INT64_C(11000000000);
  assert_done(f, world_store_claim_world(f->b, false, &owner, &f->error));
}

TEST_IN(take_over_ends_the_former_owner, fixture_t, f) {
  int64_t owner;
  room_claim_t claim;
  assert_done(f, world_store_claim_world(f->b, true, &owner, &f->error));
  assert_result(f, world_store_beat(f->a, f->owner, &f->error), STORE_LOST);
  assert_result(f, world_store_release_world(f->a, f->owner, &f->error), STORE_LOST);
  assert_result(f, world_store_start_room(f->a, f->owner, "town", &claim, &f->error), STORE_LOST);
  assert_result(f, world_store_fail_room(f->a, f->owner, "town", "why", &f->error), STORE_LOST);
  assert_done(f, world_store_start_room(f->b, owner, "town", &claim, &f->error));
}

// --- rooms

TEST_IN(new_room_has_nothing_to_load, fixture_t, f) {
  room_image_t image = {0};
  room_claim_t claim = start_room(f, "town");
  assert_int_equal(claim.number, 1);
  assert_int_equal(claim.state, ROOM_STATE_NEW);
  assert_false(claim.has_snapshot);
  assert_int_equal(claim.last, 0);
  assert_done(f, world_store_load_room(f->a, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  assert_false(image.has_snapshot);
  assert_done(f, world_store_load_room(f->a, &(room_load_desc_t){.name = "unknown"}, &image, &f->error));
  assert_false(image.has_snapshot);
}

TEST_IN(committed_records_and_snapshots_can_be_loaded, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 0, true));
  assert_loads(f, f->b, "town", 0, 0);
  for (uint32_t i = 0; i < 5; ++i)
    assert_done(f, commit_records(f, f->a, &claim, 7 + i, false));
  assert_loads(f, f->b, "town", 0, 45);
  assert_done(f, commit_records(f, f->a, &claim, 5, true));
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 50, 53);
}

TEST_IN(store_keeps_two_snapshots_and_the_records_since_the_older_one, fixture_t, f) {
  room_image_t image = {0};
  room_list_t list = {0};
  room_claim_t claim = start_room(f, "town");
  for (uint32_t i = 0; i < 4; ++i)
    assert_done(f, commit_records(f, f->a, &claim, 10, true));
  assert_done(f, commit_records(f, f->a, &claim, 2, false));
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town", .previous = true}, &image, &f->error));
  assert_image(&image, 30, 42);
  assert_true(image.has_next);
  assert_int_equal(image.next_number, 40);
  assert_int_equal(image.next_tick, 40);
  assert_int_equal(image.next_hash, 40 * 7 + 1);
  room_image_free(&image);
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].snapshots, 2);
  int64_t first;
  assert_done(f, store_query_number(f->b, "SELECT MIN(first) FROM journal", NULL, 0, &first, &f->error));
  assert_int_equal(first, 31);
  room_list_free(&list);
}

TEST_IN(snapshot_without_new_records_replaces_the_former_one, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 10, true));
  assert_done(f, commit_records(f, f->a, &claim, 10, true));
  assert_done(f, commit_records(f, f->a, &claim, 0, true));
  assert_loads(f, f->b, "town", 20, 20);
}

// A promoted standby, or a restored backup, may lack the start of a process that still runs.
TEST_IN(start_does_not_repeat_the_numbers_of_a_lost_start, fixture_t, f) {
  room_claim_t first = start_room(f, "town"), lost, next;
  int64_t owner = 0, serial = first.serial;
  char sql[160];
  assert_done(f, commit_records(f, f->a, &first, 4, true));
  snprintf(sql, sizeof sql, "UPDATE world SET owner = %lld", (long long)f->owner - 1000000000); // a much earlier number
  run_sql(f, sql);
  snprintf(sql, sizeof sql, "UPDATE room SET fence = %lld", (long long)first.fence - 1000000000);
  run_sql(f, sql);
  assert_done(f, world_store_claim_world(f->a, true, &f->owner, &f->error));
  lost = start_room(f, "town");
  // The database loses the owner and the start, and has the same serial number again.
  run_sql(f, "UPDATE world SET owner = owner - 1000000000");
  run_sql(f, sql);
  nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 100000000}, NULL);
  assert_done(f, world_store_claim_world(f->a, true, &owner, &f->error));
  assert_true(owner > f->owner);
  assert_result(f, world_store_beat(f->b, f->owner, &f->error), STORE_LOST);
  f->owner = owner;
  next = start_room(f, "town");
  assert_true(next.fence > lost.fence && next.serial > serial);
  snprintf(sql, sizeof sql, "UPDATE room SET serial = %lld", (long long)lost.serial);
  run_sql(f, sql);
  assert_result(f, commit_records(f, f->b, &lost, 2, false), STORE_LOST);
}

TEST_IN(started_room_cannot_be_written_by_its_former_process, fixture_t, f) {
  room_claim_t first = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &first, 4, true));
  room_claim_t second = start_room(f, "town");
  assert_true(second.fence > first.fence);
  assert_int_equal(second.last, 4);
  assert_true(second.has_snapshot);
  assert_result(f, commit_records(f, f->b, &first, 2, false), STORE_LOST);
  assert_says(f, "a different process has started it");
  assert_loads(f, f->b, "town", 4, 4);
  assert_done(f, commit_records(f, f->a, &second, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(rooms_do_not_affect_each_other, fixture_t, f) {
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine-1");
  assert_int_equal(mine.number, 2);
  assert_done(f, commit_records(f, f->a, &town, 4, true));
  assert_done(f, commit_records(f, f->b, &mine, 6, true));
  assert_done(f, commit_records(f, f->a, &town, 4, true));
  assert_done(f, commit_records(f, f->a, &town, 4, true));
  assert_loads(f, f->a, "mine-1", 6, 6);
  assert_loads(f, f->a, "town", 12, 12);
}

TEST_IN(list_contains_the_rooms_by_name, fixture_t, f) {
  room_list_t list = {0};
  test_snapshot_t snapshot;
  room_claim_t town = start_room(f, "town");
  start_room(f, "mine-2");
  assert_done(f, commit_records(f, f->a, &town, 4, true));
  make_snapshot(4, &snapshot);
  assert_done(f, world_store_commit(
                     f->a, &town,
                     &(room_commit_t){
                         .tick = 4, .state = ROOM_STATE_SLEEPING, .checked_snapshot = 4, .proof = ROOM_PROOF_FAILED},
                     &f->error));
  assert_done(f, world_store_fail_room(f->a, f->owner, "mine-2", "its rows are malformed", &f->error));
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.count, 2);
  assert_string_equal(list.items[0].name, "mine-2");
  assert_string_equal(list.items[0].reason, "its rows are malformed");
  assert_int_equal(list.items[0].state, ROOM_STATE_NEW);
  assert_string_equal(list.items[1].name, "town");
  assert_int_equal(list.items[1].state, ROOM_STATE_SLEEPING);
  assert_int_equal(list.items[1].last, 4);
  assert_int_equal(list.items[1].snapshot_number, 4);
  assert_int_equal(list.items[1].proof, ROOM_PROOF_FAILED);
  assert_in_range(list.items[1].journal_bytes, 0, 0); // the records before the only snapshot are not needed
  assert_in_range(list.items[1].snapshot_bytes, 10, 200);
  start_room(f, "mine-2");
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_string_equal(list.items[0].reason, "");
  room_list_free(&list);
  assert_int_equal(list.memory.blocks, 0);
}

TEST_IN(sleeping_room_tells_for_how_long_it_was_away, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 1, true));
  assert_done(f,
              world_store_commit(f->a, &claim, &(room_commit_t){.tick = 1, .state = ROOM_STATE_SLEEPING}, &f->error));
  run_sql(f, "UPDATE room SET seen = seen - 3600");
  room_claim_t next = start_room(f, "town");
  assert_int_equal(next.state, ROOM_STATE_SLEEPING);
  assert_in_range(next.away_s, 3600, 3700);
  run_sql(f, "UPDATE room SET seen = seen + 7200"); // the system time was set back
  assert_int_equal(start_room(f, "town").away_s, 0);
}

// --- unknown outcomes

TEST_IN(repeated_commit_changes_nothing_if_the_first_has_succeeded, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  room_claim_t uncertain = claim;
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  uncertain.is_uncertain = true; // the process did not learn that its commit had succeeded
  assert_done(f, commit_records(f, f->a, &uncertain, 3, false));
  assert_int_equal(uncertain.serial, claim.serial);
  assert_int_equal(uncertain.last, 7);
  assert_false(uncertain.is_uncertain);
  assert_loads(f, f->b, "town", 4, 7);
  assert_done(f, commit_records(f, f->a, &uncertain, 2, false));
  assert_loads(f, f->b, "town", 4, 9);
}

TEST_IN(repeated_commit_is_lost_if_a_different_process_has_started_the_room, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  claim.is_uncertain = true; // the commit did not reach the database
  start_room(f, "town");     // increments the serial, too
  assert_result(f, commit_records(f, f->b, &claim, 3, false), STORE_LOST);
}

TEST_IN(busy_database_changes_nothing, fixture_t, f) {
  require_file(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  run_sql(f, "BEGIN IMMEDIATE");
  assert_result(f, commit_records(f, f->a, &claim, 3, false), STORE_FAILED);
  assert_says(f, "a different program holds the database");
  run_sql(f, "COMMIT");
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(commit_fails_while_the_file_is_not_at_its_path, fixture_t, f) {
  require_file(f);
  char moved[128];
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  snprintf(moved, sizeof moved, "%s/moved.db", f->folder);
  assert_int_equal(rename(f->path, moved), 0);
  assert_result(f, commit_records(f, f->a, &claim, 3, false), STORE_FAILED);
  assert_says(f, "put it back");
  assert_int_equal(rename(moved, f->path), 0);
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

// Commits to a removed log would be lost when the last process that has it open ends.
TEST_IN(commit_fails_while_the_write_ahead_log_is_not_at_its_path, fixture_t, f) {
  require_file(f);
  char log[200], moved[160];
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  snprintf(log, sizeof log, "%s-wal", f->path);
  snprintf(moved, sizeof moved, "%s/moved.log", f->folder);
  assert_int_equal(rename(log, moved), 0);
  assert_result(f, commit_records(f, f->a, &claim, 3, false), STORE_FAILED);
  assert_says(f, "its log (-wal)");
  assert_int_equal(rename(moved, log), 0);
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(full_database_changes_nothing, fixture_t, f) {
  require_file(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  assert_done(f, store_execute_script(f->a, "PRAGMA max_page_count = 1", &f->error)); // the current size
  uint32_t committed = 0;
  while (commit_records(f, f->a, &claim, 100, false) == STORE_DONE)
    ++committed;
  assert_says(f, "free space on this disk");
  assert_loads(f, f->b, "town", 4, 4 + committed * 100);
  assert_done(f, store_execute_script(f->a, "PRAGMA max_page_count = 100000", &f->error));
  assert_done(f, commit_records(f, f->a, &claim, 100, false));
  assert_loads(f, f->b, "town", 4, 104 + committed * 100);
}

// --- malformed rows

static void assert_damaged(fixture_t *f, const char *words) {
  room_image_t image = {0};
  assert_result(f, world_store_load_room(f->a, &(room_load_desc_t){.name = "town"}, &image, &f->error), STORE_DAMAGED);
  assert_says(f, words);
  assert_says(f, "room town");
  assert_int_equal(image.memory.blocks, 0);
}

// Accepts the loss, and asserts that the room continues after the snapshot `number` and the record `last`.
static void assert_continues(fixture_t *f, uint64_t number, uint64_t last) {
  room_image_t image = {0};
  room_claim_t claim = start_room(f, "town");
  assert_done(f,
              world_store_load_room(f->a, &(room_load_desc_t){.name = "town", .accept_loss = true}, &image, &f->error));
  assert_true(image.has_loss);
  assert_image(&image, number, last);
  assert_done(f, world_store_cut_room(f->a, &claim, &image, &f->error));
  room_image_free(&image);
  assert_int_equal(claim.last, last);
  assert_loads(f, f->b, "town", number, last);
  assert_int_equal(claim.state, ROOM_STATE_CUT);
  claim = start_room(f, "town"); // the process has crashed before its first commit
  assert_int_equal(claim.state, ROOM_STATE_CUT);
  assert_int_equal(claim.last, last);
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", number, last + 3);
  assert_done(f, commit_records(f, f->a, &claim, 3, true));
  assert_loads(f, f->b, "town", last + 6, last + 6);
}

// Snapshots after the records 10 and 20; blocks 11 to 20, 21 to 25, 26 to 30, 31 to 35.
static void fill_town(fixture_t *f) {
  room_claim_t claim = start_room(f, "town");
  for (uint32_t i = 0; i < 2; ++i)
    assert_done(f, commit_records(f, f->a, &claim, 10, true));
  for (uint32_t i = 0; i < 3; ++i)
    assert_done(f, commit_records(f, f->a, &claim, 5, false));
}

static void check_damage(fixture_t *f, const char *sql, const char *words, uint64_t number, uint64_t last) {
  fill_town(f);
  run_sql(f, sql);
  assert_damaged(f, words);
  assert_continues(f, number, last);
}

TEST_IN(missing_block_is_reported, fixture_t, f) {
  check_damage(f, "DELETE FROM journal WHERE first = 26", "records 26 to 30 are missing", 20, 25);
}

TEST_IN(missing_last_block_is_reported, fixture_t, f) {
  check_damage(f, "DELETE FROM journal WHERE first = 31", "records 31 to 35 are missing", 20, 30);
}

TEST_IN(missing_first_block_is_reported, fixture_t, f) {
  check_damage(f, "DELETE FROM journal WHERE first = 21", "records 21 to 25 are missing", 20, 20);
}

TEST_IN(doubled_block_is_reported, fixture_t, f) {
  check_damage(f, "INSERT INTO journal SELECT room, 28, last, body, checksum FROM journal WHERE first = 26",
               "records 28 to 30 exist twice", 20, 30);
}

TEST_IN(changed_byte_of_a_block_is_reported, fixture_t, f) {
  check_damage(f,
               world_store_is_address(f->path)
                   ? "UPDATE journal SET body = set_byte(body, 9, get_byte(body, 9) # 1) WHERE first = 26"
                   : "UPDATE journal SET body = substr(body, 1, 9) || x'00' || substr(body, 11) WHERE first = 26",
               "the block of the records from 26 is malformed", 20, 25);
}

TEST_IN(changed_checksum_of_a_block_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE journal SET checksum = checksum + 1 WHERE first = 26",
               "the block of the records from 26 is malformed", 20, 25);
}

TEST_IN(truncated_block_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE journal SET body = substr(body, 1, length(body) - 1) WHERE first = 26",
               "the block of the records from 26 is malformed", 20, 25);
}

TEST_IN(block_of_a_different_room_is_reported, fixture_t, f) {
  room_claim_t mine = start_room(f, "mine");
  assert_done(f, commit_records(f, f->a, &mine, 25, true));
  assert_done(f, commit_records(f, f->a, &mine, 5, false));
  fill_town(f);
  run_sql(f, "DELETE FROM journal WHERE room = 2 AND first = 26");
  run_sql(f, "UPDATE journal SET room = 2 WHERE room = 1 AND first = 26");
  assert_damaged(f, "the block of the records from 26 is malformed");
}

TEST_IN(block_with_a_text_as_its_number_is_reported, fixture_t, f) {
  require_file(f);
  check_damage(f, "UPDATE journal SET first = 'x' WHERE first = 26", "records 26 to 30 are missing", 20, 25);
}

TEST_IN(malformed_snapshot_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE snapshot SET body = substr(body, 2) WHERE number = 20", "snapshot 20 is malformed", 10, 35);
}

TEST_IN(changed_hash_of_a_snapshot_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE snapshot SET hash = hash + 1 WHERE number = 20", "snapshot 20 is malformed", 10, 35);
}

TEST_IN(room_whose_row_names_a_different_tick_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE room SET tick = 36", "belongs to tick 35, but the room is at tick 36", 20, 35);
}

TEST_IN(room_whose_row_names_a_later_record_is_reported, fixture_t, f) {
  check_damage(f, "UPDATE room SET last = 37, tick = 37", "records 36 to 37 are missing", 20, 35);
}

TEST_IN(room_without_any_snapshot_is_reported, fixture_t, f) {
  room_image_t image = {0};
  fill_town(f);
  run_sql(f, "DELETE FROM snapshot");
  assert_damaged(f, "its snapshots are missing");
  assert_result(
      f, world_store_load_room(f->a, &(room_load_desc_t){.name = "town", .accept_loss = true}, &image, &f->error),
      STORE_DAMAGED);
}

TEST_IN(room_continues_from_the_older_snapshot_if_the_newest_is_missing, fixture_t, f) {
  fill_town(f);
  run_sql(f, "DELETE FROM snapshot WHERE number = 20");
  assert_loads(f, f->a, "town", 10, 35);
}

TEST_IN(missing_table_is_reported_as_damage, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  run_sql(f, "DROP TABLE snapshot");
  assert_result(f, commit_records(f, f->a, &claim, 1, true), STORE_DAMAGED);
  assert_says(f, "restore a backup");
}

// --- saves

TEST_IN(save_can_be_loaded_until_it_is_damaged, fixture_t, f) {
  room_save_image_t save = {0};
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  assert_done(f, world_store_load_save(f->b, "town", &save, &f->error));
  assert_false(save.has_save);
  for (uint32_t i = 0; i < 2; ++i) {
    char bytes[] = "save 0";
    bytes[5] = (char)('0' + i);
    room_save_t row = {.number = 4, .tick = 4, .bytes = (const uint8_t *)bytes, .size = sizeof bytes, .code = 6 + i};
    room_commit_t commit = {.tick = 4, .state = ROOM_STATE_SLEEPING, .save = &row};
    assert_done(f, world_store_commit(f->a, &claim, &commit, &f->error));
  }
  assert_done(f, world_store_load_save(f->b, "town", &save, &f->error));
  assert_true(save.has_save);
  assert_string_equal((const char *)save.save.bytes, "save 1");
  assert_string_equal(save.engine, "engine 1");
  assert_int_equal(save.base, 77);
  assert_int_equal(save.save.code, 7);
  run_sql(f, "UPDATE save SET engine = 'engine 2'");
  assert_result(f, world_store_load_save(f->b, "town", &save, &f->error), STORE_DAMAGED);
  assert_says(f, "its save is malformed");
  assert_int_equal(save.memory.blocks, 0);
}

TEST_IN(room_that_begins_anew_loses_its_former_records, fixture_t, f) {
  uint8_t bytes[256];
  test_snapshot_t snapshot;
  fill_town(f);
  room_claim_t claim = start_room(f, "town");
  make_snapshot(40, &snapshot);
  room_block_t block = make_block(41, 42, bytes, sizeof bytes);
  room_commit_t commit = {.blocks = &block,
                          .block_count = 1,
                          .tick = 42,
                          .state = ROOM_STATE_RUNNING,
                          .snapshot = &snapshot.row,
                          .begins_anew = true};
  assert_done(f, world_store_commit(f->a, &claim, &commit, &f->error));
  assert_loads(f, f->b, "town", 40, 42);
  int64_t rows;
  assert_done(f, store_query_number(f->b, "SELECT count(*) FROM journal", NULL, 0, &rows, &f->error));
  assert_int_equal(rows, 1);
}
