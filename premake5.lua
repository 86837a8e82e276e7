-- Build script for premake5, and for premake4, the version in Debian. `./shoal build` runs it. To run it by hand:
--   premake5 gmake                     && make -C build config=release
--   premake4 --file=premake5.lua gmake && make -C build config=release
-- Each module (engine/LAYER/MODULE/) is a static library with its own object folder: premake4 names object files after
-- the source file alone, and two modules may have files of the same name.

if not workspace then -- this is premake4: define the functions that only premake5 has
  workspace = solution
  local configuration_of = configuration
  function filter(term)
    return configuration_of(type(term) == "string" and (term:gsub("configurations:", "")) or {})
  end
  function symbols() flags { "Symbols" } end
  function os.outputof(command)
    local pipe = io.popen(command .. " 2>/dev/null")
    local text = pipe:read("*a"):gsub("%s+$", "")
    pipe:close()
    return text
  end
end

-- Without the lines that make prints for each project and folder, even if everything is up to date.
local print_makefile = _p
function _p(...)
  local indented = type((...)) == "number"
  local text = select(indented and 2 or 1, ...)
  if not text:find('@echo "==== ', 1, true) and not text:find("@echo Creating ", 1, true) then print_makefile(...) end
end

-- Build folder, and root folder of the target system's headers and libraries ("": this machine's root folder).
-- scripts/build/arm64.sh sets the two environment variables to cross-compile. For Windows, the root folder is the
-- FOLDER of scripts/build/libraries.sh FOLDER --target windows, and PKG_CONFIG_LIBDIR must be its lib/pkgconfig.
local BUILD = os.getenv("SHOAL_BUILD") or "build"
local SYSROOT = os.getenv("SHOAL_SYSROOT") or ""
-- NAME_SUFFIX.c implements NAME.h with the functions of one system. The table contains the suffixes that are built for
-- each target system.
local TARGETS = { linux = { linux = true, posix = true }, windows = { windows = true } }
local TARGET = os.getenv("SHOAL_TARGET") or "linux"
local SUFFIXES = TARGETS[TARGET] or error(("SHOAL_TARGET: unknown system %s: use linux or windows"):format(TARGET), 0)

-- Flags of the target system for compiling and linking (scripts/build/target.sh).
local TARGET_FLAGS = os.outputof("eval \"$(sh scripts/build/target.sh " .. TARGET
  .. ")\" && echo \"$code_flags|$link_flags\"")
local CODE_FLAGS, LINK_FLAGS = TARGET_FLAGS:match("^(.*)|(.*)$")

-- Writes the tables of the functions for ffi.C. ./shoal also writes them before each build.
os.outputof("sh scripts/build/ffi_functions.sh " .. BUILD .. "/generated")

local CONFIGS = { "Debug", "Release", "Sanitize", "Thread" }
-- Layers of engine/: folders of modules. Sources include "MODULE/file.h", so every layer is an include folder.
local LAYERS = { "core", "ecs", "media", "world", "view", "store", "script", "plugin", "host", "tools" }
-- Libraries found with pkg-config. Header-only libraries (cglm, stb, xxHash) are in the compiler's default folders.
local PACKAGES = { "freetype2", "harfbuzz", "fribidi", "epoxy", "libzstd", "sqlite3", "jansson", "expat", "zlib", "minizip", "libwebp", "libwebpmux", "sleef", "libmd", "libsodium" }
-- Folder of LuaJIT, which is built from source with Shoal's changes. ./shoal sets the environment variable.
local LUAJIT = os.getenv("SHOAL_LUAJIT") or os.outputof("sh scripts/build/luajit.sh --target " .. TARGET)
-- Returns the folder of a library that is built from source, unless an environment variable contains it.
local function find_pinned_library(variable, name)
  return os.getenv(variable) or os.outputof(("sh scripts/build/pinned_library.sh --target %s %s"):format(TARGET, name))
end
-- Libraries of plugins, built from source as static libraries. ./shoal sets the environment variables; "none": Box2D
-- cannot be built.
local CHIPMUNK = find_pinned_library("SHOAL_CHIPMUNK", "chipmunk")
local BOX2D = find_pinned_library("SHOAL_BOX2D", "box2d")
-- Decoders of sounds, built from source.
local MIXER = find_pinned_library("SHOAL_MIXER", "sdl_mixer")
-- Libraries of the system.
local SYSTEM_LIBRARIES = TARGET == "windows" and { "pthread", "ws2_32", "iphlpapi", "psapi", "ntdll", "advapi32" }
  or { "m", "dl", "pthread" }
-- Opened at run time (engine/media/platform/sdl_linux.c, engine/host/addons/addon_archive.c): only their headers are
-- needed. For Windows, SDL2 is linked.
local LOADED = { "sdl2", "libarchive" }

-- Functions of the C library that Shoal replaces with its own (engine/core/base/exact_libm.c).
local EXACT = { "sincos", "sincosf", "qsort" }
for name in io.open("engine/core/base/exact_names.h"):read("*a"):gmatch("\nEXACT_%u+%((%w+),") do
  table.insert(EXACT, name)
  table.insert(EXACT, name .. "f")
end

-- Makes the compiler keep calls of the replaced functions: without -fno-builtin-sin, it would fold sin(1) into a
-- constant, for example, and merge calls of sin and cos into a call of sincos.
local function exact_calls()
  for _, name in ipairs(EXACT) do buildoptions { "-fno-builtin-" .. name } end
end

-- Binds the calls in statically linked code to the replacements. The binding also holds if that code is in a library
-- that is opened at run time.
local function exact_links()
  for _, name in ipairs(EXACT) do linkoptions { "-Wl,--wrap=" .. name } end
end

-- Includes the headers of libraries as system headers, so that the compiler gives no warnings about them.
local function system_includes(packages)
  for _, package in ipairs(packages) do
    for folder in (os.outputof("pkg-config --cflags-only-I " .. package) or ""):gmatch("%-I(%S+)") do
      buildoptions { "-isystem " .. folder }
    end
  end
end

local function system_links(packages)
  if TARGET == "windows" then -- static libraries that use each other: the linker searches them repeatedly
    local flags = os.outputof("pkg-config --libs sdl2 libwslay " .. table.concat(packages, " ")) or ""
    if flags == "" then error("libraries for Windows not found: run ./shoal build --target windows", 0) end
    linkoptions { "-Wl,--start-group " .. flags .. " -Wl,--end-group" }
    return
  end
  for _, package in ipairs(packages) do
    local flags = os.outputof("pkg-config --libs " .. package) or ""
    if flags == "" then error("pkg-config package '" .. package .. "' not found: run ./shoal deps", 0) end
    for kind, name in flags:gmatch("%-([Ll])(%S+)") do
      if kind == "L" then libdirs { name } else links { name } end
    end
  end
end

-- Sets the output folders of a project for every configuration. The project's name is a parameter, because looking it
-- up with project() would reset premake5's filter.
local function outputs(name, sub)
  for _, config in ipairs(CONFIGS) do
    filter("configurations:" .. config)
      targetdir(BUILD .. "/" .. config:lower() .. "/" .. sub)
      objdir(BUILD .. "/" .. config:lower() .. "/obj/" .. name)
  end
  filter {}
end

-- Returns true if a file implements a header for a system that is not the target.
local function is_for_different_system(file)
  local suffix = file:match("_(%l+)%.c$")
  for _, suffixes in pairs(TARGETS) do
    if suffixes[suffix] then return not SUFFIXES[suffix] end
  end
  return false
end

-- Returns the matching files of the target system, sorted. File systems list files in any order, and the order of
-- linking changes the bytes of the program.
local function sources(pattern)
  local list = {}
  for _, file in ipairs(os.matchfiles(pattern)) do
    if not is_for_different_system(file) then table.insert(list, file) end
  end
  table.sort(list)
  return list
end

local function any_project(name, output_kind, sub, source_language)
  project(name)
  kind(output_kind)
  language(source_language)
  includedirs { "engine", "engine/include" } -- plugins include "plugins/…"
  includedirs { BUILD .. "/generated" }
  for _, layer in ipairs(LAYERS) do includedirs { "engine/" .. layer } end
  outputs(name, sub)
end

local function c_project(name, output_kind, sub)
  any_project(name, output_kind, sub, "C")
  buildoptions { "-std=c11 -Wstrict-prototypes" }
end

local modules = {} -- names of the static libraries, filled below

-- Links every object of every module, even unreferenced ones: plugins look up functions by name through the dynamic
-- symbol table.
local function link_modules()
  if TARGET == "windows" then targetextension ".exe" else linkoptions { "-rdynamic" } end
  links(modules)
  if TARGET ~= "windows" then links { "wslay" } end -- named here because Debian's wslay has no .pc file
  exact_links()
  for _, config in ipairs(CONFIGS) do
    filter("configurations:" .. config)
      linkoptions { "-Wl,--whole-archive" }
      for _, module in ipairs(modules) do linkoptions { config:lower() .. "/lib/lib" .. module .. ".a" } end
      linkoptions { "-Wl,--no-whole-archive" }
  end
  filter {}
  linkoptions { LUAJIT .. "/lib/libluajit-5.1.a", MIXER .. "/lib/libsdl_mixer.a" }
end

workspace "shoal"
  configurations(CONFIGS)
  location(BUILD)
  symbols "On"
  defines { "_GNU_SOURCE" }
  buildoptions { "-g -Wall -Wextra -Wshadow -Wconversion" }
  -- All configurations must compute the same bits: no fused multiply-add, no instructions beyond the baseline.
  buildoptions { "-ffp-contract=off" }
  exact_calls()
  system_includes(PACKAGES)
  system_includes(LOADED)
  buildoptions { "-isystem " .. LUAJIT .. "/include" }
  buildoptions { "-isystem " .. CHIPMUNK .. "/include", "-isystem " .. MIXER .. "/include" }
  buildoptions { "-isystem " .. SYSROOT .. (TARGET == "windows" and "/include/stb" or "/usr/include/stb") }
  if TARGET == "windows" then -- also the headers of cglm and xxHash
    -- gcc for mingw-w64 checks formats as those of Microsoft's printf, which is not used; the build for Linux checks
    -- the same texts.
    buildoptions { CODE_FLAGS, "-Wno-format -Wno-format-extra-args", "-isystem " .. SYSROOT .. "/include" }
    -- Without this macro, longjmp (watchdog.c) restores the registers, but does not unwind the stack frames of LuaJIT.
    buildoptions { "-U__SEH__" }
    defines { "_POSIX_THREAD_SAFE_FUNCTIONS" } -- declares localtime_r and gmtime_r
    linkoptions { LINK_FLAGS }
  end
  filter "configurations:Debug"
    buildoptions { "-Og -Werror" }
  filter "configurations:Release" -- no -Werror, so that new warnings of a newer compiler do not break the build
    defines { "NDEBUG" }
    buildoptions { "-g1 -O3" } -- -g1 suffices for reports (functions, lines) and saves a sixth of the compile time
  filter "configurations:Sanitize"
    buildoptions { "-g1 -O1 -Werror -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" }
    linkoptions { "-fsanitize=address,undefined" }
  filter "configurations:Thread" -- -Wno-tsan: ThreadSanitizer does not support fences, and warns about each
    buildoptions { "-O1 -Werror -Wno-tsan -fno-omit-frame-pointer -fsanitize=thread" }
    linkoptions { "-fsanitize=thread" }
  filter {}

-- The program and libshoal.so (scripts/build/install.sh) share their objects. Position-independent code costs the
-- program nothing: the linker relaxes it.
local LIBRARY_CODE = TARGET == "windows" and "" or "-fPIC -fno-semantic-interposition -ftls-model=initial-exec"

-- Modules that take most of the tests' time under the sanitizers: optimized further, although that takes longer to
-- compile.
local HOT = { base = true, ecs = true, journal = true, link = true, match = true, schema = true, snapshot = true,
  watchdog = true }

for _, layer in ipairs(LAYERS) do
  local is_module = { library = true } -- not linked into the program
  for _, file in ipairs(sources("engine/" .. layer .. "/**.c")) do
    local module = file:match("engine/[%w_]+/([%w_]+)/")
    if not module then
      error(("%s is not in a module: move it to a folder, such as engine/%s/MODULE/"):format(file, layer), 0)
    end
    if not is_module[module] then
      c_project(module, "StaticLib", "lib")
      files(sources("engine/" .. layer .. "/" .. module .. "/**.c"))
      buildoptions { LIBRARY_CODE }
      if HOT[module] then
        filter "configurations:Sanitize"
          buildoptions { "-O2" }
        filter {}
      end
      table.insert(modules, module)
      is_module[module] = true
    end
  end
end

c_project("library", "StaticLib", "lib") -- API of libshoal for programs that embed Shoal (scripts/build/install.sh)
  files(sources("engine/host/library/**.c"))
  buildoptions { LIBRARY_CODE }

c_project("shoal", "ConsoleApp", "bin")
  files { "engine/main.c" }
  link_modules()
  if TARGET == "windows" then
    linkoptions { "generated/manifest.o" } -- relative to BUILD (scripts/build/windows.sh writes it)
  else
    -- Packages have their libraries in lib/, next to the program. RPATH, unlike RUNPATH, also applies to the libraries'
    -- own dependencies.
    linkoptions { "'-Wl,--disable-new-dtags,-rpath,$$ORIGIN/lib'" }
  end
  system_links(PACKAGES)
  links(SYSTEM_LIBRARIES)

-- Shipped plugins: engine/plugins/NAME/ becomes build/CONFIG/plugins/NAME.so. They include <shoal/…> and link nothing
-- of the engine. They are not built for Windows.
local PLUGIN_LIBRARIES = { physics = CHIPMUNK .. "/lib/libchipmunk.a", box2d = BOX2D .. "/lib/libbox2d.a" }
-- Plugins that need an optional library are not built if it is missing.
local PLUGIN_PACKAGES = { net = "libenet" }
-- Compilers vectorize a loop only if it accesses few columns, because columns may overlap: raises that limit.
local COLUMN_LIMIT = os.outputof("${CC:-cc} --version"):find("clang", 1, true)
  and "-mllvm -runtime-memory-check-threshold=100" or "--param vect-max-version-for-alias-checks=100"
local plugins = {}
local plugin_internals = {} -- sources of the plugins except NAME/NAME.c, which declares the plugin; for unit tests
local function has_library(name)
  if name == "box2d" then return BOX2D ~= "" and BOX2D ~= "none" end
  local package = PLUGIN_PACKAGES[name]
  return not package or os.outputof("pkg-config --exists " .. package .. " && echo yes") == "yes"
end
for _, file in ipairs(sources("engine/plugins/**.c*")) do
  local name = path.getname(path.getdirectory(file))
  if path.getbasename(file) == name then
    if TARGET ~= "windows" and has_library(name) then table.insert(plugins, name) end
  elseif not PLUGIN_PACKAGES[name] or path.getbasename(file) == "net_bytes" then -- net_bytes needs no package
    table.insert(plugin_internals, file)
  end
end
for _, name in ipairs(plugins) do
  local pattern = "engine/plugins/" .. name .. "/*.c"
  if #os.matchfiles(pattern) > 0 then
    c_project("plugin_" .. name, "SharedLib", "plugins")
  else
    pattern = pattern .. "pp"
    any_project("plugin_" .. name, "SharedLib", "plugins", "C++")
    buildoptions { "-std=c++17 -Wno-missing-field-initializers" }
  end
    targetname(name)
    targetprefix ""
    files(sources(pattern))
    buildoptions { "-fPIC -fvisibility=hidden", COLUMN_LIMIT }
    linkoptions { PLUGIN_LIBRARIES[name] }
    if name == "box2d" then buildoptions { "-isystem " .. BOX2D .. "/include" } end
    if PLUGIN_PACKAGES[name] then
      system_includes { PLUGIN_PACKAGES[name] }
      system_links { PLUGIN_PACKAGES[name] }
    end
    links { "m" }
end

-- Unit tests that use functions of Linux, such as fork, symbolic links, setenv and dlopen.
local TESTS_OF_LINUX = {}
for name in ([[aborts arena asset_reload assets bind bindings canvas child confined_folder debug_draw
  exact_math file_changes file_watch input jobs light luajit_changes match_files match_menu match_sounds native
  options recording render room_process sandbox save served_world signals sound_sync symbols system tile_edges
  typesetter ui_screens watchdog world_lock]]):gmatch("%S+") do
  TESTS_OF_LINUX["tests/unit/" .. name .. "_test.c"] = true
end

local function unit_tests()
  local list = {}
  for _, file in ipairs(sources("tests/unit/*.c")) do
    if TARGET == "linux" or not TESTS_OF_LINUX[file] then table.insert(list, file) end
  end
  return list
end

-- Programs of the test suites; not built if cmocka is missing.
if (os.outputof("pkg-config --libs cmocka") or "") ~= "" then
  local tests = unit_tests()
  if #tests > 0 then
    c_project("unit", "ConsoleApp", "bin")
      files(tests)
      files(plugin_internals)
      for _, config in ipairs { "Release", "Sanitize" } do -- optimizing tests takes longer than running them
        filter("configurations:" .. config)
          buildoptions { "-O0" }
      end
      filter {}
      link_modules()
      linkoptions { PLUGIN_LIBRARIES.physics }
      system_links { "cmocka", "sdl2" }
      system_links(PACKAGES)
      links(SYSTEM_LIBRARIES)
  end

  c_project("mutate", "ConsoleApp", "bin") -- see tests/reload/mutate.c
    files { "tests/reload/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("hostile", "ConsoleApp", "bin") -- see tests/hostile/main.c
    files { "tests/hostile/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("component_hashes", "ConsoleApp", "bin") -- see tests/component_hashes/main.c
    files { "tests/component_hashes/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("walk", "ConsoleApp", "bin") -- see tests/walk/main.c
    files { "tests/walk/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("rewind_times", "ConsoleApp", "bin") -- see tests/rewind_times/main.c
    files { "tests/rewind_times/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("clip_times", "ConsoleApp", "bin") -- see tests/clip_times/main.c
    files { "tests/clip_times/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("rollback_times", "ConsoleApp", "bin") -- see tests/rollback_times/main.c
    files { "tests/rollback_times/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("power_cuts", "ConsoleApp", "bin") -- see tests/power_cuts/main.c
    files { "tests/power_cuts/main.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("world_owner", "ConsoleApp", "bin") -- see tests/rooms/main.c
    files { "tests/rooms/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("stops", "ConsoleApp", "bin") -- see tests/stops/main.c
    files { "tests/stops/*.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  -- All fuzzers of file readers are one program (tests/fuzz/readers.c), because every program takes a second to link.
  c_project("readers", "ConsoleApp", "bin")
    files { "tests/fuzz/readers.c" }
    files(sources("tests/fuzz/*_reader.c"))
    for _, file in ipairs(plugin_internals) do
      local plugin = path.getname(path.getdirectory(file))
      if plugin == "physics" or plugin == "data" or plugin == "net" then files { file } end
    end
    link_modules()
    linkoptions { PLUGIN_LIBRARIES.physics }
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)

  c_project("ecs_fuzz", "ConsoleApp", "bin")
    files { "tests/fuzz/ecs_fuzz.c" }
    link_modules()
    system_links(PACKAGES)
    links(SYSTEM_LIBRARIES)
end

-- premake5 compile_commands writes BUILD/compile_commands.json, the compile commands of the debug configuration, for
-- editors and clang tools.
local commands = {}
local function add_commands(prj)
  local cfg = (premake.getconfig or premake.project.getconfig)(prj, "Debug")
  local flags = {}
  for _, define in ipairs(cfg.defines) do table.insert(flags, "-D" .. define) end
  for _, folder in ipairs(cfg.includedirs) do table.insert(flags, "-I" .. folder) end
  for _, options in ipairs(cfg.buildoptions) do table.insert(flags, options) end
  local compiler = prj.language == "C" and "cc " or "c++ "
  for _, file in ipairs(cfg.files) do
    local command = compiler .. table.concat(flags, " ") .. " -c " .. file
    table.insert(commands, ('{"directory": "%s", "file": "%s", "command": "%s"}'):format(prj.location, file, command))
  end
end
newaction {
  trigger = "compile_commands",
  description = "Write compile_commands.json",
  onproject = add_commands,
  execute = function()
    local out = assert(io.open(BUILD .. "/compile_commands.json", "w"))
    out:write("[\n", table.concat(commands, ",\n"), "\n]\n")
    out:close()
  end,
}
