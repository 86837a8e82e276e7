// readers NAME_reader …: runs one of the reader fuzzers (see reader.h).
#include "readers.h"

#include <stdio.h>
#include <string.h>

static reader_entry_t *all;
static const reader_entry_t *running;

void readers_add(reader_entry_t *entry) {
  entry->next = all;
  all = entry;
}

// Called by the sanitizers before they terminate the program.
void __asan_on_error(void);
void __asan_on_error(void) {
  if (running)
    running->say_input();
}

// Returns true if the entry's source file is …/NAME.c.
static int has_name(const reader_entry_t *entry, const char *name) {
  const char *slash = strrchr(entry->file, '/'), *base = slash ? slash + 1 : entry->file;
  size_t length = strlen(name);
  return strncmp(base, name, length) == 0 && strcmp(base + length, ".c") == 0;
}

int main(int argc, char **argv) {
  for (running = argc > 1 ? all : NULL; running && !has_name(running, argv[1]);)
    running = running->next;
  if (running)
    return running->run(argc - 1, argv + 1);
  fprintf(stderr, "readers: the first argument must be the name of a file in tests/fuzz, like save_reader\n");
  return 2;
}
