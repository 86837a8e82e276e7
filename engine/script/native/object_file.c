// Loads relocatable ELF files. All offsets are checked before use.
#include "native/object_file.h"

#include "base/assert.h"
#include "base/elf_format.h"
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 64, MAX_BYTES = 1 << 24 };

typedef struct object_reader_t {
  const uint8_t *bytes;
  size_t size;
  const elf_header_t *header;
  const elf_section_t *sections;
  const char *names;
  size_t names_size;
  uint8_t *base;                // address of the sections, after the first guard page
  size_t offsets[MAX_SECTIONS]; // offset from `base` plus 1; 0 if the section is not loaded
  size_t total;
} object_reader_t;

static bool is_in_range(const object_reader_t *reader, uint64_t offset, uint64_t size) {
  return offset <= reader->size && size <= reader->size - offset;
}

static const char *read_symbol_name(const char *names, size_t size, uint32_t offset) {
  return offset < size && memchr(names + offset, 0, size - offset) ? names + offset : "";
}

static const char *section_name(const object_reader_t *reader, uint32_t i) {
  return read_symbol_name(reader->names, reader->names_size, reader->sections[i].name);
}

static bool read_header(object_reader_t *reader) {
  reader->header = (const void *)reader->bytes;
  if (reader->size < sizeof *reader->header || memcmp(reader->header->magic, ELF_MAGIC, ELF_MAGIC_BYTES) != 0 ||
      reader->header->class != ELF_CLASS_64 || reader->header->type != ELF_TYPE_RELOCATABLE ||
      reader->header->machine != ELF_MACHINE_X86_64)
    return false;
  if (reader->header->section_count > MAX_SECTIONS || reader->header->section_bytes != sizeof *reader->sections ||
      reader->header->sections_offset % _Alignof(elf_section_t) != 0 ||
      reader->header->names_section >= reader->header->section_count ||
      !is_in_range(reader, reader->header->sections_offset, reader->header->section_count * sizeof *reader->sections))
    return false;
  reader->sections = (const void *)(reader->bytes + reader->header->sections_offset);
  const elf_section_t *names = &reader->sections[reader->header->names_section];
  if (!is_in_range(reader, names->offset, names->size_bytes))
    return false;
  reader->names = (const char *)reader->bytes + names->offset;
  reader->names_size = names->size_bytes;
  return true;
}

static bool is_loaded(const object_reader_t *reader, uint32_t i) {
  return reader->sections[i].flags & ELF_SECTION_IS_LOADED && reader->sections[i].size_bytes > 0 &&
         strcmp(section_name(reader, i), ".eh_frame") != 0;
}

// Assigns an offset to each loaded section. Returns true on success. Returns false if such a section is writable or
// zero-initialized (code must not contain such sections), has an invalid alignment or is outside the file. Also returns
// false if the total size of the sections exceeds MAX_BYTES, or if no section is loaded.
static bool assign_offsets(object_reader_t *reader) {
  for (uint32_t i = 0; i < reader->header->section_count; ++i) {
    const elf_section_t *section = &reader->sections[i];
    if (!is_loaded(reader, i))
      continue;
    size_t alignment = section->alignment ? section->alignment : 1;
    if (section->type == ELF_SECTION_ZEROED || section->flags & ELF_SECTION_IS_WRITABLE || alignment > 4096 ||
        (alignment & (alignment - 1)) != 0 || !is_in_range(reader, section->offset, section->size_bytes))
      return false;
    reader->total = (reader->total + alignment - 1) & ~(alignment - 1);
    reader->offsets[i] = reader->total + 1;
    reader->total += section->size_bytes;
    if (reader->total > MAX_BYTES)
      return false;
  }
  return reader->total > 0;
}

static const elf_symbol_t *get_symbols(const object_reader_t *reader, const elf_section_t *table, uint64_t *count) {
  *count = table->size_bytes / sizeof(elf_symbol_t);
  bool is_valid = table->type == ELF_SECTION_SYMBOLS && table->offset % _Alignof(elf_symbol_t) == 0 &&
                  is_in_range(reader, table->offset, table->size_bytes);
  return is_valid ? (const void *)(reader->bytes + table->offset) : NULL;
}

static bool find_symbol_address(const object_reader_t *reader, const elf_symbol_t *symbol, uint64_t *out) {
  if (symbol->section >= reader->header->section_count || reader->offsets[symbol->section] == 0 ||
      symbol->value > reader->sections[symbol->section].size_bytes)
    return false;
  *out = (uint64_t)(uintptr_t)reader->base + reader->offsets[symbol->section] - 1 + symbol->value;
  return true;
}

static bool apply_relocation(object_reader_t *reader, const elf_relocation_t *relocation, const elf_symbol_t *symbols,
                             uint64_t count, uint32_t section_index) {
  uint64_t symbol = relocation->symbol, type = relocation->type, value;
  size_t size = type == ELF_X86_64_ADDRESS ? 8 : 4;
  if (symbol >= count || !find_symbol_address(reader, &symbols[symbol], &value) ||
      reader->sections[section_index].size_bytes < size ||
      relocation->offset > reader->sections[section_index].size_bytes - size)
    return false;
  uint8_t *target = reader->base + reader->offsets[section_index] - 1 + relocation->offset;
  value += (uint64_t)relocation->addend;
  if (type == ELF_X86_64_RELATIVE || type == ELF_X86_64_CALL)
    value -= (uint64_t)(uintptr_t)target;
  else if (type != ELF_X86_64_ADDRESS)
    return false;
  memcpy(target, &value, size); // little-endian: a 32-bit relocation stores the low half
  return true;
}

static bool relocate_section(object_reader_t *reader, const elf_section_t *section) {
  if (section->info >= reader->header->section_count || reader->offsets[section->info] == 0)
    return true; // the section is not loaded
  uint64_t count = 0;
  const elf_symbol_t *symbols = section->link < reader->header->section_count
                                    ? get_symbols(reader, &reader->sections[section->link], &count)
                                    : NULL;
  if (!symbols || section->offset % _Alignof(elf_relocation_t) != 0 ||
      !is_in_range(reader, section->offset, section->size_bytes))
    return false;
  const elf_relocation_t *relocations = (const void *)(reader->bytes + section->offset);
  for (uint64_t i = 0; i < section->size_bytes / sizeof *relocations; ++i)
    if (!apply_relocation(reader, &relocations[i], symbols, count, section->info))
      return false;
  return true;
}

static bool copy_and_relocate(object_reader_t *reader) {
  for (uint32_t i = 0; i < reader->header->section_count; ++i)
    if (reader->offsets[i] > 0)
      memcpy(reader->base + reader->offsets[i] - 1, reader->bytes + reader->sections[i].offset,
             reader->sections[i].size_bytes);
  for (uint32_t i = 0; i < reader->header->section_count; ++i)
    if (reader->sections[i].type == ELF_SECTION_SHORT_RELOCATIONS ||
        (reader->sections[i].type == ELF_SECTION_RELOCATIONS && !relocate_section(reader, &reader->sections[i])))
      return false;
  return true;
}

static void *find_function(const object_reader_t *reader, const char *name) {
  for (uint32_t i = 0; i < reader->header->section_count; ++i) {
    uint64_t count = 0, value;
    const elf_section_t *section = &reader->sections[i];
    const elf_symbol_t *symbols = get_symbols(reader, section, &count);
    if (!symbols || section->link >= reader->header->section_count ||
        !is_in_range(reader, reader->sections[section->link].offset, reader->sections[section->link].size_bytes))
      continue;
    const char *names = (const char *)reader->bytes + reader->sections[section->link].offset;
    for (uint64_t k = 0; k < count; ++k)
      if (strcmp(read_symbol_name(names, reader->sections[section->link].size_bytes, symbols[k].name), name) == 0 &&
          find_symbol_address(reader, &symbols[k], &value))
        return (void *)(uintptr_t)value;
  }
  return NULL;
}

bool object_map(object_t *out, const void *bytes, size_t size_bytes, const char *name, error_info_t *error) {
  object_reader_t reader = {.bytes = bytes, .size = size_bytes};
  size_t page_size = pages_size();
  shoal_assert(page_size >= 4096 && (uintptr_t)bytes % _Alignof(elf_header_t) == 0,
               "unsupported page size of %zu bytes, or unaligned object", page_size);
  if (!read_header(&reader) || !assign_offsets(&reader))
    return error_set(error, "the object file is malformed");
  size_t page_bytes = (reader.total + page_size - 1) & ~(page_size - 1);
  uint8_t *pages = pages_reserve(page_bytes + 2 * page_size);
  if (!pages)
    return error_set(error, "out of memory for compiled code");
  *out = (object_t){.pages = pages, .size_bytes = page_bytes + 2 * page_size};
  reader.base = pages + page_size;
  bool is_valid = pages_protect(reader.base, page_bytes, PAGES_WRITE) && copy_and_relocate(&reader) &&
                  pages_protect(reader.base, page_bytes, PAGES_EXECUTE);
  out->entry = is_valid ? find_function(&reader, name) : NULL;
  if (!out->entry) {
    object_unmap(out);
    return error_set(error, "cannot link the object file: a symbol is unresolved, or memory cannot be made executable");
  }
  return true;
}

void object_unmap(object_t *object) {
  pages_release(object->pages, object->size_bytes);
  *object = (object_t){0};
}
