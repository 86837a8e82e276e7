// Quests: each event is compared with all quests, by numbers instead of strings.
#include "plain.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUBJECTS = 16, BRIDGE = 15, SHRINE = 14, DEEDS = 16, BLOCK = 64, CAPTION = 48 };
static const char *const NAMES[SUBJECTS] = {"wolf",    "bear", "rat",    "mushroom", "herb",  "berry",
                                            "tower",   "cave", "mill",   "lake",     "ghost", "bandit",
                                            "feather", "bone", "shrine", "bridge"};

typedef struct quests_t {
  uint8_t *verb, *subject, *state; // padded with completed quests to whole blocks
  int32_t *need, *done, *times;
  char (*caption)[CAPTION];
  uint32_t *completed, *completed_subject;
  uint32_t count, gold, deed;
  bool has_rope, has_met_king, is_knight;
} quests_t;

// Appends a number to a text.
static char *append_number(char *at, int32_t n) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  while (count > 0)
    *at++ = digits[--count];
  return at;
}

static void write_progress(char *caption, const char *name, int32_t done, int32_t need) {
  size_t length = strlen(name);
  memcpy(caption, name, length);
  caption[length] = ' ';
  char *at = append_number(caption + length + 1, done);
  *at++ = '/';
  *append_number(at, need) = '\0';
}

LOOP bool has_match(const quests_t *q, size_t first, uint8_t verb, uint8_t subject) {
  const uint8_t *restrict verbs = q->verb + first, *restrict subjects = q->subject + first;
  const uint8_t *restrict states = q->state + first;
  uint8_t is_match = 0;
  for (size_t i = 0; i < BLOCK; ++i)
    is_match |= (uint8_t)((verbs[i] == verb) & (subjects[i] == subject) & (states[i] == 0));
  return is_match != 0;
}

// Returns the number of completed quests.
SCALAR_LOOP uint32_t progress(const quests_t *q, uint8_t verb, uint8_t subject, uint32_t completed) {
  for (uint32_t first = 0; first < q->count; first += BLOCK) {
    if (!has_match(q, first, verb, subject))
      continue;
    for (uint32_t i = first; i < first + BLOCK; ++i) {
      if (q->state[i] != 0 || q->verb[i] != verb || q->subject[i] != subject)
        continue;
      write_progress(q->caption[i], NAMES[subject], ++q->done[i], q->need[i]);
      if (q->done[i] >= q->need[i])
        q->state[i] = 1, q->completed[completed] = i, q->completed_subject[completed++] = subject;
    }
  }
  return completed;
}

SCALAR_LOOP void reward(quests_t *q, uint32_t completed) {
  for (uint32_t k = 0; k < completed; ++k) {
    uint32_t i = q->completed[k], subject = q->completed_subject[k];
    q->gold += 10;
    q->has_rope |= subject == BRIDGE;
    q->has_met_king |= subject == SHRINE && q->has_rope;
    q->is_knight |= q->has_met_king && q->gold > 1000;
    q->state[i] = 0, q->done[i] = 0, q->times[i]++;
    snprintf(q->caption[i], CAPTION, "%s: done %d times", NAMES[subject], q->times[i]);
  }
}

static void print_checks(const quests_t *q) {
  double times = 0, done = 0, hash = 0;
  for (uint32_t i = 0; i < q->count; ++i) {
    times += (double)q->times[i] * ((i + 1) % 13), done += (double)q->done[i] * ((i + 1) % 7);
    for (const char *c = q->caption[i]; *c; ++c)
      hash = (double)(((uint64_t)hash * 31 + (uint64_t)*c) % 2147483647);
  }
  print_check("gold", q->gold);
  print_check("times", times);
  print_check("done", done);
  print_check("captions", hash);
  print_check("title", (double)strlen(q->is_knight ? "knight" : "peasant"));
}

static quests_t create_quests(uint32_t count) {
  quests_t q = {memory(count + BLOCK, 1), memory(count + BLOCK, 1), memory(count + BLOCK, 1)};
  q.need = memory(count, 4), q.done = memory(count, 4), q.times = memory(count, 4);
  q.caption = memory(count, CAPTION), q.completed = memory(count, 4), q.completed_subject = memory(count, 4);
  q.count = count, q.deed = 1;
  memset(q.state + count, 1, BLOCK);
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    q.verb[row] = (uint8_t)(i * 7919 % 101 % 3), q.subject[row] = (uint8_t)(i * 37 % SUBJECTS);
    q.need[row] = (int32_t)(3 + i * 91 % 5);
  }
  return q;
}

void run_quests(uint32_t count, uint32_t ticks) {
  quests_t q = create_quests(count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    uint32_t completed = 0;
    for (int k = 0; k < DEEDS; ++k) {
      q.deed = q.deed * 75 % 65537;
      completed = progress(&q, (uint8_t)(q.deed % 3), (uint8_t)(q.deed % SUBJECTS), completed);
    }
    double progressed_s = now_s();
    reward(&q, completed);
    add_time("progress", progressed_s - began_s, count * DEEDS);
    add_time("reward", now_s() - progressed_s, count);
  }
  print_checks(&q);
}
