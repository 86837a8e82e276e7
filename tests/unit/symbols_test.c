// Resolving addresses to functions and lines, in the test program itself and in damaged copies of it.
#include "crash/symbols.h"

#include "base/files.h"
#include "test.h"

#include <dlfcn.h>
#include <string.h>

static allocator_t memory;
static uint8_t *bytes;
static size_t size;

__attribute__((noinline)) static int known(int x) {
  __asm__ volatile("");
  return x + 1;
}
enum { KNOWN_LINE = __LINE__ - 4 };

// Returns the offset from the first byte of the program, not from the lowest mapping: sanitizers map memory below it.
static uint64_t get_address(const void *code) {
  Dl_info info;
  assert_true(dladdr(code, &info) != 0);
  return (uint64_t)((uintptr_t)code - (uintptr_t)info.dli_fbase);
}

static void read_program(void) {
  bytes = (uint8_t *)file_read(&memory, "/proc/self/exe", &size, NULL);
  assert_non_null(bytes);
}

static void free_program(void) {
  file_free(&memory, (char *)bytes, size);
}
GROUP_FIXTURE(read_program, free_program)

TEST(address_resolves_to_function_and_line) {
  symbols_location_t place;
  assert_int_equal(known(1), 2);
  assert_true(symbols_find_location(bytes, size, get_address((const void *)(uintptr_t)known), &place));
  assert_string_equal(place.function, "known");
  assert_non_null(strstr(place.file, "symbols_test.c"));
  assert_in_range(place.line, KNOWN_LINE, KNOWN_LINE + 3); // the line of the function's first instruction
}

TEST(address_outside_code_is_not_resolved) {
  symbols_location_t place;
  assert_false(symbols_find_location(bytes, size, 1, &place));
  assert_false(symbols_find_location(bytes, size, UINT64_MAX, &place));
  assert_false(symbols_find_location(NULL, 0, 1, &place));
  assert_false(symbols_find_location((const uint8_t *)"\x7f"
                                                      "ELF",
                                     4, 1, &place));
}

// Corrupts the bytes of the ELF header one by one, then truncates the file.
TEST(damaged_executable_is_read_safely) {
  symbols_location_t place;
  symbols_static_t variable;
  uint64_t address = get_address((const void *)(uintptr_t)known), shift = 0;
  for (size_t i = 0; i < 64; ++i)
    for (uint32_t k = 0; k < 2; ++k) {
      uint8_t was = bytes[i];
      bytes[i] = k == 0 ? 0xff : 0;
      symbols_find_location(bytes, size, address, &place);
      symbols_find_shift(bytes, size, address, &shift);
      symbols_find_statics(bytes, size, &variable, 1);
      bytes[i] = was;
    }
  for (size_t cut = 1; cut < size; cut *= 2)
    symbols_find_location(bytes, size - cut, address, &place);
}

// Changes single bytes of the second half of the file, which contains the line table. Lookups may fail or give another
// result, but must not crash.
TEST(damaged_line_table_is_read_safely) {
  symbols_location_t place;
  uint64_t address = get_address((const void *)(uintptr_t)known), changed = 1;
  for (uint32_t i = 0; i < 40; ++i) {
    changed = changed * 6364136223846793005u + 1442695040888963407u;
    size_t at = size / 2 + (size_t)((changed >> 16) % (size / 2));
    uint8_t was = bytes[at];
    bytes[at] = (uint8_t)(changed >> 56);
    symbols_find_location(bytes, size, address, &place);
    bytes[at] = was;
  }
}
