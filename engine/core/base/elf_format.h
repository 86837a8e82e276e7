// Structures of 64-bit ELF files, the format of programs and libraries on Linux. Native systems are compiled to ELF
// objects on every operating system, because the engine loads these objects itself. The layout and the values match the
// ELF specification.
#ifndef SHOAL_BASE_ELF_FORMAT_H
#define SHOAL_BASE_ELF_FORMAT_H

#include <stdint.h>

// Identification at the start of each file.
#define ELF_MAGIC "\177ELF"
#define ELF_MAGIC_BYTES 4u
#define ELF_CLASS_64 2u
#define ELF_LITTLE_ENDIAN 1u

typedef struct elf_header_t {
  uint8_t magic[ELF_MAGIC_BYTES];
  uint8_t class, byte_order, version, system, reserved[8];
  uint16_t type, machine;
  uint32_t format_version;
  uint64_t entry;
  uint64_t segments_offset, sections_offset; // file offsets of the segment table and of the section table
  uint32_t flags;
  uint16_t header_bytes;
  uint16_t segment_bytes; // size of an entry in the segment table
  uint16_t segment_count; // number of entries in the segment table
  uint16_t section_bytes, section_count;
  uint16_t names_section; // index of the section that contains the section names
} elf_header_t;

enum { ELF_TYPE_RELOCATABLE = 1, ELF_MACHINE_X86_64 = 62 };

// A part of the file that is mapped when the program or library is loaded.
typedef struct elf_segment_t {
  uint32_t type, flags;
  uint64_t offset, address, physical_address;
  uint64_t file_bytes, memory_bytes;
  uint64_t alignment;
} elf_segment_t;

enum { ELF_SEGMENT_LOADED = 1 };

typedef struct elf_section_t {
  uint32_t name; // offset of the name in the section that contains the section names
  uint32_t type;
  uint64_t flags;
  uint64_t address, offset, size_bytes;
  uint32_t link, info; // values whose meaning depends on the type
  uint64_t alignment;
  uint64_t entry_bytes; // size of an entry, if the section is a table
} elf_section_t;

enum {
  ELF_SECTION_SYMBOLS = 2,
  ELF_SECTION_RELOCATIONS = 4,       // relocations with addends (SHT_RELA)
  ELF_SECTION_ZEROED = 8,            // section that is not stored in the file
  ELF_SECTION_SHORT_RELOCATIONS = 9, // relocations without addends (SHT_REL)
  ELF_SECTION_DYNAMIC_SYMBOLS = 11
};
enum {
  ELF_SECTION_IS_WRITABLE = 1,
  ELF_SECTION_IS_LOADED = 2,
  ELF_SECTION_IS_THREAD_LOCAL = 1 << 10,
  ELF_SECTION_IS_COMPRESSED = 1 << 11
};

typedef struct elf_symbol_t {
  uint32_t name; // offset of the name in the section that contains the symbol names
  uint8_t info;  // binding and type
  uint8_t visibility;
  uint16_t section;
  uint64_t value, size_bytes;
} elf_symbol_t;

enum { ELF_SYMBOL_VARIABLE = 1, ELF_SYMBOL_FUNCTION = 2, ELF_SYMBOL_FILE = 4 };
enum { ELF_BINDING_LOCAL = 0 };
enum { ELF_UNDEFINED_SECTION = 0 }; // section of a symbol that a different file defines

static inline uint32_t elf_symbol_type(const elf_symbol_t *symbol) {
  return symbol->info & 15u;
}

static inline uint32_t elf_symbol_binding(const elf_symbol_t *symbol) {
  return symbol->info >> 4;
}

typedef struct elf_relocation_t {
  uint64_t offset;
  uint32_t type, symbol;
  int64_t addend;
} elf_relocation_t;

// Relocation types R_X86_64_64, R_X86_64_PC32 and R_X86_64_PLT32
enum { ELF_X86_64_ADDRESS = 1, ELF_X86_64_RELATIVE = 2, ELF_X86_64_CALL = 4 };

_Static_assert(sizeof(elf_header_t) == 64 && sizeof(elf_segment_t) == 56 && sizeof(elf_section_t) == 64 &&
                   sizeof(elf_symbol_t) == 24 && sizeof(elf_relocation_t) == 24,
               "the structures must have the sizes in the ELF specification");

#endif
