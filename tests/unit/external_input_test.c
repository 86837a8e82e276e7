// External input: results within one frame, and games that fail to start.
#include "base/file_system.h"
#include "time/external_input.h"

#include "base/files.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Returns the number of calls so far as the bytes that were read.
static bool read_count(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                       error_info_t *error) {
  uint32_t *calls = context;
  (void)key, (void)error;
  *calls += 1;
  *size = 1;
  *bytes = alloc_resize(a, NULL, 0, 2);
  snprintf(*bytes, 2, "%u", *calls);
  return true;
}

static const char *request_scene(external_o *o, uint32_t *calls) {
  return (const char *)external_request(o, EXTERNAL_SCENE, "wall", read_count, calls)->bytes;
}

static uint32_t count_unrecorded(external_o *o) {
  uint32_t count = 0;
  uint64_t tick;
  while (external_next_unrecorded(o, &tick) != NULL)
    ++count;
  return count;
}

TEST(failed_start_keeps_external_results_of_the_running_game) {
  allocator_t a = {0};
  uint32_t calls = 0;
  external_o *o = external_create(&a);
  external_begin_tick(o, 7, EXTERNAL_LIVE, NULL);
  assert_false(external_asset_exists(o, "late.png", NULL));
  assert_true(external_check_content(o, "wall.dye", 5));
  assert_int_equal(external_count_call(o, "wire"), 1);
  assert_string_equal(request_scene(o, &calls), "1");
  assert_int_equal(count_unrecorded(o), 3);

  external_begin_start(o);
  assert_string_equal(request_scene(o, &calls), "2");
  assert_int_equal(external_count_call(o, "wire"), 1);
  assert_false(external_asset_exists(o, "late.png", NULL));
  external_check_content(o, "wall.dye", 6);
  external_end_start(o, false);

  assert_int_equal(count_unrecorded(o), 0);
  assert_string_equal(request_scene(o, &calls), "1");
  assert_int_equal(external_count_call(o, "wire"), 2);
  assert_false(external_asset_exists(o, "late.png", NULL));
  external_check_content(o, "wall.dye", 5);
  assert_int_equal(count_unrecorded(o), 0);
  external_destroy(o);
  assert_int_equal(a.bytes, 0);
}

TEST(successful_start_keeps_its_own_external_results) {
  allocator_t a = {0};
  uint32_t calls = 0;
  external_o *o = external_create(&a);
  external_begin_tick(o, 7, EXTERNAL_LIVE, NULL);
  assert_string_equal(request_scene(o, &calls), "1");
  assert_false(external_asset_exists(o, "late.png", NULL));
  assert_int_equal(count_unrecorded(o), 2);

  external_begin_start(o);
  assert_string_equal(request_scene(o, &calls), "2");
  external_end_start(o, true);

  assert_string_equal(request_scene(o, &calls), "2");
  assert_int_equal(count_unrecorded(o), 1);
  assert_false(external_asset_exists(o, "late.png", NULL));
  assert_int_equal(count_unrecorded(o), 1);
  external_destroy(o);
  assert_int_equal(a.bytes, 0);
}

TEST(tick_that_runs_again_reuses_its_results_and_records_nothing) {
  allocator_t a = {0};
  uint32_t calls = 0;
  external_o *o = external_create(&a);
  input_log_o *log = input_log_create(&a);
  external_result_t *result = external_result_create(EXTERNAL_SCENE, "wall", true, "first", 5);
  input_log_add_result(log, 7, result);
  external_result_release(result);

  external_begin_tick(o, 7, EXTERNAL_LOG, log);
  assert_string_equal(request_scene(o, &calls), "first");
  assert_string_equal((const char *)external_request(o, EXTERNAL_SAVE, "slot", read_count, &calls)->bytes, "1");
  external_end_tick(o);
  input_log_destroy(log);
  assert_int_equal(count_unrecorded(o), 0);

  external_begin_tick(o, 7, EXTERNAL_LIVE, NULL);
  assert_string_equal(request_scene(o, &calls), "2");
  external_end_tick(o);
  assert_int_equal(count_unrecorded(o), 1);
  external_destroy(o);
  assert_int_equal(a.bytes, 0);
}

TEST(only_the_host_of_a_match_reads_and_only_up_to_the_limits) {
  allocator_t a = {0};
  uint32_t calls = 0;
  char key[16];
  external_o *o = external_create(&a);
  external_begin_tick(o, 7, EXTERNAL_PEER, NULL);
  assert_false(external_request(o, EXTERNAL_SCENE, "wall", read_count, &calls)->found);
  assert_true(external_has_missed(o));
  external_end_tick(o);
  assert_int_equal(calls, 0);

  external_begin_tick(o, 7, EXTERNAL_HOST, NULL);
  assert_false(external_has_missed(o));
  for (uint32_t i = 0; i <= EXTERNAL_MATCH_RESULTS; ++i) {
    snprintf(key, sizeof key, "scene %u", i);
    bool found = external_request(o, EXTERNAL_SCENE, key, read_count, &calls)->found;
    assert_int_equal(found, i < EXTERNAL_MATCH_RESULTS);
  }
  external_end_tick(o);
  assert_true(external_has_missed(o));
  assert_non_null(external_get_match_result(o, EXTERNAL_MATCH_RESULTS - 1));
  assert_null(external_get_match_result(o, EXTERNAL_MATCH_RESULTS));
  assert_int_equal(count_unrecorded(o), 0);
  external_destroy(o);
  assert_int_equal(a.bytes, 0);
}

TEST(deferred_requests_for_assets_are_recorded_later_and_compared) {
  allocator_t a = {0};
  assets_t assets = {0};
  char path[sizeof assets.game + 16];
  external_deferred_t list = {0};
  external_o *o = external_create(&a);
  snprintf(assets.game, sizeof assets.game, "%s/deferred_assets", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  snprintf(path, sizeof path, "%s/late.png", assets.game);
  file_system_create_folder(assets.game, false);
  remove(path);
  external_begin_tick(o, 1, EXTERNAL_LIVE, NULL);
  external_defer(&list);
  assert_false(external_asset_exists(o, "late.png", &assets));
  assert_false(external_asset_exists(o, "other.png", &assets));
  external_defer(NULL);
  assert_int_equal(count_unrecorded(o), 0);
  assert_true(external_request_deferred(o, &list, &assets));
  assert_int_equal(count_unrecorded(o), 2);
  assert_true(file_write(path, "x", 1, NULL));
  assert_true(external_request_deferred(o, &list, &assets)); // the first result is kept
  external_clear_assets(o);
  assert_false(external_request_deferred(o, &list, &assets));
  external_free_deferred(&list);
  external_destroy(o);
  assert_int_equal(a.bytes, 0);
  remove(path);
  rmdir(assets.game);
}
