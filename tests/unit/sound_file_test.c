// Loop points of sound files: the sampler chunk of a WAV and the comments of Ogg and FLAC, at any position and with any
// content.
#include "platform/sound_file.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

typedef struct bytes_t {
  uint8_t at[4096];
  size_t count;
} bytes_t;

static void append_bytes(bytes_t *b, const void *from, size_t count) {
  assert_true(b->count + count <= sizeof b->at);
  memcpy(b->at + b->count, from, count);
  b->count += count;
}

static void append_u32(bytes_t *b, uint32_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  append_bytes(b, bytes, 4);
}

static void append_loop(bytes_t *b, uint32_t from, uint32_t last) {
  append_bytes(b, "smpl", 4);
  append_u32(b, 60);
  for (int i = 0; i < 7; ++i)
    append_u32(b, 0);
  append_u32(b, 1); // number of loops
  append_u32(b, 0);
  append_u32(b, 0); // loop id
  append_u32(b, 0); // loop type: forward
  append_u32(b, from);
  append_u32(b, last);
  append_u32(b, 0);
  append_u32(b, 0);
}

// Builds a 16-bit mono WAV of 100 frames, with a loop before the data, after the data, both or none.
static bytes_t make_wav(uint32_t rate, bool loop_first, bool loop_last, uint32_t from, uint32_t last) {
  bytes_t b = {0};
  append_bytes(&b, "RIFF....WAVEfmt ", 16);
  append_u32(&b, 16);
  append_u32(&b, 0x00010001);
  append_u32(&b, rate);
  append_u32(&b, 2 * rate);
  append_u32(&b, 0x00100002);
  if (loop_first)
    append_loop(&b, from, last);
  append_bytes(&b, "data", 4);
  append_u32(&b, 200);
  b.count += 200;
  if (loop_last)
    append_loop(&b, from, last);
  return b;
}

static sound_head_t read_head(const bytes_t *b) {
  sound_head_t head;
  error_info_t why = {0};
  if (!sound_head_read(b->at, b->count, true, &head, &why))
    fail_msg("%s", why.text);
  return head;
}

TEST(wav_loop_chunk_may_precede_or_follow_the_samples) {
  for (int k = 0; k < 2; ++k) {
    bytes_t b = make_wav(44100, k == 0, k == 1, 30, 89);
    sound_head_t head = read_head(&b);
    assert_int_equal(head.loop_from, 30);
    assert_int_equal(head.loop_to, 90);
    assert_int_equal(head.frames, 100);
  }
  bytes_t none = make_wav(44100, false, false, 0, 0);
  assert_int_equal(read_head(&none).loop_to, 0);
}

TEST(loop_is_scaled_to_the_playback_rate) {
  uint32_t from, to;
  bytes_t b = make_wav(22050, false, true, 25, 99);
  sound_head_t head = read_head(&b);
  assert_true(sound_get_loop(&head, 200, &from, &to));
  assert_int_equal(from, 50);
  assert_int_equal(to, 200);
  assert_true(sound_get_loop(&head, 199, &from, &to)); // a different resampler may make the sound one frame shorter
  assert_int_equal(to, 199);
}

TEST(out_of_range_loop_is_ignored) {
  uint32_t from = 7, to = 7;
  const uint32_t wrong[][2] = {{50, 5000}, {90, 20}, {200, 300}, {UINT32_MAX, UINT32_MAX}, {60, 59}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    bytes_t b = make_wav(44100, false, true, wrong[i][0], wrong[i][1]);
    sound_head_t head = read_head(&b);
    assert_false(sound_get_loop(&head, 100, &from, &to));
    assert_int_equal(from + to, 0);
  }
}

static bytes_t make_comments(const char *first, const char *second) {
  bytes_t b = {0};
  const char *texts[] = {"TITLE=La", first, second};
  append_u32(&b, 5);
  append_bytes(&b, "tests", 5);
  append_u32(&b, 3);
  for (int i = 0; i < 3; ++i) {
    append_u32(&b, (uint32_t)strlen(texts[i]));
    append_bytes(&b, texts[i], strlen(texts[i]));
  }
  return b;
}

static void append_page(bytes_t *b, const bytes_t *packet, uint64_t end) {
  uint8_t head[27] = "OggS", laces[255];
  size_t count = packet->count / 255 + 1;
  memset(laces, 255, count);
  laces[count - 1] = (uint8_t)(packet->count % 255);
  memcpy(head + 6, &end, 8);
  head[26] = (uint8_t)count;
  append_bytes(b, head, 27);
  append_bytes(b, laces, count);
  append_bytes(b, packet->at, packet->count);
}

static bytes_t make_ogg(const bytes_t *comment_block) {
  bytes_t b = {0}, first = {0}, second = {0};
  append_bytes(&first, "\x01vorbis\0\0\0\0\x02", 12);
  append_u32(&first, 48000);
  first.count += 14;
  append_bytes(&second, "\x03vorbis", 7);
  append_bytes(&second, comment_block->at, comment_block->count);
  append_page(&b, &first, 0);
  append_page(&b, &second, 100);
  return b;
}

static bytes_t make_flac(const bytes_t *comment_block) {
  bytes_t b = {0};
  const uint8_t info[34] = {0, 16, 0, 16, 0, 0, 0, 0, 0, 0, 0x0B, 0xB8, 0x02, 0xF0, 0, 0, 0, 100};
  append_bytes(&b, "fLaC\0\0\0\x22", 8);
  append_bytes(&b, info, 34);
  uint8_t head[4] = {0x84, 0, (uint8_t)(comment_block->count >> 8), (uint8_t)comment_block->count};
  append_bytes(&b, head, 4);
  append_bytes(&b, comment_block->at, comment_block->count);
  return b;
}

TEST(ogg_and_flac_loops_are_read_from_comments) {
  bytes_t length = make_comments("LoopStart=40", "LOOPLENGTH=50"), last = make_comments("LOOPSTART=40", "LOOPEND=90");
  bytes_t files[] = {make_ogg(&length), make_ogg(&last), make_flac(&length), make_flac(&last)};
  for (int i = 0; i < 4; ++i) {
    sound_head_t head = read_head(&files[i]);
    assert_int_equal(head.loop_from, 40);
    assert_int_equal(head.loop_to, 90);
  }
}

TEST(loop_start_alone_loops_to_the_end) {
  uint32_t from, to;
  bytes_t comment_block = make_comments("LOOPSTART=4800", "GENRE=Test"), file = make_ogg(&comment_block);
  sound_head_t head = read_head(&file);
  assert_true(sound_get_loop(&head, 44100, &from, &to));
  assert_int_equal(from, 4410);
  assert_int_equal(to, 44100);
}

TEST(comments_with_wrong_lengths_are_read_safely) {
  bytes_t comment_block = make_comments("LOOPSTART=40", "LOOPEND=90");
  for (size_t cut = 0; cut < comment_block.count; ++cut) {
    bytes_t part = {.count = cut};
    memcpy(part.at, comment_block.at, cut);
    bytes_t a = make_ogg(&part), b = make_flac(&part);
    read_head(&a);
    read_head(&b);
    bytes_t wild = comment_block;
    memset(wild.at + cut, 0xFF, wild.count - cut < 4 ? wild.count - cut : 4);
    a = make_ogg(&wild);
    b = make_flac(&wild);
    read_head(&a);
    read_head(&b);
  }
}
