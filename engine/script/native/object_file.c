// Loads relocatable ELF files. All offsets are checked before use.
#include "native/object_file.h"

#include "base/assert.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SECTIONS = 64, MAX_BYTES = 1 << 24 };

typedef struct reader_t {
  const uint8_t *bytes;
  size_t size;
  const Elf64_Ehdr *head;
  const Elf64_Shdr *sections;
  const char *names;
  size_t names_size;
  uint8_t *base;                // address of the sections, after the first guard page
  size_t offsets[MAX_SECTIONS]; // offset from `base` plus 1; 0 if the section is not loaded
  size_t total;
} reader_t;

static bool is_in_range(const reader_t *r, uint64_t offset, uint64_t size) {
  return offset <= r->size && size <= r->size - offset;
}

static const char *read_symbol_name(const char *names, size_t size, uint32_t at) {
  return at < size && memchr(names + at, 0, size - at) ? names + at : "";
}

static const char *section_name(const reader_t *r, uint32_t i) {
  return read_symbol_name(r->names, r->names_size, r->sections[i].sh_name);
}

static bool read_header(reader_t *r) {
  r->head = (const void *)r->bytes;
  if (r->size < sizeof *r->head || memcmp(r->head->e_ident, ELFMAG, SELFMAG) != 0 ||
      r->head->e_ident[EI_CLASS] != ELFCLASS64 || r->head->e_type != ET_REL || r->head->e_machine != EM_X86_64)
    return false;
  if (r->head->e_shnum > MAX_SECTIONS || r->head->e_shentsize != sizeof *r->sections ||
      r->head->e_shoff % _Alignof(Elf64_Shdr) != 0 || r->head->e_shstrndx >= r->head->e_shnum ||
      !is_in_range(r, r->head->e_shoff, r->head->e_shnum * sizeof *r->sections))
    return false;
  r->sections = (const void *)(r->bytes + r->head->e_shoff);
  const Elf64_Shdr *names = &r->sections[r->head->e_shstrndx];
  if (!is_in_range(r, names->sh_offset, names->sh_size))
    return false;
  r->names = (const char *)r->bytes + names->sh_offset;
  r->names_size = names->sh_size;
  return true;
}

static bool is_loaded(const reader_t *r, uint32_t i) {
  return r->sections[i].sh_flags & SHF_ALLOC && r->sections[i].sh_size > 0 &&
         strcmp(section_name(r, i), ".eh_frame") != 0;
}

// Assigns an offset to each loaded section. Returns false if a section is writable or zero-initialized (code must not
// contain such sections), has an invalid alignment or is outside the file, if the total size of the sections exceeds
// MAX_BYTES, or if no section is loaded.
static bool assign_offsets(reader_t *r) {
  for (uint32_t i = 0; i < r->head->e_shnum; ++i) {
    const Elf64_Shdr *s = &r->sections[i];
    if (!is_loaded(r, i))
      continue;
    size_t align = s->sh_addralign ? s->sh_addralign : 1;
    if (s->sh_type == SHT_NOBITS || s->sh_flags & SHF_WRITE || align > 4096 || (align & (align - 1)) != 0 ||
        !is_in_range(r, s->sh_offset, s->sh_size))
      return false;
    r->total = (r->total + align - 1) & ~(align - 1);
    r->offsets[i] = r->total + 1;
    r->total += s->sh_size;
    if (r->total > MAX_BYTES)
      return false;
  }
  return r->total > 0;
}

static const Elf64_Sym *get_symbols(const reader_t *r, const Elf64_Shdr *table, uint64_t *count) {
  *count = table->sh_size / sizeof(Elf64_Sym);
  bool is_valid = table->sh_type == SHT_SYMTAB && table->sh_offset % _Alignof(Elf64_Sym) == 0 &&
                  is_in_range(r, table->sh_offset, table->sh_size);
  return is_valid ? (const void *)(r->bytes + table->sh_offset) : NULL;
}

static bool find_symbol_address(const reader_t *r, const Elf64_Sym *s, uint64_t *out) {
  if (s->st_shndx >= r->head->e_shnum || r->offsets[s->st_shndx] == 0 || s->st_value > r->sections[s->st_shndx].sh_size)
    return false;
  *out = (uint64_t)(uintptr_t)r->base + r->offsets[s->st_shndx] - 1 + s->st_value;
  return true;
}

static bool apply_relocation(reader_t *r, const Elf64_Rela *rela, const Elf64_Sym *symbols, uint64_t count,
                             uint32_t into) {
  uint64_t symbol = ELF64_R_SYM(rela->r_info), type = ELF64_R_TYPE(rela->r_info), value;
  size_t size = type == R_X86_64_64 ? 8 : 4;
  if (symbol >= count || !find_symbol_address(r, &symbols[symbol], &value) || r->sections[into].sh_size < size ||
      rela->r_offset > r->sections[into].sh_size - size)
    return false;
  uint8_t *at = r->base + r->offsets[into] - 1 + rela->r_offset;
  value += (uint64_t)rela->r_addend;
  if (type == R_X86_64_PC32 || type == R_X86_64_PLT32)
    value -= (uint64_t)(uintptr_t)at;
  else if (type != R_X86_64_64)
    return false;
  memcpy(at, &value, size); // little-endian: a 32-bit relocation stores the low half
  return true;
}

static bool relocate_section(reader_t *r, const Elf64_Shdr *s) {
  if (s->sh_info >= r->head->e_shnum || r->offsets[s->sh_info] == 0)
    return true; // the section is not loaded
  uint64_t count = 0;
  const Elf64_Sym *symbols = s->sh_link < r->head->e_shnum ? get_symbols(r, &r->sections[s->sh_link], &count) : NULL;
  if (!symbols || s->sh_offset % _Alignof(Elf64_Rela) != 0 || !is_in_range(r, s->sh_offset, s->sh_size))
    return false;
  const Elf64_Rela *all = (const void *)(r->bytes + s->sh_offset);
  for (uint64_t i = 0; i < s->sh_size / sizeof *all; ++i)
    if (!apply_relocation(r, &all[i], symbols, count, s->sh_info))
      return false;
  return true;
}

static bool copy_and_relocate(reader_t *r) {
  for (uint32_t i = 0; i < r->head->e_shnum; ++i)
    if (r->offsets[i] > 0)
      memcpy(r->base + r->offsets[i] - 1, r->bytes + r->sections[i].sh_offset, r->sections[i].sh_size);
  for (uint32_t i = 0; i < r->head->e_shnum; ++i)
    if (r->sections[i].sh_type == SHT_REL ||
        (r->sections[i].sh_type == SHT_RELA && !relocate_section(r, &r->sections[i])))
      return false;
  return true;
}

static void *find_function(const reader_t *r, const char *name) {
  for (uint32_t i = 0; i < r->head->e_shnum; ++i) {
    uint64_t count = 0, value;
    const Elf64_Shdr *s = &r->sections[i];
    const Elf64_Sym *symbols = get_symbols(r, s, &count);
    if (!symbols || s->sh_link >= r->head->e_shnum ||
        !is_in_range(r, r->sections[s->sh_link].sh_offset, r->sections[s->sh_link].sh_size))
      continue;
    const char *names = (const char *)r->bytes + r->sections[s->sh_link].sh_offset;
    for (uint64_t k = 0; k < count; ++k)
      if (strcmp(read_symbol_name(names, r->sections[s->sh_link].sh_size, symbols[k].st_name), name) == 0 &&
          find_symbol_address(r, &symbols[k], &value))
        return (void *)(uintptr_t)value;
  }
  return NULL;
}

bool object_map(object_t *out, const void *bytes, size_t size_bytes, const char *name, error_info_t *error) {
  reader_t r = {.bytes = bytes, .size = size_bytes};
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  shoal_assert(page >= 4096 && (uintptr_t)bytes % _Alignof(Elf64_Ehdr) == 0,
               "unsupported page size of %zu bytes, or unaligned object", page);
  if (!read_header(&r) || !assign_offsets(&r))
    return error_set(error, "the object file is malformed");
  size_t inner = (r.total + page - 1) & ~(page - 1);
  uint8_t *pages = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return error_set(error, "out of memory for compiled code");
  *out = (object_t){.pages = pages, .size_bytes = inner + 2 * page};
  r.base = pages + page;
  bool is_valid = mprotect(r.base, inner, PROT_READ | PROT_WRITE) == 0 && copy_and_relocate(&r) &&
                  mprotect(r.base, inner, PROT_READ | PROT_EXEC) == 0;
  out->entry = is_valid ? find_function(&r, name) : NULL;
  if (!out->entry) {
    object_unmap(out);
    return error_set(error, "cannot link the object file: a symbol is unresolved, or memory cannot be made executable");
  }
  return true;
}

void object_unmap(object_t *o) {
  if (o->pages)
    munmap(o->pages, o->size_bytes);
  *o = (object_t){0};
}
