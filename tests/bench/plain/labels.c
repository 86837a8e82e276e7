// Labels: writes a text for each label, or for one of them. There is no layout.
#include "plain.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 48, NAME = 12 };

typedef struct labels_t {
  char (*text)[TEXT], (*name)[NAME];
  int32_t *hp, *gold;
  uint32_t count;
} labels_t;

// Appends a number that is not negative. Returns the end of the text.
static char *write_number(char *out, int32_t number) {
  char digits[12];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0)
    *out++ = digits[--count];
  *out = '\0';
  return out;
}

static char *write_text(char *out, const char *text) {
  size_t bytes = strlen(text);
  memcpy(out, text, bytes + 1);
  return out + bytes;
}

SCALAR_LOOP void write_all(const labels_t *l) {
  for (uint32_t i = 0; i < l->count; ++i) {
    l->hp[i] = (l->hp[i] + 1) % 1000;
    l->gold[i] += 3;
    char *end = write_text(write_text(l->text[i], l->name[i]), " hp ");
    write_number(write_text(write_number(end, l->hp[i]), " gold "), l->gold[i]);
  }
}

static void print_texts(const labels_t *l) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < l->count; ++i)
    for (const char *c = l->text[i]; *c; ++c)
      hash = (hash * 31 + (uint64_t)*c) % 2147483647;
  print_check("texts", (double)hash);
}

static labels_t create_labels(uint32_t count) {
  labels_t l = {memory(count, TEXT), memory(count, NAME), memory(count, 4), memory(count, 4), count};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = i / 10 + 1, column = i % 10 + 1;
    l.hp[i] = (int32_t)(row * column);
    snprintf(l.name[i], NAME, "u%u_%u", row % 1000, column % 100);
  }
  return l;
}

void run_labels(uint32_t count, uint32_t ticks) {
  labels_t l = create_labels(count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    write_all(&l);
    add_time("write", now_s() - began_s, count);
  }
  print_texts(&l);
}

void run_label_board(uint32_t count, uint32_t ticks) {
  labels_t l = {memory(count, TEXT), .count = count};
  for (uint32_t i = 0; i < count; ++i)
    write_number(write_text(l.text[i], "note "), (int32_t)i);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    write_number(write_text(l.text[(uint64_t)tick * 37 % count], "changed in tick "), (int32_t)tick);
    add_time("write_one", now_s() - began_s, count);
  }
  print_texts(&l);
}
