// Resources of programs for Windows. The suite `windows` tests that Windows can read them.
#include "packing/windows_program.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "test.h"

#include <string.h>

#define PROGRAM_BYTES 0x1000u
#define SECTIONS 0x190u // offset of the section headers: the PE header is at 0x80, the optional header has 240 bytes

static void put(uint8_t *bytes, size_t at, uint32_t number, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    bytes[at + i] = (uint8_t)(number >> (8 * i));
}

static uint32_t get(const uint8_t *bytes, size_t at, uint32_t count) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < count; ++i)
    number |= (uint32_t)bytes[at + i] << (8 * i);
  return number;
}

static void put_section(uint8_t *bytes, uint32_t index, const char *name, uint32_t file_offset) {
  size_t at = SECTIONS + 40u * index;
  memcpy(bytes + at, name, strlen(name));
  put(bytes, at + 8, 0x200, 4);                 // size in memory
  put(bytes, at + 12, 0x1000 * (index + 1), 4); // address
  put(bytes, at + 16, 0x200, 4);                // size in the file
  put(bytes, at + 20, file_offset, 4);
}

// Writes a program with the sections .text, .rsrc, .reloc and debug information. Its only resource is the manifest "M".
static void write_program(uint8_t bytes[PROGRAM_BYTES]) {
  memset(bytes, 0, PROGRAM_BYTES);
  memcpy(bytes, "MZ", 2);
  put(bytes, 0x3c, 0x80, 4);
  memcpy(bytes + 0x80, "PE\0\0", 4);
  put(bytes, 0x84, 0x8664, 2);
  put(bytes, 0x86, 4, 2);    // sections
  put(bytes, 0x94, 0xf8, 2); // size of the optional header
  put(bytes, 0x98, 0x20b, 2);
  put(bytes, 0x98 + 32, 0x1000, 4); // alignment of sections in memory
  put(bytes, 0x98 + 36, 0x200, 4);  // and in the file
  put(bytes, 0x98 + 60, 0x400, 4);  // size of all headers
  put(bytes, 0x98 + 68, 3, 2);      // a console program
  put_section(bytes, 0, ".text", 0x400);
  put_section(bytes, 1, ".rsrc", 0x600);
  put_section(bytes, 2, ".reloc", 0x800);
  put_section(bytes, 3, "/4", 0xa00);
  memset(bytes + 0x400, 0xc3, 0x200);
  memset(bytes + 0x800, 0xaa, 0x200);
  for (uint32_t level = 0; level < 3; ++level) { // directories of types, ids and languages with one entry each
    size_t at = 0x600 + 24 * level;
    put(bytes, at + 14, 1, 2);
    put(bytes, at + 16, level == 0 ? 24 : 1, 4);
    put(bytes, at + 20, level == 2 ? 72 : (0x80000000u | 24 * (level + 1)), 4);
  }
  put(bytes, 0x600 + 72, 0x2000 + 88, 4); // address and size of the manifest
  put(bytes, 0x600 + 76, 1, 4);
  bytes[0x600 + 88] = 'M';
}

// Creates a program with one icon image. Returns it, or NULL with an error.
static uint8_t *create(allocator_t *memory, const uint8_t *program, size_t bytes, size_t *out_bytes,
                       error_info_t *error) {
  static uint8_t pixels[] = {1, 2, 3, 4};
  static const icon_images_t ICON = {.images = {{.side = 16, .bytes = pixels, .size_bytes = sizeof pixels}},
                                     .count = 1};
  return windows_program_create(
      memory, program, bytes,
      &(windows_program_desc_t){.file_name = "a.exe", .title = "A", .version = "1.2", .icon = &ICON}, out_bytes, error);
}

TEST(resources_are_replaced_and_relocations_follow_them) {
  allocator_t memory = {0};
  uint8_t program[PROGRAM_BYTES];
  size_t bytes = 0;
  write_program(program);
  uint8_t *created = create(&memory, program, PROGRAM_BYTES, &bytes, NULL);
  assert_non_null(created);
  assert_int_equal(get(created, 0x86, 2), 3);      // no debug information
  assert_int_equal(get(created, 0x98 + 68, 2), 2); // no console
  uint32_t resources = get(created, SECTIONS + 40 + 16, 4), relocations = get(created, SECTIONS + 80 + 20, 4);
  assert_int_equal(resources % 0x200, 0);
  assert_int_equal(relocations, 0x600 + resources);
  assert_int_equal(bytes, relocations + 0x200);
  assert_memory_equal(created + 0x400, program + 0x400, 0x200);
  assert_memory_equal(created + relocations, program + 0x800, 0x200);
  assert_int_equal(get(created, 0x98 + 128, 4), 0x2000);
  assert_int_equal(get(created, 0x98 + 132, 4), get(created, SECTIONS + 40 + 8, 4));
  uint32_t address = get(created, 0x98 + 152, 4);
  assert_int_equal(address % 0x1000, 0);
  assert_true(address >= 0x2000 + get(created, 0x98 + 132, 4));
  assert_int_equal(get(created, 0x98 + 56, 4), address + 0x1000); // size of the program in memory
  assert_int_equal(get(created, 0x600 + 14, 2), 4);               // icon, icon group, version, manifest
  size_t again_bytes = 0;
  uint8_t *again = create(&memory, created, bytes, &again_bytes, NULL); // of a program that was already changed
  assert_int_equal(again_bytes, bytes);
  assert_memory_equal(again, created, bytes);
  alloc_resize(&memory, again, again_bytes, 0);
  alloc_resize(&memory, created, bytes, 0);
  assert_int_equal(memory.bytes, 0);
}

static void expect_rejected(const uint8_t *program, size_t bytes, const char *message) {
  allocator_t memory = {0};
  size_t created_bytes = 0;
  error_info_t error = {0};
  if (create(&memory, program, bytes, &created_bytes, &error) || !strstr(error.text, message))
    fail_msg("expected \"%s\", got \"%s\"", message, error.text);
  assert_int_equal(memory.bytes, 0);
}

TEST(files_that_are_no_programs_for_windows_are_rejected) {
  uint8_t program[PROGRAM_BYTES];
  write_program(program);
  put(program, 0x84, 0x14c, 2);
  expect_rejected(program, PROGRAM_BYTES, "expected a program for 64-bit Windows");
  expect_rejected((const uint8_t *)"\x7f"
                                   "ELF",
                  4, "expected a program for 64-bit Windows");
  write_program(program);
  memcpy(program + SECTIONS + 40, ".data", 6);
  expect_rejected(program, PROGRAM_BYTES, "no resources");
  write_program(program);
  put(program, 0x610, 16, 4); // a version instead of the manifest
  expect_rejected(program, PROGRAM_BYTES, "no manifest");
}

// Every prefix, and every program with one changed byte in its headers or resources, is rejected or changed without
// reading outside of the program.
TEST(damaged_programs_do_not_crash) {
  static const uint8_t VALUES[] = {0, 0x7f, 0xff};
  uint8_t program[PROGRAM_BYTES];
  write_program(program);
  for (size_t at = 0; at < 0x660; at = at == SECTIONS + 160 ? 0x600 : at + 1) // skips the section with code
    for (size_t i = 0; i < sizeof VALUES; ++i) {
      allocator_t memory = {0};
      size_t bytes = 0;
      uint8_t *copy = malloc(PROGRAM_BYTES);
      memcpy(copy, program, PROGRAM_BYTES);
      copy[at] = VALUES[i];
      alloc_resize(&memory, create(&memory, copy, PROGRAM_BYTES, &bytes, NULL), bytes, 0);
      alloc_resize(&memory, create(&memory, copy, at, &bytes, NULL), bytes, 0);
      free(copy);
    }
}
