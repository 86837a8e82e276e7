// Writing and reading recordings: time/recording.h.
// slow: takes seconds under the sanitizers
#include "ecs_fixture.h"
#include "../slowdown.h"

#include "process/child.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text_search.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"
#include "time/snapshot_packer.h"
#include "time/recording.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct recording_fixture_t {
  world_o *w;
  allocator_t memory;
  char path[64];
  journal_o *journal;
  recorder_o *r;
  input_state_t before, now;
  random_t random;
} recording_fixture_t;

static const recording_head_t HEAD = {
    .game = "A game", .seed = 7, .game_hash = 11, .engine_hash = 12, .tick_rate = 60, .history_mb = 4};

SETUP(recording_fixture_t, t) {
  t->w = make_world();
  strcpy(t->path, "/tmp/shoal_replay_XXXXXX");
  int file = mkstemp(t->path);
  assert_true(file >= 0);
  close(file);
  random_seed(&t->random, 3);
  t->journal = journal_create(&t->memory);
  t->r = recorder_create(t->journal, &HEAD, t->path, NULL);
  assert_non_null(t->r);
}

TEARDOWN(recording_fixture_t, t) {
  recorder_destroy(t->r);
  journal_destroy(t->journal);
  world_destroy(t->w);
  assert_int_equal(t->memory.blocks, 0);
  unlink(t->path);
}

static void change_input_randomly(recording_fixture_t *t) {
  t->before = t->now;
  t->now.keys[random_u32(&t->random) % INPUT_KEYS] ^= 1;
  if (random_u32(&t->random) % 4 == 0)
    t->now.mouse_x = (float)(random_u32(&t->random) % 1000);
  t->now.wheel = random_u32(&t->random) % 9 == 0 ? 1.0f : 0.0f;
}

static void record_tick(recording_fixture_t *t) {
  change_input_randomly(t);
  SPAWN(t->w, POSITION);
  world_end_tick(t->w);
  recorder_add_tick(t->r, &t->before, &t->now, t->w);
}

static size_t size_of_head(void) {
  return sizeof(char[8]) + 2 * sizeof(uint32_t) + sizeof(recording_head_t) + sizeof(uint64_t);
}

static void finish_recording(recording_fixture_t *t) {
  recorder_destroy(t->r);
  t->r = NULL;
}

static recording_o *open_recording(recording_fixture_t *t) {
  error_info_t error = {0};
  recording_o *p = recording_open(&t->memory, t->path, &error);
  if (!p)
    fail_msg("%s", error.text);
  return p;
}

TEST_IN(recording_returns_the_recorded_input_and_hashes_of_each_tick, recording_fixture_t, t) {
  input_state_t logged[300];
  uint32_t hashes[300];
  uint16_t positions[300];
  for (uint32_t i = 0; i < 300; ++i) {
    record_tick(t);
    logged[i] = t->now;
    hashes[i] = (uint32_t)world_hash(t->w);
    positions[i] = recording_component_hash(t->w, POSITION);
  }
  finish_recording(t);
  recording_o *p = open_recording(t);
  recording_item_t item;
  assert_string_equal(recording_head(p)->game, "A game");
  assert_int_equal(recording_head(p)->seed, 7);
  assert_null(recording_snapshot(p));
  for (uint32_t i = 0; i < 300; ++i) {
    recording_read_item(p, &item, NULL);
    assert_int_equal(item.kind, RECORD_TICK);
    assert_true(item.has_hash);
    assert_memory_equal(&item.input, &logged[i], sizeof item.input);
    if (i > 0)
      assert_memory_equal(&item.previous_input, &logged[i - 1], sizeof item.previous_input);
    assert_int_equal(item.hash, hashes[i]);
    assert_int_equal(item.components[POSITION - 1], positions[i]);
  }
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_END);
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_END);
  recording_close(p);
}

TEST_IN(pauses_rewinds_and_reloads_are_recorded_in_order, recording_fixture_t, t) {
  static const record_kind_t kinds[] = {RECORD_TICK, RECORD_FRAME,   RECORD_FRAME,  RECORD_BACK, RECORD_BACK,
                                        RECORD_TICK, RECORD_FORWARD, RECORD_RELOAD, RECORD_TICK, RECORD_END};
  record_tick(t);
  change_input_randomly(t);
  journal_add_frame(t->journal, world_tick(t->w) + 1, &t->before, &t->now);
  change_input_randomly(t);
  journal_add_frame(t->journal, world_tick(t->w) + 1, &t->before, &t->now);
  recorder_add_rewind(t->r, 1, world_tick(t->w));
  recorder_add_rewind(t->r, 300, 1);
  record_tick(t);
  recorder_add_step_forward(t->r, world_tick(t->w));
  recorder_add_reload(t->r, 99);
  record_tick(t);
  finish_recording(t);
  recording_o *p = open_recording(t);
  for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    recording_item_t item;
    recording_read_item(p, &item, NULL);
    assert_int_equal(item.kind, kinds[i]);
    if (i == 4)
      assert_int_equal(item.ticks, 300);
    if (i == 7)
      assert_int_equal(item.game_hash, 99);
    if (i == 8)
      assert_memory_equal(&item.input, &t->now, sizeof t->now);
  }
  recording_close(p);
}

TEST_IN(recording_excerpt_starts_with_a_snapshot_and_ends_at_the_current_tick, recording_fixture_t, t) {
  error_info_t error = {0};
  history_o *h = history_create(&t->memory, 8 << 20);
  history_add_snapshot(h, t->w);
  for (uint32_t i = 0; i < 2500; ++i) {
    record_tick(t);
    history_add_snapshot(h, t->w);
    if (world_entities(t->w)->alive_count > 100)
      world_query_destroy_entities(t->w, QUERY(t->w, HAS(POSITION)));
  }
  finish_recording(t);
  t->r = recorder_create(t->journal, &HEAD, NULL, NULL);
  assert_false(recorder_write_excerpt(t->r, h, NULL, t->path, &error));
  assert_string_equal(error.text, "no ticks were recorded after the last step back, reload or start");
  for (uint32_t i = 0; i < 2500; ++i) {
    record_tick(t);
    history_add_snapshot(h, t->w);
  }
  if (!recorder_write_excerpt(t->r, h, NULL, t->path, &error))
    fail_msg("%s", error.text);
  recording_o *p = open_recording(t);
  const snapshot_o *s = recording_snapshot(p);
  assert_non_null(s);
  uint64_t from = snapshot_tick(s), ticks = 0;
  assert_true(from >= 5000 - 1800 - JOURNAL_BLOCK_RECORDS && from <= 5000 - 1800);
  for (recording_item_t item = {.kind = RECORD_TICK}; item.kind == RECORD_TICK; ++ticks)
    recording_read_item(p, &item, &error);
  assert_int_equal(from + ticks - 1, 5000);
  recording_close(p);
  history_destroy(h);
}

static void add_result(recording_fixture_t *t, external_kind_t kind, const char *key, const char *text, bool start) {
  external_result_t *a = external_result_create(kind, key, text != NULL, text, text ? strlen(text) : 0);
  journal_add_result(t->journal, a);
  if (start)
    recorder_keep_start_result(t->r, a);
  external_result_release(a);
}

static void check_result(const external_result_t *a, external_kind_t kind, const char *key, const char *text) {
  assert_non_null(a);
  assert_int_equal(a->kind, kind);
  assert_string_equal(a->key, key);
  assert_int_equal(a->found, text != NULL);
  assert_string_equal((const char *)a->bytes, text ? text : "");
}

// The current world can be saved without another tick, so an excerpt that is written right after a reload contains the
// world that the user sees.
TEST_IN(recording_excerpt_after_a_reload_contains_the_current_world, recording_fixture_t, t) {
  error_info_t error = {0};
  history_o *h = history_create(&t->memory, 8 << 20);
  finish_recording(t);
  t->r = recorder_create(t->journal, &HEAD, NULL, NULL);
  history_add_snapshot(h, t->w);
  for (uint32_t i = 0; i < 100; ++i) {
    record_tick(t);
    history_add_snapshot(h, t->w);
  }
  recorder_add_reload(t->r, 99);
  history_add_snapshot(h, t->w);
  add_result(t, EXTERNAL_ASSET, "rock.png", NULL, true);
  snapshot_o *now = snapshot_create(&t->memory);
  assert_true(snapshot_take(now, t->w, &error));
  if (!recorder_write_excerpt(t->r, h, now, t->path, &error))
    fail_msg("%s", error.text);
  snapshot_release(now);
  recording_o *p = open_recording(t);
  assert_int_equal(snapshot_tick(recording_snapshot(p)), world_tick(t->w));
  assert_int_equal(recording_head(p)->game_hash, 99);
  external_result_t *a = recording_read_next_result(p);
  check_result(a, EXTERNAL_ASSET, "rock.png", NULL);
  external_result_release(a);
  recording_item_t item;
  recording_read_item(p, &item, &error);
  assert_int_equal(item.kind, RECORD_END);
  recording_close(p);
  history_destroy(h);
}

// Checks that the record after the first ticks of the recording has this kind. Stores it in `item`, and returns the
// number of ticks.
static uint64_t count_ticks_before(recording_fixture_t *t, record_kind_t kind, recording_item_t *item) {
  error_info_t error = {0};
  recording_o *p = open_recording(t);
  uint64_t ticks = 0;
  for (recording_read_item(p, item, &error); item->kind == RECORD_TICK; recording_read_item(p, item, &error))
    ++ticks;
  assert_int_equal(item->kind, kind);
  recording_close(p);
  return ticks;
}

static bool has_excerpt_ticks(recording_fixture_t *t, history_o *h) {
  recording_excerpt_o *e = recorder_copy_excerpt(t->r, h, t->w, NULL);
  assert_non_null(e);
  bool has_ticks = recording_excerpt_has_ticks(e);
  recording_excerpt_destroy(e);
  return has_ticks;
}

// Moves the world back in the history, as keys do.
static void rewind_to(recording_fixture_t *t, history_o *h, uint64_t tick) {
  error_info_t error = {0};
  uint64_t ticks = world_tick(t->w) - tick;
  assert_int_equal(history_rewind(h, t->w, ticks, &error), ticks);
  recorder_add_rewind(t->r, ticks, tick);
}

static void play_ticks(recording_fixture_t *t, history_o *h, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    record_tick(t);
    history_add_snapshot(h, t->w);
  }
}

// Checks that the snapshot after `played` ticks of the recording equals the history's snapshot at `tick`.
static void check_played(recording_fixture_t *t, history_o *h, uint64_t played, uint64_t tick) {
  error_info_t error = {0};
  uint64_t found = 0;
  recording_o *p = open_recording(t);
  snapshot_o *copy = snapshot_create(&t->memory);
  if (!recording_copy_snapshot(p, played, 1u << 24, copy, &error))
    fail_msg("%s", error.text);
  assert_int_equal(snapshot_tick(copy), tick);
  assert_true(snapshot_is_equal(copy, history_find_snapshot(h, tick, &found, &error)));
  snapshot_release(copy);
  recording_close(p);
}

TEST_IN(recording_excerpt_contains_the_rewinds_in_its_time_range, recording_fixture_t, t) {
  error_info_t error = {0};
  recording_item_t item;
  history_o *h = history_create(&t->memory, 8 << 20);
  finish_recording(t);
  t->r = recorder_create(t->journal, &HEAD, NULL, NULL);
  history_add_snapshot(h, t->w);
  play_ticks(t, h, 100);
  rewind_to(t, h, 60);
  assert_true(has_excerpt_ticks(t, h));
  if (!recorder_write_excerpt(t->r, h, NULL, t->path, &error))
    fail_msg("%s", error.text);
  assert_int_equal(count_ticks_before(t, RECORD_BACK, &item), 100);
  assert_int_equal(item.ticks, 40);
  assert_true(recorder_block_is_due(t->r)); // the next tick abandons the 40 ticks
  play_ticks(t, h, 70);
  rewind_to(t, h, 110);
  play_ticks(t, h, 5);
  if (!recorder_write_excerpt(t->r, h, NULL, t->path, &error))
    fail_msg("%s", error.text);
  recording_o *p = open_recording(t);
  static const uint32_t TICKS[] = {100, 70, 5}, BACKS[] = {40, 20};
  assert_int_equal(snapshot_tick(recording_snapshot(p)), 0);
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t k = 0; k < TICKS[i]; ++k) {
      recording_read_item(p, &item, &error);
      assert_int_equal(item.kind, RECORD_TICK);
    }
    recording_read_item(p, &item, &error);
    assert_int_equal(item.kind, i < 2 ? RECORD_BACK : RECORD_END);
    assert_int_equal(item.ticks, i < 2 ? BACKS[i] : 0);
  }
  recording_close(p);
  check_played(t, h, 50, 50);
  check_played(t, h, 100 + 50, 110);
  check_played(t, h, 175, 115);
  history_destroy(h);
}

// The history drops the ticks after the target of a rewind, and a replay can only rewind to its own ticks.
TEST_IN(recording_excerpt_begins_before_the_ticks_to_which_it_rewinds, recording_fixture_t, t) {
  error_info_t error = {0};
  recording_item_t item;
  history_o *h = history_create(&t->memory, 64 << 20);
  finish_recording(t);
  t->r = recorder_create(t->journal, &HEAD, NULL, NULL);
  history_add_snapshot(h, t->w);
  play_ticks(t, h, 5000);
  rewind_to(t, h, 1000); // long before the last 30 s
  play_ticks(t, h, 300);
  if (!recorder_write_excerpt(t->r, h, NULL, t->path, &error))
    fail_msg("%s", error.text);
  recording_o *p = open_recording(t);
  uint64_t start = snapshot_tick(recording_snapshot(p));
  recording_close(p);
  assert_true(start <= 1000 && start > 1000 - 2 * JOURNAL_BLOCK_RECORDS);
  assert_int_equal(count_ticks_before(t, RECORD_BACK, &item), 5000 - start);
  check_played(t, h, 5000 - start + 300, 1300);
  play_ticks(t, h, 1800); // 30 s later, the rewind is not part of the excerpt
  if (!recorder_write_excerpt(t->r, h, NULL, t->path, &error))
    fail_msg("%s", error.text);
  assert_true(count_ticks_before(t, RECORD_END, &item) <= 1800 + 2 * JOURNAL_BLOCK_RECORDS);
  history_destroy(h);
}

// --- excerpts written by another thread

typedef struct excerpt_writer_t {
  recording_excerpt_o *excerpt;
  char path[80];
  bool ok;
  error_info_t error;
} excerpt_writer_t;

static void *write_copied_excerpt(void *context) {
  excerpt_writer_t *writer = context;
  writer->ok = recording_excerpt_write(writer->excerpt, writer->path, &writer->error);
  return NULL;
}

static void assert_equal_files(recording_fixture_t *t, const char *left_path, const char *right_path) {
  size_t left_size = 0, right_size = 0;
  char *left = file_read(&t->memory, left_path, &left_size, NULL);
  char *right = file_read(&t->memory, right_path, &right_size, NULL);
  assert_true(left && right);
  assert_int_equal(left_size, right_size);
  assert_memory_equal(left, right, left_size);
  file_free(&t->memory, left, left_size);
  file_free(&t->memory, right, right_size);
}

// Records ticks as a window does: keeps only every fourth state and the states in which a chunk begins.
static void play(recording_fixture_t *t, history_o *h, uint32_t ticks) {
  for (uint32_t i = 0; i < ticks; ++i) {
    if (world_tick(t->w) % 4 == 0 || recorder_block_is_due(t->r))
      history_add_snapshot(h, t->w);
    record_tick(t);
    if (world_entities(t->w)->alive_count > 100)
      world_query_destroy_entities(t->w, QUERY(t->w, HAS(POSITION)));
  }
}

static void record_in_memory(recording_fixture_t *t) {
  finish_recording(t);
  t->r = recorder_create(t->journal, &HEAD, NULL, NULL);
}

// The history is so small that it has evicted the states of the oldest chunks, and will evict the excerpts' states.
TEST_IN(copied_excerpts_do_not_change_while_the_game_continues, recording_fixture_t, t) {
  error_info_t error = {0};
  excerpt_writer_t writers[2] = {{.excerpt = NULL}};
  pthread_t threads[2];
  char direct_path[80];
  uint64_t oldest = 0, newest = 0;
  history_o *h = history_create(&t->memory, 900000);
  history_use_thread(h, HISTORY_LATE_WAITS);
  record_in_memory(t);
  play(t, h, 3000);
  add_result(t, EXTERNAL_ASSET, "rock.png", "bytes", true);
  play(t, h, 1000);
  for (uint32_t i = 0; i < 2; ++i) { // copies two excerpts in quick succession, while states are still being packed
    snprintf(writers[i].path, sizeof writers[i].path, "%s.%u", t->path, i);
    play(t, h, 3);
    writers[i].excerpt = recorder_copy_excerpt(t->r, h, t->w, &error);
    assert_non_null(writers[i].excerpt);
    assert_true(recording_excerpt_has_ticks(writers[i].excerpt));
  }
  snprintf(direct_path, sizeof direct_path, "%s.direct", t->path);
  assert_true(recorder_write_excerpt(t->r, h, NULL, direct_path, &error));
  history_get_range(h, &oldest, &newest);
  for (uint32_t i = 0; i < 2; ++i) {
    assert_true(recording_excerpt_is_complete(writers[i].excerpt, true));
    assert_int_equal(pthread_create(&threads[i], NULL, write_copied_excerpt, &writers[i]), 0);
  }
  play(t, h, 3000);
  finish_recording(t);
  history_destroy(h);
  for (uint32_t i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    recording_excerpt_destroy(writers[i].excerpt);
    if (!writers[i].ok)
      fail_msg("%s", writers[i].error.text);
  }
  assert_equal_files(t, writers[1].path, direct_path);
  rename(writers[0].path, t->path);
  recording_item_t item;
  recording_o *p = open_recording(t);
  uint64_t first = snapshot_tick(recording_snapshot(p));
  assert_true(first >= oldest && first > 4003 - 1800 - 2 * JOURNAL_BLOCK_RECORDS);
  external_result_t *result = recording_read_next_result(p);
  check_result(result, EXTERNAL_ASSET, "rock.png", "bytes");
  external_result_release(result);
  recording_close(p);
  p = open_recording(t);
  uint64_t ticks = 0;
  for (recording_read_item(p, &item, &error); item.kind != RECORD_END; recording_read_item(p, &item, &error)) {
    ticks += item.kind == RECORD_TICK;
    external_result_release(item.result);
    assert_true(item.kind == RECORD_TICK || item.kind == RECORD_ITEMS);
  }
  recording_close(p);
  assert_int_equal(first + ticks, 4003);
  unlink(writers[1].path);
  unlink(direct_path);
}

// The first states are still being packed, and the history that packs them ends before they are written.
TEST_IN(copied_excerpt_of_the_first_ticks_waits_for_their_states, recording_fixture_t, t) {
  error_info_t error = {0};
  recording_item_t item;
  for (uint32_t i = 0; i < 30000; ++i)
    SPAWN(t->w, POSITION, HEALTH);
  history_o *h = history_create(&t->memory, 64 << 20);
  history_use_thread(h, HISTORY_LATE_WAITS);
  record_in_memory(t);
  history_add_snapshot(h, t->w);
  record_tick(t);
  history_add_snapshot(h, t->w);
  record_tick(t);
  excerpt_writer_t writer = {.excerpt = recorder_copy_excerpt(t->r, h, t->w, &error)};
  assert_non_null(writer.excerpt);
  snprintf(writer.path, sizeof writer.path, "%s", t->path);
  history_destroy(h);
  assert_true(recording_excerpt_is_complete(writer.excerpt, false));
  write_copied_excerpt(&writer);
  assert_true(writer.ok);
  recording_excerpt_destroy(writer.excerpt);
  assert_int_equal(count_ticks_before(t, RECORD_END, &item), 2);
}

TEST_IN(copied_excerpt_without_recorded_ticks_contains_the_current_world, recording_fixture_t, t) {
  error_info_t error = {0};
  recording_item_t item;
  record_in_memory(t);
  assert_null(recorder_copy_excerpt(t->r, NULL, t->w, &error));
  assert_string_equal(error.text, "the history is disabled: set history in game.lua, or pass --history MB");
  history_o *h = history_create(&t->memory, 8 << 20);
  play(t, h, 100);
  recorder_add_reload(t->r, 99);
  SPAWN(t->w, POSITION); // stands in for a migration that spawns entities
  excerpt_writer_t writer = {.excerpt = recorder_copy_excerpt(t->r, h, t->w, &error)};
  assert_false(recording_excerpt_has_ticks(writer.excerpt));
  snprintf(writer.path, sizeof writer.path, "%s", t->path);
  write_copied_excerpt(&writer);
  assert_true(writer.ok);
  recording_excerpt_destroy(writer.excerpt);
  uint64_t hash = world_hash(t->w);
  assert_int_equal(count_ticks_before(t, RECORD_END, &item), 0);
  recording_o *p = open_recording(t);
  assert_true(snapshot_restore(recording_snapshot(p), t->w, &error));
  assert_true(world_hash(t->w) == hash);
  recording_close(p);
  history_destroy(h);
}

TEST_IN(excerpt_that_does_not_fit_the_disk_is_removed, recording_fixture_t, t) {
  error_info_t error = {0};
  struct rlimit saved;
  history_o *h = history_create(&t->memory, 8 << 20);
  record_in_memory(t);
  play(t, h, 200);
  excerpt_writer_t writer = {.excerpt = recorder_copy_excerpt(t->r, h, t->w, &error)};
  snprintf(writer.path, sizeof writer.path, "%s.full", t->path);
  getrlimit(RLIMIT_FSIZE, &saved);
  signal(SIGXFSZ, SIG_IGN); // the program also ignores this signal
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, saved.rlim_max});
  write_copied_excerpt(&writer);
  setrlimit(RLIMIT_FSIZE, &saved);
  signal(SIGXFSZ, SIG_DFL);
  assert_false(writer.ok);
  assert_non_null(strstr(writer.error.text, strerror(EFBIG)));
  assert_false(path_exists(writer.path));
  recording_excerpt_destroy(writer.excerpt);
  history_destroy(h);
}

TEST_IN(external_input_is_recorded_before_its_tick, recording_fixture_t, t) {
  add_result(t, EXTERNAL_EXEC, "1", "return 1", true);
  add_result(t, EXTERNAL_SAVE, "quick", NULL, false);
  parked_list_t parked = {.items = {0}};
  // the first park is not recorded, because the system fails again during the replay
  parked_list_add(&parked, &(parked_t){.kind = PARKED_SYSTEM, .name = "a/on hit"});
  parked_list_add(&parked, &(parked_t){.kind = PARKED_PLUGIN_SYSTEM, .name = "heat.cool", .undone = true});
  parked_list_add(&parked, &(parked_t){.kind = PARKED_SYSTEM, .name = "a/body", .stopped = true});
  for (uint32_t i = 0; i < parked.items.count; ++i)
    if (parked_is_recorded(&parked.items.items[i], false))
      journal_add_park(t->journal, &parked.items.items[i], HEAD.game_hash);
  record_tick(t);
  for (uint32_t i = 1; i < 70; ++i) { // crosses the end of a block, with a large entry in the middle
    char key[16];
    snprintf(key, sizeof key, "%u", i);
    add_result(t, EXTERNAL_PLUGIN, key, "bytes", false);
    if (i == 30) {
      char *large = calloc(1, 3 << 20);
      memset(large, 'x', (3 << 20) - 1);
      add_result(t, EXTERNAL_SCENE, "large", large, false);
      free(large);
    }
    record_tick(t);
  }
  add_result(t, EXTERNAL_SAVE, "last", "at the end", false); // the result of a request in the last tick
  finish_recording(t);
  parked_list_fini(&parked);
  recording_o *p = open_recording(t);
  recording_item_t item;
  external_result_t *a = recording_read_next_result(p);
  check_result(a, EXTERNAL_EXEC, "1", "return 1");
  external_result_release(a);
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_ITEMS);
  check_result(item.result, EXTERNAL_SAVE, "quick", NULL);
  external_result_release(item.result);
  assert_null(recording_read_next_result(p)); // returns NULL because a park record is next
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_ITEMS);
  assert_null(item.result);
  assert_string_equal(item.piece, "a/body");
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_TICK);
  for (uint32_t i = 1; i < 70; ++i) {
    char key[16];
    snprintf(key, sizeof key, "%u", i);
    check_result(a = recording_read_next_result(p), EXTERNAL_PLUGIN, key, "bytes");
    external_result_release(a);
    if (i == 30) {
      a = recording_read_next_result(p);
      assert_int_equal(a->size, (3 << 20) - 1);
      external_result_release(a);
    }
    do
      recording_read_item(p, &item, NULL);
    while (item.kind == RECORD_ITEMS); // parked pieces are repeated in each block
    assert_int_equal(item.kind, RECORD_TICK);
  }
  check_result(a = recording_read_next_result(p), EXTERNAL_SAVE, "last", "at the end");
  external_result_release(a);
  assert_null(recording_read_next_result(p));
  recording_read_item(p, &item, NULL);
  while (item.kind == RECORD_ITEMS)
    recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_END);
  assert_true(recording_has_hashes(p));
  recording_close(p);
}

static void fix_checksums(uint8_t *bytes, size_t size);

// Forges unknown kinds, keys that contain a zero byte, and sizes beyond the end of the data.
TEST_IN(forged_external_input_is_rejected, recording_fixture_t, t) {
  static const uint8_t forged[][6] = {
      {RECORD_ITEM_RESULT, 6, 0x80, 1, 'k', 'a'},      {RECORD_ITEM_RESULT, 6, 0x80 | 77, 1, 'k', 'a'},
      {RECORD_ITEM_RESULT, 6, 0x84, 2, 'k', 0},        {RECORD_ITEM_RESULT, 6, 0x84, 200, 'k', 'a'},
      {RECORD_ITEM_RESULT, 0xff, 0xff, 0xff, 0x7f, 1}, {RECORD_ITEM_KIND_COUNT, 6, 0x84, 1, 'k', 'a'},
  };
  add_result(t, EXTERNAL_SCENE, "k", "abc", false);
  record_tick(t);
  finish_recording(t);
  size_t size = 0;
  error_info_t error = {0};
  char *bytes = file_read(&t->memory, t->path, &size, NULL);
  uint8_t *at = (uint8_t *)(uintptr_t)text_search_bytes(bytes, size, "\2\6\x84\1k", 5);
  assert_non_null(at);
  for (size_t i = 0; i < sizeof forged / sizeof *forged; ++i) {
    uint8_t *copy = malloc(size);
    recording_item_t item = {.kind = RECORD_TICK};
    memcpy(copy, bytes, size);
    memcpy(copy + (at - (uint8_t *)bytes), forged[i], sizeof forged[i]);
    fix_checksums(copy, size);
    recording_o *p = recording_open_bytes(&t->memory, copy, size, &error);
    assert_non_null(p);
    assert_null(recording_read_next_result(p));
    recording_read_item(p, &item, &error);
    assert_int_equal(item.kind, RECORD_NONE);
    assert_non_null(strstr(error.text, "the recording contains an invalid record at byte "));
    recording_close(p);
    free(copy);
  }
  file_free(&t->memory, bytes, size);
}

TEST_IN(invalid_recording_files_are_rejected, recording_fixture_t, t) {
  error_info_t error;
  assert_null(recording_open_bytes(&t->memory, "SHOAL", 5, &error));
  assert_non_null(strstr(error.text, "not a recording"));
  assert_null(recording_open(&t->memory, "/nowhere/at/all", &error));
  assert_null(recorder_create(t->journal, &HEAD, "/nowhere/at/all", &error));
  assert_non_null(strstr(error.text, "/nowhere/at/all"));
}

// Recomputes the checksums of the header and of all complete chunks. File layout (time/recording.h): the header and its
// hash, then chunks, each with a hash, a size, a kind and data.
static void fix_checksums(uint8_t *bytes, size_t size) {
  size_t at = 16 + sizeof(recording_head_t);
  if (size < at + 8)
    return;
  uint64_t hash = hash_bytes(bytes + 16, sizeof(recording_head_t), 0);
  memcpy(bytes + at, &hash, sizeof hash);
  for (at += 8; at + 16 <= size;) {
    uint32_t length = 0, kind = 0;
    memcpy(&length, bytes + at + 8, sizeof length);
    memcpy(&kind, bytes + at + 12, sizeof kind);
    if (length > size - at - 16)
      return;
    hash = hash_bytes(bytes + at + 16, length, kind);
    memcpy(bytes + at, &hash, sizeof hash);
    at += 16 + (size_t)length;
  }
}

// Tries every truncation, and thousands of flipped bits with wrong and with corrected checksums.
TEST_IN(damaged_recordings_are_rejected_or_read_safely, recording_fixture_t, t) {
  error_info_t error = {0};
  uint32_t refused = 0, broken = 0, whole = 0;
  for (uint32_t i = 0; i < 130; ++i)
    record_tick(t);
  recorder_add_rewind(t->r, 5, world_tick(t->w));
  record_tick(t);
  finish_recording(t);
  size_t size = 0;
  uint8_t *file = (uint8_t *)file_read(&t->memory, t->path, &size, &error);
  uint8_t *bytes = malloc(size);
  for (uint32_t i = 0; i < 6000; ++i) {
    size_t used = i % 3 == 0 ? random_u32(&t->random) % size : size;
    memcpy(bytes, file, size);
    for (uint32_t k = 0; k < i % 4; ++k)
      bytes[random_u32(&t->random) % size] ^= (uint8_t)(1u << random_u32(&t->random) % 8);
    if (i % 2 == 0)
      fix_checksums(bytes, used);
    recording_o *p = recording_open_bytes(&t->memory, bytes, used, &error);
    if (!p) {
      refused++;
      assert_true(error.text[0] != '\0');
      continue;
    }
    recording_item_t item = {.kind = RECORD_TICK};
    for (uint32_t n = 0; item.kind != RECORD_END && item.kind != RECORD_NONE; ++n) {
      assert_true(n < 100000);
      recording_read_item(p, &item, &error);
      external_result_release(item.result); // a changed bit can turn another item into a result
    }
    broken += item.kind == RECORD_NONE;
    whole += item.kind == RECORD_END;
    recording_close(p);
  }
  assert_true(refused > 100 && broken > 100 && whole > 100);
  free(bytes);
  file_free(&t->memory, (char *)file, size);
}

// Records 200 ticks with their states. Restores an earlier snapshot before the 150th tick. hashes[i] receives the hash
// of the world after i recorded ticks.
static void record_states(recording_fixture_t *t, uint64_t hashes[201]) {
  history_o *h = history_create(&t->memory, 1 << 20);
  snapshot_o *s = snapshot_create(&t->memory);
  history_snapshot_t state;
  for (uint32_t i = 0; i <= 200; ++i) {
    if (i == 100)
      assert_true(snapshot_take(s, t->w, NULL));
    if (i == 150)
      assert_true(snapshot_restore(s, t->w, NULL));
    if (i > 0)
      record_tick(t);
    history_add_snapshot(h, t->w);
    assert_true(history_get_packed(h, history_count(h) - 1, &state));
    recorder_add_snapshot(t->r, &state);
    hashes[i] = world_hash(t->w);
  }
  finish_recording(t);
  snapshot_release(s);
  history_destroy(h);
}

TEST_IN(recorded_states_are_restored_and_the_record_order_is_kept, recording_fixture_t, t) {
  error_info_t error = {0};
  uint64_t hashes[201];
  record_states(t, hashes);
  recording_o *p = open_recording(t);
  snapshot_o *s = snapshot_create(&t->memory);
  recording_item_t item;
  for (uint32_t i = 0; i <= 200; i += 7) {
    assert_true(recording_copy_snapshot(p, i, 1u << 28, s, &error));
    assert_true(snapshot_restore(s, t->w, &error));
    assert_true(world_hash(t->w) == hashes[i]);
  }
  assert_false(recording_copy_snapshot(p, 201, 1u << 28, s, &error));
  assert_true(recording_copy_last_snapshot(p, 1u << 28, s, &error));
  assert_true(snapshot_restore(s, t->w, &error));
  assert_true(world_hash(t->w) == hashes[200]);
  assert_false(recording_copy_last_snapshot(p, 10, s, &error));
  for (uint32_t i = 0; i < 200; ++i) { // reading states between the records does not disturb their order
    recording_read_item(p, &item, NULL);
    assert_int_equal(item.kind, RECORD_TICK);
  }
  recording_read_item(p, &item, NULL);
  assert_int_equal(item.kind, RECORD_END);
  snapshot_release(s);
  recording_close(p);
}

#define STATES 3u // kind of a chunk

// The invalid states have valid checksums, as if an attacker had written them.
TEST_IN(corrupt_recorded_states_are_read_safely, recording_fixture_t, t) {
  uint64_t hashes[201];
  size_t size = 0;
  record_states(t, hashes);
  char *bytes = file_read(&t->memory, t->path, &size, NULL);
  assert_non_null(bytes);
  uint8_t *wrong = malloc(size);
  snapshot_o *s = snapshot_create(&t->memory);
  for (uint32_t round = 0; round < 300; ++round) {
    memcpy(wrong, bytes, size);
    for (size_t at = size_of_head(); at + 16 < size;) {
      uint32_t chunk = 0, kind = 0;
      memcpy(&chunk, wrong + at + 8, sizeof chunk);
      memcpy(&kind, wrong + at + 12, sizeof kind);
      uint8_t *in = wrong + at + 16;
      for (uint32_t i = 0; kind == STATES && i < 3; ++i)
        in[random_u32(&t->random) % chunk] = (uint8_t)random_u32(&t->random);
      uint64_t hash = hash_bytes(in, chunk, kind);
      memcpy(wrong + at, &hash, sizeof hash);
      at += 16 + chunk;
    }
    recording_o *p = recording_open_bytes(&t->memory, wrong, size, NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i <= 200; i += 40)
      recording_copy_snapshot(p, i, 1u << 28, s, NULL);
    recording_close(p);
  }
  snapshot_release(s);
  free(wrong);
  file_free(&t->memory, bytes, size);
}

static struct {
  recording_fixture_t *tape;
  history_o *history;
  volatile sig_atomic_t copies, unreadable;
  char path[80];
} crash;

// Runs in a child process. Returns true if it can write an excerpt that ends with the last recorded tick or the
// previous one.
static bool can_write_excerpt(recording_fixture_t *t, history_o *h) {
  error_info_t error;
  recording_item_t item = {.kind = RECORD_TICK};
  alloc_use_spare_memory(&t->memory);
  history_recover(h);
  if (!recorder_write_excerpt(t->r, h, NULL, crash.path, &error))
    return false;
  recording_o *p = recording_open(&t->memory, crash.path, &error);
  if (!p || !recording_snapshot(p))
    return false;
  uint64_t tick = snapshot_tick(recording_snapshot(p));
  for (recording_read_item(p, &item, &error); item.kind == RECORD_TICK; recording_read_item(p, &item, &error))
    ++tick;
  return item.kind == RECORD_END && tick <= world_tick(t->w) && tick + 2 > world_tick(t->w);
}

static void write_excerpt_in_child(int number) {
  int before = errno, status = 0;
  int child = child_fork();
  (void)number;
  if (child == 0) {
    alarm((unsigned)(200 * wall_slowdown()));
    _exit(can_write_excerpt(crash.tape, crash.history) ? 0 : 1);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  crash.unreadable += status != 0;
  ++crash.copies;
  errno = before;
}

// A timer interrupts the process at random points, for example inside malloc or in the middle of a record or a state.
// The handler forks a child process, which writes an excerpt as after a crash.
static void assert_excerpts_after_crashes(recording_fixture_t *t, bool threaded) {
  crash.tape = t;
  crash.history = history_create(&t->memory, 900000); // a small budget, which evicts old states
  if (threaded)
    history_use_thread(crash.history, HISTORY_LATE_WAITS);
  crash.copies = crash.unreadable = 0;
  snprintf(crash.path, sizeof crash.path, "%s.crash", t->path);
  history_add_snapshot(crash.history, t->w);
  signal(SIGVTALRM, write_excerpt_in_child);
  // Number of timers armed. Re-arming a timer before it expires would keep it from ever firing.
  int armed = 0;
  for (uint32_t i = 0; crash.copies < 40; ++i) {
    record_tick(t);
    history_add_snapshot(crash.history, t->w);
    if (world_entities(t->w)->alive_count > 100)
      world_query_destroy_entities(t->w, QUERY(t->w, HAS(POSITION)));
    if (i > 1000 && i % 37 == 0 && armed == crash.copies) {
      ++armed;
      setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_usec = 1 + random_u32(&t->random) % 3000}, NULL);
    }
  }
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
  signal(SIGVTALRM, SIG_DFL);
  assert_int_equal(crash.unreadable, 0);
  history_destroy(crash.history);
  unlink(crash.path);
}

TEST_IN(crash_at_any_point_leaves_a_readable_recording_excerpt, recording_fixture_t, t) {
  assert_excerpts_after_crashes(t, false);
}

TEST_IN(crash_while_a_thread_packs_history_leaves_a_readable_recording_excerpt, recording_fixture_t, t) {
  assert_excerpts_after_crashes(t, true);
}

// A few bytes can claim to be a state of 200 MB, or a chain of thousands of states, which must not be expanded.
TEST_IN(recorded_states_that_expand_too_much_are_rejected, recording_fixture_t, t) {
  error_info_t error = {0};
  snapshot_o *s = snapshot_create(&t->memory);
  history_o *h = history_create(&t->memory, UINT64_MAX);
  uint8_t some[8] = {0};
  history_snapshot_t x = {
      .previous_tick = HISTORY_NO_SNAPSHOT, .form = HISTORY_WHOLE, .packed = some, .packed_size = sizeof some};
  x.raw_size = 1000;
  assert_false(history_append_packed(h, &x, 999));
  assert_true(history_append_packed(h, &x, 1000));
  do {
    ++x.tick;
    x.previous_tick = x.tick - 1;
    x.form = 0; // a delta against the previous state
  } while (x.tick < 1000 && history_append_packed(h, &x, 1000));
  assert_in_range(x.tick, 10, 1 + PACKER_KEY_STATES);
  history_destroy(h);
  uint64_t hashes[201];
  record_states(t, hashes);
  recording_o *p = open_recording(t);
  assert_false(recording_copy_snapshot(p, 7, 10, s, &error));
  assert_true(recording_copy_snapshot(p, 7, 1u << 28, s, &error));
  recording_close(p);
  snapshot_release(s);
}
