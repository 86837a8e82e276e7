// Reads the symbol and line tables of ELF files. All reads use a bounds-checked cursor: past the end, the cursor
// returns zeros and sets `broken`.
#include "crash/symbols.h"

#include "base/assert.h"
#include "base/elf_format.h"
#include "base/file_path.h"
#include "base/varint.h"

#include <stdio.h>
#include <string.h>

typedef struct bytes_t {
  const uint8_t *data;
  size_t size;
} bytes_t;

typedef struct cursor_t {
  const uint8_t *at, *end;
  bool broken; // true after a read past the end
} cursor_t;

// --- reading

static cursor_t create_cursor(bytes_t bytes) {
  return (cursor_t){.at = bytes.data, .end = bytes.data ? bytes.data + bytes.size : bytes.data};
}

static uint64_t read_value(cursor_t *cursor, size_t bytes) {
  uint64_t value = 0;
  shoal_assert(bytes <= sizeof value, "cannot read a number of %zu bytes (at most 8)", bytes);
  if ((size_t)(cursor->end - cursor->at) < bytes) {
    cursor->broken = true;
    cursor->at = cursor->end;
    return 0;
  }
  memcpy(&value, cursor->at, bytes); // the file and the supported processors are little-endian
  cursor->at += bytes;
  return value;
}

static void skip_bytes(cursor_t *cursor, uint64_t bytes) {
  shoal_assert(cursor->at <= cursor->end, "cursor is past the end");
  cursor->broken |= bytes > (uint64_t)(cursor->end - cursor->at);
  cursor->at = cursor->broken ? cursor->end : cursor->at + bytes;
}

static uint64_t read_leb(cursor_t *cursor) {
  uint64_t value;
  size_t byte_count = varint_read(cursor->at, (size_t)(cursor->end - cursor->at), &value);
  cursor->broken |= byte_count == 0;
  cursor->at = byte_count > 0 ? cursor->at + byte_count : cursor->end;
  return value;
}

static int64_t read_signed_leb(cursor_t *cursor) {
  uint64_t value = 0, byte = 0x80;
  uint32_t shift = 0;
  for (; (byte & 0x80) && !cursor->broken; shift += 7) {
    byte = read_value(cursor, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
  }
  if (shift < 64 && (byte & 0x40))
    value |= UINT64_MAX << shift;
  return (int64_t)value;
}

static const char *read_text(cursor_t *cursor) {
  const char *text = (const char *)cursor->at;
  const uint8_t *end = cursor->at < cursor->end ? memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at)) : NULL;
  cursor->broken |= !end;
  cursor->at = end ? end + 1 : cursor->end;
  return end ? text : "";
}

static const char *get_text_at(bytes_t bytes, uint64_t offset) {
  shoal_assert(bytes.data || bytes.size == 0, "data is NULL, but size is %zu", bytes.size);
  cursor_t cursor = create_cursor(bytes);
  skip_bytes(&cursor, offset);
  return read_text(&cursor);
}

// --- ELF file

static bool read_header(bytes_t file, elf_header_t *out) {
  if (file.size < sizeof *out)
    return false;
  memcpy(out, file.data, sizeof *out);
  return memcmp(out->magic, ELF_MAGIC, ELF_MAGIC_BYTES) == 0 && out->class == ELF_CLASS_64 &&
         out->byte_order == ELF_LITTLE_ENDIAN;
}

static bool read_entry(bytes_t file, uint64_t offset, uint32_t i, size_t bytes, void *out) {
  if (offset > file.size || (file.size - offset) / bytes <= i)
    return false;
  memcpy(out, file.data + offset + i * bytes, bytes);
  return true;
}

static bool read_section(bytes_t file, const elf_header_t *header, uint32_t i, elf_section_t *out) {
  return i < header->section_count && header->section_bytes == sizeof *out &&
         read_entry(file, header->sections_offset, i, sizeof *out, out);
}

static bytes_t get_section_bytes(bytes_t file, const elf_section_t *section) {
  bool is_present = section->type != ELF_SECTION_ZEROED && !(section->flags & ELF_SECTION_IS_COMPRESSED) &&
                    section->offset <= file.size && section->size_bytes <= file.size - section->offset;
  return is_present ? (bytes_t){file.data + section->offset, section->size_bytes} : (bytes_t){0};
}

static bytes_t find_section(bytes_t file, const elf_header_t *header, const char *name) {
  elf_section_t section, names;
  if (!read_section(file, header, header->names_section, &names))
    return (bytes_t){0};
  bytes_t section_names = get_section_bytes(file, &names);
  for (uint32_t i = 0; read_section(file, header, i, &section); ++i)
    if (strcmp(get_text_at(section_names, section.name), name) == 0)
      return get_section_bytes(file, &section);
  return (bytes_t){0};
}

bool symbols_find_shift(const uint8_t *bytes, size_t size, uint64_t offset, uint64_t *out) {
  bytes_t file = {bytes, size};
  elf_header_t header;
  elf_segment_t segment;
  if (!read_header(file, &header) || header.segment_bytes != sizeof segment)
    return false;
  for (uint32_t i = 0;
       i < header.segment_count && read_entry(file, header.segments_offset, i, sizeof segment, &segment); ++i) {
    uint64_t segment_start = segment.offset & ~UINT64_C(0xfff); // whole pages are mapped
    if (segment.type != ELF_SEGMENT_LOADED || offset < segment_start ||
        offset - segment_start >= segment.file_bytes + (segment.offset - segment_start))
      continue;
    *out = segment.address - segment.offset;
    return true;
  }
  return false;
}

// --- functions

// Demangles a name: "_ZN5stove4growEv" becomes stove::grow. Drops the template arguments of a function outside
// namespaces and classes. Names that it cannot parse stay mangled: names with different template arguments,
// constructors or operators.
static void demangle_name(const char *name, char *out, size_t capacity) {
  const char *cursor = name;
  size_t length = 0;
  snprintf(out, capacity, "%s", name);
  if (strncmp(cursor, "_Z", 2) != 0)
    return;
  cursor += 2;
  bool is_nested = *cursor == 'N';
  cursor += is_nested;
  while (*cursor == 'L' || *cursor == 'K') // L: static; K: const
    ++cursor;
  do {
    size_t bytes = 0;
    for (; *cursor >= '0' && *cursor <= '9' && bytes < capacity; ++cursor)
      bytes = bytes * 10 + (size_t)(*cursor - '0');
    if (bytes == 0 || strlen(cursor) < bytes || length + bytes + 3 > capacity) {
      snprintf(out, capacity, "%s", name);
      return;
    }
    const char *part = strncmp(cursor, "_GLOBAL__N_", 11) == 0 ? "(anonymous)" : cursor;
    length += (size_t)snprintf(out + length, capacity - length, "%s%.*s", length ? "::" : "",
                               part == cursor ? (int)bytes : 11, part);
    cursor += bytes;
    while (is_nested && *cursor == 'L')
      ++cursor;
  } while (is_nested && *cursor && *cursor != 'E');
}

static bool find_in_table(bytes_t file, const elf_header_t *header, uint32_t type, uint64_t address,
                          symbols_location_t *out) {
  elf_section_t table, names;
  elf_symbol_t symbol;
  for (uint32_t i = 0; read_section(file, header, i, &table); ++i) {
    if (table.type != type || table.entry_bytes != sizeof symbol || !read_section(file, header, table.link, &names))
      continue;
    bytes_t entries = get_section_bytes(file, &table);
    for (uint32_t k = 0; read_entry(entries, 0, k, sizeof symbol, &symbol); ++k) {
      if (elf_symbol_type(&symbol) != ELF_SYMBOL_FUNCTION || symbol.section == ELF_UNDEFINED_SECTION ||
          address < symbol.value || address - symbol.value >= symbol.size_bytes)
        continue;
      demangle_name(get_text_at(get_section_bytes(file, &names), symbol.name), out->function, sizeof out->function);
      return true;
    }
  }
  return false;
}

// --- writable variables

// Returns true for sections whose variables are writable after loading and exist once per process.
static bool is_writable_section(bytes_t file, const elf_header_t *header, uint32_t index) {
  elf_section_t section, names;
  if (!read_section(file, header, index, &section) || !read_section(file, header, header->names_section, &names))
    return false;
  const char *name = get_text_at(get_section_bytes(file, &names), section.name);
  bool is_data = strncmp(name, ".data", 5) == 0 && strncmp(name, ".data.rel.ro", 12) != 0;
  return (is_data || strncmp(name, ".bss", 4) == 0) && !(section.flags & ELF_SECTION_IS_THREAD_LOCAL);
}

// Returns true for variables that the compiler, its libraries or Shoal's headers define.
static bool is_generated_variable(const char *name) {
  static const char *const prefixes[] = {"__", ".", "DW.ref.", "completed.", "shoal_", "_ZGV", "_ZT", "_ZSt", "_ZNSt"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return strncmp(name, "_Z", 2) == 0 && (strstr(name, "N5shoal") || strstr(name, "shoal_plugin_definition"));
}

// Writes the name of a variable as in the source: "calls" for "calls.0" (C) and "_ZZ4growvE5calls" (C++), which are
// local to a function.
static void write_variable_name(const char *name, char *out, size_t capacity) {
  size_t length = strlen(name), bytes = 0;
  for (size_t at = length; strncmp(name, "_ZZ", 3) == 0 && at > 3; --at) {
    const char *digits = name + at;
    bytes = 0;
    for (; name[at - 1] == 'E' && *digits >= '0' && *digits <= '9' && bytes < length; ++digits)
      bytes = bytes * 10 + (size_t)(*digits - '0');
    if (bytes > 0 && strlen(digits) >= bytes && (digits[bytes] == '\0' || digits[bytes] == '_')) {
      snprintf(out, capacity, "%.*s", (int)bytes, digits);
      return;
    }
  }
  demangle_name(name, out, capacity);
  const char *dot = strchr(out, '.');
  if (dot && dot != out)
    out[dot - out] = '\0';
}

// Reader of a library's symbol table. A local symbol belongs to the source file that the preceding symbol of the type
// ELF_SYMBOL_FILE names. Global symbols follow all local symbols; their file is known only if the library has a single
// source file.
typedef struct variables_t {
  bytes_t file, entries, names;
  elf_header_t header;
  // source: file of the current symbol; only_source: the library's source file, or "" if it has several
  const char *source, *only_source;
} variables_t;

static bool find_symbol_table(variables_t *variables) {
  elf_section_t table, names;
  for (uint32_t i = 0; read_section(variables->file, &variables->header, i, &table); ++i)
    if (table.type == ELF_SECTION_SYMBOLS && table.entry_bytes == sizeof(elf_symbol_t) &&
        read_section(variables->file, &variables->header, table.link, &names)) {
      variables->entries = get_section_bytes(variables->file, &table);
      variables->names = get_section_bytes(variables->file, &names);
      return true;
    }
  return false;
}

static void detect_single_source(variables_t *variables) {
  elf_symbol_t symbol;
  uint32_t count = 0;
  variables->source = variables->only_source = "";
  for (uint32_t k = 0; read_entry(variables->entries, 0, k, sizeof symbol, &symbol); ++k) {
    const char *name = get_text_at(variables->names, symbol.name);
    if (elf_symbol_type(&symbol) == ELF_SYMBOL_FILE && name[0] && strcmp(name, "crtstuff.c") != 0)
      variables->only_source = count++ == 0 ? name : "";
  }
}

uint32_t symbols_find_statics(const uint8_t *bytes, size_t size, symbols_static_t *out, uint32_t capacity) {
  variables_t variables = {.file = {bytes, size}};
  elf_symbol_t symbol;
  uint32_t count = 0;
  if (!read_header(variables.file, &variables.header) || !find_symbol_table(&variables))
    return 0;
  detect_single_source(&variables);
  for (uint32_t k = 0; read_entry(variables.entries, 0, k, sizeof symbol, &symbol); ++k) {
    const char *name = get_text_at(variables.names, symbol.name);
    if (elf_symbol_type(&symbol) == ELF_SYMBOL_FILE)
      variables.source = name;
    if (elf_symbol_type(&symbol) != ELF_SYMBOL_VARIABLE || symbol.size_bytes == 0 || is_generated_variable(name) ||
        !is_writable_section(variables.file, &variables.header, symbol.section))
      continue;
    bool is_local = elf_symbol_binding(&symbol) == ELF_BINDING_LOCAL && variables.source[0];
    if (count < capacity) {
      out[count].size_bytes = symbol.size_bytes;
      write_variable_name(name, out[count].name, sizeof out[count].name);
      snprintf(out[count].file, sizeof out[count].file, "%s", is_local ? variables.source : variables.only_source);
    }
    ++count;
  }
  return count;
}

// --- lines

enum { MAX_ENTRY_FORMATS = 16, MAX_OPCODES = 256 };

typedef struct format_t {
  uint64_t content, form;
} format_t;

typedef struct unit_t {
  cursor_t program; // initially at the start of the line program
  bytes_t strings, line_strings;
  uint32_t version, offset_bytes;
  uint8_t min_instruction_bytes, opcode_base, line_range, default_is_stmt;
  int8_t line_base;
  uint8_t operand_counts[MAX_OPCODES];
  cursor_t folders, files; // starts of the folder list and the file list
  format_t folder_formats[MAX_ENTRY_FORMATS], file_formats[MAX_ENTRY_FORMATS];
  uint32_t folder_format_count, file_format_count;
  uint64_t folder_count, file_count;
} unit_t;

static const char *read_form_text(cursor_t *cursor, const unit_t *unit, uint64_t form) {
  switch (form) {
  case 0x08:
    return read_text(cursor); // the string itself (DW_FORM_string)
  // the string's offset in .debug_line_str (DW_FORM_line_strp)
  case 0x1f: return get_text_at(unit->line_strings, read_value(cursor, unit->offset_bytes));
  // the string's offset in .debug_str (DW_FORM_strp)
  case 0x0e: return get_text_at(unit->strings, read_value(cursor, unit->offset_bytes));
  default: cursor->broken = true; return "";
  }
}

static uint64_t read_form_number(cursor_t *cursor, uint64_t form) {
  switch (form) {
  case 0x0b: return read_value(cursor, 1);
  case 0x05: return read_value(cursor, 2);
  case 0x06: return read_value(cursor, 4);
  case 0x07: return read_value(cursor, 8);
  case 0x0f: return read_leb(cursor);
  case 0x1e: skip_bytes(cursor, 16); return 0; // skips the MD5 checksum of the file
  case 0x09: skip_bytes(cursor, read_leb(cursor)); return 0;
  default: cursor->broken = true; return 0;
  }
}

typedef struct path_entry_t {
  const char *path;
  uint64_t folder;
} path_entry_t;

static path_entry_t read_path_entry(cursor_t *cursor, const unit_t *unit, const format_t *formats, uint32_t count) {
  path_entry_t entry = {.path = ""};
  for (uint32_t i = 0; i < count; ++i) {
    if (formats[i].content == 1)
      entry.path = read_form_text(cursor, unit, formats[i].form);
    else if (formats[i].content == 2)
      entry.folder = read_form_number(cursor, formats[i].form);
    else if (formats[i].form == 0x08 || formats[i].form == 0x1f || formats[i].form == 0x0e)
      read_form_text(cursor, unit, formats[i].form);
    else
      read_form_number(cursor, formats[i].form);
  }
  return entry;
}

static uint32_t read_formats(cursor_t *cursor, format_t *out) {
  uint32_t count = (uint32_t)read_value(cursor, 1);
  cursor->broken |= count > MAX_ENTRY_FORMATS;
  for (uint32_t i = 0; i < count && !cursor->broken; ++i)
    out[i] = (format_t){.content = read_leb(cursor), .form = read_leb(cursor)};
  return cursor->broken ? 0 : count;
}

static void skip_entries(cursor_t *cursor, const unit_t *unit, const format_t *formats, uint32_t count,
                         uint64_t entries) {
  cursor->broken |= count == 0 && entries > 0;
  for (uint64_t i = 0; i < entries && !cursor->broken; ++i)
    read_path_entry(cursor, unit, formats, count);
}

static path_entry_t read_file_entry_v4(cursor_t *cursor) {
  path_entry_t entry = {.path = read_text(cursor)};
  if (!entry.path[0])
    return entry;
  entry.folder = read_leb(cursor);
  read_leb(cursor); // skips the modification time
  read_leb(cursor); // skips the size
  return entry;
}

static void read_lists(cursor_t *cursor, unit_t *unit) {
  if (unit->version >= 5) {
    unit->folder_format_count = read_formats(cursor, unit->folder_formats);
    unit->folder_count = read_leb(cursor);
    unit->folders = *cursor;
    skip_entries(cursor, unit, unit->folder_formats, unit->folder_format_count, unit->folder_count);
    unit->file_format_count = read_formats(cursor, unit->file_formats);
    unit->file_count = read_leb(cursor);
    unit->files = *cursor;
    return; // the header states where the program starts
  }
  unit->folders = *cursor;
  while (!cursor->broken && read_text(cursor)[0])
    ;
  unit->files = *cursor;
}

static bool read_unit(cursor_t *cursor, unit_t *unit) {
  uint64_t length = read_value(cursor, 4);
  unit->offset_bytes = length == 0xffffffff ? 8 : 4;
  if (unit->offset_bytes == 8)
    length = read_value(cursor, 8);
  cursor_t content = {.at = cursor->at, .end = cursor->at, .broken = cursor->broken};
  skip_bytes(cursor, length);
  if (cursor->broken)
    return false;
  content.end = cursor->at;
  unit->version = (uint32_t)read_value(&content, 2);
  if (unit->version >= 5)
    skip_bytes(&content, 2); // skips the sizes of addresses and segment selectors
  uint64_t header = read_value(&content, unit->offset_bytes);
  unit->program = content;
  skip_bytes(&unit->program, header);
  unit->min_instruction_bytes = (uint8_t)read_value(&content, 1);
  if (unit->version >= 4)
    skip_bytes(&content, 1); // skips the number of operations per instruction
  unit->default_is_stmt = (uint8_t)read_value(&content, 1);
  unit->line_base = (int8_t)read_value(&content, 1);
  unit->line_range = (uint8_t)read_value(&content, 1);
  unit->opcode_base = (uint8_t)read_value(&content, 1);
  for (uint32_t i = 1; i < unit->opcode_base; ++i)
    unit->operand_counts[i] = (uint8_t)read_value(&content, 1);
  read_lists(&content, unit);
  return true;
}

static path_entry_t get_path_entry(const unit_t *unit, cursor_t cursor, const format_t *formats, uint32_t count,
                                   uint64_t number) {
  path_entry_t entry = {.path = ""};
  for (uint64_t i = 0; i <= number && !cursor.broken; ++i)
    entry = read_path_entry(&cursor, unit, formats, count);
  return cursor.broken ? (path_entry_t){.path = ""} : entry;
}

static void write_file(const unit_t *unit, uint64_t number, symbols_location_t *out) {
  path_entry_t file = {.path = ""};
  const char *folder = "";
  if (unit->version >= 5) {
    if (number < unit->file_count)
      file = get_path_entry(unit, unit->files, unit->file_formats, unit->file_format_count, number);
    if (file.folder > 0 && file.folder < unit->folder_count)
      folder = get_path_entry(unit, unit->folders, unit->folder_formats, unit->folder_format_count, file.folder).path;
  } else {
    cursor_t cursor = unit->files, folders = unit->folders;
    for (uint64_t i = 0; i < number && !cursor.broken; ++i)
      file = read_file_entry_v4(&cursor);
    for (uint64_t i = 0; i < file.folder && !folders.broken; ++i)
      folder = read_text(&folders);
  }
  bool omits_folder = !folder[0] || path_is_rooted(file.path);
  snprintf(out->file, sizeof out->file, "%s%s%s", omits_folder ? "" : folder, omits_folder ? "" : "/", file.path);
}

typedef struct row_t {
  uint64_t address, file, line;
  bool ended; // true at the end of a sequence: `address` is the first address after the sequence
} row_t;

typedef struct machine_t {
  row_t current, previous; // `previous` is valid if has_previous is true
  bool has_previous;
} machine_t;

// Makes the current row the previous row. Returns true, and changes nothing, if the address is between the two rows.
static bool emit_row(machine_t *machine, uint64_t address) {
  bool found = machine->has_previous && machine->previous.address <= address && address < machine->current.address;
  if (found)
    return true;
  machine->has_previous = !machine->current.ended;
  machine->previous = machine->current;
  if (machine->current.ended)
    machine->current = (row_t){.file = 1, .line = 1};
  return false;
}

static bool run_extended_opcode(cursor_t *cursor, machine_t *machine, uint64_t address) {
  uint64_t bytes = read_leb(cursor);
  cursor_t body = *cursor;
  skip_bytes(cursor, bytes);
  uint8_t code = (uint8_t)read_value(&body, 1);
  if (cursor->broken || bytes == 0)
    return false;
  if (code == 2) // DW_LNE_set_address
    machine->current.address = read_value(&body, bytes - 1 <= 8 ? bytes - 1 : 8);
  machine->current.ended = code == 1;
  return code == 1 && emit_row(machine, address);
}

// Executes a standard opcode of a line program. The comments name the opcodes, without the prefix DW_LNS_.
static bool run_standard_opcode(const unit_t *unit, cursor_t *cursor, uint8_t code, machine_t *machine,
                                uint64_t address) {
  switch (code) {
  case 1: return emit_row(machine, address);                                                        // copy
  case 2: machine->current.address += read_leb(cursor) * unit->min_instruction_bytes; return false; // advance_pc
  case 3: machine->current.line += (uint64_t)read_signed_leb(cursor); return false;                 // advance_line
  case 4: machine->current.file = read_leb(cursor); return false;                                   // set_file
  case 8:                                                                                           // const_add_pc
    machine->current.address += (uint64_t)((255 - unit->opcode_base) / unit->line_range) * unit->min_instruction_bytes;
    return false;
  case 9: machine->current.address += read_value(cursor, 2); return false; // fixed_advance_pc
  default:
    for (uint32_t i = 0; i < unit->operand_counts[code]; ++i)
      read_leb(cursor);
    return false;
  }
}

static bool run_special_opcode(const unit_t *unit, uint8_t code, machine_t *machine, uint64_t address) {
  uint32_t step = (uint32_t)code - unit->opcode_base;
  machine->current.address += (uint64_t)(step / unit->line_range) * unit->min_instruction_bytes;
  machine->current.line += (uint64_t)(int64_t)(unit->line_base + (int32_t)(step % unit->line_range));
  return emit_row(machine, address);
}

static bool run_line_program(const unit_t *unit, uint64_t address, machine_t *machine) {
  cursor_t cursor = unit->program;
  *machine = (machine_t){.current = {.file = 1, .line = 1}};
  while (cursor.at < cursor.end && !cursor.broken) {
    uint8_t code = (uint8_t)read_value(&cursor, 1);
    bool found = code >= unit->opcode_base ? run_special_opcode(unit, code, machine, address)
                 : code == 0               ? run_extended_opcode(&cursor, machine, address)
                                           : run_standard_opcode(unit, &cursor, code, machine, address);
    if (found)
      return true;
  }
  return false;
}

static bool find_line(bytes_t file, const elf_header_t *header, uint64_t address, symbols_location_t *out) {
  cursor_t cursor = create_cursor(find_section(file, header, ".debug_line"));
  bytes_t strings = find_section(file, header, ".debug_str"),
          line_strings = find_section(file, header, ".debug_line_str");
  while (cursor.at < cursor.end && !cursor.broken) {
    unit_t unit = {.strings = strings, .line_strings = line_strings};
    machine_t machine;
    if (!read_unit(&cursor, &unit) || unit.version < 2 || unit.version > 5 || unit.line_range == 0 ||
        unit.opcode_base == 0)
      continue;
    if (!run_line_program(&unit, address, &machine))
      continue;
    out->line = machine.previous.line <= UINT32_MAX ? (uint32_t)machine.previous.line : 0;
    write_file(&unit, machine.previous.file, out);
    return true;
  }
  return false;
}

bool symbols_find_location(const uint8_t *bytes, size_t size, uint64_t address, symbols_location_t *out) {
  shoal_assert(bytes || size == 0, "bytes is NULL, but size is %zu", size);
  bytes_t file = {bytes, size};
  elf_header_t header;
  memset(out, 0, sizeof *out);
  if (!read_header(file, &header))
    return false;
  shoal_assert(!out->function[0] && !out->file[0], "out must be empty");
  bool has_function = find_in_table(file, &header, ELF_SECTION_SYMBOLS, address, out) ||
                      find_in_table(file, &header, ELF_SECTION_DYNAMIC_SYMBOLS, address, out);
  return find_line(file, &header, address, out) || has_function;
}
