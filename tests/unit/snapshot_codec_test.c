// Deltas between states, which the history stores.
#include "ecs_fixture.h"

#include "base/random.h"
#include "snapshot/snapshot_codec.h"

typedef struct pair_t {
  world_o *w;
  allocator_t memory;
  snapshot_codec_o *d;
  snapshot_o *states[4], *out; // states[3] is the newest
} pair_t;

SETUP(pair_t, p) {
  p->w = make_world();
  p->d = snapshot_codec_create(&p->memory);
  for (uint32_t i = 0; i < 4; ++i)
    p->states[i] = snapshot_create(&p->memory);
  p->out = snapshot_create(&p->memory);
}

TEARDOWN(pair_t, p) {
  for (uint32_t i = 0; i < 4; ++i)
    snapshot_release(p->states[i]);
  snapshot_release(p->out);
  snapshot_codec_destroy(p->d);
  world_destroy(p->w);
  assert_int_equal(p->memory.blocks, 0);
}

// Stores four consecutive states of `count` moving entities. Before the last state, an entity is destroyed, and the
// last row fills the gap.
static void store_states(pair_t *p, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    set(p->w, SPAWN(p->w, POSITION, HEALTH), POSITION, POSITION_X, i * 1.7);
  manager_o *m = world_manager(p->w, POSITION);
  for (uint32_t i = 0; i < 4; ++i) {
    float *x = manager_column(m, POSITION_X);
    for (uint32_t row = 0; row < m->count; ++row)
      x[row] += 0.1f * (float)shoal_entity_index(m->owner[row]);
    if (i == 3)
      world_destroy_entity(p->w, m->owner[0]);
    world_end_tick(p->w);
    assert_true(snapshot_take(p->states[i], p->w, NULL));
  }
}

static const uint8_t *encode_last_state(pair_t *p, snapshot_table_t last[3], uint32_t *size, uint32_t *raw_size) {
  for (uint32_t i = 0; i < 3; ++i)
    last[i] = snapshot_table(p->states[2 - i]);
  snapshot_table_t now = snapshot_table(p->states[3]);
  return snapshot_codec_encode(p->d, last, &now, size, raw_size);
}

TEST_IN(state_delta_round_trips, pair_t, p) {
  snapshot_table_t last[3];
  uint32_t size = 0, raw_size = 0;
  store_states(p, 50);
  const uint8_t *bytes = encode_last_state(p, last, &size, &raw_size);
  assert_non_null(bytes);
  assert_true(snapshot_codec_decode(p->d, last, bytes, size, raw_size, p->out));
  assert_int_equal(snapshot_size(p->out), snapshot_size(p->states[3]));
  size_t n = 0, m = 0;
  assert_memory_equal(snapshot_bytes(p->out, &n), snapshot_bytes(p->states[3], &m), snapshot_size(p->out));
}

// The codec chooses an encoding by sampling only some rows.
TEST_IN(state_delta_round_trips_with_many_added_and_removed_rows, pair_t, p) {
  snapshot_table_t last[3];
  uint32_t size = 0, raw_size = 0;
  random_t random;
  random_seed(&random, 7);
  store_states(p, 4000);
  manager_o *m = world_manager(p->w, POSITION);
  for (uint32_t round = 0; round < 8; ++round) {
    for (uint32_t i = 0; i < 300; ++i) {
      world_destroy_entity(p->w, m->owner[random_u32(&random) % m->count]);
      set(p->w, SPAWN(p->w, POSITION, HEALTH), POSITION, POSITION_X, random_u32(&random) % 1000);
    }
    for (uint32_t row = 0; row < m->count; ++row)
      ((float *)manager_column(m, POSITION_Y))[row] += row % 3 == 0 ? 0.5f : 0.25f;
    world_end_tick(p->w);
    snapshot_o *oldest = p->states[0];
    memmove(p->states, p->states + 1, 3 * sizeof *p->states);
    p->states[3] = oldest;
    assert_true(snapshot_take(p->states[3], p->w, NULL));
    const uint8_t *bytes = encode_last_state(p, last, &size, &raw_size);
    assert_non_null(bytes);
    assert_true(snapshot_codec_decode(p->d, last, bytes, size, raw_size, p->out));
    assert_true(snapshot_is_equal(p->out, p->states[3]));
  }
}

TEST_IN(moved_rows_are_predicted_from_earlier_values_of_their_entity, pair_t, p) {
  snapshot_table_t last[3];
  uint32_t size = 0, raw_size = 0, values = 0;
  store_states(p, 400);
  const uint8_t *bytes = encode_last_state(p, last, &size, &raw_size);
  assert_non_null(bytes);
  values = size - (raw_size + 7) / 8; // size of the data that follows the mask
  assert_true(values < 400);          // stores at most a rounding error per value, not every changed cell
}

TEST_IN(damaged_delta_is_rejected_or_read_safely, pair_t, p) {
  snapshot_table_t last[3];
  uint32_t size = 0, raw_size = 0, refused = 0;
  random_t random;
  store_states(p, 60);
  const uint8_t *bytes = encode_last_state(p, last, &size, &raw_size);
  uint8_t *copy = malloc(size), *wrong = malloc(size);
  memcpy(copy, bytes, size);
  random_seed(&random, 4);
  for (uint32_t i = 0; i < 5000; ++i) {
    memcpy(wrong, copy, size);
    for (uint32_t k = 0; k <= i % 5; ++k)
      wrong[random_u32(&random) % size] = (uint8_t)random_u32(&random);
    uint32_t cut = i % 3 == 0 ? random_u32(&random) % size : size;
    refused +=
        !snapshot_codec_decode(p->d, last, wrong, cut, i % 4 == 0 ? random_u32(&random) % 100000 : raw_size, p->out);
  }
  assert_true(refused > 2000);
  free(copy);
  free(wrong);
}

TEST_IN(states_with_different_components_have_no_delta, pair_t, p) {
  snapshot_table_t last[3];
  uint32_t size = 0, raw_size = 0;
  static const field_type_t f32s[] = {FIELD_F32};
  store_states(p, 5);
  DECLARE(p->w, "heat", SCHEMA_COMPONENT, f32s, "degrees");
  assert_true(snapshot_take(p->states[3], p->w, NULL));
  assert_null(encode_last_state(p, last, &size, &raw_size));
}
