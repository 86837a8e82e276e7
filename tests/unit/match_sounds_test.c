// Sounds of presses in a match over a bad network: the machine that presses hears each sound of a press once.
#include "match_fixture.h"
#include "temporary_folder.h"

#include "platform/audio.h"

#include <unistd.h>

#define PRESSES 20u
#define PRESS_TICKS 80u // ticks from one press to the next
#define RECENT_TICKS 64u

typedef struct case_t {
  assets_t assets;
  audio_o *audio;             // sounds of the peer, which predicts
  uint64_t tick;              // the latest tick that the peer has run
  uint32_t starts;            // number of sounds that a press starts, in consecutive ticks
  bool pressed[RECENT_TICKS]; // indexed by tick: the latest run of the tick had a press
  fixture_t *f;
} case_t;

static void write_sound(const char *folder) {
  static const unsigned char head[44] = {'R', 'I', 'F', 'F', 164, 0, 0,  0, 'W', 'A', 'V', 'E', 'f', 'm',
                                         't', ' ', 16,  0,   0,   0, 1,  0, 1,   0,   68,  172, 0,   0,
                                         136, 88,  1,   0,   2,   0, 16, 0, 'd', 'a', 't', 'a', 128};
  unsigned char samples[128] = {0};
  char path[256];
  snprintf(path, sizeof path, "%s/a.wav", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fwrite(head, 1, sizeof head, file);
  fwrite(samples, 1, sizeof samples, file);
  fclose(file);
}

SETUP(case_t, c) {
  temporary_folder_create(c->assets.game, sizeof c->assets.game, "sound");
  write_sound(c->assets.game);
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  c->audio = audio_create(false, &c->assets, NULL);
  audio_open(c->audio);
}

TEARDOWN(case_t, c) {
  char command[600];
  snprintf(command, sizeof command, "rm -r '%s'", c->assets.game);
  audio_destroy(c->audio);
  assert_int_equal(system(command), 0);
}

static bool has_press(const record_t *record) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((record->inputs.present >> i & 1) && (record->inputs.players[i].pressed & 1))
      return true;
  return false;
}

// Each press of the first action starts equal sounds without end in consecutive ticks. Their voice numbers are the
// ticks.
static bool play_presses(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  case_t *c = context;
  (void)mode;
  *hash = 1;
  c->pressed[record->tick % RECENT_TICKS] = has_press(record);
  audio_begin_tick(c->audio, record->tick);
  for (uint32_t i = 0; i < c->starts; ++i)
    if (c->pressed[(record->tick - i) % RECENT_TICKS])
      audio_play_with_voice(c->audio, (uint32_t)record->tick, "a.wav",
                            &(audio_sound_t){.volume = 1, .pitch = 1, .loop = true});
  audio_end_tick(c->audio);
  c->tick = record->tick;
  return true;
}

static bool play_nothing(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  (void)context, (void)record, (void)mode;
  *hash = 1;
  return true;
}

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  (void)hash;
  audio_confirm_tick(((case_t *)context)->audio, tick);
}

static size_t write_no_state(void *context, const uint8_t **bytes) {
  static const uint8_t byte;
  (void)context;
  *bytes = &byte;
  return 1;
}

static bool read_no_state(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  (void)context, (void)bytes, (void)size, (void)error;
  *hash = 1;
  return true;
}

static match_world_t create_listener(void *context, uint32_t machine) {
  return (match_world_t){.context = context,
                         .run = machine == 1 ? play_presses : play_nothing,
                         .confirm = machine == 1 ? confirm_tick : NULL,
                         .write_snapshot = write_no_state,
                         .read_snapshot = read_no_state};
}

static uint32_t count_voices(const case_t *c) {
  uint32_t count = 0;
  for (uint64_t voice = c->tick > 2 * PRESS_TICKS ? c->tick - 2 * PRESS_TICKS : 1; voice <= c->tick; ++voice)
    count += audio_is_playing(c->audio, (uint32_t)voice);
  return count;
}

static void press_once(case_t *c, uint32_t press) {
  player_input_t down = {.pressed = 1}, up = {.released = 1};
  uint32_t before = 0, starts = 0;
  down.values[0] = 127;
  fixture_run(c->f, press % 7); // varies the time until the next datagram
  match_add_input(c->f->machines[1].match, 0, &down);
  for (uint32_t i = 0; i < PRESS_TICKS; ++i) {
    if (i == 6)
      match_add_input(c->f->machines[1].match, 0, &up);
    fixture_run(c->f, 1);
    uint32_t count = count_voices(c);
    starts += count > before ? count - before : 0;
    before = count;
    if (starts > c->starts)
      fail_msg("press %u is heard %u times after %u ticks, expected %u", press, starts, i, c->starts);
  }
  if (before != c->starts)
    fail_msg("%u sounds of press %u are heard to the end, expected %u", before, press, c->starts);
  for (uint64_t voice = 1; voice <= c->tick; ++voice)
    audio_stop(c->audio, (uint32_t)voice, 0);
}

static void check_presses(case_t *c, const char *conditions, uint32_t starts) {
  c->starts = starts;
  c->f = fixture_create(1, conditions);
  c->f->create_game = create_listener;
  c->f->game_context = c;
  machine_start(c->f, MATCH_HOST, 1);
  machine_start(c->f, MATCH_PEER, 1);
  machine_join(&c->f->machines[1]);
  c->f->is_quiet = true;
  fixture_run(c->f, 200);
  assert_int_equal(fixture_status(c->f, 0).present, 3);
  for (uint32_t i = 0; i < PRESSES; ++i)
    press_once(c, i);
  fixture_free(c->f);
}

TEST_IN(sounds_of_presses_play_once_without_delay, case_t, c) {
  check_presses(c, "0ms,0ms,0%", 1);
}

TEST_IN(sounds_of_presses_play_once_over_120_ms_with_loss, case_t, c) {
  check_presses(c, "120ms,40ms,5%", 1);
}

TEST_IN(sounds_of_presses_play_once_over_300_ms_with_loss, case_t, c) {
  check_presses(c, "300ms,40ms,10%", 1);
}

TEST_IN(equal_sounds_of_neighbouring_ticks_play_twice_without_delay, case_t, c) {
  check_presses(c, "0ms,0ms,0%", 2);
}

TEST_IN(equal_sounds_of_neighbouring_ticks_play_twice_over_120_ms_with_loss, case_t, c) {
  check_presses(c, "120ms,40ms,5%", 2);
}

TEST_IN(equal_sounds_of_neighbouring_ticks_play_twice_over_300_ms_with_loss, case_t, c) {
  check_presses(c, "300ms,40ms,10%", 2);
}
