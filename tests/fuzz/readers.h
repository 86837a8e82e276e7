// The fuzzers of readers are one program: each file that includes reader.h adds itself before main().
#ifndef SHOAL_TESTS_FUZZ_READERS_H
#define SHOAL_TESTS_FUZZ_READERS_H

typedef struct reader_entry_t {
  const char *file; // its source
  int (*run)(int argc, char **argv);
  void (*say_input)(void); // the input that is tried, to the standard error
  struct reader_entry_t *next;
} reader_entry_t;

// Keeps the entry.
void readers_add(reader_entry_t *entry);

#endif
