// Loads relocatable ELF files. All offsets are checked before use.
#include "native/object_file.h"

#include "base/assert.h"
#include "base/pages.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 64, MAX_BYTES = 1 << 24 };

typedef struct object_reader_t {
  const uint8_t *bytes;
  size_t size;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
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
  return read_symbol_name(reader->names, reader->names_size, reader->sections[i].sh_name);
}

static bool read_header(object_reader_t *reader) {
  reader->header = (const void *)reader->bytes;
  if (reader->size < sizeof *reader->header || memcmp(reader->header->e_ident, ELFMAG, SELFMAG) != 0 ||
      reader->header->e_ident[EI_CLASS] != ELFCLASS64 || reader->header->e_type != ET_REL ||
      reader->header->e_machine != EM_X86_64)
    return false;
  if (reader->header->e_shnum > MAX_SECTIONS || reader->header->e_shentsize != sizeof *reader->sections ||
      reader->header->e_shoff % _Alignof(Elf64_Shdr) != 0 || reader->header->e_shstrndx >= reader->header->e_shnum ||
      !is_in_range(reader, reader->header->e_shoff, reader->header->e_shnum * sizeof *reader->sections))
    return false;
  reader->sections = (const void *)(reader->bytes + reader->header->e_shoff);
  const Elf64_Shdr *names = &reader->sections[reader->header->e_shstrndx];
  if (!is_in_range(reader, names->sh_offset, names->sh_size))
    return false;
  reader->names = (const char *)reader->bytes + names->sh_offset;
  reader->names_size = names->sh_size;
  return true;
}

static bool is_loaded(const object_reader_t *reader, uint32_t i) {
  return reader->sections[i].sh_flags & SHF_ALLOC && reader->sections[i].sh_size > 0 &&
         strcmp(section_name(reader, i), ".eh_frame") != 0;
}

// Assigns an offset to each loaded section. Returns true on success. Returns false if such a section is writable or
// zero-initialized (code must not contain such sections), has an invalid alignment or is outside the file. Also returns
// false if the total size of the sections exceeds MAX_BYTES, or if no section is loaded.
static bool assign_offsets(object_reader_t *reader) {
  for (uint32_t i = 0; i < reader->header->e_shnum; ++i) {
    const Elf64_Shdr *section = &reader->sections[i];
    if (!is_loaded(reader, i))
      continue;
    size_t alignment = section->sh_addralign ? section->sh_addralign : 1;
    if (section->sh_type == SHT_NOBITS || section->sh_flags & SHF_WRITE || alignment > 4096 ||
        (alignment & (alignment - 1)) != 0 || !is_in_range(reader, section->sh_offset, section->sh_size))
      return false;
    reader->total = (reader->total + alignment - 1) & ~(alignment - 1);
    reader->offsets[i] = reader->total + 1;
    reader->total += section->sh_size;
    if (reader->total > MAX_BYTES)
      return false;
  }
  return reader->total > 0;
}

static const Elf64_Sym *get_symbols(const object_reader_t *reader, const Elf64_Shdr *table, uint64_t *count) {
  *count = table->sh_size / sizeof(Elf64_Sym);
  bool is_valid = table->sh_type == SHT_SYMTAB && table->sh_offset % _Alignof(Elf64_Sym) == 0 &&
                  is_in_range(reader, table->sh_offset, table->sh_size);
  return is_valid ? (const void *)(reader->bytes + table->sh_offset) : NULL;
}

static bool find_symbol_address(const object_reader_t *reader, const Elf64_Sym *symbol, uint64_t *out) {
  if (symbol->st_shndx >= reader->header->e_shnum || reader->offsets[symbol->st_shndx] == 0 ||
      symbol->st_value > reader->sections[symbol->st_shndx].sh_size)
    return false;
  *out = (uint64_t)(uintptr_t)reader->base + reader->offsets[symbol->st_shndx] - 1 + symbol->st_value;
  return true;
}

static bool apply_relocation(object_reader_t *reader, const Elf64_Rela *rela, const Elf64_Sym *symbols, uint64_t count,
                             uint32_t section_index) {
  uint64_t symbol = ELF64_R_SYM(rela->r_info), type = ELF64_R_TYPE(rela->r_info), value;
  size_t size = type == R_X86_64_64 ? 8 : 4;
  if (symbol >= count || !find_symbol_address(reader, &symbols[symbol], &value) ||
      reader->sections[section_index].sh_size < size || rela->r_offset > reader->sections[section_index].sh_size - size)
    return false;
  uint8_t *target = reader->base + reader->offsets[section_index] - 1 + rela->r_offset;
  value += (uint64_t)rela->r_addend;
  if (type == R_X86_64_PC32 || type == R_X86_64_PLT32)
    value -= (uint64_t)(uintptr_t)target;
  else if (type != R_X86_64_64)
    return false;
  memcpy(target, &value, size); // little-endian: a 32-bit relocation stores the low half
  return true;
}

static bool relocate_section(object_reader_t *reader, const Elf64_Shdr *section) {
  if (section->sh_info >= reader->header->e_shnum || reader->offsets[section->sh_info] == 0)
    return true; // the section is not loaded
  uint64_t count = 0;
  const Elf64_Sym *symbols = section->sh_link < reader->header->e_shnum
                                 ? get_symbols(reader, &reader->sections[section->sh_link], &count)
                                 : NULL;
  if (!symbols || section->sh_offset % _Alignof(Elf64_Rela) != 0 ||
      !is_in_range(reader, section->sh_offset, section->sh_size))
    return false;
  const Elf64_Rela *relocations = (const void *)(reader->bytes + section->sh_offset);
  for (uint64_t i = 0; i < section->sh_size / sizeof *relocations; ++i)
    if (!apply_relocation(reader, &relocations[i], symbols, count, section->sh_info))
      return false;
  return true;
}

static bool copy_and_relocate(object_reader_t *reader) {
  for (uint32_t i = 0; i < reader->header->e_shnum; ++i)
    if (reader->offsets[i] > 0)
      memcpy(reader->base + reader->offsets[i] - 1, reader->bytes + reader->sections[i].sh_offset,
             reader->sections[i].sh_size);
  for (uint32_t i = 0; i < reader->header->e_shnum; ++i)
    if (reader->sections[i].sh_type == SHT_REL ||
        (reader->sections[i].sh_type == SHT_RELA && !relocate_section(reader, &reader->sections[i])))
      return false;
  return true;
}

static void *find_function(const object_reader_t *reader, const char *name) {
  for (uint32_t i = 0; i < reader->header->e_shnum; ++i) {
    uint64_t count = 0, value;
    const Elf64_Shdr *section = &reader->sections[i];
    const Elf64_Sym *symbols = get_symbols(reader, section, &count);
    if (!symbols || section->sh_link >= reader->header->e_shnum ||
        !is_in_range(reader, reader->sections[section->sh_link].sh_offset, reader->sections[section->sh_link].sh_size))
      continue;
    const char *names = (const char *)reader->bytes + reader->sections[section->sh_link].sh_offset;
    for (uint64_t k = 0; k < count; ++k)
      if (strcmp(read_symbol_name(names, reader->sections[section->sh_link].sh_size, symbols[k].st_name), name) == 0 &&
          find_symbol_address(reader, &symbols[k], &value))
        return (void *)(uintptr_t)value;
  }
  return NULL;
}

bool object_map(object_t *out, const void *bytes, size_t size_bytes, const char *name, error_info_t *error) {
  object_reader_t reader = {.bytes = bytes, .size = size_bytes};
  size_t page_size = pages_size();
  shoal_assert(page_size >= 4096 && (uintptr_t)bytes % _Alignof(Elf64_Ehdr) == 0,
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
