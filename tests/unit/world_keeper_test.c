// The thread that keeps the ownership of a world: serve/world_keeper.h.
#include "served_fixture.h"

#include "base/now.h"
#include "serve/world_keeper.h"

#include <time.h>

#define LIMIT_NS (INT64_C(20) * 1000000000)

FIXTURE(fixture_t, setup, teardown)

static world_keeper_o *create_keeper(fixture_t *f) {
  world_store_desc_t desc = {.path = f->path, .game = "hamlet", .busy_ms = 1000};
  world_keeper_o *k = world_keeper_create(&desc, f->owner, &f->error);
  if (!k)
    fail_msg("%s", f->error.text);
  return k;
}

static void pause_test(void) {
  nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static bool has_reason(fixture_t *f, const char *reason) {
  room_list_t list = {0};
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  bool has = list.count == 1 && strcmp(list.items[0].name, "town") == 0 && strcmp(list.items[0].reason, reason) == 0;
  room_list_free(&list);
  return has;
}

// The thread waits for the database for up to 1 s at a time.
TEST_IN(supervisor_does_not_wait_while_the_database_is_locked, fixture_t, f) {
  world_keeper_o *k = create_keeper(f);
  run_sql(f, "BEGIN IMMEDIATE");
  world_keeper_add_reason(k, "town", "first");
  for (uint32_t i = 0; i < 20; ++i) { // adds reasons while the thread waits
    pause_test();
    int64_t begin = now_ns();
    world_keeper_add_reason(k, "town", "broken");
    world_keeper_get_status(k);
    assert_in_range(now_ns() - begin, 0, 500000000);
  }
  run_sql(f, "ROLLBACK");
  for (int64_t end = now_ns() + LIMIT_NS; !has_reason(f, "broken") && now_ns() < end;)
    pause_test();
  assert_true(has_reason(f, "broken"));
  world_keeper_destroy(k);
}

TEST_IN(failed_beats_are_reported_until_the_database_answers, fixture_t, f) {
  world_keeper_o *k = create_keeper(f);
  run_sql(f, "BEGIN IMMEDIATE");
  for (int64_t end = now_ns() + LIMIT_NS; !world_keeper_get_status(k).is_failing && now_ns() < end;)
    pause_test();
  assert_true(world_keeper_get_status(k).is_failing);
  assert_non_null(strstr(world_keeper_get_status(k).error.text, "a different program holds the database"));
  run_sql(f, "ROLLBACK");
  for (int64_t end = now_ns() + LIMIT_NS; world_keeper_get_status(k).is_failing && now_ns() < end;)
    pause_test();
  assert_false(world_keeper_get_status(k).is_failing);
  assert_false(world_keeper_get_status(k).is_lost);
  world_keeper_destroy(k);
}

TEST_IN(lost_world_is_reported_by_the_next_beat, fixture_t, f) {
  int64_t owner;
  world_keeper_o *k = create_keeper(f);
  assert_done(f, world_store_claim_world(f->b, true, &owner, &f->error));
  for (int64_t end = now_ns() + LIMIT_NS; !world_keeper_get_status(k).is_lost && now_ns() < end;)
    pause_test();
  assert_true(world_keeper_get_status(k).is_lost);
  world_keeper_add_reason(k, "town", "broken");
  world_keeper_destroy(k);
  assert_false(has_reason(f, "broken"));
}

// The first beat may precede the lock. The reason is stored when the keeper is destroyed.
TEST_IN(reasons_are_stored_when_the_keeper_is_destroyed, fixture_t, f) {
  world_keeper_o *k = create_keeper(f);
  world_keeper_add_reason(k, "town", "broken");
  world_keeper_destroy(k);
  assert_true(has_reason(f, "broken"));
}
