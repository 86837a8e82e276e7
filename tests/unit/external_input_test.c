// External input: results within one frame, and games that fail to start.
#include "time/external_input.h"

#include "base/files.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
  external_begin_frame(o, 7, NULL);
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
  external_begin_frame(o, 7, NULL);
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

TEST(deferred_requests_for_assets_are_recorded_later_and_compared) {
  allocator_t a = {0};
  assets_t assets = {0};
  char path[sizeof assets.game + 16];
  external_deferred_t list = {0};
  external_o *o = external_create(&a);
  snprintf(assets.game, sizeof assets.game, "%s/deferred_assets", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  snprintf(path, sizeof path, "%s/late.png", assets.game);
  mkdir(assets.game, 0755);
  remove(path);
  external_begin_frame(o, 1, NULL);
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
