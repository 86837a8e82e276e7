#include "ecs_fixture.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/random.h"
#include "host/replay.h"

#include <unistd.h>

typedef struct tape_t {
  world_o *w;
  allocator_t memory;
  char path[64];
  recorder_o *r;
  input_state_t before, now;
  random_t random;
} tape_t;

static const replay_head_t HEAD = {
    .game = "A game", .seed = 7, .game_hash = 11, .engine_hash = 12, .tick_rate = 60, .history_mb = 4};

static int setup(void **state) {
  tape_t *t = calloc(1, sizeof *t);
  t->w = make_world();
  strcpy(t->path, "/tmp/shoal_replay_XXXXXX");
  int file = mkstemp(t->path);
  assert_true(file >= 0);
  close(file);
  random_seed(&t->random, 3);
  t->r = recorder_create(&t->memory, &HEAD, t->path, NULL);
  assert_non_null(t->r);
  *state = t;
  return 0;
}

static int teardown(void **state) {
  tape_t *t = *state;
  recorder_destroy(t->r);
  world_destroy_all(t->w);
  assert_int_equal(t->memory.blocks, 0);
  unlink(t->path);
  free(t);
  return 0;
}

static void press(tape_t *t) {
  t->before = t->now;
  t->now.keys[random_u32(&t->random) % INPUT_KEYS] ^= 1;
  if (random_u32(&t->random) % 4 == 0)
    t->now.mouse_x = (float)(random_u32(&t->random) % 1000);
  t->now.wheel = random_u32(&t->random) % 9 == 0 ? 1.0f : 0.0f;
}

static void tick(tape_t *t) {
  press(t);
  SPAWN(t->w, POSITION);
  world_end_tick(t->w);
  recorder_tick(t->r, &t->before, &t->now, t->w);
}

static size_t size_of_head(void) {
  return sizeof(char[8]) + 2 * sizeof(uint32_t) + sizeof(replay_head_t) + sizeof(uint64_t);
}

static void finish(tape_t *t) {
  recorder_destroy(t->r);
  t->r = NULL;
}

static replay_o *open_tape(tape_t *t) {
  error_t error = {{0}};
  replay_o *p = replay_open(&t->memory, t->path, &error);
  if (!p)
    fail_msg("%s", error.text);
  return p;
}

static void what_was_recorded_is_read_again(void **state) {
  tape_t *t = *state;
  input_state_t heard[300];
  uint32_t hashes[300];
  uint16_t positions[300];
  for (uint32_t i = 0; i < 300; i++) {
    tick(t);
    heard[i] = t->now;
    hashes[i] = (uint32_t)world_hash(t->w);
    positions[i] = replay_component_hash(t->w, POSITION);
  }
  finish(t);
  replay_o *p = open_tape(t);
  replay_item_t item;
  assert_string_equal(replay_head(p)->game, "A game");
  assert_int_equal(replay_head(p)->seed, 7);
  assert_null(replay_snapshot(p));
  for (uint32_t i = 0; i < 300; i++) {
    replay_next(p, &item, NULL);
    assert_int_equal(item.kind, REPLAY_TICK);
    assert_true(item.seen);
    assert_memory_equal(&item.input, &heard[i], sizeof item.input);
    if (i > 0)
      assert_memory_equal(&item.before, &heard[i - 1], sizeof item.before);
    assert_int_equal(item.hash, hashes[i]);
    assert_int_equal(item.components[POSITION - 1], positions[i]);
  }
  replay_next(p, &item, NULL);
  assert_int_equal(item.kind, REPLAY_END);
  replay_next(p, &item, NULL);
  assert_int_equal(item.kind, REPLAY_END);
  replay_close(p);
}

static void pauses_steps_and_reloads_stand_at_their_place(void **state) {
  tape_t *t = *state;
  static const replay_kind_t kinds[] = {REPLAY_TICK, REPLAY_IDLE,    REPLAY_IDLE,   REPLAY_BACK, REPLAY_BACK,
                                        REPLAY_TICK, REPLAY_FORWARD, REPLAY_RELOAD, REPLAY_TICK, REPLAY_END};
  tick(t);
  press(t);
  recorder_idle(t->r, &t->before, &t->now, t->w);
  press(t);
  recorder_idle(t->r, &t->before, &t->now, t->w);
  recorder_back(t->r, 1);
  recorder_back(t->r, 300);
  tick(t);
  recorder_forward(t->r);
  recorder_reload(t->r, 99);
  tick(t);
  finish(t);
  replay_o *p = open_tape(t);
  for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    replay_item_t item;
    replay_next(p, &item, NULL);
    assert_int_equal(item.kind, kinds[i]);
    if (i == 4)
      assert_int_equal(item.ticks, 300);
    if (i == 7)
      assert_int_equal(item.game_hash, 99);
    if (i == 8)
      assert_memory_equal(&item.input, &t->now, sizeof t->now);
  }
  replay_close(p);
}

static void an_excerpt_begins_with_a_snapshot_and_goes_on_to_now(void **state) {
  tape_t *t = *state;
  error_t error = {{0}};
  history_o *h = history_create(&t->memory, 8 << 20);
  history_add(h, t->w);
  for (uint32_t i = 0; i < 2500; i++) {
    tick(t);
    history_add(h, t->w);
    if (world_entities(t->w)->alive_count > 100)
      world_query_destroy(t->w, QUERY(t->w, HAS(POSITION)));
  }
  finish(t);
  t->r = recorder_create(&t->memory, &HEAD, NULL, NULL);
  assert_false(recorder_excerpt(t->r, h, t->path, &error));
  for (uint32_t i = 0; i < 2500; i++) {
    tick(t);
    history_add(h, t->w);
  }
  if (!recorder_excerpt(t->r, h, t->path, &error))
    fail_msg("%s", error.text);
  replay_o *p = open_tape(t);
  const snapshot_o *s = replay_snapshot(p);
  assert_non_null(s);
  uint64_t from = snapshot_tick(s), ticks = 0;
  assert_true(from >= 5000 - (REPLAY_RECENT_CHUNKS + 1) * REPLAY_CHUNK_TICKS && from <= 5000 - 1800);
  for (replay_item_t item = {.kind = REPLAY_TICK}; item.kind == REPLAY_TICK; ticks++)
    replay_next(p, &item, &error);
  assert_int_equal(from + ticks - 1, 5000);
  replay_close(p);
  history_destroy(h);
}

static void what_is_no_recording_is_refused(void **state) {
  tape_t *t = *state;
  error_t error;
  assert_null(replay_of_bytes(&t->memory, "SHOAL", 5, &error));
  assert_non_null(strstr(error.text, "no recording"));
  assert_null(replay_open(&t->memory, "/nowhere/at/all", &error));
  assert_null(recorder_create(&t->memory, &HEAD, "/nowhere/at/all", &error));
  assert_non_null(strstr(error.text, "/nowhere/at/all"));
}

// As replay.h describes the file: a head of 24 bytes more than the facts, then chunks of a hash, a size and bytes.
static void mend(uint8_t *bytes, size_t size) {
  size_t at = 16 + sizeof(replay_head_t);
  if (size < at + 8)
    return;
  uint64_t hash = hash_bytes(bytes + 16, sizeof(replay_head_t), 0);
  memcpy(bytes + at, &hash, sizeof hash);
  for (at += 8; at + 16 <= size;) {
    uint32_t length = 0;
    memcpy(&length, bytes + at + 8, sizeof length);
    if (length > size - at - 16)
      return;
    hash = hash_bytes(bytes + at + 16, length, 0);
    memcpy(bytes + at, &hash, sizeof hash);
    at += 16 + (size_t)length;
  }
}

// Every cut and thousands of flipped bits, with checksums left wrong, and with checksums made right again.
static void damaged_recordings_never_hurt(void **state) {
  tape_t *t = *state;
  error_t error = {{0}};
  uint32_t refused = 0, broken = 0, whole = 0;
  for (uint32_t i = 0; i < 130; i++)
    tick(t);
  recorder_back(t->r, 5);
  tick(t);
  finish(t);
  size_t size = 0;
  uint8_t *file = (uint8_t *)file_read(&t->memory, t->path, &size, &error);
  uint8_t *bytes = malloc(size);
  for (uint32_t i = 0; i < 6000; i++) {
    size_t used = i % 3 == 0 ? random_u32(&t->random) % size : size;
    memcpy(bytes, file, size);
    for (uint32_t k = 0; k < i % 4; k++)
      bytes[random_u32(&t->random) % size] ^= (uint8_t)(1u << random_u32(&t->random) % 8);
    if (i % 2 == 0)
      mend(bytes, used);
    replay_o *p = replay_of_bytes(&t->memory, bytes, used, &error);
    if (!p) {
      refused++;
      assert_true(error.text[0] != '\0');
      continue;
    }
    replay_item_t item = {.kind = REPLAY_TICK};
    for (uint32_t n = 0; item.kind != REPLAY_END && item.kind != REPLAY_BROKEN; n++) {
      assert_true(n < 100000);
      replay_next(p, &item, &error);
    }
    broken += item.kind == REPLAY_BROKEN;
    whole += item.kind == REPLAY_END;
    replay_close(p);
  }
  assert_true(refused > 100 && broken > 100 && whole > 100);
  free(bytes);
  file_free(&t->memory, (char *)file, size);
}

// A recording of 200 ticks with their states, and a jump back on the way; the hashes by ordinal.
static void record_states(tape_t *t, uint64_t hashes[201]) {
  history_o *h = history_create(&t->memory, 1 << 20);
  snapshot_o *s = snapshot_create(&t->memory);
  history_state_t state;
  for (uint32_t i = 0; i <= 200; i++) {
    if (i == 100)
      assert_true(snapshot_take(s, t->w, NULL));
    if (i == 150)
      assert_true(snapshot_restore(s, t->w, NULL));
    if (i > 0)
      tick(t);
    history_add(h, t->w);
    assert_true(history_get(h, history_count(h) - 1, &state));
    recorder_state(t->r, &state);
    hashes[i] = world_hash(t->w);
  }
  finish(t);
  snapshot_release(s);
  history_destroy(h);
}

static void any_state_that_was_recorded_can_be_had(void **state) {
  tape_t *t = *state;
  error_t error = {{0}};
  uint64_t hashes[201];
  record_states(t, hashes);
  replay_o *p = open_tape(t);
  snapshot_o *s = snapshot_create(&t->memory);
  replay_item_t item;
  for (uint32_t i = 0; i <= 200; i += 7) {
    assert_true(replay_state(p, i, s, &error));
    assert_true(snapshot_restore(s, t->w, &error));
    assert_true(world_hash(t->w) == hashes[i]);
  }
  assert_false(replay_state(p, 201, s, &error));
  for (uint32_t i = 0; i < 200; i++) { // and the records are as if there were no states among them
    replay_next(p, &item, NULL);
    assert_int_equal(item.kind, REPLAY_TICK);
  }
  replay_next(p, &item, NULL);
  assert_int_equal(item.kind, REPLAY_END);
  snapshot_release(s);
  replay_close(p);
}

// With good checksums, as somebody would make them who means harm.
static void states_that_make_no_sense_are_refused(void **state) {
  tape_t *t = *state;
  uint64_t hashes[201];
  size_t size = 0;
  record_states(t, hashes);
  char *bytes = file_read(&t->memory, t->path, &size, NULL);
  assert_non_null(bytes);
  uint8_t *wrong = malloc(size);
  snapshot_o *s = snapshot_create(&t->memory);
  for (uint32_t round = 0; round < 300; round++) {
    memcpy(wrong, bytes, size);
    for (size_t at = size_of_head(); at + 16 < size;) {
      uint32_t chunk = 0;
      memcpy(&chunk, wrong + at + 8, sizeof chunk);
      uint8_t *in = wrong + at + 16;
      for (uint32_t i = 0; *in == 'D' && i < 3; i++)
        in[1 + random_u32(&t->random) % (chunk - 1)] = (uint8_t)random_u32(&t->random);
      uint64_t hash = hash_bytes(in, chunk, 0);
      memcpy(wrong + at, &hash, sizeof hash);
      at += 16 + chunk;
    }
    replay_o *p = replay_of_bytes(&t->memory, wrong, size, NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i <= 200; i += 40)
      replay_state(p, i, s, NULL);
    replay_close(p);
  }
  snapshot_release(s);
  free(wrong);
  file_free(&t->memory, bytes, size);
}

int replay_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_recorded_is_read_again, setup, teardown),
      cmocka_unit_test_setup_teardown(pauses_steps_and_reloads_stand_at_their_place, setup, teardown),
      cmocka_unit_test_setup_teardown(an_excerpt_begins_with_a_snapshot_and_goes_on_to_now, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_no_recording_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(damaged_recordings_never_hurt, setup, teardown),
      cmocka_unit_test_setup_teardown(any_state_that_was_recorded_can_be_had, setup, teardown),
      cmocka_unit_test_setup_teardown(states_that_make_no_sense_are_refused, setup, teardown),
  };
  return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
