// Format: "PE Format" and "VS_VERSIONINFO structure" in Microsoft's documentation. All numbers are little-endian.
//
// A linker writes the sections .rsrc and .reloc after all sections with code or data, followed by sections with debug
// information. The new resources replace .rsrc, .reloc moves behind them, and the debug information is dropped. Only a
// field of the header contains the address of .reloc, so no code changes.
#include "packing/windows_program.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Offsets in the headers. The optional header follows the COFF header, and the section headers follow it.
#define PE_OFFSET_FIELD 0x3c
#define COFF_HEADER_BYTES 24u // with the signature "PE\0\0"
#define MACHINE_X86_64 0x8664u
#define OPTIONAL_MAGIC_64 0x20bu
#define SECTION_HEADER_BYTES 40u
#define OPTIONAL_MIN_BYTES 160u // up to the sixth entry of the data directory
#define FIELD_SECTION_ALIGNMENT 32u
#define FIELD_FILE_ALIGNMENT 36u
#define FIELD_IMAGE_BYTES 56u
#define FIELD_CHECKSUM 64u
#define FIELD_SUBSYSTEM 68u
#define FIELD_RESOURCES 128u   // address and size
#define FIELD_RELOCATIONS 152u // address and size
#define MAX_ALIGNMENT 0x10000u // of sections
#define SUBSYSTEM_WINDOW 2u    // unlike a console program (3)

// Types of resources.
#define TYPE_ICON 3u
#define TYPE_ICON_GROUP 14u
#define TYPE_VERSION 16u
#define TYPE_MANIFEST 24u
#define LANGUAGE 0x409u // English, the language of resources that do not depend on the user's language

#define MAX_RESOURCES (ICON_MAX_IMAGES + 3u)
#define DIRECTORY_BYTES 16u // header of a directory; 8 bytes per entry follow
#define ENTRY_BYTES 8u
#define DATA_ENTRY_BYTES 16u
#define SUBFOLDER_FLAG 0x80000000u

typedef struct bytes_t {
  allocator_t *memory;
  ARRAY(uint8_t) data;
} bytes_t;

typedef struct resource_t {
  uint32_t type, id;
  const uint8_t *bytes;
  uint32_t size_bytes;
} resource_t;

typedef struct section_t {
  char name[9];
  uint32_t memory_bytes, address, file_bytes, file_offset;
  size_t header_offset;
} section_t;

// The parts of a program that are replaced.
typedef struct program_t {
  const uint8_t *bytes;
  size_t size_bytes;
  size_t optional_header; // offset
  uint32_t section_alignment, file_alignment;
  uint32_t section_count; // up to .reloc
  section_t resources, relocations;
} program_t;

// --- numbers

static uint32_t read_number(const uint8_t *bytes, uint32_t count) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < count; ++i)
    number |= (uint32_t)bytes[i] << (8 * i);
  return number;
}

static void store_number(uint8_t *bytes, uint32_t number, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    bytes[i] = (uint8_t)(number >> (8 * i));
}

static void add_number(bytes_t *out, uint32_t number, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    array_push(out->memory, &out->data, (uint8_t)(number >> (8 * i)));
}

static void add_bytes(bytes_t *out, const uint8_t *bytes, uint32_t count) {
  array_reserve(out->memory, &out->data, out->data.count + count);
  if (count > 0)
    memcpy(out->data.items + out->data.count, bytes, count);
  out->data.count += count;
}

static void pad(bytes_t *out, uint32_t alignment) {
  while (out->data.count % alignment != 0)
    add_number(out, 0, 1);
}

static uint32_t align(uint32_t number, uint32_t alignment) {
  return (number + alignment - 1) / alignment * alignment;
}

// --- the version resource: nested blocks of a length, a key and a value, each aligned to 4 bytes

// Adds a string as UTF-16 with its terminating zero. Returns the number of 16-bit units.
static uint32_t add_utf16(bytes_t *out, const char *text) {
  uint32_t start = out->data.count;
  for (uint32_t length; *text; text += length) {
    uint32_t c = utf8_decode(text, strlen(text), &length);
    if (c >= 0x10000) {
      add_number(out, 0xd800 + ((c - 0x10000) >> 10), 2);
      c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    add_number(out, c, 2);
  }
  add_number(out, 0, 2);
  return (out->data.count - start) / 2;
}

// Begins a block. Returns its offset, for end_block. `value_size`: in 16-bit units for text, otherwise in bytes.
static uint32_t begin_block(bytes_t *out, const char *key, uint32_t value_size, bool is_text) {
  pad(out, 4);
  uint32_t start = out->data.count;
  add_number(out, 0, 2); // the length, stored by end_block
  add_number(out, value_size, 2);
  add_number(out, is_text, 2);
  add_utf16(out, key);
  pad(out, 4);
  return start;
}

static void end_block(bytes_t *out, uint32_t start) {
  store_number(out->data.items + start, out->data.count - start, 2);
}

static void add_string(bytes_t *out, const char *key, const char *value) {
  uint32_t start = begin_block(out, key, 0, true);
  store_number(out->data.items + start + 2, add_utf16(out, value), 2);
  end_block(out, start);
}

// Reads up to four numbers that are separated by dots, as in "1.2.3-beta". Missing numbers are 0, larger numbers 65535.
static void parse_version(const char *text, uint32_t out[4]) {
  memset(out, 0, 4 * sizeof *out);
  for (uint32_t i = 0; i < 4 && *text >= '0' && *text <= '9'; ++i) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    out[i] = number < 65535 ? (uint32_t)number : 65535;
    text = *end == '.' ? end + 1 : "";
  }
}

static void add_fixed_version(bytes_t *out, const char *version) {
  uint32_t numbers[4];
  parse_version(version, numbers);
  add_number(out, 0xfeef04bd, 4); // signature
  add_number(out, 0x10000, 4);    // version of this structure
  for (int i = 0; i < 2; ++i) {   // of the file and of the product
    add_number(out, numbers[0] << 16 | numbers[1], 4);
    add_number(out, numbers[2] << 16 | numbers[3], 4);
  }
  add_number(out, 0x3f, 4);    // mask of valid flags
  add_number(out, 0, 4);       // flags
  add_number(out, 0x40004, 4); // Windows
  add_number(out, 1, 4);       // a program
  add_number(out, 0, 4);       // subtype
  add_number(out, 0, 4);       // date: unknown
  add_number(out, 0, 4);
}

static void add_version(bytes_t *out, const windows_program_desc_t *desc) {
  uint32_t version = begin_block(out, "VS_VERSION_INFO", 52, false);
  add_fixed_version(out, desc->version);
  uint32_t strings = begin_block(out, "StringFileInfo", 0, true);
  uint32_t table = begin_block(out, "040904b0", 0, true); // LANGUAGE and UTF-16
  add_string(out, "FileDescription", desc->title);
  add_string(out, "FileVersion", desc->version);
  add_string(out, "OriginalFilename", desc->file_name);
  add_string(out, "ProductName", desc->title);
  add_string(out, "ProductVersion", desc->version);
  end_block(out, table);
  end_block(out, strings);
  uint32_t variables = begin_block(out, "VarFileInfo", 0, true);
  uint32_t translation = begin_block(out, "Translation", 4, false);
  add_number(out, LANGUAGE, 2);
  add_number(out, 0x4b0, 2);
  end_block(out, translation);
  end_block(out, variables);
  end_block(out, version);
}

// --- the section with the resources: directories of types, of ids and of languages, followed by the data

static void add_icon_group(bytes_t *out, const icon_images_t *icon) {
  add_number(out, 0, 2);
  add_number(out, 1, 2); // icons, not cursors
  add_number(out, icon->count, 2);
  for (uint32_t i = 0; i < icon->count; ++i) {
    uint32_t side = icon->images[i].side & 0xff; // 0 stands for 256
    add_number(out, side, 1);
    add_number(out, side, 1);
    add_number(out, 0, 2);  // no palette
    add_number(out, 1, 2);  // planes
    add_number(out, 32, 2); // bits per pixel
    add_number(out, (uint32_t)icon->images[i].size_bytes, 4);
    add_number(out, i + 1, 2);
  }
}

static void add_directory(bytes_t *out, uint32_t entry_count) {
  add_number(out, 0, 4); // characteristics
  add_number(out, 0, 4); // no time stamp, so that equal inputs give identical bytes
  add_number(out, 0, 4); // version
  add_number(out, 0, 2); // entries with names
  add_number(out, entry_count, 2);
}

// Returns the number of resources, starting at `first`, that have the same type.
static uint32_t count_same_type(const resource_t *resources, uint32_t count, uint32_t first) {
  uint32_t end = first;
  while (end < count && resources[end].type == resources[first].type)
    ++end;
  return end - first;
}

// Adds the directories of types, ids and languages. Directories of languages have one entry each.
static void add_directories(bytes_t *out, const resource_t *resources, uint32_t count) {
  uint32_t type_count = 0;
  for (uint32_t i = 0; i < count; i += count_same_type(resources, count, i))
    ++type_count;
  uint32_t id_directory = DIRECTORY_BYTES + ENTRY_BYTES * type_count;
  uint32_t language_directory = id_directory + DIRECTORY_BYTES * type_count + ENTRY_BYTES * count;
  uint32_t data_entry = language_directory + (DIRECTORY_BYTES + ENTRY_BYTES) * count;
  add_directory(out, type_count);
  for (uint32_t i = 0, same; i < count; i += same) {
    same = count_same_type(resources, count, i);
    add_number(out, resources[i].type, 4);
    add_number(out, id_directory | SUBFOLDER_FLAG, 4);
    id_directory += DIRECTORY_BYTES + ENTRY_BYTES * same;
  }
  for (uint32_t i = 0, same; i < count; i += same) {
    same = count_same_type(resources, count, i);
    add_directory(out, same);
    for (uint32_t k = i; k < i + same; ++k) {
      add_number(out, resources[k].id, 4);
      add_number(out, (language_directory + (DIRECTORY_BYTES + ENTRY_BYTES) * k) | SUBFOLDER_FLAG, 4);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    add_directory(out, 1);
    add_number(out, LANGUAGE, 4);
    add_number(out, data_entry + DATA_ENTRY_BYTES * i, 4);
  }
}

// Adds the section, whose address in memory is `address`. `resources` is sorted by type and id.
static void add_resources(bytes_t *out, uint32_t address, const resource_t *resources, uint32_t count) {
  add_directories(out, resources, count);
  uint32_t offset = out->data.count + DATA_ENTRY_BYTES * count;
  for (uint32_t i = 0; i < count; ++i) {
    add_number(out, address + offset, 4);
    add_number(out, resources[i].size_bytes, 4);
    add_number(out, 0, 4); // code page
    add_number(out, 0, 4);
    offset = align(offset + resources[i].size_bytes, 8);
  }
  for (uint32_t i = 0; i < count; ++i) {
    add_bytes(out, resources[i].bytes, resources[i].size_bytes);
    pad(out, 8);
  }
}

// --- reading a program

// Returns the offset of the first entry of a directory, or of the entry with this id if `id` is not 0. Returns 0 if the
// directory is damaged or the entry is missing.
static uint32_t find_entry(const section_t *section, const uint8_t *data, uint32_t directory, uint32_t id) {
  if (directory > section->file_bytes || section->file_bytes - directory < DIRECTORY_BYTES)
    return 0;
  uint32_t count = read_number(data + directory + 12, 2) + read_number(data + directory + 14, 2);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t entry = directory + DIRECTORY_BYTES + ENTRY_BYTES * i;
    if (section->file_bytes - directory - DIRECTORY_BYTES < ENTRY_BYTES * (i + 1))
      return 0;
    if (id == 0 || read_number(data + entry, 4) == id)
      return entry;
  }
  return 0;
}

// Finds the manifest. Returns true on success, or false if it is missing or damaged.
static bool find_manifest(const program_t *p, resource_t *out) {
  const section_t *section = &p->resources;
  const uint8_t *data = p->bytes + section->file_offset;
  uint32_t entry = 0, directory = 0;
  for (uint32_t level = 0; level < 3; ++level) {
    entry = find_entry(section, data, directory, level == 0 ? TYPE_MANIFEST : 0);
    if (entry == 0)
      return false;
    directory = read_number(data + entry + 4, 4) & ~SUBFOLDER_FLAG;
  }
  if (directory > section->file_bytes || section->file_bytes - directory < DATA_ENTRY_BYTES)
    return false;
  uint32_t offset = read_number(data + directory, 4) - section->address, size = read_number(data + directory + 4, 4);
  if (offset > section->file_bytes || section->file_bytes - offset < size)
    return false;
  *out = (resource_t){TYPE_MANIFEST, 1, data + offset, size};
  return true;
}

static section_t read_section(const uint8_t *header, size_t header_offset) {
  section_t s = {.memory_bytes = read_number(header + 8, 4),
                 .address = read_number(header + 12, 4),
                 .file_bytes = read_number(header + 16, 4),
                 .file_offset = read_number(header + 20, 4),
                 .header_offset = header_offset};
  memcpy(s.name, header, sizeof s.name - 1);
  return s;
}

// Reads the sections. Returns true if .rsrc and .reloc are the last ones in the file except debug information, whose
// names are long names ("/4").
static bool read_sections(program_t *p, size_t first, uint32_t count) {
  uint32_t end = 0; // of the previous section in the file
  for (uint32_t i = 0; i < count; ++i) {
    size_t offset = first + (size_t)SECTION_HEADER_BYTES * i;
    if (p->size_bytes < offset + SECTION_HEADER_BYTES)
      return false;
    section_t section = read_section(p->bytes + offset, offset);
    if (section.file_offset > p->size_bytes || p->size_bytes - section.file_offset < section.file_bytes ||
        (section.file_bytes > 0 && section.file_offset < end))
      return false;
    end = section.file_bytes > 0 ? section.file_offset + section.file_bytes : end;
    bool is_debug = section.name[0] == '/';
    if (strcmp(section.name, ".rsrc") == 0)
      p->resources = section;
    else if (strcmp(section.name, ".reloc") == 0)
      p->relocations = section;
    else if (!is_debug && p->resources.file_bytes > 0)
      return false;
    p->section_count += !is_debug;
  }
  return p->resources.file_bytes > 0 && p->relocations.address > p->resources.address;
}

static bool read_program(program_t *p, error_info_t *error) {
  bool ok = p->size_bytes > PE_OFFSET_FIELD + 4 && p->size_bytes < UINT32_MAX / 2 && memcmp(p->bytes, "MZ", 2) == 0;
  size_t header = ok ? read_number(p->bytes + PE_OFFSET_FIELD, 4) : 0;
  p->optional_header = header + COFF_HEADER_BYTES;
  ok = ok && p->size_bytes > p->optional_header + OPTIONAL_MIN_BYTES && memcmp(p->bytes + header, "PE\0\0", 4) == 0 &&
       read_number(p->bytes + header + 4, 2) == MACHINE_X86_64 &&
       read_number(p->bytes + p->optional_header, 2) == OPTIONAL_MAGIC_64;
  if (!ok)
    return error_set(error, "expected a program for 64-bit Windows");
  p->section_alignment = read_number(p->bytes + p->optional_header + FIELD_SECTION_ALIGNMENT, 4);
  p->file_alignment = read_number(p->bytes + p->optional_header + FIELD_FILE_ALIGNMENT, 4);
  size_t sections = p->optional_header + read_number(p->bytes + header + 20, 2);
  bool is_aligned = p->section_alignment > 0 && p->section_alignment <= MAX_ALIGNMENT && p->file_alignment > 0 &&
                    p->file_alignment <= MAX_ALIGNMENT;
  return (is_aligned && read_sections(p, sections, read_number(p->bytes + header + 6, 2))) ||
         error_set(error, "the program has no resources, or sections follow them: build it with "
                          "./shoal build --target windows");
}

// --- writing

static uint32_t add_icon_resources(resource_t *out, const icon_images_t *icon) {
  for (uint32_t i = 0; i < icon->count; ++i)
    out[i] = (resource_t){TYPE_ICON, i + 1, icon->images[i].bytes, (uint32_t)icon->images[i].size_bytes};
  return icon->count;
}

static void write_resources(const program_t *p, const windows_program_desc_t *desc, const resource_t *manifest,
                            bytes_t *out) {
  bytes_t version = {.memory = out->memory}, group = {.memory = out->memory};
  resource_t resources[MAX_RESOURCES];
  uint32_t count = add_icon_resources(resources, desc->icon);
  add_icon_group(&group, desc->icon);
  add_version(&version, desc);
  resources[count++] = (resource_t){TYPE_ICON_GROUP, 1, group.data.items, group.data.count};
  resources[count++] = (resource_t){TYPE_VERSION, 1, version.data.items, version.data.count};
  resources[count++] = *manifest;
  add_resources(out, p->resources.address, resources, count);
  array_free(out->memory, &version.data);
  array_free(out->memory, &group.data);
}

static void store_section(uint8_t *header, const section_t *section) {
  store_number(header + 8, section->memory_bytes, 4);
  store_number(header + 12, section->address, 4);
  store_number(header + 16, section->file_bytes, 4);
  store_number(header + 20, section->file_offset, 4);
}

// Changes the headers for the new sizes and places of both sections.
static void store_headers(const program_t *p, uint8_t *bytes, const section_t *resources,
                          const section_t *relocations) {
  uint8_t *optional = bytes + p->optional_header, *coff = optional - COFF_HEADER_BYTES;
  size_t sections_end = relocations->header_offset + SECTION_HEADER_BYTES;
  store_number(coff + 6, p->section_count, 2);
  store_number(coff + 12, 0, 4); // no symbols
  store_number(coff + 16, 0, 4);
  store_number(optional + FIELD_IMAGE_BYTES,
               align(relocations->address + relocations->memory_bytes, p->section_alignment), 4);
  store_number(optional + FIELD_CHECKSUM, 0, 4); // Windows checks it only for drivers
  store_number(optional + FIELD_SUBSYSTEM, SUBSYSTEM_WINDOW, 2);
  store_number(optional + FIELD_RESOURCES, resources->address, 4);
  store_number(optional + FIELD_RESOURCES + 4, resources->memory_bytes, 4);
  store_number(optional + FIELD_RELOCATIONS, relocations->address, 4);
  store_section(bytes + resources->header_offset, resources);
  store_section(bytes + relocations->header_offset, relocations);
  size_t first_data = read_number(optional + 60, 4); // size of all headers
  if (first_data > sections_end && first_data <= p->resources.file_offset)
    memset(bytes + sections_end, 0, first_data - sections_end); // headers of the debug information
}

uint8_t *windows_program_create(allocator_t *memory, const uint8_t *program, size_t program_bytes,
                                const windows_program_desc_t *desc, size_t *out_bytes, error_info_t *error) {
  shoal_assert(desc->file_name[0] && desc->title[0], "file_name and title must not be empty");
  program_t p = {.bytes = program, .size_bytes = program_bytes};
  resource_t manifest;
  if (!read_program(&p, error))
    return NULL;
  if (!find_manifest(&p, &manifest)) {
    error_set(error, "the program has no manifest: build it with ./shoal build --target windows");
    return NULL;
  }
  bytes_t content = {.memory = memory};
  write_resources(&p, desc, &manifest, &content);
  section_t resources = p.resources, relocations = p.relocations;
  resources.memory_bytes = content.data.count;
  resources.file_bytes = align(content.data.count, p.file_alignment);
  relocations.address = align(resources.address + resources.memory_bytes, p.section_alignment);
  relocations.file_offset = resources.file_offset + resources.file_bytes;
  *out_bytes = (size_t)relocations.file_offset + relocations.file_bytes;
  uint8_t *bytes = alloc_resize(memory, NULL, 0, *out_bytes);
  memcpy(bytes, program, resources.file_offset);
  memset(bytes + resources.file_offset, 0, resources.file_bytes);
  memcpy(bytes + resources.file_offset, content.data.items, content.data.count);
  memcpy(bytes + relocations.file_offset, program + p.relocations.file_offset, relocations.file_bytes);
  store_headers(&p, bytes, &resources, &relocations);
  array_free(memory, &content.data);
  return bytes;
}
