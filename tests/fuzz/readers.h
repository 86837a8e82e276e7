// The reader fuzzers form one program: each file that includes reader.h registers itself before main().
#ifndef SHOAL_TESTS_FUZZ_READERS_H
#define SHOAL_TESTS_FUZZ_READERS_H

typedef struct reader_entry_t {
  const char *file; // path of the fuzzer's source file
  int (*run)(int argc, char **argv);
  void (*say_input)(void); // prints the current input to stderr
  struct reader_entry_t *next;
} reader_entry_t;

// Registers a fuzzer. The caller keeps the entry alive.
void readers_add(reader_entry_t *entry);

#endif
