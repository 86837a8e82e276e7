// Encodes and decodes states as arithmetic runs of words. See state_runs.h.
#include "store/state_runs.h"

#include <string.h>

#define WORD sizeof(uint32_t)
#define MIN_RUN_WORDS 8u // minimum length of a run, in words; shorter runs save few bytes
#define MAX_SEGMENT_WORDS (1u << 30)

static const char MAGIC[8] = {'S', 'H', 'O', 'A', 'L', 'R', 'U', 'N'};
enum { HEAD_BYTES = sizeof MAGIC + sizeof(uint64_t) };

void state_runs_free(state_runs_t *runs, allocator_t *a) {
  alloc_resize(a, runs->bytes, runs->capacity, 0);
  *runs = (state_runs_t){.bytes = NULL};
}

static void append_bytes(state_runs_t *runs, const void *bytes, size_t count, allocator_t *a) {
  if (runs->capacity - runs->size < count) {
    size_t capacity = runs->capacity * 2 > runs->size + count ? runs->capacity * 2 : runs->size + count;
    runs->bytes = alloc_resize(a, runs->bytes, runs->capacity, capacity);
    runs->capacity = capacity;
  }
  if (count > 0)
    memcpy(runs->bytes + runs->size, bytes, count);
  runs->size += count;
}

static uint32_t read_word(const uint8_t *bytes, size_t i) {
  uint32_t word;
  memcpy(&word, bytes + i * WORD, WORD);
  return word;
}

// --- encoding

static void append_literal(state_runs_t *out, const uint8_t *words, size_t first, size_t end, allocator_t *a) {
  while (first < end) {
    uint32_t count = end - first < MAX_SEGMENT_WORDS ? (uint32_t)(end - first) : MAX_SEGMENT_WORDS;
    uint32_t header = count << 1;
    append_bytes(out, &header, WORD, a);
    append_bytes(out, words + first * WORD, count * WORD, a);
    first += count;
  }
}

// Returns the index after the longest run that begins at word `first`. `first` must not be the last word.
static size_t find_run_end(const uint8_t *words, size_t first, size_t count) {
  uint32_t last_word = read_word(words, first + 1), step = last_word - read_word(words, first);
  size_t end = first + 2;
  for (uint32_t word;
       end < count && end - first < MAX_SEGMENT_WORDS && (word = read_word(words, end)) - last_word == step; ++end)
    last_word = word;
  return end;
}

static void append_run(state_runs_t *out, const uint8_t *words, size_t first, size_t end, allocator_t *a) {
  uint32_t first_word = read_word(words, first);
  uint32_t run[] = {(uint32_t)(end - first) << 1 | 1u, first_word, read_word(words, first + 1) - first_word};
  append_bytes(out, run, sizeof run, a);
}

bool state_runs_encode(const void *state, size_t size, state_runs_t *out, allocator_t *a) {
  const uint8_t *words = state;
  size_t count = size / WORD, written = 0;
  uint64_t bytes = size;
  if (size > STATE_RUNS_MAX_BYTES)
    return false;
  append_bytes(out, MAGIC, sizeof MAGIC, a);
  append_bytes(out, &bytes, sizeof bytes, a);
  for (size_t i = 0; i + 1 < count;) {
    size_t end = find_run_end(words, i, count);
    if (end - i >= MIN_RUN_WORDS) {
      append_literal(out, words, written, i, a);
      append_run(out, words, i, end, a);
      written = end;
      i = end;
    } else {
      i = end - 1; // the last word of a short run may begin a longer run
    }
  }
  append_literal(out, words, written, count, a);
  append_bytes(out, words + count * WORD, size % WORD, a);
  return out->size < size;
}

// --- decoding

// Decodes one segment from `in` to word `*position` of `out`, and advances `*position`. Returns the number of words
// read from `in`, or 0 if the segment is malformed.
static size_t decode_segment(const uint8_t *in, size_t in_words, uint8_t *out, size_t *position, size_t count) {
  uint32_t header = read_word(in, 0), words = header >> 1;
  bool is_run = header & 1;
  if (words == 0 || words > count - *position || in_words < (is_run ? 3 : (size_t)words + 1))
    return 0;
  if (!is_run) {
    memcpy(out + *position * WORD, in + WORD, words * WORD);
    *position += words;
    return (size_t)words + 1;
  }
  uint32_t word = read_word(in, 1), step = read_word(in, 2);
  for (uint32_t i = 0; i < words; ++i, word += step)
    memcpy(out + (*position)++ * WORD, &word, WORD);
  return 3;
}

static bool decode_segments(const uint8_t *in, size_t in_size, uint8_t *out, size_t size) {
  size_t count = size / WORD, position = 0, tail_bytes = size % WORD;
  while (position < count) {
    size_t segment_words = in_size < WORD ? 0 : decode_segment(in, in_size / WORD, out, &position, count);
    if (segment_words == 0)
      return false;
    in += segment_words * WORD;
    in_size -= segment_words * WORD;
  }
  if (in_size != tail_bytes)
    return false;
  memcpy(out + count * WORD, in, tail_bytes);
  return true;
}

bool state_runs_detect(const void *bytes, size_t size) {
  return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

bool state_runs_decode(const void *bytes, size_t size, state_runs_t *out, allocator_t *a) {
  uint64_t decoded_size;
  if (size < HEAD_BYTES || !state_runs_detect(bytes, size))
    return false;
  memcpy(&decoded_size, (const uint8_t *)bytes + sizeof MAGIC, sizeof decoded_size);
  if (decoded_size == 0 || decoded_size > STATE_RUNS_MAX_BYTES)
    return false;
  out->bytes = alloc_resize(a, out->bytes, out->capacity, (size_t)decoded_size);
  out->size = out->capacity = (size_t)decoded_size;
  return decode_segments((const uint8_t *)bytes + HEAD_BYTES, size - HEAD_BYTES, out->bytes, out->size);
}
