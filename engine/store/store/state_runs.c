// Encodes and decodes states as arithmetic runs of words. See state_runs.h.
#include "store/state_runs.h"

#include <string.h>

#define WORD sizeof(uint32_t)
#define MIN_RUN 8u // words; a shorter run would not save bytes
#define MAX_SEGMENT (1u << 30)

static const char MAGIC[8] = {'S', 'H', 'O', 'A', 'L', 'R', 'U', 'N'};
enum { HEAD_BYTES = sizeof MAGIC + sizeof(uint64_t) };

void state_runs_free(state_runs_t *x, allocator_t *a) {
  alloc_resize(a, x->bytes, x->capacity, 0);
  *x = (state_runs_t){.bytes = NULL};
}

static void append_bytes(state_runs_t *x, const void *bytes, size_t count, allocator_t *a) {
  if (x->capacity - x->size < count) {
    size_t wanted = x->capacity * 2 > x->size + count ? x->capacity * 2 : x->size + count;
    x->bytes = alloc_resize(a, x->bytes, x->capacity, wanted);
    x->capacity = wanted;
  }
  if (count > 0)
    memcpy(x->bytes + x->size, bytes, count);
  x->size += count;
}

static uint32_t read_word(const uint8_t *bytes, size_t i) {
  uint32_t word;
  memcpy(&word, bytes + i * WORD, WORD);
  return word;
}

// --- encoding

static void append_literal(state_runs_t *out, const uint8_t *words, size_t first, size_t end, allocator_t *a) {
  while (first < end) {
    uint32_t count = end - first < MAX_SEGMENT ? (uint32_t)(end - first) : MAX_SEGMENT;
    uint32_t header = count << 1;
    append_bytes(out, &header, WORD, a);
    append_bytes(out, words + first * WORD, count * WORD, a);
    first += count;
  }
}

// Returns the index after the longest run that begins at word `first`. `first` must not be the last word.
static size_t find_run_end(const uint8_t *words, size_t first, size_t count) {
  uint32_t last = read_word(words, first + 1), step = last - read_word(words, first);
  size_t end = first + 2;
  for (uint32_t word; end < count && end - first < MAX_SEGMENT && (word = read_word(words, end)) - last == step; ++end)
    last = word;
  return end;
}

static void append_run(state_runs_t *out, const uint8_t *words, size_t first, size_t end, allocator_t *a) {
  uint32_t from = read_word(words, first);
  uint32_t run[] = {(uint32_t)(end - first) << 1 | 1u, from, read_word(words, first + 1) - from};
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
    if (end - i >= MIN_RUN) {
      append_literal(out, words, written, i, a);
      append_run(out, words, i, end, a);
      written = end;
      i = end;
    } else {
      i = end - 1; // the last word of a short run may begin a longer one
    }
  }
  append_literal(out, words, written, count, a);
  append_bytes(out, words + count * WORD, size % WORD, a);
  return out->size < size;
}

// --- decoding

// Decodes one segment from `in` and returns its size there, or 0 if it is malformed.
static size_t decode_segment(const uint8_t *in, size_t in_words, uint8_t *out, size_t *at, size_t count) {
  uint32_t header = read_word(in, 0), words = header >> 1;
  bool is_run = header & 1;
  if (words == 0 || words > count - *at || in_words < (is_run ? 3 : (size_t)words + 1))
    return 0;
  if (!is_run) {
    memcpy(out + *at * WORD, in + WORD, words * WORD);
    *at += words;
    return (size_t)words + 1;
  }
  uint32_t word = read_word(in, 1), step = read_word(in, 2);
  for (uint32_t i = 0; i < words; ++i, word += step)
    memcpy(out + (*at)++ * WORD, &word, WORD);
  return 3;
}

static bool decode_segments(const uint8_t *in, size_t in_size, uint8_t *out, size_t size) {
  size_t count = size / WORD, at = 0, tail = size % WORD;
  while (at < count) {
    size_t read = in_size < WORD ? 0 : decode_segment(in, in_size / WORD, out, &at, count);
    if (read == 0)
      return false;
    in += read * WORD;
    in_size -= read * WORD;
  }
  if (in_size != tail)
    return false;
  memcpy(out + count * WORD, in, tail);
  return true;
}

bool state_runs_detect(const void *bytes, size_t size) {
  return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

bool state_runs_decode(const void *bytes, size_t size, state_runs_t *out, allocator_t *a) {
  uint64_t wanted;
  if (size < HEAD_BYTES || !state_runs_detect(bytes, size))
    return false;
  memcpy(&wanted, (const uint8_t *)bytes + sizeof MAGIC, sizeof wanted);
  if (wanted == 0 || wanted > STATE_RUNS_MAX_BYTES)
    return false;
  out->bytes = alloc_resize(a, out->bytes, out->capacity, (size_t)wanted);
  out->size = out->capacity = (size_t)wanted;
  return decode_segments((const uint8_t *)bytes + HEAD_BYTES, size - HEAD_BYTES, out->bytes, out->size);
}
